//! `carom merge`: joins the parts of a study.

use std::path::{Path, PathBuf};

use carom::study::{self, State, Study};

use super::lock::FolderLock;
use super::run::results::{self, CHECKPOINT, STUDY};
use super::{Failure, Outcome, Result};

const EXAMPLES: &str = "\
Example: a study in four parts, one after the other or on four machines, then joined
  carom new study --kind encounter
  carom run study.toml --shard 1/4 --out part-1
  carom run study.toml --shard 2/4 --out part-2
  carom run study.toml --shard 3/4 --out part-3
  carom run study.toml --shard 4/4 --out part-4
  carom merge part-* --out whole
The results are the same to the bit as those of one run, and --resume goes on from them.";

/// Joins the parts that `carom run --shard` left into one result
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The directories of the parts
    #[arg(required = true, value_name = "DIR")]
    parts: Vec<PathBuf>,
    /// Directory for the result
    #[arg(long, value_name = "DIR", default_value = "carom-out/merged")]
    out: PathBuf,
    /// Replace a result that is already there
    #[arg(long)]
    force: bool,
    /// Print no table
    #[arg(long)]
    quiet: bool,
    /// Print summary.json on standard output instead of the table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let _lock = FolderLock::take(&arguments.out)?;
    results::refuse_results(&arguments.out, arguments.force, || {
        "; choose another directory with --out".into()
    })?;
    let parts: Vec<(String, State)> = arguments.parts.iter().map(|part| load(part)).collect::<Result<_>>()?;
    let study = study_of(&arguments.parts[0], &parts[0].1)?;
    let state = study::merge(&study, parts)?;
    results::write_text(&arguments.out.join(STUDY), &study.text)?;
    state.save(&arguments.out.join(CHECKPOINT))?;
    let summary = results::write(&study, &state, &arguments.out)?;
    results::tell(&summary, &arguments.out, arguments.json, arguments.quiet)
}

fn load(part: &Path) -> Result<(String, State)> {
    Ok((part.display().to_string(), results::load(&part.join(CHECKPOINT))?))
}

/// The study that a part has run.
fn study_of(part: &Path, state: &State) -> Result<Study> {
    state.study().map_err(|error| Failure::about(&part.join(CHECKPOINT), &error))
}
