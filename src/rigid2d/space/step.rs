//! A step of time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

use super::{BodyKind, Space};
use crate::error::{Error, Result};
use crate::soa::check;

/// The first panic of a callback. The step goes on, and the panic does so after it.
#[derive(Debug, Default)]
pub(super) struct Panicked(Option<Box<dyn Any + Send>>);

impl Panicked {
    /// Calls a function of the caller; `None` if it panics.
    pub(super) fn call<T>(&mut self, function: impl FnOnce() -> T) -> Option<T> {
        match catch_unwind(AssertUnwindSafe(function)) {
            Ok(value) => Some(value),
            Err(payload) => {
                self.0.get_or_insert(payload);
                None
            }
        }
    }

    /// Takes the panic of another, if there is none yet.
    pub(super) fn merge(&mut self, other: Self) {
        if self.0.is_none() {
            self.0 = other.0;
        }
    }

    /// Goes on with the panic, if there was one.
    pub(super) fn resume(self) {
        if let Some(payload) = self.0 {
            resume_unwind(payload);
        }
    }
}

/// What is in a mutex that is never locked.
pub(super) fn exclusive<T: ?Sized>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

impl Space {
    /// Advances by this duration, in seconds, at least 0; with 0 nothing happens.
    ///
    /// Forces and torques of bodies are 0 after it. A panic of a callback leaves the step when it is complete.
    ///
    /// It cannot be stopped. Its time is in proportion to bodies, contacts and substeps or iterations, which have limits.
    ///
    /// It is an error, and nothing changes, if there is no memory for it, if a dynamic body has no mass or if a body would come
    /// farther than 1e30 m (1e12 m in mixed precision). If contacts send a body beyond all numbers, the step is complete but for
    /// this body, which is where it was and has lost its velocity and its contacts.
    pub fn step(&mut self, dt: f64) -> Result<()> {
        self.check_unlocked("step")?;
        check::non_negative("time step", 0, dt)?;
        if dt == 0.0 {
            return Ok(());
        }
        self.check_masses()?;
        if !self.core.engine.is_idle() {
            self.core.engine.check_motion(dt)?;
        }
        let mut panicked = Panicked::default();
        let before = std::mem::replace(&mut self.core.time_step, dt);
        self.locked = true;
        let result = self.locked_step(dt, &mut panicked);
        self.locked = false;
        if matches!(result, Err(Error::OutOfMemory { .. })) {
            self.core.time_step = before;
        }
        panicked.resume();
        result?;
        self.call_post_step();
        Ok(())
    }

    fn locked_step(&mut self, dt: f64, panicked: &mut Panicked) -> Result<()> {
        self.core.engine.find_contacts(dt)?;
        if self.core.engine.is_idle() && self.core.ended.is_empty() && !self.handlers.changed {
            self.pass_time(dt);
            return Ok(());
        }
        self.call_before_solve(panicked);
        self.updates.call_velocities(&mut self.core, dt, panicked);
        self.updates.remember_positions(&self.core);
        if std::mem::take(&mut self.core.moved) {
            self.core.engine.reload_poses()?;
        }
        self.core.engine.solve(dt)?;
        self.updates.call_positions(&mut self.core, dt, panicked);
        self.call_post_solve(panicked);
        let is_lost = self.core.find_outside();
        self.pass_time(dt);
        if is_lost && let Some(body) = self.core.engine.put_back_lost() {
            let (index, magnitude) = (Some(body as usize), f64::INFINITY);
            return Err(Error::Overflow { field: "velocity", index, magnitude });
        }
        Ok(())
    }

    fn pass_time(&mut self, dt: f64) {
        self.core.time += dt;
        self.core.steps = self.core.steps.saturating_add(1);
    }

    /// Whether all dynamic bodies have a mass and a moment.
    fn check_masses(&mut self) -> Result<()> {
        if !self.core.masses_changed {
            return Ok(());
        }
        let has_none = |body: &super::BodyRef<'_>| {
            body.kind() == BodyKind::Dynamic && !(body.mass() > 0.0 && body.moment() > 0.0)
        };
        if let Some(body) = self.bodies().find(has_none) {
            return Err(Error::NoMass { index: body.id().index() });
        }
        self.core.masses_changed = false;
        Ok(())
    }
}
