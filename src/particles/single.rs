//! Paths in single precision, normalised and with margins, for a first filter that loses no collision.
//!
//! Lengths are counted from the middle of the particles in units of their half extent, times in units of the
//! horizon, so that coordinates and radii are at most 1 and a velocity is what a particle travels. Let e = 2^-24, D the
//! dimension, r the largest radius and U the largest component of a velocity. For a pair whose computed time is t <= 1, in
//! exact numbers:
//!
//! - `|d|^2 + 2 t (d.w) <= R^2`, however the discriminant was rounded (see [`earliest`](super::earliest)), but for roundings of
//!   `f64`, with `|w| <= B = 2 U sqrt(D)`, hence `|d| <= R + 2 |w|`, so that
//!   `|d| <= A = min(2 sqrt(D), 2 r + 2 B)`.
//! - A component of d in `f32` is off by at most 4 e and one of w by 4 e U: two roundings of the columns and one of the
//!   difference. Call the bounds p and q, a little larger.
//! - So `|d|^2` is off by at most `2 A p sqrt(D) + D p^2` and, for its own roundings, `(D + 1) e (A + p sqrt(D))^2`;
//!   `d.w` by at most `(A q + B p) sqrt(D) + D p q` and `(D + 1) e (A + p sqrt(D)) (B + q sqrt(D))`.
//! - Let M be the first of these plus twice the second, a percent larger for the roundings of the `f64` numbers
//!   and of the products, and 1e-12 for what underflows. If every radius grows by `sqrt(M) / 2`, `R^2` grows by M or
//!   more, and the comparison holds in `f32` too: the last subtraction and product only round, which keeps order.
//! - Growing radii and rate by 8 e more pays for their own roundings.

use super::earliest::Filter;
use super::ttc::Paths;
use crate::soa::Column;

/// Half the distance from 1 to the next `f32`.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// Lengths in metres and times in seconds up to which, and down to whose inverse, no `f64` under- or overflows.
const EXTREME: f64 = 1e75;

/// A margin that is this share of the half extent lets few pairs pass.
const SLIGHT: f64 = 0.01;

/// Normalised columns in single precision.
pub(super) struct Single {
    position: Vec<Column<f32>>,
    velocity: Vec<Column<f32>>,
    radius: Column<f32>,
    rate: f64,
}

/// How to normalise: the middle of the particles, the unit of length, and the margin in that unit.
struct Frame {
    middle: Vec<f64>,
    unit: f64,
    margin: f64,
}

impl Single {
    /// `None` if numbers are too extreme, the margin would let too many pairs pass or an allocation failed.
    pub(super) fn new(paths: &Paths, horizon: f64) -> Option<Self> {
        let Frame { middle, unit, margin } = Frame::of(paths, horizon)?;
        let normal = |columns: &[Column<f64>], origin: &[f64], unit: f64| -> Option<Vec<Column<f32>>> {
            let columns = columns.iter().zip(origin);
            columns.map(|(column, &origin)| converted(column, 0.0, |x| (x - origin) / unit)).collect()
        };
        let growth = 1.0 + 8.0 * ROUNDING;
        Some(Self {
            position: normal(paths.position, &middle, unit)?,
            velocity: normal(paths.velocity, &vec![0.0; middle.len()], unit / horizon)?,
            radius: converted(paths.collision_radius, f32::NAN, |radius| (radius / unit + margin) * growth)?,
            rate: growth / horizon,
        })
    }

    pub(super) fn filter(&self) -> Filter<'_, f32> {
        Filter { position: &self.position, velocity: &self.velocity, radius: &self.radius, rate: self.rate }
    }
}

