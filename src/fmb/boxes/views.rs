//! Bodies in the coordinates of each other, four pairs at once.

#![allow(
    clippy::needless_range_loop,
    reason = "several arrays share the index, and plain loops are inlined whole"
)]

use super::shape::{DIRECTIONS, ROWS, SYSTEMS, Shape, each_difference, unrolled};
use super::{FLAT, ROUNDING};
use crate::frames::lanes::FrameLanes;
use crate::soa::lanes::{Block, lt, splat};

/// Numbers beyond this, or below its inverse, may overflow on the way; the scalar twin scales them first.
const LARGEST: f64 = 1e60;

/// A mask of all lanes.
const ALL: Block = Block::new([f64::from_bits(u64::MAX); 4]);

/// How the frames of each pair lie to each other.
pub(super) struct Relation<const D: usize> {
    /// From the origin of B to that of A at time 0.
    pub(super) offset: [Block; D],
    /// Displacement of A relative to B in the whole duration.
    pub(super) way: [Block; D],
    /// Magnitude of what the displacement is computed from.
    ways: [Block; D],
    /// Magnitude of what coordinates are computed from.
    reach: [Block; D],
}

impl<const D: usize> Relation<D> {
    #[inline(always)]
    pub(super) fn new(a: &FrameLanes<D>, b: &FrameLanes<D>) -> Self {
        let zero = [Block::ZERO; D];
        let mut pair = Self { offset: zero, way: zero, ways: zero, reach: zero };
        unrolled!(axis in [0, 1, 2] below D => {
            pair.offset[axis] = a.origin[axis] - b.origin[axis];
            pair.way[axis] = a.way[axis] - b.way[axis];
            pair.ways[axis] = a.way[axis].abs() + b.way[axis].abs();
            let mut reach = pair.offset[axis].abs() + pair.ways[axis];
            for i in 0..D {
                reach += a.components[i][axis].abs() + b.components[i][axis].abs();
            }
            pair.reach[axis] = reach;
        });
        pair
    }
}

/// One axis of all components.
#[inline(always)]
pub(super) fn along<const D: usize>(components: &[[Block; D]; D], axis: usize) -> [Block; D] {
    let mut values = [Block::ZERO; D];
    for i in 0..D {
        values[i] = components[i][axis];
    }
    values
}

/// A quantity that changes linearly with place and time, such as a coordinate, as a body sees it.
#[derive(Clone, Copy)]
pub(super) struct Table {
    /// Change along each direction of the body's edges.
    pub(super) along: [Block; DIRECTIONS],
    /// Change in the whole duration at a point that moves with the body.
    pub(super) way: Block,
    /// Twice its value at the origin of the body at half the duration.
    pub(super) origin: Block,
    /// The same where all coordinates of a system are in the middle of their range.
    pub(super) centres: [Block; SYSTEMS],
}

impl Table {
    pub(super) const EMPTY: Self = Self {
        along: [Block::ZERO; DIRECTIONS],
        way: Block::ZERO,
        origin: Block::ZERO,
        centres: [Block::ZERO; SYSTEMS],
    };

    /// `origin` is the value at the origin of the body at time 0.
    #[inline(always)]
    pub(super) fn new<const D: usize>(
        shape: &Shape,
        origin: Block,
        components: &[Block; D],
        way: Block,
    ) -> Self {
        let twice = origin + origin + way;
        let mut table = Self { way, origin: twice, ..Self::EMPTY };
        let mut centre = twice;
        unrolled!(i in [0, 1, 2] below D => {
            table.along[i] = components[i];
            centre += components[i];
        });
        table.centres[0] = centre;
        if shape.is_tetrahedron {
            unrolled!(i in [0, 1] below D => {
                table.centres[i + 1] = centre - splat(D as f64 - 1.0) * components[i];
            });
            each_difference!(shape, D, direction, [minus, plus] => {
                table.along[direction] = components[plus] - components[minus];
            });
        }
        table
    }
}

/// What the changes of a [`Table`] must exceed to be more than rounding error, [`FLAT`] times over.
///
/// Each has a bound of its own, in proportion to what it is computed from: a body far smaller than the other, or far
/// smaller than the way, changes coordinates little but not less exactly.
#[derive(Clone, Copy)]
pub(super) struct Noise {
    pub(super) along: [Block; DIRECTIONS],
    pub(super) way: Block,
}

impl Noise {
    const NONE: Self = Self { along: [Block::ZERO; DIRECTIONS], way: Block::ZERO };

