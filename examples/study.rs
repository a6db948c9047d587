//! A Monte Carlo study: how likely is it that two bodies collide whose positions are uncertain?
//!
//! ```text
//! cargo run --release --example study
//! ```

use std::ops::ControlFlow;

use carom::study::{self, RunOptions, Study};

/// A study file; `carom run` takes the same text. `carom new NAME --kind encounter` writes one with all keys explained.
const STUDY: &str = r#"
name = "two spheres pass each other"
kind = "encounter"
replicas = 20_000
seed = 1
measure = ["hit", "miss_distance"]

[encounter]
duration = 20                     # s

[encounter.a]
radius = 1.0                      # m
position = { normal = { mean = [0, 0, 0], covariance = [[4, 1, 0], [1, 2, 0], [0, 0, 1]] } }
velocity = [0, 0, 0]              # m/s

[encounter.b]
radius = 0.5
position = [100, 1, 0.5]
velocity = [-10, 0, 0]
"#;

fn main() -> carom::Result<()> {
    // The second argument is the directory of files that a study names; this one names none.
    let study = Study::from_toml(STUDY, None)?;

    // A replica is a function of the seed and its number, and results are merged in a fixed order: the number of threads,
    // here one per core, changes nothing but the time. With `checkpoint` in the options a run that was killed can go on.
    let mut observer = |progress: &study::Progress| {
        eprintln!("{} of {} replicas", progress.replicas, progress.planned);
        ControlFlow::Continue(())
    };
    let outcome = study::run(&study, &RunOptions::default(), &mut observer)?;

    // Each estimate has a confidence interval. Where an answer is known without sampling, it is given for comparison.
    let summary = outcome.state.summary(&study);
    for (observable, estimate) in summary.observables.iter().zip(&summary.points[0].estimates) {
        let [value, low, high] = [estimate.value, estimate.low, estimate.high].map(|x| x.unwrap_or(f64::NAN));
        let name = &observable.name;
        let unit = if observable.unit.is_empty() { String::new() } else { format!(" {}", observable.unit) };
        println!("{name}: {value:.4}{unit}, from {low:.4} to {high:.4} ({})", estimate.method);
        if let Some(reference) = &estimate.reference {
            println!("{name}: {:.4} by {}", reference.value, reference.name);
            assert!((value - reference.value).abs() < 3.0 * (high - low));
        }
    }

    // Any replica can be run again alone, with its inputs and its trajectory, for example one that failed or that stands out.
    let replay = study.replay(0, 123)?;
    for (name, unit, value) in replay.inputs.iter().take(3) {
        println!("replica 123: {name} = {value:.3} {unit}");
    }
    Ok(())
}
