//! Frames added and replaced, many at once: columns and records are written piece by piece, while a piece is in the caches.

use std::ops::Range;

use super::source::FrameSource;
use super::{Frame, Frames};
use crate::error::Result;
use crate::soa::store::Rows as _;

/// Frames of a piece: whole groups, which with their columns and records fit into the nearest cache.
const PIECE: usize = 128;

impl<const D: usize> Frames<D> {
    /// Adds one frame and returns its index.
    pub fn add(&mut self, frame: &Frame<D>) -> Result<usize> {
        self.check_frame(frame, 0)?;
        self.make_room_for_frames(1)?;
        self.push(frame);
        self.discard_rows();
        Ok(self.len() - 1)
    }

    /// Adds frames and returns their indices. If one of them is bad the error names its index in `frames`, and none is
    /// added.
    pub fn add_many(&mut self, frames: &[Frame<D>]) -> Result<Range<usize>> {
        self.add_from(frames, 0)
    }

    /// Adds frames from anywhere but the columns of this set, and returns their indices. If one of them is bad none is
    /// added; an error names it by its place among them, counted from `named_from`.
    pub(crate) fn add_from<S: FrameSource<D> + ?Sized>(
        &mut self,
        source: &S,
        named_from: usize,
    ) -> Result<Range<usize>, S::Error> {
        let added = self.len()..self.len().saturating_add(source.len());
        self.make_room_for_frames(source.len())?;
        self.discard_rows();
        let before = self.begin_records()?;
        let mut start = added.start;
        while start < added.end {
            // Pieces end with a group, so that no group is written twice.
            let rows = start..added.end.min((start / PIECE + 1) * PIECE);
            start = rows.end;
            if let Err(error) = self.add_piece(source, rows, added.start, named_from) {
                self.truncate_rows(added.start);
                self.restore_records(added.start, before);
                return Err(error);
            }
        }
        Ok(added)
    }

    /// Adds the rows of a piece, the first of which continue the set. `first` is the row of the first frame of the source.
    fn add_piece<S: FrameSource<D> + ?Sized>(
        &mut self,
        source: &S,
        rows: Range<usize>,
        first: usize,
        named_from: usize,
    ) -> Result<(), S::Error> {
        let from = rows.start - first;
        self.grow_rows(rows.len());
        source.copy_kinds(from, &mut self.kinds.as_mut_slice()[rows.clone()])?;
        self.for_each_column(|field, axis, column| {
            source.copy_numbers(field, axis, from, &mut column.as_mut_slice()[rows.clone()]);
        });
        let sound = self.is_moving() || source.are_at_rest(from, rows.len());
        if sound && self.has_written_valid_records(rows.clone()) {
            return Ok(());
        }
        for row in rows {
            let frame = Frame { velocity: source.velocity(row - first), ..self.read(row) };
            self.check_frame(&frame, named_from + row - first)?;
        }
        Ok(())
    }

    /// Replaces the frames from `first` on by those of a source. If one of them is bad nothing changes, and the error names
    /// its index in the set.
    pub(crate) fn set_from<S: FrameSource<D> + ?Sized>(
        &mut self,
        first: usize,
        source: &S,
    ) -> Result<(), S::Error> {
        let rows = first..first.saturating_add(source.len());
        self.check_rows(&rows)?;
        let mut new = Self::with(self.duration());
        new.add_from(source, first)?;
        self.kinds.as_mut_slice()[rows.clone()].copy_from_slice(new.kinds());
        self.for_each_column(|field, axis, column| {
            let new = new.column(field, axis).expect("both sets move or rest");
            column.as_mut_slice()[rows.clone()].copy_from_slice(new.as_slice());
        });
        Ok(self.renew_records(rows)?)
    }

    /// Copies one axis of a field of the frames from `first` on, which exist; 0 for the velocity of frames at rest.
    #[cfg(feature = "capi")]
    pub(crate) fn copy_numbers(
        &self,
        field: super::FrameField,
        axis: usize,
        first: usize,
        numbers: &mut [f64],
    ) {
        match self.column(field, axis) {
            Ok(column) => numbers.copy_from_slice(&column.as_slice()[first..][..numbers.len()]),
            Err(_) => numbers.fill(0.0),
        }
    }

    /// Whether a range of addresses touches a column, which may move when frames are added.
    #[cfg(feature = "capi")]
    pub(crate) fn holds(&self, addresses: &Range<usize>) -> bool {
        self.overlaps_rows(addresses)
    }

    fn make_room_for_frames(&mut self, count: usize) -> Result<()> {
        self.check_room(count)?;
        self.make_room(count)?;
        self.make_room_for_records(self.len() + count)
    }

