//! Worlds: stepped through time as they say.

use std::path::Path;

use carom::io::Format;
use carom::{Collision, Context, World};
use indicatif::ProgressBar;

use super::records::{Names, Records, Totals as State};
use super::schedule::Schedule;
use super::summary::{Summary, Totals};
use super::{Arguments, DEFAULT_DIRECTORY, DEFAULT_ROWS, figure, final_name, stopped};
use crate::cli::{Failure, Outcome, Result, interrupt, progress_bar, say, warn};

/// The time after the start at which a run ends, in seconds, unless --until says otherwise.
const DEFAULT_DURATION: f64 = 1.0;

/// Why the stepping ended.
enum End {
    Complete,
    Interrupted,
    /// The world cannot be stepped on from here.
    Stuck(carom::Error),
}

/// Steps a world; without one, a small built-in one.
pub(super) fn run(arguments: &Arguments, world: Option<World>) -> Result<Outcome> {
    let is_built_in = world.is_none();
    let mut world = world.map_or_else(built_in, Ok)?;
    let every = steps_between_rows(arguments)?;
    world.set_context(Context::with_threads(arguments.threads)?);
    let schedule = schedule(arguments, &world)?;
    let records = open_records(arguments, &world, is_built_in)?;
    let mut run = Run::new(arguments, world, &schedule, every, records);
    let end = run.all()?;
    let summary = run.finish(matches!(end, End::Complete))?;
    if arguments.json {
        say(&summary.as_json())?;
    } else if !arguments.quiet {
        say(&summary.as_text())?;
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
    Ok(carom::io::from_bytes(include_bytes!("../../../examples/worlds/three_balls.json"))?)
}

fn schedule(arguments: &Arguments, world: &World) -> Result<Schedule> {
    let dt = arguments.dt.unwrap_or(world.settings().dt);
    if dt == 0.0 {
        return Err(Failure("the dt of the world is 0: say --dt D, in seconds".into()));
    }
    Schedule::new(world.time(), arguments.until.unwrap_or(world.time() + DEFAULT_DURATION), dt)
}

/// --every counts steps here.
fn steps_between_rows(arguments: &Arguments) -> Result<Option<u64>> {
    match arguments.every {
        Some(every) if every < 1.0 || every.fract() != 0.0 || every > u32::MAX.into() => {
            Err(Failure(format!("--every {every}: a world is stepped, so this is a whole number of steps")))
        }
        every => Ok(every.map(|every| every as u64)),
    }
}

/// The tables of the run; none for the built-in world unless they are asked for.
fn open_records(arguments: &Arguments, world: &World, is_built_in: bool) -> Result<Option<Records>> {
    let default = (!is_built_in).then_some(Path::new(DEFAULT_DIRECTORY));
    let Some(directory) = arguments.out.as_deref().or(default) else { return Ok(None) };
    // From here on there is something to keep when the user stops the run.
    interrupt::watch()?;
    let names = Names {
        happenings: ("collisions.csv", &["time", "first", "second", "impulse"]),
        last_state: final_name(arguments.final_format()),
    };
    Records::create(directory, world.particles().dim(), &names, arguments.force).map(Some)
}

/// Says on standard error why a run ended early, and how to go on.
fn tell_why(end: &End, summary: &Summary, schedule: &Schedule, arguments: &Arguments) {
    let (time, state) = (summary.time, summary.state.as_deref().unwrap_or_default());
    match end {
        End::Complete => {}
        End::Stuck(error) => warn(&stopped(time, error)),
        End::Interrupted => {
            let Schedule { until, dt, .. } = schedule;
            let flag = if arguments.ignore_collisions { " --ignore-collisions" } else { "" };
            let directory = arguments.out.as_deref().unwrap_or(Path::new(DEFAULT_DIRECTORY)).display();
            warn(&format!(
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
    final_format: Format,
    progress: ProgressBar,
    log: Log,
    at_start: Totals,
    steps: u64,
}

impl<'a> Run<'a> {
    fn new(
        arguments: &Arguments,
        world: World,
        schedule: &'a Schedule,
        every: Option<u64>,
        records: Option<Records>,
    ) -> Self {
        let steps = schedule.steps();
        Self {
            at_start: Totals::of(&world),
            world,
            every: every.unwrap_or(steps.div_ceil(DEFAULT_ROWS).max(1)),
            ignore_collisions: arguments.ignore_collisions,
            final_format: arguments.final_format(),
            progress: if arguments.quiet {
                ProgressBar::hidden()
            } else {
                progress_bar(steps, "{bar:40} {pos}/{len} steps, {eta} left")
            },
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
        let save = |path: &Path| Ok(carom::io::save(world, self.final_format, path)?);
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
            state: self.log.records.map(|records| records.finish(save)).transpose()?,
            story: self.log.story,
        })
    }
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
        let Some(records) = &mut self.records else { return Ok(()) };
        let totals = State {
            kinetic: world.kinetic_energy(),
            potential: world.potential_energy(),
            momentum: world.momentum(),
        };
        records.add_state(world.time(), world.particles(), &totals)
    }

    fn add_collision(&mut self, hit: &Collision) {
        self.collisions += 1;
        match &mut self.records {
            // The step cannot stop here; the failure is picked up after it.
            Some(records) if self.failure.is_none() => {
                let row = (hit.time, hit.first, hit.second, hit.impulse, hit.normal);
                self.failure = records.add_happening(row).err();
            }
            Some(_) => {}
            None => {
                let Collision { first, second, .. } = hit;
                let (time, impulse) = (figure(hit.time), figure(hit.impulse));
                self.story += &format!("t = {time} s: {first} and {second} collide, impulse {impulse} N s\n");
            }
        }
    }

    fn take_failure(&mut self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }
}
