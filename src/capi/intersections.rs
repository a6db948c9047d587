//! Which frames intersect, when and where.

use bytemuck::{Pod, Zeroable};

use super::context::carom_context;
use super::failure::{Failure, Result};
use super::frame_rows::{carom_box, carom_frame};
use super::frames::{AnyFrames, bad_dimension, carom_frames};
use super::guard::enter;
use super::handle::{Guarded, Handle, create, destroy, update};
use super::hits::carom_interval;
use super::memory::{Caller, Plain};
use super::status::carom_status;
use crate::broad::{self, Candidates};
use crate::error::Error;
use crate::fmb::{self, Intersections, Pairs, Region, Request};
use crate::frames::{Frame, Frames};
use crate::soa::{Context, memory};

/// The outcome of tests of frames. The object keeps its memory, so that a test allocates nothing once it has grown.
///
/// Frames intersect if their interiors share a point, at some time of their duration if they move; frames that only
/// touch do not intersect. The answers are exact, and the same for any number of threads.
pub struct carom_intersections(Guarded<AnyFound>);

/// Intersections of a dimension that is known at run time.
pub(super) enum AnyFound {
    Two(Found<2>),
    Three(Found<3>),
}

/// An outcome, and what only the C interface gives.
pub(super) struct Found<const D: usize> {
    pub(super) outcome: Intersections<D>,
    candidates: Candidates,
    wants_pairs: bool,
    /// The frames that intersect; empty if not requested.
    pub(super) pairs: Vec<[u32; 2]>,
}

/// Which pairs a call tests.
enum Task<'a> {
    /// These.
    Pairs(Pairs<'a>),
    /// Those of the first set whose boxes overlap.
    FindInFirst,
    /// Those of a frame of the first set and one of the second whose boxes overlap.
    FindBetween,
}

impl Handle for carom_intersections {
    type Object = AnyFound;
    const NAME: &'static str = "found";

    fn read<R>(&self, look: impl FnOnce(&AnyFound) -> Result<R>) -> Result<R> {
        self.0.read(look)
    }

    fn write<R>(&self, change: impl FnOnce(&mut AnyFound) -> Result<R>) -> Result<R> {
        self.0.write(change)
    }
}

impl<const D: usize> Found<D> {
    fn new(request: carom_request) -> Self {
        let asks = |flag| request & flag != 0;
        let asked = Request {
            bits: asks(CAROM_HIT_BITS),
            list: asks(!(CAROM_HIT_BITS | CAROM_HIT_SINGLE)),
            times: asks(CAROM_HIT_TIMES),
            boxes: asks(CAROM_HIT_BOXES),
            local_boxes: asks(CAROM_HIT_LOCAL_BOXES),
            normals: asks(CAROM_HIT_NORMALS),
            single: asks(CAROM_HIT_SINGLE),
        };
        Self {
            outcome: Intersections::new(asked),
            candidates: Candidates::new(),
            wants_pairs: asks(CAROM_HIT_PAIRS),
            pairs: Vec::new(),
        }
    }

    fn run(&mut self, context: &Context, a: &Frames<D>, b: &Frames<D>, task: &Task) -> Result<()> {
        let Self { outcome, candidates, wants_pairs, pairs } = self;
        let tested = match *task {
            Task::Pairs(pairs) => {
                outcome.test(context, a, b, pairs)?;
                pairs
            }
            Task::FindInFirst => {
                broad::intersections_of_set(context, a, candidates, outcome)?;
                Pairs::Listed(candidates.pairs())
            }
            Task::FindBetween => {
                broad::intersections_between(context, a, b, candidates, outcome)?;
                Pairs::Listed(candidates.pairs())
            }
        };
        pairs.clear();
        if *wants_pairs { keep_pairs(outcome.list(), tested, pairs) } else { Ok(()) }
    }

    /// Discards the last outcome.
    fn forget(&mut self) {
        self.outcome = Intersections::new(self.outcome.request());
        self.pairs.clear();
    }
}

/// Keeps the indices of the frames of listed pairs.
fn keep_pairs(list: &[u32], tested: Pairs, kept: &mut Vec<[u32; 2]>) -> Result<()> {
    let bytes = list.len() * size_of::<[u32; 2]>();
    kept.try_reserve(list.len()).map_err(|_| Error::OutOfMemory { bytes })?;
    kept.extend(list.iter().map(|&k| match tested {
        Pairs::Listed(pairs) => pairs[k as usize],
        Pairs::Paired => [k; 2],
        Pairs::One(i) => [i, k],
    }));
    Ok(())
}

