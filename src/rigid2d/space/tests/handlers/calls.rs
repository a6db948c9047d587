//! When handlers are called, and in which order.

use super::*;

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
