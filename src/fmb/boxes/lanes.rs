//! Four pairs of frames at once, by bounds: a kernel without branches would have to compute all of the many vertices that
//! the scalar twin chooses from.

use super::Region;
use super::bounds::Bodies;
use super::layout::BodyLayout;
use super::relative::{LinearQuantity, Relation, RelativeBody};
use crate::frames::lanes::{FrameLanes, Stored, StoredFrames};
use crate::frames::{Frame, FrameKind};
use crate::geometry::Aabb;
use crate::soa::block::Doubles;
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

/// What is to be computed of an overlap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) times: bool,
    pub(crate) world: bool,
    pub(crate) local: bool,
}

/// When and where four pairs of frames that are known to intersect overlap, with the duration as the unit of time.
#[derive(Clone, Copy)]
pub(crate) struct RegionsOf<'a, const D: usize> {
    pub(crate) a: &'a StoredFrames<D>,
    pub(crate) b: &'a StoredFrames<D>,
    /// Whether the frames of A, and those of B, are tetrahedra.
    pub(crate) are_tetrahedra: [bool; 2],
    pub(crate) is_moving: bool,
    pub(crate) wanted: Wanted,
}

impl<const D: usize> Kernel for RegionsOf<'_, D> {
    type Output = RegionLanes<D>;

    #[inline(always)]
    fn run<S: Simd>(self) -> RegionLanes<D> {
        match (self.are_tetrahedra, self.is_moving) {
            ([false, false], false) => S::call(RegionsOfKinds::<D, false, false, false>(&self)),
            ([false, true], false) => S::call(RegionsOfKinds::<D, false, true, false>(&self)),
            ([true, false], false) => S::call(RegionsOfKinds::<D, true, false, false>(&self)),
            ([true, true], false) => S::call(RegionsOfKinds::<D, true, true, false>(&self)),
            ([false, false], true) => S::call(RegionsOfKinds::<D, false, false, true>(&self)),
            ([false, true], true) => S::call(RegionsOfKinds::<D, false, true, true>(&self)),
            ([true, false], true) => S::call(RegionsOfKinds::<D, true, false, true>(&self)),
            ([true, true], true) => S::call(RegionsOfKinds::<D, true, true, true>(&self)),
        }
    }
}

/// The same for pairs whose frames are known to be tetrahedra or not, and to move or not.
struct RegionsOfKinds<'a, const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
    &'a RegionsOf<'a, D>,
);

impl<const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool> Kernel
    for RegionsOfKinds<'_, D, A_TET, B_TET, MOVING>
{
    type Output = RegionLanes<D>;

    #[inline(always)]
    fn run<S: Simd>(self) -> RegionLanes<D> {
        region_lanes::<S::Block, D, A_TET, B_TET, MOVING>(self.0)
    }
}

/// [`Region`](super::Region) of four pairs; of each interval the lower end, then the upper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegionLanes<const D: usize> {
    /// One bit for each lane whose outcome is valid. The scalar twin must compute the others.
    pub(crate) found: u32,
    /// In units of the duration; 0 for frames at rest, undefined if not wanted.
    pub(crate) times: [Stored; 2],
    /// In metres; undefined if not wanted.
    pub(crate) world: [[Stored; 2]; D],
    /// In the coordinates X of B; undefined if not wanted.
    pub(crate) local: [[Stored; 2]; D],
}

