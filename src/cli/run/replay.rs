//! `carom run --replay`: one replica alone.

use std::path::Path;

use carom::io::file::WholeFile;
use carom::study::Replay;

use super::Arguments;
use super::source::Source;
use crate::cli::{Failure, Outcome, Result, make_directory, say};

/// Runs a replica and writes its trajectory beside the results of the study.
pub(super) fn run(arguments: &Arguments, source: &Source, replica: u64) -> Result<Outcome> {
    let replay = source.study.replay(arguments.point, replica)?;
    make_directory(&source.directory)?;
    let name = format!("replica-{}-{replica}.csv", arguments.point);
    let path = source.directory.join(name);
    write_trajectory(&path, &replay)?;
    if arguments.json {
        say(&format!("{:#}\n", as_json(source, arguments.point, replica, &replay)))?;
    } else if !arguments.quiet {
        say(&as_text(source, &replay, &path))?;
    }
    Ok(Outcome::Success)
}

/// Shows a replica in the browser.
#[cfg(feature = "view")]
pub(super) fn view(arguments: &Arguments, source: &Source, replica: u64) -> Result<Outcome> {
    use crate::cli::sim::source::{FARTHEST, Source as Scene, Subject};
    use carom::simulation::Stepped;
    use carom::study::ReplicaStart;

    let study = &source.study;
    let (subject, until, options) = match study.replica_start(arguments.point, replica)? {
        Some(ReplicaStart::Balls { engine, until }) => {
            (Subject::Balls(engine), until.unwrap_or(1.0), String::new())
        }
        Some(ReplicaStart::World { world, dt, until }) => {
            let end = world.time() + FARTHEST * dt;
            (Subject::World(Stepped::new(world, dt, end)?), until, format!(" --dt {dt}"))
        }
        _ => {
            return Err(Failure(
                "--view: replicas of this kind of study are computed without a simulation; there is nothing to watch"
                    .into(),
            ));
        }
    };
    let name = format!("{}-{}-{replica}", study.name, arguments.point);
    let description = format!("replica {replica} of point {} of {}", arguments.point, study.name);
    let scene = Scene { name, description, subject, until, from_file: false, options };
    crate::cli::view::show(scene, None, &arguments.page)
}

fn write_trajectory(path: &Path, replay: &Replay) -> Result<()> {
    let mut rows = csv::Writer::from_writer(WholeFile::create(path)?);
    let failed = |error: csv::Error| Failure(format!("{}: {error}", path.display()));
    rows.write_record(&replay.columns).map_err(failed)?;
    for row in &replay.rows {
        rows.serialize(row).map_err(failed)?;
    }
    let file =
        rows.into_inner().map_err(|error| Failure(format!("{}: {}", path.display(), error.error())))?;
    Ok(file.commit()?)
}

fn as_text(source: &Source, replay: &Replay, path: &Path) -> String {
    let mut text = String::new();
    let mut line = |name: &str, unit: &str, value: f64| {
        let shown = if value.is_nan() { "-".to_owned() } else { format!("{value}") };
        text += format!("{name:<40} {shown} {unit}").trim_end();
        text.push('\n');
    };
    for (name, unit, value) in &replay.inputs {
        line(name, unit, *value);
    }
    for (observable, value) in source.study.observables().iter().zip(&replay.values) {
        line(&observable.name, &observable.unit, *value);
    }
    text + &format!("trajectory: {}\n", path.display())
}

fn as_json(source: &Source, point: usize, replica: u64, replay: &Replay) -> serde_json::Value {
    let inputs: serde_json::Map<String, serde_json::Value> =
        replay.inputs.iter().map(|(name, _, value)| (name.clone(), (*value).into())).collect();
    let values: serde_json::Map<String, serde_json::Value> = source
        .study
        .observables()
        .iter()
        .zip(&replay.values)
        .map(|(observable, value)| (observable.name.clone(), (*value).into()))
        .collect();
    serde_json::json!({
        "study": source.study.name, "seed": source.study.seed, "point": point, "replica": replica,
        "inputs": inputs, "values": values,
    })
}
