//! Bodies and shapes: what is set is read, masses come from shapes, kinds change.

use super::*;
use crate::geometry::{Aabb, Rotation};
use crate::rigid2d::shapes::Segment;

#[test]
fn a_body_has_what_it_was_given() {
    let mut space = space();
    let body = Body::dynamic()
        .with_position(Vec2::new(1.0, 2.0))
        .with_angle(0.5)
        .with_velocity(Vec2::new(3.0, 4.0))
        .with_angular_velocity(5.0)
        .with_mass(2.0)
        .with_moment(3.0)
        .with_force(Vec2::X)
        .with_torque(7.0)
        .with_bullet(true)
        .with_user_data(99);
    let id = space.add_body(&body).unwrap();
    let body = space.body(id).unwrap();
    assert_eq!((body.id(), body.kind(), body.mass(), body.moment()), (id, BodyKind::Dynamic, 2.0, 3.0));
    assert_eq!(
        (body.position(), body.angle(), body.rotation()),
        (Vec2::new(1.0, 2.0), 0.5, Rotation::from_angle(0.5))
    );
    assert_eq!((body.velocity(), body.angular_velocity()), (Vec2::new(3.0, 4.0), 5.0));
    assert_eq!((body.force(), body.torque(), body.user_data()), (Vec2::X, 7.0, 99));
    assert!(body.is_bullet() && !body.is_asleep());
    assert_eq!(body.kinetic_energy(), 25.0 + 37.5);
    assert_eq!(body.velocity_at(Vec2::new(2.0, 2.0)), Vec2::new(3.0, 9.0));
    assert!(body.to_local(body.to_world(Vec2::new(0.3, 0.4))).distance(Vec2::new(0.3, 0.4)) < 1e-15);
}

#[test]
fn an_impulse_changes_the_velocity_by_the_inverse_mass_at_its_point() {
    let mut space = space();
    let (id, _) = add(&mut space, [1.0, 2.0], rectangle(2.0, 1.0));
    let (point, direction) = (Vec2::new(1.7, 2.4), Vec2::new(0.6, -0.8));
    let body = space.body(id).unwrap();
    // 1/m + (r x n)^2 / I with m = 1 kg, I = 5/12 kg m^2, r = (0.7, 0.4).
    let arm = 0.7 * -0.8 - 0.4 * 0.6;
    let expected = 1.0 + arm * arm * 12.0 / 5.0;
    assert!((body.inverse_mass_at(point, direction) - expected).abs() < 1e-14);
    let before = body.velocity_at(point);
    space.body_mut(id).unwrap().apply_impulse(direction * 3.0, point).unwrap();
    let change = space.body(id).unwrap().velocity_at(point) - before;
    assert!((change.dot(direction) - 3.0 * expected).abs() < 1e-13);
    assert_eq!(space.body(space.static_body()).unwrap().inverse_mass_at(point, direction), 0.0);
}

#[test]
fn the_centre_of_mass_moves_and_the_body_does_not() {
    let mut space = space();
    let (body, shape) = add(&mut space, [1.0, 2.0], rectangle(2.0, 2.0));
    space.body_mut(body).unwrap().set_angle(0.7).unwrap();
    let bounds = space.shape(shape).unwrap().bounding_box();
    space.body_mut(body).unwrap().set_centre_of_mass(Vec2::new(0.25, -0.5)).unwrap();
    let read = space.body(body).unwrap();
    assert!(read.position().distance(Vec2::new(1.0, 2.0)) < 1e-15);
    assert!(read.world_centre_of_mass().distance(read.to_world(Vec2::new(0.25, -0.5))) < 1e-15);
    assert!(space.shape(shape).unwrap().bounding_box().is_within(&bounds, 1e-14));
    let definition = space.core.engine.definition(shape.index);
    assert_eq!(
        (definition.centre_of_mass, definition.core()[0]),
        (Vec2::new(0.25, -0.5), Vec2::new(-1.25, -0.5))
    );
    let extent = space.core.engine.bodies().extent()[body.index()];
    assert_eq!(extent, Vec2::new(1.25, 1.5).length());
    space.body_mut(body).unwrap().set_position(Vec2::new(-3.0, 0.0)).unwrap();
    assert!(space.body(body).unwrap().position().distance(Vec2::new(-3.0, 0.0)) < 1e-15);
}