#[inline(always)]
fn region_lanes<B: Doubles, const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
    regions: &RegionsOf<'_, D>,
) -> RegionLanes<D> {
    let (a, b): (&FrameLanes<D, B>, &FrameLanes<D, B>) = (&regions.a.load(), &regions.b.load());
    let wanted = regions.wanted;
    let (a_layout, b_layout) = (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
    let pair = Relation::new(a, b);
    let a_from_b = RelativeBody::new(a_layout, b_layout, b, a, &pair, 1.0);
    // For two bodies of the plane at rest A in the coordinates of B is enough.
    let b_from_a = if D == 2 && !MOVING {
        RelativeBody::empty()
    } else {
        RelativeBody::new(b_layout, a_layout, a, b, &pair, -1.0)
    };
    // Only rows that are indexed at run time need a place in memory.
    let local_of_a = wanted.local.then_some([a_from_b.rows[0], a_from_b.rows[1], a_from_b.rows[D - 1]]);
    let mut found = a_from_b.in_range & b_from_a.in_range;
    let bodies = Bodies::new::<D, A_TET, B_TET, MOVING>(a_from_b, b_from_a, wanted.world || wanted.local);

    let nothing = [Stored::ZERO; 2];
    let mut region = RegionLanes { found: 0, times: nothing, world: [nothing; D], local: [nothing; D] };
    if MOVING && wanted.times {
        let times = bodies.times::<D, A_TET, B_TET>();
        found &= times[0].le(times[1]);
        region.times = stored(clamped(times));
    }
    // These loops are not unrolled: the code for one axis is long.
    if wanted.world {
        for axis in 0..D {
            // From memory, because the axis is not known at compile time.
            let (origin, components, velocity) = regions.a.along(axis);
            let of_a = LinearQuantity::new(a_layout, B::ZERO, &components, velocity);
            let (_, components, velocity) = regions.b.along(axis);
            let of_b = LinearQuantity::new(b_layout, -pair.offset[axis], &components, velocity);
            let ends = bodies.range::<D, A_TET, B_TET, MOVING>(&of_a, &of_b);
            found &= ends[0].le(ends[1]);
            region.world[axis] = stored([ends[0] + origin, ends[1] + origin]);
        }
    }
    if let Some(local_of_a) = &local_of_a {
        for axis in 0..D {
            let mut unit = [B::ZERO; D];
            unit[axis] = B::ONE;
            let of_b = LinearQuantity::new(b_layout, B::splat(-0.5), &unit, B::ZERO);
            let ends = bodies.range::<D, A_TET, B_TET, MOVING>(&local_of_a[axis], &of_b);
            found &= ends[0].le(ends[1]);
            region.local[axis] = stored(clamped([ends[0] + B::splat(0.5), ends[1] + B::splat(0.5)]));
        }
    }
    region.found = found.bits();
    region
}

/// The same for one pair; `None` if the scalar twin must compute it.
pub(super) fn region_of_pair<const D: usize>(
    a: &Frame<D>,
    b: &Frame<D>,
    duration: Option<f64>,
    wanted: Wanted,
) -> Option<Region<D>> {
    level::run(RegionOfPair { a, b, duration, wanted })
}

struct RegionOfPair<'a, const D: usize> {
    a: &'a Frame<D>,
    b: &'a Frame<D>,
    duration: Option<f64>,
    wanted: Wanted,
}

impl<const D: usize> Kernel for RegionOfPair<'_, D> {
    type Output = Option<Region<D>>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Region<D>> {
        let Self { a, b, duration, wanted } = self;
        let are_tetrahedra = [a, b].map(|frame| frame.kind == FrameKind::Tetrahedron);
        let a = &StoredFrames::of(&FrameLanes::<D, S::Block>::of_one(a).measured_in(duration));
        let b = &StoredFrames::of(&FrameLanes::<D, S::Block>::of_one(b).measured_in(duration));
        let regions = RegionsOf { a, b, are_tetrahedra, is_moving: duration.is_some(), wanted };
        regions.run::<S>().lane(0, duration.unwrap_or(0.0))
    }
}

impl<const D: usize> RegionLanes<D> {
    /// The outcome of one lane, if it is valid, for a motion of `duration` seconds.
    pub(super) fn lane(&self, lane: usize, duration: f64) -> Option<Region<D>> {
        let aabb = |ends: &[[Stored; 2]; D]| Aabb {
            min: ends.map(|[lo, _]| lo.0[lane]),
            max: ends.map(|[_, hi]| hi.0[lane]),
        };
        let region = || Region {
            times: self.times.map(|time| time.0[lane] * duration),
            world: aabb(&self.world),
            local: aabb(&self.local),
        };
        (self.found >> lane & 1 == 1).then(region)
    }
}

#[inline(always)]
fn stored<B: Doubles>([lo, hi]: [B; 2]) -> [Stored; 2] {
    [Stored::of(lo), Stored::of(hi)]
}

#[inline(always)]
fn clamped<B: Doubles>([lo, hi]: [B; 2]) -> [B; 2] {
    [lo.min(B::ONE).max(B::ZERO), hi.min(B::ONE).max(B::ZERO)]
}
