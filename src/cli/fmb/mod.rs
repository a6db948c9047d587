//! `carom fmb`: which frames intersect, whether the answers are right, and how fast they are found.

mod bench;
mod cases;
mod clock;
mod columns;
mod example;
mod lines;
mod machine;
mod number;
mod qualify;
mod source;
mod test;
mod validate;
mod workload;

use carom::Frames;
use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Failure, Outcome, Result, count};

const EXAMPLES: &str = "\
Examples:
  carom fmb test --example --out pairs.csv            a table of pairs to start from
  carom fmb test --in pairs.csv --out results.csv     which pairs of a file intersect
  carom fmb validate --pairs 1000000                  are the answers right, on random pairs
  carom fmb qualify --out qualification               time against SAT, in tables and plots
  carom fmb bench --dim 2 --moving                    how many pairs per second

A frame is an origin o and as many components c as there are dimensions: the cuboid (C) o + c X
with each X from 0 to 1, or the tetrahedron (T), whose X also sum up to at most 1. In 2D these are
parallelograms and triangles. A moving frame has a velocity v. Frames that only touch do not
intersect. Lengths are in metres, velocities in metres per second, times in seconds.";

/// Tests frames for intersection by Fourier-Motzkin elimination
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Test(test::Arguments),
    Validate(validate::Arguments),
    Qualify(qualify::Arguments),
    Bench(bench::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.command {
        Command::Test(arguments) => test::run(arguments),
        Command::Validate(arguments) => validate::run(arguments),
        Command::Qualify(arguments) => qualify::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
    }
}

/// The dimensions that frames have, as an option.
fn dimension() -> clap::builder::RangedI64ValueParser<u8> {
    clap::value_parser!(u8).range(2..=3)
}

/// A number of pairs or frames, also as 1e6: they are counted in 32 bits.
fn rows(text: &str) -> std::result::Result<u32, String> {
    u32::try_from(count(text)?).map_err(|_| format!("it must be at most {}", u32::MAX))
}

fn positive(text: &str) -> std::result::Result<f64, String> {
    let number = text.parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0);
    number.ok_or_else(|| "it must be a number above 0".into())
}

/// A set for frames that move for `duration` seconds, or rest.
fn empty_set<const D: usize>(duration: Option<f64>) -> Result<Frames<D>> {
    Ok(duration.map_or_else(|| Ok(Frames::resting()), Frames::moving)?)
}

/// A bar on standard error, and only on a terminal.
fn progress_bar(total: u64, unit: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {unit}, {{eta}} left"));
    ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
