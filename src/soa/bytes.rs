//! Bits and bytes of many pairs at once, for lists without branches.

use super::block::{LANES32, Singles};

/// The signs of `a` plus `b` with its halves swapped, one bit per number.
#[inline(always)]
#[must_use]
pub(crate) fn swapped_sum_signs<B: Singles>(a: &[f32; LANES32], b: &[f32; LANES32]) -> u32 {
    (B::new(*a) + B::new(*b).swap_halves()).bits()
}

/// Which of 64 bytes have all of some bits set, the first byte lowest.
#[inline(always)]
#[must_use]
pub(crate) fn bytes_with(bytes: &[u8; 64], bits: u8) -> u64 {
    let bits = wide::u8x16::splat(bits);
    let (quarters, _) = bytes.as_chunks::<16>();
    let mut all = 0;
    for (n, quarter) in quarters.iter().enumerate() {
        let set = (wide::u8x16::new(*quarter) & bits).simd_eq(bits).to_bitmask();
        all |= u64::from(set) << (16 * n);
    }
    all
}

/// The top bits of 64 bytes, the first byte lowest.
#[inline(always)]
#[must_use]
pub(crate) fn signs_of_bytes(bytes: &[u8; 64]) -> u64 {
    let (quarters, _) = bytes.as_chunks::<16>();
    let mut all = 0;
    for (n, quarter) in quarters.iter().enumerate() {
        all |= u64::from(wide::u8x16::new(*quarter).to_bitmask()) << (16 * n);
    }
    all
}

/// For each byte the places of its bits that are set, lowest first; the rest is filled with 0.
pub(super) static PLACES_OF_ONES: [[u16; 8]; 256] = {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::level::{self, Kernel};
    use crate::soa::simd::Simd;

    #[derive(Clone)]
    struct Chosen([u16; 8], u8);

    impl Kernel for Chosen {
        type Output = [u16; 8];

        #[inline(always)]
        fn run<S: Simd>(self) -> [u16; 8] {
            S::chosen(&self.0, self.1)
        }
    }

    #[test]
    fn bits_as_places_and_as_a_choice() {
        let numbers = std::array::from_fn(|place| 40 + place as u16);
        for byte in 0..=255_u8 {
            let ones: Vec<u16> =
                (0..8).filter(|place| byte >> place & 1 == 1).map(|place| 40 + place).collect();
            assert_eq!(Places::from(40).of_ones(byte)[..ones.len()], ones[..]);
            for chosen in level::run_at_each_level(&Chosen(numbers, byte)) {
                assert_eq!(chosen[..ones.len()], ones[..]);
            }
        }
    }

    #[derive(Clone)]
    struct Largest<'a>(&'a [[u32; 2]]);

    impl Kernel for Largest<'_> {
        type Output = [u32; 2];

        #[inline(always)]
        fn run<S: Simd>(self) -> [u32; 2] {
            S::largest_of_pairs(self.0)
        }
    }

    #[test]
    fn largest_numbers_of_pairs() {
        let pairs: Vec<[u32; 2]> = (0..11).map(|k| [k * 7 % 11, u32::MAX - k * 5 % 11]).collect();
        for count in 0..=pairs.len() {
            let largest = |side: usize| pairs[..count].iter().map(|pair| pair[side]).max().unwrap_or(0);
            for found in level::run_at_each_level(&Largest(&pairs[..count])) {
                assert_eq!(found, [largest(0), largest(1)]);
            }
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

    #[derive(Clone)]
    struct SwappedSum([f32; LANES32], [f32; LANES32]);

    impl Kernel for SwappedSum {
        type Output = u32;

        #[inline(always)]
        fn run<S: Simd>(self) -> u32 {
            swapped_sum_signs::<S::Block32>(&self.0, &self.1)
        }
    }

    #[test]
    fn signs_of_swapped_sums() {
        let a = [1.0, -1.0, 0.5, 1.0, -3.0, 0.0, 2.0, -2.0];
        let b = [2.0, 0.0, -2.0, 1.0, -2.0, 0.5, -0.5, -2.0];
        // -1, -0.5, 0, -1, -1, 0, 0, -1
        for signs in level::run_at_each_level(&SwappedSum(a, b)) {
            assert_eq!(signs, 0b1001_1011);
        }
    }
}
