//! The laws that stepping keeps, and the rules for collisions within a step (docs/methods/particles.md, section 5).

use crate::random::{Random, bits, gas, hash};
use carom::{Attraction, BroadPhase, Context, Error, Field, Particle, Settings, Shape, ShapeKind, World};
use proptest::prelude::*;

/// Everything an observer sees, with exact bits.
type Log = Vec<(u64, usize, usize, u64)>;

fn step_logged(world: &mut World, dt: f64) -> Result<Log, Error> {
    let mut log = Vec::new();
    world.step_observed(dt, &mut |c| log.push((c.time.to_bits(), c.first, c.second, c.impulse.to_bits())))?;
    Ok(log)
}

fn ball(position: &[f64], velocity: &[f64], mass: f64) -> Particle {
    Particle::sphere(position, 0.5).with_velocity(velocity).with_mass(mass)
}

fn world_of(particles: &[Particle]) -> World {
    let mut world = World::new(particles[0].dim()).unwrap();
    world.particles_mut().add_many(particles).unwrap();
    world
}

fn configure(world: &mut World, change: impl FnOnce(&mut Settings)) {
    let mut settings = *world.settings();
    change(&mut settings);
    world.set_settings(settings).unwrap();
}

fn velocities(world: &World, axis: usize) -> Vec<f64> {
    world.particles().column(Field::Velocity, axis).unwrap().to_vec()
}

