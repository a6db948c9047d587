//! Random particles for tests, the same on every machine.

#![allow(dead_code, reason = "each test uses a part")]

use carom::soa::Column;
use carom::{Particle, Particles};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`.
    pub(crate) fn number(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// `dim` vectors of `count` numbers.
    pub(crate) fn vectors(&mut self, dim: usize, count: usize, low: f64, high: f64) -> Vec<Vec<f64>> {
        (0..dim).map(|_| (0..count).map(|_| self.number(low, high)).collect()).collect()
    }
}

/// Particles in a cube of side `scale`; every 7th is a tracer, every 11th fixed, every 13th where particle 0 is.
pub(crate) fn cloud(dim: usize, count: usize, seed: u64, scale: f64) -> Particles {
    let mut random = Random(seed);
    let mut vector = |size: f64| -> Vec<f64> { (0..dim).map(|_| random.number(-size, size)).collect() };
    let particles: Vec<Particle> = (0..count)
        .map(|i| {
            let fixed = i % 11 == 10;
            let position = if i % 13 == 12 { vec![0.25 * scale; dim] } else { vector(0.5 * scale) };
            let (speed, acceleration) = (vector(scale), vector(scale));
            let moving = if fixed { vec![0.0; dim] } else { speed };
            let mut particle = Particle::sphere(&position, 0.01 * scale)
                .with_mass(if i % 7 == 6 { 0.0 } else { 0.5 + (i % 5) as f64 })
                .with_speed(&moving);
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

/// FNV-1a over the bits.
pub(crate) fn hash(values: &[f64]) -> u64 {
    let bytes = values.iter().flat_map(|x| x.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
