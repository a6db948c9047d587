//! When and where the pairs that intersect overlap: a second pass over the hits, if it is requested.

use super::boxes::lanes::{RegionLanes, RegionsOf, Unsure, Wanted};
use super::boxes::redo::redo;
use super::boxes::singles::{SingleRegions, SingleRegionsOf, Stored32};
use super::boxes::{Region, Tolerances};
use super::pair_lists::{BLOCK, ListsByKinds, PairList};
use super::search::{PairSource, TestedSets};
use crate::frames::lanes::Stored;
use crate::frames::rows::RowReader;
use crate::geometry::Aabb;
use crate::soa::block::{Doubles, LANES, LANES32, Singles, each};
use crate::soa::bytes;
use crate::soa::level::{self, Kernel};
use crate::soa::par::Divide;
use crate::soa::simd::Simd;

/// Hits per piece of work of a thread.
pub(super) const CHUNK: usize = BLOCK;

/// A share of the hits, with room for what is requested; a slice of what is not requested is empty.
pub(super) struct LocateHits<'a, const D: usize, P> {
    pub(super) sets: &'a TestedSets<'a, D>,
    /// The frames of A and those of B.
    pub(super) rows: &'a [RowReader<'a, D>; 2],
    pub(super) source: P,
    /// Whether single precision is enough.
    pub(super) single: bool,
    /// Numbers of the pairs.
    pub(super) hits: &'a [u32],
    pub(super) times: &'a mut [[f64; 2]],
    pub(super) boxes: &'a mut [Aabb<D>],
    pub(super) local_boxes: &'a mut [Aabb<D>],
    /// For each [`CHUNK`] how many of its hits were computed with more precision.
    pub(super) redone: &'a mut [u32],
}

impl<const D: usize, P: PairSource> Divide for LocateHits<'_, D, P> {
    fn size(&self) -> usize {
        self.hits.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { sets, rows, source, single, hits, times, boxes, local_boxes, redone } = self;
        let (hits, more_hits) = hits.split_at(at);
        let (times, more_times) = split(times, at);
        let (boxes, more_boxes) = split(boxes, at);
        let (local_boxes, more_local) = split(local_boxes, at);
        let (redone, more_redone) = redone.split_at_mut(at / CHUNK);
        (
            Self { sets, rows, source, single, hits, times, boxes, local_boxes, redone },
            Self {
                sets,
                rows,
                source,
                single,
                hits: more_hits,
                times: more_times,
                boxes: more_boxes,
                local_boxes: more_local,
                redone: more_redone,
            },
        )
    }

    fn work(self) {
        let Self { sets, rows, source, single, hits, times, boxes, local_boxes, redone } = self;
        let Some(redone) = redone.first_mut() else { return };
        let mut pairs = [[0; 2]; CHUNK];
        for (pair, &k) in pairs.iter_mut().zip(hits) {
            *pair = source.pair(k as usize);
        }
        let count = hits.len().min(CHUNK);
        let regions = HitRegions { sets, rows, pairs: &pairs, single, count, times, boxes, local_boxes };
        *redone = level::run(regions);
    }
}

/// Splits a slice that may be empty.
fn split<T>(slice: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    let at = at.min(slice.len());
    slice.split_at_mut(at)
}

/// What is requested of a share of the hits. It does not depend on the source of the pairs, so that its kernels are
/// compiled once.
struct HitRegions<'a, const D: usize> {
    sets: &'a TestedSets<'a, D>,
    rows: &'a [RowReader<'a, D>; 2],
    /// The indices of the frames of all hits.
    pairs: &'a [[u32; 2]; CHUNK],
    single: bool,
    /// Number of hits.
    count: usize,
    times: &'a mut [[f64; 2]],
    boxes: &'a mut [Aabb<D>],
    local_boxes: &'a mut [Aabb<D>],
}

/// Positions of hits of the same kinds that are not exact enough yet, and what they lack.
struct OpenHits {
    positions: PairList,
    missing: [Wanted; CHUNK],
}

impl OpenHits {
    const EMPTY: Self = Self { positions: PairList::EMPTY, missing: [Wanted::NOTHING; CHUNK] };

    /// Adds the hits of a group that lack something.
    #[cold]
    fn add(&mut self, positions: &[u16], unsure: Unsure) {
        for (lane, &position) in positions.iter().enumerate() {
            let missing = unsure.of_lane(lane);
            if missing != Wanted::NOTHING {
                self.positions.push(position);
                self.missing[usize::from(position)] = missing;
            }
        }
    }
}

