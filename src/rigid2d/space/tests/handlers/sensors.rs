//! What sensors detect.

use super::*;

#[test]
fn sensors_detect_and_do_nothing() {
    let (mut space, body, shape, _) = scene();
    let log = Log::default();
    space.set_wildcard_handler(1, log.handler("w", true, true)).unwrap();
    space.shape_mut(shape).unwrap().set_sensor(true).unwrap();
    run(&mut space, 2);
    assert_eq!(log.take(), ["w begin 1 2", "w pre 1 2", "w pre 1 2"]);
    assert!(space.body(body).unwrap().velocity().y < -0.3);
    assert!(space.arbiters()[0].is_sensor() && space.arbiters().len() == 1);
    lift(&mut space, body);
    run(&mut space, 1);
    assert_eq!(log.take(), ["w separate 1 2"]);
}

/// A zone of type 2 from x = 1 to 3 on one body, and a player of type 1 on another one at x = 0.
fn zone(zone: &Body, player: &Body, shape: Shape) -> (Space, BodyId, ShapeId) {
    let mut space = space();
    let zone = space.add_body(&zone.with_position(Vec2::new(2.0, 0.0))).unwrap();
    let player = space.add_body(player).unwrap();
    let sensor = Material::default().with_sensor(true).with_collision_type(2);
    let zone = space.add_shape(zone, rectangle(2.0, 2.0).with_material(sensor)).unwrap();
    let own = Material::default().with_collision_type(1);
    space.add_shape(player, shape.with_material(own)).unwrap();
    (space, player, zone)
}

#[test]
fn sensors_of_what_does_not_move_detect_kinematic_bodies() {
    for sensor in [Body::fixed(), Body::kinematic()] {
        for shape in [circle(0.3), rectangle(0.6, 0.6)] {
            let player = Body::kinematic().with_velocity(Vec2::new(1.0, 0.0));
            let (mut space, player, _) = zone(&sensor, &player, shape);
            let log = Log::default();
            space.set_wildcard_handler(1, log.handler("w", true, true)).unwrap();
            // Its front is at 0.3 m; it enters at 1 m and leaves with its back at 3 m.
            run(&mut space, 40);
            assert_eq!(log.take(), [""; 0]);
            run(&mut space, 4);
            assert_eq!(log.take()[..2], ["w begin 1 2", "w pre 1 2"]);
            assert!(space.arbiters()[0].is_sensor() && space.arbiters().len() == 1);
            let mut saved = Vec::new();
            space.save(&mut saved).unwrap();
            let mut loaded = Space::load(&mut &saved[..]).unwrap();
            run(&mut space, 60);
            assert_eq!(log.take(), ["w pre 1 2"; 60]);
            run(&mut space, 160);
            assert_eq!(log.take().last().unwrap(), "w separate 1 2");
            assert_eq!(space.body(player).unwrap().velocity(), Vec2::new(1.0, 0.0));
            run(&mut loaded, 60);
            assert_eq!(loaded.arbiters().len(), 1);
            run(&mut loaded, 160);
            assert!(loaded.arbiters().is_empty());
        }
    }
}

#[test]
fn a_kinematic_body_that_is_put_somewhere_is_detected() {
    let (mut space, player, zone) = zone(&Body::fixed(), &Body::kinematic(), circle(0.3));
    let log = Log::default();
    space.set_handler(1, 2, log.handler("h", true, true)).unwrap();
    run(&mut space, 2);
    for x in [2.0, 9.0] {
        space.body_mut(player).unwrap().set_position(Vec2::new(x, 0.0)).unwrap();
        run(&mut space, 1);
    }
    assert_eq!(log.take(), ["h begin 1 2", "h pre 1 2", "h separate 1 2"]);
    space.body_mut(player).unwrap().set_position(Vec2::new(2.0, 0.0)).unwrap();
    run(&mut space, 1);
    space.shape_mut(zone).unwrap().set_sensor(false).unwrap();
    run(&mut space, 1);
    assert_eq!(log.take(), ["h begin 1 2", "h pre 1 2", "h separate 1 2"], "solid, they do not collide");
    space.shape_mut(zone).unwrap().set_sensor(true).unwrap();
    run(&mut space, 1);
    assert_eq!(log.take(), ["h begin 1 2", "h pre 1 2"]);
}

#[test]
fn what_is_static_is_not_detected() {
    let (mut space, player, _) = zone(&Body::fixed(), &Body::fixed(), circle(0.3));
    space.body_mut(player).unwrap().set_position(Vec2::new(2.0, 0.0)).unwrap();
    run(&mut space, 2);
    assert!(space.arbiters().is_empty());
    space.body_mut(player).unwrap().set_kind(BodyKind::Kinematic).unwrap();
    run(&mut space, 1);
    assert_eq!(space.arbiters().len(), 1);
}
