//! Forms without a space: inertia, hulls, contacts and distances.

use super::guard::enter;
use super::rigid2d_contacts::carom_contact_set;
use super::rigid2d_geometry::carom_geometry;
use super::rigid2d_ids::carom_vec2;
use super::rigid2d_queries::pose;
use super::status::carom_status;
use crate::rigid2d::shapes::convex_hull;
use crate::rigid2d::{Geometry, closest_points, shapes_collide};
use crate::soa::check;

/// Area and inertia of a form, rounding included.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_mass_properties {
    /// In square metres.
    pub area: f64,
    /// Centre of mass, in metres.
    pub centroid: carom_vec2,
    /// Moment of inertia about the centre of mass per mass, in square metres.
    pub moment_per_mass: f64,
}

/// Area and inertia of a form with the same density everywhere.
///
/// \param geometry   The form.
/// \param properties Receives them.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_CONVEX, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_geometry_mass_properties(
    geometry: *const carom_geometry,
    properties: *mut carom_mass_properties,
) -> carom_status {
    entry!(enter(|caller| {
        let out = caller.out("properties", properties)?;
        let found = caller.geometry(geometry)?.mass_properties();
        let (area, centroid) = (found.area, found.centroid.into());
        out.set(carom_mass_properties { area, centroid, moment_per_mass: found.moment_per_mass });
        Ok(())
    }))
}

/// Where two forms, A and B, touch.
///
/// \param a          Form A.
/// \param position_a Where the origin of its coordinates is, in metres.
/// \param angle_a    How it is turned, in radians.
/// \param b          Form B.
/// \param position_b Where the origin of its coordinates is, in metres.
/// \param angle_b    How it is turned, in radians.
/// \param set        Receives the normal and the points; no point if they do not touch.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_CONVEX, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_geometry_collide(
    a: *const carom_geometry,
    position_a: carom_vec2,
    angle_a: f64,
    b: *const carom_geometry,
    position_b: carom_vec2,
    angle_b: f64,
    set: *mut carom_contact_set,
) -> carom_status {
    entry!(enter(|caller| {
        let out = caller.out("set", set)?;
        let (a, b) = (caller.geometry(a)?, caller.geometry(b)?);
        let (pose_a, pose_b) = (pose(position_a, angle_a)?, pose(position_b, angle_b)?);
        out.set(shapes_collide(&a, pose_a, &b, pose_b).into());
        Ok(())
    }))
}

/// The closest points of two forms, A and B.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_closest {
    /// On the surface of A, in metres.
    pub on_a: carom_vec2,
    /// On the surface of B, in metres.
    pub on_b: carom_vec2,
    /// Unit vector from A to B, along which to move B to separate them.
    pub normal: carom_vec2,
    /// From `on_a` to `on_b` along the normal, in metres; negative if they overlap.
    pub distance: f64,
}

/// The closest points of two forms, A and B, and the way to separate them if they overlap.
///
/// \param a          Form A.
/// \param position_a Where the origin of its coordinates is, in metres.
/// \param angle_a    How it is turned, in radians.
/// \param b          Form B.
/// \param position_b Where the origin of its coordinates is, in metres.
/// \param angle_b    How it is turned, in radians.
/// \param closest    Receives the points, the normal and the distance.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_CONVEX, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_geometry_closest(
    a: *const carom_geometry,
    position_a: carom_vec2,
    angle_a: f64,
    b: *const carom_geometry,
    position_b: carom_vec2,
    angle_b: f64,
    closest: *mut carom_closest,
) -> carom_status {
    entry!(enter(|caller| {
        let out = caller.out("closest", closest)?;
        let (a, b) = (caller.geometry(a)?, caller.geometry(b)?);
        let (pose_a, pose_b) = (pose(position_a, angle_a)?, pose(position_b, angle_b)?);
        let found = closest_points(&a, pose_a, &b, pose_b);
        out.set(carom_closest {
            on_a: found.on_a.into(),
            on_b: found.on_b.into(),
            normal: found.normal.into(),
            distance: found.distance,
        });
        Ok(())
    }))
}

/// The area between two circles with the same centre.
///
/// \param inner Radius of one, in metres, at least 0.
/// \param outer Radius of the other, in metres, at least 0.
/// \param area  Receives it, in square metres.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_ring_area(inner: f64, outer: f64, area: *mut f64) -> carom_status {
    entry!(enter(|caller| {
        let out = caller.out("area", area)?;
        check::non_negative("inner", 0, inner)?;
        check::non_negative("outer", 0, outer)?;
        out.set(Geometry::ring_area(inner, outer));
        Ok(())
    }))
}

/// The moment of inertia about the origin of a ring between two circles.
///
/// \param mass   Mass of the ring, in kilograms, at least 0.
/// \param inner  Radius of one circle, in metres, at least 0.
/// \param outer  Radius of the other, in metres, at least 0.
/// \param centre Where their centre is, in metres.
/// \param moment Receives it, in kg m^2.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_ring_moment(
    mass: f64,
    inner: f64,
    outer: f64,
    centre: carom_vec2,
    moment: *mut f64,
) -> carom_status {
    entry!(enter(|caller| {
        let out = caller.out("moment", moment)?;
        check::non_negative("mass", 0, mass)?;
        check::non_negative("inner", 0, inner)?;
        check::non_negative("outer", 0, outer)?;
        out.set(Geometry::ring_moment(mass, inner, outer, centre.finite("centre")?));
        Ok(())
    }))
}

/// Lists the corners of the convex hull of any points, counter-clockwise from the lowest of the leftmost ones. Points on a line give
/// two corners, equal points one.
///
/// \param points    The points, in metres. May be NULL if `count` is 0.
/// \param count     Number of points.
/// \param tolerance How far a point may be outside of the hull and be left out, in metres, at least 0.
/// \param corners   Receives as many as fit. May be NULL if `capacity` is 0. It must not overlap `points`.
/// \param capacity  Capacity of `corners`.
/// \param found     Receives how many there are, whether they fit or not.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_convex_hull(
    points: *const carom_vec2,
    count: usize,
    tolerance: f64,
    corners: *mut carom_vec2,
    capacity: usize,
    found: *mut usize,
) -> carom_status {
    entry!(enter(|caller| {
        let out = caller.out("found", found)?;
        let rows = caller.rows_mut("corners", corners, 0, 1, capacity)?;
        let hull = convex_hull(&caller.points("points", points, count)?, tolerance)?;
        for (row, &corner) in hull.iter().take(capacity).enumerate() {
            rows.put(row, 0, corner.into());
        }
        out.set(hull.len());
        Ok(())
    }))
}
