//! The progress of a study on standard error, only on a terminal.

use std::ops::ControlFlow;

use carom::study::Progress;
use indicatif::ProgressBar;

use crate::cli::{interrupt, progress_bar, warn};

const TEMPLATE: &str = "{bar:40} {percent}%, {msg}, {eta} left";

/// A bar, and the wish of the user to stop.
pub(super) struct Display {
    bar: ProgressBar,
    warned: Option<String>,
}

impl Display {
    pub(super) fn new(quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { progress_bar(0, TEMPLATE) };
        Self { bar, warned: None }
    }

    /// Shows how far the run is; breaks if the user wants to stop.
    pub(super) fn show(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.bar.set_length(progress.planned);
        if self.bar.position() == 0 {
            // What was there before counts for the length of the bar, not for the time that is left.
            self.bar.set_position(progress.resumed);
            self.bar.reset_eta();
        }
        self.bar.set_position(progress.replicas);
        self.bar.set_message(message(progress));
        if let Some(warning) =
            progress.warning.as_ref().filter(|warning| self.warned.as_ref() != Some(*warning))
        {
            self.bar.suspend(|| warn(warning));
            self.warned = Some(warning.clone());
        }
        if interrupt::is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn message(progress: &Progress) -> String {
    let done = progress.replicas.saturating_sub(progress.resumed) as f64;
    let rate = if progress.seconds > 0.0 { done / progress.seconds } else { 0.0 };
    let round = if progress.round > 1 { format!(", round {}", progress.round) } else { String::new() };
    let failed = if progress.failed > 0 { format!(", {} failed", progress.failed) } else { String::new() };
    format!("{} of {} replicas, {rate:.0}/s{round}{failed}", progress.replicas, progress.planned)
}
