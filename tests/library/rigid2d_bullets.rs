//! Random bullets in a closed box with thin walls never get out, at up to 10,000 m/s: 170 m in a step, in a box of 4 m.

use carom::geometry::{Aabb, Rotation, Vec2};
use carom::rigid2d::{
    Body, BodyField, Geometry, Material, Precision, Shape, Solver, Space, SpaceSettings, Spaces,
};

use crate::random::Random;

/// Half of the width of the box, in metres.
const HALF: f64 = 2.0;
const STEPS: usize = 30;

/// The walls: lines, rounded lines or slabs, at most 20 mm thick.
#[derive(Debug, Clone, Copy)]
enum Walls {
    Lines,
    RoundedLines,
    Slabs,
}

fn wall(walls: Walls, from: Vec2, to: Vec2) -> Geometry {
    match walls {
        Walls::Lines => Geometry::segment(from, to, 0.0),
        Walls::RoundedLines => Geometry::segment(from, to, 0.01),
        Walls::Slabs => {
            let ends = Aabb {
                min: [f64::min(from.x, to.x), f64::min(from.y, to.y)],
                max: [f64::max(from.x, to.x), f64::max(from.y, to.y)],
            };
            Geometry::rectangle_from(&ends.expanded(0.01), 0.0)
        }
    }
    .unwrap()
}

fn closed_box(settings: &SpaceSettings, walls: Walls) -> Space {
    let mut space = Space::new(settings).unwrap();
    let corners = [[-HALF, -HALF], [HALF, -HALF], [HALF, HALF], [-HALF, HALF]].map(Vec2::from);
    let material = Material::default().with_elasticity(1.0).with_friction(1.0);
    for k in 0..4 {
        let geometry = wall(walls, corners[k], corners[(k + 1) % 4]);
        space.add_shape(space.static_body(), Shape::new(geometry).with_material(material)).unwrap();
    }
    space
}

fn regular(corners: u32, size: f64, radius: f64) -> Geometry {
    let angle = |k: u32| f64::from(k) * std::f64::consts::TAU / f64::from(corners);
    let corners: Vec<Vec2> =
        (0..corners).map(|k| Rotation::from_angle(angle(k)).turn(Vec2::X * size)).collect();
    Geometry::polygon(&corners, radius).unwrap()
}

/// Shapes that are at least a third as wide as they are long.
fn compact(random: &mut Random, size: f64) -> [Geometry; 6] {
    let width = size * (0.7 + 1.3 * random.real(0.0, 1.0));
    [
        Geometry::circle(size, Vec2::ZERO).unwrap(),
        Geometry::rectangle(2.0 * size, width, 0.0).unwrap(),
        Geometry::rectangle(2.0 * size, width, 0.1 * size).unwrap(),
        regular(3, size, 0.0),
        regular(7, size, 0.0),
        // Through GJK and EPA.
        regular(12, size, 0.05 * size),
    ]
}

/// Rods, blades and capsules.
fn slender(random: &mut Random, size: f64) -> [Geometry; 3] {
    let width = size * (0.05 + 0.4 * random.real(0.0, 1.0));
    [
        Geometry::segment(Vec2::new(-size, 0.0), Vec2::new(size, 0.0), 0.5 * width).unwrap(),
        Geometry::rectangle(2.0 * size, width, 0.0).unwrap(),
        Geometry::rectangle(2.0 * size, width, 0.1 * size).unwrap(),
    ]
}

