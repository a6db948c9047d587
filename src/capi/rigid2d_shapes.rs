//! Shapes of bodies: adding, removing, reading.

use super::guard::enter;
use super::handle::{Handle, query, update};
use super::rigid2d_geometry::{carom_geometry, carom_geometry_kind, carom_shape_options, kind_of};
use super::rigid2d_ids::{carom_body, carom_bounds, carom_shape, carom_vec2, list};
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use super::store::append;
use crate::rigid2d::Geometry;

/// Adds a shape of any form to a body. If it has a mass, a dynamic body takes mass, moment and centre of mass from
/// all its shapes.
///
/// \param body     The body to which it is added.
/// \param geometry Its form.
/// \param options  What it is made of; NULL: the defaults.
/// \param shape    Receives the shape. May be NULL.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_CONVEX,
///         CAROM_OVERFLOW for the mass or moment of the body, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a
///         contact, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_add(
    space: *mut carom_space,
    body: carom_body,
    geometry: *const carom_geometry,
    options: *const carom_shape_options,
    shape: *mut carom_shape,
) -> carom_status {
    entry!(append(space, ("shape", shape), |caller, space| {
        let geometry = caller.geometry(geometry)?;
        Ok(space.add_shape(body.into(), caller.shape(geometry, options)?)?.into())
    }))
}

/// Adds a circle to a body.
///
/// \param body    The body to which it is added.
/// \param radius  In metres, at least 0.
/// \param offset  Its centre in the coordinates of the body, in metres.
/// \param options What it is made of; NULL: the defaults.
/// \param shape   Receives the shape. May be NULL.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW for the mass
///         or moment of the body, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a contact, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_add_circle(
    space: *mut carom_space,
    body: carom_body,
    radius: f64,
    offset: carom_vec2,
    options: *const carom_shape_options,
    shape: *mut carom_shape,
) -> carom_status {
    entry!(append(space, ("shape", shape), |caller, space| {
        let geometry = Geometry::circle(radius, offset.into())?;
        Ok(space.add_shape(body.into(), caller.shape(geometry, options)?)?.into())
    }))
}

/// Adds a segment with a rounding radius to a body.
///
/// \param body    The body to which it is added.
/// \param a       First end in the coordinates of the body, in metres.
/// \param b       Second end.
/// \param radius  Rounding radius in metres, at least 0.
/// \param options What it is made of; NULL: the defaults.
/// \param shape   Receives the shape. May be NULL.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW for the mass
///         or moment of the body, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a contact, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_add_segment(
    space: *mut carom_space,
    body: carom_body,
    a: carom_vec2,
    b: carom_vec2,
    radius: f64,
    options: *const carom_shape_options,
    shape: *mut carom_shape,
) -> carom_status {
    entry!(append(space, ("shape", shape), |caller, space| {
        let geometry = Geometry::segment(a.into(), b.into(), radius)?;
        Ok(space.add_shape(body.into(), caller.shape(geometry, options)?)?.into())
    }))
}

/// Adds the convex hull of any points to a body.
///
/// \param body    The body to which it is added.
/// \param points  The points in the coordinates of the body, in metres, at least 3 that are not on a line.
/// \param count   Number of points.
/// \param radius  Rounding radius in metres, at least 0.
/// \param options What it is made of; NULL: the defaults.
/// \param shape   Receives the shape. May be NULL.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW for the mass
///         or moment of the body, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a contact, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_add_polygon(
    space: *mut carom_space,
    body: carom_body,
    points: *const carom_vec2,
    count: usize,
    radius: f64,
    options: *const carom_shape_options,
    shape: *mut carom_shape,
) -> carom_status {
    entry!(append(space, ("shape", shape), |caller, space| {
        let geometry = Geometry::polygon(&caller.points("points", points, count)?, radius)?;
        Ok(space.add_shape(body.into(), caller.shape(geometry, options)?)?.into())
    }))
}

