//! Distributions that are drawn by rejection: gamma, beta, truncated normal and Poisson
//! (docs/methods/statistics.md, section 2.3).
//!
//! A proposal is accepted or not, so how many words a number takes is not known beforehand. Each attempt therefore has words
//! of its own, which depend on the replica, the input and the number of the attempt alone, and each replica takes its first
//! attempt that is accepted: whichever replicas run beside it.

use super::words::unit;
use crate::soa::block::{Doubles, LANES32, each};
use crate::soa::functions::{exp, ln, nearest_whole, normal_pair, polynomial};
use crate::soa::simd::Words;
use crate::study::random::{BLOCK_WORDS, Streams};

/// More attempts than any replica needs: each is accepted with a probability above 0.2.
const MOST_ATTEMPTS: u64 = 1 << 20;
/// Below this exponent a power counts as 0.
const LEAST_EXPONENT: f64 = -700.0;

/// The words of the attempts of one input.
#[derive(Clone, Copy)]
pub(crate) struct Attempts<'a> {
    /// Those of [`Streams::attempts`].
    pub(crate) streams: &'a Streams,
    /// The replica of the first row.
    pub(crate) first: u64,
    /// The number of the input among all of them.
    pub(crate) input: usize,
    /// The number of this one of two draws for one input.
    pub(crate) part: u64,
}

/// The words of one attempt for a group of eight replicas.
struct Attempt<W>([W; BLOCK_WORDS]);

impl<B: Doubles, W: Words<Numbers = B>> Attempt<W> {
    /// Two words as a number in (0, 1].
    #[inline(always)]
    fn unit(&self, word: usize) -> [B; 2] {
        unit(self.0[word], self.0[word + 1])
    }

    /// Four words as a normal deviate.
    #[inline(always)]
    fn normal(&self, word: usize) -> [B; 2] {
        let (first, second) = (self.unit(word), self.unit(word + 2));
        each!(half in [0, 1] => normal_pair(first[half], second[half])[0])
    }
}

impl Attempts<'_> {
    /// The first accepted proposal of each replica of a group: two numbers each. `propose` gives both, and where they are
    /// accepted.
    #[inline(always)]
    fn first_accepted<B: Doubles, W: Words<Numbers = B>>(
        self,
        group: usize,
        propose: impl Fn(&Attempt<W>) -> [(B, [B; 2]); 2],
    ) -> [[B; 2]; 2] {
        let replica = self.first + (group * LANES32) as u64;
        let mut found = [[B::ZERO; 2]; 2];
        let mut open = [B::ZERO.le(B::ZERO); 2];
        for attempt in 0..MOST_ATTEMPTS {
            let counter = ((self.input as u64) << 32) + (self.part << 31) + attempt;
            let proposals = propose(&Attempt(self.streams.words(replica, counter)));
            for half in 0..2 {
                let (accepted, [first, second]) = proposals[half];
                let take = open[half] & accepted;
                found[half] = [take.select(first, found[half][0]), take.select(second, found[half][1])];
                open[half] = accepted.select(B::ZERO, open[half]);
            }
            if open[0].bits() | open[1].bits() == 0 {
                break;
            }
        }
        found
    }
}

/// A gamma distribution of scale 1 (G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", 2000).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gamma {
    pub(super) shape: f64,
}

