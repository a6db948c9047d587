//! Walls that move: kinematic bodies carry, lift and tumble others, which stay outside of them with either solver.

use carom::geometry::{Rotation, Vec2};
use carom::rigid2d::{Body, BodyId, Geometry, Precision, Shape, Solver, Space, SpaceSettings};

use super::rigid2d_scene::{DT, G, at, disc, material, position, put, rectangle};

const SOLVERS: [Solver; 2] = [Solver::Soft, Solver::Sequential];
const PRECISIONS: [Precision; 2] = [Precision::Double, Precision::Mixed];

fn space(solver: Solver, precision: Precision, gravity: f64) -> Space {
    let settings = SpaceSettings::default().with_solver(solver).with_precision(precision);
    Space::new(&settings.with_gravity(Vec2::new(0.0, -gravity))).unwrap()
}

/// From the centre of the drum to its corners, in metres.
const CORNERS: f64 = 6.0;
const WALL: f64 = 0.1;
const RADIUS: f64 = 0.3;

/// A square drum that turns, and 24 discs in it.
fn drum(space: &mut Space) -> (BodyId, Vec<BodyId>) {
    let drum = space.add_body(&Body::kinematic().with_angular_velocity(0.7)).unwrap();
    let corner =
        |k: f64| Rotation::from_angle((k + 0.5) * std::f64::consts::FRAC_PI_2).turn(Vec2::X * CORNERS);
    for k in [0.0, 1.0, 2.0, 3.0] {
        let wall = Geometry::segment(corner(k), corner(k + 1.0), WALL).unwrap();
        space.add_shape(drum, Shape::new(wall).with_material(material(0.6, 0.0))).unwrap();
    }
    let place = |n: u32| at(-1.5 + 0.7 * f64::from(n % 5), -1.5 + 0.7 * f64::from(n / 5));
    let discs = (0..24).map(|n| put(space, &place(n), disc(RADIUS), 1.0, material(0.6, 0.0))).collect();
    (drum, discs)
}

#[test]
fn discs_stay_in_a_turning_drum() {
    let inside = CORNERS * std::f64::consts::FRAC_1_SQRT_2 - WALL - RADIUS;
    for (solver, precision) in SOLVERS.into_iter().flat_map(|solver| PRECISIONS.map(|of| (solver, of))) {
        let mut space = space(solver, precision, G);
        let (drum, discs) = drum(&mut space);
        for step in 0..3600 {
            space.step(DT).unwrap();
            let turn = Rotation::from_angle(space.body(drum).unwrap().angle());
            for &disc in &discs {
                let place = turn.turn_back(position(&space, disc));
                let depth = place.x.abs().max(place.y.abs()) - inside;
                assert!(
                    depth < 0.05,
                    "{solver:?} {precision:?}: {depth} m deep in a wall after {step} steps"
                );
            }
        }
    }
}

/// What a lift carries is pushed out of it as slowly as out of a floor, whichever way it moves.
#[test]
fn an_overlap_with_a_lift_is_mended_as_with_a_floor() {
    for (solver, precision) in SOLVERS.into_iter().flat_map(|solver| PRECISIONS.map(|of| (solver, of))) {
        let heights = [0.0, 3.0, -3.0].map(|speed| {
            let mut space = space(solver, precision, G);
            let velocity = Vec2::new(0.0, speed);
            let lift = space.add_body(&Body::kinematic().with_velocity(velocity)).unwrap();
            let floor = Shape::new(rectangle(4.0, 1.0)).with_material(material(0.5, 0.0));
            space.add_shape(lift, floor).unwrap();
            let start = at(0.0, 0.95).with_velocity(velocity);
            let load = put(&mut space, &start, rectangle(1.0, 1.0), 1.0, material(0.5, 0.0));
            [1, 5, 10, 30].map(|steps| {
                (0..steps).for_each(|_| space.step(DT).unwrap());
                position(&space, load).y - position(&space, lift).y
            })
        });
        let [floor, up, down] = heights;
        let tolerance = if precision == Precision::Double { 1e-9 } else { 1e-4 };
        for (a, b) in floor.into_iter().chain(floor).zip(up.into_iter().chain(down)) {
            assert!((a - b).abs() < tolerance, "{solver:?} {precision:?}: {heights:?}");
        }
        assert!((floor[3] - 1.0).abs() < 5e-3, "{solver:?} {precision:?}: {floor:?}");
    }
}
