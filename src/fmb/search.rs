//! Which of many pairs intersect: boxes first, then a lane kernel for each combination of kinds in single precision, then
//! the same kernel in double precision for the few pairs that are left undecided, then exact arithmetic for the rest.

use std::ops::{Range, RangeInclusive};

use super::exact;
use super::hits::{self, CUBOIDS, MIXED, TETRAHEDRA, TestScale, Verdict};
use super::pair_lists::{BLOCK, ListsByKinds, PairList, TETRAHEDRON_FIRST};
use super::prefetch::Prefetch;
use crate::frames::Frames;
use crate::frames::lanes::Sizes;
use crate::frames::records::{BOX, FrameRecords};
use crate::soa::bytes;
use crate::soa::lanes::{self, Block, Block32, LANES, LANES32, each};
use crate::soa::par::Divide;

/// Pairs per piece of work of a thread; whole words of bits.
pub(super) const CHUNK: usize = 1 << 14;

/// How many pairs ahead boxes are prefetched, and how many groups of lanes ahead records.
const PAIRS_AHEAD: usize = 12;
const GROUPS_AHEAD: usize = 3;

/// Records and boxes of more frames do not fit into the nearest caches and are prefetched.
const LARGE: usize = 1 << 13;

/// Gives the indices of pairs.
pub(super) trait PairSource: Copy + Send + Sync {
    /// The frames of A and of B in a range of pairs, if they are contiguous.
    fn ranges(self, pairs: Range<usize>) -> Option<[Range<usize>; 2]>;

    /// The indices of the k-th pair, which may be out of range.
    fn pair(self, k: usize) -> [u32; 2];

    /// The indices of a range of pairs, written to `room` if they are not in memory yet.
    #[inline(always)]
    fn pairs<'a>(self, range: Range<usize>, room: &'a mut [[u32; 2]; BLOCK]) -> &'a [[u32; 2]]
    where
        Self: 'a,
    {
        let count = range.len();
        range.zip(&mut *room).for_each(|(k, place)| *place = self.pair(k));
        &room[..count]
    }
}

impl PairSource for &[[u32; 2]] {
    #[inline(always)]
    fn ranges(self, _: Range<usize>) -> Option<[Range<usize>; 2]> {
        None
    }

    #[inline(always)]
    fn pair(self, k: usize) -> [u32; 2] {
        self[k]
    }

    #[inline(always)]
    fn pairs<'a>(self, range: Range<usize>, _: &'a mut [[u32; 2]; BLOCK]) -> &'a [[u32; 2]]
    where
        Self: 'a,
    {
        &self[range]
    }
}

/// The i-th frame of one set with the i-th of the other.
#[derive(Clone, Copy)]
pub(super) struct SameIndex;

impl PairSource for SameIndex {
    #[inline(always)]
    fn ranges(self, pairs: Range<usize>) -> Option<[Range<usize>; 2]> {
        Some([pairs.clone(), pairs])
    }

    #[inline(always)]
    fn pair(self, k: usize) -> [u32; 2] {
        [k as u32; 2]
    }
}

/// One frame of A with each of B.
#[derive(Clone, Copy)]
pub(super) struct OneWithAll(pub(super) u32);

impl PairSource for OneWithAll {
    #[inline(always)]
    fn ranges(self, pairs: Range<usize>) -> Option<[Range<usize>; 2]> {
        Some([0..0, pairs])
    }

    #[inline(always)]
    fn pair(self, k: usize) -> [u32; 2] {
        [self.0, k as u32]
    }
}

/// The two sets of a test.
pub(super) struct TestedSets<'a, const D: usize> {
    pub(super) a: &'a Frames<D>,
    pub(super) b: &'a Frames<D>,
    pub(super) records: [&'a FrameRecords<D>; 2],
    /// Of the motion, in seconds; `None` if both sets are at rest.
    pub(super) duration: Option<f64>,
}

/// The counts of a chunk of pairs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ChunkCounts {
    pub(super) hits: u32,
    /// Pairs that were decided in exact arithmetic.
    pub(super) redone: u32,
    /// Whether a pair has an index out of range; the other counts are then undefined.
    pub(super) has_bad_index: bool,
}

