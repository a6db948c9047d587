//! When and where two frames that intersect overlap: the interval of time and the tight boxes (docs/methods/fmb.md).
//!
//! The overlap, with time as one more axis, is a convex polytope. The lane kernel bounds it from outside, four pairs at
//! once: by the duality of linear programs the tightest of all bounds is attained.
//!
//! Its scalar twin computes the vertices of the polytope for one pair. They lie where an edge of one body, or the path of
//! one of its vertices, enters or leaves the other body, and in 3D where an edge of one crosses an edge of the other
//! during the motion. The boxes are those of the vertices. It replaces the kernel where numbers are so large, or overlaps
//! so thin, that no bound is certain. Bodies are closed sets here: for bodies whose interiors intersect the boxes are the
//! same.

#[cfg(test)]
mod agreement;
mod bounds;
pub(super) mod lanes;
mod layout;
mod relative;
pub(super) mod scalar;

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

/// Edges and faces are nearly parallel, or edges nearly in one plane with their motion, if the rounding error of the
/// product that distinguishes them is more than this share of it. They are left out: others bound the overlap then.
const FLAT: f64 = 1e-4;

/// When and where two frames that intersect overlap; `duration` is `None` for frames at rest.
///
/// Up to some roundings of the largest length (sizes, distance and displacements of the frames) the boxes are the smallest
/// that hold every point of the overlap, and the times are the first and the last. For frames that do not intersect the
/// outcome is finite and ordered, but has no meaning.
#[must_use]
pub fn region<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Region<D> {
    let wanted = Wanted { times: true, world: true, local: true };
    lanes::region_of_pair(a, b, duration, wanted).unwrap_or_else(|| scalar::region(a, b, duration))
}

/// The times of [`region`] alone, for frames that move.
pub(crate) fn overlap_times<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: f64) -> [f64; 2] {
    let wanted = Wanted { times: true, world: false, local: false };
    let duration = Some(duration);
    lanes::region_of_pair(a, b, duration, wanted).unwrap_or_else(|| scalar::region(a, b, duration)).times
}
