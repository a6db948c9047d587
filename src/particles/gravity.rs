//! Attraction between all particles by direct sum (PBPhys equation 3, docs/methods/particles.md).
//!
//! In up to three dimensions each pair is evaluated once. The particles are copied into records of blocks
//! {position, mass, sum} and the records cut into fixed tiles. Tiles are paired as in a round-robin tournament: within a
//! round each tile is in one pair, so threads share nothing, and the order of additions is that of the rounds.
//!
//! The sum is `m_j (P_j - P_i) / |P_j - P_i|^3`; what the law adds, G or G m_i, is a factor of the whole sum.

use serde::{Deserialize, Serialize};

use super::store::Particles;
use crate::error::Result;
use crate::soa::lanes::{self, Block, LANES};
use crate::soa::{Column, Context};

/// What the attraction of particle j adds to the acceleration of particle i.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u32)]
pub enum AttractionLaw {
    /// `G m_j (P_j - P_i) / |P_j - P_i|^3`: Newton's law.
    #[default]
    Newton = 0,
    /// `G m_i m_j (P_j - P_i) / |P_j - P_i|^3`: the force itself as acceleration, as PBPhys prints it.
    AsPrinted = 1,
}

/// Attraction between all particles; none if the constant is 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Attraction {
    /// G in cubic metres per kilogram and second squared; negative repels.
    pub constant: f64,
    /// The law.
    pub law: AttractionLaw,
    /// Plummer softening length in metres: `|P_j - P_i|^2` becomes `|P_j - P_i|^2 + softening^2`.
    pub softening: f64,
}

/// The least square of a softening length, in square metres: no cube underflows, and coincident centres, with a finite
/// strength times a direction of 0, attract with zero. It is lost in the rounding of distances above 1e-52 metres.
pub const LEAST_SOFTENING2: f64 = 1e-120;

impl Attraction {
    /// The square of the softening length that is used, in square metres.
    fn softening2(&self) -> f64 {
        (self.softening * self.softening).max(LEAST_SOFTENING2)
    }
}

/// Blocks per tile: the records of a tile in 3D fit into the L1 cache.
const TILE: usize = 128;

/// Records whose roots and divisions are under way while the strengths before them are used.
const AHEAD: usize = 4;

/// Fills `out`, one column per axis, with the acceleration that attraction gives every particle.
///
/// Distances must be below 1e100 metres and masses below 1e128 kilograms, so that all cubes and products are finite;
/// below 1e-60 metres the attraction falls linearly to 0.
pub fn attraction(
    particles: &Particles,
    attraction: &Attraction,
    context: &Context,
    out: &mut [Column<f64>],
) -> Result<()> {
    let mut records = pack(particles)?;
    let softening2 = lanes::splat(attraction.softening2());
    let stride = 2 * particles.dim() + 1;
    let tiles = records.blocks_mut().chunks_mut(TILE * stride).collect();
    match particles.dim() {
        1 => tournament(tiles, context, Mutual::<1> { softening2 }),
        2 => tournament(tiles, context, Mutual::<2> { softening2 }),
        3 => tournament(tiles, context, Mutual::<3> { softening2 }),
        dim => tournament(tiles, context, OneWay { dim, softening2 }),
    }
    unpack(&records, particles, attraction, out);
    Ok(())
}

/// The scalar twin of [`attraction`]: for each axis one slice of sums.
#[doc(hidden)]
pub fn attraction_scalar(particles: &Particles, attraction: &Attraction, out: &mut [Vec<f64>]) {
    let mass = particles.mass.as_slice();
    for i in 0..particles.len() {
        let mut sums = vec![0.0; particles.dim()];
        for j in 0..particles.len() {
            let towards_j = |axis: usize| {
                let column = particles.position[axis].as_slice();
                column[j] - column[i]
            };
            let square: f64 = (0..particles.dim()).map(|axis| towards_j(axis) * towards_j(axis)).sum();
            let softened = square + attraction.softening2();
            let strength = mass[j] / (softened * softened.sqrt());
            sums.iter_mut().enumerate().for_each(|(axis, sum)| *sum += towards_j(axis) * strength);
        }
        let factor = match attraction.law {
            AttractionLaw::Newton => attraction.constant,
            AttractionLaw::AsPrinted => attraction.constant * mass[i],
        };
        out.iter_mut().zip(sums).for_each(|(out, sum)| out[i] = factor * sum);
    }
}

