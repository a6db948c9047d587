//! Which of many pairs intersect: boxes first, then a lane kernel for each combination of kinds in single precision, then
//! the same kernel in double precision for the few pairs that are left undecided, then exact arithmetic for the rest.

use std::ops::{Range, RangeInclusive};

use super::exact;
use super::hits::{self, CUBOIDS, MIXED, TETRAHEDRA, TestScale, Verdict};
use super::pair_lists::{BLOCK, ListsByKinds, PairList, TETRAHEDRON_FIRST};
use super::prefetch::{NextPairs, Prefetch};
use super::sort_by_kinds::{DismissApart, SortAllByKinds, SortByKinds};
use crate::frames::Frames;
use crate::frames::lanes::Sizes;
use crate::frames::records::FrameRecords;
use crate::soa::block::{LANES, LANES32, each};
use crate::soa::bytes;
use crate::soa::level::{self, Kernel};
use crate::soa::par::Divide;
use crate::soa::simd::Simd;

/// Pairs per piece of work of a thread; whole words of bits.
pub(super) const CHUNK: usize = 1 << 14;

/// How many groups of lanes ahead records are prefetched.
const GROUPS_AHEAD: usize = 3;

/// Records and boxes of more frames do not fit into the nearest caches and are prefetched.
const LARGE: usize = 1 << 13;

/// Gives the indices of pairs.
pub(super) trait PairSource: Copy + Send + Sync {
    /// What is known of a range of pairs, some of which need not exist, before they are read.
    fn next<'a>(self, pairs: Range<usize>) -> NextPairs<'a>
    where
        Self: 'a;

    /// The indices of the k-th pair, which may be out of range.
    fn pair(self, k: usize) -> [u32; 2];

    /// The indices of a range of pairs, written to `room` if they are not in memory yet.
    #[inline(always)]
    fn pairs<'a>(self, range: Range<usize>, room: &'a mut [[u32; 2]; BLOCK]) -> &'a [[u32; 2]]
    where
        Self: 'a,
    {
        let room = &mut room[..range.len()];
        for (k, place) in range.zip(&mut *room) {
            *place = self.pair(k);
        }
        room
    }
}

impl PairSource for &[[u32; 2]] {
    #[inline(always)]
    fn next<'a>(self, pairs: Range<usize>) -> NextPairs<'a>
    where
        Self: 'a,
    {
        NextPairs::Listed(&self[pairs.start.min(self.len())..pairs.end.min(self.len())])
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

/// Room for the indices of a block of pairs, at a place where whole registers are written fastest.
#[repr(align(64))]
struct PairRoom([[u32; 2]; BLOCK]);

/// The i-th frame of one set with the i-th of the other.
#[derive(Clone, Copy)]
pub(super) struct SameIndex;

impl PairSource for SameIndex {
    #[inline(always)]
    fn next<'a>(self, pairs: Range<usize>) -> NextPairs<'a> {
        NextPairs::InRanges([pairs.clone(), pairs])
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
    fn next<'a>(self, pairs: Range<usize>) -> NextPairs<'a> {
        NextPairs::InRanges([0..0, pairs])
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
        level::run(self);
    }
}

impl<const D: usize, P: PairSource> Kernel for HitSearch<'_, D, P> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Some(counts) = self.chunks.first_mut() else { return };
        let mut search = BlockSearch::new(self.sets);
        let mut room = PairRoom([[0; 2]; BLOCK]);
        let blocks = self.pairs.clone().step_by(BLOCK).zip(self.bits.chunks_mut(BLOCK / 64));
        for (first, bits) in blocks {
            let range = first..(first + BLOCK).min(self.pairs.end);
            let next = self.source.next(range.end..range.end + BLOCK);
            let pairs = self.source.pairs(range, &mut room.0);
            if !S::call(SearchBlock { search: &mut search, pairs, next }) {
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
    /// The pairs whose boxes overlap, or all if boxes are skipped.
    lists: ListsByKinds,
    /// [`FLAG`] for each pair that intersects.
    flags: [u8; BLOCK],
    /// Pairs of the current list that surely intersect; the last one may be repeated.
    found: PairList,
    /// Pairs of the current list that single precision leaves undecided.
    open: PairList,
    /// Whether the sets are so large that prefetching pays.
    prefetches: bool,
    /// Whether the kernels decide pairs before their boxes are compared.
    skips_boxes: bool,
    /// What the next block reads, if that is known and prefetching pays.
    next: Prefetch<'a>,
    redone: u32,
}

/// The top bit of a byte.
const FLAG: u8 = 0x80;

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
            skips_boxes: false,
            next: Prefetch::Nothing,
            redone: 0,
        }
    }

    #[inline(always)]
    fn decide_all<S: Simd, const MOVING: bool>(&mut self, pairs: &[[u32; 2]]) {
        self.decide::<S, MOVING, CUBOIDS>(pairs, 0);
        self.decide::<S, MOVING, MIXED>(pairs, TETRAHEDRON_FIRST);
        self.decide::<S, MOVING, MIXED>(pairs, 2);
        self.decide::<S, MOVING, TETRAHEDRA>(pairs, 3);
    }

    /// Decides the pairs of one list, all of the same combination of kinds.
    #[inline(always)]
    fn decide<S: Simd, const MOVING: bool, const KINDS: u8>(&mut self, pairs: &[[u32; 2]], list: usize) {
        self.open.clear();
        self.found.clear();
        S::call(DecideInSingle::<D, MOVING, KINDS> { search: self, pairs, list });
        for &number in self.found.numbers() {
            self.flags[usize::from(number) % BLOCK] = FLAG;
        }
        if self.skips_boxes {
            let boxes = self.sets.records.map(FrameRecords::boxes);
            S::call(DismissApart { boxes, pairs, list: &mut self.open });
        }
        if hits::has_second_look(D, KINDS) && self.open.len() > 0 {
            S::call(LookAgain::<D, MOVING, KINDS> { search: self, pairs, list });
        }
        if self.open.len() > 0 {
            S::call(DecideInDouble::<D, MOVING, KINDS> { search: self, pairs, list });
        }
    }
}

/// Marks the pairs of a block that intersect; the outcome is whether all indices are in range. It does not depend on the
/// source of the pairs, so that it is compiled once.
struct SearchBlock<'s, 'a, const D: usize> {
    search: &'s mut BlockSearch<'a, D>,
    pairs: &'s [[u32; 2]],
    next: NextPairs<'a>,
}

impl<const D: usize> Kernel for SearchBlock<'_, '_, D> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let Self { search, pairs, next } = self;
        search.skips_boxes = D == 2 && search.prefetches && matches!(next, NextPairs::Listed(_));
        let (sets, lists) = (search.sets, &mut search.lists);
        let is_sorted = if search.skips_boxes {
            S::call(SortAllByKinds { kinds: [sets.a.kinds(), sets.b.kinds()], pairs, lists })
        } else {
            S::call(SortByKinds { boxes: sets.records.map(FrameRecords::boxes), pairs, lists })
        };
        if !is_sorted {
            return false;
        }
        search.flags.fill(0);
        if search.prefetches {
            let groups = search.lists.0.iter().map(|list| list.len().div_ceil(LANES32)).sum();
            search.next = Prefetch::new(sets.records, next, groups);
        }
        if search.sets.duration.is_some() {
            search.decide_all::<S, true>(pairs);
        } else {
            search.decide_all::<S, false>(pairs);
        }
        true
    }
}

