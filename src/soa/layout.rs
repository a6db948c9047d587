//! Numbers brought into other orders and sizes: entries from anywhere in a block, rows as columns, single for double
//! precision.

use super::lanes::{Block, Block32, LANES, LANES32, Quad32};

/// Four entries of a column, one per lane.
///
/// # Safety
/// All rows must be within the column.
#[inline(always)]
#[must_use]
pub(crate) unsafe fn gather(column: &[f64], rows: [u32; LANES]) -> Block {
    // SAFETY: the caller has promised that the entry exists.
    let entry = |lane: usize| unsafe { column.as_ptr().add(rows[lane] as usize) };
    #[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
    {
        use std::arch::x86_64::{_mm_load_sd, _mm_loadh_pd, _mm256_castpd128_pd256, _mm256_insertf128_pd};
        // SAFETY: the build has AVX, and the entries exist.
        unsafe {
            let low = _mm_loadh_pd(_mm_load_sd(entry(0)), entry(1));
            let high = _mm_loadh_pd(_mm_load_sd(entry(2)), entry(3));
            Block::from(_mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(low), high))
        }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx")))]
    {
        // SAFETY: the entries exist.
        Block::new(super::lanes::each!(lane in [0, 1, 2, 3] => unsafe { *entry(lane) }))
    }
}

/// Columns as rows: lane `i` of block `k` is lane `k` of column `i`.
#[inline(always)]
#[must_use]
pub(crate) fn transpose(columns: [Block; LANES]) -> [Block; LANES] {
    Block::transpose(columns)
}

/// Four numbers of each of eight rows as columns: lane `i` of block `k` is entry `k` of row `i`.
#[inline(always)]
#[must_use]
pub(crate) fn load_quads(rows: [&[f32; LANES]; LANES32]) -> [Block32; LANES] {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
    {
        quads_avx(rows)
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx")))]
    {
        std::array::from_fn(|k| Block32::new(rows.map(|row| row[k])))
    }
}

/// Joins rows four apart on the way from memory, then transposes both halves at once.
#[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
#[inline(always)]
fn quads_avx(rows: [&[f32; LANES]; LANES32]) -> [Block32; LANES] {
    use std::arch::x86_64::{
        _mm_loadu_ps, _mm256_castps128_ps256, _mm256_insertf128_ps, _mm256_shuffle_ps, _mm256_unpackhi_ps,
        _mm256_unpacklo_ps,
    };
    // SAFETY: the build has AVX, and every load reads an array of four numbers.
    unsafe {
        let join = |i: usize| {
            let (low, high) = (_mm_loadu_ps(rows[i].as_ptr()), _mm_loadu_ps(rows[i + 4].as_ptr()));
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
        };
        let (r0, r1, r2, r3) = (join(0), join(1), join(2), join(3));
        let (low_01, high_01) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpackhi_ps(r0, r1));
        let (low_23, high_23) = (_mm256_unpacklo_ps(r2, r3), _mm256_unpackhi_ps(r2, r3));
        [
            _mm256_shuffle_ps::<0x44>(low_01, low_23),
            _mm256_shuffle_ps::<0xEE>(low_01, low_23),
            _mm256_shuffle_ps::<0x44>(high_01, high_23),
            _mm256_shuffle_ps::<0xEE>(high_01, high_23),
        ]
        .map(Block32::from)
    }
}

