//! Where and when the pairs that intersect overlap: a second pass over the hits, for callers who ask for it.

use std::ops::Range;

use super::boxes::lanes::{RegionLanes, Wanted, region_lanes};
use super::boxes::{self, Region};
use super::search::{PairSource, Task};
use crate::frames::{Aabb, FrameKind};
use crate::soa::lanes::{self, Block, LANES, each};
use crate::soa::layout;
use crate::soa::par::Divide;

/// Hits per piece of work of a thread.
pub(super) const CHUNK: usize = 1 << 10;

/// A share of the hits, with room for what is wanted of each; what is not wanted has no room.
pub(super) struct Locate<'a, const D: usize, P> {
    pub(super) task: &'a Task<'a, D>,
    pub(super) source: P,
    /// Numbers of the pairs.
    pub(super) hits: &'a [u32],
    pub(super) times: &'a mut [[f64; 2]],
    pub(super) boxes: &'a mut [Aabb<D>],
    pub(super) local_boxes: &'a mut [Aabb<D>],
}

impl<const D: usize, P: PairSource> Divide for Locate<'_, D, P> {
    fn size(&self) -> usize {
        self.hits.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { task, source, hits, times, boxes, local_boxes } = self;
        let (hits, more_hits) = hits.split_at(at);
        let (times, more_times) = split(times, at);
        let (boxes, more_boxes) = split(boxes, at);
        let (local_boxes, more_local) = split(local_boxes, at);
        (
            Self { task, source, hits, times, boxes, local_boxes },
            Self {
                task,
                source,
                hits: more_hits,
                times: more_times,
                boxes: more_boxes,
                local_boxes: more_local,
            },
        )
    }

    fn work(mut self) {
        let mut list = List::EMPTY;
        let starts = list.sort(self.task, self.source, self.hits);
        if self.task.duration.is_some() {
            self.locate_all::<true>(&list, starts);
        } else {
            self.locate_all::<false>(&list, starts);
        }
    }
}

/// Hits sorted by kinds, in groups of lanes.
struct List {
    /// Where in the share a hit stands.
    positions: [u16; List::ROOM],
    /// Its two frames.
    rows: [[u32; 2]; List::ROOM],
}

impl List {
    /// The last group of each combination of kinds may not be full.
    const ROOM: usize = CHUNK + 4 * LANES;
    const EMPTY: Self = Self { positions: [0; Self::ROOM], rows: [[0; 2]; Self::ROOM] };

    /// Fills in the hits: two cuboids, tetrahedron and cuboid, cuboid and tetrahedron, two tetrahedra. Returns where each
    /// of these starts and where the last ends, in groups; a group that is not full is filled up with its last hit.
    fn sort<const D: usize>(&mut self, task: &Task<D>, source: impl PairSource, hits: &[u32]) -> [usize; 5] {
        let mut unsorted = [[0; 2]; CHUNK];
        let mut combinations = [0_u8; CHUNK];
        let mut counts = [0; 4];
        let (a_kinds, b_kinds) = (task.a.kinds(), task.b.kinds());
        for ((&k, rows), combination) in hits.iter().zip(&mut unsorted).zip(&mut combinations) {
            *rows = source.pair(k as usize);
            let [i, j] = rows.map(|row| row as usize);
            let tetrahedron = |kind: u8| u8::from(kind == FrameKind::Tetrahedron as u8);
            *combination = tetrahedron(a_kinds[i]) + 2 * tetrahedron(b_kinds[j]);
            counts[usize::from(*combination)] += 1;
        }
        let mut starts = [0; 5];
        for (n, count) in counts.iter().enumerate() {
            starts[n + 1] = starts[n] + usize::div_ceil(*count, LANES);
        }
        let mut next = each!(n in [0, 1, 2, 3] => starts[n] * LANES);
        for (position, (rows, combination)) in (0..).zip(unsorted.iter().zip(&combinations)).take(hits.len())
        {
            let place = &mut next[usize::from(*combination & 3)];
            (self.positions[*place], self.rows[*place]) = (position, *rows);
            *place += 1;
        }
        for n in 0..4 {
            for place in next[n]..starts[n + 1] * LANES {
                (self.positions[place], self.rows[place]) = (self.positions[place - 1], self.rows[place - 1]);
            }
        }
        starts
    }

