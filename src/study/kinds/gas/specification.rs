//! What `[gas]` says: the gas of a replica and how long it runs.

use crate::document::units::{Unit, Units};
use crate::document::{Fields, Value};
use crate::error::Result;
use crate::events::Boundary;
use crate::events::scenes::file::{MIX, WALLS, at_field, ball_count, dimension};
use crate::events::scenes::{Filling, Gas, Mix};
use crate::study::inputs::Inputs;
use crate::study::kinds::gas::theory::{FEWEST, Theory};
use crate::study::kinds::parameter::{Bounds, NOT_NEGATIVE, Number, SHARE, within};

pub(super) const KEYS: [&str; 13] = [
    "dimension",
    "particles",
    "density",
    "packing",
    "radius",
    "mass",
    "temperature",
    "walls",
    "mix",
    "restitution",
    "equilibrate",
    "collisions",
    "duration",
];

/// The default number of balls: 4 x 4 x 4 cubes in 3D, 16 x 16 squares in 2D.
const PARTICLES: usize = 256;

/// Collisions per particle before and while it is measured, unless the study says otherwise.
const EQUILIBRATE: f64 = 10.0;
const COLLISIONS: f64 = 50.0;

/// The gas of a replica, as a function of its inputs.
pub(super) struct Specification {
    pub(super) dim: usize,
    pub(super) particles: usize,
    pub(super) boundary: Boundary,
    filling: Number,
    by_packing: bool,
    radius: Number,
    mass: Number,
    pub(super) temperature: Number,
    pub(super) restitution: Number,
    /// Fraction, ratio of radii and ratio of masses.
    mix: Option<(Number, Number, Option<Number>)>,
}

/// How long something goes on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Span {
    /// Collisions of two balls.
    Collisions(u64),
    /// Seconds.
    Time(f64),
}

impl Span {
    /// Collisions that are assumed for the size of a batch.
    pub(super) fn work(self) -> f64 {
        match self {
            Self::Collisions(count) => count as f64,
            Self::Time(_) => f64::INFINITY,
        }
    }
}

pub(super) struct Reader<'t, 'a> {
    pub(super) table: &'t Fields<'a>,
    pub(super) units: &'t Units,
    pub(super) inputs: Inputs,
}

impl Reader<'_, '_> {
    pub(super) fn specification(&mut self) -> Result<Specification> {
        let dim = dimension(&self.table.need("dimension")?)?;
        let walls = self.table.get("walls").map(|walls| walls.choice(&WALLS[1..])).transpose()?;
        let (filling, by_packing) = self.filling(dim)?;
        let usual = Gas::new(dim);
        let units = *self.units;
        Ok(Specification {
            dim,
            particles: self.particles()?,
            boundary: walls.unwrap_or(usual.boundary),
            filling,
            by_packing,
            radius: self.number("radius", "m", units.length, NOT_NEGATIVE, usual.radius)?,
            mass: self.number("mass", "kg", units.mass, NOT_NEGATIVE, usual.mass)?,
            temperature: self.number("temperature", "J", units.energy(), NOT_NEGATIVE, usual.temperature)?,
            restitution: self.number("restitution", "", Unit::ONE, SHARE, 1.0)?,
            mix: self.mix()?,
        })
    }

    /// One ball never collides.
    fn particles(&self) -> Result<usize> {
        let Some(value) = self.table.get("particles") else { return Ok(PARTICLES) };
        match ball_count(&value)? {
            1 => Err(value.error("is 1: a single ball never collides")),
            count => Ok(count),
        }
    }

    fn filling(&mut self, dim: usize) -> Result<(Number, bool)> {
        match (self.table.get("density"), self.table.get("packing")) {
            (Some(_), Some(packing)) => Err(packing.error("cannot be combined with density")),
            (Some(density), None) => {
                let unit = ["1/m", "1/m2", "1/m3"][dim - 1];
                Ok((self.drawn("density", unit, &density, self.units.density(dim), NOT_NEGATIVE)?, false))
            }
            (None, Some(packing)) => Ok((self.drawn("packing", "", &packing, Unit::ONE, SHARE)?, true)),
            (None, None) => Err(self.table.error("gas needs a density or a packing".into())),
        }
    }

