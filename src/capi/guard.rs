//! The gate between C and Rust: errors and panics become statuses.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::memory::Caller;
use super::status::{self, carom_status};
use crate::error::{Error, Result};

/// Runs the body of an entry: checks the CPU, catches panics, keeps the error and returns the status.
///
/// Only `unsafe extern "C"` functions call it: the [`Caller`] it hands out vouches for their pointers.
pub(super) fn enter(body: impl FnOnce(&Caller) -> Result<()>) -> carom_status {
    let outcome = run(body);
    if let Err(error) = &outcome {
        status::remember(error);
    }
    status::code(&outcome)
}

/// The same without keeping the error.
pub(super) fn enter_quietly(body: impl FnOnce(&Caller) -> Result<()>) -> carom_status {
    status::code(&run(body))
}

fn run(body: impl FnOnce(&Caller) -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(|| body(&Caller::new())))
        .unwrap_or_else(|payload| Err(Error::Panic { message: message(&*payload) }))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic").to_owned()
}
