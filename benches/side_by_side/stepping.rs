//! `step` on few and on many spheres: what a particle costs must not grow with their number.

use carom::World;

use crate::scene::Cloud;
use crate::table::{Table, best_times, thread_time};

/// Radius over lattice spacing at a packing of 20%: (3 / (4 pi) 0.2)^(1/3).
const RADIUS: f64 = 0.3628;

/// Way of the fastest spheres in one step, in diameters an axis.
const WAY: f64 = 0.05;

/// Steps that are timed. A gas without walls thins out, so that they are few.
const STEPS: usize = 4;

/// Spheres along the edge of the small and of the large cube: 10^3 and nearly 10^5 of them.
const EDGES: [usize; 2] = [10, 46];

pub(crate) fn measure(table: &mut Table) {
    let starts = EDGES.map(start);
    let counts = starts.each_ref().map(|(world, _)| world.particles().len());
    // As many small worlds as make up the large one.
    let copies = counts[1] / counts[0];
    let times = best_times(
        thread_time,
        7,
        [&mut || (0..copies).for_each(|_| run(&starts[0])), &mut || run(&starts[1])],
    );
    let small = times[0] / (copies * counts[0] * STEPS) as f64;
    let large = times[1] / (counts[1] * STEPS) as f64;
    table.add(
        &format!("step, {} spheres at 20% packing, 3D", counts[1]),
        format!("{:.0} ns per particle", 1e9 * large),
        format!("{} spheres: {:.0} ns", counts[0], 1e9 * small),
        format!("{:.2}", large / small),
        "at most 2",
    );
}

/// A gas that has already taken one step, and the length of its steps.
fn start(edge: usize) -> (World, f64) {
    let radius = RADIUS / edge as f64;
    let dt = WAY * 2.0 * radius;
    let mut world = World::from_particles(Cloud::lattice(edge, 0.25, 1).spheres(radius));
    world.step(dt).expect("a valid world");
    (world, dt)
}

fn run((start, dt): &(World, f64)) {
    let mut world = start.clone();
    for _ in 0..STEPS {
        world.step(*dt).expect("a valid world");
    }
}
