//! Elastic restitution: impacts that bounce, one after the other in the order of time, before the substeps.
//!
//! A soft solver with substeps lets impulses of one step act at once and loses what a chain of impacts should pass on. Here
//! the contacts that will bounce within the step are resolved like the events of an event-driven run, at the time at which
//! they touch and with the velocities that the bodies then have: energy is that of the impact at its height, and a row of
//! touching balls passes a velocity on exactly (docs/methods/rigid2d.md, section 5).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::growth::bytes_of;
use super::pairs::flag;
use super::prepare::Contact;
use super::tile::{Step, Tile};
use crate::geometry::Vec2;
use crate::soa::block::Real;

/// Impacts of one contact in a step, at most.
const MOST_IMPACTS: u32 = 32;

/// Speed below which nothing bounces, in parts of what the forces add to the velocity in a step.
const RESTING: f64 = 2.0;

/// Memory of the restitution pass.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bounces {
    /// Slots of contacts that may bounce.
    slots: Vec<u32>,
    contacts: Vec<Bouncing>,
    /// Pairs of a body and one of its bouncing contacts, sorted.
    of_bodies: Vec<[u32; 2]>,
    /// Time in bits, contact and its version; the earliest first.
    queue: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// Per body, the way it does not go because its velocity changes only at the time of its impacts; in metres and radians.
    late: Vec<[f64; 3]>,
    /// Per body, the change of its velocity by its impacts, in metres and radians per second.
    jumps: Vec<[f64; 3]>,
    /// Per body, whether it has a contact that may bounce.
    elastic: Vec<bool>,
}

impl Bounces {
    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let queue = self.queue.capacity() * size_of::<Reverse<(u64, u32, u32)>>();
        let motions = [&self.late, &self.jumps].map(bytes_of);
        bytes_of(&self.slots)
            + bytes_of(&self.contacts)
            + bytes_of(&self.of_bodies)
            + queue
            + motions.iter().sum::<usize>()
            + bytes_of(&self.elastic)
    }

    /// What the impacts of a body take from its displacement, and by how much they change its velocity.
    #[inline(always)]
    pub(crate) fn of(&self, body: usize) -> [[f64; 3]; 2] {
        if self.late.is_empty() { [[0.0; 3]; 2] } else { [self.late[body], self.jumps[body]] }
    }

    /// Whether there may be contacts that bounce in this step.
    pub(crate) fn has_impacts(&self) -> bool {
        !self.late.is_empty()
    }

    /// Whether a body has a contact that may bounce.
    #[inline(always)]
    pub(crate) fn is_elastic(&self, body: usize) -> bool {
        !self.elastic.is_empty() && self.elastic[body]
    }

    /// No body has had an impact.
    fn reset(&mut self, bodies: usize) {
        self.late.clear();
        self.jumps.clear();
        self.elastic.clear();
        if !self.contacts.is_empty() {
            self.late.resize(bodies, [0.0; 3]);
            self.jumps.resize(bodies, [0.0; 3]);
            self.elastic.resize(bodies, false);
        }
    }
}

/// A contact that may bounce.
#[derive(Debug, Clone)]
struct Bouncing {
    slot: u32,
    contact: Contact,
    restitution: f64,
    /// Relative acceleration along the normal, in metres per second squared.
    acceleration: f64,
    /// Speed that counts as an impact, in metres per second.
    least_speed: f64,
    /// How often the velocities of its bodies have changed.
    version: u32,
    /// How often it was resolved.
    impacts: u32,
}

impl<R: Real> Tile<R> {
    /// Resolves the impacts of the step.
    pub(crate) fn bounce(&mut self, step: &Step<'_, R>) {
        self.find_bouncing(step);
        self.bounces.reset(step.bodies.len());
        if self.bounces.contacts.is_empty() {
            return;
        }
        self.index_bouncing();
        for n in 0..self.bounces.contacts.len() {
            self.predict(n, step, 0.0);
        }
        while let Some(Reverse((time, n, version))) = self.bounces.queue.pop() {
            if self.bounces.contacts[n as usize].version != version {
                continue;
            }
            self.bounces.contacts[n as usize].impacts += 1;
            self.resolve(n as usize, step, f64::from_bits(time));
            self.predict_neighbours(n as usize, step, f64::from_bits(time));
        }
        self.bounces.queue.clear();
    }

