//! Spaces of rigid bodies: creation and options.

use std::sync::Arc;

use super::failure::Result;
use super::guard::enter;
use super::handle::{Guarded, Handle, create, destroy, query, update};
use super::memory::Caller;
use super::options::Options;
use super::rigid2d_arbiter::carom_arbiter;
use super::rigid2d_ids::carom_vec2;
use super::status::carom_status;
use super::world::known;
use crate::error::Error;
use crate::rigid2d::space::{Mixing, Precision, Solver};
use crate::rigid2d::{Space, SpaceSettings};

/// Rigid bodies in the plane: bodies and their shapes, which move and touch in steps of time.
///
/// A space is bit-identical on every machine. Several spaces can proceed in parallel, each on its own thread.
pub struct carom_space {
    place: Place,
}

/// Where the space behind a handle is.
enum Place {
    /// The caller owns it.
    Own(Arc<Guarded<Space>>),
    /// It is in the middle of a step, in a callback for this contact.
    Contact(*const carom_arbiter),
    /// It is between steps, in a post-step callback.
    PostStep(Guarded<Lent<Space>>),
}

/// What the library lends to a callback until it returns.
pub(super) struct Lent<T>(*mut T);

// SAFETY: the header says that what a callback gets is used in it alone, so on its thread.
unsafe impl<T> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Lent<T> {}

impl<T> Lent<T> {
    /// # Safety
    /// `value` outlives it, and is used through it alone as long as it is used.
    pub(super) unsafe fn new(value: *mut T) -> Self {
        Self(value)
    }

    pub(super) fn get(&self) -> &T {
        // SAFETY: by the contract of `new`; a reference that can write would need `&mut self`.
        unsafe { &*self.0 }
    }

    pub(super) fn get_mut(&mut self) -> &mut T {
        // SAFETY: by the contract of `new`.
        unsafe { &mut *self.0 }
    }
}

impl carom_space {
    pub(super) fn new(space: Space) -> Self {
        Self { place: Place::Own(Arc::new(Guarded::new(Self::NAME, space))) }
    }

    /// The space in a callback for a contact.
    pub(super) fn of_contact(arbiter: &carom_arbiter) -> Self {
        Self { place: Place::Contact(arbiter) }
    }

    /// The space in a post-step callback.
    ///
    /// # Safety
    /// As [`Lent::new`].
    pub(super) unsafe fn of_post_step(space: *mut Space) -> Self {
        // SAFETY: by the contract of this function.
        let lent = unsafe { Lent::new(space) };
        Self { place: Place::PostStep(Guarded::new(Self::NAME, lent)) }
    }
}

impl Handle for carom_space {
    type Object = Space;
    const NAME: &'static str = "space";

    fn read<R>(&self, look: impl FnOnce(&Space) -> Result<R>) -> Result<R> {
        match &self.place {
            Place::Own(space) => space.read(look),
            // SAFETY: both handles are made for one callback, and the arbiter first.
            Place::Contact(arbiter) => unsafe { &**arbiter }.read(|arbiter| look(arbiter.space())),
            Place::PostStep(lent) => lent.read(|space| look(space.get())),
        }
    }

    /// The space exists until the end of the change even if a callback destroys the handle.
    fn write<R>(&self, change: impl FnOnce(&mut Space) -> Result<R>) -> Result<R> {
        match &self.place {
            Place::Own(space) => Arc::clone(space).write(change),
            // SAFETY: both handles are made for one callback, and the arbiter first.
            Place::Contact(arbiter) => unsafe { &**arbiter }.write(|arbiter| change(arbiter.space_mut())),
            Place::PostStep(lent) => lent.write(|space| change(space.get_mut())),
        }
    }
}

/// As `bounce_speed` of a space: twice the speed that gravity adds in a step.
pub const CAROM_BOUNCE_BY_GRAVITY: f64 = -1.0;

/// How the elasticities or frictions of two shapes give that of their contact: one of CAROM_MIXING_MULTIPLY to
/// CAROM_MIXING_GEOMETRIC_MEAN.
pub type carom_mixing = u32;

/// Their product. The default.
pub const CAROM_MIXING_MULTIPLY: carom_mixing = 0;
/// The smaller one.
pub const CAROM_MIXING_MINIMUM: carom_mixing = 1;
/// The larger one.
pub const CAROM_MIXING_MAXIMUM: carom_mixing = 2;
/// Their mean.
pub const CAROM_MIXING_MEAN: carom_mixing = 3;
/// The root of their product.
pub const CAROM_MIXING_GEOMETRIC_MEAN: carom_mixing = 4;

const MIXINGS: [Mixing; 5] =
    [Mixing::Multiply, Mixing::Minimum, Mixing::Maximum, Mixing::Mean, Mixing::GeometricMean];

