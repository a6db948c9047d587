//! Shapes of bodies: changing them.

use super::failure::Result;
use super::handle::update;
use super::memory::Caller;
use super::rigid2d_geometry::{carom_affine, carom_geometry};
use super::rigid2d_ids::{carom_bounds, carom_shape, carom_vec2};
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use crate::geometry::Vec2;
use crate::rigid2d::Filter;

impl Caller {
    /// The neighbours of a segment; null where there is none.
    fn neighbours(&self, previous: *const carom_vec2, next: *const carom_vec2) -> Result<[Option<Vec2>; 2]> {
        let previous = self.optional("previous", previous)?.map(|&point| point.into());
        Ok([previous, self.optional("next", next)?.map(|&point| point.into())])
    }
}

/// Sets the elasticity of a shape.
///
/// \param shape      Which shape.
/// \param elasticity At least 0.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_elasticity(
    space: *mut carom_space,
    shape: carom_shape,
    elasticity: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_elasticity(elasticity)?)))
}

/// Sets the friction of a shape.
///
/// \param shape    Which shape.
/// \param friction At least 0.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_friction(
    space: *mut carom_space,
    shape: carom_shape,
    friction: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_friction(friction)?)))
}

/// Sets the velocity of the surface of a shape, as of a conveyor belt.
///
/// \param shape    Which shape.
/// \param velocity In metres per second.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_surface_velocity(
    space: *mut carom_space,
    shape: carom_shape,
    velocity: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space
        .shape_mut(shape.into())?
        .set_surface_velocity(velocity.into())?)))
}

/// Sets the type of a shape, by which handlers are chosen.
///
/// \param shape          Which shape.
/// \param collision_type Any number.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_collision_type(
    space: *mut carom_space,
    shape: carom_shape,
    collision_type: u64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_collision_type(collision_type)?)))
}

/// Sets with what a shape collides. Two shapes of the same group other than 0 never collide; any others do if each
/// has a category that is in the mask of the other one.
///
/// \param shape      Which shape.
/// \param group      0: no group.
/// \param categories The categories of the shape, one per bit.
/// \param mask       The categories with which it collides, one per bit.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_filter(
    space: *mut carom_space,
    shape: carom_shape,
    group: u32,
    categories: u64,
    mask: u64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_filter(Filter {
        group,
        categories,
        mask
    })?)))
}

/// Makes a shape a sensor, whose contacts are reported and have no effect, or not.
///
/// \param shape  Which shape.
/// \param sensor 0: no sensor, anything else: a sensor.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_sensor(
    space: *mut carom_space,
    shape: carom_shape,
    sensor: i32,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_sensor(sensor != 0)?)))
}

/// Sets the mass of a shape. A dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape Which shape.
/// \param mass  In kilograms, at least 0.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OVERFLOW, CAROM_OUT_OF_RANGE,
///         CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_mass(
    space: *mut carom_space,
    shape: carom_shape,
    mass: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_mass(mass)?)))
}

/// Sets the mass of a shape that a density gives. A dynamic body takes mass, moment and centre of mass from its
/// shapes anew.
///
/// \param shape   Which shape.
/// \param density In kilograms per square metre, at least 0.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OVERFLOW, CAROM_OUT_OF_RANGE,
///         CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_density(
    space: *mut carom_space,
    shape: carom_shape,
    density: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_density(density)?)))
}

/// Writes the user data of a shape.
///
/// \param shape     Which shape.
/// \param user_data Anything; carom never reads it.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_user_data(
    space: *mut carom_space,
    shape: carom_shape,
    user_data: u64,
) -> carom_status {
    entry!(update(space, |_, space| {
        space.shape_mut(shape.into())?.set_user_data(user_data);
        Ok(())
    }))
}

/// Gives a shape another form, also of another kind.
///
/// If the shape has a mass, a dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape    Which shape.
/// \param geometry The form.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_CONVEX,
///         CAROM_UNKNOWN_VALUE, CAROM_OVERFLOW, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_geometry(
    space: *mut carom_space,
    shape: carom_shape,
    geometry: *const carom_geometry,
) -> carom_status {
    entry!(update(space, |caller, space| {
        let geometry = caller.geometry(geometry)?;
        Ok(space.shape_mut(shape.into())?.set_geometry(geometry)?)
    }))
}

/// Sets the radius of a circle, or the rounding radius of a segment or polygon.
///
/// If the shape has a mass, a dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape  Which shape.
/// \param radius In metres, at least 0.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW,
///         CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_radius(
    space: *mut carom_space,
    shape: carom_shape,
    radius: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_radius(radius)?)))
}

/// Sets the radius of a circle.
///
/// If the shape has a mass, a dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape  Which shape.
/// \param radius In metres, at least 0.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE,
///         CAROM_OVERFLOW, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_circle_radius(
    space: *mut carom_space,
    shape: carom_shape,
    radius: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_circle_radius(radius)?)))
}

