//! The level that every CPU has: blocks of `wide`, which uses what the build knows the CPU has.

use super::Kernel;
use crate::soa::block::{Doubles, LANES, LANES32, Lanes, MOST_LANES, Mask, Quantity, Singles, each};
use crate::soa::simd::{Simd, Words, small_whole};

/// The portable level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable;

impl Simd for Portable {
    type Block = wide::f64x4;
    type Block32 = wide::f32x8;
    type Words = PairedWords;
    type Wide = wide::f64x4;
    type Wide32 = wide::f32x8;

    #[inline(always)]
    fn call<K: Kernel>(kernel: K) -> K::Output {
        kernel.enter()
    }

    #[inline(always)]
    fn to_single(low: wide::f64x4, high: wide::f64x4) -> wide::f32x8 {
        let (low, high) = (low.to_array(), high.to_array());
        let half = |half: [f64; LANES]| each!(lane in [0, 1, 2, 3] => half[lane] as f32);
        bytemuck::cast([half(low), half(high)])
    }

    #[inline(always)]
    fn to_double(numbers: wide::f32x8) -> [wide::f64x4; 2] {
        let halves: [[f32; LANES]; 2] = bytemuck::cast(numbers);
        each!(half in [0, 1] => wide::f64x4::new(each!(lane in [0, 1, 2, 3] => f64::from(halves[half][lane]))))
    }

    #[inline(always)]
    fn to_wide_single(low: wide::f64x4, high: wide::f64x4) -> wide::f32x8 {
        Self::to_single(low, high)
    }

    #[inline(always)]
    fn to_wide_double(numbers: wide::f32x8) -> [wide::f64x4; 2] {
        Self::to_double(numbers)
    }

    /// Dekker's product: no fused operation is needed.
    #[inline(always)]
    fn product_rest(a: f64, b: f64, product: f64) -> f64 {
        let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
        a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    }

    #[inline(always)]
    fn equal_bits(numbers: &[u32; LANES32], value: u32) -> u32 {
        wide::u32x8::new(*numbers).simd_eq(wide::u32x8::splat(value)).to_bitmask()
    }

    #[inline(always)]
    fn compress(numbers: &[u32; LANES32], bits: u32, out: &mut [u32; LANES32]) {
        let set = (0..LANES32).filter(|lane| bits >> lane & 1 != 0);
        out.iter_mut().zip(set).for_each(|(out, lane)| *out = numbers[lane]);
    }

    #[inline(always)]
    fn join(first: &[f32; LANES32], _: &[f32; LANES32]) -> wide::f32x8 {
        wide::f32x8::new(*first)
    }

    #[inline(always)]
    fn compress_joined(first: &[u32; LANES32], _: &[u32; LANES32], bits: u32, out: &mut [u32; MOST_LANES]) {
        Self::compress(first, bits, out.first_chunk_mut().expect("sixteen are at least eight"));
    }

    #[inline(always)]
    fn chosen(numbers: &[u16; 8], bits: u8) -> [u16; 8] {
        let places = crate::soa::bytes::PLACES_OF_ONES[usize::from(bits)];
        each!(n in [0, 1, 2, 3, 4, 5, 6, 7] => numbers[usize::from(places[n]) % 8])
    }

    #[inline(always)]
    fn largest_of_pairs(pairs: &[[u32; 2]]) -> [u32; 2] {
        let (quads, rest) = pairs.as_chunks::<4>();
        let most = quads.iter().fold(wide::u32x8::ZERO, |most, &quad| most.max(bytemuck::cast(quad)));
        let most: [[u32; 2]; 4] = bytemuck::cast(most);
        most.iter().chain(rest).fold([0; 2], |[i, j], pair| [i.max(pair[0]), j.max(pair[1])])
    }
}

/// The entry of a kernel, as a method for the reason that those of other levels are.
pub(super) trait Enter: Kernel {
    /// Runs the kernel with what every CPU has.
    fn enter(self) -> Self::Output;
}

