//! Where two shapes touch.

mod epa;
pub(crate) mod general;
pub(crate) mod gjk;
pub(crate) mod lanes;
pub(crate) mod manifold;
#[cfg(test)]
mod samples;
pub(crate) mod scalar;
#[cfg(test)]
mod tests;
