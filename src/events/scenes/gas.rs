//! `Gas`: hard rods, disks or spheres in a box, on a lattice at the start, with Maxwellian velocities.

use std::f64::consts::PI;

use super::lattice::Region;
use super::mixture::Mixture;
use super::velocities::Velocities;
use super::{BoxAxis, Scene, ready_made};
use crate::error::{Error, Result};
use crate::events::Boundary;
use crate::particles::{Batch, Particles};
use crate::random::{Purpose, Random, root};
use crate::setters::setters;

/// The density of a gas.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Filling {
    /// Number of balls per metre, square metre or cubic metre.
    NumberDensity(f64),
    /// Fraction of the volume that the balls occupy.
    Packing(f64),
}

/// A second, smaller kind of balls in a gas.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Mix {
    /// Fraction of the balls, by number, that are small, from 0 to 1.
    pub fraction: f64,
    /// Radius of a small ball over that of a large one, above 0 and at most 1.
    pub radius_ratio: f64,
    /// Mass of a small ball over that of a large one, above 0. `None`: that of the same density.
    pub mass_ratio: Option<f64>,
}

/// A gas of hard balls, the specification of a [`Scene`].
///
/// The box is a cube (a square, a line) whose size follows from the number of balls and the filling. The balls start on
/// a lattice: equidistant in 1D, square in 2D (triangular where squares do not fit), face-centred cubic in 3D. Sites
/// that are not needed stay empty. In a mixture too dense for that the large balls have a lattice of their own and the
/// small ones are in its gaps. Velocities have Maxwell's distribution, with zero momentum and exactly the temperature.
/// The same seed gives the same bits on every machine.
///
/// ```
/// use carom::events::scenes::Gas;
///
/// let scene = Gas::new(3).with_particles(500).with_number_density(0.5).with_seed(7).scene()?;
/// assert_eq!(scene.particles.len(), 500);
/// assert!((scene.enclosure[0].upper - 10.0).abs() < 1e-12);
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Gas {
    /// Dimension of the space: 1, 2 or 3.
    pub dim: usize,
    /// Number of balls, from 1 to 100,000,000.
    pub particles: usize,
    /// Number density or packing fraction. Default: number density 0.5.
    pub filling: Filling,
    /// Radius of the balls, or of the larger ones in a mixture, in metres. Default 0.5.
    pub radius: f64,
    /// Mass of the balls, or of the larger ones in a mixture, in kilograms. Default 1.
    pub mass: f64,
    /// Temperature kT, the mean of m v^2 / D, in joules. Default 1.
    pub temperature: f64,
    /// A smaller kind of ball. Default none.
    pub mix: Option<Mix>,
    /// What all faces do. Default periodic.
    pub boundary: Boundary,
    /// Seed of the random numbers. Default 1.
    pub seed: u64,
}

