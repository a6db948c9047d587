//! Blocks in one register of 512 bits, for kernels of the level AVX-512 that are bound by instructions.
//!
//! The reason for every `unsafe` block is that of `x86.rs`.

use std::arch::x86_64::*;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign,
};

use bytemuck::{Pod, Zeroable};

use crate::soa::block::{LANES, LANES32, Lanes, MOST_LANES, Mask, Quantity, each};

/// Eight numbers of `f64`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub(in crate::soa) struct F64x8(__m512d);

/// Sixteen numbers of `f32`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub(in crate::soa) struct F32x16(__m512);

/// Calls intrinsics.
macro_rules! avx512 {
    ($body:expr) => {{
        #[allow(clippy::macro_metavars_in_unsafe, reason = "private to this file, and given only intrinsics")]
        // SAFETY: the CPU has the instructions: the types of this file exist only below the functions that have them.
        unsafe {
            $body
        }
    }};
}

/// The nearest numbers in single precision.
#[inline(always)]
pub(super) fn to_single(low: F64x8, high: F64x8) -> F32x16 {
    F32x16(avx512!({
        let (low, high) = (_mm512_cvtpd_ps(low.0), _mm512_cvtpd_ps(high.0));
        _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high)
    }))
}

/// The same numbers in double precision.
#[inline(always)]
pub(super) fn to_double(F32x16(numbers): F32x16) -> [F64x8; 2] {
    avx512!([
        F64x8(_mm512_cvtps_pd(_mm512_castps512_ps256(numbers))),
        F64x8(_mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(numbers))),
    ])
}

/// Eight numbers and eight others.
#[inline(always)]
pub(super) fn join(first: &[f32; LANES32], second: &[f32; LANES32]) -> F32x16 {
    F32x16(avx512!({
        let first = _mm512_castps256_ps512(_mm256_loadu_ps(first.as_ptr()));
        _mm512_insertf32x8::<1>(first, _mm256_loadu_ps(second.as_ptr()))
    }))
}

/// Writes those of eight numbers and eight others whose bits are set to the front of `out`.
///
/// In a register first: writing only what is set takes many times as long on some CPUs.
#[inline(always)]
pub(super) fn compress_joined(
    first: &[u32; LANES32],
    second: &[u32; LANES32],
    bits: u32,
    out: &mut [u32; MOST_LANES],
) {
    avx512!({
        let first = _mm512_castsi256_si512(_mm256_loadu_si256(first.as_ptr().cast()));
        let numbers = _mm512_inserti32x8::<1>(first, _mm256_loadu_si256(second.as_ptr().cast()));
        _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_maskz_compress_epi32(bits as u16, numbers));
    });
}

/// Implements an operator and its assignment.
macro_rules! operator {
    ($block:ident, $operator:ident::$method:ident, $intrinsic:ident $(, $assign:ident::$assign_method:ident)?) => {
        impl $operator for $block {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(avx512!($intrinsic(self.0, other.0)))
            }
        }
        $(impl $assign for $block {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = self.$method(other);
            }
        })?
    };
}

operator!(F64x8, Add::add, _mm512_add_pd, AddAssign::add_assign);
operator!(F64x8, Sub::sub, _mm512_sub_pd, SubAssign::sub_assign);
operator!(F64x8, Mul::mul, _mm512_mul_pd, MulAssign::mul_assign);
operator!(F64x8, Div::div, _mm512_div_pd);
operator!(F64x8, BitAnd::bitand, _mm512_and_pd, BitAndAssign::bitand_assign);
operator!(F64x8, BitOr::bitor, _mm512_or_pd, BitOrAssign::bitor_assign);
operator!(F32x16, Add::add, _mm512_add_ps, AddAssign::add_assign);
operator!(F32x16, Sub::sub, _mm512_sub_ps, SubAssign::sub_assign);
operator!(F32x16, Mul::mul, _mm512_mul_ps, MulAssign::mul_assign);
operator!(F32x16, Div::div, _mm512_div_ps);
operator!(F32x16, BitAnd::bitand, _mm512_and_ps, BitAndAssign::bitand_assign);
operator!(F32x16, BitOr::bitor, _mm512_or_ps, BitOrAssign::bitor_assign);

