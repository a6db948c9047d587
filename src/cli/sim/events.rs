//! Scenes: run from collision to collision.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use carom::events::{AnyEngine, Event, EventKind, Stop};
use carom::io::file::WholeFile;
use indicatif::ProgressBar;

use super::event_summary::EventSummary;
use super::picture::Picture;
use super::records::{Names, Records, Totals};
use super::rows::{Pace, Reached, Rows};
use super::source::Run;
use super::{Arguments, DEFAULT_DIRECTORY, DEFAULT_ROWS, figure, stopped};
use crate::cli::{Failure, Outcome, Result, interrupt, progress_bar, say, warn};

const NAMES: Names = Names {
    happenings: ("events.csv", &["time", "kind", "first", "second", "impulse"]),
    last_state: "final.carom",
};
/// Rows of the trajectory, at most, unless --every says otherwise.
const DEFAULT_PLACES: u64 = 1_000_000;
/// The most rows of a run: beyond it their number is not exact.
const MOST_ROWS: f64 = 1e15;
/// Scenes of up to so many particles tell of up to so many events.
const STORY: usize = 20;
/// Steps of the progress bar.
const PROGRESS: f64 = 1000.0;

/// Why a run ended.
enum End {
    Complete,
    /// Nothing will ever happen again.
    Idle,
    Interrupted,
    /// The run cannot go on from here.
    Stuck(carom::Error),
}

pub(super) fn run(arguments: &Arguments, source: Run) -> Result<Outcome> {
    let Run { name, mut engine, until, from_file } = source;
    let default = from_file.then_some(Path::new(DEFAULT_DIRECTORY));
    let directory = arguments.out.as_deref().or(default);
    let rows = plan(arguments, &engine, until, directory.is_some())?;
    engine.synchronise();
    let log = Log::open(arguments, &engine, directory)?;
    let mut driver = Driver::new(arguments, engine, rows, log);
    let end = driver.drive()?;
    driver.progress.finish_and_clear();
    finish(arguments, driver, name, &end, directory)
}

/// Where the run ends and where it stops for rows.
fn plan(arguments: &Arguments, engine: &AnyEngine, suggested: f64, has_tables: bool) -> Result<Rows> {
    let (start, collisions) = (engine.time(), arguments.collisions);
    let until = arguments.until.unwrap_or(if collisions.is_some() { f64::INFINITY } else { suggested });
    if until < start {
        return Err(Failure(format!("--until {until}: the run is already at t = {start} s")));
    }
    // A run that goes on counts its rows from time 0, too.
    let farthest = if until.is_finite() { until } else { start };
    if let Some(every) = arguments.every.filter(|every| farthest / every > MOST_ROWS) {
        return Err(Failure(format!("--every {every}: too small for the way to {farthest} s")));
    }
    let rows = (DEFAULT_PLACES / (engine.len() as u64).max(1)).clamp(1, DEFAULT_ROWS);
    let pace = match (arguments.every, collisions) {
        _ if !has_tables => Pace::Never,
        (Some(every), _) => Pace::Seconds(every),
        (None, Some(collisions)) if until.is_infinite() => Pace::Collisions(collisions.div_ceil(rows)),
        (None, _) if until > start => Pace::Seconds((until - start) / rows as f64),
        (None, _) => Pace::Never,
    };
    Ok(Rows::new(pace, until, collisions))
}

/// Writes everything out, says what came of it, and how it ended.
fn finish(
    arguments: &Arguments,
    driver: Driver<'_>,
    name: String,
    end: &End,
    directory: Option<&Path>,
) -> Result<Outcome> {
    let Driver { mut engine, rows, log, seconds, events, .. } = driver;
    engine.synchronise();
    let measured = engine.measurements();
    let mut summary = EventSummary::new(name, &engine, &measured);
    summary.complete = matches!(end, End::Complete | End::Idle);
    summary.set_speed(events, seconds);
    if let Some(picture) = log.picture {
        picture.finish(&engine, &summary.title())?;
    }
    summary.state = log.records.map(|records| records.finish(|path| save(&engine, path))).transpose()?;
    if arguments.json {
        say(&summary.as_json())?;
    } else if !arguments.quiet {
        let next = engine.next_event();
        say(&(log.story.unwrap_or_default() + &summary.as_text(next.as_ref())))?;
    }
    tell_why(end, &summary, &rows, directory);
    Ok(match end {
        End::Complete | End::Idle => Outcome::Success,
        End::Interrupted => Outcome::Interrupted,
        End::Stuck(_) => Outcome::No,
    })
}

