//! Room for changes between steps: a change that lacks memory is an error before it has begun.

use super::Core;
use crate::error::Result;
use crate::soa::memory;

/// Bytes per shape that is defined anew, and per pair that ends or is made anew, at most.
const PER_SHAPE: usize = 1024;
const PER_PAIR: usize = 128;

impl Core {
    /// Whether definitions can be changed: those that a batch shares are copied first.
    pub(super) fn expect_own_definitions(&self) -> Result<()> {
        match self.engine.shared_definition_bytes() {
            0 => Ok(()),
            bytes => memory::expect_room(bytes),
        }
    }

    /// Whether there is room to define the shapes of a body anew, and for any number of pairs to end.
    pub(super) fn expect_endings(&mut self, body: u32) -> Result<()> {
        self.expect_own_definitions()?;
        self.engine.reserve_endings()?;
        let (shapes, pairs) = (self.bodies.at(body).shapes.len(), self.engine.heads().len());
        memory::reserve(&mut self.ended, pairs)?;
        memory::expect_some(PER_SHAPE * (shapes + 1) + PER_PAIR * pairs)
    }
}
