//! The state of a study, which checkpoints hold and summaries are made of.

use serde::{Deserialize, Serialize};

use super::batch::{BatchResults, LISTED};
use super::checkpoint::NAME;
use super::environment::REVISION;
use super::file::{MOST_REPLICAS, Study};
use super::identity::Identity;
use super::plan::Plan;
use super::point::PointState;
use super::precision::Precision;
use super::shard::Shard;
use super::soundness::{Expected, Sound, check_precision, check_replicas, check_run, ensure, within};
use super::summary::{ListedFailure, PointSummary, RunRecord, StudyRecord, Summary};
use crate::error::{Error, Result};

/// From one round to the next a point grows at least and at most by these factors.
const GROWTH: [f64; 2] = [1.1, 4.0];
/// Factor on the replicas that the square-root law predicts: without it every other round would just miss the target.
const MARGIN: f64 = 1.05;

/// All that a study has found so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(super) identity: Identity,
    pub(super) shard: Option<Shard>,
    /// The requested length of the run: replicas of a point, or a precision.
    replicas: u64,
    precision: Option<Precision>,
    /// Replicas that each point is to have at the end of the round.
    pub(super) goals: Vec<u64>,
    pub(super) points: Vec<PointState>,
    pub(super) run: RunRecord,
    /// Where it was read from.
    #[serde(skip)]
    pub(super) origin: String,
}

impl State {
    /// A study of which nothing has been run.
    pub(crate) fn new(study: &Study) -> Self {
        Self {
            identity: Identity::of(study),
            shard: None,
            replicas: study.replicas,
            precision: study.precision.clone(),
            goals: Vec::new(),
            points: study.points.iter().map(|_| PointState::new(study.observables())).collect(),
            run: RunRecord::default(),
            origin: String::new(),
        }
    }

    /// The part of the study that it is, if it is one.
    #[must_use]
    pub fn shard(&self) -> Option<Shard> {
        self.shard
    }

    /// The study that it belongs to, with the replicas or precision of its last run; the state has been
    /// [checked](Self::check) with it.
    pub fn study(&self) -> Result<Study> {
        let mut study = self.identity.study()?;
        self.check(&study)?;
        (study.replicas, study.precision) = (self.replicas, self.precision.clone());
        Ok(study)
    }

    /// Checks the content if the study can be made from the state alone, in this build; otherwise
    /// [`check`](Self::check) does so with the study of the caller.
    pub(super) fn check_alone(&self) -> Result<()> {
        match self.identity.study() {
            Ok(study) if Identity::of(&study).difference(&self.identity).is_none() => self.check(&study),
            _ => Ok(()),
        }
    }

    /// How many replicas have been run, failed ones included, over all points.
    #[must_use]
    pub fn replicas(&self, study: &Study) -> u64 {
        self.pairs(study).map(|(state, size)| state.replicas(size)).sum()
    }

