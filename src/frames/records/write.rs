//! From columns to records and boxes, eight frames at a time.

use std::ops::Range;

use super::halves::join_halves;
use super::{BOX, record_length};
use crate::error::Result;
use crate::frames::columns::FrameColumns;
use crate::frames::lanes::{FrameLanes, Sizes};
use crate::soa::Column;
use crate::soa::block::{Doubles, LANES, LANES32, Lanes, Quantity, Singles};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

/// Frames that are written together.
const GROUP: usize = LANES32;

/// One number of each frame of a group.
type Group = [f64; GROUP];

/// Columns in groups of frames.
pub(super) struct ColumnGroups<'a, const D: usize> {
    /// Groups in each column.
    count: usize,
    origin: [&'a [Group]; D],
    components: [[&'a [Group]; D]; D],
    velocity: Option<[&'a [Group]; D]>,
    pub(super) kinds: &'a [[u8; GROUP]],
    /// In seconds; 0 for frames at rest.
    pub(super) duration: f64,
}

impl<'a, const D: usize> ColumnGroups<'a, D> {
    fn of(columns: &FrameColumns<'a, D>) -> Self {
        let count = columns.kinds.len().div_ceil(GROUP);
        let groups = |columns: &'a [Column<f64>; D]| {
            columns.each_ref().map(|column| &column.padded().as_chunks().0[..count])
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
    pub(super) fn half<B: Doubles>(&self, group: usize, half: usize) -> FrameLanes<D, B> {
        let mut frames = FrameLanes::ZERO;
        for axis in 0..D {
            frames.origin[axis] = blocks(&self.origin[axis][group])[half];
            if let Some(velocity) = &self.velocity {
                frames.velocity[axis] = blocks(&velocity[axis][group])[half];
            }
            for i in 0..D {
                frames.components[i][axis] = blocks(&self.components[i][axis][group])[half];
            }
        }
        frames
    }

    /// The frames of a group in single precision, with their velocities, and whether all numbers have so few digits that
    /// nothing was rounded.
    #[inline(always)]
    fn singles<S: Simd>(&self, group: usize) -> (FrameLanes<D, S::Block32>, bool) {
        let mut frames = FrameLanes::ZERO;
        let mut digits = S::Block::ZERO;
        for axis in 0..D {
            let origin = self.numbers(self.origin[axis], group);
            frames.origin[axis] = single::<S>(origin, &mut digits);
            frames.origin_rest[axis] = rest::<S>(origin);
            for i in 0..D {
                let component = self.numbers(self.components[i][axis], group);
                frames.components[i][axis] = single::<S>(component, &mut digits);
            }
        }
        if let Some(velocity) = &self.velocity {
            for (to, column) in frames.velocity.iter_mut().zip(velocity) {
                *to = single::<S>(self.numbers(column, group), &mut digits);
            }
        }
        (frames, digits.lacks_bits(SURPLUS))
    }

    /// The numbers of a group of one of the columns.
    #[inline(always)]
    fn numbers<B: Doubles>(&self, column: &[Group], group: usize) -> [B; 2] {
        assert!(group < self.count, "a group that exists");
        // SAFETY: every column has this group.
        blocks(unsafe { column.get_unchecked(group) })
    }

    /// Whether all frames of a group surely pass [`Frame::check`](crate::Frame::check); if not, each must be checked alone.
    #[inline(always)]
    fn are_surely_valid<S: Simd>(&self, group: usize, frames: &FrameLanes<D, S::Block32>) -> bool {
        frames.are_surely_valid(self.duration) || S::call(AreValidInDouble { groups: self, group })
    }
}

/// Whether all frames of a group surely pass the check, in double precision.
struct AreValidInDouble<'a, const D: usize> {
    groups: &'a ColumnGroups<'a, D>,
    group: usize,
}

impl<const D: usize> Kernel for AreValidInDouble<'_, D> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let Self { groups, group } = self;
        for half in [0, 1] {
            if !groups.half::<S::Block>(group, half).are_surely_valid(groups.duration) {
                return false;
            }
        }
        true
    }
}

/// Bits of an `f64` that an `f32` does not have.
pub(super) const SURPLUS: u64 = (1 << 29) - 1;

/// A group of numbers as blocks.
#[inline(always)]
fn blocks<B: Doubles>(group: &Group) -> [B; 2] {
    let (halves, _) = group.as_chunks();
    [B::new(halves[0]), B::new(halves[1])]
}

#[inline(always)]
fn single<S: Simd>([low, high]: [S::Block; 2], digits: &mut S::Block) -> S::Block32 {
    *digits = *digits | low | high;
    S::to_single(low, high)
}

/// The rounding error of single precision.
#[inline(always)]
fn rest<S: Simd>([low, high]: [S::Block; 2]) -> S::Block32 {
    let [nearest_low, nearest_high] = S::to_double(S::to_single(low, high));
    S::to_single(low - nearest_low, high - nearest_high)
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
        level::run(self)
    }

    /// The same for records of `N` numbers, with velocities if `MOVING`.
    #[inline(always)]
    fn write_all<S: Simd, const N: usize, const MOVING: bool>(&mut self) -> Result<f64> {
        let (rows, columns, to_check) = (self.rows.clone(), self.columns, self.to_check);
        let (records, boxes) = (self.records.as_chunks_mut::<N>().0, self.boxes.as_chunks_mut::<BOX>().0);
        let groups = ColumnGroups::of(columns);
        let mut farthest = S::Block32::ZERO;
        for group in rows.start / GROUP..rows.end.div_ceil(GROUP) {
            let (frames, is_short) = groups.singles::<S>(group);
            let all = group * GROUP..(group + 1) * GROUP;
            let part = all.start.max(rows.start)..all.end.min(rows.end);
            if to_check && !groups.are_surely_valid::<S>(group, &frames) {
                part.clone().try_for_each(|row| columns.frame(row).check(columns.duration, row))?;
            }
            let ends = groups.boxes_below::<S, MOVING>(&frames, is_short, group);
            let room = part.start - rows.start..part.end - rows.start;
            let (records, boxes) = (&mut records[room.clone()], &mut boxes[room]);
            if let (Some(records), Some(boxes)) = (
                <&mut [_; GROUP]>::try_from(&mut *records).ok(),
                <&mut [_; GROUP]>::try_from(&mut *boxes).ok(),
            ) {
                write_group::<S::Block32, D, N, MOVING>(&frames, &ends, records, boxes);
            } else {
                let (mut whole, mut whole_boxes) = ([[0.0; N]; GROUP], [[0.0; BOX]; GROUP]);
                write_group::<S::Block32, D, N, MOVING>(&frames, &ends, &mut whole, &mut whole_boxes);
                let within = part.start - all.start..part.end - all.start;
                records.copy_from_slice(&whole[within.clone()]);
                boxes.copy_from_slice(&whole_boxes[within]);
            }
            for axis in 0..D {
                farthest = frames.origin[axis].abs().max(farthest);
            }
        }
        // Not below what the origins were before rounding.
        let farthest = farthest.to_array().into_iter().fold(0.0, f32::max);
        Ok(f64::from(farthest) * (1.0 + 1e-6))
    }
}

