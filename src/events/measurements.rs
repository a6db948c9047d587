//! What a run tells: pressures, free flights, drifts, speeds.

use super::enclosure::{Boundary, Enclosure};
use super::engine::Engine;
use super::state::accumulators::{Sums, Totals};
use super::state::engine_state::Core;

/// Figures of a run since its start or the last
/// [`reset_measurements`](super::Engine::reset_measurements), in SI units.
///
/// N is the number of particles that move and collide: not fixed, no tracers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurements<const D: usize> {
    /// Collisions of two particles.
    pub collisions: u64,
    /// Collisions of a particle with a wall.
    pub wall_collisions: u64,
    /// Time that has passed, in seconds.
    pub duration: f64,
    /// Kinetic energy now, in joules.
    pub kinetic_energy: f64,
    /// Potential energy in down gravity now, in joules; 0 at coordinate 0 of axis 1.
    pub potential_energy: f64,
    /// Momentum now, in newton seconds.
    pub momentum: [f64; D],
    /// How far the total energy is from that at the start less what restitution took, as a share of the larger sum of
    /// the magnitudes of kinetic and potential energy, then or now: the error of the computation.
    pub energy_drift: f64,
    /// How far the momentum is from that at the start plus what walls, fixed particles and gravity gave, as a share of
    /// the largest of the sums of m |v|, then and now, and of what gravity gave: the error of the computation.
    pub momentum_drift: f64,
    /// Temperature in joules (k_B = 1): kT = 2 K / (D N), with the kinetic energy K in the
    /// [rest frame](Self::virial_pressure).
    pub temperature: f64,
    /// Pressure by the virial in pascals (N/m in 2D, N in 1D): P = (N kT + W / (D t)) / V with W the sum of
    /// r_ij . dp_ij over all collisions of two particles.
    ///
    /// N kT = 2 K / D is the mean of start and end. K is taken in the frame in which the momentum along the periodic
    /// axes is 0, unless fixed particles hold the box at rest. `None` if an axis is open, in gravity (the pressure
    /// changes with height) and if no time has passed.
    pub virial_pressure: Option<f64>,
    /// Pressure on the walls in pascals (N/m in 2D, N in 1D): their impulse over area and time. `None` without
    /// walls of finite area and if no time has passed.
    pub wall_pressure: Option<f64>,
    /// Mean path of a particle from one collision with another to the next, in metres; `None` without collisions.
    pub mean_free_path: Option<f64>,
    /// Mean time of a particle from one collision with another to the next, in seconds; `None` without collisions.
    pub mean_free_time: Option<f64>,
    /// Mean over N of the square of the way from where a particle was at the start, through periodic faces, in
    /// square metres.
    pub mean_square_displacement: f64,
}

/// Counts of speeds in bins of equal width from 0 on.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeedHistogram {
    /// Width of a bin, in metres per second.
    pub width: f64,
    /// Particles in each bin; the fastest is in the last.
    pub counts: Vec<u64>,
}

impl SpeedHistogram {
    /// The histogram of these speeds, in metres per second, none of them negative. No bins hold no speeds.
    #[must_use]
    pub fn new(speeds: &[f64], bins: usize) -> Self {
        let fastest = speeds.iter().fold(0.0_f64, |most, &speed| most.max(speed));
        let width = if bins == 0 { 0.0 } else { fastest / bins as f64 };
        let mut counts = vec![0; bins];
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
    /// What the run tells so far.
    #[must_use]
    pub fn measurements(&self) -> Measurements<D> {
        let core = &self.core;
        let (path, square_displacement) =
            (core.sums.path + core.path_since_records(), square_displacement(core));
        Measurements::new(&Raw {
            sums: &core.sums,
            now: core.totals(),
            time: core.clock.world,
            enclosure: &core.space.enclosure,
            population: Population::of(core),
            down_gravity: core.space.down_gravity,
            path,
            square_displacement,
        })
    }

    /// The speeds now of all particles that move and collide, in metres per second, in the order of their rows.
    #[must_use]
    pub fn speeds(&self) -> Vec<f64> {
        let (now, gravity) = (self.core.clock.now(), self.core.space.down_gravity);
        let speed = |row: usize| self.core.records[row].at::<D>(now, gravity).1;
        movers(&self.core).map(|row| speed(row).iter().fold(0.0, |sum, v| sum + v * v).sqrt()).collect()
    }

    /// How many of the [`speeds`](Self::speeds) fall into each of `bins` bins from 0 to the highest.
    #[must_use]
    pub fn speed_histogram(&self, bins: usize) -> SpeedHistogram {
        SpeedHistogram::new(&self.speeds(), bins)
    }
}

/// Rows of the particles that move and collide.
fn movers<const D: usize>(core: &Core<D>) -> impl Iterator<Item = usize> {
    let rows = core.records.iter().zip(core.masses()).enumerate();
    rows.filter(|(_, (record, mass))| !record.is_fixed() && **mass > 0.0).map(|(row, _)| row)
}

fn square_displacement<const D: usize>(core: &Core<D>) -> f64 {
    let (now, gravity) = (core.clock.now(), core.space.down_gravity);
    let square = |row: usize| {
        let (place, anchor) = (core.records[row].at::<D>(now, gravity).0, core.anchors[row]);
        place.iter().zip(anchor).fold(0.0, |sum, (x, from)| sum + (x - from) * (x - from))
    };
    movers(core).map(square).fold(0.0, |sum, one| sum + one)
}

/// Who moves and collides.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Population {
    /// N: neither fixed nor tracers.
    count: usize,
    /// Mass of these N, in kilograms.
    mass: f64,
    /// Whether there are fixed particles that others collide with.
    held: bool,
}

