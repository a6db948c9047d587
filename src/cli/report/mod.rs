//! `carom report`: the results of a study as one page that needs nothing else.

mod chart;
mod convergence;
mod curve;
mod figure;
mod heat;
mod histogram;
pub(super) mod number;
mod page;
mod residual;
mod scale;
mod table;

use std::path::{Path, PathBuf};

use carom::input;
use carom::io::file::write_whole;
use carom::study::Summary;

use super::run::hints;
use super::run::results::{self, CHECKPOINT, REPORT, SUMMARY, unfinished};
use super::{Failure, Outcome, Result, say, warn};

const EXAMPLES: &str = "\
Examples:
  carom run --out results                       the built-in study, with its page results/report.html
  carom report results                          the page again, from results/summary.json
  carom report results --out page.html          the same elsewhere

`carom run` and `carom merge` write the page themselves. Of a run that was killed or is still under
way the page shows what its last checkpoint has, and says how much of the study that is.";

/// Draws the page of a study anew, from its summary or its checkpoint
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A folder with results or a checkpoint, or a summary.json
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// The page [default: report.html beside the summary]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let results = &arguments.results;
    let Found { summary, resume } =
        if results.is_dir() { in_folder(results)? } else { Found::of(read(results)?) };
    let folder = if results.is_dir() { results.as_path() } else { results.parent().unwrap_or(Path::new("")) };
    let out = arguments.out.clone().unwrap_or_else(|| folder.join(REPORT));
    write(&summary, &out, resume.as_deref())?;
    say(&format!("see {}\n", out.display()))?;
    if let Some(what) = unfinished(&summary) {
        let goes_on = resume.map_or_else(String::new, |command| format!("; to go on: {command}"));
        say(&format!("{what}{goes_on}\n"))?;
    }
    Ok(Outcome::Success)
}

/// Results, and the command that goes on from them.
struct Found {
    summary: Summary,
    resume: Option<String>,
}

impl Found {
    fn of(summary: Summary) -> Self {
        Self { summary, resume: None }
    }
}

/// The results in a folder: those of its checkpoint if that knows more replicas than its summary.
fn in_folder(folder: &Path) -> Result<Found> {
    let (written, checkpoint) = (folder.join(SUMMARY), folder.join(CHECKPOINT));
    if !checkpoint.exists() {
        return Ok(Found::of(read(&written)?));
    }
    match (of_checkpoint(folder, &checkpoint), written.exists()) {
        (found, false) => found,
        (Ok(found), true) => {
            let summary = read(&written)?;
            let newest = if replicas(&found.summary) > replicas(&summary) { found.summary } else { summary };
            Ok(Found { summary: newest, ..found })
        }
        (Err(Failure(why)), true) => {
            warn(&format!("{why}; the page is made from {}", written.display()));
            Ok(Found::of(read(&written)?))
        }
    }
}

fn of_checkpoint(folder: &Path, checkpoint: &Path) -> Result<Found> {
    let state = results::load(checkpoint)?;
    let study = state.study().map_err(|error| Failure::about(checkpoint, &error))?;
    state.check(&study).map_err(|error| Failure::about(checkpoint, &error))?;
    Ok(Found { summary: state.summary(&study), resume: Some(hints::resume(folder, &state)) })
}

fn replicas(summary: &Summary) -> u64 {
    summary.points.iter().map(|point| point.replicas).sum()
}

fn read(path: &Path) -> Result<Summary> {
    let failure = |error: &dyn std::fmt::Display| Failure(format!("{}: {error}", path.display()));
    let text = input::read_text_file(path, input::json).map_err(|error| Failure::about(path, &error))?;
    let summary: Summary = serde_json::from_str(&text).map_err(|error| failure(&error))?;
    let points = &summary.points;
    let fits = points.iter().all(|point| {
        point.estimates.len() == summary.observables.len() && point.parameters.len() == summary.axes.len()
    });
    let grid: usize = summary.axes.iter().map(|axis| axis.values.len()).product();
    match fits && grid == points.len() && summary.axes.len() <= 2 {
        true => Ok(summary),
        false => Err(failure(&"its points do not fit its axes and observables")),
    }
}

/// Writes the page of a study, whole or not at all; `resume` is the command that goes on from it.
pub(super) fn write(summary: &Summary, path: &Path, resume: Option<&str>) -> Result<()> {
    let page = page::html(summary, resume)?;
    Ok(write_whole(path, |out| out.write_all(page.as_bytes()))?)
}

/// Text as HTML and SVG show it.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(c),
        }
    }
    safe
}
