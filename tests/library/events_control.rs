//! How a run is started, stopped, observed and changed, and what is refused.

use std::ops::ControlFlow;

use carom::events::{AnyEngine, Boundary, Enclosure, Engine, EventKind, EventSettings, Limit, Stop};
use carom::{Error, Field, Particle, Particles, Shape, ShapeKind};

use super::events_starts::{Mixture, bits, engine_of, mixture, particles_of, periodic_gas};
use super::random::Random;

fn ball(position: &[f64], velocity: &[f64]) -> Particle {
    Particle::sphere(position, 0.5).with_mass(1.0).with_velocity(velocity)
}

fn unit_box(side: f64) -> Enclosure<2> {
    Enclosure::reflecting([0.0; 2], [side; 2])
}

fn refused<const D: usize>(list: &[Particle], enclosure: Enclosure<D>, settings: EventSettings) -> Error {
    Engine::new(particles_of(list), enclosure, settings).unwrap_err()
}

#[test]
fn a_run_stops_at_the_time_asked_for() {
    let mut engine = engine_of(&[ball(&[1.0, 1.0], &[1.0, 0.0])], unit_box(4.0));
    assert_eq!(engine.run(Limit::until(1.0)).unwrap(), Stop::Time);
    assert_eq!(engine.time(), 1.0);
    assert_eq!(engine.synchronise().column(Field::Position, 0).unwrap(), [2.0]);
    assert_eq!(engine.measurements().duration, 1.0);
    assert_eq!(engine.run(Limit::until(1.0)).unwrap(), Stop::Time, "time may stand still");
    assert_eq!(engine.time(), 1.0);
    assert_eq!(engine.run(Limit::until(0.5)).unwrap(), Stop::Time, "that time has come long ago");
    assert!(engine.run(Limit::until(f64::NAN)).is_err());
    assert_eq!(engine.time(), 1.0);
}

#[test]
fn a_run_stops_after_the_collisions_asked_for_at_the_time_of_the_last() {
    let mut engine = engine_of(&[ball(&[1.0, 1.0], &[1.0, 0.0])], unit_box(4.0));
    assert_eq!(engine.run(Limit::collisions(2)).unwrap(), Stop::Collisions);
    // The centre moves between 0.5 and 3.5: walls at 2.5 and 5.5 seconds.
    assert_eq!(engine.time(), 5.5);
    assert_eq!(engine.measurements().wall_collisions, 2);
    assert_eq!(engine.synchronise().column(Field::Velocity, 0).unwrap(), [1.0], "the last one has happened");
    assert_eq!(engine.run(Limit::until(6.0).or_collisions(100)).unwrap(), Stop::Time);
    assert_eq!(engine.run(Limit::until(100.0).or_collisions(1)).unwrap(), Stop::Collisions);
    assert_eq!(engine.time(), 8.5);
    assert_eq!(engine.run(Limit::collisions(0)).unwrap(), Stop::Collisions);
    assert_eq!(engine.time(), 8.5);
}

#[test]
fn runs_in_pieces_and_runs_in_one_go_have_the_same_bits() {
    let mut whole = periodic_gas::<3>(4, 0.5, 1);
    let mut pieces = periodic_gas::<3>(4, 0.5, 1);
    whole.run(Limit::until(2.0)).unwrap();
    for n in 1..=37 {
        pieces.run(Limit::until(2.0 * f64::from(n) / 37.0)).unwrap();
        pieces.synchronise();
    }
    assert_eq!(bits(&mut whole), bits(&mut pieces));
    assert_eq!(whole.measurements().collisions, pieces.measurements().collisions);
}

