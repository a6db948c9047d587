//! From columns to records and boxes, eight frames at a time.

use std::ops::{Range, RangeInclusive};

use super::lanes::{FrameLanes, Sizes};
use super::packed::BOX;
use super::{Frame, FrameKind};
use crate::error::Result;
use crate::soa::Column;
use crate::soa::block::Lanes;
use crate::soa::lanes::{self, Block, Block32, LANES, LANES32, Quad32};
use crate::soa::layout;

/// The columns of a set of frames.
pub(super) struct Columns<'a, const D: usize> {
    pub(super) kinds: &'a Column<u8>,
    pub(super) origin: &'a [Column<f64>; D],
    pub(super) components: &'a [[Column<f64>; D]; D],
    /// Of frames that move.
    pub(super) velocity: Option<&'a [Column<f64>; D]>,
    /// In seconds; 0 for frames that rest.
    pub(super) duration: f64,
}

impl<'a, const D: usize> Columns<'a, D> {
    /// The columns of a set that moves for some seconds, or rests.
    pub(super) fn new(
        duration: Option<f64>,
        kinds: &'a Column<u8>,
        origin: &'a [Column<f64>; D],
        components: &'a [[Column<f64>; D]; D],
        velocity: &'a [Column<f64>; D],
    ) -> Self {
        let velocity = duration.is_some().then_some(velocity);
        Self { kinds, origin, components, velocity, duration: duration.unwrap_or(0.0) }
    }

    /// One frame of a row that exists.
    #[inline]
    pub(super) fn frame(&self, row: usize) -> Frame<D> {
        let vector = |columns: &[Column<f64>; D]| std::array::from_fn(|axis| columns[axis].as_slice()[row]);
        let kind = FrameKind::from_code(self.kinds.as_slice()[row]).expect("only known kinds are written");
        Frame {
            kind,
            origin: vector(self.origin),
            components: std::array::from_fn(|i| vector(&self.components[i])),
            velocity: self.velocity.map_or([0.0; D], vector),
        }
    }
}

/// Frames that are packed together.
const GROUP: usize = LANES32;

