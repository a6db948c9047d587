//! Lane blocks over `wide`: the only place that names it.
//!
//! A block has one logical width in every build, whatever the instruction set, so that the same input gives the
//! same bits with and without AVX2. For the same reason kernels use none of `wide`'s fused or horizontal operations.

use std::ops::{Add, BitOr, Mul, Sub};

use bytemuck::Pod;

/// Numbers in a block of `f64`.
pub const LANES: usize = 4;

/// [`LANES`] numbers of `f64` processed at once.
pub type Block = wide::f64x4;

/// Numbers in a block of `f32`.
pub const LANES32: usize = 8;

/// [`LANES32`] numbers of `f32` processed at once, for first filters.
pub type Block32 = wide::f32x8;

/// A number that comes in blocks: `f64`, and `f32` for first filters.
pub trait Real: Pod + Sync {
    /// Numbers in a block.
    const LANES: usize;

    /// [`Self::LANES`] numbers processed at once.
    type Block: Pod
        + Sync
        + Add<Output = Self::Block>
        + Sub<Output = Self::Block>
        + Mul<Output = Self::Block>
        + BitOr<Output = Self::Block>;

    /// The nearest number.
    fn nearest(value: f64) -> Self;

    /// A block with the same number in every lane.
    fn splat(self) -> Self::Block;

    /// All bits set where `a <= b`; false where either is NaN.
    fn le(a: Self::Block, b: Self::Block) -> Self::Block;

    /// Whether any lane of a mask is set.
    fn any(mask: Self::Block) -> bool;
}

impl Real for f64 {
    const LANES: usize = LANES;
    type Block = Block;

    #[inline(always)]
    fn nearest(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn splat(self) -> Block {
        Block::splat(self)
    }

    #[inline(always)]
    fn le(a: Block, b: Block) -> Block {
        a.simd_le(b)
    }

    #[inline(always)]
    fn any(mask: Block) -> bool {
        mask.to_bitmask() != 0
    }
}

impl Real for f32 {
    const LANES: usize = LANES32;
    type Block = Block32;

    #[inline(always)]
    fn nearest(value: f64) -> Self {
        value as Self
    }

    #[inline(always)]
    fn splat(self) -> Block32 {
        Block32::splat(self)
    }

    #[inline(always)]
    fn le(a: Block32, b: Block32) -> Block32 {
        a.simd_le(b)
    }

    #[inline(always)]
    fn any(mask: Block32) -> bool {
        mask.to_bitmask() != 0
    }
}

/// A block with the same number in every lane.
#[inline(always)]
#[must_use]
pub fn splat(value: f64) -> Block {
    Block::splat(value)
}

/// All bits set where `a < b`; false where either is NaN.
#[inline(always)]
#[must_use]
pub fn lt(a: Block, b: Block) -> Block {
    a.simd_lt(b)
}

/// All bits set where `a <= b`; false where either is NaN.
#[inline(always)]
#[must_use]
pub fn le(a: Block, b: Block) -> Block {
    a.simd_le(b)
}

/// The larger of two numbers, lane by lane; `b` where either is NaN.
#[inline(always)]
#[must_use]
pub fn max(a: Block, b: Block) -> Block {
    // One instruction there, with just this outcome; elsewhere it treats NaN otherwise.
    if cfg!(target_arch = "x86_64") { a.fast_max(b) } else { select(lt(b, a), a, b) }
}

/// The smaller of two numbers, lane by lane; `b` where either is NaN.
#[inline(always)]
#[must_use]
pub fn min(a: Block, b: Block) -> Block {
    if cfg!(target_arch = "x86_64") { a.fast_min(b) } else { select(lt(a, b), a, b) }
}

/// The first [`LANES`] numbers of a slice.
#[inline(always)]
#[must_use]
pub fn load(values: &[f64]) -> Block {
    let values: [f64; LANES] = values[..LANES].try_into().expect("a whole block");
    Block::new(values)
}

/// Rows to columns: lane `i` of block `k` becomes lane `k` of block `i`.
#[inline(always)]
#[must_use]
pub fn transpose(rows: [Block; LANES]) -> [Block; LANES] {
    Block::transpose(rows)
}

/// Lane by lane `if mask { yes } else { no }`; every lane of `mask` is all ones or all zeros.
#[inline(always)]
#[must_use]
pub fn select(mask: Block, yes: Block, no: Block) -> Block {
    mask.bitselect(yes, no)
}

/// Lane by lane `if mask { value } else { 0 }`; every lane of `mask` is all ones or all zeros.
#[inline(always)]
#[must_use]
pub fn keep(mask: Block, value: Block) -> Block {
    mask & value
}

/// One bit a lane, lane 0 lowest.
#[inline(always)]
#[must_use]
pub fn bits(mask: Block) -> u32 {
    mask.to_bitmask()
}

/// A mask from bytes: all bits set where the byte is not 0.
#[inline(always)]
#[must_use]
pub fn mask_from_bytes(bytes: [u8; LANES]) -> Block {
    Block::new(bytes.map(|byte| f64::from_bits(if byte == 0 { 0 } else { u64::MAX })))
}

/// The sum of the lanes as a fixed tree, the same in every build.
#[inline(always)]
#[must_use]
pub fn sum(block: Block) -> f64 {
    let [a, b, c, d] = block.to_array();
    (a + b) + (c + d)
}

/// The sum of the blocks: lane by lane from first to last, then [`sum`].
#[must_use]
pub fn sum_all(blocks: impl IntoIterator<Item = Block>) -> f64 {
    sum(blocks.into_iter().fold(Block::ZERO, |total, block| total + block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_false_for_nan() {
        let a = Block::new([1.0, f64::NAN, 2.0, -0.0]);
        let b = Block::new([2.0, 1.0, f64::NAN, 0.0]);
        assert_eq!(bits(lt(a, b)), 0b0001);
        assert_eq!(bits(le(a, b)), 0b1001);
    }

    #[test]
    fn minima_and_maxima_take_the_second_number_where_one_is_nan() {
        let a = Block::new([1.0, f64::NAN, 2.0, -0.0]);
        let b = Block::new([2.0, 1.0, f64::NAN, 0.0]);
        let (least, most) = (min(a, b).to_array(), max(a, b).to_array());
        assert_eq!((least[0], least[1], most[0], most[1]), (1.0, 1.0, 2.0, 1.0));
        assert!(least[2].is_nan() && most[2].is_nan());
        assert!(least[3].is_sign_positive() && most[3].is_sign_positive());
    }

    #[test]
    fn select_follows_the_mask_of_bytes() {
        let mask = mask_from_bytes([0, 1, 0, 255]);
        let chosen = select(mask, splat(1.0), splat(2.0));
        assert_eq!(chosen.to_array(), [2.0, 1.0, 2.0, 1.0]);
    }

    #[test]
    fn sum_is_the_documented_tree() {
        let block = Block::new([1e16, 1.0, -1e16, 1.0]);
        assert_eq!(sum(block), (1e16 + 1.0) + (-1e16 + 1.0));
        assert_eq!(sum_all([block, splat(0.5)]), sum(block + splat(0.5)));
    }
}
