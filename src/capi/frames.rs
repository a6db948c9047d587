//! Sets of frames: creation, size, and rows that come and go.

use super::failure::Result;
use super::frame_rows::{carom_frame, read_frame};
use super::frame_source::CallerFrames;
use super::handle::{Guarded, Handle, create, destroy, query, update};
use super::memory::Caller;
use super::particles::carom_particles;
use super::status::carom_status;
use super::store::{append, remove_many};
use crate::error::Error;
use crate::frames::{Frame, Frames};
use crate::particles::{Particles, check};
use crate::soa::memory;

/// Frames in columns, in 2 or 3 dimensions: all of them rest, or all of them move for the same duration.
///
/// A frame is named by its index. Indices are dense: carom_frames_remove() keeps the order of the others and lowers every
/// index above by one, carom_frames_swap_remove() gives the last frame the index that is free.
pub struct carom_frames(Guarded<FrameSet>);

/// What a handle leads to.
#[derive(Clone)]
pub(super) struct FrameSet {
    pub(super) frames: AnyFrames,
    /// Whether the caller may hold a pointer through which columns can be written.
    pub(super) shared: bool,
}

/// Frames of a dimension that is known at run time.
#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "there is one a handle, on the heap")]
pub(super) enum AnyFrames {
    Two(Frames<2>),
    Three(Frames<3>),
}

/// Does the same in either dimension.
macro_rules! in_dimension {
    ($set:expr, $frames:ident => $body:expr) => {
        match $set {
            $crate::capi::frames::AnyFrames::Two($frames) => $body,
            $crate::capi::frames::AnyFrames::Three($frames) => $body,
        }
    };
}
pub(super) use in_dimension;

impl carom_frames {
    fn new(frames: AnyFrames) -> Self {
        Self(Guarded::new(Self::NAME, FrameSet { frames, shared: false }))
    }
}

impl Handle for carom_frames {
    type Object = FrameSet;
    const NAME: &'static str = "frames";

    fn read<R>(&self, look: impl FnOnce(&FrameSet) -> Result<R>) -> Result<R> {
        self.0.read(look)
    }

    fn write<R>(&self, change: impl FnOnce(&mut FrameSet) -> Result<R>) -> Result<R> {
        self.0.write(change)
    }
}

impl AnyFrames {
    pub(super) fn dim(&self) -> usize {
        match self {
            Self::Two(_) => 2,
            Self::Three(_) => 3,
        }
    }
}

/// What a dimension other than 2 and 3 gets.
pub(super) fn bad_dimension(found: usize) -> Error {
    Error::BadDimension { found, expected: "2 or 3" }
}

/// Creates an empty set of frames.
///
/// \param dim      Dimension D of the space: 2 or 3.
/// \param duration How long the frames move, in seconds, counted from time 0. NULL, or 0: they rest.
/// \param frames   Receives the set. Destroy it with carom_frames_destroy().
/// \return CAROM_OK, CAROM_BAD_DIMENSION, CAROM_NOT_FINITE or CAROM_NEGATIVE for the duration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_create(
    dim: usize,
    duration: *const f64,
    frames: *mut *mut carom_frames,
) -> carom_status {
    entry!(create(("frames", frames), |caller| {
        let duration = caller.duration(duration)?;
        Ok(carom_frames::new(match dim {
            2 => AnyFrames::Two(empty(duration)?),
            3 => AnyFrames::Three(empty(duration)?),
            _ => return Err(bad_dimension(dim).into()),
        }))
    }))
}

fn empty<const D: usize>(duration: Option<f64>) -> Result<Frames<D>> {
    Ok(duration.map_or_else(|| Ok(Frames::resting()), Frames::moving)?)
}

impl Caller {
    /// How long frames move; none if they rest, for null and 0.
    pub(super) fn duration(&self, duration: *const f64) -> Result<Option<f64>> {
        let duration = self.optional("duration", duration)?.copied().unwrap_or(0.0);
        check::non_negative("duration", 0, duration)?;
        Ok((duration > 0.0).then_some(duration))
    }
}