impl<const D: usize> Kernel for HitRegions<'_, D> {
    /// The number of hits that were computed with more precision.
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(mut self) -> u32 {
        let (mut redone, mut rest, mut open) = (0, OpenHits::EMPTY, OpenHits::EMPTY);
        let mut lists = sorted_by_kinds(self.sets, &self.pairs[..self.count]);
        // The order of the lists.
        let kinds = [[false, false], [true, false], [false, true], [true, true]];
        for (list, are_tetrahedra) in lists.0.iter_mut().zip(kinds) {
            open.positions.clear();
            if self.single {
                rest.positions.clear();
                self.locate_in_single::<S>(list, are_tetrahedra, &mut rest);
                self.locate_rest::<S>(&mut rest, are_tetrahedra, &mut open);
            } else {
                self.locate::<S>(list, are_tetrahedra, &mut open);
            }
            redone += self.locate_again::<S>(&mut open, are_tetrahedra);
        }
        redone
    }
}

impl<const D: usize> HitRegions<'_, D> {
    /// Locates hits of the same kinds, four at a time, and lists those that are not exact enough.
    #[inline(always)]
    fn locate<S: Simd>(&mut self, list: &mut PairList, are_tetrahedra: [bool; 2], open: &mut OpenHits) {
        let length = list.len();
        let groups = list.groups::<LANES>();
        let [a_rows, b_rows] = self.rows;
        for (number, positions) in groups.iter().enumerate() {
            if let Some(soon) = groups.get(number + 1) {
                for [i, j] in self.pairs_of(soon) {
                    a_rows.prefetch(i);
                    b_rows.prefetch(j);
                }
            }
            let lanes = self.regions_of::<S, false>(positions, are_tetrahedra);
            self.write::<S::Block>(each!(lane in [0, 1, 2, 3] => usize::from(positions[lane])), &lanes);
            if lanes.unsure.any() != 0 {
                let real = (length - number * LANES).min(LANES);
                open.add(&positions[..real], lanes.unsure);
            }
        }
    }

    /// Locates hits of the same kinds in single precision, eight at a time, and lists those for which that is not enough.
    #[inline(always)]
    fn locate_in_single<S: Simd>(
        &mut self,
        list: &mut PairList,
        are_tetrahedra: [bool; 2],
        rest: &mut OpenHits,
    ) {
        let length = list.len();
        let groups = list.groups::<LANES32>();
        let [a_rows, b_rows] = self.rows;
        for (number, positions) in groups.iter().enumerate() {
            if let Some(soon) = groups.get(number + 1) {
                for &position in soon {
                    let [i, j] = self.pairs[usize::from(position) % CHUNK];
                    a_rows.prefetch(i);
                    b_rows.prefetch(j);
                }
            }
            let (halves, _) = positions.as_chunks::<LANES>();
            let pairs = each!(half in [0, 1] => self.pairs_of(&halves[half]));
            let a = &each!(half in [0, 1] => {
                a_rows.gather_stored::<S::Block>(each!(lane in [0, 1, 2, 3] => pairs[half][lane][0]))
            });
            let b = &each!(half in [0, 1] => {
                b_rows.gather_stored::<S::Block>(each!(lane in [0, 1, 2, 3] => pairs[half][lane][1]))
            });
            let duration = self.sets.duration;
            let lanes = SingleRegionsOf { a, b, are_tetrahedra, duration, wanted: self.wanted() }.run::<S>();
            self.write_singles::<S::Block32>(positions, &lanes);
            if lanes.unsure.any() != 0 {
                let real = (length - number * LANES32).min(LANES32);
                rest.add(&positions[..real], lanes.unsure);
            }
        }
    }

    /// Locates in double precision what single precision has left, and lists what is not exact enough.
    #[inline(always)]
    fn locate_rest<S: Simd>(&mut self, rest: &mut OpenHits, are_tetrahedra: [bool; 2], open: &mut OpenHits) {
        let length = rest.positions.len();
        for (number, positions) in rest.positions.groups::<LANES>().iter().enumerate() {
            let lanes = self.regions_of::<S, false>(positions, are_tetrahedra);
            let real = (length - number * LANES).min(LANES);
            for (lane, &position) in positions[..real].iter().enumerate() {
                let missing = rest.missing[usize::from(position)];
                let region = lanes.lane(lane, self.sets.duration.unwrap_or(0.0));
                self.put(usize::from(position), missing, &region);
                let still_missing = missing.and(lanes.unsure.of_lane(lane));
                if still_missing != Wanted::NOTHING {
                    open.positions.push(position);
                    open.missing[usize::from(position)] = still_missing;
                }
            }
        }
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            times: !self.times.is_empty(),
            world: !self.boxes.is_empty(),
            local: !self.local_boxes.is_empty(),
        }
    }

    /// The regions of a group, the first or the second time.
    #[inline(always)]
    fn regions_of<S: Simd, const AGAIN: bool>(
        &self,
        positions: &[u16; LANES],
        are_tetrahedra: [bool; 2],
    ) -> RegionLanes<D> {
        let wanted = self.wanted();
        let pairs = self.pairs_of(positions);
        let [a, b] = each!(side in [0, 1] => each!(lane in [0, 1, 2, 3] => pairs[lane][side]));
        let a = &self.rows[0].gather_stored::<S::Block>(a);
        let b = &self.rows[1].gather_stored::<S::Block>(b);
        let tolerances = if self.single { Tolerances::OF_SINGLES } else { Tolerances::OF_DOUBLES };
        let duration = self.sets.duration;
        let regions = RegionsOf { a, b, are_tetrahedra, duration, wanted, tolerances };
        if AGAIN { regions.run_again::<S>() } else { regions.run::<S>() }
    }

    /// Locates what is left open once more, and what still is not exact enough one by one; the number of these.
    #[inline(always)]
    fn locate_again<S: Simd>(&mut self, open: &mut OpenHits, are_tetrahedra: [bool; 2]) -> u32 {
        let mut redone = 0;
        let length = open.positions.len();
        for (number, positions) in open.positions.groups::<LANES>().iter().enumerate() {
            let lanes = self.regions_of::<S, true>(positions, are_tetrahedra);
            let real = (length - number * LANES).min(LANES);
            for (lane, position) in
                positions[..real].iter().map(|&position| usize::from(position)).enumerate()
            {
                redone += u32::from(self.complete(position, open.missing[position], &lanes, lane));
            }
        }
        redone
    }

    /// Writes what was missing of a hit; whether it had to be computed with more precision.
    #[inline(never)]
    fn complete(&mut self, position: usize, missing: Wanted, lanes: &RegionLanes<D>, lane: usize) -> bool {
        let duration = self.sets.duration;
        let still_missing = missing.and(lanes.unsure.of_lane(lane));
        let mut region = lanes.lane(lane, duration.unwrap_or(0.0));
        let is_redone = still_missing != Wanted::NOTHING;
        if is_redone {
            let [i, j] = self.pairs[position];
            let (a, b) = (self.sets.a.read(i as usize), self.sets.b.read(j as usize));
            redo(&a, &b, duration, still_missing, &mut region);
        }
        self.put(position, missing, &region);
        is_redone
    }

    /// Writes what was missing of a hit, in single precision if that is requested.
    #[inline(never)]
    fn put(&mut self, position: usize, missing: Wanted, region: &Region<D>) {
        let mut region = *region;
        if self.single {
            let [i, j] = self.pairs[position];
            let (a, b) = (self.sets.a.read(i as usize), self.sets.b.read(j as usize));
            region = region.rounded_outward(&a, &b, self.sets.duration);
        }
        put(self.times, position, missing.times, region.times);
        put(self.boxes, position, missing.world, region.world);
        put(self.local_boxes, position, missing.local, region.local);
    }

    /// The indices of the frames of a group.
    #[inline(always)]
    fn pairs_of(&self, positions: &[u16; LANES]) -> [[u32; 2]; LANES] {
        each!(lane in [0, 1, 2, 3] => self.pairs[usize::from(positions[lane]) % CHUNK])
    }

    /// Writes what is requested of four hits. A group that is not full holds its last hit several times.
    #[inline(always)]
    fn write<B: Doubles>(&mut self, group: [usize; LANES], lanes: &RegionLanes<D>) {
        if !self.times.is_empty() {
            let duration = B::splat(self.sets.duration.unwrap_or(0.0));
            let [first, last] = each!(end in [0, 1] => (lanes.times[end].load::<B>() * duration).to_array());
            for lane in 0..LANES {
                self.times[group[lane]] = [first[lane], last[lane]];
            }
        }
        write_boxes::<B, D>(self.boxes, group, &lanes.world);
        write_boxes::<B, D>(self.local_boxes, group, &lanes.local);
    }
}