fn save(engine: &AnyEngine, path: &Path) -> Result<()> {
    let mut file = WholeFile::create(path)?;
    engine.save(&mut file).map_err(|error| Failure::about(path, &error))?;
    Ok(file.commit()?)
}

/// Says on standard error why a run ended early, and how to go on.
fn tell_why(end: &End, summary: &EventSummary, rows: &Rows, directory: Option<&Path>) {
    let (time, state) = (summary.time, summary.state.as_deref());
    match end {
        End::Complete => {}
        End::Idle => warn(&format!("ended at t = {time} s: nothing will ever happen again")),
        End::Stuck(error) => warn(&stopped(time, error)),
        End::Interrupted => {
            let (Some(state), Some(directory)) = (state, directory) else {
                return warn(&format!("interrupted at t = {time} s; with --out it could be gone on with"));
            };
            let mut command = format!("carom sim {state}");
            if rows.until.is_finite() {
                command += &format!(" --until {}", rows.until);
            }
            if let Some(left) = rows.left {
                command += &format!(" --collisions {left}");
            }
            if let Pace::Seconds(every) = rows.pace {
                command += &format!(" --every {every}");
            }
            warn(&format!(
                "interrupted at t = {time} s; go on with\n  {command} --out {}-2",
                directory.display()
            ));
        }
    }
}

/// A run under way.
struct Driver<'a> {
    engine: AnyEngine,
    rows: Rows,
    log: Log<'a>,
    progress: ProgressBar,
    /// World time at the start, in seconds, and collisions that the run may have.
    start: (f64, Option<u64>),
    events: u64,
    /// Time that the engine took, in seconds.
    seconds: Duration,
}

impl<'a> Driver<'a> {
    fn new(arguments: &Arguments, engine: AnyEngine, rows: Rows, log: Log<'a>) -> Self {
        let template = "{bar:40} {percent}%, {msg}, {eta} left";
        let progress =
            if arguments.quiet { ProgressBar::hidden() } else { progress_bar(PROGRESS as u64, template) };
        Self {
            start: (engine.time(), rows.left),
            engine,
            rows,
            log,
            progress,
            events: 0,
            seconds: Duration::ZERO,
        }
    }

    /// Runs to the end, or as far as it goes.
    fn drive(&mut self) -> Result<End> {
        self.log.add_state(&mut self.engine)?;
        let end = self.run_legs()?;
        self.log.add_state(&mut self.engine)?;
        Ok(end)
    }

    fn run_legs(&mut self) -> Result<End> {
        loop {
            if interrupt::is_requested() {
                return Ok(End::Interrupted);
            }
            match self.run_leg()? {
                Leg::Reached(Reached::End) => return Ok(End::Complete),
                Leg::Reached(Reached::Row) => self.log.add_state(&mut self.engine)?,
                Leg::Reached(Reached::Nothing) => {}
                Leg::Over(end) => return Ok(end),
            }
            self.show_progress();
        }
    }

    fn run_leg(&mut self) -> Result<Leg> {
        let leg = self.rows.leg(self.engine.time());
        let (mut collisions, log) = (0, &mut self.log);
        let clock = Instant::now();
        let stop = self.engine.run_observed(leg, &mut |event| {
            collisions += 1;
            log.add_event(event)
        });
        self.seconds += clock.elapsed();
        self.events += collisions;
        log.take_failure()?;
        let reached = self.rows.note(&leg, collisions, matches!(stop, Ok(Stop::Time)));
        Ok(match stop {
            Err(error) => Leg::Over(End::Stuck(error)),
            Ok(Stop::Idle) => Leg::Over(End::Idle),
            Ok(_) => Leg::Reached(reached),
        })
    }

