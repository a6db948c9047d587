//! `step` and `step_to_collision`: advancing with collisions.

use super::World;
use super::timeline::Timeline;
use crate::error::{Error, Result};
use crate::particles::Approach;

/// A collision, as an observer of a step sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collision<'a> {
    /// World time of the collision, in seconds.
    pub time: f64,
    /// The lower index of the pair.
    pub first: usize,
    /// The higher index of the pair.
    pub second: usize,
    /// Momentum exchanged along the line of centres, in newton seconds; never negative.
    pub impulse: f64,
    /// Unit vector from the centre of the second particle to that of the first: where the impulse pushes the first.
    pub normal: &'a [f64],
}

impl World {
    /// Advances by exactly `dt` seconds, resolving every collision in the order of time. Returns their number.
    ///
    /// If the step has more collisions than [`Settings::max_collisions`](super::Settings::max_collisions) allows, it
    /// stops with [`Error::TooManyCollisions`] at the time of the last one: the world is then valid, but earlier than
    /// asked for.
    pub fn step(&mut self, dt: f64) -> Result<u64> {
        self.step_observed(dt, &mut |_| {})
    }

    /// The same as [`step`](Self::step); `observer` sees every collision when it is resolved.
    pub fn step_observed(&mut self, dt: f64, observer: &mut dyn FnMut(&Collision)) -> Result<u64> {
        let after = self.prepare_collisions(dt)?;
        let limit = self.settings.collision_limit(self.particles.len());
        let uniform = self.settings.uniform_acceleration(self.particles.dim());
        let system = super::system(&self.settings, &uniform, &self.scratch);
        let mut timeline =
            Timeline::new(&self.particles, self.paths(), system, dt, self.settings.restitution)?;
        let start = self.time;
        let run = timeline.run(self.broad_phase, &self.context, limit, &mut |collision| {
            observer(&Collision { time: start + collision.time, ..*collision });
        })?;
        let turned = timeline.into_turned();
        self.drift(run.end);
        turned.write(&mut self.particles, run.end);
        if run.collisions == 0 {
            self.particles.expect_magnitudes(after);
        } else {
            self.particles.forget_magnitudes();
        }
        if run.stopped {
            Err(Error::TooManyCollisions { limit, time: self.time })
        } else {
            Ok(run.collisions)
        }
    }

    /// Advances to the first collision within `dt` seconds, or by `dt` if there is none.
    ///
    /// Returns the world time of the collision and the pair, which is not yet resolved: call
    /// [`collide`](Self::collide) for that. Until then the pair touches and approaches, so that another call
    /// returns it again at once.
    pub fn step_to_collision(&mut self, dt: f64) -> Result<Option<Approach>> {
        let after = self.prepare_collisions(dt)?;
        let first = self.paths().earliest(dt, &self.context);
        self.drift(first.map_or(dt, |hit| hit.time));
        self.particles.expect_magnitudes(after);
        Ok(first.map(|hit| Approach { time: self.time, ..hit }))
    }
}
