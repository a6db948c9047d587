//! Laws that every event-driven run obeys.

use carom::events::{Boundary, Enclosure, Engine, Event, EventKind, EventSettings, Limit, Stop};
use carom::{Error, Field, Particle, Particles};
use proptest::prelude::*;

use super::events_starts::{
    Mixture, config, deepest_overlap, engine_of, events, mixture, particles_of, periodic_gas, some_box,
};
use super::random::Random;

const CLOSED: [Boundary; 2] = [Boundary::Reflecting, Boundary::Periodic];
const ANY: [Boundary; 3] = [Boundary::Open, Boundary::Reflecting, Boundary::Periodic];

fn some_mixture(random: &mut Random, fixed: f64) -> Mixture {
    let spread = random.real(0.0, 0.7);
    Mixture {
        count: 2 + random.next_u64() as usize % 60,
        spread,
        fixed,
        tracers: if random.chance(0.5) { 0.1 } else { 0.0 },
        spacing: 1.0 + spread + random.real(0.02, 1.5),
    }
}

fn some_start<const D: usize>(seed: u64, kinds: &[Boundary], fixed: f64) -> (Particles, Enclosure<D>) {
    let mut random = Random(seed);
    let what = some_mixture(&mut random, fixed);
    let (list, side) = mixture::<D>(what, &mut random);
    (particles_of(&list), some_box(side, kinds, &mut random))
}

fn total_energy<const D: usize>(engine: &Engine<D>) -> f64 {
    let now = engine.measurements();
    now.kinetic_energy + now.potential_energy
}

fn keeps_the_laws<const D: usize>(seed: u64, fixed: f64) -> Result<(), TestCaseError> {
    let (particles, enclosure) = some_start::<D>(seed, &ANY, fixed);
    let mut engine = Engine::new(particles, enclosure, EventSettings::default()).unwrap();
    let log = events(&mut engine, Limit::until(50.0).or_collisions(1000));
    prop_assert!(log.is_sorted_by(|a, b| a.time <= b.time), "events come in the order of time");
    prop_assert!(log.iter().all(|event| event.impulse >= 0.0 && (0.0..=50.0).contains(&event.time)));
    let balls = log.iter().filter(|event| event.kind == EventKind::Collision);
    prop_assert!(balls.clone().all(|event| event.first < event.second));
    let found = engine.measurements();
    prop_assert_eq!(found.collisions, balls.count() as u64);
    prop_assert_eq!(found.collisions + found.wall_collisions, log.len() as u64);
    prop_assert!(found.energy_drift < 1e-12, "energy drift {}", found.energy_drift);
    if fixed == 0.0 {
        prop_assert!(found.momentum_drift < 1e-12, "momentum drift {}", found.momentum_drift);
    }
    let overlap = deepest_overlap(&mut engine);
    prop_assert!(overlap < 1e-12, "overlap {overlap}");
    Ok(())
}

/// The total energy of a start with gravity is conserved, with any faces and fixed balls.
fn keeps_energy_in_gravity<const D: usize>(seed: u64, fixed: f64) -> Result<(), TestCaseError> {
    let (particles, mut enclosure) = some_start::<D>(seed, &CLOSED, fixed);
    enclosure.boundaries[1] = Boundary::Reflecting;
    let settings = EventSettings::default().with_down_gravity(1.5);
    let mut engine = Engine::new(particles, enclosure, settings).unwrap();
    let before = total_energy(&engine);
    let log = events(&mut engine, Limit::until(20.0).or_collisions(1000));
    prop_assert!(log.is_sorted_by(|a, b| a.time <= b.time));
    let after = total_energy(&engine);
    prop_assert!((after - before).abs() <= 1e-11 * before.abs().max(1.0), "energy {before} became {after}");
    let overlap = deepest_overlap(&mut engine);
    prop_assert!(overlap < 1e-11, "overlap {overlap}");
    Ok(())
}

/// The energy that collisions with restitution e lose: J^2 / (2 mu) (1 - e) / (1 + e), from the impulse J = (1 + e) mu w.
fn losses<const D: usize>(log: &[Event<D>], particles: &Particles, settings: &EventSettings) -> f64 {
    let lightness = |index: usize| match particles.get(index).unwrap() {
        ball if ball.fixed => 0.0,
        ball => 1.0 / ball.mass,
    };
    let loss = |event: &Event<D>| {
        let (inverse, e) = match event.kind {
            EventKind::Collision => (lightness(event.first) + lightness(event.second), settings.restitution),
            EventKind::Wall if event.impulse == 0.0 => return 0.0,
            EventKind::Wall => (lightness(event.first), settings.wall_restitution),
            other => panic!("{other:?}"),
        };
        0.5 * event.impulse.powi(2) * inverse * (1.0 - e) / (1.0 + e)
    };
    log.iter().map(loss).sum()
}

