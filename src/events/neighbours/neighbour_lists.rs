//! Who is near whom: symmetric lists, renewed one particle at a time.
//!
//! Each particle has a site, where it was when it last looked around. Two particles are neighbours if their sites are
//! nearer than the sum of their radii and two margins. A particle looks around again before it is a margin away from
//! its site; so particles that are not neighbours cannot meet.

use std::ops::RangeInclusive;

use crate::events::enclosure::Boundary;
use crate::events::neighbours::cells::{Cells, Found, PADDING, Site};
use crate::events::neighbours::lists::Lists;
use crate::events::state::domain::Space;
use crate::events::state::flight_state::Record;
use crate::events::state::huge_pages;
use crate::particles::{Field, Particles};
use crate::soa::lanes::{self, LANES};

/// Which particles there are, as far as neighbours go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crowd<'a> {
    pub records: &'a [Record],
    pub radii: &'a [f64],
    pub masses: &'a [f64],
}

impl<'a> Crowd<'a> {
    #[inline]
    pub(crate) fn new(particles: &'a Particles, records: &'a [Record]) -> Self {
        let masses = particles.columns(Field::Mass)[0].as_slice();
        Self { records, radii: particles.radii(), masses }
    }

    pub(crate) fn collides(&self, row: usize) -> bool {
        self.masses[row] > 0.0
    }
}

/// Sites, cells and lists.
#[derive(Debug, Clone)]
pub(crate) struct Neighbours<const D: usize> {
    cells: Cells,
    pub lists: Lists,
    sites: Vec<[f64; D]>,
    /// How far a particle may be from its site, in metres.
    pub margin: f64,
    largest_radius: f64,
    /// The largest margin that the box allows.
    allowed: f64,
    /// Whether cells alone decide: all radii are the same, and no axis is open.
    plain: bool,
    /// Whether a periodic axis is so short that several images of a neighbour may come near. Along it everyone is a
    /// neighbour.
    pub sees_images: bool,
    /// How often particles have looked around.
    pub looks: u64,
    found: Found,
    newcomers: Vec<[u32; LANES]>,
}

/// Fewer particles are in the cache anyway.
pub(crate) const CACHED: usize = 4096;

/// Fewer particles look at everyone.
const FEW: usize = 24;

/// How far ahead of a particle its new site is, in margins, if no collision comes before.
const AHEAD: f64 = 0.8;

/// Cells hold places in single precision.
const SINGLE: f64 = 1.0 + 1e-5;

/// Distances in metres whose squares neither overflow nor lose digits in single precision. What is larger or smaller
/// does without cells.
const SQUARES_IN_SINGLE: RangeInclusive<f64> = 1e-17..=1e18;

impl<const D: usize> Neighbours<D> {
    /// Lists with about the best margin; `None` where looking at everyone is better or, in a periodic box that is tight
    /// along all axes, the only way.
    pub(crate) fn new(space: &Space<D>, crowd: Crowd, now: f64) -> Option<Self> {
        let margin = suitable_margin(space, crowd, now)?;
        Self::with_margin(space, crowd, now, margin)
    }

