//! The engine of a space in either precision.

use std::sync::Arc;

use crate::error::Result;
use crate::geometry::Vec2;
use crate::rigid2d::engine::Engine;
use crate::rigid2d::engine::access::Touch;
use crate::rigid2d::engine::bodies::{Bodies, BodiesMut};
use crate::rigid2d::engine::boxes::Boxes;
use crate::rigid2d::engine::library::Definition;
use crate::rigid2d::engine::mixing::PairMaterial;
use crate::rigid2d::engine::pairs::Pair;
use crate::rigid2d::engine::settings::StepSettings;
use crate::rigid2d::shapes::{Geometry, Material};

/// An engine that computes contacts in double or in single precision.
#[derive(Debug, Clone)]
pub(crate) enum AnyEngine {
    Double(Engine<f64>),
    Mixed(Engine<f32>),
}

/// Evaluates an expression with the engine of either precision.
macro_rules! with {
    ($any:expr, $engine:ident => $result:expr) => {
        match $any {
            AnyEngine::Double($engine) => $result,
            AnyEngine::Mixed($engine) => $result,
        }
    };
}

impl AnyEngine {
    pub(crate) fn bodies(&self) -> &Bodies {
        with!(self, engine => &engine.bodies)
    }

    /// The store of bodies, to set a few numbers of one.
    #[inline]
    pub(crate) fn store_mut(&mut self) -> &mut Bodies {
        with!(self, engine => &mut engine.bodies)
    }

