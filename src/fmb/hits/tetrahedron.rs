//! A tetrahedron in the coordinates of the other frame, with the products that the conditions share.

use super::Projection;
use super::space::SpacePair;
use super::vector::{
    Vector, add, after, cross, dot, face_normals, next, norm, subtract, sum, sum_of_vectors,
};
use crate::soa::block::{Lanes, each};

/// A tetrahedron B with what its directions share. Its six edges are the three from the origin, then the edge from the
/// end of `next(q)` to the end of `after(q)` for q = 0, 1, 2.
pub(super) struct Tetrahedron<L> {
    offset: Vector<L>,
    edges: [Vector<L>; 3],
    /// `normals[q]` = edge next(q) x edge after(q).
    pub(super) normals: [Vector<L>; 3],
    volume: L,
    /// offset x edge
    moments: [Vector<L>; 3],
    pub(super) six_edges: [Vector<L>; 6],
    /// The six edges x sweep.
    pub(super) six_swept: [Vector<L>; 6],
    /// offset x sweep
    pub(super) offset_swept: Vector<L>,
    /// normals . sweep
    flux: Vector<L>,
}

/// A face of a tetrahedron B.
#[derive(Clone, Copy)]
pub(super) struct TetrahedronFace<L> {
    pub(super) normal: Vector<L>,
    /// Of B on the normal.
    pub(super) projection: Projection<L>,
    /// Half the displacement of B along the normal.
    pub(super) flux: L,
}

/// The projections of a tetrahedron B on the products of one edge of A with each of its own.
pub(super) struct EdgeProducts<L> {
    moments: Vector<L>,
    normals: Vector<L>,
    pub(super) projections: [Projection<L>; 6],
    pub(super) swept: [L; 6],
}

impl<L: Lanes> EdgeProducts<L> {
    #[inline(always)]
    fn new(moments: Vector<L>, normals: Vector<L>, swept: [L; 6]) -> Self {
        Self { moments, normals, projections: edge_projections(moments, normals), swept }
    }

    #[inline(always)]
    pub(super) fn minus(&self, other: &Self) -> Self {
        Self::new(
            subtract(self.moments, other.moments),
            subtract(self.normals, other.normals),
            each!(e in [0, 1, 2, 3, 4, 5] => self.swept[e] - other.swept[e]),
        )
    }
}

impl<L: Lanes> Tetrahedron<L> {
    #[inline(always)]
    pub(super) fn new<const MOVING: bool>(pair: &SpacePair<L>) -> Self {
        let SpacePair { offset, edges, sweep, .. } = *pair;
        let normals = face_normals(edges);
        let zero = [L::ZERO; 3];
        Self {
            offset,
            edges,
            normals,
            volume: dot(normals[0], edges[0]),
            moments: each!(j in [0, 1, 2] => cross(offset, edges[j])),
            six_edges: six(edges),
            six_swept: if MOVING { six(each!(j in [0, 1, 2] => cross(edges[j], sweep))) } else { [zero; 6] },
            offset_swept: if MOVING { cross(offset, sweep) } else { zero },
            flux: if MOVING { each!(q in [0, 1, 2] => dot(normals[q], sweep)) } else { zero },
        }
    }

    /// The projection of B on axis i of A.
    #[inline(always)]
    pub(super) fn on_axis(&self, i: usize) -> Projection<L> {
        Projection::of_zero_and_three(each!(j in [0, 1, 2] => self.edges[j][i])).moved(self.offset[i])
    }

    #[inline(always)]
    pub(super) fn faces(&self) -> [TetrahedronFace<L>; 4] {
        let at = each!(q in [0, 1, 2] => dot(self.normals[q], self.offset));
        let [one, two, three] = each!(q in [0, 1, 2] => self.face(self.normals[q], at[q], self.flux[q]));
        [one, two, three, self.face(sum_of_vectors(self.normals), sum(at), sum(self.flux))]
    }

    /// Across an edge and the opposite one: the normals are sums of those of two faces, and so is all else.
    #[inline(always)]
    pub(super) fn opposite_edges(&self) -> [TetrahedronFace<L>; 3] {
        let at = each!(q in [0, 1, 2] => dot(self.normals[q], self.offset));
        each!(j in [0, 1, 2] => {
            let [k, l] = [next(j), after(j)];
            self.face(add(self.normals[k], self.normals[l]), at[k] + at[l], self.flux[k] + self.flux[l])
        })
    }

    /// Upper bound of the norms of the normals of its faces.
    #[inline(always)]
    pub(super) fn normals_norm(&self) -> L {
        norm(self.normals)
    }

    /// Upper bound of the norms of the products of its edges with the sweep.
    #[inline(always)]
    pub(super) fn swept_norm(&self) -> L {
        norm(each!(j in [0, 1, 2] => self.six_swept[j]))
    }

    /// The face with this normal, on which the origin of B lies at `at`.
    #[inline(always)]
    fn face(&self, normal: Vector<L>, at: L, flux: L) -> TetrahedronFace<L> {
        let projection = Projection { lo: at + self.volume.min(L::ZERO), hi: at + self.volume.max(L::ZERO) };
        TetrahedronFace { normal, projection, flux }
    }

    /// The products of axis i of A with the edges of B.
    #[inline(always)]
    pub(super) fn products_with_axis(&self, i: usize) -> EdgeProducts<L> {
        EdgeProducts::new(
            each!(j in [0, 1, 2] => self.moments[j][i]),
            each!(q in [0, 1, 2] => self.normals[q][i]),
            each!(e in [0, 1, 2, 3, 4, 5] => self.six_swept[e][i]),
        )
    }

    /// (edge x sweep) on axis i, for the three edges from the origin.
    #[inline(always)]
    pub(super) fn swept_edges_on(&self, i: usize) -> Vector<L> {
        each!(j in [0, 1, 2] => self.six_swept[j][i])
    }

    /// The projections of B on the products of its own edges with the sweep.
    #[inline(always)]
    pub(super) fn projections_with_sweep(&self) -> [Projection<L>; 6] {
        let at = each!(j in [0, 1, 2] => dot(self.six_swept[j], self.offset));
        edge_projections(at, self.flux)
    }
}

/// The projections of a tetrahedron on the products of its six edges with some other direction: `at[j]` is the position of
/// its origin on the product with edge j, `faces[q]` the triple product of the direction with its edges next(q) and
/// after(q).
#[inline(always)]
fn edge_projections<L: Lanes>(at: Vector<L>, faces: Vector<L>) -> [Projection<L>; 6] {
    let negated = each!(q in [0, 1, 2] => L::ZERO - faces[q]);
    each!(e in [0, 1, 2, 3, 4, 5] => {
        if e < 3 {
            let j = e;
            Projection::of_zero_and(negated[after(j)], faces[next(j)]).moved(at[j])
        } else {
            let q = e - 3;
            let third = negated[next(q)] + negated[after(q)];
            Projection::of_zero_and(faces[q], third).moved(at[after(q)] - at[next(q)])
        }
    })
}

/// Three vectors from the origin and the differences between their ends.
#[inline(always)]
fn six<L: Lanes>(v: [Vector<L>; 3]) -> [Vector<L>; 6] {
    [v[0], v[1], v[2], subtract(v[2], v[1]), subtract(v[0], v[2]), subtract(v[1], v[0])]
}
