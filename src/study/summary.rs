//! What a study found: the content of `summary.json`.

use serde::{Deserialize, Serialize};

use super::model::Observable;

/// The results of a study. All of it but [`run`](Self::run) depends on the study and its seed alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Always `carom study summary`.
    pub format: String,
    /// Version of the format.
    pub version: u32,
    /// The study that was run.
    pub study: StudyRecord,
    /// Version of carom.
    pub carom_version: String,
    /// Revision of the source it was built from, if it is known.
    pub revision: Option<String>,
    /// Whether all replicas of the study have been run.
    pub complete: bool,
    /// The axes of the sweep: none, one or two.
    pub axes: Vec<Axis>,
    /// What was measured.
    pub observables: Vec<Observable>,
    /// The points of the sweep, the last axis running fastest; one without a sweep.
    pub points: Vec<PointSummary>,
    /// The first replicas that could not be run.
    pub failures: Vec<ListedFailure>,
    /// Where and how long it ran.
    pub run: RunRecord,
}

/// The study that was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyRecord {
    /// Name of the study.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// The name of its [kind](super::KINDS).
    pub kind: String,
    /// The text of the study file.
    pub text: String,
    /// The seed of the random numbers.
    pub seed: u64,
    /// Requested replicas of each point; the most, if there is a precision.
    pub replicas: u64,
    /// Requested precision, such as `rel=0.01`, if any.
    #[serde(alias = "until")]
    pub precision: Option<String>,
    /// Confidence of the intervals, such as 0.95.
    pub confidence: f64,
}

/// One axis of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The parameter, as a path into the study file.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
    /// Whether the values are spaced by ratio, to be drawn on a logarithmic scale.
    pub logarithmic: bool,
    /// What the parameter is, in words; empty if nothing is known about it.
    #[serde(default)]
    pub title: String,
    /// Its unit, that of the study file; empty for pure numbers.
    #[serde(default)]
    pub unit: String,
}

/// The results at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointSummary {
    /// The value of each axis of the sweep here.
    pub parameters: Vec<f64>,
    /// Replicas run, failed ones included.
    pub replicas: u64,
    /// Replicas that could not be run.
    pub failed: u64,
    /// Whether the requested precision was reached; `None` without one.
    pub precise: Option<bool>,
    /// What the reader should know about the point as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The estimates, in the order of the observables.
    pub estimates: Vec<Estimate>,
}

/// What is known about one observable at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Replicas with a value.
    pub samples: u64,
    /// Of a chance: the number of replicas in which it happened.
    pub hits: Option<u64>,
    /// Probability or mean; `None` if there is too little data.
    pub value: Option<f64>,
    /// Lower end of the confidence interval.
    pub low: Option<f64>,
    /// Upper end of the confidence interval.
    pub high: Option<f64>,
    /// How the interval was found: `wilson`, `clopper-pearson`, `jeffreys`, `t`, `hall`, `bootstrap` or `bca`.
    pub method: String,
    /// Whether there are enough samples, for their skewness, to trust the interval of a mean; if not the note says so.
    #[serde(default = "yes")]
    pub trusted: bool,
    /// A remark for the reader: an upper bound only, too little data, an interval that cannot be trusted.
    pub note: Option<String>,
    /// Of a quantity: its distribution.
    pub spread: Option<Spread>,
    /// What is known without sampling.
    pub reference: Option<Reference>,
    /// The estimate after growing numbers of replicas.
    pub convergence: Vec<Convergence>,
}

/// The distribution of a quantity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Standard deviation of the sample; `None` with less than two.
    pub deviation: Option<f64>,
    /// Skewness of the sample; `None` if it is not known, or all values are equal.
    #[serde(default)]
    pub skewness: Option<f64>,
    /// Standard error of the mean; `None` with less than two.
    pub standard_error: Option<f64>,
    /// Least value.
    pub least: f64,
    /// Greatest value.
    pub greatest: f64,
    /// Quantiles: exact for up to 4096 different values, else to within about a thousandth of the spread.
    pub quantiles: Vec<Quantile>,
    /// Counts in bins of equal width.
    pub histogram: Histogram,
}

/// A quantile with its interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// Share of the distribution below it.
    pub share: f64,
    /// Its estimate.
    pub value: f64,
    /// Lower end of the confidence interval; `None` if there is too little data.
    pub low: Option<f64>,
    /// Upper end of the confidence interval; `None` if there is too little data.
    pub high: Option<f64>,
}

/// Counts in bins of equal width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Where the first bin begins.
    pub start: f64,
    /// Width of a bin.
    pub width: f64,
    /// Samples in each bin.
    pub counts: Vec<u64>,
}

/// A value that is known without sampling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Where it comes from, such as `Carnahan-Starling`.
    pub name: String,
    /// The value, in the unit of the observable.
    pub value: f64,
}

/// An estimate from the first replicas.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// Replicas with a value, so far.
    pub samples: u64,
    /// Probability or mean.
    pub value: f64,
    /// Lower end of the confidence interval.
    pub low: f64,
    /// Upper end of the confidence interval.
    pub high: f64,
}

/// A replica that could not be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListedFailure {
    /// Number of its point.
    pub point: u64,
    /// Number of the replica within the point: for `--replay`.
    pub replica: u64,
    /// Why.
    pub message: String,
}

/// Where and how long a study ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Name of the machine.
    pub machine: String,
    /// Its processor.
    pub processor: String,
    /// The level of instructions that was in use.
    pub cpu_level: String,
    /// Threads per process.
    pub threads: u64,
    /// Processes: MPI ranks, or shards that were merged.
    pub processes: u64,
    /// When the run began, or was last resumed, in UTC: `2026-01-31T12:00:00Z`.
    pub started: String,
    /// How long all runs together took, in seconds.
    pub seconds: f64,
    /// How often the run was resumed.
    pub resumed: u64,
}

/// Summaries from before there was a word about trust had only intervals that were trusted.
fn yes() -> bool {
    true
}
