//! Bodies whose velocity or position is integrated by functions of the caller.

use std::fmt;
use std::sync::Mutex;

use super::step::{Panicked, exclusive};
use super::{BodyRef, Core};
use crate::error::Result;
use crate::geometry::{Rotation, Vec2};
use crate::soa::memory;

/// A function that changes the velocity of a body in every step.
pub(super) type VelocityFunction = Mutex<Box<dyn FnMut(&mut VelocityUpdate<'_>) + Send>>;
/// A function that changes the position of a body in every step.
pub(super) type PositionFunction = Mutex<Box<dyn FnMut(&mut PositionUpdate<'_>) + Send>>;

/// The velocity of a body before impulses, to be set by a function of the caller.
#[derive(Debug)]
pub struct VelocityUpdate<'a> {
    core: &'a Core,
    row: u32,
    /// Of the centre of mass, in metres per second: what it is, and then what it becomes.
    pub velocity: Vec2,
    /// In radians per second: what it is, and then what it becomes.
    pub angular_velocity: f64,
    gravity: Vec2,
    dt: f64,
}

impl<'a> VelocityUpdate<'a> {
    /// The body as it was before the step.
    #[must_use]
    pub fn body(&self) -> BodyRef<'a> {
        BodyRef::new(self.core, self.row)
    }

    /// Gravity, in metres per second squared.
    #[must_use]
    pub fn gravity(&self) -> Vec2 {
        self.gravity
    }

    /// Duration of the step, in seconds.
    #[must_use]
    pub fn time_step(&self) -> f64 {
        self.dt
    }

    /// Does what happens without a function: adds what this gravity, the force and the torque give.
    pub fn accelerate(&mut self, gravity: Vec2) {
        let (columns, at) = (self.core.engine.bodies(), self.row as usize);
        let body = self.body();
        let acceleration = gravity + body.force() * columns.inverse_mass()[at];
        self.velocity += acceleration * self.dt;
        self.angular_velocity += body.torque() * columns.inverse_moment()[at] * self.dt;
    }
}

/// The position of a body after impulses, to be set by a function of the caller.
#[derive(Debug)]
pub struct PositionUpdate<'a> {
    core: &'a Core,
    row: u32,
    /// Of the origin of the body, in metres: what it was before the step, and then what it becomes.
    pub position: Vec2,
    /// In radians: what it was before the step, and then what it becomes.
    pub angle: f64,
    /// What the position and the angle would be without the function.
    usual: (Vec2, f64),
    dt: f64,
}

impl<'a> PositionUpdate<'a> {
    /// The body, with its velocities after the step and its position before it.
    #[must_use]
    pub fn body(&self) -> BodyRef<'a> {
        BodyRef::new(self.core, self.row)
    }

    /// Duration of the step, in seconds.
    #[must_use]
    pub fn time_step(&self) -> f64 {
        self.dt
    }

    /// Does what happens without a function: moves and turns the body as the step has computed.
    pub fn advance(&mut self) {
        (self.position, self.angle) = self.usual;
    }
}

/// Functions by rows of bodies.
#[derive(Default)]
pub(super) struct Updates {
    velocity: Vec<(u32, VelocityFunction)>,
    position: Vec<(u32, PositionFunction)>,
    /// Of the bodies with a function for the position before the solver: of the centre of mass.
    before: Vec<(Vec2, f64)>,
}

impl Updates {
    /// Whether no body has a function of its own.
    pub(super) fn is_empty(&self) -> bool {
        self.velocity.is_empty() && self.position.is_empty()
    }
}

impl fmt::Debug for Updates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = |count: usize| format!("{count} functions");
        f.debug_struct("Updates")
            .field("velocity", &rows(self.velocity.len()))
            .field("position", &rows(self.position.len()))
            .finish()
    }
}

