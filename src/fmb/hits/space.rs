//! Parallelepipeds and tetrahedra.
//!
//! Indices are taken modulo 3 throughout: `i` and `q` have the successors `next(i)` and `after(i)`.

use super::rounding::{Class, Extent, Lengths, Magnitudes, Precision, verdict};
use super::{CUBOIDS, Common, MIXED, Side, Span, Verdict, gap_between, minor, total_way};
use crate::soa::block::Lanes;
use crate::soa::lanes::each;

type Vector<L> = [L; 3];

#[inline(always)]
pub(super) fn decide<L: Precision, const MOVING: bool, const KINDS: u8>(
    a: Side<L, 3>,
    b: Side<L, 3>,
    common: Common<L>,
) -> Verdict {
    let pair = Pair::new::<MOVING, KINDS>(a, b, common);
    let gaps = match KINDS {
        CUBOIDS => pair.two_cuboids::<MOVING>(),
        MIXED => pair.cuboid_and_tetrahedron::<MOVING>(),
        _ => pair.two_tetrahedra::<MOVING>(),
    };
    pair.conclude::<MOVING, KINDS>(gaps)
}

/// The largest gap in each class of directions.
#[derive(Clone, Copy)]
struct Gaps<L> {
    /// Faces of A.
    face_a: L,
    /// Faces of B.
    face_b: L,
    /// An edge of A and an edge of B.
    edges: L,
    /// An edge of A and the way.
    way_a: L,
    /// An edge of B and the way.
    way_b: L,
    /// Norm of the normals of the faces of B, as its rounding bound takes it.
    normal: L,
    /// Norm of the edges of B x way, likewise.
    swept: L,
}

/// B in the coordinates of A, in which a parallelepiped A is [-1, 1]^3 and a tetrahedron A has the corners 0, e0, e1, e2.
struct Pair<L> {
    /// The centre of a parallelepiped B, the origin of a tetrahedron B, at mid-time.
    offset: Vector<L>,
    /// Half edges of a parallelepiped B, edges of a tetrahedron B.
    edges: [Vector<L>; 3],
    /// Half the relative way.
    way: Vector<L>,
    /// Set where the frames do not move relative to each other.
    rests: L,
    magnitudes: Magnitudes<L>,
}

impl<L: Precision> Pair<L> {
    #[inline(always)]
    fn new<const MOVING: bool, const KINDS: u8>(
        (a, of_a): Side<L, 3>,
        (b, of_b): Side<L, 3>,
        Common { durations, slack }: Common<L>,
    ) -> Self {
        let half = L::splat(0.5);
        let [a0, a1, a2] = a.components;
        let gap = each!(axis in [0, 1, 2] => gap_between(a, b, axis));
        let motion = subtract(scale(b.way, durations[1]), scale(a.way, durations[0]));
        let shift = |from: Vector<L>| if MOVING { add(from, motion) } else { from };
        let sum_of = |[u, v, w]: [Vector<L>; 3]| add(add(u, v), w);
        let offset = match KINDS {
            CUBOIDS => shift(add(add(gap, gap), subtract(sum_of(b.components), sum_of(a.components)))),
            MIXED => {
                let from = shift(each!(i in [0, 1, 2] => L::ZERO - ((a0[i] + a1[i]) + a2[i])));
                each!(i in [0, 1, 2] => half.fused(from[i], gap[i]))
            }
            _ if MOVING => {
                each!(i in [0, 1, 2] => half.fused(motion[i], gap[i]))
            }
            _ => gap,
        };
        let way = if KINDS == CUBOIDS { motion } else { scale(motion, half) };
        // A parallelepiped A is two units wide; with two of them everything is taken twice instead.
        let unit = if KINDS == MIXED { 2.0 } else { 1.0 };
        let normals = [cross(a1, a2), cross(a2, a0), cross(a0, a1)];
        let determinant = dot(a0, normals[0]);
        let reciprocal = L::splat(unit) / determinant;
        let rows = each!(i in [0, 1, 2] => scale(normals[i], reciprocal));
        let ways = if MOVING { total_way([of_a, of_b], durations) } else { L::ZERO };
        let lengths = Lengths {
            reach: (of_a.edge + of_b.edge) + (sum(magnitudes(gap)) + (ways + slack)),
            edge: of_b.edge,
            way: ways,
        };
        Self {
            offset: product(rows, offset),
            edges: each!(j in [0, 1, 2] => product(rows, b.components[j])),
            way: if MOVING { product(rows, way) } else { [L::ZERO; 3] },
            rests: largest(magnitudes(motion)).le(L::ZERO),
            magnitudes: Magnitudes::new(of_a.cofactor, determinant, reciprocal, lengths),
        }
    }

