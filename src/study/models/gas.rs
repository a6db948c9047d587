//! `gas`: hard rods, disks or spheres in a box, from a lattice with Maxwell's speeds.
//!
//! `[gas]` has `dimension`, `particles`, `density` or `packing`, `radius`, `mass`, `temperature`, `walls`, `mix` and
//! `restitution`; all but the first two and `walls` may be distributions. A replica runs for `equilibrate` collisions a
//! particle; then it is measured for `collisions` a particle, or for `duration` seconds.
//!
//! Observables: `pressure` (by the virial), `compressibility` (P V / N kT), `collision_rate` (of one particle, 1/s),
//! `mean_free_path` (m); on demand `mean_free_time` (s), `diffusion` (mean square displacement over 2 D t, m2/s), `msd` (m2),
//! `temperature` (J), `energy_drift`, and with walls `wall_pressure`.

use std::ops::ControlFlow;

use rand_chacha::rand_core::Rng;

use super::Common;
use super::balls::{SLICE, empty_engine, write_all, write_event};
use super::numbers::{Bounds, NOT_NEGATIVE, Number, SHARE, within};
use super::replicas::{self, Course, OneByOne, Replica, Runner, Stopped, quantity};
use super::theory::Theory;
use crate::document::units::{Unit, Units};
use crate::document::{Fields, Value};
use crate::error::{Error, Result};
use crate::events::scenes::file::{MIX, WALLS, at_field, ball_count, dimension};
use crate::events::scenes::{Filling, Gas, Mix};
use crate::events::{Boundary, Engine, EventKind, EventSettings, Limit, Measurements, Stop};
use crate::study::inputs::Inputs;
use crate::study::model::{Input, Model, Observable, Replay, Worker};
use crate::study::random::{Purpose, Streams};
use crate::study::summary::Reference;

const KEYS: [&str; 13] = [
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

/// Balls of a gas that does not say how many: 4 x 4 x 4 cubes in 3D, 16 x 16 squares in 2D.
const PARTICLES: usize = 256;

/// Collisions a particle before and while it is measured, unless the study says otherwise.
const EQUILIBRATE: f64 = 10.0;
const COLLISIONS: f64 = 50.0;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    Pressure,
    Compressibility,
    CollisionRate,
    MeanFreePath,
    MeanFreeTime,
    Diffusion,
    Msd,
    Temperature,
    EnergyDrift,
    WallPressure,
}

/// How many of the [`observables`] are measured unless the study says which.
const USUAL: usize = 4;

fn observables(dim: usize, walls: Boundary) -> Vec<(Measure, Observable)> {
    let pressure = ["N", "N/m", "Pa"][dim - 1];
    let mut all = vec![
        (Measure::Pressure, quantity("pressure", pressure, "pressure by the virial")),
        (Measure::Compressibility, quantity("compressibility", "", "P V / (N kT)")),
        (Measure::CollisionRate, quantity("collision_rate", "1/s", "collisions of one particle a second")),
        (Measure::MeanFreePath, quantity("mean_free_path", "m", "mean path between two collisions")),
        (Measure::MeanFreeTime, quantity("mean_free_time", "s", "mean time between two collisions")),
        (Measure::Diffusion, quantity("diffusion", "m2/s", "mean square displacement over 2 D t")),
        (Measure::Msd, quantity("msd", "m2", "mean square displacement while it was measured")),
        (Measure::Temperature, quantity("temperature", "J", "2 K / (D N) at the end")),
        (Measure::EnergyDrift, quantity("energy_drift", "", "error of the energy, as a share of it")),
    ];
    if walls == Boundary::Reflecting {
        all.push((Measure::WallPressure, quantity("wall_pressure", pressure, "pressure on the walls")));
    }
    all
}

/// The gas of a replica, as far as it is known before.
struct Recipe {
    dim: usize,
    particles: usize,
    boundary: Boundary,
    filling: Number,
    by_packing: bool,
    radius: Number,
    mass: Number,
    temperature: Number,
    restitution: Number,
    /// Fraction, ratio of radii and ratio of masses.
    mix: Option<(Number, Number, Option<Number>)>,
}

/// How long something goes on.
#[derive(Debug, Clone, Copy)]
enum Span {
    /// Collisions of two balls.
    Collisions(u64),
    /// Seconds.
    Time(f64),
}

impl Span {
    /// Collisions that are reckoned with to find the size of a batch.
    fn work(self) -> f64 {
        match self {
            Self::Collisions(count) => count as f64,
            Self::Time(_) => f64::INFINITY,
        }
    }
}

