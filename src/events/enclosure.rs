//! The box that particles move in.

use super::admission::LARGEST;
use crate::error::{Error, Result};
use crate::particles::check;

/// What a pair of opposite faces does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
#[non_exhaustive]
pub enum Boundary {
    /// There are no faces: particles leave the region freely.
    #[default]
    Open = 0,
    /// Particles bounce off.
    Reflecting = 1,
    /// A particle that leaves through one face enters through the other, and collides with particles across the faces.
    Periodic = 2,
}

/// An axis-aligned box in dimension `D`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enclosure<const D: usize> {
    /// The lower corner, in metres, at most 1e75 from the origin; not used on an open axis.
    pub lower: [f64; D],
    /// The upper corner, in metres, at most 1e75 from the origin; not used on an open axis.
    pub upper: [f64; D],
    /// What the faces across each axis do.
    pub boundaries: [Boundary; D],
}

impl<const D: usize> Enclosure<D> {
    /// No walls at all.
    #[must_use]
    pub fn open() -> Self {
        Self { lower: [0.0; D], upper: [0.0; D], boundaries: [Boundary::Open; D] }
    }

    /// Reflecting walls on all sides.
    #[must_use]
    pub fn reflecting(lower: [f64; D], upper: [f64; D]) -> Self {
        Self { lower, upper, boundaries: [Boundary::Reflecting; D] }
    }

    /// Periodic along every axis.
    #[must_use]
    pub fn periodic(lower: [f64; D], upper: [f64; D]) -> Self {
        Self { lower, upper, boundaries: [Boundary::Periodic; D] }
    }

    /// Fails if the box is not valid.
    pub fn check(&self) -> Result<()> {
        for axis in (0..D).filter(|&axis| self.boundaries[axis] != Boundary::Open) {
            for (field, corner) in [("lower", self.lower[axis]), ("upper", self.upper[axis])] {
                check::finite(field, axis, corner)?;
                if corner.abs() > LARGEST {
                    return Err(Error::Overflow { field, index: Some(axis), magnitude: corner.abs() });
                }
            }
            if self.length(axis) <= 0.0 {
                let expected = "larger than the lower corner";
                return Err(Error::OutOfRange { field: "upper", value: self.upper[axis], expected });
            }
        }
        Ok(())
    }

    /// Volume in cubic metres (area in 2D, length in 1D); `None` if an axis is open.
    #[must_use]
    pub fn volume(&self) -> Option<f64> {
        let closed = !self.boundaries.contains(&Boundary::Open);
        closed.then(|| (0..D).map(|axis| self.length(axis)).product())
    }

    /// Distance of the two faces across an axis that is not open, in metres.
    pub(super) fn length(&self, axis: usize) -> f64 {
        self.upper[axis] - self.lower[axis]
    }

    pub(super) fn is(&self, axis: usize, boundary: Boundary) -> bool {
        self.boundaries[axis] == boundary
    }
}
