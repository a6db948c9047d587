//! Running a study: rounds of batches over threads and ranks, progress, checkpoints, and an end.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use super::batch::BatchResults;
use super::checkpoint::remove_leftovers;
use super::environment::environment;
use super::file::Study;
use super::identity::Identity;
use super::plan::Plan;
use super::shard::Shard;
use super::state::State;
use super::transport::{Order, REST, Ranks, Report};
use super::workers::{CancelOnDrop, Job, room_of_state};
use crate::error::{Error, Result};
use crate::soa::memory;
use crate::soa::par::thread_count;

/// How long the calling thread waits for results before it reports progress.
const TICK: Duration = Duration::from_millis(10);

/// How a study is run. The results do not depend on it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RunOptions {
    /// Threads that run replicas; 0 = one per core.
    pub threads: usize,
    /// Where the state is written, at intervals and at the end.
    pub checkpoint: Option<PathBuf>,
    /// Time between checkpoints.
    pub checkpoint_interval: Duration,
    /// Time between reports to the observer.
    pub report_interval: Duration,
    /// The state to continue from, as [`State::load`] gives it.
    pub resume: Option<State>,
    /// The part of the study to run; all of it if `None`.
    pub shard: Option<Shard>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            threads: 0,
            checkpoint: None,
            checkpoint_interval: Duration::from_secs(30),
            report_interval: Duration::from_millis(100),
            resume: None,
            shard: None,
        }
    }
}

/// The progress of a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Replicas run so far, over all points.
    pub replicas: u64,
    /// Replicas there are to be at the end of the round; of the run, without a precision.
    pub planned: u64,
    /// Replicas that were there when the run began.
    pub resumed: u64,
    /// Replicas that could not be run.
    pub failed: u64,
    /// Number of the round, from 1.
    pub round: u64,
    /// How long this run has taken so far, in seconds.
    pub seconds: f64,
    /// Why the last checkpoint could not be written; it is tried again.
    pub warning: Option<String>,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The state at the end.
    pub state: State,
    /// How it ended.
    pub end: End,
    /// Why the state could not be written to the checkpoint at the end: it is in [`state`](Self::state) alone.
    pub unsaved: Option<Error>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// All replicas of the study have been run.
    Complete,
    /// The observer stopped it.
    Cancelled,
    /// Too many replicas fail: an [`Error::TooManyFailures`], the same for any number of threads or ranks.
    Failed(Error),
}

