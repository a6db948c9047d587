//! Tests of spaces.

mod bodies;
mod exceptions;
mod handlers;
mod misuse;
mod queries;
mod rest;
mod sleep;

use super::*;
use crate::rigid2d::shapes::{Geometry, Material, Shape};

pub(super) const DT: f64 = 1.0 / 60.0;

pub(super) fn space() -> Space {
    Space::new(&SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0))).unwrap()
}

pub(super) fn circle(radius: f64) -> Shape {
    Shape::new(Geometry::circle(radius, Vec2::ZERO).unwrap())
        .with_material(Material::default().with_friction(0.5))
}

pub(super) fn rectangle(width: f64, height: f64) -> Shape {
    Shape::new(Geometry::rectangle(width, height, 0.0).unwrap())
        .with_material(Material::default().with_friction(0.5))
}

/// A body with one shape of mass 1.
pub(super) fn add(space: &mut Space, position: [f64; 2], shape: Shape) -> (BodyId, ShapeId) {
    let body = space.add_body(&Body::dynamic().with_position(position.into())).unwrap();
    let shape = space.add_shape(body, shape.with_mass(1.0)).unwrap();
    (body, shape)
}

/// The ground: a segment from x = -50 to x = 50 at height 0.
pub(super) fn ground(space: &mut Space) -> ShapeId {
    let segment = Geometry::segment(Vec2::new(-50.0, 0.0), Vec2::new(50.0, 0.0), 0.0).unwrap();
    let material = Material::default().with_friction(1.0);
    space.add_shape(space.static_body(), Shape::new(segment).with_material(material)).unwrap()
}

pub(super) fn run(space: &mut Space, steps: usize) {
    for _ in 0..steps {
        space.step(DT).unwrap();
    }
}