    /// Lists with this margin, or the largest that the box allows; `None` if it is too small.
    pub(crate) fn with_margin(space: &Space<D>, crowd: Crowd, now: f64, margin: f64) -> Option<Self> {
        let largest_radius = crowd.radii.iter().fold(0.0_f64, |most, &radius| most.max(radius));
        let reach = 2.0 * largest_radius;
        let tight =
            space.period.map(|period| period > 0.0 && margin_along(period, reach) <= LEAST_MARGIN * reach);
        let allowed =
            space.period.iter().zip(tight).fold(f64::INFINITY, |least, (&period, tight)| match tight {
                _ if period == 0.0 => least,
                // Who leaves its site is not taken for an image of itself.
                true => least.min(0.45 * period),
                false => least.min(margin_along(period, reach)),
            });
        let margin = margin.min(allowed);
        if crowd.records.len() < FEW || margin <= LEAST_MARGIN * reach || margin <= 0.0 || tight == [true; D]
        {
            return None;
        }
        let (lower, extent) = region(space, crowd.records, now);
        let far = (reach + 2.0 * margin) * SINGLE * SINGLE;
        if !SQUARES_IN_SINGLE.contains(&far) {
            return None;
        }
        let cells = Cells::new(&space.enclosure, lower, extent, crowd.records.len(), far, tight);
        let plain = crowd.radii.iter().all(|&radius| radius == largest_radius)
            && !space.enclosure.boundaries.contains(&Boundary::Open);
        let mut sites = huge_pages::roomy(crowd.records.len());
        sites.extend(crowd.records.iter().map(|record| record.at::<D>(now, space.down_gravity).0));
        let lists = Lists::default();
        let (found, newcomers) = (Found::default(), Vec::new());
        let sees_images = tight.contains(&true);
        let mut near = Self {
            cells,
            lists,
            sites,
            margin,
            largest_radius,
            allowed,
            plain,
            sees_images,
            looks: 0,
            found,
            newcomers,
        };
        near.fill(crowd);
        Some(near)
    }

    /// Puts everyone into cells and lists.
    fn fill(&mut self, crowd: Crowd) {
        let rows = crowd.records.len();
        for row in (0..rows).filter(|&row| crowd.collides(row)) {
            self.cells.insert(row, &self.cells.locate(self.sites[row]));
        }
        let mut pairs = 0;
        for row in (0..rows).filter(|&row| crowd.collides(row)).step_by(16) {
            pairs += 16 * self.find_others(row, crowd).rows().len();
        }
        self.lists.restart(rows, pairs / rows + 3);
        for row in (0..rows).filter(|&row| crowd.collides(row)) {
            let found = self.find_others(row, crowd);
            for other in found.rows().iter().map(|&other| other as usize).filter(|&other| other > row) {
                self.lists.add(row, other);
                self.lists.add(other, row);
            }
            self.found = found;
        }
    }

    /// The neighbours of a particle that is in its cell.
    fn find_others(&mut self, row: usize, crowd: Crowd) -> Found {
        self.find(row, &self.cells.locate(self.sites[row]), crowd);
        self.found.retain(|other| other != row);
        std::mem::take(&mut self.found)
    }

    /// Finds the neighbours that a particle should have, and itself if it is in a cell.
    #[inline(always)]
    fn find(&mut self, row: usize, site: &Site, crowd: Crowd) {
        let sum = if self.plain { self.largest_radius } else { crowd.radii[row] } + self.largest_radius;
        let reach = ((sum + 2.0 * self.margin) * SINGLE + self.cells.rounding) as f32;
        self.cells.find_near::<D>(site, reach, &mut self.found);
        if !self.plain || crowd.records[row].is_fixed() {
            self.sift(row, crowd);
        }
    }

    /// Drops who is near only for larger particles, and pairs that both are fixed.
    fn sift(&mut self, row: usize, crowd: Crowd) {
        let (sites, margin) = (&self.sites, self.margin);
        let fixed = crowd.records[row].is_fixed();
        self.found.retain(|other| {
            let reach = (crowd.radii[row] + crowd.radii[other] + 2.0 * margin) * SINGLE;
            let apart: [f64; D] = std::array::from_fn(|k| sites[row][k] - sites[other][k]);
            !(fixed && crowd.records[other].is_fixed()) && self.cells.square_around(apart) <= reach * reach
        });
    }

    /// Where a particle is seen from its site.
    #[inline(always)]
    pub(crate) fn offset(&self, space: &Space<D>, row: usize, position: [f64; D]) -> [f64; D] {
        let (mut offset, site) = (position, &self.sites[row]);
        for k in 0..D {
            offset[k] -= site[k];
            offset[k] -= space.image_shift(k, offset[k]);
        }
        offset
    }

