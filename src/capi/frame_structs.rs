//! Frames in arrays of structures of the caller, in double or single precision.

use super::failure::{Failure, Result};
use super::frame_rows::{CAROM_CUBOID, carom_frame_kind, frame_kind};
use super::frame_source::{CallerFrames, Kinds, vector};
use super::frames::{carom_frames, in_dimension};
use super::guard::enter;
use super::handle::{Handle, update};
use super::memory::Caller;
use super::numbers::{CAROM_ABSENT, CAROM_DOUBLE, Precision, Structures, carom_number_type};
use super::options::Options;
use super::status::carom_status;
use super::store::append;
use crate::error::Error;
use crate::frames::FrameField;
use crate::soa::memory;

/// Where a frame is within a structure of the caller. Fill it with carom_frame_layout_init(), then say where the numbers
/// are: offsets are bytes from the start of the structure, as `offsetof` gives them.
///
/// For example a 4 x 4 matrix of floats, one column after the other, whose first three columns are the components and
/// whose last is the origin: `numbers` CAROM_FLOAT, `stride` 64, `components` 0, `component_stride` 16, `origin` 48.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_frame_layout {
    /// Size of the struct in the caller's program, set by carom_frame_layout_init().
    pub struct_size: u32,
    /// Type of all numbers: CAROM_DOUBLE or CAROM_FLOAT. Default CAROM_DOUBLE.
    pub numbers: carom_number_type,
    /// Bytes from one structure to the next. Default 0: the last of the properties ends where the next structure begins.
    pub stride: usize,
    /// Offset of the origin in metres, D numbers. Default CAROM_ABSENT: 0.
    pub origin: usize,
    /// Offset of component 0 in metres, D numbers. Must be there when frames are added or written.
    pub components: usize,
    /// Bytes from one component to the next. Default 0: they follow each other without a gap.
    pub component_stride: usize,
    /// Offset of the velocity in metres per second, D numbers. Default CAROM_ABSENT: 0.
    pub velocity: usize,
    /// Offset of the kind, a carom_frame_kind. Default CAROM_ABSENT: `kind` for all.
    pub kinds: usize,
    /// Which body the components of all frames span. Default CAROM_CUBOID. Not used if there are `kinds`.
    pub kind: carom_frame_kind,
    /// Must be 0.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, no padding on 32 and 64 bits, integers only.
unsafe impl Options for carom_frame_layout {
    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            numbers: CAROM_DOUBLE,
            stride: 0,
            origin: CAROM_ABSENT,
            components: CAROM_ABSENT,
            component_stride: 0,
            velocity: CAROM_ABSENT,
            kinds: CAROM_ABSENT,
            kind: CAROM_CUBOID,
            reserved: 0,
        }
    }
}

/// A checked layout of frames in `D` dimensions.
struct FrameLayout<const D: usize> {
    structures: Structures,
    origin: usize,
    components: [usize; D],
    velocity: usize,
    kinds: usize,
}

impl carom_frame_layout {
    fn checked<const D: usize>(&self, count: usize) -> Result<FrameLayout<D>> {
        if self.reserved != 0 {
            return Err(Failure::UnknownValue { argument: "reserved", value: u64::from(self.reserved) });
        }
        let precision = Precision::of(self.numbers)?;
        let vector = D * precision.bytes();
        let step = if self.component_stride == 0 { vector } else { self.component_stride };
        if step < vector {
            let expected = "0 or at least the size of a component";
            return Err(Error::OutOfRange { field: "component_stride", value: step as f64, expected }.into());
        }
        let component = |i| match self.components {
            CAROM_ABSENT => CAROM_ABSENT,
            // Never taken for an absent one.
            offset => match step.saturating_mul(i).saturating_add(offset) {
                CAROM_ABSENT => usize::MAX,
                place => place,
            },
        };
        let components: [usize; D] = std::array::from_fn(component);
        let last = components[D - 1];
        let properties =
            [(self.origin, vector), (last, vector), (self.velocity, vector), (self.kinds, size_of::<u32>())];
        let stride = Structures::stride_or_end(self.stride, &properties);
        let structures = Structures { precision, stride, count };
        let (origin, velocity, kinds) = (self.origin, self.velocity, self.kinds);
        Ok(FrameLayout { structures, origin, components, velocity, kinds })
    }

    /// Where the caller's frames are.
    fn frames<const D: usize>(
        &self,
        caller: &Caller,
        data: *const u8,
        count: usize,
    ) -> Result<CallerFrames<D>> {
        let FrameLayout { structures, origin, components, velocity, kinds } = self.checked::<D>(count)?;
        if self.components == CAROM_ABSENT {
            let (field, expected) = ("components", D * D);
            return Err(Error::WrongLength { field, index: 0, expected, found: 0 }.into());
        }
        let numbers = |offset| Ok::<_, Failure>(vector(structures.numbers(caller, data, offset, D)?));
        let mut places = [[None; D]; D];
        for (place, offset) in places.iter_mut().zip(components) {
            *place = numbers(offset)?;
        }
        let kinds = structures.values(caller, data, kinds)?;
        Ok(CallerFrames {
            count,
            kinds: kinds
                .map_or_else(|| frame_kind(self.kind).map(Kinds::Same), |rows| Ok(Kinds::Words(rows)))?,
            origin: numbers(origin)?,
            components: places,
            velocity: numbers(velocity)?,
        })
    }
}