    fn mix(&mut self) -> Result<Option<(Number, Number, Option<Number>)>> {
        let Some(value) = self.table.get("mix") else { return Ok(None) };
        let fields = value.fields(&MIX)?;
        let fraction = self.drawn("mix.fraction", "", &fields.need("fraction")?, Unit::ONE, SHARE)?;
        let radius = self.drawn("mix.radius_ratio", "", &fields.need("radius_ratio")?, Unit::ONE, SHARE)?;
        let mass = fields.get("mass_ratio");
        let mass = mass.map(|value| self.drawn("mix.mass_ratio", "", &value, Unit::ONE, NOT_NEGATIVE));
        Ok(Some((fraction, radius, mass.transpose()?)))
    }

    fn number(&mut self, name: &str, unit: &str, scale: Unit, bounds: Bounds, usual: f64) -> Result<Number> {
        match self.table.get(name) {
            Some(value) => self.drawn(name, unit, &value, scale, bounds),
            None => Ok(Number::Constant(usual)),
        }
    }

    fn drawn(
        &mut self,
        name: &str,
        unit: &str,
        value: &Value<'_>,
        scale: Unit,
        bounds: Bounds,
    ) -> Result<Number> {
        let distribution = within(value, scale, bounds)?;
        Ok(Number::new(distribution, &format!("gas.{name}"), unit, &mut self.inputs))
    }

    /// How long to equilibrate and to measure.
    pub(super) fn spans(&self, particles: usize) -> Result<(Span, Span)> {
        // A collision is one of each of two particles.
        let collisions = |each: f64| Span::Collisions((0.5 * each * particles as f64).ceil() as u64);
        let get = |name: &str, usual: f64| self.table.get(name).map_or(Ok(usual), |value| value.positive());
        let before = self.table.get("equilibrate").map_or(Ok(EQUILIBRATE), |value| value.non_negative())?;
        let span = match (self.table.get("duration"), self.table.get("collisions")) {
            (Some(_), Some(collisions)) => {
                return Err(collisions.error("cannot be combined with duration"));
            }
            (Some(duration), None) => Span::Time(self.units.time.si(duration.positive()?)),
            (None, _) => collisions(get("collisions", COLLISIONS)?),
        };
        Ok((collisions(before), span))
    }
}

impl Specification {
    pub(super) fn gas(&self, inputs: &[f64], seed: u64) -> Gas {
        let filling = self.filling.of(inputs);
        Gas {
            dim: self.dim,
            particles: self.particles,
            filling: if self.by_packing {
                Filling::Packing(filling)
            } else {
                Filling::NumberDensity(filling)
            },
            radius: self.radius.of(inputs),
            mass: self.mass.of(inputs),
            temperature: self.temperature.of(inputs),
            mix: self.mix.map(|(fraction, radius_ratio, mass_ratio)| Mix {
                fraction: fraction.of(inputs),
                radius_ratio: radius_ratio.of(inputs),
                mass_ratio: mass_ratio.map(|ratio| ratio.of(inputs)),
            }),
            boundary: self.boundary,
            seed,
        }
    }

    /// The theory, where there is one: for many elastic balls, all alike, in a periodic box, if only the start is random.
    /// Such a gas is also checked for errors.
    pub(super) fn theory(&self, inputs: &Inputs, table: &Fields<'_>) -> Result<Option<Theory>> {
        if !inputs.names().is_empty() {
            return Ok(None);
        }
        let gas = self.gas(&[], 1);
        gas.scene().map_err(|error| at_field(table, &error))?;
        let many = gas.particles >= FEWEST;
        let plain = many && self.boundary == Boundary::Periodic && self.restitution.of(&[]) == 1.0;
        Ok(Theory::of(&gas).filter(|_| plain && gas.temperature > 0.0))
    }
}