/// Destroys a set of frames; NULL does nothing. Pointers into its columns become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_destroy(frames: *mut carom_frames) {
    entry!(destroy(frames));
}

/// Copies a set of frames.
///
/// \param copy Receives the copy. Destroy it with carom_frames_destroy().
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_clone(
    frames: *const carom_frames,
    copy: *mut *mut carom_frames,
) -> carom_status {
    entry!(create(("copy", copy), |caller| {
        let frames = caller.object("frames", frames)?.read(|set| {
            memory::expect_room(in_dimension!(&set.frames, frames => frames.memory_bytes()))?;
            Ok(set.frames.clone())
        })?;
        Ok(carom_frames::new(frames))
    }))
}

/// Dimension D of the space.
///
/// \param dim Receives the dimension: 2 or 3.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_dim(frames: *const carom_frames, dim: *mut usize) -> carom_status {
    entry!(query(frames, ("dim", dim), |_, set| Ok(set.frames.dim())))
}

/// How long the frames move.
///
/// \param duration Receives the duration in seconds; 0 if they rest.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_duration(
    frames: *const carom_frames,
    duration: *mut f64,
) -> carom_status {
    entry!(query(frames, ("duration", duration), |_, set| {
        Ok(in_dimension!(&set.frames, frames => frames.duration()).unwrap_or(0.0))
    }))
}

/// Lets the frames move for another duration, for example if the time step changes. Frames that were at rest then have
/// velocity 0. Pointers into the velocities become invalid.
///
/// \param duration How long the frames move, in seconds, counted from time 0. NULL, or 0: they rest.
/// \return CAROM_OK, CAROM_NOT_FINITE or CAROM_NEGATIVE for the duration, CAROM_OVERFLOW if a frame would move too far,
///         CAROM_RESTING if a frame with a velocity is to rest, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_set_duration(
    frames: *mut carom_frames,
    duration: *const f64,
) -> carom_status {
    entry!(update(frames, |caller, set| {
        let duration = caller.duration(duration)?;
        in_dimension!(&mut set.frames, frames => Ok(frames.set_duration(duration)?))
    }))
}

/// Number of frames.
///
/// \param length Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_length(
    frames: *const carom_frames,
    length: *mut usize,
) -> carom_status {
    entry!(query(frames, ("length", length), |_, set| Ok(in_dimension!(&set.frames, frames => frames.len()))))
}

/// Memory that the set holds, including the copies of the columns that tests read.
///
/// \param bytes Receives the number of bytes.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_memory_bytes(
    frames: *const carom_frames,
    bytes: *mut usize,
) -> carom_status {
    entry!(query(frames, ("bytes", bytes), |_, set| {
        Ok(in_dimension!(&set.frames, frames => frames.memory_bytes()))
    }))
}

/// Makes room for more frames. Pointers into the columns become invalid.
///
/// \param additional How many more than there are now.
/// \return CAROM_OK, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_reserve(frames: *mut carom_frames, additional: usize) -> carom_status {
    entry!(update(frames, |_, set| in_dimension!(&mut set.frames, frames => Ok(frames.reserve(additional)?))))
}

/// Removes all frames and keeps the memory. Pointers into the columns become invalid.
///
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_clear(frames: *mut carom_frames) -> carom_status {
    entry!(update(frames, |_, set| {
        in_dimension!(&mut set.frames, frames => frames.clear());
        Ok(())
    }))
}

/// Removes one frame. The order of the others is kept; every index above decreases by one. Pointers into the columns
/// become invalid.
///
/// \param index Which frame.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_remove(frames: *mut carom_frames, index: usize) -> carom_status {
    entry!(update(frames, |_, set| in_dimension!(&mut set.frames, frames => Ok(frames.remove(index)?))))
}