impl AnyFound {
    fn run(&mut self, context: &Context, a: &AnyFrames, b: &AnyFrames, task: &Task) -> Result<()> {
        match (self, a, b) {
            (Self::Two(found), AnyFrames::Two(a), AnyFrames::Two(b)) => found.run(context, a, b, task),
            (Self::Three(found), AnyFrames::Three(a), AnyFrames::Three(b)) => found.run(context, a, b, task),
            (found, a, b) => {
                let own = found.dim();
                let other = if a.dim() == own { b.dim() } else { a.dim() };
                Err(Error::BadDimension {
                    found: other,
                    expected: "the same for both sets and the intersections",
                }
                .into())
            }
        }
    }

    fn forget(&mut self) {
        match self {
            Self::Two(found) => found.forget(),
            Self::Three(found) => found.forget(),
        }
    }

    pub(super) fn dim(&self) -> usize {
        match self {
            Self::Two(_) => 2,
            Self::Three(_) => 3,
        }
    }
}

/// What tests give besides numbers of pairs: any of the constants CAROM_HIT_BITS to CAROM_HIT_SINGLE, joined by
/// `|`. What is not requested costs nothing.
pub type carom_request = u32;

/// One bit per pair that was tested.
pub const CAROM_HIT_BITS: carom_request = 1;
/// The numbers of the pairs that intersect. All of the following have this list, too.
pub const CAROM_HIT_LIST: carom_request = 2;
/// The indices of the frames that intersect.
pub const CAROM_HIT_PAIRS: carom_request = 4;
/// When they overlap.
pub const CAROM_HIT_TIMES: carom_request = 8;
/// Where they overlap: tight boxes in world coordinates.
pub const CAROM_HIT_BOXES: carom_request = 16;
/// Where they overlap: tight boxes in the coordinates of the second frame.
pub const CAROM_HIT_LOCAL_BOXES: carom_request = 32;
/// How they are in contact: normals, depths and points.
pub const CAROM_HIT_NORMALS: carom_request = 64;
/// Times and boxes are computed in single precision, which takes less time: all their numbers are floats. They contain the
/// exact ones, and exceed them at each end by at most 1e-3 of the duration, of the largest component of both frames, or of
/// the frame in whose coordinates a box is, and four roundings of the number.
pub const CAROM_HIT_SINGLE: carom_request = 128;

const ALL_REQUESTS: carom_request = CAROM_HIT_BITS
    | CAROM_HIT_LIST
    | CAROM_HIT_PAIRS
    | CAROM_HIT_TIMES
    | CAROM_HIT_BOXES
    | CAROM_HIT_LOCAL_BOXES
    | CAROM_HIT_NORMALS
    | CAROM_HIT_SINGLE;

/// Two frames.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct carom_frame_pair {
    /// Index of a frame of the first set.
    pub first: u32,
    /// Index of a frame of the second set, which may be the same set.
    pub second: u32,
}

// SAFETY: integers only.
unsafe impl Plain for carom_frame_pair {}

/// Creates an object for the outcome of tests.
///
/// \param dim     Dimension D of the frames that will be tested: 2 or 3.
/// \param request What tests give besides numbers of pairs: CAROM_HIT_BITS and the like, joined by `|`.
/// \param found   Receives the object. Destroy it with carom_intersections_destroy().
/// \return CAROM_OK, CAROM_BAD_DIMENSION, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_create(
    dim: usize,
    request: carom_request,
    found: *mut *mut carom_intersections,
) -> carom_status {
    entry!(create(("found", found), |_| {
        if request & !ALL_REQUESTS != 0 {
            return Err(Failure::UnknownValue { argument: "request", value: u64::from(request) });
        }
        let found = match dim {
            2 => AnyFound::Two(Found::new(request)),
            3 => AnyFound::Three(Found::new(request)),
            _ => return Err(bad_dimension(dim).into()),
        };
        Ok(carom_intersections(Guarded::new(carom_intersections::NAME, found)))
    }))
}

/// Destroys the outcome of tests; NULL does nothing. Pointers into it become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_destroy(found: *mut carom_intersections) {
    entry!(destroy(found));
}

