//! How precise a study must be: when the interval of an estimate is narrow enough.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::file::replicas;
use super::model::Observable;
use super::statistics::{half_width, relative_half_width};
use super::summary::Estimate;
use crate::document::Value;
use crate::error::Result;

const STOP: [&str; 5] = ["rel", "abs", "of", "min", "max"];

/// The precision at which a point of a study is complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Precision {
    /// How narrow the interval must be.
    pub target: Target,
    /// The observable whose interval counts; all of them if `None`.
    pub observable: Option<String>,
    /// The least number of replicas of a point.
    pub least: u64,
    /// The most replicas of a point: it ends there, precise or not.
    pub most: u64,
}

/// How narrow an interval must be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Target {
    /// Half its width over the magnitude of the value.
    Relative(f64),
    /// Half its width, in the unit of the observable.
    Absolute(f64),
}

impl Precision {
    /// The default of [`least`](Self::least): enough replicas for a meaningful first interval.
    pub const LEAST: u64 = 1000;
    /// The default of [`most`](Self::most).
    pub const MOST: u64 = 100_000_000;

    /// This target for all observables, with the default numbers of replicas.
    #[must_use]
    pub fn new(target: Target) -> Self {
        Self { target, observable: None, least: Self::LEAST, most: Self::MOST }
    }

    /// The precision in the table `[stop]` of a study file.
    pub(super) fn read(value: &Value<'_>, observables: &[Observable]) -> Result<Self> {
        let fields = value.clone().fields(&STOP)?;
        let target = match (fields.get("rel"), fields.get("abs")) {
            (Some(share), None) => Target::Relative(share.positive()?),
            (None, Some(width)) => Target::Absolute(width.positive()?),
            _ => return Err(value.error("needs exactly one of rel and abs")),
        };
        let names: Vec<(&str, &str)> = observables
            .iter()
            .map(|observable| (observable.name.as_str(), observable.name.as_str()))
            .collect();
        let observable = fields.get("of").map(|of| of.choice(&names)).transpose()?.map(str::to_owned);
        let least = fields.get("min").map_or(Ok(Self::LEAST), |value| replicas(&value))?;
        let most = fields.get("max").map_or(Ok(Self::MOST.max(least)), |value| replicas(&value))?;
        match fields.get("max") {
            Some(max) if most < least => {
                Err(max.error(format!("is {most}: it must not be below min, {least}")))
            }
            _ => Ok(Self { target, observable, least, most }),
        }
    }

    /// The indices of the observables whose intervals count.
    pub(super) fn observables<'a>(&'a self, all: &'a [Observable]) -> impl Iterator<Item = usize> {
        let counts = |name: &str| self.observable.as_deref().is_none_or(|only| only == name);
        all.iter().enumerate().filter(move |(_, observable)| counts(&observable.name)).map(|(which, _)| which)
    }

    /// Half the width of an interval over the width that the target allows; above 1 it is too wide.
    pub(super) fn excess(&self, estimate: &Estimate) -> f64 {
        if half_width(estimate) == Some(0.0) {
            return 0.0;
        }
        let ratio = match self.target {
            Target::Relative(share) => relative_half_width(estimate).map(|half| half / share),
            Target::Absolute(width) => half_width(estimate).map(|half| half / width),
        };
        ratio.unwrap_or(f64::INFINITY)
    }
}

impl FromStr for Target {
    type Err = String;

    /// `rel=0.01` or `abs=0.002`.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = || "write rel=0.01 or abs=0.002".to_owned();
        let (name, number) = text.split_once('=').ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        if !(number > 0.0 && number.is_finite()) {
            return Err("the precision must be above 0".into());
        }
        match name.trim() {
            "rel" => Ok(Self::Relative(number)),
            "abs" => Ok(Self::Absolute(number)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relative(share) => write!(f, "rel={share}"),
            Self::Absolute(width) => write!(f, "abs={width}"),
        }
    }
}
