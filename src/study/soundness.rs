//! What the content of a checkpoint must be before any of it is used, and how a fault is named.
//!
//! Checksums show that a file is as it was written, not that it was written by carom. Every part of a state has a method
//! `check` here or beside its type, which compares the part with the study and with the parts that it must agree with. A
//! fault is a sentence that begins with the path of the field, as in `points[0].kept.3.inputs has 1 column ...`.

use std::fmt::Display;

use super::batch::{Batch, BatchResults, KeptRows, LARGEST, LISTED};
use super::file::{MOST_REPLICAS, Study};
use super::model::Failure;
use super::precision::{Precision, Target};
use super::statistics::{Sketch, Tally};
use super::summary::RunRecord;

/// `Ok`, or what is wrong, with its place.
pub(super) type Sound = Result<(), String>;

/// What a point of a state must fit.
pub(super) struct Expected {
    /// A tally without replicas for each observable.
    pub(super) empty: Vec<Tally>,
    /// How many inputs a replica has.
    pub(super) inputs: usize,
    /// Replicas in a full batch.
    pub(super) size: u64,
    /// How many replicas of the point are kept.
    pub(super) keep: u64,
    /// Replicas that the point may have.
    pub(super) goal: u64,
}

impl Expected {
    pub(super) fn of(study: &Study, point: usize, goal: u64) -> Self {
        let model = &study.points[point].model;
        Self {
            empty: model.observables().iter().map(|observable| Tally::empty(observable.kind)).collect(),
            inputs: model.inputs().len(),
            size: model.batch(),
            keep: study.settings.keep,
            goal,
        }
    }

    /// How many rows of a batch of this number and length are kept.
    pub(super) fn kept_rows(&self, number: u64, rows: u64) -> u64 {
        self.keep.saturating_sub(number.saturating_mul(self.size)).min(rows)
    }
}

/// Fails with a sentence unless a condition holds.
pub(super) fn ensure(holds: bool, what: impl FnOnce() -> String) -> Sound {
    if holds { Ok(()) } else { Err(what()) }
}

/// Puts the place of a part before what is wrong in it.
pub(super) fn within(place: impl Display, outcome: Sound) -> Sound {
    outcome.map_err(|what| format!("{place}{what}"))
}

/// Checks a number of replicas that the study is to have.
pub(super) fn check_replicas(name: &str, replicas: u64) -> Sound {
    ensure((1..=MOST_REPLICAS).contains(&replicas), || {
        format!("{name} is {replicas}: it must be from 1 to {MOST_REPLICAS}")
    })
}

pub(super) fn check_precision(precision: &Precision, study: &Study) -> Sound {
    let (Target::Relative(width) | Target::Absolute(width)) = precision.target;
    ensure(width > 0.0 && width.is_finite(), || format!("precision.target is {width}"))?;
    check_replicas("precision.least", precision.least)?;
    check_replicas("precision.most", precision.most)?;
    ensure(precision.least <= precision.most, || "precision.least is above precision.most".into())?;
    let is_known = |name: &String| study.observables().iter().any(|observable| observable.name == *name);
    ensure(precision.observable.as_ref().is_none_or(is_known), || {
        "precision.observable is no observable of the study".into()
    })
}

pub(super) fn check_run(run: &RunRecord) -> Sound {
    /// No run has so many seconds, threads or resumptions.
    const MOST: u64 = 1 << 53;
    ensure((0.0..MOST as f64).contains(&run.seconds), || format!("seconds is {}", run.seconds))?;
    let counts = [("threads", run.threads), ("processes", run.processes), ("resumed", run.resumed)];
    counts.iter().try_for_each(|(name, count)| ensure(*count < MOST, || format!("{name} is {count}")))
}

