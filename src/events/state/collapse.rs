//! Inelastic collapse: collisions without end in no time.

use std::collections::HashMap;

use crate::events::settings::EventSettings;
use crate::events::state::clock::Clock;

/// Counts collisions between which no time passes.
///
/// Only a flurry as a whole is counted until it has more collisions than one particle may have; so an ordinary run
/// pays one comparison a collision.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Flurry {
    /// When it began, in seconds of the epoch.
    pub since: f64,
    /// Collisions since.
    pub collisions: u64,
    /// Collisions of single particles, once there have been many.
    pub of_particle: HashMap<usize, u64>,
}

/// Share of an epoch within which a collision comes at no time: rounding moves times by a few parts in 2^52.
const NO_TIME: f64 = 1.0 / (1_u64 << 48) as f64;

/// The same where collisions take energy: what has come to rest on another falls from heights of rounding, 2^-52 of its
/// distances, which takes 2^-26 of its times.
const NO_TIME_AT_REST: f64 = 1.0 / (1_u64 << 26) as f64;

impl Flurry {
    /// The time, in seconds, within which collisions come at no time.
    #[inline(always)]
    pub(crate) fn window(clock: &Clock, settings: &EventSettings) -> f64 {
        let share = if settings.is_elastic() { NO_TIME } else { NO_TIME_AT_REST };
        share * clock.length
    }

    /// Notes a collision at `time`; whether one of its particles has had more than `most` of them within as many
    /// `window`s.
    #[inline(always)]
    pub(crate) fn collapses(&mut self, time: f64, window: f64, rows: [usize; 2], most: u64) -> bool {
        if time - self.since > window * most as f64 {
            self.since = time;
            self.collisions = 0;
            return false;
        }
        self.collisions += 1;
        self.collisions > most && self.count(rows, most)
    }

    #[cold]
    fn count(&mut self, rows: [usize; 2], most: u64) -> bool {
        if self.collisions == most + 1 {
            self.of_particle.clear();
        }
        let mut worst = 0;
        for row in rows {
            let count = self.of_particle.entry(row).or_insert(0);
            *count += 1;
            worst = worst.max(*count);
        }
        worst > most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_particle_in_no_time_collapses() {
        let mut flurry = Flurry::default();
        assert!((0..5000).all(|n| !flurry.collapses(f64::from(n) * 1e-12, 1e-14, [0, 1], 10)));
        assert!((0..5000).all(|n| !flurry.collapses(1.0, 1e-14, [2 * n, 2 * n + 1], 10)));
        assert!((0..100).any(|_| flurry.collapses(2.0, 1e-14, [0, 1], 10)));
        assert!((0..100).any(|n| flurry.collapses(3.0 + f64::from(n) * 1e-9, 1e-8, [0, 1], 10)));
    }
}
