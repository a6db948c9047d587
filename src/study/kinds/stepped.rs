//! `stepped`: particles with attraction, gravity, drag and collisions, in time steps.
//!
//! `[stepped]` has a `file` with a world in JSON, or a `dimension`, `[stepped.physics]` and `[[stepped.particle]]` tables. It
//! runs to `until` seconds in steps of `dt` (default: what the file says). `[vary]` says what differs from replica to replica.
//!
//! Observables: `collisions`, `any_collision`, `first_collision` (s), `kinetic_energy` (J), `energy_drift` (not with the
//! attraction `as-printed`, which has no potential); on demand `momentum` (its length, kg m/s) and `closest` (least distance of
//! two centres at the start and after each step, m).

use std::ops::ControlFlow;

use super::parameter::{ANY, NOT_NEGATIVE};
use super::sequential::{self, Replica, Sequential, Simulator, Stopped, Trajectory, chance, quantity};
use super::vary::{Rule, Subject, Vary};
use super::{Common, Kind};
use crate::document::Fields;
use crate::document::units::{Unit, Units};
use crate::error::Result;
use crate::events::scenes::file::dimension;
use crate::io;
use crate::particles::gravity::{AttractionLaw, DEFAULT_OPENING};
use crate::particles::{Field, Particle, Particles};
use crate::study::inputs::Inputs;
use crate::study::model::{Declaration, Model, Observable, ReplicaStart, Worker};
use crate::world::{INTEGRATORS, Settings, World};

pub(super) const KIND: Kind = Kind {
    name: "stepped",
    description: "particles with forces, in time steps",
    template: include_str!("templates/stepped.toml"),
    swept: "stepped.physics.restitution",
    keys: || KEYS.to_vec(),
    observables: || {
        observables(AttractionLaw::Newton).0.into_iter().map(|(_, observable)| observable).collect()
    },
    has_vary: true,
    read,
};

const KEYS: [&str; 6] = ["file", "dimension", "dt", "until", "physics", "particle"];
pub(super) const PHYSICS: [&str; 8] =
    ["gravity", "attraction", "law", "opening", "softening", "restitution", "max_collisions", "integrator"];
pub(super) const PARTICLE: [&str; 7] =
    ["position", "velocity", "acceleration", "radius", "mass", "drag", "fixed"];

const LAWS: [(&str, AttractionLaw); 3] = [
    ("newton", AttractionLaw::Newton),
    ("as-printed", AttractionLaw::AsPrinted),
    ("barnes-hut", AttractionLaw::BarnesHut { opening: DEFAULT_OPENING }),
];

/// What `[vary]` may change of the rules.
static RULES: [Rule<Settings>; 4] = [
    Rule::gravity(|settings| &mut settings.down_gravity),
    Rule {
        name: "attraction",
        unit: "m3/(kg s2)",
        scale: Units::attraction,
        range: ANY,
        place: |settings| &mut settings.attraction.constant,
    },
    Rule {
        name: "softening",
        unit: "m",
        scale: |units| units.length,
        range: NOT_NEGATIVE,
        place: |settings| &mut settings.attraction.softening,
    },
    Rule::restitution("restitution", |settings| &mut settings.restitution),
];

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    Collisions,
    AnyCollision,
    FirstCollision,
    KineticEnergy,
    EnergyDrift,
    Momentum,
    Closest,
}

/// What can be measured, and how many of them are unless the study says which.
fn observables(law: AttractionLaw) -> (Vec<(Measure, Observable)>, usize) {
    let drift = "change of the total energy, as a share of the magnitudes of kinetic and potential energy";
    let closest = "least distance of two centres, at the start and after each step";
    let mut all = vec![
        (Measure::Collisions, quantity("collisions", "", "collisions of two particles")),
        (Measure::AnyCollision, chance("any_collision", "two particles collided")),
        (Measure::FirstCollision, quantity("first_collision", "s", "time of the first collision, if any")),
        (Measure::KineticEnergy, quantity("kinetic_energy", "J", "kinetic energy at the end")),
        (Measure::EnergyDrift, quantity("energy_drift", "", drift)),
        (Measure::Momentum, quantity("momentum", "kg m/s", "length of the momentum at the end")),
        (Measure::Closest, quantity("closest", "m", closest)),
    ];
    if law == AttractionLaw::AsPrinted {
        all.retain(|(measure, _)| *measure != Measure::EnergyDrift);
    }
    let usual = all.len() - 2;
    (all, usual)
}

