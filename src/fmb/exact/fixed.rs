//! Integers of a fixed number of bits: they decide every axis if there are enough bits.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use super::axes::{Arithmetic, BinaryUnits, FramePair};

/// An integer of `64 N` bits in two's complement, lowest limb first. The caller makes sure that results fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::fmb) struct Fixed<const N: usize>([u64; N]);

impl<const N: usize> Fixed<N> {
    fn is_negative(&self) -> bool {
        (self.0[N - 1] as i64) < 0
    }

    fn magnitude(self) -> Self {
        if self.is_negative() { Self::ZERO - self } else { self }
    }

    fn significant(&self) -> &[u64] {
        let len = self.0.iter().rposition(|&limb| limb != 0).map_or(0, |last| last + 1);
        &self.0[..len]
    }

    /// The highest 64 bits `m` of the magnitude of a number other than 0, the first of them set, and the exponent `e` so
    /// that the magnitude is m 2^e but for less than 2^e.
    fn leading(self) -> (u64, i32) {
        let magnitude = self.magnitude();
        let limbs = magnitude.significant();
        let last = limbs.len() - 1;
        let zeros = limbs[last].leading_zeros();
        let below = if last == 0 { 0 } else { limbs[last - 1] };
        let both = (u128::from(limbs[last]) << 64 | u128::from(below)) << zeros;
        ((both >> 64) as u64, 64 * last as i32 - zeros as i32)
    }

    /// `self` / `divisor`, which is not 0, as a number from 1/2 to 2 or 0, and an exponent of 2. The error is little more than
    /// half a unit in the last place.
    pub(in crate::fmb) fn quotient(self, divisor: Self) -> (f64, i32) {
        if self == Self::ZERO {
            return (0.0, 0);
        }
        let ((above, high), (below, low)) = (self.leading(), divisor.leading());
        let quotient = (u128::from(above) << 63) / u128::from(below);
        let sign = if self.is_negative() == divisor.is_negative() { 1.0 } else { -1.0 };
        (sign * quotient as f64 / (1_u64 << 63) as f64, high - low)
    }
}

impl<const N: usize> Add for Fixed<N> {
    type Output = Self;

    #[inline]
    fn add(mut self, other: Self) -> Self {
        let mut carry = false;
        for (limb, add) in self.0.iter_mut().zip(other.0) {
            (*limb, carry) = add_limbs(*limb, add, carry);
        }
        self
    }
}

impl<const N: usize> Sub for Fixed<N> {
    type Output = Self;

    #[inline]
    fn sub(mut self, other: Self) -> Self {
        let mut borrow = false;
        for (limb, take) in self.0.iter_mut().zip(other.0) {
            (*limb, borrow) = subtract_limbs(*limb, take, borrow);
        }
        self
    }
}

/// The sum and its carry.
#[inline(always)]
fn add_limbs(one: u64, two: u64, carry: bool) -> (u64, bool) {
    let (sum, over) = one.overflowing_add(two);
    let (sum, over_again) = sum.overflowing_add(u64::from(carry));
    (sum, over | over_again)
}

/// The difference and its borrow.
#[inline(always)]
fn subtract_limbs(from: u64, take: u64, borrow: bool) -> (u64, bool) {
    let (rest, under) = from.overflowing_sub(take);
    let (rest, under_again) = rest.overflowing_sub(u64::from(borrow));
    (rest, under | under_again)
}

impl<const N: usize> Mul for Fixed<N> {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        if N <= SHORT {
            return product(&self.0, &other.0);
        }
        // Most limbs of long factors are only signs.
        let magnitude = product(self.magnitude().significant(), other.magnitude().significant());
        if self.is_negative() == other.is_negative() { magnitude } else { Self::ZERO - magnitude }
    }
}

/// Integers of at most so many limbs are multiplied whole.
const SHORT: usize = 8;

/// The lowest `N` limbs of a product. They are also right for negative factors that have all `N` limbs.
#[inline(always)]
fn product<const N: usize>(one: &[u64], two: &[u64]) -> Fixed<N> {
    let mut result = [0; N];
    for (i, &a) in one.iter().enumerate() {
        let mut carry = 0;
        let (within, above) = result[i..].split_at_mut(two.len().min(N - i));
        for (limb, &b) in within.iter_mut().zip(two) {
            let sum = u128::from(a) * u128::from(b) + u128::from(*limb) + u128::from(carry);
            (*limb, carry) = (sum as u64, (sum >> 64) as u64);
        }
        if let Some(limb) = above.first_mut() {
            *limb = carry;
        }
    }
    Fixed(result)
}

