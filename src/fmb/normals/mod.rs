//! What an engine needs after a hit: the normal, the depth and a point of contact (docs/methods/normals.md).
//!
//! The lane kernel computes four pairs at once; its careful twin, of which the formulas are the same but for products in
//! which nothing cancels, those that are out of its range.

mod body;
mod careful;
mod directions;
mod hits;
mod lanes;
mod pair;
mod point;
#[cfg(test)]
mod tests;

pub(super) use hits::ContactsOfHits;

use crate::frames::Frame;

/// How two frames A and B that intersect are in contact: when they rest, where they are; when they move, at the first time of
/// overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Contact<const D: usize> {
    /// Unit vector from A to B. Of frames that overlap at rest, or at time 0, the direction of the smallest translation of B
    /// that separates them; otherwise the normal at their first contact, along which they approach.
    pub normal: [f64; D],
    /// How far that translation goes, in metres: never negative, and 0 for frames that move and do not overlap at time 0.
    pub depth: f64,
    /// A point of both frames, in metres: in the middle of where they overlap or touch.
    pub point: [f64; D],
}

impl<const D: usize> Contact<D> {
    pub(super) const NONE: Self = Self { normal: [0.0; D], depth: 0.0, point: [0.0; D] };
}

/// How two frames that intersect are in contact; `duration`, in seconds, is `None` for frames at rest.
///
/// If B is moved along the normal by the depth and some roundings of the sizes and the distance of the frames, they do not
/// intersect any more. The contact of B and A has the opposite normal, and the same depth and point, to the bit. Of frames
/// that do not intersect the normal is that along which they are farthest apart, and the depth is 0.
///
/// ```
/// use carom::{Frame, fmb};
///
/// let square = |x: f64, y: f64| Frame::cuboid([x, y], [[1.0, 0.0], [0.0, 1.0]]);
/// let contact = fmb::contact(&square(0.0, 0.0), &square(0.75, 0.5), None);
/// assert_eq!((contact.normal, contact.depth, contact.point), ([1.0, 0.0], 0.25, [0.875, 0.75]));
/// let coming = square(3.0, 0.5).with_velocity([-4.0, 0.0]);
/// let contact = fmb::contact(&square(0.0, 0.0), &coming, Some(1.0));
/// assert_eq!((contact.normal, contact.depth), ([1.0, 0.0], 0.0));
/// assert!((contact.point[0] - 1.0).abs() < 1e-13 && (contact.point[1] - 0.75).abs() < 1e-13);
/// ```
#[must_use]
pub fn contact<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Contact<D> {
    lanes::contact_of_pair(a, b, duration).unwrap_or_else(|| careful::contact(a, b, duration))
}
