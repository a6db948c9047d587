//! Settings of a space.

use crate::error::{Error, Result};
use crate::geometry::Vec2;
use crate::rigid2d::engine::settings::{Method, StepSettings};
use crate::setters::setters;
use crate::soa::check;

pub use crate::rigid2d::engine::mixing::Mixing;

/// In which numbers contacts are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Precision {
    /// Everything in `f64`.
    #[default]
    Double,
    /// Positions, velocities and differences of positions in `f64`, contacts in `f32`, twice as many at a time.
    Mixed,
}

/// How impulses are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Solver {
    /// Soft contacts with substeps.
    #[default]
    Soft,
    /// Sequential impulses with warm starting, bias and slop, as in Chipmunk.
    Sequential,
}

/// Iterations and substeps of a step, at most: a step of many bodies with all of them takes seconds, and ends.
pub(crate) const MOST_ITERATIONS: u32 = 10_000;
pub(crate) const MOST_SUBSTEPS: u32 = 1000;

/// What holds for a whole space.
///
/// ```
/// use carom::geometry::Vec2;
/// use carom::rigid2d::{Space, SpaceSettings};
///
/// let settings = SpaceSettings::default().with_gravity(Vec2::new(0.0, -9.81)).with_substeps(8);
/// let space = Space::new(&settings)?;
/// assert_eq!(space.settings().substeps, 8);
/// assert!(Space::new(&settings.with_substeps(0)).is_err());
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SpaceSettings {
    /// In which numbers contacts are computed. It cannot be changed later.
    pub precision: Precision,
    /// Acceleration of all dynamic bodies, in metres per second squared; 0 by default.
    pub gravity: Vec2,
    /// How impulses are found.
    pub solver: Solver,
    /// Iterations of sequential impulses, from 1 to 10,000; 10 by default. A step cannot be stopped, and takes as much longer.
    pub iterations: u32,
    /// Substeps of a step with soft contacts, from 1 to 1,000; 4 by default. A step cannot be stopped, and takes as much longer.
    pub substeps: u32,
    /// Overlap that is left alone, in metres.
    pub slop: f64,
    /// Share of the overlap that is left after one second of sequential impulses, from 0 to 1; 0.9^60 by default.
    pub bias: f64,
    /// The document's setting of that name, 3 by default. It is kept and has no effect: a contact that ends loses its impulses.
    pub persistence: u32,
    /// How elasticities give the coefficient of restitution; their product by default.
    pub restitution_mixing: Mixing,
    /// How frictions give the coefficient of friction; their product by default.
    pub friction_mixing: Mixing,
    /// Speed of approach above which contacts bounce, in metres per second; `None`, the default, is twice what gravity adds in a
    /// step.
    pub bounce_speed: Option<f64>,
    /// How long bodies must rest before they fall asleep, in seconds; `None`, the default, is never.
    pub sleep_time: Option<f64>,
    /// Frequency of soft contacts, in hertz, more than 0.
    pub contact_hertz: f64,
    /// Damping ratio of soft contacts, at least 0; 10 by default.
    pub damping_ratio: f64,
    /// Largest velocity at which soft contacts push overlapping bodies apart, in metres per second; 3 by default.
    pub push_velocity: f64,
}

impl Default for SpaceSettings {
    fn default() -> Self {
        let step = StepSettings::default();
        Self {
            precision: Precision::Double,
            gravity: Vec2::ZERO,
            solver: Solver::Soft,
            iterations: 10,
            substeps: step.substeps,
            slop: step.slop,
            bias: 0.001_797_010_299_914_433_5,
            persistence: 3,
            restitution_mixing: Mixing::Multiply,
            friction_mixing: Mixing::Multiply,
            bounce_speed: step.bounce_speed,
            sleep_time: None,
            contact_hertz: step.contact_hertz,
            damping_ratio: step.damping_ratio,
            push_velocity: step.push_velocity,
        }
    }
}

