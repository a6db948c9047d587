//! What holds for all spaces of a batch.

use super::mixing::Mixing;

/// A solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Method {
    /// Soft contacts with substeps.
    Soft,
    /// Sequential impulses.
    Sequential {
        /// Passes over all contacts.
        iterations: u32,
        /// Share of an overlap that is left after a second.
        bias: f64,
    },
}

/// How a step is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StepSettings {
    /// Substeps of a step.
    pub(crate) substeps: u32,
    /// Frequency of contacts between moving bodies, in hertz; twice that against what is fixed.
    pub(crate) contact_hertz: f64,
    /// Damping ratio of contacts.
    pub(crate) damping_ratio: f64,
    /// Largest velocity at which overlapping bodies are pushed apart, in metres per second.
    pub(crate) push_velocity: f64,
    /// Overlap that is left alone, in metres.
    pub(crate) slop: f64,
    /// How far apart shapes may be to be kept in the solver, in metres.
    pub(crate) margin: f64,
    /// Speed above which a contact bounces, in metres per second; none: twice what gravity adds in a step.
    pub(crate) bounce_speed: Option<f64>,
    /// Relaxations of a substep.
    pub(crate) relaxations: u32,
    /// How long all bodies of an island must rest before it falls asleep, in seconds; none: never.
    pub(crate) sleep_time: Option<f64>,
    /// Speed below which a body rests, in metres per second.
    pub(crate) sleep_speed: f64,
    /// Which solver.
    pub(crate) method: Method,
    /// How elasticities give the coefficient of restitution.
    pub(crate) restitution: Mixing,
    /// How frictions give the coefficient of friction.
    pub(crate) friction: Mixing,
}

impl Default for StepSettings {
    fn default() -> Self {
        Self {
            substeps: 4,
            contact_hertz: 60.0,
            damping_ratio: 10.0,
            push_velocity: 3.0,
            slop: 0.0,
            margin: 0.02,
            bounce_speed: None,
            relaxations: 1,
            sleep_time: None,
            sleep_speed: 0.05,
            method: Method::Soft,
            restitution: Mixing::Multiply,
            friction: Mixing::Multiply,
        }
    }
}

impl StepSettings {
    /// Parts of a step that are computed one after the other.
    pub(crate) fn parts(&self) -> f64 {
        match self.method {
            Method::Soft => f64::from(self.substeps),
            Method::Sequential { .. } => 1.0,
        }
    }
}
