//! `carom fmb bench`: how many pairs per second, against the row-by-row reference and SAT.

use std::hint::black_box;
use std::time::{Duration, Instant};

use carom::fmb::ReferenceTest;
use carom::fmb::{Intersections, Request};
use carom::{Context, Frame, FrameField, Frames, sat};
use clap::ValueEnum;
use serde::Serialize;

use super::cases::{Case, Turned};
use super::clock::{THREAD_CLOCK, time};
use super::machine::Machine;
use super::workload::{Drawn, Mix, Workload};
use super::{Outcome, Result, dimension, rows};
use crate::cli::say;

const EXAMPLES: &str = "\
Examples:
  carom fmb bench                                   a million random pairs of 4,096 frames, 3D
  carom fmb bench --dim 2 --moving --mix CT         parallelograms against triangles that move
  carom fmb bench --near --threads 0                only pairs with overlapping boxes, all cores
  carom fmb bench --orientation upright --mix CC    boxes that stand on the ground
  carom fmb bench --paired --times --boxes --json   two sets side by side, all results, for scripts

Times are the best of several rounds, in which the contenders take turns. The batch test, the
reference (the row-by-row elimination) and SAT (the separating axis theorem) are compared on the
same pairs, the first 20,000 at most, each on one thread and by the processor time of that thread;
the batch test with and without preparing its frames (checking and packing them). All pairs
together are tested on --threads threads: one is measured by its processor time, several by the
wall clock, which other work on the machine disturbs. The bytes per pair are the records and boxes
of its two frames and, if pairs are listed, their two indices: what the test reads.";

/// Pairs on which all contenders are compared, at most.
const SUBSET: usize = 20_000;

/// Rounds, at least, unless an option says otherwise: other work on the machine disturbs some of them.
const LEAST_ROUNDS: u32 = 5;
const LONG_ENOUGH: Duration = Duration::from_secs(2);

/// A number of frames from which pairs can be drawn, also as 1e6.
fn two_or_more(text: &str) -> std::result::Result<u32, String> {
    rows(text).and_then(|frames| if frames < 2 { Err("it must be at least 2".into()) } else { Ok(frames) })
}

/// Measures how many pairs per second the batch test decides
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Dimension of the frames, 2 or 3
    #[arg(long, value_name = "D", default_value_t = 3, value_parser = dimension())]
    dim: u8,
    /// The frames move, for 1 s
    #[arg(long)]
    moving: bool,
    /// Number of pairs
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = rows)]
    pairs: u32,
    /// Kinds of the frames of a pair: C for cuboid, T for tetrahedron, mix for either with equal chance
    #[arg(long, value_enum, ignore_case = true, default_value_t = Mix::Any)]
    mix: Mix,
    /// How the frames are turned
    #[arg(long, value_enum, default_value_t = Turned::Random)]
    orientation: Turned,
    /// Only pairs whose bounding boxes overlap
    #[arg(long)]
    near: bool,
    /// Number of random frames from which pairs are drawn
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = two_or_more)]
    frames: u32,
    /// The i-th frame of one set against the i-th of another, instead of pairs drawn from one set
    #[arg(long, conflicts_with = "frames")]
    paired: bool,
    /// Compute the interval of time of the overlap, too
    #[arg(long)]
    times: bool,
    /// Compute the box around the overlap, too
    #[arg(long)]
    boxes: bool,
    /// Number of rounds; the best one counts [default: for two seconds, but at least 5]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,
    /// Seed of the random frames and pairs
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Number of threads of the batch test, 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn case(&self) -> Case {
        Case { dim: self.dim, moving: self.moving }
    }

    fn workload<const D: usize>(&self) -> Result<Workload<D>> {
        let Self { mix, near, orientation: turned, seed, .. } = *self;
        let (drawn, pairs) = (Drawn { case: self.case(), mix, near, turned, seed }, self.pairs as usize);
        if self.paired {
            Workload::paired(drawn, pairs)
        } else {
            Workload::listed(drawn, pairs, self.frames as usize)
        }
    }

    fn request(&self) -> Request {
        let Self { times, boxes, .. } = *self;
        Request::COUNT.with_bits(true).with_list(times || boxes).with_times(times).with_boxes(boxes)
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let context = Context::with_threads(arguments.threads)?;
    let figures = match arguments.dim {
        2 => measure(arguments, &context, arguments.workload::<2>()?)?,
        _ => measure(arguments, &context, arguments.workload::<3>()?)?,
    };
    if arguments.json {
        say(&(serde_json::to_string(&figures).expect("numbers always have a JSON form") + "\n"))?;
    } else {
        say(&figures.as_text())?;
    }
    Ok(Outcome::Success)
}

