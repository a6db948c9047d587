//! Parallelograms and triangles.
//!
//! Only directions across an edge of one of them, or across the relative motion, can separate them. Across n a point x
//! lies at x0 n1 - x1 n0, and the conditions need only these products of the edges of A and B, of the offset and of the
//! sweep with each other. Nothing is divided, so that the rounding bounds are simple.

use super::rounding::{Class, Precision, bounds_in_plane, verdict};
use super::{
    CUBOIDS, MIXED, Projection, SizedFrame, TestScale, Verdict, gap_between, minor, total_displacement,
};
use crate::soa::block::{Lanes, each};

#[inline(always)]
pub(super) fn decide<L: Lanes<Number: Precision>, const MOVING: bool, const KINDS: u8>(
    a: SizedFrame<L, 2>,
    b: SizedFrame<L, 2>,
    scale: TestScale<L>,
) -> Verdict {
    let pair = PlanePair::new::<MOVING, KINDS>(a, b, scale);
    let products = PlaneProducts::of(&pair);
    let gaps = match KINDS {
        CUBOIDS => products.two_parallelograms::<MOVING>(),
        MIXED => products.parallelogram_and_triangle::<MOVING>(),
        _ => products.two_triangles::<MOVING>(),
    };
    pair.conclude::<MOVING>(gaps)
}

type Vector<L> = [L; 2];

/// x0 n1 - x1 n0: where a point x lies across a direction n.
#[inline(always)]
fn across<L: Lanes>(x: Vector<L>, n: Vector<L>) -> L {
    minor(x[0], n[1], x[1], n[0])
}

#[inline(always)]
fn twice<L: Lanes>(v: Vector<L>) -> Vector<L> {
    [v[0] + v[0], v[1] + v[1]]
}

/// The sum of the magnitudes.
#[inline(always)]
fn norm<L: Lanes>(v: [L; 2]) -> L {
    v[0].abs() + v[1].abs()
}

/// The largest gap in each class of directions: across the edges of A, of B, and across the sweep.
type PlaneGaps<L> = [L; 3];

/// Two frames; both are taken twice as large if one is a parallelogram, whose edges then run from its centre to both
/// sides.
struct PlanePair<L> {
    a: [Vector<L>; 2],
    b: [Vector<L>; 2],
    /// From the centre of a parallelogram A, or the origin of a triangle A, to that of B at mid-time.
    offset: Vector<L>,
    /// Half the displacement of B relative to A, by which B is swept to both sides.
    sweep: Vector<L>,
    /// Set where the frames do not move relative to each other.
    at_rest: L,
    /// Upper bounds of the norms of the edges of A, of B, and of both displacements.
    sizes: [L; 3],
    /// Upper bound of the sum of all lengths, R of the rounding bounds.
    total_length: L,
}

impl<L: Lanes<Number: Precision>> PlanePair<L> {
    #[inline(always)]
    fn new<const MOVING: bool, const KINDS: u8>(
        (a, of_a): SizedFrame<L, 2>,
        (b, of_b): SizedFrame<L, 2>,
        TestScale { durations, slack }: TestScale<L>,
    ) -> Self {
        let half = L::splat(0.5);
        let ([a0, a1], [b0, b1]) = (a.components, b.components);
        let gap = each!(axis in [0, 1] => gap_between(a, b, axis));
        let displacement =
            each!(axis in [0, 1] => b.velocity[axis] * durations[1] - a.velocity[axis] * durations[0]);
        let offset = each!(axis in [0, 1] => match KINDS {
            CUBOIDS => {
                let ends = (b0[axis] + b1[axis]) - (a0[axis] + a1[axis]);
                Self::shifted::<MOVING>((gap[axis] + gap[axis]) + ends, displacement[axis])
            }
            MIXED => {
                let ends = a0[axis] + a1[axis];
                Self::shifted::<MOVING>((gap[axis] + gap[axis]) - ends, displacement[axis])
            }
            _ if MOVING => half.fused(displacement[axis], gap[axis]),
            _ => gap[axis],
        });
        let is_doubled = KINDS == MIXED;
        let displacements = if MOVING { total_displacement([of_a, of_b], durations) } else { L::ZERO };
        let sizes = [of_a.edge, if is_doubled { of_b.edge + of_b.edge } else { of_b.edge }, displacements];
        Self {
            a: a.components,
            b: if is_doubled { [twice(b0), twice(b1)] } else { b.components },
            offset,
            sweep: if KINDS <= MIXED {
                displacement
            } else {
                [displacement[0] * half, displacement[1] * half]
            },
            at_rest: (displacement[0] | displacement[1]).abs().le(L::ZERO),
            sizes,
            total_length: (sizes[0] + sizes[1]) + ((gap[0].abs() + gap[1].abs()) + (displacements + slack)),
        }
    }

