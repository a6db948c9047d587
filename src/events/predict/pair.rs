//! When two particles meet (SPEC sections 1 and 3).
//!
//! The time is a function of the two records and the image alone: whoever predicts it, and whenever, gets the same
//! bits. So a run does not depend on neighbour lists, queues or the moments at which somebody looked.

use crate::events::predict::falling;
use crate::events::state::domain::Space;
use crate::events::state::flight_state::Record;

/// The motion of one particle seen from another, from the time at which the later of their records begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relative<const D: usize> {
    /// Start of the later record.
    pub since: f64,
    /// First minus second, in metres, at that time.
    pub distance: [f64; D],
    /// Velocity of the first minus that of the second, at that time.
    pub velocity: [f64; D],
    /// Down acceleration of the first minus that of the second.
    pub fall: f64,
}

impl<const D: usize> Relative<D> {
    #[inline(always)]
    pub(crate) fn new(space: &Space<D>, first: &Record, second: &Record) -> Self {
        let since = first.time().max(second.time());
        let (first_place, first_velocity) = first.at::<D>(since, space.down_gravity);
        let (second_place, second_velocity) = second.at::<D>(since, space.down_gravity);
        let fall = if first.is_fixed() == second.is_fixed() {
            0.0
        } else if second.is_fixed() {
            space.down_gravity
        } else {
            -space.down_gravity
        };
        let (mut distance, mut velocity) = ([0.0; D], [0.0; D]);
        for k in 0..D {
            distance[k] = first_place[k] - second_place[k];
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
        self.velocity[axis] + self.pull(axis) * (time - self.since)
    }

    /// Acceleration along an axis.
    pub(crate) fn pull(&self, axis: usize) -> f64 {
        if axis == 1 { -self.fall } else { 0.0 }
    }

    /// The same motion seen from the image of the second particle that is nearest at `now`.
    #[inline(always)]
    pub(crate) fn nearest(mut self, space: &Space<D>, now: f64) -> Self {
        for axis in 0..D {
            self.distance[axis] -= space.image_shift(axis, self.distance_at(axis, now));
        }
        self
    }

    /// When the distance becomes `reach`, in seconds of the epoch; infinite if never.
    ///
    /// A pair that overlaps and approaches meets at once; one that overlaps and separates does not meet until it
    /// has turned (Bannerman et al. 2013).
    #[inline(always)]
    pub(crate) fn meeting(&self, reach: f64) -> f64 {
        if self.fall == 0.0 { self.since + self.linear(reach) } else { self.since + self.falling(reach) }
    }

    /// `|d|^2 + 2 (d.w) t + |w|^2 t^2 = R^2`, the smaller root, in the form without cancellation. The discriminant is that of
    /// Lagrange, `|w|^2 R^2 - |d x w|^2`, which small balls far apart do not cancel either.
    #[inline(always)]
    fn linear(&self, reach: f64) -> f64 {
        let (d, w, square) = (self.distance, self.velocity, reach * reach);
        let (mut a, mut b, mut c, mut miss) = (0.0, 0.0, 0.0, 0.0);
        for k in 0..D {
            a += w[k] * w[k];
            b += d[k] * w[k];
            c += d[k] * d[k];
            for l in 0..k {
                let minor = d[l] * w[k] - d[k] * w[l];
                miss += minor * minor;
            }
        }
        c -= square;
        let discriminant = a * square - miss;
        if b < 0.0 && discriminant >= 0.0 { (c / (discriminant.sqrt() - b)).max(0.0) } else { f64::INFINITY }
    }

    /// One of the two is fixed and the other falls.
    #[cold]
    fn falling(&self, reach: f64) -> f64 {
        let mut acceleration = [0.0; D];
        acceleration[1] = -self.fall;
        falling::Fall { distance: self.distance, velocity: self.velocity, acceleration }.first_contact(reach)
    }
}

/// When two particles meet at any of the images that can come within `reach` before either has flown `margin`.
pub(crate) fn meeting_of_images<const D: usize>(
    space: &Space<D>,
    relative: Relative<D>,
    now: f64,
    reach: f64,
    margin: f64,
) -> f64 {
    let far = reach + 2.0 * margin;
    let mut range = [[0.0; 2]; D];
    for (axis, [least, most]) in range.iter_mut().enumerate() {
        let distance = relative.distance_at(axis, now);
        if space.period[axis] > 0.0 {
            *least = ((distance - far) * space.frequency[axis]).floor();
            *most = ((distance + far) * space.frequency[axis]).ceil();
        }
    }
    let mut image = range.map(|[least, _]| least);
    let mut earliest = f64::INFINITY;
    loop {
        let mut seen = relative;
        for (distance, (turns, period)) in seen.distance.iter_mut().zip(image.iter().zip(space.period)) {
            *distance -= turns * period;
        }
        earliest = earliest.min(seen.meeting(reach));
        let Some(axis) = (0..D).find(|&axis| image[axis] < range[axis][1]) else {
            return earliest;
        };
        image[axis] += 1.0;
        (0..axis).for_each(|lower| image[lower] = range[lower][0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::enclosure::Enclosure;
    use crate::events::settings::EventSettings;

    fn record(position: [f64; 2], velocity: [f64; 2], time: f64) -> Record {
        Record::new(position, velocity, time, false)
    }

    #[test]
    fn records_of_different_times_meet_when_they_should() {
        let space = Space::new(Enclosure::<2>::open(), &EventSettings::default());
        let (first, second) = (record([0.0, 0.0], [1.0, 0.0], 0.0), record([5.0, 0.0], [-1.0, 0.0], 1.0));
        let relative = Relative::new(&space, &first, &second);
        assert_eq!((relative.since, relative.distance), (1.0, [-4.0, 0.0]));
        assert_eq!(relative.meeting(1.0), 2.5);
        assert_eq!(Relative::new(&space, &second, &first).meeting(1.0), 2.5);
    }

    #[test]
    fn falling_together_changes_nothing() {
        let settings = EventSettings { down_gravity: 10.0, ..Default::default() };
        let space = Space::new(Enclosure::<2>::open(), &settings);
        let (first, second) = (record([0.0, 0.0], [1.0, 0.0], 0.0), record([4.0, -5.0], [-1.0, -10.0], 1.0));
        let meeting = Relative::new(&space, &first, &second).meeting(1.0);
        assert!((meeting - 2.0).abs() < 1e-15);
    }

    #[test]
    fn overlap_meets_at_once_if_it_approaches_and_never_if_it_separates() {
        let space = Space::new(Enclosure::<2>::open(), &EventSettings::default());
        let (left, right) =
            (record([0.0, 0.0], [1.0, 0.0], 3.0), record([1.0 - 1e-15, 0.0], [0.0, 0.0], 3.0));
        assert_eq!(Relative::new(&space, &left, &right).meeting(1.0), 3.0);
        let away = record([0.0, 0.0], [-1.0, 0.0], 3.0);
        assert_eq!(Relative::new(&space, &away, &right).meeting(1.0), f64::INFINITY);
    }

    #[test]
    fn all_images_are_seen() {
        let space = Space::new(Enclosure::periodic([0.0, 0.0], [3.0, 3.0]), &EventSettings::default());
        let (first, second) = (record([0.5, 0.5], [1.0, 0.0], 0.0), record([0.5, 2.0], [0.0, 0.5], 0.0));
        let relative = Relative::new(&space, &first, &second);
        let nearest = relative.nearest(&space, 0.0);
        assert_eq!(nearest.distance[0], 0.0);
        assert_eq!(nearest.distance[1].abs(), 1.5);
        // At t the images are (t - 3 i, -1.5 - t / 2 - 3 j) apart: those with i = 1, j = -1 head for each other.
        let met = meeting_of_images(&space, relative, 0.0, 1.0, 3.0);
        let expected = 3.0 - 1.0 / 1.25_f64.sqrt();
        assert!((met - expected).abs() < 1e-15, "{met} {expected}");
    }
}
