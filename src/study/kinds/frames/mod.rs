//! Studies of two random frames, at rest or moving (docs/methods/fmb.md).
//!
//! `[frames]`: `dimension` (2 or 3; 3 unless given); `duration` in time units, or `moving = true` for one second, or neither for
//! frames at rest; `kinds` of the two frames: `mix` (either, with equal chance), `CC`, `CT`, `TC` or `TT`; `near`: if true, only
//! pairs whose bounding boxes overlap count, and the others have no values. `preset = "document"`, which
//! is what comes unless there are tables `[frames.a]` and `[frames.b]`: origins, components and velocities uniform in [-100, 100] m or m/s,
//! and a frame whose determinant is below 0.1 is drawn again, at most a hundred times. A table of a frame has `origin`,
//! `components` (a vector for each) or `sides` (lengths along the axes), `rotation = "random"` and, if frames move, `velocity`.
//!
//! Observables: `hit`; if frames move `first_contact` and `overlap_time`, of pairs that hit; and `overlap_box`, the content of the
//! smallest box around the overlap, over all times. With `mix` also `hit_CC`, `hit_CT`, `hit_TC` and `hit_TT`: `hit` of the pairs of
//! these types.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_chacha::rand_core::Rng;

use super::frame_pairs::{Edges, FrameColumns, FramePairs, KindOf, Place, read_rotation, trajectory_times};
use super::sequential::{chance, quantity};
use super::{Common, Kind};
use crate::document::Fields;
use crate::error::Result;
use crate::fmb::Request;
use crate::frames::random::{RANGE, SMALLEST_DETERMINANT};
use crate::frames::{Frame, FrameKind, Frames};
use crate::geometry::Aabb;
use crate::io::columns::{column_name, vector_column_names};
use crate::soa::block::{Doubles, LANES, Lanes, Quantity, each};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;
use crate::study::distribution::{Distribution, Odds, VectorDistribution};
use crate::study::inputs::Inputs;
use crate::study::model::{BatchColumns, Declaration, Model, Observable, Replay, Worker, run_alone};
use crate::study::random::{Purpose, Streams};

pub(super) const KIND: Kind = Kind {
    name: "frames",
    description: "two random frames, resting or moving",
    template: include_str!("../templates/frames.toml"),
    swept: "frames.duration",
    keys: || TABLE.to_vec(),
    observables: || observables(3, true, true).0.into_iter().map(|(_, observable)| observable).collect(),
    has_vary: false,
    read,
};

/// Replicas in a batch: what is drawn and packed for them stays in the second cache.
pub(super) const BATCH: u64 = 1024;

/// How often a frame is drawn again.
const ATTEMPTS: usize = 100;

/// Steps of the trajectory of a replica.
const STEPS: u32 = 20;

const TABLE: [&str; 8] = ["dimension", "moving", "duration", "kinds", "near", "preset", "a", "b"];
pub(super) const BODY: [&str; 5] = ["origin", "components", "sides", "rotation", "velocity"];

/// The model of a study file whose kind is `frames`.
fn read(table: &Fields<'_>, common: &Common<'_>) -> Result<Box<dyn Model>> {
    match read_dimension(table)? {
        2 => Ok(Box::new(FramesModel::<2>::read(table, common)?)),
        _ => Ok(Box::new(FramesModel::<3>::read(table, common)?)),
    }
}

/// 2 or 3, which is usual.
pub(super) fn read_dimension(table: &Fields<'_>) -> Result<u64> {
    let Some(value) = table.get("dimension") else { return Ok(3) };
    match value.count(2)? {
        dimension @ 2..=3 => Ok(dimension),
        other => Err(value.error(format!("is {other}: it must be 2 or 3"))),
    }
}

