//! Shapes, to change.

use super::{ShapeRef, Space};
use crate::error::{Error, Result};
use crate::geometry::{Aabb, Affine, Vec2};
use crate::rigid2d::shapes::{Filter, Geometry, Material, Polygon, Segment, Shape};

/// A shape of a space, to change. What returns an error has changed nothing.
///
/// A change of form, mass or density gives a dynamic body mass, moment and centre of mass from its shapes anew, if the shape
/// has a mass.
#[derive(Debug)]
pub struct ShapeMut<'a> {
    space: &'a mut Space,
    row: u32,
}

impl<'a> ShapeMut<'a> {
    pub(super) fn new(space: &'a mut Space, row: u32) -> Self {
        Self { space, row }
    }

    /// The same shape, to read.
    #[must_use]
    pub fn as_ref(&self) -> ShapeRef<'_> {
        ShapeRef::new(&self.space.core, self.row)
    }

    fn body(&self) -> u32 {
        self.space.core.shapes.at(self.row).body
    }

    /// Sets the material.
    pub fn set_material(&mut self, material: Material) -> Result<()> {
        material.check()?;
        let (row, old) = (self.row, *self.as_ref().material());
        let other_pairs = old.filter != material.filter || old.sensor != material.sensor;
        if other_pairs {
            self.space.check_unlocked("change a filter or a sensor")?;
            self.space.core.expect_endings(self.body())?;
        }
        self.space.core.expect_own_definitions()?;
        self.space.core.engine.set_material(row, material);
        self.space.handlers.changed |= old.collision_type != material.collision_type;
        self.space.core.engine.wake(self.body());
        if other_pairs {
            self.space.core.reindex(self.body());
            self.space.renew_pairs(|pair| pair.shapes.contains(&row))?;
        }
        Ok(())
    }

    /// Sets the elasticity, at least 0.
    pub fn set_elasticity(&mut self, elasticity: f64) -> Result<()> {
        self.set_material(self.as_ref().material().with_elasticity(elasticity))
    }

    /// Sets the friction, at least 0.
    pub fn set_friction(&mut self, friction: f64) -> Result<()> {
        self.set_material(self.as_ref().material().with_friction(friction))
    }

    /// Sets the velocity of the surface, in metres per second.
    pub fn set_surface_velocity(&mut self, surface_velocity: Vec2) -> Result<()> {
        self.set_material(self.as_ref().material().with_surface_velocity(surface_velocity))
    }

    /// Sets the type of collisions.
    pub fn set_collision_type(&mut self, collision_type: u64) -> Result<()> {
        self.set_material(self.as_ref().material().with_collision_type(collision_type))
    }

    /// Sets the filter.
    pub fn set_filter(&mut self, filter: Filter) -> Result<()> {
        self.set_material(self.as_ref().material().with_filter(filter))
    }

    /// Makes it a sensor or not.
    pub fn set_sensor(&mut self, sensor: bool) -> Result<()> {
        self.set_material(self.as_ref().material().with_sensor(sensor))
    }

    /// Sets the mass, in kilograms.
    pub fn set_mass(&mut self, mass: f64) -> Result<()> {
        self.space.check_unlocked("change the mass of a shape")?;
        Shape { mass, ..self.as_ref().to_shape() }.check()?;
        let body = self.body();
        self.space.core.expect_endings(body)?;
        let old = std::mem::replace(&mut self.space.core.shapes.at_mut(self.row).mass, mass);
        let result = self.space.accumulate_mass(body);
        if result.is_err() {
            self.space.core.shapes.at_mut(self.row).mass = old;
        }
        self.space.core.engine.wake(body);
        result
    }

    /// Sets the mass that this density gives, in kilograms per square metre.
    pub fn set_density(&mut self, density: f64) -> Result<()> {
        crate::soa::check::non_negative("density", 0, density)?;
        self.set_mass(density * self.as_ref().area())
    }

    /// Sets the number of the user.
    pub fn set_user_data(&mut self, user_data: u64) {
        self.space.core.shapes.at_mut(self.row).user_data = user_data;
    }

    /// Gives it another form, also of another kind.
    pub fn set_geometry(&mut self, geometry: Geometry) -> Result<()> {
        self.space.check_unlocked("change the form of a shape")?;
        let shape = Shape { geometry, ..self.as_ref().to_shape() };
        shape.check()?;
        let (row, body) = (self.row, self.body());
        self.space.core.expect_endings(body)?;
        let centre = self.space.core.bodies.at(body).centre;
        let old = self.as_ref().geometry().clone();
        self.space.core.engine.redefine(body, &[row], Some((row, &shape.geometry)), centre)?;
        self.space.core.reindex(body);
        if shape.mass > 0.0
            && let Err(error) = self.space.accumulate_mass(body)
        {
            self.space.core.engine.redefine(body, &[row], Some((row, &old)), centre)?;
            return Err(error);
        }
        self.space.core.engine.wake(body);
        self.space.renew_pairs(|pair| pair.shapes.contains(&row))
    }

    /// Sets the radius of a circle, or the rounding radius of a segment or polygon, in metres.
    pub fn set_radius(&mut self, radius: f64) -> Result<()> {
        self.set_geometry(self.as_ref().geometry().with_radius(radius)?)
    }

    /// Sets the radius of a circle, in metres.
    pub fn set_circle_radius(&mut self, radius: f64) -> Result<()> {
        let circle = self.as_ref().circle()?;
        self.set_geometry(Geometry::circle(radius, circle.offset())?)
    }

    /// Sets the centre of a circle in the coordinates of the body, in metres.
    pub fn set_circle_offset(&mut self, offset: Vec2) -> Result<()> {
        let circle = self.as_ref().circle()?;
        self.set_geometry(Geometry::circle(circle.radius(), offset)?)
    }

    /// Sets the ends of a segment in the coordinates of the body, in metres; its neighbours stay.
    pub fn set_segment_ends(&mut self, a: Vec2, b: Vec2) -> Result<()> {
        let old = *self.as_ref().segment()?;
        let segment = Segment::new(a, b, old.radius())?.with_neighbours(old.previous(), old.next())?;
        self.set_geometry(Geometry::Segment(segment))
    }

    /// Sets the points at which the chain of a segment goes on before its first and after its second end.
    pub fn set_segment_neighbours(&mut self, previous: Option<Vec2>, next: Option<Vec2>) -> Result<()> {
        let segment = self.as_ref().segment()?.with_neighbours(previous, next)?;
        self.set_geometry(Geometry::Segment(segment))
    }

    /// Sets the rounding radius of a segment, in metres.
    pub fn set_segment_radius(&mut self, radius: f64) -> Result<()> {
        let segment = self.as_ref().segment()?.with_radius(radius)?;
        self.set_geometry(Geometry::Segment(segment))
    }

    /// Makes a polygon the convex hull of any points, in the coordinates of the body.
    pub fn set_polygon_hull(&mut self, points: &[Vec2]) -> Result<()> {
        let radius = self.as_ref().polygon()?.radius();
        self.set_geometry(Geometry::polygon(points, radius)?)
    }

    /// Makes a polygon the convex hull of the images of any points.
    pub fn set_polygon_hull_under(&mut self, points: &[Vec2], map: &Affine) -> Result<()> {
        let radius = self.as_ref().polygon()?.radius();
        self.set_geometry(Geometry::polygon_under(points, map, radius)?)
    }

    /// Gives a polygon exactly these vertices, which must be convex and counter-clockwise.
    pub fn set_polygon_vertices(&mut self, vertices: &[Vec2]) -> Result<()> {
        let radius = self.as_ref().polygon()?.radius();
        self.set_geometry(Geometry::convex_polygon(vertices, radius)?)
    }

    /// Makes a polygon a rectangle with the sides of a box, in the coordinates of the body.
    pub fn set_polygon_box(&mut self, sides: &Aabb<2>) -> Result<()> {
        let radius = self.as_ref().polygon()?.radius();
        self.set_geometry(Geometry::rectangle_from(sides, radius)?)
    }

    /// Sets the rounding radius of a polygon, in metres.
    pub fn set_polygon_radius(&mut self, radius: f64) -> Result<()> {
        let polygon: Polygon = self.as_ref().polygon()?.with_radius(radius)?;
        self.set_geometry(Geometry::Polygon(polygon))
    }
}

