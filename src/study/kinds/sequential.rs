//! Replicas that are simulated one after the other, in the memory of the one before.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};
use crate::io::columns::{column_name, vector_column_names};
use crate::study::model::{
    BatchColumns, Declaration, Failure, Input, Observable, ObservableKind, Replay, ReplicaStart, Worker,
};
use crate::study::random::{Purpose, Streams};

/// Why a replica has no values.
pub(crate) enum Stopped {
    /// The study was cancelled.
    Cancelled,
    /// Its simulation failed.
    Failed(Error),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Simulates one replica after the other.
pub(crate) trait Simulator {
    /// Simulates a replica, fills in its values, one per observable, and records its trajectory if there is one.
    fn simulate(
        &mut self,
        replica: &Replica<'_>,
        values: &mut [f64],
        trajectory: Option<&mut Trajectory>,
    ) -> std::result::Result<(), Stopped>;

    /// What a replica simulates, at its start.
    fn start(&mut self, replica: &Replica<'_>) -> Result<ReplicaStart>;
}

/// One replica.
pub(crate) struct Replica<'a> {
    pub(crate) number: u64,
    /// What was drawn for it.
    pub(crate) inputs: &'a [f64],
    pub(crate) cancel: &'a AtomicBool,
}

impl Replica<'_> {
    /// [`Stopped::Cancelled`] once the study is cancelled.
    pub(crate) fn check(&self) -> std::result::Result<(), Stopped> {
        if self.cancel.load(Ordering::Relaxed) { Err(Stopped::Cancelled) } else { Ok(()) }
    }
}

/// A worker that simulates its replicas one after the other.
pub(crate) struct Sequential<'m, R> {
    declaration: &'m Declaration,
    dim: usize,
    streams: Streams,
    simulator: R,
    row: Vec<f64>,
    values: Vec<f64>,
}

impl<'m, R: Simulator> Sequential<'m, R> {
    /// For replicas of bodies in `dim` dimensions.
    pub(crate) fn new(declaration: &'m Declaration, dim: usize, seed: u64, point: u64, simulator: R) -> Self {
        let streams = Streams::new(seed, point, Purpose::Inputs);
        let row = vec![0.0; declaration.inputs.names().len()];
        let values = vec![0.0; declaration.observables.len()];
        Self { declaration, dim, streams, simulator, row, values }
    }

    /// Takes the inputs of a replica from a row of columns.
    fn load(&mut self, columns: &[Vec<f64>], row: usize) {
        self.row.iter_mut().zip(columns).for_each(|(entry, column)| *entry = column[row]);
    }
}

impl<R: Simulator> Worker for Sequential<'_, R> {
    fn replay(&mut self, number: u64) -> Result<Replay> {
        let mut batch = BatchColumns::default();
        // Draws begin at multiples of eight.
        self.declaration.begin(&self.streams, number / 8 * 8..number + 1, &mut batch);
        self.load(&batch.inputs, (number % 8) as usize);
        let mut trajectory = Trajectory { rows: Vec::new() };
        let replica = Replica { number, inputs: &self.row, cancel: &AtomicBool::new(false) };
        match self.simulator.simulate(&replica, &mut self.values, Some(&mut trajectory)) {
            Err(Stopped::Failed(error)) => return Err(error),
            Ok(()) | Err(Stopped::Cancelled) => {}
        }
        Ok(Replay {
            inputs: Input::with_values(self.declaration.inputs.names(), self.row.iter().copied()),
            values: self.values.clone(),
            columns: trajectory_columns(self.dim),
            rows: trajectory.rows,
        })
    }

    fn start(&mut self, number: u64) -> Result<Option<ReplicaStart>> {
        let mut batch = BatchColumns::default();
        self.declaration.begin(&self.streams, number / 8 * 8..number + 1, &mut batch);
        self.load(&batch.inputs, (number % 8) as usize);
        let replica = Replica { number, inputs: &self.row, cancel: &AtomicBool::new(false) };
        self.simulator.start(&replica).map(Some)
    }

    fn run(&mut self, range: Range<u64>, cancel: &AtomicBool, batch: &mut BatchColumns) -> bool {
        self.declaration.begin(&self.streams, range.clone(), batch);
        for (n, number) in range.enumerate() {
            self.load(&batch.inputs, n);
            let replica = Replica { number, inputs: &self.row, cancel };
            let outcome =
                replica.check().and_then(|()| self.simulator.simulate(&replica, &mut self.values, None));
            match outcome {
                Ok(()) => (),
                Err(Stopped::Cancelled) => return false,
                Err(Stopped::Failed(Error::OutOfMemory { .. })) => {
                    batch.lacks_memory = true;
                    return false;
                }
                Err(Stopped::Failed(error)) => {
                    self.values.fill(f64::NAN);
                    batch.failures.push(Failure { replica: number, message: error.to_string() });
                }
            }
            for (column, &value) in batch.values.iter_mut().zip(&self.values) {
                column[n] = value;
            }
        }
        true
    }
}

/// The trajectory of one replica as it is recorded.
pub(crate) struct Trajectory {
    rows: Vec<Vec<f64>>,
}

/// The most rows of a trajectory; later ones are left out.
const MOST_ROWS: usize = 200_000;

impl Trajectory {
    /// Whether it has the most rows it may have.
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= MOST_ROWS
    }

    /// Adds the state of a body, unless the trajectory is full.
    pub(crate) fn push(&mut self, time: f64, body: usize, position: &[f64], velocity: &[f64]) {
        if !self.is_full() {
            self.rows.push([&[time, body as f64], position, velocity].concat());
        }
    }
}

/// Names of the columns of a trajectory in `dim` dimensions.
pub(crate) fn trajectory_columns(dim: usize) -> Vec<String> {
    let body = vec![column_name("time", "s"), "body".to_owned()];
    [body, vector_column_names("position", dim, "m"), vector_column_names("velocity", dim, "m/s")].concat()
}

/// An observable that is a number.
pub(crate) fn quantity(name: &str, unit: &str, description: &str) -> Observable {
    Observable {
        name: name.into(),
        unit: unit.into(),
        description: description.into(),
        kind: ObservableKind::Quantity,
    }
}

/// An observable that happens or not.
pub(crate) fn chance(name: &str, description: &str) -> Observable {
    Observable { kind: ObservableKind::Chance, ..quantity(name, "", description) }
}

/// Replicas in a batch if each takes `work` events, or particles times steps: enough for some milliseconds, a multiple
/// of eight.
pub(crate) fn batch_size(work: f64) -> u64 {
    (65_536.0 / work.max(1.0)).clamp(8.0, 1024.0) as u64 / 8 * 8
}
