//! How often intervals cover the true value, on problems with known answers: the tables of docs/methods/statistics.md,
//! section 10, in Markdown.
//!
//! `cargo run --release --example coverage` runs 2,000 studies for each line, with the seeds from 1 to 2,000, so that it always
//! prints the same; with `-- --quick` it runs 200.

mod counting;
mod problems;
mod tables;

/// Studies of each line.
const STUDIES: u64 = 2000;
/// Studies of each line of a quick run.
const FEW_STUDIES: u64 = 200;

fn main() {
    let is_quick = std::env::args().any(|argument| argument == "--quick");
    print!("{}", tables::all(if is_quick { FEW_STUDIES } else { STUDIES }));
}