impl Gas {
    /// The default gas of dimension `dim`: 1,000 rods, 1,024 disks or 1,372 spheres of diameter 1.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Self {
            dim,
            particles: match dim {
                1 => 1000,
                2 => 1024,
                _ => 1372,
            },
            filling: Filling::NumberDensity(0.5),
            radius: 0.5,
            mass: 1.0,
            temperature: 1.0,
            mix: None,
            boundary: Boundary::Periodic,
            seed: 1,
        }
    }

    setters! {
        /// With this number of balls.
        with_particles(particles: usize);
        /// With balls of this radius, in metres.
        with_radius(radius: f64);
        /// With balls of this mass, in kilograms.
        with_mass(mass: f64);
        /// With this temperature, in joules.
        with_temperature(temperature: f64);
        /// With faces that all do this.
        with_boundary(boundary: Boundary);
        /// With random numbers from this seed.
        with_seed(seed: u64);
    }

    /// With this number of balls per metre, square metre or cubic metre.
    #[must_use]
    pub fn with_number_density(self, density: f64) -> Self {
        Self { filling: Filling::NumberDensity(density), ..self }
    }

    /// With balls that occupy this fraction of the volume.
    #[must_use]
    pub fn with_packing(self, fraction: f64) -> Self {
        Self { filling: Filling::Packing(fraction), ..self }
    }

    /// With a second, smaller kind of balls.
    #[must_use]
    pub fn with_mix(self, mix: Mix) -> Self {
        Self { mix: Some(mix), ..self }
    }

    /// Places the balls and draws their velocities.
    pub fn scene(&self) -> Result<Scene> {
        self.check()?;
        let small = self.small_balls();
        let of_each = |large: f64, ratio: f64| -> Vec<f64> {
            small.iter().map(|&small| if small { large * ratio } else { large }).collect()
        };
        let (radius_ratio, mass_ratio) = self.ratios();
        let (radii, masses) = (of_each(self.radius, radius_ratio), of_each(self.mass, mass_ratio));
        let side = self.side(&radii)?;
        let sites = self.sites(side, &small)?;
        let mut random = Random::new(self.seed, Purpose::Velocities);
        let velocities = Velocities::Maxwell(self.temperature).draw(&masses, self.dim, &mut random);
        let axis = BoxAxis { boundary: self.boundary, lower: 0.0, upper: side };
        let particles = store(self.dim, &sites, &velocities, &radii, &masses)?;
        let description = ready_made::GAS.description.into();
        let until = self.suggested_end();
        let scene = Scene::new(ready_made::GAS.name, particles, vec![axis; self.dim]);
        Ok(Scene { description, until, seed: self.seed, ..scene })
    }

    /// Ten times the time that a ball of thermal speed takes to travel its own diameter, in seconds.
    fn suggested_end(&self) -> f64 {
        if self.temperature > 0.0 { 20.0 * self.radius * (self.mass / self.temperature).sqrt() } else { 1.0 }
    }

    fn check(&self) -> Result<()> {
        if !(1..=3).contains(&self.dim) {
            return Err(Error::BadDimension { found: self.dim, expected: "1, 2 or 3 for a gas" });
        }
        if !(1..=MOST_PARTICLES).contains(&self.particles) {
            let value = self.particles as f64;
            return Err(Error::OutOfRange { field: "particles", value, expected: "from 1 to 100,000,000" });
        }
        if !(self.temperature >= 0.0 && self.temperature.is_finite()) {
            let value = self.temperature;
            return Err(Error::OutOfRange {
                field: "temperature",
                value,
                expected: "0 or above, and finite",
            });
        }
        positive("radius", self.radius)?;
        positive("mass", self.mass)?;
        match self.filling {
            Filling::NumberDensity(density) => positive("density", density)?,
            Filling::Packing(packing) => positive("packing", packing)?,
        }
        if self.boundary == Boundary::Open {
            let expected = "reflecting or periodic: a gas without walls has no density";
            return Err(Error::OutOfRange { field: "boundary", value: 0.0, expected });
        }
        self.mix.as_ref().map_or(Ok(()), Mix::check)
    }

    /// Radius and mass of a small ball over those of a large one.
    fn ratios(&self) -> (f64, f64) {
        self.mix.map_or((1.0, 1.0), |mix| {
            (mix.radius_ratio, mix.mass_ratio.unwrap_or(power(mix.radius_ratio, self.dim)))
        })
    }

    /// Whether each ball is small, in random order.
    fn small_balls(&self) -> Vec<bool> {
        let mut small = vec![false; self.particles];
        if let Some(mix) = self.mix {
            small[..(mix.fraction * self.particles as f64).round() as usize].fill(true);
            let mut random = Random::new(self.seed, Purpose::Sizes);
            for last in (1..small.len()).rev() {
                small.swap(last, random.below(last + 1));
            }
        }
        small
    }

    /// Side of the box, in metres.
    fn side(&self, radii: &[f64]) -> Result<f64> {
        let volume = self.volume(radii);
        if volume > 0.0 && volume.is_finite() {
            return Ok(root(volume, self.dim));
        }
        let expected = "such that the volume of the box is finite: rescale the units";
        Err(match self.filling {
            Filling::NumberDensity(value) => Error::OutOfRange { field: "density", value, expected },
            Filling::Packing(_) => Error::OutOfRange { field: "radius", value: self.radius, expected },
        })
    }

    fn volume(&self, radii: &[f64]) -> f64 {
        match self.filling {
            Filling::NumberDensity(density) => self.particles as f64 / density,
            Filling::Packing(packing) => {
                let unit = [2.0, PI, 4.0 / 3.0 * PI][self.dim - 1];
                radii.iter().map(|&radius| unit * power(radius, self.dim)).sum::<f64>() / packing
            }
        }
    }

    fn sites(&self, side: f64, small: &[bool]) -> Result<Vec<[f64; 3]>> {
        let walled = [self.boundary == Boundary::Reflecting; 3];
        let region = Region { lower: [0.0; 3], upper: [side; 3], walled, dim: self.dim };
        let small_radius = self.radius * self.ratios().0;
        let mixture = Mixture { small, large_radius: self.radius, small_radius };
        mixture.positions(&region).ok_or_else(|| {
            let (field, value) = match self.filling {
                Filling::NumberDensity(density) => ("density", density),
                Filling::Packing(packing) => ("packing", packing),
            };
            let expected = "smaller: this many balls of this radius overlap on any lattice in this box";
            Error::OutOfRange { field, value, expected }
        })
    }
}

