//! Lane blocks over `wide`: the only place that names it.
//!
//! A block has one logical width in every build, whatever the instruction set, so that the same input gives the
//! same bits with and without AVX2. For the same reason kernels use none of `wide`'s fused or horizontal operations.

use bytemuck::Pod;

use super::block::Lanes;

/// Numbers in a block of `f64`.
pub(crate) const LANES: usize = 4;

/// [`LANES`] numbers of `f64` processed at once.
pub(crate) type Block = wide::f64x4;

/// Numbers in a block of `f32`.
pub(crate) const LANES32: usize = 8;

/// [`LANES32`] numbers of `f32` processed at once, for first filters.
pub(crate) type Block32 = wide::f32x8;

/// As many numbers of `f32` as a block of `f64` has.
pub(crate) type Quad32 = wide::f32x4;

/// A number that comes in blocks: `f64`, and `f32` for first filters.
pub(crate) trait Real: Pod + Sync {
    /// Numbers in a block.
    const LANES: usize;

    /// [`Self::LANES`] numbers processed at once.
    type Block: Lanes + Pod + Sync;

    /// The nearest number.
    fn nearest(value: f64) -> Self;

    /// A block with the same number in every lane.
    fn splat(self) -> Self::Block;
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
}

/// A block with the same number in every lane.
#[inline(always)]
#[must_use]
pub(crate) fn splat(value: f64) -> Block {
    Block::splat(value)
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

/// All bits set where `a < b`; false where either is NaN.
#[inline(always)]
#[must_use]
pub(crate) fn lt(a: Block, b: Block) -> Block {
    a.simd_lt(b)
}

/// All bits set where `a <= b`; false where either is NaN.
#[inline(always)]
#[must_use]
pub(crate) fn le(a: Block, b: Block) -> Block {
    a.simd_le(b)
}

/// One bit per lane where `a <= b`, lane 0 lowest; 0 where either is NaN.
#[inline(always)]
#[must_use]
pub(crate) fn bits_le32(a: Block32, b: Block32) -> u32 {
    a.simd_le(b).to_bitmask()
}

/// One bit for each of eight numbers that is `value`, the first one lowest.
#[inline(always)]
#[must_use]
pub(crate) fn equal_bits(numbers: &[u32; LANES32], value: u32) -> u32 {
    wide::u32x8::new(*numbers).simd_eq(wide::u32x8::splat(value)).to_bitmask()
}

/// One bit for each of sixteen numbers that is `value`, the first one lowest.
#[inline(always)]
#[must_use]
pub(crate) fn equal_bits16(numbers: &[u32; 2 * LANES32], value: u32) -> u32 {
    let [low, high] = each!(n in [0, 1] => equal_bits(&numbers.as_chunks().0[n], value));
    low | high << LANES32
}

/// Writes those of eight numbers whose bits are set to the front of `out`; what comes after them is left open.
#[inline(always)]
pub(crate) fn compress(numbers: &[u32; LANES32], bits: u32, out: &mut [u32; LANES32]) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    {
        use std::arch::x86_64::{
            _mm_cvtsi64_si128, _mm256_cvtepu8_epi32, _mm256_loadu_si256, _mm256_permutevar8x32_epi32,
            _mm256_storeu_si256,
        };
        // SAFETY: the build has AVX2; both arrays hold eight numbers.
        unsafe {
            let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(SET_BITS[(bits & 0xFF) as usize] as i64));
            let numbers = _mm256_loadu_si256(numbers.as_ptr().cast());
            _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_permutevar8x32_epi32(numbers, order));
        }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    {
        let set = (0..LANES32).filter(|lane| bits >> lane & 1 != 0);
        out.iter_mut().zip(set).for_each(|(out, lane)| *out = numbers[lane]);
    }
}

/// The numbers of the bits that are set in a byte, one a byte, from the lowest.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
static SET_BITS: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                table[byte] |= bit << (8 * found);
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// All bits set where `a == b`; false where either is NaN.
#[inline(always)]
#[must_use]
pub(crate) fn eq(a: Block, b: Block) -> Block {
    a.simd_eq(b)
}

/// The square root of every lane.
#[inline(always)]
#[must_use]
pub(crate) fn sqrt(a: Block) -> Block {
    a.sqrt()
}

/// `a b - c`, rounded as [`fused`] is.
#[inline(always)]
#[must_use]
pub(crate) fn fused_minus(a: Block, b: Block, c: Block) -> Block {
    a.mul_sub(b, c)
}

/// The larger of two numbers, lane by lane; `b` where either is NaN.
#[inline(always)]
#[must_use]
pub(crate) fn max(a: Block, b: Block) -> Block {
    // One instruction there, with just this outcome; elsewhere it treats NaN otherwise.
    if cfg!(target_arch = "x86_64") { a.fast_max(b) } else { select(lt(b, a), a, b) }
}

/// The smaller of two numbers, lane by lane; `b` where either is NaN.
#[inline(always)]
#[must_use]
pub(crate) fn min(a: Block, b: Block) -> Block {
    if cfg!(target_arch = "x86_64") { a.fast_min(b) } else { select(lt(a, b), a, b) }
}

/// `a b + c`, with one rounding where the target has the instruction and two elsewhere: only for results that do not
/// depend on it.
#[inline(always)]
#[must_use]
pub(crate) fn fused(a: Block, b: Block, c: Block) -> Block {
    a.mul_add(b, c)
}

