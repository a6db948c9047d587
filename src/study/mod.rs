//! Monte Carlo studies: many independent replicas, with honest intervals, repeatable to the bit.
//!
//! A study file ([`Study::from_toml`]) says what is sampled, what is run and what is measured. It has one or more points
//! (a sweep has many), each with a model of its own; a replica of a point is a pure function of the seed, the
//! number of the point and the number of the replica. Replicas run in batches of a fixed size, and batches are merged
//! in a fixed order: the result is the same to the bit for any number of threads, shards, ranks or interruptions.

mod batches;
mod distribution;
mod file;
mod inputs;
mod model;
mod models;
mod random;
mod statistics;
mod summary;
mod sweep;

pub use file::{Study, Target, Until};
pub use model::{Observable, ObservableKind, Replay};
pub use summary::{
    Axis, Convergence, Estimate, Histogram, ListedFailure, PointSummary, Quantile, Reference, RunRecord,
    Spread, StudyRecord, Summary,
};