impl Frame {
    fn of(paths: &Paths, horizon: f64) -> Option<Self> {
        let ranges: Vec<_> =
            paths.position.iter().map(|column| range(column, paths.collision_radius)).collect();
        let middle: Vec<_> = ranges.iter().map(|(low, high)| 0.5 * low + 0.5 * high).collect();
        let half =
            ranges.iter().zip(&middle).fold(0.0_f64, |m, ((low, high), x)| m.max(high - x).max(x - low));
        let radius = range(paths.collision_radius, paths.collision_radius).1;
        let velocity = paths.velocity.iter().fold(0.0_f64, |m, column| {
            let (low, high) = range(column, paths.collision_radius);
            m.max(high).max(-low)
        });
        let unit = half.max(radius);
        let sane = |x: f64| (1.0 / EXTREME..=EXTREME).contains(&x);
        let margin = margin(paths.position.len() as f64, radius / unit, velocity * horizon / unit);
        (sane(unit) && sane(horizon) && margin <= SLIGHT).then_some(Self { middle, unit, margin })
    }
}

/// What every radius must grow by so that single precision loses no collision; all in units of the half extent.
fn margin(dim: f64, radius: f64, travel: f64) -> f64 {
    let root = dim.sqrt();
    let relative = 2.0 * travel * root;
    let distance = (2.0 * root).min(2.0 * radius + 2.0 * relative);
    let (p, q) = (4.1 * ROUNDING, 4.1 * ROUNDING * travel);
    let sums = (dim + 1.0) * ROUNDING;
    let square = 2.0 * distance * p * root + dim * p * p + sums * (distance + p * root).powi(2);
    let product = (distance * q + relative * p) * root
        + dim * p * q
        + sums * (distance + p * root) * (relative + q * root);
    0.5 * (1.01 * (square + 2.0 * product) + 1e-12).sqrt()
}

/// The least and the largest value of the particles that collide.
fn range(column: &Column<f64>, collision_radius: &Column<f64>) -> (f64, f64) {
    let rows =
        column.as_slice().iter().zip(collision_radius.as_slice()).filter(|(_, radius)| !radius.is_nan());
    rows.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (&x, _)| (low.min(x), high.max(x)))
}

fn converted(column: &Column<f64>, filler: f32, f: impl Fn(f64) -> f64) -> Option<Column<f32>> {
    let mut out = Column::filled(column.len(), filler, filler).ok()?;
    for (to, &from) in out.as_mut_slice().iter_mut().zip(column.as_slice()) {
        *to = f(from) as f32;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(scale: f64, horizon: f64) -> Option<Single> {
        let column = |values: [f64; 3]| {
            let mut column = Column::new(f64::NAN);
            column.extend_from_slice(&values.map(|x| scale * x)).unwrap();
            column
        };
        let (position, velocity) = ([column([7.0, 8.0, 9.0])], [column([1.0, 0.0, -1.0])]);
        let radius = column([0.1, 0.1, f64::NAN]);
        let paths = Paths { position: &position, velocity: &velocity, collision_radius: &radius };
        Single::new(&paths, horizon)
    }

    #[test]
    fn ordinary_paths_are_normalised_by_the_particles_that_collide() {
        for scale in [1e-60, 1.0, 1e60] {
            let single = single(scale, 0.5).unwrap();
            assert_eq!(single.position[0].as_slice()[..2], [-1.0, 1.0]);
            assert_eq!(single.velocity[0].as_slice()[..2], [1.0, 0.0]);
            let radius = single.radius.as_slice();
            assert!(radius[0] > 0.2 && radius[0] < 0.202 && radius[2].is_nan());
        }
    }

    #[test]
    fn extremes_and_large_margins_are_left_to_double_precision() {
        for (scale, horizon) in [(1e-80, 1.0), (1e80, 1.0), (1.0, 0.0), (1.0, f64::INFINITY), (1.0, 1e9)] {
            assert!(single(scale, horizon).is_none(), "scale {scale}, horizon {horizon}");
        }
        assert!(single(f64::NAN, 1.0).is_none(), "no particle collides");
    }

    #[test]
    fn the_margin_grows_with_radius_and_travel() {
        assert!(margin(3.0, 0.001, 0.001) < 1e-3);
        assert!(margin(3.0, 0.1, 0.001) > margin(3.0, 0.001, 0.001));
        assert!(margin(3.0, 0.001, 1.0) > margin(3.0, 0.001, 0.001));
    }
}
