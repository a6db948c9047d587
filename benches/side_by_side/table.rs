//! Taking turns with the clock, and the table of results.

use std::time::{Duration, Instant};

/// A clock that counts up.
pub(crate) type Clock = fn() -> Duration;

/// Time that the calling thread has been running: what others do on the same core does not count.
pub(crate) fn thread_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid timespec to write to.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    assert_eq!(status, 0, "the thread has a clock");
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Time on the wall, for work on all cores.
pub(crate) fn wall_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// Best time of each contender in seconds; they take turns for `rounds` rounds after one round to warm up.
pub(crate) fn best_times<const K: usize>(
    clock: Clock,
    rounds: usize,
    mut contenders: [&mut dyn FnMut(); K],
) -> [f64; K] {
    let mut best = [f64::INFINITY; K];
    contenders.iter_mut().for_each(|run| run());
    for _ in 0..rounds {
        for (best, run) in best.iter_mut().zip(&mut contenders) {
            let start = clock();
            run();
            *best = best.min((clock() - start).as_secs_f64());
        }
    }
    best
}

/// Lines of text to be printed in columns.
#[derive(Default)]
pub(crate) struct Table {
    lines: Vec<[String; 5]>,
}

impl Table {
    /// Adds a line: the work, our figure, the rival and its figure, the ratio and the target it must reach.
    pub(crate) fn add(&mut self, work: &str, carom: String, rival: String, ratio: String, target: &str) {
        self.lines.push([work.into(), carom, rival, ratio, target.into()]);
    }

    /// Prints all lines as a Markdown table.
    pub(crate) fn print(&self) {
        println!("| work | carom | rival | ratio | target |\n|---|---|---|---|---|");
        for line in &self.lines {
            println!("| {} |", line.join(" | "));
        }
    }
}
