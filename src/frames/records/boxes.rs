//! The boxes of the records: what each frame sweeps, in single precision, never smaller than the truth.

use std::ops::RangeInclusive;

use super::write::ColumnGroups;
use crate::frames::lanes::FrameLanes;
use crate::soa::block::{Lanes, Quantity};
use crate::soa::lanes::{self, Block, Block32, LANES, Quad32};
use crate::soa::layout;

impl<const D: usize> ColumnGroups<'_, D> {
    /// The boxes that the frames of a group sweep, rounded outward: lower ends and kinds, then negated upper ends.
    #[inline(always)]
    pub(super) fn boxes_below<const MOVING: bool>(
        &self,
        frames: &FrameLanes<D, Block32>,
        is_short: bool,
        group: usize,
    ) -> [[Block32; LANES]; 2] {
        let is_tetrahedron = lanes::mask32_from_bytes(self.kinds[group]);
        // On an axis that does not exist all boxes overlap.
        let mut ends = [[Block32::splat(-1.0); 2]; 3];
        let mut in_range = lanes::mask32(!MOVING || USUAL_DURATIONS.contains(&self.duration));
        for (axis, end) in ends.iter_mut().take(D).enumerate() {
            let displacement = frames.velocity[axis] * Block32::splat(self.duration as f32);
            let (about, magnitude) = ends_about::<D, MOVING>(frames, axis, displacement, is_tetrahedron);
            *end = about;
            in_range &= magnitude.lt(Block32::splat(LARGEST));
        }
        if is_short || in_range.bits() != 0xFF {
            ends = self.short_ends(group);
        }
        let kind = is_tetrahedron.select(Block32::splat(-1.0), Block32::splat(1.0));
        [[ends[0][0], ends[1][0], ends[2][0], kind], [ends[0][1], ends[1][1], ends[2][1], Block32::ZERO]]
    }

    /// The lower and the negated upper end on each axis, exact where the sums they consist of are exact.
    #[cold]
    #[inline(never)]
    fn short_ends(&self, group: usize) -> [[Block32; 2]; 3] {
        let mut ends = [[Block32::splat(-1.0); 2]; 3];
        let halves = [0, 1].map(|half| self.half(group, half));
        let kinds = self.kinds[group].as_chunks().0;
        for (axis, ends) in ends.iter_mut().take(D).enumerate() {
            let end = |half: usize, sign: f64| {
                let is_tetrahedron = lanes::mask_from_bytes(kinds[half]);
                f32_below(end_below(&halves[half], axis, sign, self.duration, is_tetrahedron))
            };
            *ends = [1.0, -1.0].map(|sign| layout::join(end(0, sign), end(1, sign)));
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
fn ends_about<const D: usize, const MOVING: bool>(
    frames: &FrameLanes<D, Block32>,
    axis: usize,
    displacement: Block32,
    is_tetrahedron: Block32,
) -> ([Block32; 2], Block32) {
    let (origin, rest) = (frames.origin[axis], frames.origin_rest[axis]);
    let [mut least, mut most, mut sum_below, mut sum_above] = [Block32::ZERO; 4];
    for component in &frames.components {
        let x = component[axis];
        let (below, above) = (Quantity::min(x, Block32::ZERO), Quantity::max(x, Block32::ZERO));
        (least, most) = (Quantity::min(below, least), Quantity::max(above, most));
        (sum_below, sum_above) = (sum_below + below, sum_above + above);
    }
    let mut magnitude = sum_above - sum_below;
    let mut down = is_tetrahedron.select(least, sum_below);
    let mut up = is_tetrahedron.select(most, sum_above);
    if MOVING {
        magnitude += displacement.abs();
        (down, up) = (
            down + Quantity::min(displacement, Block32::ZERO),
            up + Quantity::max(displacement, Block32::ZERO),
        );
    }
    let unit = f32::EPSILON / 2.0;
    let margin = (magnitude * Block32::splat(16.0 * unit) + origin.abs() * Block32::splat(4.0 * unit))
        + Block32::splat(f32::MIN_POSITIVE);
    let ends = [origin + ((down + rest) - margin), Block32::ZERO - (origin + ((up + rest) + margin))];
    (ends, magnitude + origin.abs())
}

/// The lower ends of what four frames sweep along an axis, not above the truth; the axis is reversed if `sign` is -1.
#[inline(always)]
fn end_below<const D: usize>(
    frames: &FrameLanes<D>,
    axis: usize,
    sign: f64,
    duration: f64,
    is_tetrahedron: Block,
) -> Block {
    let sign = lanes::splat(sign);
    let start = ExactSum::of(frames.origin[axis] * sign);
    let (mut corner, mut cuboid) = (Block::ZERO, start);
    for component in &frames.components {
        let below = lanes::min(component[axis] * sign, Block::ZERO);
        corner = lanes::min(below, corner);
        cuboid = cuboid.plus(below);
    }
    let tetrahedron = start.plus(corner);
    let end = ExactSum {
        total: lanes::select(is_tetrahedron, tetrahedron.total, cuboid.total),
        error: lanes::select(is_tetrahedron, tetrahedron.error, cuboid.error),
    };
    let displacement = frames.velocity[axis] * lanes::splat(duration);
    // A product with 1 is exact; any other is within half a unit in the last place.
    let displacement_error =
        displacement.abs() * lanes::splat(if duration == 1.0 { 0.0 } else { f64::EPSILON });
    let end = end.plus(lanes::min(displacement * sign, Block::ZERO));
    let error = end.error + end.error * lanes::splat(1e-15) + displacement_error;
    // Exact sums stay as they are, so that boxes that touch exactly are known not to overlap.
    lanes::select(lanes::lt(Block::ZERO, error), lower(end.total - error), end.total)
}

/// A slightly smaller number in each lane.
#[inline(always)]
fn lower(x: Block) -> Block {
    x - x.abs() * lanes::splat(f64::EPSILON)
}

/// A sum and the magnitude of its rounding error.
#[derive(Clone, Copy)]
struct ExactSum {
    total: Block,
    error: Block,
}

impl ExactSum {
    #[inline(always)]
    fn of(total: Block) -> Self {
        Self { total, error: Block::ZERO }
    }

    /// Knuth's two-sum (The Art of Computer Programming, volume 2, 4.2.2), which gives the rounding error of an addition
    /// exactly.
    #[inline(always)]
    fn plus(self, x: Block) -> Self {
        let total = self.total + x;
        let part = total - self.total;
        let lost = (self.total - (total - part)) + (x - part);
        Self { total, error: self.error + lost.abs() }
    }
}

/// For each lane the largest normal `f32` or 0 that is not above it, and not above the largest finite `f32`.
#[inline(always)]
fn f32_below(x: Block) -> Quad32 {
    /// Bits of an f64 that an f32 does not have.
    const SURPLUS: u64 = (1 << 29) - 1;
    let smallest = lanes::splat(f64::from(f32::MIN_POSITIVE));
    let is_tiny = lanes::lt(x.abs(), smallest);
    let below_tiny = lanes::keep(lanes::lt(x, Block::ZERO), Block::ZERO - smallest);
    let x = lanes::min(lanes::select(is_tiny, below_tiny, x), lanes::splat(f64::from(f32::MAX))).to_array();
    let mut below = [0.0; LANES];
    for lane in 0..LANES {
        let bits = x[lane].to_bits();
        // A negative number is rounded away from 0.
        let away = (bits as i64 >> 63) as u64 & SURPLUS;
        below[lane] = f64::from_bits((bits + away) & !SURPLUS) as f32;
    }
    Quad32::new(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frames;
    use crate::frames::random::RandomFrames;

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

    #[test]
    fn singles_are_rounded_down() {
        for x in [0.0, 1.0, -1.0, 0.1, -0.1, 1e-50, -1e-50, 1e30, 16_777_217.0, -16_777_217.0, 3.5e38, 1e150]
        {
            let [below, ..] = f32_below(lanes::splat(x)).to_array();
            assert!(f64::from(below) <= x, "{x}: {below}");
            if x.abs() > 1e-37 && x < 3.4e38 {
                let above = if below == 0.0 { f32::MIN_POSITIVE } else { below.next_up() };
                assert!(f64::from(above) > x, "{x}: {below} could be larger");
            }
        }
        let lanes = Block::new([0.1_f32.into(), -1e150, 0.0, -0.0]);
        assert_eq!(f32_below(lanes).to_array(), [0.1, f32::NEG_INFINITY, 0.0, 0.0]);
    }
}
