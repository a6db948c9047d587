//! What callbacks may not do, and what waits until a step is complete.

use super::*;

#[test]
fn nothing_can_be_added_or_removed_in_callbacks() {
    let (mut space, body, shape, _) = scene();
    let handler = Handler::new().on_pre_solve(move |arbiter| {
        assert!(arbiter.space().is_locked());
        let mut change = arbiter.body_mut(body).unwrap();
        let locked = |result: Result<()>| matches!(result, Err(Error::Locked { .. }));
        assert!(locked(change.set_kind(BodyKind::Static)) && locked(change.set_centre_of_mass(Vec2::X)));
        assert!(locked(change.accumulate_mass_from_shapes()) && locked(change.reindex()));
        change.set_velocity(Vec2::new(0.5, 0.0)).unwrap();
        let mut change = arbiter.shape_mut(shape).unwrap();
        assert!(locked(change.set_mass(2.0)) && locked(change.set_circle_radius(2.0)));
        assert!(locked(change.set_sensor(true)));
        change.set_friction(0.1).unwrap();
        // Only the C ABI could come here with the space itself.
        let space = &mut *arbiter_space(arbiter);
        assert!(locked(space.add_body(&Body::fixed()).map(drop)) && locked(space.remove_body(body)));
        assert!(locked(space.add_shape(body, circle(1.0)).map(drop)) && locked(space.remove_shape(shape)));
        assert!(locked(space.step(DT)) && locked(space.set_gravity(Vec2::X)));
        assert!(locked(space.set_default_handler(Handler::new()).map(drop)));
        assert!(locked(space.reindex_static()) && locked(space.filter_arbiters(body, None)));
        true
    });
    space.set_handler(1, 2, handler).unwrap();
    run(&mut space, 1);
    assert!(!space.is_locked() && space.step_count() == 1);
    assert_eq!(space.shape(shape).unwrap().material().friction, 0.1);
}

fn arbiter_space<'a>(arbiter: &'a mut Arbiter<'_>) -> &'a mut Space {
    arbiter.space_mut()
}

#[test]
fn post_step_callbacks_change_everything_once_per_key() {
    let (mut space, body, _, floor) = scene();
    let handler = Handler::new().on_begin(move |arbiter| {
        assert!(arbiter.post_step(7, move |space| {
            space.remove_body(body).unwrap();
            assert!(space.post_step(7, |space| space.set_gravity(Vec2::X).unwrap()));
        }));
        assert!(!arbiter.post_step(7, |_| panic!("the key is taken")));
        true
    });
    space.set_handler(1, 2, handler).unwrap();
    run(&mut space, 1);
    assert!(!space.contains_body(body) && space.contains_shape(floor));
    assert_eq!(space.settings().gravity, Vec2::X, "of a callback of a callback");
}

#[test]
fn a_panic_leaves_a_complete_step() {
    let build = |panics: bool| {
        let (mut space, ..) = scene();
        let (_, other) = add(&mut space, [3.0, 0.5], circle(0.5));
        with_type(&mut space, other, 1);
        let handler = Handler::new().on_begin(move |_| if panics { panic!("in a handler") } else { true });
        space.set_handler(1, 2, handler).unwrap();
        space
    };
    let (mut good, mut bad) = (build(false), build(true));
    good.step(DT).unwrap();
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bad.step(DT))).unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"in a handler"));
    assert!(!bad.is_locked());
    run(&mut good, 5);
    run(&mut bad, 5);
    let positions = |space: &Space| space.bodies().map(|body| body.position()).collect::<Vec<_>>();
    assert_eq!(positions(&good), positions(&bad));
    assert_eq!(bad.step_count(), 6);
}

#[test]
fn setters_refuse_what_has_separated() {
    let (mut space, body, ..) = scene();
    let called = Arc::new(Mutex::new(0));
    let count = called.clone();
    let handler = Handler::new().on_separate(move |arbiter| {
        *count.lock().unwrap() += 1;
        assert_eq!((arbiter.count(), arbiter.normal(), arbiter.friction()), (0, Vec2::ZERO, 0.0));
        assert!(arbiter.point_a(0).is_err() && arbiter.depth(0).is_err());
        assert!(matches!(arbiter.set_friction(1.0), Err(Error::ReadOnly { field: "friction", .. })));
        assert!(arbiter.set_contact_set(&ContactSet::default()).is_err());
        assert_eq!((arbiter.total_impulse(), arbiter.total_energy_lost()), (Vec2::ZERO, 0.0));
    });
    space.set_default_handler(handler).unwrap();
    run(&mut space, 1);
    lift(&mut space, body);
    run(&mut space, 1);
    assert_eq!(*called.lock().unwrap(), 1);
}
