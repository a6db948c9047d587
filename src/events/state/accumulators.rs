//! What a run adds up for its measurements.

use crate::events::state::domain::Space;
use crate::events::state::flight_state::Record;

/// A sum that also keeps what rounding takes away (Neumaier).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum {
    value: f64,
    lost: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, term: f64) {
        let total = self.value + term;
        self.lost += if self.value.abs() >= term.abs() {
            (self.value - total) + term
        } else {
            (term - total) + self.value
        };
        self.value = total;
    }

    pub(crate) fn total(self) -> f64 {
        self.value + self.lost
    }
}

/// Energies and momentum of all particles at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Totals<const D: usize> {
    /// Joules.
    pub kinetic: f64,
    /// Joules, 0 at coordinate 0 of axis 1.
    pub potential: f64,
    /// Newton seconds.
    pub momentum: [f64; D],
    /// Sum of m |v|, in newton seconds.
    pub momentum_scale: f64,
}

/// Running sums since the start or the last reset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sums<const D: usize> {
    /// World time at which they began, in seconds.
    pub start: f64,
    /// Energies and momentum then.
    pub initial: Totals<D>,
    /// Collisions of two particles.
    pub collisions: u64,
    /// Collisions with walls.
    pub wall_collisions: u64,
    /// Sum over the collisions of two particles of distance times impulse, in joules.
    pub virial: f64,
    /// Impulse on the lower and the upper wall of each axis, in newton seconds; never negative.
    pub wall_impulses: [[f64; 2]; D],
    /// Momentum that walls and fixed particles gave to the others, in newton seconds.
    pub outside_impulse: [f64; D],
    /// Kinetic energy that restitution took, in joules.
    pub dissipated: f64,
    /// Path flown up to the time of every record, in metres; without tracers and fixed particles.
    pub path: f64,
    /// Free flights that ended in a collision of two particles: two for each, one if the partner is fixed.
    pub flights: u64,
}

impl<const D: usize> Sums<D> {
    pub(crate) fn new(start: f64, initial: Totals<D>, path: f64) -> Self {
        Self {
            start,
            initial,
            collisions: 0,
            wall_collisions: 0,
            virial: 0.0,
            wall_impulses: [[0.0; 2]; D],
            outside_impulse: [0.0; D],
            dissipated: 0.0,
            path,
            flights: 0,
        }
    }
}

/// Energies and momentum of these particles at a time of the epoch.
pub(crate) fn totals<const D: usize>(
    space: &Space<D>,
    records: &[Record],
    masses: &[f64],
    time: f64,
) -> Totals<D> {
    let (mut kinetic, mut potential, mut scale) = (Sum::default(), Sum::default(), Sum::default());
    let mut momentum = [Sum::default(); D];
    for (record, &mass) in records.iter().zip(masses) {
        let (position, velocity) = record.at::<D>(time, space.down_gravity);
        let square = velocity.iter().fold(0.0, |sum, v| sum + v * v);
        kinetic.add(0.5 * mass * square);
        scale.add(mass * square.sqrt());
        for (sum, v) in momentum.iter_mut().zip(velocity) {
            sum.add(mass * v);
        }
        if D > 1 && !record.is_fixed() {
            potential.add(mass * space.down_gravity * position[1]);
        }
    }
    Totals {
        kinetic: kinetic.total(),
        potential: potential.total(),
        momentum: momentum.map(Sum::total),
        momentum_scale: scale.total(),
    }
}

/// Length of the path of a record from its own time to `time`, in metres. An arc of a fall is taken by Simpson's rule.
#[inline(always)]
pub(crate) fn path_length<const D: usize>(record: &Record, time: f64, down_gravity: f64) -> f64 {
    let dt = time - record.time();
    let (mut square, mut level) = (0.0, 0.0);
    for (k, v) in record.motion.iter().enumerate().take(D) {
        square += v * v;
        level += if k == 1 { 0.0 } else { v * v };
    }
    if D < 2 || down_gravity == 0.0 || record.is_fixed() {
        return square.sqrt() * dt;
    }
    let velocity = |t: f64| {
        let down = record.motion[1] - down_gravity * t;
        (level + down * down).sqrt()
    };
    (velocity(0.0) + 4.0 * velocity(0.5 * dt) + velocity(dt)) * (dt / 6.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_keep_small_terms() {
        let mut sum = Sum::default();
        for term in [1e16, 1.0, -1e16, 1.0] {
            sum.add(term);
        }
        assert_eq!(sum.total(), 2.0);
    }

    #[test]
    fn paths_of_free_and_falling_particles() {
        let record = Record::new([0.0, 0.0], [3.0, 4.0], 1.0, false);
        assert_eq!(path_length::<2>(&record, 3.0, 0.0), 10.0);
        let drop = Record::new([0.0, 0.0], [0.0, 0.0], 0.0, false);
        assert!((path_length::<2>(&drop, 2.0, 10.0) - 20.0).abs() < 1e-12);
    }
}
