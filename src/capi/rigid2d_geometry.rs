//! Forms of shapes, and what they are made of.

use super::failure::{Failure, Result};
use super::guard::enter;
use super::memory::{Caller, Plain};
use super::options::Options;
use super::rigid2d_ids::carom_vec2;
use super::status::carom_status;
use super::world::known;
use crate::error::Error;
use crate::geometry::{Affine, Vec2};
use crate::rigid2d::{Filter, Geometry, Material, Shape};
use crate::soa::{check, memory};

/// The form of a shape: CAROM_CIRCLE, CAROM_SEGMENT or CAROM_POLYGON.
pub type carom_geometry_kind = u32;

/// All points within a radius of a point.
pub const CAROM_CIRCLE: carom_geometry_kind = 0;
/// All points within a radius of the segment between two points.
pub const CAROM_SEGMENT: carom_geometry_kind = 1;
/// All points within a radius of a convex polygon.
pub const CAROM_POLYGON: carom_geometry_kind = 2;

pub(super) fn kind_of(geometry: &Geometry) -> carom_geometry_kind {
    match geometry {
        Geometry::Circle(_) => CAROM_CIRCLE,
        Geometry::Segment(_) => CAROM_SEGMENT,
        Geometry::Polygon(_) => CAROM_POLYGON,
    }
}

/// A map of the plane: p becomes x_axis * p.x + y_axis * p.y + translation.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_affine {
    /// What becomes of (1, 0), without the translation.
    pub x_axis: carom_vec2,
    /// What becomes of (0, 1), without the translation.
    pub y_axis: carom_vec2,
    /// What becomes of the origin, in metres.
    pub translation: carom_vec2,
}

// SAFETY: made of floats.
unsafe impl Plain for carom_affine {}

impl From<carom_affine> for Affine {
    fn from(map: carom_affine) -> Self {
        Self { x_axis: map.x_axis.into(), y_axis: map.y_axis.into(), translation: map.translation.into() }
    }
}

/// A form, in the coordinates of its body. Fill it with carom_geometry_init(), then change what differs.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_geometry {
    /// Size of the struct in the caller's program, set by carom_geometry_init().
    pub struct_size: u32,
    /// Which form. Default CAROM_CIRCLE.
    pub kind: carom_geometry_kind,
    /// The radius of a circle, or the rounding radius of the others, in metres, at least 0. Default 0.
    pub radius: f64,
    /// The centre of a circle or the first end of a segment, in metres. Default 0.
    pub a: carom_vec2,
    /// The second end of a segment, in metres. Default 0.
    pub b: carom_vec2,
    /// The points of a polygon, in metres, at least 3 that are not on a line.
    pub points: *const carom_vec2,
    /// Number of points.
    pub count: usize,
    /// What is applied to the points first; NULL: nothing.
    pub transform: *const carom_affine,
    /// 0, the default: a polygon is the convex hull of the points. Anything else: the points are its vertices and must be
    /// convex and counter-clockwise.
    pub exact: i32,
    /// Must be 0.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, no padding, integers, floats and raw pointers only.
unsafe impl Options for carom_geometry {
    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            kind: CAROM_CIRCLE,
            radius: 0.0,
            a: carom_vec2::ZERO,
            b: carom_vec2::ZERO,
            points: std::ptr::null(),
            count: 0,
            transform: std::ptr::null(),
            exact: 0,
            reserved: 0,
        }
    }
}

/// Bytes per point of a form: copies of it on the way to a polygon.
const ROOM_PER_POINT: usize = 256;

impl Caller {
    /// Points in an array of the caller.
    pub(super) fn points(
        &self,
        argument: &'static str,
        points: *const carom_vec2,
        count: usize,
    ) -> Result<Vec<Vec2>> {
        let rows = self.rows(argument, points, 0, 1, count)?;
        // Hulls and polygons are made of copies.
        memory::expect_some(count.saturating_mul(ROOM_PER_POINT))?;
        Ok(memory::collect(count, (0..count).map(|row| rows.at(row, 0).into()))?)
    }

    /// A map of the plane; null is none.
    pub(super) fn transform(&self, transform: *const carom_affine) -> Result<Option<Affine>> {
        Ok(self.optional("transform", transform)?.map(|&map| map.into()))
    }

    /// The form that the caller describes.
    pub(super) fn geometry(&self, geometry: *const carom_geometry) -> Result<Geometry> {
        let form = self.read_options("geometry", geometry)?;
        known("reserved", form.reserved, &[()])?;
        memory::expect_little()?;
        Ok(match form.kind {
            CAROM_CIRCLE => Geometry::circle(form.radius, form.a.into())?,
            CAROM_SEGMENT => Geometry::segment(form.a.into(), form.b.into(), form.radius)?,
            CAROM_POLYGON => self.polygon(&form)?,
            unknown => {
                return Err(Failure::UnknownValue { argument: "kind", value: unknown.into() });
            }
        })
    }

