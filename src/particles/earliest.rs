//! The earliest collision over all pairs: a filter without roots, then the exact time of the few pairs that pass.
//!
//! A pair collides within T only if `|d|^2 + 2 (d.w) T <= R^2`: the term `|w|^2 t^2` is left out, and what remains
//! falls with t for a pair that approaches. T is the best time so far. Four rows share the loads of a block.
//! The filter works in `f32` on normalised columns where its margins leave it useful, and in `f64` elsewhere.
//!
//! The filter must pass every pair whose computed time is at most T, whichever way the discriminant rounds. It does, because
//! [`Products::contact`](crate::contact::Products::contact) replaces a root above `-d.w` by `-d.w`: with `c = |d|^2 - R^2`
//! the denominator of the computed time is at most `-2 d.w`, which is exact, and rounding keeps order, so that the
//! quotient `c / (-2 d.w)` of the computed numbers is below the `f64` after T. An overlap, `c <= 0`, passes always. The filter
//! depends on `c` and `d.w` alone; it does not depend on the discriminant.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::single::Single;
use super::ttc::{Approach, Paths};
use crate::soa::block::{Lanes, Quantity};
use crate::soa::lanes::{self, LANES, Real};
use crate::soa::{Column, Context};

/// Rows that share the loads of a block.
const ROWS: usize = 4;

/// Rows per chunk.
const CHUNK: usize = 64;

/// With fewer particles than this the `f32` columns cost more than they save.
const FEW: usize = 64;

/// The earliest collision over all pairs within `horizon` seconds, not negative; ties go to the smaller pair.
pub(super) fn search(paths: &Paths, horizon: f64, context: &Context) -> Option<Approach> {
    let single = (paths.len() >= FEW && paths.position.len() <= 3).then(|| Single::new(paths, horizon));
    match single.flatten() {
        Some(single) => search_filtered(paths, single.filter(), horizon, context),
        None => search_double(paths, horizon, context),
    }
}

/// The same with the `f64` filter.
pub(super) fn search_double(paths: &Paths, horizon: f64, context: &Context) -> Option<Approach> {
    let filter = Filter {
        position: paths.position,
        velocity: paths.velocity,
        radius: paths.collision_radius,
        rate: 1.0,
    };
    search_filtered(paths, filter, horizon, context)
}

/// The columns that a first filter reads: those of the paths, or normalised copies.
#[derive(Clone, Copy)]
pub(super) struct Filter<'a, T: Real> {
    pub(super) position: &'a [Column<T>],
    pub(super) velocity: &'a [Column<T>],
    pub(super) radius: &'a Column<T>,
    /// Units of time of the columns per second, rounded up as far as the margins need.
    pub(super) rate: f64,
}

fn search_filtered<T: Real>(
    paths: &Paths,
    filter: Filter<T>,
    horizon: f64,
    context: &Context,
) -> Option<Approach> {
    match paths.position.len() {
        1 => Search::<T, 1>::new(paths, filter, horizon).run(context),
        2 => Search::<T, 2>::new(paths, filter, horizon).run(context),
        3 => Search::<T, 3>::new(paths, filter, horizon).run(context),
        _ => Search::<T, 0>::new(paths, filter, horizon).run(context),
    }
}

