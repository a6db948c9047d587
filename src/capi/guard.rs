//! The entry from C: errors and panics become statuses.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};

use super::failure::{Failure, Result};
use super::memory::Caller;
use super::status::{self, CAROM_UNSUPPORTED_CPU, carom_status};
use crate::cpu;
use crate::error::panic_message;

/// Runs the body of an entry: checks the CPU, catches panics, keeps the failure and returns the status.
///
/// On a CPU that cannot run this build nothing is kept: the code that would keep it is built for a newer CPU.
///
/// # Safety
/// The pointers that `body` gives to its [`Caller`] come from C in this call and keep the rule for pointers at the top
/// of the header: each is null or points to what its parameter says, for the time of the call.
#[inline(always)]
pub(super) unsafe fn enter(body: impl FnOnce(&Caller) -> Result<()>) -> carom_status {
    // SAFETY: by the contract of this function.
    if cpu_is_supported() { unsafe { run(body, status::remember) } } else { CAROM_UNSUPPORTED_CPU }
}

/// The same without keeping the failure.
///
/// # Safety
/// As [`enter`].
#[inline(always)]
pub(super) unsafe fn enter_quietly(body: impl FnOnce(&Caller) -> Result<()>) -> carom_status {
    // SAFETY: by the contract of this function.
    if cpu_is_supported() { unsafe { run(body, |_| {}) } } else { CAROM_UNSUPPORTED_CPU }
}

/// Never inlined: what comes before it must run on every CPU.
///
/// # Safety
/// As [`enter`].
#[inline(never)]
unsafe fn run(body: impl FnOnce(&Caller) -> Result<()>, keep: impl FnOnce(&Failure)) -> carom_status {
    // SAFETY: by the contract of this function.
    let caller = unsafe { Caller::new() };
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&caller)))
        .unwrap_or_else(|payload| Err(Failure::Panic { message: panic_message(&*payload) }));
    outcome.as_ref().err().map(keep);
    status::code(&outcome)
}

/// Whether this CPU can run this build; determined once, because it takes longer than many calls.
fn cpu_is_supported() -> bool {
    const UNKNOWN: u8 = 0;
    const YES: u8 = 1;
    const NO: u8 = 2;
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
    let mut answer = ANSWER.load(Ordering::Relaxed);
    if answer == UNKNOWN {
        answer = if cpu::is_supported() { YES } else { NO };
        ANSWER.store(answer, Ordering::Relaxed);
    }
    answer == YES
}
