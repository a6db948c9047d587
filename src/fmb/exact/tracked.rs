//! Floating-point numbers that track their errors: they decide axes that are close but whose numbers have few digits, as
//! in a lattice.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use super::FAINT;
use super::axes::Arithmetic;

/// A number and a bound of its error. Operations that happen to be exact add nothing to it, so that small integers stay
/// exact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tracked {
    value: f64,
    error: f64,
}

/// Covers the up to five roundings of an error.
const OUTWARD: f64 = 1.0 + 4.0 * f64::EPSILON;

impl Add for Tracked {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (value, rest) = two_sum(self.value, other.value);
        Self { value, error: (self.error + other.error + rest.abs()) * OUTWARD }
    }
}

impl Sub for Tracked {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + Self { value: -other.value, ..other }
    }
}

impl Mul for Tracked {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (value, rest) = two_product(self.value, other.value);
        let spread = self.value.abs() * other.error + self.error * (other.value.abs() + other.error);
        Self { value, error: (spread + rest.abs()) * OUTWARD }
    }
}

impl Arithmetic for Tracked {
    const ZERO: Self = Self { value: 0.0, error: 0.0 };

    #[inline(always)]
    fn read(value: f64, _unit: i32) -> Self {
        if value != 0.0 && value.abs() < FAINT {
            return Self { value: 0.0, error: FAINT };
        }
        Self { value, error: 0.0 }
    }

    #[inline(always)]
    fn sign(self) -> Option<Ordering> {
        if self.value > self.error {
            Some(Ordering::Greater)
        } else if self.value < -self.error {
            Some(Ordering::Less)
        } else if self.error == 0.0 {
            Some(Ordering::Equal)
        } else {
            None
        }
    }

    #[inline(always)]
    fn lower(self, other: Self) -> Self {
        let chosen = if other.value < self.value { other } else { self };
        Self { error: self.error_of_choice(other, chosen), ..chosen }
    }

    #[inline(always)]
    fn higher(self, other: Self) -> Self {
        let chosen = if other.value > self.value { other } else { self };
        Self { error: self.error_of_choice(other, chosen), ..chosen }
    }
}

impl Tracked {
    /// The error of the lower or higher of two numbers: that of the chosen one if no other choice is
    /// possible.
    #[inline(always)]
    fn error_of_choice(self, other: Self, chosen: Self) -> f64 {
        let certain = (self.value - other.value).abs() > (self.error + other.error) * OUTWARD;
        if certain { chosen.error } else { self.error.max(other.error) }
    }
}

/// The rounded sum and its rounding error, which is again a floating-point number (Knuth).
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// The rounded product and its rounding error, which is again a floating-point number unless it underflows.
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    if cfg!(target_feature = "fma") {
        (product, a.mul_add(b, -product))
    } else {
        (product, product_rest(a, b, product))
    }
}

/// The rounding error of a product, without a fused operation (Dekker).
#[inline(always)]
fn product_rest(a: f64, b: f64, product: f64) -> f64 {
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
}

/// A number as a sum of two with half the digits each (Veltkamp).
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let scaled = a * 134_217_729.0; // 2^27 + 1
    let high = scaled - (scaled - a);
    (high, a - high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of 50 bits and more, of both signs.
    fn long_numbers() -> impl Iterator<Item = i64> {
        (1..500_i64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> (11 + i % 3))
    }

    #[test]
    fn sums_and_products_lose_nothing() {
        for (a, b) in long_numbers().zip(long_numbers().skip(1)) {
            let (sum, rest) = two_sum(a as f64, (b >> 20) as f64);
            assert_eq!(sum as i128 + rest as i128, i128::from(a) + i128::from(b >> 20));
            let (product, rest) = two_product(a as f64, b as f64);
            assert_eq!(product as i128 + rest as i128, i128::from(a) * i128::from(b));
            assert_eq!(product_rest(a as f64, b as f64, product), rest);
        }
    }

    #[test]
    fn the_error_holds_the_true_value() {
        let read = |value: i64| Tracked::read(value as f64, 0);
        for (a, b) in long_numbers().zip(long_numbers().skip(1)) {
            let (a, b) = (a >> 12, b >> 12);
            let found = (read(a) * read(b) + read(b)) * read(3) - read(a);
            let exact = (i128::from(a) * i128::from(b) + i128::from(b)) * 3 - i128::from(a);
            assert!((found.value as i128 - exact).abs() <= found.error as i128);
        }
    }

    #[test]
    fn faint_numbers_are_errors() {
        let faint = Tracked::read(-1e-300, 0);
        assert_eq!(faint.sign(), None);
        assert_eq!((Tracked::read(1.0, 0) + faint).sign(), Some(Ordering::Greater));
        assert_eq!((faint * faint + faint).sign(), None);
        assert_eq!((faint * Tracked::ZERO).sign(), Some(Ordering::Equal));
    }

    #[test]
    fn small_integers_stay_exact() {
        let read = |value| Tracked::read(value, 0);
        let zero = read(3.0) * read(4.0) - read(4.0) * read(3.0);
        assert_eq!(zero.sign(), Some(Ordering::Equal));
        assert_eq!((read(0.1) * read(3.0) - read(0.3)).sign(), Some(Ordering::Greater));
        assert_eq!((read(0.1) * read(0.1) - read(0.1 * 0.1)).sign(), None);
        assert_eq!((read(0.1) * read(0.1)).lower(Tracked::ZERO).sign(), Some(Ordering::Equal));
    }
}
