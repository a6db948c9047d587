//! Kicks and drifts: the two motions that an integrator of higher order is made of (docs/methods/particles.md, section 3.1).
//!
//! A kick changes velocities in a time without moving anything, a drift moves everything with the velocities it has. Both are
//! solved exactly, drag included. Particles that are fixed keep still.

use super::integrate::System;
use super::store::Particles;
use crate::error::Result;
use crate::soa::Column;
use crate::soa::block::{Doubles, LANES, Quantity};
use crate::soa::functions::{exp, polynomial};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

/// The numbers of a block.
type Quad = [f64; LANES];

/// Positions and velocities of all particles, beside those in the columns.
#[derive(Debug, Default)]
pub(crate) struct Motions {
    position: Vec<Column<f64>>,
    velocity: Vec<Column<f64>>,
}

impl Motions {
    /// Copies those of the particles.
    pub(crate) fn keep(&mut self, particles: &Particles) -> Result<()> {
        copy(&particles.position, &mut self.position)?;
        copy(&particles.velocity, &mut self.velocity)
    }

    /// Writes them into the columns of the same particles, which stay where they are in memory.
    pub(crate) fn restore(&self, particles: &mut Particles) {
        let (position, velocity) = (&mut particles.position, &mut particles.velocity);
        for (to, from) in
            position.iter_mut().zip(&self.position).chain(velocity.iter_mut().zip(&self.velocity))
        {
            to.as_mut_slice().copy_from_slice(from.as_slice());
        }
    }
}

/// Copies columns, one per axis.
pub(crate) fn copy(from: &[Column<f64>], to: &mut Vec<Column<f64>>) -> Result<()> {
    to.resize_with(from.len(), || Column::new(0.0));
    for (to, from) in to.iter_mut().zip(from) {
        to.resize(from.len(), 0.0)?;
        to.as_mut_slice().copy_from_slice(from.as_slice());
    }
    Ok(())
}

/// Moves all particles for `time` seconds, which may be negative, with the velocities they have.
pub(crate) fn drift(particles: &mut Particles, time: f64) {
    for (position, velocity) in particles.position.iter_mut().zip(&particles.velocity) {
        let fixed = particles.fixed.as_slice();
        for ((x, &v), &fixed) in position.as_mut_slice().iter_mut().zip(velocity.as_slice()).zip(fixed) {
            *x = if fixed != 0 { *x } else { *x + v * time };
        }
    }
}

/// Changes the velocities of all particles by `time` seconds of their accelerations, which may be negative:
/// `v' = v exp(-k t) + a (1 - exp(-k t)) / k`, and without drag `v' = v + a t`.
pub(crate) fn kick(particles: &mut Particles, system: &System, time: f64) -> Result<()> {
    let drags = particles.drag.as_slice().iter().any(|&drag| drag != 0.0);
    let decay = drags.then(|| Decay::new(&particles.drag, time)).transpose()?;
    for axis in 0..particles.dim() {
        let user = particles.acceleration[axis].as_slice();
        let fixed = particles.fixed.as_slice();
        for (i, v) in particles.velocity[axis].as_mut_slice().iter_mut().enumerate() {
            let acceleration = user[i] + system.at(axis, i);
            let faster = match &decay {
                Some(Decay { left, reach }) => *v * left.as_slice()[i] + acceleration * reach.as_slice()[i],
                None => *v + acceleration * time,
            };
            *v = if fixed[i] != 0 { *v } else { faster };
        }
    }
    Ok(())
}

/// What drag leaves of a velocity after a time, and for how long an acceleration seems to have acted.
struct Decay {
    /// `exp(-k t)`.
    left: Column<f64>,
    /// `(1 - exp(-k t)) / k`, in seconds.
    reach: Column<f64>,
}

impl Decay {
    fn new(drag: &Column<f64>, time: f64) -> Result<Self> {
        let (mut left, mut reach) = (Column::zeros(drag.len())?, Column::zeros(drag.len())?);
        level::run(Decays { drag: drag.quads(), time, left: left.quads_mut(), reach: reach.quads_mut() });
        Ok(Self { left, reach })
    }
}

