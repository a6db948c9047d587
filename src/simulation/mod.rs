//! What every kind of simulation has in common, and how one is run.
//!
//! A [`Simulation`] advances in time and shows its state: a world in time steps ([`Stepped`]), balls and walls from
//! collision to collision ([`AnyEngine`](crate::AnyEngine)), or rigid bodies ([`Rigid`], [`RigidBatch`]). [`run`] takes one to the end of a [`Plan`] and shows its
//! states and impacts to [`Sink`]s, which make tables, pictures or a progress bar of them. A sink does not depend on the
//! kind of simulation, nor a simulation on what becomes of its run.
//!
//! ```
//! use carom::events::scenes::Scene;
//! use carom::simulation::{self, End, Impact, Pace, Plan, Simulation, Sink, State};
//!
//! /// Prints a line per state and per impact.
//! struct Print;
//!
//! impl Sink for Print {
//!     fn state(&mut self, state: &State<'_>) -> carom::Result<()> {
//!         println!("t = {} s: {} J", state.time, state.totals.kinetic_energy);
//!         Ok(())
//!     }
//!
//!     fn impact(&mut self, impact: &Impact<'_>) -> carom::Result<()> {
//!         println!("t = {} s: impulse {} N s", impact.time, impact.impulse);
//!         Ok(())
//!     }
//! }
//!
//! let mut oblique: Box<dyn Simulation> = Box::new(Scene::named("oblique").expect("a ready-made scene").engine()?);
//! let plan = Plan::until(1.0).with_pace(Pace::Seconds(0.25));
//! let ran = simulation::run(&mut *oblique, plan, &mut [Box::new(Print)])?;
//! assert!(matches!(ran.end, End::Complete) && oblique.time() == 1.0);
//! # Ok::<(), carom::Error>(())
//! ```

mod clock;
mod event_driven;
mod legs;
mod quantity;
mod rigid;
mod run;
mod step_times;
mod stepped;

use std::io::Write;
use std::ops::ControlFlow;

use crate::error::Result;
use crate::events::EventKind;
use crate::particles::Particles;
use crate::rigid2d::Space;

pub use crate::events::{Limit, Stop};
pub use legs::{Pace, Plan};
pub use quantity::{Quantity, Value};
pub use rigid::{Prototype, Rigid, RigidBatch};
pub use run::{End, Progress, Ran, Sink, run};
pub use stepped::Stepped;

/// Particles or bodies that advance in time.
pub trait Simulation {
    /// Dimension of the space.
    fn dim(&self) -> usize;

    /// Current time, in seconds.
    fn time(&self) -> f64;

    /// Number of particles, or of bodies that are not static.
    fn particle_count(&self) -> usize;

    /// Advances to the limit and shows every impact to the observer, which may stop it.
    ///
    /// A simulation in time steps completes the step in which it reaches the limit or is stopped, unless it is stopped by
    /// [`Observer::within_step`]: then it is at the time of the last impact, and its next step is the rest of this one. After an
    /// error the state is valid, at the time of the last impact.
    fn advance(&mut self, limit: Limit, observer: &mut dyn Observer) -> Result<Stop>;

    /// The state at the current time.
    fn state(&mut self) -> State<'_>;

    /// What this kind of simulation measures beyond the [totals](Totals), from its start to the current time.
    fn quantities(&self) -> Vec<Quantity>;

    /// Shows the next impact, which has not happened yet, if this kind of simulation predicts it.
    fn show_next(&mut self, show: &mut dyn FnMut(&Impact<'_>)) {
        let _ = show;
    }

    /// Extension of the name of a file that [`save`](Self::save) fills, such as `carom`.
    fn extension(&self) -> &'static str;

    /// Writes everything that is needed to go on from here.
    fn save(&self, out: &mut dyn Write) -> Result<()>;
}

/// A collision of two particles, or of a particle and a wall, that has been resolved.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Impact<'a> {
    /// When it happened, in seconds.
    pub time: f64,
    /// What the first particle collided with.
    pub kind: EventKind,
    /// Row of the particle; of two particles the lower row.
    pub first: usize,
    /// Row of the second particle. For a wall the face: `2 * axis` for the lower, `2 * axis + 1` for the upper.
    pub second: usize,
    /// Momentum exchanged along the normal, in newton seconds; never negative.
    pub impulse: f64,
    /// Unit normal, from the second particle or the wall to the first particle: one number per axis.
    pub normal: &'a [f64],
}

/// Sees what happens while a simulation advances. A closure that takes an impact is one.
pub trait Observer {
    /// An impact has been resolved.
    fn impact(&mut self, impact: &Impact<'_>) -> ControlFlow<()>;

    /// A time step is in progress and has come to this time, in seconds: called after every 256 collisions of a world, and
    /// from time to time in between. A break ends the step there; other breaks let it be completed.
    fn within_step(&mut self, time: f64) -> ControlFlow<()> {
        let _ = time;
        ControlFlow::Continue(())
    }

    /// A time step has ended at this time, in seconds. Simulations without time steps have none.
    fn step(&mut self, time: f64) -> ControlFlow<()> {
        let _ = time;
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&Impact<'_>) -> ControlFlow<()>> Observer for F {
    fn impact(&mut self, impact: &Impact<'_>) -> ControlFlow<()> {
        self(impact)
    }
}

/// A simulation at one time.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct State<'a> {
    /// In seconds.
    pub time: f64,
    /// What is simulated, up to date.
    pub matter: Matter<'a>,
    /// Sums over all particles or bodies.
    pub totals: Totals,
    /// What surrounds them.
    pub surroundings: Surroundings,
}

impl<'a> State<'a> {
    /// The particles, if there are any.
    #[must_use]
    pub fn particles(&self) -> Option<&'a Particles> {
        match self.matter {
            Matter::Particles(particles) => Some(particles),
            Matter::Bodies(_) => None,
        }
    }

    /// The space of the bodies, if there are any.
    #[must_use]
    pub fn space(&self) -> Option<&'a Space> {
        match self.matter {
            Matter::Bodies(space) => Some(space),
            Matter::Particles(_) => None,
        }
    }
}

/// What is simulated.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Matter<'a> {
    /// Particles of a world or of the event-driven engine.
    Particles(&'a Particles),
    /// Rigid bodies.
    Bodies(&'a Space),
}

/// Sums over all particles or bodies.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Totals {
    /// In joules.
    pub kinetic_energy: f64,
    /// In joules; `None` if the forces have no potential.
    pub potential_energy: Option<f64>,
    /// In newton seconds, one number per axis.
    pub momentum: Vec<f64>,
    /// Collisions of two particles since the start.
    pub collisions: u64,
    /// Collisions of a particle with a wall since the start.
    pub wall_collisions: u64,
}

impl Totals {
    /// Kinetic and potential energy, in joules; `None` if the forces have no potential.
    #[must_use]
    pub fn total_energy(&self) -> Option<f64> {
        self.potential_energy.map(|potential| self.kinetic_energy + potential)
    }
}

/// What surrounds the particles of a simulation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Surroundings {
    /// The box, axis by axis; `None` along an axis that has no end.
    pub extents: Vec<Option<Extent>>,
    /// Acceleration of all particles against axis 1, in metres per second squared.
    pub down_gravity: f64,
}

/// The box along one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Extent {
    /// Coordinate of the lower face, in metres.
    pub lower: f64,
    /// Coordinate of the upper face, in metres.
    pub upper: f64,
    /// Whether a particle that leaves through one face enters through the other; otherwise faces are walls.
    pub periodic: bool,
}
