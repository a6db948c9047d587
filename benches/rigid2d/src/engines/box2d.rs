//! Box2D v3, compiled with AVX2, in `f32`.

use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicBool, Ordering};

use boxdd_sys::ffi::{
    b2Body_GetPosition, b2Body_GetRotation, b2BodyId, b2BodyType_b2_dynamicBody, b2BodyType_b2_kinematicBody,
    b2BodyType_b2_staticBody, b2Circle, b2ComputeHull, b2CreateBody, b2CreateCircleShape,
    b2CreatePolygonShape, b2CreateWorld, b2DefaultBodyDef, b2DefaultShapeDef, b2DefaultWorldDef,
    b2DestroyWorld, b2MakeBox, b2MakeOffsetBox, b2MakePolygon, b2Polygon, b2Rot, b2SetAssertFcn, b2ShapeDef,
    b2Vec2, b2World_IsValid, b2World_Step, b2WorldId,
};

use super::{Layout, Rival, places};
use crate::scene::{Body, DENSITY, FRICTION, GRAVITY, Kind, Pose, STEP, SUBSTEPS, Scene, Shape};

struct World {
    id: b2WorldId,
    /// Each body, and the origin of its space.
    bodies: Vec<(b2BodyId, [f64; 2])>,
}

pub(crate) fn build(scene: &Scene, layout: Layout) -> Box<dyn Rival> {
    let worlds: Vec<World> = places(scene, layout).iter().map(|origins| World::new(scene, origins)).collect();
    Box::new(worlds)
}

impl World {
    fn new(scene: &Scene, origins: &[[f64; 2]]) -> Self {
        // SAFETY: the function has no preconditions.
        let mut definition = unsafe { b2DefaultWorldDef() };
        definition.gravity = vector([0.0, -GRAVITY]);
        definition.enableSleep = false;
        definition.workerCount = 1;
        // SAFETY: the definition comes from Box2D.
        let id = unsafe { b2CreateWorld(&raw const definition) };
        // SAFETY: any id can be tested.
        assert!(unsafe { b2World_IsValid(id) }, "too many worlds: build in the folder of this package");
        let mut bodies = Vec::new();
        for &origin in origins {
            bodies.extend(scene.bodies.iter().map(|body| (add(id, body, origin), origin)));
        }
        Self { id, bodies }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: the world was made by `new` and is destroyed only here.
        unsafe { b2DestroyWorld(self.id) };
    }
}

impl Rival for Vec<World> {
    fn step(&mut self) {
        for world in self {
            // SAFETY: the world exists until it is dropped.
            unsafe { b2World_Step(world.id, STEP as f32, SUBSTEPS as c_int) };
        }
    }

    fn poses(&self) -> Vec<Pose> {
        self.iter().flat_map(|world| world.bodies.iter().map(|&body| pose(body))).collect()
    }
}

fn pose((body, origin): (b2BodyId, [f64; 2])) -> Pose {
    // SAFETY: bodies exist as long as their world.
    let (place, rotation) = unsafe { (b2Body_GetPosition(body), b2Body_GetRotation(body)) };
    Pose {
        position: [f64::from(place.x) - origin[0], f64::from(place.y) - origin[1]],
        cos: f64::from(rotation.c),
        sin: f64::from(rotation.s),
    }
}

fn vector([x, y]: [f64; 2]) -> b2Vec2 {
    b2Vec2 { x: x as f32, y: y as f32 }
}

fn add(world: b2WorldId, body: &Body, origin: [f64; 2]) -> b2BodyId {
    // SAFETY: the function has no preconditions.
    let mut definition = unsafe { b2DefaultBodyDef() };
    definition.type_ = match body.kind {
        Kind::Static => b2BodyType_b2_staticBody,
        Kind::Kinematic => b2BodyType_b2_kinematicBody,
        Kind::Dynamic => b2BodyType_b2_dynamicBody,
    };
    definition.position = vector([origin[0] + body.position[0], origin[1] + body.position[1]]);
    definition.rotation = b2Rot { c: body.angle.cos() as f32, s: body.angle.sin() as f32 };
    definition.linearVelocity = vector(body.velocity);
    definition.angularVelocity = body.angular_velocity as f32;
    // SAFETY: the world exists, and the definition comes from Box2D.
    let id = unsafe { b2CreateBody(world, &raw const definition) };
    // SAFETY: the function has no preconditions.
    let mut definition = unsafe { b2DefaultShapeDef() };
    definition.density = DENSITY as f32;
    definition.material.friction = FRICTION as f32;
    body.shapes.iter().for_each(|shape| add_shape(id, &definition, shape));
    id
}

fn add_shape(body: b2BodyId, definition: &b2ShapeDef, shape: &Shape) {
    let polygon: b2Polygon = match shape {
        Shape::Circle { radius } => {
            let circle = b2Circle { center: vector([0.0; 2]), radius: *radius as f32 };
            // SAFETY: the body exists, and both arguments are valid.
            unsafe { b2CreateCircleShape(body, definition, &raw const circle) };
            return;
        }
        Shape::Box { half: [x, y], centre } => {
            // SAFETY: the function has no preconditions but positive numbers.
            unsafe { b2MakeOffsetBox(*x as f32, *y as f32, vector(*centre), b2Rot { c: 1.0, s: 0.0 }) }
        }
        Shape::Polygon { vertices } => {
            let points: Vec<b2Vec2> = vertices.iter().map(|&vertex| vector(vertex)).collect();
            // SAFETY: there are as many points as said, at most 8, and they form a hull.
            unsafe {
                let hull = b2ComputeHull(points.as_ptr(), points.len() as c_int);
                b2MakePolygon(&raw const hull, 0.0)
            }
        }
    };
    // SAFETY: the body exists, and both arguments are valid.
    unsafe { b2CreatePolygonShape(body, definition, &raw const polygon) };
}

static ASSERTED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn note(_: *const c_char, _: *const c_char, _: c_int) -> c_int {
    ASSERTED.store(true, Ordering::Relaxed);
    0
}

/// Prints a warning if Box2D was compiled with assertions, which make it slower.
pub(crate) fn warn_of_assertions() {
    // SAFETY: the callback has the type that Box2D expects, and 0 lets a failed assertion pass.
    unsafe { b2SetAssertFcn(Some(note)) };
    // SAFETY: a box of negative size is only computed, not used; the assertion against it tells whether there are any.
    unsafe { b2MakeBox(-1.0, 1.0) };
    if ASSERTED.load(Ordering::Relaxed) {
        eprintln!(
            "Box2D has its assertions: start cargo in benches/rigid2d, whose configuration turns them off"
        );
    }
}