struct Decays<'a> {
    drag: &'a [Quad],
    time: f64,
    left: &'a mut [Quad],
    reach: &'a mut [Quad],
}

/// The largest exponent of a decay: beyond it nothing is left.
const LARGEST: f64 = 700.0;

impl Kernel for Decays<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let time = S::Block::splat(self.time);
        let (least, most) = (S::Block::splat(-LARGEST), S::Block::splat(LARGEST));
        let (left, reach) = (S::Block::of_quads_mut(self.left), S::Block::of_quads_mut(self.reach));
        for (i, &drag) in S::Block::of_quads(self.drag).iter().enumerate() {
            let exponent = drag * time;
            left[i] = exp(S::Block::ZERO - exponent.max(least).min(most));
            reach[i] = time * mean_decay(exponent, left[i]);
        }
    }
}

/// `(1 - exp(-x)) / x`, given `exp(-x)`; for small x its series, where the difference would cancel.
#[inline(always)]
fn mean_decay<B: Doubles>(x: B, left: B) -> B {
    let series = polynomial(
        x,
        [
            1.0,
            -1.0 / 2.0,
            1.0 / 6.0,
            -1.0 / 24.0,
            1.0 / 120.0,
            -1.0 / 720.0,
            1.0 / 5040.0,
            -1.0 / 40320.0,
            1.0 / 362_880.0,
            -1.0 / 3_628_800.0,
            1.0 / 39_916_800.0,
        ],
    );
    let is_small = x.abs().lt(B::splat(0.25));
    is_small.select(series, (B::ONE - left) / x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::{Field, Particle};

    fn kicked(drag: f64, velocity: f64, acceleration: f64, time: f64) -> f64 {
        let mut particles = Particles::new(1).unwrap();
        let free = Particle::sphere(&[1.0], 0.5).with_velocity(&[velocity]).with_drag(drag);
        particles.add_many(&[free, Particle::sphere(&[2.0], 0.5).fixed()]).unwrap();
        kick(&mut particles, &System { uniform: &[acceleration], attraction: None }, time).unwrap();
        assert_eq!(particles.column(Field::Velocity, 0).unwrap()[1], 0.0, "a fixed one is not kicked");
        particles.column(Field::Velocity, 0).unwrap()[0]
    }

    #[test]
    fn kicks_solve_the_equation_with_drag() {
        assert_eq!(kicked(0.0, 3.0, 2.0, 0.5), 4.0);
        for drag in [1e-9_f64, 0.3, 0.49, 0.51, 2.0, 40.0] {
            for time in [0.5_f64, -0.5] {
                let expected = 3.0 * (-drag * time).exp() - 2.0 * (-drag * time).exp_m1() / drag;
                let found = kicked(drag, 3.0, 2.0, time);
                assert!(
                    (found - expected).abs() <= 1e-14 * expected.abs(),
                    "{drag} {time}: {found} {expected}"
                );
            }
        }
        assert!((kicked(1e6, 3.0, 2e6, 1.0) - 2.0).abs() < 1e-12, "the end velocity");
    }

    #[test]
    fn drifts_move_what_is_free() {
        let mut particles = Particles::new(2).unwrap();
        let free = Particle::sphere(&[1.0, 1.0], 0.5).with_velocity(&[2.0, -4.0]);
        particles.add_many(&[free, Particle::sphere(&[9.0, 9.0], 0.5).fixed()]).unwrap();
        let mut start = Motions::default();
        start.keep(&particles).unwrap();
        drift(&mut particles, -0.5);
        assert_eq!(particles.values(Field::Position, 0..2).unwrap(), [0.0, 3.0, 9.0, 9.0]);
        start.restore(&mut particles);
        assert_eq!(particles.values(Field::Position, 0..2).unwrap(), [1.0, 1.0, 9.0, 9.0]);
    }
}
