//! Extreme runs: very different radii, almost points, crystals, boxes far from the origin or of any size, rows in any
//! order.

use carom::events::{Boundary, Enclosure, EventSettings, Limit};
use carom::{Error, Field, Particle};

use super::events_oracle::Oracle;
use super::events_starts::{
    Mixture, deepest_overlap, engine_of, events, lattice_gas, mixture, particles_of, periodic_gas,
};
use super::random::Random;

/// One ball of this radius in the middle of a box of small balls.
fn giant<const D: usize>(radius: f64, count: usize, random: &mut Random) -> (Vec<Particle>, f64) {
    let what = Mixture { count, spread: 0.1, fixed: 0.0, tracers: 0.05, spacing: 1.15 };
    let (mut list, side) = mixture::<D>(what, random);
    let middle = [0.5 * side; D];
    let apart = |ball: &Particle| {
        ball.position.iter().zip(middle).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
    };
    list.retain(|ball| apart(ball) > radius + 0.6);
    list.push(Particle::sphere(&middle, radius).with_mass(8.0).with_velocity(&[0.2; D]));
    (list, side)
}

fn giant_agrees_with_oracle<const D: usize>(radius: f64, count: usize, boundary: Boundary, seed: u64) {
    let (list, side) = giant::<D>(radius, count, &mut Random(seed));
    let enclosure = Enclosure { lower: [0.0; D], upper: [side; D], boundaries: [boundary; D] };
    let mut oracle = Oracle::new(&particles_of(&list), enclosure, EventSettings::default());
    let mut engine = engine_of(&list, enclosure);
    for (n, event) in events(&mut engine, Limit::collisions(60)).iter().enumerate() {
        let (time, kind, first, second) = oracle.step(f64::INFINITY).unwrap();
        assert_eq!((event.kind, event.first, event.second), (kind, first, second), "event {n}");
        assert!((event.time - time).abs() < 1e-9, "event {n}: {} and {time}", event.time);
    }
}

#[test]
fn a_very_large_ball_collides_with_the_small_ones_around_it() {
    for boundary in [Boundary::Reflecting, Boundary::Periodic] {
        giant_agrees_with_oracle::<2>(3.0, 144, boundary, 51);
        giant_agrees_with_oracle::<3>(1.5, 125, boundary, 52);
    }
}

#[test]
fn balls_as_small_as_points_collide_on_a_line() {
    let list: Vec<Particle> = (0..50)
        .map(|n| {
            Particle::sphere(&[f64::from(n)], 1e-9)
                .with_mass(1.0)
                .with_velocity(&[f64::from(n * 7 % 11) - 5.0])
        })
        .collect();
    let mut engine = engine_of(&list, Enclosure::reflecting([-1.0], [51.0]));
    engine.run(Limit::until(5.0)).unwrap();
    let found = engine.measurements();
    assert!(found.collisions > 100 && found.energy_drift < 1e-13, "{found:?}");
    let places = engine.synchronise().column(Field::Position, 0).unwrap();
    assert!(places.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12), "no particle passes another");
}

/// Lengths in units of 2^-30 metres, velocities in units of 2^-20: only the exponents change, so that the run does not.
#[test]
fn runs_do_not_depend_on_units() {
    let (length, velocity) = (2.0_f64.powi(-30), 2.0_f64.powi(-20));
    let (list, side) = lattice_gas::<3>(4, 0.5, &mut Random(53));
    let scaled: Vec<Particle> = list
        .iter()
        .map(|ball| {
            let place: Vec<f64> = ball.position.iter().map(|x| x * length).collect();
            let motion: Vec<f64> = ball.velocity.iter().map(|v| v * velocity).collect();
            Particle::sphere(&place, 0.5 * length).with_mass(1e-3).with_velocity(&motion)
        })
        .collect();
    let mut engine = engine_of(&list, Enclosure::periodic([0.0; 3], [side; 3]));
    let mut small = engine_of(&scaled, Enclosure::periodic([0.0; 3], [side * length; 3]));
    let limit = Limit::collisions(5000);
    for (n, (a, b)) in events(&mut engine, limit).iter().zip(events(&mut small, limit)).enumerate() {
        assert_eq!((a.time * length / velocity, a.first, a.second), (b.time, b.first, b.second), "event {n}");
        assert_eq!(a.normal, b.normal, "event {n}");
    }
}

#[test]
fn a_box_far_from_the_origin_loses_digits_but_no_collision() {
    let (mut list, side) = lattice_gas::<2>(16, 0.6, &mut Random(54));
    let far = 1e6;
    list.iter_mut().flat_map(|ball| &mut ball.position).for_each(|x| *x += far);
    let mut engine = engine_of(&list, Enclosure::reflecting([far - 0.5; 2], [far + side + 0.5; 2]));
    engine.run(Limit::collisions(50_000)).unwrap();
    let found = engine.measurements();
    assert!(found.energy_drift < 1e-12 && found.momentum_drift < 1e-12, "{found:?}");
    assert!(deepest_overlap(&mut engine) < 1e-8);
}