    fn groups(&self, range: Range<usize>) -> Groups<'_> {
        let (positions, rows) = (self.positions.as_chunks().0, self.rows.as_chunks().0);
        Groups { positions: &positions[range.clone()], rows: &rows[range] }
    }
}

/// Groups of hits of the same kinds.
#[derive(Clone, Copy)]
struct Groups<'a> {
    positions: &'a [[u16; LANES]],
    rows: &'a [[[u32; 2]; LANES]],
}

/// Cuts a slice that may have no room at all.
fn split<T>(slice: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    let at = at.min(slice.len());
    slice.split_at_mut(at)
}

impl<const D: usize, P: PairSource> Locate<'_, D, P> {
    fn locate_all<const MOVING: bool>(&mut self, list: &List, [cc, tc, ct, tt, end]: [usize; 5]) {
        self.locate::<false, false, MOVING>(list.groups(cc..tc));
        self.locate::<true, false, MOVING>(list.groups(tc..ct));
        self.locate::<false, true, MOVING>(list.groups(ct..tt));
        self.locate::<true, true, MOVING>(list.groups(tt..end));
    }

    /// Locates hits of the same kinds, four at a time.
    #[inline(never)]
    fn locate<const A_TET: bool, const B_TET: bool, const MOVING: bool>(&mut self, groups: Groups) {
        let wanted = Wanted {
            times: !self.times.is_empty(),
            world: !self.boxes.is_empty(),
            local: !self.local_boxes.is_empty(),
        };
        let duration = self.task.duration.unwrap_or(0.0);
        let (a_set, b_set) = (self.task.a.reader(), self.task.b.reader());
        for (positions, rows) in groups.positions.iter().zip(groups.rows) {
            let group = each!(lane in [0, 1, 2, 3] => usize::from(positions[lane]));
            let mut a = a_set.gather(each!(lane in [0, 1, 2, 3] => rows[lane][0]));
            let mut b = b_set.gather(each!(lane in [0, 1, 2, 3] => rows[lane][1]));
            if MOVING {
                a.move_for(duration);
                b.move_for(duration);
            }
            let lanes = region_lanes::<D, A_TET, B_TET, MOVING>(&a, &b, wanted);
            self.write(group, &lanes);
            let missed = !lanes::bits(lanes.found) & 0xF;
            if missed != 0 {
                self.locate_alone(group, rows, missed);
            }
        }
    }

    /// Writes what is wanted of four hits. A group that is not full holds its last hit several times.
    #[inline(always)]
    fn write(&mut self, group: [usize; LANES], lanes: &RegionLanes<D>) {
        if !self.times.is_empty() {
            let duration = lanes::splat(self.task.duration.unwrap_or(0.0));
            let [first, last] =
                [(lanes.times[0] * duration).to_array(), (lanes.times[1] * duration).to_array()];
            for lane in 0..LANES {
                self.times[group[lane]] = [first[lane], last[lane]];
            }
        }
        write_boxes(self.boxes, group, &lanes.world);
        write_boxes(self.local_boxes, group, &lanes.local);
    }

    /// Does the hits again in whose lanes the kernel has found nothing.
    #[cold]
    fn locate_alone(&mut self, group: [usize; LANES], rows: &[[u32; 2]; LANES], missed: u32) {
        for lane in (0..LANES).filter(|lane| missed >> lane & 1 == 1) {
            let [i, j] = rows[lane];
            let (a, b) = (self.task.a.read(i as usize), self.task.b.read(j as usize));
            let Region { times, world, local } = boxes::region(&a, &b, self.task.duration);
            put(self.times, group[lane], times);
            put(self.boxes, group[lane], world);
            put(self.local_boxes, group[lane], local);
        }
    }
}

/// Writes four boxes, unless there is no room at all.
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
    if let Some(place) = values.get_mut(position) {
        *place = value;
    }
}
