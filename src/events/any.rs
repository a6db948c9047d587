//! `AnyEngine`: an engine whose dimension is chosen at run time, for the tool and for C.

use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::{Boundary, Enclosure, Engine, Event, EventSettings, Limit, Measurements, Stop};
use crate::error::{Error, Result};
use crate::particles::Particles;

/// An [`Engine`] in 1, 2 or 3 dimensions.
///
/// The methods are those of the engine. Vectors are slices, or the first entries of arrays of three whose other entries are
/// 0.
///
/// ```
/// use carom::events::{AnyEngine, Boundary, EventSettings, Limit};
/// use carom::{Particle, Particles};
///
/// let mut particles = Particles::new(1)?;
/// particles.add(&Particle::sphere(&[0.5], 0.25).with_mass(1.0).with_velocity(&[1.0]))?;
/// let boundaries = [Boundary::Reflecting];
/// let mut engine = AnyEngine::new(particles, &[0.0], &[1.0], &boundaries, EventSettings::default())?;
/// engine.run(Limit::until(1.0))?;
/// assert_eq!(engine.measurements().wall_collisions, 2);
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone)]
pub enum AnyEngine {
    /// On a line.
    One(Engine<1>),
    /// In a plane.
    Two(Engine<2>),
    /// In space.
    Three(Engine<3>),
}

/// Evaluates an expression with the engine of any dimension.
macro_rules! with {
    ($any:expr, $engine:ident => $result:expr) => {
        match $any {
            AnyEngine::One($engine) => $result,
            AnyEngine::Two($engine) => $result,
            AnyEngine::Three($engine) => $result,
        }
    };
}

impl AnyEngine {
    /// An engine of the dimension of these particles, in a box between two corners (in metres, one number per axis).
    ///
    /// It fails as [`Engine::new`] does, and if a slice does not have one entry per axis.
    pub fn new(
        particles: Particles,
        lower: &[f64],
        upper: &[f64],
        boundaries: &[Boundary],
        settings: EventSettings,
    ) -> Result<Self> {
        Ok(match particles.dim() {
            1 => Self::One(Engine::new(particles, enclosure(lower, upper, boundaries)?, settings)?),
            2 => Self::Two(Engine::new(particles, enclosure(lower, upper, boundaries)?, settings)?),
            3 => Self::Three(Engine::new(particles, enclosure(lower, upper, boundaries)?, settings)?),
            found => return Err(Error::BadDimension { found, expected: "from 1 to 3" }),
        })
    }

    /// Dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.particles().dim()
    }

    /// As [`Engine::run`].
    pub fn run(&mut self, limit: Limit) -> Result<Stop> {
        with!(self, engine => engine.run(limit))
    }

    /// As [`Engine::run_observed`]; normals are extended by zeros.
    pub fn run_observed(
        &mut self,
        limit: Limit,
        observer: &mut dyn FnMut(&Event<3>) -> ControlFlow<()>,
    ) -> Result<Stop> {
        with!(self, engine => engine.run_observed(limit, &mut |event| observer(&widened(event))))
    }

    /// As [`Engine::next_event`]; the normal is extended by zeros.
    pub fn next_event(&mut self) -> Option<Event<3>> {
        with!(self, engine => engine.next_event().as_ref().map(widened))
    }

    /// As [`Engine::next_event_until`]; the normal is extended by zeros.
    pub fn next_event_until(&mut self, time: f64) -> Option<Event<3>> {
        with!(self, engine => engine.next_event_until(time).as_ref().map(widened))
    }

    /// As [`Engine::state_hash`].
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        with!(self, engine => engine.state_hash())
    }

    /// Current time, in seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        with!(self, engine => engine.time())
    }

    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        with!(self, engine => engine.len())
    }

    /// Whether there are no particles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As [`Engine::synchronise`].
    pub fn synchronise(&mut self) -> &Particles {
        with!(self, engine => engine.synchronise())
    }

    /// As [`Engine::particles`].
    #[must_use]
    pub fn particles(&self) -> &Particles {
        with!(self, engine => engine.particles())
    }

    /// As [`Engine::edit`].
    pub fn edit(&mut self, change: impl FnOnce(&mut Particles)) -> Result<()> {
        with!(self, engine => engine.edit(change))
    }

    /// As [`Engine::into_particles`].
    #[must_use]
    pub fn into_particles(self) -> Particles {
        with!(self, engine => engine.into_particles())
    }

    /// The lower corner of the box, in metres.
    #[must_use]
    pub fn lower(&self) -> &[f64] {
        with!(self, engine => &engine.enclosure().lower)
    }

    /// The upper corner of the box, in metres.
    #[must_use]
    pub fn upper(&self) -> &[f64] {
        with!(self, engine => &engine.enclosure().upper)
    }

    /// What the two faces across each axis do.
    #[must_use]
    pub fn boundaries(&self) -> &[Boundary] {
        with!(self, engine => &engine.enclosure().boundaries)
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &EventSettings {
        with!(self, engine => engine.settings())
    }

    /// As [`Engine::set_settings`].
    pub fn set_settings(&mut self, settings: EventSettings) -> Result<()> {
        with!(self, engine => engine.set_settings(settings))
    }

    /// As [`Engine::contact_duration`].
    #[must_use]
    pub fn contact_duration(&self) -> f64 {
        with!(self, engine => engine.contact_duration())
    }

    /// As [`Engine::measurements`]; the momentum is extended by zeros.
    #[must_use]
    pub fn measurements(&self) -> Measurements<3> {
        with!(self, engine => engine.measurements().widened())
    }

    /// As [`Engine::reset_measurements`].
    pub fn reset_measurements(&mut self) {
        with!(self, engine => engine.reset_measurements());
    }

    /// As [`Engine::speeds`].
    #[must_use]
    pub fn speeds(&self) -> Vec<f64> {
        with!(self, engine => engine.speeds())
    }

    /// As [`Engine::memory_bytes`].
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        with!(self, engine => engine.memory_bytes())
    }

    /// As [`Engine::save`].
    pub fn save(&self, out: &mut dyn Write) -> Result<()> {
        with!(self, engine => engine.save(out))
    }

    /// Loads an engine of any dimension that [`save`](Self::save) or [`Engine::save`] has written.
    pub fn load(input: &mut dyn Read) -> Result<Self> {
        super::snapshot::load_any(input)
    }

    /// The same from the file of this name.
    pub fn load_file(path: &Path) -> Result<Self> {
        super::snapshot::load_file(path)
    }

    /// The same from bytes in memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        super::snapshot::any_of_bytes(bytes)
    }
}

fn enclosure<const D: usize>(lower: &[f64], upper: &[f64], boundaries: &[Boundary]) -> Result<Enclosure<D>> {
    Ok(Enclosure {
        lower: array("lower", lower)?,
        upper: array("upper", upper)?,
        boundaries: array("boundaries", boundaries)?,
    })
}

fn array<T: Copy, const D: usize>(field: &'static str, values: &[T]) -> Result<[T; D]> {
    values.try_into().map_err(|_| Error::WrongLength { field, index: 0, expected: D, found: values.len() })
}

fn widened<const D: usize>(event: &Event<D>) -> Event<3> {
    Event {
        time: event.time,
        kind: event.kind,
        first: event.first,
        second: event.second,
        impulse: event.impulse,
        normal: super::measurements::padded(event.normal),
    }
}
