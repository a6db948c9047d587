//! Measurements of a run: pressures, free flights, drifts, speeds (docs/methods/events.md).

use super::enclosure::{Boundary, Enclosure};
use super::engine::Engine;
use super::state::{Accumulators, EngineState, Totals};
use crate::error::Result;
use crate::soa::memory;

/// Measurements of a run since its start or the last
/// [`reset_measurements`](super::Engine::reset_measurements), in SI units.
///
/// N is the number of particles that move and collide: neither fixed nor tracers (of mass 0).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Measurements<const D: usize> {
    /// Collisions of two particles.
    pub collisions: u64,
    /// Collisions of a particle with a wall.
    pub wall_collisions: u64,
    /// Time that has passed, in seconds.
    pub duration: f64,
    /// Kinetic energy now, in joules.
    pub kinetic_energy: f64,
    /// Potential energy in gravity now, in joules; 0 at coordinate 0 of axis 1.
    pub potential_energy: f64,
    /// Momentum now, in newton seconds.
    pub momentum: [f64; D],
    /// Relative error of the energy: total energy now minus that at the start plus the loss by restitution, over the larger of
    /// the sums of the magnitudes of kinetic and potential energy at the start and now.
    pub energy_drift: f64,
    /// Relative error of the momentum: momentum now minus that at the start and the impulses of walls, fixed particles and
    /// gravity, over the largest of the sums of m |v| at the start and now and the impulse of gravity.
    pub momentum_drift: f64,
    /// Temperature in joules (k_B = 1): kT = 2 K / (D N), with the kinetic energy K in the
    /// [rest frame](Self::virial_pressure).
    pub temperature: f64,
    /// Pressure by the virial in pascals (N/m in 2D, N in 1D): P = (N kT + W / (D t)) / V with W the sum of
    /// r_ij . dp_ij over all collisions of two particles.
    ///
    /// N kT = 2 K / D is the mean of start and end. K is measured in the frame in which the momentum along the periodic
    /// axes is 0, or in that of the box if there are fixed particles. `None` if an axis is open, in gravity (the pressure
    /// changes with height) and if no time has passed.
    pub virial_pressure: Option<f64>,
    /// Pressure on the walls in pascals (N/m in 2D, N in 1D): impulse over area and time. `None` without walls of finite area
    /// and if no time has passed.
    pub wall_pressure: Option<f64>,
    /// Mean path of a particle from one collision with another to the next, in metres; `None` without collisions.
    pub mean_free_path: Option<f64>,
    /// Mean time of a particle from one collision with another to the next, in seconds; `None` without collisions.
    pub mean_free_time: Option<f64>,
    /// Mean over N of the squared displacement since the start, continued through periodic faces, in square metres.
    pub mean_square_displacement: f64,
}

/// Counts of speeds in bins of equal width from 0 on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SpeedHistogram {
    /// Width of a bin, in metres per second.
    pub width: f64,
    /// Particles in each bin; the fastest is in the last.
    pub counts: Vec<u64>,
}

impl SpeedHistogram {
    /// The histogram of these speeds, in metres per second and not negative. With 0 bins it is empty.
    #[must_use]
    pub fn new(speeds: &[f64], bins: usize) -> Self {
        Self::count(speeds, vec![0; bins])
    }

    /// The same for any number of bins: [`Error::OutOfMemory`](crate::Error::OutOfMemory) if there is no memory for them.
    pub fn try_new(speeds: &[f64], bins: usize) -> Result<Self> {
        Ok(Self::count(speeds, memory::filled(bins, 0)?))
    }

    /// Counts speeds in bins, which are 0.
    fn count(speeds: &[f64], mut counts: Vec<u64>) -> Self {
        let bins = counts.len();
        let fastest = speeds.iter().fold(0.0_f64, |most, &speed| most.max(speed));
        let width = if bins == 0 { 0.0 } else { fastest / bins as f64 };
        for &speed in speeds {
            let bin = if width > 0.0 { (speed / width) as usize } else { 0 };
            if let Some(last) = bins.checked_sub(1) {
                counts[bin.min(last)] += 1;
            }
        }
        Self { width, counts }
    }
}

