//! Symmetric neighbour lists (Verlet lists), updated one particle at a time.
//!
//! Each particle has a reference position, set at its last neighbour update. Two particles are neighbours if their
//! reference positions are closer than the sum of their radii and two margins. A particle is updated again before it is a
//! margin away from its reference position; so particles that are not neighbours cannot collide
//! (docs/methods/events.md).

use std::ops::RangeInclusive;

use super::cells::{CellPosition, Cells};
use super::lists::Lists;
use super::search_result::{PADDING, SearchResult};
use crate::events::enclosure::Boundary;
use crate::events::schedule::PREFETCH_FROM;
use crate::events::state::{Domain, FlightState};
use crate::particles::{Field, Particles};
use crate::soa::block::LANES;
use crate::soa::huge_pages;
use crate::soa::level::{self, Kernel};
use crate::soa::prefetch;
use crate::soa::simd::Simd;

/// The properties of all particles that decide which of them are neighbours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParticleSlices<'a> {
    pub flights: &'a [FlightState],
    pub radii: &'a [f64],
    pub masses: &'a [f64],
}

impl<'a> ParticleSlices<'a> {
    #[inline]
    pub(crate) fn new(particles: &'a Particles, flights: &'a [FlightState]) -> Self {
        let masses = particles.columns(Field::Mass)[0].as_slice();
        Self { flights, radii: particles.radii(), masses }
    }

    pub(crate) fn collides(&self, row: usize) -> bool {
        self.masses[row] > 0.0
    }
}

/// Reference positions, cells and lists.
#[derive(Debug, Clone)]
pub(crate) struct NeighbourLists<const D: usize> {
    cells: Cells,
    pub lists: Lists,
    references: Vec<[f64; D]>,
    /// Largest distance of a particle from its reference position, in metres.
    pub margin: f64,
    largest_radius: f64,
    /// The largest margin that the box allows.
    allowed: f64,
    /// Whether the search in cells needs no second test: all radii are the same, and no axis is open.
    cells_suffice: bool,
    /// Whether a periodic axis is so short that several images of a neighbour may be within range. Positions along that axis
    /// do not count in the search.
    pub several_images: bool,
    found: SearchResult,
    added: Vec<[u32; LANES]>,
}

/// With fewer particles the search of all pairs is faster.
pub(super) const ALL_PAIRS_BELOW: usize = 24;

/// Distance of a new reference position ahead of its particle, in margins, if no collision comes before.
const REFERENCE_LEAD: f64 = 0.8;

/// Factor on distances that covers the rounding of positions in cells, which are in single precision.
pub(super) const SINGLE_PRECISION_SLACK: f64 = 1.0 + 1e-5;

/// Distances in metres whose squares neither overflow nor lose digits in single precision. Outside of this range there are
/// no neighbour lists.
pub(super) const SQUARES_IN_SINGLE: RangeInclusive<f64> = 1e-17..=1e18;

impl<const D: usize> NeighbourLists<D> {
    /// Lists with about the best margin; `None` where the search of all pairs is faster or, in a periodic box that is short
    /// along all axes, the only correct way.
    pub(crate) fn new(domain: &Domain<D>, slices: ParticleSlices, now: f64) -> Option<Self> {
        let margin = suitable_margin(domain, slices, now)?;
        Self::with_margin(domain, slices, now, margin)
    }

    /// Lists with this margin, or the largest that the box allows; `None` if it is too small.
    pub(crate) fn with_margin(
        domain: &Domain<D>,
        slices: ParticleSlices,
        now: f64,
        margin: f64,
    ) -> Option<Self> {
        let largest_radius = slices.radii.iter().fold(0.0_f64, |most, &radius| most.max(radius));
        let contact_distance = 2.0 * largest_radius;
        let tight = domain.period.map(|period| {
            period > 0.0 && margin_along(period, contact_distance) <= LEAST_MARGIN * contact_distance
        });
        let allowed =
            domain.period.iter().zip(tight).fold(f64::INFINITY, |least, (&period, tight)| match tight {
                _ if period == 0.0 => least,
                // The offset from the reference position must not reach the next image.
                true => least.min(0.45 * period),
                false => least.min(margin_along(period, contact_distance)),
            });
        let margin = margin.min(allowed);
        if slices.flights.len() < ALL_PAIRS_BELOW
            || margin <= LEAST_MARGIN * contact_distance
            || margin <= 0.0
            || tight == [true; D]
        {
            return None;
        }
        let (lower, extent) = region(domain, slices.flights, now);
        let cutoff = (contact_distance + 2.0 * margin) * SINGLE_PRECISION_SLACK * SINGLE_PRECISION_SLACK;
        if !SQUARES_IN_SINGLE.contains(&cutoff) {
            return None;
        }
        let cells = Cells::new(&domain.enclosure, lower, extent, slices.flights.len(), cutoff, tight);
        let cells_suffice = slices.radii.iter().all(|&radius| radius == largest_radius)
            && !domain.enclosure.boundaries.contains(&Boundary::Open);
        let mut references = huge_pages::with_capacity(slices.flights.len());
        references.extend(slices.flights.iter().map(|flight| flight.at::<D>(now, domain.down_gravity).0));
        let lists = Lists::default();
        let (found, added) = (SearchResult::default(), Vec::new());
        let several_images = tight.contains(&true);
        let mut neighbours = Self {
            cells,
            lists,
            references,
            margin,
            largest_radius,
            allowed,
            cells_suffice,
            several_images,
            found,
            added,
        };
        level::run(Fill { neighbours: &mut neighbours, slices });
        Some(neighbours)
    }

