//! Certain hits between frames that share directions, exactly or nearly (docs/methods/fmb-hits.md).
//!
//! The product of two parallel edges is void, and that of two almost parallel ones is noise, so that a gap along it says
//! nothing. But the computed edges are numbers like any others, and those of a body that is close to the true one. If the
//! offset lies so deep inside that body that a cube of the margin around it does, too, it lies inside the true one. What
//! that needs of a direction n is a gap of at most -margin |n|, for directions that are exact, or whose errors are in
//! proportion to |n|: these are the products of an edge of A, which is a unit vector, with the computed edges of B.

use super::rounding::{LargestEntries, Precision, ROUNDED_CUBOID, ROUNDED_TETRAHEDRON};
use super::space::{SpaceGaps, SpacePair};
use super::tetrahedron::Tetrahedron;
use super::vector::{
    Vector, after, cross, dot, largest, largest_of_four, largest_of_six, magnitudes, next, sum,
};
use super::{MIXED, Projection};
use crate::soa::block::{Lanes, each};

impl<L: Lanes<Number: Precision>> SpacePair<L> {
    /// The lanes in which two cuboids surely intersect, although directions may be void. The gaps are those to A shrunk by
    /// the margin.
    #[inline(always)]
    pub(super) fn cuboids_surely_overlap<const MOVING: bool>(
        &self,
        gaps: &SpaceGaps<L>,
        entries: LargestEntries<L>,
    ) -> L {
        let Self { edges, sweep, at_rest, terms, .. } = *self;
        let margin = terms.margin::<MOVING>();
        let mut within = gaps.face_a.lt(L::ZERO - margin)
            & gaps.face_b.lt(L::ZERO - entries.face_overlap(margin, ROUNDED_CUBOID))
            & gaps.edges.le(L::ZERO)
            & are_clear(edges);
        if MOVING {
            let across_sweep = gaps.sweep_a.le(L::ZERO)
                & gaps.sweep_b.lt(L::ZERO - entries.sweep_overlap(margin, ROUNDED_CUBOID))
                & is_clear(sweep);
            let [x, y, z] = each!(j in [0, 1, 2] => is_along(sweep, edges[j], terms.parallel()));
            within &= across_sweep | at_rest | x | y | z;
        }
        within
    }

    /// The lanes in which two frames surely intersect, although directions may be void; B is a tetrahedron.
    #[inline(always)]
    pub(super) fn tetrahedra_surely_overlap<const MOVING: bool, const KINDS: u8>(&self) -> L {
        let pair = self.on_grid::<MOVING>();
        let body = Tetrahedron::new::<MOVING>(&pair);
        let margin = self.terms.margin::<MOVING>();
        let swept = if MOVING { body.swept_norm() } else { L::ZERO };
        let entries = pair.largest_entries::<MOVING>(body.normals_norm(), swept);

        // The normal of the face that slants has the norm 3.
        let of_unit = if KINDS == MIXED { margin } else { margin * L::splat(3.0) };
        let face_a = pair.along_faces_of_a::<MOVING, KINDS>(&body);
        let faces = body.faces();
        let mut face_b =
            largest_of_four(each!(f in [0, 1, 2, 3] => Self::along_face::<MOVING, KINDS>(faces[f])));
        let edges = largest_of_six(
            each!(e in [0, 1, 2, 3, 4, 5] => pair.along_edge::<MOVING, KINDS>(&body, e, margin)),
        );
        let smallest = L::splat(SMALLEST_EDGE * L::Number::UNDERFLOW.sqrt());
        let in_range = smallest.lt(entries.edge);
        if MOVING {
            let across = body.opposite_edges();
            let gaps = each!(j in [0, 1, 2] => Self::along_face::<MOVING, KINDS>(across[j]));
            face_b = face_b.max(largest(gaps));
        }
        let mut within = in_range
            & face_a.lt(L::ZERO - of_unit)
            & face_b.lt(L::ZERO - entries.face_overlap(margin, ROUNDED_TETRAHEDRON))
            & edges.le(L::ZERO);
        if MOVING {
            let sweep_b = Self::along_edges_and_sweep::<KINDS>(&body);
            let across_sweep = pair.along_sweep::<KINDS>(margin).le(L::ZERO)
                & sweep_b.le(L::ZERO - entries.sweep_overlap(margin, ROUNDED_TETRAHEDRON));
            let parallel = self.terms.parallel();
            let along = each!(e in [0, 1, 2, 3, 4, 5] => is_along(pair.sweep, body.six_edges[e], parallel));
            let along = (along[0] | along[1]) | (along[2] | along[3]) | (along[4] | along[5]);
            within &= across_sweep | self.at_rest | entries.sweep.le(parallel) | along;
        }
        within
    }

