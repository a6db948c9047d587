//! Study files in TOML: what all kinds have in common. Each kind reads its own table in [`kinds`](super::kinds).

use std::cell::RefCell;
use std::fmt;
use std::path::Path;

use super::kinds::{self, Common};
use super::model::{Model, Observable};
use super::precision::Precision;
use super::statistics::{CHANCE_INTERVALS, MEAN_INTERVALS, Settings};
use super::summary::Axis;
use super::sweep::Sweep;
use super::table_files;
use crate::document::units::Units;
use crate::document::{Fields, Source, Value};
use crate::error::{Error, Result};

/// Keys of the file beside the tables that say what a replica is.
const KEYS: [&str; 10] =
    ["name", "description", "kind", "replicas", "seed", "measure", "units", "stop", "statistics", "sweep"];
const STATISTICS: [&str; 8] =
    ["confidence", "chance", "mean", "quantiles", "bins", "keep", "max_failed", "batch"];

/// Replicas of a point if the file does not say.
const DEFAULT_REPLICAS: u64 = 1000;
/// The most replicas of a point: numbers of replicas stay exact in every format.
pub(crate) const MOST_REPLICAS: u64 = 1 << 50;
/// The most replicas of a point whose samples are kept.
const MOST_KEPT: u64 = 10_000_000;

/// A Monte Carlo study: what is sampled, run and measured, and for how long.
pub struct Study {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// The name of its [kind](super::KINDS).
    pub kind: String,
    /// The text of the study file.
    pub text: String,
    /// The seed of the random numbers.
    pub seed: u64,
    /// Replicas of each point, unless there is a precision.
    pub replicas: u64,
    /// The precision at which a point is complete, if any.
    pub precision: Option<Precision>,
    /// The axes of the sweep: none, one or two.
    pub axes: Vec<Axis>,
    pub(crate) settings: Settings,
    pub(crate) points: Vec<Point>,
    /// Names and texts of the files that the study file names.
    pub(crate) included: Vec<(String, String)>,
}

/// One point of a sweep.
pub(crate) struct Point {
    /// The value of each axis.
    pub(crate) parameters: Vec<f64>,
    pub(crate) model: Box<dyn Model>,
}

impl Study {
    /// The study that a study file describes. Files that it names are relative to `directory`, or to the working
    /// directory.
    ///
    /// Whatever is wrong is an [`Error::Syntax`] that names line, column and field.
    pub fn from_toml(text: &str, directory: Option<&Path>) -> Result<Self> {
        Self::with_files(text, directory, Vec::new())
    }

    /// As [`from_toml`](Self::from_toml), with names and texts of files that need not be read.
    pub(crate) fn with_files(
        text: &str,
        directory: Option<&Path>,
        mut included: Vec<(String, String)>,
    ) -> Result<Self> {
        let source = Source::new(text, "study");
        let table = source.parse()?;
        let fields = Fields::of_file(source, table.get_ref(), &keys())?;
        let sweep = Sweep::read(fields.get("sweep"), table.get_ref())?;
        let statistics = fields.get("statistics").map(|value| value.fields(&STATISTICS)).transpose()?;
        let points = points(text, &sweep, directory, &mut included)?;
        let observables = points[0].model.observables();
        let kind = fields.need("kind")?.text()?.to_owned();
        let text_of = |name: &str, otherwise: &str| -> Result<String> {
            Ok(fields.get(name).map_or(Ok(otherwise), |value| value.text())?.to_owned())
        };
        Ok(Self {
            name: text_of("name", &kind)?,
            description: text_of("description", "")?,
            text: text.to_owned(),
            seed: fields.get("seed").map_or(Ok(1), |value| value.count(0))?,
            replicas: fields.get("replicas").map_or(Ok(DEFAULT_REPLICAS), |value| replicas(&value))?,
            precision: fields.get("stop").map(|value| Precision::read(&value, observables)).transpose()?,
            axes: sweep.axes,
            settings: settings(statistics.as_ref())?,
            points,
            included,
            kind,
        })
    }

    /// What is measured at every point.
    #[must_use]
    pub fn observables(&self) -> &[Observable] {
        self.points[0].model.observables()
    }

    /// Names and units of what is drawn for every replica.
    #[must_use]
    pub fn inputs(&self) -> Vec<(&str, &str)> {
        let inputs = self.points[0].model.inputs();
        inputs.iter().map(|input| (input.name.as_str(), input.unit.as_str())).collect()
    }

    /// How many points the sweep has; 1 without a sweep.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.points.len()
    }

    /// The value of each axis of the sweep at this point.
    pub fn parameters(&self, point: usize) -> Result<&[f64]> {
        Ok(&self.point(point)?.parameters)
    }

    /// What one replica simulates, at its start; `None` for kinds that compute without a simulation.
    pub fn replica_start(&self, point: usize, replica: u64) -> Result<Option<super::ReplicaStart>> {
        self.point(point)?.model.start(self.seed, point as u64, replica)
    }

    /// Runs one replica alone and records its trajectory.
    pub fn replay(&self, point: usize, replica: u64) -> Result<super::Replay> {
        self.point(point)?.model.replay(self.seed, point as u64, replica)
    }

    pub(super) fn point(&self, point: usize) -> Result<&Point> {
        let len = self.points.len();
        self.points.get(point).ok_or(Error::BadIndex { field: "point", index: point, len })
    }
}

