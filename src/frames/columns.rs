//! The columns of a set of frames, borrowed from the store.

use super::{Frame, FrameKind};
use crate::soa::Column;

/// The columns of a set of frames.
pub(super) struct FrameColumns<'a, const D: usize> {
    pub(super) kinds: &'a Column<u8>,
    pub(super) origin: &'a [Column<f64>; D],
    pub(super) components: &'a [[Column<f64>; D]; D],
    /// `None` for frames at rest.
    pub(super) velocity: Option<&'a [Column<f64>; D]>,
    /// In seconds; 0 for frames at rest.
    pub(super) duration: f64,
}

impl<const D: usize> FrameColumns<'_, D> {
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