/// For every block of particles one record: the positions, the mass, the sums (0). The padding has no mass.
fn pack(particles: &Particles) -> Result<Column<f64>> {
    let dim = particles.dim();
    let mass = particles.mass.blocks();
    let mut records = Column::filled(mass.len() * (2 * dim + 1) * LANES, 0.0, 0.0)?;
    for (n, record) in records.blocks_mut().chunks_exact_mut(2 * dim + 1).enumerate() {
        for (to, column) in record.iter_mut().zip(&particles.position) {
            *to = column.blocks()[n];
        }
        record[dim] = mass[n];
    }
    Ok(records)
}

/// Takes the sums out of the records and applies the factor of the law.
fn unpack(records: &Column<f64>, particles: &Particles, attraction: &Attraction, out: &mut [Column<f64>]) {
    let dim = particles.dim();
    let constant = lanes::splat(attraction.constant);
    for (n, record) in records.blocks().chunks_exact(2 * dim + 1).enumerate() {
        let factor = match attraction.law {
            AttractionLaw::Newton => constant,
            AttractionLaw::AsPrinted => constant * record[dim],
        };
        for (column, &sum) in out.iter_mut().zip(&record[dim + 1..]) {
            column.blocks_mut()[n] = factor * sum;
        }
    }
    out.iter_mut().for_each(Column::refill_padding);
}

/// How the particles of tiles attract each other. A tile is a slice of whole records.
trait Attract: Copy + Send + Sync {
    fn within(self, tile: &mut [Block]);
    fn between(self, one: &mut [Block], other: &mut [Block]);
}

/// Each tile with itself, then every pair of tiles once by the circle method: in each round the first half of the
/// circle is paired with the second half, then all tiles but one move on by a place.
fn tournament(mut tiles: Vec<&mut [Block]>, context: &Context, law: impl Attract) {
    context.for_each(tiles.iter_mut().collect(), |tile| law.within(tile));
    if tiles.len() % 2 == 1 {
        tiles.push(&mut []);
    }
    for _ in 1..tiles.len() {
        let half = tiles.len() / 2;
        let (first, second) = tiles.split_at_mut(half);
        let meetings = first.iter_mut().zip(second.iter_mut().rev()).collect();
        context.for_each(meetings, |(one, other)| law.between(one, other));
        tiles[1..].rotate_right(1);
    }
}

/// `1 / r^3` from the softened `r^2`, without fused operations or approximate roots.
#[inline(always)]
fn inverse_cube(softened: Block) -> Block {
    Block::ONE / (softened * softened.sqrt())
}

/// Every pair once, both ways, in `D` dimensions.
#[derive(Clone, Copy)]
struct Mutual<const D: usize> {
    softening2: Block,
}

/// One particle in every lane, and in `sum` what each lane of the records seen so far added.
struct Row<const D: usize> {
    position: [Block; D],
    mass: Block,
    sum: [Block; D],
}

impl<const D: usize> Mutual<D> {
    const STRIDE: usize = 2 * D + 1;

    /// The particles of one record against all particles of other records.
    fn record_against(self, record: &mut [Block], others: &mut [Block]) {
        let entries: [[f64; LANES]; D] = std::array::from_fn(|axis| record[axis].to_array());
        let mass = record[D].to_array();
        let sums: [[Block; D]; LANES] = std::array::from_fn(|lane| {
            let position = entries.map(|entry| lanes::splat(entry[lane]));
            let mut row = Row { position, mass: lanes::splat(mass[lane]), sum: [Block::ZERO; D] };
            self.row_against(&mut row, others);
            row.sum
        });
        for (axis, total) in record[D + 1..].iter_mut().enumerate() {
            *total += Block::new(sums.map(|sum| lanes::sum(sum[axis])));
        }
    }

