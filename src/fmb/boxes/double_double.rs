//! Numbers of twice the digits of a double, with a bound of their error.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use super::programs::Number;
use crate::fmb::exact::Arithmetic;

/// The sum of two doubles, the second less than half a unit in the last place of the first, and a bound of its error.
///
/// No fused operation is used, so that results are bit-identical at every level of instructions.
#[derive(Debug, Clone, Copy)]
pub(super) struct DoubleDouble {
    high: f64,
    low: f64,
    error: f64,
}

/// The relative error of a sum is below 3 squares of the unit of rounding, that of a product below 7 (Joldes, Muller and
/// Popescu, 2017).
const ROUNDING: f64 = 8.0 * (f64::EPSILON / 2.0) * (f64::EPSILON / 2.0);

/// More than what is lost where a product underflows, and than any number that is taken as 0.
const FAINT: f64 = f64::from_bits((1023 - 960) << 52);

/// Covers the roundings of an error.
const OUTWARD: f64 = 1.0 + 8.0 * f64::EPSILON;

impl DoubleDouble {
    const fn new(high: f64, low: f64, error: f64) -> Self {
        Self { high, low, error }
    }

    fn is_exactly_zero(&self) -> bool {
        self.high == 0.0 && self.error == 0.0
    }

    /// The error of the lower or higher of two numbers: that of the chosen one if no other choice is possible.
    fn error_of_choice(&self, other: &Self, chosen: &Self) -> f64 {
        let certain = (self.high - other.high).abs() > (self.error + other.error) * OUTWARD;
        if certain { chosen.error } else { self.error.max(other.error) }
    }

    fn is_below(&self, other: &Self) -> bool {
        (self.high, self.low) < (other.high, other.low)
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, rest) = two_sum(self.high, other.high);
        let errors = self.error + other.error;
        if self.low == 0.0 && other.low == 0.0 {
            return Self::new(high, rest, errors * OUTWARD);
        }
        let (low, last) = two_sum(self.low, other.low);
        let (high, rest) = fast_two_sum(high, rest + low);
        let (high, low) = fast_two_sum(high, rest + last);
        Self::new(high, low, (errors + ROUNDING * high.abs()) * OUTWARD)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self { high: -other.high, low: -other.low, ..other }
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        if self.is_exactly_zero() || other.is_exactly_zero() {
            return Self::ZERO;
        }
        let (product, rest) = two_product(self.high, other.high);
        let spread = self.high.abs() * other.error + self.error * (other.high.abs() + other.error);
        if self.low == 0.0 && other.low == 0.0 {
            return Self::new(product, rest, (spread + FAINT) * OUTWARD);
        }
        let (high, low) = fast_two_sum(product, rest + (self.high * other.low + self.low * other.high));
        Self::new(high, low, (spread * OUTWARD + ROUNDING * high.abs() + FAINT) * OUTWARD)
    }
}

impl Arithmetic for DoubleDouble {
    const ZERO: Self = Self::new(0.0, 0.0, 0.0);

    fn read(value: f64, unit: i32) -> Self {
        let scaled = scaled(value, -unit);
        if value != 0.0 && scaled.abs() < FAINT.sqrt() {
            return Self::new(0.0, 0.0, FAINT.sqrt());
        }
        Self::new(scaled, 0.0, 0.0)
    }

    fn sign(self) -> Option<Ordering> {
        if self.high.abs() > self.error * OUTWARD {
            self.high.partial_cmp(&0.0)
        } else {
            (self.high == 0.0 && self.error == 0.0).then_some(Ordering::Equal)
        }
    }

    fn lower(self, other: Self) -> Self {
        let chosen = if other.is_below(&self) { other } else { self };
        Self { error: self.error_of_choice(&other, &chosen), ..chosen }
    }

    fn higher(self, other: Self) -> Self {
        let chosen = if self.is_below(&other) { other } else { self };
        Self { error: self.error_of_choice(&other, &chosen), ..chosen }
    }
}

impl Number for DoubleDouble {
    fn is_zero(&self) -> bool {
        self.is_exactly_zero()
    }

