//! The decision in exact arithmetic.

use crate::frames::Frame;

/// Whether the insides of two frames share a point, at some time from 0 to `duration` if they move.
#[must_use]
pub fn intersects<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> bool {
    a.bounds(duration.unwrap_or(0.0)).overlaps(&b.bounds(duration.unwrap_or(0.0)))
}
