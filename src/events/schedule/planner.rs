//! What particles plan, and whose plan falls due next.

use crate::error::Result;
use crate::events::enclosure::Boundary;
use crate::events::neighbours::neighbour_lists::{CACHED, Crowd, Neighbours};
use crate::events::neighbours::neighbourhood::Surroundings;
use crate::events::predict::lanes::{Reach, View};
use crate::events::predict::pair::{self, Relative};
use crate::events::predict::walls;
use crate::events::schedule::plan::{Meeting, Partner, Plan};
use crate::events::schedule::queue::Entry;
use crate::events::state::domain::Space;
use crate::events::state::engine_state::Core;
use crate::events::state::flight_state::Record;
use crate::particles::{Field, Particles};
use crate::soa::lanes::{self, LANES};

/// A collision that is about to happen: its time within the epoch, a particle, and with what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pending {
    pub time: f64,
    pub row: usize,
    pub meeting: Meeting,
}

/// What spares work because it holds for all particles, or for none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traits {
    /// Radius and mass, if all have the same and can move and collide.
    alike: Option<[f64; 2]>,
    walls: bool,
    /// Whether some fall while others are fixed.
    falls_past_fixed: bool,
}

/// How long nothing but looking around has happened.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quiet {
    /// Looks since the last collision.
    pub looks: u64,
    /// Looks until neighbours are checked for their margin.
    until_tuned: u64,
    /// Nothing will ever happen again.
    forever: bool,
}

/// From so many on, asking early for cells and for the lists of those who leave is worth its instructions.
const FAR: usize = 32_768;

impl Traits {
    pub(crate) fn new<const D: usize>(particles: &Particles, space: &Space<D>) -> Self {
        let masses = particles.columns(Field::Mass)[0].as_slice();
        let fixed = particles.fixed_flags().contains(&1);
        let same = |values: &[f64]| values.iter().all(|value| value == &values[0]);
        let radii = particles.radii();
        let alike = !fixed && !masses.is_empty() && masses[0] > 0.0 && same(masses) && same(radii);
        Self {
            alike: alike.then(|| [radii[0], masses[0]]),
            walls: space.enclosure.boundaries.contains(&Boundary::Reflecting),
            falls_past_fixed: fixed && space.down_gravity != 0.0,
        }
    }
}

impl<const D: usize> Core<D> {
    #[inline(always)]
    pub(crate) fn radius(&self, row: usize) -> f64 {
        self.traits.alike.map_or_else(|| self.particles.radii()[row], |[radius, _]| radius)
    }

    #[inline(always)]
    pub(crate) fn mass(&self, row: usize) -> f64 {
        self.traits.alike.map_or_else(|| self.masses()[row], |[_, mass]| mass)
    }

    pub(crate) fn check_overlaps(&self) -> Result<()> {
        self.surroundings.check_overlaps(&self.space, Crowd::new(&self.particles, &self.records))
    }

    /// Makes all plans anew.
    pub(crate) fn plan_all(&mut self, now: f64) {
        self.records.iter_mut().for_each(Record::plan_nothing);
        if self.sees_pairs_alike() {
            self.plan_pairs();
        } else {
            self.plan_alone(now);
        }
        self.queue.restart(&self.plans);
    }

    /// Every particle plans on its own.
    pub(crate) fn plan_alone(&mut self, now: f64) {
        for row in 0..self.records.len() {
            let plan = self.next_plan(row, now);
            self.settle(row, plan);
        }
    }

    /// Plans the next event of a particle, seen from `now`, and puts it into the queue.
    pub(crate) fn look(&mut self, row: usize, now: f64) {
        let plan = self.next_plan(row, now);
        self.settle(row, plan);
        self.enqueue(row);
    }

    /// The same for two particles that have just met. Neither waits for the plan of the other.
    #[inline(always)]
    pub(crate) fn look_both(&mut self, rows: [usize; 2], now: f64) {
        let plans = [self.next_plan(rows[0], now), self.next_plan(rows[1], now)];
        for (row, plan) in rows.into_iter().zip(plans) {
            self.settle(row, plan);
            self.enqueue(row);
        }
    }

    #[inline(always)]
    fn enqueue(&mut self, row: usize) {
        let plan = &self.plans[row];
        if plan.due < f64::INFINITY {
            self.queue.push(Entry { time: plan.due, row: row as u32, partner: plan.next() });
        }
    }

    /// What a particle should plan next, seen from `now`.
    #[inline(never)]
    fn next_plan(&self, row: usize, now: f64) -> Plan {
        let plan = self.plan_bounce(row);
        if self.records[row].is_fixed() || self.mass(row) == 0.0 {
            return plan;
        }
        self.plan_meeting(row, now, plan)
    }