/// A share of the pairs, to be marked in its share of the bits.
pub(super) struct HitSearch<'a, const D: usize, P> {
    pub(super) sets: &'a TestedSets<'a, D>,
    pub(super) source: P,
    pub(super) pairs: Range<usize>,
    /// One bit per pair.
    pub(super) bits: &'a mut [u64],
    /// One for each [`CHUNK`].
    pub(super) chunks: &'a mut [ChunkCounts],
}

impl<const D: usize, P: PairSource> Divide for HitSearch<'_, D, P> {
    fn size(&self) -> usize {
        self.pairs.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { sets, source, pairs, bits, chunks } = self;
        let middle = pairs.start + at;
        let (low_bits, high_bits) = bits.split_at_mut(at / 64);
        let (low_chunks, high_chunks) = chunks.split_at_mut(at / CHUNK);
        let low = Self { sets, source, pairs: pairs.start..middle, bits: low_bits, chunks: low_chunks };
        (low, Self { sets, source, pairs: middle..pairs.end, bits: high_bits, chunks: high_chunks })
    }

    fn work(self) {
        let Some(counts) = self.chunks.first_mut() else { return };
        let mut search = BlockSearch::new(self.sets);
        let mut room = [[0; 2]; BLOCK];
        let blocks = self.pairs.clone().step_by(BLOCK).zip(self.bits.chunks_mut(BLOCK / 64));
        for (first, bits) in blocks {
            let range = first..(first + BLOCK).min(self.pairs.end);
            let next = self.source.ranges(range.end..range.end + BLOCK);
            if !search.search(self.source.pairs(range, &mut room), next) {
                counts.has_bad_index = true;
                return;
            }
            for (word, flags) in bits.iter_mut().zip(search.flags.as_chunks::<64>().0) {
                *word = bytes::signs_of_bytes(flags);
                counts.hits += word.count_ones();
            }
        }
        counts.redone += search.redone;
    }
}

/// The search in one block of pairs after the other, whose lists and records stay in the nearest caches.
struct BlockSearch<'a, const D: usize> {
    sets: &'a TestedSets<'a, D>,
    /// The pairs whose boxes overlap.
    lists: ListsByKinds,
    /// [`FLAG`] for each pair that intersects.
    flags: [u8; BLOCK],
    /// Pairs of the current list that surely intersect; the last one may be repeated.
    found: PairList,
    /// Pairs of the current list that single precision leaves undecided.
    open: PairList,
    /// Whether the sets are so large that prefetching pays.
    prefetches: bool,
    /// What the next block reads, if that is known; otherwise the next pairs of the current block are prefetched.
    next: Option<Prefetch<'a>>,
    redone: u32,
}

/// The top bit of a byte.
const FLAG: u8 = 0x80;

/// Signs of the sums of two boxes of [`FrameRecords`]: all of these are set if the boxes overlap.
const OVERLAP: u8 = 0x77;
/// Set if the frame of A, or of B, is a tetrahedron.
const TETRAHEDRON: [u8; 2] = [0x08, 0x80];

impl<'a, const D: usize> BlockSearch<'a, D> {
    fn new(sets: &'a TestedSets<'a, D>) -> Self {
        let prefetches = sets.records.iter().any(|records| records.len() > LARGE);
        Self {
            sets,
            lists: ListsByKinds::EMPTY,
            flags: [0; BLOCK],
            found: PairList::EMPTY,
            open: PairList::EMPTY,
            prefetches,
            next: None,
            redone: 0,
        }
    }

    /// Marks the pairs that intersect; returns whether all indices are in range. `next` are the frames of the next block, if
    /// they are contiguous.
    fn search(&mut self, pairs: &[[u32; 2]], next: Option<[Range<usize>; 2]>) -> bool {
        let (a, b) = (self.sets.records[0].boxes(), self.sets.records[1].boxes());
        let last = bytes::largest_of_pairs(pairs);
        if last[0] as usize >= a.len() || last[1] as usize >= b.len() {
            return false;
        }
        // SAFETY: the indices of all pairs are below the numbers of boxes.
        unsafe {
            if self.prefetches && next.is_none() {
                self.sort::<true>(a, b, pairs);
            } else {
                self.sort::<false>(a, b, pairs);
            }
        }
        self.flags.fill(0);
        let groups = self.lists.0.iter().map(|list| list.len().div_ceil(LANES32)).sum();
        let next = next.filter(|_| self.prefetches);
        self.next = next.map(|ranges| Prefetch::new(self.sets.records, ranges, groups));
        if self.sets.duration.is_some() {
            self.decide_all::<true>(pairs);
        } else {
            self.decide_all::<false>(pairs);
        }
        true
    }

