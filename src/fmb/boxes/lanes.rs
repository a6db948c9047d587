//! As many pairs of frames at once as a register has lanes, by bounds, with bounds of their errors.

use super::bounds::Bodies;
use super::layout::{BodyLayout, ROWS, unrolled};
use super::relative::{Changes, LinearQuantity, RegionBlock, Relation, RelativeBody, largest};
use super::{Region, Tolerances};
use crate::frames::lanes::FrameLanes;
use crate::geometry::Aabb;
use crate::soa::block::Lanes;
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// What is to be computed of an overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) times: bool,
    pub(crate) world: bool,
    pub(crate) local: bool,
}

impl Wanted {
    pub(crate) const NOTHING: Self = Self { times: false, world: false, local: false };

    /// What both want.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            times: self.times & other.times,
            world: self.world & other.world,
            local: self.local & other.local,
        }
    }
}

/// Errors of the sums and products of a coordinate in the world, in units of the magnitudes it is computed from.
const ROUNDINGS: f64 = 8.0 * f64::EPSILON;

/// When and where as many pairs of frames as there are lanes overlap, which are known to intersect.
///
/// The outcome does not depend on the order of a pair, to the bit, but for the local box: within a lane the frames are put
/// into an order of their own.
#[derive(Clone, Copy)]
pub(crate) struct RegionsOf<'a, B, const D: usize> {
    pub(crate) a: &'a FrameLanes<D, B>,
    pub(crate) b: &'a FrameLanes<D, B>,
    /// Whether the frames of A, and those of B, are tetrahedra.
    pub(crate) are_tetrahedra: [bool; 2],
    /// Of the motion in seconds; `None` for frames at rest.
    pub(crate) duration: Option<f64>,
    pub(crate) wanted: Wanted,
    /// What is less exact is unsure.
    pub(crate) tolerances: Tolerances,
}

impl<B: Lanes<Number = f64>, const D: usize> RegionsOf<'_, B, D> {
    /// At a level that has such blocks.
    #[inline(always)]
    pub(crate) fn run<S: Simd>(self) -> RegionLanes<B, D> {
        self.ordered(
            #[inline(always)]
            |of| of.run_for_kinds::<S, false>(),
        )
    }

    /// The same with accurate inverses, and with the errors of those combinations alone that bound a quantity: for what is
    /// unsure otherwise.
    #[inline(always)]
    pub(crate) fn run_again<S: Simd>(self) -> RegionLanes<B, D> {
        self.ordered(
            #[inline(always)]
            |of| of.run_for_kinds::<S, true>(),
        )
    }

    /// Of a cuboid and a tetrahedron the cuboid is first.
    #[inline(always)]
    pub(super) fn ordered<R>(mut self, run: impl FnOnce(OrderedRegions<'_, B, D>) -> R) -> R {
        let is_exchanged = self.are_tetrahedra == [true, false];
        if is_exchanged {
            (self.a, self.b) = (self.b, self.a);
        }
        run(OrderedRegions { regions: &self, is_exchanged })
    }
}

/// The same with the cuboid first.
pub(super) struct OrderedRegions<'a, B, const D: usize> {
    pub(super) regions: &'a RegionsOf<'a, B, D>,
    /// Whether the frames are in another order than the caller's.
    is_exchanged: bool,
}

impl<B: Lanes<Number = f64>, const D: usize> OrderedRegions<'_, B, D> {
    /// With `SLACK` inverses are accurate, and errors are those of the combinations that bound a quantity; without it they are
    /// the largest of all.
    #[inline(always)]
    fn run_for_kinds<S: Simd, const SLACK: bool>(self) -> RegionLanes<B, D> {
        let [a_tet, b_tet] = self.regions.are_tetrahedra;
        match (a_tet | b_tet, a_tet & b_tet, self.regions.duration.is_some()) {
            (false, _, false) => S::call(RegionsOfKinds::<B, D, false, false, false, SLACK>(&self)),
            (true, false, false) => S::call(RegionsOfKinds::<B, D, false, true, false, SLACK>(&self)),
            (true, true, false) => S::call(RegionsOfKinds::<B, D, true, true, false, SLACK>(&self)),
            (false, _, true) => S::call(RegionsOfKinds::<B, D, false, false, true, SLACK>(&self)),
            (true, false, true) => S::call(RegionsOfKinds::<B, D, false, true, true, SLACK>(&self)),
            (true, true, true) => S::call(RegionsOfKinds::<B, D, true, true, true, SLACK>(&self)),
        }
    }
}