    /// Removes one frame; the last one takes its index.
    pub fn swap_remove(&mut self, index: usize) -> Result<()> {
        self.check_index(index)?;
        self.swap_remove_row(index);
        self.swap_remove_record(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::frames::FrameField;
    use crate::frames::random::RandomFrames;
    use crate::soa::Context;

    /// The bits of the records and boxes of all frames.
    fn bits<const D: usize>(frames: &Frames<D>) -> [Vec<u32>; 2] {
        let numbers = frames.records().unwrap().numbers_of(0..frames.len());
        numbers.map(|numbers| numbers.iter().map(|x| x.to_bits()).collect())
    }

    fn set<const D: usize>(duration: Option<f64>, frames: &[Frame<D>]) -> Frames<D> {
        let mut set = Frames::with(duration);
        set.add_many(frames).unwrap();
        set
    }

    #[track_caller]
    fn assert_same<const D: usize>(found: &Frames<D>, expected: &[Frame<D>]) {
        let rows: Vec<_> = (0..found.len()).map(|row| found.get(row).unwrap()).collect();
        assert_eq!(rows, expected);
        assert_eq!(bits(found), bits(&set(found.duration(), expected)));
    }

    /// Frames that are added one by one, with changes before their records are written.
    fn records_follow_on_first_use<const D: usize>(duration: Option<f64>) {
        let mut random = RandomFrames::new(11);
        let mut list: Vec<Frame<D>> = (0..300).map(|_| random.frame(duration.is_some())).collect();
        let mut frames = set(duration, &list[..37]);
        assert_same(&frames, &list[..37]);
        list[37..60].iter().for_each(|frame| assert!(frames.add(frame).is_ok()));
        let copy = frames.clone();
        assert_same(&frames, &list[..60]);
        assert_same(&copy, &list[..60]);
        list[60..64].iter().for_each(|frame| assert!(frames.add(frame).is_ok()));
        // One with a record, one without, and some of both.
        for first in [3, 62] {
            list[first] = list[200 + first];
            frames.set(first, &list[first]).unwrap();
        }
        let (old, new) = list.split_at_mut(250);
        old[58..62].copy_from_slice(&new[..4]);
        frames.set_many(58, &new[..4]).unwrap();
        frames.add_many(&list[64..200]).unwrap();
        list.truncate(200);
        assert_same(&frames, &list);
        for remove in [0, 150, 197] {
            let frame = random.frame(duration.is_some());
            frames.add(&frame).unwrap();
            list.push(frame);
            frames.swap_remove(remove).unwrap();
            list.swap_remove(remove);
            frames.add(&frame).unwrap();
            list.push(frame);
            frames.remove(remove + 1).unwrap();
            list.remove(remove + 1);
        }
        assert_same(&frames, &list);
        frames.swap_remove(5).unwrap();
        list.swap_remove(5);
        assert_same(&frames, &list);
        assert!(matches!(frames.swap_remove(list.len()), Err(Error::BadIndex { .. })));
    }

    #[test]
    fn records_are_those_of_the_columns_after_every_change() {
        for duration in [None, Some(0.5)] {
            records_follow_on_first_use::<2>(duration);
            records_follow_on_first_use::<3>(duration);
        }
    }

    #[test]
    fn a_bad_frame_far_behind_leaves_the_set_as_it_was() {
        let mut random = RandomFrames::new(12);
        let list: Vec<Frame<3>> = (0..1000).map(|_| random.frame(false)).collect();
        let mut frames = set(None, &list[..30]);
        let farthest = frames.records().unwrap().slack();
        for (place, change) in [(0, 0), (97, 1), (98, 2), (969, 0), (500, 3)] {
            let mut bad = list[30..].to_vec();
            match change {
                0 => bad[place].origin[1] = f64::NAN,
                1 => bad[place].components[2] = [0.0; 3],
                2 => bad[place].velocity = [0.0, 1.0, 0.0],
                _ => bad[place].origin[2] = 1e200,
            }
            let error = frames.add_many(&bad).unwrap_err();
            match error {
                Error::NotFinite { index, .. } | Error::Degenerate { index } | Error::Resting { index } => {
                    assert_eq!(index, place);
                }
                Error::Overflow { index, .. } => assert_eq!(index, Some(place)),
                other => panic!("{other}"),
            }
            assert_same(&frames, &list[..30]);
            assert_eq!(frames.records().unwrap().slack(), farthest);
        }
        frames.add_many(&list[30..]).unwrap();
        assert_same(&frames, &list);
    }

    #[test]
    fn frames_are_replaced_from_a_source_or_not_at_all() {
        let mut random = RandomFrames::new(13);
        let mut list: Vec<Frame<2>> = (0..300).map(|_| random.frame(true)).collect();
        let mut frames = set(Some(2.0), &list[..200]);
        let mut bad = list[200..].to_vec();
        bad[40].velocity[0] = f64::INFINITY;
        let error = frames.set_from(50, &bad[..]).unwrap_err();
        assert!(matches!(error, Error::NotFinite { field: "velocity", index: 90, .. }), "{error}");
        assert!(matches!(frames.set_from(150, &list[200..]), Err(Error::BadIndex { .. })));
        assert_same(&frames, &list[..200]);
        frames.set_from(50, &list[200..]).unwrap();
        list.copy_within(200.., 50);
        assert_same(&frames, &list[..200]);
    }

    #[test]
    fn a_stale_set_checks_what_is_added() {
        let mut random = RandomFrames::new(14);
        let list: Vec<Frame<3>> = (0..50).map(|_| random.frame(false)).collect();
        let mut frames = set(None, &list[..20]);
        frames.column_mut(FrameField::Origin, 0).unwrap();
        let flat = Frame::cuboid([0.0; 3], [[1.0; 3]; 3]);
        assert_eq!(frames.add_many(&[list[20], flat]), Err(Error::Degenerate { index: 1 }));
        frames.add_many(&list[20..]).unwrap();
        frames.swap_remove(49).unwrap();
        assert_eq!(frames.records().err(), Some(Error::Stale));
        frames.update(&Context::serial()).unwrap();
        assert_same(&frames, &list[..49]);
    }
}