    /// From that along the components.
    #[inline(always)]
    fn new<const D: usize>(shape: &Shape, components: &[Block; D], way: Block) -> Self {
        let mut noise = Self { way, ..Self::NONE };
        unrolled!(i in [0, 1, 2] below D => { noise.along[i] = components[i]; });
        if shape.is_tetrahedron {
            each_difference!(shape, D, direction, [minus, plus] => {
                noise.along[direction] = components[plus] + components[minus];
            });
        }
        noise
    }
}

/// A body in the coordinates of another, relative to the middle of their range: the other is where all are from -1/2
/// to 1/2.
pub(super) struct View {
    pub(super) tables: [Table; ROWS],
    pub(super) noise: [Noise; ROWS],
    /// Whether no number is so large or small that others may overflow.
    pub(super) is_tame: Block,
}

impl View {
    pub(super) const EMPTY: Self =
        Self { tables: [Table::EMPTY; ROWS], noise: [Noise::NONE; ROWS], is_tame: ALL };

    /// `sign` is 1 if `body` is A and -1 if it is B.
    #[inline(always)]
    pub(super) fn new<const D: usize>(
        shape: &Shape,
        other_shape: &Shape,
        other: &FrameLanes<D>,
        body: &FrameLanes<D>,
        pair: &Relation<D>,
        sign: f64,
    ) -> Self {
        let mut view = Self::EMPTY;
        let (inverse, determinant) = inverse(&other.components);
        let mut sum = [Block::ZERO; D];
        let (mut sum_origin, mut sum_way) = (splat(0.5 * (D as f64 - 1.0)), Block::ZERO);
        let (mut noise_of_sum, mut noise_of_sum_way) = ([Block::ZERO; D], Block::ZERO);
        let mut largest = Block::ZERO;
        let own_reach = reach_of_components(other);
        unrolled!(k in [0, 1, 2] below D => {
            let row = &inverse[k];
            let mut components = [Block::ZERO; D];
            unrolled!(i in [0, 1, 2] below D => {
                components[i] = dot(row, &body.components[i]);
                sum[i] += components[i];
            });
            let origin = dot(row, &pair.offset) * splat(sign) - splat(0.5);
            let way = dot(row, &pair.way) * splat(sign);
            // The more the components of the other cancel in its inverse, the less exact a row is.
            let unit = dot_of_magnitudes(row, &own_reach) * splat(ROUNDING / FLAT);
            let mut noise = [Block::ZERO; D];
            unrolled!(i in [0, 1, 2] below D => {
                noise[i] = dot_of_magnitudes(row, &body.components[i]) * unit;
                noise_of_sum[i] += noise[i];
            });
            let noise_of_way = dot_of_magnitudes(row, &pair.ways) * unit;
            view.tables[k] = Table::new(shape, origin, &components, way);
            view.noise[k] = Noise::new(shape, &noise, noise_of_way);
            sum_origin += origin;
            sum_way += way;
            noise_of_sum_way += noise_of_way;
            largest += dot_of_magnitudes(row, &pair.reach);
        });
        if other_shape.is_tetrahedron {
            view.tables[D] = Table::new(shape, sum_origin, &sum, sum_way);
            view.noise[D] = Noise::new(shape, &noise_of_sum, noise_of_sum_way);
        }
        view.is_tame = lt(determinant.abs(), splat(LARGEST))
            & lt(splat(1.0 / LARGEST), determinant.abs())
            & lt(largest, splat(LARGEST));
        view
    }
}

#[inline(always)]
fn dot<const D: usize>(a: &[Block; D], b: &[Block; D]) -> Block {
    let mut sum = a[0] * b[0];
    for axis in 1..D {
        sum += a[axis] * b[axis];
    }
    sum
}

#[inline(always)]
fn dot_of_magnitudes<const D: usize>(a: &[Block; D], b: &[Block; D]) -> Block {
    let mut sum = (a[0] * b[0]).abs();
    for axis in 1..D {
        sum += (a[axis] * b[axis]).abs();
    }
    sum
}

/// Along each axis the magnitudes of all components together.
#[inline(always)]
fn reach_of_components<const D: usize>(frame: &FrameLanes<D>) -> [Block; D] {
    let mut reach = [Block::ZERO; D];
    unrolled!(axis in [0, 1, 2] below D => {
        for i in 0..D {
            reach[axis] += frame.components[i][axis].abs();
        }
    });
    reach
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
            *entry *= over;
        }
    }
    (rows, determinant)
}
