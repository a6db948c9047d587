//! Inelastic collapse: infinitely many collisions in finite time.

use std::collections::HashMap;

use super::Clock;
use crate::events::settings::EventSettings;

/// Counts collisions between which almost no time passes.
///
/// Collisions of single particles are counted only after the total exceeds the limit for one particle, so that an ordinary
/// run pays one comparison per collision.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CollapseDetector {
    /// Start of the count, in seconds of the epoch.
    pub since: f64,
    /// Collisions since then.
    pub collisions: u64,
    /// Collisions of single particles, once there are more than the limit in total.
    pub of_particle: HashMap<usize, u64>,
}

/// Collisions closer than this fraction of an epoch count as simultaneous: rounding moves times by a few parts in 2^52.
const SIMULTANEOUS: f64 = 1.0 / (1_u64 << 48) as f64;

/// The same for inelastic collisions: a particle at rest on another falls from a height of rounding, 2^-52 of the
/// distances, which takes 2^-26 of the crossing time.
const SIMULTANEOUS_AT_REST: f64 = 1.0 / (1_u64 << 26) as f64;

impl CollapseDetector {
    /// The time in seconds within which collisions count as simultaneous.
    #[inline(always)]
    pub(crate) fn window(clock: &Clock, settings: &EventSettings) -> f64 {
        let share = if settings.is_elastic() { SIMULTANEOUS } else { SIMULTANEOUS_AT_REST };
        share * clock.length
    }

    /// Counts a collision at `time`. Returns whether one of the two particles has had more than `most` of them within as many
    /// windows.
    #[inline(always)]
    pub(crate) fn detects(&mut self, time: f64, window: f64, rows: [usize; 2], most: u64) -> bool {
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
    fn only_simultaneous_collisions_of_one_particle_are_a_collapse() {
        let mut detector = CollapseDetector::default();
        assert!((0..5000).all(|n| !detector.detects(f64::from(n) * 1e-12, 1e-14, [0, 1], 10)));
        assert!((0..5000).all(|n| !detector.detects(1.0, 1e-14, [2 * n, 2 * n + 1], 10)));
        assert!((0..100).any(|_| detector.detects(2.0, 1e-14, [0, 1], 10)));
        assert!((0..100).any(|n| detector.detects(3.0 + f64::from(n) * 1e-9, 1e-8, [0, 1], 10)));
    }
}
