//! The state of a run.

pub(crate) mod accumulators;
pub(crate) mod clock;
pub(crate) mod collapse;
pub(crate) mod domain;
pub(crate) mod engine_state;
pub(crate) mod flight_state;
pub(crate) mod huge_pages;
