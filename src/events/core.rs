//! The state of a run and how it goes from event to event.

use super::clock::Clock;
use super::enclosure::{Boundary, Enclosure};
use super::entry::{self, Overlaps};
use super::event::{Event, EventKind};
use super::flurry::Flurry;
use super::pair::{self, Relative};
use super::plan::{Meeting, Partner, Plan};
use super::records::Record;
use super::respond;
use super::settings::EventSettings;
use super::space::Space;
use super::sums::{self, Sums, Totals};
use super::walls;
use crate::error::{Error, Result};
use crate::particles::{Field, Particles};

/// All that a run is made of.
///
/// What happens depends on the records, the clock and the flurry alone: everything else can be made anew from them
/// without changing a bit of the future.
#[derive(Debug, Clone)]
pub(super) struct Core<const D: usize> {
    /// Masses, radii and flags; positions and speeds are those of the last write-back.
    pub particles: Particles,
    pub settings: EventSettings,
    pub space: Space<D>,
    pub records: Vec<Record>,
    /// Where each particle was when the measurements began, moved along with it through periodic faces.
    pub anchors: Vec<[f64; D]>,
    pub clock: Clock,
    pub flurry: Flurry,
    pub sums: Sums<D>,
    plans: Vec<Plan>,
    /// How far a particle may fly before it must look around again.
    margin: f64,
}

/// The part of a run that decides its future, beside particles, box and settings.
#[derive(Debug, Clone)]
pub(super) struct State<const D: usize> {
    pub records: Vec<Record>,
    pub anchors: Vec<[f64; D]>,
    pub clock: Clock,
    pub flurry: Flurry,
    pub sums: Sums<D>,
}

/// An event that is about to happen: its time within the epoch, a particle, and with what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub time: f64,
    pub row: usize,
    pub meeting: Meeting,
}

impl<const D: usize> Core<D> {
    /// Particles at their places in the columns, at this world time.
    pub(super) fn start(
        mut particles: Particles,
        enclosure: Enclosure<D>,
        settings: EventSettings,
        world: f64,
    ) -> Result<Self> {
        entry::check(&mut particles, &enclosure)?;
        settings.check(&enclosure)?;
        let space = Space::new(enclosure, &settings);
        let records = records_of::<D>(&particles);
        let clock = Clock::new(world, crossing_time(&particles, &space));
        let totals = sums::totals(&space, &records, particles.columns(Field::Mass)[0].as_slice(), 0.0);
        let anchors = records.iter().map(|record| std::array::from_fn(|k| record.place[k])).collect();
        let state =
            State { records, anchors, clock, flurry: Flurry::default(), sums: Sums::new(world, totals, 0.0) };
        let mut core = Self::resume(particles, enclosure, settings, state);
        core.check_overlaps()?;
        core.look_around();
        Ok(core)
    }

    /// A run in the middle; its plans are yet to be made by [`look_around`](Self::look_around).
    pub(super) fn resume(
        particles: Particles,
        enclosure: Enclosure<D>,
        settings: EventSettings,
        state: State<D>,
    ) -> Self {
        let space = Space::new(enclosure, &settings);
        let State { records, anchors, clock, flurry, sums } = state;
        let plans = vec![Plan::NOTHING; records.len()];
        let margin = 0.25 * space.shortest_period();
        Self { particles, settings, space, records, anchors, clock, flurry, sums, plans, margin }
    }

    pub(super) fn masses(&self) -> &[f64] {
        self.particles.columns(Field::Mass)[0].as_slice()
    }

    fn is_tracer(&self, row: usize) -> bool {
        self.masses()[row] == 0.0
    }

    /// Energies and momentum now.
    pub(super) fn totals(&self) -> Totals<D> {
        sums::totals(&self.space, &self.records, self.masses(), self.clock.now())
    }

    /// Path from the times of the records until now, of all particles that count for the mean free path.
    pub(super) fn path_since_records(&self) -> f64 {
        let now = self.clock.now();
        let counted = self.records.iter().zip(self.masses()).filter(|(_, mass)| **mass > 0.0);
        counted.map(|(record, _)| sums::path_length::<D>(record, now, self.space.down_gravity)).sum()
    }

