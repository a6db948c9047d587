//! Numbers and blocks of numbers behind one trait, for formulas that are written once; and blocks of either precision behind
//! another, for kernels that run in single precision first and in double where that does not settle the matter.
//!
//! A block has the same number of lanes at every level of instructions ([`Simd`](super::simd::Simd)), and every operation
//! rounds as its scalar twin does, so that the same input gives the same bits on every CPU. The exceptions,
//! [`fused`](Lanes::fused) and [`fused_minus`](Lanes::fused_minus), are only for results that do not depend on it.

use std::fmt::Debug;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign,
};

use bytemuck::Pod;

use super::simd::Simd;

/// Numbers in a block of `f64`.
pub(crate) const LANES: usize = 4;

/// Numbers in a block of `f32`.
pub(crate) const LANES32: usize = 8;

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

/// A number that comes in blocks: `f64`, and `f32` for first filters.
pub(crate) trait Real: Pod + Debug + Send + Sync {
    /// The block of a level of instructions.
    type Block<S: Simd>: Lanes<Number = Self>;

    /// The nearest number.
    fn nearest(value: f64) -> Self;
}

/// A block of `f64` or of `f32`. Masks are blocks, too: they have all bits of a lane set, or none.
pub(crate) trait Lanes:
    Quantity<Mask = Self>
    + Mask<Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + BitAndAssign
    + BitOrAssign
    + Pod
    + Debug
    + Send
    + Sync
{
    /// What a lane holds.
    type Number: Real;

    /// Numbers in a block.
    const COUNT: usize;
    /// The relative error of one rounding.
    const UNIT: f64;
    /// 1 in every lane.
    const ONE: Self;

    /// The same number in every lane, to the bit.
    fn broadcast(number: Self::Number) -> Self;
    /// The magnitude of each lane.
    fn abs(self) -> Self;
    /// `self factor + addend`, with one rounding where the level has the instruction and two elsewhere.
    fn fused(self, factor: Self, addend: Self) -> Self;
    /// `self factor - subtrahend`, rounded as [`fused`](Self::fused) is.
    fn fused_minus(self, factor: Self, subtrahend: Self) -> Self;
    /// The lanes in which `self == other`; false where either is NaN.
    fn equals(self, other: Self) -> Self;
    /// The sign bit of each lane, which of a mask is the whole lane; lane 0 lowest.
    fn bits(self) -> u32;
    /// The bits of each lane, as a whole number, shifted towards the highest.
    fn shift_left<const BITS: i32>(self) -> Self;
    /// The bits of each lane, as a whole number, shifted towards the lowest.
    fn shift_right<const BITS: i32>(self) -> Self;

    /// Numbers as blocks.
    ///
    /// # Panics
    /// If there are any and they are not whole blocks at the place of a block: those of a column are.
    #[inline(always)]
    fn blocks(numbers: &[Self::Number]) -> &[Self] {
        // An empty slice may be anywhere.
        if numbers.is_empty() { &[] } else { bytemuck::cast_slice(numbers) }
    }

    /// Numbers as blocks to be written, like [`blocks`](Self::blocks).
    #[inline(always)]
    fn blocks_mut(numbers: &mut [Self::Number]) -> &mut [Self] {
        if numbers.is_empty() { &mut [] } else { bytemuck::cast_slice_mut(numbers) }
    }
}

/// A block of [`LANES`] numbers of `f64`.
pub(crate) trait Doubles: Lanes<Number = f64> {
    /// One number per lane.
    fn new(numbers: [f64; LANES]) -> Self;
    /// One number per lane.
    fn to_array(self) -> [f64; LANES];
    /// Four rows as columns, or back: lane `i` of block `k` is lane `k` of block `i`.
    fn transpose(rows: [Self; LANES]) -> [Self; LANES];
    /// Four rows from memory as columns: lane `i` of block `k` is `rows[i][k]`.
    fn load_columns(rows: [&[f64; LANES]; LANES]) -> [Self; LANES];
    /// Four entries of a column, one per lane.
    ///
    /// # Safety
    /// All rows must be within the column.
    unsafe fn gather(column: &[f64], rows: [u32; LANES]) -> Self;
    /// A mask from bytes: set where the byte is not 0.
    fn mask_of(bytes: [u8; LANES]) -> Self;
    /// The bits of each lane, as a whole number, and this number added; modulo 2^64.
    fn plus_bits(self, number: u64) -> Self;
    /// Whether no lane has any of these bits set.
    fn lacks_bits(self, bits: u64) -> bool;