    /// A new site for a particle that flies on for so many seconds: ahead of it, so that it stays near for longer.
    #[inline(always)]
    pub(crate) fn site_ahead(&self, mut position: [f64; D], velocity: [f64; D], flight: f64) -> [f64; D] {
        let length = velocity.iter().fold(0.0, |sum, v| sum + v * v).sqrt();
        if length > 0.0 {
            let ahead = (self.margin * AHEAD).min(length * flight);
            for (x, v) in position.iter_mut().zip(velocity) {
                *x += ahead * (v / length);
            }
        }
        position
    }

    /// A particle looks around from a new site, and its old and new neighbours learn of it.
    #[inline(always)]
    pub(crate) fn look_around(&mut self, row: usize, site: [f64; D], crowd: Crowd) {
        self.looks += 1;
        let (old, new) = (self.cells.locate(self.sites[row]), self.cells.locate(site));
        self.sites[row] = site;
        self.find(row, &new, crowd);
        self.cells.relocate(row, &old, &new);
        self.newcomers.clear();
        let found = std::mem::take(&mut self.found);
        if found.rows().len() <= 64 && self.lists.of(row).len() <= 64 {
            self.exchange_few(row, &found, crowd);
        } else {
            self.exchange_many(row, &found);
        }
        self.found = found;
    }

    /// Brings the lists in line with what was found: who is on one side only leaves or comes.
    #[inline(always)]
    fn exchange_few(&mut self, row: usize, found: &Found, crowd: Crowd) {
        let [known, mut gone] = compare(row, self.lists.of(row), found.blocks());
        let mut new = !known & u64::MAX.checked_shr(64 - found.rows().len() as u32).unwrap_or(0);
        let mut asked = if crowd.records.len() < CACHED { 0 } else { new };
        while asked != 0 {
            let other = found.rows()[asked.trailing_zeros() as usize] as usize;
            self.lists.prefetch_head(other);
            lanes::prefetch(crowd.records, other);
            asked &= asked - 1;
        }
        // From the last on, because the last comes to the place of who leaves.
        while gone != 0 {
            let at = 63 - gone.leading_zeros() as usize;
            let other = self.lists.of(row)[at] as usize;
            self.lists.remove_at(row, at);
            self.lists.remove(other, row);
            gone &= !(1 << at);
        }
        let mut count = 0;
        while new != 0 {
            self.welcome(row, found.rows()[new.trailing_zeros() as usize], count);
            new &= new - 1;
            count += 1;
        }
    }

    /// Puts two particles on each other's list. `count` have come before.
    #[inline(always)]
    fn welcome(&mut self, row: usize, other: u32, count: usize) {
        self.lists.add(row, other as usize);
        self.lists.add(other as usize, row);
        if count.is_multiple_of(LANES) {
            self.newcomers.push([row as u32; LANES]);
        }
        if let Some(block) = self.newcomers.last_mut() {
            block[count % LANES] = other;
        }
    }

    /// Who came to the list when its particle last looked around, in blocks that are filled up with its own row.
    pub(crate) fn newcomers(&self) -> &[[u32; LANES]] {
        &self.newcomers
    }

    /// The same for a particle with very many neighbours.
    #[cold]
    fn exchange_many(&mut self, row: usize, found: &Found) {
        let mut rows = found.rows().to_vec();
        rows.sort_unstable();
        let mut known: Vec<u32> = self.lists.of(row).to_vec();
        known.sort_unstable();
        for &other in known.iter().filter(|other| rows.binary_search(other).is_err()) {
            self.lists.remove(row, other as usize);
            self.lists.remove(other as usize, row);
        }
        let is_new = |other: &u32| *other != row as u32 && known.binary_search(other).is_err();
        let new = rows.into_iter().filter(is_new);
        for (count, other) in new.enumerate() {
            self.welcome(row, other, count);
        }
    }

