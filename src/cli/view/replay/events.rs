//! A run from collision to collision: its start, and the velocities after each collision.

use carom::events::EventKind;
use carom::simulation::Impact;
use carom::{Error, Field, Particles};
use data_encoding::BASE64;
use serde_json::{Value, json};

/// Most collisions that a page keeps.
const MOST: usize = 1_000_000;
/// Marks a face in the place of a second ball.
const WALL: u32 = 0x8000_0000;

/// The collisions of a run.
pub(super) struct Events {
    gravity: f64,
    start: Option<StartState>,
    time: Vec<f64>,
    first: Vec<u32>,
    second: Vec<u32>,
    /// Velocities after a collision, one number per axis.
    after: [Vec<f64>; 2],
}

/// Balls at the start, and their velocities after their last collisions.
struct StartState {
    dim: usize,
    positions: Vec<f64>,
    velocities: Vec<f64>,
    masses: Vec<f64>,
    fixed: Vec<bool>,
    /// Of the last collision.
    velocity: Vec<f64>,
    since: Vec<f64>,
}

impl Events {
    pub(super) fn new(gravity: f64) -> Self {
        Self {
            gravity,
            start: None,
            time: Vec::new(),
            first: Vec::new(),
            second: Vec::new(),
            after: Default::default(),
        }
    }

    /// Takes the first state, and no other.
    pub(super) fn begin(&mut self, particles: &Particles, time: f64) -> carom::Result<()> {
        if self.start.is_some() {
            return Ok(());
        }
        let rows = 0..particles.len();
        let positions = particles.values(Field::Position, rows.clone())?;
        let velocities = particles.values(Field::Velocity, rows.clone())?;
        self.start = Some(StartState {
            dim: particles.dim(),
            velocity: velocities.clone(),
            positions,
            velocities,
            masses: particles.column(Field::Mass, 0)?.to_vec(),
            fixed: particles.fixed_flags().iter().map(|flag| *flag != 0).collect(),
            since: vec![time; rows.len()],
        });
        Ok(())
    }

    pub(super) fn add(&mut self, impact: &Impact<'_>) -> carom::Result<()> {
        if self.time.len() == MOST {
            let expected = "at most 1,000,000 in a page: shorten the run with --until or --collisions";
            return Err(Error::OutOfRange { field: "collisions", value: MOST as f64 + 1.0, expected });
        }
        let Some(start) = &mut self.start else { return Ok(()) };
        let is_wall = impact.kind == EventKind::Wall;
        self.time.push(impact.time);
        self.first.push(impact.first as u32);
        self.second.push(if is_wall { WALL + impact.second as u32 } else { impact.second as u32 });
        self.after[0].extend(start.turn(impact.first, impact, 1.0, self.gravity));
        if is_wall {
            self.after[1].extend(std::iter::repeat_n(0.0, start.dim));
        } else {
            self.after[1].extend(start.turn(impact.second, impact, -1.0, self.gravity));
        }
        Ok(())
    }

    pub(super) fn encode(&self, dim: usize) -> Value {
        let none = StartState::empty(dim);
        let start = self.start.as_ref().unwrap_or(&none);
        let numbers = |columns: &[&[f64]]| -> Vec<u8> {
            columns.iter().flat_map(|column| column.iter().flat_map(|x| x.to_le_bytes())).collect()
        };
        let words = |column: &[u32]| -> Vec<u8> { column.iter().flat_map(|x| x.to_le_bytes()).collect() };
        let data = [
            numbers(&[&self.time]),
            words(&self.first),
            words(&self.second),
            numbers(&[&self.after[0], &self.after[1]]),
        ];
        json!({
            "count": self.time.len(), "start": BASE64.encode(&numbers(&[&start.positions, &start.velocities])),
            "data": BASE64.encode(&data.concat()),
        })
    }
}

