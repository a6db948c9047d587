//! Contacts as callbacks see and change them.

use super::failure::Result;
use super::guard::enter;
use super::handle::{Guarded, Handle, produce, query, update};
use super::rigid2d_contacts::{carom_arbiter_state, carom_contact, carom_contact_set};
use super::rigid2d_ids::{carom_body, carom_shape, carom_vec2};
use super::rigid2d_space::Lent;
use super::status::carom_status;
use crate::rigid2d::Arbiter;
use crate::rigid2d::space::ContactEvent;

/// A contact of two shapes, A and B, in a callback. It belongs to the library and is valid until the callback returns.
pub struct carom_arbiter {
    arbiter: Guarded<Lent<Arbiter<'static>>>,
}

impl carom_arbiter {
    /// # Safety
    /// As [`Lent::new`].
    pub(super) unsafe fn new(arbiter: *mut Arbiter<'_>) -> Self {
        // SAFETY: by the contract of this function; the lifetime ends with the callback, whatever it is called.
        let lent = unsafe { Lent::new(arbiter.cast()) };
        Self { arbiter: Guarded::new(Self::NAME, lent) }
    }
}

impl Handle for carom_arbiter {
    type Object = Arbiter<'static>;
    const NAME: &'static str = "arbiter";

    fn read<R>(&self, look: impl FnOnce(&Arbiter<'static>) -> Result<R>) -> Result<R> {
        self.arbiter.read(|arbiter| look(arbiter.get()))
    }

    fn write<R>(&self, change: impl FnOnce(&mut Arbiter<'static>) -> Result<R>) -> Result<R> {
        self.arbiter.write(|arbiter| change(arbiter.get_mut()))
    }
}

/// What happens to a contact: one of CAROM_CONTACT_BEGIN to CAROM_CONTACT_SEPARATE.
pub type carom_contact_event = u32;

/// The shapes begin to touch.
pub const CAROM_CONTACT_BEGIN: carom_contact_event = 0;
/// The shapes touch, before impulses are found.
pub const CAROM_CONTACT_PRE_SOLVE: carom_contact_event = 1;
/// The shapes touch, after impulses were found.
pub const CAROM_CONTACT_POST_SOLVE: carom_contact_event = 2;
/// The shapes cease to touch, or one of them is removed.
pub const CAROM_CONTACT_SEPARATE: carom_contact_event = 3;

const _: () = assert!(
    CAROM_CONTACT_BEGIN == ContactEvent::Begin as u32
        && CAROM_CONTACT_PRE_SOLVE == ContactEvent::PreSolve as u32
        && CAROM_CONTACT_POST_SOLVE == ContactEvent::PostSolve as u32
        && CAROM_CONTACT_SEPARATE == ContactEvent::Separate as u32
);

/// What is happening to the contact.
///
/// \param event Receives CAROM_CONTACT_BEGIN, CAROM_CONTACT_PRE_SOLVE, CAROM_CONTACT_POST_SOLVE or CAROM_CONTACT_SEPARATE.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_event(
    arbiter: *const carom_arbiter,
    event: *mut carom_contact_event,
) -> carom_status {
    entry!(query(arbiter, ("event", event), |_, arbiter| Ok(arbiter.event() as carom_contact_event)))
}

/// Everything about the contact.
///
/// \param contact Receives it.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_contact(
    arbiter: *const carom_arbiter,
    contact: *mut carom_contact,
) -> carom_status {
    entry!(query(arbiter, ("contact", contact), |_, arbiter| Ok(arbiter.as_ref().into())))
}

/// How long the shapes have touched, and whether that has an effect.
///
/// \param state Receives one of CAROM_ARBITER_FIRST to CAROM_ARBITER_INVALIDATED.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_get_state(
    arbiter: *const carom_arbiter,
    state: *mut carom_arbiter_state,
) -> carom_status {
    entry!(query(arbiter, ("state", state), |_, arbiter| Ok(arbiter.state() as carom_arbiter_state)))
}

/// Whether the shapes touch since this step.
///
/// \param first Receives 1 if they do, otherwise 0.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_is_first(
    arbiter: *const carom_arbiter,
    first: *mut i32,
) -> carom_status {
    entry!(query(arbiter, ("first", first), |_, arbiter| Ok(arbiter.is_first().into())))
}

