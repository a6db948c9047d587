//! Which particles are neighbours enough to collide soon.

pub(crate) mod all_pairs;
pub(crate) mod cells;
pub(crate) mod lists;
pub(crate) mod neighbour_lists;
pub(crate) mod neighbourhood;
