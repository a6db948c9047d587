//! Ready-made scenes in which many bodies rest on each other.

use super::generators::{Openings, Walls};
use super::{Parameters, Scene, SceneBody};
use crate::error::Result;
use crate::geometry::{Aabb, Rotation, Vec2};
use crate::random::{Purpose, Random};
use crate::rigid2d::shapes::{Geometry, Material, Shape};
use crate::rigid2d::space::Body;

/// Standard gravity, downwards, in metres per second squared.
pub(super) const GRAVITY: Vec2 = Vec2::new(0.0, -9.81);
/// The material of bodies and ground unless a scene says otherwise.
const ROUGH: Material = material(0.8, 0.0);
/// In kilograms per square metre.
pub(super) const DENSITY: f64 = 1.0;

/// A material with this friction and elasticity.
pub(super) const fn material(friction: f64, elasticity: f64) -> Material {
    Material {
        elasticity,
        friction,
        surface_velocity: Vec2::ZERO,
        collision_type: 0,
        filter: crate::rigid2d::shapes::Filter::ALL,
        sensor: false,
    }
}

/// A dynamic body of one shape.
pub(super) fn solid(geometry: Geometry, material: Material) -> SceneBody {
    SceneBody::of(Shape::new(geometry).with_material(material).with_density(DENSITY))
}

/// A fixed box with these corners.
pub(super) fn block(min: [f64; 2], max: [f64; 2], material: Material) -> Result<Shape> {
    Ok(Shape::new(Geometry::rectangle_from(&Aabb { min, max }, 0.0)?).with_material(material))
}

/// Gravity, and ground up to this far to both sides, in metres.
fn start(scene: &mut Scene, half: f64, until: f64) -> Result<()> {
    scene.settings.gravity = GRAVITY;
    scene.until = until;
    scene.ground.push(block([-half, -2.0], [half, 0.0], ROUGH)?);
    Ok(())
}

pub(super) fn stack(scene: &mut Scene, parameters: &Parameters) -> Result<()> {
    start(scene, 5.0, 10.0)?;
    let cube = solid(Geometry::rectangle(1.0, 1.0, 0.0)?, ROUGH);
    scene.add_stack(&cube, parameters.rows_or(10)?, Vec2::ZERO, 0.0)
}

pub(super) fn pyramid(scene: &mut Scene, parameters: &Parameters) -> Result<()> {
    let rows = parameters.rows_or(10)?;
    start(scene, 0.5 * rows as f64 + 10.0, 5.0)?;
    let cube = solid(Geometry::rectangle(1.0, 1.0, 0.0)?, ROUGH);
    scene.add_pyramid(&cube, rows, Vec2::ZERO, [0.0; 2])
}

/// Number of columns of a heap that is about as high as wide.
fn columns(bodies: usize) -> usize {
    (1..=bodies).find(|edge| edge * edge >= bodies).unwrap_or(1)
}

pub(super) fn bin(scene: &mut Scene, parameters: &Parameters) -> Result<()> {
    const PITCH: f64 = 1.05;
    let bodies = parameters.bodies_or(500)?;
    let edge = columns(bodies);
    let half = 0.5 * PITCH * edge as f64 + 0.5;
    scene.settings.gravity = GRAVITY;
    scene.until = 10.0;
    let walls = Walls::new(Vec2::new(-half, 0.0), Vec2::new(half, 2.0 * edge as f64 + 2.0));
    let open = Openings { top: true, ..Openings::default() };
    scene.add_walls(&walls.with_open(open).with_material(ROUGH))?;
    let mut places = Random::new(scene.seed, Purpose::Places);
    let mut sizes = Random::new(scene.seed, Purpose::Sizes);
    for k in 0..bodies {
        let column = (k % edge) as f64 - 0.5 * (edge - 1) as f64;
        let place = Vec2::new(PITCH * column + places.between(-0.02, 0.02), 0.6 + PITCH * (k / edge) as f64);
        let ball = Geometry::circle(sizes.between(0.4, 0.5), Vec2::ZERO)?;
        scene.bodies.push(solid(ball, ROUGH).at(place));
    }
    Ok(())
}

/// A square, a hexagon, a circle or a triangle.
fn mixed(k: usize, radius: f64) -> Result<Geometry> {
    let regular = |corners: u32, radius: f64| {
        let turn = std::f64::consts::TAU / f64::from(corners);
        let corner = |k: u32| Rotation::from_angle(turn * f64::from(k)).turn(Vec2::X) * radius;
        Geometry::polygon(&(0..corners).map(corner).collect::<Vec<_>>(), 0.0)
    };
    match k % 4 {
        0 => Geometry::rectangle(1.6 * radius, 1.6 * radius, 0.0),
        1 => regular(6, radius),
        2 => Geometry::circle(0.9 * radius, Vec2::ZERO),
        _ => regular(3, 1.2 * radius),
    }
}

pub(super) fn tumbler(scene: &mut Scene, parameters: &Parameters) -> Result<()> {
    const THICKNESS: f64 = 1.0;
    const RADIUS: f64 = 0.16;
    let bodies = parameters.bodies_or(400)?;
    let edge = columns(bodies);
    // A corner of the turning box holds the bodies and half as much air.
    let half = 10.0 / 45.0 * edge as f64 + 0.3;
    scene.settings.gravity = GRAVITY;
    scene.until = 10.0;
    let corner = Vec2::new(half, half);
    let walls = Walls::new(-corner, corner).with_thickness(THICKNESS).with_material(ROUGH);
    let drum = Body::kinematic().with_angular_velocity(25.0 * std::f64::consts::PI / 180.0);
    scene.bodies.push(SceneBody::new(drum, walls.shapes()?));
    let mut turns = Random::new(scene.seed, Purpose::Turns);
    let pitch = 20.0 / 45.0;
    let place = |k: usize| pitch * (k as f64 - 0.5 * (edge - 1) as f64);
    for k in 0..bodies {
        let mut body = solid(mixed(k, RADIUS)?, ROUGH).at(Vec2::new(place(k % edge), place(k / edge)));
        body.body.angle = turns.between(-0.2, 0.2);
        scene.bodies.push(body);
    }
    Ok(())
}
