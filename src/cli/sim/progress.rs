//! The progress bar of a run, and Ctrl-C.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

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

/// How long a time step that is in progress may take to complete after Ctrl-C.
const GRACE: Duration = Duration::from_millis(300);

/// Ends a run on Ctrl-C, after the present time step or, if that takes long, within it.
#[derive(Default)]
pub(super) struct StopOnInterrupt {
    /// When a step was first seen to be in progress after Ctrl-C.
    seen: Option<Instant>,
}

impl Sink for StopOnInterrupt {
    fn pulse(&mut self, _: &Progress) -> ControlFlow<()> {
        if interrupt::is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn within_step(&mut self, _: &Progress) -> ControlFlow<()> {
        if !interrupt::is_requested() {
            return ControlFlow::Continue(());
        }
        let seen = *self.seen.get_or_insert_with(Instant::now);
        if seen.elapsed() < GRACE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
