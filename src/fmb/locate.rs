//! When and where the pairs that intersect overlap: a second pass over the hits, if it is requested.

use super::boxes::lanes::{RegionLanes, Wanted, region_lanes};
use super::boxes::{Region, scalar};
use super::pair_lists::{BLOCK, ListsByKinds};
use super::search::{PairSource, TestedSets};
use crate::frames::rows::RowReader;
use crate::geometry::Aabb;
use crate::soa::bytes;
use crate::soa::lanes::{self, Block, LANES, each};
use crate::soa::layout;
use crate::soa::par::Divide;

/// Hits per piece of work of a thread.
pub(super) const CHUNK: usize = BLOCK;

/// A share of the hits, with room for what is requested; a slice of what is not requested is empty.
pub(super) struct LocateHits<'a, const D: usize, P> {
    pub(super) sets: &'a TestedSets<'a, D>,
    /// The frames of A and those of B.
    pub(super) rows: &'a [RowReader<'a, D>; 2],
    pub(super) source: P,
    /// Numbers of the pairs.
    pub(super) hits: &'a [u32],
    pub(super) times: &'a mut [[f64; 2]],
    pub(super) boxes: &'a mut [Aabb<D>],
    pub(super) local_boxes: &'a mut [Aabb<D>],
}

impl<const D: usize, P: PairSource> Divide for LocateHits<'_, D, P> {
    fn size(&self) -> usize {
        self.hits.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { sets, rows, source, hits, times, boxes, local_boxes } = self;
        let (hits, more_hits) = hits.split_at(at);
        let (times, more_times) = split(times, at);
        let (boxes, more_boxes) = split(boxes, at);
        let (local_boxes, more_local) = split(local_boxes, at);
        (
            Self { sets, rows, source, hits, times, boxes, local_boxes },
            Self {
                sets,
                rows,
                source,
                hits: more_hits,
                times: more_times,
                boxes: more_boxes,
                local_boxes: more_local,
            },
        )
    }

    fn work(self) {
        let mut hits = SortedHits::NONE;
        hits.sort(self.sets, self.source, self.hits);
        let Self { sets, rows, times, boxes, local_boxes, .. } = self;
        let mut share = HitRegions { sets, rows, times, boxes, local_boxes };
        if sets.duration.is_some() {
            share.locate_all::<true>(&mut hits);
        } else {
            share.locate_all::<false>(&mut hits);
        }
    }
}

/// Hits sorted by kinds.
struct SortedHits {
    /// The indices of the frames of all hits.
    pairs: [[u32; 2]; CHUNK],
    /// Positions of the hits in the share.
    lists: ListsByKinds,
}

impl SortedHits {
    const NONE: Self = Self { pairs: [[0; 2]; CHUNK], lists: ListsByKinds::EMPTY };

    fn sort<const D: usize>(&mut self, sets: &TestedSets<D>, source: impl PairSource, hits: &[u32]) {
        let (a_kinds, b_kinds) = (sets.a.kinds(), sets.b.kinds());
        for (from, hits) in (0..).step_by(64).zip(hits[..hits.len().min(CHUNK)].chunks(64)) {
            let mut kinds = [0_u8; 64];
            for ((&k, pair), kinds) in hits.iter().zip(&mut self.pairs[from..]).zip(&mut kinds) {
                *pair = source.pair(k as usize);
                let [i, j] = pair.map(|row| row as usize);
                *kinds = a_kinds[i] | b_kinds[j] << 1;
            }
            let all = u64::MAX >> (64 - hits.len());
            let tetrahedra = [1, 2].map(|bit| bytes::bytes_with(&kinds, bit));
            // SAFETY: no more hits than `CHUNK` are sorted.
            unsafe { self.lists.append(all, tetrahedra, from) };
        }
    }

    /// The hits of one combination of kinds.
    fn groups(&mut self, kinds: usize) -> HitGroups<'_> {
        HitGroups { pairs: &self.pairs, positions: self.lists.0[kinds].groups() }
    }
}

/// Groups of hits of the same kinds, the last of which is filled up with its last hit.
#[derive(Clone, Copy)]
struct HitGroups<'a> {
    pairs: &'a [[u32; 2]; CHUNK],
    positions: &'a [[u16; LANES]],
}

impl HitGroups<'_> {
    /// The indices of the frames of a group.
    #[inline(always)]
    fn pairs(&self, positions: &[u16; LANES]) -> [[u32; 2]; LANES] {
        each!(lane in [0, 1, 2, 3] => self.pairs[usize::from(positions[lane]) % CHUNK])
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
    times: &'a mut [[f64; 2]],
    boxes: &'a mut [Aabb<D>],
    local_boxes: &'a mut [Aabb<D>],
}