/// The same for pairs whose frames are known to be tetrahedra or not, and to move or not.
struct RegionsOfKinds<
    'a,
    B,
    const D: usize,
    const A_TET: bool,
    const B_TET: bool,
    const MOVING: bool,
    const SLACK: bool,
>(&'a OrderedRegions<'a, B, D>);

impl<
    B: Lanes<Number = f64>,
    const D: usize,
    const A_TET: bool,
    const B_TET: bool,
    const MOVING: bool,
    const SLACK: bool,
> Kernel for RegionsOfKinds<'_, B, D, A_TET, B_TET, MOVING, SLACK>
{
    type Output = RegionLanes<B, D>;

    #[inline(always)]
    fn run<S: Simd>(self) -> RegionLanes<B, D> {
        region_lanes::<B, D, A_TET, B_TET, MOVING, SLACK>(self.0)
    }
}

/// One bit for each lane whose outcome may be less exact than promised; 0 for what is not wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsure {
    pub(crate) times: u32,
    pub(crate) world: u32,
    pub(crate) local: u32,
}

impl Unsure {
    pub(super) const NONE: Self = Self { times: 0, world: 0, local: 0 };

    /// The lanes in which anything is unsure.
    #[inline(always)]
    pub(crate) fn any(self) -> u32 {
        self.times | self.world | self.local
    }

    /// What is to be computed again of a lane.
    pub(crate) fn of_lane(self, lane: usize) -> Wanted {
        let is_set = |bits: u32| bits >> lane & 1 == 1;
        Wanted { times: is_set(self.times), world: is_set(self.world), local: is_set(self.local) }
    }
}

/// [`Region`](super::Region) of as many pairs as there are lanes; of each interval the lower end, then the upper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegionLanes<B, const D: usize> {
    pub(crate) unsure: Unsure,
    /// In units of the duration; 0 for frames at rest, undefined if not wanted.
    pub(crate) times: [B; 2],
    /// In metres; undefined if not wanted.
    pub(crate) world: [[B; 2]; D],
    /// In the coordinates X of B; undefined if not wanted.
    pub(crate) local: [[B; 2]; D],
}

impl<B: Lanes<Number = f64>, const D: usize> RegionLanes<B, D> {
    /// The outcome of one lane, for a motion of `duration` seconds.
    pub(crate) fn lane(&self, lane: usize, duration: f64) -> Region<D> {
        let aabb = |ends: &[[B; 2]; D]| Aabb {
            min: ends.map(|[lo, _]| lo.numbers()[lane]),
            max: ends.map(|[_, hi]| hi.numbers()[lane]),
        };
        Region {
            times: self.times.map(|time| time.numbers()[lane] * duration),
            world: aabb(&self.world),
            local: aabb(&self.local),
        }
    }
}

/// Frames of A and of B, in the order in which regions are computed.
pub(super) struct OrderedFrames<B, const D: usize> {
    pub(super) a: FrameLanes<D, B>,
    pub(super) b: FrameLanes<D, B>,
    /// Set where they are in another order than the caller's.
    pub(super) exchanged: B,
}

impl<B: Lanes<Number = f64>, const D: usize> OrderedFrames<B, D> {
    #[inline(always)]
    pub(super) fn new<const MOVING: bool>(of: &OrderedRegions<'_, B, D>, are_alike: bool) -> Self {
        let RegionsOf { a, b, .. } = of.regions;
        if !are_alike {
            return Self { a: **a, b: **b, exchanged: B::mask_of_all(of.is_exchanged) };
        }
        let exchanged = comes_first::<B, D, MOVING>(b, a);
        let (mut first, mut second) = (FrameLanes::ZERO, FrameLanes::ZERO);
        unrolled!(axis in [0, 1, 2] below D => {
            (first.origin[axis], second.origin[axis]) = exchange(exchanged, a.origin[axis], b.origin[axis]);
            for i in 0..D {
                (first.components[i][axis], second.components[i][axis]) =
                    exchange(exchanged, a.components[i][axis], b.components[i][axis]);
            }
            if MOVING {
                (first.velocity[axis], second.velocity[axis]) =
                    exchange(exchanged, a.velocity[axis], b.velocity[axis]);
            }
        });
        Self { a: first, b: second, exchanged }
    }
}

