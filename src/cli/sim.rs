//! `carom sim`: steps a world and writes down what happens.

use std::path::{Path, PathBuf};

use carom::{Collision, Context, World};
use indicatif::{ProgressBar, ProgressStyle};

use super::records::Records;
use super::schedule::Schedule;
use super::summary::{Summary, Totals};
use super::{Failure, FormatName, Outcome, Result, interrupt};

const EXAMPLES: &str = "\
Examples:
  carom sim                                                       the built-in world, printed
  carom sim examples/worlds/three_balls.json                      1 s, results in carom-out/
  carom sim examples/worlds/orbit.json --until 20 --dt 0.001 --every 100 --out orbit
  carom sim orbit/final.json --until 40 --out orbit-2             go on from where it ended
  carom sim world.json --json --quiet | jq .energy_drift          for scripts

Results, in the directory of --out:
  trajectory.csv  time (s), particle, position (m) and speed (m/s), a row a particle every K steps
  collisions.csv  time (s), first and second particle, impulse (N s), normal from second to first
  energy.csv      time (s), kinetic, potential and total energy (J), momentum (N s), every K steps
  final.json      the last state, a world to go on from
The first rows are the state at the start, the last rows the state at the end. The files appear
when the run ends. After Ctrl-C they hold the run so far, and the exit code is 3. If the world
cannot be stepped any further they hold the run so far too, and the exit code is 1.";

/// The time after the start at which a run ends, in seconds, unless --until says otherwise.
const DEFAULT_DURATION: f64 = 1.0;
const DEFAULT_DIRECTORY: &str = "carom-out";
/// Rows of the energy table, about, unless --every says otherwise.
const DEFAULT_ROWS: u64 = 100;

/// Steps a world through its collisions and writes trajectory, collisions, energy and the final state
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The world to step, in any format; - for standard input; without it a small built-in world
    world: Option<PathBuf>,
    /// World time at which to stop, in seconds [default: 1 s after the start]
    ///
    /// The last step is shortened so that the run ends exactly there.
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    until: Option<f64>,
    /// Time step, in seconds [default: the dt of the world]
    #[arg(long, value_name = "D", value_parser = positive, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Steps from one row of the tables to the next [default: such that there are about 100]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Directory for the results [default: carom-out; none for the built-in world]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace results that are already in the directory
    #[arg(long)]
    force: bool,
    /// Format of the final state: final.json, final.pbphys.json or final.carom
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "json")]
    final_format: FormatName,
    /// Let particles pass through each other
    #[arg(long)]
    ignore_collisions: bool,
    /// Number of threads, 0 for all cores; the results are the same to the bit
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Print no progress and no summary
    #[arg(long)]
    quiet: bool,
    /// Print the summary as JSON on standard output, even with --quiet
    #[arg(long)]
    json: bool,
}

fn finite(text: &str) -> std::result::Result<f64, String> {
    text.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| "a number of seconds is needed".into())
}

fn positive(text: &str) -> std::result::Result<f64, String> {
    match finite(text)? {
        x if x > 0.0 => Ok(x),
        _ => Err("it must be more than 0 seconds".into()),
    }
}

/// Why the stepping ended.
enum End {
    Complete,
    Interrupted,
    /// The world cannot be stepped on from here.
    Stuck(carom::Error),
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut world = arguments.world.as_deref().map_or_else(built_in, super::load)?;
    world.set_context(Context::with_threads(arguments.threads)?);
    let schedule = schedule(arguments, &world)?;
    let records = open_records(arguments, &world)?;
    let mut run = Run::new(arguments, world, &schedule, records);
    let end = run.all()?;
    let summary = run.finish(matches!(end, End::Complete))?;
    if arguments.json {
        super::say(&summary.as_json())?;
    } else if !arguments.quiet {
        super::say(&summary.as_text())?;
    }
    tell_why(&end, &summary, &schedule, arguments);
    Ok(match end {
        End::Complete => Outcome::Success,
        End::Interrupted => Outcome::Interrupted,
        End::Stuck(_) => Outcome::No,
    })
}

/// The three balls of the PBPhys document, with their collisions.
fn built_in() -> Result<World> {
    Ok(carom::io::from_bytes(include_bytes!("../../examples/worlds/three_balls.json"))?)
}

fn schedule(arguments: &Arguments, world: &World) -> Result<Schedule> {
    let dt = arguments.dt.unwrap_or(world.settings().dt);
    if dt == 0.0 {
        return Err(Failure("the dt of the world is 0: say --dt D, in seconds".into()));
    }
    Schedule::new(world.time(), arguments.until.unwrap_or(world.time() + DEFAULT_DURATION), dt)
}