    #[inline(always)]
    fn conclude<const MOVING: bool, const KINDS: u8>(&self, gaps: Gaps<L>) -> Verdict {
        let way = if MOVING { largest(magnitudes(self.way)) } else { L::ZERO };
        let edge = largest(each!(j in [0, 1, 2] => largest(magnitudes(self.edges[j]))));
        let extent = Extent {
            offset: largest(magnitudes(self.offset)),
            edge,
            way,
            normal: gaps.normal,
            swept: gaps.swept,
        };
        let bounds = self.magnitudes.bounds::<KINDS>(extent);
        let face_a = Class { gap: gaps.face_a, bound: bounds.face_a };
        let edges = Class { gap: gaps.edges, bound: bounds.edges };
        let face_b = Class { gap: gaps.face_b, bound: bounds.face_b };
        if MOVING {
            let way_a = Class { gap: gaps.way_a, bound: bounds.way_a }.unless(self.rests);
            let way_b = Class { gap: gaps.way_b, bound: bounds.way_b }.unless(self.rests);
            verdict([face_a, edges, face_b, way_a, way_b])
        } else {
            verdict([face_a, edges, face_b])
        }
    }

    #[inline(always)]
    fn two_cuboids<const MOVING: bool>(&self) -> Gaps<L> {
        let Self { offset, edges, way, .. } = *self;
        let normals = face_normals(edges);
        let length = each!(j in [0, 1, 2] => magnitudes(edges[j]));
        let area = each!(q in [0, 1, 2] => magnitudes(normals[q]));
        let swept =
            each!(j in [0, 1, 2] => if MOVING { magnitudes(cross(edges[j], way)) } else { [L::ZERO; 3] });
        let volume = dot(normals[0], edges[0]).abs();
        let flux = each!(q in [0, 1, 2] => if MOVING { dot(normals[q], way).abs() } else { L::ZERO });
        let less = |gap: L, by: L| if MOVING { gap - by } else { gap };

        let face_a = each!(i in [0, 1, 2] => {
            let gap = offset[i].abs() - ((length[0][i] + length[1][i]) + length[2][i]);
            less(gap, way[i].abs())
        });
        let face_b = each!(q in [0, 1, 2] => {
            let gap = dot(normals[q], offset).abs() - (sum(area[q]) + volume);
            less(gap, flux[q])
        });
        let edge_gaps = each!(j in [0, 1, 2] => {
            let at = cross(offset, edges[j]);
            largest(each!(i in [0, 1, 2] => {
                let of_a = length[j][next(i)] + length[j][after(i)];
                let of_b = area[next(j)][i] + area[after(j)][i];
                less(at[i].abs() - (of_a + of_b), swept[j][i])
            }))
        });
        let along = if MOVING { cross(offset, way) } else { way };
        let way_a = each!(i in [0, 1, 2] => {
            let of_a = way[next(i)].abs() + way[after(i)].abs();
            along[i].abs() - (of_a + ((swept[0][i] + swept[1][i]) + swept[2][i]))
        });
        let way_b = each!(j in [0, 1, 2] => {
            // offset . (edge x way) = edge . (way x offset)
            dot(edges[j], along).abs() - (sum(swept[j]) + (flux[next(j)] + flux[after(j)]))
        });
        Gaps {
            face_a: largest(face_a) - L::splat(1.0),
            face_b: largest(face_b),
            edges: largest(edge_gaps),
            way_a: largest(way_a),
            way_b: largest(way_b),
            normal: largest(each!(q in [0, 1, 2] => sum(area[q]))),
            swept: largest(each!(j in [0, 1, 2] => sum(swept[j]))),
        }
    }

