//! Whom a particle looks at to find its next partner.

use crate::error::Result;
use crate::events::admission::{self, Overlaps};
use crate::events::neighbours::neighbour_lists::{Crowd, Neighbours};
use crate::events::predict::pair::Relative;
use crate::events::state::domain::Space;

/// Whom particles look at.
#[derive(Debug, Clone)]
pub(crate) enum Surroundings<const D: usize> {
    /// At everyone, again whenever they have flown this far, in metres: in few numbers, or in a periodic box so tight
    /// that several images of a particle are near.
    Everyone(f64),
    /// At their neighbours.
    Near(Box<Neighbours<D>>),
}

impl<const D: usize> Surroundings<D> {
    pub(crate) fn new(space: &Space<D>, crowd: Crowd, now: f64) -> Self {
        match Neighbours::new(space, crowd, now) {
            Some(neighbours) => Self::Near(Box::new(neighbours)),
            None => Self::everyone(space),
        }
    }

    pub(crate) fn everyone(space: &Space<D>) -> Self {
        Self::Everyone(0.25 * space.shortest_period())
    }

    /// Says which pairs overlap, if any.
    pub(crate) fn check_overlaps(&self, space: &Space<D>, crowd: Crowd) -> Result<()> {
        let mut overlaps = Overlaps::default();
        let rows = || (0..crowd.records.len()).filter(|&row| crowd.collides(row));
        for i in rows() {
            if 2.0 * crowd.radii[i] > space.shortest_period() * (1.0 + 1e-12) {
                overlaps.add(i, i);
            }
        }
        let mut check = |i: usize, j: usize| {
            if i < j && overlap(space, crowd, i, j) {
                overlaps.add(i, j);
            }
        };
        match self {
            Self::Near(near) => {
                rows().for_each(|i| near.lists.of(i).iter().for_each(|&j| check(i, j as usize)));
            }
            Self::Everyone(_) => rows().for_each(|i| rows().for_each(|j| check(i, j))),
        }
        overlaps.into_result()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Self::Everyone(_) => 0,
            Self::Near(near) => near.memory_bytes(),
        }
    }
}

/// Whether two particles, at the start of a run, overlap by more than rounding. Two fixed ones may.
fn overlap<const D: usize>(space: &Space<D>, crowd: Crowd, i: usize, j: usize) -> bool {
    let (first, second) = (&crowd.records[i], &crowd.records[j]);
    if first.is_fixed() && second.is_fixed() {
        return false;
    }
    let apart = Relative::new(space, first, second).nearest(space, 0.0).distance;
    let square = apart.iter().fold(0.0, |sum, d| sum + d * d);
    let coordinate = first.place[..D].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let least = admission::least_distance(crowd.radii[i] + crowd.radii[j], coordinate);
    least > 0.0 && square < least * least
}
