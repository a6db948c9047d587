//! Sets whose columns are written as a whole, again and again.

use super::{Frame, Frames};
use crate::error::{Error, Result};
use crate::soa::Context;
use crate::soa::store::Rows;

impl<const D: usize> Frames<D> {
    /// Makes the set `len` frames long. The caller then writes all columns and updates the set.
    pub(crate) fn reset(&mut self, len: usize) -> Result<()> {
        self.stale = true;
        self.resize_rows(len)
    }

    /// The kinds, as their numbers, writable in place.
    pub(crate) fn kinds_mut(&mut self) -> &mut [u8] {
        self.stale = true;
        self.kinds.as_mut_slice()
    }

    /// Like [`update`](Self::update), but a bad frame does not stop it: its index and error are appended to `bad`, and a
    /// unit cube replaces it.
    pub(crate) fn update_sound(&mut self, context: &Context, bad: &mut Vec<(usize, Error)>) -> Result<()> {
        if self.update(context).is_ok() {
            return Ok(());
        }
        for index in 0..self.len() {
            if let Err(error) = self.check_frame(&self.read(index), index) {
                bad.push((index, error));
                self.write(index, &unit_cube());
            }
        }
        self.update(context)
    }
}

fn unit_cube<const D: usize>() -> Frame<D> {
    let edge = |i: usize| std::array::from_fn(|axis| f64::from(u8::from(i == axis)));
    Frame::cuboid([0.0; D], std::array::from_fn(edge))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::{FrameField, FrameKind};

    #[test]
    fn bad_frames_are_named_and_the_others_stay() {
        let mut frames = Frames::<2>::moving(1.0).unwrap();
        frames.reset(10).unwrap();
        for (component, axis) in [(0, 0), (1, 1)] {
            frames.column_mut(FrameField::Component(component), axis).unwrap().fill(2.0);
        }
        frames.column_mut(FrameField::Component(1), 1).unwrap()[3] = 0.0;
        frames.column_mut(FrameField::Velocity, 0).unwrap()[8] = f64::NAN;
        frames.kinds_mut()[5] = FrameKind::Tetrahedron as u8;
        let mut bad = Vec::new();
        frames.update_sound(&Context::serial(), &mut bad).unwrap();
        let rows: Vec<usize> = bad.iter().map(|(row, _)| *row).collect();
        assert_eq!(rows, [3, 8]);
        assert_eq!(bad[0].1, Error::Degenerate { index: 3 });
        assert!(frames.records().is_ok());
        assert_eq!(frames.get(5).unwrap().kind, FrameKind::Tetrahedron);
        frames.reset(2).unwrap();
        assert!(frames.records().is_err() && frames.len() == 2);
    }
}
