//! Which of many pairs intersect: boxes first, then a lane kernel for each combination of kinds, then the exact
//! decision of what is left.

use std::ops::Range;

use super::exact;
use super::hits::{self, CUBOIDS, MIXED, TETRAHEDRA};
use crate::frames::Frames;
use crate::frames::packed::{BOX, Packed};
use crate::soa::lanes::{self, LANES, each};
use crate::soa::par::Divide;

/// Pairs per piece of work of a thread; whole words of bits.
pub(super) const CHUNK: usize = 1 << 14;

/// Pairs that go through the boxes before the kernels run: their lists and records stay in the nearest caches.
const BLOCK: usize = 256;

/// How many pairs ahead boxes and records are asked for.
const AHEAD: usize = 12;

/// Gives the indices of pairs.
pub(super) trait PairSource: Copy + Send + Sync {
    /// Whether the frames of successive pairs lie anywhere, so that the processor cannot foresee them.
    const SCATTERED: bool;

    /// The indices of the k-th pair.
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
        let mut block = Block { task: self.task, near: Near::EMPTY, flags: [0; BLOCK], redone: 0 };
        let blocks = self.pairs.clone().step_by(BLOCK).zip(self.bits.chunks_mut(BLOCK / 64));
        for (first, bits) in blocks {
            block.search(self.source, first..(first + BLOCK).min(self.pairs.end));
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
    near: Near,
    /// 255 for each pair that intersects.
    flags: [u8; BLOCK],
    redone: u32,
}

/// The pairs of a block whose boxes overlap.
struct Near {
    count: usize,
    /// Indices of the frames.
    rows: [[u32; 2]; BLOCK],
    /// The number of the pair within the block, and its [route](ROUTES).
    tags: [Tag; BLOCK],
    /// Positions in `rows`, by route.
    lists: [List; 4],
}

#[derive(Clone, Copy)]
struct Tag {
    number: u16,
    route: u16,
}

/// Positions of pairs, with room to fill up the last group of lanes.
#[derive(Clone, Copy)]
struct List {
    length: usize,
    positions: [u16; BLOCK + LANES],
}

/// A pair of boxes that overlaps.
const OVERLAPS: u8 = 4;

/// By the signs of a pair of boxes: the kinds of the frames (bit 0 for a tetrahedron of A, bit 1 for one of B), and
/// [`OVERLAPS`].
const ROUTES: [u8; 256] = routes();

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

impl Near {
    const EMPTY: Self = Self {
        count: 0,
        rows: [[0; 2]; BLOCK],
        tags: [Tag { number: 0, route: 0 }; BLOCK],
        lists: [List { length: 0, positions: [0; BLOCK + LANES] }; 4],
    };

    /// Finds the pairs whose boxes overlap. Boxes that touch hold frames that at most touch.
    #[inline(always)]
    fn collect<P: PairSource>(&mut self, a: &[[f32; BOX]], b: &[[f32; BOX]], source: P, pairs: Range<usize>) {
        let last = pairs.end - 1;
        let mut count = 0;
        for (number, k) in (0..BLOCK as u16).zip(pairs) {
            let [i, j] = source.pair(k);
            if P::SCATTERED {
                let [soon_i, soon_j] = source.pair((k + AHEAD).min(last));
                lanes::prefetch(a, soon_i as usize);
                lanes::prefetch(b, soon_j as usize);
            }
            let signs = lanes::swapped_sum_signs(&a[i as usize], &b[j as usize]);
            let route = ROUTES[signs as usize & 0xFF];
            self.rows[count % BLOCK] = [i, j];
            self.tags[count % BLOCK] = Tag { number, route: u16::from(route % OVERLAPS) };
            count += usize::from(route / OVERLAPS);
        }
        self.count = count;
    }

