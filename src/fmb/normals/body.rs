//! Frames as the search for a normal sees them, written once for a number and for a block of lanes.

use std::marker::PhantomData;

use crate::soa::block::{Mask, Quantity};
use crate::soa::simd::Simd;

/// Most edge directions of a body: those of a tetrahedron.
pub(super) const MOST_EDGES: usize = 6;

/// Edge directions of a tetrahedron that are no components: minus the first component, plus the second.
pub(super) const DIFFERENCES: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];

/// Two edges of each face in space; the last is the face of a tetrahedron that does not hold its origin.
const FACES: [[usize; 2]; 4] = [[1, 2], [2, 0], [0, 1], [3, 4]];

/// How differences of products are computed.
pub(super) trait Arithmetic<N>: Copy {
    /// Whether nothing cancels in a difference of products.
    const IS_CAREFUL: bool;

    /// `a b - c d`.
    fn minor(a: N, b: N, c: N, d: N) -> N;
}

/// With three roundings.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl<N: Quantity> Arithmetic<N> for Plain {
    const IS_CAREFUL: bool = false;

    #[inline(always)]
    fn minor(a: N, b: N, c: N, d: N) -> N {
        a * b - c * d
    }
}

/// With the rounding errors of both products, at a level of instructions; the outcome is the same at all of them.
#[derive(Clone, Copy)]
pub(super) struct Careful<S>(PhantomData<S>);

impl<S: Simd> Arithmetic<f64> for Careful<S> {
    const IS_CAREFUL: bool = true;

    #[inline(always)]
    fn minor(a: f64, b: f64, c: f64, d: f64) -> f64 {
        let (one, two) = (a * b, c * d);
        (one - two) + (S::product_rest(a, b, one) - S::product_rest(c, d, two))
    }
}

/// One frame.
#[derive(Clone, Copy)]
pub(super) struct Body<N, const D: usize> {
    pub(super) is_tetrahedron: bool,
    pub(super) components: [[N; D]; D],
    /// The directions of its edges, of any length: of the components first, then of the differences of components that a
    /// tetrahedron has.
    pub(super) edges: [[N; D]; MOST_EDGES],
    /// The lengths of the edges in units of the components: `components[i] inverse_lengths[i]` is `edges[i]`.
    pub(super) inverse_lengths: [N; D],
}

impl<N: Quantity, const D: usize> Body<N, D> {
    /// A body whose edges are as long as its components.
    #[inline(always)]
    pub(super) fn new(is_tetrahedron: bool, components: [[N; D]; D]) -> Self {
        let mut edges = [[N::ZERO; D]; MOST_EDGES];
        for (edge, component) in edges.iter_mut().zip(components) {
            *edge = component;
        }
        for (n, [minus, plus]) in DIFFERENCES.into_iter().enumerate().take(difference_count::<D>()) {
            for axis in 0..D {
                edges[D + n][axis] = components[plus][axis] - components[minus][axis];
            }
        }
        Self { is_tetrahedron, components, edges, inverse_lengths: [N::splat(1.0); D] }
    }

    #[inline(always)]
    pub(super) fn edge_count(&self) -> usize {
        if self.is_tetrahedron { D + difference_count::<D>() } else { D }
    }

    #[inline(always)]
    pub(super) fn face_count(&self) -> usize {
        if self.is_tetrahedron { D + 1 } else { D }
    }

    /// A normal of a face, of any length and either sign.
    #[inline(always)]
    pub(super) fn face<A: Arithmetic<N>>(&self, face: usize) -> [N; D] {
        if D == 2 {
            return perpendicular::<N, A, D>(&self.edges[face], &self.edges[face]);
        }
        let [i, j] = FACES[face];
        perpendicular::<N, A, D>(&self.edges[i], &self.edges[j])
    }

    /// The interval that the body covers along a direction, seen from its origin.
    #[inline(always)]
    pub(super) fn extent(&self, direction: &[N; D]) -> [N; 2] {
        let [mut low, mut high] = [N::ZERO; 2];
        for i in 0..D {
            let along = dot(direction, &self.components[i]);
            if self.is_tetrahedron {
                (low, high) = (along.min(low), along.max(high));
            } else {
                (low, high) = (low + along.min(N::ZERO), high + along.max(N::ZERO));
            }
        }
        [low, high]
    }

    /// The sum of the magnitudes of all coordinates of the components.
    #[inline(always)]
    pub(super) fn size(&self) -> N {
        let mut size = N::ZERO;
        for i in 0..D {
            size = size + norm(&self.components[i]);
        }
        size
    }
}

#[inline(always)]
const fn difference_count<const D: usize>() -> usize {
    D * (D - 1) / 2
}

/// A vector perpendicular to two in space, to the first in the plane.
#[inline(always)]
pub(super) fn perpendicular<N: Quantity, A: Arithmetic<N>, const D: usize>(
    one: &[N; D],
    two: &[N; D],
) -> [N; D] {
    let mut normal = [N::ZERO; D];
    if D == 2 {
        (normal[0], normal[1]) = (-one[1], one[0]);
    } else {
        for axis in 0..D {
            let (k, l) = ((axis + 1) % D, (axis + 2) % D);
            normal[axis] = A::minor(one[k], two[l], one[l], two[k]);
        }
    }
    normal
}

#[inline(always)]
pub(super) fn dot<N: Quantity, const D: usize>(one: &[N; D], two: &[N; D]) -> N {
    let mut sum = one[0] * two[0];
    for axis in 1..D {
        sum = sum + one[axis] * two[axis];
    }
    sum
}

#[inline(always)]
pub(super) fn magnitude<N: Quantity>(x: N) -> N {
    x.max(-x)
}

/// The sum of the magnitudes of the coordinates.
#[inline(always)]
pub(super) fn norm<N: Quantity, const D: usize>(vector: &[N; D]) -> N {
    let mut sum = magnitude(vector[0]);
    for axis in 1..D {
        sum = sum + magnitude(vector[axis]);
    }
    sum
}

/// Lane by lane one vector or another.
#[inline(always)]
pub(super) fn select<N: Quantity, const D: usize>(mask: N::Mask, yes: &[N; D], no: &[N; D]) -> [N; D] {
    let mut chosen = [N::ZERO; D];
    for axis in 0..D {
        chosen[axis] = mask.select(yes[axis], no[axis]);
    }
    chosen
}