    /// How many replicas failed, over all points.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.points.iter().map(PointState::failed).sum()
    }

    /// [`Error::Mismatch`] if it belongs to another study, seed or version. How long the study runs may differ.
    ///
    /// [`Error::Corrupt`] if it is of this study but has content that no run of it has.
    pub fn check(&self, study: &Study) -> Result<()> {
        match Identity::of(study).difference(&self.identity) {
            Some(difference) => Err(self.mismatch(format!("it belongs to another study: {difference}"))),
            None => self.check_content(study).map_err(|detail| Error::Corrupt { format: NAME, detail }),
        }
    }

    /// Checks all that it holds, for the study that it belongs to.
    fn check_content(&self, study: &Study) -> Sound {
        let (found, needed) = (self.points.len(), study.points.len());
        ensure(found == needed, || format!("points has {found} entries, the study has {needed} points"))?;
        if self.goals.is_empty() {
            // Nothing has been run yet.
            let is_new = self.points == Self::new(study).points;
            return ensure(is_new, || "goals has 0 entries, but there are results".into());
        }
        ensure(self.goals.len() == needed, || {
            format!("goals has {} entries: {needed} points", self.goals.len())
        })?;
        let confidence = study.settings.confidence;
        ensure((0.5..1.0).contains(&confidence), || format!("identity.confidence is {confidence}"))?;
        check_replicas("replicas", self.replicas)?;
        let most = self.precision.as_ref().map_or(self.replicas, |precision| precision.most);
        self.precision.as_ref().map_or(Ok(()), |precision| check_precision(precision, study))?;
        within("run.", check_run(&self.run))?;
        for (point, (state, &goal)) in self.points.iter().zip(&self.goals).enumerate() {
            let fits = if self.precision.is_some() { (1..=most).contains(&goal) } else { goal == most };
            ensure(fits, || format!("goals[{point}] is {goal}, the run goes to {most}"))?;
            let expected = Expected::of(study, point, goal);
            within(format_args!("points[{point}]."), state.check(point, &expected))?;
        }
        Ok(())
    }

    pub(super) fn mismatch(&self, detail: String) -> Error {
        let path = if self.origin.is_empty() { "the checkpoint".into() } else { self.origin.clone() };
        Error::Mismatch { path, detail }
    }

    /// The inputs and values of the first replicas of a point, as many as the study keeps.
    pub fn samples(&self, study: &Study, point: usize) -> Result<Samples> {
        let len = study.points.len().min(self.points.len());
        if point >= len {
            return Err(Error::BadIndex { field: "point", index: point, len });
        }
        let (state, model) = (&self.points[point], &study.points[point].model);
        let mut samples = Samples {
            replicas: Vec::new(),
            inputs: vec![Vec::new(); model.inputs().len()],
            values: vec![Vec::new(); model.observables().len()],
        };
        for (first, kept) in state.kept(model.batch()) {
            samples.replicas.extend(first..first + kept.rows() as u64);
            let pairs = samples.inputs.iter_mut().zip(&kept.inputs);
            pairs.chain(samples.values.iter_mut().zip(&kept.values)).for_each(|(all, some)| all.extend(some));
        }
        Ok(samples)
    }

    /// What was found. All but [`Summary::run`] is the same for any number of threads, shards, ranks or interruptions.
    #[must_use]
    pub fn summary(&self, study: &Study) -> Summary {
        Summary {
            format: "carom study summary".into(),
            version: 1,
            study: record(study),
            carom_version: env!("CARGO_PKG_VERSION").into(),
            revision: REVISION.map(Into::into),
            complete: self.is_complete(study),
            axes: study.axes.clone(),
            observables: study.observables().to_vec(),
            points: (0..study.points.len()).map(|point| self.point_summary(study, point)).collect(),
            failures: self.listed_failures(),
            run: self.run.clone(),
        }
    }

    fn point_summary(&self, study: &Study, point: usize) -> PointSummary {
        let (state, at) = (&self.points[point], &study.points[point]);
        let estimates = state.estimates(study, point);
        let is_reached = |precision: &Precision| {
            precision.observables(study.observables()).all(|which| precision.excess(&estimates[which]) <= 1.0)
        };
        PointSummary {
            parameters: at.parameters.clone(),
            replicas: state.replicas(at.model.batch()),
            failed: state.failed(),
            precise: study.precision.as_ref().map(is_reached),
            warnings: at.model.warnings(study.seed, point as u64),
            estimates,
        }
    }

    fn listed_failures(&self) -> Vec<ListedFailure> {
        let of_point = |(point, state): (usize, &PointState)| {
            state.failures().into_iter().map(move |failure| ListedFailure {
                point: point as u64,
                replica: failure.replica,
                message: failure.message,
            })
        };
        self.points.iter().enumerate().flat_map(of_point).take(LISTED).collect()
    }

    /// Whether all replicas of the study have been run; never of a shard, nor with too many failures.
    #[must_use]
    pub fn is_complete(&self, study: &Study) -> bool {
        let wanted = study.precision.as_ref().map_or(study.replicas, |precision| precision.least);
        self.shard.is_none()
            && !self.goals.is_empty()
            && self.goals.iter().all(|goal| *goal >= wanted)
            && self.plan(study).len() == 0
            && self.too_many_failures(study).is_none()
            && self.next_goals(study).is_none()
    }

    pub(super) fn insert(&mut self, study: &Study, results: BatchResults) {
        let size = study.points[results.point].model.batch();
        self.points[results.point].insert(results, size);
    }

    /// What is missing in this round.
    pub(super) fn plan(&self, study: &Study) -> Plan {
        let mut plan = Plan::default();
        for (point, ((state, size), goal)) in self.pairs(study).zip(&self.goals).enumerate() {
            state.plan(&mut plan, point, size, *goal, self.shard);
        }
        plan
    }

    /// The goals of the first round, or of the one that was interrupted.
    pub(super) fn set_first_goals(&mut self, study: &Study) -> Result<()> {
        check_length(study)?;
        let goals: Vec<u64> = match &study.precision {
            None => vec![study.replicas; self.points.len()],
            Some(precision) => {
                (0..self.points.len()).map(|point| self.first_goal(study, precision, point)).collect()
            }
        };
        let exceeded =
            self.pairs(study).zip(&goals).position(|((state, size), goal)| state.exceeds(size, *goal));
        if let Some(point) = exceeded {
            let (found, goal) =
                (self.points[point].replicas(study.points[point].model.batch()), goals[point]);
            return Err(self.mismatch(format!(
                "it has {found} replicas of point {point}, more than the {goal} requested; request more"
            )));
        }
        (self.replicas, self.precision, self.goals) = (study.replicas, study.precision.clone(), goals);
        Ok(())
    }

    fn first_goal(&self, study: &Study, precision: &Precision, point: usize) -> u64 {
        let least = self.goals.get(point).map_or(precision.least, |goal| precision.least.max(*goal));
        whole_batches(least as f64, study.points[point].model.batch(), precision.most)
    }

    /// The goals of the next round, from the results of this one alone; `None` if there is none.
    pub(super) fn next_goals(&self, study: &Study) -> Option<Vec<u64>> {
        let precision = study.precision.as_ref()?;
        let next = (0..self.points.len()).map(|point| self.next_goal(study, precision, point)).collect();
        (next != self.goals).then_some(next)
    }

    /// Half widths fall with the square root of the number of replicas.
    fn next_goal(&self, study: &Study, precision: &Precision, point: usize) -> u64 {
        let goal = self.goals[point];
        let model = &*study.points[point].model;
        let excesses = precision
            .observables(study.observables())
            .map(|which| precision.excess(&self.points[point].estimate(study, point, which, false)));
        let excess = excesses.fold(0.0, f64::max);
        if goal >= precision.most || excess <= 1.0 {
            return goal;
        }
        let growth = (MARGIN * excess * excess).clamp(GROWTH[0], GROWTH[1]);
        whole_batches((goal as f64 * growth).ceil(), model.batch(), precision.most)
    }

    /// How many replicas there are to be at the end of the round, over all points.
    pub(super) fn planned(&self, study: &Study) -> u64 {
        let share = |((_, size), goal): ((_, u64), &u64)| PointState::share(size, *goal, self.shard);
        self.pairs(study).zip(&self.goals).map(share).sum()
    }

    /// How many replicas of a point may fail: also in a shard a share of all of them, so that shards end where one run would.
    fn allowed_failures(&self, study: &Study, point: usize) -> u64 {
        (study.settings.max_failed * self.goals[point] as f64) as u64
    }

    /// Whether more replicas of a point failed than may.
    pub(super) fn fails_too_often(&self, study: &Study, point: usize) -> bool {
        self.points[point].failed() > self.allowed_failures(study, point)
    }

    /// The first point of which more replicas failed than may.
    pub(super) fn too_many_failures(&self, study: &Study) -> Option<Error> {
        let point = (0..self.points.len()).find(|point| self.fails_too_often(study, *point))?;
        let first = self.points[point].failures().into_iter().next()?;
        let (allowed, replicas) = (self.allowed_failures(study, point), self.goals[point]);
        Some(Error::TooManyFailures {
            point,
            allowed,
            replicas,
            first: first.replica,
            message: first.message,
        })
    }

    /// Every point, and how many replicas its batches have.
    pub(super) fn pairs<'a>(&'a self, study: &'a Study) -> impl Iterator<Item = (&'a PointState, u64)> {
        self.points.iter().zip(study.points.iter().map(|point| point.model.batch()))
    }
}

