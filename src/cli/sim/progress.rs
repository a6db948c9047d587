//! The progress bar of a run, and Ctrl-C.

use std::ops::ControlFlow;

use carom::simulation::{Progress, Sink};
use indicatif::ProgressBar;

use crate::cli::{interrupt, progress_bar};

/// Length of the bar; a share of a run is a multiple of its inverse.
const LENGTH: u64 = 1000;

/// Shows how far a run is, on a terminal.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new() -> Self {
        Self(progress_bar(LENGTH, "{bar:40} {percent}%, {msg}, {eta} left"))
    }
}

impl Sink for Bar {
    fn pulse(&mut self, progress: &Progress) -> ControlFlow<()> {
        let position = (LENGTH as f64 * progress.share) as u64;
        // A message costs more than a short time step.
        if position != self.0.position() {
            self.0.set_message(format!("t = {:.4} s, {} collisions", progress.time, progress.impacts));
            self.0.set_position(position);
        }
        ControlFlow::Continue(())
    }

    fn finish(self: Box<Self>) -> carom::Result<()> {
        self.0.finish_and_clear();
        Ok(())
    }
}

/// Ends a run on Ctrl-C.
pub(super) struct StopOnInterrupt;

impl Sink for StopOnInterrupt {
    fn pulse(&mut self, _: &Progress) -> ControlFlow<()> {
        if interrupt::is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
