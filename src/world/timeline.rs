//! The events of one step: particles on straight paths, turned by collisions in the order of time.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::settings::BroadPhase;
use super::stepping::Collision;
use crate::error::{Error, Result};
use crate::particles::collide::{self, Body};
use crate::particles::integrate::{self, System};
use crate::particles::ttc::{self, Paths};
use crate::particles::{Field, Particles};
use crate::soa::Context;

/// No particle.
const NONE: u32 = u32::MAX;

/// One step while it runs. Times count from the start of the step.
///
/// The columns are only read: a particle that collides gets a state of its own here, and the columns are written
/// once the whole step is known.
pub(super) struct Timeline<'a> {
    particles: &'a Particles,
    system: System<'a>,
    dt: f64,
    restitution: f64,
    dim: usize,
    /// For each particle: position on its path, velocity of the path, time of that position, reach.
    paths: Vec<f64>,
    /// How often each particle has been turned; events of earlier paths are stale.
    turns: Vec<u32>,
    /// The last partner of each particle, [`NONE`] before its first collision.
    partner: Vec<u32>,
    turned: Turned,
    queue: BinaryHeap<Reverse<Event>>,
}

/// How a step went.
pub(super) struct Run {
    /// Collisions resolved.
    pub(super) collisions: u64,
    /// Time reached, from the start of the step.
    pub(super) end: f64,
    /// Whether it stopped before its time because of the bound on collisions.
    pub(super) stopped: bool,
}

/// A predicted collision.
#[derive(Debug, Clone, Copy)]
struct Event {
    time: f64,
    pair: [u32; 2],
    turns: [u32; 2],
}

/// The states of the particles that have collided.
pub(super) struct Turned {
    dim: usize,
    /// For each particle of the world, its row in `states`, or [`NONE`].
    row: Vec<u32>,
    /// Which particle each row is.
    index: Vec<u32>,
    /// For each row: position, speed, acceleration, and the time at which they hold.
    states: Vec<f64>,
}

impl<'a> Timeline<'a> {
    pub(super) fn new(
        particles: &'a Particles,
        paths: Paths,
        system: System<'a>,
        dt: f64,
        restitution: f64,
    ) -> Result<Self> {
        let (count, dim) = (particles.len(), particles.dim());
        if count >= NONE as usize {
            let expected = "less than 2^32 for a step";
            return Err(Error::OutOfRange { field: "number of particles", value: count as f64, expected });
        }
        Ok(Self {
            particles,
            system,
            dt,
            restitution,
            dim,
            paths: path_records(&paths),
            turns: vec![0; count],
            partner: vec![NONE; count],
            turned: Turned { dim, row: vec![NONE; count], index: Vec::new(), states: Vec::new() },
            queue: BinaryHeap::new(),
        })
    }

    /// Resolves all collisions up to the end of the step, at most `limit` of them.
    pub(super) fn run(
        &mut self,
        _broad_phase: BroadPhase,
        _context: &Context,
        limit: u64,
        observer: &mut dyn FnMut(&Collision),
    ) -> Result<Run> {
        let count = self.particles.len() as u32;
        for i in 0..count {
            for j in i + 1..count {
                self.predict(i, j);
            }
        }
        let mut collisions = 0;
        while let Some(Reverse(event)) = self.queue.pop() {
            if self.is_stale(&event) {
                continue;
            }
            if collisions == limit {
                return Ok(Run { collisions, end: event.time, stopped: true });
            }
            if self.resolve(&event, observer) {
                collisions += 1;
                for i in event.pair {
                    if !self.is_fixed(i) {
                        (0..count).filter(|&j| j != i).for_each(|j| self.predict(i, j));
                    }
                }
            }
        }
        Ok(Run { collisions, end: self.dt, stopped: false })
    }

    pub(super) fn into_turned(self) -> Turned {
        self.turned
    }

    /// Queues the collision of two particles on their present paths, if they have one.
    fn predict(&mut self, i: u32, j: u32) {
        let pair = [i.min(j), i.max(j)];
        if let Some(time) = self.collision_time(pair) {
            let turns = pair.map(|k| self.turns[k as usize]);
            self.queue.push(Reverse(Event { time, pair, turns }));
        }
    }