impl<const N: usize> Arithmetic for Fixed<N> {
    const ZERO: Self = Self([0; N]);

    fn read(value: f64, unit: i32) -> Self {
        let Some(Digits { odd, exponent }) = Digits::of(value) else { return Self::ZERO };
        let shift = (exponent - unit) as usize;
        let wide = u128::from(odd) << (shift % 64);
        let mut limbs = [0; N];
        limbs[shift / 64] = wide as u64;
        if let Some(limb) = limbs.get_mut(shift / 64 + 1) {
            *limb = (wide >> 64) as u64;
        }
        if value < 0.0 { Self::ZERO - Self(limbs) } else { Self(limbs) }
    }

    #[inline]
    fn sign(self) -> Option<Ordering> {
        Some(if self.is_negative() {
            Ordering::Less
        } else if self == Self::ZERO {
            Ordering::Equal
        } else {
            Ordering::Greater
        })
    }

    #[inline]
    fn lower(self, other: Self) -> Self {
        if (self - other).is_negative() { self } else { other }
    }

    #[inline]
    fn higher(self, other: Self) -> Self {
        if (self - other).is_negative() { other } else { self }
    }
}

/// The magnitude of a number other than 0 is `odd` * 2^`exponent`.
#[derive(Debug, PartialEq, Eq)]
struct Digits {
    odd: u64,
    exponent: i32,
}

impl Digits {
    fn of(value: f64) -> Option<Self> {
        const HIDDEN: u64 = 1 << (f64::MANTISSA_DIGITS - 1);
        const LEAST_EXPONENT: i32 = f64::MIN_EXP - f64::MANTISSA_DIGITS as i32;
        if value == 0.0 {
            return None;
        }
        let bits = value.to_bits();
        let (stored, digits) = ((bits >> 52 & 0x7ff) as i32, bits & (HIDDEN - 1));
        let digits = if stored == 0 { digits } else { digits | HIDDEN };
        let zeros = digits.trailing_zeros();
        Some(Self { odd: digits >> zeros, exponent: LEAST_EXPONENT + stored.max(1) - 1 + zeros as i32 })
    }

    /// The first power of two that is larger.
    fn end(&self) -> i32 {
        self.exponent + (u64::BITS - self.odd.leading_zeros()) as i32
    }
}

/// Every number of a set is a multiple of 2^`start` and smaller than 2^`end`.
#[derive(Debug, Clone, Copy)]
pub(in crate::fmb) struct BitRange {
    pub(in crate::fmb) start: i32,
    pub(in crate::fmb) end: i32,
}

impl BitRange {
    pub(in crate::fmb) fn of(values: impl Iterator<Item = f64>) -> Self {
        let join = |one: Self, two: Self| Self { start: one.start.min(two.start), end: one.end.max(two.end) };
        let spans = values.filter_map(Digits::of).map(|x| Self { start: x.exponent, end: x.end() });
        spans.reduce(join).unwrap_or(Self { start: 0, end: 0 })
    }

    pub(in crate::fmb) fn bits(self) -> i32 {
        self.end - self.start
    }
}