#[test]
fn masses_come_from_shapes() {
    let mut space = space();
    let body = space.add_body(&Body::dynamic().with_mass(7.0).with_moment(8.0)).unwrap();
    let at = |x: f64| Shape::new(Geometry::circle(1.0, Vec2::new(x, 0.0)).unwrap());
    let light = space.add_shape(body, at(0.0)).unwrap();
    assert_eq!(space.body(body).unwrap().mass(), 7.0, "a shape without mass changes nothing");
    let left = space.add_shape(body, at(-1.0).with_mass(1.0)).unwrap();
    let read = space.body(body).unwrap();
    assert_eq!((read.mass(), read.moment(), read.centre_of_mass()), (1.0, 0.5, Vec2::new(-1.0, 0.0)));
    let right = space.add_shape(body, at(3.0).with_mass(3.0)).unwrap();
    let read = space.body(body).unwrap();
    assert_eq!((read.mass(), read.centre_of_mass(), read.position()), (4.0, Vec2::new(2.0, 0.0), Vec2::ZERO));
    assert_eq!(read.moment(), 0.5 + 9.0 + 1.5 + 3.0);
    assert_eq!(read.shapes().map(|shape| shape.id()).collect::<Vec<_>>(), [light, left, right]);
    space.shape_mut(left).unwrap().set_mass(3.0).unwrap();
    assert_eq!(space.body(body).unwrap().centre_of_mass(), Vec2::new(1.0, 0.0));
    space.shape_mut(left).unwrap().set_density(0.0).unwrap();
    assert_eq!((space.body(body).unwrap().mass(), space.shape(left).unwrap().density()), (3.0, 0.0));
    space.shape_mut(right).unwrap().set_circle_offset(Vec2::new(5.0, 0.0)).unwrap();
    assert_eq!(space.body(body).unwrap().centre_of_mass(), Vec2::new(5.0, 0.0));
    space.remove_shape(right).unwrap();
    assert_eq!((space.body(body).unwrap().mass(), space.step(DT)), (0.0, Err(Error::NoMass { index: 1 })));
    space.body_mut(body).unwrap().set_mass(2.0).unwrap();
    space.body_mut(body).unwrap().set_moment(f64::INFINITY).unwrap();
    assert_eq!(space.step(DT), Ok(()));
    assert!((space.body(body).unwrap().kinetic_energy() - (10.0 * DT) * (10.0 * DT)).abs() < 1e-15);
}

#[test]
fn kinds_change() {
    let mut space = space();
    let (body, _) = add(&mut space, [0.0, 0.0], circle(1.0));
    space.body_mut(body).unwrap().set_velocity(Vec2::X).unwrap();
    space.body_mut(body).unwrap().set_kind(BodyKind::Kinematic).unwrap();
    let read = space.body(body).unwrap();
    assert_eq!((read.mass(), read.velocity(), read.kinetic_energy()), (f64::INFINITY, Vec2::X, 0.0));
    run(&mut space, 60);
    assert!((space.body(body).unwrap().position().x - 1.0).abs() < 1e-12, "it moves and does not fall");
    space.body_mut(body).unwrap().set_kind(BodyKind::Static).unwrap();
    let read = space.body(body).unwrap();
    assert_eq!((read.velocity(), read.moment()), (Vec2::ZERO, f64::INFINITY));
    space.body_mut(body).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    assert_eq!((space.body(body).unwrap().mass(), space.body(body).unwrap().moment()), (1.0, 0.5));
    run(&mut space, 1);
    assert!(space.body(body).unwrap().velocity().y < 0.0);
}

