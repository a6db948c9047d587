//! The state of a run: how it starts and resumes, and what it is at a time between events.

use std::mem;

use super::rest::begin_rest;
use super::{
    Accumulators, Clock, CollapseDetector, ContactRule, Domain, FlightState, Totals, UniformProps,
    accumulators,
};
use crate::error::Result;
use crate::events::admission;
use crate::events::enclosure::{Boundary, Enclosure};
use crate::events::neighbours::{Neighbourhood, ParticleSlices};
use crate::events::schedule::{IdleDetector, Plan, Queue};
use crate::events::settings::EventSettings;
use crate::particles::state_hash::StateHash;
use crate::particles::{Field, Particles};
use crate::soa::huge_pages;

/// The whole state of a run.
///
/// Its future depends on particles, box, settings and [`SavedState`] alone: plans, queue and neighbourhood can be rebuilt
/// from them at any time without changing a bit of it.
#[derive(Debug, Clone)]
pub(crate) struct EngineState<const D: usize> {
    /// Masses, radii and flags; positions and velocities are those of the last [`write_back`](Self::write_back).
    pub particles: Particles,
    pub settings: EventSettings,
    pub domain: Domain<D>,
    pub contact: ContactRule,
    pub flights: Vec<FlightState>,
    /// Position of each particle when the measurements began, shifted whenever the particle passes a periodic face.
    pub displacement_origins: Vec<[f64; D]>,
    pub clock: Clock,
    pub collapse: CollapseDetector,
    pub accumulators: Accumulators<D>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) queue: Queue,
    pub(crate) neighbourhood: Neighbourhood<D>,
    pub(crate) uniform: UniformProps,
    pub(crate) idle: IdleDetector,
}

/// What a saved run consists of, besides particles, box and settings.
#[derive(Debug, Clone)]
pub(crate) struct SavedState<const D: usize> {
    pub flights: Vec<FlightState>,
    pub displacement_origins: Vec<[f64; D]>,
    pub clock: Clock,
    pub collapse: CollapseDetector,
    pub accumulators: Accumulators<D>,
}

impl<const D: usize> EngineState<D> {
    /// A run from the positions and velocities in the columns, at this world time.
    pub(crate) fn start(
        mut particles: Particles,
        enclosure: Enclosure<D>,
        settings: EventSettings,
        world: f64,
    ) -> Result<Self> {
        // A run neither adds particles nor changes their shapes.
        particles.shrink_to_fit();
        admission::check(&mut particles, &enclosure)?;
        settings.check(&enclosure)?;
        let domain = Domain::new(enclosure, &settings);
        let contact = ContactRule::new(&settings, &particles);
        let memory = (huge_pages::with_capacity(particles.len()), Vec::new());
        let saved = SavedState::initial(&particles, &domain, &contact, world, memory);
        let state = Self::resume(particles, enclosure, settings, saved);
        state.check_overlaps()?;
        Ok(state)
    }

    /// A run from a saved state.
    pub(crate) fn resume(
        particles: Particles,
        enclosure: Enclosure<D>,
        settings: EventSettings,
        saved: SavedState<D>,
    ) -> Self {
        let domain = Domain::new(enclosure, &settings);
        let mut state = Self {
            settings,
            domain,
            contact: ContactRule::new(&settings, &particles),
            flights: saved.flights,
            displacement_origins: saved.displacement_origins,
            clock: saved.clock,
            collapse: saved.collapse,
            accumulators: saved.accumulators,
            plans: huge_pages::with_capacity(particles.len()),
            queue: Queue::default(),
            neighbourhood: Neighbourhood::all_pairs(&domain),
            uniform: UniformProps::new(&particles, &domain),
            idle: IdleDetector::default(),
            particles,
        };
        state.rebuild();
        state
    }

    /// What [`start`](Self::start) does at world time 0, with the present particles and in the present memory.
    pub(crate) fn restart(&mut self, enclosure: Enclosure<D>, settings: EventSettings) -> Result<()> {
        admission::check(&mut self.particles, &enclosure)?;
        settings.check(&enclosure)?;
        (self.settings, self.domain) = (settings, Domain::new(enclosure, &settings));
        self.contact = ContactRule::new(&settings, &self.particles);
        let memory = (mem::take(&mut self.flights), mem::take(&mut self.displacement_origins));
        let saved = SavedState::initial(&self.particles, &self.domain, &self.contact, 0.0, memory);
        (self.flights, self.displacement_origins) = (saved.flights, saved.displacement_origins);
        (self.clock, self.collapse, self.accumulators) = (saved.clock, saved.collapse, saved.accumulators);
        self.uniform = UniformProps::new(&self.particles, &self.domain);
        self.idle = IdleDetector::default();
        self.rebuild();
        if self.are_clearly_apart() { Ok(()) } else { self.check_overlaps() }
    }

    /// Builds neighbourhood, plans and queue from the rest of the state.
    fn rebuild(&mut self) {
        let now = self.clock.now();
        self.plans.clear();
        self.plans.resize(self.flights.len(), Plan::NOTHING);
        let slices = ParticleSlices::new(&self.particles, &self.flights);
        self.neighbourhood = Neighbourhood::new(&self.domain, slices, now);
        self.schedule_all(now);
    }

