//! Pairs that a coordinate axis separates, and boxes along the coordinate axes, as of voxels and shelves: their gaps are sums
//! of few numbers, whose roundings are summed up, too (docs/methods/fmb-hits.md, section 6).

use super::differences::Differences;
use super::grid::are_cuboids;
use super::{CUBOIDS, Verdict};
use crate::fmb::rests::two_sum;
use crate::frames::lanes::FrameLanes;
use crate::soa::block::Doubles;

/// Decides pairs of the same `KINDS` along the coordinate axes, whose gaps are certain. They are unsure where none of these
/// separates them, unless both are boxes along the axes at rest.
#[inline(always)]
pub(in crate::fmb) fn decide_along_axes<B: Doubles, const D: usize, const MOVING: bool, const KINDS: u8>(
    a: &FrameLanes<D, B>,
    b: &FrameLanes<D, B>,
    duration: f64,
) -> Verdict {
    let Differences { apart, rest_of_apart, displacement, error } =
        Differences::new::<MOVING>(a, b, duration);
    let [a_is_cuboid, b_is_cuboid] = are_cuboids(KINDS);
    let (mut separated, mut overlap) = (B::ZERO, B::ZERO.equals(B::ZERO));
    for axis in 0..D {
        let (mut of_a, mut of_b) = ([B::ZERO; D], [B::ZERO; D]);
        for i in 0..D {
            (of_a[i], of_b[i]) = (a.components[i][axis], b.components[i][axis]);
        }
        let ([a_low, a_high], [b_low, b_high]) = (reach(of_a, a_is_cuboid), reach(of_b, b_is_cuboid));
        let from = Sum { high: apart[axis], low: rest_of_apart[axis], error: error[axis] };
        let (mut low, mut high) = (from.plus(b_low).minus(a_high), from.plus(b_high).minus(a_low));
        if MOVING {
            low = low.plus(Sum::exact(displacement[axis].min(B::ZERO)));
            high = high.plus(Sum::exact(displacement[axis].max(B::ZERO)));
        }
        let ((low, low_is_certain), (high, high_is_certain)) = (low.certain(), high.certain());
        separated |= (low_is_certain & B::ZERO.le(low)) | (high_is_certain & high.le(B::ZERO));
        overlap &= low_is_certain & low.lt(B::ZERO) & high_is_certain & B::ZERO.lt(high);
    }
    // Faces of such boxes are all that can separate them.
    let hit = if MOVING || KINDS != CUBOIDS { B::ZERO } else { overlap & are_upright(a) & are_upright(b) };
    let (hit, separated) = (hit.bits(), separated.bits());
    Verdict { hit, unsure: ((1 << B::COUNT) - 1) & !hit & !separated }
}

/// A sum of numbers: `high` as rounded, `low` what the roundings have left, and a bound of the error of that.
#[derive(Clone, Copy)]
struct Sum<B> {
    high: B,
    low: B,
    error: B,
}

impl<B: Doubles> Sum<B> {
    #[inline(always)]
    fn exact(high: B) -> Self {
        Self { high, low: B::ZERO, error: B::ZERO }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let (high, left) = two_sum(self.high, other.high);
        let (low, of_sum) = two_sum(self.low, other.low);
        let (low, of_left) = two_sum(low, left);
        Self { high, low, error: (self.error + other.error) + (of_sum.abs() + of_left.abs()) }
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.plus(Self { high: -other.high, low: -other.low, error: other.error })
    }

    /// The sum, and whether its sign, or that it is 0, is that of the exact sum: a rounded sum of two numbers has the right sign,
    /// and twice the error covers the roundings of both.
    #[inline(always)]
    fn certain(self) -> (B, B) {
        let sum = self.high + self.low;
        (sum, self.error.equals(B::ZERO) | (self.error + self.error).lt(sum.abs()))
    }
}

/// How far components reach from the origin of a frame to both sides, by their coordinates on one axis.
#[inline(always)]
fn reach<B: Doubles, const D: usize>(components: [B; D], is_cuboid: bool) -> [Sum<B>; 2] {
    let (mut low, mut high) = (Sum::exact(B::ZERO), Sum::exact(B::ZERO));
    for i in 0..D {
        if is_cuboid {
            low = low.plus(Sum::exact(components[i].min(B::ZERO)));
            high = high.plus(Sum::exact(components[i].max(B::ZERO)));
        } else {
            (low.high, high.high) = (low.high.min(components[i]), high.high.max(components[i]));
        }
    }
    [low, high]
}

/// Whether each component lies along a coordinate axis: no two of its coordinates differ from 0.
#[inline(always)]
fn are_upright<B: Doubles, const D: usize>(frame: &FrameLanes<D, B>) -> B {
    let mut upright = B::ZERO.equals(B::ZERO);
    for component in &frame.components {
        for axis in 0..D {
            let (is_zero, mut others) = (component[axis].equals(B::ZERO), B::ZERO.equals(B::ZERO));
            for other in (0..D).filter(|other| *other != axis) {
                others &= component[other].equals(B::ZERO);
            }
            upright &= is_zero | others;
        }
    }
    upright
}
