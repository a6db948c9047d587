//! Where edges of A cross edges of B on the way, in 3D.

#![allow(
    clippy::needless_range_loop,
    reason = "several arrays share the index, and plain loops are inlined whole"
)]

use super::FLAT;
use super::lanes::{Found, Wanted, including};
use super::shape::Shape;
use super::views::{Table, View};
use crate::soa::lanes::{self, Block, le, lt, max, select, splat};

/// Most edges of a body that have the same direction.
const ALIKE: usize = 4;

/// Includes the points where edges of A cross edges of B. `world` are the tables of B.
#[inline(always)]
pub(super) fn include_crossings<const D: usize>(
    a_shape: &Shape,
    b_shape: &Shape,
    view: &View,
    world: &[Table; D],
    wanted: Wanted,
    found: &mut Found<D>,
) {
    for i in 0..a_shape.directions {
        for j in 0..b_shape.directions {
            let crossing = Crossing::new(a_shape, b_shape, view, i, j);
            let mut pairs = crossing.pairs(a_shape.edges_along(i).len(), b_shape.edges_along(j).len());
            while pairs != 0 {
                let number = pairs.trailing_zeros() as usize;
                pairs &= pairs - 1;
                let (of_b, of_a) = (number / ALIKE % ALIKE, number % ALIKE);
                let [share, time] = crossing.place(of_b, of_a);
                let [vertex, direction] = b_shape.edges[b_shape.edges_along(j).start + of_b];
                found.times = including(found.times, time);
                for axis in 0..D {
                    if wanted.world {
                        let table = &world[axis];
                        let place =
                            table.vertices[vertex] + share * table.along[direction] + time * table.way;
                        found.world[axis] = including(found.world[axis], place);
                    }
                    if wanted.local {
                        let from = splat(b_shape.own_coordinate(vertex, axis));
                        let place = from + share * splat(b_shape.own_changes[direction][axis]);
                        found.local[axis] = including(found.local[axis], place);
                    }
                }
            }
        }
    }
}

/// The edges of one direction of A and of one direction of B.
///
/// In the coordinates of A two rows are constant along an edge of A. There B's edge and motion must get to the same
/// values: q + u n + t g = c, two equations for u and t; then a third row says where on the edge of A that is. All three
/// are the sum of a part that depends on the edge of B and one that depends on the edge of A.
struct Crossing {
    of_a: [[Block; 3]; ALIKE],
    of_b: [[Block; 3]; ALIKE],
    /// How far from the middle of the edge of B, and of the duration, an edge still crosses.
    reached: Block,
    /// The same on the edge of A.
    reached_on_a: Block,
}

impl Crossing {
    #[inline(always)]
    fn new(a_shape: &Shape, b_shape: &Shape, view: &View, i: usize, j: usize) -> Self {
        let half = splat(0.5);
        let [k, l, m] = a_shape.constant_rows[i];
        let (nk, nl, nm) = (view.tables[k].along[j], view.tables[l].along[j], view.tables[m].along[j]);
        let (gk, gl, gm) = (view.tables[k].way, view.tables[l].way, view.tables[m].way);
        let over = Block::ONE / (nk * gl - nl * gk);
        let magnitude = nk.abs() + nl.abs() + gk.abs() + gl.abs();
        let share = (view.rounding[k] + view.rounding[l]) * magnitude * over.abs();
        let reached = half + select(lt(share, splat(FLAT)), share, splat(f64::NAN));
        let reached_on_a = reached + share * (nm.abs() + gm.abs()) + view.rounding[m];
        let (nk, nl, gk, gl) = (nk * over, nl * over, gk * over, gl * over);

        let none = [[Block::ZERO; 3]; ALIKE];
        let mut crossing = Self { of_a: none, of_b: none, reached, reached_on_a };
        for (place, edge) in crossing.of_a.iter_mut().zip(a_shape.edges_along(i)) {
            let vertex = a_shape.edges[edge][0];
            let (ck, cl) =
                (splat(a_shape.own_coordinate(vertex, k)), splat(a_shape.own_coordinate(vertex, l)));
            let (u, t) = (ck * gl - cl * gk, cl * nk - ck * nl);
            *place = [u, t, u * nm + t * gm];
        }
        for (place, edge) in crossing.of_b.iter_mut().zip(b_shape.edges_along(j)) {
            let vertex = b_shape.edges[edge][0];
            let of_row = |row: usize| view.tables[row].vertices[vertex];
            let (qk, ql, qm) = (of_row(k), of_row(l), of_row(m));
            let (u, t) = (ql * gk - qk * gl, qk * nl - ql * nk);
            *place = [u - half, t - half, qm + u * nm + t * gm];
        }
        crossing
    }

    /// Whether an edge of B crosses an edge of A, and where, relative to the middle of the edge of B and the duration.
    #[inline(always)]
    fn crosses(&self, of_b: usize, of_a: usize) -> (Block, Block, Block) {
        let (a, b) = (&self.of_a[of_a], &self.of_b[of_b]);
        let (u, t, s) = (b[0] + a[0], b[1] + a[1], b[2] + a[2]);
        (le(max(u.abs(), t.abs()), self.reached) & le(s.abs(), self.reached_on_a), u, t)
    }

    /// One bit for each pair of edges that cross in some lane. Few do, so it pays to look at all before any is included.
    #[inline(always)]
    fn pairs(&self, a_count: usize, b_count: usize) -> u32 {
        let mut pairs = 0;
        for of_b in 0..b_count {
            for of_a in 0..a_count {
                let crosses = lanes::bits(self.crosses(of_b, of_a).0) != 0;
                pairs |= u32::from(crosses) << (of_b * ALIKE + of_a);
            }
        }
        pairs
    }

    /// Share of the edge of B and time; NaN in lanes where the edges do not cross.
    #[inline(always)]
    fn place(&self, of_b: usize, of_a: usize) -> [Block; 2] {
        let (crosses, u, t) = self.crosses(of_b, of_a);
        [(u + splat(0.5)) | !crosses, (t + splat(0.5)) | !crosses]
    }
}
