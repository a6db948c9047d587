//! Bodies, to change.

use std::sync::Mutex;

use super::body::{check_mass, check_moment, check_vector};
use super::{BodyKind, BodyRef, PositionUpdate, Space, VelocityUpdate};
use crate::error::{Error, Result};
use crate::geometry::{Rotation, Vec2};
use crate::rigid2d::engine::bodies::flag;
use crate::soa::{check, memory};

/// A body of a space, to change. What returns an error has changed nothing.
///
/// Most changes wake the body if it is asleep.
#[derive(Debug)]
pub struct BodyMut<'a> {
    space: &'a mut Space,
    row: u32,
}

impl<'a> BodyMut<'a> {
    pub(super) fn new(space: &'a mut Space, row: u32) -> Self {
        Self { space, row }
    }

    fn at(&self) -> usize {
        self.row as usize
    }

    /// The same body, to read.
    #[must_use]
    pub fn as_ref(&self) -> BodyRef<'_> {
        BodyRef::new(&self.space.core, self.row)
    }

    fn check_dynamic(&self, field: &'static str, is_zero: bool) -> Result<()> {
        if is_zero || self.as_ref().kind() == BodyKind::Dynamic {
            Ok(())
        } else {
            Err(Error::NotDynamic { field, index: self.at() })
        }
    }

    fn check_moves(&self, field: &'static str, is_zero: bool) -> Result<()> {
        if is_zero || self.as_ref().kind() != BodyKind::Static {
            Ok(())
        } else {
            Err(Error::NotDynamic { field, index: self.at() })
        }
    }

    /// Makes it dynamic, kinematic or static.
    ///
    /// What is no longer dynamic loses its mass, moment and forces, what becomes static its velocities, too. What becomes
    /// dynamic takes mass, moment and centre of mass from its shapes.
    pub fn set_kind(&mut self, kind: BodyKind) -> Result<()> {
        let old = self.as_ref().kind();
        if kind == old {
            return Ok(());
        }
        self.space.check_unlocked("change the kind of a body")?;
        if self.row == self.space.core.static_body {
            return Err(Error::OwnStaticBody { operation: "change the kind of" });
        }
        let (row, at) = (self.row, self.at());
        self.space.core.expect_endings(row)?;
        self.space.core.engine.bodies_mut().kind[at] = kind.byte();
        if kind == BodyKind::Dynamic {
            if let Err(error) = self.space.accumulate_mass(row) {
                self.space.core.engine.bodies_mut().kind[at] = old.byte();
                return Err(error);
            }
        } else {
            self.space.set_inertia_columns(row, 0.0, 0.0);
            let bodies = self.space.core.engine.bodies_mut();
            (bodies.force_x[at], bodies.force_y[at], bodies.torque[at]) = (0.0, 0.0, 0.0);
        }
        if kind == BodyKind::Static {
            let bodies = self.space.core.engine.bodies_mut();
            (bodies.velocity_x[at], bodies.velocity_y[at], bodies.angular_velocity[at]) = (0.0, 0.0, 0.0);
        }
        self.wake();
        self.space.core.reindex(row);
        self.space.renew_pairs(|pair| pair.bodies.contains(&row))
    }

    /// Sets the mass, in kilograms.
    pub fn set_mass(&mut self, mass: f64) -> Result<()> {
        check_mass(self.at(), mass)?;
        self.check_dynamic("mass", false)?;
        let moment = self.as_ref().moment();
        self.space.set_inertia_columns(self.row, mass, moment);
        self.wake();
        Ok(())
    }

    /// Sets the moment of inertia about the centre of mass, in kg m^2; infinite for a body that nothing turns.
    pub fn set_moment(&mut self, moment: f64) -> Result<()> {
        check_moment(self.at(), moment)?;
        self.check_dynamic("moment", false)?;
        let mass = self.as_ref().mass();
        self.space.set_inertia_columns(self.row, mass, moment);
        self.wake();
        Ok(())
    }

    /// Moves the centre of mass within the body, in its coordinates, in metres. The body stays where it is.
    pub fn set_centre_of_mass(&mut self, centre: Vec2) -> Result<()> {
        self.space.check_unlocked("change a centre of mass")?;
        check_vector("centre of mass", self.at(), centre)?;
        self.space.core.expect_endings(self.row)?;
        self.space.set_centre(self.row, centre)?;
        self.wake();
        Ok(())
    }

    /// Takes mass, moment and centre of mass from the shapes. The body stays where it is.
    pub fn accumulate_mass_from_shapes(&mut self) -> Result<()> {
        self.space.check_unlocked("accumulate masses")?;
        self.check_dynamic("mass", false)?;
        self.space.core.expect_endings(self.row)?;
        self.space.accumulate_mass(self.row)?;
        self.wake();
        Ok(())
    }

    /// Moves the origin of the body to a point, in metres.
    pub fn set_position(&mut self, position: Vec2) -> Result<()> {
        check_vector("position", self.at(), position)?;
        let angle = self.as_ref().angle();
        self.place(position, angle, self.as_ref().rotation());
        Ok(())
    }

    /// Turns the body about its origin, to an angle in radians.
    pub fn set_angle(&mut self, angle: f64) -> Result<()> {
        check::finite("angle", self.at(), angle)?;
        self.place(self.as_ref().position(), angle, Rotation::from_angle(angle));
        Ok(())
    }

    /// Moves and turns the body.
    pub fn set_pose(&mut self, position: Vec2, angle: f64) -> Result<()> {
        check_vector("position", self.at(), position)?;
        check::finite("angle", self.at(), angle)?;
        self.place(position, angle, Rotation::from_angle(angle));
        Ok(())
    }

    fn place(&mut self, position: Vec2, angle: f64, rotation: Rotation) {
        let centre = position + rotation.turn(self.as_ref().centre_of_mass());
        let at = self.at();
        let bodies = self.space.core.engine.bodies_mut();
        (bodies.x[at], bodies.y[at]) = (centre.x, centre.y);
        (bodies.angle[at], bodies.cos[at], bodies.sin[at]) = (angle, rotation.cos, rotation.sin);
        self.space.core.reindex(self.row);
        self.space.core.moved = self.space.locked;
        self.wake();
    }

    /// Sets the velocity of the centre of mass, in metres per second.
    pub fn set_velocity(&mut self, velocity: Vec2) -> Result<()> {
        check_vector("velocity", self.at(), velocity)?;
        self.check_moves("velocity", velocity == Vec2::ZERO)?;
        let at = self.at();
        let bodies = self.space.core.engine.bodies_mut();
        (bodies.velocity_x[at], bodies.velocity_y[at]) = (velocity.x, velocity.y);
        self.wake();
        Ok(())
    }

    /// Sets the angular velocity, in radians per second.
    pub fn set_angular_velocity(&mut self, angular_velocity: f64) -> Result<()> {
        check::finite("angular velocity", self.at(), angular_velocity)?;
        self.check_moves("angular velocity", angular_velocity == 0.0)?;
        let at = self.at();
        self.space.core.engine.bodies_mut().angular_velocity[at] = angular_velocity;
        self.wake();
        Ok(())
    }

    /// Sets the force at the centre of mass in the next step, in newtons. It is 0 again after the step.
    pub fn set_force(&mut self, force: Vec2) -> Result<()> {
        check_vector("force", self.at(), force)?;
        self.check_dynamic("force", force == Vec2::ZERO)?;
        let at = self.at();
        let bodies = self.space.core.engine.bodies_mut();
        (bodies.force_x[at], bodies.force_y[at]) = (force.x, force.y);
        self.wake();
        Ok(())
    }

    /// Sets the torque in the next step, in newton metres. It is 0 again after the step.
    pub fn set_torque(&mut self, torque: f64) -> Result<()> {
        check::finite("torque", self.at(), torque)?;
        self.check_dynamic("torque", torque == 0.0)?;
        let at = self.at();
        self.space.core.engine.bodies_mut().torque[at] = torque;
        self.wake();
        Ok(())
    }

    /// Adds a force, in newtons, that acts at a point of the plane in the next step.
    pub fn apply_force(&mut self, force: Vec2, point: Vec2) -> Result<()> {
        check_vector("force", self.at(), force)?;
        check_vector("point", self.at(), point)?;
        self.check_dynamic("force", force == Vec2::ZERO)?;
        let body = self.as_ref();
        let torque = body.torque() + (point - body.world_centre_of_mass()).cross(force);
        let sum = body.force() + force;
        self.check_sum("force", sum.x, sum.y)?;
        self.check_sum("torque", torque, 0.0)?;
        self.set_force(sum)?;
        self.set_torque(torque)
    }

    /// The same with force and point in the coordinates of the body.
    pub fn apply_force_local(&mut self, force: Vec2, point: Vec2) -> Result<()> {
        let body = self.as_ref();
        self.apply_force(body.rotation().turn(force), body.to_world(point))
    }

    /// Changes the velocities by an impulse, in newton seconds, at a point of the plane.
    pub fn apply_impulse(&mut self, impulse: Vec2, point: Vec2) -> Result<()> {
        check_vector("impulse", self.at(), impulse)?;
        check_vector("point", self.at(), point)?;
        self.check_dynamic("impulse", impulse == Vec2::ZERO)?;
        let (body, at) = (self.as_ref(), self.at());
        let columns = self.space.core.engine.bodies();
        let (by_mass, by_moment) = (columns.inverse_mass()[at], columns.inverse_moment()[at]);
        let velocity = body.velocity() + impulse * by_mass;
        let turn = (point - body.world_centre_of_mass()).cross(impulse) * by_moment;
        let angular_velocity = body.angular_velocity() + turn;
        self.check_sum("velocity", velocity.x, velocity.y)?;
        self.check_sum("angular velocity", angular_velocity, 0.0)?;
        self.set_velocity(velocity)?;
        self.set_angular_velocity(angular_velocity)
    }

    /// The same with impulse and point in the coordinates of the body.
    pub fn apply_impulse_local(&mut self, impulse: Vec2, point: Vec2) -> Result<()> {
        let body = self.as_ref();
        self.apply_impulse(body.rotation().turn(impulse), body.to_world(point))
    }

    fn check_sum(&self, field: &'static str, x: f64, y: f64) -> Result<()> {
        if x.is_finite() && y.is_finite() {
            Ok(())
        } else {
            Err(Error::Overflow { field, index: Some(self.at()), magnitude: f64::INFINITY })
        }
    }

    /// Makes it a bullet, which does not tunnel through moving bodies either, or not.
    pub fn set_bullet(&mut self, bullet: bool) {
        let at = self.at();
        let flags = &mut self.space.core.engine.bodies_mut().flags[at];
        *flags = if bullet { *flags | flag::BULLET } else { *flags & !flag::BULLET };
    }

    /// Sets the number of the user.
    pub fn set_user_data(&mut self, user_data: u64) {
        self.space.core.bodies.at_mut(self.row).user_data = user_data;
    }

    /// Wakes it.
    pub fn wake(&mut self) {
        self.space.core.engine.wake(self.row);
    }

    /// Lets it rest, and all that it touches directly or through others, without velocity, until something else touches or
    /// changes one of them. A body that is not dynamic cannot sleep.
    pub fn sleep(&mut self) -> Result<()> {
        self.check_dynamic("sleep", false)?;
        memory::expect_some(size_of::<u64>() * self.space.core.bodies.rows())?;
        self.space.core.engine.sleep(self.row);
        Ok(())
    }

    /// Has its velocity changed by a function in every step, instead of gravity, force and torque; `None` is as usual.
    pub fn set_velocity_update(
        &mut self,
        update: Option<impl FnMut(&mut VelocityUpdate<'_>) + Send + 'static>,
    ) -> Result<()> {
        self.space.check_unlocked("set an update of velocities")?;
        self.space.updates.reserve()?;
        let update = update.map(|update| Mutex::new(Box::new(update) as _));
        self.set_flag(flag::OWN_VELOCITY, update.is_some());
        self.space.updates.set_velocity(self.row, update);
        Ok(())
    }

    /// Has its position changed by a function in every step; `None` is as usual.
    pub fn set_position_update(
        &mut self,
        update: Option<impl FnMut(&mut PositionUpdate<'_>) + Send + 'static>,
    ) -> Result<()> {
        self.space.check_unlocked("set an update of positions")?;
        self.space.updates.reserve()?;
        let update = update.map(|update| Mutex::new(Box::new(update) as _));
        self.set_flag(flag::OWN_POSITION, update.is_some());
        self.space.updates.set_position(self.row, update);
        Ok(())
    }

    fn set_flag(&mut self, bit: u8, on: bool) {
        let at = self.at();
        let flags = &mut self.space.core.engine.bodies_mut().flags[at];
        *flags = if on { *flags | bit } else { *flags & !bit };
    }

    /// Has the bounding boxes of its shapes made anew in the next step.
    pub fn reindex(&mut self) -> Result<()> {
        self.space.check_unlocked("reindex a body")?;
        self.space.core.reindex(self.row);
        Ok(())
    }
}
