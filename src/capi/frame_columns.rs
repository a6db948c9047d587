//! Columns of frames: shared with the caller without a copy, or added from the caller's own arrays.

use super::batch::carom_source;
use super::columns::{carom_byte_column, carom_column, carom_column_mut};
use super::context::carom_context;
use super::failure::{Failure, Result};
use super::frame_rows::{CAROM_CUBOID, carom_frame_kind, frame_kind};
use super::frame_source::{CallerFrames, Kinds, Place};
use super::frames::{carom_frames, in_dimension};
use super::guard::enter;
use super::handle::{produce, query, update};
use super::memory::Caller;
use super::numbers::Numbers;
use super::options::Options;
use super::status::carom_status;
use super::store::append;
use crate::frames::FrameField;
use crate::particles::check;

/// A property of frames: one of the constants CAROM_FRAME_ORIGIN to CAROM_FRAME_VELOCITY.
pub type carom_frame_field = u32;

/// The vertex from which the components start, in metres.
pub const CAROM_FRAME_ORIGIN: carom_frame_field = 0;
/// One of the D components, in metres.
pub const CAROM_FRAME_COMPONENT: carom_frame_field = 1;
/// Velocity in metres per second. A set at rest has none.
pub const CAROM_FRAME_VELOCITY: carom_frame_field = 2;

/// # Safety
/// As [`enter`].
unsafe fn known_field(field: carom_frame_field, component: usize) -> Result<FrameField> {
    let only = |field| check::index("component", component, 1).map(|()| field);
    match field {
        CAROM_FRAME_ORIGIN => Ok(only(FrameField::Origin)?),
        CAROM_FRAME_COMPONENT => Ok(FrameField::Component(component)),
        CAROM_FRAME_VELOCITY => Ok(only(FrameField::Velocity)?),
        _ => Err(Failure::UnknownValue { argument: "field", value: u64::from(field) }),
    }
}

/// Shares one column, to be read.
///
/// The pointer becomes invalid with the next call that says so: carom_frames_add(), _add_many(), _add_batch(),
/// _add_particle(), _remove(), _remove_many(), _clear(), _reserve() and _destroy(), and for velocities _set_duration().
/// All other calls leave it valid.
///
/// \param field     Which property.
/// \param component Which component, for CAROM_FRAME_COMPONENT; otherwise 0.
/// \param axis      Which axis.
/// \param column    Receives the column.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_BAD_INDEX for the component or axis, CAROM_RESTING for the velocities
///         of a set at rest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_column(
    frames: *const carom_frames,
    field: carom_frame_field,
    component: usize,
    axis: usize,
    column: *mut carom_column,
) -> carom_status {
    entry!(query(frames, ("column", column), |_, set| {
        let field = known_field(field, component)?;
        Ok(in_dimension!(&set.frames, frames => frames.column(field, axis))?.into())
    }))
}

/// Shares one column, to be read and written in place.
///
/// The pointer is valid as long as that of carom_frames_column(). From this call on tests return CAROM_STALE until
/// carom_frames_update() has checked what was written. The pointer may be written through again after that; then call
/// carom_frames_update() again before the next test.
///
/// \param field     Which property.
/// \param component Which component, for CAROM_FRAME_COMPONENT; otherwise 0.
/// \param axis      Which axis.
/// \param column    Receives the column.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_BAD_INDEX for the component or axis, CAROM_RESTING for the velocities
///         of a set at rest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_column_mut(
    frames: *mut carom_frames,
    field: carom_frame_field,
    component: usize,
    axis: usize,
    column: *mut carom_column_mut,
) -> carom_status {
    entry!(produce(frames, ("column", column), |set| {
        let field = known_field(field, component)?;
        let (data, length, capacity) = in_dimension!(&mut set.frames, frames => {
            let capacity = frames.column(field, axis)?.capacity();
            let column = frames.column_mut(field, axis)?;
            (column.as_mut_ptr(), column.len(), capacity)
        });
        set.shared = true;
        Ok(carom_column_mut { data, length, capacity })
    }))
}

/// Checks all frames after columns were written, and makes them ready to be tested. Costs nothing if no column was ever
/// shared to be written.
///
/// \param context Threads that do the work; NULL: the calling thread.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_OVERFLOW, CAROM_DEGENERATE, CAROM_OUT_OF_MEMORY; carom_last_error() says
///         which frame. Then the columns keep what was written, and tests return CAROM_STALE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_update(
    frames: *mut carom_frames,
    context: *const carom_context,
) -> carom_status {
    entry!(update(frames, |caller, set| {
        let context = caller.context(context)?;
        in_dimension!(&mut set.frames, frames => {
            if set.shared {
                // The caller may have written since the last update; borrowing a column marks the set as stale.
                frames.column_mut(FrameField::Origin, 0)?;
            }
            Ok(frames.update(&context)?)
        })
    }))
}

