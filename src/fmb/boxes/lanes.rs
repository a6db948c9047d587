//! Four pairs of frames at once, by bounds: a kernel without branches would have to compute all of the many vertices that
//! the scalar twin chooses from.

use super::Region;
use super::bounds::Bodies;
use super::layout::BodyLayout;
use super::relative::{LinearQuantity, Relation, RelativeBody, along};
use crate::frames::lanes::FrameLanes;
use crate::frames::{Frame, FrameKind};
use crate::geometry::Aabb;
use crate::soa::lanes::{Block, bits, le, max, min, splat};

/// What is to be computed of an overlap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) times: bool,
    pub(crate) world: bool,
    pub(crate) local: bool,
}

/// [`Region`](super::Region) of four pairs; of each interval the lower end, then the upper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegionLanes<const D: usize> {
    /// Set in the lanes whose outcome is valid. The scalar twin must compute the others.
    pub(crate) found: Block,
    /// In units of the duration; 0 for frames at rest, undefined if not wanted.
    pub(crate) times: [Block; 2],
    /// In metres; undefined if not wanted.
    pub(crate) world: [[Block; 2]; D],
    /// In the coordinates X of B; undefined if not wanted.
    pub(crate) local: [[Block; 2]; D],
}

/// When and where four pairs of frames that are known to intersect overlap, with the duration as the unit of time.
#[inline(never)]
pub(crate) fn region_lanes<const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
    a: &FrameLanes<D>,
    b: &FrameLanes<D>,
    wanted: Wanted,
) -> RegionLanes<D> {
    let (a_layout, b_layout) = (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
    let pair = Relation::new(a, b);
    let a_from_b = RelativeBody::new(a_layout, b_layout, b, a, &pair, 1.0);
    // For two bodies of the plane at rest A in the coordinates of B is enough.
    let b_from_a = if D == 2 && !MOVING {
        RelativeBody::EMPTY
    } else {
        RelativeBody::new(b_layout, a_layout, a, b, &pair, -1.0)
    };
    // Only rows that are indexed at run time need a place in memory.
    let local_of_a = wanted.local.then_some([a_from_b.rows[0], a_from_b.rows[1], a_from_b.rows[D - 1]]);
    let mut found = a_from_b.in_range & b_from_a.in_range;
    let bodies = Bodies::new::<D, A_TET, B_TET, MOVING>(a_from_b, b_from_a, wanted.world || wanted.local);

    let nothing = [Block::ZERO; 2];
    let mut region = RegionLanes { found, times: nothing, world: [nothing; D], local: [nothing; D] };
    if MOVING && wanted.times {
        let times = bodies.times::<D, A_TET, B_TET>();
        found &= le(times[0], times[1]);
        region.times = clamped(times);
    }
    // These loops are not unrolled: the code for one axis is long.
    if wanted.world {
        for axis in 0..D {
            let of_a =
                LinearQuantity::new(a_layout, Block::ZERO, &along(&a.components, axis), a.velocity[axis]);
            let of_b = LinearQuantity::new(
                b_layout,
                -pair.offset[axis],
                &along(&b.components, axis),
                b.velocity[axis],
            );
            let ends = bodies.range::<D, A_TET, B_TET, MOVING>(&of_a, &of_b);
            found &= le(ends[0], ends[1]);
            region.world[axis] = [ends[0] + a.origin[axis], ends[1] + a.origin[axis]];
        }
    }
    if let Some(local_of_a) = &local_of_a {
        for axis in 0..D {
            let mut unit = [Block::ZERO; D];
            unit[axis] = Block::ONE;
            let of_b = LinearQuantity::new(b_layout, splat(-0.5), &unit, Block::ZERO);
            let ends = bodies.range::<D, A_TET, B_TET, MOVING>(&local_of_a[axis], &of_b);
            found &= le(ends[0], ends[1]);
            region.local[axis] = clamped([ends[0] + splat(0.5), ends[1] + splat(0.5)]);
        }
    }
    region.found = found;
    region
}

/// The same for one pair; `None` if the scalar twin must compute it.
pub(super) fn region_of_pair<const D: usize>(
    a: &Frame<D>,
    b: &Frame<D>,
    duration: Option<f64>,
    wanted: Wanted,
) -> Option<Region<D>> {
    let [mut one, mut two] = [a, b].map(FrameLanes::of_one);
    let seconds = duration.unwrap_or(0.0);
    one.measure_time_in(seconds);
    two.measure_time_in(seconds);
    let is_tetrahedron = [a, b].map(|frame| frame.kind == FrameKind::Tetrahedron);
    let kernel = match (is_tetrahedron, duration.is_some()) {
        ([false, false], false) => region_lanes::<D, false, false, false>,
        ([false, true], false) => region_lanes::<D, false, true, false>,
        ([true, false], false) => region_lanes::<D, true, false, false>,
        ([true, true], false) => region_lanes::<D, true, true, false>,
        ([false, false], true) => region_lanes::<D, false, false, true>,
        ([false, true], true) => region_lanes::<D, false, true, true>,
        ([true, false], true) => region_lanes::<D, true, false, true>,
        ([true, true], true) => region_lanes::<D, true, true, true>,
    };
    kernel(&one, &two, wanted).lane(0, seconds)
}

impl<const D: usize> RegionLanes<D> {
    /// The outcome of one lane, if it is valid, for a motion of `duration` seconds.
    pub(super) fn lane(&self, lane: usize, duration: f64) -> Option<Region<D>> {
        let number = |block: Block| block.to_array()[lane];
        let aabb = |ends: &[[Block; 2]; D]| Aabb {
            min: ends.map(|[lo, _]| number(lo)),
            max: ends.map(|[_, hi]| number(hi)),
        };
        let region = || Region {
            times: self.times.map(|time| number(time) * duration),
            world: aabb(&self.world),
            local: aabb(&self.local),
        };
        (bits(self.found) >> lane & 1 == 1).then(region)
    }
}

#[inline(always)]
fn clamped([lo, hi]: [Block; 2]) -> [Block; 2] {
    let clamp = |x: Block| max(min(x, Block::ONE), Block::ZERO);
    [clamp(lo), clamp(hi)]
}
