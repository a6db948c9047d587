//! Whether a saved space can be one: everything is checked before anything is used.

use std::collections::BTreeSet;

use super::record::{SavedBody, SavedContact, SavedForm, SavedKind, SavedSettings, SavedShape, SavedSpace};
use crate::error::{Error, Result};
use crate::geometry::{Aabb, Vec2};
use crate::rigid2d::engine::colours::COLOURS;
use crate::rigid2d::engine::pairs::Class;
use crate::rigid2d::shapes::{Filter, Geometry, Material, Polygon, Segment, Shape};
use crate::rigid2d::space::body::{check_mass, check_moment};
use crate::rigid2d::space::{Precision, SpaceSettings};
use crate::soa::check;

/// Fails with this message.
fn wrong<T>(detail: String) -> Result<T> {
    Err(super::SEAL.wrong(detail))
}

/// Fails with this message unless something holds.
fn ensure(holds: bool, detail: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { wrong(detail()) }
}

impl SavedSettings {
    pub(super) fn settings(&self) -> SpaceSettings {
        SpaceSettings::default()
            .with_precision(self.precision.into())
            .with_gravity(self.gravity.into())
            .with_solver(self.solver.into())
            .with_iterations(self.iterations)
            .with_substeps(self.substeps)
            .with_slop(self.slop)
            .with_bias(self.bias)
            .with_persistence(self.persistence)
            .with_restitution_mixing(self.restitution_mixing.into())
            .with_friction_mixing(self.friction_mixing.into())
            .with_bounce_speed(self.bounce_speed)
            .with_sleep_time(self.sleep_time)
            .with_contact_hertz(self.contact_hertz)
            .with_damping_ratio(self.damping_ratio)
            .with_push_velocity(self.push_velocity)
    }
}

impl SavedSpace {
    /// Checks everything and returns the shapes, by row.
    pub(super) fn check(&self) -> Result<Vec<Option<Shape>>> {
        self.settings.settings().check()?;
        check::non_negative("time", 0, self.time)?;
        check::non_negative("time step", 0, self.time_step)?;
        ensure(self.bodies.len() < u32::MAX as usize && self.shapes.len() < u32::MAX as usize, || {
            "it has too many rows".into()
        })?;
        for (row, body) in self.bodies.iter().enumerate() {
            if let Some(body) = &body.body {
                body.check(row)?;
            }
        }
        let own = self.body(self.static_body, "the own static body")?;
        ensure(own.kind == SavedKind::Static, || "its own static body is not static".into())?;
        self.check_free_rows()?;
        let shapes = self.check_shapes()?;
        self.check_lists()?;
        self.check_contacts(&shapes)?;
        for &row in &self.waking {
            self.body(row, "a body that wakes")?;
        }
        for row in self.ended.as_flattened() {
            self.shape(*row, "a shape that ceased to touch")?;
        }
        Ok(shapes)
    }

    /// The body of a row.
    fn body(&self, row: u32, what: &str) -> Result<&SavedBody> {
        match self.bodies.get(row as usize).map(|row| &row.body) {
            Some(Some(body)) => Ok(body),
            _ => wrong(format!("{what} is body {row}, which does not exist")),
        }
    }

    /// The shape of a row.
    fn shape(&self, row: u32, what: &str) -> Result<&SavedShape> {
        match self.shapes.get(row as usize).map(|row| &row.shape) {
            Some(Some(shape)) => Ok(shape),
            _ => wrong(format!("{what} is shape {row}, which does not exist")),
        }
    }

    /// The free rows are those that are not used, each once.
    fn check_free_rows(&self) -> Result<()> {
        let mut free = self.free_bodies.clone();
        free.sort_unstable();
        let unused = self.bodies.iter().enumerate().filter(|(_, row)| row.body.is_none());
        ensure(unused.map(|(row, _)| row as u32).eq(free), || {
            "its free bodies are not the unused rows".into()
        })
    }

