//! The lane kernels that decide several pairs at once: which intersect, and which are too close to call.
//!
//! Fourier-Motzkin elimination of all coordinates leaves one condition for each direction that can separate the two
//! frames: the interval that A covers along it and the interval that B covers overlap (SPEC section 2). Everything is
//! computed in the coordinates of A, where its faces are the axes and all else follows from M = A^-1 B and the offset
//! o = A^-1 d. Motion, yes or no, is one more edge: B is taken at mid-time and swept by half its relative way to both
//! sides. No lane branches; a running maximum of the gaps is kept for each class of directions, because each class has
//! a rounding bound of its own.
//!
//! The same code runs in either precision: eight pairs in single precision settle almost everything, four pairs in double
//! most of the rest.

mod plane;
mod rounding;
mod space;
#[cfg(test)]
mod tests;

use crate::frames::lanes::{FrameLanes, Sizes};
use crate::soa::block::Lanes;
use rounding::Precision;

/// What a kernel says of its pairs, one bit a lane.
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

/// What all pairs of a test have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Common<L> {
    /// How long A and B move, in seconds; not used without motion.
    pub(super) durations: [L; 2],
    /// How far the origins of two frames may lie from where they are said to be, in units of rounding.
    pub(super) slack: L,
}

/// One frame of each pair, with upper bounds of what it is made of.
pub(super) type Side<'a, L, const D: usize> = (&'a FrameLanes<D, L>, Sizes<L>);

/// Decides pairs of the same `KINDS`.
#[inline(always)]
pub(super) fn decide<L: Precision, const D: usize, const MOVING: bool, const KINDS: u8>(
    a: Side<L, D>,
    b: Side<L, D>,
    common: Common<L>,
) -> Verdict {
    match D {
        2 => plane::decide::<L, MOVING, KINDS>((&a.0.resized(), a.1), (&b.0.resized(), b.1), common),
        _ => space::decide::<L, MOVING, KINDS>((&a.0.resized(), a.1), (&b.0.resized(), b.1), common),
    }
}

/// From the origin of A to that of B at time 0.
#[inline(always)]
fn gap_between<L: Lanes, const D: usize>(a: &FrameLanes<D, L>, b: &FrameLanes<D, L>, axis: usize) -> L {
    (b.origin[axis] - a.origin[axis]) + (b.origin_rest[axis] - a.origin_rest[axis])
}

/// Upper bound of the ways of both frames together.
#[inline(always)]
fn total_way<L: Lanes>([a, b]: [Sizes<L>; 2], durations: [L; 2]) -> L {
    a.velocity.fused(durations[0], b.velocity * durations[1])
}

/// What a body covers along a direction.
#[derive(Clone, Copy)]
struct Span<L> {
    lo: L,
    hi: L,
}

impl<L: Lanes> Span<L> {
    /// The span of 0 and two more values.
    #[inline(always)]
    fn of_zero_and(a: L, b: L) -> Self {
        Self { lo: a.min(b).min(L::ZERO), hi: a.max(b).max(L::ZERO) }
    }

    #[inline(always)]
    fn moved(self, by: L) -> Self {
        Self { lo: self.lo + by, hi: self.hi + by }
    }

    /// The gap to a span from `-reach` to `reach`.
    #[inline(always)]
    fn gap_to_centred(self, reach: L) -> L {
        self.lo.max(L::ZERO - self.hi) - reach
    }

    #[inline(always)]
    fn gap(self, other: Self) -> L {
        (self.lo - other.hi).max(other.lo - self.hi)
    }
}

/// `a b - c d`.
#[inline(always)]
fn minor<L: Lanes>(a: L, b: L, c: L, d: L) -> L {
    a.fused_minus(b, c * d)
}
