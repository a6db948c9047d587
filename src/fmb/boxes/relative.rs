//! Bodies in the coordinates of each other, four pairs at once.

#![allow(
    clippy::needless_range_loop,
    reason = "several arrays share the index, and plain loops are inlined whole"
)]

use super::layout::{BodyLayout, DIRECTIONS, ROWS, SYSTEMS, each_difference, unrolled};
use super::{FLAT, ROUNDING};
use crate::frames::lanes::FrameLanes;
use crate::soa::lanes::{Block, lt, splat};

/// Products of numbers beyond this, or below its inverse, may overflow; the scalar twin scales them first.
const LARGEST: f64 = 1e60;

/// A mask of all lanes.
const ALL: Block = Block::new([f64::from_bits(u64::MAX); 4]);

/// The position and motion of A relative to B. Time is in units of the duration, so that velocities are displacements.
pub(super) struct Relation<const D: usize> {
    /// From the origin of B to that of A at time 0.
    pub(super) offset: [Block; D],
    /// Displacement of A relative to B over the whole duration.
    displacement: [Block; D],
    /// Sum of the magnitudes of both displacements.
    displacements: [Block; D],
    /// Sum of the magnitudes of everything that coordinates are computed from.
    magnitude: [Block; D],
}

impl<const D: usize> Relation<D> {
    #[inline(always)]
    pub(super) fn new(a: &FrameLanes<D>, b: &FrameLanes<D>) -> Self {
        let zero = [Block::ZERO; D];
        let mut pair = Self { offset: zero, displacement: zero, displacements: zero, magnitude: zero };
        unrolled!(axis in [0, 1, 2] below D => {
            pair.offset[axis] = a.origin[axis] - b.origin[axis];
            pair.displacement[axis] = a.velocity[axis] - b.velocity[axis];
            pair.displacements[axis] = a.velocity[axis].abs() + b.velocity[axis].abs();
            let mut magnitude = pair.offset[axis].abs() + pair.displacements[axis];
            for i in 0..D {
                magnitude += a.components[i][axis].abs() + b.components[i][axis].abs();
            }
            pair.magnitude[axis] = magnitude;
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

/// A quantity that is linear in place and time, such as a coordinate, in terms of the edges of a body.
#[derive(Clone, Copy)]
pub(super) struct LinearQuantity {
    /// Change along each direction of the body's edges.
    pub(super) along: [Block; DIRECTIONS],
    /// Change over the whole duration at a point that moves with the body.
    pub(super) in_time: Block,
    /// Twice its value at the origin of the body at half the duration.
    pub(super) origin: Block,
    /// The same where all coordinates of a system are in the middle of their range.
    pub(super) centres: [Block; SYSTEMS],
}

impl LinearQuantity {
    pub(super) const EMPTY: Self = Self {
        along: [Block::ZERO; DIRECTIONS],
        in_time: Block::ZERO,
        origin: Block::ZERO,
        centres: [Block::ZERO; SYSTEMS],
    };

    /// `origin` is the value at the origin of the body at time 0.
    #[inline(always)]
    pub(super) fn new<const D: usize>(
        layout: &BodyLayout,
        origin: Block,
        components: &[Block; D],
        in_time: Block,
    ) -> Self {
        let twice = origin + origin + in_time;
        let mut quantity = Self { in_time, origin: twice, ..Self::EMPTY };
        let mut centre = twice;
        unrolled!(i in [0, 1, 2] below D => {
            quantity.along[i] = components[i];
            centre += components[i];
        });
        quantity.centres[0] = centre;
        if layout.is_tetrahedron {
            unrolled!(i in [0, 1] below D => {
                quantity.centres[i + 1] = centre - splat(D as f64 - 1.0) * components[i];
            });
            each_difference!(layout, D, direction, [minus, plus] => {
                quantity.along[direction] = components[plus] - components[minus];
            });
        }
        quantity
    }
}

/// The rounding errors of the changes of a [`LinearQuantity`], divided by [`FLAT`]: smaller changes are not used.
///
/// Each has a bound of its own, in proportion to what it is computed from: over a body far smaller than the other, or far
/// smaller than the displacement, coordinates change little but not less exactly.
#[derive(Clone, Copy)]
pub(super) struct Noise {
    pub(super) along: [Block; DIRECTIONS],
    pub(super) in_time: Block,
}

impl Noise {
    const NONE: Self = Self { along: [Block::ZERO; DIRECTIONS], in_time: Block::ZERO };

    /// From the noise along the components.
    #[inline(always)]
    fn new<const D: usize>(layout: &BodyLayout, components: &[Block; D], in_time: Block) -> Self {
        let mut noise = Self { in_time, ..Self::NONE };
        unrolled!(i in [0, 1, 2] below D => { noise.along[i] = components[i]; });
        if layout.is_tetrahedron {
            each_difference!(layout, D, direction, [minus, plus] => {
                noise.along[direction] = components[plus] + components[minus];
            });
        }
        noise
    }
}

/// A body in the coordinates of another, relative to the middle of their range: within the other all are from -1/2 to
/// 1/2.
pub(super) struct RelativeBody {
    /// The coordinates that bound the other body.
    pub(super) rows: [LinearQuantity; ROWS],
    pub(super) noise: [Noise; ROWS],
    /// Set where no number is so large or small that products may overflow.
    pub(super) in_range: Block,
}

impl RelativeBody {
    pub(super) const EMPTY: Self =
        Self { rows: [LinearQuantity::EMPTY; ROWS], noise: [Noise::NONE; ROWS], in_range: ALL };

    /// `sign` is 1 if `body` is A and -1 if it is B.
    #[inline(always)]
    pub(super) fn new<const D: usize>(
        layout: &BodyLayout,
        other_layout: &BodyLayout,
        other: &FrameLanes<D>,
        body: &FrameLanes<D>,
        pair: &Relation<D>,
        sign: f64,
    ) -> Self {
        let mut relative = Self::EMPTY;
        let (inverse, determinant) = inverse(&other.components);
        let mut sum = [Block::ZERO; D];
        let (mut sum_origin, mut sum_in_time) = (splat(0.5 * (D as f64 - 1.0)), Block::ZERO);
        let (mut noise_of_sum, mut noise_of_sum_in_time) = ([Block::ZERO; D], Block::ZERO);
        let mut largest = Block::ZERO;
        let own_size = component_magnitudes(other);
        unrolled!(k in [0, 1, 2] below D => {
            let row = &inverse[k];
            let mut components = [Block::ZERO; D];
            unrolled!(i in [0, 1, 2] below D => {
                components[i] = dot(row, &body.components[i]);
                sum[i] += components[i];
            });
            let origin = dot(row, &pair.offset) * splat(sign) - splat(0.5);
            let in_time = dot(row, &pair.displacement) * splat(sign);
            // The more the components of the other cancel in its inverse, the less exact a row is.
            let unit = dot_of_magnitudes(row, &own_size) * splat(ROUNDING / FLAT);
            let mut noise = [Block::ZERO; D];
            unrolled!(i in [0, 1, 2] below D => {
                noise[i] = dot_of_magnitudes(row, &body.components[i]) * unit;
                noise_of_sum[i] += noise[i];
            });
            let noise_in_time = dot_of_magnitudes(row, &pair.displacements) * unit;
            relative.rows[k] = LinearQuantity::new(layout, origin, &components, in_time);
            relative.noise[k] = Noise::new(layout, &noise, noise_in_time);
            sum_origin += origin;
            sum_in_time += in_time;
            noise_of_sum_in_time += noise_in_time;
            largest += dot_of_magnitudes(row, &pair.magnitude);
        });
        if other_layout.is_tetrahedron {
            relative.rows[D] = LinearQuantity::new(layout, sum_origin, &sum, sum_in_time);
            relative.noise[D] = Noise::new(layout, &noise_of_sum, noise_of_sum_in_time);
        }
        relative.in_range = lt(determinant.abs(), splat(LARGEST))
            & lt(splat(1.0 / LARGEST), determinant.abs())
            & lt(largest, splat(LARGEST));
        relative
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

/// On each axis the sum of the magnitudes of all components.
#[inline(always)]
fn component_magnitudes<const D: usize>(frame: &FrameLanes<D>) -> [Block; D] {
    let mut magnitude = [Block::ZERO; D];
    unrolled!(axis in [0, 1, 2] below D => {
        for i in 0..D {
            magnitude[axis] += frame.components[i][axis].abs();
        }
    });
    magnitude
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
    let inverse = Block::ONE / determinant;
    for row in &mut rows {
        for entry in row {
            *entry *= inverse;
        }
    }
    (rows, determinant)
}
