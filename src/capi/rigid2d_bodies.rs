//! Rigid bodies: what they are made from, adding, removing, reading.

use super::failure::Result;
use super::guard::enter;
use super::handle::{query, update};
use super::memory::Caller;
use super::options::Options;
use super::rigid2d_ids::{carom_body, carom_shape, carom_vec2, list};
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use super::store::append;
use super::world::known;
use crate::rigid2d::{Body, BodyKind};

/// What moves a body: CAROM_BODY_STATIC, CAROM_BODY_KINEMATIC or CAROM_BODY_DYNAMIC.
pub type carom_body_kind = u32;

/// Nothing moves it. Its mass is infinite.
pub const CAROM_BODY_STATIC: carom_body_kind = 0;
/// Its velocity moves it, and no force or impulse changes that. Its mass is infinite.
pub const CAROM_BODY_KINEMATIC: carom_body_kind = 1;
/// Gravity, forces and impulses move it. The default.
pub const CAROM_BODY_DYNAMIC: carom_body_kind = 2;

const KINDS: [BodyKind; 3] = [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic];

const _: () = assert!(
    CAROM_BODY_STATIC == BodyKind::Static as u32
        && CAROM_BODY_KINEMATIC == BodyKind::Kinematic as u32
        && CAROM_BODY_DYNAMIC == BodyKind::Dynamic as u32
);

pub(super) fn known_kind(kind: carom_body_kind) -> Result<BodyKind> {
    known("kind", kind, &KINDS)
}

/// What a body is at first. Fill it with carom_body_options_init(), then change what differs.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_body_options {
    /// Size of the struct in the caller's program, set by carom_body_options_init().
    pub struct_size: u32,
    /// What moves it. Default CAROM_BODY_DYNAMIC.
    pub kind: carom_body_kind,
    /// Where the origin of its coordinates is, in metres. Default 0.
    pub position: carom_vec2,
    /// How it is turned, in radians, counter-clockwise. Default 0.
    pub angle: f64,
    /// Velocity of its centre of mass, in metres per second. Default 0; a static body has none.
    pub velocity: carom_vec2,
    /// In radians per second. Default 0; a static body has none.
    pub angular_velocity: f64,
    /// In kilograms, of a dynamic body: 0, the default, or from 1e-30 to 1e30. It is replaced by that of the shapes when one
    /// with a mass is added. Before the first step it must not be 0.
    pub mass: f64,
    /// Moment of inertia about the centre of mass, in kg m^2, of a dynamic body. Default 0, replaced like the mass; with
    /// infinity nothing turns the body.
    pub moment: f64,
    /// The centre of mass in the coordinates of the body, in metres. Default 0, replaced like the mass.
    pub centre_of_mass: carom_vec2,
    /// Force at the centre of mass in the next step, besides gravity, in newtons; of a dynamic body. Default 0.
    pub force: carom_vec2,
    /// Torque in the next step, in newton metres; of a dynamic body. Default 0.
    pub torque: f64,
    /// Other than 0: it does not tunnel through moving bodies either. Default 0.
    pub bullet: i32,
    /// Must be 0.
    pub reserved: u32,
    /// A number that carom stores and does not use. Default 0.
    pub user_data: u64,
}

// SAFETY: `repr(C)`, no padding, integers and floats only.
unsafe impl Options for carom_body_options {
    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            kind: CAROM_BODY_DYNAMIC,
            position: carom_vec2::ZERO,
            angle: 0.0,
            velocity: carom_vec2::ZERO,
            angular_velocity: 0.0,
            mass: 0.0,
            moment: 0.0,
            centre_of_mass: carom_vec2::ZERO,
            force: carom_vec2::ZERO,
            torque: 0.0,
            bullet: 0,
            reserved: 0,
            user_data: 0,
        }
    }
}

impl carom_body_options {
    fn body(&self) -> Result<Body> {
        known("reserved", self.reserved, &[()])?;
        Ok(Body::dynamic()
            .with_kind(known_kind(self.kind)?)
            .with_position(self.position.into())
            .with_angle(self.angle)
            .with_velocity(self.velocity.into())
            .with_angular_velocity(self.angular_velocity)
            .with_mass(self.mass)
            .with_moment(self.moment)
            .with_centre_of_mass(self.centre_of_mass.into())
            .with_force(self.force.into())
            .with_torque(self.torque)
            .with_bullet(self.bullet != 0)
            .with_user_data(self.user_data))
    }
}

impl Caller {
    /// What a body is made from; null is the defaults.
    fn body(&self, options: *const carom_body_options) -> Result<Body> {
        if options.is_null() {
            return Ok(Body::dynamic());
        }
        self.read_options("options", options)?.body()
    }
}