    /// A coordinate that motion shifts.
    #[inline(always)]
    fn shifted<const MOVING: bool>(from: L, by: L) -> L {
        if MOVING { from + by } else { from }
    }

    #[inline(always)]
    fn conclude<const MOVING: bool>(&self, gaps: PlaneGaps<L>) -> Verdict {
        let bounds = bounds_in_plane(self.total_length, self.sizes);
        let [of_a, of_b, of_sweep] = each!(n in [0, 1, 2] => Class::new(gaps[n], bounds[n]));
        if MOVING { verdict([of_a, of_b, of_sweep.unless(self.at_rest)]) } else { verdict([of_a, of_b]) }
    }
}

/// The products of the vectors of a [`PlanePair`], each with a direction last.
struct PlaneProducts<L> {
    area_a: L,
    area_b: L,
    /// `b_a[i][j]`: edge j of B across edge i of A.
    b_a: [[L; 2]; 2],
    offset_a: [L; 2],
    offset_b: [L; 2],
    sweep_a: [L; 2],
    sweep_b: [L; 2],
    sweep_offset: L,
}

impl<L: Lanes> PlaneProducts<L> {
    #[inline(always)]
    fn of(&PlanePair { a, b, offset, sweep, .. }: &PlanePair<L>) -> Self {
        Self {
            area_a: across(a[0], a[1]),
            area_b: across(b[0], b[1]),
            b_a: each!(i in [0, 1] => each!(j in [0, 1] => across(b[j], a[i]))),
            offset_a: each!(i in [0, 1] => across(offset, a[i])),
            offset_b: each!(j in [0, 1] => across(offset, b[j])),
            sweep_a: each!(i in [0, 1] => across(sweep, a[i])),
            sweep_b: each!(j in [0, 1] => across(sweep, b[j])),
            sweep_offset: across(sweep, offset),
        }
    }

    /// The half width of an interval, with what the sweep adds to it.
    #[inline(always)]
    fn swept<const MOVING: bool>(half_width: L, sweep: L) -> L {
        if MOVING { half_width + sweep.abs() } else { half_width }
    }

    #[inline(always)]
    fn two_parallelograms<const MOVING: bool>(&self) -> PlaneGaps<L> {
        let lengths = each!(i in [0, 1] => each!(j in [0, 1] => self.b_a[i][j].abs()));
        let (area_a, area_b) = (self.area_a.abs(), self.area_b.abs());
        let of_a = each!(i in [0, 1] => {
            let half_width = Self::swept::<MOVING>(area_a + (lengths[i][0] + lengths[i][1]), self.sweep_a[i]);
            self.offset_a[i].abs() - half_width
        });
        let of_b = each!(j in [0, 1] => {
            let half_width = Self::swept::<MOVING>(area_b + (lengths[0][j] + lengths[1][j]), self.sweep_b[j]);
            self.offset_b[j].abs() - half_width
        });
        let of_sweep = self.sweep_offset.abs() - (norm(self.sweep_a) + norm(self.sweep_b));
        [of_a[0].max(of_a[1]), of_b[0].max(of_b[1]), of_sweep]
    }

