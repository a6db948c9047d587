//! How far rounding may have moved a condition.
//!
//! # In space
//!
//! With u the relative error of one rounding (which also bounds that of the numbers of a frame in single precision) and
//! norms that are sums of magnitudes:
//!
//! | | is | error at most |
//! |---|---|---|
//! | n | cofactor of A, `|n| <= cofactor` | 4 u cofactor |
//! | r | entry of A^-1, `|r| <= P` = cofactor / |det| | 5 u P, the error of det counted as one of A's unit edges: 8 u F |
//! | d | offset of the frames, `|d| <= 3 R` | 15 u R |
//! | o | entry of A^-1 d | 39 u F with F = P R |
//! | M | entry of A^-1 B, `|M| <= m <= E` | 9 u E with E = P (size of B) |
//! | W | entry of A^-1 (half the relative displacement), `|W| <= w` | 12 u V with V = P (displacements of A and of B) |
//! | N | entry of a normal M x M | 42 u E m |
//! | Q | entry of M x W | 24 u (E w + V m) |
//!
//! R is the sum of the sizes of A and B, the distance of their origins and the displacements of both. A common factor of o,
//! M and W changes no condition of faces, and acts like an error of A's unit edges on the others. The bounds then follow
//! by the rules for sums and products, with S = 1 + o + m + w and the norms |N| and |Q|. If one of the frames is a
//! tetrahedron, these are sums over all faces and edges, because some of its edges and normals are sums of two or three
//! and so are their errors.
//!
//! | direction | two cuboids, in u | with a tetrahedron |
//! |---|---|---|
//! | face of A | 134 F | 250 F |
//! | edge of A and edge of B | 118 F m + 114 E S | four times that |
//! | face of B | 68 F N + 174 E m S | 68 F N + 522 E m S |
//! | edge of A and sweep | 148 F w + 120 V S | twice that |
//! | edge of B and sweep | 60 F Q + 252 (E w + V m) S | 60 F Q + 756 (E w + V m) S |
//!
//! These certify misses, and hits with a tetrahedron. Hits of two cuboids, and of frames that share directions, need less where
//! edges are short and stand on another argument, with constants of its own (docs/methods/fmb-hits.md).
//!
//! # In the plane
//!
//! All conditions are sums of products of two vectors. With R as above, of the frames at the scale at which they are taken,
//! and n the sum of the norms of the edges of A, of B, or of both displacements:
//!
//! | | is | error at most |
//! |---|---|---|
//! | edge | `|x| <= n` | 1 u n |
//! | sweep | `|x| <=` both displacements | 4 u (both displacements) |
//! | offset | at most 2 R | 14 u R |
//! | product | of an offset and an edge, or the difference of two | 22 u R n |
//! | product | of the sweep and an offset | 26 u R n |
//! | condition | middle, half width and their difference | 41 u R n |

use super::{CUBOIDS, Verdict};
use crate::soa::block::{Lanes, Real};

/// The range in which the rounding bounds hold: nothing that matters underflows or overflows.
pub(crate) trait Precision: Real {
    /// Smallest and largest determinant of A.
    const DETERMINANTS: [f64; 2];
    /// Smallest cofactor of A and size of B, in square metres and metres.
    const SMALLEST_SIZE: f64;
    /// Largest R, in metres, and F.
    const LARGEST_SIZE: f64;
    /// What underflow may add to a condition.
    const UNDERFLOW: f64;
    /// Entries of directions below this, but for 0, are too small for exact directions.
    const FAINT: f64;
}

impl Precision for f64 {
    const DETERMINANTS: [f64; 2] = [1e-280, 1e280];
    const SMALLEST_SIZE: f64 = 1e-250;
    const LARGEST_SIZE: f64 = 1e40;
    const UNDERFLOW: f64 = 1e-280;
    const FAINT: f64 = 1e-270;
}

impl Precision for f32 {
    const DETERMINANTS: [f64; 2] = [1e-30, 1e30];
    const SMALLEST_SIZE: f64 = 1e-22;
    const LARGEST_SIZE: f64 = 1e12;
    const UNDERFLOW: f64 = 1e-30;
    const FAINT: f64 = 1e-28;
}

/// Upper bounds of the terms of the conditions, in units of A, as the table above names them.
#[derive(Clone, Copy)]
pub(super) struct TermBounds<L> {
    /// F.
    face: L,
    /// E.
    edge: L,
    /// V.
    displacement: L,
}

