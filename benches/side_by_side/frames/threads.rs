//! Two threads over one, and the same for two copies of a loop that shares nothing: what the machine gives.

use carom::Context;
use carom::fmb::{Intersections, Pairs, Request};

use super::pairs::{PairOrigin, Work};
use crate::table::{Table, best_times, cycles, wall_time};

/// Pairs of a test: some milliseconds on one thread.
const PAIRS: usize = 1 << 17;

const ROUNDS: usize = 200;

pub(crate) fn measure(table: &mut Table) {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return;
    }
    let [one, two] = [1, 2].map(|threads| Context::with_threads(threads).expect("threads"));
    let work = Work::<3>::new(PairOrigin::Random, false);
    let list = work.listed(PAIRS);
    let mut found = Intersections::new(Request::COUNT);
    let mut test = |context: &Context| {
        found.test(context, &work.frames, &work.frames, Pairs::Listed(&list)).expect("valid frames");
    };
    let loops = |_: ()| (0..20).for_each(|_| cycles());
    let [one_test, two_tests] = turns(&mut test, &one, &two);
    let [one_loop, two_loops] = best_times(
        wall_time,
        ROUNDS,
        [&mut || one.for_each(vec![()], loops), &mut || two.for_each(vec![(); 2], loops)],
    );
    table.add(
        "3D resting, random, two threads over one",
        format!("{:.2}", one_test / two_tests),
        format!("two loops of additions {:.2}", 2.0 * one_loop / two_loops),
        format!("{:.2}", one_test / two_tests / (2.0 * one_loop / two_loops)),
        "1.9 times",
    );
}

/// Best times of the same work in two contexts.
fn turns(work: &mut dyn FnMut(&Context), one: &Context, two: &Context) -> [f64; 2] {
    let work = std::cell::RefCell::new(work);
    best_times(wall_time, ROUNDS, [&mut || work.borrow_mut()(one), &mut || work.borrow_mut()(two)])
}
