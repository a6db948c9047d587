//! Settings of a world: time step, forces, restitution.

use serde::{Deserialize, Serialize};

use super::integrator::Integrator;
use crate::error::{Error, Result};
use crate::particles::check;
use crate::particles::gravity::Attraction;
use crate::setters::setters;

/// Standard gravity, in metres per second squared.
pub const STANDARD_GRAVITY: f64 = 9.80665;

/// Newton's constant of gravitation, in cubic metres per kilogram and second squared.
pub const GRAVITATIONAL_CONSTANT: f64 = 6.674_083_1e-11;

/// The forces and rules of a world, in SI units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Settings {
    /// The time step that the tool and PBPhys files use, in seconds. Default 0.01.
    pub dt: f64,
    /// Down gravity g, in metres per second squared, along axis 1. Default 0; must be 0 in dimension 1.
    pub down_gravity: f64,
    /// Attraction between all particles. Default none.
    pub attraction: Attraction,
    /// Share of the approach speed that a collision gives back, from 0 to 1. Default 1.
    pub restitution: f64,
    /// Most collisions in one step before it stops with an error. Default 0: 1,000 per particle, at least 100,000.
    pub max_collisions: u64,
    /// Whether facoids and pyramidoids collide when they touch each other, in two and three dimensions only, and not when
    /// their bounding spheres do. Default false; JSON leaves it out then.
    ///
    /// It holds for [`step`](crate::World::step), [`step_to_collision`](crate::World::step_to_collision) and
    /// [`collide`](crate::World::collide). Shapes do not turn, and their velocities change along the normal of the contact
    /// ([`fmb::contact`](crate::fmb::contact)): shapes that overlap and do not approach along it do not collide. Spheroids
    /// keep their bounding spheres, also against other shapes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exact_shapes: bool,
    /// How particles move between collisions. Default [`Integrator::Euler`], the rule of PBPhys; JSON leaves it out then.
    #[serde(skip_serializing_if = "is_euler")]
    pub integrator: Integrator,
}

fn is_euler(integrator: &Integrator) -> bool {
    *integrator == Integrator::Euler
}

/// How `step` and `step_to_collision` find the pairs that may collide. The outcome is bit-identical.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum BroadPhase {
    /// All pairs for a few particles, a grid for many.
    #[default]
    Auto = 0,
    /// Every pair: simple, and slow for many particles.
    AllPairs = 1,
    /// Through a grid of cells: the cost of a step does not grow with the square of the number of particles.
    Grid = 2,
}

impl BroadPhase {
    /// Whether a grid is used for `particles` particles, if it is the faster way for `from` of them and more.
    pub(super) fn uses_grid(self, particles: usize, from: usize) -> bool {
        match self {
            Self::Auto => particles >= from,
            Self::AllPairs => false,
            Self::Grid => true,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dt: 0.01,
            down_gravity: 0.0,
            attraction: Attraction::default(),
            restitution: 1.0,
            max_collisions: 0,
            exact_shapes: false,
            integrator: Integrator::Euler,
        }
    }
}

impl Settings {
    setters! {
        /// With this time step of the tool and of PBPhys files, in seconds.
        with_dt(dt: f64);
        /// With this gravity along axis 1, in metres per second squared.
        with_down_gravity(down_gravity: f64);
        /// With this attraction between all particles.
        with_attraction(attraction: Attraction);
        /// With this coefficient of restitution, from 0 to 1.
        with_restitution(restitution: f64);
        /// With at most this number of collisions in one step.
        with_max_collisions(max_collisions: u64);
        /// With facoids and pyramidoids that collide as what they are, or as their bounding spheres.
        with_exact_shapes(exact_shapes: bool);
        /// With this rule of motion between collisions.
        with_integrator(integrator: Integrator);
    }

    /// Says which setting is bad for a world of dimension `dim`, if any.
    pub fn check(&self, dim: usize) -> Result<()> {
        check::non_negative("dt", 0, self.dt)?;
        check::finite("down_gravity", 0, self.down_gravity)?;
        check::finite("attraction.constant", 0, self.attraction.constant)?;
        check::non_negative("attraction.softening", 0, self.attraction.softening)?;
        self.attraction.law.check(dim)?;
        check::finite("restitution", 0, self.restitution)?;
        if dim == 1 && self.down_gravity != 0.0 {
            let expected = "0 in dimension 1, which has no second axis to fall along";
            return Err(Error::OutOfRange { field: "down_gravity", value: self.down_gravity, expected });
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            let expected = "from 0 to 1";
            return Err(Error::OutOfRange { field: "restitution", value: self.restitution, expected });
        }
        Ok(())
    }

    /// Whether both are the same within `tolerance`.
    #[must_use]
    pub fn is_close(&self, other: &Self, tolerance: f64) -> bool {
        let close = |a: f64, b: f64| (a - b).abs() <= tolerance;
        close(self.dt, other.dt)
            && close(self.down_gravity, other.down_gravity)
            && close(self.attraction.constant, other.attraction.constant)
            && close(self.attraction.softening, other.attraction.softening)
            && close(self.restitution, other.restitution)
            && self.attraction.law == other.attraction.law
            && self.max_collisions == other.max_collisions
            && self.exact_shapes == other.exact_shapes
            && self.integrator == other.integrator
    }

    /// The acceleration that is the same for all particles, one number per axis.
    pub(super) fn uniform_acceleration(&self, dim: usize) -> Vec<f64> {
        let mut uniform = vec![0.0; dim];
        if dim > 1 {
            uniform[1] = -self.down_gravity;
        }
        uniform
    }

    /// The bound on the collisions of one step of `particles` particles.
    pub(super) fn collision_limit(&self, particles: usize) -> u64 {
        match self.max_collisions {
            0 => (particles as u64).saturating_mul(1000).max(100_000),
            limit => limit,
        }
    }
}
