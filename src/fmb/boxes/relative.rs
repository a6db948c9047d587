//! Bodies in the coordinates of each other, four pairs at once, with bounds of their rounding errors.

use super::layout::{BodyLayout, DIRECTIONS, ROWS, SYSTEMS, each_difference, unrolled};
use crate::fmb::rests::{two_product, two_sum};
use crate::frames::lanes::FrameLanes;
use crate::soa::block::{Lanes, Real};

/// Products of numbers beyond this, or below its inverse, may overflow: such pairs are computed with more precision.
const LARGEST: f64 = 1e60;

/// If the products that a determinant is the sum of are larger than it by this factor, its error is no longer small
/// against it; and the same for determinants of twice the digits.
const LARGEST_CONDITION: f64 = 1e10;
const LARGEST_ACCURATE_CONDITION: f64 = 1e14;

/// 64 roundings: more than twice those on the longest way to a bound (docs/methods/fmb-regions.md, section 3).
const ROUNDINGS: f64 = 32.0 * f64::EPSILON;

/// A number that regions are computed in.
pub(super) trait RegionNumber: Real {
    /// Changes of no more than this share of their error are taken as 0. Rows in single precision are taken as they are: what
    /// they differ by from those of the pair is part of their error.
    const LEFT_OUT: f64;
    /// Determinants with a larger inverse are too small to be known.
    const LARGEST_INVERSE: f64;
}

impl RegionNumber for f64 {
    const LEFT_OUT: f64 = 0.5;
    const LARGEST_INVERSE: f64 = Self::INFINITY;
}

impl RegionNumber for f32 {
    const LEFT_OUT: f64 = 0.0;
    const LARGEST_INVERSE: f64 = 1e25;
}

/// Numbers of as many pairs as a block has lanes.
pub(super) trait RegionBlock: Lanes<Number: RegionNumber> {}

impl<L: Lanes<Number: RegionNumber>> RegionBlock for L {}

/// The position and motion of A relative to B. Time is in units of the duration, so that velocities are displacements.
pub(super) struct Relation<B, const D: usize> {
    /// From the origin of B to that of A at time 0.
    pub(super) offset: [B; D],
    /// Displacement of A relative to B over the whole duration.
    displacement: [B; D],
    /// Sum of the magnitudes of everything that coordinates of one body in the other are computed from.
    pub(super) reach: [B; D],
}

