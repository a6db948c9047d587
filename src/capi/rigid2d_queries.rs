//! Questions about a space: what is at a point, along a segment, in a box, in contact with a form.

use super::failure::Result;
use super::handle::query;
use super::memory::{Caller, Plain};
use super::rigid2d_contacts::carom_contact_set;
use super::rigid2d_geometry::carom_geometry;
use super::rigid2d_ids::{carom_bounds, carom_shape, carom_vec2, list_with};
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use super::world::known;
use crate::geometry::{Pose, Rotation};
use crate::rigid2d::Filter;
use crate::rigid2d::space::{PointHit, RayHit, ShapeHit};
use crate::soa::{check, memory};

/// Which shapes count in a query: those that would collide with a shape of this filter.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_filter {
    /// Shapes of the same group do not count; 0 is no group.
    pub group: u32,
    /// Must be 0.
    pub reserved: u32,
    /// Shapes count that have one of these bits in their mask.
    pub categories: u64,
    /// Shapes count that have one of these categories.
    pub mask: u64,
}

impl carom_filter {
    pub(super) fn filter(&self) -> Result<Filter> {
        known("reserved", self.reserved, &[()])?;
        Ok(Filter { group: self.group, categories: self.categories, mask: self.mask })
    }
}

impl Caller {
    /// Which shapes count; null is all.
    pub(super) fn filter(&self, filter: *const carom_filter) -> Result<Filter> {
        self.optional("filter", filter)?.map_or(Ok(Filter::ALL), carom_filter::filter)
    }
}

/// A position and an angle in radians.
pub(super) fn pose(position: carom_vec2, angle: f64) -> Result<Pose> {
    let position = position.finite("position")?;
    check::finite("angle", 0, angle)?;
    Ok(Pose { position, rotation: Rotation::from_angle(angle) })
}

/// A shape near a point.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_point_hit {
    /// The shape.
    pub shape: carom_shape,
    /// 1 if there is a shape; otherwise 0, and everything else is 0.
    pub found: i32,
    /// Always 0.
    pub reserved: u32,
    /// The nearest point of its surface, in metres.
    pub point: carom_vec2,
    /// The distance from its surface, in metres; negative inside.
    pub distance: f64,
    /// The unit vector in which the distance grows fastest.
    pub gradient: carom_vec2,
}

/// A shape that a circle hits on its way along a segment.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_segment_hit {
    /// The shape.
    pub shape: carom_shape,
    /// 1 if there is a shape; otherwise 0, and everything else is 0.
    pub found: i32,
    /// Always 0.
    pub reserved: u32,
    /// The share of the segment that is before the contact, from 0 to 1; 0 if they touch at the start.
    pub fraction: f64,
    /// The point of the surface of the shape, in metres.
    pub point: carom_vec2,
    /// The outward unit normal there.
    pub normal: carom_vec2,
}

/// A shape that touches a given form.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_shape_hit {
    /// The shape.
    pub shape: carom_shape,
    /// Where they touch: A is the given form, B the shape.
    pub set: carom_contact_set,
}

// SAFETY: made of integers and floats.
unsafe impl Plain for carom_point_hit {}
// SAFETY: made of integers and floats.
unsafe impl Plain for carom_segment_hit {}
// SAFETY: made of integers and floats.
unsafe impl Plain for carom_shape_hit {}

const NO_SHAPE: carom_shape = carom_shape { index: 0, generation: 0 };

impl From<Option<PointHit>> for carom_point_hit {
    fn from(hit: Option<PointHit>) -> Self {
        let Some(hit) = hit else {
            let (point, gradient) = (carom_vec2::ZERO, carom_vec2::ZERO);
            return Self { shape: NO_SHAPE, found: 0, reserved: 0, point, distance: 0.0, gradient };
        };
        Self {
            shape: hit.shape.into(),
            found: 1,
            reserved: 0,
            point: hit.point.into(),
            distance: hit.distance,
            gradient: hit.gradient.into(),
        }
    }
}

