//! Where and when the pairs that intersect overlap: a second pass over the hits, for callers who ask for it.

use super::boxes::lanes::{RegionLanes, Wanted, region_lanes};
use super::boxes::{Region, scalar};
use super::lists::{BLOCK, ListsByKinds};
use super::search::{PairSource, Task};
use crate::frames::rows::RowReader;
use crate::geometry::Aabb;
use crate::soa::bytes;
use crate::soa::lanes::{self, Block, LANES, each};
use crate::soa::layout;
use crate::soa::par::Divide;

/// Hits per piece of work of a thread.
pub(super) const CHUNK: usize = BLOCK;

/// A share of the hits, with room for what is wanted of each; what is not wanted has no room.
pub(super) struct Locate<'a, const D: usize, P> {
    pub(super) task: &'a Task<'a, D>,
    /// Of the frames of A and of those of B.
    pub(super) readers: &'a [RowReader<'a, D>; 2],
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
        let Self { task, readers, source, hits, times, boxes, local_boxes } = self;
        let (hits, more_hits) = hits.split_at(at);
        let (times, more_times) = split(times, at);
        let (boxes, more_boxes) = split(boxes, at);
        let (local_boxes, more_local) = split(local_boxes, at);
        (
            Self { task, readers, source, hits, times, boxes, local_boxes },
            Self {
                task,
                readers,
                source,
                hits: more_hits,
                times: more_times,
                boxes: more_boxes,
                local_boxes: more_local,
            },
        )
    }

    fn work(self) {
        let mut hits = Hits::NONE;
        hits.sort(self.task, self.source, self.hits);
        let Self { task, readers, times, boxes, local_boxes, .. } = self;
        let mut share = Share { task, readers, times, boxes, local_boxes };
        if task.duration.is_some() {
            share.locate_all::<true>(&mut hits);
        } else {
            share.locate_all::<false>(&mut hits);
        }
    }
}

/// Hits sorted by kinds.
struct Hits {
    /// The frames of all.
    rows: [[u32; 2]; CHUNK],
    /// Where in the share they stand.
    lists: ListsByKinds,
}

impl Hits {
    const NONE: Self = Self { rows: [[0; 2]; CHUNK], lists: ListsByKinds::EMPTY };

    fn sort<const D: usize>(&mut self, task: &Task<D>, source: impl PairSource, hits: &[u32]) {
        let (a_kinds, b_kinds) = (task.a.kinds(), task.b.kinds());
        for (from, hits) in (0..).step_by(64).zip(hits[..hits.len().min(CHUNK)].chunks(64)) {
            let mut kinds = [0_u8; 64];
            for ((&k, rows), kinds) in hits.iter().zip(&mut self.rows[from..]).zip(&mut kinds) {
                *rows = source.pair(k as usize);
                let [i, j] = rows.map(|row| row as usize);
                *kinds = a_kinds[i] | b_kinds[j] << 1;
            }
            let all = u64::MAX >> (64 - hits.len());
            let tetrahedra = [1, 2].map(|bit| bytes::bytes_with(&kinds, bit));
            // SAFETY: no more hits than `CHUNK` are sorted.
            unsafe { self.lists.append(all, tetrahedra, from) };
        }
    }

    /// The hits of one combination of kinds.
    fn groups(&mut self, kinds: usize) -> Groups<'_> {
        Groups { rows: &self.rows, positions: self.lists.0[kinds].groups() }
    }
}

/// Groups of hits of the same kinds, the last of which is filled up with its last hit.
#[derive(Clone, Copy)]
struct Groups<'a> {
    rows: &'a [[u32; 2]; CHUNK],
    positions: &'a [[u16; LANES]],
}

impl Groups<'_> {
    /// The frames of a group.
    #[inline(always)]
    fn rows(&self, positions: &[u16; LANES]) -> [[u32; 2]; LANES] {
        each!(lane in [0, 1, 2, 3] => self.rows[usize::from(positions[lane]) % CHUNK])
    }
}

/// Cuts a slice that may have no room at all.
fn split<T>(slice: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    let at = at.min(slice.len());
    slice.split_at_mut(at)
}

/// What a share of the hits needs once they are sorted, wherever they come from.
struct Share<'a, const D: usize> {
    task: &'a Task<'a, D>,
    readers: &'a [RowReader<'a, D>; 2],
    times: &'a mut [[f64; 2]],
    boxes: &'a mut [Aabb<D>],
    local_boxes: &'a mut [Aabb<D>],
}

impl<const D: usize> Share<'_, D> {
    fn locate_all<const MOVING: bool>(&mut self, hits: &mut Hits) {
        self.locate::<false, false, MOVING>(hits.groups(0));
        self.locate::<true, false, MOVING>(hits.groups(1));
        self.locate::<false, true, MOVING>(hits.groups(2));
        self.locate::<true, true, MOVING>(hits.groups(3));
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
        let [a_set, b_set] = self.readers;
        for (number, positions) in groups.positions.iter().enumerate() {
            if let Some(soon) = groups.positions.get(number + 1) {
                for [i, j] in groups.rows(soon) {
                    a_set.prefetch(i);
                    b_set.prefetch(j);
                }
            }
            let rows = groups.rows(positions);
            let mut a = a_set.gather(each!(lane in [0, 1, 2, 3] => rows[lane][0]));
            let mut b = b_set.gather(each!(lane in [0, 1, 2, 3] => rows[lane][1]));
            if MOVING {
                a.move_for(duration);
                b.move_for(duration);
            }
            let group = each!(lane in [0, 1, 2, 3] => usize::from(positions[lane]));
            let lanes = region_lanes::<D, A_TET, B_TET, MOVING>(&a, &b, wanted);
            self.write(group, &lanes);
            let missed = !lanes::bits(lanes.found) & 0xF;
            if missed != 0 {
                self.locate_alone(group, &rows, missed);
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
            let Region { times, world, local } = scalar::region(&a, &b, self.task.duration);
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
