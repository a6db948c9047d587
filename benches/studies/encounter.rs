//! Encounters: what a replica costs, and whether the sampled probability is the analytic one.

use std::hint::black_box;

use carom::study::Study;

use crate::best;
use crate::encounters::{BOXES, CONJUNCTION};
use crate::frames::hits;

const SAMPLED: u64 = 10_000_000;

/// The same with uncertain velocities.
const UNCERTAIN: &str = r#"
kind = "encounter"
measure = ["hit"]
[encounter]
duration = 10
[encounter.a]
radius = 5
position = { normal = { mean = [0, 0, 0], sd = 30 } }
velocity = { normal = { mean = [0, 7500, 0], sd = 0.1 } }
[encounter.b]
radius = 15
position = { normal = { mean = [-37500, 10, 20], sd = 30 } }
velocity = { normal = { mean = [7500, 7500, 0], sd = 0.1 } }
"#;

pub(crate) fn measure() {
    println!("encounters, hits only, 10^7 replicas");
    for (name, text) in
        [("conjunction", CONJUNCTION), ("uncertain velocities", UNCERTAIN), ("turned boxes", BOXES)]
    {
        let study = Study::from_toml(text, None).expect("a study");
        let mut found = 0.0;
        let seconds = best(|| found = black_box(hits(&study, 0..SAMPLED)));
        let share = found / SAMPLED as f64;
        let error = (share * (1.0 - share) / SAMPLED as f64).sqrt();
        print!(
            "{name:<17} {:>6.1} ns per replica, probability {share:.6} +- {error:.6}",
            1e9 * seconds / SAMPLED as f64
        );
        match study.reference(0, 0).expect("a point and an observable") {
            Some(known) => println!(
                ", {} {:.6}, off by {:.3}%",
                known.name,
                known.value,
                100.0 * (share / known.value - 1.0)
            ),
            None => println!(),
        }
    }
}
