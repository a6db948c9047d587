//! What is shown: balls, a world or rigid bodies. How each starts, is saved and changes.

mod balls;
mod bodies;
mod places;
mod world;

use carom::events::AnyEngine;
use carom::events::scenes::Scene;
use carom::rigid2d::{Space, SpaceFormat};
use carom::simulation::{Rigid, Simulation, Stepped};
use carom::{Error, Particles};

use super::command::Command;
use crate::cli::sim::source::{Source, Subject};
use crate::cli::{Failure, Result};

/// What is simulated, at its present time.
pub(super) enum Matter {
    Balls(AnyEngine),
    World(Stepped),
    Bodies(Rigid),
}

/// What a run starts from.
pub(super) struct Start {
    pub(super) name: String,
    pub(super) description: String,
    /// When it starts, in seconds.
    pub(super) time: f64,
    /// Suggested end, in seconds.
    pub(super) until: f64,
    /// Options that `carom sim` needs beside the file.
    pub(super) options: String,
    pub(super) origin: Origin,
}

/// The state at the start of a run.
pub(super) enum Origin {
    Scene(Box<Scene>),
    /// The bytes of a saved run.
    Run(Vec<u8>),
    World(Box<Stepped>),
    /// The bytes of a saved space, and the time step in seconds.
    Space(Vec<u8>, f64),
}

/// A state to return to.
pub(super) enum Snapshot {
    Bytes(Vec<u8>),
    World(Box<Stepped>),
}

/// Why a command was refused, and which of its fields is to blame.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) field: Option<&'static str>,
}

impl Refusal {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), field: None }
    }

    pub(super) fn at(field: &'static str, message: impl Into<String>) -> Self {
        Self { message: message.into(), field: Some(field) }
    }

    /// The engine's own words. `blamed` is the field of an error about two balls or a ball and the box.
    pub(super) fn of(error: &Error, blamed: Option<&'static str>) -> Self {
        let field = match error {
            Error::NotFinite { field, .. }
            | Error::Negative { field, .. }
            | Error::OutOfRange { field, .. }
            | Error::WrongLength { field, .. }
            | Error::Overflow { field, .. }
            | Error::Fixed { field, .. }
            | Error::NotDynamic { field, .. } => Some(*field),
            Error::Overlap { .. } | Error::OutsideBox { .. } => blamed,
            _ => None,
        };
        let field = match field {
            Some("down_gravity") => Some("gravity"),
            Some("attraction.constant") => Some("attraction"),
            Some("attraction.softening") => Some("softening"),
            Some("attraction.opening") => Some("opening"),
            Some("angular velocity") => Some("angular_velocity"),
            other => other,
        };
        Self { message: error.to_string(), field }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::of(&error, None)
    }
}

/// What a change did.
#[derive(Debug, PartialEq)]
pub(super) enum Done {
    /// This ball was added.
    Ball(usize),
    Changed,
}

impl Start {
    /// What `carom sim` would run, and its matter.
    pub(super) fn of_source(source: Source) -> Result<(Self, Matter)> {
        let Source { name, description, subject, until, options, .. } = source;
        let (origin, matter) = match subject {
            Subject::Balls(mut engine) => {
                let is_saved_run = engine.time() != 0.0 || engine.measurements().collisions > 0;
                let origin = if is_saved_run {
                    Origin::Run(saved(|out| engine.save(out))?)
                } else {
                    Origin::Scene(Box::new(Scene::of_engine(&name, &mut engine)))
                };
                (origin, Matter::Balls(engine))
            }
            Subject::World(stepped) => {
                if stepped.dim() > 3 {
                    let dim = stepped.dim();
                    return Err(Failure(format!(
                        "a world of dimension {dim} cannot be shown: it must be 1, 2 or 3"
                    )));
                }
                (Origin::World(Box::new(stepped.clone())), Matter::World(stepped))
            }
            Subject::Bodies(rigid) => {
                let bytes = saved(|out| rigid.space().save_as(SpaceFormat::Snapshot, out))?;
                (Origin::Space(bytes, rigid.dt()), Matter::Bodies(rigid))
            }
            Subject::Spaces(_) => {
                return Err(Failure("--spaces: the view shows one space; leave it out".into()));
            }
        };
        let time = matter.time();
        Ok((Self { name, description, time, until, options, origin }, matter))
    }

    /// The matter as it is at the start.
    pub(super) fn matter(&self) -> carom::Result<Matter> {
        Ok(match &self.origin {
            Origin::Scene(scene) => Matter::Balls(scene.engine()?),
            Origin::Run(bytes) => Matter::Balls(AnyEngine::from_bytes(bytes)?),
            Origin::World(stepped) => Matter::World((**stepped).clone()),
            Origin::Space(bytes, dt) => Matter::Bodies(Rigid::new(Space::from_bytes(bytes)?, *dt)?),
        })
    }

