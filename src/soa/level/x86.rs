//! The levels of x86-64 with blocks in one register of 256 bits: AVX2, and AVX-512 with the same blocks, twice as many
//! registers, and wide blocks of 512 bits.
//!
//! Every operation is inlined into a function with the instructions of its level: [`Avx2`] and [`Avx512`] are named nowhere
//! but here and in [`level::run`](super::run), so that code that is generic over a level, and all values of the blocks, exist
//! only below such a function. That is the reason for every `unsafe` block here.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Div, Mul, MulAssign, Neg, Sub,
    SubAssign,
};

use bytemuck::{Pod, Zeroable};

use super::Kernel;
use super::x86_wide::{self, F32x16, F64x8};
use crate::soa::block::{Doubles, LANES, LANES32, Lanes, MOST_LANES, Mask, Quantity, Singles, each};
use crate::soa::simd::{Simd, Words, small_whole};

/// AVX2 with fused products and the bit instructions of its time: x86-64-v3.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2;

/// AVX-512, whose blocks are of 256 bits and wide blocks of 512: x86-64-v4.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512;

/// Four numbers of `f64`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct F64x4(__m256d);

/// Eight numbers of `f32`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct F32x8(__m256);

/// Eight words of 32 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct U32x8(__m256i);

/// Calls intrinsics.
macro_rules! avx2 {
    ($body:expr) => {{
        #[allow(clippy::macro_metavars_in_unsafe, reason = "private to this file, and given only intrinsics")]
        // SAFETY: the CPU has the instructions: the types of this file exist only below the functions that have them.
        unsafe {
            $body
        }
    }};
}

/// The entries of a kernel. They are methods, and not functions, because the compiler puts a method into the code unit of its
/// type: all kernels in one unit would be compiled one after the other.
pub(super) trait Enter: Kernel {
    /// Runs the kernel with AVX2, as a function of its own.
    ///
    /// # Safety
    /// The CPU must have what [`has_avx2`] asks for.
    unsafe fn enter_avx2(self) -> Self::Output;

    /// Runs the kernel with AVX-512, as a function of its own.
    ///
    /// # Safety
    /// The CPU must have what [`has_avx512`] asks for.
    unsafe fn enter_avx512(self) -> Self::Output;
}

impl<K: Kernel> Enter for K {
    #[inline(never)]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt")]
    unsafe fn enter_avx2(self) -> Self::Output {
        align_stack::<__m256d>();
        self.run::<Avx2>()
    }

    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt")]
    unsafe fn enter_avx512(self) -> Self::Output {
        align_stack::<__m512d>();
        self.run::<Avx512>()
    }
}

/// Gives the function that it is inlined into a stack at multiples of the size of a register. Without a variable that asks for
/// it, blocks for which there is no register are put at any multiple of 16, and half of them across two cache lines.
#[inline(always)]
fn align_stack<R>() {
    std::hint::black_box(&MaybeUninit::<R>::uninit());
}

/// Whether the CPU and the system have the instructions of [`Avx2`].
pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe")
        && is_x86_feature_detected!("popcnt")
}