/// The same columns in groups of frames, each as two blocks.
struct Groups<'a, const D: usize> {
    /// Every column has as many.
    count: usize,
    origin: [&'a [[Block; 2]]; D],
    components: [[&'a [[Block; 2]]; D]; D],
    velocity: Option<[&'a [[Block; 2]]; D]>,
    kinds: &'a [[u8; GROUP]],
    /// In seconds; 0 for frames that rest.
    duration: f64,
}

impl<'a, const D: usize> Groups<'a, D> {
    fn of(columns: &Columns<'a, D>) -> Self {
        let count = columns.kinds.len().div_ceil(GROUP);
        let groups = |columns: &'a [Column<f64>; D]| {
            columns.each_ref().map(|column| &bytemuck::cast_slice(column.padded())[..count])
        };
        Self {
            count,
            origin: groups(columns.origin),
            components: columns.components.each_ref().map(groups),
            velocity: columns.velocity.map(groups),
            kinds: columns.kinds.padded().as_chunks().0,
            duration: columns.duration,
        }
    }

    /// Half of the frames of a group, with their velocities.
    #[inline(always)]
    fn half(&self, group: usize, half: usize) -> FrameLanes<D> {
        let mut frames = FrameLanes::ZERO;
        for axis in 0..D {
            frames.origin[axis] = self.origin[axis][group][half];
            if let Some(velocity) = &self.velocity {
                frames.way[axis] = velocity[axis][group][half];
            }
            for (to, from) in frames.components.iter_mut().zip(&self.components) {
                to[axis] = from[axis][group][half];
            }
        }
        frames
    }

    /// The frames of a group in single precision, with their velocities, and whether they have lost nothing by it.
    #[inline(always)]
    fn singles(&self, group: usize) -> (FrameLanes<D, Block32>, bool) {
        assert!(group < self.count, "a group that exists");
        // SAFETY: every column has this group.
        let numbers = |column: &'a [[Block; 2]]| unsafe { column.get_unchecked(group) };
        let mut frames = FrameLanes::ZERO;
        let mut digits = Block::ZERO;
        for axis in 0..D {
            let origin = numbers(self.origin[axis]);
            frames.origin[axis] = single(origin, &mut digits);
            frames.origin_rest[axis] = rest(origin);
            for i in 0..D {
                frames.components[i][axis] = single(numbers(self.components[i][axis]), &mut digits);
            }
        }
        if let Some(velocity) = &self.velocity {
            for (way, column) in frames.way.iter_mut().zip(velocity) {
                *way = single(numbers(column), &mut digits);
            }
        }
        (frames, layout::have_few_digits(digits))
    }

    /// Whether all frames of a group would pass [`Frame::check`](super::Frame::check). If not, each must be looked at alone.
    #[inline(always)]
    fn are_surely_sound(&self, group: usize, frames: &FrameLanes<D, Block32>) -> bool {
        frames.are_surely_sound(self.duration) || self.are_surely_sound_in_double(group)
    }

    #[cold]
    #[inline(never)]
    fn are_surely_sound_in_double(&self, group: usize) -> bool {
        [0, 1].into_iter().all(|half| self.half(group, half).are_surely_sound(self.duration))
    }
}

#[inline(always)]
fn single([low, high]: &[Block; 2], digits: &mut Block) -> Block32 {
    *digits = *digits | *low | *high;
    layout::join(layout::to_single(*low), layout::to_single(*high))
}

/// What rounding to single precision takes away.
#[inline(always)]
fn rest([low, high]: &[Block; 2]) -> Block32 {
    let rest = |x: Block| layout::to_single(x - layout::to_double(layout::to_single(x)));
    layout::join(rest(*low), rest(*high))
}

/// Rows to be packed, with room for their records and boxes.
pub(super) struct Packing<'a, const D: usize> {
    pub(super) rows: Range<usize>,
    pub(super) columns: &'a Columns<'a, D>,
    /// Whether the frames must be checked.
    pub(super) to_check: bool,
    pub(super) records: &'a mut [f32],
    pub(super) boxes: &'a mut [f32],
}

impl<const D: usize> Packing<'_, D> {
    /// Returns the largest coordinate of the origins, or what is wrong with the first bad frame.
    pub(super) fn pack(&mut self) -> Result<f64> {
        match (D, self.columns.velocity.is_some()) {
            (2, false) => self.pack_all::<8>(),
            (2, true) => self.pack_all::<12>(),
            (_, false) => self.pack_all::<16>(),
            (_, true) => self.pack_all::<20>(),
        }
    }

    /// The same for records of `N` numbers.
    fn pack_all<const N: usize>(&mut self) -> Result<f64> {
        let (rows, columns, to_check) = (self.rows.clone(), self.columns, self.to_check);
        let (records, boxes) = (self.records.as_chunks_mut::<N>().0, self.boxes.as_chunks_mut::<BOX>().0);
        let groups = Groups::of(columns);
        let mut farthest = Block32::ZERO;
        for group in rows.start / GROUP..rows.end.div_ceil(GROUP) {
            let (frames, is_short) = groups.singles(group);
            let all = group * GROUP..(group + 1) * GROUP;
            let part = all.start.max(rows.start)..all.end.min(rows.end);
            if to_check && !groups.are_surely_sound(group, &frames) {
                part.clone().try_for_each(|row| columns.frame(row).check(columns.duration, row))?;
            }
            let ends = if N.is_multiple_of(8) {
                groups.boxes_below::<false>(&frames, is_short, group)
            } else {
                groups.boxes_below::<true>(&frames, is_short, group)
            };
            let room = part.start - rows.start..part.end - rows.start;
            let (records, boxes) = (&mut records[room.clone()], &mut boxes[room]);
            if let (Some(records), Some(boxes)) = (
                <&mut [_; GROUP]>::try_from(&mut *records).ok(),
                <&mut [_; GROUP]>::try_from(&mut *boxes).ok(),
            ) {
                write(&frames, &ends, records, boxes);
            } else {
                let (mut whole, mut whole_boxes) = ([[0.0; N]; GROUP], [[0.0; BOX]; GROUP]);
                write(&frames, &ends, &mut whole, &mut whole_boxes);
                let within = part.start - all.start..part.end - all.start;
                records.copy_from_slice(&whole[within.clone()]);
                boxes.copy_from_slice(&whole_boxes[within]);
            }
            farthest = frames.origin.iter().fold(farthest, |most, o| Lanes::max(o.abs(), most));
        }
        // Not below what the origins were before rounding.
        let farthest = farthest.to_array().into_iter().fold(0.0, f32::max);
        Ok(f64::from(farthest) * (1.0 + 1e-6))
    }
}

