//! What a contact of a shape depends on beside its form.

use crate::error::Result;
use crate::geometry::Vec2;
use crate::setters::setters;
use crate::soa::check;

/// Which shapes may collide.
///
/// Two shapes of the same group other than 0 never collide. Any others do if each has a category that is in the mask of the
/// other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// Shapes of the same group never collide; 0 is no group.
    pub group: u32,
    /// The categories of the shape, one per bit.
    pub categories: u64,
    /// The categories with which it collides, one per bit.
    pub mask: u64,
}

impl Default for Filter {
    fn default() -> Self {
        Self::ALL
    }
}

impl Filter {
    /// All categories, and collisions with all of them.
    pub const ALL: Self = Self { group: 0, categories: u64::MAX, mask: u64::MAX };
    /// Collisions with nothing.
    pub const NONE: Self = Self { group: 0, categories: 0, mask: 0 };

    setters! {
        /// With this group.
        with_group(group: u32);
        /// With these categories.
        with_categories(categories: u64);
        /// With this mask.
        with_mask(mask: u64);
    }

    /// Whether shapes with these filters may collide.
    #[inline(always)]
    #[must_use]
    pub fn accepts(self, other: Self) -> bool {
        let same_group = self.group != 0 && self.group == other.group;
        !same_group && self.categories & other.mask != 0 && other.categories & self.mask != 0
    }
}

/// What a contact of a shape depends on beside its form.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Material {
    /// Elasticity, at least 0; by default those of two shapes are multiplied for the coefficient of restitution.
    pub elasticity: f64,
    /// Friction, at least 0; by default those of two shapes are multiplied for the coefficient of friction.
    pub friction: f64,
    /// The velocity of the surface, as of a conveyor belt, in metres per second.
    pub surface_velocity: Vec2,
    /// The type by which handlers of collisions are chosen.
    pub collision_type: u64,
    /// Which shapes it may collide with.
    pub filter: Filter,
    /// Whether contacts are reported and have no effect.
    pub sensor: bool,
}

impl Material {
    setters! {
        /// With this elasticity.
        with_elasticity(elasticity: f64);
        /// With this friction.
        with_friction(friction: f64);
        /// With this velocity of the surface, in metres per second.
        with_surface_velocity(surface_velocity: Vec2);
        /// With this type of collisions.
        with_collision_type(collision_type: u64);
        /// With this filter.
        with_filter(filter: Filter);
        /// As a sensor, or not.
        with_sensor(sensor: bool);
    }

    /// Whether all numbers are in their ranges.
    pub fn check(&self) -> Result<()> {
        check::non_negative("elasticity", 0, self.elasticity)?;
        check::non_negative("friction", 0, self.friction)?;
        check::all_finite("surface velocity", &<[f64; 2]>::from(self.surface_velocity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn filters_are_symmetric() {
        let [all, none] = [Filter::ALL, Filter::NONE];
        let one = Filter::ALL.with_categories(1).with_mask(2);
        let two = Filter::ALL.with_categories(2).with_mask(3);
        for (a, b, expected) in [
            (all, all, true),
            (all, none, false),
            (none, none, false),
            (one, two, true),
            (one, one, false),
            (two, two, true),
            (all.with_group(7), all.with_group(7), false),
            (all.with_group(7), all.with_group(8), true),
            (all.with_group(7), all, true),
        ] {
            assert_eq!((a.accepts(b), b.accepts(a)), (expected, expected), "{a:?} {b:?}");
        }
    }

    #[test]
    fn bad_materials_are_named() {
        assert_eq!(Material::default().check(), Ok(()));
        let bad = Material::default().with_elasticity(-0.1).check();
        assert_eq!(bad, Err(Error::Negative { field: "elasticity", index: 0, value: -0.1 }));
        let bad = Material::default().with_friction(f64::INFINITY).check();
        assert_eq!(bad, Err(Error::NotFinite { field: "friction", index: 0, value: f64::INFINITY }));
        let bad = Material::default().with_surface_velocity(Vec2::new(0.0, f64::NAN)).check();
        assert!(matches!(bad, Err(Error::NotFinite { field: "surface velocity", index: 1, .. })));
    }
}