    /// Begins all measurements anew.
    pub(super) fn reset_sums(&mut self) {
        self.sums = Sums::new(self.clock.world, self.totals(), -self.path_since_records());
        let (now, gravity) = (self.clock.now(), self.space.down_gravity);
        for (anchor, record) in self.anchors.iter_mut().zip(&self.records) {
            *anchor = record.at(now, gravity).0;
        }
    }

    /// Writes positions and speeds at the world time into the columns.
    pub(super) fn write_back(&mut self) {
        let now = self.clock.now();
        for (row, record) in self.records.iter().enumerate() {
            let (position, speed) = record.at::<D>(now, self.space.down_gravity);
            for axis in 0..D {
                let place = self.space.wrapped(axis, position[axis]);
                self.particles.write_motion(row, axis, place, speed[axis]);
            }
        }
        self.particles.forget_magnitudes();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.particles.memory_bytes()
            + self.records.capacity() * size_of::<Record>()
            + self.anchors.capacity() * size_of::<[f64; D]>()
            + self.plans.capacity() * size_of::<Plan>()
    }

    fn check_overlaps(&self) -> Result<()> {
        let mut overlaps = Overlaps::default();
        let radii = self.particles.radii();
        let collide = |row: usize| !self.is_tracer(row);
        for i in (0..self.records.len()).filter(|&row| collide(row)) {
            if 2.0 * radii[i] > self.space.shortest_period() * (1.0 + 1e-12) {
                overlaps.add(i, i);
            }
            for j in (i + 1..self.records.len()).filter(|&row| collide(row)) {
                let (first, second) = (&self.records[i], &self.records[j]);
                if first.is_fixed() && second.is_fixed() {
                    continue;
                }
                let apart = Relative::new(&self.space, first, second).nearest(&self.space, 0.0).distance;
                let square = apart.iter().fold(0.0, |sum, d| sum + d * d);
                let coordinate = first.place[..D].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                let least = entry::least_distance(radii[i] + radii[j], coordinate);
                if least > 0.0 && square < least * least {
                    overlaps.add(i, j);
                }
            }
        }
        overlaps.into_result()
    }

    /// Makes all plans anew.
    pub(super) fn look_around(&mut self) {
        let now = self.clock.now();
        (0..self.records.len()).for_each(|row| self.look(row, now));
    }

    /// Plans the next event of a particle, seen from `now`.
    fn look(&mut self, row: usize, now: f64) {
        let mut plan = Plan::NOTHING;
        let record = self.records[row];
        if !record.is_fixed() {
            let (time, face) = walls::next_wall(&self.space, &record, self.particles.radii()[row]);
            plan = Plan { time, partner: Partner::wall(face), count: 0 };
            if !self.is_tracer(row) {
                plan = self.look_at_balls(row, now, plan);
                let look = now + self.time_to_fly(&record, now, self.margin);
                if look < plan.time {
                    plan = Plan { time: look, partner: Partner::LOOK, count: 0 };
                }
            }
        }
        self.plans[row] = plan;
    }

    fn look_at_balls(&self, row: usize, now: f64, mut best: Plan) -> Plan {
        let radii = self.particles.radii();
        let bounded = self.margin.is_finite();
        for other in (0..self.records.len()).filter(|&other| other != row && !self.is_tracer(other)) {
            let relative = Relative::new(&self.space, &self.records[row], &self.records[other]);
            let reach = radii[row] + radii[other];
            let time = if bounded {
                pair::meeting_of_images(&self.space, relative, now, reach, self.margin)
            } else {
                relative.meeting(reach)
            };
            let count = self.records[other].count();
            let plan = Plan { time, partner: Partner::ball(other), count };
            if plan.precedes(&best, row) {
                best = plan;
            }
        }
        best
    }

    /// How long a particle takes at least to fly this far.
    fn time_to_fly(&self, record: &Record, now: f64, distance: f64) -> f64 {
        let (_, speed) = record.at::<D>(now, self.space.down_gravity);
        let square = speed.iter().fold(0.0, |sum, v| sum + v * v);
        let gained = 2.0 * self.space.down_gravity.abs() * distance;
        2.0 * distance / (square.sqrt() + (square + gained).sqrt())
    }