/// Writes one group.
#[inline(always)]
fn write<const D: usize, const N: usize>(
    frames: &FrameLanes<D, Block32>,
    ends: &[[Block32; LANES]; 2],
    records: &mut [[f32; N]; GROUP],
    boxes: &mut [[f32; BOX]; GROUP],
) {
    let numbers = record_of(frames);
    for part in 0..N / LANES {
        // The motion, in the last quarter of a record that has one, is the last of the numbers.
        let has_motion = !N.is_multiple_of(8);
        let from = if has_motion && part == N / LANES - 1 { 4 } else { part };
        let rows = layout::rows_of_quads(numbers[from]);
        for lane in 0..GROUP {
            records[lane].as_chunks_mut::<LANES>().0[part] = rows[lane];
        }
    }
    for (half, &ends) in ends.iter().enumerate() {
        let rows = layout::rows_of_quads(ends);
        for lane in 0..GROUP {
            boxes[lane].as_chunks_mut::<LANES>().0[half] = rows[lane];
        }
    }
}

impl<const D: usize> Groups<'_, D> {
    /// The boxes that the frames of a group sweep, none too small: lower ends and kinds, then negated upper ends.
    #[inline(always)]
    fn boxes_below<const MOVING: bool>(
        &self,
        frames: &FrameLanes<D, Block32>,
        is_short: bool,
        group: usize,
    ) -> [[Block32; LANES]; 2] {
        let is_tetrahedron = lanes::mask32_from_bytes(self.kinds[group]);
        // An axis that is not used always overlaps.
        let mut ends = [[Block32::splat(-1.0); 2]; 3];
        let mut is_tame = lanes::mask32(!MOVING || USUAL_DURATIONS.contains(&self.duration));
        for (axis, end) in ends.iter_mut().take(D).enumerate() {
            let way = frames.way[axis] * Block32::splat(self.duration as f32);
            let (about, magnitude) = ends_about::<D, MOVING>(frames, axis, way, is_tetrahedron);
            *end = about;
            is_tame &= magnitude.lt(Block32::splat(LARGEST));
        }
        if is_short || is_tame.bits() != 0xFF {
            ends = self.short_ends(group);
        }
        let kind = is_tetrahedron.select(Block32::splat(-1.0), Block32::splat(1.0));
        [[ends[0][0], ends[1][0], ends[2][0], kind], [ends[0][1], ends[1][1], ends[2][1], Block32::ZERO]]
    }

    /// Ends along each axis, lower and negated upper, that are exact if their sums are.
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

/// The numbers of the records of a group: the quarters, of which the plane has two, then the motion.
#[inline(always)]
fn record_of<const D: usize>(frames: &FrameLanes<D, Block32>) -> [[Block32; LANES]; 5] {
    let sizes = Sizes::of(frames);
    // Velocities below the usual numbers have lost digits, which a long duration makes large.
    let velocity = above(sizes.velocity) + Block32::splat(4.0 * f32::MIN_POSITIVE);
    if D == 2 {
        let FrameLanes { origin: o, origin_rest: r, components: [a, b], way: w } = frames.resized::<2>();
        let none = [Block32::ZERO; LANES];
        return [
            [o[0], o[1], r[0], r[1]],
            [a[0], a[1], b[0], b[1]],
            none,
            none,
            [w[0], w[1], velocity, Block32::ZERO],
        ];
    }
    let FrameLanes { origin: o, origin_rest: r, components: [a, b, c], way: w } = frames.resized::<3>();
    let sizes = layout::join_halves(above(sizes.edge), above(sizes.cofactor));
    [
        [o[0], o[1], o[2], r[0]],
        [r[1], r[2], a[0], a[1]],
        [a[2], b[0], b[1], b[2]],
        [c[0], c[1], c[2], sizes],
        [w[0], w[1], w[2], velocity],
    ]
}

/// Numbers that are larger by 2^-6, which is more than half of an f32, and rounding, may take away.
#[inline(always)]
fn above(x: Block32) -> Block32 {
    x * Block32::splat(1.0 + 1.0 / 64.0)
}

