//! The one engine of a space and of batches of spaces.

pub(crate) mod access;
pub(crate) mod batch;
pub(crate) mod bodies;
pub(crate) mod bounce;
pub(crate) mod boxes;
pub(crate) mod colours;
pub(crate) mod conservation;
pub(crate) mod contacts;
pub(crate) mod continuous;
mod fingerprint;
pub(crate) mod growth;
pub(crate) mod impact;
pub(crate) mod impulses;
pub(crate) mod islands;
pub(crate) mod library;
pub(crate) mod limits;
pub(crate) mod loading;
pub(crate) mod lookup;
pub(crate) mod manifolds;
mod meeting;
pub(crate) mod memory;
pub(crate) mod mixing;
pub(crate) mod motion;
pub(crate) mod pairing;
pub(crate) mod pairs;
pub(crate) mod prepare;
pub(crate) mod reach;
pub(crate) mod recycle;
pub(crate) mod restore;
mod reuse;
pub(crate) mod settings;
pub(crate) mod sleep;
pub(crate) mod state;
pub(crate) mod storing;
pub(crate) mod structure;
pub(crate) mod sweep;
pub(crate) mod tile;
pub(crate) mod totals;
#[cfg(test)]
mod twins;

use std::sync::Arc;

use self::bodies::Bodies;
use self::library::Library;
use self::settings::StepSettings;
use self::state::SpaceState;
use self::tile::Tile;
use crate::error::Result;
use crate::soa::block::Real;

/// One space with its columns.
#[derive(Debug, Clone)]
pub(crate) struct Engine<R: Real> {
    pub(crate) bodies: Bodies,
    /// In memory of its own, because it is large and a space is moved when it is made.
    pub(crate) tile: Box<Tile<R>>,
    pub(crate) library: Arc<Library<R>>,
    pub(crate) settings: StepSettings,
}

impl<R: Real> Engine<R> {
    pub(crate) fn new(settings: StepSettings) -> Self {
        let (tile, library) = (Box::new(Tile::new(1)), Arc::new(Library::new()));
        Self { bodies: Bodies::new(), tile, library, settings }
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Tile<R>>()
            + self.bodies.memory_bytes()
            + self.tile.memory_bytes()
            + self.library.memory_bytes()
    }

    /// The state of the space.
    pub(crate) fn take_out(&self) -> Result<SpaceState<R>> {
        self.tile.take_out(0, &self.bodies, 0)
    }

    /// The first half of a step: which shapes touch; `tile.begun` and `tile.ended` say which have begun or ceased to.
    pub(crate) fn find_contacts(&mut self, dt: f64) -> Result<()> {
        let (tile, mut step) = self.parts(dt);
        tile.find_contacts(&mut step)
    }

    /// The second half: impulses and motion.
    pub(crate) fn solve(&mut self, dt: f64) -> Result<()> {
        let (tile, mut step) = self.parts(dt);
        let solved = tile.solve(&mut step);
        self.bodies.forced = false;
        solved
    }
}
