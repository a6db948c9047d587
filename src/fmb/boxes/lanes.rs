//! Four pairs of frames at once: the same vertices as in the scalar twin, without branches on what is found.
//!
//! Whatever misses becomes NaN, which minima and maxima pass over.

use std::array::from_fn;

use super::shape::{DIRECTIONS, EDGES, ROWS, Shape, VERTICES};
use super::{FLAT, GRAZING, ROUNDING};
use crate::frames::packed::FrameLanes;
use crate::soa::lanes::{self, Block, le, lt, max, min, select, splat};

/// What a caller wants to know of an overlap. The interval of time comes with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) world: bool,
    pub(crate) local: bool,
}

/// [`Region`](super::Region) of four pairs; of each interval the lower end, then the upper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegionLanes<const D: usize> {
    /// All bits set in a lane whose outcome holds. The scalar twin must do the others.
    pub(crate) found: Block,
    /// In units of the duration; 0 for frames at rest.
    pub(crate) times: [Block; 2],
    /// In metres; meaningless if not wanted.
    pub(crate) world: [[Block; 2]; D],
    /// In the coordinates X of B; meaningless if not wanted.
    pub(crate) local: [[Block; 2]; D],
}

/// Numbers beyond this, or below its inverse, may overflow on the way; the scalar twin scales them first.
const LARGEST: f64 = 1e60;

/// In place of a change along a line that is nothing but rounding error: any place is reached far outside.
const NO_CHANGE: f64 = 1e-60;

/// When and where four pairs of frames overlap that are known to intersect.
#[inline(never)]
pub(crate) fn region_lanes<const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
    a: &FrameLanes<D>,
    b: &FrameLanes<D>,
    wanted: Wanted,
) -> RegionLanes<D> {
    let (a_shape, b_shape) = (const { &Shape::new(D, A_TET) }, const { &Shape::new(D, B_TET) });
    let offset: [Block; D] = from_fn(|axis| a.origin[axis] - b.origin[axis]);
    let way: [Block; D] = from_fn(|axis| a.way[axis] - b.way[axis]);
    let back = |vector: &[Block; D]| vector.map(|x| -x);
    let reach = reach(a, b, &offset, &way);
    let from_b = View::new(a_shape, b_shape, &b.components, &a.components, &offset, &way, &reach);
    let from_a = View::new(b_shape, a_shape, &a.components, &b.components, &back(&offset), &back(&way), &reach);

    let of_a = Spans::new::<MOVING>(a_shape, b_shape, &from_b);
    let of_b = Spans::new::<MOVING>(b_shape, a_shape, &from_a);

    let is_tame = from_b.is_tame & from_a.is_tame;
    let mut found = Found { times: NOWHERE, world: [NOWHERE; D], local: [NOWHERE; D] };
    let world_of_a = |axis: usize| Table::new::<D>(a_shape, Block::ZERO, from_fn(|i| a.components[i][axis]), a.way[axis]);
    let world_of_b = |axis: usize| Table::new::<D>(b_shape, -offset[axis], from_fn(|i| b.components[i][axis]), b.way[axis]);
    let local_of_b = |axis: usize| {
        let unit = from_fn(|i| splat(if i == axis { 1.0 } else { 0.0 }));
        Table::new::<D>(b_shape, splat(-0.5), unit, Block::ZERO)
    };
    if wanted.world {
        found.world = from_fn(|axis| {
            let ends = of_a.extent::<MOVING>(a_shape, &world_of_a(axis), NOWHERE);
            of_b.extent::<MOVING>(b_shape, &world_of_b(axis), ends)
        });
    }
    if wanted.local {
        found.local = from_fn(|axis| {
            let ends = of_a.extent::<MOVING>(a_shape, &from_b.tables[axis], NOWHERE);
            of_b.extent::<MOVING>(b_shape, &local_of_b(axis), ends)
        });
    }
    let mut is_found = !(of_a.missed() & of_b.missed());
    if MOVING {
        found.times = of_b.times(of_a.times(NOWHERE));
        if D == 3 {
            let (world, local) = (from_fn(world_of_b), from_fn(local_of_b));
            include_crossings(a_shape, b_shape, &from_a, &world, &local, wanted, &mut found);
        }
        is_found = le(found.times[0], found.times[1]);
    } else {
        found.times = [Block::ZERO; 2];
    }
    let clamped = |x: Block| max(min(x, Block::ONE), Block::ZERO);
    RegionLanes {
        found: is_tame & is_found,
        times: found.times.map(clamped),
        world: from_fn(|axis| found.world[axis].map(|end| end + a.origin[axis])),
        local: found.local.map(|ends| ends.map(|end| clamped(end + splat(0.5)))),
    }
}