/// How impulses are found: CAROM_SOLVER_SOFT or CAROM_SOLVER_SEQUENTIAL.
pub type carom_solver = u32;

/// Soft contacts with substeps. The default.
pub const CAROM_SOLVER_SOFT: carom_solver = 0;
/// Sequential impulses with warm starting, bias and slop.
pub const CAROM_SOLVER_SEQUENTIAL: carom_solver = 1;

const SOLVERS: [Solver; 2] = [Solver::Soft, Solver::Sequential];

/// In which numbers contacts are computed: CAROM_PRECISION_DOUBLE or CAROM_PRECISION_MIXED.
pub type carom_precision = u32;

/// Everything in double. The default.
pub const CAROM_PRECISION_DOUBLE: carom_precision = 0;
/// Positions, velocities and differences of positions in double, contacts in float, twice as many at a time.
pub const CAROM_PRECISION_MIXED: carom_precision = 1;

const PRECISIONS: [Precision; 2] = [Precision::Double, Precision::Mixed];

const _: () = assert!(
    CAROM_MIXING_MULTIPLY == Mixing::Multiply as u32
        && CAROM_MIXING_MINIMUM == Mixing::Minimum as u32
        && CAROM_MIXING_MAXIMUM == Mixing::Maximum as u32
        && CAROM_MIXING_MEAN == Mixing::Mean as u32
        && CAROM_MIXING_GEOMETRIC_MEAN == Mixing::GeometricMean as u32
        && CAROM_SOLVER_SOFT == Solver::Soft as u32
        && CAROM_SOLVER_SEQUENTIAL == Solver::Sequential as u32
        && CAROM_PRECISION_DOUBLE == Precision::Double as u32
        && CAROM_PRECISION_MIXED == Precision::Mixed as u32
);

/// What holds for a whole space. Fill it with carom_space_options_init(), then change what differs.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_space_options {
    /// Size of the struct in the caller's program, set by carom_space_options_init().
    pub struct_size: u32,
    /// In which numbers contacts are computed. It cannot be changed later.
    pub precision: carom_precision,
    /// How impulses are found.
    pub solver: carom_solver,
    /// Iterations of sequential impulses, from 1 to 10,000. Default 10.
    pub iterations: u32,
    /// Substeps of a step with soft contacts, from 1 to 1,000. Default 4.
    pub substeps: u32,
    /// The document's setting of that name. It is kept and has no effect: a contact that ends loses its impulses. Default 3.
    pub persistence: u32,
    /// How elasticities give the coefficient of restitution.
    pub restitution_mixing: carom_mixing,
    /// How frictions give the coefficient of friction.
    pub friction_mixing: carom_mixing,
    /// Acceleration of all dynamic bodies, in metres per second squared. Default 0.
    pub gravity: carom_vec2,
    /// Overlap that is left alone, in metres.
    pub slop: f64,
    /// Share of the overlap that is left after one second of sequential impulses, from 0 to 1. Default 0.9^60.
    pub bias: f64,
    /// Speed of approach above which contacts bounce, in metres per second. Default CAROM_BOUNCE_BY_GRAVITY.
    pub bounce_speed: f64,
    /// How long bodies must rest before they fall asleep, in seconds. Default infinity: never.
    pub sleep_time: f64,
    /// Frequency of soft contacts, in hertz, more than 0.
    pub contact_hertz: f64,
    /// Damping ratio of soft contacts, at least 0. Default 10.
    pub damping_ratio: f64,
    /// Largest velocity at which soft contacts push overlapping bodies apart, in metres per second. Default 3.
    pub push_velocity: f64,
}

// SAFETY: `repr(C)`, no padding, integers and floats only.
unsafe impl Options for carom_space_options {
    fn defaults() -> Self {
        SpaceSettings::default().into()
    }
}

impl From<SpaceSettings> for carom_space_options {
    fn from(settings: SpaceSettings) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            precision: settings.precision as carom_precision,
            solver: settings.solver as carom_solver,
            iterations: settings.iterations,
            substeps: settings.substeps,
            persistence: settings.persistence,
            restitution_mixing: settings.restitution_mixing as carom_mixing,
            friction_mixing: settings.friction_mixing as carom_mixing,
            gravity: settings.gravity.into(),
            slop: settings.slop,
            bias: settings.bias,
            bounce_speed: settings.bounce_speed.unwrap_or(CAROM_BOUNCE_BY_GRAVITY),
            sleep_time: settings.sleep_time.unwrap_or(f64::INFINITY),
            contact_hertz: settings.contact_hertz,
            damping_ratio: settings.damping_ratio,
            push_velocity: settings.push_velocity,
        }
    }
}

