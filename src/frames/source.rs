//! Frames that are about to be added to a set, wherever they are.

use super::{Frame, FrameField};
use crate::error::Error;

/// Frames in the memory of a caller, to be copied into columns.
pub(crate) trait FrameSource<const D: usize> {
    /// What can be wrong with them.
    type Error: From<Error>;

    /// Number of frames.
    fn len(&self) -> usize;

    /// Copies the numbers of the kinds of the frames from `first` on, all of them known.
    fn copy_kinds(&self, first: usize, kinds: &mut [u8]) -> Result<(), Self::Error>;

    /// Copies one axis of a field of the frames from `first` on.
    fn copy_numbers(&self, field: FrameField, axis: usize, first: usize, numbers: &mut [f64]);

    /// The velocity of one frame.
    fn velocity(&self, row: usize) -> [f64; D] {
        std::array::from_fn(|axis| {
            let mut number = [0.0];
            self.copy_numbers(FrameField::Velocity, axis, row, &mut number);
            number[0]
        })
    }

    /// Whether `count` frames from `first` on have velocity 0.
    fn are_at_rest(&self, first: usize, count: usize) -> bool;
}

impl<const D: usize> FrameSource<D> for [Frame<D>] {
    type Error = Error;

    fn len(&self) -> usize {
        <[Frame<D>]>::len(self)
    }

    fn copy_kinds(&self, first: usize, kinds: &mut [u8]) -> Result<(), Error> {
        kinds.iter_mut().zip(&self[first..]).for_each(|(kind, frame)| *kind = frame.kind as u8);
        Ok(())
    }

    fn copy_numbers(&self, field: FrameField, axis: usize, first: usize, numbers: &mut [f64]) {
        let rows = numbers.iter_mut().zip(&self[first..]);
        match field {
            FrameField::Origin => rows.for_each(|(x, frame)| *x = frame.origin[axis]),
            FrameField::Component(i) => rows.for_each(|(x, frame)| *x = frame.components[i][axis]),
            FrameField::Velocity => rows.for_each(|(x, frame)| *x = frame.velocity[axis]),
        }
    }

    fn are_at_rest(&self, first: usize, count: usize) -> bool {
        self[first..first + count].iter().all(Frame::is_at_rest)
    }
}
