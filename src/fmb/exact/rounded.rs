//! Plain floating-point numbers with a coarse bound of their error: they decide all but the close axes.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use super::axes::Arithmetic;

/// A number that was rounded after every operation.
///
/// The error is at most the number of roundings in the longest chain of operations, times half an ulp of `size`. In
/// [`NumericPair`](super::axes::NumericPair) that chain has 18: 4 to a normal, 2 to the displacement, 3 for their product,
/// up to 8 for the sum of the extents, and 1 for the size itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounded {
    value: f64,
    /// The value with every term taken positive.
    size: f64,
}

/// 32 roundings of half an ulp.
const ERROR: f64 = 16.0 * f64::EPSILON;

impl Add for Rounded {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, size: self.size + other.size }
    }
}

impl Sub for Rounded {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, size: self.size + other.size }
    }
}

impl Mul for Rounded {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { value: self.value * other.value, size: self.size * other.size }
    }
}

impl Arithmetic for Rounded {
    const ZERO: Self = Self { value: 0.0, size: 0.0 };

    #[inline(always)]
    fn read(value: f64, _unit: i32) -> Self {
        Self { value, size: value.abs() }
    }

    #[inline(always)]
    fn sign(self) -> Option<Ordering> {
        let error = self.size * ERROR;
        if self.value > error {
            Some(Ordering::Greater)
        } else if self.value < -error {
            Some(Ordering::Less)
        } else if self.size == 0.0 {
            Some(Ordering::Equal)
        } else {
            None
        }
    }

    #[inline(always)]
    fn lower(self, other: Self) -> Self {
        Self { value: self.value.min(other.value), size: self.size.max(other.size) }
    }

    #[inline(always)]
    fn higher(self, other: Self) -> Self {
        Self { value: self.value.max(other.value), size: self.size.max(other.size) }
    }

    /// Numbers that were just read are exact, so this is rounded once.
    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        Self::read(self.value - other.value, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_certain_or_not_given() {
        let read = |value| Rounded::read(value, 0);
        assert_eq!((read(0.1) * read(3.0) - read(0.2)).sign(), Some(Ordering::Greater));
        assert_eq!((read(0.2) - read(0.1) * read(3.0)).sign(), Some(Ordering::Less));
        assert_eq!((read(0.1) * read(3.0) - read(0.3)).sign(), None);
        assert_eq!((read(0.0) * read(3.0) - read(0.0)).sign(), Some(Ordering::Equal));
    }
}
