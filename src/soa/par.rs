//! Work over threads: a context that owns its pool, fixed chunks, ordered results.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::threads::Pool;
use crate::error::{Error, Result};

/// Where work is done: on the caller's own thread, or in a pool that belongs to this context alone.
///
/// Cloning is cheap and shares the pool. Results never depend on the number of threads, to the bit.
///
/// Threads do not survive `fork`: in a child of the process [`check`](Self::check) is an error, and work is done on the caller's
/// own thread.
#[derive(Debug, Clone, Default)]
pub struct Context {
    pool: Option<Arc<Pool>>,
}

impl Context {
    /// Everything on the caller's own thread.
    #[must_use]
    pub fn serial() -> Self {
        Self { pool: None }
    }

    /// A context with `threads` threads of its own; 0 = one for each core, 1 = the caller's own.
    ///
    /// [`Error::OutOfMemory`] if there is no room for the threads: about 130 MiB of address space are needed when one starts, of
    /// which it keeps half. Nothing is left of those that have started.
    pub fn with_threads(threads: usize) -> Result<Self> {
        let threads = thread_count(threads)?;
        if threads == 1 {
            return Ok(Self::serial());
        }
        Ok(Self { pool: Some(Arc::new(Pool::start(threads)?)) })
    }

    /// [`Error::Forked`] if the threads belong to the parent of this process.
    pub fn check(&self) -> Result<()> {
        if self.pool.as_ref().is_none_or(|pool| pool.is_here()) { Ok(()) } else { Err(Error::Forked) }
    }

    /// The threads, if there are any in this process.
    fn threads_here(&self) -> Option<&rayon::ThreadPool> {
        self.pool.as_ref().and_then(|pool| pool.threads())
    }

    /// Number of threads that share the work.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.count())
    }

    /// Maps the fixed chunks `0..chunk`, `chunk..2 chunk`, ... of `0..total`; the results come in order.
    pub fn map_chunks<T: Send>(
        &self,
        total: usize,
        chunk: usize,
        f: impl Fn(Range<usize>) -> T + Sync,
    ) -> Vec<T> {
        let range = |i: usize| i * chunk..((i + 1) * chunk).min(total);
        let chunks = total.div_ceil(chunk);
        match self.threads_here() {
            Some(pool) if chunks > 1 => {
                pool.install(|| (0..chunks).into_par_iter().map(|i| f(range(i))).collect())
            }
            _ => (0..chunks).map(|i| f(range(i))).collect(),
        }
    }

    /// Runs divisible work in fixed chunks of `chunk` items.
    pub fn run<W: Divide>(&self, work: W, chunk: usize) {
        match self.threads_here() {
            Some(pool) if work.size() > chunk => pool.install(|| run_parallel(work, chunk)),
            _ => run_serial(work, chunk),
        }
    }

    /// Runs independent jobs, in any order.
    pub fn for_each<T: Send>(&self, jobs: Vec<T>, f: impl Fn(T) + Send + Sync) {
        match self.threads_here() {
            Some(pool) if jobs.len() > 1 => pool.install(|| jobs.into_par_iter().for_each(f)),
            _ => jobs.into_iter().for_each(f),
        }
    }
}

/// The largest number of threads of a context.
const MOST_THREADS: usize = 1024;

/// The number of threads that a caller's number stands for; 0 = one for each core.
pub(crate) fn thread_count(threads: usize) -> Result<usize> {
    match threads {
        0 => Ok(std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)),
        1..=MOST_THREADS => Ok(threads),
        _ => Err(Error::OutOfRange { field: "threads", value: threads as f64, expected: "at most 1024" }),
    }
}

/// Work on slices that can be cut in two and done piece by piece.
pub trait Divide: Send + Sized {
    /// Number of items left.
    fn size(&self) -> usize;
    /// The first `at` items, and the rest.
    fn divide(self, at: usize) -> (Self, Self);
    /// Does the work.
    fn work(self);
}

fn run_serial<W: Divide>(mut work: W, chunk: usize) {
    while work.size() > chunk {
        let (first, rest) = work.divide(chunk);
        first.work();
        work = rest;
    }
    work.work();
}

fn run_parallel<W: Divide>(work: W, chunk: usize) {
    let chunks = work.size().div_ceil(chunk);
    if chunks <= 1 {
        return work.work();
    }
    let (left, right) = work.divide(chunks / 2 * chunk);
    rayon::join(|| run_parallel(left, chunk), || run_parallel(right, chunk));
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Squares<'a>(&'a mut [u64]);

    impl Divide for Squares<'_> {
        fn size(&self) -> usize {
            self.0.len()
        }
        fn divide(self, at: usize) -> (Self, Self) {
            let (a, b) = self.0.split_at_mut(at);
            (Squares(a), Squares(b))
        }
        fn work(self) {
            self.0.iter_mut().for_each(|x| *x *= *x);
        }
    }

    #[test]
    fn every_item_is_done_once_for_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let context = Context::with_threads(threads).unwrap();
            assert_eq!(context.threads(), threads);
            for len in [0, 1, 9, 10, 11, 1000] {
                let mut items: Vec<u64> = (0..len).collect();
                context.run(Squares(&mut items), 10);
                assert!(items.iter().zip(0..).all(|(&x, i)| x == i * i), "{len} items, {threads} threads");
            }
        }
    }

    #[test]
    fn chunks_come_in_order() {
        let context = Context::with_threads(3).unwrap();
        let ranges = context.map_chunks(25, 10, |range| range);
        assert_eq!(ranges, [0..10, 10..20, 20..25]);
        assert!(context.map_chunks(0, 10, |range| range).is_empty());
    }

    #[test]
    fn an_absurd_number_of_threads_is_refused() {
        assert!(matches!(Context::with_threads(100_000), Err(Error::OutOfRange { field: "threads", .. })));
    }
}
