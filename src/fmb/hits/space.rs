//! Parallelepipeds and tetrahedra.
//!
//! Indices are modulo 3 throughout: `i` is followed by `next(i)` and `after(i)`.

use super::rounding::{Class, GapBounds, LargestEntries, Lengths, Precision, TermBounds, verdict};
use super::tetrahedron::{Tetrahedron, TetrahedronFace};
use super::vector::{
    Vector, add, after, cross, dot, face_normals, largest, largest_of_four, largest_of_six, magnitudes, next,
    product, scale, subtract, sum, sum_of_vectors,
};
use super::{
    CUBOIDS, MIXED, Projection, SizedFrame, TETRAHEDRA, TestScale, Verdict, gap_between, total_displacement,
};
use crate::soa::block::{Lanes, each};

#[inline(always)]
pub(super) fn decide<L: Lanes<Number: Precision>, const MOVING: bool, const KINDS: u8>(
    a: SizedFrame<L, 3>,
    b: SizedFrame<L, 3>,
    test: TestScale<L>,
) -> Verdict {
    let pair = SpacePair::new::<MOVING, KINDS>(a, b, test);
    match KINDS {
        CUBOIDS => {
            let gaps = pair.two_cuboids::<MOVING>();
            pair.conclude_cuboids::<MOVING>(&gaps)
        }
        MIXED => pair.conclude::<MOVING, MIXED>(&pair.cuboid_and_tetrahedron::<MOVING>()),
        _ => pair.conclude::<MOVING, KINDS>(&pair.two_tetrahedra::<MOVING>()),
    }
}

/// The pairs that surely intersect, of those that [`decide`] has left open: tetrahedra that share directions.
#[inline(always)]
pub(super) fn surely_intersect<L: Lanes<Number: Precision>, const MOVING: bool, const KINDS: u8>(
    a: SizedFrame<L, 3>,
    b: SizedFrame<L, 3>,
    test: TestScale<L>,
) -> u32 {
    SpacePair::new::<MOVING, KINDS>(a, b, test).tetrahedra_surely_overlap::<MOVING, KINDS>().bits()
}

/// The largest gap in each class of directions. Of two cuboids, A is shrunk by the margin for directions of its edges.
#[derive(Clone, Copy)]
pub(super) struct SpaceGaps<L> {
    /// Faces of A.
    pub(super) face_a: L,
    /// Faces of B.
    pub(super) face_b: L,
    /// An edge of A and an edge of B.
    pub(super) edges: L,
    /// An edge of A and the sweep.
    pub(super) sweep_a: L,
    /// An edge of B and the sweep.
    pub(super) sweep_b: L,
    /// Norm of the normals of the faces of B, for the rounding bound of `face_b`.
    normal: L,
    /// Norm of the edges of B x sweep, for the rounding bound of `sweep_b`.
    swept: L,
}

/// B in the coordinates of A, in which a parallelepiped A is [-1, 1]^3 and a tetrahedron A has the corners 0, e0, e1, e2.
pub(super) struct SpacePair<L> {
    /// The centre of a parallelepiped B, the origin of a tetrahedron B, at mid-time.
    pub(super) offset: Vector<L>,
    /// Half edges of a parallelepiped B, edges of a tetrahedron B.
    pub(super) edges: [Vector<L>; 3],
    /// Half the displacement of B relative to A, by which B is swept to both sides.
    pub(super) sweep: Vector<L>,
    /// Set where the frames do not move relative to each other.
    pub(super) at_rest: L,
    pub(super) terms: TermBounds<L>,
}

