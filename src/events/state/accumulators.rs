//! Running sums of a run, from which its measurements follow.

use super::{Domain, FlightState};

/// A compensated sum (Neumaier 1974).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CompensatedSum {
    value: f64,
    lost: f64,
}

impl CompensatedSum {
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

/// Sums since the start or the last reset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Accumulators<const D: usize> {
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
    /// Kinetic energy lost by restitution, in joules.
    pub dissipated: f64,
    /// Path length up to the start of each particle's present flight, in metres; without tracers and fixed particles.
    pub path: f64,
    /// Free flights that ended in a collision of two particles: two per collision, one if a partner is fixed.
    pub free_flights: u64,
}

impl<const D: usize> Accumulators<D> {
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
            free_flights: 0,
        }
    }
}

/// Energies and momentum of these particles at a time of the epoch.
pub(crate) fn totals<const D: usize>(
    domain: &Domain<D>,
    flights: &[FlightState],
    masses: &[f64],
    time: f64,
) -> Totals<D> {
    let (mut kinetic, mut potential, mut scale) =
        (CompensatedSum::default(), CompensatedSum::default(), CompensatedSum::default());
    let mut momentum = [CompensatedSum::default(); D];
    for (flight, &mass) in flights.iter().zip(masses) {
        let (position, velocity) = flight.at::<D>(time, domain.down_gravity);
        let square = velocity.iter().fold(0.0, |sum, v| sum + v * v);
        kinetic.add(0.5 * mass * square);
        scale.add(mass * square.sqrt());
        for (sum, v) in momentum.iter_mut().zip(velocity) {
            sum.add(mass * v);
        }
        if D > 1 && !flight.is_fixed() {
            potential.add(mass * domain.down_gravity * position[1]);
        }
    }
    Totals {
        kinetic: kinetic.total(),
        potential: potential.total(),
        momentum: momentum.map(CompensatedSum::total),
        momentum_scale: scale.total(),
    }
}

/// Path length of a flight from its start to `time`, in metres. The arc of a fall is approximated by Simpson's rule.
#[inline(always)]
pub(crate) fn path_length<const D: usize>(flight: &FlightState, time: f64, down_gravity: f64) -> f64 {
    let dt = time - flight.time();
    let (mut square, mut level) = (0.0, 0.0);
    for (k, v) in flight.velocity_tag.iter().enumerate().take(D) {
        square += v * v;
        level += if k == 1 { 0.0 } else { v * v };
    }
    if D < 2 || down_gravity == 0.0 || flight.is_fixed() {
        return square.sqrt() * dt;
    }
    let speed = |t: f64| {
        let down = flight.velocity_tag[1] - down_gravity * t;
        (level + down * down).sqrt()
    };
    (speed(0.0) + 4.0 * speed(0.5 * dt) + speed(dt)) * (dt / 6.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_keep_small_terms() {
        let mut sum = CompensatedSum::default();
        for term in [1e16, 1.0, -1e16, 1.0] {
            sum.add(term);
        }
        assert_eq!(sum.total(), 2.0);
    }

    #[test]
    fn paths_of_free_and_falling_particles() {
        let flight = FlightState::new([0.0, 0.0], [3.0, 4.0], 1.0, false);
        assert_eq!(path_length::<2>(&flight, 3.0, 0.0), 10.0);
        let drop = FlightState::new([0.0, 0.0], [0.0, 0.0], 0.0, false);
        assert!((path_length::<2>(&drop, 2.0, 10.0) - 20.0).abs() < 1e-12);
    }
}
