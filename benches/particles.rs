//! The kernels over time: `cargo bench --bench particles` compares with its last run.

use std::hint::black_box;

use carom::{Attraction, AttractionLaw, Batch, Context, Particles, Settings, World};
use criterion::{Criterion, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Spheres of radius 0.005 in the unit cube that attract each other.
fn world(count: usize) -> World {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut column =
        |low: f64, high: f64| -> Vec<f64> { (0..count).map(|_| random.random_range(low..high)).collect() };
    let position = [(); 3].map(|()| column(0.0, 1.0));
    let velocity = [(); 3].map(|()| column(-1.0, 1.0));
    let mut particles = Particles::new(3).expect("dimension 3");
    let batch = Batch {
        position: &position.each_ref().map(Vec::as_slice),
        velocity: &velocity.each_ref().map(Vec::as_slice),
        mass: &vec![1.0; count],
        radius: &vec![0.005; count],
        ..Batch::default()
    };
    particles.add_batch(&batch).expect("a valid batch");
    World::from_particles(particles)
}

fn attracting(count: usize) -> World {
    let mut world = world(count);
    let attraction = Attraction { constant: 1e-6, softening: 0.01, ..Attraction::default() };
    world.set_settings(Settings::default().with_attraction(attraction)).expect("valid settings");
    world
}

/// The same by a tree.
fn attracting_by_tree(count: usize) -> World {
    let mut world = attracting(count);
    let attraction =
        Attraction { law: AttractionLaw::BarnesHut { opening: 0.8 }, ..world.settings().attraction };
    world.set_settings(world.settings().with_attraction(attraction)).expect("valid settings");
    world
}

fn kernels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("particles");
    let mut free = world(100_000);
    group.bench_function("motion of 10^5", |bench| bench.iter(|| free.next(1e-9).expect("a small step")));
    let mut pulled = attracting(4096);
    group.bench_function("attraction of 4096", |bench| {
        bench.iter(|| black_box(pulled.system_accelerations().expect("finite")));
    });
    for count in [4096, 100_000] {
        let mut pulled = attracting_by_tree(count);
        group.bench_function(format!("attraction of {count} by a tree"), |bench| {
            bench.iter(|| black_box(pulled.system_accelerations().expect("finite")));
        });
    }
    let mut crowd = world(4096);
    group.bench_function("earliest collision of 4096", |bench| {
        bench.iter(|| black_box(crowd.earliest_collision(1e-3).expect("finite")));
    });
    let energy = attracting(4096);
    group.bench_function("potential energy of 4096", |bench| {
        bench.iter(|| black_box(energy.potential_energy()));
    });
    let totals = world(100_000);
    let context = Context::serial();
    group.bench_function("kinetic energy of 10^5", |bench| {
        bench.iter(|| black_box(totals.particles().kinetic_energy(&context)));
    });
    group.finish();
}

criterion_group!(benches, kernels);
criterion_main!(benches);
