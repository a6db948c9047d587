//! Which of many pairs intersect: boxes first, then a lane kernel for each combination of kinds in single precision, the
//! same in double precision for the few pairs that are too close to call, then the exact decision of what is left.

use std::ops::{Range, RangeInclusive};

use super::exact;
use super::hits::{self, CUBOIDS, Common, MIXED, TETRAHEDRA, Verdict};
use super::lists::{BLOCK, List, ListsByKinds, TETRAHEDRON_FIRST};
use super::upcoming::Upcoming;
use crate::frames::Frames;
use crate::frames::lanes::Sizes;
use crate::frames::records::{BOX, Records};
use crate::soa::bytes;
use crate::soa::lanes::{self, Block, Block32, LANES, LANES32, each};
use crate::soa::par::Divide;

/// Pairs per piece of work of a thread; whole words of bits.
pub(super) const CHUNK: usize = 1 << 14;

/// How many pairs ahead boxes are asked for, and how many groups of lanes ahead records.
const PAIRS_AHEAD: usize = 12;
const GROUPS_AHEAD: usize = 3;

/// Records and boxes of more frames do not fit the nearest caches: they must be asked for in time.
const LARGE: usize = 1 << 13;

/// Gives the indices of pairs.
pub(super) trait PairSource: Copy + Send + Sync {
    /// The frames of A and of B that a range of pairs names, if these follow each other.
    fn runs(self, pairs: Range<usize>) -> Option<[Range<usize>; 2]>;

    /// The indices of the k-th pair, which need not name frames that exist.
    fn pair(self, k: usize) -> [u32; 2];

    /// The indices of a range of pairs, in `room` if they are not in memory yet.
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
    fn runs(self, _: Range<usize>) -> Option<[Range<usize>; 2]> {
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

/// The i-th of one set with the i-th of the other.
#[derive(Clone, Copy)]
pub(super) struct Abreast;

impl PairSource for Abreast {
    #[inline(always)]
    fn runs(self, pairs: Range<usize>) -> Option<[Range<usize>; 2]> {
        Some([pairs.clone(), pairs])
    }

    #[inline(always)]
    fn pair(self, k: usize) -> [u32; 2] {
        [k as u32; 2]
    }
}

/// One frame with each of the other set.
#[derive(Clone, Copy)]
pub(super) struct OneWithAll(pub(super) u32);

impl PairSource for OneWithAll {
    #[inline(always)]
    fn runs(self, pairs: Range<usize>) -> Option<[Range<usize>; 2]> {
        Some([0..0, pairs])
    }

    #[inline(always)]
    fn pair(self, k: usize) -> [u32; 2] {
        [self.0, k as u32]
    }
}

/// The two sets of a test, ready to be read.
pub(super) struct Task<'a, const D: usize> {
    pub(super) a: &'a Frames<D>,
    pub(super) b: &'a Frames<D>,
    pub(super) records: [&'a Records<D>; 2],
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
        let mut batch = Batch::new(self.task);
        let mut room = [[0; 2]; BLOCK];
        let blocks = self.pairs.clone().step_by(BLOCK).zip(self.bits.chunks_mut(BLOCK / 64));
        for (first, bits) in blocks {
            let range = first..(first + BLOCK).min(self.pairs.end);
            let next = self.source.runs(range.end..range.end + BLOCK);
            if !batch.search(self.source.pairs(range, &mut room), next) {
                tally.astray = true;
                return;
            }
            for (word, flags) in bits.iter_mut().zip(batch.flags.as_chunks::<64>().0) {
                *word = bytes::signs_of_bytes(flags);
                tally.hits += word.count_ones();
            }
        }
        tally.redone += batch.redone;
    }
}

/// A block of pairs at a time: their lists and records stay in the nearest caches.
struct Batch<'a, const D: usize> {
    task: &'a Task<'a, D>,
    /// The pairs whose boxes overlap.
    lists: ListsByKinds,
    /// [`FLAG`] for each pair that intersects.
    flags: [u8; BLOCK],
    /// Pairs of the list at hand that surely intersect, a last one several times.
    found: List,
    /// Pairs of the list at hand that single precision leaves open.
    open: List,
    /// Whether the sets are so large that what is read must be asked for ahead of time.
    ahead: bool,
    /// What the next pairs read, if that is known and must be asked for; else the pairs at hand are looked ahead in.
    upcoming: Option<Upcoming<'a>>,
    redone: u32,
}

