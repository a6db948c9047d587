//! Frames of a set as structures, one by one and many at once.

use super::failure::{Failure, Result};
use super::frame_source::CallerFrames;
use super::frames::{carom_frames, in_dimension};
use super::handle::{query, update};
use super::memory::{Caller, Plain};
use super::status::carom_status;
use super::store::{copy_out, copy_rows_out};
use crate::frames::{Frame, FrameKind};
use crate::geometry::Aabb;
use crate::soa::memory;

/// Which body the components of a frame span: CAROM_CUBOID or CAROM_TETRAHEDRON.
pub type carom_frame_kind = u32;

/// Coordinates from 0 to 1 on every component: a parallelogram in 2D, a parallelepiped in 3D.
pub const CAROM_CUBOID: carom_frame_kind = 0;
/// Also their sum at most 1: a triangle in 2D, a tetrahedron in 3D.
pub const CAROM_TETRAHEDRON: carom_frame_kind = 1;

const _: () =
    assert!(CAROM_CUBOID == FrameKind::Cuboid as u32 && CAROM_TETRAHEDRON == FrameKind::Tetrahedron as u32);

pub(super) fn frame_kind(kind: carom_frame_kind) -> Result<FrameKind> {
    let known = u8::try_from(kind).ok().and_then(FrameKind::from_code);
    known.ok_or_else(|| Failure::UnknownValue { argument: "kind", value: u64::from(kind) })
}

/// One frame: the points `origin + X0 components[0] + X1 components[1] + ... + velocity * time`.
///
/// The same struct serves both dimensions: in 2D the third component and the third number of every vector are not
/// read, and written as 0.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_frame {
    /// CAROM_CUBOID or CAROM_TETRAHEDRON.
    pub kind: carom_frame_kind,
    /// Must be 0.
    pub reserved: u32,
    /// The vertex from which the components start, at time 0, in metres.
    pub origin: [f64; 3],
    /// The edges from the origin, in metres: `components[i]` is the i-th vector. They must not be dependent.
    pub components: [[f64; 3]; 3],
    /// Velocity in metres per second; 0 in a set at rest.
    pub velocity: [f64; 3],
}

// SAFETY: integers and floats only.
unsafe impl Plain for carom_frame {}

impl carom_frame {
    pub(super) fn frame<const D: usize>(&self) -> Result<Frame<D>> {
        if self.reserved != 0 {
            return Err(Failure::UnknownValue { argument: "reserved", value: u64::from(self.reserved) });
        }
        let vector = |values: &[f64; 3]| std::array::from_fn(|axis| values[axis]);
        Ok(Frame {
            kind: frame_kind(self.kind)?,
            origin: vector(&self.origin),
            components: std::array::from_fn(|i| vector(&self.components[i])),
            velocity: vector(&self.velocity),
        })
    }
}

impl<const D: usize> From<Frame<D>> for carom_frame {
    fn from(frame: Frame<D>) -> Self {
        let components = frame.components.map(|component| widened(&component));
        Self {
            kind: frame.kind as carom_frame_kind,
            reserved: 0,
            origin: widened(&frame.origin),
            components: std::array::from_fn(|i| components.get(i).copied().unwrap_or_default()),
            velocity: widened(&frame.velocity),
        }
    }
}

/// A vector with zeros up to the third axis.
pub(super) fn widened<const D: usize>(vector: &[f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| vector.get(axis).copied().unwrap_or_default())
}

/// An axis-aligned box. In 2D the third numbers are 0.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_box {
    /// Lower corner.
    pub min: [f64; 3],
    /// Upper corner.
    pub max: [f64; 3],
}

impl<const D: usize> From<Aabb<D>> for carom_box {
    fn from(aabb: Aabb<D>) -> Self {
        Self { min: widened(&aabb.min), max: widened(&aabb.max) }
    }
}

/// A copy of one frame of the caller.
pub(super) fn read_frame<const D: usize>(caller: &Caller, frame: *const carom_frame) -> Result<Frame<D>> {
    caller.rows("frame", frame, 0, 1, 1)?.at(0, 0).frame()
}

