//! Who is near whom: symmetric lists, renewed one particle at a time.
//!
//! Each particle has a site, where it was when it last looked around. Two particles are neighbours if their sites are
//! nearer than the sum of their radii and two margins. A particle looks around again before it is a margin away from
//! its site; so particles that are not neighbours cannot meet.

use super::cells::Cells;
use super::enclosure::Boundary;
use super::lists::Lists;
use super::records::Record;
use super::space::Space;
use crate::particles::{Field, Particles};

/// Which particles there are, as far as neighbours go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crowd<'a> {
    pub records: &'a [Record],
    pub radii: &'a [f64],
    pub masses: &'a [f64],
}

impl<'a> Crowd<'a> {
    pub(super) fn new(particles: &'a Particles, records: &'a [Record]) -> Self {
        let masses = particles.columns(Field::Mass)[0].as_slice();
        Self { records, radii: particles.radii(), masses }
    }

    pub(super) fn collides(&self, row: usize) -> bool {
        self.masses[row] > 0.0
    }
}

/// Sites, cells and lists.
#[derive(Debug, Clone)]
pub(super) struct Neighbours<const D: usize> {
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
    /// How often particles have looked around.
    pub looks: u64,
    found: Vec<u32>,
}

/// Fewer particles look at everyone.
const FEW: usize = 24;

/// Cells hold places in single precision.
const SINGLE: f64 = 1.0 + 1e-5;

impl<const D: usize> Neighbours<D> {
    /// Lists with about the best margin; `None` where looking at everyone is better or, in a tight periodic box, the
    /// only way.
    pub(super) fn new(space: &Space<D>, crowd: Crowd, now: f64) -> Option<Self> {
        let margin = suitable_margin(space, crowd, now)?;
        Self::with_margin(space, crowd, now, margin)
    }

