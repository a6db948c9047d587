//! What a search around a position has found.

use super::cells::FREE;
use crate::soa::block::LANES32;
use crate::soa::simd::Simd;

/// Rows per block of a search result.
pub(crate) const PADDING: usize = 2 * LANES32;

/// Rows of all cells around a position, and one more block.
const CAPACITY: usize = 27 * LANES32 + PADDING;

/// The rows that a search has found.
#[derive(Debug, Clone, Default)]
pub(crate) struct SearchResult {
    rows: Vec<u32>,
    pub(super) len: usize,
}

impl SearchResult {
    #[inline(always)]
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows[..self.len]
    }

    /// All rows in blocks, the last one filled up with numbers that are no rows.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> &[[u32; PADDING]] {
        self.rows[..self.len.next_multiple_of(PADDING)].as_chunks().0
    }

    /// Space for the rows of all cells around a position.
    #[inline(always)]
    pub(super) fn buffer(&mut self) -> &mut [u32; CAPACITY] {
        if self.rows.len() < CAPACITY {
            self.rows.resize(CAPACITY, FREE);
        }
        self.rows.first_chunk_mut().expect("the buffer was resized")
    }

    /// Adds those of eight rows whose bits are set.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, rows: &[u32; LANES32], bits: u32) {
        self.rows.resize(self.rows.len().max(self.len + LANES32 + PADDING), FREE);
        if let Some(out) = self.rows[self.len..].first_chunk_mut() {
            S::compress(rows, bits, out);
        }
        self.len += bits.count_ones() as usize;
    }

    /// Fills a block after the last row with numbers that are no rows.
    #[inline(always)]
    pub(super) fn pad(&mut self) {
        if let Some(rest) = self.rows[self.len..].first_chunk_mut::<PADDING>() {
            *rest = [FREE; PADDING];
        }
    }

    #[inline(always)]
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.len {
            if keep(self.rows[at] as usize) {
                self.rows[kept] = self.rows[at];
                kept += 1;
            }
        }
        self.len = kept;
        self.pad();
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<u32>()
    }
}