#[test]
fn a_change_of_kind_keeps_contacts_right() {
    let mut space = space();
    ground(&mut space);
    let (low, _) = add(&mut space, [0.0, 0.5], rectangle(1.0, 1.0));
    let (high, _) = add(&mut space, [0.0, 1.5], rectangle(1.0, 1.0));
    run(&mut space, 30);
    space.body_mut(low).unwrap().set_kind(BodyKind::Static).unwrap();
    run(&mut space, 60);
    assert!((space.body(high).unwrap().position().y - 1.5).abs() < 0.02);
    space.body_mut(low).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    run(&mut space, 60);
    assert!((space.body(high).unwrap().position().y - 1.5).abs() < 0.02);
    assert!((space.body(low).unwrap().position().y - 0.5).abs() < 0.02);
    assert!(space.body(low).unwrap().mass() == 1.0);
}

#[test]
fn forces_and_impulses_act_at_points() {
    let mut space = Space::new(&SpaceSettings::default()).unwrap();
    let (body, _) = add(&mut space, [1.0, 0.0], circle(1.0));
    let mut change = space.body_mut(body).unwrap();
    change.apply_impulse(Vec2::new(0.0, 2.0), Vec2::new(2.0, 0.0)).unwrap();
    assert_eq!((change.as_ref().velocity(), change.as_ref().angular_velocity()), (Vec2::new(0.0, 2.0), 4.0));
    change.apply_impulse_local(Vec2::new(0.0, -2.0), Vec2::X).unwrap();
    assert_eq!((change.as_ref().velocity(), change.as_ref().angular_velocity()), (Vec2::ZERO, 0.0));
    change.apply_force(Vec2::X, Vec2::new(1.0, 1.0)).unwrap();
    change.apply_force_local(Vec2::X, Vec2::ZERO).unwrap();
    assert_eq!((change.as_ref().force(), change.as_ref().torque()), (Vec2::new(2.0, 0.0), -1.0));
    space.step(0.5).unwrap();
    let read = space.body(body).unwrap();
    assert!((read.velocity().x - 1.0).abs() < 1e-12 && (read.angular_velocity() + 1.0).abs() < 1e-12);
    assert_eq!((read.force(), read.torque()), (Vec2::ZERO, 0.0), "forces are for one step");
}

#[test]
fn rows_are_used_again_and_ids_are_not() {
    let mut space = space();
    let (first, shape) = add(&mut space, [0.0, 0.0], circle(1.0));
    let (second, other) = add(&mut space, [5.0, 0.0], circle(1.0));
    space.remove_body(first).unwrap();
    assert!(!space.contains_body(first) && !space.contains_shape(shape) && space.contains_body(second));
    assert_eq!(space.body(first).err(), Some(Error::DeadId { what: "body", index: 1 }));
    assert_eq!(space.shape(shape).err(), Some(Error::DeadId { what: "shape", index: 0 }));
    assert_eq!(space.remove_body(first), Err(Error::DeadId { what: "body", index: 1 }));
    let (third, shape_3) = add(&mut space, [0.0, 0.0], circle(2.0));
    assert_eq!((third.index(), third.generation(), shape_3.index()), (1, 1, 0));
    assert!(!space.contains_body(first) && !space.contains_shape(shape));
    assert_eq!((space.body_count(), space.shape_count()), (3, 2));
    let ids: Vec<BodyId> = space.bodies().map(|body| body.id()).collect();
    assert_eq!(ids, [space.static_body(), third, second]);
    assert_eq!(space.shapes().map(|shape| shape.id()).collect::<Vec<_>>(), [shape_3, other]);
    run(&mut space, 10);
    assert_eq!(space.body(third).unwrap().user_data(), 0);
}

