//! Attraction by the tree of Barnes and Hut (docs/methods/particles.md, section 4.3).

use carom::particles::gravity;
use carom::soa::Column;
use carom::{Attraction, AttractionLaw, Context, Error, Particle, Particles, Settings, World};

use super::random::Random;

fn attract(particles: &Particles, law: AttractionLaw, softening: f64, context: &Context) -> Vec<Vec<f64>> {
    let attraction = Attraction { constant: 1.0, law, softening };
    let mut out = vec![Column::filled(particles.len(), 0.0, 0.0).unwrap(); particles.dim()];
    gravity::attraction(particles, &attraction, context, &mut out).unwrap();
    out.iter().map(|column| column.as_slice().to_vec()).collect()
}

fn tree(opening: f64) -> AttractionLaw {
    AttractionLaw::BarnesHut { opening }
}

/// Particles of different masses in a cube, or in a ball that is denser in the middle.
fn cloud(count: usize, dim: usize, clustered: bool, seed: u64) -> Particles {
    let mut random = Random(seed);
    let mut particles = Particles::new(dim).unwrap();
    for _ in 0..count {
        let mut place: Vec<f64> = (0..dim).map(|_| random.real(-1.0, 1.0)).collect();
        if clustered {
            let radius = place.iter().map(|x| x * x).sum::<f64>().sqrt();
            place.iter_mut().for_each(|x| *x *= radius * radius);
        }
        particles.add(&Particle::sphere(&place, 0.1).with_mass(random.real(0.5, 1.5))).unwrap();
    }
    particles
}

/// The root of the mean of the squared errors over that of the squared accelerations.
fn rms_error(found: &[Vec<f64>], exact: &[Vec<f64>]) -> f64 {
    let square = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let (found, exact) = (found.iter().flatten(), exact.iter().flatten());
    (square(&mut found.zip(exact.clone()).map(|(a, b)| a - b)) / square(&mut exact.copied())).sqrt()
}

/// The largest rms errors that the documentation states for each opening.
const STATED: [(f64, f64); 5] = [(0.3, 0.003), (0.5, 0.008), (0.6, 0.012), (0.8, 0.025), (1.0, 0.05)];

#[test]
fn errors_are_those_that_are_stated() {
    for dim in [2, 3] {
        for clustered in [false, true] {
            let particles = cloud(3000, dim, clustered, 4);
            let exact = attract(&particles, AttractionLaw::Newton, 0.01, &Context::serial());
            for (opening, stated) in STATED {
                let error = rms_error(&attract(&particles, tree(opening), 0.01, &Context::serial()), &exact);
                println!("{dim}D clustered {clustered} opening {opening}: {error:.5}");
                assert!(error < stated, "{dim}D, opening {opening}: {error}");
            }
        }
    }
}

#[test]
fn without_opening_it_is_the_sum_over_all_pairs() {
    for dim in [1, 2, 3] {
        for count in [0, 1, 2, 4, 5, 15, 16, 17, 32, 33, 40, 256, 257, 300] {
            let particles = cloud(count, dim, false, 9);
            let exact = attract(&particles, AttractionLaw::Newton, 0.1, &Context::serial());
            let found = attract(&particles, tree(0.0), 0.1, &Context::serial());
            if count > 1 {
                assert!(rms_error(&found, &exact) < 1e-13, "{count} in {dim}D");
            } else {
                assert_eq!(found, exact);
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for dim in [2, 3] {
        let particles = cloud(2000, dim, true, 2);
        let serial = attract(&particles, tree(0.7), 0.0, &Context::serial());
        for threads in [2, 3, 5] {
            let context = Context::with_threads(threads).unwrap();
            assert_eq!(attract(&particles, tree(0.7), 0.0, &context), serial, "{threads} threads");
        }
    }
}

#[test]
fn coincident_massless_and_far_particles_are_summed() {
    for dim in [2, 3] {
        let mut particles = cloud(100, dim, false, 3);
        for n in 0..100_usize {
            let mut place = vec![0.25; dim];
            match n % 4 {
                0 => {}
                1 => place[0] = 1e60,
                2 => place[1] = -1e-60,
                _ => place[0] = 1e-300,
            }
            let mass = if n % 3 == 0 { 0.0 } else { 1.0 };
            particles.add(&Particle::sphere(&place, 0.1).with_mass(mass)).unwrap();
        }
        let exact = attract(&particles, AttractionLaw::Newton, 0.0, &Context::serial());
        let found = attract(&particles, tree(0.5), 0.0, &Context::serial());
        assert!(found.iter().flatten().all(|x| x.is_finite()));
        assert!(rms_error(&found, &exact) < 0.01, "{}", rms_error(&found, &exact));
    }
    let mut same = Particles::new(3).unwrap();
    same.add_many(&vec![Particle::sphere(&[1.0, 2.0, 3.0], 0.1).with_mass(2.0); 200]).unwrap();
    assert!(attract(&same, tree(0.8), 0.0, &Context::serial()).iter().flatten().all(|&x| x == 0.0));
    let mut tracers = Particles::new(2).unwrap();
    tracers.add_many(&vec![Particle::sphere(&[1.0, 2.0], 0.1); 50]).unwrap();
    assert!(attract(&tracers, tree(0.8), 0.0, &Context::serial()).iter().flatten().all(|&x| x == 0.0));
}

#[test]
fn openings_and_dimensions_out_of_range_are_refused() {
    let law = |opening| {
        Settings::default().with_attraction(Attraction { constant: 1.0, law: tree(opening), softening: 0.0 })
    };
    let mut world = World::new(3).unwrap();
    for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let error = world.set_settings(law(bad)).unwrap_err();
        assert!(
            matches!(error, Error::OutOfRange { .. } | Error::NotFinite { .. })
                && error.to_string().contains("opening")
        );
    }
    world.set_settings(law(0.8)).unwrap();
    let error = World::new(4).unwrap().set_settings(law(0.8)).unwrap_err();
    assert!(matches!(error, Error::BadDimension { found: 4, .. }), "{error}");
}

#[test]
fn worlds_with_a_tree_are_saved_and_go_on() {
    use carom::io::{self, Format};
    let mut world = World::from_particles(cloud(60, 2, false, 8));
    let attraction = Attraction { constant: 0.01, law: tree(0.625), softening: 0.1 };
    world.set_settings(Settings::default().with_attraction(attraction)).unwrap();
    for format in [Format::Json, Format::Snapshot] {
        world.step(0.01).unwrap();
        let mut bytes = Vec::new();
        io::write(&world, format, &mut bytes).unwrap();
        let mut loaded = io::from_bytes(&bytes).unwrap();
        assert_eq!(loaded.settings(), world.settings());
        loaded.step(0.01).unwrap();
        world.step(0.01).unwrap();
        assert_eq!(loaded.particles().state_hash(), world.particles().state_hash());
    }
    assert!(world.potential_energy().unwrap() < 0.0);
}
