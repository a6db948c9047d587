//! Frames anywhere in the columns, four at a time.

use super::lanes::FrameLanes;
use super::packing::Columns;
use super::rows;
use crate::soa::Column;
use crate::soa::lanes::LANES;
use crate::soa::layout;

/// The columns of a set, to be read in any order.
pub(crate) struct Reader<'a, const D: usize> {
    count: usize,
    origin: [&'a [f64]; D],
    components: [[&'a [f64]; D]; D],
    /// Of frames that move.
    velocity: Option<[&'a [f64]; D]>,
    /// The same frames one after the other, if they are there.
    rows: Option<&'a [f64]>,
}

impl<'a, const D: usize> Reader<'a, D> {
    pub(super) fn new(columns: &Columns<'a, D>) -> Self {
        let count = columns.kinds.len();
        // All have the same length, of which `gather` makes use.
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

    /// Reads rows instead of columns if there are any, which must be of the same frames.
    pub(super) fn with_rows(self, rows: Option<&'a [f64]>) -> Self {
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

    /// Asks for a frame that will be read soon, if it is in a row: columns would be too many lines.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: u32) {
        if let Some(rows) = self.rows {
            rows::prefetch::<D>(rows, self.is_moving(), row);
        }
    }

    /// Four frames, one a lane, with their velocities.
    ///
    /// # Panics
    /// If there is no such frame.
    #[inline(always)]
    pub(crate) fn gather(&self, rows: [u32; LANES]) -> FrameLanes<D> {
        let last = (rows[0].max(rows[1])).max(rows[2].max(rows[3]));
        assert!((last as usize) < self.count, "frames that exist");
        if let Some(numbers) = self.rows {
            // SAFETY: there is a row for each frame.
            return unsafe { rows::gather(numbers, self.is_moving(), rows) };
        }
        // SAFETY: every column has an entry for each frame.
        let block = |column: &[f64]| unsafe { layout::gather(column, rows) };
        let mut frames = FrameLanes::ZERO;
        for axis in 0..D {
            frames.origin[axis] = block(self.origin[axis]);
            for i in 0..D {
                frames.components[i][axis] = block(self.components[i][axis]);
            }
        }
        if let Some(velocity) = &self.velocity {
            for (way, column) in frames.way.iter_mut().zip(velocity) {
                *way = block(column);
            }
        }
        frames
    }
}
