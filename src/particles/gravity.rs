//! Attraction between all particles by direct sum (PBPhys equation 3, docs/methods/particles.md).
//!
//! In up to three dimensions each pair is evaluated once. The particles are copied into records of blocks
//! {position, mass, sum} and the records cut into fixed tiles. Tiles are paired as in a round-robin tournament: within a
//! round each tile is in one pair, so threads share nothing, and the order of additions is that of the rounds.
//!
//! The sum is `m_j (P_j - P_i) / |P_j - P_i|^3`; what the law adds, G or G m_i, is a factor of the whole sum.

use serde::{Deserialize, Serialize};

use super::store::Particles;
use super::{check, tree};
use crate::error::{Error, Result};
use crate::soa::block::{Doubles, LANES, Lanes, each};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;
use crate::soa::{Column, Context};

/// What the attraction of particle j adds to the acceleration of particle i.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum AttractionLaw {
    /// `G m_j (P_j - P_i) / |P_j - P_i|^3`: Newton's law.
    #[default]
    Newton,
    /// `G m_i m_j (P_j - P_i) / |P_j - P_i|^3`: the force itself as acceleration, as PBPhys prints it.
    AsPrinted,
    /// Newton's law by the tree of Barnes and Hut, for many particles in up to three dimensions: groups that are far away
    /// attract as one particle at their centre of mass. docs/methods/particles.md, section 4.3, has the errors.
    BarnesHut {
        /// The largest ratio of the size of such a group, the longest edge of its box, to its distance; from 0, which is the sum
        /// over all pairs, to 1.
        opening: f64,
    },
}

/// The opening of a tree, unless another one is given.
pub(crate) const DEFAULT_OPENING: f64 = 0.5;

impl AttractionLaw {
    /// Its number in files and in C.
    pub(crate) fn code(self) -> u32 {
        match self {
            Self::Newton => 0,
            Self::AsPrinted => 1,
            Self::BarnesHut { .. } => 2,
        }
    }

    /// The law of this number; `opening` is that of a tree.
    pub(crate) fn from_code(code: u32, opening: f64) -> Option<Self> {
        let law = match code {
            0 => Self::Newton,
            1 => Self::AsPrinted,
            2 => Self::BarnesHut { opening },
            _ => return None,
        };
        Some(law)
    }

    /// The opening of a tree, or the one that it would have.
    pub(crate) fn opening(self) -> f64 {
        if let Self::BarnesHut { opening } = self { opening } else { DEFAULT_OPENING }
    }

    /// Fails if the law does not hold in a space of dimension `dim`.
    pub(crate) fn check(self, dim: usize) -> Result<()> {
        let Self::BarnesHut { opening } = self else { return Ok(()) };
        check::finite("attraction.opening", 0, opening)?;
        if !(0.0..=1.0).contains(&opening) {
            let expected = "from 0 to 1";
            return Err(Error::OutOfRange { field: "attraction.opening", value: opening, expected });
        }
        if dim > 3 {
            let expected = "from 1 to 3 with a tree of attraction: use another law";
            return Err(Error::BadDimension { found: dim, expected });
        }
        Ok(())
    }
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

/// The numbers of a block.
type Quad = [f64; LANES];

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
    let softening2 = attraction.softening2();
    if let AttractionLaw::BarnesHut { opening } = attraction.law {
        attraction.law.check(particles.dim())?;
        match particles.dim() {
            1 => tree::sums::<1>(particles, opening, softening2, context, out)?,
            2 => tree::sums::<2>(particles, opening, softening2, context, out)?,
            _ => tree::sums::<3>(particles, opening, softening2, context, out)?,
        }
        let sums = out.iter_mut().flat_map(|column| column.as_mut_slice());
        sums.for_each(|sum| *sum *= attraction.constant);
        return Ok(());
    }
    let mut records = pack(particles)?;
    let stride = 2 * particles.dim() + 1;
    let tiles = records.quads_mut().chunks_mut(TILE * stride).collect();
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
            AttractionLaw::AsPrinted => attraction.constant * mass[i],
            _ => attraction.constant,
        };
        out.iter_mut().zip(sums).for_each(|(out, sum)| out[i] = factor * sum);
    }
}

