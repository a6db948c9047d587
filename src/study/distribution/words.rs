//! The random words of some replicas, as distributions read them.

use super::normal_pairs;
use crate::soa::block::{Doubles, LANES, LANES32, each};
use crate::soa::simd::Words;

/// Groups of eight replicas in a tile: the words of a tile stay in the nearest cache.
pub(crate) const GROUPS: usize = 16;

/// The words that one distribution takes for up to [`GROUPS`] groups of eight replicas: word by word, group by group.
#[derive(Clone, Copy)]
pub(crate) struct Tile<'a, W>(pub(crate) &'a [W]);

impl<'a, B: Doubles, W: Words<Numbers = B>> Tile<'a, W> {
    /// What is left after some words.
    #[inline(always)]
    pub(super) fn after(self, word: usize) -> Tile<'a, W> {
        Tile(&self.0[word * GROUPS..])
    }

    /// A word as a number from 0 to 2^32 - 1.
    #[inline(always)]
    pub(super) fn whole(self, word: usize, group: usize) -> [B; 2] {
        self.0[word * GROUPS + group].numbers()
    }

    /// Two words as a number in (0, 1], with 53 bits below 1 and more near 0.
    #[inline(always)]
    pub(super) fn unit(self, word: usize, group: usize) -> [B; 2] {
        unit(self.0[word * GROUPS + group], self.0[(word + 1) * GROUPS + group])
    }

    /// Four words as two normal deviates.
    #[inline(always)]
    pub(super) fn two_normals(self, word: usize, group: usize) -> [[B; 2]; 2] {
        normal_pairs(self.unit(word, group), self.unit(word + 2, group))
    }

    /// Four words as a normal deviate.
    #[inline(always)]
    pub(super) fn normal(self, word: usize, group: usize) -> [B; 2] {
        self.two_normals(word, group)[0]
    }
}

/// Two words, the higher first, as a number in (0, 1].
#[inline(always)]
pub(super) fn unit<B: Doubles, W: Words<Numbers = B>>(high: W, low: W) -> [B; 2] {
    const SCALE: f64 = 1.0 / (1_u64 << 32) as f64;
    let (high, low) = (high.numbers(), low.numbers());
    each!(half in [0, 1] => {
        (high[half] + (low[half] + B::splat(0.5)) * B::splat(SCALE)) * B::splat(SCALE)
    })
}

/// The groups of a column, with their rows.
#[inline(always)]
pub(super) fn groups(column: &mut [f64]) -> impl Iterator<Item = (usize, &mut [f64; LANES32])> {
    column.as_chunks_mut().0.iter_mut().enumerate()
}

/// Writes the numbers of a group.
#[inline(always)]
pub(super) fn put<B: Doubles>(rows: &mut [f64], [low, high]: [B; 2]) {
    rows[..LANES].copy_from_slice(&low.to_array());
    rows[LANES..].copy_from_slice(&high.to_array());
}
