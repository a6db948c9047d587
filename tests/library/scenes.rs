//! Ready-made scenes, gases and scene files: known results (docs/methods/events.md), and the same bits everywhere.

use std::ops::ControlFlow;

use carom::events::scenes::{BoxAxis, Gas, Mix, SCENES, Scene};
use carom::events::{AnyEngine, Boundary, Event, EventKind, Limit};
use carom::{Context, Error, Field, Particle, Particles};

fn engine(name: &str) -> AnyEngine {
    Scene::named(name).unwrap().engine().unwrap()
}

fn velocity(engine: &mut AnyEngine, index: usize) -> Vec<f64> {
    engine.synchronise().value(Field::Velocity, index).unwrap()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(close && found.len() == expected.len(), "{found:?} is not {expected:?}");
}

/// FNV-1a over the bits of numbers.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bits: u64) {
        for byte in bits.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// The number of events up to `until`, and a hash of all their bits.
fn events_hash(engine: &mut AnyEngine, until: f64) -> (u64, u64) {
    let (mut hash, mut count) = (Hash::new(), 0);
    let observer = &mut |event: &Event<3>| {
        count += 1;
        hash.add(event.time.to_bits());
        hash.add(event.kind as u64);
        hash.add(event.first as u64);
        hash.add(event.second as u64);
        hash.add(event.impulse.to_bits());
        event.normal.iter().for_each(|component| hash.add(component.to_bits()));
        ControlFlow::Continue(())
    };
    engine.run_observed(Limit::until(until), observer).unwrap();
    (count, hash.0)
}

#[test]
fn every_name_makes_a_scene_that_runs_to_its_end() {
    for ready in &SCENES {
        assert_eq!(SCENES.iter().filter(|other| other.name == ready.name).count(), 1, "{}", ready.name);
        assert_eq!(ready.c_name.to_str(), Ok(ready.name));
        let scene = Scene::named(ready.name).unwrap();
        assert_eq!((scene.name.as_str(), scene.description.as_str()), (ready.name, ready.description));
        let mut engine = scene.engine().unwrap();
        engine.run(Limit::until(scene.until).or_collisions(2000)).unwrap();
        let measured = engine.measurements();
        assert!((measured.collisions > 0) == (ready.name != "empty"), "{}", ready.name);
        assert!(measured.energy_drift < 1e-13 && measured.momentum_drift < 1e-13, "{}", ready.name);
    }
    assert!(Scene::named("snooker").is_none());
}

#[test]
fn equal_balls_exchange_their_velocities() {
    let mut engine = engine("head-on-vertical");
    engine.run(Limit::collisions(1)).unwrap();
    assert_close(&velocity(&mut engine, 0), &[0.0, -0.1], 1e-15);
    assert_close(&velocity(&mut engine, 1), &[0.0, 0.5], 1e-15);
    // They are 0.12 m apart and approach at 0.6 m/s.
    assert!((engine.time() - 0.2).abs() < 1e-15);
}

#[test]
fn a_heavy_and_a_light_ball_leave_as_the_formulas_say() {
    let mut engine = engine("head-on-horizontal");
    engine.run(Limit::collisions(2)).unwrap();
    assert_close(&velocity(&mut engine, 2), &[-0.1 / 3.0, 0.0], 1e-15);
    assert_close(&velocity(&mut engine, 3), &[0.5 / 3.0, 0.0], 1e-15);
    assert_close(&velocity(&mut engine, 0), &[-0.1, 0.0], 1e-15);
    assert_close(&velocity(&mut engine, 1), &[0.1, 0.0], 1e-15);
}

#[test]
fn a_wall_turns_the_normal_component_round() {
    let mut particles = Particles::new(2).unwrap();
    let ball = Particle::sphere(&[2.01, -3.0], 0.01).with_mass(0.01).with_velocity(&[-1.5, 6.0]);
    particles.add(&ball).unwrap();
    let scene = Scene::new("left wall", particles, vec![BoxAxis::reflecting(2.0, 3.0), BoxAxis::OPEN]);
    let mut engine = scene.engine().unwrap();
    engine.run(Limit::collisions(1)).unwrap();
    assert_eq!(velocity(&mut engine, 0), [1.5, 6.0]);
    assert!(engine.time() < 1e-15);
}

#[test]
fn a_ball_hit_off_centre_leaves_at_a_right_angle() {
    let mut engine = engine("oblique");
    let hit = engine.next_event().unwrap();
    assert_close(&hit.normal, &[-0.75_f64.sqrt(), -0.5, 0.0], 1e-12);
    engine.run(Limit::collisions(1)).unwrap();
    let (one, two) = (velocity(&mut engine, 0), velocity(&mut engine, 1));
    assert!((one[0] * two[0] + one[1] * two[1]).abs() < 1e-15, "{one:?} {two:?}");
    assert_close(&two, &[0.15, 0.2 * 0.75_f64.sqrt() * 0.5], 1e-12);
}