impl<const D: usize> HitRegions<'_, D> {
    fn locate_all<const MOVING: bool>(&mut self, hits: &mut SortedHits) {
        self.locate::<false, false, MOVING>(hits.groups(0));
        self.locate::<true, false, MOVING>(hits.groups(1));
        self.locate::<false, true, MOVING>(hits.groups(2));
        self.locate::<true, true, MOVING>(hits.groups(3));
    }

    /// Locates hits of the same kinds, four at a time.
    #[inline(never)]
    fn locate<const A_TET: bool, const B_TET: bool, const MOVING: bool>(&mut self, groups: HitGroups) {
        let wanted = Wanted {
            times: !self.times.is_empty(),
            world: !self.boxes.is_empty(),
            local: !self.local_boxes.is_empty(),
        };
        let duration = self.sets.duration.unwrap_or(0.0);
        let [a_rows, b_rows] = self.rows;
        for (number, positions) in groups.positions.iter().enumerate() {
            if let Some(soon) = groups.positions.get(number + 1) {
                for [i, j] in groups.pairs(soon) {
                    a_rows.prefetch(i);
                    b_rows.prefetch(j);
                }
            }
            let pairs = groups.pairs(positions);
            let mut a = a_rows.gather(each!(lane in [0, 1, 2, 3] => pairs[lane][0]));
            let mut b = b_rows.gather(each!(lane in [0, 1, 2, 3] => pairs[lane][1]));
            if MOVING {
                a.measure_time_in(duration);
                b.measure_time_in(duration);
            }
            let group = each!(lane in [0, 1, 2, 3] => usize::from(positions[lane]));
            let lanes = region_lanes::<D, A_TET, B_TET, MOVING>(&a, &b, wanted);
            self.write(group, &lanes);
            let missed = !lanes::bits(lanes.found) & 0xF;
            if missed != 0 {
                self.locate_alone(group, &pairs, missed);
            }
        }
    }

    /// Writes what is requested of four hits. A group that is not full holds its last hit several times.
    #[inline(always)]
    fn write(&mut self, group: [usize; LANES], lanes: &RegionLanes<D>) {
        if !self.times.is_empty() {
            let duration = lanes::splat(self.sets.duration.unwrap_or(0.0));
            let [first, last] =
                [(lanes.times[0] * duration).to_array(), (lanes.times[1] * duration).to_array()];
            for lane in 0..LANES {
                self.times[group[lane]] = [first[lane], last[lane]];
            }
        }
        write_boxes(self.boxes, group, &lanes.world);
        write_boxes(self.local_boxes, group, &lanes.local);
    }

    /// Computes the hits of the lanes in which the kernel has no valid outcome.
    #[cold]
    fn locate_alone(&mut self, group: [usize; LANES], pairs: &[[u32; 2]; LANES], missed: u32) {
        for lane in (0..LANES).filter(|lane| missed >> lane & 1 == 1) {
            let [i, j] = pairs[lane];
            let (a, b) = (self.sets.a.read(i as usize), self.sets.b.read(j as usize));
            let Region { times, world, local } = scalar::region(&a, &b, self.sets.duration);
            put(self.times, group[lane], times);
            put(self.boxes, group[lane], world);
            put(self.local_boxes, group[lane], local);
        }
    }
}

/// Writes four boxes, unless boxes are not requested.
#[inline(always)]
fn write_boxes<const D: usize>(boxes: &mut [Aabb<D>], group: [usize; LANES], ends: &[[Block; 2]; D]) {
    if boxes.is_empty() {
        return;
    }
    let end = |number: usize| ends[number % D][number / D];
    let first = layout::transpose(each!(number in [0, 1, 2, 3] => end(number)));
    let rest = if D == 3 { layout::transpose([end(4), end(5), Block::ZERO, Block::ZERO]) } else { first };
    for lane in 0..LANES {
        let (first, rest) = (first[lane].to_array(), rest[lane].to_array());
        let numbers = |number: usize| if number < LANES { first[number] } else { rest[number - LANES] };
        let aabb = &mut boxes[group[lane]];
        for axis in 0..D {
            (aabb.min[axis], aabb.max[axis]) = (numbers(axis), numbers(D + axis));
        }
    }
}

fn put<T>(values: &mut [T], position: usize, value: T) {
    if let Some(entry) = values.get_mut(position) {
        *entry = value;
    }
}
