//! Time to collision of particles that move linearly (SPEC section 1, PBPhys equations 4 to 6).

use super::earliest;
use super::store::Particles;
use crate::soa::lanes::{self, Block, LANES};
use crate::soa::par::Divide;
use crate::soa::{Column, Context};

/// Pairs per chunk of a list.
const CHUNK: usize = 1024;

/// The collision of a pair that has been found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// When it happens, in seconds; the function that returns it says from when.
    pub time: f64,
    /// The lower index of the pair.
    pub first: usize,
    /// The higher index of the pair.
    pub second: usize,
}

/// Straight paths: where every particle is now and its velocity.
#[derive(Debug, Clone, Copy)]
pub struct Paths<'a> {
    /// Centres in metres, one column an axis.
    pub position: &'a [Column<f64>],
    /// Velocities W in metres per second, one column an axis.
    pub velocity: &'a [Column<f64>],
    /// Bounding radii in metres; NaN, with which nothing collides, for tracers and in the padding.
    pub reach: &'a Column<f64>,
}

/// The column [`Paths::reach`] needs: the radius of every particle that collides, NaN for tracers.
pub fn fill_reach(particles: &Particles, reach: &mut Column<f64>) {
    let rows =
        reach.as_mut_slice().iter_mut().zip(particles.radius.as_slice()).zip(particles.mass.as_slice());
    for ((reach, &radius), &mass) in rows {
        *reach = if mass > 0.0 { radius } else { f64::NAN };
    }
}

/// Smaller root of `a t^2 + 2 b t + c = 0` in `[0, horizon]` for an approaching pair (b < 0), without cancellation.
///
/// 0 if the pair already overlaps (c <= 0) and approaches; infinity if there is no such root or a number is NaN.
#[inline(always)]
#[must_use]
pub fn hit_time(a: f64, b: f64, c: f64, horizon: f64) -> f64 {
    if b.is_nan() || b >= 0.0 {
        return f64::INFINITY;
    }
    if c <= 0.0 {
        return 0.0;
    }
    let discriminant = b * b - a * c;
    if discriminant.is_nan() || discriminant < 0.0 {
        return f64::INFINITY;
    }
    // The root is at most -b, but not if its square underflows: the filters of `earliest` rely on it.
    let time = c / (-b + discriminant.sqrt().min(-b));
    if time <= horizon { time } else { f64::INFINITY }
}

/// [`hit_time`] of each lane, to the bit.
#[inline(always)]
fn hit_times(a: Block, b: Block, c: Block, horizon: Block) -> Block {
    let discriminant = b * b - a * c;
    let root = discriminant.sqrt();
    let time = c / (-b + lanes::select(lanes::lt(root, -b), root, -b));
    let overlaps = lanes::le(c, Block::ZERO);
    let hits = lanes::keep(lanes::le(Block::ZERO, discriminant), lanes::le(time, horizon));
    let approaches = lanes::lt(b, Block::ZERO);
    let time = lanes::select(hits, time, lanes::splat(f64::INFINITY));
    let time = lanes::select(overlaps, Block::ZERO, time);
    lanes::select(approaches, time, lanes::splat(f64::INFINITY))
}

/// Sums over the axes from axis 0 up, for each lane: `|w|^2`, `d.w` and `|d|^2`.
#[derive(Clone, Copy)]
struct Products {
    a: Block,
    b: Block,
    square: Block,
}

impl Products {
    const NONE: Self = Self { a: Block::ZERO, b: Block::ZERO, square: Block::ZERO };

    #[inline(always)]
    fn with_axis(self, d: Block, w: Block) -> Self {
        Self { a: self.a + w * w, b: self.b + d * w, square: self.square + d * d }
    }

    /// The root and the division are left out if no lane approaches.
    #[inline(always)]
    fn times(self, touch: Block, horizon: Block) -> Block {
        if lanes::bits(lanes::lt(self.b, Block::ZERO)) == 0 {
            return lanes::splat(f64::INFINITY);
        }
        hit_times(self.a, self.b, self.square - touch * touch, horizon)
    }
}