impl<const D: usize> Engine<D> {
    /// The measurements since the start or the last [`reset_measurements`](Self::reset_measurements).
    #[must_use]
    pub fn measurements(&self) -> Measurements<D> {
        let state = &self.state;
        let (path, square_displacement) =
            (state.accumulators.path + state.path_of_open_flights(), square_displacement(state));
        Measurements::new(&MeasurementInput {
            accumulators: &state.accumulators,
            now: state.totals(),
            time: state.clock.world,
            enclosure: &state.domain.enclosure,
            population: Population::of(state),
            down_gravity: state.domain.down_gravity,
            path,
            square_displacement,
        })
    }

    /// The present speeds of all particles that move and collide, in metres per second, in the order of their rows.
    #[must_use]
    pub fn speeds(&self) -> Vec<f64> {
        let (now, gravity) = (self.state.clock.now(), self.state.domain.down_gravity);
        let speed = |row: usize| self.state.flights[row].at::<D>(now, gravity).1;
        movers(&self.state).map(|row| speed(row).iter().fold(0.0, |sum, v| sum + v * v).sqrt()).collect()
    }

    /// The histogram of the [`speeds`](Self::speeds) in `bins` bins from 0 to the highest.
    #[must_use]
    pub fn speed_histogram(&self, bins: usize) -> SpeedHistogram {
        SpeedHistogram::new(&self.speeds(), bins)
    }
}

/// Rows of the particles that move and collide.
fn movers<const D: usize>(state: &EngineState<D>) -> impl Iterator<Item = usize> {
    let rows = state.flights.iter().zip(state.masses()).enumerate();
    rows.filter(|(_, (flight, mass))| !flight.is_fixed() && **mass > 0.0).map(|(row, _)| row)
}

fn square_displacement<const D: usize>(state: &EngineState<D>) -> f64 {
    let (now, gravity) = (state.clock.now(), state.domain.down_gravity);
    let square = |row: usize| {
        let (position, origin) =
            (state.flights[row].at::<D>(now, gravity).0, state.displacement_origins[row]);
        position.iter().zip(origin).fold(0.0, |sum, (x, from)| sum + (x - from) * (x - from))
    };
    movers(state).map(square).fold(0.0, |sum, one| sum + one)
}

/// The particles that move and collide.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Population {
    /// N: neither fixed nor tracers.
    count: usize,
    /// Mass of these N, in kilograms.
    mass: f64,
    /// Whether there are fixed particles that others collide with.
    has_fixed: bool,
}

impl Population {
    fn of<const D: usize>(state: &EngineState<D>) -> Self {
        let mass = movers(state).fold(0.0, |sum, row| sum + state.masses()[row]);
        let mut solid = state.flights.iter().zip(state.masses()).filter(|(_, mass)| **mass > 0.0);
        Self { count: movers(state).count(), mass, has_fixed: solid.any(|(flight, _)| flight.is_fixed()) }
    }
}

/// The raw numbers from which measurements are computed.
struct MeasurementInput<'a, const D: usize> {
    accumulators: &'a Accumulators<D>,
    now: Totals<D>,
    time: f64,
    enclosure: &'a Enclosure<D>,
    population: Population,
    down_gravity: f64,
    /// Path length of all N since the start, in metres.
    path: f64,
    /// Sum of the squared displacements of all N, in square metres.
    square_displacement: f64,
}

impl<const D: usize> Measurements<D> {
    fn new(input: &MeasurementInput<D>) -> Self {
        let free_flights = input.accumulators.free_flights as f64;
        let per_flight = |total: f64| (input.accumulators.free_flights > 0).then(|| total / free_flights);
        let count = input.population.count.max(1) as f64;
        Self {
            collisions: input.accumulators.collisions,
            wall_collisions: input.accumulators.wall_collisions,
            duration: input.duration(),
            kinetic_energy: input.now.kinetic,
            potential_energy: input.now.potential,
            momentum: input.now.momentum,
            energy_drift: input.energy_drift(),
            momentum_drift: input.momentum_drift(),
            temperature: 2.0 * input.thermal_energy(&input.now) / (D as f64 * count),
            virial_pressure: input.virial_pressure(),
            wall_pressure: input.wall_pressure(),
            mean_free_path: per_flight(input.path),
            mean_free_time: per_flight(input.population.count as f64 * input.duration()),
            mean_square_displacement: input.square_displacement / count,
        }
    }

