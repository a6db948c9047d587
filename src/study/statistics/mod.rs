//! Estimates with intervals from the values of replicas (docs/methods/statistics.md).

mod intervals;
mod sketch;
mod special;
mod tally;

pub(crate) use sketch::Sketch;
pub(in crate::study) use special::complementary_error;
pub(crate) use tally::Tally;

use intervals::Interval;
use tally::Moments;

use super::model::Observable;
use super::summary::{Convergence, Estimate, Quantile, Reference, Spread};

/// Settings of the estimates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    /// The probability with which an interval covers the true value.
    pub(crate) confidence: f64,
    pub(crate) chance: ChanceInterval,
    pub(crate) mean: MeanInterval,
    /// Shares of the quantiles of quantities.
    pub(crate) quantiles: Vec<f64>,
    /// Bins of a histogram.
    pub(crate) bins: usize,
    /// Replicas of a point whose inputs and values are kept.
    pub(crate) keep: u64,
    /// Share of the replicas of a point that may fail.
    pub(crate) max_failed: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            chance: ChanceInterval::Wilson,
            mean: MeanInterval::Student,
            quantiles: vec![0.05, 0.5, 0.95],
            bins: 40,
            keep: 1000,
            max_failed: 0.01,
        }
    }
}

/// Intervals of a probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChanceInterval {
    Wilson,
    ClopperPearson,
}

/// Intervals of a mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MeanInterval {
    Student,
    Bootstrap,
}

/// All that is known about one observable at one point.
#[derive(Debug, Clone)]
pub(crate) struct Evidence<'a> {
    /// All replicas.
    pub(crate) total: Tally,
    /// Blocks of equally many consecutive replicas, in order.
    pub(crate) blocks: Vec<Tally>,
    /// Growing numbers of the first replicas; the last entry is the total.
    pub(crate) prefixes: Vec<Tally>,
    /// The distribution of a quantity.
    pub(crate) sketch: Option<&'a Sketch>,
    /// All values, if all are kept.
    pub(crate) kept: Option<&'a [f64]>,
    /// What is known without sampling.
    pub(crate) reference: Option<Reference>,
}

/// With fewer samples a mean gets a warning.
const FEW_SAMPLES: u64 = 10;

/// The estimate, its interval, and a warning where one is due.
pub(crate) fn estimate(observable: &Observable, settings: &Settings, evidence: &Evidence<'_>) -> Estimate {
    let core = match &evidence.total {
        Tally::Chance { trials, hits } => chance(&observable.name, *hits, *trials, settings),
        Tally::Quantity(moments) => quantity(moments, settings, evidence),
    };
    let interval = core.interval;
    Estimate {
        samples: evidence.total.samples(),
        hits: match evidence.total {
            Tally::Chance { hits, .. } => Some(hits),
            Tally::Quantity(_) => None,
        },
        value: core.value,
        low: interval.map(|ends| ends[0]),
        high: interval.map(|ends| ends[1]),
        method: core.method.into(),
        note: core.note,
        spread: spread(settings, evidence),
        reference: evidence.reference.clone(),
        convergence: evidence.prefixes.iter().filter_map(|prefix| converging(prefix, settings)).collect(),
    }
}

/// An estimate with its interval alone.
struct Core {
    value: Option<f64>,
    interval: Option<Interval>,
    method: &'static str,
    note: Option<String>,
}

fn chance(name: &str, hits: u64, trials: u64, settings: &Settings) -> Core {
    let percent = 100.0 * settings.confidence;
    if trials == 0 {
        let note = Some("no estimate: no replica says anything about it".into());
        return Core { value: None, interval: None, method: chance_method(settings), note };
    }
    let value = Some(hits as f64 / trials as f64);
    let bound = intervals::bound_without_hits(trials, settings.confidence);
    let (interval, method, note) = if hits == 0 {
        let note = format!("no {name} in {trials} replicas: an upper bound only, with {percent}% confidence");
        ([0.0, bound], "clopper-pearson", Some(note))
    } else if hits == trials {
        let note =
            format!("{name} in all of {trials} replicas: a lower bound only, with {percent}% confidence");
        ([1.0 - bound, 1.0], "clopper-pearson", Some(note))
    } else {
        (chance_interval(hits, trials, settings), chance_method(settings), None)
    };
    Core { value, interval: Some(interval), method, note }
}

fn chance_interval(hits: u64, trials: u64, settings: &Settings) -> Interval {
    match settings.chance {
        ChanceInterval::Wilson => intervals::wilson(hits, trials, settings.confidence),
        ChanceInterval::ClopperPearson => intervals::clopper_pearson(hits, trials, settings.confidence),
    }
}

fn chance_method(settings: &Settings) -> &'static str {
    match settings.chance {
        ChanceInterval::Wilson => "wilson",
        ChanceInterval::ClopperPearson => "clopper-pearson",
    }
}

fn quantity(moments: &Moments, settings: &Settings, evidence: &Evidence<'_>) -> Core {
    let (interval, method) = match settings.mean {
        MeanInterval::Student => (student(moments, settings), "t"),
        MeanInterval::Bootstrap => (bootstrap(settings, evidence), "bootstrap"),
    };
    let note = match moments.count {
        0 => Some("no estimate: no replica says anything about it".into()),
        1 => Some("no interval: one sample only".into()),
        few @ 2..FEW_SAMPLES => Some(format!("too little data: {few} samples")),
        _ => None,
    };
    Core { value: (moments.count > 0).then_some(moments.mean), interval, method, note }
}

