//! Named results of a simulation.

use serde::Serialize;

/// A result of a simulation with its name and unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Quantity {
    /// In small letters with underscores, such as `mean_free_path`.
    pub name: &'static str,
    /// The result.
    pub value: Value,
    /// The SI unit of the value, such as `m/s`; empty for a pure number.
    pub unit: &'static str,
}

/// The value of a [`Quantity`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Value {
    /// A number; `None` where it is not defined.
    Number(Option<f64>),
    /// How often something happened.
    Count(u64),
    /// One number per axis.
    Vector(Vec<f64>),
    /// Letters and digits, such as those of a hash.
    Text(String),
    /// Counts in bins of equal width from 0 on.
    Histogram {
        /// Of a bin, in the unit of the quantity.
        width: f64,
        /// Of each bin.
        counts: Vec<u64>,
    },
}

impl Quantity {
    /// A number in this unit; `None` where it is not defined.
    #[must_use]
    pub fn number(name: &'static str, value: impl Into<Option<f64>>, unit: &'static str) -> Self {
        Self { name, value: Value::Number(value.into()), unit }
    }

    /// How often something happened.
    #[must_use]
    pub fn count(name: &'static str, count: u64) -> Self {
        Self { name, value: Value::Count(count), unit: "" }
    }

    /// A vector in this unit.
    #[must_use]
    pub fn vector(name: &'static str, components: &[f64], unit: &'static str) -> Self {
        Self { name, value: Value::Vector(components.to_vec()), unit }
    }

    /// Letters and digits.
    #[must_use]
    pub fn text(name: &'static str, text: String) -> Self {
        Self { name, value: Value::Text(text), unit: "" }
    }
}
