//! Event-driven runs: creation, box, settings, particles.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::collisions::carom_pair;
use super::failure::Result;
use super::guard::{enter, enter_quietly};
use super::handle::{Guarded, Handle, create, destroy, query, update};
use super::memory::Caller;
use super::options::Options;
use super::particles::{carom_particles, copy_of};
use super::status::{self, carom_status};
use super::world::known;
use crate::events::{AnyEngine, Boundary, EventSettings};
use crate::particles::Particles;
use crate::soa::memory;

/// An event-driven run: balls in a box in 1, 2 or 3 dimensions, from collision to collision without a time step.
///
/// Every collision happens at its exact time. Shapes collide by their bounding spheres. A run is bit-identical on
/// every machine, however it is divided into calls. Several runs can proceed in parallel, each on its own thread.
pub struct carom_events {
    engine: Arc<Guarded<AnyEngine>>,
    particles: carom_particles,
    /// The memory of the run, in bytes, when there was last room for as much again.
    room: AtomicUsize,
}

impl carom_events {
    pub(super) fn new(engine: AnyEngine) -> Self {
        let engine = Arc::new(Guarded::new(Self::NAME, engine));
        Self { particles: carom_particles::of_events(Arc::clone(&engine)), engine, room: AtomicUsize::new(0) }
    }

    /// Whether there is room for a run to grow: lists of neighbours and the queue follow the motion. It is checked at first and
    /// whenever the memory has grown.
    pub(super) fn expect_room(&self, engine: &AnyEngine) -> Result<()> {
        let bytes = engine.memory_bytes();
        if bytes > self.room.load(Ordering::Relaxed) {
            memory::expect_room(bytes)?;
            self.room.store(bytes, Ordering::Relaxed);
        }
        Ok(memory::expect_little()?)
    }
}

impl Handle for carom_events {
    type Object = AnyEngine;
    const NAME: &'static str = "events";

    fn read<R>(&self, look: impl FnOnce(&AnyEngine) -> Result<R>) -> Result<R> {
        self.engine.read(look)
    }

    /// The run exists until the end of the change even if a callback destroys the handle.
    fn write<R>(&self, change: impl FnOnce(&mut AnyEngine) -> Result<R>) -> Result<R> {
        Arc::clone(&self.engine).write(change)
    }
}

/// The two opposite faces of a box across an axis: CAROM_OPEN, CAROM_REFLECTING or CAROM_PERIODIC.
pub type carom_boundary = u32;

/// No faces: particles leave freely. The default.
pub const CAROM_OPEN: carom_boundary = 0;
/// Particles are reflected.
pub const CAROM_REFLECTING: carom_boundary = 1;
/// A particle that leaves through one face enters through the opposite one, and collides across it.
pub const CAROM_PERIODIC: carom_boundary = 2;

const BOUNDARIES: [Boundary; 3] = [Boundary::Open, Boundary::Reflecting, Boundary::Periodic];

const _: () = assert!(
    CAROM_OPEN == Boundary::Open as u32
        && CAROM_REFLECTING == Boundary::Reflecting as u32
        && CAROM_PERIODIC == Boundary::Periodic as u32
);

/// The box of a run. Fill it with carom_enclosure_init(), then change what differs.
///
/// The first D entries of each array are used, one per axis.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_enclosure {
    /// Size of the struct in the caller's program, set by carom_enclosure_init().
    pub struct_size: u32,
    /// The faces across each axis. Default CAROM_OPEN.
    pub boundaries: [carom_boundary; 3],
    /// The lower corner, in metres, at most 1e75 from the origin; not used on an open axis. Default 0.
    pub lower: [f64; 3],
    /// The upper corner, in metres, at most 1e75 from the origin; not used on an open axis. Default 0.
    pub upper: [f64; 3],
}

// SAFETY: `repr(C)`, no padding, integers and floats only.
unsafe impl Options for carom_enclosure {
    fn defaults() -> Self {
        let struct_size = size_of::<Self>() as u32;
        Self { struct_size, boundaries: [CAROM_OPEN; 3], lower: [0.0; 3], upper: [0.0; 3] }
    }
}

