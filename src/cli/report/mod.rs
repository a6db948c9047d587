//! `carom report`: the results of a study as one page that needs nothing else.

mod chart;
mod convergence;
mod curve;
mod figure;
mod heat;
mod histogram;
pub(super) mod number;
mod page;
mod scale;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use carom::io::file::write_whole;
use carom::study::Summary;

use super::{Failure, Outcome, Result, say};

const EXAMPLES: &str = "\
Examples:
  carom report results                          results/report.html from results/summary.json
  carom report results --out page.html          the same elsewhere

`carom run` and `carom merge` write the page themselves.";

/// Draws the page of a study anew, from its summary
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A folder with results, or a summary.json
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// The page [default: report.html beside the summary]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let results = &arguments.results;
    let source = if results.is_dir() { results.join("summary.json") } else { results.clone() };
    let out = arguments.out.clone().unwrap_or_else(|| source.with_file_name("report.html"));
    write(&read(&source)?, &out)?;
    say(&format!("see {}\n", out.display()))?;
    Ok(Outcome::Success)
}

fn read(path: &Path) -> Result<Summary> {
    let failure = |error: &dyn std::fmt::Display| Failure(format!("{}: {error}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| failure(&error))?;
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

/// Writes the page of a study, whole or not at all.
pub(super) fn write(summary: &Summary, path: &Path) -> Result<()> {
    let page = page::html(summary)?;
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
