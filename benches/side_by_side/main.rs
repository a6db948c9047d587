//! Kernels and their rivals side by side in one run: `cargo bench --bench side_by_side`. Names of groups after `--` run
//! only these: `cargo bench --bench side_by_side -- frames`.
//!
//! The contenders take turns, and the best time of each counts: other work on the machine can only slow them down.

mod attraction;
mod collisions;
mod frames;
mod motion;
#[path = "../common/processor_time.rs"]
mod processor_time;
mod scene;
mod stepping;
mod table;

use table::Table;

/// Measures a group and adds its lines to the table.
type Measure = fn(&mut Table);

const GROUPS: [(&str, Measure); 6] = [
    ("motion", motion::measure),
    ("attraction", attraction::measure),
    ("tree", attraction::measure_tree),
    ("collisions", collisions::measure),
    ("stepping", stepping::measure),
    ("frames", frames::measure),
];

fn main() {
    // Cargo adds options of its own.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let Some(unknown) = wanted.iter().find(|&word| GROUPS.iter().all(|(name, _)| name != word)) {
        eprintln!("there is no group {unknown}: {}", GROUPS.map(|(name, _)| name).join(", "));
        std::process::exit(2);
    }
    let mut table = Table::default();
    for (name, measure) in GROUPS {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            measure(&mut table);
        }
    }
    table.print();
}
