//! What two shapes in contact have together: restitution, friction and surface velocity.

use super::growth::bytes_of;
use super::library::Library;
use super::pairs::{flag, row};
use super::settings::StepSettings;
use super::tile::{Step, Tile};
use crate::geometry::Vec2;
use crate::rigid2d::shapes::Material;
use crate::soa::block::Real;

/// How the elasticities or frictions of two shapes give that of their contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Mixing {
    /// Their product, as in Chipmunk.
    #[default]
    Multiply,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// Their mean.
    Mean,
    /// The root of their product.
    GeometricMean,
}

impl Mixing {
    /// The coefficient of two shapes with these, both at least 0; at most 1e30, which is a number in single precision, too.
    #[must_use]
    pub fn mix(self, a: f64, b: f64) -> f64 {
        let mixed = match self {
            Self::Multiply => a * b,
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
            Self::Mean => 0.5 * (a + b),
            Self::GeometricMean => (a * b).sqrt(),
        };
        mixed.min(1e30)
    }
}

/// What the contact of a pair has, for impulses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairMaterial {
    /// Coefficient of restitution.
    pub(crate) restitution: f64,
    /// Coefficient of friction.
    pub(crate) friction: f64,
    /// The velocity of the second body relative to the first that friction aims at, in metres per second.
    pub(crate) carried: Vec2,
}

/// What handlers have set for contacts of this step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Overrides {
    /// By slot, in rising order.
    entries: Vec<(u32, PairMaterial)>,
}

impl Overrides {
    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        bytes_of(&self.entries)
    }

    fn get(&self, slot: u32) -> Option<&PairMaterial> {
        let place = self.entries.binary_search_by_key(&slot, |entry| entry.0).ok()?;
        Some(&self.entries[place].1)
    }

    fn set(&mut self, slot: u32, material: PairMaterial) {
        match self.entries.binary_search_by_key(&slot, |entry| entry.0) {
            Ok(place) => self.entries[place].1 = material,
            Err(place) => self.entries.insert(place, (slot, material)),
        }
    }
}

impl<R: Real> Tile<R> {
    /// The materials of the shapes of a pair.
    fn materials<'a>(&self, library: &'a Library<R>, slot: usize) -> [&'a Material; 2] {
        self.pairs.heads[slot]
            .shapes
            .map(|shape| &library.definitions[self.shapes[shape as usize].definition as usize].material)
    }

    /// What a handler has set for a pair in this step.
    fn overridden(&self, slot: usize) -> Option<&PairMaterial> {
        let is_watched = self.pairs.heads[slot].flags & flag::WATCHED != 0;
        if is_watched { self.overrides.get(slot as u32) } else { None }
    }

    /// The velocity of the second body relative to the first that friction aims at, in metres per second.
    pub(crate) fn carried(&self, library: &Library<R>, slot: usize) -> Vec2 {
        let [a, b] = self.materials(library, slot);
        self.overridden(slot).map_or(a.surface_velocity - b.surface_velocity, |set| set.carried)
    }

    /// What the contact of a pair has: what a handler has set in this step, or what the shapes give.
    pub(crate) fn pair_material(
        &self,
        library: &Library<R>,
        settings: &StepSettings,
        slot: usize,
    ) -> PairMaterial {
        let [a, b] = self.materials(library, slot);
        self.overridden(slot).copied().unwrap_or_else(|| PairMaterial {
            restitution: settings.restitution.mix(a.elasticity, b.elasticity),
            friction: settings.friction.mix(a.friction, b.friction),
            carried: a.surface_velocity - b.surface_velocity,
        })
    }

    /// Sets what the contact of a pair has, for this step.
    pub(crate) fn override_material(&mut self, slot: u32, material: &PairMaterial) {
        self.pairs.heads[slot as usize].flags |= flag::WATCHED;
        self.set_material(slot as usize, material);
        self.overrides.set(slot, *material);
    }

    fn set_material(&mut self, slot: usize, material: &PairMaterial) {
        let head = &mut self.pairs.heads[slot];
        self.pairs.elastic -= usize::from(head.restitution > 0.0);
        self.pairs.elastic += usize::from(material.restitution > 0.0);
        head.restitution = material.restitution;
        let is_carried = material.carried != Vec2::ZERO;
        head.flags = if is_carried { head.flags | flag::SURFACE } else { head.flags & !flag::SURFACE };
        self.has_surfaces |= is_carried;
        self.pairs.rows_mut()[row::COUNT * slot + row::TRAITS][0] = R::nearest(material.friction);
    }

    /// Gives contacts again what their shapes give, after a step in which handlers have set something else.
    pub(crate) fn restore_materials(&mut self, step: &Step<'_, R>) {
        let mut entries = std::mem::take(&mut self.overrides.entries);
        for (slot, _) in entries.drain(..) {
            self.update_material(step, slot as usize);
        }
        self.overrides.entries = entries;
    }

    /// Gives the contact of a pair what its shapes give now.
    pub(crate) fn update_material(&mut self, step: &Step<'_, R>, slot: usize) {
        if self.pairs.heads[slot].flags & flag::ALIVE != 0 {
            let material = self.pair_material(step.library, step.settings, slot);
            self.set_material(slot, &material);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_mixed() {
        let all = [Mixing::Multiply, Mixing::Minimum, Mixing::Maximum, Mixing::Mean, Mixing::GeometricMean];
        assert_eq!(all.map(|mixing| mixing.mix(0.5, 2.0)), [1.0, 0.5, 2.0, 1.25, 1.0]);
        assert_eq!(all.map(|mixing| mixing.mix(0.0, 2.0)), [0.0, 0.0, 2.0, 1.0, 0.0]);
        assert_eq!(all.map(|mixing| mixing.mix(1e200, 1e200)), [1e30; 5]);
    }

    #[test]
    fn overrides_are_found_by_slot() {
        let mut overrides = Overrides::default();
        for slot in [5, 1, 9, 5] {
            let friction = overrides.entries.len() as f64;
            overrides.set(slot, PairMaterial { restitution: 0.0, friction, carried: Vec2::ZERO });
        }
        let friction = |slot| overrides.get(slot).map(|set| set.friction);
        assert_eq!([1, 5, 9, 2].map(friction), [Some(1.0), Some(3.0), Some(2.0), None]);
    }
}
