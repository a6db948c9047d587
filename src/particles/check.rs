//! Validation of everything that enters the columns.

use super::columns::Field;
use super::particle::Particle;
use super::shape::{ShapeKind, bounding_radius};
use super::store::{Batch, MAX_DIM, Particles};
use crate::error::{Error, Result};
use crate::soa::lanes::{self, Block};
use crate::soa::{Column, Context};

/// The largest absolute value in each kind of column: what a step needs to know to rule out overflow.
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

/// Numbers per chunk of a check.
const CHUNK: usize = 1 << 15;

impl Particles {
    /// Checks every column that a caller may have written to, and returns the largest values.
    ///
    /// Writing through [`column_mut`](Self::column_mut) or a shared pointer passes no check at the time; this one
    /// catches it, and every step calls it. It costs nothing when nothing can have changed.
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

    /// Notes an upper bound that the caller has proved for what a kernel has just written.
    pub(crate) fn expect_magnitudes(&mut self, magnitudes: Magnitudes) {
        self.magnitudes = Some(magnitudes);
    }

    /// Forgets the bounds: a kernel has written values that no one has bounded.
    pub(crate) fn forget_magnitudes(&mut self) {
        self.magnitudes = None;
    }

    /// The same without remembering the outcome, for a caller that may only read.
    pub fn validate(&self, context: &Context) -> Result<()> {
        if self.magnitudes.is_none() || self.shared {
            self.scan(context)?;
        }
        Ok(())
    }

    fn scan(&self, context: &Context) -> Result<Magnitudes> {
        let largest = |field, columns: &[Column<f64>]| {
            columns.iter().try_fold(0.0_f64, |m, column| Ok(m.max(column_magnitude(field, column, context)?)))
        };
        let magnitudes = Magnitudes {
            position: largest("position", &self.position)?,
            velocity: largest("velocity", &self.velocity)?,
            acceleration: largest("acceleration", &self.acceleration)?,
            mass: largest("mass", std::slice::from_ref(&self.mass))?,
            drag: largest("drag", std::slice::from_ref(&self.drag))?,
            radius: largest("radius", std::slice::from_ref(&self.radius))?,
        };
        all_non_negative("mass", self.mass.as_slice())?;
        all_non_negative("drag", self.drag.as_slice())?;
        self.check_fixed_at_rest()?;
        Ok(magnitudes)
    }

    fn check_fixed_at_rest(&self) -> Result<()> {
        let fixed = self.fixed.as_slice();
        for (field, columns) in [("velocity", &self.velocity), ("acceleration", &self.acceleration)] {
            for column in columns {
                let moving =
                    fixed.iter().zip(column.as_slice()).position(|(&fixed, &x)| fixed != 0 && x != 0.0);
                if let Some(index) = moving {
                    return Err(Error::Fixed { field, index });
                }
            }
        }
        Ok(())
    }
}

/// The largest absolute value of a column, or its first entry that is not finite.
pub(crate) fn column_magnitude(field: &'static str, column: &Column<f64>, context: &Context) -> Result<f64> {
    let blocks = column.blocks();
    let per_chunk = context.map_chunks(blocks.len(), CHUNK, |range| block_magnitude(&blocks[range]));
    if per_chunk.iter().all(Option::is_some) {
        return Ok(per_chunk.into_iter().flatten().fold(0.0, f64::max));
    }
    all_finite(field, column.as_slice())?;
    unreachable!("the block scan found an entry that is not finite, the scalar scan did not")
}

/// `None` if any lane is NaN or infinite.
fn block_magnitude(blocks: &[Block]) -> Option<f64> {
    let mut largest = Block::ZERO;
    // x * 0 is 0 for finite x and NaN otherwise, and NaN stays in the sum.
    let mut poison = Block::ZERO;
    for &block in blocks {
        largest = lanes::max(largest, block.abs());
        poison += block * Block::ZERO;
    }
    let finite = poison.to_array().iter().all(|&x| x == 0.0);
    finite.then(|| largest.to_array().into_iter().fold(0.0, f64::max))
}

pub(crate) fn dimension(dim: usize) -> Result<()> {
    if (1..=MAX_DIM).contains(&dim) {
        Ok(())
    } else {
        Err(Error::BadDimension { found: dim, expected: "from 1 to 1024" })
    }
}

pub(crate) fn index(field: &'static str, index: usize, len: usize) -> Result<()> {
    if index < len { Ok(()) } else { Err(Error::BadIndex { field, index, len }) }
}

