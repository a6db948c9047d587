//! carom: a data-oriented, parallel batch simulator of colliding particles and frames.
//!
//! | what | type |
//! |---|---|
//! | particles of any dimension, in time steps, with every collision within a step | [`Particles`], [`World`] |
//! | balls and walls from collision to collision, without a time step | [`Engine`], [`events::scenes`] |
//! | which parallelograms, triangles, parallelepipeds and tetrahedra intersect, when and where | [`Frames`], [`fmb`] |
//! | Monte Carlo studies of all of these, with confidence intervals | [`study`] |
//!
//! Objects of one kind are stored together, one column per field and axis, and SIMD kernels work on whole columns. The same
//! input gives the same bits for any number of threads and on every CPU: one build uses the instructions that the CPU has
//! ([`Level`]). All quantities are in SI units. Errors name the field and the index, and what returns an error has changed nothing
//! unless its documentation says so.
//!
//! Three guides follow: for [engines](#for-engine-programmers), for [studies](#for-researchers) and for [measurements of
//! FMB](#for-measurements-of-fmb). The folder `examples` of the source has a commented program for each of particles, frames,
//! events and a study, `ARCHITECTURE.md` shows the way through the code, and `docs/methods` has the mathematics.
//!
//! # For engine programmers
//!
//! In C and C++ carom is a library with the header `carom.h`, which documents every function, threads and ownership;
//! `packaging/install.sh` installs it for pkg-config and CMake. In Rust it is this crate, with `default-features = false` if
//! neither the C ABI nor the tool is needed.
//!
//! A [`World`] has a store of particles and steps it. Collisions are resolved at their own times, whatever the length of the
//! step:
//!
//! ```
//! use carom::{Context, Field, Particle, World};
//!
//! let mut world = World::new(2)?;
//! world.set_context(Context::with_threads(2)?); // otherwise the calling thread does all the work
//! let particles = world.particles_mut();
//! particles.add(&Particle::sphere(&[0.0, 0.0], 0.5).with_mass(1.0).with_velocity(&[1.0, 0.0]))?;
//! particles.add(&Particle::sphere(&[3.0, 0.0], 0.5).with_mass(1.0).with_velocity(&[-1.0, 0.0]))?;
//!
//! let mut seen = Vec::new();
//! world.step_observed(2.0, &mut |collision| seen.push((collision.time, collision.impulse)))?;
//! assert_eq!(seen, [(1.0, 2.0)]);
//! assert_eq!(world.kinetic_energy(), 1.0);
//!
//! // A column is a slice; renderers and other libraries read it without a copy.
//! let x: &[f64] = world.particles().column(Field::Position, 0)?;
//! assert_eq!(x, [0.0, 3.0]);
//! # Ok::<(), carom::Error>(())
//! ```
//!
//! An [`Engine`] has no time step at all: it is exact for balls between walls, and its cost per collision does not grow with
//! the number of balls.
//!
//! ```
//! use carom::{Enclosure, Engine, EventSettings, Limit, Particle, Particles};
//!
//! let mut particles = Particles::new(2)?;
//! particles.add(&Particle::sphere(&[2.0, 5.0], 1.0).with_mass(1.0).with_velocity(&[4.0, 0.0]))?;
//! particles.add(&Particle::sphere(&[8.0, 5.0], 1.0).with_mass(1.0))?;
//!
//! let table = Enclosure::reflecting([0.0, 0.0], [10.0, 10.0]);
//! let mut engine = Engine::new(particles, table, EventSettings::default())?;
//! let first = engine.next_event().expect("the balls will collide");
//! assert_eq!((first.time, first.first, first.second), (1.0, 0, 1));
//! engine.run(Limit::until(10.0))?;
//! assert!(engine.measurements().collisions > 1);
//! # Ok::<(), carom::Error>(())
//! ```
//!
//! [`simulation`] runs either of them with the same code and shows the run to sinks; [`io`] saves worlds, and
//! [`Engine::save`] saves a run.
//!
//! # For researchers
//!
//! A study file says what is sampled, what is run and what is measured; `carom run FILE` runs it, `carom new NAME` writes
//! one to start from, and the page `docs/studies.md` has all keys. From Rust:
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use carom::study::{self, RunOptions, Study};
//!
//! let mut study = Study::from_toml(
//!     r#"
//!     kind = "frames"
//!     replicas = 2000
//!     measure = ["hit"]
//!
//!     [frames]
//!     dimension = 2
//!     "#,
//!     None,
//! )?;
//! study.seed = 7; // the same seed gives the same bits on any number of threads
//!
//! let outcome = study::run(&study, &RunOptions::default(), &mut |_| ControlFlow::Continue(()))?;
//! let estimate = &outcome.state.summary(&study).points[0].estimates[0];
//! let [low, value, high] = [estimate.low, estimate.value, estimate.high].map(|x| x.expect("2000 replicas"));
//! assert!(0.0 < low && low < value && value < high && high < 1.0);
//! # Ok::<(), carom::Error>(())
//! ```
//!
//! A run can be interrupted, resumed from its checkpoint ([`RunOptions::checkpoint`](study::RunOptions)), divided into
//! [shards](study::Shard) and [merged](study::merge), and any replica can be [run again alone](study::Study::replay).
//!
//! # For measurements of FMB
//!
//! [`fmb::Intersections`] tests many pairs at once, [`fmb::intersects`] one; both are exact. [`fmb::reference`] is the
//! algorithm as its paper has it, and [`sat`] its rival; [`frames::random`] draws the frames of the paper. `carom fmb validate`,
//! `qualify` and `bench` compare and time them.
//!
//! ```
//! use carom::fmb::{Intersections, Pairs, ReferenceTest, Request};
//! use carom::frames::random::RandomFrames;
//! use carom::{Context, Frames, sat};
//!
//! let mut random = RandomFrames::new(1);
//! let pairs: Vec<[carom::Frame<3>; 2]> = (0..500).map(|_| random.pair(false)).collect();
//! let (mut a, mut b) = (Frames::resting(), Frames::resting());
//! for pair in &pairs {
//!     a.add(&pair[0])?;
//!     b.add(&pair[1])?;
//! }
//! let mut found = Intersections::new(Request::COUNT);
//! found.test(&Context::serial(), &a, &b, Pairs::Paired)?;
//!
//! let mut reference = ReferenceTest::new();
//! let by_paper = pairs.iter().filter(|[a, b]| reference.test(a, b, None).is_some()).count();
//! let by_sat = pairs.iter().filter(|[a, b]| sat::intersects(a, b, None)).count();
//! assert_eq!([found.hits(), found.hits()], [by_paper, by_sat]);
//! # Ok::<(), carom::Error>(())
//! ```
//!
//! # Modules
//!
//! Each uses only those above it.
//!
//! | module | what is in it |
//! |---|---|
//! | [`error`] | the error type |
//! | [`soa`] | columns, blocks of lanes, levels of instructions, work split over threads |
//! | [`geometry`] | the plane: vectors, rotations, poses, affine maps; the axis-aligned box |
//! | [`particles`] | the store of particles and its kernels: motion, gravity, time of contact, totals |
//! | [`frames`] | the store of parallelograms, triangles, parallelepipeds and tetrahedra, at rest or moving |
//! | [`fmb`] | which frames intersect, when and where, by Fourier-Motzkin elimination |
//! | [`sat`] | the separating axis test, FMB's rival |
//! | [`broad`] | candidate pairs of boxes and frames; a tree of boxes |
//! | [`world`] | particles in time steps |
//! | [`events`] | balls and walls from collision to collision, without a time step |
//! | [`rigid2d`] | rigid bodies in the plane: one space, or thousands at once |
//! | [`io`] | worlds in files: JSON, PBPhys's JSON, binary snapshot; printing |
//! | [`simulation`] | what worlds and engines have in common, and how one is run: plan, sinks |
//! | [`study`] | Monte Carlo studies |
//! | `capi` | the C ABI, with the feature of this name |