#[inline(always)]
fn exchange<B: Lanes<Number = f64>>(mask: B, a: B, b: B) -> (B, B) {
    (mask.select(b, a), mask.select(a, b))
}

/// The lanes in which the first number that differs is smaller in `one`: of origin, components and velocity.
#[inline(always)]
fn comes_first<B: Lanes<Number = f64>, const D: usize, const MOVING: bool>(
    one: &FrameLanes<D, B>,
    two: &FrameLanes<D, B>,
) -> B {
    let (mut less, mut equal) = (one.origin[0].lt(two.origin[0]), one.origin[0].equals(two.origin[0]));
    if equal.bits() == 0 {
        return less;
    }
    for axis in 1..D {
        compare(&mut less, &mut equal, one.origin[axis], two.origin[axis]);
    }
    for i in 0..D {
        for axis in 0..D {
            compare(&mut less, &mut equal, one.components[i][axis], two.components[i][axis]);
        }
    }
    if MOVING {
        for axis in 0..D {
            compare(&mut less, &mut equal, one.velocity[axis], two.velocity[axis]);
        }
    }
    less
}

/// Adds to `less` the lanes in which all was equal and now the first number is less, and takes from `equal` where they differ.
#[inline(always)]
fn compare<B: Lanes<Number = f64>>(less: &mut B, equal: &mut B, x: B, y: B) {
    *less |= *equal & x.lt(y);
    *equal &= x.equals(y);
}

#[inline(always)]
fn region_lanes<
    B: Lanes<Number = f64>,
    const D: usize,
    const A_TET: bool,
    const B_TET: bool,
    const MOVING: bool,
    const SLACK: bool,
