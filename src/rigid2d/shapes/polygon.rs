//! Convex polygons with a rounding radius.

use std::sync::Arc;

use super::MassProperties;
use super::hull::{HULL_TOLERANCE, extent, flattest, hull};
use crate::error::{Error, Result};
use crate::geometry::{Aabb, Affine, Vec2};

/// All points within a radius of a convex polygon with any number of vertices. Clones share the vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon {
    /// First half: vertices, counter-clockwise; second half: outward unit normals of the edges after them.
    corners: Arc<[Vec2]>,
    radius: f64,
    mass_properties: MassProperties,
}

impl Polygon {
    /// The convex hull of any points, with a rounding radius that may be 0.
    ///
    /// Points that stand out by less than [`HULL_TOLERANCE`] of the largest extent are left out.
    pub fn hull(points: &[Vec2], radius: f64) -> Result<Self> {
        super::check_points("points", points)?;
        super::check_radius(radius)?;
        let extent = extent(points);
        let corners = hull(points, HULL_TOLERANCE * extent);
        if corners.len() < 3 {
            return Err(Error::OutOfRange {
                field: "corners of the hull",
                value: corners.len() as f64,
                expected: "at least 3: the points are on a line",
            });
        }
        super::check_extent("extent", extent)?;
        Ok(Self::from_convex(&corners, radius))
    }

    /// The convex hull of the images of any points.
    pub fn hull_of_images(points: &[Vec2], map: &Affine, radius: f64) -> Result<Self> {
        super::check_points("points", points)?;
        super::check_points("transform", &[map.x_axis, map.y_axis, map.translation])?;
        let images: Vec<Vec2> = points.iter().map(|&point| map.point(point)).collect();
        Self::hull(&images, radius)
    }

    /// The polygon with exactly these vertices, which must be convex and counter-clockwise: every vertex stands out by more
    /// than [`HULL_TOLERANCE`] of the largest extent.
    pub fn convex(vertices: &[Vec2], radius: f64) -> Result<Self> {
        super::check_points("vertices", vertices)?;
        super::check_radius(radius)?;
        if vertices.len() < 3 {
            let value = vertices.len() as f64;
            return Err(Error::OutOfRange { field: "number of vertices", value, expected: "at least 3" });
        }
        let extent = extent(vertices);
        let (index, height) = flattest(vertices);
        if height <= HULL_TOLERANCE * extent {
            return Err(Error::NotConvex { index });
        }
        if let Some(index) = second_turn(vertices) {
            return Err(Error::NotConvex { index });
        }
        super::check_extent("extent", extent)?;
        Ok(Self::from_convex(vertices, radius))
    }

    /// A rectangle around the origin.
    pub fn rectangle(width: f64, height: f64, radius: f64) -> Result<Self> {
        super::check_extent("width", width)?;
        super::check_extent("height", height)?;
        Self::rectangle_from(&Aabb::from_extents([0.0; 2], [0.5 * width, 0.5 * height])?, radius)
    }

    /// A rectangle with the sides of a box.
    pub fn rectangle_from(sides: &Aabb<2>, radius: f64) -> Result<Self> {
        let (min, max): (Vec2, Vec2) = (sides.min.into(), sides.max.into());
        super::check_points("min", &[min])?;
        super::check_points("max", &[max])?;
        super::check_extent("width", max.x - min.x)?;
        super::check_extent("height", max.y - min.y)?;
        super::check_radius(radius)?;
        let corners = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
        Ok(Self::from_convex(&corners, radius))
    }

    fn from_convex(vertices: &[Vec2], radius: f64) -> Self {
        let n = vertices.len();
        let normal = |i: usize| {
            let along = *vertices.get(i + 1).unwrap_or(&vertices[0]) - vertices[i];
            -along.normalized().perpendicular()
        };
        // One allocation, because the length is known.
        let corners: Arc<[Vec2]> =
            (0..2 * n).map(|i| if i < n { vertices[i] } else { normal(i - n) }).collect();
        let mass_properties = MassProperties::of_polygon(vertices, &corners[n..], radius);
        Self { corners, radius, mass_properties }
    }

    /// The vertices of the core, counter-clockwise.
    #[must_use]
    pub fn vertices(&self) -> &[Vec2] {
        &self.corners[..self.corners.len() / 2]
    }

    /// The outward unit normal of the edge after each vertex.
    #[must_use]
    pub fn normals(&self) -> &[Vec2] {
        &self.corners[self.corners.len() / 2..]
    }

    /// The rounding radius, in metres.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The same polygon with another rounding radius.
    pub fn with_radius(&self, radius: f64) -> Result<Self> {
        super::check_radius(radius)?;
        let mass_properties = MassProperties::of_polygon(self.vertices(), self.normals(), radius);
        Ok(Self { corners: self.corners.clone(), radius, mass_properties })
    }

