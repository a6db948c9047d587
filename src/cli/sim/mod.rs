//! `carom sim`: runs one simulation and writes down what happens.

mod gas;
mod paths;
mod picture;
mod progress;
mod rigid;
pub(super) mod source;
mod story;
mod summary;
mod tables;

use std::path::{Path, PathBuf};

use carom::events::scenes::SCENES;
use carom::io::Format;
use carom::io::file::WholeFile;
use carom::rigid2d::scenes as rigid_scenes;
use carom::simulation::{self, End, Pace, Plan, Ran, Simulation, Sink};
use carom::{Error, Integrator};

use self::gas::GasOptions;
use self::picture::Picture;
use self::progress::{Bar, StopOnInterrupt};
use self::rigid::{BodyPicture, BodyTables, RigidOptions};
use self::source::{Source, Subject};
use self::story::Story;
use self::summary::Summary;
use self::tables::Tables;
use super::lock::FolderLock;
use super::{
    Failure, FormatName, Outcome, Result, count, finite, free_name, interrupt, positive, quoted, say, warn,
};

const EXAMPLES: &str = "\
Examples:
  carom sim --list                                       the ready-made scenes
  carom sim billiard-break --svg break.svg               two seconds of it, and a picture
  carom sim billiard-break --html break.html             the same as a page that plays it
  carom sim gas --particles 10976 --density 0.5 --collisions 1e6 --json
  carom sim gas --packing 0.3 --fraction 0.9 --radius-ratio 0.1 --collisions 1e6
                                                         nine of ten spheres ten times smaller
  carom sim examples/scenes/falling.toml --until 2 --every 0.1 --out fall
  carom sim fall/final.carom --until 3 --out fall-2      go on, to the bit as without a stop
  carom sim pyramid --rows 20 --svg pyramid.svg          rigid bodies: 210 boxes, and a picture
  carom sim bin --bodies 2000 --until 3 --out bin        tables of trajectory, contacts and energy
  carom sim tumbler --spaces 1000 --seed 7 --json        a thousand spaces at once
  carom sim                                              a small built-in world, stepped and printed
  carom sim examples/worlds/three_balls.json             1 s of a world, results in carom-out/
  carom sim examples/worlds/orbit.json --until 20 --dt 0.001 --every 0.1 --out orbit
  carom sim examples/worlds/orbit.json --until 20 --integrator velocity-verlet --out verlet
  carom sim orbit/final.json --until 40 --out orbit-2    go on from where it ended
  carom sim --json --quiet > summary.json                for scripts

A scene of balls runs from collision to collision, each at its exact time. One of rigid bodies
advances in equal time steps, and so does a world. SCENE is
  a name of --list; gas has options of its own, the fields of [gas] in a scene file, and so have
    the scenes of rigid bodies,
  a scene file in TOML: balls or bodies one by one or many at once, walls, gravity, materials,
    units; examples/scenes has commented ones, docs/scenes.md all keys,
  the final.carom of an earlier run, to go on from,
  or a world (carom's JSON, PBPhys's JSON, a snapshot).

Results, in the directory of --out; each column has its unit in its name:
  trajectory.csv  time, particle, position and velocity: a row per particle at every state
  events.csv      time; particle or wall, with which the first particle collided; first; second
                  particle or face (2 axis is the lower, 2 axis + 1 the upper); impulse; normal
                  towards the first
  contacts.csv    rigid bodies have it instead of events: a row per contact at every state with
                  time, both bodies, number of points, place, normal towards the second, depth, impulses
  energy.csv      time, kinetic, potential and total energy, momentum: a row at every state
  final.carom     the last state, to go on from; of a world: final.json
The first rows are the state at the start, the last rows the state at the end. The files appear
when the run ends. After Ctrl-C they hold the run so far, and the exit code is 3; a time step
that would take long ends at its last collision. If a run cannot go on they hold the run so far
too, and the exit code is 1.";

const DEFAULT_DIRECTORY: &str = "carom-out";
/// Rows of the energy table, about, unless --every says otherwise.
const DEFAULT_ROWS: u64 = 100;
/// Rows of the trajectory, at most, unless --every says otherwise.
const DEFAULT_TRAJECTORY_ROWS: u64 = 1_000_000;
/// The most rows of a run: beyond it their number is not exact.
const MOST_ROWS: f64 = 1e15;

