//! Spheres that hardly touch or hardly miss each other, from near and from far: everything that finds contacts decides as
//! rational arithmetic does (docs/methods/contacts.md), and responses keep the laws of mechanics.

use std::ops::ControlFlow;

use carom::events::{Enclosure, Engine, Event, EventSettings, Limit};
use carom::study::Study;
use carom::{BroadPhase, Field, Particle, Particles, Settings, World};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use proptest::prelude::*;

use super::random::Random;

/// The sum of the radii, in metres.
const RADIUS: f64 = 1.0;

/// Two spheres: the second at rest at the origin, so that differences of positions and velocities are exact.
#[derive(Debug)]
struct Pair {
    position: Vec<f64>,
    velocity: Vec<f64>,
    /// `| |d| / R |` when it starts.
    ratio: f64,
    /// How much the least distance of the centres differs from R, relative to R.
    closeness: f64,
}

fn rational(x: f64) -> BigRational {
    BigRational::from_float(x).expect("a finite number")
}

fn dot(a: &[f64], b: &[f64]) -> BigRational {
    a.iter().zip(b).map(|(&x, &y)| rational(x) * rational(y)).sum()
}

fn unit(random: &mut Random, dim: usize) -> Vec<f64> {
    loop {
        let vector = random.vector(dim, -1.0, 1.0);
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.1 && length <= 1.0 {
            return vector.iter().map(|x| x / length).collect();
        }
    }
}

impl Pair {
    /// From a distance of `ratio` radii, with an impact parameter that differs from R by `closeness` of R or a little less.
    fn new(dim: usize, random: &mut Random, ratio: f64, closeness: f64) -> Self {
        let along = unit(random, dim);
        let mut across = unit(random, dim);
        let shadow: f64 = along.iter().zip(&across).map(|(a, b)| a * b).sum();
        across.iter_mut().zip(&along).for_each(|(a, b)| *a -= shadow * b);
        let length = across.iter().map(|x| x * x).sum::<f64>().sqrt();
        let side = if random.chance(0.5) { 1.0 } else { -1.0 };
        // In one dimension, or where both directions nearly agree, the pair is head-on.
        let miss = if length > 0.1 { RADIUS * (1.0 + side * closeness) / length } else { 0.0 };
        let speed = random.real(0.5, 2.0);
        let position = along.iter().zip(&across).map(|(a, b)| miss * b - ratio * RADIUS * a).collect();
        let velocity = along.iter().map(|a| speed * a).collect();
        Self { position, velocity, ratio, closeness }
    }

    /// The time of contact, if there is one: the smaller root, exact but for the last roundings.
    fn exact_time(&self) -> Option<f64> {
        let (d, w) = (&self.position, &self.velocity);
        let (a, b) = (dot(w, w), dot(d, w));
        let c = dot(d, d) - rational(RADIUS) * rational(RADIUS);
        let discriminant = &b * &b - a * &c;
        if !b.is_negative() || discriminant.is_negative() {
            return None;
        }
        if c <= BigRational::zero() {
            return Some(0.0);
        }
        let number = |x: BigRational| x.to_f64().expect("a number");
        Some(number(c) / (number(-b) + number(discriminant).sqrt()))
    }

    /// A horizon that contains every contact.
    fn horizon(&self) -> f64 {
        8.0 * (self.ratio + 2.0)
    }

    /// Whether changing the numbers by some roundings could change the answer: nothing is promised then.
    fn is_open(&self) -> bool {
        self.closeness < 16.0 * f64::EPSILON * self.ratio
    }

    /// Asserts that a time, infinite for none, is the right one but for the effect of some roundings.
    fn check(&self, time: f64, what: &str) {
        match self.exact_time() {
            None => assert_eq!(time, f64::INFINITY, "{what}: no contact of {self:?}"),
            Some(exact) => {
                assert!(time < f64::INFINITY, "{what}: a contact at {exact} of {self:?}");
                let position = f64::EPSILON * (self.ratio + 2.0) * RADIUS;
                let steepness = 1.0 + 1.0 / self.closeness.sqrt();
                assert!((time - exact).abs() <= 32.0 * position * steepness, "{what}: {time}, not {exact}");
            }
        }
    }