impl From<Option<RayHit>> for carom_segment_hit {
    fn from(hit: Option<RayHit>) -> Self {
        let Some(hit) = hit else {
            let (point, normal) = (carom_vec2::ZERO, carom_vec2::ZERO);
            return Self { shape: NO_SHAPE, found: 0, reserved: 0, fraction: 0.0, point, normal };
        };
        Self {
            shape: hit.shape.into(),
            found: 1,
            reserved: 0,
            fraction: hit.fraction,
            point: hit.point.into(),
            normal: hit.normal.into(),
        }
    }
}

impl From<ShapeHit> for carom_shape_hit {
    fn from(hit: ShapeHit) -> Self {
        Self { shape: hit.shape.into(), set: hit.contacts.into() }
    }
}

/// Lists all shapes near a point, sensors included, in the order of their rows.
///
/// \param point    The point, in metres.
/// \param distance How far the surface of a shape may be from it, in metres, at least 0; may be infinity.
/// \param filter   Which shapes count; NULL: all.
/// \param hits     Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `hits`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_UNKNOWN_VALUE for the filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_point_query(
    space: *const carom_space,
    point: carom_vec2,
    distance: f64,
    filter: *const carom_filter,
    hits: *mut carom_point_hit,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(list_with(space, ("hits", hits, capacity), count, |caller, space, add| {
        let found = space.point_query(point.into(), distance, caller.filter(filter)?)?;
        found.into_iter().for_each(|hit| add(Some(hit).into()));
        Ok(())
    }))
}

/// The shape, other than sensors, whose surface is nearest to a point. Inside of shapes it is the one whose surface is farthest
/// away.
///
/// \param point    The point, in metres.
/// \param distance How far the surface may be from it, in metres, at least 0; may be infinity.
/// \param filter   Which shapes count; NULL: all.
/// \param hit      Receives the shape; its `found` is 0 if there is none.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_UNKNOWN_VALUE for the filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_point_query_nearest(
    space: *const carom_space,
    point: carom_vec2,
    distance: f64,
    filter: *const carom_filter,
    hit: *mut carom_point_hit,
) -> carom_status {
    entry!(query(space, ("hit", hit), |caller, space| {
        Ok(space.point_query_nearest(point.into(), distance, caller.filter(filter)?)?.into())
    }))
}

/// Lists all shapes, sensors included, that a circle hits on its way along a segment, in the order in which it does.
///
/// \param start    Where the segment starts, in metres.
/// \param end      Where it ends, in metres.
/// \param radius   Radius of the circle, in metres, at least 0; 0 is a ray.
/// \param filter   Which shapes count; NULL: all.
/// \param hits     Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `hits`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_UNKNOWN_VALUE for the filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_segment_query(
    space: *const carom_space,
    start: carom_vec2,
    end: carom_vec2,
    radius: f64,
    filter: *const carom_filter,
    hits: *mut carom_segment_hit,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(list_with(space, ("hits", hits, capacity), count, |caller, space, add| {
        let found = space.segment_query(start.into(), end.into(), radius, caller.filter(filter)?)?;
        found.into_iter().for_each(|hit| add(Some(hit).into()));
        Ok(())
    }))
}

/// The shape, other than sensors, that a circle hits first on its way along a segment.
///
/// \param start  Where the segment starts, in metres.
/// \param end    Where it ends, in metres.
/// \param radius Radius of the circle, in metres, at least 0; 0 is a ray.
/// \param filter Which shapes count; NULL: all.
/// \param hit    Receives the shape; its `found` is 0 if there is none.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_UNKNOWN_VALUE for the filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_segment_query_first(
    space: *const carom_space,
    start: carom_vec2,
    end: carom_vec2,
    radius: f64,
    filter: *const carom_filter,
    hit: *mut carom_segment_hit,
) -> carom_status {
    entry!(query(space, ("hit", hit), |caller, space| {
        let filter = caller.filter(filter)?;
        Ok(space.segment_query_first(start.into(), end.into(), radius, filter)?.into())
    }))
}