/// Whether the contact ends because one of the shapes is removed.
///
/// \param removal Receives 1 if it does, otherwise 0.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_is_removal(
    arbiter: *const carom_arbiter,
    removal: *mut i32,
) -> carom_status {
    entry!(query(arbiter, ("removal", removal), |_, arbiter| Ok(arbiter.is_removal().into())))
}

/// The shapes, A and B. A handler of two types sees the shape of its first type as A, a wildcard handler that of its
/// own type.
///
/// \param a Receives shape A.
/// \param b Receives shape B.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_shapes(
    arbiter: *const carom_arbiter,
    a: *mut carom_shape,
    b: *mut carom_shape,
) -> carom_status {
    entry!(enter(|caller| {
        let (to_a, to_b) = (caller.out("a", a)?, caller.out("b", b)?);
        let [first, second] = caller.object("arbiter", arbiter)?.read(|arbiter| Ok(arbiter.shapes()))?;
        to_a.set(first.into());
        to_b.set(second.into());
        Ok(())
    }))
}

/// The bodies of A and B.
///
/// \param a Receives the body of A.
/// \param b Receives the body of B.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_bodies(
    arbiter: *const carom_arbiter,
    a: *mut carom_body,
    b: *mut carom_body,
) -> carom_status {
    entry!(enter(|caller| {
        let (to_a, to_b) = (caller.out("a", a)?, caller.out("b", b)?);
        let [first, second] = caller.object("arbiter", arbiter)?.read(|arbiter| Ok(arbiter.bodies()))?;
        to_a.set(first.into());
        to_b.set(second.into());
        Ok(())
    }))
}

/// Number of points of the contact.
///
/// \param count Receives 0, 1 or 2; 0 after the shapes have separated.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_count(
    arbiter: *const carom_arbiter,
    count: *mut usize,
) -> carom_status {
    entry!(query(arbiter, ("count", count), |_, arbiter| Ok(arbiter.count())))
}

/// The normal of the contact.
///
/// \param normal Receives the unit vector from A to B.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_normal(
    arbiter: *const carom_arbiter,
    normal: *mut carom_vec2,
) -> carom_status {
    entry!(query(arbiter, ("normal", normal), |_, arbiter| Ok(arbiter.normal().into())))
}

/// A point of the contact on the surface of A.
///
/// \param index Which point, less than carom_arbiter_count().
/// \param point Receives it, in metres.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_point_a(
    arbiter: *const carom_arbiter,
    index: usize,
    point: *mut carom_vec2,
) -> carom_status {
    entry!(query(arbiter, ("point", point), |_, arbiter| Ok(arbiter.point_a(index)?.into())))
}

/// A point of the contact on the surface of B.
///
/// \param index Which point, less than carom_arbiter_count().
/// \param point Receives it, in metres.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_point_b(
    arbiter: *const carom_arbiter,
    index: usize,
    point: *mut carom_vec2,
) -> carom_status {
    entry!(query(arbiter, ("point", point), |_, arbiter| Ok(arbiter.point_b(index)?.into())))
}

/// How deep the shapes overlap at a point of the contact.
///
/// \param index Which point, less than carom_arbiter_count().
/// \param depth Receives it, in metres; negative if they are apart.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_depth(
    arbiter: *const carom_arbiter,
    index: usize,
    depth: *mut f64,
) -> carom_status {
    entry!(query(arbiter, ("depth", depth), |_, arbiter| Ok(arbiter.depth(index)?)))
}

/// The normal and all points of the contact.
///
/// \param set Receives them.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_get_contact_set(
    arbiter: *const carom_arbiter,
    set: *mut carom_contact_set,
) -> carom_status {
    entry!(query(arbiter, ("set", set), |_, arbiter| Ok(arbiter.contact_set().into())))
}

/// Sets the normal and the points of the contact, for this step. Depths follow from the points.
///
/// \param set A unit vector, and as many points as there are.
/// \return CAROM_OK, CAROM_WRONG_LENGTH for another number of points, CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE for more
///         than 2 points or a normal of another length than 1, CAROM_READ_ONLY after the shapes have separated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_set_contact_set(
    arbiter: *mut carom_arbiter,
    set: *const carom_contact_set,
) -> carom_status {
    entry!(update(arbiter, |caller, arbiter| {
        let set = caller.object("set", set)?.set()?;
        Ok(arbiter.set_contact_set(&set)?)
    }))
}

