//! The theory of a gas of hard balls, all alike, in a periodic box.
//!
//! To first order in 1/N two things set N balls apart from infinitely many:
//! - their number does not fluctuate, which adds (kT / 2) ln S to the free energy, with S = 1 / (d(eta Z) / d eta) the
//!   fluctuation of the number in an open part (J. L. Lebowitz and J. K. Percus, 1961): Z changes by
//!   (eta / 2N) d ln S / d eta;
//! - their total momentum is 0, so squared relative speeds are N / (N - 1) times those of free balls of the same energy.

use std::f64::consts::PI;

use crate::events::scenes::{Filling, Gas};

/// A gas in the numbers that theory uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Theory {
    dim: usize,
    balls: f64,
    /// Balls per unit of volume, in SI units.
    density: f64,
    /// Diameter of a ball, in metres.
    diameter: f64,
    /// Square root of kT / m, in metres per second.
    speed: f64,
    temperature: f64,
}

/// Packings above which balls freeze, by dimension; rods never do.
const FREEZING: [f64; 3] = [1.0, 0.7, 0.494];
/// With fewer balls the terms of second order in 1/N are no longer small.
pub(crate) const FEWEST: usize = 50;

impl Theory {
    /// Of a gas of one kind of ball; `None` of a mixture.
    pub(crate) fn of(gas: &Gas) -> Option<Self> {
        let unit = [1.0, PI / 4.0, PI / 6.0][gas.dim - 1] * (2.0 * gas.radius).powi(gas.dim as i32);
        let density = match gas.filling {
            Filling::NumberDensity(density) => density,
            Filling::Packing(packing) => packing / unit,
        };
        let speed = (gas.temperature / gas.mass).sqrt();
        let theory = Self {
            dim: gas.dim,
            balls: gas.particles as f64,
            density,
            diameter: 2.0 * gas.radius,
            speed,
            temperature: gas.temperature,
        };
        gas.mix.is_none().then_some(theory)
    }

    /// Share of the volume that the balls take.
    fn packing(&self) -> f64 {
        let unit = [1.0, PI / 4.0, PI / 6.0][self.dim - 1];
        self.density * unit * self.diameter.powi(self.dim as i32)
    }

    /// The authors of the equation of the [compressibility](Self::compressibility).
    pub(crate) fn equation(&self) -> &'static str {
        ["Tonks", "Henderson", "Carnahan-Starling-Kolafa"][self.dim - 1]
    }

    /// P V / (N kT) of the fluid; `None` where it freezes.
    pub(crate) fn compressibility(&self) -> Option<f64> {
        Some(1.0 + self.contacts()? * self.balls / (self.balls - 1.0))
    }

    /// Z - 1 of balls whose number does not fluctuate but whose momentum does.
    fn contacts(&self) -> Option<f64> {
        let eta = self.packing();
        let change = -0.5 * eta * slope(|eta| slope(|eta| eta * self.infinite(eta), eta).ln(), eta);
        (eta < FREEZING[self.dim - 1]).then(|| self.infinite(eta) - 1.0 + change / self.balls)
    }

    /// P / (n kT) of infinitely many balls at this packing.
    ///
    /// Rods: L. Tonks (1936), exact. Disks: D. Henderson (1975). Spheres: the equation of Carnahan and Starling (1969)
    /// as corrected by J. Kolafa (1986), which is within 0.1% of simulations.
    fn infinite(&self, eta: f64) -> f64 {
        let room = 1.0 - eta;
        match self.dim {
            1 => 1.0 / room,
            2 => (1.0 + eta * eta / 8.0) / (room * room),
            _ => {
                let cubic = 2.0 / 3.0 * eta * eta * eta * (1.0 + eta);
                (1.0 + eta + eta * eta - cubic) / (room * room * room)
            }
        }
    }

    /// Pressure, in pascals (N/m in 2D, N in 1D).
    pub(crate) fn pressure(&self) -> Option<f64> {
        Some(self.compressibility()? * self.density * self.temperature)
    }

    /// Collisions of one ball a second by Enskog's theory: those of a dilute gas times the contact value g, which
    /// follows from the compressibility, Z = 1 + B_2 n g. At a given energy and momentum speeds lie on a sphere of
    /// D (N - 1) dimensions, on which the mean magnitude of a component is larger than the normal one.
    pub(crate) fn collision_rate(&self) -> Option<f64> {
        let section = self.diameter.powi(self.dim as i32 - 1);
        let (dilute, second_virial) = match self.dim {
            1 => (2.0 / PI.sqrt(), 1.0),
            2 => (2.0 * PI.sqrt(), PI / 2.0),
            _ => (4.0 * PI.sqrt(), 2.0 * PI / 3.0),
        };
        let others = self.balls - 1.0;
        let finite = (self.balls / others).sqrt() * (1.0 + 1.0 / (4.0 * self.dim as f64 * others));
        let contact = self.contacts()? / (second_virial * self.density * section * self.diameter);
        Some(dilute * self.density * section * self.speed * contact * finite)
    }

    /// Mean path between two collisions: the mean speed over the rate, in metres.
    pub(crate) fn mean_free_path(&self) -> Option<f64> {
        let mean_speed = [2.0 / PI, PI / 2.0, 8.0 / PI][self.dim - 1].sqrt() * self.speed;
        Some(mean_speed / self.collision_rate()?)
    }

    /// Time between two collisions of a ball in a dilute gas, about, in seconds.
    pub(crate) fn dilute_flight(&self) -> f64 {
        1.0 / (self.density * self.diameter.powi(self.dim as i32 - 1) * self.speed)
    }
}

