//! How often the intervals of a study cover what is known without it.

use std::ops::ControlFlow;

use carom::study::{self, RunOptions, Study, Summary};

/// Two spheres that pass each other: the probability that they touch is an integral of a Gaussian over a disk.
const PASSING: &str = r#"
kind = "encounter"
replicas = 400
measure = ["hit"]

[encounter]
duration = 20

[encounter.a]
radius = 1.0
position = { normal = { mean = [0, 0, 0], covariance = [[4, 1, 0], [1, 2, 0], [0, 0, 1]] } }
velocity = [0, 0, 0]

[encounter.b]
radius = 0.5
position = [100, 1, 0.5]
velocity = [-10, 0, 0]

[statistics]
chance = "INTERVAL"
keep = 0
"#;

/// The end of a study that runs until it is precise, and examines its interval after every round.
const STOPPING: &str = "\n[stop]\nrel = 0.05\nmin = 1000\n";

/// The distance of a point from a normal deviate in space has Maxwell's distribution.
const RESTING: &str = r#"
kind = "encounter"
replicas = 400
measure = ["miss_distance"]

[encounter]
duration = 1

[encounter.a]
radius = 0.1
position = { normal = { mean = [0, 0, 0], sd = 1 } }
velocity = [0, 0, 0]

[encounter.b]
radius = 0.1
position = [0, 0, 0]
velocity = [0, 0, 0]

[statistics]
mean = "INTERVAL"
quantiles = [0.5]
keep = 400
"#;

/// Mean and median of Maxwell's distribution with scale 1: 2 sqrt(2 / pi), and the root of a gamma quantile.
const MAXWELL: [f64; 2] = [1.595_769_121_605_730_8, 1.538_172_254_455_057_3];

/// Names of intervals, and the share of so many studies in which each covered the true value.
pub(crate) fn coverage(studies: u64) -> Vec<(&'static str, f64)> {
    let share = |text: &str, interval: &str, covers: &dyn Fn(&Study, &Summary) -> bool| {
        let mut study = Study::from_toml(&text.replace("INTERVAL", interval), None).expect("a good study");
        let covered = (1..=studies).filter(|seed| {
            study.seed = *seed;
            covers(&study, &summary(&study))
        });
        covered.count() as f64 / studies as f64
    };
    let chance = |study: &Study, summary: &Summary| {
        let truth = study.reference(0, 0).expect("an observable").expect("an analytic value").value;
        let estimate = &summary.points[0].estimates[0];
        holds(estimate.low, estimate.high, truth)
    };
    let mean = |_: &Study, summary: &Summary| {
        let estimate = &summary.points[0].estimates[0];
        holds(estimate.low, estimate.high, MAXWELL[0])
    };
    let median = |_: &Study, summary: &Summary| {
        let spread = summary.points[0].estimates[0].spread.as_ref().expect("the spread of a quantity");
        holds(spread.quantiles[0].low, spread.quantiles[0].high, MAXWELL[1])
    };
    vec![
        ("probability, Wilson", share(PASSING, "wilson", &chance)),
        ("probability, Clopper-Pearson", share(PASSING, "clopper-pearson", &chance)),
        ("probability at a precision", share(&[PASSING, STOPPING].concat(), "wilson", &chance)),
        ("mean, Student", share(RESTING, "t", &mean)),
        ("mean, bootstrap", share(RESTING, "bootstrap", &mean)),
        ("median", share(RESTING, "t", &median)),
    ]
}

fn summary(study: &Study) -> Summary {
    let mut options = RunOptions::default();
    options.threads = 1;
    let outcome = study::run(study, &options, &mut |_| ControlFlow::Continue(())).expect("a run");
    outcome.state.summary(study)
}

fn holds(low: Option<f64>, high: Option<f64>, truth: f64) -> bool {
    low.zip(high).is_some_and(|(low, high)| (low..=high).contains(&truth))
}
