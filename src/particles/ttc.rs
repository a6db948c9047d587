//! Time to collision of particles that move linearly (SPEC section 1, PBPhys equations 4 to 6).

use super::store::Particles;
use crate::soa::{Column, Context};

/// The collision of a pair that has been found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// When it happens, in seconds; the function that returns it says from when.
    pub time: f64,
    /// The lower index of the pair.
    pub first: usize,
    /// The higher index of the pair.
    pub second: usize,
}

/// Straight paths: where every particle is now and its velocity.
#[derive(Debug, Clone, Copy)]
pub struct Paths<'a> {
    /// Centres in metres, one column an axis.
    pub position: &'a [Column<f64>],
    /// Velocities W in metres per second, one column an axis.
    pub velocity: &'a [Column<f64>],
    /// Bounding radii in metres; NaN, with which nothing collides, for tracers and in the padding.
    pub reach: &'a Column<f64>,
}

/// The column [`Paths::reach`] needs: the radius of every particle that collides, NaN for tracers.
pub fn fill_reach(particles: &Particles, reach: &mut Column<f64>) {
    let rows =
        reach.as_mut_slice().iter_mut().zip(particles.radius.as_slice()).zip(particles.mass.as_slice());
    for ((reach, &radius), &mass) in rows {
        *reach = if mass > 0.0 { radius } else { f64::NAN };
    }
}

/// Smaller root of `a t^2 + 2 b t + c = 0` in `[0, horizon]` for an approaching pair (b < 0), without cancellation.
///
/// 0 if the pair already overlaps (c <= 0) and approaches; infinity if there is no such root or a number is NaN.
#[inline(always)]
#[must_use]
pub fn hit_time(a: f64, b: f64, c: f64, horizon: f64) -> f64 {
    if b.is_nan() || b >= 0.0 {
        return f64::INFINITY;
    }
    if c <= 0.0 {
        return 0.0;
    }
    let discriminant = b * b - a * c;
    if discriminant.is_nan() || discriminant < 0.0 {
        return f64::INFINITY;
    }
    let time = c / (-b + discriminant.sqrt());
    if time <= horizon { time } else { f64::INFINITY }
}

impl Paths<'_> {
    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.reach.len()
    }

    /// Whether there are no particles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time to collision of one pair within `horizon` seconds, infinity if there is none. The scalar twin of all
    /// kernels here.
    #[must_use]
    pub fn pair(&self, i: usize, j: usize, horizon: f64) -> f64 {
        let (mut a, mut b, mut square) = (0.0, 0.0, 0.0);
        for (position, velocity) in self.position.iter().zip(self.velocity) {
            let (position, velocity) = (position.as_slice(), velocity.as_slice());
            let d = position[i] - position[j];
            let w = velocity[i] - velocity[j];
            a += w * w;
            b += d * w;
            square += d * d;
        }
        let touch = self.reach.as_slice()[i] + self.reach.as_slice()[j];
        hit_time(a, b, square - touch * touch, horizon)
    }

    /// Times to collision of particle `i` with every particle, infinity for none and for itself.
    pub fn one_against_all(&self, i: usize, horizon: f64, out: &mut [f64]) {
        for (j, out) in out.iter_mut().enumerate() {
            *out = if i == j { f64::INFINITY } else { self.pair(i, j, horizon) };
        }
    }

    /// Times to collision of the listed pairs, infinity for none.
    pub fn listed(&self, pairs: &[[usize; 2]], horizon: f64, _context: &Context, out: &mut [f64]) {
        for (out, &[i, j]) in out.iter_mut().zip(pairs) {
            *out = self.pair(i, j, horizon);
        }
    }

    /// The earliest collision over all pairs within `horizon` seconds; ties go to the smaller pair (i, j).
    #[must_use]
    pub fn earliest(&self, horizon: f64, _context: &Context) -> Option<Approach> {
        self.earliest_scalar(horizon)
    }

    /// The scalar twin of [`earliest`](Self::earliest).
    #[must_use]
    pub fn earliest_scalar(&self, horizon: f64) -> Option<Approach> {
        let mut best: Option<Approach> = None;
        for first in 0..self.len() {
            for second in first + 1..self.len() {
                let time = self.pair(first, second, horizon);
                if time < best.map_or(f64::INFINITY, |best| best.time) {
                    best = Some(Approach { time, first, second });
                }
            }
        }
        best
    }
}
