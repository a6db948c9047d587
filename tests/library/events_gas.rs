//! Gases of hard spheres against theory.

use carom::events::{Enclosure, Engine, EventSettings, Limit, Measurements};
use carom::{Particle, Particles};

use super::events_starts::{engine_of, lattice_gas, periodic_gas};
use super::events_theory::{assert_close, enskog_rate, henderson, kolmogorov_smirnov, maxwell, tonks};
use super::random::Random;

/// Runs a gas to equilibrium, then measures for this many collisions per particle.
fn measured<const D: usize>(engine: &mut Engine<D>, collisions_each: u64) -> Measurements<D> {
    let half = engine.len() as u64 / 2;
    engine.run(Limit::collisions(20 * half)).unwrap();
    engine.reset_measurements();
    engine.run(Limit::collisions(collisions_each * half)).unwrap();
    engine.measurements()
}

/// Collisions per particle and second.
fn rate<const D: usize>(measurements: &Measurements<D>, count: usize) -> f64 {
    2.0 * measurements.collisions as f64 / (count as f64 * measurements.duration)
}

#[test]
fn spheres_at_half_density_have_the_pressure_of_the_virial_series() {
    let mut engine = periodic_gas::<3>(7, 0.5, 1);
    let found = measured(&mut engine, 800);
    let pressure = found.virial_pressure.unwrap();
    assert_close("the temperature", found.temperature, 1.0, 1e-12);
    assert_close("the pressure", pressure, 1.6347, 0.005);
    assert_close("the collision rate", rate(&found, 1372), enskog_rate(3, 0.5, 1.6347 / 0.5), 0.005);
    assert_eq!(found.wall_pressure, None);
    assert_eq!(found.wall_collisions, 0);
}

#[test]
fn a_sphere_takes_at_most_400_bytes() {
    for cells in [7, 14] {
        let mut engine = periodic_gas::<3>(cells, 0.5, 20);
        engine.run(Limit::collisions(10 * engine.len() as u64)).unwrap();
        let bytes = engine.memory_bytes() / engine.len();
        assert!(bytes <= 400, "{bytes} bytes per sphere of {}", engine.len());
    }
}

#[test]
fn room_for_more_particles_is_given_back_before_a_run() {
    let (list, side) = lattice_gas::<3>(3, 0.5, &mut Random(21));
    let cube = Enclosure::periodic([0.0; 3], [side; 3]);
    let mut particles = Particles::new(3).unwrap();
    for ball in &list {
        particles.add(ball).unwrap();
    }
    particles.all_axes().unwrap();
    particles.reserve(1000).unwrap();
    let engine = Engine::new(particles, cube, EventSettings::default()).unwrap();
    assert_eq!(engine.memory_bytes(), engine_of(&list, cube).memory_bytes());
}

#[test]
fn free_flights_between_collisions_are_those_of_kinetic_theory() {
    let mut engine = periodic_gas::<3>(5, 0.2, 2);
    let found = measured(&mut engine, 400);
    // Mean free path of Maxwell's gas: mean speed sqrt(8 / pi) over the rate.
    let expected_rate = enskog_rate(3, 0.2, super::events_theory::carnahan_starling(0.2));
    let mean_speed = (8.0 / std::f64::consts::PI).sqrt();
    assert_close("the mean free time", found.mean_free_time.unwrap(), 1.0 / expected_rate, 0.01);
    assert_close("the mean free path", found.mean_free_path.unwrap(), mean_speed / expected_rate, 0.015);
}

#[test]
fn disks_follow_henderson() {
    let packing = 0.3;
    let density = packing / std::f64::consts::FRAC_PI_4;
    let mut engine = periodic_gas::<2>(32, density, 3);
    let found = measured(&mut engine, 800);
    let compressibility = henderson(packing);
    assert_close("the pressure", found.virial_pressure.unwrap(), density * compressibility, 0.01);
    assert_close("the collision rate", rate(&found, 1024), enskog_rate(2, density, compressibility), 0.01);
}