    #[inline(always)]
    fn row_against(self, row: &mut Row<D>, others: &mut [Block]) {
        let mut groups = others.chunks_exact_mut(AHEAD * Self::STRIDE);
        if let Some(mut group) = groups.next() {
            let mut strengths: [Block; AHEAD] = std::array::from_fn(|n| self.strength(row, nth(group, n)));
            for next in groups.by_ref() {
                for (n, strength) in strengths.iter_mut().enumerate() {
                    let coming = self.strength(row, nth(next, n));
                    row.meet(nth(group, n), *strength);
                    *strength = coming;
                }
                group = next;
            }
            strengths.into_iter().enumerate().for_each(|(n, strength)| row.meet(nth(group, n), strength));
        }
        for record in groups.into_remainder().chunks_exact_mut(Self::STRIDE) {
            let strength = self.strength(row, record);
            row.meet(record, strength);
        }

        fn nth(records: &mut [Block], n: usize) -> &mut [Block] {
            let stride = records.len() / AHEAD;
            &mut records[n * stride..(n + 1) * stride]
        }
    }

    /// `1 / r^3`.
    #[inline(always)]
    fn strength(self, row: &Row<D>, record: &[Block]) -> Block {
        let square = (0..D).fold(self.softening2, |square, axis| {
            let away = row.position[axis] - record[axis];
            square + away * away
        });
        inverse_cube(square)
    }
}

impl<const D: usize> Row<D> {
    /// Adds to the sums of both sides.
    #[inline(always)]
    fn meet(&mut self, record: &mut [Block], strength: Block) {
        let (pull, counter) = (record[D] * strength, self.mass * strength);
        for axis in 0..D {
            let away = self.position[axis] - record[axis];
            self.sum[axis] -= away * pull;
            record[D + 1 + axis] += away * counter;
        }
    }
}

impl<const D: usize> Attract for Mutual<D> {
    fn within(self, mut tile: &mut [Block]) {
        let mut row = [0.0; D];
        while let Some((record, later)) = tile.split_at_mut_checked(Self::STRIDE) {
            // The few pairs within a record are seen from both sides.
            for lane in 0..LANES {
                let mass = load_row(record, lane, &mut row);
                pull_towards(&row, mass, self.softening2, record);
            }
            self.record_against(record, later);
            tile = later;
        }
    }

    fn between(self, one: &mut [Block], other: &mut [Block]) {
        for record in one.chunks_exact_mut(Self::STRIDE) {
            self.record_against(record, other);
        }
    }
}

/// Every pair twice, from each side, in any dimension.
#[derive(Clone, Copy)]
struct OneWay {
    dim: usize,
    softening2: Block,
}

impl OneWay {
    /// Those of the record attract all particles of `tile`.
    fn feel(self, record: &[Block], tile: &mut [Block]) {
        let mut row = vec![0.0; self.dim];
        for lane in 0..LANES {
            let mass = load_row(record, lane, &mut row);
            pull_towards(&row, mass, self.softening2, tile);
        }
    }
}

impl Attract for OneWay {
    fn within(self, tile: &mut [Block]) {
        let stride = 2 * self.dim + 1;
        for start in (0..tile.len()).step_by(stride) {
            let record = tile[start..start + stride].to_vec();
            self.feel(&record, tile);
        }
    }

    fn between(self, one: &mut [Block], other: &mut [Block]) {
        let stride = 2 * self.dim + 1;
        one.chunks_exact(stride).for_each(|record| self.feel(record, other));
        other.chunks_exact(stride).for_each(|record| self.feel(record, one));
    }
}

/// Reads one particle of a record: its position, and returns its mass.
#[inline(always)]
fn load_row(record: &[Block], lane: usize, position: &mut [f64]) -> f64 {
    for (to, block) in position.iter_mut().zip(record) {
        *to = block.to_array()[lane];
    }
    record[position.len()].to_array()[lane]
}

/// One particle attracts all particles of the records; itself among them adds 0.
#[inline(always)]
fn pull_towards(position: &[f64], mass: f64, softening2: Block, records: &mut [Block]) {
    let dim = position.len();
    let mass = lanes::splat(mass);
    for record in records.chunks_exact_mut(2 * dim + 1) {
        let (place, sums) = record.split_at_mut(dim + 1);
        let towards = |axis: usize| lanes::splat(position[axis]) - place[axis];
        let square = (0..dim).fold(softening2, |sum, axis| sum + towards(axis) * towards(axis));
        let pull = mass * inverse_cube(square);
        for (axis, sum) in sums.iter_mut().enumerate() {
            *sum += towards(axis) * pull;
        }
    }
}
