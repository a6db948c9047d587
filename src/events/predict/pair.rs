//! The time of contact of two particles (docs/methods/contacts.md, docs/methods/events.md).
//!
//! It is a function of the two flights and the periodic image alone: every prediction of the same contact gives the same
//! bits. So a run depends neither on the neighbour lists nor on the moments at which predictions were made.

use crate::contact::Products;
use crate::events::predict::falling;
use crate::events::state::{Domain, FlightState};

/// The motion of one particle relative to another, from the time at which the later of their flights begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RelativeMotion<const D: usize> {
    /// Start of the later flight.
    pub since: f64,
    /// Centre of the first minus that of the second, in metres, at that time.
    pub distance: [f64; D],
    /// Velocity of the first minus that of the second, at that time.
    pub velocity: [f64; D],
    /// Down acceleration of the first minus that of the second.
    pub fall: f64,
}

impl<const D: usize> RelativeMotion<D> {
    #[inline(always)]
    pub(crate) fn new(domain: &Domain<D>, first: &FlightState, second: &FlightState) -> Self {
        let since = first.time().max(second.time());
        let (first_position, first_velocity) = first.at::<D>(since, domain.down_gravity);
        let (second_position, second_velocity) = second.at::<D>(since, domain.down_gravity);
        let fall = if first.is_fixed() == second.is_fixed() {
            0.0
        } else if second.is_fixed() {
            domain.down_gravity
        } else {
            -domain.down_gravity
        };
        let (mut distance, mut velocity) = ([0.0; D], [0.0; D]);
        for k in 0..D {
            distance[k] = first_position[k] - second_position[k];
            velocity[k] = first_velocity[k] - second_velocity[k];
        }
        Self { since, distance, velocity, fall }
    }

    /// Distance along an axis at `time`.
    #[inline(always)]
    pub(crate) fn distance_at(&self, axis: usize, time: f64) -> f64 {
        let dt = time - self.since;
        let linear = self.distance[axis] + self.velocity[axis] * dt;
        if axis == 1 && self.fall != 0.0 { linear - 0.5 * self.fall * (dt * dt) } else { linear }
    }

    /// Velocity along an axis at `time`.
    pub(crate) fn velocity_at(&self, axis: usize, time: f64) -> f64 {
        self.velocity[axis] + self.acceleration(axis) * (time - self.since)
    }

    /// Acceleration along an axis.
    pub(crate) fn acceleration(&self, axis: usize) -> f64 {
        if axis == 1 { -self.fall } else { 0.0 }
    }

    /// The same motion relative to the periodic image of the second particle that is nearest at `now`.
    #[inline(always)]
    pub(crate) fn nearest_image(mut self, domain: &Domain<D>, now: f64) -> Self {
        for axis in 0..D {
            self.distance[axis] -= domain.image_shift(axis, self.distance_at(axis, now));
        }
        self
    }

    /// When the distance becomes `contact_distance`, in seconds of the epoch; infinite if never.
    ///
    /// A pair that overlaps and approaches is in contact at once; one that overlaps and separates has no contact until it
    /// approaches again (Bannerman et al. 2014; docs/methods/contacts.md, section 4).
    #[inline(always)]
    pub(crate) fn contact_time(&self, contact_distance: f64) -> f64 {
        if self.fall != 0.0 {
            return self.since + self.falling(contact_distance);
        }
        let products = Products::new::<D>(D, |k| [self.distance[k], self.velocity[k]]);
        self.since + products.contact(contact_distance * contact_distance).within(f64::INFINITY)
    }

    /// The same where one of the two is fixed and the other falls.
    #[cold]
    fn falling(&self, contact_distance: f64) -> f64 {
        let mut acceleration = [0.0; D];
        acceleration[1] = -self.fall;
        falling::Fall { distance: self.distance, velocity: self.velocity, acceleration }
            .first_contact(contact_distance)
    }
}

