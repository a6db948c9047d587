//! What the lane kernels use of a CPU, behind one trait: kernels are written once and compiled for each level of
//! instructions (docs in [`level`](super::level)).

use std::fmt::Debug;
use std::ops::{Add, BitXor};

use super::block::{Doubles, LANES32, Lanes, MOST_LANES, Singles};
use super::level::Kernel;

/// A level of instructions: the types of its blocks, and what has to do with several of them.
///
/// Code that is generic over a level never names one: it gets it from [`level::run`](super::level::run), which chooses one
/// that the CPU has.
pub(crate) trait Simd: Copy + Debug + Send + Sync + 'static {
    /// Four numbers of `f64`.
    type Block: Doubles;
    /// Eight numbers of `f32`.
    type Block32: Singles;
    /// Eight words of 32 bits.
    type Words: Words<Numbers = Self::Block>;
    /// As many numbers of `f64` as one register holds, a multiple of those of a block: for kernels in which no lane depends on
    /// another, so that results do not depend on how many there are.
    type Wide: Lanes<Number = f64>;
    /// The same of `f32`, twice as many.
    type Wide32: Lanes<Number = f32>;

    /// Runs a part of a kernel as a function of its own at this level, where inlining it would not pay.
    fn call<K: Kernel>(kernel: K) -> K::Output;

    /// The nearest numbers in single precision.
    fn to_single(low: Self::Block, high: Self::Block) -> Self::Block32;
    /// The same numbers in double precision.
    fn to_double(numbers: Self::Block32) -> [Self::Block; 2];
    /// The nearest numbers in single precision.
    fn to_wide_single(low: Self::Wide, high: Self::Wide) -> Self::Wide32;
    /// The same numbers in double precision.
    fn to_wide_double(numbers: Self::Wide32) -> [Self::Wide; 2];
    /// The rounding error of `product`, which is `a b` rounded; exact unless it underflows.
    fn product_rest(a: f64, b: f64, product: f64) -> f64;

    /// One bit for each of eight numbers that is `value`, the first one lowest.
    fn equal_bits(numbers: &[u32; LANES32], value: u32) -> u32;
    /// Writes those of eight numbers whose bits are set to the front of `out`; what comes after them is left open.
    fn compress(numbers: &[u32; LANES32], bits: u32, out: &mut [u32; LANES32]);
    /// Eight numbers and, if a wide block has sixteen, eight others after them.
    fn join(first: &[f32; LANES32], second: &[f32; LANES32]) -> Self::Wide32;
    /// [`compress`](Self::compress) for as many numbers as [`join`](Self::join) takes.
    fn compress_joined(
        first: &[u32; LANES32],
        second: &[u32; LANES32],
        bits: u32,
        out: &mut [u32; MOST_LANES],
    );
    /// The numbers whose bits are set, in their order; those after them mean nothing.
    fn chosen(numbers: &[u16; 8], bits: u8) -> [u16; 8];
    /// The largest first and the largest second number of many pairs; 0 if there are none.
    fn largest_of_pairs(pairs: &[[u32; 2]]) -> [u32; 2];

    /// One bit for each of sixteen numbers that is `value`, the first one lowest.
    #[inline(always)]
    fn equal_bits16(numbers: &[u32; 2 * LANES32], value: u32) -> u32 {
        let (halves, _) = numbers.as_chunks();
        Self::equal_bits(&halves[0], value) | Self::equal_bits(&halves[1], value) << LANES32
    }
}

/// Eight words of 32 bits, for random numbers. Words 0 to 3 are the lower halves of four words of 64 bits and words 4 to 7
/// the upper ones: to get numbers out takes a mask or a shift, and no word changes its lane.
pub(crate) trait Words: Copy + Debug + Add<Output = Self> + BitXor<Output = Self> {
    /// Numbers of `f64`.
    type Numbers: Doubles;

    /// All words the same.
    fn splat(word: u32) -> Self;
    /// Words 0 to 3, and words 4 to 7.
    fn new(words: [u32; LANES32]) -> Self;
    /// The words, in the order of [`new`](Self::new).
    #[cfg(test)]
    fn to_array(self) -> [u32; LANES32];
    /// Every word turned left by `BITS` bits.
    fn rotate<const BITS: u32>(self) -> Self;
    /// Words 0 to 3 and words 4 to 7 as numbers from 0 to 2^32 - 1.
    fn numbers(self) -> [Self::Numbers; 2];
}

/// 2^52: a whole number below it, put into the bits behind its point, makes the sum of both.
const SHIFT: f64 = (1_u64 << 52) as f64;

/// Blocks whose bits are whole numbers below 2^52 as these numbers.
#[inline(always)]
pub(super) fn small_whole<B: Doubles>(bits: B) -> B {
    (bits | B::broadcast(SHIFT)) - B::broadcast(SHIFT)
}