impl SpaceSettings {
    setters! {
        /// With this precision.
        with_precision(precision: Precision);
        /// With this gravity, in metres per second squared.
        with_gravity(gravity: Vec2);
        /// With this solver.
        with_solver(solver: Solver);
        /// With this many iterations of sequential impulses.
        with_iterations(iterations: u32);
        /// With this many substeps.
        with_substeps(substeps: u32);
        /// With this overlap left alone, in metres.
        with_slop(slop: f64);
        /// With this share of the overlap left after a second.
        with_bias(bias: f64);
        /// With impulses remembered for this many steps.
        with_persistence(persistence: u32);
        /// With elasticities mixed like this.
        with_restitution_mixing(restitution_mixing: Mixing);
        /// With frictions mixed like this.
        with_friction_mixing(friction_mixing: Mixing);
        /// With contacts that bounce above this speed, in metres per second.
        with_bounce_speed(bounce_speed: Option<f64>);
        /// With bodies that fall asleep after this time, in seconds.
        with_sleep_time(sleep_time: Option<f64>);
        /// With soft contacts of this frequency, in hertz.
        with_contact_hertz(contact_hertz: f64);
        /// With soft contacts of this damping ratio.
        with_damping_ratio(damping_ratio: f64);
        /// With bodies pushed apart at no more than this velocity, in metres per second.
        with_push_velocity(push_velocity: f64);
    }

    /// Whether all numbers are in their ranges.
    pub fn check(&self) -> Result<()> {
        check::all_finite("gravity", &<[f64; 2]>::from(self.gravity))?;
        within("iterations", self.iterations, MOST_ITERATIONS, "from 1 to 10,000")?;
        within("substeps", self.substeps, MOST_SUBSTEPS, "from 1 to 1,000")?;
        check::non_negative("slop", 0, self.slop)?;
        check::non_negative("bias", 0, self.bias)?;
        if self.bias > 1.0 {
            return Err(Error::OutOfRange { field: "bias", value: self.bias, expected: "at most 1" });
        }
        check::non_negative("bounce speed", 0, self.bounce_speed.unwrap_or(0.0))?;
        check::non_negative("sleep time", 0, self.sleep_time.unwrap_or(0.0))?;
        check::finite("contact hertz", 0, self.contact_hertz)?;
        if self.contact_hertz <= 0.0 {
            let value = self.contact_hertz;
            return Err(Error::OutOfRange { field: "contact hertz", value, expected: "more than 0" });
        }
        check::non_negative("damping ratio", 0, self.damping_ratio)?;
        check::non_negative("push velocity", 0, self.push_velocity)
    }

    /// These settings as the engine has them.
    pub(super) fn for_engine(&self, old: &StepSettings) -> StepSettings {
        StepSettings {
            substeps: self.substeps,
            slop: self.slop,
            bounce_speed: self.bounce_speed,
            sleep_time: self.sleep_time,
            method: match self.solver {
                Solver::Soft => Method::Soft,
                Solver::Sequential => Method::Sequential { iterations: self.iterations, bias: self.bias },
            },
            contact_hertz: self.contact_hertz,
            damping_ratio: self.damping_ratio,
            push_velocity: self.push_velocity,
            restitution: self.restitution_mixing,
            friction: self.friction_mixing,
            ..*old
        }
    }
}

fn within(field: &'static str, value: u32, most: u32, expected: &'static str) -> Result<()> {
    if (1..=most).contains(&value) {
        Ok(())
    } else {
        Err(Error::OutOfRange { field, value: f64::from(value), expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_settings_are_named() {
        let good = SpaceSettings::default();
        assert_eq!(good.check(), Ok(()));
        assert_eq!(good.with_iterations(MOST_ITERATIONS).with_substeps(MOST_SUBSTEPS).check(), Ok(()));
        assert!((good.bias - (0..60).fold(1.0, |power, _| power * 0.9)).abs() < 1e-16);
        for (bad, field) in [
            (good.with_gravity(Vec2::new(0.0, f64::NAN)), "gravity[1] is NaN"),
            (good.with_iterations(0), "iterations is 0"),
            (good.with_substeps(0), "substeps is 0"),
            (good.with_iterations(10_001), "iterations is 10001: it must be from 1 to 10,000"),
            (good.with_substeps(1001), "substeps is 1001: it must be from 1 to 1,000"),
            (good.with_slop(-1.0), "slop[0] is -1"),
            (good.with_bias(1.5), "bias is 1.5"),
            (good.with_bias(-0.5), "bias[0] is -0.5"),
            (good.with_bounce_speed(Some(f64::INFINITY)), "bounce speed[0] is inf"),
            (good.with_sleep_time(Some(-0.1)), "sleep time[0] is -0.1"),
            (good.with_contact_hertz(0.0), "contact hertz is 0"),
            (good.with_damping_ratio(-1.0), "damping ratio[0] is -1"),
            (good.with_push_velocity(f64::NAN), "push velocity[0] is NaN"),
        ] {
            let message = bad.check().unwrap_err().to_string();
            assert!(message.starts_with(field), "{message}");
        }
    }
}
