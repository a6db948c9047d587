//! How close two bodies come that move uniformly, and when spheres touch, four replicas at a time
//! (docs/methods/contacts.md).

use super::MEASURES;
use crate::contact::{ClosestApproach, Products};
use crate::soa::block::{Doubles, LANES, Mask, Quantity, each};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

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
        level::run(Measure { passage: self, columns, values });
    }
}

/// Measures the passages of all rows.
pub(super) struct Measure<'a, const D: usize> {
    pub(super) passage: &'a Passage<D>,
    /// The inputs.
    pub(super) columns: &'a [Vec<f64>],
    pub(super) values: &'a mut [Vec<f64>; MEASURES],
}

impl<const D: usize> Kernel for Measure<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { passage: Passage { states: [a, b], radii, duration }, columns, values } = self;
        let rows = values[0].len();
        for row in (0..rows).step_by(LANES) {
            let (mut position, mut velocity) = ([S::Block::ZERO; D], [S::Block::ZERO; D]);
            for axis in 0..D {
                position[axis] = difference(&columns[a[0] + axis], &columns[b[0] + axis], row);
                velocity[axis] = difference(&columns[a[1] + axis], &columns[b[1] + axis], row);
            }
            let touch = match radii {
                Some([a, b]) => load::<S::Block>(&columns[*a], row) + load(&columns[*b], row),
                None => S::Block::splat(-1.0),
            };
            let found = passage(position, velocity, touch, S::Block::splat(*duration));
            for (column, found) in values.iter_mut().zip(&found) {
                store(column, row, *found);
            }
        }
    }
}

/// Four rows of the difference of two columns.
#[inline(always)]
fn difference<B: Doubles>(a: &[f64], b: &[f64], row: usize) -> B {
    load::<B>(a, row) - load(b, row)
}

/// Four rows of a column; beyond its end the last one.
#[inline(always)]
fn load<B: Doubles>(column: &[f64], row: usize) -> B {
    match column[row..].first_chunk() {
        Some(rows) => B::new(*rows),
        None => B::new(each!(lane in [0, 1, 2, 3] => column[(row + lane).min(column.len() - 1)])),
    }
}

/// Writes four rows of a column, or as many as it has.
#[inline(always)]
fn store<B: Doubles>(column: &mut [f64], row: usize, numbers: B) {
    let rest = &mut column[row..];
    match rest.first_chunk_mut() {
        Some(rows) => *rows = numbers.to_array(),
        None => {
            let count = rest.len();
            rest.copy_from_slice(&numbers.to_array()[..count]);
        }
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
    let products = Products::new::<D>(
        D,
        #[inline(always)]
        |axis| [position[axis], velocity[axis]],
    );
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
