//! What a space is made of, as one number: a state of a space fits another one if their numbers are equal.

use super::Engine;
use super::library::Definition;
use crate::rigid2d::shapes::Filter;
use crate::soa::block::Real;

/// A hash in the manner of FNV-1a, of whole words.
struct Words(u64);

impl Words {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01B3);
        // The multiplication carries upwards only.
        self.0 ^= self.0 >> 29;
    }

    fn add_numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.add(number.to_bits()));
    }

    fn add_definition(&mut self, definition: &Definition) {
        self.add(definition.core().len() as u64);
        definition.core().iter().for_each(|vertex| self.add_numbers(&[vertex.x, vertex.y]));
        self.add(definition.outline.map_or(u64::MAX, u64::from));
        let material = &definition.material;
        let surface = material.surface_velocity;
        self.add_numbers(&[definition.radius, material.elasticity, material.friction, surface.x, surface.y]);
        let Filter { group, categories, mask } = material.filter;
        let words = [material.collision_type, u64::from(group), categories, mask, material.sensor.into()];
        words.into_iter().for_each(|word| self.add(word));
    }
}

impl<R: Real> Engine<R> {
    /// A hash of the rows of bodies and of all shapes: of what does not change in a step.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut words = Words(0xCBF2_9CE4_8422_2325);
        words.add(self.bodies.len() as u64);
        words.add(self.tile.shapes.len() as u64);
        for shape in &self.tile.shapes {
            words.add(u64::from(shape.body) << 32 | u64::from(shape.definition));
            if shape.is_used() {
                words.add_definition(&self.library.definitions[shape.definition as usize]);
            }
        }
        words.0
    }
}