impl Population {
    fn of<const D: usize>(core: &Core<D>) -> Self {
        let mass = movers(core).fold(0.0, |sum, row| sum + core.masses()[row]);
        let mut solid = core.records.iter().zip(core.masses()).filter(|(_, mass)| **mass > 0.0);
        Self { count: movers(core).count(), mass, held: solid.any(|(record, _)| record.is_fixed()) }
    }
}

/// What measurements are made of.
struct Raw<'a, const D: usize> {
    sums: &'a Sums<D>,
    now: Totals<D>,
    time: f64,
    enclosure: &'a Enclosure<D>,
    population: Population,
    down_gravity: f64,
    /// Path of all N since the start of the sums, in metres.
    path: f64,
    /// Sum of the squares of the displacements of all N, in square metres.
    square_displacement: f64,
}

impl<const D: usize> Measurements<D> {
    fn new(raw: &Raw<D>) -> Self {
        let flights = raw.sums.flights as f64;
        let per_flight = |total: f64| (raw.sums.flights > 0).then(|| total / flights);
        let count = raw.population.count.max(1) as f64;
        Self {
            collisions: raw.sums.collisions,
            wall_collisions: raw.sums.wall_collisions,
            duration: raw.duration(),
            kinetic_energy: raw.now.kinetic,
            potential_energy: raw.now.potential,
            momentum: raw.now.momentum,
            energy_drift: raw.energy_drift(),
            momentum_drift: raw.momentum_drift(),
            temperature: 2.0 * raw.thermal_energy(&raw.now) / (D as f64 * count),
            virial_pressure: raw.virial_pressure(),
            wall_pressure: raw.wall_pressure(),
            mean_free_path: per_flight(raw.path),
            mean_free_time: per_flight(raw.population.count as f64 * raw.duration()),
            mean_square_displacement: raw.square_displacement / count,
        }
    }