/// Runs one simulation, a scene of balls or of rigid bodies or a world; writes trajectory, events, energy, final state
#[derive(Default, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Show the ready-made scenes, a line each
    #[arg(long, exclusive = true)]
    list: bool,
    /// Stop after this many collisions, of balls and with walls [default: no limit]
    ///
    /// Without --until the run then has no other end.
    #[arg(long, value_name = "N", value_parser = count)]
    collisions: Option<u64>,
    /// Time from one row of the tables to the next, in seconds [default: about 100 rows]
    ///
    /// Rows are at multiples of it. A world has a row for the first step that ends at or after a multiple.
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    every: Option<f64>,
    /// Draw the scene and the paths of its particles into this file
    ///
    /// The first two axes are drawn; in one dimension, place and time.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a page that plays the run in any browser, without the tool
    ///
    /// Of balls it keeps every collision and is exact between them; of worlds and rigid bodies it keeps states, 60 a
    /// second or as --every says, and states their largest error.
    #[cfg(feature = "view")]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Directory for the results [default: carom-out for files, none for names and the built-in world]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace results that are already there
    #[arg(long)]
    force: bool,
    /// Worlds: format of the final state, final.json, final.pbphys.json or final.carom [default: json]
    ///
    /// Rigid bodies: snapshot or json [default: snapshot]
    #[arg(long, value_enum, value_name = "FORMAT")]
    final_format: Option<FormatName>,
    /// Print no progress and no summary
    #[arg(long)]
    quiet: bool,
    /// Print the summary as JSON on standard output, even with --quiet
    #[arg(long)]
    json: bool,
    // Last: options after it would stand under the heading of its last group.
    #[command(flatten)]
    pub(super) start: StartOptions,
}

/// What is simulated: the options that every command with one simulation has.
#[derive(Default, clap::Args)]
pub(super) struct StartOptions {
    /// A ready-made scene, a scene file, a saved run or a world; - for standard input; without it a built-in world
    pub(super) scene: Option<PathBuf>,
    /// Time at which to stop, in seconds [default: what the scene suggests; 1 s after the start]
    ///
    /// The run ends exactly there; of rigid bodies, with the step that reaches it.
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub(super) until: Option<f64>,
    /// Where random numbers start, for gas, scene files and rigid bodies [default: what the scene says]
    #[arg(long, value_name = "S")]
    pub(super) seed: Option<u64>,
    /// Worlds and rigid bodies: time step, in seconds [default: that of the world or scene; the last of a saved space]
    #[arg(long, value_name = "D", value_parser = positive, allow_negative_numbers = true)]
    pub(super) dt: Option<f64>,
    /// Worlds: how particles move between collisions [default: that of the world]
    #[arg(long, value_enum, value_name = "RULE")]
    pub(super) integrator: Option<IntegratorName>,
    /// Worlds: let particles pass through each other
    #[arg(long)]
    pub(super) ignore_collisions: bool,
    /// Number of threads, 0 for all cores; the results are the same to the bit
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) threads: usize,
    /// Whether a world goes on for as long as it is looked at.
    #[arg(skip)]
    pub(super) endless: bool,
    #[command(flatten)]
    rigid: RigidOptions,
    #[command(flatten)]
    gas: GasOptions,
}

/// An integrator by the name that files use.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum IntegratorName {
    /// the rule of PBPhys, of first order
    Euler,
    /// second order, reversible in time
    VelocityVerlet,
    /// fourth order, at four times the cost
    FourthOrder,
}

impl From<IntegratorName> for Integrator {
    fn from(name: IntegratorName) -> Self {
        match name {
            IntegratorName::Euler => Self::Euler,
            IntegratorName::VelocityVerlet => Self::VelocityVerlet,
            IntegratorName::FourthOrder => Self::FourthOrder,
        }
    }
}

impl From<StartOptions> for Arguments {
    /// Without results.
    fn from(start: StartOptions) -> Self {
        Self { start, ..Self::default() }
    }
}