/// Decides the pairs of one list in single precision, all of the same combination of kinds.
struct DecideInSingle<'s, 'a, const D: usize, const MOVING: bool, const KINDS: u8> {
    search: &'s mut BlockSearch<'a, D>,
    pairs: &'s [[u32; 2]],
    list: usize,
}

impl<const D: usize, const MOVING: bool, const KINDS: u8> Kernel
    for DecideInSingle<'_, '_, D, MOVING, KINDS>
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { search, pairs, list } = self;
        let (one, two) = order(list);
        let sets = search.sets;
        let (a, b) = (sets.records[one], sets.records[two]);
        let scale = scale_in_single(a, b, search.sets.duration.unwrap_or(0.0));
        let scale = TestScale::<S::Block32>::broadcast(scale);
        let (a, b) = (a.reader::<MOVING>(), b.reader::<MOVING>());
        // SAFETY: [`sort_by_kinds`](super::sort_by_kinds) puts only numbers of pairs into a list.
        let rows_of = |number: u16| unsafe { *pairs.get_unchecked(usize::from(number)) };
        let BlockSearch { lists, found, open, next, .. } = search;
        let list = &mut lists.0[list];
        let length = list.len();
        let groups = list.groups::<LANES32>();
        for (number, group) in groups.iter().enumerate() {
            next.step(sets.records);
            if let Prefetch::Pairs { .. } = next {
                let soon = &groups[(number + GROUPS_AHEAD).min(groups.len() - 1)];
                let _: [(); LANES32] = each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => {
                    let rows = rows_of(soon[lane]);
                    a.prefetch(rows[one]);
                    b.prefetch(rows[two]);
                });
            }
            let rows = each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows_of(group[lane]));
            // SAFETY: [`sort_by_kinds`](super::sort_by_kinds) has checked all indices, and there are as many records as boxes.
            let (first, second) = unsafe {
                (
                    a.gather(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane][one])),
                    b.gather(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane][two])),
                )
            };
            let (first, second) = ((&first.0, first.1), (&second.0, second.1));
            let verdict = hits::decide::<S::Block32, D, MOVING, KINDS>(first, second, scale);
            // SAFETY: all groups together have no more than `BLOCK` numbers, but for what fills up the last.
            unsafe { found.append_chosen::<S>(group, verdict.hit) };
            if verdict.unsure != 0 {
                let real = (length - number * LANES32).min(LANES32);
                // SAFETY: as above.
                unsafe { open.append_chosen::<S>(group, verdict.unsure & ((1 << real) - 1)) };
            }
        }
    }
}

