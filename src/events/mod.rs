//! Event-driven dynamics: balls and walls, each collision at its exact time (docs/methods/events.md).
//!
//! `execute` has the loop of a run from top to bottom: next event, response, prediction, schedule. It uses `predict` (times
//! of contact), `schedule` (plans and the event queue), `neighbours` (cells and neighbour lists) and `state`.
//!
//! An [`Engine`] takes particles, a box ([`Enclosure`]) and [`EventSettings`], and runs from collision to collision
//! without a time step.
//!
//! ```
//! use carom::events::{Engine, Enclosure, EventSettings, Limit};
//! use carom::{Field, Particle, Particles};
//!
//! let mut balls = Particles::new(1)?;
//! balls.add(&Particle::sphere(&[1.0], 0.5).with_mass(1.0).with_velocity(&[2.0]))?;
//! balls.add(&Particle::sphere(&[4.0], 0.5).with_mass(1.0))?;
//! let mut engine = Engine::new(balls, Enclosure::reflecting([0.0], [6.0]), EventSettings::default())?;
//!
//! let first = engine.next_event().expect("they collide");
//! assert_eq!((first.time, first.first, first.second), (1.0, 0, 1));
//! engine.run(Limit::until(2.0))?;
//! assert_eq!(engine.synchronise().column(Field::Position, 0)?, [3.0, 5.0]);
//! # Ok::<(), carom::Error>(())
//! ```

mod admission;
mod any;
mod enclosure;
mod engine;
mod event;
mod execute;
mod measurements;
mod neighbours;
mod predict;
mod restart;
pub mod scenes;
mod schedule;
mod settings;
mod snapshot;
mod state;

pub use any::AnyEngine;
pub use enclosure::{Boundary, Enclosure};
pub use engine::{Engine, Limit, Stop};
pub use event::{Event, EventKind};
pub use measurements::{Measurements, SpeedHistogram};
pub use settings::EventSettings;
pub use snapshot::is_saved_run;

#[cfg(test)]
mod tests;
