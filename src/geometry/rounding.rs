//! Numbers in single precision on a chosen side of those in double precision.

/// The largest number in single precision that is not above `x`.
#[inline(always)]
#[must_use]
pub(crate) fn below(x: f64) -> f32 {
    let nearest = x as f32;
    let is_above = u32::from(f64::from(nearest) > x);
    // The next number below has one more in its bits if it is negative, and one less otherwise. There is no branch, because
    // half of all numbers are above.
    let bits = nearest.to_bits();
    let step = (bits >> 31).wrapping_mul(2).wrapping_sub(1);
    f32::from_bits(bits.wrapping_add(step.wrapping_mul(is_above)))
}

/// The smallest number in single precision that is not below `x`.
#[inline(always)]
#[must_use]
pub(crate) fn above(x: f64) -> f32 {
    -below(-x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_the_nearest_on_their_side() {
        let thirds = (0..2000).map(|n| (f64::from(n) / 3.0 - 300.0).powi(9));
        let edges = [0.0, 1.0, 0.1, 1e-46, 1e-40, 3.4e38, 1e39, f64::MAX, f64::MIN_POSITIVE, 16_777_217.0];
        for x in thirds.chain(edges).flat_map(|x| [x, -x]) {
            let (low, high) = (below(x), above(x));
            assert!(f64::from(low) <= x && x <= f64::from(high), "{x}");
            assert!(f64::from(low.next_up()) > x && f64::from(high.next_down()) < x, "{x}");
        }
    }

    #[test]
    fn what_is_no_number_stays_so() {
        assert!(below(f64::NAN).is_nan() && above(f64::NAN).is_nan());
        assert_eq!([below(f64::INFINITY), above(f64::NEG_INFINITY)], [f32::INFINITY, f32::NEG_INFINITY]);
    }

    #[test]
    fn numbers_of_single_precision_stay() {
        for x in [0.0_f32, 1.5, -2.25, 1e-45, f32::MAX, f32::MIN] {
            assert_eq!([below(x.into()), above(x.into())], [x, x]);
        }
    }
}