pub mod broad;
#[cfg(feature = "capi")]
pub mod capi;
mod contact;
mod document;
pub mod error;
pub mod events;
pub mod fmb;
pub mod frames;
pub mod geometry;
pub mod input;
pub mod io;
pub mod particles;
mod random;
pub mod rigid2d;
pub mod sat;
mod sealed;
mod setters;
pub mod simulation;
pub mod soa;
pub mod study;
pub mod world;

pub use contact::Response;
pub use document::nearest as nearest_name;
pub use error::{Error, IoError, Result};
pub use events::{
    AnyEngine, Boundary, Enclosure, Engine, Event, EventKind, EventSettings, Limit, Measurements, Stop,
};
pub use frames::{Frame, FrameField, FrameKind, Frames};
pub use geometry::Aabb;
pub use particles::gravity::{Attraction, AttractionLaw};
pub use particles::store::MAX_DIM;
pub use particles::{Approach, Batch, Field, Particle, Particles, Shape, ShapeKind};
pub use soa::{Context, Level};
pub use world::settings::{GRAVITATIONAL_CONSTANT, STANDARD_GRAVITY};
pub use world::{BroadPhase, Collision, Integrator, Settings, World};

/// The program in the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The program in the guide to studies runs as a test, too.
#[cfg(doctest)]
#[doc = include_str!("../docs/studies.md")]
struct Studies;

/// And so do those in the guide to rigid bodies.
#[cfg(doctest)]
#[doc = include_str!("../docs/rigid2d.md")]
struct RigidBodies;
