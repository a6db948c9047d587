//! Attraction between all particles by direct sum, each pair evaluated once (SPEC section 1, PBPhys equation 3).

use serde::{Deserialize, Serialize};

use super::store::Particles;
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

/// Fills `out`, one column an axis, with the acceleration that attraction gives every particle.
pub fn attraction(
    particles: &Particles,
    attraction: &Attraction,
    _context: &Context,
    out: &mut [Column<f64>],
) {
    let mut sums = vec![vec![0.0; particles.len()]; particles.dim()];
    attraction_scalar(particles, attraction, &mut sums);
    for (column, sums) in out.iter_mut().zip(&sums) {
        column.as_mut_slice().copy_from_slice(sums);
    }
}

/// The scalar twin of [`attraction`]: for each axis one slice of sums.
pub fn attraction_scalar(particles: &Particles, attraction: &Attraction, out: &mut [Vec<f64>]) {
    let mass = particles.mass.as_slice();
    let softening2 = attraction.softening * attraction.softening;
    out.iter_mut().for_each(|sums| sums.fill(0.0));
    for i in 0..particles.len() {
        for j in i + 1..particles.len() {
            let towards_j = |axis: usize| {
                let column = particles.position[axis].as_slice();
                column[j] - column[i]
            };
            let square: f64 = (0..particles.dim()).map(|axis| towards_j(axis) * towards_j(axis)).sum();
            if square == 0.0 {
                continue;
            }
            let softened = square + softening2;
            let strength = attraction.constant / (softened * softened.sqrt());
            let (on_i, on_j) = match attraction.law {
                AttractionLaw::Newton => (mass[j], mass[i]),
                AttractionLaw::AsPrinted => (mass[i] * mass[j], mass[i] * mass[j]),
            };
            for (axis, sums) in out.iter_mut().enumerate() {
                sums[i] += towards_j(axis) * (on_i * strength);
                sums[j] -= towards_j(axis) * (on_j * strength);
            }
        }
    }
}
