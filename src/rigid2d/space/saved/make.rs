//! A space from plain data that was checked.

use super::record::{SavedBody, SavedContact, SavedSpace};
use crate::error::{Error, Result};
use crate::geometry::{Aabb, Vec2};
use crate::rigid2d::engine::bodies::flag as body_flag;
use crate::rigid2d::engine::pairs::flag;
use crate::rigid2d::engine::reach::Reach;
use crate::rigid2d::engine::restore::{SavedPair, SavedPairs};
use crate::rigid2d::shapes::{Geometry, Shape};
use crate::rigid2d::space::any::AnyEngine;
use crate::rigid2d::space::ids::Table;
use crate::rigid2d::space::{BodyEntry, BodyKind, ShapeEntry, Space};

impl SavedSpace {
    /// The space, after everything was checked.
    pub(super) fn make(&self) -> Result<Space> {
        let shapes = self.check()?;
        let mut space = Space::empty(&self.settings.settings());
        space.core.bodies = self.body_table()?;
        space.core.shapes = self.shape_table()?;
        space
            .core
            .free_bodies
            .try_reserve(self.bodies.len())
            .map_err(|_| out_of_memory(self.bodies.len()))?;
        space.core.free_bodies.extend_from_slice(&self.free_bodies);
        space.core.static_body = self.static_body;
        // Whether all dynamic bodies have a mass is checked before the next step.
        space.core.masses_changed = true;
        space.core.ended = self.ended.clone();
        self.fill(&mut space, shapes)?;
        space.resume_at(self.time, self.steps, self.time_step);
        space.handlers.changed = self.contacts.iter().any(|contact| contact.watched);
        Ok(space)
    }

    fn body_table(&self) -> Result<Table<BodyEntry>> {
        let entry = |body: &SavedBody| BodyEntry {
            centre: body.centre_of_mass.into(),
            shapes: body.shapes.as_slice().into(),
            user_data: body.user_data,
        };
        Table::of(self.bodies.iter().map(|row| (row.generation, row.body.as_ref().map(entry))))
    }

    fn shape_table(&self) -> Result<Table<ShapeEntry>> {
        let rows = self.shapes.iter().map(|row| {
            let entry = row.shape.as_ref().map(|shape| ShapeEntry {
                body: shape.body,
                mass: shape.mass,
                user_data: shape.user_data,
            });
            (row.generation, entry)
        });
        Table::of(rows)
    }

    /// Fills the columns of the engine.
    fn fill(&self, space: &mut Space, shapes: Vec<Option<Shape>>) -> Result<()> {
        for _ in &self.bodies {
            space.core.engine.grow()?;
        }
        self.add_shapes(space, shapes)?;
        for (row, body) in self.bodies.iter().enumerate() {
            if let Some(body) = &body.body {
                fill_body(space, row as u32, body);
            }
        }
        let pairs = self.pairs();
        match &mut space.core.engine {
            AnyEngine::Double(engine) => engine.restore(pairs),
            AnyEngine::Mixed(engine) => engine.restore(pairs),
        }
    }

    /// Adds shapes in the order of their rows. Unused rows are filled first, so that all get their own.
    fn add_shapes(&self, space: &mut Space, shapes: Vec<Option<Shape>>) -> Result<()> {
        let mut unused = Vec::new();
        for (row, shape) in shapes.into_iter().enumerate() {
            let (body, centre) = match &self.shapes[row].shape {
                Some(saved) => (saved.body, space.core.bodies.at(saved.body).centre),
                None => (self.static_body, Vec2::ZERO),
            };
            let added = match shape {
                Some(shape) => space.core.engine.add_shape(body, shape.geometry, shape.material, centre)?,
                None => {
                    unused.push(row as u32);
                    let point = Geometry::circle(0.0, Vec2::ZERO)?;
                    space.core.engine.add_shape(body, point, crate::rigid2d::Material::default(), centre)?
                }
            };
            debug_assert_eq!(added as usize, row, "rows are filled in their order");
        }
        unused.iter().rev().for_each(|&row| space.core.engine.remove_shape(row));
        Ok(())
    }

    fn pairs(&self) -> SavedPairs {
        let aabb = |bounds: Option<[[f64; 2]; 2]>| bounds.map_or(Aabb::EMPTY, |[min, max]| Aabb { min, max });
        let bodies = || self.bodies.iter().map(|row| row.body.as_ref());
        SavedPairs {
            reaches: bodies()
                .map(|body| body.and_then(|body| body.boxed_at).map_or(Reach::NONE, Reach::from_numbers))
                .collect(),
            boxes: self
                .shapes
                .iter()
                .map(|row| aabb(row.shape.as_ref().and_then(|shape| shape.bounds)))
                .collect(),
            shapes_of: bodies().map(|body| body.map_or(Vec::new(), |body| body.shapes.clone())).collect(),
            pairs: self.contacts.iter().map(pair).collect(),
            waking: self.waking.clone(),
        }
    }
}

fn out_of_memory(rows: usize) -> Error {
    Error::OutOfMemory { bytes: rows * size_of::<u32>() }
}

fn fill_body(space: &mut Space, row: u32, body: &SavedBody) {
    let (bodies, at) = (space.core.engine.bodies_mut(), row as usize);
    [bodies.x[at], bodies.y[at]] = body.position;
    (bodies.angle[at], bodies.cos[at], bodies.sin[at]) = (body.angle, body.cos, body.sin);
    [bodies.velocity_x[at], bodies.velocity_y[at]] = body.velocity;
    bodies.angular_velocity[at] = body.angular_velocity;
    [bodies.force_x[at], bodies.force_y[at]] = body.force;
    (bodies.torque[at], bodies.rest_time[at]) = (body.torque, body.rest_time);
    bodies.kind[at] = BodyKind::from(body.kind).byte();
    let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    bodies.flags[at] = bit(body.bullet, body_flag::BULLET) | bit(body.asleep, body_flag::ASLEEP);
    space.set_inertia_columns(row, body.mass, body.moment());
}

fn pair(contact: &SavedContact) -> SavedPair {
    let bit = |is_set: bool, bit: u16| if is_set { bit } else { 0 };
    SavedPair {
        shapes: contact.shapes,
        count: contact.count as u8,
        ids: contact.ids,
        normal: contact.normal,
        impulses: contact.impulses,
        tangent_impulse: contact.tangent_impulse,
        friction: contact.friction,
        restitution: contact.restitution,
        points: contact.points,
        pose: contact.pose,
        impact: contact.impact,
        kept: contact.kept as f32,
        keeping_distance: contact.keeping_distance as f32,
        margin: contact.margin as f32,
        flags: bit(contact.touching, flag::ACTIVE)
            | bit(contact.ignored, flag::IGNORED)
            | bit(contact.watched, flag::WATCHED)
            | bit(contact.impact.is_some(), flag::IMPACT)
            | bit(contact.colour.is_some(), flag::SOLVED),
        first: contact.first,
        colour: contact.colour.unwrap_or(0) as u8,
    }
}