struct FramesModel<const D: usize> {
    declaration: Declaration,
    bodies: [FrameColumns<D>; 2],
    /// In seconds; `None` for frames at rest.
    duration: Option<f64>,
    near: bool,
    /// Whether frames with a small determinant are drawn again, as the document does.
    redraws: bool,
    measures: Vec<Measure>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    Hit,
    FirstContact,
    OverlapTime,
    OverlapBox,
    /// Of pairs of these types.
    HitOf([FrameKind; 2]),
}

impl Measure {
    fn observable(self, dim: usize) -> Observable {
        match self {
            Self::Hit => chance("hit", "whether the frames intersect"),
            Self::FirstContact => quantity("first_contact", "s", "when frames that hit first touch"),
            Self::OverlapTime => quantity("overlap_time", "s", "how long frames that hit overlap"),
            Self::OverlapBox => quantity(
                "overlap_box",
                ["m2", "m3"][dim - 2],
                "content of the smallest box around the overlap",
            ),
            Self::HitOf(kinds) => {
                let letters: String =
                    kinds.map(|kind| if kind == FrameKind::Cuboid { 'C' } else { 'T' }).iter().collect();
                chance(&format!("hit_{letters}"), "whether frames of these types intersect")
            }
        }
    }
}

/// What can be measured on frames in `dim` dimensions that move or rest, and how many of them are usual.
fn observables(dim: usize, is_moving: bool, is_mix: bool) -> (Vec<(Measure, Observable)>, usize) {
    let (mut all, usual) = if is_moving {
        (vec![Measure::Hit, Measure::FirstContact, Measure::OverlapTime, Measure::OverlapBox], 3)
    } else {
        (vec![Measure::Hit, Measure::OverlapBox], 1)
    };
    if is_mix {
        let (c, t) = (FrameKind::Cuboid, FrameKind::Tetrahedron);
        all.extend([[c, c], [c, t], [t, c], [t, t]].map(Measure::HitOf));
    }
    (all.into_iter().map(|measure| (measure, measure.observable(dim))).collect(), usual)
}

impl<const D: usize> FramesModel<D> {
    fn read(table: &Fields<'_>, common: &Common<'_>) -> Result<Self> {
        let duration = read_duration(table, common)?;
        let kinds = read_kinds(table)?;
        let near = table.get("near").map_or(Ok(false), |value| value.boolean())?;
        let mut inputs = Inputs::new();
        let own = table.get("a").is_some() || table.get("b").is_some();
        if let Some(preset) = table.get("preset") {
            preset.choice(&[("document", ())])?;
            if own {
                return Err(preset.error("stands beside distributions of frames: give one of them"));
            }
        }
        let mut body = |name: &str, kind: Option<FrameKind>| {
            if own {
                read_body(table, name, kind, duration.is_some(), common, &mut inputs)
            } else {
                Ok(preset_body(name, kind, duration.is_some(), &mut inputs))
            }
        };
        let bodies = [body("a", kinds[0])?, body("b", kinds[1])?];
        let (all, usual) = observables(D, duration.is_some(), kinds == [None; 2]);
        let (measures, declaration) = common.declare(&all, usual, inputs, BATCH)?;
        Ok(Self { declaration, bodies, duration, near, redraws: !own, measures })
    }

    fn request(&self) -> Request {
        let wants = |measure: Measure| self.measures.contains(&measure);
        let times = wants(Measure::FirstContact) || wants(Measure::OverlapTime);
        Request { list: true, times, boxes: wants(Measure::OverlapBox), ..Request::COUNT }
    }
}

/// How long the frames move, in seconds.
fn read_duration(table: &Fields<'_>, common: &Common<'_>) -> Result<Option<f64>> {
    let moving = table.get("moving").map(|value| Ok((value.boolean()?, value))).transpose()?;
    match (moving, table.get("duration")) {
        (Some((false, moving)), Some(_)) => Err(moving.error("is false, but there is a duration")),
        (_, Some(duration)) => Ok(Some(common.units.time.si(duration.positive()?))),
        (Some((true, _)), None) => Ok(Some(1.0)),
        _ => Ok(None),
    }
}

