//! Distributions of the random inputs of a study, and how they are written in its file.
//!
//! Of a number: `5.0`, `{ uniform = [low, high] }`, `{ normal = [mean, sd] }`, `{ log_normal = [median, sigma] }`,
//! `{ maxwell = scale }`, `{ exponential = mean }`, `{ gamma = [shape, scale] }`, `{ beta = [a, b], range = [low, high] }`,
//! `{ triangular = [low, mode, high] }`, `{ truncated_normal = [mean, sd, low, high] }`, `{ poisson = mean }`,
//! `{ choice = [1, 2], weights = [1, 3] }` or `{ table = "FILE" }`. For vectors see [`VectorDistribution`].
//!
//! Each takes a fixed number of random words, or is drawn by [`rejection`] with words apart from those of all others. A
//! uniform number is one of 2^32, in the middle of as many equal intervals; all other distributions but `choice` use 64 bits
//! for each uniform number they start from, so that normal deviates reach 9.4 standard deviations.

mod matrix;
mod read;
mod rejection;
mod rotation;
mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_shapes;
mod vector;
mod words;

pub(crate) use rejection::Attempts;
pub(crate) use rotation::{DrawRotations, Rotation};
pub(crate) use vector::{DrawVectors, VectorDistribution};
pub(crate) use words::{GROUPS, Tile};

use self::rejection::{Beta, Gamma, Poisson, TruncatedNormal};
use self::table::Table;
use self::words::{groups, put};
use crate::soa::block::{Doubles, each};
use crate::soa::functions::{exp, ln, normal_pair};
use crate::soa::level::Kernel;
use crate::soa::simd::{Simd, Words};

/// How a number is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Distribution {
    /// Always the same.
    Constant(f64),
    /// Uniform between two bounds.
    Uniform { low: f64, high: f64 },
    /// Normal.
    Normal { mean: f64, deviation: f64 },
    /// Its logarithm is normal.
    LogNormal { median: f64, sigma: f64 },
    /// The length of a vector of three normal deviates of this standard deviation.
    Maxwell { scale: f64 },
    /// Exponential.
    Exponential { mean: f64 },
    /// Gamma: the sum of `shape` exponential numbers of mean `scale`, for any shape above 0.
    Gamma { gamma: Gamma, scale: f64 },
    /// Beta, stretched from 0 and 1 to two bounds.
    Beta { beta: Beta, low: f64, high: f64 },
    /// A density that rises in a straight line from one bound to the mode, and falls to the other.
    Triangular { low: f64, mode: f64, high: f64 },
    /// Normal between two bounds.
    TruncatedNormal { mean: f64, deviation: f64, low: f64, high: f64, standard: TruncatedNormal },
    /// A count of independent events, times a unit.
    Poisson { poisson: Poisson, unit: f64 },
    /// One of a list.
    Choice { values: Vec<f64>, odds: Odds },
    /// One of the values of a table in a file.
    Table(Table),
}

impl Distribution {
    /// The value, if it is always the same.
    pub(crate) fn constant(&self) -> Option<f64> {
        if let Self::Constant(value) = self { Some(*value) } else { None }
    }

    /// The least and the greatest possible number.
    pub(crate) fn range(&self) -> [f64; 2] {
        match self {
            Self::Constant(value) => [*value; 2],
            Self::Uniform { low, high } => [*low, *high],
            Self::Normal { mean, deviation: 0.0 } => [*mean; 2],
            Self::Normal { .. } => [f64::NEG_INFINITY, f64::INFINITY],
            Self::LogNormal { .. }
            | Self::Maxwell { .. }
            | Self::Exponential { .. }
            | Self::Gamma { .. }
            | Self::Poisson { .. } => [0.0, f64::INFINITY],
            Self::Beta { low, high, .. }
            | Self::Triangular { low, high, .. }
            | Self::TruncatedNormal { low, high, .. } => [*low, *high],
            Self::Table(table) => table.range(),
            Self::Choice { values, .. } => {
                values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &value| {
                    [low.min(value), high.max(value)]
                })
            }
        }
    }

    /// Random words that one number takes of those that all inputs share; what is drawn by rejection has words of its own.
    pub(in crate::study) fn words(&self) -> usize {
        match self {
            Self::Constant(_)
            | Self::Gamma { .. }
            | Self::Beta { .. }
            | Self::TruncatedNormal { .. }
            | Self::Poisson { .. } => 0,
            Self::Uniform { .. } | Self::Choice { .. } => 1,
            Self::Exponential { .. } | Self::Triangular { .. } | Self::Table(_) => 2,
            Self::Normal { .. } | Self::LogNormal { .. } => 4,
            Self::Maxwell { .. } => 6,
        }
    }
}

/// Draws one number for each replica of a tile. `W` are the words of the level that it runs at.
pub(crate) struct DrawNumbers<'a, W> {
    pub(crate) distribution: &'a Distribution,
    pub(crate) tile: Tile<'a, W>,
    /// For what is drawn by rejection.
    pub(crate) attempts: Attempts<'a>,
    pub(crate) column: &'a mut [f64],
}