    fn find_bouncing(&mut self, step: &Step<'_, R>) {
        self.bounces.contacts.clear();
        if self.pairs.elastic == 0 {
            return;
        }
        let mut slots = std::mem::take(&mut self.bounces.slots);
        slots.clear();
        for (slot, head) in self.pairs.heads.iter().enumerate() {
            if head.flags & flag::SOLVED != 0 && head.restitution > 0.0 {
                slots.push(slot as u32);
            }
        }
        // The order decides between impacts at the same time, so it is that of the shapes.
        slots.sort_unstable_by_key(|&slot| self.pairs.key(slot));
        for &slot in &slots {
            let slot = slot as usize;
            let contact = self.contact(step, slot);
            let [a, b] = contact.bodies.map(|body| self.accelerate(step, body as usize));
            let relative = Vec2::new(b[0] - a[0], b[1] - a[1]);
            // Not the relative one, which is 0 of bodies that rest on each other.
            let [of_a, of_b] = [a, b].map(|[x, y, _]| Vec2::new(x, y).length());
            let by_forces = RESTING * of_a.max(of_b) * step.dt;
            self.bounces.contacts.push(Bouncing {
                slot: slot as u32,
                acceleration: relative.dot(contact.normal),
                least_speed: step.settings.bounce_speed.unwrap_or(by_forces),
                restitution: contact.restitution,
                contact,
                version: 0,
                impacts: 0,
            });
        }
        self.bounces.slots = slots;
    }

    fn index_bouncing(&mut self) {
        let Bounces { contacts, of_bodies, elastic, .. } = &mut self.bounces;
        of_bodies.clear();
        for (n, bouncing) in contacts.iter().enumerate() {
            of_bodies.extend(bouncing.contact.bodies.map(|body| [body, n as u32]));
            bouncing.contact.bodies.iter().for_each(|&body| elastic[body as usize] = true);
        }
        of_bodies.sort_unstable();
    }

    /// Puts the next impact of a contact into the queue, if there is one in this step, not before `now`.
    fn predict(&mut self, n: usize, step: &Step<'_, R>, now: f64) {
        // The last relaxation of the step anticipates one substep more.
        let horizon = step.dt + step.dt / step.settings.parts();
        let Some(time) = self.time_of_impact(&self.bounces.contacts[n], now, horizon) else { return };
        let version = self.bounces.contacts[n].version;
        self.bounces.queue.push(Reverse((time.to_bits(), n as u32, version)));
    }

    /// Predicts anew for all contacts of the bodies of one that was resolved.
    fn predict_neighbours(&mut self, n: usize, step: &Step<'_, R>, now: f64) {
        for body in self.bounces.contacts[n].contact.bodies {
            if step.bodies.inverse_mass[body as usize] == 0.0 {
                continue;
            }
            let first = self.bounces.of_bodies.partition_point(|entry| entry[0] < body);
            let mut at = first;
            while let Some(&[_, other]) = self.bounces.of_bodies.get(at).filter(|entry| entry[0] == body) {
                self.bounces.contacts[other as usize].version += 1;
                self.predict(other as usize, step, now);
                at += 1;
            }
        }
    }

    /// When the first of the points that approach fast enough touches, in seconds from the start of the step.
    fn time_of_impact(&self, bouncing: &Bouncing, now: f64, horizon: f64) -> Option<f64> {
        if bouncing.impacts >= MOST_IMPACTS {
            return None;
        }
        let mut earliest = None;
        for point in 0..bouncing.contact.count {
            let Some((time, speed)) = self.touch(bouncing, point, now) else { continue };
            if time <= horizon
                && speed > bouncing.least_speed
                && earliest.is_none_or(|earlier| time < earlier)
            {
                earliest = Some(time);
            }
        }
        earliest
    }

