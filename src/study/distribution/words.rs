//! The random words of some replicas, as distributions read them.

use super::normal_pairs;
use crate::soa::lanes::{Block, LANES, LANES32, splat};
use crate::soa::words::Words;

/// Groups of eight replicas in a tile: the words of a tile stay in the nearest cache.
pub(crate) const GROUPS: usize = 16;

/// The words that one distribution takes for up to [`GROUPS`] groups of eight replicas: word by word, group by group.
#[derive(Clone, Copy)]
pub(crate) struct Tile<'a>(pub(crate) &'a [Words]);

impl<'a> Tile<'a> {
    /// What is left after some words.
    #[inline(always)]
    pub(super) fn after(self, word: usize) -> Tile<'a> {
        Self(&self.0[word * GROUPS..])
    }

    /// A word as a number from 0 to 2^32 - 1.
    #[inline(always)]
    pub(super) fn whole(self, word: usize, group: usize) -> [Block; 2] {
        self.0[word * GROUPS + group].numbers()
    }

    /// Two words as a number in (0, 1], with 53 bits below 1 and more near 0.
    #[inline(always)]
    pub(super) fn unit(self, word: usize, group: usize) -> [Block; 2] {
        const SCALE: f64 = 1.0 / (1_u64 << 32) as f64;
        let (high, low) = (self.whole(word, group), self.whole(word + 1, group));
        let join = |high: Block, low: Block| (high + (low + splat(0.5)) * splat(SCALE)) * splat(SCALE);
        [join(high[0], low[0]), join(high[1], low[1])]
    }

    /// Four words as two normal deviates.
    #[inline(always)]
    pub(super) fn two_normals(self, word: usize, group: usize) -> [[Block; 2]; 2] {
        normal_pairs(self.unit(word, group), self.unit(word + 2, group))
    }

    /// Four words as a normal deviate.
    #[inline(always)]
    pub(super) fn normal(self, word: usize, group: usize) -> [Block; 2] {
        self.two_normals(word, group)[0]
    }

    /// Fills a column with the numbers that are drawn for each group.
    #[inline(always)]
    pub(super) fn fill(self, column: &mut [f64], draw: impl Fn(usize) -> [Block; 2]) {
        for (group, rows) in column.as_chunks_mut::<LANES32>().0.iter_mut().enumerate() {
            put(rows, draw(group));
        }
    }
}

/// Writes the numbers of a group.
#[inline(always)]
pub(super) fn put(rows: &mut [f64], [low, high]: [Block; 2]) {
    rows[..LANES].copy_from_slice(low.as_array());
    rows[LANES..].copy_from_slice(high.as_array());
}
