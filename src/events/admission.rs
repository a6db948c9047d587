//! Which particles a run accepts.

use super::enclosure::{Boundary, Enclosure};
use super::schedule::MOST_ROWS;
use super::state::Domain;
use crate::error::{Error, Result};
use crate::particles::{Field, Particles};
use crate::soa::{Context, memory};

/// Largest coordinate of a particle or a wall and largest radius in metres, and largest velocity in metres per second:
/// squares of products of distance and velocity stay finite.
pub(super) const LARGEST: f64 = 1e75;

/// Number of overlapping pairs that an error lists at most.
const LISTED: usize = 16;

/// Fails if these particles cannot run in this box. Overlaps are checked elsewhere.
pub(super) fn check<const D: usize>(particles: &mut Particles, enclosure: &Enclosure<D>) -> Result<()> {
    const { assert!(D >= 1 && D <= 3, "the engine runs in 1, 2 and 3 dimensions") };
    if particles.dim() != D {
        let expected = "that of the box";
        return Err(Error::BadDimension { found: particles.dim(), expected });
    }
    if particles.len() >= MOST_ROWS {
        return Err(Error::OutOfMemory { bytes: usize::MAX });
    }
    expect_room(particles.len())?;
    enclosure.check()?;
    check_magnitudes(particles)?;
    free_of_forces(particles)?;
    (0..D).try_for_each(|axis| inside(particles, enclosure, axis))
}

/// Bytes per particle of flights, predictions, queue and lists of neighbours when a run starts, rounded up.
const ROOM_PER_PARTICLE: usize = 2048;

/// Fails if there is no memory for a run of so many particles. That of few is not worth the check.
pub(super) fn expect_room(particles: usize) -> Result<()> {
    const FEW: usize = 1000;
    if particles > FEW { memory::expect_room(particles.saturating_mul(ROOM_PER_PARTICLE)) } else { Ok(()) }
}

/// Fails if positions, velocities or radii are not finite or above [`LARGEST`].
pub(super) fn check_magnitudes(particles: &mut Particles) -> Result<()> {
    let largest = particles.check(&Context::serial())?;
    for (field, magnitude) in
        [("position", largest.position), ("velocity", largest.velocity), ("radius", largest.radius)]
    {
        if magnitude > LARGEST {
            return Err(Error::Overflow { field, index: None, magnitude });
        }
    }
    Ok(())
}

/// Fails for particles with drag or accelerations of their own: times of contact are computed for free flight and uniform
/// gravity only.
fn free_of_forces(particles: &Particles) -> Result<()> {
    let expected = "0 in an event-driven run";
    for field in [Field::Drag, Field::Acceleration] {
        let values = particles.columns(field).iter().flat_map(|column| column.as_slice());
        if let Some(&value) = values.into_iter().find(|&&value| value != 0.0) {
            return Err(Error::OutOfRange { field: field.name(), value, expected });
        }
    }
    Ok(())
}

fn inside<const D: usize>(particles: &Particles, enclosure: &Enclosure<D>, axis: usize) -> Result<()> {
    if enclosure.is(axis, Boundary::Open) {
        return Ok(());
    }
    let (lower, upper) = (enclosure.lower[axis], enclosure.upper[axis]);
    let slack = rounding(lower.abs().max(upper.abs()));
    let coordinates = particles.column(Field::Position, axis)?;
    for (index, (&x, &radius)) in coordinates.iter().zip(particles.radii()).enumerate() {
        // A fixed ball may be part of a wall.
        let bounces = enclosure.is(axis, Boundary::Reflecting) && !particles.is_fixed(index)?;
        let room = if bounces { radius } else { 0.0 };
        if x - lower < room - slack || upper - x < room - slack {
            return Err(Error::OutsideBox { index, axis });
        }
    }
    Ok(())
}

/// Bound on the rounding of a coordinate of this magnitude.
fn rounding(magnitude: f64) -> f64 {
    8.0 * f64::EPSILON * magnitude
}

/// The smallest distance of two particles that do not overlap by more than rounding.
pub(super) fn least_distance(contact_distance: f64, coordinate: f64) -> f64 {
    contact_distance - 1e-12 * contact_distance - rounding(coordinate)
}

/// Whether a particle reaches into its own periodic image by more than rounding.
pub(super) fn overlaps_itself<const D: usize>(radius: f64, domain: &Domain<D>) -> bool {
    2.0 * radius > domain.shortest_period() * (1.0 + 1e-12)
}

/// Collects pairs that overlap.
#[derive(Debug, Default)]
pub(super) struct Overlaps {
    pairs: Vec<[usize; 2]>,
    total: usize,
}

impl Overlaps {
    pub(super) fn add(&mut self, i: usize, j: usize) {
        self.total += 1;
        let pair = [i.min(j), i.max(j)];
        let at = self.pairs.partition_point(|known| *known < pair);
        if at < LISTED {
            self.pairs.truncate(LISTED - 1);
            self.pairs.insert(at, pair);
        }
    }

    pub(super) fn into_result(self) -> Result<()> {
        if self.total == 0 { Ok(()) } else { Err(Error::Overlap { pairs: self.pairs, total: self.total }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_overlaps_are_listed_in_order() {
        let mut overlaps = Overlaps::default();
        (0..40).rev().for_each(|i| overlaps.add(i + 1, i));
        let Err(Error::Overlap { pairs, total }) = overlaps.into_result() else { panic!("overlaps") };
        assert_eq!(total, 40);
        assert_eq!(pairs, (0..16).map(|i| [i, i + 1]).collect::<Vec<_>>());
    }
}