fn loses_what_restitution_takes<const D: usize>(seed: u64) -> Result<(), TestCaseError> {
    let (particles, enclosure) = some_start::<D>(seed, &CLOSED, 0.1);
    let settings = EventSettings::default().with_restitution(0.7).with_wall_restitution(0.9);
    let mut engine = Engine::new(particles, enclosure, settings).unwrap();
    let before = total_energy(&engine);
    let log = events(&mut engine, Limit::until(50.0).or_collisions(300));
    let lost = before - total_energy(&engine);
    let expected = losses(&log, engine.synchronise(), &settings);
    prop_assert!((lost - expected).abs() <= 1e-12 * before, "lost {lost}, not {expected}");
    Ok(())
}

/// All velocities reversed.
fn reverse<const D: usize>(engine: &mut Engine<D>) {
    let turn = |particles: &mut Particles| {
        for axis in 0..D {
            particles.column_mut(Field::Velocity, axis).unwrap().iter_mut().for_each(|v| *v = -*v);
        }
    };
    engine.edit(turn).unwrap();
}

fn returns_to_the_start<const D: usize>(seed: u64, gravity: f64) -> Result<(), TestCaseError> {
    let (particles, mut enclosure) = some_start::<D>(seed, &CLOSED, 0.05);
    if gravity > 0.0 {
        enclosure.boundaries[1] = Boundary::Reflecting;
    }
    let settings = EventSettings::default().with_down_gravity(gravity);
    let mut engine = Engine::new(particles.clone(), enclosure, settings).unwrap();
    engine.run(Limit::until(5.0).or_collisions(3 * particles.len() as u64)).unwrap();
    let half = engine.time();
    reverse(&mut engine);
    engine.run(Limit::until(2.0 * half)).unwrap();
    reverse(&mut engine);
    prop_assert!(close(engine.particles(), &particles, &enclosure, 1e-6), "not back at the start");
    Ok(())
}

/// Whether positions, through periodic faces, and velocities agree.
fn close<const D: usize>(a: &Particles, b: &Particles, enclosure: &Enclosure<D>, tolerance: f64) -> bool {
    let near = |axis: usize, x: f64, y: f64| {
        let side = enclosure.upper[axis] - enclosure.lower[axis];
        let apart = (x - y).abs();
        apart <= tolerance
            || enclosure.boundaries[axis] == Boundary::Periodic && (apart - side).abs() <= tolerance
    };
    let pairs = |field, axis| {
        let (x, y) = (a.column(field, axis).unwrap(), b.column(field, axis).unwrap());
        x.iter().copied().zip(y.iter().copied())
    };
    (0..D).all(|axis| {
        pairs(Field::Position, axis).all(|(x, y)| near(axis, x, y))
            && pairs(Field::Velocity, axis).all(|(x, y)| (x - y).abs() <= tolerance)
    })
}