/// What theory says of a gas of hard balls, all alike, in a periodic box.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct GasTheory {
    /// In pascals (N/m in 2D, N in 1D).
    pub pressure: f64,
    /// The authors of the equation of the pressure.
    pub equation: &'static str,
    /// Mean path between two collisions, in metres.
    pub mean_free_path: f64,
}

impl GasTheory {
    /// `None` of a mixture, of fewer than 50 balls, without motion, and where the gas freezes.
    #[must_use]
    pub fn of(gas: &Gas) -> Option<Self> {
        let theory = Theory::of(gas).filter(|_| gas.particles >= FEWEST && gas.temperature > 0.0)?;
        let (pressure, mean_free_path) = (theory.pressure()?, theory.mean_free_path()?);
        Some(Self { pressure, equation: theory.equation(), mean_free_path })
    }
}

/// The derivative of a smooth function of a packing.
fn slope(f: impl Fn(f64) -> f64, eta: f64) -> f64 {
    let step = 1e-3 * eta;
    (f(eta + step) - f(eta - step)) / (2.0 * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dim: usize, density: f64) -> Theory {
        of_balls(1_000_000_000, dim, density)
    }

    fn of_balls(particles: usize, dim: usize, density: f64) -> Theory {
        Theory::of(&Gas { particles, filling: Filling::NumberDensity(density), ..Gas::new(dim) }).unwrap()
    }

    #[test]
    fn few_balls_press_harder() {
        // Means of 1,500 replicas of 108 spheres, with their standard errors.
        let (dilute, dense) = (of_balls(108, 3, 0.2), of_balls(108, 3, 0.6));
        assert!((dilute.compressibility().unwrap() - 1.555_31).abs() < 3.0 * 0.000_28);
        assert!((dense.compressibility().unwrap() - 4.3149).abs() < 3.0 * 0.0016);
        assert!((dense.collision_rate().unwrap() - 11.1809).abs() < 3.0 * 0.0047);
        // For rods both terms cancel (Tonks on a ring).
        assert!((of_balls(100, 1, 0.5).compressibility().unwrap() - 2.0).abs() < 1e-3);
    }

    #[test]
    fn pressures_are_those_of_the_virial_series() {
        // Z = 1 + 4 y + 10 y^2 + ... to the tenth coefficient (Clisby and McCoy 2006): P = 1.6347 at density 0.5.
        let half = of(3, 0.5).pressure().unwrap();
        assert!((half / 1.6347 - 1.0).abs() < 2e-4, "{half}");
        // Disks: B_3 / B_2^2 = 0.782, at low density.
        let eta = 0.01;
        let disks = of(2, eta * 4.0 / PI).compressibility().unwrap();
        assert!((disks - (1.0 + 2.0 * eta + 3.128 * eta * eta)).abs() < 1e-5, "{disks}");
        assert!((of(1, 0.5).compressibility().unwrap() - 2.0).abs() < 1e-8);
        assert_eq!(of(3, 1.0).compressibility(), None);
    }

    #[test]
    fn units_scale_as_they_should() {
        let gas =
            Gas { filling: Filling::Packing(0.2), radius: 3.0, mass: 2.0, temperature: 5.0, ..Gas::new(3) };
        let plain = Gas { filling: Filling::Packing(0.2), ..Gas::new(3) };
        let (large, small) = (Theory::of(&gas).unwrap(), Theory::of(&plain).unwrap());
        let ratio = |of: fn(&Theory) -> Option<f64>| of(&large).unwrap() / of(&small).unwrap();
        assert!((ratio(Theory::pressure) - 5.0 / 216.0).abs() < 1e-12);
        assert!((ratio(Theory::collision_rate) - (2.5_f64).sqrt() / 6.0).abs() < 1e-12);
        assert!((ratio(Theory::mean_free_path) - 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_dilute_gas_has_the_mean_free_path_of_maxwell() {
        // 1 / (sqrt(2) pi n d^2)
        let path = of(3, 1e-6).mean_free_path().unwrap();
        assert!((path * 2.0_f64.sqrt() * PI * 1e-6 - 1.0).abs() < 1e-5, "{path}");
    }
}
