//! The broad phase: which frames may intersect.

use super::context::carom_context;
use super::failure::Result;
use super::frames::{AnyFrames, carom_frames};
use super::handle::{Guarded, Handle, create, destroy, query, update};
use super::hits::{carom_pair_view, pair_view};
use super::memory::Caller;
use super::status::carom_status;
use crate::broad::Candidates;
use crate::error::Error;
use crate::soa::{Context, memory};

/// Candidate pairs of frames: those whose boxes overlap, swept over the duration if the frames move. The object keeps
/// its memory between searches.
///
/// No pair that intersects is missing, and the pairs are the same for any number of threads. To test them at
/// once use carom_intersections_find() instead.
pub struct carom_candidates(Guarded<Candidates>);

impl Handle for carom_candidates {
    type Object = Candidates;
    const NAME: &'static str = "candidates";

    fn read<R>(&self, look: impl FnOnce(&Candidates) -> Result<R>) -> Result<R> {
        self.0.read(look)
    }

    fn write<R>(&self, change: impl FnOnce(&mut Candidates) -> Result<R>) -> Result<R> {
        self.0.write(change)
    }
}

/// Creates an object for candidate pairs. It takes frames of either dimension.
///
/// \param candidates Receives the object, which has no pairs yet. Destroy it with carom_candidates_destroy().
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_candidates_create(candidates: *mut *mut carom_candidates) -> carom_status {
    entry!(create(("candidates", candidates), |_| {
        Ok(carom_candidates(Guarded::new(carom_candidates::NAME, Candidates::new())))
    }))
}

/// Destroys candidate pairs; NULL does nothing. Pointers into them become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_candidates_destroy(candidates: *mut carom_candidates) {
    entry!(destroy(candidates));
}

/// An entry that searches for pairs.
///
/// # Safety
/// As [`enter`].
unsafe fn search(
    candidates: *mut carom_candidates,
    context: *const carom_context,
    find: impl FnOnce(&Caller, &mut Candidates, &Context) -> Result<()>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        update(candidates, |caller, candidates| {
            let find = |context: Context| {
                memory::expect_little()?;
                find(caller, candidates, &context)
            };
            let found = caller.context(context).and_then(find);
            found.inspect_err(|_| *candidates = Candidates::new())
        })
    }
}

/// Finds the pairs of frames of a set whose boxes overlap, or touch within rounding, without testing every pair.
///
/// The pairs replace those found before; after a failure there are none.
///
/// \param candidates Receives the pairs. Pointers into the previous pairs become invalid.
/// \param context    Threads that do the work; NULL: the calling thread.
/// \param frames     The set.
/// \return CAROM_OK, CAROM_STALE, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_candidates_find(
    candidates: *mut carom_candidates,
    context: *const carom_context,
    frames: *const carom_frames,
) -> carom_status {
    entry!(search(candidates, context, |caller, candidates, context| {
        caller.object("frames", frames)?.read(|set| {
            match &set.frames {
                AnyFrames::Two(frames) => candidates.of_set(context, frames)?,
                AnyFrames::Three(frames) => candidates.of_set(context, frames)?,
            };
            Ok(())
        })
    }))
}

/// Finds the pairs of a frame of one set and a frame of another whose boxes overlap, or touch within rounding, without
/// testing every pair.
///
/// If one of the sets moves the other may rest; if both move it must be for the same duration. The pairs replace those
/// found before; after a failure there are none.
///
/// \param candidates Receives the pairs. Pointers into the previous pairs become invalid.
/// \param context    Threads that do the work; NULL: the calling thread.
/// \param a          The first frame of each pair is one of these.
/// \param b          The second frame of each pair is one of these. For pairs of one set use carom_candidates_find().
/// \return CAROM_OK, CAROM_BAD_DIMENSION, CAROM_STALE, CAROM_OUT_OF_RANGE if the durations differ,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_candidates_find_between(
    candidates: *mut carom_candidates,
    context: *const carom_context,
    a: *const carom_frames,
    b: *const carom_frames,
) -> carom_status {
    entry!(search(candidates, context, |caller, candidates, context| {
        let (a, b) = (caller.object("a", a)?, caller.object("b", b)?);
        a.read(|a| b.read(|b| find_between(candidates, context, &a.frames, &b.frames)))
    }))
}

fn find_between(candidates: &mut Candidates, context: &Context, a: &AnyFrames, b: &AnyFrames) -> Result<()> {
    match (a, b) {
        (AnyFrames::Two(a), AnyFrames::Two(b)) => candidates.between(context, a, b)?,
        (AnyFrames::Three(a), AnyFrames::Three(b)) => candidates.between(context, a, b)?,
        (_, b) => {
            return Err(Error::BadDimension { found: b.dim(), expected: "the same for both sets" }.into());
        }
    };
    Ok(())
}

/// Number of pairs that the last search has found.
///
/// \param count Receives the number; 0 before the first search.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_candidates_count(
    candidates: *const carom_candidates,
    count: *mut usize,
) -> carom_status {
    entry!(query(candidates, ("count", count), |_, candidates| Ok(candidates.pairs().len())))
}

/// Shares the pairs that the last search has found.
///
/// They ascend, and each comes once; of a pair of one set the lower index is the first. They can be passed to
/// carom_intersections_test_pairs(). The pointer is valid until the next search or carom_candidates_destroy().
///
/// \param view Receives the pairs; empty before the first search.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_candidates_pairs(
    candidates: *const carom_candidates,
    view: *mut carom_pair_view,
) -> carom_status {
    entry!(query(candidates, ("view", view), |_, candidates| Ok(pair_view(candidates.pairs()))))
}
