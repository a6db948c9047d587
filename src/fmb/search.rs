//! Which of many pairs intersect: boxes first, then a lane kernel for each combination of kinds, then the exact
//! decision of what is left.

use std::ops::Range;

use super::exact;
use super::hits::{self, CUBOIDS, MIXED, TETRAHEDRA, Verdict};
use crate::frames::Frames;
use crate::frames::packed::{BOX, Packed};
use crate::soa::lanes::{self, LANES, each};
use crate::soa::par::Divide;

/// Pairs per piece of work of a thread; whole words of bits.
pub(super) const CHUNK: usize = 1 << 14;

/// Pairs that go through the boxes before the kernels run: their lists and records stay in the nearest caches.
const BLOCK: usize = 512;

/// How many pairs ahead boxes are asked for, and how many groups of lanes ahead records.
const PAIRS_AHEAD: usize = 12;
const GROUPS_AHEAD: usize = 3;

/// The boxes of more frames do not fit the nearest caches: they must be asked for in time.
const LARGE: usize = 1 << 13;

/// Gives the indices of pairs.
pub(super) trait PairSource: Copy + Send + Sync {
    /// Whether the frames of successive pairs lie anywhere, so that the processor cannot foresee them.
    const SCATTERED: bool;

    /// The indices of the k-th pair, which need not name frames that exist.
    fn pair(self, k: usize) -> [u32; 2];
}

impl PairSource for &[[u32; 2]] {
    const SCATTERED: bool = true;

    #[inline(always)]
    fn pair(self, k: usize) -> [u32; 2] {
        self[k]
    }
}

/// The i-th of one set with the i-th of the other.
#[derive(Clone, Copy)]
pub(super) struct Abreast;

impl PairSource for Abreast {
    const SCATTERED: bool = false;

    #[inline(always)]
    fn pair(self, k: usize) -> [u32; 2] {
        [k as u32; 2]
    }
}

/// One frame with each of the other set.
#[derive(Clone, Copy)]
pub(super) struct OneWithAll(pub(super) u32);

impl PairSource for OneWithAll {
    const SCATTERED: bool = false;

    #[inline(always)]
    fn pair(self, k: usize) -> [u32; 2] {
        [self.0, k as u32]
    }
}

/// The two sets of a test, ready to be read.
pub(super) struct Task<'a, const D: usize> {
    pub(super) a: &'a Frames<D>,
    pub(super) b: &'a Frames<D>,
    pub(super) records: [&'a Packed<D>; 2],
    /// Length of the motion in seconds, if any.
    pub(super) duration: Option<f64>,
}

/// What a chunk of pairs came to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) hits: u32,
    /// Pairs that were decided in exact arithmetic.
    pub(super) redone: u32,
    /// Whether some pair names a frame that does not exist; then the rest means nothing.
    pub(super) astray: bool,
}

/// A share of the pairs, to be marked in its share of the bits.
pub(super) struct Search<'a, const D: usize, P> {
    pub(super) task: &'a Task<'a, D>,
    pub(super) source: P,
    pub(super) pairs: Range<usize>,
    /// One bit a pair.
    pub(super) bits: &'a mut [u64],
    /// One for each [`CHUNK`].
    pub(super) tallies: &'a mut [Tally],
}

impl<const D: usize, P: PairSource> Divide for Search<'_, D, P> {
    fn size(&self) -> usize {
        self.pairs.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { task, source, pairs, bits, tallies } = self;
        let middle = pairs.start + at;
        let (low_bits, high_bits) = bits.split_at_mut(at / 64);
        let (low_tallies, high_tallies) = tallies.split_at_mut(at / CHUNK);
        let low = Self { task, source, pairs: pairs.start..middle, bits: low_bits, tallies: low_tallies };
        (low, Self { task, source, pairs: middle..pairs.end, bits: high_bits, tallies: high_tallies })
    }

    fn work(self) {
        let Some(tally) = self.tallies.first_mut() else { return };
        let mut block = Block::new(self.task);
        let blocks = self.pairs.clone().step_by(BLOCK).zip(self.bits.chunks_mut(BLOCK / 64));
        for (first, bits) in blocks {
            let pairs = first..(first + BLOCK).min(self.pairs.end);
            if !block.search(self.source, pairs) {
                tally.astray = true;
                return;
            }
            for (word, flags) in bits.iter_mut().zip(block.flags.as_chunks::<64>().0) {
                *word = lanes::signs_of_bytes(flags);
                tally.hits += word.count_ones();
            }
        }
        tally.redone += block.redone;
    }
}