    /// Sorts the pairs by kinds. The last group of each list is filled up with its last pair.
    #[inline(always)]
    fn sort(&mut self) {
        self.lists.iter_mut().for_each(|list| list.length = 0);
        for (position, tag) in (0..).zip(&self.tags[..self.count]) {
            let list = &mut self.lists[usize::from(tag.route) % 4];
            list.positions[list.length % BLOCK] = position;
            list.length += 1;
        }
        for list in &mut self.lists {
            let last = list.positions[list.length.saturating_sub(1)];
            list.positions[list.length..list.length + LANES].fill(last);
        }
    }
}

impl<const D: usize> Block<'_, D> {
    fn search<P: PairSource>(&mut self, source: P, pairs: Range<usize>) {
        let [a, b] = self.task.records;
        self.flags.fill(0);
        self.near.collect(a.boxes(), b.boxes(), source, pairs);
        self.near.sort();
        if self.task.duration.is_some() {
            self.decide_all::<true>(P::SCATTERED);
        } else {
            self.decide_all::<false>(P::SCATTERED);
        }
    }

    fn decide_all<const MOVING: bool>(&mut self, scattered: bool) {
        self.decide::<MOVING, CUBOIDS>(0, scattered);
        self.decide::<MOVING, MIXED>(1, scattered);
        self.decide::<MOVING, MIXED>(2, scattered);
        self.decide::<MOVING, TETRAHEDRA>(3, scattered);
    }

    /// Runs the kernel of one combination of kinds over the pairs of a route. On route 1 the second frame is the cuboid:
    /// the two change places.
    #[inline(never)]
    fn decide<const MOVING: bool, const KINDS: u8>(&mut self, route: usize, scattered: bool) {
        let swapped = route == 1;
        let [a, b] = self.task.records;
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let duration = lanes::splat(self.task.duration.unwrap_or(0.0));
        let length = self.near.lists[route].length;
        let groups = length.div_ceil(LANES);
        for number in 0..groups {
            if scattered {
                let soon = self.group(route, (number + AHEAD / LANES).min(groups - 1));
                let _: [(); LANES] = each!(lane in [0, 1, 2, 3] => {
                    let [one, two] = self.rows(soon[lane], swapped);
                    a.prefetch(one);
                    b.prefetch(two);
                });
            }
            let group = self.group(route, number);
            let [p, q, r, s] = each!(lane in [0, 1, 2, 3] => self.rows(group[lane], swapped));
            let first = a.gather([p[0], q[0], r[0], s[0]]);
            let second = b.gather([p[1], q[1], r[1], s[1]]);
            let verdict = hits::decide::<D, MOVING, KINDS>(&first, &second, duration);
            let _: [(); LANES] =
                each!(lane in [0, 1, 2, 3] => self.mark(group[lane], verdict.hit >> lane & 1));
            if verdict.unsure != 0 {
                self.redo(&group[..(length - number * LANES).min(LANES)], verdict.unsure);
            }
        }
    }

    /// The positions of the pairs of a group of lanes.
    #[inline(always)]
    fn group(&self, route: usize, number: usize) -> [u16; LANES] {
        self.near.lists[route].positions.as_chunks::<LANES>().0[number]
    }

    #[inline(always)]
    fn rows(&self, position: u16, swapped: bool) -> [usize; 2] {
        let rows = &self.near.rows[usize::from(position) % BLOCK];
        [rows[usize::from(swapped)] as usize, rows[usize::from(!swapped)] as usize]
    }

    #[inline(always)]
    fn mark(&mut self, position: u16, hit: u32) {
        let number = self.near.tags[usize::from(position) % BLOCK].number;
        self.flags[usize::from(number) % BLOCK] = 0_u8.wrapping_sub(hit as u8);
    }

    /// Decides the unsure pairs of a group in exact arithmetic.
    #[cold]
    fn redo(&mut self, group: &[u16], unsure: u32) {
        for (_, &position) in group.iter().enumerate().filter(|(lane, _)| unsure >> lane & 1 == 1) {
            let [i, j] = self.rows(position, false);
            let (one, two) = (self.task.a.read(i), self.task.b.read(j));
            self.mark(position, u32::from(exact::intersects(&one, &two, self.task.duration)));
            self.redone += 1;
        }
    }
}