impl<const D: usize> HitRegions<'_, D> {
    /// Writes what is requested of eight hits. A group that is not full holds its last hit several times.
    #[inline(always)]
    fn write_singles<L: Singles>(&mut self, group: &[u16; LANES32], lanes: &SingleRegions<D>) {
        if !self.times.is_empty() {
            let [first, last] = &lanes.times;
            for lane in 0..LANES32 {
                self.times[usize::from(group[lane])] = [f64::from(first.0[lane]), f64::from(last.0[lane])];
            }
        }
        write_single_boxes::<L, D>(self.boxes, group, &lanes.world);
        write_single_boxes::<L, D>(self.local_boxes, group, &lanes.local);
    }
}

/// Writes eight boxes, unless boxes are not requested.
#[inline(always)]
fn write_single_boxes<L: Singles, const D: usize>(
    boxes: &mut [Aabb<D>],
    group: &[u16; LANES32],
    ends: &[[Stored32; 2]; D],
) {
    if boxes.is_empty() {
        return;
    }
    let end = |number: usize| ends[number % D][number / D].load::<L>();
    let first = L::rows_of_quads(each!(number in [0, 1, 2, 3] => end(number)));
    let rest = if D == 3 { L::rows_of_quads([end(4), end(5), L::ZERO, L::ZERO]) } else { first };
    for lane in 0..LANES32 {
        let numbers = |number: usize| {
            f64::from(if number < LANES { first[lane][number] } else { rest[lane][number - LANES] })
        };
        let aabb = &mut boxes[usize::from(group[lane])];
        for axis in 0..D {
            (aabb.min[axis], aabb.max[axis]) = (numbers(axis), numbers(D + axis));
        }
    }
}