impl<L: Lanes<Number: Precision>> SpacePair<L> {
    #[inline(always)]
    fn new<const MOVING: bool, const KINDS: u8>(
        (a, of_a): SizedFrame<L, 3>,
        (b, of_b): SizedFrame<L, 3>,
        TestScale { durations, slack }: TestScale<L>,
    ) -> Self {
        let half = L::splat(0.5);
        let [a0, a1, a2] = a.components;
        let gap = each!(axis in [0, 1, 2] => gap_between(a, b, axis));
        let displacement = subtract(scale(b.velocity, durations[1]), scale(a.velocity, durations[0]));
        let offset = match KINDS {
            CUBOIDS => {
                let ends = subtract(sum_of_vectors(b.components), sum_of_vectors(a.components));
                Self::shifted::<MOVING>(add(add(gap, gap), ends), displacement)
            }
            MIXED => {
                let centre = each!(i in [0, 1, 2] => L::ZERO - ((a0[i] + a1[i]) + a2[i]));
                let from = Self::shifted::<MOVING>(centre, displacement);
                each!(i in [0, 1, 2] => half.fused(from[i], gap[i]))
            }
            _ if MOVING => {
                each!(i in [0, 1, 2] => half.fused(displacement[i], gap[i]))
            }
            _ => gap,
        };
        let sweep = if KINDS == CUBOIDS { displacement } else { scale(displacement, half) };
        // A parallelepiped A is two units wide; with two parallelepipeds all lengths are taken twice instead.
        let unit = if KINDS == MIXED { 2.0 } else { 1.0 };
        let normals = [cross(a1, a2), cross(a2, a0), cross(a0, a1)];
        let determinant = dot(a0, normals[0]);
        let reciprocal = L::splat(unit) / determinant;
        let rows = each!(i in [0, 1, 2] => scale(normals[i], reciprocal));
        let displacements = if MOVING { total_displacement([of_a, of_b], durations) } else { L::ZERO };
        let lengths = Lengths {
            total: (of_a.edge + of_b.edge) + (sum(magnitudes(gap)) + (displacements + slack)),
            edge: of_b.edge,
            displacement: displacements,
        };
        Self {
            offset: product(rows, offset),
            edges: each!(j in [0, 1, 2] => product(rows, b.components[j])),
            sweep: if MOVING { product(rows, sweep) } else { [L::ZERO; 3] },
            at_rest: largest(magnitudes(displacement)).le(L::ZERO),
            terms: TermBounds::new(of_a.cofactor, determinant, reciprocal, lengths),
        }
    }

    /// A place that motion shifts.
    #[inline(always)]
    fn shifted<const MOVING: bool>(from: Vector<L>, by: Vector<L>) -> Vector<L> {
        if MOVING { add(from, by) } else { from }
    }

    /// A gap without what the sweep covers of it.
    #[inline(always)]
    fn less<const MOVING: bool>(gap: L, sweep: L) -> L {
        if MOVING { gap - sweep.abs() } else { gap }
    }

    /// A half width with what the sweep adds to it.
    #[inline(always)]
    fn more<const MOVING: bool>(half_width: L, sweep: L) -> L {
        if MOVING { half_width + sweep.abs() } else { half_width }
    }

    /// The largest entries, with the norms of the products of edges.
    #[inline(always)]
    pub(super) fn largest_entries<const MOVING: bool>(&self, normal: L, swept: L) -> LargestEntries<L> {
        LargestEntries {
            offset: largest(magnitudes(self.offset)),
            edge: largest(each!(j in [0, 1, 2] => largest(magnitudes(self.edges[j])))),
            sweep: if MOVING { largest(magnitudes(self.sweep)) } else { L::ZERO },
            normal,
            swept,
        }
    }

    #[inline(always)]
    fn verdict<const MOVING: bool>(
        &self,
        gaps: &SpaceGaps<L>,
        apart: &GapBounds<L>,
        overlap: &GapBounds<L>,
    ) -> Verdict {
        let face_a = Class { gap: gaps.face_a, apart: apart.face_a, overlap: overlap.face_a };
        let edges = Class { gap: gaps.edges, apart: apart.edges, overlap: overlap.edges };
        let face_b = Class { gap: gaps.face_b, apart: apart.face_b, overlap: overlap.face_b };
        if !MOVING {
            return verdict([face_a, edges, face_b]);
        }
        let sweep_a = Class { gap: gaps.sweep_a, apart: apart.sweep_a, overlap: overlap.sweep_a };
        let sweep_b = Class { gap: gaps.sweep_b, apart: apart.sweep_b, overlap: overlap.sweep_b };
        verdict([face_a, edges, face_b, sweep_a.unless(self.at_rest), sweep_b.unless(self.at_rest)])
    }

    #[inline(always)]
    fn conclude<const MOVING: bool, const KINDS: u8>(&self, gaps: &SpaceGaps<L>) -> Verdict {
        let entries = self.largest_entries::<MOVING>(gaps.normal, gaps.swept);
        let bounds = self.terms.apart::<MOVING, KINDS>(entries);
        self.verdict::<MOVING>(gaps, &bounds, &bounds)
    }

    #[inline(always)]
    fn conclude_cuboids<const MOVING: bool>(&self, gaps: &SpaceGaps<L>) -> Verdict {
        let entries = self.largest_entries::<MOVING>(gaps.normal, gaps.swept);
        let apart = self.terms.apart::<MOVING, CUBOIDS>(entries);
        let overlap = self.terms.overlap_of_cuboids(entries);
        let Verdict { hit, unsure } = self.verdict::<MOVING>(gaps, &apart, &overlap);
        if unsure == 0 {
            return Verdict { hit, unsure };
        }
        let sharing = unsure & self.cuboids_surely_overlap::<MOVING>(gaps, entries).bits();
        Verdict { hit: hit | sharing, unsure: unsure & !sharing }
    }

