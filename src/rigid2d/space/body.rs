//! What a body is made from.

use crate::error::{Error, Result};
use crate::geometry::Vec2;
use crate::rigid2d::engine::bodies::Kind;
use crate::setters::setters;
use crate::soa::check;

/// What moves a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BodyKind {
    /// Nothing moves it. Its mass is infinite.
    Static,
    /// Its velocity moves it, and no force or impulse changes that. Its mass is infinite.
    Kinematic,
    /// Gravity, forces and impulses move it.
    #[default]
    Dynamic,
}

impl BodyKind {
    pub(crate) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Dynamic => Self::Dynamic,
            Kind::Kinematic => Self::Kinematic,
            Kind::Static | Kind::None => Self::Static,
        }
    }

    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Static => Kind::Static as u8,
            Self::Kinematic => Kind::Kinematic as u8,
            Self::Dynamic => Kind::Dynamic as u8,
        }
    }
}

/// What a body is at first. A space makes a body from it.
///
/// ```
/// use carom::geometry::Vec2;
/// use carom::rigid2d::{Body, Geometry, Shape, Space, SpaceSettings};
///
/// let mut space = Space::new(&SpaceSettings::default())?;
/// let body = space.add_body(&Body::dynamic().with_position(Vec2::new(0.0, 5.0)))?;
/// space.add_shape(body, Shape::new(Geometry::circle(0.5, Vec2::ZERO)?).with_mass(2.0))?;
/// assert_eq!((space.body(body)?.mass(), space.body(body)?.moment()), (2.0, 0.25));
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Body {
    /// What moves it.
    pub kind: BodyKind,
    /// Where the origin of its coordinates is, in metres.
    pub position: Vec2,
    /// How it is turned, in radians, counter-clockwise.
    pub angle: f64,
    /// Velocity of its centre of mass, in metres per second. A static body has none.
    pub velocity: Vec2,
    /// In radians per second. A static body has none.
    pub angular_velocity: f64,
    /// In kilograms, of a dynamic body. It is replaced by that of its shapes when one with a mass is added.
    pub mass: f64,
    /// Moment of inertia about the centre of mass, in kg m^2, of a dynamic body; if it is infinite, nothing turns the body.
    pub moment: f64,
    /// The centre of mass in the coordinates of the body, in metres.
    pub centre_of_mass: Vec2,
    /// Force at the centre of mass in the next step, besides gravity, in newtons; of a dynamic body.
    pub force: Vec2,
    /// Torque in the next step, in newton metres; of a dynamic body.
    pub torque: f64,
    /// Whether it does not tunnel through moving bodies either.
    pub bullet: bool,
    /// A number that carom stores and does not use.
    pub user_data: u64,
}

impl Body {
    /// A body that forces and impulses move. It needs a mass and a moment before the next step, from
    /// [here](Self::with_mass) or from its shapes.
    #[must_use]
    #[inline]
    pub fn dynamic() -> Self {
        Self::default()
    }

    /// A body that moves with its velocity whatever touches it.
    #[must_use]
    #[inline]
    pub fn kinematic() -> Self {
        Self { kind: BodyKind::Kinematic, ..Self::default() }
    }

    /// A body that does not move: a static one.
    #[must_use]
    #[inline]
    pub fn fixed() -> Self {
        Self { kind: BodyKind::Static, ..Self::default() }
    }

    setters! {
        /// Of this kind.
        with_kind(kind: BodyKind);
        /// At this position of its origin, in metres.
        with_position(position: Vec2);
        /// Turned by this angle, in radians.
        with_angle(angle: f64);
        /// With this velocity of its centre of mass, in metres per second.
        with_velocity(velocity: Vec2);
        /// With this angular velocity, in radians per second.
        with_angular_velocity(angular_velocity: f64);
        /// With this mass, in kilograms.
        with_mass(mass: f64);
        /// With this moment of inertia about its centre of mass, in kg m^2.
        with_moment(moment: f64);
        /// With this centre of mass in its own coordinates, in metres.
        with_centre_of_mass(centre_of_mass: Vec2);
        /// With this force in the next step, in newtons.
        with_force(force: Vec2);
        /// With this torque in the next step, in newton metres.
        with_torque(torque: f64);
        /// As a bullet, or not.
        with_bullet(bullet: bool);
        /// With this number for the user.
        with_user_data(user_data: u64);
    }

    /// Whether all numbers are in their ranges.
    pub fn check(&self) -> Result<()> {
        self.check_at(0)
    }