/// Implements what blocks of both precisions have in common.
macro_rules! lanes {
    (
        $block:ident, $number:ty, $count:expr, [$($lane:literal),+], $load:ident, $rows:ident, $words:ident, $determinant:ident,
        $broadcast:ident, $sqrt:ident, $max:ident, $min:ident, $cmp:ident, $to_block:ident, $and:ident, $andnot:ident, $or:ident,
        $xor:ident, $fused:ident, $fused_minus:ident, $bits:ident, $to_whole:ident, $from_whole:ident, $shl:ident, $shr:ident
    ) => {
        impl Quantity for $block {
            type Mask = Self;
            const ZERO: Self = Self::constant([0.0; $count]);

            #[inline(always)]
            fn splat(value: f64) -> Self {
                Self::broadcast(value as $number)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(avx512!($sqrt(self.0)))
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self(avx512!($max(self.0, other.0)))
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self(avx512!($min(self.0, other.0)))
            }

            #[inline(always)]
            fn le(self, other: Self) -> Self {
                Self(avx512!($from_whole($to_block($cmp::<_CMP_LE_OQ>(self.0, other.0)))))
            }

            #[inline(always)]
            fn lt(self, other: Self) -> Self {
                Self(avx512!($from_whole($to_block($cmp::<_CMP_LT_OQ>(self.0, other.0)))))
            }
        }

        impl Neg for $block {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                Self(avx512!($xor(self.0, Self::broadcast(-0.0).0)))
            }
        }

        impl Mask<Self> for $block {
            #[inline(always)]
            fn select(self, yes: Self, no: Self) -> Self {
                Self(avx512!($or($and(self.0, yes.0), $andnot(self.0, no.0))))
            }
        }

        impl Lanes for $block {
            type Number = $number;
            const COUNT: usize = $count;
            const UNIT: f64 = <$number>::EPSILON as f64 / 2.0;
            const ONE: Self = Self::constant([1.0; $count]);

            #[inline(always)]
            fn broadcast(number: $number) -> Self {
                Self(avx512!($broadcast(number)))
            }

            #[inline(always)]
            fn abs(self) -> Self {
                Self(avx512!($andnot(Self::broadcast(-0.0).0, self.0)))
            }

            #[inline(always)]
            fn fused(self, factor: Self, addend: Self) -> Self {
                Self(avx512!($fused(self.0, factor.0, addend.0)))
            }

            #[inline(always)]
            fn fused_minus(self, factor: Self, subtrahend: Self) -> Self {
                Self(avx512!($fused_minus(self.0, factor.0, subtrahend.0)))
            }

            #[inline(always)]
            fn determinant(rows: [Self; 2], others: [Self; 2]) -> Self {
                $determinant(rows, others)
            }

            #[inline(always)]
            fn equals(self, other: Self) -> Self {
                Self(avx512!($from_whole($to_block($cmp::<_CMP_EQ_OQ>(self.0, other.0)))))
            }

            #[inline(always)]
            fn bits(self) -> u32 {
                u32::from(avx512!($bits($to_whole(self.0))))
            }

            #[inline(always)]
            fn shift_left<const BITS: i32>(self) -> Self {
                Self(avx512!($from_whole(shift!($shl, BITS, $to_whole(self.0)))))
            }

            #[inline(always)]
            fn shift_right<const BITS: i32>(self) -> Self {
                Self(avx512!($from_whole(shift!($shr, BITS, $to_whole(self.0)))))
            }

            #[inline(always)]
            fn collect(number: impl Fn(usize) -> $number) -> Self {
                bytemuck::cast([$(number($lane)),+])
            }

            #[inline(always)]
            fn load_rows<'a>(row: impl Fn(usize) -> &'a [$number; 4]) -> [Self; 4] {
                $load([$(row($lane)),+])
            }

            #[inline(always)]
            fn for_each_row(columns: [Self; 4], mut take: impl FnMut(usize, [$number; 4])) {
                let rows = $rows(columns);
                for lane in 0..$count {
                    take(lane, rows[lane]);
                }
            }

            #[inline(always)]
            fn write_words(self, words: &mut [u32]) {
                words.copy_from_slice(&$words(self));
            }
        }

        impl $block {
            const fn constant(numbers: [$number; $count]) -> Self {
                // SAFETY: both are as many plain numbers.
                unsafe { std::mem::transmute::<[$number; $count], Self>(numbers) }
            }
        }
    };
}