/// An entry that tests frames of `a` and `b`.
///
/// # Safety
/// As [`enter`].
unsafe fn test(
    found: *mut carom_intersections,
    context: *const carom_context,
    (a, b): (*const carom_frames, *const carom_frames),
    task: impl for<'a> FnOnce(&'a Caller) -> Result<Task<'a>>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        update(found, |caller, found| {
            let run = |found: &mut AnyFound| {
                memory::expect_little()?;
                let context = caller.context(context)?;
                let (a, b) = (caller.object("a", a)?, caller.object("b", b)?);
                let task = task(caller)?;
                a.read(|a| b.read(|b| found.run(&context, &a.frames, &b.frames, &task)))
            };
            run(found).inspect_err(|_| found.forget())
        })
    }
}

/// Tests listed pairs of frames.
///
/// If one of the sets moves the other may rest; if both move it must be for the same duration. The outcome replaces the
/// previous one; after a failure there is none.
///
/// \param found   Receives the outcome. Pointers into the previous outcome become invalid.
/// \param context Threads that do the work; NULL: the calling thread.
/// \param a       The first frame of each pair is one of these.
/// \param b       The second frame of each pair is one of these. May be the same set as `a`.
/// \param pairs   The pairs. May be NULL if `count` is 0.
/// \param count   Number of pairs, at most 2^32 - 1.
/// \return CAROM_OK, CAROM_BAD_DIMENSION, CAROM_BAD_INDEX, CAROM_STALE, CAROM_OUT_OF_RANGE if the durations differ or
///         there are too many pairs, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_test_pairs(
    found: *mut carom_intersections,
    context: *const carom_context,
    a: *const carom_frames,
    b: *const carom_frames,
    pairs: *const carom_frame_pair,
    count: usize,
) -> carom_status {
    entry!(test(found, context, (a, b), |caller| {
        let pairs = caller.slice("pairs", pairs, count)?;
        Ok(Task::Pairs(Pairs::Listed(bytemuck::cast_slice(pairs))))
    }))
}

/// Tests each frame of one set against the frame of the other that has the same index.
///
/// Otherwise as carom_intersections_test_pairs(); pair k is frame k of `a` and frame k of `b`.
///
/// \param found   Receives the outcome. Pointers into the previous outcome become invalid.
/// \param context Threads that do the work; NULL: the calling thread.
/// \param a       The first frames.
/// \param b       The second frames, as many.
/// \return CAROM_WRONG_LENGTH if there are not as many, or as carom_intersections_test_pairs().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_test_paired(
    found: *mut carom_intersections,
    context: *const carom_context,
    a: *const carom_frames,
    b: *const carom_frames,
) -> carom_status {
    entry!(test(found, context, (a, b), |_| Ok(Task::Pairs(Pairs::Paired))))
}

/// Tests one frame against every frame of a set.
///
/// Otherwise as carom_intersections_test_pairs(); pair k is frame `index` of `a` and frame k of `b`. A frame intersects
/// itself.
///
/// \param found   Receives the outcome. Pointers into the previous outcome become invalid.
/// \param context Threads that do the work; NULL: the calling thread.
/// \param a       The set with the one frame.
/// \param index   Index of the one frame in `a`.
/// \param b       The other frames. May be the same set as `a`.
/// \return As carom_intersections_test_pairs().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_test_one(
    found: *mut carom_intersections,
    context: *const carom_context,
    a: *const carom_frames,
    index: usize,
    b: *const carom_frames,
) -> carom_status {
    entry!(test(found, context, (a, b), |_| {
        // No set has as many frames as there are numbers of 32 bits: the largest names none.
        Ok(Task::Pairs(Pairs::One(u32::try_from(index).unwrap_or(u32::MAX))))
    }))
}

/// Finds all pairs of frames of a set that intersect, without testing every pair: only those whose boxes overlap are
/// tested.
///
/// Otherwise as carom_intersections_test_pairs(). CAROM_HIT_PAIRS gives the indices of the frames: each pair
/// once, the lower index first, in ascending order.
///
/// \param found   Receives the outcome. Pointers into the previous outcome become invalid.
/// \param context Threads that do the work; NULL: the calling thread.
/// \param frames  The set.
/// \return CAROM_OK, CAROM_BAD_DIMENSION, CAROM_STALE, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_find(
    found: *mut carom_intersections,
    context: *const carom_context,
    frames: *const carom_frames,
) -> carom_status {
    entry!(test(found, context, (frames, frames), |_| Ok(Task::FindInFirst)))
}

