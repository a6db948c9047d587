//! Spaces of rigid bodies: steps, totals, what is in them.

use super::failure::Result;
use super::guard::enter;
use super::handle::{Handle, query, update};
use super::rigid2d_ids::{carom_body, carom_shape, carom_vec2, list};
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use crate::rigid2d::Space;
use crate::soa::memory;

/// Number of pairs of shapes that may touch, at most.
pub(super) fn pair_count(space: &Space) -> usize {
    space.core.engine.heads().len()
}

/// Steps a space if there is room for contacts that do other things than before. That for more contacts is checked by the step,
/// when they are found.
fn step(space: &mut Space, dt: f64) -> Result<()> {
    /// Pairs from which on a step needs more than what the heap has left, and bytes for each.
    const MANY: usize = 2048;
    const PER_PAIR: usize = 512;
    match pair_count(space) {
        ..MANY => memory::expect_little()?,
        pairs => memory::expect_room(PER_PAIR * pairs)?,
    }
    Ok(space.step(dt)?)
}

/// Advances a space. Callbacks are called on the calling thread. Forces and torques of bodies are 0 afterwards.
///
/// A step cannot be stopped. Its time is in proportion to bodies, contacts and substeps or iterations, which have limits.
///
/// A step writes through pointers into columns, which stay valid.
///
/// \param dt Duration, in seconds, at least 0; with 0 nothing happens.
/// \return CAROM_OK; CAROM_NOT_FINITE or CAROM_NEGATIVE for the duration; CAROM_NO_MASS for a dynamic body without mass or
///         moment; CAROM_OVERFLOW if a body would come farther than 1e30 m (1e12 m in mixed precision), or if contacts sent one
///         beyond all numbers: then the step is complete, and this body is where it was, at rest; CAROM_LOCKED in a callback
///         for a contact; CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_step(space: *mut carom_space, dt: f64) -> carom_status {
    entry!(update(space, |_, space| step(space, dt)))
}

/// Advances a space by many steps, as so many calls of carom_space_step() would.
///
/// \param dt    Duration of each step, in seconds, at least 0.
/// \param steps How many.
/// \param done  Receives how many were made, also if one fails. May be NULL.
/// \return As carom_space_step(), of the first step that fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_step_many(
    space: *mut carom_space,
    dt: f64,
    steps: u64,
    done: *mut u64,
) -> carom_status {
    entry!(enter(|caller| {
        let out = caller.optional_out("done", done)?;
        let mut made = 0;
        let outcome = caller.object("space", space)?.write(|space| {
            while made < steps {
                step(space, dt)?;
                made += 1;
            }
            Ok(())
        });
        out.set(made);
        outcome
    }))
}

/// Time since a space was made.
///
/// \param time Receives the time in seconds.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_get_time(space: *const carom_space, time: *mut f64) -> carom_status {
    entry!(query(space, ("time", time), |_, space| Ok(space.time())))
}

/// Number of steps since a space was made.
///
/// \param steps Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_step_count(space: *const carom_space, steps: *mut u64) -> carom_status {
    entry!(query(space, ("steps", steps), |_, space| Ok(space.step_count())))
}

/// Duration of the current or last step.
///
/// \param dt Receives it, in seconds; 0 before the first step.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_time_step(space: *const carom_space, dt: *mut f64) -> carom_status {
    entry!(query(space, ("dt", dt), |_, space| Ok(space.current_time_step())))
}

/// Whether a space is in the middle of a step, as in callbacks for contacts: nothing can be added or removed then.
///
/// \param locked Receives 1 if it is, otherwise 0.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_is_locked(space: *const carom_space, locked: *mut i32) -> carom_status {
    entry!(query(space, ("locked", locked), |_, space| Ok(space.is_locked().into())))
}

/// The static body that every space has, to which shapes that never move can be added.
///
/// \param body Receives it.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_get_static_body(
    space: *const carom_space,
    body: *mut carom_body,
) -> carom_status {
    entry!(query(space, ("body", body), |_, space| Ok(space.static_body().into())))
}

