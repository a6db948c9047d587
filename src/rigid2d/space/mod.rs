//! A space: bodies and shapes, and the steps in which they move and touch.

pub(crate) mod any;
mod arbiter;
mod arbiter_ref;
mod bodies;
mod body;
mod body_mut;
mod body_ref;
mod callbacks;
mod columns;
mod contact_set;
mod handlers;
mod ids;
mod inertia;
mod measure;
mod post_step;
mod query;
mod room;
mod saved;
mod settings;
mod shape_list;
mod shape_mut;
mod shape_ref;
mod step;
#[cfg(test)]
mod tests;
mod update;

pub use arbiter::{Arbiter, ArbiterState};
pub use arbiter_ref::ArbiterRef;
pub use body::{Body, BodyKind};
pub use body_mut::BodyMut;
pub use body_ref::BodyRef;
pub use contact_set::{ContactPoint, ContactSet};
pub use handlers::{ContactEvent, Handler};
pub use ids::{BodyId, ShapeId};
pub use query::{BoxQuery, Many, PointHit, PointQuery, RayHit, SegmentQuery, ShapeHit, ShapeQuery};
pub use saved::{SpaceFormat, is_saved_space};
pub(crate) use settings::{MOST_ITERATIONS, MOST_SUBSTEPS};
pub use settings::{Mixing, Precision, Solver, SpaceSettings};
pub use shape_mut::ShapeMut;
pub use shape_ref::ShapeRef;
pub use update::{PositionUpdate, VelocityUpdate};

use self::any::AnyEngine;
use self::callbacks::CallLists;
use self::handlers::Handlers;
use self::ids::Table;
use self::post_step::PostStep;
use self::query::Outside;
use self::shape_list::ShapeList;
use self::update::Updates;
use crate::error::{Error, Result};
use crate::geometry::Vec2;
use crate::rigid2d::engine::Engine;
use crate::rigid2d::engine::settings::StepSettings;

/// Bodies and shapes that move and touch in steps of time.
///
/// ```
/// use carom::geometry::Vec2;
/// use carom::rigid2d::{Body, Geometry, Shape, Space, SpaceSettings};
///
/// let mut space = Space::new(&SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0)))?;
/// let ground = Geometry::segment(Vec2::new(-5.0, 0.0), Vec2::new(5.0, 0.0), 0.0)?;
/// space.add_shape(space.static_body(), Shape::new(ground))?;
/// let ball = space.add_body(&Body::dynamic().with_position(Vec2::new(0.0, 2.0)))?;
/// space.add_shape(ball, Shape::new(Geometry::circle(0.5, Vec2::ZERO)?).with_mass(1.0))?;
/// for _ in 0..120 {
///     space.step(1.0 / 60.0)?;
/// }
/// assert!((space.body(ball)?.position().y - 0.5).abs() < 0.01);
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug)]
pub struct Space {
    pub(crate) core: Core,
    handlers: Handlers,
    updates: Updates,
    post_step: PostStep,
    call_lists: CallLists,
    locked: bool,
}

/// All of a space that its future depends on, but for callbacks.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    pub(crate) engine: AnyEngine,
    bodies: Table<BodyEntry>,
    shapes: Table<ShapeEntry>,
    /// Rows of removed bodies.
    free_bodies: Vec<u32>,
    /// Row of the space's own static body.
    static_body: u32,
    settings: SpaceSettings,
    time: f64,
    steps: u64,
    time_step: f64,
    /// Whether a dynamic body may be without mass since the last step.
    masses_changed: bool,
    /// Whether a body was moved between the halves of a step.
    moved: bool,
    /// Bodies that have left their boxes.
    outside: Outside,
    /// Shapes that ceased to touch since the last step because they were changed.
    ended: Vec<[u32; 2]>,
}

/// What a space has per body besides the columns of its engine.
#[derive(Debug, Clone)]
struct BodyEntry {
    /// The centre of mass in the coordinates of the body.
    centre: Vec2,
    /// Rows of its shapes, in the order in which they were added.
    shapes: ShapeList,
    user_data: u64,
}

/// What a space has per shape besides its definition.
#[derive(Debug, Clone)]
struct ShapeEntry {
    body: u32,
    mass: f64,
    user_data: u64,
}

impl Space {
    /// A space without bodies but its own static one, which is at the origin.
    pub fn new(settings: &SpaceSettings) -> Result<Self> {
        settings.check()?;
        let mut space = Self::empty(settings);
        space.add_body(&Body::fixed())?;
        Ok(space)
    }

