//! The three kinds of shapes behind one type.

use super::outline::{MOST_VERTICES, Outline};
use super::{Polygon, Segment};
use crate::error::Result;
use crate::geometry::{Aabb, Affine, Pose, Vec2};

/// All points within a radius of a point. A radius of 0 is a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    offset: Vec2,
    radius: f64,
}

impl Circle {
    /// The circle with this radius, at this place in the coordinates of the body.
    pub fn new(radius: f64, offset: Vec2) -> Result<Self> {
        super::check_radius(radius)?;
        super::check_points("offset", &[offset])?;
        Ok(Self { offset, radius })
    }

    /// The radius, in metres.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The centre, in the coordinates of the body, in metres.
    #[must_use]
    pub fn offset(&self) -> Vec2 {
        self.offset
    }
}

/// The form of a shape, in the coordinates of its body, in metres.
///
/// ```
/// use carom::geometry::Vec2;
/// use carom::rigid2d::Geometry;
///
/// let triangle = Geometry::polygon(&[Vec2::ZERO, Vec2::X, Vec2::Y], 0.0)?;
/// assert_eq!((triangle.area(), triangle.vertices().len()), (0.5, 3));
/// let rounded = triangle.with_radius(0.1)?;
/// assert!(rounded.area() > 0.8);
/// assert!(Geometry::circle(-1.0, Vec2::ZERO).is_err());
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A circle.
    Circle(Circle),
    /// A segment with a rounding radius.
    Segment(Segment),
    /// A convex polygon with a rounding radius.
    Polygon(Polygon),
}

impl Geometry {
    /// A [circle](Circle::new).
    #[inline]
    pub fn circle(radius: f64, offset: Vec2) -> Result<Self> {
        Circle::new(radius, offset).map(Self::Circle)
    }

    /// A [segment](Segment::new) that is no part of a chain.
    #[inline]
    pub fn segment(a: Vec2, b: Vec2, radius: f64) -> Result<Self> {
        Segment::new(a, b, radius).map(Self::Segment)
    }

    /// The [convex hull](Polygon::hull) of any points.
    #[inline]
    pub fn polygon(points: &[Vec2], radius: f64) -> Result<Self> {
        Polygon::hull(points, radius).map(Self::Polygon)
    }

    /// The [convex hull](Polygon::hull_of_images) of the images of any points.
    pub fn polygon_under(points: &[Vec2], map: &Affine, radius: f64) -> Result<Self> {
        Polygon::hull_of_images(points, map, radius).map(Self::Polygon)
    }

    /// The polygon with [exactly these vertices](Polygon::convex).
    #[inline]
    pub fn convex_polygon(vertices: &[Vec2], radius: f64) -> Result<Self> {
        Polygon::convex(vertices, radius).map(Self::Polygon)
    }

    /// A [rectangle](Polygon::rectangle) around the origin.
    #[inline]
    pub fn rectangle(width: f64, height: f64, radius: f64) -> Result<Self> {
        Polygon::rectangle(width, height, radius).map(Self::Polygon)
    }

    /// A rectangle with the [sides of a box](Polygon::rectangle_from).
    pub fn rectangle_from(sides: &Aabb<2>, radius: f64) -> Result<Self> {
        Polygon::rectangle_from(sides, radius).map(Self::Polygon)
    }

    /// The radius of a circle, and the rounding radius of the others, in metres.
    #[must_use]
    pub fn radius(&self) -> f64 {
        match self {
            Self::Circle(circle) => circle.radius(),
            Self::Segment(segment) => segment.radius(),
            Self::Polygon(polygon) => polygon.radius(),
        }
    }

    /// The same shape with another radius.
    pub fn with_radius(&self, radius: f64) -> Result<Self> {
        match self {
            Self::Circle(circle) => Self::circle(radius, circle.offset()),
            Self::Segment(segment) => segment.with_radius(radius).map(Self::Segment),
            Self::Polygon(polygon) => polygon.with_radius(radius).map(Self::Polygon),
        }
    }

    /// The vertices of the core: the centre of a circle, both ends of a segment, or those of a polygon.
    #[must_use]
    pub fn vertices(&self) -> &[Vec2] {
        match self {
            Self::Circle(circle) => std::slice::from_ref(&circle.offset),
            Self::Segment(segment) => segment.ends(),
            Self::Polygon(polygon) => polygon.vertices(),
        }
    }

    /// The smallest box around the shape of a body at this pose.
    #[must_use]
    pub fn bounding_box(&self, pose: Pose) -> Aabb<2> {
        let mut bounds = Aabb::EMPTY;
        self.vertices().iter().for_each(|&vertex| bounds.include(&pose.point(vertex).into()));
        bounds.expanded(self.radius())
    }

    /// The distance of the farthest point from `centre`, in metres.
    #[must_use]
    pub fn bounding_radius(&self, centre: Vec2) -> f64 {
        self.vertices().iter().map(|vertex| vertex.distance(centre)).fold(0.0, f64::max) + self.radius()
    }