struct SteppedModel {
    world: World,
    vary: Vary<Settings>,
    dt: f64,
    /// How long a replica runs, in seconds.
    duration: f64,
    steps: u64,
    declaration: Declaration,
    measures: Vec<Measure>,
}

/// The model in `[stepped]` and `[vary]`.
fn read(table: &Fields<'_>, common: &Common<'_>) -> Result<Box<dyn Model>> {
    let world = read_world(table, common)?;
    let mut inputs = Inputs::new();
    let subject = Subject { body: "particle", particles: world.particles(), rules: &RULES };
    let vary = Vary::read(common, &subject, &mut inputs)?;
    let seconds =
        |name: &str| table.get(name).map(|value| Ok(common.units.time.si(value.positive()?))).transpose();
    let dt = seconds("dt")?.unwrap_or(world.settings().dt);
    let until = table.need("until")?;
    let duration = common.units.time.si(until.positive()?) - world.time();
    if duration <= 0.0 {
        return Err(until.error(format!("must be after the time of the world, which is {} s", world.time())));
    }
    let is_short = duration / dt < MOST_STEPS;
    if !is_short {
        return Err(until.error(format!("takes more than {MOST_STEPS} steps of {dt} s")));
    }
    let steps = (duration / dt * (1.0 - ROUNDING)).ceil().max(1.0) as u64;
    let (all, usual) = observables(world.settings().attraction.law);
    let batch = sequential::batch_size(world.particles().len() as f64 * steps as f64);
    let (measures, declaration) = common.declare(&all, usual, inputs, batch)?;
    Ok(Box::new(SteppedModel { dt, duration, steps, declaration, measures, world, vary }))
}

/// The most steps of a replica.
const MOST_STEPS: f64 = 1e12;

/// A duration that exceeds whole steps by no more than this share counts as whole steps.
const ROUNDING: f64 = 1e-12;

fn read_world(table: &Fields<'_>, common: &Common<'_>) -> Result<World> {
    let Some(file) = table.get("file") else { return inline_world(table, &common.units) };
    if let Some(beside) = ["dimension", "physics", "particle"].iter().find_map(|key| table.get(key)) {
        return Err(beside.error("cannot be combined with a file"));
    }
    let text = common.include(file.text()?)?;
    let world =
        io::from_bytes(text.as_bytes()).map_err(|error| file.error(format!("cannot be used: {error}")))?;
    match world.particles().dim() {
        1..=3 => Ok(world),
        dim => Err(file.error(format!("has a world of {dim} dimensions: studies have 1, 2 or 3"))),
    }
}

fn inline_world(table: &Fields<'_>, units: &Units) -> Result<World> {
    let dim = dimension(&table.need("dimension")?)?;
    let rows = table.tables("particle", &PARTICLE)?;
    let particles: Vec<Particle> =
        rows.iter().map(|row| read_particle(row, dim, units)).collect::<Result<_>>()?;
    let mut world = World::new(dim)?;
    world.particles_mut().add_many(&particles)?;
    world.set_settings(read_settings(table, dim, units)?)?;
    Ok(world)
}