/// Removes one frame; the last one takes its index. The cost does not grow with the number of frames. Pointers into the
/// columns become invalid.
///
/// \param index Which frame.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_swap_remove(frames: *mut carom_frames, index: usize) -> carom_status {
    entry!(update(frames, |_, set| in_dimension!(&mut set.frames, frames => Ok(frames.swap_remove(index)?))))
}

/// Removes many frames in one pass. The order of the others is kept. If an index is invalid nothing changes. Pointers
/// into the columns become invalid.
///
/// \param indices Which frames, each once, in any order. May be NULL if `count` is 0.
/// \param count   How many of them.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_OUT_OF_RANGE for an index that is listed twice, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_remove_many(
    frames: *mut carom_frames,
    indices: *const usize,
    count: usize,
) -> carom_status {
    entry!(remove_many(
        frames,
        (indices, count),
        |set, indices| in_dimension!(&mut set.frames, frames => Ok(frames.remove_many(indices)?)),
    ))
}

/// Adds one frame at the end. Pointers into the columns become invalid.
///
/// \param frame The frame.
/// \param index Receives its index. May be NULL.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_OVERFLOW for a number above 1e150, CAROM_DEGENERATE, CAROM_RESTING for a
///         velocity in a set at rest, CAROM_UNKNOWN_VALUE, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_add(
    frames: *mut carom_frames,
    frame: *const carom_frame,
    index: *mut usize,
) -> carom_status {
    entry!(append(frames, ("index", index), |caller, set| {
        in_dimension!(&mut set.frames, frames => {
            Ok(frames.add(&read_frame(caller, frame)?)?)
        })
    }))
}

/// Adds many frames at the end, from an array of frames or of structures that hold one. If one of them is invalid none
/// is added, and carom_last_error() names it, counted from the first of `values`. Pointers into the columns become
/// invalid.
///
/// \param values The first frame. May be NULL if `count` is 0.
/// \param count  How many frames.
/// \param stride Bytes from one frame to the next. 0: they follow each other without a gap.
/// \param first  Receives the index of the first of them; the others follow. May be NULL.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_OVERFLOW, CAROM_DEGENERATE, CAROM_RESTING, CAROM_UNKNOWN_VALUE,
///         CAROM_MISALIGNED or CAROM_OUT_OF_RANGE for an invalid stride, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_add_many(
    frames: *mut carom_frames,
    values: *const carom_frame,
    count: usize,
    stride: usize,
    first: *mut usize,
) -> carom_status {
    entry!(append(frames, ("first", first), |caller, set| {
        in_dimension!(&mut set.frames, frames => {
            CallerFrames::of_structs(caller, "values", (values, stride), count)?.add_to(frames)
        })
    }))
}

/// Adds the frame of a particle at the end: the cuboid of a facoid, the tetrahedron of a pyramidoid. It has the
/// velocity of the particle if the set moves. Pointers into the columns become invalid.
///
/// \param particles Where the particle is; of the same dimension as the set.
/// \param particle  Index of the particle.
/// \param index     Receives the index of the frame. May be NULL.
/// \return CAROM_OK, CAROM_NO_FRAME for a spheroid, CAROM_BAD_DIMENSION, CAROM_BAD_INDEX, or as carom_frames_add().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frames_add_particle(
    frames: *mut carom_frames,
    particles: *const carom_particles,
    particle: usize,
    index: *mut usize,
) -> carom_status {
    entry!(append(frames, ("index", index), |caller, set| {
        memory::expect_little()?;
        caller.object("particles", particles)?.read(
            |particles| in_dimension!(&mut set.frames, frames => add_particle(frames, particles, particle)),
        )
    }))
}

fn add_particle<const D: usize>(
    frames: &mut Frames<D>,
    particles: &Particles,
    particle: usize,
) -> Result<usize> {
    let frame = Frame::of_particle(particles, particle)?;
    let velocity = if frames.is_moving() { frame.velocity } else { [0.0; D] };
    Ok(frames.add(&frame.with_velocity(velocity))?)
}
