//! Where two frames that intersect overlap: the interval of time and the tight boxes (SPEC section 2).
//!
//! The overlap, with time as one more axis, is a convex polytope. The lane kernel bounds it from outside, four pairs at
//! once: by duality the tightest of all bounds is reached.
//!
//! Its twin looks at one pair from inside. The vertices of the polytope lie where an edge of one body, or the path of one of
//! its vertices, enters or leaves the other body, and in 3D where an edge of one crosses an edge of the other on the way.
//! All of them are found, and the boxes drawn around them. It takes over where numbers are so large, or overlaps so thin,
//! that bounds from outside come to nothing. Sets are closed here: two bodies whose insides meet lose nothing by it.

#[cfg(test)]
mod agreement;
mod bounds;
pub(crate) mod lanes;
pub(crate) mod scalar;
mod shape;
mod views;

use crate::frames::Frame;
use crate::geometry::Aabb;
use lanes::Wanted;

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

/// Rounding error of a coordinate of a point, as a share of the magnitudes it is computed from.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Edges and faces are nearly parallel, or edges nearly in one plane with their motion, if what tells them apart is not this
/// much larger than its rounding error. They are left out: others bound the overlap then.
const FLAT: f64 = 1e-4;

/// When and where two frames that intersect overlap; `duration` is `None` for frames at rest.
///
/// Within some roundings of the largest length (sizes, distance and ways of the frames) the boxes hold every point of the
/// overlap and are the smallest that do, and the times the first and the last. Of frames that do not intersect the
/// outcome says nothing, but it is finite and ordered.
#[must_use]
pub fn region<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Region<D> {
    let wanted = Wanted { times: true, world: true, local: true };
    lanes::region_of_pair(a, b, duration, wanted).unwrap_or_else(|| scalar::region(a, b, duration))
}

/// The times of [`region`] alone, for frames that move.
pub(crate) fn times<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: f64) -> [f64; 2] {
    let wanted = Wanted { times: true, world: false, local: false };
    let duration = Some(duration);
    lanes::region_of_pair(a, b, duration, wanted).unwrap_or_else(|| scalar::region(a, b, duration)).times
}
