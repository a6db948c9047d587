//! Rows that several definitions share, and that are used again when none has them any more.

use super::growth::{bytes_of, reserve_row};
use crate::error::{Error, Result};

/// How many rows something new is compared with: equal shapes are mostly made one after the other.
const COMPARED: usize = 8;

/// Which rows of a list are used. Nothing is counted before something is removed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reuse {
    /// Per row, how many definitions have it; empty if they are not counted.
    counts: Vec<u32>,
    is_counted: bool,
    /// Rows that no definition has.
    free: Vec<u32>,
    /// The row that was given last.
    last: u32,
}

impl Reuse {
    /// A row with the same content, which is used once more: the one that was given last, or one of the last in the list, which
    /// has so many rows.
    pub(crate) fn find(&mut self, rows: usize, is_same: impl Fn(usize) -> bool) -> Option<u32> {
        let last = Some(self.last as usize).filter(|&row| row < rows);
        let is_used = |row: usize| !self.is_counted || self.counts[row] > 0;
        let mut near = last.into_iter().chain((rows.saturating_sub(COMPARED)..rows).rev());
        let row = near.find(|&row| is_used(row) && is_same(row))?;
        self.use_row(row);
        Some(row as u32)
    }

    /// A row for something new in a list of so many rows: one that is free, or the next, which is to be appended.
    pub(crate) fn take(&mut self, rows: usize) -> Result<usize> {
        let row = match self.free.pop() {
            Some(row) => row as usize,
            None => rows,
        };
        if self.is_counted && row == rows {
            reserve_row(&mut self.counts)?;
            self.counts.push(0);
        }
        self.use_row(row);
        Ok(row)
    }

    fn use_row(&mut self, row: usize) {
        self.last = row as u32;
        if self.is_counted {
            self.counts[row] += 1;
        }
    }

    /// Counts how often each of so many rows is used, unless that is known.
    pub(crate) fn count(&mut self, rows: usize, used: impl Iterator<Item = u32>) -> Result<()> {
        if self.is_counted {
            return Ok(());
        }
        self.counts.try_reserve(rows).map_err(|_| Error::OutOfMemory { bytes: 4 * rows })?;
        self.counts.resize(rows, 0);
        used.for_each(|row| self.counts[row as usize] += 1);
        self.is_counted = true;
        Ok(())
    }

    /// A definition no longer has a row; uses must be counted.
    pub(crate) fn give_back(&mut self, row: u32) {
        self.counts[row as usize] -= 1;
        // Without memory for the list the row is not used again.
        if self.counts[row as usize] == 0 && reserve_row(&mut self.free).is_ok() {
            self.free.push(row);
        }
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        bytes_of(&self.counts) + bytes_of(&self.free)
    }
}