/// Runs a study on the threads of this process.
///
/// The observer is called with the progress on the calling thread, and ends the run with [`ControlFlow::Break`].
///
/// If a model panics, the replicas of its batch are failures. Errors are bad options, a checkpoint of another study
/// ([`Error::Mismatch`]), or a checkpoint that cannot be written when the run begins.
pub fn run(
    study: &Study,
    options: &RunOptions,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome> {
    run_with_ranks(study, options, &mut Ranks::alone(), observer)
}

/// Runs a study on this process, which must lead, and on the others, which must call [`serve`].
pub fn run_with_ranks(
    study: &Study,
    options: &RunOptions,
    ranks: &mut Ranks,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome> {
    let mut run = Run::start(study, options, ranks, observer)?;
    match run.all_rounds() {
        Ok(end) => Ok(run.finish(end)),
        Err(error) => {
            // What there is can be continued from when there is more memory.
            if matches!(error, Error::OutOfMemory { .. }) {
                run.save();
            }
            Err(error)
        }
    }
}

/// Runs batches for the leading process on this many threads (0 = one per core), until it finishes.
pub fn serve(study: &Study, threads: usize, ranks: &mut Ranks) -> Result<()> {
    let threads = thread_count(threads)?;
    loop {
        match ranks.wait_for_order()? {
            Order::Finish => return Ok(()),
            Order::Cut(_) | Order::Cancel => {}
            Order::Round { identity, plan } => {
                let difference = Identity::of(study).difference(&identity);
                match difference.or_else(|| (!plan.is_sound(study.points.len())).then(|| "its plan".into())) {
                    Some(difference) => ranks.report(&Report::Refused(difference)),
                    None if serve_round(study, &plan, threads, ranks)?.is_break() => return Ok(()),
                    None => {}
                }
            }
        }
    }
}

/// Breaks if there is nothing left to do after this round.
fn serve_round(study: &Study, plan: &Plan, threads: usize, ranks: &mut Ranks) -> Result<ControlFlow<()>> {
    let job = Job::new(study, plan, ranks.rank(), ranks.size(), threads);
    scope(|scope| {
        let receiver = job.start(scope, threads)?;
        let _cancel_on_drop = CancelOnDrop(&job);
        loop {
            match receiver.recv_timeout(REST) {
                Ok(results) => ranks.report(&Report::Batches(results)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    job.check_memory()?;
                    ranks.report(&Report::Done);
                    return Ok(ControlFlow::Continue(()));
                }
            }
            match ranks.next_order()? {
                Some(Order::Cut(end)) => job.cut(end),
                Some(Order::Cancel) => job.cancel(),
                Some(Order::Finish) => return Ok(ControlFlow::Break(())),
                Some(Order::Round { .. }) | None => {}
            }
        }
    })
}

/// A run, as the leading process has it.
struct Run<'a> {
    study: &'a Study,
    options: &'a RunOptions,
    ranks: &'a mut Ranks,
    observer: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    threads: usize,
    state: State,
    begun: Instant,
    /// How long the runs before this one took, in seconds.
    seconds_before: f64,
    resumed: u64,
    round: u64,
    saved: Instant,
    unsaved: Option<Error>,
    reported: Option<Instant>,
    cancelled: bool,
}

impl<'a> Run<'a> {
    fn start(
        study: &'a Study,
        options: &'a RunOptions,
        ranks: &'a mut Ranks,
        observer: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Self> {
        let threads = thread_count(options.threads)?;
        memory::expect_room(room_of_state(study))?;
        let mut state = first_state(study, options)?;
        state.run = record(&state, threads, ranks.size(), options.resume.is_some());
        let (now, seconds_before, resumed) = (Instant::now(), state.run.seconds, state.replicas(study));
        if let Some(path) = &options.checkpoint {
            remove_leftovers(path);
            if options.resume.is_none() {
                state.save(path)?;
            }
        }
        Ok(Self {
            study,
            options,
            ranks,
            observer,
            threads,
            state,
            begun: now,
            seconds_before,
            resumed,
            round: 1,
            saved: now,
            unsaved: None,
            reported: None,
            cancelled: false,
        })
    }

    fn all_rounds(&mut self) -> Result<End> {
        loop {
            let plan = self.state.plan(self.study);
            if plan.len() > 0 && self.state.too_many_failures(self.study).is_none() && !self.cancelled {
                self.run_round(&plan)?;
            }
            if let Some(error) = self.state.too_many_failures(self.study) {
                return Ok(End::Failed(error));
            }
            if self.state.plan(self.study).len() > 0 {
                return Ok(End::Cancelled);
            }
            let Some(goals) = self.state.next_goals(self.study) else { return Ok(End::Complete) };
            self.state.goals = goals;
            self.round += 1;
        }
    }

    fn run_round(&mut self, plan: &Plan) -> Result<()> {
        if self.ranks.size() > 1 {
            let identity = Box::new(self.state.identity.clone());
            self.ranks.order(&Order::Round { identity, plan: plan.clone() });
        }
        let job = Job::new(self.study, plan, self.ranks.rank(), self.ranks.size(), self.threads);
        scope(|scope| {
            let receiver = job.start(scope, self.threads)?;
            let _cancel_on_drop = CancelOnDrop(&job);
            self.collect(&job, plan, &receiver)?;
            job.check_memory()
        })
    }

    /// Merges results until this process and all others are done.
    fn collect(&mut self, job: &Job<'_>, plan: &Plan, receiver: &Receiver<BatchResults>) -> Result<()> {
        let (mut mine, mut others) = (true, self.ranks.size() - 1);
        let tick = if others > 0 { REST } else { TICK };
        // The first item after all that came in.
        let mut end = 0;
        while mine || others > 0 {
            match receiver.recv_timeout(tick) {
                Ok(results) => self.merge_results(results, job, plan, &mut end),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    mine = false;
                    if others > 0 {
                        sleep(tick);
                    }
                }
            }
            while let Some((rank, report)) = self.ranks.next_report()? {
                match report {
                    Report::Batches(results) => self.merge_results(results, job, plan, &mut end),
                    Report::Done => others -= 1,
                    Report::Refused(detail) => {
                        return Err(Error::Mismatch { path: format!("the study of rank {rank}"), detail });
                    }
                }
            }
            self.report_and_save(job);
        }
        Ok(())
    }

    /// Items are run in order up to the last one that came in, so that the point that fails does not depend on timing.
    fn merge_results(&mut self, results: BatchResults, job: &Job<'_>, plan: &Plan, end: &mut u64) {
        let (point, last) = (results.point, results.batches.last().map_or(0, |batch| batch.number));
        *end = (*end).max(plan.number_of(point, last).map_or(0, |number| number + 1));
        self.state.insert(self.study, results);
        if self.state.fails_too_often(self.study, point) {
            job.cut(*end);
            self.ranks.order(&Order::Cut(*end));
        }
    }

    fn report_and_save(&mut self, job: &Job<'_>) {
        if self.reported.is_none_or(|last| last.elapsed() >= self.options.report_interval) {
            let progress = self.progress();
            self.reported = Some(Instant::now());
            if (self.observer)(&progress).is_break() && !self.cancelled {
                self.cancelled = true;
                job.cancel();
                self.ranks.order(&Order::Cancel);
            }
        }
        if self.saved.elapsed() >= self.options.checkpoint_interval {
            self.save();
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            replicas: self.state.replicas(self.study),
            planned: self.state.planned(self.study),
            resumed: self.resumed,
            failed: self.state.failed(),
            round: self.round,
            seconds: self.begun.elapsed().as_secs_f64(),
            warning: self.unsaved.as_ref().map(ToString::to_string),
        }
    }

    /// A failure is kept as a warning: the disk may have room at the next attempt.
    fn save(&mut self) {
        self.state.run.seconds = self.seconds_before + self.begun.elapsed().as_secs_f64();
        if let Some(path) = &self.options.checkpoint {
            self.unsaved = self.state.save(path).err();
        }
        self.saved = Instant::now();
    }

    fn finish(mut self, end: End) -> Outcome {
        self.save();
        let progress = self.progress();
        // The run has ended: there is nothing left to stop.
        let _ = (self.observer)(&progress);
        Outcome { state: self.state, end, unsaved: self.unsaved }
    }
}

/// What a run begins with, and the goals of its first round.
fn first_state(study: &Study, options: &RunOptions) -> Result<State> {
    if let (Some(shard), true) = (options.shard, study.precision.is_some()) {
        return Err(Error::OutOfRange {
            field: "the number of shards",
            value: shard.count() as f64,
            expected: "1 for a precision, which depends on all shards together; \
                       set a number of replicas instead",
        });
    }
    let mut state = match &options.resume {
        Some(state) => {
            state.check(study)?;
            state.clone()
        }
        None => State::new(study),
    };
    if options.resume.is_some() && state.shard != options.shard {
        let named =
            |shard: Option<Shard>| shard.map_or("the whole study".into(), |shard| format!("shard {shard}"));
        let (there, here) = (named(state.shard), named(options.shard));
        return Err(state.mismatch(format!("it is {there} there and {here} here")));
    }
    state.shard = options.shard;
    state.set_first_goals(study)?;
    Ok(state)
}

fn record(state: &State, threads: usize, processes: usize, is_resumed: bool) -> super::RunRecord {
    super::RunRecord {
        threads: threads as u64,
        processes: processes as u64,
        seconds: state.run.seconds,
        resumed: state.run.resumed + u64::from(is_resumed),
        ..environment()
    }
}

#[cfg(test)]
mod tests;
