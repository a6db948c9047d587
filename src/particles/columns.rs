//! Reading and writing properties, for one particle and as whole columns.

use std::borrow::Cow;
use std::ops::Range;

use super::check;
use super::shape::{self, Shape, ShapeKind};
use super::store::Particles;
use crate::error::Result;
use crate::soa::field::{FieldSpec, Rule};
use crate::soa::{Column, memory};

/// A property that is kept as columns of `f64`: one column per axis for vectors, one for scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum Field {
    /// Centre P, in metres. One column per axis.
    Position = 0,
    /// Velocity S, in metres per second. One column per axis.
    Velocity = 1,
    /// User acceleration A, in metres per second squared. One column per axis.
    Acceleration = 2,
    /// Mass, in kilograms.
    Mass = 3,
    /// Drag k, per second.
    Drag = 4,
    /// Bounding radius, in metres. Derived from the shape; it can only be read.
    Radius = 5,
}

impl Field {
    /// All fields, in the order of their numbers.
    pub(super) const ALL: [Self; 6] =
        [Self::Position, Self::Velocity, Self::Acceleration, Self::Mass, Self::Drag, Self::Radius];

    /// The fields that are not derived, in the order of their numbers, which is also that of snapshots.
    pub(crate) const WRITABLE: [Self; 5] =
        [Self::Position, Self::Velocity, Self::Acceleration, Self::Mass, Self::Drag];

    #[inline]
    pub(super) const fn spec(self) -> FieldSpec {
        match self {
            Self::Position => FieldSpec::vector("position", Rule::Finite),
            Self::Velocity => FieldSpec::vector("velocity", Rule::ZeroIfFixed),
            Self::Acceleration => FieldSpec::vector("acceleration", Rule::ZeroIfFixed),
            Self::Mass => FieldSpec::scalar("mass", Rule::NonNegative),
            Self::Drag => FieldSpec::scalar("drag", Rule::NonNegative),
            Self::Radius => FieldSpec::derived("radius", "it follows from the shape"),
        }
    }

    /// The field with this number, the same as in the C ABI.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&field| field as u32 == code)
    }

    /// Its name in error messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Number of columns, which is the number of values per particle, in dimension `dim`.
    #[must_use]
    pub fn width(self, dim: usize) -> usize {
        self.spec().width(dim)
    }
}

impl Particles {
    /// One whole column: the values of all particles on one axis (0 for scalars).
    pub fn column(&self, field: Field, axis: usize) -> Result<&[f64]> {
        self.stored_column(field, axis).map(Column::as_slice)
    }

    /// The same with its capacity.
    pub(crate) fn stored_column(&self, field: Field, axis: usize) -> Result<&Column<f64>> {
        check::index("axis", axis, field.width(self.dim))?;
        Ok(&self.columns(field)[axis])
    }

    /// One whole column, writable in place.
    ///
    /// What is written is checked by the next step, save or [`check`](Self::check), not here.
    pub fn column_mut(&mut self, field: Field, axis: usize) -> Result<&mut [f64]> {
        check::index("axis", axis, field.width(self.dim))?;
        self.magnitudes = None;
        Ok(self.columns_mut(field)?[axis].as_mut_slice())
    }

    /// A pointer to a column for code outside Rust, and the capacity of the column.
    ///
    /// It is valid until the next call that adds, removes, reserves or shrinks. As long as it may be written
    /// through, every step checks all columns first.
    pub fn column_ptr(&mut self, field: Field, axis: usize) -> Result<(*mut f64, usize)> {
        let pointer = self.column_mut(field, axis)?.as_mut_ptr();
        self.shared = true;
        Ok((pointer, self.columns(field)[axis].capacity()))
    }

    /// Replaces one whole column. If a value is bad nothing changes.
    pub fn set_column(&mut self, field: Field, axis: usize, values: &[f64]) -> Result<()> {
        check::index("axis", axis, field.width(self.dim))?;
        check::length(field.name(), 0, self.len(), values.len())?;
        field.spec().check_column(values, self.fixed.as_slice())?;
        self.note(field, values);
        self.columns_mut(field)?[axis].as_mut_slice().copy_from_slice(values);
        Ok(())
    }

    /// The values of one particle: `D` for vectors, 1 for scalars.
    pub fn value(&self, field: Field, index: usize) -> Result<Vec<f64>> {
        self.check_index(index)?;
        Ok(self.columns(field).iter().map(|column| column.as_slice()[index]).collect())
    }

