//! The time of contact of a particle with a wall (docs/methods/contacts.md, section 7).

use crate::events::enclosure::Boundary;
use crate::events::state::{Domain, FlightState};

/// Time from now until a particle at height `h` above a wall touches it while approaching; infinite if never.
///
/// `v` is its velocity away from the wall and `g` its acceleration towards it. A particle that is beyond the wall by rounding
/// is in contact at once if it approaches, and otherwise as soon as it has turned (Bannerman et al. 2014;
/// docs/methods/contacts.md, section 4).
fn fall_time(h: f64, v: f64, g: f64) -> f64 {
    let below = h <= 0.0;
    if below && v < 0.0 {
        return 0.0;
    }
    if g == 0.0 {
        return if v < 0.0 { h / -v } else { f64::INFINITY };
    }
    // h + v t - g t^2 / 2 = 0
    let discriminant = v * v + 2.0 * g * h;
    if g < 0.0 {
        // Gravity pulls it away from the wall: contact is possible only before it turns.
        return if v < 0.0 && discriminant >= 0.0 {
            2.0 * h / (discriminant.sqrt() - v)
        } else {
            f64::INFINITY
        };
    }
    if discriminant <= 0.0 {
        return v / g;
    }
    let root = discriminant.sqrt();
    let time = if v < 0.0 { 2.0 * h / (root - v) } else { (v + root) / g };
    time.max(0.0)
}

/// Time of the next wall contact of a particle of this radius, in seconds of the epoch, and the face: `2 * axis` for the
/// lower, `2 * axis + 1` for the upper. The time is infinite if there is none.
pub(crate) fn next_wall<const D: usize>(
    domain: &Domain<D>,
    flight: &FlightState,
    radius: f64,
) -> (f64, usize) {
    let mut next = (f64::INFINITY, 0);
    if flight.is_fixed() {
        return next;
    }
    for axis in (0..D).filter(|&axis| domain.enclosure.is(axis, Boundary::Reflecting)) {
        let (x, v) = (flight.position_time[axis], flight.velocity_tag[axis]);
        let g = if axis == 1 { domain.down_gravity } else { 0.0 };
        let lower = fall_time(x - domain.wall_contact(2 * axis, radius), v, g);
        let upper = fall_time(domain.wall_contact(2 * axis + 1, radius) - x, -v, -g);
        let (time, face) = if upper < lower { (upper, 2 * axis + 1) } else { (lower, 2 * axis) };
        if flight.time() + time < next.0 {
            next = (flight.time() + time, face);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_flight() {
        assert_eq!(fall_time(3.0, -2.0, 0.0), 1.5);
        assert_eq!(fall_time(3.0, 2.0, 0.0), f64::INFINITY);
        assert_eq!(fall_time(-1e-16, -2.0, 0.0), 0.0);
        assert_eq!(fall_time(-1e-16, 2.0, 0.0), f64::INFINITY);
        assert_eq!(fall_time(0.0, 0.0, 0.0), f64::INFINITY);
    }

    #[test]
    fn falling_down_and_coming_back() {
        assert!((fall_time(5.0, 0.0, 10.0) - 1.0).abs() < 1e-15);
        assert!((fall_time(0.0, 5.0, 10.0) - 1.0).abs() < 1e-15);
        assert_eq!(fall_time(0.0, 0.0, 10.0), 0.0);
    }

    #[test]
    fn beyond_the_wall_the_contact_is_at_the_turn() {
        assert_eq!(fall_time(-1e-3, 1e-6, 10.0), 1e-7);
        assert_eq!(fall_time(-1e-3, -1e-6, 10.0), 0.0);
    }

    #[test]
    fn a_ceiling_is_reached_only_at_high_speed() {
        // 1 m below the ceiling, gravity pulls away from it.
        assert_eq!(fall_time(1.0, -4.0, -10.0), f64::INFINITY);
        let t = fall_time(1.0, -5.0, -10.0);
        assert!((1.0 - 5.0 * t + 5.0 * t * t).abs() < 1e-15 && t < 0.5);
    }
}
