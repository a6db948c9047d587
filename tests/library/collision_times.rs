//! Times to collision: every kernel gives the bits of the scalar pair, for any spread, dimension and thread count.

use crate::cloud::{columns, vectors};
use crate::random::Random;
use carom::Context;
use carom::particles::ttc::Paths;
use carom::soa::Column;
use proptest::prelude::*;

struct Scene {
    position: Vec<Column<f64>>,
    velocity: Vec<Column<f64>>,
    collision_radius: Column<f64>,
}

impl Scene {
    fn new(position: &[Vec<f64>], velocity: &[Vec<f64>], radii: Vec<f64>) -> Self {
        let collision_radius = columns(&[radii], f64::NAN).remove(0);
        Self { position: columns(position, 0.0), velocity: columns(velocity, 0.0), collision_radius }
    }

    /// Random spheres; a tenth are tracers. Coordinates are rounded to `grid` steps per unit, which makes ties.
    fn random(dim: usize, count: usize, seed: u64, radius: f64, grid: f64, scale: f64) -> Self {
        let mut random = Random(seed);
        let mut vectors = || {
            let mut vectors = vectors(&mut random, dim, count, -1.0, 1.0);
            vectors.iter_mut().flatten().for_each(|x| *x = (*x * grid).round() / grid * scale);
            vectors
        };
        let (position, velocity) = (vectors(), vectors());
        let mut radius =
            || if random.next_u64().is_multiple_of(10) { f64::NAN } else { random.real(0.0, radius) * scale };
        let radii = (0..count).map(|_| radius()).collect();
        Self::new(&position, &velocity, radii)
    }

    fn paths(&self) -> Paths<'_> {
        let Self { position, velocity, collision_radius } = self;
        Paths { position, velocity, collision_radius }
    }
}

/// All kernels against the scalar twins.
fn check(scene: &Scene, horizon: f64, context: &Context) {
    let paths = scene.paths();
    let expected = paths.earliest_scalar(horizon);
    assert_eq!(paths.earliest(horizon, context), expected, "earliest");
    assert_eq!(paths.earliest_double(horizon, context), expected, "earliest, f64 filter");
    for i in (0..paths.len()).step_by(7) {
        let mut times = vec![0.0; paths.len()];
        paths.one_against_all(i, horizon, &mut times);
        for (j, time) in times.into_iter().enumerate() {
            let twin = if i == j { f64::INFINITY } else { paths.pair(i, j, horizon) };
            assert_eq!(time.to_bits(), twin.to_bits(), "particle {i} against all: {j}");
        }
    }
    let mut random = Random(paths.len() as u64);
    let mut index = || (random.next_u64() % paths.len().max(1) as u64) as usize;
    let pairs: Vec<[usize; 2]> = (0..paths.len() * 3 / 2).map(|_| [index(), index()]).collect();
    let mut times = vec![0.0; pairs.len()];
    paths.listed(&pairs, horizon, context, &mut times);
    for (&[i, j], time) in pairs.iter().zip(times) {
        assert_eq!(time.to_bits(), paths.pair(i, j, horizon).to_bits(), "listed pair {i}, {j}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn kernels_have_the_bits_of_the_scalar_pair(
        dim in 1_usize..=5,
        count in 0_usize..300,
        seed in any::<u64>(),
        radius in prop::sample::select(vec![0.0, 1e-6, 0.01, 0.3]),
        grid in prop::sample::select(vec![2.0, 16.0, 1e15]),
        exponent in prop::sample::select(vec![0, 0, 0, -150, -70, -20, 10, 60]),
        horizon in prop::sample::select(vec![0.0, 1e-6, 0.01, 0.5, 10.0, 1e70, f64::INFINITY]),
    ) {
        let scene = Scene::random(dim, count, seed, radius, grid, 10.0_f64.powi(exponent));
        check(&scene, horizon, &Context::serial());
    }

    /// Spheres that just touch at the end of the horizon. Where the gap is below the resolution of `f32` the filter
    /// lives from its margins alone.
    #[test]
    fn no_grazing_or_last_moment_collision_is_lost(
        seed in any::<u64>(),
        offset in prop::sample::select(vec![0.0, 1e3, 1e9]),
        gap in prop::sample::select(vec![1e-9, 1e-7, 1e-5, 1e-3, 0.1, 0.9]),
        half in 32_usize..100,
    ) {
        let count = 2 * half;
        let mut random = Random(seed);
        let mut position = vec![vec![0.0; count]; 3];
        let mut velocity = vec![vec![0.0; count]; 3];
        let radius = random.real(0.001, 0.01);
        // Partners are half the columns apart: neighbours of a row are always looked at.
        for (i, partner) in (0..half).map(|i| (i, i + half)) {
            position[0][i] = offset + i as f64 * 2.0;
            position[1][i] = random.real(-100.0, 100.0);
            let miss = [0.0, 2.0 * radius][(random.next_u64() % 2) as usize];
            position[0][partner] = position[0][i] + (2.0 * radius + gap);
            position[1][partner] = position[1][i] + miss;
            // The partner arrives after one second, give or take the rounding.
            velocity[0][partner] = if miss == 0.0 { -gap } else { -(gap + 2.0 * radius) };
        }
        let scene = Scene::new(&position, &velocity, vec![radius; count]);
        for horizon in [1.0_f64.next_down(), 1.0, 1.0_f64.next_up(), 1.0 + 1e-7] {
            check(&scene, horizon, &Context::serial());
        }
    }
}

#[test]
fn block_and_chunk_boundaries() {
    for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129] {
        for dim in 1..=5 {
            check(&Scene::random(dim, count, count as u64, 0.02, 1e15, 1.0), 0.1, &Context::serial());
        }
    }
}

#[test]
fn the_same_for_any_number_of_threads() {
    for grid in [4.0, 1e15] {
        let scene = Scene::random(3, 700, 5, 0.001, grid, 1.0);
        for threads in [1, 2, 5] {
            check(&scene, 0.2, &Context::with_threads(threads).unwrap());
        }
    }
}

#[test]
fn ties_go_to_the_smallest_pair() {
    // Pairs (k, 99 - k) meet head-on at the same time.
    let x: Vec<f64> = (0..100).map(|i| if i < 50 { 0.0 } else { 1.0 }).collect();
    let y: Vec<f64> = (0..100_usize).map(|i| i.min(99 - i) as f64 * 10.0).collect();
    let u: Vec<f64> = x.iter().map(|x| 0.5 - x).collect();
    let scene = Scene::new(&[x, y], &[u, vec![0.0; 100]], vec![0.25; 100]);
    for threads in [1, 2] {
        let context = Context::with_threads(threads).unwrap();
        let hit = scene.paths().earliest(5.0, &context).unwrap();
        assert_eq!((hit.time, hit.first, hit.second), (0.5, 0, 99));
        check(&scene, 5.0, &context);
    }
}

#[test]
fn tracers_never_collide() {
    let still = vec![vec![0.0; 70]];
    let scene = Scene::new(&[(0..70).map(f64::from).collect()], &still, vec![f64::NAN; 70]);
    assert_eq!(scene.paths().earliest(1.0, &Context::serial()), None);
    check(&scene, 1.0, &Context::serial());
}