    /// A space without bodies, with settings that were checked.
    fn empty(settings: &SpaceSettings) -> Self {
        let engine = match settings.precision {
            Precision::Double => AnyEngine::Double(Engine::new(StepSettings::default())),
            Precision::Mixed => AnyEngine::Mixed(Engine::new(StepSettings::default())),
        };
        let core = Core {
            engine,
            bodies: Table::new(),
            shapes: Table::new(),
            free_bodies: Vec::new(),
            static_body: 0,
            settings: *settings,
            time: 0.0,
            steps: 0,
            time_step: 0.0,
            masses_changed: false,
            moved: false,
            outside: Outside::default(),
            ended: Vec::new(),
        };
        let mut space = Self {
            core,
            handlers: Handlers::default(),
            updates: Updates::default(),
            post_step: PostStep::default(),
            call_lists: CallLists::default(),
            locked: false,
        };
        space.apply_settings();
        space
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &SpaceSettings {
        &self.core.settings
    }

    /// Changes settings, and wakes all bodies. The precision must stay.
    pub fn set_settings(&mut self, settings: &SpaceSettings) -> Result<()> {
        self.check_unlocked("change settings")?;
        settings.check()?;
        if settings.precision != self.core.settings.precision {
            let reason = "it is chosen when a space is made";
            return Err(Error::ReadOnly { field: "precision", reason });
        }
        if *settings != self.core.settings {
            self.core.settings = *settings;
            self.apply_settings();
            (0..self.core.bodies.rows() as u32).for_each(|row| self.core.engine.wake(row));
        }
        Ok(())
    }

    fn apply_settings(&mut self) {
        let settings = self.core.settings;
        let step = self.core.engine.settings_mut();
        *step = settings.for_engine(step);
        self.core.engine.set_gravity(settings.gravity);
        self.core.engine.update_materials();
    }

    /// Changes gravity, in metres per second squared.
    pub fn set_gravity(&mut self, gravity: Vec2) -> Result<()> {
        self.set_settings(&self.core.settings.with_gravity(gravity))
    }

    /// A hash of the poses and velocities of all bodies: the same alone and in any batch.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let bodies = self.core.engine.bodies();
        bodies.hash(0..bodies.len())
    }

    /// A copy without callbacks.
    pub(crate) fn without_callbacks(&self) -> Self {
        Self {
            core: self.core.clone(),
            handlers: Handlers::default(),
            updates: Updates::default(),
            post_step: PostStep::default(),
            call_lists: CallLists::default(),
            locked: false,
        }
    }

    /// Takes up a state that was put into the engine, at this time and after so many steps.
    pub(crate) fn resume_at(&mut self, time: f64, steps: u64, time_step: f64) {
        (self.core.time, self.core.steps, self.core.time_step) = (time, steps, time_step);
        self.core.find_outside();
    }

    /// Whether copies of this space can be in one batch with those of another.
    pub(crate) fn check_prototype(&self, first: &Self, index: usize) -> Result<()> {
        let mut settings = self.core.settings;
        settings.gravity = first.core.settings.gravity;
        if settings != first.core.settings {
            return Err(Error::Mismatch {
                path: format!("prototype {index}"),
                detail: "its settings are not those of the first prototype".into(),
            });
        }
        if !self.updates.is_empty() {
            return Err(Error::Mismatch {
                path: format!("prototype {index}"),
                detail: "its bodies have functions of their own for velocity or position; a batch has none"
                    .into(),
            });
        }
        Ok(())
    }

    /// Time since the space was made, in seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.core.time
    }

    /// Number of steps since the space was made.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        self.core.steps
    }

    /// Duration of the current or last step, in seconds; 0 before the first.
    #[must_use]
    pub fn current_time_step(&self) -> f64 {
        self.core.time_step
    }

    /// Whether the space is in the middle of a step, as in callbacks.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.locked
    }

    fn check_unlocked(&self, operation: &'static str) -> Result<()> {
        if self.locked { Err(Error::Locked { operation }) } else { Ok(()) }
    }

    /// The row of a body.
    fn body_row(&self, id: BodyId) -> Result<u32> {
        self.core.bodies.get(id.index, id.generation).map(|_| id.index).ok_or_else(|| id.dead())
    }

    /// The row of a shape.
    fn shape_row(&self, id: ShapeId) -> Result<u32> {
        self.core.shapes.get(id.index, id.generation).map(|_| id.index).ok_or_else(|| id.dead())
    }
}

impl Core {
    /// The id of the body in a used row.
    fn body_id(&self, row: u32) -> BodyId {
        BodyId { index: row, generation: self.bodies.generation(row) }
    }

    /// The id of the shape in a used row.
    fn shape_id(&self, row: u32) -> ShapeId {
        ShapeId { index: row, generation: self.shapes.generation(row) }
    }
}