pub(crate) fn finite(field: &'static str, index: usize, value: f64) -> Result<()> {
    if value.is_finite() { Ok(()) } else { Err(Error::NotFinite { field, index, value }) }
}

pub(crate) fn non_negative(field: &'static str, index: usize, value: f64) -> Result<()> {
    finite(field, index, value)?;
    if value >= 0.0 { Ok(()) } else { Err(Error::Negative { field, index, value }) }
}

pub(crate) fn length(field: &'static str, index: usize, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::WrongLength { field, index, expected, found }) }
}

pub(crate) fn all_finite(field: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => finite(field, index, values[index]),
        None => Ok(()),
    }
}

pub(crate) fn all_non_negative(field: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|&value| !(value >= 0.0 && value.is_finite())) {
        Some(index) => non_negative(field, index, values[index]),
        None => Ok(()),
    }
}

/// A particle that is to stand in row `index`.
pub(crate) fn particle(particle: &Particle, dim: usize, index: usize) -> Result<()> {
    vector("position", &particle.position, dim, index)?;
    vector("velocity", &particle.velocity, dim, index)?;
    vector("acceleration", &particle.acceleration, dim, index)?;
    shape(particle.shape.kind, &particle.shape.axes, dim, index)?;
    non_negative("mass", index, particle.mass)?;
    non_negative("drag", index, particle.drag)?;
    if particle.fixed {
        at_rest("velocity", &particle.velocity, index)?;
        at_rest("acceleration", &particle.acceleration, index)?;
    }
    Ok(())
}

/// A shape for row `index`: the axes, and the radius that follows from them.
pub(crate) fn shape(kind: ShapeKind, axes: &[f64], dim: usize, index: usize) -> Result<()> {
    vector("axes", axes, dim * dim, index)?;
    finite("radius", index, bounding_radius(kind, axes, dim))
}

/// A vector of `entries` components for row `index`.
pub(crate) fn vector(field: &'static str, values: &[f64], entries: usize, index: usize) -> Result<()> {
    length(field, index, entries, values.len())?;
    values.iter().try_for_each(|&value| finite(field, index, value))
}

/// A fixed particle has no velocity and no acceleration.
pub(crate) fn at_rest(field: &'static str, values: &[f64], index: usize) -> Result<()> {
    if values.iter().all(|&value| value == 0.0) { Ok(()) } else { Err(Error::Fixed { field, index }) }
}

/// A batch as a whole; returns the number of particles.
pub(crate) fn batch(batch: &Batch, dim: usize) -> Result<usize> {
    length("position", 0, dim, batch.position.len())?;
    let count = batch.position[0].len();
    for (field, columns) in
        [("position", batch.position), ("velocity", batch.velocity), ("acceleration", batch.acceleration)]
    {
        if !columns.is_empty() {
            length(field, 0, dim, columns.len())?;
        }
        for (axis, column) in columns.iter().enumerate() {
            length(field, axis, count, column.len())?;
            all_finite(field, column)?;
        }
    }
    for (field, values) in [("mass", batch.mass), ("drag", batch.drag), ("radius", batch.radius)] {
        optional_length(field, count, values.len())?;
        all_non_negative(field, values)?;
    }
    optional_length("fixed", count, batch.fixed.len())?;
    optional_length("data", count, batch.data.len())?;
    if !batch.axes.is_empty() {
        length("radius", 0, 0, batch.radius.len())?;
        length("axes", 0, count.saturating_mul(dim * dim), batch.axes.len())?;
    }
    let mut axes = vec![0.0; dim * dim];
    for n in 0..count {
        batch.copy_axes(n, dim, &mut axes);
        shape(batch.kind(), &axes, dim, n)?;
    }
    batch_at_rest(batch)?;
    Ok(count)
}

fn batch_at_rest(batch: &Batch) -> Result<()> {
    for (field, columns) in [("velocity", batch.velocity), ("acceleration", batch.acceleration)] {
        for column in columns {
            for (index, (&flag, value)) in batch.fixed.iter().zip(*column).enumerate() {
                if flag != 0 {
                    at_rest(field, std::slice::from_ref(value), index)?;
                }
            }
        }
    }
    Ok(())
}

fn optional_length(field: &'static str, expected: usize, found: usize) -> Result<()> {
    if found == 0 { Ok(()) } else { length(field, 0, expected, found) }
}