/// The results; times in nanoseconds.
#[derive(Serialize)]
struct Figures {
    dim: u8,
    moving: bool,
    mix: String,
    orientation: String,
    near: bool,
    paired: bool,
    times: bool,
    boxes: bool,
    threads: usize,
    #[serde(flatten)]
    machine: Machine,
    frames: usize,
    pairs: usize,
    repeat: u32,
    seed: u64,
    /// What `ns_per_pair` was measured by.
    clock: &'static str,
    ns_per_pair: f64,
    pairs_per_second: f64,
    bytes_per_pair: usize,
    bytes_per_second: f64,
    hits: usize,
    exact_redone: u64,
    bounds_redone: u64,
    prepare_ns_per_frame: f64,
    #[serde(flatten)]
    contest: Contest,
}

/// The contenders on the same pairs, each on one thread and by its processor time, in nanoseconds per pair.
#[derive(Serialize)]
struct Contest {
    compared_by: &'static str,
    compared_pairs: usize,
    batch_ns_per_pair: f64,
    prepared_batch_ns_per_pair: f64,
    reference_ns_per_pair: f64,
    sat_ns_per_pair: f64,
    reference_over_batch: f64,
    reference_over_prepared_batch: f64,
    sat_over_batch: f64,
    sat_over_prepared_batch: f64,
}

impl Contest {
    /// From the times of preparation, batch test, reference and SAT on all pairs, in nanoseconds.
    fn new(pairs: usize, times: [f64; 4]) -> Self {
        let [prepare, batch, reference, sat] = times.map(|time| time / pairs as f64);
        let prepared = prepare + batch;
        Self {
            compared_by: THREAD_CLOCK,
            compared_pairs: pairs,
            batch_ns_per_pair: batch,
            prepared_batch_ns_per_pair: prepared,
            reference_ns_per_pair: reference,
            sat_ns_per_pair: sat,
            reference_over_batch: reference / batch,
            reference_over_prepared_batch: reference / prepared,
            sat_over_batch: sat / batch,
            sat_over_prepared_batch: sat / prepared,
        }
    }
}

fn measure<const D: usize>(
    arguments: &Arguments,
    context: &Context,
    mut work: Workload<D>,
) -> Result<Figures> {
    let values = work.first_pairs(SUBSET)?;
    let mut same = work.head(arguments.case(), SUBSET)?;
    let duration = arguments.case().duration();
    let [mut found, mut few] = [(); 2].map(|()| Intersections::new(arguments.request()));
    let one = Context::serial();
    let mut best = [f64::INFINITY; 6];
    let (start, mut rounds) = (Instant::now(), 0);
    while goes_on(arguments.repeat, rounds, start) {
        let round = [
            prepare(&one, &mut work)?,
            all_pairs(context, &work, &mut found)?,
            prepare(&one, &mut same)?,
            on_this_thread(|| few.test(&one, &same.a, same.second(), same.pairs()))?,
            reference(&values, duration),
            separating_axes(&values, duration),
        ];
        best.iter_mut().zip(round).for_each(|(best, time)| *best = best.min(time));
        rounds += 1;
    }
    let [prepare, batch, contest @ ..] = best;
    let (pairs, frames) = (found.tested(), work.a.len());
    let batch = batch / pairs as f64;
    let bytes = bytes_per_pair::<D>(arguments.moving, arguments.paired);
    Ok(Figures {
        dim: arguments.dim,
        moving: arguments.moving,
        mix: arguments.mix.to_possible_value().expect("no value is hidden").get_name().to_owned(),
        orientation: arguments.orientation.name(),
        near: arguments.near,
        paired: arguments.paired,
        times: arguments.times,
        boxes: arguments.boxes,
        threads: context.threads(),
        machine: Machine::here(),
        frames,
        pairs,
        repeat: rounds,
        seed: arguments.seed,
        clock: if context.threads() == 1 { THREAD_CLOCK } else { "wall clock" },
        ns_per_pair: batch,
        pairs_per_second: 1e9 / batch,
        bytes_per_pair: bytes,
        bytes_per_second: bytes as f64 * 1e9 / batch,
        hits: found.hits(),
        exact_redone: found.redone(),
        bounds_redone: found.bounds_redone(),
        prepare_ns_per_frame: prepare / work.sets_mut().map(|set| set.len()).sum::<usize>() as f64,
        contest: Contest::new(values.len(), contest),
    })
}

/// Whether another round follows: until there are as many as requested or, without a request, for [`LONG_ENOUGH`].
fn goes_on(asked: Option<u32>, done: u32, start: Instant) -> bool {
    asked.map_or(done < LEAST_ROUNDS || start.elapsed() < LONG_ENOUGH, |asked| done < asked)
}