    /// The same with the momentum extended by zeros to three axes, for `D` up to 3.
    pub(super) fn widened(&self) -> Measurements<3> {
        Measurements {
            collisions: self.collisions,
            wall_collisions: self.wall_collisions,
            duration: self.duration,
            kinetic_energy: self.kinetic_energy,
            potential_energy: self.potential_energy,
            momentum: padded(self.momentum),
            energy_drift: self.energy_drift,
            momentum_drift: self.momentum_drift,
            temperature: self.temperature,
            virial_pressure: self.virial_pressure,
            wall_pressure: self.wall_pressure,
            mean_free_path: self.mean_free_path,
            mean_free_time: self.mean_free_time,
            mean_square_displacement: self.mean_square_displacement,
        }
    }
}

impl<const D: usize> MeasurementInput<'_, D> {
    fn duration(&self) -> f64 {
        self.time - self.accumulators.start
    }

    fn energy_drift(&self) -> f64 {
        let (then, now) = (&self.accumulators.initial, &self.now);
        let expected = then.kinetic + then.potential - self.accumulators.dissipated;
        let scale = |totals: &Totals<D>| totals.kinetic + totals.potential.abs();
        ratio((now.kinetic + now.potential - expected).abs(), scale(then).max(scale(now)))
    }

    fn momentum_drift(&self) -> f64 {
        let fallen = self.population.mass * self.down_gravity * self.duration();
        let square = (0..D).fold(0.0, |sum, axis| {
            let weight = if axis == 1 { fallen } else { 0.0 };
            let expected =
                self.accumulators.initial.momentum[axis] + self.accumulators.outside_impulse[axis] - weight;
            let off = self.now.momentum[axis] - expected;
            sum + off * off
        });
        // Particles that fell from rest and came to rest have no m |v| at the start or now; gravity gave the scale.
        let scale = self.accumulators.initial.momentum_scale.max(self.now.momentum_scale).max(fallen.abs());
        ratio(square.sqrt(), scale)
    }

    /// Kinetic energy minus that of the common motion along periodic axes.
    fn thermal_energy(&self, totals: &Totals<D>) -> f64 {
        if self.population.has_fixed || self.population.mass == 0.0 {
            return totals.kinetic;
        }
        let common = (0..D)
            .filter(|&axis| self.enclosure.is(axis, Boundary::Periodic))
            .fold(0.0, |sum, axis| sum + totals.momentum[axis] * totals.momentum[axis]);
        (totals.kinetic - 0.5 * common / self.population.mass).max(0.0)
    }

    fn virial_pressure(&self) -> Option<f64> {
        let volume = self.enclosure.volume()?;
        if self.duration() <= 0.0 || self.down_gravity != 0.0 {
            return None;
        }
        // 2 K / D with K the mean of start and now.
        let thermal = self.thermal_energy(&self.accumulators.initial) + self.thermal_energy(&self.now);
        Some((thermal + self.accumulators.virial / self.duration()) / (D as f64 * volume))
    }

    fn wall_pressure(&self) -> Option<f64> {
        let volume = self.enclosure.volume()?;
        let walls = || (0..D).filter(|&axis| self.enclosure.is(axis, Boundary::Reflecting));
        let area = walls().fold(0.0, |sum, axis| sum + 2.0 * volume / self.enclosure.length(axis));
        let impulse =
            walls().flat_map(|axis| self.accumulators.wall_impulses[axis]).fold(0.0, |sum, one| sum + one);
        (area > 0.0 && self.duration() > 0.0).then(|| impulse / (area * self.duration()))
    }
}

