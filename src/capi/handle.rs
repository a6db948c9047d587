//! What handles point to, and when it may be used.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::{Failure, Result};
use super::guard::enter;
use super::memory::Caller;
use super::status::carom_status;
use crate::soa::memory;

/// The type behind a handle of the header, which leads to an object of the library.
pub(super) trait Handle {
    /// What the calls work on.
    type Object;
    /// Name of the parameter in the header.
    const NAME: &'static str;

    /// Reads the object.
    fn read<R>(&self, look: impl FnOnce(&Self::Object) -> Result<R>) -> Result<R>;

    /// Changes the object.
    fn write<R>(&self, change: impl FnOnce(&mut Self::Object) -> Result<R>) -> Result<R>;
}

/// An entry that reads an object and stores the result.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn query<H: Handle, T>(
    handle: *const H,
    (argument, out): (&'static str, *mut T),
    look: impl FnOnce(&Caller, &H::Object) -> Result<T>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            let out = caller.out(argument, out)?;
            out.set(caller.object(H::NAME, handle)?.read(|object| look(caller, object))?);
            Ok(())
        })
    }
}

/// An entry that changes an object and stores the result.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn produce<H: Handle, T>(
    handle: *mut H,
    (argument, out): (&'static str, *mut T),
    change: impl FnOnce(&mut H::Object) -> Result<T>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            let out = caller.out(argument, out)?;
            out.set(caller.object(H::NAME, handle)?.write(change)?);
            Ok(())
        })
    }
}

/// An entry that changes an object.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn update<H: Handle>(
    handle: *mut H,
    change: impl FnOnce(&Caller, &mut H::Object) -> Result<()>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe { enter(|caller| caller.object(H::NAME, handle)?.write(|object| change(caller, object))) }
}

/// An entry that creates an object and gives it to the caller.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn create<T>(
    (argument, out): (&'static str, *mut *mut T),
    make: impl FnOnce(&Caller) -> Result<T>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            let out = caller.out(argument, out)?;
            // An object has small parts that end the process if there is no memory for them.
            memory::expect_room(0)?;
            out.hand_over(make(caller)?);
            Ok(())
        })
    }
}

/// An entry that destroys an object; null does nothing.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn destroy<T>(handle: *mut T) {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            drop(caller.reclaim(handle));
            Ok(())
        });
    }
}

/// An object behind a handle. While one call changes it, other calls for it get [`Failure::Busy`].
///
/// So a callback cannot use the world that is calling it. Calls from other threads are synchronised by the caller, as
/// the header says: const handles may be shared, others need exclusive use.
pub(super) struct Guarded<T> {
    name: &'static str,
    busy: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: threads share it through const handles only, which lead to `read` and thus to `&T`.
unsafe impl<T: Send + Sync> Sync for Guarded<T> {}

// Any object may be used from any thread: hence the bounds.
impl<T: Send + Sync> Guarded<T> {
    /// An object whose handles are called `name` in the header.
    pub(super) fn new(name: &'static str, value: T) -> Self {
        Self { name, busy: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Reads the object.
    pub(super) fn read<R>(&self, look: impl FnOnce(&T) -> Result<R>) -> Result<R> {
        self.check_free()?;
        // SAFETY: no `write` is under way on this thread, and by the rules of the header on no other.
        look(unsafe { &*self.value.get() })
    }

    /// Changes the object.
    pub(super) fn write<R>(&self, change: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        self.check_free()?;
        let _busy = Busy::new(&self.busy);
        // SAFETY: no other call is under way on this thread, and by the rules of the header on no other; calls from
        // within `change` fail because of the flag.
        change(unsafe { &mut *self.value.get() })
    }

    fn check_free(&self) -> Result<()> {
        if self.busy.load(Ordering::Relaxed) { Err(Failure::Busy { argument: self.name }) } else { Ok(()) }
    }
}

/// Sets a flag until dropped, also by a panic.
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