fn read_settings(table: &Fields<'_>, dim: usize, units: &Units) -> Result<Settings> {
    let mut settings = Settings::default();
    let Some(physics) = table.get("physics") else { return Ok(settings) };
    let fields = physics.fields(&PHYSICS)?;
    if let Some(value) = fields.get("gravity") {
        settings.down_gravity = units.acceleration().si(value.number()?);
        if dim == 1 && settings.down_gravity != 0.0 {
            return Err(value.error("must be 0 in dimension 1, which has no second axis to fall along"));
        }
    }
    if let Some(value) = fields.get("attraction") {
        settings.attraction.constant = units.attraction().si(value.number()?);
    }
    if let Some(value) = fields.get("law") {
        settings.attraction.law = value.choice(&LAWS)?;
    }
    if let Some(value) = fields.get("opening") {
        let AttractionLaw::BarnesHut { opening } = &mut settings.attraction.law else {
            return Err(value.error("is for law = \"barnes-hut\""));
        };
        *opening = value.share()?;
    }
    if let Some(value) = fields.get("integrator") {
        settings.integrator = value.choice(&INTEGRATORS)?;
    }
    if let Some(value) = fields.get("softening") {
        settings.attraction.softening = units.length.si(value.non_negative()?);
    }
    if let Some(value) = fields.get("restitution") {
        settings.restitution = value.share()?;
    }
    if let Some(value) = fields.get("max_collisions") {
        settings.max_collisions = value.count(1)?;
    }
    Ok(settings)
}

fn read_particle(fields: &Fields<'_>, dim: usize, units: &Units) -> Result<Particle> {
    let vector = |name: &str, unit: Unit| -> Result<Vec<f64>> {
        let value = fields.get(name).map_or(Ok([0.0; 3]), |value| value.vector(dim))?;
        Ok(unit.si_vector(value)[..dim].to_vec())
    };
    fields.need("position")?;
    let radius = units.length.si(fields.need("radius")?.positive()?);
    let mut particle = Particle::sphere(&vector("position", units.length)?, radius);
    particle.velocity = vector("velocity", units.velocity())?;
    particle.acceleration = vector("acceleration", units.acceleration())?;
    particle.mass = units.mass.si(fields.need("mass")?.non_negative()?);
    particle.drag = fields.get("drag").map_or(Ok(0.0), |drag| Ok(units.rate().si(drag.non_negative()?)))?;
    particle.fixed = fields.get("fixed").map_or(Ok(false), |fixed| fixed.boolean())?;
    let moves = |name: &&str| fields.get(name).is_some_and(|value| value.vector(dim) != Ok([0.0; 3]));
    match ["velocity", "acceleration"].iter().find(|name| particle.fixed && moves(name)) {
        Some(name) => Err(fields.need(name)?.error("must be 0: the particle is fixed")),
        None => Ok(particle),
    }
}

impl Model for SteppedModel {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn worker(&self, seed: u64, point: u64) -> Box<dyn Worker + '_> {
        let (world, observed) = (self.world.clone(), Observed::default());
        let simulator = SteppedSimulator { model: self, world, observed };
        Box::new(Sequential::new(&self.declaration, self.world.particles().dim(), seed, point, simulator))
    }
}

impl SteppedModel {
    fn measures(&self, measure: Measure) -> bool {
        self.measures.contains(&measure)
    }
}

struct SteppedSimulator<'m> {
    model: &'m SteppedModel,
    world: World,
    observed: Observed,
}

/// What the steps of a replica have shown so far.
#[derive(Debug, Default)]
struct Observed {
    collisions: u64,
    first_collision: Option<f64>,
    closest: f64,
    /// Kinetic and potential energy at the start, if they matter.
    initial: [f64; 2],
}

