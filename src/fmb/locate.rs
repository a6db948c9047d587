//! Where and when the pairs that intersect overlap: a second pass over the hits, for callers who ask for it.

use super::boxes::lanes::{RegionLanes, Wanted, region_lanes};
use super::boxes::{self, Region};
use super::search::{PairSource, Task};
use crate::frames::packed::FrameLanes;
use crate::frames::{Aabb, FrameKind};
use crate::soa::lanes::{self, Block, LANES, each};
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
        let mut lists = [[0_u16; CHUNK]; 4];
        let mut lengths = [0; 4];
        for (position, &k) in (0..).zip(self.hits) {
            let [i, j] = self.source.pair(k as usize);
            let tetrahedron =
                |kinds: &[u8], row: u32| usize::from(kinds[row as usize] == FrameKind::Tetrahedron as u8);
            let list = tetrahedron(self.task.a.kinds(), i) + 2 * tetrahedron(self.task.b.kinds(), j);
            lists[list][lengths[list]] = position;
            lengths[list] += 1;
        }
        let [cc, tc, ct, tt] = [0, 1, 2, 3].map(|list| &lists[list][..lengths[list]]);
        if self.task.duration.is_some() {
            self.locate::<false, false, true>(cc);
            self.locate::<true, false, true>(tc);
            self.locate::<false, true, true>(ct);
            self.locate::<true, true, true>(tt);
        } else {
            self.locate::<false, false, false>(cc);
            self.locate::<true, false, false>(tc);
            self.locate::<false, true, false>(ct);
            self.locate::<true, true, false>(tt);
        }
    }
}

/// Cuts a slice that may have no room at all.
fn split<T>(slice: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    let at = at.min(slice.len());
    slice.split_at_mut(at)
}

impl<const D: usize, P: PairSource> Locate<'_, D, P> {
    /// Locates the hits at these positions, all of the same kinds, four at a time.
    #[inline(never)]
    fn locate<const A_TET: bool, const B_TET: bool, const MOVING: bool>(&mut self, positions: &[u16]) {
        let wanted = Wanted {
            times: !self.times.is_empty(),
            world: !self.boxes.is_empty(),
            local: !self.local_boxes.is_empty(),
        };
        for group in positions.chunks(LANES) {
            let group = each!(lane in [0, 1, 2, 3] => usize::from(group[lane.min(group.len() - 1)]));
            let rows = each!(lane in [0, 1, 2, 3] => self.source.pair(self.hits[group[lane]] as usize));
            let a = self.frames::<MOVING>(0, each!(lane in [0, 1, 2, 3] => rows[lane][0]));
            let b = self.frames::<MOVING>(1, each!(lane in [0, 1, 2, 3] => rows[lane][1]));
            let lanes = region_lanes::<D, A_TET, B_TET, MOVING>(&a, &b, wanted);
            self.write(group, &lanes);
            let missed = !lanes::bits(lanes.found) & 0xF;
            if missed != 0 {
                self.locate_alone(group, rows, missed);
            }
        }
    }

    /// Four frames of one of the sets, with their ways.
    #[inline(always)]
    fn frames<const MOVING: bool>(&self, set: usize, rows: [u32; LANES]) -> FrameLanes<D> {
        let mut frames = if set == 0 { self.task.a } else { self.task.b }.gather(rows);
        if MOVING {
            let duration = lanes::splat(self.task.duration.unwrap_or(0.0));
            for axis in 0..D {
                frames.way[axis] *= duration;
            }
        }
        frames
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
    fn locate_alone(&mut self, group: [usize; LANES], rows: [[u32; 2]; LANES], missed: u32) {
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
    for lane in 0..LANES {
        let aabb = &mut boxes[group[lane]];
        for (axis, [lo, hi]) in ends.iter().enumerate() {
            (aabb.min[axis], aabb.max[axis]) = (lo.as_array()[lane], hi.as_array()[lane]);
        }
    }
}

fn put<T>(values: &mut [T], position: usize, value: T) {
    if let Some(place) = values.get_mut(position) {
        *place = value;
    }
}
