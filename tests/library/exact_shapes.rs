//! Facoids and pyramidoids that collide when they touch, not when their bounding spheres do.

use carom::io::{self, Format};
use carom::{Attraction, BroadPhase, Error, Field, Frame, Particle, Settings, Shape, ShapeKind, World};
use proptest::prelude::*;

use crate::random::{Random, bits};

fn world_of(particles: &[Particle], exact_shapes: bool) -> World {
    let mut world = World::new(particles[0].dim()).unwrap();
    world.particles_mut().add_many(particles).unwrap();
    world.set_settings(Settings::default().with_exact_shapes(exact_shapes)).unwrap();
    world
}

fn body(kind: ShapeKind, axes: &[f64], position: &[f64], velocity: &[f64]) -> Particle {
    let shape = Shape { kind, axes: axes.to_vec() };
    Particle::with_shape(position, shape).with_mass(1.0).with_velocity(velocity)
}

/// A square or cube of side 1 along the axes.
fn unit_box(position: &[f64], velocity: &[f64]) -> Particle {
    let shape = Shape::unit(position.len(), ShapeKind::Facoid);
    body(ShapeKind::Facoid, &shape.axes, position, velocity)
}

fn first_time(world: &World, dt: f64) -> Option<f64> {
    world.clone().step_to_collision(dt).unwrap().map(|hit| hit.time)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (1.0 + b.abs())
}

#[test]
fn squares_collide_when_the_gap_is_closed() {
    let squares = [unit_box(&[0.0, 0.0], &[1.0, 0.0]), unit_box(&[4.0, 0.25], &[-1.0, 0.0])];
    let spheres = first_time(&world_of(&squares, false), 5.0).unwrap();
    assert!(spheres < 1.35, "{spheres}");
    let mut world = world_of(&squares, true);
    let hit = world.step_to_collision(5.0).unwrap().unwrap();
    assert!(close(hit.time, 1.5), "a gap of 3 closes at a velocity of 2: {}", hit.time);
    assert_eq!((hit.first, hit.second), (0, 1));
    world.collide(0, 1).unwrap().unwrap();
    assert_eq!(world.step_to_collision(5.0).unwrap(), None);
}

#[test]
fn cubes_that_pass_by_do_not_collide() {
    let cubes = [unit_box(&[0.0; 3], &[1.0, 0.0, 0.0]), unit_box(&[5.0, 1.2, 0.3], &[-1.0, 0.0, 0.0])];
    assert!(first_time(&world_of(&cubes, false), 10.0).is_some());
    let mut world = world_of(&cubes, true);
    assert_eq!(first_time(&world, 10.0), None);
    assert_eq!(world.step(10.0).unwrap(), 0);
    assert_eq!(world.particles().value(Field::Position, 0).unwrap(), [10.0, 0.0, 0.0]);
    // Turned by an eighth the first one is wide enough.
    let h = 0.5_f64.sqrt();
    let turned =
        body(ShapeKind::Facoid, &[h, h, 0.0, -h, h, 0.0, 0.0, 0.0, 1.0], &[0.0; 3], &[1.0, 0.0, 0.0]);
    let time = first_time(&world_of(&[turned, cubes[1].clone()], true), 10.0).unwrap();
    // Its corner at height y = 0.7 lies at x = h - 0.7; the other face starts at 4.5.
    assert!(close(time, (4.5 - (h - 0.7)) / 2.0), "{time}");
}

#[test]
fn triangles_collide_along_their_long_sides() {
    let third = 1.0 / 3.0;
    let triangles = [
        body(ShapeKind::Pyramidoid, &[1.0, 0.0, 0.0, 1.0], &[third, third], &[1.0, 1.0]),
        body(ShapeKind::Pyramidoid, &[-1.0, 0.0, 0.0, -1.0], &[3.0 - third, 3.0 - third], &[-1.0, -1.0]),
    ];
    assert!(first_time(&world_of(&triangles, false), 5.0).unwrap() < 0.7);
    // The long sides lie on x + y = 1 and x + y = 5 and approach at a rate of 4.
    let time = first_time(&world_of(&triangles, true), 5.0).unwrap();
    assert!(close(time, 1.0), "{time}");
    let mut world = world_of(&triangles, true);
    assert_eq!(world.step(5.0).unwrap(), 1);
    let velocity = world.particles().value(Field::Velocity, 0).unwrap();
    assert!(close(velocity[0], -1.0) && close(velocity[1], -1.0), "{velocity:?}");
}

