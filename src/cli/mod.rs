//! The tool: what its commands have in common. Each command has a file or folder of its own.

mod advice;
mod convert;
mod fmb;
mod interrupt;
mod lock;
mod merge;
mod new;
mod report;
mod run;
mod samples;
mod shell;
mod sim;
#[cfg(feature = "view")]
mod view;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

use carom::input::{self, Judge};
use carom::io::Format;
use carom::{Error, Level, World};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

const EXAMPLES: &str = "\
Examples:
  carom run                                      the built-in Monte Carlo study, with plots
  carom new conjunction --kind encounter         a commented study file to start from
  carom run conjunction.toml                     runs it
  carom sim billiard-break --svg break.svg       a ready-made scene, event by event
  carom view                                     watch it in the browser, change it, go back in time
  carom sim pyramid --rows 20 --svg pyramid.svg  rigid bodies: a pyramid of boxes
  carom sim                                      a small built-in world, and what happens in it
  carom sim --out run                            the same, with results in run/
  carom sim run/final.json --until 2 --out more  goes on from there
  carom convert run/final.json world.carom       JSON to a binary snapshot
  carom fmb test --example --out pairs.csv       a table of pairs of frames to start from
  carom fmb test --in pairs.csv                  which of them intersect

Exit codes: 0 success; 1 the answer is no (a run stopped before its end); 2 usage or bad input;
3 interrupted, with the state reached written to a file.";

/// The version, and the level of instructions in use.
static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{} (level {})", env!("CARGO_PKG_VERSION"), level()));

/// The name of the level of instructions in use.
fn level() -> &'static str {
    Level::current().map_or("unknown", Level::name)
}

/// A simulator of colliding particles, frames and rigid bodies.
///
/// Worlds are files: carom's JSON, the JSON of PBPhys or binary snapshots, recognised by their content. All numbers are
/// in SI units: metres, seconds, kilograms.
#[derive(Parser)]
#[command(name = "carom", version = VERSION.as_str(), after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// The most bytes that are read from a pipe or a device, such as 500MB or 8GB [default: 1GiB]
    ///
    /// Files may be longer: their length is known.
    #[arg(long, global = true, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    max_input: Option<u64>,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Arguments),
    Merge(merge::Arguments),
    Sim(Box<sim::Arguments>),
    #[cfg(feature = "view")]
    View(Box<view::Arguments>),
    Convert(convert::Arguments),
    Fmb(fmb::Arguments),
    New(new::Arguments),
    Report(report::Arguments),
    Completions(shell::Completions),
    Man(shell::Manual),
}

/// How a command ended, apart from errors.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Success,
    No,
    Interrupted,
}

/// The message with which a command fails: bad input, or an error of the system.
struct Failure(String);

type Result<T> = std::result::Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

impl Failure {
    /// An error about the file `path`.
    fn about(path: &Path, error: &Error) -> Self {
        match error {
            // These errors name their file.
            Error::Io { path: named, .. } | Error::InputTooLong { path: named, .. }
                if named != "input" && named != "output" =>
            {
                Self(error.to_string())
            }
            _ => Self(format!("{}: {error}", display(path))),
        }
    }
}

/// A format by the name that options use.
#[derive(Clone, Copy, ValueEnum)]
enum FormatName {
    /// carom's JSON, indented
    Json,
    /// carom's JSON without spaces
    JsonCompact,
    /// the JSON of PBPhys, indented
    Pbphys,
    /// the JSON of PBPhys without spaces
    PbphysCompact,
    /// binary snapshot with checksums
    Snapshot,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Json => Self::Json,
            FormatName::JsonCompact => Self::JsonCompact,
            FormatName::Pbphys => Self::PbPhys,
            FormatName::PbphysCompact => Self::PbPhysCompact,
            FormatName::Snapshot => Self::Snapshot,
        }
    }
}

/// Runs the tool.
pub(crate) fn main() -> ExitCode {
    if let Err(error) = Level::current() {
        warn(&error.to_string());
        return ExitCode::from(2);
    }
    let parsed = parse();
    if let Ok(Arguments { max_input: Some(bytes), .. }) = parsed {
        input::set_limit(bytes);
    }
    let outcome = match parsed {
        Ok(Arguments { command: Command::Run(arguments), .. }) => run::run(&arguments),
        Ok(Arguments { command: Command::Merge(arguments), .. }) => merge::run(&arguments),
        Ok(Arguments { command: Command::Sim(arguments), .. }) => sim::run(&arguments),
        #[cfg(feature = "view")]
        Ok(Arguments { command: Command::View(arguments), .. }) => view::run(*arguments),
        Ok(Arguments { command: Command::Convert(arguments), .. }) => convert::run(&arguments),
        Ok(Arguments { command: Command::Fmb(arguments), .. }) => fmb::run(&arguments),
        Ok(Arguments { command: Command::New(arguments), .. }) => new::run(&arguments),
        Ok(Arguments { command: Command::Report(arguments), .. }) => report::run(&arguments),
        Ok(Arguments { command: Command::Completions(arguments), .. }) => {
            shell::completions(&arguments, tool())
        }
        Ok(Arguments { command: Command::Man(arguments), .. }) => shell::manual(&arguments, tool()),
        Err(message) if message.use_stderr() => {
            // Without standard error there is no place for the message.
            let _ = message.print();
            return ExitCode::from(2);
        }
        Err(help) => written(help.print()).map(|()| Outcome::Success).map_err(Failure::from),
    };
    match outcome {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Ok(Outcome::Interrupted) => ExitCode::from(3),
        Err(Failure(message)) => {
            warn(&message);
            ExitCode::from(2)
        }
    }
}

