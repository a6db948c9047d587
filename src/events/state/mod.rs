//! The state of a run: particles in flight, clock, accumulators.

pub(crate) mod accumulators;
mod clock;
mod collapse;
mod contact_rule;
mod domain;
mod engine_state;
mod flight_state;
mod rest;
mod uniform_props;

pub(crate) use accumulators::{Accumulators, Totals};
pub(crate) use clock::Clock;
pub(crate) use collapse::CollapseDetector;
pub(crate) use contact_rule::ContactRule;
pub(crate) use domain::{Domain, ROUNDER};
pub(crate) use engine_state::{EngineState, SavedState};
pub(crate) use flight_state::FlightState;
pub(crate) use uniform_props::UniformProps;
