//! The engine as users see it.

use std::ops::ControlFlow;

use super::enclosure::Enclosure;
use super::event::Event;
use super::settings::EventSettings;
use super::state::engine_state::Core;
use crate::error::{Error, Result};
use crate::particles::Particles;

/// World time in seconds beyond which there is no number for an event: what would come later never does.
const END_OF_TIME: f64 = f64::MAX;

/// When a run stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// At this world time, in seconds.
    pub time: f64,
    /// After this many more collisions, with particles and with walls.
    pub collisions: u64,
}

impl Limit {
    /// Never, unless nothing can happen any more.
    ///
    /// In a periodic box that is found out only for particles that rest in each other's eyes or stay apart along an axis,
    /// such as a single one, or balls that fly along the same direction in lanes of their own. Others may pass their images
    /// for ever, and no finite time says that they will not meet: there a run without a limit need not end.
    pub const NONE: Self = Self { time: f64::INFINITY, collisions: u64::MAX };

    /// At this world time, in seconds.
    #[must_use]
    pub fn until(time: f64) -> Self {
        Self { time, ..Self::NONE }
    }

    /// After this many more collisions, with particles and with walls.
    #[must_use]
    pub fn collisions(collisions: u64) -> Self {
        Self { collisions, ..Self::NONE }
    }
}

/// Why a run stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The time of the limit has come.
    Time,
    /// The number of collisions of the limit is reached.
    Collisions,
    /// The observer asked for it.
    Observer,
    /// Nothing will ever happen again, and the limit has no time.
    Idle,
}

/// Particles that run from collision to collision, in 1, 2 or 3 dimensions.
///
/// A run depends on nothing but the particles, the box, the settings and the order of the calls that change them:
/// it is the same to the bit on every machine, however it is divided into calls, and whoever looks on.
#[derive(Debug, Clone)]
pub struct Engine<const D: usize> {
    pub(super) core: Core<D>,
}

impl<const D: usize> Engine<D> {
    /// Particles in a box, at world time 0.
    ///
    /// Refused are particles with drag or an acceleration of their own, outside of the box, or overlapping by more
    /// than rounding ([`Error::Overlap`] lists the pairs). Shapes collide by their bounding spheres. Two fixed particles
    /// may overlap, and tracers overlap whom they like. Two particles whose radii are 0, or below the rounding of their
    /// coordinates, may pass through each other: at contact nothing tells on which side they are.
    pub fn new(particles: Particles, enclosure: Enclosure<D>, settings: EventSettings) -> Result<Self> {
        Ok(Self { core: Core::start(particles, enclosure, settings, 0.0)? })
    }

    /// Runs to the limit.
    ///
    /// [`Error::Collapse`] tells of collisions without end; the state is then that after the last of them.
    pub fn run(&mut self, limit: Limit) -> Result<Stop> {
        self.run_with(limit, |_| ControlFlow::Continue(()))
    }

    /// Runs to the limit and shows every collision to the observer, right after it has happened.
    pub fn run_observed(
        &mut self,
        limit: Limit,
        observer: &mut dyn FnMut(&Event<D>) -> ControlFlow<()>,
    ) -> Result<Stop> {
        self.run_with(limit, observer)
    }

    /// The same for an observer that is known when this is compiled.
    pub(crate) fn run_with(
        &mut self,
        limit: Limit,
        mut observer: impl FnMut(&Event<D>) -> ControlFlow<()>,
    ) -> Result<Stop> {
        if limit.time.is_nan() {
            return Err(Error::NotFinite { field: "time", index: 0, value: limit.time });
        }
        for _ in 0..limit.collisions {
            let Some(pending) = self.core.front(limit.time.min(END_OF_TIME)) else {
                return Ok(self.rest_until(limit.time));
            };
            let event = self.core.execute(pending)?;
            if observer(&event).is_break() {
                return Ok(Stop::Observer);
            }
        }
        Ok(Stop::Collisions)
    }

    /// Nothing more happens up to this time.
    fn rest_until(&mut self, time: f64) -> Stop {
        if time == f64::INFINITY {
            return Stop::Idle;
        }
        self.core.clock.world = self.core.clock.world.max(time);
        Stop::Time
    }

    /// The next collision of two particles or with a wall, which does not happen yet; `None` if there will be none.
    ///
    /// In a periodic box the search for a collision that never comes may be endless, as [`Limit::NONE`] says.
    pub fn next_event(&mut self) -> Option<Event<D>> {
        let in_this_epoch = self.core.clock.end().next_down();
        if let Some(pending) = self.core.front(in_this_epoch) {
            return Some(self.core.foresee(pending));
        }
        // Seen from a later epoch the present state would be rounded: the way there is left to a copy.
        let mut ahead = self.core.clone();
        let pending = ahead.front(END_OF_TIME)?;
        Some(ahead.foresee(pending))
    }

    /// World time, in seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.core.clock.world
    }

    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.core.records.len()
    }

    /// Whether there are no particles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes positions (within the box) and velocities at the world time into the columns, and shows them.
    pub fn synchronise(&mut self) -> &Particles {
        self.core.write_back();
        &self.core.particles
    }

    /// The particles as of the last [`synchronise`](Self::synchronise).
    #[must_use]
    pub fn particles(&self) -> &Particles {
        &self.core.particles
    }

    /// Changes particles at the world time: adds, removes, moves, whatever. Measurements begin anew.
    ///
    /// The changed particles must be such that [`new`](Self::new) takes them; if not, nothing has changed.
    pub fn edit(&mut self, change: impl FnOnce(&mut Particles)) -> Result<()> {
        let mut particles = self.synchronise().clone();
        change(&mut particles);
        let core = &self.core;
        self.core = Core::start(particles, core.space.enclosure, core.settings, core.clock.world)?;
        Ok(())
    }

    /// The particles at the world time.
    #[must_use]
    pub fn into_particles(mut self) -> Particles {
        self.core.write_back();
        self.core.particles
    }

    /// The box.
    #[must_use]
    pub fn enclosure(&self) -> &Enclosure<D> {
        &self.core.space.enclosure
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &EventSettings {
        &self.core.settings
    }

    /// Replaces the settings from now on. Measurements begin anew. If a setting is bad nothing changes.
    pub fn set_settings(&mut self, settings: EventSettings) -> Result<()> {
        settings.check(&self.core.space.enclosure)?;
        let particles = self.synchronise().clone();
        let core = &self.core;
        self.core = Core::start(particles, core.space.enclosure, settings, core.clock.world)?;
        Ok(())
    }

    /// Begins all measurements anew.
    pub fn reset_measurements(&mut self) {
        self.core.reset_sums();
    }

    /// Bytes of memory that the engine holds, the columns of the particles among them.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.core.memory_bytes()
    }
}
