//! Particles of any dimension in columns, and the kernels that work on them.

mod axes;
pub mod check;
pub mod columns;
mod earliest;
pub mod gravity;
pub mod integrate;
pub(crate) mod kicks;
pub mod particle;
#[cfg(feature = "capi")]
mod set_batch;
pub mod shape;
mod single;
pub(crate) mod state_hash;
pub mod store;
pub mod totals;
mod tree;
pub mod ttc;

pub use check::Magnitudes;
pub use columns::Field;
pub use gravity::AttractionLaw;
pub use particle::Particle;
pub use shape::{Shape, ShapeKind};
pub use store::{Batch, Particles};
pub use ttc::Approach;
