//! What handlers can change, and what they see of impulses.

use super::*;

#[test]
fn a_handler_changes_friction_and_restitution_for_one_step() {
    let (mut space, body, ..) = scene();
    space.body_mut(body).unwrap().set_moment(f64::INFINITY).unwrap();
    space.body_mut(body).unwrap().set_velocity(Vec2::new(1.0, 0.0)).unwrap();
    let handler = Handler::new().on_pre_solve(|arbiter| {
        assert_eq!((arbiter.friction(), arbiter.restitution()), (0.5, 0.0));
        assert!(arbiter.set_friction(-1.0).is_err() && arbiter.set_restitution(f64::NAN).is_err());
        assert!(arbiter.set_surface_velocity(Vec2::new(f64::NAN, 0.0)).is_err());
        arbiter.set_friction(0.0).unwrap();
        arbiter.set_restitution(0.25).unwrap();
        assert_eq!((arbiter.friction(), arbiter.restitution()), (0.0, 0.25));
        true
    });
    space.set_handler(1, 2, handler).unwrap();
    run(&mut space, 30);
    assert!((space.body(body).unwrap().velocity().x - 1.0).abs() < 1e-9, "no friction");
    space.remove_handler(1, 2).unwrap();
    run(&mut space, 30);
    assert!(space.body(body).unwrap().velocity().x.abs() < 1e-6, "friction again");
}

#[test]
fn restitution_of_a_handler_bounces() {
    let (mut space, body, ..) = scene();
    lift(&mut space, body);
    let handler = Handler::new().on_begin(|arbiter| {
        arbiter.set_restitution(1.0).unwrap();
        true
    });
    space.set_handler(1, 2, handler).unwrap();
    run(&mut space, 60);
    assert!(space.body(body).unwrap().velocity().y > 3.0, "{:?}", space.body(body).unwrap().velocity());
}

#[test]
fn a_belt_carries_what_lies_on_it() {
    for by_handler in [false, true] {
        let (mut space, body, _, floor) = scene();
        space.body_mut(body).unwrap().set_moment(f64::INFINITY).unwrap();
        if by_handler {
            let handler = Handler::new().on_pre_solve(|arbiter| {
                arbiter.set_surface_velocity(Vec2::new(2.0, 0.0)).unwrap();
                assert_eq!(arbiter.surface_velocity(), Vec2::new(2.0, 0.0));
                true
            });
            // The ground is B.
            space.set_handler(1, 2, handler).unwrap();
        } else {
            space.shape_mut(floor).unwrap().set_surface_velocity(Vec2::new(2.0, 0.0)).unwrap();
        }
        run(&mut space, 90);
        let velocity = space.body(body).unwrap().velocity();
        assert!((velocity.x - 2.0).abs() < 0.01, "{velocity:?} {by_handler}");
        if !by_handler {
            let arbiter = space.body(body).unwrap().arbiters()[0];
            assert_eq!(arbiter.surface_velocity(), Vec2::new(2.0, 0.0));
        }
    }
}

#[test]
fn a_platform_lets_through_from_below() {
    let mut space = space();
    let floor = ground(&mut space);
    with_type(&mut space, floor, 2);
    let (body, shape) = add(&mut space, [0.0, -2.0], circle(0.25));
    with_type(&mut space, shape, 1);
    // The normal goes from the ball to the platform: it must point down.
    let handler = Handler::new().on_pre_solve(|arbiter| {
        if arbiter.normal().y < 0.0 && arbiter.space().body(arbiter.bodies()[0]).unwrap().velocity().y <= 0.1
        {
            true
        } else {
            arbiter.ignore()
        }
    });
    space.set_handler(1, 2, handler).unwrap();
    space.body_mut(body).unwrap().set_velocity(Vec2::new(0.0, 8.0)).unwrap();
    run(&mut space, 20);
    assert!(space.body(body).unwrap().position().y > 0.0, "it has passed");
    run(&mut space, 150);
    let y = space.body(body).unwrap().position().y;
    assert!((y - 0.25).abs() < 0.01, "it rests on the platform: {y}");
}

