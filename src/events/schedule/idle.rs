//! Long stretches without collisions: neighbour lists of another length, or the end of the run.

use crate::events::enclosure::Boundary;
use crate::events::neighbours::{NeighbourLists, Neighbourhood, ParticleSlices};
use crate::events::predict::{RelativeMotion, next_wall};
use crate::events::state::EngineState;
use crate::soa::level;

/// Counts neighbour updates between which no collision comes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct IdleDetector {
    /// Neighbour updates since the last collision.
    pub updates: u64,
    /// Neighbour updates until the next check.
    until_check: u64,
    /// Whether no collision will ever come.
    pub forever: bool,
}

impl<const D: usize> EngineState<D> {
    /// Counts a neighbour update; at long intervals checks the length of the lists and whether collisions are ahead.
    #[inline(always)]
    pub(crate) fn check_after_update(&mut self, now: f64) {
        if self.idle.until_check == 0 {
            self.check_progress(now);
        }
        self.idle.until_check -= 1;
    }

    #[cold]
    fn check_progress(&mut self, now: f64) {
        let rows = self.flights.len() as u64;
        self.idle.until_check = 8 * rows + 1000;
        if self.idle.updates > (rows * rows / 64).max(16 * rows) {
            self.idle.updates = 0;
            return self.skip_idle_time(now);
        }
        let slices = ParticleSlices::new(&self.particles, &self.flights);
        let neighbours = match &self.neighbourhood {
            Neighbourhood::Lists(neighbours) => neighbours,
            Neighbourhood::Levels(levels) => {
                // Where an axis is open the density changes, elsewhere the speeds, and with them the best margins.
                let open = self.domain.enclosure.boundaries.contains(&Boundary::Open);
                if open || levels.are_outdated(&self.domain, slices, now) {
                    self.neighbourhood = Neighbourhood::new(&self.domain, slices, now);
                    self.schedule_all(now);
                }
                return;
            }
            Neighbourhood::AllPairs(_) => return,
        };
        let better = neighbours.better_margin();
        let tuned = better.and_then(|margin| NeighbourLists::with_margin(&self.domain, slices, now, margin));
        if let Some(neighbours) = tuned {
            self.neighbourhood = Neighbourhood::Lists(Box::new(neighbours));
            self.schedule_all(now);
        }
    }

    /// Finds the time of the next collision among all pairs, and builds the neighbour lists for that time.
    ///
    /// Particles that fly nearly side by side may take very long to collide, and fast ones would need neighbour updates all
    /// the time until then.
    fn skip_idle_time(&mut self, now: f64) {
        if self.domain.shortest_period() < f64::INFINITY {
            self.idle.forever = self.no_collision_ahead(now);
            return;
        }
        let next = self.next_collision_time(now);
        self.idle.forever = next == f64::INFINITY;
        if next < f64::INFINITY {
            let slices = ParticleSlices::new(&self.particles, &self.flights);
            self.neighbourhood = Neighbourhood::new(&self.domain, slices, next);
            self.schedule_all(next);
        }
    }

    /// The time of the next collision where no axis is periodic, in seconds of the epoch; infinite if there is none.
    fn next_collision_time(&self, now: f64) -> f64 {
        let next = |row: usize| {
            let wall = self.predict_wall(row);
            if self.is_tracer(row) || self.flights[row].is_fixed() {
                return wall.time;
            }
            level::run(self.contacts_with_all(row, now, f64::INFINITY, wall)).time
        };
        (0..self.flights.len()).map(next).fold(f64::INFINITY, f64::min)
    }

    /// Whether it is certain that no collision will come, of particles or with walls, in a periodic box.
    fn no_collision_ahead(&self, now: f64) -> bool {
        let rows = || 0..self.flights.len();
        rows().all(|row| {
            let flight = &self.flights[row];
            let wall = next_wall(&self.domain, flight, self.radius(row)).0;
            let others = || rows().filter(|&other| other != row && !self.is_tracer(other));
            let alone = self.is_tracer(row)
                || flight.is_fixed()
                || others().all(|other| self.never_collide(row, other, now));
            wall == f64::INFINITY && alone
        })
    }

    /// Whether it is certain that two particles without wall contacts never collide, nor any of their periodic images: they
    /// are at rest relative to each other, or stay too far apart along an axis.
    fn never_collide(&self, row: usize, other: usize, now: f64) -> bool {
        let relative = RelativeMotion::new(&self.domain, &self.flights[row], &self.flights[other]);
        let relative = relative.nearest_image(&self.domain, now);
        let contact_distance = (self.radius(row) + self.radius(other)) * (1.0 + 1e-9);
        let stays_apart = |axis: usize| {
            let distance = relative.distance_at(axis, now);
            let changes = [relative.velocity_at(axis, now), relative.acceleration(axis)];
            let rests = changes == [0.0; 2];
            let grows = changes.iter().all(|&change| change == 0.0 || (change > 0.0) == (distance > 0.0));
            distance.abs() > contact_distance && (rests || grows && self.domain.period[axis] == 0.0)
        };
        relative.fall == 0.0 && relative.velocity == [0.0; D] || (0..D).any(stays_apart)
    }
}