/// Numbers below this may be added up in single precision.
const LARGEST: f32 = 1e37;

/// In seconds: with these the way of a velocity that is tiny in single precision is off by less than what is tiny.
const USUAL_DURATIONS: RangeInclusive<f64> = 1e-6..=1e6;

/// Ends along one axis, lower and negated upper, with a margin that covers all rounding, and the magnitude of what they
/// are made of.
///
/// With u = 2^-24 the components, the way and their sum are off by less than 16 u times their magnitudes, and adding the
/// origin, which is known to 48 bits, by u times the magnitude of the end.
#[inline(always)]
fn ends_about<const D: usize, const MOVING: bool>(
    frames: &FrameLanes<D, Block32>,
    axis: usize,
    way: Block32,
    is_tetrahedron: Block32,
) -> ([Block32; 2], Block32) {
    let (origin, rest) = (frames.origin[axis], frames.origin_rest[axis]);
    let [mut least, mut most, mut sum_below, mut sum_above] = [Block32::ZERO; 4];
    for component in &frames.components {
        let x = component[axis];
        let (below, above) = (Lanes::min(x, Block32::ZERO), Lanes::max(x, Block32::ZERO));
        (least, most) = (Lanes::min(below, least), Lanes::max(above, most));
        (sum_below, sum_above) = (sum_below + below, sum_above + above);
    }
    let mut magnitude = sum_above - sum_below;
    let mut down = is_tetrahedron.select(least, sum_below);
    let mut up = is_tetrahedron.select(most, sum_above);
    if MOVING {
        magnitude += way.abs();
        (down, up) = (down + Lanes::min(way, Block32::ZERO), up + Lanes::max(way, Block32::ZERO));
    }
    let unit = f32::EPSILON / 2.0;
    let margin = (magnitude * Block32::splat(16.0 * unit) + origin.abs() * Block32::splat(4.0 * unit))
        + Block32::splat(f32::MIN_POSITIVE);
    let ends = [origin + ((down + rest) - margin), Block32::ZERO - (origin + ((up + rest) + margin))];
    (ends, magnitude + origin.abs())
}

/// The lower ends of what four frames sweep along an axis that is turned around if `sign` is -1, not above the truth.
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
        let reach = lanes::min(component[axis] * sign, Block::ZERO);
        corner = lanes::min(reach, corner);
        cuboid = cuboid.plus(reach);
    }
    let tetrahedron = start.plus(corner);
    let end = ExactSum {
        total: lanes::select(is_tetrahedron, tetrahedron.total, cuboid.total),
        error: lanes::select(is_tetrahedron, tetrahedron.error, cuboid.error),
    };
    let way = frames.way[axis] * lanes::splat(duration);
    // A product with 1 is exact; any other is within half a unit in the last place.
    let way_error = way.abs() * lanes::splat(if duration == 1.0 { 0.0 } else { f64::EPSILON });
    let end = end.plus(lanes::min(way * sign, Block::ZERO));
    let error = end.error + end.error * lanes::splat(1e-15) + way_error;
    // Exact sums stay as they are, so that boxes that touch exactly are known not to overlap.
    lanes::select(lanes::lt(Block::ZERO, error), lower(end.total - error), end.total)
}

/// A number that is a little smaller than each lane.
#[inline(always)]
fn lower(x: Block) -> Block {
    x - x.abs() * lanes::splat(f64::EPSILON)
}

/// A sum and the magnitude of what rounding has lost from it.
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

    /// Knuth's two-sum, which gives the rounding error of an addition exactly.
    #[inline(always)]
    fn plus(self, x: Block) -> Self {
        let total = self.total + x;
        let part = total - self.total;
        let lost = (self.total - (total - part)) + (x - part);
        Self { total, error: self.error + lost.abs() }
    }
}

/// For each lane the largest `f32` of usual precision that is not above it, and not above the largest finite `f32`.
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

    /// Frames of many sizes, near and far, with velocities whose way is neither lost nor infinite in double precision.
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
            for (index, numbers) in frames.packed().unwrap().boxes().iter().enumerate() {
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
        for (index, numbers) in frames.packed().unwrap().boxes().iter().enumerate() {
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
