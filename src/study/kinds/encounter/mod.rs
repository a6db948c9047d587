//! Studies of two bodies that pass each other, with uncertain states, as in the analysis of conjunctions.
//!
//! `[encounter]`: `dimension` (2 or 3; 3 unless given) and `duration`, from time 0 on. `[encounter.a]` and `[encounter.b]`: each has
//! a `radius`, or a `frame = { kind = "C", components = [..], rotation = "random" }` (or `sides` instead of
//! components; kind `C` or `T`); the `position` of the centre and a `velocity`, which is 0 unless given, or both as one vector
//! `state` whose covariance has position first. Bodies move straight on.
//!
//! Observables: `hit`: whether the bodies touch within the duration; `miss_distance`, the least distance of the centres within
//! it, and `closest_time`, when they have it; `first_contact`, of bodies that hit.
//!
//! The probability of a hit is known without sampling for spheres of certain radii and velocities whose positions are normal: that of the
//! relative position to lie in a ball if they do not move relative to each other, else in a disk in the encounter plane.
//! The second holds if the whole passage lies within the duration to eight standard deviations (docs/methods/statistics.md).

mod analytic;
mod sphere_and_frame;
mod spheres;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use self::analytic::Relative;
use self::sphere_and_frame::{bounding_radius, first_contact};
use self::spheres::Passage;
use super::frame_pairs::{
    Edges, FrameColumns, FramePairs, KindOf, Place, read_length, read_rotation, trajectory_times,
};
use super::frames::{BATCH, read_dimension};
use super::sequential::{chance, quantity, trajectory_columns};
use super::{Common, Kind};
use crate::document::{Fields, Value};
use crate::error::Result;
use crate::fmb::Request;
use crate::frames::FrameKind;
use crate::study::distribution::VectorDistribution;
use crate::study::inputs::Inputs;
use crate::study::model::{BatchColumns, Declaration, Model, Observable, Replay, Worker, run_alone};
use crate::study::random::{Purpose, Streams};
use crate::study::summary::Reference;

pub(super) const KIND: Kind = Kind {
    name: "encounter",
    description: "two bodies with uncertain states that pass each other",
    template: include_str!("../templates/encounter.toml"),
    swept: "encounter.a.radius",
    keys: || TABLE.to_vec(),
    observables: || observables().map(|(_, observable)| observable).to_vec(),
    has_vary: false,
    read,
};

const TABLE: [&str; 4] = ["dimension", "duration", "a", "b"];
pub(super) const BODY: [&str; 5] = ["radius", "frame", "position", "velocity", "state"];
const FRAME: [&str; 4] = ["kind", "components", "sides", "rotation"];

/// Steps of the trajectory of a replica.
const STEPS: u32 = 100;

/// Replicas that are looked at for warnings: a multiple of 8.
const LOOKED_AT: u64 = 1024;

/// What can be measured, in the order of their columns: hit, miss distance, closest time, first contact.
const MEASURES: usize = 4;
const HIT: usize = 0;
const MISS_DISTANCE: usize = 1;
const CLOSEST_TIME: usize = 2;
const FIRST_CONTACT: usize = 3;

/// The model of a study file whose kind is `encounter`.
fn read(table: &Fields<'_>, common: &Common<'_>) -> Result<Box<dyn Model>> {
    match read_dimension(table)? {
        2 => Ok(Box::new(Encounter::<2>::read(table, common)?)),
        _ => Ok(Box::new(Encounter::<3>::read(table, common)?)),
    }
}

struct Encounter<const D: usize> {
    declaration: Declaration,
    /// First columns of the positions and of the velocities.
    states: [[usize; 2]; 2],
    shapes: Shapes<D>,
    /// In seconds.
    duration: f64,
    /// Which of the measures the observables are.
    measures: Vec<usize>,
    /// The probability of a hit, where it is known.
    probability: Option<Reference>,
}

enum Shapes<const D: usize> {
    /// The columns of the radii.
    Spheres([usize; 2]),
    Frames(Box<[FrameColumns<D>; 2]>),
    /// A sphere and a frame.
    Mixed(Box<Mixed<D>>),
}

struct Mixed<const D: usize> {
    /// Which of the bodies is the sphere: 0 or 1.
    sphere: usize,
    /// The column of its radius.
    radius: usize,
    frame: FrameColumns<D>,
}

