//! Balls that lose energy come to rest: the duration of a contact.

use carom::events::{Boundary, Enclosure, Engine, EventKind, EventSettings, Limit, Stop};
use carom::{Error, Field, Particle, Particles};
use proptest::prelude::*;

use super::events_starts::{Mixture, bits, config, deepest_overlap, events, mixture, particles_of};
use super::random::Random;

fn lossy(restitution: f64) -> EventSettings {
    EventSettings::default()
        .with_down_gravity(9.81)
        .with_restitution(restitution)
        .with_wall_restitution(restitution)
}

fn energy<const D: usize>(engine: &Engine<D>) -> f64 {
    let now = engine.measurements();
    now.kinetic_energy + now.potential_energy
}

#[test]
fn a_ball_on_the_floor_bounces_as_often_as_its_contacts_last() {
    for restitution in [0.0, 0.1, 0.5, 0.9] {
        let ball = [Particle::sphere(&[1.0, 1.1], 0.1).with_mass(3.0)];
        let walls = Enclosure::reflecting([0.0; 2], [2.0; 2]);
        let mut engine = Engine::new(particles_of(&ball), walls, lossy(restitution)).unwrap();
        let contact = engine.contact_duration();
        assert!((contact - 0.02 * (0.2_f64 / 9.81).sqrt()).abs() < 1e-17);
        engine.run(Limit::until(80.0)).unwrap();
        let log = events(&mut engine, Limit::until(82.0));
        let most = (2.0 / contact) as usize;
        assert!(log.len() <= most + 1 && log.len() > most / 2, "{restitution}: {} of {most}", log.len());
        let height = engine.synchronise().column(Field::Position, 1).unwrap()[0];
        assert!((0.1 - 1e-15..0.1 + 1e-5).contains(&height), "{restitution}: {height}");
        let found = engine.measurements();
        assert!(found.energy_drift < 1e-12 && found.momentum_drift < 1e-9, "{found:?}");
    }
}

#[test]
fn the_first_collision_loses_energy_however_soon_it_comes() {
    let soon = [Particle::sphere(&[1.0, 0.1 + 1e-6], 0.1).with_mass(3.0).with_velocity(&[0.0, -1.0])];
    let walls = Enclosure::reflecting([0.0; 2], [2.0; 2]);
    let mut engine = Engine::new(particles_of(&soon), walls, lossy(0.5)).unwrap();
    let first = events(&mut engine, Limit::collisions(1));
    assert!(first[0].time < engine.contact_duration());
    assert!((engine.synchronise().column(Field::Velocity, 1).unwrap()[0] - 0.5).abs() < 1e-5);
}

#[test]
fn collisions_within_the_duration_of_a_contact_are_elastic_without_gravity_too() {
    // The first hits the second, which hits the third 0.1 s later: with a contact of 0.2 s that loses nothing.
    let ball = |x: f64, v: f64| Particle::sphere(&[x], 0.5).with_mass(1.0).with_velocity(&[v]);
    let row = [ball(0.0, 2.0), ball(2.0, 0.0), ball(3.1, 0.0)];
    let settings = EventSettings::default().with_restitution(0.0);
    let last = |duration: Option<f64>| {
        let settings = settings.with_contact_duration(duration);
        let mut engine = Engine::<1>::new(particles_of(&row), Enclosure::open(), settings).unwrap();
        events(&mut engine, Limit::collisions(2));
        engine.synchronise().column(Field::Velocity, 0).unwrap().to_vec()
    };
    assert_eq!(last(Some(0.2)), [1.0, 0.0, 1.0]);
    assert_eq!(last(Some(0.05)), [1.0, 0.5, 0.5]);
    assert_eq!(last(None), [1.0, 0.5, 0.5], "there is no such duration without gravity unless it is set");
}

#[test]
fn durations_that_are_none_are_refused() {
    let walls = Enclosure::reflecting([0.0; 2], [2.0; 2]);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let settings = lossy(0.5).with_contact_duration(Some(bad));
        let error = Engine::new(Particles::new(2).unwrap(), walls, settings).unwrap_err();
        assert!(
            matches!(error, Error::Negative { .. } | Error::NotFinite { .. })
                && error.to_string().contains("contact_duration"),
            "{error}"
        );
    }
}

