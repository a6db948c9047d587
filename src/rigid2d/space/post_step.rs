//! Functions that are called after a step.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::Space;

/// In a mutex that is never locked, so that a space that is only read can be shared by threads.
type Function = Mutex<Box<dyn FnOnce(&mut Space) + Send>>;

/// Functions that are to be called after the step, by key.
#[derive(Default)]
pub(super) struct PostStep {
    queue: VecDeque<(u64, Function)>,
}

impl fmt::Debug for PostStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.queue.iter().map(|(key, _)| key)).finish()
    }
}

impl Space {
    /// Has a function called after the current step, or after the next one, when everything can be changed. There is one per
    /// key: returns false, and does nothing, if the key is taken.
    ///
    /// Functions are called in the order in which they were added; those that they add are called, too.
    pub fn post_step(&mut self, key: u64, function: impl FnOnce(&mut Self) + Send + 'static) -> bool {
        let is_free = self.post_step.queue.iter().all(|entry| entry.0 != key);
        if is_free {
            self.post_step.queue.push_back((key, Mutex::new(Box::new(function))));
        }
        is_free
    }

    /// Number of functions that are to be called after a step.
    #[cfg(feature = "capi")]
    pub(crate) fn post_step_count(&self) -> usize {
        self.post_step.queue.len()
    }

    /// Calls the functions. One that panics leaves the others for the next step.
    pub(super) fn call_post_step(&mut self) {
        while let Some((_, function)) = self.post_step.queue.pop_front() {
            function.into_inner().unwrap_or_else(PoisonError::into_inner)(self);
        }
    }
}
