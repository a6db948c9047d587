//! The state of one point: the results of all of its batches, in bounded memory.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::batch::{Batch, BatchResults, KeptRows, LISTED, no_sketches};
use super::file::Study;
use super::model::{Failure, Observable};
use super::plan::Plan;
use super::shard::Shard;
use super::soundness::{Expected, Sound, check_failures, check_sketches, ensure, within};
use super::statistics::{self, Evidence, Sketch, Tally};
use super::summary::Estimate;
use super::tally_tree::TallyTree;

/// The replicas of one point so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PointState {
    /// Full batches.
    blocks: TallyTree,
    /// The distribution of every quantity over the full batches; `None` for chances.
    sketches: Vec<Option<Sketch>>,
    /// How many replicas of full batches failed.
    failed: u64,
    /// The first of them, at most [`LISTED`].
    failures: Vec<Failure>,
    /// Rows that are kept of full batches, by the number of the batch.
    kept: BTreeMap<u64, KeptRows>,
    /// A last batch that is not full. It is run again, whole, when the study is continued.
    partial: Option<BatchResults>,
}

impl PointState {
    /// Nothing has been run.
    pub(crate) fn new(observables: &[Observable]) -> Self {
        Self {
            blocks: TallyTree::default(),
            sketches: no_sketches(observables),
            failed: 0,
            failures: Vec::new(),
            kept: BTreeMap::new(),
            partial: None,
        }
    }

    /// Adds new batches; `size` is the number of replicas in a full one.
    pub(crate) fn insert(&mut self, results: BatchResults, size: u64) {
        if results.batches.iter().any(|batch| batch.rows < size) {
            self.partial = Some(results);
            return;
        }
        merge_sketches(&mut self.sketches, &results.sketches);
        for batch in results.batches {
            self.insert_full(batch);
        }
    }

    fn insert_full(&mut self, batch: Batch) {
        if self.partial_batch().is_some_and(|partial| partial.number == batch.number) {
            self.partial = None;
        }
        self.failed += batch.failed;
        merge_failures(&mut self.failures, &batch.failures);
        if batch.kept.rows() > 0 {
            self.kept.insert(batch.number, batch.kept);
        }
        self.blocks.insert(batch.number, batch.tallies);
    }

    /// Adds the batches of another process. An error is the first batch that both have; then nothing changes.
    pub(crate) fn merge(&mut self, other: Self) -> Result<(), u64> {
        let both = self.blocks.first_common(&other.blocks);
        let partial = other.partial_batch().filter(|_| self.partial.is_some()).map(|batch| batch.number);
        if let Some(batch) = both.or(partial) {
            return Err(batch);
        }
        self.blocks.merge(other.blocks);
        merge_sketches(&mut self.sketches, &other.sketches);
        self.failed += other.failed;
        merge_failures(&mut self.failures, &other.failures);
        self.kept.extend(other.kept);
        self.partial = self.partial.take().or(other.partial);
        Ok(())
    }

    /// Adds to a plan what is missing until there are `goal` replicas, or the part of them that belongs to a shard.
    pub(crate) fn plan(&self, plan: &mut Plan, point: usize, size: u64, goal: u64, shard: Option<Shard>) {
        let (full, rest) = (goal / size, goal % size);
        let batches = full + u64::from(rest > 0);
        let part = shard.map_or(0..batches, |shard| shard.part(batches));
        for gap in self.blocks.missing(part.start..part.end.min(full)) {
            plan.add(point, gap, size);
        }
        let is_there = self.partial_batch().is_some_and(|batch| (batch.number, batch.rows) == (full, rest));
        if rest > 0 && part.contains(&full) && !is_there {
            plan.add(point, full..full + 1, rest);
        }
    }

    /// How many of `goal` replicas belong to a shard; all without one.
    pub(crate) fn share(size: u64, goal: u64, shard: Option<Shard>) -> u64 {
        let part = shard.map_or(0..goal.div_ceil(size), |shard| shard.part(goal.div_ceil(size)));
        (part.end * size).min(goal).saturating_sub(part.start * size)
    }

    /// Whether it has replicas from number `goal` on.
    pub(crate) fn exceeds(&self, size: u64, goal: u64) -> bool {
        let partial_end = self.partial_batch().map_or(0, |batch| batch.number * size + batch.rows);
        self.blocks.end() * size > goal || partial_end > goal
    }

    /// How many replicas have been run.
    pub(crate) fn replicas(&self, size: u64) -> u64 {
        self.blocks.leaves() * size + self.partial_batch().map_or(0, |batch| batch.rows)
    }

    /// How many of them failed.
    pub(crate) fn failed(&self) -> u64 {
        self.failed + self.partial_batch().map_or(0, |batch| batch.failed)
    }

    /// The first failures, at most [`LISTED`].
    pub(crate) fn failures(&self) -> Vec<Failure> {
        let mut failures = self.failures.clone();
        if let Some(batch) = self.partial_batch() {
            merge_failures(&mut failures, &batch.failures);
        }
        failures
    }