/// Balls that fall into a box onto each other, and onto fixed ones, come to rest; the run goes on to its end.
fn comes_to_rest<const D: usize>(seed: u64, count: usize, restitution: f64, fixed: f64, until: f64) {
    let mut random = Random(seed);
    let what = Mixture { count, spread: 0.2, fixed, tracers: 0.05, spacing: 1.5 };
    let (list, side) = mixture::<D>(what, &mut random);
    let mut walls = Enclosure::reflecting([0.0; D], [side; D]);
    if random.chance(0.5) {
        walls.boundaries[0] = Boundary::Periodic;
    }
    let mut engine = Engine::new(particles_of(&list), walls, lossy(restitution)).unwrap();
    let (start, mut before) = (energy(&engine), energy(&engine));
    for part in 1..=10 {
        assert_eq!(engine.run(Limit::until(until * f64::from(part) / 10.0)).unwrap(), Stop::Time);
        let now = energy(&engine);
        assert!(now <= before + 1e-12 * start, "energy only falls: {before} became {now}");
        before = now;
        assert!(engine.measurements().energy_drift < 1e-11, "{:?}", engine.measurements());
    }
    let overlap = deepest_overlap(&mut engine);
    assert!(overlap < 1e-10, "overlap {overlap}");
    assert!(
        engine.measurements().kinetic_energy < 0.05 * start,
        "{restitution}: {:?}",
        engine.measurements()
    );
}

proptest! {
    #![proptest_config(config(6))]

    #[test]
    fn heaps_come_to_rest(seed: u64) {
        for restitution in [0.0, 0.5] {
            comes_to_rest::<2>(seed, 20, restitution, 0.1, 5.0);
            comes_to_rest::<3>(seed, 20, restitution, 0.0, 5.0);
        }
    }
}

#[test]
fn a_heap_of_many_balls_comes_to_rest() {
    comes_to_rest::<2>(7, 200, 0.5, 0.0, 20.0);
}

/// A ball of radius 0.25 at rest, whose coordinates are all `across` but for its height.
fn lying<const D: usize>(across: f64, height: f64) -> Particle {
    let mut position = [across; D];
    position[1] = height;
    Particle::sphere(&position, 0.25).with_mass(2.0)
}

/// Balls that touch what they lie on, exactly or but for rounding, stay there: energy only falls, nothing overlaps, and each
/// is as high as at the start but for the hops of its rest.
fn stays_at_rest<const D: usize>(name: &str, list: &[Particle], restitution: f64) {
    let walls = Enclosure::reflecting([0.0; D], [4.0; D]);
    let mut engine = Engine::new(particles_of(list), walls, lossy(restitution)).unwrap();
    let contact = engine.contact_duration();
    let (start, mut before) = (energy(&engine), energy(&engine));
    for part in 1..=8 {
        let stop = engine.run(Limit::until(f64::from(part) / 8.0));
        assert_eq!(stop.unwrap(), Stop::Time, "{name} in {D} dimensions with restitution {restitution}");
        let now = energy(&engine);
        assert!(now <= before + 1e-12 * start, "{name}: {before} became {now}");
        before = now;
    }
    let found = engine.measurements();
    assert!(found.energy_drift < 1e-12 && found.momentum_drift < 1e-9, "{name}: {found:?}");
    assert!(found.wall_collisions > 0, "{name}: they rest in bounces");
    assert!(deepest_overlap(&mut engine) < 1e-11, "{name}");
    // All balls together have no more than the energy of one hop each, m g h.
    let hop = 9.81 * contact * contact / 8.0;
    let most = hop * list.len() as f64 * 2.0;
    let particles = engine.synchronise();
    for axis in 0..D {
        for (x, ball) in particles.column(Field::Position, axis).unwrap().iter().zip(list) {
            let moved = (x - ball.position[axis]).abs();
            assert!(moved < if axis == 1 { most } else { 1e-9 }, "{name}: moved by {moved} along {axis}");
        }
    }
}

fn piles_stay_at_rest<const D: usize>() {
    let fixed = |height: f64| lying::<D>(2.0, height).fixed();
    let in_row = |n: usize| {
        let mut ball = lying::<D>(2.0, 0.25);
        ball.position[0] = 1.0 + 0.5 * n as f64;
        ball
    };
    let column =
        |n: usize| -> Vec<Particle> { (0..n).map(|k| lying::<D>(2.0, 0.25 + 0.5 * k as f64)).collect() };
    // Not a multiple of a power of two: the gaps are roundings.
    let rounded: Vec<Particle> = (0..5).map(|k| lying::<D>(2.0, 0.25 + 0.1 * f64::from(k) * 5.0)).collect();
    for restitution in [0.0, 0.4, 0.9] {
        stays_at_rest::<D>("a ball on the floor", &column(1), restitution);
        stays_at_rest::<D>("a ball on a ball", &column(2), restitution);
        stays_at_rest::<D>("a column", &column(6), restitution);
        stays_at_rest::<D>("a column with rounded gaps", &rounded, restitution);
        stays_at_rest::<D>("a row", &(0..5).map(in_row).collect::<Vec<_>>(), restitution);
        // The lowest is fixed, so that nothing touches the wall but a second ball beside it.
        let on_fixed = [fixed(0.5), lying::<D>(2.0, 1.0), lying::<D>(2.0, 1.5), in_row(0)];
        stays_at_rest::<D>("balls on a fixed one", &on_fixed, restitution);
    }
}

