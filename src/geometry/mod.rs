//! Vectors, rotations, poses, affine maps and axis-aligned boxes.

pub mod aabb;
pub mod affine;
pub(crate) mod angle;
pub mod plane;
pub(crate) mod rounding;
pub mod vector;

pub use aabb::Aabb;
pub use affine::Affine;
pub use plane::{Pose, Rotation, Vec2};