    fn check_shapes(&self) -> Result<Vec<Option<Shape>>> {
        let mut shapes = Vec::with_capacity(self.shapes.len());
        for (row, shape) in self.shapes.iter().enumerate() {
            let Some(shape) = &shape.shape else {
                shapes.push(None);
                continue;
            };
            self.body(shape.body, &format!("the body of shape {row}"))?;
            let made = shape.to_shape().and_then(|shape| shape.check().map(|()| shape));
            shapes.push(Some(made.or_else(|error| wrong(format!("shape {row}: {error}")))?));
            if let Some([min, max]) = shape.bounds {
                ensure(min[0] <= max[0] && min[1] <= max[1], || format!("the box of shape {row} is empty"))?;
            }
        }
        Ok(shapes)
    }

    /// Bodies list all their shapes, each once.
    fn check_lists(&self) -> Result<()> {
        let mut listed = vec![false; self.shapes.len()];
        for (row, body) in self.bodies.iter().enumerate() {
            for &shape in body.body.iter().flat_map(|body| &body.shapes) {
                let owner = self.shape(shape, &format!("one of body {row}"))?.body as usize;
                let is_new = !std::mem::replace(&mut listed[shape as usize], true);
                ensure(owner == row && is_new, || format!("shape {shape} is not one of body {row} alone"))?;
            }
        }
        let all = self.shapes.iter().zip(&listed).all(|(row, listed)| row.shape.is_some() == *listed);
        ensure(all, || "a shape is in the list of no body".into())
    }

    fn check_contacts(&self, shapes: &[Option<Shape>]) -> Result<()> {
        let (mut keys, mut colours) = (BTreeSet::new(), BTreeSet::new());
        for (n, contact) in self.contacts.iter().enumerate() {
            let about = |error: Error| super::SEAL.wrong(format!("contact {n}: {error}"));
            let [a, b] = contact.shapes;
            let bodies = [self.shape(a, "one of a contact")?.body, self.shape(b, "one of a contact")?.body];
            ensure(bodies[0] != bodies[1], || format!("contact {n} is of one body with itself"))?;
            ensure(keys.insert([a.min(b), a.max(b)]), || format!("contact {n} is there twice"))?;
            let moving: Vec<u32> = bodies
                .into_iter()
                .filter(|&body| self.bodies[body as usize].body.as_ref().is_some_and(SavedBody::is_dynamic))
                .collect();
            let [first, second] =
                [a, b].map(|shape| shapes[shape as usize].as_ref().expect("the row is used"));
            let is_sensor = first.material.sensor || second.material.sensor;
            ensure(is_sensor || !moving.is_empty(), || format!("no body of contact {n} moves"))?;
            let vertices = [first, second].map(|shape| shape.geometry.outline_vertices());
            let (class, is_swapped) = Class::of(vertices[0], vertices[1]);
            ensure(!is_swapped, || format!("the shapes of contact {n} are in the wrong order"))?;
            contact.check(class, self.settings.settings().precision).map_err(about)?;
            let Some(colour) = contact.colour else { continue };
            let is_solid = !(is_sensor || contact.ignored);
            ensure(contact.touching && is_solid, || format!("contact {n} cannot be solved"))?;
            if (colour as usize) < COLOURS {
                let group = (moving.len(), class.has_one_point());
                let is_free = moving.iter().all(|&body| colours.insert((body, group, colour)));
                ensure(is_free, || format!("contact {n} has the colour of another one"))?;
            }
        }
        Ok(())
    }
}

impl SavedBody {
    pub(super) fn is_dynamic(&self) -> bool {
        self.kind == SavedKind::Dynamic
    }

    /// The moment of inertia, in kg m^2.
    pub(super) fn moment(&self) -> f64 {
        self.moment.unwrap_or(f64::INFINITY)
    }

