//! The worker threads of one process: they take batches in the order of the plan and send their results.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

use super::batch::{Batch, BatchResults, fail_all, reject_huge_values};
use super::file::{Point, Study};
use super::model::{BatchColumns, Model, Worker};
use super::plan::{Item, Plan};
use crate::error::{Error, Result, panic_message};
use crate::soa::memory;
use crate::soa::threads::{self, expect_thread_room, thread_error};

/// Time for which a thread collects batches before it sends them: merging sketches costs more than a small batch.
const COLLECT: Duration = Duration::from_millis(20);
/// The most batches that a thread collects.
const MOST_BATCHES: usize = 512;

/// The part of a plan that one process runs.
pub(super) struct Job<'a> {
    study: &'a Study,
    plan: &'a Plan,
    /// This process runs every `size`-th item from `rank` on.
    rank: u64,
    size: u64,
    next: AtomicU64,
    /// The first item that is not to be run.
    end: AtomicU64,
    cancel: AtomicBool,
    /// Whether a thread lacked memory.
    lacks_memory: AtomicBool,
    /// Bytes for which there must be room before a thread goes on.
    room: usize,
}

impl<'a> Job<'a> {
    pub(super) fn new(study: &'a Study, plan: &'a Plan, rank: usize, size: usize, threads: usize) -> Self {
        Self {
            study,
            plan,
            rank: rank as u64,
            size: size as u64,
            next: AtomicU64::new(0),
            end: AtomicU64::new(plan.len()),
            cancel: AtomicBool::new(false),
            lacks_memory: AtomicBool::new(false),
            room: threads.saturating_mul(room_per_thread(study)),
        }
    }

    /// Starts the threads. Their results come through the channel, which closes when all of them are done.
    pub(super) fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        threads: usize,
    ) -> Result<Receiver<BatchResults>> {
        let (sender, receiver) = sync_channel(2 * threads);
        let (started, starts) = sync_channel(1);
        for number in 0..threads {
            let (sender, started) = (sender.clone(), started.clone());
            let spawn = || {
                expect_thread_room()?;
                let thread = Builder::new().name(format!("carom-study-{number}"));
                let work = move || {
                    threads::begin(&started);
                    WorkerThread::new(self, sender).work();
                };
                thread.spawn_scoped(scope, work).map_err(|error| thread_error("thread", error))?;
                starts.recv().map_err(|error| thread_error("thread", error))
            };
            spawn().inspect_err(|_| self.cancel())?;
        }
        Ok(receiver)
    }

    /// [`Error::OutOfMemory`] if a thread lacked memory.
    pub(super) fn check_memory(&self) -> Result<()> {
        let is_enough = !self.lacks_memory.load(Ordering::Relaxed);
        if is_enough { Ok(()) } else { Err(Error::OutOfMemory { bytes: self.room }) }
    }

    /// Stops because a thread lacks memory.
    fn fail_for_memory(&self) {
        self.lacks_memory.store(true, Ordering::Relaxed);
        self.cancel();
    }

    /// Leaves out the items from this one on.
    pub(super) fn cut(&self, end: u64) {
        self.end.fetch_min(end, Ordering::Relaxed);
    }

    /// Stops as soon as possible.
    pub(super) fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    fn take(&self) -> Option<Item> {
        if self.cancel.load(Ordering::Relaxed) {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed) * self.size + self.rank;
        (number < self.end.load(Ordering::Relaxed)).then(|| self.plan.item(number)).flatten()
    }
}

/// Bytes that a thread may take until it sends its results, and as much for merging them: columns of a batch, rows that are
/// kept, and tallies and sketches of all batches that it collects.
fn room_per_thread(study: &Study) -> usize {
    const TALLIES_AND_SKETCHES: usize = 8 << 20;
    let of_point =
        |point: &Point| room_of_rows(point, point.model.batch().saturating_add(study.settings.keep));
    study.points.iter().map(of_point).max().unwrap_or(0).saturating_add(TALLIES_AND_SKETCHES)
}

/// Bytes of the results of all points, as the state has them, the one to continue from, and the summary.
pub(super) fn room_of_state(study: &Study) -> usize {
    const TALLIES_AND_SKETCHES: usize = 64 << 10;
    let of_point = |point| room_of_rows(point, study.settings.keep).saturating_add(TALLIES_AND_SKETCHES);
    study.points.iter().map(of_point).fold(0, usize::saturating_add)
}

/// Bytes of four copies of so many rows of a point.
fn room_of_rows(point: &Point, rows: u64) -> usize {
    let columns = point.model.inputs().len() + point.model.observables().len();
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    rows.saturating_mul(columns).saturating_mul(4 * size_of::<f64>())
}