impl From<&AnyEngine> for carom_enclosure {
    fn from(engine: &AnyEngine) -> Self {
        let mut enclosure = Self::defaults();
        for axis in 0..engine.dim() {
            enclosure.boundaries[axis] = engine.boundaries()[axis] as carom_boundary;
            enclosure.lower[axis] = engine.lower()[axis];
            enclosure.upper[axis] = engine.upper()[axis];
        }
        enclosure
    }
}

impl carom_enclosure {
    fn engine(&self, particles: Particles, settings: EventSettings) -> Result<AnyEngine> {
        // A dimension beyond 3 is refused by the engine itself.
        let dim = particles.dim().min(3);
        let faces = self.boundaries[..dim].iter().map(|&code| known("boundaries", code, &BOUNDARIES));
        let faces = faces.collect::<Result<Vec<_>>>()?;
        Ok(AnyEngine::new(particles, &self.lower[..dim], &self.upper[..dim], &faces, settings)?)
    }
}

/// As `contact_duration` of a run: 0 without gravity, and under gravity a fiftieth of the time in which the smallest particle
/// falls by its radius.
pub const CAROM_CONTACT_DURATION_BY_GRAVITY: f64 = -1.0;

/// The rules of a run. Fill it with carom_event_settings_init(), then change what differs.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_event_settings {
    /// Size of the struct in the caller's program, set by carom_event_settings_init().
    pub struct_size: u32,
    /// Must be 0.
    pub reserved: u32,
    /// Down gravity, in metres per second squared, along axis 1. Default 0; must be 0 in dimension 1 and if axis 1 is
    /// periodic.
    pub down_gravity: f64,
    /// Coefficient of restitution of two particles: separation speed over approach speed, from 0 to 1. Default 1.
    pub restitution: f64,
    /// Coefficient of restitution at walls, from 0 to 1. Default 1.
    pub wall_restitution: f64,
    /// Maximum number of collisions of one particle without time passing, beyond which a run stops with CAROM_COLLAPSE.
    /// Default 10,000.
    pub max_rate: u64,
    /// Duration of a contact, in seconds: a collision that follows the last one of a particle within it is elastic, so that
    /// particles that lose energy come to rest in small bounces; 0: never, and inelastic collapse stops a run with
    /// CAROM_COLLAPSE. Default CAROM_CONTACT_DURATION_BY_GRAVITY.
    pub contact_duration: f64,
}

// SAFETY: `repr(C)`, no padding, integers and floats only.
unsafe impl Options for carom_event_settings {
    fn defaults() -> Self {
        EventSettings::default().into()
    }
}

impl From<EventSettings> for carom_event_settings {
    fn from(settings: EventSettings) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            reserved: 0,
            down_gravity: settings.down_gravity,
            restitution: settings.restitution,
            wall_restitution: settings.wall_restitution,
            max_rate: settings.max_rate,
            contact_duration: settings.contact_duration.unwrap_or(CAROM_CONTACT_DURATION_BY_GRAVITY),
        }
    }
}

impl carom_event_settings {
    fn settings(&self) -> Result<EventSettings> {
        known("reserved", self.reserved, &[()])?;
        Ok(EventSettings {
            down_gravity: self.down_gravity,
            restitution: self.restitution,
            wall_restitution: self.wall_restitution,
            max_rate: self.max_rate,
            contact_duration: Some(self.contact_duration)
                .filter(|&duration| duration != CAROM_CONTACT_DURATION_BY_GRAVITY),
        })
    }
}

impl Caller {
    fn event_settings(&self, settings: *const carom_event_settings) -> Result<EventSettings> {
        if settings.is_null() {
            return Ok(EventSettings::default());
        }
        self.read_options("settings", settings)?.settings()
    }