#[test]
fn shapes_can_be_changed() {
    let mut space = space();
    let (_, shape) = add(&mut space, [0.0, 0.0], rectangle(2.0, 1.0));
    let mut change = space.shape_mut(shape).unwrap();
    change.set_polygon_box(&Aabb { min: [0.0, 0.0], max: [1.0, 1.0] }).unwrap();
    change.set_polygon_radius(0.5).unwrap();
    assert_eq!(change.as_ref().polygon_vertex(2), Ok(Vec2::new(1.0, 1.0)));
    assert_eq!(change.as_ref().polygon_vertex(4), Err(Error::BadIndex { field: "vertex", index: 4, len: 4 }));
    change.set_polygon_vertices(&[Vec2::ZERO, Vec2::X, Vec2::Y]).unwrap();
    change.set_polygon_hull(&[Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::new(1.0, 1.0)]).unwrap();
    assert_eq!(
        (change.as_ref().polygon().unwrap().vertices().len(), change.as_ref().geometry().radius()),
        (4, 0.5)
    );
    change.set_elasticity(0.5).unwrap();
    change.set_friction(0.25).unwrap();
    change.set_surface_velocity(Vec2::Y).unwrap();
    change.set_collision_type(8).unwrap();
    change.set_sensor(true).unwrap();
    change.set_user_data(3);
    let expected = Material::default()
        .with_elasticity(0.5)
        .with_friction(0.25)
        .with_surface_velocity(Vec2::Y)
        .with_collision_type(8)
        .with_sensor(true);
    assert_eq!((*change.as_ref().material(), change.as_ref().user_data()), (expected, 3));
    change.set_geometry(Geometry::segment(Vec2::ZERO, Vec2::X, 0.1).unwrap()).unwrap();
    change.set_segment_neighbours(None, Some(Vec2::new(2.0, 0.0))).unwrap();
    change.set_segment_ends(Vec2::ZERO, Vec2::Y).unwrap();
    change.set_segment_radius(0.2).unwrap();
    let segment = *change.as_ref().segment().unwrap();
    assert_eq!((segment.b(), segment.radius(), segment.next()), (Vec2::Y, 0.2, Some(Vec2::new(2.0, 0.0))));
}

#[test]
fn a_shape_that_grows_lifts_what_is_on_it() {
    let mut space = space();
    let floor = space.add_body(&Body::fixed()).unwrap();
    let floor_shape = space.add_shape(floor, rectangle(10.0, 1.0)).unwrap();
    let (body, _) = add(&mut space, [0.0, 1.0], rectangle(1.0, 1.0));
    run(&mut space, 30);
    let hexagon =
        [[-5.0, -0.5], [5.0, -0.5], [5.2, 0.0], [5.0, 0.52], [-5.0, 0.52], [-5.2, 0.0]].map(Vec2::from);
    space.shape_mut(floor_shape).unwrap().set_polygon_vertices(&hexagon).unwrap();
    run(&mut space, 60);
    let height = space.body(body).unwrap().position().y;
    assert!((height - 1.02).abs() < 0.01, "{height}");
}

#[test]
fn mixed_precision_stands_too() {
    let settings =
        SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0)).with_precision(Precision::Mixed);
    let mut space = Space::new(&settings).unwrap();
    ground(&mut space);
    let (body, _) = add(&mut space, [0.0, 0.6], rectangle(1.0, 1.0));
    run(&mut space, 90);
    assert!((space.body(body).unwrap().position().y - 0.5).abs() < 0.01);
}

