//! Ready-made scenes, gases and scene files: the figures of SPEC section 3, and the same bits everywhere.

use std::ops::ControlFlow;

use carom::events::scenes::{Axis, Filling, Gas, Mix, SCENES, Scene};
use carom::events::{AnyEngine, Boundary, Event, EventKind, EventSettings, Limit};
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

/// A hash of the bits of every event up to `until`, and how many there were.
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
    let names = SCENES.iter().map(|scene| scene.name).collect::<Vec<_>>();
    assert_eq!(
        names,
        [
            "empty",
            "head-on-horizontal",
            "head-on-vertical",
            "oblique",
            "three-balls",
            "billiard-break",
            "gas"
        ]
    );
    for ready in &SCENES {
        let scene = ready.scene();
        assert_eq!((scene.name.as_str(), scene.description.as_str()), (ready.name, ready.description));
        let mut engine = scene.engine().unwrap();
        engine.run(Limit { time: scene.until, collisions: 2000 }).unwrap();
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
    let scene = Scene {
        name: "left wall".into(),
        description: String::new(),
        particles,
        enclosure: vec![Axis::reflecting(2.0, 3.0), Axis::OPEN],
        settings: EventSettings::default(),
        until: 1.0,
        seed: 0,
    };
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
fn the_third_ball_meets_both_others_before_they_meet() {
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

/// The hash is that of every build: baseline and AVX2, debug and release.
#[test]
fn the_billiard_break_is_the_same_to_the_bit_on_every_machine() {
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
fn the_numbers_of_a_gas_are_the_same_to_the_bit_on_every_machine() {
    let mix = Mix { fraction: 0.3, radius_ratio: 0.7, mass_ratio: None };
    let gas = Gas { particles: 100, mix: Some(mix), seed: 11, filling: Filling::Packing(0.2), ..Gas::new(3) };
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
                let gas = Gas {
                    particles,
                    filling: Filling::NumberDensity(0.3),
                    temperature: 2.5,
                    boundary,
                    ..Gas::new(dim)
                };
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
    let fcc = Gas { particles: 256, filling: Filling::Packing(0.7), ..Gas::new(3) };
    let disks = Gas { particles: 400, filling: Filling::Packing(0.85), ..Gas::new(2) };
    let walled = Gas {
        particles: 256,
        filling: Filling::NumberDensity(0.8),
        boundary: Boundary::Reflecting,
        ..Gas::new(3)
    };
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
            let mix = Some(Mix { fraction, radius_ratio, mass_ratio: None });
            let filling = Filling::Packing(packing);
            let gas = Gas { particles: 600, filling, mix, boundary, ..Gas::new(dim) };
            let scene = gas.scene().unwrap_or_else(|error| panic!("{case}: {error}"));
            let small =
                scene.particles.column(Field::Radius, 0).unwrap().iter().filter(|&&r| r < 0.5).count();
            assert_eq!(small, (600.0 * fraction).round() as usize, "{case}");
            let mut engine = scene.engine().unwrap_or_else(|error| panic!("{case}: {error}"));
            engine.run(Limit::collisions(1000)).unwrap();
            assert!(engine.measurements().energy_drift < 1e-12, "{case}");
        }
    }
    let crowded = Mix { fraction: 0.9, radius_ratio: 0.1, mass_ratio: None };
    let gas = Gas { filling: Filling::Packing(0.78), mix: Some(crowded), ..Gas::new(3) };
    assert!(matches!(gas.scene(), Err(Error::OutOfRange { field: "packing", .. })));
}

#[test]
fn a_gas_that_cannot_be_is_refused_by_name() {
    let gas = Gas::new(3);
    let field = |gas: Gas| match gas.scene() {
        Err(Error::OutOfRange { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(Gas { particles: 0, ..gas }), "particles");
    assert_eq!(field(Gas { particles: usize::MAX, ..gas }), "particles");
    assert_eq!(field(Gas { filling: Filling::NumberDensity(1.5), ..gas }), "density");
    assert_eq!(field(Gas { filling: Filling::NumberDensity(f64::NAN), ..gas }), "density");
    assert_eq!(field(Gas { filling: Filling::Packing(-0.1), ..gas }), "packing");
    assert_eq!(field(Gas { radius: 0.0, ..gas }), "radius");
    assert_eq!(field(Gas { mass: f64::INFINITY, ..gas }), "mass");
    assert_eq!(field(Gas { radius: 1e200, filling: Filling::Packing(0.1), ..gas }), "radius");
    assert_eq!(field(Gas { temperature: -1.0, ..gas }), "temperature");
    assert_eq!(field(Gas { boundary: Boundary::Open, ..gas }), "boundary");
    let mix = |fraction, radius_ratio, mass_ratio| Gas {
        mix: Some(Mix { fraction, radius_ratio, mass_ratio }),
        ..gas
    };
    assert_eq!(field(mix(1.1, 0.5, None)), "mix.fraction");
    assert_eq!(field(mix(0.5, 0.0, None)), "mix.radius_ratio");
    assert_eq!(field(mix(0.5, 0.5, Some(0.0))), "mix.mass_ratio");
    assert!(matches!(Gas::new(4).scene(), Err(Error::BadDimension { found: 4, .. })));
}

#[test]
fn balls_of_two_masses_may_be_of_one_size() {
    let mix = Mix { fraction: 0.25, radius_ratio: 1.0, mass_ratio: Some(0.1) };
    let particles = Gas { particles: 100, mix: Some(mix), ..Gas::new(3) }.scene().unwrap().particles;
    assert!(particles.column(Field::Radius, 0).unwrap().iter().all(|&radius| radius == 0.5));
    let masses = particles.column(Field::Mass, 0).unwrap();
    assert_eq!(masses.iter().filter(|&&mass| mass == 0.1).count(), 25);
    assert_eq!(masses.iter().filter(|&&mass| mass == 1.0).count(), 75);
}

#[test]
fn the_seed_decides_the_velocities_and_who_is_small() {
    let mix = Mix { fraction: 0.5, radius_ratio: 0.5, mass_ratio: Some(1.0) };
    let of = |seed| Gas { particles: 64, mix: Some(mix), seed, ..Gas::new(2) }.scene().unwrap().particles;
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
        let scene =
            Scene::from_toml(&text, None).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut engine = scene.engine().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        engine.run(Limit { time: scene.until, collisions: 5000 }).unwrap();
        assert!(engine.measurements().collisions > 0, "{}", path.display());
        count += 1;
    }
    assert!(count >= 4);
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