    #[inline(always)]
    fn two_cuboids<const MOVING: bool>(&self) -> SpaceGaps<L> {
        let Self { offset, edges, sweep, .. } = *self;
        let normals = face_normals(edges);
        let length = each!(j in [0, 1, 2] => magnitudes(edges[j]));
        let area = each!(q in [0, 1, 2] => magnitudes(normals[q]));
        let swept =
            each!(j in [0, 1, 2] => if MOVING { magnitudes(cross(edges[j], sweep)) } else { [L::ZERO; 3] });
        let volume = dot(normals[0], edges[0]).abs();
        let flux = each!(q in [0, 1, 2] => if MOVING { dot(normals[q], sweep).abs() } else { L::ZERO });

        let face_a = each!(i in [0, 1, 2] => {
            let gap = offset[i].abs() - ((length[0][i] + length[1][i]) + length[2][i]);
            Self::less::<MOVING>(gap, sweep[i])
        });
        let face_b = each!(q in [0, 1, 2] => {
            let gap = dot(normals[q], offset).abs() - (sum(area[q]) + volume);
            Self::less::<MOVING>(gap, flux[q])
        });
        let shrunk = L::splat(1.0) - self.terms.margin::<MOVING>();
        let edge_gaps = each!(j in [0, 1, 2] => {
            let at = cross(offset, edges[j]);
            largest(each!(i in [0, 1, 2] => {
                let of_a = length[j][next(i)] + length[j][after(i)];
                let of_b = area[next(j)][i] + area[after(j)][i];
                Self::less::<MOVING>(at[i].abs() - of_a.fused(shrunk, of_b), swept[j][i])
            }))
        });
        let along = if MOVING { cross(offset, sweep) } else { sweep };
        let sweep_a = each!(i in [0, 1, 2] => {
            let of_a = sweep[next(i)].abs() + sweep[after(i)].abs();
            along[i].abs() - of_a.fused(shrunk, (swept[0][i] + swept[1][i]) + swept[2][i])
        });
        let sweep_b = each!(j in [0, 1, 2] => {
            // offset . (edge x sweep) = edge . (sweep x offset)
            dot(edges[j], along).abs() - (sum(swept[j]) + (flux[next(j)] + flux[after(j)]))
        });
        SpaceGaps {
            face_a: largest(face_a) - L::splat(1.0),
            face_b: largest(face_b),
            edges: largest(edge_gaps),
            sweep_a: largest(sweep_a),
            sweep_b: largest(sweep_b),
            normal: largest(each!(q in [0, 1, 2] => sum(area[q]))),
            swept: largest(each!(j in [0, 1, 2] => sum(swept[j]))),
        }
    }

    /// The gap of B to A along a normal, without the sweep; A is the frame of its kind.
    #[inline(always)]
    fn gap_to_a<const KINDS: u8>(of_b: Projection<L>, normal: Vector<L>) -> L {
        if KINDS == MIXED {
            of_b.gap_to_centred(sum(magnitudes(normal)))
        } else {
            of_b.gap(Projection::of_zero_and_three(normal))
        }
    }

    /// The largest gap of a tetrahedron B along the faces of A.
    #[inline(always)]
    pub(super) fn along_faces_of_a<const MOVING: bool, const KINDS: u8>(&self, body: &Tetrahedron<L>) -> L {
        let Self { offset, edges, sweep, .. } = *self;
        let one = L::splat(1.0);
        if KINDS == MIXED {
            return largest(each!(i in [0, 1, 2] => {
                body.on_axis(i).gap_to_centred(Self::more::<MOVING>(one, sweep[i]))
            }));
        }
        let unit = Projection { lo: L::ZERO, hi: one };
        let slant = Projection::of_zero_and_three(each!(j in [0, 1, 2] => sum(edges[j]))).moved(sum(offset));
        largest_of_four([
            Self::less::<MOVING>(body.on_axis(0).gap(unit), sweep[0]),
            Self::less::<MOVING>(body.on_axis(1).gap(unit), sweep[1]),
            Self::less::<MOVING>(body.on_axis(2).gap(unit), sweep[2]),
            Self::less::<MOVING>(slant.gap(unit), sum(sweep)),
        ])
    }

    /// The gap to a tetrahedron B along the normal of a face.
    #[inline(always)]
    pub(super) fn along_face<const MOVING: bool, const KINDS: u8>(face: TetrahedronFace<L>) -> L {
        let TetrahedronFace { normal, projection, flux } = face;
        Self::less::<MOVING>(Self::gap_to_a::<KINDS>(projection, normal), flux)
    }

