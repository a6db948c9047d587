//! When the time steps of a run end: without drift, and the last one exactly at the end of the run.

use crate::error::{Error, Result};

/// A multiple of the step that is missed by less than this share of a step counts as reached.
pub(super) const SLACK: f64 = 1e-9;
/// The most steps of a run: beyond it their number is not exact.
const MOST_STEPS: f64 = 1e15;

/// The end times of the steps.
///
/// Times are multiples of the step, not sums of it, so that errors do not add up. If the start is itself a multiple of
/// the step, the multiples are counted from time 0: a run that was split goes through the same times.
#[derive(Debug, Clone)]
pub(super) struct StepTimes {
    /// Time from which the multiples are counted, in seconds.
    origin: f64,
    /// How many steps the start lies after the origin.
    first: f64,
    /// Length of a step, in seconds.
    pub(super) dt: f64,
    /// Time at which the run ends, in seconds.
    pub(super) until: f64,
    whole: u64,
    /// Length of a last, shorter step, in seconds; 0 if there is none.
    rest: f64,
}

impl StepTimes {
    /// Steps of `dt` from `start` to `until`, in seconds.
    pub(super) fn new(start: f64, until: f64, dt: f64) -> Result<Self> {
        if until < start {
            let expected = "at or after the time of the world";
            return Err(Error::OutOfRange { field: "until", value: until, expected });
        }
        let steps = (until - start) / dt;
        if steps.is_nan() || steps > MOST_STEPS {
            let expected = "large enough for at most 10^15 steps to the end";
            return Err(Error::OutOfRange { field: "dt", value: dt, expected });
        }
        let multiple = (start / dt).round();
        // A start that is short against the step is no multiple of it but 0 itself.
        let is_multiple = (start / dt - multiple).abs() <= SLACK && (multiple != 0.0 || start == 0.0);
        let (origin, first) = if is_multiple { (0.0, multiple) } else { (start, 0.0) };
        let whole = (steps + SLACK).floor();
        let mut times = Self { origin, first, dt, until, whole: whole as u64, rest: 0.0 };
        if steps - whole > SLACK || (whole == 0.0 && until > start) {
            times.rest = (until - times.multiple(times.whole)).max(0.0);
        }
        Ok(times)
    }

    /// Number of steps.
    pub(super) fn count(&self) -> u64 {
        self.whole + u64::from(self.rest > 0.0)
    }

    /// Length of step `n`, counted from 1, in seconds.
    pub(super) fn length(&self, n: u64) -> f64 {
        if n > self.whole { self.rest } else { self.dt }
    }

    /// Time at the end of step `n`, counted from 1, in seconds.
    pub(super) fn end(&self, n: u64) -> f64 {
        if n == self.count() { self.until } else { self.multiple(n) }
    }

    fn multiple(&self, n: u64) -> f64 {
        self.origin + (self.first + n as f64) * self.dt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(start: f64, until: f64, dt: f64) -> StepTimes {
        StepTimes::new(start, until, dt).unwrap()
    }

    #[test]
    fn whole_steps_end_at_multiples_and_at_the_end() {
        let steps = times(0.0, 1.0, 0.01);
        assert_eq!(steps.count(), 100);
        assert_eq!((steps.end(57), steps.end(100)), (57.0 * 0.01, 1.0));
        assert!((1..=100).all(|n| steps.length(n) == 0.01));
    }

    #[test]
    fn the_last_step_is_shortened() {
        let steps = times(0.0, 1.0, 0.3);
        assert_eq!(steps.count(), 4);
        assert_eq!(steps.length(3), 0.3);
        assert!((steps.length(4) - 0.1).abs() < 1e-15);
        assert_eq!(steps.end(4), 1.0);
    }

    #[test]
    fn a_split_run_goes_through_the_same_times() {
        let whole = times(0.0, 2.0, 0.01);
        for split in 1..200 {
            let second = times(times(0.0, whole.end(split), 0.01).end(split), 2.0, 0.01);
            assert_eq!(second.count(), 200 - split);
            assert!((1..=200 - split).all(|n| second.end(n) == whole.end(split + n)));
        }
    }

    #[test]
    fn a_start_between_multiples_counts_from_there() {
        let steps = times(0.005, 0.025, 0.01);
        assert_eq!((steps.count(), steps.end(1), steps.end(2)), (2, 0.015, 0.025));
    }

    #[test]
    fn a_run_that_is_short_against_its_step_is_one_step() {
        for (start, until) in [(0.0, 1e-3), (500.0, 600.0), (43_519.0, 43_619.25)] {
            let steps = times(start, until, 1e12);
            assert_eq!((steps.count(), steps.length(1), steps.end(1)), (1, until - start, until));
        }
    }

    #[test]
    fn empty_backward_and_endless_runs() {
        assert_eq!(times(1.0, 1.0, 0.01).count(), 0);
        assert!(StepTimes::new(1.0, 0.5, 0.01).is_err());
        assert!(StepTimes::new(0.0, 1.0, 1e-300).is_err());
        assert!(StepTimes::new(-f64::MAX, f64::MAX, 1.0).is_err());
    }
}