#[test]
fn an_observer_stops_a_run_right_after_the_event_it_saw() {
    let mut engine = periodic_gas::<2>(10, 0.5, 2);
    let mut seen = Vec::new();
    let mut observer = |event: &carom::events::Event<2>| {
        seen.push(event.time);
        if seen.len() == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert_eq!(engine.run_observed(Limit::NONE, &mut observer).unwrap(), Stop::Observer);
    assert_eq!(seen.len(), 7);
    assert_eq!(engine.time(), seen[6]);
    assert_eq!(engine.measurements().collisions, 7);
}

#[test]
fn a_run_without_events_is_idle_or_ends_in_time() {
    let mut engine = engine_of::<2>(&[ball(&[0.0, 0.0], &[1.0, 2.0])], Enclosure::open());
    assert_eq!(engine.next_event(), None);
    assert_eq!(engine.run(Limit::NONE).unwrap(), Stop::Idle);
    assert_eq!(engine.time(), 0.0);
    assert_eq!(engine.run(Limit::until(3.0)).unwrap(), Stop::Time);
    assert_eq!(engine.synchronise().value(Field::Position, 0).unwrap(), [3.0, 6.0]);
}

#[test]
fn no_particle_and_a_single_one() {
    let mut empty =
        Engine::<3>::new(Particles::new(3).unwrap(), Enclosure::open(), EventSettings::default()).unwrap();
    assert!(empty.is_empty());
    assert_eq!(empty.run(Limit::until(1.0)).unwrap(), Stop::Time);
    assert_eq!(empty.run(Limit::NONE).unwrap(), Stop::Idle);
    let found = empty.measurements();
    assert_eq!((found.collisions, found.kinetic_energy, found.energy_drift), (0, 0.0, 0.0));
    assert_eq!((found.mean_free_time, found.mean_square_displacement), (None, 0.0));
    let mut resting = engine_of::<1>(&[ball(&[0.0], &[0.0])], Enclosure::periodic([-2.0], [2.0]));
    assert_eq!(resting.run(Limit::NONE).unwrap(), Stop::Idle);
    assert_eq!(resting.measurements().virial_pressure, None, "no time has passed");
}

#[test]
fn the_next_event_is_returned_and_nothing_changes() {
    let mut engine = periodic_gas::<3>(4, 0.5, 3);
    let mut twin = periodic_gas::<3>(4, 0.5, 3);
    for _ in 0..300 {
        let told = engine.next_event().unwrap();
        assert_eq!(engine.next_event(), Some(told));
        assert!(engine.time() <= told.time);
        let mut seen = None;
        let mut observer = |event: &carom::events::Event<3>| {
            seen = Some(*event);
            ControlFlow::Continue(())
        };
        engine.run_observed(Limit::collisions(1), &mut observer).unwrap();
        assert_eq!(seen, Some(told));
    }
    twin.run(Limit::collisions(300)).unwrap();
    assert_eq!(bits(&mut engine), bits(&mut twin));
}

#[test]
fn overlapping_pairs_are_refused_with_their_list() {
    let list: Vec<Particle> = (0..40).map(|n| ball(&[f64::from(n) * 0.9, 0.0], &[0.0, 0.0])).collect();
    let Error::Overlap { pairs, total } = refused::<2>(&list, Enclosure::open(), EventSettings::default())
    else {
        panic!("overlaps pass");
    };
    assert_eq!(total, 39);
    assert_eq!(pairs, (0..16).map(|n| [n, n + 1]).collect::<Vec<_>>());
}

#[test]
fn overlaps_through_periodic_faces_are_refused() {
    let list = [ball(&[0.1, 2.0], &[0.0, 0.0]), ball(&[3.8, 2.0], &[0.0, 0.0])];
    let error = refused(&list, Enclosure::periodic([0.0; 2], [4.0; 2]), EventSettings::default());
    assert_eq!(error, Error::Overlap { pairs: vec![[0, 1]], total: 1 });
}

#[test]
fn balls_that_touch_and_tracers_inside_others_are_fine() {
    let list = [
        ball(&[1.0, 1.0], &[0.0, 0.0]),
        ball(&[2.0, 1.0], &[0.0, 0.0]),
        ball(&[1.1, 1.1], &[1.0, 0.0]).with_mass(0.0),
    ];
    let mut engine = engine_of(&list, unit_box(4.0));
    assert_eq!(engine.run(Limit::until(10.0)).unwrap(), Stop::Time);
    assert_eq!(engine.measurements().collisions, 0);
}

#[test]
fn particles_outside_of_the_box_are_refused() {
    let inside = ball(&[1.0, 1.0], &[0.0, 0.0]);
    for (outside, axis) in [([3.6, 2.0], 0), ([0.4, 2.0], 0), ([2.0, 3.51], 1), ([2.0, -9.0], 1)] {
        let list = [inside.clone(), ball(&outside, &[0.0, 0.0])];
        let error = refused(&list, unit_box(4.0), EventSettings::default());
        assert_eq!(error, Error::OutsideBox { index: 1, axis });
    }
    let against_the_wall = [ball(&[0.5, 3.5], &[-1.0, 1.0])];
    assert!(Engine::new(particles_of(&against_the_wall), unit_box(4.0), EventSettings::default()).is_ok());
}

#[test]
fn a_box_smaller_than_a_ball_is_refused() {
    let list = [ball(&[0.4, 0.4], &[1.0, 0.0])];
    assert!(matches!(
        refused(&list, unit_box(0.8), EventSettings::default()),
        Error::OutsideBox { index: 0, .. }
    ));
    let narrow = Enclosure::periodic([0.0; 2], [0.8; 2]);
    let error = refused(&list, narrow, EventSettings::default());
    assert!(error.code() != 0, "a ball would meet itself: {error}");
}

#[test]
fn boxes_inside_out_flat_or_not_finite_are_refused() {
    let list = [ball(&[0.0, 0.0], &[0.0, 0.0])];
    for (lower, upper) in [(1.0, -1.0), (0.0, 0.0), (f64::NAN, 4.0), (-4.0, f64::INFINITY), (-1e308, 1e308)] {
        for boundary in [Boundary::Reflecting, Boundary::Periodic] {
            let enclosure = Enclosure { lower: [lower; 2], upper: [upper; 2], boundaries: [boundary; 2] };
            assert!(enclosure.check().is_err(), "{enclosure:?}");
            refused(&list, enclosure, EventSettings::default());
        }
    }
}

#[test]
fn boxes_too_large_for_products_of_lengths_are_refused() {
    let list = [ball(&[0.0, 0.0], &[1.0, 0.0])];
    let mut far = Enclosure::reflecting([-1e75; 2], [1e75; 2]);
    far.check().unwrap();
    assert!(engine_of(&list, far).next_event().unwrap().time > 9e74);
    far.upper[1] = 1e300;
    let error = refused(&list, far, EventSettings::default());
    assert!(matches!(error, Error::Overflow { field: "upper", magnitude: 1e300, .. }), "{error}");
    far.boundaries[1] = Boundary::Open;
    far.check().unwrap();
}

/// Events up to the largest finite time are found, however many epochs lie between; later ones never come.
#[test]
fn a_ball_that_hardly_moves_arrives_or_never_does() {
    for (velocity, arrives) in
        [(1e-250, true), (1e-300, true), (1e-308, true), (5e-309, false), (5e-324, false)]
    {
        let mut engine = engine_of(&[ball(&[2.0, 2.0], &[velocity, 0.0])], unit_box(4.0));
        let event = engine.next_event();
        assert_eq!(event.is_some(), arrives, "{velocity}: {event:?}");
        assert!(
            event.is_none_or(|event| event.time > 1.0 / velocity && event.time < 2.0 / velocity),
            "{event:?}"
        );
        let stop = engine.run(Limit::collisions(1)).unwrap();
        assert_eq!(stop, if arrives { Stop::Collisions } else { Stop::Idle });
    }
}

#[test]
fn what_the_engine_cannot_move_exactly_is_refused() {
    let plain = ball(&[1.0, 1.0], &[0.0, 0.0]);
    let settings = EventSettings::default();
    for (particle, what) in [
        (plain.clone().with_drag(0.1), "drag"),
        (plain.clone().with_acceleration(&[0.0, 1.0]), "acceleration"),
    ] {
        let error = refused(&[plain.clone(), particle], Enclosure::<2>::open(), settings);
        assert!(error.to_string().contains(what), "{error}");
    }
    let mut with_nan = particles_of(std::slice::from_ref(&plain));
    with_nan.column_mut(Field::Position, 1).unwrap()[0] = f64::NAN;
    let error = Engine::new(with_nan, Enclosure::<2>::open(), settings).unwrap_err();
    assert!(matches!(error, Error::NotFinite { field: "position", index: 0, .. }), "{error}");
    let space = Engine::<3>::new(particles_of(&[plain]), Enclosure::open(), settings).unwrap_err();
    assert!(matches!(space, Error::BadDimension { .. }), "{space}");
}

#[test]
fn every_shape_is_its_bounding_sphere() {
    let cube = Particle::with_shape(&[0.0, 0.0], Shape::unit(2, ShapeKind::Facoid)).with_mass(1.0);
    let mut engine = engine_of(&[cube, ball(&[4.0, 0.0], &[-1.0, 0.0])], Enclosure::<2>::open());
    let radius = 0.5_f64.sqrt();
    assert!((engine.next_event().unwrap().time - (4.0 - 0.5 - radius)).abs() < 1e-14);
}

#[test]
fn bad_settings_are_refused() {
    let good = EventSettings::default();
    let list = [ball(&[1.0, 1.0], &[0.0, 0.0])];
    let mut engine = engine_of(&list, unit_box(4.0));
    for bad in [
        good.with_restitution(1.1),
        good.with_restitution(-0.1),
        good.with_restitution(f64::NAN),
        good.with_wall_restitution(2.0),
        good.with_down_gravity(f64::INFINITY),
        good.with_max_rate(0),
    ] {
        refused(&list, unit_box(4.0), bad);
        assert!(engine.set_settings(bad).is_err(), "{bad:?}");
        assert_eq!(*engine.settings(), good);
    }
    let falling = good.with_down_gravity(1.0);
    refused(&[ball(&[0.0], &[0.0])], Enclosure::<1>::open(), falling);
}

#[test]
fn settings_take_effect_from_now_on() {
    let mut engine = engine_of(&[ball(&[2.0, 2.0], &[0.0, 0.0])], unit_box(4.0));
    engine.run(Limit::until(1.0)).unwrap();
    engine.set_settings(EventSettings::default().with_down_gravity(3.0)).unwrap();
    let event = engine.next_event().unwrap();
    assert_eq!((event.kind, event.second), (EventKind::Wall, 2));
    assert!((event.time - 2.0).abs() < 1e-14, "1.5 metres down");
}

#[test]
fn an_edit_is_seen_at_once_and_a_bad_one_changes_nothing() {
    let start = [ball(&[1.0, 1.0], &[1.0, 0.5]), ball(&[3.0, 3.0], &[-1.0, 0.0])];
    let mut engine = engine_of(&start, unit_box(4.0));
    engine.run(Limit::until(0.7)).unwrap();
    let mut twin = engine_of(&start, unit_box(4.0));
    twin.run(Limit::until(0.7)).unwrap();
    type Change = fn(&mut Particles);
    let bad: [Change; 6] = [
        |particles| particles.column_mut(Field::Position, 0).unwrap()[0] = f64::NAN,
        |particles| particles.column_mut(Field::Velocity, 1).unwrap()[1] = f64::INFINITY,
        |particles| particles.column_mut(Field::Mass, 0).unwrap()[1] = -1.0,
        |particles| particles.column_mut(Field::Position, 0).unwrap()[0] = 77.0,
        |particles| particles.set_value(Field::Position, 0, &[3.0, 2.5]).unwrap(),
        |particles| particles.column_mut(Field::Drag, 0).unwrap()[0] = 1.0,
    ];
    for change in bad {
        assert!(engine.edit(change).is_err());
    }
    assert_eq!(bits(&mut engine), bits(&mut twin));
    engine.run(Limit::until(20.0)).unwrap();
    twin.run(Limit::until(20.0)).unwrap();
    assert_eq!(bits(&mut engine), bits(&mut twin), "the future is the same too");
}

#[test]
fn an_edit_of_nothing_is_accepted_at_any_moment() {
    let mut random = Random(61);
    let what = Mixture { count: 60, spread: 0.5, fixed: 0.05, tracers: 0.05, spacing: 1.8 };
    let (list, side) = mixture::<2>(what, &mut random);
    let mut enclosure = Enclosure::reflecting([0.0; 2], [side; 2]);
    enclosure.boundaries[1] = Boundary::Periodic;
    let mut engine = engine_of(&list, enclosure);
    for n in 0..3000 {
        engine.run(Limit::collisions(1)).unwrap();
        // Right after the contact, on a copy, so that long epochs are tested too.
        engine.clone().edit(|_| {}).unwrap_or_else(|error| panic!("after {n} collisions: {error}"));
    }
    for _ in 0..1000 {
        engine.run(Limit::collisions(1)).unwrap();
        engine.edit(|_| {}).unwrap();
    }
}

#[test]
fn balls_come_and_go_in_an_edit() {
    let mut engine = engine_of(&[ball(&[1.0, 1.0], &[1.0, 0.0])], unit_box(8.0));
    engine.run(Limit::until(1.0)).unwrap();
    engine
        .edit(|particles| {
            particles.add(&ball(&[5.0, 1.0], &[-1.0, 0.0])).unwrap();
        })
        .unwrap();
    assert_eq!(engine.len(), 2);
    let meeting = engine.next_event().unwrap();
    assert_eq!((meeting.kind, meeting.first, meeting.second), (EventKind::Collision, 0, 1));
    assert_eq!((meeting.time, meeting.impulse, meeting.normal), (2.0, 2.0, [-1.0, 0.0]));
    engine.edit(|particles| particles.remove(0).unwrap()).unwrap();
    assert_eq!(engine.len(), 1);
    assert_eq!(engine.next_event().unwrap().kind, EventKind::Wall);
    assert_eq!(engine.into_particles().len(), 1);
}

#[test]
fn fixed_balls_and_tracers_keep_their_parts() {
    let list = [
        ball(&[1.0, 2.0], &[1.0, 0.0]),
        ball(&[3.0, 2.0], &[0.0, 0.0]).fixed(),
        ball(&[3.0, 3.0], &[-1.0, 0.0]).with_mass(0.0),
    ];
    let mut engine = engine_of(&list, unit_box(5.0));
    engine.run(Limit::until(4.0)).unwrap();
    let found = engine.measurements();
    // The ball reaches the fixed one at 1, the wall at 2.5 and the fixed one again at 4; the tracer the wall at 2.5.
    assert_eq!((found.collisions, found.wall_collisions), (2, 2));
    let particles = engine.synchronise();
    assert_eq!(particles.value(Field::Position, 1).unwrap(), [3.0, 2.0]);
    assert_eq!(particles.value(Field::Velocity, 1).unwrap(), [0.0, 0.0]);
    assert_eq!(particles.value(Field::Position, 2).unwrap(), [2.0, 3.0]);
}

#[test]
fn any_engine_is_the_engine_of_its_dimension() {
    let list = [ball(&[1.0, 1.0], &[1.0, 0.0]), ball(&[3.0, 1.0], &[-1.0, 0.0])];
    let boundaries = [Boundary::Reflecting; 2];
    let settings = EventSettings::default();
    let mut any = AnyEngine::new(particles_of(&list), &[0.0; 2], &[4.0; 2], &boundaries, settings).unwrap();
    let mut two = engine_of(&list, unit_box(4.0));
    assert_eq!((any.dim(), any.len(), any.lower(), any.upper()), (2, 2, &[0.0; 2][..], &[4.0; 2][..]));
    let next = any.next_event().unwrap();
    assert_eq!((next.time, next.normal), (0.5, [-1.0, 0.0, 0.0]));
    let mut count = 0;
    let mut observer = |_: &carom::events::Event<3>| {
        count += 1;
        ControlFlow::Continue(())
    };
    assert_eq!(any.run_observed(Limit::until(10.0), &mut observer).unwrap(), Stop::Time);
    two.run(Limit::until(10.0)).unwrap();
    assert_eq!(any.synchronise(), two.synchronise());
    let (a, b) = (any.measurements(), two.measurements());
    assert_eq!((a.collisions + a.wall_collisions, a.collisions), (count, b.collisions));
    assert_eq!((a.momentum[..2].to_vec(), a.momentum[2]), (b.momentum.to_vec(), 0.0));
    assert_eq!(a.wall_pressure, b.wall_pressure);
    assert_eq!(any.speeds(), two.speeds());

    let wrong = AnyEngine::new(particles_of(&list), &[0.0; 3], &[4.0; 2], &boundaries, settings).unwrap_err();
    assert_eq!(wrong, Error::WrongLength { field: "lower", index: 0, expected: 2, found: 3 });
    let four = AnyEngine::new(Particles::new(4).unwrap(), &[], &[], &[], settings).unwrap_err();
    assert_eq!(four, Error::BadDimension { found: 4, expected: "from 1 to 3" });
}

/// Along the open axis they have passed each other, or one has fallen past the other, and the distance only grows.
#[test]
fn particles_that_have_passed_in_a_box_with_one_periodic_axis_never_collide() {
    let corners = ([0.0; 2], [4.0; 2]);
    let sideways =
        Enclosure { lower: corners.0, upper: corners.1, boundaries: [Boundary::Open, Boundary::Periodic] };
    let passing = [ball(&[0.0, 1.0], &[1.0, 0.01]), ball(&[6.0, 3.0], &[-1.0, -0.01])];
    assert_eq!(engine_of(&passing, sideways).next_event(), None);

    let downwards = Enclosure { boundaries: [Boundary::Periodic, Boundary::Open], ..sideways };
    let falling = [ball(&[1.0, 3.0], &[0.1, 0.0]), ball(&[3.0, 1.0], &[0.0, 0.0]).fixed()];
    let settings = EventSettings::default().with_down_gravity(9.8);
    let mut engine = Engine::new(particles_of(&falling), downwards, settings).unwrap();
    assert_eq!(engine.next_event(), None);
    assert_eq!(engine.run(Limit::NONE).unwrap(), Stop::Idle);
}