    /// The same with edges and a sweep that are multiples of a small part of their largest entry, so that the sums and
    /// differences of few of them are exact.
    #[inline(always)]
    fn on_grid<const MOVING: bool>(&self) -> Self {
        let Self { offset, edges, sweep, at_rest, terms } = *self;
        let longest = largest(each!(j in [0, 1, 2] => largest(magnitudes(edges[j]))));
        let edges = each!(j in [0, 1, 2] => rounded(edges[j], longest));
        let sweep = if MOVING { rounded(sweep, largest(magnitudes(sweep))) } else { sweep };
        Self { offset, edges, sweep, at_rest, terms }
    }

    /// The largest gap along the products of the edges of A with edge `e` of a tetrahedron B, each larger by the margin
    /// times the norm of the product.
    #[inline(always)]
    fn along_edge<const MOVING: bool, const KINDS: u8>(
        &self,
        body: &Tetrahedron<L>,
        e: usize,
        margin: L,
    ) -> L {
        let edge = body.six_edges[e];
        // Of the four corners of B two are the ends of the edge, which are at the same height.
        let corners = if e < 3 {
            [self.edges[next(e)], self.edges[after(e)]]
        } else {
            [self.edges[e - 3], self.edges[next(e - 3)]]
        };
        let [one, two] = corners;
        let straight = largest(each!(i in [0, 1, 2] => {
            let normal = ExactNormal::straight(i, edge);
            let of_b = Projection::of_zero_and(normal.height(one), normal.height(two));
            self.along::<MOVING, KINDS>(normal, of_b, margin)
        }));
        if KINDS == MIXED {
            return straight;
        }
        straight.max(largest(each!(i in [0, 1, 2] => {
            let normal = ExactNormal::slanted(i, edge);
            let of_b = Projection::of_zero_and(normal.height(one), normal.height(two));
            self.along::<MOVING, KINDS>(normal, of_b, margin)
        })))
    }

    /// The same for the products of the edges of A with the sweep, which is at one height then.
    #[inline(always)]
    fn along_sweep<const KINDS: u8>(&self, margin: L) -> L {
        let edges = self.edges;
        let straight = largest(each!(i in [0, 1, 2] => {
            let normal = ExactNormal::straight(i, self.sweep);
            let of_b = Projection::of_zero_and_three(each!(j in [0, 1, 2] => normal.height(edges[j])));
            self.along::<false, KINDS>(normal, of_b, margin)
        }));
        if KINDS == MIXED {
            return straight;
        }
        straight.max(largest(each!(i in [0, 1, 2] => {
            let normal = ExactNormal::slanted(i, self.sweep);
            let of_b = Projection::of_zero_and_three(each!(j in [0, 1, 2] => normal.height(edges[j])));
            self.along::<false, KINDS>(normal, of_b, margin)
        })))
    }

