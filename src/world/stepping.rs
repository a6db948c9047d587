//! `step` and `step_to_collision`: advancing with collisions.

use std::ops::ControlFlow;

use super::World;
use super::settings::BroadPhase;
use super::shapes::Shapes;
use super::timeline::{Cause, Outcome, StepObserver, SweptGrid, Timeline};
use super::tracks::{Buffers, NONE, Start, Tracks};
use crate::error::{Error, Result};
use crate::particles::{Approach, Magnitudes};
use crate::soa::{Context, memory};

/// Bytes per particle of what a step allocates besides its vectors: a list for every 16 rows of all pairs, with its share of
/// work.
const ROOM_PER_PARTICLE: usize = 8;

/// From this many particles on a grid finds the earliest collision faster than all pairs.
const EARLIEST_BY_GRID_FROM: usize = 1000;

/// A collision, as it is reported to the observer of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collision<'a> {
    /// World time of the collision, in seconds.
    pub time: f64,
    /// The lower index of the pair.
    pub first: usize,
    /// The higher index of the pair.
    pub second: usize,
    /// Momentum exchanged along the normal, in newton seconds; never negative.
    pub impulse: f64,
    /// Unit vector from the centre of the second particle to that of the first: the direction of the impulse on the first.
    /// Of two exact shapes the normal of their contact, from the second to the first.
    pub normal: &'a [f64],
}

/// How a step that may be stopped ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepEnd {
    /// Collisions that were resolved.
    pub collisions: u64,
    /// Whether it went on to the end of its time; otherwise the observer stopped it.
    pub is_complete: bool,
}

impl World {
    /// Advances by exactly `dt` seconds, resolving every collision in the order of time, and at the same time in the order of the
    /// pairs: a symmetric start need not stay symmetric. Returns their number.
    ///
    /// If the step has more collisions than [`Settings::max_collisions`](super::Settings::max_collisions) allows, it
    /// stops with [`Error::TooManyCollisions`] at the time of the last one: the world is then valid, at an earlier time than
    /// requested.
    ///
    /// Without memory for its tracks and predictions it fails and changes nothing; an observer may have seen collisions.
    ///
    /// With [`Settings::exact_shapes`](super::Settings::exact_shapes) it fails, and changes nothing, in dimensions other
    /// than 2 and 3 and if the axes of a facoid or pyramidoid that is no tracer are dependent.
    pub fn step(&mut self, dt: f64) -> Result<u64> {
        self.step_observed(dt, &mut |_| {})
    }

    /// The same as [`step`](Self::step); `observer` is called with every collision when it is resolved.
    pub fn step_observed(&mut self, dt: f64, observer: &mut dyn FnMut(&Collision)) -> Result<u64> {
        let mut watch = |collision: Option<&Collision>| {
            collision.into_iter().for_each(&mut *observer);
            ControlFlow::Continue(())
        };
        self.step_stoppable(dt, &mut watch).map(|step| step.collisions)
    }