/// The kinds of both frames, if they are given.
fn read_kinds(table: &Fields<'_>) -> Result<[Option<FrameKind>; 2]> {
    let (c, t) = (Some(FrameKind::Cuboid), Some(FrameKind::Tetrahedron));
    let kinds = [("mix", [None, None]), ("CC", [c, c]), ("CT", [c, t]), ("TC", [t, c]), ("TT", [t, t])];
    table.get("kinds").map_or(Ok([None, None]), |value| value.choice(&kinds))
}

/// A kind that is given, or drawn.
fn kind_of(name: &str, kind: Option<FrameKind>, inputs: &mut Inputs) -> KindOf {
    let either = || Distribution::Choice { values: vec![0.0, 1.0], odds: Odds::new(&[1.0, 1.0]) };
    kind.map_or_else(
        || KindOf::Drawn(inputs.number(&format!("frames.{name}.kind"), "", either())),
        KindOf::Always,
    )
}

/// A frame of the document's generator: the columns from the origin to the velocity follow each other.
fn preset_body<const D: usize>(
    name: &str,
    kind: Option<FrameKind>,
    is_moving: bool,
    inputs: &mut Inputs,
) -> FrameColumns<D> {
    let kind = kind_of(name, kind, inputs);
    let mut vector = |what: &str, unit: &str| {
        let uniform = Distribution::Uniform { low: -RANGE, high: RANGE };
        inputs.vector(&format!("frames.{name}.{what}"), unit, VectorDistribution::Each(vec![uniform; D]))
    };
    let place = Place::Origin(vector("origin", "m"));
    let components: [usize; D] = std::array::from_fn(|i| vector(&format!("components[{i}]"), "m"));
    let velocity = is_moving.then(|| vector("velocity", "m/s"));
    FrameColumns { kind, place, edges: Edges::Components(components[0]), rotation: None, velocity }
}

/// A frame with distributions of its own.
fn read_body<const D: usize>(
    table: &Fields<'_>,
    name: &str,
    kind: Option<FrameKind>,
    is_moving: bool,
    common: &Common<'_>,
    inputs: &mut Inputs,
) -> Result<FrameColumns<D>> {
    let body = table.need(name)?.fields(&BODY)?;
    let path = format!("frames.{name}");
    let kind = kind_of(name, kind, inputs);
    let origin = VectorDistribution::read(body.need("origin")?, D, common.units.length)?;
    let place = Place::Origin(inputs.vector(&format!("{path}.origin"), "m", origin));
    let edges = Edges::read(&body, &path, D, &common.units, inputs)?;
    let rotation = read_rotation(&body, &path, D, inputs)?;
    let velocity = match body.get("velocity") {
        Some(value) if !is_moving => {
            return Err(value.error("is for frames that move: give moving or duration"));
        }
        Some(value) => VectorDistribution::read(value, D, common.units.velocity())?,
        None => VectorDistribution::constant_of(&[0.0; D]),
    };
    let velocity = is_moving.then(|| inputs.vector(&format!("{path}.velocity"), "m/s", velocity));
    Ok(FrameColumns { kind, place, edges, rotation, velocity })
}

impl<const D: usize> Model for FramesModel<D> {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn worker(&self, seed: u64, point: u64) -> Box<dyn Worker + '_> {
        Box::new(FramesWorker {
            model: self,
            streams: Streams::new(seed, point, Purpose::Inputs),
            again: Streams::new(seed, point, Purpose::Redraw),
            pairs: FramePairs::new(self.duration, self.request()),
        })
    }
}

fn trajectory_columns<const D: usize>() -> Vec<String> {
    let vertex = vec![column_name("time", "s"), "body".to_owned(), "vertex".to_owned()];
    [vertex, vector_column_names("position", D, "m")].concat()
}