    #[inline(always)]
    fn cuboid_and_tetrahedron<const MOVING: bool>(&self) -> Gaps<L> {
        let Self { offset, way, .. } = *self;
        let body = Simplex::new::<MOVING>(self);
        let faces = body.faces();
        let more = |reach: L, by: L| if MOVING { reach + by.abs() } else { reach };
        let one = L::splat(1.0);

        let face_a = each!(i in [0, 1, 2] => body.along(i).gap_to_centred(more(one, way[i])));
        let face_b = each!(f in [0, 1, 2, 3] => faces[f].span.gap_to_centred(more(sum(magnitudes(faces[f].normal)), faces[f].flux)));
        let edge_gaps = each!(i in [0, 1, 2] => {
            let row = body.row(i);
            let [k, l] = [next(i), after(i)];
            largest_of_six(each!(e in [0, 1, 2, 3, 4, 5] => {
                let reach = body.six_edges[e][k].abs() + body.six_edges[e][l].abs();
                row.spans[e].gap_to_centred(more(reach, row.swept[e]))
            }))
        });
        let (way_a, way_b) = if MOVING {
            let of_a = each!(i in [0, 1, 2] => {
                body.along_way(body.swept_row(i), body.along[i])
                    .gap_to_centred(way[next(i)].abs() + way[after(i)].abs())
            });
            let spans = body.spans_with_way(offset);
            let of_b =
                each!(e in [0, 1, 2, 3, 4, 5] => spans[e].gap_to_centred(sum(magnitudes(body.six_swept[e]))));
            (largest(of_a), largest_of_six(of_b))
        } else {
            (L::ZERO, L::ZERO)
        };
        Gaps {
            face_a: largest(face_a),
            face_b: largest_of_four(face_b),
            edges: largest(edge_gaps),
            way_a,
            way_b,
            normal: norm(body.normals),
            swept: if MOVING { norm(each!(j in [0, 1, 2] => body.six_swept[j])) } else { L::ZERO },
        }
    }

    #[inline(always)]
    fn two_tetrahedra<const MOVING: bool>(&self) -> Gaps<L> {
        let Self { offset, way, .. } = *self;
        let body = Simplex::new::<MOVING>(self);
        let faces = body.faces();
        let less = |gap: L, by: L| if MOVING { gap - by.abs() } else { gap };
        let unit = Span { lo: L::ZERO, hi: L::splat(1.0) };

        let slant = Span::of_zero_and_three(each!(j in [0, 1, 2] => sum(self.edges[j]))).moved(sum(offset));
        let face_a = [
            less(body.along(0).gap(unit), way[0]),
            less(body.along(1).gap(unit), way[1]),
            less(body.along(2).gap(unit), way[2]),
            less(slant.gap(unit), sum(way)),
        ];
        let face_b = each!(f in [0, 1, 2, 3] => less(faces[f].span.gap(Span::of_zero_and_three(faces[f].normal)), faces[f].flux));
        let rows = each!(i in [0, 1, 2] => body.row(i));
        let edge_gaps = each!(i in [0, 1, 2] => {
            let [k, l] = [next(i), after(i)];
            let slanted = rows[l].minus(&rows[k]);
            largest_of_six(each!(e in [0, 1, 2, 3, 4, 5] => {
                let u = body.six_edges[e];
                let straight = rows[i].spans[e].gap(Span::of_zero_and(u[l], L::ZERO - u[k]));
                let slanted_gap = slanted.spans[e].gap(Span::of_zero_and(L::ZERO - u[i], u[k] + u[l]));
                (less(straight, rows[i].swept[e])).max(less(slanted_gap, slanted.swept[e]))
            }))
        });
        let (way_a, way_b) = if MOVING {
            let of_a = each!(i in [0, 1, 2] => {
                let [k, l] = [next(i), after(i)];
                let straight = body.along_way(body.swept_row(i), body.along[i]);
                let slanted = body
                    .along_way(subtract(body.swept_row(l), body.swept_row(k)), body.along[l] - body.along[k]);
                (straight.gap(Span::of_zero_and(way[l], L::ZERO - way[k]))).max(slanted.gap(Span::of_zero_and(L::ZERO - way[i], way[k] + way[l])))
            });
            let spans = body.spans_with_way(offset);
            let of_b =
                each!(e in [0, 1, 2, 3, 4, 5] => spans[e].gap(Span::of_zero_and_three(body.six_swept[e])));
            (largest(of_a), largest_of_six(of_b))
        } else {
            (L::ZERO, L::ZERO)
        };
        Gaps {
            face_a: largest_of_four(face_a),
            face_b: largest_of_four(face_b),
            edges: largest(edge_gaps),
            way_a,
            way_b,
            normal: norm(body.normals),
            swept: if MOVING { norm(each!(j in [0, 1, 2] => body.six_swept[j])) } else { L::ZERO },
        }
    }
}

