//! The plane: vectors, rotations and poses.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use super::angle;

/// A vector or a point of the plane.
///
/// ```
/// use carom::geometry::Vec2;
///
/// let a = Vec2::new(3.0, 4.0);
/// assert_eq!((a.length(), a.cross(Vec2::X)), (5.0, -4.0));
/// assert_eq!(Vec2::from([1.0, 2.0]) + a * 2.0, Vec2::new(7.0, 10.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Vec2 {
    /// Component along the first axis.
    pub x: f64,
    /// Component along the second axis.
    pub y: f64,
}

impl Vec2 {
    /// The origin.
    pub const ZERO: Self = Self::new(0.0, 0.0);
    /// The first axis.
    pub const X: Self = Self::new(1.0, 0.0);
    /// The second axis.
    pub const Y: Self = Self::new(0.0, 1.0);

    /// The vector with these components.
    #[inline(always)]
    #[must_use]
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The dot product.
    #[inline(always)]
    #[must_use]
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// The cross product: positive if `other` is to the left of `self`.
    #[inline(always)]
    #[must_use]
    pub fn cross(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }

    /// The vector turned left by a right angle.
    #[inline(always)]
    #[must_use]
    pub fn perpendicular(self) -> Self {
        Self::new(-self.y, self.x)
    }

    /// The length of a vector whose square neither overflows nor underflows.
    #[inline(always)]
    #[must_use]
    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The vector with length 1 and this direction; 0 for the vector 0.
    #[inline(always)]
    #[must_use]
    pub fn normalized(self) -> Self {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { Self::ZERO }
    }

    /// The distance of two points.
    #[inline(always)]
    #[must_use]
    pub fn distance(self, other: Self) -> f64 {
        (other - self).length()
    }

    /// The point at this share of the way to another one: 0 is here, 1 there.
    #[inline(always)]
    #[must_use]
    pub fn lerp(self, other: Self, share: f64) -> Self {
        self * (1.0 - share) + other * share
    }

    /// The part of the vector along another one, which must not be 0.
    #[inline(always)]
    #[must_use]
    pub fn project(self, other: Self) -> Self {
        other * (self.dot(other) / other.dot(other))
    }

    /// The vector, shortened to this length if it is longer.
    #[inline(always)]
    #[must_use]
    pub fn limited(self, length: f64) -> Self {
        if self.dot(self) > length * length { self.normalized() * length } else { self }
    }

    /// Whether both components are finite.
    #[inline(always)]
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

impl From<[f64; 2]> for Vec2 {
    fn from([x, y]: [f64; 2]) -> Self {
        Self { x, y }
    }
}

impl From<Vec2> for [f64; 2] {
    fn from(vector: Vec2) -> Self {
        [vector.x, vector.y]
    }
}

impl Add for Vec2 {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Vec2 {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Vec2 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }
}

impl Neg for Vec2 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

impl AddAssign for Vec2 {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Vec2 {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// A rotation of the plane, as cosine and sine of its angle.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Rotation {
    /// Cosine of the angle.
    pub cos: f64,
    /// Sine of the angle.
    pub sin: f64,
}

impl Default for Rotation {
    fn default() -> Self {
        Self::NONE
    }
}

impl Rotation {
    /// The rotation that changes nothing.
    pub const NONE: Self = Self { cos: 1.0, sin: 0.0 };

    /// The rotation by an angle in radians, counter-clockwise, with the same bits on every machine.
    ///
    /// Cosine and sine are off by less than 4e-16 up to 10^6 rad; beyond, the error is up to 4e-17 of the angle.
    #[must_use]
    pub fn from_angle(angle: f64) -> Self {
        let [cos, sin] = angle::cos_sin(angle);
        Self { cos, sin }
    }

    /// The angle in radians, from -pi to pi, counter-clockwise, with the same bits on every machine.
    #[must_use]
    pub fn angle(self) -> f64 {
        angle::angle_of(self.cos, self.sin)
    }