    /// The neighbours of a particle that is in its cell already.
    #[inline(always)]
    fn find_others<S: Simd>(&mut self, row: usize, slices: ParticleSlices) -> SearchResult {
        self.find::<S>(row, &self.cells.locate(self.references[row]), slices);
        self.found.retain(|other| other != row);
        std::mem::take(&mut self.found)
    }

    /// Finds the neighbours of a particle at this position, including itself if it is in a cell.
    #[inline(always)]
    fn find<S: Simd>(&mut self, row: usize, position: &CellPosition, slices: ParticleSlices) {
        let sum =
            if self.cells_suffice { self.largest_radius } else { slices.radii[row] } + self.largest_radius;
        let cutoff = ((sum + 2.0 * self.margin) * SINGLE_PRECISION_SLACK + self.cells.rounding) as f32;
        self.cells.find_near::<S, D>(position, cutoff, &mut self.found);
        if !self.cells_suffice || slices.flights[row].is_fixed() {
            S::call(DropFarAndFixed { neighbours: self, row, slices });
        }
    }

    /// Position of a particle relative to its reference position.
    #[inline(always)]
    pub(crate) fn offset(&self, domain: &Domain<D>, row: usize, position: [f64; D]) -> [f64; D] {
        let (mut offset, reference) = (position, &self.references[row]);
        for k in 0..D {
            offset[k] -= reference[k];
            offset[k] -= domain.image_shift(k, offset[k]);
        }
        offset
    }

    /// A new reference position for a particle that flies on for `duration` seconds: ahead of it, so that the next update
    /// comes later.
    #[inline(always)]
    pub(crate) fn reference_ahead(
        &self,
        mut position: [f64; D],
        velocity: [f64; D],
        duration: f64,
    ) -> [f64; D] {
        let length = velocity.iter().fold(0.0, |sum, v| sum + v * v).sqrt();
        if length > 0.0 {
            let ahead = (self.margin * REFERENCE_LEAD).min(length * duration);
            for (x, v) in position.iter_mut().zip(velocity) {
                *x += ahead * (v / length);
            }
        }
        position
    }

    /// Gives a particle a new reference position and updates its list and those of its old and new neighbours.
    #[inline(always)]
    pub(crate) fn update<S: Simd>(&mut self, row: usize, reference: [f64; D], slices: ParticleSlices) {
        let (old, new) = (self.cells.locate(self.references[row]), self.cells.locate(reference));
        self.references[row] = reference;
        self.find::<S>(row, &new, slices);
        self.cells.relocate::<S>(row, old.cell, &new);
        self.added.clear();
        let found = std::mem::take(&mut self.found);
        if found.rows().len() <= 64 && self.lists.of(row).len() <= 64 {
            self.apply_few::<S>(row, &found, slices);
        } else {
            S::call(ApplyMany { neighbours: self, row, found: &found });
        }
        self.found = found;
    }

    /// Adds the neighbours that were found and not listed, and removes those that were listed and not found.
    #[inline(always)]
    fn apply_few<S: Simd>(&mut self, row: usize, found: &SearchResult, slices: ParticleSlices) {
        let [known, mut gone] = compare::<S>(row, self.lists.of(row), found.blocks());
        let mut new = !known & u64::MAX.checked_shr(64 - found.rows().len() as u32).unwrap_or(0);
        let mut to_prefetch = if slices.flights.len() < PREFETCH_FROM { 0 } else { new };
        while to_prefetch != 0 {
            let other = found.rows()[to_prefetch.trailing_zeros() as usize] as usize;
            self.lists.prefetch_head(other);
            prefetch::near(slices.flights, other);
            to_prefetch &= to_prefetch - 1;
        }
        // From the last to the first, because a removal moves the last entry into the gap.
        while gone != 0 {
            let at = 63 - gone.leading_zeros() as usize;
            let other = self.lists.of(row)[at] as usize;
            self.lists.remove_at(row, at);
            self.lists.remove::<S>(other, row);
            gone &= !(1 << at);
        }
        let mut count = 0;
        while new != 0 {
            self.link(row, found.rows()[new.trailing_zeros() as usize], count);
            new &= new - 1;
            count += 1;
        }
    }