/// The interval of what has been seen so far; `world` is relative to the origin of A at time 0, `local` to the middle.
struct Found<const D: usize> {
    times: [Block; 2],
    world: [[Block; 2]; D],
    local: [[Block; 2]; D],
}

/// The interval without numbers.
const NOWHERE: [Block; 2] = [Block::new([f64::INFINITY; 4]), Block::new([f64::NEG_INFINITY; 4])];

/// Magnitude of what coordinates are computed from, on each axis.
#[inline(always)]
fn reach<const D: usize>(
    a: &FrameLanes<D>,
    b: &FrameLanes<D>,
    offset: &[Block; D],
    way: &[Block; D],
) -> [Block; D] {
    from_fn(|axis| {
        let components = a.components.iter().chain(&b.components);
        components.fold(offset[axis].abs() + way[axis].abs(), |sum, component| sum + component[axis].abs())
    })
}

/// One coordinate of everything a body has.
#[derive(Clone, Copy)]
struct Table {
    /// Of its vertices at time 0.
    vertices: [Block; VERTICES],
    /// Change along each direction of its edges.
    along: [Block; DIRECTIONS],
    /// Change in the whole duration.
    way: Block,
}

impl Table {
    #[inline(always)]
    fn new<const D: usize>(shape: &Shape, origin: Block, components: [Block; D], way: Block) -> Self {
        let vertex = |k: usize| {
            let taken = (0..D).filter(|&i| k < shape.vertices && shape.takes(k, i));
            taken.fold(origin, |vertex, i| vertex + components[i])
        };
        let change = |direction: usize| match shape.differences[direction] {
            Some([minus, plus]) => components[plus] - components[minus],
            None if direction < D => components[direction],
            None => Block::ZERO,
        };
        Self { vertices: from_fn(vertex), along: from_fn(change), way }
    }
}

/// A body in the coordinates of another, relative to the middle of their range: the other is where all are from -1/2
/// to 1/2.
struct View {
    tables: [Table; ROWS],
    /// Rounding error of each coordinate.
    rounding: [Block; ROWS],
    /// Whether no number is so large or small that others may overflow.
    is_tame: Block,
}

impl View {
    #[inline(always)]
    fn new<const D: usize>(
        shape: &Shape,
        other: &Shape,
        basis: &[[Block; D]; D],
        components: &[[Block; D]; D],
        offset: &[Block; D],
        way: &[Block; D],
        reach: &[Block; D],
    ) -> Self {
        let (inverse, determinant) = inverse(basis);
        let mut origins = [Block::ZERO; ROWS];
        let mut changes = [[Block::ZERO; D]; ROWS];
        let mut ways = [Block::ZERO; ROWS];
        let mut rounding = [Block::ZERO; ROWS];
        for (k, row) in inverse.iter().enumerate() {
            origins[k] = dot(row, offset) - splat(0.5);
            changes[k] = from_fn(|i| dot(row, &components[i]));
            ways[k] = dot(row, way);
            rounding[k] = dot(&row.map(Block::abs), reach) * splat(ROUNDING);
        }
        let total = |values: &[Block]| values[1..D].iter().fold(values[0], |sum, &x| sum + x);
        if other.rows > D {
            origins[D] = total(&origins) + splat(0.5 * (D - 1) as f64);
            changes[D] = from_fn(|i| total(&changes.map(|change| change[i])));
            ways[D] = total(&ways);
            rounding[D] = total(&rounding);
        }
        let tables = from_fn(|k| Table::new(shape, origins[k], changes[k], ways[k]));
        let is_small = |x: Block| lt(x, splat(LARGEST));
        let is_tame = is_small(determinant.abs())
            & lt(splat(1.0 / LARGEST), determinant.abs())
            & is_small(total(&rounding) * splat(1.0 / ROUNDING));
        Self { tables, rounding, is_tame }
    }

