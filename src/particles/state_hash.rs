//! A hash of where particles are and how they move, to compare states of runs.

use super::columns::Field;
use super::store::Particles;

/// A hash in the manner of FNV-1a, of whole words.
#[derive(Debug)]
pub(crate) struct StateHash(u64);

impl StateHash {
    pub(crate) fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    /// Adds the bits of a number.
    pub(crate) fn add(&mut self, number: f64) {
        self.0 = (self.0 ^ number.to_bits()).wrapping_mul(0x0000_0100_0000_01B3);
        // The multiplication carries upwards only.
        self.0 ^= self.0 >> 29;
    }

    pub(crate) fn value(&self) -> u64 {
        self.0
    }
}

impl Particles {
    /// A hash of the bits of positions and velocities, in the order of the rows.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        let columns = |field: Field| self.columns(field).iter().map(|column| column.as_slice());
        let all: Vec<&[f64]> = columns(Field::Position).chain(columns(Field::Velocity)).collect();
        for row in 0..self.len() {
            all.iter().for_each(|column| hash.add(column[row]));
        }
        hash.value()
    }
}

#[cfg(test)]
mod tests {
    use crate::particles::{Field, Particle, Particles};

    #[test]
    fn every_number_and_their_order_count() {
        let balls = |x: f64, v: f64| {
            let mut particles = Particles::new(2).unwrap();
            particles.add(&Particle::sphere(&[x, 0.0], 1.0)).unwrap();
            particles.add(&Particle::sphere(&[5.0, 0.0], 1.0).with_velocity(&[0.0, v])).unwrap();
            particles
        };
        let hash = balls(1.0, 2.0).state_hash();
        assert_eq!(hash, balls(1.0, 2.0).state_hash());
        assert_ne!(hash, balls(1.0_f64.next_up(), 2.0).state_hash());
        assert_ne!(hash, balls(1.0, 2.0_f64.next_up()).state_hash());
        let mut swapped = balls(1.0, 2.0);
        swapped.set_value(Field::Position, 0, &[5.0, 0.0]).unwrap();
        swapped.set_value(Field::Position, 1, &[1.0, 0.0]).unwrap();
        assert_ne!(hash, swapped.state_hash());
    }
}
