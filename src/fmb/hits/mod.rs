//! The lane kernels that decide several pairs at once: which intersect, and which are too close to call.
//!
//! Fourier-Motzkin elimination of all coordinates leaves one condition for each direction that can separate the two
//! frames: the projections of A and of B on it overlap (docs/methods/fmb.md). In space everything is computed in the
//! coordinates of A, where its faces are the axes and everything else follows from M = A^-1 B and the offset o = A^-1 d.
//! Motion is one more edge: B is taken at mid-time and swept by half its relative displacement to both sides. No lane
//! branches; a running maximum of the gaps is kept for each class of directions, because each class has a rounding bound
//! of its own.
//!
//! The same code runs in either precision: single precision, eight pairs at a time, decides almost all of them, and
//! double precision, four pairs at a time, most of the rest.

mod along_axes;
mod differences;
mod grid;
mod plane;
mod rounding;
mod sharing;
mod space;
#[cfg(test)]
mod tests;
mod tetrahedron;
#[cfg(test)]
mod touching_tests;
mod vector;

use crate::frames::lanes::{FrameLanes, Sizes};
use crate::soa::block::Lanes;
pub(super) use along_axes::decide_along_axes;
pub(super) use grid::decide_on_grid;
use rounding::Precision;

/// What a kernel finds out about its pairs, one bit per lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The frames surely intersect.
    pub(super) hit: u32,
    /// Some gap is within its rounding bound and none proves the frames disjoint.
    pub(super) unsure: u32,
}

impl Verdict {
    /// The verdict on the pairs that another one leaves unsure, and that one on the others.
    #[inline(always)]
    pub(super) fn unless_decided(self, before: Self) -> Self {
        Self { hit: before.hit | self.hit & before.unsure, unsure: self.unsure & before.unsure }
    }
}

/// The kinds of a pair: two cuboids.
pub(super) const CUBOIDS: u8 = 0;
/// A cuboid and a tetrahedron, in this order.
pub(super) const MIXED: u8 = 1;
/// Two tetrahedra.
pub(super) const TETRAHEDRA: u8 = 2;

/// What all pairs of a test have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestScale<L> {
    /// How long A and B move, in seconds; not used without motion.
    pub(super) durations: [L; 2],
    /// Upper bound of the errors of the origins of both frames, in units of rounding.
    pub(super) slack: L,
}

impl<L: Lanes> TestScale<L> {
    /// The same in all lanes.
    #[inline(always)]
    pub(super) fn broadcast(TestScale { durations, slack }: TestScale<L::Number>) -> Self {
        let durations = [L::broadcast(durations[0]), L::broadcast(durations[1])];
        Self { durations, slack: L::broadcast(slack) }
    }
}

/// One frame of each pair, with upper bounds of its sizes.
pub(super) type SizedFrame<'a, L, const D: usize> = (&'a FrameLanes<D, L>, Sizes<L>);

/// Decides pairs of the same `KINDS`.
#[inline(always)]
pub(super) fn decide<L: Lanes<Number: Precision>, const D: usize, const MOVING: bool, const KINDS: u8>(
    a: SizedFrame<L, D>,
    b: SizedFrame<L, D>,
    scale: TestScale<L>,
) -> Verdict {
    match D {
        2 => plane::decide::<L, MOVING, KINDS>((&a.0.resized(), a.1), (&b.0.resized(), b.1), scale),
        _ => space::decide::<L, MOVING, KINDS>((&a.0.resized(), a.1), (&b.0.resized(), b.1), scale),
    }
}

/// Whether [`decide`] leaves hits open that [`surely_intersect`] may certify: those of tetrahedra in space.
pub(super) const fn has_second_look(dim: usize, kinds: u8) -> bool {
    dim == 3 && kinds != CUBOIDS
}

/// The pairs that surely intersect, one bit per lane, of those that [`decide`] has left open.
#[inline(always)]
pub(super) fn surely_intersect<L, const D: usize, const MOVING: bool, const KINDS: u8>(
    a: SizedFrame<L, D>,
    b: SizedFrame<L, D>,
    scale: TestScale<L>,
) -> u32
where
    L: Lanes<Number: Precision>,
{
    if has_second_look(D, KINDS) {
        space::surely_intersect::<L, MOVING, KINDS>((&a.0.resized(), a.1), (&b.0.resized(), b.1), scale)
    } else {
        0
    }
}

/// From the origin of A to that of B at time 0.
#[inline(always)]
fn gap_between<L: Lanes, const D: usize>(a: &FrameLanes<D, L>, b: &FrameLanes<D, L>, axis: usize) -> L {
    (b.origin[axis] - a.origin[axis]) + (b.origin_rest[axis] - a.origin_rest[axis])
}

/// Upper bound of the displacements of both frames together.
#[inline(always)]
fn total_displacement<L: Lanes>([a, b]: [Sizes<L>; 2], durations: [L; 2]) -> L {
    a.velocity.fused(durations[0], b.velocity * durations[1])
}

/// The interval that a body covers along a direction.
#[derive(Clone, Copy)]
struct Projection<L> {
    lo: L,
    hi: L,
}

impl<L: Lanes> Projection<L> {
    /// The smallest interval that holds 0 and two more values.
    #[inline(always)]
    fn of_zero_and(a: L, b: L) -> Self {
        Self { lo: a.min(b).min(L::ZERO), hi: a.max(b).max(L::ZERO) }
    }

    /// The smallest interval that holds 0 and three more values.
    #[inline(always)]
    fn of_zero_and_three([a, b, c]: [L; 3]) -> Self {
        let Self { lo, hi } = Self::of_zero_and(a, b);
        Self { lo: lo.min(c), hi: hi.max(c) }
    }

    #[inline(always)]
    fn moved(self, by: L) -> Self {
        Self { lo: self.lo + by, hi: self.hi + by }
    }

    /// The gap to the interval from `-half_width` to `half_width`; negative if they overlap.
    #[inline(always)]
    fn gap_to_centred(self, half_width: L) -> L {
        self.lo.max(L::ZERO - self.hi) - half_width
    }

    /// The gap to another interval; negative if they overlap.
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