    /// The next wall of a particle, if there is one to meet.
    #[inline(always)]
    pub(crate) fn plan_bounce(&self, row: usize) -> Plan {
        if !self.traits.walls || self.records[row].is_fixed() {
            return Plan::NOTHING;
        }
        let (time, face) = walls::next_wall(&self.space, &self.records[row], self.radius(row));
        Plan::new(time, Partner::wall(face), 0)
    }

    /// Notes a plan. Others rely on the meeting, at which the particle plans anew whatever happens.
    #[inline(always)]
    pub(crate) fn settle(&mut self, row: usize, mut plan: Plan) {
        // In a new epoch rounding may bring a time below its start.
        (plan.due, plan.time) = (plan.due.max(0.0), plan.time.max(0.0));
        self.plans[row] = plan;
        self.records[row].plan(plan.time);
    }

    #[inline(always)]
    fn plan_meeting(&self, row: usize, now: f64, plan: Plan) -> Plan {
        match &self.surroundings {
            Surroundings::Near(near) if near.sees_images => {
                let others = near.lists.of(row).iter().map(|&other| other as usize);
                // From one side of its site to the other.
                let plan = self.meet_images(row, others, now, 2.0 * near.margin, plan);
                self.leave_site(row, near, now, plan)
            }
            Surroundings::Near(near) => {
                let plan = self.meet_neighbours(row, near.lists.blocks_of(row), now, plan);
                self.leave_site(row, near, now, plan)
            }
            Surroundings::Everyone(margin) => {
                let plan = self.meet_everyone(row, now, *margin, plan);
                let look = now + self.time_to_fly(&self.records[row], now, *margin);
                if look < plan.time { Plan { due: look, ..plan } } else { plan }
            }
        }
    }

    /// The first meeting with the neighbours in these blocks, if it comes before the plan.
    #[inline(always)]
    fn meet_neighbours(&self, row: usize, blocks: &[[u32; LANES]], now: f64, plan: Plan) -> Plan {
        if self.traits.falls_past_fixed {
            return self.meet_one_by_one(row, blocks.as_flattened(), now, plan);
        }
        let reach = match self.traits.alike {
            Some([radius, _]) => Reach::Same(radius + radius),
            None => Reach::Own(self.particles.radii()[row], self.particles.radii()),
        };
        let view = View { space: &self.space, records: &self.records, reach, now };
        view.first_meeting(row, blocks, plan)
    }

    /// As [`meet_neighbours`](Self::meet_neighbours), where some of the pairs need the quartic.
    fn meet_one_by_one(&self, row: usize, others: &[u32], now: f64, mut best: Plan) -> Plan {
        for other in others.iter().map(|&other| other as usize).filter(|&other| other != row) {
            let relative = Relative::new(&self.space, &self.records[row], &self.records[other]);
            let time = relative.nearest(&self.space, now).meeting(self.radius(row) + self.radius(other));
            best = self.earlier(row, best, other, time);
        }
        best
    }

    fn meet_everyone(&self, row: usize, now: f64, margin: f64, best: Plan) -> Plan {
        let others = (0..self.records.len()).filter(|&other| other != row && !self.is_tracer(other));
        self.meet_images(row, others, now, margin, best)
    }

    /// The first meeting with any image of some others before either has flown `margin`, if it comes before `best`.
    fn meet_images(
        &self,
        row: usize,
        others: impl Iterator<Item = usize>,
        now: f64,
        margin: f64,
        mut best: Plan,
    ) -> Plan {
        for other in others {
            let relative = Relative::new(&self.space, &self.records[row], &self.records[other]);
            let reach = self.radius(row) + self.radius(other);
            let time = if margin.is_finite() {
                pair::meeting_of_images(&self.space, relative, now, reach, margin)
            } else {
                relative.meeting(reach)
            };
            best = self.earlier(row, best, other, time);
        }
        best
    }

    fn earlier(&self, row: usize, best: Plan, other: usize, time: f64) -> Plan {
        let plan = Plan::new(time, Partner::ball(other), self.records[other].count());
        if time < f64::INFINITY && plan.precedes(&best, row) { plan } else { best }
    }

    /// Plans to look around where the particle leaves the neighbourhood of its site, if that comes first.
    #[inline(always)]
    fn leave_site(&self, row: usize, near: &Neighbours<D>, now: f64, plan: Plan) -> Plan {
        let record = &self.records[row];
        let (position, velocity) = record.at::<D>(now, self.space.down_gravity);
        let offset = near.offset(&self.space, row, position);
        if self.space.down_gravity != 0.0 {
            let flown = offset.iter().fold(0.0, |sum, e| sum + e * e).sqrt();
            let time = now + self.time_to_fly(record, now, (near.margin - flown).max(0.0));
            return if time < plan.time { Plan { due: time, ..plan } } else { plan };
        }
        let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
        for (&e, &v) in offset.iter().zip(&velocity) {
            a += v * v;
            b += e * v;
            c += e * e;
        }
        let discriminant = b * b - a * (c - near.margin * near.margin);
        // Who rests has no time at which it leaves, but NaN, which is before nothing.
        let time = now + (discriminant.max(0.0).sqrt() - b).max(0.0) / a;
        Plan { due: if time < plan.time { time } else { plan.time }, ..plan }
    }

