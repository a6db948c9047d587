//! Axis-aligned boxes.

use crate::error::Result;
use crate::soa::check;

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

    /// The box with this centre and these halves of its edges, in metres, which must not be negative.
    pub fn from_extents(centre: [f64; D], halves: [f64; D]) -> Result<Self> {
        check::all_finite("centre", &centre)?;
        check::all_non_negative("half extent", &halves)?;
        Ok(Self {
            min: std::array::from_fn(|axis| centre[axis] - halves[axis]),
            max: std::array::from_fn(|axis| centre[axis] + halves[axis]),
        })
    }

    /// The box around a circle or a sphere, whose radius in metres must not be negative.
    pub fn from_sphere(centre: [f64; D], radius: f64) -> Result<Self> {
        check::non_negative("radius", 0, radius)?;
        Self::from_extents(centre, [radius; D])
    }

    /// The centre.
    #[must_use]
    pub fn middle(&self) -> [f64; D] {
        std::array::from_fn(|axis| self.centre(axis))
    }

    /// Whether all of `other` is in the closed box.
    #[inline(always)]
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        (0..D).fold(true, |all, axis| {
            all & (self.min[axis] <= other.min[axis]) & (other.max[axis] <= self.max[axis])
        })
    }

    /// Whether a point is in the closed box.
    #[inline(always)]
    #[must_use]
    pub fn contains_point(&self, point: &[f64; D]) -> bool {
        self.contains(&Self { min: *point, max: *point })
    }

    /// The smallest box around both.
    #[inline(always)]
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|axis| self.min[axis].min(other.min[axis])),
            max: std::array::from_fn(|axis| self.max[axis].max(other.max[axis])),
        }
    }

    /// The box with every face moved outwards, in metres.
    #[inline(always)]
    #[must_use]
    pub fn expanded(&self, by: f64) -> Self {
        Self { min: self.min.map(|x| x - by), max: self.max.map(|x| x + by) }
    }

    /// The box at another place, in metres.
    #[inline(always)]
    #[must_use]
    pub fn moved(&self, by: &[f64; D]) -> Self {
        Self {
            min: std::array::from_fn(|axis| self.min[axis] + by[axis]),
            max: std::array::from_fn(|axis| self.max[axis] + by[axis]),
        }
    }

    /// The point of the box that is nearest to a point.
    #[must_use]
    pub fn clamp(&self, point: &[f64; D]) -> [f64; D] {
        std::array::from_fn(|axis| point[axis].max(self.min[axis]).min(self.max[axis]))
    }

    /// The image of a point in the box, which repeats along every axis.
    #[must_use]
    pub fn wrap(&self, point: &[f64; D]) -> [f64; D] {
        std::array::from_fn(|axis| {
            let width = self.max[axis] - self.min[axis];
            if width > 0.0 {
                self.min[axis] + (point[axis] - self.min[axis]).rem_euclid(width)
            } else {
                self.min[axis]
            }
        })
    }

    /// How much of the segment between two points is before the closed box, from 0 to 1; `None` if all of it is outside.
    #[inline(always)]
    #[must_use]
    pub fn entry(&self, from: &[f64; D], to: &[f64; D]) -> Option<f64> {
        let (mut enter, mut leave) = (0.0, 1.0);
        for axis in 0..D {
            let way = to[axis] - from[axis];
            let (low, high) = (self.min[axis] - from[axis], self.max[axis] - from[axis]);
            if way != 0.0 {
                let (near, far) = if way > 0.0 { (low, high) } else { (high, low) };
                enter = f64::max(enter, near / way);
                leave = f64::min(leave, far / way);
            } else if low > 0.0 || high < 0.0 {
                return None;
            }
        }
        (enter <= leave).then_some(enter)
    }
}

impl Aabb<2> {
    /// The area, in square metres.
    #[inline(always)]
    #[must_use]
    pub fn area(&self) -> f64 {
        (self.max[0] - self.min[0]) * (self.max[1] - self.min[1])
    }

    /// The area of the smallest box around both, in square metres.
    #[inline(always)]
    #[must_use]
    pub fn merged_area(&self, other: &Self) -> f64 {
        self.merged(other).area()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

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

    #[test]
    fn boxes_around_boxes_and_points() {
        let a = Aabb::from_extents([1.0, 2.0], [1.0, 0.5]).unwrap();
        assert_eq!(a, Aabb { min: [0.0, 1.5], max: [2.0, 2.5] });
        let b = Aabb::from_sphere([4.0, 2.0], 1.0).unwrap();
        assert_eq!(b, Aabb { min: [3.0, 1.0], max: [5.0, 3.0] });
        assert_eq!(a.merged(&b), Aabb { min: [0.0, 1.0], max: [5.0, 3.0] });
        assert_eq!((a.area(), b.area(), a.merged_area(&b)), (2.0, 4.0, 10.0));
        assert!(a.merged(&b).contains(&a) && !a.contains(&b) && a.contains(&a));
        assert_eq!(a.expanded(0.5), Aabb { min: [-0.5, 1.0], max: [2.5, 3.0] });
        assert_eq!((a.moved(&[1.0, -1.0]).min, a.middle()), ([1.0, 0.5], [1.0, 2.0]));
        assert!(a.contains_point(&[2.0, 2.0]) && !a.contains_point(&[2.0, 2.6]));
        assert_eq!(Aabb::EMPTY.merged(&a), a);
        assert_eq!(
            Aabb::from_sphere([0.0], -1.0),
            Err(Error::Negative { field: "radius", index: 0, value: -1.0 })
        );
        let halves = Aabb::from_extents([0.0, 0.0], [1.0, -2.0]);
        assert_eq!(halves, Err(Error::Negative { field: "half extent", index: 1, value: -2.0 }));
        assert!(Aabb::from_extents([f64::NAN], [1.0]).is_err());
    }

    #[test]
    fn points_are_clamped_and_wrapped() {
        let a = Aabb { min: [0.0, 1.0], max: [2.0, 3.0] };
        assert_eq!(a.clamp(&[-1.0, 2.0]), [0.0, 2.0]);
        assert_eq!(a.clamp(&[5.0, 9.0]), [2.0, 3.0]);
        assert_eq!(a.wrap(&[-0.5, 7.5]), [1.5, 1.5]);
        assert_eq!(Aabb { min: [1.0], max: [1.0] }.wrap(&[4.0]), [1.0]);
    }

    #[test]
    fn segments_enter_boxes() {
        let a = Aabb { min: [0.0, 0.0], max: [2.0, 1.0] };
        assert_eq!(a.entry(&[-1.0, 0.5], &[1.0, 0.5]), Some(0.5));
        assert_eq!(a.entry(&[3.0, 2.0], &[1.0, 0.0]), Some(0.5), "at a corner");
        assert_eq!(a.entry(&[1.0, 0.5], &[9.0, 0.5]), Some(0.0), "from within");
        assert_eq!(a.entry(&[1.0, 0.5], &[1.0, 0.5]), Some(0.0), "a point");
        assert_eq!(a.entry(&[-1.0, 0.5], &[-0.1, 0.5]), None, "too short");
        assert_eq!(a.entry(&[-1.0, 1.5], &[5.0, 1.5]), None, "beside it");
        assert_eq!(a.entry(&[-1.0, 0.9], &[0.1, 1.9]), None, "past a corner");
        assert_eq!(Aabb::<2>::EMPTY.entry(&[0.0, 0.0], &[1.0, 1.0]), None);
    }
}