fn student(moments: &Moments, settings: &Settings) -> Option<Interval> {
    if moments.count < 2 { None } else { intervals::student(moments, settings.confidence) }
}

/// From all values if they are kept, otherwise from blocks of them.
fn bootstrap(settings: &Settings, evidence: &Evidence<'_>) -> Option<Interval> {
    match evidence.kept {
        Some(kept) => {
            let known: Vec<f64> = kept.iter().copied().filter(|value| !value.is_nan()).collect();
            intervals::bootstrap(&known, settings.confidence)
        }
        None => intervals::block_bootstrap(&evidence.blocks, settings.confidence),
    }
}

fn spread(settings: &Settings, evidence: &Evidence<'_>) -> Option<Spread> {
    let (Tally::Quantity(moments), Some(sketch)) = (&evidence.total, evidence.sketch) else { return None };
    let quantile = |&share: &f64| {
        let ranks = intervals::quantile_ranks(share, sketch.count(), settings.confidence);
        let ends = ranks.and_then(|ranks| sketch.between(ranks));
        let (low, high) = (ends.map(|ends| ends[0]), ends.map(|ends| ends[1]));
        sketch.quantile(share).map(|value| Quantile { share, value, low, high })
    };
    Some(Spread {
        deviation: moments.variance().map(f64::sqrt),
        standard_error: moments.standard_error(),
        least: sketch.least()?,
        greatest: sketch.greatest()?,
        quantiles: settings.quantiles.iter().filter_map(quantile).collect(),
        histogram: sketch.histogram(settings.bins),
    })
}

/// A point of the curve of convergence, by the formula that needs the tally alone.
fn converging(prefix: &Tally, settings: &Settings) -> Option<Convergence> {
    let (value, [low, high]) = match prefix {
        Tally::Chance { trials: 0, .. } => return None,
        Tally::Chance { trials, hits } => {
            (*hits as f64 / *trials as f64, intervals::wilson(*hits, *trials, settings.confidence))
        }
        Tally::Quantity(moments) => (moments.mean, student(moments, settings)?),
    };
    Some(Convergence { samples: prefix.samples(), value, low, high })
}

/// Half the width of the interval over the magnitude of the value; `None` where there is no two-sided interval.
pub(crate) fn relative_half_width(estimate: &Estimate) -> Option<f64> {
    let value = estimate.value.filter(|value| *value != 0.0)?;
    half_width(estimate).map(|half| half / value.abs())
}

/// Half the width of the interval; `None` if there is none, or too little data for one.
pub(crate) fn half_width(estimate: &Estimate) -> Option<f64> {
    let enough = estimate.hits.is_some() || estimate.samples >= FEW_SAMPLES;
    let (low, high) = estimate.low.zip(estimate.high).filter(|_| enough)?;
    Some(0.5 * (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::model::ObservableKind;

    fn observable(kind: ObservableKind) -> Observable {
        Observable { name: "hit".into(), unit: String::new(), description: String::new(), kind }
    }

    fn of(kind: ObservableKind, values: &[f64], settings: &Settings) -> Estimate {
        let total = Tally::of(kind, values);
        let mut sketch = Sketch::new();
        sketch.add(values);
        let evidence = Evidence {
            total,
            blocks: vec![total],
            prefixes: vec![total],
            sketch: Some(&sketch),
            kept: Some(values),
            reference: None,
        };
        estimate(&observable(kind), settings, &evidence)
    }

    #[test]
    fn no_hits_and_no_data_say_so() {
        let settings = Settings::default();
        let none = of(ObservableKind::Chance, &[0.0; 300], &settings);
        assert_eq!((none.value, none.hits, none.low), (Some(0.0), Some(0), Some(0.0)));
        assert!((none.high.unwrap() - 0.00994).abs() < 1e-5 && none.note.unwrap().contains("upper bound"));
        let all = of(ObservableKind::Chance, &[1.0; 300], &settings);
        assert!(all.note.unwrap().contains("lower bound") && all.high == Some(1.0));
        for kind in [ObservableKind::Chance, ObservableKind::Quantity] {
            let empty = of(kind, &[f64::NAN], &settings);
            assert_eq!((empty.samples, empty.value, empty.low, empty.high), (0, None, None, None));
            assert!(empty.note.unwrap().contains("no estimate"));
        }
        let one = of(ObservableKind::Quantity, &[2.0], &settings);
        assert_eq!((one.value, one.low, one.convergence.len()), (Some(2.0), None, 0));
        assert!(one.note.unwrap().contains("one sample"));
        assert!(of(ObservableKind::Quantity, &[2.0, 3.0], &settings).note.unwrap().contains("too little"));
    }

    #[test]
    fn a_quantity_has_its_spread() {
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        let found = of(ObservableKind::Quantity, &values, &Settings::default());
        let spread = found.spread.clone().unwrap();
        assert_eq!((found.value, spread.least, spread.greatest), (Some(499.5), 0.0, 999.0));
        assert!((spread.deviation.unwrap() - 288.819).abs() < 1e-3);
        assert_eq!(spread.quantiles[1].value, 499.0);
        assert!(spread.quantiles[1].low.unwrap() < 480.0 && spread.quantiles[1].high.unwrap() > 520.0);
        assert!((relative_half_width(&found).unwrap() - 17.92 / 499.5).abs() < 1e-3);
        let bootstrap = Settings { mean: MeanInterval::Bootstrap, ..Settings::default() };
        let resampled = of(ObservableKind::Quantity, &values, &bootstrap);
        assert_eq!(resampled.method, "bootstrap");
        assert!((resampled.low.unwrap() - found.low.unwrap()).abs() < 3.0);
    }
}