/// The vertices of both frames at each time.
fn trajectory<const D: usize>(frames: &[Frame<D>; 2], times: &[f64]) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    for &time in times {
        for (body, frame) in frames.iter().enumerate() {
            for (number, vertex) in frame.vertices().enumerate() {
                let now = (0..D).map(|axis| vertex[axis] + frame.velocity[axis] * time);
                rows.push([time, body as f64, number as f64].into_iter().chain(now).collect());
            }
        }
    }
    rows
}

struct FramesWorker<'m, const D: usize> {
    model: &'m FramesModel<D>,
    streams: Streams,
    again: Streams,
    pairs: FramePairs<D>,
}

impl<const D: usize> Worker for FramesWorker<'_, D> {
    fn replay(&mut self, replica: u64) -> Result<Replay> {
        let (batch, row) = run_alone(self, replica);
        self.pairs.check(row)?;
        let contact =
            self.pairs.times().find(|(hit, _)| *hit == row).map_or([f64::NAN; 2], |(_, times)| times);
        let frames = [0, 1].map(|side| self.pairs.frames[side].read(row));
        let times = trajectory_times(self.model.duration.unwrap_or(0.0), STEPS, &contact);
        Ok(batch.replay(row, self.model.inputs(), trajectory_columns::<D>(), trajectory(&frames, &times)))
    }

    fn run(&mut self, range: Range<u64>, cancel: &AtomicBool, block: &mut BatchColumns) -> bool {
        if cancel.load(Ordering::Relaxed) {
            return false;
        }
        let model = self.model;
        let rows = model.declaration.begin(&self.streams, range.clone(), block);
        if model.redraws {
            self.redraw(range.start, &mut block.inputs);
        }
        self.pairs.test(&model.bodies, &block.inputs, rows);
        for (measure, column) in model.measures.iter().zip(&mut block.values) {
            self.fill(*measure, column);
        }
        if model.near {
            self.drop_distant(&mut block.values);
        }
        self.pairs.fail(range.start, block);
        true
    }
}

impl<const D: usize> FramesWorker<'_, D> {
    fn fill(&self, measure: Measure, column: &mut [f64]) {
        let found = &self.pairs.found;
        column.fill(if measure == Measure::Hit { 0.0 } else { f64::NAN });
        match measure {
            Measure::Hit => found.list().iter().for_each(|&row| column[row as usize] = 1.0),
            Measure::FirstContact => self.pairs.times().for_each(|(row, times)| column[row] = times[0]),
            Measure::OverlapTime => {
                self.pairs.times().for_each(|(row, times)| column[row] = times[1] - times[0]);
            }
            Measure::OverlapBox => {
                let rows = found.list().iter().zip(found.boxes());
                rows.for_each(|(&row, aabb)| column[row as usize] = content(aabb));
            }
            Measure::HitOf(kinds) => self.fill_hits_of(kinds, column),
        }
    }

    /// Pairs of other types have no value.
    fn fill_hits_of(&self, kinds: [FrameKind; 2], column: &mut [f64]) {
        self.fill(Measure::Hit, column);
        let [a, b] = self.pairs.frames.each_ref().map(Frames::kinds);
        let others = (0..column.len()).filter(|&row| [a[row], b[row]] != kinds.map(|kind| kind as u8));
        others.for_each(|row| column[row] = f64::NAN);
    }

    /// Draws frames again whose determinant is too small.
    fn redraw(&self, first: u64, columns: &mut [Vec<f64>]) {
        let bodies = &self.model.bodies;
        let bad = bodies
            .each_ref()
            .map(|body| level::run(SmallDeterminants::<D> { components: components_of(columns, body) }));
        let mut rows: Vec<usize> = bad.concat();
        rows.sort_unstable();
        rows.dedup();
        for row in rows {
            let mut generator = self.again.generator(first + row as u64);
            for (body, _) in bodies.iter().zip(&bad).filter(|(_, bad)| bad.contains(&row)) {
                let own = drawn_columns(body);
                for _ in 0..ATTEMPTS {
                    for column in &mut columns[own.clone()] {
                        let share = (f64::from(generator.next_u32()) + 0.5) / 2.0_f64.powi(32);
                        column[row] = RANGE * (2.0 * share - 1.0);
                    }
                    let entries = components_of::<D>(columns, body).map(|column| column[row]);
                    if !is_small::<D>(&entries) {
                        break;
                    }
                }
            }
        }
    }

    /// Removes the values of pairs whose boxes do not overlap.
    fn drop_distant(&self, values: &mut [Vec<f64>]) {
        let [a, b] = &self.pairs.frames;
        let duration = self.model.duration.unwrap_or(0.0);
        for row in 0..a.len() {
            if !a.read(row).bounds(duration).overlaps(&b.read(row).bounds(duration)) {
                values.iter_mut().for_each(|column| column[row] = f64::NAN);
            }
        }
    }
}

