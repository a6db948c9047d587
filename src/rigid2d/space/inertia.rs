//! Mass, moment and centre of mass of bodies.

use super::body::{check_mass, check_moment, check_vector};
use super::{BodyKind, Core, Space};
use crate::error::{Error, Result};
use crate::geometry::{Pose, Vec2};
use crate::rigid2d::engine::bodies::{Kind, Number};
use crate::rigid2d::shapes::{MassProperties, Shape};

/// How heavy a body is, and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Inertia {
    pub(super) mass: f64,
    /// About the centre.
    pub(super) moment: f64,
    /// In the coordinates of the body.
    pub(super) centre: Vec2,
}

impl Core {
    pub(super) fn kind(&self, body: u32) -> BodyKind {
        BodyKind::of(self.engine.bodies().kind(body as usize))
    }

    /// The pose of the origin of a body.
    pub(super) fn pose(&self, body: u32) -> Pose {
        let Pose { position, rotation } = self.engine.bodies().pose(body as usize);
        Pose { position: position - rotation.turn(self.bodies.at(body).centre), rotation }
    }

    /// What the shapes of a body and one more give; nothing if that has no mass, or if the body is not dynamic.
    pub(super) fn inertia_with(&self, body: u32, shape: &Shape) -> Result<Option<Inertia>> {
        if shape.mass > 0.0 && self.kind(body) == BodyKind::Dynamic {
            self.inertia_of_shapes(body, None, Some((shape.mass, shape.geometry.mass_properties()))).map(Some)
        } else {
            Ok(None)
        }
    }

    /// What the shapes of a body but one give, and what is added to them.
    fn inertia_of_shapes(
        &self,
        body: u32,
        without: Option<u32>,
        with: Option<(f64, MassProperties)>,
    ) -> Result<Inertia> {
        let of_shape = |&shape: &u32| {
            let mass = self.shapes.at(shape).mass;
            (mass > 0.0).then(|| (mass, self.engine.definition(shape).geometry.mass_properties()))
        };
        let shapes = || {
            let shapes = self.bodies.at(body).shapes.iter().filter(|&&shape| Some(shape) != without);
            shapes.filter_map(of_shape).chain(with)
        };
        let mut sum = Inertia { mass: 0.0, moment: 0.0, centre: Vec2::ZERO };
        for (mass, properties) in shapes() {
            sum.mass += mass;
            // The mean grows with each shape, so that nothing overflows.
            sum.centre += (properties.centroid - sum.centre) * (mass / sum.mass);
        }
        for (mass, properties) in shapes() {
            sum.moment += properties.moment(mass, sum.centre);
        }
        for (field, magnitude) in [("mass", sum.mass), ("moment", sum.moment)] {
            if !magnitude.is_finite() {
                return Err(Error::Overflow { field, index: Some(body as usize), magnitude });
            }
        }
        check_mass(body as usize, sum.mass)?;
        check_moment(body as usize, sum.moment)?;
        check_vector("centre of mass", body as usize, sum.centre)?;
        Ok(sum)
    }
}

impl Space {
    /// Sets mass and moment of a body, whatever its kind.
    pub(super) fn set_inertia_columns(&mut self, row: u32, mass: f64, moment: f64) {
        let (bodies, at) = (self.core.engine.store_mut(), row as usize);
        let is_dynamic = bodies.kind(at) == Kind::Dynamic;
        let inverse = |value: f64| if is_dynamic && value > 0.0 { 1.0 / value } else { 0.0 };
        let of_dynamic = |value: f64| if is_dynamic { value } else { 0.0 };
        bodies.set(at, [(Number::inverse_mass, inverse(mass)), (Number::inverse_moment, inverse(moment))]);
        bodies.set(at, [(Number::mass, of_dynamic(mass)), (Number::moment, of_dynamic(moment))]);
        self.core.masses_changed |= is_dynamic && !(mass > 0.0 && moment > 0.0);
    }

    /// Gives a dynamic body mass, moment and centre of mass from its shapes. Its origin stays where it is.
    pub(super) fn accumulate_mass(&mut self, body: u32) -> Result<()> {
        if self.core.kind(body) != BodyKind::Dynamic {
            return Ok(());
        }
        let inertia = self.core.inertia_of_shapes(body, None, None)?;
        self.set_inertia(body, inertia)
    }

    /// The same without one of the shapes.
    pub(super) fn accumulate_mass_without(&mut self, body: u32, shape: u32) -> Result<()> {
        if self.core.kind(body) != BodyKind::Dynamic {
            return Ok(());
        }
        let inertia = self.core.inertia_of_shapes(body, Some(shape), None)?;
        self.set_inertia(body, inertia)
    }

    pub(super) fn set_inertia(&mut self, body: u32, inertia: Inertia) -> Result<()> {
        self.set_centre(body, inertia.centre)?;
        self.set_inertia_columns(body, inertia.mass, inertia.moment);
        Ok(())
    }

    /// Moves the centre of mass within a body. Its origin stays where it is.
    pub(super) fn set_centre(&mut self, body: u32, centre: Vec2) -> Result<()> {
        let entry = self.core.bodies.at(body);
        if entry.centre == centre {
            return Ok(());
        }
        let pose = self.core.pose(body);
        if !entry.shapes.is_empty() {
            self.core.engine.redefine(body, &entry.shapes, None, centre)?;
        }
        self.core.reindex(body);
        self.core.bodies.at_mut(body).centre = centre;
        let position = pose.point(centre);
        let bodies = self.core.engine.store_mut();
        bodies.set(body as usize, [(Number::x, position.x), (Number::y, position.y)]);
        self.renew_pairs(|pair| pair.bodies.contains(&body))
    }
}