/// Reads one frame.
///
/// \param index Which frame.
/// \param frame Receives the frame.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_get(
    frames: *const carom_frames,
    index: usize,
    frame: *mut carom_frame,
) -> carom_status {
    entry!(query(
        frames,
        ("frame", frame),
        |_, set| in_dimension!(&set.frames, frames => Ok(frames.get(index)?.into())),
    ))
}

/// Replaces one frame.
///
/// \param index Which frame.
/// \param frame The new frame.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_NOT_FINITE, CAROM_OVERFLOW, CAROM_DEGENERATE, CAROM_RESTING,
///         CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_set(
    frames: *mut carom_frames,
    index: usize,
    frame: *const carom_frame,
) -> carom_status {
    entry!(update(frames, |caller, set| {
        in_dimension!(&mut set.frames, frames => {
            Ok(frames.set(index, &read_frame(caller, frame)?)?)
        })
    }))
}

/// Copies many frames out of the columns, for callers with arrays of structures.
///
/// \param first  The first frame.
/// \param count  How many frames.
/// \param values Receives the first frame. May be NULL if `count` is 0.
/// \param stride Bytes from one frame to the next. 0: they follow each other without a gap.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_MISALIGNED or CAROM_OUT_OF_RANGE for an invalid stride.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_read(
    frames: *const carom_frames,
    first: usize,
    count: usize,
    values: *mut carom_frame,
    stride: usize,
) -> carom_status {
    entry!(copy_rows_out(frames, (values, stride), count, |set| {
        let rows = first..first.saturating_add(count);
        in_dimension!(&set.frames, frames => {
            frames.check_rows(&rows)?;
            Ok((memory::collect(count, rows.map(|row| frames.read(row).into()))?, 1))
        })
    }))
}

/// Replaces many frames, from an array of frames or of structures that hold one. If one of them is invalid nothing
/// changes, and carom_last_error() names its index in the set.
///
/// \param first  The first frame.
/// \param count  How many frames.
/// \param values The new first frame. May be NULL if `count` is 0.
/// \param stride Bytes from one frame to the next. 0: they follow each other without a gap.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_NOT_FINITE, CAROM_OVERFLOW, CAROM_DEGENERATE, CAROM_RESTING,
///         CAROM_UNKNOWN_VALUE, CAROM_MISALIGNED or CAROM_OUT_OF_RANGE for an invalid stride, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_write(
    frames: *mut carom_frames,
    first: usize,
    count: usize,
    values: *const carom_frame,
    stride: usize,
) -> carom_status {
    entry!(update(frames, |caller, set| {
        in_dimension!(&mut set.frames, frames => {
            // Checked before anything is copied, because the caller's range may be larger than any array.
            frames.check_rows(&(first..first.saturating_add(count)))?;
            frames.set_from(first, &CallerFrames::of_structs(caller, "values", (values, stride), count)?)
        })
    }))
}

/// The axis-aligned box around one frame, from time 0 to the duration if it moves.
///
/// \param index  Which frame.
/// \param bounds Receives the box in metres.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_bounds(
    frames: *const carom_frames,
    index: usize,
    bounds: *mut carom_box,
) -> carom_status {
    entry!(query(
        frames,
        ("bounds", bounds),
        |_, set| in_dimension!(&set.frames, frames => Ok(frames.bounds(index)?.into())),
    ))
}

/// The inverse of the matrix whose columns are the components of one frame: it turns a point x into the coordinates
/// X = inverse (x - origin) of the frame.
///
/// \param index  Which frame.
/// \param values Receives the inverse, per metre, row by row.
/// \param count  Capacity of `values` in numbers: D * D.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_WRONG_LENGTH.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_inverse(
    frames: *const carom_frames,
    index: usize,
    values: *mut f64,
    count: usize,
) -> carom_status {
    entry!(copy_out(
        frames,
        (values, count),
        |set| in_dimension!(&set.frames, frames => Ok(frames.inverse(index)?.as_flattened().to_vec())),
    ))
}