    /// When a point touches, not before `now`, and with which speed; none if it does not come closer.
    fn touch(&self, bouncing: &Bouncing, point: usize, now: f64) -> Option<(f64, f64)> {
        let velocity = self.normal_velocity(&bouncing.contact, point) + bouncing.acceleration * now;
        if velocity >= 0.0 {
            return None;
        }
        let gap = self.gap(bouncing, point, now);
        let square = velocity * velocity - 2.0 * bouncing.acceleration * gap;
        // A relative acceleration that keeps them apart.
        if square < 0.0 {
            return None;
        }
        let speed = square.sqrt();
        // The root of gap + velocity t + acceleration t^2 / 2 in the form that does not cancel.
        Some((now + 2.0 * gap / (speed - velocity), speed))
    }

    /// Separation of a point at a time, in metres.
    fn gap(&self, bouncing: &Bouncing, point: usize, time: f64) -> f64 {
        let start = self.normal_velocity(&bouncing.contact, point);
        let way = (start + 0.5 * bouncing.acceleration * time) * time;
        (bouncing.contact.points[point].0 + way).max(0.0)
    }

    /// The velocity along the normal, at the start of the step, with which a point has bounced at this time. What touches only
    /// after the step bounces at its end, with the velocity that it has at its height after the impact.
    fn rebound(&self, bouncing: &Bouncing, point: usize, time: f64) -> Option<f64> {
        let (_, speed) = self.touch(bouncing, point, time)?;
        let gap = self.gap(bouncing, point, time);
        let away = bouncing.restitution * speed;
        let there = (away * away + 2.0 * bouncing.acceleration * gap).max(0.0).sqrt();
        Some(there - bouncing.acceleration * time)
    }

    /// Velocity of a point of the second body relative to the first along the normal at the start of the step, as if what has
    /// been resolved had happened before it; negative if they approach.
    fn normal_velocity(&self, contact: &Contact, point: usize) -> f64 {
        let [a, b] = contact.bodies.map(|body| self.states.get(body as usize).velocity);
        let (_, arm_a, arm_b) = contact.points[point];
        let relative = Vec2::new(b[0] - a[0], b[1] - a[1]);
        relative.dot(contact.normal)
            + (b[2] * arm_b.cross(contact.normal) - a[2] * arm_a.cross(contact.normal))
    }

    /// Changes the velocities by an impact at this time. Until then bodies move as before: what the change of velocity would
    /// have moved them is taken back at the end of the step.
    fn resolve(&mut self, n: usize, step: &Step<'_, R>, time: f64) {
        let bouncing = self.bounces.contacts[n].clone();
        let contact = &bouncing.contact;
        let time = time.min(step.dt);
        let changes = [0, 1].map(|point| {
            let aim = (point < contact.count).then(|| self.rebound(&bouncing, point, time)).flatten();
            aim.map(|aim| aim - self.normal_velocity(contact, point))
        });
        let before = contact.bodies.map(|body| self.states.get(body as usize).velocity);
        let impulses = contact.impulses_for(step, changes);
        for (point, &impulse) in impulses.iter().enumerate().take(contact.count) {
            self.push_apart(step, contact, contact.points[point], contact.normal * impulse);
        }
        let total = impulses[0] + impulses[1];
        let middle = contact.middle();
        let slip = self.tangent_velocity(contact, middle);
        let most = contact.friction * total;
        let wanted =
            (contact.surface - slip) / contact.inverse_mass(step, middle, contact.normal.perpendicular());
        let friction = wanted.clamp(-most, most);
        self.push_apart(step, contact, middle, contact.normal.perpendicular() * friction);
        self.totals.add(bouncing.slot, [impulses[0], impulses[1], friction]);
        for (body, before) in contact.bodies.into_iter().zip(before) {
            let after = self.states.get(body as usize).velocity;
            for axis in 0..3 {
                self.bounces.late[body as usize][axis] += (after[axis] - before[axis]) * time;
                self.bounces.jumps[body as usize][axis] += after[axis] - before[axis];
            }
        }
    }

