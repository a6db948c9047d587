//! An engine from parts that were saved.

use super::Engine;
use super::bodies::flag as body_flag;
use super::boxes::NO_SHAPE;
use super::library::Start;
use super::pairs::{Class, Pair, flag, row};
use super::reach::Reach;
use super::state::{PairState, SpaceState};
use crate::error::Result;
use crate::geometry::Aabb;
use crate::rigid2d::solver::constraints::ABSENT;
use crate::soa::block::Real;

/// What is saved of a pair. Rows of shapes, in the order of the narrow phase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SavedPair {
    pub(crate) shapes: [u32; 2],
    pub(crate) count: u8,
    pub(crate) ids: u32,
    pub(crate) normal: [f64; 2],
    pub(crate) impulses: [f64; 2],
    pub(crate) tangent_impulse: f64,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    pub(crate) points: [[f64; 4]; 2],
    pub(crate) pose: [f64; 4],
    /// Of an impact, what is added to the separations of the points, in metres.
    pub(crate) impact: Option<[f64; 2]>,
    /// Displacement up to which the manifold is kept, in metres.
    pub(crate) kept: f32,
    /// The limit of that displacement, in metres.
    pub(crate) keeping_distance: f32,
    /// In metres.
    pub(crate) margin: f32,
    /// Those that are not given by bodies and shapes.
    pub(crate) flags: u16,
    /// Whether it began to touch in the last step.
    pub(crate) first: bool,
    pub(crate) colour: u8,
}

/// Boxes and pairs that were saved.
#[derive(Debug, Clone, Default)]
pub(crate) struct SavedPairs {
    /// Per body, where it may be within its boxes.
    pub(crate) reaches: Vec<Reach>,
    /// Per shape.
    pub(crate) boxes: Vec<Aabb<2>>,
    /// Per body, its shapes in the order in which they were added.
    pub(crate) shapes_of: Vec<Vec<u32>>,
    pub(crate) pairs: Vec<SavedPair>,
    /// Bodies that wake in the next step.
    pub(crate) waking: Vec<u32>,
}

impl<R: Real> Engine<R> {
    /// Bodies that wake in the next step, in rising order.
    pub(crate) fn waking(&self) -> Vec<u32> {
        let [requests, parted] = self.tile.sleep.waiting();
        let flags = self.bodies.flags();
        let asleep = |body: &&u32| flags[**body as usize] & body_flag::ASLEEP != 0;
        let mut waking: Vec<u32> = requests.iter().chain(parted.iter().filter(asleep)).copied().collect();
        waking.sort_unstable();
        waking.dedup();
        waking
    }

    /// Gives an engine, whose bodies and shapes are there, the boxes and pairs that were saved. All rows must exist.
    pub(crate) fn restore(&mut self, saved: SavedPairs) -> Result<()> {
        let mut state = self.take_out()?;
        state.pairs = saved.pairs.iter().map(|pair| self.pair_state(pair)).collect();
        state.reaches = saved.reaches;
        state.fat = saved.boxes;
        chain_shapes(&mut state, &saved.shapes_of);
        self.tile.put_in(0, &mut self.bodies, 0, &state, Start::default())?;
        for pair in saved.pairs.iter().filter(|pair| pair.first) {
            self.tile.begun.extend(self.tile.pairs.find(pair.shapes));
        }
        let pairs = &self.tile.pairs;
        self.tile.begun.sort_unstable_by_key(|&slot| pairs.key(slot));
        saved.waking.iter().for_each(|&body| self.tile.request_wake(body));
        // What handlers had set for one step only is not restored.
        self.update_materials(|_| true);
        Ok(())
    }

    fn pair_state(&self, saved: &SavedPair) -> PairState<R> {
        let SavedPair { shapes, count, .. } = *saved;
        let bodies = shapes.map(|shape| self.tile.shapes[shape as usize].body);
        let [first, second] = shapes.map(|shape| self.definition(shape));
        let is_fixed = bodies.map(|body| self.bodies.kind(body as usize) != super::bodies::Kind::Dynamic);
        let mut flags = saved.flags;
        flags |= if is_fixed[0] { flag::FIXED_FIRST } else { 0 };
        flags |= if is_fixed[1] { flag::FIXED_SECOND } else { 0 };
        flags |= if first.material.sensor || second.material.sensor { flag::SENSOR } else { 0 };
        let is_chained = first.geometry.has_neighbours() || second.geometry.has_neighbours();
        flags |= if is_chained { flag::CHAIN } else { 0 };
        let head = Pair {
            shapes,
            bodies,
            outlines: [first.outline.unwrap_or(0), second.outline.unwrap_or(0)],
            margin: saved.margin,
            kept: saved.keeping_distance,
            limit: saved.kept,
            swing: second.swing as f32,
            restitution: saved.restitution,
            ids: saved.ids,
            place: 0,
            class: Class::of(first.vertices, second.vertices).0,
            count,
            colour: saved.colour,
            flags,
        };
        let [near, far] = saved.impact.unwrap_or_default();
        let offset = |point: u8, there: f64| if count > point { there } else { ABSENT };
        let ([x, y], [one, two]) = (saved.normal, saved.impulses);
        let mut rows = [[0.0; 4]; row::COUNT];
        rows[row::NORMAL] = [x, y, one, two];
        rows[row::TRAITS] = [saved.friction, saved.tangent_impulse, offset(0, near), offset(1, far)];
        rows[row::POINT[0]] = saved.points[0];
        rows[row::POINT[1]] = saved.points[1];
        let rows = rows.map(|numbers| numbers.map(R::nearest));
        PairState { head, rows, pose: saved.pose.map(R::nearest) }
    }
}

/// Lists of shapes as they become when shapes are added in this order.
fn chain_shapes<R: Real>(state: &mut SpaceState<R>, shapes_of: &[Vec<u32>]) {
    for (first, shapes) in state.first_shape.iter_mut().zip(shapes_of) {
        *first = NO_SHAPE;
        for &shape in shapes {
            state.next_shape[shape as usize] = std::mem::replace(first, shape);
        }
    }
}
