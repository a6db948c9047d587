//! Many spaces in the same columns, in tiles over threads.

use std::ops::Range;
use std::sync::Arc;

use super::Engine;
use super::bodies::{Bodies, BodiesMut};
use super::growth::bytes_of;
use super::library::{Library, Start};
use super::memory::Pool;
use super::settings::StepSettings;
use super::state::SpaceState;
use super::tile::{Step, Tile};
use crate::error::Result;
use crate::soa::Context;
use crate::soa::block::Real;
use crate::soa::par::Divide;

/// Bytes of a tile: what is worked on together should fit half of a usual second cache.
const TILE_BYTES: usize = 512 << 10;

/// Estimated bytes per body with its share of pairs and contacts.
const BODY_BYTES: usize = 1200;

/// Many spaces.
#[derive(Debug, Clone)]
pub(crate) struct Batch<R: Real> {
    pub(crate) bodies: Bodies,
    pub(crate) tiles: Vec<Tile<R>>,
    pub(crate) library: Arc<Library<R>>,
    pub(crate) settings: StepSettings,
    pub(crate) bodies_per_space: usize,
    spaces: usize,
    spaces_per_tile: usize,
    pub(crate) memory: Pool<R>,
    prototypes: Vec<Prototype<R>>,
    /// Per space, the number of its prototype.
    prototype_of: Vec<u32>,
}

/// What spaces are made from.
#[derive(Debug, Clone)]
struct Prototype<R: Real> {
    state: SpaceState<R>,
    /// Where its shapes start in the library.
    library: Start,
    /// What it is made of, as a number.
    fingerprint: u64,
}

impl<R: Real> Batch<R> {
    /// Spaces that are copies of prototypes, by number.
    pub(crate) fn new(prototypes: &[&Engine<R>], prototype_of: &[u32]) -> Result<Self> {
        let settings = prototypes.first().map_or_else(StepSettings::default, |engine| engine.settings);
        let mut library = Library::new();
        let mut made = Vec::new();
        for engine in prototypes {
            let numbers = library.append(&engine.library)?;
            let fingerprint = engine.fingerprint();
            made.push(Prototype { state: engine.take_out()?, library: numbers, fingerprint });
        }
        let bodies_per_space = made.iter().map(|prototype| prototype.state.bodies.len()).max().unwrap_or(0);
        let shapes_per_space = made.iter().map(|prototype| prototype.state.shapes.len()).max().unwrap_or(0);
        let spaces = prototype_of.len();
        let spaces_per_tile = (TILE_BYTES / (BODY_BYTES * bodies_per_space.max(1))).max(1);
        let mut bodies = Bodies::new();
        bodies.grow(spaces * bodies_per_space)?;
        let mut tiles = Vec::new();
        for first in (0..spaces).step_by(spaces_per_tile) {
            let (mut tile, count) = (Tile::new(1), spaces_per_tile.min(spaces - first));
            tile.resize(count, bodies_per_space, shapes_per_space)?;
            // Only contacts are not known when the step of a batch begins.
            tile.room_for = [count * bodies_per_space, count * shapes_per_space, 0];
            tiles.push(tile);
        }
        let mut batch = Self {
            bodies,
            tiles,
            library: Arc::new(library),
            settings,
            bodies_per_space,
            spaces,
            spaces_per_tile,
            memory: Pool::new(),
            prototypes: made,
            prototype_of: prototype_of.to_vec(),
        };
        (0..batch.tiles.len()).try_for_each(|tile| batch.fill(tile))?;
        Ok(batch)
    }

    /// Makes the spaces of a tile, after those of the tiles before it.
    fn fill(&mut self, tile: usize) -> Result<()> {
        let start = tile * self.spaces_per_tile;
        let spaces = start..self.spaces.min(start + self.spaces_per_tile);
        if tile == 0 || self.prototype_of[spaces.clone()] != self.prototype_of[..self.spaces_per_tile] {
            return spaces.into_iter().try_for_each(|space| self.reset(space));
        }
        // The same spaces as those of the first tile.
        self.tiles[tile] = self.tiles[0].clone();
        let (rows, base) = (self.bodies_per_space * spaces.len(), self.base(start));
        self.bodies.as_mut().copy_within(0..rows, base);
        Ok(())
    }

    /// Number of spaces.
    pub(crate) fn len(&self) -> usize {
        self.spaces
    }