/// How many of so many bullets get out, with an example.
fn escapes(random: &mut Random, prototype: (Space, &Geometry, Material), count: usize) -> (usize, String) {
    let (mut space, geometry, material) = prototype;
    let bullet = space.add_body(&Body::dynamic().with_bullet(true)).unwrap();
    let shape = Shape::new(geometry.clone()).with_density(1.0).with_material(material);
    space.add_shape(bullet, shape).unwrap();
    let mut spaces = Spaces::new(&space, count).unwrap();
    let rows = spaces.bodies_per_space();
    let reach = HALF - 0.02 - geometry.bounding_radius(Vec2::ZERO);
    let starts: Vec<[f64; 6]> = (0..count)
        .map(|_| {
            let direction = Rotation::from_angle(random.real(-3.2, 3.2));
            let velocity = direction.turn(Vec2::X * 10_f64.powf(4.0 * random.real(0.0, 1.0)));
            let [x, y] = [random.real(-reach, reach), random.real(-reach, reach)];
            [x, y, random.real(-3.2, 3.2), velocity.x, velocity.y, random.real(-300.0, 300.0)]
        })
        .collect();
    for (axis, &field) in BodyField::ALL[..6].iter().enumerate() {
        let column = spaces.column_mut(field);
        (0..count).for_each(|k| column[k * rows + bullet.index()] = starts[k][axis]);
    }
    let mut is_out = vec![false; count];
    for _ in 0..STEPS {
        spaces.step(1.0 / 60.0).unwrap();
        let [x, y] = [spaces.column(BodyField::X), spaces.column(BodyField::Y)];
        for (k, is_out) in is_out.iter_mut().enumerate() {
            let row = k * rows + bullet.index();
            *is_out |= !(x[row].abs() < HALF && y[row].abs() < HALF);
        }
    }
    let first = is_out.iter().position(|&is_out| is_out);
    let example = first.map(|k| format!("{geometry:?} {material:?} from {:?}", starts[k]));
    (is_out.iter().filter(|&&is_out| is_out).count(), example.unwrap_or_default())
}

/// Solvers and precisions, and the share of bullets that each gets.
type Ways<'a> = &'a [(Solver, Precision, usize)];

/// Bullets of all these shapes, walls, materials, solvers and precisions.
fn shoot<const N: usize>(
    seed: u64,
    count: usize,
    ways: Ways<'_>,
    shapes: impl Fn(&mut Random, f64) -> [Geometry; N],
) -> (usize, usize, String) {
    let mut random = Random(seed);
    let (mut shot, mut out, mut example) = (0, 0, String::new());
    for &(solver, precision, share) in ways {
        let settings = SpaceSettings::default().with_solver(solver).with_precision(precision);
        for walls in [Walls::Lines, Walls::RoundedLines, Walls::Slabs] {
            for (elasticity, friction) in [(0.0, 0.5), (0.5, 0.2), (0.9, 1.0), (1.0, 0.0)] {
                let size = 0.02 * 10_f64.powf(1.3 * random.real(0.0, 1.0));
                let material = Material::default().with_elasticity(elasticity).with_friction(friction);
                for geometry in shapes(&mut random, size) {
                    let prototype = (closed_box(&settings, walls), &geometry, material);
                    let (escaped, first) = escapes(&mut random, prototype, share * count);
                    shot += share * count;
                    out += escaped;
                    if example.is_empty() && escaped > 0 {
                        example = format!("{solver:?} {precision:?} {walls:?} {first}");
                    }
                }
            }
        }
    }
    (shot, out, example)
}

const SOFT: Ways<'static> = &[(Solver::Soft, Precision::Double, 3), (Solver::Soft, Precision::Mixed, 1)];
const SEQUENTIAL: Ways<'static> =
    &[(Solver::Sequential, Precision::Double, 1), (Solver::Sequential, Precision::Mixed, 1)];

#[test]
fn a_hundred_thousand_bullets_stay_in_a_closed_box() {
    let (shot, out, example) = shoot(1, 350, SOFT, compact);
    assert!(shot >= 100_000, "only {shot}");
    assert_eq!(out, 0, "{out} of {shot}: {example}");
}

/// Of some 70,000 that are thinner than 3 mm, one sinks slowly into a wall without thickness: it turns about the one point of a
/// manifold that is kept.
#[test]
fn slender_bullets_stay_in_a_closed_box() {
    let (shot, out, example) = shoot(2, 150, SOFT, slender);
    assert!(shot >= 20_000, "only {shot}");
    assert_eq!(out, 0, "{out} of {shot}: {example}");
}

#[test]
fn bullets_stay_in_a_closed_box_with_sequential_impulses() {
    let (shot, out, example) = shoot(3, 150, SEQUENTIAL, compact);
    assert!(shot >= 20_000, "only {shot}");
    assert_eq!(out, 0, "{out} of {shot}: {example}");
}

#[test]
fn slender_bullets_stay_in_a_closed_box_with_sequential_impulses() {
    let (shot, out, example) = shoot(4, 1400, SEQUENTIAL, slender);
    assert!(shot >= 100_000, "only {shot}");
    assert_eq!(out, 0, "{out} of {shot}: {example}");
}