#[test]
fn balls_that_touch_what_they_lie_on_at_the_start_stay_at_rest() {
    piles_stay_at_rest::<2>();
    piles_stay_at_rest::<3>();
}

#[test]
fn touching_balls_on_a_line_come_to_rest() {
    // Without gravity nothing lies on anything; a row that one ball strikes, between walls, loses energy and goes on.
    let row = |n: usize| Particle::sphere(&[1.0 + 0.5 * n as f64], 0.25).with_mass(1.0);
    let mut list: Vec<Particle> = (0..5).map(row).collect();
    list.push(Particle::sphere(&[4.0], 0.25).with_mass(1.0).with_velocity(&[-2.0]));
    for restitution in [0.0, 0.5] {
        let settings = EventSettings::default()
            .with_restitution(restitution)
            .with_wall_restitution(restitution)
            .with_contact_duration(Some(0.01));
        let walls = Enclosure::reflecting([0.0], [5.0]);
        let mut engine = Engine::<1>::new(particles_of(&list), walls, settings).unwrap();
        let start = energy(&engine);
        assert_eq!(engine.run(Limit::until(30.0)).unwrap(), Stop::Time);
        assert!(energy(&engine) < 0.5 * start && engine.measurements().energy_drift < 1e-12);
        let still: Vec<Particle> = (0..5).map(row).collect();
        let mut engine = Engine::<1>::new(particles_of(&still), walls, settings).unwrap();
        assert_eq!(engine.run(Limit::until(1.0)).unwrap(), Stop::Time);
        assert_eq!((energy(&engine), engine.measurements().collisions), (0.0, 0));
    }
}

#[test]
fn without_a_duration_of_contacts_balls_that_lie_stop_the_run() {
    for list in [vec![lying::<2>(2.0, 0.25)], vec![lying::<2>(2.0, 0.25), lying::<2>(2.0, 0.75)]] {
        let walls = Enclosure::reflecting([0.0; 2], [4.0; 2]);
        let settings = lossy(0.5).with_contact_duration(Some(0.0));
        let mut engine = Engine::new(particles_of(&list), walls, settings).unwrap();
        let error = engine.run(Limit::until(1.0)).unwrap_err();
        assert!(matches!(error, Error::Collapse { time: 0.0, .. }), "{error}");
    }
}

#[test]
fn only_balls_that_lie_begin_with_a_bounce() {
    let moving = lying::<2>(1.0, 0.25).with_velocity(&[0.0, 0.5]);
    let sliding = lying::<2>(3.0, 0.25).with_velocity(&[0.3, 0.0]);
    let list = [
        lying::<2>(2.0, 0.25),
        lying::<2>(2.0, 0.75),
        lying::<2>(2.0, 1.26),
        moving,
        sliding,
        lying::<2>(0.25, 2.0),
    ];
    let walls = Enclosure::reflecting([0.0; 2], [4.0; 2]);
    let mut engine = Engine::new(particles_of(&list), walls, lossy(0.5)).unwrap();
    let rest = 0.5 * 9.81 * engine.contact_duration();
    let velocities = engine.synchronise().column(Field::Velocity, 1).unwrap().to_vec();
    // The third is above the second, the fourth flies, and the last touches nothing but a wall beside it.
    assert_eq!(velocities, [rest, rest, 0.0, 0.5, rest, 0.0]);
    assert_eq!(engine.particles().column(Field::Velocity, 0).unwrap()[4], 0.3);
    let elastic = EventSettings::default().with_down_gravity(9.81);
    let mut engine = Engine::new(particles_of(&list), walls, elastic).unwrap();
    assert_eq!(engine.synchronise().column(Field::Velocity, 1).unwrap()[0], 0.0);
}

#[test]
fn balls_lie_on_others_through_periodic_faces() {
    // The upper one is held by two, of which it touches one through the face.
    let height = 0.25 + 0.1875_f64.sqrt();
    let at = |x: f64, y: f64| Particle::sphere(&[x, y], 0.25).with_mass(1.0);
    let list = [at(0.25, 0.25), at(3.75, 0.25), at(0.0, height)];
    let mut walls = Enclosure::reflecting([0.0; 2], [4.0; 2]);
    walls.boundaries[0] = Boundary::Periodic;
    let mut engine = Engine::new(particles_of(&list), walls, lossy(0.5)).unwrap();
    assert!(engine.synchronise().column(Field::Velocity, 1).unwrap().iter().all(|&v| v > 0.0));
    assert_eq!(engine.run(Limit::until(2.0)).unwrap(), Stop::Time);
}

