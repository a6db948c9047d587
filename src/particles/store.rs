//! [`Particles`]: the columns, and how particles are added, replaced and removed.

use std::ops::Range;

use super::axes::Axes;
use super::check::{self, Magnitudes};
use super::columns::Field;
use super::particle::{Extent, Particle, ParticleRow};
use super::shape::{self, Shape, ShapeKind};
use crate::error::Result;
use crate::soa::Column;
use crate::soa::store::{Rows, in_rising_order, store};

/// The largest dimension carom accepts.
pub const MAX_DIM: usize = 1024;

store! {
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
    pub struct Particles(dim: usize) {
        columns {
            pub(super) position: Vec<Column<f64>> = vec![Column::new(0.0); dim],
            pub(super) velocity: Vec<Column<f64>> = vec![Column::new(0.0); dim],
            pub(super) acceleration: Vec<Column<f64>> = vec![Column::new(0.0); dim],
            pub(super) mass: Column<f64> = Column::new(0.0),
            pub(super) drag: Column<f64> = Column::new(0.0),
            /// Bounding radius, derived from kind and axes.
            pub(super) radius: Column<f64> = Column::new(0.0),
            pub(super) axes: Axes = Axes::new(dim),
            pub(super) kind: Column<u8> = Column::new(ShapeKind::Spheroid as u8),
            pub(super) fixed: Column<u8> = Column::new(1),
            pub(super) data: Column<u64> = Column::new(0),
        }
        state {
            pub(super) dim: usize = dim,
            /// What the last check of all columns found; `None` once a caller may have written unchecked values.
            pub(super) magnitudes: Option<Magnitudes> = Some(Magnitudes::default()),
            /// Whether a caller may hold pointers into the columns: then they are checked every time.
            pub(super) shared: bool = false,
        }
    }
}