    /// When two particles collide on their present paths. The same arithmetic for every way of finding pairs.
    fn collision_time(&self, pair: [u32; 2]) -> Option<f64> {
        let [one, two] = pair.map(|i| self.path(i));
        let dim = self.dim;
        let start = one[2 * dim].max(two[2 * dim]);
        let (one_age, two_age) = (start - one[2 * dim], start - two[2 * dim]);
        let (mut a, mut b, mut square) = (0.0, 0.0, 0.0);
        for axis in 0..dim {
            let w = one[dim + axis] - two[dim + axis];
            let d = (one[axis] + one[dim + axis] * one_age) - (two[axis] + two[dim + axis] * two_age);
            a += w * w;
            b += d * w;
            square += d * d;
        }
        let touch = one[2 * dim + 1] + two[2 * dim + 1];
        let wait = ttc::hit_time(a, b, square - touch * touch, self.dt - start);
        let time = (start + wait).min(self.dt);
        let again = time <= start && self.just_resolved(pair);
        (wait < f64::INFINITY && !again).then_some(time)
    }

    /// Whether the last collision of each of the two was with the other.
    fn just_resolved(&self, [i, j]: [u32; 2]) -> bool {
        let met = |i: u32, j: u32| self.partner[i as usize] == j || self.is_fixed(i);
        met(i, j) && met(j, i)
    }

    fn is_stale(&self, event: &Event) -> bool {
        event.pair.iter().zip(event.turns).any(|(&i, turns)| self.turns[i as usize] != turns)
    }

    fn is_fixed(&self, i: u32) -> bool {
        self.particles.fixed_flags()[i as usize] != 0
    }

    /// Moves the pair of an event to its time by the motion formula and lets it respond. Returns whether it did: its
    /// speeds may already part although its paths, which are mean velocities, approach.
    fn resolve(&mut self, event: &Event, observer: &mut dyn FnMut(&Collision)) -> bool {
        let time = event.time;
        let [one, two] = event.pair.map(|i| self.state_at(i, time));
        let (mut one_speed, mut two_speed) = (one.speed.clone(), two.speed.clone());
        let body = |i: u32, position| Body {
            position,
            mass: self.particles.columns(Field::Mass)[0].as_slice()[i as usize],
            fixed: self.is_fixed(i),
        };
        let [first, second] = event.pair;
        let response = collide::respond(
            body(first, &one.position),
            body(second, &two.position),
            &mut one_speed,
            &mut two_speed,
            self.restitution,
        );
        let Some(response) = response else { return false };
        let normal = unit(one.position.iter().zip(&two.position).map(|(a, b)| a - b).collect());
        self.turn(first, second, time, &one.position, &one_speed);
        self.turn(second, first, time, &two.position, &two_speed);
        observer(&Collision {
            time,
            first: first as usize,
            second: second as usize,
            impulse: response.impulse,
            normal: &normal,
        });
        true
    }
}

/// Position and speed of a particle at some time.
struct State {
    position: Vec<f64>,
    speed: Vec<f64>,
}