/// Cancels a job when it is dropped, so that threads end if the collection of their results does.
pub(super) struct CancelOnDrop<'a>(pub(super) &'a Job<'a>);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// One worker thread.
struct WorkerThread<'a> {
    job: &'a Job<'a>,
    out: SyncSender<BatchResults>,
    /// For one point: the memory of a worker is used again from batch to batch.
    worker: Option<(usize, Box<dyn Worker + 'a>)>,
    block: BatchColumns,
    results: Option<BatchResults>,
    since: Instant,
}

impl<'a> WorkerThread<'a> {
    fn new(job: &'a Job<'a>, out: SyncSender<BatchResults>) -> Self {
        Self { job, out, worker: None, block: BatchColumns::default(), results: None, since: Instant::now() }
    }

    fn work(mut self) {
        if !self.has_room() {
            return;
        }
        while let Some(item) = self.job.take() {
            if !self.run(item) {
                break;
            }
        }
        self.send();
    }

    /// Runs a batch; `false` if the thread is to end.
    fn run(&mut self, item: Item) -> bool {
        let model = &*self.job.study.points[item.point].model;
        if !self.run_batch(item, model) {
            return false;
        }
        let is_partial = item.rows < model.batch();
        let fits = self.results.as_ref().is_some_and(|results| results.point == item.point) && !is_partial;
        if !fits && !self.send() {
            return false;
        }
        self.add_batch(item, model);
        let is_full = self.results.as_ref().is_some_and(|results| results.batches.len() >= MOST_BATCHES);
        if is_partial || is_full || self.since.elapsed() >= COLLECT {
            self.send_some(is_partial) && self.has_room()
        } else {
            true
        }
    }

    /// Whether there is room for what all threads may take until they send; if not, the job stops.
    fn has_room(&self) -> bool {
        let has_room = memory::expect_room(self.job.room).is_ok();
        if !has_room {
            self.job.fail_for_memory();
        }
        has_room
    }

    fn add_batch(&mut self, item: Item, model: &dyn Model) {
        let observables = model.observables();
        let keep = self.job.study.settings.keep.saturating_sub(item.batch * model.batch());
        let batch = Batch::of(observables, item.batch, item.rows, keep, &self.block);
        let results = self.results.get_or_insert_with(|| BatchResults::new(item.point, observables));
        results.add(batch, &self.block.values);
    }

    /// Sends the results and begins the next ones of the same point.
    fn send_some(&mut self, is_partial: bool) -> bool {
        // A partial batch may be dropped later, so the next sketches cannot follow from its sketches.
        let next = self.results.as_ref().filter(|_| !is_partial).map(BatchResults::next);
        let is_sent = self.send();
        self.results = next;
        is_sent
    }

    /// Sends the results, if any; `false` if the receiver is gone.
    fn send(&mut self) -> bool {
        self.since = Instant::now();
        match self.results.take().filter(|results| !results.batches.is_empty()) {
            Some(results) => self.out.send(results).is_ok(),
            None => true,
        }
    }

    /// Fills the columns, also if the model panics; `false` if the job was cancelled.
    fn run_batch(&mut self, item: Item, model: &'a dyn Model) -> bool {
        let first = item.batch * model.batch();
        // After a panic the worker is dropped and the columns are written again.
        match catch_unwind(AssertUnwindSafe(|| self.try_batch(item, model, first))) {
            Ok(false) => return false,
            Ok(true) => reject_huge_values(model.observables(), first, &mut self.block),
            Err(panic) => {
                self.worker = None;
                let message = format!("internal error, please report it: {}", panic_message(&*panic));
                let (inputs, values) = (model.inputs().len(), model.observables().len());
                fail_all(&mut self.block, inputs, values, first, item.rows, &message);
            }
        }
        true
    }

    fn try_batch(&mut self, item: Item, model: &'a dyn Model, first: u64) -> bool {
        if self.worker.as_ref().is_none_or(|(point, _)| *point != item.point) {
            self.worker = Some((item.point, model.worker(self.job.study.seed, item.point as u64)));
        }
        let Some((_, worker)) = &mut self.worker else { return false };
        let done = worker.run(first..first + item.rows, &self.job.cancel, &mut self.block);
        if self.block.lacks_memory {
            self.job.fail_for_memory();
        }
        let even = |columns: &[Vec<f64>], count: usize| {
            columns.len() == count && columns.iter().all(|column| column.len() as u64 == item.rows)
        };
        assert!(
            !done
                || (even(&self.block.inputs, model.inputs().len())
                    && even(&self.block.values, model.observables().len())),
            "the model filled columns of the wrong length"
        );
        done
    }
}