    /// How long a particle takes at least to fly this far.
    fn time_to_fly(&self, record: &Record, now: f64, distance: f64) -> f64 {
        let (_, velocity) = record.at::<D>(now, self.space.down_gravity);
        let square = velocity.iter().fold(0.0, |sum, v| sum + v * v);
        let gained = 2.0 * self.space.down_gravity.abs() * distance;
        2.0 * distance / (square.sqrt() + (square + gained).sqrt())
    }

    /// The next collision not later than this world time. Looks around on the way, but nothing happens yet.
    #[inline(always)]
    pub(crate) fn front(&mut self, limit: f64) -> Option<Pending> {
        loop {
            let Some(entry) = self.queue.front(&self.plans) else {
                self.queue.restart(&self.plans);
                self.queue.front(&self.plans)?;
                continue;
            };
            let (row, plan) = (entry.row as usize, self.plans[entry.row as usize]);
            if plan.due.to_bits() != entry.time.to_bits() {
                self.queue.pop();
                continue;
            }
            if self.clock.world_at(plan.due) > limit || self.quiet.forever {
                return None;
            }
            if plan.due >= self.clock.length {
                self.begin_epoch(plan.due);
                continue;
            }
            self.prefetch();
            let meeting = plan.next().meeting();
            let holds = match meeting {
                Meeting::Ball(other) => self.records[other].count() == plan.count,
                Meeting::Wall(_) => true,
                Meeting::Look => false,
            };
            if holds {
                return Some(Pending { time: plan.due, row, meeting });
            }
            self.queue.pop();
            if meeting == Meeting::Look {
                self.look_around(row, plan);
            } else {
                self.look(row, plan.due);
            }
        }
    }

    /// Asks early for the memory that the next events will need.
    #[inline(always)]
    fn prefetch(&self) {
        let Surroundings::Near(near) = &self.surroundings else { return };
        if self.records.len() < CACHED {
            return;
        }
        let far = self.records.len() >= FAR;
        if let Some(entry) = self.queue.ahead(8) {
            let row = entry.row as usize;
            lanes::prefetch(&self.records, row);
            lanes::prefetch(&self.plans, row);
            near.prefetch(row);
            if let Some(other) = entry.partner.row() {
                lanes::prefetch(&self.records, other);
                lanes::prefetch(&self.plans, other);
                near.prefetch(other);
            }
        }
        if let Some(entry) = self.queue.ahead(4) {
            near.lists.prefetch(entry.row as usize);
            match entry.partner.meeting() {
                Meeting::Ball(other) => near.lists.prefetch(other),
                Meeting::Look if far => near.prefetch_cells(entry.row as usize),
                Meeting::Look | Meeting::Wall(_) => (),
            }
        }
        if let Some(entry) = self.queue.ahead(2) {
            match entry.partner.meeting() {
                Meeting::Ball(other) => {
                    self.prefetch_neighbours(near, entry.row as usize);
                    self.prefetch_neighbours(near, other);
                }
                Meeting::Wall(_) => self.prefetch_neighbours(near, entry.row as usize),
                Meeting::Look if far => near.prefetch_lists(entry.row as usize),
                Meeting::Look => (),
            }
        }
    }

    #[inline(always)]
    fn prefetch_neighbours(&self, near: &Neighbours<D>, row: usize) {
        for &other in near.lists.of(row) {
            lanes::prefetch(&self.records, other as usize);
        }
    }

    #[cold]
    fn begin_epoch(&mut self, now: f64) {
        let passed = self.clock.next_epoch(self.records.len());
        self.records.iter_mut().for_each(|record| record.place[3] -= passed);
        self.flurry.since -= passed;
        self.plan_all(now - passed);
    }

    /// Finds the neighbours of a particle anew, and plans with those that are new; about the others all is known.
    #[inline(never)]
    fn look_around(&mut self, row: usize, plan: Plan) {
        self.quiet.looks += 1;
        let now = plan.due;
        if let Surroundings::Near(near) = &mut self.surroundings {
            let (position, velocity) = self.records[row].at::<D>(now, self.space.down_gravity);
            let site = near.site_ahead(position, velocity, plan.time - now);
            near.look_around(row, site, Crowd::new(&self.particles, &self.records));
        }
        if matches!(&self.surroundings, Surroundings::Near(near) if !near.sees_images) {
            self.plan_with_newcomers(row, plan);
        } else {
            let plan = self.next_plan(row, now);
            self.settle(row, plan);
        }
        self.enqueue(row);
        if self.quiet.until_tuned == 0 {
            self.tune(now);
        }
        self.quiet.until_tuned -= 1;
    }