/// The units in which all numbers of a pair are integers, and how many bits suffice for every result.
pub(super) fn units_and_bits<const D: usize>(frames: &FramePair<'_, D>) -> (BinaryUnits, usize) {
    let mut length = BitRange::of(frames.lengths());
    let mut units = BinaryUnits { length: length.start, velocity: 0, time: 0 };
    // A difference has one bit more; so has a sum of two products.
    let (mut longest_edge, mut longest_displacement) = (length.bits() + 1, length.bits() + 1);
    if let Some(duration) = frames.duration {
        let (velocity, time) = (BitRange::of(frames.velocities()), BitRange::of(std::iter::once(duration)));
        // The displacement must come out in the unit of lengths.
        length.start = length.start.min(velocity.start + time.start);
        units = BinaryUnits {
            length: length.start,
            velocity: velocity.start,
            time: length.start - velocity.start,
        };
        longest_edge = (length.bits() + 1).max(velocity.bits() + 1);
        longest_displacement = (length.bits() + 1).max(velocity.bits() + 1 + time.end - units.time);
    }
    let normal = length.bits() + 1 + longest_edge + 1;
    // Dot products have 3 terms; the origin, 6 components and the displacement are added up; and there is a sign.
    (units, (normal + longest_displacement + 2 + 3 + 1) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::Frame;

    fn integer<const N: usize>(value: i128) -> Fixed<N> {
        let sign = if value < 0 { u64::MAX } else { 0 };
        Fixed(std::array::from_fn(|i| match i {
            0 => value as u64,
            1 => (value >> 64) as u64,
            _ => sign,
        }))
    }

    fn check_against_i128<const N: usize>() {
        let numbers = (0..200_i128).map(|i| (i - 100) * 0x0123_4567_89ab_cdef_i128 / (1 << (i % 60)));
        for (a, b) in numbers.clone().zip(numbers.skip(7)) {
            let (x, y) = (integer::<N>(a), integer::<N>(b));
            assert_eq!(x + y, integer(a + b));
            assert_eq!(x - y, integer(a - b));
            assert_eq!(x * y, integer(a * b));
            assert_eq!(x.lower(y), integer(a.min(b)));
            assert_eq!(x.higher(y), integer(a.max(b)));
            assert_eq!((x - y).sign(), Some(a.cmp(&b)));
        }
    }

    #[test]
    fn integers_of_all_lengths_agree_with_those_of_the_language() {
        check_against_i128::<2>();
        check_against_i128::<3>();
        check_against_i128::<4>();
        check_against_i128::<8>();
        check_against_i128::<24>();
    }

    #[test]
    fn long_products_keep_all_limbs() {
        // (2^k - 1) (2^k + 1) = 2^2k - 1
        let one = Fixed::<24>::read(1.0, 0);
        let power = |exponent: i32| Fixed::<24>::read(1.0, -exponent);
        for k in [63, 64, 65, 300, 767] {
            assert_eq!((power(k) - one) * (power(k) + one), power(2 * k) - one);
            assert_eq!((one - power(k)) * (power(k) + one), one - power(2 * k));
        }
    }

    #[test]
    fn quotients_are_the_nearest_doubles() {
        for (a, b) in
            [(1, 3), (-7, 2), (1_234_567_890_123_457, 98_765), (1 << 90, 3), (5, 1 << 100), (-9, -9)]
        {
            let (mantissa, exponent) = integer::<8>(a).quotient(integer(b));
            assert_eq!(mantissa * 2.0_f64.powi(exponent), a as f64 / b as f64, "{a} / {b}");
        }
        assert_eq!(integer::<4>(0).quotient(integer(5)), (0.0, 0));
    }

    #[test]
    fn numbers_are_read_in_units() {
        assert_eq!(Fixed::<4>::read(-12.5, -1), integer(-25));
        assert_eq!(Fixed::<4>::read(5e-324, -1074), integer(1));
        assert_eq!(Fixed::<4>::read(3.0, -70), integer(3 << 70));
        assert_eq!(Fixed::<4>::read(-0.0, 5), Fixed::ZERO);
        assert_eq!(Digits::of(f64::MIN_POSITIVE), Some(Digits { odd: 1, exponent: -1022 }));
        assert_eq!(Digits::of(12.0), Some(Digits { odd: 3, exponent: 2 }));
        assert_eq!(Digits::of(12.0).unwrap().end(), 4);
    }

    #[test]
    fn the_displacement_comes_out_in_the_unit_of_lengths() {
        let frame = Frame::cuboid([0.0, 3.0], [[4.0, 0.0], [0.0, 2.0]]);
        for (velocity, duration) in [(0.5, 0.25), (1024.0, 8.0), (1e-200, 1e190), (3.0, 1.0)] {
            let moving = frame.with_velocity([velocity, 0.0]);
            let (units, bits) = units_and_bits(&FramePair::new(&frame, &moving, Some(duration)));
            assert_eq!(units.velocity + units.time, units.length);
            assert!(units.length <= 0 && bits > 0);
        }
        assert_eq!(units_and_bits(&FramePair::new(&frame, &frame, Some(1.0))).0, BinaryUnits::default());
    }
}