    /// Puts two particles on each other's list; `count` were added before in this update.
    #[inline(always)]
    fn link(&mut self, row: usize, other: u32, count: usize) {
        self.lists.add(row, other as usize);
        self.lists.add(other as usize, row);
        if count.is_multiple_of(LANES) {
            self.added.push([row as u32; LANES]);
        }
        if let Some(block) = self.added.last_mut() {
            block[count % LANES] = other;
        }
    }

    /// Neighbours that the last update added, in blocks that are filled up with the particle's own row.
    pub(crate) fn added(&self) -> &[[u32; LANES]] {
        &self.added
    }

    /// Prefetches the reference position of a particle and the head of its list.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: usize) {
        self.lists.prefetch_head(row);
        prefetch::near(&self.references, row);
    }

    /// Prefetches the heads of the lists of a particle's neighbours.
    #[inline(always)]
    pub(crate) fn prefetch_lists(&self, row: usize) {
        self.lists.of(row).iter().for_each(|&other| self.lists.prefetch_head(other as usize));
    }

    /// Prefetches the cells that an update of a particle searches.
    #[inline(always)]
    pub(crate) fn prefetch_cells(&self, row: usize) {
        let cutoff = 2.0 * (self.largest_radius + self.margin);
        self.cells.prefetch_near::<D>(&self.cells.locate(self.references[row]), cutoff as f32);
    }

    /// A better margin, if the mean length of the lists is far from the best: short lists are updated too often, long ones
    /// make predictions slow.
    pub(crate) fn better_margin(&self) -> Option<f64> {
        let mean = self.lists.entries() as f64 / self.references.len() as f64;
        if mean < 0.5 * wanted_neighbours::<D>() && 1.1 * self.margin < self.allowed {
            Some(self.margin * 1.5)
        } else if mean > 3.0 * wanted_neighbours::<D>() && self.margin > 0.2 * self.largest_radius {
            Some(self.margin / 1.5)
        } else {
            None
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes()
            + self.lists.memory_bytes()
            + self.references.capacity() * size_of::<[f64; D]>()
            + self.found.memory_bytes()
            + self.added.capacity() * size_of::<[u32; LANES]>()
    }
}

/// Puts all particles that collide into cells and lists.
struct Fill<'a, const D: usize> {
    neighbours: &'a mut NeighbourLists<D>,
    slices: ParticleSlices<'a>,
}

impl<const D: usize> Kernel for Fill<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { neighbours, slices } = self;
        let rows = slices.flights.len();
        for row in (0..rows).filter(|&row| slices.collides(row)) {
            let position = neighbours.cells.locate(neighbours.references[row]);
            neighbours.cells.insert::<S>(row, &position);
        }
        let mut pairs = 0;
        for row in (0..rows).filter(|&row| slices.collides(row)).step_by(16) {
            pairs += 16 * neighbours.find_others::<S>(row, slices).rows().len();
        }
        neighbours.lists.restart(rows, pairs / rows + 3);
        for row in (0..rows).filter(|&row| slices.collides(row)) {
            let found = neighbours.find_others::<S>(row, slices);
            for other in found.rows().iter().map(|&other| other as usize).filter(|&other| other > row) {
                neighbours.lists.add(row, other);
                neighbours.lists.add(other, row);
            }
            neighbours.found = found;
        }
    }
}

/// Drops particles that only larger ones would have as neighbours, and pairs of two fixed particles, from those found.
///
/// A kernel although it has no blocks: above the portable level rounding is one instruction.
struct DropFarAndFixed<'a, const D: usize> {
    neighbours: &'a mut NeighbourLists<D>,
    row: usize,
    slices: ParticleSlices<'a>,
}

impl<const D: usize> Kernel for DropFarAndFixed<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { neighbours: NeighbourLists { cells, references, margin, found, .. }, row, slices } = self;
        let fixed = slices.flights[row].is_fixed();
        found.retain(
            #[inline(always)]
            |other| {
                let sum = slices.radii[row] + slices.radii[other];
                let cutoff = (sum + 2.0 * *margin) * SINGLE_PRECISION_SLACK;
                let mut apart = references[row];
                for k in 0..D {
                    apart[k] -= references[other][k];
                }
                !(fixed && slices.flights[other].is_fixed()) && cells.square_around(apart) <= cutoff * cutoff
            },
        );
    }
}

