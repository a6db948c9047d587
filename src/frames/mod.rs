//! Frames: parallelograms and triangles in 2D, parallelepipeds and tetrahedra in 3D, resting or moving (SPEC section 2).
//!
//! [`Frame`] is one of them as a value; [`Frames`] holds many in columns, checked when they enter.

pub mod aabb;
mod bulk;
pub mod frame;
mod lanes;
mod of_particle;
pub mod packed;
mod packing;
pub mod random;
pub(crate) mod reader;
mod rows;
pub mod store;

pub use aabb::Aabb;
pub use frame::{Frame, FrameKind};
pub use store::{FrameField, Frames};
