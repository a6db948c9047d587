//! Gravity, restitution and limits of an event-driven run.

use serde::{Deserialize, Serialize};

use super::enclosure::{Boundary, Enclosure};
use crate::error::{Error, Result};
use crate::particles::check;
use crate::setters::setters;

/// The forces and rules of an event-driven run, in SI units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct EventSettings {
    /// Gravity g in metres per second squared, towards lower coordinates of axis 1. Default 0; must be 0 in dimension 1 and if axis 1 is
    /// periodic.
    pub down_gravity: f64,
    /// Coefficient of restitution of two particles: their speed of separation over that of approach, from 0 to 1. Default 1.
    pub restitution: f64,
    /// Coefficient of restitution of a particle and a wall, from 0 to 1. Default 1.
    pub wall_restitution: f64,
    /// Number of practically simultaneous collisions of one particle above which the run stops with [`Error::Collapse`].
    /// Default 10,000.
    pub max_rate: u64,
    /// Duration of a contact, in seconds: a collision of a particle that follows its last one within this time is elastic, so
    /// that particles that lose energy come to rest in small bounces (docs/methods/events.md, section 7). `Some(0.0)`: all
    /// collisions lose what restitution takes, and inelastic collapse stops a run. Default `None`: 0 without gravity, and
    /// under gravity a fiftieth of the time in which the smallest particle falls by its radius.
    pub contact_duration: Option<f64>,
}

impl Default for EventSettings {
    fn default() -> Self {
        Self {
            down_gravity: 0.0,
            restitution: 1.0,
            wall_restitution: 1.0,
            max_rate: 10_000,
            contact_duration: None,
        }
    }
}

impl EventSettings {
    setters! {
        /// With this gravity along axis 1, in metres per second squared.
        with_down_gravity(down_gravity: f64);
        /// With this coefficient of restitution of two particles, from 0 to 1.
        with_restitution(restitution: f64);
        /// With this coefficient of restitution of a particle and a wall, from 0 to 1.
        with_wall_restitution(wall_restitution: f64);
        /// With this number of simultaneous collisions of one particle before [`Error::Collapse`].
        with_max_rate(max_rate: u64);
        /// With this duration of a contact, in seconds; `None`: by gravity.
        with_contact_duration(contact_duration: Option<f64>);
    }

    /// Whether collisions conserve energy.
    #[inline(always)]
    pub(super) fn is_elastic(&self) -> bool {
        self.restitution == 1.0 && self.wall_restitution == 1.0
    }

    /// Fails if a setting is not valid, or not in this box.
    pub fn check<const D: usize>(&self, enclosure: &Enclosure<D>) -> Result<()> {
        check::finite("down_gravity", 0, self.down_gravity)?;
        unit_interval("restitution", self.restitution)?;
        unit_interval("wall_restitution", self.wall_restitution)?;
        if let Some(duration) = self.contact_duration {
            check::non_negative("contact_duration", 0, duration)?;
        }
        if self.max_rate == 0 {
            return Err(Error::OutOfRange { field: "max_rate", value: 0.0, expected: "at least 1" });
        }
        let nowhere_to_fall = if D == 1 {
            Some("0 in dimension 1, which has no second axis to fall along")
        } else {
            enclosure
                .is(1, Boundary::Periodic)
                .then_some("0 where axis 1 is periodic: a fall would never end")
        };
        match nowhere_to_fall {
            Some(expected) if self.down_gravity != 0.0 => {
                Err(Error::OutOfRange { field: "down_gravity", value: self.down_gravity, expected })
            }
            _ => Ok(()),
        }
    }
}

fn unit_interval(field: &'static str, value: f64) -> Result<()> {
    check::finite(field, 0, value)?;
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Error::OutOfRange { field, value, expected: "from 0 to 1" })
}
