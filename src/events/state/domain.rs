//! Box and gravity in the form that predictions use.

use crate::events::enclosure::{Boundary, Enclosure};
use crate::events::settings::EventSettings;

/// Periods, walls and gravity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Domain<const D: usize> {
    pub enclosure: Enclosure<D>,
    /// Length of the box along a periodic axis, else 0.
    pub period: [f64; D],
    /// 1 / length along a periodic axis, else 0.
    pub frequency: [f64; D],
    pub down_gravity: f64,
}

/// Adding and subtracting it rounds to the nearest integer, ties to even, in every build.
pub(crate) const ROUNDER: f64 = 6_755_399_441_055_744.0;

impl<const D: usize> Domain<D> {
    pub(crate) fn new(enclosure: Enclosure<D>, settings: &EventSettings) -> Self {
        let of_periodic = |axis: usize, value: fn(f64) -> f64| {
            if enclosure.is(axis, Boundary::Periodic) { value(enclosure.length(axis)) } else { 0.0 }
        };
        let period: [f64; D] = std::array::from_fn(|axis| of_periodic(axis, |length| length));
        let frequency: [f64; D] = std::array::from_fn(|axis| of_periodic(axis, |length| 1.0 / length));
        Self { enclosure, period, frequency, down_gravity: settings.down_gravity }
    }

    /// The shortest period, infinite if no axis is periodic.
    pub(crate) fn shortest_period(&self) -> f64 {
        self.period.into_iter().filter(|&period| period > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// The multiple of the period to subtract from a distance along an axis to get that of the nearest image.
    #[inline(always)]
    pub(crate) fn image_shift(&self, axis: usize, distance: f64) -> f64 {
        ((distance * self.frequency[axis] + ROUNDER) - ROUNDER) * self.period[axis]
    }

    /// Coordinate of a particle in contact with a face; a bounce sets it, so that rounding never leaves a particle beyond.
    pub(crate) fn wall_contact(&self, face: usize, radius: f64) -> f64 {
        let axis = face / 2;
        if face.is_multiple_of(2) {
            self.enclosure.lower[axis] + radius
        } else {
            self.enclosure.upper[axis] - radius
        }
    }

    /// The shift that brings a coordinate into the box; 0 where the axis is not periodic.
    #[inline(always)]
    pub(crate) fn wrap_shift(&self, axis: usize, position: f64) -> f64 {
        if self.period[axis] == 0.0 {
            return 0.0;
        }
        let (lower, upper) = (self.enclosure.lower[axis], self.enclosure.upper[axis]);
        if position >= lower && position < upper {
            return 0.0;
        }
        -((position - lower) * self.frequency[axis]).floor() * self.period[axis]
    }

    /// The coordinate of the same point within the box.
    pub(crate) fn wrapped(&self, axis: usize, position: f64) -> f64 {
        let within = position + self.wrap_shift(axis, position);
        if self.period[axis] == 0.0 {
            return within;
        }
        // A coordinate just below the lower face would be rounded to the upper one.
        if within >= self.enclosure.upper[axis] { self.enclosure.lower[axis] } else { within }
    }
}
