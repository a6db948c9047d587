//! Contact solvers: impulses that keep bodies apart.
//!
//! The solver has its own columns: the [states](states) of bodies, which are velocities and displacements since the start
//! of the step, and the [constraints](constraints), which are contacts in the order of their colours. Within a step the
//! constraints are linear in velocities and displacements (docs/methods/rigid2d.md).

pub(crate) mod constraints;
pub(crate) mod passes;
pub(crate) mod sequential;
pub(crate) mod soft;
pub(crate) mod states;
#[cfg(test)]
mod twins;
