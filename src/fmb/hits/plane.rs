//! Parallelograms and triangles.

use super::{CUBOIDS, Class, MIXED, Magnitudes, Span, Verdict, minor, unless_resting, verdict};
use crate::frames::packed::FrameLanes;
use crate::soa::lanes::{self, Block, each};

#[inline(always)]
pub(super) fn decide<const MOVING: bool, const KINDS: u8>(
    a: &FrameLanes<2>,
    b: &FrameLanes<2>,
    duration: Block,
) -> Verdict {
    let pair = Pair::new::<MOVING, KINDS>(a, b, duration);
    match KINDS {
        CUBOIDS => pair.two_cuboids::<MOVING>(),
        MIXED => pair.cuboid_and_triangle::<MOVING>(),
        _ => pair.two_triangles::<MOVING>(),
    }
}

/// B in the coordinates of A, in which a parallelogram A is [-1, 1]^2 and a triangle A has the corners 0, e0, e1.
struct Pair {
    /// The centre of a parallelogram B, the origin of a triangle B, at mid-time.
    offset: [Block; 2],
    /// `edges[axis][j]`: half edges of a parallelogram B, edges of a triangle B.
    edges: [[Block; 2]; 2],
    /// Half the relative way.
    way: [Block; 2],
    magnitudes: Magnitudes,
}

impl Pair {
    #[inline(always)]
    fn new<const MOVING: bool, const KINDS: u8>(
        a: &FrameLanes<2>,
        b: &FrameLanes<2>,
        duration: Block,
    ) -> Self {
        let half = lanes::splat(0.5);
        let [a0, a1] = a.components;
        let [b0, b1] = b.components;
        let gap = each!(axis in [0, 1] => b.origin[axis] - a.origin[axis]);
        let motion = each!(axis in [0, 1] => (b.way[axis] - a.way[axis]) * duration);
        let shift = |axis: usize, from: Block| if MOVING { from + motion[axis] } else { from };
        let offset = each!(axis in [0, 1] => match KINDS {
            CUBOIDS => {
                let ends = (b0[axis] + b1[axis]) - (a0[axis] + a1[axis]);
                shift(axis, (gap[axis] + gap[axis]) + ends)
            }
            MIXED => {
                lanes::fused(half, shift(axis, Block::ZERO - (a0[axis] + a1[axis])), gap[axis])
            }
            _ if MOVING => lanes::fused(half, motion[axis], gap[axis]),
            _ => gap[axis],
        });
        let way = if KINDS == CUBOIDS { motion } else { [motion[0] * half, motion[1] * half] };
        // A parallelogram A is two units wide; with two of them everything is taken twice instead.
        let unit = if KINDS == MIXED { 2.0 } else { 1.0 };
        let determinant = minor(a0[0], a1[1], a0[1], a1[0]);
        let reciprocal = lanes::splat(unit) / determinant;
        let (a0, a1) = ([a0[0] * reciprocal, a0[1] * reciprocal], [a1[0] * reciprocal, a1[1] * reciprocal]);
        // Cramer's rule.
        let seen = |v: [Block; 2]| [Self::across(v, a1), Self::across(a0, v)];
        let (e0, e1) = (seen(b0), seen(b1));
        let distance = lanes::max(gap[0].abs(), gap[1].abs());
        let way_size = if MOVING { lanes::max(motion[0].abs(), motion[1].abs()) } else { Block::ZERO };
        Self {
            offset: seen(offset),
            edges: [[e0[0], e1[0]], [e0[1], e1[1]]],
            way: if MOVING { seen(way) } else { [Block::ZERO; 2] },
            magnitudes: Magnitudes::new(
                lanes::splat(4.0) * a.size,
                determinant,
                reciprocal,
                (a.size + b.size) + (distance + way_size),
                b.size,
                way_size,
            ),
        }
    }

    /// x0 u1 - x1 u0: the position of a point along the normal of a direction u.
    #[inline(always)]
    fn across(x: [Block; 2], u: [Block; 2]) -> Block {
        minor(x[0], u[1], x[1], u[0])
    }