/// Replaces the static body that a space has by another static body. The old one must have no shapes; it can be removed then.
///
/// \param body A static body.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_OUT_OF_RANGE if it is not static, CAROM_HAS_SHAPES, CAROM_LOCKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_set_static_body(
    space: *mut carom_space,
    body: carom_body,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.set_static_body(body.into())?)))
}

/// Number of bodies, the own static one included.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_body_count(
    space: *const carom_space,
    count: *mut usize,
) -> carom_status {
    entry!(query(space, ("count", count), |_, space| Ok(space.body_count())))
}

/// Number of shapes.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_shape_count(
    space: *const carom_space,
    count: *mut usize,
) -> carom_status {
    entry!(query(space, ("count", count), |_, space| Ok(space.shape_count())))
}

/// Lists all bodies, the own static one included, in the order of their rows.
///
/// \param bodies   Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `bodies`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_bodies(
    space: *const carom_space,
    bodies: *mut carom_body,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(list(space, ("bodies", bodies, capacity), count, |space, add| {
        space.bodies().for_each(|body| add(body.id().into()));
        Ok(())
    }))
}

/// Lists all shapes, in the order of their rows.
///
/// \param shapes   Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `shapes`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_shapes(
    space: *const carom_space,
    shapes: *mut carom_shape,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(list(space, ("shapes", shapes, capacity), count, |space, add| {
        space.shapes().for_each(|shape| add(shape.id().into()));
        Ok(())
    }))
}

/// The sum of the kinetic energies of all dynamic bodies.
///
/// \param energy Receives it, in joules.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_kinetic_energy(
    space: *const carom_space,
    energy: *mut f64,
) -> carom_status {
    entry!(query(space, ("energy", energy), |_, space| Ok(space.kinetic_energy())))
}

/// The momentum of all dynamic bodies.
///
/// \param momentum Receives it, in kg m/s.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_momentum(
    space: *const carom_space,
    momentum: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("momentum", momentum), |_, space| Ok(space.momentum().into())))
}

/// The angular momentum of all dynamic bodies about the origin.
///
/// \param momentum Receives it, in kg m^2/s.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_angular_momentum(
    space: *const carom_space,
    momentum: *mut f64,
) -> carom_status {
    entry!(query(space, ("momentum", momentum), |_, space| Ok(space.angular_momentum())))
}

/// The potential energy of all dynamic bodies in the gravity of a space; 0 at the origin.
///
/// \param energy Receives it, in joules.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_potential_energy(
    space: *const carom_space,
    energy: *mut f64,
) -> carom_status {
    entry!(query(space, ("energy", energy), |_, space| Ok(space.potential_energy())))
}

/// Number of pairs of shapes that touch, without sensors and ignored contacts.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_contact_count(
    space: *const carom_space,
    count: *mut usize,
) -> carom_status {
    entry!(query(space, ("count", count), |_, space| Ok(space.contact_count())))
}

/// How deep two shapes overlap, at most.
///
/// \param depth Receives it, in metres; 0 if none do.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_max_penetration(
    space: *const carom_space,
    depth: *mut f64,
) -> carom_status {
    entry!(query(space, ("depth", depth), |_, space| Ok(space.max_penetration())))
}

/// Number of bodies that are asleep.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_asleep_count(
    space: *const carom_space,
    count: *mut usize,
) -> carom_status {
    entry!(query(space, ("count", count), |_, space| Ok(space.asleep_count())))
}

/// Makes the bounding boxes of all static shapes anew in the next step. Calls that move bodies or change shapes do so themselves.
///
/// \return CAROM_OK, CAROM_LOCKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_reindex_static(space: *mut carom_space) -> carom_status {
    entry!(update(space, |_, space| Ok(space.reindex_static()?)))
}

/// A hash of the poses and velocities of all bodies of a space: the same on every machine, alone and in any batch.
///
/// \param hash Receives the hash.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_state_hash(space: *const carom_space, hash: *mut u64) -> carom_status {
    entry!(query(space, ("hash", hash), |_, space| Ok(space.state_hash())))
}

/// Memory that a space holds: what its columns and lists have room for.
///
/// \param bytes Receives the number of bytes.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_memory_bytes(
    space: *const carom_space,
    bytes: *mut usize,
) -> carom_status {
    entry!(query(space, ("bytes", bytes), |_, space| Ok(space.memory_bytes())))
}
