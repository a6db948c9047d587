//! carom: one space, or a batch of spaces.

use carom::geometry::Vec2;
use carom::rigid2d::space::{Mixing, Precision};
use carom::rigid2d::{Body, BodyField, BodyId, Geometry, Material, Shape, Space, SpaceSettings, Spaces};

use crate::engines::{Layout, Rival};
use crate::processor_time::processor_time;
use crate::scene::{self, DENSITY, FRICTION, GRAVITY, Kind, Pose, STEP, SUBSTEPS, Scene};

/// Contacts in double precision.
pub(super) fn double(scene: &Scene, layout: Layout) -> Box<dyn Rival> {
    build(scene, layout, Precision::Double)
}

/// Contacts in single precision.
pub(super) fn mixed(scene: &Scene, layout: Layout) -> Box<dyn Rival> {
    build(scene, layout, Precision::Mixed)
}

fn build(scene: &Scene, layout: Layout, precision: Precision) -> Box<dyn Rival> {
    match layout {
        Layout::OneWorld => Box::new(World::new(scene, &scene.origins(), precision)),
        Layout::WorldPerSpace => {
            let World { space, bodies } = World::new(scene, &[[0.0; 2]], precision);
            let bodies = bodies.into_iter().map(|(body, _)| body).collect();
            Box::new(Batch { spaces: Spaces::new(&space, scene.spaces).expect("enough memory"), bodies })
        }
    }
}

/// Makes a batch of this many copies of a scene, and returns the seconds that it takes per space.
pub(crate) fn time_of_copy(scene: &Scene, precision: Precision, copies: usize) -> f64 {
    let World { space, .. } = World::new(scene, &[[0.0; 2]], precision);
    let start = processor_time();
    let spaces = Spaces::new(&space, copies).expect("enough memory");
    let seconds = processor_time() - start;
    assert_eq!(spaces.len(), copies);
    seconds / copies as f64
}

struct World {
    space: Space,
    /// Each body, and the origin of its space.
    bodies: Vec<(BodyId, [f64; 2])>,
}

impl World {
    fn new(scene: &Scene, origins: &[[f64; 2]], precision: Precision) -> Self {
        let settings = SpaceSettings::default()
            .with_gravity(Vec2::new(0.0, -GRAVITY))
            .with_substeps(SUBSTEPS as u32)
            .with_friction_mixing(Mixing::GeometricMean)
            .with_precision(precision);
        let mut space = Space::new(&settings).expect("good settings");
        let mut bodies = Vec::new();
        for &origin in origins {
            for body in &scene.bodies {
                bodies.push((add(&mut space, body, origin), origin));
            }
        }
        Self { space, bodies }
    }
}

fn add(space: &mut Space, body: &scene::Body, origin: [f64; 2]) -> BodyId {
    let definition = match body.kind {
        Kind::Static => Body::fixed(),
        Kind::Kinematic => Body::kinematic(),
        Kind::Dynamic => Body::dynamic(),
    };
    let [x, y] = body.position;
    let mut definition =
        definition.with_position(Vec2::new(origin[0] + x, origin[1] + y)).with_angle(body.angle);
    if body.kind != Kind::Static {
        definition =
            definition.with_velocity(body.velocity.into()).with_angular_velocity(body.angular_velocity);
    }
    let id = space.add_body(&definition).expect("a good body");
    for shape in &body.shapes {
        let form = match shape {
            scene::Shape::Circle { radius } => Geometry::circle(*radius, Vec2::ZERO),
            scene::Shape::Box { half: [a, b], centre: [x, y] } => {
                let corner = |sx: f64, sy: f64| Vec2::new(x + sx * a, y + sy * b);
                let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
                Geometry::convex_polygon(&corners, 0.0)
            }
            scene::Shape::Polygon { vertices } => {
                let vertices: Vec<Vec2> = vertices.iter().map(|&vertex| vertex.into()).collect();
                Geometry::convex_polygon(&vertices, 0.0)
            }
        };
        let material = Material::default().with_friction(FRICTION);
        let shape = Shape::new(form.expect("a good form")).with_density(DENSITY).with_material(material);
        space.add_shape(id, shape).expect("a good shape");
    }
    id
}

impl Rival for World {
    fn step(&mut self) {
        self.space.step(STEP).expect("a step");
    }

    fn poses(&self) -> Vec<Pose> {
        let pose = |&(body, origin): &(BodyId, [f64; 2])| {
            let body = self.space.body(body).expect("a body");
            let (place, rotation) = (body.position(), body.rotation());
            Pose {
                position: [place.x - origin[0], place.y - origin[1]],
                cos: rotation.cos,
                sin: rotation.sin,
            }
        };
        self.bodies.iter().map(pose).collect()
    }
}

struct Batch {
    spaces: Spaces,
    bodies: Vec<BodyId>,
}

impl Rival for Batch {
    fn step(&mut self) {
        self.spaces.step(STEP).expect("a step");
    }

    /// Bodies of the scenes have their centres of mass at their origins, and static ones are where they were put.
    fn poses(&self) -> Vec<Pose> {
        let [x, y, angle] =
            [BodyField::X, BodyField::Y, BodyField::Angle].map(|field| self.spaces.column(field));
        let rows = self.spaces.bodies_per_space();
        let pose = |space: usize, body: &BodyId| {
            let row = space * rows + body.index();
            let (sin, cos) = angle[row].sin_cos();
            Pose { position: [x[row], y[row]], cos, sin }
        };
        (0..self.spaces.len())
            .flat_map(|space| self.bodies.iter().map(move |body| pose(space, body)))
            .collect()
    }
}
