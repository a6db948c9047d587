//! Candidate pairs of frames: those whose boxes, swept over the duration if they move, overlap (docs/methods/fmb.md).

use super::Grid;
use crate::error::{Error, Result};
use crate::fmb::{self, Intersections};
use crate::frames::{Frame, FrameKind, Frames};
use crate::geometry::Aabb;
use crate::soa::Context;
use crate::soa::memory::reserve;
use crate::soa::par::Divide;

/// Boxes per chunk when they are made.
const BOXES: usize = 4096;

/// First frames per chunk when their pairs are sorted.
const FIRSTS: usize = 4096;

/// The pairs of frames that must be tested for intersection: an object that keeps its memory.
///
/// No pair that intersects is missing, and the pairs are the same for any number of threads. The time is proportional to the
/// number of frames and of pairs, however much the sizes of the frames differ.
///
/// ```
/// use carom::broad::Candidates;
/// use carom::{Context, Frame, Frames};
///
/// let square = |x: f64| Frame::cuboid([x, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
/// let mut frames = Frames::<2>::resting();
/// frames.add_many(&[square(0.0), square(5.0), square(0.5)])?;
/// let mut candidates = Candidates::default();
/// assert_eq!(candidates.of_set(&Context::serial(), &frames)?, [[0, 2]]);
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Candidates {
    one: BoxSet,
    two: BoxSet,
    pairs: Vec<[u32; 2]>,
    /// For each first frame, where its pairs start; one more than there are frames.
    starts: Vec<u32>,
}

/// Boxes and their grid.
#[derive(Debug, Default)]
struct BoxSet {
    boxes: Vec<Aabb<3>>,
    grid: Grid,
}

impl Candidates {
    /// No pairs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The pairs that were found last, ascending; none after an error.
    #[must_use]
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// The pairs `[i, j]` with `i < j` of frames of one set whose boxes overlap, or touch within rounding. They ascend, and
    /// each comes once.
    pub fn of_set<const D: usize>(&mut self, context: &Context, frames: &Frames<D>) -> Result<&[[u32; 2]]> {
        self.pairs.clear();
        self.one.enclose(frames, context)?;
        self.one.grid.rebuild(&self.one.boxes)?;
        let found = self.one.grid.map_pairs(context, |pairs| {
            let mut list = FoundPairs::default();
            pairs.for_each(|i, j| list.push([i.min(j), i.max(j)]));
            list
        });
        self.collect(found, frames.len(), context)
    }

    /// The pairs `[i, j]` of a frame i of `a` and a frame j of `b` whose boxes overlap, or touch within rounding. They
    /// ascend, and each comes once.
    ///
    /// If one of the sets moves the other may be at rest; if both move it must be for the same duration.
    pub fn between<const D: usize>(
        &mut self,
        context: &Context,
        a: &Frames<D>,
        b: &Frames<D>,
    ) -> Result<&[[u32; 2]]> {
        self.pairs.clear();
        a.common_duration(b)?;
        self.one.enclose(a, context)?;
        self.two.enclose(b, context)?;
        let Self { one, two, .. } = self;
        Grid::rebuild_both([&mut one.grid, &mut two.grid], [&one.boxes, &two.boxes])?;
        let found = one.grid.map_pairs_between(&two.grid, context, |pairs| {
            let mut list = FoundPairs::default();
            pairs.for_each(|i, j| list.push([i, j]));
            list
        });
        self.collect(found, a.len(), context)
    }

    /// Sorts the pairs: by counting for the first frame, then the few pairs of each first frame by the second.
    fn collect(&mut self, found: Vec<FoundPairs>, firsts: usize, context: &Context) -> Result<&[[u32; 2]]> {
        let total = checked_total(&found)?;
        self.count(&found, firsts)?;
        reserve(&mut self.pairs, total)?;
        self.pairs.resize(total, [0; 2]);
        for pair in found.into_iter().flat_map(|list| list.pairs) {
            let at = &mut self.starts[pair[0] as usize + 1];
            self.pairs[*at as usize] = pair;
            *at += 1;
        }
        context.run(PairGroups { starts: &self.starts, pairs: &mut self.pairs }, FIRSTS);
        Ok(&self.pairs)
    }