fn content<const D: usize>(aabb: &Aabb<D>) -> f64 {
    aabb.min.iter().zip(&aabb.max).map(|(min, max)| max - min).product()
}

/// The columns of a frame of the preset: origin, components, velocity.
fn drawn_columns<const D: usize>(body: &FrameColumns<D>) -> Range<usize> {
    let Place::Origin(first) = body.place else { unreachable!("frames of the preset have an origin") };
    first..first + D + D * D + if body.velocity.is_some() { D } else { 0 }
}

/// The components of a frame of the preset; in the plane only the first four columns mean something.
fn components_of<'c, const D: usize>(columns: &'c [Vec<f64>], body: &FrameColumns<D>) -> [&'c [f64]; 9] {
    let first = drawn_columns(body).start + D;
    std::array::from_fn(|k| &columns[first + k.min(D * D - 1)][..])
}

#[inline(always)]
fn determinant<const D: usize, N: Quantity>(c: &[N; 9]) -> N {
    if D == 2 {
        return c[0] * c[3] - c[1] * c[2];
    }
    (c[0] * minor(c, 1, 2) + c[1] * minor(c, 2, 0)) + c[2] * minor(c, 0, 1)
}

/// The determinant of the entries of the last two rows in two columns.
#[inline(always)]
fn minor<N: Quantity>(c: &[N; 9], k: usize, l: usize) -> N {
    c[3 + k] * c[6 + l] - c[3 + l] * c[6 + k]
}

/// The rows in which the determinant of the components is too small.
#[derive(Clone)]
struct SmallDeterminants<'a, const D: usize> {
    components: [&'a [f64]; 9],
}

impl<const D: usize> Kernel for SmallDeterminants<'_, D> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<usize> {
        let columns = self.components.map(|column| column.as_chunks::<LANES>().0);
        let whole = columns[0].len();
        let mut small = Vec::new();
        for block in 0..whole {
            let entries = each!(k in [0, 1, 2, 3, 4, 5, 6, 7, 8] => load::<S::Block>(columns[k], block));
            let size = determinant::<D, _>(&entries).abs();
            let bits = size.lt(Quantity::splat(SMALLEST_DETERMINANT)).bits();
            if bits != 0 {
                let lanes = (0..LANES).filter(|lane| bits >> lane & 1 == 1);
                small.extend(lanes.map(|lane| block * LANES + lane));
            }
        }
        let rest = whole * LANES..self.components[0].len();
        small.extend(rest.filter(|&row| is_small::<D>(&self.components.map(|column| column[row]))));
        small
    }
}

/// Four rows of a column.
#[inline(always)]
fn load<B: Doubles>(column: &[[f64; LANES]], block: usize) -> B {
    B::new(column[block])
}

/// Whether the determinant of some components is too small.
fn is_small<const D: usize>(entries: &[f64; 9]) -> bool {
    determinant::<D, f64>(entries).abs() < SMALLEST_DETERMINANT
}