    /// The rows that are kept: the number of the first replica, and the rows, in rising order.
    pub(crate) fn kept(&self, size: u64) -> impl Iterator<Item = (u64, &KeptRows)> {
        let full = self.kept.iter().map(move |(number, kept)| (number * size, kept));
        let partial = self.partial_batch().map(move |batch| (batch.number * size, &batch.kept));
        full.chain(partial.filter(|(_, kept)| kept.rows() > 0))
    }

    /// All that is known about every observable.
    pub(crate) fn estimates(&self, study: &Study, point: usize) -> Vec<Estimate> {
        (0..study.observables().len()).map(|which| self.estimate(study, point, which, true)).collect()
    }

    /// All that is known about one observable, or just its value and interval. The point is that of this state.
    pub(crate) fn estimate(&self, study: &Study, point: usize, which: usize, in_full: bool) -> Estimate {
        let model = &*study.points[point].model;
        let observable = &model.observables()[which];
        let partial = self.partial_batch().map(|batch| batch.tallies[which]);
        let add_partial = |sum: Tally| partial.map_or(sum, |tally| sum.merge(&tally));
        let total = add_partial(self.blocks.total(which).unwrap_or(Tally::empty(observable.kind)));
        let mut prefixes = if in_full { self.blocks.prefixes(which) } else { Vec::new() };
        if in_full && partial.is_some() {
            prefixes.push(total);
        }
        let sketch = self.sketch(which);
        let all_kept = self.all_values(model.batch(), which);
        let evidence = Evidence {
            total,
            blocks: self.blocks.blocks(which),
            prefixes,
            sketch: sketch.as_deref(),
            with_spread: in_full,
            kept: all_kept.as_deref(),
            reference: model.reference(which),
            seed: study.seed,
        };
        statistics::estimate(observable, &study.settings, &evidence)
    }

    /// Checks all of it: the state of a point of this number, as this type makes it.
    pub(super) fn check(&self, point: usize, expected: &Expected) -> Sound {
        let (size, goal) = (expected.size, expected.goal);
        within("blocks.", self.blocks.check(expected))?;
        let total = |(which, empty): (usize, &Tally)| self.blocks.total(which).unwrap_or(*empty);
        let totals: Vec<Tally> = expected.empty.iter().enumerate().map(total).collect();
        check_sketches(&self.sketches, &totals, expected)?;
        let replicas = self.blocks.leaves().saturating_mul(size);
        ensure(self.failed <= replicas, || format!("failed is {} of {replicas}", self.failed))?;
        check_failures(&self.failures, self.failed, self.blocks.end().saturating_mul(size))?;
        self.check_kept(expected)?;
        if let Some(results) = &self.partial {
            within("partial.", results.check_partial(point, expected))?;
            let number = results.batches[0].number;
            ensure(!self.blocks.holds(number), || {
                format!("partial is of batch {number}, which is there already")
            })?;
        }
        ensure(!self.exceeds(size, goal), || format!("partial has replicas from number {goal} on"))
    }

    /// Checks that the rows of the first batches are kept, as many as the study keeps.
    fn check_kept(&self, expected: &Expected) -> Sound {
        let needed = self.blocks.held_below(expected.keep.div_ceil(expected.size));
        let found = self.kept.len() as u64;
        ensure(found == needed, || format!("kept has {found} batches: it must have {needed}"))?;
        self.kept.iter().try_for_each(|(&number, kept)| {
            let rows = expected.kept_rows(number, expected.size);
            ensure(self.blocks.holds(number) && rows > 0, || {
                format!("kept.{number} is of no batch that is kept")
            })?;
            within(format_args!("kept.{number}."), kept.check(rows, expected))
        })
    }

    fn partial_batch(&self) -> Option<&Batch> {
        self.partial.as_ref().and_then(|results| results.batches.first())
    }

    fn sketch(&self, which: usize) -> Option<Cow<'_, Sketch>> {
        let full = self.sketches[which].as_ref()?;
        let Some(partial) = self.partial.as_ref().and_then(|results| results.sketches[which].as_ref()) else {
            return Some(Cow::Borrowed(full));
        };
        let mut sketch = full.clone();
        sketch.merge(partial);
        Some(Cow::Owned(sketch))
    }

    /// The values of an observable, if those of all replicas so far are kept.
    fn all_values(&self, size: u64, which: usize) -> Option<Vec<f64>> {
        let rows: usize = self.kept(size).map(|(_, kept)| kept.rows()).sum();
        (rows as u64 == self.replicas(size))
            .then(|| self.kept(size).flat_map(|(_, kept)| kept.values[which].iter().copied()).collect())
    }
}

fn merge_sketches(sketches: &mut [Option<Sketch>], others: &[Option<Sketch>]) {
    for (sketch, other) in sketches.iter_mut().zip(others) {
        if let (Some(sketch), Some(other)) = (sketch, other) {
            sketch.merge(other);
        }
    }
}

/// Keeps the failures of the lowest numbers.
fn merge_failures(failures: &mut Vec<Failure>, others: &[Failure]) {
    if others.is_empty() {
        return;
    }
    failures.extend_from_slice(others);
    failures.sort_by_key(|failure| failure.replica);
    failures.truncate(LISTED);
}
