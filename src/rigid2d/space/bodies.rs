//! Bodies and shapes come and go.

use super::step::Panicked;
use super::{
    Body, BodyEntry, BodyId, BodyKind, BodyMut, BodyRef, ShapeEntry, ShapeId, ShapeList, ShapeMut, ShapeRef,
    Space,
};
use crate::error::{Error, Result};
use crate::geometry::{Rotation, Vec2};
use crate::rigid2d::engine::bodies::{Byte, Number, flag};
use crate::rigid2d::engine::growth::{reserve_row, reserve_rows};
use crate::rigid2d::engine::pairs::Pair;
use crate::rigid2d::shapes::Shape;
use crate::soa::memory;

impl Space {
    /// Adds a body.
    pub fn add_body(&mut self, body: &Body) -> Result<BodyId> {
        self.check_unlocked("add a body")?;
        let row = match self.core.free_bodies.last() {
            Some(&row) => row,
            None => self.core.bodies.rows() as u32,
        };
        body.check_at(row as usize)?;
        if self.core.free_bodies.is_empty() {
            // A row of an earlier attempt that failed later is taken now.
            if self.core.engine.bodies().len() <= row as usize {
                self.core.engine.grow()?;
            }
            self.core.outside.reserve(row as usize + 1)?;
            reserve_rows(&mut self.core.free_bodies, row as usize + 1)?;
            // Last, because it decides which row is the next.
            self.core.bodies.reserve(row as usize + 1)?;
        } else {
            self.core.free_bodies.pop();
        }
        let shapes = ShapeList::default();
        let entry = BodyEntry { centre: body.centre_of_mass, shapes, user_data: body.user_data };
        let generation = self.core.bodies.insert(row, entry);
        self.write_row(row, body);
        Ok(BodyId { index: row, generation })
    }

    fn write_row(&mut self, row: u32, body: &Body) {
        // What most bodies have needs no series.
        let is_straight = body.angle.to_bits() == 0;
        let rotation = if is_straight { Rotation::default() } else { Rotation::from_angle(body.angle) };
        let position = body.position + rotation.turn(body.centre_of_mass);
        let (bodies, at) = (self.core.engine.store_mut(), row as usize);
        let pose = [(Number::x, position.x), (Number::y, position.y), (Number::angle, body.angle)];
        bodies.set(at, pose);
        bodies.set(at, [(Number::cos, rotation.cos), (Number::sin, rotation.sin)]);
        bodies.set(at, [(Number::velocity_x, body.velocity.x), (Number::velocity_y, body.velocity.y)]);
        bodies.set(at, [(Number::angular_velocity, body.angular_velocity), (Number::torque, body.torque)]);
        bodies.set(at, [(Number::force_x, body.force.x), (Number::force_y, body.force.y)]);
        bodies.set(at, [(Number::extent, 0.0), (Number::rest_time, 0.0)]);
        bodies.set_byte(at, Byte::kind, body.kind.byte());
        bodies.set_byte(at, Byte::flags, if body.bullet { flag::BULLET } else { 0 });
        self.set_inertia_columns(row, body.mass, body.moment);
        self.core.reindex(row);
    }

