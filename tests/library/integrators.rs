//! The order of the integrators, what they keep, and how they go with collisions, drag and files
//! (docs/methods/particles.md, section 3).

use carom::io::{self, Format};
use carom::{Attraction, Error, Field, Integrator, Particle, Settings, World};

use super::random::Random;

const ALL: [Integrator; 3] = [Integrator::Euler, Integrator::VelocityVerlet, Integrator::FourthOrder];
const HIGHER: [Integrator; 2] = [Integrator::VelocityVerlet, Integrator::FourthOrder];
const PERIOD: f64 = 2.0 * std::f64::consts::PI;

fn world_of(list: &[Particle], settings: Settings) -> World {
    let mut world = World::new(list[0].dim()).unwrap();
    world.particles_mut().add_many(list).unwrap();
    world.set_settings(settings).unwrap();
    world
}

fn attracting(integrator: Integrator) -> Settings {
    Settings::default()
        .with_attraction(Attraction { constant: 1.0, ..Attraction::default() })
        .with_integrator(integrator)
}

/// Two bodies of half a kilogram on an orbit of period 2 pi with this eccentricity, at the far end.
fn orbit(eccentricity: f64, integrator: Integrator) -> World {
    let far = 0.5 * (1.0 + eccentricity);
    let speed = 0.5 * ((1.0 - eccentricity) / (1.0 + eccentricity)).sqrt();
    let body = |side: f64| {
        Particle::sphere(&[side * far, 0.0], 1e-6).with_mass(0.5).with_velocity(&[0.0, side * speed])
    };
    world_of(&[body(1.0), body(-1.0)], attracting(integrator))
}

fn run(world: &mut World, time: f64, steps: u32) {
    for _ in 0..steps {
        world.step(time / f64::from(steps)).unwrap();
    }
}

fn motion(world: &World) -> Vec<f64> {
    let rows = 0..world.particles().len();
    let values = |field| world.particles().values(field, rows.clone()).unwrap();
    [values(Field::Position), values(Field::Velocity)].concat()
}

fn bits(world: &World) -> Vec<u64> {
    motion(world).into_iter().map(f64::to_bits).collect()
}

fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

fn energy(world: &World) -> f64 {
    world.kinetic_energy() + world.potential_energy().unwrap()
}

/// By how much errors fall when the step is halved, for a run with this many steps and twice as many.
fn ratio(start: &World, exact: &[f64], time: f64, steps: u32) -> f64 {
    let error = |steps: u32| {
        let mut world = start.clone();
        run(&mut world, time, steps);
        distance(&motion(&world), exact)
    };
    error(steps) / error(2 * steps)
}

#[test]
fn halving_the_step_divides_errors_by_two_four_and_sixteen() {
    for (integrator, steps, expected) in [(ALL[0], 40_000, 2.0), (ALL[1], 400, 4.0), (ALL[2], 100, 16.0)] {
        let start = orbit(0.3, integrator);
        let found = ratio(&start, &motion(&start), PERIOD, steps);
        assert!((found / expected - 1.0).abs() < 0.06, "{integrator:?}: {found} instead of {expected}");
    }
}

#[test]
fn the_rule_of_the_document_changes_the_energy_of_a_circle_by_3_7_percent_in_a_period_of_1000_steps() {
    let change = |integrator: Integrator, steps: u32| {
        let mut world = orbit(0.0, integrator);
        let before = energy(&world);
        run(&mut world, PERIOD, steps);
        (energy(&world) - before) / before.abs()
    };
    let euler = change(Integrator::Euler, 1000);
    assert!((euler - 0.037).abs() < 5e-4, "{euler}");
    assert!((change(Integrator::Euler, 2000) / euler - 0.5).abs() < 0.03, "first order");
    assert!(change(Integrator::VelocityVerlet, 1000).abs() < 1e-9);
    assert!(change(Integrator::FourthOrder, 1000).abs() < 1e-13);
}

#[test]
fn energy_errors_of_an_eccentric_orbit_stay_bounded_over_1000_periods() {
    for (integrator, steps, bound) in [(ALL[1], 200, 3e-3), (ALL[2], 100, 1e-5)] {
        let mut world = orbit(0.5, integrator);
        let start = energy(&world);
        let worst_of = |world: &mut World, periods: u32| {
            (0..periods * steps).fold(0.0_f64, |worst, _| {
                world.next(PERIOD / f64::from(steps)).unwrap();
                worst.max((energy(world) / start - 1.0).abs())
            })
        };
        let early = worst_of(&mut world, 10);
        let late = worst_of(&mut world, 990);
        assert!(early < bound && late < 1.1 * early, "{integrator:?}: {early} {late}");
    }
}