impl<const D: usize> Kernel for &mut RecordWriter<'_, D> {
    type Output = Result<f64>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Result<f64> {
        match (D, self.columns.velocity.is_some()) {
            (2, false) => self.write_all::<S, { record_length(2, false) }, false>(),
            (2, true) => self.write_all::<S, { record_length(2, true) }, true>(),
            (_, false) => self.write_all::<S, { record_length(3, false) }, false>(),
            (_, true) => self.write_all::<S, { record_length(3, true) }, true>(),
        }
    }
}

/// Writes the records and boxes of one group.
#[inline(always)]
fn write_group<B: Singles, const D: usize, const N: usize, const MOVING: bool>(
    frames: &FrameLanes<D, B>,
    ends: &[[B; LANES]; 2],
    records: &mut [[f32; N]; GROUP],
    boxes: &mut [[f32; BOX]; GROUP],
) {
    let numbers = record_of(frames);
    for part in 0..N / LANES {
        // Four numbers each; the last four of a record of a moving frame are those of its velocity.
        let from = if MOVING && part == N / LANES - 1 { VELOCITY } else { part };
        let rows = B::rows_of_quads(numbers[from]);
        for lane in 0..GROUP {
            records[lane].as_chunks_mut::<LANES>().0[part] = rows[lane];
        }
    }
    for (half, &ends) in ends.iter().enumerate() {
        let rows = B::rows_of_quads(ends);
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
fn record_of<B: Singles, const D: usize>(frames: &FrameLanes<D, B>) -> [[B; LANES]; VELOCITY + 1] {
    let sizes = Sizes::of(frames);
    // Velocities below the normal numbers have lost digits; a long duration makes that error large.
    let velocity = above(sizes.velocity) + B::broadcast(4.0 * f32::MIN_POSITIVE);
    if D == 2 {
        let FrameLanes { origin: o, origin_rest: r, components: [a, b], velocity: v } = frames.resized::<2>();
        let none = [B::ZERO; LANES];
        return [
            [o[0], o[1], r[0], r[1]],
            [a[0], a[1], b[0], b[1]],
            none,
            none,
            [v[0], v[1], velocity, B::ZERO],
        ];
    }
    let FrameLanes { origin: o, origin_rest: r, components: [a, b, c], velocity: v } = frames.resized::<3>();
    let sizes = join_halves(above(sizes.edge), above(sizes.cofactor));
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
fn above<B: Singles>(x: B) -> B {
    x * B::splat(1.0 + 1.0 / 64.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::random::RandomFrames;
    use crate::frames::{FrameField, Frames};
    use crate::soa::Context;

    /// The bits of the records and of the boxes of all frames but the first.
    #[derive(Clone)]
    struct Written<'a, const D: usize>(&'a FrameColumns<'a, D>);

    impl<const D: usize> Kernel for Written<'_, D> {
        type Output = [Vec<u32>; 2];

        #[inline(always)]
        fn run<S: Simd>(self) -> Self::Output {
            let columns = self.0;
            let (length, count) = (record_length(D, columns.velocity.is_some()), columns.kinds.len());
            let mut records = vec![0.0; (count - 1) * length];
            let mut boxes = vec![0.0; (count - 1) * BOX];
            let (to_check, rows) = (true, 1..count);
            let mut writer =
                RecordWriter { rows, columns, to_check, records: &mut records, boxes: &mut boxes };
            (&mut writer).run::<S>().unwrap();
            if D == 3 {
                // The bound of the cofactors may be rounded otherwise.
                for record in records.chunks_mut(length) {
                    record[15] = f32::from_bits(record[15].to_bits() & 0xFFFF_0000);
                }
            }
            [records, boxes].map(|numbers| numbers.into_iter().map(f32::to_bits).collect())
        }
    }

    /// Usual frames, then some with few digits, which have exact boxes, then some that are small or large.
    fn all_levels_write_the_same<const D: usize>(duration: Option<f64>) {
        let mut random = RandomFrames::new(5);
        let mut frames = duration.map_or_else(Frames::<D>::resting, |t| Frames::moving(t).unwrap());
        for n in 0..93 {
            let mut frame = random.frame::<D>(duration.is_some());
            let scale = if n < 70 { 1.0 } else { 10.0_f64.powi(10 * (n % 9) - 40) };
            let change = |x: f64| if n / 8 == 4 { x.round() * 8.0 } else { x * scale };
            frame.origin = frame.origin.map(change);
            frame.components = frame.components.map(|component| component.map(change));
            if frame.check(duration.unwrap_or(1.0), 0).is_ok() {
                frames.add(&frame).unwrap();
            }
        }
        // Written group by group, not frame by frame.
        frames.column_mut(FrameField::Origin, 0).unwrap();
        frames.update(&Context::serial()).unwrap();
        let written = level::run_at_each_level(&Written(&frames.columns()));
        for other in &written[1..] {
            assert_eq!(other, &written[0]);
        }
        let boxes = frames.records().unwrap().boxes()[1..].as_flattened();
        assert!(boxes.iter().map(|x| x.to_bits()).eq(written[0][1].iter().copied()));
    }

    #[test]
    fn records_do_not_depend_on_the_level() {
        for duration in [None, Some(1.0), Some(0.3), Some(1e-40)] {
            all_levels_write_the_same::<2>(duration);
            all_levels_write_the_same::<3>(duration);
        }
    }
}
