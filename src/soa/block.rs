//! Numbers and blocks of numbers behind one trait, for formulas that are written once; and blocks of either precision behind
//! another, for kernels that run in single precision first and in double where that does not settle the matter.

use std::ops::{Add, BitAnd, BitOr, BitOrAssign, Div, Mul, Neg, Sub};

use super::lanes::{self, Block, Block32, LANES, LANES32};

/// A number, or a block with one number per lane. Every operation rounds once and gives the same bits in both.
pub(crate) trait Quantity:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The outcome of a comparison, one per lane.
    type Mask: Mask<Self>;

    /// 0 in every lane.
    const ZERO: Self;

    /// The nearest number in every lane.
    fn splat(value: f64) -> Self;
    /// The square root of each lane.
    fn sqrt(self) -> Self;
    /// The larger of two numbers, lane by lane; `other` where either is NaN.
    fn max(self, other: Self) -> Self;
    /// The smaller of two numbers, lane by lane; `other` where either is NaN.
    fn min(self, other: Self) -> Self;
    /// The lanes in which `self <= other`; false where either is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// The lanes in which `self < other`; false where either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
}

/// The outcome of a comparison of quantities.
pub(crate) trait Mask<N>: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// Lane by lane `if self { yes } else { no }`.
    fn select(self, yes: N, no: N) -> N;
}

/// A block of `f64` or of `f32`. Masks are blocks, too: they have all bits of a lane set, or none.
pub(crate) trait Lanes: Quantity<Mask = Self> + Mask<Self> + BitOrAssign {
    /// Numbers in a block.
    const COUNT: usize;
    /// The relative error of one rounding.
    const UNIT: f64;

    /// The magnitude of each lane.
    fn abs(self) -> Self;
    /// `self factor + addend`, as [`fused`](lanes::fused) rounds.
    fn fused(self, factor: Self, addend: Self) -> Self;
    /// `self factor - subtrahend`, as [`fused`](lanes::fused) rounds.
    fn fused_minus(self, factor: Self, subtrahend: Self) -> Self;
    /// One bit per lane of a mask, lane 0 lowest.
    fn bits(self) -> u32;
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
    fn le(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }
}

impl Mask<f64> for bool {
    #[inline(always)]
    fn select(self, yes: f64, no: f64) -> f64 {
        if self { yes } else { no }
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
    fn le(self, other: Self) -> Self {
        lanes::le(self, other)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self {
        lanes::lt(self, other)
    }
}

impl Mask<Self> for Block {
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        lanes::select(self, yes, no)
    }
}

impl Lanes for Block {
    const COUNT: usize = LANES;
    const UNIT: f64 = f64::EPSILON / 2.0;

    #[inline(always)]
    fn abs(self) -> Self {
        Self::abs(self)
    }

    #[inline(always)]
    fn fused(self, factor: Self, addend: Self) -> Self {
        lanes::fused(self, factor, addend)
    }

    #[inline(always)]
    fn fused_minus(self, factor: Self, subtrahend: Self) -> Self {
        lanes::fused_minus(self, factor, subtrahend)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        lanes::bits(self)
    }
}

impl Quantity for Block32 {
    type Mask = Self;
    const ZERO: Self = Self::ZERO;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::splat(value as f32)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // One instruction there, with just this outcome; elsewhere it treats NaN otherwise.
        if cfg!(target_arch = "x86_64") { self.fast_max(other) } else { other.lt(self).select(self, other) }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if cfg!(target_arch = "x86_64") { self.fast_min(other) } else { self.lt(other).select(self, other) }
    }

    #[inline(always)]
    fn le(self, other: Self) -> Self {
        self.simd_le(other)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self {
        self.simd_lt(other)
    }
}

impl Mask<Self> for Block32 {
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        self.bitselect(yes, no)
    }
}

impl Lanes for Block32 {
    const COUNT: usize = LANES32;
    const UNIT: f64 = f32::EPSILON as f64 / 2.0;

    #[inline(always)]
    fn abs(self) -> Self {
        Self::abs(self)
    }

    #[inline(always)]
    fn fused(self, factor: Self, addend: Self) -> Self {
        self.mul_add(factor, addend)
    }

    #[inline(always)]
    fn fused_minus(self, factor: Self, subtrahend: Self) -> Self {
        self.mul_sub(factor, subtrahend)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.to_bitmask()
    }
}