>(
    of: &OrderedRegions<'_, B, D>,
) -> RegionLanes<B, D> {
    let OrderedFrames { a, b, exchanged } = &OrderedFrames::<B, D>::new::<MOVING>(of, A_TET == B_TET);
    let (wanted, duration) = (of.regions.wanted, B::splat(of.regions.duration.unwrap_or(0.0)));
    let Tolerances { times: of_times, boxes: of_boxes, rows: of_rows } = of.regions.tolerances;
    let (a_layout, b_layout) = (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
    let pair = Relation::new::<MOVING>(a, b, duration);
    let a_from_b = RelativeBody::new::<D, SLACK>(a_layout, b_layout, b, a, &pair, [1.0, of_rows]);
    // For boxes in the world of two bodies of the plane at rest A in the coordinates of B is enough.
    let b_from_a = if D == 2 && !MOVING && !wanted.local {
        RelativeBody::empty()
    } else {
        RelativeBody::new::<D, SLACK>(b_layout, a_layout, a, b, &pair, [-1.0, of_rows])
    };
    // Only rows that are indexed at run time need a place in memory.
    let local = if wanted.local { Some(LocalRows::new::<D>(&a_from_b, &b_from_a, *exchanged)) } else { None };
    let for_boxes = wanted.world || wanted.local;
    let bodies = Bodies::new::<D, A_TET, B_TET, MOVING, SLACK>(a_from_b, b_from_a, for_boxes);
    let surely = bodies.overlap_surely::<D, A_TET, B_TET, MOVING>();

    // Where errors of rows are small against what is promised it does not matter if they leave nothing of the overlap.
    let may_be_empty = B::mask_of_all(of_rows <= Tolerances::OF_DOUBLES.rows);

    let nothing = [B::ZERO; 2];
    let mut region =
        RegionLanes { unsure: Unsure::NONE, times: nothing, world: [nothing; D], local: [nothing; D] };
    if MOVING && wanted.times {
        let (times, mut error) = bodies.times::<D, A_TET, B_TET, SLACK>().halved::<SLACK>(may_be_empty);
        if !SLACK {
            let of_time = Changes { in_time: B::ONE, ..Changes::NONE };
            error = bodies.error::<D, A_TET, B_TET, MOVING, true>(&of_time, &of_time);
        }
        region.times = clamped(times);
        region.unsure.times = lanes_without(surely & error.le(B::splat(of_times)));
    }
    // These loops are not unrolled: the code for one axis is long.
    if wanted.world {
        let place = WorldPlace::new::<MOVING>(a, b, &pair, duration);
        let mut worst = B::ZERO;
        if !SLACK {
            let of_a = Changes::in_world(a_layout, a, place.longest_displacement);
            let of_b = Changes::in_world(b_layout, b, place.longest_displacement);
            worst = bodies.error::<D, A_TET, B_TET, MOVING, false>(&of_a, &of_b);
        }
        for axis in 0..D {
            // From memory, because the axis is not known at compile time.
            let (origin, of_a, of_b) = place.along(axis);
            let of_a = LinearQuantity::new(a_layout, B::ZERO, &of_a.0, of_a.1);
            let of_b = LinearQuantity::new(b_layout, -place.offset[axis], &of_b.0, of_b.1);
            let range = bodies.range::<D, A_TET, B_TET, MOVING, SLACK>(&of_a, &of_b, None);
            let (ends, error) = range.halved::<SLACK>(may_be_empty);
            worst = error.max(worst);
            region.world[axis] = [ends[0] + origin, ends[1] + origin];
        }
        let error = worst + place.reach * B::splat(ROUNDINGS);
        region.unsure.world = lanes_without(surely & error.le(place.size * B::splat(of_boxes)));
    }
    if let Some(local) = &local {
        let mut worst = B::ZERO;
        if !SLACK {
            let [of_a, of_b] = local.changes::<D>(a_layout, b_layout);
            worst = bodies.error::<D, A_TET, B_TET, MOVING, false>(&of_a, &of_b);
        }
        for axis in 0..D {
            let [of_a, of_b] = local.along::<D>(a_layout, b_layout, axis);
            let range = bodies.range::<D, A_TET, B_TET, MOVING, SLACK>(&of_a, &of_b, None);
            let (ends, error) = range.halved::<SLACK>(may_be_empty);
            worst = error.max(worst);
            region.local[axis] = clamped([ends[0] + B::splat(0.5), ends[1] + B::splat(0.5)]);
        }
        region.unsure.local = lanes_without(surely & (worst + local.error).le(B::splat(of_boxes)));
    }
    region
}

/// The coordinates of the caller's second frame, in terms of the other frame's edges.
pub(super) struct LocalRows<B> {
    exchanged: B,
    /// Where the frames are in the caller's order.
    of_a: [LinearQuantity<B>; 3],
    /// Where they are exchanged.
    of_b: [LinearQuantity<B>; 3],
    /// Of the rows themselves.
    pub(super) error: B,
}

impl<B: RegionBlock> LocalRows<B> {
    #[inline(always)]
    pub(super) fn new<const D: usize>(a: &RelativeBody<B>, b: &RelativeBody<B>, exchanged: B) -> Self {
        let of_a = [a.rows[0], a.rows[1], a.rows[D - 1]];
        let of_b = [b.rows[0], b.rows[1], b.rows[D - 1]];
        let error = a.errors[0].max(a.errors[1]).max(a.errors[D - 1]);
        let other_error = b.errors[0].max(b.errors[1]).max(b.errors[D - 1]);
        Self { exchanged, of_a, of_b, error: exchanged.select(other_error, error) }
    }

    /// One of them in terms of A and of B.
    #[inline(always)]
    pub(super) fn along<const D: usize>(
        &self,
        a_layout: &BodyLayout,
        b_layout: &BodyLayout,
        axis: usize,
    ) -> [LinearQuantity<B>; 2] {
        let mut unit = [B::ZERO; D];
        unit[axis] = B::ONE;
        let of_a = LinearQuantity::new(a_layout, B::splat(-0.5), &unit, B::ZERO);
        let of_b = LinearQuantity::new(b_layout, B::splat(-0.5), &unit, B::ZERO);
        [
            LinearQuantity::select(self.exchanged, &of_a, &self.of_a[axis]),
            LinearQuantity::select(self.exchanged, &self.of_b[axis], &of_b),
        ]
    }

    /// For each row of A the lanes in which it is the coordinate along an axis.
    #[inline(always)]
    pub(super) fn are_rows(&self, axis: usize) -> [B; ROWS] {
        let mut masks = [B::ZERO; ROWS];
        masks[axis] = self.exchanged;
        masks
    }

    /// Their largest changes in terms of A and of B.
    #[inline(always)]
    fn changes<const D: usize>(&self, a_layout: &BodyLayout, b_layout: &BodyLayout) -> [Changes<B>; 2] {
        let own = Changes::of_own_coordinates::<D>(a_layout);
        let of_a = Changes::select(self.exchanged, &own, &Changes::of_rows::<D>(a_layout, &self.of_a));
        let own = Changes::of_own_coordinates::<D>(b_layout);
        [of_a, Changes::select(self.exchanged, &Changes::of_rows::<D>(b_layout, &self.of_b), &own)]
    }
}

/// Where two frames are and how they move in the world.
struct WorldPlace<B, const D: usize> {
    /// On each axis the origin, the components and the displacement of A, and the same of B.
    a: [(B, [B; D], B); D],
    b: [([B; D], B); D],
    offset: [B; D],
    /// Largest component of either frame.
    size: B,
    longest_displacement: B,
    /// Sum of the magnitudes of all that a coordinate relative to the origin of A is computed from.
    reach: B,
}

impl<B: Lanes<Number = f64>, const D: usize> WorldPlace<B, D> {
    #[inline(always)]
    fn new<const MOVING: bool>(
        a: &FrameLanes<D, B>,
        b: &FrameLanes<D, B>,
        pair: &Relation<B, D>,
        duration: B,
    ) -> Self {
        let zero = B::ZERO;
        let mut place = Self {
            a: [(zero, [zero; D], zero); D],
            b: [([zero; D], zero); D],
            offset: [zero; D],
            size: B::ZERO,
            longest_displacement: B::ZERO,
            reach: B::ZERO,
        };
        unrolled!(axis in [0, 1, 2] below D => {
            place.a[axis].0 = a.origin[axis];
            place.offset[axis] = pair.offset[axis];
            for i in 0..D {
                place.a[axis].1[i] = a.components[i][axis];
                place.b[axis].0[i] = b.components[i][axis];
            }
            let mut reach = pair.reach[axis];
            if MOVING {
                let (of_a, of_b) = (a.velocity[axis] * duration, b.velocity[axis] * duration);
                (place.a[axis].2, place.b[axis].1) = (of_a, of_b);
                let longest = of_a.abs().max(of_b.abs());
                place.longest_displacement = longest.max(place.longest_displacement);
                reach += longest;
            }
            place.reach = reach.max(place.reach);
        });
        for i in 0..D {
            place.size = largest(&a.components[i]).max(largest(&b.components[i])).max(place.size);
        }
        place
    }

    /// The origin of A, and components and displacement of A and of B, along an axis.
    #[inline(always)]
    fn along(&self, axis: usize) -> (B, Along<B, D>, Along<B, D>) {
        let ((origin, of_a, by_a), (of_b, by_b)) = (self.a[axis], self.b[axis]);
        (origin, (of_a, by_a), (of_b, by_b))
    }
}

/// The components of a frame and its displacement, along an axis.
type Along<B, const D: usize> = ([B; D], B);

/// One bit for each lane that a mask lacks.
#[inline(always)]
fn lanes_without<B: Lanes<Number = f64>>(mask: B) -> u32 {
    !mask.bits() & ((1 << B::COUNT) - 1)
}

#[inline(always)]
pub(super) fn clamped<B: RegionBlock>([lo, hi]: [B; 2]) -> [B; 2] {
    [lo.min(B::ONE).max(B::ZERO), hi.min(B::ONE).max(B::ZERO)]
}