/// The inputs and values of the first replicas of a point, in columns.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Samples {
    /// Numbers of the replicas, rising; without gaps once the study is complete.
    pub replicas: Vec<u64>,
    /// Inputs by number, each with one entry per replica.
    pub inputs: Vec<Vec<f64>>,
    /// Values by number of the observable, each with one entry per replica; NaN where a replica has no value.
    pub values: Vec<Vec<f64>>,
}

fn record(study: &Study) -> StudyRecord {
    StudyRecord {
        name: study.name.clone(),
        description: study.description.clone(),
        kind: study.kind.clone(),
        text: study.text.clone(),
        seed: study.seed,
        replicas: study.precision.as_ref().map_or(study.replicas, |precision| precision.most),
        precision: study.precision.as_ref().map(|precision| precision.target.to_string()),
        confidence: study.settings.confidence,
    }
}

/// Refuses more replicas than a study can have: checkpoints could not hold them.
fn check_length(study: &Study) -> Result<()> {
    let most = study.precision.as_ref().map_or(study.replicas, |precision| precision.most);
    let least = study.precision.as_ref().map_or(most, |precision| precision.least);
    match [least, most].into_iter().find(|replicas| !(1..=MOST_REPLICAS).contains(replicas)) {
        Some(replicas) => Err(Error::OutOfRange {
            field: "the number of replicas",
            value: replicas as f64,
            expected: "from 1 to 2^50",
        }),
        None => Ok(()),
    }
}

/// The least number of full batches with this many replicas; `most` if that has fewer.
fn whole_batches(replicas: f64, size: u64, most: u64) -> u64 {
    let batches = (replicas / size as f64).ceil();
    let whole = batches * size as f64;
    if whole < most as f64 { whole as u64 } else { most }
}