/// Finds all pairs of a frame of one set and a frame of another that intersect, without testing every pair: only those
/// whose boxes overlap are tested.
///
/// Otherwise as carom_intersections_test_pairs(). CAROM_HIT_PAIRS gives the indices of the frames, in
/// ascending order.
///
/// \param found   Receives the outcome. Pointers into the previous outcome become invalid.
/// \param context Threads that do the work; NULL: the calling thread.
/// \param a       The first frame of each pair is one of these.
/// \param b       The second frame of each pair is one of these. For pairs of one set use carom_intersections_find().
/// \return CAROM_OK, CAROM_BAD_DIMENSION, CAROM_STALE, CAROM_OUT_OF_RANGE if the durations differ,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_find_between(
    found: *mut carom_intersections,
    context: *const carom_context,
    a: *const carom_frames,
    b: *const carom_frames,
) -> carom_status {
    entry!(test(found, context, (a, b), |_| Ok(Task::FindBetween)))
}

/// When and where two frames overlap: times within 1e-9 of the duration, boxes within 1e-8 of the larger frame.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_overlap {
    /// From the first to the last time of overlap; both 0 for frames at rest.
    pub times: carom_interval,
    /// The smallest box around the overlap over all times, in metres.
    pub world: carom_box,
    /// The smallest box around the overlap over all times, in the coordinates X of frame `b`, each from 0 to 1.
    pub local: carom_box,
}

impl<const D: usize> From<Region<D>> for carom_overlap {
    fn from(region: Region<D>) -> Self {
        let [first, last] = region.times;
        let times = carom_interval { first, last };
        Self { times, world: region.world.into(), local: region.local.into() }
    }
}

/// Whether two frames intersect, without a set. For many use carom_intersections_test_pairs().
///
/// \param dim      Dimension D of the space: 2 or 3.
/// \param a        One frame; frame 0 in errors.
/// \param b        The other; frame 1 in errors.
/// \param duration How long they move, in seconds, counted from time 0. NULL, or 0: they rest.
/// \param hit      Receives 1 if they intersect, otherwise 0.
/// \param overlap  Receives when and where they overlap; left as it is if they do not. May be NULL.
/// \return CAROM_OK, CAROM_BAD_DIMENSION, CAROM_NOT_FINITE, CAROM_OVERFLOW, CAROM_DEGENERATE, CAROM_RESTING for a
///         velocity without a duration, CAROM_UNKNOWN_VALUE, CAROM_NEGATIVE for the duration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frame_intersects(
    dim: usize,
    a: *const carom_frame,
    b: *const carom_frame,
    duration: *const f64,
    hit: *mut i32,
    overlap: *mut carom_overlap,
) -> carom_status {
    entry!(enter(|caller| {
        let (hit, place) = (caller.out("hit", hit)?, caller.optional_out("overlap", overlap)?);
        let pair = [caller.object("a", a)?, caller.object("b", b)?];
        let duration = caller.duration(duration)?;
        let wants_overlap = !overlap.is_null();
        let (is_hit, found) = match dim {
            2 => decide::<2>(pair, duration, wants_overlap)?,
            3 => decide::<3>(pair, duration, wants_overlap)?,
            _ => return Err(bad_dimension(dim).into()),
        };
        hit.set(is_hit.into());
        if let Some(found) = found {
            place.set(found);
        }
        Ok(())
    }))
}

fn decide<const D: usize>(
    pair: [&carom_frame; 2],
    duration: Option<f64>,
    wants_overlap: bool,
) -> Result<(bool, Option<carom_overlap>)> {
    let [a, b] = checked_pair::<D>(pair, duration)?;
    let hit = fmb::intersects(&a, &b, duration);
    Ok((hit, (hit && wants_overlap).then(|| fmb::region(&a, &b, duration).into())))
}

/// Two frames of the caller that may move for this duration.
pub(super) fn checked_pair<const D: usize>(
    pair: [&carom_frame; 2],
    duration: Option<f64>,
) -> Result<[Frame<D>; 2]> {
    let frames: [Frame<D>; 2] = [pair[0].frame()?, pair[1].frame()?];
    for (index, frame) in frames.iter().enumerate() {
        frame.check(duration.unwrap_or(0.0), index)?;
        if duration.is_none() && !frame.is_at_rest() {
            return Err(Error::Resting { index }.into());
        }
    }
    Ok(frames)
}
