//! Time to collision of particles that move uniformly (docs/methods/contacts.md).

use super::earliest;
use super::store::Particles;
use crate::contact::Products;
use crate::soa::block::{Doubles, LANES, Quantity, each};
use crate::soa::level::{self, Kernel};
use crate::soa::par::Divide;
use crate::soa::simd::Simd;
use crate::soa::{Column, Context};

/// Pairs per chunk of a list.
const CHUNK: usize = 1024;

/// A predicted collision of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// When it happens, in seconds; counted from where the function that returns it says.
    pub time: f64,
    /// The lower index of the pair.
    pub first: usize,
    /// The higher index of the pair.
    pub second: usize,
}

/// Straight paths: the centre of every particle now and its velocity.
#[derive(Debug, Clone, Copy)]
pub struct Paths<'a> {
    /// Centres in metres, one column per axis.
    pub position: &'a [Column<f64>],
    /// Velocities W in metres per second, one column per axis.
    pub velocity: &'a [Column<f64>],
    /// Radii in metres at which particles collide; NaN, with which nothing collides, for tracers and in the padding.
    pub collision_radius: &'a Column<f64>,
}

/// Fills the column that [`Paths::collision_radius`] needs: the bounding radius of every particle that collides, NaN for
/// tracers.
pub fn fill_collision_radius(particles: &Particles, out: &mut Column<f64>) {
    let rows = particles.radius.as_slice().iter().zip(particles.mass.as_slice());
    for (out, (&radius, &mass)) in out.as_mut_slice().iter_mut().zip(rows) {
        *out = if mass > 0.0 { radius } else { f64::NAN };
    }
}

impl Paths<'_> {
    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.collision_radius.len()
    }

    /// Whether there are no particles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time to collision of one pair within `horizon` seconds, infinity if there is none. The scalar twin of all
    /// kernels here.
    #[must_use]
    pub fn pair(&self, i: usize, j: usize, horizon: f64) -> f64 {
        let difference = |column: &Column<f64>| column.as_slice()[i] - column.as_slice()[j];
        let axis = |k: usize| [difference(&self.position[k]), difference(&self.velocity[k])];
        let radius = self.collision_radius.as_slice();
        let touch = radius[i] + radius[j];
        Products::new::<0>(self.dim(), axis).contact(touch * touch).within(horizon)
    }

    fn dim(&self) -> usize {
        self.position.len()
    }

    /// Times to collision of particle `i` with each particle of block `block`. `D` is the dimension, or 0 for any.
    #[inline(always)]
    pub(super) fn block_times<B: Doubles, const D: usize>(&self, i: usize, block: usize, horizon: B) -> B {
        let products = Products::new::<D>(
            self.dim(),
            #[inline(always)]
            |k| {
                let (one, others) = with_block::<B>(&self.position[k], i, block);
                let (own, velocities) = with_block::<B>(&self.velocity[k], i, block);
                [one - others, own - velocities]
            },
        );
        let (one, other) = with_block::<B>(self.collision_radius, i, block);
        times(&products, one + other, horizon)
    }

    /// Times to collision of particle `i` with every particle, infinity for none and for itself.
    pub fn one_against_all(&self, i: usize, horizon: f64, out: &mut [f64]) {
        match self.dim() {
            1 => level::run(OneAgainstAll::<1> { paths: self, i, horizon, out }),
            2 => level::run(OneAgainstAll::<2> { paths: self, i, horizon, out }),
            3 => level::run(OneAgainstAll::<3> { paths: self, i, horizon, out }),
            _ => level::run(OneAgainstAll::<0> { paths: self, i, horizon, out }),
        }
    }

    /// Times to collision of the listed pairs, infinity for none.
    pub fn listed(&self, pairs: &[[usize; 2]], horizon: f64, context: &Context, out: &mut [f64]) {
        match self.dim() {
            1 => context.run(Listed::<1> { paths: *self, pairs, horizon, out }, CHUNK),
            2 => context.run(Listed::<2> { paths: *self, pairs, horizon, out }, CHUNK),
            3 => context.run(Listed::<3> { paths: *self, pairs, horizon, out }, CHUNK),
            _ => context.run(Listed::<0> { paths: *self, pairs, horizon, out }, CHUNK),
        }
    }

    /// Times to collision of [`LANES`] pairs.
    #[inline(always)]
    fn pair_times<B: Doubles, const D: usize>(&self, pairs: [[usize; 2]; LANES], horizon: B) -> B {
        let products = Products::new::<D>(
            self.dim(),
            #[inline(always)]
            |k| {
                let (one, two) = of_pairs::<B>(&self.position[k], pairs);
                let (own, other) = of_pairs::<B>(&self.velocity[k], pairs);
                [one - two, own - other]
            },
        );
        let (one, two) = of_pairs::<B>(self.collision_radius, pairs);
        times(&products, one + two, horizon)
    }

    /// The earliest collision over all pairs within `horizon` seconds; ties go to the smaller pair (i, j).
    #[must_use]
    pub fn earliest(&self, horizon: f64, context: &Context) -> Option<Approach> {
        earliest::search(self, horizon, context)
    }

    /// The same with a filter in double precision: what [`earliest`](Self::earliest) does where single precision
    /// does not pay.
    #[doc(hidden)]
    #[must_use]
    pub fn earliest_double(&self, horizon: f64, context: &Context) -> Option<Approach> {
        earliest::search_double(self, horizon, context)
    }

    /// The scalar twin of [`earliest`](Self::earliest).
    #[doc(hidden)]
    #[must_use]
    pub fn earliest_scalar(&self, horizon: f64) -> Option<Approach> {
        let mut best: Option<Approach> = None;
        for first in 0..self.len() {
            for second in first + 1..self.len() {
                let time = self.pair(first, second, horizon);
                if time < best.map_or(f64::INFINITY, |best| best.time) {
                    best = Some(Approach { time, first, second });
                }
            }
        }
        best
    }
}

