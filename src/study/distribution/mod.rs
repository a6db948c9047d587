//! Distributions of the random inputs of a study, and how they are written in its file.
//!
//! Of a number: `5.0`, `{ uniform = [low, high] }`, `{ normal = [mean, sd] }`, `{ log_normal = [median, sigma] }`,
//! `{ maxwell = scale }` or `{ choice = [1, 2], weights = [1, 3] }`. For vectors see [`VectorDistribution`].
//!
//! Each takes a fixed number of random words. A uniform number is one of 2^32, in the middle of as many equal intervals; all
//! other distributions but `choice` use 64 bits for each uniform number they start from, so that normal deviates reach
//! 9.4 standard deviations.

mod matrix;
mod rotation;
#[cfg(test)]
mod tests;
mod vector;
mod words;

pub(crate) use rotation::{DrawRotations, Rotation};
pub(crate) use vector::{DrawVectors, VectorDistribution};
pub(crate) use words::{GROUPS, Tile};

use self::words::{groups, put};
use crate::document::Value;
use crate::document::units::Unit;
use crate::error::Result;
use crate::soa::block::{Doubles, each};
use crate::soa::functions::{exp, ln, normal_pair};
use crate::soa::level::Kernel;
use crate::soa::simd::{Simd, Words};

/// The largest sigma of a log-normal distribution: a factor of e^10.
const LARGEST_SIGMA: f64 = 10.0;

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
    /// One of a list.
    Choice { values: Vec<f64>, odds: Odds },
}

impl Distribution {
    /// A number, or a table that names a distribution; what has the unit of the number is written in `unit`.
    pub(crate) fn read(value: Value<'_>, unit: Unit) -> Result<Self> {
        if !value.is_table() {
            return Ok(Self::Constant(unit.si(value.number()?)));
        }
        let names = ["uniform", "normal", "log_normal", "maxwell", "choice"];
        let (name, entry, weights) = named(value, &names)?;
        match name {
            "uniform" => {
                let [low, high] = list_of_two(&entry)?;
                let [low, high] = [low.number()?, high.number()?];
                if low < high {
                    Ok(Self::Uniform { low: unit.si(low), high: unit.si(high) })
                } else {
                    Err(entry.error(format!("is [{low}, {high}]: the first number must be the smaller one")))
                }
            }
            "normal" => {
                let [mean, deviation] = list_of_two(&entry)?;
                let (mean, deviation) = (unit.si(mean.number()?), unit.si(deviation.non_negative()?));
                Ok(Self::Normal { mean, deviation })
            }
            "log_normal" => {
                let [median, sigma] = list_of_two(&entry)?;
                Ok(Self::LogNormal { median: unit.si(median.positive()?), sigma: read_sigma(&sigma)? })
            }
            "maxwell" => Ok(Self::Maxwell { scale: unit.si(entry.non_negative()?) }),
            _ => {
                let values = entry.items()?.into_iter().map(|item| Ok(unit.si(item.number()?)));
                let values = values.collect::<Result<Vec<f64>>>()?;
                let odds = Odds::read(values.len(), &entry, weights)?;
                Ok(Self::Choice { values, odds })
            }
        }
    }

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
            Self::LogNormal { .. } | Self::Maxwell { .. } => [0.0, f64::INFINITY],
            Self::Choice { values, .. } => {
                values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &value| {
                    [low.min(value), high.max(value)]
                })
            }
        }
    }

    /// Random words that one number takes.
    pub(in crate::study) fn words(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::Uniform { .. } | Self::Choice { .. } => 1,
            Self::Normal { .. } | Self::LogNormal { .. } => 4,
            Self::Maxwell { .. } => 6,
        }
    }
}

/// Draws one number for each replica of a tile. `W` are the words of the level that it runs at.
pub(crate) struct DrawNumbers<'a, W> {
    pub(crate) distribution: &'a Distribution,
    pub(crate) tile: Tile<'a, W>,
    pub(crate) column: &'a mut [f64],
}

impl<B: Doubles, W: Words<Numbers = B>> Kernel for DrawNumbers<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { distribution, tile, column } = self;
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
    /// Of `count` entries of a list, equally likely unless there are weights.
    fn read(count: usize, list: &Value<'_>, weights: Option<Value<'_>>) -> Result<Self> {
        if count == 0 {
            return Err(list.error("is empty: there must be something to choose from"));
        }
        let Some(weights) = weights else { return Ok(Self::new(&vec![1.0; count])) };
        let items = weights.items()?;
        if items.len() != count {
            let found = items.len();
            return Err(
                weights.error(format!("has {found} entries: it must have {count}, one for each choice"))
            );
        }
        let numbers = items.iter().map(Value::non_negative).collect::<Result<Vec<f64>>>()?;
        let total: f64 = numbers.iter().sum();
        if total > 0.0 && total.is_finite() {
            Ok(Self::new(&numbers))
        } else {
            Err(weights.error("must have a finite sum above 0"))
        }
    }

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

/// The one distribution that a table names, and its weights.
fn named<'a>(
    value: Value<'a>,
    names: &[&'static str],
) -> Result<(&'static str, Value<'a>, Option<Value<'a>>)> {
    let known: Vec<&str> = names.iter().copied().chain(["weights"]).collect();
    let fields = value.fields(&known)?;
    let mut found = names.iter().filter_map(|name| fields.get(name).map(|entry| (*name, entry)));
    let list = names.join(", ");
    let (name, entry) =
        found.next().ok_or_else(|| fields.error(format!("a distribution must be one of {list}")))?;
    if let Some((_, second)) = found.next() {
        return Err(second.error(format!("is a second distribution: {name} is there, too")));
    }
    let weights = fields.get("weights");
    match &weights {
        Some(weights) if name != "choice" => Err(weights.error("is for choice only")),
        _ => Ok((name, entry, weights)),
    }
}

fn list_of_two<'a>(value: &Value<'a>) -> Result<[Value<'a>; 2]> {
    let count = value.items()?.len();
    <[Value<'a>; 2]>::try_from(value.items()?)
        .map_err(|_| value.error(format!("has {count} entries: it must have 2")))
}

fn read_sigma(value: &Value<'_>) -> Result<f64> {
    let sigma = value.non_negative()?;
    if sigma <= LARGEST_SIGMA {
        Ok(sigma)
    } else {
        Err(value.error(format!("is {sigma}: it must be at most {LARGEST_SIGMA}")))
    }
}

/// Two normal deviates from two uniform numbers, for both halves of a group.
#[inline(always)]
fn normal_pairs<B: Doubles>(first: [B; 2], second: [B; 2]) -> [[B; 2]; 2] {
    let ([a, b], [c, d]) = (normal_pair(first[0], second[0]), normal_pair(first[1], second[1]));
    [[a, c], [b, d]]
}
