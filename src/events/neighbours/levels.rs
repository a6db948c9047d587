//! Cells in levels by size, searched along the path of a particle, for mixtures and thin gases.
//!
//! Particles of similar size share a level: a grid of cells of its own and a margin. Each particle has a reference
//! position, which it is nowhere farther from than the margin of its level until its next update. A prediction searches
//! the cells around the path until then; so it finds every contact that comes before either of the two is predicted again
//! (docs/methods/events.md, section 4.4). Nothing but the cells is kept up to date, where neighbour lists would change
//! more often than they are read.

use super::candidates::Candidates;
use super::cells::{CellPosition, Cells};
use super::margins::{Population, margins};
use super::neighbour_lists::{ALL_PAIRS_BELOW, LEAST_MARGIN, SQUARES_IN_SINGLE, margin_along, region};
use super::path::Path;
use super::{Neighbourhood, ParticleSlices};
use crate::events::state::{Domain, EngineState, FlightState};
use crate::soa::level::{self, Kernel};
use crate::soa::prefetch;
use crate::soa::simd::Simd;

/// Particles of similar size, either all free to move or all fixed.
#[derive(Debug, Clone)]
struct Level {
    cells: Cells,
    /// Largest radius, in metres.
    radius: f64,
    /// Largest distance of a particle from its reference position, in metres.
    margin: f64,
    fixed: bool,
}

/// Level and cell of a particle.
#[derive(Debug, Clone, Copy)]
struct Place {
    level: u32,
    cell: u32,
}

/// The level of particles that do not collide.
const NO_LEVEL: u32 = u32::MAX;

/// All particles that collide, in the cells of their levels.
#[derive(Debug, Clone)]
pub(crate) struct Levels {
    /// First those that move, then those that are fixed; each from large to small.
    levels: Vec<Level>,
    places: Vec<Place>,
}

/// Ratio of the largest radii of one level and the next.
const RATIO: f64 = 3.0;

/// Number of levels by size; all that is smaller shares the last one.
const MOST_SIZES: usize = 6;

/// Density, in particles per volume of a cube of one mean diameter, below which neighbour lists are updated more often than
/// they are read, as measured.
const THIN: f64 = 0.15;

/// Ratio of two margins from which the better one is worth building all levels again.
const DIFFERENT: f64 = 1.5;

/// Largest radius over the mean one from which levels are faster than one grid for all, as measured.
const MIXED: f64 = 2.0;

impl Levels {
    /// Whether levels are faster than neighbour lists: in mixtures of very different sizes, in thin gases, and under gravity.
    pub(crate) fn suit<const D: usize>(domain: &Domain<D>, slices: ParticleSlices, now: f64) -> bool {
        if domain.down_gravity != 0.0 {
            return true;
        }
        let rows = slices.radii.len() as f64;
        let mean = slices.radii.iter().sum::<f64>() / rows;
        let largest = slices.radii.iter().fold(0.0_f64, |most, &radius| most.max(radius));
        let (_, extent) = region(domain, slices.flights, now);
        let volume: f64 = extent.iter().map(|&length| length.max(2.0 * mean)).product();
        largest > MIXED * mean || rows * (2.0 * mean).powi(D as i32) < THIN * volume
    }

    /// All particles in levels; `None` where the box is too small for a useful margin along some axis, or distances are too
    /// large or too small for single precision.
    pub(crate) fn new<const D: usize>(domain: &Domain<D>, slices: ParticleSlices, now: f64) -> Option<Self> {
        let Design { populations, numbers, margins, largest, lower, extent } =
            Design::<D>::new(domain, slices, now)?;
        let mut levels = Vec::with_capacity(populations.len());
        for (population, margin) in populations.iter().zip(margins) {
            let reach = 2.0 * population.radius + margin;
            if !SQUARES_IN_SINGLE.contains(&(largest + reach)) || !SQUARES_IN_SINGLE.contains(&reach) {
                return None;
            }
            let cells = Cells::new(&domain.enclosure, lower, extent, population.count, reach, [false; D]);
            levels.push(Level { cells, radius: population.radius, margin, fixed: population.fixed });
        }
        let places = numbers.into_iter().map(|level| Place { level, cell: 0 }).collect();
        let mut filled = Self { levels, places };
        level::run(Fill { levels: &mut filled, domain, slices, now });
        Some(filled)
    }

    /// Whether very different margins have become better, because speeds have changed.
    pub(crate) fn are_outdated<const D: usize>(
        &self,
        domain: &Domain<D>,
        slices: ParticleSlices,
        now: f64,
    ) -> bool {
        let far = |one: f64, two: f64| one > DIFFERENT * two || two > DIFFERENT * one;
        Design::<D>::new(domain, slices, now).is_some_and(|better| {
            self.levels.iter().zip(better.margins).any(|(level, margin)| far(level.margin, margin))
        })
    }

