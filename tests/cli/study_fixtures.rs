//! Results of studies that were never run, for the tests of their page.

use carom::study::{
    Axis, Convergence, Estimate, Histogram, ListedFailure, Observable, ObservableKind, PointSummary,
    Quantile, Reference, RunRecord, Spread, StudyRecord, Summary,
};

/// One and a half percent of the normal distribution lie outside of this many standard deviations on each side.
const QUANTILES: [(f64, f64); 3] = [(0.05, -1.644_85), (0.5, 0.0), (0.95, 1.644_85)];

fn observable(name: &str, unit: &str, kind: ObservableKind) -> Observable {
    let description = format!("what is called {name}");
    Observable { name: name.into(), unit: unit.into(), description, kind }
}

/// Interval of a chance, by the normal approximation; without hits from 0 to the rule of three.
fn interval(hits: u64, samples: u64) -> [f64; 3] {
    let (n, p) = (samples as f64, hits as f64 / samples as f64);
    let half = 1.96 * (p * (1.0 - p) / n).sqrt();
    if hits == 0 { [0.0, 0.0, 3.0 / n] } else { [p - half, p, p + half] }
}

pub(crate) fn chance(hits: u64, samples: u64, reference: Option<f64>) -> Estimate {
    let [low, value, high] = interval(hits, samples);
    let steps = (0..12_u32).rev().map(|halvings| samples >> halvings).filter(|samples| *samples > 8);
    let course = steps.enumerate().map(|(n, samples)| {
        let wobble = 1.0 + (n as f64 * 2.4).sin() * 0.8 / (samples as f64 * value.max(1e-9)).sqrt();
        let half = 1.96 * (value / samples as f64).sqrt();
        Convergence {
            samples,
            value: value * wobble,
            low: value * wobble - half,
            high: value * wobble + half,
        }
    });
    Estimate {
        samples,
        hits: Some(hits),
        value: Some(value),
        low: Some(low),
        high: Some(high),
        method: "wilson".into(),
        trusted: true,
        note: (hits == 0).then(|| "no hits: an upper bound only".into()),
        spread: None,
        reference: reference.map(|value| Reference { name: "Foster & <Estes>".into(), value }),
        convergence: if hits == 0 { Vec::new() } else { course.collect() },
    }
}

pub(crate) fn quantity(mean: f64, deviation: f64, samples: u64, reference: Option<f64>) -> Estimate {
    let standard_error = deviation / (samples as f64).sqrt();
    let half = |samples: u64| 1.96 * deviation / (samples as f64).sqrt();
    let course = (4..=64).step_by(4).map(|part| {
        let samples = samples * part / 64;
        let value = mean + half(samples) * 0.5 * (part as f64).cos();
        Convergence { samples, value, low: value - half(samples), high: value + half(samples) }
    });
    let density = |n: i32| (samples as f64 * 0.08 * (-0.5 * (f64::from(n) / 5.0).powi(2)).exp()) as u64;
    Estimate {
        samples,
        hits: None,
        value: Some(mean),
        low: Some(mean - half(samples)),
        high: Some(mean + half(samples)),
        method: "t".into(),
        trusted: true,
        note: None,
        spread: Some(Spread {
            deviation: Some(deviation),
            skewness: Some(0.0),
            standard_error: Some(standard_error),
            least: mean - 4.0 * deviation,
            greatest: mean + 4.0 * deviation,
            quantiles: QUANTILES
                .map(|(share, at)| quantile(share, mean + at * deviation, standard_error))
                .to_vec(),
            histogram: Histogram {
                start: mean - 4.0 * deviation,
                width: deviation * 0.2,
                counts: (-20..20).map(density).collect(),
            },
        }),
        reference: reference.map(|value| Reference { name: "theory".into(), value }),
        convergence: course.collect(),
    }
}

fn quantile(share: f64, value: f64, error: f64) -> Quantile {
    Quantile { share, value, low: Some(value - 3.0 * error), high: Some(value + 3.0 * error) }
}

pub(crate) fn nothing() -> Estimate {
    Estimate {
        samples: 0,
        hits: None,
        value: None,
        low: None,
        high: None,
        method: "t".into(),
        trusted: false,
        note: Some("too little data".into()),
        spread: None,
        reference: None,
        convergence: Vec::new(),
    }
}

fn point(parameters: &[f64], estimates: Vec<Estimate>) -> PointSummary {
    PointSummary {
        parameters: parameters.to_vec(),
        replicas: 100_000,
        failed: 0,
        precise: None,
        warnings: Vec::new(),
        estimates,
    }
}

