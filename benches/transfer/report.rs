//! Turns with the clock of the thread, and the lines of the table.

use crate::processor_time::processor_time;

/// Something that is prepared off the clock and then timed.
pub(crate) struct Contender<'a> {
    /// Before each round, off the clock.
    pub(crate) prepare: &'a mut dyn FnMut(),
    /// What is timed.
    pub(crate) run: &'a mut dyn FnMut(),
}

/// Best time of each contender in seconds; they take turns for `rounds` rounds after one round to warm up.
pub(crate) fn best_times<const K: usize>(rounds: usize, mut contenders: [Contender; K]) -> [f64; K] {
    let mut best = [f64::INFINITY; K];
    for round in 0..=rounds {
        for (best, contender) in best.iter_mut().zip(&mut contenders) {
            (contender.prepare)();
            let start = processor_time();
            (contender.run)();
            let time = processor_time() - start;
            if round > 0 {
                *best = best.min(time);
            }
        }
    }
    best
}

/// The time of one piece of work alone.
pub(crate) fn best_time(rounds: usize, mut prepare: impl FnMut(), mut run: impl FnMut()) -> f64 {
    let [time] = best_times(rounds, [Contender { prepare: &mut prepare, run: &mut run }]);
    time
}

/// Starts the table.
pub(crate) fn head() {
    println!("| work | time | beside it | ratio | goal |\n|---|---|---|---|---|");
}

/// A line of the table.
pub(crate) fn line(work: &str, time: &str, beside: &str, ratio: &str, goal: &str) {
    println!("| {work} | {time} | {beside} | {ratio} | {goal} |");
}

/// Nanoseconds for each of `count` items.
pub(crate) fn each(seconds: f64, count: usize) -> String {
    format!("{:.1} ns", 1e9 * seconds / count as f64)
}
