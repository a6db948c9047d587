//! What a search along a path has found.

use crate::soa::block::{LANES32, MOST_LANES};
use crate::soa::simd::Simd;

/// The rows that a search has found.
#[derive(Debug)]
pub(crate) struct Candidates {
    /// Rows beyond the capacity, moved here in whole blocks.
    many: Vec<[u32; LANES32]>,
    few: [u32; CAPACITY],
    pub(super) len: usize,
}

/// Rows for which a search needs no allocation.
const CAPACITY: usize = 104;

/// The last place for sixteen rows and eight after them.
pub(super) const LAST_PLACE: usize = CAPACITY - MOST_LANES - LANES32;

impl Candidates {
    /// No rows.
    pub(crate) const NONE: Self = Self { many: Vec::new(), few: [0; CAPACITY], len: 0 };

    /// The rows in two parts, each filled up with `row` to a multiple of `count`, at most eight.
    #[inline(always)]
    pub(crate) fn filled_up(&mut self, count: usize, row: usize) -> [&[u32]; 2] {
        if let Some(rest) = self.few[self.len..].first_chunk_mut::<LANES32>() {
            *rest = [row as u32; LANES32];
        }
        [self.many.as_flattened(), &self.few[..self.len.next_multiple_of(count)]]
    }

    /// The rows, but for those beyond the capacity.
    #[inline(always)]
    pub(crate) fn few(&self) -> &[u32] {
        &self.few[..self.len]
    }

    pub(crate) fn clear(&mut self) {
        self.many.clear();
        self.len = 0;
    }

    /// Puts those of eight rows, or of sixteen if that many are searched at once, whose bits are set after `len` rows, and
    /// returns how many there are then. What is beyond the capacity is lost.
    ///
    /// Without a branch on whether there are any, which would be mispredicted half of the time, and without a call, for which
    /// all that a search needs would have to leave the registers.
    #[inline(always)]
    pub(super) fn put<S: Simd>(
        &mut self,
        len: usize,
        [first, second]: [&[u32; LANES32]; 2],
        bits: u32,
    ) -> usize {
        if let Some(out) = self.few[len.min(LAST_PLACE)..].first_chunk_mut() {
            S::compress_joined(first, second, bits, out);
        }
        len + bits.count_ones() as usize
    }

    /// Adds those of the rows whose bits are set. Afterwards there is room for more.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, rows: [&[u32; LANES32]; 2], bits: u32) {
        self.len = self.put::<S>(self.len, rows, bits);
        if self.len > LAST_PLACE {
            self.spill();
        }
    }

    /// Moves whole blocks away.
    #[cold]
    fn spill(&mut self) {
        let (blocks, rest) = self.few[..self.len].as_chunks();
        self.many.extend_from_slice(blocks);
        let start = self.len - rest.len();
        self.few.copy_within(start..self.len, 0);
        self.len -= start;
    }
}