/// The top bit of a byte.
const FLAG: u8 = 0x80;

/// Signs of the sums of two boxes, as [`Records`] lays them out: all of these are set if the boxes overlap.
const OVERLAP: u8 = 0x77;
/// Set if the frame of A, or of B, is a tetrahedron.
const TETRAHEDRON: [u8; 2] = [0x08, 0x80];

impl<'a, const D: usize> Batch<'a, D> {
    fn new(task: &'a Task<'a, D>) -> Self {
        let ahead = task.records.iter().any(|records| records.len() > LARGE);
        Self {
            task,
            lists: ListsByKinds::EMPTY,
            flags: [0; BLOCK],
            found: List::EMPTY,
            open: List::EMPTY,
            ahead,
            upcoming: None,
            redone: 0,
        }
    }

    /// Marks the pairs that intersect; says whether all name frames that exist. Afterwards come the pairs of the frames of
    /// two runs, if this is known.
    fn search(&mut self, pairs: &[[u32; 2]], next: Option<[Range<usize>; 2]>) -> bool {
        let (a, b) = (self.task.records[0].boxes(), self.task.records[1].boxes());
        let last = bytes::largest_of_pairs(pairs);
        if last[0] as usize >= a.len() || last[1] as usize >= b.len() {
            return false;
        }
        // SAFETY: the indices of all pairs are below the numbers of boxes.
        unsafe {
            if self.ahead && next.is_none() {
                self.sort::<true>(a, b, pairs);
            } else {
                self.sort::<false>(a, b, pairs);
            }
        }
        self.flags.fill(0);
        let groups = self.lists.0.iter().map(|list| list.len().div_ceil(LANES32)).sum();
        let next = next.filter(|_| self.ahead);
        self.upcoming = next.map(|runs| Upcoming::new(self.task.records, runs, groups));
        if self.task.duration.is_some() {
            self.decide_all::<true>(pairs);
        } else {
            self.decide_all::<false>(pairs);
        }
        true
    }

