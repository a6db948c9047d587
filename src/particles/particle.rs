//! One particle as a value, as it is added to a store and read from it.

use super::check;
use super::columns::Field;
use super::shape::{self, Shape, ShapeKind};
use crate::error::Result;

/// The whole state of one particle in dimension D = `position.len()`, in SI units.
///
/// ```
/// use carom::Particle;
/// let ball = Particle::sphere(&[0.0, 1.0], 0.5).with_velocity(&[3.0, 0.0]).with_mass(2.0);
/// assert_eq!(ball.dim(), 2);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Particle {
    /// The body around the centre.
    pub shape: Shape,
    /// Centre P, in metres.
    pub position: Vec<f64>,
    /// Velocity S, in metres per second.
    pub velocity: Vec<f64>,
    /// User acceleration A, in metres per second squared.
    pub acceleration: Vec<f64>,
    /// Mass in kilograms; 0 makes a tracer, which never collides.
    pub mass: f64,
    /// Drag k per second: it adds `-k S` to the acceleration.
    pub drag: f64,
    /// A fixed particle never moves and collides as if its mass were infinite.
    pub fixed: bool,
    /// User data; carom never reads it.
    pub data: u64,
}

impl Particle {
    /// A particle of this kind with unit axes at the origin: at rest, without mass or drag, not fixed.
    #[must_use]
    pub fn new(dim: usize, kind: ShapeKind) -> Self {
        Self::with_shape(&vec![0.0; dim], Shape::unit(dim, kind))
    }

    /// A sphere at rest, without mass or drag.
    #[must_use]
    pub fn sphere(position: &[f64], radius: f64) -> Self {
        Self::with_shape(position, Shape::sphere(position.len(), radius))
    }

    /// A body of any shape at rest, without mass or drag.
    #[must_use]
    pub fn with_shape(position: &[f64], shape: Shape) -> Self {
        let rest = vec![0.0; position.len()];
        Self {
            shape,
            position: position.to_vec(),
            velocity: rest.clone(),
            acceleration: rest,
            mass: 0.0,
            drag: 0.0,
            fixed: false,
            data: 0,
        }
    }

    /// The same with another velocity, in metres per second.
    #[must_use]
    pub fn with_velocity(mut self, velocity: &[f64]) -> Self {
        self.velocity = velocity.to_vec();
        self
    }

    /// The same with another user acceleration, in metres per second squared.
    #[must_use]
    pub fn with_acceleration(mut self, acceleration: &[f64]) -> Self {
        self.acceleration = acceleration.to_vec();
        self
    }

    /// The same with another mass, in kilograms.
    #[must_use]
    pub fn with_mass(mut self, mass: f64) -> Self {
        self.mass = mass;
        self
    }

    /// The same with another drag, per second.
    #[must_use]
    pub fn with_drag(mut self, drag: f64) -> Self {
        self.drag = drag;
        self
    }

    /// The same, fixed in place: at rest and without user acceleration.
    #[must_use]
    pub fn fixed(mut self) -> Self {
        self.fixed = true;
        self.velocity.fill(0.0);
        self.acceleration.fill(0.0);
        self
    }

    /// The same with other user data.
    #[must_use]
    pub fn with_data(mut self, data: u64) -> Self {
        self.data = data;
        self
    }

    /// Checks a particle for a store of dimension `dim`; an error names it by `index`.
    pub(crate) fn check(&self, dim: usize, index: usize) -> Result<()> {
        check::particle(&self.as_row(), dim, index)
    }

    /// The same with borrowed numbers.
    pub(super) fn as_row(&self) -> ParticleRow<'_> {
        ParticleRow {
            kind: self.shape.kind,
            extent: Extent::Axes(&self.shape.axes),
            position: &self.position,
            velocity: &self.velocity,
            acceleration: &self.acceleration,
            mass: self.mass,
            drag: self.drag,
            fixed: self.fixed,
            data: self.data,
        }
    }

    /// Dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.position.len()
    }
}

/// One particle whose numbers are somewhere else, as it is written into a row. The fields are those of [`Particle`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParticleRow<'a> {
    pub(crate) kind: ShapeKind,
    pub(crate) extent: Extent<'a>,
    pub(crate) position: &'a [f64],
    pub(crate) velocity: &'a [f64],
    pub(crate) acceleration: &'a [f64],
    pub(crate) mass: f64,
    pub(crate) drag: f64,
    pub(crate) fixed: bool,
    pub(crate) data: u64,
}

/// How large a body is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extent<'a> {
    /// `D * D` components of the axes, in metres.
    Axes(&'a [f64]),
    /// The radius of a sphere, in metres, without a sign: only of a spheroid.
    #[cfg_attr(not(feature = "capi"), allow(dead_code, reason = "only callers in C give radii"))]
    Radius(f64),
}

impl<'a> ParticleRow<'a> {
    /// The values of a field that is not derived.
    #[inline]
    pub(super) fn values(&'a self, field: Field) -> &'a [f64] {
        match field {
            Field::Position => self.position,
            Field::Velocity => self.velocity,
            Field::Acceleration => self.acceleration,
            Field::Mass => std::slice::from_ref(&self.mass),
            Field::Drag => std::slice::from_ref(&self.drag),
            Field::Radius => &[],
        }
    }

    /// Whether the axes follow from the radius.
    #[inline]
    pub(super) fn is_sphere(&self, dim: usize) -> bool {
        match self.extent {
            Extent::Axes(axes) => shape::is_sphere(self.kind, axes, dim),
            Extent::Radius(_) => true,
        }
    }
}