    pub(super) fn check_at(&self, index: usize) -> Result<()> {
        check_vector("position", index, self.position)?;
        check::finite("angle", index, self.angle)?;
        check_vector("velocity", index, self.velocity)?;
        check::finite("angular velocity", index, self.angular_velocity)?;
        check_vector("centre of mass", index, self.centre_of_mass)?;
        check_vector("force", index, self.force)?;
        check::finite("torque", index, self.torque)?;
        check_mass(index, self.mass)?;
        check_moment(index, self.moment)?;
        let is = |nonzero: bool, kind: BodyKind| nonzero && self.kind == kind;
        let refused = |field| Err(Error::NotDynamic { field, index });
        if is(self.velocity != Vec2::ZERO, BodyKind::Static) {
            return refused("velocity");
        }
        if is(self.angular_velocity != 0.0, BodyKind::Static) {
            return refused("angular velocity");
        }
        for (field, nonzero) in [
            ("mass", self.mass != 0.0),
            ("moment", self.moment != 0.0),
            ("force", self.force != Vec2::ZERO),
            ("torque", self.torque != 0.0),
        ] {
            if nonzero && self.kind != BodyKind::Dynamic {
                return refused(field);
            }
        }
        Ok(())
    }
}

pub(super) fn check_vector(field: &'static str, index: usize, vector: Vec2) -> Result<()> {
    check::finite(field, index, vector.x)?;
    check::finite(field, index, vector.y)
}

/// A mass is at least 0 and finite, and so is its inverse unless it is 0.
pub(super) fn check_mass(index: usize, mass: f64) -> Result<()> {
    check::non_negative("mass", index, mass)?;
    check_inverse("mass", mass)
}

/// A moment is at least 0 and may be infinite.
pub(super) fn check_moment(index: usize, moment: f64) -> Result<()> {
    if moment == f64::INFINITY {
        return Ok(());
    }
    check::non_negative("moment", index, moment)?;
    check_inverse("moment", moment)
}

/// Inverses must be finite, also in single precision.
fn check_inverse(field: &'static str, value: f64) -> Result<()> {
    if value == 0.0 || (1e-30..=1e30).contains(&value) {
        Ok(())
    } else {
        Err(Error::OutOfRange { field, value, expected: "0 or from 1e-30 to 1e30" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_bodies_are_named() {
        let nan = f64::NAN;
        for (bad, message) in [
            (Body::dynamic().with_position(Vec2::new(0.0, nan)), "position[0] is NaN"),
            (Body::dynamic().with_angle(f64::INFINITY), "angle[0] is inf"),
            (Body::dynamic().with_velocity(Vec2::new(nan, 0.0)), "velocity[0] is NaN"),
            (Body::dynamic().with_angular_velocity(nan), "angular velocity[0] is NaN"),
            (Body::dynamic().with_centre_of_mass(Vec2::new(nan, 0.0)), "centre of mass[0] is NaN"),
            (Body::dynamic().with_force(Vec2::new(nan, 0.0)), "force[0] is NaN"),
            (Body::dynamic().with_torque(nan), "torque[0] is NaN"),
            (Body::dynamic().with_mass(nan), "mass[0] is NaN"),
            (Body::dynamic().with_mass(-1.0), "mass[0] is -1"),
            (Body::dynamic().with_mass(f64::INFINITY), "mass[0] is inf"),
            (Body::dynamic().with_mass(1e-40), "mass is 0.0000000000"),
            (Body::dynamic().with_moment(nan), "moment[0] is NaN"),
            (Body::dynamic().with_moment(-2.0), "moment[0] is -2"),
            (Body::fixed().with_mass(1.0), "mass of body 0 cannot be set"),
            (Body::fixed().with_velocity(Vec2::X), "velocity of body 0 cannot be set"),
            (Body::fixed().with_angular_velocity(1.0), "angular velocity of body 0 cannot be set"),
            (Body::kinematic().with_moment(1.0), "moment of body 0 cannot be set"),
            (Body::kinematic().with_force(Vec2::X), "force of body 0 cannot be set"),
            (Body::kinematic().with_torque(1.0), "torque of body 0 cannot be set"),
        ] {
            let error = bad.check().unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
        assert_eq!(Body::dynamic().with_mass(1.0).with_moment(f64::INFINITY).check(), Ok(()));
        assert_eq!(Body::kinematic().with_velocity(Vec2::X).with_angular_velocity(1.0).check(), Ok(()));
    }
}