impl<K: Kernel> Enter for K {
    /// Never inlined, so that the code of a level stands by itself, like that of the other levels.
    #[inline(never)]
    fn enter(self) -> Self::Output {
        self.run::<Portable>()
    }
}

/// A number as a sum of two with half the digits each (Veltkamp).
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let scaled = a * 134_217_729.0; // 2^27 + 1
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// Implements what blocks of both precisions have in common.
macro_rules! lanes {
    ($block:ty, $number:ty, $whole:ty, $word:ty, $count:expr, [$($lane:literal),+], $load:path, $rows:path, $determinant:path) => {
        impl Quantity for $block {
            type Mask = Self;
            const ZERO: Self = Self::ZERO;

            #[inline(always)]
            fn splat(value: f64) -> Self {
                Self::splat(value as $number)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self::sqrt(self)
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // One instruction there, with just this outcome; elsewhere it treats NaN otherwise.
                if cfg!(target_arch = "x86_64") {
                    self.fast_max(other)
                } else {
                    Mask::select(Quantity::lt(other, self), self, other)
                }
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                if cfg!(target_arch = "x86_64") {
                    self.fast_min(other)
                } else {
                    Mask::select(Quantity::lt(self, other), self, other)
                }
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

        impl Mask<Self> for $block {
            #[inline(always)]
            fn select(self, yes: Self, no: Self) -> Self {
                self.bitselect(yes, no)
            }
        }

        impl Lanes for $block {
            type Number = $number;
            const COUNT: usize = $count;
            const UNIT: f64 = <$number>::EPSILON as f64 / 2.0;
            const ONE: Self = Self::ONE;

            #[inline(always)]
            fn broadcast(number: $number) -> Self {
                Self::splat(number)
            }

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
            fn determinant(rows: [Self; 2], others: [Self; 2]) -> Self {
                $determinant(rows, others)
            }

            #[inline(always)]
            fn equals(self, other: Self) -> Self {
                self.simd_eq(other)
            }

            #[inline(always)]
            fn bits(self) -> u32 {
                self.to_bitmask()
            }

            #[inline(always)]
            fn shift_left<const BITS: i32>(self) -> Self {
                bytemuck::cast(bytemuck::cast::<_, $whole>(self) << BITS as $word)
            }

            #[inline(always)]
            fn shift_right<const BITS: i32>(self) -> Self {
                bytemuck::cast(bytemuck::cast::<_, $whole>(self) >> BITS as $word)
            }

            #[inline(always)]
            fn collect(number: impl Fn(usize) -> $number) -> Self {
                Self::new([$(number($lane)),+])
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
                let bits: [$word; $count] = bytemuck::cast(self);
                words.copy_from_slice(&[$(bits[$lane] as u32),+]);
            }
        }
    };
}

lanes!(
    wide::f64x4,
    f64,
    wide::u64x4,
    u64,
    LANES,
    [0, 1, 2, 3],
    Doubles::load_columns,
    rows_of_doubles,
    of_doubles
);
lanes!(
    wide::f32x8,
    f32,
    wide::u32x8,
    u32,
    LANES32,
    [0, 1, 2, 3, 4, 5, 6, 7],
    Singles::load_quads,
    Singles::rows_of_quads,
    of_singles
);

/// Columns of doubles as rows.
#[inline(always)]
fn rows_of_doubles(columns: [wide::f64x4; LANES]) -> [[f64; LANES]; LANES] {
    let rows = wide::f64x4::transpose(columns);
    each!(row in [0, 1, 2, 3] => rows[row].to_array())
}

/// The determinant of rows of doubles.
#[inline(always)]
fn of_doubles([a, b]: [wide::f64x4; 2], [c, d]: [wide::f64x4; 2]) -> wide::f64x4 {
    a * d - b * c
}

/// The determinant of rows of singles.
#[inline(always)]
fn of_singles([a, b]: [wide::f32x8; 2], [c, d]: [wide::f32x8; 2]) -> wide::f32x8 {
    let [a, b, c, d] =
        [Portable::to_double(a), Portable::to_double(b), Portable::to_double(c), Portable::to_double(d)];
    Portable::to_single(of_doubles([a[0], b[0]], [c[0], d[0]]), of_doubles([a[1], b[1]], [c[1], d[1]]))
}

impl Doubles for wide::f64x4 {
    #[inline(always)]
    fn new(numbers: [f64; LANES]) -> Self {
        Self::new(numbers)
    }

    #[inline(always)]
    fn to_array(self) -> [f64; LANES] {
        Self::to_array(self)
    }

    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        Self::transpose(rows)
    }

    #[inline(always)]
    fn load_columns(rows: [&[f64; LANES]; LANES]) -> [Self; LANES] {
        each!(k in [0, 1, 2, 3] => Self::new(each!(lane in [0, 1, 2, 3] => rows[lane][k])))
    }

    #[inline(always)]
    fn mask_of(bytes: [u8; LANES]) -> Self {
        !Self::new(each!(lane in [0, 1, 2, 3] => f64::from(bytes[lane]))).simd_eq(Self::ZERO)
    }

    #[inline(always)]
    fn plus_bits(self, number: u64) -> Self {
        bytemuck::cast(bytemuck::cast::<_, wide::u64x4>(self) + wide::u64x4::splat(number))
    }

    #[inline(always)]
    fn lacks_bits(self, bits: u64) -> bool {
        let numbers: [u64; LANES] = bytemuck::cast(self);
        (numbers[0] | numbers[1] | numbers[2] | numbers[3]) & bits == 0
    }
}

impl Singles for wide::f32x8 {
    #[inline(always)]
    fn new(numbers: [f32; LANES32]) -> Self {
        Self::new(numbers)
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES32] {
        Self::to_array(self)
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        let [low, high]: [wide::f32x4; 2] = bytemuck::cast(self);
        bytemuck::cast([high, low])
    }

    #[inline(always)]
    fn load_quads(rows: [&[f32; LANES]; LANES32]) -> [Self; LANES] {
        each!(k in [0, 1, 2, 3] => Self::new(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane][k])))
    }

    #[inline(always)]
    fn rows_of_quads(columns: [Self; LANES]) -> [[f32; LANES]; LANES32] {
        let columns = each!(k in [0, 1, 2, 3] => columns[k].to_array());
        each!(row in [0, 1, 2, 3, 4, 5, 6, 7] => each!(k in [0, 1, 2, 3] => columns[k][row]))
    }

    #[inline(always)]
    fn mask_of(bytes: [u8; LANES32]) -> Self {
        let numbers = wide::u32x8::new(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => u32::from(bytes[lane])));
        bytemuck::cast(!numbers.simd_eq(wide::u32x8::ZERO))
    }
}