impl<B: Doubles, W: Words<Numbers = B>> Kernel for DrawNumbers<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { distribution, tile, attempts, column } = self;
        match distribution {
            Distribution::Constant(value) => column.fill(*value),
            Distribution::Uniform { low, high } => {
                let step = (high - low) / 2.0_f64.powi(32);
                let (step, start) = (B::splat(step), B::splat(low + 0.5 * step));
                for (group, rows) in groups(column) {
                    let word = tile.whole(0, group);
                    put(rows, each!(half in [0, 1] => word[half] * step + start));
                }
            }
            Distribution::Normal { mean, deviation } => {
                let (mean, deviation) = (B::splat(*mean), B::splat(*deviation));
                for (group, rows) in groups(column) {
                    let x = tile.normal(0, group);
                    put(rows, each!(half in [0, 1] => mean + deviation * x[half]));
                }
            }
            Distribution::LogNormal { median, sigma } => {
                let (median, sigma) = (B::splat(*median), B::splat(*sigma));
                for (group, rows) in groups(column) {
                    let x = tile.normal(0, group);
                    put(rows, each!(half in [0, 1] => median * exp(sigma * x[half])));
                }
            }
            Distribution::Maxwell { scale } => {
                for (group, rows) in groups(column) {
                    // Two squares of normal deviates together have an exponential distribution.
                    let (uniform, third) = (tile.unit(0, group), tile.normal(2, group));
                    put(rows, each!(half in [0, 1] => B::splat(*scale) * length(uniform[half], third[half])));
                }
            }
            Distribution::Exponential { mean } => {
                for (group, rows) in groups(column) {
                    let uniform = tile.unit(0, group);
                    put(rows, each!(half in [0, 1] => B::splat(-mean) * ln(uniform[half])));
                }
            }
            Distribution::Triangular { low, mode, high } => {
                for (group, rows) in groups(column) {
                    let uniform = tile.unit(0, group);
                    put(rows, each!(half in [0, 1] => triangular(uniform[half], [*low, *mode, *high])));
                }
            }
            Distribution::Gamma { gamma, scale } => {
                for (group, rows) in groups(column) {
                    let x = gamma.draw::<B, W>(attempts, group);
                    put(rows, each!(half in [0, 1] => B::splat(*scale) * x[half]));
                }
            }
            Distribution::Beta { beta, low, high } => {
                let (start, width) = (B::splat(*low), B::splat(high - low));
                for (group, rows) in groups(column) {
                    let x = beta.draw::<B, W>(attempts, group);
                    put(rows, each!(half in [0, 1] => (start + width * x[half]).min(B::splat(*high))));
                }
            }
            Distribution::TruncatedNormal { mean, deviation, low, high, standard } => {
                let (mean, deviation) = (B::splat(*mean), B::splat(*deviation));
                for (group, rows) in groups(column) {
                    let x = standard.draw::<B, W>(attempts, group);
                    // Rounding must not lead beyond the bounds.
                    let within = each!(half in [0, 1] => {
                        (mean + deviation * x[half]).max(B::splat(*low)).min(B::splat(*high))
                    });
                    put(rows, within);
                }
            }
            Distribution::Poisson { poisson, unit } => {
                for (group, rows) in groups(column) {
                    let count = poisson.draw::<B, W>(attempts, group);
                    put(rows, each!(half in [0, 1] => B::splat(*unit) * count[half]));
                }
            }
            Distribution::Table(table) => {
                for (group, rows) in groups(column) {
                    let uniform = tile.unit(0, group);
                    put(
                        rows,
                        each!(half in [0, 1] => {
                            let shares = uniform[half].to_array();
                            B::new(each!(lane in [0, 1, 2, 3] => table.value(shares[lane])))
                        }),
                    );
                }
            }
            Distribution::Choice { values, odds } => {
                for (group, rows) in groups(column) {
                    let word = tile.whole(0, group);
                    put(
                        rows,
                        each!(half in [0, 1] => odds.choose(word[half], #[inline(always)] |k| values[k])),
                    );
                }
            }
        }
    }
}

/// A number of the triangular distribution between two bounds: the inverse of its distribution function.
#[inline(always)]
fn triangular<B: Doubles>(uniform: B, [low, mode, high]: [f64; 3]) -> B {
    let width = high - low;
    let rising = B::splat(low) + (uniform * B::splat(width) * B::splat(mode - low)).sqrt();
    let left = (B::splat(1.0) - uniform).max(B::ZERO);
    let falling = B::splat(high) - (left * B::splat(width) * B::splat(high - mode)).sqrt();
    uniform.le(B::splat((mode - low) / width)).select(rising, falling)
}

/// The length of a vector: two components from a uniform number, and the third.
#[inline(always)]
fn length<B: Doubles>(uniform: B, third: B) -> B {
    (B::splat(-2.0) * ln(uniform) + third * third).sqrt()
}

/// The upper ends of the entries of a list in the range of a word of 32 bits, which is divided by weight.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Odds {
    /// One for each entry but the last.
    ends: Vec<f64>,
}

impl Odds {
    pub(crate) fn new(weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let sums = weights.iter().scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum / total * 2.0_f64.powi(32))
        });
        Self { ends: sums.take(weights.len() - 1).collect() }
    }

    /// The entry whose part of the range contains each word.
    #[inline(always)]
    fn choose<B: Doubles>(&self, word: B, value: impl Fn(usize) -> f64) -> B {
        let word = word + B::splat(0.5);
        let mut chosen = B::splat(value(0));
        for (k, end) in self.ends.iter().enumerate() {
            chosen = word.lt(B::splat(*end)).select(chosen, B::splat(value(k + 1)));
        }
        chosen
    }
}

/// Two normal deviates from two uniform numbers, for both halves of a group.
#[inline(always)]
fn normal_pairs<B: Doubles>(first: [B; 2], second: [B; 2]) -> [[B; 2]; 2] {
    let ([a, b], [c, d]) = (normal_pair(first[0], second[0]), normal_pair(first[1], second[1]));
    [[a, c], [b, d]]
}