    /// Turns a vector.
    #[inline(always)]
    #[must_use]
    pub fn turn(self, vector: Vec2) -> Vec2 {
        Vec2::new(self.cos * vector.x - self.sin * vector.y, self.sin * vector.x + self.cos * vector.y)
    }

    /// Turns a vector back.
    #[inline(always)]
    #[must_use]
    pub fn turn_back(self, vector: Vec2) -> Vec2 {
        Vec2::new(self.cos * vector.x + self.sin * vector.y, self.cos * vector.y - self.sin * vector.x)
    }

    /// The rotation by the sum of both angles.
    #[inline(always)]
    #[must_use]
    pub fn then(self, other: Self) -> Self {
        Self {
            cos: self.cos * other.cos - self.sin * other.sin,
            sin: self.sin * other.cos + self.cos * other.sin,
        }
    }

    /// The rotation by the opposite angle.
    #[inline(always)]
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { cos: self.cos, sin: -self.sin }
    }
}

/// Where something is in the plane, and how it is turned.
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Pose {
    /// Of the origin of its own coordinates, in metres.
    pub position: Vec2,
    /// From its own coordinates.
    pub rotation: Rotation,
}

impl Pose {
    /// A point in own coordinates, as a point of the plane.
    #[inline(always)]
    #[must_use]
    pub fn point(self, local: Vec2) -> Vec2 {
        self.position + self.rotation.turn(local)
    }

    /// A point of the plane, in own coordinates.
    #[inline(always)]
    #[must_use]
    pub fn local(self, point: Vec2) -> Vec2 {
        self.rotation.turn_back(point - self.position)
    }

    /// The pose of `other` in the coordinates of `self`.
    #[inline(always)]
    #[must_use]
    pub fn relative(self, other: Self) -> Self {
        Self {
            position: self.rotation.turn_back(other.position - self.position),
            rotation: other.rotation.then(self.rotation.inverse()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_and_back() {
        let quarter = Rotation { cos: 0.0, sin: 1.0 };
        let pose = Pose { position: Vec2::new(1.0, 2.0), rotation: quarter };
        assert_eq!(pose.point(Vec2::X), Vec2::new(1.0, 3.0));
        assert_eq!(pose.local(Vec2::new(1.0, 3.0)), Vec2::X);
        let other = Pose { position: Vec2::new(1.0, 4.0), rotation: quarter };
        assert_eq!(pose.relative(other), Pose { position: Vec2::new(2.0, 0.0), rotation: Rotation::NONE });
        assert_eq!(quarter.then(quarter), Rotation { cos: -1.0, sin: 0.0 });
    }

    #[test]
    fn unit_vectors() {
        assert_eq!(Vec2::new(0.0, -3.0).normalized(), -Vec2::Y);
        assert_eq!(Vec2::ZERO.normalized(), Vec2::ZERO);
        assert_eq!(Vec2::X.perpendicular(), Vec2::Y);
    }

    #[test]
    fn parts_of_vectors() {
        let (a, b) = (Vec2::new(1.0, 1.0), Vec2::new(4.0, 5.0));
        assert_eq!((a.distance(b), a.lerp(b, 0.0), a.lerp(b, 1.0)), (5.0, a, b));
        assert_eq!(a.lerp(b, 0.5), Vec2::new(2.5, 3.0));
        assert_eq!(b.project(Vec2::new(0.0, -2.0)), Vec2::new(0.0, 5.0));
        assert_eq!(Vec2::new(3.0, 4.0).limited(5.0), Vec2::new(3.0, 4.0));
        assert_eq!(Vec2::new(0.0, 4.0).limited(3.0), Vec2::new(0.0, 3.0));
    }

    #[test]
    fn an_angle_and_back() {
        assert_eq!(Rotation::from_angle(0.0), Rotation::NONE);
        for angle in [-3.1, -1.0, 0.1, 1.5, 3.0] {
            assert!((Rotation::from_angle(angle).angle() - angle).abs() < 5e-16);
            assert!(
                (Rotation::from_angle(angle + 200_000.0 * std::f64::consts::PI).angle() - angle).abs() < 1e-9
            );
        }
    }
}
