//! Pairs whose numbers are multiples of one power of two and have few digits, as those of tiles, voxels and crates in a
//! lattice: none of the operations below rounds, so that gaps of exactly 0 are found (docs/methods/fmb-hits.md, section 5).

use super::differences::{Differences, RANGE, power_of_two};
use super::{CUBOIDS, MIXED, Projection, Verdict, minor};
use crate::frames::lanes::FrameLanes;
use crate::soa::block::Doubles;

/// Decides pairs of the same `KINDS` in exact arithmetic; those that are not on a grid are unsure.
#[inline(always)]
pub(in crate::fmb) fn decide_on_grid<B: Doubles, const D: usize, const MOVING: bool, const KINDS: u8>(
    a: &FrameLanes<D, B>,
    b: &FrameLanes<D, B>,
    duration: f64,
) -> Verdict {
    let all = (1 << B::COUNT) - 1;
    if !have_few_digits(&a.components, &b.components) {
        return Verdict { hit: 0, unsure: all };
    }
    let differences = Differences::new::<MOVING>(a, b, duration);
    let on_grid = are_on_grid(a, b, &differences);
    if on_grid == 0 {
        return Verdict { hit: 0, unsure: all };
    }
    let apart = GridPair::new::<KINDS>(a, b, differences).are_apart::<MOVING, KINDS>(on_grid);
    Verdict { hit: on_grid & !apart, unsure: all & !on_grid }
}

/// The numbers of a pair are multiples of q = p / 2^(52 - `SHIFT`), with p the largest power of two that is not above the sum
/// R of their magnitudes. So R < 2^(53 - `SHIFT`) q, and no intermediate result of degree `dim` is above 2^53 q^dim.
const fn shift(dim: usize) -> i32 {
    if dim == 2 { 28 } else { 36 }
}

/// Whether the components of some pair have as few digits as numbers on a grid.
#[inline(always)]
fn have_few_digits<B: Doubles, const D: usize>(a: &[[B; D]; D], b: &[[B; D]; D]) -> bool {
    let mut digits = B::ZERO;
    for i in 0..D {
        for axis in 0..D {
            digits |= a[i][axis] | b[i][axis];
        }
    }
    let lowest = B::broadcast(f64::from_bits((1 << shift(D)) - 1));
    (digits & lowest).equals(B::ZERO).bits() != 0
}

/// The pairs whose numbers are all multiples of q, one bit per lane.
#[inline(always)]
fn are_on_grid<B: Doubles, const D: usize>(
    a: &FrameLanes<D, B>,
    b: &FrameLanes<D, B>,
    Differences { apart, rest_of_apart, displacement, error }: &Differences<B, D>,
) -> u32 {
    let mut total = B::ZERO;
    for axis in 0..D {
        total += apart[axis].abs() + displacement[axis].abs();
        for i in 0..D {
            total += a.components[i][axis].abs() + b.components[i][axis].abs();
        }
    }
    // The bits of infinity are those of an exponent, so this is p.
    let power = total & B::splat(f64::INFINITY);
    let far = power * B::splat(1.5 * power_of_two(shift(D)));
    let mut on_grid = B::splat(RANGE[0]).lt(total) & total.lt(B::splat(RANGE[1]));
    for axis in 0..D {
        on_grid &= is_multiple(apart[axis], far) & is_multiple(displacement[axis], far);
        on_grid &= rest_of_apart[axis].equals(B::ZERO) & error[axis].equals(B::ZERO);
        for i in 0..D {
            on_grid &= is_multiple(a.components[i][axis], far) & is_multiple(b.components[i][axis], far);
        }
    }
    on_grid.bits()
}

/// Whether x is a multiple of a unit in the last place of `far`, 3 / 2 of a power of two and far above x.
#[inline(always)]
fn is_multiple<B: Doubles>(x: B, far: B) -> B {
    ((x + far) - far).equals(x)
}

/// The edges of a frame: its components, and their differences if it is a tetrahedron.
type Edges<B, const D: usize> = [[B; D]; MOST_EDGES];

const MOST_EDGES: usize = 6;

/// The edges that are differences of two components.
const DIAGONALS: [[usize; 2]; 3] = [[1, 0], [2, 0], [2, 1]];

/// Two edges of each face in space; the last one is that of a tetrahedron which slants.
const FACES: [[usize; 2]; 4] = [[0, 1], [0, 2], [1, 2], [3, 4]];

const fn edge_count(dim: usize, is_cuboid: bool) -> usize {
    if is_cuboid { dim } else { dim * (dim + 1) / 2 }
}

/// Whether A, and whether B is a cuboid.
pub(super) const fn are_cuboids(kinds: u8) -> [bool; 2] {
    [kinds <= MIXED, kinds == CUBOIDS]
}

/// Pairs on a grid, taken twice as large, but for the edges.
struct GridPair<B, const D: usize> {
    a: Edges<B, D>,
    b: Edges<B, D>,
    /// From the centre of a cuboid A, or the origin of a tetrahedron A, to that of B at mid-time.
    offset: [B; D],
    /// Half the displacement of B relative to A, by which B is swept to both sides.
    sweep: [B; D],
}

