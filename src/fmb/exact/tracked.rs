//! Floating-point numbers that track their errors: they decide axes that are close where integers would be very long.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::{Add, Mul, Sub};

use super::FAINT;
use super::axes::Arithmetic;
use crate::soa::simd::Simd;

/// A number and a bound of its error. Operations that happen to be exact add nothing to it, so that small integers stay
/// exact. Products are those of a level of instructions; their outcome is the same at all levels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tracked<S> {
    value: f64,
    error: f64,
    level: PhantomData<S>,
}

/// Covers the up to five roundings of an error.
const OUTWARD: f64 = 1.0 + 4.0 * f64::EPSILON;

impl<S: Simd> Add for Tracked<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (value, rest) = two_sum(self.value, other.value);
        Self::new(value, (self.error + other.error + rest.abs()) * OUTWARD)
    }
}

impl<S: Simd> Sub for Tracked<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + Self { value: -other.value, ..other }
    }
}

impl<S: Simd> Mul for Tracked<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (value, rest) = two_product::<S>(self.value, other.value);
        let spread = self.value.abs() * other.error + self.error * (other.value.abs() + other.error);
        Self::new(value, (spread + rest.abs()) * OUTWARD)
    }
}

impl<S: Simd> Arithmetic for Tracked<S> {
    const ZERO: Self = Self::new(0.0, 0.0);

    #[inline(always)]
    fn read(value: f64, _unit: i32) -> Self {
        if value != 0.0 && value.abs() < FAINT {
            return Self::new(0.0, FAINT);
        }
        Self::new(value, 0.0)
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

impl<S: Simd> Tracked<S> {
    #[inline(always)]
    const fn new(value: f64, error: f64) -> Self {
        Self { value, error, level: PhantomData }
    }

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
fn two_product<S: Simd>(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, S::product_rest(a, b, product))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::level::{self, Kernel, Portable};

    /// Numbers of 50 bits and more, of both signs.
    fn long_numbers() -> impl Iterator<Item = i64> {
        (1..500_i64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> (11 + i % 3))
    }

    #[derive(Clone)]
    struct SumsAndProducts;

    impl Kernel for SumsAndProducts {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self) {
            for (a, b) in long_numbers().zip(long_numbers().skip(1)) {
                let (sum, rest) = two_sum(a as f64, (b >> 20) as f64);
                assert_eq!(sum as i128 + rest as i128, i128::from(a) + i128::from(b >> 20));
                let (product, rest) = two_product::<S>(a as f64, b as f64);
                assert_eq!(product as i128 + rest as i128, i128::from(a) * i128::from(b));
            }
        }
    }

    #[test]
    fn sums_and_products_lose_nothing() {
        level::run_at_each_level(&SumsAndProducts);
    }

    fn read(value: f64) -> Tracked<Portable> {
        Tracked::read(value, 0)
    }

    #[test]
    fn the_error_holds_the_true_value() {
        let read = |value: i64| read(value as f64);
        for (a, b) in long_numbers().zip(long_numbers().skip(1)) {
            let (a, b) = (a >> 12, b >> 12);
            let found = (read(a) * read(b) + read(b)) * read(3) - read(a);
            let exact = (i128::from(a) * i128::from(b) + i128::from(b)) * 3 - i128::from(a);
            assert!((found.value as i128 - exact).abs() <= found.error as i128);
        }
    }

    #[test]
    fn faint_numbers_are_errors() {
        let faint = read(-1e-300);
        assert_eq!(faint.sign(), None);
        assert_eq!((read(1.0) + faint).sign(), Some(Ordering::Greater));
        assert_eq!((faint * faint + faint).sign(), None);
        assert_eq!((faint * Tracked::ZERO).sign(), Some(Ordering::Equal));
    }

    #[test]
    fn small_integers_stay_exact() {
        let zero = read(3.0) * read(4.0) - read(4.0) * read(3.0);
        assert_eq!(zero.sign(), Some(Ordering::Equal));
        assert_eq!((read(0.1) * read(3.0) - read(0.3)).sign(), Some(Ordering::Greater));
        assert_eq!((read(0.1) * read(0.1) - read(0.1 * 0.1)).sign(), None);
        assert_eq!((read(0.1) * read(0.1)).lower(Tracked::ZERO).sign(), Some(Ordering::Equal));
    }
}
