//! A tile: spaces that are stepped together.

use std::sync::Arc;

use super::bodies::BodiesMut;
use super::bounce::Bounces;
use super::boxes::Boxes;
use super::colours::Colours;
use super::conservation::Conservation;
use super::contacts::Scratch;
use super::continuous::Continuous;
use super::growth::bytes_of;
use super::library::Library;
use super::mixing::Overrides;
use super::pairs::Pairs;
use super::settings::StepSettings;
use super::sleep::Sleep;
use super::totals::Totals;
use crate::error::{Error, Result};
use crate::rigid2d::solver::constraints::Constraints;
use crate::rigid2d::solver::states::States;
use crate::soa::Column;
use crate::soa::block::Real;

/// Spaces that are stepped together: as many as fit into the cache, or one large one.
#[derive(Debug, Clone)]
pub(crate) struct Tile<R: Real> {
    /// Rows of bodies per space.
    pub(crate) bodies_per_space: usize,
    pub(crate) shapes: Vec<ShapeRow>,
    /// Rows of shapes per space.
    pub(crate) shapes_per_space: usize,
    /// Rows of shapes that are not used.
    pub(crate) unused_shapes: usize,
    /// All rows of shapes before this one are used.
    pub(crate) used_shapes: usize,
    /// Per space, in metres per second squared.
    pub(crate) gravity: Vec<[f64; 2]>,
    pub(crate) boxes: Boxes,
    /// Per body `[x, y, cos, sin]`, and one body more, which unused lanes refer to.
    pub(crate) poses: Column<f64>,
    /// Per body `[x, y, turn, 0]`: its way in this step if its velocity stays as it is, and how far a turn moves its farthest
    /// point, in metres.
    pub(crate) ways: Column<R>,
    pub(crate) pairs: Pairs<R>,
    pub(crate) colours: Colours,
    /// Whether the surface of any shape moves.
    pub(crate) has_surfaces: bool,
    pub(crate) states: States<R>,
    /// Velocities that only push overlapping bodies apart, of sequential impulses.
    pub(crate) pushes: States<R>,
    pub(crate) constraints: Constraints<R>,
    pub(crate) scratch: Scratch,
    pub(crate) bounces: Bounces,
    pub(crate) continuous: Continuous,
    pub(crate) sleep: Sleep,
    pub(crate) conservation: Conservation,
    /// The version of the bodies at which nothing moves, and a step changes nothing.
    pub(crate) idle: Option<u64>,
    /// Per body, by how much it has turned in this step; in radians.
    pub(crate) turns: Vec<f64>,
    /// What handlers have set for contacts of this step.
    pub(crate) overrides: Overrides,
    /// Accelerations of bodies that are integrated by the caller, by body.
    pub(crate) own_accelerations: Vec<(u32, [f64; 3])>,
    /// Sums of impulses of this step.
    pub(crate) totals: Totals,
    /// Slots of pairs that became active in this step, by space and shapes.
    pub(crate) begun: Vec<u32>,
    /// Pairs that ended in this step, by space and shapes.
    pub(crate) ended: Vec<[u32; 2]>,
    /// Numbers of bodies, shapes and pairs for whose steps there was room.
    pub(crate) room_for: [usize; 3],
    /// Whether a step has begun and was not completed: it failed, and what began and ended in it is not told yet.
    pub(crate) is_begun: bool,
    /// Why the last step failed, in a batch.
    pub(crate) failure: Option<Error>,
}

/// A shape of a space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShapeRow {
    /// Row of its body; none if the row is unused.
    pub(crate) body: u32,
    /// Number of its definition.
    pub(crate) definition: u32,
}

impl ShapeRow {
    pub(crate) const UNUSED: Self = Self { body: u32::MAX, definition: 0 };

    pub(crate) fn is_used(self) -> bool {
        self.body != u32::MAX
    }
}

