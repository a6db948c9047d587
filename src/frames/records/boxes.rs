//! The boxes of the records: what each frame sweeps, in single precision, never smaller than the truth.

use std::ops::RangeInclusive;

use super::write::{ColumnGroups, SURPLUS};
use crate::frames::lanes::FrameLanes;
use crate::soa::block::{Doubles, LANES, LANES32, Lanes, Mask, Quantity, Singles};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

impl<const D: usize> ColumnGroups<'_, D> {
    /// The boxes that the frames of a group sweep, rounded outward: lower ends and kinds, then negated upper ends.
    #[inline(always)]
    pub(super) fn boxes_below<S: Simd, const MOVING: bool>(
        &self,
        frames: &FrameLanes<D, S::Block32>,
        is_short: bool,
        group: usize,
    ) -> [[S::Block32; LANES]; 2] {
        let is_tetrahedron = S::Block32::mask_of(self.kinds[group]);
        // On an axis that does not exist all boxes overlap.
        let mut ends = [[S::Block32::splat(-1.0); 2]; 3];
        let mut in_range = S::Block32::mask(!MOVING || USUAL_DURATIONS.contains(&self.duration));
        for (axis, end) in ends.iter_mut().take(D).enumerate() {
            let displacement = frames.velocity[axis] * S::Block32::broadcast(self.duration as f32);
            let (about, magnitude) =
                ends_about::<S::Block32, D, MOVING>(frames, axis, displacement, is_tetrahedron);
            *end = about;
            in_range &= magnitude.lt(S::Block32::broadcast(LARGEST));
        }
        if is_short || in_range.bits() != 0xFF {
            let short = S::call(ShortEnds { groups: self, group });
            for axis in 0..D {
                ends[axis] = [S::Block32::new(short[axis][0]), S::Block32::new(short[axis][1])];
            }
        }
        let kind = is_tetrahedron.select(S::Block32::splat(-1.0), S::Block32::splat(1.0));
        [[ends[0][0], ends[1][0], ends[2][0], kind], [ends[0][1], ends[1][1], ends[2][1], S::Block32::ZERO]]
    }
}

/// The lower and the negated upper end of the frames of a group on each axis, exact where the sums they consist of are
/// exact.
struct ShortEnds<'a, const D: usize> {
    groups: &'a ColumnGroups<'a, D>,
    group: usize,
}

impl<const D: usize> Kernel for ShortEnds<'_, D> {
    type Output = [[[f32; LANES32]; 2]; D];

    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let Self { groups, group } = self;
        let (low, high) = (groups.half::<S::Block>(group, 0), groups.half::<S::Block>(group, 1));
        let (kinds, _) = groups.kinds[group].as_chunks();
        let (low_kinds, high_kinds) = (S::Block::mask_of(kinds[0]), S::Block::mask_of(kinds[1]));
        let mut ends = [[[0.0; LANES32]; 2]; D];
        for (axis, ends) in ends.iter_mut().enumerate() {
            for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
                let low = end_below(&low, axis, sign, groups.duration, low_kinds);
                let high = end_below(&high, axis, sign, groups.duration, high_kinds);
                *end = S::to_single(short_below(low), short_below(high)).to_array();
            }
        }
        ends
    }
}

/// Sums of numbers below this do not overflow in single precision.
const LARGEST: f32 = 1e37;

/// Durations, in seconds, over which the displacement of a velocity that is subnormal in single precision is off by less
/// than the smallest normal number.
const USUAL_DURATIONS: RangeInclusive<f64> = 1e-6..=1e6;

