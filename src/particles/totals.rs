//! Sums over all particles: energy, momentum, centre of mass.

use std::ops::Range;

use super::gravity::{Attraction, AttractionLaw};
use super::store::Particles;
use crate::soa::block::{Doubles, LANES, Quantity};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;
use crate::soa::{Column, Context};

/// Blocks per chunk of a sum; the order of summation does not depend on the number of threads.
const CHUNK: usize = 1024;

impl Particles {
    /// Kinetic energy, the sum of `m |S|^2 / 2`, in joules.
    #[must_use]
    pub fn kinetic_energy(&self, context: &Context) -> f64 {
        0.5 * self.sum(context, MassTimes::SquareOf(&self.velocity))
    }

    /// The scalar twin of [`kinetic_energy`](Self::kinetic_energy).
    #[doc(hidden)]
    #[must_use]
    pub fn kinetic_energy_scalar(&self) -> f64 {
        let square = |i: usize| self.velocity.iter().map(|column| column.as_slice()[i].powi(2)).sum::<f64>();
        (0..self.len()).map(|i| 0.5 * self.mass.as_slice()[i] * square(i)).sum()
    }

    /// Momentum, the sum of `m S`, in newton seconds, one number per axis.
    #[must_use]
    pub fn momentum(&self, context: &Context) -> Vec<f64> {
        self.mass_weighted(&self.velocity, context)
    }

    /// Total mass in kilograms.
    #[must_use]
    pub fn total_mass(&self, context: &Context) -> f64 {
        self.sum(context, MassTimes::One)
    }

    /// Centre of mass in metres, one number per axis; `None` if the total mass is 0.
    #[must_use]
    pub fn centre_of_mass(&self, context: &Context) -> Option<Vec<f64>> {
        let total = self.total_mass(context);
        let moments = self.mass_weighted(&self.position, context);
        (total > 0.0).then(|| moments.into_iter().map(|moment| moment / total).collect())
    }

    /// Potential energy in joules: `m g y` of down gravity `g` (y = 0 on axis 1) and `-G m_i m_j / r` of every pair.
    ///
    /// `None` if the attraction follows [`AttractionLaw::AsPrinted`], which has no potential.
    #[must_use]
    pub fn potential_energy(
        &self,
        down_gravity: f64,
        attraction: &Attraction,
        context: &Context,
    ) -> Option<f64> {
        let height = self.position.get(1);
        let falling =
            height.map_or(0.0, |height| self.sum(context, MassTimes::Column(height)) * down_gravity);
        if attraction.constant == 0.0 {
            return Some(falling);
        }
        (attraction.law != AttractionLaw::AsPrinted)
            .then(|| falling + self.pair_potential(attraction, context))
    }

    /// `-G m_i m_j / sqrt(r^2 + softening^2)` over all pairs; coincident centres, which attract with zero, add none.
    fn pair_potential(&self, attraction: &Attraction, context: &Context) -> f64 {
        const ROWS: usize = 64;
        let rows = context.map_chunks(self.len(), ROWS, |rows| {
            rows.map(|i| self.row_potential(i, attraction.softening)).sum::<f64>()
        });
        -attraction.constant * rows.into_iter().sum::<f64>()
    }

    /// The scalar twin of the part of [`potential_energy`](Self::potential_energy) that pairs have.
    #[doc(hidden)]
    #[must_use]
    pub fn pair_potential_scalar(&self, attraction: &Attraction) -> f64 {
        let rows = (0..self.len()).map(|i| {
            let later = i + 1..self.len();
            self.mass.as_slice()[i]
                * later.map(|j| self.potential_at(i, j, attraction.softening)).sum::<f64>()
        });
        -attraction.constant * rows.sum::<f64>()
    }

    /// The sum of `m_i m_j / sqrt(r^2 + softening^2)` over j > i: the rest of its block, then whole blocks.
    fn row_potential(&self, i: usize, softening: f64) -> f64 {
        let next = (i / LANES + 1) * LANES;
        let near: f64 = (i + 1..next.min(self.len())).map(|j| self.potential_at(i, j, softening)).sum();
        let far = level::run(FarPotential { particles: self, i, first_block: next / LANES, softening });
        self.mass.as_slice()[i] * (near + far)
    }

    /// `m_j / sqrt(r^2 + softening^2)`; 0 for coincident centres.
    fn potential_at(&self, i: usize, j: usize, softening: f64) -> f64 {
        let square: f64 = self.position.iter().map(|c| (c.as_slice()[j] - c.as_slice()[i]).powi(2)).sum();
        if square == 0.0 { 0.0 } else { self.mass.as_slice()[j] / (square + softening * softening).sqrt() }
    }

    fn mass_weighted(&self, columns: &[Column<f64>], context: &Context) -> Vec<f64> {
        columns.iter().map(|column| self.sum(context, MassTimes::Column(column))).collect()
    }

    /// Sum over all blocks in fixed chunks. The padding of every column is 0 and adds nothing.
    fn sum(&self, context: &Context, term: MassTimes) -> f64 {
        let chunk = |blocks: Range<usize>| level::run(ChunkSum { mass: &self.mass, term, blocks });
        context.map_chunks(self.mass.quads().len(), CHUNK, chunk).into_iter().sum()
    }
}

/// What is summed over all particles.
#[derive(Clone, Copy)]
enum MassTimes<'a> {
    One,
    Column(&'a Column<f64>),
    /// The sum of the squares of columns.
    SquareOf(&'a [Column<f64>]),
}

/// The sum over some blocks.
struct ChunkSum<'a> {
    mass: &'a Column<f64>,
    term: MassTimes<'a>,
    blocks: Range<usize>,
}

impl Kernel for ChunkSum<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self) -> f64 {
        let mass: &[S::Block] = self.mass.blocks();
        let mut total = S::Block::ZERO;
        for i in self.blocks {
            total += match self.term {
                MassTimes::One => mass[i],
                MassTimes::Column(column) => mass[i] * column.blocks::<S::Block>()[i],
                MassTimes::SquareOf(columns) => mass[i] * square_at(columns, i),
            };
        }
        total.sum()
    }
}

/// The sum of the squares of the columns in block `i`.
#[inline(always)]
fn square_at<B: Doubles>(columns: &[Column<f64>], i: usize) -> B {
    let mut sum = B::ZERO;
    for column in columns {
        let x = column.blocks::<B>()[i];
        sum += x * x;
    }
    sum
}

/// The sum of `m_j / sqrt(r^2 + softening^2)` over the particles of whole blocks; coincident centres add none.
struct FarPotential<'a> {
    particles: &'a Particles,
    i: usize,
    first_block: usize,
    softening: f64,
}

impl Kernel for FarPotential<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self) -> f64 {
        let Self { particles, i, first_block, softening } = self;
        let mass: &[S::Block] = particles.mass.blocks();
        let softening2 = S::Block::splat(softening * softening);
        let mut total = S::Block::ZERO;
        for block in first_block..mass.len() {
            let mut square = S::Block::ZERO;
            for column in &particles.position {
                let d = column.blocks::<S::Block>()[block] - S::Block::splat(column.as_slice()[i]);
                square += d * d;
            }
            total += S::Block::ZERO.lt(square) & (mass[block] / (square + softening2).sqrt());
        }
        total.sum()
    }
}
