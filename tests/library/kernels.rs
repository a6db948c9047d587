//! Every kernel against its scalar twin, on random and on nasty input, for several numbers of threads.

use crate::cloud::{cloud, columns, vectors};
use crate::random::{Random, hash};
use carom::particles::gravity::{self, attraction_scalar};
use carom::particles::integrate::{self, System};
use carom::soa::Column;
use carom::{Attraction, AttractionLaw, Context, Field, Particle, Particles, Settings, World};

/// Empty, one, around a block, around a tile and around two tiles.
const COUNTS: [usize; 11] = [0, 1, 2, 3, 4, 5, 511, 512, 513, 1024, 1030];

fn attract(particles: &Particles, law: &Attraction, context: &Context) -> Vec<Vec<f64>> {
    let mut out = vec![Column::filled(particles.len(), 0.0, 0.0).unwrap(); particles.dim()];
    gravity::attraction(particles, law, context, &mut out).unwrap();
    let padding = out.iter().flat_map(|column| &column.padded()[column.len()..]);
    assert!(padding.into_iter().all(|&x| x == 0.0), "the padding is left alone");
    out.iter().map(|column| column.as_slice().to_vec()).collect()
}

fn attract_scalar(particles: &Particles, law: &Attraction) -> Vec<Vec<f64>> {
    let mut out = vec![vec![0.0; particles.len()]; particles.dim()];
    attraction_scalar(particles, law, &mut out);
    out
}

fn largest(columns: &[Vec<f64>]) -> f64 {
    columns.iter().flatten().fold(0.0, |m, x| m.max(x.abs()))
}

fn assert_close(a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64, what: &str) {
    let scale = largest(b);
    for (i, (x, y)) in a.iter().flatten().zip(b.iter().flatten()).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what}: entry {i} is {x}, the twin says {y}");
    }
}

#[test]
fn attraction_agrees_with_its_twin() {
    let laws = [
        Attraction { constant: 1.0, law: AttractionLaw::Newton, softening: 0.0 },
        Attraction { constant: -2.5, law: AttractionLaw::AsPrinted, softening: 0.1 },
    ];
    for dim in 1..=5 {
        for count in COUNTS {
            let particles = cloud(dim, count, 7 + count as u64, 1.0);
            for law in &laws {
                let found = attract(&particles, law, &Context::serial());
                let what = format!("{count} particles in {dim}D, {law:?}");
                assert_close(&found, &attract_scalar(&particles, law), 1e-12, &what);
            }
        }
    }
}

#[test]
fn attraction_has_the_same_bits_for_any_number_of_threads() {
    let law = Attraction { constant: 1.0, law: AttractionLaw::Newton, softening: 0.0 };
    for dim in [1, 2, 3, 4] {
        for count in [700, 2100] {
            let particles = cloud(dim, count, 3, 1.0);
            let serial = attract(&particles, &law, &Context::serial());
            for threads in [2, 5] {
                let context = Context::with_threads(threads).unwrap();
                assert_eq!(attract(&particles, &law, &context), serial, "{dim}D, {threads} threads");
            }
        }
    }
}

#[test]
fn attraction_obeys_the_third_law() {
    let law = Attraction { constant: 1.0, law: AttractionLaw::Newton, softening: 0.0 };
    let particles = cloud(3, 1500, 11, 1.0);
    let mass = particles.column(Field::Mass, 0).unwrap();
    for column in attract(&particles, &law, &Context::serial()) {
        let forces: Vec<f64> = column.iter().zip(mass).map(|(a, m)| a * m).collect();
        let total: f64 = forces.iter().sum();
        let scale: f64 = forces.iter().map(|f| f.abs()).sum();
        assert!(total.abs() <= 1e-13 * scale, "sum of forces {total}, of their sizes {scale}");
    }
}

#[test]
fn coincident_centres_attract_with_zero() {
    for dim in 1..=4 {
        for softening in [0.0, 0.5] {
            let law = Attraction { constant: 1.0, law: AttractionLaw::Newton, softening };
            let mut particles = Particles::new(dim).unwrap();
            for _ in 0..9 {
                particles.add(&Particle::sphere(&vec![1.5; dim], 0.1).with_mass(2.0)).unwrap();
            }
            assert_eq!(largest(&attract(&particles, &law, &Context::serial())), 0.0);
            assert_eq!(largest(&attract_scalar(&particles, &law)), 0.0);
        }
    }
}

#[test]
fn attraction_spans_the_range_of_distances() {
    let law = Attraction { constant: 1.0, law: AttractionLaw::Newton, softening: 0.0 };
    for exponent in (-150..=75).step_by(5) {
        let distance = 10.0_f64.powi(exponent);
        for mass in [0.0, 1.0, 1e60] {
            let mut particles = Particles::new(3).unwrap();
            particles.add(&Particle::sphere(&[0.0; 3], 0.0).with_mass(mass)).unwrap();
            particles.add(&Particle::sphere(&[distance, 0.0, 0.0], 0.0)).unwrap();
            let found = attract(&particles, &law, &Context::serial());
            assert!(found.iter().flatten().all(|x| x.is_finite()), "distance {distance}");
            assert_close(&found, &attract_scalar(&particles, &law), 1e-14, "two particles");
            if exponent >= -50 {
                let exact = -mass / distance / distance;
                assert!((found[0][1] - exact).abs() <= 1e-14 * exact.abs(), "distance {distance}");
            }
        }
    }
}