#[test]
fn the_third_ball_collides_with_both_others_before_they_collide() {
    let mut engine = engine("three-balls");
    let mut pairs = Vec::new();
    let observer = &mut |event: &Event<3>| {
        pairs.push((event.first, event.second));
        ControlFlow::Continue(())
    };
    engine.run_observed(Limit::collisions(2), observer).unwrap();
    pairs.sort_unstable();
    assert_eq!(pairs, [(0, 2), (1, 2)]);
    for (index, expected) in [[0.0, 0.1], [0.0, 0.1], [0.0, -0.1]].iter().enumerate() {
        assert_close(&velocity(&mut engine, index), expected, 1e-12);
    }
}

/// The hash is the same at every level of instructions, in debug and in release.
#[test]
fn the_billiard_break_is_the_same_to_the_bit_on_every_cpu() {
    let scene = Scene::named("billiard-break").unwrap();
    assert_eq!(scene.particles.len(), 16);
    let mut engine = scene.engine().unwrap();
    let (count, hash) = events_hash(&mut engine, scene.until);
    let measured = engine.measurements();
    assert_eq!(measured.collisions + measured.wall_collisions, count);
    assert!(measured.collisions > 40 && measured.wall_collisions > 20, "{measured:?}");
    assert_eq!((count, hash), (80, 6_257_624_692_181_872_205));
}

#[test]
fn the_numbers_of_a_gas_are_the_same_to_the_bit_on_every_cpu() {
    let mix = Mix::new(0.3, 0.7);
    let gas = Gas::new(3).with_particles(100).with_mix(mix).with_seed(11).with_packing(0.2);
    let particles = gas.scene().unwrap().particles;
    let mut hash = Hash::new();
    for field in [Field::Position, Field::Velocity] {
        for axis in 0..3 {
            particles.column(field, axis).unwrap().iter().for_each(|x| hash.add(x.to_bits()));
        }
    }
    for field in [Field::Radius, Field::Mass] {
        particles.column(field, 0).unwrap().iter().for_each(|x| hash.add(x.to_bits()));
    }
    assert_eq!(hash.0, 6_788_723_445_414_393_591);
}

#[test]
fn a_gas_of_any_size_has_its_density_temperature_and_no_momentum() {
    for dim in 1..=3 {
        for particles in [1, 2, 3, 10, 31, 100, 257] {
            for boundary in [Boundary::Periodic, Boundary::Reflecting] {
                let gas = Gas::new(dim)
                    .with_particles(particles)
                    .with_number_density(0.3)
                    .with_temperature(2.5)
                    .with_boundary(boundary);
                let scene = gas.scene().unwrap();
                let case = format!("{particles} in {dim}D, {boundary:?}");
                assert_eq!((scene.particles.len(), scene.dim()), (particles, dim), "{case}");
                let volume: f64 = scene.enclosure.iter().map(|axis| axis.upper - axis.lower).product();
                assert!((particles as f64 / volume - 0.3).abs() < 1e-12, "{case}");
                let context = Context::serial();
                let kinetic = scene.particles.kinetic_energy(&context);
                assert!((2.0 * kinetic / (dim * particles) as f64 - 2.5).abs() < 1e-12, "{case}");
                let momentum = scene.particles.momentum(&context);
                assert!(particles == 1 || momentum.iter().all(|p| p.abs() < 1e-12), "{case}: {momentum:?}");
            }
        }
    }
}

#[test]
fn dense_gases_start_without_overlap() {
    let fcc = Gas::new(3).with_particles(256).with_packing(0.7);
    let disks = Gas::new(2).with_particles(400).with_packing(0.85);
    let walled = Gas::new(3).with_particles(256).with_number_density(0.8).with_boundary(Boundary::Reflecting);
    for gas in [fcc, disks, walled] {
        let mut engine = gas.scene().unwrap().engine().unwrap();
        engine.run(Limit::collisions(2000)).unwrap();
        let measured = engine.measurements();
        assert!(measured.collisions > 1000 && measured.collisions + measured.wall_collisions == 2000);
    }
}

#[test]
fn dense_mixtures_of_very_different_balls_start_without_overlap() {
    for (dim, fraction, radius_ratio, packing) in
        [(3, 0.9, 0.1, 0.4), (3, 0.9, 0.2, 0.5), (2, 0.8, 0.1, 0.6), (1, 0.5, 0.1, 0.5), (3, 1.0, 0.1, 0.6)]
    {
        for boundary in [Boundary::Periodic, Boundary::Reflecting] {
            let case = format!("{dim}D, {fraction} of {radius_ratio}, {packing}, {boundary:?}");
            let mix = Mix::new(fraction, radius_ratio);
            let gas =
                Gas::new(dim).with_particles(600).with_packing(packing).with_mix(mix).with_boundary(boundary);
            let scene = gas.scene().unwrap_or_else(|error| panic!("{case}: {error}"));
            let small =
                scene.particles.column(Field::Radius, 0).unwrap().iter().filter(|&&r| r < 0.5).count();
            assert_eq!(small, (600.0 * fraction).round() as usize, "{case}");
            let mut engine = scene.engine().unwrap_or_else(|error| panic!("{case}: {error}"));
            engine.run(Limit::collisions(1000)).unwrap();
            assert!(engine.measurements().energy_drift < 1e-12, "{case}");
        }
    }
    let crowded = Mix::new(0.9, 0.1);
    let gas = Gas::new(3).with_packing(0.78).with_mix(crowded);
    assert!(matches!(gas.scene(), Err(Error::OutOfRange { field: "packing", .. })));
}