    /// Gives a new run to the caller.
    pub(super) fn give_events(
        &self,
        out: *mut *mut carom_events,
        make: impl FnOnce() -> Result<AnyEngine>,
    ) -> Result<()> {
        let out = self.out("events", out)?;
        memory::expect_room(0)?;
        out.hand_over(carom_events::new(make()?));
        Ok(())
    }
}

/// Fills a box with the defaults: no walls at all.
///
/// \param enclosure The struct to fill.
/// \param size      `sizeof(carom_enclosure)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_enclosure_init(enclosure: *mut carom_enclosure, size: usize) -> carom_status {
    entry!(enter(|caller| caller.init_options("enclosure", enclosure, size)))
}

/// Fills the settings of a run with the defaults.
///
/// \param settings The struct to fill.
/// \param size     `sizeof(carom_event_settings)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_event_settings_init(
    settings: *mut carom_event_settings,
    size: usize,
) -> carom_status {
    entry!(enter(|caller| caller.init_options("settings", settings, size)))
}

/// Creates a run at time 0 from a copy of particles, in a box.
///
/// Spheres must lie inside the walls and must not overlap by more than rounding; they may touch. Fixed particles may
/// overlap each other, tracers (mass 0) may overlap anything. User acceleration and drag must be 0.
///
/// \param particles What is copied: particles of the caller or of a world, in 1, 2 or 3 dimensions.
/// \param enclosure The box.
/// \param settings  Gravity and restitution; NULL: the defaults.
/// \param events    Receives the run. Destroy it with carom_events_destroy().
/// \return CAROM_OK, CAROM_OVERLAP (carom_last_overlaps() lists the pairs), CAROM_OUTSIDE_BOX, CAROM_BAD_DIMENSION,
///         CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_FIXED, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW, CAROM_UNKNOWN_VALUE,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_create(
    particles: *const carom_particles,
    enclosure: *const carom_enclosure,
    settings: *const carom_event_settings,
    events: *mut *mut carom_events,
) -> carom_status {
    entry!(enter(|caller| {
        caller.give_events(events, || {
            let enclosure = caller.read_options("enclosure", enclosure)?;
            let settings = caller.event_settings(settings)?;
            let copy = caller.object("particles", particles)?.read(copy_of)?;
            enclosure.engine(copy, settings)
        })
    }))
}

/// The pairs of particles that overlap, if the last call that failed on the calling thread returned CAROM_OVERLAP.
///
/// \param pairs    Receives the first pairs, the lower index first. A particle that overlaps its own image in a
///                 periodic box is paired with itself. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `pairs`; at most 16 pairs are kept.
/// \param listed   Receives how many pairs have been written; 0 if the last error was not CAROM_OVERLAP.
/// \param total    Receives how many pairs overlap in all. May be NULL.
/// \return CAROM_OK, or CAROM_NULL_POINTER or CAROM_MISALIGNED, which are not kept as the last error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_last_overlaps(
    pairs: *mut carom_pair,
    capacity: usize,
    listed: *mut usize,
    total: *mut usize,
) -> carom_status {
    entry!(enter_quietly(|caller| {
        let (listed, total) = (caller.out("listed", listed)?, caller.optional_out("total", total)?);
        let out = caller.rows_mut("pairs", pairs, 0, 1, capacity)?;
        status::with_last_overlaps(|kept, count| {
            for (row, &[first, second]) in kept.iter().take(capacity).enumerate() {
                out.put(row, 0, carom_pair { first, second });
            }
            listed.set(kept.len().min(capacity));
            total.set(count);
        });
        Ok(())
    }))
}

/// Destroys a run and its particles; NULL does nothing. Pointers into their columns become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_destroy(events: *mut carom_events) {
    entry!(destroy(events));
}

/// Copies a run. The copy continues bit-identically.
///
/// \param copy Receives the copy. Destroy it with carom_events_destroy().
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_clone(
    events: *const carom_events,
    copy: *mut *mut carom_events,
) -> carom_status {
    entry!(create(("copy", copy), |caller| {
        Ok(carom_events::new(caller.object("events", events)?.read(|events| {
            memory::expect_room(events.memory_bytes())?;
            Ok(events.clone())
        })?))
    }))
}