#[test]
fn functions_of_the_caller_move_bodies() {
    let mut space = space();
    let (driven, _) = add(&mut space, [0.0, 0.0], circle(0.1));
    let (floating, _) = add(&mut space, [5.0, 0.0], circle(0.1));
    let (guided, _) = add(&mut space, [9.0, 3.0], circle(0.1));
    space
        .body_mut(driven)
        .unwrap()
        .set_velocity_update(Some(|update: &mut VelocityUpdate<'_>| update.velocity = Vec2::new(2.0, 0.0)))
        .unwrap();
    space
        .body_mut(floating)
        .unwrap()
        .set_velocity_update(Some(|update: &mut VelocityUpdate<'_>| {
            let half = update.gravity() * 0.5;
            update.accelerate(half);
        }))
        .unwrap();
    space
        .body_mut(guided)
        .unwrap()
        .set_position_update(Some(|update: &mut PositionUpdate<'_>| {
            let height = update.position.y;
            update.advance();
            update.position.y = height;
        }))
        .unwrap();
    space.body_mut(guided).unwrap().set_velocity(Vec2::X).unwrap();
    run(&mut space, 60);
    let position = |id| space.body(id).unwrap().position();
    assert!((space.body(driven).unwrap().velocity() - Vec2::new(2.0, 0.0)).length() < 1e-12);
    assert!((position(driven).x - 2.0).abs() < 0.02);
    assert!((position(floating).y + 2.5).abs() < 0.1);
    assert!((position(guided).x - 10.0).abs() < 1e-9 && position(guided).y == 3.0);
    space.body_mut(driven).unwrap().set_velocity_update(None::<fn(&mut VelocityUpdate<'_>)>).unwrap();
    run(&mut space, 1);
    assert!(space.body(driven).unwrap().velocity().y < -0.1);
}

/// The velocity with which a box without friction arrives, which slid over the joints of segments.
fn slide_over(chained: bool, precision: Precision) -> Vec2 {
    let settings = SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0)).with_precision(precision);
    let mut space = Space::new(&settings).unwrap();
    let point = |k: u32| Vec2::new(f64::from(k) * 0.7, 0.0);
    for k in 1..20 {
        let segment = Segment::new(point(k), point(k + 1), 0.0).unwrap();
        let neighbours = [Some(point(k - 1)), Some(point(k + 2))].map(|point| point.filter(|_| chained));
        let segment = segment.with_neighbours(neighbours[0], neighbours[1]).unwrap();
        space.add_shape(space.static_body(), Shape::new(Geometry::Segment(segment))).unwrap();
    }
    let body = space.add_body(&Body::dynamic().with_position(Vec2::new(1.5, 0.49))).unwrap();
    let shape = Shape::new(Geometry::rectangle(1.0, 1.0, 0.0).unwrap()).with_mass(1.0);
    space.add_shape(body, shape).unwrap();
    space.body_mut(body).unwrap().set_velocity(Vec2::new(5.0, 0.0)).unwrap();
    run(&mut space, 120);
    let read = space.body(body).unwrap();
    assert!((read.position().y - 0.5).abs() < 0.02, "{:?}", read.position());
    read.velocity()
}

#[test]
fn a_box_slides_over_the_joints_of_a_chain() {
    for precision in [Precision::Double, Precision::Mixed] {
        let velocity = slide_over(true, precision);
        assert!((velocity.x - 5.0).abs() < 1e-5 && velocity.y.abs() < 0.01, "{velocity:?}");
        // Without neighbours the ends of the segments are in the way.
        assert!(slide_over(false, precision).x < 1.0);
    }
}

#[test]
fn more_contacts_than_colours_hold() {
    let mut space = space();
    ground(&mut space);
    let (plate, _) = add(&mut space, [0.0, 0.5], rectangle(50.0, 1.0));
    let balls = (0..40).map(|n| f64::from(n) * 1.2 - 23.4);
    let balls: Vec<BodyId> = balls.map(|x| add(&mut space, [x, 1.6], circle(0.5)).0).collect();
    run(&mut space, 120);
    assert!((space.body(plate).unwrap().position().y - 0.5).abs() < 0.02);
    for ball in balls {
        let height = space.body(ball).unwrap().position().y;
        assert!((height - 1.5).abs() < 0.02, "{height}");
    }
}