/// For every block of particles one record: the positions, the mass, the sums (0). The padding has no mass.
fn pack(particles: &Particles) -> Result<Column<f64>> {
    let dim = particles.dim();
    let mass = particles.mass.quads();
    let mut records = Column::filled(mass.len() * (2 * dim + 1) * LANES, 0.0, 0.0)?;
    for (n, record) in records.quads_mut().chunks_exact_mut(2 * dim + 1).enumerate() {
        for (to, column) in record.iter_mut().zip(&particles.position) {
            *to = column.quads()[n];
        }
        record[dim] = mass[n];
    }
    Ok(records)
}

/// Takes the sums out of the records and applies the factor of the law.
fn unpack(records: &Column<f64>, particles: &Particles, attraction: &Attraction, out: &mut [Column<f64>]) {
    let dim = particles.dim();
    for (n, record) in records.quads().chunks_exact(2 * dim + 1).enumerate() {
        let factors = each!(lane in [0, 1, 2, 3] => match attraction.law {
            AttractionLaw::AsPrinted => attraction.constant * record[dim][lane],
            _ => attraction.constant,
        });
        for (column, sums) in out.iter_mut().zip(&record[dim + 1..]) {
            column.quads_mut()[n] = each!(lane in [0, 1, 2, 3] => factors[lane] * sums[lane]);
        }
    }
    out.iter_mut().for_each(Column::refill_padding);
}

/// How the particles of tiles attract each other. A tile is a slice of whole records.
trait Attract: Copy + Send + Sync {
    fn within<B: Doubles>(self, tile: &mut [B]);
    fn between<B: Doubles>(self, one: &mut [B], other: &mut [B]);
}

/// The particles of a tile attract each other.
struct Within<'a, A>(A, &'a mut [Quad]);

impl<A: Attract> Kernel for Within<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        self.0.within(S::Block::of_quads_mut(self.1));
    }
}

/// The particles of one tile and those of another attract each other.
struct Between<'a, A>(A, &'a mut [Quad], &'a mut [Quad]);

impl<A: Attract> Kernel for Between<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        self.0.between(S::Block::of_quads_mut(self.1), S::Block::of_quads_mut(self.2));
    }
}

/// Each tile with itself, then every pair of tiles once by the circle method: in each round the first half of the
/// circle is paired with the second half, then all tiles but one move on by a place.
fn tournament(mut tiles: Vec<&mut [Quad]>, context: &Context, law: impl Attract) {
    context.for_each(tiles.iter_mut().collect(), |tile| level::run(Within(law, tile)));
    if tiles.len() % 2 == 1 {
        tiles.push(&mut []);
    }
    for _ in 1..tiles.len() {
        let half = tiles.len() / 2;
        let (first, second) = tiles.split_at_mut(half);
        let meetings = first.iter_mut().zip(second.iter_mut().rev()).collect();
        context.for_each(meetings, |(one, other)| level::run(Between(law, one, other)));
        tiles[1..].rotate_right(1);
    }
}

/// `1 / r^3` from the softened `r^2`, without fused operations or approximate roots.
#[inline(always)]
pub(super) fn inverse_cube<L: Lanes>(softened: L) -> L {
    L::ONE / (softened * softened.sqrt())
}

/// Every pair once, both ways, in `D` dimensions.
#[derive(Clone, Copy)]
struct Mutual<const D: usize> {
    softening2: f64,
}

/// One particle in every lane, and in `sum` what each lane of the records seen so far added.
struct Row<B, const D: usize> {
    position: [B; D],
    mass: B,
    sum: [B; D],
}

impl<const D: usize> Mutual<D> {
    const STRIDE: usize = 2 * D + 1;

    /// The particles of one record against all particles of other records.
    #[inline(always)]
    fn record_against<B: Doubles>(self, record: &mut [B], others: &mut [B]) {
        let mut sums = [[0.0; LANES]; D];
        for lane in 0..LANES {
            let mut row = Row::of(record, lane);
            self.row_against(&mut row, others);
            for axis in 0..D {
                sums[axis][lane] = row.sum[axis].sum();
            }
        }
        for (total, sums) in record[D + 1..].iter_mut().zip(sums) {
            *total += B::new(sums);
        }
    }

    #[inline(always)]
    fn row_against<B: Doubles>(self, row: &mut Row<B, D>, others: &mut [B]) {
        let mut groups = others.chunks_exact_mut(AHEAD * Self::STRIDE);
        if let Some(mut group) = groups.next() {
            let mut strengths = each!(n in [0, 1, 2, 3] => self.strength(row, Self::nth(group, n)));
            for next in groups.by_ref() {
                for (n, strength) in strengths.iter_mut().enumerate() {
                    row.meet(Self::nth(group, n), *strength);
                    *strength = self.strength(row, Self::nth(next, n));
                }
                group = next;
            }
            for (n, strength) in strengths.into_iter().enumerate() {
                row.meet(Self::nth(group, n), strength);
            }
        }
        for record in groups.into_remainder().chunks_exact_mut(Self::STRIDE) {
            let strength = self.strength(row, record);
            row.meet(record, strength);
        }
    }

