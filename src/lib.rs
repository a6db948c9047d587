//! carom: a data-oriented, parallel batch simulator of colliding particles and frames.
//!
//! Particles are stored in columns ([`Particles`]); SIMD kernels integrate their motion, compute their attraction and
//! find their collisions; a [`World`] steps them through time. Frames ([`Frames`]) are tested for intersection by [`fmb`].
//! The same input gives the same bits for any number of threads and for every CPU.
//!
//! ```
//! use carom::{Particle, World};
//!
//! let mut world = World::new(2)?;
//! let particles = world.particles_mut();
//! particles.add(&Particle::sphere(&[0.0, 0.0], 0.5).with_mass(1.0).with_velocity(&[1.0, 0.0]))?;
//! particles.add(&Particle::sphere(&[3.0, 0.0], 0.5).with_mass(1.0).with_velocity(&[-1.0, 0.0]))?;
//!
//! // Advance by two seconds; every collision is resolved and passed to the observer.
//! let mut seen = Vec::new();
//! world.step_observed(2.0, &mut |collision| seen.push((collision.time, collision.impulse)))?;
//! assert_eq!(seen, [(1.0, 2.0)]);
//! assert_eq!(world.kinetic_energy(), 1.0);
//! # Ok::<(), carom::Error>(())
//! ```
//!
//! # Where things are
//!
//! | module | content |
//! |---|---|
//! | [`soa`] | columns, lane blocks, work over threads |
//! | [`geometry`] | vectors and the axis-aligned box |
//! | [`particles`] | the store and its kernels: motion, gravity, time to collision, totals |
//! | [`frames`] | parallelograms, triangles, parallelepipeds and tetrahedra, resting or moving |
//! | [`fmb`] | which frames intersect, and where, by Fourier-Motzkin elimination |
//! | [`sat`] | the separating axis test, to compare FMB with |
//! | [`broad`] | candidate pairs of bounding boxes |
//! | [`world`] | time stepping |
//! | [`events`] | balls and walls from collision to collision, without a time step |
//! | [`simulation`] | what both have in common, and how a simulation is run: plan, sinks |
//! | [`study`] | Monte Carlo studies: many replicas, with intervals |
//! | [`io`] | worlds in files: JSON, PBPhys JSON, binary snapshot; printing |
//! | [`cpu`] | whether this CPU can run this build |
//! | `capi` | the C ABI, with the feature of that name |
//! | [`error`] | [`Error`] and its stable codes |

pub mod broad;
#[cfg(feature = "capi")]
pub mod capi;
mod contact;
pub mod cpu;
mod document;
pub mod error;
pub mod events;
pub mod fmb;
pub mod frames;
pub mod geometry;
pub mod io;
pub mod particles;
pub mod sat;
mod sealed;
pub mod simulation;
pub mod soa;
pub mod study;
pub mod world;

pub use contact::Response;
pub use error::{Error, IoError, Result};
pub use events::{
    AnyEngine, Boundary, Enclosure, Engine, Event, EventKind, EventSettings, Limit, Measurements, Stop,
};
pub use frames::{Frame, FrameField, FrameKind, Frames};
pub use geometry::Aabb;
pub use particles::gravity::{Attraction, AttractionLaw};
pub use particles::store::MAX_DIM;
pub use particles::{Approach, Batch, Field, Particle, Particles, Shape, ShapeKind};
pub use soa::Context;
pub use world::settings::{GRAVITATIONAL_CONSTANT, STANDARD_GRAVITY};
pub use world::{BroadPhase, Collision, Settings, World};

/// The program in the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The program in the guide to studies runs as a test, too.
#[cfg(doctest)]
#[doc = include_str!("../docs/studies.md")]
struct Studies;
