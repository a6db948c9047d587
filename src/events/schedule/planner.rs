//! The next event of each particle: predicted, stored as its [`Plan`], and put into the queue.

use super::{Plan, QueueEntry, Target};
use crate::events::neighbours::{Candidates, Levels, NeighbourLists, Neighbourhood, ParticleSlices, Path};
use crate::events::predict::{
    ContactDistance, LanePredictor, RelativeMotion, contact_time_of_images, next_wall,
};
use crate::events::state::{EngineState, FlightState};
use crate::soa::block::{Lanes, each};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

/// Blocks whose times of contact stay in registers until the earliest is chosen: of the neighbours on a list.
const LISTED: usize = 4;
/// The same of wide blocks of what a search has found, which is seldom more.
const FOUND: usize = 2;

impl<const D: usize> EngineState<D> {
    /// Predicts and schedules the next events of all particles.
    pub(crate) fn schedule_all(&mut self, now: f64) {
        self.flights.iter_mut().for_each(FlightState::clear_planned);
        if self.has_one_contact_per_pair() {
            self.predict_pairs();
        } else {
            self.predict_each(now);
        }
        self.queue.rebuild(&self.plans);
    }

    /// Predicts the next event of each particle separately.
    pub(crate) fn predict_each(&mut self, now: f64) {
        for row in 0..self.flights.len() {
            level::run(FirstRenewal { state: self, row, now });
        }
        for row in 0..self.flights.len() {
            let plan = level::run(Prediction { state: self, row, now });
            self.store_plan(row, plan);
        }
    }

    /// Predicts the next event of a particle after `now` and schedules it.
    pub(crate) fn reschedule<S: Simd>(&mut self, row: usize, now: f64) {
        let plan = S::call(Prediction { state: self, row, now });
        self.schedule(row, plan);
        self.renew::<S>(row, now);
    }

    /// The same for two particles that have just collided: both are predicted before either plan is stored, so that
    /// neither prediction relies on the plan of the other.
    #[inline(always)]
    pub(crate) fn reschedule_pair<S: Simd>(&mut self, rows: [usize; 2], now: f64) {
        if let Neighbourhood::Levels(_) = self.neighbourhood
            && self.collides(rows[0])
            && self.collides(rows[1])
        {
            return S::call(PairInLevels { state: self, rows, now });
        }
        let plans = each!(n in [0, 1] => S::call(Prediction { state: self, row: rows[n], now }));
        for (row, plan) in rows.into_iter().zip(plans) {
            self.schedule(row, plan);
            self.renew::<S>(row, now);
        }
    }

    /// Renews the reference position of a particle that has just been predicted, if there are levels.
    #[inline(always)]
    fn renew<S: Simd>(&mut self, row: usize, now: f64) {
        if let Neighbourhood::Levels(_) = self.neighbourhood {
            S::call(Renewal { state: self, row, now });
        }
    }

    /// Stores a plan and puts it into the queue.
    #[inline(always)]
    fn schedule(&mut self, row: usize, plan: Plan) {
        self.store_plan(row, plan);
        let plan = &self.plans[row];
        if plan.due < f64::INFINITY {
            self.queue.push(QueueEntry { time: plan.due, row: row as u32, target: plan.next() });
        }
    }

    /// Stores a plan. Predictions of other particles rely on its time: this particle is predicted again then in any case.
    #[inline(always)]
    pub(crate) fn store_plan(&mut self, row: usize, mut plan: Plan) {
        // Rounding may move a time before the start of a new epoch.
        (plan.due, plan.time) = (plan.due.max(0.0), plan.time.max(0.0));
        self.plans[row] = plan;
        self.flights[row].set_planned(plan.time);
    }

    /// Whether a particle moves, and collides with others.
    #[inline(always)]
    fn collides(&self, row: usize) -> bool {
        !self.flights[row].is_fixed() && self.mass(row) > 0.0
    }

    /// The next contact of a particle with a wall, if there is one.
    #[inline(always)]
    pub(crate) fn predict_wall(&self, row: usize) -> Plan {
        if !self.uniform.has_walls || self.flights[row].is_fixed() {
            return Plan::NOTHING;
        }
        let (time, face) = next_wall(&self.domain, &self.flights[row], self.radius(row));
        Plan::new(time, Target::wall(face), 0)
    }

