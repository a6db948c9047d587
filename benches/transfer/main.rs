//! What it costs to get data in and out, beside the kernels that use it: `cargo bench --bench transfer`. Names of groups
//! after `--` run only these: `cargo bench --bench transfer -- frames`.
//!
//! One core, by the clock of the thread; the contenders take turns, and the best time of each counts.

mod files;
mod frames;
mod hits;
mod memory;
mod particles;
#[path = "../common/processor_time.rs"]
mod processor_time;
mod report;

/// Measures a group and prints its lines.
type Measure = fn();

const GROUPS: [(&str, Measure); 5] = [
    ("frames", frames::measure),
    ("particles", particles::measure),
    ("hits", hits::measure),
    ("memory", memory::measure),
    ("files", files::measure),
];

fn main() {
    // Cargo adds options of its own.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let Some(unknown) = wanted.iter().find(|&word| GROUPS.iter().all(|(name, _)| name != word)) {
        eprintln!("there is no group {unknown}: {}", GROUPS.map(|(name, _)| name).join(", "));
        std::process::exit(2);
    }
    report::head();
    for (name, measure) in GROUPS {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            measure();
        }
    }
}
