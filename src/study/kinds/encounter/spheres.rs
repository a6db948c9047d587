//! How close two bodies come that move straight on, and when spheres touch, four replicas at once.

use super::MEASURES;
use crate::soa::lanes::{self, Block, LANES, each, splat};

/// Two bodies of each replica.
pub(super) struct Passage<const D: usize> {
    /// First columns of the positions and of the velocities.
    pub(super) states: [[usize; 2]; 2],
    /// The columns of the radii; without them there are no hits.
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
            let mut products = [Block::ZERO; 3];
            let (mut offset, mut velocity) = ([Block::ZERO; D], [Block::ZERO; D]);
            for axis in 0..D {
                (offset[axis], velocity[axis]) = (difference(0, axis, row), difference(1, axis, row));
                let (d, w) = (offset[axis], velocity[axis]);
                products = [products[0] + w * w, products[1] + d * w, products[2] + d * d];
            }
            let touch =
                self.radii.map_or(splat(-1.0), |[a, b]| load(&columns[a], row) + load(&columns[b], row));
            let found = passages(&offset, &velocity, products, touch, splat(self.duration));
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

/// Hits, miss distances, closest times and first contacts. Products are `|w|^2`, `d.w` and `|d|^2` of the relative
/// position d at time 0 and the relative velocity w.
///
/// The discriminant (docs/methods/contacts.md) is `|w|^2 (r^2 - m^2)` with the distance m at the closest approach, unless it lies in
/// the past: computed so, large distances do not cancel. The time of contact is then found without cancellation as there.
#[inline(always)]
fn passages<const D: usize>(
    offset: &[Block; D],
    velocity: &[Block; D],
    [a, b, square]: [Block; 3],
    touch: Block,
    duration: Block,
) -> [Block; MEASURES] {
    let zero = Block::ZERO;
    // NaN for bodies at relative rest, which are always at their closest.
    let straight = -b / a;
    let moves = lanes::lt(zero, a);
    let straight = lanes::select(moves, straight, zero);
    let closest = lanes::min(lanes::max(straight, zero), duration);
    let distance_square = |time: Block| {
        let mut sum = zero;
        for axis in 0..D {
            let x = offset[axis] + velocity[axis] * time;
            sum += x * x;
        }
        sum
    };
    let miss = lanes::sqrt(distance_square(closest));
    let reach = touch * touch;
    let discriminant = a * (reach - distance_square(straight));
    let outside = square - reach;
    let time = outside / (lanes::sqrt(discriminant) - b);
    let meets = lanes::lt(b, zero) & lanes::le(zero, discriminant) & lanes::le(time, duration);
    let touches = lanes::le(zero, touch);
    let overlaps = touches & lanes::le(outside, zero);
    let hit = overlaps | (touches & meets);
    let contact = lanes::select(overlaps, zero, time);
    [lanes::keep(hit, splat(1.0)), miss, closest, lanes::select(hit, contact, splat(f64::NAN))]
}

/// The scalar twin: hit, miss distance, closest time and first contact.
#[cfg(test)]
pub(super) fn passage<const D: usize>(
    d: [f64; D],
    w: [f64; D],
    touch: f64,
    duration: f64,
) -> [f64; MEASURES] {
    let dot = |u: &[f64; D], v: &[f64; D]| u.iter().zip(v).fold(0.0, |sum, (x, y)| sum + x * y);
    let (a, b, square) = (dot(&w, &w), dot(&d, &w), dot(&d, &d));
    let at = |time: f64| -> [f64; D] { std::array::from_fn(|axis| d[axis] + w[axis] * time) };
    let straight = if a > 0.0 { -b / a } else { 0.0 };
    let closest = straight.max(0.0).min(duration);
    let miss = dot(&at(closest), &at(closest)).sqrt();
    let outside = square - touch * touch;
    if outside <= 0.0 {
        return [1.0, miss, closest, 0.0];
    }
    let discriminant = a * (touch * touch - dot(&at(straight), &at(straight)));
    let time = outside / (discriminant.sqrt() - b);
    if b < 0.0 && discriminant >= 0.0 && time <= duration {
        [1.0, miss, closest, time]
    } else {
        [0.0, miss, closest, f64::NAN]
    }
}
