//! Eight words of 32 bits at once, for random numbers.

use std::ops::{Add, BitXor};

use super::lanes::{Block, LANES, LANES32, splat};

/// 2^52: a whole number below it, put into the bits behind its point, makes the sum of both.
const SHIFT: f64 = (1_u64 << 52) as f64;

/// Eight words of 32 bits. Words 0 to 3 are the lower halves of four words of 64 bits and words 4 to 7 the upper ones:
/// to get numbers out takes a mask or a shift, and no word changes its lane.
#[derive(Clone, Copy)]
pub(crate) struct Words(wide::u32x8);

impl Words {
    /// All words the same.
    #[inline(always)]
    pub(crate) fn splat(word: u32) -> Self {
        Self(wide::u32x8::splat(word))
    }

    pub(crate) fn new(words: [u32; LANES32]) -> Self {
        let pair = |k: usize| u64::from(words[k]) | u64::from(words[k + LANES]) << 32;
        Self(bytemuck::cast(wide::u64x4::new([pair(0), pair(1), pair(2), pair(3)])))
    }

    /// The words, in the order of [`new`](Self::new).
    #[cfg(test)]
    pub(crate) fn to_array(self) -> [u32; LANES32] {
        let pairs = self.pairs().to_array();
        std::array::from_fn(|k| (pairs[k % LANES] >> (32 * (k / LANES))) as u32)
    }

    /// Every word turned left by `BITS` bits.
    #[inline(always)]
    pub(crate) fn rotate<const BITS: u32>(self) -> Self {
        Self((self.0 << BITS) | (self.0 >> (32 - BITS)))
    }

    /// Words 0 to 3 and words 4 to 7 as numbers from 0 to 2^32 - 1.
    #[inline(always)]
    pub(crate) fn numbers(self) -> [Block; 2] {
        let pairs = self.pairs();
        [pairs & wide::u64x4::splat(u64::from(u32::MAX)), pairs >> 32_u32].map(small_whole)
    }

    #[inline(always)]
    fn pairs(self) -> wide::u64x4 {
        bytemuck::cast(self.0)
    }
}

/// Whole numbers below 2^52 as numbers.
#[inline(always)]
fn small_whole(numbers: wide::u64x4) -> Block {
    bytemuck::cast::<_, Block>(numbers | wide::u64x4::splat(SHIFT.to_bits())) - splat(SHIFT)
}

/// Each positive, normal number as `m 2^e` with m in [sqrt(1/2), sqrt(2)): m, and e.
#[inline(always)]
pub(super) fn mantissa_and_exponent(x: Block) -> [Block; 2] {
    /// What brings the bits of sqrt(1/2) to those of 1: numbers from there on get the next exponent.
    const TO_ONE: u64 = 0x3FF0_0000_0000_0000 - 0x3FE6_A09E_667F_3BCD;
    let bits = bytemuck::cast::<_, wide::u64x4>(x) + wide::u64x4::splat(TO_ONE);
    let exponent = small_whole(bits >> 52_u32) - splat(1023.0);
    let fraction = bits & wide::u64x4::splat((1 << 52) - 1);
    [bytemuck::cast(fraction + wide::u64x4::splat(0x3FE6_A09E_667F_3BCD)), exponent]
}

/// 2 to the power of each lane, which holds a whole number from -1022 to 1023.
#[inline(always)]
pub(super) fn power_of_two(exponent: Block) -> Block {
    let bits: wide::u64x4 = bytemuck::cast(exponent + splat(SHIFT + 1023.0));
    bytemuck::cast(bits << 52_u32)
}

impl Add for Words {
    type Output = Self;

    /// Modulo 2^32.
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl BitXor for Words {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_lanes() {
        let some = [0, 1, 7, u32::MAX, 0x8000_0000, 0xDEAD_BEEF, 12, 0x7FFF_FFFF];
        let words = Words::new(some);
        assert_eq!(words.to_array(), some);
        assert_eq!((words + Words::splat(3)).to_array(), some.map(|w| w.wrapping_add(3)));
        assert_eq!((words ^ Words::splat(0xFF00_FF00)).to_array(), some.map(|w| w ^ 0xFF00_FF00));
        assert_eq!(words.rotate::<7>().to_array(), some.map(|w| w.rotate_left(7)));
        let [low, high] = words.numbers().map(Block::to_array);
        assert_eq!([low, high].concat(), some.map(f64::from));
    }

    #[test]
    fn numbers_fall_apart_into_mantissa_and_exponent() {
        for x in [1.0, 0.7, 0.71, 1.41, 1.42, 3.0, 1e-300, 1.7e300, 2.0_f64.powi(-65)] {
            let [mantissa, exponent] = mantissa_and_exponent(splat(x)).map(|block| block.to_array()[2]);
            assert!((0.707..1.4143).contains(&mantissa), "{x}: {mantissa}");
            assert_eq!(mantissa * 2.0_f64.powi(exponent as i32), x);
        }
        let powers = power_of_two(Block::new([-1022.0, -1.0, 0.0, 1023.0])).to_array();
        assert_eq!(powers, [f64::MIN_POSITIVE, 0.5, 1.0, 2.0_f64.powi(1023)]);
    }
}