    /// The next collision not later than this world time. Looks around on the way, but nothing happens yet.
    pub(super) fn front(&mut self, limit: f64) -> Option<Pending> {
        loop {
            let row = self.earliest()?;
            let plan = self.plans[row];
            if plan.time == f64::INFINITY || self.clock.world_at(plan.time) > limit {
                return None;
            }
            if plan.time >= self.clock.length {
                self.begin_epoch();
                continue;
            }
            let meeting = plan.partner.meeting();
            let holds = match meeting {
                Meeting::Ball(other) => self.records[other].count() == plan.count,
                Meeting::Wall(_) => true,
                Meeting::Look => false,
            };
            if holds {
                return Some(Pending { time: plan.time, row, meeting });
            }
            self.look(row, plan.time);
        }
    }

    fn earliest(&self) -> Option<usize> {
        let earlier = |best: usize, row: usize| {
            let (a, b) = (&self.plans[best], &self.plans[row]);
            let later = b.time < a.time || b.time == a.time && b.partner.rank(row) < a.partner.rank(best);
            if later { row } else { best }
        };
        (0..self.plans.len()).reduce(earlier)
    }

    fn begin_epoch(&mut self) {
        let passed = self.clock.next_epoch(self.records.len());
        self.records.iter_mut().for_each(|record| record.place[3] -= passed);
        self.plans.iter_mut().for_each(|plan| plan.time -= passed);
        self.flurry.since -= passed;
    }

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
    pub(super) fn execute(&mut self, pending: Pending) -> Result<Event<D>> {
        self.clock.world = self.clock.world_at(pending.time).max(self.clock.world);
        self.clock.events += 1;
        let (event, second) = match pending.meeting {
            Meeting::Ball(other) => {
                let rows = [pending.row.min(other), pending.row.max(other)];
                (self.collide(rows, pending.time), rows[1])
            }
            Meeting::Wall(face) => (self.hit_wall(pending.row, face, pending.time), pending.row),
            Meeting::Look => unreachable!("a look is not an event"),
        };
        let rows = [event.first, second];
        if self.flurry.collapses(pending.time, self.clock.length, rows, self.settings.max_rate) {
            return Err(Error::Collapse { time: self.clock.world, first: event.first, second });
        }
        Ok(event)
    }

    /// The contact of two particles at `time`: the event, their speeds after it and what it did.
    fn contact(&self, rows: [usize; 2], time: f64) -> (Event<D>, [[f64; D]; 2], respond::Contact) {
        let [first, second] = rows.map(|row| &self.records[row]);
        let (first_place, mut first_speed) = first.at::<D>(time, self.space.down_gravity);
        let (second_place, mut second_speed) = second.at::<D>(time, self.space.down_gravity);
        let apart: [f64; D] = std::array::from_fn(|k| {
            let distance = first_place[k] - second_place[k];
            distance - self.space.image_shift(k, distance)
        });
        let partners = rows
            .map(|row| respond::Partner { mass: self.masses()[row], fixed: self.records[row].is_fixed() });
        let speeds = [&mut first_speed, &mut second_speed];
        let contact = respond::collide(apart, speeds, partners, self.settings.restitution);
        let event = Event {
            time: self.clock.world_at(time),
            kind: EventKind::Collision,
            first: rows[0],
            second: rows[1],
            impulse: contact.impulse,
            normal: apart.map(|d| if contact.distance > 0.0 { d / contact.distance } else { 0.0 }),
        };
        (event, [first_speed, second_speed], contact)
    }

    fn collide(&mut self, rows: [usize; 2], time: f64) -> Event<D> {
        let (event, speeds, contact) = self.contact(rows, time);
        self.sums.collisions += 1;
        self.sums.virial += contact.impulse * contact.distance;
        self.sums.dissipated += contact.dissipated;
        let fixed = rows.map(|row| self.records[row].is_fixed());
        for (n, row) in rows.into_iter().enumerate().filter(|&(n, _)| !fixed[n]) {
            self.restart(row, time, speeds[n]);
            self.sums.flights += 1;
            if fixed[1 - n] {
                let sign = if n == 0 { 1.0 } else { -1.0 };
                for k in 0..D {
                    self.sums.outside_impulse[k] += sign * event.impulse * event.normal[k];
                }
            }
        }
        rows.into_iter().for_each(|row| self.look(row, time));
        event
    }

