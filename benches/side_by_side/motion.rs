//! Integration against a plain copy that moves as many bytes, on all cores.

use std::hint::black_box;

use carom::particles::integrate::{self, System};
use carom::soa::par::Divide;
use carom::{Batch, Context, Particles};

use crate::table::{Table, best_times, wall_time};

const COUNT: usize = 10_000_000;

/// Read: position, velocity and acceleration on three axes, drag, the fixed flag. Written: position and velocity.
const BYTES: usize = COUNT * (9 * 8 + 8 + 1 + 6 * 8);

pub(crate) fn measure(table: &mut Table) {
    let context = Context::with_threads(0).expect("threads");
    let mut particles = resting_particles();
    let system = System { uniform: &[0.0, -9.8, 0.0], attraction: None };
    // A copy reads every byte it moves and writes it.
    let words = BYTES / 16;
    let (from, mut to) = (vec![1_u64; words], vec![0_u64; words]);
    let [ours, copy] = best_times(
        wall_time,
        40,
        [&mut || integrate::integrate(black_box(&mut particles), &system, 1e-3, &context), &mut || {
            context.run(Copy { from: black_box(&from), to: &mut to }, words.div_ceil(context.threads()));
        }],
    );
    let rate = |seconds: f64| format!("{:.2} GB/s", 1e-9 * BYTES as f64 / seconds);
    table.add(
        &format!("integration, 10^7 particles, 3D, {} threads", context.threads()),
        rate(ours),
        format!("plain copy {}", rate(copy)),
        format!("{:.2}", copy / ours),
        "0.8",
    );
}

fn resting_particles() -> Particles {
    let zeros = vec![0.0; COUNT];
    let mut particles = Particles::new(3).expect("dimension 3");
    particles.add_batch(&Batch { position: &[zeros.as_slice(); 3], ..Batch::default() }).expect("memory");
    particles
}

struct Copy<'a> {
    from: &'a [u64],
    to: &'a mut [u64],
}

impl Divide for Copy<'_> {
    fn size(&self) -> usize {
        self.from.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (from, from_rest) = self.from.split_at(at);
        let (to, to_rest) = self.to.split_at_mut(at);
        (Self { from, to }, Self { from: from_rest, to: to_rest })
    }

    fn work(self) {
        self.to.copy_from_slice(self.from);
    }
}
