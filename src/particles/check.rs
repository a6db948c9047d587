//! Checks of everything that enters the columns of particles.

use super::columns::Field;
use super::particle::{Extent, ParticleRow};
use super::shape::{ShapeKind, bounding_radius};
use super::store::{Batch, MAX_DIM, Particles};
use crate::error::{Error, Result};
use crate::soa::block::{Doubles, LANES, Lanes, Quantity};
pub(crate) use crate::soa::check::{
    all_finite, all_non_negative, finite, index, length, non_negative, rows, zero_where_fixed,
};
use crate::soa::field::Rule;
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;
use crate::soa::{Column, Context};

/// The largest absolute value of each field, from which a step rules out overflow.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Magnitudes {
    /// Largest coordinate, in metres.
    pub position: f64,
    /// Largest component of a velocity, in metres per second.
    pub velocity: f64,
    /// Largest component of a user acceleration, in metres per second squared.
    pub acceleration: f64,
    /// Largest mass, in kilograms.
    pub mass: f64,
    /// Largest drag, per second.
    pub drag: f64,
    /// Largest bounding radius, in metres.
    pub radius: f64,
}

impl Magnitudes {
    /// Includes the values of one particle, but not its radius.
    #[inline(always)]
    pub(super) fn include(&mut self, particle: &ParticleRow) {
        self.position = largest(self.position, particle.position);
        self.velocity = largest(self.velocity, particle.velocity);
        self.acceleration = largest(self.acceleration, particle.acceleration);
        self.mass = larger(self.mass, particle.mass);
        self.drag = larger(self.drag, particle.drag);
    }

    pub(super) fn of_mut(&mut self, field: Field) -> &mut f64 {
        match field {
            Field::Position => &mut self.position,
            Field::Velocity => &mut self.velocity,
            Field::Acceleration => &mut self.acceleration,
            Field::Mass => &mut self.mass,
            Field::Drag => &mut self.drag,
            Field::Radius => &mut self.radius,
        }
    }
}

/// The larger of two numbers that are not NaN: one instruction.
#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The largest of a number and the magnitudes of a vector, which are not NaN.
#[inline(always)]
fn largest(most: f64, vector: &[f64]) -> f64 {
    match *vector {
        [x, y] => larger(larger(most, x.abs()), y.abs()),
        [x, y, z] => larger(larger(most, x.abs()), larger(y.abs(), z.abs())),
        _ => vector.iter().fold(most, |most, x| larger(most, x.abs())),
    }
}

/// Numbers per chunk of a check.
const CHUNK: usize = 1 << 15;

impl Particles {
    /// Checks every column that a caller may have written to, and returns the largest values.
    ///
    /// What is written through [`column_mut`](Self::column_mut) or a shared pointer is not checked at that time but
    /// here; every step calls this. It costs nothing if nothing can have changed.
    pub fn check(&mut self, context: &Context) -> Result<Magnitudes> {
        if let (Some(magnitudes), false) = (self.magnitudes, self.shared) {
            return Ok(magnitudes);
        }
        self.rescan(context)
    }

    /// The exact magnitudes, even if an upper bound is known.
    pub(crate) fn rescan(&mut self, context: &Context) -> Result<Magnitudes> {
        let magnitudes = self.scan(context)?;
        self.magnitudes = Some(magnitudes);
        Ok(magnitudes)
    }

    /// Stores upper bounds of what a kernel has just written, which the caller has proved.
    pub(crate) fn expect_magnitudes(&mut self, magnitudes: Magnitudes) {
        self.magnitudes = Some(magnitudes);
    }

    /// Discards the bounds, because a kernel has written values that may exceed them.
    pub(crate) fn forget_magnitudes(&mut self) {
        self.magnitudes = None;
    }

    /// The same for a store that can only be read: the outcome is not stored.
    pub fn validate(&self, context: &Context) -> Result<()> {
        if self.magnitudes.is_none() || self.shared {
            self.scan(context)?;
        }
        Ok(())
    }

    /// Checks the columns of these fields, if code outside Rust may have written to them. Otherwise it costs nothing.
    pub(crate) fn check_shared(&self, fields: &[Field], context: &Context) -> Result<()> {
        if !self.shared {
            return Ok(());
        }
        for &field in fields {
            for column in self.columns(field) {
                column_magnitude(field.name(), column, context)?;
            }
            self.check_rule(field)?;
        }
        Ok(())
    }