    pub(crate) fn masses(&self) -> &[f64] {
        self.particles.columns(Field::Mass)[0].as_slice()
    }

    pub(crate) fn is_tracer(&self, row: usize) -> bool {
        self.masses()[row] == 0.0
    }

    /// Energies and momentum at the world time.
    pub(crate) fn totals(&self) -> Totals<D> {
        accumulators::totals(&self.domain, &self.flights, self.masses(), self.clock.now())
    }

    /// Path length from the starts of the flights to the world time, of all particles that count for the mean free path.
    pub(crate) fn path_of_open_flights(&self) -> f64 {
        let now = self.clock.now();
        let counted = self.flights.iter().zip(self.masses()).filter(|(_, mass)| **mass > 0.0);
        counted.map(|(flight, _)| accumulators::path_length::<D>(flight, now, self.domain.down_gravity)).sum()
    }

    /// Restarts all measurements.
    pub(crate) fn reset_accumulators(&mut self) {
        self.accumulators = Accumulators::new(self.clock.world, self.totals(), -self.path_of_open_flights());
        let (now, gravity) = (self.clock.now(), self.domain.down_gravity);
        for (origin, flight) in self.displacement_origins.iter_mut().zip(&self.flights) {
            *origin = flight.at(now, gravity).0;
        }
    }

    /// Writes positions and velocities at the world time into the columns.
    pub(crate) fn write_back(&mut self) {
        let now = self.clock.now();
        for (row, flight) in self.flights.iter().enumerate() {
            let (position, velocity) = flight.at::<D>(now, self.domain.down_gravity);
            for axis in 0..D {
                let place = self.domain.wrapped(axis, position[axis]);
                self.particles.write_motion(row, axis, place, velocity[axis]);
            }
        }
        self.particles.forget_magnitudes();
    }

    /// A hash of what [`write_back`](Self::write_back) writes.
    pub(crate) fn state_hash(&self) -> u64 {
        let (now, mut hash) = (self.clock.now(), StateHash::new());
        for flight in &self.flights {
            let (position, velocity) = flight.at::<D>(now, self.domain.down_gravity);
            (0..D).for_each(|axis| hash.add(self.domain.wrapped(axis, position[axis])));
            velocity.iter().for_each(|&component| hash.add(component));
        }
        hash.value()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.particles.memory_bytes()
            + self.flights.capacity() * size_of::<FlightState>()
            + self.displacement_origins.capacity() * size_of::<[f64; D]>()
            + self.plans.capacity() * size_of::<Plan>()
            + self.queue.memory_bytes()
            + self.neighbourhood.memory_bytes()
    }
}

impl<const D: usize> SavedState<D> {
    /// The start of a run at this world time, from the positions and velocities in the columns, in the memory of two vectors.
    fn initial(
        particles: &Particles,
        domain: &Domain<D>,
        contact: &ContactRule,
        world: f64,
        (mut flights, mut displacement_origins): (Vec<FlightState>, Vec<[f64; D]>),
    ) -> Self {
        let column = |field: Field, axis: usize| particles.columns(field)[axis].as_slice();
        let positions: [&[f64]; D] = std::array::from_fn(|axis| column(Field::Position, axis));
        let velocities: [&[f64]; D] = std::array::from_fn(|axis| column(Field::Velocity, axis));
        let rows = || 0..particles.len();
        flights.clear();
        flights.extend(rows().map(|row| {
            let fixed = particles.fixed_flags()[row] != 0;
            FlightState::new(positions.map(|x| x[row]), velocities.map(|v| v[row]), 0.0, fixed)
        }));
        begin_rest(particles, domain, contact, &mut flights);
        displacement_origins.clear();
        displacement_origins.extend(rows().map(|row| positions.map(|x| x[row])));
        let totals = accumulators::totals(domain, &flights, column(Field::Mass, 0), 0.0);
        Self {
            flights,
            displacement_origins,
            clock: Clock::new(world, crossing_time(particles, domain)),
            collapse: CollapseDetector::default(),
            accumulators: Accumulators::new(world, totals, 0.0),
        }
    }
}

/// Estimate of the time that a particle takes to cross the box or, along open axes, the extent of all particles.
fn crossing_time<const D: usize>(particles: &Particles, domain: &Domain<D>) -> f64 {
    let extent = |axis: usize| {
        if !domain.enclosure.is(axis, Boundary::Open) {
            return domain.enclosure.length(axis);
        }
        let coordinates = particles.columns(Field::Position)[axis].as_slice();
        let (least, most) = coordinates
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &x| (least.min(x), most.max(x)));
        (most - least).max(0.0)
    };
    let largest_radius = particles.radii().iter().fold(0.0_f64, |most, &radius| most.max(radius));
    let length = (0..D).map(extent).fold(2.0 * largest_radius, f64::max);
    let squares = particles.columns(Field::Velocity).iter().flat_map(|column| column.as_slice());
    let mean_square = squares.fold(0.0, |sum, v| sum + v * v) / (particles.len().max(1) as f64);
    let speed = (mean_square + domain.down_gravity.abs() * length).sqrt();
    4.0 * length / speed
}