    /// Asks for what says where a particle is and who is near.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: usize) {
        self.lists.prefetch_head(row);
        lanes::prefetch(&self.sites, row);
    }

    /// Asks for where the lists of a particle's neighbours are.
    #[inline(always)]
    pub(crate) fn prefetch_lists(&self, row: usize) {
        self.lists.of(row).iter().for_each(|&other| self.lists.prefetch_head(other as usize));
    }

    /// Asks for the cells that a particle will search.
    #[inline(always)]
    pub(crate) fn prefetch_cells(&self, row: usize) {
        let reach = 2.0 * (self.largest_radius + self.margin);
        self.cells.prefetch_near::<D>(&self.cells.locate(self.sites[row]), reach as f32);
    }

    /// A margin that fits better, if this one has turned out bad: lists that are too short are renewed too often.
    pub(crate) fn better_margin(&self) -> Option<f64> {
        let mean = self.lists.entries() as f64 / self.sites.len() as f64;
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
            + self.sites.capacity() * size_of::<[f64; D]>()
            + self.found.memory_bytes()
            + self.newcomers.capacity() * size_of::<[u32; LANES]>()
    }
}

/// One bit for each of those found who is on the list of a particle, or the particle itself, and one for each on the list
/// who is not found; of at most 64 both.
#[inline(always)]
fn compare(row: usize, list: &[u32], found: &[[u32; PADDING]]) -> [u64; 2] {
    if let [rows] = found {
        let (mut known, mut gone) = (u64::from(lanes::equal_bits16(rows, row as u32)), 0);
        for (at, &other) in list.iter().enumerate() {
            let bits = lanes::equal_bits16(rows, other);
            known |= u64::from(bits);
            gone |= u64::from(bits == 0) << at;
        }
        return [known, gone];
    }
    let bits_of = |other: u32| {
        let blocks = found.iter().enumerate();
        blocks.fold(0, |bits, (block, rows)| {
            bits | u64::from(lanes::equal_bits16(rows, other)) << (PADDING * block)
        })
    };
    let (mut known, mut gone) = (bits_of(row as u32), 0);
    for (at, &other) in list.iter().enumerate() {
        let bits = bits_of(other);
        known |= bits;
        gone |= u64::from(bits == 0) << at;
    }
    [known, gone]
}

/// Margins below this, in units of the largest distance of contact, are not worth it.
const LEAST_MARGIN: f64 = 0.05;

/// The largest margin along a periodic axis with which only the nearest image of a neighbour may come near before
/// somebody looks again, and three cells fit.
fn margin_along(period: f64, reach: f64) -> f64 {
    (0.125 * period - 0.25 * reach).min(period / 6.01 - 0.5 * reach)
}

/// How long lists should be.
fn wanted_neighbours<const D: usize>() -> f64 {
    [3.0, 7.0, 11.0][D - 1]
}

/// Lower corner and size of the box, or where it is open of the cloud of particles.
fn region<const D: usize>(space: &Space<D>, records: &[Record], now: f64) -> ([f64; D], [f64; D]) {
    let (mut lower, mut upper) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D]);
    for record in records {
        let (position, _) = record.at::<D>(now, space.down_gravity);
        for k in 0..D {
            lower[k] = lower[k].min(position[k]);
            upper[k] = upper[k].max(position[k]);
        }
    }
    for k in (0..D).filter(|&k| !space.enclosure.is(k, Boundary::Open)) {
        (lower[k], upper[k]) = (space.enclosure.lower[k], space.enclosure.upper[k]);
    }
    (lower, std::array::from_fn(|k| upper[k] - lower[k]))
}

/// The margin with which lists have about the wanted length.
fn suitable_margin<const D: usize>(space: &Space<D>, crowd: Crowd, now: f64) -> Option<f64> {
    let rows = crowd.records.len();
    if rows < FEW {
        return None;
    }
    let mean_radius = crowd.radii.iter().sum::<f64>() / rows as f64;
    let (_, extent) = region(space, crowd.records, now);
    let volume: f64 = extent.iter().map(|&length| length.max(2.0 * mean_radius)).product();
    let unit_ball = [2.0, std::f64::consts::PI, 4.0 * std::f64::consts::FRAC_PI_3][D - 1];
    let shell = (wanted_neighbours::<D>() * volume / (unit_ball * rows as f64)).powf(1.0 / D as f64);
    Some(0.5 * (shell - 2.0 * mean_radius).max(0.3 * 2.0 * mean_radius))
}