impl Gamma {
    /// Deviates x and exponents y of a group: the numbers are x e^y, where y is 0 for shapes from 1 on. A smaller shape a comes
    /// from a + 1 with a factor U^(1/a).
    #[inline(always)]
    fn draw_parts<B: Doubles, W: Words<Numbers = B>>(
        self,
        attempts: Attempts<'_>,
        group: usize,
    ) -> [[B; 2]; 2] {
        let is_small = self.shape < 1.0;
        let d = if is_small { self.shape + 1.0 } else { self.shape } - 1.0 / 3.0;
        let (d, c) = (B::splat(d), B::splat(1.0 / (9.0 * d).sqrt()));
        let per_shape = B::splat(if is_small { 1.0 / self.shape } else { 0.0 });
        attempts.first_accepted::<B, W>(
            group,
            #[inline(always)]
            |attempt| {
                let (z, u, factor) = (attempt.normal(0), attempt.unit(4), attempt.unit(6));
                each!(half in [0, 1] => {
                    let root = B::splat(1.0) + c * z[half];
                    let is_positive = B::ZERO.lt(root);
                    let root = is_positive.select(root, B::splat(1.0));
                    let v = root * root * root;
                    let bound = B::splat(0.5) * z[half] * z[half] + d * (B::splat(1.0) - v + ln(v));
                    let accepted = is_positive & ln(u[half]).lt(bound);
                    (accepted, [d * v, ln(factor[half]) * per_shape])
                })
            },
        )
    }

    /// Deviates of a group.
    #[inline(always)]
    pub(super) fn draw<B: Doubles, W: Words<Numbers = B>>(
        self,
        attempts: Attempts<'_>,
        group: usize,
    ) -> [B; 2] {
        let parts = self.draw_parts::<B, W>(attempts, group);
        each!(half in [0, 1] => parts[half][0] * power(parts[half][1]))
    }

    /// Logarithms of deviates of a group: those of small shapes are often below the least number.
    #[inline(always)]
    fn draw_logarithm<B: Doubles, W: Words<Numbers = B>>(
        self,
        attempts: Attempts<'_>,
        group: usize,
    ) -> [B; 2] {
        let parts = self.draw_parts::<B, W>(attempts, group);
        each!(half in [0, 1] => ln(parts[half][0]) + parts[half][1])
    }
}

/// e^x for x up to 0, and 0 where that is below the range of numbers.
#[inline(always)]
fn power<B: Doubles>(x: B) -> B {
    let least = B::splat(LEAST_EXPONENT);
    x.lt(least).select(B::ZERO, exp(x.max(least)))
}

/// A beta distribution: the share of one gamma deviate in the sum of two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Beta {
    pub(super) shapes: [f64; 2],
}

impl Beta {
    /// Deviates of a group, from 0 to 1.
    #[inline(always)]
    pub(super) fn draw<B: Doubles, W: Words<Numbers = B>>(
        self,
        attempts: Attempts<'_>,
        group: usize,
    ) -> [B; 2] {
        let [a, b] = self.shapes.map(|shape| Gamma { shape });
        let first = a.draw_logarithm::<B, W>(Attempts { part: 0, ..attempts }, group);
        let second = b.draw_logarithm::<B, W>(Attempts { part: 1, ..attempts }, group);
        each!(half in [0, 1] => {
            // x / (x + y), with the larger of both divided out.
            let larger = first[half].max(second[half]);
            let [x, y] = [power(first[half] - larger), power(second[half] - larger)];
            x / (x + y)
        })
    }
}

/// A normal distribution of mean 0 and deviation 1 between two bounds, one of which may be infinite
/// (C. P. Robert, "Simulation of truncated normal variables", 1995).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TruncatedNormal {
    proposal: Proposal,
    low: f64,
    high: f64,
    /// Whether the bounds were turned round, so that they are not both negative.
    mirrored: bool,
}

/// What is proposed, so that not many proposals are wasted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Proposal {
    /// Normal deviates: the bounds hold much of the distribution.
    Normal,
    /// Uniform numbers between bounds close to each other, with the place of the greatest density.
    Uniform { mode: f64 },
    /// Exponential ones from the lower bound on, of this rate: only the tail is left.
    Exponential { rate: f64 },
}

/// Bounds further from each other than this, with 0 between them, hold about half of all deviates.
const WIDE: f64 = 2.5;

impl TruncatedNormal {
    pub(super) fn new(low: f64, high: f64) -> Self {
        let mirrored = high < 0.0;
        let [low, high] = if mirrored { [-high, -low] } else { [low, high] };
        let rate = 0.5 * (low + (low * low + 4.0).sqrt());
        let proposal = if low < 0.0 {
            if high - low > WIDE { Proposal::Normal } else { Proposal::Uniform { mode: 0.0 } }
        } else if (high - low) * rate < 1.0 {
            Proposal::Uniform { mode: low }
        } else {
            Proposal::Exponential { rate }
        };
        Self { proposal, low, high, mirrored }
    }

