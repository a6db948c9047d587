//! The legs of a run: from row to row of its tables, and to its end.

use super::Limit;

/// A multiple of the interval that is missed by less than this share of it counts as reached.
const SLACK: f64 = 1e-9;
/// Most collisions per leg, so that sinks can show progress and stop the run: well below a second.
const CHUNK: u64 = 50_000;

/// How far a run goes, and where sinks see its state.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// Time of the end, in seconds; may be infinite.
    pub until: f64,
    /// Most collisions, of two particles and with walls; `None` without limit.
    pub collisions: Option<u64>,
    /// What comes between two rows of a table.
    pub pace: Pace,
}

impl Plan {
    /// To this time, in seconds, without rows before the end; infinity if only collisions end the run.
    #[must_use]
    pub fn until(time: f64) -> Self {
        Self { until: time, collisions: None, pace: Pace::Never }
    }

    /// The same, but with at most so many collisions.
    #[must_use]
    pub fn with_collisions(self, collisions: Option<u64>) -> Self {
        Self { collisions, ..self }
    }

    /// The same with rows.
    #[must_use]
    pub fn with_pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }
}

/// What comes between two rows of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Pace {
    /// This many seconds. Rows are the first states at or after multiples of it, so that a run that was interrupted has
    /// the same rows.
    Seconds(f64),
    /// This many collisions.
    Collisions(u64),
    /// Nothing but the end.
    Never,
}

/// The way to the end of a plan.
#[derive(Debug, Clone)]
pub(super) struct Legs {
    plan: Plan,
    /// Collisions to the end; `None` without limit.
    pub(super) left: Option<u64>,
    /// Collisions since the last row.
    since_row: u64,
}

/// Where a leg ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    /// Between two rows.
    Nothing,
    Row,
    End,
}

impl Legs {
    pub(super) fn new(plan: Plan) -> Self {
        Self { plan, left: plan.collisions, since_row: 0 }
    }

    /// How far the next leg, from the time `now` in seconds, may go.
    pub(super) fn next(&self, now: f64) -> Limit {
        let before_row = match self.plan.pace {
            Pace::Collisions(every) => every - self.since_row,
            Pace::Seconds(_) | Pace::Never => u64::MAX,
        };
        Limit::until(self.next_time(now)).or_collisions(CHUNK.min(self.left.unwrap_or(CHUNK)).min(before_row))
    }

    /// Time of the next row or the end, in seconds.
    fn next_time(&self, now: f64) -> f64 {
        match self.plan.pace {
            Pace::Seconds(every) => {
                let next = (now / every + SLACK).floor() + 1.0;
                (next * every).min(self.plan.until)
            }
            Pace::Collisions(_) | Pace::Never => self.plan.until,
        }
    }

    /// Takes note of a leg that had `collisions` collisions, and that reached its limit of time if `in_time`.
    pub(super) fn note(&mut self, leg: &Limit, collisions: u64, in_time: bool) -> Reached {
        self.left = self.left.map(|left| left.saturating_sub(collisions));
        self.since_row += collisions;
        if self.left == Some(0) || (in_time && leg.time >= self.plan.until) {
            return Reached::End;
        }
        if in_time || matches!(self.plan.pace, Pace::Collisions(every) if self.since_row >= every) {
            self.since_row = 0;
            return Reached::Row;
        }
        Reached::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of all rows if nothing ever collides.
    fn times(start: f64, until: f64, every: f64) -> Vec<f64> {
        let mut legs = Legs::new(Plan::until(until).with_pace(Pace::Seconds(every)));
        let (mut now, mut times) = (start, Vec::new());
        loop {
            let leg = legs.next(now);
            now = leg.time;
            times.push(now);
            if legs.note(&leg, 0, true) == Reached::End {
                return times;
            }
        }
    }

    #[test]
    fn rows_are_at_multiples_and_at_the_end() {
        assert_eq!(times(0.0, 1.0, 0.3), [0.3, 0.6, 0.3 * 3.0, 1.0]);
        assert_eq!(times(0.25, 1.0, 0.5), [0.5, 1.0]);
        assert_eq!(times(0.0, 1.0, 2.0), [1.0]);
        assert_eq!(times(0.0, 1.0, 0.01).len(), 100);
    }

    #[test]
    fn a_split_run_has_the_same_rows() {
        let whole = times(0.0, 2.0, 0.01);
        for split in 1..200 {
            let middle = f64::from(split) / 100.0;
            let mut both = times(0.0, middle, 0.01);
            assert_eq!(both.pop(), Some(middle));
            assert_eq!(both, whole[..both.len()]);
            assert_eq!(times(middle, 2.0, 0.01), whole[split as usize..]);
        }
    }

    #[test]
    fn collisions_end_legs_rows_and_the_run() {
        use Reached::{End, Nothing, Row};
        let pace = Pace::Collisions(60_000);
        let mut legs = Legs::new(Plan { until: f64::INFINITY, collisions: Some(130_000), pace });
        let mut seen = Vec::new();
        loop {
            let leg = legs.next(0.0);
            let reached = legs.note(&leg, leg.collisions, false);
            seen.push((leg.collisions, reached));
            if reached == End {
                break;
            }
        }
        assert_eq!(seen, [(50_000, Nothing), (10_000, Row), (50_000, Nothing), (10_000, Row), (10_000, End)]);
    }
}
