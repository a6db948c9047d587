//! Which particles are near enough to collide soon.

mod all_pairs;
mod cells;
mod lists;
mod neighbour_lists;
mod neighbourhood;

pub(crate) use neighbour_lists::{NeighbourLists, ParticleSlices};
pub(crate) use neighbourhood::Neighbourhood;
