//! Bodies whose velocity or position is integrated by callbacks.

use std::ffi::c_void;

use super::handle::update;
use super::rigid2d_handlers::User;
use super::rigid2d_ids::{carom_body, carom_vec2};
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use crate::rigid2d::space::{PositionUpdate, VelocityUpdate};

/// The velocity of a body before impulses, to be set by a callback. Later versions may add fields at the end.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_velocity_update {
    /// Which body.
    pub body: carom_body,
    /// Duration of the step, in seconds.
    pub time_step: f64,
    /// Gravity, in metres per second squared.
    pub gravity: carom_vec2,
    /// In kilograms.
    pub mass: f64,
    /// Moment of inertia about the centre of mass, in kg m^2.
    pub moment: f64,
    /// Where the origin of the body is, in metres.
    pub position: carom_vec2,
    /// How the body is turned, in radians.
    pub angle: f64,
    /// Force at the centre of mass, in newtons.
    pub force: carom_vec2,
    /// Torque, in newton metres.
    pub torque: f64,
    /// What `velocity` would become without the callback, in metres per second.
    pub usual_velocity: carom_vec2,
    /// What `angular_velocity` would become without the callback, in radians per second.
    pub usual_angular_velocity: f64,
    /// Of the centre of mass, in metres per second: what it is, and what the callback makes it. A result that is not finite
    /// changes nothing.
    pub velocity: carom_vec2,
    /// In radians per second: what it is, and what the callback makes it.
    pub angular_velocity: f64,
}

/// Called in every step to change the velocity of a body instead of gravity, force and torque, on the thread that called the
/// step. It writes `velocity` and `angular_velocity`. Calls for the space return CAROM_BUSY. It must return: no exception, no
/// longjmp.
pub type carom_velocity_callback =
    Option<unsafe extern "C" fn(update: *mut carom_velocity_update, user: *mut c_void)>;

/// The position of a body after impulses, to be set by a callback. Later versions may add fields at the end.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_position_update {
    /// Which body.
    pub body: carom_body,
    /// Duration of the step, in seconds.
    pub time_step: f64,
    /// Velocity of the centre of mass after impulses, in metres per second.
    pub velocity: carom_vec2,
    /// After impulses, in radians per second.
    pub angular_velocity: f64,
    /// What `position` would become without the callback, in metres.
    pub usual_position: carom_vec2,
    /// What `angle` would become without the callback, in radians.
    pub usual_angle: f64,
    /// Of the origin of the body, in metres: what it was before the step, and what the callback makes it. A result that is
    /// not finite changes nothing.
    pub position: carom_vec2,
    /// In radians: what it was before the step, and what the callback makes it.
    pub angle: f64,
}

/// Called in every step to change the position of a body, on the thread that called the step. It writes `position` and
/// `angle`. Calls for the space return CAROM_BUSY. It must return: no exception, no longjmp.
pub type carom_position_callback =
    Option<unsafe extern "C" fn(update: *mut carom_position_update, user: *mut c_void)>;

impl carom_velocity_update {
    fn new(update: &mut VelocityUpdate<'_>) -> Self {
        let (velocity, angular_velocity) = (update.velocity, update.angular_velocity);
        update.accelerate(update.gravity());
        let (usual_velocity, usual_angular_velocity) = (update.velocity.into(), update.angular_velocity);
        let body = update.body();
        Self {
            body: body.id().into(),
            time_step: update.time_step(),
            gravity: update.gravity().into(),
            mass: body.mass(),
            moment: body.moment(),
            position: body.position().into(),
            angle: body.angle(),
            force: body.force().into(),
            torque: body.torque(),
            usual_velocity,
            usual_angular_velocity,
            velocity: velocity.into(),
            angular_velocity,
        }
    }
}

impl carom_position_update {
    fn new(update: &mut PositionUpdate<'_>) -> Self {
        let (position, angle) = (update.position, update.angle);
        update.advance();
        let body = update.body();
        Self {
            body: body.id().into(),
            time_step: update.time_step(),
            velocity: body.velocity().into(),
            angular_velocity: body.angular_velocity(),
            usual_position: update.position.into(),
            usual_angle: update.angle,
            position: position.into(),
            angle,
        }
    }
}

/// Sets a callback that changes the velocity of a body in every step, instead of gravity, force and torque.
///
/// \param body     Which body.
/// \param callback What to call; NULL: as usual.
/// \param user     Passed to the callback unchanged. It must be valid as long as the callback is set.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_velocity_callback(
    space: *mut carom_space,
    body: carom_body,
    callback: carom_velocity_callback,
    user: *mut c_void,
) -> carom_status {
    entry!(update(space, |_, space| {
        let user = User(user);
        Ok(space.body_mut(body.into())?.set_velocity_update(callback.map(|callback| {
            move |update: &mut VelocityUpdate<'_>| {
                let mut seen = carom_velocity_update::new(update);
                // SAFETY: a function of the caller, with what the header promises.
                unsafe { callback(&raw mut seen, user.get()) }
                (update.velocity, update.angular_velocity) = (seen.velocity.into(), seen.angular_velocity);
            }
        }))?)
    }))
}

/// Sets a callback that changes the position of a body in every step, after impulses are known.
///
/// \param body     Which body.
/// \param callback What to call; NULL: as usual.
/// \param user     Passed to the callback unchanged. It must be valid as long as the callback is set.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_set_position_callback(
    space: *mut carom_space,
    body: carom_body,
    callback: carom_position_callback,
    user: *mut c_void,
) -> carom_status {
    entry!(update(space, |_, space| {
        let user = User(user);
        Ok(space.body_mut(body.into())?.set_position_update(callback.map(|callback| {
            move |update: &mut PositionUpdate<'_>| {
                let mut seen = carom_position_update::new(update);
                // SAFETY: a function of the caller, with what the header promises.
                unsafe { callback(&raw mut seen, user.get()) }
                (update.position, update.angle) = (seen.position.into(), seen.angle);
            }
        }))?)
    }))
}
