//! Axis-aligned boxes.

/// An axis-aligned box `min[k] <= x[k] <= max[k]`, in metres.
///
/// Two questions about two boxes differ where they only touch: [`overlaps`](Self::overlaps), whether their interiors share
/// a point, which touching boxes do not; and [`touches`](Self::touches), whether the closed boxes share a point, which
/// touching boxes do. A broad phase, which must lose no pair, needs the second.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Aabb<const D: usize> {
    /// Lower corner.
    pub min: [f64; D],
    /// Upper corner.
    pub max: [f64; D],
}

impl<const D: usize> Aabb<D> {
    /// A box without points, which touches nothing, not even itself; every point that is [included](Self::include) makes
    /// it larger.
    pub const EMPTY: Self = Self { min: [f64::INFINITY; D], max: [f64::NEG_INFINITY; D] };

    /// The box that holds the origin alone.
    pub const ORIGIN: Self = Self { min: [0.0; D], max: [0.0; D] };

    /// Whether the box has no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        (0..D).any(|axis| self.min[axis] > self.max[axis])
    }

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

    /// Whether the interiors share a point: boxes that only touch do not overlap.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] < other.max[axis] && other.min[axis] < self.max[axis])
    }

    /// Whether the closed boxes share a point: in their interiors, or on a face, an edge or a corner.
    #[inline(always)]
    #[must_use]
    pub fn touches(&self, other: &Self) -> bool {
        // Without branches: most pairs that are tested differ on an axis that cannot be predicted.
        (0..D).fold(true, |all, axis| {
            all & (self.min[axis] <= other.max[axis]) & (other.min[axis] <= self.max[axis])
        })
    }

    /// Length of the longest edge.
    #[must_use]
    pub fn extent(&self) -> f64 {
        (0..D).fold(0.0, |longest, axis| f64::max(longest, self.max[axis] - self.min[axis]))
    }

    /// Largest magnitude of a coordinate.
    #[must_use]
    pub fn farthest(&self) -> f64 {
        self.min.iter().chain(&self.max).fold(0.0, |farthest, x| f64::max(farthest, x.abs()))
    }

    /// The middle on one axis.
    #[inline(always)]
    #[must_use]
    pub fn centre(&self, axis: usize) -> f64 {
        0.5 * (self.min[axis] + self.max[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_with_a_common_face_touch_and_do_not_overlap() {
        let unit = Aabb { min: [0.0, 0.0], max: [1.0, 1.0] };
        let moved = |by: f64| Aabb { min: [by, 0.5], max: [by + 1.0, 1.5] };
        for (by, overlaps, touches) in [(0.5, true, true), (1.0, false, true), (1.5, false, false)] {
            assert_eq!((unit.overlaps(&moved(by)), moved(by).overlaps(&unit)), (overlaps, overlaps));
            assert_eq!((unit.touches(&moved(by)), moved(by).touches(&unit)), (touches, touches));
        }
        assert!(Aabb::<3>::ORIGIN.touches(&Aabb::ORIGIN) && !Aabb::<3>::ORIGIN.overlaps(&Aabb::ORIGIN));
    }

    #[test]
    fn the_empty_box_touches_nothing() {
        let unit = Aabb { min: [0.0; 3], max: [1.0; 3] };
        assert!(Aabb::<3>::EMPTY.is_empty() && !unit.is_empty());
        assert!(!Aabb::EMPTY.touches(&unit) && !Aabb::<3>::EMPTY.touches(&Aabb::EMPTY));
    }

    #[test]
    fn sizes_and_places() {
        let aabb = Aabb { min: [7.0, 0.0, -9.0], max: [8.0, 1.0, -7.0] };
        assert_eq!((aabb.extent(), aabb.farthest(), aabb.centre(0)), (2.0, 9.0, 7.5));
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
