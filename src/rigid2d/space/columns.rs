//! Columns of the bodies of a space, to read and to write as a whole.

use super::Space;
use crate::error::{Error, Result};
use crate::rigid2d::BodyField;
use crate::rigid2d::engine::bodies::{BodiesMut, Kind};
use crate::soa::check;

impl BodyField {
    /// Whether a body of this kind can have another value than 0.
    fn is_free(self, kind: Kind) -> bool {
        match self {
            Self::ForceX | Self::ForceY | Self::Torque => kind == Kind::Dynamic,
            _ => matches!(kind, Kind::Dynamic | Kind::Kinematic),
        }
    }

    /// The column, if bodies can be written many at a time.
    fn of_mut<'a>(self, bodies: &'a mut BodiesMut<'_>) -> Option<&'a mut [f64]> {
        match self {
            Self::X | Self::Y | Self::Angle => None,
            Self::VelocityX => Some(&mut *bodies.velocity_x),
            Self::VelocityY => Some(&mut *bodies.velocity_y),
            Self::AngularVelocity => Some(&mut *bodies.angular_velocity),
            Self::ForceX => Some(&mut *bodies.force_x),
            Self::ForceY => Some(&mut *bodies.force_y),
            Self::Torque => Some(&mut *bodies.torque),
        }
    }
}

impl Space {
    /// A property of all bodies: the entry of a body is at the [index](super::BodyId::index) of its id. Entries of rows without
    /// a body mean nothing.
    #[must_use]
    pub fn column(&self, field: BodyField) -> &[f64] {
        field.column(self.core.engine.bodies())
    }

    /// How many bodies fit before the columns must move in memory.
    #[cfg(feature = "capi")]
    pub(crate) fn column_capacity(&self) -> usize {
        self.core.engine.bodies().capacity()
    }

    /// Writes a velocity, force or torque per row; what is at rows without a body is not used. If one number is bad nothing
    /// changes. Bodies wake up whose number changes.
    pub fn set_column(&mut self, column: BodyField, values: &[f64]) -> Result<()> {
        let field = column.name();
        if column.of_mut(&mut self.core.engine.bodies_mut()).is_none() {
            return Err(Error::ReadOnly { field, reason: "bodies are moved one at a time" });
        }
        check::length(field, 0, self.column(column).len(), values.len())?;
        for (index, &value) in values.iter().enumerate() {
            let kind = self.core.engine.bodies().kind(index);
            if kind == Kind::None {
                continue;
            }
            check::finite(field, index, value)?;
            if value != 0.0 && !column.is_free(kind) {
                return Err(Error::NotDynamic { field, index });
            }
        }
        for (row, &value) in values.iter().enumerate() {
            let is_used = self.core.engine.bodies().kind(row) != Kind::None;
            if is_used && self.column(column)[row].to_bits() != value.to_bits() {
                self.core.engine.wake(row as u32);
                if let Some(entries) = column.of_mut(&mut self.core.engine.bodies_mut()) {
                    entries[row] = value;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec2;
    use crate::rigid2d::{Body, SpaceSettings};

    #[test]
    fn columns_are_those_of_bodies_by_index() {
        let mut space = Space::new(&SpaceSettings::default()).unwrap();
        let make = |x: f64| Body::dynamic().with_position(Vec2::new(x, 1.0)).with_mass(1.0).with_moment(1.0);
        let [first, second] = [2.0, 3.0].map(|x| space.add_body(&make(x)).unwrap());
        assert_eq!(space.column(BodyField::X), [0.0, 2.0, 3.0]);
        space.set_column(BodyField::VelocityX, &[0.0, 5.0, -1.0]).unwrap();
        space.step(1.0).unwrap();
        assert_eq!(
            (space.column(BodyField::X)[first.index()], space.column(BodyField::Angle)[0]),
            (7.0, 0.0)
        );
        space.remove_body(second).unwrap();
        space.set_column(BodyField::ForceY, &[0.0, 2.0, f64::NAN]).unwrap();
        space.step(1.0).unwrap();
        assert_eq!(space.body(first).unwrap().velocity(), Vec2::new(5.0, 2.0));
    }

    #[test]
    fn bad_columns_change_nothing() {
        let mut space = Space::new(&SpaceSettings::default()).unwrap();
        space.add_body(&Body::kinematic()).unwrap();
        for (column, values, message) in [
            (BodyField::X, &[0.0, 1.0][..], "x can only be read"),
            (BodyField::Torque, &[0.0], "torque[0] has 1 entries"),
            (BodyField::Torque, &[0.0, 1.0], "torque of body 1 cannot be set"),
            (BodyField::VelocityX, &[1.0, 1.0], "velocity x of body 0 cannot be set"),
            (BodyField::AngularVelocity, &[0.0, f64::NAN], "angular velocity[1] is NaN"),
        ] {
            let error = space.set_column(column, values).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
            assert!(space.column(column).iter().all(|&value| value == 0.0));
        }
    }
}
