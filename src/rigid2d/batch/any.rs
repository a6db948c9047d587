//! The engine of a batch in either precision.

use std::ops::Range;

use super::{AnyState, SpaceEvent, SpaceSnapshot};
use crate::error::{Error, Result};
use crate::geometry::Vec2;
use crate::rigid2d::Space;
use crate::rigid2d::engine::batch::Batch;
use crate::rigid2d::engine::bodies::Bodies;
use crate::rigid2d::space::any::AnyEngine;
use crate::soa::Context;

/// A batch that computes contacts in double or in single precision.
#[derive(Debug)]
pub(super) enum AnyBatch {
    Double(Batch<f64>),
    Mixed(Batch<f32>),
}

/// Evaluates an expression with the batch of either precision.
macro_rules! with {
    ($any:expr, $batch:ident => $result:expr) => {
        match $any {
            AnyBatch::Double($batch) => $result,
            AnyBatch::Mixed($batch) => $result,
        }
    };
}

impl AnyBatch {
    /// Copies of prototypes, which all have the same precision.
    pub(super) fn new(prototypes: &[&Space], which: &[u32]) -> Result<Self> {
        let engines = || prototypes.iter().map(|space| &space.core.engine);
        match engines().next() {
            Some(AnyEngine::Mixed(_)) => {
                let single = engines().filter_map(|engine| match engine {
                    AnyEngine::Mixed(engine) => Some(engine),
                    AnyEngine::Double(_) => None,
                });
                Batch::new(&single.collect::<Vec<_>>(), which).map(Self::Mixed)
            }
            _ => {
                let double = engines().filter_map(|engine| match engine {
                    AnyEngine::Double(engine) => Some(engine),
                    AnyEngine::Mixed(_) => None,
                });
                Batch::new(&double.collect::<Vec<_>>(), which).map(Self::Double)
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        with!(self, batch => batch.len())
    }

    pub(super) fn bodies_per_space(&self) -> usize {
        with!(self, batch => batch.bodies_per_space)
    }

    pub(super) fn bodies(&self) -> &Bodies {
        with!(self, batch => &batch.bodies)
    }

    pub(super) fn bodies_mut(&mut self) -> &mut Bodies {
        with!(self, batch => &mut batch.bodies)
    }

    pub(super) fn rows(&self, space: usize) -> Range<usize> {
        with!(self, batch => batch.rows(space))
    }

    /// Checks what was written into columns since the last step.
    pub(super) fn accept_columns(&mut self) -> Result<()> {
        self.bodies_mut().accept()
    }

    pub(super) fn step(&mut self, context: &Context, dt: f64) -> Result<()> {
        with!(self, batch => batch.step(context, dt))
    }

    pub(super) fn list_events(&self, events: &mut Vec<SpaceEvent>) {
        with!(self, batch => super::events::list(batch, events));
    }

    pub(super) fn set_gravity(&mut self, space: usize, gravity: Vec2) {
        with!(self, batch => batch.set_gravity(space, gravity.into()));
    }

    pub(super) fn reset(&mut self, space: usize) -> Result<()> {
        with!(self, batch => batch.reset(space))
    }

    /// What a space is made of, as a number.
    pub(super) fn fingerprint_of(&self, space: usize) -> u64 {
        with!(self, batch => batch.fingerprint_of(space))
    }

    pub(super) fn snapshot(&self, space: usize) -> Result<SpaceSnapshot> {
        let state = match self {
            Self::Double(batch) => AnyState::Double(batch.take_out(space)?),
            Self::Mixed(batch) => AnyState::Mixed(batch.take_out(space)?),
        };
        Ok(SpaceSnapshot { state, fingerprint: self.fingerprint_of(space) })
    }

    pub(super) fn restore(&mut self, space: usize, snapshot: &SpaceSnapshot) -> Result<()> {
        match (self, &snapshot.state) {
            (Self::Double(batch), AnyState::Double(state)) => batch.restore(space, state),
            (Self::Mixed(batch), AnyState::Mixed(state)) => batch.restore(space, state),
            _ => Err(Error::Mismatch {
                path: "snapshot of a space".into(),
                detail: "it has another precision than the batch".into(),
            }),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        with!(self, batch => batch.memory_bytes())
    }
}