    /// Where lines with this change of the coordinates are cut: by the share -start / change, give or take a half.
    #[inline(always)]
    fn cut(&self, other: &Shape, change: [Block; ROWS]) -> Cut {
        let mut cut = Cut { slope: [Block::ZERO; ROWS], half: [Block::ZERO; ROWS], tolerance: Block::ZERO };
        for k in 0..other.rows {
            let is_parallel = le(change[k].abs(), self.rounding[k]);
            let slope = splat(-1.0) / select(is_parallel, splat(NO_CHANGE), change[k]);
            let share = self.rounding[k] * slope.abs();
            let is_grazing = lt(splat(GRAZING), share);
            cut.slope[k] = slope;
            cut.half[k] = slope.abs() * splat(0.5) + lanes::keep(is_grazing, share);
            cut.tolerance = max(min(share, splat(GRAZING)), cut.tolerance);
        }
        cut
    }
}

/// How lines of one direction are cut by a body.
struct Cut {
    slope: [Block; ROWS],
    half: [Block; ROWS],
    tolerance: Block,
}

impl Cut {
    /// The shares at which a line enters and leaves the body; NaN if it misses.
    #[inline(always)]
    fn span(&self, other: &Shape, start: [Block; ROWS]) -> [Block; 2] {
        let (mut enters, mut leaves) = (Block::ZERO, Block::ONE);
        for k in 0..other.rows {
            let middle = start[k] * self.slope[k];
            enters = max(middle - self.half[k], enters);
            leaves = min(middle + self.half[k], leaves);
        }
        let misses = lt(leaves + self.tolerance, enters);
        [enters | misses, leaves | misses]
    }
}

/// Which parts of the edges of a body, and of the paths of its vertices, lie within another.
struct Spans {
    first: [[Block; 2]; EDGES],
    last: [[Block; 2]; EDGES],
    paths: [[Block; 2]; VERTICES],
}

impl Spans {
    #[inline(always)]
    fn new<const MOVING: bool>(shape: &Shape, other: &Shape, view: &View) -> Self {
        let nan = splat(f64::NAN);
        let mut spans = Self { first: [[nan; 2]; EDGES], last: [[nan; 2]; EDGES], paths: [[nan; 2]; VERTICES] };
        for direction in 0..shape.directions {
            let cut = view.cut(other, from_fn(|k| view.tables[k].along[direction]));
            for edge in edges_along(shape, direction) {
                let vertex = shape.edges[edge][0];
                spans.first[edge] = cut.span(other, from_fn(|k| view.tables[k].vertices[vertex]));
                if MOVING {
                    let start = from_fn(|k| view.tables[k].vertices[vertex] + view.tables[k].way);
                    spans.last[edge] = cut.span(other, start);
                }
            }
        }
        if MOVING {
            let cut = view.cut(other, from_fn(|k| view.tables[k].way));
            for vertex in 0..shape.vertices {
                spans.paths[vertex] = cut.span(other, from_fn(|k| view.tables[k].vertices[vertex]));
            }
        }
        spans
    }

    /// All bits set where no edge meets the other body at time 0.
    #[inline(always)]
    fn missed(&self) -> Block {
        missed(&self.first)
    }