/// Whether the CPU and the system have the instructions of [`Avx512`].
pub(super) fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// Implements a level whose blocks are those of this file.
macro_rules! level {
    ($level:ident, $enter:ident, $wide:ty, $wide32:ty, $to_single:path, $to_double:path, $join:path, $compress:path) => {
        impl Simd for $level {
            type Block = F64x4;
            type Block32 = F32x8;
            type Words = U32x8;
            type Wide = $wide;
            type Wide32 = $wide32;

            #[inline(always)]
            fn call<K: Kernel>(kernel: K) -> K::Output {
                // SAFETY: code that has this type runs below a function of this level already.
                unsafe { kernel.$enter() }
            }

            #[inline(always)]
            fn to_single(low: F64x4, high: F64x4) -> F32x8 {
                to_single(low, high)
            }

            #[inline(always)]
            fn to_double(numbers: F32x8) -> [F64x4; 2] {
                to_double(numbers)
            }

            #[inline(always)]
            fn to_wide_single(low: $wide, high: $wide) -> $wide32 {
                $to_single(low, high)
            }

            #[inline(always)]
            fn to_wide_double(numbers: $wide32) -> [$wide; 2] {
                $to_double(numbers)
            }

            #[inline(always)]
            fn product_rest(a: f64, b: f64, product: f64) -> f64 {
                a.mul_add(b, -product)
            }

            #[inline(always)]
            fn equal_bits(numbers: &[u32; LANES32], value: u32) -> u32 {
                avx2!({
                    let numbers = _mm256_loadu_si256(numbers.as_ptr().cast());
                    let equal = _mm256_cmpeq_epi32(numbers, _mm256_set1_epi32(value as i32));
                    _mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u32
                })
            }

            #[inline(always)]
            fn compress(numbers: &[u32; LANES32], bits: u32, out: &mut [u32; LANES32]) {
                compress(numbers, bits, out);
            }

            #[inline(always)]
            fn join(first: &[f32; LANES32], second: &[f32; LANES32]) -> $wide32 {
                $join(first, second)
            }

            #[inline(always)]
            fn compress_joined(
                first: &[u32; LANES32],
                second: &[u32; LANES32],
                bits: u32,
                out: &mut [u32; MOST_LANES],
            ) {
                $compress(first, second, bits, out);
            }

            #[inline(always)]
            fn chosen(numbers: &[u16; 8], bits: u8) -> [u16; 8] {
                let places = &crate::soa::bytes::PLACES_OF_ONES[usize::from(bits)];
                let mut chosen = [0; 8];
                avx2!({
                    // The two bytes of each number.
                    let places =
                        _mm_mullo_epi16(_mm_loadu_si128(places.as_ptr().cast()), _mm_set1_epi16(0x0202));
                    let order = _mm_add_epi16(places, _mm_set1_epi16(0x0100));
                    let numbers = _mm_loadu_si128(numbers.as_ptr().cast());
                    _mm_storeu_si128(chosen.as_mut_ptr().cast(), _mm_shuffle_epi8(numbers, order));
                });
                chosen
            }

            #[inline(always)]
            fn largest_of_pairs(pairs: &[[u32; 2]]) -> [u32; 2] {
                let (quads, rest) = pairs.as_chunks::<4>();
                let mut most = [[0; 2]; 4];
                avx2!({
                    let mut largest = _mm256_setzero_si256();
                    for quad in quads {
                        largest = _mm256_max_epu32(largest, _mm256_loadu_si256(quad.as_ptr().cast()));
                    }
                    _mm256_storeu_si256(most.as_mut_ptr().cast(), largest);
                });
                let [mut i, mut j] = [0, 0];
                for pair in most.iter().chain(rest) {
                    (i, j) = (i.max(pair[0]), j.max(pair[1]));
                }
                [i, j]
            }
        }
    };
}

level!(Avx2, enter_avx2, F64x4, F32x8, to_single, to_double, first_of_joined, compress_first);
level!(
    Avx512,
    enter_avx512,
    F64x8,
    F32x16,
    x86_wide::to_single,
    x86_wide::to_double,
    x86_wide::join,
    x86_wide::compress_joined
);

/// Writes those of eight numbers whose bits are set to the front of `out`.
#[inline(always)]
fn compress(numbers: &[u32; LANES32], bits: u32, out: &mut [u32; LANES32]) {
    avx2!({
        let places = SET_BITS[(bits & 0xFF) as usize] as i64;
        let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(places));
        let numbers = _mm256_loadu_si256(numbers.as_ptr().cast());
        _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_permutevar8x32_epi32(numbers, order));
    });
}