    fn tangent_velocity(&self, contact: &Contact, (_, arm_a, arm_b): (f64, Vec2, Vec2)) -> f64 {
        let [a, b] = contact.bodies.map(|body| self.states.get(body as usize).velocity);
        let tangent = contact.normal.perpendicular();
        let relative = Vec2::new(b[0] - a[0], b[1] - a[1]);
        relative.dot(tangent) + (b[2] * arm_b.cross(tangent) - a[2] * arm_a.cross(tangent))
    }

    /// Applies an impulse to the second body at a point, and the opposite one to the first.
    fn push_apart(
        &mut self,
        step: &Step<'_, R>,
        contact: &Contact,
        (_, arm_a, arm_b): (f64, Vec2, Vec2),
        impulse: Vec2,
    ) {
        let mut push = |body: u32, arm: Vec2, impulse: Vec2| {
            let (m, i) = (step.bodies.inverse_mass[body as usize], step.bodies.inverse_moment[body as usize]);
            if m > 0.0 || i > 0.0 {
                self.states.push(body as usize, [m * impulse.x, m * impulse.y, i * arm.cross(impulse)]);
            }
        };
        push(contact.bodies[0], arm_a, -impulse);
        push(contact.bodies[1], arm_b, impulse);
    }
}

impl Contact {
    /// The point between all points.
    fn middle(&self) -> (f64, Vec2, Vec2) {
        let [first, second] = [self.points[0], self.points[self.count - 1]];
        (0.0, (first.1 + second.1) * 0.5, (first.2 + second.2) * 0.5)
    }

    /// How an impulse along a direction at a point changes the relative velocity there, in 1/kg.
    fn inverse_mass<R: Real>(
        &self,
        step: &Step<'_, R>,
        (_, arm_a, arm_b): (f64, Vec2, Vec2),
        direction: Vec2,
    ) -> f64 {
        self.coupling(step, (0.0, arm_a, arm_b), (0.0, arm_a, arm_b), direction)
    }

    /// How an impulse along a direction at one point changes the relative velocity along it at another, in 1/kg.
    fn coupling<R: Real>(
        &self,
        step: &Step<'_, R>,
        from: (f64, Vec2, Vec2),
        to: (f64, Vec2, Vec2),
        direction: Vec2,
    ) -> f64 {
        let [a, b] = self.bodies.map(|body| body as usize);
        let turn = |body: usize, from: Vec2, to: Vec2| {
            step.bodies.inverse_moment[body] * (from.cross(direction) * to.cross(direction))
        };
        (step.bodies.inverse_mass[a] + step.bodies.inverse_mass[b])
            + (turn(a, from.1, to.1) + turn(b, from.2, to.2))
    }

    /// The impulses, at least 0, that change the velocities of the points along the normal by these amounts; a point without
    /// one takes no part.
    fn impulses_for<R: Real>(&self, step: &Step<'_, R>, changes: [Option<f64>; 2]) -> [f64; 2] {
        let k = |from: usize, to: usize| self.coupling(step, self.points[from], self.points[to], self.normal);
        let alone = |point: usize, change: f64| (change / k(point, point)).max(0.0);
        match changes {
            [None, None] => [0.0; 2],
            [Some(change), None] => [alone(0, change), 0.0],
            [None, Some(change)] => [0.0, alone(1, change)],
            [Some(first), Some(second)] => {
                let [k11, k12, k22] = [k(0, 0), k(0, 1), k(1, 1)];
                let determinant = k11 * k22 - k12 * k12;
                let both =
                    [(k22 * first - k12 * second) / determinant, (k11 * second - k12 * first) / determinant];
                // Points on top of each other are one point.
                if determinant > 1e-9 * (k11 * k22) && both[0] >= 0.0 && both[1] >= 0.0 {
                    both
                } else if first / k11 >= second / k22 {
                    [alone(0, first), 0.0]
                } else {
                    [0.0, alone(1, second)]
                }
            }
        }
    }
}