fn set<F>(functions: &mut Vec<(u32, F)>, row: u32, function: Option<F>) {
    match (functions.binary_search_by_key(&row, |entry| entry.0), function) {
        (Ok(place), Some(function)) => functions[place].1 = function,
        (Ok(place), None) => drop(functions.remove(place)),
        (Err(place), Some(function)) => functions.insert(place, (row, function)),
        (Err(_), None) => {}
    }
}

impl Updates {
    /// Makes room for one more function of either kind.
    pub(super) fn reserve(&mut self) -> Result<()> {
        memory::reserve(&mut self.velocity, 1)?;
        memory::reserve(&mut self.position, 1)?;
        memory::reserve(&mut self.before, self.position.len() + 1)?;
        memory::expect_little()
    }

    pub(super) fn set_velocity(&mut self, row: u32, function: Option<VelocityFunction>) {
        set(&mut self.velocity, row, function);
    }

    pub(super) fn set_position(&mut self, row: u32, function: Option<PositionFunction>) {
        set(&mut self.position, row, function);
    }

    pub(super) fn remove(&mut self, row: u32) {
        self.set_velocity(row, None);
        self.set_position(row, None);
    }

    /// Calls the functions for velocities and gives the engine the accelerations that they amount to.
    pub(super) fn call_velocities(&mut self, core: &mut Core, dt: f64, panicked: &mut Panicked) {
        let mut accelerations = std::mem::take(core.engine.own_accelerations());
        accelerations.clear();
        for (row, function) in &mut self.velocity {
            let body = BodyRef::new(core, *row);
            if body.is_asleep() {
                continue;
            }
            let (velocity, angular_velocity) = (body.velocity(), body.angular_velocity());
            let gravity = core.settings.gravity;
            let mut update = VelocityUpdate { core, row: *row, velocity, angular_velocity, gravity, dt };
            panicked.call(|| exclusive(function)(&mut update));
            let change = (update.velocity - velocity) * (1.0 / dt);
            let turn = (update.angular_velocity - angular_velocity) / dt;
            // What is not finite is ignored: a step never fails because of a function.
            let is_finite = change.is_finite() && turn.is_finite();
            accelerations.push((*row, if is_finite { [change.x, change.y, turn] } else { [0.0; 3] }));
        }
        *core.engine.own_accelerations() = accelerations;
    }

    /// Remembers where bodies are whose position is set by a function.
    pub(super) fn remember_positions(&mut self, core: &Core) {
        self.before.clear();
        for (row, _) in &self.position {
            let body = BodyRef::new(core, *row);
            self.before.push((body.world_centre_of_mass(), body.angle()));
        }
    }

    /// Calls the functions for positions after the solver.
    pub(super) fn call_positions(&mut self, core: &mut Core, dt: f64, panicked: &mut Panicked) {
        for ((row, function), &(centre, angle)) in self.position.iter_mut().zip(&self.before) {
            let body = BodyRef::new(core, *row);
            if body.is_asleep() {
                continue;
            }
            let usual = (body.position(), body.angle());
            place(core, *row, centre, angle);
            let before = BodyRef::new(core, *row);
            let (position, angle) = (before.position(), before.angle());
            let mut update = PositionUpdate { core, row: *row, position, angle, usual, dt };
            panicked.call(|| exclusive(function)(&mut update));
            let (position, angle) = (update.position, update.angle);
            if position.is_finite() && angle.is_finite() {
                let turned = Rotation::from_angle(angle).turn(core.bodies.at(*row).centre);
                place(core, *row, position + turned, angle);
            }
        }
    }
}

/// Puts the centre of mass of a body somewhere.
fn place(core: &mut Core, row: u32, centre: Vec2, angle: f64) {
    let (bodies, at) = (core.engine.bodies_mut(), row as usize);
    (bodies.x[at], bodies.y[at], bodies.angle[at]) = (centre.x, centre.y, angle);
    let Rotation { cos, sin } = Rotation::from_angle(angle);
    (bodies.cos[at], bodies.sin[at]) = (cos, sin);
}
