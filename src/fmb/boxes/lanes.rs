//! Four pairs of frames at once: the same vertices as in the scalar twin, without branches on what is found.
//!
//! Whatever misses becomes NaN, which minima and maxima pass over.

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
    let pair = Relation::new(a, b);
    let (mut from_a, mut from_b) = (View::EMPTY, View::EMPTY);
    from_b.fill(a_shape, b_shape, b, a, &pair, 1.0);
    from_a.fill(b_shape, a_shape, a, b, &pair, -1.0);
    let (mut of_a, mut of_b) = (Spans::EMPTY, Spans::EMPTY);
    of_a.fill::<MOVING>(a_shape, b_shape, &from_b);
    of_b.fill::<MOVING>(b_shape, a_shape, &from_a);

    let mut found = Found { times: NOWHERE, world: [NOWHERE; D], local: [NOWHERE; D] };
    let mut world_of_b = [Table::EMPTY; D];
    if wanted.world {
        let mut world_of_a = Table::EMPTY;
        for axis in 0..D {
            world_of_a.fill(a_shape, Block::ZERO, &along(&a.components, axis), a.way[axis]);
            world_of_b[axis].fill(b_shape, -pair.offset[axis], &along(&b.components, axis), b.way[axis]);
            of_a.widen::<MOVING>(a_shape, &world_of_a, &mut found.world[axis]);
            of_b.widen::<MOVING>(b_shape, &world_of_b[axis], &mut found.world[axis]);
        }
    }
    if wanted.local {
        for axis in 0..D {
            of_a.widen::<MOVING>(a_shape, &from_b.tables[axis], &mut found.local[axis]);
            of_b.widen_own::<MOVING>(b_shape, axis, &mut found.local[axis]);
        }
    }
    let mut is_found = le(of_a.least_first(a_shape), Block::ONE) | le(of_b.least_first(b_shape), Block::ONE);
    if MOVING {
        of_a.widen_times(a_shape, &mut found.times);
        of_b.widen_times(b_shape, &mut found.times);
        if D == 3 {
            include_crossings(a_shape, b_shape, &from_a, &world_of_b, wanted, &mut found);
        }
        is_found = le(found.times[0], found.times[1]);
    }
    found.outcome::<MOVING>(from_b.is_tame & from_a.is_tame & is_found, &a.origin)
}

/// How the frames of each pair lie to each other.
struct Relation<const D: usize> {
    /// From the origin of B to that of A at time 0.
    offset: [Block; D],
    /// Displacement of A relative to B in the whole duration.
    way: [Block; D],
    /// Magnitude of what coordinates are computed from.
    reach: [Block; D],
}

impl<const D: usize> Relation<D> {
    #[inline(always)]
    fn new(a: &FrameLanes<D>, b: &FrameLanes<D>) -> Self {
        let mut pair = Self { offset: [Block::ZERO; D], way: [Block::ZERO; D], reach: [Block::ZERO; D] };
        for axis in 0..D {
            pair.offset[axis] = a.origin[axis] - b.origin[axis];
            pair.way[axis] = a.way[axis] - b.way[axis];
            let mut reach = pair.offset[axis].abs() + pair.way[axis].abs();
            for i in 0..D {
                reach = reach + (a.components[i][axis].abs() + b.components[i][axis].abs());
            }
            pair.reach[axis] = reach;
        }
        pair
    }
}

/// One axis of all components.
#[inline(always)]
fn along<const D: usize>(components: &[[Block; D]; D], axis: usize) -> [Block; D] {
    let mut values = [Block::ZERO; D];
    for i in 0..D {
        values[i] = components[i][axis];
    }
    values
}

/// The interval of what has been seen so far; `world` is relative to the origin of A at time 0, `local` to the middle.
struct Found<const D: usize> {
    times: [Block; 2],
    world: [[Block; 2]; D],
    local: [[Block; 2]; D],
}