    /// Adds a shape to a body. If it has a mass, a dynamic body takes mass, moment and centre of mass from all its shapes.
    pub fn add_shape(&mut self, body: BodyId, shape: Shape) -> Result<ShapeId> {
        self.check_unlocked("add a shape")?;
        let body_row = self.body_row(body)?;
        shape.check()?;
        let inertia = self.core.inertia_with(body_row, &shape)?;
        if inertia.is_some_and(|inertia| inertia.centre != self.core.bodies.at(body_row).centre) {
            self.core.expect_endings(body_row)?;
        } else {
            self.core.expect_own_definitions()?;
            memory::expect_little()?;
        }
        self.core.shapes.reserve(self.core.shapes.rows() + 1)?;
        let entry = self.core.bodies.at_mut(body_row);
        entry.shapes.reserve()?;
        // The shape comes where the centre of mass is going to be; the others follow.
        let centre = inertia.map(|inertia| inertia.centre).filter(|&centre| centre != entry.centre);
        let centre = centre.unwrap_or(entry.centre);
        let row = self.core.engine.add_shape(body_row, shape.geometry, shape.material, centre)?;
        self.core.reindex(body_row);
        if let Some(inertia) = inertia
            && let Err(error) = self.set_inertia(body_row, inertia)
        {
            self.core.engine.remove_shape(row);
            return Err(error);
        }
        self.core.bodies.at_mut(body_row).shapes.push(row);
        let entry = ShapeEntry { body: body_row, mass: shape.mass, user_data: shape.user_data };
        let generation = self.core.shapes.insert(row, entry);
        self.core.engine.wake(body_row);
        Ok(ShapeId { index: row, generation })
    }

    /// Removes a shape; `separate` is called for what it touches. If it has a mass, a dynamic body takes mass, moment and
    /// centre of mass from the shapes that are left.
    pub fn remove_shape(&mut self, id: ShapeId) -> Result<()> {
        self.check_unlocked("remove a shape")?;
        let row = self.shape_row(id)?;
        let ShapeEntry { body, mass, .. } = *self.core.shapes.at(row);
        self.core.expect_endings(body)?;
        let mut panicked = Panicked::default();
        self.call_removal(&mut panicked, |pair| pair.contains(&row));
        if mass > 0.0 {
            self.accumulate_mass_without(body, row)?;
        }
        self.core.engine.wake(body);
        self.drop_shape(row);
        self.call_post_step();
        panicked.resume();
        Ok(())
    }

    fn drop_shape(&mut self, row: u32) {
        self.core.engine.remove_shape(row);
        if let Some(entry) = self.core.shapes.remove(row) {
            self.core.bodies.at_mut(entry.body).shapes.remove(row);
        }
    }

    /// Removes a body and its shapes; `separate` is called for what they touch.
    pub fn remove_body(&mut self, id: BodyId) -> Result<()> {
        self.check_unlocked("remove a body")?;
        let row = self.body_row(id)?;
        if row == self.core.static_body {
            return Err(Error::OwnStaticBody { operation: "remove" });
        }
        // One without shapes goes without memory.
        if !self.core.bodies.at(row).shapes.is_empty() {
            self.core.expect_endings(row)?;
        }
        reserve_row(&mut self.core.free_bodies)?;
        let shapes = self.core.bodies.at(row).shapes.clone();
        let mut panicked = Panicked::default();
        self.call_removal(&mut panicked, |pair| pair.iter().any(|shape| shapes.contains(shape)));
        shapes.iter().for_each(|&shape| self.drop_shape(shape));
        self.write_row(row, &Body::fixed());
        self.core.engine.bodies_mut().kind[row as usize] = 0;
        self.core.bodies.remove(row);
        self.updates.remove(row);
        self.core.free_bodies.push(row);
        self.call_post_step();
        panicked.resume();
        Ok(())
    }

    /// The own static body of the space.
    #[must_use]
    pub fn static_body(&self) -> BodyId {
        self.core.body_id(self.core.static_body)
    }

    /// Makes another static body the own one of the space. The old one must have no shapes; it can be removed then.
    pub fn set_static_body(&mut self, id: BodyId) -> Result<()> {
        self.check_unlocked("replace the static body")?;
        let row = self.body_row(id)?;
        if self.body(id)?.kind() != BodyKind::Static {
            let expected = "static";
            return Err(Error::OutOfRange { field: "kind of the body", value: row.into(), expected });
        }
        let old = self.core.static_body;
        let shapes = self.core.bodies.at(old).shapes.len();
        if shapes > 0 && old != row {
            return Err(Error::HasShapes { index: old as usize, shapes });
        }
        self.core.static_body = row;
        Ok(())
    }