    /// Lists with this margin, or the largest that the box allows; `None` if it is too small.
    pub(super) fn with_margin(space: &Space<D>, crowd: Crowd, now: f64, margin: f64) -> Option<Self> {
        let largest_radius = crowd.radii.iter().fold(0.0_f64, |most, &radius| most.max(radius));
        let reach = 2.0 * largest_radius;
        // Only the nearest image of a neighbour may come near before somebody looks again, and three cells fit.
        let period = space.shortest_period();
        let allowed = (0.125 * period - 0.25 * reach).min(period / 6.01 - 0.5 * reach);
        let margin = margin.min(allowed);
        if crowd.records.len() < FEW || margin <= 0.02 * reach || margin <= 0.0 {
            return None;
        }
        let (lower, extent) = region(space, crowd.records, now);
        let far = (reach + 2.0 * margin) * SINGLE * SINGLE;
        let cells = Cells::new(&space.enclosure, lower, extent, crowd.records.len(), far);
        let plain = crowd.radii.iter().all(|&radius| radius == largest_radius)
            && !space.enclosure.boundaries.contains(&Boundary::Open);
        let sites = crowd.records.iter().map(|record| record.at(now, space.down_gravity).0).collect();
        let lists = Lists::default();
        let found = Vec::new();
        let mut near = Self { cells, lists, sites, margin, largest_radius, allowed, plain, looks: 0, found };
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
            self.find(row, crowd);
            pairs += 16 * self.found.len();
        }
        self.lists.restart(rows, pairs / rows + 3);
        for row in (0..rows).filter(|&row| crowd.collides(row)) {
            self.find(row, crowd);
            for &other in self.found.iter().filter(|&&other| (other as usize) > row) {
                self.lists.add(row, other as usize);
                self.lists.add(other as usize, row);
            }
        }
    }

    /// Finds the neighbours that a particle should have.
    #[inline(always)]
    fn find(&mut self, row: usize, crowd: Crowd) {
        let site = self.cells.locate(self.sites[row]);
        let reach = ((crowd.radii[row] + self.largest_radius + 2.0 * self.margin) * SINGLE
            + self.cells.rounding()) as f32;
        self.found.clear();
        let found = &mut self.found;
        self.cells.for_each_near::<D>(&site, reach, |other| {
            if other != row as u32 {
                found.push(other);
            }
        });
        let fixed = crowd.records[row].is_fixed();
        if !self.plain || fixed {
            self.sift(row, crowd);
        }
    }

    /// Drops who is near only for larger particles, and pairs that both are fixed.
    fn sift(&mut self, row: usize, crowd: Crowd) {
        let (sites, margin) = (&self.sites, self.margin);
        let fixed = crowd.records[row].is_fixed();
        self.found.retain(|&other| {
            let other = other as usize;
            let reach = (crowd.radii[row] + crowd.radii[other] + 2.0 * margin) * SINGLE;
            let apart: [f64; D] = std::array::from_fn(|k| sites[row][k] - sites[other][k]);
            !(fixed && crowd.records[other].is_fixed()) && self.cells.square_around(apart) <= reach * reach
        });
    }

    /// Where a particle is seen from its site.
    #[inline(always)]
    pub(super) fn offset(&self, space: &Space<D>, row: usize, position: [f64; D]) -> [f64; D] {
        std::array::from_fn(|k| {
            let offset = position[k] - self.sites[row][k];
            offset - space.image_shift(k, offset)
        })
    }

    /// A particle looks around from a new site, and its old and new neighbours learn of it.
    #[inline(always)]
    pub(super) fn look_around(&mut self, row: usize, position: [f64; D], crowd: Crowd) {
        self.looks += 1;
        let from = self.cells.locate(self.sites[row]);
        self.sites[row] = position;
        self.cells.relocate(row, &from, &self.cells.locate(position));
        self.find(row, crowd);
        let found = std::mem::take(&mut self.found);
        for at in (0..self.lists.of(row).len()).rev() {
            let other = self.lists.of(row)[at];
            if !holds(&found, other) {
                self.lists.remove_at(row, at);
                self.lists.remove(other as usize, row);
            }
        }
        let kept = self.lists.of(row).len();
        for &other in &found {
            if !holds(&self.lists.of(row)[..kept], other) {
                self.lists.add(row, other as usize);
                self.lists.add(other as usize, row);
            }
        }
        self.found = found;
    }

    /// A margin that fits better, if this one has turned out bad: lists that are too short are renewed too often.
    pub(super) fn better_margin(&self) -> Option<f64> {
        let mean = self.lists.entries() as f64 / self.sites.len() as f64;
        if mean < 0.5 * wanted_neighbours::<D>() && 1.1 * self.margin < self.allowed {
            Some(self.margin * 1.5)
        } else if mean > 3.0 * wanted_neighbours::<D>() && self.margin > 0.2 * self.largest_radius {
            Some(self.margin / 1.5)
        } else {
            None
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes()
            + self.lists.memory_bytes()
            + self.sites.capacity() * size_of::<[f64; D]>()
            + self.found.capacity() * 4
    }
}

/// Whether a row is among others; without an early exit, so that it is done in lanes.
#[inline(always)]
fn holds(rows: &[u32], row: u32) -> bool {
    rows.iter().fold(false, |found, &other| found | (other == row))
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
    if rows == 0 {
        return None;
    }
    let mean_radius = crowd.radii.iter().sum::<f64>() / rows as f64;
    let (_, extent) = region(space, crowd.records, now);
    let volume: f64 = extent.iter().map(|&length| length.max(2.0 * mean_radius)).product();
    let unit_ball = [2.0, std::f64::consts::PI, 4.0 * std::f64::consts::FRAC_PI_3][D - 1];
    let shell = (wanted_neighbours::<D>() * volume / (unit_ball * rows as f64)).powf(1.0 / D as f64);
    Some(0.5 * (shell - 2.0 * mean_radius).max(0.3 * 2.0 * mean_radius))
}
