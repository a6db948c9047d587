//! The free flight of a particle: all that prediction reads, in one cache line.

use bytemuck::{Pod, Zeroable};

use crate::soa::block::Doubles;

/// Position and velocity of a particle at the start of its present flight, and the time of its planned event.
///
/// A flight changes only at an event of its particle. It has two rows of four numbers, so that four flights are
/// transposed into lanes with eight loads.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct FlightState {
    /// Centre at the start of the flight, in metres (0 on unused axes), and the time of the start, in seconds of the epoch.
    pub position_time: [f64; 4],
    /// Velocity at that time, in metres per second, and a tag: the planned time in the upper 32 bits, the fixed flag, whether
    /// the particle has collided, and the event count in the lower.
    pub velocity_tag: [f64; 4],
}

/// Flag of a fixed particle, which neither moves nor falls.
const FIXED: u64 = 1 << 31;
/// Flag of a particle that has collided: its flight began with a collision, not with the run.
const COLLIDED: u64 = 1 << 30;
const COUNT: u64 = COLLIDED - 1;
const LOW: u64 = u32::MAX as u64;

/// No planned event: a finite number, so that no tag is ever a NaN.
const NEVER: u64 = 0x7FEF_FFFF << 32;

impl FlightState {
    pub(crate) fn new<const D: usize>(
        position: [f64; D],
        velocity: [f64; D],
        time: f64,
        fixed: bool,
    ) -> Self {
        let mut flight = Self { position_time: [0.0; 4], velocity_tag: [0.0; 4] };
        flight.position_time[..D].copy_from_slice(&position);
        flight.velocity_tag[..D].copy_from_slice(&velocity);
        flight.position_time[3] = time;
        flight.velocity_tag[3] = f64::from_bits(NEVER | if fixed { FIXED } else { 0 });
        flight
    }

    /// Start of the flight, in seconds of the epoch.
    #[inline(always)]
    pub(crate) fn time(&self) -> f64 {
        self.position_time[3]
    }

    #[inline(always)]
    pub(crate) fn is_fixed(&self) -> bool {
        self.velocity_tag[3].to_bits() & FIXED != 0
    }

    /// Whether the flight began with a collision.
    pub(crate) fn has_collided(&self) -> bool {
        self.velocity_tag[3].to_bits() & COLLIDED != 0
    }

    /// The same flight, as one that began with a collision.
    pub(crate) fn after_collision(mut self) -> Self {
        self.velocity_tag[3] = f64::from_bits(self.velocity_tag[3].to_bits() | COLLIDED);
        self
    }

    /// The last collision, in seconds of the epoch; before all times if there was none.
    pub(crate) fn last_collision(&self) -> f64 {
        if self.has_collided() { self.time() } else { f64::NEG_INFINITY }
    }

    /// Number of events that changed the motion, modulo 2^30.
    #[inline(always)]
    pub(crate) fn event_count(&self) -> u32 {
        (self.velocity_tag[3].to_bits() & COUNT) as u32
    }

    /// Counts a collision: plans of other particles that rely on the motion before it are void.
    #[inline(always)]
    pub(crate) fn count_event(&mut self) {
        let tag = self.velocity_tag[3].to_bits();
        self.velocity_tag[3] = f64::from_bits(tag & !COUNT | COLLIDED | (tag + 1) & COUNT);
    }

    /// Upper bound on the time of the planned event, within one part in a million.
    ///
    /// The upper half of the tag is the upper half of a double, rounded up; the lower half can only increase it.
    #[cfg(test)]
    pub(crate) fn planned(&self) -> f64 {
        self.velocity_tag[3]
    }

    /// Stores the time of the planned event, at least 0.
    #[inline(always)]
    pub(crate) fn set_planned(&mut self, time: f64) {
        let upper = ((time.to_bits() + LOW) & !LOW).min(NEVER);
        self.velocity_tag[3] = f64::from_bits(upper | self.velocity_tag[3].to_bits() & LOW);
    }

    #[inline(always)]
    pub(crate) fn clear_planned(&mut self) {
        self.velocity_tag[3] = f64::from_bits(NEVER | self.velocity_tag[3].to_bits() & LOW);
    }

    /// Centre and velocity at `time` under down gravity along axis 1.
    #[inline(always)]
    pub(crate) fn at<const D: usize>(&self, time: f64, down_gravity: f64) -> ([f64; D], [f64; D]) {
        let dt = time - self.time();
        let (mut position, mut velocity) = ([0.0; D], [0.0; D]);
        for k in 0..D {
            velocity[k] = self.velocity_tag[k];
            position[k] = self.position_time[k] + self.velocity_tag[k] * dt;
        }
        if D > 1 && down_gravity != 0.0 && !self.is_fixed() {
            position[1] -= 0.5 * down_gravity * (dt * dt);
            velocity[1] -= down_gravity * dt;
        }
        (position, velocity)
    }

    /// Begins a new flight at `time` from this position with this velocity, without a planned event.
    ///
    /// Both rows are written as blocks: predictions read them so soon after, and would wait until smaller writes have reached
    /// the cache.
    #[inline(always)]
    pub(crate) fn restart<B: Doubles, const D: usize>(
        &mut self,
        time: f64,
        position: [f64; D],
        velocity: [f64; D],
    ) {
        self.count_event();
        self.clear_planned();
        let (mut position_time, mut velocity_tag) = ([0.0; 4], [0.0; 4]);
        position_time[..D].copy_from_slice(&position);
        velocity_tag[..D].copy_from_slice(&velocity);
        (position_time[3], velocity_tag[3]) = (time, self.velocity_tag[3]);
        self.position_time = B::new(position_time).to_array();
        self.velocity_tag = B::new(velocity_tag).to_array();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flight_state_is_a_cache_line() {
        assert_eq!((size_of::<FlightState>(), align_of::<FlightState>()), (64, 64));
    }

    #[test]
    fn planned_times_are_upper_bounds_and_keep_the_count() {
        let mut flight = FlightState::new([0.0], [0.0], 0.0, true);
        for n in 1..2000_u32 {
            flight.count_event();
            let time = f64::from(n) * 0.001_234_567;
            flight.set_planned(time);
            assert!(flight.planned() >= time && flight.planned() <= time * (1.0 + 2e-6));
            assert_eq!(flight.event_count(), n);
            assert!(flight.is_fixed());
        }
        flight.set_planned(f64::INFINITY);
        assert!(flight.planned() > 1e300 && !flight.planned().is_nan());
    }

    #[test]
    fn counts_wrap_around() {
        let mut flight = FlightState::new([0.0, 0.0], [0.0, 0.0], 0.0, false);
        flight.velocity_tag[3] = f64::from_bits(flight.velocity_tag[3].to_bits() | COUNT);
        assert!(!flight.has_collided() && flight.last_collision() == f64::NEG_INFINITY);
        flight.count_event();
        assert_eq!((flight.event_count(), flight.is_fixed()), (0, false));
        assert!(flight.has_collided() && flight.last_collision() == 0.0);
    }
}
