//! What the replicas of studies cost: sampled and tested, next to testing alone, on one core and on two.
//!
//! `cargo bench --bench studies`, or with a part of a name, such as `cargo bench --bench studies -- frames`. Times are those of
//! the thread's processor, but for two threads, which are timed by the wall.

mod encounter;
mod frames;
mod small_replicas;
mod threads;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let parts: [(&str, fn()); 4] = [
        ("frames", frames::measure),
        ("encounter", encounter::measure),
        ("small_replicas", small_replicas::measure),
        ("threads", threads::measure),
    ];
    for (name, measure) in parts {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str())) {
            measure();
        }
    }
}

/// Rounds of each contender; the best one counts.
const ROUNDS: usize = 5;

/// The least of several rounds, in seconds of the processor.
fn best(mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let start = processor_time();
        work();
        processor_time() - start
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

/// Seconds of the processor that this thread has used.
#[cfg(unix)]
fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists wherever there are threads, and `time` is there to be written to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Seconds since the start.
#[cfg(not(unix))]
fn processor_time() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}
