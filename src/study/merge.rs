//! Joins the shards of a study.

use std::collections::BTreeSet;

use super::file::Study;
use super::plan::Plan;
use super::shard::Shard;
use super::state::State;
use crate::error::{Error, Result};

/// Joins the shards of a study, each with the name of the directory it comes from, into the state that one run would
/// have had.
///
/// A shard of another study, one that is there twice or not finished, and a missing one are [`Error::Mismatch`] with the
/// name of the directory.
pub fn merge(study: &Study, shards: Vec<(String, State)>) -> Result<State> {
    let count = check_shards(study, &shards)?;
    let mut whole = State::new(study);
    whole.set_first_goals(study)?;
    whole.run = shards.first().map(|(_, state)| state.run.clone()).unwrap_or_default();
    (whole.run.seconds, whole.run.resumed, whole.run.processes) = (0.0, 0, count);
    for (directory, state) in shards {
        whole.run.seconds += state.run.seconds;
        whole.run.resumed += state.run.resumed;
        if !whole.run.machine.split(", ").any(|machine| machine == state.run.machine) {
            whole.run.machine = format!("{}, {}", whole.run.machine, state.run.machine);
        }
        join(&mut whole, study, &directory, state)?;
    }
    check_whole(&whole, study)?;
    Ok(whole)
}

/// Checks that all are shards of this study, cut into equally many parts. Gives their number.
fn check_shards(study: &Study, shards: &[(String, State)]) -> Result<u64> {
    let Some((first, state)) = shards.first() else {
        return Err(Error::WrongLength { field: "shards", index: 0, expected: 1, found: 0 });
    };
    let count = state.shard.map_or(1, Shard::count);
    for (directory, state) in shards {
        state.check(study).map_err(|error| named(directory, error))?;
        if state.shard.map_or(1, Shard::count) != count {
            let this = state.shard.map_or("no shard".into(), |shard| format!("shard {shard}"));
            return Err(mismatch(directory, format!("it is {this}, but {first} is one of {count}")));
        }
        check_finished(study, directory, state)?;
    }
    check_numbers(count, shards)?;
    Ok(count)
}

/// Checks that a shard has run all of its replicas.
fn check_finished(study: &Study, directory: &str, state: &State) -> Result<()> {
    if state.goals.iter().any(|goal| *goal != study.replicas) {
        let (wanted, found) = (study.replicas, state.goals.iter().max().copied().unwrap_or(0));
        return Err(mismatch(directory, format!("it was run for {found} replicas, not for {wanted}")));
    }
    let missing = state.plan(study);
    let Some(first) = missing.item(0) else { return Ok(()) };
    let (batches, point) = (missing.len(), first.point);
    Err(mismatch(
        directory,
        format!("it is not finished: {batches} batches are missing, the first at point {point}"),
    ))
}

/// Missing shards that a message names.
const LISTED_SHARDS: usize = 20;

/// Checks that every shard is there once.
fn check_numbers(count: u64, shards: &[(String, State)]) -> Result<()> {
    let number = |state: &State| state.shard.map_or(1, Shard::number);
    for (at, (directory, state)) in shards.iter().enumerate() {
        if let Some((twin, _)) = shards[..at].iter().find(|(_, other)| number(other) == number(state)) {
            let detail = format!("it is shard {}/{count}, as is {twin}", number(state));
            return Err(mismatch(directory, detail));
        }
    }
    let present: BTreeSet<u64> = shards.iter().map(|(_, state)| number(state)).collect();
    let missing = count - present.len() as u64;
    if missing == 0 {
        return Ok(());
    }
    let first: Vec<String> = (1..=count)
        .filter(|number| !present.contains(number))
        .take(LISTED_SHARDS)
        .map(|number| format!("{number}/{count}"))
        .collect();
    let more = missing - first.len() as u64;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let directories: Vec<&str> = shards.iter().map(|(directory, _)| directory.as_str()).collect();
    let detail = format!("shards are missing: {}{more}", first.join(", "));
    Err(mismatch(&directories.join(", "), detail))
}

fn join(whole: &mut State, study: &Study, directory: &str, state: State) -> Result<()> {
    for (number, (mine, theirs)) in whole.points.iter_mut().zip(state.points).enumerate() {
        let size = study.points[number].model.batch();
        if let Err(batch) = mine.merge(theirs) {
            let first = batch * size;
            let detail = format!("replicas of point {number} from {first} on are in another shard too");
            return Err(mismatch(directory, detail));
        }
    }
    Ok(())
}

fn check_whole(whole: &State, study: &Study) -> Result<()> {
    let missing: Plan = whole.plan(study);
    match missing.item(0) {
        Some(item) => Err(mismatch(
            "all shards together",
            format!("batch {} of point {} is missing", item.batch, item.point),
        )),
        None => whole.too_many_failures(study).map_or(Ok(()), Err),
    }
}

fn mismatch(directory: &str, detail: String) -> Error {
    Error::Mismatch { path: directory.to_owned(), detail }
}

/// The same error about this directory.
fn named(directory: &str, error: Error) -> Error {
    match error {
        Error::Mismatch { detail, .. } => mismatch(directory, detail),
        other => other,
    }
}