    #[inline(always)]
    fn edge(&self, j: usize) -> [Block; 2] {
        [self.edges[0][j], self.edges[1][j]]
    }

    #[inline(always)]
    fn conclude<const MOVING: bool>(&self, of_a: Block, of_b: Block, of_way: Block) -> Verdict {
        let Magnitudes { face, edge, way } = self.magnitudes;
        let of_a = Class { gap: of_a, magnitude: face };
        let of_b = Class { gap: of_b, magnitude: face * edge };
        if MOVING {
            let of_way = unless_resting(Class { gap: of_way, magnitude: face * way }, way);
            verdict([of_a, of_b, of_way])
        } else {
            verdict([of_a, of_b])
        }
    }

    #[inline(always)]
    fn two_cuboids<const MOVING: bool>(&self) -> Verdict {
        let one = lanes::splat(1.0);
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
        self.conclude::<MOVING>(lanes::max(of_a[0], of_a[1]), lanes::max(of_b[0], of_b[1]), of_way)
    }

    /// The edges of a triangle B with what it covers across each of them.
    #[inline(always)]
    fn triangle_edges(&self) -> [([Block; 2], Span); 3] {
        let (u, v) = (self.edge(0), self.edge(1));
        let diagonal = [v[0] - u[0], v[1] - u[1]];
        let area = Self::across(u, v);
        let (at_u, at_v) = (Self::across(self.offset, u), Self::across(self.offset, v));
        let span = |at: Block, by: Block| Span {
            lo: at + lanes::min(by, Block::ZERO),
            hi: at + lanes::max(by, Block::ZERO),
        };
        [(u, span(at_u, Block::ZERO - area)), (v, span(at_v, area)), (diagonal, span(at_v - at_u, area))]
    }

    /// What a triangle B covers along one axis of A.
    #[inline(always)]
    fn triangle_along(&self, [u, v]: [Block; 2], offset: Block) -> Span {
        Span::of_zero_and(u, v).moved(offset)
    }

    #[inline(always)]
    fn triangle_across_way(&self) -> Span {
        let [u, v] = each!(j in [0, 1] => Self::across(self.edge(j), self.way));
        Span::of_zero_and(u, v).moved(Self::across(self.offset, self.way))
    }

    #[inline(always)]
    fn cuboid_and_triangle<const MOVING: bool>(&self) -> Verdict {
        let one = lanes::splat(1.0);
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
        let of_b = lanes::max(lanes::max(of_b[0], of_b[1]), of_b[2]);
        self.conclude::<MOVING>(lanes::max(of_a[0], of_a[1]), of_b, of_way)
    }

    #[inline(always)]
    fn two_triangles<const MOVING: bool>(&self) -> Verdict {
        let edges = self.triangle_edges();
        let unit = Span { lo: Block::ZERO, hi: lanes::splat(1.0) };
        let sum = |v: [Block; 2]| v[0] + v[1];
        let along = |edges: [Block; 2], offset: Block, way: Block| {
            let gap = self.triangle_along(edges, offset).gap(unit);
            if MOVING { gap - way.abs() } else { gap }
        };
        let of_a = [
            along(self.edges[0], self.offset[0], self.way[0]),
            along(self.edges[1], self.offset[1], self.way[1]),
            along([sum(self.edge(0)), sum(self.edge(1))], sum(self.offset), sum(self.way)),
        ];
        // Across u the corners 0, e0, e1 of A lie at 0, u1, -u0.
        let corners = |u: [Block; 2]| Span::of_zero_and(u[1], Block::ZERO - u[0]);
        let of_b = each!(e in [0, 1, 2] => {
            let (u, span) = edges[e];
            let gap = span.gap(corners(u));
            if MOVING { gap - Self::across(self.way, u).abs() } else { gap }
        });
        let of_way = self.triangle_across_way().gap(corners(self.way));
        let largest = |[a, b, c]: [Block; 3]| lanes::max(lanes::max(a, b), c);
        self.conclude::<MOVING>(largest(of_a), largest(of_b), of_way)
    }
}