/// Lists all shapes, sensors included, whose bounding boxes touch a box, in the order of their rows.
///
/// \param bounds   The box, in metres.
/// \param filter   Which shapes count; NULL: all.
/// \param shapes   Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `shapes`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE for a box with `min` above `max`, CAROM_UNKNOWN_VALUE for the filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_box_query(
    space: *const carom_space,
    bounds: carom_bounds,
    filter: *const carom_filter,
    shapes: *mut carom_shape,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(list_with(space, ("shapes", shapes, capacity), count, |caller, space, add| {
        let found = space.box_query(&bounds.into(), caller.filter(filter)?)?;
        found.into_iter().for_each(|shape| add(shape.into()));
        Ok(())
    }))
}

/// Lists all shapes, sensors included, that a form touches, in the order of their rows.
///
/// \param geometry The form.
/// \param position Where the origin of its coordinates is, in metres.
/// \param angle    How it is turned, in radians.
/// \param filter   Which shapes count; NULL: all.
/// \param hits     Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `hits`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_CONVEX, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_shape_query(
    space: *const carom_space,
    geometry: *const carom_geometry,
    position: carom_vec2,
    angle: f64,
    filter: *const carom_filter,
    hits: *mut carom_shape_hit,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(list_with(space, ("hits", hits, capacity), count, |caller, space, add| {
        let (geometry, filter) = (caller.geometry(geometry)?, caller.filter(filter)?);
        let found = space.shape_query(&geometry, pose(position, angle)?, filter)?;
        found.into_iter().for_each(|hit| add(hit.into()));
        Ok(())
    }))
}

/// The point of the surface of one shape that is nearest to a point.
///
/// \param shape Which shape.
/// \param point The point, in metres.
/// \param hit   Receives the nearest point.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_point_query(
    space: *const carom_space,
    shape: carom_shape,
    point: carom_vec2,
    hit: *mut carom_point_hit,
) -> carom_status {
    entry!(query(space, ("hit", hit), |_, space| {
        let shape = space.shape(shape.into())?;
        let nearest = shape.geometry().nearest(space.body(shape.body())?.pose(), point.finite("point")?);
        let (point, distance, gradient) = (nearest.point, nearest.distance, nearest.gradient);
        Ok(Some(PointHit { shape: shape.id(), point, distance, gradient }).into())
    }))
}

/// Where a circle first hits one shape on its way along a segment.
///
/// \param shape  Which shape.
/// \param start  Where the segment starts, in metres.
/// \param end    Where it ends, in metres.
/// \param radius Radius of the circle, in metres, at least 0; 0 is a ray.
/// \param hit    Receives where; its `found` is 0 if it does not hit the shape.
/// \return CAROM_OK, CAROM_DEAD_ID, CAROM_NOT_FINITE, CAROM_NEGATIVE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shape_segment_query(
    space: *const carom_space,
    shape: carom_shape,
    start: carom_vec2,
    end: carom_vec2,
    radius: f64,
    hit: *mut carom_segment_hit,
) -> carom_status {
    entry!(query(space, ("hit", hit), |_, space| {
        let shape = space.shape(shape.into())?;
        let (start, end) = (start.finite("start")?, end.finite("end")?);
        check::non_negative("radius", 0, radius)?;
        let found = shape.geometry().segment_query(space.body(shape.body())?.pose(), start, end, radius);
        Ok(found
            .map(|hit| RayHit {
                shape: shape.id(),
                fraction: hit.fraction,
                point: hit.point,
                normal: hit.normal,
            })
            .into())
    }))
}

/// Where two shapes of a space touch, where they are now.
///
/// \param a   Shape A.
/// \param b   Shape B.
/// \param set Receives the normal and the points; no point if they do not touch.
/// \return CAROM_OK, CAROM_DEAD_ID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_shapes_collide(
    space: *const carom_space,
    a: carom_shape,
    b: carom_shape,
    set: *mut carom_contact_set,
) -> carom_status {
    entry!(query(space, ("set", set), |_, space| {
        let (a, b) = (space.shape(a.into())?, space.shape(b.into())?);
        memory::expect_little()?;
        let (pose_a, pose_b) = (space.body(a.body())?.pose(), space.body(b.body())?.pose());
        Ok(crate::rigid2d::shapes_collide(a.geometry(), pose_a, b.geometry(), pose_b).into())
    }))
}
