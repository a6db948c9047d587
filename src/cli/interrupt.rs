//! Ctrl-C, and requests to terminate: finish the step, write the state, stop.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Failure, Result};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on an interruption is a request; a second one ends the process at once.
pub(super) fn watch() -> Result<()> {
    ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure(format!("cannot watch for interruptions: {error}")))
}

/// Whether the user wants to stop.
pub(super) fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