/// The lower and the negated upper end on one axis, with a margin that covers all rounding, and the magnitude of the terms
/// they consist of.
///
/// With u = 2^-24 the components, the displacement and their sum are off by less than 16 u times their magnitudes, and
/// adding the origin, which is known to 48 bits, by u times the magnitude of the end.
#[inline(always)]
fn ends_about<B: Singles, const D: usize, const MOVING: bool>(
    frames: &FrameLanes<D, B>,
    axis: usize,
    displacement: B,
    is_tetrahedron: B,
) -> ([B; 2], B) {
    let (origin, rest) = (frames.origin[axis], frames.origin_rest[axis]);
    let [mut least, mut most, mut sum_below, mut sum_above] = [B::ZERO; 4];
    for i in 0..D {
        let x = frames.components[i][axis];
        let (below, above) = (x.min(B::ZERO), x.max(B::ZERO));
        (least, most) = (below.min(least), above.max(most));
        (sum_below, sum_above) = (sum_below + below, sum_above + above);
    }
    let mut magnitude = sum_above - sum_below;
    let mut down = is_tetrahedron.select(least, sum_below);
    let mut up = is_tetrahedron.select(most, sum_above);
    if MOVING {
        magnitude += displacement.abs();
        (down, up) = (down + displacement.min(B::ZERO), up + displacement.max(B::ZERO));
    }
    let unit = f32::EPSILON / 2.0;
    let margin = (magnitude * B::broadcast(16.0 * unit) + origin.abs() * B::broadcast(4.0 * unit))
        + B::broadcast(f32::MIN_POSITIVE);
    let ends = [origin + ((down + rest) - margin), B::ZERO - (origin + ((up + rest) + margin))];
    (ends, magnitude + origin.abs())
}

/// The lower ends of what four frames sweep along an axis, not above the truth; the axis is reversed if `sign` is -1.
#[inline(always)]
fn end_below<B: Doubles, const D: usize>(
    frames: &FrameLanes<D, B>,
    axis: usize,
    sign: f64,
    duration: f64,
    is_tetrahedron: B,
) -> B {
    let sign = B::splat(sign);
    let start = ExactSum::of(frames.origin[axis] * sign);
    let (mut corner, mut cuboid) = (B::ZERO, start);
    for i in 0..D {
        let below = (frames.components[i][axis] * sign).min(B::ZERO);
        corner = below.min(corner);
        cuboid = cuboid.plus(below);
    }
    let tetrahedron = start.plus(corner);
    let end = ExactSum {
        total: is_tetrahedron.select(tetrahedron.total, cuboid.total),
        error: is_tetrahedron.select(tetrahedron.error, cuboid.error),
    };
    let displacement = frames.velocity[axis] * B::splat(duration);
    // A product with 1 is exact; any other is within half a unit in the last place.
    let displacement_error = displacement.abs() * B::splat(if duration == 1.0 { 0.0 } else { f64::EPSILON });
    let end = end.plus((displacement * sign).min(B::ZERO));
    let error = end.error + end.error * B::splat(1e-15) + displacement_error;
    // Exact sums stay as they are, so that boxes that touch exactly are known not to overlap.
    B::ZERO.lt(error).select(lower(end.total - error), end.total)
}

/// A slightly smaller number in each lane.
#[inline(always)]
fn lower<B: Doubles>(x: B) -> B {
    x - x.abs() * B::splat(f64::EPSILON)
}

/// A sum and the magnitude of its rounding error.
#[derive(Clone, Copy)]
struct ExactSum<B> {
    total: B,
    error: B,
}

impl<B: Doubles> ExactSum<B> {
    #[inline(always)]
    fn of(total: B) -> Self {
        Self { total, error: B::ZERO }
    }

    /// Knuth's two-sum (The Art of Computer Programming, volume 2, 4.2.2), which gives the rounding error of an addition
    /// exactly.
    #[inline(always)]
    fn plus(self, x: B) -> Self {
        let total = self.total + x;
        let part = total - self.total;
        let lost = (self.total - (total - part)) + (x - part);
        Self { total, error: self.error + lost.abs() }
    }
}

