//! Lane blocks over `wide`: the only place that names it.
//!
//! A block has one logical width in every build, whatever the instruction set, so that the same input gives the
//! same bits with and without AVX2. For the same reason kernels use none of `wide`'s fused or horizontal operations.

/// Numbers in a block of `f64`.
pub const LANES: usize = 4;

/// [`LANES`] numbers of `f64` processed at once.
pub type Block = wide::f64x4;

/// Numbers in a block of `f32`.
pub const LANES32: usize = 8;

/// [`LANES32`] numbers of `f32` processed at once, for first filters.
pub type Block32 = wide::f32x8;

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

/// All bits set where `a == b`; false where either is NaN.
#[inline(always)]
#[must_use]
pub fn eq(a: Block, b: Block) -> Block {
    a.simd_eq(b)
}

/// The larger of two numbers, lane by lane; `b` where either is NaN.
#[inline(always)]
#[must_use]
pub fn max(a: Block, b: Block) -> Block {
    select(lt(b, a), a, b)
}

/// Lane by lane `if mask { yes } else { no }`; every lane of `mask` is all ones or all zeros.
#[inline(always)]
#[must_use]
pub fn select(mask: Block, yes: Block, no: Block) -> Block {
    mask.bitselect(yes, no)
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

/// All bits set where `a <= b`, for blocks of `f32`.
#[inline(always)]
#[must_use]
pub fn le32(a: Block32, b: Block32) -> Block32 {
    a.simd_le(b)
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
        assert_eq!(bits(eq(a, b)), 0b1000);
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
