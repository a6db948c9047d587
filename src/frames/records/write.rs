//! From columns to records and boxes, eight frames at a time.

use std::ops::Range;

use super::{BOX, record_length};
use crate::error::Result;
use crate::frames::columns::FrameColumns;
use crate::frames::lanes::{FrameLanes, Sizes};
use crate::soa::Column;
use crate::soa::block::Quantity;
use crate::soa::lanes::{Block, Block32, LANES, LANES32};
use crate::soa::layout;

/// Frames that are written together.
const GROUP: usize = LANES32;

/// Columns in groups of frames, each as two blocks.
pub(super) struct ColumnGroups<'a, const D: usize> {
    /// Groups in each column.
    count: usize,
    origin: [&'a [[Block; 2]]; D],
    components: [[&'a [[Block; 2]]; D]; D],
    velocity: Option<[&'a [[Block; 2]]; D]>,
    pub(super) kinds: &'a [[u8; GROUP]],
    /// In seconds; 0 for frames at rest.
    pub(super) duration: f64,
}

impl<'a, const D: usize> ColumnGroups<'a, D> {
    fn of(columns: &FrameColumns<'a, D>) -> Self {
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
    pub(super) fn half(&self, group: usize, half: usize) -> FrameLanes<D> {
        let mut frames = FrameLanes::ZERO;
        for axis in 0..D {
            frames.origin[axis] = self.origin[axis][group][half];
            if let Some(velocity) = &self.velocity {
                frames.velocity[axis] = velocity[axis][group][half];
            }
            for (to, from) in frames.components.iter_mut().zip(&self.components) {
                to[axis] = from[axis][group][half];
            }
        }
        frames
    }

    /// The frames of a group in single precision, with their velocities, and whether all numbers have so few digits that
    /// nothing was rounded.
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
            for (to, column) in frames.velocity.iter_mut().zip(velocity) {
                *to = single(numbers(column), &mut digits);
            }
        }
        (frames, layout::have_few_digits(digits))
    }

    /// Whether all frames of a group surely pass [`Frame::check`](crate::Frame::check); if not, each must be checked alone.
    #[inline(always)]
    fn are_surely_valid(&self, group: usize, frames: &FrameLanes<D, Block32>) -> bool {
        frames.are_surely_valid(self.duration) || self.are_surely_valid_in_double(group)
    }

    #[cold]
    #[inline(never)]
    fn are_surely_valid_in_double(&self, group: usize) -> bool {
        [0, 1].into_iter().all(|half| self.half(group, half).are_surely_valid(self.duration))
    }
}

#[inline(always)]
fn single([low, high]: &[Block; 2], digits: &mut Block) -> Block32 {
    *digits = *digits | *low | *high;
    layout::join(layout::to_single(*low), layout::to_single(*high))
}

/// The rounding error of single precision.
#[inline(always)]
fn rest([low, high]: &[Block; 2]) -> Block32 {
    let rest = |x: Block| layout::to_single(x - layout::to_double(layout::to_single(x)));
    layout::join(rest(*low), rest(*high))
}

/// A range of frames, with room for their records and boxes.
pub(super) struct RecordWriter<'a, const D: usize> {
    pub(super) rows: Range<usize>,
    pub(super) columns: &'a FrameColumns<'a, D>,
    /// Whether the frames must be checked.
    pub(super) to_check: bool,
    pub(super) records: &'a mut [f32],
    pub(super) boxes: &'a mut [f32],
}

impl<const D: usize> RecordWriter<'_, D> {
    /// Returns the largest coordinate of the origins, or what is wrong with the first bad frame.
    pub(super) fn write(&mut self) -> Result<f64> {
        match (D, self.columns.velocity.is_some()) {
            (2, false) => self.write_all::<{ record_length(2, false) }, false>(),
            (2, true) => self.write_all::<{ record_length(2, true) }, true>(),
            (_, false) => self.write_all::<{ record_length(3, false) }, false>(),
            (_, true) => self.write_all::<{ record_length(3, true) }, true>(),
        }
    }

    /// The same for records of `N` numbers, with velocities if `MOVING`.
    fn write_all<const N: usize, const MOVING: bool>(&mut self) -> Result<f64> {
        let (rows, columns, to_check) = (self.rows.clone(), self.columns, self.to_check);
        let (records, boxes) = (self.records.as_chunks_mut::<N>().0, self.boxes.as_chunks_mut::<BOX>().0);
        let groups = ColumnGroups::of(columns);
        let mut farthest = Block32::ZERO;
        for group in rows.start / GROUP..rows.end.div_ceil(GROUP) {
            let (frames, is_short) = groups.singles(group);
            let all = group * GROUP..(group + 1) * GROUP;
            let part = all.start.max(rows.start)..all.end.min(rows.end);
            if to_check && !groups.are_surely_valid(group, &frames) {
                part.clone().try_for_each(|row| columns.frame(row).check(columns.duration, row))?;
            }
            let ends = groups.boxes_below::<MOVING>(&frames, is_short, group);
            let room = part.start - rows.start..part.end - rows.start;
            let (records, boxes) = (&mut records[room.clone()], &mut boxes[room]);
            if let (Some(records), Some(boxes)) = (
                <&mut [_; GROUP]>::try_from(&mut *records).ok(),
                <&mut [_; GROUP]>::try_from(&mut *boxes).ok(),
            ) {
                write_group::<D, N, MOVING>(&frames, &ends, records, boxes);
            } else {
                let (mut whole, mut whole_boxes) = ([[0.0; N]; GROUP], [[0.0; BOX]; GROUP]);
                write_group::<D, N, MOVING>(&frames, &ends, &mut whole, &mut whole_boxes);
                let within = part.start - all.start..part.end - all.start;
                records.copy_from_slice(&whole[within.clone()]);
                boxes.copy_from_slice(&whole_boxes[within]);
            }
            farthest = frames.origin.iter().fold(farthest, |most, o| Quantity::max(o.abs(), most));
        }
        // Not below what the origins were before rounding.
        let farthest = farthest.to_array().into_iter().fold(0.0, f32::max);
        Ok(f64::from(farthest) * (1.0 + 1e-6))
    }
}