#[test]
fn time_reversal_leads_back() {
    for integrator in HIGHER {
        let mut world = orbit(0.5, integrator);
        let start = motion(&world);
        run(&mut world, 3.0, 300);
        let turn = |world: &mut World| {
            for axis in 0..2 {
                world
                    .particles_mut()
                    .column_mut(Field::Velocity, axis)
                    .unwrap()
                    .iter_mut()
                    .for_each(|v| *v = -*v);
            }
        };
        assert!(distance(&motion(&world), &start) > 0.1);
        turn(&mut world);
        run(&mut world, 3.0, 300);
        turn(&mut world);
        let error = distance(&motion(&world), &start);
        assert!(error < 1e-12, "{integrator:?}: {error}");
    }
}

/// A cloud that attracts, with drags, accelerations, a fixed body and collisions if the spheres are large.
fn cloud(count: usize, radius: f64, drag: f64, integrator: Integrator) -> World {
    let mut random = Random(5);
    let mut list: Vec<Particle> = (0..count)
        .map(|_| {
            let place = [random.real(-1.0, 1.0), random.real(-1.0, 1.0)];
            let velocity = [random.real(-1.0, 1.0), random.real(-1.0, 1.0)];
            Particle::sphere(&place, radius)
                .with_mass(random.real(0.1, 1.0))
                .with_velocity(&velocity)
                .with_acceleration(&[0.1, -0.2])
                .with_drag(drag * random.real(0.5, 1.5))
        })
        .collect();
    list.push(Particle::sphere(&[3.0, 0.0], radius).with_mass(5.0).fixed());
    let attraction = Attraction { constant: 0.1, softening: 0.3, ..Attraction::default() };
    world_of(&list, attracting(integrator).with_attraction(attraction).with_down_gravity(0.5))
}

#[test]
fn drag_user_accelerations_and_fixed_bodies_keep_the_order() {
    for (integrator, expected) in [(ALL[1], 4.0), (ALL[2], 16.0)] {
        let start = cloud(6, 1e-9, 1.0, integrator);
        let mut fine = cloud(6, 1e-9, 1.0, Integrator::FourthOrder);
        run(&mut fine, 1.0, 2000);
        let found = ratio(&start, &motion(&fine), 1.0, 40);
        assert!((found / expected - 1.0).abs() < 0.1, "{integrator:?}: {found} instead of {expected}");
        let mut world = start.clone();
        run(&mut world, 1.0, 40);
        assert_eq!(world.particles().get(6).unwrap(), start.particles().get(6).unwrap(), "it is fixed");
    }
}

#[test]
fn collisions_leave_errors_of_second_order() {
    // Two balls that attract each other collide, rebound and collide again.
    let start = |integrator| {
        let ball = |side: f64| {
            Particle::sphere(&[side, 0.1 * side], 0.2).with_mass(0.5).with_velocity(&[-0.2 * side, 0.0])
        };
        world_of(&[ball(1.0), ball(-1.0)], attracting(integrator))
    };
    let mut exact = start(Integrator::FourthOrder);
    run(&mut exact, 3.0, 30_000);
    let error = |integrator, steps: u32| {
        let mut world = start(integrator);
        let mut collisions = 0;
        for _ in 0..steps {
            collisions += world.step(3.0 / f64::from(steps)).unwrap();
        }
        assert!(collisions > 0);
        distance(&motion(&world), &motion(&exact))
    };
    for integrator in HIGHER {
        // The errors depend on where in a step a collision falls: over three halvings first order would gain 8, second 64.
        let mean = |steps: std::ops::Range<u32>| steps.map(|n| error(integrator, n)).sum::<f64>() / 20.0;
        let (coarse, fine) = (mean(300..320), mean(2400..2420));
        assert!(fine < coarse / 32.0, "{integrator:?}: {coarse} {fine}");
    }
}

