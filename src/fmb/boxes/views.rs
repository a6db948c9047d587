//! Bodies in the coordinates of each other, four pairs at once.

#![allow(
    clippy::needless_range_loop,
    reason = "several arrays share the index, and plain loops are inlined whole"
)]

use super::shape::{DIRECTIONS, ROWS, Shape, VERTICES, each_row, unrolled};
use super::{GRAZING, ROUNDING};
use crate::frames::packed::FrameLanes;
use crate::soa::lanes::{self, Block, le, lt, max, min, select, splat};

/// Numbers beyond this, or below its inverse, may overflow on the way; the scalar twin scales them first.
const LARGEST: f64 = 1e60;

/// In place of a change along a line that is nothing but rounding error: any place is reached far outside.
const NO_CHANGE: f64 = 1e-60;

/// How the frames of each pair lie to each other.
pub(super) struct Relation<const D: usize> {
    /// From the origin of B to that of A at time 0.
    pub(super) offset: [Block; D],
    /// Displacement of A relative to B in the whole duration.
    pub(super) way: [Block; D],
    /// Magnitude of what coordinates are computed from.
    pub(super) reach: [Block; D],
}

impl<const D: usize> Relation<D> {
    #[inline(always)]
    pub(super) fn new(a: &FrameLanes<D>, b: &FrameLanes<D>) -> Self {
        let mut pair = Self { offset: [Block::ZERO; D], way: [Block::ZERO; D], reach: [Block::ZERO; D] };
        for axis in 0..D {
            pair.offset[axis] = a.origin[axis] - b.origin[axis];
            pair.way[axis] = a.way[axis] - b.way[axis];
            let mut reach = pair.offset[axis].abs() + pair.way[axis].abs();
            for i in 0..D {
                reach += a.components[i][axis].abs() + b.components[i][axis].abs();
            }
            pair.reach[axis] = reach;
        }
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

/// One coordinate of everything a body has.
#[derive(Clone, Copy)]
pub(super) struct Table {
    /// Of its vertices at time 0.
    pub(super) vertices: [Block; VERTICES],
    /// Change along each direction of its edges.
    pub(super) along: [Block; DIRECTIONS],
    /// Change in the whole duration.
    pub(super) way: Block,
}

impl Table {
    pub(super) const EMPTY: Self =
        Self { vertices: [Block::ZERO; VERTICES], along: [Block::ZERO; DIRECTIONS], way: Block::ZERO };

    #[inline(always)]
    pub(super) fn fill<const D: usize>(
        &mut self,
        shape: &Shape,
        origin: Block,
        components: &[Block; D],
        way: Block,
    ) {
        self.way = way;
        self.vertices[0] = origin;
        unrolled!(i in [0, 1, 2] below D => {
            self.along[i] = components[i];
            if shape.is_tetrahedron() {
                self.vertices[i + 1] = origin + components[i];
            } else {
                unrolled!(k in [0, 1, 2, 3] below 1 << i => {
                    self.vertices[k + (1 << i)] = self.vertices[k] + components[i];
                });
            }
        });
        unrolled!(difference in [0, 1, 2] below shape.directions - D => {
            let [minus, plus] = shape.differences[D + difference];
            self.along[D + difference] = components[plus] - components[minus];
        });
    }
}

/// A body in the coordinates of another, relative to the middle of their range: the other is where all are from -1/2
/// to 1/2.
pub(super) struct View {
    pub(super) tables: [Table; ROWS],
    /// Rounding error of each coordinate.
    pub(super) rounding: [Block; ROWS],
    /// Whether no number is so large or small that others may overflow.
    pub(super) is_tame: Block,
}

impl View {
    pub(super) const EMPTY: Self =
        Self { tables: [Table::EMPTY; ROWS], rounding: [Block::ZERO; ROWS], is_tame: Block::ZERO };

    /// `sign` is 1 if `body` is A and -1 if it is B.
    #[inline(always)]
    pub(super) fn fill<const D: usize>(
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
        unrolled!(k in [0, 1, 2] below D => {
            let row = &inverse[k];
            let mut components = [Block::ZERO; D];
            unrolled!(i in [0, 1, 2] below D => {
                components[i] = dot(row, &body.components[i]);
                sum[i] += components[i];
            });
            let origin = dot(row, &pair.offset) * splat(sign) - splat(0.5);
            let way = dot(row, &pair.way) * splat(sign);
            self.rounding[k] = dot_of_magnitudes(row, &pair.reach) * splat(ROUNDING);
            self.tables[k].fill(shape, origin, &components, way);
            sum_origin += origin;
            sum_way += way;
            sum_rounding += self.rounding[k];
        });
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
    pub(super) fn cut(&self, other: &Shape, change: &[Block; ROWS]) -> Cut {
        let mut cut = Cut { slope: [Block::ZERO; ROWS], half: [Block::ZERO; ROWS], tolerance: Block::ZERO };
        each_row!(other, k => {
            let is_parallel = le(change[k].abs(), self.rounding[k]);
            let slope = splat(-1.0) / select(is_parallel, splat(NO_CHANGE), change[k]);
            let share = self.rounding[k] * slope.abs();
            let is_grazing = lt(splat(GRAZING), share);
            cut.slope[k] = slope;
            cut.half[k] = slope.abs() * splat(0.5) + lanes::keep(is_grazing, share);
            cut.tolerance = max(min(share, splat(GRAZING)), cut.tolerance);
        });
        cut
    }
}

/// How lines of one direction are cut by a body.
pub(super) struct Cut {
    pub(super) slope: [Block; ROWS],
    pub(super) half: [Block; ROWS],
    pub(super) tolerance: Block,
}

impl Cut {
    /// The shares at which a line enters and leaves the body; NaN if it misses.
    #[inline(always)]
    pub(super) fn span(&self, other: &Shape, start: &[Block; ROWS]) -> [Block; 2] {
        let (mut enters, mut leaves) = (Block::ZERO, Block::ONE);
        each_row!(other, k => {
            let middle = start[k] * self.slope[k];
            enters = max(middle - self.half[k], enters);
            leaves = min(middle + self.half[k], leaves);
        });
        let misses = lt(leaves + self.tolerance, enters);
        [enters | misses, leaves | misses]
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
    let mut sum = a[0].abs() * b[0];
    for axis in 1..D {
        sum += a[axis].abs() * b[axis];
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
            *entry *= over;
        }
    }
    (rows, determinant)
}