    #[inline(always)]
    fn times(&self, ends: [Block; 2]) -> [Block; 2] {
        let [mut first, mut last] = ends;
        for [enters, leaves] in self.paths {
            (first, last) = (min(enters, first), max(leaves, last));
        }
        let at_start = lanes::keep(missed(&self.first), splat(f64::NAN));
        let at_end = missed(&self.last) | Block::ONE;
        [min(at_end, min(at_start, first)), max(at_start, max(at_end, last))]
    }

    /// Widens an interval by a coordinate of all points at the ends.
    #[inline(always)]
    fn extent<const MOVING: bool>(&self, shape: &Shape, table: &Table, ends: [Block; 2]) -> [Block; 2] {
        let mut ends = ends;
        for (edge, &[vertex, direction]) in shape.edges.iter().enumerate().take(shape.edge_count) {
            let (from, along) = (table.vertices[vertex], table.along[direction]);
            ends = widened(ends, from, along, self.first[edge]);
            if MOVING {
                ends = widened(ends, from + table.way, along, self.last[edge]);
            }
        }
        if MOVING {
            for vertex in 0..shape.vertices {
                ends = widened(ends, table.vertices[vertex], table.way, self.paths[vertex]);
            }
        }
        ends
    }
}

#[inline(always)]
fn missed(spans: &[[Block; 2]; EDGES]) -> Block {
    spans.iter().fold(!Block::ZERO, |missed, [enters, _]| missed & !le(*enters, *enters))
}

#[inline(always)]
fn widened(ends: [Block; 2], from: Block, along: Block, span: [Block; 2]) -> [Block; 2] {
    let [one, two] = span.map(|share| from + share * along);
    [min(one, min(two, ends[0])), max(one, max(two, ends[1]))]
}

/// Includes the points where edges of A cross edges of B on the way, in 3D.
#[inline(always)]
fn include_crossings<const D: usize>(
    a_shape: &Shape,
    b_shape: &Shape,
    view: &View,
    world: &[Table; D],
    local: &[Table; D],
    wanted: Wanted,
    found: &mut Found<D>,
) {
    let mut crossings = Crossings { count: 0, edges: [0; Crossings::MOST], places: [[Block::ZERO; 2]; Crossings::MOST] };
    for i in 0..a_shape.directions {
        for j in 0..b_shape.directions {
            crossings.find(a_shape, b_shape, view, i, j);
            if !crossings.is_nearly_full() && (i + 1 < a_shape.directions || j + 1 < b_shape.directions) {
                continue;
            }
            for n in 0..crossings.count {
                let [share, time] = crossings.places[n];
                let [vertex, direction] = b_shape.edges[usize::from(crossings.edges[n])];
                let place = |table: &Table| table.vertices[vertex] + share * table.along[direction];
                found.times = including(found.times, time);
                if wanted.world {
                    found.world = from_fn(|k| including(found.world[k], place(&world[k]) + time * world[k].way));
                }
                if wanted.local {
                    found.local = from_fn(|k| including(found.local[k], place(&local[k])));
                }
            }
            crossings.count = 0;
        }
    }
}

#[inline(always)]
fn including(ends: [Block; 2], place: Block) -> [Block; 2] {
    [min(place, ends[0]), max(place, ends[1])]
}

/// Edges of B that cross edges of A: for each its number, the share of it and the time, which are NaN in lanes where
/// they do not cross. Few do, so it pays to gather them.
struct Crossings {
    count: usize,
    edges: [u8; Self::MOST],
    places: [[Block; 2]; Self::MOST],
}

impl Crossings {
    const MOST: usize = 32;

    /// Whether the edges of one more pair of directions might not find room.
    #[inline(always)]
    fn is_nearly_full(&self) -> bool {
        self.count > Self::MOST - 16
    }

