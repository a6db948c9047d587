//! The outcome of tests, copied into arrays of structures of the caller, in double or single precision.

use std::ffi::c_void;

use super::failure::Result;
use super::guard::enter;
use super::handle::Handle;
use super::intersections::{AnyFound, Found, carom_intersections};
use super::memory::Caller;
use super::numbers::{CAROM_ABSENT, CAROM_DOUBLE, NumbersMut, Precision, Structures, carom_number_type};
use super::options::Options;
use super::status::carom_status;
use crate::geometry::Aabb;
use crate::geometry::rounding::{above, below};
use crate::particles::check;

/// Where a hit goes within a structure of the caller. Fill it with carom_hit_layout_init(), then say where the
/// properties go: offsets are bytes from the start of the structure, as `offsetof` gives them.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_hit_layout {
    /// Size of the struct in the caller's program, set by carom_hit_layout_init().
    pub struct_size: u32,
    /// Type of all numbers: CAROM_DOUBLE or CAROM_FLOAT. Default CAROM_DOUBLE.
    pub numbers: carom_number_type,
    /// Bytes from one structure to the next. Default 0: the last of the properties ends where the next structure begins.
    pub stride: usize,
    /// Offset of a `uint32_t`, the number of the pair as in carom_intersections_list(). Default CAROM_ABSENT.
    pub pair_number: usize,
    /// Offset of a carom_frame_pair, the indices of the frames. Default CAROM_ABSENT.
    pub pair: usize,
    /// Offset of 2 numbers: the first and last time of overlap, in seconds. Default CAROM_ABSENT. Floats are the nearest
    /// ones; with CAROM_HIT_SINGLE nothing is rounded.
    pub times: usize,
    /// Offset of 2 * D numbers: the lower and the upper corner of the box around the overlap, in metres. Default
    /// CAROM_ABSENT. A box of floats contains that of doubles: it is rounded outward; with CAROM_HIT_SINGLE nothing is rounded.
    pub bounds: usize,
    /// The same in the coordinates of the second frame.
    pub local_bounds: usize,
}

// SAFETY: `repr(C)`, no padding on 32 and 64 bits, integers only.
unsafe impl Options for carom_hit_layout {
    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            numbers: CAROM_DOUBLE,
            stride: 0,
            pair_number: CAROM_ABSENT,
            pair: CAROM_ABSENT,
            times: CAROM_ABSENT,
            bounds: CAROM_ABSENT,
            local_bounds: CAROM_ABSENT,
        }
    }
}

/// Fills the layout of hits with the defaults.
///
/// \param layout The struct to fill.
/// \param size   `sizeof(carom_hit_layout)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_hit_layout_init(layout: *mut carom_hit_layout, size: usize) -> carom_status {
    entry!(enter(|caller| caller.init_options("layout", layout, size)))
}

/// Copies hits into an array of structures of the caller. What the layout lacks is left as it is.
///
/// \param layout Where a hit goes within a structure. What it has must have been requested when `found` was created.
/// \param first  The first hit, counted as in carom_intersections_list().
/// \param count  How many hits.
/// \param data   Receives the first hit. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_WRONG_LENGTH for what was not requested, CAROM_UNKNOWN_VALUE,
///         CAROM_MISALIGNED for a pointer, offset or stride, CAROM_OUT_OF_RANGE for an offset beyond the stride.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_read_structs(
    found: *const carom_intersections,
    layout: *const carom_hit_layout,
    first: usize,
    count: usize,
    data: *mut c_void,
) -> carom_status {
    entry!(enter(|caller| {
        let layout = caller.read_options("layout", layout)?;
        caller.object(carom_intersections::NAME, found)?.read(|found| match found {
            AnyFound::Two(found) => read_structs(caller, found, &layout, first, (data.cast(), count)),
            AnyFound::Three(found) => read_structs(caller, found, &layout, first, (data.cast(), count)),
        })
    }))
}

