//! Contacts of shapes, to read.

use super::failure::Result;
use super::memory::Plain;
use super::rigid2d_ids::{carom_body, carom_shape, carom_vec2, list};
use super::rigid2d_space::carom_space;
use super::rigid2d_steps::pair_count;
use super::status::carom_status;
use crate::error::Error;
use crate::geometry::Vec2;
use crate::rigid2d::space::{ArbiterRef, ArbiterState, ContactPoint, ContactSet};
use crate::soa::memory;

/// Bytes per pair of shapes on the way to a list of contacts.
const ROOM_PER_CONTACT: usize = 64;

/// How long two shapes have touched, and whether that has an effect: one of CAROM_ARBITER_FIRST to
/// CAROM_ARBITER_INVALIDATED.
pub type carom_arbiter_state = u32;

/// They touch since this step.
pub const CAROM_ARBITER_FIRST: carom_arbiter_state = 0;
/// They touched in the step before, too.
pub const CAROM_ARBITER_NORMAL: carom_arbiter_state = 1;
/// The contact has no effect until they separate.
pub const CAROM_ARBITER_IGNORED: carom_arbiter_state = 2;
/// One of them is being removed, or the contact is.
pub const CAROM_ARBITER_INVALIDATED: carom_arbiter_state = 3;

const _: () = assert!(
    CAROM_ARBITER_FIRST == ArbiterState::First as u32
        && CAROM_ARBITER_NORMAL == ArbiterState::Normal as u32
        && CAROM_ARBITER_IGNORED == ArbiterState::Ignored as u32
        && CAROM_ARBITER_INVALIDATED == ArbiterState::Invalidated as u32
);

/// A point at which two shapes, A and B, touch.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_contact_point {
    /// On the surface of A, in metres.
    pub a: carom_vec2,
    /// On the surface of B, in metres.
    pub b: carom_vec2,
    /// How deep the shapes overlap along the normal, in metres; negative if they are apart.
    pub depth: f64,
}

/// Where two shapes, A and B, touch: a normal and up to two points.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_contact_set {
    /// Unit vector from A to B; 0 without points.
    pub normal: carom_vec2,
    /// The points; those beyond `count` are 0.
    pub points: [carom_contact_point; 2],
    /// Number of points.
    pub count: usize,
}

impl From<ContactPoint> for carom_contact_point {
    fn from(point: ContactPoint) -> Self {
        Self { a: point.point_a.into(), b: point.point_b.into(), depth: point.depth }
    }
}

impl From<ContactSet> for carom_contact_set {
    fn from(set: ContactSet) -> Self {
        let at = |index: usize| set.points().get(index).copied().unwrap_or_default().into();
        Self { normal: set.normal.into(), points: [at(0), at(1)], count: set.points().len() }
    }
}

impl carom_contact_set {
    pub(super) fn set(&self) -> Result<ContactSet> {
        if self.count > ContactSet::MOST_POINTS {
            let value = self.count as f64;
            return Err(Error::OutOfRange { field: "count", value, expected: "at most 2" }.into());
        }
        let ends = self.points.map(|point| [Vec2::from(point.a), Vec2::from(point.b)]);
        Ok(ContactSet::new(self.normal.into(), &ends[..self.count]))
    }
}

/// A contact of two shapes, A and B, in the last step.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_contact {
    /// Shape A.
    pub shape_a: carom_shape,
    /// Shape B.
    pub shape_b: carom_shape,
    /// The body of A.
    pub body_a: carom_body,
    /// The body of B.
    pub body_b: carom_body,
    /// How long they have touched, and whether that has an effect.
    pub state: carom_arbiter_state,
    /// 1 if one of the shapes is a sensor, otherwise 0.
    pub sensor: i32,
    /// Where they touch.
    pub set: carom_contact_set,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Velocity of the surface of B relative to that of A, apart from the motion of the bodies, in metres per second.
    pub surface_velocity: carom_vec2,
    /// The impulse of A on B in the last step, in newton seconds, friction included.
    pub impulse: carom_vec2,
    /// The energy that the contact took in the last step, in joules.
    pub energy_lost: f64,
}

// SAFETY: made of integers and floats.
unsafe impl Plain for carom_contact {}

impl From<ArbiterRef<'_>> for carom_contact {
    fn from(arbiter: ArbiterRef<'_>) -> Self {
        let ([shape_a, shape_b], [body_a, body_b]) =
            (arbiter.shapes().map(carom_shape::from), arbiter.bodies().map(carom_body::from));
        Self {
            shape_a,
            shape_b,
            body_a,
            body_b,
            state: arbiter.state() as carom_arbiter_state,
            sensor: arbiter.is_sensor().into(),
            set: arbiter.contact_set().into(),
            restitution: arbiter.restitution(),
            friction: arbiter.friction(),
            surface_velocity: arbiter.surface_velocity().into(),
            impulse: arbiter.total_impulse().into(),
            energy_lost: arbiter.total_energy_lost(),
        }
    }
}

/// Lists all contacts of a space, those of sensors and ignored ones included, in the order of their shapes.
///
/// \param contacts Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `contacts`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_contacts(
    space: *const carom_space,
    contacts: *mut carom_contact,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(list(space, ("contacts", contacts, capacity), count, |space, add| {
        memory::expect_some(ROOM_PER_CONTACT * pair_count(space))?;
        space.arbiters().into_iter().for_each(|contact| add(contact.into()));
        Ok(())
    }))
}

/// Lists the contacts of a body, in the order of their shapes, each from its own side: A is one of its shapes.
///
/// \param body     Which body.
/// \param contacts Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `contacts`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_body_contacts(
    space: *const carom_space,
    body: carom_body,
    contacts: *mut carom_contact,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(list(space, ("contacts", contacts, capacity), count, |space, add| {
        memory::expect_some(ROOM_PER_CONTACT * pair_count(space))?;
        space.body(body.into())?.arbiters().into_iter().for_each(|contact| add(contact.into()));
        Ok(())
    }))
}
