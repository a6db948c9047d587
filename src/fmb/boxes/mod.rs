//! Where two frames that intersect overlap: the interval of time and the tight boxes (SPEC section 2).
//!
//! The overlap, with time as one more axis, is a convex polytope. Its vertices lie where an edge of one body, or the
//! path of one of its vertices, enters or leaves the other body, and in 3D where an edge of one crosses an edge of the
//! other on the way. All of them are found, and the boxes drawn around them. Sets are closed here: two bodies whose
//! insides meet lose nothing by it.
//!
//! [`region`] does so for one pair. The lane kernel, for four pairs at once, bounds the same boxes from outside.

#[cfg(test)]
mod agreement;
mod bounds;
pub(crate) mod lanes;
mod scalar;
mod shape;
mod views;

use crate::frames::Aabb;

pub use scalar::region;

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

/// If rounding may move the place where a line crosses a face by more than this share of the line, the line counts as
/// nearly parallel to the face, and is cut where it leaves the body grown by the rounding error.
const GRAZING: f64 = 1e-9;

/// Crossing edges whose crossing rounding may move by more than this share of them are nearly in one plane with their
/// motion. They are left out: other vertices bound the overlap then.
const FLAT: f64 = 1e-4;
