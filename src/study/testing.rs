//! A model for tests: every value is a hash of the point and the replica.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::distribution::Distribution;
use super::file::{Point, Study};
use super::inputs::Inputs;
use super::model::{BatchColumns, Declaration, Failure, Model, Observable, ObservableKind, Replay, Worker};
use super::runner::{End, RunOptions, run};
use super::state::State;
use super::statistics::Settings;
use super::summary::Reference;
use crate::error::{Error, Result};

/// What a hash model does besides giving values.
#[derive(Clone, Copy, Default)]
pub(super) struct Behaviour {
    /// Every so manyth replica fails; 0: none.
    pub(super) fails_every: u64,
    /// The batch with this replica panics.
    pub(super) panics_at: Option<u64>,
    /// How long a batch takes.
    pub(super) pause: Duration,
}

struct Hashes {
    declaration: Declaration,
    behaviour: Behaviour,
}

const BATCH: u64 = 16;

impl Hashes {
    fn new(behaviour: Behaviour) -> Self {
        let observable = |name: &str, kind| Observable {
            name: name.into(),
            unit: String::new(),
            description: String::new(),
            kind,
        };
        let observables =
            vec![observable("hit", ObservableKind::Chance), observable("time", ObservableKind::Quantity)];
        let mut inputs = Inputs::new();
        inputs.number("x", "m", Distribution::Uniform { low: 0.0, high: 1.0 });
        Self { declaration: Declaration { observables, inputs, batch: BATCH }, behaviour }
    }
}

impl Model for Hashes {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn reference(&self, observable: usize) -> Option<Reference> {
        (observable == 0).then(|| Reference { name: "exact".into(), value: 0.25 })
    }

    fn worker(&self, seed: u64, point: u64) -> Box<dyn Worker + '_> {
        Box::new(Hasher { behaviour: self.behaviour, seed, point })
    }
}

struct Hasher {
    behaviour: Behaviour,
    seed: u64,
    point: u64,
}

impl Hasher {
    /// Uniform from 0 to 1.
    fn value(&self, replica: u64) -> f64 {
        let mut z = (self.seed << 40) ^ (self.point << 32) ^ replica.wrapping_add(1);
        z = z.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Worker for Hasher {
    fn replay(&mut self, _replica: u64) -> Result<Replay> {
        Err(Error::BadIndex { field: "replica", index: 0, len: 0 })
    }

    fn run(&mut self, range: Range<u64>, cancel: &AtomicBool, block: &mut BatchColumns) -> bool {
        std::thread::sleep(self.behaviour.pause);
        assert!(self.behaviour.panics_at.is_none_or(|replica| !range.contains(&replica)), "a bad batch");
        block.reset(1, 2, (range.end - range.start) as usize);
        for (row, replica) in range.enumerate() {
            let x = self.value(replica);
            block.inputs[0][row] = x;
            let is_hit = x < 0.25;
            block.values[0][row] = f64::from(u8::from(is_hit));
            block.values[1][row] = if is_hit { x / 3.0 } else { f64::NAN };
            if self.behaviour.fails_every > 0 && (replica + 1).is_multiple_of(self.behaviour.fails_every) {
                block.values.iter_mut().for_each(|column| column[row] = f64::NAN);
                block.failures.push(Failure { replica, message: format!("bad luck with {replica}") });
            }
        }
        !cancel.load(Ordering::Relaxed)
    }
}

/// What some replicas of a model give.
pub(super) fn batch(model: &dyn Model, seed: u64, point: u64, range: Range<u64>) -> BatchColumns {
    let mut columns = BatchColumns::default();
    assert!(model.worker(seed, point).run(range, &AtomicBool::new(false), &mut columns));
    columns
}

/// A study of two points with batches of 16 replicas.
pub(super) fn study(replicas: u64) -> Study {
    study_with(replicas, [Behaviour::default(); 2])
}

/// A study of points that behave in these ways.
pub(super) fn study_with<const N: usize>(replicas: u64, behaviour: [Behaviour; N]) -> Study {
    let point = |(number, behaviour): (usize, Behaviour)| Point {
        parameters: vec![number as f64],
        model: Box::new(Hashes::new(behaviour)),
    };
    Study {
        name: "hashes".into(),
        description: String::new(),
        kind: "test".into(),
        text: format!("replicas = {replicas}\n[gas]\ndensity = 0.5\n"),
        seed: 7,
        replicas,
        precision: None,
        axes: Vec::new(),
        settings: Settings { keep: 24, ..Settings::default() },
        points: behaviour.into_iter().enumerate().map(point).collect(),
        included: Vec::new(),
    }
}

/// Runs a study to its end.
pub(super) fn finished(study: &Study) -> State {
    let options = RunOptions { threads: 1, ..RunOptions::default() };
    let outcome = run(study, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(outcome.end, End::Complete);
    outcome.state
}

/// The summary as it is written, but for where and how long it ran.
pub(super) fn text(state: &State, study: &Study) -> String {
    let mut summary = state.summary(study);
    summary.run = super::RunRecord::default();
    serde_json::to_string_pretty(&summary).unwrap()
}
