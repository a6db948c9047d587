//! Time in epochs, so that long runs keep their precision.

/// World time as the start of an epoch and the time within it.
///
/// All times in the engine count from the start of the epoch, which lasts about as long as a particle takes to cross the
/// box: rounding of a time then displaces a particle by no more than rounding of its position does. Lengths of epochs are
/// powers of two, so that their sums and the change from one to the next are exact (docs/methods/events.md).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Clock {
    /// World time at the start of the epoch, in seconds.
    pub start: f64,
    /// Length of the epoch, in seconds.
    pub length: f64,
    /// Collisions so far in this epoch.
    pub events: u64,
    /// World time, in seconds.
    pub world: f64,
}

/// Longest epoch, in seconds: a few thousand of them reach the largest finite time.
const LONGEST: f64 = 1e305;

impl Clock {
    pub(crate) fn new(world: f64, crossing_time: f64) -> Self {
        Self { start: world, length: power_of_two_above(crossing_time), events: 0, world }
    }

    /// Advances the world time to a collision at this time within the epoch.
    #[inline(always)]
    pub(crate) fn advance_to_collision(&mut self, time: f64) {
        self.world = self.world_at(time).max(self.world);
        self.events += 1;
    }

    /// World time of a time within the epoch.
    #[inline(always)]
    pub(crate) fn world_at(&self, time: f64) -> f64 {
        self.start + time
    }

    /// World time at the end of the epoch.
    pub(crate) fn end(&self) -> f64 {
        self.world_at(self.length)
    }

    /// World time within the epoch.
    pub(crate) fn now(&self) -> f64 {
        self.world - self.start
    }

    /// Begins the next epoch and returns what must be subtracted from all times. An epoch with few collisions is followed by
    /// a longer one, and one with many by a shorter one.
    pub(crate) fn next_epoch(&mut self, particles: usize) -> f64 {
        let passed = self.length;
        self.start += passed;
        let share = self.events / (particles as u64).max(1);
        if share < 2 && self.length < LONGEST {
            self.length *= 2.0;
        } else if share > 4096 && self.length > 1e-250 {
            self.length *= 0.5;
        }
        self.events = 0;
        passed
    }
}

/// The next power of two above a number; 1 if the number is not positive and finite.
fn power_of_two_above(value: f64) -> f64 {
    if !(value > 1e-250 && value < 1e250) {
        return 1.0;
    }
    let exponent = value.to_bits() >> 52;
    f64::from_bits((exponent + 1) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_are_powers_of_two() {
        assert_eq!(power_of_two_above(1.0), 2.0);
        assert_eq!(power_of_two_above(0.3), 0.5);
        assert_eq!(power_of_two_above(100.0), 128.0);
        assert_eq!(power_of_two_above(0.0), 1.0);
        assert_eq!(power_of_two_above(f64::INFINITY), 1.0);
    }

    #[test]
    fn idle_epochs_grow_and_busy_ones_shrink() {
        let mut clock = Clock::new(0.0, 0.3);
        assert_eq!(clock.next_epoch(10), 0.5);
        assert_eq!((clock.start, clock.length), (0.5, 1.0));
        clock.events = 1_000_000;
        assert_eq!(clock.next_epoch(10), 1.0);
        assert_eq!((clock.start, clock.length), (1.5, 0.5));
    }
}