    /// A body, to read.
    pub fn body(&self, id: BodyId) -> Result<BodyRef<'_>> {
        Ok(BodyRef::new(&self.core, self.body_row(id)?))
    }

    /// A body, to change.
    pub fn body_mut(&mut self, id: BodyId) -> Result<BodyMut<'_>> {
        let row = self.body_row(id)?;
        Ok(BodyMut::new(self, row))
    }

    /// A shape, to read.
    pub fn shape(&self, id: ShapeId) -> Result<ShapeRef<'_>> {
        Ok(ShapeRef::new(&self.core, self.shape_row(id)?))
    }

    /// A shape, to change.
    pub fn shape_mut(&mut self, id: ShapeId) -> Result<ShapeMut<'_>> {
        let row = self.shape_row(id)?;
        Ok(ShapeMut::new(self, row))
    }

    /// Whether there is such a body.
    #[must_use]
    pub fn contains_body(&self, id: BodyId) -> bool {
        self.body_row(id).is_ok()
    }

    /// Whether there is such a shape.
    #[must_use]
    pub fn contains_shape(&self, id: ShapeId) -> bool {
        self.shape_row(id).is_ok()
    }

    /// Number of bodies, the own static one included.
    #[must_use]
    pub fn body_count(&self) -> usize {
        self.core.bodies.len()
    }

    /// Number of shapes.
    #[must_use]
    pub fn shape_count(&self) -> usize {
        self.core.shapes.len()
    }

    /// All bodies, the own static one included, in the order of their rows.
    pub fn bodies(&self) -> impl DoubleEndedIterator<Item = BodyRef<'_>> {
        self.core.bodies.iter().map(|(row, ..)| BodyRef::new(&self.core, row))
    }

    /// All shapes, in the order of their rows.
    pub fn shapes(&self) -> impl DoubleEndedIterator<Item = ShapeRef<'_>> {
        self.core.shapes.iter().map(|(row, ..)| ShapeRef::new(&self.core, row))
    }

    /// Has the bounding boxes of all static shapes made anew in the next step.
    pub fn reindex_static(&mut self) -> Result<()> {
        self.check_unlocked("reindex shapes")?;
        for row in 0..self.core.bodies.rows() as u32 {
            if self.core.engine.bodies().kind(row as usize) == crate::rigid2d::engine::bodies::Kind::Static {
                self.core.reindex(row);
            }
        }
        Ok(())
    }

    /// Has the bounding boxes of a shape, and of the others of its body, made anew in the next step.
    pub fn reindex_shape(&mut self, id: ShapeId) -> Result<()> {
        self.check_unlocked("reindex a shape")?;
        let row = self.shape_row(id)?;
        self.core.reindex(self.core.shapes.at(row).body);
        Ok(())
    }

    /// Has the bounding boxes of the shapes of a body made anew in the next step.
    pub fn reindex_body(&mut self, id: BodyId) -> Result<()> {
        self.check_unlocked("reindex a body")?;
        let row = self.body_row(id)?;
        self.core.reindex(row);
        Ok(())
    }

    /// Makes pairs anew that are concerned by a change, for which [there is room](super::Core::expect_endings). Those that end
    /// are told in the next step.
    pub(super) fn renew_pairs(&mut self, concerned: impl Fn(&Pair) -> bool) -> Result<()> {
        let ended = self.core.engine.renew_pairs(concerned)?;
        self.core.ended.extend(ended);
        Ok(())
    }

    /// The sum of kinetic energies of all dynamic bodies, in joules.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        self.bodies().map(|body| body.kinetic_energy()).sum()
    }

    /// The momentum of all dynamic bodies, in kg m/s.
    #[must_use]
    pub fn momentum(&self) -> Vec2 {
        self.bodies()
            .filter(|body| body.kind() == BodyKind::Dynamic)
            .fold(Vec2::ZERO, |sum, body| sum + body.velocity() * body.mass())
    }
}