/// Shifts by a number of bits that is not of the type that the intrinsic has in its parameters.
macro_rules! shift {
    ($intrinsic:ident, $bits:ident, $block:expr) => {
        $intrinsic($block, _mm_cvtsi32_si128($bits))
    };
}

lanes!(
    F64x8,
    f64,
    8,
    [0, 1, 2, 3, 4, 5, 6, 7],
    load_doubles,
    rows_of_doubles,
    lower_words,
    of_doubles,
    _mm512_set1_pd,
    _mm512_sqrt_pd,
    _mm512_max_pd,
    _mm512_min_pd,
    _mm512_cmp_pd_mask,
    _mm512_movm_epi64,
    _mm512_and_pd,
    _mm512_andnot_pd,
    _mm512_or_pd,
    _mm512_xor_pd,
    _mm512_fmadd_pd,
    _mm512_fmsub_pd,
    _mm512_movepi64_mask,
    _mm512_castpd_si512,
    _mm512_castsi512_pd,
    _mm512_sll_epi64,
    _mm512_srl_epi64
);
lanes!(
    F32x16,
    f32,
    16,
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    load_singles,
    rows_of_singles,
    words_of,
    of_singles,
    _mm512_set1_ps,
    _mm512_sqrt_ps,
    _mm512_max_ps,
    _mm512_min_ps,
    _mm512_cmp_ps_mask,
    _mm512_movm_epi32,
    _mm512_and_ps,
    _mm512_andnot_ps,
    _mm512_or_ps,
    _mm512_xor_ps,
    _mm512_fmadd_ps,
    _mm512_fmsub_ps,
    _mm512_movepi32_mask,
    _mm512_castps_si512,
    _mm512_castsi512_ps,
    _mm512_sll_epi32,
    _mm512_srl_epi32
);

/// The determinant of rows of doubles.
#[inline(always)]
fn of_doubles([a, b]: [F64x8; 2], [c, d]: [F64x8; 2]) -> F64x8 {
    a * d - b * c
}

/// The determinant of rows of singles.
#[inline(always)]
fn of_singles([a, b]: [F32x16; 2], [c, d]: [F32x16; 2]) -> F32x16 {
    let [a, b, c, d] = [to_double(a), to_double(b), to_double(c), to_double(d)];
    to_single(of_doubles([a[0], b[0]], [c[0], d[0]]), of_doubles([a[1], b[1]], [c[1], d[1]]))
}

/// The lower half of the bits of each number.
#[inline(always)]
fn lower_words(numbers: F64x8) -> [u32; 8] {
    bytemuck::cast(avx512!(_mm512_cvtepi64_epi32(_mm512_castpd_si512(numbers.0))))
}

/// The bits of each number.
#[inline(always)]
fn words_of(numbers: F32x16) -> [u32; 16] {
    bytemuck::cast(numbers)
}

