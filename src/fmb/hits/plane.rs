//! Parallelograms and triangles.

use super::rounding::{Class, Extent, Lengths, Magnitudes, Precision, verdict};
use super::{CUBOIDS, Common, MIXED, Side, Span, Verdict, gap_between, minor};
use crate::soa::lanes::each;

#[inline(always)]
pub(super) fn decide<L: Precision, const MOVING: bool, const KINDS: u8>(
    a: Side<L, 2>,
    b: Side<L, 2>,
    common: Common<L>,
) -> Verdict {
    let pair = Pair::new::<MOVING, KINDS>(a, b, common);
    let gaps = match KINDS {
        CUBOIDS => pair.two_cuboids::<MOVING>(),
        MIXED => pair.cuboid_and_triangle::<MOVING>(),
        _ => pair.two_triangles::<MOVING>(),
    };
    pair.conclude::<MOVING, KINDS>(gaps)
}

/// The largest gap in each class of directions: across the edges of A, of B, and across the way.
type Gaps<L> = [L; 3];

/// B in the coordinates of A, in which a parallelogram A is [-1, 1]^2 and a triangle A has the corners 0, e0, e1.
struct Pair<L> {
    /// The centre of a parallelogram B, the origin of a triangle B, at mid-time.
    offset: [L; 2],
    /// `edges[axis][j]`: half edges of a parallelogram B, edges of a triangle B.
    edges: [[L; 2]; 2],
    /// Half the relative way.
    way: [L; 2],
    /// Set where the frames do not move relative to each other.
    rests: L,
    magnitudes: Magnitudes<L>,
}

impl<L: Precision> Pair<L> {
    #[inline(always)]
    fn new<const MOVING: bool, const KINDS: u8>(
        (a, of_a): Side<L, 2>,
        (b, of_b): Side<L, 2>,
        Common { duration, slack }: Common<L>,
    ) -> Self {
        let half = L::splat(0.5);
        let [a0, a1] = a.components;
        let [b0, b1] = b.components;
        let gap = each!(axis in [0, 1] => gap_between(a, b, axis));
        let motion = each!(axis in [0, 1] => (b.way[axis] - a.way[axis]) * duration);
        let shift = |axis: usize, from: L| if MOVING { from + motion[axis] } else { from };
        let offset = each!(axis in [0, 1] => match KINDS {
            CUBOIDS => {
                let ends = (b0[axis] + b1[axis]) - (a0[axis] + a1[axis]);
                shift(axis, (gap[axis] + gap[axis]) + ends)
            }
            MIXED => {
                half.fused(shift(axis, L::ZERO - (a0[axis] + a1[axis])), gap[axis])
            }
            _ if MOVING => half.fused(motion[axis], gap[axis]),
            _ => gap[axis],
        });
        let way = if KINDS == CUBOIDS { motion } else { [motion[0] * half, motion[1] * half] };
        // A parallelogram A is two units wide; with two of them everything is taken twice instead.
        let unit = if KINDS == MIXED { 2.0 } else { 1.0 };
        let determinant = minor(a0[0], a1[1], a0[1], a1[0]);
        let reciprocal = L::splat(unit) / determinant;
        let (a0, a1) = ([a0[0] * reciprocal, a0[1] * reciprocal], [a1[0] * reciprocal, a1[1] * reciprocal]);
        // Cramer's rule.
        let seen = |v: [L; 2]| [Self::across(v, a1), Self::across(a0, v)];
        let (e0, e1) = (seen(b0), seen(b1));
        let ways = if MOVING { (of_a.speed + of_b.speed) * duration } else { L::ZERO };
        let lengths = Lengths {
            reach: (of_a.edge + of_b.edge) + ((gap[0].abs() + gap[1].abs()) + (ways + slack)),
            edge: of_b.edge,
            way: ways,
        };
        Self {
            offset: seen(offset),
            edges: [[e0[0], e1[0]], [e0[1], e1[1]]],
            way: if MOVING { seen(way) } else { [L::ZERO; 2] },
            rests: motion[0].abs().max(motion[1].abs()).le(L::ZERO),
            magnitudes: Magnitudes::new(of_a.cofactor, determinant, reciprocal, lengths),
        }
    }

    /// x0 u1 - x1 u0: the position of a point along the normal of a direction u.
    #[inline(always)]
    fn across(x: [L; 2], u: [L; 2]) -> L {
        minor(x[0], u[1], x[1], u[0])
    }

    #[inline(always)]
    fn edge(&self, j: usize) -> [L; 2] {
        [self.edges[0][j], self.edges[1][j]]
    }

    #[inline(always)]
    fn conclude<const MOVING: bool, const KINDS: u8>(&self, [of_a, of_b, of_way]: Gaps<L>) -> Verdict {
        let largest = |v: [L; 2]| v[0].abs().max(v[1].abs());
        let way = if MOVING { largest(self.way) } else { L::ZERO };
        let edge = largest(self.edges[0]).max(largest(self.edges[1]));
        let none = L::ZERO;
        let extent = Extent { offset: largest(self.offset), edge, way, normal: none, swept: none };
        let bounds = self.magnitudes.bounds::<KINDS>(extent);
        let of_a = Class { gap: of_a, bound: bounds.face_a };
        let of_b = Class { gap: of_b, bound: bounds.edges };
        if MOVING {
            verdict([of_a, of_b, Class { gap: of_way, bound: bounds.way_a }.unless(self.rests)])
        } else {
            verdict([of_a, of_b])
        }
    }