/// One of the bodies, as it is read.
struct Read<const D: usize> {
    state: [usize; 2],
    shape: ReadShape<D>,
    /// Position and velocity.
    moments: Option<[analytic::Moments; 2]>,
}

enum ReadShape<const D: usize> {
    Sphere { column: usize, radius: Option<f64> },
    Frame(FrameColumns<D>),
}

fn observables() -> [(usize, Observable); MEASURES] {
    [
        (HIT, chance("hit", "whether the bodies touch")),
        (MISS_DISTANCE, quantity("miss_distance", "m", "least distance of the centres")),
        (CLOSEST_TIME, quantity("closest_time", "s", "when the centres are closest")),
        (FIRST_CONTACT, quantity("first_contact", "s", "when bodies that hit first touch")),
    ]
}

impl<const D: usize> Encounter<D> {
    fn read(table: &Fields<'_>, common: &Common<'_>) -> Result<Self> {
        let duration = common.units.time.si(table.need("duration")?.non_negative()?);
        let mut inputs = Inputs::new();
        let a = read_body::<D>(table.need("a")?, "encounter.a", common, &mut inputs)?;
        let b = read_body::<D>(table.need("b")?, "encounter.b", common, &mut inputs)?;
        let (measures, declaration) = common.declare(&observables(), MEASURES, inputs, BATCH)?;
        let states = [a.state, b.state];
        let probability = probability::<D>(&a, &b, duration);
        let shapes = match (a.shape, b.shape) {
            (ReadShape::Sphere { column: a, .. }, ReadShape::Sphere { column: b, .. }) => {
                Shapes::Spheres([a, b])
            }
            (ReadShape::Frame(a), ReadShape::Frame(b)) => Shapes::Frames(Box::new([a, b])),
            (ReadShape::Sphere { column: radius, .. }, ReadShape::Frame(frame)) => {
                Shapes::Mixed(Box::new(Mixed { sphere: 0, radius, frame }))
            }
            (ReadShape::Frame(frame), ReadShape::Sphere { column: radius, .. }) => {
                Shapes::Mixed(Box::new(Mixed { sphere: 1, radius, frame }))
            }
        };
        let shapes = if duration > 0.0 { shapes } else { shapes.at_rest() };
        Ok(Self { declaration, states, shapes, duration, measures, probability })
    }
}

impl<const D: usize> Shapes<D> {
    /// The same without velocities.
    fn at_rest(self) -> Self {
        match self {
            Self::Frames(mut bodies) => {
                bodies.iter_mut().for_each(|body| body.velocity = None);
                Self::Frames(bodies)
            }
            Self::Mixed(mut bodies) => {
                bodies.frame.velocity = None;
                Self::Mixed(bodies)
            }
            spheres @ Self::Spheres(_) => spheres,
        }
    }
}

/// The probability that spheres hit, where it is known.
fn probability<const D: usize>(a: &Read<D>, b: &Read<D>, duration: f64) -> Option<Reference> {
    let (ReadShape::Sphere { radius: one, .. }, ReadShape::Sphere { radius: two, .. }) = (&a.shape, &b.shape)
    else {
        return None;
    };
    let relative = Relative::of(a.moments.as_ref()?, b.moments.as_ref()?)?;
    let (name, value) = relative.hit_probability((*one)? + (*two)?, duration)?;
    Some(Reference { name: name.to_owned(), value })
}

fn read_body<const D: usize>(
    value: Value<'_>,
    name: &str,
    common: &Common<'_>,
    inputs: &mut Inputs,
) -> Result<Read<D>> {
    let body = value.fields(&BODY)?;
    let (state, moments) = read_state::<D>(&body, name, common, inputs)?;
    let shape = match (body.get("radius"), body.get("frame")) {
        (Some(radius), None) => {
            let distribution = read_length(radius, &common.units)?;
            let radius = distribution.constant();
            ReadShape::Sphere { column: inputs.number(&format!("{name}.radius"), "m", distribution), radius }
        }
        (None, Some(frame)) => ReadShape::Frame(read_frame(frame, name, state, common, inputs)?),
        (Some(_), Some(frame)) => return Err(frame.error("is there besides radius: give one of them")),
        (None, None) => return Err(body.error(format!("{name} needs a radius or a frame"))),
    };
    Ok(Read { state, shape, moments })
}