#[test]
fn frames_of_particles_touch_at_the_collision() {
    let squares = [unit_box(&[0.0, 0.0], &[1.0, 0.0]), unit_box(&[4.0, 0.25], &[-1.0, 0.0])];
    let mut world = world_of(&squares, true);
    world.step_to_collision(5.0).unwrap().unwrap();
    let [one, two] = [0, 1].map(|i| Frame::<2>::of_particle(world.particles(), i).unwrap());
    assert!(close(one.origin[0] + 1.0, two.origin[0]), "{one:?} and {two:?}");
    assert_eq!((one.velocity, two.velocity), ([1.0, 0.0], [-1.0, 0.0]));
}

#[test]
fn spheres_keep_their_bounds_against_boxes() {
    let pair = [unit_box(&[0.0, 0.0], &[1.0, 0.0]), Particle::sphere(&[4.0, 0.0], 0.5).with_mass(1.0)];
    let (by_spheres, exact) =
        (first_time(&world_of(&pair, false), 5.0), first_time(&world_of(&pair, true), 5.0));
    assert!(by_spheres.is_some());
    assert_eq!(by_spheres, exact);
}

#[test]
fn boxes_that_overlap_collide_at_once_if_they_approach() {
    let at = |velocity: f64| [unit_box(&[0.0, 0.0], &[velocity, 0.0]), unit_box(&[0.75, 0.1], &[0.0, 0.0])];
    assert_eq!(first_time(&world_of(&at(1.0), true), 1.0), Some(0.0));
    assert_eq!(first_time(&world_of(&at(-1.0), true), 1.0), None);
    let mut world = world_of(&at(1.0), true);
    assert_eq!(world.step(1.0).unwrap(), 1);
    // Spheres overlap, squares do not and never will.
    let beside = [unit_box(&[0.0, 0.0], &[0.1, 0.0]), unit_box(&[0.4, 1.1], &[0.0, 0.0])];
    assert_eq!(first_time(&world_of(&beside, false), 1.0), Some(0.0));
    assert_eq!(first_time(&world_of(&beside, true), 1.0), None);
}

#[test]
fn shapes_bounce_off_each_other_along_the_normal_and_not_the_line_of_centres() {
    // A plate along the diagonal: the square comes closest to its middle before it reaches the plate.
    let plate = body(ShapeKind::Facoid, &[10.0, 10.0, -0.1, 0.1], &[0.0, 0.0], &[0.0, 0.0]).fixed();
    let square = unit_box(&[-20.0, 3.0], &[1.0, 0.0]);
    let mut world = world_of(&[plate, square], true);
    let mut normals = Vec::new();
    let count =
        world.step_observed(50.0, &mut |c| normals.push((c.time, c.normal.to_vec(), c.impulse))).unwrap();
    // The corner at (-19.5, 2.5) reaches the side of the plate, on y = x + 0.1, where x = 2.4.
    let (time, normal, impulse) = &normals[0];
    assert!(count == 1 && close(*time, 21.9), "{normals:?}");
    // From the square to the plate, which is the first.
    let h = 0.5_f64.sqrt();
    assert!(close(normal[0], h) && close(normal[1], -h) && close(*impulse, 2.0 * h), "{normals:?}");
    let velocity = world.particles().value(Field::Velocity, 1).unwrap();
    assert!(close(velocity[0], 0.0) && close(velocity[1], 1.0), "{velocity:?}");
}

#[test]
fn a_box_slides_over_the_floor_on_which_it_bounces() {
    // Far from the middle of the floor the line of centres would turn the box around.
    let floor = body(ShapeKind::Facoid, &[100.0, 0.0, 0.0, 1.0], &[0.0, -0.5], &[0.0, 0.0]).fixed();
    let crate_ = unit_box(&[20.0, 1.0], &[3.0, -1.0]);
    let mut world = world_of(&[floor, crate_], true);
    assert_eq!(world.step(1.5).unwrap(), 1);
    let particles = world.particles();
    let (position, velocity) = (particles.value(Field::Position, 1), particles.value(Field::Velocity, 1));
    assert_eq!(velocity.unwrap(), [3.0, 1.0]);
    let position = position.unwrap();
    assert!(close(position[0], 24.5) && close(position[1], 1.5), "{position:?}");
}

