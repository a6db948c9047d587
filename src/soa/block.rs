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

/// Most numbers of `f32` in a block of any kind.
pub(crate) const MOST_LANES: usize = 16;

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

/// A number that comes in blocks: `f64`, and `f32` for first filters and for solvers that need no more.
pub(crate) trait Real:
    Pod
    + Debug
    + Send
    + Sync
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
{
    /// The block of a level of instructions.
    type Block<S: Simd>: Lanes<Number = Self>;

    /// Numbers in a block.
    const COUNT: usize;

    /// The nearest number.
    fn nearest(value: f64) -> Self;

    /// The same number in double precision.
    fn widen(self) -> f64;

    /// The nearest numbers to those of one block of `f64`, or of two if there are twice as many lanes.
    fn join<S: Simd, const N: usize>(halves: [[S::Block; N]; 2]) -> [Self::Block<S>; N];

    /// Four numbers of each of some rows as columns: lane `i` of block `k` is entry `k` of row `places[i]`.
    ///
    /// # Safety
    /// There must be as many places as lanes, and all rows must exist.
    unsafe fn load_quads<S: Simd>(rows: &[[Self; 4]], places: &[u32]) -> [Self::Block<S>; 4];

    /// The inverse of [`load_quads`](Self::load_quads).
    ///
    /// # Safety
    /// There must be as many places as lanes, and all rows must exist.
    unsafe fn store_quads<S: Simd>(rows: &mut [[Self; 4]], places: &[u32], columns: [Self::Block<S>; 4]);
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
    /// The determinant of two rows, `a d - b c`. That of singles is computed in double precision and then rounded.
    fn determinant(rows: [Self; 2], others: [Self; 2]) -> Self;
    /// The lanes in which `self == other`; false where either is NaN.
    fn equals(self, other: Self) -> Self;
    /// The sign bit of each lane, which of a mask is the whole lane; lane 0 lowest.
    fn bits(self) -> u32;
    /// The bits of each lane, as a whole number, shifted towards the highest.
    fn shift_left<const BITS: i32>(self) -> Self;
    /// The bits of each lane, as a whole number, shifted towards the lowest.
    fn shift_right<const BITS: i32>(self) -> Self;

    /// One number per lane, from a function of the lane.
    fn collect(number: impl Fn(usize) -> Self::Number) -> Self;
    /// Four numbers of one row per lane as columns: lane `i` of block `k` is `row(i)[k]`.
    fn load_rows<'a>(row: impl Fn(usize) -> &'a [Self::Number; 4]) -> [Self; 4]
    where
        Self::Number: 'a;
    /// Four columns as rows, each with the number of its lane: the inverse of [`load_rows`](Self::load_rows).
    fn for_each_row(columns: [Self; 4], take: impl FnMut(usize, [Self::Number; 4]));
    /// Writes the lowest 32 bits of each lane.
    ///
    /// # Panics
    /// If there are not as many words as lanes.
    fn write_words(self, words: &mut [u32]);

    /// The numbers of the lanes.
    #[inline(always)]
    fn numbers(&self) -> &[Self::Number] {
        bytemuck::cast_slice(std::slice::from_ref(self))
    }

    /// A mask with all lanes set or none.
    #[inline(always)]
    fn mask_of_all(set: bool) -> Self {
        if set { Self::ZERO.le(Self::ZERO) } else { Self::ZERO }
    }

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

    const COUNT: usize = LANES;

    #[inline(always)]
    fn nearest(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }

    #[inline(always)]
    fn join<S: Simd, const N: usize>([low, _]: [[S::Block; N]; 2]) -> [S::Block; N] {
        low
    }

    #[inline(always)]
    unsafe fn load_quads<S: Simd>(rows: &[[f64; 4]], places: &[u32]) -> [S::Block; 4] {
        // SAFETY: by the contract of this function.
        S::Block::load_columns(each!(lane in [0, 1, 2, 3] => unsafe {
            rows.get_unchecked(*places.get_unchecked(lane) as usize)
        }))
    }

    #[inline(always)]
    unsafe fn store_quads<S: Simd>(rows: &mut [[f64; 4]], places: &[u32], columns: [S::Block; 4]) {
        let quads = S::Block::transpose(columns);
        for lane in 0..LANES {
            // SAFETY: by the contract of this function.
            unsafe { *rows.get_unchecked_mut(*places.get_unchecked(lane) as usize) = quads[lane].to_array() };
        }
    }
}

impl Real for f32 {
    type Block<S: Simd> = S::Block32;

    const COUNT: usize = LANES32;

    #[inline(always)]
    fn nearest(value: f64) -> Self {
        value as Self
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn join<S: Simd, const N: usize>([low, high]: [[S::Block; N]; 2]) -> [S::Block32; N] {
        let mut joined = [S::Block32::ZERO; N];
        for n in 0..N {
            joined[n] = S::to_single(low[n], high[n]);
        }
        joined
    }

    #[inline(always)]
    unsafe fn load_quads<S: Simd>(rows: &[[f32; 4]], places: &[u32]) -> [S::Block32; 4] {
        // SAFETY: by the contract of this function.
        S::Block32::load_quads(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => unsafe {
            rows.get_unchecked(*places.get_unchecked(lane) as usize)
        }))
    }

    #[inline(always)]
    unsafe fn store_quads<S: Simd>(rows: &mut [[f32; 4]], places: &[u32], columns: [S::Block32; 4]) {
        let quads = S::Block32::rows_of_quads(columns);
        for lane in 0..LANES32 {
            // SAFETY: by the contract of this function.
            unsafe { *rows.get_unchecked_mut(*places.get_unchecked(lane) as usize) = quads[lane] };
        }
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

    /// Rows of four as columns, their first column from a function of the lane, and the lowest bits of both.
    #[derive(Clone)]
    struct Rows<'a, R>(&'a [[R; 4]]);

    impl<R: Real> Kernel for Rows<'_, R> {
        type Output = [Vec<u32>; 5];

        #[inline(always)]
        fn run<S: Simd>(self) -> [Vec<u32>; 5] {
            let [a, b, c, d] = R::Block::<S>::load_rows(
                #[inline(always)]
                |lane| &self.0[lane],
            );
            let first = R::Block::<S>::collect(
                #[inline(always)]
                |lane| self.0[lane][0],
            );
            [a, b, c, d, first].map(|block| {
                let mut words = vec![0; R::COUNT];
                block.write_words(&mut words);
                words
            })
        }
    }

    #[test]
    fn rows_become_columns_and_lanes_become_words() {
        let number = |row: u32, column: u32| 100 * row + column;
        let doubles: [[f64; 4]; 4] = std::array::from_fn(|row| {
            std::array::from_fn(|k| f64::from_bits(7 << 32 | u64::from(number(row as u32, k as u32))))
        });
        let singles: [[f32; 4]; 8] =
            std::array::from_fn(|row| std::array::from_fn(|k| f32::from_bits(number(row as u32, k as u32))));
        let expected = |rows: u32| {
            [0, 1, 2, 3, 0].map(|column| (0..rows).map(|row| number(row, column)).collect::<Vec<_>>())
        };
        for found in level::run_at_each_level(&Rows(&doubles)) {
            assert_eq!(found, expected(4));
        }
        for found in level::run_at_each_level(&Rows(&singles)) {
            assert_eq!(found, expected(8));
        }
    }
}