    /// The time until which a reference position may hold that is set at `now`.
    #[inline(always)]
    pub(crate) fn end_of_validity<const D: usize>(
        &self,
        row: usize,
        domain: &Domain<D>,
        flight: &FlightState,
        now: f64,
    ) -> f64 {
        match self.levels.get(self.places[row].level as usize) {
            Some(level) => now + 2.0 * half_validity(level.margin, domain, flight, now),
            None => f64::INFINITY,
        }
    }

    /// Gives particles new reference positions: where they are at these times.
    ///
    /// All of them are computed before any is moved, so that the CPU need not wait for one after the other.
    #[inline(always)]
    pub(crate) fn renew<S: Simd, const N: usize, const D: usize>(
        &mut self,
        rows: [usize; N],
        times: [f64; N],
        domain: &Domain<D>,
        flights: &[FlightState],
    ) {
        let mut positions = [CellPosition::default(); N];
        for n in 0..N {
            let level = self.places[rows[n]].level;
            if level != NO_LEVEL {
                let path = Path::new::<D>(&flights[rows[n]], times[n], times[n], domain.down_gravity);
                positions[n] = self.levels[level as usize].cells.locate_start::<S, D>(&path);
            }
        }
        for n in 0..N {
            let place = &mut self.places[rows[n]];
            if !flights[rows[n]].is_fixed() && place.level != NO_LEVEL {
                let level = &mut self.levels[place.level as usize];
                level.cells.relocate::<S>(rows[n], place.cell, &positions[n]);
                place.cell = positions[n].cell;
            }
        }
    }

    /// Finds the particles of all levels that are fixed, or of those that are not, with which particles of these radii may be
    /// in contact on their paths.
    #[inline(always)]
    pub(crate) fn find<S: Simd, const N: usize, const D: usize>(
        &self,
        fixed: bool,
        paths: &[Path<S::Block>; N],
        radii: [f64; N],
        found: &mut [Candidates; N],
    ) {
        for level in self.levels.iter().filter(|level| level.fixed == fixed) {
            let mut reaches = radii;
            for reach in &mut reaches {
                *reach += level.radius + level.margin;
            }
            level.cells.find_along::<S, N, D>(paths, reaches, found);
        }
    }

    /// Whether there are particles that are fixed.
    #[inline(always)]
    pub(crate) fn has_fixed(&self) -> bool {
        self.levels.last().is_some_and(|level| level.fixed)
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, row: usize) {
        prefetch::near(&self.places, row);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let cells: usize = self.levels.iter().map(|level| level.cells.memory_bytes()).sum();
        cells + self.places.capacity() * size_of::<Place>()
    }

    /// Calls `check` with all pairs of particles that may overlap at `now`.
    pub(super) fn near_pairs<const D: usize>(
        &self,
        domain: &Domain<D>,
        slices: ParticleSlices,
        now: f64,
        check: &mut dyn FnMut(usize, usize),
    ) {
        level::run(NearPairs { levels: self, domain, slices, now, check });
    }
}

/// The levels of a run before they are built.
struct Design<const D: usize> {
    /// The particles of each level.
    populations: Vec<Population>,
    /// The level of each particle.
    numbers: Vec<u32>,
    /// The margin of each level, in metres.
    margins: Vec<f64>,
    /// Largest radius, in metres.
    largest: f64,
    /// Lower corner and size of the region with all particles.
    lower: [f64; D],
    extent: [f64; D],
}

impl<const D: usize> Design<D> {
    /// `None` for few particles, and where the box is too small for a useful margin along some axis.
    fn new(domain: &Domain<D>, slices: ParticleSlices, now: f64) -> Option<Self> {
        if slices.flights.len() < ALL_PAIRS_BELOW {
            return None;
        }
        let largest = slices.radii.iter().fold(0.0_f64, |most, &radius| most.max(radius));
        let periods = domain.period.into_iter().filter(|&period| period > 0.0);
        let allowed = periods.map(|period| margin_along(period, 2.0 * largest)).fold(f64::INFINITY, f64::min);
        if allowed <= LEAST_MARGIN * 2.0 * largest {
            return None;
        }
        let (populations, numbers) = populations::<D>(domain, slices, largest, now);
        let (lower, extent) = region(domain, slices.flights, now);
        let volume: f64 = extent.iter().map(|&length| length.max(2.0 * largest)).product();
        let margins = margins::<D>(&populations, volume, allowed);
        Some(Self { populations, numbers, margins, largest, lower, extent })
    }
}

/// Half the time for which a particle is within `margin` of where it is halfway.
///
/// In a time `t` before or after that it moves by at most `(v + g t) t + g t^2 / 2`, `v` being the speed at the start.
#[inline(always)]
fn half_validity<const D: usize>(margin: f64, domain: &Domain<D>, flight: &FlightState, now: f64) -> f64 {
    let (_, velocity) = flight.at::<D>(now, domain.down_gravity);
    let square = velocity.iter().fold(0.0, |sum, v| sum + v * v);
    if domain.down_gravity == 0.0 {
        return margin / square.sqrt();
    }
    2.0 * margin / (square.sqrt() + (square + 6.0 * domain.down_gravity.abs() * margin).sqrt())
}

