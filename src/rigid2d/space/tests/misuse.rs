//! What is wrong is an error and changes nothing.

use super::*;

/// Everything that can be read of a space.
fn state(space: &Space) -> String {
    let bodies: Vec<String> = space
        .bodies()
        .map(|body| {
            let shapes: Vec<_> = body.shapes().map(|shape| (shape.id(), shape.to_shape())).collect();
            format!(
                "{:?} {:?} {} {} {:?} {} {:?} {} {:?} {} {:?}",
                body.id(),
                body.kind(),
                body.mass(),
                body.moment(),
                body.pose(),
                body.angle(),
                body.velocity(),
                body.angular_velocity(),
                body.force(),
                body.torque(),
                shapes
            )
        })
        .collect();
    format!("{bodies:?} {:?} {} {}", space.settings(), space.time(), space.step_count())
}

#[test]
fn bad_numbers_change_nothing() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let bad = Vec2::new(0.0, nan);
    let mut space = space();
    let (id, shape) = add(&mut space, [0.0, 1.0], rectangle(1.0, 1.0));
    let before = state(&space);
    let mut body = space.body_mut(id).unwrap();
    let errors = [
        body.set_mass(nan),
        body.set_mass(-1.0),
        body.set_mass(inf),
        body.set_moment(nan),
        body.set_moment(-1.0),
        body.set_position(bad),
        body.set_angle(inf),
        body.set_pose(Vec2::ZERO, nan),
        body.set_velocity(bad),
        body.set_angular_velocity(nan),
        body.set_force(bad),
        body.set_torque(inf),
        body.set_centre_of_mass(bad),
        body.apply_force(bad, Vec2::ZERO),
        body.apply_force(Vec2::X, bad),
        body.apply_force(Vec2::new(1e308, 0.0), Vec2::new(0.0, 1e10)),
        body.apply_impulse(bad, Vec2::ZERO),
        body.apply_impulse(Vec2::X, bad),
        body.apply_impulse(Vec2::new(1e308, 0.0), Vec2::new(0.0, 1e10)),
    ];
    assert!(errors.iter().all(Result::is_err), "{errors:?}");
    let mut shape = space.shape_mut(shape).unwrap();
    let errors = [
        shape.set_mass(-1.0),
        shape.set_mass(1e300),
        shape.set_density(nan),
        shape.set_friction(-1.0),
        shape.set_elasticity(nan),
        shape.set_surface_velocity(bad),
        shape.set_polygon_radius(-1.0),
        shape.set_polygon_vertices(&[Vec2::ZERO, Vec2::X]),
        shape.set_polygon_hull(&[Vec2::ZERO, Vec2::X]),
    ];
    assert!(errors.iter().all(Result::is_err), "{errors:?}");
    let wrong = [
        shape.set_circle_radius(1.0),
        shape.set_circle_offset(Vec2::X),
        shape.set_segment_ends(Vec2::ZERO, Vec2::X),
        shape.set_segment_radius(1.0),
        shape.set_segment_neighbours(None, None),
    ];
    assert!(wrong.iter().all(|result| matches!(result, Err(Error::WrongShape { found: "polygon", .. }))));
    for dt in [nan, inf, -0.1] {
        assert!(space.step(dt).is_err());
    }
    assert_eq!(space.step(0.0), Ok(()));
    assert!(space.add_body(&Body::dynamic().with_mass(-1.0)).is_err());
    assert!(space.add_shape(id, circle(1.0).with_mass(nan)).is_err());
    assert!(space.add_shape(id, circle(1.0).with_mass(1e300)).is_err(), "the body would be too heavy");
    assert!(space.set_gravity(bad).is_err());
    let other = space.settings().with_precision(Precision::Mixed);
    assert!(matches!(space.set_settings(&other), Err(Error::ReadOnly { field: "precision", .. })));
    assert_eq!(state(&space), before);
    run(&mut space, 5);
}

#[test]
fn static_and_kinematic_bodies_have_no_mass_and_no_forces() {
    let mut space = space();
    for kind in [BodyKind::Static, BodyKind::Kinematic] {
        let id = space.add_body(&Body::dynamic().with_kind(kind)).unwrap();
        let mut body = space.body_mut(id).unwrap();
        for result in [
            body.set_mass(1.0),
            body.set_moment(1.0),
            body.set_force(Vec2::X),
            body.set_torque(1.0),
            body.apply_force(Vec2::X, Vec2::ZERO),
            body.apply_impulse(Vec2::X, Vec2::ZERO),
            body.accumulate_mass_from_shapes(),
            body.sleep(),
        ] {
            assert!(matches!(result, Err(Error::NotDynamic { index, .. }) if index == id.index()));
        }
        assert_eq!(body.set_velocity(Vec2::X).is_ok(), kind == BodyKind::Kinematic);
        assert_eq!(body.set_angular_velocity(1.0).is_ok(), kind == BodyKind::Kinematic);
        assert_eq!((body.set_force(Vec2::ZERO), body.set_torque(0.0)), (Ok(()), Ok(())));
        space.add_shape(id, circle(1.0).with_mass(1.0)).unwrap();
        assert_eq!(space.body(id).unwrap().mass(), f64::INFINITY);
    }
}

