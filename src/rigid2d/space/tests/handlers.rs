//! When handlers are called, and what they can change.

use std::sync::{Arc, Mutex};

use super::*;

/// What was called, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// A handler that writes everything down under a name, with the types of both shapes.
    fn handler(&self, name: &'static str, begin: bool, pre_solve: bool) -> Handler {
        let write = |event: &'static str, log: Log| {
            move |arbiter: &mut Arbiter<'_>| {
                let types = arbiter
                    .shapes()
                    .map(|shape| arbiter.space().shape(shape).unwrap().material().collision_type);
                log.add(format!("{name} {event} {} {}", types[0], types[1]));
            }
        };
        let (on_begin, on_pre) = (write("begin", self.clone()), write("pre", self.clone()));
        Handler::new()
            .on_begin(move |arbiter| {
                on_begin(arbiter);
                begin
            })
            .on_pre_solve(move |arbiter| {
                on_pre(arbiter);
                pre_solve
            })
            .on_post_solve(write("post", self.clone()))
            .on_separate(write("separate", self.clone()))
    }
}

fn with_type(space: &mut Space, shape: ShapeId, collision_type: u64) {
    space.shape_mut(shape).unwrap().set_collision_type(collision_type).unwrap();
}

/// A ball of type 1 that rests on the ground of type 2.
fn scene() -> (Space, BodyId, ShapeId, ShapeId) {
    let mut space = space();
    let floor = ground(&mut space);
    with_type(&mut space, floor, 2);
    let (body, shape) = add(&mut space, [0.0, 0.5], circle(0.5));
    with_type(&mut space, shape, 1);
    (space, body, shape, floor)
}

fn lift(space: &mut Space, body: BodyId) {
    space.body_mut(body).unwrap().set_position(Vec2::new(0.0, 3.0)).unwrap();
    space.body_mut(body).unwrap().set_velocity(Vec2::ZERO).unwrap();
}

#[test]
fn a_contact_begins_is_solved_and_separates_once() {
    let (mut space, body, ..) = scene();
    let log = Log::default();
    space.set_handler(1, 2, log.handler("h", true, true)).unwrap();
    run(&mut space, 1);
    assert_eq!(log.take(), ["h begin 1 2", "h pre 1 2", "h post 1 2"]);
    run(&mut space, 1);
    assert_eq!(log.take(), ["h pre 1 2", "h post 1 2"]);
    lift(&mut space, body);
    run(&mut space, 2);
    assert_eq!(log.take(), ["h separate 1 2"]);
    space.set_handler(2, 1, log.handler("g", true, true)).unwrap();
    space.body_mut(body).unwrap().set_position(Vec2::new(0.0, 0.5)).unwrap();
    run(&mut space, 1);
    assert_eq!(log.take(), ["g begin 2 1", "g pre 2 1", "g post 2 1"], "A has the first type");
}

#[test]
fn a_contact_that_is_refused_at_first_is_ignored_until_it_ends() {
    let (mut space, body, ..) = scene();
    let log = Log::default();
    space.set_handler(1, 2, log.handler("h", false, true)).unwrap();
    run(&mut space, 3);
    assert_eq!(log.take(), ["h begin 1 2"]);
    assert!(space.body(body).unwrap().position().y < 0.5, "it falls");
    assert_eq!(space.body(body).unwrap().arbiters()[0].state(), ArbiterState::Ignored);
    lift(&mut space, body);
    run(&mut space, 1);
    assert_eq!(log.take(), ["h separate 1 2"], "also of what was ignored");
}

#[test]
fn ignore_is_like_refusing() {
    let (mut space, body, ..) = scene();
    let log = Log::default();
    let handler = log.handler("h", true, true).on_pre_solve(|arbiter| arbiter.ignore());
    space.set_handler(1, 2, handler).unwrap();
    run(&mut space, 3);
    assert_eq!(log.take(), ["h begin 1 2"]);
    assert!(space.body(body).unwrap().velocity().y < -0.4);
    lift(&mut space, body);
    run(&mut space, 1);
    assert_eq!(log.take(), ["h separate 1 2"]);
}

#[test]
fn a_step_can_be_skipped() {
    let (mut space, body, ..) = scene();
    let log = Log::default();
    let mut steps = 0;
    let handler = log.handler("h", true, true).on_pre_solve(move |_| {
        steps += 1;
        steps % 2 == 1
    });
    space.set_handler(1, 2, handler).unwrap();
    run(&mut space, 4);
    assert_eq!(log.take(), ["h begin 1 2", "h post 1 2", "h post 1 2"]);
    let y = space.body(body).unwrap().position().y;
    assert!(y < 0.5 && y > 0.48, "{y}");
    space.remove_handler(2, 1).unwrap().unwrap();
    run(&mut space, 60);
    assert!(space.body(body).unwrap().velocity().length() < 0.01, "it is solved again");
}

