//! The state of a run: particles in flight, clock, accumulators.

pub(crate) mod accumulators;
pub(crate) mod clock;
pub(crate) mod collapse;
pub(crate) mod domain;
pub(crate) mod engine_state;
pub(crate) mod flight_state;
pub(crate) mod huge_pages;
pub(crate) mod uniform_props;