/// Bytes that a test reads per pair at most: record and box of both frames, and two indices if pairs are listed. If the
/// boxes are apart the records are not read.
fn bytes_per_pair<const D: usize>(is_moving: bool, paired: bool) -> usize {
    2 * Frames::<D>::bytes_per_test(is_moving) + if paired { 0 } else { size_of::<[u32; 2]>() }
}

/// The time of a call on this thread, in nanoseconds.
fn on_this_thread<T>(run: impl FnOnce() -> carom::Result<T>) -> Result<f64> {
    let (elapsed, outcome) = time(run);
    outcome?;
    Ok(elapsed.as_nanos() as f64)
}

/// Checking and packing all frames after a change.
fn prepare<const D: usize>(context: &Context, work: &mut Workload<D>) -> Result<f64> {
    work.sets_mut().try_fold(0.0, |sum, frames| {
        frames.column_mut(FrameField::Origin, 0)?;
        Ok(sum + on_this_thread(|| frames.update(context))?)
    })
}

/// The batch test of all pairs: by the clock of the thread if there is one thread, else by the wall clock.
fn all_pairs<const D: usize>(
    context: &Context,
    work: &Workload<D>,
    found: &mut Intersections<D>,
) -> Result<f64> {
    let mut test = || found.test(context, &work.a, work.second(), work.pairs());
    if context.threads() == 1 {
        return on_this_thread(test);
    }
    let start = Instant::now();
    let outcome = test();
    let elapsed = start.elapsed();
    outcome?;
    Ok(elapsed.as_nanos() as f64)
}

fn reference<const D: usize>(pairs: &[[Frame<D>; 2]], duration: Option<f64>) -> f64 {
    let mut reference = ReferenceTest::new();
    let test = || pairs.iter().filter(|[a, b]| black_box(reference.test(a, b, duration)).is_some()).count();
    time(test).0.as_nanos() as f64
}

fn separating_axes<const D: usize>(pairs: &[[Frame<D>; 2]], duration: Option<f64>) -> f64 {
    let test = || pairs.iter().filter(|[a, b]| black_box(sat::intersects(a, b, duration))).count();
    time(test).0.as_nanos() as f64
}

impl Figures {
    fn as_text(&self) -> String {
        let Self { dim, mix, threads, frames, pairs, hits, clock, contest, .. } = self;
        let motion = if self.moving { "moving" } else { "resting" };
        let near = if self.near { ", boxes overlap" } else { "" };
        let turned =
            if self.orientation == "random" { String::new() } else { format!(", {}", self.orientation) };
        let source = if self.paired { "of two sets of" } else { "drawn from" };
        let share = 100.0 * *hits as f64 / *pairs as f64;
        let row = |(name, value, unit): (&str, f64, &str)| format!("  {name:<24}{value:>12.2} {unit}\n");
        let all = [
            ("batch", self.ns_per_pair, "ns/pair"),
            ("", self.pairs_per_second / 1e6, "million pairs/s"),
            ("", self.bytes_per_second / 1e9, "GB/s at most"),
            ("preparing frames", self.prepare_ns_per_frame, "ns/frame"),
        ];
        format!(
            "{dim}D {motion}, {mix}{turned}{near}: {pairs} pairs {source} {frames} frames\n{}\n\
             all pairs, threads: {threads}, {clock}:\n{}\
             the same {} pairs for each, one thread, {}:\n{}\
             {hits} hits ({share:.1}%), {} decided in exact arithmetic, {} located with more precision, {} bytes per pair\n",
            self.machine.describe(),
            all.map(row).concat(),
            contest.compared_pairs,
            contest.compared_by,
            contest.as_text(),
            self.exact_redone,
            self.bounds_redone,
            self.bytes_per_pair
        )
    }
}

impl Contest {
    fn as_text(&self) -> String {
        let row = |name: &str, time: f64, over: String| format!("  {name:<24}{time:>12.2} ns/pair{over}\n");
        let over = |batch: f64, prepared: f64| {
            format!("   {batch:.1} times the batch, {prepared:.1} times the batch with preparation")
        };
        [
            row("batch", self.batch_ns_per_pair, String::new()),
            row("batch with preparation", self.prepared_batch_ns_per_pair, String::new()),
            row(
                "reference",
                self.reference_ns_per_pair,
                over(self.reference_over_batch, self.reference_over_prepared_batch),
            ),
            row("SAT", self.sat_ns_per_pair, over(self.sat_over_batch, self.sat_over_prepared_batch)),
        ]
        .concat()
    }
}
