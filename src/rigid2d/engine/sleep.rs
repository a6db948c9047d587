//! Sleep: islands of bodies that touch each other rest together, and cost nothing until something wakes them.

use super::bodies::{BodiesMut, Kind, flag as body_flag};
use super::growth::{bytes_of, reserve_rows};
use super::islands::Islands;
use super::pairs::flag;
use super::tile::{Step, Tile};
use crate::error::Result;
use crate::soa::block::Real;
use crate::soa::memory;

/// Memory of sleep.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sleep {
    islands: Islands,
    /// Per body, what is found about its island, at the root.
    marks: Vec<bool>,
    /// Bodies whose islands are to wake.
    requests: Vec<u32>,
    /// Bodies that have lost a contact: their islands are to wake if they sleep.
    parted: Vec<u32>,
    /// Slots of contacts that are solved again.
    woken: Vec<u32>,
}

impl Sleep {
    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = [&self.requests, &self.parted, &self.woken].map(bytes_of);
        self.islands.memory_bytes() + bytes_of(&self.marks) + lists.iter().sum::<usize>()
    }

    /// Makes room for requests to wake so many bodies.
    pub(crate) fn reserve(&mut self, bodies: usize) -> Result<()> {
        reserve_rows(&mut self.requests, 2 * bodies)
    }

    /// Makes room for the bodies of so many pairs that end.
    pub(crate) fn reserve_parted(&mut self, pairs: usize) -> Result<()> {
        memory::reserve(&mut self.parted, 2 * pairs)
    }

    /// Bodies whose islands are to wake, and bodies that have lost a contact.
    pub(crate) fn waiting(&self) -> [&[u32]; 2] {
        [&self.requests, &self.parted]
    }

    /// Every body is an island.
    fn reset(&mut self, bodies: usize, mark: bool) {
        self.islands.reset(bodies);
        self.marks.clear();
        self.marks.resize(bodies, mark);
    }

    /// What is found about the island of a body.
    fn mark(&mut self, body: usize) -> &mut bool {
        let root = self.islands.root(body as u32);
        &mut self.marks[root]
    }
}

impl<R: Real> Tile<R> {
    /// Has the island of a body woken at the start of the next step.
    pub(crate) fn request_wake(&mut self, body: u32) {
        let requests = &mut self.sleep.requests;
        if requests.len() == requests.capacity() {
            // There is room for twice all bodies, so that this is seldom.
            requests.sort_unstable();
            requests.dedup();
        }
        requests.push(body);
        self.idle = None;
    }

    /// Has the island of a body that has lost a contact woken if it sleeps.
    pub(crate) fn note_parted(&mut self, bodies: [u32; 2]) {
        self.sleep.parted.extend(bodies);
        self.idle = None;
    }

    /// Wakes the islands that were asked for and those that something awake has begun to touch.
    pub(crate) fn wake_islands(&mut self, bodies: &mut BodiesMut<'_>) {
        let Sleep { requests, parted, .. } = &mut self.sleep;
        requests
            .extend(parted.drain(..).filter(|&body| bodies.flags[body as usize] & body_flag::ASLEEP != 0));
        for n in 0..self.begun.len() {
            let pair = self.pairs.heads[self.begun[n] as usize].bodies;
            let asleep = pair.map(|body| bodies.flags[body as usize] & body_flag::ASLEEP != 0);
            let moves = pair.map(|body| bodies.moves(body as usize));
            for which in 0..2 {
                if asleep[which] && !asleep[1 - which] && moves[1 - which] {
                    self.sleep.requests.push(pair[which]);
                }
            }
        }
        if self.sleep.requests.is_empty() {
            return;
        }
        self.sleep.reset(bodies.len(), false);
        for head in self.pairs.heads.iter().filter(|head| head.flags & flag::ACTIVE != 0) {
            if head.bodies.iter().all(|&body| bodies.kind(body as usize) == Kind::Dynamic) {
                self.sleep.islands.join(head.bodies);
            }
        }
        for n in 0..self.sleep.requests.len() {
            let body = self.sleep.requests[n];
            *self.sleep.mark(body as usize) = true;
        }
        self.sleep.requests.clear();
        for body in 0..bodies.len() {
            if *self.sleep.mark(body) {
                bodies.flags[body] &= !body_flag::ASLEEP;
                bodies.rest_time[body] = 0.0;
            }
        }
        self.solve_woken(bodies);
    }