struct GasModel {
    recipe: Recipe,
    equilibrate: Span,
    span: Span,
    inputs: Inputs,
    observables: Vec<Observable>,
    measures: Vec<Measure>,
    batch: u64,
    theory: Option<Theory>,
}

/// The model in `[gas]`.
pub(crate) fn read(fields: &Fields<'_>, common: &Common<'_>) -> Result<Box<dyn Model>> {
    let table = fields.need("gas")?.fields(&KEYS)?;
    let mut reader = Reader { table: &table, units: &common.units, inputs: Inputs::new() };
    let recipe = reader.recipe()?;
    let (equilibrate, span) = reader.spans(recipe.particles)?;
    let inputs = reader.inputs;
    let theory = recipe.theory(&inputs, &table)?;
    let all = observables(recipe.dim, recipe.boundary);
    let list: Vec<Observable> = all.iter().map(|(_, observable)| observable.clone()).collect();
    let chosen = common.select(&list, USUAL)?;
    Ok(Box::new(GasModel {
        equilibrate,
        span,
        inputs,
        observables: chosen.iter().map(|&number| list[number].clone()).collect(),
        measures: chosen.iter().map(|&number| all[number].0).collect(),
        batch: replicas::batch(common.batch, equilibrate.work() + span.work()),
        theory,
        recipe,
    }))
}

struct Reader<'t, 'a> {
    table: &'t Fields<'a>,
    units: &'t Units,
    inputs: Inputs,
}

impl Reader<'_, '_> {
    fn recipe(&mut self) -> Result<Recipe> {
        let dim = dimension(&self.table.need("dimension")?)?;
        let walls = self.table.get("walls").map(|walls| walls.choice(&WALLS[1..])).transpose()?;
        let (filling, by_packing) = self.filling(dim)?;
        let usual = Gas::new(dim);
        let units = *self.units;
        Ok(Recipe {
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
            1 => Err(value.error("is 1: one ball has no one to collide with")),
            count => Ok(count),
        }
    }

    fn filling(&mut self, dim: usize) -> Result<(Number, bool)> {
        match (self.table.get("density"), self.table.get("packing")) {
            (Some(_), Some(packing)) => {
                Err(packing.error("cannot stand beside density: one of them is enough"))
            }
            (Some(density), None) => {
                let unit = ["1/m", "1/m2", "1/m3"][dim - 1];
                Ok((self.drawn("density", unit, density, self.units.density(dim), NOT_NEGATIVE)?, false))
            }
            (None, Some(packing)) => Ok((self.drawn("packing", "", packing, Unit::ONE, SHARE)?, true)),
            (None, None) => Err(self.table.error("gas needs a density or a packing".into())),
        }
    }

    fn mix(&mut self) -> Result<Option<(Number, Number, Option<Number>)>> {
        let Some(value) = self.table.get("mix") else { return Ok(None) };
        let fields = value.fields(&MIX)?;
        let fraction = self.drawn("mix.fraction", "", fields.need("fraction")?, Unit::ONE, SHARE)?;
        let radius = self.drawn("mix.radius_ratio", "", fields.need("radius_ratio")?, Unit::ONE, SHARE)?;
        let mass = fields.get("mass_ratio");
        let mass = mass.map(|value| self.drawn("mix.mass_ratio", "", value, Unit::ONE, NOT_NEGATIVE));
        Ok(Some((fraction, radius, mass.transpose()?)))
    }

    fn number(&mut self, name: &str, unit: &str, scale: Unit, bounds: Bounds, usual: f64) -> Result<Number> {
        match self.table.get(name) {
            Some(value) => self.drawn(name, unit, value, scale, bounds),
            None => Ok(Number::Constant(usual)),
        }
    }

    fn drawn(
        &mut self,
        name: &str,
        unit: &str,
        value: Value<'_>,
        scale: Unit,
        bounds: Bounds,
    ) -> Result<Number> {
        let distribution = within(value, scale, bounds)?;
        Ok(Number::new(distribution, &format!("gas.{name}"), unit, &mut self.inputs))
    }

    /// How long to equilibrate and to measure.
    fn spans(&self, particles: usize) -> Result<(Span, Span)> {
        // A collision is one of each of two particles.
        let collisions = |each: f64| Span::Collisions((0.5 * each * particles as f64).ceil() as u64);
        let get = |name: &str, usual: f64| self.table.get(name).map_or(Ok(usual), |value| value.positive());
        let before = self.table.get("equilibrate").map_or(Ok(EQUILIBRATE), |value| value.non_negative())?;
        let span = match (self.table.get("duration"), self.table.get("collisions")) {
            (Some(_), Some(collisions)) => {
                return Err(collisions.error("cannot stand beside duration: one of them is enough"));
            }
            (Some(duration), None) => Span::Time(self.units.time.si(duration.positive()?)),
            (None, _) => collisions(get("collisions", COLLISIONS)?),
        };
        Ok((collisions(before), span))
    }
}

impl Recipe {
    fn gas(&self, inputs: &[f64], seed: u64) -> Gas {
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

    /// What theory says, if it does: of elastic balls, all alike, in a periodic box, when nothing but the start is random.
    /// Such a gas is also looked at for what is wrong with it.
    fn theory(&self, inputs: &Inputs, table: &Fields<'_>) -> Result<Option<Theory>> {
        if !inputs.names().is_empty() {
            return Ok(None);
        }
        let gas = self.gas(&[], 1);
        gas.scene().map_err(|error| at_field(table, &error))?;
        let plain = self.boundary == Boundary::Periodic && self.restitution.of(&[]) == 1.0;
        Ok(Theory::of(&gas).filter(|_| plain && gas.temperature > 0.0))
    }
}

impl Model for GasModel {
    fn observables(&self) -> &[Observable] {
        &self.observables
    }