/// The lengths from which [`TermBounds`] follow, in metres.
#[derive(Clone, Copy)]
pub(super) struct Lengths<L> {
    /// R.
    pub(super) total: L,
    /// Of the edges of B.
    pub(super) edge: L,
    /// Of the displacements of A and B together.
    pub(super) displacement: L,
}

impl<L: Lanes<Number: Precision>> TermBounds<L> {
    /// `reciprocal` is 1 or 2 over `determinant`.
    #[inline(always)]
    pub(super) fn new(cofactor: L, determinant: L, reciprocal: L, lengths: Lengths<L>) -> Self {
        let Lengths { total, edge, displacement } = lengths;
        let per_metre = cofactor * reciprocal.abs();
        let face = per_metre * total;
        let size = determinant.abs();
        let in_range = L::splat(L::Number::DETERMINANTS[0]).lt(size)
            & size.lt(L::splat(L::Number::DETERMINANTS[1]))
            & L::splat(L::Number::SMALLEST_SIZE).lt(cofactor.min(edge))
            & face.max(total).lt(L::splat(L::Number::LARGEST_SIZE));
        let face = in_range.select(face, L::splat(f64::INFINITY));
        Self { face, edge: per_metre * edge, displacement: per_metre * displacement }
    }

    /// By how much A is shrunk, in its own units, so that its overlap along exact directions is certain.
    #[inline(always)]
    pub(super) fn margin<const MOVING: bool>(self) -> L {
        self.face * L::splat(margin_units(MOVING) * L::UNIT)
    }

    /// How near a sweep is to nothing, or to a multiple of an edge, if it has no directions of its own.
    #[inline(always)]
    pub(super) fn parallel(self) -> L {
        self.face * L::splat(PARALLEL * L::UNIT)
    }

    /// Bounds of the gaps of frames that are apart.
    #[inline(always)]
    pub(super) fn apart<const MOVING: bool, const KINDS: u8>(
        self,
        entries: LargestEntries<L>,
    ) -> GapBounds<L> {
        let Self { face, edge, displacement } = self;
        let LargestEntries { edge: m, sweep: w, normal, swept, .. } = entries;
        let sum = entries.sum();
        let of = |cuboids: f64, others: f64| if KINDS == CUBOIDS { cuboids } else { others };
        let edge_sum = edge * sum;
        let displacement_sum = displacement * sum;
        let twofold = w.fused(edge_sum, m * displacement_sum);
        // The gaps of two cuboids are those of a shrunk A, and longer by the margin times a norm of at most 2 m or 2 w.
        let longer = |units: f64| L::splat(of(1.0 + 2.0 * margin_units(MOVING) / units, 1.0));
        let (edges, sweeps) = (of(128.0, 512.0), of(160.0, 320.0));
        GapBounds {
            face_a: within(face, of(160.0, 280.0)),
            edges: within(face.fused(m * longer(edges), edge_sum), edges),
            face_b: within(face.fused(normal, m * edge_sum * L::splat(of(3.0, 8.0))), 72.0),
            sweep_a: within(face.fused(w * longer(sweeps), displacement_sum), sweeps),
            sweep_b: within(face.fused(swept, twofold * L::splat(of(4.5, 13.0))), 64.0),
        }
    }

    /// Bounds of the overlaps of two cuboids, of which A is shrunk: exact directions need only be long enough for nothing to
    /// underflow.
    #[inline(always)]
    pub(super) fn overlap_of_cuboids(self, entries: LargestEntries<L>) -> GapBounds<L> {
        let margin = self.margin::<false>();
        let underflow = L::splat(L::Number::UNDERFLOW);
        GapBounds {
            face_a: margin,
            edges: underflow,
            face_b: entries.face_overlap(margin, ROUNDED_CUBOID) + underflow,
            sweep_a: underflow,
            sweep_b: entries.sweep_overlap(margin, ROUNDED_CUBOID) + underflow,
        }
    }
}

/// By how much A is shrunk, in units of rounding and of F (docs/methods/fmb-hits.md, section 4).
const fn margin_units(is_moving: bool) -> f64 {
    if is_moving { 208.0 } else { 128.0 }
}

/// Sweeps that are nearer to a multiple of an edge have no directions of their own, in units of rounding and of F.
const PARALLEL: f64 = 32.0;

/// Errors of gaps along a normal that is itself computed, in units of rounding, of the product of the two lengths and of S:
/// of a parallelepiped B, and of a tetrahedron B.
pub(super) const ROUNDED_CUBOID: f64 = 56.0;
pub(super) const ROUNDED_TETRAHEDRON: f64 = 256.0;