    /// Leaves in entry `i + 1` of `starts` where the pairs of frame i begin, so that filling them in moves each entry to
    /// where it belongs.
    fn count(&mut self, found: &[FoundPairs], firsts: usize) -> Result<()> {
        self.starts.clear();
        reserve(&mut self.starts, firsts + 2)?;
        self.starts.resize(firsts + 2, 0);
        for pair in found.iter().flat_map(|list| &list.pairs) {
            self.starts[pair[0] as usize + 2] += 1;
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        self.starts.truncate(firsts + 1);
        Ok(())
    }
}

/// Finds the candidate pairs of a set and tests them: entry k of [`list`](Intersections::list) of `found` then stands
/// for pair `list()[k]` of [`pairs`](Candidates::pairs) of `candidates`.
///
/// ```
/// use carom::broad::{self, Candidates};
/// use carom::fmb::{Intersections, Request};
/// use carom::{Context, Frame, Frames};
///
/// let square = |x: f64| Frame::cuboid([x, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
/// let mut frames = Frames::<2>::resting();
/// frames.add_many(&[square(0.0), square(5.0), square(0.5), square(1.0)])?;
/// let (mut candidates, mut found) = (Candidates::new(), Intersections::new(Request::HITS));
/// broad::intersections_of_set(&Context::serial(), &frames, &mut candidates, &mut found)?;
/// let hits: Vec<[u32; 2]> = found.list().iter().map(|&k| candidates.pairs()[k as usize]).collect();
/// assert_eq!(hits, [[0, 2], [2, 3]]); // 0 and 3 only touch
/// # Ok::<(), carom::Error>(())
/// ```
pub fn intersections_of_set<const D: usize>(
    context: &Context,
    frames: &Frames<D>,
    candidates: &mut Candidates,
    found: &mut Intersections<D>,
) -> Result<()> {
    let pairs = candidates.of_set(context, frames)?;
    found.test(context, frames, frames, fmb::Pairs::Listed(pairs))
}

/// The same for the pairs of a frame of `a` and a frame of `b`.
pub fn intersections_between<const D: usize>(
    context: &Context,
    a: &Frames<D>,
    b: &Frames<D>,
    candidates: &mut Candidates,
    found: &mut Intersections<D>,
) -> Result<()> {
    let pairs = candidates.between(context, a, b)?;
    found.test(context, a, b, fmb::Pairs::Listed(pairs))
}

impl BoxSet {
    /// Makes the boxes of all frames.
    fn enclose<const D: usize>(&mut self, frames: &Frames<D>, context: &Context) -> Result<()> {
        frames.records()?;
        self.boxes.clear();
        reserve(&mut self.boxes, frames.len())?;
        self.boxes.resize(frames.len(), Aabb::EMPTY);
        context.run(Enclose { frames, first: 0, boxes: &mut self.boxes }, BOXES);
        Ok(())
    }
}

/// The boxes of the frames from `first` on, to be computed.
struct Enclose<'a, const D: usize> {
    frames: &'a Frames<D>,
    first: usize,
    boxes: &'a mut [Aabb<3>],
}

impl<const D: usize> Divide for Enclose<'_, D> {
    fn size(&self) -> usize {
        self.boxes.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { frames, first, boxes } = self;
        let (boxes, rest) = boxes.split_at_mut(at);
        (Self { frames, first, boxes }, Self { frames, first: first + at, boxes: rest })
    }

    fn work(self) {
        let duration = self.frames.duration().unwrap_or(0.0);
        for (row, bounds) in (self.first..).zip(self.boxes) {
            *bounds = outward_bounds(&self.frames.read(row), duration);
        }
    }
}