#[test]
fn elastic_collisions_keep_momentum_and_bound_the_energy() {
    for integrator in HIGHER {
        let mut world = cloud(30, 0.05, 0.0, integrator);
        let before = energy(&world);
        let collisions: u64 = (0..400).map(|_| world.step(2.5e-3).unwrap()).sum();
        // The fixed body and the user's accelerations exchange momentum; energy has both potentials but for the latter.
        let work: f64 = {
            let end = world.particles();
            let start = cloud(30, 0.05, 0.0, integrator);
            (0..30)
                .map(|n| {
                    let (one, two) = (start.particles().get(n).unwrap(), end.get(n).unwrap());
                    let way = |axis: usize| two.position[axis] - one.position[axis];
                    one.mass * (0.1 * way(0) - 0.2 * way(1))
                })
                .sum()
        };
        assert!(collisions > 20, "{collisions}");
        assert!((energy(&world) - before - work).abs() < 0.01 * before.abs(), "{integrator:?}");
    }
}

#[test]
fn next_and_step_are_the_same_without_collisions() {
    for integrator in ALL {
        let (mut one, mut two) = (cloud(9, 1e-9, 0.5, integrator), cloud(9, 1e-9, 0.5, integrator));
        for _ in 0..20 {
            one.next(0.01).unwrap();
            two.step(0.01).unwrap();
            assert_eq!(bits(&one), bits(&two), "{integrator:?}");
        }
        assert_eq!(one.step_to_collision(0.01).unwrap(), None);
        two.next(0.01).unwrap();
        assert_eq!((bits(&one), one.time().to_bits()), (bits(&two), two.time().to_bits()));
    }
}

#[test]
fn carried_forces_have_the_bits_of_computed_ones() {
    for integrator in HIGHER {
        let mut carried = cloud(20, 0.05, 0.2, integrator);
        let mut computed = carried.clone();
        for n in 0..60 {
            if n == 30 {
                // What the caller changes between steps counts at once.
                for world in [&mut carried, &mut computed] {
                    world.particles_mut().set_value(Field::Mass, 3, &[4.0]).unwrap();
                    world.particles_mut().column_mut(Field::Position, 0).unwrap()[2] += 0.25;
                }
            }
            carried.step(0.01).unwrap();
            computed.step(0.01).unwrap();
            // A clone has nothing that was carried.
            computed = computed.clone();
            assert_eq!(bits(&carried), bits(&computed), "{integrator:?}, step {n}");
        }
    }
}

#[test]
fn a_world_that_is_saved_and_loaded_goes_on_with_the_same_bits() {
    for integrator in ALL {
        for format in [Format::Json, Format::Snapshot] {
            let mut world = cloud(12, 0.05, 0.2, integrator);
            run(&mut world, 0.3, 30);
            let mut bytes = Vec::new();
            io::write(&world, format, &mut bytes).unwrap();
            let mut loaded = io::from_bytes(&bytes).unwrap();
            assert_eq!(loaded.settings(), world.settings());
            run(&mut world, 0.3, 30);
            run(&mut loaded, 0.3, 30);
            assert_eq!(bits(&loaded), bits(&world), "{integrator:?} {format:?}");
        }
    }
}

#[test]
fn the_default_is_the_rule_of_the_document_and_is_not_written() {
    assert_eq!(Settings::default().integrator, Integrator::Euler);
    let mut bytes = Vec::new();
    io::write(&cloud(2, 0.05, 0.0, Integrator::Euler), Format::Json, &mut bytes).unwrap();
    assert!(!String::from_utf8(bytes).unwrap().contains("integrator"));
    let mut bytes = Vec::new();
    io::write(&cloud(2, 0.05, 0.0, Integrator::FourthOrder), Format::Json, &mut bytes).unwrap();
    assert!(String::from_utf8(bytes).unwrap().contains("\"integrator\": \"fourth-order\""));
    assert!(io::pbphys::lost(&cloud(2, 0.05, 0.0, Integrator::VelocityVerlet)).contains(&"the integrator"));
}

#[test]
fn a_step_that_leaves_the_range_of_numbers_changes_nothing() {
    for integrator in HIGHER {
        let mut world = orbit(0.5, integrator);
        let before = bits(&world);
        for error in [world.next(1e80).unwrap_err(), world.step(1e80).unwrap_err()] {
            assert!(matches!(error, Error::Overflow { .. } | Error::NotFinite { .. }), "{error}");
        }
        assert!(matches!(world.next(-1.0), Err(Error::Negative { .. })));
        assert_eq!((bits(&world), world.time()), (before, 0.0));
        assert_eq!(world.step(0.0), Ok(0));
    }
}