/// The earliest contact with any periodic image that can come within `contact_distance` before either particle has
/// travelled `margin`.
#[inline(always)]
pub(crate) fn contact_time_of_images<const D: usize>(
    domain: &Domain<D>,
    relative: RelativeMotion<D>,
    now: f64,
    contact_distance: f64,
    margin: f64,
) -> f64 {
    let cutoff = contact_distance + 2.0 * margin;
    let (mut first, mut counts) = ([0.0; D], [0; D]);
    for axis in (0..D).filter(|&axis| domain.period[axis] > 0.0) {
        let distance = relative.distance_at(axis, now);
        first[axis] = ((distance - cutoff) * domain.frequency[axis]).floor();
        // Counted, because adding 1 to a large number of turns may not change it.
        counts[axis] = (((distance + cutoff) * domain.frequency[axis]).ceil() - first[axis]) as u32;
    }
    let (mut image, mut earliest) = ([0; D], f64::INFINITY);
    loop {
        let mut shifted = relative;
        for axis in 0..D {
            shifted.distance[axis] -= (first[axis] + f64::from(image[axis])) * domain.period[axis];
        }
        earliest = earliest.min(shifted.contact_time(contact_distance));
        let Some(axis) = (0..D).find(|&axis| image[axis] < counts[axis]) else {
            return earliest;
        };
        image[axis] += 1;
        image[..axis].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::enclosure::Enclosure;
    use crate::events::settings::EventSettings;

    fn flight(position: [f64; 2], velocity: [f64; 2], time: f64) -> FlightState {
        FlightState::new(position, velocity, time, false)
    }

    #[test]
    fn flights_that_begin_at_different_times_collide_on_time() {
        let domain = Domain::new(Enclosure::<2>::open(), &EventSettings::default());
        let (first, second) = (flight([0.0, 0.0], [1.0, 0.0], 0.0), flight([5.0, 0.0], [-1.0, 0.0], 1.0));
        let relative = RelativeMotion::new(&domain, &first, &second);
        assert_eq!((relative.since, relative.distance), (1.0, [-4.0, 0.0]));
        assert_eq!(relative.contact_time(1.0), 2.5);
        assert_eq!(RelativeMotion::new(&domain, &second, &first).contact_time(1.0), 2.5);
    }

    #[test]
    fn falling_together_changes_nothing() {
        let settings = EventSettings { down_gravity: 10.0, ..Default::default() };
        let domain = Domain::new(Enclosure::<2>::open(), &settings);
        let (first, second) = (flight([0.0, 0.0], [1.0, 0.0], 0.0), flight([4.0, -5.0], [-1.0, -10.0], 1.0));
        let contact = RelativeMotion::new(&domain, &first, &second).contact_time(1.0);
        assert!((contact - 2.0).abs() < 1e-15);
    }

    #[test]
    fn overlap_is_a_contact_at_once_if_it_approaches_and_none_if_it_separates() {
        let domain = Domain::new(Enclosure::<2>::open(), &EventSettings::default());
        let (left, right) =
            (flight([0.0, 0.0], [1.0, 0.0], 3.0), flight([1.0 - 1e-15, 0.0], [0.0, 0.0], 3.0));
        assert_eq!(RelativeMotion::new(&domain, &left, &right).contact_time(1.0), 3.0);
        let away = flight([0.0, 0.0], [-1.0, 0.0], 3.0);
        assert_eq!(RelativeMotion::new(&domain, &away, &right).contact_time(1.0), f64::INFINITY);
    }

    #[test]
    fn all_images_are_searched() {
        let domain = Domain::new(Enclosure::periodic([0.0, 0.0], [3.0, 3.0]), &EventSettings::default());
        let (first, second) = (flight([0.5, 0.5], [1.0, 0.0], 0.0), flight([0.5, 2.0], [0.0, 0.5], 0.0));
        let relative = RelativeMotion::new(&domain, &first, &second);
        let nearest = relative.nearest_image(&domain, 0.0);
        assert_eq!(nearest.distance[0], 0.0);
        assert_eq!(nearest.distance[1].abs(), 1.5);
        // At t the images are (t - 3 i, -1.5 - t / 2 - 3 j) apart: those with i = 1, j = -1 approach each other.
        let contact = contact_time_of_images(&domain, relative, 0.0, 1.0, 3.0);
        let expected = 3.0 - 1.0 / 1.25_f64.sqrt();
        assert!((contact - expected).abs() < 1e-15, "{contact} {expected}");
    }

    #[test]
    fn a_search_of_images_ends_where_one_turn_more_is_a_rounding() {
        let domain = Domain::new(Enclosure::periodic([0.0, 0.0], [3.0, 3.0]), &EventSettings::default());
        let (first, second) = (flight([1e30, 0.5], [1.0, 0.0], 0.0), flight([0.5, 2.0], [0.0, 0.5], 0.0));
        let relative = RelativeMotion::new(&domain, &first, &second);
        assert!(!contact_time_of_images(&domain, relative, 0.0, 1.0, 0.75).is_nan());
    }
}
