//! Vectors and axis-aligned boxes.

pub mod aabb;
pub mod vector;

pub use aabb::Aabb;
