//! Vectors of space whose coordinates are blocks of lanes.

use super::minor;
use crate::soa::block::{Lanes, each};

pub(super) type Vector<L> = [L; 3];

/// The index after `i`, modulo 3.
#[inline(always)]
pub(super) const fn next(i: usize) -> usize {
    (i + 1) % 3
}

/// The index after the next, modulo 3.
#[inline(always)]
pub(super) const fn after(i: usize) -> usize {
    (i + 2) % 3
}

#[inline(always)]
pub(super) fn add<L: Lanes>(a: Vector<L>, b: Vector<L>) -> Vector<L> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn sum_of_vectors<L: Lanes>([u, v, w]: [Vector<L>; 3]) -> Vector<L> {
    add(add(u, v), w)
}

#[inline(always)]
pub(super) fn subtract<L: Lanes>(a: Vector<L>, b: Vector<L>) -> Vector<L> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(super) fn scale<L: Lanes>(v: Vector<L>, by: L) -> Vector<L> {
    [v[0] * by, v[1] * by, v[2] * by]
}

/// A matrix, as rows, times a vector.
#[inline(always)]
pub(super) fn product<L: Lanes>(rows: [Vector<L>; 3], v: Vector<L>) -> Vector<L> {
    [dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)]
}

#[inline(always)]
pub(super) fn dot<L: Lanes>(a: Vector<L>, b: Vector<L>) -> L {
    a[2].fused(b[2], a[1].fused(b[1], a[0] * b[0]))
}

#[inline(always)]
pub(super) fn cross<L: Lanes>(a: Vector<L>, b: Vector<L>) -> Vector<L> {
    [minor(a[1], b[2], a[2], b[1]), minor(a[2], b[0], a[0], b[2]), minor(a[0], b[1], a[1], b[0])]
}

#[inline(always)]
pub(super) fn magnitudes<L: Lanes>(v: Vector<L>) -> Vector<L> {
    each!(i in [0, 1, 2] => v[i].abs())
}

/// The sum of the magnitudes of all entries.
#[inline(always)]
pub(super) fn norm<L: Lanes>(vectors: [Vector<L>; 3]) -> L {
    sum(each!(j in [0, 1, 2] => sum(magnitudes(vectors[j]))))
}

#[inline(always)]
pub(super) fn sum<L: Lanes>([a, b, c]: Vector<L>) -> L {
    (a + b) + c
}

#[inline(always)]
pub(super) fn largest<L: Lanes>([a, b, c]: Vector<L>) -> L {
    (a.max(b)).max(c)
}

#[inline(always)]
pub(super) fn largest_of_four<L: Lanes>([a, b, c, d]: [L; 4]) -> L {
    (a.max(b)).max(c.max(d))
}

#[inline(always)]
pub(super) fn largest_of_six<L: Lanes>([a, b, c, d, e, f]: [L; 6]) -> L {
    (largest([a, b, c])).max(largest([d, e, f]))
}

/// The normal of edges 1 and 2, of 2 and 0, of 0 and 1.
#[inline(always)]
pub(super) fn face_normals<L: Lanes>(edges: [Vector<L>; 3]) -> [Vector<L>; 3] {
    [cross(edges[1], edges[2]), cross(edges[2], edges[0]), cross(edges[0], edges[1])]
}
