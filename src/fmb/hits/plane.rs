//! Parallelograms and triangles.
//!
//! What can separate them is a direction across an edge of one of them, or across the relative way. Across n a point x
//! lies at x0 n1 - x1 n0, and all that the conditions need are these products of the edges of A and B, of the
//! offset and of the way with each other; none is divided by anything, so that the bounds of rounding are simple.

use super::rounding::{Class, Precision, verdict, within_plane};
use super::{CUBOIDS, Common, MIXED, Side, Span, Verdict, gap_between, minor, total_way};
use crate::soa::lanes::each;

#[inline(always)]
pub(super) fn decide<L: Precision, const MOVING: bool, const KINDS: u8>(
    a: Side<L, 2>,
    b: Side<L, 2>,
    common: Common<L>,
) -> Verdict {
    let pair = Pair::new::<MOVING, KINDS>(a, b, common);
    let products = Products::of(&pair);
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
fn across<L: Precision>(x: Vector<L>, n: Vector<L>) -> L {
    minor(x[0], n[1], x[1], n[0])
}

/// The largest gap in each class of directions: across the edges of A, of B, and across the way.
type Gaps<L> = [L; 3];

/// Two frames; both are taken twice as large if one is a parallelogram, whose edges then reach from its centre to
/// both sides.
struct Pair<L> {
    a: [Vector<L>; 2],
    b: [Vector<L>; 2],
    /// From the centre of a parallelogram A, or the origin of a triangle A, to that of B at mid-time.
    offset: Vector<L>,
    /// How far B is swept to both sides.
    way: Vector<L>,
    /// Set where the frames do not move relative to each other.
    rests: L,
    /// Upper bounds of the norms of the edges of A, of B, and of the way.
    sizes: [L; 3],
    /// Upper bound of all lengths together.
    reach: L,
}

impl<L: Precision> Pair<L> {
    #[inline(always)]
    fn new<const MOVING: bool, const KINDS: u8>(
        (a, of_a): Side<L, 2>,
        (b, of_b): Side<L, 2>,
        Common { durations, slack }: Common<L>,
    ) -> Self {
        let half = L::splat(0.5);
        let ([a0, a1], [b0, b1]) = (a.components, b.components);
        let gap = each!(axis in [0, 1] => gap_between(a, b, axis));
        let motion = each!(axis in [0, 1] => b.way[axis] * durations[1] - a.way[axis] * durations[0]);
        let shift = |axis: usize, from: L| if MOVING { from + motion[axis] } else { from };
        let offset = each!(axis in [0, 1] => match KINDS {
            CUBOIDS => {
                let ends = (b0[axis] + b1[axis]) - (a0[axis] + a1[axis]);
                shift(axis, (gap[axis] + gap[axis]) + ends)
            }
            MIXED => shift(axis, (gap[axis] + gap[axis]) - (a0[axis] + a1[axis])),
            _ if MOVING => half.fused(motion[axis], gap[axis]),
            _ => gap[axis],
        });
        let twice = |v: Vector<L>| [v[0] + v[0], v[1] + v[1]];
        let is_doubled = KINDS == MIXED;
        let ways = if MOVING { total_way([of_a, of_b], durations) } else { L::ZERO };
        let sizes = [of_a.edge, if is_doubled { of_b.edge + of_b.edge } else { of_b.edge }, ways];
        Self {
            a: a.components,
            b: if is_doubled { [twice(b0), twice(b1)] } else { b.components },
            offset,
            way: if KINDS <= MIXED { motion } else { [motion[0] * half, motion[1] * half] },
            rests: (motion[0] | motion[1]).abs().le(L::ZERO),
            sizes,
            reach: (sizes[0] + sizes[1]) + ((gap[0].abs() + gap[1].abs()) + (ways + slack)),
        }
    }

    #[inline(always)]
    fn conclude<const MOVING: bool>(&self, gaps: Gaps<L>) -> Verdict {
        let bounds = within_plane(self.reach, self.sizes);
        let [of_a, of_b, of_way] = each!(n in [0, 1, 2] => Class { gap: gaps[n], bound: bounds[n] });
        if MOVING { verdict([of_a, of_b, of_way.unless(self.rests)]) } else { verdict([of_a, of_b]) }
    }
}

/// The products of all that is in a [`Pair`], each with a direction last.
struct Products<L> {
    area_a: L,
    area_b: L,
    /// `b_a[i][j]`: edge j of B across edge i of A.
    b_a: [[L; 2]; 2],
    offset_a: [L; 2],
    offset_b: [L; 2],
    way_a: [L; 2],
    way_b: [L; 2],
    way_offset: L,
}

impl<L: Precision> Products<L> {
    #[inline(always)]
    fn of(&Pair { a, b, offset, way, .. }: &Pair<L>) -> Self {
        Self {
            area_a: across(a[0], a[1]),
            area_b: across(b[0], b[1]),
            b_a: each!(i in [0, 1] => each!(j in [0, 1] => across(b[j], a[i]))),
            offset_a: each!(i in [0, 1] => across(offset, a[i])),
            offset_b: each!(j in [0, 1] => across(offset, b[j])),
            way_a: each!(i in [0, 1] => across(way, a[i])),
            way_b: each!(j in [0, 1] => across(way, b[j])),
            way_offset: across(way, offset),
        }
    }

    /// A body of a centre and a reach, with what the way adds to it.
    #[inline(always)]
    fn swept<const MOVING: bool>(reach: L, way: L) -> L {
        if MOVING { reach + way.abs() } else { reach }
    }

    #[inline(always)]
    fn two_parallelograms<const MOVING: bool>(&self) -> Gaps<L> {
        let seen = each!(i in [0, 1] => each!(j in [0, 1] => self.b_a[i][j].abs()));
        let (area_a, area_b) = (self.area_a.abs(), self.area_b.abs());
        let of_a = each!(i in [0, 1] => {
            let reach = Self::swept::<MOVING>(area_a + (seen[i][0] + seen[i][1]), self.way_a[i]);
            self.offset_a[i].abs() - reach
        });
        let of_b = each!(j in [0, 1] => {
            let reach = Self::swept::<MOVING>(area_b + (seen[0][j] + seen[1][j]), self.way_b[j]);
            self.offset_b[j].abs() - reach
        });
        let sum = |v: [L; 2]| v[0].abs() + v[1].abs();
        let of_way = self.way_offset.abs() - (sum(self.way_a) + sum(self.way_b));
        [of_a[0].max(of_a[1]), of_b[0].max(of_b[1]), of_way]
    }

    /// Places across the three edges b0, b1 and b1 - b0 of a triangle B: where the middle of what it covers lies, and one of
    /// the ends from there.
    #[inline(always)]
    fn middles_of_b(&self) -> ([L; 3], L) {
        let half = self.area_b * L::splat(0.5);
        let [u, v] = self.offset_b;
        ([u - half, v + half, (v - u) + half], half.abs())
    }

    /// Numbers seen across two edges of a triangle, seen across all three.
    #[inline(always)]
    fn with_diagonal([u, v]: [L; 2]) -> [L; 3] {
        [u, v, v - u]
    }

    #[inline(always)]
    fn parallelogram_and_triangle<const MOVING: bool>(&self) -> Gaps<L> {
        let area_a = self.area_a.abs();
        let of_a = each!(i in [0, 1] => {
            let [u, v] = self.b_a[i];
            let reach = Self::swept::<MOVING>(area_a, self.way_a[i]);
            Span::of_zero_and(u, v).moved(self.offset_a[i]).gap_to_centred(reach)
        });
        let (middles, half) = self.middles_of_b();
        let (a0, a1) = (Self::with_diagonal(self.b_a[0]), Self::with_diagonal(self.b_a[1]));
        let ways = Self::with_diagonal(self.way_b);
        let of_b = each!(e in [0, 1, 2] => {
            let reach = Self::swept::<MOVING>(half + (a0[e].abs() + a1[e].abs()), ways[e]);
            middles[e].abs() - reach
        });
        let [u, v] = self.way_b;
        let reach = self.way_a[0].abs() + self.way_a[1].abs();
        let of_way = Span::of_zero_and(u, v).moved(self.way_offset).gap_to_centred(reach);
        [of_a[0].max(of_a[1]), largest(of_b), of_way]
    }

    #[inline(always)]
    fn two_triangles<const MOVING: bool>(&self) -> Gaps<L> {
        let half_a = self.area_a * L::splat(0.5);
        let [u, v] = self.offset_a;
        let middles_a = [u + half_a, v - half_a, (v - u) - half_a];
        let (middles_b, half_b) = self.middles_of_b();
        let half_a = half_a.abs();
        let [[b0_a0, b1_a0], [b0_a1, b1_a1]] = self.b_a;
        // Seen from the middle of one triangle the other one, or its mirror image, has these two edges.
        let (b0, b1) = (Self::with_diagonal([b0_a0, b0_a1]), Self::with_diagonal([b1_a0, b1_a1]));
        let (a0, a1) = (Self::with_diagonal([b0_a0, b1_a0]), Self::with_diagonal([b0_a1, b1_a1]));
        let (ways_a, ways_b) = (Self::with_diagonal(self.way_a), Self::with_diagonal(self.way_b));
        let of_a = each!(e in [0, 1, 2] => {
            let reach = Self::swept::<MOVING>(half_a, ways_a[e]);
            Span::of_zero_and(b0[e], b1[e]).moved(middles_a[e]).gap_to_centred(reach)
        });
        let of_b = each!(e in [0, 1, 2] => {
            let reach = Self::swept::<MOVING>(half_b, ways_b[e]);
            Span::of_zero_and(a0[e], a1[e]).moved(middles_b[e]).gap_to_centred(reach)
        });
        let [of_zero_a, of_zero_b] = [self.way_a, self.way_b].map(|[u, v]| Span::of_zero_and(u, v));
        let of_way = of_zero_b.moved(self.way_offset).gap(of_zero_a);
        [largest(of_a), largest(of_b), of_way]
    }
}

#[inline(always)]
fn largest<L: Precision>([a, b, c]: [L; 3]) -> L {
    a.max(b).max(c)
}