    /// The matter of a snapshot of this run.
    pub(super) fn restore(&self, snapshot: &Snapshot) -> carom::Result<Matter> {
        Ok(match (snapshot, &self.origin) {
            (Snapshot::World(stepped), _) => Matter::World((**stepped).clone()),
            (Snapshot::Bytes(bytes), Origin::Space(_, dt)) => {
                Matter::Bodies(Rigid::new(Space::from_bytes(bytes)?, *dt)?)
            }
            (Snapshot::Bytes(bytes), _) => Matter::Balls(AnyEngine::from_bytes(bytes)?),
        })
    }

    /// Bytes of memory, about.
    pub(super) fn bytes(&self) -> usize {
        match &self.origin {
            Origin::Scene(scene) => scene.particles.memory_bytes(),
            Origin::World(stepped) => stepped.world().particles().memory_bytes(),
            Origin::Run(bytes) | Origin::Space(bytes, _) => bytes.len(),
        }
    }
}

impl Snapshot {
    /// Bytes of memory, about.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::World(stepped) => stepped.world().particles().memory_bytes(),
        }
    }
}

impl Matter {
    pub(super) fn simulation(&mut self) -> &mut dyn Simulation {
        match self {
            Self::Balls(engine) => engine,
            Self::World(stepped) => stepped,
            Self::Bodies(rigid) => rigid,
        }
    }

    /// The number of the kind in binary messages, and its name in JSON.
    pub(super) fn kind(&self) -> (u8, &'static str) {
        match self {
            Self::Balls(_) => (0, "balls"),
            Self::World(_) => (1, "world"),
            Self::Bodies(_) => (2, "bodies"),
        }
    }

    pub(super) fn time(&self) -> f64 {
        match self {
            Self::Balls(engine) => engine.time(),
            Self::World(stepped) => stepped.time(),
            Self::Bodies(rigid) => rigid.time(),
        }
    }

    pub(super) fn dim(&self) -> usize {
        match self {
            Self::Balls(engine) => engine.dim(),
            Self::World(stepped) => stepped.dim(),
            Self::Bodies(_) => 2,
        }
    }

    /// Number of balls, or of bodies with the static ones.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Balls(engine) => engine.len(),
            Self::World(stepped) => stepped.world().particles().len(),
            Self::Bodies(rigid) => rigid.space().body_count(),
        }
    }

    /// The step of what advances in time steps, in seconds.
    pub(super) fn dt(&self) -> Option<f64> {
        match self {
            Self::Balls(_) => None,
            Self::World(stepped) => Some(stepped.dt()),
            Self::Bodies(rigid) => Some(rigid.dt()),
        }
    }

    /// The particles at the present time; `None` for bodies.
    pub(super) fn particles(&mut self) -> Option<&Particles> {
        match self {
            Self::Balls(engine) => Some(engine.synchronise()),
            Self::World(stepped) => Some(stepped.world().particles()),
            Self::Bodies(_) => None,
        }
    }

    /// No collisions yet, one number per ball; bodies are not counted.
    pub(super) fn no_counts(&self) -> Vec<u32> {
        if matches!(self, Self::Bodies(_)) { Vec::new() } else { vec![0; self.count()] }
    }

    pub(super) fn state_hash(&self) -> u64 {
        match self {
            Self::Balls(engine) => engine.state_hash(),
            Self::World(stepped) => stepped.world().particles().state_hash(),
            Self::Bodies(rigid) => rigid.space().state_hash(),
        }
    }

    pub(super) fn snapshot(&self) -> carom::Result<Snapshot> {
        Ok(match self {
            Self::Balls(engine) => Snapshot::Bytes(saved(|out| engine.save(out))?),
            Self::World(stepped) => Snapshot::World(Box::new(stepped.clone())),
            Self::Bodies(rigid) => {
                Snapshot::Bytes(saved(|out| rigid.space().save_as(SpaceFormat::Snapshot, out))?)
            }
        })
    }

    /// The start of a new run: this state with a change, or why the change is refused.
    pub(super) fn changed(
        &mut self,
        start: &Start,
        command: &Command,
    ) -> std::result::Result<(Start, Self, Done), Refusal> {
        match self {
            Self::Balls(engine) => balls::changed(engine, start, command),
            Self::World(stepped) => world::changed(stepped, start, command),
            Self::Bodies(rigid) => bodies::changed(rigid, start, command),
        }
    }
}

/// What a function writes.
pub(super) fn saved(write: impl FnOnce(&mut Vec<u8>) -> carom::Result<()>) -> carom::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    Ok(bytes)
}