    /// The same with the momentum filled up with zeros to three axes; for `D` up to 3.
    pub(super) fn widened(&self) -> Measurements<3> {
        Measurements {
            collisions: self.collisions,
            wall_collisions: self.wall_collisions,
            duration: self.duration,
            kinetic_energy: self.kinetic_energy,
            potential_energy: self.potential_energy,
            momentum: filled_up(self.momentum),
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

impl<const D: usize> Raw<'_, D> {
    fn duration(&self) -> f64 {
        self.time - self.sums.start
    }

    fn energy_drift(&self) -> f64 {
        let (then, now) = (&self.sums.initial, &self.now);
        let expected = then.kinetic + then.potential - self.sums.dissipated;
        let scale = |totals: &Totals<D>| totals.kinetic + totals.potential.abs();
        share((now.kinetic + now.potential - expected).abs(), scale(then).max(scale(now)))
    }

    fn momentum_drift(&self) -> f64 {
        let fallen = self.population.mass * self.down_gravity * self.duration();
        let square = (0..D).fold(0.0, |sum, axis| {
            let weight = if axis == 1 { fallen } else { 0.0 };
            let expected = self.sums.initial.momentum[axis] + self.sums.outside_impulse[axis] - weight;
            let off = self.now.momentum[axis] - expected;
            sum + off * off
        });
        // What fell from rest and lies still has no m |v|, then nor now; its momentum came from gravity.
        let scale = self.sums.initial.momentum_scale.max(self.now.momentum_scale).max(fallen.abs());
        share(square.sqrt(), scale)
    }

    /// Kinetic energy without that of the common motion along periodic axes.
    fn thermal_energy(&self, totals: &Totals<D>) -> f64 {
        if self.population.held || self.population.mass == 0.0 {
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
        // 2 K / D with K the mean of both ends.
        let thermal = self.thermal_energy(&self.sums.initial) + self.thermal_energy(&self.now);
        Some((thermal + self.sums.virial / self.duration()) / (D as f64 * volume))
    }

    fn wall_pressure(&self) -> Option<f64> {
        let volume = self.enclosure.volume()?;
        let walls = || (0..D).filter(|&axis| self.enclosure.is(axis, Boundary::Reflecting));
        let area = walls().fold(0.0, |sum, axis| sum + 2.0 * volume / self.enclosure.length(axis));
        let impulse = walls().flat_map(|axis| self.sums.wall_impulses[axis]).fold(0.0, |sum, one| sum + one);
        (area > 0.0 && self.duration() > 0.0).then(|| impulse / (area * self.duration()))
    }
}

/// A part of a whole; 0 if there is nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The first three entries of a vector, or all of them and zeros.
pub(super) fn filled_up<const D: usize>(vector: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| vector.get(axis).copied().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_rest<const D: usize>() -> Totals<D> {
        Totals { kinetic: 0.0, potential: 0.0, momentum: [0.0; D], momentum_scale: 0.0 }
    }

    fn raw<'a>(sums: &'a Sums<2>, now: Totals<2>, enclosure: &'a Enclosure<2>) -> Raw<'a, 2> {
        let population = Population { count: 2, mass: 2.0, held: false };
        let (time, down_gravity) = (sums.start + 4.0, 0.0);
        Raw { sums, now, time, enclosure, population, down_gravity, path: 12.0, square_displacement: 6.0 }
    }

    #[test]
    fn nothing_has_no_drift_and_no_flights() {
        let sums = Sums::new(1.0, at_rest(), 0.0);
        let enclosure = Enclosure::open();
        let found = Measurements::new(&raw(&sums, at_rest(), &enclosure));
        assert_eq!((found.energy_drift, found.momentum_drift, found.temperature), (0.0, 0.0, 0.0));
        assert_eq!((found.mean_free_path, found.mean_free_time), (None, None));
        assert_eq!((found.virial_pressure, found.wall_pressure), (None, None));
    }

    #[test]
    fn pressures_follow_their_formulas() {
        // Two unit masses in a box of 2 by 5, both with velocity (1, 1): K = 2, momentum (2, 2).
        let now =
            Totals { kinetic: 2.0, potential: 0.0, momentum: [2.0, 2.0], momentum_scale: 8.0_f64.sqrt() };
        let mut sums = Sums::new(0.0, now, 0.0);
        sums.virial = 16.0;
        sums.flights = 4;
        sums.wall_impulses[1] = [3.0, 5.0];
        let mut enclosure = Enclosure::periodic([0.0; 2], [2.0, 5.0]);
        enclosure.boundaries[1] = Boundary::Reflecting;
        let found = Measurements::new(&raw(&sums, now, &enclosure));
        // The common motion along axis 0 has an energy of 1 joule.
        assert_eq!(found.temperature, 0.5);
        assert_eq!(found.virial_pressure, Some((1.0 + 16.0 / (2.0 * 4.0)) / 10.0));
        assert_eq!(found.wall_pressure, Some(8.0 / (4.0 * 4.0)));
        assert_eq!((found.mean_free_path, found.mean_free_time), (Some(3.0), Some(2.0)));
        assert_eq!(found.mean_square_displacement, 3.0);
    }

    #[test]
    fn drifts_leave_out_what_has_a_cause() {
        let then = Totals { kinetic: 8.0, potential: 0.0, momentum: [4.0, 0.0], momentum_scale: 5.0 };
        let now = Totals { kinetic: 6.0, potential: 0.0, momentum: [-3.0, 1.0], momentum_scale: 5.0 };
        let mut sums = Sums::new(0.0, then, 0.0);
        sums.dissipated = 2.0;
        sums.outside_impulse = [-7.0, 0.0];
        let enclosure = Enclosure::open();
        let found = Measurements::new(&raw(&sums, now, &enclosure));
        assert_eq!((found.energy_drift, found.momentum_drift), (0.0, 0.2));
    }

    #[test]
    fn what_has_come_to_rest_is_measured_by_what_gravity_gave() {
        // 2 kg fell for 4 s at 10 m/s^2; the floor gave it all back but for rounding.
        let mut sums = Sums::new(0.0, at_rest(), 0.0);
        sums.outside_impulse = [0.0, 80.0 - 8e-14];
        let enclosure = Enclosure::open();
        let found = Measurements::new(&Raw { down_gravity: 10.0, ..raw(&sums, at_rest(), &enclosure) });
        assert!((found.momentum_drift - 1e-15).abs() < 1e-16, "{}", found.momentum_drift);
    }

    #[test]
    fn histograms_hold_everyone() {
        let histogram = SpeedHistogram::new(&[0.0, 0.5, 1.0, 2.0], 4);
        assert_eq!((histogram.width, histogram.counts), (0.5, vec![1, 1, 1, 1]));
        assert_eq!(SpeedHistogram::new(&[0.0, 0.0], 3).counts, [2, 0, 0]);
        assert_eq!(SpeedHistogram::new(&[], 2).counts, [0, 0]);
        assert_eq!(SpeedHistogram::new(&[1.0], 0).counts, [0_u64; 0]);
    }
}
