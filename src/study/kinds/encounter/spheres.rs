//! How close two bodies come that move uniformly, and when spheres touch, four replicas at a time
//! (docs/methods/contacts.md).

use super::MEASURES;
use crate::contact::{ClosestApproach, Products};
use crate::soa::block::{Mask, Quantity};
use crate::soa::lanes::{Block, LANES, each, splat};

/// Two bodies of each replica.
pub(super) struct Passage<const D: usize> {
    /// First columns of the positions and of the velocities.
    pub(super) states: [[usize; 2]; 2],
    /// The columns of the radii; without them nothing hits.
    pub(super) radii: Option<[usize; 2]>,
    /// In seconds.
    pub(super) duration: f64,
}

impl<const D: usize> Passage<D> {
    /// Fills the columns of hits, miss distances, closest times and first contacts; NaN for contacts that do not happen.
    pub(super) fn measure(&self, columns: &[Vec<f64>], values: &mut [Vec<f64>; MEASURES]) {
        let rows = values[0].len();
        let difference = |part: usize, axis: usize, row: usize| {
            let [a, b] = self.states;
            load(&columns[a[part] + axis], row) - load(&columns[b[part] + axis], row)
        };
        for row in (0..rows).step_by(LANES) {
            let (mut position, mut velocity) = ([Block::ZERO; D], [Block::ZERO; D]);
            for axis in 0..D {
                (position[axis], velocity[axis]) = (difference(0, axis, row), difference(1, axis, row));
            }
            let touch =
                self.radii.map_or(splat(-1.0), |[a, b]| load(&columns[a], row) + load(&columns[b], row));
            let found = passage(position, velocity, touch, splat(self.duration));
            let count = LANES.min(rows - row);
            for (column, found) in values.iter_mut().zip(found) {
                column[row..row + count].copy_from_slice(&found.as_array()[..count]);
            }
        }
    }
}

/// Four rows of a column; beyond its end the last one.
#[inline(always)]
fn load(column: &[f64], row: usize) -> Block {
    match column[row..].first_chunk() {
        Some(rows) => Block::new(*rows),
        None => Block::new(each!(lane in [0, 1, 2, 3] => column[(row + lane).min(column.len() - 1)])),
    }
}

/// Hit, miss distance, closest time and first contact, of one replica or of one per lane. Bodies that overlap at time 0 hit
/// then, even if they separate.
#[inline(always)]
pub(super) fn passage<N: Quantity, const D: usize>(
    position: [N; D],
    velocity: [N; D],
    touch: N,
    duration: N,
) -> [N; MEASURES] {
    let products = Products::new::<D>(D, |axis| [position[axis], velocity[axis]]);
    let closest = ClosestApproach::new(&products, &position, &velocity, duration);
    let contact = products.contact(touch * touch);
    let overlaps = products.dd.le(touch * touch);
    let hit = N::ZERO.le(touch) & (overlaps | (contact.happens & contact.time.le(duration)));
    let first_contact = overlaps.select(N::ZERO, contact.time);
    [
        hit.select(N::splat(1.0), N::ZERO),
        closest.distance,
        closest.time,
        hit.select(first_contact, N::splat(f64::NAN)),
    ]
}