impl<B: Doubles, const D: usize> GridPair<B, D> {
    #[inline(always)]
    fn new<const KINDS: u8>(
        a: &FrameLanes<D, B>,
        b: &FrameLanes<D, B>,
        Differences { apart, displacement, .. }: Differences<B, D>,
    ) -> Self {
        let [a_is_cuboid, b_is_cuboid] = are_cuboids(KINDS);
        let mut offset = [B::ZERO; D];
        for axis in 0..D {
            offset[axis] = (apart[axis] + apart[axis]) + displacement[axis];
            for i in 0..D {
                if a_is_cuboid {
                    offset[axis] -= a.components[i][axis];
                }
                if b_is_cuboid {
                    offset[axis] += b.components[i][axis];
                }
            }
        }
        let (a, b) = (edges(&a.components, a_is_cuboid), edges(&b.components, b_is_cuboid));
        Self { a, b, offset, sweep: displacement }
    }

    /// The pairs that some direction separates, one bit per lane. The search ends when these are all of `among`.
    #[inline(always)]
    fn are_apart<const MOVING: bool, const KINDS: u8>(&self, among: u32) -> u32 {
        let [a_is_cuboid, b_is_cuboid] = are_cuboids(KINDS);
        let (edges_of_a, edges_of_b) = (edge_count(D, a_is_cuboid), edge_count(D, b_is_cuboid));
        let mut apart = 0;
        for (edges, is_cuboid) in [(&self.a, a_is_cuboid), (&self.b, b_is_cuboid)] {
            for face in 0..D + usize::from(!is_cuboid) {
                let [one, two] = if D == 2 { [face; 2] } else { FACES[face] };
                apart |= self.separates::<MOVING, KINDS>(edges[one], edges[two]);
            }
            if among & !apart == 0 {
                return apart;
            }
        }
        if MOVING {
            for edge in 0..if D == 2 { 1 } else { edges_of_a } {
                apart |= self.separates::<MOVING, KINDS>(self.sweep, self.a[edge]);
            }
            for edge in 0..if D == 2 { 0 } else { edges_of_b } {
                apart |= self.separates::<MOVING, KINDS>(self.sweep, self.b[edge]);
            }
        }
        for edge in 0..if D == 2 { 0 } else { edges_of_a } {
            if among & !apart == 0 {
                return apart;
            }
            for other in 0..edges_of_b {
                apart |= self.separates::<MOVING, KINDS>(self.a[edge], self.b[other]);
            }
        }
        apart
    }

    /// The pairs that the direction across two vectors separates, in the plane across the first; none where it is 0.
    #[inline(always)]
    fn separates<const MOVING: bool, const KINDS: u8>(&self, one: [B; D], two: [B; D]) -> u32 {
        let [a_is_cuboid, b_is_cuboid] = are_cuboids(KINDS);
        let normal = perpendicular(one, two);
        let of_a = extent(&self.a, &normal, a_is_cuboid);
        let of_b = extent(&self.b, &normal, b_is_cuboid).moved(dot(&normal, &self.offset));
        let swept = if MOVING { dot(&normal, &self.sweep).abs() } else { B::ZERO };
        let mut length = B::ZERO;
        for axis in 0..D {
            length += normal[axis].abs();
        }
        (B::ZERO.lt(length) & swept.le(of_b.gap(of_a))).bits()
    }
}

#[inline(always)]
fn edges<B: Doubles, const D: usize>(components: &[[B; D]; D], is_cuboid: bool) -> Edges<B, D> {
    let mut edges = [[B::ZERO; D]; MOST_EDGES];
    for axis in 0..D {
        for i in 0..D {
            edges[i][axis] = components[i][axis];
        }
        for i in D..edge_count(D, is_cuboid) {
            let [to, from] = DIAGONALS[i - D];
            edges[i][axis] = components[to][axis] - components[from][axis];
        }
    }
    edges
}

/// Twice what a frame covers along a normal, around the centre of a cuboid or from the origin of a tetrahedron.
#[inline(always)]
fn extent<B: Doubles, const D: usize>(
    edges: &Edges<B, D>,
    normal: &[B; D],
    is_cuboid: bool,
) -> Projection<B> {
    if is_cuboid {
        let mut half = B::ZERO;
        for i in 0..D {
            half += dot(normal, &edges[i]).abs();
        }
        return Projection { lo: B::ZERO - half, hi: half };
    }
    let (mut lo, mut hi) = (B::ZERO, B::ZERO);
    for i in 0..D {
        let height = dot(normal, &edges[i]);
        (lo, hi) = (lo.min(height), hi.max(height));
    }
    Projection { lo: lo + lo, hi: hi + hi }
}

#[inline(always)]
fn dot<B: Doubles, const D: usize>(one: &[B; D], two: &[B; D]) -> B {
    let mut sum = one[0] * two[0];
    for axis in 1..D {
        sum = one[axis].fused(two[axis], sum);
    }
    sum
}

#[inline(always)]
fn perpendicular<B: Doubles, const D: usize>(one: [B; D], two: [B; D]) -> [B; D] {
    let mut normal = [B::ZERO; D];
    for axis in 0..D {
        let (k, l) = ((axis + 1) % D, (axis + 2) % D);
        normal[axis] = match (D, axis) {
            (2, 0) => B::ZERO - one[1],
            (2, _) => one[0],
            _ => minor(one[k], two[l], one[l], two[k]),
        };
    }
    normal
}