#[test]
fn a_direct_response_takes_the_normal_too() {
    let pair = [unit_box(&[0.0, 0.0], &[1.0, 1.0]), unit_box(&[0.9, 0.5], &[-1.0, 0.0])];
    let mut world = world_of(&pair, true);
    assert_eq!(world.collide(0, 1).unwrap().unwrap().impulse, 2.0);
    assert_eq!(world.particles().value(Field::Velocity, 0).unwrap(), [-1.0, 1.0]);
    assert_eq!(world.collide(0, 1).unwrap(), None);
    // By the line of centres both components change.
    let mut world = world_of(&pair, false);
    world.collide(0, 1).unwrap().unwrap();
    assert_ne!(world.particles().value(Field::Velocity, 0).unwrap()[1], 1.0);
    let flat = body(ShapeKind::Facoid, &[1.0, 1.0, 2.0, 2.0], &[0.0, 0.0], &[1.0, 0.0]);
    let mut world = world_of(&[pair[0].clone(), flat], true);
    assert_eq!(world.collide(0, 1), Err(Error::Degenerate { index: 1 }));
}

#[test]
fn shapes_without_frames_are_refused_and_nothing_changes() {
    let refused = |particles: &[Particle]| {
        let mut world = world_of(particles, true);
        let before = bits(&world);
        let outcomes = [world.step(1.0).map(drop), world.step_to_collision(1.0).map(drop)];
        assert_eq!(bits(&world), before);
        assert_eq!(outcomes[0], outcomes[1]);
        outcomes[0].clone().unwrap_err()
    };
    let flat = body(ShapeKind::Facoid, &[1.0, 1.0, 2.0, 2.0], &[0.0, 0.0], &[1.0, 0.0]);
    let square = unit_box(&[5.0, 0.0], &[0.0, 0.0]);
    assert_eq!(refused(&[square.clone(), flat.clone()]), Error::Degenerate { index: 1 });
    for dim in [1, 4] {
        let moving = vec![1.0; dim];
        let error = refused(&[unit_box(&vec![0.0; dim], &moving)]);
        assert!(matches!(error, Error::BadDimension { found, .. } if found == dim), "{error}");
    }
    // A tracer never collides: its shape does not matter.
    let mut world = world_of(&[square, flat.with_mass(0.0)], true);
    assert_eq!(world.step(10.0), Ok(0));
}

/// A world of bodies of all kinds in two or three dimensions; with `room` few overlap at first.
fn mixed_world(seed: u64, count: usize, room: bool) -> World {
    let mut random = Random(seed);
    let dim = 2 + random.next_u64() as usize % 2;
    let side = (1..).find(|side: &usize| side.pow(dim as u32) >= count).expect("a finite side");
    let spread = 0.6 * side as f64;
    let particles: Vec<Particle> = (0..count)
        .map(|n| {
            let place = |axis: u32| (n / side.pow(axis) % side) as f64 * 3.0;
            let position: Vec<f64> = match room {
                true => (0..dim as u32).map(place).collect(),
                false => random.vector(dim, -spread, spread),
            };
            let velocity = random.vector(dim, -2.0, 2.0);
            let mass = random.real(0.5, 2.0);
            loop {
                let kind = match random.next_u64() % 5 {
                    0 => ShapeKind::Spheroid,
                    1 | 2 => ShapeKind::Pyramidoid,
                    _ => ShapeKind::Facoid,
                };
                let particle =
                    body(kind, &random.vector(dim * dim, -1.0, 1.0), &position, &velocity).with_mass(mass);
                if is_solid(&particle) {
                    return particle;
                }
            }
        })
        .collect();
    world_of(&particles, true)
}

/// Whether the axes are far from dependent.
fn is_solid(particle: &Particle) -> bool {
    fn volume<const D: usize>(axes: &[f64]) -> f64 {
        let components = std::array::from_fn(|i| std::array::from_fn(|axis| axes[i * D + axis]));
        Frame::<D>::cuboid([0.0; D], components).determinant().abs()
    }
    let axes = &particle.shape.axes;
    let volume = if particle.dim() == 2 { volume::<2>(axes) } else { volume::<3>(axes) };
    volume > 0.05
}