    /// Deviates of a group.
    #[inline(always)]
    pub(super) fn draw<B: Doubles, W: Words<Numbers = B>>(
        self,
        attempts: Attempts<'_>,
        group: usize,
    ) -> [B; 2] {
        let (low, high) = (B::splat(self.low), B::splat(self.high));
        let half_of = B::splat(-0.5);
        let found = attempts.first_accepted::<B, W>(
            group,
            #[inline(always)]
            |attempt| {
                let (u, v) = (attempt.unit(0), attempt.unit(2));
                each!(half in [0, 1] => {
                    let (x, accepted) = match self.proposal {
                        Proposal::Normal => {
                            let z = normal_pair(u[half], v[half])[0];
                            (z, low.le(z) & z.le(high))
                        }
                        Proposal::Uniform { mode } => {
                            let (x, mode) = (low + (high - low) * u[half], B::splat(mode));
                            (x, ln(v[half]).le(half_of * (x - mode) * (x + mode)))
                        }
                        Proposal::Exponential { rate } => {
                            let x = low - ln(u[half]) / B::splat(rate);
                            let off = x - B::splat(rate);
                            (x, x.le(high) & ln(v[half]).le(half_of * off * off))
                        }
                    };
                    (accepted, [x, B::ZERO])
                })
            },
        );
        each!(half in [0, 1] => if self.mirrored { -found[half][0] } else { found[half][0] })
    }
}

/// A Poisson distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Poisson {
    pub(super) mean: f64,
}

/// From this mean on the transformed rejection is used, below it the distribution function is inverted.
const MANY: f64 = 10.0;
/// A count that a Poisson distribution of a mean below [`MANY`] never reaches.
const NEVER: u32 = 120;

impl Poisson {
    /// Counts of a group.
    #[inline(always)]
    pub(super) fn draw<B: Doubles, W: Words<Numbers = B>>(
        self,
        attempts: Attempts<'_>,
        group: usize,
    ) -> [B; 2] {
        let found = if self.mean < MANY {
            self.invert::<B, W>(attempts, group)
        } else {
            self.transform::<B, W>(attempts, group)
        };
        each!(half in [0, 1] => found[half][0])
    }

    /// How many of the sums of probabilities from 0 on are below a uniform number.
    #[inline(always)]
    fn invert<B: Doubles, W: Words<Numbers = B>>(self, attempts: Attempts<'_>, group: usize) -> [[B; 2]; 2] {
        let none = exp(B::splat(-self.mean));
        attempts.first_accepted::<B, W>(
            group,
            #[inline(always)]
            |attempt| {
                let u = attempt.unit(0);
                each!(half in [0, 1] => {
                    let (mut probability, mut sum, mut count) = (none, none, B::ZERO);
                    for k in 1..NEVER {
                        let is_above = sum.lt(u[half]);
                        if is_above.bits() == 0 {
                            break;
                        }
                        count = is_above.select(B::splat(f64::from(k)), count);
                        probability *= B::splat(self.mean / f64::from(k));
                        sum += probability;
                    }
                    (B::ZERO.le(B::ZERO), [count, B::ZERO])
                })
            },
        )
    }