/// A ratio; 0 if the whole is 0.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// A vector extended by zeros to three entries.
pub(super) fn padded<const D: usize>(vector: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| vector.get(axis).copied().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_rest<const D: usize>() -> Totals<D> {
        Totals { kinetic: 0.0, potential: 0.0, momentum: [0.0; D], momentum_scale: 0.0 }
    }

    fn input<'a>(
        accumulators: &'a Accumulators<2>,
        now: Totals<2>,
        enclosure: &'a Enclosure<2>,
    ) -> MeasurementInput<'a, 2> {
        let population = Population { count: 2, mass: 2.0, has_fixed: false };
        let (time, down_gravity) = (accumulators.start + 4.0, 0.0);
        MeasurementInput {
            accumulators,
            now,
            time,
            enclosure,
            population,
            down_gravity,
            path: 12.0,
            square_displacement: 6.0,
        }
    }

    #[test]
    fn particles_at_rest_have_no_drift_and_no_flights() {
        let accumulators = Accumulators::new(1.0, at_rest(), 0.0);
        let enclosure = Enclosure::open();
        let found = Measurements::new(&input(&accumulators, at_rest(), &enclosure));
        assert_eq!((found.energy_drift, found.momentum_drift, found.temperature), (0.0, 0.0, 0.0));
        assert_eq!((found.mean_free_path, found.mean_free_time), (None, None));
        assert_eq!((found.virial_pressure, found.wall_pressure), (None, None));
    }

    #[test]
    fn pressures_follow_their_formulas() {
        // Two unit masses in a box of 2 by 5, both with velocity (1, 1): K = 2, momentum (2, 2).
        let now =
            Totals { kinetic: 2.0, potential: 0.0, momentum: [2.0, 2.0], momentum_scale: 8.0_f64.sqrt() };
        let mut accumulators = Accumulators::new(0.0, now, 0.0);
        accumulators.virial = 16.0;
        accumulators.free_flights = 4;
        accumulators.wall_impulses[1] = [3.0, 5.0];
        let mut enclosure = Enclosure::periodic([0.0; 2], [2.0, 5.0]);
        enclosure.boundaries[1] = Boundary::Reflecting;
        let found = Measurements::new(&input(&accumulators, now, &enclosure));
        // The common motion along axis 0 has an energy of 1 joule.
        assert_eq!(found.temperature, 0.5);
        assert_eq!(found.virial_pressure, Some((1.0 + 16.0 / (2.0 * 4.0)) / 10.0));
        assert_eq!(found.wall_pressure, Some(8.0 / (4.0 * 4.0)));
        assert_eq!((found.mean_free_path, found.mean_free_time), (Some(3.0), Some(2.0)));
        assert_eq!(found.mean_square_displacement, 3.0);
    }

    #[test]
    fn drifts_exclude_known_losses_and_impulses() {
        let then = Totals { kinetic: 8.0, potential: 0.0, momentum: [4.0, 0.0], momentum_scale: 5.0 };
        let now = Totals { kinetic: 6.0, potential: 0.0, momentum: [-3.0, 1.0], momentum_scale: 5.0 };
        let mut accumulators = Accumulators::new(0.0, then, 0.0);
        accumulators.dissipated = 2.0;
        accumulators.outside_impulse = [-7.0, 0.0];
        let enclosure = Enclosure::open();
        let found = Measurements::new(&input(&accumulators, now, &enclosure));
        assert_eq!((found.energy_drift, found.momentum_drift), (0.0, 0.2));
    }

    #[test]
    fn drift_after_a_fall_to_rest_is_relative_to_the_impulse_of_gravity() {
        // 2 kg fell for 4 s at 10 m/s^2; the floor returned all of the impulse but for rounding.
        let mut accumulators = Accumulators::new(0.0, at_rest(), 0.0);
        accumulators.outside_impulse = [0.0, 80.0 - 8e-14];
        let enclosure = Enclosure::open();
        let found = Measurements::new(&MeasurementInput {
            down_gravity: 10.0,
            ..input(&accumulators, at_rest(), &enclosure)
        });
        assert!((found.momentum_drift - 1e-15).abs() < 1e-16, "{}", found.momentum_drift);
    }

    #[test]
    fn histograms_count_all_speeds() {
        let histogram = SpeedHistogram::new(&[0.0, 0.5, 1.0, 2.0], 4);
        assert_eq!((histogram.width, histogram.counts), (0.5, vec![1, 1, 1, 1]));
        assert_eq!(SpeedHistogram::new(&[0.0, 0.0], 3).counts, [2, 0, 0]);
        assert_eq!(SpeedHistogram::new(&[], 2).counts, [0, 0]);
        assert_eq!(SpeedHistogram::new(&[1.0], 0).counts, [0_u64; 0]);
    }
}
