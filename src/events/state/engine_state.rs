//! The state of a run and how it goes from event to event.

use crate::error::Result;
use crate::events::admission;
use crate::events::enclosure::{Boundary, Enclosure};
use crate::events::neighbours::neighbour_lists::Crowd;
use crate::events::neighbours::neighbourhood::Surroundings;
use crate::events::schedule::plan::Plan;
use crate::events::schedule::planner::{Quiet, Traits};
use crate::events::schedule::queue::Queue;
use crate::events::settings::EventSettings;
use crate::events::state::accumulators::{self, Sums, Totals};
use crate::events::state::clock::Clock;
use crate::events::state::collapse::Flurry;
use crate::events::state::domain::Space;
use crate::events::state::flight_state::Record;
use crate::events::state::huge_pages;
use crate::particles::{Field, Particles};

/// All that a run is made of.
///
/// What happens depends on the records, the clock and the flurry alone: everything else can be made anew from them
/// without changing a bit of the future.
#[derive(Debug, Clone)]
pub(crate) struct Core<const D: usize> {
    /// Masses, radii and flags; positions and velocities are those of the last write-back.
    pub particles: Particles,
    pub settings: EventSettings,
    pub space: Space<D>,
    pub records: Vec<Record>,
    /// Where each particle was when the measurements began, moved along with it through periodic faces.
    pub anchors: Vec<[f64; D]>,
    pub clock: Clock,
    pub flurry: Flurry,
    pub sums: Sums<D>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) queue: Queue,
    pub(crate) surroundings: Surroundings<D>,
    pub(crate) traits: Traits,
    pub(crate) quiet: Quiet,
}

/// The part of a run that decides its future, beside particles, box and settings.
#[derive(Debug, Clone)]
pub(crate) struct State<const D: usize> {
    pub records: Vec<Record>,
    pub anchors: Vec<[f64; D]>,
    pub clock: Clock,
    pub flurry: Flurry,
    pub sums: Sums<D>,
}

impl<const D: usize> Core<D> {
    /// Particles at their places in the columns, at this world time.
    pub(crate) fn start(
        mut particles: Particles,
        enclosure: Enclosure<D>,
        settings: EventSettings,
        world: f64,
    ) -> Result<Self> {
        // A run neither adds particles nor gives other shapes to them.
        particles.shrink_to_fit();
        admission::check(&mut particles, &enclosure)?;
        settings.check(&enclosure)?;
        let space = Space::new(enclosure, &settings);
        let mut records = huge_pages::roomy(particles.len());
        fill_records::<D>(&mut records, &particles);
        let clock = Clock::new(world, crossing_time(&particles, &space));
        let totals =
            accumulators::totals(&space, &records, particles.columns(Field::Mass)[0].as_slice(), 0.0);
        let anchors = records.iter().map(|record| std::array::from_fn(|k| record.place[k])).collect();
        let state =
            State { records, anchors, clock, flurry: Flurry::default(), sums: Sums::new(world, totals, 0.0) };
        let core = Self::resume(particles, enclosure, settings, state);
        core.check_overlaps()?;
        Ok(core)
    }

    /// A run from the middle on.
    pub(crate) fn resume(
        particles: Particles,
        enclosure: Enclosure<D>,
        settings: EventSettings,
        state: State<D>,
    ) -> Self {
        let space = Space::new(enclosure, &settings);
        let State { records, anchors, clock, flurry, sums } = state;
        let mut plans = huge_pages::roomy(records.len());
        plans.resize(records.len(), Plan::NOTHING);
        let traits = Traits::new(&particles, &space);
        let crowd = Crowd::new(&particles, &records);
        let surroundings = Surroundings::new(&space, crowd, clock.now());
        let (queue, quiet) = (Queue::default(), Quiet::default());
        let mut core = Self {
            particles,
            settings,
            space,
            records,
            anchors,
            clock,
            flurry,
            sums,
            plans,
            queue,
            surroundings,
            traits,
            quiet,
        };
        core.plan_all(core.clock.now());
        core
    }

    pub(crate) fn masses(&self) -> &[f64] {
        self.particles.columns(Field::Mass)[0].as_slice()
    }

    pub(crate) fn is_tracer(&self, row: usize) -> bool {
        self.masses()[row] == 0.0
    }

    /// Energies and momentum now.
    pub(crate) fn totals(&self) -> Totals<D> {
        accumulators::totals(&self.space, &self.records, self.masses(), self.clock.now())
    }

    /// Path from the times of the records until now, of all particles that count for the mean free path.
    pub(crate) fn path_since_records(&self) -> f64 {
        let now = self.clock.now();
        let counted = self.records.iter().zip(self.masses()).filter(|(_, mass)| **mass > 0.0);
        counted.map(|(record, _)| accumulators::path_length::<D>(record, now, self.space.down_gravity)).sum()
    }

    /// Begins all measurements anew.
    pub(crate) fn reset_sums(&mut self) {
        self.sums = Sums::new(self.clock.world, self.totals(), -self.path_since_records());
        let (now, gravity) = (self.clock.now(), self.space.down_gravity);
        for (anchor, record) in self.anchors.iter_mut().zip(&self.records) {
            *anchor = record.at(now, gravity).0;
        }
    }

    /// Writes positions and velocities at the world time into the columns.
    pub(crate) fn write_back(&mut self) {
        let now = self.clock.now();
        for (row, record) in self.records.iter().enumerate() {
            let (position, velocity) = record.at::<D>(now, self.space.down_gravity);
            for axis in 0..D {
                let place = self.space.wrapped(axis, position[axis]);
                self.particles.write_motion(row, axis, place, velocity[axis]);
            }
        }
        self.particles.forget_magnitudes();
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.particles.memory_bytes()
            + self.records.capacity() * size_of::<Record>()
            + self.anchors.capacity() * size_of::<[f64; D]>()
            + self.plans.capacity() * size_of::<Plan>()
            + self.queue.memory_bytes()
            + self.surroundings.memory_bytes()
    }
}

/// Appends the records of these particles at the start of an epoch.
pub(crate) fn fill_records<const D: usize>(records: &mut Vec<Record>, particles: &Particles) {
    let column = |field: Field, axis: usize| particles.columns(field)[axis].as_slice();
    let positions: [&[f64]; D] = std::array::from_fn(|axis| column(Field::Position, axis));
    let velocities: [&[f64]; D] = std::array::from_fn(|axis| column(Field::Velocity, axis));
    let row = |row: usize| {
        let fixed = particles.fixed_flags()[row] != 0;
        Record::new(positions.map(|x| x[row]), velocities.map(|v| v[row]), 0.0, fixed)
    };
    records.extend((0..particles.len()).map(row));
}

/// About how long a particle takes through the box or, where there is none, through the cloud of particles.
pub(crate) fn crossing_time<const D: usize>(particles: &Particles, space: &Space<D>) -> f64 {
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
    let squares = particles.columns(Field::Velocity).iter().flat_map(|column| column.as_slice());
    let mean_square = squares.fold(0.0, |sum, v| sum + v * v) / (particles.len().max(1) as f64);
    let velocity = (mean_square + space.down_gravity.abs() * length).sqrt();
    4.0 * length / velocity
}
