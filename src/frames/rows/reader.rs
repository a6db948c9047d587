//! Frames of a set in any order, four at a time, from rows if there are any and from the columns otherwise.

use crate::frames::columns::FrameColumns;
use crate::frames::lanes::{FrameLanes, StoredFrames};
use crate::soa::Column;
use crate::soa::block::{Doubles, LANES, Lanes};

/// The frames of a set in double precision, to be read in any order.
pub(crate) struct RowReader<'a, const D: usize> {
    count: usize,
    origin: [&'a [f64]; D],
    components: [[&'a [f64]; D]; D],
    /// `None` for frames at rest.
    velocity: Option<[&'a [f64]; D]>,
    /// The rows of the same frames, if they exist.
    rows: Option<&'a [f64]>,
}

impl<'a, const D: usize> RowReader<'a, D> {
    pub(in crate::frames) fn new(columns: &FrameColumns<'a, D>) -> Self {
        let count = columns.kinds.len();
        // `gather` relies on all columns having `count` entries.
        let entries =
            |columns: &'a [Column<f64>; D]| columns.each_ref().map(|column| &column.as_slice()[..count]);
        Self {
            count,
            origin: entries(columns.origin),
            components: columns.components.each_ref().map(entries),
            velocity: columns.velocity.map(entries),
            rows: None,
        }
    }

    /// Reads rows, which must be those of the same frames, instead of columns if there are any.
    pub(in crate::frames) fn with_rows(self, rows: Option<&'a [f64]>) -> Self {
        Self { rows, ..self }
    }

    /// Number of frames.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    #[inline(always)]
    pub(super) fn is_moving(&self) -> bool {
        self.velocity.is_some()
    }

    /// Prefetches a frame if it has a row; in columns it is spread over too many cache lines.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: u32) {
        if let Some(rows) = self.rows {
            super::prefetch::<D>(rows, self.is_moving(), row);
        }
    }

    /// Four frames, one per lane, with their velocities.
    ///
    /// # Panics
    /// If one of them does not exist.
    #[inline(always)]
    pub(crate) fn gather<B: Doubles>(&self, rows: [u32; LANES]) -> FrameLanes<D, B> {
        self.check::<B>(&rows);
        match self.rows {
            // SAFETY: there is a row for each frame.
            Some(numbers) => unsafe { super::gather(numbers, self.is_moving(), &rows) },
            // SAFETY: all of them exist.
            None => unsafe { self.gather_from_columns(&rows) },
        }
    }

    /// The same in memory: every way to read them stores them right there.
    #[inline(always)]
    pub(crate) fn gather_stored<B: Doubles>(&self, rows: [u32; LANES]) -> StoredFrames<D> {
        self.check::<B>(&rows);
        match self.rows {
            Some(numbers) => {
                // SAFETY: there is a row for each frame.
                StoredFrames::of(&unsafe { super::gather::<B, D>(numbers, self.is_moving(), &rows) })
            }
            // SAFETY: all of them exist.
            None => StoredFrames::of(&unsafe { self.gather_from_columns::<B>(&rows) }),
        }
    }

    /// As many frames as there are lanes, one per lane, with their velocities, written to where they are wanted.
    ///
    /// # Panics
    /// If one of them does not exist, or there are not as many as lanes.
    #[inline(always)]
    pub(crate) fn gather_to<B: Lanes<Number = f64>>(&self, rows: &[u32], frames: &mut FrameLanes<D, B>) {
        self.check::<B>(rows);
        match self.rows {
            // SAFETY: there is a row for each frame.
            Some(numbers) => *frames = unsafe { super::gather(numbers, self.is_moving(), rows) },
            // SAFETY: all of them exist.
            None => *frames = unsafe { self.gather_from_columns(rows) },
        }
    }

    #[inline(always)]
    fn check<B: Lanes>(&self, rows: &[u32]) {
        assert!(rows.len() == B::COUNT, "as many frames as lanes");
        let mut last = 0;
        for &row in rows {
            last = row.max(last);
        }
        assert!((last as usize) < self.count, "row index out of range");
    }

    /// The same from the columns.
    ///
    /// # Safety
    /// There must be as many as lanes, and the frames must exist.
    #[inline(always)]
    unsafe fn gather_from_columns<B: Lanes<Number = f64>>(&self, rows: &[u32]) -> FrameLanes<D, B> {
        let mut frames = FrameLanes::ZERO;
        for axis in 0..D {
            // SAFETY: every column has an entry for each frame.
            frames.origin[axis] = unsafe { entries(self.origin[axis], rows) };
            for i in 0..D {
                // SAFETY: as above.
                frames.components[i][axis] = unsafe { entries(self.components[i][axis], rows) };
            }
        }
        if let Some(velocity) = &self.velocity {
            for (to, column) in frames.velocity.iter_mut().zip(velocity) {
                // SAFETY: as above.
                *to = unsafe { entries(column, rows) };
            }
        }
        frames
    }
}

/// Some entries of a column, one per lane.
///
/// # Safety
/// There must be as many as lanes, and they must exist.
#[inline(always)]
unsafe fn entries<B: Lanes<Number = f64>>(column: &[f64], rows: &[u32]) -> B {
    B::collect(
        #[inline(always)]
        |lane| {
            // SAFETY: as the caller has promised.
            unsafe { *column.get_unchecked(*rows.get_unchecked(lane) as usize) }
        },
    )
}