    #[inline(always)]
    fn plan_with_newcomers(&mut self, row: usize, plan: Plan) {
        let Surroundings::Near(near) = &self.surroundings else { return };
        let now = plan.due;
        let plan = self.meet_neighbours(row, near.newcomers(), now, Plan { due: plan.time, ..plan });
        let plan = self.leave_site(row, near, now, plan);
        self.settle(row, plan);
    }

    /// From time to time: whether the lists have the right length, and whether anything is ahead at all.
    #[cold]
    fn tune(&mut self, now: f64) {
        let rows = self.records.len() as u64;
        self.quiet.until_tuned = 8 * rows + 1000;
        if self.quiet.looks > (rows * rows / 64).max(16 * rows) {
            self.quiet.looks = 0;
            return self.look_far_ahead(now);
        }
        let Surroundings::Near(near) = &self.surroundings else { return };
        let crowd = Crowd::new(&self.particles, &self.records);
        let better = near.better_margin();
        let tuned = better.and_then(|margin| Neighbours::with_margin(&self.space, crowd, now, margin));
        if let Some(near) = tuned {
            self.surroundings = Surroundings::Near(Box::new(near));
            self.plan_all(now);
        }
    }

    /// After long silence: finds out when the next collision comes, and looks around from there. Particles that fly
    /// on side by side may need ages for it, in which the fast ones would look around again and again.
    fn look_far_ahead(&mut self, now: f64) {
        if self.space.shortest_period() < f64::INFINITY {
            self.quiet.forever = self.nothing_is_ahead(now);
            return;
        }
        let next = self.next_collision(now);
        self.quiet.forever = next == f64::INFINITY;
        if next < f64::INFINITY {
            let crowd = Crowd::new(&self.particles, &self.records);
            self.surroundings = Surroundings::new(&self.space, crowd, next);
            self.plan_all(next);
        }
    }

    /// When the next collision comes where no axis is periodic, in seconds of the epoch; infinite if never.
    fn next_collision(&self, now: f64) -> f64 {
        let next = |row: usize| {
            let bounce = self.plan_bounce(row);
            if self.is_tracer(row) || self.records[row].is_fixed() {
                return bounce.time;
            }
            self.meet_everyone(row, now, f64::INFINITY, bounce).time
        };
        (0..self.records.len()).map(next).fold(f64::INFINITY, f64::min)
    }

    /// Whether no two particles will ever meet, nor one a wall, in a periodic box. That is not always known: then false.
    fn nothing_is_ahead(&self, now: f64) -> bool {
        let rows = || 0..self.records.len();
        rows().all(|row| {
            let record = &self.records[row];
            let wall = walls::next_wall(&self.space, record, self.radius(row)).0;
            let others = || rows().filter(|&other| other != row && !self.is_tracer(other));
            let alone = self.is_tracer(row)
                || record.is_fixed()
                || others().all(|other| self.never_meet(row, other, now));
            wall == f64::INFINITY && alone
        })
    }

    /// Whether two particles that meet no wall surely never meet, nor any of their images: they rest in each other's
    /// eyes, or along an axis they stay too far apart.
    fn never_meet(&self, row: usize, other: usize, now: f64) -> bool {
        let relative = Relative::new(&self.space, &self.records[row], &self.records[other]);
        let relative = relative.nearest(&self.space, now);
        let reach = (self.radius(row) + self.radius(other)) * (1.0 + 1e-9);
        let stays_apart = |axis: usize| {
            let distance = relative.distance_at(axis, now);
            let changes = [relative.velocity_at(axis, now), relative.pull(axis)];
            let rests = changes == [0.0; 2];
            let grows = changes.iter().all(|&change| change == 0.0 || (change > 0.0) == (distance > 0.0));
            distance.abs() > reach && (rests || grows && self.space.period[axis] == 0.0)
        };
        relative.fall == 0.0 && relative.velocity == [0.0; D] || (0..D).any(stays_apart)
    }
}

#[cfg(test)]
impl<const D: usize> Core<D> {
    /// Does without lists from now on.
    pub(crate) fn look_at_everyone(&mut self) {
        self.surroundings = Surroundings::everyone(&self.space);
        self.plan_all(self.clock.now());
    }

    pub(crate) fn has_lists(&self) -> bool {
        matches!(self.surroundings, Surroundings::Near(_))
    }
}