impl SteppedSimulator<'_> {
    fn begin(&mut self, replica: &Replica<'_>) -> Result<()> {
        let (model, world) = (self.model, &mut self.world);
        let mut settings = *model.world.settings();
        world.particles_mut().copy_from(model.world.particles())?;
        model.vary.apply(replica.inputs, world.particles_mut(), &mut settings)?;
        world.set_settings(settings)?;
        world.set_time(model.world.time())?;
        self.observed = Observed { closest: f64::INFINITY, ..Observed::default() };
        if model.measures(Measure::EnergyDrift) {
            self.observed.initial = self.energies();
        }
        self.measure_distance();
        Ok(())
    }

    fn energies(&self) -> [f64; 2] {
        [self.world.kinetic_energy(), self.world.potential_energy().unwrap_or(f64::NAN)]
    }

    fn step(&mut self, number: u64, replica: &Replica<'_>) -> std::result::Result<(), Stopped> {
        let gone = number as f64 * self.model.dt;
        let observed = &mut self.observed;
        let dt = self.model.dt.min(self.model.duration - gone).max(0.0);
        let step = self.world.step_stoppable(dt, &mut |collision| {
            if let Some(collision) = collision {
                observed.first_collision.get_or_insert(collision.time);
            }
            if replica.check().is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if !step.is_complete {
            return Err(Stopped::Cancelled);
        }
        observed.collisions += step.collisions;
        self.measure_distance();
        Ok(())
    }

    /// Updates the least distance.
    fn measure_distance(&mut self) {
        if self.model.measures(Measure::Closest) {
            self.observed.closest = self.observed.closest.min(least_distance(self.world.particles()));
        }
    }

    fn fill(&self, values: &mut [f64]) {
        for (value, measure) in values.iter_mut().zip(&self.model.measures) {
            *value = match measure {
                Measure::Collisions => self.observed.collisions as f64,
                Measure::AnyCollision => f64::from(u8::from(self.observed.collisions > 0)),
                Measure::FirstCollision => self.observed.first_collision.unwrap_or(f64::NAN),
                Measure::KineticEnergy => self.world.kinetic_energy(),
                Measure::EnergyDrift => drift(self.observed.initial, self.energies()),
                Measure::Momentum => self.world.momentum().iter().fold(0.0, |sum, p| sum + p * p).sqrt(),
                Measure::Closest if self.observed.closest < f64::INFINITY => self.observed.closest,
                Measure::Closest => f64::NAN,
            };
        }
    }

    fn write(&self, trajectory: &mut Trajectory) {
        let particles = self.world.particles();
        let vector = |field: Field, row: usize| -> Vec<f64> {
            particles.columns(field).iter().map(|column| column.as_slice()[row]).collect()
        };
        for row in 0..particles.len() {
            trajectory.push(
                self.world.time(),
                row,
                &vector(Field::Position, row),
                &vector(Field::Velocity, row),
            );
        }
    }
}

/// How far the sum of both energies is from what it was, as a share of their magnitudes.
fn drift(then: [f64; 2], now: [f64; 2]) -> f64 {
    let scale = |[kinetic, potential]: [f64; 2]| kinetic + potential.abs();
    let (change, whole) = ((now[0] + now[1]) - (then[0] + then[1]), scale(then).max(scale(now)));
    if whole == 0.0 { 0.0 } else { change.abs() / whole }
}

/// The least distance of two centres, in metres; infinite if there are no two.
fn least_distance(particles: &Particles) -> f64 {
    let columns = particles.columns(Field::Position);
    let square = |i: usize, j: usize| {
        columns.iter().fold(0.0, |sum, column| {
            let apart = column.as_slice()[i] - column.as_slice()[j];
            sum + apart * apart
        })
    };
    let pairs = (0..particles.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| square(i, j)).fold(f64::INFINITY, f64::min).sqrt()
}

impl Simulator for SteppedSimulator<'_> {
    fn start(&mut self, replica: &Replica<'_>) -> Result<ReplicaStart> {
        self.begin(replica)?;
        let until = self.world.time() + self.model.duration;
        Ok(ReplicaStart::World { world: self.world.clone(), dt: self.model.dt, until })
    }

    fn simulate(
        &mut self,
        replica: &Replica<'_>,
        values: &mut [f64],
        mut trajectory: Option<&mut Trajectory>,
    ) -> std::result::Result<(), Stopped> {
        self.begin(replica)?;
        let mut record = |simulator: &Self| {
            if let Some(trajectory) = trajectory.as_deref_mut() {
                simulator.write(trajectory);
            }
        };
        record(self);
        for number in 0..self.model.steps {
            replica.check()?;
            self.step(number, replica)?;
            record(self);
        }
        self.fill(values);
        Ok(())
    }
}
