//! The clock of measurements on one thread, which other work on the machine does not disturb.

use std::time::Duration;

/// Time of the processor that this thread has used so far.
#[cfg(unix)]
pub(super) fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec to write to.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "the thread has a clock");
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Time since the first call: this system has no such clock.
#[cfg(not(unix))]
pub(super) fn thread_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// What [`thread_time`] is, for readers of results.
pub(super) const THREAD_CLOCK: &str = if cfg!(unix) { "processor time of the thread" } else { "wall clock" };

/// Runs a function and gives the time it took this thread, with what it returned.
pub(super) fn time<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = thread_time();
    let outcome = run();
    (thread_time().saturating_sub(start), outcome)
}

/// How long it takes to ask for the time.
pub(super) fn cost() -> Duration {
    (0..100).map(|_| time(|| ()).0).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_thread_that_sleeps_uses_no_time() {
        let slept = time(|| std::thread::sleep(Duration::from_millis(60))).0;
        assert!(slept < Duration::from_millis(30), "{slept:?}");
        let (worked, sum) = time(|| (0..3_000_000_u64).fold(0, |sum: u64, n| sum.wrapping_mul(3) ^ n));
        assert!(worked > cost() && sum != 0, "{worked:?}");
    }
}