/// First columns of position and velocity, and what is known of them.
fn read_state<const D: usize>(
    body: &Fields<'_>,
    name: &str,
    common: &Common<'_>,
    inputs: &mut Inputs,
) -> Result<([usize; 2], Option<[analytic::Moments; 2]>)> {
    let (length, velocity) = (common.units.length, common.units.velocity());
    if let Some(state) = body.get("state") {
        for other in ["position", "velocity"] {
            if let Some(value) = body.get(other) {
                return Err(value.error("is there besides state: give one of them"));
            }
        }
        let units: Vec<_> = [[length; D], [velocity; D]].concat();
        let distribution = VectorDistribution::read_mixed(state, &units)?;
        let moments = distribution.gaussian().map(|moments| analytic::Moments::split(&moments, D));
        let first = inputs.state(name, distribution);
        return Ok(([first, first + D], moments));
    }
    let position = VectorDistribution::read(body.need("position")?, D, length)?;
    let velocity = body.get("velocity").map_or_else(
        || Ok(VectorDistribution::constant_of(&[0.0; D])),
        |value| VectorDistribution::read(value, D, velocity),
    )?;
    let moments = [position.gaussian(), velocity.gaussian()].map(|part| part.map(analytic::Moments::from));
    let [place, motion] = moments;
    let columns = [
        inputs.vector(&format!("{name}.position"), "m", position),
        inputs.vector(&format!("{name}.velocity"), "m/s", velocity),
    ];
    Ok((columns, place.zip(motion).map(|(place, motion)| [place, motion])))
}

fn read_frame<const D: usize>(
    value: Value<'_>,
    name: &str,
    state: [usize; 2],
    common: &Common<'_>,
    inputs: &mut Inputs,
) -> Result<FrameColumns<D>> {
    let table = value.fields(&FRAME)?;
    let kinds = [("C", FrameKind::Cuboid), ("T", FrameKind::Tetrahedron)];
    let kind = table.get("kind").map_or(Ok(FrameKind::Cuboid), |value| value.choice(&kinds))?;
    let path = format!("{name}.frame");
    let edges = Edges::read(&table, &path, D, &common.units, inputs)?;
    let rotation = read_rotation(&table, &path, D, inputs)?;
    let (place, velocity) = (Place::Centre(state[0]), Some(state[1]));
    Ok(FrameColumns { kind: KindOf::Always(kind), place, edges, rotation, velocity })
}

impl<const D: usize> Model for Encounter<D> {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn reference(&self, observable: usize) -> Option<Reference> {
        self.probability.clone().filter(|_| self.measures[observable] == HIT)
    }

    /// Whether the duration ends before the bodies are closest, from the first replicas.
    fn warnings(&self, seed: u64, point: u64) -> Vec<String> {
        if self.duration == 0.0 {
            return Vec::new();
        }
        let mut batch = BatchColumns::default();
        let streams = Streams::new(seed, point, Purpose::Inputs);
        let rows = self.declaration.begin(&streams, 0..LOOKED_AT, &mut batch);
        let mut values = std::array::from_fn(|_| vec![0.0; rows]);
        self.passage(None).measure(&batch.inputs, &mut values);
        let late = values[CLOSEST_TIME].iter().filter(|time| **time >= self.duration).count();
        if late == 0 {
            return Vec::new();
        }
        let share = 100.0 * late as f64 / LOOKED_AT as f64;
        vec![format!(
            "warning: {share:.1}% of the first {LOOKED_AT} replicas end, after {} s, before the bodies are closest: hits and \
             distances are those until then; a longer encounter.duration has them all",
            self.duration
        )]
    }

    fn worker(&self, seed: u64, point: u64) -> Box<dyn Worker + '_> {
        let duration = (self.duration > 0.0).then_some(self.duration);
        let request = Request { list: true, times: self.measures.contains(&FIRST_CONTACT), ..Request::COUNT };
        Box::new(EncounterWorker {
            model: self,
            streams: Streams::new(seed, point, Purpose::Inputs),
            pairs: FramePairs::new(duration, request),
            values: std::array::from_fn(|_| Vec::new()),
        })
    }
}

impl<const D: usize> Encounter<D> {
    /// How the bodies pass each other, and when spheres with the radii in these columns touch.
    fn passage(&self, radii: Option<[usize; 2]>) -> Passage<D> {
        Passage { states: self.states, radii, duration: self.duration }
    }

