//! The range of a quantity, cut by one bound after the other.

use super::layout::{BodyLayout, unrolled};
use super::relative::{LinearQuantity, RegionBlock};

/// Twice the least and the largest value.
pub(super) struct Range<B> {
    pub(super) lo: B,
    pub(super) hi: B,
    /// The largest lower end and the least upper end that errors leave possible, if they are tracked.
    lo_most: B,
    hi_least: B,
}

impl<B: RegionBlock> Range<B> {
    #[inline(always)]
    pub(super) fn everything() -> Self {
        Self::between(B::splat(f64::NEG_INFINITY), B::splat(f64::INFINITY))
    }

    /// A range whose ends are certain.
    #[inline(always)]
    pub(super) fn between(lo: B, hi: B) -> Self {
        Self { lo, hi, lo_most: lo, hi_least: hi }
    }

    /// What has been cut off so far is certain.
    #[inline(always)]
    pub(super) fn start_slack(&mut self) {
        (self.lo_most, self.hi_least) = (self.lo, self.hi);
    }

    /// Cuts off what is farther from a centre than `half_width`; nothing where that is NaN. All values are doubled, and so is their
    /// error, `slack`.
    #[inline(always)]
    pub(super) fn confine<const SLACK: bool>(&mut self, centre: B, half_width: B, slack: B) {
        let (lo, hi) = (centre - half_width, centre + half_width);
        self.cut::<SLACK>(lo, hi, slack);
    }

    #[inline(always)]
    fn cut<const SLACK: bool>(&mut self, lo: B, hi: B, slack: B) {
        self.lo = lo.max(self.lo);
        self.hi = hi.min(self.hi);
        if SLACK {
            self.lo_most = (lo + slack).max(self.lo_most);
            self.hi_least = (hi - slack).min(self.hi_least);
        }
    }

    /// Cuts off what no combination of rows of one body, as many as there are dimensions, and time allows.
    #[inline(always)]
    pub(super) fn confine_to_own_rows<const D: usize, const MOVING: bool>(
        &mut self,
        layout: &BodyLayout,
        of: &LinearQuantity<B>,
    ) {
        let mut change = [B::ZERO; D];
        unrolled!(i in [0, 1, 2] below D => { change[i] = of.along[i]; });
        let half_width = if MOVING { of.in_time.abs() } else { B::ZERO };
        self.confine_to_body::<D, false>(layout, of.origin, &change, half_width, B::ZERO);
    }

    /// Cuts off what is farther than `half_width` from the values on a body, given by the value at its origin and the
    /// changes along its components. For a tetrahedron this covers all choices of its rows at once.
    #[inline(always)]
    pub(super) fn confine_to_body<const D: usize, const SLACK: bool>(
        &mut self,
        layout: &BodyLayout,
        origin: B,
        change: &[B; D],
        half_width: B,
        slack: B,
    ) {
        if layout.is_tetrahedron {
            let (mut least, mut most) = (B::ZERO, B::ZERO);
            unrolled!(i in [0, 1, 2] below D => {
                (least, most) = (change[i].min(least), change[i].max(most));
            });
            let (lo, hi) = (origin + (least + least) - half_width, origin + (most + most) + half_width);
            self.cut::<SLACK>(lo, hi, slack);
        } else {
            let (mut centre, mut half_width) = (origin, half_width);
            unrolled!(i in [0, 1, 2] below D => {
                centre += change[i];
                half_width += change[i].abs();
            });
            self.confine::<SLACK>(centre, half_width, slack);
        }
    }

    /// A range that contains the one without errors, how much it may exceed that at either end, and the lanes in which this is
    /// known. It needs tracked errors (docs/methods/fmb-regions.md, section 5).
    #[inline(always)]
    pub(super) fn outward(&self) -> ([B; 2], B, B) {
        let half = B::splat(0.5);
        let (below, above) = (self.lo_most - self.lo, self.hi - self.hi_least);
        let ends = [(self.lo - below) * half, (self.hi + above) * half];
        (ends, below.max(above), self.is_open())
    }

    /// The lanes in which something is left of the range if its errors are taken off. It needs tracked errors.
    #[inline(always)]
    pub(super) fn is_open(&self) -> B {
        self.lo_most.le(self.hi_least)
    }

    /// The range itself, ordered, and the error of its ends, which is not known where errors leave nothing of the range unless
    /// that may be.
    #[inline(always)]
    pub(super) fn halved<const SLACK: bool>(&self, may_be_empty: B) -> ([B; 2], B) {
        let half = B::splat(0.5);
        let mut error = B::ZERO;
        if SLACK {
            error = (self.lo_most - self.lo).max(self.hi - self.hi_least) * half;
            error = (self.is_open() | may_be_empty).select(error, B::splat(f64::INFINITY));
        }
        // An overlap may be thinner than its error.
        ([self.lo * half, self.hi.max(self.lo) * half], error)
    }
}
