//! How often intervals cover the true value: 2,000 studies of each kind of interval on problems with known answers, and
//! tables of skewed values and rare events (docs/methods/statistics.md, section 10).
//!
//! `cargo run --release --example coverage`: where nothing is skewed 95% intervals must cover the true value in 93% to 97% of
//! the studies; where values are, the automatic interval may miss it without a warning in at most 8% of them.

mod counting;
mod skewed;

use std::process::ExitCode;

/// Studies of each line.
const STUDIES: u64 = 2000;
/// The largest share of studies whose automatic interval misses the true mean without a warning.
const MOST_SILENT: f64 = 0.08;

fn main() -> ExitCode {
    let good = [usual(), means(), chances()];
    if good.iter().all(|good| *good) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn usual() -> bool {
    let mut all = true;
    for (name, share) in counting::coverage(STUDIES) {
        let good = (0.93..=0.97).contains(&share);
        println!("{name:<30} {:6.2}%  {}", 100.0 * share, if good { "good" } else { "BAD" });
        all &= good;
    }
    all
}

/// The table of means, and whether the warnings are where they must be.
fn means() -> bool {
    println!("\n| values | samples | {} | warning | missed without one |", skewed::MEANS.join(" | "));
    println!("|---|---:|{}---:|---:|", "---:|".repeat(skewed::MEANS.len()));
    let mut good = true;
    for values in skewed::distributions() {
        for samples in [30, 100, 1000] {
            let found = skewed::mean_coverage(&values, samples, STUDIES);
            let covered = found.covered.map(|share| share.map_or_else(|| "-".into(), percent)).join(" | ");
            let (warned, silent) = (percent(found.warned), percent(found.silent));
            println!("| {} | {samples} | {covered} | {warned} | {silent} |", values.name);
            good &= found.silent <= MOST_SILENT;
        }
    }
    good
}

/// The table of a rare event, and whether the automatic interval covers it often enough.
fn chances() -> bool {
    println!("\n| expected hits | {} |", skewed::CHANCES.join(" | "));
    println!("|---:|{}", "---:|".repeat(skewed::CHANCES.len()));
    let mut good = true;
    for hits in [1_u32, 2, 3, 5, 10, 20] {
        let covered = skewed::chance_coverage((f64::from(hits) / skewed::RARE) as u64, STUDIES);
        println!("| {hits} | {} |", covered.map(percent).join(" | "));
        good &= covered[skewed::CHANCES.len() - 1] >= 0.92;
    }
    good
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}
