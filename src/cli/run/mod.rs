//! `carom run`: runs a Monte Carlo study and leaves a folder with its results.

pub(super) mod hints;
mod progress;
mod replay;
pub(super) mod results;
mod source;
pub(super) mod table;

use std::path::PathBuf;
use std::time::Duration;

use carom::study::{Shard, Target};

use super::{Outcome, Result};

const EXAMPLES: &str = "\
Examples:
  carom run                                        the built-in study: pressure of hard spheres
  carom new conjunction --kind encounter           a commented study file to start from
  carom run conjunction.toml                       run it; results in carom-out/conjunction/
  carom run conjunction.toml --resume --replicas 1e7        go on to more replicas
  carom run conjunction.toml --resume --precision rel=0.01  go on until every interval is within 1%
  carom run conjunction.toml --replay 1234         one replica alone, and its trajectory
  carom run conjunction.toml --shard 1/2           the first half of a job array
  carom run conjunction.toml --shard 2/2           the second half; then
  carom merge carom-out/conjunction-shard-*        join the parts

Results, in the directory of --out:
  summary.json    everything that was found, with the study, seed, version and machine
  samples.csv     inputs and results of the first replicas ([statistics] keep)
  report.html     one page: tables, histograms, convergence, sweeps
  study.toml      the study file
  checkpoint      the state, to go on from with --resume
The results are the same to the bit for any number of threads, shards and interruptions. Ctrl-C
writes a checkpoint and the results so far, says how to go on and exits with 3; exit code 1: the
precision was not reached, or too many replicas failed.";

/// Seconds from one checkpoint to the next, unless the user says.
const DEFAULT_CHECKPOINT: f64 = 30.0;

/// Runs a Monte Carlo study: many independent replicas, estimates with intervals, a page of plots
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A study file; without it the built-in study, or with --resume the one in the directory of --out
    study: Option<PathBuf>,
    /// Directory for the results [default: carom-out/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where random numbers start [default: what the study says]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Replicas of each point, also as 1e6 [default: what the study says]
    #[arg(long, value_name = "N", value_parser = super::count)]
    replicas: Option<u64>,
    /// Go on until every interval is narrow enough: rel=0.01 (1% of the value) or abs=0.002
    ///
    /// Half the width of the interval counts. --replicas is then the most replicas of a point.
    #[arg(long, value_name = "TARGET", value_parser = |text: &str| text.parse::<Target>())]
    precision: Option<Target>,
    /// Replicas of each point that are run in any case, with --precision [default: 1000]
    #[arg(long, value_name = "N", value_parser = super::count)]
    min: Option<u64>,
    /// Number of threads, 0 for all cores; the results are the same to the bit
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Go on from the checkpoint in the directory of the results
    #[arg(long)]
    resume: bool,
    /// Seconds from one checkpoint to the next
    #[arg(long, value_name = "S", default_value_t = DEFAULT_CHECKPOINT, value_parser = super::positive)]
    checkpoint: f64,
    /// Run the K-th of N parts only: K/N, K from 1
    #[arg(long, value_name = "K/N", value_parser = |text: &str| text.parse::<Shard>())]
    shard: Option<Shard>,
    /// Run this replica alone and write its inputs, values and trajectory
    #[arg(long, value_name = "REPLICA", conflicts_with_all = ["resume", "shard", "precision", "replicas"])]
    replay: Option<u64>,
    /// Show the replica of --replay in the browser, from its start
    #[cfg(feature = "view")]
    #[arg(long, requires = "replay", conflicts_with_all = ["json", "out", "force"])]
    view: bool,
    #[cfg(feature = "view")]
    #[command(flatten)]
    page: super::view::PageOptions,
    /// The point of the sweep that --replay means, from 0
    #[arg(long, value_name = "P", default_value_t = 0, requires = "replay")]
    point: usize,
    /// Replace results that are already there
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Print no progress and no table
    #[arg(long)]
    quiet: bool,
    /// Print summary.json on standard output instead of the table
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn checkpoint_every(&self) -> Duration {
        Duration::from_secs_f64(self.checkpoint.min(1e9))
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let source = source::Source::open(arguments)?;
    match arguments.replay {
        #[cfg(feature = "view")]
        Some(replica) if arguments.view => replay::view(arguments, &source, replica),
        Some(replica) => replay::run(arguments, &source, replica),
        None => results::run(arguments, &source),
    }
}
