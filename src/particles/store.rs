//! `Particles`: the columns and how rows come and go.

use std::ops::Range;

use super::axes::Axes;
use super::check::{self, Magnitudes};
use super::columns::Field;
use super::particle::Particle;
use super::shape::{self, Shape, ShapeKind};
use crate::error::{Error, Result};
use crate::soa::Column;

/// The largest dimension carom accepts.
pub const MAX_DIM: usize = 1024;

/// Particles in structure-of-arrays columns, in any dimension from 1 to [`MAX_DIM`].
///
/// A particle is named by its index. Indices are dense: removing particle `i` keeps the order of the others and
/// lowers every index above `i` by one.
///
/// ```
/// use carom::{Field, Particle, Particles};
/// let mut particles = Particles::new(2)?;
/// let ball = particles.add(&Particle::sphere(&[0.0, 0.0], 0.5).with_mass(1.0))?;
/// particles.set_value(Field::Velocity, ball, &[1.0, 2.0])?;
/// assert_eq!(particles.column(Field::Velocity, 1)?, [2.0]);
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Particles {
    pub(super) dim: usize,
    pub(super) position: Vec<Column<f64>>,
    pub(super) velocity: Vec<Column<f64>>,
    pub(super) acceleration: Vec<Column<f64>>,
    pub(super) mass: Column<f64>,
    pub(super) drag: Column<f64>,
    /// Bounding radius, derived from kind and axes.
    pub(super) radius: Column<f64>,
    pub(super) axes: Axes,
    pub(super) kind: Column<u8>,
    pub(super) fixed: Column<u8>,
    pub(super) data: Column<u64>,
    /// What the last check of all columns found; `None` once a caller may have written past the checks.
    pub(super) magnitudes: Option<Magnitudes>,
    /// Whether pointers into the columns are out: then no check lasts.
    pub(super) shared: bool,
}

/// Many particles as slices, one entry a particle; an empty slice means the default.
#[derive(Debug, Clone, Copy, Default)]
pub struct Batch<'a> {
    /// Kind of all of them; without a kind, spheroids.
    pub kind: Option<ShapeKind>,
    /// Centres in metres, one slice an axis. Their length is the number of particles.
    pub position: &'a [&'a [f64]],
    /// Velocities in metres per second, one slice an axis. Default 0.
    pub velocity: &'a [&'a [f64]],
    /// User accelerations in metres per second squared, one slice an axis. Default 0.
    pub acceleration: &'a [&'a [f64]],
    /// Masses in kilograms. Default 0: tracers.
    pub mass: &'a [f64],
    /// Drags per second. Default 0.
    pub drag: &'a [f64],
    /// Half the length of every axis, in metres: the radius of a sphere. Default 0.5. Excludes `axes`.
    pub radius: &'a [f64],
    /// `D * D` axis components a particle, in metres. Excludes `radius`.
    pub axes: &'a [f64],
    /// Which particles are fixed: not 0. Default none.
    pub fixed: &'a [u8],
    /// User data. Default 0.
    pub data: &'a [u64],
}

impl Particles {
    /// No particles yet, in dimension `dim`.
    pub fn new(dim: usize) -> Result<Self> {
        check::dimension(dim)?;
        let vector = || vec![Column::new(0.0); dim];
        Ok(Self {
            dim,
            position: vector(),
            velocity: vector(),
            acceleration: vector(),
            mass: Column::new(0.0),
            drag: Column::new(0.0),
            radius: Column::new(0.0),
            axes: Axes::new(dim),
            kind: Column::new(ShapeKind::Spheroid as u8),
            fixed: Column::new(1),
            data: Column::new(0),
            magnitudes: Some(Magnitudes::default()),
            shared: false,
        })
    }

    /// `count` particles that are all zeros, axes included, for a loader to fill. No spare memory.
    pub(crate) fn with_rows(dim: usize, count: usize) -> Result<Self> {
        let mut particles = Self::new(dim)?;
        particles.grow(count, true)?;
        Ok(particles)
    }