/// Fills the options of a body with the defaults: a dynamic body at the origin.
///
/// \param options The struct to fill.
/// \param size    `sizeof(carom_body_options)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_options_init(
    options: *mut carom_body_options,
    size: usize,
) -> carom_status {
    entry!(enter(|caller| caller.init_options("options", options, size)))
}

/// Adds a body to a space. Pointers into the columns of the space become invalid.
///
/// A dynamic body needs a mass and a moment before the next step: from the options or from its shapes.
///
/// \param options What it is at first; NULL: the defaults.
/// \param body    Receives the body. May be NULL.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_DYNAMIC for what a body of its kind does
///         not have, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a contact, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_add(
    space: *mut carom_space,
    options: *const carom_body_options,
    body: *mut carom_body,
) -> carom_status {
    entry!(append(space, ("body", body), |caller, space| Ok(space.add_body(&caller.body(options)?)?.into())))
}

/// Removes a body with its shapes; `separate` is called for what they touch. Its row in the columns is unused from then on.
///
/// \param body Which body.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_OWN_STATIC_BODY, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_remove(space: *mut carom_space, body: carom_body) -> carom_status {
    entry!(update(space, |_, space| Ok(space.remove_body(body.into())?)))
}

/// Whether there is such a body in a space.
///
/// \param body  Any id.
/// \param found Receives 1 if there is, otherwise 0.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_exists(
    space: *const carom_space,
    body: carom_body,
    found: *mut i32,
) -> carom_status {
    entry!(query(space, ("found", found), |_, space| Ok(space.contains_body(body.into()).into())))
}

/// What moves a body.
///
/// \param body Which body.
/// \param kind Receives CAROM_BODY_STATIC, CAROM_BODY_KINEMATIC or CAROM_BODY_DYNAMIC.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_kind(
    space: *const carom_space,
    body: carom_body,
    kind: *mut carom_body_kind,
) -> carom_status {
    entry!(query(space, ("kind", kind), |_, space| Ok(space.body(body.into())?.kind() as carom_body_kind)))
}

/// Mass of a body.
///
/// \param body Which body.
/// \param mass Receives it, in kilograms; infinity unless the body is dynamic.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_mass(
    space: *const carom_space,
    body: carom_body,
    mass: *mut f64,
) -> carom_status {
    entry!(query(space, ("mass", mass), |_, space| Ok(space.body(body.into())?.mass())))
}

/// Moment of inertia of a body about its centre of mass.
///
/// \param body   Which body.
/// \param moment Receives it, in kg m^2; infinity unless the body is dynamic.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_moment(
    space: *const carom_space,
    body: carom_body,
    moment: *mut f64,
) -> carom_status {
    entry!(query(space, ("moment", moment), |_, space| Ok(space.body(body.into())?.moment())))
}

/// Centre of mass of a body, in its own coordinates.
///
/// \param body   Which body.
/// \param centre Receives it, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_centre_of_mass(
    space: *const carom_space,
    body: carom_body,
    centre: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("centre", centre), |_, space| Ok(space.body(body.into())?.centre_of_mass().into())))
}

/// Where the centre of mass of a body is. This is what the columns of positions hold.
///
/// \param body   Which body.
/// \param centre Receives it, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_world_centre_of_mass(
    space: *const carom_space,
    body: carom_body,
    centre: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("centre", centre), |_, space| Ok(space
        .body(body.into())?
        .world_centre_of_mass()
        .into())))
}

/// Where the origin of the coordinates of a body is.
///
/// \param body     Which body.
/// \param position Receives it, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_position(
    space: *const carom_space,
    body: carom_body,
    position: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("position", position), |_, space| Ok(space.body(body.into())?.position().into())))
}

/// How a body is turned; full turns count.
///
/// \param body  Which body.
/// \param angle Receives the angle, in radians, counter-clockwise.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_angle(
    space: *const carom_space,
    body: carom_body,
    angle: *mut f64,
) -> carom_status {
    entry!(query(space, ("angle", angle), |_, space| Ok(space.body(body.into())?.angle())))
}

/// How a body is turned, as the unit vector of its first axis.
///
/// \param body     Which body.
/// \param rotation Receives cosine and sine of the angle.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_rotation(
    space: *const carom_space,
    body: carom_body,
    rotation: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("rotation", rotation), |_, space| {
        let turned = space.body(body.into())?.rotation();
        Ok(carom_vec2 { x: turned.cos, y: turned.sin })
    }))
}

/// Velocity of the centre of mass of a body.
///
/// \param body     Which body.
/// \param velocity Receives it, in metres per second.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_velocity(
    space: *const carom_space,
    body: carom_body,
    velocity: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("velocity", velocity), |_, space| Ok(space.body(body.into())?.velocity().into())))
}

