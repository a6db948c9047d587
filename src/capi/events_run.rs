//! Event-driven runs: limits, events, measurements.

use std::ffi::c_void;
use std::ops::ControlFlow;

use super::events::carom_events;
use super::failure::{Failure, Result};
use super::guard::enter;
use super::handle::{Handle, produce, update};
use super::options::Options;
use super::status::carom_status;
use super::world::known;
use crate::events::{AnyEngine, Event, EventKind, Limit, Measurements, SpeedHistogram, Stop};
use crate::soa::memory;

/// The kind of an event: CAROM_EVENT_COLLISION or CAROM_EVENT_WALL.
pub type carom_event_kind = u32;

/// Two particles collide.
pub const CAROM_EVENT_COLLISION: carom_event_kind = 0;
/// A particle collides with a wall.
pub const CAROM_EVENT_WALL: carom_event_kind = 1;

/// Why a run stopped: one of the constants CAROM_STOP_TIME to CAROM_STOP_IDLE.
pub type carom_stop = u32;

/// The time of the limit is reached.
pub const CAROM_STOP_TIME: carom_stop = 0;
/// The number of collisions of the limit is reached.
pub const CAROM_STOP_COLLISIONS: carom_stop = 1;
/// The callback stopped the run.
pub const CAROM_STOP_CALLBACK: carom_stop = 2;
/// No further event will happen, and the limit has no time. The time is that of the last event.
pub const CAROM_STOP_IDLE: carom_stop = 3;

const _: () = assert!(
    CAROM_EVENT_COLLISION == EventKind::Collision as u32
        && CAROM_EVENT_WALL == EventKind::Wall as u32
        && CAROM_STOP_TIME == Stop::Time as u32
        && CAROM_STOP_COLLISIONS == Stop::Collisions as u32
        && CAROM_STOP_CALLBACK == Stop::Observer as u32
        && CAROM_STOP_IDLE == Stop::Idle as u32
);

/// A collision of two particles, or of a particle with a wall.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_event {
    /// When it happens, in seconds. Infinity if there is no event.
    pub time: f64,
    /// CAROM_EVENT_COLLISION or CAROM_EVENT_WALL.
    pub kind: carom_event_kind,
    /// 1 if there is an event; otherwise 0, and all but the time is 0.
    pub found: i32,
    /// Index of the particle; of two particles the lower one.
    pub first: usize,
    /// Index of the other particle. For a wall the face: 2 * axis for the lower, 2 * axis + 1 for the upper.
    pub second: usize,
    /// Momentum exchanged along the normal, in newton seconds; never negative.
    pub impulse: f64,
    /// Unit vector from the second particle, or the wall, to the first particle: D numbers, then zeros.
    pub normal: [f64; 3],
}

impl From<Option<Event<3>>> for carom_event {
    fn from(event: Option<Event<3>>) -> Self {
        let Some(event) = event else {
            let (time, normal) = (f64::INFINITY, [0.0; 3]);
            return Self { time, kind: 0, found: 0, first: 0, second: 0, impulse: 0.0, normal };
        };
        Self {
            time: event.time,
            kind: event.kind as carom_event_kind,
            found: 1,
            first: event.first,
            second: event.second,
            impulse: event.impulse,
            normal: event.normal,
        }
    }
}

/// Called after every event of a run, on the thread that called the run. A result other than 0 stops the run there.
///
/// The event is valid only during the callback. Calls for the run and its particles return CAROM_BUSY, and it is
/// destroyed only after the run. Columns of its particles that were shared before may be read; they are as of the last
/// carom_events_synchronise(). The callback must return: no exception, no longjmp.
pub type carom_event_callback =
    Option<unsafe extern "C" fn(event: *const carom_event, user: *mut c_void) -> i32>;

/// When a run stops: at the first limit that is reached. Fill it with carom_limit_init(), then set one or both.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_limit {
    /// Size of the struct in the caller's program, set by carom_limit_init().
    pub struct_size: u32,
    /// Must be 0.
    pub reserved: u32,
    /// Time of the run, in seconds; one in the past stops it at once. Default infinity.
    pub time: f64,
    /// Number of further collisions, with particles and with walls. Default UINT64_MAX: no limit.
    pub collisions: u64,
}

// SAFETY: `repr(C)`, no padding, integers and floats only.
unsafe impl Options for carom_limit {
    fn defaults() -> Self {
        let Limit { time, collisions } = Limit::NONE;
        Self { struct_size: size_of::<Self>() as u32, reserved: 0, time, collisions }
    }
}

