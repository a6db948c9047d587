//! Parallelepipeds and tetrahedra.
//!
//! Indices are modulo 3 throughout: `i` is followed by `next(i)` and `after(i)`.

use super::rounding::{Class, LargestEntries, Lengths, Precision, TermBounds, verdict};
use super::tetrahedron::{Tetrahedron, TetrahedronFace};
use super::vector::{
    Vector, add, after, cross, dot, face_normals, largest, largest_of_four, largest_of_six, magnitudes, next,
    norm, product, scale, subtract, sum, sum_of_vectors,
};
use super::{CUBOIDS, MIXED, Projection, SizedFrame, TestScale, Verdict, gap_between, total_displacement};
use crate::soa::block::{Lanes, each};

#[inline(always)]
pub(super) fn decide<L: Lanes<Number: Precision>, const MOVING: bool, const KINDS: u8>(
    a: SizedFrame<L, 3>,
    b: SizedFrame<L, 3>,
    test: TestScale<L>,
) -> Verdict {
    let pair = SpacePair::new::<MOVING, KINDS>(a, b, test);
    let gaps = match KINDS {
        CUBOIDS => pair.two_cuboids::<MOVING>(),
        MIXED => pair.cuboid_and_tetrahedron::<MOVING>(),
        _ => pair.two_tetrahedra::<MOVING>(),
    };
    pair.conclude::<MOVING, KINDS>(gaps)
}

/// The largest gap in each class of directions.
#[derive(Clone, Copy)]
struct SpaceGaps<L> {
    /// Faces of A.
    face_a: L,
    /// Faces of B.
    face_b: L,
    /// An edge of A and an edge of B.
    edges: L,
    /// An edge of A and the sweep.
    sweep_a: L,
    /// An edge of B and the sweep.
    sweep_b: L,
    /// Norm of the normals of the faces of B, for the rounding bound of `face_b`.
    normal: L,
    /// Norm of the edges of B x sweep, for the rounding bound of `sweep_b`.
    swept: L,
}

impl<L: Lanes> SpaceGaps<L> {
    /// The gaps to a tetrahedron B; `sweep_gaps` are those of the edges of A and of B with the sweep, if there is motion.
    #[inline(always)]
    fn with_tetrahedron(
        body: &Tetrahedron<L>,
        face_a: L,
        face_b: [L; 4],
        edges: Vector<L>,
        sweep_gaps: Option<(Vector<L>, [L; 6])>,
    ) -> Self {
        let [sweep_a, sweep_b, swept] = match sweep_gaps {
            Some((of_a, of_b)) => {
                let swept = norm(each!(j in [0, 1, 2] => body.six_swept[j]));
                [largest(of_a), largest_of_six(of_b), swept]
            }
            None => [L::ZERO; 3],
        };
        let (face_b, edges, normal) = (largest_of_four(face_b), largest(edges), norm(body.normals));
        Self { face_a, face_b, edges, sweep_a, sweep_b, normal, swept }
    }
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
    at_rest: L,
    terms: TermBounds<L>,
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

