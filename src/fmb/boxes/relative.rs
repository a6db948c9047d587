//! Bodies in the coordinates of each other, four pairs at once.

use super::layout::{BodyLayout, DIRECTIONS, ROWS, SYSTEMS, each_difference, unrolled};
use super::{FLAT, ROUNDING};
use crate::frames::lanes::FrameLanes;
use crate::soa::block::Doubles;

/// Products of numbers beyond this, or below its inverse, may overflow; the scalar twin scales them first.
const LARGEST: f64 = 1e60;

/// The position and motion of A relative to B. Time is in units of the duration, so that velocities are displacements.
pub(super) struct Relation<B, const D: usize> {
    /// From the origin of B to that of A at time 0.
    pub(super) offset: [B; D],
    /// Displacement of A relative to B over the whole duration.
    displacement: [B; D],
    /// Sum of the magnitudes of both displacements.
    displacements: [B; D],
    /// Sum of the magnitudes of everything that coordinates are computed from.
    magnitude: [B; D],
}

impl<B: Doubles, const D: usize> Relation<B, D> {
    #[inline(always)]
    pub(super) fn new(a: &FrameLanes<D, B>, b: &FrameLanes<D, B>) -> Self {
        let zero = [B::ZERO; D];
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

/// A quantity that is linear in place and time, such as a coordinate, in terms of the edges of a body.
#[derive(Clone, Copy)]
pub(super) struct LinearQuantity<B> {
    /// Change along each direction of the body's edges.
    pub(super) along: [B; DIRECTIONS],
    /// Change over the whole duration at a point that moves with the body.
    pub(super) in_time: B,
    /// Twice its value at the origin of the body at half the duration.
    pub(super) origin: B,
    /// The same where all coordinates of a system are in the middle of their range.
    pub(super) centres: [B; SYSTEMS],
}

impl<B: Doubles> LinearQuantity<B> {
    pub(super) const EMPTY: Self =
        Self { along: [B::ZERO; DIRECTIONS], in_time: B::ZERO, origin: B::ZERO, centres: [B::ZERO; SYSTEMS] };

    /// `origin` is the value at the origin of the body at time 0.
    #[inline(always)]
    pub(super) fn new<const D: usize>(
        layout: &BodyLayout,
        origin: B,
        components: &[B; D],
        in_time: B,
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
                quantity.centres[i + 1] = centre - B::splat(D as f64 - 1.0) * components[i];
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
pub(super) struct Noise<B> {
    pub(super) along: [B; DIRECTIONS],
    pub(super) in_time: B,
}

impl<B: Doubles> Noise<B> {
    const NONE: Self = Self { along: [B::ZERO; DIRECTIONS], in_time: B::ZERO };

    /// From the noise along the components.
    #[inline(always)]
    fn new<const D: usize>(layout: &BodyLayout, components: &[B; D], in_time: B) -> Self {
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
pub(super) struct RelativeBody<B> {
    /// The coordinates that bound the other body.
    pub(super) rows: [LinearQuantity<B>; ROWS],
    pub(super) noise: [Noise<B>; ROWS],
    /// Set where no number is so large or small that products may overflow.
    pub(super) in_range: B,
}

impl<B: Doubles> RelativeBody<B> {
    /// A body that bounds nothing.
    #[inline(always)]
    pub(super) fn empty() -> Self {
        let all = B::broadcast(f64::from_bits(u64::MAX));
        Self { rows: [LinearQuantity::EMPTY; ROWS], noise: [Noise::NONE; ROWS], in_range: all }
    }

    /// `sign` is 1 if `body` is A and -1 if it is B.
    #[inline(always)]
    pub(super) fn new<const D: usize>(
        layout: &BodyLayout,
        other_layout: &BodyLayout,
        other: &FrameLanes<D, B>,
        body: &FrameLanes<D, B>,
        pair: &Relation<B, D>,
        sign: f64,
    ) -> Self {
        let mut relative = Self::empty();
        let (inverse, determinant) = inverse(&other.components);
        let mut sum = [B::ZERO; D];
        let (mut sum_origin, mut sum_in_time) = (B::splat(0.5 * (D as f64 - 1.0)), B::ZERO);
        let (mut noise_of_sum, mut noise_of_sum_in_time) = ([B::ZERO; D], B::ZERO);
        let mut largest = B::ZERO;
        let own_size = component_magnitudes(other);
        unrolled!(k in [0, 1, 2] below D => {
            let row = &inverse[k];
            let mut components = [B::ZERO; D];
            unrolled!(i in [0, 1, 2] below D => {
                components[i] = dot(row, &body.components[i]);
                sum[i] += components[i];
            });
            let origin = dot(row, &pair.offset) * B::splat(sign) - B::splat(0.5);
            let in_time = dot(row, &pair.displacement) * B::splat(sign);
            // The more the components of the other cancel in its inverse, the less exact a row is.
            let unit = dot_of_magnitudes(row, &own_size) * B::splat(ROUNDING / FLAT);
            let mut noise = [B::ZERO; D];
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
        relative.in_range = determinant.abs().lt(B::splat(LARGEST))
            & B::splat(1.0 / LARGEST).lt(determinant.abs())
            & largest.lt(B::splat(LARGEST));
        relative
    }
}

#[inline(always)]
fn dot<B: Doubles, const D: usize>(a: &[B; D], b: &[B; D]) -> B {
    let mut sum = a[0] * b[0];
    for axis in 1..D {
        sum += a[axis] * b[axis];
    }
    sum
}

#[inline(always)]
fn dot_of_magnitudes<B: Doubles, const D: usize>(a: &[B; D], b: &[B; D]) -> B {
    let mut sum = (a[0] * b[0]).abs();
    for axis in 1..D {
        sum += (a[axis] * b[axis]).abs();
    }
    sum
}

/// On each axis the sum of the magnitudes of all components.
#[inline(always)]
fn component_magnitudes<B: Doubles, const D: usize>(frame: &FrameLanes<D, B>) -> [B; D] {
    let mut magnitude = [B::ZERO; D];
    unrolled!(axis in [0, 1, 2] below D => {
        for i in 0..D {
            magnitude[axis] += frame.components[i][axis].abs();
        }
    });
    magnitude
}

/// Rows of the inverse of the matrix with these columns, and its determinant.
#[inline(always)]
fn inverse<B: Doubles, const D: usize>(columns: &[[B; D]; D]) -> ([[B; D]; D], B) {
    let c = columns;
    let mut rows = [[B::ZERO; D]; D];
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
    let inverse = B::ONE / determinant;
    for i in 0..D {
        for axis in 0..D {
            rows[i][axis] *= inverse;
        }
    }
    (rows, determinant)
}
