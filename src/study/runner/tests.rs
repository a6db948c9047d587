//! The same results however a study is run, and what happens when something goes wrong.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::study::merge;
use crate::study::precision::{Precision, Target};
use crate::study::testing::{Behaviour, finished, study, study_with, text};
use crate::study::transport::Transport;

/// No multiple of the batch, and more than 64 batches.
const REPLICAS: u64 = 1500;

fn quick(threads: usize) -> RunOptions {
    RunOptions { threads, report_interval: Duration::ZERO, ..RunOptions::default() }
}

fn run_quietly(study: &Study, options: &RunOptions) -> Outcome {
    run(study, options, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Runs until there are so many replicas, or a little more, and stops.
fn interrupted(study: &Study, options: &RunOptions, replicas: u64) -> Outcome {
    run(study, options, &mut |progress| {
        if progress.replicas >= replicas { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap()
}

/// A study whose batches take long enough to be interrupted.
fn slow(replicas: u64) -> Study {
    study_with(replicas, [Behaviour { pause: Duration::from_millis(1), ..Behaviour::default() }; 2])
}

#[test]
fn threads_do_not_matter() {
    let study = study(REPLICAS);
    let one = text(&finished(&study), &study);
    for threads in [2, 5] {
        let outcome = run_quietly(&study, &quick(threads));
        assert_eq!((outcome.end, outcome.unsaved), (End::Complete, None));
        assert_eq!(text(&outcome.state, &study), one, "{threads} threads");
    }
    let summary = finished(&study).summary(&study);
    assert!(summary.complete);
    for point in &summary.points {
        assert_eq!((point.replicas, point.failed, point.precise), (REPLICAS, 0, None));
        let (chance, time) = (&point.estimates[0], &point.estimates[1]);
        assert_eq!((chance.samples, chance.hits), (REPLICAS, Some(time.samples)));
        assert!(chance.low.unwrap() < 0.25 && 0.25 < chance.high.unwrap(), "{chance:?}");
        assert_eq!(time.convergence.last().unwrap().samples, time.samples);
        assert_eq!(time.spread.as_ref().unwrap().histogram.counts.iter().sum::<u64>(), time.samples);
    }
    assert_ne!(summary.points[0].estimates, summary.points[1].estimates);
}

#[test]
fn the_first_rows_are_kept() {
    let state = finished(&study(40));
    let samples = state.samples(&study(40), 1).unwrap();
    assert_eq!(samples.replicas, (0..24).collect::<Vec<u64>>());
    assert_eq!((samples.inputs[0].len(), samples.values[1].len()), (24, 24));
    assert!(samples.inputs[0].iter().zip(&samples.values[0]).all(|(x, hit)| (*x < 0.25) == (*hit == 1.0)));
    assert!(matches!(state.samples(&study(40), 2), Err(Error::BadIndex { index: 2, len: 2, .. })));
    assert_eq!(finished(&study(20)).samples(&study(20), 0).unwrap().replicas.len(), 20);
}

#[test]
fn shards_give_what_one_run_gives() {
    let study = study(REPLICAS);
    let whole = text(&finished(&study), &study);
    for count in [1, 3, 100] {
        let shard = |number| {
            let options = RunOptions { shard: Some(Shard::new(number, count).unwrap()), ..quick(2) };
            let outcome = run_quietly(&study, &options);
            assert_eq!(outcome.end, End::Complete);
            assert!(!outcome.state.summary(&study).complete);
            (format!("dir{number}"), outcome.state)
        };
        let merged = merge(&study, (1..=count).rev().map(shard).collect()).unwrap();
        assert_eq!(text(&merged, &study), whole, "{count} shards");
        assert_eq!(merged.run.processes, count);
    }
}

#[test]
fn shards_that_do_not_fit_are_refused_by_name() {
    let study = study(REPLICAS);
    let shard = |number: u64, count: u64, replicas: u64| {
        let part = crate::study::testing::study(replicas);
        let options = RunOptions { shard: Some(Shard::new(number, count).unwrap()), ..quick(1) };
        (format!("dir{number}"), run_quietly(&part, &options).state)
    };
    let refusal = |shards: Vec<(String, State)>| match merge(&study, shards) {
        Err(Error::Mismatch { path, detail }) => format!("{path}: {detail}"),
        other => panic!("{other:?}"),
    };
    let [one, two] = [shard(1, 2, REPLICAS), shard(2, 2, REPLICAS)];
    assert_eq!(refusal(vec![one.clone(), one.clone()]), "dir1: it is shard 1/2, as is dir1");
    assert_eq!(refusal(vec![two.clone()]), "dir2: shards are missing: 1/2");
    let third = refusal(vec![one.clone(), two.clone(), shard(3, 3, REPLICAS)]);
    assert_eq!(third, "dir3: it is shard 3/3, but dir1 is one of 2");
    let longer = refusal(vec![one.clone(), shard(2, 2, 2000)]);
    assert_eq!(longer, "dir2: it was run for 2000 replicas, not for 1500");
    let mut other = study_with(REPLICAS, [Behaviour::default(); 2]);
    other.seed = 8;
    let options = RunOptions { shard: Some(Shard::new(2, 2).unwrap()), ..quick(1) };
    let stranger = ("dirX".to_owned(), run_quietly(&other, &options).state);
    assert!(
        refusal(vec![one.clone(), stranger])
            .contains("dirX: it belongs to another study: the seed is 8 there")
    );
    let slow = slow(REPLICAS);
    let part = interrupted(&slow, &RunOptions { shard: Shard::new(2, 2).ok(), ..quick(1) }, 100);
    assert_eq!(part.end, End::Cancelled);
    assert!(refusal(vec![one, ("half".into(), part.state)]).starts_with("half: it is not finished: "));
    assert!(matches!(merge(&study, Vec::new()), Err(Error::WrongLength { .. })));
}

#[test]
fn a_run_goes_on_where_it_was_interrupted() {
    let study = slow(REPLICAS);
    let whole = text(&finished(&study), &study);
    for replicas in [1, 400, 1600] {
        let first = interrupted(&study, &quick(2), replicas);
        assert_eq!(first.end, End::Cancelled, "{replicas}");
        assert!(!first.state.summary(&study).complete);
        let stored = serde_json::from_str(&serde_json::to_string(&first.state).unwrap()).unwrap();
        let options = RunOptions { resume: Some(stored), ..quick(3) };
        let second = run_quietly(&study, &options);
        assert_eq!(second.end, End::Complete);
        assert_eq!(text(&second.state, &study), whole, "interrupted at {replicas}");
        assert_eq!(second.state.run.resumed, 1);
        // A finished run has nothing to add.
        let again = run_quietly(&study, &RunOptions { resume: Some(second.state), ..quick(1) });
        assert_eq!((again.end, text(&again.state, &study)), (End::Complete, whole.clone()));
    }
}

#[test]
fn a_finished_run_goes_on_to_more_replicas() {
    for (before, after) in [(40, 41), (40, 47), (40, 48), (48, 64), (100, REPLICAS), (REPLICAS, 9000)] {
        let (short, long) = (study(before), study(after));
        let options = RunOptions { resume: Some(finished(&short)), ..quick(2) };
        let grown = run_quietly(&long, &options);
        assert_eq!(text(&grown.state, &long), text(&finished(&long), &long), "{before} to {after}");
    }
}

#[test]
fn fewer_replicas_than_there_are_and_other_studies_are_refused() {
    let state = finished(&study(100));
    let refusal = |study: &Study| {
        let options = RunOptions { resume: Some(state.clone()), ..quick(1) };
        match run(study, &options, &mut |_| ControlFlow::Continue(())) {
            Err(Error::Mismatch { detail, .. }) => detail,
            other => panic!("{other:?}"),
        }
    };
    assert!(refusal(&study(99)).contains("has 100 replicas of point 0, more than the 99"));
    let changed = |change: &dyn Fn(&mut Study)| {
        let mut other = study(100);
        change(&mut other);
        refusal(&other)
    };
    assert!(changed(&|study| study.seed = 9).contains("the seed is 7 there and 9 here"));
    assert!(
        changed(&|study| study.text = study.text.replace("0.5", "0.25"))
            .contains("line 3 of the study differs: gas.density is 0.5 there and 0.25 here")
    );
    assert!(
        changed(&|study| study.settings.confidence = 0.9).contains("the confidence is 0.95 there and 0.9")
    );
    assert!(
        changed(&|study| drop(study.points.pop())).contains("the number of points is 2 there and 1 here")
    );
    assert!(
        changed(&|study| study.included.push(("a".into(), "b".into()))).contains("the file a is not part")
    );
    let mut old = state.clone();
    old.identity = serde_json::from_str(
        &serde_json::to_string(&old.identity).unwrap().replace(env!("CARGO_PKG_VERSION"), "0.0.9"),
    )
    .unwrap();
    let options = RunOptions { resume: Some(old), ..quick(1) };
    let refused = run(&study(100), &options, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(refused.contains("the version of carom is 0.0.9"), "{refused}");
    let options = RunOptions { resume: Some(state), shard: Shard::new(1, 2).ok(), ..quick(1) };
    let refused = run(&study(100), &options, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(refused.contains("it is the whole study there and shard 1/2 here"), "{refused}");
}

fn precise(target: Target, most: u64) -> Study {
    let mut study = slow(10);
    study.precision = Some(Precision { target, observable: Some("hit".into()), least: 100, most });
    study
}

#[test]
fn a_precision_is_reached_in_rounds_that_do_not_depend_on_time() {
    let study = precise(Target::Absolute(0.02), 100_000);
    let one = finished(&study);
    let summary = one.summary(&study);
    assert!(summary.complete);
    for point in &summary.points {
        assert_eq!((point.precise, point.replicas % 16), (Some(true), 0));
        // 1.96 sqrt(0.25 0.75 / n) = 0.02 for n = 1801.
        assert!((1600..2600).contains(&point.replicas), "{}", point.replicas);
    }
    let expected = text(&one, &study);
    assert_eq!(text(&run_quietly(&study, &quick(3)).state, &study), expected);
    for replicas in [50, 300, 1200] {
        let first = interrupted(&study, &quick(2), replicas);
        assert_eq!(first.end, End::Cancelled);
        let second = run_quietly(&study, &RunOptions { resume: Some(first.state), ..quick(2) });
        assert_eq!(text(&second.state, &study), expected, "interrupted at {replicas}");
    }
}

#[test]
fn a_precision_out_of_reach_ends_at_the_most() {
    let study = precise(Target::Relative(1e-3), 1003);
    let summary = finished(&study).summary(&study);
    assert!(summary.complete);
    assert!(summary.points.iter().all(|point| (point.precise, point.replicas) == (Some(false), 1003)));
    let options = RunOptions { shard: Shard::new(1, 2).ok(), ..quick(1) };
    let refused = run(&study, &options, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(refused.contains("depends on all shards together"), "{refused}");
}

fn failing(every: u64, share: f64) -> Study {
    let good = Behaviour::default();
    let bad = Behaviour { fails_every: every, ..good };
    let mut study = study_with(4000, [good, bad, bad]);
    study.settings.max_failed = share;
    study
}

#[test]
fn failures_are_counted_and_the_first_are_listed() {
    let study = failing(7, 0.2);
    let one = finished(&study);
    let summary = one.summary(&study);
    let failed: Vec<u64> = summary.points.iter().map(|point| point.failed).collect();
    assert_eq!(failed, [0, 571, 571]);
    let listed: Vec<(u64, u64)> = summary.failures.iter().map(|one| (one.point, one.replica)).collect();
    assert_eq!(listed, (1..=100).map(|n| (1, 7 * n - 1)).collect::<Vec<_>>());
    assert_eq!(summary.failures[0].message, "bad luck with 6");
    assert_eq!(summary.points[1].estimates[0].samples, 4000 - 571);
    assert_eq!(text(&run_quietly(&study, &quick(4)).state, &study), text(&one, &study));
}

#[test]
fn too_many_failures_end_a_study_in_the_same_way() {
    let study = failing(7, 0.1);
    for threads in [1, 2, 5] {
        let outcome = run_quietly(&study, &quick(threads));
        let message = "bad luck with 6".to_owned();
        let expected = Error::TooManyFailures { point: 1, allowed: 400, replicas: 4000, first: 6, message };
        assert_eq!(outcome.end, End::Failed(expected), "{threads} threads");
        assert!(outcome.state.failed() > 400 && !outcome.state.summary(&study).complete);
        assert!(outcome.state.replicas(&study) >= 4000 + 2800);
    }
}

#[test]
fn a_panic_is_a_failure_of_its_batch() {
    let bad = Behaviour { panics_at: Some(100), ..Behaviour::default() };
    let mut study = study_with(400, [bad]);
    study.settings.max_failed = 0.05;
    let summary = finished(&study).summary(&study);
    assert_eq!((summary.points[0].replicas, summary.points[0].failed), (400, 16));
    assert_eq!((summary.failures[0].replica, summary.failures.len()), (96, 16));
    assert!(summary.failures[0].message.ends_with("please report it: a bad batch"));
}

#[test]
fn checkpoints_are_written_and_can_be_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    let study = slow(REPLICAS);
    let options = RunOptions {
        checkpoint: Some(path.clone()),
        checkpoint_interval: Duration::from_millis(1),
        ..quick(2)
    };
    let first = interrupted(&study, &options, 1000);
    assert_eq!((first.end, first.unsaved), (End::Cancelled, None));
    let loaded = State::load(&path).unwrap();
    assert_eq!(loaded.state.replicas(&study), first.state.replicas(&study));
    assert!(path.with_file_name("checkpoint.previous").exists());
    let second = run_quietly(&study, &RunOptions { resume: Some(loaded.state), ..options });
    assert_eq!(text(&second.state, &study), text(&finished(&study), &study));
    assert_eq!(text(&State::load(&path).unwrap().state, &study), text(&second.state, &study));
    let nowhere = RunOptions { checkpoint: Some(directory.path().join("no/checkpoint")), ..quick(1) };
    assert!(matches!(
        run(&study, &nowhere, &mut |_| ControlFlow::Continue(())),
        Err(Error::Io { path, .. }) if path.ends_with("no/checkpoint")
    ));
}

#[test]
fn a_checkpoint_that_fails_on_the_way_is_a_warning_and_nothing_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    let study = slow(600);
    let options = RunOptions { checkpoint: Some(path), checkpoint_interval: Duration::ZERO, ..quick(2) };
    let warnings = RefCell::new(Vec::new());
    let outcome = run(&study, &options, &mut |progress| {
        let _ = std::fs::remove_dir_all(directory.path());
        warnings.borrow_mut().extend(progress.warning.clone());
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(outcome.end, End::Complete);
    assert!(matches!(outcome.unsaved, Some(Error::Io { .. })));
    assert!(warnings.borrow().iter().any(|warning| warning.contains("No such file")), "{warnings:?}");
    assert_eq!(text(&outcome.state, &study), text(&finished(&study), &study));
}

/// Ranks that are threads.
struct Threads {
    rank: usize,
    to: Vec<Sender<(usize, Vec<u8>)>>,
    from: Receiver<(usize, Vec<u8>)>,
    inbox: VecDeque<(usize, Vec<u8>)>,
}

impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, to: usize, bytes: &[u8]) {
        // A rank that has gone needs nothing.
        let _ = self.to[to].send((self.rank, bytes.to_vec()));
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        self.inbox.extend(self.from.try_iter());
        self.inbox.pop_front()
    }

    fn abort(&mut self) {
        panic!("rank {} leaves early", self.rank);
    }
}

fn team(size: usize) -> Vec<Threads> {
    let (to, from): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
    let member = |(rank, from)| Threads { rank, to: to.clone(), from, inbox: VecDeque::new() };
    from.into_iter().enumerate().map(member).collect()
}

/// Runs a study on so many ranks; the others have the study `theirs`.
fn run_on_ranks(
    study: &Study,
    theirs: &Study,
    size: usize,
    options: &RunOptions,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome> {
    let mut members = team(size);
    let others: Vec<Threads> = members.drain(1..).collect();
    scope(|scope| {
        for member in others {
            scope.spawn(move || serve(theirs, 1, &mut Ranks::of(Box::new(member))).unwrap());
        }
        let mut ranks = Ranks::of(Box::new(members.remove(0)));
        run_with_ranks(study, options, &mut ranks, observer)
    })
}

#[test]
fn ranks_give_what_one_process_gives() {
    let go_on = &mut |_: &Progress| ControlFlow::Continue(());
    for study in [study(REPLICAS), precise(Target::Absolute(0.05), 100_000), failing(7, 0.2)] {
        let whole = text(&finished(&study), &study);
        for size in [2, 3] {
            let outcome = run_on_ranks(&study, &study, size, &quick(1), go_on).unwrap();
            assert_eq!((outcome.end, outcome.state.run.processes), (End::Complete, size as u64));
            assert_eq!(text(&outcome.state, &study), whole, "{size} ranks");
        }
    }
    let bad = failing(7, 0.1);
    let expected = run_quietly(&bad, &quick(1)).end;
    assert_eq!(run_on_ranks(&bad, &bad, 3, &quick(2), go_on).unwrap().end, expected);
}

#[test]
fn ranks_stop_together_and_have_one_study() {
    let study = slow(REPLICAS);
    let first = run_on_ranks(&study, &study, 3, &quick(1), &mut |progress| {
        if progress.replicas > 700 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    assert_eq!(first.end, End::Cancelled);
    let second = run_quietly(&study, &RunOptions { resume: Some(first.state), ..quick(2) });
    assert_eq!(text(&second.state, &study), text(&finished(&study), &study));
    let mut other = slow(REPLICAS);
    other.seed = 8;
    let refused = run_on_ranks(&study, &other, 2, &quick(1), &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(
        refused.to_string().contains("the study of rank 1 does not match: the seed is 7 there and 8 here")
    );
}
