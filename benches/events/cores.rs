//! Two independent runs at the same time against one alone, and the same for a loop that needs nothing but the core.

use std::hint::black_box;
use std::sync::Barrier;

use crate::{TURNS, engine_run, gas, length, median, rate};

/// Prints the throughput of two threads over that of one, for `4 cells^3` spheres per thread and for the loop.
pub(crate) fn measure(cells: usize) {
    let mut engines = [gas::mixed(cells), gas::mixed(cells)];
    let spheres = engines[0].len();
    let [first, second] = &mut engines;
    let gain = gain_of_two(&mut |n| engine_run(first, n), &mut |n| engine_run(second, n));
    let gain_of_loop = gain_of_two(&mut count_up, &mut count_up);
    println!("{spheres:>9} two runs {gain:.2} times one, two plain loops {gain_of_loop:.2} times one");
}

/// Work that stays in registers: a chain of products, `n` times a thousand of them.
fn count_up(n: u64) {
    let mut x = black_box(1_u64);
    for k in 0..1000 * n {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(k);
    }
    black_box(x);
}

/// Rate of both threads together over that of the first alone; the median of all turns.
fn gain_of_two(first: &mut (impl FnMut(u64) + Send), second: &mut (impl FnMut(u64) + Send)) -> f64 {
    let turn = length(first);
    let mut gains: Vec<f64> = (0..TURNS).map(|_| together(first, second, turn) / rate(first, turn)).collect();
    median(&mut gains)
}

/// The sum of the rates of two threads that start at the same time.
fn together(first: &mut (impl FnMut(u64) + Send), second: &mut (impl FnMut(u64) + Send), turn: u64) -> f64 {
    let start = Barrier::new(2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            start.wait();
            rate(second, turn)
        });
        start.wait();
        rate(first, turn) + other.join().expect("a run does not panic")
    })
}