/// The coefficient of restitution of the contact.
///
/// \param restitution Receives it.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_get_restitution(
    arbiter: *const carom_arbiter,
    restitution: *mut f64,
) -> carom_status {
    entry!(query(arbiter, ("restitution", restitution), |_, arbiter| Ok(arbiter.restitution())))
}

/// Sets the coefficient of restitution of the contact, for this step.
///
/// \param restitution At least 0.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_READ_ONLY after the shapes have separated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_set_restitution(
    arbiter: *mut carom_arbiter,
    restitution: f64,
) -> carom_status {
    entry!(update(arbiter, |_, arbiter| Ok(arbiter.set_restitution(restitution)?)))
}

/// The coefficient of friction of the contact.
///
/// \param friction Receives it.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_get_friction(
    arbiter: *const carom_arbiter,
    friction: *mut f64,
) -> carom_status {
    entry!(query(arbiter, ("friction", friction), |_, arbiter| Ok(arbiter.friction())))
}

/// Sets the coefficient of friction of the contact, for this step.
///
/// \param friction At least 0.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_READ_ONLY after the shapes have separated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_set_friction(
    arbiter: *mut carom_arbiter,
    friction: f64,
) -> carom_status {
    entry!(update(arbiter, |_, arbiter| Ok(arbiter.set_friction(friction)?)))
}

/// The velocity of the surface of B relative to that of A, apart from the motion of the bodies.
///
/// \param velocity Receives it, in metres per second.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_get_surface_velocity(
    arbiter: *const carom_arbiter,
    velocity: *mut carom_vec2,
) -> carom_status {
    entry!(query(arbiter, ("velocity", velocity), |_, arbiter| Ok(arbiter.surface_velocity().into())))
}

/// Sets the velocity of the surface of B relative to that of A, for this step. Only what is along the tangent
/// matters.
///
/// \param velocity In metres per second.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_READ_ONLY after the shapes have separated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_set_surface_velocity(
    arbiter: *mut carom_arbiter,
    velocity: carom_vec2,
) -> carom_status {
    entry!(update(arbiter, |_, arbiter| Ok(arbiter.set_surface_velocity(velocity.into())?)))
}

/// The impulse of A on B in the last step, friction included. For `post_solve`, where it is that of this step.
///
/// \param impulse Receives it, in newton seconds.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_total_impulse(
    arbiter: *const carom_arbiter,
    impulse: *mut carom_vec2,
) -> carom_status {
    entry!(query(arbiter, ("impulse", impulse), |_, arbiter| Ok(arbiter.total_impulse().into())))
}

/// The energy that the contact has taken in the last step. For `post_solve`, where it is that of this step.
///
/// \param energy Receives it, in joules.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_total_energy_lost(
    arbiter: *const carom_arbiter,
    energy: *mut f64,
) -> carom_status {
    entry!(query(arbiter, ("energy", energy), |_, arbiter| Ok(arbiter.total_energy_lost())))
}

/// Ignores the contact until the shapes separate, whatever the callback returns.
///
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_ignore(arbiter: *mut carom_arbiter) -> carom_status {
    entry!(update(arbiter, |_, arbiter| {
        arbiter.ignore();
        Ok(())
    }))
}

/// Calls the wildcard handler of the type of A, which sees A as its own side, for the same event.
///
/// While it is called, calls for this arbiter and its space return CAROM_BUSY; the wildcard handler has its own.
///
/// \param agrees Receives 1 if it agrees that the contact has an effect, or if there is none; otherwise 0.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_call_wildcard_a(
    arbiter: *mut carom_arbiter,
    agrees: *mut i32,
) -> carom_status {
    entry!(produce(arbiter, ("agrees", agrees), |arbiter| Ok(arbiter.call_wildcard_a().into())))
}

/// Calls the wildcard handler of the type of B, which sees B as its own side, for the same event.
///
/// While it is called, calls for this arbiter and its space return CAROM_BUSY; the wildcard handler has its own.
///
/// \param agrees Receives 1 if it agrees that the contact has an effect, or if there is none; otherwise 0.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_arbiter_call_wildcard_b(
    arbiter: *mut carom_arbiter,
    agrees: *mut i32,
) -> carom_status {
    entry!(produce(arbiter, ("agrees", agrees), |arbiter| Ok(arbiter.call_wildcard_b().into())))
}