/// Checks tallies of `rows` replicas: one for each observable, of its kind.
pub(super) fn check_tallies(tallies: &[Tally], rows: u64, expected: &Expected) -> Sound {
    let (found, needed) = (tallies.len(), expected.empty.len());
    ensure(found == needed, || format!("tallies has {found} entries, the study measures {needed}"))?;
    for (which, (tally, empty)) in tallies.iter().zip(&expected.empty).enumerate() {
        let fits = match (tally, empty) {
            (Tally::Chance { trials, hits }, Tally::Chance { .. }) => hits <= trials && *trials <= rows,
            (Tally::Quantity(moments), Tally::Quantity(_)) => {
                moments.count <= rows
                    && moments.mean.abs() <= LARGEST
                    && (0.0..=f64::MAX).contains(&moments.squares)
            }
            _ => false,
        };
        ensure(fits, || format!("tallies[{which}] is not that of {rows} replicas"))?;
    }
    Ok(())
}

/// Checks sketches of the values that tallies count: one for each quantity, none for chances.
pub(super) fn check_sketches(sketches: &[Option<Sketch>], totals: &[Tally], expected: &Expected) -> Sound {
    let (found, needed) = (sketches.len(), expected.empty.len());
    ensure(found == needed, || format!("sketches has {found} entries, the study measures {needed}"))?;
    for (which, (sketch, total)) in sketches.iter().zip(totals).enumerate() {
        let fits = match (sketch, total) {
            (Some(sketch), Tally::Quantity(moments)) => sketch.count() == moments.count,
            (None, Tally::Chance { .. }) => true,
            _ => false,
        };
        ensure(fits, || format!("sketches[{which}] does not hold the values that are counted"))?;
    }
    Ok(())
}

/// Checks that the first failures are listed, in rising order, below replica `end`.
pub(super) fn check_failures(failures: &[Failure], failed: u64, end: u64) -> Sound {
    let (listed, needed) = (failures.len() as u64, failed.min(LISTED as u64));
    ensure(listed == needed, || format!("failures has {listed} entries: {failed} replicas failed"))?;
    let rises = failures.is_sorted_by(|left, right| left.replica <= right.replica);
    ensure(rises && failures.iter().all(|failure| failure.replica < end), || {
        format!("failures are not of replicas below {end}, in rising order")
    })
}

impl KeptRows {
    /// Checks that there are this many rows of every input and observable.
    pub(super) fn check(&self, rows: u64, expected: &Expected) -> Sound {
        for (name, columns, needed) in
            [("inputs", &self.inputs, expected.inputs), ("values", &self.values, expected.empty.len())]
        {
            let (found, needed) = (columns.len(), if rows == 0 { 0 } else { needed });
            ensure(found == needed, || format!("{name} has {found} columns, the study has {needed}"))?;
            let is_even = columns.iter().all(|column| column.len() as u64 == rows);
            ensure(is_even, || format!("{name} has a column that is not of {rows} rows"))?;
        }
        let is_value = |value: &f64| value.is_nan() || value.abs() <= LARGEST;
        ensure(self.values.iter().flatten().all(is_value), || "values has a number that is too large".into())
    }
}

impl Batch {
    fn check(&self, expected: &Expected) -> Sound {
        let (number, rows, size) = (self.number, self.rows, expected.size);
        let first = number.checked_mul(size).filter(|first| *first < MOST_REPLICAS);
        let first = first.ok_or_else(|| format!("number is {number}"))?;
        ensure((1..=size).contains(&rows), || format!("rows is {rows}: a batch has {size}"))?;
        ensure(self.failed <= rows, || format!("failed is {} of {rows}", self.failed))?;
        check_failures(&self.failures, self.failed, first + rows)?;
        check_tallies(&self.tallies, rows, expected)?;
        within("kept.", self.kept.check(expected.kept_rows(number, rows), expected))
    }
}

impl BatchResults {
    /// Checks that it is the one batch, not full, at the end of this point.
    pub(super) fn check_partial(&self, point: usize, expected: &Expected) -> Sound {
        ensure(self.point == point, || format!("point is {}", self.point))?;
        let [batch] = &self.batches[..] else {
            return Err(format!("batches has {} entries, not 1", self.batches.len()));
        };
        within("batches[0].", batch.check(expected))?;
        ensure(batch.rows < expected.size, || "batches[0].rows is that of a full batch".into())?;
        check_sketches(&self.sketches, &batch.tallies, expected)
    }
}
