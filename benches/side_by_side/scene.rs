//! What is measured: deterministic clouds of particles.

use carom::{Batch, Particles};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A cloud in the unit cube.
pub(crate) struct Cloud {
    /// Coordinates, one vector an axis.
    pub(crate) position: [Vec<f64>; 3],
    /// Velocities up to 1 an axis, one vector an axis.
    pub(crate) velocity: [Vec<f64>; 3],
    /// Masses from 0.5 to 1.5.
    pub(crate) mass: Vec<f64>,
}

impl Cloud {
    /// `count` particles from the seed.
    pub(crate) fn new(count: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut column = |from: f64, to: f64| (0..count).map(|_| random.random_range(from..to)).collect();
        Self {
            position: std::array::from_fn(|_| column(0.0, 1.0)),
            velocity: std::array::from_fn(|_| column(-1.0, 1.0)),
            mass: column(0.5, 1.5),
        }
    }

    /// `edge^3` particles near the points of a lattice, shifted by up to `jitter` of its spacing.
    pub(crate) fn lattice(edge: usize, jitter: f64, seed: u64) -> Self {
        let mut cloud = Self::new(edge * edge * edge, seed);
        let spacing = 1.0 / edge as f64;
        for (axis, stride) in [1, edge, edge * edge].into_iter().enumerate() {
            for (i, x) in cloud.position[axis].iter_mut().enumerate() {
                *x = (((i / stride) % edge) as f64 + jitter * *x) * spacing;
            }
        }
        cloud
    }

    /// The cloud as spheres with this radius.
    pub(crate) fn spheres(&self, radius: f64) -> Particles {
        let mut particles = Particles::new(3).expect("dimension 3");
        particles
            .add_batch(&Batch {
                position: &self.position.each_ref().map(Vec::as_slice),
                velocity: &self.velocity.each_ref().map(Vec::as_slice),
                mass: &self.mass,
                radius: &vec![radius; self.mass.len()],
                ..Batch::default()
            })
            .expect("a valid batch");
        particles
    }
}
