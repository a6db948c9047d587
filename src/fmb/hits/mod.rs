//! The lane kernels that decide four pairs at once: which intersect, and which are too close to call.
//!
//! Fourier-Motzkin elimination of all coordinates leaves one condition for each direction that can separate the two
//! frames: the interval that A covers along it and the interval that B covers overlap (SPEC section 2). Everything is
//! computed in the coordinates of A, where its faces are the axes and all else follows from M = A^-1 B and the offset
//! o = A^-1 d. Motion, yes or no, is one more edge: B is taken at mid-time and swept by half its relative way to both
//! sides. No lane branches; a running maximum of the gaps is kept for each class of directions, because each class has
//! a rounding bound of its own.

mod plane;
mod space;

use crate::frames::packed::FrameLanes;
use crate::soa::lanes::{self, Block};

/// What a kernel says of four pairs, one bit a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The frames surely intersect.
    pub(super) hit: u32,
    /// Some condition came out within its rounding bound and none proves the frames apart.
    pub(super) unsure: u32,
}

/// The kinds of a pair: two cuboids.
pub(super) const CUBOIDS: u8 = 0;
/// A cuboid and a tetrahedron, in this order.
pub(super) const MIXED: u8 = 1;
/// Two tetrahedra.
pub(super) const TETRAHEDRA: u8 = 2;

/// Decides four pairs of the same `KINDS`. `duration` is that of the motion, and not used without `MOVING`.
#[inline(always)]
pub(super) fn decide<const D: usize, const MOVING: bool, const KINDS: u8>(
    a: &FrameLanes<D>,
    b: &FrameLanes<D>,
    duration: Block,
) -> Verdict {
    match D {
        2 => plane::decide::<MOVING, KINDS>(&a.resized(), &b.resized(), duration),
        _ => space::decide::<MOVING, KINDS>(&a.resized(), &b.resized(), duration),
    }
}

/// Rounding bounds are this many times the product of the magnitudes that enter a condition. By a count of the
/// operations 800 units of rounding (2^-53) suffice for the longest chain; this is 2048.
const ROUNDING: f64 = 1.0 / (1_u64 << 42) as f64;

/// Determinants of A outside this range, and conditions below it, are left to the exact decision: rounding bounds hold
/// only where nothing underflows or overflows.
const LARGEST: f64 = 1e280;
const SMALLEST: f64 = 1e-280;

/// Upper bounds of what enters the conditions, in units of A.
#[derive(Clone, Copy)]
struct Magnitudes {
    /// Rounding bound of a condition along a face of A.
    face: Block,
    /// Of an entry of M.
    edge: Block,
    /// Of an entry of the half way of B.
    way: Block,
}

impl Magnitudes {
    /// `cofactor` bounds the cofactors of A and `reach` the sum of all lengths; `reciprocal` is at least 1 / `determinant`.
    #[inline(always)]
    fn new(
        cofactor: Block,
        determinant: Block,
        reciprocal: Block,
        reach: Block,
        edge: Block,
        way: Block,
    ) -> Self {
        let per_metre = cofactor * reciprocal.abs();
        let size = determinant.abs();
        let sound = lanes::lt(lanes::splat(SMALLEST), size) & lanes::lt(size, lanes::splat(LARGEST));
        let total = lanes::select(sound, per_metre * reach, lanes::splat(f64::INFINITY));
        Self { face: total, edge: per_metre * edge, way: per_metre * way }
    }
}

/// The conditions of one class of directions: the largest gap, and the magnitude that bounds its rounding.
#[derive(Clone, Copy)]
struct Class {
    gap: Block,
    magnitude: Block,
}

/// A pair is apart if any gap exceeds its bound, and intersects if every gap is below its negated bound.
#[inline(always)]
fn verdict<const N: usize>(classes: [Class; N]) -> Verdict {
    let (mut apart, mut open) = (Block::ZERO, Block::ZERO);
    for Class { gap, magnitude } in classes {
        let bound = lanes::fused(magnitude, lanes::splat(ROUNDING), lanes::splat(SMALLEST));
        apart = apart | lanes::lt(bound, gap);
        open = open | lanes::not_lt(gap, Block::ZERO - bound);
    }
    let (apart, open) = (lanes::bits(apart), lanes::bits(open));
    Verdict { hit: 0xF & !open, unsure: open & !apart }
}

/// The class of directions made with the relative way, which are no directions if there is none.
#[inline(always)]
fn unless_resting(class: Class, way: Block) -> Class {
    let rests = lanes::le(way, Block::ZERO);
    let never = lanes::splat(f64::NEG_INFINITY);
    Class {
        gap: lanes::select(rests, never, class.gap),
        magnitude: lanes::select(rests, Block::ZERO, class.magnitude),
    }
}

/// What a body covers along a direction.
#[derive(Clone, Copy)]
struct Span {
    lo: Block,
    hi: Block,
}

impl Span {
    /// The span of 0 and two more values.
    #[inline(always)]
    fn of_zero_and(a: Block, b: Block) -> Self {
        Self { lo: lanes::min(lanes::min(a, b), Block::ZERO), hi: lanes::max(lanes::max(a, b), Block::ZERO) }
    }

    #[inline(always)]
    fn moved(self, by: Block) -> Self {
        Self { lo: self.lo + by, hi: self.hi + by }
    }

    /// The gap to a span from `-reach` to `reach`.
    #[inline(always)]
    fn gap_to_centred(self, reach: Block) -> Block {
        lanes::max(self.lo, Block::ZERO - self.hi) - reach
    }

    #[inline(always)]
    fn gap(self, other: Self) -> Block {
        lanes::max(self.lo - other.hi, other.lo - self.hi)
    }
}

/// `a b - c d`.
#[inline(always)]
fn minor(a: Block, b: Block, c: Block, d: Block) -> Block {
    lanes::fused_minus(a, b, c * d)
}