/// Angular velocity of a body.
///
/// \param body             Which body.
/// \param angular_velocity Receives it, in radians per second.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_angular_velocity(
    space: *const carom_space,
    body: carom_body,
    angular_velocity: *mut f64,
) -> carom_status {
    entry!(query(space, ("angular_velocity", angular_velocity), |_, space| Ok(space
        .body(body.into())?
        .angular_velocity())))
}

/// Force on a body at its centre of mass in the next step, besides gravity.
///
/// \param body  Which body.
/// \param force Receives it, in newtons.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_force(
    space: *const carom_space,
    body: carom_body,
    force: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("force", force), |_, space| Ok(space.body(body.into())?.force().into())))
}

/// Torque on a body in the next step.
///
/// \param body   Which body.
/// \param torque Receives it, in newton metres.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_torque(
    space: *const carom_space,
    body: carom_body,
    torque: *mut f64,
) -> carom_status {
    entry!(query(space, ("torque", torque), |_, space| Ok(space.body(body.into())?.torque())))
}

/// Whether a body does not tunnel through moving bodies either.
///
/// \param body   Which body.
/// \param bullet Receives 1 if it is a bullet, otherwise 0.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_bullet(
    space: *const carom_space,
    body: carom_body,
    bullet: *mut i32,
) -> carom_status {
    entry!(query(space, ("bullet", bullet), |_, space| Ok(space.body(body.into())?.is_bullet().into())))
}

/// Reads the user data of a body.
///
/// \param body      Which body.
/// \param user_data Receives it.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_get_user_data(
    space: *const carom_space,
    body: carom_body,
    user_data: *mut u64,
) -> carom_status {
    entry!(query(space, ("user_data", user_data), |_, space| Ok(space.body(body.into())?.user_data())))
}

/// Whether a body is asleep.
///
/// \param body   Which body.
/// \param asleep Receives 1 if it is, otherwise 0.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_is_asleep(
    space: *const carom_space,
    body: carom_body,
    asleep: *mut i32,
) -> carom_status {
    entry!(query(space, ("asleep", asleep), |_, space| Ok(space.body(body.into())?.is_asleep().into())))
}

/// Kinetic energy of a body, of its motion and its rotation.
///
/// \param body   Which body.
/// \param energy Receives it, in joules; 0 unless the body is dynamic.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_kinetic_energy(
    space: *const carom_space,
    body: carom_body,
    energy: *mut f64,
) -> carom_status {
    entry!(query(space, ("energy", energy), |_, space| Ok(space.body(body.into())?.kinetic_energy())))
}

/// A point in the coordinates of a body, as a point of the plane.
///
/// \param body  Which body.
/// \param local The point in the coordinates of the body, in metres.
/// \param point Receives the point of the plane, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_to_world(
    space: *const carom_space,
    body: carom_body,
    local: carom_vec2,
    point: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("point", point), |_, space| {
        Ok(space.body(body.into())?.to_world(local.finite("local")?).into())
    }))
}

/// A point of the plane, in the coordinates of a body.
///
/// \param body  Which body.
/// \param point The point of the plane, in metres.
/// \param local Receives the point in the coordinates of the body, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_to_local(
    space: *const carom_space,
    body: carom_body,
    point: carom_vec2,
    local: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("local", local), |_, space| {
        Ok(space.body(body.into())?.to_local(point.finite("point")?).into())
    }))
}

/// The velocity of a body at a point of the plane.
///
/// \param body     Which body.
/// \param point    The point of the plane, in metres.
/// \param velocity Receives it, in metres per second.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_velocity_at(
    space: *const carom_space,
    body: carom_body,
    point: carom_vec2,
    velocity: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("velocity", velocity), |_, space| {
        Ok(space.body(body.into())?.velocity_at(point.finite("point")?).into())
    }))
}

/// The velocity of a body at a point in its own coordinates.
///
/// \param body     Which body.
/// \param local    The point in the coordinates of the body, in metres.
/// \param velocity Receives it, in metres per second.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_velocity_at_local(
    space: *const carom_space,
    body: carom_body,
    local: carom_vec2,
    velocity: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("velocity", velocity), |_, space| {
        Ok(space.body(body.into())?.velocity_at_local(local.finite("local")?).into())
    }))
}

/// Lists the shapes of a body, in the order in which they were added.
///
/// \param body     Which body.
/// \param shapes   Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `shapes`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_shapes(
    space: *const carom_space,
    body: carom_body,
    shapes: *mut carom_shape,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(list(space, ("shapes", shapes, capacity), count, |space, add| {
        space.body(body.into())?.shapes().for_each(|shape| add(shape.id().into()));
        Ok(())
    }))
}
