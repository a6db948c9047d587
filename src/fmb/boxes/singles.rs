//! As many pairs of frames at once as a register has lanes of single precision: intervals of time and boxes that contain those of
//! the overlap, and exceed them by little (docs/methods/fmb-regions.md, section 5).
//!
//! Each frame is brought into the coordinates of the other in double precision, half of the pairs at once. What follows, by far the
//! larger part, is the same as in double precision, with the errors of those combinations that bound a quantity.

use super::Tolerances;
use super::bounds::Bodies;
use super::lanes::{LocalRows, OrderedFrames, OrderedRegions, RegionsOf, Unsure, Wanted, clamped};
use super::layout::{BodyLayout, each_row, unrolled};
use super::relative::{LinearQuantity, Relation, RelativeBody, largest};
use crate::frames::lanes::FrameLanes;
use crate::geometry::rounding::above;
use crate::soa::block::{Lanes, Mask, Quantity, each};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// How much a box may exceed that of the overlap at each side, in units of the largest component of both frames; in the
/// coordinates of a frame, of its own; and an interval of time, in units of the duration. Roundings of the results come on
/// top.
const LARGEST_EXCESS: f64 = 1e-3;

/// Error of a row, in units of the magnitudes that it is computed from: 16 roundings. It covers 28 roundings of twice the row
/// on the longest way to a bound.
const ROUNDINGS: f64 = 8.0 * f32::EPSILON as f64;

/// Error of a quantity that is bounded, in units of the magnitudes that it is computed from: 20 roundings, for 14 of twice the
/// quantity on the longest way to a bound, and what comes after it.
const ROUNDINGS_OF_RESULT: f64 = 10.0 * f32::EPSILON as f64;

/// Frames whose largest component is larger, or smaller than the inverse, are computed in double precision: here numbers
/// could overflow or lose digits.
const LARGEST_SIZE: f64 = 1e20;

/// No coordinate may be larger, for the same reason.
const FARTHEST: f64 = 1e37;

/// Longer durations in seconds, and those shorter than the inverse, likewise.
const LONGEST_DURATION: f64 = 1e30;

/// Rows of frames with a worse condition have an error in double precision that matters here: more than 4e-7, of three together.
const LARGEST_CONDITION: f64 = 8e6;

/// When and where as many pairs of frames as there are lanes overlap, which are known to intersect and of the same kinds: half
/// of the pairs, and the others.
pub(crate) struct SingleRegionsOf<'a, S: Simd, const D: usize> {
    pub(crate) a: &'a [FrameLanes<D, S::Wide>; 2],
    pub(crate) b: &'a [FrameLanes<D, S::Wide>; 2],
    /// Whether the frames of A, and those of B, are tetrahedra.
    pub(crate) are_tetrahedra: [bool; 2],
    /// Of the motion in seconds; `None` for frames at rest.
    pub(crate) duration: Option<f64>,
    pub(crate) wanted: Wanted,
}

impl<S: Simd, const D: usize> SingleRegionsOf<'_, S, D> {
    #[inline(always)]
    pub(crate) fn run(self) -> SingleRegions<S::Wide32, D> {
        let Self { a, b, are_tetrahedra, duration, wanted } = self;
        let tolerances = Tolerances::OF_SINGLES;
        let [low, high] = each!(half in [0, 1] => {
            RegionsOf { a: &a[half], b: &b[half], are_tetrahedra, duration, wanted, tolerances }
        });
        low.ordered(
            #[inline(always)]
            |low| {
                high.ordered(
                    #[inline(always)]
                    |high| run_for_kinds::<S, D>(&[low, high]),
                )
            },
        )
    }
}

#[inline(always)]
fn run_for_kinds<S: Simd, const D: usize>(
    halves: &[OrderedRegions<'_, S::Wide, D>; 2],
) -> SingleRegions<S::Wide32, D> {
    let [a_tet, b_tet] = halves[0].regions.are_tetrahedra;
    match (a_tet | b_tet, a_tet & b_tet, halves[0].regions.duration.is_some()) {
        (false, _, false) => S::call(OfKinds::<S, D, false, false, false>(halves)),
        (true, false, false) => S::call(OfKinds::<S, D, false, true, false>(halves)),
        (true, true, false) => S::call(OfKinds::<S, D, true, true, false>(halves)),
        (false, _, true) => S::call(OfKinds::<S, D, false, false, true>(halves)),
        (true, false, true) => S::call(OfKinds::<S, D, false, true, true>(halves)),
        (true, true, true) => S::call(OfKinds::<S, D, true, true, true>(halves)),
    }
}

/// Pairs whose frames are known to be tetrahedra or not, and to move or not, at a level.
struct OfKinds<'a, S: Simd, const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
    &'a [OrderedRegions<'a, S::Wide, D>; 2],
);