fn step_logged(world: &mut World, dt: f64) -> Result<Vec<(u64, usize, usize, u64)>, Error> {
    let mut log = Vec::new();
    world.step_observed(dt, &mut |c| log.push((c.time.to_bits(), c.first, c.second, c.impulse.to_bits())))?;
    Ok(log)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn momentum_and_energy_are_kept(seed: u64) {
        let mut world = mixed_world(seed, 20, false);
        let (energy, momentum) = (world.kinetic_energy(), world.momentum());
        world.step(2.0).unwrap();
        prop_assert!((world.kinetic_energy() - energy).abs() < 1e-9 * energy);
        for (now, before) in world.momentum().iter().zip(&momentum) {
            prop_assert!((now - before).abs() < 1e-9 * (1.0 + before.abs()));
        }
    }

    #[test]
    fn grid_and_all_pairs_agree_to_the_bit(seed: u64) {
        let mut by_pairs = mixed_world(seed, 30, seed % 2 == 0);
        if seed % 3 == 0 {
            let attraction = Attraction { constant: 0.3, softening: 0.1, ..Attraction::default() };
            let settings = *by_pairs.settings();
            by_pairs.set_settings(settings.with_down_gravity(1.0).with_restitution(0.8).with_attraction(attraction)).unwrap();
        }
        by_pairs.set_broad_phase(BroadPhase::AllPairs);
        let mut by_grid = by_pairs.clone();
        by_grid.set_broad_phase(BroadPhase::Grid);
        prop_assert_eq!(by_pairs.clone().step_to_collision(1.0), by_grid.clone().step_to_collision(1.0));
        for dt in [0.1, 1.0] {
            prop_assert_eq!(step_logged(&mut by_pairs, dt), step_logged(&mut by_grid, dt));
            prop_assert_eq!(bits(&by_pairs), bits(&by_grid));
        }
    }

    #[test]
    fn a_step_is_a_sequence_of_first_collisions(seed: u64) {
        let dt = 4.0;
        let mut whole = mixed_world(seed, 12, true);
        let mut piecewise = whole.clone();
        let mut expected = Vec::new();
        whole.step_observed(dt, &mut |c| expected.push((c.time, c.first, c.second))).unwrap();
        for &(time, first, second) in &expected {
            let hit = piecewise.step_to_collision(dt - piecewise.time()).unwrap().expect("another collision");
            prop_assert_eq!((hit.first, hit.second), (first, second));
            prop_assert!((hit.time - time).abs() < 1e-9, "{} and {}", hit.time, time);
            prop_assert!(piecewise.collide(first, second).unwrap().is_some());
        }
        prop_assert_eq!(piecewise.step_to_collision(dt - piecewise.time()).unwrap(), None);
        prop_assert!(piecewise.particles().is_close(whole.particles(), 1e-8));
    }
}

#[test]
fn a_step_of_many_overlapping_boxes_ends() {
    for (seed, restitution) in [(1, 1.0), (2, 1.0), (3, 0.7), (4, 0.7)] {
        let mut world = mixed_world(seed, 150, false);
        world.set_settings(world.settings().with_restitution(restitution)).unwrap();
        let collisions: u64 = (0..3).map(|_| world.step(0.5).unwrap()).sum();
        assert!(collisions > 20, "seed {seed}: {collisions}");
        assert_eq!(world.time(), 1.5);
    }
}

fn written(world: &World, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    io::write(world, format, &mut bytes).unwrap();
    bytes
}

#[test]
fn files_keep_the_setting_and_old_ones_have_the_default() {
    let formats = [Format::Json, Format::JsonCompact, Format::Snapshot];
    for exact_shapes in [false, true] {
        let world = world_of(&[unit_box(&[0.0, 0.0], &[1.0, 0.0])], exact_shapes);
        for format in formats {
            let loaded = io::from_bytes(&written(&world, format)).unwrap();
            assert_eq!(loaded.settings(), world.settings(), "{format:?}");
        }
        let text = String::from_utf8(written(&world, Format::JsonCompact)).unwrap();
        assert_eq!(text.contains("\"exact_shapes\":true"), exact_shapes, "{text}");
        // Worlds without the option are files that older versions read.
        assert_eq!(written(&world, Format::Snapshot)[8], if exact_shapes { 2 } else { 1 });
    }
    let lost = io::pbphys::lost(&world_of(&[unit_box(&[0.0, 0.0], &[1.0, 0.0])], true));
    assert_eq!(lost, ["the setting of exact shapes"]);
}

#[test]
fn a_snapshot_with_a_bad_flag_is_corrupt() {
    let bytes = written(&world_of(&[unit_box(&[0.0, 0.0], &[1.0, 0.0])], true), Format::Snapshot);
    let mut payload = bytes[32..].to_vec();
    assert_eq!(payload[72], 1);
    payload[72] = 2;
    let mut bad = io::snapshot::header(2, payload.len() as u64, crc32fast::hash(&payload)).to_vec();
    bad.extend_from_slice(&payload);
    let error = io::from_bytes(&bad).unwrap_err();
    assert!(
        matches!(&error, Error::Corrupt { detail, .. } if detail.contains("exact shapes is 2")),
        "{error}"
    );
}
