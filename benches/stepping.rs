//! Cost of `step` per particle against the number of particles: `cargo bench --bench stepping`.
//!
//! Spheres at 20% packing in 3D, speeds of about one diameter a second, steps of 0.05 s. The sizes take turns, so that
//! the noise of the machine falls on all of them alike; the best of several rounds counts. The limit is a ratio of 1:
//! a cost that does not depend on the number of particles at all.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::gas;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const ROUNDS: usize = 7;
const DT: f64 = 0.05;

fn main() {
    let mut best = [f64::INFINITY; SIZES.len()];
    let mut collisions = [0; SIZES.len()];
    for _ in 0..ROUNDS {
        for (size, (best, collisions)) in SIZES.into_iter().zip(best.iter_mut().zip(&mut collisions)) {
            let (ns, hits) = nanoseconds_per_particle(size);
            *best = best.min(ns);
            *collisions = hits;
        }
    }
    println!("{:>10} {:>16} {:>24} {:>10}", "spheres", "ns a particle", "collisions a particle", "ratio");
    for (i, size) in SIZES.into_iter().enumerate() {
        let rate = collisions[i] as f64 / size as f64;
        println!("{size:>10} {:>16.1} {rate:>24.3} {:>10.2}", best[i], best[i] / best[0]);
    }
}

/// Mean time of a step over its particles, and the collisions of one step. Small worlds are stepped in many copies,
/// since a gas without walls thins out.
fn nanoseconds_per_particle(size: usize) -> (f64, u64) {
    const STEPS: usize = 4;
    let mut start = gas(3, size, 1.378, 1);
    start.step(DT).expect("a valid world");
    let copies = SIZES[SIZES.len() - 1] / size;
    let mut worlds = vec![start; copies];
    let clock = Instant::now();
    let mut collisions = 0;
    for world in &mut worlds {
        for _ in 0..STEPS {
            collisions += world.step(DT).expect("a valid world");
        }
    }
    let steps = copies * STEPS;
    (clock.elapsed().as_nanos() as f64 / (steps * size) as f64, collisions / steps as u64)
}
