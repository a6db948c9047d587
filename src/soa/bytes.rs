//! Bits and bytes of many pairs at once, for lists without branches.

use super::lanes::{Block32, LANES32};

/// The signs of `a` plus `b` with its halves swapped, one bit per number.
#[inline(always)]
#[must_use]
pub(crate) fn swapped_sum_signs(a: &[f32; LANES32], b: &[f32; LANES32]) -> u32 {
    let [b0, b1, b2, b3, b4, b5, b6, b7] = *b;
    let sum = Block32::new(*a) + Block32::new([b4, b5, b6, b7, b0, b1, b2, b3]);
    sum.to_bitmask()
}

/// The largest first and the largest second number of many pairs; 0 if there are none.
#[inline(always)]
#[must_use]
pub(crate) fn largest_of_pairs(pairs: &[[u32; 2]]) -> [u32; 2] {
    let (quads, rest) = pairs.as_chunks::<4>();
    let most = quads.iter().fold(wide::u32x8::ZERO, |most, &quad| most.max(bytemuck::cast(quad)));
    let most: [[u32; 2]; 4] = bytemuck::cast(most);
    most.iter().chain(rest).fold([0; 2], |[i, j], pair| [i.max(pair[0]), j.max(pair[1])])
}

/// Which of 64 bytes have all of some bits set, the first byte lowest.
#[inline(always)]
#[must_use]
pub(crate) fn bytes_with(bytes: &[u8; 64], bits: u8) -> u64 {
    let bits = wide::u8x16::splat(bits);
    let (quarters, _) = bytes.as_chunks::<16>();
    let set = |quarter: &[u8; 16]| (wide::u8x16::new(*quarter) & bits).simd_eq(bits).to_bitmask();
    (0..).step_by(16).zip(quarters).fold(0, |all, (at, quarter)| all | u64::from(set(quarter)) << at)
}

/// The top bits of 64 bytes, the first byte lowest.
#[inline(always)]
#[must_use]
pub(crate) fn signs_of_bytes(bytes: &[u8; 64]) -> u64 {
    let (quarters, _) = bytes.as_chunks::<16>();
    let signs = |quarter: &[u8; 16]| wide::u8x16::new(*quarter).to_bitmask();
    (0..).step_by(16).zip(quarters).fold(0, |all, (at, quarter)| all | u64::from(signs(quarter)) << at)
}

/// For each byte the places of its bits that are set, lowest first; the rest is filled with 0.
static PLACES_OF_ONES: [[u16; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut count) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                table[byte][count] = place as u16;
                count += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    table
};

/// Numbers the bits of a byte from some number on.
#[derive(Clone, Copy)]
pub(crate) struct Places(wide::u16x8);

impl Places {
    /// The lowest bit has the number `first`.
    #[inline(always)]
    pub(crate) fn from(first: u16) -> Self {
        Self(wide::u16x8::splat(first))
    }

    /// The numbers of the bits that are set, lowest first; those after them mean nothing.
    #[inline(always)]
    pub(crate) fn of_ones(self, byte: u8) -> [u16; 8] {
        (wide::u16x8::new(PLACES_OF_ONES[usize::from(byte)]) + self.0).to_array()
    }
}

/// The numbers whose bits are set, in their order; those after them mean nothing.
#[inline(always)]
#[must_use]
pub(crate) fn chosen(numbers: &[u16; 8], bits: u8) -> [u16; 8] {
    let places = wide::u16x8::new(PLACES_OF_ONES[usize::from(bits)]);
    // The two bytes of each number.
    let places = places * wide::u16x8::splat(0x0202) + wide::u16x8::splat(0x0100);
    let numbers: wide::u8x16 = bytemuck::cast(*numbers);
    bytemuck::cast(numbers.shuffle(bytemuck::cast(places)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_as_places_and_as_a_choice() {
        let numbers = std::array::from_fn(|place| 40 + place as u16);
        for byte in 0..=255_u8 {
            let ones: Vec<u16> =
                (0..8).filter(|place| byte >> place & 1 == 1).map(|place| 40 + place).collect();
            assert_eq!(Places::from(40).of_ones(byte)[..ones.len()], ones[..]);
            assert_eq!(chosen(&numbers, byte)[..ones.len()], ones[..]);
        }
    }

    #[test]
    fn largest_numbers_of_pairs() {
        let pairs: Vec<[u32; 2]> = (0..11).map(|k| [k * 7 % 11, u32::MAX - k * 5 % 11]).collect();
        for count in 0..=pairs.len() {
            let largest = |side: usize| pairs[..count].iter().map(|pair| pair[side]).max().unwrap_or(0);
            assert_eq!(largest_of_pairs(&pairs[..count]), [largest(0), largest(1)]);
        }
    }

    #[test]
    fn top_bits_of_bytes() {
        let mut bytes = [0x7F; 64];
        (bytes[0], bytes[17], bytes[63]) = (0x80, 0xFF, 0x81);
        assert_eq!(signs_of_bytes(&bytes), 1 | 1 << 17 | 1 << 63);
        assert_eq!(bytes_with(&bytes, 0x80), signs_of_bytes(&bytes));
        assert_eq!(bytes_with(&bytes, 0x81), 1 << 17 | 1 << 63);
    }

    #[test]
    fn signs_of_swapped_sums() {
        let a = [1.0, -1.0, 0.5, 1.0, -3.0, 0.0, 2.0, -2.0];
        let b = [2.0, 0.0, -2.0, 1.0, -2.0, 0.5, -0.5, -2.0];
        // -1, -0.5, 0, -1, -1, 0, 0, -1
        assert_eq!(swapped_sum_signs(&a, &b), 0b1001_1011);
    }
}
