//! Taking turns with the clock, and the table of results.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::processor_time::processor_time;

/// A clock that counts up.
pub(crate) type Clock = fn() -> Duration;

/// Time that the calling thread has been running: what others do on the same core does not count.
pub(crate) fn thread_time() -> Duration {
    Duration::from_secs_f64(processor_time())
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

/// A contender whose work comes in parts, so that a disturbance spoils only one of them.
pub(crate) struct Contender<'a> {
    /// Number of parts.
    pub(crate) parts: usize,
    /// Does one part.
    pub(crate) run: &'a mut dyn FnMut(usize),
}

/// Time of all parts of each contender in seconds, each part at its best; they take turns like [`best_times`].
pub(crate) fn best_by_parts<const K: usize>(rounds: usize, mut contenders: [Contender; K]) -> [f64; K] {
    let mut best = contenders.each_ref().map(|contender| vec![f64::INFINITY; contender.parts]);
    for _ in 0..=rounds {
        for (best, Contender { run, .. }) in best.iter_mut().zip(&mut contenders) {
            for (part, best) in best.iter_mut().enumerate() {
                let start = thread_time();
                run(part);
                *best = best.min((thread_time() - start).as_secs_f64());
            }
        }
    }
    best.map(|parts| parts.iter().sum())
}

/// Links of the chain of [`cycles`].
const CYCLES: u32 = 100_000;

/// A chain of operations that wait for each other, one a cycle: its time tells the clock of the core, which changes from
/// outside on a virtual machine.
pub(crate) fn cycles() {
    let [mut x, add, flip] = black_box([1_u64, 3, 5]);
    for _ in 0..CYCLES / 10 {
        for _ in 0..5 {
            x = x.wrapping_add(add) ^ flip;
        }
    }
    black_box(x);
}

/// Operations of [`operations`].
const OPERATIONS: u32 = 320_000;

/// Eight chains that do not wait for each other. A core of its own does four operations a cycle; another thread on
/// the same core, which the clock does not show, takes its share of them.
pub(crate) fn operations() {
    let mut chains = black_box([1_u64, 2, 3, 4, 5, 6, 7, 8]);
    let add = black_box(3);
    for _ in 0..OPERATIONS / 16 {
        chains = chains.map(|x| x.rotate_left(7).wrapping_add(add));
    }
    black_box(chains);
}

/// Operations a cycle from the times of [`operations`] and of [`cycles`].
pub(crate) fn operations_a_cycle(operations: f64, cycles: f64) -> String {
    let share = f64::from(OPERATIONS) / f64::from(CYCLES);
    format!("{:.1}", share * cycles / operations)
}

/// The clock of the core from the time of [`cycles`].
pub(crate) fn gigahertz(seconds: f64) -> String {
    format!("{:.2} GHz", 1e-9 * f64::from(CYCLES) / seconds)
}

/// Prints a Markdown table.
pub(crate) fn print_markdown<const K: usize>(head: [&str; K], lines: &[[String; K]]) {
    println!("| {} |\n|{}", head.join(" | "), "---|".repeat(K));
    lines.iter().for_each(|line| println!("| {} |", line.join(" | ")));
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
        print_markdown(["work", "carom", "rival", "ratio", "target"], &self.lines);
    }
}
