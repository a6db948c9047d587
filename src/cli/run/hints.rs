//! Command lines that a message offers. Each of them works as it stands.

use std::path::Path;

use carom::study::{State, Study};

use super::results::CHECKPOINT;
use super::source::Source;
use super::{Arguments, DEFAULT_CHECKPOINT};
use crate::cli::{free_name, quoted};

/// Goes on from the checkpoint in a directory, which knows the study, its seed and its length.
pub(crate) fn resume(directory: &Path, state: &State) -> String {
    let shard = state.shard().map_or_else(String::new, |shard| format!(" --shard {shard}"));
    format!("carom run --out {}{shard} --resume", quoted(directory))
}

/// The same with the options of the run that change no result.
pub(super) fn resume_as(arguments: &Arguments, directory: &Path, state: &State) -> String {
    resume(directory, state) + &machine_options(arguments)
}

/// The same study in a directory that is still free.
fn elsewhere(arguments: &Arguments, source: &Source) -> String {
    let shard = arguments.shard.map_or_else(String::new, |shard| format!(" --shard {shard}"));
    let (out, length) = (free_name(&source.directory), length_options(arguments));
    let seed = arguments.seed.map_or_else(String::new, |seed| format!(" --seed {seed}"));
    format!(
        "carom run{} --out {}{seed}{length}{shard}{}",
        source.argument,
        quoted(&out),
        machine_options(arguments)
    )
}

/// What can be done where results of this or of another study are.
pub(super) fn occupied(arguments: &Arguments, source: &Source) -> String {
    let stored = State::load(&source.directory.join(CHECKPOINT)).ok().map(|loaded| loaded.state);
    let goes_on = stored.and_then(|state| going_on(arguments, source, &state));
    let goes_on = goes_on.map_or_else(String::new, |command| format!("\nto go on: {command}"));
    format!("{goes_on}\nto run it elsewhere: {}", elsewhere(arguments, source))
}

/// The command that goes on from a state, to more replicas if so many are asked for; `None` if this build cannot.
fn going_on(arguments: &Arguments, source: &Source, state: &State) -> Option<String> {
    let stored = state.study().ok()?;
    state.check(&stored).ok()?;
    let is_same = state.check(&source.study).is_ok() && state.shard() == arguments.shard;
    let more =
        if is_same && is_longer(&source.study, &stored) { length_options(arguments) } else { String::new() };
    Some(resume_as(arguments, &source.directory, state) + &more)
}

fn is_longer(study: &Study, stored: &Study) -> bool {
    study.precision.is_none() && stored.precision.is_none() && study.replicas > stored.replicas
}

/// The options that say how long a study runs.
fn length_options(arguments: &Arguments) -> String {
    let mut options = String::new();
    if let Some(target) = arguments.precision {
        options += &format!(" --precision {target}");
    }
    for (name, value) in [("replicas", arguments.replicas), ("min", arguments.min)] {
        options += &value.map_or_else(String::new, |value| format!(" --{name} {value}"));
    }
    options
}

/// The options that change no result.
fn machine_options(arguments: &Arguments) -> String {
    let mut options = String::new();
    if arguments.threads > 0 {
        options += &format!(" --threads {}", arguments.threads);
    }
    if arguments.checkpoint != DEFAULT_CHECKPOINT {
        options += &format!(" --checkpoint {}", arguments.checkpoint);
    }
    options
}
