//! Records: copies of the frames in single precision, which the kernels that find hits read.
//!
//! Each frame has one record and one box, written from the columns once per change. A record takes one or two cache
//! lines, so that a random pair costs few cache misses. What single precision cannot decide is read from the
//! [columns or rows](super::rows), which are in double precision.

mod boxes;
mod halves;
mod lazy;
mod reader;
mod write;

use std::ops::Range;

pub(crate) use lazy::LazyRecords;
pub(crate) use reader::RecordReader;
use write::RecordWriter;

use super::Frames;
use super::columns::FrameColumns;
use crate::error::Result;
use crate::soa::block::LANES;
use crate::soa::{Column, Context, prefetch};

/// Records and boxes of a set of frames, in f32.
///
/// Record: origin (D) and its rounding error (D), components (D D), in 3D upper bounds of the norms of components and
/// cofactors as the upper and the lower half of one number; and if the frames move the velocity (D) and an upper bound of
/// its norm, filled up to four numbers.
/// Box: on each axis the lower end, rounded down, in entry `axis`, and the negated upper end, rounded down, in entry
/// `4 + axis`. Entry 3 is 1 for a cuboid and -1 for a tetrahedron.
#[derive(Debug, Clone)]
pub(crate) struct FrameRecords<const D: usize> {
    records: Column<f32>,
    boxes: Column<f32>,
    is_moving: bool,
    /// No coordinate of an origin is larger, in metres.
    farthest: f64,
}

/// Frames that a thread checks and writes at a time; whole groups of them.
const CHUNK: usize = 1 << 13;

/// Numbers in a box.
pub(crate) const BOX: usize = 8;

impl<const D: usize> Frames<D> {
    /// Bytes that a test for intersection reads at most of each frame.
    #[must_use]
    pub const fn bytes_per_test(is_moving: bool) -> usize {
        (record_length(D, is_moving) + BOX) * size_of::<f32>()
    }
}

/// Numbers in a record of a frame in `dim` dimensions.
const fn record_length(dim: usize, is_moving: bool) -> usize {
    let at_rest = if dim == 2 { 2 * LANES } else { 4 * LANES };
    at_rest + if is_moving { LANES } else { 0 }
}

impl<const D: usize> FrameRecords<D> {
    /// Records and boxes of no frames.
    pub(super) fn new(is_moving: bool) -> Self {
        Self { records: Column::new(0.0), boxes: Column::new(0.0), is_moving, farthest: 0.0 }
    }

    #[inline(always)]
    fn stride(&self) -> usize {
        record_length(D, self.is_moving)
    }

    /// Whether the records have velocities.
    #[inline(always)]
    pub(crate) fn is_moving(&self) -> bool {
        self.is_moving
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.records.memory_bytes() + self.boxes.memory_bytes()
    }

    /// Makes room for the records of `len` frames.
    #[inline]
    pub(super) fn make_room(&mut self, len: usize) -> Result<()> {
        let additional = len.saturating_sub(self.len());
        self.records.reserve(additional.saturating_mul(self.stride()))?;
        self.boxes.reserve(additional.saturating_mul(BOX))
    }

    /// No coordinate of an origin is larger, in metres.
    pub(super) fn farthest(&self) -> f64 {
        self.farthest
    }

    /// Undoes what was added behind the first `len` frames.
    pub(super) fn restore(&mut self, len: usize, farthest: f64) {
        self.records.truncate(len * self.stride());
        self.boxes.truncate(len * BOX);
        self.farthest = farthest;
    }

    fn resize(&mut self, len: usize) -> Result<()> {
        self.records.resize_with_filler(len * self.stride())?;
        self.boxes.resize_with_filler(len * BOX)
    }

    /// Removes these frames, which are in rising order, as far as they have records.
    pub(super) fn remove(&mut self, rows: &[usize]) {
        let rows = &rows[..rows.partition_point(|&row| row < self.len())];
        self.records.remove_groups(rows, self.stride());
        self.boxes.remove_groups(rows, BOX);
    }

    /// Removes one frame that has a record; the last one takes its place.
    pub(super) fn swap_remove(&mut self, row: usize) {
        self.records.swap_remove_group(row, self.stride());
        self.boxes.swap_remove_group(row, BOX);
    }

    pub(super) fn clear(&mut self) {
        self.restore(0, 0.0);
    }

