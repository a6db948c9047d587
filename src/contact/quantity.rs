//! Numbers and blocks of numbers behind one trait.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};

use crate::soa::lanes::{self, Block};

/// A quantity of one pair, or of one pair per lane. Every operation rounds once and gives the same bits in both.
pub(crate) trait Quantity:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The outcome of a comparison, one per lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask>;

    const ZERO: Self;

    fn splat(value: f64) -> Self;

    fn sqrt(self) -> Self;

    /// The larger of two; `other` where either is NaN.
    fn max(self, other: Self) -> Self;

    /// The smaller of two; `other` where either is NaN.
    fn min(self, other: Self) -> Self;

    /// `self < other`; false where either is NaN.
    fn lt(self, other: Self) -> Self::Mask;

    /// `self <= other`; false where either is NaN.
    fn le(self, other: Self) -> Self::Mask;

    /// `if mask { yes } else { no }`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}

impl Quantity for f64 {
    type Mask = bool;

    const ZERO: Self = 0.0;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}

impl Quantity for Block {
    type Mask = Self;

    const ZERO: Self = Self::ZERO;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        lanes::splat(value)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        lanes::sqrt(self)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        lanes::max(self, other)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        lanes::min(self, other)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self {
        lanes::lt(self, other)
    }

    #[inline(always)]
    fn le(self, other: Self) -> Self {
        lanes::le(self, other)
    }

    #[inline(always)]
    fn select(mask: Self, yes: Self, no: Self) -> Self {
        lanes::select(mask, yes, no)
    }
}
