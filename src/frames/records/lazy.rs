//! Records that follow added frames on first use.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::FrameRecords;
use crate::error::Result;
use crate::frames::columns::FrameColumns;

/// The records of a set. Frames that are added one by one get theirs, eight at a time, when the records are first read.
#[derive(Debug)]
pub(crate) struct LazyRecords<const D: usize> {
    /// The records of all frames; not set while frames at the end have none.
    complete: OnceLock<FrameRecords<D>>,
    /// Otherwise those of the first frames.
    begun: Mutex<FrameRecords<D>>,
}

impl<const D: usize> LazyRecords<D> {
    /// Records of no frames.
    pub(in crate::frames) fn new(is_moving: bool) -> Self {
        Self { complete: OnceLock::new(), begun: Mutex::new(FrameRecords::new(is_moving)) }
    }

    pub(in crate::frames) fn memory_bytes(&self) -> usize {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner).memory_bytes();
        begun + self.complete.get().map_or(0, FrameRecords::memory_bytes)
    }

    /// The records to be changed: those of all frames, or of the first ones.
    #[inline]
    pub(in crate::frames) fn begun(&mut self) -> &mut FrameRecords<D> {
        let begun = self.begun.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(complete) = self.complete.take() {
            *begun = complete;
        }
        begun
    }

    /// The records of all frames; those that are missing are written from the columns, whose frames have been checked.
    pub(in crate::frames) fn of(&self, columns: &FrameColumns<D>) -> Result<&FrameRecords<D>> {
        if let Some(complete) = self.complete.get() {
            return Ok(complete);
        }
        // Two threads may come here at the same time; the second waits until the first has written.
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if self.complete.get().is_none() {
            let missing = begun.len()..columns.kinds.len();
            begun.write(missing, columns)?;
        }
        let empty = FrameRecords::new(begun.is_moving());
        Ok(self.complete.get_or_init(|| std::mem::replace(&mut *begun, empty)))
    }
}

impl<const D: usize> Clone for LazyRecords<D> {
    fn clone(&self) -> Self {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        Self { complete: self.complete.clone(), begun: Mutex::new(begun.clone()) }
    }
}
