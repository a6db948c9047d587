//! Numbers of a model: always the same, or drawn for every replica.

use crate::document::Value;
use crate::document::units::Unit;
use crate::error::Result;
use crate::study::distribution::Distribution;
use crate::study::inputs::Inputs;

/// A number that is always the same or drawn for every replica.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number {
    /// In SI units.
    Constant(f64),
    /// In this column of the inputs.
    Drawn(usize),
}

impl Number {
    /// A number of this distribution: an input of this name and SI unit, unless it is always the same.
    pub(crate) fn new(distribution: Distribution, name: &str, unit: &str, inputs: &mut Inputs) -> Self {
        match distribution.constant() {
            Some(constant) => Self::Constant(constant),
            None => Self::Drawn(inputs.number(name, unit, distribution)),
        }
    }

    /// Its value in a replica with these inputs.
    pub(crate) fn of(self, inputs: &[f64]) -> f64 {
        match self {
            Self::Constant(value) => value,
            Self::Drawn(column) => inputs[column],
        }
    }
}

/// The least and the greatest that a number may be.
pub(crate) type Bounds = [f64; 2];
pub(crate) const ANY: Bounds = [f64::NEG_INFINITY, f64::INFINITY];
pub(crate) const NOT_NEGATIVE: Bounds = [0.0, f64::INFINITY];
pub(crate) const SHARE: Bounds = [0.0, 1.0];

/// The distribution of a number that may not leave these bounds, in SI units. An unbounded one may: a replica
/// with a number outside fails.
pub(crate) fn within(value: &Value<'_>, unit: Unit, bounds: Bounds) -> Result<Distribution> {
    let distribution = Distribution::read(value.clone(), unit)?;
    let outside = |end: &f64| end.is_finite() && !(bounds[0]..=bounds[1]).contains(end);
    match distribution.range().iter().find(|end| outside(end)) {
        Some(_) if bounds[1] == f64::INFINITY => Err(value.error(format!("must not be below {}", bounds[0]))),
        Some(_) => Err(value.error(format!("must be from {} to {}", bounds[0], bounds[1]))),
        None => Ok(distribution),
    }
}