/// A few hundred pairs at a time.
struct Block<'a, const D: usize> {
    task: &'a Task<'a, D>,
    /// The pairs whose boxes overlap: two cuboids, tetrahedron and cuboid, cuboid and tetrahedron, two tetrahedra.
    lists: [List; 4],
    /// 255 for each pair that intersects.
    flags: [u8; BLOCK],
    redone: u32,
}

/// The list of tetrahedra with cuboids, which change places for the kernel.
const SWAPPED: usize = 1;

/// Near pairs of one combination of kinds, with room to fill up the last group of lanes.
#[derive(Clone, Copy)]
struct List {
    length: usize,
    entries: [Entry; BLOCK + LANES],
}

#[derive(Clone, Copy)]
struct Entry {
    /// Indices of the frames, which exist.
    rows: [u32; 2],
    /// Number of the pair within the block.
    number: u32,
}

/// Signs of the sums of two boxes, as [`Packed`] lays them out: all of these are set if the boxes overlap.
const OVERLAP: u8 = 0x77;
/// Set if the frame of A, or of B, is a tetrahedron.
const TETRAHEDRON: [u8; 2] = [0x08, 0x80];

impl List {
    /// Appends the pairs whose bits are set. Where an entry is stored does not depend on what was compared last, or
    /// every comparison would wait for the one before.
    #[inline(always)]
    fn append(&mut self, mut pairs: u64, from: usize, entry: impl Fn(usize) -> Entry) {
        while pairs != 0 {
            self.entries[self.length % (BLOCK + LANES)] = entry(from + pairs.trailing_zeros() as usize);
            self.length += 1;
            pairs &= pairs - 1;
        }
    }

    /// The entries in groups of lanes, the last of which is filled up with its last pair.
    #[inline(always)]
    fn groups(&mut self) -> &[[Entry; LANES]] {
        let last = self.entries[self.length.saturating_sub(1)];
        self.entries[self.length..self.length + LANES].fill(last);
        &self.entries.as_chunks::<LANES>().0[..self.length.div_ceil(LANES)]
    }
}

impl<'a, const D: usize> Block<'a, D> {
    fn new(task: &'a Task<'a, D>) -> Self {
        let list = List { length: 0, entries: [Entry { rows: [0; 2], number: 0 }; BLOCK + LANES] };
        Self { task, lists: [list; 4], flags: [0; BLOCK], redone: 0 }
    }

    /// Marks the pairs that intersect; says whether all name frames that exist.
    fn search<P: PairSource>(&mut self, source: P, pairs: Range<usize>) -> bool {
        let (a, b) = (self.task.records[0].boxes(), self.task.records[1].boxes());
        let all_exist = if P::SCATTERED && a.len().max(b.len()) > LARGE {
            self.sort::<P, true>(a, b, source, pairs)
        } else {
            self.sort::<P, false>(a, b, source, pairs)
        };
        if all_exist.is_none() {
            return false;
        }
        self.flags.fill(0);
        if self.task.duration.is_some() {
            self.decide_all::<true>();
        } else {
            self.decide_all::<false>();
        }
        true
    }