impl fmt::Debug for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Study").field("name", &self.name).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Whether the text is a study file: it says of which kind. What is no TOML is not.
#[must_use]
pub fn is_study(text: &str) -> bool {
    let source = Source::new(text, "study");
    source.parse().is_ok_and(|table| table.get_ref().contains_key("kind"))
}

fn keys() -> Vec<&'static str> {
    KEYS.into_iter().chain(kinds::tables()).collect()
}

fn points(
    text: &str,
    sweep: &Sweep,
    directory: Option<&Path>,
    included: &mut Vec<(String, String)>,
) -> Result<Vec<Point>> {
    let points: Vec<Point> = (0..sweep.points())
        .map(|number| {
            let parameters = sweep.parameters(number);
            let changed = sweep.text(text, &parameters);
            let model =
                model(&changed, directory, included).map_err(|error| sweep.at_point(&parameters, error))?;
            Ok(Point { parameters, model })
        })
        .collect::<Result<_>>()?;
    let first = &points[0].model;
    let differs = |point: &&Point| {
        point.model.observables() != first.observables() || point.model.inputs() != first.inputs()
    };
    match points.iter().find(differs) {
        Some(other) => Err(sweep.at_point(
            &other.parameters,
            Error::Syntax {
                format: "study",
                line: 1,
                column: 1,
                detail:
                    "its inputs or observables differ from those of the first point: sweep what changes neither"
                        .into(),
            },
        )),
        None => Ok(points),
    }
}

/// The model of a study file without its sweep.
fn model(
    text: &str,
    directory: Option<&Path>,
    included: &mut Vec<(String, String)>,
) -> Result<Box<dyn Model>> {
    let source = Source::new(text, "study");
    let table = source.parse()?;
    table_files::include(source, table.get_ref(), directory, included)?;
    let files = included.clone();
    let source = Source { files: &files, ..source };
    let fields = Fields::of_file(source, table.get_ref(), &keys())?;
    let statistics = fields.get("statistics").map(|value| value.fields(&STATISTICS)).transpose()?;
    let batch = statistics.and_then(|fields| fields.get("batch")).map(|value| batch(&value)).transpose()?;
    let common = Common {
        units: Units::read(fields.get("units"))?,
        measure: fields.get("measure"),
        batch,
        vary: fields.get("vary"),
        directory,
        included: RefCell::new(std::mem::take(included)),
    };
    let model = kinds::read(&fields, &common)?;
    *included = common.included.into_inner();
    Ok(model)
}

pub(super) fn replicas(value: &Value<'_>) -> Result<u64> {
    match value.count(1)? {
        count if count > MOST_REPLICAS => Err(value.error(format!("is {count}: at most {MOST_REPLICAS}"))),
        count => Ok(count),
    }
}

fn batch(value: &Value<'_>) -> Result<u64> {
    match value.count(1)? {
        count if count % 8 == 0 && count <= 1 << 20 => Ok(count),
        count => Err(value.error(format!("is {count}: it must be a multiple of 8, at most 1048576"))),
    }
}

fn settings(fields: Option<&Fields<'_>>) -> Result<Settings> {
    let mut settings = Settings::default();
    let Some(fields) = fields else { return Ok(settings) };
    if let Some(value) = fields.get("confidence") {
        settings.confidence = value.number()?;
        if !(0.5..1.0).contains(&settings.confidence) {
            return Err(value.error(format!("is {}: it must be from 0.5 to below 1", settings.confidence)));
        }
    }
    if let Some(value) = fields.get("chance") {
        settings.chance = value.choice(&CHANCE_INTERVALS)?;
    }
    if let Some(value) = fields.get("mean") {
        settings.mean = value.choice(&MEAN_INTERVALS)?;
    }
    if let Some(value) = fields.get("quantiles") {
        settings.quantiles = value.items()?.iter().map(Value::share).collect::<Result<_>>()?;
    }
    if let Some(value) = fields.get("bins") {
        settings.bins = bounded(&value, 1, 10_000)? as usize;
    }
    if let Some(value) = fields.get("keep") {
        settings.keep = bounded(&value, 0, MOST_KEPT)?;
    }
    if let Some(value) = fields.get("max_failed") {
        settings.max_failed = value.share()?;
    }
    Ok(settings)
}

fn bounded(value: &Value<'_>, least: u64, most: u64) -> Result<u64> {
    match value.count(least)? {
        count if count > most => Err(value.error(format!("is {count}: at most {most}"))),
        count => Ok(count),
    }
}
