//! Columns of all spaces: arrays of spaces by bodies.

use super::Spaces;
use crate::error::Result;
use crate::rigid2d::engine::bodies::Bodies;

/// A property of bodies that is kept as a column of `f64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum BodyField {
    /// Of the centre of mass, in metres.
    X = 0,
    /// Of the centre of mass, in metres.
    Y = 1,
    /// In radians, of any size.
    Angle = 2,
    /// In metres per second.
    VelocityX = 3,
    /// In metres per second.
    VelocityY = 4,
    /// In radians per second.
    AngularVelocity = 5,
    /// In newtons, besides gravity; 0 after every step.
    ForceX = 6,
    /// In newtons, besides gravity; 0 after every step.
    ForceY = 7,
    /// In newton metres; 0 after every step.
    Torque = 8,
}

impl BodyField {
    /// All fields, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::X,
        Self::Y,
        Self::Angle,
        Self::VelocityX,
        Self::VelocityY,
        Self::AngularVelocity,
        Self::ForceX,
        Self::ForceY,
        Self::Torque,
    ];

    /// The field with this number, the same as in the C ABI.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&field| field as u32 == code)
    }

    /// Its name in error messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Angle => "angle",
            Self::VelocityX => "velocity x",
            Self::VelocityY => "velocity y",
            Self::AngularVelocity => "angular velocity",
            Self::ForceX => "force x",
            Self::ForceY => "force y",
            Self::Torque => "torque",
        }
    }

    pub(crate) fn column(self, bodies: &Bodies) -> &[f64] {
        match self {
            Self::X => bodies.x(),
            Self::Y => bodies.y(),
            Self::Angle => bodies.angle(),
            Self::VelocityX => bodies.velocity_x(),
            Self::VelocityY => bodies.velocity_y(),
            Self::AngularVelocity => bodies.angular_velocity(),
            Self::ForceX => bodies.force_x(),
            Self::ForceY => bodies.force_y(),
            Self::Torque => bodies.torque(),
        }
    }

    /// The column, to be written: what is written is checked by the next step.
    pub(crate) fn column_mut(self, bodies: &mut Bodies) -> &mut [f64] {
        bodies.note_written(self == Self::Angle);
        let (bodies, _) = bodies.for_step();
        match self {
            Self::X => bodies.x,
            Self::Y => bodies.y,
            Self::Angle => bodies.angle,
            Self::VelocityX => bodies.velocity_x,
            Self::VelocityY => bodies.velocity_y,
            Self::AngularVelocity => bodies.angular_velocity,
            Self::ForceX => bodies.force_x,
            Self::ForceY => bodies.force_y,
            Self::Torque => bodies.torque,
        }
    }
}

impl Spaces {
    /// A property of all bodies: of space 0 first, [`bodies_per_space`](Self::bodies_per_space) rows each. Rows that a space
    /// does not use mean nothing.
    #[must_use]
    pub fn column(&self, field: BodyField) -> &[f64] {
        field.column(self.engine.bodies())
    }

    /// The same, to be written. The next step checks what was written: numbers that are not finite are an error there, and
    /// nothing has moved then. Velocities of static bodies and rows that are not used have no effect.
    pub fn column_mut(&mut self, field: BodyField) -> &mut [f64] {
        field.column_mut(self.engine.bodies_mut())
    }

    /// Checks the numbers of all bodies, as a step does with what was written: all must be finite.
    pub fn check_columns(&self) -> Result<()> {
        self.engine.bodies().check_columns()
    }
}
