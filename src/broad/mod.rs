//! Broad phase: which of many boxes, or of many frames, may overlap, without testing all pairs.

mod candidates;
mod grid;
mod tree;

pub use candidates::{Candidates, intersections_between, intersections_of_set};
pub use grid::{Grid, GridPairs, GridPairsBetween};
pub use tree::Tree;