/// Rows as columns: quarters of registers are halves of rows two apart, which takes half the shuffles of a transposition.
#[inline(always)]
fn load_doubles(rows: [&[f64; LANES]; 8]) -> [F64x8; LANES] {
    let [even, odd] = each!(n in [0, 1] => joined_doubles([rows[n], rows[n + 2], rows[n + 4], rows[n + 6]]));
    avx512!([
        F64x8(_mm512_unpacklo_pd(even[0], odd[0])),
        F64x8(_mm512_unpackhi_pd(even[0], odd[0])),
        F64x8(_mm512_unpacklo_pd(even[1], odd[1])),
        F64x8(_mm512_unpackhi_pd(even[1], odd[1])),
    ])
}

/// The first halves of four rows, and the second.
#[inline(always)]
fn joined_doubles(rows: [&[f64; LANES]; LANES]) -> [__m512d; 2] {
    each!(half in [0, 1] => avx512!({
        // Both halves are within the row.
        let [q0, q1, q2, q3] = each!(n in [0, 1, 2, 3] => _mm_loadu_pd(rows[n].as_ptr().add(2 * half)));
        let (low, high) = (_mm256_set_m128d(q1, q0), _mm256_set_m128d(q3, q2));
        _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high)
    }))
}

/// Columns as rows, which come as two halves each.
#[inline(always)]
fn rows_of_doubles([a, b, c, d]: [F64x8; LANES]) -> [[f64; LANES]; 8] {
    let halves = avx512!([
        F64x8(_mm512_unpacklo_pd(a.0, b.0)),
        F64x8(_mm512_unpackhi_pd(a.0, b.0)),
        F64x8(_mm512_unpacklo_pd(c.0, d.0)),
        F64x8(_mm512_unpackhi_pd(c.0, d.0)),
    ]);
    let [even, odd, late_even, late_odd]: [[[f64; 2]; LANES]; LANES] = bytemuck::cast(halves);
    each!(row in [0, 1, 2, 3, 4, 5, 6, 7] => {
        let [early, late] = [[even, late_even], [odd, late_odd]][row % 2];
        let ([w, x], [y, z]) = (early[row / 2], late[row / 2]);
        [w, x, y, z]
    })
}

/// Joins rows four apart on the way from memory, then transposes all quarters at once.
#[inline(always)]
fn load_singles(rows: [&[f32; LANES]; 16]) -> [F32x16; LANES] {
    transpose_quarters(each!(n in [0, 1, 2, 3] => avx512!({
        let [q0, q1, q2, q3] = each!(k in [0, 1, 2, 3] => _mm_loadu_ps(rows[n + 4 * k].as_ptr()));
        let (low, high) = (_mm256_set_m128(q1, q0), _mm256_set_m128(q3, q2));
        _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high)
    })))
}

/// Transposes all quarters at once, which gives rows four apart.
#[inline(always)]
fn rows_of_singles(columns: [F32x16; LANES]) -> [[f32; LANES]; 16] {
    let rows: [[[f32; LANES]; LANES]; LANES] =
        bytemuck::cast(transpose_quarters(each!(k in [0, 1, 2, 3] => columns[k].0)));
    each!(row in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] => rows[row % 4][row / 4])
}

/// Transposes each quarter of four registers.
#[inline(always)]
fn transpose_quarters([r0, r1, r2, r3]: [__m512; LANES]) -> [F32x16; LANES] {
    avx512!({
        let (low_01, high_01) = (_mm512_unpacklo_ps(r0, r1), _mm512_unpackhi_ps(r0, r1));
        let (low_23, high_23) = (_mm512_unpacklo_ps(r2, r3), _mm512_unpackhi_ps(r2, r3));
        [
            F32x16(_mm512_shuffle_ps::<0x44>(low_01, low_23)),
            F32x16(_mm512_shuffle_ps::<0xEE>(low_01, low_23)),
            F32x16(_mm512_shuffle_ps::<0x44>(high_01, high_23)),
            F32x16(_mm512_shuffle_ps::<0xEE>(high_01, high_23)),
        ]
    })
}