/// Many particles as slices, one entry per particle; an empty slice means the default.
#[derive(Debug, Clone, Copy, Default)]
pub struct Batch<'a> {
    /// Kind of all of them. Default: spheroids.
    pub kind: Option<ShapeKind>,
    /// Centres in metres, one slice per axis. Their length is the number of particles.
    pub position: &'a [&'a [f64]],
    /// Velocities in metres per second, one slice per axis. Default 0.
    pub velocity: &'a [&'a [f64]],
    /// User accelerations in metres per second squared, one slice per axis. Default 0.
    pub acceleration: &'a [&'a [f64]],
    /// Masses in kilograms. Default 0: tracers.
    pub mass: &'a [f64],
    /// Drags per second. Default 0.
    pub drag: &'a [f64],
    /// Half the length of every axis, in metres: the radius of a sphere. Default 0.5. Excludes `axes`.
    pub radius: &'a [f64],
    /// `D * D` axis components per particle, in metres. Excludes `radius`.
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
        Ok(Self::empty(dim))
    }

    /// `count` particles whose values and axes are all 0, for a loader to fill. No spare memory.
    pub(crate) fn with_rows(dim: usize, count: usize) -> Result<Self> {
        let mut particles = Self::new(dim)?;
        particles.grow(count, true)?;
        Ok(particles)
    }

    /// Becomes a copy of `other`, which has the same dimension, in the memory that is there already; if allocation fails,
    /// nothing changes.
    pub(crate) fn copy_from(&mut self, other: &Self) -> Result<()> {
        if other.axes.are_written() {
            self.axes.write_out(self.radius.as_slice())?;
        }
        if self.len() < other.len() {
            self.grow(other.len() - self.len(), true)?;
        } else if self.len() > other.len() {
            self.truncate_rows(other.len());
        }
        self.copy_rows(other);
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

    /// How many particles fit before the columns must move in memory.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.row_capacity()
    }

    /// Bytes of memory that all columns hold together.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.row_bytes()
    }

    /// Makes room for exactly `additional` more particles, but not for axes as long as all particles are spheres.
    pub fn reserve(&mut self, additional: usize) -> Result<()> {
        self.columns_moved();
        self.reserve_rows(additional)
    }

    /// Releases memory that is not used, including that of the axes if all particles are spheres.
    pub fn shrink_to_fit(&mut self) {
        self.columns_moved();
        self.axes.drop_if_spheres(self.kind.as_slice());
        self.shrink_rows();
    }

    /// Adds one particle and returns its index.
    pub fn add(&mut self, particle: &Particle) -> Result<usize> {
        self.add_row(&particle.as_row())
    }

    /// Adds one particle whose numbers are somewhere else, but not in these columns, and returns its index.
    #[inline(always)]
    pub(crate) fn add_row(&mut self, particle: &ParticleRow) -> Result<usize> {
        // A call that cannot be inlined gets a copy, so that the numbers of a plain sphere stay in registers.
        let Some(radius) = check::radius_of_plain(particle, self.dim) else {
            return self.add_any_row(*particle);
        };
        self.columns_moved();
        self.make_room(1)?;
        self.push_sphere(particle, radius);
        Ok(self.len() - 1)
    }

    #[inline(never)]
    fn add_any_row(&mut self, particle: ParticleRow) -> Result<usize> {
        check::particle(&particle, self.dim, 0)?;
        let row = self.grow(1, particle.is_sphere(self.dim))?.start;
        self.write_row(row, &particle);
        Ok(row)
    }

    /// Appends a checked sphere, for which there is room.
    #[inline(always)]
    fn push_sphere(&mut self, particle: &ParticleRow, radius: f64) {
        let row = self.len();
        push_vector(&mut self.position, particle.position);
        push_vector(&mut self.velocity, particle.velocity);
        push_vector(&mut self.acceleration, particle.acceleration);
        self.mass.push_in_room(particle.mass);
        self.drag.push_in_room(particle.drag);
        self.radius.push_in_room(radius);
        self.axes.grow_rows(1);
        self.axes.set_sphere(row, radius);
        self.kind.push_in_room(ShapeKind::Spheroid as u8);
        self.fixed.push_in_room(u8::from(particle.fixed));
        self.data.push_in_room(particle.data);
        if let Some(magnitudes) = &mut self.magnitudes {
            magnitudes.include(particle);
            magnitudes.radius = check::larger(magnitudes.radius, radius);
        }
    }

    /// Adds particles and returns their indices. If one of them is bad none is added.
    pub fn add_many(&mut self, particles: &[Particle]) -> Result<Range<usize>> {
        for (index, particle) in particles.iter().enumerate() {
            check::particle(&particle.as_row(), self.dim, index)?;
        }
        let spheres = particles.iter().all(|particle| self.is_sphere_shape(&particle.shape));
        let rows = self.grow(particles.len(), spheres)?;
        for (index, particle) in rows.clone().zip(particles) {
            self.write_row(index, &particle.as_row());
        }
        Ok(rows)
    }

    /// Adds particles from slices and returns their indices. If one of them is bad none is added.
    pub fn add_batch(&mut self, batch: &Batch) -> Result<Range<usize>> {
        let count = check::batch(batch, self.dim)?;
        let rows = self.grow(count, batch.holds_spheres(self.dim))?;
        for field in Field::WRITABLE {
            self.write_columns(field, &rows, batch.columns(field));
        }
        if !batch.data.is_empty() {
            self.data.as_mut_slice()[rows.clone()].copy_from_slice(batch.data);
        }
        for (row, &flag) in rows.clone().zip(batch.fixed) {
            self.fixed.as_mut_slice()[row] = u8::from(flag != 0);
        }
        self.write_shapes(rows.clone(), batch);
        Ok(rows)
    }

    /// Writes the checked shapes of a batch, for which there is room.
    pub(super) fn write_shapes(&mut self, rows: Range<usize>, batch: &Batch) {
        if batch.has_radii_of_spheres() {
            for (n, row) in rows.enumerate() {
                self.write_sphere(row, batch.radius.get(n).map_or(0.5, |&radius| radius));
            }
            return;
        }
        let mut axes = vec![0.0; self.dim * self.dim];
        for (n, row) in rows.enumerate() {
            batch.copy_axes(n, self.dim, &mut axes);
            self.write_shape(row, batch.kind(), &axes);
        }
    }

    /// The whole state of one particle.
    pub fn get(&self, index: usize) -> Result<Particle> {
        self.check_index(index)?;
        Ok(Particle {
            shape: self.shape(index)?,
            position: self.value(Field::Position, index)?,
            velocity: self.value(Field::Velocity, index)?,
            acceleration: self.value(Field::Acceleration, index)?,
            mass: self.mass.as_slice()[index],
            drag: self.drag.as_slice()[index],
            fixed: self.fixed.as_slice()[index] != 0,
            data: self.data.as_slice()[index],
        })
    }

    /// Replaces the whole state of one particle.
    pub fn set(&mut self, index: usize, particle: &Particle) -> Result<()> {
        self.check_index(index)?;
        let row = particle.as_row();
        check::particle(&row, self.dim, index)?;
        self.make_room_for(&particle.shape)?;
        self.write_row(index, &row);
        Ok(())
    }

    /// Removes one particle. The order of the others is kept; every index above `index` goes down by one.
    pub fn remove(&mut self, index: usize) -> Result<()> {
        self.check_index(index)?;
        self.columns_moved();
        self.remove_rows(&[index]);
        Ok(())
    }

    /// Removes one particle; the last one takes its index.
    ///
    /// ```
    /// use carom::{Particle, Particles};
    /// let mut particles = Particles::new(1)?;
    /// particles.add_many(&[0.1, 0.2, 0.3].map(|radius| Particle::sphere(&[0.0], radius)))?;
    /// particles.swap_remove(0)?;
    /// assert_eq!(particles.radii(), [0.3, 0.2]);
    /// # Ok::<(), carom::Error>(())
    /// ```
    pub fn swap_remove(&mut self, index: usize) -> Result<()> {
        self.check_index(index)?;
        self.columns_moved();
        self.swap_remove_row(index);
        Ok(())
    }

    /// Removes the particles with these indices, listed once each in any order, in one pass over the columns. The order of
    /// the others is kept. If an index is bad nothing changes.
    ///
    /// ```
    /// use carom::{Particle, Particles};
    /// let mut particles = Particles::new(1)?;
    /// particles.add_many(&[0.1, 0.2, 0.3, 0.4].map(|radius| Particle::sphere(&[0.0], radius)))?;
    /// particles.remove_many(&[3, 0])?;
    /// assert_eq!(particles.radii(), [0.2, 0.3]);
    /// # Ok::<(), carom::Error>(())
    /// ```
    pub fn remove_many(&mut self, indices: &[usize]) -> Result<()> {
        let rows = in_rising_order("particle", indices, self.len())?;
        self.columns_moved();
        self.remove_rows(&rows);
        Ok(())
    }

    /// Removes all particles and keeps the memory.
    pub fn clear(&mut self) {
        self.columns_moved();
        self.truncate_rows(0);
        self.magnitudes = Some(Magnitudes::default());
    }

    /// Whether both hold the same particles: kinds and fixed flags equal, every number within `tolerance`.
    ///
    /// User data is not compared.
    #[must_use]
    pub fn is_close(&self, other: &Self, tolerance: f64) -> bool {
        let close = |(a, b): (&Column<f64>, &Column<f64>)| {
            a.as_slice().iter().zip(b.as_slice()).all(|(x, y)| (x - y).abs() <= tolerance)
        };
        let fields_close = |field| self.columns(field).iter().zip(other.columns(field)).all(close);
        self.dim == other.dim
            && self.len() == other.len()
            && self.kind == other.kind
            && self.fixed == other.fixed
            && self.axes.is_close(self.radii(), &other.axes, other.radii(), tolerance)
            && Field::ALL.into_iter().all(fields_close)
    }

    pub(super) fn check_index(&self, index: usize) -> Result<()> {
        check::index("particle", index, self.len())
    }

    /// Whether the axes of a shape follow from its radius.
    fn is_sphere_shape(&self, shape: &Shape) -> bool {
        shape::is_sphere(shape.kind, &shape.axes, self.dim)
    }

    /// Allocates what a shape needs to be written to any row; if that fails, nothing changes.
    pub(super) fn make_room_for(&mut self, shape: &Shape) -> Result<()> {
        if self.is_sphere_shape(shape) { Ok(()) } else { self.axes.write_out(self.radius.as_slice()) }
    }

    /// Allocates what the shapes of a batch need to be written to any rows; if that fails, nothing changes.
    #[cfg(feature = "capi")]
    pub(super) fn make_room_for_shapes(&mut self, batch: &Batch) -> Result<()> {
        if batch.holds_spheres(self.dim) { Ok(()) } else { self.axes.write_out(self.radius.as_slice()) }
    }

    /// Writes a checked shape, for which there is room.
    pub(super) fn write_shape(&mut self, index: usize, kind: ShapeKind, axes: &[f64]) {
        let radius = shape::bounding_radius(kind, axes, self.dim);
        self.kind.as_mut_slice()[index] = kind as u8;
        self.axes.set(index, axes);
        self.radius.as_mut_slice()[index] = radius;
        self.note(Field::Radius, &[radius]);
    }

    /// Writes a checked sphere.
    #[inline]
    fn write_sphere(&mut self, index: usize, radius: f64) {
        self.kind.as_mut_slice()[index] = ShapeKind::Spheroid as u8;
        self.axes.set_sphere(index, radius);
        self.radius.as_mut_slice()[index] = radius;
        self.note(Field::Radius, &[radius]);
    }

    fn write_row(&mut self, index: usize, particle: &ParticleRow) {
        match particle.extent {
            Extent::Axes(axes) => self.write_shape(index, particle.kind, axes),
            Extent::Radius(radius) => self.write_sphere(index, radius),
        }
        let vectors = [
            (&mut self.position, particle.position),
            (&mut self.velocity, particle.velocity),
            (&mut self.acceleration, particle.acceleration),
        ];
        for (columns, values) in vectors {
            columns.iter_mut().zip(values).for_each(|(column, &x)| column.as_mut_slice()[index] = x);
        }
        self.mass.as_mut_slice()[index] = particle.mass;
        self.drag.as_mut_slice()[index] = particle.drag;
        if let Some(magnitudes) = &mut self.magnitudes {
            magnitudes.include(particle);
        }
        self.fixed.as_mut_slice()[index] = u8::from(particle.fixed);
        self.data.as_mut_slice()[index] = particle.data;
    }

    /// Copies checked columns into the rows; without columns they stay as they are.
    pub(super) fn write_columns(&mut self, field: Field, rows: &Range<usize>, columns: &[&[f64]]) {
        for (axis, values) in columns.iter().enumerate() {
            self.note(field, values);
            self.columns_mut(field).expect("a writable field")[axis].as_mut_slice()[rows.clone()]
                .copy_from_slice(values);
        }
    }

    /// Appends `count` rows of zeros, not fixed, for spheres alone or for any shapes; if allocation fails, nothing changes.
    fn grow(&mut self, count: usize, spheres: bool) -> Result<Range<usize>> {
        self.columns_moved();
        let rows = self.append_rows(self.len(), count)?;
        if !spheres && let Err(error) = self.axes.write_out(self.radius.as_slice()) {
            self.truncate_rows(rows.start);
            return Err(error);
        }
        self.fixed.as_mut_slice()[rows.clone()].fill(0);
        Ok(rows)
    }

    /// Ends the life of pointers into the columns; what was written through them has not been checked.
    fn columns_moved(&mut self) {
        if std::mem::take(&mut self.shared) {
            self.magnitudes = None;
        }
    }
}