    /// The largest gap to a tetrahedron B along the products of its edges with the sweep.
    #[inline(always)]
    pub(super) fn along_edges_and_sweep<const KINDS: u8>(body: &Tetrahedron<L>) -> L {
        let projections = body.projections_with_sweep();
        largest_of_six(each!(e in [0, 1, 2, 3, 4, 5] => {
            Self::gap_to_a::<KINDS>(projections[e], body.six_swept[e])
        }))
    }

    #[inline(always)]
    fn cuboid_and_tetrahedron<const MOVING: bool>(&self) -> SpaceGaps<L> {
        let sweep = self.sweep;
        let body = Tetrahedron::new::<MOVING>(self);
        let edge_gaps = each!(i in [0, 1, 2] => {
            let products = body.products_with_axis(i);
            let [k, l] = [next(i), after(i)];
            largest_of_six(each!(e in [0, 1, 2, 3, 4, 5] => {
                let half_width = body.six_edges[e][k].abs() + body.six_edges[e][l].abs();
                products.projections[e].gap_to_centred(Self::more::<MOVING>(half_width, products.swept[e]))
            }))
        });
        let sweep_a = if MOVING {
            largest(each!(i in [0, 1, 2] => {
                Projection::of_zero_and_three(body.swept_edges_on(i))
                    .moved(body.offset_swept[i])
                    .gap_to_centred(sweep[next(i)].abs() + sweep[after(i)].abs())
            }))
        } else {
            L::ZERO
        };
        self.with_tetrahedron::<MOVING, MIXED>(&body, largest(edge_gaps), sweep_a)
    }

    #[inline(always)]
    fn two_tetrahedra<const MOVING: bool>(&self) -> SpaceGaps<L> {
        let sweep = self.sweep;
        let body = Tetrahedron::new::<MOVING>(self);
        let products = each!(i in [0, 1, 2] => body.products_with_axis(i));
        let edge_gaps = each!(i in [0, 1, 2] => {
            let [k, l] = [next(i), after(i)];
            let (straight, slanted) = (&products[i], products[l].minus(&products[k]));
            largest_of_six(each!(e in [0, 1, 2, 3, 4, 5] => {
                let u = body.six_edges[e];
                let of_axis = Projection::of_zero_and(u[l], L::ZERO - u[k]);
                let of_slant = Projection::of_zero_and(L::ZERO - u[i], u[k] + u[l]);
                let straight_gap = Self::less::<MOVING>(straight.projections[e].gap(of_axis), straight.swept[e]);
                straight_gap.max(Self::less::<MOVING>(slanted.projections[e].gap(of_slant), slanted.swept[e]))
            }))
        });
        let sweep_a = if MOVING {
            largest(each!(i in [0, 1, 2] => {
                let [k, l] = [next(i), after(i)];
                let straight =
                    Projection::of_zero_and_three(body.swept_edges_on(i)).moved(body.offset_swept[i]);
                let edges = subtract(body.swept_edges_on(l), body.swept_edges_on(k));
                let slanted = Projection::of_zero_and_three(edges)
                    .moved(body.offset_swept[l] - body.offset_swept[k]);
                let straight_gap = straight.gap(Projection::of_zero_and(sweep[l], L::ZERO - sweep[k]));
                straight_gap.max(slanted.gap(Projection::of_zero_and(L::ZERO - sweep[i], sweep[k] + sweep[l])))
            }))
        } else {
            L::ZERO
        };
        self.with_tetrahedron::<MOVING, TETRAHEDRA>(&body, largest(edge_gaps), sweep_a)
    }

    /// All gaps to a tetrahedron B, from those along products with edges of A.
    #[inline(always)]
    fn with_tetrahedron<const MOVING: bool, const KINDS: u8>(
        &self,
        body: &Tetrahedron<L>,
        edges: L,
        sweep_a: L,
    ) -> SpaceGaps<L> {
        let faces = body.faces();
        let face_b = largest_of_four(each!(f in [0, 1, 2, 3] => Self::along_face::<MOVING, KINDS>(faces[f])));
        let sweep_b = if MOVING { Self::along_edges_and_sweep::<KINDS>(body) } else { L::ZERO };
        let face_a = self.along_faces_of_a::<MOVING, KINDS>(body);
        let swept = if MOVING { body.swept_norm() } else { L::ZERO };
        SpaceGaps { face_a, face_b, edges, sweep_a, sweep_b, normal: body.normals_norm(), swept }
    }
}
