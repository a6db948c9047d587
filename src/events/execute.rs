//! One collision of an event-driven run, from the queue to the next prediction.
//!
//! [`Run`] repeats five steps: take the next event from the queue
//! ([`next_event`](EngineState::next_event)), advance the clock to it, change the velocities (`collide` or `bounce`),
//! predict the next events of the particles that took part, and schedule them
//! ([`reschedule`](EngineState::reschedule)). Other particles keep flying in their [`FlightState`], which holds until
//! their own next event.
//!
//! [`FlightState`]: super::state::flight_state::FlightState

use std::ops::ControlFlow;

use super::engine::{Limit, Stop};
use super::event::{Event, EventKind};
use super::schedule::{NeighbourUpdate, TargetKind};
use super::state::accumulators;
use super::state::{CollapseDetector, EngineState};
use crate::contact::{Impact, Inertia, approach_speed, respond};
use crate::error::{Error, Result};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// The latest world time, in seconds, that an event can have.
pub(super) const LATEST_TIME: f64 = f64::MAX;

/// The collision that comes next: its time within the epoch, a particle, and with what it collides.
#[derive(Debug, Clone, Copy)]
struct NextEvent {
    time: f64,
    row: usize,
    target: TargetKind,
}

/// Runs from collision to collision up to the limit, at one level of instructions.
pub(super) struct Run<'a, F, const D: usize> {
    pub(super) state: &'a mut EngineState<D>,
    pub(super) limit: Limit,
    /// Called after each collision.
    pub(super) observer: F,
}

impl<F: FnMut(&Event<D>) -> ControlFlow<()>, const D: usize> Kernel for Run<'_, F, D> {
    type Output = Result<Stop>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Result<Stop> {
        let Self { state, limit, mut observer } = self;
        for _ in 0..limit.collisions {
            let Some(next) = state.next_event::<S>(limit.time.min(LATEST_TIME)) else {
                return Ok(state.idle_until(limit.time));
            };
            let event = state.execute::<S>(next)?;
            if observer(&event).is_break() {
                return Ok(Stop::Observer);
            }
        }
        Ok(Stop::Collisions)
    }
}

/// The event of the next collision not later than this world time, which is not executed.
pub(super) struct Preview<'a, const D: usize> {
    pub(super) state: &'a mut EngineState<D>,
    pub(super) limit: f64,
}

impl<const D: usize> Kernel for Preview<'_, D> {
    type Output = Option<Event<D>>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Event<D>> {
        let next = self.state.next_event::<S>(self.limit)?;
        Some(self.state.preview(next))
    }
}

impl<const D: usize> EngineState<D> {
    /// The next collision not later than this world time. Neighbour lists are updated on the way; no collision is executed.
    #[inline(always)]
    fn next_event<S: Simd>(&mut self, limit: f64) -> Option<NextEvent> {
        loop {
            let Some(entry) = self.queue.front(&self.plans) else {
                self.queue.rebuild(&self.plans);
                self.queue.front(&self.plans)?;
                continue;
            };
            let (row, plan) = (entry.row as usize, self.plans[entry.row as usize]);
            if plan.due.to_bits() != entry.time.to_bits() {
                // The particle has been rescheduled since the entry was made.
                self.queue.pop();
                continue;
            }
            if self.clock.world_at(plan.due) > limit || self.idle.forever {
                return None;
            }
            if plan.due >= self.clock.length {
                self.begin_epoch(plan.due);
                continue;
            }
            self.prefetch();
            let target = plan.next().kind();
            let holds = match target {
                TargetKind::Ball(other) => self.flights[other].event_count() == plan.target_events,
                TargetKind::Wall(_) => true,
                TargetKind::NeighbourUpdate => false,
            };
            if holds {
                return Some(NextEvent { time: plan.due, row, target });
            }
            self.queue.pop();
            if target == TargetKind::NeighbourUpdate {
                S::call(NeighbourUpdate { state: self, row, plan });
            } else {
                // The partner has collided since this was predicted.
                self.reschedule::<S>(row, plan.due);
            }
        }
    }

    /// Executes a collision, predicts the next events of the particles that took part and schedules them.
    #[inline(always)]
    fn execute<S: Simd>(&mut self, next: NextEvent) -> Result<Event<D>> {
        let now = next.time;
        self.clock.advance_to_collision(now);
        self.idle.updates = 0;
        self.queue.pop();
        let (event, second) = match next.target {
            TargetKind::Ball(other) => {
                let rows = [next.row.min(other), next.row.max(other)];
                let event = self.collide::<S>(rows, now);
                self.reschedule_pair::<S>(rows, now);
                (event, rows[1])
            }
            TargetKind::Wall(face) => {
                let event = self.bounce::<S>(next.row, face, now);
                self.reschedule::<S>(next.row, now);
                (event, next.row)
            }
            TargetKind::NeighbourUpdate => unreachable!("a neighbour update is no collision"),
        };
        let window = CollapseDetector::window(&self.clock, &self.settings);
        if self.collapse.detects(now, window, [event.first, second], self.settings.max_rate) {
            return Err(Error::Collapse { time: self.clock.world, first: event.first, second });
        }
        Ok(event)
    }

    /// The event of the next collision; the state does not change.
    fn preview(&self, next: NextEvent) -> Event<D> {
        match next.target {
            TargetKind::Ball(other) => {
                let rows = [next.row.min(other), next.row.max(other)];
                self.resolve_contact(rows, next.time).0
            }
            TargetKind::Wall(face) => self.resolve_wall_contact(next.row, face, next.time).0,
            TargetKind::NeighbourUpdate => unreachable!("a neighbour update is no collision"),
        }
    }