/// Shares the kinds of all frames, to be read: CAROM_CUBOID or CAROM_TETRAHEDRON.
///
/// The pointer is valid as long as that of carom_frames_column().
///
/// \param column Receives the column.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_kinds(
    frames: *const carom_frames,
    column: *mut carom_byte_column,
) -> carom_status {
    entry!(query(frames, ("column", column), |_, set| {
        Ok(in_dimension!(&set.frames, frames => frames.kinds()).into())
    }))
}

/// Frames to be added. Fill it with carom_frame_batch_init(), then say where the numbers are.
///
/// The arrays are only read during the call. They may be columns of the same frames.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_frame_batch {
    /// Size of the struct in the caller's program, set by carom_frame_batch_init().
    pub struct_size: u32,
    /// Which body the components of all of them span. Default CAROM_CUBOID. Not used if there are `kinds`.
    pub kind: carom_frame_kind,
    /// Number of frames. Default 0.
    pub count: usize,
    /// Origins in metres, D numbers per frame. Default 0.
    pub origin: carom_source,
    /// Components in metres, D * D numbers per frame: component 0, then component 1, ... Must be there.
    pub components: carom_source,
    /// Velocities in metres per second, D numbers per frame. Default 0.
    pub velocity: carom_source,
    /// CAROM_CUBOID or CAROM_TETRAHEDRON for each. Default NULL: `kind` for all.
    pub kinds: *const u8,
    /// Bytes from one kind to the next. 0: they follow each other without a gap.
    pub kinds_stride: usize,
}

// SAFETY: `repr(C)`, no padding on 32 and 64 bits, integers and pointers only.
unsafe impl Options for carom_frame_batch {
    fn defaults() -> Self {
        let none = carom_source { data: std::ptr::null(), columns: std::ptr::null(), stride: 0 };
        Self {
            struct_size: size_of::<Self>() as u32,
            kind: CAROM_CUBOID,
            count: 0,
            origin: none,
            components: none,
            velocity: none,
            kinds: std::ptr::null(),
            kinds_stride: 0,
        }
    }
}

impl carom_frame_batch {
    /// Where the caller's frames are.
    fn frames<const D: usize>(&self, caller: &Caller) -> Result<CallerFrames<D>> {
        let mut components = [[None; D]; D];
        for (place, to) in places(caller, "components", &self.components, D * D, self.count)?
            .into_iter()
            .zip(components.as_flattened_mut())
        {
            *to = Some(place);
        }
        let is_missing = components[0][0].is_none() && self.count > 0;
        check::length(
            "components",
            0,
            self.count.saturating_mul(D * D),
            if is_missing { 0 } else { self.count * D * D },
        )?;
        let vector = |field, source: &carom_source| {
            let mut places = places(caller, field, source, D, self.count)?.into_iter();
            Ok::<_, Failure>(std::array::from_fn(|_| places.next()))
        };
        Ok(CallerFrames {
            count: self.count,
            kinds: match self.kinds.is_null() {
                true => Kinds::Same(frame_kind(self.kind)?),
                false => Kinds::Bytes(caller.rows("kinds", self.kinds, self.kinds_stride, 1, self.count)?),
            },
            origin: vector("origin", &self.origin)?,
            components,
            velocity: vector("velocity", &self.velocity)?,
        })
    }
}

/// Where each of `width` numbers of the caller's frames is; nowhere for the default.
fn places(
    caller: &Caller,
    field: &'static str,
    source: &carom_source,
    width: usize,
    count: usize,
) -> Result<Vec<Place>> {
    if !source.columns.is_null() {
        let columns = caller.slice(field, source.columns, width)?;
        let rows = |&data| caller.rows(field, data, source.stride, 1, count);
        return columns.iter().map(|data| Ok(Place(Numbers::Double(rows(data)?), 0))).collect();
    }
    if source.data.is_null() {
        return Ok(Vec::new());
    }
    let rows = Numbers::Double(caller.rows(field, source.data, source.stride, width, count)?);
    Ok((0..width).map(|k| Place(rows, k)).collect())
}

/// Fills a description of many frames with the defaults.
///
/// \param batch The struct to fill.
/// \param size  `sizeof(carom_frame_batch)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frame_batch_init(batch: *mut carom_frame_batch, size: usize) -> carom_status {
    entry!(enter(|caller| caller.init_options("batch", batch, size)))
}

/// Adds many frames at the end, in the order of the arrays. If one of them is invalid none is added, and
/// carom_last_error() names it, counted from the first of the arrays. Pointers into the columns become invalid.
///
/// \param batch The frames.
/// \param first Receives the index of the first of them; the others follow. May be NULL.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_OVERFLOW, CAROM_DEGENERATE, CAROM_RESTING, CAROM_UNKNOWN_VALUE,
///         CAROM_WRONG_LENGTH without components, CAROM_MISALIGNED or CAROM_OUT_OF_RANGE for an invalid stride,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_add_batch(
    frames: *mut carom_frames,
    batch: *const carom_frame_batch,
    first: *mut usize,
) -> carom_status {
    entry!(append(frames, ("first", first), |caller, set| {
        let batch = caller.read_options("batch", batch)?;
        in_dimension!(&mut set.frames, frames => batch.frames(caller)?.add_to(frames))
    }))
}