/// Adds the polygon with exactly these vertices to a body.
///
/// \param body     The body to which it is added.
/// \param vertices The vertices in the coordinates of the body, in metres, convex and counter-clockwise.
/// \param count    Number of vertices, at least 3.
/// \param radius   Rounding radius in metres, at least 0.
/// \param options  What it is made of; NULL: the defaults.
/// \param shape    Receives the shape. May be NULL.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_CONVEX,
///         CAROM_OVERFLOW for the mass or moment of the body, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a
///         contact, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_add_convex_polygon(
    space: *mut carom_space,
    body: carom_body,
    vertices: *const carom_vec2,
    count: usize,
    radius: f64,
    options: *const carom_shape_options,
    shape: *mut carom_shape,
) -> carom_status {
    entry!(append(space, ("shape", shape), |caller, space| {
        let geometry = Geometry::convex_polygon(&caller.points("vertices", vertices, count)?, radius)?;
        Ok(space.add_shape(body.into(), caller.shape(geometry, options)?)?.into())
    }))
}

/// Adds a rectangle around the origin of a body.
///
/// \param body    The body to which it is added.
/// \param width   In metres, more than 0.
/// \param height  In metres, more than 0.
/// \param radius  Rounding radius in metres, at least 0.
/// \param options What it is made of; NULL: the defaults.
/// \param shape   Receives the shape. May be NULL.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW for the mass
///         or moment of the body, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a contact, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_add_box(
    space: *mut carom_space,
    body: carom_body,
    width: f64,
    height: f64,
    radius: f64,
    options: *const carom_shape_options,
    shape: *mut carom_shape,
) -> carom_status {
    entry!(append(space, ("shape", shape), |caller, space| {
        let geometry = Geometry::rectangle(width, height, radius)?;
        Ok(space.add_shape(body.into(), caller.shape(geometry, options)?)?.into())
    }))
}

/// Adds a rectangle with the sides of a box to a body.
///
/// \param body    The body to which it is added.
/// \param bounds  The box in the coordinates of the body, in metres.
/// \param radius  Rounding radius in metres, at least 0.
/// \param options What it is made of; NULL: the defaults.
/// \param shape   Receives the shape. May be NULL.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_OVERFLOW for the mass
///         or moment of the body, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a contact, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_add_box_from(
    space: *mut carom_space,
    body: carom_body,
    bounds: carom_bounds,
    radius: f64,
    options: *const carom_shape_options,
    shape: *mut carom_shape,
) -> carom_status {
    entry!(append(space, ("shape", shape), |caller, space| {
        let geometry = Geometry::rectangle_from(&bounds.into(), radius)?;
        Ok(space.add_shape(body.into(), caller.shape(geometry, options)?)?.into())
    }))
}

/// Removes a shape; `separate` is called for what it touches. If it has a mass, a dynamic body takes mass, moment and
/// centre of mass from the shapes that are left.
///
/// \param shape Which shape.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_remove(space: *mut carom_space, shape: carom_shape) -> carom_status {
    entry!(update(space, |_, space| Ok(space.remove_shape(shape.into())?)))
}

/// Whether there is such a shape in a space.
///
/// \param shape Any id.
/// \param found Receives 1 if there is, otherwise 0.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_exists(
    space: *const carom_space,
    shape: carom_shape,
    found: *mut i32,
) -> carom_status {
    entry!(query(space, ("found", found), |_, space| Ok(space.contains_shape(shape.into()).into())))
}

/// The body to which a shape belongs.
///
/// \param shape Which shape.
/// \param body  Receives it.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_body(
    space: *const carom_space,
    shape: carom_shape,
    body: *mut carom_body,
) -> carom_status {
    entry!(query(space, ("body", body), |_, space| Ok(space.shape(shape.into())?.body().into())))
}