#[test]
fn rods_on_a_line_have_the_pressure_of_tonks() {
    for density in [0.1, 0.5, 0.8] {
        let mut engine = periodic_gas::<1>(400, density, 4);
        let found = measured(&mut engine, 500);
        assert_close("the pressure", found.virial_pressure.unwrap(), density * tonks(density), 0.002);
    }
}

#[test]
fn a_line_of_unequal_masses_has_the_same_pressure() {
    let (mut list, side) = lattice_gas::<1>(400, 0.5, &mut Random(5));
    list.iter_mut().step_by(2).for_each(|ball| ball.mass = 3.0);
    let mut engine = engine_of(&list, Enclosure::periodic([0.0], [side]));
    let found = measured(&mut engine, 1000);
    let expected = 0.5 * found.temperature * tonks(0.5);
    assert_close("the pressure", found.virial_pressure.unwrap(), expected, 0.01);
}

#[test]
fn a_dilute_gas_presses_on_walls_like_an_ideal_one() {
    let (mut list, side) = lattice_gas::<3>(5, 0.05, &mut Random(6));
    list.iter_mut().for_each(|ball| *ball = small(ball, 0.01));
    let mut engine = engine_of(&list, Enclosure::reflecting([0.0; 3], [side; 3]));
    engine.run(Limit::until(1000.0)).unwrap();
    let found = engine.measurements();
    assert!(found.collisions > 0 && found.wall_collisions > 30_000, "{found:?}");
    assert_close("the wall pressure", found.wall_pressure.unwrap(), 0.05, 0.005);
    assert_close("the virial pressure", found.virial_pressure.unwrap(), 0.05, 0.005);
}

fn small(ball: &Particle, radius: f64) -> Particle {
    Particle::sphere(&ball.position, radius).with_velocity(&ball.velocity).with_mass(ball.mass)
}

/// The virial theorem in a closed box: centres stay a radius from the walls, so that the contribution of the walls is
/// that of a box smaller by a diameter. With P = virial / V and the wall pressure p: P V = p V (L - 2 r) / L.
fn pressures_of_a_closed_box<const D: usize>(cells: usize, density: f64, seed: u64) {
    let (list, side) = lattice_gas::<D>(cells, density, &mut Random(seed));
    let room = side + 0.6;
    let mut engine = engine_of(&list, Enclosure::reflecting([-0.3; D], [side + 0.3; D]));
    let found = measured(&mut engine, 400);
    let (virial, wall) = (found.virial_pressure.unwrap(), found.wall_pressure.unwrap());
    assert_close(&format!("the pressure in {D}D"), virial, wall * (room - 1.0) / room, 0.01);
}

#[test]
fn walls_and_collisions_tell_the_same_pressure() {
    pressures_of_a_closed_box::<1>(60, 0.4, 7);
    pressures_of_a_closed_box::<2>(12, 0.4, 8);
    pressures_of_a_closed_box::<3>(4, 0.4, 9);
}

/// All at speed sqrt(D): random directions of the same length.
fn equal_speeds<const D: usize>(cells: usize, density: f64, seed: u64) -> Engine<D> {
    let (mut list, side) = lattice_gas::<D>(cells, density, &mut Random(seed));
    for ball in &mut list {
        let length = ball.velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
        ball.velocity.iter_mut().for_each(|v| *v *= (D as f64).sqrt() / length);
    }
    engine_of(&list, Enclosure::periodic([0.0; D], [side; D]))
}

fn reaches_maxwell<const D: usize>(cells: usize, density: f64, seed: u64) {
    let mut engine = equal_speeds::<D>(cells, density, seed);
    let distance = |engine: &Engine<D>| kolmogorov_smirnov(engine.speeds(), |speed| maxwell(D, speed));
    assert!(distance(&engine) > 10.0, "equal speeds are not Maxwell's");
    engine.run(Limit::collisions(10 * engine.len() as u64)).unwrap();
    let reached = distance(&engine);
    assert!(reached < 1.63, "in {D}D the distance is {reached}: at most one in a hundred has 1.63");
}