    /// Number of frames.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.boxes.len() / BOX
    }

    /// Upper bound of the distance of an origin in a record from the true one, in units of rounding of single precision:
    /// an origin and its rounding error have 48 bits together.
    #[inline(always)]
    pub(crate) fn slack(&self) -> f64 {
        self.farthest / f64::from(1 << 23)
    }

    /// The records, for a kernel that reads velocities only if `MOVING`.
    #[inline(always)]
    pub(crate) fn reader<const MOVING: bool>(&self) -> RecordReader<'_, D, MOVING> {
        RecordReader::new(self.records.as_slice(), self.is_moving)
    }

    /// The numbers of the records and of the boxes of those frames of a range that exist.
    #[inline(always)]
    pub(crate) fn numbers_of(&self, rows: Range<usize>) -> [&[f32]; 2] {
        let (start, end) = (rows.start.min(self.len()), rows.end.min(self.len()));
        let (records, boxes) = (self.records.as_slice(), self.boxes.as_slice());
        [&records[start * self.stride()..end * self.stride()], &boxes[start * BOX..end * BOX]]
    }

    /// The boxes of all frames, one after the other.
    #[inline(always)]
    pub(crate) fn boxes(&self) -> &[[f32; BOX]] {
        bytemuck::cast_slice(self.boxes.as_slice())
    }

    /// Prefetches what a test of listed pairs reads first of a frame: in the plane its record, in space its box. A row that
    /// does not exist does nothing.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: usize) {
        if D == 3 {
            prefetch::far(self.boxes.as_slice(), row * BOX);
            return;
        }
        let start = row * self.stride();
        prefetch::far(self.records.as_slice(), start);
        if self.is_moving {
            prefetch::far(self.records.as_slice(), start + self.stride() - 1);
        }
    }

    /// Writes the records of a range of frames from the columns; it begins among the frames with records or right behind
    /// them. A range of all frames may change whether they move.
    pub(super) fn write(&mut self, rows: Range<usize>, columns: &FrameColumns<D>) -> Result<()> {
        if rows == (0..columns.kinds.len()) {
            (self.is_moving, self.farthest) = (columns.velocity.is_some(), 0.0);
        }
        self.write_part(rows, columns, false)
    }

    /// Checks frames that follow those with records, and writes theirs; the error names the first bad frame.
    pub(super) fn check_and_write_part(
        &mut self,
        rows: Range<usize>,
        columns: &FrameColumns<D>,
    ) -> Result<()> {
        self.write_part(rows, columns, true)
    }

    fn write_part(&mut self, rows: Range<usize>, columns: &FrameColumns<D>, to_check: bool) -> Result<()> {
        debug_assert!(rows.start <= self.len(), "records have no gaps");
        self.resize(self.len().max(rows.end))?;
        let (stride, room) = (self.stride(), rows.clone());
        let records = &mut self.records.as_mut_slice()[room.start * stride..room.end * stride];
        let boxes = &mut self.boxes.as_mut_slice()[room.start * BOX..room.end * BOX];
        let mut writer = RecordWriter { rows, columns, to_check, records, boxes };
        self.farthest = self.farthest.max(writer.write()?);
        Ok(())
    }

    /// Checks all frames and writes their records; the error names the first bad frame.
    pub(super) fn check_and_write(&mut self, context: &Context, columns: &FrameColumns<D>) -> Result<()> {
        let count = columns.kinds.len();
        self.is_moving = columns.velocity.is_some();
        self.resize(count)?;
        let stride = self.stride();
        let records = self.records.as_mut_slice().chunks_mut(CHUNK * stride);
        let boxes = self.boxes.as_mut_slice().chunks_mut(CHUNK * BOX);
        let pieces = (0..count).step_by(CHUNK).zip(records.zip(boxes)).map(|(start, (records, boxes))| {
            RecordWriter { rows: start..(start + CHUNK).min(count), columns, to_check: true, records, boxes }
        });
        let mut outcomes: Vec<(RecordWriter<'_, D>, Result<f64>)> =
            pieces.map(|piece| (piece, Ok(0.0))).collect();
        context.for_each(outcomes.iter_mut().collect(), |(piece, outcome)| *outcome = piece.write());
        self.farthest =
            outcomes.into_iter().try_fold(0.0_f64, |most, (_, farthest)| Ok(most.max(farthest?)))?;
        Ok(())
    }
}
