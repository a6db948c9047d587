//! The entry from C: errors and panics become statuses.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::failure::{Failure, Result};
use super::memory::Caller;
use super::status::{self, carom_status};
use crate::error::panic_message;
use crate::soa::Level;

/// Runs the body of an entry: catches panics, keeps the failure and returns the status. An entry fails if the level of
/// instructions is forced to one that this CPU lacks.
///
/// # Safety
/// The pointers that `body` gives to its [`Caller`] come from C in this call and keep the rule for pointers at the top
/// of the header: each is null or points to what its parameter says, for the time of the call.
#[inline(always)]
pub(super) unsafe fn enter(body: impl FnOnce(&Caller) -> Result<()>) -> carom_status {
    let checked = |caller: &Caller| {
        Level::current()?;
        body(caller)
    };
    // SAFETY: by the contract of this function.
    unsafe { run(checked, status::remember) }
}

/// The same without keeping the failure, at any level.
///
/// # Safety
/// As [`enter`].
#[inline(always)]
pub(super) unsafe fn enter_quietly(body: impl FnOnce(&Caller) -> Result<()>) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe { run(body, |_| {}) }
}

/// # Safety
/// As [`enter`].
unsafe fn run(body: impl FnOnce(&Caller) -> Result<()>, keep: impl FnOnce(&Failure)) -> carom_status {
    // SAFETY: by the contract of this function.
    let caller = unsafe { Caller::new() };
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&caller)))
        .unwrap_or_else(|payload| Err(Failure::Panic { message: panic_message(&*payload) }));
    outcome.as_ref().err().map(keep);
    status::code(&outcome)
}
