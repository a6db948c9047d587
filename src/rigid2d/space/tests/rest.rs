//! Rest: both solvers hold a stack, and what rests may sleep.

use super::super::{Precision, Solver};
use crate::geometry::Vec2;
use crate::rigid2d::{Body, BodyId, Geometry, Material, Shape, Space, SpaceSettings};

const DT: f64 = 1.0 / 60.0;

/// Unit boxes on the ground.
fn stack(settings: &SpaceSettings, count: usize) -> (Space, Vec<BodyId>) {
    let mut space = Space::new(&settings.with_gravity(Vec2::new(0.0, -9.81))).unwrap();
    let material = Material::default().with_friction(0.8);
    let ground = Geometry::segment(Vec2::new(-50.0, 0.0), Vec2::new(50.0, 0.0), 0.0).unwrap();
    space.add_shape(space.static_body(), Shape::new(ground).with_material(material)).unwrap();
    let boxes = (0..count).map(|n| {
        let body = space.add_body(&Body::dynamic().with_position(Vec2::new(0.0, 0.5 + n as f64))).unwrap();
        let form = Geometry::rectangle(1.0, 1.0, 0.0).unwrap();
        space.add_shape(body, Shape::new(form).with_density(1.0).with_material(material)).unwrap();
        body
    });
    let boxes = boxes.collect();
    (space, boxes)
}

fn steps(space: &mut Space, count: usize) {
    (0..count).for_each(|_| space.step(DT).unwrap());
}

#[test]
fn sequential_impulses_hold_a_stack() {
    for precision in [Precision::Double, Precision::Mixed] {
        let settings = SpaceSettings::default().with_solver(Solver::Sequential).with_slop(0.001);
        let (mut space, boxes) = stack(&settings.with_precision(precision), 10);
        steps(&mut space, 600);
        let top = space.body(boxes[9]).unwrap();
        assert!(
            (top.position().y - 9.5).abs() < 0.01 && top.position().x.abs() < 1e-3,
            "{:?}",
            top.position()
        );
        assert!(space.kinetic_energy() < 1e-9, "{}", space.kinetic_energy());
    }
}

#[test]
fn a_stack_falls_asleep_and_wakes_as_a_whole() {
    let (mut space, boxes) = stack(&SpaceSettings::default().with_sleep_time(Some(0.5)), 4);
    let asleep = |space: &Space| boxes.iter().filter(|&&id| space.body(id).unwrap().is_asleep()).count();
    steps(&mut space, 10);
    assert_eq!(asleep(&space), 0);
    steps(&mut space, 120);
    assert_eq!(asleep(&space), 4);
    let before = space.state_hash();
    steps(&mut space, 100);
    assert_eq!(space.state_hash(), before);

    let ball = space.add_body(&Body::dynamic().with_position(Vec2::new(0.0, 6.0))).unwrap();
    let form = Geometry::circle(0.25, Vec2::ZERO).unwrap();
    space.add_shape(ball, Shape::new(form).with_density(1.0)).unwrap();
    steps(&mut space, 20);
    assert_eq!(asleep(&space), 4, "the ball still flies");
    steps(&mut space, 20);
    assert_eq!(asleep(&space), 0, "the ball touches the topmost box");
    steps(&mut space, 600);
    assert!(asleep(&space) == 4 && space.body(ball).unwrap().is_asleep());

    space.body_mut(boxes[0]).unwrap().set_velocity(Vec2::new(5.0, 0.0)).unwrap();
    steps(&mut space, 1);
    assert_eq!(asleep(&space), 0);
}

#[test]
fn what_loses_its_support_wakes() {
    let (mut space, boxes) = stack(&SpaceSettings::default().with_sleep_time(Some(0.2)), 3);
    steps(&mut space, 120);
    assert!(space.body(boxes[2]).unwrap().is_asleep());
    space.remove_body(boxes[0]).unwrap();
    steps(&mut space, 120);
    let y = space.body(boxes[1]).unwrap().position().y;
    assert!((y - 0.5).abs() < 0.01, "{y}");
}