/// A step of a tile: what it reads and writes besides the tile itself.
#[derive(Debug)]
pub(crate) struct Step<'a, R: Real> {
    pub(crate) bodies: BodiesMut<'a>,
    pub(crate) library: &'a Arc<Library<R>>,
    pub(crate) settings: &'a StepSettings,
    /// In seconds.
    pub(crate) dt: f64,
    /// The version of the bodies.
    pub(crate) version: u64,
    /// Whether there may be forces or torques.
    pub(crate) forced: bool,
}

impl<R: Real> Tile<R> {
    pub(crate) fn new(spaces: usize) -> Self {
        Self {
            bodies_per_space: 0,
            shapes: Vec::new(),
            shapes_per_space: 0,
            unused_shapes: 0,
            used_shapes: 0,
            gravity: vec![[0.0; 2]; spaces],
            boxes: Boxes::default(),
            poses: Column::new(0.0),
            ways: Column::new(R::nearest(0.0)),
            pairs: Pairs::new(),
            colours: Colours::default(),
            has_surfaces: false,
            states: States::new(),
            pushes: States::new(),
            constraints: Constraints::new(),
            scratch: Scratch::default(),
            bounces: Bounces::default(),
            continuous: Continuous::default(),
            sleep: Sleep::default(),
            conservation: Conservation::default(),
            idle: None,
            turns: Vec::new(),
            overrides: Overrides::default(),
            own_accelerations: Vec::new(),
            totals: Totals::default(),
            begun: Vec::new(),
            ended: Vec::new(),
            room_for: [0; 3],
            is_begun: false,
            failure: None,
        }
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let rows = bytes_of(&self.shapes) + bytes_of(&self.gravity) + bytes_of(&self.turns);
        let lists = bytes_of(&self.own_accelerations) + bytes_of(&self.begun) + bytes_of(&self.ended);
        rows + lists
            + self.boxes.memory_bytes()
            + self.poses.memory_bytes()
            + self.ways.memory_bytes()
            + self.pairs.memory_bytes()
            + self.colours.memory_bytes()
            + self.states.memory_bytes()
            + self.pushes.memory_bytes()
            + self.constraints.memory_bytes()
            + self.scratch.memory_bytes()
            + self.bounces.memory_bytes()
            + self.continuous.memory_bytes()
            + self.sleep.memory_bytes()
            + self.conservation.memory_bytes()
            + self.overrides.memory_bytes()
            + self.totals.memory_bytes()
    }

    /// Number of the space of a body.
    #[inline(always)]
    pub(crate) fn space_of_body(&self, body: usize) -> usize {
        if self.gravity.len() == 1 { 0 } else { body / self.bodies_per_space }
    }

    /// The first half of a step: which shapes touch, and which have begun or ceased to.
    pub(crate) fn find_contacts(&mut self, step: &mut Step<'_, R>) -> Result<()> {
        if !self.is_begun {
            self.begun.clear();
            self.ended.clear();
        }
        if self.idle == Some(step.version) {
            return Ok(());
        }
        self.is_begun = true;
        self.load_motions(step)?;
        self.restore_materials(step);
        self.update_boxes(step)?;
        self.update_manifolds(step)?;
        self.wake_islands(&mut step.bodies);
        Ok(())
    }

    /// The second half of a step: impulses and motion.
    pub(crate) fn solve(&mut self, step: &mut Step<'_, R>) -> Result<()> {
        if self.idle == Some(step.version) {
            return Ok(());
        }
        self.update_colours(&step.bodies)?;
        self.load_states(step)?;
        self.prepare(step)?;
        self.begin_totals();
        self.bounce(step);
        self.compute_impulses(step)?;
        self.store_states(step);
        self.stop_fast_bodies(step);
        self.conserve(step);
        if step.forced {
            step.bodies.drop_forces();
        }
        self.update_sleep(step);
        self.update_idle(step);
        self.is_begun = false;
        Ok(())
    }
}