#[test]
fn motion_has_the_bits_of_its_twin() {
    for dim in 1..=5 {
        for count in [0, 1, 3, 4, 5, 4095, 4096, 4097, 9000] {
            let start = cloud(dim, count, 5, 1.0);
            let uniform: Vec<f64> = (0..dim).map(|axis| axis as f64 - 1.0).collect();
            let pull = columns(&vectors(&mut Random(1), dim, count, -1.0, 1.0), 0.0);
            for attraction in [None, Some(&pull[..])] {
                let system = System { uniform: &uniform, attraction };
                let mut expected = start.clone();
                integrate::integrate_scalar(&mut expected, &system, 0.01);
                let mut means = vec![vec![0.0; count]; dim];
                integrate::mean_velocities_scalar(&start, &system, 0.01, &mut means);
                for threads in [1, 2, 5] {
                    let context = Context::with_threads(threads).unwrap();
                    let mut moved = start.clone();
                    integrate::integrate(&mut moved, &system, 0.01, &context);
                    assert!(moved == expected, "{count} particles in {dim}D, {threads} threads");
                    let mut out = vec![Column::filled(count, 0.0, 0.0).unwrap(); dim];
                    integrate::mean_velocities(&start, &system, 0.01, &context, &mut out);
                    assert!(out.iter().zip(&means).all(|(a, b)| a.as_slice() == b), "mean velocities");
                }
            }
        }
    }
}

#[test]
fn totals_agree_with_their_twins() {
    let law = Attraction { constant: 2.0, law: AttractionLaw::Newton, softening: 0.0 };
    for dim in 1..=5 {
        for count in [0, 1, 3, 4, 5, 63, 64, 65, 700, 5000_usize] {
            let particles = cloud(dim, count, 9, 1.0);
            let totals = |context: &Context| {
                let potential = particles.potential_energy(0.0, &law, context).unwrap();
                (particles.kinetic_energy(context), potential, particles.momentum(context))
            };
            let serial = totals(&Context::serial());
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
            assert!(close(serial.0, particles.kinetic_energy_scalar()), "kinetic energy");
            assert!(close(serial.1, particles.pair_potential_scalar(&law)), "potential energy");
            for threads in [2, 5] {
                assert_eq!(totals(&Context::with_threads(threads).unwrap()), serial, "{threads} threads");
            }
        }
    }
}

#[test]
fn a_circular_orbit_keeps_its_energy() {
    let mut world = World::new(2).unwrap();
    let body = |x: f64, y: f64| Particle::sphere(&[x, 0.0], 0.01).with_mass(1.0).with_velocity(&[0.0, y]);
    // Two unit masses at distance 1 around their centre: v^2 / 0.5 = G m / 1^2.
    let velocity = 0.5_f64.sqrt();
    world.particles_mut().add_many(&[body(-0.5, -velocity), body(0.5, velocity)]).unwrap();
    let attraction = Attraction { constant: 1.0, ..Attraction::default() };
    world.set_settings(Settings::default().with_attraction(attraction)).unwrap();
    let energy = |world: &World| world.kinetic_energy() + world.potential_energy().unwrap();
    let start = energy(&world);
    assert!((start + 0.5).abs() < 1e-15, "kinetic 1/2 less potential 1, not {start}");
    let period = std::f64::consts::PI * 2.0_f64.sqrt();
    let steps = 100_000;
    (0..steps).for_each(|_| world.next(period / f64::from(steps)).unwrap());
    assert!((energy(&world) / start - 1.0).abs() < 1e-3, "energy {}", energy(&world));
    assert!((world.particles().get(1).unwrap().position[0] - 0.5).abs() < 1e-3, "back after a period");
}

/// The same constant for every build and number of threads: kernels that round differently change it.
#[test]
fn golden_bits() {
    const GOLDEN: u64 = 0x2559_8f07_14f7_57ce;
    for threads in [1, 2, 5] {
        let mut world = World::from_particles(cloud(3, 1000, 42, 1.0));
        world.set_context(Context::with_threads(threads).unwrap());
        let attraction = Attraction { constant: 1e-3, softening: 0.01, ..Attraction::default() };
        world.set_settings(Settings::default().with_attraction(attraction).with_down_gravity(0.5)).unwrap();
        let mut outcome: Vec<f64> = world.system_accelerations().unwrap().concat();
        (0..10).for_each(|_| world.next(0.01).unwrap());
        for (field, axis) in
            [Field::Position, Field::Velocity].into_iter().flat_map(|f| (0..3).map(move |a| (f, a)))
        {
            outcome.extend(world.particles().column(field, axis).unwrap());
        }
        let hit = world.earliest_collision(1.0).unwrap().expect("a dense cloud collides");
        outcome.extend([hit.time, hit.first as f64, hit.second as f64]);
        outcome.extend([world.kinetic_energy(), world.potential_energy().unwrap()]);
        let words: Vec<u64> = outcome.iter().map(|x| x.to_bits()).collect();
        assert_eq!(hash(&words), GOLDEN, "{threads} threads");
    }
}