fn read_structs<const D: usize>(
    caller: &Caller,
    found: &Found<D>,
    layout: &carom_hit_layout,
    first: usize,
    (data, count): (*mut u8, usize),
) -> Result<()> {
    let rows = first..first.saturating_add(count);
    check::rows("hit", &rows, found.outcome.hits())?;
    let structures = layout.structures::<D>(count)?;
    let pair_number = structures.rows_mut::<u32>(caller, data, layout.pair_number, 1)?;
    let pair = structures.rows_mut::<u32>(caller, data, layout.pair, 2)?;
    let times = structures.numbers_mut(caller, data, layout.times, 2)?;
    let world = structures.numbers_mut(caller, data, layout.bounds, 2 * D)?;
    let local = structures.numbers_mut(caller, data, layout.local_bounds, 2 * D)?;
    let hits = found.outcome.hits();
    let of_hits = |wanted: bool, field, found: usize| match wanted {
        true => check::length(field, 0, hits, found),
        false => Ok(()),
    };
    of_hits(pair_number.is_some(), "list", found.outcome.list().len())?;
    of_hits(pair.is_some(), "pairs", found.pairs.len())?;
    of_hits(times.is_some(), "times", found.outcome.times().len())?;
    of_hits(world.is_some(), "boxes", found.outcome.boxes().len())?;
    of_hits(local.is_some(), "local boxes", found.outcome.local_boxes().len())?;
    if let Some(place) = pair_number {
        (0..).zip(&found.outcome.list()[rows.clone()]).for_each(|(row, &number)| place.put(row, 0, number));
    }
    if let Some(place) = pair {
        (0..).zip(&found.pairs[rows.clone()]).for_each(|(row, &pair)| place.put_all(row, pair));
    }
    if let Some(place) = times {
        let times = &found.outcome.times()[rows.clone()];
        place.put_rows(times, |&times| times, |&[start, end]| [start as f32, end as f32]);
    }
    let are_singles = found.outcome.request().single;
    if let Some(place) = world {
        put_boxes(&place, &found.outcome.boxes()[rows.clone()], are_singles);
    }
    if let Some(place) = local {
        put_boxes(&place, &found.outcome.local_boxes()[rows], are_singles);
    }
    Ok(())
}

/// Writes boxes, in single precision rounded outward unless their numbers have it.
fn put_boxes<const D: usize>(place: &NumbersMut, boxes: &[Aabb<D>], are_singles: bool) {
    match D {
        2 => put_corners::<D, 4>(place, boxes, are_singles),
        _ => put_corners::<D, 6>(place, boxes, are_singles),
    }
}

/// The same with the number `N` = 2 `D` of coordinates.
fn put_corners<const D: usize, const N: usize>(place: &NumbersMut, boxes: &[Aabb<D>], are_singles: bool) {
    let corners = |aabb: &Aabb<D>| -> [f64; N] {
        std::array::from_fn(|k| if k < D { aabb.min[k] } else { aabb.max[k - D] })
    };
    if are_singles {
        return place.put_rows(boxes, corners, |aabb| corners(aabb).map(|x| x as f32));
    }
    place.put_rows(boxes, corners, |aabb| {
        let corners = corners(aabb);
        std::array::from_fn(|k| if k < D { below(corners[k]) } else { above(corners[k]) })
    });
}

impl carom_hit_layout {
    fn structures<const D: usize>(&self, count: usize) -> Result<Structures> {
        let precision = Precision::of(self.numbers)?;
        let aabb = 2 * D * precision.bytes();
        let properties = [
            (self.pair_number, size_of::<u32>()),
            (self.pair, 2 * size_of::<u32>()),
            (self.times, 2 * precision.bytes()),
            (self.bounds, aabb),
            (self.local_bounds, aabb),
        ];
        let stride = Structures::stride_or_end(self.stride, &properties);
        Ok(Structures { precision, stride, count })
    }
}