    fn inputs(&self) -> &[Input] {
        self.inputs.names()
    }

    fn batch(&self) -> u64 {
        self.batch
    }

    fn reference(&self, observable: usize) -> Option<Reference> {
        let theory = self.theory.as_ref()?;
        let (name, value) = match self.measures[observable] {
            Measure::Pressure => (theory.equation(), theory.pressure()),
            Measure::Compressibility => (theory.equation(), theory.compressibility()),
            Measure::CollisionRate => ("Enskog", theory.collision_rate()),
            Measure::MeanFreePath => ("Enskog", theory.mean_free_path()),
            Measure::MeanFreeTime => ("Enskog", theory.collision_rate().map(f64::recip)),
            _ => return None,
        };
        value.map(|value| Reference { name: name.into(), value })
    }

    fn worker(&self, seed: u64, point: u64) -> Box<dyn Worker + '_> {
        match self.recipe.dim {
            1 => Box::new(self.runs::<1>(seed, point)),
            2 => Box::new(self.runs::<2>(seed, point)),
            _ => Box::new(self.runs::<3>(seed, point)),
        }
    }

    fn replay(&self, seed: u64, point: u64, replica: u64) -> Result<Replay> {
        let columns = replicas::course_columns(self.recipe.dim);
        match self.recipe.dim {
            1 => self.runs::<1>(seed, point).replay(replica, columns),
            2 => self.runs::<2>(seed, point).replay(replica, columns),
            _ => self.runs::<3>(seed, point).replay(replica, columns),
        }
    }
}

impl GasModel {
    fn runs<const D: usize>(&self, seed: u64, point: u64) -> OneByOne<'_, GasRunner<'_, D>> {
        let seeds = Streams::new(seed, point, Purpose::Course);
        let runner = GasRunner { model: self, seeds, engine: empty_engine() };
        OneByOne::new(&self.inputs, self.measures.len(), seed, point, runner)
    }
}

struct GasRunner<'m, const D: usize> {
    model: &'m GasModel,
    seeds: Streams,
    engine: Engine<D>,
}

/// About how fast things go in a gas: when to give up waiting for a collision.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Time between two collisions of a ball if the gas is dilute, in seconds.
    flight: f64,
    /// How long to run between two looks at whether to go on, in seconds.
    stride: f64,
}

/// Times the age of the gas that is waited for a collision.
const PATIENCE: f64 = 1000.0;

/// Crossings of the box between two looks at whether to go on.
const CROSSINGS: f64 = 256.0;

