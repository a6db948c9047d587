//! Pairs of frames made from the inputs of replicas, and tested all at once.

use crate::document::units::Units;
use crate::document::{Fields, Value};
use crate::error::{Error, Result};
use crate::fmb::{Intersections, Pairs, Request};
use crate::frames::{FrameField, FrameKind, Frames};
use crate::soa::Context;
use crate::study::distribution::{Distribution, VectorDistribution};
use crate::study::inputs::Inputs;
use crate::study::model::{BatchColumns, Failure};

/// How a frame comes from the inputs of a replica.
#[derive(Debug, Clone)]
pub(super) struct FrameColumns<const D: usize> {
    pub(super) kind: KindOf,
    pub(super) place: Place,
    pub(super) edges: Edges,
    /// First column of the matrix that turns the edges.
    pub(super) rotation: Option<usize>,
    /// First column of the velocity, if the frames move.
    pub(super) velocity: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum KindOf {
    Always(FrameKind),
    /// The column of its number.
    Drawn(usize),
}

/// What the place of a frame says, with its first column.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Origin(usize),
    /// The centre of mass.
    Centre(usize),
}

/// The edges from the origin, before they are turned.
#[derive(Debug, Clone, Copy)]
pub(super) enum Edges {
    /// First column of the components.
    Components(usize),
    /// First column of the lengths of edges along the axes.
    Sides(usize),
}

impl Edges {
    /// The edges of a table: `components`, or `sides`. `name` is that of the table.
    pub(super) fn read(
        table: &Fields<'_>,
        name: &str,
        dim: usize,
        units: &Units,
        inputs: &mut Inputs,
    ) -> Result<Self> {
        match (table.get("components"), table.get("sides")) {
            (Some(_), Some(sides)) => Err(sides.error("is there besides components: give one of them")),
            (None, None) => Err(table.error(format!("{name} needs components or sides"))),
            (Some(components), None) => {
                let list = components.list(dim)?.into_iter().enumerate().map(|(i, value)| {
                    let distribution = VectorDistribution::read(value, dim, units.length)?;
                    Ok(inputs.vector(&format!("{name}.components[{i}]"), "m", distribution))
                });
                Ok(Self::Components(list.collect::<Result<Vec<_>>>()?[0]))
            }
            (None, Some(sides)) => {
                let list = sides.list(dim)?.into_iter().map(|value| read_length(value, units));
                let distribution = VectorDistribution::Each(list.collect::<Result<_>>()?);
                Ok(Self::Sides(inputs.vector(&format!("{name}.sides"), "m", distribution)))
            }
        }
    }
}

/// A length that is never negative.
pub(super) fn read_length(value: Value<'_>, units: &Units) -> Result<Distribution> {
    let place = value.clone();
    let length = Distribution::read(value, units.length)?;
    let [least, most] = length.range();
    if least < 0.0 {
        Err(place.error("may come out negative: it is a length"))
    } else if most <= 0.0 {
        Err(place.error("is 0: it must be above 0"))
    } else {
        Ok(length)
    }
}

/// Whether a frame is turned at random: `rotation = "random"`; gives the first column of the matrix.
pub(super) fn read_rotation(
    table: &Fields<'_>,
    name: &str,
    dim: usize,
    inputs: &mut Inputs,
) -> Result<Option<usize>> {
    let Some(value) = table.get("rotation") else { return Ok(None) };
    let is_random = value.choice(&[("random", true), ("none", false)])?;
    Ok(is_random.then(|| inputs.rotation(&format!("{name}.rotation"), dim)))
}

impl<const D: usize> FrameColumns<D> {
    /// Writes the frames of all rows.
    fn write(&self, columns: &[Vec<f64>], rows: usize, frames: &mut Frames<D>) -> Result<()> {
        frames.reset(rows)?;
        self.write_kinds(columns, frames.kinds_mut());
        for axis in 0..D {
            for i in 0..D {
                let out = frames.column_mut(FrameField::Component(i), axis)?;
                self.fill_component(columns, i, axis, out);
            }
            self.write_origin(columns, axis, frames)?;
            if let Some(first) = self.velocity {
                frames.column_mut(FrameField::Velocity, axis)?.copy_from_slice(&columns[first + axis]);
            }
        }
        Ok(())
    }

    fn write_kinds(&self, columns: &[Vec<f64>], kinds: &mut [u8]) {
        match self.kind {
            KindOf::Always(kind) => kinds.fill(kind as u8),
            KindOf::Drawn(column) => {
                let drawn = columns[column].iter().map(|&number| u8::from(number != 0.0));
                kinds.iter_mut().zip(drawn).for_each(|(kind, number)| *kind = number);
            }
        }
    }

    fn fill_component(&self, columns: &[Vec<f64>], i: usize, axis: usize, out: &mut [f64]) {
        match (self.edges, self.rotation) {
            (Edges::Components(first), None) => out.copy_from_slice(&columns[first + i * D + axis]),
            (Edges::Components(first), Some(turn)) => {
                out.fill(0.0);
                for k in 0..D {
                    add_products(&columns[turn + axis * D + k], &columns[first + i * D + k], out);
                }
            }
            (Edges::Sides(first), None) if i == axis => out.copy_from_slice(&columns[first + i]),
            (Edges::Sides(_), None) => out.fill(0.0),
            (Edges::Sides(first), Some(turn)) => {
                out.fill(0.0);
                add_products(&columns[turn + axis * D + i], &columns[first + i], out);
            }
        }
    }