/// A search in `D` dimensions, or in any number of them without a first filter if `D` is 0.
struct Search<'a, T: Real, const D: usize> {
    paths: &'a Paths<'a>,
    filter: Filter<'a, T>,
    position: [&'a [T::Block]; D],
    velocity: [&'a [T::Block]; D],
    radius: &'a [T::Block],
    /// The bits of the best time so far: for numbers that are not negative they have the order of the numbers.
    /// The order in which threads lower it changes which pairs are examined, but never the outcome.
    best: AtomicU64,
}

/// [`ROWS`] particles, each in all lanes.
struct Rows<T: Real, const D: usize> {
    position: [[T::Block; ROWS]; D],
    velocity: [[T::Block; ROWS]; D],
    radius: [T::Block; ROWS],
}

impl<'a, T: Real, const D: usize> Search<'a, T, D> {
    fn new(paths: &'a Paths<'a>, filter: Filter<'a, T>, horizon: f64) -> Self {
        Self {
            paths,
            filter,
            position: std::array::from_fn(|axis| filter.position[axis].blocks()),
            velocity: std::array::from_fn(|axis| filter.velocity[axis].blocks()),
            radius: filter.radius.blocks(),
            // -0 has a sign bit, which would make it the largest.
            best: AtomicU64::new(horizon.abs().to_bits()),
        }
    }

    fn run(&self, context: &Context) -> Option<Approach> {
        let found = context.map_chunks(self.paths.len(), CHUNK, |rows| self.search_rows(rows));
        found.into_iter().flatten().reduce(|best, other| if other.precedes(&best) { other } else { best })
    }

    /// The earliest collision of a particle of `rows` with a later one.
    fn search_rows(&self, rows: Range<usize>) -> Option<Approach> {
        let mut found = None;
        for first in rows.step_by(ROWS) {
            let rows = self.load_rows(first);
            let mut factor = self.factor();
            for block in first / T::LANES..self.radius.len() {
                if D == 0 || self.may_collide(&rows, block, factor) {
                    self.examine(first, block, &mut found);
                    factor = self.factor();
                }
            }
        }
        found
    }

    /// `-2 T`, with T above every quotient that rounds to the best time so far.
    fn factor(&self) -> T::Block {
        let best = f64::from_bits(self.best.load(Ordering::Relaxed));
        T::nearest(-2.0 * (best.next_up() * self.filter.rate)).splat()
    }

    fn load_rows(&self, first: usize) -> Rows<T, D> {
        let broadcast = |column: &Column<T>| std::array::from_fn(|row| column.padded()[first + row].splat());
        Rows {
            position: std::array::from_fn(|axis| broadcast(&self.filter.position[axis])),
            velocity: std::array::from_fn(|axis| broadcast(&self.filter.velocity[axis])),
            radius: broadcast(self.filter.radius),
        }
    }

    /// Whether any of the rows may collide with any particle of the block: `|d|^2 - R^2 <= -2 T (d.w)`.
    ///
    /// In `f64` both sides are the numbers of the computed time but for the last product, whose rounding keeps order; in `f32`
    /// the margins of the columns pay for the difference.
    #[inline(always)]
    fn may_collide(&self, rows: &Rows<T, D>, block: usize, factor: T::Block) -> bool {
        let position: [T::Block; D] = std::array::from_fn(|axis| self.position[axis][block]);
        let velocity: [T::Block; D] = std::array::from_fn(|axis| self.velocity[axis][block]);
        let radius = self.radius[block];
        let masks: [T::Block; ROWS] = std::array::from_fn(|row| {
            let d: [T::Block; D] = std::array::from_fn(|axis| position[axis] - rows.position[axis][row]);
            let w: [T::Block; D] = std::array::from_fn(|axis| velocity[axis] - rows.velocity[axis][row]);
            let touch = radius + rows.radius[row];
            (dot::<T, D>(d, d) - touch * touch).le(dot::<T, D>(d, w) * factor)
        });
        ((masks[0] | masks[1]) | (masks[2] | masks[3])).bits() != 0
    }

    /// Finds the exact times of the rows with the particles of a block, and keeps the earliest.
    #[cold]
    fn examine(&self, first: usize, block: usize, found: &mut Option<Approach>) {
        let per_block = T::LANES / LANES;
        let blocks =
            block * per_block..((block + 1) * per_block).min(self.paths.collision_radius.blocks().len());
        for row in first..first + ROWS {
            for block in blocks.clone() {
                let best = f64::from_bits(self.best.load(Ordering::Relaxed));
                let times = self.paths.block_times::<D>(row, block, lanes::splat(best)).to_array();
                for (lane, time) in times.into_iter().enumerate() {
                    self.keep(Approach { time, first: row, second: block * LANES + lane }, found);
                }
            }
        }
    }

    fn keep(&self, approach: Approach, found: &mut Option<Approach>) {
        let Approach { time, first, second } = approach;
        if time < f64::INFINITY && first < second && found.is_none_or(|best| approach.precedes(&best)) {
            *found = Some(approach);
            self.best.fetch_min(time.to_bits(), Ordering::Relaxed);
        }
    }
}

/// The sum of products from axis 0 up.
#[inline(always)]
fn dot<T: Real, const D: usize>(a: [T::Block; D], b: [T::Block; D]) -> T::Block {
    (1..D).fold(a[0] * b[0], |sum, axis| sum + a[axis] * b[axis])
}

impl Approach {
    /// The order of collisions: by time, then by pair.
    fn precedes(&self, other: &Self) -> bool {
        let pair = |approach: &Self| (approach.first, approach.second);
        self.time < other.time || (self.time == other.time && pair(self) < pair(other))
    }
}
