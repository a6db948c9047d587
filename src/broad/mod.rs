//! Broad phase: which of many boxes may overlap, without looking at all pairs.

pub mod bounds;
pub mod grid;

pub use bounds::Bounds;
pub use grid::Grid;
