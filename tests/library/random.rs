//! Random worlds for tests, the same on every machine.

use carom::{Field, Particle, World};

/// SplitMix64: small, and the same bits everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in `[lo, hi)`.
    pub(crate) fn real(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    pub(crate) fn vector(&mut self, dim: usize, lo: f64, hi: f64) -> Vec<f64> {
        (0..dim).map(|_| self.real(lo, hi)).collect()
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.real(0.0, 1.0) < probability
    }
}

/// Spheres of diameter 1 on a jittered lattice of this spacing; velocities uniform in [-1, 1]. No overlaps.
///
/// In 3D a spacing of 1.378 is a packing of 20%.
pub(crate) fn gas(dim: usize, count: usize, spacing: f64, seed: u64) -> World {
    let mut random = Random(seed);
    let side = (1..).find(|side: &usize| side.pow(dim as u32) >= count).expect("a finite side");
    let slack = 0.495 * (spacing - 1.0);
    let mut world = World::new(dim).unwrap();
    let particles: Vec<Particle> = (0..count)
        .map(|n| {
            let place = |axis: usize| (n / side.pow(axis as u32) % side) as f64 * spacing;
            let position: Vec<f64> = (0..dim).map(|axis| place(axis) + random.real(-slack, slack)).collect();
            let velocity = random.vector(dim, -1.0, 1.0);
            Particle::sphere(&position, 0.5).with_velocity(&velocity).with_mass(random.real(0.5, 2.0))
        })
        .collect();
    world.particles_mut().add_many(&particles).unwrap();
    world
}

/// The bits of all positions and velocities and of the time.
pub(crate) fn bits(world: &World) -> Vec<u64> {
    let particles = world.particles();
    let columns = [Field::Position, Field::Velocity]
        .into_iter()
        .flat_map(|field| (0..particles.dim()).map(move |axis| particles.column(field, axis).unwrap()));
    columns.flatten().map(|x| x.to_bits()).chain([world.time().to_bits()]).collect()
}

/// FNV-1a over words.
pub(crate) fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0xCBF2_9CE4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01B3))
}
