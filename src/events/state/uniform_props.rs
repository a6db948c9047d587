//! Properties that hold for all particles of a run, or for none.

use super::{Domain, EngineState};
use crate::events::enclosure::Boundary;
use crate::particles::{Field, Particles};

/// What all particles have in common; it spares loads and branches in predictions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UniformProps {
    /// Radius and mass, if all particles have the same, move and collide.
    pub radius_and_mass: Option<[f64; 2]>,
    /// Whether the box has reflecting faces.
    pub has_walls: bool,
    /// Whether some particles are fixed while others fall.
    pub falls_past_fixed: bool,
}

impl UniformProps {
    pub(crate) fn new<const D: usize>(particles: &Particles, domain: &Domain<D>) -> Self {
        let masses = particles.columns(Field::Mass)[0].as_slice();
        let fixed = particles.fixed_flags().contains(&1);
        let same = |values: &[f64]| values.iter().all(|value| value == &values[0]);
        let radii = particles.radii();
        let uniform = !fixed && !masses.is_empty() && masses[0] > 0.0 && same(masses) && same(radii);
        Self {
            radius_and_mass: uniform.then(|| [radii[0], masses[0]]),
            has_walls: domain.enclosure.boundaries.contains(&Boundary::Reflecting),
            falls_past_fixed: fixed && domain.down_gravity != 0.0,
        }
    }
}

impl<const D: usize> EngineState<D> {
    #[inline(always)]
    pub(crate) fn radius(&self, row: usize) -> f64 {
        match self.uniform.radius_and_mass {
            Some([radius, _]) => radius,
            None => self.particles.radii()[row],
        }
    }

    #[inline(always)]
    pub(crate) fn mass(&self, row: usize) -> f64 {
        match self.uniform.radius_and_mass {
            Some([_, mass]) => mass,
            None => self.masses()[row],
        }
    }
}