    /// Becomes a copy of `other`, which is of the same dimension, in the memory that is here already; on failure everything
    /// is as before.
    pub(crate) fn copy_from(&mut self, other: &Self) -> Result<()> {
        if other.axes.are_written() {
            self.axes.write_out(self.radius.as_slice())?;
        }
        if self.len() < other.len() {
            self.grow(other.len() - self.len(), true)?;
        } else if self.len() > other.len() {
            self.resize_columns(other.len())?;
        }
        self.axes.copy_from(&other.axes);
        for (column, from) in self.real_columns_mut().zip(other.real_columns()) {
            column.as_mut_slice().copy_from_slice(from.as_slice());
        }
        self.kind.as_mut_slice().copy_from_slice(other.kind.as_slice());
        self.fixed.as_mut_slice().copy_from_slice(other.fixed.as_slice());
        self.data.as_mut_slice().copy_from_slice(other.data.as_slice());
        (self.magnitudes, self.shared) = (other.magnitudes, false);
        Ok(())
    }

    /// Dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mass.len()
    }

    /// Whether there are no particles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many particles fit before the columns must move.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.real_columns().map(Column::capacity).min().unwrap_or(0).min(self.data.capacity())
    }

    /// Bytes of memory that all columns hold together.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.real_columns().map(Column::memory_bytes).sum::<usize>()
            + self.axes.memory_bytes()
            + self.kind.memory_bytes()
            + self.fixed.memory_bytes()
            + self.data.memory_bytes()
    }

    /// Makes room for exactly `additional` more particles. While all particles are spheres that is none for axes.
    pub fn reserve(&mut self, additional: usize) -> Result<()> {
        self.columns_moved();
        self.real_columns_mut().try_for_each(|column| column.reserve_exact(additional))?;
        self.axes.reserve(additional)?;
        self.kind.reserve_exact(additional)?;
        self.fixed.reserve_exact(additional)?;
        self.data.reserve_exact(additional)
    }

    /// Gives back memory that is not used, that for axes included if all particles are spheres.
    pub fn shrink_to_fit(&mut self) {
        self.columns_moved();
        self.real_columns_mut().for_each(Column::shrink_to_fit);
        self.axes.shrink_to_fit(self.kind.as_slice());
        self.kind.shrink_to_fit();
        self.fixed.shrink_to_fit();
        self.data.shrink_to_fit();
    }

    /// Adds one particle and returns its index.
    pub fn add(&mut self, particle: &Particle) -> Result<usize> {
        Ok(self.add_many(std::slice::from_ref(particle))?.start)
    }

    /// Adds particles and returns their indices. If one of them is bad none is added.
    pub fn add_many(&mut self, particles: &[Particle]) -> Result<Range<usize>> {
        for (index, particle) in particles.iter().enumerate() {
            check::particle(particle, self.dim, index)?;
        }
        let spheres = particles.iter().all(|particle| self.is_plain(&particle.shape));
        let rows = self.grow(particles.len(), spheres)?;
        for (index, particle) in rows.clone().zip(particles) {
            self.write_row(index, particle);
        }
        Ok(rows)
    }

    /// Adds particles from slices and returns their indices. If one of them is bad none is added.
    pub fn add_batch(&mut self, batch: &Batch) -> Result<Range<usize>> {
        let count = check::batch(batch, self.dim)?;
        let rows = self.grow(count, batch.holds_spheres(self.dim))?;
        self.write_columns(Field::Position, &rows, batch.position);
        self.write_columns(Field::Velocity, &rows, batch.velocity);
        self.write_columns(Field::Acceleration, &rows, batch.acceleration);
        self.write_columns(Field::Mass, &rows, &[batch.mass]);
        self.write_columns(Field::Drag, &rows, &[batch.drag]);
        if !batch.data.is_empty() {
            self.data.as_mut_slice()[rows.clone()].copy_from_slice(batch.data);
        }
        for (row, &flag) in rows.clone().zip(batch.fixed) {
            self.fixed.as_mut_slice()[row] = u8::from(flag != 0);
        }
        let mut axes = vec![0.0; self.dim * self.dim];
        for (n, row) in rows.clone().enumerate() {
            batch.copy_axes(n, self.dim, &mut axes);
            self.write_shape(row, batch.kind(), &axes);
        }
        Ok(rows)
    }

    /// The whole state of one particle.
    pub fn get(&self, index: usize) -> Result<Particle> {
        self.check_index(index)?;
        let vector =
            |columns: &[Column<f64>]| columns.iter().map(|column| column.as_slice()[index]).collect();
        Ok(Particle {
            shape: self.shape(index)?,
            position: vector(&self.position),
            velocity: vector(&self.velocity),
            acceleration: vector(&self.acceleration),
            mass: self.mass.as_slice()[index],
            drag: self.drag.as_slice()[index],
            fixed: self.fixed.as_slice()[index] != 0,
            data: self.data.as_slice()[index],
        })
    }

    /// Replaces the whole state of one particle.
    pub fn set(&mut self, index: usize, particle: &Particle) -> Result<()> {
        self.check_index(index)?;
        check::particle(particle, self.dim, index)?;
        self.make_way_for(&particle.shape)?;
        self.write_row(index, particle);
        Ok(())
    }

    /// Removes one particle. The order of the others is kept; every index above `index` goes down by one.
    pub fn remove(&mut self, index: usize) -> Result<()> {
        self.check_index(index)?;
        self.columns_moved();
        self.real_columns_mut().for_each(|column| column.remove_range(index, 1));
        self.axes.remove(index);
        self.kind.remove_range(index, 1);
        self.fixed.remove_range(index, 1);
        self.data.remove_range(index, 1);
        Ok(())
    }

    /// Removes all particles and keeps the memory.
    pub fn clear(&mut self) {
        self.resize_columns(0).expect("shrinking takes no memory");
        self.magnitudes = Some(Magnitudes::default());
    }

    /// Whether both hold the same particles: kinds and fixed flags equal, every number within `tolerance`.
    ///
    /// User data is the user's and is not compared.
    #[must_use]
    pub fn is_close(&self, other: &Self, tolerance: f64) -> bool {
        let close = |a: &Column<f64>, b: &Column<f64>| {
            a.as_slice().iter().zip(b.as_slice()).all(|(x, y)| (x - y).abs() <= tolerance)
        };
        self.dim == other.dim
            && self.len() == other.len()
            && self.kind == other.kind
            && self.fixed == other.fixed
            && self.axes.is_close(self.radii(), &other.axes, other.radii(), tolerance)
            && self.real_columns().zip(other.real_columns()).all(|(a, b)| close(a, b))
    }

    pub(super) fn check_index(&self, index: usize) -> Result<()> {
        check::index("particle", index, self.len())
    }

    /// Whether the axes of a shape follow from its radius.
    fn is_plain(&self, shape: &Shape) -> bool {
        shape::is_sphere(shape.kind, &shape.axes, self.dim)
    }

    /// Takes the memory that a shape needs to be written to any row; on failure everything is as before.
    pub(super) fn make_way_for(&mut self, shape: &Shape) -> Result<()> {
        if self.is_plain(shape) { Ok(()) } else { self.axes.write_out(self.radius.as_slice()) }
    }

    /// Writes a checked shape, for which there is memory.
    pub(super) fn write_shape(&mut self, index: usize, kind: ShapeKind, axes: &[f64]) {
        let radius = shape::bounding_radius(kind, axes, self.dim);
        self.kind.as_mut_slice()[index] = kind as u8;
        self.axes.set(index, axes);
        self.radius.as_mut_slice()[index] = radius;
        self.note(Field::Radius, &[radius]);
    }

    fn write_row(&mut self, index: usize, particle: &Particle) {
        self.write_shape(index, particle.shape.kind, &particle.shape.axes);
        self.write_value(Field::Position, index, &particle.position);
        self.write_value(Field::Velocity, index, &particle.velocity);
        self.write_value(Field::Acceleration, index, &particle.acceleration);
        self.write_value(Field::Mass, index, &[particle.mass]);
        self.write_value(Field::Drag, index, &[particle.drag]);
        self.fixed.as_mut_slice()[index] = u8::from(particle.fixed);
        self.data.as_mut_slice()[index] = particle.data;
    }

    /// Copies checked columns into the rows; an empty slice leaves them as they are.
    fn write_columns(&mut self, field: Field, rows: &Range<usize>, columns: &[&[f64]]) {
        for (axis, values) in columns.iter().enumerate().filter(|(_, values)| !values.is_empty()) {
            self.note(field, values);
            self.columns_mut(field).expect("a writable field")[axis].as_mut_slice()[rows.clone()]
                .copy_from_slice(values);
        }
    }

    /// Appends `count` rows of zeros, not fixed, for spheres alone or for any shapes; on failure everything is as before.
    fn grow(&mut self, count: usize, spheres: bool) -> Result<Range<usize>> {
        let start = self.len();
        let end = start.checked_add(count).ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        let mut grown = self.resize_columns(end);
        if grown.is_ok() && !spheres {
            grown = self.axes.write_out(self.radius.as_slice());
        }
        if let Err(error) = grown {
            self.resize_columns(start).expect("shrinking takes no memory");
            return Err(error);
        }
        Ok(start..end)
    }

    fn resize_columns(&mut self, len: usize) -> Result<()> {
        self.columns_moved();
        self.real_columns_mut().try_for_each(|column| column.resize(len, 0.0))?;
        self.axes.resize(len)?;
        self.kind.resize(len, ShapeKind::Spheroid as u8)?;
        self.fixed.resize(len, 0)?;
        self.data.resize(len, 0)
    }

    /// Pointers into the columns are dead; what was written through them has not been checked.
    fn columns_moved(&mut self) {
        if std::mem::take(&mut self.shared) {
            self.magnitudes = None;
        }
    }

    fn real_columns(&self) -> impl Iterator<Item = &Column<f64>> {
        self.position.iter().chain(&self.velocity).chain(&self.acceleration).chain([
            &self.mass,
            &self.drag,
            &self.radius,
        ])
    }

    fn real_columns_mut(&mut self) -> impl Iterator<Item = &mut Column<f64>> {
        self.position.iter_mut().chain(&mut self.velocity).chain(&mut self.acceleration).chain([
            &mut self.mass,
            &mut self.drag,
            &mut self.radius,
        ])
    }
}

impl Batch<'_> {
    pub(super) fn kind(&self) -> ShapeKind {
        self.kind.unwrap_or(ShapeKind::Spheroid)
    }

    /// Whether the axes of all particles follow from their radii.
    fn holds_spheres(&self, dim: usize) -> bool {
        let kind = self.kind();
        if self.axes.is_empty() {
            // A radius of -0 would lose its sign.
            return kind == ShapeKind::Spheroid && self.radius.iter().all(|radius| radius.is_sign_positive());
        }
        self.axes.chunks_exact(dim * dim).all(|axes| shape::is_sphere(kind, axes, dim))
    }

    /// Writes the axes of the n-th particle of a batch of the right lengths into `axes`.
    pub(super) fn copy_axes(&self, n: usize, dim: usize, axes: &mut [f64]) {
        if self.axes.is_empty() {
            let length = self.radius.get(n).map_or(1.0, |radius| 2.0 * radius);
            shape::fill_diagonal(axes, dim, length);
        } else {
            axes.copy_from_slice(&self.axes[n * dim * dim..(n + 1) * dim * dim]);
        }
    }
}

impl PartialEq for Particles {
    fn eq(&self, other: &Self) -> bool {
        self.is_close(other, 0.0) && self.data == other.data
    }
}