/// Fills the layout of frames with the defaults.
///
/// \param layout The struct to fill.
/// \param size   `sizeof(carom_frame_layout)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frame_layout_init(
    layout: *mut carom_frame_layout,
    size: usize,
) -> carom_status {
    entry!(enter(|caller| caller.init_options("layout", layout, size)))
}

/// Adds many frames at the end, from an array of structures of the caller. If one of them is invalid none is added, and
/// carom_last_error() names it, counted from the first of `data`. Pointers into the columns become invalid.
///
/// \param layout Where a frame is within a structure.
/// \param data   The first structure. May be NULL if `count` is 0.
/// \param count  How many structures.
/// \param first  Receives the index of the first frame; the others follow. May be NULL.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_OVERFLOW, CAROM_DEGENERATE, CAROM_RESTING, CAROM_UNKNOWN_VALUE,
///         CAROM_WRONG_LENGTH without components, CAROM_MISALIGNED for a pointer, offset or stride, CAROM_OUT_OF_RANGE
///         for an offset beyond the stride, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_add_structs(
    frames: *mut carom_frames,
    layout: *const carom_frame_layout,
    data: *const std::ffi::c_void,
    count: usize,
    first: *mut usize,
) -> carom_status {
    entry!(append(frames, ("first", first), |caller, set| {
        let layout = caller.read_options("layout", layout)?;
        in_dimension!(&mut set.frames, frames => layout.frames(caller, data.cast(), count)?.add_to(frames))
    }))
}

/// Replaces many frames, from an array of structures of the caller. If one of them is invalid nothing changes, and
/// carom_last_error() names its index in the set.
///
/// \param layout Where a frame is within a structure. What it lacks becomes what carom_frames_add_structs() takes instead.
/// \param first  The first frame.
/// \param count  How many frames.
/// \param data   The first structure. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_BAD_INDEX, or as carom_frames_add_structs().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_write_structs(
    frames: *mut carom_frames,
    layout: *const carom_frame_layout,
    first: usize,
    count: usize,
    data: *const std::ffi::c_void,
) -> carom_status {
    entry!(update(frames, |caller, set| {
        let layout = caller.read_options("layout", layout)?;
        in_dimension!(&mut set.frames, frames => {
            // Checked before anything is read, because the caller's range may be larger than any array.
            frames.check_rows(&(first..first.saturating_add(count)))?;
            frames.set_from(first, &layout.frames(caller, data.cast(), count)?)
        })
    }))
}

/// Copies many frames into an array of structures of the caller. What the layout lacks is left as it is.
///
/// \param layout Where a frame is within a structure. Floats are the nearest ones, and infinite where a number is too
///               large for a float.
/// \param first  The first frame.
/// \param count  How many frames.
/// \param data   Receives the first frame. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_UNKNOWN_VALUE, CAROM_MISALIGNED for a pointer, offset or stride,
///         CAROM_OUT_OF_RANGE for an offset beyond the stride.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_read_structs(
    frames: *const carom_frames,
    layout: *const carom_frame_layout,
    first: usize,
    count: usize,
    data: *mut std::ffi::c_void,
) -> carom_status {
    entry!(enter(|caller| {
        memory::expect_little()?;
        let handle = caller.object(carom_frames::NAME, frames)?;
        let layout = caller.read_options("layout", layout)?;
        let dim = handle.read(|set| {
            let rows = first..first.saturating_add(count);
            in_dimension!(&set.frames, frames => frames.check_rows(&rows))?;
            Ok(set.frames.dim())
        })?;
        match dim {
            2 => read_structs::<2>(caller, handle, &layout, first, (data.cast(), count)),
            _ => read_structs::<3>(caller, handle, &layout, first, (data.cast(), count)),
        }
    }))
}

fn read_structs<const D: usize>(
    caller: &Caller,
    handle: &carom_frames,
    layout: &carom_frame_layout,
    first: usize,
    (data, count): (*mut u8, usize),
) -> Result<()> {
    let FrameLayout { structures, origin, components, velocity, kinds } = layout.checked::<D>(count)?;
    let numbers = |offset| structures.numbers_mut(caller, data, offset, D);
    let mut vectors =
        vec![(FrameField::Origin, numbers(origin)?), (FrameField::Velocity, numbers(velocity)?)];
    for (i, offset) in components.into_iter().enumerate() {
        vectors.push((FrameField::Component(i), numbers(offset)?));
    }
    let kinds = structures.rows_mut::<u32>(caller, data, kinds, 1)?;
    for (field, numbers) in vectors {
        let Some(numbers) = numbers else { continue };
        for axis in 0..D {
            numbers.put_column(axis, count, |start, room| {
                handle.read(|set| {
                    in_dimension!(&set.frames, frames => frames.copy_numbers(field, axis, first + start, room));
                    Ok(())
                })
            })?;
        }
    }
    if let Some(kinds) = kinds {
        for row in 0..count {
            let kind =
                handle.read(|set| Ok(in_dimension!(&set.frames, frames => frames.kinds()[first + row])))?;
            kinds.put(row, 0, kind.into());
        }
    }
    Ok(())
}