/// Four rows from memory as columns: lane `i` of block `k` is `rows[i][k]`.
#[inline(always)]
#[must_use]
pub(crate) fn load_columns(rows: [&[f64; LANES]; LANES]) -> [Block; LANES] {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
    {
        columns_avx(rows)
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx")))]
    {
        std::array::from_fn(|k| Block::new(rows.map(|row| row[k])))
    }
}

/// Loads halves of rows and joins them on the way, which takes half the shuffles of a transposition in registers.
#[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
#[inline(always)]
fn columns_avx(rows: [&[f64; LANES]; LANES]) -> [Block; LANES] {
    use std::arch::x86_64::{
        _mm_loadu_pd, _mm256_castpd128_pd256, _mm256_insertf128_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd,
    };
    // SAFETY: the build has AVX, and every load reads two numbers within an array of four.
    unsafe {
        let half = |row: &[f64; LANES], at: usize| _mm_loadu_pd(row.as_ptr().add(at));
        let join = |low, high| _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(low), high);
        let pair = |at: usize| {
            let even = join(half(rows[0], at), half(rows[2], at));
            let odd = join(half(rows[1], at), half(rows[3], at));
            [Block::from(_mm256_unpacklo_pd(even, odd)), Block::from(_mm256_unpackhi_pd(even, odd))]
        };
        let ([first, second], [third, fourth]) = (pair(0), pair(2));
        [first, second, third, fourth]
    }
}

/// Prefetches the cache line of an entry that will be read soon; an index past the end does nothing.
#[inline(always)]
pub(crate) fn prefetch<T>(values: &[T], index: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().wrapping_add(index).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse")))]
    let _ = (values, index);
}

/// The same for an entry that will be read somewhat later: it need not come into the nearest cache.
#[inline(always)]
pub(crate) fn prefetch_far<T>(values: &[T], index: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(values.as_ptr().wrapping_add(index).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse")))]
    let _ = (values, index);
}

/// Prefetches the last cache line of an entry that is longer than one.
#[inline(always)]
pub(crate) fn prefetch_end<T>(values: &[T], index: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().wrapping_add(index + 1).wrapping_byte_sub(1).cast());
        }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse")))]
    let _ = (values, index);
}

/// Lane by lane `if mask { yes } else { no }`; every lane of `mask` is all ones or all zeros.
#[inline(always)]
#[must_use]
pub(crate) fn select(mask: Block, yes: Block, no: Block) -> Block {
    mask.bitselect(yes, no)
}

/// Lane by lane `if mask { value } else { 0 }`; every lane of `mask` is all ones or all zeros.
#[inline(always)]
#[must_use]
pub(crate) fn keep(mask: Block, value: Block) -> Block {
    mask & value
}

/// One bit per lane, lane 0 lowest.
#[inline(always)]
#[must_use]
pub(crate) fn bits(mask: Block) -> u32 {
    mask.to_bitmask()
}

/// A mask from bytes: all bits set where the byte is not 0.
#[inline(always)]
#[must_use]
pub(crate) fn mask_from_bytes(bytes: [u8; LANES]) -> Block {
    !Block::new(bytes.map(f64::from)).simd_eq(Block::ZERO)
}

/// The same for eight lanes.
#[inline(always)]
#[must_use]
pub(crate) fn mask32_from_bytes(bytes: [u8; LANES32]) -> Block32 {
    let numbers = wide::u32x8::new(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => u32::from(bytes[lane])));
    bytemuck::cast(!numbers.simd_eq(wide::u32x8::ZERO))
}

/// A mask with all lanes set or none.
#[inline(always)]
#[must_use]
pub(crate) fn mask32(set: bool) -> Block32 {
    Block32::splat(f32::from_bits(if set { u32::MAX } else { 0 }))
}

/// The sum of the lanes as a fixed tree, the same in every build.
#[inline(always)]
#[must_use]
pub(crate) fn sum(block: Block) -> f64 {
    let [a, b, c, d] = block.to_array();
    (a + b) + (c + d)
}

/// The sum of the blocks: lane by lane from first to last, then [`sum`].
#[must_use]
pub(crate) fn sum_all(blocks: impl IntoIterator<Item = Block>) -> f64 {
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
    fn chosen_numbers_come_to_the_front() {
        let numbers = [5, 7, 5, 9, 11, 5, 13, 15];
        assert_eq!(equal_bits(&numbers, 5), 0b10_0101);
        for bits in 0..256_u32 {
            let mut out = [0; 8];
            compress(&numbers, bits, &mut out);
            let expected: Vec<u32> = (0..8).filter(|k| bits >> k & 1 != 0).map(|k| numbers[k]).collect();
            assert_eq!(out[..expected.len()], expected);
        }
    }

    #[test]
    fn select_follows_the_mask_of_bytes() {
        let mask32 = mask32_from_bytes([0, 1, 0, 255, 1, 0, 0, 2]);
        assert_eq!(mask32.to_bitmask(), 0b1001_1010);
        let mask = mask_from_bytes([0, 1, 0, 255]);
        let chosen = select(mask, splat(1.0), splat(2.0));
        assert_eq!(chosen.to_array(), [2.0, 1.0, 2.0, 1.0]);
    }

    #[test]
    fn columns_of_four_rows_are_their_transposition() {
        let rows: [[f64; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|k| (10 * i + k) as f64));
        let columns = load_columns(rows.each_ref());
        for (k, column) in columns.iter().enumerate() {
            assert_eq!(column.to_array(), rows.map(|row| row[k]));
        }
    }

    #[test]
    fn sum_is_the_documented_tree() {
        let block = Block::new([1e16, 1.0, -1e16, 1.0]);
        assert_eq!(sum(block), (1e16 + 1.0) + (-1e16 + 1.0));
        assert_eq!(sum_all([block, splat(0.5)]), sum(block + splat(0.5)));
    }
}