    fn write_origin(&self, columns: &[Vec<f64>], axis: usize, frames: &mut Frames<D>) -> Result<()> {
        match self.place {
            Place::Origin(first) => {
                frames.column_mut(FrameField::Origin, axis)?.copy_from_slice(&columns[first + axis]);
            }
            Place::Centre(first) => {
                let mut origin = columns[first + axis].clone();
                let share = self.centre_share();
                for i in 0..D {
                    let edges = frames.component(i, axis);
                    origin.iter_mut().zip(edges).for_each(|(origin, edge)| *origin -= share * edge);
                }
                frames.column_mut(FrameField::Origin, axis)?.copy_from_slice(&origin);
            }
        }
        Ok(())
    }

    /// How much of every edge leads from the origin to the centre of mass.
    fn centre_share(&self) -> f64 {
        match self.kind {
            KindOf::Always(FrameKind::Tetrahedron) => 1.0 / (D + 1) as f64,
            _ => 0.5,
        }
    }
}

fn add_products(one: &[f64], two: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(one).zip(two).for_each(|((out, x), y)| *out += x * y);
}

/// The frames of a batch of replicas, the first against the second of each.
pub(super) struct FramePairs<const D: usize> {
    pub(super) frames: [Frames<D>; 2],
    pub(super) found: Intersections<D>,
    /// Rows whose frames cannot be tested, ascending, and why.
    bad: Vec<(usize, Error)>,
}

impl<const D: usize> FramePairs<D> {
    /// Of frames that move for some seconds, or rest.
    pub(super) fn new(duration: Option<f64>, request: Request) -> Self {
        let set = || duration.map_or_else(|| Ok(Frames::resting()), Frames::moving);
        let frames = [set(), set()].map(|set| set.expect("the duration was checked"));
        Self { frames, found: Intersections::new(request), bad: Vec::new() }
    }

    /// Makes the frames of all rows and tests them.
    pub(super) fn test(&mut self, bodies: &[FrameColumns<D>; 2], columns: &[Vec<f64>], rows: usize) {
        if let Err(error) = self.try_test(bodies, columns, rows) {
            self.bad = (0..rows).map(|row| (row, error.clone())).collect();
        }
    }

    /// Makes the frames of one body alone, of all rows; those of rows that cannot be used are listed.
    pub(super) fn make(&mut self, body: &FrameColumns<D>, columns: &[Vec<f64>], rows: usize) -> &Frames<D> {
        self.bad.clear();
        let [frames, _] = &mut self.frames;
        let outcome = body
            .write(columns, rows, frames)
            .and_then(|()| frames.update_sound(&Context::serial(), &mut self.bad));
        if let Err(error) = outcome {
            self.bad = (0..rows).map(|row| (row, error.clone())).collect();
        }
        &self.frames[0]
    }

    /// Why the frames of this row cannot be tested, if they cannot.
    pub(super) fn check(&self, row: usize) -> Result<()> {
        self.bad.iter().find(|(bad, _)| *bad == row).map_or(Ok(()), |(_, error)| Err(error.clone()))
    }

    /// Makes failures of the rows that could not be tested; `first` is the replica of row 0.
    pub(super) fn fail(&self, first: u64, batch: &mut BatchColumns) {
        for (row, error) in &self.bad {
            batch.values.iter_mut().for_each(|column| column[*row] = f64::NAN);
            batch.failures.push(Failure { replica: first + *row as u64, message: error.to_string() });
        }
    }

    fn try_test(&mut self, bodies: &[FrameColumns<D>; 2], columns: &[Vec<f64>], rows: usize) -> Result<()> {
        let context = Context::serial();
        self.bad.clear();
        for (body, frames) in bodies.iter().zip(&mut self.frames) {
            body.write(columns, rows, frames)?;
            frames.update_sound(&context, &mut self.bad)?;
        }
        self.bad.sort_by_key(|(row, _)| *row);
        self.bad.dedup_by_key(|(row, _)| *row);
        let [a, b] = &self.frames;
        self.found.test(&context, a, b, Pairs::Paired)
    }

    /// The rows that intersect, and when.
    pub(super) fn times(&self) -> impl Iterator<Item = (usize, [f64; 2])> + '_ {
        self.found.list().iter().map(|&row| row as usize).zip(self.found.times().iter().copied())
    }
}

/// The times at which the trajectory of a replica is written down: `count` steps of equal length, and some more.
pub(super) fn trajectory_times(duration: f64, count: u32, more: &[f64]) -> Vec<f64> {
    let steps = if duration > 0.0 { count } else { 0 };
    let mut times: Vec<f64> =
        (0..=steps).map(|k| duration * f64::from(k) / f64::from(steps.max(1))).collect();
    times.extend(more.iter().filter(|time| time.is_finite()));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}
