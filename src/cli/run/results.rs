//! Running a study, and the folder that it leaves.

use std::path::Path;

use carom::Error;
use carom::io::file::write_whole;
use carom::study::{self, End, Loaded, Ranks, RunOptions, State, Study, Summary};

use super::progress::Display;
use super::source::Source;
use super::{Arguments, hints, table};
use crate::cli::lock::FolderLock;
use crate::cli::{Failure, Outcome, Result, interrupt, report, samples, say, warn};

pub(crate) const CHECKPOINT: &str = "checkpoint";
pub(crate) const STUDY: &str = "study.toml";
pub(crate) const SUMMARY: &str = "summary.json";
pub(crate) const REPORT: &str = "report.html";

/// Runs the study, or the part of it that this process has.
pub(super) fn run(arguments: &Arguments, source: &Source) -> Result<Outcome> {
    // On every rank: the one that leads stops the others.
    interrupt::watch()?;
    let mut ranks = Ranks::join()?;
    if !ranks.leads() {
        study::serve(&source.study, arguments.threads, &mut ranks)?;
        return Ok(Outcome::Success);
    }
    lead(arguments, source, &mut ranks)
}

fn lead(arguments: &Arguments, source: &Source, ranks: &mut Ranks) -> Result<Outcome> {
    let checkpoint = source.directory.join(CHECKPOINT);
    // Without a directory there is nothing to go on from, and none is made for the lock.
    if arguments.resume && !source.directory.exists() {
        load(&checkpoint)?;
    }
    let _lock = FolderLock::take(&source.directory)?;
    let resume = if arguments.resume {
        Some(load(&checkpoint)?)
    } else {
        let choices = || hints::occupied(arguments, source);
        refuse_results(&source.directory, arguments.force, choices)?;
        None
    };
    write_text(&source.directory.join(STUDY), &source.study.text)?;
    let mut display = Display::new(arguments.quiet);
    let mut options = RunOptions::default();
    options.threads = arguments.threads;
    options.checkpoint = Some(checkpoint);
    options.checkpoint_interval = arguments.checkpoint_every();
    options.resume = resume;
    options.shard = arguments.shard;
    let outcome =
        study::run_with_ranks(&source.study, &options, ranks, &mut |progress| display.show(progress));
    display.finish();
    finish(arguments, source, outcome.map_err(|error| about_checkpoint(arguments, source, &error))?)
}

fn about_checkpoint(arguments: &Arguments, source: &Source, error: &Error) -> Failure {
    match error {
        Error::Mismatch { .. } => Failure(format!("{error}{}", hints::occupied(arguments, source))),
        _ => Failure(error.to_string()),
    }
}

/// The state in a checkpoint; a damaged one is told of, and the one before it used.
pub(crate) fn load(checkpoint: &Path) -> Result<State> {
    let Loaded { state, warning, .. } = State::load(checkpoint).map_err(|error| match error {
        Error::Io { .. } if !checkpoint.exists() => Failure(format!(
            "{} is not there: there is nothing to go on from; run without --resume first",
            checkpoint.display()
        )),
        error => Failure::about(checkpoint, &error),
    })?;
    if let Some(warning) = warning {
        warn(&warning);
    }
    Ok(state)
}