#[test]
fn two_balls_squeezed_between_walls_come_to_rest() {
    // A shaft in which one ball lies on the other and on a wall.
    for restitution in [0.0, 0.3, 0.8] {
        let list = [
            Particle::sphere(&[0.5, 0.6], 0.5).with_mass(1.0),
            Particle::sphere(&[0.9, 2.0], 0.5).with_mass(1.0),
        ];
        let walls = Enclosure::reflecting([0.0; 2], [1.4, 4.0]);
        let mut engine = Engine::new(particles_of(&list), walls, lossy(restitution)).unwrap();
        assert_eq!(engine.run(Limit::until(20.0)).unwrap(), Stop::Time);
        assert!(engine.measurements().kinetic_energy < 1e-2, "{:?}", engine.measurements());
        assert!(deepest_overlap(&mut engine) < 1e-11);
    }
}

#[test]
fn a_run_saved_while_balls_rest_goes_on_with_the_same_bits() {
    let mut random = Random(3);
    let what = Mixture { count: 15, spread: 0.2, fixed: 0.0, tracers: 0.0, spacing: 1.5 };
    let (list, side) = mixture::<2>(what, &mut random);
    let walls = Enclosure::reflecting([0.0; 2], [side; 2]);
    let mut plain = Engine::new(particles_of(&list), walls, lossy(0.4)).unwrap();
    let contact = plain.contact_duration();
    // Both when nothing has collided yet and when some have collided a moment ago.
    for moment in [1e-6, 3.0] {
        plain.run(Limit::until(moment)).unwrap();
        let mut bytes = Vec::new();
        plain.save(&mut bytes).unwrap();
        let mut loaded = Engine::<2>::load(&mut bytes.as_slice()).unwrap();
        assert_eq!((loaded.settings(), loaded.contact_duration()), (plain.settings(), contact));
        let mut copy = plain.clone();
        let end = Limit::until(moment + 20.0 * contact);
        let log = events(&mut loaded, end);
        assert_eq!(log, events(&mut copy, end));
        assert_eq!(bits(&mut loaded), bits(&mut copy));
        assert!(moment < 1.0 || log.iter().any(|event| event.kind == EventKind::Collision));
    }
}

#[test]
fn runs_of_the_first_format_go_on_with_contacts_that_are_instants() {
    let ball = [Particle::sphere(&[1.0, 1.1], 0.1).with_mass(3.0)];
    let walls = Enclosure::reflecting([0.0; 2], [2.0; 2]);
    let settings = lossy(0.5).with_contact_duration(Some(0.0));
    let mut engine = Engine::new(particles_of(&ball), walls, settings).unwrap();
    engine.run(Limit::collisions(3)).unwrap();
    let mut bytes = Vec::new();
    engine.save(&mut bytes).unwrap();
    let old = as_version_1(&bytes);
    let mut loaded = Engine::<2>::load(&mut old.as_slice()).unwrap();
    assert_eq!(loaded.settings(), engine.settings());
    let limit = Limit::collisions(20);
    assert_eq!(events(&mut loaded, limit), events(&mut engine, limit));
    let mut newer = bytes.clone();
    newer[8] = 3;
    reseal(&mut newer);
    assert!(matches!(Engine::<2>::load(&mut newer.as_slice()), Err(Error::NewerVersion { .. })));
}

/// The file without what version 2 has added: the duration of a contact, and which balls have collided.
fn as_version_1(bytes: &[u8]) -> Vec<u8> {
    // After the header: 3 counts, 3 numbers per axis, 4 settings.
    let duration = 32 + 8 * (3 + 3 * 2 + 4);
    let mut old = [&bytes[..duration], &bytes[duration + 8..]].concat();
    *old.last_mut().unwrap() &= 1;
    old[8] = 1;
    reseal(&mut old);
    old
}

/// Corrects length and checksums.
fn reseal(bytes: &mut [u8]) {
    let length = bytes.len() as u64 - 32;
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    let payload = crc32fast::hash(&bytes[32..]);
    bytes[24..28].copy_from_slice(&payload.to_le_bytes());
    let header = crc32fast::hash(&bytes[..28]);
    bytes[28..32].copy_from_slice(&header.to_le_bytes());
}
