//! Monte Carlo studies: many independent replicas, estimates with confidence intervals, repeatable to the bit.
//!
//! A study file ([`Study::from_toml`]) says what is sampled, what is run and what is measured. It has one or more points
//! (a sweep has many), each with a model of its own; a replica of a point is a pure function of the seed, the
//! number of the point and the number of the replica. Replicas run in batches of a fixed size, and batches are merged
//! in a fixed order: the result is the same to the bit for any number of threads, shards, ranks or interruptions.

mod axis_title;
mod batch;
mod checkpoint;
mod distribution;
mod each_batch;
mod environment;
mod file;
mod identity;
mod inputs;
mod kinds;
mod merge;
mod model;
#[cfg(feature = "mpi")]
mod mpi;
mod plan;
mod point;
mod precision;
mod random;
mod runner;
mod shard;
mod soundness;
mod state;
mod statistics;
mod summary;
mod sweep;
mod table_files;
mod tally_tree;
#[cfg(test)]
mod testing;
mod transport;
mod workers;

pub use checkpoint::Loaded;
pub use environment::{REVISION, environment};
#[cfg(feature = "capi")]
pub(crate) use file::MOST_REPLICAS;
pub use file::{Study, is_study};
pub use kinds::{GasTheory, KINDS, Kind};
pub use merge::merge;
pub use model::{Observable, ObservableKind, Replay, ReplicaStart};
pub use precision::{Precision, Target};
pub use runner::{End, Outcome, Progress, RunOptions, run, run_with_ranks, serve};
pub use shard::Shard;
pub use state::{Samples, State};
pub use summary::{
    Axis, Convergence, Estimate, Histogram, ListedFailure, PointSummary, Quantile, Reference, RunRecord,
    Spread, StudyRecord, Summary,
};
pub use transport::Ranks;
