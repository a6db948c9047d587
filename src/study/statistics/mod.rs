//! Estimates with intervals from the values of replicas (docs/methods/statistics.md).

mod bootstrap;
mod choice;
mod intervals;
mod sketch;
mod special;
mod tail;
mod tally;

pub(crate) use choice::{CHANCE_INTERVALS, ChanceInterval, MEAN_INTERVALS, MeanInterval};
pub(crate) use sketch::Sketch;
pub(in crate::study) use special::complementary_error;
pub(crate) use tally::Tally;

use intervals::Interval;
use tail::Doubt;
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
            chance: ChanceInterval::Automatic,
            mean: MeanInterval::Automatic,
            quantiles: vec![0.05, 0.5, 0.95],
            bins: 40,
            keep: 1000,
            max_failed: 0.01,
        }
    }
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
    /// Whether the estimate has the spread of a quantity.
    pub(crate) with_spread: bool,
    /// All values, if all are kept.
    pub(crate) kept: Option<&'a [f64]>,
    /// What is known without sampling.
    pub(crate) reference: Option<Reference>,
    /// The seed of the study.
    pub(crate) seed: u64,
}

/// With fewer samples the interval of a mean is not trusted.
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
        trusted: core.trusted,
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
    trusted: bool,
    note: Option<String>,
}

fn chance(name: &str, hits: u64, trials: u64, settings: &Settings) -> Core {
    let percent = 100.0 * settings.confidence;
    if trials == 0 {
        let note = Some(NO_ESTIMATE.into());
        return Core { value: None, interval: None, method: "clopper-pearson", trusted: false, note };
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
        let (interval, method) = settings.chance.of(hits, trials, settings.confidence);
        (interval, method, None)
    };
    Core { value, interval: Some(interval), method, trusted: true, note }
}

fn quantity(moments: &Moments, settings: &Settings, evidence: &Evidence<'_>) -> Core {
    let (interval, method) = settings.mean.of(moments, settings, evidence);
    let doubt = choice::doubt(moments, evidence.sketch);
    let note = match moments.count {
        0 => Some(NO_ESTIMATE.into()),
        1 => Some("no interval: one sample only".into()),
        few @ 2..FEW_SAMPLES => Some(format!("too little data: {few} samples")),
        count => doubt.map(|doubt| warning(count, doubt)).or_else(|| all_equal(moments, settings)),
    };
    let value = (moments.count > 0).then_some(moments.mean);
    Core { value, interval, method, trusted: moments.count >= FEW_SAMPLES && doubt.is_none(), note }
}

const NO_ESTIMATE: &str = "no estimate: no replica says anything about it";

fn warning(count: u64, doubt: Doubt) -> String {
    let reason = match doubt {
        Doubt::Skewed { skewness, needed } if needed < MOST_NEEDED => format!(
            "{count} samples are too few for values with a skewness of about {skewness:.1}; at least {} are needed",
            needed.ceil()
        ),
        Doubt::Skewed { .. } => {
            format!("{count} samples are too few for values that differ by so many powers of ten")
        }
        Doubt::NoVariance => "the largest samples are spread as if the variance were infinite".into(),
    };
    format!("warning: the interval cannot be trusted, since {reason}")
}

/// More samples than a study can have.
const MOST_NEEDED: f64 = 1e12;

/// Without any spread there is nothing to base an interval on.
fn all_equal(moments: &Moments, settings: &Settings) -> Option<String> {
    let bound = 100.0 * intervals::bound_without_hits(moments.count, settings.confidence);
    (moments.squares == 0.0).then(|| {
        format!(
            "all {} samples are equal: other values may have a probability of up to {bound:.2}%",
            moments.count
        )
    })
}

fn spread(settings: &Settings, evidence: &Evidence<'_>) -> Option<Spread> {
    let sketch = evidence.sketch.filter(|_| evidence.with_spread);
    let (Tally::Quantity(moments), Some(sketch)) = (&evidence.total, sketch) else { return None };
    let quantile = |&share: &f64| {
        let ranks = intervals::quantile_ranks(share, sketch.count(), settings.confidence);
        let ends = ranks.and_then(|ranks| sketch.between(ranks));
        let (low, high) = (ends.map(|ends| ends[0]), ends.map(|ends| ends[1]));
        sketch.quantile(share).map(|value| Quantile { share, value, low, high })
    };
    Some(Spread {
        deviation: moments.variance().map(f64::sqrt),
        skewness: moments.skewness(),
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
            let one_sided = *hits == 0 || hits == trials;
            let method = if one_sided { ChanceInterval::Wilson } else { settings.chance };
            (*hits as f64 / *trials as f64, method.of(*hits, *trials, settings.confidence).0)
        }
        Tally::Quantity(moments) => (moments.mean, settings.mean.of_moments(moments, settings.confidence)?),
    };
    Some(Convergence { samples: prefix.samples(), value, low, high })
}

/// Half the width of the interval over the magnitude of the value; `None` where there is no two-sided interval.
pub(crate) fn relative_half_width(estimate: &Estimate) -> Option<f64> {
    let value = estimate.value.filter(|value| *value != 0.0)?;
    half_width(estimate).map(|half| half / value.abs())
}

/// Half the width of the interval; `None` if there is none that can be trusted.
pub(crate) fn half_width(estimate: &Estimate) -> Option<f64> {
    let (low, high) = estimate.low.zip(estimate.high).filter(|_| estimate.trusted)?;
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
            with_spread: true,
            kept: Some(values),
            reference: None,
            seed: 1,
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
        let equal = of(ObservableKind::Quantity, &[2.0; 30], &settings);
        assert_eq!((equal.low, equal.high, equal.trusted), (Some(2.0), Some(2.0), true));
        assert_eq!(
            equal.note.unwrap(),
            "all 30 samples are equal: other values may have a probability of up to 9.50%"
        );
    }

    #[test]
    fn skewed_samples_get_another_interval_and_at_last_a_warning() {
        let settings = Settings::default();
        // One value in ten and one in three hundred is 1: skewness 2.67 and 17.2.
        let rare = |each: usize, count: usize| -> Vec<f64> {
            (0..count).map(|n| f64::from(u8::from(n % each == 0))).collect()
        };
        let fair = of(ObservableKind::Quantity, &rare(10, 1000), &settings);
        assert_eq!((fair.method.as_str(), fair.trusted, fair.note), ("hall", true, None));
        assert!(fair.high.unwrap() - 0.1 > 0.1 - fair.low.unwrap());
        let poor = of(ObservableKind::Quantity, &rare(300, 900), &settings);
        assert_eq!((poor.method.as_str(), poor.trusted), ("hall", false));
        let note = poor.note.clone().unwrap();
        assert!(
            note.contains("cannot be trusted") && note.contains("skewness of about 17.2; at least 2971"),
            "{note}"
        );
        assert_eq!(half_width(&poor), None);
        assert_eq!(of(ObservableKind::Quantity, &rare(100, 2000), &settings).note, None);
        let plain = Settings { mean: MeanInterval::Student, ..Settings::default() };
        let asked = of(ObservableKind::Quantity, &rare(300, 900), &plain);
        assert_eq!((asked.method.as_str(), asked.trusted), ("t", false));
        // The last point of the curve of convergence is the estimate.
        let last = poor.convergence.last().unwrap();
        assert_eq!((Some(last.low), Some(last.high)), (poor.low, poor.high));
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
