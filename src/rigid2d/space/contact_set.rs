//! Where two shapes touch.

use crate::geometry::Vec2;

/// A point at which two shapes touch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactPoint {
    /// On the surface of the first shape, in metres.
    pub point_a: Vec2,
    /// On the surface of the second shape, in metres.
    pub point_b: Vec2,
    /// How deep the shapes overlap along the normal, in metres; negative if they are apart.
    pub depth: f64,
}

/// Where two shapes touch: a normal and up to two points.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactSet {
    /// Unit vector from the first shape to the second; 0 without points.
    pub normal: Vec2,
    points: [ContactPoint; 2],
    count: usize,
}

impl ContactSet {
    /// Points of a contact, at most.
    pub const MOST_POINTS: usize = 2;

    /// The contact with this normal and these points, of which those beyond [`MOST_POINTS`](Self::MOST_POINTS) are left out.
    /// Depths follow from the points.
    #[must_use]
    pub fn new(normal: Vec2, points: &[[Vec2; 2]]) -> Self {
        let mut set = Self { normal, count: points.len().min(Self::MOST_POINTS), ..Self::default() };
        for (to, &[point_a, point_b]) in set.points.iter_mut().zip(points) {
            *to = ContactPoint { point_a, point_b, depth: (point_a - point_b).dot(normal) };
        }
        set
    }

    /// The points.
    #[must_use]
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count]
    }

    /// The points, writable. Depths are what the points give, whatever is written to them.
    pub fn points_mut(&mut self) -> &mut [ContactPoint] {
        &mut self.points[..self.count]
    }

    /// The same contact seen from the second shape.
    #[must_use]
    pub fn swapped(mut self) -> Self {
        self.normal = -self.normal;
        for point in &mut self.points {
            std::mem::swap(&mut point.point_a, &mut point.point_b);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_follow_from_the_points() {
        let set =
            ContactSet::new(Vec2::Y, &[[Vec2::ZERO, Vec2::new(0.0, -0.5)], [Vec2::X, Vec2::new(1.0, 0.25)]]);
        assert_eq!(set.points().iter().map(|point| point.depth).collect::<Vec<_>>(), [0.5, -0.25]);
        let swapped = set.swapped();
        assert_eq!((swapped.normal, swapped.points()[0].point_b), (-Vec2::Y, Vec2::ZERO));
        assert_eq!((swapped.points()[0].depth, swapped.swapped()), (0.5, set));
        assert_eq!(ContactSet::new(Vec2::X, &[[Vec2::ZERO; 2]; 3]).points().len(), 2);
    }
}
