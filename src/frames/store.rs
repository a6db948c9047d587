//! [`Frames`]: many frames in columns, and how they are added, replaced and removed.

use std::ops::Range;

use super::columns::FrameColumns;
use super::records::{FrameRecords, LazyRecords};
use super::rows::{FrameRows, RowReader};
use super::{Frame, FrameKind};
use crate::error::{Error, Result};
use crate::geometry::Aabb;
use crate::soa::store::{Rows as _, in_rising_order, store};
use crate::soa::{Column, Context, check};

store! {
    /// Frames in structure-of-arrays columns, in `D` = 2 or 3 dimensions.
    ///
    /// All frames of a set rest, or all of them move for the same duration. A frame is named by its index; removing one
    /// keeps the order of the others. Frames are checked when they are added.
    ///
    /// ```
    /// use carom::{Frame, Frames};
    /// let mut squares = Frames::<2>::resting();
    /// squares.add(&Frame::cuboid([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]))?;
    /// assert_eq!(squares.component(1, 1), [1.0]);
    /// assert_eq!(squares.bounds(0)?.max, [1.0, 1.0]);
    /// # Ok::<(), carom::Error>(())
    /// ```
    #[derive(Debug, Clone)]
    pub struct Frames<const D: usize>(duration: Option<f64>) {
        columns {
            pub(super) kinds: Column<u8> = Column::new(FrameKind::Cuboid as u8),
            origin: [Column<f64>; D] = vector(),
            /// Component by component, axis by axis.
            components: [[Column<f64>; D]; D] = std::array::from_fn(|_| vector()),
            /// Only of frames that move.
            velocity: Option<[Column<f64>; D]> = duration.map(|_| vector()),
        }
        state {
            /// How long the frames move, in seconds; `None` if they rest.
            duration: Option<f64> = duration,
            records: LazyRecords<D> = LazyRecords::new(duration.is_some()),
            rows: FrameRows = FrameRows::new(),
            /// Whether a column may have been written since the frames were last checked and copied into records.
            pub(super) stale: bool = false,
        }
    }
}

/// One empty column per axis.
fn vector<const D: usize>() -> [Column<f64>; D] {
    std::array::from_fn(|_| Column::new(0.0))
}

/// A property of frames that has columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameField {
    /// The vertex O.
    Origin,
    /// The component with this number.
    Component(usize),
    /// The velocity V.
    Velocity,
}

impl<const D: usize> Frames<D> {
    const DIMENSION_IS_TWO_OR_THREE: () = assert!(D == 2 || D == 3, "frames have two or three dimensions");

    /// An empty set of frames at rest.
    #[must_use]
    pub fn resting() -> Self {
        Self::with(None)
    }

    /// An empty set of frames that move from time 0 to `duration` seconds.
    pub fn moving(duration: f64) -> Result<Self> {
        check_duration(duration)?;
        Ok(Self::with(Some(duration)))
    }

    pub(super) fn with(duration: Option<f64>) -> Self {
        #[allow(clippy::let_unit_value, reason = "forces the assertion to be evaluated")]
        let () = Self::DIMENSION_IS_TWO_OR_THREE;
        Self::empty(duration)
    }

    /// How long the frames move, in seconds; `None` if they rest.
    #[must_use]
    pub fn duration(&self) -> Option<f64> {
        self.duration
    }

    /// Lets the frames move for another duration in seconds, or rest: `None`. Frames that rested have velocity 0 then.
    ///
    /// If a frame would move too far, or has a velocity and shall rest, the error names its index, and nothing changes.
    pub fn set_duration(&mut self, duration: Option<f64>) -> Result<()> {
        duration.map_or(Ok(()), check_duration)?;
        (0..self.len()).try_for_each(|index| self.check_motion(duration, index))?;
        match duration {
            None => self.velocity = None,
            Some(_) if self.is_moving() => {}
            Some(_) => {
                let mut velocity = vector();
                velocity.resize_rows(self.len())?;
                self.velocity = Some(velocity);
            }
        }
        self.duration = duration;
        self.renew_records(0..self.len())
    }

