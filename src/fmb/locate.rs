//! When and where the pairs that intersect overlap: a second pass over the hits, if it is requested.

use super::boxes::lanes::{RegionLanes, RegionsOf, Unsure, Wanted};
use super::boxes::redo::redo;
use super::boxes::singles::{SingleRegions, SingleRegionsOf};
use super::boxes::{Region, Tolerances};
use super::pair_lists::{BLOCK, ListsByKinds, PairList};
use super::search::{PairSource, TestedSets};
use crate::frames::lanes::FrameLanes;
use crate::frames::rows::RowReader;
use crate::geometry::Aabb;
use crate::soa::block::{Lanes, MOST_LANES, Real, each};
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
    /// Locates hits of the same kinds, as many at a time as there are lanes, and lists those that are not exact enough.
    #[inline(always)]
    fn locate<S: Simd>(&mut self, list: &mut PairList, are_tetrahedra: [bool; 2], open: &mut OpenHits) {
        let length = list.len();
        let filled = list.filled_up(S::Wide::COUNT);
        for (number, positions) in filled.chunks_exact(S::Wide::COUNT).enumerate() {
            let from = number * S::Wide::COUNT;
            self.prefetch(&filled[from + S::Wide::COUNT..], S::Wide::COUNT);
            let lanes = self.regions_of::<S, false>(positions, are_tetrahedra);
            self.write(positions, &lanes);
            if lanes.unsure.any() != 0 {
                open.add(&positions[..(length - from).min(S::Wide::COUNT)], lanes.unsure);
            }
        }
    }

    /// Locates hits of the same kinds in single precision, and lists those for which that is not enough.
    #[inline(always)]
    fn locate_in_single<S: Simd>(
        &mut self,
        list: &mut PairList,
        are_tetrahedra: [bool; 2],
        rest: &mut OpenHits,
    ) {
        let length = list.len();
        let filled = list.filled_up(S::Wide32::COUNT);
        // Here, so that they are not cleared for each group.
        let (mut a, mut b) = ([FrameLanes::ZERO; 2], [FrameLanes::ZERO; 2]);
        for (number, positions) in filled.chunks_exact(S::Wide32::COUNT).enumerate() {
            let from = number * S::Wide32::COUNT;
            self.prefetch(&filled[from + S::Wide32::COUNT..], S::Wide32::COUNT);
            let (low, high) = positions.split_at(S::Wide::COUNT);
            self.gather::<S>(low, &mut a[0], &mut b[0]);
            self.gather::<S>(high, &mut a[1], &mut b[1]);
            let (a, b) = (&a, &b);
            let (duration, wanted) = (self.sets.duration, self.wanted());
            let lanes = SingleRegionsOf::<S, D> { a, b, are_tetrahedra, duration, wanted }.run();
            self.write_singles(positions, &lanes);
            if lanes.unsure.any() != 0 {
                rest.add(&positions[..(length - from).min(S::Wide32::COUNT)], lanes.unsure);
            }
        }
    }

    /// Locates in double precision what single precision has left, and lists what is not exact enough.
    #[inline(always)]
    fn locate_rest<S: Simd>(&mut self, rest: &mut OpenHits, are_tetrahedra: [bool; 2], open: &mut OpenHits) {
        let length = rest.positions.len();
        let filled = rest.positions.filled_up(S::Wide::COUNT);
        for (number, positions) in filled.chunks_exact(S::Wide::COUNT).enumerate() {
            let lanes = self.regions_of::<S, false>(positions, are_tetrahedra);
            let real = (length - number * S::Wide::COUNT).min(S::Wide::COUNT);
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

    /// Prefetches the frames of the first hits of a list.
    #[inline(always)]
    fn prefetch(&self, positions: &[u16], count: usize) {
        let [a_rows, b_rows] = self.rows;
        for &position in positions.iter().take(count) {
            let [i, j] = self.pairs[usize::from(position) % CHUNK];
            a_rows.prefetch(i);
            b_rows.prefetch(j);
        }
    }

    /// Reads the frames of A and of B of a group of hits.
    #[inline(always)]
    fn gather<S: Simd>(
        &self,
        positions: &[u16],
        a: &mut FrameLanes<D, S::Wide>,
        b: &mut FrameLanes<D, S::Wide>,
    ) {
        let mut numbers = [[0; MOST_LANES]; 2];
        for (lane, &position) in positions.iter().enumerate() {
            let [i, j] = self.pairs[usize::from(position) % CHUNK];
            (numbers[0][lane], numbers[1][lane]) = (i, j);
        }
        self.rows[0].gather_to(&numbers[0][..S::Wide::COUNT], a);
        self.rows[1].gather_to(&numbers[1][..S::Wide::COUNT], b);
    }

    /// The regions of a group, the first or the second time.
    #[inline(always)]
    fn regions_of<S: Simd, const AGAIN: bool>(
        &self,
        positions: &[u16],
        are_tetrahedra: [bool; 2],
    ) -> RegionLanes<S::Wide, D> {
        let (mut a, mut b) = (FrameLanes::ZERO, FrameLanes::ZERO);
        self.gather::<S>(positions, &mut a, &mut b);
        let (a, b) = (&a, &b);
        let tolerances = if self.single { Tolerances::OF_SINGLES } else { Tolerances::OF_DOUBLES };
        let (duration, wanted) = (self.sets.duration, self.wanted());
        let regions = RegionsOf { a, b, are_tetrahedra, duration, wanted, tolerances };
        if AGAIN { regions.run_again::<S>() } else { regions.run::<S>() }
    }

    /// Locates what is left open once more, and what still is not exact enough one by one; the number of these.
    #[inline(always)]
    fn locate_again<S: Simd>(&mut self, open: &mut OpenHits, are_tetrahedra: [bool; 2]) -> u32 {
        let mut redone = 0;
        let length = open.positions.len();
        let filled = open.positions.filled_up(S::Wide::COUNT);
        for (number, positions) in filled.chunks_exact(S::Wide::COUNT).enumerate() {
            let lanes = self.regions_of::<S, true>(positions, are_tetrahedra);
            let real = (length - number * S::Wide::COUNT).min(S::Wide::COUNT);
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
    fn complete<B: Lanes<Number = f64>>(
        &mut self,
        position: usize,
        missing: Wanted,
        lanes: &RegionLanes<B, D>,
        lane: usize,
    ) -> bool {
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

    /// Writes what is requested of a group of hits. A group that is not full holds its last hit several times.
    #[inline(always)]
    fn write<B: Lanes<Number = f64>>(&mut self, group: &[u16], lanes: &RegionLanes<B, D>) {
        let duration = B::splat(self.sets.duration.unwrap_or(0.0));
        let times = each!(end in [0, 1] => lanes.times[end] * duration);
        write_times(self.times, group, times);
        write_boxes(self.boxes, group, &lanes.world);
        write_boxes(self.local_boxes, group, &lanes.local);
    }

    /// The same in single precision.
    #[inline(always)]
    fn write_singles<L: Lanes<Number = f32>>(&mut self, group: &[u16], lanes: &SingleRegions<L, D>) {
        write_times(self.times, group, lanes.times);
        write_boxes(self.boxes, group, &lanes.world);
        write_boxes(self.local_boxes, group, &lanes.local);
    }
}

/// Writes the times of a group of hits, unless times are not requested.
#[inline(always)]
fn write_times<L: Lanes>(times: &mut [[f64; 2]], group: &[u16], [first, last]: [L; 2]) {
    if times.is_empty() {
        return;
    }
    L::for_each_row(
        [first, last, L::ZERO, L::ZERO],
        #[inline(always)]
        |lane, row| times[usize::from(group[lane])] = [row[0].widen(), row[1].widen()],
    );
}

/// Writes the boxes of a group of hits, unless boxes are not requested.
#[inline(always)]
fn write_boxes<L: Lanes, const D: usize>(boxes: &mut [Aabb<D>], group: &[u16], ends: &[[L; 2]; D]) {
    if boxes.is_empty() {
        return;
    }
    write_ends(boxes, group, 0, each!(number in [0, 1, 2, 3] => ends[number % D][number / D]));
    if D == 3 {
        write_ends(boxes, group, 4, [ends[1][1], ends[2 % D][1], L::ZERO, L::ZERO]);
    }
}

/// Writes up to four of the numbers of boxes, from a number on.
#[inline(always)]
fn write_ends<L: Lanes, const D: usize>(boxes: &mut [Aabb<D>], group: &[u16], from: usize, ends: [L; 4]) {
    L::for_each_row(
        ends,
        #[inline(always)]
        |lane, row| {
            let aabb = &mut boxes[usize::from(group[lane])];
            for number in from..(from + 4).min(2 * D) {
                let end = if number < D { &mut aabb.min[number] } else { &mut aabb.max[number - D] };
                *end = row[number - from].widen();
            }
        },
    );
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

fn put<T>(values: &mut [T], position: usize, is_new: bool, value: T) {
    if is_new {
        values[position] = value;
    }
}
