//! Loads of memory into the cache for the events that come next.

use super::TargetKind;
use crate::events::neighbours::{Candidates, Levels, NeighbourLists, Neighbourhood};
use crate::events::state::EngineState;
use crate::soa::prefetch;

/// The state of fewer particles stays in the cache without prefetching.
pub(crate) const PREFETCH_FROM: usize = 4096;

/// Number of particles from which prefetching cells and the lists of neighbours pays for its instructions.
const PREFETCH_CELLS_FROM: usize = 32_768;

impl<const D: usize> EngineState<D> {
    /// Prefetches in three stages, eight, four and two events ahead, because each needs the memory of the one before.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        if self.flights.len() < PREFETCH_FROM {
            return;
        }
        let neighbours = match &self.neighbourhood {
            Neighbourhood::Lists(neighbours) => neighbours,
            Neighbourhood::Levels(levels) => return self.prefetch_ahead(levels),
            Neighbourhood::AllPairs(_) => return,
        };
        let many = self.flights.len() >= PREFETCH_CELLS_FROM;
        if let Some(entry) = self.queue.peek(8) {
            let row = entry.row as usize;
            prefetch::near(&self.flights, row);
            prefetch::near(&self.plans, row);
            neighbours.prefetch(row);
            if let Some(other) = entry.target.row() {
                prefetch::near(&self.flights, other);
                prefetch::near(&self.plans, other);
                neighbours.prefetch(other);
            }
        }
        if let Some(entry) = self.queue.peek(4) {
            neighbours.lists.prefetch(entry.row as usize);
            match entry.target.kind() {
                TargetKind::Ball(other) => neighbours.lists.prefetch(other),
                TargetKind::NeighbourUpdate if many => neighbours.prefetch_cells(entry.row as usize),
                TargetKind::NeighbourUpdate | TargetKind::Wall(_) => (),
            }
        }
        if let Some(entry) = self.queue.peek(2) {
            match entry.target.kind() {
                TargetKind::Ball(other) => {
                    self.prefetch_flights(neighbours, entry.row as usize);
                    self.prefetch_flights(neighbours, other);
                }
                TargetKind::Wall(_) => self.prefetch_flights(neighbours, entry.row as usize),
                TargetKind::NeighbourUpdate if many => neighbours.prefetch_lists(entry.row as usize),
                TargetKind::NeighbourUpdate => (),
            }
        }
    }

    /// Prefetches the flights of what searches have found.
    #[inline(always)]
    pub(crate) fn prefetch_found(&self, found: &[Candidates]) {
        if self.flights.len() < PREFETCH_FROM {
            return;
        }
        for found in found {
            for &other in found.few() {
                prefetch::near(&self.flights, other as usize);
            }
        }
    }

    /// Prefetches flights, plans and places in cells eight events ahead, and sizes and masses where they differ.
    #[inline(always)]
    fn prefetch_ahead(&self, levels: &Levels) {
        let Some(entry) = self.queue.peek(8) else { return };
        for row in [Some(entry.row as usize), entry.target.row()].into_iter().flatten() {
            prefetch::near(&self.flights, row);
            prefetch::near(&self.plans, row);
            levels.prefetch(row);
            if self.uniform.radius_and_mass.is_none() {
                prefetch::near(self.particles.radii(), row);
                prefetch::near(self.masses(), row);
            }
        }
    }

    /// Prefetches the flights of all neighbours of a particle.
    #[inline(always)]
    fn prefetch_flights(&self, neighbours: &NeighbourLists<D>, row: usize) {
        for &other in neighbours.lists.of(row) {
            prefetch::near(&self.flights, other as usize);
        }
    }
}