    /// No collision comes up to this world time.
    fn idle_until(&mut self, time: f64) -> Stop {
        if time == f64::INFINITY {
            return Stop::Idle;
        }
        self.clock.world = self.clock.world.max(time);
        Stop::Time
    }

    /// Two particles collide at `time`.
    #[inline(always)]
    fn collide<S: Simd>(&mut self, rows: [usize; 2], time: f64) -> Event<D> {
        let (event, velocities, impact) = self.resolve_contact(rows, time);
        self.accumulators.collisions += 1;
        self.accumulators.virial += impact.impulse * impact.distance;
        self.accumulators.dissipated += impact.dissipated;
        let [first, second] = rows;
        let fixed = [self.flights[first].is_fixed(), self.flights[second].is_fixed()];
        if !fixed[0] {
            self.end_free_flight::<S>(first, time, velocities[0]);
        }
        if !fixed[1] {
            self.end_free_flight::<S>(second, time, velocities[1]);
        }
        if fixed[0] || fixed[1] {
            let sign = if fixed[1] { 1.0 } else { -1.0 };
            for k in 0..D {
                self.accumulators.outside_impulse[k] += sign * event.impulse * event.normal[k];
            }
        }
        event
    }

    /// The contact of two particles at `time`: the event, their velocities after it, and impulse and energy loss.
    #[inline(always)]
    fn resolve_contact(&self, rows: [usize; 2], time: f64) -> (Event<D>, [[f64; D]; 2], Impact) {
        let (first, second) = (&self.flights[rows[0]], &self.flights[rows[1]]);
        let (first_position, mut first_velocity) = first.at::<D>(time, self.domain.down_gravity);
        let (second_position, mut second_velocity) = second.at::<D>(time, self.domain.down_gravity);
        let mut line = [0.0; D];
        for k in 0..D {
            let distance = first_position[k] - second_position[k];
            line[k] = distance - self.domain.image_shift(k, distance);
        }
        let inertias = [
            Inertia { mass: self.mass(rows[0]), fixed: first.is_fixed() },
            Inertia { mass: self.mass(rows[1]), fixed: second.is_fixed() },
        ];
        let mut restitution = self.settings.restitution;
        if !self.contact.is_instant() {
            let approach = approach_speed(&line, &first_velocity, &second_velocity);
            let elapsed = time - first.last_collision().max(second.last_collision());
            restitution = self.contact.restitution(restitution, approach, elapsed);
        }
        let velocities: [&mut [f64]; 2] = [&mut first_velocity, &mut second_velocity];
        let impact = respond(&mut line, velocities, inertias, restitution);
        impact.normalise(&mut line);
        let event = Event {
            time: self.clock.world_at(time),
            kind: EventKind::Collision,
            first: rows[0],
            second: rows[1],
            impulse: impact.impulse,
            normal: line,
        };
        (event, [first_velocity, second_velocity], impact)
    }

    /// A particle bounces off a face at `time`.
    fn bounce<S: Simd>(&mut self, row: usize, face: usize, time: f64) -> Event<D> {
        let (event, velocity, lost) = self.resolve_wall_contact(row, face, time);
        self.accumulators.wall_collisions += 1;
        self.accumulators.wall_impulses[face / 2][face % 2] += event.impulse;
        self.accumulators.outside_impulse[face / 2] += event.impulse * event.normal[face / 2];
        self.accumulators.dissipated += lost;
        self.begin_flight::<S>(row, time, velocity);
        self.flights[row].position_time[face / 2] = self.domain.wall_contact(face, self.radius(row));
        event
    }

    /// The contact of a particle with a face at `time`: the event, the velocity after it and the energy lost.
    fn resolve_wall_contact(&self, row: usize, face: usize, time: f64) -> (Event<D>, [f64; D], f64) {
        let (axis, sign) = (face / 2, if face.is_multiple_of(2) { 1.0 } else { -1.0 });
        let (_, mut velocity) = self.flights[row].at::<D>(time, self.domain.down_gravity);
        let (mass, mut restitution) = (self.mass(row), self.settings.wall_restitution);
        let before = velocity[axis];
        if !self.contact.is_instant() {
            let elapsed = time - self.flights[row].last_collision();
            restitution = self.contact.restitution(restitution, -before * sign, elapsed);
        }
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

    /// A free flight ends in the collision of two particles, and the next one begins.
    #[inline(always)]
    fn end_free_flight<S: Simd>(&mut self, row: usize, time: f64, velocity: [f64; D]) {
        self.begin_flight::<S>(row, time, velocity);
        self.accumulators.free_flights += 1;
    }

    /// Advances a particle to its position at `time` and gives it a new velocity.
    #[inline(always)]
    fn begin_flight<S: Simd>(&mut self, row: usize, time: f64, velocity: [f64; D]) {
        let gravity = self.domain.down_gravity;
        let counts = self.mass(row) > 0.0;
        let flight = &mut self.flights[row];
        if counts {
            self.accumulators.path += accumulators::path_length::<D>(flight, time, gravity);
        }
        let (mut position, _) = flight.at::<D>(time, gravity);
        for (axis, x) in position.iter_mut().enumerate() {
            let shift = self.domain.wrap_shift(axis, *x);
            if shift != 0.0 {
                *x += shift;
                self.displacement_origins[row][axis] += shift;
            }
        }
        flight.restart::<S::Block, D>(time, position, velocity);
    }
}
