//! What a kind of study must be able to do.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::inputs::Inputs;
use super::random::Streams;
use super::summary::Reference;
use crate::error::Result;
use crate::events::AnyEngine;
use crate::world::World;

/// A quantity that is measured on every replica.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observable {
    /// Its name in study files and tables.
    pub name: String,
    /// Its unit, empty for pure numbers.
    pub unit: String,
    /// A description, in one line.
    pub description: String,
    /// How it is estimated.
    pub kind: ObservableKind,
}

/// How an observable is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ObservableKind {
    /// An event: 1 if it happens, else 0. Its probability is estimated.
    Chance,
    /// A number. Its mean and distribution are estimated.
    Quantity,
}

/// A random input of a model, or one component of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Input {
    /// Its place in the study file and its axis, such as `encounter.a.position_x`.
    pub(crate) name: String,
    /// Its unit, empty for pure numbers.
    pub(crate) unit: String,
}

impl Input {
    /// Names and units of these inputs with their values.
    pub(crate) fn with_values(
        inputs: &[Self],
        values: impl Iterator<Item = f64>,
    ) -> Vec<(String, String, f64)> {
        let named = inputs.iter().zip(values);
        named.map(|(input, value)| (input.name.clone(), input.unit.clone(), value)).collect()
    }
}

/// Observables, inputs and size of batches of a model.
#[derive(Debug)]
pub(crate) struct Declaration {
    /// What is measured; the same for all points of a study.
    pub(crate) observables: Vec<Observable>,
    /// What is drawn for every replica, in the order of [`BatchColumns::inputs`].
    pub(crate) inputs: Inputs,
    /// Replicas in a batch: a multiple of 8. It is part of what the bits of the results depend on, so it must depend on the
    /// study alone.
    pub(crate) batch: u64,
}

impl Declaration {
    /// Makes room for some replicas, draws their inputs, and gives their number.
    pub(crate) fn begin(&self, streams: &Streams, range: Range<u64>, batch: &mut BatchColumns) -> usize {
        let rows = (range.end - range.start) as usize;
        batch.reset(self.inputs.names().len(), self.observables.len(), rows);
        self.inputs.draw(streams, range, &mut batch.inputs);
        rows
    }
}

/// One point of a study: what its replicas are and what is measured on them.
pub(crate) trait Model: Send + Sync {
    /// What is measured and drawn, and in batches of which size.
    fn declaration(&self) -> &Declaration;

    /// [`Declaration::observables`].
    fn observables(&self) -> &[Observable] {
        &self.declaration().observables
    }

    /// Names and units of [`Declaration::inputs`].
    fn inputs(&self) -> &[Input] {
        self.declaration().inputs.names()
    }

    /// [`Declaration::batch`].
    fn batch(&self) -> u64 {
        self.declaration().batch
    }

    /// What is known about an observable without sampling, such as an analytic probability. By default `None`.
    fn reference(&self, _observable: usize) -> Option<Reference> {
        None
    }

    /// What the reader of results should know about this point, from a look at its first replicas. By default nothing.
    fn warnings(&self, _seed: u64, _point: u64) -> Vec<String> {
        Vec::new()
    }

    /// A worker for one thread, which uses its memory again from batch to batch. `point` is the number of this point
    /// in its study.
    fn worker(&self, seed: u64, point: u64) -> Box<dyn Worker + '_>;

    /// Runs one replica alone and records its trajectory.
    fn replay(&self, seed: u64, point: u64, replica: u64) -> Result<Replay> {
        self.worker(seed, point).replay(replica)
    }

    /// What one replica simulates, at its start; `None` if it is not a simulation.
    fn start(&self, seed: u64, point: u64, replica: u64) -> Result<Option<ReplicaStart>> {
        self.worker(seed, point).start(replica)
    }
}

/// Runs batches of one point on one thread.
pub(crate) trait Worker {
    /// Runs these replicas, `range.start` being a multiple of 8, and fills the columns. Gives `false`, with meaningless
    /// columns, if `cancel` became true meanwhile; a batch that takes longer than some milliseconds must check it.
    ///
    /// A replica that cannot be run is listed as a failure, and all its values are NaN.
    fn run(&mut self, range: Range<u64>, cancel: &AtomicBool, batch: &mut BatchColumns) -> bool;

    /// Runs one replica alone and records its trajectory.
    fn replay(&mut self, replica: u64) -> Result<Replay>;

    /// What one replica simulates, at its start. By default `None`.
    fn start(&mut self, _replica: u64) -> Result<Option<ReplicaStart>> {
        Ok(None)
    }
}

/// What a replica simulates, at its start.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ReplicaStart {
    /// Balls and walls.
    Balls {
        /// At time 0.
        engine: AnyEngine,
        /// When the replica ends, in seconds, if it ends at a time.
        until: Option<f64>,
    },
    /// Particles in time steps.
    World {
        /// At its start.
        world: World,
        /// Length of a step, in seconds.
        dt: f64,
        /// When the replica ends, in seconds.
        until: f64,
    },
}

/// Inputs and values of consecutive replicas, in columns.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct BatchColumns {
    /// Inputs by number, each with one entry per replica.
    pub(crate) inputs: Vec<Vec<f64>>,
    /// Values by number of the observable, each with one entry per replica. NaN: the replica has no value, such as
    /// the time of a contact that does not happen. Chances are 0 or 1.
    pub(crate) values: Vec<Vec<f64>>,
    /// Replicas that could not be run, in rising order.
    pub(crate) failures: Vec<Failure>,
    /// Whether a replica lacked memory. That is no property of the replica: the whole run fails.
    pub(crate) lacks_memory: bool,
}

impl BatchColumns {
    /// Makes room for `rows` replicas; all entries are then to be written.
    pub(crate) fn reset(&mut self, inputs: usize, values: usize, rows: usize) {
        let shape = |columns: &mut Vec<Vec<f64>>, count: usize| {
            columns.resize_with(count, Vec::new);
            columns.iter_mut().for_each(|column| column.resize(rows, 0.0));
        };
        shape(&mut self.inputs, inputs);
        shape(&mut self.values, values);
        self.failures.clear();
        self.lacks_memory = false;
    }

    /// A row as a replay, with the columns and rows of its trajectory.
    pub(crate) fn replay(
        &self,
        row: usize,
        inputs: &[Input],
        columns: Vec<String>,
        rows: Vec<Vec<f64>>,
    ) -> Replay {
        Replay {
            inputs: Input::with_values(inputs, self.inputs.iter().map(|column| column[row])),
            values: self.values.iter().map(|column| column[row]).collect(),
            columns,
            rows,
        }
    }
}

/// Runs one replica with a worker of many, and gives its row in the columns.
pub(crate) fn run_alone(worker: &mut dyn Worker, replica: u64) -> (BatchColumns, usize) {
    let mut columns = BatchColumns::default();
    // Batches begin at multiples of eight.
    worker.run(replica / 8 * 8..replica + 1, &AtomicBool::new(false), &mut columns);
    (columns, (replica % 8) as usize)
}

/// A replica that could not be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// Number of the replica within its point.
    pub(crate) replica: u64,
    /// Why.
    pub(crate) message: String,
}

/// The trajectory of one replica.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Replay {
    /// Name, unit and value of every input.
    pub inputs: Vec<(String, String, f64)>,
    /// The value of every observable; NaN where it has no value.
    pub values: Vec<f64>,
    /// Names of the columns of the trajectory, with units, such as `time_s`.
    pub columns: Vec<String>,
    /// The trajectory, a row for a body at a time.
    pub rows: Vec<Vec<f64>>,
}