/// [`Simd::compress_joined`] where a wide block has eight numbers.
#[inline(always)]
fn compress_first(first: &[u32; LANES32], _: &[u32; LANES32], bits: u32, out: &mut [u32; MOST_LANES]) {
    compress(first, bits, out.first_chunk_mut().expect("sixteen are at least eight"));
}

/// [`Simd::join`] where a wide block has eight numbers.
#[inline(always)]
fn first_of_joined(first: &[f32; LANES32], _: &[f32; LANES32]) -> F32x8 {
    F32x8::new(*first)
}

/// The nearest numbers in single precision.
#[inline(always)]
fn to_single(low: F64x4, high: F64x4) -> F32x8 {
    F32x8(avx2!(_mm256_set_m128(_mm256_cvtpd_ps(high.0), _mm256_cvtpd_ps(low.0))))
}

/// The same numbers in double precision.
#[inline(always)]
fn to_double(F32x8(numbers): F32x8) -> [F64x4; 2] {
    avx2!([
        F64x4(_mm256_cvtps_pd(_mm256_castps256_ps128(numbers))),
        F64x4(_mm256_cvtps_pd(_mm256_extractf128_ps::<1>(numbers))),
    ])
}

/// The numbers of the bits that are set in a byte, one a byte, from the lowest.
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

