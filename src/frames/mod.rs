//! Frames: parallelograms and triangles in 2D, parallelepipeds and tetrahedra in 3D, at rest or moving
//! (docs/methods/fmb.md).
//!
//! [`Frame`] is one frame as a value; [`Frames`] holds many in columns, checked when they are added. Kernels do not read
//! the columns but one of two copies of them: `records`, in single precision, to find which frames intersect, and
//! `rows`, in double precision, to find when and where.

mod add;
mod bulk;
mod columns;
pub(crate) mod frame;
pub(crate) mod lanes;
mod of_particle;
pub mod random;
pub(crate) mod records;
pub(crate) mod rows;
pub(crate) mod source;
mod store;

pub use frame::{Frame, FrameKind, LARGEST_COORDINATE};
pub use store::{FrameField, Frames};