    /// The bounce of a particle off a face at `time`: the event, its speed after it and the energy lost.
    fn bounce(&self, row: usize, face: usize, time: f64) -> (Event<D>, [f64; D], f64) {
        let (axis, sign) = (face / 2, if face.is_multiple_of(2) { 1.0 } else { -1.0 });
        let (_, mut speed) = self.records[row].at::<D>(time, self.space.down_gravity);
        let (mass, restitution) = (self.masses()[row], self.settings.wall_restitution);
        let before = speed[axis];
        if before * sign < 0.0 {
            speed[axis] = -restitution * before;
        }
        let mut normal = [0.0; D];
        normal[axis] = sign;
        let event = Event {
            time: self.clock.world_at(time),
            kind: EventKind::Wall,
            first: row,
            second: face,
            impulse: mass * (speed[axis] - before).abs(),
            normal,
        };
        (event, speed, 0.5 * mass * (before * before - speed[axis] * speed[axis]))
    }

    fn hit_wall(&mut self, row: usize, face: usize, time: f64) -> Event<D> {
        let (event, speed, lost) = self.bounce(row, face, time);
        self.sums.wall_collisions += 1;
        self.sums.wall_impulses[face / 2][face % 2] += event.impulse;
        self.sums.outside_impulse[face / 2] += event.impulse * event.normal[face / 2];
        self.sums.dissipated += lost;
        self.restart(row, time, speed);
        self.records[row].place[face / 2] = self.space.contact_with(face, self.particles.radii()[row]);
        self.look(row, time);
        event
    }

    /// Moves a particle to where it is at `time` and gives it a new speed.
    fn restart(&mut self, row: usize, time: f64, speed: [f64; D]) {
        let record = &mut self.records[row];
        let gravity = self.space.down_gravity;
        if self.particles.columns(Field::Mass)[0].as_slice()[row] > 0.0 {
            self.sums.path += sums::path_length::<D>(record, time, gravity);
        }
        let (mut position, _) = record.at::<D>(time, gravity);
        for axis in 0..D {
            let shift = self.space.wrap_shift(axis, position[axis]);
            if shift != 0.0 {
                position[axis] += shift;
                self.anchors[row][axis] += shift;
            }
        }
        record.restart(time, position, speed);
    }
}

fn records_of<const D: usize>(particles: &Particles) -> Vec<Record> {
    let column = |field: Field, axis: usize| particles.columns(field)[axis].as_slice();
    let positions: [&[f64]; D] = std::array::from_fn(|axis| column(Field::Position, axis));
    let speeds: [&[f64]; D] = std::array::from_fn(|axis| column(Field::Speed, axis));
    let row = |row: usize| {
        let fixed = particles.fixed_flags()[row] != 0;
        Record::new(positions.map(|x| x[row]), speeds.map(|v| v[row]), 0.0, fixed)
    };
    (0..particles.len()).map(row).collect()
}

/// About how long a particle takes through the box or, where there is none, through the cloud of particles.
fn crossing_time<const D: usize>(particles: &Particles, space: &Space<D>) -> f64 {
    let extent = |axis: usize| {
        if !space.enclosure.is(axis, Boundary::Open) {
            return space.enclosure.length(axis);
        }
        let places = particles.columns(Field::Position)[axis].as_slice();
        let (least, most) = places
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &x| (least.min(x), most.max(x)));
        (most - least).max(0.0)
    };
    let largest_radius = particles.radii().iter().fold(0.0_f64, |most, &radius| most.max(radius));
    let length = (0..D).map(extent).fold(2.0 * largest_radius, f64::max);
    let squares = particles.columns(Field::Speed).iter().flat_map(|column| column.as_slice());
    let mean_square = squares.fold(0.0, |sum, v| sum + v * v) / (particles.len().max(1) as f64);
    let speed = (mean_square + space.down_gravity.abs() * length).sqrt();
    4.0 * length / speed
}