    /// The next contact with a particle or the next neighbour update, if it comes before the plan.
    #[inline(always)]
    fn predict_contact<S: Simd>(&self, row: usize, now: f64, plan: Plan) -> Plan {
        match &self.neighbourhood {
            Neighbourhood::Lists(neighbours) if neighbours.several_images => {
                let others = neighbours.lists.of(row).iter().map(|&other| other as usize);
                // Up to two margins, from one side of its reference position to the other, before the next update.
                let margin = 2.0 * neighbours.margin;
                let plan = S::call(ImageContacts { state: self, row, others, now, margin, plan });
                self.with_update_time(row, neighbours, now, plan)
            }
            Neighbourhood::Lists(neighbours) => {
                let others = neighbours.lists.blocks_of(row).as_flattened();
                let plan = self.first_contact_in_lanes::<S::Block, LISTED>(row, others, now, plan);
                self.with_update_time(row, neighbours, now, plan)
            }
            Neighbourhood::Levels(levels) => {
                let [plan] = self.first_contacts_on_paths::<S, 1>([row], levels, now, [plan]);
                plan
            }
            Neighbourhood::AllPairs(margin) => {
                let plan = S::call(self.contacts_with_all(row, now, *margin, plan));
                let update = now + self.least_flight_time(&self.flights[row], now, *margin);
                if update < plan.time { Plan { due: update, ..plan } } else { plan }
            }
        }
    }

    /// The first contacts of particles that move and collide before their reference positions must be renewed, if they come
    /// before the plans.
    #[inline(always)]
    fn first_contacts_on_paths<S: Simd, const N: usize>(
        &self,
        rows: [usize; N],
        levels: &Levels,
        now: f64,
        mut best: [Plan; N],
    ) -> [Plan; N] {
        let (mut ends, mut radii, mut paths) = ([0.0; N], [0.0; N], [Path::<S::Block>::NONE; N]);
        for n in 0..N {
            let flight = &self.flights[rows[n]];
            ends[n] = levels.end_of_validity(rows[n], &self.domain, flight, now);
            radii[n] = self.radius(rows[n]);
            let until = if ends[n] < best[n].time { ends[n] } else { best[n].time };
            paths[n] = Path::new::<D>(flight, now, until, self.domain.down_gravity);
        }
        let mut found = [Candidates::NONE; N];
        levels.find::<S, N, D>(false, &paths, radii, &mut found);
        self.prefetch_found(&found);
        for n in 0..N {
            for others in found[n].filled_up(S::Wide::COUNT, rows[n]) {
                best[n] = self.first_contact_of_lanes::<S::Wide, FOUND>(rows[n], others, now, best[n]);
            }
        }
        if levels.has_fixed() {
            for n in 0..N {
                best[n] = self.first_contact_with_fixed::<S>(rows[n], levels, [now, ends[n]], best[n]);
            }
        }
        for n in 0..N {
            best[n].due = if ends[n] < best[n].time { ends[n] } else { best[n].time };
        }
        best
    }

    /// The first contact with a fixed particle from `now` until `end`, if it comes before the plan.
    #[inline(always)]
    fn first_contact_with_fixed<S: Simd>(
        &self,
        row: usize,
        levels: &Levels,
        [now, end]: [f64; 2],
        mut best: Plan,
    ) -> Plan {
        let mut found = [Candidates::NONE];
        // Contacts with fixed particles may need the quartic: only those that may come first are computed.
        let path = Path::new::<D>(&self.flights[row], now, end.min(best.time), self.domain.down_gravity);
        levels.find::<S, 1, D>(true, &[path], [self.radius(row)], &mut found);
        for others in found[0].filled_up(S::Wide::COUNT, row) {
            best = self.first_contact_in_lanes::<S::Wide, FOUND>(row, others, now, best);
        }
        best
    }

    /// The first contact with these neighbours, in whole blocks, if it comes before the plan.
    #[inline(always)]
    fn first_contact_in_lanes<B: Lanes<Number = f64>, const GROUP: usize>(
        &self,
        row: usize,
        others: &[u32],
        now: f64,
        plan: Plan,
    ) -> Plan {
        if self.uniform.falls_past_fixed {
            return self.first_contact_one_by_one(row, others, now, plan);
        }
        self.first_contact_of_lanes::<B, GROUP>(row, others, now, plan)
    }

