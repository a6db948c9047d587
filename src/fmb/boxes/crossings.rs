//! Where edges of A cross edges of B on the way, in 3D.
//!
//! In the coordinates of A two rows, k and l, are constant along an edge of A. There B's edge and motion must get to the
//! same values: q + u f + t g = c, two equations for u and t; then a third row m says where on the edge of A that is.
//! With the minors F = f x g in these rows
//!
//! - u F_m = c_k g_l - c_l g_k - (q x g)_m
//! - t F_m = c_l f_k - c_k f_l + (q x f)_m
//! - y F_m = q . F - c_k F_k - c_l F_l
//!
//! and nothing is divided before a crossing is found. All three are the sum of a part that depends on the edge of B and
//! one that depends on the edge of A.

use super::FLAT;
use super::lanes::{Found, Wanted, including};
use super::shape::{ROWS, Shape, each_direction, unrolled};
use super::views::{Table, View};
use crate::soa::lanes::{self, Block, le, lt, max, select, splat};

/// Directions of A that are looked at before any crossing is included, if A or B has one edge of each direction.
const BATCH: usize = 3;

/// Includes the points where edges of A cross edges of B. `world` are the tables of B.
#[inline(always)]
pub(super) fn include_crossings<const D: usize, const A_TET: bool, const B_TET: bool>(
    view: &View,
    world: &[Table; D],
    wanted: Wanted,
    found: &mut Found<D>,
) {
    let b = Tables { view, world };
    for j in 0..const { Shape::new(D, B_TET).directions } {
        match (A_TET, B_TET) {
            (false, false) => b.cross::<A_TET, B_TET, 4, 4>(j, wanted, found),
            (false, true) => b.cross::<A_TET, B_TET, 4, 1>(j, wanted, found),
            (true, false) => b.cross::<A_TET, B_TET, 1, 4>(j, wanted, found),
            (true, true) => b.cross::<A_TET, B_TET, 1, 1>(j, wanted, found),
        }
    }
}

/// Body B in the coordinates of A and in those of the world.
struct Tables<'a, const D: usize> {
    view: &'a View,
    world: &'a [Table; D],
}

impl<const D: usize> Tables<'_, D> {
    /// Includes the points where one of the `OF_B` edges of B along direction `j` crosses an edge of A; of these `OF_A`
    /// have the same direction.
    #[inline(never)]
    fn cross<const A_TET: bool, const B_TET: bool, const OF_A: usize, const OF_B: usize>(
        &self,
        j: usize,
        wanted: Wanted,
        found: &mut Found<D>,
    ) {
        let (a_shape, b_shape) = (const { &Shape::new(D, A_TET) }, const { &Shape::new(D, B_TET) });
        let edges = Edges::<OF_B>::new(b_shape, self.view, j);
        let batch = if OF_A * OF_B > ROWS { 1 } else { BATCH };
        let mut crossings = [const { Crossings::<OF_A, OF_B>::NONE }; BATCH];
        let mut pairs = 0_u64;
        each_direction!(a_shape, i => {
            let place = i % batch;
            crossings[place] = Crossings::new(a_shape, &self.view.rounding, &edges, i);
            let earlier = if place == 0 { 0 } else { pairs };
            pairs = earlier | crossings[place].pairs() << (place * OF_A * OF_B * lanes::LANES);
            if place + 1 == batch {
                self.include(b_shape, j, &crossings, pairs, wanted, found);
            }
        });
    }

    /// Includes the crossings of the pairs of edges whose four bits are not all 0.
    #[inline(always)]
    fn include<const OF_A: usize, const OF_B: usize>(
        &self,
        b_shape: &Shape,
        j: usize,
        crossings: &[Crossings<OF_A, OF_B>; BATCH],
        mut pairs: u64,
        wanted: Wanted,
        found: &mut Found<D>,
    ) {
        while pairs != 0 {
            let number = pairs.trailing_zeros() as usize / lanes::LANES;
            pairs &= !(0xF << (number * lanes::LANES));
            let (of_b, of_a) = (number / OF_A % OF_B, number % OF_A);
            let [share, time] = crossings[number / (OF_A * OF_B) % BATCH].place(of_b, of_a);
            let [vertex, direction] = b_shape.edges[j * OF_B + of_b];
            found.times = including(found.times, time);
            if wanted.world {
                unrolled!(axis in [0, 1, 2] below D => {
                    let table = &self.world[axis];
                    let place = table.vertices[vertex] + share * table.along[direction] + time * table.way;
                    found.world[axis] = including(found.world[axis], place);
                });
            }
            if wanted.local {
                unrolled!(axis in [0, 1, 2] below D => {
                    let from = splat(b_shape.own_coordinate(vertex, axis));
                    let place = from + share * splat(b_shape.own_changes[direction][axis]);
                    found.local[axis] = including(found.local[axis], place);
                });
            }
        }
    }
}

/// The edges of one direction of B in the coordinates of A.
struct Edges<const OF_B: usize> {
    /// Change along them.
    along: [Block; ROWS],
    /// Change in the whole duration.
    way: [Block; ROWS],
    /// Where they begin.
    from: [[Block; ROWS]; OF_B],
}

