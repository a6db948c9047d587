//! How often intervals cover the true value: 2,000 studies of each kind of interval on problems with known answers.
//!
//! `cargo run --release --example coverage`: 95% intervals must cover the true value in 93% to 97% of the studies.

mod counting;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut good = true;
    for (name, share) in counting::coverage(2000) {
        let verdict = if (0.93..=0.97).contains(&share) { "good" } else { "BAD" };
        println!("{name:<30} {:6.2}%  {verdict}", 100.0 * share);
        good &= verdict == "good";
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