    /// Sorts the pairs whose boxes overlap by kinds. Boxes that touch hold frames that at most touch.
    ///
    /// # Safety
    /// All pairs must name boxes that exist.
    #[inline(always)]
    unsafe fn sort<const PREFETCH: bool>(&mut self, a: &[[f32; BOX]], b: &[[f32; BOX]], pairs: &[[u32; 2]]) {
        self.lists.clear();
        let signs_of = |pair: [u32; 2]| {
            let [i, j] = pair.map(|row| row as usize);
            // SAFETY: the boxes exist, as the caller has promised.
            let (of_a, of_b) = unsafe { (a.get_unchecked(i), b.get_unchecked(j)) };
            bytes::swapped_sum_signs(of_a, of_b) as u8
        };
        let ask_for = |pairs: &[[u32; 2]]| {
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
                    ask_for(pairs.get(soon..soon + 4).unwrap_or_default());
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
        let (a, b) = (self.task.records[one], self.task.records[two]);
        let common = common_in_single(a, b, self.task.duration.unwrap_or(0.0));
        let (a, b) = (a.reader::<MOVING>(), b.reader::<MOVING>());
        // SAFETY: `sort` puts only numbers of pairs into a list.
        let rows_of = |number: u16| unsafe { *pairs.get_unchecked(usize::from(number)) };
        let Self { lists, found, open, ahead, upcoming, .. } = self;
        let list = &mut lists.0[list];
        let length = list.len();
        let groups = list.groups::<LANES32>();
        for (number, group) in groups.iter().enumerate() {
            if let Some(upcoming) = upcoming {
                upcoming.ask_for_some();
            } else if *ahead {
                let soon = &groups[(number + GROUPS_AHEAD).min(groups.len() - 1)];
                let _: [(); LANES32] = each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => {
                    let rows = rows_of(soon[lane]);
                    a.prefetch(rows[one]);
                    b.prefetch(rows[two]);
                });
            }
            let rows = each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows_of(group[lane]));
            // SAFETY: `search` has found a box for every row of a pair, and there are as many records as boxes.
            let (first, second) = unsafe {
                (
                    a.gather(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane][one])),
                    b.gather(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane][two])),
                )
            };
            let (first, second) = ((&first.0, first.1), (&second.0, second.1));
            let verdict = hits::decide::<Block32, D, MOVING, KINDS>(first, second, common);
            // SAFETY: all groups together have no more than `BLOCK` numbers, but for what fills up the last.
            unsafe { found.append_chosen(group, verdict.hit) };
            if verdict.unsure != 0 {
                let real = (length - number * LANES32).min(LANES32);
                // SAFETY: as above.
                unsafe { open.append_chosen(group, verdict.unsure & ((1 << real) - 1)) };
            }
        }
    }

    /// Decides what single precision has left open.
    #[inline(never)]
    fn decide_in_double<const MOVING: bool, const KINDS: u8>(&mut self, pairs: &[[u32; 2]], list: usize) {
        let (one, two) = order(list);
        let Self { task, flags, open, redone, .. } = self;
        let sets = [task.a.rows(), task.b.rows()];
        let durations = [lanes::splat(task.duration.unwrap_or(0.0)); 2];
        let common = Common { durations, slack: Block::ZERO };
        let length = open.len();
        for (number, group) in open.groups::<LANES>().iter().enumerate() {
            let rows = each!(lane in [0, 1, 2, 3] => pairs[usize::from(group[lane])]);
            let first = sets[one].gather(each!(lane in [0, 1, 2, 3] => rows[lane][one]));
            let second = sets[two].gather(each!(lane in [0, 1, 2, 3] => rows[lane][two]));
            let (first, second) = ((&first, Sizes::of(&first)), (&second, Sizes::of(&second)));
            let Verdict { mut hit, unsure } = hits::decide::<Block, D, MOVING, KINDS>(first, second, common);
            if unsure != 0 {
                let real = (length - number * LANES).min(LANES);
                *redone += (unsure & ((1 << real) - 1)).count_ones();
                hit |= redo(task, &rows, unsure);
            }
            for lane in (0..LANES).filter(|lane| hit >> lane & 1 == 1) {
                flags[usize::from(group[lane]) % BLOCK] = FLAG;
            }
        }
    }
}

/// Durations that single precision can tell, in seconds.
const SINGLE_DURATIONS: RangeInclusive<f64> = 1e-37..=1e37;

fn common_in_single<const D: usize>(a: &Records<D>, b: &Records<D>, duration: f64) -> Common<Block32> {
    let moves = a.is_moving() || b.is_moving();
    let is_told = !moves || duration == 0.0 || SINGLE_DURATIONS.contains(&duration);
    // With a boundless slack everything is left open.
    let slack = if is_told { a.slack() + b.slack() } else { f64::INFINITY };
    let duration_of = |set: &Records<D>| if set.is_moving() { duration } else { 0.0 };
    Common {
        durations: [Block32::splat(duration_of(a) as f32), Block32::splat(duration_of(b) as f32)],
        slack: Block32::splat(slack as f32),
    }
}

/// Which frame of a pair of a list the kernel takes first and which second.
#[inline(always)]
fn order(list: usize) -> (usize, usize) {
    if list == TETRAHEDRON_FIRST { (1, 0) } else { (0, 1) }
}

/// Decides the unsure pairs of a group in exact arithmetic; bits as in a [`Verdict`].
#[cold]
fn redo<const D: usize>(task: &Task<D>, rows: &[[u32; 2]; LANES], unsure: u32) -> u32 {
    let mut hit = 0;
    for (lane, &[i, j]) in rows.iter().enumerate().filter(|(lane, _)| unsure >> lane & 1 == 1) {
        let (a, b) = (task.a.read(i as usize), task.b.read(j as usize));
        hit |= u32::from(exact::intersects(&a, &b, task.duration)) << lane;
    }
    hit
}
