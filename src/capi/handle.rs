//! What handles point to, and who may use it when.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// An object behind a handle. While one call changes it, other calls for it get [`Error::Busy`].
///
/// That is what keeps a callback from using the world that is calling it. Calls from other threads are kept apart by
/// the caller, as the header says: const handles may be shared, others need exclusive use.
pub(super) struct Guarded<T> {
    name: &'static str,
    busy: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: threads share it through const handles only, which lead to `read` and thus to `&T`.
unsafe impl<T: Send + Sync> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    /// An object whose handles are called `name` in the header.
    pub(super) fn new(name: &'static str, value: T) -> Self {
        Self { name, busy: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Looks at the object.
    pub(super) fn read<R>(&self, look: impl FnOnce(&T) -> Result<R>) -> Result<R> {
        self.check_free()?;
        // SAFETY: no `write` is under way on this thread, and by the rules of the header on no other.
        look(unsafe { &*self.value.get() })
    }

    /// Changes the object.
    pub(super) fn write<R>(&self, change: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        self.check_free()?;
        let _busy = Busy::new(&self.busy);
        // SAFETY: no other call is under way on this thread, and by the rules of the header on no other; calls that
        // `change` may lead to are turned away by the flag.
        change(unsafe { &mut *self.value.get() })
    }

    fn check_free(&self) -> Result<()> {
        if self.busy.load(Ordering::Relaxed) { Err(Error::Busy { argument: self.name }) } else { Ok(()) }
    }
}

/// Keeps a flag up until dropped, also by a panic.
struct Busy<'a>(&'a AtomicBool);

impl<'a> Busy<'a> {
    fn new(flag: &'a AtomicBool) -> Self {
        flag.store(true, Ordering::Relaxed);
        Self(flag)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