/// Each positive, normal number as `m 2^e` with m in [sqrt(1/2), sqrt(2)): m, and e.
#[inline(always)]
pub(super) fn mantissa_and_exponent<B: Doubles>(x: B) -> [B; 2] {
    /// The bits of sqrt(1/2).
    const LEAST: u64 = 0x3FE6_A09E_667F_3BCD;
    /// What brings them to those of 1: numbers from there on get the next exponent.
    const TO_ONE: u64 = 0x3FF0_0000_0000_0000 - LEAST;
    let bits = x.plus_bits(TO_ONE);
    let exponent = small_whole(bits.shift_right::<52>()) - B::splat(1023.0);
    let fraction = bits & B::broadcast(f64::from_bits((1 << 52) - 1));
    [fraction.plus_bits(LEAST), exponent]
}

/// 2 to the power of each lane, which holds a whole number from -1022 to 1023.
#[inline(always)]
pub(super) fn power_of_two<B: Doubles>(exponent: B) -> B {
    (exponent + B::splat(SHIFT + 1023.0)).shift_left::<52>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::block::Real;
    use crate::soa::level::run_at_each_level;

    /// A sum, an exclusive or and a rotation of words, the words themselves, and these as numbers.
    #[derive(Clone)]
    struct WordOperations([u32; LANES32]);

    impl Kernel for WordOperations {
        type Output = ([[u32; LANES32]; 4], [[f64; 4]; 2]);

        #[inline(always)]
        fn run<S: Simd>(self) -> Self::Output {
            let words = S::Words::new(self.0);
            let (three, mask) = (S::Words::splat(3), S::Words::splat(0xFF00_FF00));
            let results = [words + three, words ^ mask, words.rotate::<7>(), words];
            (results.map(Words::to_array), words.numbers().map(Doubles::to_array))
        }
    }

    #[test]
    fn words_keep_their_lanes() {
        let some = [0, 1, 7, u32::MAX, 0x8000_0000, 0xDEAD_BEEF, 12, 0x7FFF_FFFF];
        for (words, numbers) in run_at_each_level(&WordOperations(some)) {
            assert_eq!(words[0], some.map(|word| word.wrapping_add(3)));
            assert_eq!(words[1], some.map(|word| word ^ 0xFF00_FF00));
            assert_eq!(words[2], some.map(|word| word.rotate_left(7)));
            assert_eq!(words[3], some);
            assert_eq!(numbers.concat(), some.map(f64::from));
        }
    }

    /// Eight numbers and eight others in a wide block, and those of two times eight words whose bits are set.
    #[derive(Clone)]
    struct Joins(u32);

    impl Kernel for Joins {
        type Output = (Vec<f32>, Vec<u32>);

        #[inline(always)]
        fn run<S: Simd>(self) -> Self::Output {
            let [first, second] = [0, LANES32].map(|from| std::array::from_fn(|lane| (from + lane) as u32));
            let joined = S::join(&first.map(|n| n as f32), &second.map(|n| n as f32));
            let bits = self.0 & ((1 << S::Wide32::COUNT) - 1);
            let mut out = [u32::MAX; MOST_LANES];
            S::compress_joined(&first, &second, bits, &mut out);
            (joined.numbers().to_vec(), out[..bits.count_ones() as usize].to_vec())
        }
    }

    #[test]
    fn joined_blocks_keep_the_order_of_their_numbers() {
        for bits in (0..1 << MOST_LANES).step_by(37).chain([(1 << MOST_LANES) - 1]) {
            for (numbers, chosen) in run_at_each_level(&Joins(bits)) {
                let lanes = numbers.len();
                assert_eq!(numbers, (0..lanes).map(|n| n as f32).collect::<Vec<_>>());
                assert_eq!(
                    chosen,
                    (0..lanes as u32).filter(|n| bits >> n & 1 != 0).collect::<Vec<_>>(),
                    "{bits:b}"
                );
            }
        }
    }

    /// Mantissas and exponents of four numbers.
    #[derive(Clone)]
    struct Parts([f64; 4]);

    impl Kernel for Parts {
        type Output = [[f64; 4]; 2];

        #[inline(always)]
        fn run<S: Simd>(self) -> Self::Output {
            mantissa_and_exponent(S::Block::new(self.0)).map(Doubles::to_array)
        }
    }

    /// Four powers of 2.
    #[derive(Clone)]
    struct Powers([f64; 4]);

    impl Kernel for Powers {
        type Output = [f64; 4];

        #[inline(always)]
        fn run<S: Simd>(self) -> Self::Output {
            power_of_two(S::Block::new(self.0)).to_array()
        }
    }

    #[test]
    fn numbers_fall_apart_into_mantissa_and_exponent() {
        for numbers in
            [[1.0, 0.7, 0.71, 1.41], [1.42, 3.0, 1e-300, 1.7e300], [2.0_f64.powi(-65), 2.0, 0.5, 5e9]]
        {
            for [mantissas, exponents] in run_at_each_level(&Parts(numbers)) {
                for ((x, mantissa), exponent) in numbers.into_iter().zip(mantissas).zip(exponents) {
                    assert!((0.707..1.4143).contains(&mantissa), "{x}: {mantissa}");
                    assert_eq!(mantissa * 2.0_f64.powi(exponent as i32), x);
                }
            }
        }
        for powers in run_at_each_level(&Powers([-1022.0, -1.0, 0.0, 1023.0])) {
            assert_eq!(powers, [f64::MIN_POSITIVE, 0.5, 1.0, 2.0_f64.powi(1023)]);
        }
    }

    /// Numbers with all that blocks treat as something special.
    const SPECIAL: [f64; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        1e30,
        -1e-30,
        0.1,
        f64::NAN,
        f64::INFINITY,
        3.0,
        -2.0,
        1e-20,
        7.25,
        -0.3,
        100.0,
        1.0,
    ];

    /// The bits of all results of operations of wide blocks on 16 numbers and the same in reverse, operation by operation.
    #[derive(Clone)]
    struct WideOperations;

    #[inline(always)]
    fn operations<L: Lanes>(results: &mut [Vec<u64>], first: usize) {
        let number = |lane: usize| L::Number::nearest(SPECIAL[first + lane]);
        let (x, y) = (L::collect(number), L::collect(|lane| L::Number::nearest(SPECIAL[15 - first - lane])));
        let rows: Vec<_> = (0..L::COUNT)
            .map(|lane| [0, 5, 10, 15].map(|k| L::Number::nearest(SPECIAL[(first + lane + k) % 16])))
            .collect();
        let columns = L::load_rows(|lane| &rows[lane]);
        let mut turned = vec![[L::Number::nearest(0.0); 4]; L::COUNT];
        L::for_each_row(columns, |lane, row| turned[lane] = row);
        let blocks = [
            x + y,
            x - y,
            x * y,
            x / y,
            -x,
            x.abs(),
            x.abs().sqrt(),
            x.max(y),
            y.min(x),
            x & y,
            x | y,
            x.le(y),
            x.lt(y),
            x.equals(y),
            x.lt(y).select(x, y),
            x.shift_left::<3>(),
            x.shift_right::<7>(),
            L::mask_of_all(true),
            L::determinant([x, y], [y, L::splat(0.7)]),
            columns[0],
            columns[1],
            columns[2],
            columns[3],
        ];
        for (result, block) in results.iter_mut().zip(blocks) {
            // What is not a number has any bits, but in masks.
            let bits = |x: &L::Number| if x.widen().is_nan() { u64::MAX } else { x.widen().to_bits() };
            result.extend(block.numbers().iter().map(bits));
        }
        let signs = (0..L::COUNT).map(|lane| u64::from(x.lt(y).bits() >> lane & 1));
        results[blocks.len()].extend(signs);
        results[blocks.len() + 1].extend(turned.iter().flatten().map(|x| x.widen().to_bits()));
    }

    impl Kernel for WideOperations {
        type Output = [Vec<Vec<u64>>; 3];

        #[inline(always)]
        fn run<S: Simd>(self) -> Self::Output {
            let [mut doubles, mut singles, mut converted] = [const { Vec::new() }; 3];
            doubles.resize(25, Vec::new());
            singles.resize(25, Vec::new());
            converted.resize(1, Vec::new());
            for first in (0..16).step_by(S::Wide::COUNT) {
                operations::<S::Wide>(&mut doubles, first);
            }
            for first in (0..16).step_by(S::Wide32::COUNT) {
                operations::<S::Wide32>(&mut singles, first);
                let halves = [first, first + S::Wide::COUNT]
                    .map(|first| S::Wide::collect(|lane| SPECIAL[first + lane]));
                let [low, high] = S::to_wide_double(S::to_wide_single(halves[0], halves[1]));
                let numbers = low.numbers().iter().chain(high.numbers());
                converted[0].extend(numbers.map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }));
            }
            [doubles, singles, converted]
        }
    }

    #[test]
    fn wide_blocks_give_what_blocks_give() {
        let levels = run_at_each_level(&WideOperations);
        for [doubles, singles, converted] in &levels {
            assert_eq!([doubles, singles, converted], levels[0].each_ref());
            let rounded = SPECIAL.map(|x| if x == x { f64::from(x as f32).to_bits() } else { u64::MAX });
            assert_eq!(converted[0], rounded);
            // Rows, and rows made of columns again.
            let rows: Vec<_> =
                (0..16).flat_map(|row| [0, 5, 10, 15].map(|k| SPECIAL[(row + k) % 16])).collect();
            for (found, &x) in doubles[24].iter().zip(&rows) {
                assert!(*found == x.to_bits() || x.is_nan());
            }
        }
    }
}