    #[inline(always)]
    fn two_cuboids<const MOVING: bool>(&self) -> Gaps<L> {
        let one = L::splat(1.0);
        let of_a = each!(i in [0, 1] => {
            let gap = self.offset[i].abs() - (self.edges[i][0].abs() + self.edges[i][1].abs());
            (if MOVING { gap - self.way[i].abs() } else { gap }) - one
        });
        let area = Self::across(self.edge(0), self.edge(1)).abs();
        let swept =
            each!(j in [0, 1] => if MOVING { Self::across(self.way, self.edge(j)).abs() } else { area });
        let of_b = each!(j in [0, 1] => {
            let [u0, u1] = self.edge(j);
            let gap = Self::across(self.offset, [u0, u1]).abs() - ((u0.abs() + u1.abs()) + area);
            if MOVING { gap - swept[j] } else { gap }
        });
        let [w0, w1] = self.way;
        let of_way =
            Self::across(self.offset, self.way).abs() - ((w0.abs() + w1.abs()) + (swept[0] + swept[1]));
        [of_a[0].max(of_a[1]), of_b[0].max(of_b[1]), of_way]
    }

    /// The edges of a triangle B with what it covers across each of them.
    #[inline(always)]
    fn triangle_edges(&self) -> [([L; 2], Span<L>); 3] {
        let (u, v) = (self.edge(0), self.edge(1));
        let diagonal = [v[0] - u[0], v[1] - u[1]];
        let area = Self::across(u, v);
        let (at_u, at_v) = (Self::across(self.offset, u), Self::across(self.offset, v));
        let span = |at: L, by: L| Span { lo: at + by.min(L::ZERO), hi: at + by.max(L::ZERO) };
        [(u, span(at_u, L::ZERO - area)), (v, span(at_v, area)), (diagonal, span(at_v - at_u, area))]
    }

    /// What a triangle B covers along one axis of A.
    #[inline(always)]
    fn triangle_along(&self, [u, v]: [L; 2], offset: L) -> Span<L> {
        Span::of_zero_and(u, v).moved(offset)
    }

    #[inline(always)]
    fn triangle_across_way(&self) -> Span<L> {
        let [u, v] = each!(j in [0, 1] => Self::across(self.edge(j), self.way));
        Span::of_zero_and(u, v).moved(Self::across(self.offset, self.way))
    }

    #[inline(always)]
    fn cuboid_and_triangle<const MOVING: bool>(&self) -> Gaps<L> {
        let one = L::splat(1.0);
        let edges = self.triangle_edges();
        let of_a = each!(i in [0, 1] => {
            let reach = if MOVING { one + self.way[i].abs() } else { one };
            self.triangle_along(self.edges[i], self.offset[i]).gap_to_centred(reach)
        });
        let of_b = each!(e in [0, 1, 2] => {
            let (u, span) = edges[e];
            let reach = u[0].abs() + u[1].abs();
            let reach = if MOVING { reach + Self::across(self.way, u).abs() } else { reach };
            span.gap_to_centred(reach)
        });
        let of_way = self.triangle_across_way().gap_to_centred(self.way[0].abs() + self.way[1].abs());
        let of_b = (of_b[0].max(of_b[1])).max(of_b[2]);
        [of_a[0].max(of_a[1]), of_b, of_way]
    }

    #[inline(always)]
    fn two_triangles<const MOVING: bool>(&self) -> Gaps<L> {
        let edges = self.triangle_edges();
        let unit = Span { lo: L::ZERO, hi: L::splat(1.0) };
        let sum = |v: [L; 2]| v[0] + v[1];
        let along = |edges: [L; 2], offset: L, way: L| {
            let gap = self.triangle_along(edges, offset).gap(unit);
            if MOVING { gap - way.abs() } else { gap }
        };
        let of_a = [
            along(self.edges[0], self.offset[0], self.way[0]),
            along(self.edges[1], self.offset[1], self.way[1]),
            along([sum(self.edge(0)), sum(self.edge(1))], sum(self.offset), sum(self.way)),
        ];
        // Across u the corners 0, e0, e1 of A lie at 0, u1, -u0.
        let corners = |u: [L; 2]| Span::of_zero_and(u[1], L::ZERO - u[0]);
        let of_b = each!(e in [0, 1, 2] => {
            let (u, span) = edges[e];
            let gap = span.gap(corners(u));
            if MOVING { gap - Self::across(self.way, u).abs() } else { gap }
        });
        let of_way = self.triangle_across_way().gap(corners(self.way));
        let largest = |[a, b, c]: [L; 3]| (a.max(b)).max(c);
        [largest(of_a), largest(of_b), of_way]
    }
}