/// Implements an operator and its assignment.
macro_rules! operator {
    ($block:ident, $operator:ident::$method:ident, $intrinsic:ident $(, $assign:ident::$assign_method:ident)?) => {
        impl $operator for $block {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(avx2!($intrinsic(self.0, other.0)))
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

operator!(F64x4, Add::add, _mm256_add_pd, AddAssign::add_assign);
operator!(F64x4, Sub::sub, _mm256_sub_pd, SubAssign::sub_assign);
operator!(F64x4, Mul::mul, _mm256_mul_pd, MulAssign::mul_assign);
operator!(F64x4, Div::div, _mm256_div_pd);
operator!(F64x4, BitAnd::bitand, _mm256_and_pd, BitAndAssign::bitand_assign);
operator!(F64x4, BitOr::bitor, _mm256_or_pd, BitOrAssign::bitor_assign);
operator!(F32x8, Add::add, _mm256_add_ps, AddAssign::add_assign);
operator!(F32x8, Sub::sub, _mm256_sub_ps, SubAssign::sub_assign);
operator!(F32x8, Mul::mul, _mm256_mul_ps, MulAssign::mul_assign);
operator!(F32x8, Div::div, _mm256_div_ps);
operator!(F32x8, BitAnd::bitand, _mm256_and_ps, BitAndAssign::bitand_assign);
operator!(F32x8, BitOr::bitor, _mm256_or_ps, BitOrAssign::bitor_assign);
operator!(U32x8, Add::add, _mm256_add_epi32);
operator!(U32x8, BitXor::bitxor, _mm256_xor_si256);

/// Implements what blocks of both precisions have in common.
macro_rules! lanes {
    (
        $block:ident, $number:ty, $count:expr, [$($lane:literal),+], $load:path, $rows:path, $words:ident, $determinant:path,
        $broadcast:ident, $sqrt:ident, $max:ident, $min:ident, $cmp:ident, $and:ident, $andnot:ident, $or:ident, $xor:ident,
        $fused:ident, $fused_minus:ident, $bits:ident, $to_whole:ident, $from_whole:ident, $shl:ident, $shr:ident
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
                Self(avx2!($sqrt(self.0)))
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self(avx2!($max(self.0, other.0)))
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self(avx2!($min(self.0, other.0)))
            }

            #[inline(always)]
            fn le(self, other: Self) -> Self {
                Self(avx2!($cmp::<_CMP_LE_OQ>(self.0, other.0)))
            }

            #[inline(always)]
            fn lt(self, other: Self) -> Self {
                Self(avx2!($cmp::<_CMP_LT_OQ>(self.0, other.0)))
            }
        }

        impl Neg for $block {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                Self(avx2!($xor(self.0, Self::broadcast(-0.0).0)))
            }
        }

        impl Mask<Self> for $block {
            #[inline(always)]
            fn select(self, yes: Self, no: Self) -> Self {
                Self(avx2!($or($and(self.0, yes.0), $andnot(self.0, no.0))))
            }
        }

        impl Lanes for $block {
            type Number = $number;
            const COUNT: usize = $count;
            const UNIT: f64 = <$number>::EPSILON as f64 / 2.0;
            const ONE: Self = Self::constant([1.0; $count]);

            #[inline(always)]
            fn broadcast(number: $number) -> Self {
                Self(avx2!($broadcast(number)))
            }

            #[inline(always)]
            fn abs(self) -> Self {
                Self(avx2!($andnot(Self::broadcast(-0.0).0, self.0)))
            }

            #[inline(always)]
            fn fused(self, factor: Self, addend: Self) -> Self {
                Self(avx2!($fused(self.0, factor.0, addend.0)))
            }

            #[inline(always)]
            fn fused_minus(self, factor: Self, subtrahend: Self) -> Self {
                Self(avx2!($fused_minus(self.0, factor.0, subtrahend.0)))
            }

            #[inline(always)]
            fn determinant(rows: [Self; 2], others: [Self; 2]) -> Self {
                $determinant(rows, others)
            }

            #[inline(always)]
            fn equals(self, other: Self) -> Self {
                Self(avx2!($cmp::<_CMP_EQ_OQ>(self.0, other.0)))
            }

            #[inline(always)]
            fn bits(self) -> u32 {
                avx2!($bits(self.0)) as u32
            }

            #[inline(always)]
            fn shift_left<const BITS: i32>(self) -> Self {
                Self(avx2!($from_whole($shl::<BITS>($to_whole(self.0)))))
            }

            #[inline(always)]
            fn shift_right<const BITS: i32>(self) -> Self {
                Self(avx2!($from_whole($shr::<BITS>($to_whole(self.0)))))
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

lanes!(
    F64x4,
    f64,
    LANES,
    [0, 1, 2, 3],
    Doubles::load_columns,
    rows_of_doubles,
    lower_words,
    of_doubles,
    _mm256_set1_pd,
    _mm256_sqrt_pd,
    _mm256_max_pd,
    _mm256_min_pd,
    _mm256_cmp_pd,
    _mm256_and_pd,
    _mm256_andnot_pd,
    _mm256_or_pd,
    _mm256_xor_pd,
    _mm256_fmadd_pd,
    _mm256_fmsub_pd,
    _mm256_movemask_pd,
    _mm256_castpd_si256,
    _mm256_castsi256_pd,
    _mm256_slli_epi64,
    _mm256_srli_epi64
);
lanes!(
    F32x8,
    f32,
    LANES32,
    [0, 1, 2, 3, 4, 5, 6, 7],
    Singles::load_quads,
    Singles::rows_of_quads,
    words_of,
    of_singles,
    _mm256_set1_ps,
    _mm256_sqrt_ps,
    _mm256_max_ps,
    _mm256_min_ps,
    _mm256_cmp_ps,
    _mm256_and_ps,
    _mm256_andnot_ps,
    _mm256_or_ps,
    _mm256_xor_ps,
    _mm256_fmadd_ps,
    _mm256_fmsub_ps,
    _mm256_movemask_ps,
    _mm256_castps_si256,
    _mm256_castsi256_ps,
    _mm256_slli_epi32,
    _mm256_srli_epi32
);

/// The determinant of rows of doubles.
#[inline(always)]
fn of_doubles([a, b]: [F64x4; 2], [c, d]: [F64x4; 2]) -> F64x4 {
    a * d - b * c
}

/// The determinant of rows of singles.
#[inline(always)]
fn of_singles([a, b]: [F32x8; 2], [c, d]: [F32x8; 2]) -> F32x8 {
    let [a, b, c, d] = [to_double(a), to_double(b), to_double(c), to_double(d)];
    to_single(of_doubles([a[0], b[0]], [c[0], d[0]]), of_doubles([a[1], b[1]], [c[1], d[1]]))
}

/// Columns of doubles as rows.
#[inline(always)]
fn rows_of_doubles(columns: [F64x4; LANES]) -> [[f64; LANES]; LANES] {
    let rows = F64x4::transpose(columns);
    each!(row in [0, 1, 2, 3] => rows[row].to_array())
}

/// The lower half of the bits of each number.
#[inline(always)]
fn lower_words(numbers: F64x4) -> [u32; LANES] {
    avx2!({
        let lower_first = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
        let words = _mm256_permutevar8x32_epi32(_mm256_castpd_si256(numbers.0), lower_first);
        bytemuck::cast(_mm256_castsi256_si128(words))
    })
}

/// The bits of each number.
#[inline(always)]
fn words_of(numbers: F32x8) -> [u32; LANES32] {
    bytemuck::cast(numbers)
}

impl Doubles for F64x4 {
    #[inline(always)]
    fn new(numbers: [f64; LANES]) -> Self {
        bytemuck::cast(numbers)
    }

    #[inline(always)]
    fn to_array(self) -> [f64; LANES] {
        bytemuck::cast(self)
    }

    #[inline(always)]
    fn transpose([r0, r1, r2, r3]: [Self; LANES]) -> [Self; LANES] {
        avx2!({
            let (low_01, high_01) = (_mm256_unpacklo_pd(r0.0, r1.0), _mm256_unpackhi_pd(r0.0, r1.0));
            let (low_23, high_23) = (_mm256_unpacklo_pd(r2.0, r3.0), _mm256_unpackhi_pd(r2.0, r3.0));
            [
                Self(_mm256_permute2f128_pd::<0x20>(low_01, low_23)),
                Self(_mm256_permute2f128_pd::<0x20>(high_01, high_23)),
                Self(_mm256_permute2f128_pd::<0x31>(low_01, low_23)),
                Self(_mm256_permute2f128_pd::<0x31>(high_01, high_23)),
            ]
        })
    }

    /// Loads halves of rows and joins them on the way, which takes half the shuffles of a transposition in registers.
    #[inline(always)]
    fn load_columns(rows: [&[f64; LANES]; LANES]) -> [Self; LANES] {
        let [[r0, s0], [r1, s1], [r2, s2], [r3, s3]] = each!(row in [0, 1, 2, 3] => {
            let row = rows[row].as_ptr();
            // Both halves are within the row.
            avx2!([_mm_loadu_pd(row), _mm_loadu_pd(row.add(2))])
        });
        avx2!({
            let (even, odd) = (_mm256_set_m128d(r2, r0), _mm256_set_m128d(r3, r1));
            let (late_even, late_odd) = (_mm256_set_m128d(s2, s0), _mm256_set_m128d(s3, s1));
            [
                Self(_mm256_unpacklo_pd(even, odd)),
                Self(_mm256_unpackhi_pd(even, odd)),
                Self(_mm256_unpacklo_pd(late_even, late_odd)),
                Self(_mm256_unpackhi_pd(late_even, late_odd)),
            ]
        })
    }

    #[inline(always)]
    fn mask_of(bytes: [u8; LANES]) -> Self {
        avx2!({
            // A comparison of whole numbers would be taken apart into masks of bits, which AVX2 has no instructions for.
            let numbers = _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(i32::from_le_bytes(bytes))));
            Self(_mm256_cmp_pd::<_CMP_NEQ_UQ>(numbers, _mm256_setzero_pd()))
        })
    }

    #[inline(always)]
    fn plus_bits(self, number: u64) -> Self {
        avx2!({
            let bits = _mm256_castpd_si256(self.0);
            Self(_mm256_castsi256_pd(_mm256_add_epi64(bits, _mm256_set1_epi64x(number as i64))))
        })
    }

    #[inline(always)]
    fn lacks_bits(self, bits: u64) -> bool {
        avx2!(_mm256_testz_si256(_mm256_castpd_si256(self.0), _mm256_set1_epi64x(bits as i64)) == 1)
    }
}

impl Singles for F32x8 {
    #[inline(always)]
    fn new(numbers: [f32; LANES32]) -> Self {
        bytemuck::cast(numbers)
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES32] {
        bytemuck::cast(self)
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        Self(avx2!(_mm256_permute2f128_ps::<0x01>(self.0, self.0)))
    }

    /// Joins rows four apart on the way from memory, then transposes both halves at once.
    #[inline(always)]
    fn load_quads(rows: [&[f32; LANES]; LANES32]) -> [Self; LANES] {
        transpose_halves(each!(n in [0, 1, 2, 3] => avx2!({
            _mm256_set_m128(_mm_loadu_ps(rows[n + 4].as_ptr()), _mm_loadu_ps(rows[n].as_ptr()))
        })))
    }

    /// Transposes both halves at once, which gives rows four apart.
    #[inline(always)]
    fn rows_of_quads(columns: [Self; LANES]) -> [[f32; LANES]; LANES32] {
        let rows = transpose_halves(each!(k in [0, 1, 2, 3] => columns[k].0));
        let [[r0, r4], [r1, r5], [r2, r6], [r3, r7]]: [[[f32; LANES]; 2]; LANES] =
            each!(n in [0, 1, 2, 3] => bytemuck::cast(rows[n]));
        [r0, r1, r2, r3, r4, r5, r6, r7]
    }

    #[inline(always)]
    fn mask_of(bytes: [u8; LANES32]) -> Self {
        avx2!({
            let numbers = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(bytes)));
            Self(_mm256_cmp_ps::<_CMP_NEQ_UQ>(_mm256_cvtepi32_ps(numbers), _mm256_setzero_ps()))
        })
    }
}