    fn polygon(&self, form: &carom_geometry) -> Result<Geometry> {
        let points = self.points("points", form.points, form.count)?;
        let map = self.transform(form.transform)?;
        Ok(match (map, form.exact != 0) {
            (None, false) => Geometry::polygon(&points, form.radius)?,
            (None, true) => Geometry::convex_polygon(&points, form.radius)?,
            (Some(map), false) => Geometry::polygon_under(&points, &map, form.radius)?,
            (Some(map), true) => {
                let images: Vec<Vec2> = points.iter().map(|&point| map.point(point)).collect();
                Geometry::convex_polygon(&images, form.radius)?
            }
        })
    }

    /// What a shape of this form is made of; null is the defaults.
    pub(super) fn shape(&self, geometry: Geometry, options: *const carom_shape_options) -> Result<Shape> {
        if options.is_null() {
            return Ok(Shape::new(geometry));
        }
        self.read_options("options", options)?.shape(geometry)
    }
}

/// Fills a form with the defaults: a circle of radius 0 at the origin.
///
/// \param geometry The struct to fill.
/// \param size     `sizeof(carom_geometry)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_geometry_init(geometry: *mut carom_geometry, size: usize) -> carom_status {
    entry!(enter(|caller| caller.init_options("geometry", geometry, size)))
}

/// What a shape is made of beside its form. Fill it with carom_shape_options_init(), then change what differs.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_shape_options {
    /// Size of the struct in the caller's program, set by carom_shape_options_init().
    pub struct_size: u32,
    /// Other than 0: contacts are reported and have no effect. Default 0.
    pub sensor: i32,
    /// Elasticity, at least 0. Default 0. Those of two shapes give the coefficient of restitution.
    pub elasticity: f64,
    /// Friction, at least 0. Default 0. Those of two shapes give the coefficient of friction.
    pub friction: f64,
    /// Velocity of the surface, as of a conveyor belt, in metres per second. Default 0.
    pub surface_velocity: carom_vec2,
    /// The type by which handlers are chosen. Default 0.
    pub collision_type: u64,
    /// Shapes of the same group never collide; 0, the default, is no group.
    pub group: u32,
    /// Must be 0.
    pub reserved: u32,
    /// The categories of the shape, one per bit. Default all.
    pub categories: u64,
    /// The categories with which it collides, one per bit. Default all. Two shapes collide if each has a category that is in
    /// the mask of the other one.
    pub mask: u64,
    /// In kilograms, at least 0. Default 0. Shapes with a mass give their dynamic body mass, moment and centre of mass.
    pub mass: f64,
    /// Instead of a mass, in kilograms per square metre, at least 0. Default 0; it must be 0 if there is a mass.
    pub density: f64,
    /// A number that carom stores and does not use. Default 0.
    pub user_data: u64,
}

// SAFETY: `repr(C)`, no padding, integers and floats only.
unsafe impl Options for carom_shape_options {
    fn defaults() -> Self {
        Self::new(&Material::default(), 0.0, 0)
    }
}

impl carom_shape_options {
    pub(super) fn new(material: &Material, mass: f64, user_data: u64) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            sensor: material.sensor.into(),
            elasticity: material.elasticity,
            friction: material.friction,
            surface_velocity: material.surface_velocity.into(),
            collision_type: material.collision_type,
            group: material.filter.group,
            reserved: 0,
            categories: material.filter.categories,
            mask: material.filter.mask,
            mass,
            density: 0.0,
            user_data,
        }
    }

    fn material(&self) -> Material {
        let Self { group, categories, mask, .. } = *self;
        Material {
            elasticity: self.elasticity,
            friction: self.friction,
            surface_velocity: self.surface_velocity.into(),
            collision_type: self.collision_type,
            filter: Filter { group, categories, mask },
            sensor: self.sensor != 0,
        }
    }

    fn shape(&self, geometry: Geometry) -> Result<Shape> {
        known("reserved", self.reserved, &[()])?;
        check::non_negative("density", 0, self.density)?;
        let shape = Shape::new(geometry).with_material(self.material()).with_user_data(self.user_data);
        if self.density == 0.0 {
            return Ok(shape.with_mass(self.mass));
        }
        if self.mass != 0.0 {
            let expected = "0 for a shape with a mass";
            return Err(Error::OutOfRange { field: "density", value: self.density, expected }.into());
        }
        Ok(shape.with_density(self.density))
    }
}

/// Fills the options of a shape with the defaults: without mass, friction and elasticity, colliding with everything.
///
/// \param options The struct to fill.
/// \param size    `sizeof(carom_shape_options)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_options_init(
    options: *mut carom_shape_options,
    size: usize,
) -> carom_status {
    entry!(enter(|caller| caller.init_options("options", options, size)))
}
