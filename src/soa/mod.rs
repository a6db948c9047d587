//! Structure-of-arrays storage: aligned columns, lane blocks, and work split over threads in fixed chunks.

pub mod block;
pub(crate) mod bytes;
pub mod column;
pub mod lanes;
pub(crate) mod layout;
pub mod par;

pub use column::Column;
pub use par::Context;