    /// One step of long division.
    fn ratio(self, divisor: Self, exponent: i32) -> [f64; 2] {
        let first = self.high / divisor.high;
        let rest = self - Self::new(first, 0.0, 0.0) * divisor;
        let quotient = first + rest.high / divisor.high;
        // The least that the divisor may be. It is not negative, but may be a rounding away from 0.
        let least = divisor.high.abs() / OUTWARD - divisor.error * OUTWARD;
        if least.is_nan() || least <= 0.0 {
            return [scaled(quotient, exponent), f64::INFINITY];
        }
        let error = (self.error + quotient.abs() * divisor.error) / least * OUTWARD + 1e-28 * quotient.abs();
        [scaled(quotient, exponent), scaled(error, exponent)]
    }
}

/// `value` 2^`exponent`. It is exact unless it overflows or underflows.
pub(super) fn scaled(value: f64, exponent: i32) -> f64 {
    let power = |exponent: i32| f64::from_bits(((1023 + exponent) as u64) << 52);
    let mut left = exponent.clamp(-4000, 4000);
    let mut scaled = value;
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        scaled *= power(step);
        left -= step;
    }
    scaled
}

/// The rounded sum and its rounding error, which is again a double (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// The same where the first number is not smaller (Dekker).
fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// The rounded product and its rounding error, which is again a double unless it underflows (Dekker).
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |x: f64| {
        let shifted = x * 134_217_729.0; // 2^27 + 1
        let high = shifted - (shifted - x);
        (high, x - high)
    };
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    (product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::random::SplitMix64;

    fn number(value: f64) -> DoubleDouble {
        DoubleDouble::read(value, 0)
    }

    #[test]
    fn sums_and_products_of_small_integers_are_exact() {
        let (a, b) = (number(9_007_199_254_740_993.0), number(3.0));
        let sum = (a * a - b * b) - (a - b) * (a + b);
        assert_eq!((sum.high, sum.low), (0.0, 0.0));
        assert_eq!((a - a).sign(), Some(Ordering::Equal));
        assert_eq!(number(0.1) * DoubleDouble::ZERO + number(1.0) - number(1.0), DoubleDouble::ZERO);
    }

    impl PartialEq for DoubleDouble {
        fn eq(&self, other: &Self) -> bool {
            (self.high, self.low, self.error) == (other.high, other.low, other.error)
        }
    }

    #[test]
    fn errors_cover_what_is_rounded() {
        // Integers of 31 bits: products of three, and their sums, are exact in 128 bits.
        let mut random = SplitMix64(3);
        for _ in 0..10_000 {
            let x: [i128; 6] = std::array::from_fn(|_| i128::from(random.bits() as u32 >> 1) - (1 << 30));
            let exact = x[0] * x[1] * x[2] - x[3] * x[4] * x[5];
            let n = x.map(|x| number(x as f64));
            let found = n[0] * n[1] * n[2] - n[3] * n[4] * n[5];
            let difference = exact - (found.high as i128 + found.low as i128);
            assert!(difference.abs() as f64 <= found.error, "{x:?}: {found:?}");
            assert!(found.error < 1e-24 * (exact.abs() as f64 + 1e27), "{x:?}: {found:?}");
        }
    }

    #[test]
    fn the_error_of_a_ratio_holds_what_the_divisor_leaves_open() {
        let numerator = DoubleDouble::new(3.0, 0.0, 0.25);
        for share in [0.0, 0.1, 0.4, 0.5, 0.6, 0.9, 0.999] {
            let divisor = DoubleDouble::new(-2.0, 0.0, 2.0 * share);
            let [ratio, error] = numerator.ratio(divisor, 1);
            let largest = 2.0 * (3.25 / (2.0 - 2.0 * share));
            assert!(ratio == -3.0 && ratio - error <= -largest, "{share}: {ratio} {error}");
        }
        let [_, error] = numerator.ratio(DoubleDouble::new(1.0, 0.0, 1.0 - f64::EPSILON), 0);
        assert_eq!(error, f64::INFINITY);
    }

    #[test]
    fn numbers_of_all_sizes_are_scaled() {
        assert_eq!(scaled(5e-324, 1074), 1.0);
        assert_eq!(scaled(3.0, -1074 - 1), 1e-323); // rounded to even
        assert_eq!(scaled(1e150, -2000), 0.0);
        assert_eq!(scaled(1.5, 1023), 1.5 * 2.0_f64.powi(1023));
        let [ratio, error] = (number(1.0) - number(0.0)).ratio(number(3.0), 4);
        assert_eq!(ratio, 16.0 / 3.0);
        assert!(error < 1e-26);
    }
}