    /// Across the three edges b0, b1 and b1 - b0 of a triangle B: the middles of the intervals that it covers, and their
    /// half width.
    #[inline(always)]
    fn middles_of_b(&self) -> ([L; 3], L) {
        let half = self.area_b * L::splat(0.5);
        let [u, v] = self.offset_b;
        ([u - half, v + half, (v - u) + half], half.abs())
    }

    /// Positions across all three edges of a triangle, from those across two.
    #[inline(always)]
    fn with_diagonal([u, v]: [L; 2]) -> [L; 3] {
        [u, v, v - u]
    }

    #[inline(always)]
    fn parallelogram_and_triangle<const MOVING: bool>(&self) -> PlaneGaps<L> {
        let area_a = self.area_a.abs();
        let of_a = each!(i in [0, 1] => {
            let [u, v] = self.b_a[i];
            let half_width = Self::swept::<MOVING>(area_a, self.sweep_a[i]);
            Projection::of_zero_and(u, v).moved(self.offset_a[i]).gap_to_centred(half_width)
        });
        let (middles, half) = self.middles_of_b();
        let (a0, a1) = (Self::with_diagonal(self.b_a[0]), Self::with_diagonal(self.b_a[1]));
        let sweeps = Self::with_diagonal(self.sweep_b);
        let of_b = each!(e in [0, 1, 2] => {
            let half_width = Self::swept::<MOVING>(half + (a0[e].abs() + a1[e].abs()), sweeps[e]);
            middles[e].abs() - half_width
        });
        let [u, v] = self.sweep_b;
        let half_width = self.sweep_a[0].abs() + self.sweep_a[1].abs();
        let of_sweep = Projection::of_zero_and(u, v).moved(self.sweep_offset).gap_to_centred(half_width);
        [of_a[0].max(of_a[1]), largest(of_b), of_sweep]
    }

    #[inline(always)]
    fn two_triangles<const MOVING: bool>(&self) -> PlaneGaps<L> {
        let half_a = self.area_a * L::splat(0.5);
        let [u, v] = self.offset_a;
        let middles_a = [u + half_a, v - half_a, (v - u) - half_a];
        let (middles_b, half_b) = self.middles_of_b();
        let half_a = half_a.abs();
        let [[b0_a0, b1_a0], [b0_a1, b1_a1]] = self.b_a;
        // Relative to the middle of one triangle the other one, or its mirror image, has these two edges.
        let (b0, b1) = (Self::with_diagonal([b0_a0, b0_a1]), Self::with_diagonal([b1_a0, b1_a1]));
        let (a0, a1) = (Self::with_diagonal([b0_a0, b1_a0]), Self::with_diagonal([b0_a1, b1_a1]));
        let (sweeps_a, sweeps_b) = (Self::with_diagonal(self.sweep_a), Self::with_diagonal(self.sweep_b));
        let of_a = each!(e in [0, 1, 2] => {
            let half_width = Self::swept::<MOVING>(half_a, sweeps_a[e]);
            Projection::of_zero_and(b0[e], b1[e]).moved(middles_a[e]).gap_to_centred(half_width)
        });
        let of_b = each!(e in [0, 1, 2] => {
            let half_width = Self::swept::<MOVING>(half_b, sweeps_b[e]);
            Projection::of_zero_and(a0[e], a1[e]).moved(middles_b[e]).gap_to_centred(half_width)
        });
        let ([u, v], [x, y]) = (self.sweep_a, self.sweep_b);
        let of_sweep =
            Projection::of_zero_and(x, y).moved(self.sweep_offset).gap(Projection::of_zero_and(u, v));
        [largest(of_a), largest(of_b), of_sweep]
    }
}

#[inline(always)]
fn largest<L: Lanes>([a, b, c]: [L; 3]) -> L {
    a.max(b).max(c)
}
