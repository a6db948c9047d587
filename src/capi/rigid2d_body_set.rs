//! Rigid bodies: changing them.

use super::handle::update;
use super::rigid2d_bodies::{carom_body_kind, known_kind};
use super::rigid2d_ids::{carom_body, carom_shape, carom_vec2};
use super::rigid2d_space::carom_space;
use super::status::carom_status;

/// Makes a body dynamic, kinematic or static.
///
/// What is no longer dynamic loses its mass, moment and forces, what becomes static its velocities, too. What becomes
/// dynamic takes mass, moment and centre of mass from its shapes.
///
/// \param body Which body.
/// \param kind CAROM_BODY_STATIC, CAROM_BODY_KINEMATIC or CAROM_BODY_DYNAMIC.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_UNKNOWN_VALUE, CAROM_OWN_STATIC_BODY, CAROM_OVERFLOW, CAROM_OUT_OF_RANGE,
///         CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_kind(
    space: *mut carom_space,
    body: carom_body,
    kind: carom_body_kind,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.set_kind(known_kind(kind)?)?)))
}

/// Sets the mass of a dynamic body.
///
/// \param body Which body.
/// \param mass In kilograms, from 1e-30 to 1e30.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_DYNAMIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_mass(
    space: *mut carom_space,
    body: carom_body,
    mass: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.set_mass(mass)?)))
}

/// Sets the moment of inertia of a dynamic body about its centre of mass.
///
/// \param body   Which body.
/// \param moment In kg m^2, from 1e-30 to 1e30; infinity for a body that nothing turns.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_DYNAMIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_moment(
    space: *mut carom_space,
    body: carom_body,
    moment: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.set_moment(moment)?)))
}

/// Moves the centre of mass within a body, which stays where it is.
///
/// \param body   Which body.
/// \param centre In the coordinates of the body, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_centre_of_mass(
    space: *mut carom_space,
    body: carom_body,
    centre: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.set_centre_of_mass(centre.into())?)))
}

/// Takes mass, moment and centre of mass of a dynamic body from its shapes. The body stays where it is.
///
/// \param body Which body.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_DYNAMIC, CAROM_OVERFLOW, CAROM_OUT_OF_RANGE, CAROM_LOCKED in a callback
///         for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_accumulate_mass(
    space: *mut carom_space,
    body: carom_body,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.accumulate_mass_from_shapes()?)))
}

/// Moves the origin of a body to a point.
///
/// \param body     Which body.
/// \param position In metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_position(
    space: *mut carom_space,
    body: carom_body,
    position: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.set_position(position.into())?)))
}

/// Turns a body about its origin.
///
/// \param body  Which body.
/// \param angle In radians, counter-clockwise.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_angle(
    space: *mut carom_space,
    body: carom_body,
    angle: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.set_angle(angle)?)))
}

/// Moves and turns a body.
///
/// \param body     Which body.
/// \param position Where its origin is, in metres.
/// \param angle    In radians, counter-clockwise.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_pose(
    space: *mut carom_space,
    body: carom_body,
    position: carom_vec2,
    angle: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.set_pose(position.into(), angle)?)))
}

/// Sets the velocity of the centre of mass of a body.
///
/// \param body     Which body.
/// \param velocity In metres per second; 0 for a static body.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NOT_DYNAMIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_velocity(
    space: *mut carom_space,
    body: carom_body,
    velocity: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.set_velocity(velocity.into())?)))
}

/// Sets the angular velocity of a body.
///
/// \param body             Which body.
/// \param angular_velocity In radians per second; 0 for a static body.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NOT_DYNAMIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_angular_velocity(
    space: *mut carom_space,
    body: carom_body,
    angular_velocity: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space
        .body_mut(body.into())?
        .set_angular_velocity(angular_velocity)?)))
}

/// Sets the force on a dynamic body at its centre of mass in the next step, besides gravity. It is 0 again after the
/// step.
///
/// \param body  Which body.
/// \param force In newtons.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NOT_DYNAMIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_force(
    space: *mut carom_space,
    body: carom_body,
    force: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.set_force(force.into())?)))
}

