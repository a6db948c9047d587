//! Bodies, to read.

use super::{ArbiterRef, BodyId, BodyKind, Core, ShapeRef};
use crate::geometry::{Pose, Rotation, Vec2};
use crate::rigid2d::engine::bodies::flag;

/// A body of a space, to read.
#[derive(Debug, Clone, Copy)]
pub struct BodyRef<'a> {
    core: &'a Core,
    row: u32,
}

impl<'a> BodyRef<'a> {
    pub(super) fn new(core: &'a Core, row: u32) -> Self {
        Self { core, row }
    }

    fn at(&self) -> usize {
        self.row as usize
    }

    fn columns(&self) -> &'a crate::rigid2d::engine::bodies::Bodies {
        self.core.engine.bodies()
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> BodyId {
        self.core.body_id(self.row)
    }

    /// What moves it.
    #[must_use]
    pub fn kind(&self) -> BodyKind {
        self.core.kind(self.row)
    }

    /// In kilograms; infinite unless it is dynamic.
    #[must_use]
    pub fn mass(&self) -> f64 {
        if self.kind() == BodyKind::Dynamic { self.columns().mass()[self.at()] } else { f64::INFINITY }
    }

    /// Moment of inertia about its centre of mass, in kg m^2; infinite unless it is dynamic.
    #[must_use]
    pub fn moment(&self) -> f64 {
        if self.kind() == BodyKind::Dynamic { self.columns().moment()[self.at()] } else { f64::INFINITY }
    }

    /// Where the origin of its coordinates is, in metres.
    #[must_use]
    pub fn position(&self) -> Vec2 {
        self.pose().position
    }

    /// Where the origin of its coordinates is, and how it is turned.
    #[must_use]
    pub fn pose(&self) -> Pose {
        self.core.pose(self.row)
    }

    /// The centre of mass in the coordinates of the body, in metres.
    #[must_use]
    pub fn centre_of_mass(&self) -> Vec2 {
        self.core.bodies.at(self.row).centre
    }

    /// Where the centre of mass is, in metres.
    #[must_use]
    pub fn world_centre_of_mass(&self) -> Vec2 {
        self.columns().pose(self.at()).position
    }

    /// How it is turned, in radians, counter-clockwise; full turns count.
    #[must_use]
    pub fn angle(&self) -> f64 {
        self.columns().angle()[self.at()]
    }

    /// How it is turned.
    #[must_use]
    pub fn rotation(&self) -> Rotation {
        self.columns().pose(self.at()).rotation
    }

    /// Velocity of its centre of mass, in metres per second.
    #[must_use]
    pub fn velocity(&self) -> Vec2 {
        let columns = self.columns();
        Vec2::new(columns.velocity_x()[self.at()], columns.velocity_y()[self.at()])
    }

    /// In radians per second.
    #[must_use]
    pub fn angular_velocity(&self) -> f64 {
        self.columns().angular_velocity()[self.at()]
    }

    /// Force at the centre of mass in the next step, besides gravity, in newtons.
    #[must_use]
    pub fn force(&self) -> Vec2 {
        let columns = self.columns();
        Vec2::new(columns.force_x()[self.at()], columns.force_y()[self.at()])
    }

    /// Torque in the next step, in newton metres.
    #[must_use]
    pub fn torque(&self) -> f64 {
        self.columns().torque()[self.at()]
    }

    /// In joules, of its motion and its rotation; 0 unless it is dynamic.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        if self.kind() != BodyKind::Dynamic {
            return 0.0;
        }
        let (v, w) = (self.velocity(), self.angular_velocity());
        // What has an infinite moment does not turn.
        let rotation = if w == 0.0 { 0.0 } else { 0.5 * self.moment() * (w * w) };
        0.5 * self.mass() * v.dot(v) + rotation
    }

    /// Whether it does not tunnel through moving bodies either.
    #[must_use]
    pub fn is_bullet(&self) -> bool {
        self.columns().flags()[self.at()] & flag::BULLET != 0
    }

    /// Whether it is asleep.
    #[must_use]
    pub fn is_asleep(&self) -> bool {
        self.columns().flags()[self.at()] & flag::ASLEEP != 0
    }

    /// The number of the user.
    #[must_use]
    pub fn user_data(&self) -> u64 {
        self.core.bodies.at(self.row).user_data
    }

    /// Its shapes, in the order in which they were added.
    pub fn shapes(&self) -> impl DoubleEndedIterator<Item = ShapeRef<'a>> + use<'a> {
        let core = self.core;
        core.bodies.at(self.row).shapes.iter().map(move |&shape| ShapeRef::new(core, shape))
    }

    /// Its contacts, in the order of their shapes, each from its own side: A is one of its shapes.
    #[must_use]
    pub fn arbiters(&self) -> Vec<ArbiterRef<'a>> {
        self.core.arbiters_of_body(self.row)
    }

    /// A point in the coordinates of the body, as a point of the plane.
    #[must_use]
    pub fn to_world(&self, local: Vec2) -> Vec2 {
        self.pose().point(local)
    }

    /// A point of the plane, in the coordinates of the body.
    #[must_use]
    pub fn to_local(&self, point: Vec2) -> Vec2 {
        self.pose().local(point)
    }

    /// The velocity of the body at a point of the plane, in metres per second.
    #[must_use]
    pub fn velocity_at(&self, point: Vec2) -> Vec2 {
        self.velocity() + (point - self.world_centre_of_mass()).perpendicular() * self.angular_velocity()
    }

    /// How much the velocity at a point of the plane changes along a unit vector by an impulse along it, in 1/kg: `1/m + (r x
    /// n)^2 / I`; 0 for what is not dynamic.
    ///
    /// An impulse between two bodies acts against the inverse of the sum of both.
    #[must_use]
    pub fn inverse_mass_at(&self, point: Vec2, direction: Vec2) -> f64 {
        let (columns, at) = (self.columns(), self.at());
        let arm = (point - self.world_centre_of_mass()).cross(direction);
        columns.inverse_mass()[at] + columns.inverse_moment()[at] * (arm * arm)
    }

    /// The velocity of the body at a point in its own coordinates, in metres per second.
    #[must_use]
    pub fn velocity_at_local(&self, local: Vec2) -> Vec2 {
        self.velocity_at(self.to_world(local))
    }
}
