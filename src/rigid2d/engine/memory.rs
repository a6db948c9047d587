//! Memory that lasts for a step: tiles that are stepped one after the other share it, so that it stays in the cache.

use std::mem::swap;
use std::sync::{Mutex, PoisonError};

use super::contacts::Scratch;
use super::growth::bytes_of;
use super::tile::Tile;
use crate::rigid2d::solver::constraints::GROUPS;
use crate::rigid2d::solver::states::States;
use crate::soa::Column;
use crate::soa::block::Real;

/// What a tile needs in a step and no longer.
#[derive(Debug)]
pub(crate) struct StepMemory<R: Real> {
    poses: Column<f64>,
    ways: Column<R>,
    states: States<R>,
    pushes: States<R>,
    records: [Column<R>; GROUPS],
    turns: Vec<f64>,
    scratch: Scratch,
}

impl<R: Real> StepMemory<R> {
    fn new() -> Self {
        let zeros = || Column::new(R::nearest(0.0));
        Self {
            poses: Column::new(0.0),
            ways: zeros(),
            states: States::new(),
            pushes: States::new(),
            records: [(); GROUPS].map(|()| zeros()),
            turns: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    fn memory_bytes(&self) -> usize {
        self.poses.memory_bytes()
            + self.ways.memory_bytes()
            + self.states.memory_bytes()
            + self.pushes.memory_bytes()
            + self.records.iter().map(Column::memory_bytes).sum::<usize>()
            + bytes_of(&self.turns)
            + self.scratch.memory_bytes()
    }
}

impl<R: Real> Tile<R> {
    /// Gives the tile this memory for a step, or takes it back after one.
    pub(crate) fn swap_memory(&mut self, memory: &mut StepMemory<R>) {
        let StepMemory { poses, ways, states, pushes, records, turns, scratch } = memory;
        swap(&mut self.poses, poses);
        swap(&mut self.ways, ways);
        swap(&mut self.states, states);
        swap(&mut self.pushes, pushes);
        for (group, records) in self.constraints.groups.iter_mut().zip(records) {
            swap(&mut group.records, records);
        }
        swap(&mut self.turns, turns);
        swap(&mut self.scratch, scratch);
    }
}

/// Memory for as many tiles as are stepped at once.
#[derive(Debug)]
pub(crate) struct Pool<R: Real>(Mutex<Vec<Box<StepMemory<R>>>>);

impl<R: Real> Pool<R> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The memory that was used last, or a new one.
    pub(crate) fn take(&self) -> Box<StepMemory<R>> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        taken.unwrap_or_else(|| Box::new(StepMemory::new()))
    }

    pub(crate) fn give_back(&self, memory: Box<StepMemory<R>>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let memories = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memories.iter().map(|memory| memory.memory_bytes()).sum()
    }
}

impl<R: Real> Clone for Pool<R> {
    /// A pool without memory, which comes as it is needed.
    fn clone(&self) -> Self {
        Self::new()
    }
}