/// A tetrahedron B with what its directions share. Its six edges are the three from the origin, then the edge from the
/// end of `next(q)` to the end of `after(q)` for q = 0, 1, 2.
struct Simplex<L> {
    offset: Vector<L>,
    edges: [Vector<L>; 3],
    /// `normals[q]` = edge next(q) x edge after(q).
    normals: [Vector<L>; 3],
    volume: L,
    /// offset x edge
    moments: [Vector<L>; 3],
    six_edges: [Vector<L>; 6],
    /// The six edges x way.
    six_swept: [Vector<L>; 6],
    /// offset x way
    along: Vector<L>,
    /// normals . way
    flux: Vector<L>,
}

/// A face of a tetrahedron B.
struct Face<L> {
    normal: Vector<L>,
    /// What B covers along the normal.
    span: Span<L>,
    /// Half of how far B moves along the normal.
    flux: L,
}

/// What a tetrahedron B covers along the directions made of one edge of A and each of its own.
struct Row<L> {
    moments: Vector<L>,
    normals: Vector<L>,
    spans: [Span<L>; 6],
    swept: [L; 6],
}

impl<L: Lanes> Row<L> {
    #[inline(always)]
    fn new(moments: Vector<L>, normals: Vector<L>, swept: [L; 6]) -> Self {
        Self { moments, normals, spans: edge_spans(moments, normals), swept }
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Self::new(
            subtract(self.moments, other.moments),
            subtract(self.normals, other.normals),
            each!(e in [0, 1, 2, 3, 4, 5] => self.swept[e] - other.swept[e]),
        )
    }
}

impl<L: Lanes> Simplex<L> {
    #[inline(always)]
    fn new<const MOVING: bool>(pair: &Pair<L>) -> Self {
        let Pair { offset, edges, way, .. } = *pair;
        let normals = face_normals(edges);
        let zero = [L::ZERO; 3];
        Self {
            offset,
            edges,
            normals,
            volume: dot(normals[0], edges[0]),
            moments: each!(j in [0, 1, 2] => cross(offset, edges[j])),
            six_edges: six(edges),
            six_swept: if MOVING { six(each!(j in [0, 1, 2] => cross(edges[j], way))) } else { [zero; 6] },
            along: if MOVING { cross(offset, way) } else { zero },
            flux: if MOVING { each!(q in [0, 1, 2] => dot(normals[q], way)) } else { zero },
        }
    }

    /// What B covers along axis i of A.
    #[inline(always)]
    fn along(&self, i: usize) -> Span<L> {
        Span::of_zero_and_three(each!(j in [0, 1, 2] => self.edges[j][i])).moved(self.offset[i])
    }

    #[inline(always)]
    fn faces(&self) -> [Face<L>; 4] {
        let at = each!(q in [0, 1, 2] => dot(self.normals[q], self.offset));
        let span = |at: L| Span { lo: at + self.volume.min(L::ZERO), hi: at + self.volume.max(L::ZERO) };
        let face = |q: usize| Face { normal: self.normals[q], span: span(at[q]), flux: self.flux[q] };
        let slant = add(add(self.normals[0], self.normals[1]), self.normals[2]);
        [face(0), face(1), face(2), Face { normal: slant, span: span(sum(at)), flux: sum(self.flux) }]
    }

    /// The directions made of axis i of A and the edges of B.
    #[inline(always)]
    fn row(&self, i: usize) -> Row<L> {
        Row::new(
            each!(j in [0, 1, 2] => self.moments[j][i]),
            each!(q in [0, 1, 2] => self.normals[q][i]),
            each!(e in [0, 1, 2, 3, 4, 5] => self.six_swept[e][i]),
        )
    }

    /// (edge x way) on axis i, for the three edges from the origin.
    #[inline(always)]
    fn swept_row(&self, i: usize) -> Vector<L> {
        each!(j in [0, 1, 2] => self.six_swept[j][i])
    }

    /// What B covers along the direction made of the way and an edge of A.
    #[inline(always)]
    fn along_way(&self, swept: Vector<L>, at: L) -> Span<L> {
        Span::of_zero_and_three(swept).moved(at)
    }

