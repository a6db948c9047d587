//! Axis-aligned boxes in two or three dimensions.

use crate::broad::Bounds;

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Aabb<const D: usize> {
    /// Lower corner.
    pub min: [f64; D],
    /// Upper corner.
    pub max: [f64; D],
}

impl<const D: usize> Aabb<D> {
    /// A box without points: every point that is [included](Self::include) makes it larger.
    pub const EMPTY: Self = Self { min: [f64::INFINITY; D], max: [f64::NEG_INFINITY; D] };

    /// Grows the box until it holds a point.
    pub fn include(&mut self, point: &[f64; D]) {
        self.min.iter_mut().zip(point).for_each(|(end, x)| *end = end.min(*x));
        self.max.iter_mut().zip(point).for_each(|(end, x)| *end = end.max(*x));
    }

    /// Whether `self` lies within `other`, which may be smaller by `tolerance` on every side.
    #[must_use]
    pub fn is_within(&self, other: &Self, tolerance: f64) -> bool {
        (0..D).all(|axis| {
            self.min[axis] >= other.min[axis] - tolerance && self.max[axis] <= other.max[axis] + tolerance
        })
    }

    /// Whether the insides of both boxes share a point: boxes that only touch do not overlap.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] < other.max[axis] && other.min[axis] < self.max[axis])
    }
}

impl<const D: usize> From<Aabb<D>> for Bounds {
    fn from(aabb: Aabb<D>) -> Self {
        let mut bounds = Self::default();
        bounds.lo[..D].copy_from_slice(&aabb.min);
        bounds.hi[..D].copy_from_slice(&aabb.max);
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_touch_do_not_overlap() {
        let unit = Aabb { min: [0.0, 0.0], max: [1.0, 1.0] };
        let moved = |by: f64| Aabb { min: [by, 0.5], max: [by + 1.0, 1.5] };
        assert!(unit.overlaps(&moved(0.5)) && moved(0.5).overlaps(&unit));
        assert!(!unit.overlaps(&moved(1.0)) && !moved(1.0).overlaps(&unit));
    }

    #[test]
    fn a_box_grows_around_points() {
        let mut aabb = Aabb::EMPTY;
        aabb.include(&[1.0, 5.0, -1.0]);
        aabb.include(&[2.0, 3.0, 0.0]);
        assert_eq!(aabb, Aabb { min: [1.0, 3.0, -1.0], max: [2.0, 5.0, 0.0] });
        assert!(aabb.is_within(&Aabb { min: [1.1, 3.0, -1.0], max: [2.0, 5.0, 0.0] }, 0.2));
        assert!(!aabb.is_within(&Aabb { min: [1.1, 3.0, -1.0], max: [2.0, 5.0, 0.0] }, 0.05));
    }
}