/// Four words of 64 bits, each of them two of 32.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairedWords(wide::u32x8);

impl PairedWords {
    #[inline(always)]
    fn pairs(self) -> wide::f64x4 {
        bytemuck::cast(self.0)
    }
}

impl Words for PairedWords {
    type Numbers = wide::f64x4;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        Self(wide::u32x8::splat(word))
    }

    #[inline(always)]
    fn new(words: [u32; LANES32]) -> Self {
        let [a, b, c, d, e, f, g, h] = words;
        Self(wide::u32x8::new([a, e, b, f, c, g, d, h]))
    }

    #[cfg(test)]
    #[inline(always)]
    fn to_array(self) -> [u32; LANES32] {
        let [a, e, b, f, c, g, d, h] = self.0.to_array();
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self) -> Self {
        Self((self.0 << BITS) | (self.0 >> (32 - BITS)))
    }

    #[inline(always)]
    fn numbers(self) -> [wide::f64x4; 2] {
        let pairs = self.pairs();
        let low = pairs & wide::f64x4::splat(f64::from_bits(u64::from(u32::MAX)));
        [small_whole(low), small_whole(pairs.shift_right::<32>())]
    }
}

impl std::ops::Add for PairedWords {
    type Output = Self;

    /// Modulo 2^32.
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl std::ops::BitXor for PairedWords {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}