    /// W. Hoermann, "The transformed rejection method for generating Poisson random variables" (1993), algorithm PTRS.
    #[inline(always)]
    fn transform<B: Doubles, W: Words<Numbers = B>>(
        self,
        attempts: Attempts<'_>,
        group: usize,
    ) -> [[B; 2]; 2] {
        let b = 0.931 + 2.53 * self.mean.sqrt();
        let a = -0.059 + 0.024_83 * b;
        let inverse = 1.1239 + 1.1328 / (b - 3.4);
        let surely = B::splat(0.9277 - 3.6224 / (b - 2.0));
        let (mean, ln_mean) = (B::splat(self.mean), ln(B::splat(self.mean)));
        let (a, b, ln_inverse) = (B::splat(a), B::splat(b), ln(B::splat(inverse)));
        attempts.first_accepted::<B, W>(
            group,
            #[inline(always)]
            |attempt| {
                let (u, v) = (attempt.unit(0), attempt.unit(2));
                each!(half in [0, 1] => {
                    let u = u[half] - B::splat(0.5);
                    // At the very end of the interval the count would be infinite.
                    let edge = (B::splat(0.5) - u.abs()).max(B::splat(1e-12));
                    let count = floor((B::splat(2.0) * a / edge + b) * u + mean + B::splat(0.43));
                    let is_inner = B::splat(0.07).le(edge) & v[half].le(surely);
                    let is_outer = B::splat(0.013).le(edge) | v[half].le(edge);
                    let possible = B::ZERO.le(count) & is_outer;
                    let safe = count.max(B::ZERO);
                    let bound = safe * ln_mean - mean - ln_factorial(safe);
                    let height = ln(v[half]) + ln_inverse - ln(a / (edge * edge) + b);
                    let accepted = is_inner & B::ZERO.le(count) | possible & height.le(bound);
                    (accepted, [count, B::ZERO])
                })
            },
        )
    }
}

/// The largest whole number up to each lane, below 2^51.
#[inline(always)]
fn floor<B: Doubles>(x: B) -> B {
    let near = nearest_whole(x);
    x.lt(near).select(near - B::splat(1.0), near)
}

/// ln k! of whole numbers, by Stirling's series (DLMF 5.11.1) for (k + 8)!: to about 1e-12, as a share of values above 1.
#[inline(always)]
fn ln_factorial<B: Doubles>(k: B) -> B {
    let mut product = B::splat(1.0);
    for step in 1..=8 {
        product *= k + B::splat(f64::from(step));
    }
    let x = k + B::splat(9.0);
    let inverse = B::splat(1.0) / x;
    let series = polynomial(inverse * inverse, [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0]);
    // Half the logarithm of 2 pi.
    let constant = B::splat(0.918_938_533_204_672_7);
    (x - B::splat(0.5)) * ln(x) - x + constant + series * inverse - ln(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::block::Quantity;
    use crate::soa::level::Portable;
    use crate::soa::simd::Simd;

    type Block = <Portable as Simd>::Block;

    #[test]
    fn logarithms_of_factorials_are_right() {
        let mut sum = 0.0;
        for k in 1..200_u32 {
            sum += f64::from(k).ln();
            let [found, ..] = ln_factorial(<Block as Quantity>::splat(f64::from(k))).to_array();
            assert!((found - sum).abs() < 2e-11 * sum.max(1.0), "{k}: {found} {sum}");
        }
        assert!(ln_factorial(<Block as Quantity>::splat(0.0)).to_array()[0].abs() < 1e-11);
        let floors = [-1.5, -0.0, 2.999, 7.0].map(|x| floor(<Block as Quantity>::splat(x)).to_array()[0]);
        assert_eq!(floors, [-2.0, 0.0, 2.0, 7.0]);
    }

    #[test]
    fn bounds_choose_the_proposals() {
        let proposal = |low, high| TruncatedNormal::new(low, high).proposal;
        assert_eq!(proposal(-1.0, f64::INFINITY), Proposal::Normal);
        assert_eq!(proposal(-0.1, 0.2), Proposal::Uniform { mode: 0.0 });
        assert_eq!(proposal(5.0, 5.01), Proposal::Uniform { mode: 5.0 });
        assert!(matches!(proposal(5.0, f64::INFINITY), Proposal::Exponential { .. }));
        assert!(TruncatedNormal::new(f64::NEG_INFINITY, -5.0).mirrored);
        assert_eq!(proposal(f64::NEG_INFINITY, -5.0), proposal(5.0, f64::INFINITY));
    }
}
