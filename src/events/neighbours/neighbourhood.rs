//! Which particles are searched for the next contact of a particle.

use super::{Levels, NeighbourLists, ParticleSlices};
use crate::error::Result;
use crate::events::admission::{self, Overlaps};
use crate::events::predict::RelativeMotion;
use crate::events::state::{Domain, EngineState};

/// The candidates for the next contact.
#[derive(Debug, Clone)]
pub(crate) enum Neighbourhood<const D: usize> {
    /// All particles, again whenever one has travelled this distance in metres: for few particles, or in a periodic box so
    /// short that several images of a particle are within range.
    AllPairs(f64),
    /// The particles on the neighbour list.
    Lists(Box<NeighbourLists<D>>),
    /// The particles near the path, in cells in levels by size: for mixtures and thin gases.
    Levels(Box<Levels>),
}

impl<const D: usize> Neighbourhood<D> {
    pub(crate) fn new(domain: &Domain<D>, slices: ParticleSlices, now: f64) -> Self {
        if Levels::suit(domain, slices, now)
            && let Some(levels) = Levels::new(domain, slices, now)
        {
            return Self::Levels(Box::new(levels));
        }
        match NeighbourLists::new(domain, slices, now) {
            Some(neighbours) => Self::Lists(Box::new(neighbours)),
            None => Self::all_pairs(domain),
        }
    }

    pub(crate) fn all_pairs(domain: &Domain<D>) -> Self {
        Self::AllPairs(0.25 * domain.shortest_period())
    }

    /// Fails with the pairs that overlap, if any.
    pub(crate) fn check_overlaps(&self, domain: &Domain<D>, slices: ParticleSlices, now: f64) -> Result<()> {
        let mut overlaps = Overlaps::default();
        let rows = || (0..slices.flights.len()).filter(|&row| slices.collides(row));
        for i in rows() {
            if admission::overlaps_itself(slices.radii[i], domain) {
                overlaps.add(i, i);
            }
        }
        let mut check = |i: usize, j: usize| {
            if i < j && overlap(domain, slices, i, j) {
                overlaps.add(i, j);
            }
        };
        match self {
            Self::Lists(neighbours) => {
                rows().for_each(|i| neighbours.lists.of(i).iter().for_each(|&j| check(i, j as usize)));
            }
            Self::Levels(levels) => levels.near_pairs(domain, slices, now, &mut check),
            Self::AllPairs(_) => rows().for_each(|i| rows().for_each(|j| check(i, j))),
        }
        overlaps.into_result()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Self::AllPairs(_) => 0,
            Self::Lists(neighbours) => neighbours.memory_bytes(),
            Self::Levels(levels) => levels.memory_bytes(),
        }
    }
}

impl<const D: usize> EngineState<D> {
    /// Fails with the pairs that overlap at the start of the run, if any.
    pub(crate) fn check_overlaps(&self) -> Result<()> {
        let slices = ParticleSlices::new(&self.particles, &self.flights);
        self.neighbourhood.check_overlaps(&self.domain, slices, self.clock.now())
    }
}

/// Whether two particles overlap by more than rounding at the start of a run. Two fixed particles may.
fn overlap<const D: usize>(domain: &Domain<D>, slices: ParticleSlices, i: usize, j: usize) -> bool {
    let (first, second) = (&slices.flights[i], &slices.flights[j]);
    if first.is_fixed() && second.is_fixed() {
        return false;
    }
    let apart = RelativeMotion::new(domain, first, second).nearest_image(domain, 0.0).distance;
    let square = apart.iter().fold(0.0, |sum, d| sum + d * d);
    let coordinate = first.position_time[..D].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let least = admission::least_distance(slices.radii[i] + slices.radii[j], coordinate);
    least > 0.0 && square < least * least
}
