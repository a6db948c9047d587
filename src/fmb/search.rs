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
const BLOCK: usize = 1024;

/// How many pairs ahead boxes are asked for, and how many groups of lanes ahead records.
const PAIRS_AHEAD: usize = 12;
const GROUPS_AHEAD: usize = 3;

/// Sets of more frames do not fit the nearest caches: what will be read must be asked for in time.
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
    /// The pairs whose boxes overlap.
    near: [Entry; BLOCK],
    /// Where in `near` the pairs of each combination of kinds are.
    lists: [List; 4],
    /// 255 for each pair that intersects.
    flags: [u8; BLOCK],
    redone: u32,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Indices of the frames, which exist.
    rows: [u32; 2],
    /// Number of the pair within the block.
    number: u16,
    /// Which list it belongs to.
    list: u16,
}

/// Positions of pairs, with room to fill up the last group of lanes.
#[derive(Clone, Copy)]
struct List {
    length: usize,
    positions: [u16; BLOCK + LANES],
}

/// By the signs of a pair of boxes: the list for the kinds of the frames (bit 0 for a tetrahedron of A, bit 1 for one of
/// B), and [`OVERLAPS`].
const ROUTES: [u8; 256] = routes();
const OVERLAPS: u8 = 4;

/// The list of tetrahedra with cuboids, which change places for the kernel.
const SWAPPED: usize = 1;

const fn routes() -> [u8; 256] {
    let mut routes = [0; 256];
    let mut signs = 0;
    while signs < 256 {
        let overlaps = if signs & 0x77 == 0x77 { OVERLAPS } else { 0 };
        routes[signs] = overlaps | (signs >> 3 & 1 | signs >> 6 & 2) as u8;
        signs += 1;
    }
    routes
}

impl<'a, const D: usize> Block<'a, D> {
    fn new(task: &'a Task<'a, D>) -> Self {
        let near = [Entry { rows: [0; 2], number: 0, list: 0 }; BLOCK];
        let lists = [List { length: 0, positions: [0; BLOCK + LANES] }; 4];
        Self { task, near, lists, flags: [0; BLOCK], redone: 0 }
    }

    /// Marks the pairs that intersect; says whether all name frames that exist.
    fn search<P: PairSource>(&mut self, source: P, pairs: Range<usize>) -> bool {
        let (a, b) = (self.task.records[0].boxes(), self.task.records[1].boxes());
        let collected = if P::SCATTERED && a.len().max(b.len()) > LARGE {
            self.collect::<P, true>(a, b, source, pairs)
        } else {
            self.collect::<P, false>(a, b, source, pairs)
        };
        let Some(count) = collected else { return false };
        self.sort(count);
        self.flags.fill(0);
        if self.task.duration.is_some() {
            self.decide_all::<true>();
        } else {
            self.decide_all::<false>();
        }
        true
    }

    /// Collects the pairs whose boxes overlap and returns their number; `None` if a frame does not exist. Boxes that
    /// touch hold frames that at most touch.
    #[inline(always)]
    fn collect<P: PairSource, const PREFETCH: bool>(
        &mut self,
        a: &[[f32; BOX]],
        b: &[[f32; BOX]],
        source: P,
        pairs: Range<usize>,
    ) -> Option<usize> {
        let last = pairs.end - 1;
        let mut count = 0;
        for (number, k) in (0..).zip(pairs) {
            let rows = source.pair(k);
            if PREFETCH {
                let [soon_i, soon_j] = source.pair((k + PAIRS_AHEAD).min(last));
                lanes::prefetch(a, soon_i as usize);
                lanes::prefetch(b, soon_j as usize);
            }
            let (one, two) = (a.get(rows[0] as usize)?, b.get(rows[1] as usize)?);
            let route = ROUTES[lanes::swapped_sum_signs(one, two) as usize & 0xFF];
            self.near[count % BLOCK] = Entry { rows, number, list: u16::from(route % OVERLAPS) };
            count += usize::from(route / OVERLAPS);
        }
        Some(count)
    }

    /// Sorts the near pairs by kinds. The last group of each list is filled up with its last pair.
    #[inline(always)]
    fn sort(&mut self, count: usize) {
        self.lists.iter_mut().for_each(|list| list.length = 0);
        for (position, entry) in (0..).zip(&self.near[..count]) {
            let list = &mut self.lists[usize::from(entry.list) % 4];
            list.positions[list.length % BLOCK] = position;
            list.length += 1;
        }
        for list in &mut self.lists {
            let last = list.positions[list.length.saturating_sub(1)];
            list.positions[list.length..list.length + LANES].fill(last);
        }
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
        let large = a.len().max(b.len()) > LARGE;
        let duration = lanes::splat(self.task.duration.unwrap_or(0.0));
        let Self { task, near, lists, flags, redone } = self;
        let List { length, ref positions } = lists[list];
        let groups = &positions.as_chunks::<LANES>().0[..length.div_ceil(LANES)];
        for (number, group) in groups.iter().enumerate() {
            if large {
                let soon = groups[(number + GROUPS_AHEAD).min(groups.len() - 1)];
                let _: [(); LANES] = each!(lane in [0, 1, 2, 3] => {
                    let rows = near[usize::from(soon[lane]) % BLOCK].rows;
                    a.prefetch(rows[one] as usize);
                    b.prefetch(rows[two] as usize);
                });
            }
            let pairs = each!(lane in [0, 1, 2, 3] => near[usize::from(group[lane]) % BLOCK]);
            // SAFETY: `collect` has found a box for every row of an entry, and there are as many records as boxes.
            let (first, second) = unsafe {
                (
                    a.gather_unchecked(each!(lane in [0, 1, 2, 3] => pairs[lane].rows[one])),
                    b.gather_unchecked(each!(lane in [0, 1, 2, 3] => pairs[lane].rows[two])),
                )
            };
            let Verdict { mut hit, unsure } = hits::decide::<D, MOVING, KINDS>(&first, &second, duration);
            if unsure != 0 {
                let real = (length - number * LANES).min(LANES);
                *redone += (unsure & ((1 << real) - 1)).count_ones();
                hit |= redo(task, &pairs, unsure);
            }
            let _: [(); LANES] = each!(lane in [0, 1, 2, 3] => {
                flags[usize::from(pairs[lane].number) % BLOCK] = 0_u8.wrapping_sub((hit >> lane & 1) as u8);
            });
        }
    }
}

/// Decides the unsure pairs of a group in exact arithmetic; bits as in a [`Verdict`].
#[cold]
fn redo<const D: usize>(task: &Task<D>, pairs: &[Entry; LANES], unsure: u32) -> u32 {
    let mut hit = 0;
    for (lane, entry) in pairs.iter().enumerate().filter(|(lane, _)| unsure >> lane & 1 == 1) {
        let (a, b) = (task.a.read(entry.rows[0] as usize), task.b.read(entry.rows[1] as usize));
        hit |= u32::from(exact::intersects(&a, &b, task.duration)) << lane;
    }
    hit
}
