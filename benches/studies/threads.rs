//! Two threads against one, next to two copies of a plain loop.

use std::hint::black_box;
use std::time::Instant;

use carom::study::Study;

use crate::frames::{hits, study};
use crate::{ROUNDS, encounters};

const SAMPLED: u64 = 2_000_000;

pub(crate) fn measure() {
    println!("two threads over one, by the wall, best of {ROUNDS} rounds");
    let plain = |_: u64| {
        black_box((0..400_000_000_u64).fold(0_u64, |sum, k| black_box(sum + k)));
    };
    println!("{:<18} {:>5.2}", "plain loop", speedup(&plain));
    let of = |study: Study| {
        move |first: u64| {
            black_box(hits(&study, first..first + SAMPLED));
        }
    };
    println!("{:<18} {:>5.2}", "3D moving frames", speedup(&of(study(3, true))));
    let conjunction = Study::from_toml(encounters::CONJUNCTION, None).expect("a study");
    println!("{:<18} {:>5.2}", "conjunction", speedup(&of(conjunction)));
}

/// How much more two threads do than one.
fn speedup(work: &(impl Fn(u64) + Sync)) -> f64 {
    let wall = |threads: u64| {
        let round = |_| {
            let start = Instant::now();
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    scope.spawn(move || work(thread * SAMPLED));
                }
            });
            start.elapsed().as_secs_f64()
        };
        (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
    };
    2.0 * wall(1) / wall(2)
}
