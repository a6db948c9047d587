//! The motion of a step without collisions by kicks and drifts, for integrators of second and fourth order
//! (docs/methods/particles.md, section 3.1).
//!
//! Where all particles would be at the end of the step is computed first. Collisions are then found on paths with the constant
//! acceleration that has the same displacement; particles that collide go on along such paths, all others take the end.

use super::integrator::Scheme;
use super::{Scratch, World, fit, overflow};
use crate::error::Result;
use crate::particles::gravity::{self, Attraction};
use crate::particles::integrate::System;
use crate::particles::kicks::{self, Motions};
use crate::particles::{Field, Magnitudes, Particles, check};
use crate::soa::Column;

/// What a flow computes, kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Flow {
    start: Motions,
    end: Motions,
    carried: Carried,
}

/// Attraction, and all that it depends on: it is carried from the end of a step to the start of the next, and computed again
/// if anything of that has changed meanwhile, so that the bits are those of a computation in every step.
#[derive(Debug, Default)]
struct Carried {
    attraction: Option<Attraction>,
    position: Vec<Column<f64>>,
    mass: Vec<Column<f64>>,
    forces: Vec<Column<f64>>,
}

impl Carried {
    fn holds(&self, particles: &Particles, attraction: &Attraction) -> bool {
        self.attraction.as_ref() == Some(attraction)
            && same_bits(&self.position, particles.columns(Field::Position))
            && same_bits(&self.mass, particles.columns(Field::Mass))
    }
}

fn same_bits(one: &[Column<f64>], other: &[Column<f64>]) -> bool {
    let same = |one: &Column<f64>, other: &Column<f64>| {
        one.as_slice().iter().map(|x| x.to_bits()).eq(other.as_slice().iter().map(|x| x.to_bits()))
    };
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
}

impl World {
    /// Computes where all particles are after `dt` seconds without collisions, and the accelerations of paths to there. The
    /// particles stay where they are. Returns bounds on the state on the way.
    pub(super) fn plan_flow(&mut self, scheme: &Scheme, dt: f64) -> Result<Magnitudes> {
        check::non_negative("dt", 0, dt)?;
        self.settings.check(self.particles.dim())?;
        let before = self.particles.rescan(&self.context)?;
        self.scratch.flow.start.keep(&self.particles)?;
        let arrived = self.compose(scheme, dt).and_then(|()| self.keep_end(before));
        self.scratch.flow.start.restore(&mut self.particles);
        self.particles.expect_magnitudes(before);
        arrived
    }

    /// Moves all particles to the end of the flow that has been planned.
    pub(super) fn arrive(&mut self, dt: f64) {
        self.scratch.flow.end.restore(&mut self.particles);
        self.particles.forget_magnitudes();
        self.time += dt;
    }

    fn compose(&mut self, scheme: &Scheme, dt: f64) -> Result<()> {
        let uniform = self.settings.uniform_acceleration(self.particles.dim());
        let attracts = self.settings.attraction.constant != 0.0;
        fit(&mut self.scratch.attraction, &self.particles)?;
        self.scratch.attraction.iter_mut().for_each(|column| column.as_mut_slice().fill(0.0));
        for (n, share) in scheme.kicks.iter().enumerate() {
            self.fill_forces()?;
            let Scratch { attraction, flow, .. } = &mut self.scratch;
            let forces = &flow.carried.forces;
            if attracts {
                add(attraction, forces, scheme.weight(n));
            }
            let system = System { uniform: &uniform, attraction: attracts.then_some(&forces[..]) };
            kicks::kick(&mut self.particles, &system, share * dt)?;
            if let Some(share) = scheme.drifts.get(n) {
                kicks::drift(&mut self.particles, share * dt);
            }
        }
        Ok(())
    }

    /// Fills the carried attraction for the present positions, unless it is that already.
    fn fill_forces(&mut self) -> Result<()> {
        let attraction = self.settings.attraction;
        let carried = &mut self.scratch.flow.carried;
        if attraction.constant == 0.0 || carried.holds(&self.particles, &attraction) {
            return Ok(());
        }
        carried.attraction = None;
        fit(&mut carried.forces, &self.particles)?;
        gravity::attraction(&self.particles, &attraction, &self.context, &mut carried.forces)?;
        for column in &carried.forces {
            check::column_magnitude("attraction", column, &self.context)?;
        }
        kicks::copy(self.particles.columns(Field::Position), &mut carried.position)?;
        kicks::copy(self.particles.columns(Field::Mass), &mut carried.mass)?;
        carried.attraction = Some(attraction);
        Ok(())
    }

    /// Keeps the end, which must be within range, and returns bounds on start and end.
    fn keep_end(&mut self, before: Magnitudes) -> Result<Magnitudes> {
        let after = self.particles.rescan(&self.context)?;
        overflow::check(&after)?;
        self.scratch.flow.end.keep(&self.particles)?;
        let position = before.position.max(after.position);
        Ok(Magnitudes { position, velocity: before.velocity.max(after.velocity), ..after })
    }
}

fn add(to: &mut [Column<f64>], from: &[Column<f64>], weight: f64) {
    for (to, from) in to.iter_mut().zip(from) {
        for (to, from) in to.as_mut_slice().iter_mut().zip(from.as_slice()) {
            *to += weight * from;
        }
    }
}