    /// Both bodies at a time of one replica.
    fn trajectory_at(&self, time: f64, row: usize, columns: &[Vec<f64>]) -> [Vec<f64>; 2] {
        [0, 1].map(|body| {
            let [position, velocity] = self.states[body];
            let entry = |first: usize, axis: usize| columns[first + axis][row];
            let place = (0..D).map(|axis| entry(position, axis) + entry(velocity, axis) * time);
            let motion = (0..D).map(|axis| entry(velocity, axis));
            [time, body as f64].into_iter().chain(place).chain(motion).collect()
        })
    }
}

struct EncounterWorker<'m, const D: usize> {
    model: &'m Encounter<D>,
    streams: Streams,
    /// Of bodies that are frames.
    pairs: FramePairs<D>,
    /// All that can be measured.
    values: [Vec<f64>; MEASURES],
}

impl<const D: usize> Worker for EncounterWorker<'_, D> {
    fn replay(&mut self, replica: u64) -> Result<Replay> {
        let (batch, row) = run_alone(self, replica);
        self.pairs.check(row)?;
        let [_, _, closest, contact] = self.values.each_ref().map(|column| column[row]);
        let times = trajectory_times(self.model.duration, STEPS, &[closest, contact]);
        let rows =
            times.iter().flat_map(|&time| self.model.trajectory_at(time, row, &batch.inputs)).collect();
        Ok(batch.replay(row, self.model.inputs(), trajectory_columns(D), rows))
    }

    fn run(&mut self, range: Range<u64>, cancel: &AtomicBool, batch: &mut BatchColumns) -> bool {
        if cancel.load(Ordering::Relaxed) {
            return false;
        }
        let model = self.model;
        let rows = model.declaration.begin(&self.streams, range.clone(), batch);
        self.values.iter_mut().for_each(|column| column.resize(rows, 0.0));
        let radii = match model.shapes {
            Shapes::Spheres(radii) => Some(radii),
            Shapes::Frames(_) | Shapes::Mixed(_) => None,
        };
        model.passage(radii).measure(&batch.inputs, &mut self.values);
        match &model.shapes {
            Shapes::Spheres(_) => {}
            Shapes::Frames(bodies) => self.test_frames(bodies, &batch.inputs, rows),
            Shapes::Mixed(bodies) => self.test_mixed(bodies, &batch.inputs, rows),
        }
        for (column, &measure) in batch.values.iter_mut().zip(&model.measures) {
            column.copy_from_slice(&self.values[measure]);
        }
        self.pairs.fail(range.start, batch);
        true
    }
}

impl<const D: usize> EncounterWorker<'_, D> {
    /// Which spheres hit their frame, and when.
    fn test_mixed(&mut self, bodies: &Mixed<D>, columns: &[Vec<f64>], rows: usize) {
        let Encounter { states, duration, .. } = *self.model;
        let [[place, motion], [_, carried]] = [states[bodies.sphere], states[1 - bodies.sphere]];
        let entries =
            |first: usize, row: usize| -> [f64; D] { std::array::from_fn(|axis| columns[first + axis][row]) };
        let [hit, miss, _, contact] = &mut self.values;
        let frames = self.pairs.make(&bodies.frame, columns, rows);
        for row in 0..rows {
            let radius = columns[bodies.radius][row];
            let found = frames.get(row).ok().filter(|frame| miss[row] <= radius + bounding_radius(frame));
            let time = found.and_then(|frame| {
                let (own, other) = (entries(motion, row), entries(carried, row));
                let velocity = std::array::from_fn(|axis| own[axis] - other[axis]);
                first_contact(&frame, entries(place, row), velocity, radius, duration)
            });
            hit[row] = f64::from(u8::from(time.is_some()));
            contact[row] = time.unwrap_or(f64::NAN);
        }
    }

    /// Which frames hit, and when.
    fn test_frames(&mut self, bodies: &[FrameColumns<D>; 2], columns: &[Vec<f64>], rows: usize) {
        self.pairs.test(bodies, columns, rows);
        let [hit, _, _, contact] = &mut self.values;
        hit.fill(0.0);
        contact.fill(f64::NAN);
        self.pairs.found.list().iter().for_each(|&row| hit[row as usize] = 1.0);
        self.pairs.times().for_each(|(row, times)| contact[row] = times[0]);
    }
}