/// Appends a vector to its columns, for which there is room.
#[inline(always)]
fn push_vector(columns: &mut [Column<f64>], vector: &[f64]) {
    // In two and three dimensions without a loop.
    match (columns, vector) {
        ([x, y], &[a, b]) => {
            x.push_in_room(a);
            y.push_in_room(b);
        }
        ([x, y, z], &[a, b, c]) => {
            x.push_in_room(a);
            y.push_in_room(b);
            z.push_in_room(c);
        }
        (columns, vector) => {
            columns.iter_mut().zip(vector).for_each(|(column, &x)| column.push_in_room(x));
        }
    }
}

impl Batch<'_> {
    /// The columns of a field that is not derived; none for the default.
    pub(super) fn columns(&self, field: Field) -> &[&[f64]] {
        match field {
            Field::Position => self.position,
            Field::Velocity => self.velocity,
            Field::Acceleration => self.acceleration,
            Field::Mass if !self.mass.is_empty() => std::slice::from_ref(&self.mass),
            Field::Drag if !self.drag.is_empty() => std::slice::from_ref(&self.drag),
            _ => &[],
        }
    }

    pub(super) fn kind(&self) -> ShapeKind {
        self.kind.unwrap_or(ShapeKind::Spheroid)
    }

    /// Whether all particles are spheres of which only the radii are given.
    pub(super) fn has_radii_of_spheres(&self) -> bool {
        // A radius of -0 would lose its sign.
        self.axes.is_empty()
            && self.kind() == ShapeKind::Spheroid
            && self.radius.iter().all(|radius| radius.is_sign_positive())
    }

    /// Whether the axes of all particles follow from their radii.
    fn holds_spheres(&self, dim: usize) -> bool {
        if self.axes.is_empty() {
            return self.has_radii_of_spheres();
        }
        self.axes.chunks_exact(dim * dim).all(|axes| shape::is_sphere(self.kind(), axes, dim))
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
