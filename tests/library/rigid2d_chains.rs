//! What slides fast along a chain of segments does not catch where they meet.

use carom::geometry::Vec2;
use carom::rigid2d::shapes::Segment;
use carom::rigid2d::{Geometry, Precision, Shape, Solver, Space, SpaceSettings};

use super::rigid2d_scene::{DT, G, at, disc, material, position, put, rectangle, velocity};

/// Length of a segment, in metres.
const PIECE: f64 = 0.7;

/// A straight chain along x.
fn chain(space: &mut Space) {
    let point = |k: i32| Vec2::new(f64::from(k) * PIECE, 0.0);
    for k in 0..300 {
        let segment = Segment::new(point(k), point(k + 1), 0.0).unwrap();
        let segment = segment.with_neighbours(Some(point(k - 1)), Some(point(k + 2))).unwrap();
        let shape = Shape::new(Geometry::Segment(segment)).with_material(material(0.0, 0.0));
        space.add_shape(space.static_body(), shape).unwrap();
    }
}

/// The shortest way of a step, as a share of what its speed gives, and the velocity at the end along both axes.
fn slide(space: &mut Space, form: Geometry, gap: f64, speed: f64) -> (f64, Vec2) {
    let start = at(3.0, 0.3 + gap).with_velocity(Vec2::new(speed, 0.0));
    let body = put(space, &start, form, 1.0, material(0.0, 0.0));
    let mut shortest = f64::INFINITY;
    while position(space, body).x < 180.0 && space.time() < 10.0 {
        let before = position(space, body);
        space.step(DT).unwrap();
        let now = position(space, body);
        shortest = shortest.min((now.x - before.x) / (speed * DT));
        assert!((now.y - 0.3).abs() < 0.01, "{now:?}");
    }
    (shortest, velocity(space, body))
}

#[test]
fn nothing_catches_on_the_joints_of_a_chain() {
    for solver in [Solver::Soft, Solver::Sequential] {
        for precision in [Precision::Double, Precision::Mixed] {
            let settings = SpaceSettings::default().with_solver(solver).with_precision(precision);
            let settings = settings.with_gravity(Vec2::new(0.0, -G));
            for (form, gap) in [(disc(0.3), 0.0), (rectangle(0.6, 0.6), 0.0), (disc(0.3), 0.003)] {
                for speed in [20.0, 50.0, 200.0] {
                    let mut space = Space::new(&settings).unwrap();
                    chain(&mut space);
                    let (shortest, velocity) = slide(&mut space, form.clone(), gap, speed);
                    let about = format!("{solver:?} {precision:?} {form:?} {gap} {speed}");
                    assert!((shortest - 1.0).abs() < 1e-3, "{shortest} {about}");
                    assert!((velocity.x / speed - 1.0).abs() < 1e-3, "{velocity:?} {about}");
                }
            }
        }
    }
}
