//! Which study is run, with what the command line says otherwise.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use carom::study::{Precision, State, Study};
use carom::{Error, input};

use super::Arguments;
use super::results::{self, CHECKPOINT};
use crate::cli::{Failure, Result, advice, quoted};

/// The study that runs if none is named.
const BUILT_IN: &str = include_str!("../../../examples/studies/hard_sphere_pressure.toml");
const BUILT_IN_NAME: &str = "hard_sphere_pressure";

/// Where results go unless the user says.
const DEFAULT_DIRECTORY: &str = "carom-out";

/// A study, and what it is called on the disk.
pub(super) struct Source {
    pub(super) study: Study,
    /// How messages name the study on a command line; empty if it needs no name.
    pub(super) argument: String,
    pub(super) directory: PathBuf,
}

impl Source {
    pub(super) fn open(arguments: &Arguments) -> Result<Self> {
        let (mut study, stem, argument) = match (&arguments.study, &arguments.out) {
            (Some(path), _) => (read(path)?, stem(path), format!(" {}", quoted(path))),
            (None, Some(directory)) if arguments.resume => {
                (results::load(&directory.join(CHECKPOINT))?.study()?, String::new(), String::new())
            }
            (None, _) => (Study::from_toml(BUILT_IN, None)?, BUILT_IN_NAME.to_owned(), String::new()),
        };
        let name = match &arguments.shard {
            Some(shard) => format!("{stem}-shard-{}-of-{}", shard.number(), shard.count()),
            None => stem,
        };
        let directory = arguments.out.clone().unwrap_or_else(|| Path::new(DEFAULT_DIRECTORY).join(name));
        if arguments.resume && arguments.study.is_some() {
            keep_length(&mut study, &directory, arguments);
        }
        overrule(&mut study, arguments)?;
        Ok(Self { study, argument, directory })
    }
}

fn read(path: &Path) -> Result<Study> {
    let bytes = input::read_file(path, input::sealed_or_text).map_err(|error| match &error {
        Error::Io { source, .. } if source.kind() == ErrorKind::NotFound => {
            Failure(format!("{error}{}", advice::missing_study(path)))
        }
        _ => Failure::about(path, &error),
    })?;
    if let Some(failure) = advice::instead_of_study(path, &bytes) {
        return Err(failure);
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| Failure(format!("{}: not UTF-8 text: {error}", path.display())))?;
    Study::from_toml(&text, path.parent()).map_err(|error| Failure::about(path, &error))
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "study".into(), |stem| stem.to_string_lossy().into_owned())
}

/// A run that goes on is at least as long as it was to be, unless the command line says how long.
fn keep_length(study: &mut Study, directory: &Path, arguments: &Arguments) {
    let stored = State::load(&directory.join(CHECKPOINT)).and_then(|loaded| loaded.state.study());
    // Without a checkpoint there is no length; the run itself says what is wrong with it.
    let Ok(stored) = stored else { return };
    if arguments.replicas.is_none() {
        study.replicas = study.replicas.max(stored.replicas);
        study.precision = study.precision.take().or(stored.precision);
    }
}

fn overrule(study: &mut Study, arguments: &Arguments) -> Result<()> {
    if let Some(seed) = arguments.seed {
        study.seed = seed;
    }
    if let Some(replicas) = arguments.replicas {
        study.replicas = replicas;
    }
    if let Some(target) = arguments.precision {
        study.precision.get_or_insert_with(|| Precision::new(target)).target = target;
    }
    match &mut study.precision {
        Some(precision) => {
            precision.least = arguments.min.unwrap_or(precision.least);
            precision.most = arguments.replicas.unwrap_or(precision.most).max(precision.least);
            Ok(())
        }
        None if arguments.min.is_some() => {
            Err(Failure("--min goes with --precision or the [stop] of a study".into()))
        }
        None => Ok(()),
    }
}
