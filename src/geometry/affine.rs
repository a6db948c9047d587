//! Affine maps of the plane.

use std::ops::Mul;

use super::{Aabb, Pose, Rotation, Vec2};

/// An affine map of the plane: `x` to `x_axis x.x + y_axis x.y + translation`.
///
/// ```
/// use carom::geometry::{Affine, Rotation, Vec2};
///
/// let quarter = Rotation::from_angle(std::f64::consts::FRAC_PI_2);
/// let map = Affine::translate(Vec2::new(1.0, 0.0)) * Affine::rotate(quarter) * Affine::scale(2.0, 3.0);
/// assert!(map.point(Vec2::X).distance(Vec2::new(1.0, 2.0)) < 1e-15);
/// assert!(map.inverse().unwrap().point(map.point(Vec2::Y)).distance(Vec2::Y) < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Affine {
    /// Where a step along the first axis leads.
    pub x_axis: Vec2,
    /// Where a step along the second axis leads.
    pub y_axis: Vec2,
    /// Where the origin is mapped to.
    pub translation: Vec2,
}

impl Default for Affine {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Affine {
    /// The map that changes nothing.
    pub const IDENTITY: Self = Self::new(Vec2::X, Vec2::Y, Vec2::ZERO);

    /// The map with these columns.
    #[must_use]
    pub const fn new(x_axis: Vec2, y_axis: Vec2, translation: Vec2) -> Self {
        Self { x_axis, y_axis, translation }
    }

    /// The map with the matrix `rows`, whose last column is the translation.
    #[must_use]
    pub const fn from_rows(rows: [[f64; 3]; 2]) -> Self {
        let [[a, c, x], [b, d, y]] = rows;
        Self::new(Vec2::new(a, b), Vec2::new(c, d), Vec2::new(x, y))
    }

    /// The map that moves everything by a vector.
    #[must_use]
    pub const fn translate(by: Vec2) -> Self {
        Self::new(Vec2::X, Vec2::Y, by)
    }

    /// The map that scales the axes by these factors.
    #[must_use]
    pub const fn scale(x: f64, y: f64) -> Self {
        Self::new(Vec2::new(x, 0.0), Vec2::new(0.0, y), Vec2::ZERO)
    }

    /// The map that turns everything about the origin.
    #[must_use]
    pub const fn rotate(rotation: Rotation) -> Self {
        Self::rigid(Pose { position: Vec2::ZERO, rotation })
    }

    /// The map from the own coordinates of something at this pose.
    #[must_use]
    pub const fn rigid(pose: Pose) -> Self {
        let Rotation { cos, sin } = pose.rotation;
        Self::new(Vec2::new(cos, sin), Vec2::new(-sin, cos), pose.position)
    }

    /// The inverse of a map that is [rigid](Self::rigid), without a division.
    #[must_use]
    pub fn rigid_inverse(&self) -> Self {
        let [x, y] = [Vec2::new(self.x_axis.x, self.y_axis.x), Vec2::new(self.x_axis.y, self.y_axis.y)];
        let back = Vec2::new(self.x_axis.dot(self.translation), self.y_axis.dot(self.translation));
        Self::new(x, y, -back)
    }

    /// The inverse; `None` if the map has none that is finite.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let factor = 1.0 / self.x_axis.cross(self.y_axis);
        let x = Vec2::new(self.y_axis.y, -self.x_axis.y) * factor;
        let y = Vec2::new(-self.y_axis.x, self.x_axis.x) * factor;
        let linear = Self::new(x, y, Vec2::ZERO);
        let inverse = Self::new(x, y, -linear.vector(self.translation));
        (factor != 0.0 && inverse.is_finite()).then_some(inverse)
    }

    /// Where a point is mapped to.
    #[inline(always)]
    #[must_use]
    pub fn point(&self, point: Vec2) -> Vec2 {
        self.vector(point) + self.translation
    }

    /// What a difference of points is mapped to.
    #[inline(always)]
    #[must_use]
    pub fn vector(&self, vector: Vec2) -> Vec2 {
        self.x_axis * vector.x + self.y_axis * vector.y
    }

    /// The smallest box around the image of a box.
    #[must_use]
    pub fn bounding_box(&self, of: &Aabb<2>) -> Aabb<2> {
        let centre = self.point(of.middle().into());
        let half = Vec2::new(0.5 * (of.max[0] - of.min[0]), 0.5 * (of.max[1] - of.min[1]));
        let x = self.x_axis.x.abs() * half.x + self.y_axis.x.abs() * half.y;
        let y = self.x_axis.y.abs() * half.x + self.y_axis.y.abs() * half.y;
        Aabb { min: [centre.x - x, centre.y - y], max: [centre.x + x, centre.y + y] }
    }

    /// Whether all numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.x_axis.is_finite() && self.y_axis.is_finite() && self.translation.is_finite()
    }
}

/// The map `first` after which `self` follows.
impl Mul for Affine {
    type Output = Self;

    fn mul(self, first: Self) -> Self {
        Self::new(self.vector(first.x_axis), self.vector(first.y_axis), self.point(first.translation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: &Affine, b: &Affine) -> bool {
        [Vec2::ZERO, Vec2::X, Vec2::Y].iter().all(|&p| a.point(p).distance(b.point(p)) < 1e-14)
    }

    #[test]
    fn maps_follow_each_other() {
        let turn = Affine::rotate(Rotation { cos: 0.0, sin: 1.0 });
        let step = Affine::translate(Vec2::X);
        assert_eq!((step * turn).point(Vec2::X), Vec2::new(1.0, 1.0));
        assert_eq!((turn * step).point(Vec2::X), Vec2::new(0.0, 2.0));
        assert_eq!((turn * step).vector(Vec2::X), Vec2::Y);
        assert_eq!(Affine::IDENTITY * turn, turn);
        assert_eq!(
            Affine::from_rows([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).point(Vec2::Y),
            Vec2::new(5.0, 11.0)
        );
    }

    #[test]
    fn inverses_lead_back() {
        let pose = Pose { position: Vec2::new(3.0, -2.0), rotation: Rotation::from_angle(0.7) };
        let rigid = Affine::rigid(pose);
        assert!(near(&(rigid.rigid_inverse() * rigid), &Affine::IDENTITY));
        assert!(rigid.point(Vec2::X).distance(pose.point(Vec2::X)) < 1e-15);
        let skewed = rigid * Affine::from_rows([[2.0, 1.0, 0.5], [0.0, -3.0, 1.0]]);
        assert!(near(&(skewed.inverse().unwrap() * skewed), &Affine::IDENTITY));
        assert!(near(&(skewed * skewed.inverse().unwrap()), &Affine::IDENTITY));
        assert_eq!(Affine::scale(1.0, 0.0).inverse(), None);
        assert_eq!(Affine::scale(f64::INFINITY, 1.0).inverse(), None);
    }

    #[test]
    fn boxes_of_images_hold_the_corners() {
        let map = Affine::rotate(Rotation::from_angle(0.5))
            * Affine::from_rows([[2.0, 1.0, 0.5], [0.0, -3.0, 1.0]]);
        let of = Aabb { min: [-1.0, 2.0], max: [4.0, 3.0] };
        let mut corners = Aabb::EMPTY;
        for (x, y) in [(-1.0, 2.0), (4.0, 2.0), (-1.0, 3.0), (4.0, 3.0)] {
            corners.include(&map.point(Vec2::new(x, y)).into());
        }
        let found = map.bounding_box(&of);
        assert!(found.is_within(&corners, 1e-14) && corners.is_within(&found, 1e-14));
    }
}
