//! Sums over all particles: energy, momentum, centre of mass.

use super::gravity::{Attraction, AttractionLaw};
use super::store::Particles;
use crate::soa::lanes::{self, Block, LANES};
use crate::soa::{Column, Context};

/// Blocks per chunk of a sum; the order of summation does not depend on the number of threads.
const CHUNK: usize = 1024;

impl Particles {
    /// Kinetic energy, the sum of `m |S|^2 / 2`, in joules.
    #[must_use]
    pub fn kinetic_energy(&self, context: &Context) -> f64 {
        let mass = self.mass.blocks();
        0.5 * self.sum(context, |i| {
            let square = self.velocity.iter().fold(Block::ZERO, |sum, column| {
                let velocity = column.blocks()[i];
                sum + velocity * velocity
            });
            mass[i] * square
        })
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
        self.sum(context, |i| self.mass.blocks()[i])
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
        let falling = height.map_or(0.0, |height| {
            self.sum(context, |i| self.mass.blocks()[i] * height.blocks()[i]) * down_gravity
        });
        if attraction.constant == 0.0 {
            return Some(falling);
        }
        (attraction.law == AttractionLaw::Newton).then(|| falling + self.pair_potential(attraction, context))
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
        let mass = self.mass.blocks();
        let softening2 = lanes::splat(softening * softening);
        let far = lanes::sum_all((next / LANES..mass.len()).map(|block| {
            let square = self.position.iter().fold(Block::ZERO, |sum, column| {
                let d = column.blocks()[block] - lanes::splat(column.as_slice()[i]);
                sum + d * d
            });
            lanes::keep(lanes::lt(Block::ZERO, square), mass[block] / (square + softening2).sqrt())
        }));
        self.mass.as_slice()[i] * (near + far)
    }

    /// `m_j / sqrt(r^2 + softening^2)`; 0 for coincident centres.
    fn potential_at(&self, i: usize, j: usize, softening: f64) -> f64 {
        let square: f64 = self.position.iter().map(|c| (c.as_slice()[j] - c.as_slice()[i]).powi(2)).sum();
        if square == 0.0 { 0.0 } else { self.mass.as_slice()[j] / (square + softening * softening).sqrt() }
    }

    fn mass_weighted(&self, columns: &[Column<f64>], context: &Context) -> Vec<f64> {
        columns
            .iter()
            .map(|column| self.sum(context, |i| self.mass.blocks()[i] * column.blocks()[i]))
            .collect()
    }

    /// Sum over all blocks in fixed chunks. The padding of every column is 0 and adds nothing.
    fn sum(&self, context: &Context, term: impl Fn(usize) -> Block + Sync) -> f64 {
        let blocks = self.mass.blocks().len();
        context.map_chunks(blocks, CHUNK, |range| lanes::sum_all(range.map(&term))).into_iter().sum()
    }
}