impl<const D: usize> Found<D> {
    #[inline(always)]
    fn outcome<const MOVING: bool>(&self, found: Block, origin: &[Block; D]) -> RegionLanes<D> {
        let mut region = RegionLanes { found, times: [Block::ZERO; 2], world: self.world, local: self.local };
        for end in 0..2 {
            if MOVING {
                region.times[end] = clamped(self.times[end]);
            }
            for axis in 0..D {
                region.world[axis][end] = self.world[axis][end] + origin[axis];
                region.local[axis][end] = clamped(self.local[axis][end] + splat(0.5));
            }
        }
        region
    }
}

#[inline(always)]
fn clamped(x: Block) -> Block {
    max(min(x, Block::ONE), Block::ZERO)
}

/// The interval without numbers.
const NOWHERE: [Block; 2] = [Block::new([f64::INFINITY; 4]), Block::new([f64::NEG_INFINITY; 4])];

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
    const EMPTY: Self =
        Self { vertices: [Block::ZERO; VERTICES], along: [Block::ZERO; DIRECTIONS], way: Block::ZERO };

    #[inline(always)]
    fn fill<const D: usize>(&mut self, shape: &Shape, origin: Block, components: &[Block; D], way: Block) {
        self.way = way;
        self.vertices[0] = origin;
        for i in 0..D {
            self.along[i] = components[i];
            if shape.is_tetrahedron() {
                self.vertices[i + 1] = origin + components[i];
            } else {
                for k in 0..1 << i {
                    self.vertices[k + (1 << i)] = self.vertices[k] + components[i];
                }
            }
        }
        for direction in D..shape.directions {
            let [minus, plus] = shape.differences[direction];
            self.along[direction] = components[plus] - components[minus];
        }
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
    const EMPTY: Self =
        Self { tables: [Table::EMPTY; ROWS], rounding: [Block::ZERO; ROWS], is_tame: Block::ZERO };

    /// `sign` is 1 if `body` is A and -1 if it is B.
    #[inline(always)]
    fn fill<const D: usize>(
        &mut self,
        shape: &Shape,
        other_shape: &Shape,
        other: &FrameLanes<D>,
        body: &FrameLanes<D>,
        pair: &Relation<D>,
        sign: f64,
    ) {
        let (inverse, determinant) = inverse(&other.components);
        let mut sum = [Block::ZERO; D];
        let (mut sum_origin, mut sum_way) = (splat(0.5 * (D as f64 - 1.0)), Block::ZERO);
        let mut sum_rounding = Block::ZERO;
        for k in 0..D {
            let row = &inverse[k];
            let mut components = [Block::ZERO; D];
            for i in 0..D {
                components[i] = dot(row, &body.components[i]);
                sum[i] = sum[i] + components[i];
            }
            let origin = dot(row, &pair.offset) * splat(sign) - splat(0.5);
            let way = dot(row, &pair.way) * splat(sign);
            self.rounding[k] = dot_of_magnitudes(row, &pair.reach) * splat(ROUNDING);
            self.tables[k].fill(shape, origin, &components, way);
            sum_origin = sum_origin + origin;
            sum_way = sum_way + way;
            sum_rounding = sum_rounding + self.rounding[k];
        }
        if other_shape.is_tetrahedron() {
            self.tables[D].fill(shape, sum_origin, &sum, sum_way);
            self.rounding[D] = sum_rounding;
        }
        self.is_tame = lt(determinant.abs(), splat(LARGEST))
            & lt(splat(1.0 / LARGEST), determinant.abs())
            & lt(sum_rounding, splat(LARGEST * ROUNDING));
    }

    /// Where lines with this change of the coordinates are cut: by the share -start / change, give or take a half.
    #[inline(always)]
    fn cut(&self, other: &Shape, change: &[Block; ROWS]) -> Cut {
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
    fn span(&self, other: &Shape, start: &[Block; ROWS]) -> [Block; 2] {
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
    const EMPTY: Self = Self {
        first: [[Block::ZERO; 2]; EDGES],
        last: [[Block::ZERO; 2]; EDGES],
        paths: [[Block::ZERO; 2]; VERTICES],
    };

    #[inline(always)]
    fn fill<const MOVING: bool>(&mut self, shape: &Shape, other: &Shape, view: &View) {
        let (mut change, mut start, mut end) = ([Block::ZERO; ROWS], [Block::ZERO; ROWS], [Block::ZERO; ROWS]);
        for direction in 0..shape.directions {
            for k in 0..other.rows {
                change[k] = view.tables[k].along[direction];
            }
            let cut = view.cut(other, &change);
            for edge in edges_along(shape, direction) {
                for k in 0..other.rows {
                    start[k] = view.tables[k].vertices[shape.edges[edge][0]];
                    end[k] = start[k] + view.tables[k].way;
                }
                self.first[edge] = cut.span(other, &start);
                if MOVING {
                    self.last[edge] = cut.span(other, &end);
                }
            }
        }
        if MOVING {
            for k in 0..other.rows {
                change[k] = view.tables[k].way;
            }
            let cut = view.cut(other, &change);
            for vertex in 0..shape.vertices {
                for k in 0..other.rows {
                    start[k] = view.tables[k].vertices[vertex];
                }
                self.paths[vertex] = cut.span(other, &start);
            }
        }
    }

    /// Infinite where no edge meets the other body at time 0.
    #[inline(always)]
    fn least_first(&self, shape: &Shape) -> Block {
        least(&self.first[..shape.edge_count])
    }

    #[inline(always)]
    fn widen_times(&self, shape: &Shape, ends: &mut [Block; 2]) {
        for [enters, leaves] in &self.paths[..shape.vertices] {
            *ends = [min(*enters, ends[0]), max(*leaves, ends[1])];
        }
        let met = |spans: &[[Block; 2]]| lt(least(spans), splat(f64::INFINITY));
        let nan = splat(f64::NAN);
        *ends = including(*ends, select(met(&self.first[..shape.edge_count]), Block::ZERO, nan));
        *ends = including(*ends, select(met(&self.last[..shape.edge_count]), Block::ONE, nan));
    }

    /// Widens an interval by a coordinate of all points at the ends.
    #[inline(always)]
    fn widen<const MOVING: bool>(&self, shape: &Shape, table: &Table, ends: &mut [Block; 2]) {
        for (edge, &[vertex, direction]) in shape.edges[..shape.edge_count].iter().enumerate() {
            let (from, along) = (table.vertices[vertex], table.along[direction]);
            *ends = widened(*ends, from, along, &self.first[edge]);
            if MOVING {
                *ends = widened(*ends, from + table.way, along, &self.last[edge]);
            }
        }
        if MOVING {
            for vertex in 0..shape.vertices {
                *ends = widened(*ends, table.vertices[vertex], table.way, &self.paths[vertex]);
            }
        }
    }

    /// The same for a coordinate of the body itself, relative to the middle.
    #[inline(always)]
    fn widen_own<const MOVING: bool>(&self, shape: &Shape, row: usize, ends: &mut [Block; 2]) {
        for (edge, &[vertex, direction]) in shape.edges[..shape.edge_count].iter().enumerate() {
            let (from, along) = (own_coordinate(shape, vertex, row), own_change(shape, direction, row));
            *ends = widened_own(*ends, from, along, &self.first[edge]);
            if MOVING {
                *ends = widened_own(*ends, from, along, &self.last[edge]);
            }
        }
        if MOVING {
            for vertex in 0..shape.vertices {
                *ends = widened_own(*ends, own_coordinate(shape, vertex, row), 0.0, &self.paths[vertex]);
            }
        }
    }
}

#[inline(always)]
fn least(spans: &[[Block; 2]]) -> Block {
    let mut least = splat(f64::INFINITY);
    for [enters, _] in spans {
        least = min(*enters, least);
    }
    least
}

#[inline(always)]
fn widened(ends: [Block; 2], from: Block, along: Block, [enters, leaves]: &[Block; 2]) -> [Block; 2] {
    let (one, two) = (from + *enters * along, from + *leaves * along);
    [min(one, min(two, ends[0])), max(one, max(two, ends[1]))]
}

/// A coordinate that is constant along a line, or goes from one end of the body to the other.
#[inline(always)]
fn widened_own(ends: [Block; 2], from: f64, along: f64, span: &[Block; 2]) -> [Block; 2] {
    if along == 0.0 {
        including(ends, splat(from) + span[0] * Block::ZERO)
    } else {
        widened(ends, splat(from), splat(along), span)
    }
}

/// Includes the points where edges of A cross edges of B on the way, in 3D.
#[inline(always)]
fn include_crossings<const D: usize>(
    a_shape: &Shape,
    b_shape: &Shape,
    view: &View,
    world: &[Table; D],
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
                found.times = including(found.times, time);
                for axis in 0..D {
                    if wanted.world {
                        let table = &world[axis];
                        let place = table.vertices[vertex] + share * table.along[direction] + time * table.way;
                        found.world[axis] = including(found.world[axis], place);
                    }
                    if wanted.local {
                        let place = splat(own_coordinate(b_shape, vertex, axis))
                            + share * splat(own_change(b_shape, direction, axis));
                        found.local[axis] = including(found.local[axis], place);
                    }
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
        let (nk, nl, nm) = (view.tables[k].along[j], view.tables[l].along[j], view.tables[m].along[j]);
        let (gk, gl, gm) = (view.tables[k].way, view.tables[l].way, view.tables[m].way);
        let over = Block::ONE / (nk * gl - nl * gk);
        let magnitude = nk.abs() + nl.abs() + gk.abs() + gl.abs();
        let share = (view.rounding[k] + view.rounding[l]) * magnitude * over.abs();
        let reached = half + select(lt(share, splat(FLAT)), share, splat(f64::NAN));
        let reached_on_a = reached + share * (nm.abs() + gm.abs()) + view.rounding[m];
        let (nk, nl, gk, gl) = (nk * over, nl * over, gk * over, gl * over);

        let (a_edges, b_edges) = (edges_along(a_shape, i), edges_along(b_shape, j));
        let mut of_a = [[Block::ZERO; 3]; 4];
        for (place, &[vertex, _]) in of_a.iter_mut().zip(&a_shape.edges[a_edges.clone()]) {
            let (ck, cl) = (splat(own_coordinate(a_shape, vertex, k)), splat(own_coordinate(a_shape, vertex, l)));
            let (u, t) = (ck * gl - cl * gk, cl * nk - ck * nl);
            *place = [u, t, u * nm + t * gm];
        }
        for edge in b_edges {
            let vertex = b_shape.edges[edge][0];
            let vertices = |row: usize| view.tables[row].vertices[vertex];
            let (qk, ql, qm) = (vertices(k), vertices(l), vertices(m));
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

/// Change of a row of a body in its own coordinates along an edge.
#[inline(always)]
fn own_change(shape: &Shape, direction: usize, row: usize) -> f64 {
    shape.own_changes[direction][row]
}

#[inline(always)]
fn dot<const D: usize>(a: &[Block; D], b: &[Block; D]) -> Block {
    let mut sum = a[0] * b[0];
    for axis in 1..D {
        sum = sum + a[axis] * b[axis];
    }
    sum
}

#[inline(always)]
fn dot_of_magnitudes<const D: usize>(a: &[Block; D], b: &[Block; D]) -> Block {
    let mut sum = a[0].abs() * b[0];
    for axis in 1..D {
        sum = sum + a[axis].abs() * b[axis];
    }
    sum
}

/// Rows of the inverse of the matrix with these columns, and its determinant.
#[inline(always)]
fn inverse<const D: usize>(columns: &[[Block; D]; D]) -> ([[Block; D]; D], Block) {
    let c = columns;
    let mut rows = [[Block::ZERO; D]; D];
    for i in 0..D {
        for axis in 0..D {
            rows[i][axis] = if D == 2 {
                let entry = c[1 - i][1 - axis];
                if i == axis { entry } else { -entry }
            } else {
                let (u, v) = (&c[(i + 1) % D], &c[(i + 2) % D]);
                let (k, l) = ((axis + 1) % D, (axis + 2) % D);
                u[k] * v[l] - u[l] * v[k]
            };
        }
    }
    let determinant = dot(&rows[0], &c[0]);
    let over = Block::ONE / determinant;
    for row in &mut rows {
        for entry in row {
            *entry = *entry * over;
        }
    }
    (rows, determinant)
}
