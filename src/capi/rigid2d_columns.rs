//! Columns of bodies, shared with the caller.

use super::columns::carom_column;
use super::failure::{Failure, Result};
use super::handle::{query, update};
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use crate::rigid2d::BodyField;

/// A property of the bodies of a space that is a column, one entry per row: one of CAROM_BODY_X to CAROM_BODY_TORQUE.
pub type carom_body_field = u32;

/// First coordinate of the centre of mass, in metres.
pub const CAROM_BODY_X: carom_body_field = 0;
/// Second coordinate of the centre of mass, in metres.
pub const CAROM_BODY_Y: carom_body_field = 1;
/// How the body is turned, in radians, counter-clockwise; full turns count.
pub const CAROM_BODY_ANGLE: carom_body_field = 2;
/// Velocity of the centre of mass along the first axis, in metres per second.
pub const CAROM_BODY_VELOCITY_X: carom_body_field = 3;
/// Velocity of the centre of mass along the second axis, in metres per second.
pub const CAROM_BODY_VELOCITY_Y: carom_body_field = 4;
/// Angular velocity, in radians per second.
pub const CAROM_BODY_ANGULAR_VELOCITY: carom_body_field = 5;
/// Force in the next step along the first axis, besides gravity, in newtons; 0 after every step.
pub const CAROM_BODY_FORCE_X: carom_body_field = 6;
/// Force in the next step along the second axis, besides gravity, in newtons; 0 after every step.
pub const CAROM_BODY_FORCE_Y: carom_body_field = 7;
/// Torque in the next step, in newton metres; 0 after every step.
pub const CAROM_BODY_TORQUE: carom_body_field = 8;

const _: () = assert!(
    CAROM_BODY_X == BodyField::X as u32
        && CAROM_BODY_Y == BodyField::Y as u32
        && CAROM_BODY_ANGLE == BodyField::Angle as u32
        && CAROM_BODY_VELOCITY_X == BodyField::VelocityX as u32
        && CAROM_BODY_VELOCITY_Y == BodyField::VelocityY as u32
        && CAROM_BODY_ANGULAR_VELOCITY == BodyField::AngularVelocity as u32
        && CAROM_BODY_FORCE_X == BodyField::ForceX as u32
        && CAROM_BODY_FORCE_Y == BodyField::ForceY as u32
        && CAROM_BODY_TORQUE == BodyField::Torque as u32
);

pub(super) fn known_body_field(field: carom_body_field) -> Result<BodyField> {
    BodyField::from_code(field).ok_or(Failure::UnknownValue { argument: "field", value: field.into() })
}

/// Shares one column of the bodies of a space, to be read. The row of a body is the `index` of its id.
///
/// The entries of rows without a body are not used and say nothing; carom_space_bodies() lists the bodies. The pointer becomes
/// invalid with the next carom_body_add() and with carom_space_destroy(). All other calls leave it valid; a step writes
/// through it.
///
/// \param field  Which property.
/// \param column Receives the column.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_column(
    space: *const carom_space,
    field: carom_body_field,
    column: *mut carom_column,
) -> carom_status {
    entry!(query(space, ("column", column), |_, space| {
        let entries = space.column(known_body_field(field)?);
        Ok(carom_column { data: entries.as_ptr(), length: entries.len(), capacity: space.column_capacity() })
    }))
}

/// Writes a whole column: a velocity, force or torque per row. If one number is invalid nothing changes. What changes wakes up.
///
/// \param field  CAROM_BODY_VELOCITY_X to CAROM_BODY_TORQUE.
/// \param values One number per row; what is at rows without a body is not used. At rows of bodies that have no such value it
///               must be 0: a velocity of a static body, a force or torque of a body that is not dynamic.
/// \param count  Number of rows: the length of the column.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_READ_ONLY for a position or an angle, CAROM_WRONG_LENGTH, CAROM_NOT_FINITE,
///         CAROM_NOT_DYNAMIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_set_column(
    space: *mut carom_space,
    field: carom_body_field,
    values: *const f64,
    count: usize,
) -> carom_status {
    entry!(update(space, |caller, space| {
        let field = known_body_field(field)?;
        // Copied first, because they may lie in a column of the space.
        let values = caller.rows("values", values, 0, 1, count)?.packed()?;
        Ok(space.set_column(field, &values)?)
    }))
}
