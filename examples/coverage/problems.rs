//! Studies with known answers, and what their intervals are worth.

use std::ops::ControlFlow;

use carom::study::{self, Estimate, RunOptions, Study};

/// Intervals of a mean that a study may ask for.
pub(crate) const MEANS: [&str; 4] = ["t", "bootstrap", "bca", "hall"];
/// Intervals of a probability that a study may ask for.
pub(crate) const CHANCES: [&str; 3] = ["wilson", "clopper-pearson", "jeffreys"];

/// With more values than this the intervals that a study may ask for are left out: bootstraps draw all values again 2,000 times.
const MOST_RESAMPLED: u64 = 100;

/// Studies of one kind.
pub(crate) struct Problem {
    /// What is sampled.
    pub(crate) name: &'static str,
    /// Replicas of each study.
    pub(crate) samples: u64,
    /// What every interval should cover.
    pub(crate) truth: f64,
    input: Input,
}

enum Input {
    /// Values of a distribution, whose mean is estimated.
    Values(&'static str),
    /// An event of this probability.
    Event(f64),
}

/// The means of the table.
pub(crate) fn means() -> Vec<Problem> {
    let log_normal_mean = |sigma: f64| (0.5 * sigma * sigma).exp();
    let distributions = [
        ("normal", "{ normal = [10, 1] }", 10.0),
        ("exponential", "{ exponential = 1 }", 1.0),
        ("gamma, shape 0.2", "{ gamma = [0.2, 5] }", 1.0),
        ("log-normal, sigma 0.5", "{ log_normal = [1, 0.5] }", log_normal_mean(0.5)),
        ("log-normal, sigma 1", "{ log_normal = [1, 1] }", log_normal_mean(1.0)),
        ("log-normal, sigma 1.5", "{ log_normal = [1, 1.5] }", log_normal_mean(1.5)),
        ("log-normal, sigma 2", "{ log_normal = [1, 2] }", log_normal_mean(2.0)),
        ("1 in 20 is 1, else 0", "{ choice = [0, 1], weights = [19, 1] }", 0.05),
    ];
    let with =
        |samples| move |(name, values, truth)| Problem { name, samples, truth, input: Input::Values(values) };
    distributions.into_iter().flat_map(|row| [30, 100, 1000].map(|samples| with(samples)(row))).collect()
}

/// The probabilities of the table.
pub(crate) fn chances() -> Vec<Problem> {
    let of = |(name, truth, trials): (_, f64, [u64; 2])| {
        trials.map(|samples| Problem { name, samples, truth, input: Input::Event(truth) })
    };
    let events = [
        ("probability 0.5", 0.5, [30, 1000]),
        ("probability 0.1", 0.1, [30, 1000]),
        ("probability 0.01", 0.01, [300, 3000]),
        ("probability 0.001", 0.001, [1000, 10_000]),
        ("probability 0.0001", 0.0001, [10_000, 30_000]),
    ];
    events.into_iter().flat_map(of).collect()
}

impl Problem {
    /// The study file, with this interval.
    fn text(&self, method: &str) -> String {
        let (measure, position, radius, setting) = match self.input {
            Input::Values(values) => ("miss_distance", values.to_owned(), 0.1, "mean"),
            Input::Event(chance) => ("hit", "{ uniform = [0, 1] }".to_owned(), chance / 2.0, "chance"),
        };
        format!(
            "kind = \"encounter\"\nreplicas = {}\nmeasure = [\"{measure}\"]\n[encounter]\nduration = 0\n\
             [encounter.a]\nradius = {radius}\nposition = [{position}, 0, 0]\n\
             [encounter.b]\nradius = {radius}\nposition = [0, 0, 0]\n\
             [statistics]\n{setting} = \"{method}\"\nkeep = {}\n",
            self.samples,
            self.samples.min(MOST_RESAMPLED)
        )
    }

    /// The intervals that a study may ask for; none with many values.
    pub(crate) fn on_request(&self) -> &'static [&'static str] {
        match self.input {
            Input::Values(_) if self.samples > MOST_RESAMPLED => &[],
            Input::Values(_) => &MEANS,
            Input::Event(_) => &CHANCES,
        }
    }

    /// Runs the studies with the seeds from 1 on, and counts.
    pub(crate) fn count(&self, studies: u64) -> Count {
        let mut options = RunOptions::default();
        options.threads = 1;
        let methods = ["auto"].iter().chain(self.on_request());
        let mut same: Vec<Study> =
            methods.map(|method| Study::from_toml(&self.text(method), None).expect("a good study")).collect();
        let mut count = Count { studies, ..Count::default() };
        count.on_request = vec![0; same.len() - 1];
        for seed in 1..=studies {
            same.iter_mut().for_each(|study| study.seed = seed);
            let outcome = study::run(&same[0], &options, &mut |_| ControlFlow::Continue(()))
                .expect("a study that runs");
            let estimate = |study| outcome.state.summary(study).points[0].estimates[0].clone();
            count.add(&estimate(&same[0]), self.truth);
            for (covered, study) in count.on_request.iter_mut().zip(&same[1..]) {
                *covered += u64::from(holds(&estimate(study), self.truth));
            }
        }
        count
    }
}

/// Numbers of studies. A study with a note beside its interval counts as warned.
#[derive(Default)]
pub(crate) struct Count {
    /// All of them.
    pub(crate) studies: u64,
    /// Those whose interval covers the truth, and those whose interval has a warning; both.
    pub(crate) covered: u64,
    pub(crate) warned: u64,
    pub(crate) warned_and_covered: u64,
    /// How often each interval was chosen.
    pub(crate) chosen: Vec<(String, u64)>,
    /// Those whose interval covers the truth, for each of the intervals on request.
    pub(crate) on_request: Vec<u64>,
}

impl Count {
    fn add(&mut self, estimate: &Estimate, truth: f64) {
        let (covers, warned) = (holds(estimate, truth), estimate.note.is_some());
        self.covered += u64::from(covers);
        self.warned += u64::from(warned);
        self.warned_and_covered += u64::from(covers && warned);
        match self.chosen.iter_mut().find(|(method, _)| *method == estimate.method) {
            Some((_, times)) => *times += 1,
            None => self.chosen.push((estimate.method.clone(), 1)),
        }
    }
}

fn holds(estimate: &Estimate, truth: f64) -> bool {
    estimate.low.zip(estimate.high).is_some_and(|(low, high)| (low..=high).contains(&truth))
}
