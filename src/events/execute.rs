//! Collisions as they happen.

use super::event::{Event, EventKind};
use super::respond;
use super::schedule::plan::Meeting;
use super::schedule::planner::Pending;
use super::state::accumulators;
use super::state::collapse::Flurry;
use super::state::engine_state::Core;
use crate::error::{Error, Result};

impl<const D: usize> Core<D> {
    /// What is about to happen, as an event, with the state left as it is.
    pub(super) fn foresee(&self, pending: Pending) -> Event<D> {
        match pending.meeting {
            Meeting::Ball(other) => {
                let rows = [pending.row.min(other), pending.row.max(other)];
                self.contact(rows, pending.time).0
            }
            Meeting::Wall(face) => self.bounce(pending.row, face, pending.time).0,
            Meeting::Look => unreachable!("a look is not an event"),
        }
    }

    /// Lets the event happen, and plans anew for who took part.
    #[inline(always)]
    pub(super) fn execute(&mut self, pending: Pending) -> Result<Event<D>> {
        self.clock.world = self.clock.world_at(pending.time).max(self.clock.world);
        self.clock.events += 1;
        self.quiet.looks = 0;
        self.queue.pop();
        let (event, second) = match pending.meeting {
            Meeting::Ball(other) => {
                let rows = [pending.row.min(other), pending.row.max(other)];
                (self.collide(rows, pending.time), rows[1])
            }
            Meeting::Wall(face) => (self.hit_wall(pending.row, face, pending.time), pending.row),
            Meeting::Look => unreachable!("a look is not an event"),
        };
        let rows = [event.first, second];
        let window = Flurry::window(&self.clock, &self.settings);
        if self.flurry.collapses(pending.time, window, rows, self.settings.max_rate) {
            return Err(Error::Collapse { time: self.clock.world, first: event.first, second });
        }
        Ok(event)
    }

    /// The contact of two particles at `time`: the event, their velocities after it and what it did.
    #[inline(always)]
    fn contact(&self, rows: [usize; 2], time: f64) -> (Event<D>, [[f64; D]; 2], respond::Contact<D>) {
        let (first, second) = (&self.records[rows[0]], &self.records[rows[1]]);
        let (first_place, mut first_velocity) = first.at::<D>(time, self.space.down_gravity);
        let (second_place, mut second_velocity) = second.at::<D>(time, self.space.down_gravity);
        let mut apart = [0.0; D];
        for k in 0..D {
            let distance = first_place[k] - second_place[k];
            apart[k] = distance - self.space.image_shift(k, distance);
        }
        let partners = [
            respond::Partner { mass: self.mass(rows[0]), fixed: first.is_fixed() },
            respond::Partner { mass: self.mass(rows[1]), fixed: second.is_fixed() },
        ];
        let velocities = [&mut first_velocity, &mut second_velocity];
        let contact = respond::collide(apart, velocities, partners, self.settings.restitution);
        let event = Event {
            time: self.clock.world_at(time),
            kind: EventKind::Collision,
            first: rows[0],
            second: rows[1],
            impulse: contact.impulse,
            normal: contact.normal(),
        };
        (event, [first_velocity, second_velocity], contact)
    }

    #[inline(always)]
    fn collide(&mut self, rows: [usize; 2], time: f64) -> Event<D> {
        let (event, velocities, contact) = self.contact(rows, time);
        self.sums.collisions += 1;
        self.sums.virial += contact.impulse * contact.distance;
        self.sums.dissipated += contact.dissipated;
        let [first, second] = rows;
        let fixed = [self.records[first].is_fixed(), self.records[second].is_fixed()];
        if !fixed[0] {
            self.end_flight(first, time, velocities[0]);
        }
        if !fixed[1] {
            self.end_flight(second, time, velocities[1]);
        }
        if fixed[0] || fixed[1] {
            let sign = if fixed[1] { 1.0 } else { -1.0 };
            for k in 0..D {
                self.sums.outside_impulse[k] += sign * event.impulse * event.normal[k];
            }
        }
        // What they had planned is void, and nobody must rely on it.
        self.records[first].plan_nothing();
        self.records[second].plan_nothing();
        self.look_both(rows, time);
        event
    }

    #[inline(always)]
    fn end_flight(&mut self, row: usize, time: f64, velocity: [f64; D]) {
        self.restart(row, time, velocity);
        self.sums.flights += 1;
    }

    /// The bounce of a particle off a face at `time`: the event, its velocity after it and the energy lost.
    fn bounce(&self, row: usize, face: usize, time: f64) -> (Event<D>, [f64; D], f64) {
        let (axis, sign) = (face / 2, if face.is_multiple_of(2) { 1.0 } else { -1.0 });
        let (_, mut velocity) = self.records[row].at::<D>(time, self.space.down_gravity);
        let (mass, restitution) = (self.mass(row), self.settings.wall_restitution);
        let before = velocity[axis];
        if before * sign < 0.0 {
            velocity[axis] = -restitution * before;
        }
        let mut normal = [0.0; D];
        normal[axis] = sign;
        let event = Event {
            time: self.clock.world_at(time),
            kind: EventKind::Wall,
            first: row,
            second: face,
            impulse: mass * (velocity[axis] - before).abs(),
            normal,
        };
        (event, velocity, 0.5 * mass * (before * before - velocity[axis] * velocity[axis]))
    }

    fn hit_wall(&mut self, row: usize, face: usize, time: f64) -> Event<D> {
        let (event, velocity, lost) = self.bounce(row, face, time);
        self.sums.wall_collisions += 1;
        self.sums.wall_impulses[face / 2][face % 2] += event.impulse;
        self.sums.outside_impulse[face / 2] += event.impulse * event.normal[face / 2];
        self.sums.dissipated += lost;
        self.restart(row, time, velocity);
        self.records[row].place[face / 2] = self.space.contact_with(face, self.radius(row));
        self.look(row, time);
        event
    }

    /// Moves a particle to where it is at `time` and gives it a new velocity.
    #[inline(always)]
    fn restart(&mut self, row: usize, time: f64, velocity: [f64; D]) {
        let gravity = self.space.down_gravity;
        let counts = self.mass(row) > 0.0;
        let record = &mut self.records[row];
        if counts {
            self.sums.path += accumulators::path_length::<D>(record, time, gravity);
        }
        let (mut position, _) = record.at::<D>(time, gravity);
        for (axis, x) in position.iter_mut().enumerate() {
            let shift = self.space.wrap_shift(axis, *x);
            if shift != 0.0 {
                *x += shift;
                self.anchors[row][axis] += shift;
            }
        }
        record.restart(time, position, velocity);
    }
}