/// What [`NeighbourLists::apply_few`] does, for more than 64 neighbours.
struct ApplyMany<'a, const D: usize> {
    neighbours: &'a mut NeighbourLists<D>,
    row: usize,
    found: &'a SearchResult,
}

impl<const D: usize> Kernel for ApplyMany<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { neighbours, row, found } = self;
        let mut rows = found.rows().to_vec();
        rows.sort_unstable();
        let mut known: Vec<u32> = neighbours.lists.of(row).to_vec();
        known.sort_unstable();
        for &other in known.iter().filter(|other| rows.binary_search(other).is_err()) {
            neighbours.lists.remove::<S>(row, other as usize);
            neighbours.lists.remove::<S>(other as usize, row);
        }
        let is_new = |other: &u32| *other != row as u32 && known.binary_search(other).is_err();
        let new = rows.into_iter().filter(is_new);
        for (count, other) in new.enumerate() {
            neighbours.link(row, other, count);
        }
    }
}

/// Two masks for at most 64 entries each: which of those found are on the list or the particle itself, and which on the
/// list were not found.
#[inline(always)]
fn compare<S: Simd>(row: usize, list: &[u32], found: &[[u32; PADDING]]) -> [u64; 2] {
    if let [rows] = found {
        let (mut known, mut gone) = (u64::from(S::equal_bits16(rows, row as u32)), 0);
        for (at, &other) in list.iter().enumerate() {
            let bits = S::equal_bits16(rows, other);
            known |= u64::from(bits);
            gone |= u64::from(bits == 0) << at;
        }
        return [known, gone];
    }
    let (mut known, mut gone) = (equal_bits_in_blocks::<S>(found, row as u32), 0);
    for (at, &other) in list.iter().enumerate() {
        let bits = equal_bits_in_blocks::<S>(found, other);
        known |= bits;
        gone |= u64::from(bits == 0) << at;
    }
    [known, gone]
}

/// One bit for each of at most 64 numbers that is `value`, the first one lowest.
#[inline(always)]
fn equal_bits_in_blocks<S: Simd>(blocks: &[[u32; PADDING]], value: u32) -> u64 {
    let mut bits = 0;
    for (block, numbers) in blocks.iter().enumerate() {
        bits |= u64::from(S::equal_bits16(numbers, value)) << (PADDING * block);
    }
    bits
}

/// Smallest useful margin, in units of the largest contact distance.
pub(super) const LEAST_MARGIN: f64 = 0.05;

/// The largest margin along a periodic axis with which only the nearest image of a neighbour can come into contact before
/// the next update, and three cells fit.
pub(super) fn margin_along(period: f64, contact_distance: f64) -> f64 {
    (0.125 * period - 0.25 * contact_distance).min(period / 6.01 - 0.5 * contact_distance)
}

/// Best mean length of a list, as measured.
fn wanted_neighbours<const D: usize>() -> f64 {
    [3.0, 7.0, 11.0][D - 1]
}

/// Lower corner and size of the box; along open axes those of the extent of all particles.
pub(super) fn region<const D: usize>(
    domain: &Domain<D>,
    flights: &[FlightState],
    now: f64,
) -> ([f64; D], [f64; D]) {
    let (mut lower, mut upper) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D]);
    for flight in flights {
        let (position, _) = flight.at::<D>(now, domain.down_gravity);
        for k in 0..D {
            lower[k] = lower[k].min(position[k]);
            upper[k] = upper[k].max(position[k]);
        }
    }
    for k in (0..D).filter(|&k| !domain.enclosure.is(k, Boundary::Open)) {
        (lower[k], upper[k]) = (domain.enclosure.lower[k], domain.enclosure.upper[k]);
    }
    (lower, std::array::from_fn(|k| upper[k] - lower[k]))
}

/// The margin with which lists have about the best length.
fn suitable_margin<const D: usize>(domain: &Domain<D>, slices: ParticleSlices, now: f64) -> Option<f64> {
    let rows = slices.flights.len();
    if rows < ALL_PAIRS_BELOW {
        return None;
    }
    let mean_radius = slices.radii.iter().sum::<f64>() / rows as f64;
    let (_, extent) = region(domain, slices.flights, now);
    let volume: f64 = extent.iter().map(|&length| length.max(2.0 * mean_radius)).product();
    let unit_ball = [2.0, std::f64::consts::PI, 4.0 * std::f64::consts::FRAC_PI_3][D - 1];
    let shell = (wanted_neighbours::<D>() * volume / (unit_ball * rows as f64)).powf(1.0 / D as f64);
    Some(0.5 * (shell - 2.0 * mean_radius).max(0.3 * 2.0 * mean_radius))
}