/// A box that holds every point of a frame from time 0 to `duration`, larger than the smallest by little more than the
/// rounding of its sums: five terms at most, each sum within half a unit in the last place.
fn outward_bounds<const D: usize>(frame: &Frame<D>, duration: f64) -> Aabb<3> {
    let mut bounds = Aabb::ORIGIN;
    for axis in 0..D {
        let edges = frame.components.map(|component| component[axis]);
        let displacement = frame.velocity[axis] * duration;
        let end = |towards: fn(f64, f64) -> f64| {
            let edge = match frame.kind {
                FrameKind::Cuboid => edges.iter().map(|&edge| towards(edge, 0.0)).sum(),
                FrameKind::Tetrahedron => edges.iter().fold(0.0, |end, &edge| towards(end, edge)),
            };
            frame.origin[axis] + edge + towards(displacement, 0.0)
        };
        let terms =
            frame.origin[axis].abs() + edges.iter().map(|edge| edge.abs()).sum::<f64>() + displacement.abs();
        let margin = 4.0 * f64::EPSILON * terms + f64::MIN_POSITIVE;
        bounds.min[axis] = end(f64::min) - margin;
        bounds.max[axis] = end(f64::max) + margin;
    }
    bounds
}

/// Pairs in the order in which a thread finds them.
#[derive(Default)]
struct FoundPairs {
    pairs: Vec<[u32; 2]>,
    /// Whether an allocation failed, so that pairs are missing.
    is_incomplete: bool,
}

impl FoundPairs {
    #[inline(always)]
    fn push(&mut self, pair: [u32; 2]) {
        if self.pairs.len() == self.pairs.capacity() {
            self.is_incomplete |= self.pairs.try_reserve(1).is_err();
        }
        if !self.is_incomplete {
            self.pairs.push(pair);
        }
    }
}

/// The number of pairs, if none is missing and they can be numbered by `u32`.
fn checked_total(found: &[FoundPairs]) -> Result<usize> {
    let total: usize = found.iter().map(|list| list.pairs.len()).sum();
    if found.iter().any(|list| list.is_incomplete) || total > u32::MAX as usize {
        return Err(Error::OutOfMemory { bytes: total.saturating_mul(size_of::<[u32; 2]>()) });
    }
    Ok(total)
}

/// Pairs grouped by their first frame, to be sorted by the second.
struct PairGroups<'a> {
    /// Where the pairs of each first frame start in all pairs; one more than there are first frames.
    starts: &'a [u32],
    pairs: &'a mut [[u32; 2]],
}

impl Divide for PairGroups<'_> {
    fn size(&self) -> usize {
        self.starts.len() - 1
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (pairs, rest) = self.pairs.split_at_mut((self.starts[at] - self.starts[0]) as usize);
        (Self { starts: &self.starts[..=at], pairs }, Self { starts: &self.starts[at..], pairs: rest })
    }

    fn work(self) {
        for group in self.starts.windows(2) {
            self.pairs[(group[0] - self.starts[0]) as usize..(group[1] - self.starts[0]) as usize]
                .sort_unstable();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_hold_what_rounding_would_cut_off() {
        // 1e16 + 1 rounds to 1e16: the true end lies beyond the rounded one.
        let frame = Frame::<2>::cuboid([1e16, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
        assert!(frame.bounds(0.0).max[0] < 1e16 + 2.0);
        let bounds = outward_bounds(&frame, 0.0);
        assert!(bounds.max[0] >= 1e16 + 2.0 && bounds.min[0] <= 1e16 - 2.0);
        let exact = Frame::<2>::tetrahedron([1.0, 1.0], [[2.0, -1.0], [1.0, 3.0]]).with_velocity([-1.0, 0.5]);
        let Aabb { min: lo, max: hi } = outward_bounds(&exact, 2.0);
        for (end, expected) in [(lo[0], -1.0), (lo[1], 0.0), (hi[0], 3.0), (hi[1], 5.0)] {
            assert!((end - expected).abs() < 2e-14, "{end} instead of {expected}");
        }
        assert!(lo[0] < -1.0 && hi[1] > 5.0 && lo[2] == 0.0 && hi[2] == 0.0);
    }
}
