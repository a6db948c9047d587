//! What the replicas of studies cost: sampled and tested, next to testing alone, on one core and on two.
//!
//! `cargo bench --bench studies`, or with a part of a name, such as `cargo bench --bench studies -- frames`. Times are those of
//! the thread's processor, but for two threads, which are timed by the wall.

mod encounter;
#[path = "../common/encounters.rs"]
mod encounters;
mod frames;
#[path = "../common/processor_time.rs"]
mod processor_time;
mod small_replicas;
mod threads;

use self::processor_time::processor_time;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let parts: [(&str, fn()); 4] = [
        ("frames", frames::measure),
        ("encounter", encounter::measure),
        ("small_replicas", small_replicas::measure),
        ("threads", threads::measure),
    ];
    for (name, measure) in parts {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str())) {
            measure();
        }
    }
}

/// Rounds of each contender; the best one counts.
const ROUNDS: usize = 5;

/// The least of several rounds, in seconds of the processor.
fn best(mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let start = processor_time();
        work();
        processor_time() - start
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}