/// Looks again, in single precision, at the pairs that are left open: those of frames that share directions are certified
/// at a higher price.
struct LookAgain<'s, 'a, const D: usize, const MOVING: bool, const KINDS: u8> {
    search: &'s mut BlockSearch<'a, D>,
    pairs: &'s [[u32; 2]],
    list: usize,
}

impl<const D: usize, const MOVING: bool, const KINDS: u8> Kernel for LookAgain<'_, '_, D, MOVING, KINDS> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { search, pairs, list } = self;
        let (one, two) = order(list);
        let (a, b) = (search.sets.records[one], search.sets.records[two]);
        let scale = scale_in_single(a, b, search.sets.duration.unwrap_or(0.0));
        let scale = TestScale::<S::Block32>::broadcast(scale);
        let (a, b) = (a.reader::<MOVING>(), b.reader::<MOVING>());
        let BlockSearch { flags, found, open, .. } = search;
        found.clear();
        let length = open.len();
        for (number, group) in open.groups::<LANES32>().iter().enumerate() {
            let rows = each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => pairs[usize::from(group[lane])]);
            // SAFETY: [`sort_by_kinds`](super::sort_by_kinds) has checked all indices, and there are as many records as boxes.
            let (first, second) = unsafe {
                (
                    a.gather(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane][one])),
                    b.gather(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane][two])),
                )
            };
            let (first, second) = ((&first.0, first.1), (&second.0, second.1));
            let hit = hits::surely_intersect::<S::Block32, D, MOVING, KINDS>(first, second, scale);
            for lane in (0..LANES32).filter(|lane| hit >> lane & 1 == 1) {
                flags[usize::from(group[lane]) % BLOCK] = FLAG;
            }
            let real = (length - number * LANES32).min(LANES32);
            // SAFETY: all groups together have no more than `BLOCK` numbers, but for what fills up the last.
            unsafe { found.append_chosen::<S>(group, !hit & ((1 << real) - 1)) };
        }
        std::mem::swap(open, found);
    }
}

/// Decides what single precision has left undecided of one list.
struct DecideInDouble<'s, 'a, const D: usize, const MOVING: bool, const KINDS: u8> {
    search: &'s mut BlockSearch<'a, D>,
    pairs: &'s [[u32; 2]],
    list: usize,
}

impl<const D: usize, const MOVING: bool, const KINDS: u8> Kernel
    for DecideInDouble<'_, '_, D, MOVING, KINDS>
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { search, pairs, list } = self;
        let (one, two) = order(list);
        let BlockSearch { sets, flags, open, redone, .. } = search;
        let rows_of = [sets.a.rows(), sets.b.rows()];
        let durations = [sets.duration.unwrap_or(0.0); 2];
        let scale = TestScale::<S::Block>::broadcast(TestScale { durations, slack: 0.0 });
        let length = open.len();
        for (number, group) in open.groups::<LANES>().iter().enumerate() {
            let rows = each!(lane in [0, 1, 2, 3] => pairs[usize::from(group[lane])]);
            let first = rows_of[one].gather(each!(lane in [0, 1, 2, 3] => rows[lane][one]));
            let second = rows_of[two].gather(each!(lane in [0, 1, 2, 3] => rows[lane][two]));
            let on_grid = hits::decide_on_grid::<S::Block, D, MOVING, KINDS>(&first, &second, durations[0]);
            let real = (1 << (length - number * LANES).min(LANES)) - 1;
            *redone += (!on_grid.unsure & real).count_ones();
            let (first, second) = ((&first, Sizes::of(&first)), (&second, Sizes::of(&second)));
            let Verdict { mut hit, mut unsure } = if on_grid.unsure == 0 {
                on_grid
            } else {
                hits::decide::<S::Block, D, MOVING, KINDS>(first, second, scale).unless_decided(on_grid)
            };
            if unsure != 0 && hits::has_second_look(D, KINDS) {
                let sure =
                    unsure & hits::surely_intersect::<S::Block, D, MOVING, KINDS>(first, second, scale);
                (hit, unsure) = (hit | sure, unsure & !sure);
            }
            if unsure != 0 {
                *redone += (unsure & real).count_ones();
                let along_axes =
                    hits::decide_along_axes::<S::Block, D, MOVING, KINDS>(first.0, second.0, durations[0]);
                (hit, unsure) = (hit | unsure & along_axes.hit, unsure & along_axes.unsure);
            }
            if unsure != 0 {
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
) -> TestScale<f32> {
    let is_moving = a.is_moving() || b.is_moving();
    let in_range = !is_moving || duration == 0.0 || SINGLE_DURATIONS.contains(&duration);
    // With an infinite slack every pair is left undecided.
    let slack = if in_range { a.slack() + b.slack() } else { f64::INFINITY };
    let duration_of = |set: &FrameRecords<D>| if set.is_moving() { duration } else { 0.0 };
    TestScale { durations: [duration_of(a) as f32, duration_of(b) as f32], slack: slack as f32 }
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
