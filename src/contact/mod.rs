//! Contact of two spheres that move uniformly: when it happens, how close they come, and what it does to their
//! velocities (docs/methods/contacts.md).
//!
//! The only place with these formulas, for worlds, the event engine and studies. Times and distances are written once for
//! a [`Quantity`](crate::soa::block::Quantity): a number, or a block with one pair per lane. Both give the same bits.

mod closest;
mod response;
mod time;

pub(crate) use closest::ClosestApproach;
pub use response::Response;
pub(crate) use response::{Impact, Inertia, approach_speed, respond};
pub(crate) use time::Products;