impl carom_limit {
    fn limit(&self) -> Result<Limit> {
        known("reserved", self.reserved, &[()])?;
        Ok(Limit { time: self.time, collisions: self.collisions })
    }
}

/// Runs to the caller's limit and stores why it stopped, unless `stop` is null.
///
/// # Safety
/// As [`enter`].
unsafe fn run_to(
    events: *mut carom_events,
    limit: *const carom_limit,
    stop: *mut carom_stop,
    run: impl FnOnce(&mut AnyEngine, Limit) -> Result<Stop>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            let out = caller.optional_out("stop", stop)?;
            let limit = caller.read_options("limit", limit)?.limit()?;
            let events = caller.object("events", events)?;
            let stop = events.write(|engine| {
                events.expect_room(engine)?;
                run(engine, limit)
            })?;
            out.set(stop as carom_stop);
            Ok(())
        })
    }
}

/// Fills a limit with the defaults: none. A run then ends only when no further event will happen.
///
/// \param limit The struct to fill.
/// \param size  `sizeof(carom_limit)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_limit_init(limit: *mut carom_limit, size: usize) -> carom_status {
    entry!(enter(|caller| caller.init_options("limit", limit, size)))
}

/// Runs from collision to collision until a time or a number of collisions.
///
/// \param limit When to stop.
/// \param stop  Receives why it stopped. May be NULL.
/// \return CAROM_OK, CAROM_NOT_FINITE if the time is NaN, CAROM_UNKNOWN_VALUE; then nothing has changed.
///         CAROM_COLLAPSE: a particle collided repeatedly without time passing; the run has stopped there, in a valid
///         state. CAROM_OUT_OF_MEMORY: nothing has changed, or the run has stopped where its lists had to grow, in a valid state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_run(
    events: *mut carom_events,
    limit: *const carom_limit,
    stop: *mut carom_stop,
) -> carom_status {
    entry!(run_to(events, limit, stop, |engine, limit| Ok(engine.run(limit)?)))
}

/// The same as carom_events_run(); a callback is called for every event and may stop the run.
///
/// \param limit    When to stop.
/// \param callback Called after every event, in the order of time. Returns 0 to continue.
/// \param user     Passed to the callback unchanged.
/// \param stop     Receives why it stopped. May be NULL.
/// \return As carom_events_run().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_run_observed(
    events: *mut carom_events,
    limit: *const carom_limit,
    callback: carom_event_callback,
    user: *mut c_void,
    stop: *mut carom_stop,
) -> carom_status {
    entry!(run_to(events, limit, stop, |engine, limit| {
        let callback = callback.ok_or(Failure::NullPointer { argument: "callback" })?;
        Ok(engine.run_observed(
            limit,
            &mut |event| match callback(&carom_event::from(Some(*event)), user) {
                0 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            },
        )?)
    }))
}

/// The next event, which is not executed: the next run begins with it.
///
/// In a periodic box without further events the search may not end; a run with a limit of time does.
///
/// \param event Receives the event, or none.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_next(
    events: *mut carom_events,
    event: *mut carom_event,
) -> carom_status {
    entry!(produce(events, ("event", event), |engine| {
        memory::expect_room(engine.memory_bytes())?;
        Ok(engine.next_event().into())
    }))
}

/// Measurements of a run since its start or the last carom_events_reset_measurements(). N is the number of particles
/// that move and collide: neither fixed nor tracers. A quantity without a value is NaN.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_measurements {
    /// Size of the struct in the caller's program, set by carom_measurements_init().
    pub struct_size: u32,
    /// Always 0.
    pub reserved: u32,
    /// Collisions of two particles.
    pub collisions: u64,
    /// Collisions of a particle with a wall.
    pub wall_collisions: u64,
    /// Elapsed time, in seconds.
    pub duration: f64,
    /// Kinetic energy now, in joules.
    pub kinetic_energy: f64,
    /// Potential energy in down gravity now, in joules; 0 at coordinate 0 of axis 1.
    pub potential_energy: f64,
    /// Momentum now, in newton seconds: D numbers, then zeros.
    pub momentum: [f64; 3],
    /// Relative error of the total energy, not counting the loss by restitution.
    pub energy_drift: f64,
    /// Error of the momentum, not counting what walls, fixed particles and gravity added, relative to the sum of m |v|
    /// or to what gravity added, whichever is larger.
    pub momentum_drift: f64,
    /// Temperature kT = 2 K / (D N), in joules, with the kinetic energy K in the frame in which the momentum along the
    /// periodic axes is 0.
    pub temperature: f64,
    /// Pressure by the virial, in pascals (N/m in 2D, N in 1D). NaN if an axis is open, in gravity, and if no time has
    /// passed.
    pub virial_pressure: f64,
    /// Pressure on the walls, in pascals (N/m in 2D, N in 1D). NaN without walls of finite area and if no time has
    /// passed.
    pub wall_pressure: f64,
    /// Mean path of a particle from one collision with another to the next, in metres; NaN without collisions.
    pub mean_free_path: f64,
    /// Mean time of a particle from one collision with another to the next, in seconds; NaN without collisions.
    pub mean_free_time: f64,
    /// Mean over N of the squared displacement from the start, unwrapped across periodic faces, in square metres.
    pub mean_square_displacement: f64,
}

