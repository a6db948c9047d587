//! The past of a run: states to return to, and undone changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::matter::{Matter, Snapshot, Start};

/// Most bytes of all snapshots of a run together, and of all changes that can be undone.
const MOST_BYTES: usize = 256 << 20;
/// Most snapshots of a run.
const MOST_SNAPSHOTS: usize = 256;
/// Most changes that can be undone.
const MOST_CHANGES: usize = 200;
/// Time from one snapshot to the next, at first.
const SPACING: Duration = Duration::from_millis(250);
/// A snapshot that took some time is followed by so many times that time without one.
const REST: u32 = 100;

/// A state in the course of a run.
pub(super) struct Moment {
    pub(super) time: f64,
    pub(super) snapshot: Snapshot,
    /// Collisions of each ball up to then.
    pub(super) counts: Vec<u32>,
}

impl Moment {
    pub(super) fn of(matter: &Matter, counts: &[u32]) -> carom::Result<Self> {
        Ok(Self { time: matter.time(), snapshot: matter.snapshot()?, counts: counts.to_vec() })
    }

    fn bytes(&self) -> usize {
        self.snapshot.bytes() + 4 * self.counts.len()
    }
}

/// Snapshots of the present run, in the order of time, and how far it has come.
pub(super) struct History {
    moments: Vec<Moment>,
    pub(super) from: f64,
    pub(super) to: f64,
    spacing: Duration,
    next: Instant,
}

impl History {
    /// Of a run that starts at this time, in seconds.
    pub(super) fn new(from: f64) -> Self {
        Self { moments: Vec::new(), from, to: from, spacing: SPACING, next: Instant::now() + SPACING }
    }

    /// Takes note of the present state, and keeps it now and then.
    pub(super) fn note(&mut self, matter: &Matter, counts: &[u32]) -> carom::Result<()> {
        let time = matter.time();
        self.to = self.to.max(time);
        let now = Instant::now();
        if now < self.next || self.moments.last().is_some_and(|last| time <= last.time) {
            return Ok(());
        }
        self.moments.push(Moment::of(matter, counts)?);
        self.thin();
        self.next = now + self.spacing.max(now.elapsed() * REST);
        Ok(())
    }

    /// Drops every second snapshot if there are too many.
    fn thin(&mut self) {
        let bytes = |moments: &[Moment]| moments.iter().map(Moment::bytes).sum::<usize>();
        while self.moments.len() > 1
            && (self.moments.len() > MOST_SNAPSHOTS || bytes(&self.moments) > MOST_BYTES)
        {
            let mut number = 0;
            self.moments.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.spacing *= 2;
        }
    }

    /// The last state at or before this time, in seconds; `None` if only the start is.
    pub(super) fn before(&self, time: f64) -> Option<&Moment> {
        self.moments[..self.moments.partition_point(|moment| moment.time <= time)].last()
    }
}

/// A run to return to by undo or redo.
pub(super) struct Version {
    pub(super) start: Arc<Start>,
    pub(super) moment: Moment,
    /// How far the run had come, in seconds.
    pub(super) to: f64,
}

/// Versions before and after the present one.
#[derive(Default)]
pub(super) struct Versions {
    pub(super) undo: Vec<Version>,
    pub(super) redo: Vec<Version>,
}

impl Versions {
    /// A change has been made to this version.
    pub(super) fn push(&mut self, version: Version) {
        self.redo.clear();
        self.undo.push(version);
        let bytes = |version: &Version| version.moment.bytes() + version.start.bytes();
        while self.undo.len() > 1
            && (self.undo.len() > MOST_CHANGES || self.undo.iter().map(bytes).sum::<usize>() > MOST_BYTES)
        {
            self.undo.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom::events::Limit;
    use carom::events::scenes::Scene;

    #[test]
    fn snapshots_are_thinned_and_found_by_time() {
        let mut engine = Scene::named("three-balls").unwrap().engine().unwrap();
        let mut history = History::new(0.0);
        for n in 1..=600 {
            engine.run(Limit::until(f64::from(n) * 0.01)).unwrap();
            history.next = Instant::now();
            history.note(&Matter::Balls(engine.clone()), &[1, 2, 3]).unwrap();
        }
        assert!(history.moments.len() <= MOST_SNAPSHOTS && history.moments.len() > MOST_SNAPSHOTS / 4);
        assert!(history.spacing > SPACING && history.to == 6.0);
        assert!(history.before(0.0).is_none());
        let moment = history.before(3.0).unwrap();
        assert!(moment.time <= 3.0 && moment.time > 2.8 && moment.counts == [1, 2, 3]);
        assert_eq!(history.before(100.0).unwrap().time, history.moments.last().unwrap().time);
    }
}
