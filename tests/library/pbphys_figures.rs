//! Every figure of the PBPhys document (docs/methods/particles.md).

use carom::{Attraction, Field, Particle, STANDARD_GRAVITY, Settings, ShapeKind, World};

const TOLERANCE: f64 = 1e-5;

fn rows(text: &str) -> Vec<Vec<f64>> {
    text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect()
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= TOLERANCE, "{what}: {found} is not {expected}");
    }
}

fn world(particles: &[Particle]) -> World {
    let mut world = World::new(particles[0].dim()).unwrap();
    world.particles_mut().add_many(particles).unwrap();
    world
}

fn with_settings(mut world: World, settings: Settings) -> World {
    world.set_settings(settings).unwrap();
    world
}

fn vector(world: &World, field: Field, index: usize) -> Vec<f64> {
    world.particles().value(field, index).unwrap()
}

fn three_balls(last_radius: f64) -> World {
    let ball = |p: [f64; 2], s: [f64; 2], m, r| Particle::sphere(&p, r).with_velocity(&s).with_mass(m);
    world(&[
        ball([0.0, 0.0], [1.0, 1.0], 1.0, 0.5),
        ball([0.0, 2.0], [0.5, -0.5], 1.0, 0.5),
        ball([2.0, 2.0], [-1.0, -1.0], 2.0, last_radius),
    ])
}

#[test]
fn trajectory_with_and_without_drag() {
    let thrown = Particle::new(2, ShapeKind::Spheroid)
        .with_velocity(&[4.0, 4.0])
        .with_acceleration(&[0.0, -STANDARD_GRAVITY]);
    let mut world = world(&[thrown.clone(), thrown.with_drag(0.2)]);
    let table = rows(include_str!("../data/pbphys_trajectory.csv"));
    assert_eq!(table.len(), 100);
    for row in table {
        world.next(0.01).unwrap();
        assert_close(&[world.time()], &row[..1], "time");
        assert_close(&vector(&world, Field::Position, 0), &row[1..3], "without drag");
        assert_close(&vector(&world, Field::Position, 1), &row[3..5], "with drag");
    }
}

#[test]
fn collisions_of_three_balls_step_by_step() {
    let mut world = three_balls(1.0);
    let table = rows(include_str!("../data/pbphys_collision.csv"));
    assert_eq!(table.len(), 20);
    for row in table {
        world.step(0.05).unwrap();
        assert_close(&[world.time()], &row[..1], "time");
        for ball in 0..3 {
            assert_close(&vector(&world, Field::Position, ball), &row[1 + 2 * ball..3 + 2 * ball], "ball");
        }
    }
}

#[test]
fn acceleration_without_drag() {
    let mut world = world(&[Particle::new(2, ShapeKind::Spheroid).with_acceleration(&[1.0, -0.5])]);
    for i in 1..=10 {
        world.next(0.1).unwrap();
        let t = f64::from(i) * 0.1;
        assert_close(&vector(&world, Field::Velocity, 0), &[t, -0.5 * t], "velocity");
        assert_close(&vector(&world, Field::Position, 0), &[0.5 * t * t, -0.25 * t * t], "position");
    }
}

#[test]
fn acceleration_with_drag() {
    let velocities =
        [0.1, 0.199, 0.29701, 0.39404, 0.490099, 0.585199, 0.679347, 0.772553, 0.864828, 0.956179];
    let positions =
        [0.005, 0.01995, 0.044751, 0.079303, 0.12351, 0.177275, 0.240502, 0.313097, 0.394966, 0.486017];
    let accelerated = Particle::new(2, ShapeKind::Spheroid).with_acceleration(&[1.0, -0.5]).with_drag(0.1);
    let mut world = world(&[accelerated]);
    for (velocity, position) in velocities.into_iter().zip(positions) {
        world.next(0.1).unwrap();
        assert_close(&vector(&world, Field::Velocity, 0), &[velocity, -0.5 * velocity], "velocity");
        assert_close(&vector(&world, Field::Position, 0), &[position, -0.5 * position], "position");
    }
}