    /// Whether one frame of the set may move for this duration. What is stale is checked later, but never lost.
    fn check_motion(&self, duration: Option<f64>, index: usize) -> Result<()> {
        let frame = self.read(index);
        match duration {
            None if !frame.is_at_rest() => Err(Error::Resting { index }),
            Some(duration) if !self.stale => frame.check(duration, index),
            _ => Ok(()),
        }
    }

    /// Whether the frames of this set move.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.duration.is_some()
    }

    /// How long the motion lasts if this set or `other` moves, in seconds; `None` if both rest. Sets that both move must
    /// do so for the same duration.
    pub fn common_duration(&self, other: &Self) -> Result<Option<f64>> {
        match (self.duration, other.duration) {
            (Some(one), Some(two)) if one != two => {
                let expected = "the same for both sets";
                Err(Error::OutOfRange { field: "duration", value: two, expected })
            }
            (one, two) => Ok(one.or(two)),
        }
    }

    /// Number of frames.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no frames.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Bytes of memory held, with the copies that the kernels read.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.row_bytes() + self.records.memory_bytes() + self.rows.memory_bytes()
    }

    /// Makes room for exactly `additional` more frames. Indices have 32 bits.
    pub fn reserve(&mut self, additional: usize) -> Result<()> {
        self.check_room(additional)?;
        self.reserve_rows(additional)?;
        self.make_room_for_records(self.len() + additional)
    }

    pub(super) fn check_room(&self, additional: usize) -> Result<()> {
        let len = u32::try_from(self.len().saturating_add(additional));
        len.map(drop).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })
    }

    /// One frame as a value.
    pub fn get(&self, index: usize) -> Result<Frame<D>> {
        self.check_index(index)?;
        Ok(self.read(index))
    }

    /// Replaces one frame.
    pub fn set(&mut self, index: usize, frame: &Frame<D>) -> Result<()> {
        self.check_index(index)?;
        self.check_frame(frame, index)?;
        self.write(index, frame);
        self.renew_records(index..index + 1)
    }

    /// Replaces the frames from `first` on. If one of them is bad the error names its index in the set, and nothing
    /// changes.
    pub fn set_many(&mut self, first: usize, frames: &[Frame<D>]) -> Result<()> {
        self.set_from(first, frames)
    }

    /// Removes one frame. Every index above goes down by one.
    pub fn remove(&mut self, index: usize) -> Result<()> {
        self.check_index(index)?;
        self.remove_checked(&[index]);
        Ok(())
    }

    /// Removes the frames with these indices, listed once each in any order, in one pass over the columns. The order of the
    /// others is kept. If an index is bad nothing changes.
    pub fn remove_many(&mut self, indices: &[usize]) -> Result<()> {
        let rows = in_rising_order("frame", indices, self.len())?;
        self.remove_checked(&rows);
        Ok(())
    }

    fn remove_checked(&mut self, rows: &[usize]) {
        self.remove_rows(rows);
        // The next update writes all records of a stale set.
        if !self.stale {
            self.records.begun().remove(rows);
            self.rows.discard();
        }
    }

    /// Removes all frames and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate_rows(0);
        self.records.begun().clear();
        self.rows.discard();
        self.stale = false;
    }

    /// The axis-aligned box around one frame, swept over the duration if it moves, in metres.
    pub fn bounds(&self, index: usize) -> Result<Aabb<D>> {
        Ok(self.get(index)?.bounds(self.duration.unwrap_or(0.0)))
    }

    /// The [inverse](Frame::inverse) of the components of one frame.
    pub fn inverse(&self, index: usize) -> Result<[[f64; D]; D]> {
        Ok(self.get(index)?.inverse())
    }

    /// The [kinds](crate::FrameKind) of all frames, as their numbers.
    #[must_use]
    pub fn kinds(&self) -> &[u8] {
        self.kinds.as_slice()
    }

    /// One axis of the origins, in metres.
    ///
    /// # Panics
    /// If there is no such axis.
    #[must_use]
    pub fn origin(&self, axis: usize) -> &[f64] {
        self.origin[axis].as_slice()
    }

    /// One axis of one component of all frames, in metres.
    ///
    /// # Panics
    /// If there is no such component or axis.
    #[must_use]
    pub fn component(&self, component: usize, axis: usize) -> &[f64] {
        self.components[component][axis].as_slice()
    }

    /// One axis of the velocities, in metres per second; empty if the frames rest.
    ///
    /// # Panics
    /// If there is no such axis.
    #[must_use]
    pub fn velocity(&self, axis: usize) -> &[f64] {
        assert!(axis < D, "no axis {axis}");
        self.velocity.as_ref().map_or(&[], |velocity| velocity[axis].as_slice())
    }

    /// One column.
    pub fn column(&self, field: FrameField, axis: usize) -> Result<&Column<f64>> {
        check::index("axis", axis, D)?;
        let columns = match field {
            FrameField::Origin => &self.origin,
            FrameField::Component(i) => {
                check::index("component", i, D)?;
                &self.components[i]
            }
            FrameField::Velocity => self.velocity.as_ref().ok_or(Error::Resting { index: 0 })?,
        };
        Ok(&columns[axis])
    }

    /// One column, writable in place. What is written is not checked until [`update`](Self::update); until then the frames
    /// cannot be tested for intersection.
    pub fn column_mut(&mut self, field: FrameField, axis: usize) -> Result<&mut [f64]> {
        self.column(field, axis)?;
        self.stale = true;
        let columns = match field {
            FrameField::Origin => &mut self.origin,
            FrameField::Component(i) => &mut self.components[i],
            FrameField::Velocity => self.velocity.as_mut().ok_or(Error::Resting { index: 0 })?,
        };
        Ok(columns[axis].as_mut_slice())
    }

    /// Checks all frames after columns were written, and copies them for the kernels.
    ///
    /// If a frame is bad the error names its index; the columns keep what was written, and the frames still cannot be
    /// tested.
    pub fn update(&mut self, context: &Context) -> Result<()> {
        if !self.stale {
            return Ok(());
        }
        self.check_and_write_records(context)?;
        self.stale = false;
        Ok(())
    }

    /// The records, if the frames have been checked since a column was last written.
    pub(crate) fn records(&self) -> Result<&FrameRecords<D>> {
        if self.stale { Err(Error::Stale) } else { self.records.of(&self.columns()) }
    }

    /// Whether all of these frames exist.
    pub(crate) fn check_rows(&self, rows: &Range<usize>) -> Result<()> {
        check::rows("frame", rows, self.len())
    }

    pub(crate) fn check_index(&self, index: usize) -> Result<()> {
        check::index("frame", index, self.len())
    }

    pub(super) fn check_frame(&self, frame: &Frame<D>, index: usize) -> Result<()> {
        frame.check(self.duration.unwrap_or(0.0), index)?;
        if frame.is_at_rest() || self.is_moving() { Ok(()) } else { Err(Error::Resting { index }) }
    }

    /// One frame of a row that exists.
    #[inline]
    pub(crate) fn read(&self, row: usize) -> Frame<D> {
        self.columns().frame(row)
    }

    pub(super) fn write(&mut self, row: usize, frame: &Frame<D>) {
        let put = |columns: &mut [Column<f64>; D], values: &[f64; D]| {
            columns.iter_mut().zip(values).for_each(|(column, &x)| column.as_mut_slice()[row] = x);
        };
        self.kinds.as_mut_slice()[row] = frame.kind as u8;
        put(&mut self.origin, &frame.origin);
        self.components.iter_mut().zip(&frame.components).for_each(|(columns, values)| put(columns, values));
        if let Some(velocity) = &mut self.velocity {
            put(velocity, &frame.velocity);
        }
    }

    /// Appends a checked frame, for which there is room.
    #[inline]
    pub(super) fn push(&mut self, frame: &Frame<D>) {
        let put = |columns: &mut [Column<f64>; D], values: &[f64; D]| {
            columns.iter_mut().zip(values).for_each(|(column, &x)| column.push_in_room(x));
        };
        self.kinds.push_in_room(frame.kind as u8);
        put(&mut self.origin, &frame.origin);
        self.components.iter_mut().zip(&frame.components).for_each(|(columns, values)| put(columns, values));
        if let Some(velocity) = &mut self.velocity {
            put(velocity, &frame.velocity);
        }
    }

    /// Does something with each column of numbers.
    pub(super) fn for_each_column(&mut self, mut change: impl FnMut(FrameField, usize, &mut Column<f64>)) {
        let mut each = |field, columns: &mut [Column<f64>; D]| {
            columns.iter_mut().enumerate().for_each(|(axis, column)| change(field, axis, column));
        };
        each(FrameField::Origin, &mut self.origin);
        for (i, component) in self.components.iter_mut().enumerate() {
            each(FrameField::Component(i), component);
        }
        if let Some(velocity) = &mut self.velocity {
            each(FrameField::Velocity, velocity);
        }
    }

    /// Discards the rows in double precision, which no longer agree with the columns.
    #[inline]
    pub(super) fn discard_rows(&mut self) {
        self.rows.discard();
    }

    /// Makes room for the records of `len` frames.
    #[inline]
    pub(super) fn make_room_for_records(&mut self, len: usize) -> Result<()> {
        self.records.begun().make_room(len)
    }

    /// Writes the records that frames at the end lack, before others are added behind them; returns the largest coordinate.
    pub(super) fn begin_records(&mut self) -> Result<f64> {
        let (len, is_stale) = (self.len(), self.stale);
        let (records, columns) = self.records_and_columns();
        if !is_stale {
            records.write(records.len()..len, &columns)?;
        }
        Ok(records.farthest())
    }

    /// Makes the records those of the first `len` frames again.
    pub(super) fn restore_records(&mut self, len: usize, farthest: f64) {
        self.records.begun().restore(len, farthest);
    }

    /// Checks frames that were added behind those with records, and writes theirs; false if one may be bad, or if the set is
    /// stale and none is written.
    pub(super) fn has_written_valid_records(&mut self, rows: Range<usize>) -> bool {
        let is_stale = self.stale;
        let (records, columns) = self.records_and_columns();
        !is_stale && records.check_and_write_part(rows, &columns).is_ok()
    }

    /// Writes the records of a range again, as far as there are any, after its columns have changed.
    pub(super) fn renew_records(&mut self, rows: Range<usize>) -> Result<()> {
        if self.stale {
            return Ok(());
        }
        self.rows.discard();
        let (records, columns) = self.records_and_columns();
        // Those of frames behind them are written when they are first read.
        if rows.start <= records.len() { records.write(rows, &columns) } else { Ok(()) }
    }

    /// Lets the record of the frame that was the last take the place of a removed one.
    pub(super) fn swap_remove_record(&mut self, row: usize) -> Result<()> {
        if self.stale {
            return Ok(());
        }
        self.rows.discard();
        let (records, columns) = self.records_and_columns();
        if records.len() > columns.kinds.len() {
            records.swap_remove(row);
        } else if row < records.len() {
            records.write(row..row + 1, &columns)?;
        }
        Ok(())
    }

    /// Checks all frames and writes all records.
    fn check_and_write_records(&mut self, context: &Context) -> Result<()> {
        self.rows.discard();
        let (records, columns) = self.records_and_columns();
        records.check_and_write(context, &columns)
    }

    fn records_and_columns(&mut self) -> (&mut FrameRecords<D>, FrameColumns<'_, D>) {
        let Self { kinds, origin, components, velocity, records, .. } = self;
        let (velocity, duration) = (velocity.as_ref(), self.duration.unwrap_or(0.0));
        (records.begun(), FrameColumns { kinds, origin, components, velocity, duration })
    }

    pub(super) fn columns(&self) -> FrameColumns<'_, D> {
        let Self { kinds, origin, components, velocity, .. } = self;
        let (velocity, duration) = (velocity.as_ref(), self.duration.unwrap_or(0.0));
        FrameColumns { kinds, origin, components, velocity, duration }
    }

    /// The frames in double precision, to be read in any order.
    pub(crate) fn rows(&self) -> RowReader<'_, D> {
        RowReader::new(&self.columns())
    }

    /// The same for so many reads that it may pay to make rows first, once per change of the set.
    pub(crate) fn rows_for_many(&self, context: &Context, reads: usize) -> RowReader<'_, D> {
        let reader = self.rows();
        let rows = self.rows.of(context, &reader, reads);
        reader.with_rows(rows)
    }
}

