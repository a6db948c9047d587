//! The next event of each particle and the queue of all of them.

pub(crate) mod idle;
pub(crate) mod plan;
mod planner;
pub(crate) mod prefetch;
pub(crate) mod queue;
