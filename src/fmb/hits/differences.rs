//! Where B is relative to A, with what rounding leaves of each number.

use crate::fmb::rests::{two_product, two_sum};
use crate::frames::lanes::FrameLanes;
use crate::soa::block::Doubles;

/// Durations, in seconds, and total lengths of pairs, in metres, are within this range: nothing overflows or underflows.
pub(super) const RANGE: [f64; 2] = [power_of_two(-200), power_of_two(200)];

/// Displacements below this, in metres, may be rounded although nothing seems to be left.
const FAINT: f64 = power_of_two(-700);

pub(super) const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// What B is relative to A.
pub(super) struct Differences<B, const D: usize> {
    /// From the origin of A to that of B at time 0.
    pub(super) apart: [B; D],
    /// What the exact numbers are larger.
    pub(super) rest_of_apart: [B; D],
    /// That of B less that of A.
    pub(super) displacement: [B; D],
    /// Bounds of its errors: 0 where it is exact.
    pub(super) error: [B; D],
}

impl<B: Doubles, const D: usize> Differences<B, D> {
    #[inline(always)]
    pub(super) fn new<const MOVING: bool>(a: &FrameLanes<D, B>, b: &FrameLanes<D, B>, duration: f64) -> Self {
        let [zero, infinity] = [B::ZERO, B::splat(f64::INFINITY)];
        let none = [zero; D];
        let mut new = Self { apart: none, rest_of_apart: none, displacement: none, error: none };
        let in_range = (RANGE[0]..RANGE[1]).contains(&duration);
        for axis in 0..D {
            (new.apart[axis], new.rest_of_apart[axis]) = two_sum(b.origin[axis], -a.origin[axis]);
            if MOVING {
                let (velocity, rest_of_velocity) = two_sum(b.velocity[axis], -a.velocity[axis]);
                let (displacement, rest) = two_product(velocity, B::splat(duration));
                let is_faint = displacement.abs().lt(B::splat(FAINT)) & zero.lt(velocity.abs());
                // A rounded velocity is as good as none.
                let is_inexact = is_faint | zero.lt(rest_of_velocity.abs());
                new.displacement[axis] = displacement;
                new.error[axis] = if in_range { rest.abs() + (is_inexact & infinity) } else { infinity };
            }
        }
        new
    }
}
