//! Structure-of-arrays storage: aligned columns, lane blocks, and work split over threads in fixed chunks.

pub(crate) mod block;
pub(crate) mod bytes;
pub(crate) mod check;
pub mod column;
pub(crate) mod field;
pub(crate) mod functions;
pub(crate) mod huge_pages;
pub mod level;
pub(crate) mod memory;
pub mod par;
pub(crate) mod prefetch;
pub(crate) mod simd;
pub(crate) mod store;
pub(crate) mod threads;

pub use column::Column;
pub use level::Level;
pub use par::Context;