    /// Checks the numbers of one particle, which must exist, that may have been written to.
    pub(crate) fn check_row(&self, index: usize) -> Result<()> {
        let is_fixed = self.fixed.as_slice()[index] != 0;
        for field in Field::WRITABLE {
            let rule = field.spec().rule;
            for column in self.columns(field) {
                let value = column.as_slice()[index];
                finite(field.name(), index, value)?;
                match rule {
                    Rule::NonNegative => non_negative(field.name(), index, value)?,
                    Rule::ZeroIfFixed if is_fixed && value != 0.0 => {
                        return Err(Error::Fixed { field: field.name(), index });
                    }
                    Rule::ZeroIfFixed | Rule::Finite | Rule::Derived => {}
                }
            }
        }
        Ok(())
    }

    fn scan(&self, context: &Context) -> Result<Magnitudes> {
        let mut magnitudes = Magnitudes::default();
        for field in Field::ALL {
            let largest = magnitudes.of_mut(field);
            for column in self.columns(field) {
                *largest = largest.max(column_magnitude(field.name(), column, context)?);
            }
        }
        Field::ALL.into_iter().try_for_each(|field| self.check_rule(field))?;
        Ok(magnitudes)
    }

    /// Whether all values of a field, which are finite, keep its rule.
    fn check_rule(&self, field: Field) -> Result<()> {
        let spec = field.spec();
        self.columns(field).iter().map(Column::as_slice).try_for_each(|values| match spec.rule {
            Rule::NonNegative => all_non_negative(spec.name, values),
            Rule::ZeroIfFixed => zero_where_fixed(spec.name, values, self.fixed.as_slice()),
            Rule::Finite | Rule::Derived => Ok(()),
        })
    }
}

/// The largest absolute value of a column, or its first entry that is not finite.
pub(crate) fn column_magnitude(field: &'static str, column: &Column<f64>, context: &Context) -> Result<f64> {
    let quads = column.quads();
    let per_chunk = context.map_chunks(quads.len(), CHUNK, |range| level::run(Magnitude(&quads[range])));
    if per_chunk.iter().all(Option::is_some) {
        return Ok(per_chunk.into_iter().flatten().fold(0.0, f64::max));
    }
    all_finite(field, column.as_slice())?;
    unreachable!("the block scan found an entry that is not finite, the scalar scan did not")
}

/// The largest absolute value, `None` if any number is NaN or infinite.
struct Magnitude<'a>(&'a [[f64; LANES]]);

impl Kernel for Magnitude<'_> {
    type Output = Option<f64>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<f64> {
        let mut largest = S::Block::ZERO;
        // x * 0 is 0 for finite x and NaN otherwise, and NaN stays in the sum.
        let mut poison = S::Block::ZERO;
        for &block in S::Block::of_quads(self.0) {
            largest = largest.max(block.abs());
            poison += block * S::Block::ZERO;
        }
        let is_finite = poison.equals(S::Block::ZERO).bits() == 0xF;
        is_finite.then(|| largest.to_array().into_iter().fold(0.0, f64::max))
    }
}

pub(crate) fn dimension(dim: usize) -> Result<()> {
    if (1..=MAX_DIM).contains(&dim) {
        Ok(())
    } else {
        Err(Error::BadDimension { found: dim, expected: "from 1 to 1024" })
    }
}

/// A particle for row `index`.
pub(super) fn particle(particle: &ParticleRow, dim: usize, index: usize) -> Result<()> {
    for field in Field::WRITABLE {
        field.spec().check_row(particle.values(field), dim, index, particle.fixed)?;
    }
    match particle.extent {
        Extent::Axes(axes) => shape(particle.kind, axes, dim, index),
        Extent::Radius(radius) => sphere(radius, index),
    }
}

/// The radius of a sphere that is not fixed and surely passes all checks.
#[inline(always)]
pub(super) fn radius_of_plain(particle: &ParticleRow, dim: usize) -> Option<f64> {
    let Extent::Radius(radius) = particle.extent else { return None };
    let has_dim = |vector: &[f64]| vector.len() == dim;
    let is_sound = |x: f64| (0.0..=f64::MAX).contains(&x);
    let has_length =
        has_dim(particle.position) && has_dim(particle.velocity) && has_dim(particle.acceleration);
    // Without an early end: each of them is a branch otherwise.
    let is_finite =
        are_finite(particle.position) & are_finite(particle.velocity) & are_finite(particle.acceleration);
    let is_sound = is_sound(particle.mass) & is_sound(particle.drag) & is_sound(2.0 * radius);
    (!particle.fixed && has_length && is_finite && is_sound).then_some(radius)
}