/// The tables of the run; none for the built-in world unless they are asked for.
fn open_records(arguments: &Arguments, world: &World) -> Result<Option<Records>> {
    let default = arguments.world.as_ref().map(|_| Path::new(DEFAULT_DIRECTORY));
    let Some(directory) = arguments.out.as_deref().or(default) else { return Ok(None) };
    // From here on there is something to keep when the user stops the run.
    interrupt::watch()?;
    Records::create(directory, world.particles().dim(), arguments.final_format.into(), arguments.force)
        .map(Some)
}

/// Says on standard error why a run ended early, and how to go on.
fn tell_why(end: &End, summary: &Summary, schedule: &Schedule, arguments: &Arguments) {
    let (time, state) = (summary.time, summary.state.as_deref().unwrap_or_default());
    match end {
        End::Complete => {}
        End::Stuck(error) => super::warn(&format!("stopped at t = {time} s: {error}")),
        End::Interrupted => {
            let Schedule { until, dt, .. } = schedule;
            let flag = if arguments.ignore_collisions { " --ignore-collisions" } else { "" };
            let directory = arguments.out.as_deref().unwrap_or(Path::new(DEFAULT_DIRECTORY)).display();
            super::warn(&format!(
                "interrupted at t = {time} s; go on with\n  \
                 carom sim {state} --until {until} --dt {dt}{flag} --out {directory}-2"
            ));
        }
    }
}

/// A run under way.
struct Run<'a> {
    world: World,
    schedule: &'a Schedule,
    every: u64,
    ignore_collisions: bool,
    progress: ProgressBar,
    log: Log,
    at_start: Totals,
    steps: u64,
}

impl<'a> Run<'a> {
    fn new(arguments: &Arguments, world: World, schedule: &'a Schedule, records: Option<Records>) -> Self {
        let steps = schedule.steps();
        Self {
            at_start: Totals::of(&world),
            world,
            every: arguments.every.unwrap_or(steps.div_ceil(DEFAULT_ROWS).max(1)),
            ignore_collisions: arguments.ignore_collisions,
            progress: if arguments.quiet { ProgressBar::hidden() } else { progress_bar(steps) },
            log: Log { records, ..Log::default() },
            steps: 0,
            schedule,
        }
    }

    /// Steps to the end, or as far as it goes.
    fn all(&mut self) -> Result<End> {
        self.log.add_state(&self.world)?;
        let end = self.step_all()?;
        if self.log.last_row != Some(self.world.time()) {
            self.log.add_state(&self.world)?;
        }
        self.progress.finish_and_clear();
        Ok(end)
    }

    fn step_all(&mut self) -> Result<End> {
        for n in 1..=self.schedule.steps() {
            if interrupt::is_requested() {
                return Ok(End::Interrupted);
            }
            let stepped = self.step(n);
            self.log.take_failure()?;
            if let Err(error) = stepped {
                return Ok(End::Stuck(error));
            }
            self.steps = n;
            self.progress.inc(1);
            if n % self.every == 0 {
                self.log.add_state(&self.world)?;
            }
        }
        Ok(End::Complete)
    }

    fn step(&mut self, n: u64) -> carom::Result<()> {
        let dt = self.schedule.length(n);
        if self.ignore_collisions {
            self.world.next(dt)?;
        } else {
            self.world.step_observed(dt, &mut |hit| self.log.add_collision(hit))?;
        }
        self.world.set_time(self.schedule.end(n))
    }

    /// Writes out the results and sums up.
    fn finish(self, complete: bool) -> Result<Summary> {
        let (now, world) = (Totals::of(&self.world), &self.world);
        Ok(Summary {
            time: world.time(),
            steps: self.steps,
            collisions: self.log.collisions,
            particles: world.particles().len(),
            kinetic_energy: now.kinetic_energy,
            total_energy: now.total_energy,
            energy_drift: now.energy_drift(&self.at_start),
            momentum_drift: now.momentum_drift(&self.at_start),
            complete,
            state: self.log.records.map(|records| records.finish(world)).transpose()?,
            story: self.log.story,
        })
    }
}

/// A bar on standard error, and only on a terminal.
fn progress_bar(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left");
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Where what happens is written: into tables, or for the built-in world into the text that is printed.
#[derive(Default)]
struct Log {
    records: Option<Records>,
    story: String,
    collisions: u64,
    /// World time of the last row, in seconds.
    last_row: Option<f64>,
    failure: Option<Failure>,
}

impl Log {
    fn add_state(&mut self, world: &World) -> Result<()> {
        self.last_row = Some(world.time());
        self.records.as_mut().map_or(Ok(()), |records| records.add_state(world))
    }

    fn add_collision(&mut self, hit: &Collision) {
        self.collisions += 1;
        match &mut self.records {
            // The step cannot stop here; the failure is picked up after it.
            Some(records) if self.failure.is_none() => self.failure = records.add_collision(hit).err(),
            Some(_) => {}
            None => {
                let Collision { time, first, second, impulse, .. } = hit;
                self.story +=
                    &format!("t = {time:.6} s: {first} and {second} collide, impulse {impulse:.6} N s\n");
            }
        }
    }

    fn take_failure(&mut self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }
}
