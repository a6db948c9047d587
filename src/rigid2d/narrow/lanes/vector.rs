//! Vectors of the plane, one per lane, with the operations of [`Vec2`](crate::geometry::Vec2) in the same order.

use std::ops::{Add, Mul, Neg, Sub};

use crate::soa::block::Lanes;

/// A vector per lane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vector<L> {
    pub(crate) x: L,
    pub(crate) y: L,
}

impl<L: Lanes> Vector<L> {
    /// The vector 0.
    pub(super) const ZERO: Self = Self { x: L::ZERO, y: L::ZERO };

    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> L {
        self.x * other.x + self.y * other.y
    }

    /// The square of the length.
    #[inline(always)]
    pub(super) fn squared(self) -> L {
        self.dot(self)
    }

    /// The vector turned left by a right angle.
    #[inline(always)]
    pub(super) fn perpendicular(self) -> Self {
        Self { x: -self.y, y: self.x }
    }

    /// The sum of the magnitudes of both components.
    #[inline(always)]
    pub(super) fn size(self) -> L {
        self.x.abs() + self.y.abs()
    }

    /// Lane by lane `if mask { yes } else { no }`.
    #[inline(always)]
    pub(crate) fn select(mask: L, yes: Self, no: Self) -> Self {
        Self { x: mask.select(yes.x, no.x), y: mask.select(yes.y, no.y) }
    }

    /// The vector where the mask is set, and 0 elsewhere.
    #[inline(always)]
    pub(crate) fn masked(self, mask: L) -> Self {
        Self { x: self.x & mask, y: self.y & mask }
    }

    /// The lanes in which both vectors are equal.
    #[inline(always)]
    pub(super) fn equals(self, other: Self) -> L {
        self.x.equals(other.x) & self.y.equals(other.y)
    }
}

impl<L: Lanes> Add for Vector<L> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

impl<L: Lanes> Sub for Vector<L> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y }
    }
}

impl<L: Lanes> Mul<L> for Vector<L> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: L) -> Self {
        Self { x: self.x * factor, y: self.y * factor }
    }
}

impl<L: Lanes> Neg for Vector<L> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y }
    }
}

/// A pose per lane, with the operations of [`Pose`](crate::geometry::Pose) in the same order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Poses<L> {
    pub(super) position: Vector<L>,
    pub(super) cos: L,
    pub(super) sin: L,
}

impl<L: Lanes> Poses<L> {
    #[inline(always)]
    pub(super) fn turn(&self, vector: Vector<L>) -> Vector<L> {
        let Vector { x, y } = vector;
        Vector { x: self.cos * x - self.sin * y, y: self.sin * x + self.cos * y }
    }

    #[inline(always)]
    pub(super) fn turn_back(&self, vector: Vector<L>) -> Vector<L> {
        let Vector { x, y } = vector;
        Vector { x: self.cos * x + self.sin * y, y: self.cos * y - self.sin * x }
    }

    /// A point in the frame of B, in that of A.
    #[inline(always)]
    pub(super) fn point(&self, local: Vector<L>) -> Vector<L> {
        self.position + self.turn(local)
    }

    /// A point in the frame of A, in that of B.
    #[inline(always)]
    pub(super) fn local(&self, point: Vector<L>) -> Vector<L> {
        self.turn_back(point - self.position)
    }
}
