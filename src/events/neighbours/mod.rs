//! Which particles are near enough to collide soon.

mod all_pairs;
mod candidates;
mod cells;
mod levels;
mod lists;
mod margins;
mod neighbour_lists;
mod neighbourhood;
mod path;
mod search_result;

pub(crate) use candidates::Candidates;
pub(crate) use levels::Levels;
pub(crate) use neighbour_lists::{NeighbourLists, ParticleSlices};
pub(crate) use neighbourhood::Neighbourhood;
pub(crate) use path::Path;
