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
use crate::soa::block::{Doubles, LANES, Lanes, Quantity, Real, each};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;
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
    /// The bits of the best time so far: for numbers that are not negative they have the order of the numbers.
    /// The order in which threads lower it changes which pairs are examined, but never the outcome.
    best: AtomicU64,
}

/// The earliest collision of a particle of `rows` with a later one.
struct RowSearch<'a, T: Real, const D: usize> {
    search: &'a Search<'a, T, D>,
    rows: Range<usize>,
}

/// The columns of a filter in blocks.
struct FilterBlocks<'a, L, const D: usize> {
    position: [&'a [L]; D],
    velocity: [&'a [L]; D],
    radius: &'a [L],
}

/// [`ROWS`] particles, each in all lanes.
struct Rows<L, const D: usize> {
    position: [[L; ROWS]; D],
    velocity: [[L; ROWS]; D],
    radius: [L; ROWS],
}

impl<'a, T: Real, const D: usize> Search<'a, T, D> {
    fn new(paths: &'a Paths<'a>, filter: Filter<'a, T>, horizon: f64) -> Self {
        // -0 has a sign bit, which would make it the largest.
        Self { paths, filter, best: AtomicU64::new(horizon.abs().to_bits()) }
    }

    fn run(&self, context: &Context) -> Option<Approach> {
        let found =
            context.map_chunks(self.paths.len(), CHUNK, |rows| level::run(RowSearch { search: self, rows }));
        found.into_iter().flatten().reduce(|best, other| if other.precedes(&best) { other } else { best })
    }

    #[inline(always)]
    fn best(&self) -> f64 {
        f64::from_bits(self.best.load(Ordering::Relaxed))
    }

    /// `-2 T`, with T above every quotient that rounds to the best time so far.
    #[inline(always)]
    fn factor<L: Lanes<Number = T>>(&self) -> L {
        L::broadcast(T::nearest(-2.0 * (self.best().next_up() * self.filter.rate)))
    }

    #[inline(always)]
    fn keep(&self, approach: Approach, found: &mut Option<Approach>) {
        let Approach { time, first, second } = approach;
        if time < f64::INFINITY && first < second && found.is_none_or(|best| approach.precedes(&best)) {
            *found = Some(approach);
            self.best.fetch_min(time.to_bits(), Ordering::Relaxed);
        }
    }
}

impl<T: Real, const D: usize> Kernel for RowSearch<'_, T, D> {
    type Output = Option<Approach>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Approach> {
        let mut found = None;
        let columns = FilterBlocks::<T::Block<S>, D>::of(&self.search.filter);
        for first in self.rows.step_by(ROWS) {
            let rows = Rows::new(&self.search.filter, first);
            let mut factor = self.search.factor();
            for block in first / T::Block::<S>::COUNT..columns.radius.len() {
                if D == 0 || columns.may_collide(&rows, block, factor) {
                    S::call(Examine { search: self.search, first, block, found: &mut found });
                    factor = self.search.factor();
                }
            }
        }
        found
    }
}

impl<'a, L: Lanes, const D: usize> FilterBlocks<'a, L, D> {
    #[inline(always)]
    fn of(filter: &Filter<'a, L::Number>) -> Self {
        let radius: &[L] = filter.radius.blocks();
        let mut blocks = Self { position: [&[]; D], velocity: [&[]; D], radius };
        for axis in 0..D {
            // With lengths that are known to be the same, one check of an index is enough for all columns.
            blocks.position[axis] = &filter.position[axis].blocks()[..radius.len()];
            blocks.velocity[axis] = &filter.velocity[axis].blocks()[..radius.len()];
        }
        blocks
    }

    /// Whether any of the rows may collide with any particle of the block: `|d|^2 - R^2 <= -2 T (d.w)`.
    ///
    /// In `f64` both sides are the numbers of the computed time but for the last product, whose rounding keeps order; in `f32`
    /// the margins of the columns pay for the difference.
    #[inline(always)]
    fn may_collide(&self, rows: &Rows<L, D>, block: usize, factor: L) -> bool {
        let (mut position, mut velocity) = ([L::ZERO; D], [L::ZERO; D]);
        for axis in 0..D {
            (position[axis], velocity[axis]) = (self.position[axis][block], self.velocity[axis][block]);
        }
        let radius = self.radius[block];
        let mut may_collide = L::ZERO;
        for row in 0..ROWS {
            let (mut d, mut w) = ([L::ZERO; D], [L::ZERO; D]);
            for axis in 0..D {
                d[axis] = position[axis] - rows.position[axis][row];
                w[axis] = velocity[axis] - rows.velocity[axis][row];
            }
            let touch = radius + rows.radius[row];
            may_collide |= (dot(d, d) - touch * touch).le(dot(d, w) * factor);
        }
        may_collide.bits() != 0
    }
}

impl<L: Lanes, const D: usize> Rows<L, D> {
    #[inline(always)]
    fn new(filter: &Filter<'_, L::Number>, first: usize) -> Self {
        let (mut position, mut velocity) = ([[L::ZERO; ROWS]; D], [[L::ZERO; ROWS]; D]);
        for axis in 0..D {
            position[axis] = broadcast(&filter.position[axis], first);
            velocity[axis] = broadcast(&filter.velocity[axis], first);
        }
        Self { position, velocity, radius: broadcast(filter.radius, first) }
    }
}

/// [`ROWS`] entries of a column, each in all lanes.
#[inline(always)]
fn broadcast<L: Lanes>(column: &Column<L::Number>, first: usize) -> [L; ROWS] {
    let numbers = &column.padded()[first..first + ROWS];
    each!(row in [0, 1, 2, 3] => L::broadcast(numbers[row]))
}

/// The sum of products from axis 0 up.
#[inline(always)]
fn dot<L: Lanes, const D: usize>(a: [L; D], b: [L; D]) -> L {
    let mut sum = a[0] * b[0];
    for axis in 1..D {
        sum += a[axis] * b[axis];
    }
    sum
}

/// Finds the exact times of [`ROWS`] rows with the particles of a block, and keeps the earliest.
struct Examine<'a, T: Real, const D: usize> {
    search: &'a Search<'a, T, D>,
    first: usize,
    block: usize,
    found: &'a mut Option<Approach>,
}

impl<T: Real, const D: usize> Kernel for Examine<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { search, first, block, found } = self;
        let paths = search.paths;
        let per_block = T::Block::<S>::COUNT / LANES;
        let end = ((block + 1) * per_block).min(paths.len().div_ceil(LANES));
        for row in first..first + ROWS {
            for block in block * per_block..end {
                let times: S::Block = paths.block_times::<_, D>(row, block, Quantity::splat(search.best()));
                for (lane, time) in times.to_array().into_iter().enumerate() {
                    search.keep(Approach { time, first: row, second: block * LANES + lane }, found);
                }
            }
        }
    }
}

impl Approach {
    /// The order of collisions: by time, then by pair.
    fn precedes(&self, other: &Self) -> bool {
        let pair = |approach: &Self| (approach.first, approach.second);
        self.time < other.time || (self.time == other.time && pair(self) < pair(other))
    }
}
