//! `scene`: a scene of the event-driven engine, ready-made, from a scene file or written into the study file.
//!
//! `[scene]` has a `name` (one of the ready-made scenes), a `file`, or the tables of a scene file themselves, such as
//! `[[scene.ball]]`. It runs to `until` seconds (default: what the scene says) and not beyond `collisions` collisions, if
//! that is there. `[vary]` says what differs from replica to replica; a scene with random parts is drawn anew for each.
//!
//! Observables: `collisions`, `wall_collisions`, `wall_touchers` (balls that have touched a wall), `any_collision` (of two
//! balls), `first_collision` (of two balls, s), `last_event` (s), `kinetic_energy` (J); on demand `energy_lost` (share of the
//! kinetic energy at the start) and `mean_free_path` (m).

use std::ops::ControlFlow;

use rand_chacha::rand_core::Rng;

use super::event_engine::{SLICE, any, empty_engine, write_all, write_event};
use super::sequential::{self, Replica, Sequential, Simulator, Stopped, Trajectory, chance, quantity};
use super::vary::{Rule, Subject, Vary};
use super::{Common, Kind};
use crate::document::units::Units;
use crate::document::{Fields, Source};
use crate::error::{Error, Result};
use crate::events::scenes::file::TABLES;
use crate::events::scenes::{Gas, ReadyMade, SCENES, Scene};
use crate::events::{Engine, Event, EventKind, EventSettings, Limit, Measurements, Stop};
use crate::study::inputs::Inputs;
use crate::study::model::{Declaration, Model, Observable, ReplicaStart, Worker};
use crate::study::random::{Purpose, Streams};

pub(super) const KIND: Kind = Kind {
    name: "scene",
    description: "balls and walls, from collision to collision",
    template: include_str!("templates/scene.toml"),
    swept: "scene.physics.restitution",
    keys,
    observables: || observables().map(|(_, observable)| observable).to_vec(),
    has_vary: true,
    read,
};

/// Keys of `[scene]` beside those of a scene.
const OWN: [&str; 3] = ["name", "file", "collisions"];

/// What `[vary]` may change of the rules.
static RULES: [Rule<EventSettings>; 3] = [
    Rule::gravity(|settings| &mut settings.down_gravity),
    Rule::restitution("restitution", |settings| &mut settings.restitution),
    Rule::restitution("wall_restitution", |settings| &mut settings.wall_restitution),
];

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    Collisions,
    WallCollisions,
    WallTouchers,
    AnyCollision,
    FirstCollision,
    LastEvent,
    KineticEnergy,
    EnergyLost,
    MeanFreePath,
}

/// How many of the [`observables`] are measured unless the study says which.
const USUAL: usize = 7;

fn observables() -> [(Measure, Observable); 9] {
    [
        (Measure::Collisions, quantity("collisions", "", "collisions of two balls")),
        (Measure::WallCollisions, quantity("wall_collisions", "", "collisions with walls")),
        (Measure::WallTouchers, quantity("wall_touchers", "", "balls that touched a wall")),
        (Measure::AnyCollision, chance("any_collision", "two balls collided")),
        (
            Measure::FirstCollision,
            quantity("first_collision", "s", "time of the first collision of two balls, if there was one"),
        ),
        (
            Measure::LastEvent,
            quantity(
                "last_event",
                "s",
                "time of the last collision, with a ball or a wall, if there was one",
            ),
        ),
        (Measure::KineticEnergy, quantity("kinetic_energy", "J", "kinetic energy at the end")),
        (
            Measure::EnergyLost,
            quantity(
                "energy_lost",
                "",
                "energy lost in collisions, as a share of the kinetic energy at the start",
            ),
        ),
        (
            Measure::MeanFreePath,
            quantity("mean_free_path", "m", "mean path of a ball between two collisions with others"),
        ),
    ]
}

/// Collisions per ball that are assumed for the size of a batch.
const COLLISIONS_EACH: f64 = 4.0;