    /// Replaces the values of one particle: `D` for vectors, 1 for scalars. If one is bad nothing changes.
    pub fn set_value(&mut self, field: Field, index: usize, values: &[f64]) -> Result<()> {
        self.check_index(index)?;
        self.check_value(field, index, values)?;
        self.write_value(field, index, values);
        Ok(())
    }

    /// The values of the particles `rows`, one particle after the other.
    pub fn values(&self, field: Field, rows: Range<usize>) -> Result<Vec<f64>> {
        self.check_rows(&rows)?;
        let columns = self.columns(field);
        let count = rows.len().saturating_mul(columns.len());
        memory::collect(count, rows.flat_map(|row| columns.iter().map(move |column| column.as_slice()[row])))
    }

    /// Replaces the values of the particles `rows`, one particle after the other. If one is bad nothing changes.
    ///
    /// ```
    /// use carom::{Error, Field, Particle, Particles, ShapeKind};
    /// let mut particles = Particles::new(2)?;
    /// particles.add_many(&vec![Particle::new(2, ShapeKind::Spheroid); 4])?;
    /// particles.set_values(Field::Velocity, 1..3, &[1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(particles.column(Field::Velocity, 1)?, [0.0, 2.0, 4.0, 0.0]);
    /// let bad = particles.set_values(Field::Velocity, 0..2, &[5.0, 5.0, 5.0, f64::INFINITY]);
    /// assert_eq!(bad, Err(Error::NotFinite { field: "velocity", index: 1, value: f64::INFINITY }));
    /// assert_eq!(particles.values(Field::Velocity, 0..2)?, [0.0, 0.0, 1.0, 2.0]);
    /// assert!(matches!(particles.values(Field::Mass, 3..5), Err(Error::BadIndex { index: 4, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set_values(&mut self, field: Field, rows: Range<usize>, values: &[f64]) -> Result<()> {
        self.check_rows(&rows)?;
        let width = field.width(self.dim);
        check::length(field.name(), 0, rows.len() * width, values.len())?;
        for (index, value) in rows.clone().zip(values.chunks_exact(width)) {
            self.check_value(field, index, value)?;
        }
        for (index, value) in rows.zip(values.chunks_exact(width)) {
            self.write_value(field, index, value);
        }
        Ok(())
    }

    /// The bounding radii in metres, one per particle.
    #[must_use]
    pub fn radii(&self) -> &[f64] {
        self.radius.as_slice()
    }

    /// The kind and axes of one particle.
    pub fn shape(&self, index: usize) -> Result<Shape> {
        self.check_index(index)?;
        Ok(Shape { kind: self.kind_of(index), axes: self.axes_of(index).into_owned() })
    }

    /// Replaces the kind and axes of one particle, and with them its bounding radius.
    pub fn set_shape(&mut self, index: usize, shape: &Shape) -> Result<()> {
        self.check_index(index)?;
        check::shape(shape.kind, &shape.axes, self.dim, index)?;
        self.make_room_for(shape)?;
        self.write_shape(index, shape.kind, &shape.axes);
        Ok(())
    }

    /// Makes one particle a sphere of this radius, in metres.
    pub(crate) fn set_sphere(&mut self, index: usize, radius: f64) -> Result<()> {
        check::non_negative("radius", index, radius)?;
        self.set_shape(index, &Shape::sphere(self.dim, radius))
    }

    /// Whether the kind and axes of one particle are those of a sphere.
    pub(crate) fn is_sphere(&self, index: usize) -> bool {
        shape::is_sphere(self.kind_of(index), &self.axes_of(index), self.dim)
    }

    /// The axes of all particles in metres, `D * D` numbers per particle: (axis, component).
    ///
    /// Particles that are all spheres have no such column: the first call creates it, and it is kept until
    /// [`shrink_to_fit`](Self::shrink_to_fit). [`shape`](Self::shape) of one particle after the other needs none.
    pub fn all_axes(&self) -> Result<&[f64]> {
        self.axes.all(self.radii())
    }

    /// The kinds of all particles, as the numbers of [`ShapeKind`].
    #[must_use]
    pub fn kinds(&self) -> &[u8] {
        self.kind.as_slice()
    }

    /// Replaces the axes of all particles, `D * D` numbers per particle, and with them the bounding radii.
    pub fn set_all_axes(&mut self, axes: &[f64]) -> Result<()> {
        let (dim, matrix) = (self.dim, self.dim * self.dim);
        check::length("axes", 0, self.len() * matrix, axes.len())?;
        for (index, axes) in axes.chunks_exact(matrix).enumerate() {
            check::shape(self.kind_of(index), axes, self.dim, index)?;
        }
        let mut shapes = axes.chunks_exact(matrix).enumerate();
        if !shapes.all(|(index, axes)| shape::is_sphere(self.kind_of(index), axes, dim)) {
            self.axes.write_out(self.radius.as_slice())?;
        }
        for (index, axes) in axes.chunks_exact(matrix).enumerate() {
            self.write_shape(index, self.kind_of(index), axes);
        }
        Ok(())
    }

    /// Which particles are fixed: 1, the others 0.
    #[must_use]
    pub fn fixed_flags(&self) -> &[u8] {
        self.fixed.as_slice()
    }

    /// Whether one particle is fixed.
    pub fn is_fixed(&self, index: usize) -> Result<bool> {
        self.check_index(index)?;
        Ok(self.fixed.as_slice()[index] != 0)
    }

    /// Fixes a particle, which zeroes its velocity and acceleration, or sets it free.
    pub fn set_fixed(&mut self, index: usize, fixed: bool) -> Result<()> {
        self.check_index(index)?;
        self.fixed.as_mut_slice()[index] = u8::from(fixed);
        if fixed {
            for column in self.velocity.iter_mut().chain(&mut self.acceleration) {
                column.as_mut_slice()[index] = 0.0;
            }
        }
        Ok(())
    }

    /// The user data of all particles.
    #[must_use]
    pub fn user_data(&self) -> &[u64] {
        self.data.as_slice()
    }

    /// The user data of all particles, writable in place.
    #[must_use]
    pub fn user_data_mut(&mut self) -> &mut [u64] {
        self.data.as_mut_slice()
    }

    pub(crate) fn columns(&self, field: Field) -> &[Column<f64>] {
        match field {
            Field::Position => &self.position,
            Field::Velocity => &self.velocity,
            Field::Acceleration => &self.acceleration,
            Field::Mass => std::slice::from_ref(&self.mass),
            Field::Drag => std::slice::from_ref(&self.drag),
            Field::Radius => std::slice::from_ref(&self.radius),
        }
    }

    /// Whether particle `index`, which exists, may have these values.
    fn check_value(&self, field: Field, index: usize, values: &[f64]) -> Result<()> {
        field.spec().check_row(values, self.dim, index, self.fixed.as_slice()[index] != 0)
    }

    /// Whether all of these particles exist.
    pub(crate) fn check_rows(&self, rows: &Range<usize>) -> Result<()> {
        check::rows("particle", rows, self.len())
    }

    /// Writes checked values into one row of a writable field.
    pub(super) fn write_value(&mut self, field: Field, index: usize, values: &[f64]) {
        self.note(field, values);
        for (column, &value) in self.columns_mut(field).expect("a writable field").iter_mut().zip(values) {
            column.as_mut_slice()[index] = value;
        }
    }

    /// Writes position and velocity on one axis of one particle, which the caller has computed and bounded.
    pub(crate) fn write_motion(&mut self, index: usize, axis: usize, position: f64, velocity: f64) {
        self.position[axis].as_mut_slice()[index] = position;
        self.velocity[axis].as_mut_slice()[index] = velocity;
    }

    /// Keeps the known magnitudes an upper bound of values that are about to be written.
    pub(super) fn note(&mut self, field: Field, values: &[f64]) {
        if let Some(magnitudes) = &mut self.magnitudes {
            let largest = magnitudes.of_mut(field);
            *largest = values.iter().fold(*largest, |m, value| m.max(value.abs()));
        }
    }

    pub(super) fn columns_mut(&mut self, field: Field) -> Result<&mut [Column<f64>]> {
        field.spec().check_writable()?;
        Ok(match field {
            Field::Position => &mut self.position,
            Field::Velocity => &mut self.velocity,
            Field::Acceleration => &mut self.acceleration,
            Field::Mass => std::slice::from_mut(&mut self.mass),
            Field::Drag => std::slice::from_mut(&mut self.drag),
            Field::Radius => std::slice::from_mut(&mut self.radius),
        })
    }

    pub(crate) fn kind_of(&self, index: usize) -> ShapeKind {
        ShapeKind::from_code(self.kind.as_slice()[index]).expect("only valid kinds are stored")
    }

    pub(crate) fn axes_of(&self, index: usize) -> Cow<'_, [f64]> {
        self.axes.of(index, self.radii())
    }
}