    fn check(&self, row: usize) -> Result<()> {
        let numbers = [
            &self.position[..],
            &self.centre_of_mass,
            &[self.angle, self.angular_velocity, self.torque],
            &self.velocity,
            &self.force,
            self.boxed_at.as_ref().map_or(&[], |reach| &reach[..]),
        ];
        for values in numbers {
            values.iter().try_for_each(|&value| check::finite("a number of body", row, value))?;
        }
        let length = self.cos * self.cos + self.sin * self.sin;
        ensure((length - 1.0).abs() < 1e-9, || format!("body {row} has a rotation of length {length}"))?;
        check::non_negative("rest time", row, self.rest_time)?;
        check_mass(row, self.mass)?;
        check_moment(row, self.moment())?;
        let rests = self.velocity == [0.0; 2] && self.angular_velocity == 0.0;
        ensure(rests || self.kind != SavedKind::Static, || format!("body {row} is static and moves"))?;
        let is_light = self.mass == 0.0 && self.moment == Some(0.0);
        ensure(self.is_dynamic() || is_light, || format!("body {row} is not dynamic and has a mass"))?;
        // It is kept in single precision.
        let is_length = |way: &f64| *way >= 0.0 && (*way as f32).is_finite();
        ensure(self.boxed_at.is_none_or(|[_, _, _, reach @ ..]| reach.iter().all(is_length)), || {
            format!("body {row} has a negative or too large reach")
        })
    }
}

impl SavedShape {
    fn geometry(&self) -> Result<Geometry> {
        let points: Vec<Vec2> = self.points.iter().map(|&point| point.into()).collect();
        let [previous, next] = self.neighbours.map(|point| point.map(Vec2::from));
        match (self.form, &points[..]) {
            (SavedForm::Circle, &[centre]) => Geometry::circle(self.radius, centre),
            (SavedForm::Segment, &[a, b]) => {
                let segment = Segment::new(a, b, self.radius)?.with_neighbours(previous, next)?;
                Ok(Geometry::Segment(segment))
            }
            (SavedForm::Polygon, &[min, _, max, _]) if is_rectangle(&points) => {
                let sides = Aabb { min: min.into(), max: max.into() };
                Polygon::rectangle_from(&sides, self.radius).map(Geometry::Polygon)
            }
            (SavedForm::Polygon, vertices) => Geometry::convex_polygon(vertices, self.radius),
            _ => wrong(format!("{} points do not make this form", points.len())),
        }
    }

    fn to_shape(&self) -> Result<Shape> {
        let filter = Filter { group: self.group, categories: self.categories, mask: self.mask };
        let material = Material {
            elasticity: self.elasticity,
            friction: self.friction,
            surface_velocity: self.surface_velocity.into(),
            collision_type: self.collision_type,
            filter,
            sensor: self.sensor,
        };
        let shape = Shape::new(self.geometry()?).with_material(material).with_mass(self.mass);
        Ok(shape.with_user_data(self.user_data))
    }
}

/// Whether these are the corners of a rectangle in the order of [`Polygon::rectangle_from`], which may be thinner than a
/// polygon of any vertices.
fn is_rectangle(corners: &[Vec2]) -> bool {
    let [min, right, max, left] = corners else { return false };
    [right.x, right.y, left.x, left.y] == [max.x, min.y, min.x, max.y]
}

impl SavedContact {
    fn check(&self, class: Class, precision: Precision) -> Result<()> {
        let most = if class.has_one_point() { 1 } else { 2 };
        ensure(self.count <= most, || format!("it has {} points", self.count))?;
        ensure(self.colour.is_none_or(|colour| colour as usize <= COLOURS), || {
            "it has no such colour".into()
        })?;
        check::non_negative("friction", 0, self.friction)?;
        check::non_negative("restitution", 0, self.restitution)?;
        check::non_negative("margin", 0, self.margin)?;
        check::non_negative("keeping distance", 0, self.keeping_distance)?;
        let numbers = [
            &self.normal[..],
            self.points.as_flattened(),
            &self.impulses,
            &self.pose,
            &self.impact.unwrap_or_default(),
            &[self.tangent_impulse, self.friction, self.restitution],
        ];
        // In single precision, numbers are those of that precision.
        let is_there = |value: &f64| match precision {
            Precision::Double => value.is_finite(),
            Precision::Mixed => f64::from(*value as f32).is_finite(),
        };
        ensure(numbers.iter().all(|values| values.iter().all(is_there)), || "a number is too large".into())?;
        let lengths = [self.margin, self.keeping_distance, self.kept];
        ensure(lengths.iter().all(|value| (*value as f32).is_finite()), || "a length is too large".into())
    }
}
