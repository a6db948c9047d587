//! Shapes, to read.

use super::{BodyId, Core, ShapeId};
use crate::geometry::{Aabb, Vec2};
use crate::rigid2d::shapes::{Geometry, Material, Shape};

/// A shape of a space, to read.
#[derive(Debug, Clone, Copy)]
pub struct ShapeRef<'a> {
    core: &'a Core,
    row: u32,
}

impl<'a> ShapeRef<'a> {
    pub(super) fn new(core: &'a Core, row: u32) -> Self {
        Self { core, row }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> ShapeId {
        self.core.shape_id(self.row)
    }

    /// The body to which it belongs.
    #[must_use]
    pub fn body(&self) -> BodyId {
        self.core.body_id(self.core.shapes.at(self.row).body)
    }

    /// Its form, in the coordinates of the body.
    #[must_use]
    pub fn geometry(&self) -> &'a Geometry {
        &self.core.engine.definition(self.row).geometry
    }

    /// What contacts depend on beside the form.
    #[must_use]
    pub fn material(&self) -> &'a Material {
        &self.core.engine.definition(self.row).material
    }

    /// In kilograms.
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.core.shapes.at(self.row).mass
    }

    /// In kilograms per square metre; infinite for a mass without area.
    #[must_use]
    pub fn density(&self) -> f64 {
        if self.mass() == 0.0 { 0.0 } else { self.mass() / self.area() }
    }

    /// In square metres, rounding included.
    #[must_use]
    pub fn area(&self) -> f64 {
        self.geometry().area()
    }

    /// The moment of inertia about its own centre of mass, in kg m^2.
    #[must_use]
    pub fn moment(&self) -> f64 {
        let properties = self.geometry().mass_properties();
        properties.moment(self.mass(), properties.centroid)
    }

    /// Its centre of mass in the coordinates of the body, in metres.
    #[must_use]
    pub fn centre_of_mass(&self) -> Vec2 {
        self.geometry().centroid()
    }

    /// The smallest box around it, in metres.
    #[must_use]
    pub fn bounding_box(&self) -> Aabb<2> {
        self.geometry().bounding_box(self.core.pose(self.core.shapes.at(self.row).body))
    }

    /// The number of the user.
    #[must_use]
    pub fn user_data(&self) -> u64 {
        self.core.shapes.at(self.row).user_data
    }

    /// What a copy of it is made from.
    #[must_use]
    pub fn to_shape(&self) -> Shape {
        Shape {
            geometry: self.geometry().clone(),
            material: *self.material(),
            mass: self.mass(),
            user_data: self.user_data(),
        }
    }
}
