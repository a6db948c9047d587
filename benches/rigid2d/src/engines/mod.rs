//! The engines, each behind the same trait.

#[cfg(feature = "box2d")]
mod box2d;
pub(crate) mod carom;
mod rapier;

use crate::scene::{Pose, Scene};

#[cfg(feature = "box2d")]
pub(crate) use box2d::warn_of_assertions;

/// Whether many spaces are one world, side by side, or a world each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    OneWorld,
    WorldPerSpace,
}

/// A simulation of a scene, on one thread, without sleep.
pub(crate) trait Rival {
    /// One step of [`STEP`](crate::scene::STEP) in all spaces.
    fn step(&mut self);

    /// Poses of all bodies, in the order of the scene, one space after the other, relative to their space.
    fn poses(&self) -> Vec<Pose>;
}

/// An engine: its name, and how it makes the bodies of a scene.
#[derive(Clone, Copy)]
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    pub(crate) build: fn(&Scene, Layout) -> Box<dyn Rival>,
    /// The layouts it can have for a scene of many spaces.
    pub(crate) layouts: &'static [Layout],
}

const BOTH: &[Layout] = &[Layout::OneWorld, Layout::WorldPerSpace];

/// All engines; ratios are relative to the first that runs.
pub(crate) const ENGINES: &[Engine] = &[
    Engine { name: "carom-f64", build: carom::double, layouts: BOTH },
    Engine { name: "carom-mixed", build: carom::mixed, layouts: BOTH },
    #[cfg(feature = "box2d")]
    Engine { name: "box2d", build: box2d::build, layouts: BOTH },
    Engine { name: "rapier-f32", build: rapier::single::build, layouts: BOTH },
    Engine { name: "rapier-f64", build: rapier::double::build, layouts: BOTH },
];

/// Where each space of a scene is, and in which world.
fn places(scene: &Scene, layout: Layout) -> Vec<Vec<[f64; 2]>> {
    match layout {
        Layout::OneWorld => vec![scene.origins()],
        Layout::WorldPerSpace => vec![vec![[0.0; 2]]; scene.spaces],
    }
}
