//! The gate between C and Rust: errors and panics become statuses.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};

use super::memory::Caller;
use super::status::{self, CAROM_UNSUPPORTED_CPU, carom_status};
use crate::cpu;
use crate::error::{Error, Result, panic_message};

/// Runs the body of an entry: checks the CPU, catches panics, keeps the error and returns the status.
///
/// On a CPU that cannot run this build nothing is kept: making an error takes code that it cannot run.
///
/// Only `unsafe extern "C"` functions call it: the [`Caller`] it hands out vouches for their pointers.
#[inline(always)]
pub(super) fn enter(body: impl FnOnce(&Caller) -> Result<()>) -> carom_status {
    if cpu_is_supported() { run(body, status::remember) } else { CAROM_UNSUPPORTED_CPU }
}

/// The same without keeping the error.
#[inline(always)]
pub(super) fn enter_quietly(body: impl FnOnce(&Caller) -> Result<()>) -> carom_status {
    if cpu_is_supported() { run(body, |_| {}) } else { CAROM_UNSUPPORTED_CPU }
}

/// Never inlined: what comes before it must run on every CPU.
#[inline(never)]
fn run(body: impl FnOnce(&Caller) -> Result<()>, keep: impl FnOnce(&Error)) -> carom_status {
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&Caller::new())))
        .unwrap_or_else(|payload| Err(Error::Panic { message: panic_message(&*payload) }));
    outcome.as_ref().err().map(keep);
    status::code(&outcome)
}

/// Asks the CPU once: asking takes longer than many a call.
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
