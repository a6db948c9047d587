//! What collides: circles, segments and convex polygons, all with a rounding radius.
//!
//! A shape is a core, which is a point, a segment or a convex polygon, and everything within the rounding radius of it. Area,
//! centroid and moment are those of the whole, rounding included. Coordinates are those of the body, in metres.

mod geometry;
mod hull;
mod mass;
mod material;
pub(crate) mod outline;
mod polygon;
mod query;
mod segment;
mod shape;

pub use geometry::{Circle, Geometry};
pub use hull::{HULL_TOLERANCE, convex_hull};
pub use mass::MassProperties;
pub use material::{Filter, Material};
pub use polygon::Polygon;
pub use query::{Nearest, SegmentHit};
pub use segment::Segment;
pub use shape::Shape;

use crate::error::{Error, Result};
use crate::geometry::Vec2;
use crate::soa::check;

/// Largest magnitude of a coordinate or a radius, in metres: with fourth powers of it there is no overflow.
const LARGEST: f64 = 1e60;
/// Smallest length of a segment, and smallest extent of a polygon, in metres: fourth powers of it do not underflow.
const SMALLEST: f64 = 1e-60;

fn check_points(field: &'static str, points: &[Vec2]) -> Result<()> {
    for (index, point) in points.iter().enumerate() {
        for value in [point.x, point.y] {
            check::finite(field, index, value)?;
            check_size(field, value)?;
        }
    }
    Ok(())
}

fn check_radius(radius: f64) -> Result<()> {
    check::non_negative("radius", 0, radius)?;
    check_size("radius", radius)
}

fn check_size(field: &'static str, value: f64) -> Result<()> {
    let expected = "at most 1e60 in magnitude";
    if value.abs() <= LARGEST { Ok(()) } else { Err(Error::OutOfRange { field, value, expected }) }
}

fn check_extent(field: &'static str, value: f64) -> Result<()> {
    check::finite(field, 0, value)?;
    check_size(field, value)?;
    let expected = "at least 1e-60";
    if value >= SMALLEST { Ok(()) } else { Err(Error::OutOfRange { field, value, expected }) }
}
