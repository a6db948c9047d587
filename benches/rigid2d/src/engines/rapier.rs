//! rapier, with its own defaults: 4 solver iterations, soft contacts, contact recycling.

macro_rules! rapier {
    ($module:ident, $rapier:ident, $real:ty) => {
        pub(super) mod $module {
            use $rapier::prelude::*;

            use crate::engines::{Layout, Rival, places};
            use crate::scene::{self, DENSITY, FRICTION, GRAVITY, Kind, Pose, STEP, SUBSTEPS, Scene};

            struct World {
                world: PhysicsWorld,
                /// Each body, and the origin of its space.
                bodies: Vec<(RigidBodyHandle, [f64; 2])>,
            }

            pub(crate) fn build(scene: &Scene, layout: Layout) -> Box<dyn Rival> {
                let worlds: Vec<World> =
                    places(scene, layout).iter().map(|origins| World::new(scene, origins)).collect();
                Box::new(worlds)
            }

            fn vector([x, y]: [f64; 2]) -> Vector {
                Vector::new(x as $real, y as $real)
            }

            fn collider(shape: &scene::Shape) -> ColliderBuilder {
                let builder = match shape {
                    scene::Shape::Circle { radius } => ColliderBuilder::ball(*radius as $real),
                    scene::Shape::Box { half: [x, y], centre } => {
                        ColliderBuilder::cuboid(*x as $real, *y as $real).translation(vector(*centre))
                    }
                    scene::Shape::Polygon { vertices } => {
                        let vertices = vertices.iter().map(|&vertex| vector(vertex)).collect();
                        ColliderBuilder::convex_polyline(vertices).expect("a convex polygon")
                    }
                };
                builder.density(DENSITY as $real).friction(FRICTION as $real).restitution(0.0)
            }

            impl World {
                fn new(scene: &Scene, origins: &[[f64; 2]]) -> Self {
                    let mut world = PhysicsWorld::default();
                    world.gravity = vector([0.0, -GRAVITY]);
                    world.integration_parameters.dt = STEP as $real;
                    world.integration_parameters.num_solver_iterations = SUBSTEPS;
                    let mut bodies = Vec::new();
                    for &origin in origins {
                        for body in &scene.bodies {
                            bodies.push((add(&mut world, body, origin), origin));
                        }
                    }
                    Self { world, bodies }
                }

                fn pose(&self, (body, origin): (RigidBodyHandle, [f64; 2])) -> Pose {
                    let body = &self.world.bodies[body];
                    let (place, rotation) = (body.translation(), body.rotation());
                    Pose {
                        position: [f64::from(place.x) - origin[0], f64::from(place.y) - origin[1]],
                        cos: f64::from(rotation.re),
                        sin: f64::from(rotation.im),
                    }
                }
            }

            fn add(world: &mut PhysicsWorld, body: &scene::Body, origin: [f64; 2]) -> RigidBodyHandle {
                let builder = match body.kind {
                    Kind::Static => RigidBodyBuilder::fixed(),
                    Kind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
                    Kind::Dynamic => RigidBodyBuilder::dynamic(),
                };
                let [x, y] = body.position;
                let builder = builder
                    .translation(vector([origin[0] + x, origin[1] + y]))
                    .rotation(body.angle as $real)
                    .linvel(vector(body.velocity))
                    .angvel(body.angular_velocity as $real)
                    .can_sleep(false);
                let handle = world.bodies.insert(builder);
                for shape in &body.shapes {
                    world.colliders.insert_with_parent(collider(shape), handle, &mut world.bodies);
                }
                handle
            }

            impl Rival for Vec<World> {
                fn step(&mut self) {
                    self.iter_mut().for_each(|world| world.world.step());
                }

                fn poses(&self) -> Vec<Pose> {
                    let of = |world: &World| -> Vec<Pose> {
                        world.bodies.iter().map(|&body| world.pose(body)).collect()
                    };
                    self.iter().flat_map(of).collect()
                }
            }
        }
    };
}

rapier!(single, rapier2d, f32);
rapier!(double, rapier2d_f64, f64);