    /// What B covers along the directions made of the way and its own edges.
    #[inline(always)]
    fn spans_with_way(&self, offset: Vector<L>) -> [Span<L>; 6] {
        let at = each!(j in [0, 1, 2] => dot(self.six_swept[j], offset));
        edge_spans(at, self.flux)
    }
}

/// What a tetrahedron covers along the directions of its six edges with some other direction: `at[j]` is where its
/// origin lies along the direction of edge j, `faces[q]` the same product of its edges next(q) and after(q).
#[inline(always)]
fn edge_spans<L: Lanes>(at: Vector<L>, faces: Vector<L>) -> [Span<L>; 6] {
    let negated = each!(q in [0, 1, 2] => L::ZERO - faces[q]);
    each!(e in [0, 1, 2, 3, 4, 5] => {
        if e < 3 {
            let j = e;
            Span::of_zero_and(negated[after(j)], faces[next(j)]).moved(at[j])
        } else {
            let q = e - 3;
            let third = negated[next(q)] + negated[after(q)];
            Span::of_zero_and(faces[q], third).moved(at[after(q)] - at[next(q)])
        }
    })
}

/// Three vectors from the origin and the differences between their ends.
#[inline(always)]
fn six<L: Lanes>(v: [Vector<L>; 3]) -> [Vector<L>; 6] {
    [v[0], v[1], v[2], subtract(v[2], v[1]), subtract(v[0], v[2]), subtract(v[1], v[0])]
}

#[inline(always)]
fn face_normals<L: Lanes>(edges: [Vector<L>; 3]) -> [Vector<L>; 3] {
    [cross(edges[1], edges[2]), cross(edges[2], edges[0]), cross(edges[0], edges[1])]
}

impl<L: Lanes> Span<L> {
    /// The span of 0 and three more values.
    #[inline(always)]
    fn of_zero_and_three([a, b, c]: Vector<L>) -> Self {
        let Self { lo, hi } = Self::of_zero_and(a, b);
        Self { lo: lo.min(c), hi: hi.max(c) }
    }
}

#[inline(always)]
const fn next(i: usize) -> usize {
    (i + 1) % 3
}

#[inline(always)]
const fn after(i: usize) -> usize {
    (i + 2) % 3
}

#[inline(always)]
fn add<L: Lanes>(a: Vector<L>, b: Vector<L>) -> Vector<L> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn subtract<L: Lanes>(a: Vector<L>, b: Vector<L>) -> Vector<L> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn scale<L: Lanes>(v: Vector<L>, by: L) -> Vector<L> {
    [v[0] * by, v[1] * by, v[2] * by]
}

/// A matrix, as rows, times a vector.
#[inline(always)]
fn product<L: Lanes>(rows: [Vector<L>; 3], v: Vector<L>) -> Vector<L> {
    [dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)]
}

#[inline(always)]
fn dot<L: Lanes>(a: Vector<L>, b: Vector<L>) -> L {
    a[2].fused(b[2], a[1].fused(b[1], a[0] * b[0]))
}

#[inline(always)]
fn cross<L: Lanes>(a: Vector<L>, b: Vector<L>) -> Vector<L> {
    [minor(a[1], b[2], a[2], b[1]), minor(a[2], b[0], a[0], b[2]), minor(a[0], b[1], a[1], b[0])]
}

#[inline(always)]
fn magnitudes<L: Lanes>(v: Vector<L>) -> Vector<L> {
    each!(i in [0, 1, 2] => v[i].abs())
}

/// The sum of the magnitudes of all entries.
#[inline(always)]
fn norm<L: Lanes>(vectors: [Vector<L>; 3]) -> L {
    sum(each!(j in [0, 1, 2] => sum(magnitudes(vectors[j]))))
}

#[inline(always)]
fn sum<L: Lanes>([a, b, c]: Vector<L>) -> L {
    (a + b) + c
}

#[inline(always)]
fn largest<L: Lanes>([a, b, c]: Vector<L>) -> L {
    (a.max(b)).max(c)
}

#[inline(always)]
fn largest_of_four<L: Lanes>([a, b, c, d]: [L; 4]) -> L {
    (a.max(b)).max(c.max(d))
}

#[inline(always)]
fn largest_of_six<L: Lanes>([a, b, c, d, e, f]: [L; 6]) -> L {
    (largest([a, b, c])).max(largest([d, e, f]))
}
