//! Collisions per second of the event-driven engine, and of a simple one in the same run.
//!
//! Seconds are processor time, so that other load on the machine matters only by its use of the cache.
//!
//! `cargo bench --bench events`, or with sizes, such as `cargo bench --bench events -- 1372 10976`. With `two` before the
//! sizes two runs on two cores are measured against one. With `kinds` mixtures, thin gases and balls under gravity are
//! measured against equal balls.

mod cores;
mod gas;
mod kinds;
mod plain;
#[path = "../common/processor_time.rs"]
mod processor_time;

use carom::{Engine, Limit};

use self::processor_time::processor_time;

/// Face-centred cubic cells along an edge: 1,372, 10,976, 108,000 and 1,000,188 spheres.
const CELLS: [usize; 4] = [7, 14, 30, 63];

/// Number of turns, alternating between the engines; medians are reported.
const TURNS: usize = 9;

/// Approximate length of a turn, in seconds.
const TURN: f64 = 0.25;

fn main() {
    let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = CELLS.into_iter().filter(|cells| wanted.is_empty() || wanted.contains(&(4 * cells.pow(3))));
    let asked = |word: &str| std::env::args().any(|argument| argument == word);
    if asked("two") {
        return sizes.for_each(cores::measure);
    }
    if asked("kinds") {
        return kinds::measure();
    }
    println!(
        "{:>9} {:>14} {:>10} {:>12} {:>6} {:>9} {:>9}",
        "spheres", "collisions/s", "best", "plain heap", "ratio", "bytes", "+ columns"
    );
    sizes.for_each(measure);
}

fn measure(cells: usize) {
    let mut engine = gas::mixed(cells);
    let spheres = engine.len();
    let edge = gas::edge(spheres);
    let mut plain = plain::Plain::new(engine.synchronise(), edge);
    let mut run = |collisions: u64| engine_run(&mut engine, collisions);
    let mut run_plain = |collisions: u64| plain.run(collisions);
    let (turn, plain_turn) = (length(&mut run), length(&mut run_plain));
    let (mut rates, mut plain_rates) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        rates.push(rate(&mut run, turn));
        plain_rates.push(rate(&mut run_plain, plain_turn));
    }
    let columns = engine.particles().memory_bytes();
    let own = engine.memory_bytes() - columns;
    println!(
        "{spheres:>9} {:>14.0} {:>10.0} {:>12.0} {:>6.2} {:>9} {:>9}",
        median(&mut rates),
        rates[TURNS - 1],
        median(&mut plain_rates),
        rates[TURNS / 2] / plain_rates[TURNS / 2],
        own / spheres,
        columns / spheres,
    );
}

fn engine_run(engine: &mut Engine<3>, collisions: u64) {
    engine.run(Limit::collisions(collisions)).expect("an elastic gas does not collapse");
}

/// Number of collisions that take about one turn.
fn length(run: &mut impl FnMut(u64)) -> u64 {
    (rate(run, 20_000) * TURN) as u64
}

/// Collisions per second.
fn rate(run: &mut impl FnMut(u64), collisions: u64) -> f64 {
    let start = processor_time();
    run(collisions);
    collisions as f64 / (processor_time() - start)
}

fn median(rates: &mut [f64]) -> f64 {
    rates.sort_unstable_by(f64::total_cmp);
    rates[rates.len() / 2]
}