/// Sets the torque on a dynamic body in the next step. It is 0 again after the step.
///
/// \param body   Which body.
/// \param torque In newton metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NOT_DYNAMIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_torque(
    space: *mut carom_space,
    body: carom_body,
    torque: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.set_torque(torque)?)))
}

/// Adds a force on a dynamic body in the next step, at a point of the plane.
///
/// \param body  Which body.
/// \param force In newtons.
/// \param point Where it acts, a point of the plane, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NOT_DYNAMIC, CAROM_OVERFLOW.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_apply_force(
    space: *mut carom_space,
    body: carom_body,
    force: carom_vec2,
    point: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space
        .body_mut(body.into())?
        .apply_force(force.into(), point.into())?)))
}

/// Adds a force on a dynamic body in the next step, with force and point in the coordinates of the body.
///
/// \param body  Which body.
/// \param force In newtons, in the coordinates of the body.
/// \param point In the coordinates of the body, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NOT_DYNAMIC, CAROM_OVERFLOW.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_apply_force_local(
    space: *mut carom_space,
    body: carom_body,
    force: carom_vec2,
    point: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space
        .body_mut(body.into())?
        .apply_force_local(force.into(), point.into())?)))
}

/// Changes the velocities of a dynamic body by an impulse at a point of the plane.
///
/// \param body    Which body.
/// \param impulse In newton seconds.
/// \param point   Where it acts, a point of the plane, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NOT_DYNAMIC, CAROM_OVERFLOW.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_apply_impulse(
    space: *mut carom_space,
    body: carom_body,
    impulse: carom_vec2,
    point: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space
        .body_mut(body.into())?
        .apply_impulse(impulse.into(), point.into())?)))
}

/// Changes the velocities of a dynamic body by an impulse, with impulse and point in the coordinates of the body.
///
/// \param body    Which body.
/// \param impulse In newton seconds, in the coordinates of the body.
/// \param point   In the coordinates of the body, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NOT_DYNAMIC, CAROM_OVERFLOW.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_apply_impulse_local(
    space: *mut carom_space,
    body: carom_body,
    impulse: carom_vec2,
    point: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space
        .body_mut(body.into())?
        .apply_impulse_local(impulse.into(), point.into())?)))
}

/// Makes a body a bullet, which does not tunnel through moving bodies either, or not.
///
/// \param body   Which body.
/// \param bullet 0: no bullet, anything else: a bullet.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_bullet(
    space: *mut carom_space,
    body: carom_body,
    bullet: i32,
) -> carom_status {
    entry!(update(space, |_, space| {
        space.body_mut(body.into())?.set_bullet(bullet != 0);
        Ok(())
    }))
}

/// Writes the user data of a body.
///
/// \param body      Which body.
/// \param user_data Anything; carom never reads it.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_user_data(
    space: *mut carom_space,
    body: carom_body,
    user_data: u64,
) -> carom_status {
    entry!(update(space, |_, space| {
        space.body_mut(body.into())?.set_user_data(user_data);
        Ok(())
    }))
}

/// Wakes a body.
///
/// \param body Which body.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_wake(space: *mut carom_space, body: carom_body) -> carom_status {
    entry!(update(space, |_, space| {
        space.body_mut(body.into())?.wake();
        Ok(())
    }))
}

/// Puts a dynamic body to sleep: it rests, without velocity, until something touches or changes it.
///
/// \param body Which body.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_DYNAMIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_sleep(space: *mut carom_space, body: carom_body) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.sleep()?)))
}

/// Makes the bounding boxes of the shapes of a body anew in the next step. Calls that move it or change them do so themselves.
///
/// \param body Which body.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_reindex(space: *mut carom_space, body: carom_body) -> carom_status {
    entry!(update(space, |_, space| Ok(space.body_mut(body.into())?.reindex()?)))
}

/// Ends the contacts of a body, or of one of its shapes; `separate` is called for them. Where the shapes touch they
/// begin to do so again in the next step.
///
/// \param body  Which body.
/// \param shape One of its shapes; NULL: all.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_end_contacts(
    space: *mut carom_space,
    body: carom_body,
    shape: *const carom_shape,
) -> carom_status {
    entry!(update(space, |caller, space| {
        let shape = caller.optional("shape", shape)?.map(|&shape| shape.into());
        Ok(space.filter_arbiters(body.into(), shape)?)
    }))
}