    /// The same where no pair needs the quartic.
    #[inline(always)]
    fn first_contact_of_lanes<B: Lanes<Number = f64>, const GROUP: usize>(
        &self,
        row: usize,
        others: &[u32],
        now: f64,
        plan: Plan,
    ) -> Plan {
        let contact_distance = match self.uniform.radius_and_mass {
            Some([radius, _]) => ContactDistance::Equal(radius + radius),
            None => ContactDistance::PerParticle(self.particles.radii()[row], self.particles.radii()),
        };
        let predictor = LanePredictor { domain: &self.domain, flights: &self.flights, contact_distance, now };
        predictor.first_contact::<B, GROUP>(row, others, plan)
    }

    /// As [`first_contact_in_lanes`](Self::first_contact_in_lanes), where some of the pairs need the quartic.
    fn first_contact_one_by_one(&self, row: usize, others: &[u32], now: f64, mut best: Plan) -> Plan {
        for other in others.iter().map(|&other| other as usize).filter(|&other| other != row) {
            let relative = RelativeMotion::new(&self.domain, &self.flights[row], &self.flights[other]);
            let contact_distance = self.radius(row) + self.radius(other);
            let time = relative.nearest_image(&self.domain, now).contact_time(contact_distance);
            best = self.earlier(row, best, other, time);
        }
        best
    }

    /// The search for contacts with all particles.
    pub(crate) fn contacts_with_all(
        &self,
        row: usize,
        now: f64,
        margin: f64,
        plan: Plan,
    ) -> impl Kernel<Output = Plan> {
        let others = (0..self.flights.len()).filter(move |&other| other != row && !self.is_tracer(other));
        ImageContacts { state: self, row, others, now, margin, plan }
    }

    fn earlier(&self, row: usize, best: Plan, other: usize, time: f64) -> Plan {
        let plan = Plan::new(time, Target::ball(other), self.flights[other].event_count());
        if time < f64::INFINITY && plan.precedes(&best, row) { plan } else { best }
    }

    /// The plan with a neighbour update when the particle is a margin away from its reference position, if that comes first.
    #[inline(always)]
    fn with_update_time(&self, row: usize, neighbours: &NeighbourLists<D>, now: f64, plan: Plan) -> Plan {
        let flight = &self.flights[row];
        let (position, velocity) = flight.at::<D>(now, self.domain.down_gravity);
        let offset = neighbours.offset(&self.domain, row, position);
        if self.domain.down_gravity != 0.0 {
            let travelled = offset.iter().fold(0.0, |sum, e| sum + e * e).sqrt();
            let time = now + self.least_flight_time(flight, now, (neighbours.margin - travelled).max(0.0));
            return if time < plan.time { Plan { due: time, ..plan } } else { plan };
        }
        let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
        for (&e, &v) in offset.iter().zip(&velocity) {
            a += v * v;
            b += e * v;
            c += e * e;
        }
        let discriminant = b * b - a * (c - neighbours.margin * neighbours.margin);
        // For a particle at rest the time is NaN, which compares as not earlier.
        let time = now + (discriminant.max(0.0).sqrt() - b).max(0.0) / a;
        Plan { due: if time < plan.time { time } else { plan.time }, ..plan }
    }

    /// Lower bound on the time that a particle takes to travel this distance.
    fn least_flight_time(&self, flight: &FlightState, now: f64, distance: f64) -> f64 {
        let (_, velocity) = flight.at::<D>(now, self.domain.down_gravity);
        let square = velocity.iter().fold(0.0, |sum, v| sum + v * v);
        let gained = 2.0 * self.domain.down_gravity.abs() * distance;
        2.0 * distance / (square.sqrt() + (square + gained).sqrt())
    }

    /// Moves the origin of all times to the next epoch and predicts everything again.
    #[cold]
    pub(crate) fn begin_epoch(&mut self, now: f64) {
        let passed = self.clock.next_epoch(self.flights.len());
        self.flights.iter_mut().for_each(|flight| flight.position_time[3] -= passed);
        self.collapse.since -= passed;
        self.schedule_all(now - passed);
    }
}

/// Renews the reference position of a particle that is about to be predicted with all others.
struct FirstRenewal<'a, const D: usize> {
    state: &'a mut EngineState<D>,
    row: usize,
    now: f64,
}

impl<const D: usize> Kernel for FirstRenewal<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        self.state.renew_reference_first::<S>(self.row, self.now);
    }
}

/// Renews the reference position of a particle that has just been predicted.
struct Renewal<'a, const D: usize> {
    state: &'a mut EngineState<D>,
    row: usize,
    now: f64,
}