/// Positions of hits in a share, sorted by kinds.
///
/// # Panics
/// If there are more than [`CHUNK`].
#[inline(always)]
pub(super) fn sorted_by_kinds<const D: usize>(sets: &TestedSets<D>, pairs: &[[u32; 2]]) -> ListsByKinds {
    assert!(pairs.len() <= CHUNK, "more hits than a share has");
    let mut lists = ListsByKinds::EMPTY;
    let (a_kinds, b_kinds) = (sets.a.kinds(), sets.b.kinds());
    for (from, pairs) in (0..).step_by(64).zip(pairs.chunks(64)) {
        let mut kinds = [0_u8; 64];
        for (&[i, j], kinds) in pairs.iter().zip(&mut kinds) {
            *kinds = a_kinds[i as usize] | b_kinds[j as usize] << 1;
        }
        let all = u64::MAX >> (64 - pairs.len());
        let tetrahedra = [bytes::bytes_with(&kinds, 1), bytes::bytes_with(&kinds, 2)];
        // SAFETY: there are no more hits than `CHUNK`.
        unsafe { lists.append(all, tetrahedra, from) };
    }
    lists
}

/// Writes four boxes, unless boxes are not requested.
#[inline(always)]
fn write_boxes<B: Doubles, const D: usize>(
    boxes: &mut [Aabb<D>],
    group: [usize; LANES],
    ends: &[[Stored; 2]; D],
) {
    if boxes.is_empty() {
        return;
    }
    let end = |number: usize| ends[number % D][number / D];
    let first = B::transpose(each!(number in [0, 1, 2, 3] => end(number).load()));
    let rest = if D == 3 { B::transpose([end(4).load(), end(5).load(), B::ZERO, B::ZERO]) } else { first };
    for lane in 0..LANES {
        let (first, rest) = (first[lane].to_array(), rest[lane].to_array());
        let numbers = |number: usize| if number < LANES { first[number] } else { rest[number - LANES] };
        let aabb = &mut boxes[group[lane]];
        for axis in 0..D {
            (aabb.min[axis], aabb.max[axis]) = (numbers(axis), numbers(D + axis));
        }
    }
}

fn put<T>(values: &mut [T], position: usize, is_new: bool, value: T) {
    if is_new {
        values[position] = value;
    }
}