fn summary(observables: Vec<Observable>, axes: Vec<Axis>, points: Vec<PointSummary>) -> Summary {
    Summary {
        format: "carom study summary".into(),
        version: 1,
        study: StudyRecord {
            name: "conjunction".into(),
            description: "Two satellites pass each other at 10 km/s; where they are is known to some 100 m."
                .into(),
            kind: "encounter".into(),
            text: "kind = \"encounter\"\nreplicas = 100_000\n\n[encounter]\n# <script>alert(1)</script>\n"
                .into(),
            seed: 1,
            replicas: 100_000,
            precision: None,
            confidence: 0.95,
        },
        carom_version: "0.1.0".into(),
        revision: Some("0123abc".into()),
        complete: true,
        axes,
        observables,
        points,
        failures: Vec::new(),
        run: RunRecord {
            machine: "node7".into(),
            processor: "AMD EPYC 7B13".into(),
            cpu_level: "avx2".into(),
            threads: 8,
            processes: 1,
            started: "2026-01-31T12:00:00Z".into(),
            seconds: 83.2,
            resumed: 0,
        },
    }
}

fn axis(name: &str, values: Vec<f64>, logarithmic: bool, [title, unit]: [&str; 2]) -> Axis {
    Axis { name: name.into(), values, logarithmic, title: title.into(), unit: unit.into() }
}

/// A chance that is known, a quantity, a rare event.
pub(crate) fn one_point() -> Summary {
    let observables = vec![
        observable("collision", "", ObservableKind::Chance),
        observable("miss_distance", "m", ObservableKind::Quantity),
        observable("time", "s", ObservableKind::Quantity),
    ];
    let estimates = vec![
        chance(1234, 100_000, Some(0.0121)),
        quantity(813.0, 240.0, 100_000, None),
        quantity(2.5e-6, 4.0e-7, 1234, Some(2.6e-6)),
    ];
    summary(observables, Vec::new(), vec![point(&[], estimates)])
}

/// Compressibility of hard spheres (Carnahan-Starling) against their density, and a chance that vanishes.
pub(crate) fn one_axis() -> Summary {
    let observables = vec![
        observable("pressure", "Pa", ObservableKind::Quantity),
        observable("escape", "", ObservableKind::Chance),
    ];
    let densities: Vec<f64> = (1..=9).map(|n| f64::from(n) / 10.0).collect();
    let at = |(n, density): (usize, &f64)| {
        let packing = density * std::f64::consts::PI / 6.0;
        let z = (1.0 + packing + packing.powi(2) - packing.powi(3)) / (1.0 - packing).powi(3);
        let pressure = z * density;
        let measured = pressure * (1.0 + 0.004 * (n as f64 * 1.7).sin());
        let escape = chance((2e4 * (-1.6 * n as f64).exp()) as u64, 100_000, None);
        point(&[*density], vec![quantity(measured, pressure * 0.3, 1000, Some(pressure)), escape])
    };
    let points = densities.iter().enumerate().map(at).collect();
    let axis = axis("gas.density", densities.clone(), false, ["number density", "1/m3"]);
    let mut summary = summary(observables, vec![axis], points);
    summary.study.precision = Some("rel=0.01".into());
    summary.complete = false;
    summary.points[2].failed = 3;
    summary.points[3].precise = Some(false);
    let failure =
        |replica| ListedFailure { point: 2, replica, message: "spheres <overlap> & \"more\"".into() };
    summary.failures = [17, 400, 70_000].map(failure).to_vec();
    summary
}

/// A field with one hole.
pub(crate) fn two_axes() -> Summary {
    let observables = vec![
        observable("collision", "", ObservableKind::Chance),
        observable("miss_distance", "m", ObservableKind::Quantity),
    ];
    let sizes: Vec<f64> = (1..=8).map(|n| 5.0 * f64::from(n)).collect();
    let spreads = [50.0, 100.0, 200.0, 400.0, 800.0, 1600.0];
    let mut points = Vec::new();
    for size in &sizes {
        for spread in &spreads {
            let p = 1.0 - (-0.5 * (size / spread).powi(2)).exp();
            let estimates = vec![
                chance(((p * 1e6) as u64).max(1), 1_000_000, Some(p)),
                quantity(spread * 1.25, spread * 0.6, 100_000, None),
            ];
            points.push(point(&[*size, *spread], estimates));
        }
    }
    points[20].estimates[1] = nothing();
    let axes = vec![
        axis("encounter.radius", sizes, false, ["radius of body a", "m"]),
        axis("encounter.sd", spreads.to_vec(), true, ["", ""]),
    ];
    summary(observables, axes, points)
}

/// No hits, and a quantity about which no replica said anything.
pub(crate) fn nothing_found() -> Summary {
    let observables = vec![
        observable("collision", "", ObservableKind::Chance),
        observable("time", "s", ObservableKind::Quantity),
    ];
    summary(observables, Vec::new(), vec![point(&[], vec![chance(0, 1_000_000, None), nothing()])])
}
