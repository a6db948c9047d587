//! What the tests of rigid bodies build their scenes from.

use carom::geometry::{Rotation, Vec2};
use carom::rigid2d::space::Precision;
use carom::rigid2d::{Body, BodyId, BodyKind, Geometry, Material, Shape, Space, SpaceSettings};

use super::random::Random;

/// In seconds.
pub(crate) const DT: f64 = 1.0 / 60.0;

/// In metres per second squared.
pub(crate) const G: f64 = 9.81;

/// A space with gravity downwards.
pub(crate) fn space(precision: Precision, gravity: f64) -> Space {
    let settings = SpaceSettings::default().with_precision(precision);
    Space::new(&settings.with_gravity(Vec2::new(0.0, -gravity))).unwrap()
}

/// A material. Coefficients of a contact are products, so with 1 for what is fixed they are those of the moving body.
pub(crate) fn material(friction: f64, elasticity: f64) -> Material {
    Material::default().with_friction(friction).with_elasticity(elasticity)
}

/// Friction and elasticity 1, so that those of the moving body decide.
pub(crate) fn neutral() -> Material {
    material(1.0, 1.0)
}

pub(crate) fn rectangle(width: f64, height: f64) -> Geometry {
    Geometry::rectangle(width, height, 0.0).unwrap()
}

pub(crate) fn disc(radius: f64) -> Geometry {
    Geometry::circle(radius, Vec2::ZERO).unwrap()
}

/// A circle, a box, a rounded box, a capsule or a convex polygon of about this size.
pub(crate) fn any_form(random: &mut Random, size: f64) -> Geometry {
    let mut length = || size * random.real(0.5, 1.0);
    match (length(), length(), random.next_u64() % 5) {
        (a, _, 0) => disc(0.5 * a),
        (a, b, 1) => rectangle(a, b),
        (a, b, 2) => Geometry::rectangle(0.7 * a, 0.7 * b, 0.1 * size).unwrap(),
        (a, b, 3) => Geometry::segment(Vec2::new(-0.4 * a, 0.0), Vec2::new(0.4 * a, 0.0), 0.2 * b).unwrap(),
        (a, ..) => {
            let count = 3 + random.next_u64() % 6;
            let turn = |n: u64| (n as f64 + random.real(0.0, 0.6)) * std::f64::consts::TAU / count as f64;
            let corners: Vec<f64> = (0..count).map(turn).collect();
            let corners: Vec<Vec2> = corners
                .iter()
                .map(|&angle| Rotation::from_angle(angle).turn(Vec2::new(0.5 * a, 0.0)))
                .collect();
            Geometry::polygon(&corners, 0.0).unwrap()
        }
    }
}

/// A static body with one shape.
pub(crate) fn fix(
    space: &mut Space,
    position: Vec2,
    angle: f64,
    form: Geometry,
    material: Material,
) -> BodyId {
    let body = space.add_body(&Body::fixed().with_position(position).with_angle(angle)).unwrap();
    space.add_shape(body, Shape::new(form).with_material(material)).unwrap();
    body
}

/// A dynamic body with one shape of this mass.
pub(crate) fn put(space: &mut Space, body: &Body, form: Geometry, mass: f64, material: Material) -> BodyId {
    let body = space.add_body(body).unwrap();
    space.add_shape(body, Shape::new(form).with_mass(mass).with_material(material)).unwrap();
    body
}

/// A dynamic body at rest.
pub(crate) fn at(x: f64, y: f64) -> Body {
    Body::dynamic().with_position(Vec2::new(x, y))
}

/// The ground: a box 1 m high whose upper side is at height 0.
pub(crate) fn ground(space: &mut Space, material: Material) -> BodyId {
    fix(space, Vec2::new(0.0, -0.5), 0.0, rectangle(400.0, 1.0), material)
}

/// Four walls of 1 m around a square of this half width.
pub(crate) fn walls(space: &mut Space, half: f64, material: Material) {
    let (far, long) = (half + 0.5, 2.0 * half + 2.0);
    for (x, y, width, height) in
        [(0.0, -far, long, 1.0), (0.0, far, long, 1.0), (-far, 0.0, 1.0, long), (far, 0.0, 1.0, long)]
    {
        fix(space, Vec2::new(x, y), 0.0, rectangle(width, height), material);
    }
}

pub(crate) fn steps(space: &mut Space, count: usize) {
    for _ in 0..count {
        space.step(DT).unwrap();
    }
}

/// Steps for so many seconds.
pub(crate) fn run(space: &mut Space, seconds: f64) {
    steps(space, (seconds / DT).round() as usize);
}

pub(crate) fn position(space: &Space, body: BodyId) -> Vec2 {
    space.body(body).unwrap().position()
}

pub(crate) fn velocity(space: &Space, body: BodyId) -> Vec2 {
    space.body(body).unwrap().velocity()
}

/// Momenta of dynamic bodies: along x and y, and about the origin.
pub(crate) fn momenta(space: &Space) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for body in space.bodies().filter(|body| body.kind() == BodyKind::Dynamic) {
        let momentum = body.velocity() * body.mass();
        let spin = body.moment() * body.angular_velocity();
        let about = body.world_centre_of_mass().cross(momentum) + spin;
        for (sum, term) in sum.iter_mut().zip([momentum.x, momentum.y, about]) {
            *sum += term;
        }
    }
    sum
}

/// What changes of momenta are measured by: sums of magnitudes.
pub(crate) fn scales(space: &Space) -> [f64; 3] {
    let (mut linear, mut angular) = (0.0, 0.0);
    for body in space.bodies().filter(|body| body.kind() == BodyKind::Dynamic) {
        let momentum = body.velocity().length() * body.mass();
        linear += momentum;
        angular += body.world_centre_of_mass().length() * momentum;
        angular += (body.moment() * body.angular_velocity()).abs();
    }
    [linear, linear, angular]
}

/// Positions, angles and velocities of all bodies, in bits.
pub(crate) fn state_bits(space: &Space) -> Vec<u64> {
    let numbers = space.bodies().flat_map(|body| {
        let (position, velocity) = (body.world_centre_of_mass(), body.velocity());
        [position.x, position.y, body.angle(), velocity.x, velocity.y, body.angular_velocity()]
    });
    numbers.map(f64::to_bits).collect()
}
