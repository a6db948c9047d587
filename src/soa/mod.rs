//! Structure-of-arrays storage: aligned columns, lane blocks, and work split over threads in fixed chunks.

pub(crate) mod block;
pub(crate) mod bytes;
pub(crate) mod check;
pub mod column;
pub(crate) mod field;
pub(crate) mod functions;
pub(crate) mod lanes;
pub(crate) mod layout;
pub mod par;
pub(crate) mod store;
pub(crate) mod words;

pub use column::Column;
pub use par::Context;
