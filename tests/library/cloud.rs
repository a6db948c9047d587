//! Clouds of particles for the tests of kernels.

use carom::soa::Column;
use carom::{Particle, Particles};

use crate::random::Random;

/// `dim` vectors of `count` numbers from `low` to `high`.
pub(crate) fn vectors(random: &mut Random, dim: usize, count: usize, low: f64, high: f64) -> Vec<Vec<f64>> {
    (0..dim).map(|_| random.vector(count, low, high)).collect()
}

/// Particles in a cube of side `scale`; every 7th is a tracer, every 11th fixed, every 13th where particle 0 is.
pub(crate) fn cloud(dim: usize, count: usize, seed: u64, scale: f64) -> Particles {
    let mut random = Random(seed);
    let mut vector = |size: f64| -> Vec<f64> { (0..dim).map(|_| random.real(-size, size)).collect() };
    let particles: Vec<Particle> = (0..count)
        .map(|i| {
            let fixed = i % 11 == 10;
            let position = if i % 13 == 12 { vec![0.25 * scale; dim] } else { vector(0.5 * scale) };
            let (velocity, acceleration) = (vector(scale), vector(scale));
            let moving = if fixed { vec![0.0; dim] } else { velocity };
            let mut particle = Particle::sphere(&position, 0.01 * scale)
                .with_mass(if i % 7 == 6 { 0.0 } else { 0.5 + (i % 5) as f64 })
                .with_velocity(&moving);
            particle.acceleration = if fixed { vec![0.0; dim] } else { acceleration };
            particle.drag = 0.1 * (i % 3) as f64;
            particle.fixed = fixed;
            particle
        })
        .collect();
    let mut cloud = Particles::new(dim).unwrap();
    cloud.add_many(&particles).unwrap();
    cloud
}

/// Columns with these entries.
pub(crate) fn columns(vectors: &[Vec<f64>], filler: f64) -> Vec<Column<f64>> {
    let column = |values: &Vec<f64>| {
        let mut column = Column::new(filler);
        column.extend_from_slice(values).unwrap();
        column
    };
    vectors.iter().map(column).collect()
}
