//! The engine finds the same events as other methods: the time steps of `World`, and a simple oracle.

use std::ops::ControlFlow;

use carom::events::{Boundary, Enclosure, Engine, EventKind, EventSettings, Limit};
use carom::{Particle, World};

use super::events_oracle::{Happening, Oracle};
use super::events_starts::{Mixture, mixture, particles_of, some_box};
use super::random::Random;

/// Times of one event by two methods agree to this, in seconds.
const TOLERANCE: f64 = 1e-9;

fn run_logged<const D: usize>(engine: &mut Engine<D>, limit: Limit) -> Vec<Happening> {
    let mut log = Vec::new();
    let mut note = |event: &carom::events::Event<D>| {
        log.push((event.time, event.kind, event.first, event.second));
        ControlFlow::Continue(())
    };
    engine.run_observed(limit, &mut note).unwrap();
    log
}

#[track_caller]
fn assert_same(found: &[Happening], expected: &[Happening]) {
    for (n, (a, b)) in found.iter().zip(expected).enumerate() {
        assert_eq!((a.1, a.2, a.3), (b.1, b.2, b.3), "event {n}: {a:?} and {b:?}");
        assert!((a.0 - b.0).abs() <= TOLERANCE, "event {n}: {a:?} and {b:?}");
    }
    assert_eq!(found.len(), expected.len());
}

/// Fixed balls of radius 0.5 around the box [0, side]^D, too close together for a ball of radius 0.25 to escape.
fn cage<const D: usize>(side: f64) -> Vec<Particle> {
    let along = (side / 1.01).ceil() as usize + 3;
    let step = (side + 2.0) / (along - 1) as f64;
    let place = |n: usize| -> [usize; D] { std::array::from_fn(|axis| n / along.pow(axis as u32) % along) };
    let outside = |place: &[usize; D]| place.iter().any(|&k| k == 0 || k == along - 1);
    (0..along.pow(D as u32))
        .map(place)
        .filter(outside)
        .map(|place| place.map(|k| k as f64 * step - 1.0))
        .map(|place| Particle::sphere(&place, 0.49).with_mass(1.0).fixed())
        .collect()
}

/// A mixture of balls, some fixed and some tracers, in a cage of fixed balls, because `World` has no walls.
fn agrees_with_stepping<const D: usize>(what: Mixture, seed: u64, seconds: f64, at_least: usize) {
    let (mut list, side) = mixture::<D>(what, &mut Random(seed));
    list.extend(cage::<D>(side));
    let mut world = World::from_particles(particles_of(&list));
    let mut expected: Vec<Happening> = Vec::new();
    while world.time() < seconds {
        let mut note =
            |c: &carom::Collision| expected.push((c.time, EventKind::Collision, c.first, c.second));
        world.step_observed(0.25, &mut note).unwrap();
    }
    let mut engine =
        Engine::<D>::new(particles_of(&list), Enclosure::open(), EventSettings::default()).unwrap();
    let found = run_logged(&mut engine, Limit::until(seconds));
    assert!(found.len() >= at_least, "only {} events", found.len());
    assert_same(&found, &expected);
    assert!(engine.synchronise().is_close(world.particles(), 1e-7));
}

const MIXED: Mixture = Mixture { count: 0, spread: 0.4, fixed: 0.08, tracers: 0.08, spacing: 1.6 };

#[test]
fn same_events_as_time_steps_in_the_plane() {
    for seed in 0..4 {
        agrees_with_stepping::<2>(Mixture { count: 196, ..MIXED }, seed, 3.0, 200);
    }
}

#[test]
fn same_events_as_time_steps_in_space() {
    for seed in 0..3 {
        agrees_with_stepping::<3>(Mixture { count: 216, ..MIXED }, seed, 2.0, 200);
    }
}

#[test]
fn same_events_as_time_steps_for_one_size_and_for_very_different_ones() {
    let equal = Mixture { count: 225, spread: 0.0, fixed: 0.0, tracers: 0.0, spacing: 1.25 };
    agrees_with_stepping::<2>(equal, 21, 1.0, 300);
    let wild = Mixture { count: 225, spread: 0.9, fixed: 0.1, tracers: 0.1, spacing: 1.95 };
    agrees_with_stepping::<2>(wild, 22, 2.0, 100);
}

/// Against the oracle, in boxes that `World` does not have.
fn agrees_with_oracle<const D: usize>(what: Mixture, kinds: &[Boundary], settings: EventSettings, seed: u64) {
    let mut random = Random(seed);
    let (list, side) = mixture::<D>(what, &mut random);
    let enclosure = some_box::<D>(side, kinds, &mut random);
    let particles = particles_of(&list);
    let mut oracle = Oracle::new(&particles, enclosure, settings);
    let mut engine = Engine::new(particles, enclosure, settings).unwrap();
    // Few collisions per ball and short flights: a difference by rounding grows tenfold with each collision.
    let expected: Vec<Happening> = (0..3 * what.count).map_while(|_| oracle.step(10.0)).collect();
    let found = run_logged(&mut engine, Limit::collisions(expected.len() as u64));
    assert_same(&found, &expected);
    let particles = engine.synchronise();
    for index in 0..particles.len() {
        for (a, b) in
            particles.value(carom::Field::Velocity, index).unwrap().iter().zip(oracle.velocity(index))
        {
            assert!((a - b).abs() < 1e-7, "the velocity of {index}");
        }
    }
}

#[test]
fn same_events_as_the_oracle_in_every_box() {
    let all = [Boundary::Open, Boundary::Reflecting, Boundary::Periodic];
    let closed = &all[1..];
    let settings = EventSettings::default();
    for seed in 0..6 {
        let what = Mixture { count: 40, fixed: 0.05, tracers: 0.05, ..MIXED };
        agrees_with_oracle::<1>(Mixture { count: 20, ..what }, closed, settings, seed);
        agrees_with_oracle::<2>(what, closed, settings, seed);
        agrees_with_oracle::<3>(what, closed, settings, seed);
        agrees_with_oracle::<3>(Mixture { spacing: 1.45, ..what }, &all, settings, seed);
    }
}

#[test]
fn same_events_as_the_oracle_with_restitution() {
    let settings = EventSettings::default().with_restitution(0.8).with_wall_restitution(0.9);
    for seed in 0..5 {
        let what = Mixture { count: 40, ..MIXED };
        agrees_with_oracle::<2>(what, &[Boundary::Reflecting, Boundary::Periodic], settings, seed);
        agrees_with_oracle::<3>(what, &[Boundary::Reflecting, Boundary::Periodic], settings, seed);
    }
}

/// A box so small that a ball collides with the same partner through several faces.
#[test]
fn same_events_as_the_oracle_in_narrow_periodic_boxes() {
    for seed in 0..10 {
        let what = Mixture { count: 4, spread: 0.2, fixed: 0.0, tracers: 0.0, spacing: 1.5 };
        agrees_with_oracle::<2>(what, &[Boundary::Periodic], EventSettings::default(), seed);
        let eight = Mixture { count: 8, ..what };
        agrees_with_oracle::<3>(eight, &[Boundary::Periodic], EventSettings::default(), seed);
        let pair = Mixture { count: 2, ..what };
        agrees_with_oracle::<1>(pair, &[Boundary::Periodic], EventSettings::default(), seed);
    }
}