    fn particles(&self) -> Particles {
        let dim = self.position.len();
        let mut particles = Particles::new(dim).unwrap();
        let first = Particle::sphere(&self.position, 0.25 * RADIUS).with_mass(1.0);
        let second = Particle::sphere(&vec![0.0; dim], 0.75 * RADIUS).with_mass(2.0);
        particles.add(&first.with_velocity(&self.velocity)).unwrap();
        particles.add(&second).unwrap();
        particles
    }

    fn check_world(&self) {
        let dt = self.horizon();
        let mut world = World::from_particles(self.particles());
        self.check(world.time_to_collision(0, 1, dt).unwrap().unwrap_or(f64::INFINITY), "pair");
        self.check(world.time_to_collision(1, 0, dt).unwrap().unwrap_or(f64::INFINITY), "pair exchanged");
        self.check(world.earliest_collision(dt).unwrap().map_or(f64::INFINITY, |hit| hit.time), "earliest");
        let mut times = [0.0; 2];
        world.times_against_all(1, dt, &mut times).unwrap();
        self.check(times[0], "one against all");
        world.times_of_pairs(&[[0, 1], [1, 0]], dt, &mut times).unwrap();
        self.check(times[1], "listed pairs");
        for broad_phase in [BroadPhase::AllPairs, BroadPhase::Grid] {
            let mut world = world.clone();
            world.set_broad_phase(broad_phase);
            let mut time = f64::INFINITY;
            world.step_observed(dt, &mut |collision| time = collision.time).unwrap();
            self.check(time, "step");
        }
        self.check(
            world.step_to_collision(dt).unwrap().map_or(f64::INFINITY, |hit| hit.time),
            "first of a step",
        );
    }

    fn check_events<const D: usize>(&self) {
        let mut engine =
            Engine::<D>::new(self.particles(), Enclosure::open(), EventSettings::default()).unwrap();
        let mut time = f64::INFINITY;
        let mut observer = |event: &Event<D>| {
            time = event.time;
            ControlFlow::Continue(())
        };
        engine.run_observed(Limit::until(self.horizon()), &mut observer).unwrap();
        self.check(time, "event engine");
    }

    fn check_encounter(&self) {
        let text = format!(
            "kind = \"encounter\"\nmeasure = [\"hit\", \"first_contact\"]\n[encounter]\ndimension = {}\nduration = {:?}\n\
             [encounter.a]\nradius = 0.25\nposition = {:?}\nvelocity = {:?}\n[encounter.b]\nradius = 0.75\nposition = {:?}\n",
            self.position.len(),
            self.horizon(),
            self.position,
            self.velocity,
            vec![0.0; self.position.len()],
        );
        let values = Study::from_toml(&text, None).unwrap().replay(0, 0).unwrap().values;
        assert_eq!(values[0] == 1.0, !values[1].is_nan());
        self.check(if values[0] == 1.0 { values[1] } else { f64::INFINITY }, "encounter");
    }
}

/// Distances from 1 to 10^9 radii and impact parameters that differ from R by 10^-9 to 10^-3 of it, all orders of magnitude
/// alike.
fn pairs(dim: usize, count: usize) -> impl Iterator<Item = Pair> {
    let mut random = Random(dim as u64);
    (0..count)
        .map(move |_| {
            let ratio = 10.0_f64.powf(random.real(0.1, 9.0));
            let closeness = 10.0_f64.powf(random.real(-9.0, -3.0));
            Pair::new(dim, &mut random, ratio, closeness)
        })
        .filter(|pair| !pair.is_open())
}

#[test]
fn worlds_decide_close_calls_in_any_dimension() {
    for dim in [1, 2, 3, 5] {
        let mut hits = 0;
        for pair in pairs(dim, 1000) {
            pair.check_world();
            hits += usize::from(pair.exact_time().is_some());
        }
        assert!(hits > 300 && (dim == 1 || hits < 700), "{hits} of the pairs in {dim} dimensions touch");
    }
}