/// The particles of a run, to be read with every function for const particles. They belong to the run.
///
/// They are as of the last carom_events_synchronise(), at first as at the start. Pointers into their columns are
/// valid until carom_events_set_particles(), carom_events_set_settings() or carom_events_destroy().
///
/// \return A handle that is valid until the run is destroyed. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_particles(events: *const carom_events) -> *const carom_particles {
    if events.is_null() || !events.is_aligned() {
        return std::ptr::null();
    }
    // SAFETY: by the rule for pointers it is a run that has not been destroyed. No reference is made.
    unsafe { &raw const (*events).particles }
}

/// Writes positions (within the box) and velocities at the current time into the columns of the particles.
///
/// A run updates a particle only at its events, and not in the columns.
///
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_synchronise(events: *mut carom_events) -> carom_status {
    entry!(update(events, |_, engine| {
        engine.synchronise();
        Ok(())
    }))
}

/// Replaces the particles of a run by a copy of others, any number of them, at the current time. Measurements restart.
///
/// To change particles: carom_events_synchronise(), carom_particles_clone() of carom_events_particles(), change the
/// copy, pass it here and destroy it. Pointers into the columns of the run become invalid.
///
/// \param particles What is copied; with the requirements of carom_events_create().
/// \return As carom_events_create(). If it fails the run continues as before, with its columns synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_set_particles(
    events: *mut carom_events,
    particles: *const carom_particles,
) -> carom_status {
    entry!(enter(|caller| {
        let copy = caller.object("particles", particles)?.read(copy_of)?;
        caller.object("events", events)?.write(|engine| {
            memory::expect_room(engine.memory_bytes())?;
            Ok(engine.edit(|particles| *particles = copy)?)
        })
    }))
}

/// Current time of a run.
///
/// \param time Receives the time in seconds.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_get_time(events: *const carom_events, time: *mut f64) -> carom_status {
    entry!(query(events, ("time", time), |_, engine| Ok(engine.time())))
}

/// Reads the box of a run.
///
/// \param enclosure Receives the box. Its struct_size must be set: call carom_enclosure_init() first.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE for an impossible struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_get_enclosure(
    events: *const carom_events,
    enclosure: *mut carom_enclosure,
) -> carom_status {
    entry!(enter(|caller| {
        let found = caller.object("events", events)?.read(|engine| Ok(carom_enclosure::from(engine)))?;
        caller.write_options("enclosure", enclosure, found)
    }))
}

/// Reads the settings of a run.
///
/// \param settings Receives the settings. Its struct_size must be set: call carom_event_settings_init() first.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE for an impossible struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_get_settings(
    events: *const carom_events,
    settings: *mut carom_event_settings,
) -> carom_status {
    entry!(enter(|caller| {
        let found = caller.object("events", events)?.read(|engine| Ok(*engine.settings()))?;
        caller.write_options("settings", settings, found.into())
    }))
}

/// Replaces the settings of a run from now on. Measurements restart, and pointers into the columns become
/// invalid. If one is invalid nothing changes.
///
/// \param settings The settings; fields beyond an older, smaller struct_size keep their defaults.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_set_settings(
    events: *mut carom_events,
    settings: *const carom_event_settings,
) -> carom_status {
    entry!(update(events, |caller, engine| {
        memory::expect_room(engine.memory_bytes())?;
        Ok(engine.set_settings(caller.read_options("settings", settings)?.settings()?)?)
    }))
}

/// Memory that a run holds, the columns of its particles included.
///
/// \param bytes Receives the number of bytes.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_memory_bytes(
    events: *const carom_events,
    bytes: *mut usize,
) -> carom_status {
    entry!(query(events, ("bytes", bytes), |_, engine| Ok(engine.memory_bytes())))
}