    #[inline(always)]
    fn nth<B>(records: &mut [B], n: usize) -> &mut [B] {
        &mut records[n * Self::STRIDE..(n + 1) * Self::STRIDE]
    }

    /// `1 / r^3`.
    #[inline(always)]
    fn strength<B: Doubles>(self, row: &Row<B, D>, record: &[B]) -> B {
        let mut square = B::splat(self.softening2);
        for axis in 0..D {
            let away = row.position[axis] - record[axis];
            square += away * away;
        }
        inverse_cube(square)
    }
}

impl<B: Doubles, const D: usize> Row<B, D> {
    /// The particle in a lane of a record.
    #[inline(always)]
    fn of(record: &[B], lane: usize) -> Self {
        let mut position = [B::ZERO; D];
        for axis in 0..D {
            position[axis] = B::splat(record[axis].to_array()[lane]);
        }
        Self { position, mass: B::splat(record[D].to_array()[lane]), sum: [B::ZERO; D] }
    }

    /// Adds to the sums of both sides.
    #[inline(always)]
    fn meet(&mut self, record: &mut [B], strength: B) {
        let (pull, counter) = (record[D] * strength, self.mass * strength);
        for axis in 0..D {
            let away = self.position[axis] - record[axis];
            self.sum[axis] -= away * pull;
            record[D + 1 + axis] += away * counter;
        }
    }
}

impl<const D: usize> Attract for Mutual<D> {
    #[inline(always)]
    fn within<B: Doubles>(self, mut tile: &mut [B]) {
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

    #[inline(always)]
    fn between<B: Doubles>(self, one: &mut [B], other: &mut [B]) {
        for record in one.chunks_exact_mut(Self::STRIDE) {
            self.record_against(record, other);
        }
    }
}

/// Every pair twice, from each side, in any dimension.
#[derive(Clone, Copy)]
struct OneWay {
    dim: usize,
    softening2: f64,
}

impl OneWay {
    /// Those of the record attract all particles of `tile`.
    #[inline(always)]
    fn feel<B: Doubles>(self, record: &[B], tile: &mut [B]) {
        let mut row = vec![0.0; self.dim];
        for lane in 0..LANES {
            let mass = load_row(record, lane, &mut row);
            pull_towards(&row, mass, self.softening2, tile);
        }
    }
}

impl Attract for OneWay {
    #[inline(always)]
    fn within<B: Doubles>(self, tile: &mut [B]) {
        let stride = 2 * self.dim + 1;
        for start in (0..tile.len()).step_by(stride) {
            let record = tile[start..start + stride].to_vec();
            self.feel(&record, tile);
        }
    }

    #[inline(always)]
    fn between<B: Doubles>(self, one: &mut [B], other: &mut [B]) {
        let stride = 2 * self.dim + 1;
        for record in one.chunks_exact(stride) {
            self.feel(record, other);
        }
        for record in other.chunks_exact(stride) {
            self.feel(record, one);
        }
    }
}

/// Reads one particle of a record: its position, and returns its mass.
#[inline(always)]
fn load_row<B: Doubles>(record: &[B], lane: usize, position: &mut [f64]) -> f64 {
    for (to, block) in position.iter_mut().zip(record) {
        *to = block.to_array()[lane];
    }
    record[position.len()].to_array()[lane]
}

/// One particle attracts all particles of the records; itself among them adds 0.
#[inline(always)]
fn pull_towards<B: Doubles>(position: &[f64], mass: f64, softening2: f64, records: &mut [B]) {
    let dim = position.len();
    let (mass, softening2) = (B::splat(mass), B::splat(softening2));
    for record in records.chunks_exact_mut(2 * dim + 1) {
        let (place, sums) = record.split_at_mut(dim + 1);
        let mut square = softening2;
        for (&coordinate, &place) in position.iter().zip(&*place) {
            let towards = B::splat(coordinate) - place;
            square += towards * towards;
        }
        let pull = mass * inverse_cube(square);
        for ((&coordinate, &place), sum) in position.iter().zip(&*place).zip(sums) {
            *sum += (B::splat(coordinate) - place) * pull;
        }
    }
}
