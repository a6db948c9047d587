//! The hot record of a particle: all that prediction reads, in one cache line.

use bytemuck::{Pod, Zeroable};

/// Where a particle was at its own time, how it moved then, and what is planned for it.
///
/// A record changes only when something happens to its particle. Two rows of four numbers: four records are
/// transposed into lanes with eight loads.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Record {
    /// Centre, in metres (unused axes 0), and the time at which it was there, in seconds of the current epoch.
    pub place: [f64; 4],
    /// Velocity at that time, in metres per second, and the tag.
    pub motion: [f64; 4],
}

/// A fixed particle neither moves nor falls.
const FIXED: u64 = 1 << 31;
const COUNT: u64 = FIXED - 1;
const LOW: u64 = u32::MAX as u64;

/// No event: a finite number, so that no tag is ever a NaN.
const NEVER: u64 = 0x7FEF_FFFF << 32;

impl Record {
    pub(crate) fn new<const D: usize>(
        position: [f64; D],
        velocity: [f64; D],
        time: f64,
        fixed: bool,
    ) -> Self {
        let mut record = Self { place: [0.0; 4], motion: [0.0; 4] };
        record.place[..D].copy_from_slice(&position);
        record.motion[..D].copy_from_slice(&velocity);
        record.place[3] = time;
        record.motion[3] = f64::from_bits(NEVER | if fixed { FIXED } else { 0 });
        record
    }

    /// Time at which the particle was at its place.
    #[inline(always)]
    pub(crate) fn time(&self) -> f64 {
        self.place[3]
    }

    #[inline(always)]
    pub(crate) fn is_fixed(&self) -> bool {
        self.motion[3].to_bits() & FIXED != 0
    }

    /// How often the motion has changed, modulo 2^31.
    #[inline(always)]
    pub(crate) fn count(&self) -> u32 {
        (self.motion[3].to_bits() & COUNT) as u32
    }

    /// The motion has changed: plans of others that rely on it are void.
    #[inline(always)]
    pub(crate) fn bump(&mut self) {
        let tag = self.motion[3].to_bits();
        self.motion[3] = f64::from_bits(tag & !COUNT | (tag + 1) & COUNT);
    }

    /// Upper bound on the time of the planned event, within one part in a million.
    ///
    /// The upper half of the tag holds the upper half of a double, rounded up; whatever the lower half holds only
    /// adds to it.
    #[cfg(test)]
    pub(crate) fn planned(&self) -> f64 {
        self.motion[3]
    }

    /// Notes the time of the planned event, at least 0.
    #[inline(always)]
    pub(crate) fn plan(&mut self, time: f64) {
        let upper = ((time.to_bits() + LOW) & !LOW).min(NEVER);
        self.motion[3] = f64::from_bits(upper | self.motion[3].to_bits() & LOW);
    }

    #[inline(always)]
    pub(crate) fn plan_nothing(&mut self) {
        self.motion[3] = f64::from_bits(NEVER | self.motion[3].to_bits() & LOW);
    }

    /// Centre and velocity at `time` under down gravity along axis 1.
    #[inline(always)]
    pub(crate) fn at<const D: usize>(&self, time: f64, down_gravity: f64) -> ([f64; D], [f64; D]) {
        let dt = time - self.time();
        let (mut position, mut velocity) = ([0.0; D], [0.0; D]);
        for k in 0..D {
            velocity[k] = self.motion[k];
            position[k] = self.place[k] + self.motion[k] * dt;
        }
        if D > 1 && down_gravity != 0.0 && !self.is_fixed() {
            position[1] -= 0.5 * down_gravity * (dt * dt);
            velocity[1] -= down_gravity * dt;
        }
        (position, velocity)
    }

    /// Puts the particle where it is at `time`, with a new velocity.
    #[inline(always)]
    pub(crate) fn restart<const D: usize>(&mut self, time: f64, position: [f64; D], velocity: [f64; D]) {
        self.place[..D].copy_from_slice(&position);
        self.motion[..D].copy_from_slice(&velocity);
        self.place[3] = time;
        self.bump();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_a_cache_line() {
        assert_eq!((size_of::<Record>(), align_of::<Record>()), (64, 64));
    }

    #[test]
    fn plans_are_upper_bounds_and_leave_the_count_alone() {
        let mut record = Record::new([0.0], [0.0], 0.0, true);
        for n in 1..2000_u32 {
            record.bump();
            let time = f64::from(n) * 0.001_234_567;
            record.plan(time);
            assert!(record.planned() >= time && record.planned() <= time * (1.0 + 2e-6));
            assert_eq!(record.count(), n);
            assert!(record.is_fixed());
        }
        record.plan(f64::INFINITY);
        assert!(record.planned() > 1e300 && !record.planned().is_nan());
    }

    #[test]
    fn counts_wrap_around() {
        let mut record = Record::new([0.0, 0.0], [0.0, 0.0], 0.0, false);
        record.motion[3] = f64::from_bits(record.motion[3].to_bits() | COUNT);
        record.bump();
        assert_eq!((record.count(), record.is_fixed()), (0, false));
    }
}