    /// Sorts the pairs whose boxes overlap by kinds. Boxes that touch hold frames that at most touch.
    ///
    /// # Safety
    /// The indices of all pairs must be in range.
    #[inline(always)]
    unsafe fn sort<const PREFETCH: bool>(&mut self, a: &[[f32; BOX]], b: &[[f32; BOX]], pairs: &[[u32; 2]]) {
        self.lists.clear();
        let signs_of = |pair: [u32; 2]| {
            let [i, j] = pair.map(|row| row as usize);
            // SAFETY: the indices are in range, as the caller guarantees.
            let (of_a, of_b) = unsafe { (a.get_unchecked(i), b.get_unchecked(j)) };
            bytes::swapped_sum_signs(of_a, of_b) as u8
        };
        let prefetch = |pairs: &[[u32; 2]]| {
            for &[i, j] in pairs {
                lanes::prefetch(a, i as usize);
                lanes::prefetch(b, j as usize);
            }
        };
        for (number, chunk) in pairs.chunks(64).enumerate() {
            let from = 64 * number;
            let mut signs = [0; 64];
            let (quads, rest) = chunk.as_chunks::<4>();
            for (n, (signs, quad)) in signs.as_chunks_mut().0.iter_mut().zip(quads).enumerate() {
                if PREFETCH {
                    let soon = from + 4 * n + PAIRS_AHEAD;
                    prefetch(pairs.get(soon..soon + 4).unwrap_or_default());
                }
                *signs = each!(n in [0, 1, 2, 3] => signs_of(quad[n]));
            }
            for (signs, &pair) in signs[4 * quads.len()..].iter_mut().zip(rest) {
                *signs = signs_of(pair);
            }
            let overlap = bytes::bytes_with(&signs, OVERLAP);
            let tetrahedra = TETRAHEDRON.map(|sign| bytes::bytes_with(&signs, sign));
            // SAFETY: a block has no more than `BLOCK` pairs, and those after the last do not overlap.
            unsafe { self.lists.append(overlap, tetrahedra, from) };
        }
    }

    fn decide_all<const MOVING: bool>(&mut self, pairs: &[[u32; 2]]) {
        self.decide::<MOVING, CUBOIDS>(pairs, 0);
        self.decide::<MOVING, MIXED>(pairs, TETRAHEDRON_FIRST);
        self.decide::<MOVING, MIXED>(pairs, 2);
        self.decide::<MOVING, TETRAHEDRA>(pairs, 3);
    }

    /// Decides the pairs of one list, all of the same combination of kinds.
    #[inline(always)]
    fn decide<const MOVING: bool, const KINDS: u8>(&mut self, pairs: &[[u32; 2]], list: usize) {
        self.open.clear();
        self.found.clear();
        self.decide_in_single::<MOVING, KINDS>(pairs, list);
        for &number in self.found.numbers() {
            self.flags[usize::from(number) % BLOCK] = FLAG;
        }
        if self.open.len() > 0 {
            self.decide_in_double::<MOVING, KINDS>(pairs, list);
        }
    }

