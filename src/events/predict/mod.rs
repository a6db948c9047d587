//! Times of contact: of two particles, of a particle with a wall.

mod falling;
mod lanes;
mod pair;
mod walls;

pub(crate) use lanes::{ContactDistance, LanePredictor};
pub(crate) use pair::{RelativeMotion, contact_time_of_images};
pub(crate) use walls::next_wall;