impl Paths<'_> {
    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.reach.len()
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
        let (mut a, mut b, mut square) = (0.0, 0.0, 0.0);
        for (position, velocity) in self.position.iter().zip(self.velocity) {
            let (position, velocity) = (position.as_slice(), velocity.as_slice());
            let d = position[i] - position[j];
            let w = velocity[i] - velocity[j];
            a += w * w;
            b += d * w;
            square += d * d;
        }
        let touch = self.reach.as_slice()[i] + self.reach.as_slice()[j];
        hit_time(a, b, square - touch * touch, horizon)
    }

    /// Times to collision of particle `i` with each particle of block `block`.
    #[inline(always)]
    pub(super) fn block_times(&self, i: usize, block: usize, horizon: Block) -> Block {
        let mut products = Products::NONE;
        for (position, velocity) in self.position.iter().zip(self.velocity) {
            let d = lanes::splat(position.padded()[i]) - position.blocks()[block];
            let w = lanes::splat(velocity.padded()[i]) - velocity.blocks()[block];
            products = products.with_axis(d, w);
        }
        products.times(lanes::splat(self.reach.padded()[i]) + self.reach.blocks()[block], horizon)
    }

    /// Times to collision of particle `i` with every particle, infinity for none and for itself.
    pub fn one_against_all(&self, i: usize, horizon: f64, out: &mut [f64]) {
        let horizon = lanes::splat(horizon);
        for (block, out) in out.chunks_mut(LANES).enumerate() {
            out.copy_from_slice(&self.block_times(i, block, horizon).to_array()[..out.len()]);
        }
        out[i] = f64::INFINITY;
    }

    /// Times to collision of the listed pairs, infinity for none.
    pub fn listed(&self, pairs: &[[usize; 2]], horizon: f64, context: &Context, out: &mut [f64]) {
        context.run(Listed { paths: *self, pairs, horizon, out }, CHUNK);
    }

    /// Times to collision of [`LANES`] pairs.
    fn pair_times(&self, pairs: [[usize; 2]; LANES], horizon: f64) -> Block {
        let difference = |column: &Column<f64>| {
            let column = column.as_slice();
            Block::new(pairs.map(|[i, j]| column[i] - column[j]))
        };
        let mut products = Products::NONE;
        for (position, velocity) in self.position.iter().zip(self.velocity) {
            products = products.with_axis(difference(position), difference(velocity));
        }
        let reach = self.reach.as_slice();
        let touch = Block::new(pairs.map(|[i, j]| reach[i] + reach[j]));
        products.times(touch, lanes::splat(horizon))
    }

    /// The earliest collision over all pairs within `horizon` seconds; ties go to the smaller pair (i, j).
    #[must_use]
    pub fn earliest(&self, horizon: f64, context: &Context) -> Option<Approach> {
        earliest::search(self, horizon, context)
    }

    /// The same with a filter in double precision: what [`earliest`](Self::earliest) does where single precision
    /// does not pay.
    #[must_use]
    pub fn earliest_double(&self, horizon: f64, context: &Context) -> Option<Approach> {
        earliest::search_double(self, horizon, context)
    }

    /// The scalar twin of [`earliest`](Self::earliest).
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

/// The part of a list that one thread does.
struct Listed<'a> {
    paths: Paths<'a>,
    pairs: &'a [[usize; 2]],
    horizon: f64,
    out: &'a mut [f64],
}

impl Divide for Listed<'_> {
    fn size(&self) -> usize {
        self.pairs.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (pairs, pairs_rest) = self.pairs.split_at(at);
        let (out, out_rest) = self.out.split_at_mut(at);
        let (paths, horizon) = (self.paths, self.horizon);
        (Self { paths, pairs, horizon, out }, Self { paths, pairs: pairs_rest, horizon, out: out_rest })
    }

    /// A short end is filled up with its last pair.
    fn work(self) {
        for (pairs, out) in self.pairs.chunks(LANES).zip(self.out.chunks_mut(LANES)) {
            let full = std::array::from_fn(|lane| pairs[lane.min(pairs.len() - 1)]);
            out.copy_from_slice(&self.paths.pair_times(full, self.horizon).to_array()[..out.len()]);
        }
    }
}
