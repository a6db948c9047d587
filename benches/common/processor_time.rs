//! The clock of the benchmarks that others on the same core do not disturb.

/// Seconds of the processor that this thread has used.
#[cfg(unix)]
pub(crate) fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec to write to.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "the thread has a clock");
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Seconds since the start.
#[cfg(not(unix))]
pub(crate) fn processor_time() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}
