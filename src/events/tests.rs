//! The engine as a whole.

use std::ops::ControlFlow;

use super::execute::Run;
use super::neighbours::{Levels, NeighbourLists, Neighbourhood, ParticleSlices};
use super::*;
use crate::error::Error;
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;
use crate::{Field, Particle, Particles};

fn ball<const D: usize>(position: [f64; D], radius: f64, velocity: [f64; D]) -> Particle {
    Particle::sphere(&position, radius).with_mass(1.0).with_velocity(&velocity)
}

fn engine<const D: usize>(balls: &[Particle], enclosure: Enclosure<D>, settings: EventSettings) -> Engine<D> {
    let mut particles = Particles::new(D).unwrap();
    particles.add_many(balls).unwrap();
    Engine::new(particles, enclosure, settings).unwrap()
}

fn events<const D: usize>(engine: &mut Engine<D>, limit: Limit) -> Vec<Event<D>> {
    let mut seen = Vec::new();
    let mut observer = |event: &Event<D>| {
        seen.push(*event);
        ControlFlow::Continue(())
    };
    engine.run_observed(limit, &mut observer).unwrap();
    seen
}

#[test]
fn a_cradle_passes_its_velocity_on_in_order() {
    let balls: Vec<_> = (0..5).map(|n| ball([f64::from(n)], 0.5, [if n == 0 { 1.0 } else { 0.0 }])).collect();
    let mut cradle = engine(&balls, Enclosure::<1>::open(), EventSettings::default());
    let seen = events(&mut cradle, Limit::NONE);
    let pairs: Vec<_> = seen.iter().map(|event| (event.time, event.first, event.second)).collect();
    assert_eq!(pairs, [(0.0, 0, 1), (0.0, 1, 2), (0.0, 2, 3), (0.0, 3, 4)]);
    assert_eq!(cradle.synchronise().column(Field::Velocity, 0).unwrap(), [0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(cradle.run(Limit::NONE), Ok(Stop::Idle));
    assert_eq!(cradle.next_event(), None);
}

#[test]
fn particles_that_stay_apart_in_a_periodic_box_are_idle() {
    let square = Enclosure::periodic([0.0; 2], [10.0; 2]);
    let lane = |n: i32| ball([1.0, 0.3 * f64::from(n)], 0.1, [f64::from(n), 0.5]);
    let lanes: Vec<_> = (0..30).map(lane).collect();
    for balls in [&lanes[..1], &lanes[..5], &lanes] {
        let mut idle = engine(balls, square, EventSettings::default());
        assert_eq!(idle.run(Limit::NONE), Ok(Stop::Idle));
    }
    let crossing = [ball([1.0, 1.0], 0.1, [1.0, 0.0]), ball([5.0, 5.0], 0.1, [0.0, 0.3])];
    let mut colliding = engine(&crossing, square, EventSettings::default());
    assert_eq!(colliding.run(Limit::collisions(1)), Ok(Stop::Collisions));
}

#[test]
fn walls_and_periods_of_one_box() {
    let enclosure = Enclosure {
        lower: [0.0, 0.0, 0.0],
        upper: [10.0, 4.0, 0.0],
        boundaries: [Boundary::Periodic, Boundary::Reflecting, Boundary::Open],
    };
    let mut one = engine(&[ball([9.0, 2.0, 0.0], 1.0, [1.0, 1.0, 1.0])], enclosure, EventSettings::default());
    let seen = events(&mut one, Limit::until(6.5));
    let walls: Vec<_> = seen.iter().map(|event| (event.time, event.kind, event.second)).collect();
    assert_eq!(
        walls,
        [1.0, 3.0, 5.0].into_iter().zip([3, 2, 3]).map(|(t, f)| (t, EventKind::Wall, f)).collect::<Vec<_>>()
    );
    let position = one.synchronise().value(Field::Position, 0).unwrap();
    assert_eq!(position, [5.5, 1.5, 6.5]);
    assert_eq!(one.time(), 6.5);
}

#[test]
fn balls_collide_through_a_periodic_face() {
    let balls = [ball([0.5], 0.25, [-1.0]), ball([9.0], 0.25, [0.0])];
    let mut pair = engine(&balls, Enclosure::periodic([0.0], [10.0]), EventSettings::default());
    let next = pair.next_event().unwrap();
    assert_eq!((next.time, next.first, next.second, next.normal), (1.0, 0, 1, [1.0]));
    assert_eq!(pair.time(), 0.0);
    // Then the second crosses the box, 9 m, and after it the first.
    let seen = events(&mut pair, Limit::collisions(3));
    assert_eq!(seen.iter().map(|event| event.time).collect::<Vec<_>>(), [1.0, 10.0, 19.0]);
}

#[test]
fn a_ball_at_rest_on_the_floor_is_a_collapse() {
    let settings = EventSettings {
        down_gravity: 10.0,
        wall_restitution: 0.5,
        contact_duration: Some(0.0),
        ..Default::default()
    };
    let enclosure = Enclosure::reflecting([0.0, 0.0], [2.0, 9.0]);
    let mut one = engine(&[ball([1.0, 6.0], 1.0, [0.0, 0.0])], enclosure, settings);
    let Err(Error::Collapse { time, first: 0, second: 0 }) = one.run(Limit::NONE) else {
        panic!("the ball comes to rest")
    };
    // Falls 1 s; every bounce lasts half as long as the one before, the first 1 s.
    assert!((time - 3.0).abs() < 1e-9, "{time}");
    let height = one.synchronise().column(Field::Position, 1).unwrap()[0];
    assert!((height - 1.0).abs() < 1e-9);
}

#[test]
fn overlaps_are_refused_with_their_pairs() {
    let mut particles = Particles::new(2).unwrap();
    for x in [0.0, 1.0, 1.9, 5.0] {
        particles.add(&ball([x, 1.0], 0.5, [0.0, 0.0])).unwrap();
    }
    let refused = Engine::new(particles, Enclosure::<2>::open(), EventSettings::default());
    assert_eq!(refused.unwrap_err(), Error::Overlap { pairs: vec![[1, 2]], total: 1 });
}

#[test]
fn tracers_pass_and_fixed_balls_stay() {
    let balls = [
        ball([0.0, 0.0], 0.5, [1.0, 0.0]),
        Particle::sphere(&[2.0, 0.0], 0.5).with_velocity(&[-1.0, 0.0]),
        ball([5.0, 0.0], 0.5, [0.0, 0.0]).fixed(),
    ];
    let mut three = engine(&balls, Enclosure::<2>::open(), EventSettings::default());
    let seen = events(&mut three, Limit::until(10.0));
    assert_eq!(
        seen.iter().map(|event| (event.time, event.first, event.second)).collect::<Vec<_>>(),
        [(4.0, 0, 2)]
    );
    assert_eq!(three.synchronise().column(Field::Position, 0).unwrap(), [-2.0, -8.0, 5.0]);
}

#[test]
fn a_ball_bounces_on_a_fixed_one_under_gravity() {
    let settings = EventSettings { down_gravity: 10.0, ..Default::default() };
    let balls = [ball([0.0, 0.0], 0.5, [0.0, 0.0]).fixed(), ball([0.0, 6.0], 0.5, [0.0, 0.0])];
    let mut pair = engine(&balls, Enclosure::<2>::open(), settings);
    let seen = events(&mut pair, Limit::until(6.0));
    let times: Vec<_> = seen.iter().map(|event| event.time).collect();
    assert_eq!(times.len(), 3);
    assert!(times.iter().zip([1.0, 3.0, 5.0]).all(|(t, expected)| (t - expected).abs() < 1e-9), "{times:?}");
}

/// Balls of these radii, in turn, on a lattice with random velocities; with `odd_ones` every seventh is fixed and every fifth a
/// tracer.
fn crowd<const D: usize>(side: usize, spacing: f64, radii: &[f64], odd_ones: bool) -> Vec<Particle> {
    let mut seed = 11_u64;
    let mut uniform = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..side.pow(D as u32))
        .map(|row| {
            let position: [f64; D] = std::array::from_fn(|k| {
                ((row / side.pow(k as u32) % side) as f64 + 0.5) * spacing + 0.01 * uniform()
            });
            let velocity: [f64; D] = std::array::from_fn(|_| uniform());
            let radius = radii[row % radii.len()];
            let particle = ball(position, radius, velocity).with_mass(1.0 + radius);
            match row {
                _ if odd_ones && row % 7 == 3 => particle.fixed(),
                _ if odd_ones && row % 5 == 2 => particle.with_mass(0.0),
                _ => particle,
            }
        })
        .collect()
}

/// A run whose events are seen.
#[derive(Clone)]
struct SeenRun<const D: usize> {
    engine: Engine<D>,
    limit: Limit,
}

impl<const D: usize> Kernel for SeenRun<D> {
    type Output = Vec<Event<D>>;

    #[inline(always)]
    fn run<S: Simd>(mut self) -> Vec<Event<D>> {
        let mut seen = Vec::new();
        let observer = |event: &Event<D>| {
            seen.push(*event);
            ControlFlow::Continue(())
        };
        S::call(Run { state: &mut self.engine.state, limit: self.limit, observer }).unwrap();
        seen
    }
}

/// All ways to find neighbours that are possible in an engine, besides the search of all pairs.
fn ways<const D: usize>(start: &Engine<D>) -> Vec<Neighbourhood<D>> {
    let state = &start.state;
    let slices = ParticleSlices::new(&state.particles, &state.flights);
    let lists =
        NeighbourLists::new(&state.domain, slices, 0.0).map(|lists| Neighbourhood::Lists(lists.into()));
    let levels = Levels::new(&state.domain, slices, 0.0).map(|levels| Neighbourhood::Levels(levels.into()));
    lists.into_iter().chain(levels).collect()
}

/// The same run with neighbour lists and with levels of cells, at each level of instructions, and with a search of all pairs:
/// the same bits.
fn lists_change_nothing<const D: usize>(
    balls: &[Particle],
    enclosure: Enclosure<D>,
    settings: EventSettings,
    limit: Limit,
) {
    let start = engine(balls, enclosure, settings);
    let mut without = start.clone();
    without.state.use_neighbourhood(Neighbourhood::all_pairs(&start.state.domain));
    let expected = events(&mut without, limit);
    assert!(expected.len() > 500, "only {} events", expected.len());
    let ways = ways(&start);
    assert!(!ways.is_empty());
    for way in ways {
        let mut with = start.clone();
        with.state.use_neighbourhood(way);
        let at_each_level = level::run_at_each_level(&SeenRun { engine: with.clone(), limit });
        let seen = events(&mut with, limit);
        assert!(at_each_level.iter().all(|at_level| *at_level == seen));
        for (n, (a, b)) in seen.iter().zip(&expected).enumerate() {
            assert_eq!(a, b, "event {n}");
        }
        assert_eq!(seen.len(), expected.len());
        assert!(with.synchronise().is_close(without.synchronise(), 1e-12));
        with.state.check_overlaps().unwrap();
    }
}

/// Large and small balls of this ratio of radii on a lattice, one large one in 27 of its sites, some fixed and some tracers.
fn mixture<const D: usize>(ratio: f64, side: usize) -> Vec<Particle> {
    let mut balls = crowd::<D>(side, 1.3, &[0.6 / ratio], true);
    let is_large =
        |row: usize| (0..D).all(|k| row / side.pow(k as u32) % 3 == 1) && row % 7 != 3 && row % 5 != 2;
    for (row, ball) in balls.iter_mut().enumerate().filter(|(row, _)| is_large(*row)) {
        let velocity: Vec<f64> = ball.velocity.clone();
        *ball = Particle::sphere(&ball.position, 0.6).with_mass(1.6).with_velocity(&velocity);
        if row % 4 == 0 {
            *ball = ball.clone().fixed();
        }
    }
    balls
}

#[test]
fn levels_find_the_events_of_all_pairs_in_mixtures() {
    for ratio in [1.0, 2.0, 5.0, 10.0, 30.0, 100.0] {
        let flat = mixture::<2>(ratio, 12);
        let walls = Enclosure::reflecting([0.0; 2], [15.6; 2]);
        lists_change_nothing(&flat, walls, EventSettings::default(), Limit::collisions(1500));
        let mut slope = Enclosure::periodic([0.0; 2], [15.6; 2]);
        slope.boundaries[1] = Boundary::Reflecting;
        let falling = EventSettings { down_gravity: 0.5, restitution: 0.95, ..Default::default() };
        lists_change_nothing(&flat, slope, falling, Limit::collisions(1500));
        let space = mixture::<3>(ratio, 6);
        let periodic = Enclosure::periodic([0.0; 3], [7.8; 3]);
        lists_change_nothing(&space, periodic, EventSettings::default(), Limit::collisions(700));
    }
}

#[test]
fn levels_are_used_for_mixtures_thin_gases_and_gravity() {
    let uses_levels = |balls: &[Particle], length: f64, down_gravity: f64| {
        let walls = Enclosure::reflecting([0.0; 2], [length; 2]);
        let start = engine(balls, walls, EventSettings { down_gravity, ..Default::default() });
        matches!(start.state.neighbourhood, Neighbourhood::Levels(_))
    };
    let dense = crowd::<2>(14, 1.3, &[0.5], false);
    assert!(!uses_levels(&dense, 18.2, 0.0));
    assert!(uses_levels(&dense, 18.2, 1.0));
    assert!(uses_levels(&dense, 60.0, 0.0));
    let mixed = crowd::<2>(14, 1.3, &[0.6, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06], false);
    assert!(uses_levels(&mixed, 18.2, 0.0));
}

#[test]
fn levels_find_balls_that_fly_far_away() {
    let mut balls = vec![ball([1e13, 0.0], 0.5, [-1.0, 0.0]), ball([1e13 + 4.0, 0.0], 0.5, [-3.0, 0.0])];
    balls.extend((0..40).map(|n| ball([f64::from(n) * 30.0, 50.0], 0.1, [0.0, 1.0])));
    let start = engine(&balls, Enclosure::<2>::open(), EventSettings::default());
    for way in ways(&start) {
        let mut far = start.clone();
        far.state.use_neighbourhood(way);
        let next = far.next_event().expect("they collide");
        assert_eq!((next.time, next.first, next.second), (1.5, 0, 1));
    }
}

#[test]
fn lists_change_nothing_in_periodic_space() {
    let balls = crowd::<3>(6, 1.3, &[0.5], false);
    let enclosure = Enclosure::periodic([0.0; 3], [7.8; 3]);
    lists_change_nothing(&balls, enclosure, EventSettings::default(), Limit::collisions(8000));
}

#[test]
fn lists_change_nothing_for_mixtures_between_walls() {
    let balls = crowd::<2>(14, 1.3, &[0.6, 0.1, 0.3], true);
    let enclosure = Enclosure::reflecting([0.0; 2], [18.2; 2]);
    let settings = EventSettings { restitution: 0.9, wall_restitution: 0.8, ..Default::default() };
    lists_change_nothing(&balls, enclosure, settings, Limit::collisions(3000));
}

#[test]
fn lists_change_nothing_under_gravity_past_fixed_balls() {
    let balls = crowd::<2>(10, 1.3, &[0.4, 0.2], true);
    let mut enclosure = Enclosure::periodic([0.0; 2], [13.0; 2]);
    enclosure.boundaries[1] = Boundary::Reflecting;
    let settings = EventSettings { down_gravity: 1.0, ..Default::default() };
    lists_change_nothing(&balls, enclosure, settings, Limit::collisions(1500));
    lists_change_nothing(&crowd::<2>(10, 1.3, &[0.4], false), enclosure, settings, Limit::collisions(1500));
}

#[test]
fn lists_change_nothing_where_axes_are_open() {
    let balls = crowd::<3>(6, 1.05, &[0.5, 0.4], false);
    let mut enclosure = Enclosure::<3>::open();
    lists_change_nothing(&balls, enclosure, EventSettings::default(), Limit::NONE);
    enclosure.boundaries[1] = Boundary::Reflecting;
    enclosure.upper[1] = 6.3;
    lists_change_nothing(&balls, enclosure, EventSettings::default(), Limit::until(50.0));
}

#[test]
fn lists_change_nothing_for_a_ball_with_many_neighbours() {
    let mut balls = crowd::<3>(9, 1.1, &[0.4], false);
    let from_centre =
        |ball: &Particle| ball.position.iter().fold(0.0, |sum, x| sum + (x - 4.95) * (x - 4.95));
    balls.retain(|ball| from_centre(ball) > 3.5 * 3.5);
    balls.push(ball([4.95; 3], 3.0, [2.0, 1.0, 0.5]).with_mass(50.0));
    let enclosure = Enclosure::reflecting([0.0; 3], [9.9; 3]);
    let start = engine(&balls, enclosure, EventSettings::default());
    let Some(Neighbourhood::Lists(neighbours)) = ways(&start).into_iter().next() else {
        panic!("there are lists")
    };
    assert!(neighbours.lists.of(balls.len() - 1).len() > 64);
    lists_change_nothing(&balls, enclosure, EventSettings::default(), Limit::collisions(2000));
}

#[test]
fn lists_change_nothing_on_a_line() {
    let balls = crowd::<1>(60, 1.3, &[0.5, 0.2], false);
    let enclosure = Enclosure::periodic([0.0], [78.0]);
    lists_change_nothing(&balls, enclosure, EventSettings::default(), Limit::collisions(3000));
}

#[test]
fn lists_change_nothing_where_several_images_are_near() {
    for thickness in [1.3, 2.6] {
        let mut balls = crowd::<3>(8, 1.3, &[0.5, 0.3], true);
        balls.retain(|ball| ball.position[2] < thickness);
        let enclosure = Enclosure::periodic([0.0; 3], [10.4, 10.4, thickness]);
        lists_change_nothing(&balls, enclosure, EventSettings::default(), Limit::collisions(3000));
    }
    let mut balls = crowd::<2>(40, 1.3, &[0.5], true);
    balls.retain(|ball| ball.position[0] < 2.6);
    let mut enclosure = Enclosure::periodic([0.0; 2], [2.6, 52.0]);
    enclosure.boundaries[1] = Boundary::Reflecting;
    let settings = EventSettings { down_gravity: 0.1, ..Default::default() };
    lists_change_nothing(&balls, enclosure, settings, Limit::collisions(1500));
}
