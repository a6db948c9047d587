//! Event-driven dynamics: balls and walls, each collision at its exact time (SPEC section 3).
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
//! let first = engine.next_event().expect("they meet");
//! assert_eq!((first.time, first.first, first.second), (1.0, 0, 1));
//! engine.run(Limit::until(2.0))?;
//! assert_eq!(engine.synchronise().column(Field::Position, 0)?, [3.0, 5.0]);
//! # Ok::<(), carom::Error>(())
//! ```

mod admission;
pub mod any;
pub mod enclosure;
pub mod engine;
pub mod event;
mod execute;
pub mod measurements;
mod neighbours;
mod predict;
mod respond;
mod restart;
pub mod scenes;
mod schedule;
pub mod settings;
pub mod snapshot;
mod state;

pub use any::AnyEngine;
pub use enclosure::{Boundary, Enclosure};
pub use engine::{Engine, Limit, Stop};
pub use event::{Event, EventKind};
pub use measurements::{Measurements, SpeedHistogram};
pub use settings::EventSettings;

#[cfg(test)]
mod tests;