impl Timeline<'_> {
    /// Where a particle is at `time`, not before its last collision, by the motion formula.
    fn state_at(&self, i: u32, time: f64) -> State {
        let index = i as usize;
        let column = |field, axis: usize| self.particles.columns(field)[axis].as_slice()[index];
        let (mut position, mut speed) = (vec![0.0; self.dim], vec![0.0; self.dim]);
        for axis in 0..self.dim {
            let (from, at, acceleration) = match self.turned.state(i) {
                Some(state) => {
                    (state[3 * self.dim], (state[axis], state[self.dim + axis]), state[2 * self.dim + axis])
                }
                None => {
                    let speed = column(Field::Speed, axis);
                    (0.0, (column(Field::Position, axis), speed), self.acceleration(index, axis, speed))
                }
            };
            (position[axis], speed[axis]) =
                if self.is_fixed(i) { at } else { integrate::advance(at.0, at.1, acceleration, time - from) };
        }
        State { position, speed }
    }

    fn acceleration(&self, index: usize, axis: usize, speed: f64) -> f64 {
        let column = |field, axis: usize| self.particles.columns(field)[axis].as_slice()[index];
        integrate::total_acceleration(
            column(Field::Acceleration, axis),
            self.system.at(axis, index),
            column(Field::Drag, 0),
            speed,
        )
    }

    /// Puts a particle on a new path from `position` at `time`. A fixed one stays as it is.
    fn turn(&mut self, i: u32, partner: u32, time: f64, position: &[f64], speed: &[f64]) {
        if self.is_fixed(i) {
            return;
        }
        let acceleration: Vec<f64> =
            speed.iter().enumerate().map(|(axis, &s)| self.acceleration(i as usize, axis, s)).collect();
        let rest = self.dt - time;
        let dim = self.dim;
        let stride = 2 * dim + 2;
        let record = &mut self.paths[i as usize * stride..][..stride];
        record[..dim].copy_from_slice(position);
        for axis in 0..dim {
            record[dim + axis] = integrate::mean_velocity(speed[axis], acceleration[axis], rest);
        }
        record[2 * dim] = time;
        self.turned.set(i, position, speed, &acceleration, time);
        self.turns[i as usize] += 1;
        self.partner[i as usize] = partner;
    }

    fn path(&self, i: u32) -> &[f64] {
        let stride = 2 * self.dim + 2;
        &self.paths[i as usize * stride..][..stride]
    }
}

impl Turned {
    fn state(&self, i: u32) -> Option<&[f64]> {
        let row = self.row[i as usize];
        let stride = 3 * self.dim + 1;
        (row != NONE).then(|| &self.states[row as usize * stride..][..stride])
    }

    fn set(&mut self, i: u32, position: &[f64], speed: &[f64], acceleration: &[f64], time: f64) {
        let stride = 3 * self.dim + 1;
        if self.row[i as usize] == NONE {
            self.row[i as usize] = self.index.len() as u32;
            self.index.push(i);
            self.states.resize(self.states.len() + stride, 0.0);
        }
        let state = &mut self.states[self.row[i as usize] as usize * stride..][..stride];
        let (vectors, at) = state.split_at_mut(3 * self.dim);
        for (part, vector) in vectors.chunks_exact_mut(self.dim).zip([position, speed, acceleration]) {
            part.copy_from_slice(vector);
        }
        at[0] = time;
    }

    /// Writes the states into the columns, moved to `end` by the motion formula.
    pub(super) fn write(&self, particles: &mut Particles, end: f64) {
        let dim = self.dim;
        for (&i, state) in self.index.iter().zip(self.states.chunks_exact(3 * dim + 1)) {
            let moved = |axis: usize| {
                integrate::advance(
                    state[axis],
                    state[dim + axis],
                    state[2 * dim + axis],
                    end - state[3 * dim],
                )
            };
            let (position, speed): (Vec<f64>, Vec<f64>) = (0..dim).map(moved).unzip();
            particles.write_value(Field::Position, i as usize, &position);
            particles.write_value(Field::Speed, i as usize, &speed);
        }
    }
}

/// Packs paths that all start at time 0 into records.
fn path_records(paths: &Paths) -> Vec<f64> {
    let dim = paths.position.len();
    let mut records = Vec::with_capacity(paths.len() * (2 * dim + 2));
    for i in 0..paths.len() {
        records.extend(paths.position.iter().chain(paths.velocity).map(|column| column.as_slice()[i]));
        records.extend([0.0, paths.reach.as_slice()[i]]);
    }
    records
}

fn unit(mut vector: Vec<f64>) -> Vec<f64> {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

impl Event {
    fn key(&self) -> (f64, [u32; 2]) {
        (self.time, self.pair)
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((time, pair), (other_time, other_pair)) = (self.key(), other.key());
        time.total_cmp(&other_time).then(pair.cmp(&other_pair))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}