impl<const D: usize> Kernel for Renewal<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        self.state.renew_references::<S, 1>([self.row], self.now);
    }
}

/// The next event of a particle after `now`.
struct Prediction<'a, const D: usize> {
    state: &'a EngineState<D>,
    row: usize,
    now: f64,
}

impl<const D: usize> Kernel for Prediction<'_, D> {
    type Output = Plan;

    #[inline(always)]
    fn run<S: Simd>(self) -> Plan {
        let Self { state, row, now } = self;
        let plan = state.predict_wall(row);
        if state.collides(row) { state.predict_contact::<S>(row, now, plan) } else { plan }
    }
}

/// Predicts the next events of two particles that have just collided in levels, and schedules them. The searches for both
/// are begun together, so that the CPU computes for one while it waits for a number of the other.
struct PairInLevels<'a, const D: usize> {
    state: &'a mut EngineState<D>,
    rows: [usize; 2],
    now: f64,
}

impl<const D: usize> Kernel for PairInLevels<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { state, rows, now } = self;
        let Neighbourhood::Levels(levels) = &state.neighbourhood else { return };
        let walls = each!(n in [0, 1] => state.predict_wall(rows[n]));
        let plans = state.first_contacts_on_paths::<S, 2>(rows, levels, now, walls);
        for n in 0..2 {
            state.schedule(rows[n], plans[n]);
        }
        state.renew_references::<S, 2>(rows, now);
    }
}

/// The first contact with any periodic image of these particles before either has travelled `margin`, if it comes before the
/// plan.
///
/// A kernel although it has no blocks: above the portable level rounding is one instruction.
struct ImageContacts<'a, I, const D: usize> {
    state: &'a EngineState<D>,
    row: usize,
    others: I,
    now: f64,
    margin: f64,
    plan: Plan,
}

impl<I: Iterator<Item = usize>, const D: usize> Kernel for ImageContacts<'_, I, D> {
    type Output = Plan;

    #[inline(always)]
    fn run<S: Simd>(self) -> Plan {
        let Self { state, row, others, now, margin, plan: mut best } = self;
        for other in others {
            let relative = RelativeMotion::new(&state.domain, &state.flights[row], &state.flights[other]);
            let contact_distance = state.radius(row) + state.radius(other);
            let time = if margin.is_finite() {
                contact_time_of_images(&state.domain, relative, now, contact_distance, margin)
            } else {
                relative.contact_time(contact_distance)
            };
            best = state.earlier(row, best, other, time);
        }
        best
    }
}

/// Finds the neighbours of a particle again. Only contacts with added neighbours are predicted: those with the others are in
/// the plan already.
pub(crate) struct NeighbourUpdate<'a, const D: usize> {
    pub state: &'a mut EngineState<D>,
    pub row: usize,
    pub plan: Plan,
}

impl<const D: usize> Kernel for NeighbourUpdate<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { state, row, plan } = self;
        state.idle.updates += 1;
        let now = plan.due;
        if let Neighbourhood::Lists(neighbours) = &mut state.neighbourhood {
            let (position, velocity) = state.flights[row].at::<D>(now, state.domain.down_gravity);
            let reference = neighbours.reference_ahead(position, velocity, plan.time - now);
            neighbours.update::<S>(row, reference, ParticleSlices::new(&state.particles, &state.flights));
        }
        let plan = match &state.neighbourhood {
            Neighbourhood::Lists(neighbours) if !neighbours.several_images => {
                let contact = Plan { due: plan.time, ..plan };
                let plan = state.first_contact_in_lanes::<S::Block, LISTED>(
                    row,
                    neighbours.added().as_flattened(),
                    now,
                    contact,
                );
                state.with_update_time(row, neighbours, now, plan)
            }
            Neighbourhood::Levels(levels) => {
                let wall = state.predict_wall(row);
                let [plan] = state.first_contacts_on_paths::<S, 1>([row], levels, now, [wall]);
                plan
            }
            _ => S::call(Prediction { state, row, now }),
        };
        state.schedule(row, plan);
        state.renew_references::<S, 1>([row], now);
        state.check_after_update(now);
    }
}

#[cfg(test)]
impl<const D: usize> EngineState<D> {
    /// Searches in this way from now on.
    pub(crate) fn use_neighbourhood(&mut self, neighbourhood: Neighbourhood<D>) {
        self.neighbourhood = neighbourhood;
        self.schedule_all(self.clock.now());
    }
}