    /// Area, centroid and moment.
    pub(super) fn mass_properties(&self) -> MassProperties {
        self.mass_properties
    }
}

/// The vertex at which a closed line that always turns left begins its second turn.
fn second_turn(vertices: &[Vec2]) -> Option<usize> {
    let is_up = |from: Vec2, to: Vec2| {
        let along = to - from;
        along.y > 0.0 || (along.y == 0.0 && along.x > 0.0)
    };
    let (&first, &last) = (vertices.first()?, vertices.last()?);
    let mut was_up = is_up(last, first);
    let mut turns = 0;
    for (i, &vertex) in vertices.iter().enumerate() {
        let goes_up = is_up(vertex, *vertices.get(i + 1).unwrap_or(&first));
        // One turn has one edge whose direction is above the first axis and follows one that is below.
        turns += u32::from(goes_up && !was_up);
        if turns == 2 {
            return Some(i);
        }
        was_up = goes_up;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rotation;

    fn regular(count: usize, step: usize) -> Vec<Vec2> {
        let turn = |k: usize| std::f64::consts::TAU * ((k * step) % count) as f64 / count as f64;
        (0..count).map(|k| Rotation::from_angle(0.3 + turn(k)).turn(Vec2::X)).collect()
    }

    #[test]
    fn hulls_can_be_given_as_they_are() {
        let hull = Polygon::hull(&regular(11, 3), 0.1).unwrap();
        assert_eq!(hull.vertices().len(), 11);
        assert_eq!(Polygon::convex(hull.vertices(), 0.1).unwrap(), hull);
        for (i, &normal) in hull.normals().iter().enumerate() {
            let edge = hull.vertices()[(i + 1) % 11] - hull.vertices()[i];
            assert!(normal.dot(edge).abs() < 1e-15 && normal.dot(hull.vertices()[i]) > 0.9);
        }
    }

    #[test]
    fn only_convex_vertices_are_taken_as_they_are() {
        let mut vertices = regular(6, 1);
        vertices.reverse();
        assert!(matches!(Polygon::convex(&vertices, 0.0), Err(Error::NotConvex { .. })), "clockwise");
        assert_eq!(Polygon::convex(&regular(5, 2), 0.0), Err(Error::NotConvex { index: 4 }), "a star");
        let mut vertices = regular(6, 1);
        vertices[2] = Vec2::new(0.1, 0.1);
        assert_eq!(Polygon::convex(&vertices, 0.0), Err(Error::NotConvex { index: 2 }));
        let line = [Vec2::ZERO, Vec2::X, Vec2::new(2.0, 0.0), Vec2::new(1.0, 1.0)];
        assert_eq!(Polygon::convex(&line, 0.0), Err(Error::NotConvex { index: 1 }));
        assert!(matches!(
            Polygon::convex(&line[..2], 0.0),
            Err(Error::OutOfRange { field: "number of vertices", value: 2.0, .. })
        ));
    }

    #[test]
    fn bad_points_are_refused() {
        let line = [Vec2::ZERO, Vec2::X, Vec2::new(2.0, 1e-10), Vec2::new(0.5, 0.0)];
        let error = Polygon::hull(&line, 0.0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "corners of the hull is 2: it must be at least 3: the points are on a line"
        );
        assert!(Polygon::hull(&[], 0.0).is_err());
        assert!(Polygon::hull(&regular(3, 1), f64::NAN).is_err());
        assert!(Polygon::hull_of_images(&regular(3, 1), &Affine::scale(f64::NAN, 1.0), 0.0).is_err());
        assert!(Polygon::hull_of_images(&regular(3, 1), &Affine::scale(0.0, 1.0), 0.0).is_err());
        assert!(Polygon::rectangle(1.0, 0.0, 0.0).is_err() && Polygon::rectangle(-1.0, 1.0, 0.0).is_err());
        assert!(Polygon::rectangle_from(&Aabb { min: [1.0, 0.0], max: [0.0, 1.0] }, 0.0).is_err());
    }

    #[test]
    fn images_of_points_are_mirrored_and_moved() {
        let triangle = [Vec2::ZERO, Vec2::X, Vec2::Y];
        let map = Affine::translate(Vec2::new(3.0, 0.0)) * Affine::scale(-2.0, 1.0);
        let image = Polygon::hull_of_images(&triangle, &map, 0.25).unwrap();
        assert_eq!(image.vertices(), [Vec2::X, Vec2::new(3.0, 0.0), Vec2::new(3.0, 1.0)]);
        assert_eq!(image.with_radius(0.5).unwrap().radius(), 0.5);
        let rectangle = Polygon::rectangle(4.0, 2.0, 0.0).unwrap();
        assert_eq!(rectangle.vertices()[0], Vec2::new(-2.0, -1.0));
        assert_eq!(rectangle.normals(), [-Vec2::Y, Vec2::X, Vec2::Y, -Vec2::X]);
    }
}