    /// In the coordinates of A two rows are constant along an edge of A. There B's edge and motion must get to the same
    /// values: q + u n + t g = c, two equations for u and t; then a third row says where on the edge of A that is.
    #[inline(always)]
    fn find(&mut self, a_shape: &Shape, b_shape: &Shape, view: &View, i: usize, j: usize) {
        let half = splat(0.5);
        let [k, l, m] = a_shape.constant_rows[i];
        let [[nk, gk], [nl, gl], [nm, gm]] = [k, l, m].map(|row| [view.tables[row].along[j], view.tables[row].way]);
        let over = Block::ONE / (nk * gl - nl * gk);
        let magnitude = nk.abs() + nl.abs() + gk.abs() + gl.abs();
        let share = (view.rounding[k] + view.rounding[l]) * magnitude * over.abs();
        let reached = half + select(lt(share, splat(FLAT)), share, splat(f64::NAN));
        let reached_on_a = reached + share * (nm.abs() + gm.abs()) + view.rounding[m];
        let [nk, nl, gk, gl] = [nk, nl, gk, gl].map(|x| x * over);

        let (a_edges, b_edges) = (edges_along(a_shape, i), edges_along(b_shape, j));
        let mut of_a = [[Block::ZERO; 3]; 4];
        for (place, &[vertex, _]) in of_a.iter_mut().zip(&a_shape.edges[a_edges.clone()]) {
            let [ck, cl] = [k, l].map(|row| splat(own_coordinate(a_shape, vertex, row)));
            let (u, t) = (ck * gl - cl * gk, cl * nk - ck * nl);
            *place = [u, t, u * nm + t * gm];
        }
        for edge in b_edges {
            let vertex = b_shape.edges[edge][0];
            let [qk, ql, qm] = [k, l, m].map(|row| view.tables[row].vertices[vertex]);
            let (u0, t0) = (ql * gk - qk * gl, qk * nl - ql * nk);
            let s0 = qm + u0 * nm + t0 * gm;
            let (u0, t0) = (u0 - half, t0 - half);
            for &[u1, t1, s1] in &of_a[..a_edges.len()] {
                let (u, t, s) = (u0 + u1, t0 + t1, s0 + s1);
                let crosses = le(max(u.abs(), t.abs()), reached) & le(s.abs(), reached_on_a);
                let misses = !crosses;
                self.edges[self.count] = edge as u8;
                self.places[self.count] = [(u + half) | misses, (t + half) | misses];
                self.count += usize::from(lanes::bits(crosses) != 0);
            }
        }
    }
}

/// The edges of one direction.
#[inline(always)]
fn edges_along(shape: &Shape, direction: usize) -> std::ops::Range<usize> {
    let each = shape.edge_count / shape.directions;
    direction * each..(direction + 1) * each
}

/// A row of a vertex of a body in its own coordinates, relative to the middle.
#[inline(always)]
fn own_coordinate(shape: &Shape, vertex: usize, row: usize) -> f64 {
    let is_one = if row < 3 { shape.takes(vertex, row) } else { vertex > 0 };
    if is_one { 0.5 } else { -0.5 }
}

#[inline(always)]
fn dot<const D: usize>(a: &[Block; D], b: &[Block; D]) -> Block {
    (1..D).fold(a[0] * b[0], |sum, axis| sum + a[axis] * b[axis])
}

/// Rows of the inverse of the matrix with these columns, and its determinant.
#[inline(always)]
fn inverse<const D: usize>(columns: &[[Block; D]; D]) -> ([[Block; D]; D], Block) {
    let c = columns;
    let rows: [[Block; D]; D] = if D == 2 {
        let rows = [[c[1][1], -c[1][0]], [-c[0][1], c[0][0]]];
        from_fn(|i| from_fn(|axis| rows[i][axis]))
    } else {
        from_fn(|i| {
            let (u, v) = (&c[(i + 1) % D], &c[(i + 2) % D]);
            from_fn(|axis| {
                let (k, l) = ((axis + 1) % D, (axis + 2) % D);
                u[k] * v[l] - u[l] * v[k]
            })
        })
    };
    let determinant = dot(&rows[0], &c[0]);
    let over = Block::ONE / determinant;
    (rows.map(|row| row.map(|x| x * over)), determinant)
}