/// The kind of a form, in words.
pub(super) fn kind_of(geometry: &Geometry) -> &'static str {
    match geometry {
        Geometry::Circle(_) => "circle",
        Geometry::Segment(_) => "segment",
        Geometry::Polygon(_) => "polygon",
    }
}

impl<'a> ShapeRef<'a> {
    /// The circle that it is, or an error.
    pub fn circle(&self) -> Result<&'a crate::rigid2d::shapes::Circle> {
        match self.geometry() {
            Geometry::Circle(circle) => Ok(circle),
            other => Err(Error::WrongShape { expected: "circle", found: kind_of(other) }),
        }
    }

    /// The segment that it is, or an error.
    pub fn segment(&self) -> Result<&'a Segment> {
        match self.geometry() {
            Geometry::Segment(segment) => Ok(segment),
            other => Err(Error::WrongShape { expected: "segment", found: kind_of(other) }),
        }
    }

    /// The polygon that it is, or an error.
    pub fn polygon(&self) -> Result<&'a Polygon> {
        match self.geometry() {
            Geometry::Polygon(polygon) => Ok(polygon),
            other => Err(Error::WrongShape { expected: "polygon", found: kind_of(other) }),
        }
    }

    /// A vertex of the polygon that it is, in the coordinates of the body.
    pub fn polygon_vertex(&self, index: usize) -> Result<Vec2> {
        let vertices = self.polygon()?.vertices();
        crate::soa::check::index("vertex", index, vertices.len())?;
        Ok(vertices[index])
    }
}