/// Sets the centre of a circle.
///
/// If the shape has a mass, a dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape  Which shape.
/// \param offset In the coordinates of the body, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE, CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW,
///         CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_circle_offset(
    space: *mut carom_space,
    shape: carom_shape,
    offset: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_circle_offset(offset.into())?)))
}

/// Sets the ends of a segment; its neighbours stay.
///
/// If the shape has a mass, a dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape Which shape.
/// \param a     First end in the coordinates of the body, in metres.
/// \param b     Second end.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE, CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW,
///         CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_segment_ends(
    space: *mut carom_space,
    shape: carom_shape,
    a: carom_vec2,
    b: carom_vec2,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space
        .shape_mut(shape.into())?
        .set_segment_ends(a.into(), b.into())?)))
}

/// Sets the points at which the chain of a segment goes on, so that nothing catches on the joints.
///
/// \param shape    Which shape.
/// \param previous The point before its first end, in the coordinates of the body, in metres; NULL: the chain ends.
/// \param next     The point after its second end; NULL: the chain ends.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE, CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE, CAROM_LOCKED in a
///         callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_segment_neighbours(
    space: *mut carom_space,
    shape: carom_shape,
    previous: *const carom_vec2,
    next: *const carom_vec2,
) -> carom_status {
    entry!(update(space, |caller, space| {
        let [previous, next] = caller.neighbours(previous, next)?;
        Ok(space.shape_mut(shape.into())?.set_segment_neighbours(previous, next)?)
    }))
}

/// Sets the rounding radius of a segment.
///
/// If the shape has a mass, a dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape  Which shape.
/// \param radius In metres, at least 0.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE,
///         CAROM_OVERFLOW, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_segment_radius(
    space: *mut carom_space,
    shape: carom_shape,
    radius: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_segment_radius(radius)?)))
}

/// Makes a polygon the convex hull of any points; its radius stays.
///
/// If the shape has a mass, a dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape     Which shape.
/// \param points    The points in the coordinates of the body, in metres, at least 3 that are not on a line.
/// \param count     Number of points.
/// \param transform What is applied to the points first; NULL: nothing.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE, CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW,
///         CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_polygon_points(
    space: *mut carom_space,
    shape: carom_shape,
    points: *const carom_vec2,
    count: usize,
    transform: *const carom_affine,
) -> carom_status {
    entry!(update(space, |caller, space| {
        let points = caller.points("points", points, count)?;
        let map = caller.transform(transform)?;
        let mut shape = space.shape_mut(shape.into())?;
        match map {
            None => shape.set_polygon_hull(&points)?,
            Some(map) => shape.set_polygon_hull_under(&points, &map)?,
        }
        Ok(())
    }))
}

/// Gives a polygon exactly these vertices; its radius stays.
///
/// If the shape has a mass, a dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape    Which shape.
/// \param vertices In the coordinates of the body, in metres, convex and counter-clockwise.
/// \param count    Number of vertices, at least 3.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE, CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE, CAROM_NOT_CONVEX,
///         CAROM_OVERFLOW, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_polygon_vertices(
    space: *mut carom_space,
    shape: carom_shape,
    vertices: *const carom_vec2,
    count: usize,
) -> carom_status {
    entry!(update(space, |caller, space| {
        let vertices = caller.points("vertices", vertices, count)?;
        Ok(space.shape_mut(shape.into())?.set_polygon_vertices(&vertices)?)
    }))
}

/// Makes a polygon a rectangle with the sides of a box; its radius stays.
///
/// If the shape has a mass, a dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape  Which shape.
/// \param bounds The box in the coordinates of the body, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE, CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW,
///         CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_polygon_box(
    space: *mut carom_space,
    shape: carom_shape,
    bounds: carom_bounds,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_polygon_box(&bounds.into())?)))
}

/// Sets the rounding radius of a polygon.
///
/// If the shape has a mass, a dynamic body takes mass, moment and centre of mass from its shapes anew.
///
/// \param shape  Which shape.
/// \param radius In metres, at least 0.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE,
///         CAROM_OVERFLOW, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_set_polygon_radius(
    space: *mut carom_space,
    shape: carom_shape,
    radius: f64,
) -> carom_status {
    entry!(update(space, |_, space| Ok(space.shape_mut(shape.into())?.set_polygon_radius(radius)?)))
}

/// Makes the bounding boxes of a shape, and of the others of its body, anew in the next step. Calls that change a shape do so
/// themselves.
///
/// \param shape Which shape.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_reindex(space: *mut carom_space, shape: carom_shape) -> carom_status {
    entry!(update(space, |_, space| Ok(space.reindex_shape(shape.into())?)))
}