/// The form of a shape.
///
/// \param shape Which shape.
/// \param kind  Receives CAROM_CIRCLE, CAROM_SEGMENT or CAROM_POLYGON.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_get_kind(
    space: *const carom_space,
    shape: carom_shape,
    kind: *mut carom_geometry_kind,
) -> carom_status {
    entry!(query(space, ("kind", kind), |_, space| Ok(kind_of(space.shape(shape.into())?.geometry()))))
}

/// Reads what a shape is made of. The density reads as 0; carom_shape_density() computes it.
///
/// \param shape   Which shape.
/// \param options Receives it. Its struct_size must be set: call carom_shape_options_init() first.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_UNKNOWN_VALUE for an impossible struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_get_options(
    space: *const carom_space,
    shape: carom_shape,
    options: *mut carom_shape_options,
) -> carom_status {
    entry!(enter(|caller| {
        let found = caller.object("space", space)?.read(|space| {
            let shape = space.shape(shape.into())?;
            Ok(carom_shape_options::new(shape.material(), shape.mass(), shape.user_data()))
        })?;
        caller.write_options("options", options, found)
    }))
}

/// Mass of a shape.
///
/// \param shape Which shape.
/// \param mass  Receives it, in kilograms.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_get_mass(
    space: *const carom_space,
    shape: carom_shape,
    mass: *mut f64,
) -> carom_status {
    entry!(query(space, ("mass", mass), |_, space| Ok(space.shape(shape.into())?.mass())))
}

/// Density of a shape.
///
/// \param shape   Which shape.
/// \param density Receives it, in kilograms per square metre; infinity for a mass without area.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_density(
    space: *const carom_space,
    shape: carom_shape,
    density: *mut f64,
) -> carom_status {
    entry!(query(space, ("density", density), |_, space| Ok(space.shape(shape.into())?.density())))
}

/// Area of a shape, rounding included.
///
/// \param shape Which shape.
/// \param area  Receives it, in square metres.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_area(
    space: *const carom_space,
    shape: carom_shape,
    area: *mut f64,
) -> carom_status {
    entry!(query(space, ("area", area), |_, space| Ok(space.shape(shape.into())?.area())))
}

/// Moment of inertia of a shape about its own centre of mass.
///
/// \param shape  Which shape.
/// \param moment Receives it, in kg m^2.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_moment(
    space: *const carom_space,
    shape: carom_shape,
    moment: *mut f64,
) -> carom_status {
    entry!(query(space, ("moment", moment), |_, space| Ok(space.shape(shape.into())?.moment())))
}

/// Centre of mass of a shape.
///
/// \param shape  Which shape.
/// \param centre Receives it, in the coordinates of the body, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_centre_of_mass(
    space: *const carom_space,
    shape: carom_shape,
    centre: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("centre", centre), |_, space| Ok(space
        .shape(shape.into())?
        .centre_of_mass()
        .into())))
}

/// The smallest box around a shape where it is now.
///
/// \param shape  Which shape.
/// \param bounds Receives it, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_bounding_box(
    space: *const carom_space,
    shape: carom_shape,
    bounds: *mut carom_bounds,
) -> carom_status {
    entry!(query(space, ("bounds", bounds), |_, space| Ok(space.shape(shape.into())?.bounding_box().into())))
}

/// Reads the user data of a shape.
///
/// \param shape     Which shape.
/// \param user_data Receives it.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_get_user_data(
    space: *const carom_space,
    shape: carom_shape,
    user_data: *mut u64,
) -> carom_status {
    entry!(query(space, ("user_data", user_data), |_, space| Ok(space.shape(shape.into())?.user_data())))
}

/// The radius of a circle, or the rounding radius of a segment or polygon.
///
/// \param shape  Which shape.
/// \param radius Receives it, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_get_radius(
    space: *const carom_space,
    shape: carom_shape,
    radius: *mut f64,
) -> carom_status {
    entry!(query(space, ("radius", radius), |_, space| Ok(space.shape(shape.into())?.geometry().radius())))
}

