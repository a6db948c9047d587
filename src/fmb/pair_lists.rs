//! Numbers of pairs, listed by the kinds of their frames, without data-dependent branches.

use crate::soa::block::{LANES32, MOST_LANES};
use crate::soa::bytes::Places;
use crate::soa::simd::Simd;

/// Largest number of pairs that are listed at a time.
pub(super) const BLOCK: usize = 1024;

/// A list of numbers of pairs, with room to fill up the last group of lanes.
#[derive(Clone, Copy)]
pub(super) struct PairList {
    length: usize,
    numbers: [u16; BLOCK + MOST_LANES],
}

impl PairList {
    pub(super) const EMPTY: Self = Self { length: 0, numbers: [0; BLOCK + MOST_LANES] };

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    #[inline(always)]
    pub(super) fn numbers(&self) -> &[u16] {
        &self.numbers[..self.length]
    }

    /// Appends a number.
    ///
    /// # Panics
    /// If there are [`BLOCK`] already and room for some more.
    #[inline(always)]
    pub(super) fn push(&mut self, number: u16) {
        self.numbers[self.length] = number;
        self.length += 1;
    }

    /// Removes the numbers for which this is not so.
    #[inline(always)]
    pub(super) fn retain(&mut self, is_kept: impl Fn(u16) -> bool) {
        let mut kept = 0;
        for k in 0..self.length {
            self.numbers[kept] = self.numbers[k];
            kept += usize::from(is_kept(self.numbers[k]));
        }
        self.length = kept;
    }

    /// Appends those of eight numbers whose bits are set.
    ///
    /// # Safety
    /// There must be no more than `BLOCK` before them.
    #[inline(always)]
    pub(super) unsafe fn append_chosen<S: Simd>(&mut self, numbers: &[u16; LANES32], bits: u32) {
        // SAFETY: as the caller has promised.
        unsafe { self.append(S::chosen(numbers, bits as u8), bits.count_ones()) };
    }

    /// Appends the first `count` of eight numbers.
    ///
    /// # Safety
    /// There must be no more than `BLOCK` before them.
    #[inline(always)]
    unsafe fn append(&mut self, numbers: [u16; LANES32], count: u32) {
        // SAFETY: there is room for eight more than `BLOCK`.
        unsafe { self.numbers.as_mut_ptr().add(self.length).cast::<[u16; LANES32]>().write(numbers) };
        self.length += count as usize;
    }

    /// The numbers in groups of `N` lanes, the last of which is filled up with its last number.
    #[inline(always)]
    pub(super) fn groups<const N: usize>(&mut self) -> &[[u16; N]] {
        self.filled_up(N).as_chunks::<N>().0
    }

    /// The numbers of whole groups of so many lanes, the last of which is filled up with its last number.
    #[inline(always)]
    pub(super) fn filled_up(&mut self, lanes: usize) -> &[u16] {
        let last = self.numbers[self.length.saturating_sub(1)];
        self.numbers[self.length..self.length + lanes].fill(last);
        &self.numbers[..self.length.next_multiple_of(lanes)]
    }
}

/// A list for each combination of kinds: two cuboids, tetrahedron and cuboid, cuboid and tetrahedron, two tetrahedra.
pub(super) struct ListsByKinds(pub(super) [PairList; 4]);

/// The list of tetrahedra with cuboids.
pub(super) const TETRAHEDRON_FIRST: usize = 1;

impl ListsByKinds {
    pub(super) const EMPTY: Self = Self([PairList::EMPTY; 4]);

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        for list in &mut self.0 {
            list.clear();
        }
    }

    /// Appends those of 64 pairs whose bits are set in `wanted`; a second and a third word say in which of them the frame
    /// of A, and of B, is a tetrahedron. The first pair has the number `from`.
    ///
    /// # Safety
    /// All lists together must have had no more than `BLOCK - 64` before, or fewer pairs be wanted.
    #[inline(always)]
    pub(super) unsafe fn append(&mut self, wanted: u64, [of_a, of_b]: [u64; 2], from: usize) {
        let bits =
            [wanted & !of_a & !of_b, wanted & of_a & !of_b, wanted & !of_a & of_b, wanted & of_a & of_b];
        for at in (0..64).step_by(8) {
            let places = Places::from((from + at) as u16);
            for (list, bits) in self.0.iter_mut().zip(bits) {
                let byte = (bits >> at) as u8;
                // SAFETY: as the caller has promised.
                unsafe { list.append(places.of_ones(byte), byte.count_ones()) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_listed_by_kinds_in_their_order() {
        let (of_a, of_b) = (0x0F0F_3355_FF00_AA11_u64, 0x1234_5678_9ABC_DEF0_u64);
        let mut lists = ListsByKinds::EMPTY;
        for block in 0..BLOCK / 64 {
            let wanted = 0xFFFF_0FF0_7E7E_1881_u64.rotate_left(block as u32);
            // SAFETY: all pairs together are `BLOCK`.
            unsafe { lists.append(wanted, [of_a, of_b], 64 * block) };
        }
        let combination = |number: usize| (of_a >> (number % 64) & 1) + 2 * (of_b >> (number % 64) & 1);
        let is_wanted = |number: usize| {
            0xFFFF_0FF0_7E7E_1881_u64.rotate_left(number as u32 / 64) >> (number % 64) & 1 == 1
        };
        for (kinds, list) in (0..).zip(&mut lists.0) {
            let expected: Vec<u16> = (0..BLOCK)
                .filter(|&number| is_wanted(number) && combination(number) == kinds)
                .map(|number| number as u16)
                .collect();
            assert_eq!(list.numbers(), expected);
            let groups = list.groups::<LANES32>().as_flattened();
            assert_eq!(groups[..expected.len()], expected);
            assert!(groups[expected.len()..].iter().all(|number| Some(number) == expected.last()));
        }
    }
}