    #[inline(never)]
    fn decide_in_single<const MOVING: bool, const KINDS: u8>(&mut self, pairs: &[[u32; 2]], list: usize) {
        let (one, two) = order(list);
        let (a, b) = (self.sets.records[one], self.sets.records[two]);
        let scale = scale_in_single(a, b, self.sets.duration.unwrap_or(0.0));
        let (a, b) = (a.reader::<MOVING>(), b.reader::<MOVING>());
        // SAFETY: `sort` puts only numbers of pairs into a list.
        let rows_of = |number: u16| unsafe { *pairs.get_unchecked(usize::from(number)) };
        let Self { lists, found, open, prefetches, next, .. } = self;
        let list = &mut lists.0[list];
        let length = list.len();
        let groups = list.groups::<LANES32>();
        for (number, group) in groups.iter().enumerate() {
            if let Some(next) = next {
                next.step();
            } else if *prefetches {
                let soon = &groups[(number + GROUPS_AHEAD).min(groups.len() - 1)];
                let _: [(); LANES32] = each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => {
                    let rows = rows_of(soon[lane]);
                    a.prefetch(rows[one]);
                    b.prefetch(rows[two]);
                });
            }
            let rows = each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows_of(group[lane]));
            // SAFETY: `search` has checked all indices, and there are as many records as boxes.
            let (first, second) = unsafe {
                (
                    a.gather(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane][one])),
                    b.gather(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane][two])),
                )
            };
            let (first, second) = ((&first.0, first.1), (&second.0, second.1));
            let verdict = hits::decide::<Block32, D, MOVING, KINDS>(first, second, scale);
            // SAFETY: all groups together have no more than `BLOCK` numbers, but for what fills up the last.
            unsafe { found.append_chosen(group, verdict.hit) };
            if verdict.unsure != 0 {
                let real = (length - number * LANES32).min(LANES32);
                // SAFETY: as above.
                unsafe { open.append_chosen(group, verdict.unsure & ((1 << real) - 1)) };
            }
        }
    }

    /// Decides what single precision has left undecided.
    #[inline(never)]
    fn decide_in_double<const MOVING: bool, const KINDS: u8>(&mut self, pairs: &[[u32; 2]], list: usize) {
        let (one, two) = order(list);
        let Self { sets, flags, open, redone, .. } = self;
        let rows_of = [sets.a.rows(), sets.b.rows()];
        let durations = [lanes::splat(sets.duration.unwrap_or(0.0)); 2];
        let scale = TestScale { durations, slack: Block::ZERO };
        let length = open.len();
        for (number, group) in open.groups::<LANES>().iter().enumerate() {
            let rows = each!(lane in [0, 1, 2, 3] => pairs[usize::from(group[lane])]);
            let first = rows_of[one].gather(each!(lane in [0, 1, 2, 3] => rows[lane][one]));
            let second = rows_of[two].gather(each!(lane in [0, 1, 2, 3] => rows[lane][two]));
            let (first, second) = ((&first, Sizes::of(&first)), (&second, Sizes::of(&second)));
            let Verdict { mut hit, unsure } = hits::decide::<Block, D, MOVING, KINDS>(first, second, scale);
            if unsure != 0 {
                let real = (length - number * LANES).min(LANES);
                *redone += (unsure & ((1 << real) - 1)).count_ones();
                hit |= redo(sets, &rows, unsure);
            }
            for lane in (0..LANES).filter(|lane| hit >> lane & 1 == 1) {
                flags[usize::from(group[lane]) % BLOCK] = FLAG;
            }
        }
    }
}

/// Durations that are normal numbers in single precision, in seconds.
const SINGLE_DURATIONS: RangeInclusive<f64> = 1e-37..=1e37;

fn scale_in_single<const D: usize>(
    a: &FrameRecords<D>,
    b: &FrameRecords<D>,
    duration: f64,
) -> TestScale<Block32> {
    let is_moving = a.is_moving() || b.is_moving();
    let in_range = !is_moving || duration == 0.0 || SINGLE_DURATIONS.contains(&duration);
    // With an infinite slack every pair is left undecided.
    let slack = if in_range { a.slack() + b.slack() } else { f64::INFINITY };
    let duration_of = |set: &FrameRecords<D>| if set.is_moving() { duration } else { 0.0 };
    TestScale {
        durations: [Block32::splat(duration_of(a) as f32), Block32::splat(duration_of(b) as f32)],
        slack: Block32::splat(slack as f32),
    }
}

/// Which frame of a pair is the first and which the second argument of the kernel.
#[inline(always)]
fn order(list: usize) -> (usize, usize) {
    if list == TETRAHEDRON_FIRST { (1, 0) } else { (0, 1) }
}

/// Decides the unsure pairs of a group in exact arithmetic; bits as in a [`Verdict`].
#[cold]
fn redo<const D: usize>(sets: &TestedSets<D>, rows: &[[u32; 2]; LANES], unsure: u32) -> u32 {
    let mut hit = 0;
    for (lane, &[i, j]) in rows.iter().enumerate().filter(|(lane, _)| unsure >> lane & 1 == 1) {
        let (a, b) = (sets.a.read(i as usize), sets.b.read(j as usize));
        hit |= u32::from(exact::intersects(&a, &b, sets.duration)) << lane;
    }
    hit
}
