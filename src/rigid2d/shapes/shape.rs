//! A shape: form, material and mass.

use super::{Geometry, Material};
use crate::error::{Error, Result};
use crate::geometry::Vec2;
use crate::soa::check;

/// What is attached to a body: a form, what it is made of, and its mass.
///
/// ```
/// use carom::geometry::Vec2;
/// use carom::rigid2d::{Geometry, Material, Shape};
///
/// let shape = Shape::new(Geometry::rectangle(2.0, 0.5, 0.0)?)
///     .with_density(3.0)
///     .with_material(Material::default().with_friction(0.7));
/// assert_eq!((shape.mass, shape.density()), (3.0, 3.0));
/// shape.check()?;
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// The form.
    pub geometry: Geometry,
    /// What a contact depends on beside the form.
    pub material: Material,
    /// The mass, in kg, at least 0, which is the default. A body can take its mass, centre of mass and moment from its shapes.
    pub mass: f64,
    /// A number that carom stores and does not use.
    pub user_data: u64,
}

impl Shape {
    /// A shape of this form, without mass.
    #[must_use]
    #[inline]
    pub fn new(geometry: Geometry) -> Self {
        Self { geometry, material: Material::default(), mass: 0.0, user_data: 0 }
    }

    /// Of this material.
    #[must_use]
    #[inline]
    pub fn with_material(self, material: Material) -> Self {
        Self { material, ..self }
    }

    /// With this mass, in kg.
    #[must_use]
    #[inline]
    pub fn with_mass(self, mass: f64) -> Self {
        Self { mass, ..self }
    }

    /// With the mass that this density gives, in kg per square metre. What has no area has no mass then.
    #[must_use]
    #[inline]
    pub fn with_density(self, density: f64) -> Self {
        let mass = density * self.geometry.area();
        self.with_mass(mass)
    }

    /// With this number for the user.
    #[must_use]
    #[inline]
    pub fn with_user_data(self, user_data: u64) -> Self {
        Self { user_data, ..self }
    }

    /// The density, in kg per square metre; infinite for a mass without area.
    #[must_use]
    pub fn density(&self) -> f64 {
        if self.mass == 0.0 { 0.0 } else { self.mass / self.geometry.area() }
    }

    /// The moment of inertia about a point, in kg m^2.
    #[must_use]
    pub fn moment(&self, about: Vec2) -> f64 {
        self.geometry.moment(self.mass, about)
    }

    /// Whether all numbers are in their ranges. Those of the form are since it was made.
    pub fn check(&self) -> Result<()> {
        self.material.check()?;
        check::non_negative("mass", 0, self.mass)?;
        let moment = self.moment(Vec2::ZERO);
        if moment.is_finite() {
            Ok(())
        } else {
            Err(Error::Overflow { field: "moment", index: None, magnitude: moment })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mass_and_density_depend_on_each_other() {
        let circle = Geometry::circle(2.0, Vec2::X).unwrap();
        let shape = Shape::new(circle.clone()).with_mass(5.0);
        assert!((shape.density() * circle.area() - 5.0).abs() < 1e-14);
        assert!((Shape::new(circle).with_density(shape.density()).mass - 5.0).abs() < 1e-14);
        assert_eq!((shape.moment(Vec2::X), shape.moment(Vec2::ZERO)), (10.0, 15.0));
        let rod = Shape::new(Geometry::segment(Vec2::ZERO, Vec2::X, 0.0).unwrap());
        assert_eq!((rod.density(), rod.clone().with_density(3.0).mass), (0.0, 0.0));
        assert_eq!(rod.with_mass(1.0).density(), f64::INFINITY);
    }

    #[test]
    fn bad_masses_are_named() {
        let shape = Shape::new(Geometry::circle(2.0, Vec2::X).unwrap());
        assert_eq!(shape.check(), Ok(()));
        let bad = shape.clone().with_mass(-1.0).check();
        assert_eq!(bad, Err(Error::Negative { field: "mass", index: 0, value: -1.0 }));
        assert!(shape.clone().with_density(f64::NAN).check().is_err());
        let large = Shape::new(Geometry::circle(1e60, Vec2::X).unwrap()).with_mass(1e300).check();
        assert!(matches!(large, Err(Error::Overflow { field: "moment", .. })));
        assert!(shape.with_material(Material::default().with_friction(-1.0)).check().is_err());
    }
}