/// The commands and options of the tool.
fn tool() -> clap::Command {
    let command = Arguments::command();
    #[cfg(feature = "view")]
    let command = command.mut_subcommand("view", view::with_own_help);
    command
}

/// What the command line says.
fn parse() -> std::result::Result<Arguments, clap::Error> {
    let command = tool();
    let mut reported = command.clone();
    Arguments::from_arg_matches(&command.try_get_matches()?).map_err(|error| error.format(&mut reported))
}

/// Prints a message for the user on standard error.
fn warn(message: &str) {
    // Without standard error there is no place for the message.
    let _ = writeln!(io::stderr(), "carom: {message}");
}

/// Prints results on standard output.
fn say(text: &str) -> carom::Result<()> {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// A closed pipe is no failure: its reader needs no more.
fn written(outcome: io::Result<()>) -> carom::Result<()> {
    match outcome {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::io("standard output", error)),
        _ => Ok(()),
    }
}

/// The bytes of a file, `-` for standard input, judged by the first of them.
fn load_bytes(path: &Path, judge: Judge) -> Result<Vec<u8>> {
    read(path, judge).map_err(|error| Failure::about(path, &error))
}

/// The world in the bytes of a file.
fn world_in(path: &Path, bytes: &[u8]) -> Result<World> {
    let name = display(path);
    if carom::events::is_saved_run(bytes) {
        let hint = format!("carom sim {}", quoted(path));
        return Err(Failure(format!(
            "{name}: this is a saved run of a scene, not a world; to go on from it: {hint}"
        )));
    }
    carom::io::from_bytes(bytes).map_err(|error| Failure::about(path, &error))
}

/// All of a file, `-` for standard input, judged by its first bytes.
fn read(path: &Path, judge: Judge) -> carom::Result<Vec<u8>> {
    if is_stream(path) { input::read(&mut io::stdin().lock(), judge) } else { input::read_file(path, judge) }
}

fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn display(path: &Path) -> String {
    if is_stream(path) { "standard input".into() } else { path.display().to_string() }
}

/// A path as a shell takes it: quoted where a character has a meaning there.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| {
        c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '=' | ':' | ',' | '@' | '%')
    };
    // What begins with a dash would be an option.
    let text = if text.starts_with('-') && text != "-" { format!("./{text}") } else { text };
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The first of NAME-2, NAME-3, ... that is not there.
fn free_name(directory: &Path) -> PathBuf {
    let name = |number: u32| {
        // Without a slash at its end.
        let mut name = directory.components().as_path().as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    };
    (2..).map(name).find(|path| !path.exists()).expect("some number is free")
}

/// Refuses to replace an existing result without --force.
fn refuse_to_replace(path: &Path, replace: bool, otherwise: &str) -> Result<()> {
    if replace || !path.exists() {
        return Ok(());
    }
    let message = format!("{} already exists: {otherwise}, or replace it with --force", path.display());
    Err(Failure(message))
}

/// Creates a directory for results, unless it exists.
fn make_directory(directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory).map_err(|error| Failure(format!("{}: {error}", directory.display())))
}

/// The value of an option that is a finite number.
fn number(text: &str) -> std::result::Result<f64, String> {
    text.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| "it must be a finite number".into())
}

/// The value of an option that is a time, in seconds.
fn finite(text: &str) -> std::result::Result<f64, String> {
    number(text).map_err(|_| "it must be a number of seconds".into())
}

/// The value of an option that is a duration, in seconds.
fn positive(text: &str) -> std::result::Result<f64, String> {
    match finite(text)? {
        x if x > 0.0 => Ok(x),
        _ => Err("it must be more than 0".into()),
    }
}

/// The value of an option that is a whole number above 0, also as 1e6.
fn count(text: &str) -> std::result::Result<u64, String> {
    /// Above this not every whole number is an `f64`.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = |x: &f64| x.fract() == 0.0 && (0.0..=EXACT).contains(x);
    let number = text.parse().ok().or_else(|| text.parse().ok().filter(whole).map(|x| x as u64));
    number.filter(|&n| n > 0).ok_or_else(|| "it must be a whole number above 0".into())
}

/// The value of an option that is a number of bytes: `1000000`, `500MB`, `8GB`, `1GiB`.
fn size(text: &str) -> std::result::Result<u64, String> {
    const UNITS: [(&str, u64); 9] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("B", 1),
    ];
    let ends = |unit: &str| {
        let (number, end) = text.split_at_checked(text.len().checked_sub(unit.len())?)?;
        end.eq_ignore_ascii_case(unit).then_some(number)
    };
    let found = UNITS.iter().find_map(|(unit, factor)| Some((ends(unit)?, *factor)));
    let (number, factor) = found.unwrap_or((text, 1));
    let bytes = number.trim().parse().ok().map(|number: f64| (number * factor as f64).round());
    let fits = |bytes: &f64| (1.0..=u64::MAX as f64).contains(bytes);
    bytes
        .filter(fits)
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "it must be a number of bytes, such as 500MB or 8GB".into())
}

/// A bar on standard error, shown on terminals only.
fn progress_bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_for_a_shell() {
        for (path, expected) in [
            ("carom-out/a_1.toml", "carom-out/a_1.toml"),
            ("my study.toml", "'my study.toml'"),
            ("it's", "'it'\\''s'"),
            ("-out", "./-out"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }
}