/// For each lane the largest normal `f32` or 0 that is not above it, and not above the largest finite `f32`; a number below
/// all of them stays so.
#[inline(always)]
fn short_below<B: Doubles>(x: B) -> B {
    let smallest = B::splat(f64::from(f32::MIN_POSITIVE));
    let is_tiny = x.abs().lt(smallest);
    let below_tiny = x.lt(B::ZERO) & (B::ZERO - smallest);
    let x = is_tiny.select(below_tiny, x).min(B::splat(f64::from(f32::MAX)));
    // A negative number is rounded away from 0.
    let rounded = x.lt(B::ZERO).select(x.plus_bits(SURPLUS), x);
    rounded & B::broadcast(f64::from_bits(!SURPLUS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frames;
    use crate::frames::random::RandomFrames;
    use crate::soa::level;

    /// Frames of many sizes, near and far, whose displacements neither underflow nor overflow in double precision.
    fn frames_of_many_sizes(duration: f64) -> Frames<3> {
        let mut random = RandomFrames::new(11);
        let mut frames = Frames::moving(duration).unwrap();
        for n in 0..400_i32 {
            let (size, far) = (10.0_f64.powi(n % 13 * 8 - 48), 10.0_f64.powi(n % 7 - 2));
            let mut frame = random.frame(true);
            frame.origin = frame.origin.map(|x| x * size * far);
            frame.components = frame.components.map(|component| component.map(|x| x * size));
            frame.velocity = frame.velocity.map(|x| x * size / duration);
            frames.add(&frame).unwrap();
        }
        frames
    }

    #[test]
    fn boxes_hold_their_frames_at_any_size_and_duration() {
        for duration in [1.0, 0.3, 1e-40, 1e-12, 1e12, 1e40] {
            let frames = frames_of_many_sizes(duration);
            for (index, numbers) in frames.records().unwrap().boxes().iter().enumerate() {
                let bounds = frames.get(index).unwrap().bounds(duration);
                for axis in 0..3 {
                    let rounding = 1e-14 * (bounds.min[axis].abs() + bounds.max[axis].abs());
                    let (low, high) = (f64::from(numbers[axis]), -f64::from(numbers[4 + axis]));
                    assert!(low <= bounds.min[axis] + rounding, "frame {index}, {duration} s, axis {axis}");
                    assert!(high >= bounds.max[axis] - rounding, "frame {index}, {duration} s, axis {axis}");
                }
            }
        }
    }

    #[test]
    fn boxes_of_usual_frames_are_tight() {
        let mut random = RandomFrames::new(12);
        let mut frames = Frames::<2>::moving(2.0).unwrap();
        frames.add_many(&std::array::from_fn::<_, 100, _>(|_| random.frame(true))).unwrap();
        for (index, numbers) in frames.records().unwrap().boxes().iter().enumerate() {
            let bounds = frames.get(index).unwrap().bounds(2.0);
            for axis in 0..2 {
                assert!(f64::from(numbers[axis]) > bounds.min[axis] - 1e-3);
                assert!(-f64::from(numbers[4 + axis]) < bounds.max[axis] + 1e-3);
            }
        }
    }

    #[derive(Clone)]
    struct RoundDown([f64; LANES]);

    impl Kernel for RoundDown {
        type Output = [f32; LANES];

        #[inline(always)]
        fn run<S: Simd>(self) -> [f32; LANES] {
            let below = short_below(S::Block::new(self.0));
            let [a, b, c, d, ..] = S::to_single(below, below).to_array();
            [a, b, c, d]
        }
    }

    #[test]
    fn singles_are_rounded_down() {
        for x in [0.0, 1.0, -1.0, 0.1, -0.1, 1e-50, -1e-50, 1e30, 16_777_217.0, -16_777_217.0, 3.5e38, 1e150]
        {
            for [below, ..] in level::run_at_each_level(&RoundDown([x; LANES])) {
                assert!(f64::from(below) <= x, "{x}: {below}");
                if x.abs() > 1e-37 && x < 3.4e38 {
                    let above = if below == 0.0 { f32::MIN_POSITIVE } else { below.next_up() };
                    assert!(f64::from(above) > x, "{x}: {below} could be larger");
                }
            }
        }
        let lanes = RoundDown([0.1_f32.into(), -1e150, 0.0, -0.0]);
        for below in level::run_at_each_level(&lanes) {
            assert_eq!(below, [0.1, f32::NEG_INFINITY, 0.0, 0.0]);
        }
    }
}
