//! Many spaces at once.

mod alone;
mod any;
mod columns;
mod events;

use self::any::AnyBatch;
pub use self::columns::BodyField;
pub use self::events::SpaceEvent;
use crate::error::{Error, Result};
use crate::geometry::Vec2;
use crate::rigid2d::Space;
use crate::rigid2d::engine::state::SpaceState;
use crate::soa::{Context, check};

/// Many independent spaces in the same columns, stepped together.
///
/// A batch is made from prototypes: every space is a copy of one, contacts included. A space of a batch has the same bits as
/// it has alone, at any place of any batch and for any number of threads. What happens in a batch is told by
/// [events](Self::events) instead of handlers.
///
/// ```
/// use carom::geometry::Vec2;
/// use carom::rigid2d::{Body, BodyField, Geometry, Shape, Space, SpaceSettings, Spaces};
///
/// let mut space = Space::new(&SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0)))?;
/// let ball = space.add_body(&Body::dynamic().with_position(Vec2::new(0.0, 2.0)))?;
/// space.add_shape(ball, Shape::new(Geometry::circle(0.5, Vec2::ZERO)?).with_mass(1.0))?;
///
/// let mut spaces = Spaces::new(&space, 1000)?;
/// let rows = spaces.bodies_per_space();
/// for (n, velocity) in spaces.column_mut(BodyField::VelocityX).chunks_mut(rows).enumerate() {
///     velocity[ball.index()] = n as f64;
/// }
/// spaces.step(0.5)?;
/// assert_eq!(spaces.column(BodyField::X)[7 * rows + ball.index()], 3.5);
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug)]
pub struct Spaces {
    engine: AnyBatch,
    context: Context,
    time: f64,
    steps: u64,
    time_step: f64,
    events: Vec<SpaceEvent>,
}

/// One space of a batch, as it was: from it the future is the same to the bit.
#[derive(Debug, Clone)]
pub struct SpaceSnapshot {
    state: AnyState,
    /// What the space is made of, as a number.
    fingerprint: u64,
}

#[derive(Debug, Clone)]
enum AnyState {
    Double(SpaceState<f64>),
    Mixed(SpaceState<f32>),
}

impl Spaces {
    /// Copies of one prototype.
    pub fn new(prototype: &Space, count: usize) -> Result<Self> {
        Self::from_prototypes(&[prototype], &vec![0; count])
    }

    /// Copies of prototypes: space `k` is one of prototype number `which[k]`.
    ///
    /// All prototypes must have the same settings, except for gravity, and no functions of their own for velocities or
    /// positions. Handlers are not copied.
    pub fn from_prototypes(prototypes: &[&Space], which: &[u32]) -> Result<Self> {
        if let Some(&number) = which.iter().find(|&&number| number as usize >= prototypes.len()) {
            return Err(Error::BadIndex {
                field: "prototype",
                index: number as usize,
                len: prototypes.len(),
            });
        }
        for (index, prototype) in prototypes.iter().enumerate() {
            prototype.check_prototype(prototypes[0], index)?;
        }
        let engine = AnyBatch::new(prototypes, which)?;
        Ok(Self {
            engine,
            context: Context::serial(),
            time: 0.0,
            steps: 0,
            time_step: 0.0,
            events: Vec::new(),
        })
    }

    /// Number of spaces.
    #[must_use]
    pub fn len(&self) -> usize {
        self.engine.len()
    }

    /// Whether there are no spaces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows of bodies per space: the largest of any prototype. A body's row in its space is the
    /// [index](crate::rigid2d::BodyId::index) of its id.
    #[must_use]
    pub fn bodies_per_space(&self) -> usize {
        self.engine.bodies_per_space()
    }

    /// Where steps are computed; results do not depend on it.
    pub fn set_context(&mut self, context: Context) {
        self.context = context;
    }

    /// Time since the batch was made, in seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps since the batch was made.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        self.steps
    }

    /// Advances all spaces by this duration, in seconds, at least 0; with 0 nothing happens. Forces and torques are 0 after
    /// it.
    pub fn step(&mut self, dt: f64) -> Result<()> {
        check::non_negative("time step", 0, dt)?;
        if dt == 0.0 {
            return Ok(());
        }
        self.context.check()?;
        self.engine.accept_columns()?;
        self.engine.step(&self.context, dt)?;
        self.engine.list_events(&mut self.events);
        self.time += dt;
        self.time_step = dt;
        self.steps += 1;
        Ok(())
    }

    /// What began and ceased to touch in the last step, by space and shapes.
    #[must_use]
    pub fn events(&self) -> &[SpaceEvent] {
        &self.events
    }

    /// Sets the gravity of one space, in metres per second squared.
    pub fn set_gravity(&mut self, space: usize, gravity: Vec2) -> Result<()> {
        self.check_space(space)?;
        check::finite("gravity", 0, gravity.x)?;
        check::finite("gravity", 1, gravity.y)?;
        self.engine.set_gravity(space, gravity);
        Ok(())
    }

    /// Brings spaces back to their prototypes.
    pub fn reset(&mut self, spaces: &[usize]) -> Result<()> {
        spaces.iter().try_for_each(|&space| self.check_space(space))?;
        spaces.iter().try_for_each(|&space| self.engine.reset(space))
    }

    /// A space as it is now. What was written into columns is checked.
    pub fn snapshot(&self, space: usize) -> Result<SpaceSnapshot> {
        self.check_space(space)?;
        self.engine.bodies().check_written()?;
        self.engine.snapshot(space)
    }

    /// Replaces a space by a snapshot of any space with the same prototype, of this batch or another one.
    pub fn restore(&mut self, space: usize, snapshot: &SpaceSnapshot) -> Result<()> {
        self.check_space(space)?;
        if snapshot.fingerprint != self.engine.fingerprint_of(space) {
            let (path, detail) = ("snapshot of a space", "its bodies and shapes are not those of the space");
            return Err(Error::Mismatch { path: path.into(), detail: detail.into() });
        }
        self.engine.restore(space, snapshot)
    }

    /// A hash of the poses and velocities of a space: the same alone and in any batch.
    pub fn state_hash(&self, space: usize) -> Result<u64> {
        self.check_space(space)?;
        Ok(self.engine.bodies().hash(self.engine.rows(space)))
    }

    /// A hash of the poses and velocities of all spaces.
    #[must_use]
    pub fn batch_hash(&self) -> u64 {
        self.engine.bodies().hash(0..self.engine.bodies().len())
    }

    /// Bytes of memory held by all columns.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.engine.memory_bytes()
    }

    fn check_space(&self, space: usize) -> Result<()> {
        if space < self.len() {
            Ok(())
        } else {
            Err(Error::BadIndex { field: "space", index: space, len: self.len() })
        }
    }
}

#[cfg(test)]
mod tests;