/// One entry of a column in all lanes, and a block of the column.
#[inline(always)]
fn with_block<B: Doubles>(column: &Column<f64>, i: usize, block: usize) -> (B, B) {
    (B::splat(column.padded()[i]), column.blocks::<B>()[block])
}

/// The entries of the first and of the second particles of pairs.
#[inline(always)]
fn of_pairs<B: Doubles>(column: &Column<f64>, pairs: [[usize; 2]; LANES]) -> (B, B) {
    let column = column.as_slice();
    (
        B::new(each!(n in [0, 1, 2, 3] => column[pairs[n][0]])),
        B::new(each!(n in [0, 1, 2, 3] => column[pairs[n][1]])),
    )
}

/// Times to collision of the pairs in a block, infinity for none. The root and the quotient are left out if no lane
/// approaches.
#[inline(always)]
fn times<B: Doubles>(products: &Products<B>, touch: B, horizon: B) -> B {
    if products.dw.lt(B::ZERO).bits() == 0 {
        return B::splat(f64::INFINITY);
    }
    products.contact(touch * touch).within(horizon)
}

/// One particle against all others.
struct OneAgainstAll<'a, const D: usize> {
    paths: &'a Paths<'a>,
    i: usize,
    horizon: f64,
    out: &'a mut [f64],
}

impl<const D: usize> Kernel for OneAgainstAll<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { paths, i, horizon, out } = self;
        let horizon = S::Block::splat(horizon);
        for (block, out) in out.chunks_mut(LANES).enumerate() {
            out.copy_from_slice(&paths.block_times::<_, D>(i, block, horizon).to_array()[..out.len()]);
        }
        out[i] = f64::INFINITY;
    }
}

/// The part of a list that one thread does.
struct Listed<'a, const D: usize> {
    paths: Paths<'a>,
    pairs: &'a [[usize; 2]],
    horizon: f64,
    out: &'a mut [f64],
}

impl<const D: usize> Divide for Listed<'_, D> {
    fn size(&self) -> usize {
        self.pairs.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (pairs, pairs_rest) = self.pairs.split_at(at);
        let (out, out_rest) = self.out.split_at_mut(at);
        let (paths, horizon) = (self.paths, self.horizon);
        (Self { paths, pairs, horizon, out }, Self { paths, pairs: pairs_rest, horizon, out: out_rest })
    }

    fn work(self) {
        level::run(self);
    }
}

impl<const D: usize> Kernel for Listed<'_, D> {
    type Output = ();

    /// A short end is filled up with its last pair.
    #[inline(always)]
    fn run<S: Simd>(self) {
        let horizon = S::Block::splat(self.horizon);
        for (pairs, out) in self.pairs.chunks(LANES).zip(self.out.chunks_mut(LANES)) {
            let full = each!(lane in [0, 1, 2, 3] => pairs[lane.min(pairs.len() - 1)]);
            out.copy_from_slice(&self.paths.pair_times::<_, D>(full, horizon).to_array()[..out.len()]);
        }
    }
}