#[test]
fn equal_speeds_become_maxwells() {
    reaches_maxwell::<2>(40, 0.4, 10);
    reaches_maxwell::<3>(8, 0.5, 11);
}

#[test]
fn a_histogram_of_speeds_counts_every_particle_once() {
    let mut engine = periodic_gas::<3>(4, 0.5, 12);
    engine.run(Limit::collisions(5000)).unwrap();
    let speeds = engine.speeds();
    let histogram = engine.speed_histogram(30);
    assert_eq!(histogram.counts.len(), 30);
    assert_eq!(histogram.counts.iter().sum::<u64>(), 256);
    let fastest = speeds.iter().fold(0.0_f64, |a, &b| a.max(b));
    assert!((histogram.width * 30.0 - fastest).abs() <= 1e-14 * fastest);
    for (bin, &count) in histogram.counts.iter().enumerate() {
        let within = |v: &&f64| ((**v / histogram.width) as usize).min(29) == bin;
        assert_eq!(speeds.iter().filter(within).count() as u64, count, "bin {bin}");
    }
}

#[test]
fn displacement_counts_every_turn_around_a_periodic_box() {
    let ball = Particle::sphere(&[0.5, 0.5], 0.1).with_mass(1.0).with_velocity(&[3.0, -4.0]);
    let mut engine = engine_of(&[ball], Enclosure::periodic([0.0; 2], [1.0; 2]));
    engine.run(Limit::until(10.0)).unwrap();
    assert_close(
        "the mean square displacement",
        engine.measurements().mean_square_displacement,
        2500.0,
        1e-12,
    );
    engine.reset_measurements();
    assert_eq!(engine.measurements().mean_square_displacement, 0.0);
    engine.run(Limit::until(10.5)).unwrap();
    assert_close("the mean square displacement", engine.measurements().mean_square_displacement, 6.25, 1e-12);
}

#[test]
fn spheres_diffuse_a_little_faster_than_enskog_says() {
    let mut engine = periodic_gas::<3>(6, 0.5, 13);
    let found = measured(&mut engine, 150);
    let diffusion = found.mean_square_displacement / (6.0 * found.duration);
    // Enskog: 3 / (8 n g) sqrt(1 / pi); the contact value g follows from Z = 1 + 2 pi / 3 n g.
    let contact = (1.6347 / 0.5 - 1.0) / (2.0 * std::f64::consts::PI / 3.0 * 0.5);
    let enskog = 3.0 / (8.0 * 0.5 * contact * std::f64::consts::PI.sqrt());
    let ratio = diffusion / enskog;
    assert!((1.0..1.3).contains(&ratio), "{ratio}");
}

#[test]
fn equal_balls_on_a_line_exchange_their_velocities() {
    let place = |n: usize| Particle::sphere(&[n as f64 * 1.5], 0.5).with_mass(0.7);
    let velocities = [2.0, 0.5, 0.0, -0.25, -1.0, -3.0];
    let list: Vec<Particle> =
        velocities.iter().enumerate().map(|(n, &v)| place(n).with_velocity(&[v])).collect();
    let mut engine = engine_of::<1>(&list, Enclosure::open());
    // Velocities decrease along the line, so that each pair of velocities collides once: 6 * 5 / 2 collisions.
    engine.run(Limit::NONE).unwrap();
    assert_eq!(engine.measurements().collisions, 15);
    let mut sorted = velocities;
    sorted.reverse();
    let found = engine.synchronise().column(carom::Field::Velocity, 0).unwrap();
    found.iter().zip(sorted).for_each(|(a, b)| assert!((a - b).abs() < 1e-15, "{found:?}"));
}