#[test]
fn free_flight() {
    let mut world = world(&[Particle::new(2, ShapeKind::Spheroid).with_velocity(&[1.0, 0.5])]);
    for i in 1..=10 {
        world.next(0.01).unwrap();
        let t = f64::from(i) * 0.01;
        assert_close(&vector(&world, Field::Position, 0), &[t, 0.5 * t], "position");
    }
}

#[test]
fn down_gravity() {
    let heights =
        [0.00451, 0.008039, 0.010587, 0.012155, 0.012742, 0.012348, 0.010974, 0.008619, 0.005283, 0.000967];
    let thrown = world(&[Particle::new(2, ShapeKind::Spheroid).with_velocity(&[1.0, 0.5])]);
    let mut world = with_settings(thrown, Settings::default().with_down_gravity(STANDARD_GRAVITY));
    for (i, height) in (1..).zip(heights) {
        world.next(0.01).unwrap();
        assert_close(&vector(&world, Field::Position, 0), &[f64::from(i) * 0.01, height], "position");
    }
}

#[test]
fn attraction_by_a_fixed_mass() {
    let expected = [
        (1, [0.010018, 0.005018]),
        (2, [0.020071, 0.010071]),
        (3, [0.030160, 0.015161]),
        (5, [0.050449, 0.025452]),
        (10, [0.101834, 0.051862]),
    ];
    let attracted = world(&[
        Particle::new(2, ShapeKind::Spheroid).with_velocity(&[1.0, 0.5]).with_mass(1.0),
        Particle::sphere(&[1.0, 1.0], 0.5).with_mass(1.0).fixed(),
    ]);
    let attraction = Attraction { constant: 1.0, ..Attraction::default() };
    let mut world = with_settings(attracted, Settings::default().with_attraction(attraction));
    for step in 1..=10 {
        world.next(0.01).unwrap();
        if let Some((_, position)) = expected.iter().find(|(at, _)| *at == step) {
            assert_close(&vector(&world, Field::Position, 0), position, "attracted");
        }
    }
    assert_eq!(vector(&world, Field::Position, 1), [1.0, 1.0]);
}

#[test]
fn step_to_the_first_two_collisions() {
    let mut world = three_balls(0.5);
    let first = world.step_to_collision(2.0).unwrap().expect("a first collision");
    assert_eq!((first.first, first.second), (0, 2));
    assert_close(&[first.time, world.time()], &[0.646447, 0.646447], "first time");
    for (ball, position) in
        [[0.646447, 0.646447], [0.323223, 1.676777], [1.353553, 1.353553]].iter().enumerate()
    {
        assert_close(&vector(&world, Field::Position, ball), position, "at the first collision");
    }
    world.collide(0, 2).unwrap().expect("they approach");
    assert_close(&vector(&world, Field::Velocity, 0), &[-1.666667, -1.666667], "velocity of 0");
    assert_close(&vector(&world, Field::Velocity, 2), &[0.333334, 0.333334], "velocity of 2");

    let second = world.step_to_collision(2.0).unwrap().expect("a second collision");
    assert_eq!((second.first, second.second), (1, 2));
    assert_close(&[second.time], &[0.878937], "second time");
    for (ball, position) in
        [[0.258963, 0.258963], [0.439468, 1.560532], [1.431050, 1.431050]].iter().enumerate()
    {
        assert_close(&vector(&world, Field::Position, ball), position, "at the second collision");
    }
    world.collide(1, 2).unwrap().expect("they approach");
    assert_close(&vector(&world, Field::Velocity, 1), &[0.138846, -0.452840], "velocity of 1");
    assert_close(&vector(&world, Field::Velocity, 2), &[0.513910, 0.309754], "velocity of 2");
}