    /// The gap along a normal, larger by the margin times its norm. B is at `of_b` relative to its origin.
    #[inline(always)]
    fn along<const MOVING: bool, const KINDS: u8>(
        &self,
        normal: ExactNormal<L>,
        of_b: Projection<L>,
        margin: L,
    ) -> L {
        let gap = normal.gap_to_a::<KINDS>(of_b.moved(normal.height(self.offset)), margin);
        if MOVING { gap - normal.height(self.sweep).abs() } else { gap }
    }
}

/// Edges of a tetrahedron B below this many square roots of what underflow may add are left open.
const SMALLEST_EDGE: f64 = 1e3;

/// Whether a sweep is nothing or a multiple of an edge, within `distance` in every coordinate.
#[inline(always)]
fn is_along<L: Lanes>(sweep: Vector<L>, edge: Vector<L>, distance: L) -> L {
    largest(magnitudes(cross(edge, sweep))).le(distance * largest(magnitudes(edge)))
}

/// A vector rounded to a multiple of about 2^5 roundings of `longest`, which is not below its entries.
#[inline(always)]
fn rounded<L: Lanes>(v: Vector<L>, longest: L) -> Vector<L> {
    let shift = longest * L::splat(16.0);
    each!(i in [0, 1, 2] => (v[i] + shift) - shift)
}

/// Whether every entry is 0 or large enough for its products not to underflow.
#[inline(always)]
fn is_clear<L: Lanes<Number: Precision>>(v: Vector<L>) -> L {
    let faint = L::splat(L::Number::FAINT);
    let [x, y, z] = each!(i in [0, 1, 2] => v[i].equals(L::ZERO) | faint.lt(v[i].abs()));
    x & y & z
}

#[inline(always)]
fn are_clear<L: Lanes<Number: Precision>>([x, y, z]: [Vector<L>; 3]) -> L {
    is_clear(x) & is_clear(y) & is_clear(z)
}

/// The product of an edge of A with a vector on the grid: no entry is rounded.
#[derive(Clone, Copy)]
struct ExactNormal<L> {
    /// The axis of A that the edge lies along, or the one that it does not touch.
    axis: usize,
    is_slanted: bool,
    normal: Vector<L>,
}

impl<L: Lanes> ExactNormal<L> {
    /// The product of axis `i` of A with a vector.
    #[inline(always)]
    fn straight(i: usize, v: Vector<L>) -> Self {
        let mut normal = [L::ZERO; 3];
        (normal[next(i)], normal[after(i)]) = (L::ZERO - v[after(i)], v[next(i)]);
        Self { axis: i, is_slanted: false, normal }
    }

    /// The product of axis `next(i)` of A less axis `after(i)`, an edge of a tetrahedron A, with a vector.
    #[inline(always)]
    fn slanted(i: usize, v: Vector<L>) -> Self {
        let mut normal = [L::ZERO - v[i]; 3];
        normal[i] = v[next(i)] + v[after(i)];
        Self { axis: i, is_slanted: true, normal }
    }

    /// How far along the normal a point is.
    #[inline(always)]
    fn height(self, x: Vector<L>) -> L {
        let Self { axis, is_slanted, normal } = self;
        if is_slanted {
            return dot(normal, x);
        }
        let [k, l] = [next(axis), after(axis)];
        normal[k].fused(x[k], normal[l] * x[l])
    }

    /// The gap of B to A, larger by the margin times the norm of the normal.
    #[inline(always)]
    fn gap_to_a<const KINDS: u8>(self, of_b: Projection<L>, margin: L) -> L {
        let Self { axis, is_slanted, normal } = self;
        let [k, l] = [next(axis), after(axis)];
        let lengths = magnitudes(normal);
        let norm = if is_slanted { sum(lengths) } else { lengths[k] + lengths[l] };
        let gap = if KINDS == MIXED {
            of_b.gap_to_centred(norm)
        } else if is_slanted {
            of_b.gap(Projection::of_zero_and(normal[axis], normal[k]))
        } else {
            of_b.gap(Projection::of_zero_and(normal[k], normal[l]))
        };
        margin.fused(norm, gap)
    }
}
