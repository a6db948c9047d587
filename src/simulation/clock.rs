//! Time that a computation takes, whatever else runs on the machine.

use std::time::Duration;

/// Processor time of the calling thread.
pub(super) fn thread_time() -> Duration {
    clocks::read(clocks::THREAD)
}

/// Processor time of all threads of the process together.
pub(super) fn process_time() -> Duration {
    clocks::read(clocks::PROCESS)
}

#[cfg(unix)]
mod clocks {
    use std::time::Duration;

    pub(super) const THREAD: libc::clockid_t = libc::CLOCK_THREAD_CPUTIME_ID;
    pub(super) const PROCESS: libc::clockid_t = libc::CLOCK_PROCESS_CPUTIME_ID;

    pub(super) fn read(clock: libc::clockid_t) -> Duration {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a valid timespec to write to. Where there is no such clock it stays 0.
        unsafe { libc::clock_gettime(clock, &raw mut time) };
        Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
    }
}

#[cfg(not(unix))]
mod clocks {
    use std::sync::LazyLock;
    use std::time::{Duration, Instant};

    pub(super) const THREAD: () = ();
    pub(super) const PROCESS: () = ();

    /// Time on the wall.
    pub(super) fn read((): ()) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}