fn check_duration(duration: f64) -> Result<()> {
    check::finite("duration", 0, duration)?;
    let expected = "above 0";
    if duration > 0.0 {
        Ok(())
    } else {
        Err(Error::OutOfRange { field: "duration", value: duration, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fmb::{Intersections, Pairs, Request};

    fn square(x: f64) -> Frame<2> {
        Frame::cuboid([x, 0.0], [[1.0, 0.0], [0.0, 1.0]])
    }

    #[test]
    fn a_bad_frame_is_named_and_nothing_is_added() {
        let mut frames = Frames::resting();
        frames.add(&square(0.0)).unwrap();
        let flat = Frame::cuboid([0.0, 0.0], [[1.0, 1.0], [2.0, 2.0]]);
        assert_eq!(frames.add_many(&[square(1.0), flat]), Err(Error::Degenerate { index: 1 }));
        assert_eq!(
            frames.add_many(&[square(1.0).with_velocity([1.0, 0.0])]),
            Err(Error::Resting { index: 0 })
        );
        assert_eq!(frames.len(), 1);
        assert_eq!(frames.add_many(&[square(1.0), square(2.0)]), Ok(1..3));
        frames.remove(0).unwrap();
        assert_eq!(frames.origin(0), [1.0, 2.0]);
        assert_eq!(frames.get(1), Ok(square(2.0)));
    }

    #[test]
    fn many_frames_are_removed_or_none() {
        for mut frames in [Frames::resting(), Frames::moving(2.0).unwrap()] {
            frames.add_many(&[0.0, 1.0, 2.0, 30.0, 3.0].map(square)).unwrap();
            assert!(matches!(frames.remove_many(&[1, 5]), Err(Error::BadIndex { index: 5, len: 5, .. })));
            assert!(matches!(frames.remove_many(&[1, 0, 1]), Err(Error::OutOfRange { value: 1.0, .. })));
            assert_eq!(frames.len(), 5);
            frames.remove_many(&[4, 1, 0]).unwrap();
            assert_eq!(frames.origin(0), [2.0, 30.0]);
            frames.add(&square(30.5)).unwrap();
            let mut found = Intersections::new(Request::COUNT);
            found.test(&Context::serial(), &frames, &frames, Pairs::Listed(&[[0, 1], [1, 2]])).unwrap();
            assert_eq!(found.hits(), 1, "the records have moved, too");
        }
    }

    #[test]
    fn written_columns_are_checked_before_they_are_used() {
        let mut frames = Frames::moving(2.0).unwrap();
        frames.add_many(&[square(0.0), square(3.0).with_velocity([-1.0, 0.0])]).unwrap();
        frames.column_mut(FrameField::Velocity, 1).unwrap()[1] = f64::NAN;
        assert!(matches!(frames.records(), Err(Error::Stale)));
        let context = Context::serial();
        assert!(matches!(frames.update(&context), Err(Error::NotFinite { field: "velocity", index: 1, .. })));
        frames.column_mut(FrameField::Velocity, 1).unwrap()[1] = 1.0;
        frames.update(&context).unwrap();
        assert_eq!(frames.bounds(1).unwrap(), Aabb { min: [1.0, 0.0], max: [4.0, 3.0] });
        assert!(frames.records().is_ok());
    }

    #[test]
    fn one_bad_frame_among_many_is_named() {
        let mut frames = Frames::resting();
        frames.add_many(&(0..1000).map(|i| square(f64::from(i))).collect::<Vec<_>>()).unwrap();
        let context = Context::serial();
        for (index, flat) in [(0, 0.0), (501, f64::INFINITY), (999, 1e200)] {
            frames.column_mut(FrameField::Component(1), 1).unwrap()[index] = flat;
            let error = frames.update(&context).unwrap_err();
            match error {
                Error::Degenerate { index: named }
                | Error::NotFinite { index: named, .. }
                | Error::Overflow { field: "components", index: Some(named), .. } => assert_eq!(named, index),
                other => panic!("{other}"),
            }
            frames.column_mut(FrameField::Component(1), 1).unwrap()[index] = 1e-9;
            frames.update(&context).unwrap();
        }
    }

    #[test]
    fn a_set_that_rests_has_no_velocities() {
        let mut frames = Frames::<3>::resting();
        assert!(matches!(frames.column_mut(FrameField::Velocity, 0), Err(Error::Resting { .. })));
        assert!(matches!(frames.column(FrameField::Component(3), 0), Err(Error::BadIndex { .. })));
        assert!(matches!(Frames::<3>::moving(0.0), Err(Error::OutOfRange { field: "duration", .. })));
        assert!(matches!(Frames::<3>::moving(f64::NAN), Err(Error::NotFinite { .. })));
    }
    #[test]
    fn a_set_changes_how_long_it_moves() {
        let mut frames = Frames::resting();
        frames.add_many(&[square(0.0), square(3.0)]).unwrap();
        frames.set_duration(Some(2.0)).unwrap();
        assert_eq!(frames.velocity(0), [0.0, 0.0]);
        frames.set_many(1, &[square(3.0).with_velocity([-1.0, 0.0])]).unwrap();
        assert_eq!(frames.bounds(1).unwrap().min, [1.0, 0.0]);
        assert_eq!(frames.set_duration(None), Err(Error::Resting { index: 1 }));
        assert!(matches!(frames.set_duration(Some(1e151)), Err(Error::Overflow { field: "velocity", .. })));
        assert_eq!(frames.duration(), Some(2.0));
        let hits = |frames: &Frames<2>| {
            let mut found = Intersections::new(Request::COUNT);
            found.test(&Context::serial(), frames, frames, Pairs::Listed(&[[0, 1]])).unwrap();
            found.hits()
        };
        assert_eq!(hits(&frames), 0);
        frames.set_duration(Some(3.0)).unwrap();
        assert_eq!(hits(&frames), 1);
        frames.set(1, &square(3.0)).unwrap();
        frames.set_duration(None).unwrap();
        assert!(!frames.is_moving() && frames.velocity(0).is_empty());
    }

    #[test]
    fn many_frames_are_replaced_or_none() {
        let mut frames = Frames::resting();
        frames.add_many(&[square(0.0), square(1.0), square(2.0)]).unwrap();
        let flat = Frame::cuboid([0.0, 0.0], [[1.0, 1.0], [2.0, 2.0]]);
        assert_eq!(frames.set_many(1, &[square(5.0), flat]), Err(Error::Degenerate { index: 2 }));
        assert!(matches!(
            frames.set_many(2, &[square(5.0), square(6.0)]),
            Err(Error::BadIndex { index: 3, .. })
        ));
        assert_eq!(frames.origin(0), [0.0, 1.0, 2.0]);
        frames.set_many(1, &[square(5.0), square(6.0)]).unwrap();
        assert_eq!(frames.origin(0), [0.0, 5.0, 6.0]);
    }
}