/// The reference position of a particle from `now` on.
#[inline(always)]
fn reference<const D: usize>(margin: f64, domain: &Domain<D>, flight: &FlightState, now: f64) -> [f64; D] {
    let half = if flight.is_fixed() { 0.0 } else { half_validity(margin, domain, flight, now) };
    let time = if half < f64::INFINITY { now + half } else { now };
    flight.at(time, domain.down_gravity).0
}

/// The particles of each level, and the level of each particle.
fn populations<const D: usize>(
    domain: &Domain<D>,
    slices: ParticleSlices,
    largest: f64,
    now: f64,
) -> (Vec<Population>, Vec<u32>) {
    let class = |row: usize| {
        let size = (1..MOST_SIZES)
            .find(|&size| slices.radii[row] * RATIO.powi(size as i32) > largest)
            .unwrap_or(MOST_SIZES);
        size - 1 + if slices.flights[row].is_fixed() { MOST_SIZES } else { 0 }
    };
    let mut classes = [Population { count: 0, radius: 0.0, speed: 0.0, fixed: false }; 2 * MOST_SIZES];
    let rows = || 0..slices.flights.len();
    for row in rows().filter(|&row| slices.collides(row)) {
        let population = &mut classes[class(row)];
        population.count += 1;
        population.radius = population.radius.max(slices.radii[row]);
        population.fixed = slices.flights[row].is_fixed();
        let (_, velocity) = slices.flights[row].at::<D>(now, domain.down_gravity);
        population.speed += velocity.iter().fold(0.0, |sum, v| sum + v * v).sqrt();
    }
    for population in classes.iter_mut().filter(|population| population.count > 0) {
        let falling = if population.fixed { 0.0 } else { domain.down_gravity.abs() * population.radius };
        population.speed = population.speed / population.count as f64 + falling.sqrt();
    }
    let number = |row: usize| {
        if !slices.collides(row) {
            return NO_LEVEL;
        }
        classes[..class(row)].iter().filter(|population| population.count > 0).count() as u32
    };
    let numbers = rows().map(number).collect();
    (classes.into_iter().filter(|population| population.count > 0).collect(), numbers)
}

/// Puts all particles that collide into the cells of their levels.
struct Fill<'a, const D: usize> {
    levels: &'a mut Levels,
    domain: &'a Domain<D>,
    slices: ParticleSlices<'a>,
    now: f64,
}

impl<const D: usize> Kernel for Fill<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { levels: Levels { levels, places }, domain, slices, now } = self;
        for (row, place) in places.iter_mut().enumerate().filter(|(_, place)| place.level != NO_LEVEL) {
            let level = &mut levels[place.level as usize];
            let position = level.cells.locate(reference(level.margin, domain, &slices.flights[row], now));
            place.cell = position.cell;
            level.cells.insert::<S>(row, &position);
        }
    }
}

/// Calls `check` with all pairs of particles that may overlap.
struct NearPairs<'a, const D: usize> {
    levels: &'a Levels,
    domain: &'a Domain<D>,
    slices: ParticleSlices<'a>,
    now: f64,
    check: &'a mut dyn FnMut(usize, usize),
}

impl<const D: usize> Kernel for NearPairs<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { levels, domain, slices, now, check } = self;
        let mut found = [Candidates::NONE];
        for row in (0..slices.flights.len()).filter(|&row| slices.collides(row)) {
            found[0].clear();
            let path = Path::new::<D>(&slices.flights[row], now, now, domain.down_gravity);
            for fixed in [false, true] {
                levels.find::<S, 1, D>(fixed, &[path], [slices.radii[row]], &mut found);
            }
            for &other in found[0].filled_up(1, row).into_iter().flatten() {
                check(row, other as usize);
            }
        }
    }
}

impl<const D: usize> EngineState<D> {
    /// Renews the reference positions of particles that have just been predicted, if there are levels: where they will be
    /// halfway until they are predicted again, or now if that is never.
    #[inline(always)]
    pub(crate) fn renew_references<S: Simd, const N: usize>(&mut self, rows: [usize; N], now: f64) {
        if let Neighbourhood::Levels(levels) = &mut self.neighbourhood {
            let mut times = [now; N];
            for n in 0..N {
                times[n] = halfway(now, self.plans[rows[n]].due);
            }
            levels.renew::<S, N, D>(rows, times, &self.domain, &self.flights);
        }
    }

    /// Renews the reference position of a particle that is about to be predicted with all others, if there are levels: where
    /// it will be halfway until it must be predicted again.
    #[inline(always)]
    pub(crate) fn renew_reference_first<S: Simd>(&mut self, row: usize, now: f64) {
        if let Neighbourhood::Levels(levels) = &mut self.neighbourhood {
            let end = levels.end_of_validity(row, &self.domain, &self.flights[row], now);
            levels.renew::<S, 1, D>([row], [halfway(now, end)], &self.domain, &self.flights);
        }
    }
}

/// The time halfway from `now` until `end`, or `now` if that is never.
#[inline(always)]
fn halfway(now: f64, end: f64) -> f64 {
    let halfway = 0.5 * (now + end);
    if halfway < f64::INFINITY { halfway } else { now }
}