impl Mix {
    /// This fraction of the balls is small, by number, with this ratio of the small radius to the large one.
    #[must_use]
    pub fn new(fraction: f64, radius_ratio: f64) -> Self {
        Self { fraction, radius_ratio, mass_ratio: None }
    }

    /// With this ratio of the mass of a small ball to that of a large one.
    #[must_use]
    pub fn with_mass_ratio(self, ratio: f64) -> Self {
        Self { mass_ratio: Some(ratio), ..self }
    }

    fn check(&self) -> Result<()> {
        let within = |field, value: f64, ok: bool, expected| {
            if ok { Ok(()) } else { Err(Error::OutOfRange { field, value, expected }) }
        };
        within("mix.fraction", self.fraction, (0.0..=1.0).contains(&self.fraction), "from 0 to 1")?;
        let ratio = self.radius_ratio;
        within("mix.radius_ratio", ratio, ratio > 0.0 && ratio <= 1.0, "above 0 and at most 1")?;
        self.mass_ratio.map_or(Ok(()), |ratio| positive("mix.mass_ratio", ratio))
    }
}

/// Largest number of balls in a gas or in a group of a scene file.
pub(super) const MOST_PARTICLES: usize = 100_000_000;

fn positive(field: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Error::OutOfRange { field, value, expected: "above 0 and finite" })
    }
}

fn power(base: f64, exponent: usize) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// A store of balls; components from `dim` on are dropped.
pub(super) fn store(
    dim: usize,
    positions: &[[f64; 3]],
    velocities: &[[f64; 3]],
    radii: &[f64],
    masses: &[f64],
) -> Result<Particles> {
    let columns = |vectors: &[[f64; 3]]| -> Vec<Vec<f64>> {
        (0..dim).map(|axis| vectors.iter().map(|vector| vector[axis]).collect()).collect()
    };
    let (position, velocity) = (columns(positions), columns(velocities));
    let position: Vec<&[f64]> = position.iter().map(Vec::as_slice).collect();
    let velocity: Vec<&[f64]> = velocity.iter().map(Vec::as_slice).collect();
    let mut particles = Particles::new(dim)?;
    particles.add_batch(&Batch {
        position: &position,
        velocity: &velocity,
        radius: radii,
        mass: masses,
        ..Batch::default()
    })?;
    Ok(particles)
}
