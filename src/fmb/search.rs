//! Which of many pairs intersect: boxes first, then a lane kernel for each combination of kinds, then the exact
//! decision of what is left.

use std::ops::Range;

use super::exact;
use super::hits::{self, Kinds};
use crate::frames::Frames;
use crate::frames::packed::{FrameLanes, Packed};
use crate::soa::lanes::{self, LANES, each};
use crate::soa::par::Divide;

/// Pairs per piece of work of a thread; whole words of bits.
pub(super) const CHUNK: usize = 1 << 14;

/// Pairs that go through the boxes before the kernels run: their lists and records stay in the nearest caches.
const BLOCK: usize = 512;

/// How many pairs ahead boxes and records are asked for.
const AHEAD: usize = 12;

/// Gives the indices of the k-th pair.
pub(super) trait PairSource: Fn(usize) -> [u32; 2] + Copy + Send + Sync {}

impl<F: Fn(usize) -> [u32; 2] + Copy + Send + Sync> PairSource for F {}

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
}

/// A share of the pairs, to be marked in its share of the bits.
pub(super) struct Search<'a, const D: usize, P> {
    pub(super) task: &'a Task<'a, D>,
    pub(super) pair: P,
    pub(super) pairs: Range<usize>,
    /// One bit a pair, all 0.
    pub(super) bits: &'a mut [u64],
    /// One for each [`CHUNK`].
    pub(super) tallies: &'a mut [Tally],
}

impl<const D: usize, P: PairSource> Divide for Search<'_, D, P> {
    fn size(&self) -> usize {
        self.pairs.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { task, pair, pairs, bits, tallies } = self;
        let middle = pairs.start + at;
        let (low_bits, high_bits) = bits.split_at_mut(at / 64);
        let (low_tallies, high_tallies) = tallies.split_at_mut(at / CHUNK);
        let low = Self { task, pair, pairs: pairs.start..middle, bits: low_bits, tallies: low_tallies };
        (low, Self { task, pair, pairs: middle..pairs.end, bits: high_bits, tallies: high_tallies })
    }

    fn work(self) {
        let Some(tally) = self.tallies.first_mut() else { return };
        let blocks = self.pairs.clone().step_by(BLOCK).zip(self.bits.chunks_mut(BLOCK / 64));
        for (first, bits) in blocks {
            let pairs = first..(first + BLOCK).min(self.pairs.end);
            let mut block = Block { task: self.task, pair: self.pair, first, bits, redone: 0 };
            block.search(pairs.len());
            tally.redone += block.redone;
            tally.hits += block.bits.iter().map(|word| word.count_ones()).sum::<u32>();
        }
    }
}

/// A few hundred pairs.
struct Block<'a, const D: usize, P> {
    task: &'a Task<'a, D>,
    pair: P,
    /// Number of the first pair.
    first: usize,
    bits: &'a mut [u64],
    redone: u32,
}

/// Numbers of pairs in a block, with [`SWAPPED`].
type List = [u16; BLOCK];

/// Set for a pair whose frames change places, so that the cuboid comes first.
const SWAPPED: u16 = 1 << 15;

/// Where pairs go by the signs of their boxes: a list by kinds, or the last list if the boxes do not overlap.
const ROUTES: [(u8, u16); 256] = routes();

const fn routes() -> [(u8, u16); 256] {
    let mut routes = [(3, 0); 256];
    let mut signs = 0;
    while signs < 256 {
        let overlap = signs & 0x77 == 0x77;
        let (a_is_tetrahedron, b_is_tetrahedron) = (signs & 0x08 != 0, signs & 0x80 != 0);
        if overlap {
            routes[signs] = match (a_is_tetrahedron, b_is_tetrahedron) {
                (false, false) => (0, 0),
                (false, true) => (1, 0),
                (true, false) => (1, SWAPPED),
                (true, true) => (2, 0),
            };
        }
        signs += 1;
    }
    routes
}