impl<B: Lanes<Number = f64>, const D: usize> Relation<B, D> {
    /// Differences come first: a common velocity, or a common distance from the origin of the world, costs no digits.
    #[inline(always)]
    pub(super) fn new<const MOVING: bool>(a: &FrameLanes<D, B>, b: &FrameLanes<D, B>, duration: B) -> Self {
        let zero = [B::ZERO; D];
        let mut pair = Self { offset: zero, displacement: zero, reach: zero };
        unrolled!(axis in [0, 1, 2] below D => {
            pair.offset[axis] = a.origin[axis] - b.origin[axis];
            let mut reach = pair.offset[axis].abs();
            if MOVING {
                pair.displacement[axis] = (a.velocity[axis] - b.velocity[axis]) * duration;
                reach += pair.displacement[axis].abs();
            }
            for i in 0..D {
                reach += a.components[i][axis].abs() + b.components[i][axis].abs();
            }
            pair.reach[axis] = reach;
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

impl<B: RegionBlock> LinearQuantity<B> {
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
        Self::of_middle(layout, origin + origin + in_time, components, in_time)
    }

    /// `twice` is twice the value at the origin of the body at half the duration.
    #[inline(always)]
    pub(super) fn of_middle<const D: usize>(
        layout: &BodyLayout,
        twice: B,
        components: &[B; D],
        in_time: B,
    ) -> Self {
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

    /// Where the mask is set the one, elsewhere the other.
    #[inline(always)]
    pub(super) fn select(mask: B, one: &Self, other: &Self) -> Self {
        let mut chosen = Self::EMPTY;
        unrolled!(i in [0, 1, 2, 3, 4, 5] below DIRECTIONS => {
            chosen.along[i] = mask.select(one.along[i], other.along[i]);
        });
        chosen.in_time = mask.select(one.in_time, other.in_time);
        chosen.origin = mask.select(one.origin, other.origin);
        unrolled!(i in [0, 1, 2] below SYSTEMS => {
            chosen.centres[i] = mask.select(one.centres[i], other.centres[i]);
        });
        chosen
    }
}

/// The largest magnitudes of the changes of some quantities along each direction of a body's edges and with time.
#[derive(Clone, Copy)]
pub(super) struct Changes<B> {
    pub(super) along: [B; DIRECTIONS],
    pub(super) in_time: B,
}

impl<B: RegionBlock> Changes<B> {
    /// Those of quantities that do not change.
    pub(super) const NONE: Self = Self { along: [B::ZERO; DIRECTIONS], in_time: B::ZERO };

    /// From the changes along the components.
    #[inline(always)]
    pub(super) fn new<const D: usize>(layout: &BodyLayout, components: &[B; D], in_time: B) -> Self {
        let mut changes = Self { in_time, ..Self::NONE };
        unrolled!(i in [0, 1, 2] below D => { changes.along[i] = components[i]; });
        if layout.is_tetrahedron {
            each_difference!(layout, D, direction, [minus, plus] => {
                changes.along[direction] = components[plus] + components[minus];
            });
        }
        changes
    }

    /// Those of the coordinates in the world, of a frame whose displacement is given.
    #[inline(always)]
    pub(super) fn in_world<const D: usize>(
        layout: &BodyLayout,
        frame: &FrameLanes<D, B>,
        displacement: B,
    ) -> Self {
        let mut components = [B::ZERO; D];
        unrolled!(i in [0, 1, 2] below D => { components[i] = largest(&frame.components[i]); });
        Self::new(layout, &components, displacement)
    }

    /// Those of the coordinates of a frame in its own system.
    #[inline(always)]
    pub(super) fn of_own_coordinates<const D: usize>(layout: &BodyLayout) -> Self {
        Self::new(layout, &[B::ONE; D], B::ZERO)
    }

    /// Those of some rows.
    #[inline(always)]
    pub(super) fn of_rows<const D: usize>(layout: &BodyLayout, rows: &[LinearQuantity<B>; 3]) -> Self {
        let mut components = [B::ZERO; D];
        unrolled!(i in [0, 1, 2] below D => {
            components[i] = rows[0].along[i].abs().max(rows[1].along[i].abs()).max(rows[2].along[i].abs());
        });
        let in_time = rows[0].in_time.abs().max(rows[1].in_time.abs()).max(rows[2].in_time.abs());
        Self::new(layout, &components, in_time)
    }

    /// Where the mask is set the one, elsewhere the other.
    #[inline(always)]
    pub(super) fn select(mask: B, one: &Self, other: &Self) -> Self {
        let mut chosen = Self::NONE;
        unrolled!(i in [0, 1, 2, 3, 4, 5] below DIRECTIONS => {
            chosen.along[i] = mask.select(one.along[i], other.along[i]);
        });
        chosen.in_time = mask.select(one.in_time, other.in_time);
        chosen
    }
}

/// A body in the coordinates of another, relative to the middle of their range: within the other all are from -1/2 to
/// 1/2.
#[derive(Clone, Copy)]
pub(super) struct RelativeBody<B> {
    /// The coordinates that bound the other body.
    pub(super) rows: [LinearQuantity<B>; ROWS],
    /// Twice the largest error of each of these coordinates, anywhere on this body and at any time, with the roundings of
    /// what is computed from it: changes of no more than half of it are taken as 0.
    pub(super) errors: [B; ROWS],
    /// Set where no number is so large or small that products may overflow, and where errors are small.
    pub(super) in_range: B,
    /// Magnitude of the determinant of the other body's components.
    pub(super) determinant: B,
}

impl<B: RegionBlock> RelativeBody<B> {
    /// A body that bounds nothing.
    #[inline(always)]
    pub(super) fn empty() -> Self {
        let all = B::ZERO.le(B::ZERO);
        let rows = [LinearQuantity::EMPTY; ROWS];
        Self { rows, errors: [B::ZERO; ROWS], in_range: all, determinant: B::ZERO }
    }
}

impl<B: Lanes<Number = f64>> RelativeBody<B> {
    /// `sign` is 1 if `body` is A and -1 if it is B. Rows whose errors together are above `largest_error` are not in range. With
    /// `ACCURATE` the inverse has no more than some roundings of its own
    /// size, whatever cancels in it.
    #[inline(always)]
    pub(super) fn new<const D: usize, const ACCURATE: bool>(
        layout: &BodyLayout,
        other_layout: &BodyLayout,
        other: &FrameLanes<D, B>,
        body: &FrameLanes<D, B>,
        pair: &Relation<B, D>,
        [sign, largest_error]: [f64; 2],
    ) -> Self {
        let mut relative = Self::empty();
        let inverse =
            if ACCURATE { Inverse::accurate(&other.components) } else { Inverse::of(&other.components) };
        let mut sum = [B::ZERO; D];
        let (mut sum_origin, mut sum_in_time) = (B::splat(0.5 * (D as f64 - 1.0)), B::ZERO);
        let mut total = B::ZERO;
        unrolled!(k in [0, 1, 2] below D => {
            let row = &inverse.rows[k];
            let mut components = [B::ZERO; D];
            unrolled!(i in [0, 1, 2] below D => {
                components[i] = dot(row, &body.components[i]);
                sum[i] += components[i];
            });
            let origin = dot(row, &pair.offset) * B::splat(sign) - B::splat(0.5);
            let in_time = dot(row, &pair.displacement) * B::splat(sign);
            relative.rows[k] = LinearQuantity::new(layout, origin, &components, in_time);
            relative.errors[k] = inverse.error::<ACCURATE>(k, &pair.reach);
            sum_origin += origin;
            sum_in_time += in_time;
            total += relative.errors[k];
        });
        if other_layout.is_tetrahedron {
            relative.rows[D] = LinearQuantity::new(layout, sum_origin, &sum, sum_in_time);
            relative.errors[D] = total;
        }
        relative.in_range = inverse.determinant.lt(B::splat(LARGEST))
            & B::splat(1.0 / LARGEST).lt(inverse.determinant)
            & inverse.condition.lt(B::splat(if ACCURATE {
                LARGEST_ACCURATE_CONDITION
            } else {
                LARGEST_CONDITION
            }))
            & total.lt(B::splat(largest_error));
        relative.determinant = inverse.determinant;
        relative
    }
}

/// The inverse of the matrix with given columns.
struct Inverse<B, const D: usize> {
    rows: [[B; D]; D],
    /// The sums of the magnitudes of the products in the cofactors, in units of the determinant; in the plane cofactors
    /// are exact.
    products: [[B; D]; D],
    /// Magnitude of the determinant.
    determinant: B,
    /// Sum of the magnitudes of the products in the determinant, in units of it.
    condition: B,
}

impl<B: Lanes<Number = f64>, const D: usize> Inverse<B, D> {
    #[inline(always)]
    fn of(columns: &[[B; D]; D]) -> Self {
        let (rows, products, determinant, of_determinant) = Self::of_products(columns);
        Self::new(rows, products, determinant, of_determinant)
    }

    /// Cofactors, the magnitudes of their products, the determinant and the magnitudes of its products.
    #[inline(always)]
    fn of_products(columns: &[[B; D]; D]) -> ([[B; D]; D], [[B; D]; D], B, B) {
        let c = columns;
        let zero = [[B::ZERO; D]; D];
        let (mut rows, mut products) = (zero, zero);
        for i in 0..D {
            for axis in 0..D {
                if D == 2 {
                    let entry = c[1 - i][1 - axis];
                    rows[i][axis] = if i == axis { entry } else { -entry };
                } else {
                    let (u, v) = (&c[(i + 1) % D], &c[(i + 2) % D]);
                    let (k, l) = ((axis + 1) % D, (axis + 2) % D);
                    let (one, two) = (u[k] * v[l], u[l] * v[k]);
                    rows[i][axis] = one - two;
                    products[i][axis] = one.abs() + two.abs();
                }
            }
        }
        let determinant = dot(&rows[0], &c[0]);
        let of_determinant = dot_of_magnitudes(if D == 2 { &rows[0] } else { &products[0] }, &c[0]);
        (rows, products, determinant, of_determinant)
    }

    /// The same with cofactors and determinant rounded once, from sums of twice the digits.
    #[inline(always)]
    fn accurate(columns: &[[B; D]; D]) -> Self {
        let c = columns;
        let plain = Self::of_products(c);
        let (mut rows, mut rests) = (plain.0, [B::ZERO; D]);
        if D == 3 {
            for i in 0..D {
                for axis in 0..D {
                    let (u, v) = (&c[(i + 1) % D], &c[(i + 2) % D]);
                    let (k, l) = ((axis + 1) % D, (axis + 2) % D);
                    let (high, low) = difference_of_products([u[k], v[l]], [u[l], v[k]]);
                    rows[i][axis] = high;
                    if i == 0 {
                        rests[axis] = low;
                    }
                }
            }
        }
        let (mut determinant, mut rest) = (B::ZERO, B::ZERO);
        for axis in 0..D {
            let (product, of_product) = two_product(rows[0][axis], c[0][axis]);
            let (sum, of_sum) = two_sum(determinant, product);
            determinant = sum;
            rest += of_sum + (of_product + rests[axis] * c[0][axis]);
        }
        Self::new(rows, plain.1, determinant + rest, plain.3)
    }

    /// From cofactors, the magnitudes of their products, the determinant and the magnitudes of its products.
    #[inline(always)]
    fn new(mut rows: [[B; D]; D], mut products: [[B; D]; D], determinant: B, of_determinant: B) -> Self {
        let inverse = B::ONE / determinant;
        let magnitude = inverse.abs();
        for i in 0..D {
            for axis in 0..D {
                rows[i][axis] *= inverse;
                products[i][axis] *= magnitude;
            }
        }
        Self { rows, products, determinant: determinant.abs(), condition: of_determinant * magnitude }
    }

    /// See [`RelativeBody::errors`].
    #[inline(always)]
    fn error<const ACCURATE: bool>(&self, row: usize, reach: &[B; D]) -> B {
        if ACCURATE {
            return (dot_of_magnitudes(&self.rows[row], reach) + B::ONE) * B::splat(ROUNDINGS);
        }
        let by_determinant = self.condition * dot_of_magnitudes(&self.rows[row], reach);
        let by_cofactors = if D == 2 { B::ZERO } else { dot(&self.products[row], reach) };
        // The coordinates themselves are about 1, however small the body is.
        (by_determinant + by_cofactors + B::ONE) * B::splat(ROUNDINGS)
    }
}

#[inline(always)]
fn dot<B: Lanes<Number = f64>, const D: usize>(a: &[B; D], b: &[B; D]) -> B {
    let mut sum = a[0] * b[0];
    for axis in 1..D {
        sum += a[axis] * b[axis];
    }
    sum
}

#[inline(always)]
fn dot_of_magnitudes<B: Lanes<Number = f64>, const D: usize>(a: &[B; D], b: &[B; D]) -> B {
    let mut sum = (a[0] * b[0]).abs();
    for axis in 1..D {
        sum += (a[axis] * b[axis]).abs();
    }
    sum
}

/// The largest magnitude.
#[inline(always)]
pub(super) fn largest<B: Lanes, const D: usize>(vector: &[B; D]) -> B {
    let mut largest = vector[0].abs();
    for axis in 1..D {
        largest = vector[axis].abs().max(largest);
    }
    largest
}

/// a b - c d as the sum of two numbers.
#[inline(always)]
fn difference_of_products<B: Lanes<Number = f64>>([a, b]: [B; 2], [c, d]: [B; 2]) -> (B, B) {
    let ((one, of_one), (two, of_two)) = (two_product(a, b), two_product(c, d));
    let (high, low) = two_sum(one, -two);
    let low = low + (of_one - of_two);
    let sum = high + low;
    (sum, low - (sum - high))
}