#[test]
fn removal_separates() {
    let (mut space, body, shape, floor) = scene();
    let log = Log::default();
    let separate = {
        let log = log.clone();
        move |arbiter: &mut Arbiter<'_>| {
            assert!(arbiter.space().is_locked());
            let alive = arbiter.shapes().map(|id| arbiter.space().contains_shape(id));
            log.add(format!("{:?} {} {alive:?}", arbiter.state(), arbiter.is_removal()));
        }
    };
    space.set_default_handler(Handler::new().on_separate(separate)).unwrap();
    run(&mut space, 2);
    space.filter_arbiters(body, Some(shape)).unwrap();
    assert_eq!(log.take(), ["Invalidated true [true, true]"]);
    run(&mut space, 1);
    assert!(space.body(body).unwrap().arbiters()[0].is_first(), "it begins again");
    space.filter_arbiters(body, Some(floor)).unwrap();
    assert_eq!(log.take().len(), 0, "the shape is of another body");
    space.remove_shape(shape).unwrap();
    assert_eq!(log.take(), ["Invalidated true [true, true]"]);
    let shape = space.add_shape(body, circle(0.5).with_mass(1.0)).unwrap();
    run(&mut space, 2);
    assert_eq!(log.take().len(), 0);
    space.remove_body(body).unwrap();
    assert_eq!(log.take(), ["Invalidated true [true, true]"]);
    assert!(!space.contains_shape(shape));
    run(&mut space, 2);
    assert_eq!(log.take().len(), 0, "only once");
}

#[test]
fn a_filter_that_changes_separates_in_the_next_step() {
    let (mut space, body, shape, _) = scene();
    let log = Log::default();
    space.set_wildcard_handler(1, log.handler("w", true, true)).unwrap();
    run(&mut space, 1);
    log.take();
    space.shape_mut(shape).unwrap().set_filter(crate::rigid2d::Filter::NONE).unwrap();
    assert_eq!(log.take().len(), 0);
    run(&mut space, 2);
    assert_eq!(log.take(), ["w separate 1 2"]);
    assert!(space.body(body).unwrap().velocity().y < -0.2);
    space.shape_mut(shape).unwrap().set_filter(crate::rigid2d::Filter::ALL).unwrap();
    run(&mut space, 1);
    assert_eq!(log.take(), ["w begin 1 2", "w pre 1 2", "w post 1 2"]);
    space.shape_mut(shape).unwrap().set_filter(crate::rigid2d::Filter::NONE).unwrap();
    space.remove_shape(shape).unwrap();
    assert_eq!(log.take(), ["w separate 1 2"], "before the shape is gone");
}

#[test]
fn wildcards_are_asked_on_both_sides_and_must_agree() {
    let (mut space, body, ..) = scene();
    let log = Log::default();
    space.set_wildcard_handler(1, log.handler("one", true, true)).unwrap();
    space.set_wildcard_handler(2, log.handler("two", true, false)).unwrap();
    run(&mut space, 1);
    let expected = ["one begin 1 2", "two begin 2 1", "one pre 1 2", "two pre 2 1"];
    assert_eq!(sorted(log.take()), sorted(expected.map(String::from).to_vec()));
    assert!(space.body(body).unwrap().velocity().y < -0.1, "one does not agree");
    space.remove_wildcard_handler(2).unwrap();
    run(&mut space, 1);
    assert_eq!(log.take(), ["one pre 1 2", "one post 1 2"]);
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

#[test]
fn a_handler_of_both_types_replaces_wildcards_unless_it_calls_them() {
    let (mut space, ..) = scene();
    let log = Log::default();
    space.set_wildcard_handler(1, log.handler("one", true, true)).unwrap();
    space.set_wildcard_handler(2, log.handler("two", true, true)).unwrap();
    space.set_default_handler(log.handler("default", true, true)).unwrap();
    let inner = log.clone();
    let both = Handler::new()
        .on_begin(move |arbiter| {
            inner.add("both".into());
            arbiter.call_wildcard_b() && arbiter.call_wildcard_a()
        })
        .on_pre_solve(|_| true);
    space.set_handler(1, 2, both).unwrap();
    run(&mut space, 1);
    let expected = ["both", "two begin 2 1", "one begin 1 2", "one post 1 2", "two post 2 1"];
    assert_eq!(log.take(), expected, "what it has no function for goes to the wildcards");
    let (_, other) = add(&mut space, [5.0, 0.5], circle(0.5));
    with_type(&mut space, other, 3);
    run(&mut space, 1);
    let lines = log.take();
    assert_eq!(lines.iter().filter(|line| line.starts_with("default")).count(), 3, "{lines:?}");
}

#[test]
fn two_shapes_of_one_type_are_seen_from_both_sides() {
    let mut space = Space::new(&SpaceSettings::default()).unwrap();
    let (_, a) = add(&mut space, [0.0, 0.0], circle(0.5));
    let (_, b) = add(&mut space, [0.9, 0.0], circle(0.5));
    let sides = Arc::new(Mutex::new(Vec::new()));
    let seen = sides.clone();
    let handler = Handler::new().on_begin(move |arbiter| {
        seen.lock().unwrap().push((arbiter.shapes(), arbiter.normal().x));
        true
    });
    space.set_wildcard_handler(0, handler).unwrap();
    run(&mut space, 1);
    assert_eq!(*sides.lock().unwrap(), [([a, b], 1.0), ([b, a], -1.0)]);
}

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

#[test]
fn callbacks_come_in_the_order_of_shapes() {
    let mut space = space();
    let floor = ground(&mut space);
    let mut shapes: Vec<ShapeId> =
        (0..20).map(|i| add(&mut space, [2.0 * f64::from((i * 7) % 20), 0.5], circle(0.5)).1).collect();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let handler = Handler::new().on_pre_solve(move |arbiter| {
        log.lock().unwrap().push(arbiter.shapes());
        true
    });
    space.set_default_handler(handler).unwrap();
    run(&mut space, 1);
    shapes.sort();
    let expected: Vec<[ShapeId; 2]> = shapes.iter().map(|&shape| [floor, shape]).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
}

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