#[test]
fn contact_sets_can_be_changed_but_not_their_number() {
    let mut space = space();
    ground(&mut space);
    let (body, _) = add(&mut space, [0.0, 0.5], rectangle(1.0, 1.0));
    let handler = Handler::new().on_pre_solve(|arbiter| {
        let set = arbiter.contact_set();
        assert_eq!((set.points().len(), arbiter.count()), (2, 2));
        let one = ContactSet::new(set.normal, &[[Vec2::ZERO; 2]]);
        let wrong = Error::WrongLength { field: "contact points", index: 0, expected: 2, found: 1 };
        assert_eq!(arbiter.set_contact_set(&one), Err(wrong));
        let mut long = set;
        long.normal = set.normal * 2.0;
        assert!(arbiter.set_contact_set(&long).is_err());
        assert_eq!(arbiter.point_a(2), Err(Error::BadIndex { field: "contact", index: 2, len: 2 }));
        assert_eq!(arbiter.contact_set(), set, "errors change nothing");
        // As if the ground were lower by 0.1.
        let mut lower = set;
        for point in lower.points_mut() {
            point.point_b.y += 0.1;
        }
        arbiter.set_contact_set(&lower).unwrap();
        assert!((arbiter.depth(0).unwrap() - (set.points()[0].depth - 0.1)).abs() < 1e-12);
        true
    });
    space.set_default_handler(handler).unwrap();
    run(&mut space, 120);
    let y = space.body(body).unwrap().position().y;
    assert!((y - 0.4).abs() < 0.01, "{y}");
}

#[test]
fn the_impulse_of_a_resting_body_carries_its_weight() {
    let (mut space, body, ..) = scene();
    run(&mut space, 60);
    let arbiter = space.body(body).unwrap().arbiters()[0];
    let impulse = arbiter.total_impulse();
    assert!(
        (impulse.y + 10.0 * DT).abs() < 1e-4 && impulse.x.abs() < 1e-9,
        "of the ball on the ground: {impulse:?}"
    );
    assert!((arbiter.total_energy_lost() - (10.0 * DT) * (10.0 * DT)).abs() < 1e-3);
    assert_eq!((arbiter.state(), arbiter.bodies()), (ArbiterState::Normal, [body, space.static_body()]));
    assert!((arbiter.normal() + Vec2::Y).length() < 1e-12 && arbiter.depth(0).unwrap().abs() < 0.01);
}

#[test]
fn to_watch_changes_no_bits() {
    let run_with = |watch: bool| {
        let mut space = space();
        ground(&mut space);
        let bodies: Vec<BodyId> = (0..30)
            .map(|i| {
                add(&mut space, [0.3 * f64::from(i % 5), 0.5 + 1.1 * f64::from(i / 5)], rectangle(1.0, 1.0)).0
            })
            .collect();
        if watch {
            let handler = Handler::new()
                .on_begin(|_| true)
                .on_pre_solve(|arbiter| arbiter.count() > 0)
                .on_separate(|_| {});
            space.set_default_handler(handler).unwrap();
        }
        run(&mut space, 60);
        bodies.iter().map(|&body| space.body(body).unwrap().pose()).collect::<Vec<_>>()
    };
    assert_eq!(run_with(false), run_with(true));
}

#[test]
fn impulses_of_an_impact_stop_the_body() {
    for (restitution, solver) in
        [(0.0, Solver::Soft), (0.5, Solver::Soft), (1.0, Solver::Soft), (0.0, Solver::Sequential)]
    {
        let (mut space, body, shape, floor) = scene();
        space.set_settings(&space.settings().with_solver(solver)).unwrap();
        for shape in [shape, floor] {
            space.shape_mut(shape).unwrap().set_elasticity(f64::sqrt(restitution)).unwrap();
        }
        lift(&mut space, body);
        let sums = Arc::new(Mutex::new(Vec2::ZERO));
        let sum = sums.clone();
        let handler = Handler::new().on_post_solve(move |arbiter| {
            assert_eq!(
                arbiter.state(),
                if arbiter.is_first() { ArbiterState::First } else { ArbiterState::Normal }
            );
            *sum.lock().unwrap() += arbiter.total_impulse();
        });
        space.set_handler(2, 1, handler).unwrap();
        run(&mut space, 60);
        // The ground is A: its impulses and gravity give the momentum of the ball.
        let momentum = space.body(body).unwrap().velocity().y;
        let impulse = sums.lock().unwrap().y - 60.0 * 10.0 * DT;
        assert!((momentum - impulse).abs() < 1e-9, "{momentum} {impulse} {restitution}");
        assert!(impulse + 10.0 > 5.0);
    }
}

#[test]
fn fast_bodies_pass_through_what_is_ignored() {
    for (agrees, passes) in [(false, true), (true, false)] {
        let (mut space, body, ..) = scene();
        lift(&mut space, body);
        space.body_mut(body).unwrap().set_bullet(true);
        space.body_mut(body).unwrap().set_velocity(Vec2::new(0.0, -100.0)).unwrap();
        space.set_handler(1, 2, Handler::new().on_begin(move |_| agrees)).unwrap();
        run(&mut space, 10);
        assert_eq!(space.body(body).unwrap().position().y < 0.0, passes);
    }
}