    #[inline(always)]
    fn conclude<const MOVING: bool, const KINDS: u8>(&self, gaps: SpaceGaps<L>) -> Verdict {
        let sweep = if MOVING { largest(magnitudes(self.sweep)) } else { L::ZERO };
        let edge = largest(each!(j in [0, 1, 2] => largest(magnitudes(self.edges[j]))));
        let entries = LargestEntries {
            offset: largest(magnitudes(self.offset)),
            edge,
            sweep,
            normal: gaps.normal,
            swept: gaps.swept,
        };
        let bounds = self.terms.bounds::<KINDS>(entries);
        let face_a = Class { gap: gaps.face_a, bound: bounds.face_a };
        let edges = Class { gap: gaps.edges, bound: bounds.edges };
        let face_b = Class { gap: gaps.face_b, bound: bounds.face_b };
        if MOVING {
            let sweep_a = Class { gap: gaps.sweep_a, bound: bounds.sweep_a }.unless(self.at_rest);
            let sweep_b = Class { gap: gaps.sweep_b, bound: bounds.sweep_b }.unless(self.at_rest);
            verdict([face_a, edges, face_b, sweep_a, sweep_b])
        } else {
            verdict([face_a, edges, face_b])
        }
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
        let edge_gaps = each!(j in [0, 1, 2] => {
            let at = cross(offset, edges[j]);
            largest(each!(i in [0, 1, 2] => {
                let of_a = length[j][next(i)] + length[j][after(i)];
                let of_b = area[next(j)][i] + area[after(j)][i];
                Self::less::<MOVING>(at[i].abs() - (of_a + of_b), swept[j][i])
            }))
        });
        let along = if MOVING { cross(offset, sweep) } else { sweep };
        let sweep_a = each!(i in [0, 1, 2] => {
            let of_a = sweep[next(i)].abs() + sweep[after(i)].abs();
            along[i].abs() - (of_a + ((swept[0][i] + swept[1][i]) + swept[2][i]))
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

    #[inline(always)]
    fn cuboid_and_tetrahedron<const MOVING: bool>(&self) -> SpaceGaps<L> {
        let sweep = self.sweep;
        let body = Tetrahedron::new::<MOVING>(self);
        let faces = body.faces();
        let one = L::splat(1.0);

        let face_a =
            each!(i in [0, 1, 2] => body.on_axis(i).gap_to_centred(Self::more::<MOVING>(one, sweep[i])));
        let face_b = each!(f in [0, 1, 2, 3] => {
            let TetrahedronFace { normal, projection, flux } = faces[f];
            projection.gap_to_centred(Self::more::<MOVING>(sum(magnitudes(normal)), flux))
        });
        let edge_gaps = each!(i in [0, 1, 2] => {
            let products = body.products_with_axis(i);
            let [k, l] = [next(i), after(i)];
            largest_of_six(each!(e in [0, 1, 2, 3, 4, 5] => {
                let half_width = body.six_edges[e][k].abs() + body.six_edges[e][l].abs();
                products.projections[e].gap_to_centred(Self::more::<MOVING>(half_width, products.swept[e]))
            }))
        });
        let sweep_gaps = if MOVING {
            let of_a = each!(i in [0, 1, 2] => {
                Projection::of_zero_and_three(body.swept_edges_on(i))
                    .moved(body.offset_swept[i])
                    .gap_to_centred(sweep[next(i)].abs() + sweep[after(i)].abs())
            });
            let projections = body.projections_with_sweep();
            let of_b = each!(e in [0, 1, 2, 3, 4, 5] => {
                projections[e].gap_to_centred(sum(magnitudes(body.six_swept[e])))
            });
            Some((of_a, of_b))
        } else {
            None
        };
        SpaceGaps::with_tetrahedron(&body, largest(face_a), face_b, edge_gaps, sweep_gaps)
    }

    #[inline(always)]
    fn two_tetrahedra<const MOVING: bool>(&self) -> SpaceGaps<L> {
        let Self { offset, sweep, .. } = *self;
        let body = Tetrahedron::new::<MOVING>(self);
        let faces = body.faces();
        let unit = Projection { lo: L::ZERO, hi: L::splat(1.0) };

        let slant =
            Projection::of_zero_and_three(each!(j in [0, 1, 2] => sum(self.edges[j]))).moved(sum(offset));
        let face_a = [
            Self::less::<MOVING>(body.on_axis(0).gap(unit), sweep[0]),
            Self::less::<MOVING>(body.on_axis(1).gap(unit), sweep[1]),
            Self::less::<MOVING>(body.on_axis(2).gap(unit), sweep[2]),
            Self::less::<MOVING>(slant.gap(unit), sum(sweep)),
        ];
        let face_b = each!(f in [0, 1, 2, 3] => {
            let TetrahedronFace { normal, projection, flux } = faces[f];
            Self::less::<MOVING>(projection.gap(Projection::of_zero_and_three(normal)), flux)
        });
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
        let sweep_gaps = if MOVING {
            let of_a = each!(i in [0, 1, 2] => {
                let [k, l] = [next(i), after(i)];
                let straight =
                    Projection::of_zero_and_three(body.swept_edges_on(i)).moved(body.offset_swept[i]);
                let edges = subtract(body.swept_edges_on(l), body.swept_edges_on(k));
                let slanted = Projection::of_zero_and_three(edges)
                    .moved(body.offset_swept[l] - body.offset_swept[k]);
                let straight_gap = straight.gap(Projection::of_zero_and(sweep[l], L::ZERO - sweep[k]));
                straight_gap.max(slanted.gap(Projection::of_zero_and(L::ZERO - sweep[i], sweep[k] + sweep[l])))
            });
            let projections = body.projections_with_sweep();
            let of_b = each!(e in [0, 1, 2, 3, 4, 5] => {
                projections[e].gap(Projection::of_zero_and_three(body.six_swept[e]))
            });
            Some((of_a, of_b))
        } else {
            None
        };
        SpaceGaps::with_tetrahedron(&body, largest_of_four(face_a), face_b, edge_gaps, sweep_gaps)
    }
}
