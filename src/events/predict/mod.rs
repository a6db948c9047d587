//! Times of contact: of two particles, of a particle with a wall.

pub(crate) mod falling;
pub(crate) mod lanes;
pub(crate) mod pair;
pub(crate) mod walls;