    pub(crate) fn bodies_mut(&mut self) -> BodiesMut<'_> {
        with!(self, engine => engine.bodies.as_mut())
    }

    /// What the space is made of, as a number.
    pub(crate) fn memory_bytes(&self) -> usize {
        with!(self, engine => engine.memory_bytes())
    }

    pub(crate) fn fingerprint(&self) -> u64 {
        with!(self, engine => engine.fingerprint())
    }

    pub(crate) fn boxes(&self) -> &Boxes {
        with!(self, engine => &engine.tile.boxes)
    }

    pub(crate) fn settings_mut(&mut self) -> &mut StepSettings {
        with!(self, engine => &mut engine.settings)
    }

    pub(crate) fn set_gravity(&mut self, gravity: Vec2) {
        with!(self, engine => engine.tile.gravity[0] = gravity.into());
    }

    /// Appends an unused row of bodies.
    pub(crate) fn grow(&mut self) -> Result<usize> {
        with!(self, engine => {
            // Both rows or none.
            engine.bodies.reserve(1)?;
            engine.tile.add_body()?;
            engine.bodies.grow(1)
        })
    }

    pub(crate) fn definition(&self, shape: u32) -> &Definition {
        with!(self, engine => engine.definition(shape))
    }

    pub(crate) fn add_shape(
        &mut self,
        body: u32,
        geometry: Geometry,
        material: Material,
        centre_of_mass: Vec2,
    ) -> Result<u32> {
        with!(self, engine => engine.add_shape(body, geometry, material, centre_of_mass))
    }

    pub(crate) fn remove_shape(&mut self, shape: u32) {
        with!(self, engine => engine.remove_shape(shape));
    }

    pub(crate) fn redefine(
        &mut self,
        body: u32,
        shapes: &[u32],
        changed: Option<(u32, &Geometry)>,
        centre_of_mass: Vec2,
    ) -> Result<()> {
        with!(self, engine => engine.redefine(body, shapes, changed, centre_of_mass))
    }

    pub(crate) fn set_material(&mut self, shape: u32, material: Material) {
        with!(self, engine => engine.set_material(shape, material));
    }

    pub(crate) fn renew_pairs(&mut self, concerned: impl Fn(&Pair) -> bool) -> Result<Vec<[u32; 2]>> {
        with!(self, engine => engine.renew_pairs(concerned))
    }

    pub(crate) fn reindex(&mut self, body: u32) {
        with!(self, engine => engine.tile.reindex(body));
    }

    pub(crate) fn wake(&mut self, body: u32) {
        with!(self, engine => engine.wake(body));
    }

    pub(crate) fn sleep(&mut self, body: u32) {
        with!(self, engine => engine.sleep(body));
    }

    /// Whether all bodies can be computed with in a step of `dt` seconds.
    pub(crate) fn check_motion(&self, dt: f64) -> Result<()> {
        with!(self, engine => engine.check_motion(dt))
    }

    /// Puts bodies back that contacts have sent beyond all numbers, and returns the first of them.
    pub(crate) fn put_back_lost(&mut self) -> Option<u32> {
        with!(self, engine => engine.put_back_lost())
    }

    /// Whether a step would change nothing.
    pub(crate) fn is_idle(&self) -> bool {
        with!(self, engine => engine.is_idle())
    }

    pub(crate) fn find_contacts(&mut self, dt: f64) -> Result<()> {
        with!(self, engine => engine.find_contacts(dt))
    }

    pub(crate) fn solve(&mut self, dt: f64) -> Result<()> {
        with!(self, engine => engine.solve(dt))
    }

    pub(crate) fn own_accelerations(&mut self) -> &mut Vec<(u32, [f64; 3])> {
        with!(self, engine => &mut engine.tile.own_accelerations)
    }

    /// Slots of pairs, free ones included.
    pub(crate) fn heads(&self) -> &[Pair] {
        with!(self, engine => &engine.tile.pairs.heads)
    }

    pub(crate) fn heads_mut(&mut self) -> &mut [Pair] {
        with!(self, engine => &mut engine.tile.pairs.heads)
    }

    /// Has impulses of contacts that handlers see added up over a step, or not.
    pub(crate) fn want_totals(&mut self, wanted: bool) {
        with!(self, engine => engine.tile.totals.wanted = wanted);
    }

    pub(crate) fn reload_poses(&mut self) -> Result<()> {
        with!(self, engine => engine.reload_poses())
    }

    /// Whether a pair began to touch in the last step.
    pub(crate) fn is_first(&self, slot: u32) -> bool {
        with!(self, engine => engine.tile.place_among_begun(slot).is_some())
    }

    /// Slots of pairs that began to touch in this step.
    pub(crate) fn begun(&self) -> &[u32] {
        with!(self, engine => &engine.tile.begun)
    }

    /// Shapes of pairs that ceased to touch in this step.
    pub(crate) fn ended(&self) -> &[[u32; 2]] {
        with!(self, engine => &engine.tile.ended)
    }

    pub(crate) fn pair_material(&self, slot: u32) -> PairMaterial {
        with!(self, engine => engine.pair_material(slot))
    }

    pub(crate) fn override_material(&mut self, slot: u32, material: &PairMaterial) {
        with!(self, engine => engine.override_material(slot, material));
    }

    /// Gives all contacts what their shapes give now.
    pub(crate) fn update_materials(&mut self) {
        with!(self, engine => engine.update_materials(|_| true));
    }

    pub(crate) fn touch(&self, slot: u32) -> Touch {
        with!(self, engine => engine.touch(slot))
    }

    pub(crate) fn set_touch(&mut self, slot: u32, touch: &Touch) {
        with!(self, engine => engine.set_touch(slot, touch));
    }

    pub(crate) fn skip(&mut self, slot: u32) {
        with!(self, engine => engine.tile.skip(slot));
    }

    pub(crate) fn resume(&mut self, slot: u32) {
        with!(self, engine => engine.tile.resume(slot));
    }

    /// Makes room for the end of all pairs between two steps.
    pub(crate) fn reserve_endings(&mut self) -> Result<()> {
        with!(self, engine => engine.tile.reserve_endings())
    }

    /// Bytes of definitions of shapes that others share, which a change copies; 0 if none does.
    pub(crate) fn shared_definition_bytes(&self) -> usize {
        with!(self, engine => {
            let is_shared = Arc::strong_count(&engine.library) > 1;
            if is_shared { engine.library.memory_bytes() } else { 0 }
        })
    }

    /// Ends all pairs of a shape.
    pub(crate) fn end_pairs_of_shape(&mut self, shape: u32) {
        with!(self, engine => engine.tile.end_pairs_of_shape(shape));
    }
}
