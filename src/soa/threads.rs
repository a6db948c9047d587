//! Threads, and the memory that starting them takes.

use std::io;
use std::mem::ManuallyDrop;
use std::process;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::memory;
use crate::error::{Error, Result};

/// Address space that a thread takes when it starts: 2 MiB of stack, and what the C library sets aside for its heap, 64 MiB
/// after 128 MiB for a moment.
const THREAD_ROOM: usize = (2 << 20) + (128 << 20);

/// Fails if there is no room for one more thread. A thread that has started without it ends the process.
pub(crate) fn expect_thread_room() -> Result<()> {
    memory::expect_room(THREAD_ROOM)
}

/// What a new thread does first: it takes a heap of its own now, if the C library gives it one, not while it works.
pub(crate) fn begin(started: &SyncSender<()>) {
    std::hint::black_box(Box::new(0_u64));
    // The thread that waits for this is there until it has come.
    let _ = started.send(());
}

/// Threads of one process, which a child that `fork` makes does not have.
#[derive(Debug)]
pub(super) struct Pool {
    threads: ManuallyDrop<rayon::ThreadPool>,
    /// The process that has started the threads.
    process: u32,
}

impl Pool {
    /// Starts the threads one after the other, each once there is room for it. If one does not start, those before it end.
    pub(super) fn start(count: usize) -> Result<Self> {
        let (started, starts) = sync_channel(1);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|i| format!("carom-{i}"))
            .spawn_handler(|new| {
                expect_thread_room().map_err(|_| io::ErrorKind::OutOfMemory)?;
                let (started, name) = (started.clone(), new.name().unwrap_or("carom").to_owned());
                thread::Builder::new().name(name).spawn(move || {
                    begin(&started);
                    new.run();
                })?;
                starts.recv().map_err(io::Error::other)
            })
            .build();
        let threads = ManuallyDrop::new(pool.map_err(|error| thread_error("thread pool", error))?);
        Ok(Self { threads, process: process::id() })
    }

    /// The threads, if they are threads of this process.
    pub(super) fn threads(&self) -> Option<&rayon::ThreadPool> {
        self.is_here().then_some(&self.threads)
    }

    /// How many threads were started.
    pub(super) fn count(&self) -> usize {
        self.threads.current_num_threads()
    }

    /// Whether this is the process that has started the threads.
    pub(super) fn is_here(&self) -> bool {
        self.process == process::id()
    }
}

impl Drop for Pool {
    /// In a child of the process nothing is told to threads that do not exist: one of them may have held a lock when the process
    /// was copied.
    fn drop(&mut self) {
        if self.is_here() {
            // SAFETY: the pool is being dropped, so that nothing uses its threads after this.
            unsafe { ManuallyDrop::drop(&mut self.threads) }
        }
    }
}

/// The error of threads that could not be started.
pub(crate) fn thread_error(what: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let error = error.into();
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&*error);
    while let Some(cause) = source {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        if kind == Some(io::ErrorKind::OutOfMemory) {
            return Error::OutOfMemory { bytes: THREAD_ROOM };
        }
        source = cause.source();
    }
    Error::io(what, io::Error::other(error))
}
