//! The next event of each particle and the queue of all of them.

mod idle;
mod plan;
mod planner;
mod prefetch;
mod queue;

pub(crate) use idle::IdleDetector;
pub(crate) use plan::{MOST_ROWS, Plan, Target, TargetKind};
pub(crate) use planner::NeighbourUpdate;
pub(crate) use prefetch::PREFETCH_FROM;
pub(crate) use queue::{Queue, QueueEntry};
