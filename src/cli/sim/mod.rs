//! `carom sim`: runs a scene or steps a world, and writes down what happens.

mod event_summary;
mod events;
mod gas;
mod paths;
mod picture;
mod records;
mod rows;
mod schedule;
mod source;
mod stepped;
mod summary;

use std::path::PathBuf;

use carom::Error;
use carom::events::scenes::SCENES;
use carom::io::Format;

use self::gas::GasOptions;
use self::source::Source;
use super::{FormatName, Outcome, Result, count, finite, positive, say};

const EXAMPLES: &str = "\
Examples:
  carom sim --list                                       the ready-made scenes
  carom sim billiard-break --svg break.svg               two seconds of it, and a picture
  carom sim gas --particles 10976 --density 0.5 --collisions 1e6 --json
  carom sim gas --packing 0.3 --fraction 0.9 --radius-ratio 0.1 --collisions 1e6
                                                         nine of ten spheres ten times smaller
  carom sim examples/scenes/falling.toml --until 5 --every 0.1 --out fall
  carom sim fall/final.carom --until 10 --out fall-2     go on, to the bit as without a stop
  carom sim                                              a small built-in world, stepped and printed
  carom sim examples/worlds/three_balls.json             1 s of a world, results in carom-out/
  carom sim examples/worlds/orbit.json --until 20 --dt 0.001 --every 100 --out orbit
  carom sim orbit/final.json --until 40 --out orbit-2    go on from where it ended
  carom sim world.json --json --quiet | jq .energy_drift for scripts

A scene runs from collision to collision, each at its exact time. SCENE is
  a name of --list; gas has options of its own, the fields of [gas] in a scene file,
  a scene file in TOML: balls one by one or many at once, walls, gravity, restitution, units;
    examples/scenes has commented ones,
  or the final.carom of an earlier run, to go on from.
A world (carom's JSON, PBPhys's JSON, a snapshot) is stepped in time instead.

Results, in the directory of --out:
  trajectory.csv  time (s), particle, position (m) and velocity (m/s), a row a particle at every state
  events.csv      of a scene: time (s), ball or wall, particle, second particle or face (2 axis is
                  the lower, 2 axis + 1 the upper), impulse (N s), normal towards the first
  collisions.csv  of a world: time (s), first and second particle, impulse (N s), normal
  energy.csv      time (s), kinetic, potential and total energy (J), momentum (N s), at every state
  final.carom     of a scene: the last state, to go on from; of a world: final.json
The first rows are the state at the start, the last rows the state at the end. The files appear
when the run ends. After Ctrl-C they hold the run so far, and the exit code is 3. If a run
cannot go on they hold the run so far too, and the exit code is 1.";

const DEFAULT_DIRECTORY: &str = "carom-out";
/// Rows of the energy table, about, unless --every says otherwise.
const DEFAULT_ROWS: u64 = 100;

/// Runs a scene of balls and walls event by event, or steps a world; writes trajectory, events, energy, final state
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A ready-made scene, a scene file, a saved run or a world; - for standard input; without it a built-in world
    scene: Option<PathBuf>,
    /// Show the ready-made scenes, a line each
    #[arg(long, exclusive = true)]
    list: bool,
    /// World time at which to stop, in seconds [default: what the scene suggests; 1 s after the start]
    ///
    /// The run ends exactly there.
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    until: Option<f64>,
    /// Stop after this many collisions, of balls and with walls [default: no limit]
    ///
    /// Without --until the run then has no other end.
    #[arg(long, value_name = "N", value_parser = count)]
    collisions: Option<u64>,
    /// From one row of the tables to the next: seconds for a scene, steps for a world [default: about 100 rows]
    #[arg(long, value_name = "K", value_parser = positive, allow_negative_numbers = true)]
    every: Option<f64>,
    /// Where random numbers start, for gas and scene files [default: what the scene says]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Draw the scene and the paths of its particles into this file
    ///
    /// The first two axes are drawn; in one dimension, place and time.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Directory for the results [default: carom-out for files, none for names and the built-in world]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace results that are already there
    #[arg(long)]
    force: bool,
    /// Worlds: time step, in seconds [default: the dt of the world]
    #[arg(long, value_name = "D", value_parser = positive, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Worlds: format of the final state, final.json, final.pbphys.json or final.carom [default: json]
    #[arg(long, value_enum, value_name = "FORMAT")]
    final_format: Option<FormatName>,
    /// Worlds: let particles pass through each other
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
    #[command(flatten)]
    gas: GasOptions,
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
    match Source::open(arguments)? {
        Source::BuiltIn => stepped::run(arguments, None),
        Source::World(world) => stepped::run(arguments, Some(*world)),
        Source::Run(run) => events::run(arguments, *run),
    }
}

/// The names of the scenes with a line each.
fn list() -> String {
    let width = SCENES.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    SCENES.iter().map(|scene| format!("{:width$}  {}\n", scene.name, scene.description)).collect()
}

/// A number for people: six decimals, or six digits after the first where those would show little or nothing.
fn figure(value: f64) -> String {
    let fits = value == 0.0 || (1e-3..1e9).contains(&value.abs());
    if fits { format!("{value:.6}") } else { format!("{value:.6e}") }
}

/// Why a run stopped at `time`, in seconds, before its end.
fn stopped(time: f64, error: &Error) -> String {
    match error {
        // These say when themselves.
        Error::Collapse { .. } | Error::TooManyCollisions { .. } => error.to_string(),
        _ => format!("stopped at t = {time} s: {error}"),
    }
}

/// Name of the file of the last state of a world.
fn final_name(format: Format) -> &'static str {
    match format {
        Format::Json | Format::JsonCompact => "final.json",
        Format::PbPhys | Format::PbPhysCompact => "final.pbphys.json",
        Format::Snapshot => "final.carom",
    }
}