    /// The same as [`step`](Self::step), but `observer` may stop it: it is called with every collision when it is resolved and,
    /// in a long search for collisions, with `None` from time to time in between.
    ///
    /// A step that is stopped ends at the time of the last collision, with that collision resolved, or between two collisions
    /// with all earlier ones resolved. The world is then valid, at an earlier time than requested, and another step of the
    /// rest of the time goes on from there. Without forces and drag the result is then that of one step, within rounding; with
    /// them the rest is a time step of its own, as accurate as any of its length. To the bit it is not the same: for that,
    /// keep a clone of the world from before the step.
    pub fn step_stoppable(
        &mut self,
        dt: f64,
        observer: &mut dyn FnMut(Option<&Collision<'_>>) -> ControlFlow<()>,
    ) -> Result<StepEnd> {
        let after = self.prepare_collisions(dt)?;
        let limit = self.settings.collision_limit(self.particles.len());
        let from = self.time;
        let mut shifted = |collision: Option<&Collision>| match collision {
            Some(collision) => observer(Some(&Collision { time: from + collision.time, ..*collision })),
            None => observer(None),
        };
        let run = self.on_timeline(dt, after, Run { limit, observer: &mut shifted })?;
        if run.cause == Cause::Complete {
            self.advance(dt);
        } else {
            self.drift(run.end);
        }
        self.scratch.tracks.write_turned(&mut self.particles, run.end);
        self.particles.forget_magnitudes();
        match run.cause {
            Cause::Limit => Err(Error::TooManyCollisions { limit, time: self.time }),
            cause => Ok(StepEnd { collisions: run.collisions, is_complete: cause == Cause::Complete }),
        }
    }

    /// Advances to the first collision within `dt` seconds, or by `dt` if there is none.
    ///
    /// Returns the world time of the collision and the pair, which is not yet resolved: call
    /// [`collide`](Self::collide) for that. Until then the pair touches and approaches, so that another call
    /// returns it again at once. Exact shapes are refused as in [`step`](Self::step).
    pub fn step_to_collision(&mut self, dt: f64) -> Result<Option<Approach>> {
        let after = self.prepare_collisions(dt)?;
        let by_grid = self.broad_phase.uses_grid(self.particles.len(), EARLIEST_BY_GRID_FROM);
        let first = if by_grid || self.settings.exact_shapes {
            self.on_timeline(dt, after, First)?
        } else {
            self.paths().earliest(dt, &self.context)
        };
        match first {
            Some(hit) => self.drift(hit.time),
            None => self.advance(dt),
        }
        self.particles.forget_magnitudes();
        Ok(first.map(|hit| Approach { time: self.time, ..hit }))
    }

    /// Performs `task` on the tracks of a prepared step of `dt` seconds.
    fn on_timeline<T: Task>(&mut self, dt: f64, after: Magnitudes, task: T) -> Result<T::Outcome> {
        if self.particles.len() >= NONE as usize {
            let value = self.particles.len() as f64;
            return Err(Error::OutOfRange {
                field: "number of particles",
                value,
                expected: "less than 2^32 - 1",
            });
        }
        self.expect_room()?;
        let shapes = self.settings.exact_shapes.then(|| Shapes::of(&self.particles)).transpose()?;
        let buffers = std::mem::take(&mut self.scratch.tracks);
        let mut grid = std::mem::take(&mut self.scratch.grid);
        let uniform = self.settings.uniform_acceleration(self.particles.dim());
        let start = Start {
            particles: &self.particles,
            paths: self.paths(),
            system: super::system(&self.settings, &uniform, &self.scratch),
            dt,
            restitution: self.settings.restitution,
            farthest: after.position,
            shapes: shapes.as_ref(),
        };
        let how = (&mut grid, self.broad_phase, &self.context);
        let (outcome, buffers) = match self.particles.dim() {
            1 => perform::<T, 1>(task, start, buffers, how)?,
            2 => perform::<T, 2>(task, start, buffers, how)?,
            3 => perform::<T, 3>(task, start, buffers, how)?,
            _ => perform::<T, 0>(task, start, buffers, how)?,
        };
        self.scratch.tracks = buffers;
        self.scratch.grid = grid;
        Ok(outcome)
    }

    /// Whether there is room for the small pieces of a step, which grow with the number of its chunks. It is checked when there
    /// are more particles than ever before: what a step takes is there for the next one.
    fn expect_room(&mut self) -> Result<()> {
        let count = self.particles.len();
        if count > self.scratch.room_for {
            memory::expect_room(count.saturating_mul(ROOM_PER_PARTICLE))?;
            self.scratch.room_for = count;
        }
        Ok(())
    }
}

fn perform<T: Task, const D: usize>(
    task: T,
    start: Start,
    buffers: Buffers,
    (grid, broad_phase, context): (&mut SweptGrid, BroadPhase, &Context),
) -> Result<(T::Outcome, Buffers)> {
    let mut tracks = Tracks::<D>::new(start, buffers)?;
    let outcome = task.perform(&mut Timeline::new(&mut tracks, grid, broad_phase, context))?;
    Ok((outcome, tracks.into_buffers()))
}

/// Something to do on a timeline, whatever the dimension.
trait Task {
    type Outcome;
    fn perform<const D: usize>(self, timeline: &mut Timeline<D>) -> Result<Self::Outcome>;
}

/// Resolve all collisions.
struct Run<'a> {
    limit: u64,
    observer: &'a mut StepObserver<'a>,
}

impl Task for Run<'_> {
    type Outcome = Outcome;
    fn perform<const D: usize>(self, timeline: &mut Timeline<D>) -> Result<Outcome> {
        timeline.run(self.limit, self.observer)
    }
}

/// Find the first collision.
struct First;

impl Task for First {
    type Outcome = Option<Approach>;
    fn perform<const D: usize>(self, timeline: &mut Timeline<D>) -> Result<Option<Approach>> {
        timeline.first()
    }
}