// SAFETY: `repr(C)`, no padding, integers and floats only.
unsafe impl Options for carom_measurements {
    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            reserved: 0,
            collisions: 0,
            wall_collisions: 0,
            duration: 0.0,
            kinetic_energy: 0.0,
            potential_energy: 0.0,
            momentum: [0.0; 3],
            energy_drift: 0.0,
            momentum_drift: 0.0,
            temperature: 0.0,
            virial_pressure: f64::NAN,
            wall_pressure: f64::NAN,
            mean_free_path: f64::NAN,
            mean_free_time: f64::NAN,
            mean_square_displacement: 0.0,
        }
    }
}

impl From<Measurements<3>> for carom_measurements {
    fn from(found: Measurements<3>) -> Self {
        let or_nan = |value: Option<f64>| value.unwrap_or(f64::NAN);
        Self {
            collisions: found.collisions,
            wall_collisions: found.wall_collisions,
            duration: found.duration,
            kinetic_energy: found.kinetic_energy,
            potential_energy: found.potential_energy,
            momentum: found.momentum,
            energy_drift: found.energy_drift,
            momentum_drift: found.momentum_drift,
            temperature: found.temperature,
            virial_pressure: or_nan(found.virial_pressure),
            wall_pressure: or_nan(found.wall_pressure),
            mean_free_path: or_nan(found.mean_free_path),
            mean_free_time: or_nan(found.mean_free_time),
            mean_square_displacement: found.mean_square_displacement,
            ..Self::defaults()
        }
    }
}

/// Prepares a struct for carom_events_measurements().
///
/// \param measurements The struct to fill.
/// \param size         `sizeof(carom_measurements)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_measurements_init(
    measurements: *mut carom_measurements,
    size: usize,
) -> carom_status {
    entry!(enter(|caller| caller.init_options("measurements", measurements, size)))
}

/// The measurements of a run so far. The cost is proportional to the number of particles.
///
/// \param measurements Receives the measurements. Its struct_size must be set: call carom_measurements_init() first.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE for an impossible struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_measurements(
    events: *const carom_events,
    measurements: *mut carom_measurements,
) -> carom_status {
    entry!(enter(|caller| {
        let found = caller.object("events", events)?.read(|engine| Ok(engine.measurements()))?;
        caller.write_options("measurements", measurements, found.into())
    }))
}

/// Histogram of the current speeds of the particles that move and collide, in bins of equal width from 0 to the highest
/// speed. The cost is proportional to the number of particles.
///
/// \param counts Receives the number of particles in each bin; the fastest is in the last. May be NULL if `bins` is 0.
/// \param bins   Number of bins.
/// \param width  Receives the width of a bin, in metres per second; 0 if nothing moves. May be NULL.
/// \return CAROM_OK, CAROM_OUT_OF_MEMORY, CAROM_OUT_OF_RANGE for more bins than there are addresses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_speed_histogram(
    events: *const carom_events,
    counts: *mut u64,
    bins: usize,
    width: *mut f64,
) -> carom_status {
    entry!(enter(|caller| {
        let rows = caller.rows_mut("counts", counts, 0, 1, bins)?;
        let out = caller.optional_out("width", width)?;
        let speeds = caller.object("events", events)?.read(|engine| {
            memory::expect_room(engine.particles().len() * size_of::<f64>())?;
            Ok(engine.speeds())
        })?;
        let SpeedHistogram { width, counts } = SpeedHistogram::try_new(&speeds, bins)?;
        rows.write(&counts);
        out.set(width);
        Ok(())
    }))
}

/// Restarts all measurements: counts, pressures, drifts and displacements.
///
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_reset_measurements(events: *mut carom_events) -> carom_status {
    entry!(update(events, |_, engine| {
        engine.reset_measurements();
        Ok(())
    }))
}