impl<const D: usize, P: PairSource> Block<'_, D, P> {
    fn search(&mut self, count: usize) {
        let mut lists: [List; 4] = [[0; BLOCK]; 4];
        let lengths = self.sort(count, &mut lists);
        let [cc, ct, tt, _] = &lists;
        if self.task.duration.is_some() {
            self.decide::<true>(Kinds::CuboidCuboid, &cc[..lengths[0]]);
            self.decide::<true>(Kinds::CuboidTetrahedron, &ct[..lengths[1]]);
            self.decide::<true>(Kinds::TetrahedronTetrahedron, &tt[..lengths[2]]);
        } else {
            self.decide::<false>(Kinds::CuboidCuboid, &cc[..lengths[0]]);
            self.decide::<false>(Kinds::CuboidTetrahedron, &ct[..lengths[1]]);
            self.decide::<false>(Kinds::TetrahedronTetrahedron, &tt[..lengths[2]]);
        }
    }

    /// Sorts pairs whose boxes overlap into lists by kinds. Boxes that touch hold frames that at most touch.
    #[inline(always)]
    fn sort(&self, count: usize, lists: &mut [List; 4]) -> [usize; 4] {
        let (a, b) = (self.task.records[0].boxes(), self.task.records[1].boxes());
        let mut lengths = [0; 4];
        let last = self.first + count - 1;
        for k in 0..count {
            let [i, j] = (self.pair)(self.first + k);
            let [soon_i, soon_j] = (self.pair)((self.first + k + AHEAD).min(last));
            lanes::prefetch(a, soon_i as usize);
            lanes::prefetch(b, soon_j as usize);
            let signs = lanes::swapped_sum_signs(&a[i as usize], &b[j as usize]);
            let (list, swapped) = ROUTES[signs as usize & 0xFF];
            let length = &mut lengths[list as usize & 3];
            lists[list as usize & 3][*length] = k as u16 | swapped;
            *length += 1;
        }
        lengths
    }

    /// Runs the kernel of one combination of kinds over its list.
    #[inline(always)]
    fn decide<const MOVING: bool>(&mut self, kinds: Kinds, list: &[u16]) {
        let duration = lanes::splat(self.task.duration.unwrap_or(0.0));
        for (start, group) in (0..).step_by(LANES).zip(list.chunks(LANES)) {
            self.prefetch(list, start + AHEAD);
            let last = group.len() - 1;
            let [p, q, r, s] = each!(lane in [0, 1, 2, 3] => self.records(group[lane.min(last)]));
            let first = FrameLanes::gather([p[0], q[0], r[0], s[0]]);
            let second = FrameLanes::gather([p[1], q[1], r[1], s[1]]);
            let verdict = hits::decide::<D, MOVING>(kinds, &first, &second, duration);
            self.mark(group, verdict.hit);
            if verdict.unsure != 0 {
                self.redo(group, verdict.unsure);
            }
        }
    }

    /// The records of a pair, in the order its kernel wants.
    #[inline(always)]
    fn records(&self, entry: u16) -> [&[f64]; 2] {
        let [i, j] = (self.pair)(self.first + (entry & !SWAPPED) as usize);
        let [a, b] = self.task.records;
        let (one, two) = (a.record(i as usize), b.record(j as usize));
        if entry & SWAPPED == 0 { [one, two] } else { [two, one] }
    }

    /// Asks for the records of the pairs that the kernel will see soon.
    #[inline(always)]
    fn prefetch(&self, list: &[u16], from: usize) {
        let [a, b] = self.task.records;
        for &entry in list.iter().skip(from).take(LANES) {
            let [i, j] = (self.pair)(self.first + (entry & !SWAPPED) as usize);
            a.prefetch(i as usize);
            b.prefetch(j as usize);
        }
    }

    #[inline(always)]
    fn mark(&mut self, group: &[u16], hits: u32) {
        for (lane, &entry) in group.iter().enumerate() {
            self.mark_one(entry, u64::from(hits >> lane & 1));
        }
    }

    #[inline(always)]
    fn mark_one(&mut self, entry: u16, hit: u64) {
        let k = usize::from(entry & !SWAPPED);
        self.bits[k / 64] |= hit << (k % 64);
    }

    #[cold]
    fn redo(&mut self, group: &[u16], unsure: u32) {
        let chosen = group.iter().enumerate().filter(|(lane, _)| unsure >> lane & 1 == 1);
        for (_, &entry) in chosen {
            let [i, j] = (self.pair)(self.first + usize::from(entry & !SWAPPED)).map(|i| i as usize);
            let hit = exact::intersects(&self.task.a.read(i), &self.task.b.read(j), self.task.duration);
            self.mark_one(entry, u64::from(hit));
            self.redone += 1;
        }
    }
}
