//! Four pairs of frames at once: the same vertices as in the scalar twin, without branches on what is found.
//!
//! Whatever misses becomes NaN, which minima and maxima pass over.

#![allow(
    clippy::needless_range_loop,
    reason = "several arrays share the index, and plain loops are inlined whole"
)]

use super::crossings::include_crossings;
use super::shape::{
    EDGES, ROWS, Shape, VERTICES, each_direction, each_edge, each_row, each_vertex, unrolled,
};
use super::views::{Relation, Table, View, along};
use crate::frames::packed::FrameLanes;
use crate::soa::lanes::{Block, le, lt, max, min, select, splat};

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
        unrolled!(axis in [0, 1, 2] below D => {
            world_of_a.fill(a_shape, Block::ZERO, &along(&a.components, axis), a.way[axis]);
            world_of_b[axis].fill(b_shape, -pair.offset[axis], &along(&b.components, axis), b.way[axis]);
            of_a.widen::<MOVING>(a_shape, &world_of_a, &mut found.world[axis]);
            of_b.widen::<MOVING>(b_shape, &world_of_b[axis], &mut found.world[axis]);
        });
    }
    if wanted.local {
        unrolled!(axis in [0, 1, 2] below D => {
            of_a.widen::<MOVING>(a_shape, &from_b.tables[axis], &mut found.local[axis]);
            of_b.widen_own::<MOVING>(b_shape, axis, &mut found.local[axis]);
        });
    }
    let mut is_found = le(of_a.least_first(a_shape), Block::ONE) | le(of_b.least_first(b_shape), Block::ONE);
    if MOVING {
        of_a.widen_times(a_shape, &mut found.times);
        of_b.widen_times(b_shape, &mut found.times);
        if D == 3 {
            include_crossings::<D, A_TET, B_TET>(&from_a, &world_of_b, wanted, &mut found);
        }
        is_found = le(found.times[0], found.times[1]);
    }
    found.outcome::<MOVING>(from_b.is_tame & from_a.is_tame & is_found, &a.origin)
}

/// The interval of what has been seen so far; `world` is relative to the origin of A at time 0, `local` to the middle.
pub(super) struct Found<const D: usize> {
    pub(super) times: [Block; 2],
    pub(super) world: [[Block; 2]; D],
    pub(super) local: [[Block; 2]; D],
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
        let (mut change, mut start, mut end) =
            ([Block::ZERO; ROWS], [Block::ZERO; ROWS], [Block::ZERO; ROWS]);
        each_direction!(shape, direction => {
            each_row!(other, k => { change[k] = view.tables[k].along[direction]; });
            let cut = view.cut(other, &change);
            unrolled!(n in [0, 1, 2, 3] below shape.alike() => {
                let edge = direction * shape.alike() + n;
                each_row!(other, k => {
                    start[k] = view.tables[k].vertices[shape.edges[edge][0]];
                    end[k] = start[k] + view.tables[k].way;
                });
                self.first[edge] = cut.span(other, &start);
                if MOVING {
                    self.last[edge] = cut.span(other, &end);
                }
            });
        });
        if MOVING {
            each_row!(other, k => { change[k] = view.tables[k].way; });
            let cut = view.cut(other, &change);
            each_vertex!(shape, vertex => {
                each_row!(other, k => { start[k] = view.tables[k].vertices[vertex]; });
                self.paths[vertex] = cut.span(other, &start);
            });
        }
    }

    /// Infinite where no edge meets the other body at time 0.
    #[inline(always)]
    fn least_first(&self, shape: &Shape) -> Block {
        least(shape, &self.first)
    }

    #[inline(always)]
    fn widen_times(&self, shape: &Shape, ends: &mut [Block; 2]) {
        each_vertex!(shape, vertex => {
            let [enters, leaves] = self.paths[vertex];
            *ends = [min(enters, ends[0]), max(leaves, ends[1])];
        });
        let (nan, infinite) = (splat(f64::NAN), splat(f64::INFINITY));
        *ends = including(*ends, select(lt(least(shape, &self.first), infinite), Block::ZERO, nan));
        *ends = including(*ends, select(lt(least(shape, &self.last), infinite), Block::ONE, nan));
    }

    /// Widens an interval by a coordinate of all points at the ends.
    #[inline(always)]
    fn widen<const MOVING: bool>(&self, shape: &Shape, table: &Table, interval: &mut [Block; 2]) {
        let mut ends = *interval;
        each_edge!(shape, edge => {
            let [vertex, direction] = shape.edges[edge];
            let (from, along) = (table.vertices[vertex], table.along[direction]);
            ends = widened(ends, from, along, &self.first[edge]);
            if MOVING {
                ends = widened(ends, from + table.way, along, &self.last[edge]);
            }
        });
        if MOVING {
            each_vertex!(shape, vertex => {
                ends = widened(ends, table.vertices[vertex], table.way, &self.paths[vertex]);
            });
        }
        *interval = ends;
    }

    /// The same for a coordinate of the body itself, relative to the middle.
    #[inline(always)]
    fn widen_own<const MOVING: bool>(&self, shape: &Shape, row: usize, interval: &mut [Block; 2]) {
        let mut ends = *interval;
        each_edge!(shape, edge => {
            let [vertex, direction] = shape.edges[edge];
            let (from, along) = (shape.own_coordinate(vertex, row), shape.own_changes[direction][row]);
            ends = widened_own(ends, from, along, &self.first[edge]);
            if MOVING {
                ends = widened_own(ends, from, along, &self.last[edge]);
            }
        });
        if MOVING {
            each_vertex!(shape, vertex => {
                ends = widened_own(ends, shape.own_coordinate(vertex, row), 0.0, &self.paths[vertex]);
            });
        }
        *interval = ends;
    }
}

#[inline(always)]
fn least(shape: &Shape, spans: &[[Block; 2]; EDGES]) -> Block {
    let mut least = splat(f64::INFINITY);
    each_edge!(shape, edge => { least = min(spans[edge][0], least); });
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

#[inline(always)]
pub(super) fn including(ends: [Block; 2], place: Block) -> [Block; 2] {
    [min(place, ends[0]), max(place, ends[1])]
}
