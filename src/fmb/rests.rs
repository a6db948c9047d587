//! Sums and products together with what their rounding leaves, in lanes.

use crate::soa::block::Lanes;

/// The rounded sum and its rounding error (Knuth).
#[inline(always)]
pub(super) fn two_sum<B: Lanes<Number = f64>>(a: B, b: B) -> (B, B) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// The rounded product and its rounding error (Dekker): without fused operations, for the same bits at every level.
#[inline(always)]
pub(super) fn two_product<B: Lanes<Number = f64>>(a: B, b: B) -> (B, B) {
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    (product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low))
}

/// A number as the sum of two with half the digits each (Veltkamp).
#[inline(always)]
fn split<B: Lanes<Number = f64>>(x: B) -> (B, B) {
    let shifted = x * B::splat(134_217_729.0); // 2^27 + 1
    let high = shifted - (shifted - x);
    (high, x - high)
}