    /// Contacts that touch and are not solved because their bodies slept are solved again.
    fn solve_woken(&mut self, bodies: &BodiesMut<'_>) {
        let mut woken = std::mem::take(&mut self.sleep.woken);
        woken.clear();
        for (slot, head) in self.pairs.heads.iter().enumerate() {
            let wanted = head.flags & flag::ACTIVE != 0
                && head.flags & (flag::SENSOR | flag::IGNORED | flag::SOLVED) == 0
                && head.bodies.iter().any(|&body| bodies.is_awake(body as usize));
            if wanted && !self.begun.contains(&(slot as u32)) {
                woken.push(slot as u32);
            }
        }
        woken.sort_unstable_by_key(|&slot| self.pairs.key(slot));
        self.colours.resize(bodies.len());
        for &slot in &woken {
            self.colours.add(&mut self.pairs, slot);
        }
        self.sleep.woken = woken;
    }

    /// Notes whether nothing moves any more.
    pub(crate) fn update_idle(&mut self, step: &Step<'_, R>) {
        let rests = (0..step.bodies.len()).all(|body| !step.bodies.moves(body));
        self.idle = rests.then_some(step.version);
    }

    /// Counts how long bodies have rested, and lets islands sleep whose bodies all have rested long enough.
    pub(crate) fn update_sleep(&mut self, step: &mut Step<'_, R>) {
        let Some(time) = step.settings.sleep_time else { return };
        let mut any = false;
        for body in 0..step.bodies.len() {
            any |= step.bodies.rest(body, step.settings.sleep_speed, step.dt) >= time
                && step.bodies.is_awake(body);
        }
        if !any {
            return;
        }
        let bodies = &mut step.bodies;
        self.sleep.reset(bodies.len(), true);
        for head in self.pairs.heads.iter().filter(|head| head.flags & flag::SOLVED != 0) {
            if head.flags & (flag::FIXED_FIRST | flag::FIXED_SECOND) == 0 {
                self.sleep.islands.join(head.bodies);
            }
        }
        for body in 0..bodies.len() {
            *self.sleep.mark(body) &= !bodies.is_awake(body) || bodies.rest_time[body] >= time;
        }
        self.keep_awake_on_moving_ground(bodies);
        for body in 0..bodies.len() {
            if bodies.is_awake(body) && *self.sleep.mark(body) {
                bodies.fall_asleep(body);
            }
        }
        self.forget_sleeping_contacts(bodies);
    }

    /// What touches a kinematic body that moves does not sleep.
    fn keep_awake_on_moving_ground(&mut self, bodies: &BodiesMut<'_>) {
        for n in 0..self.pairs.heads.len() {
            let head = self.pairs.heads[n];
            if head.flags & flag::SOLVED == 0 {
                continue;
            }
            for which in 0..2 {
                let (other, body) = (head.bodies[1 - which] as usize, head.bodies[which]);
                if bodies.kind(other) == Kind::Kinematic && bodies.moves(other) {
                    *self.sleep.mark(body as usize) = false;
                }
            }
        }
    }

    /// Contacts without an awake body are not solved. They keep their impulses.
    fn forget_sleeping_contacts(&mut self, bodies: &BodiesMut<'_>) {
        for slot in 0..self.pairs.slots() {
            let head = self.pairs.heads[slot];
            let rests = head.bodies.iter().all(|&body| !bodies.is_awake(body as usize));
            if head.flags & flag::SOLVED != 0 && rests {
                self.colours.remove(&mut self.pairs, slot as u32);
            }
        }
    }
}

impl BodiesMut<'_> {
    /// Whether a body is dynamic and awake.
    #[inline(always)]
    pub(crate) fn is_awake(&self, body: usize) -> bool {
        self.kind(body) == Kind::Dynamic && self.flags[body] & body_flag::ASLEEP == 0
    }

    /// Whether a body has a velocity.
    #[inline(always)]
    pub(crate) fn moves(&self, body: usize) -> bool {
        self.velocity(body) != [0.0; 3] || self.is_awake(body)
    }

    /// How long a body has rested at the end of a step, in seconds.
    #[inline(always)]
    fn rest(&mut self, body: usize, speed: f64, dt: f64) -> f64 {
        let [x, y, w] = self.velocity(body);
        let turn = w * self.extent[body];
        let rests = x * x + y * y + turn * turn < speed * speed;
        self.rest_time[body] = if rests { self.rest_time[body] + dt } else { 0.0 };
        self.rest_time[body]
    }

    fn fall_asleep(&mut self, body: usize) {
        self.flags[body] |= body_flag::ASLEEP;
        [self.velocity_x[body], self.velocity_y[body], self.angular_velocity[body]] = [0.0; 3];
    }
}