    /// Calls `with` with the vertices of the core as those of a polygon, and with the normals of the edges after them; a
    /// circle has no normal.
    pub(crate) fn as_polygon<T>(&self, with: impl FnOnce(&[Vec2], &[Vec2]) -> T) -> T {
        match self {
            Self::Circle(_) => with(self.vertices(), &[]),
            Self::Segment(segment) => {
                let (vertices, normals) = segment.as_polygon();
                with(&vertices, &normals)
            }
            Self::Polygon(polygon) => with(polygon.vertices(), polygon.normals()),
        }
    }

    /// Whether an outward unit normal belongs to a neighbour of a segment in a chain.
    pub(crate) fn hides(&self, normal: Vec2) -> bool {
        matches!(self, Self::Segment(segment) if segment.hides(normal))
    }

    /// Whether it is a segment of a chain.
    pub(crate) fn has_neighbours(&self) -> bool {
        matches!(self, Self::Segment(segment) if segment.previous().is_some() || segment.next().is_some())
    }

    /// How many vertices the outline has: 1 of a circle, 4 of a segment.
    pub(crate) fn outline_vertices(&self) -> usize {
        self.as_polygon(|vertices, _| vertices.len())
    }

    /// The shape as the lanes read it, from the centre of mass of its body; `None` if it has too many vertices.
    pub(crate) fn outline(&self, centre_of_mass: Vec2) -> Option<Outline<f64>> {
        self.as_polygon(|vertices, normals| {
            (vertices.len() <= MOST_VERTICES).then(|| Outline::new(vertices, normals, centre_of_mass))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rotation;

    #[test]
    fn bounds_hold_the_rounded_shape() {
        let pose = Pose { position: Vec2::new(10.0, 0.0), rotation: Rotation { cos: 0.0, sin: 1.0 } };
        let circle = Geometry::circle(1.0, Vec2::new(2.0, 0.0)).unwrap();
        assert_eq!(circle.bounding_box(pose), Aabb { min: [9.0, 1.0], max: [11.0, 3.0] });
        assert_eq!((circle.bounding_radius(Vec2::ZERO), circle.bounding_radius(Vec2::X)), (3.0, 2.0));
        let segment = Geometry::segment(Vec2::ZERO, Vec2::new(3.0, 4.0), 0.5).unwrap();
        assert_eq!(segment.bounding_box(pose), Aabb { min: [5.5, -0.5], max: [10.5, 3.5] });
        assert_eq!(segment.bounding_radius(Vec2::ZERO), 5.5);
        let rectangle = Geometry::rectangle(6.0, 8.0, 1.0).unwrap();
        assert_eq!(rectangle.bounding_box(pose), Aabb { min: [5.0, -4.0], max: [15.0, 4.0] });
        assert_eq!(rectangle.bounding_radius(Vec2::ZERO), 6.0);
    }

    #[test]
    fn radii_can_be_changed() {
        for geometry in [
            Geometry::circle(1.0, Vec2::X).unwrap(),
            Geometry::segment(Vec2::ZERO, Vec2::X, 1.0).unwrap(),
            Geometry::rectangle(1.0, 1.0, 1.0).unwrap(),
        ] {
            let other = geometry.with_radius(0.25).unwrap();
            assert_eq!((other.radius(), other.vertices()), (0.25, geometry.vertices()));
            assert!(geometry.with_radius(-0.25).is_err());
        }
    }

    #[test]
    fn outlines_are_from_the_centre_of_mass_and_padded() {
        let centre = Vec2::new(1.0, 2.0);
        let circle = Geometry::circle(3.0, Vec2::new(2.0, 2.0)).unwrap();
        let outline = circle.outline(centre).unwrap();
        assert_eq!((outline.x, outline.y, outline.normal_x), ([1.0; 8], [0.0; 8], [0.0; 8]));
        assert_eq!(circle.outline_vertices(), 1);
        let segment = Geometry::segment(Vec2::ZERO, Vec2::new(2.0, 0.0), 0.5).unwrap();
        let outline = segment.outline(centre).unwrap();
        assert_eq!(outline.x, [-1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0]);
        assert_eq!(outline.y, [-2.0; 8]);
        assert_eq!(outline.normal_x, [0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(outline.normal_y, [-1.0, 0.0, 1.0, 0.0, -1.0, -1.0, -1.0, -1.0]);
        assert_eq!(segment.outline_vertices(), 4);
        let corner = |k: u32| Rotation::from_angle(f64::from(k) * 0.6).turn(Vec2::X);
        let corners: Vec<Vec2> = (0..9).map(corner).collect();
        assert!(Geometry::polygon(&corners[..8], 0.0).unwrap().outline(centre).is_some());
        assert!(Geometry::polygon(&corners, 0.0).unwrap().outline(centre).is_none());
    }
}