/// Where a scene comes from.
enum Origin {
    /// One of the list.
    ReadyMade(&'static ReadyMade),
    /// This scene file.
    File(String),
    /// This study file, in these units.
    Inline(String, Units),
}

struct SceneModel {
    /// The scene, or one of those that it may be.
    scene: Scene,
    /// Where the scene of a replica comes from, if it is not always the same.
    origin: Option<Origin>,
    vary: Vary<EventSettings>,
    until: f64,
    collisions: u64,
    declaration: Declaration,
    measures: Vec<Measure>,
}

/// The model in `[scene]` and `[vary]`.
fn read(table: &Fields<'_>, common: &Common<'_>) -> Result<Box<dyn Model>> {
    let origin = Origin::read(table, common)?;
    let scene = origin.draw(1).map_err(|error| in_place(table, error))?;
    let other = origin.draw(2).map_err(|error| in_place(table, error))?;
    let is_random = scene.particles != other.particles || scene.enclosure != other.enclosure;
    let mut inputs = Inputs::new();
    let subject = Subject { body: "ball", particles: &scene.particles, rules: &RULES };
    let vary = Vary::read(common, &subject, &mut inputs)?;
    if vary.is_empty() {
        scene.engine().map_err(|error| table.error(format!("scene: {error}")))?;
    }
    let until = table.get("until").map(|until| Ok(common.units.time.si(until.positive()?))).transpose()?;
    let collisions = table.get("collisions").map_or(Ok(u64::MAX), |value| value.count(1))?;
    let batch = sequential::batch_size(COLLISIONS_EACH * scene.particles.len() as f64);
    let (measures, declaration) = common.declare(&observables(), USUAL, inputs, batch)?;
    Ok(Box::new(SceneModel {
        until: until.unwrap_or(scene.until),
        collisions,
        declaration,
        measures,
        origin: is_random.then_some(origin),
        scene,
        vary,
    }))
}

impl Origin {
    fn read(table: &Fields<'_>, common: &Common<'_>) -> Result<Self> {
        let beside = TABLES.iter().filter(|&&key| key != "until").find_map(|key| table.get(key));
        match (table.get("name"), table.get("file"), beside) {
            (None, None, _) => Ok(Self::Inline(table.file_text().to_owned(), common.units)),
            (_, _, Some(beside)) => Err(beside.error("cannot be combined with a name or a file")),
            (Some(_), Some(file), _) => Err(file.error("cannot be combined with name")),
            (None, Some(file), _) => Ok(Self::File(common.include(file.text()?)?)),
            (Some(name), None, _) => {
                let names: Vec<(&str, &ReadyMade)> = SCENES.iter().map(|ready| (ready.name, ready)).collect();
                Ok(Self::ReadyMade(name.choice(&names)?))
            }
        }
    }

    /// The scene of a seed.
    fn draw(&self, seed: u64) -> Result<Scene> {
        match self {
            Self::ReadyMade(ready) if ready.name == "gas" => Gas { seed, ..Gas::new(3) }.scene(),
            Self::ReadyMade(ready) => Ok(ready.scene()),
            Self::File(text) => Scene::from_toml(text, Some(seed)),
            Self::Inline(text, units) => {
                let source = Source::new(text, "study");
                let table = source.parse()?;
                let all: Vec<&str> = table.get_ref().iter().map(|(key, _)| key.get_ref().as_ref()).collect();
                let fields = Fields::of_file(source, table.get_ref(), &all)?;
                Scene::from_tables(&fields.need("scene")?.fields(&keys())?, units, seed)
            }
        }
    }
}

fn keys() -> Vec<&'static str> {
    OWN.into_iter().chain(TABLES).collect()
}

/// An error in a scene file, at the place in the study file that names it.
fn in_place(table: &Fields<'_>, error: Error) -> Error {
    match table.get("file") {
        Some(file) => file.error(format!("cannot be used: {error}")),
        None => error,
    }
}

impl Model for SceneModel {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn worker(&self, seed: u64, point: u64) -> Box<dyn Worker + '_> {
        match self.scene.dim() {
            1 => Box::new(self.simulator::<1>(seed, point)),
            2 => Box::new(self.simulator::<2>(seed, point)),
            _ => Box::new(self.simulator::<3>(seed, point)),
        }
    }
}

impl SceneModel {
    fn simulator<const D: usize>(&self, seed: u64, point: u64) -> Sequential<'_, SceneSimulator<'_, D>> {
        let simulator = SceneSimulator {
            model: self,
            seeds: Streams::new(seed, point, Purpose::Simulation),
            engine: empty_engine(),
            observed: Observed::default(),
            initial: [0.0; 2],
        };
        Sequential::new(&self.declaration, D, seed, point, simulator)
    }
}

struct SceneSimulator<'m, const D: usize> {
    model: &'m SceneModel,
    seeds: Streams,
    engine: Engine<D>,
    observed: Observed,
    /// Kinetic and potential energy at the start, if they matter.
    initial: [f64; 2],
}

/// What the collisions of a replica have shown.
#[derive(Debug, Default)]
struct Observed {
    collisions: u64,
    wall_collisions: u64,
    first_collision: Option<f64>,
    last_event: Option<f64>,
    /// Whether each ball has touched a wall, and how many have.
    touched: Vec<bool>,
    touchers: u64,
}

impl Observed {
    fn reset(&mut self, balls: usize) {
        (self.collisions, self.wall_collisions, self.touchers) = (0, 0, 0);
        (self.first_collision, self.last_event) = (None, None);
        self.touched.clear();
        self.touched.resize(balls, false);
    }