/// Whether all numbers of a vector are finite.
#[inline(always)]
fn are_finite(vector: &[f64]) -> bool {
    let is_finite = |x: f64| x.abs() <= f64::MAX;
    match *vector {
        [x, y] => is_finite(x) & is_finite(y),
        [x, y, z] => is_finite(x) & is_finite(y) & is_finite(z),
        _ => vector.iter().all(|&x| is_finite(x)),
    }
}

/// The radius of a sphere for row `index`, and the axes that follow from it.
pub(super) fn sphere(radius: f64, index: usize) -> Result<()> {
    non_negative("radius", index, radius)?;
    finite("axes", index, 2.0 * radius)
}

/// A shape for row `index`: the axes, and the radius that follows from them.
pub(crate) fn shape(kind: ShapeKind, axes: &[f64], dim: usize, index: usize) -> Result<()> {
    length("axes", index, dim * dim, axes.len())?;
    axes.iter().try_for_each(|&value| finite("axes", index, value))?;
    finite("radius", index, bounding_radius(kind, axes, dim))
}

/// A batch as a whole; returns the number of particles.
pub(crate) fn batch(batch: &Batch, dim: usize) -> Result<usize> {
    length("position", 0, dim, batch.position.len())?;
    let count = batch.position[0].len();
    optional_length("fixed", count, batch.fixed.len())?;
    optional_length("data", count, batch.data.len())?;
    for field in Field::WRITABLE {
        let (spec, columns) = (field.spec(), batch.columns(field));
        optional_length(spec.name, spec.width(dim), columns.len())?;
        for (axis, column) in columns.iter().enumerate() {
            length(spec.name, axis, count, column.len())?;
            spec.check_column(column, batch.fixed)?;
        }
    }
    batch_shapes(batch, dim, count)?;
    Ok(count)
}

pub(super) fn batch_shapes(batch: &Batch, dim: usize, count: usize) -> Result<()> {
    optional_length("radius", count, batch.radius.len())?;
    all_non_negative("radius", batch.radius)?;
    if !batch.axes.is_empty() {
        length("radius", 0, 0, batch.radius.len())?;
        length("axes", 0, count.saturating_mul(dim * dim), batch.axes.len())?;
    }
    if batch.has_radii_of_spheres() {
        return (0..).zip(batch.radius).try_for_each(|(n, &radius)| sphere(radius, n));
    }
    let mut axes = vec![0.0; dim * dim];
    for n in 0..count {
        batch.copy_axes(n, dim, &mut axes);
        shape(batch.kind(), &axes, dim, n)?;
    }
    Ok(())
}

/// An empty slice means the default.
pub(super) fn optional_length(field: &'static str, expected: usize, found: usize) -> Result<()> {
    if found == 0 { Ok(()) } else { length(field, 0, expected, found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is taken for plain passes all checks, and what passes and is not fixed is taken for plain.
    #[test]
    fn plain_spheres_are_those_that_pass() {
        let numbers = [0.0, -0.0, 1.0, -1.0, f64::MAX, 1e308, f64::INFINITY, f64::NAN];
        for dim in [1, 2, 3, 5] {
            for (place, &number) in numbers.iter().enumerate().flat_map(|x| (0..8).map(move |n| (n, x.1))) {
                let mut vectors = [[0.5; 5]; 3];
                if place < 3 {
                    vectors[place][dim - 1] = number;
                }
                let or_one = |at: usize| if place == at { number } else { 1.0 };
                let row = ParticleRow {
                    kind: ShapeKind::Spheroid,
                    extent: Extent::Radius(or_one(3)),
                    position: &vectors[0][..if place == 6 { dim + 1 } else { dim }.min(5)],
                    velocity: &vectors[1][..dim],
                    acceleration: &vectors[2][..dim],
                    mass: or_one(4),
                    drag: or_one(5),
                    fixed: place == 7,
                    data: 0,
                };
                let passes = particle(&row, dim, 0).is_ok() && !row.fixed;
                assert_eq!(radius_of_plain(&row, dim).is_some(), passes, "{row:?}");
            }
        }
    }
}