impl<const OF_B: usize> Edges<OF_B> {
    #[inline(always)]
    fn new(b_shape: &Shape, view: &View, j: usize) -> Self {
        let zero = [Block::ZERO; ROWS];
        let mut edges = Self { along: zero, way: zero, from: [zero; OF_B] };
        unrolled!(row in [0, 1, 2, 3] below ROWS => {
            let table = &view.tables[row];
            (edges.along[row], edges.way[row]) = (table.along[j], table.way);
            unrolled!(n in [0, 1, 2, 3] below OF_B => {
                edges.from[n][row] = table.vertices[b_shape.edges[j * OF_B + n][0]];
            });
        });
        edges
    }
}

/// The edges of one direction of A and of one direction of B: u, t and y of their crossings, relative to the middle of the
/// edge of B, of the duration and of the edge of A, all times `determinant`.
#[derive(Clone, Copy)]
struct Crossings<const OF_A: usize, const OF_B: usize> {
    of_a: [[Block; 3]; OF_A],
    of_b: [[Block; 3]; OF_B],
    determinant: Block,
    /// How far from the middle of the edge of B, and of the duration, an edge still crosses.
    reached: Block,
    /// The same on the edge of A.
    reached_on_a: Block,
}

impl<const OF_A: usize, const OF_B: usize> Crossings<OF_A, OF_B> {
    const NONE: Self = Self {
        of_a: [[Block::ZERO; 3]; OF_A],
        of_b: [[Block::ZERO; 3]; OF_B],
        determinant: Block::ZERO,
        reached: Block::ZERO,
        reached_on_a: Block::ZERO,
    };

    #[inline(always)]
    fn new(a_shape: &Shape, rounding: &[Block; ROWS], edges: &Edges<OF_B>, i: usize) -> Self {
        let half = splat(0.5);
        let [k, l, m] = a_shape.constant_rows[i];
        let Edges { along: f, way: g, .. } = edges;
        let [fm, fk, fl] = [minor(f, g, k, l), minor(f, g, l, m), minor(f, g, m, k)];
        let middle = half * fm;
        let magnitude = f[k].abs() + f[l].abs() + g[k].abs() + g[l].abs();
        let error = (rounding[k] + rounding[l]) * magnitude;
        let is_steep = lt(error, fm.abs() * splat(FLAT));
        let reached = select(is_steep, middle.abs() + error, splat(f64::NAN));
        let reached_on_a = reached + error * (f[m].abs() + g[m].abs()) + rounding[m] * fm.abs();

        let mut crossings = Self { determinant: fm, reached, reached_on_a, ..Self::NONE };
        let [hk, hl, gk, gl] = [half * f[k], half * f[l], half * g[k], half * g[l]];
        let [nk, nl] = [half * fk, half * fl];
        unrolled!(n in [0, 1, 2, 3] below OF_A => {
            let vertex = a_shape.edges[i * OF_A + n][0];
            let (ck, cl) = (a_shape.own_coordinate(vertex, k), a_shape.own_coordinate(vertex, l));
            crossings.of_a[n] =
                [signed_sum(ck, gl, -cl, gk), signed_sum(-ck, hl, cl, hk), signed_sum(-ck, nk, -cl, nl)];
        });
        unrolled!(n in [0, 1, 2, 3] below OF_B => {
            let q = &edges.from[n];
            let (u, t) = (minor(g, q, k, l), minor(q, f, k, l));
            crossings.of_b[n] = [u - middle, t - middle, q[m] * fm + q[k] * fk + q[l] * fl];
        });
        crossings
    }

    /// Whether an edge of B crosses an edge of A, and where.
    #[inline(always)]
    fn crosses(&self, of_b: usize, of_a: usize) -> (Block, Block, Block) {
        let (a, b) = (&self.of_a[of_a], &self.of_b[of_b]);
        let (u, t, y) = (b[0] + a[0], b[1] + a[1], b[2] + a[2]);
        (le(max(u.abs(), t.abs()), self.reached) & le(y.abs(), self.reached_on_a), u, t)
    }

    /// Four bits for each pair of edges, one a lane. Few cross, so it pays to look at all before any is included.
    #[inline(always)]
    fn pairs(&self) -> u64 {
        let mut pairs = 0;
        unrolled!(of_b in [0, 1, 2, 3] below OF_B => {
            unrolled!(of_a in [0, 1, 2, 3] below OF_A => {
                let crosses = u64::from(lanes::bits(self.crosses(of_b, of_a).0));
                pairs |= crosses << ((of_b * OF_A + of_a) * lanes::LANES);
            });
        });
        pairs
    }

    /// Share of the edge of B and time; NaN in lanes where the edges do not cross.
    #[inline(always)]
    fn place(&self, of_b: usize, of_a: usize) -> [Block; 2] {
        let (crosses, u, t) = self.crosses(of_b, of_a);
        let over = Block::ONE / self.determinant;
        [(u * over + splat(0.5)) | !crosses, (t * over + splat(0.5)) | !crosses]
    }
}

/// `p_k q_l - p_l q_k`
#[inline(always)]
fn minor(p: &[Block; ROWS], q: &[Block; ROWS], k: usize, l: usize) -> Block {
    p[k] * q[l] - p[l] * q[k]
}

/// The sum of `a` with the sign of `x` and `b` with the sign of `y`.
#[inline(always)]
fn signed_sum(x: f64, a: Block, y: f64, b: Block) -> Block {
    match (x > 0.0, y > 0.0) {
        (true, true) => a + b,
        (true, false) => a - b,
        (false, true) => b - a,
        (false, false) => -(a + b),
    }
}