#[test]
fn a_dense_crystal_stays_one() {
    // Spheres touch at sqrt(2).
    let mut engine = periodic_gas::<3>(5, 1.35, 55);
    engine.run(Limit::collisions(100_000)).unwrap();
    let found = engine.measurements();
    assert!(found.energy_drift < 1e-12, "{found:?}");
    assert!(found.mean_square_displacement < 0.01, "all particles are caged: {found:?}");
    assert!(deepest_overlap(&mut engine) < 1e-12);
    // Free volume: Z = 3 / (1 / (density / sqrt(2)) - 1), to its leading terms (Speedy 1998: -0.6 or so off).
    let free_volume = 3.0 / (2.0_f64.sqrt() / 1.35 - 1.0);
    let compressibility = found.virial_pressure.unwrap() / 1.35;
    assert!((compressibility / free_volume - 1.0).abs() < 0.05, "{compressibility} and {free_volume}");
}

/// All neighbours touch: there is no space to move, and no time passes.
#[test]
fn a_jammed_start_ends_with_a_report() {
    let list: Vec<Particle> = (0..64)
        .map(|n| {
            let place = [f64::from(n % 8) + 0.5, f64::from(n / 8) + 0.5];
            Particle::sphere(&place, 0.5).with_mass(1.0).with_velocity(&Random(n as u64).vector(2, -1.0, 1.0))
        })
        .collect();
    let mut engine = engine_of(&list, Enclosure::reflecting([0.0; 2], [8.0; 2]));
    match engine.run(Limit::until(1.0).or_collisions(3_000_000)) {
        Err(Error::Collapse { time, .. }) => assert!((0.0..=1.0).contains(&time)),
        Ok(_) => {}
        other => panic!("{other:?}"),
    }
    let found = engine.measurements();
    assert!(found.energy_drift < 1e-12, "{found:?}");
    assert!(deepest_overlap(&mut engine) < 1e-9);
}

#[test]
fn the_order_of_rows_changes_names_only() {
    let what = Mixture { count: 100, spread: 0.4, fixed: 0.05, tracers: 0.05, spacing: 1.6 };
    let (list, side) = mixture::<2>(what, &mut Random(56));
    // 37 and 100 have no common divisor: every row once.
    let name = |row: usize| row * 37 % 100;
    let mut renamed = list.clone();
    list.iter().enumerate().for_each(|(row, ball)| renamed[name(row)] = ball.clone());
    let enclosure = Enclosure::periodic([0.0; 2], [side; 2]);
    let limit = Limit::collisions(200);
    let (log, other) =
        (events(&mut engine_of(&list, enclosure), limit), events(&mut engine_of(&renamed, enclosure), limit));
    for (n, (a, b)) in log.iter().zip(&other).enumerate() {
        let (first, second) = (name(a.first), name(a.second));
        assert_eq!((first.min(second), first.max(second)), (b.first, b.second), "event {n}");
        assert!((a.time - b.time).abs() < 1e-9, "event {n}");
    }
}

/// Disks on crossing paths, in lengths and velocities of this unit.
fn crossing_ways(unit: f64) -> Vec<Particle> {
    let disk = |n: i32| {
        let (x, angle) = (f64::from(n), f64::from(n * n));
        Particle::sphere(&[unit * x, unit * (2.0 * angle).sin()], 0.25 * unit)
            .with_mass(1.0)
            .with_velocity(&[unit * angle.cos(), unit * angle.sin()])
    };
    (0..40).map(disk).collect()
}

/// The pairs of 300 collisions, in order.
fn colliding_pairs(unit: f64, boundary: Boundary) -> Vec<(usize, usize)> {
    let (lower, upper) = ([-2.0 * unit; 2], [42.0 * unit, 3.0 * unit]);
    let mut engine = engine_of(&crossing_ways(unit), Enclosure { lower, upper, boundaries: [boundary; 2] });
    let log = events(&mut engine, Limit::until(50.0).or_collisions(300));
    assert!(deepest_overlap(&mut engine) < 1e-12 * unit, "unit {unit:e}");
    log.iter().map(|event| (event.first, event.second)).collect()
}

/// Powers of two, so that only the exponents change: so large and so small that squares do not fit into single precision.
#[test]
fn lengths_of_any_size_have_the_same_collisions() {
    for boundary in [Boundary::Open, Boundary::Reflecting, Boundary::Periodic] {
        let expected = colliding_pairs(1.0, boundary);
        assert!(expected.len() > 3, "{boundary:?}");
        for exponent in [-80, -70, -60, 60, 65, 70, 130, 200] {
            assert_eq!(
                colliding_pairs(2.0_f64.powi(exponent), boundary),
                expected,
                "2^{exponent} {boundary:?}"
            );
        }
    }
}

/// Thirty disks at rest, one that approaches the first of them very slowly, and one that flies away.
#[test]
fn a_collision_far_ahead_is_reached_at_once() {
    let mut list: Vec<Particle> =
        (0..30).map(|n| Particle::sphere(&[f64::from(n), 0.0], 0.25).with_mass(1.0)).collect();
    list.push(Particle::sphere(&[-1.5, 0.0], 0.25).with_mass(1.0).with_velocity(&[1e-15, 0.0]));
    list.push(Particle::sphere(&[0.0, 1.0], 0.25).with_mass(1.0).with_velocity(&[0.0, 1.0]));
    let mut engine = engine_of(&list, Enclosure::<2>::open());
    let next = engine.next_event().expect("they meet");
    assert_eq!((next.first, next.second), (0, 30));
    assert!((next.time - 1e15).abs() < 1e3, "{}", next.time);
    assert_eq!(events(&mut engine, Limit::collisions(1)), [next]);
}