    /// Sorts the pairs whose boxes overlap by kinds; `None` if a frame does not exist. Boxes that touch hold frames that
    /// at most touch.
    #[inline(always)]
    fn sort<P: PairSource, const PREFETCH: bool>(
        &mut self,
        a: &[[f32; BOX]],
        b: &[[f32; BOX]],
        source: P,
        pairs: Range<usize>,
    ) -> Option<()> {
        self.lists.iter_mut().for_each(|list| list.length = 0);
        let last = pairs.end - 1;
        let entry = |number: usize| Entry { rows: source.pair(pairs.start + number), number: number as u32 };
        for from in (0..pairs.len()).step_by(64) {
            let mut signs = [0; 64];
            for (k, signs) in (pairs.start + from..pairs.end).zip(&mut signs) {
                let [i, j] = source.pair(k);
                if PREFETCH {
                    let [soon_i, soon_j] = source.pair((k + PAIRS_AHEAD).min(last));
                    lanes::prefetch(a, soon_i as usize);
                    lanes::prefetch(b, soon_j as usize);
                }
                *signs = lanes::swapped_sum_signs(a.get(i as usize)?, b.get(j as usize)?) as u8;
            }
            let overlap = lanes::bytes_with(&signs, OVERLAP);
            let [of_a, of_b] = TETRAHEDRON.map(|sign| lanes::bytes_with(&signs, sign));
            self.lists[0].append(overlap & !of_a & !of_b, from, entry);
            self.lists[1].append(overlap & of_a & !of_b, from, entry);
            self.lists[2].append(overlap & !of_a & of_b, from, entry);
            self.lists[3].append(overlap & of_a & of_b, from, entry);
        }
        Some(())
    }

    fn decide_all<const MOVING: bool>(&mut self) {
        self.decide::<MOVING, CUBOIDS>(0);
        self.decide::<MOVING, MIXED>(SWAPPED);
        self.decide::<MOVING, MIXED>(2);
        self.decide::<MOVING, TETRAHEDRA>(3);
    }

    /// Runs the kernel of one combination of kinds over its list.
    #[inline(never)]
    fn decide<const MOVING: bool, const KINDS: u8>(&mut self, list: usize) {
        let (one, two) = if list == SWAPPED { (1, 0) } else { (0, 1) };
        let (a, b) = (self.task.records[one], self.task.records[two]);
        let duration = lanes::splat(self.task.duration.unwrap_or(0.0));
        let Self { task, lists, flags, redone } = self;
        let length = lists[list].length;
        let groups = lists[list].groups();
        for (number, group) in groups.iter().enumerate() {
            let soon = &groups[(number + GROUPS_AHEAD).min(groups.len() - 1)];
            let _: [(); LANES] = each!(lane in [0, 1, 2, 3] => {
                a.prefetch(soon[lane].rows[one] as usize);
                b.prefetch(soon[lane].rows[two] as usize);
            });
            // SAFETY: `sort` has found a box for every row of an entry, and there are as many records as boxes.
            let (first, second) = unsafe {
                (
                    a.gather_unchecked(each!(lane in [0, 1, 2, 3] => group[lane].rows[one])),
                    b.gather_unchecked(each!(lane in [0, 1, 2, 3] => group[lane].rows[two])),
                )
            };
            let Verdict { mut hit, unsure } = hits::decide::<D, MOVING, KINDS>(&first, &second, duration);
            if unsure != 0 {
                let real = (length - number * LANES).min(LANES);
                *redone += (unsure & ((1 << real) - 1)).count_ones();
                hit |= redo(task, group, unsure);
            }
            let _: [(); LANES] = each!(lane in [0, 1, 2, 3] => {
                flags[group[lane].number as usize % BLOCK] = 0_u8.wrapping_sub((hit >> lane & 1) as u8);
            });
        }
    }
}

/// Decides the unsure pairs of a group in exact arithmetic; bits as in a [`Verdict`].
#[cold]
fn redo<const D: usize>(task: &Task<D>, group: &[Entry; LANES], unsure: u32) -> u32 {
    let mut hit = 0;
    for (lane, entry) in group.iter().enumerate().filter(|(lane, _)| unsure >> lane & 1 == 1) {
        let (a, b) = (task.a.read(entry.rows[0] as usize), task.b.read(entry.rows[1] as usize));
        hit |= u32::from(exact::intersects(&a, &b, task.duration)) << lane;
    }
    hit
}