impl carom_space_options {
    pub(super) fn settings(&self) -> Result<SpaceSettings> {
        Ok(SpaceSettings::default()
            .with_precision(known("precision", self.precision, &PRECISIONS)?)
            .with_solver(known("solver", self.solver, &SOLVERS)?)
            .with_iterations(self.iterations)
            .with_substeps(self.substeps)
            .with_persistence(self.persistence)
            .with_restitution_mixing(known("restitution_mixing", self.restitution_mixing, &MIXINGS)?)
            .with_friction_mixing(known("friction_mixing", self.friction_mixing, &MIXINGS)?)
            .with_gravity(self.gravity.into())
            .with_slop(self.slop)
            .with_bias(self.bias)
            .with_bounce_speed(Some(self.bounce_speed).filter(|&speed| speed != CAROM_BOUNCE_BY_GRAVITY))
            .with_sleep_time(Some(self.sleep_time).filter(|&time| time != f64::INFINITY))
            .with_contact_hertz(self.contact_hertz)
            .with_damping_ratio(self.damping_ratio)
            .with_push_velocity(self.push_velocity))
    }
}

impl Caller {
    /// The settings of a space; null is the defaults.
    pub(super) fn space_settings(&self, options: *const carom_space_options) -> Result<SpaceSettings> {
        if options.is_null() {
            return Ok(SpaceSettings::default());
        }
        self.read_options("options", options)?.settings()
    }
}

/// Fills the options of a space with the defaults.
///
/// \param options The struct to fill.
/// \param size    `sizeof(carom_space_options)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_options_init(
    options: *mut carom_space_options,
    size: usize,
) -> carom_status {
    entry!(enter(|caller| caller.init_options("options", options, size)))
}

/// Creates a space at time 0 without bodies but its own static one, which is at the origin.
///
/// \param options What holds for the space; NULL: the defaults.
/// \param space   Receives the space. Destroy it with carom_space_destroy().
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_UNKNOWN_VALUE, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_create(
    options: *const carom_space_options,
    space: *mut *mut carom_space,
) -> carom_status {
    entry!(create(("space", space), |caller| {
        Ok(carom_space::new(Space::new(&caller.space_settings(options)?)?))
    }))
}

/// Copies a space, contacts included, but without its callbacks. The copy continues bit-identically.
///
/// \param copy Receives the copy, with the same ids of bodies and shapes. Destroy it with carom_space_destroy().
/// \return CAROM_OK, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_clone(
    space: *const carom_space,
    copy: *mut *mut carom_space,
) -> carom_status {
    entry!(create(("copy", copy), |caller| {
        caller.object("space", space)?.read(|space| {
            check_unlocked(space, "copy a space")?;
            Ok(carom_space::new(space.without_callbacks()))
        })
    }))
}

/// What is in the middle of a step cannot be copied.
pub(super) fn check_unlocked(space: &Space, operation: &'static str) -> Result<()> {
    if space.is_locked() { Err(Error::Locked { operation }.into()) } else { Ok(()) }
}

/// Destroys a space with its bodies, shapes and callbacks; NULL does nothing. Pointers into its columns become invalid.
///
/// A callback of a space may destroy it: the call that called the callback finishes first. The space that a callback gets as
/// an argument belongs to the library; for it this does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_destroy(space: *mut carom_space) {
    // SAFETY: by the rule for pointers it is a space that has not been destroyed, unless it is null.
    let is_own = unsafe { space.as_ref() }.is_none_or(|space| matches!(space.place, Place::Own(_)));
    if is_own {
        entry!(destroy(space));
    }
}

/// Reads the options of a space.
///
/// \param options Receives the options. Its struct_size must be set: call carom_space_options_init() first.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE for an impossible struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_get_options(
    space: *const carom_space,
    options: *mut carom_space_options,
) -> carom_status {
    entry!(enter(|caller| {
        let found = caller.object("space", space)?.read(|space| Ok(*space.settings()))?;
        caller.write_options("options", options, found.into())
    }))
}

/// Replaces the options of a space from now on. If one is invalid nothing changes.
///
/// \param options The options; the precision must stay. Fields beyond an older, smaller struct_size get their defaults.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_UNKNOWN_VALUE, CAROM_READ_ONLY for
///         another precision, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_set_options(
    space: *mut carom_space,
    options: *const carom_space_options,
) -> carom_status {
    entry!(update(space, |caller, space| {
        Ok(space.set_settings(&caller.read_options("options", options)?.settings()?)?)
    }))
}

/// Acceleration of all dynamic bodies.
///
/// \param gravity Receives it, in metres per second squared.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_get_gravity(
    space: *const carom_space,
    gravity: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("gravity", gravity), |_, space| Ok(space.settings().gravity.into())))
}

/// Changes the acceleration of all dynamic bodies.
///
/// \param gravity In metres per second squared.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_set_gravity(
    space: *mut carom_space,
    gravity: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.set_gravity(gravity.into())?)))
}
