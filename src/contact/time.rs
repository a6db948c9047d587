//! Time of contact of two spheres (PBPhys equations 4 to 6).
//!
//! With the relative position `d`, the relative velocity `w` and the sum of the radii `R`, contact is the smaller root of
//! `|d|^2 + 2 (d.w) t + |w|^2 t^2 = R^2`, in a form in which nothing cancels:
//! `t = c / (-d.w + sqrt(D))` with `c = |d|^2 - R^2` and, by Lagrange's identity, `D = |w|^2 R^2 - |d x w|^2`. The textbook
//! form `D = (d.w)^2 - |w|^2 c` subtracts numbers of the size of `|w|^2 |d|^2`: where `R` is small against `|d|`, nothing is
//! left of the difference.

use crate::soa::block::{Mask, Quantity};

/// Products of the relative position `d`, first minus second, and the relative velocity `w` of a pair, summed from axis 0 up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Products<N> {
    /// `|w|^2`.
    pub(crate) ww: N,
    /// `d.w`: negative if the pair approaches.
    pub(crate) dw: N,
    /// `|d|^2`.
    pub(crate) dd: N,
    /// `|d x w|^2`: the sum of the squares of the 2 x 2 minors of d and w, in any dimension.
    pub(crate) cross: N,
}

/// The contact of a pair, if it happens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SphereContact<N: Quantity> {
    /// Seconds from now; without meaning where it does not happen.
    pub(crate) time: N,
    /// Whether it happens, at whatever time.
    pub(crate) happens: N::Mask,
}

impl<N: Quantity> Products<N> {
    /// The products of vectors whose components on axis `k` are `axis(k)`: of d and of w.
    ///
    /// `D` is the dimension, or 0 if it is `dim`, known at run time only. Components of vectors of unknown dimension are
    /// computed again for every minor.
    #[inline(always)]
    pub(crate) fn new<const D: usize>(dim: usize, axis: impl Fn(usize) -> [N; 2]) -> Self {
        if D == 0 {
            return Self::sums(dim, axis);
        }
        let mut known = [[N::ZERO; 2]; D];
        for (k, components) in known.iter_mut().enumerate() {
            *components = axis(k);
        }
        Self::sums(D, |k| known[k])
    }

    #[inline(always)]
    fn sums(dim: usize, axis: impl Fn(usize) -> [N; 2]) -> Self {
        let mut sums = Self { ww: N::ZERO, dw: N::ZERO, dd: N::ZERO, cross: N::ZERO };
        for k in 0..dim {
            let [d, w] = axis(k);
            sums.ww = sums.ww + w * w;
            sums.dw = sums.dw + d * w;
            sums.dd = sums.dd + d * d;
            for l in 0..k {
                let [e, v] = axis(l);
                let minor = e * w - d * v;
                sums.cross = sums.cross + minor * minor;
            }
        }
        sums
    }

    /// When the distance becomes the square root of `touch`, which is NaN for a pair that never collides.
    ///
    /// A pair that already overlaps collides at once if it approaches and never if it separates.
    ///
    /// The computed time is never below `c / (-2 d.w)`: for a pair that is apart D is at most `(d.w)^2`, and where rounding
    /// makes its root larger, which it does if the pair nearly touches, the root is replaced by `-d.w`.
    #[inline(always)]
    pub(crate) fn contact(&self, touch: N) -> SphereContact<N> {
        let inside = touch - self.dd;
        let discriminant = self.ww * touch - self.cross;
        // Not negative for a contact: the discriminant of a pair that is apart; of an overlap either, of which the time is 0
        // anyway. Its root is NaN where there is none.
        let contact = discriminant.max(inside);
        let root = contact.sqrt().min(-self.dw);
        let time = (inside / (self.dw - root)).max(N::ZERO);
        SphereContact { time, happens: self.dw.lt(N::ZERO) & N::ZERO.le(contact) }
    }
}

