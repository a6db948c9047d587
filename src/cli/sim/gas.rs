//! The options of the scene gas: the fields of `[gas]` and `[gas.mix]` of a scene file, by the same names.

use carom::Error;
use carom::events::Boundary;
use carom::events::scenes::{Filling, Gas, Mix, Scene};
use clap::ValueEnum;

use crate::cli::{Failure, Result, count, number};

/// Parameters of a gas; the defaults are those of [`Gas::new`].
#[derive(Default, clap::Args)]
#[command(next_help_heading = "Options of the scene gas")]
pub(super) struct GasOptions {
    /// Number of particles [default: 1372; 1024 in 2D, 1000 in 1D]
    #[arg(long, value_name = "N", value_parser = count)]
    particles: Option<u64>,
    /// Number density, particles per m^dim [default: 0.5]
    #[arg(long, value_name = "R", value_parser = number, allow_negative_numbers = true)]
    density: Option<f64>,
    /// Share of the volume that the particles take, instead of --density
    #[arg(long, value_name = "P", value_parser = number, allow_negative_numbers = true,
          conflicts_with = "density")]
    packing: Option<f64>,
    /// Dimension, 1, 2 or 3 [default: 3]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u8).range(1..=3))]
    dim: Option<u8>,
    /// Radius, of the larger kind in a mixture, in metres [default: 0.5]
    #[arg(long, value_name = "R", value_parser = number, allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Mass, of the larger kind in a mixture, in kilograms [default: 1]
    #[arg(long, value_name = "M", value_parser = number, allow_negative_numbers = true)]
    mass: Option<f64>,
    /// Mean of m v^2 / dim at the start, in joules [default: 1]
    #[arg(long, value_name = "E", value_parser = number, allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// What all faces of the box do [default: periodic]
    #[arg(long, value_enum, value_name = "WALLS")]
    walls: Option<Walls>,
    /// Mixture: share of the particles that are of the smaller kind, from 0 to 1
    #[arg(long, value_name = "F", value_parser = number, allow_negative_numbers = true,
          requires = "radius_ratio")]
    fraction: Option<f64>,
    /// Mixture: radius of a small particle over that of a large one, at most 1
    #[arg(long, value_name = "R", value_parser = number, allow_negative_numbers = true,
          requires = "fraction")]
    radius_ratio: Option<f64>,
    /// Mixture: mass of a small particle over that of a large one [default: as of the same material]
    #[arg(long, value_name = "M", value_parser = number, allow_negative_numbers = true,
          requires = "fraction")]
    mass_ratio: Option<f64>,
}

/// Boundaries that a gas can have, by the names of scene files.
#[derive(Clone, Copy, ValueEnum)]
enum Walls {
    /// a particle that leaves through one face enters through the other
    Periodic,
    /// particles bounce off
    Reflecting,
}

impl GasOptions {
    /// The first option that was given, with its dashes.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--particles", self.particles.is_some()),
            ("--density", self.density.is_some()),
            ("--packing", self.packing.is_some()),
            ("--dim", self.dim.is_some()),
            ("--radius", self.radius.is_some()),
            ("--mass", self.mass.is_some()),
            ("--temperature", self.temperature.is_some()),
            ("--walls", self.walls.is_some()),
            ("--fraction", self.fraction.is_some()),
            ("--radius-ratio", self.radius_ratio.is_some()),
            ("--mass-ratio", self.mass_ratio.is_some()),
        ];
        given.into_iter().find_map(|(option, given)| given.then_some(option))
    }

    /// The gas in its box.
    pub(super) fn scene(&self, seed: Option<u64>) -> Result<Scene> {
        self.gas(seed).scene().map_err(|error| about_option(&error))
    }

    fn gas(&self, seed: Option<u64>) -> Gas {
        let usual = Gas::new(self.dim.unwrap_or(3).into());
        let mut gas = usual
            .with_radius(self.radius.unwrap_or(usual.radius))
            .with_mass(self.mass.unwrap_or(usual.mass))
            .with_temperature(self.temperature.unwrap_or(usual.temperature))
            .with_boundary(self.walls.map_or(usual.boundary, Boundary::from))
            .with_seed(seed.unwrap_or(usual.seed));
        if let Some(particles) = self.particles {
            gas.particles = usize::try_from(particles).unwrap_or(usize::MAX);
        }
        let density = self.density.map(Filling::NumberDensity);
        gas.filling = density.or(self.packing.map(Filling::Packing)).unwrap_or(usual.filling);
        gas.mix = self.mix();
        gas
    }

    /// The parser accepts fraction and ratio only together.
    fn mix(&self) -> Option<Mix> {
        let (fraction, radius_ratio) = self.fraction.zip(self.radius_ratio)?;
        let mut mix = Mix::new(fraction, radius_ratio);
        mix.mass_ratio = self.mass_ratio;
        Some(mix)
    }
}

impl From<Walls> for Boundary {
    fn from(walls: Walls) -> Self {
        match walls {
            Walls::Periodic => Self::Periodic,
            Walls::Reflecting => Self::Reflecting,
        }
    }
}

/// The error of a field of a gas, with the name of the option.
fn about_option(error: &Error) -> Failure {
    match error {
        Error::OutOfRange { field, value, expected } => {
            let option = field.trim_start_matches("mix.").replace('_', "-");
            Failure(format!("--{option} is {value}: it must be {expected}"))
        }
        _ => Failure(error.to_string()),
    }
}
