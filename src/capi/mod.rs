//! The C ABI: everything in `include/carom.h`, which is generated from these files.
//!
//! Rust programs use the rest of the crate instead. Every function enters through `guard`, which turns errors
//! and panics into statuses and gives access to the caller's memory.
#![allow(non_camel_case_types, reason = "the names are those of the C header")]
#![allow(
    clippy::missing_safety_doc,
    reason = "one rule for all, in the header: pointers are null or point to what the parameter says"
)]

/// The body of an entry: a call that is unsafe because it uses the pointers of the C caller.
///
/// They are under the rule for pointers at the top of the header, which is the contract of every entry, so that the reason
/// stands here once. It compiles in functions that are `unsafe` themselves only.
macro_rules! entry {
    ($call:expr) => {{
        #[allow(unsafe_op_in_unsafe_fn, reason = "the contract of an entry is that of the call")]
        let outcome = $call;
        outcome
    }};
}

pub mod batch;
pub mod candidates;
pub mod collisions;
pub mod columns;
pub mod context;
pub mod events;
pub mod events_files;
pub mod events_run;
mod failure;
pub mod files;
pub mod frame_columns;
pub mod frame_contacts;
pub mod frame_rows;
mod frame_source;
pub mod frame_structs;
pub mod frames;
mod guard;
mod handle;
pub mod hit_structs;
pub mod hits;
pub mod intersections;
mod memory;
pub mod numbers;
mod options;
pub mod particle_structs;
pub mod particles;
pub mod rigid2d_arbiter;
pub mod rigid2d_bodies;
pub mod rigid2d_body_set;
pub mod rigid2d_columns;
pub mod rigid2d_contacts;
pub mod rigid2d_files;
pub mod rigid2d_forms;
pub mod rigid2d_geometry;
pub mod rigid2d_handlers;
pub mod rigid2d_ids;
pub mod rigid2d_many_queries;
pub mod rigid2d_queries;
pub mod rigid2d_scenes;
pub mod rigid2d_shape_set;
pub mod rigid2d_shapes;
pub mod rigid2d_space;
pub mod rigid2d_spaces;
pub mod rigid2d_steps;
pub mod rigid2d_updates;
pub mod rows;
pub mod status;
mod store;
mod stream;
pub mod study;
pub mod version;
pub mod world;

#[cfg(feature = "test-hooks")]
pub mod hooks;
