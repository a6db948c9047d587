//! Contacts that last: how much of the approach speed a collision keeps (docs/methods/events.md, section 7).

use crate::events::settings::EventSettings;
use crate::particles::Particles;

/// The duration of a contact by default, as a share of the time in which the smallest particle falls by its radius.
///
/// Bounces that are not damped any more are then as high as a 10,000th of that radius, and few enough to compute.
const SHARE_OF_FALL: f64 = 0.02;

/// The model of a contact that lasts for a time t_c (Luding and McNamara 1998), after which a particle can lose energy again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactRule {
    /// t_c, in seconds; 0: contacts are instants.
    pub duration: f64,
    /// The speed of a bounce that gravity ends after t_c, in metres per second; no collision makes a slower one.
    least_rebound: f64,
}

impl ContactRule {
    pub(crate) fn new(settings: &EventSettings, particles: &Particles) -> Self {
        let gravity = settings.down_gravity.abs();
        let duration = match settings.contact_duration {
            _ if settings.is_elastic() => 0.0,
            Some(duration) => duration,
            None if gravity > 0.0 => SHARE_OF_FALL * (2.0 * smallest_radius(particles) / gravity).sqrt(),
            None => 0.0,
        };
        Self { duration, least_rebound: 0.5 * gravity * duration }
    }

    #[inline(always)]
    pub(crate) fn is_instant(&self) -> bool {
        self.duration == 0.0
    }

    /// The speed of the bounce that gravity ends after the duration of a contact, in metres per second.
    pub(crate) fn least_rebound(&self) -> f64 {
        self.least_rebound
    }

    /// The restitution of a collision with this approach speed, `elapsed` seconds after the last one of either particle.
    #[cold]
    pub(crate) fn restitution(&self, material: f64, approach: f64, elapsed: f64) -> f64 {
        if elapsed < self.duration || approach <= self.least_rebound {
            return 1.0;
        }
        material.max(self.least_rebound / approach)
    }
}

/// The smallest radius above 0 of a particle that moves; 0 if there is none.
fn smallest_radius(particles: &Particles) -> f64 {
    let moving = particles.radii().iter().zip(particles.fixed_flags()).filter(|(_, fixed)| **fixed == 0);
    let smallest = moving.map(|(&radius, _)| radius).filter(|&r| r > 0.0).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { smallest } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Particle;

    fn balls(radii: &[f64]) -> Particles {
        let mut particles = Particles::new(2).unwrap();
        for (n, &radius) in radii.iter().enumerate() {
            particles.add(&Particle::sphere(&[n as f64, 0.0], radius).with_mass(1.0)).unwrap();
        }
        particles
    }

    #[test]
    fn the_default_is_a_fiftieth_of_the_fall_of_the_smallest_ball() {
        let lossy = EventSettings::default().with_down_gravity(-8.0).with_restitution(0.5);
        let rule = ContactRule::new(&lossy, &balls(&[0.0, 0.25, 0.04]));
        assert!((rule.duration - 0.002).abs() < 1e-17, "0.04 m are fallen in 0.1 s");
        assert!((rule.least_rebound - 0.008).abs() < 1e-17);
        let mut with_fixed = balls(&[0.25, 0.04]);
        with_fixed.set_fixed(1, true).unwrap();
        assert_eq!(ContactRule::new(&lossy, &with_fixed).duration, 0.005);
        for instant in [
            lossy.with_down_gravity(0.0),
            lossy.with_contact_duration(Some(0.0)),
            lossy.with_restitution(1.0),
        ] {
            assert!(ContactRule::new(&instant, &balls(&[0.04])).is_instant());
        }
        assert!(ContactRule::new(&lossy, &balls(&[0.0])).is_instant(), "points have no such time");
        let given = lossy.with_down_gravity(0.0).with_contact_duration(Some(2.0));
        assert_eq!(ContactRule::new(&given, &balls(&[])), ContactRule { duration: 2.0, least_rebound: 0.0 });
    }

    #[test]
    fn soon_and_slow_collisions_are_elastic() {
        let rule = ContactRule { duration: 0.5, least_rebound: 2.0 };
        assert_eq!(rule.restitution(0.1, 40.0, 0.4), 1.0, "soon");
        assert_eq!(rule.restitution(0.1, 2.0, 9.0), 1.0, "slow");
        assert_eq!(rule.restitution(0.1, 8.0, 9.0), 0.25, "a bounce that lasts");
        assert_eq!(rule.restitution(0.1, 40.0, 9.0), 0.1);
    }
}