impl StartState {
    fn empty(dim: usize) -> Self {
        Self {
            dim,
            positions: Vec::new(),
            velocities: Vec::new(),
            masses: Vec::new(),
            fixed: Vec::new(),
            velocity: Vec::new(),
            since: Vec::new(),
        }
    }

    /// The velocity of a ball after a collision, which it has from now on: v + J n / m, with the fall since the last one.
    fn turn(&mut self, ball: usize, impact: &Impact<'_>, sign: f64, gravity: f64) -> Vec<f64> {
        let place = ball * self.dim..(ball + 1) * self.dim;
        let velocity = &mut self.velocity[place];
        if !self.fixed[ball] {
            if let Some(falling) = velocity.get_mut(1) {
                *falling -= gravity * (impact.time - self.since[ball]);
            }
            let change = sign * impact.impulse / self.masses[ball];
            velocity.iter_mut().zip(impact.normal).for_each(|(v, n)| *v += change * n);
        }
        self.since[ball] = impact.time;
        velocity.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom::events::scenes::Scene;
    use carom::simulation::{Limit, Simulation};
    use std::ops::ControlFlow;

    /// Places and velocities that a page computes at a time.
    fn played(events: &Events, time: f64, gravity: f64) -> Vec<[f64; 2]> {
        let start = events.start.as_ref().unwrap();
        let dim = start.dim;
        let (mut place, mut velocity) = (start.positions.clone(), start.velocities.clone());
        let mut since = vec![0.0; start.masses.len()];
        let fly = |ball: usize, until: f64, since: f64, place: &mut [f64], velocity: &[f64]| {
            for axis in 0..dim {
                let (at, gone) = (ball * dim + axis, until - since);
                place[at] += velocity[at] * gone;
                if axis == 1 && !start.fixed[ball] {
                    place[at] -= 0.5 * gravity * gone * gone;
                }
            }
        };
        for (n, &at) in events.time.iter().enumerate().take_while(|(_, at)| **at <= time) {
            let pairs = [(events.first[n], 0), (events.second[n], 1)];
            for (ball, which) in pairs.into_iter().filter(|(ball, _)| *ball < WALL) {
                let ball = ball as usize;
                fly(ball, at, since[ball], &mut place, &velocity);
                velocity[ball * dim..(ball + 1) * dim]
                    .copy_from_slice(&events.after[which][n * dim..(n + 1) * dim]);
                since[ball] = at;
            }
        }
        (0..start.masses.len()).for_each(|ball| fly(ball, time, since[ball], &mut place, &velocity));
        place.chunks_exact(2).map(|place| [place[0], place[1]]).collect()
    }

    fn compare(mut scene: Scene, gravity: f64, until: f64) {
        scene.settings = scene.settings.with_down_gravity(gravity).with_restitution(0.9);
        let mut engine = scene.engine().unwrap();
        let mut events = Events::new(gravity);
        events.begin(engine.synchronise(), 0.0).unwrap();
        let mut watch = |impact: &Impact<'_>| {
            events.add(impact).unwrap();
            ControlFlow::Continue(())
        };
        engine.advance(Limit::until(until), &mut watch).unwrap();
        assert!(events.time.len() > 20);
        let places = played(&events, until, gravity);
        for (ball, place) in places.iter().enumerate() {
            let exact = engine.synchronise().value(Field::Position, ball).unwrap();
            assert!((place[0] - exact[0]).abs() < 1e-9 && (place[1] - exact[1]).abs() < 1e-9, "ball {ball}");
        }
        let json = events.encode(2);
        assert_eq!(json["count"], events.time.len());
        let bytes = BASE64.decode(json["data"].as_str().unwrap().as_bytes()).unwrap();
        assert_eq!(bytes.len(), events.time.len() * (8 + 4 + 4 + 16 + 16));
    }

    #[test]
    fn places_follow_from_the_events() {
        compare(Scene::named("billiard-break").unwrap(), 0.0, 2.0);
        compare(Scene::named("billiard-break").unwrap(), 9.81, 1.5);
    }
}