/// The centre of a circle.
///
/// \param shape  Which shape.
/// \param offset Receives it, in the coordinates of the body, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_get_circle_offset(
    space: *const carom_space,
    shape: carom_shape,
    offset: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("offset", offset), |_, space| Ok(space
        .shape(shape.into())?
        .circle()?
        .offset()
        .into())))
}

/// The unit normal of a segment, to the right of the way from a to b.
///
/// \param shape  Which shape.
/// \param normal Receives it, in the coordinates of the body.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_segment_normal(
    space: *const carom_space,
    shape: carom_shape,
    normal: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("normal", normal), |_, space| Ok(space
        .shape(shape.into())?
        .segment()?
        .normal()
        .into())))
}

/// The ends of a segment.
///
/// \param shape Which shape.
/// \param a     Receives the first end, in the coordinates of the body, in metres.
/// \param b     Receives the second end.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_get_segment_ends(
    space: *const carom_space,
    shape: carom_shape,
    a: *mut carom_vec2,
    b: *mut carom_vec2,
) -> carom_status {
    entry!(enter(|caller| {
        let (to_a, to_b) = (caller.out("a", a)?, caller.out("b", b)?);
        let ends =
            caller.object("space", space)?.read(|space| Ok(*space.shape(shape.into())?.segment()?.ends()))?;
        to_a.set(ends[0].into());
        to_b.set(ends[1].into());
        Ok(())
    }))
}

/// The points at which the chain of a segment goes on.
///
/// \param shape        Which shape.
/// \param previous     Receives the point before its first end, in the coordinates of the body, in metres; 0 if there is none.
/// \param has_previous Receives 1 if there is one, otherwise 0.
/// \param next         Receives the point after its second end; 0 if there is none.
/// \param has_next     Receives 1 if there is one, otherwise 0.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_get_segment_neighbours(
    space: *const carom_space,
    shape: carom_shape,
    previous: *mut carom_vec2,
    has_previous: *mut i32,
    next: *mut carom_vec2,
    has_next: *mut i32,
) -> carom_status {
    entry!(enter(|caller| {
        let points = (caller.out("previous", previous)?, caller.out("next", next)?);
        let flags = (caller.out("has_previous", has_previous)?, caller.out("has_next", has_next)?);
        let (before, after) = caller.object("space", space)?.read(|space| {
            let segment = space.shape(shape.into())?.segment()?;
            Ok((segment.previous(), segment.next()))
        })?;
        flags.0.set(before.is_some().into());
        flags.1.set(after.is_some().into());
        points.0.set(before.unwrap_or_default().into());
        points.1.set(after.unwrap_or_default().into());
        Ok(())
    }))
}

/// Lists the vertices of the core of a shape: the centre of a circle, both ends of a segment, or those of a polygon,
/// counter-clockwise.
///
/// \param shape    Which shape.
/// \param vertices Receives as many as fit, in the coordinates of the body, in metres. May be NULL if `capacity` is
///                 0.
/// \param capacity Capacity of `vertices`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_vertices(
    space: *const carom_space,
    shape: carom_shape,
    vertices: *mut carom_vec2,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(list(space, ("vertices", vertices, capacity), count, |space, add| {
        let shape = space.shape(shape.into())?;
        shape.geometry().vertices().iter().for_each(|&vertex| add(vertex.into()));
        Ok(())
    }))
}

/// One vertex of a polygon.
///
/// \param shape  Which shape.
/// \param index  Which vertex, counted counter-clockwise from 0.
/// \param vertex Receives it, in the coordinates of the body, in metres.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_WRONG_SHAPE, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_polygon_vertex(
    space: *const carom_space,
    shape: carom_shape,
    index: usize,
    vertex: *mut carom_vec2,
) -> carom_status {
    entry!(query(space, ("vertex", vertex), |_, space| {
        Ok(space.shape(shape.into())?.polygon_vertex(index)?.into())
    }))
}