#[test]
fn an_impossible_gas_is_refused_by_name() {
    let gas = Gas::new(3);
    let field = |gas: Gas| match gas.scene() {
        Err(Error::OutOfRange { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(gas.with_particles(0)), "particles");
    assert_eq!(field(gas.with_particles(usize::MAX)), "particles");
    assert_eq!(field(gas.with_number_density(1.5)), "density");
    assert_eq!(field(gas.with_number_density(f64::NAN)), "density");
    assert_eq!(field(gas.with_packing(-0.1)), "packing");
    assert_eq!(field(gas.with_radius(0.0)), "radius");
    assert_eq!(field(gas.with_mass(f64::INFINITY)), "mass");
    assert_eq!(field(gas.with_radius(1e200).with_packing(0.1)), "radius");
    assert_eq!(field(gas.with_temperature(-1.0)), "temperature");
    assert_eq!(field(gas.with_boundary(Boundary::Open)), "boundary");
    let mix = |fraction, radius_ratio| gas.with_mix(Mix::new(fraction, radius_ratio));
    assert_eq!(field(mix(1.1, 0.5)), "mix.fraction");
    assert_eq!(field(mix(0.5, 0.0)), "mix.radius_ratio");
    assert_eq!(field(gas.with_mix(Mix::new(0.5, 0.5).with_mass_ratio(0.0))), "mix.mass_ratio");
    assert!(matches!(Gas::new(4).scene(), Err(Error::BadDimension { found: 4, .. })));
}

#[test]
fn balls_of_two_masses_may_be_of_one_size() {
    let mix = Mix::new(0.25, 1.0).with_mass_ratio(0.1);
    let particles = Gas::new(3).with_particles(100).with_mix(mix).scene().unwrap().particles;
    assert!(particles.column(Field::Radius, 0).unwrap().iter().all(|&radius| radius == 0.5));
    let masses = particles.column(Field::Mass, 0).unwrap();
    assert_eq!(masses.iter().filter(|&&mass| mass == 0.1).count(), 25);
    assert_eq!(masses.iter().filter(|&&mass| mass == 1.0).count(), 75);
}

#[test]
fn the_seed_decides_the_velocities_and_which_balls_are_small() {
    let mix = Mix::new(0.5, 0.5).with_mass_ratio(1.0);
    let of = |seed| Gas::new(2).with_particles(64).with_mix(mix).with_seed(seed).scene().unwrap().particles;
    assert_eq!(of(1), of(1));
    let (one, two) = (of(1), of(2));
    let differs = |field| one.column(field, 0).unwrap() != two.column(field, 0).unwrap();
    assert!(
        differs(Field::Velocity)
            && differs(Field::Radius)
            && !differs(Field::Position)
            && !differs(Field::Mass)
    );
}

#[test]
fn every_example_file_runs() {
    let mut count = 0;
    for entry in std::fs::read_dir("examples/scenes").unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        if carom::rigid2d::scenes::is_rigid(&text) {
            continue;
        }
        let scene =
            Scene::from_toml(&text, None).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut engine = scene.engine().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        engine.run(Limit::until(scene.until).or_collisions(5000)).unwrap();
        assert!(engine.measurements().collisions > 0, "{}", path.display());
        count += 1;
    }
    assert!(count >= 4);
}

#[test]
fn every_example_file_of_rigid_bodies_runs() {
    use carom::rigid2d::scenes as rigid;
    let mut count = 0;
    for entry in std::fs::read_dir("examples/scenes").unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        if !rigid::is_rigid(&text) {
            continue;
        }
        let scene = rigid::Scene::from_toml(&text, None)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut space = scene.space().unwrap();
        let start = space.state_hash();
        while space.time() < scene.until {
            space.step(scene.dt).unwrap();
        }
        assert!(space.state_hash() != start && space.contact_count() > 0, "{}", path.display());
        let lowest = space.bodies().map(|body| body.position().y).fold(f64::INFINITY, f64::min);
        assert!(lowest > -0.1, "{}: something fell through the ground", path.display());
        count += 1;
    }
    assert!(count >= 2);
}

#[test]
fn a_file_gives_the_same_run_as_the_scene_by_hand() {
    let text = std::fs::read_to_string("examples/scenes/two_balls.toml").unwrap();
    let mut engine = Scene::from_toml(&text, None).unwrap().engine().unwrap();
    let hit = engine.next_event().unwrap();
    assert_eq!((hit.kind, hit.first, hit.second), (EventKind::Collision, 0, 1));
    engine.run(Limit::collisions(1)).unwrap();
    assert_close(&velocity(&mut engine, 0), &[-0.1 / 3.0, 0.0], 1e-15);
    assert_close(&velocity(&mut engine, 1), &[0.5 / 3.0, 0.0], 1e-15);
}
