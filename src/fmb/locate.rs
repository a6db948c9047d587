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
        let wanted = Wanted { world: !self.boxes.is_empty(), local: !self.local_boxes.is_empty() };
        for group in positions.chunks(LANES) {
            let rows = each!(lane in [0, 1, 2, 3] => {
                let position = group[lane.min(group.len() - 1)];
                self.source.pair(self.hits[usize::from(position)] as usize)
            });
            let a = self.frames(0, each!(lane in [0, 1, 2, 3] => rows[lane][0]));
            let b = self.frames(1, each!(lane in [0, 1, 2, 3] => rows[lane][1]));
            let lanes = region_lanes::<D, A_TET, B_TET, MOVING>(&a, &b, wanted);
            self.write(group, rows, &lanes);
        }
    }

    /// Four frames of one of the sets, with their ways.
    #[inline(always)]
    fn frames(&self, set: usize, rows: [u32; LANES]) -> FrameLanes<D> {
        let mut frames = self.task.records[set].gather(rows);
        let duration = lanes::splat(self.task.duration.unwrap_or(0.0));
        frames.way.iter_mut().for_each(|way| *way = *way * duration);
        frames
    }

    #[inline(always)]
    fn write(&mut self, group: &[u16], rows: [[u32; 2]; LANES], lanes: &RegionLanes<D>) {
        let duration = self.task.duration.unwrap_or(0.0);
        let found = lanes::bits(lanes.found);
        let times = lanes.times.map(Block::to_array);
        let world = lanes.world.map(|ends| ends.map(Block::to_array));
        let local = lanes.local.map(|ends| ends.map(Block::to_array));
        for (lane, &position) in group.iter().enumerate() {
            let region = if found >> lane & 1 == 1 {
                let aabb = |ends: &[[[f64; LANES]; 2]; D]| Aabb {
                    min: std::array::from_fn(|axis| ends[axis][0][lane]),
                    max: std::array::from_fn(|axis| ends[axis][1][lane]),
                };
                let times = [times[0][lane] * duration, times[1][lane] * duration];
                Region { times, world: aabb(&world), local: aabb(&local) }
            } else {
                self.region_alone(rows[lane])
            };
            self.put(usize::from(position), &region);
        }
    }

    /// The region of a pair in whose lane the kernel has found nothing.
    #[cold]
    fn region_alone(&self, [i, j]: [u32; 2]) -> Region<D> {
        boxes::region(&self.task.a.read(i as usize), &self.task.b.read(j as usize), self.task.duration)
    }

    #[inline(always)]
    fn put(&mut self, position: usize, region: &Region<D>) {
        if let Some(times) = self.times.get_mut(position) {
            *times = region.times;
        }
        if let Some(aabb) = self.boxes.get_mut(position) {
            *aabb = region.world;
        }
        if let Some(aabb) = self.local_boxes.get_mut(position) {
            *aabb = region.local;
        }
    }
}
