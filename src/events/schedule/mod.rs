//! The next event of each particle and the queue of all of them.

pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod queue;