/// A wild world: any dimension, sizes over orders of magnitude, tracers, fixed particles, overlaps, forces.
fn wild(seed: u64) -> (World, f64) {
    let mut random = Random(seed);
    let dim = [1, 2, 2, 3, 3, 4][random.next_u64() as usize % 6];
    let count = 2 + random.next_u64() as usize % 60;
    let spread = random.real(1.0, 12.0);
    let offset = if random.chance(0.2) { 1e6 } else { 0.0 };
    let particles: Vec<Particle> = (0..count)
        .map(|_| {
            let position: Vec<f64> = random.vector(dim, -spread, spread).iter().map(|x| x + offset).collect();
            let size = if random.chance(0.1) { random.real(1.0, 4.0) } else { random.real(0.0, 0.8) };
            let mut particle = Particle::sphere(&position, size).with_mass(random.real(0.1, 3.0));
            if random.chance(0.1) {
                particle = particle.with_mass(0.0);
            }
            if random.chance(0.2) {
                let kind = if random.chance(0.5) { ShapeKind::Facoid } else { ShapeKind::Pyramidoid };
                particle.shape = Shape { kind, axes: random.vector(dim * dim, -1.0, 1.0) };
            }
            if random.chance(0.1) {
                return particle.fixed();
            }
            let velocity = if random.chance(0.1) { 20.0 } else { 2.0 };
            particle.with_velocity(&random.vector(dim, -velocity, velocity)).with_drag(random.real(0.0, 0.2))
        })
        .collect();
    let mut world = world_of(&particles);
    let dt = [0.01, 0.1, 1.0, 5.0][random.next_u64() as usize % 4];
    configure(&mut world, |settings| {
        settings.restitution = [1.0, 1.0, 0.9, 0.5][random.next_u64() as usize % 4];
        settings.max_collisions = 500;
        if dim > 1 && random.chance(0.3) {
            settings.down_gravity = 9.8;
        }
        if random.chance(0.2) {
            settings.attraction = Attraction { constant: 0.5, softening: 0.1, ..Attraction::default() };
        }
    });
    (world, dt)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn grid_and_all_pairs_agree_to_the_bit(seed: u64) {
        let (mut by_pairs, dt) = wild(seed);
        by_pairs.set_broad_phase(BroadPhase::AllPairs);
        let mut by_grid = by_pairs.clone();
        by_grid.set_broad_phase(BroadPhase::Grid);
        for _ in 0..3 {
            prop_assert_eq!(step_logged(&mut by_pairs, dt), step_logged(&mut by_grid, dt));
            prop_assert_eq!(bits(&by_pairs), bits(&by_grid));
        }
    }

    #[test]
    fn step_to_collision_agrees_to_the_bit(seed: u64) {
        let (mut by_pairs, dt) = wild(seed);
        by_pairs.set_broad_phase(BroadPhase::AllPairs);
        let mut by_grid = by_pairs.clone();
        by_grid.set_broad_phase(BroadPhase::Grid);
        for _ in 0..10 {
            let hit = by_pairs.step_to_collision(dt).unwrap();
            prop_assert_eq!(hit, by_grid.step_to_collision(dt).unwrap());
            if let Some(hit) = hit {
                by_pairs.collide(hit.first, hit.second).unwrap();
                by_grid.collide(hit.first, hit.second).unwrap();
            }
            prop_assert_eq!(bits(&by_pairs), bits(&by_grid));
        }
    }

    #[test]
    fn collisions_come_in_the_order_of_time_within_the_step(seed: u64) {
        let (mut world, dt) = wild(seed);
        let start = world.time();
        let mut last = (start, 0, 0);
        let mut in_order = true;
        let outcome = world.step_observed(dt, &mut |c| {
            in_order &= c.time >= last.0 && c.time <= start + dt && c.first < c.second && c.impulse >= 0.0;
            last = (c.time, c.first, c.second);
        });
        prop_assert!(in_order);
        match outcome {
            Ok(_) => prop_assert_eq!(world.time(), start + dt),
            Err(Error::TooManyCollisions { time, .. }) => prop_assert_eq!(world.time(), time),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn fixed_particles_stay_and_every_number_stays_finite(seed: u64) {
        let (mut world, dt) = wild(seed);
        let before = world.clone();
        let _ = world.step(dt);
        for (i, &fixed) in before.particles().fixed_flags().iter().enumerate() {
            let now = world.particles().get(i).unwrap();
            prop_assert!(now.position.iter().chain(&now.velocity).all(|x| x.is_finite()));
            if fixed != 0 {
                prop_assert_eq!(now, before.particles().get(i).unwrap());
            }
        }
    }

    #[test]
    fn without_collisions_step_is_next_and_can_be_reversed(seed: u64) {
        let mut random = Random(seed);
        let tracers: Vec<Particle> = (0..20)
            .map(|_| Particle::sphere(&random.vector(3, -5.0, 5.0), 1.0).with_velocity(&random.vector(3, -2.0, 2.0)))
            .collect();
        let start = world_of(&tracers);
        let mut stepped = start.clone();
        configure(&mut stepped, |settings| settings.down_gravity = 9.8);
        let mut drifted = stepped.clone();
        for _ in 0..100 {
            prop_assert_eq!(stepped.step(0.01).unwrap(), 0);
            drifted.next(0.01).unwrap();
        }
        prop_assert_eq!(bits(&stepped), bits(&drifted));
        reverse(&mut stepped);
        for _ in 0..100 {
            stepped.step(0.01).unwrap();
        }
        reverse(&mut stepped);
        prop_assert!(stepped.particles().is_close(start.particles(), 1e-11));
    }
}

fn reverse(world: &mut World) {
    for axis in 0..world.particles().dim() {
        world.particles_mut().column_mut(Field::Velocity, axis).unwrap().iter_mut().for_each(|s| *s = -*s);
    }
}

#[test]
fn momentum_and_energy_are_kept_over_thousands_of_collisions() {
    for (dim, count, spacing) in [(1, 3000, 1.25), (2, 1000, 1.6), (3, 1000, 1.2), (4, 1500, 1.05)] {
        let mut world = gas(dim, count, spacing, dim as u64);
        let (energy, momentum) = (world.kinetic_energy(), world.momentum());
        let scale: f64 = (2.0 * energy * world.particles().total_mass(world.context())).sqrt();
        let mut collisions = 0;
        for _ in 0..40 {
            collisions += world.step(0.1).unwrap();
        }
        assert!(collisions > 2000, "dimension {dim}: only {collisions} collisions");
        assert!((world.kinetic_energy() / energy - 1.0).abs() < 1e-12, "dimension {dim}: energy");
        for (now, before) in world.momentum().iter().zip(&momentum) {
            assert!((now - before).abs() < 1e-12 * scale, "dimension {dim}: momentum");
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let outcome = |threads| {
        let mut world = gas(3, 3000, 1.2, 7);
        world.set_context(Context::with_threads(threads).unwrap());
        configure(&mut world, |settings| {
            settings.down_gravity = 1.0;
            settings.attraction = Attraction { constant: 1e-3, softening: 0.1, ..Attraction::default() };
        });
        let log: Vec<Log> = (0..3).map(|_| step_logged(&mut world, 0.2).unwrap()).collect();
        let first = world.step_to_collision(1.0).unwrap();
        (
            log,
            first,
            bits(&world),
            world.kinetic_energy().to_bits(),
            world.potential_energy().map(f64::to_bits),
        )
    };
    let one = outcome(1);
    assert!(one.0.iter().map(Vec::len).sum::<usize>() > 100);
    assert!(one == outcome(2), "2 threads");
    assert!(one == outcome(5), "5 threads");
}

/// The same test runs at every level of instructions and on an emulated older CPU: all of them must give these bits.
#[test]
fn every_cpu_gives_the_same_bits() {
    let mut world = gas(3, 1000, 1.2, 11);
    configure(&mut world, |settings| settings.down_gravity = 0.5);
    let logs: Vec<Log> = (0..10).map(|_| step_logged(&mut world, 0.1).unwrap()).collect();
    let seen = logs.concat();
    let words: Vec<u64> =
        seen.iter().flat_map(|&(t, i, j, p)| [t, i as u64, j as u64, p]).chain(bits(&world)).collect();
    assert_eq!(format!("{:016x}", hash(&words)), "28fe11209e45321b", "{} collisions", seen.len());
}

#[test]
fn simultaneous_collisions_are_resolved_in_the_order_of_pairs() {
    // Two mirrored pairs meet at the same time; indices are interleaved.
    let mut world = world_of(&[
        ball(&[10.0], &[1.0], 1.0),
        ball(&[0.0], &[1.0], 1.0),
        ball(&[12.0], &[-1.0], 1.0),
        ball(&[2.0], &[-1.0], 1.0),
    ]);
    let log = step_logged(&mut world, 1.0).unwrap();
    let pairs: Vec<_> = log.iter().map(|&(time, i, j, _)| (f64::from_bits(time), i, j)).collect();
    assert_eq!(pairs, [(0.5, 0, 2), (0.5, 1, 3)]);
}

#[test]
fn a_row_of_touching_balls_hands_the_velocity_through() {
    let mut balls = vec![ball(&[-2.0], &[1.0], 1.0)];
    balls.extend((0..5).map(|i| ball(&[f64::from(i)], &[0.0], 1.0)));
    let mut world = world_of(&balls);
    assert_eq!(world.step(3.0).unwrap(), 5);
    assert_eq!(velocities(&world, 0), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn tracers_pass_through_everything() {
    let mut world =
        world_of(&[ball(&[0.0], &[1.0], 0.0), ball(&[2.0], &[-1.0], 1.0), ball(&[4.0], &[0.0], 0.0)]);
    assert_eq!(world.step(10.0).unwrap(), 0);
    assert_eq!(world.step_to_collision(10.0).unwrap(), None);
    assert_eq!(world.collide(0, 1).unwrap(), None);
}

#[test]
fn a_fixed_particle_reflects_and_stays() {
    let mut world =
        world_of(&[ball(&[0.0, 0.0], &[2.0, 0.25], 3.0), ball(&[3.0, 0.0], &[0.0, 0.0], 1.0).fixed()]);
    let mut seen = Vec::new();
    world.step_observed(2.0, &mut |c| seen.push((c.first, c.second, c.normal.to_vec()))).unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!(world.particles().get(1).unwrap().position, [3.0, 0.0]);
    assert!((world.kinetic_energy() - 6.09375).abs() < 1e-12);
    let normal = &seen[0].2;
    assert!(normal[0] < 0.0, "it pushes the first one back");
    assert!((normal.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15);
}

#[test]
fn overlapping_particles_collide_at_once_if_they_approach() {
    let mut world = world_of(&[ball(&[0.0], &[1.0], 1.0), ball(&[0.5], &[0.0], 1.0)]);
    let log = step_logged(&mut world, 1.0).unwrap();
    assert_eq!(log.len(), 1);
    assert_eq!(f64::from_bits(log[0].0), 0.0);
    assert_eq!(velocities(&world, 0), [0.0, 1.0]);
    let mut parting = world_of(&[ball(&[0.0], &[-1.0], 1.0), ball(&[0.5], &[1.0], 1.0)]);
    assert_eq!(parting.step(1.0).unwrap(), 0);
    let mut coincident = world_of(&[ball(&[0.0], &[-1.0], 1.0), ball(&[0.0], &[1.0], 1.0)]);
    assert_eq!(coincident.step(1.0).unwrap(), 0);
}

#[test]
fn a_ball_bounces_on_a_fixed_one_under_gravity_without_end_or_gain() {
    let ground = ball(&[0.0, 0.0], &[0.0, 0.0], 1.0).fixed();
    let mut world = world_of(&[ground, ball(&[0.0, 2.0], &[0.0, 0.0], 1.0)]);
    configure(&mut world, |settings| {
        settings.down_gravity = 9.8;
        settings.restitution = 0.5;
    });
    let mut bounces = 0;
    for _ in 0..2000 {
        bounces += world.step(0.005).unwrap();
    }
    let height = world.particles().get(1).unwrap().position[1];
    assert!(bounces > 5 && (0.9..1.1).contains(&height), "{bounces} bounces, at rest at {height}");
}

#[test]
fn a_wedged_ball_ends_the_step_with_an_error_and_a_valid_world() {
    // A ball overlaps two fixed ones from both sides: it bounces between them in no time.
    let wall = |x: f64| ball(&[x], &[0.0], 1.0).fixed();
    let mut world = world_of(&[wall(-0.9), ball(&[0.0], &[1.0], 1.0), wall(0.9)]);
    let error = world.step(1.0).unwrap_err();
    assert!(matches!(error, Error::TooManyCollisions { limit: 100_000, time: 0.0 }), "{error}");
    assert!(error.to_string().contains("100000 collisions"));
    assert_eq!(world.time(), 0.0);
    assert_eq!(world.particles().get(1).unwrap().position, [0.0]);
    assert_eq!(world.kinetic_energy(), 0.5);
    world.next(0.1).unwrap();
}

#[test]
fn an_explosion_from_one_point_ends_and_is_the_same_by_grid_and_by_pairs() {
    let mut random = Random(3);
    let sparks: Vec<Particle> = (0..1000)
        .map(|_| Particle::sphere(&[0.0; 3], 1e-9).with_mass(1.0).with_velocity(&random.vector(3, -1.0, 1.0)))
        .collect();
    let mut by_grid = world_of(&sparks);
    by_grid.set_broad_phase(BroadPhase::Grid);
    let mut by_pairs = by_grid.clone();
    by_pairs.set_broad_phase(BroadPhase::AllPairs);
    assert_eq!(step_logged(&mut by_grid, 1e3), step_logged(&mut by_pairs, 1e3));
    assert_eq!(bits(&by_grid), bits(&by_pairs));
}

#[test]
fn bad_durations_and_settings_change_nothing() {
    let mut world = gas(2, 10, 2.0, 5);
    let before = bits(&world);
    for dt in [f64::NAN, f64::INFINITY, -1.0] {
        for outcome in [world.next(dt), world.step(dt).map(drop), world.step_to_collision(dt).map(drop)] {
            let error = outcome.unwrap_err();
            assert!(matches!(
                error,
                Error::NotFinite { field: "dt", .. } | Error::Negative { field: "dt", .. }
            ));
        }
    }
    assert!(matches!(world.step(1e80), Err(Error::Overflow { field: "position", .. })));
    let bad = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        settings
    };
    assert!(matches!(
        world.set_settings(bad(|s| s.restitution = 1.5)),
        Err(Error::OutOfRange { field: "restitution", .. })
    ));
    assert!(matches!(
        world.set_settings(bad(|s| s.attraction.softening = -1.0)),
        Err(Error::Negative { field: "attraction.softening", .. })
    ));
    let falling = bad(|s| s.down_gravity = 1.0);
    assert!(matches!(
        World::new(1).unwrap().set_settings(falling),
        Err(Error::OutOfRange { field: "down_gravity", .. })
    ));
    assert_eq!(bits(&world), before);
}

#[test]
fn what_is_written_into_columns_is_checked_by_the_next_step() {
    let mut world = gas(2, 10, 2.0, 5);
    world.particles_mut().column_mut(Field::Velocity, 1).unwrap()[3] = f64::NAN;
    let before = bits(&world);
    let error = world.step(0.1).unwrap_err();
    assert!(matches!(error, Error::NotFinite { field: "velocity", index: 3, .. }), "{error}");
    assert_eq!(bits(&world), before);
    world.particles_mut().column_mut(Field::Velocity, 1).unwrap()[3] = 0.0;
    world.step(0.1).unwrap();
}

#[test]
fn an_empty_world_and_a_step_of_no_time_are_fine() {
    let mut empty = World::new(3).unwrap();
    assert_eq!(empty.step(1.0).unwrap(), 0);
    assert_eq!(empty.step_to_collision(1.0).unwrap(), None);
    assert_eq!(empty.time(), 2.0);
    let mut world = gas(3, 200, 1.2, 5);
    let before = bits(&world);
    assert_eq!(world.step(0.0).unwrap(), 0);
    assert_eq!(bits(&world), before);
}
