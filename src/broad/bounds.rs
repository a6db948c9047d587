//! Axis-aligned boxes.

/// An axis-aligned box on up to three axes; an axis that is not used is `[0, 0]`.
///
/// Spaces of more dimensions use the first three axes: boxes that overlap there may still be apart, but no pair is
/// lost.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bounds {
    /// Lower corner, in metres.
    pub lo: [f64; 3],
    /// Upper corner, in metres.
    pub hi: [f64; 3],
}

impl Bounds {
    /// A box that overlaps nothing, not even itself.
    pub const EMPTY: Self = Self { lo: [f64::INFINITY; 3], hi: [f64::NEG_INFINITY; 3] };

    /// Whether the box has no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.lo[axis] > self.hi[axis])
    }

    /// Whether the boxes share a point.
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).fold(true, |all, axis| {
            all & (self.lo[axis] <= other.hi[axis]) & (other.lo[axis] <= self.hi[axis])
        })
    }

    /// Length of the longest edge.
    #[must_use]
    pub fn extent(&self) -> f64 {
        (0..3).fold(0.0, |longest, axis| f64::max(longest, self.hi[axis] - self.lo[axis]))
    }

    /// Largest magnitude of a coordinate.
    pub(super) fn farthest(&self) -> f64 {
        self.lo.iter().chain(&self.hi).fold(0.0, |farthest, x| f64::max(farthest, x.abs()))
    }

    /// The middle on one axis.
    #[inline(always)]
    pub(super) fn centre(&self, axis: usize) -> f64 {
        0.5 * (self.lo[axis] + self.hi[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_boxes_overlap_and_distant_ones_do_not() {
        let unit = Bounds { lo: [0.0; 3], hi: [1.0; 3] };
        let moved = |by: f64| Bounds { lo: [by, 0.0, 0.0], hi: [by + 1.0, 1.0, 1.0] };
        assert!(unit.overlaps(&moved(1.0)) && moved(1.0).overlaps(&unit));
        assert!(!unit.overlaps(&moved(1.5)) && !moved(1.5).overlaps(&unit));
        assert_eq!(moved(7.0).extent(), 1.0);
        assert!(Bounds::EMPTY.is_empty() && !unit.is_empty());
        assert!(!Bounds::EMPTY.overlaps(&unit) && !Bounds::EMPTY.overlaps(&Bounds::EMPTY));
    }
}