#[test]
fn event_engines_decide_close_calls() {
    pairs(1, 300).for_each(|pair| pair.check_events::<1>());
    pairs(2, 500).for_each(|pair| pair.check_events::<2>());
    pairs(3, 500).for_each(|pair| pair.check_events::<3>());
}

#[test]
fn encounters_decide_close_calls() {
    pairs(2, 300).chain(pairs(3, 300)).for_each(|pair| pair.check_encounter());
}

/// A pair of particles with any masses and velocities, and the restitution.
fn collision(dim: usize, seed: u64) -> (World, f64) {
    let mut random = Random(seed);
    let mut world = World::new(dim).unwrap();
    let restitution = if random.chance(0.5) { 1.0 } else { random.real(0.0, 1.0) };
    world.set_settings(Settings::default().with_restitution(restitution)).unwrap();
    for _ in 0..2 {
        let mass = 10.0_f64.powf(random.real(-3.0, 3.0));
        let particle = Particle::sphere(&random.vector(dim, -1.0, 1.0), 0.5).with_mass(mass);
        world.particles_mut().add(&particle.with_velocity(&random.vector(dim, -1.0, 1.0))).unwrap();
    }
    (world, restitution)
}

fn vector(world: &World, field: Field, index: usize) -> Vec<f64> {
    let dim = world.particles().dim();
    (0..dim).map(|axis| world.particles().column(field, axis).unwrap()[index]).collect()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn responses_keep_momentum_and_energy(dim in prop::sample::select(vec![1, 2, 3, 5]), seed in any::<u64>()) {
        let (mut world, restitution) = collision(dim, seed);
        let line = minus(&vector(&world, Field::Position, 0), &vector(&world, Field::Position, 1));
        let relative = |world: &World| minus(&vector(world, Field::Velocity, 0), &vector(world, Field::Velocity, 1));
        let (momentum, energy, before) = (world.momentum(), world.kinetic_energy(), relative(&world));
        let scale: f64 = (0..2)
            .map(|i| world.particles().get(i).unwrap().mass * product(&[1.0; 5][..dim], &[2.0; 5][..dim]))
            .sum();
        let response = world.collide(0, 1).unwrap();
        let after = relative(&world);
        prop_assert_eq!(response.is_some(), product(&line, &before) < 0.0);
        for (now, then) in world.momentum().iter().zip(&momentum) {
            prop_assert!((now - then).abs() <= 1e-14 * scale, "momentum {} was {}", now, then);
        }
        if response.is_some() {
            let (was, is) = (product(&line, &before), product(&line, &after));
            prop_assert!((is + restitution * was).abs() <= 1e-13, "rebound {} after {}", is, was);
        }
        let lost = energy - world.kinetic_energy();
        let elastic = response.is_none() || restitution == 1.0;
        prop_assert!(lost >= -1e-14 * scale && (!elastic || lost <= 1e-14 * scale), "energy lost {}", lost);
    }

    /// The same times and velocities, to the bit, whichever of the two comes first.
    #[test]
    fn exchange_changes_nothing(dim in prop::sample::select(vec![1, 2, 3, 5]), seed in any::<u64>()) {
        let (mut one, _) = collision(dim, seed);
        let mut two = World::new(dim).unwrap();
        two.set_settings(*one.settings()).unwrap();
        for index in [1, 0] {
            two.particles_mut().add(&one.particles().get(index).unwrap()).unwrap();
        }
        prop_assert_eq!(one.time_to_collision(0, 1, 10.0).unwrap(), two.time_to_collision(0, 1, 10.0).unwrap());
        let impulses = [&mut one, &mut two].map(|world| world.collide(0, 1).unwrap().map_or(0.0, |done| done.impulse));
        prop_assert!((impulses[0] - impulses[1]).abs() <= 4.0 * f64::EPSILON * impulses[0], "{:?}", impulses);
        for index in [0, 1] {
            prop_assert_eq!(vector(&one, Field::Velocity, index), vector(&two, Field::Velocity, 1 - index));
        }
    }
}