impl<const D: usize> GasRunner<'_, D> {
    fn begin(&mut self, replica: &Replica<'_>) -> Result<Pace> {
        let recipe = &self.model.recipe;
        let gas = recipe.gas(replica.inputs, self.seeds.generator(replica.number).next_u64());
        let scene = gas.scene()?;
        self.engine.restart(scene.walls(), |particles| {
            particles.copy_from(&scene.particles)?;
            Ok(EventSettings { restitution: recipe.restitution.of(replica.inputs), ..scene.settings })
        })?;
        let speed = (gas.temperature / gas.mass).sqrt();
        let alike = Theory::of(&Gas { mix: None, ..gas });
        let flight = alike.map_or(f64::INFINITY, |theory| theory.dilute_flight());
        Ok(Pace { flight, stride: CROSSINGS * scene.enclosure[0].upper / speed })
    }

    /// Goes on for a span, and writes the collisions down if there is a course.
    fn pass(
        &mut self,
        span: Span,
        pace: Pace,
        replica: &Replica<'_>,
        course: &mut Option<&mut Course>,
    ) -> std::result::Result<(), Stopped> {
        let (mut left, end) = match span {
            Span::Collisions(count) => (count, f64::INFINITY),
            Span::Time(seconds) => (u64::MAX, self.engine.time() + seconds),
        };
        let mut met = self.engine.time();
        while left > 0 {
            replica.check()?;
            let now = self.engine.time();
            let limit = Limit {
                time: end.min(now + pace.stride + 0.1 * now),
                collisions: if course.is_some() { 1 } else { SLICE },
            };
            let (mut last, before) = (None, left);
            let stop = self.engine.run_with(limit, |event| {
                last = Some(*event);
                left -= u64::from(event.kind == EventKind::Collision);
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if let (Some(course), Some(event)) = (course.as_deref_mut(), &last) {
                write_event(&mut self.engine, event, course);
            }
            if course.as_ref().is_some_and(|course| course.is_full()) {
                *course = None;
            }
            if stop == Stop::Time && self.engine.time() >= end {
                break;
            }
            if left < before {
                met = self.engine.time();
            } else if end == f64::INFINITY && hopeless(stop, self.engine.time(), met, pace) {
                let expected = "such that balls collide: nothing happens any more";
                let value = self.model.recipe.temperature.of(replica.inputs);
                return Err(Error::OutOfRange { field: "temperature", value, expected }.into());
            }
        }
        Ok(())
    }

    fn measure(
        &mut self,
        replica: &Replica<'_>,
        values: &mut [f64],
        mut course: Option<&mut Course>,
    ) -> std::result::Result<(), Stopped> {
        let pace = self.begin(replica)?;
        if let Some(course) = course.as_deref_mut() {
            write_all(&mut self.engine, course);
        }
        self.pass(self.model.equilibrate, pace, replica, &mut course)?;
        self.engine.reset_measurements();
        let start = self.engine.measurements();
        self.pass(self.model.span, pace, replica, &mut course)?;
        self.fill(&start, values);
        if let Some(course) = course {
            write_all(&mut self.engine, course);
        }
        Ok(())
    }

    fn fill(&self, start: &Measurements<D>, values: &mut [f64]) {
        let found = self.engine.measurements();
        let count = self.engine.len() as f64;
        // N kT, the mean of start and end.
        let thermal = 0.5 * count * (start.temperature + found.temperature);
        let volume = self.engine.enclosure().volume();
        for (value, measure) in values.iter_mut().zip(&self.model.measures) {
            let number = match measure {
                Measure::Pressure => found.virial_pressure,
                Measure::Compressibility => found
                    .virial_pressure
                    .zip(volume)
                    .filter(|_| thermal > 0.0)
                    .map(|(pressure, volume)| pressure * volume / thermal),
                Measure::CollisionRate => {
                    (found.duration > 0.0).then(|| 2.0 * found.collisions as f64 / (count * found.duration))
                }
                Measure::MeanFreePath => found.mean_free_path,
                Measure::MeanFreeTime => found.mean_free_time,
                Measure::Diffusion => (found.duration > 0.0)
                    .then(|| found.mean_square_displacement / (2.0 * D as f64 * found.duration)),
                Measure::Msd => Some(found.mean_square_displacement),
                Measure::Temperature => Some(found.temperature),
                Measure::EnergyDrift => Some(found.energy_drift),
                Measure::WallPressure => found.wall_pressure,
            };
            *value = number.unwrap_or(f64::NAN);
        }
    }
}

/// Whether no collision is to be expected any more, the last having been at `met`.
fn hopeless(stop: Stop, now: f64, met: f64, pace: Pace) -> bool {
    stop == Stop::Idle || !(now - met < PATIENCE * (met + pace.flight))
}

impl<const D: usize> Runner for GasRunner<'_, D> {
    fn run(&mut self, replica: &Replica<'_>, values: &mut [f64]) -> std::result::Result<(), Stopped> {
        self.measure(replica, values, None)
    }

    fn record(&mut self, replica: &Replica<'_>, values: &mut [f64], course: &mut Course) -> Result<()> {
        match self.measure(replica, values, Some(course)) {
            Err(Stopped::Failed(error)) => Err(error),
            Ok(()) | Err(Stopped::Cancelled) => Ok(()),
        }
    }
}