/// Writes the records and boxes of one group.
#[inline(always)]
fn write_group<const D: usize, const N: usize, const MOVING: bool>(
    frames: &FrameLanes<D, Block32>,
    ends: &[[Block32; LANES]; 2],
    records: &mut [[f32; N]; GROUP],
    boxes: &mut [[f32; BOX]; GROUP],
) {
    let numbers = record_of(frames);
    for part in 0..N / LANES {
        // Four numbers each; the last four of a record of a moving frame are those of its velocity.
        let from = if MOVING && part == N / LANES - 1 { VELOCITY } else { part };
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

/// Where [`record_of`] has the velocity.
const VELOCITY: usize = 4;

/// The numbers of the records of a group, four at a time: two (in 2D) or four (in 3D) times four without motion, then at
/// [`VELOCITY`] the velocity and the bound of its norm.
#[inline(always)]
fn record_of<const D: usize>(frames: &FrameLanes<D, Block32>) -> [[Block32; LANES]; VELOCITY + 1] {
    let sizes = Sizes::of(frames);
    // Velocities below the normal numbers have lost digits; a long duration makes that error large.
    let velocity = above(sizes.velocity) + Block32::splat(4.0 * f32::MIN_POSITIVE);
    if D == 2 {
        let FrameLanes { origin: o, origin_rest: r, components: [a, b], velocity: v } = frames.resized::<2>();
        let none = [Block32::ZERO; LANES];
        return [
            [o[0], o[1], r[0], r[1]],
            [a[0], a[1], b[0], b[1]],
            none,
            none,
            [v[0], v[1], velocity, Block32::ZERO],
        ];
    }
    let FrameLanes { origin: o, origin_rest: r, components: [a, b, c], velocity: v } = frames.resized::<3>();
    let sizes = layout::join_halves(above(sizes.edge), above(sizes.cofactor));
    [
        [o[0], o[1], o[2], r[0]],
        [r[1], r[2], a[0], a[1]],
        [a[2], b[0], b[1], b[2]],
        [c[0], c[1], c[2], sizes],
        [v[0], v[1], v[2], velocity],
    ]
}

/// Upper bounds that stay so when they are cut to half the bits of an f32: larger by 2^-6, which exceeds that and all
/// rounding.
#[inline(always)]
fn above(x: Block32) -> Block32 {
    x * Block32::splat(1.0 + 1.0 / 64.0)
}