/// A start mirrored at the middle of the box has the mirrored events.
fn is_the_same_in_a_mirror<const D: usize>(seed: u64) -> Result<(), TestCaseError> {
    let (particles, enclosure) = some_start::<D>(seed, &CLOSED, 0.05);
    let middle = enclosure.lower[0] + enclosure.upper[0];
    let mut mirrored = particles.clone();
    mirrored.column_mut(Field::Position, 0).unwrap().iter_mut().for_each(|x| *x = middle - *x);
    mirrored.column_mut(Field::Velocity, 0).unwrap().iter_mut().for_each(|v| *v = -*v);
    // Few collisions per ball: the difference by rounding grows with each of them.
    let limit = Limit::until(50.0).or_collisions(2 * particles.len() as u64);
    let mut engine = Engine::new(particles, enclosure, EventSettings::default()).unwrap();
    let mut image = Engine::new(mirrored, enclosure, EventSettings::default()).unwrap();
    let (log, image_log) = (events(&mut engine, limit), events(&mut image, limit));
    prop_assert_eq!(log.len(), image_log.len());
    for (event, mirrored) in log.iter().zip(&image_log) {
        let face = |event: &Event<D>| match (event.kind, event.second) {
            (EventKind::Wall, face @ 0..2) => 1 - face,
            (_, second) => second,
        };
        prop_assert_eq!(
            (event.kind, event.first, event.second),
            (mirrored.kind, mirrored.first, face(mirrored))
        );
        prop_assert!((event.time - mirrored.time).abs() < 1e-7);
        prop_assert!((event.normal[0] + mirrored.normal[0]).abs() < 1e-6);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn energy_momentum_order_and_no_overlap(seed: u64, some_fixed: bool) {
        let fixed = if some_fixed { 0.15 } else { 0.0 };
        keeps_the_laws::<1>(seed, fixed)?;
        keeps_the_laws::<2>(seed, fixed)?;
        keeps_the_laws::<3>(seed, fixed)?;
    }

    #[test]
    fn energy_stays_in_gravity_with_walls(seed: u64) {
        keeps_energy_in_gravity::<2>(seed, 0.0)?;
        keeps_energy_in_gravity::<3>(seed, 0.0)?;
    }

    #[test]
    fn energy_stays_in_gravity_with_fixed_balls(seed: u64) {
        keeps_energy_in_gravity::<2>(seed, 0.15)?;
        keeps_energy_in_gravity::<3>(seed, 0.15)?;
    }

    #[test]
    fn restitution_takes_its_share_and_no_more(seed: u64) {
        loses_what_restitution_takes::<1>(seed)?;
        loses_what_restitution_takes::<2>(seed)?;
        loses_what_restitution_takes::<3>(seed)?;
    }

    #[test]
    fn turning_all_velocities_around_leads_back(seed: u64) {
        returns_to_the_start::<2>(seed, 0.0)?;
        returns_to_the_start::<3>(seed, 0.0)?;
        returns_to_the_start::<2>(seed, 1.0)?;
    }

    #[test]
    fn mirrored_starts_have_mirrored_events(seed: u64) {
        is_the_same_in_a_mirror::<1>(seed)?;
        is_the_same_in_a_mirror::<2>(seed)?;
        is_the_same_in_a_mirror::<3>(seed)?;
    }
}

#[test]
fn a_long_run_keeps_energy_and_momentum_and_overlaps_by_rounding_only() {
    let mut engine = periodic_gas::<3>(6, 0.5, 31);
    engine.run(Limit::collisions(400_000)).unwrap();
    let found = engine.measurements();
    assert!(found.energy_drift < 1e-12, "energy drift {}", found.energy_drift);
    assert!(found.momentum_drift < 1e-12, "momentum drift {}", found.momentum_drift);
    let overlap = deepest_overlap(&mut engine);
    assert!(overlap < 1e-13, "overlap {overlap}");
}

fn dropped(height: f64, velocity: [f64; 2], settings: EventSettings) -> Engine<2> {
    let ball = Particle::sphere(&[0.0, height + 0.5], 0.5).with_mass(2.0).with_velocity(&velocity);
    let mut enclosure = Enclosure::reflecting([0.0, 0.0], [0.0, 100.0]);
    enclosure.boundaries[0] = Boundary::Open;
    enclosure.upper[0] = 0.0;
    Engine::new(particles_of(&[ball]), enclosure, settings).unwrap()
}

#[test]
fn a_dropped_ball_bounces_when_the_closed_form_says() {
    let settings = EventSettings::default().with_down_gravity(9.8);
    let mut engine = dropped(4.9, [0.25, 0.0], settings);
    let log = events(&mut engine, Limit::collisions(20));
    for (n, bounce) in log.iter().enumerate() {
        // It falls for one second and is up and down again in two.
        let expected = 1.0 + 2.0 * n as f64;
        assert!((bounce.time - expected).abs() < 1e-12 * expected, "bounce {n} at {}", bounce.time);
        assert!((bounce.impulse - 2.0 * 2.0 * 9.8).abs() < 1e-11);
        assert_eq!((bounce.kind, bounce.second, bounce.normal), (EventKind::Wall, 2, [0.0, 1.0]));
    }
    engine.run(Limit::until(42.0)).unwrap();
    let particles = engine.synchronise();
    assert!((particles.column(Field::Position, 0).unwrap()[0] - 10.5).abs() < 1e-11);
    assert!((particles.column(Field::Position, 1).unwrap()[0] - 5.4).abs() < 1e-10);
}

/// The same with contacts that are instants, which can collapse.
fn instant(settings: EventSettings) -> EventSettings {
    settings.with_contact_duration(Some(0.0))
}

#[test]
fn a_ball_that_comes_to_rest_on_the_floor_is_reported_as_a_collapse() {
    let settings = instant(EventSettings::default().with_down_gravity(9.8).with_wall_restitution(0.5));
    let mut engine = dropped(4.9, [0.0, 0.0], settings);
    // The n-th flight lasts 2 / 2^n seconds: all of them end 3 seconds after the start.
    let found = engine.run(Limit::until(10.0));
    let Err(Error::Collapse { time, first, .. }) = found else { panic!("{found:?}") };
    assert!((time - 3.0).abs() < 1e-3, "{time}");
    assert_eq!(first, 0);
    let height = engine.synchronise().column(Field::Position, 1).unwrap()[0];
    assert!((height - 0.5).abs() < 1e-9, "the state stays valid: {height}");
}

#[test]
fn a_ball_that_comes_to_rest_on_another_is_reported_as_a_collapse() {
    let list = [
        Particle::sphere(&[0.0, 0.0], 0.5).with_mass(1.0).fixed(),
        Particle::sphere(&[0.0, 5.9], 0.5).with_mass(1.0),
    ];
    let settings = instant(EventSettings::default().with_down_gravity(9.8).with_restitution(0.5));
    let mut engine = Engine::<2>::new(particles_of(&list), Enclosure::open(), settings).unwrap();
    let found = engine.run(Limit::until(10.0).or_collisions(100_000));
    let Err(Error::Collapse { time, first, second }) = found else { panic!("{found:?}") };
    assert!((time - 3.0).abs() < 1e-3, "{time}");
    assert_eq!((first, second), (0, 1));
    assert!(deepest_overlap(&mut engine) < 1e-9);
}

#[test]
fn inelastic_balls_between_walls_collapse_and_are_reported() {
    // Many balls in a row with little restitution: McNamara and Young's collapse.
    let list: Vec<Particle> = (0..30)
        .map(|n| {
            Particle::sphere(&[n as f64 * 1.2], 0.5).with_mass(1.0).with_velocity(&[if n == 0 {
                1.0
            } else {
                0.0
            }])
        })
        .chain([Particle::sphere(&[40.0], 0.5).with_mass(1.0).fixed()])
        .collect();
    let settings = EventSettings::default().with_restitution(0.3);
    let mut engine = Engine::<1>::new(particles_of(&list), Enclosure::open(), settings).unwrap();
    match engine.run(Limit::NONE) {
        Err(Error::Collapse { time, .. }) => assert!(time.is_finite()),
        Ok(stop) => assert_eq!(stop, Stop::Idle),
        other => panic!("{other:?}"),
    }
    assert!(deepest_overlap(&mut engine) < 1e-9);
}

/// Dropped from rest, it has no momentum at the start nor, in the end, on the floor.
#[test]
fn the_momentum_of_a_ball_that_comes_to_rest_stays_exact() {
    let list = [Particle::sphere(&[1.0, 2.0], 0.1).with_mass(3.0)];
    let settings = instant(EventSettings::default().with_down_gravity(9.81).with_wall_restitution(0.5));
    let walls = Enclosure::reflecting([0.0; 2], [3.0; 2]);
    let mut engine = Engine::new(particles_of(&list), walls, settings).unwrap();
    let mut worst = 0.0_f64;
    let outcome = loop {
        match engine.run(Limit::collisions(1)) {
            Ok(_) => worst = worst.max(engine.measurements().momentum_drift),
            Err(error) => break error,
        }
    };
    assert!(matches!(outcome, Error::Collapse { .. }), "{outcome}");
    let found = engine.measurements();
    assert!(found.kinetic_energy < 1e-15 && found.wall_collisions > 20, "{found:?}");
    assert!(worst.max(found.momentum_drift) < 1e-14, "{worst} {found:?}");
    let mut bytes = Vec::new();
    engine.save(&mut bytes).unwrap();
    assert_eq!(Engine::<2>::load(&mut bytes.as_slice()).unwrap().measurements(), found);
}

#[test]
fn simultaneous_collisions_keep_energy_and_symmetry() {
    // Four balls collide in the middle at the same time, along both axes.
    let list: Vec<Particle> = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
        .iter()
        .map(|d: &[f64; 2]| {
            Particle::sphere(&d.map(|x| 3.0 * x), 0.5).with_mass(1.0).with_velocity(&d.map(|x| -x))
        })
        .collect();
    let mut engine = engine_of::<2>(&list, Enclosure::open());
    assert_eq!(engine.run(Limit::NONE).unwrap(), Stop::Idle);
    let found = engine.measurements();
    assert!(found.energy_drift < 1e-15 && found.momentum_drift < 1e-15, "{found:?}");
    assert!(deepest_overlap(&mut engine) < 1e-12);
}

#[test]
fn a_row_of_touching_balls_transmits_an_impulse() {
    // Newton's cradle, touching exactly: the last ball leaves with the velocity of the first.
    let ball = |x: f64| Particle::sphere(&[x], 0.5).with_mass(1.0);
    let list = [ball(0.0).with_velocity(&[1.0]), ball(2.0), ball(3.0), ball(4.0), ball(5.0)];
    let mut engine = engine_of::<1>(&list, Enclosure::open());
    assert_eq!(engine.run(Limit::NONE).unwrap(), Stop::Idle);
    assert_eq!(engine.measurements().collisions, 4);
    assert_eq!(engine.synchronise().column(Field::Velocity, 0).unwrap(), [0.0, 0.0, 0.0, 0.0, 1.0]);
}
