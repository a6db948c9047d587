//! How often intervals cover the mean of skewed values and the probability of rare events, and how often a warning comes with
//! those that do not.

use std::ops::ControlFlow;

use carom::study::{self, Estimate, RunOptions, Study};

/// Methods for a mean, in the order of the columns.
pub(crate) const MEANS: [&str; 5] = ["t", "bootstrap", "bca", "hall", "auto"];
/// Methods for a probability.
pub(crate) const CHANCES: [&str; 4] = ["wilson", "clopper-pearson", "jeffreys", "auto"];
/// The probability of the rare event.
pub(crate) const RARE: f64 = 1e-4;

/// With more samples than this the bootstraps are left out: they draw all samples again 2,000 times.
const MOST_RESAMPLED: u64 = 100;

/// Values of one distribution.
pub(crate) struct Values {
    /// What they are.
    pub(crate) name: &'static str,
    distribution: &'static str,
    mean: f64,
}

/// The distributions of the table.
pub(crate) fn distributions() -> Vec<Values> {
    let values = |name, distribution, mean| Values { name, distribution, mean };
    vec![
        values("normal", "{ normal = [10, 1] }", 10.0),
        values("exponential", "{ exponential = 1 }", 1.0),
        values("gamma, shape 0.2", "{ gamma = [0.2, 5] }", 1.0),
        values("1 in 20 is 1, else 0", "{ choice = [0, 1], weights = [19, 1] }", 0.05),
        values("log-normal, sigma 0.5", "{ log_normal = [1, 0.5] }", 0.125_f64.exp()),
        values("log-normal, sigma 1", "{ log_normal = [1, 1] }", 0.5_f64.exp()),
        values("log-normal, sigma 1.5", "{ log_normal = [1, 1.5] }", 1.125_f64.exp()),
        values("log-normal, sigma 2", "{ log_normal = [1, 2] }", 2_f64.exp()),
    ]
}

/// Shares of the studies of one distribution and number of samples.
pub(crate) struct MeanCoverage {
    /// Studies whose interval covers the mean, for each of [`MEANS`]; `None` if that was left out.
    pub(crate) covered: [Option<f64>; MEANS.len()],
    /// Studies in which the automatic interval comes with a warning.
    pub(crate) warned: f64,
    /// Studies in which it misses the mean without one.
    pub(crate) silent: f64,
}

/// So many studies of as many samples each.
pub(crate) fn mean_coverage(values: &Values, samples: u64, studies: u64) -> MeanCoverage {
    let text = |method: &str| {
        format!(
            "kind = \"encounter\"\nreplicas = {samples}\nmeasure = [\"miss_distance\"]\n[encounter]\nduration = 0\n\
             [encounter.a]\nradius = 0.1\nposition = [{}, 0, 0]\n[encounter.b]\nradius = 0.1\nposition = [0, 0, 0]\n\
             [statistics]\nmean = \"{method}\"\nkeep = {}\n",
            values.distribution,
            samples.min(MOST_RESAMPLED)
        )
    };
    let is_used = |method: &str| samples <= MOST_RESAMPLED || !["bootstrap", "bca"].contains(&method);
    let mut covered = MEANS.map(|method| is_used(method).then_some(0));
    let (mut warned, mut silent) = (0, 0);
    each_study(MEANS.map(text), studies, |method, estimate| {
        let covers = holds(estimate, values.mean);
        if let Some(covered) = &mut covered[method] {
            *covered += u64::from(covers);
        }
        if MEANS[method] == "auto" {
            warned += u64::from(estimate.note.is_some());
            silent += u64::from(estimate.note.is_none() && !covers);
        }
    });
    let share = |count: u64| count as f64 / studies as f64;
    MeanCoverage {
        covered: covered.map(|count| count.map(share)),
        warned: share(warned),
        silent: share(silent),
    }
}

/// The share of so many studies of as many trials whose interval covers the probability [`RARE`], for each of [`CHANCES`].
pub(crate) fn chance_coverage(trials: u64, studies: u64) -> [f64; CHANCES.len()] {
    let text = |method: &str| {
        format!(
            "kind = \"encounter\"\nreplicas = {trials}\nmeasure = [\"hit\"]\n[encounter]\nduration = 0\n\
             [encounter.a]\nradius = {}\nposition = [{{ uniform = [0, 1] }}, 0, 0]\n\
             [encounter.b]\nradius = {}\nposition = [0, 0, 0]\n[statistics]\nchance = \"{method}\"\nkeep = 0\n",
            RARE / 2.0,
            RARE / 2.0
        )
    };
    let mut covered = [0_u64; CHANCES.len()];
    each_study(CHANCES.map(text), studies, |method, estimate| {
        covered[method] += u64::from(holds(estimate, RARE));
    });
    covered.map(|count| count as f64 / studies as f64)
}

/// Runs the study of the first text with the seeds from 1 on, and shows what each of the texts, which differ in their
/// statistics alone, makes of it.
fn each_study<const N: usize>(texts: [String; N], studies: u64, mut see: impl FnMut(usize, &Estimate)) {
    let mut options = RunOptions::default();
    options.threads = 1;
    let mut same = texts.map(|text| Study::from_toml(&text, None).expect("a good study"));
    for seed in 1..=studies {
        same.iter_mut().for_each(|study| study.seed = seed);
        let outcome =
            study::run(&same[0], &options, &mut |_| ControlFlow::Continue(())).expect("a study that runs");
        for (number, study) in same.iter().enumerate() {
            see(number, &outcome.state.summary(study).points[0].estimates[0]);
        }
    }
}

fn holds(estimate: &Estimate, truth: f64) -> bool {
    estimate.low.zip(estimate.high).is_some_and(|(low, high)| (low..=high).contains(&truth))
}
