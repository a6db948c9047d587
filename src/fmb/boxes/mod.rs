//! When and where two frames that intersect overlap: the interval of time and the tight boxes (docs/methods/fmb-regions.md).
//!
//! The overlap, with time as one more axis, is a convex polytope. The lane kernel bounds it from outside, many pairs at
//! once: by the duality of linear programs the tightest of all bounds is attained. With its bounds it computes their
//! errors. What may be less exact than promised is computed again, one pair at a time, in numbers of twice the digits and,
//! if need be, in integers. Bodies are closed sets here: for bodies whose interiors intersect the boxes are the same.

#[cfg(test)]
mod agreement;
mod bounds;
mod double_double;
mod edges;
pub(super) mod lanes;
mod layout;
mod programs;
mod range;
pub(super) mod redo;
mod relative;
pub(super) mod singles;

use crate::frames::lanes::FrameLanes;
use crate::frames::{Frame, FrameKind};
use crate::geometry::Aabb;
use crate::geometry::rounding::{above, below};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;
use lanes::{RegionsOf, Wanted};

/// When and where two frames overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Region<const D: usize> {
    /// First and last time of overlap in seconds, `[0, 0]` for frames at rest.
    pub times: [f64; 2],
    /// The smallest axis-aligned box around the overlap, over all times, in metres.
    pub world: Aabb<D>,
    /// The smallest box around the overlap in the coordinates X of the second frame, over all times.
    pub local: Aabb<D>,
}

/// Largest errors of what is not computed again: half of what is promised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerances {
    /// Of a time, in units of the duration.
    pub(crate) times: f64,
    /// Of a coordinate of a box, in units of the largest component of both frames; in the coordinates of a frame, of its own.
    pub(crate) boxes: f64,
    /// Of the rows of a body together, in units of the body that they bound: for larger ones the errors of bounds are not of
    /// first order.
    pub(crate) rows: f64,
}

impl Tolerances {
    /// For results in double precision.
    pub(crate) const OF_DOUBLES: Self = Self { times: 0.5e-9, boxes: 0.5e-8, rows: 1e-9 };
    /// For results that are rounded to single precision.
    pub(crate) const OF_SINGLES: Self = Self { times: 0.5e-5, boxes: 0.5e-5, rows: 1e-7 };
}

/// When and where two frames that intersect overlap; `duration` is `None` for frames at rest.
///
/// Times are those of the overlap within 1e-9 of the duration. The box in the world is the smallest around the overlap
/// within 1e-8 of the largest component of both frames and a rounding of the coordinate, the box in the coordinates of the
/// second frame within 1e-8. Times and the box in the world do not depend on the order of the frames, to the bit. For frames
/// that do not intersect the outcome is finite and ordered, but has no meaning.
#[must_use]
pub fn region<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Region<D> {
    region_of_pair(a, b, duration, Wanted { times: true, world: true, local: true })
}

/// The times of [`region`] alone, for frames that move.
pub(crate) fn overlap_times<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: f64) -> [f64; 2] {
    region_of_pair(a, b, Some(duration), Wanted { times: true, world: false, local: false }).times
}

fn region_of_pair<const D: usize>(
    a: &Frame<D>,
    b: &Frame<D>,
    duration: Option<f64>,
    wanted: Wanted,
) -> Region<D> {
    let (mut region, mut missing) = level::run(RegionOfPair { a, b, duration, wanted, is_second: false });
    if missing != Wanted::NOTHING {
        let (again, still_missing) = level::run(RegionOfPair { a, b, duration, wanted, is_second: true });
        region.take(missing, &again);
        missing = missing.and(still_missing);
    }
    if missing != Wanted::NOTHING {
        redo::redo(a, b, duration, missing, &mut region);
    }
    region
}

impl<const D: usize> Region<D> {
    /// Takes what is missing from another outcome for the same pair.
    fn take(&mut self, missing: Wanted, other: &Self) {
        let Wanted { times, world, local } = missing;
        self.times = if times { other.times } else { self.times };
        self.world = if world { other.world } else { self.world };
        self.local = if local { other.local } else { self.local };
    }
}

impl<const D: usize> Region<D> {
    /// The same in numbers of single precision, so that it contains the overlap in spite of all errors.
    pub(super) fn rounded_outward(&self, a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Self {
        let duration = duration.unwrap_or(0.0);
        let Tolerances { times, boxes, .. } = Tolerances::OF_SINGLES;
        let (late, inner) = (2.0 * times * duration, 2.0 * boxes);
        let size = inner * redo::size([a, b]);
        let [first, last] = self.times;
        let (low, high) = (|x: f64| f64::from(below(x)), |x: f64| f64::from(above(x)));
        // The promise allows for a rounding of a coordinate besides.
        let error = |x: f64| size + f64::EPSILON * x.abs();
        Self {
            times: [low((first - late).max(0.0)), high((last + late).min(duration))],
            world: Aabb {
                min: self.world.min.map(|x| low(x - error(x))),
                max: self.world.max.map(|x| high(x + error(x))),
            },
            local: Aabb {
                min: self.local.min.map(|x| low((x - inner).max(0.0))),
                max: self.local.max.map(|x| high((x + inner).min(1.0))),
            },
        }
    }
}

/// One pair in all lanes, with what is not as exact as promised.
#[derive(Clone, Copy)]
struct RegionOfPair<'a, const D: usize> {
    a: &'a Frame<D>,
    b: &'a Frame<D>,
    duration: Option<f64>,
    wanted: Wanted,
    is_second: bool,
}

impl<const D: usize> Kernel for RegionOfPair<'_, D> {
    type Output = (Region<D>, Wanted);

    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let Self { a, b, duration, wanted, is_second } = self;
        let are_tetrahedra = [a, b].map(|frame| frame.kind == FrameKind::Tetrahedron);
        let a = &FrameLanes::<D, S::Wide>::of_one(a);
        let b = &FrameLanes::<D, S::Wide>::of_one(b);
        let tolerances = Tolerances::OF_DOUBLES;
        let regions = RegionsOf { a, b, are_tetrahedra, duration, wanted, tolerances };
        let lanes = if is_second { regions.run_again::<S>() } else { regions.run::<S>() };
        (lanes.lane(0, duration.unwrap_or(0.0)), lanes.unsure.of_lane(0))
    }
}
