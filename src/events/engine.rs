//! `Engine`: the event-driven engine, as callers use it.

use std::ops::ControlFlow;

use super::enclosure::Enclosure;
use super::event::Event;
use super::execute::{LATEST_TIME, Preview, Run};
use super::settings::EventSettings;
use super::state::EngineState;
use crate::error::{Error, Result};
use crate::particles::Particles;
use crate::soa::{level, memory};

/// When a run stops.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Limit {
    /// World time at which the run stops, in seconds.
    pub time: f64,
    /// Number of further collisions, with particles and with walls, after which the run stops.
    pub collisions: u64,
}

impl Limit {
    /// No limit: a run stops only when no collision can come any more.
    ///
    /// In a periodic box that is detected only for particles that are at rest relative to each other or stay apart along an
    /// axis, such as a single particle, or balls that move in parallel lanes. Other particles may pass each other's images
    /// for ever without a proof that they never collide: there a run without a limit may never return.
    pub const NONE: Self = Self { time: f64::INFINITY, collisions: u64::MAX };

    /// Stop at this world time, in seconds.
    #[must_use]
    pub fn until(time: f64) -> Self {
        Self { time, ..Self::NONE }
    }

    /// Stop after this many further collisions, with particles and with walls.
    #[must_use]
    pub fn collisions(collisions: u64) -> Self {
        Self { collisions, ..Self::NONE }
    }

    /// The same, but not beyond this many further collisions.
    #[must_use]
    pub fn or_collisions(self, collisions: u64) -> Self {
        Self { collisions, ..self }
    }
}

/// Why a run stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The time of the limit was reached.
    Time,
    /// The number of collisions of the limit was reached.
    Collisions,
    /// The observer returned [`ControlFlow::Break`].
    Observer,
    /// No collision will ever come, and the limit has no time.
    Idle,
}

/// Particles that run from collision to collision, in 1, 2 or 3 dimensions.
///
/// A run depends on nothing but the particles, the box, the settings and the order of the calls that change them: it is
/// bit-identical on every machine, however it is divided into calls, with and without observers.
///
/// Collisions at the same time happen in the order of their indices: a symmetric start need not stay symmetric
/// (docs/methods/events.md, section 3.3).
#[derive(Debug, Clone)]
pub struct Engine<const D: usize> {
    pub(super) state: EngineState<D>,
}

/// Collisions after which a run compares its memory with what it was.
const CHECKED: u64 = 1 << 14;

impl<const D: usize> Engine<D> {
    /// Particles in a box, at world time 0.
    ///
    /// It fails for particles with drag or an acceleration of their own, outside of the box, or overlapping by more
    /// than rounding ([`Error::Overlap`] lists the pairs). Shapes collide as their bounding spheres. Two fixed particles
    /// may overlap, and tracers (particles of mass 0) may overlap anything. Two particles whose radii are 0, or below the
    /// rounding of their coordinates, may pass through each other, because at contact their order is lost in rounding.
    pub fn new(particles: Particles, enclosure: Enclosure<D>, settings: EventSettings) -> Result<Self> {
        Ok(Self { state: EngineState::start(particles, enclosure, settings, 0.0)? })
    }

    /// Runs to the limit.
    ///
    /// [`Error::Collapse`] reports an inelastic collapse, [`Error::OutOfMemory`] that there is no memory for lists that grow with
    /// the motion; the state is then that after the last collision.
    pub fn run(&mut self, limit: Limit) -> Result<Stop> {
        self.run_with(limit, |_| ControlFlow::Continue(()))
    }

    /// Runs to the limit and calls the observer after each collision.
    pub fn run_observed(
        &mut self,
        limit: Limit,
        observer: &mut dyn FnMut(&Event<D>) -> ControlFlow<()>,
    ) -> Result<Stop> {
        self.run_with(limit, observer)
    }