impl<N: Quantity> SphereContact<N> {
    /// The time of contact, or infinity if there is none within `horizon` seconds.
    #[inline(always)]
    pub(crate) fn within(self, horizon: N) -> N {
        (self.happens & self.time.le(horizon)).select(self.time, N::splat(f64::INFINITY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::level::Portable;
    use crate::soa::simd::Simd;

    type Block = <Portable as Simd>::Block;

    fn time<const D: usize>(d: [f64; D], w: [f64; D], radius: f64) -> f64 {
        let axis = |k: usize| [d[k], w[k]];
        let known = Products::new::<D>(D, axis).contact(radius * radius).within(f64::INFINITY);
        let unknown = Products::new::<0>(D, axis).contact(radius * radius).within(f64::INFINITY);
        assert_eq!(known.to_bits(), unknown.to_bits(), "dimension known or not");
        let lanes = |k: usize| [Block::splat(d[k]), Block::splat(w[k])];
        let block = Products::<Block>::new::<D>(D, lanes).contact(Block::splat(radius * radius));
        let [.., last] = block.within(Block::splat(f64::INFINITY)).to_array();
        assert_eq!(known.to_bits(), last.to_bits(), "one pair or a block");
        known
    }

    #[test]
    fn head_on_oblique_and_past() {
        assert_eq!(time([-3.0], [2.0], 1.0), 1.0);
        assert_eq!(time([-4.0, 0.0], [2.0, 0.0], 1.0), 1.5);
        assert_eq!(time([-5.0, 3.0], [1.0, 0.0], 5.0), 1.0);
        assert_eq!(time([-5.0, 3.0, 0.0], [1.0, 0.0, 0.0], 2.9), f64::INFINITY);
        assert_eq!(time([-4.0, 0.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0, 0.0], 1.0), 1.5);
    }

    #[test]
    fn overlap_collides_at_once_if_it_approaches_and_never_if_it_separates() {
        assert_eq!(time([-0.5, 0.0], [1.0, 0.0], 1.0), 0.0);
        assert_eq!(time([-0.5, 0.0], [-1.0, 0.0], 1.0), f64::INFINITY);
        assert_eq!(time([-0.5, 0.0], [0.0, 0.0], 1.0), f64::INFINITY);
        // The discriminant of a tangent contact may round to either side of 0: an overlap counts all the same.
        for k in 1..1000 {
            let angle = 1e-3 * f64::from(k);
            let (d, w) = ([angle.cos(), angle.sin()], [angle.sin() - 1e-17, -angle.cos()]);
            let overlap = d[0] * d[0] + d[1] * d[1] <= 1.0 && d[0] * w[0] + d[1] * w[1] < 0.0;
            assert!(!overlap || time(d, w, 1.0) == 0.0, "{d:?} {w:?}");
        }
    }

    #[test]
    fn what_never_collides_has_a_radius_that_is_no_number() {
        assert_eq!(time([-0.5, 0.0], [1.0, 0.0], f64::NAN), f64::INFINITY);
        assert_eq!(time([f64::NAN, 0.0], [1.0, 0.0], 1.0), f64::INFINITY);
    }

    #[test]
    fn far_away_no_close_call_is_wrong() {
        for exponent in 0..9 {
            let distance = 2.0 * 10.0_f64.powi(exponent);
            let at = |miss: f64| {
                time([-0.6 * distance - 0.8 * miss, 0.6 * miss - 0.8 * distance], [0.6, 0.8], 1.0)
            };
            let resolution = 1e-15 * distance;
            assert!(at(1.0 - 3.0 * resolution) < f64::INFINITY, "hit from {distance}");
            assert_eq!(at(1.0 + 3.0 * resolution), f64::INFINITY, "miss from {distance}");
        }
    }

    #[test]
    fn the_time_is_never_below_the_bound_of_the_filters() {
        let mut seed = 1_u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for _ in 0..100_000 {
            let d = [uniform(), uniform(), uniform()];
            let w = [uniform(), uniform(), uniform()];
            let products = Products::new::<3>(3, |k| [d[k], w[k]]);
            // Spheres that nearly touch, where the root of the discriminant is nearly -d.w.
            let touch = products.dd * (1.0 - 1e-15 * (uniform() + 0.5));
            let time = products.contact(touch).within(f64::INFINITY);
            assert!(time == f64::INFINITY || time >= (products.dd - touch) / (-2.0 * products.dw));
        }
    }
}