    /// The sum of the lanes as a fixed tree.
    #[inline(always)]
    fn sum(self) -> f64 {
        let [a, b, c, d] = self.to_array();
        (a + b) + (c + d)
    }

    /// Groups of numbers as blocks, which those of a column are.
    #[inline(always)]
    fn of_quads(quads: &[[f64; LANES]]) -> &[Self] {
        Self::blocks(quads.as_flattened())
    }

    /// Groups of numbers as blocks to be written.
    #[inline(always)]
    fn of_quads_mut(quads: &mut [[f64; LANES]]) -> &mut [Self] {
        Self::blocks_mut(quads.as_flattened_mut())
    }
}

/// A block of [`LANES32`] numbers of `f32`.
pub(crate) trait Singles: Lanes<Number = f32> {
    /// One number per lane.
    fn new(numbers: [f32; LANES32]) -> Self;
    /// One number per lane.
    fn to_array(self) -> [f32; LANES32];
    /// Lanes 4 to 7 before lanes 0 to 3.
    fn swap_halves(self) -> Self;
    /// Four numbers of each of eight rows as columns: lane `i` of block `k` is entry `k` of row `i`.
    fn load_quads(rows: [&[f32; LANES]; LANES32]) -> [Self; LANES];
    /// Columns of four numbers for each of eight rows as rows: the inverse of [`load_quads`](Self::load_quads).
    fn rows_of_quads(columns: [Self; LANES]) -> [[f32; LANES]; LANES32];
    /// A mask from bytes: set where the byte is not 0.
    fn mask_of(bytes: [u8; LANES32]) -> Self;

    /// A mask with all lanes set or none.
    #[inline(always)]
    fn mask(set: bool) -> Self {
        Self::broadcast(f32::from_bits(if set { u32::MAX } else { 0 }))
    }
}

/// An array made by writing an expression out once for each index: `each!(i in [0, 1] => a[i] + b[i])`.
///
/// The maps of arrays take closures, which the compiler leaves as calls in kernels as large as ours.
macro_rules! each {
    ($index:ident in [$($value:literal),+] => $entry:expr) => {
        [$({
            let $index: usize = $value;
            $entry
        }),+]
    };
}
pub(crate) use each;

impl Real for f64 {
    type Block<S: Simd> = S::Block;

    #[inline(always)]
    fn nearest(value: f64) -> Self {
        value
    }
}

impl Real for f32 {
    type Block<S: Simd> = S::Block32;

    #[inline(always)]
    fn nearest(value: f64) -> Self {
        value as Self
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::Column;
    use crate::soa::level::{self, Kernel};

    #[derive(Clone)]
    struct CountBlocks<'a>(&'a [f64]);

    impl Kernel for CountBlocks<'_> {
        type Output = [usize; 2];

        #[inline(always)]
        fn run<S: Simd>(self) -> [usize; 2] {
            [S::Block::blocks(self.0).len(), S::Block::blocks_mut(&mut []).len()]
        }
    }

    #[test]
    fn an_empty_slice_is_no_blocks_wherever_it_is() {
        let column = Column::filled(8, 1.0, 0.0).unwrap();
        let numbers = column.as_slice();
        for counts in level::run_at_each_level(&CountBlocks(numbers)) {
            assert_eq!(counts, [2, 0]);
        }
        for counts in level::run_at_each_level(&CountBlocks(&numbers[1..1])) {
            assert_eq!(counts, [0, 0]);
        }
    }
}