    /// The same for an observer whose type is known at compile time.
    pub(crate) fn run_with(
        &mut self,
        limit: Limit,
        mut observer: impl FnMut(&Event<D>) -> ControlFlow<()>,
    ) -> Result<Stop> {
        if limit.time.is_nan() {
            return Err(Error::NotFinite { field: "time", index: 0, value: limit.time });
        }
        let (mut left, mut room) = (limit.collisions, self.memory_bytes());
        loop {
            let part = left.min(CHECKED);
            let limit = Limit { collisions: part, ..limit };
            let stop = level::run(Run { state: &mut self.state, limit, observer: &mut observer })?;
            left -= part;
            if stop != Stop::Collisions || left == 0 {
                return Ok(stop);
            }
            self.expect_room(&mut room)?;
        }
    }

    /// Whether there is room for as much memory again, if the run has more than `room` bytes by now: lists of neighbours and the
    /// queue follow the motion.
    fn expect_room(&self, room: &mut usize) -> Result<()> {
        let bytes = self.memory_bytes();
        if bytes > *room {
            memory::expect_room(bytes)?;
            *room = bytes;
        }
        Ok(())
    }

    /// The next collision of two particles or with a wall, without executing it; `None` if there is none.
    ///
    /// In a periodic box the search for a collision that never comes may not end, see [`Limit::NONE`].
    pub fn next_event(&mut self) -> Option<Event<D>> {
        self.next_event_until(LATEST_TIME)
    }

    /// The next collision not later than this world time, in seconds, without executing it.
    ///
    /// With a finite time the search ends in every box.
    pub fn next_event_until(&mut self, time: f64) -> Option<Event<D>> {
        let in_this_epoch = self.state.clock.end().next_down();
        let next = level::run(Preview { state: &mut self.state, limit: time.min(in_this_epoch) });
        if next.is_some() || time <= in_this_epoch {
            return next;
        }
        // A change of epoch rounds the state, so the search goes on in a copy.
        let mut ahead = self.state.clone();
        level::run(Preview { state: &mut ahead, limit: time.min(LATEST_TIME) })
    }

    /// A hash of the bits of positions (within the box) and velocities at the world time: that of
    /// [`synchronise`](Self::synchronise)d particles.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.state.state_hash()
    }

    /// World time, in seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.state.clock.world
    }

    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.flights.len()
    }

    /// Whether there are no particles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes positions (within the box) and velocities at the world time into the columns, and returns the particles.
    pub fn synchronise(&mut self) -> &Particles {
        self.state.write_back();
        &self.state.particles
    }

    /// The particles as of the last [`synchronise`](Self::synchronise).
    #[must_use]
    pub fn particles(&self) -> &Particles {
        &self.state.particles
    }

    /// Changes particles at the world time: adds, removes or moves them. Measurements restart.
    ///
    /// If [`new`](Self::new) would refuse the changed particles it fails in the same way, and nothing changes.
    pub fn edit(&mut self, change: impl FnOnce(&mut Particles)) -> Result<()> {
        let mut particles = self.synchronise().clone();
        change(&mut particles);
        let state = &self.state;
        self.state =
            EngineState::start(particles, state.domain.enclosure, state.settings, state.clock.world)?;
        Ok(())
    }

    /// The particles at the world time.
    #[must_use]
    pub fn into_particles(mut self) -> Particles {
        self.state.write_back();
        self.state.particles
    }

    /// The box.
    #[must_use]
    pub fn enclosure(&self) -> &Enclosure<D> {
        &self.state.domain.enclosure
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &EventSettings {
        &self.state.settings
    }

    /// Replaces the settings from now on. Measurements restart. If a setting is not valid nothing changes.
    pub fn set_settings(&mut self, settings: EventSettings) -> Result<()> {
        settings.check(&self.state.domain.enclosure)?;
        let particles = self.synchronise().clone();
        let state = &self.state;
        self.state = EngineState::start(particles, state.domain.enclosure, settings, state.clock.world)?;
        Ok(())
    }

    /// The duration of a contact, in seconds: that of the settings, or the one that gravity and the smallest particle give; 0
    /// if every collision loses what restitution takes, and if none does.
    #[must_use]
    pub fn contact_duration(&self) -> f64 {
        self.state.contact.duration
    }

    /// Restarts all measurements.
    pub fn reset_measurements(&mut self) {
        self.state.reset_accumulators();
    }

    /// Bytes of memory that the engine holds, including the columns of the particles.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.state.memory_bytes()
    }
}
