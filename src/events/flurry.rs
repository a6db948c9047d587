//! Inelastic collapse: collisions without end in no time.

use std::collections::HashMap;

/// Counts collisions between which no time passes.
///
/// Only a flurry as a whole is counted until it has more collisions than one particle may have; so an ordinary run
/// pays one comparison a collision.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Flurry {
    /// When it began, in seconds of the epoch.
    pub since: f64,
    /// Collisions since.
    pub collisions: u64,
    /// Collisions of single particles, once there have been many.
    pub of_particle: HashMap<usize, u64>,
}

/// Share of an epoch within which a collision comes at no time: rounding moves times by a few parts in 2^52.
const NO_TIME: f64 = 1.0 / (1_u64 << 48) as f64;

impl Flurry {
    /// Notes a collision at `time`; whether one of its particles has had more than `most` of them.
    #[inline(always)]
    pub(super) fn collapses(&mut self, time: f64, epoch: f64, rows: [usize; 2], most: u64) -> bool {
        if time - self.since > NO_TIME * epoch * most as f64 {
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
        assert!((0..5000).all(|n| !flurry.collapses(f64::from(n) * 1e-12, 1.0, [0, 1], 10)));
        assert!((0..5000).all(|n| !flurry.collapses(1.0, 1.0, [2 * n, 2 * n + 1], 10)));
        assert!((0..100).any(|_| flurry.collapses(2.0, 1.0, [0, 1], 10)));
    }
}
