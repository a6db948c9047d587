//! How the distributions of numbers are written in study files.

use super::rejection::{Beta, Gamma, Poisson, TruncatedNormal};
use super::table::Table;
use super::{Distribution, Odds};
use crate::document::Value;
use crate::document::units::Unit;
use crate::error::Result;

/// The largest sigma of a log-normal distribution: a factor of e^10.
const LARGEST_SIGMA: f64 = 10.0;
/// Shapes of gamma and beta distributions: below, nearly all numbers of a gamma distribution are 0.
const SHAPES: [f64; 2] = [1e-3, 1e9];
/// The largest mean of a Poisson distribution, whose counts are whole numbers of 32 bits or little more.
const MOST_EVENTS: f64 = 1e9;

/// Names of the distributions of a number, in the order in which they are listed.
const NAMES: [&str; 12] = [
    "uniform",
    "normal",
    "log_normal",
    "maxwell",
    "choice",
    "exponential",
    "gamma",
    "beta",
    "triangular",
    "truncated_normal",
    "poisson",
    "table",
];

impl Distribution {
    /// A number, or a table that names a distribution; what has the unit of the number is written in `unit`.
    pub(crate) fn read(value: Value<'_>, unit: Unit) -> Result<Self> {
        if !value.is_table() {
            return Ok(Self::Constant(unit.si(value.number()?)));
        }
        let Named { name, entry, weights, range } = Named::of(value, &NAMES)?;
        match name {
            "uniform" => {
                let [low, high] = rising(&entry)?;
                Ok(Self::Uniform { low: unit.si(low), high: unit.si(high) })
            }
            "normal" => {
                let [mean, deviation] = entries(&entry)?;
                let (mean, deviation) = (unit.si(mean.number()?), unit.si(deviation.non_negative()?));
                Ok(Self::Normal { mean, deviation })
            }
            "log_normal" => {
                let [median, sigma] = entries(&entry)?;
                let sigma = at_most(&sigma, sigma.non_negative()?, LARGEST_SIGMA)?;
                Ok(Self::LogNormal { median: unit.si(median.positive()?), sigma })
            }
            "maxwell" => Ok(Self::Maxwell { scale: unit.si(entry.non_negative()?) }),
            "exponential" => Ok(Self::Exponential { mean: unit.si(entry.positive()?) }),
            "gamma" => {
                let [shape, scale] = entries(&entry)?;
                let gamma = Gamma { shape: read_shape(&shape)? };
                Ok(Self::Gamma { gamma, scale: unit.si(scale.positive()?) })
            }
            "beta" => {
                let [a, b] = entries(&entry)?;
                let beta = Beta { shapes: [read_shape(&a)?, read_shape(&b)?] };
                let [low, high] = range.map_or(Ok([0.0, 1.0]), |range| rising(&range))?;
                Ok(Self::Beta { beta, low: unit.si(low), high: unit.si(high) })
            }
            "triangular" => read_triangular(&entry, unit),
            "truncated_normal" => read_truncated(&entry, unit),
            "poisson" => {
                let mean = at_most(&entry, entry.positive()?, MOST_EVENTS)?;
                Ok(Self::Poisson { poisson: Poisson { mean }, unit: unit.si(1.0) })
            }
            "table" => Ok(Self::Table(Table::read(&entry, unit)?)),
            _ => {
                let values = entry.items()?.into_iter().map(|item| Ok(unit.si(item.number()?)));
                let values = values.collect::<Result<Vec<f64>>>()?;
                let odds = Odds::read(values.len(), &entry, weights)?;
                Ok(Self::Choice { values, odds })
            }
        }
    }
}

fn read_triangular(entry: &Value<'_>, unit: Unit) -> Result<Distribution> {
    let [low, mode, high] = entries(entry)?;
    let [low, mode, high] = [low.number()?, mode.number()?, high.number()?];
    if low < high && (low..=high).contains(&mode) {
        Ok(Distribution::Triangular { low: unit.si(low), mode: unit.si(mode), high: unit.si(high) })
    } else {
        Err(entry.error(format!(
            "is [{low}, {mode}, {high}]: it must be [low, mode, high] with low below high and the mode between them"
        )))
    }
}

fn read_truncated(entry: &Value<'_>, unit: Unit) -> Result<Distribution> {
    let [mean, deviation, low, high] = entries(entry)?;
    let (mean, deviation) = (unit.si(mean.number()?), unit.si(deviation.positive()?));
    let [low, high] = [unit.si(low.number_or_infinity()?), unit.si(high.number_or_infinity()?)];
    if low < high {
        let standard = TruncatedNormal::new((low - mean) / deviation, (high - mean) / deviation);
        Ok(Distribution::TruncatedNormal { mean, deviation, low, high, standard })
    } else {
        Err(entry.error("must be [mean, sd, low, high] with low below high"))
    }
}

impl Odds {
    /// Of `count` entries of a list, equally likely unless there are weights.
    pub(super) fn read(count: usize, list: &Value<'_>, weights: Option<Value<'_>>) -> Result<Self> {
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
}

/// The one distribution that a table names, and what else belongs to it.
pub(super) struct Named<'a> {
    pub(super) name: &'static str,
    pub(super) entry: Value<'a>,
    pub(super) weights: Option<Value<'a>>,
    range: Option<Value<'a>>,
}

impl<'a> Named<'a> {
    pub(super) fn of(value: Value<'a>, names: &[&'static str]) -> Result<Self> {
        let known: Vec<&str> = names.iter().copied().chain(["weights", "range"]).collect();
        let fields = value.fields(&known)?;
        let mut found = names.iter().filter_map(|name| fields.get(name).map(|entry| (*name, entry)));
        let list = names.join(", ");
        let (name, entry) =
            found.next().ok_or_else(|| fields.error(format!("a distribution must be one of {list}")))?;
        if let Some((_, second)) = found.next() {
            return Err(second.error(format!("is a second distribution: {name} is there, too")));
        }
        for (key, owner) in [("weights", "choice"), ("range", "beta")] {
            if let Some(other) = fields.get(key).filter(|_| name != owner) {
                return Err(other.error(format!("is for {owner} only")));
            }
        }
        Ok(Self { name, entry, weights: fields.get("weights"), range: fields.get("range") })
    }
}

/// The entries of a list of so many.
fn entries<'a, const N: usize>(value: &Value<'a>) -> Result<[Value<'a>; N]> {
    let count = value.items()?.len();
    <[Value<'a>; N]>::try_from(value.items()?)
        .map_err(|_| value.error(format!("has {count} entries: it must have {N}")))
}

/// Two numbers, the first below the second.
fn rising(value: &Value<'_>) -> Result<[f64; 2]> {
    let [low, high] = entries(value)?;
    let [low, high] = [low.number()?, high.number()?];
    if low < high {
        Ok([low, high])
    } else {
        Err(value.error(format!("is [{low}, {high}]: the first number must be the smaller one")))
    }
}

fn read_shape(value: &Value<'_>) -> Result<f64> {
    let shape = value.number()?;
    let [least, most] = SHAPES;
    if (least..=most).contains(&shape) {
        Ok(shape)
    } else {
        Err(value.error(format!("is {shape}: it must be from {least} to {most}")))
    }
}

fn at_most(value: &Value<'_>, number: f64, most: f64) -> Result<f64> {
    if number <= most {
        Ok(number)
    } else {
        Err(value.error(format!("is {number}: it must be at most {most}")))
    }
}