/// The rounding bound of a condition from its magnitude, in units of rounding.
#[inline(always)]
fn within<L: Lanes<Number: Precision>>(magnitude: L, units: f64) -> L {
    magnitude.fused(L::splat(units * L::UNIT), L::splat(L::Number::UNDERFLOW))
}

/// The largest entries of o, M and W, and the norms |N| and |Q|, as computed.
#[derive(Clone, Copy)]
pub(super) struct LargestEntries<L> {
    pub(super) offset: L,
    pub(super) edge: L,
    pub(super) sweep: L,
    pub(super) normal: L,
    pub(super) swept: L,
}

impl<L: Lanes> LargestEntries<L> {
    /// S.
    #[inline(always)]
    fn sum(&self) -> L {
        (L::splat(1.0) + self.offset) + (self.edge + self.sweep)
    }

    /// How far frames must overlap along the normals of the faces of B.
    #[inline(always)]
    pub(super) fn face_overlap(&self, margin: L, rounded: f64) -> L {
        self.overlap(margin, self.normal, self.edge * self.edge, rounded)
    }

    /// How far frames must overlap along the products of the edges of B with the sweep.
    #[inline(always)]
    pub(super) fn sweep_overlap(&self, margin: L, rounded: f64) -> L {
        self.overlap(margin, self.swept, self.edge * self.sweep, rounded)
    }

    #[inline(always)]
    fn overlap(&self, margin: L, norm: L, lengths: L, rounded: f64) -> L {
        margin.fused(norm, (lengths * self.sum()) * L::splat(rounded * L::UNIT))
    }
}

/// Rounding bounds of the gaps in each class of directions.
pub(super) struct GapBounds<L> {
    pub(super) face_a: L,
    pub(super) edges: L,
    pub(super) face_b: L,
    pub(super) sweep_a: L,
    pub(super) sweep_b: L,
}

/// Rounding bounds of the gaps in the plane, from R and from n of each class of directions.
#[inline(always)]
pub(super) fn bounds_in_plane<L: Lanes<Number: Precision>, const N: usize>(
    total_length: L,
    sizes: [L; N],
) -> [L; N] {
    let in_range = total_length.lt(L::splat(L::Number::LARGEST_SIZE));
    let rounding = in_range.select(total_length * L::splat(48.0 * L::UNIT), L::splat(f64::INFINITY));
    let mut bounds = sizes;
    for bound in &mut bounds {
        *bound = rounding.fused(*bound, L::splat(L::Number::UNDERFLOW));
    }
    bounds
}

/// The conditions of one class of directions: the largest gap, and which gaps are certain.
#[derive(Clone, Copy)]
pub(super) struct Class<L> {
    pub(super) gap: L,
    /// A larger gap is surely one.
    pub(super) apart: L,
    /// A gap below the negative of this is surely an overlap.
    pub(super) overlap: L,
}

impl<L: Lanes> Class<L> {
    /// One bound for both.
    #[inline(always)]
    pub(super) fn new(gap: L, bound: L) -> Self {
        Self { gap, apart: bound, overlap: bound }
    }

    /// A class of directions made with the relative motion: there are none in lanes where `at_rest` is set, whose gap
    /// then decides nothing.
    #[inline(always)]
    pub(super) fn unless(self, at_rest: L) -> Self {
        Self { gap: self.gap - (at_rest & L::splat(f64::INFINITY)), ..self }
    }

    /// The lanes in which the largest gap is surely one.
    #[inline(always)]
    fn is_apart(self) -> L {
        self.apart.lt(self.gap)
    }

    /// The lanes in which all gaps are surely overlaps.
    #[inline(always)]
    fn is_within(self) -> L {
        self.gap.lt(L::ZERO - self.overlap)
    }
}

/// A pair is disjoint if any gap is surely one, and intersects if every gap is surely an overlap.
#[inline(always)]
pub(super) fn verdict<L: Lanes, const N: usize>(classes: [Class<L>; N]) -> Verdict {
    let all = (1 << L::COUNT) - 1;
    let (mut disjoint, mut within) = (classes[0].is_apart(), classes[0].is_within());
    for class in &classes[1..] {
        disjoint |= class.is_apart();
        within &= class.is_within();
    }
    let hit = within.bits();
    Verdict { hit, unsure: all & !hit & !disjoint.bits() }
}
