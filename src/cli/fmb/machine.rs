//! The machine on which figures were measured.

use serde::Serialize;

/// Processor, instructions and cores.
#[derive(Serialize)]
pub(super) struct Machine {
    /// The name of the processor.
    pub(super) processor: String,
    /// The level of instructions that is in use.
    pub(super) level: &'static str,
    /// Threads that the system runs at once for this process.
    pub(super) cores: usize,
}

impl Machine {
    pub(super) fn here() -> Self {
        Self {
            processor: carom::study::environment().processor,
            level: crate::cli::level(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// In words.
    pub(super) fn describe(&self) -> String {
        format!("{}, level {}, cores: {}", self.processor, self.level, self.cores)
    }
}