    fn note<const D: usize>(&mut self, event: &Event<D>) {
        self.last_event = Some(event.time);
        match event.kind {
            EventKind::Collision => {
                self.collisions += 1;
                self.first_collision.get_or_insert(event.time);
            }
            EventKind::Wall => {
                self.wall_collisions += 1;
                self.touchers += u64::from(!self.touched[event.first]);
                self.touched[event.first] = true;
            }
        }
    }
}

impl<const D: usize> SceneSimulator<'_, D> {
    fn begin(&mut self, replica: &Replica<'_>) -> Result<()> {
        let model = self.model;
        let draw = |origin: &Origin| origin.draw(self.seeds.generator(replica.number).next_u64());
        let drawn = model.origin.as_ref().map(draw).transpose()?;
        let scene = drawn.as_ref().unwrap_or(&model.scene);
        self.engine.restart(scene.walls(), |particles| {
            let mut settings = scene.settings;
            particles.copy_from(&scene.particles)?;
            model.vary.apply(replica.inputs, particles, &mut settings)?;
            Ok(settings)
        })?;
        self.observed.reset(self.engine.len());
        if model.measures.contains(&Measure::EnergyLost) {
            let start = self.engine.measurements();
            self.initial = [start.kinetic_energy, start.potential_energy];
        }
        Ok(())
    }

    /// Records the start and up to `left` collisions, as long as there is room; gives how many are left.
    fn record(&mut self, mut left: u64, trajectory: &mut Trajectory) -> Result<u64> {
        write_all(&mut self.engine, trajectory);
        while left > 0 && !trajectory.is_full() {
            let (observed, mut last) = (&mut self.observed, None);
            let one = Limit { time: self.model.until, collisions: 1 };
            self.engine.run_with(one, |event| {
                observed.note(event);
                last = Some(*event);
                ControlFlow::Continue(())
            })?;
            let Some(event) = last else { break };
            left -= 1;
            write_event(&mut self.engine, &event, trajectory);
        }
        Ok(left)
    }

    fn finish(&mut self, replica: &Replica<'_>, mut left: u64) -> std::result::Result<(), Stopped> {
        while left > 0 {
            let limit = Limit { time: self.model.until, collisions: left.min(SLICE) };
            let observed = &mut self.observed;
            let stop = self.engine.run_with(limit, |event| {
                observed.note(event);
                ControlFlow::Continue(())
            })?;
            if stop != Stop::Collisions {
                break;
            }
            left -= limit.collisions;
            replica.check()?;
        }
        Ok(())
    }

    fn fill(&self, values: &mut [f64]) {
        let observed = &self.observed;
        let deep = [Measure::KineticEnergy, Measure::EnergyLost, Measure::MeanFreePath];
        let found = self.model.measures.iter().any(|measure| deep.contains(measure));
        let found = found.then(|| self.engine.measurements());
        let of_run = |value: &dyn Fn(&Measurements<D>) -> Option<f64>| {
            found.as_ref().and_then(value).unwrap_or(f64::NAN)
        };
        for (value, measure) in values.iter_mut().zip(&self.model.measures) {
            *value = match measure {
                Measure::Collisions => observed.collisions as f64,
                Measure::WallCollisions => observed.wall_collisions as f64,
                Measure::WallTouchers => observed.touchers as f64,
                Measure::AnyCollision => f64::from(u8::from(observed.collisions > 0)),
                Measure::FirstCollision => observed.first_collision.unwrap_or(f64::NAN),
                Measure::LastEvent => observed.last_event.unwrap_or(f64::NAN),
                Measure::KineticEnergy => of_run(&|found| Some(found.kinetic_energy)),
                Measure::MeanFreePath => of_run(&|found| found.mean_free_path),
                Measure::EnergyLost => of_run(&|found| {
                    let [kinetic, potential] = self.initial;
                    let lost = kinetic + potential - found.kinetic_energy - found.potential_energy;
                    (kinetic > 0.0).then(|| lost / kinetic)
                }),
            };
        }
    }
}

impl<const D: usize> Simulator for SceneSimulator<'_, D> {
    fn start(&mut self, replica: &Replica<'_>) -> Result<ReplicaStart> {
        self.begin(replica)?;
        Ok(ReplicaStart::Balls { engine: any(&mut self.engine)?, until: Some(self.model.until) })
    }

    fn simulate(
        &mut self,
        replica: &Replica<'_>,
        values: &mut [f64],
        mut trajectory: Option<&mut Trajectory>,
    ) -> std::result::Result<(), Stopped> {
        self.begin(replica)?;
        let mut left = self.model.collisions;
        if let Some(trajectory) = trajectory.as_deref_mut() {
            left = self.record(left, trajectory)?;
        }
        self.finish(replica, left)?;
        if let Some(trajectory) = trajectory {
            write_all(&mut self.engine, trajectory);
        }
        self.fill(values);
        Ok(())
    }
}
