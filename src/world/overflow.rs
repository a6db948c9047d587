//! Proof, before anything moves, that a step stays far inside the range of `f64`.

use super::settings::Settings;
use crate::error::{Error, Result};
use crate::particles::Magnitudes;

/// Coordinates, velocities and radii stay below this, so that fourth powers of them, which times to collision need, are
/// finite.
const LIMIT: f64 = 1e75;

/// Bounds on the state after `dt` seconds of motion from a state bounded by `now`, with accelerations by attraction of
/// at most `pull`; or which of them is too large.
pub(super) fn after(now: Magnitudes, settings: &Settings, pull: f64, dt: f64) -> Result<Magnitudes> {
    let acceleration = now.acceleration + settings.down_gravity.abs() + pull + now.drag * now.velocity;
    let velocity = now.velocity + acceleration * dt;
    let position = now.position + (now.velocity * dt + acceleration * (0.5 * dt * dt));
    let after = Magnitudes { position, velocity, ..now };
    check(&after)?;
    Ok(after)
}

/// Says which magnitude of a state is too large, if any.
pub(super) fn check(state: &Magnitudes) -> Result<()> {
    let Magnitudes { position, velocity, radius, .. } = *state;
    for (field, magnitude) in [("position", position), ("velocity", velocity), ("radius", radius)] {
        // Infinity times zero is NaN.
        if magnitude.is_nan() || magnitude > LIMIT {
            return Err(Error::Overflow { field, index: None, magnitude });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_motion_is_bounded_and_huge_motion_refused() {
        let now = Magnitudes { position: 10.0, velocity: 2.0, drag: 0.5, ..Magnitudes::default() };
        let after_one = after(now, &Settings::default(), 0.0, 1.0).unwrap();
        assert_eq!((after_one.position, after_one.velocity), (12.5, 3.0));
        for dt in [1e80, f64::MAX] {
            assert!(matches!(after(now, &Settings::default(), 0.0, dt), Err(Error::Overflow { .. })));
        }
        let resting = Magnitudes::default();
        assert!(after(resting, &Settings::default(), f64::MAX, f64::MAX).is_err());
    }
}
