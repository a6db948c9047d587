//! A space of a batch on its own.

use super::{AnyState, SpaceSnapshot, Spaces};
use crate::error::{Error, Result};
use crate::rigid2d::Space;
use crate::rigid2d::engine::Engine;
use crate::rigid2d::engine::library::Start;
use crate::rigid2d::engine::state::SpaceState;
use crate::rigid2d::engine::tile::Tile;
use crate::rigid2d::space::any::AnyEngine;
use crate::soa::block::Real;

impl Spaces {
    /// A copy of a space of the batch, with the same future to the bit and without callbacks.
    ///
    /// `prototype` must be what the space was made from: bodies and shapes have the ids that they have there.
    pub fn space(&self, number: usize, prototype: &Space) -> Result<Space> {
        let SpaceSnapshot { state, fingerprint } = self.snapshot(number)?;
        if prototype.core.engine.fingerprint() != fingerprint {
            return Err(mismatch("its bodies and shapes are not those of the space"));
        }
        let mut space = prototype.without_callbacks();
        match (&mut space.core.engine, &state) {
            (AnyEngine::Double(engine), AnyState::Double(state)) => replace(engine, state)?,
            (AnyEngine::Mixed(engine), AnyState::Mixed(state)) => replace(engine, state)?,
            _ => return Err(mismatch("it has another precision than the batch")),
        }
        space.resume_at(
            prototype.time() + self.time(),
            prototype.step_count() + self.step_count(),
            if self.step_count() > 0 { self.time_step } else { prototype.current_time_step() },
        );
        Ok(space)
    }
}

fn mismatch(detail: &str) -> Error {
    Error::Mismatch { path: "prototype".into(), detail: detail.into() }
}

/// Replaces bodies, boxes and pairs.
fn replace<R: Real>(engine: &mut Engine<R>, state: &SpaceState<R>) -> Result<()> {
    // A batch may have more rows than the prototype of one of its spaces.
    let (bodies, shapes) = (engine.bodies.len(), engine.tile.shapes.len());
    // The tree of the prototype has its boxes: a new tile makes its own.
    let mut tile = Tile::new(1);
    tile.resize(1, bodies, shapes)?;
    tile.unused_shapes = engine.tile.unused_shapes;
    tile.put_in(0, &mut engine.bodies, 0, state, Start::default())?;
    *engine.tile = tile;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigid2d::scenes::{Parameters, Scene};

    #[test]
    fn a_space_of_a_batch_goes_on_alone_to_the_bit() {
        // So many bodies that a space has a tree of its own.
        let scene = Scene::named("bin", &Parameters::default().with_bodies(60)).unwrap();
        let mut alone = scene.space().unwrap();
        let step = |space: &mut Space, steps: usize| (0..steps).for_each(|_| space.step(scene.dt).unwrap());
        step(&mut alone, 30);
        let prototype = alone.without_callbacks();
        let mut batch = Spaces::new(&prototype, 3).unwrap();
        (0..60).for_each(|_| batch.step(scene.dt).unwrap());
        let mut taken = batch.space(2, &prototype).unwrap();
        step(&mut alone, 60);
        assert_eq!(taken.state_hash(), alone.state_hash());
        assert_eq!((taken.time(), taken.step_count()), (prototype.time() + batch.time(), alone.step_count()));
        step(&mut taken, 60);
        step(&mut alone, 60);
        assert_eq!(taken.state_hash(), alone.state_hash());
        let other = Scene::named("stack", &Parameters::default()).unwrap().space().unwrap();
        assert!(matches!(batch.space(0, &other), Err(Error::Mismatch { .. })));
        assert!(matches!(batch.space(3, &prototype), Err(Error::BadIndex { .. })));
    }

    #[test]
    fn what_is_made_of_something_else_does_not_fit() {
        let scene = |rows: usize| {
            Scene::named("stack", &Parameters::default().with_rows(rows)).unwrap().space().unwrap()
        };
        // One with fewer shapes that are the same, one with as many that are not.
        let (tall, small, empty) = (scene(5), scene(3), Space::new(scene(5).settings()).unwrap());
        let mut slippery = scene(5);
        let shape = slippery.shapes().last().unwrap().id();
        slippery.shape_mut(shape).unwrap().set_friction(0.0).unwrap();
        let mut batch = Spaces::new(&tall, 2).unwrap();
        batch.step(1.0 / 60.0).unwrap();
        let hash = batch.state_hash(0).unwrap();
        for other in [&small, &empty, &slippery] {
            assert!(matches!(batch.space(0, other), Err(Error::Mismatch { .. })));
            let foreign = Spaces::new(other, 2).unwrap().snapshot(1).unwrap();
            assert!(matches!(batch.restore(0, &foreign), Err(Error::Mismatch { .. })));
            let mut others = Spaces::new(other, 2).unwrap();
            assert!(matches!(others.restore(0, &batch.snapshot(0).unwrap()), Err(Error::Mismatch { .. })));
        }
        assert_eq!(batch.state_hash(0).unwrap(), hash);
        // A snapshot of another batch with the same prototype, among larger ones, fits.
        let mut wide = Spaces::from_prototypes(&[&scene(9), &tall], &[0, 1, 0]).unwrap();
        wide.restore(1, &batch.snapshot(0).unwrap()).unwrap();
        assert_eq!(wide.state_hash(1).unwrap(), hash);
        batch.restore(1, &wide.snapshot(1).unwrap()).unwrap();
        (0..30).for_each(|_| (batch.step(1.0 / 60.0).unwrap(), wide.step(1.0 / 60.0).unwrap()).0);
        assert_eq!(batch.state_hash(1).unwrap(), wide.state_hash(1).unwrap());
        assert_eq!(wide.space(1, &tall).unwrap().state_hash(), batch.state_hash(0).unwrap());
    }
}