    /// Brings a space back to its prototype.
    pub(crate) fn reset(&mut self, space: usize) -> Result<()> {
        let Prototype { state, library, .. } = &self.prototypes[self.prototype_of[space] as usize];
        let (tile, base) = (space / self.spaces_per_tile, self.base(space));
        self.tiles[tile].idle = None;
        self.tiles[tile].put_in(space % self.spaces_per_tile, &mut self.bodies, base, state, *library)
    }

    /// Replaces a space by a state that was taken out of it, or of another one with the same prototype.
    pub(crate) fn restore(&mut self, space: usize, state: &SpaceState<R>) -> Result<()> {
        let library = self.prototypes[self.prototype_of[space] as usize].library;
        let (tile, base) = (space / self.spaces_per_tile, self.base(space));
        self.tiles[tile].idle = None;
        self.tiles[tile].put_in(space % self.spaces_per_tile, &mut self.bodies, base, state, library)
    }

    /// The state of a space, with the numbers of its prototype's definitions.
    pub(crate) fn take_out(&self, space: usize) -> Result<SpaceState<R>> {
        let library = self.prototypes[self.prototype_of[space] as usize].library;
        let tile = &self.tiles[space / self.spaces_per_tile];
        let state = tile.take_out(space % self.spaces_per_tile, &self.bodies, self.base(space))?;
        Ok(state.with_own_library(library))
    }

    /// Row of the first body of the tile of a space.
    fn base(&self, space: usize) -> usize {
        space / self.spaces_per_tile * self.spaces_per_tile * self.bodies_per_space
    }

    /// What a space is made of, as a number.
    pub(crate) fn fingerprint_of(&self, space: usize) -> u64 {
        self.prototypes[self.prototype_of[space] as usize].fingerprint
    }

    /// Sets the gravity of a space.
    pub(crate) fn set_gravity(&mut self, space: usize, gravity: [f64; 2]) {
        let tile = &mut self.tiles[space / self.spaces_per_tile];
        tile.gravity[space % self.spaces_per_tile] = gravity;
        tile.idle = None;
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let tiles = bytes_of(&self.tiles) + self.tiles.iter().map(Tile::memory_bytes).sum::<usize>();
        let prototypes =
            self.prototypes.iter().map(|prototype| prototype.state.memory_bytes()).sum::<usize>();
        self.bodies.memory_bytes()
            + tiles
            + self.memory.memory_bytes()
            + self.library.memory_bytes()
            + prototypes
            + bytes_of(&self.prototype_of)
    }

    /// Rows of the bodies of a space.
    pub(crate) fn rows(&self, space: usize) -> Range<usize> {
        space * self.bodies_per_space..(space + 1) * self.bodies_per_space
    }

    /// Steps all spaces.
    pub(crate) fn step(&mut self, context: &Context, dt: f64) -> Result<()> {
        let Self { bodies, tiles, library, settings, memory, .. } = self;
        let forced = std::mem::take(&mut bodies.forced);
        let (bodies, version) = bodies.for_step();
        context.run(Work { bodies, tiles, library, settings, memory, dt, version, forced }, 1);
        match self.tiles.iter_mut().find_map(|tile| tile.failure.take()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// Steps of tiles.
struct Work<'a, R: Real> {
    bodies: BodiesMut<'a>,
    tiles: &'a mut [Tile<R>],
    library: &'a Arc<Library<R>>,
    settings: &'a StepSettings,
    memory: &'a Pool<R>,
    dt: f64,
    version: u64,
    forced: bool,
}

impl<R: Real> Divide for Work<'_, R> {
    fn size(&self) -> usize {
        self.tiles.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { bodies, tiles, library, settings, memory, dt, version, forced } = self;
        let rows = tiles[..at].iter().map(|tile| tile.gravity.len() * tile.bodies_per_space).sum();
        let (first, rest) = tiles.split_at_mut(at);
        let (before, after) = bodies.split_at(rows);
        (
            Self { bodies: before, tiles: first, library, settings, memory, dt, version, forced },
            Self { bodies: after, tiles: rest, library, settings, memory, dt, version, forced },
        )
    }

    fn work(mut self) {
        let mut memory = self.memory.take();
        for tile in self.tiles {
            let rows = tile.gravity.len() * tile.bodies_per_space;
            let (bodies, rest) = self.bodies.split_at(rows);
            self.bodies = rest;
            let mut step = Step {
                bodies,
                library: self.library,
                settings: self.settings,
                dt: self.dt,
                version: self.version,
                forced: self.forced,
            };
            tile.swap_memory(&mut memory);
            let done = tile.find_contacts(&mut step).and_then(|()| tile.solve(&mut step));
            tile.swap_memory(&mut memory);
            tile.failure = done.err();
        }
        self.memory.give_back(memory);
    }
}