/// Columns of four numbers for each of eight rows as rows: the inverse of [`load_quads`].
#[inline(always)]
#[must_use]
pub(crate) fn rows_of_quads(columns: [Block32; LANES]) -> [[f32; LANES]; LANES32] {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
    {
        rows_avx(columns)
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx")))]
    {
        std::array::from_fn(|row| columns.map(|column| column.to_array()[row]))
    }
}

/// Transposes both halves at once, which gives rows four apart.
#[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
#[inline(always)]
fn rows_avx([c0, c1, c2, c3]: [Block32; LANES]) -> [[f32; LANES]; LANES32] {
    use std::arch::x86_64::{__m256, _mm256_shuffle_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps};
    let bits = |column: Block32| -> __m256 { bytemuck::cast(column) };
    let (c0, c1, c2, c3) = (bits(c0), bits(c1), bits(c2), bits(c3));
    // SAFETY: the build has AVX.
    let (r0, r1, r2, r3) = unsafe {
        let (low_01, high_01) = (_mm256_unpacklo_ps(c0, c1), _mm256_unpackhi_ps(c0, c1));
        let (low_23, high_23) = (_mm256_unpacklo_ps(c2, c3), _mm256_unpackhi_ps(c2, c3));
        (
            _mm256_shuffle_ps::<0x44>(low_01, low_23),
            _mm256_shuffle_ps::<0xEE>(low_01, low_23),
            _mm256_shuffle_ps::<0x44>(high_01, high_23),
            _mm256_shuffle_ps::<0xEE>(high_01, high_23),
        )
    };
    let rows = |rows: __m256| -> [[f32; LANES]; 2] { bytemuck::cast(rows) };
    let ([r0, r4], [r1, r5], [r2, r6], [r3, r7]) = (rows(r0), rows(r1), rows(r2), rows(r3));
    [r0, r1, r2, r3, r4, r5, r6, r7]
}

/// The nearest numbers in single precision.
#[inline(always)]
#[must_use]
pub(crate) fn to_single(x: Block) -> Quad32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
    {
        use std::arch::x86_64::{__m256d, _mm256_cvtpd_ps};
        // SAFETY: the build has AVX.
        Quad32::from(unsafe { _mm256_cvtpd_ps(bytemuck::cast::<Block, __m256d>(x)) })
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx")))]
    {
        Quad32::new(x.to_array().map(|x| x as f32))
    }
}

/// The same numbers in double precision.
#[inline(always)]
#[must_use]
pub(crate) fn to_double(x: Quad32) -> Block {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
    {
        use std::arch::x86_64::{__m128, _mm256_cvtps_pd};
        // SAFETY: the build has AVX.
        Block::from(unsafe { _mm256_cvtps_pd(bytemuck::cast::<Quad32, __m128>(x)) })
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx")))]
    {
        Block::new(x.to_array().map(f64::from))
    }
}

/// Two halves of a block.
#[inline(always)]
#[must_use]
pub(crate) fn join(low: Quad32, high: Quad32) -> Block32 {
    bytemuck::cast([low, high])
}

/// Whether numbers have no more digits than single precision has, given all their bits.
#[inline(always)]
#[must_use]
pub(crate) fn have_few_digits(bits: Block) -> bool {
    let surplus: wide::u64x4 = bytemuck::cast(bits);
    (surplus << 35_u64).simd_eq(wide::u64x4::ZERO).to_bitmask() == 0xF
}

/// The bits of an `f32` that stay when its number is cut to half its size.
const UPPER_HALF: u32 = 0xFFFF_0000;

/// Two numbers, both cut towards 0 to half their size, in the place of one.
#[inline(always)]
#[must_use]
pub(crate) fn join_halves(upper: Block32, lower: Block32) -> Block32 {
    let (upper, lower): (wide::u32x8, wide::u32x8) = (bytemuck::cast(upper), bytemuck::cast(lower));
    bytemuck::cast((upper & wide::u32x8::splat(UPPER_HALF)) | (lower >> 16_u32))
}

/// The two numbers that [`join_halves`] put together.
#[inline(always)]
#[must_use]
pub(crate) fn halves(joined: Block32) -> [Block32; 2] {
    let bits: wide::u32x8 = bytemuck::cast(joined);
    [bytemuck::cast(bits & wide::u32x8::splat(UPPER_HALF)), bytemuck::cast(bits << 16_u32)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_rows_are_their_transposition() {
        let rows: [[f32; 4]; 8] = std::array::from_fn(|i| std::array::from_fn(|k| (10 * i + k) as f32));
        let columns = load_quads(rows.each_ref());
        for (k, column) in columns.iter().enumerate() {
            assert_eq!(column.to_array(), rows.map(|row| row[k]));
        }
        assert_eq!(rows_of_quads(columns), rows);
    }

    #[test]
    fn short_numbers_are_known_by_their_digits() {
        let bits = |numbers: [f64; 4]| Block::new(numbers);
        assert!(have_few_digits(bits([1.0, -2.5, 0.1_f32.into(), 1e30_f32.into()])));
        assert!(!have_few_digits(bits([1.0, 0.1, 0.0, 0.0])));
    }

    #[test]
    fn halves_hold_the_upper_bits() {
        let twice = |[a, b, c, d]: [f32; 4]| Block32::new([a, b, c, d, a, b, c, d]);
        let joined = join_halves(twice([1.0, -2.5, 0.0, 1e30]), twice([3.0, 0.1, 7.0, f32::INFINITY]));
        let [upper, lower] = halves(joined).map(|half| half.to_array());
        assert_eq!((upper[0], upper[1], upper[2], lower[0], lower[7]), (1.0, -2.5, 0.0, 3.0, f32::INFINITY));
        assert!(lower[1] <= 0.1 && lower[1] > 0.0992 && upper[3] <= 1e30 && upper[3] > 0.99e30);
    }

    #[test]
    fn entries_from_anywhere_and_columns_as_rows() {
        let column: Vec<f64> = (0..20).map(f64::from).collect();
        // SAFETY: the column has these rows.
        let gathered = unsafe { [gather(&column, [3, 0, 19, 3]), gather(&column, [1, 2, 5, 7])] };
        assert_eq!(gathered[0].to_array(), [3.0, 0.0, 19.0, 3.0]);
        let rows = transpose([gathered[0], gathered[1], Block::ZERO, Block::ONE]).map(Block::to_array);
        assert_eq!(
            rows,
            [[3.0, 1.0, 0.0, 1.0], [0.0, 2.0, 0.0, 1.0], [19.0, 5.0, 0.0, 1.0], [3.0, 7.0, 0.0, 1.0]]
        );
    }
}
