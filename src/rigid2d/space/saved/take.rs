//! A space as plain data.

use super::record::{
    BodyRow, SavedBody, SavedContact, SavedForm, SavedSettings, SavedShape, SavedSpace, ShapeRow,
};
use crate::error::Result;
use crate::rigid2d::engine::Engine;
use crate::rigid2d::engine::bodies::flag as body_flag;
use crate::rigid2d::engine::pairs::{flag, row};
use crate::rigid2d::engine::reach::Reach;
use crate::rigid2d::engine::state::{PairState, SpaceState};
use crate::rigid2d::shapes::Geometry;
use crate::rigid2d::space::any::AnyEngine;
use crate::rigid2d::space::{BodyEntry, Core, SpaceSettings};
use crate::soa::block::Real;

impl Core {
    /// Everything that the future of the space depends on, but for callbacks.
    pub(super) fn take(&self) -> Result<SavedSpace> {
        let parts = match &self.engine {
            AnyEngine::Double(engine) => Parts::of(engine)?,
            AnyEngine::Mixed(engine) => Parts::of(engine)?,
        };
        Ok(SavedSpace {
            settings: settings(&self.settings),
            time: self.time,
            steps: self.steps,
            time_step: self.time_step,
            static_body: self.static_body,
            bodies: self.take_bodies(&parts),
            free_bodies: self.free_bodies.clone(),
            shapes: self.take_shapes(&parts),
            contacts: parts.contacts,
            waking: parts.waking,
            ended: self.ended.clone(),
        })
    }

    fn take_bodies(&self, parts: &Parts) -> Vec<BodyRow> {
        let row = |row: u32| BodyRow {
            generation: self.bodies.generation(row),
            body: self
                .bodies
                .get(row, self.bodies.generation(row))
                .map(|entry| self.take_body(row, entry, parts)),
        };
        (0..self.bodies.rows() as u32).map(row).collect()
    }

    fn take_body(&self, row: u32, entry: &BodyEntry, parts: &Parts) -> SavedBody {
        let (columns, at) = (self.engine.bodies(), row as usize);
        let flags = columns.flags()[at];
        let moment = columns.moment()[at];
        SavedBody {
            kind: self.kind(row).into(),
            position: [columns.x()[at], columns.y()[at]],
            centre_of_mass: entry.centre.into(),
            angle: columns.angle()[at],
            cos: columns.cos()[at],
            sin: columns.sin()[at],
            velocity: [columns.velocity_x()[at], columns.velocity_y()[at]],
            angular_velocity: columns.angular_velocity()[at],
            force: [columns.force_x()[at], columns.force_y()[at]],
            torque: columns.torque()[at],
            mass: columns.mass()[at],
            moment: (moment != f64::INFINITY).then_some(moment),
            bullet: flags & body_flag::BULLET != 0,
            asleep: flags & body_flag::ASLEEP != 0,
            rest_time: columns.rest_time()[at],
            user_data: entry.user_data,
            shapes: entry.shapes.to_vec(),
            // A negative reach says that boxes are to be made anew.
            boxed_at: Some(parts.reaches[at]).filter(Reach::is_made).map(|reach| reach.numbers()),
        }
    }

    fn take_shapes(&self, parts: &Parts) -> Vec<ShapeRow> {
        let row = |row: u32| {
            let generation = self.shapes.generation(row);
            let is_used = self.shapes.get(row, generation).is_some();
            ShapeRow { generation, shape: is_used.then(|| self.take_shape(row, parts)) }
        };
        (0..self.shapes.rows() as u32).map(row).collect()
    }

    fn take_shape(&self, row: u32, parts: &Parts) -> SavedShape {
        let (entry, definition) = (self.shapes.at(row), self.engine.definition(row));
        let (geometry, material) = (&definition.geometry, &definition.material);
        let (form, neighbours) = match geometry {
            Geometry::Circle(_) => (SavedForm::Circle, [None; 2]),
            Geometry::Segment(segment) => (SavedForm::Segment, [segment.previous(), segment.next()]),
            Geometry::Polygon(_) => (SavedForm::Polygon, [None; 2]),
        };
        SavedShape {
            body: entry.body,
            form,
            points: geometry.vertices().iter().map(|&vertex| vertex.into()).collect(),
            radius: geometry.radius(),
            neighbours: neighbours.map(|point| point.map(<[f64; 2]>::from)),
            mass: entry.mass,
            elasticity: material.elasticity,
            friction: material.friction,
            surface_velocity: material.surface_velocity.into(),
            collision_type: material.collision_type,
            group: material.filter.group,
            categories: material.filter.categories,
            mask: material.filter.mask,
            sensor: material.sensor,
            user_data: entry.user_data,
            bounds: parts.boxes[row as usize],
        }
    }
}

/// What the engine has, without its type of numbers.
struct Parts {
    reaches: Vec<Reach>,
    boxes: Vec<Option<[[f64; 2]; 2]>>,
    contacts: Vec<SavedContact>,
    waking: Vec<u32>,
}

impl Parts {
    fn of<R: Real>(engine: &Engine<R>) -> Result<Self> {
        let SpaceState { reaches, fat, pairs, .. } = engine.take_out()?;
        let first = |pair: &PairState<R>| {
            let slot = engine.tile.pairs.find(pair.head.shapes);
            slot.is_some_and(|slot| engine.tile.place_among_begun(slot).is_some())
        };
        Ok(Self {
            reaches,
            boxes: fat.iter().map(|aabb| (!aabb.is_empty()).then_some([aabb.min, aabb.max])).collect(),
            contacts: pairs.iter().map(|pair| contact(pair, first(pair))).collect(),
            waking: engine.waking(),
        })
    }
}

fn contact<R: Real>(pair: &PairState<R>, first: bool) -> SavedContact {
    let head = &pair.head;
    let has = |bit: u16| head.flags & bit != 0;
    let rows = pair.rows.map(|numbers| numbers.map(R::widen));
    let [normal_x, normal_y, impulse_1, impulse_2] = rows[row::NORMAL];
    let [friction, tangent_impulse, ..] = rows[row::TRAITS];
    SavedContact {
        shapes: head.shapes,
        count: head.count.into(),
        normal: [normal_x, normal_y],
        points: row::POINT.map(|point| rows[point]),
        ids: head.ids,
        impulses: [impulse_1, impulse_2],
        tangent_impulse,
        friction,
        restitution: head.restitution,
        pose: pair.pose.map(R::widen),
        impact: has(flag::IMPACT).then_some([rows[row::TRAITS][2], rows[row::TRAITS][3]]),
        kept: head.limit.into(),
        keeping_distance: head.kept.into(),
        margin: head.margin.into(),
        touching: has(flag::ACTIVE),
        first,
        ignored: has(flag::IGNORED),
        watched: has(flag::WATCHED),
        colour: has(flag::SOLVED).then_some(head.colour.into()),
    }
}

fn settings(settings: &SpaceSettings) -> SavedSettings {
    SavedSettings {
        precision: settings.precision.into(),
        gravity: settings.gravity.into(),
        solver: settings.solver.into(),
        iterations: settings.iterations,
        substeps: settings.substeps,
        slop: settings.slop,
        bias: settings.bias,
        persistence: settings.persistence,
        restitution_mixing: settings.restitution_mixing.into(),
        friction_mixing: settings.friction_mixing.into(),
        bounce_speed: settings.bounce_speed,
        sleep_time: settings.sleep_time,
        contact_hertz: settings.contact_hertz,
        damping_ratio: settings.damping_ratio,
        push_velocity: settings.push_velocity,
    }
}
