//! Ctrl-C and requests to terminate: the command completes its step, writes its state and stops.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Failure, Result};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on the first interruption is a request to stop; the second one ends the process at once.
pub(super) fn watch() -> Result<()> {
    ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure(format!("cannot watch for interruptions: {error}")))
}

/// Whether the user has requested a stop.
pub(super) fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