fn finish(arguments: &Arguments, source: &Source, outcome: study::Outcome) -> Result<Outcome> {
    let study::Outcome { state, end, unsaved, .. } = outcome;
    match end {
        End::Cancelled => {
            // A part has no results of its own.
            if arguments.shard.is_none() {
                let summary = write(&source.study, &state, &source.directory)?;
                tell(&summary, &source.directory, arguments.json, arguments.quiet)?;
            }
            let message = match unsaved {
                None => {
                    let command = hints::resume_as(arguments, &source.directory, &state);
                    format!("interrupted; to go on: {command}")
                }
                Some(error) => format!("interrupted, and the checkpoint could not be written: {error}"),
            };
            warn(&message);
            Ok(Outcome::Interrupted)
        }
        End::Failed(error) => {
            write(&source.study, &state, &source.directory)?;
            warn(&format!("{error}\nwhat was found so far is in {}", source.directory.display()));
            Ok(Outcome::No)
        }
        End::Complete if arguments.shard.is_some() => {
            unsaved.map_or(Ok(()), Err)?;
            if !arguments.quiet {
                say(&format!(
                    "{}: one part; carom merge joins all of them (carom merge --help)\n",
                    source.directory.display()
                ))?;
            }
            Ok(Outcome::Success)
        }
        End::Complete => {
            let summary = write(&source.study, &state, &source.directory)?;
            if let Some(error) = unsaved {
                warn(&format!("the results are there, but not the checkpoint to go on from: {error}"));
            }
            tell(&summary, &source.directory, arguments.json, arguments.quiet)
        }
    }
}

/// Writes everything that a study leaves.
pub(crate) fn write(study: &Study, state: &State, directory: &Path) -> Result<Summary> {
    let summary = state.summary(study);
    samples::write(study, state, directory)?;
    report::write(&summary, &directory.join(REPORT), Some(&hints::resume(directory, state)))?;
    write_text(&directory.join(SUMMARY), &as_json(&summary)?)?;
    Ok(summary)
}

/// Prints the table or the JSON, and whether the precision was reached.
pub(crate) fn tell(summary: &Summary, directory: &Path, json: bool, quiet: bool) -> Result<Outcome> {
    if json {
        say(&as_json(summary)?)?;
    } else if !quiet {
        let heading = format!(
            "{}: {}, seed {}\n{}\n",
            summary.study.name,
            amount(summary),
            summary.study.seed,
            unfinished(summary).map_or_else(String::new, |what| what + "\n")
        );
        let place = format!("\nresults: {} ({})\n", directory.display(), directory.join(REPORT).display());
        say(&(heading + &table::of(summary) + &place))?;
    }
    let precise = summary.points.iter().all(|point| point.precise != Some(false));
    Ok(if precise { Outcome::Success } else { Outcome::No })
}

fn amount(summary: &Summary) -> String {
    let total: u64 = summary.points.iter().map(|point| point.replicas).sum();
    match summary.points.len() {
        1 => format!("{total} replicas"),
        points => format!("{points} points, {total} replicas"),
    }
}

/// What there is of a study that has not been run to its end, in words.
pub(crate) fn unfinished(summary: &Summary) -> Option<String> {
    let done: u64 = summary.points.iter().map(|point| point.replicas).sum();
    let all = u128::from(summary.study.replicas) * summary.points.len() as u128;
    let length = match &summary.study.precision {
        Some(target) => format!("{done} replicas, at most {all} until the precision {target} is reached"),
        None => format!("{done} of {all} replicas"),
    };
    (!summary.complete).then(|| format!("UNFINISHED: {length}"))
}

fn as_json(summary: &Summary) -> Result<String> {
    let text = serde_json::to_string_pretty(summary).map_err(|error| Failure(error.to_string()))?;
    Ok(text + "\n")
}

pub(crate) fn write_text(path: &Path, text: &str) -> Result<()> {
    Ok(write_whole(path, |out| out.write_all(text.as_bytes()))?)
}

/// Results that are there stay there, unless they may be replaced.
///
/// `choices` are lines that say what else can be done.
pub(crate) fn refuse_results(directory: &Path, replace: bool, choices: impl Fn() -> String) -> Result<()> {
    let taken = [SUMMARY, CHECKPOINT].map(|name| directory.join(name)).into_iter().find(|path| path.exists());
    match taken {
        Some(path) if !replace => {
            let path = path.display();
            Err(Failure(format!("{path} already exists; --force would replace it{}", choices())))
        }
        _ => Ok(()),
    }
}