    fn show_progress(&self) {
        let (start, collisions) = self.start;
        let share = |part: f64, whole: f64| if whole > 0.0 && whole.is_finite() { part / whole } else { 0.0 };
        let in_time = share(self.engine.time() - start, self.rows.until - start);
        let in_collisions = collisions.map_or(0.0, |whole| share(self.events as f64, whole as f64));
        self.progress.set_message(format!("t = {:.4} s, {} collisions", self.engine.time(), self.events));
        self.progress.set_position((PROGRESS * in_time.max(in_collisions)) as u64);
    }
}

/// How a leg of a run ended.
enum Leg {
    Reached(Reached),
    Over(End),
}

/// Where what happens goes: into tables, into a picture, or into the text that is printed.
struct Log<'a> {
    dim: usize,
    records: Option<Records>,
    picture: Option<Picture<'a>>,
    story: Option<String>,
    told: usize,
    /// World time of the last state in the tables, in seconds.
    last_row: Option<f64>,
    failure: Option<Failure>,
}

impl<'a> Log<'a> {
    fn open(arguments: &'a Arguments, engine: &AnyEngine, directory: Option<&Path>) -> Result<Self> {
        let picture =
            arguments.svg.as_deref().map(|path| Picture::new(path, engine, arguments.force)).transpose()?;
        if directory.is_some() || picture.is_some() {
            // There is something to keep when the user stops the run.
            interrupt::watch()?;
        }
        let records = directory
            .map(|directory| Records::create(directory, engine.dim(), &NAMES, arguments.force))
            .transpose()?;
        let tells = records.is_none() && engine.len() <= STORY;
        let story = tells.then(String::new);
        Ok(Self { dim: engine.dim(), records, picture, story, told: 0, last_row: None, failure: None })
    }

    fn add_state(&mut self, engine: &mut AnyEngine) -> Result<()> {
        let Some(records) = &mut self.records else { return Ok(()) };
        if self.last_row.replace(engine.time()) == Some(engine.time()) {
            return Ok(());
        }
        engine.synchronise();
        let measured = engine.measurements();
        let totals = Totals {
            kinetic: measured.kinetic_energy,
            potential: Some(measured.potential_energy),
            momentum: measured.momentum[..engine.dim()].to_vec(),
        };
        records.add_state(engine.time(), engine.particles(), &totals)
    }

    fn add_event(&mut self, event: &Event<3>) -> ControlFlow<()> {
        if let Some(picture) = &mut self.picture {
            picture.paths.add(event);
        }
        if let Some(story) = &mut self.story {
            self.told += 1;
            if self.told <= STORY {
                *story += &told(event);
            } else if self.told == STORY + 1 {
                *story += "...\n";
            }
        }
        match &mut self.records {
            None => ControlFlow::Continue(()),
            Some(records) => match records.add_happening(row(event, self.dim)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(failure) => {
                    self.failure = Some(failure);
                    ControlFlow::Break(())
                }
            },
        }
    }

    fn take_failure(&mut self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

/// An event as a row of its table.
fn row(event: &Event<3>, dim: usize) -> impl serde::Serialize {
    let kind = match event.kind {
        EventKind::Collision => "ball",
        EventKind::Wall => "wall",
        _ => "other",
    };
    (event.time, kind, event.first, event.second, event.impulse, event.normal[..dim].to_vec())
}

/// An event in a line of text.
pub(super) fn told(event: &Event<3>) -> String {
    let Event { first, second, .. } = event;
    let (time, impulse) = (figure(event.time), figure(event.impulse));
    match event.kind {
        EventKind::Collision => {
            format!("t = {time} s: {first} and {second} collide, impulse {impulse} N s\n")
        }
        EventKind::Wall => {
            let (end, axis) = (if second % 2 == 0 { "lower" } else { "upper" }, second / 2);
            format!("t = {time} s: {first} hits the {end} wall of axis {axis}, impulse {impulse} N s\n")
        }
        _ => format!("t = {time} s: an event of {first}\n"),
    }
}