impl<L: Simd, const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool> Kernel
    for OfKinds<'_, L, D, A_TET, B_TET, MOVING>
{
    type Output = SingleRegions<L::Wide32, D>;

    /// At the level of the kernel itself, which is the one that it is called at.
    #[inline(always)]
    fn run<S: Simd>(self) -> SingleRegions<L::Wide32, D> {
        single_regions::<L, D, A_TET, B_TET, MOVING>(self.0)
    }
}

/// What is wanted of as many pairs as there are lanes; of each interval the lower end, then the upper.
pub(crate) struct SingleRegions<L, const D: usize> {
    pub(crate) unsure: Unsure,
    /// In seconds; undefined for frames at rest or if not wanted.
    pub(crate) times: [L; 2],
    /// In metres; undefined if not wanted.
    pub(crate) world: [[L; 2]; D],
    /// In the coordinates X of B; undefined if not wanted.
    pub(crate) local: [[L; 2]; D],
}

#[inline(always)]
fn single_regions<S: Simd, const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
    halves: &[OrderedRegions<'_, S::Wide, D>; 2],
) -> SingleRegions<S::Wide32, D> {
    let regions = halves[0].regions;
    let (wanted, duration) = (regions.wanted, regions.duration.unwrap_or(0.0));
    let (a_layout, b_layout) = (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
    let halves =
        &each!(half in [0, 1] => Half::<S::Wide, D>::new::<A_TET, B_TET, MOVING>(&halves[half], duration));
    let in_range = halves[0].in_range.bits() | halves[1].in_range.bits() << S::Wide::COUNT;
    let a = narrowed::<S, D>(a_layout, b_layout, [&halves[0].a_from_b, &halves[1].a_from_b]);
    let b = narrowed::<S, D>(b_layout, a_layout, [&halves[0].b_from_a, &halves[1].b_from_a]);
    // Only what is indexed at run time needs a place in memory.
    let place = if wanted.world { Some(Place::new::<S, MOVING>(halves, duration)) } else { None };
    let local = if wanted.local {
        let [low, high] = each!(half in [0, 1] => {
            halves[half].frames.exchanged.select(S::Wide::ONE, S::Wide::ZERO)
        });
        let exchanged = S::to_wide_single(low, high).equals(S::Wide32::ONE);
        Some(LocalRows::new::<D>(&a, &b, exchanged))
    } else {
        None
    };
    let bodies = Bodies::new::<D, A_TET, B_TET, MOVING, true>(a, b, wanted.world || wanted.local);
    let surely = bodies.overlap_surely::<D, A_TET, B_TET, MOVING>();
    let lanes_without = |mask: S::Wide32| !(mask.bits() & in_range) & ((1 << S::Wide32::COUNT) - 1);

    let nothing = [S::Wide32::ZERO; 2];
    let mut region =
        SingleRegions { unsure: Unsure::NONE, times: nothing, world: [nothing; D], local: [nothing; D] };
    let most = S::Wide32::splat(LARGEST_EXCESS);
    if MOVING && wanted.times {
        let ([first, last], excess, known) = bodies.times::<D, A_TET, B_TET, true>().outward();
        let error = S::Wide32::splat(ROUNDINGS_OF_RESULT);
        let times = clamped([first - error, last + error]);
        region.times = in_seconds::<S>(times, duration);
        let is_usual = (1.0 / LONGEST_DURATION..LONGEST_DURATION).contains(&duration);
        let sure = surely & known & (excess + (error + error)).le(most) & S::Wide32::mask_of_all(is_usual);
        region.unsure.times = lanes_without(sure);
    }
    // These loops are not unrolled: the code for one axis is long.
    if let Some(place) = &place {
        let (mut worst, mut known) = (S::Wide32::ZERO, surely);
        let error = place.reach * S::Wide32::splat(ROUNDINGS_OF_RESULT);
        for axis in 0..D {
            let (of_a, of_b) = place.along(axis);
            let of_a = LinearQuantity::new(a_layout, S::Wide32::ZERO, &of_a.0, of_a.1);
            let of_b = LinearQuantity::new(b_layout, -place.offset[axis], &of_b.0, of_b.1);
            let ([lo, hi], excess, is_known) =
                bodies.range::<D, A_TET, B_TET, MOVING, true>(&of_a, &of_b, None).outward();
            (worst, known) = (excess.max(worst), known & is_known);
            region.world[axis] = place.in_world([lo - error, hi + error], axis);
        }
        let excess = worst + (error + error);
        region.unsure.world = lanes_without(known & place.in_range() & excess.le(place.size * most));
    }
    if let Some(local) = &local {
        let (mut worst, mut known) = (S::Wide32::ZERO, surely);
        for axis in 0..D {
            let [of_a, of_b] = local.along::<D>(a_layout, b_layout, axis);
            let are_rows = local.are_rows(axis);
            let range = bodies.range::<D, A_TET, B_TET, MOVING, true>(&of_a, &of_b, Some(&are_rows));
            let ([lo, hi], excess, is_known) = range.outward();
            (worst, known) = (excess.max(worst), known & is_known);
            let middle = S::Wide32::splat(0.5);
            region.local[axis] = clamped([(lo - local.error) + middle, (hi + local.error) + middle]);
        }
        region.unsure.local = lanes_without(known & (worst + (local.error + local.error)).le(most));
    }
    region
}

/// Half of the pairs in double precision.
struct Half<B, const D: usize> {
    frames: OrderedFrames<B, D>,
    pair: Relation<B, D>,
    a_from_b: RelativeBody<B>,
    b_from_a: RelativeBody<B>,
    /// Set where rows are more exact than single precision needs.
    in_range: B,
}

impl<B: Lanes<Number = f64>, const D: usize> Half<B, D> {
    #[inline(always)]
    fn new<const A_TET: bool, const B_TET: bool, const MOVING: bool>(
        of: &OrderedRegions<'_, B, D>,
        duration: f64,
    ) -> Self {
        let (a_layout, b_layout) =
            (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
        let frames = OrderedFrames::<B, D>::new::<MOVING>(of, A_TET == B_TET);
        let OrderedFrames { a, b, .. } = &frames;
        let pair = Relation::new::<MOVING>(a, b, B::splat(duration));
        // What errors of rows may be is in `condition`.
        let [one, minus_one] = [[1.0, f64::INFINITY], [-1.0, f64::INFINITY]];
        let a_from_b = RelativeBody::new::<D, false>(a_layout, b_layout, b, a, &pair, one);
        let b_from_a = RelativeBody::new::<D, false>(b_layout, a_layout, a, b, &pair, minus_one);
        let reach = largest(&pair.reach);
        let limit = B::splat(LARGEST_CONDITION);
        let in_range = condition(a, b_from_a.determinant, reach).lt(limit)
            & condition(b, a_from_b.determinant, reach).lt(limit);
        Self { frames, pair, a_from_b, b_from_a, in_range }
    }
}

/// An upper bound of what errors of the inverse of a frame's components are in proportion to: the magnitudes of the products
/// in its cofactors and in its determinant, in units of the latter and at a distance of `reach`.
#[inline(always)]
fn condition<B: Lanes<Number = f64>, const D: usize>(
    frame: &FrameLanes<D, B>,
    determinant: B,
    reach: B,
) -> B {
    let inverse = B::ONE / determinant;
    let mut norms = [B::ZERO; D];
    unrolled!(i in [0, 1, 2] below D => {
        norms[i] = frame.components[i][0].abs();
        for axis in 1..D {
            norms[i] += frame.components[i][axis].abs();
        }
    });
    let last = norms[D - 1];
    if D == 2 {
        return (norms[0] * last * inverse) * (norms[0].max(last) * reach * inverse);
    }
    let [two, others] = [norms[0] * norms[1], norms[0].max(norms[1]) * last];
    (two * last * inverse) * (two.max(others) * reach * inverse)
}

/// The rows of a body in single precision, and their errors.
#[inline(always)]
fn narrowed<S: Simd, const D: usize>(
    layout: &BodyLayout,
    other_layout: &BodyLayout,
    [low, high]: [&RelativeBody<S::Wide>; 2],
) -> RelativeBody<S::Wide32> {
    let mut relative = RelativeBody::empty();
    each_row!(other_layout, row => {
        let (low, high) = (&low.rows[row], &high.rows[row]);
        let origin = S::to_wide_single(low.origin, high.origin);
        let in_time = S::to_wide_single(low.in_time, high.in_time);
        let mut components = [S::Wide32::ZERO; D];
        let mut magnitude = (origin.abs() + in_time.abs()) + S::Wide32::splat(0.5);
        unrolled!(i in [0, 1, 2] below D => {
            components[i] = S::to_wide_single(low.along[i], high.along[i]);
            magnitude += components[i].abs();
        });
        relative.rows[row] = LinearQuantity::of_middle(layout, origin, &components, in_time);
        relative.errors[row] = magnitude * S::Wide32::splat(ROUNDINGS);
    });
    relative
}

/// Where two frames are and how they move in the world.
struct Place<L, const D: usize> {
    /// On each axis the components and the displacement of A, and the same of B.
    a: [([L; D], L); D],
    b: [([L; D], L); D],
    offset: [L; D],
    /// The origin of A in single precision, and what that lacks.
    origin: [[L; 2]; D],
    /// Largest component of either frame.
    size: L,
    /// Sum of the magnitudes of all that a coordinate relative to the origin of A is computed from.
    reach: L,
    /// Largest coordinate of the origin of A.
    farthest: L,
}

impl<L: Lanes<Number = f32>, const D: usize> Place<L, D> {
    #[inline(always)]
    fn new<S: Simd<Wide32 = L>, const MOVING: bool>(halves: &[Half<S::Wide, D>; 2], duration: f64) -> Self {
        let [low, high] = halves;
        let zero = L::ZERO;
        let mut place = Self {
            a: [([zero; D], zero); D],
            b: [([zero; D], zero); D],
            offset: [zero; D],
            origin: [[zero; 2]; D],
            size: L::ZERO,
            reach: L::ZERO,
            farthest: L::ZERO,
        };
        unrolled!(axis in [0, 1, 2] below D => {
            let offset = S::to_wide_single(low.pair.offset[axis], high.pair.offset[axis]);
            place.offset[axis] = offset;
            let mut reach = offset.abs();
            for i in 0..D {
                let of_a = S::to_wide_single(low.frames.a.components[i][axis], high.frames.a.components[i][axis]);
                let of_b = S::to_wide_single(low.frames.b.components[i][axis], high.frames.b.components[i][axis]);
                (place.a[axis].0[i], place.b[axis].0[i]) = (of_a, of_b);
                place.size = of_a.abs().max(of_b.abs()).max(place.size);
                reach += of_a.abs() + of_b.abs();
            }
            if MOVING {
                let duration = S::Wide::splat(duration);
                let of_a =
                    S::to_wide_single(low.frames.a.velocity[axis] * duration, high.frames.a.velocity[axis] * duration);
                let of_b =
                    S::to_wide_single(low.frames.b.velocity[axis] * duration, high.frames.b.velocity[axis] * duration);
                (place.a[axis].1, place.b[axis].1) = (of_a, of_b);
                reach += of_a.abs() + of_b.abs();
            }
            place.reach = reach.max(place.reach);
            let (low, high) = (low.frames.a.origin[axis], high.frames.a.origin[axis]);
            let origin = S::to_wide_single(low, high);
            let [near_low, near_high] = S::to_wide_double(origin);
            let rest = S::to_wide_single(low - near_low, high - near_high);
            place.origin[axis] = [origin, rest];
            place.farthest = origin.abs().max(place.farthest);
        });
        place
    }

    /// The components and displacement of A and of B along an axis.
    #[inline(always)]
    fn along(&self, axis: usize) -> (([L; D], L), ([L; D], L)) {
        (self.a[axis], self.b[axis])
    }

    /// Ends that are given relative to the origin of A in the world, rounded outward.
    #[inline(always)]
    fn in_world(&self, [lo, hi]: [L; 2], axis: usize) -> [L; 2] {
        let [origin, rest] = self.origin[axis];
        rounded_outward([origin + (lo + rest), origin + (hi + rest)])
    }

    /// The lanes in which all numbers are far from the limits of single precision.
    #[inline(always)]
    fn in_range(&self) -> L {
        self.size.lt(L::splat(LARGEST_SIZE))
            & L::splat(1.0 / LARGEST_SIZE).lt(self.size)
            & self.reach.lt(L::splat(LARGEST_SIZE))
            & self.farthest.lt(L::splat(FARTHEST))
    }
}

/// Ends that were rounded to the nearest number, moved outward by more than that rounding.
#[inline(always)]
fn rounded_outward<L: Lanes<Number = f32>>([lo, hi]: [L; 2]) -> [L; 2] {
    let rounding = L::broadcast(f32::EPSILON);
    [lo - lo.abs() * rounding, hi + hi.abs() * rounding]
}

/// Times in units of the duration as seconds, rounded outward but not beyond the duration.
#[inline(always)]
fn in_seconds<S: Simd>(times: [S::Wide32; 2], duration: f64) -> [S::Wide32; 2] {
    let seconds = each!(end in [0, 1] => {
        let [low, high] = S::to_wide_double(times[end]);
        S::to_wide_single(low * S::Wide::splat(duration), high * S::Wide::splat(duration))
    });
    let last = S::Wide32::broadcast(above(duration));
    let [first, end] = rounded_outward(seconds);
    [first, end.min(last)]
}