/// Transposes the lower halves of four registers, and the upper ones.
#[inline(always)]
fn transpose_halves([r0, r1, r2, r3]: [__m256; LANES]) -> [F32x8; LANES] {
    avx2!({
        let (low_01, high_01) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpackhi_ps(r0, r1));
        let (low_23, high_23) = (_mm256_unpacklo_ps(r2, r3), _mm256_unpackhi_ps(r2, r3));
        [
            F32x8(_mm256_shuffle_ps::<0x44>(low_01, low_23)),
            F32x8(_mm256_shuffle_ps::<0xEE>(low_01, low_23)),
            F32x8(_mm256_shuffle_ps::<0x44>(high_01, high_23)),
            F32x8(_mm256_shuffle_ps::<0xEE>(high_01, high_23)),
        ]
    })
}

impl Words for U32x8 {
    type Numbers = F64x4;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        Self(avx2!(_mm256_set1_epi32(word as i32)))
    }

    #[inline(always)]
    fn new(words: [u32; LANES32]) -> Self {
        let [a, b, c, d, e, f, g, h] = words;
        Self(bytemuck::cast([a, e, b, f, c, g, d, h]))
    }

    #[cfg(test)]
    #[inline(always)]
    fn to_array(self) -> [u32; LANES32] {
        let [a, e, b, f, c, g, d, h] = bytemuck::cast::<_, [u32; LANES32]>(self.0);
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self) -> Self {
        avx2!({
            let left = _mm256_sllv_epi32(self.0, _mm256_set1_epi32(BITS as i32));
            Self(_mm256_or_si256(left, _mm256_srlv_epi32(self.0, _mm256_set1_epi32(32 - BITS as i32))))
        })
    }

    #[inline(always)]
    fn numbers(self) -> [F64x4; 2] {
        let pairs = F64x4(avx2!(_mm256_castsi256_pd(self.0)));
        let low = pairs & F64x4::broadcast(f64::from_bits(u64::from(u32::MAX)));
        [small_whole(low), small_whole(pairs.shift_right::<32>())]
    }
}