#[test]
fn the_own_static_body_stays_until_it_is_replaced() {
    let mut space = space();
    let own = space.static_body();
    assert_eq!(space.remove_body(own), Err(Error::OwnStaticBody { operation: "remove" }));
    let change = space.body_mut(own).unwrap().set_kind(BodyKind::Dynamic);
    assert!(matches!(change, Err(Error::OwnStaticBody { .. })));
    let other = space.add_body(&Body::fixed()).unwrap();
    let dynamic = space.add_body(&Body::dynamic()).unwrap();
    assert!(space.set_static_body(dynamic).is_err());
    let shape = ground(&mut space);
    assert_eq!(space.set_static_body(other), Err(Error::HasShapes { index: 0, shapes: 1 }));
    assert_eq!(space.set_static_body(own), Ok(()));
    space.remove_shape(shape).unwrap();
    space.set_static_body(other).unwrap();
    assert_eq!(space.static_body(), other);
    space.remove_body(own).unwrap();
    assert!(space.remove_body(other).is_err());
}

#[test]
fn dead_ids_are_errors() {
    let mut space = space();
    let (body, shape) = add(&mut space, [0.0, 0.0], circle(1.0));
    space.remove_shape(shape).unwrap();
    assert!(space.shape(shape).is_err() && space.shape_mut(shape).is_err());
    assert!(space.remove_shape(shape).is_err() && space.reindex_shape(shape).is_err());
    space.remove_body(body).unwrap();
    assert!(space.body(body).is_err() && space.body_mut(body).is_err() && space.reindex_body(body).is_err());
    assert!(space.add_shape(body, circle(1.0)).is_err() && space.set_static_body(body).is_err());
    assert!(space.body(BodyId::from_bits(77)).is_err());
}

#[test]
fn spaces_can_be_sent_and_shared() {
    fn check<T: Send + Sync>() {}
    check::<Space>();
}

#[test]
fn what_is_too_fast_is_an_error_and_changes_nothing() {
    for precision in [Precision::Double, Precision::Mixed] {
        let settings = SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0)).with_precision(precision);
        let mut space = Space::new(&settings).unwrap();
        ground(&mut space);
        let (id, _) = add(&mut space, [0.0, 0.5], circle(0.5));
        run(&mut space, 2);
        type Change = fn(&mut BodyMut<'_>) -> Result<()>;
        let changes: [(Change, &str); 5] = [
            (|body| body.set_velocity(Vec2::new(0.0, 1.7e308)), "position"),
            (|body| body.set_velocity(Vec2::new(1e40, 0.0)), "position"),
            (|body| body.set_angular_velocity(-1e300), "angle"),
            (|body| body.set_force(Vec2::new(1e300, 0.0)), "position"),
            (|body| body.set_position(Vec2::new(-1e200, 0.0)), "position"),
        ];
        for (change, expected) in changes {
            let mut body = space.body_mut(id).unwrap();
            let good = (body.as_ref().position(), body.as_ref().velocity());
            change(&mut body).unwrap();
            let before = state(&space);
            let error = space.step(DT).unwrap_err();
            assert!(
                matches!(error, Error::Overflow { field, index: Some(1), .. } if field == expected),
                "{error}"
            );
            assert_eq!(state(&space), before);
            let mut body = space.body_mut(id).unwrap();
            body.set_position(good.0).unwrap();
            body.set_velocity(good.1).unwrap();
            body.set_angular_velocity(0.0).unwrap();
            body.set_force(Vec2::ZERO).unwrap();
        }
        run(&mut space, 60);
        assert!((space.body(id).unwrap().position().y - 0.5).abs() < 0.01);
    }
}

#[test]
fn what_contacts_send_too_far_stays_where_it_was() {
    let mut space = space();
    ground(&mut space);
    let (lost, _) = add(&mut space, [0.0, 0.5], rectangle(1.0, 1.0));
    let (other, _) = add(&mut space, [5.0, 0.5], rectangle(1.0, 1.0));
    run(&mut space, 2);
    let place = space.body(lost).unwrap().position();
    // No sensible scene comes so far, so the solver is given a velocity that is none.
    let handler = Handler::new().on_pre_solve(move |arbiter| {
        if arbiter.bodies().contains(&lost) {
            arbiter.space_mut().core.engine.bodies_mut().velocity_x[lost.index()] = f64::NAN;
        }
        true
    });
    space.set_default_handler(handler).unwrap();
    let error = space.step(DT).unwrap_err();
    assert!(matches!(error, Error::Overflow { field: "velocity", index: Some(1), .. }));
    space.set_default_handler(Handler::new()).unwrap();
    let body = space.body(lost).unwrap();
    assert_eq!((body.position(), body.velocity(), body.angular_velocity()), (place, Vec2::ZERO, 0.0));
    assert!(body.arbiters().is_empty() && space.body(other).unwrap().arbiters().len() == 1);
    run(&mut space, 60);
    assert!((space.body(lost).unwrap().position().y - 0.5).abs() < 0.01);
}