impl Arguments {
    fn final_format(&self) -> Format {
        self.final_format.unwrap_or(FormatName::Json).into()
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    if arguments.list {
        say(&list())?;
        return Ok(Outcome::Success);
    }
    let Source { name, description, subject, until, from_file, options } = Source::open(arguments)?;
    let (page, mut subject) = page(arguments, [&name, &description], subject, until)?;
    let is_rigid = subject.is_rigid();
    let simulation = subject.simulation();
    // Who wants a page need not want tables, too.
    let default = (from_file && page.is_none()).then_some(Path::new(DEFAULT_DIRECTORY));
    let directory = arguments.out.as_deref().or(default);
    let last_state = directory.map(|directory| directory.join(format!("final.{}", simulation.extension())));
    let most_rows = most_rows(arguments, simulation, is_rigid, directory.is_some());
    let (page, page_rows) = page.unzip();
    let most_rows = most_rows.max(page_rows);
    let plan = plan(arguments, simulation, until, most_rows)?;
    let results = directory.zip(last_state.as_deref());
    let _lock = directory.map(FolderLock::take).transpose()?;
    let own = if is_rigid { body_sinks } else { sinks };
    let own = own(arguments, simulation, &name, results)?;
    // The bar is cleared before a story is printed.
    let mut all = common_sinks(arguments, results.is_some() || page.is_some())?;
    all.extend(own);
    all.extend(page);
    let ran = simulation::run(simulation, plan, &mut all)?;
    all.into_iter().try_for_each(Sink::finish)?;
    let mut summary = Summary::new(name, simulation, &ran);
    summary.state = last_state.map(|path| save(simulation, &path)).transpose()?;
    if arguments.json {
        say(&summary.as_json())?;
    } else if !arguments.quiet {
        say(&summary.as_text(simulation))?;
    }
    let resume = directory.zip(summary.state.as_deref()).map(|(directory, state)| {
        let (state, out) = (quoted(Path::new(state)), quoted(&free_name(directory)));
        format!("carom sim {state}{}{options} --out {out}", remaining(&plan, &ran))
    });
    warn_of_end(&ran.end, summary.time, resume);
    Ok(match ran.end {
        End::Complete | End::Idle => Outcome::Success,
        End::Stopped => Outcome::Interrupted,
        _ => Outcome::No,
    })
}

/// The sink of --html, and how many states it needs.
type Page = (Box<dyn Sink>, u64);

/// The page of a run, if there is to be one; gives back what is simulated.
#[cfg(feature = "view")]
fn page(
    arguments: &Arguments,
    words: [&str; 2],
    mut subject: Subject,
    until: f64,
) -> Result<(Option<Page>, Subject)> {
    use super::view::replay::{Replay, rows};
    let Some(path) = &arguments.html else { return Ok((None, subject)) };
    let simulation = subject.simulation();
    let (particles, start) = (simulation.particle_count(), simulation.time());
    let rows = rows(&subject, particles, start, until);
    let (replay, subject) = Replay::new(path, words, subject, arguments.force)?;
    Ok((Some((Box::new(replay), rows)), subject))
}

#[cfg(not(feature = "view"))]
fn page(_: &Arguments, _: [&str; 2], subject: Subject, _: f64) -> Result<(Option<Page>, Subject)> {
    Ok((None, subject))
}

/// Rows unless --every says otherwise, at most; none if nothing is made of states but the first and the last.
fn most_rows(
    arguments: &Arguments,
    simulation: &dyn Simulation,
    is_rigid: bool,
    has_tables: bool,
) -> Option<u64> {
    let particles = simulation.particle_count();
    if has_tables {
        return Some((DEFAULT_TRAJECTORY_ROWS / (particles as u64).max(1)).clamp(1, DEFAULT_ROWS));
    }
    // Paths of bodies are made of states, those of balls of impacts.
    (is_rigid && arguments.svg.is_some()).then(|| rigid::most_states(particles) as u64)
}

/// Where the run ends, and where its states are written down: in so many rows unless --every says otherwise.
fn plan(arguments: &Arguments, simulation: &dyn Simulation, until: f64, rows: Option<u64>) -> Result<Plan> {
    let (start, collisions) = (simulation.time(), arguments.collisions);
    // A run that goes on counts its rows from time 0, too.
    let farthest = if until.is_finite() { until } else { start };
    if let Some(every) = arguments.every.filter(|every| farthest / every > MOST_ROWS) {
        return Err(Failure(format!("--every {every}: too small for the way to {farthest} s")));
    }
    let pace = match (rows, arguments.every, collisions) {
        (None, ..) => Pace::Never,
        (_, Some(every), _) => Pace::Seconds(every),
        (Some(rows), None, Some(collisions)) if until.is_infinite() => {
            Pace::Collisions(collisions.div_ceil(rows))
        }
        (Some(rows), None, _) if until > start => Pace::Seconds((until - start) / rows as f64),
        (_, None, _) => Pace::Never,
    };
    Ok(Plan::until(until).with_collisions(collisions).with_pace(pace))
}

/// What is made of a run of particles. `results` are the directory of its tables and the file of its last state.
fn sinks(
    arguments: &Arguments,
    simulation: &dyn Simulation,
    name: &str,
    results: Option<(&Path, &Path)>,
) -> Result<Vec<Box<dyn Sink>>> {
    let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
    if let Some(path) = &arguments.svg {
        let particles = simulation.particle_count();
        sinks.push(Box::new(Picture::new(path, name, particles, arguments.force)?));
    }
    if let Some((directory, last_state)) = results {
        let tables = Tables::create(directory, simulation.dim(), last_state, arguments.force)?;
        sinks.push(Box::new(tables));
    }
    let is_told = results.is_none() && simulation.particle_count() <= story::MOST;
    if is_told && !arguments.quiet && !arguments.json {
        sinks.push(Box::new(Story::default()));
    }
    Ok(sinks)
}

/// What is made of a run of rigid bodies.
fn body_sinks(
    arguments: &Arguments,
    simulation: &dyn Simulation,
    name: &str,
    results: Option<(&Path, &Path)>,
) -> Result<Vec<Box<dyn Sink>>> {
    let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
    if let Some(path) = &arguments.svg {
        let bodies = simulation.particle_count();
        sinks.push(Box::new(BodyPicture::new(path, name, bodies, arguments.force)?));
    }
    if let Some((directory, last_state)) = results {
        sinks.push(Box::new(BodyTables::create(directory, last_state, arguments.force)?));
    }
    Ok(sinks)
}

/// Ctrl-C and progress, of every run.
fn common_sinks(arguments: &Arguments, has_tables: bool) -> Result<Vec<Box<dyn Sink>>> {
    let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
    if has_tables || arguments.svg.is_some() {
        // There is something to keep when the user stops the run.
        interrupt::watch()?;
        sinks.push(Box::new(StopOnInterrupt::default()));
    }
    if !arguments.quiet {
        sinks.push(Box::new(Bar::new()));
    }
    Ok(sinks)
}

/// Saves the last state and returns the name of its file.
fn save(simulation: &dyn Simulation, path: &Path) -> Result<String> {
    let mut file = WholeFile::create(path)?;
    simulation.save(&mut file).map_err(|error| Failure::about(path, &error))?;
    file.commit()?;
    Ok(path.display().to_string())
}

/// The options for what is left of a plan.
fn remaining(plan: &Plan, ran: &Ran) -> String {
    let mut options = String::new();
    if plan.until.is_finite() {
        options += &format!(" --until {}", plan.until);
    }
    if let Some(left) = ran.left {
        options += &format!(" --collisions {left}");
    }
    if let Pace::Seconds(every) = plan.pace {
        options += &format!(" --every {every}");
    }
    options
}

/// Says on standard error why a run ended early, at `time` in seconds, and with which command it goes on.
fn warn_of_end(end: &End, time: f64, resume: Option<String>) {
    match (end, resume) {
        (End::Complete, _) => {}
        (End::Idle, _) => warn(&format!("ended at t = {time} s: nothing will ever happen again")),
        // These errors have the time in their message.
        (End::Stuck(error @ (Error::Collapse { .. } | Error::TooManyCollisions { .. })), _) => {
            warn(&error.to_string());
        }
        (End::Stuck(error), _) => warn(&format!("stopped at t = {time} s: {error}")),
        (_, Some(command)) => {
            warn(&format!("interrupted at t = {time} s; continue with\n  {command}"));
        }
        (_, None) => {
            warn(&format!("interrupted at t = {time} s; only a run with --out can be continued"));
        }
    }
}

/// The names of the scenes with a line each: those of balls and walls, then those of rigid bodies.
fn list() -> String {
    let balls = SCENES.iter().map(|scene| (scene.name, scene.description.to_owned()));
    let bodies = rigid_scenes::SCENES.iter().map(|scene| {
        let options: String = scene.parameters.iter().map(|name| format!(" --{name}")).collect();
        let options = if options.is_empty() { options } else { format!(" ({})", options.trim_start()) };
        (scene.name, format!("rigid bodies: {}{options}", scene.description))
    });
    let all: Vec<(&str, String)> = balls.chain(bodies).collect();
    let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    all.iter().map(|(name, description)| format!("{name:width$}  {description}\n")).collect()
}

/// A number for people: six decimals, or six digits after the first where decimals would show few digits.
fn figure(value: f64) -> String {
    let fits = value == 0.0 || (1e-3..1e9).contains(&value.abs());
    if fits { format!("{value:.6}") } else { format!("{value:.6e}") }
}
