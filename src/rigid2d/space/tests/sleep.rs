//! Bodies that rest fall asleep, and wake again.

use std::sync::{Arc, Mutex};

use super::*;

/// A stack of three boxes on a static and one on a kinematic body, that sleep after some time.
fn scene() -> (Space, Vec<BodyId>, BodyId) {
    let settings = SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0)).with_sleep_time(Some(0.5));
    let mut space = Space::new(&settings).unwrap();
    ground(&mut space);
    let mut bodies: Vec<BodyId> =
        (0..3).map(|i| add(&mut space, [0.0, 0.5 + f64::from(i)], rectangle(1.0, 1.0)).0).collect();
    let lift = space.add_body(&Body::kinematic().with_position(Vec2::new(10.0, 3.0))).unwrap();
    space.add_shape(lift, rectangle(4.0, 1.0)).unwrap();
    bodies.push(add(&mut space, [10.0, 4.0], rectangle(1.0, 1.0)).0);
    run(&mut space, 120);
    (space, bodies, lift)
}

fn asleep(space: &Space, bodies: &[BodyId]) -> Vec<bool> {
    bodies.iter().map(|&body| space.body(body).unwrap().is_asleep()).collect()
}

#[test]
fn what_rests_sleeps_and_nothing_changes() {
    let (mut space, bodies, _) = scene();
    assert_eq!(asleep(&space, &bodies), [true; 4]);
    assert!(space.core.engine.is_idle());
    let poses = |space: &Space| space.bodies().map(|body| body.pose()).collect::<Vec<_>>();
    let before = poses(&space);
    run(&mut space, 60);
    assert_eq!((poses(&space), space.step_count()), (before, 180));
    assert!((space.time() - 3.0).abs() < 1e-12);
    assert_eq!(space.point_query(Vec2::new(0.0, 2.5), 0.0, crate::rigid2d::Filter::ALL).unwrap().len(), 1);
}

#[test]
fn forces_impulses_and_contacts_wake_the_island_alone() {
    for what in 0..4 {
        let (mut space, bodies, _) = scene();
        let mut top = space.body_mut(bodies[2]).unwrap();
        match what {
            0 => top.set_force(Vec2::new(0.0, 1.0)).unwrap(),
            1 => top.apply_impulse(Vec2::new(0.0, 1.0), Vec2::new(0.0, 2.5)).unwrap(),
            2 => top.wake(),
            _ => _ = add(&mut space, [0.0, 3.55], rectangle(1.0, 1.0)),
        }
        run(&mut space, 10);
        assert_eq!(asleep(&space, &bodies), [false, false, false, true], "{what}");
        run(&mut space, 240);
        assert_eq!(asleep(&space, &bodies), [true; 4], "they sleep again");
        assert!((space.body(bodies[2]).unwrap().position().y - 2.5).abs() < 0.02);
    }
}

#[test]
fn waking_again_and_again_takes_no_memory() {
    let (mut space, bodies, lift) = scene();
    space.body_mut(lift).unwrap().wake();
    let before = space.memory_bytes();
    (0..10_000).for_each(|_| space.body_mut(lift).unwrap().wake());
    assert_eq!(space.memory_bytes(), before);
    run(&mut space, 1);
    assert_eq!(asleep(&space, &bodies), [true, true, true, false]);
}

#[test]
fn gravity_and_what_carries_them_wake_bodies() {
    let (mut space, bodies, lift) = scene();
    space.body_mut(lift).unwrap().set_velocity(Vec2::new(0.0, 1.0)).unwrap();
    run(&mut space, 60);
    assert_eq!(asleep(&space, &bodies), [true, true, true, false]);
    assert!((space.body(bodies[3]).unwrap().position().y - 5.0).abs() < 0.05);
    space.set_gravity(Vec2::new(0.0, 10.0)).unwrap();
    run(&mut space, 30);
    assert_eq!(asleep(&space, &bodies), [false; 4]);
    assert!(space.body(bodies[0]).unwrap().position().y > 1.0);
}

#[test]
fn removal_of_the_support_wakes() {
    let (mut space, bodies, lift) = scene();
    space.remove_body(lift).unwrap();
    space.remove_body(bodies[1]).unwrap();
    run(&mut space, 20);
    assert!(!space.body(bodies[2]).unwrap().is_asleep() && !space.body(bodies[3]).unwrap().is_asleep());
    assert!(space.body(bodies[3]).unwrap().position().y < 3.9);
}

#[test]
fn a_call_lets_an_island_sleep() {
    let mut space = space();
    ground(&mut space);
    let (low, _) = add(&mut space, [0.0, 0.5], rectangle(1.0, 1.0));
    let (high, _) = add(&mut space, [0.0, 1.5], rectangle(1.0, 1.0));
    let (other, _) = add(&mut space, [5.0, 4.0], rectangle(1.0, 1.0));
    run(&mut space, 30);
    space.body_mut(low).unwrap().sleep().unwrap();
    assert_eq!(asleep(&space, &[low, high, other]), [true, true, false]);
    let before = space.body(high).unwrap().pose();
    run(&mut space, 30);
    assert_eq!(space.body(high).unwrap().pose(), before);
    space.body_mut(high).unwrap().set_velocity(Vec2::new(0.5, 0.0)).unwrap();
    run(&mut space, 1);
    assert_eq!(asleep(&space, &[low, high]), [false, false]);
}

#[test]
fn handlers_are_not_called_for_what_sleeps() {
    let (mut space, bodies, _) = scene();
    let calls = Arc::new(Mutex::new(Vec::new()));
    let note = |name: &'static str| {
        let calls = calls.clone();
        move |_: &mut Arbiter<'_>| calls.lock().unwrap().push(name)
    };
    let (begin, pre) = (note("begin"), note("pre"));
    let handler = Handler::new()
        .on_begin(move |arbiter| {
            begin(arbiter);
            true
        })
        .on_pre_solve(move |arbiter| {
            pre(arbiter);
            true
        })
        .on_post_solve(note("post"))
        .on_separate(note("separate"));
    space.set_default_handler(handler).unwrap();
    run(&mut space, 5);
    assert!(calls.lock().unwrap().is_empty(), "{:?}", calls.lock().unwrap());
    assert_eq!(asleep(&space, &bodies), [true; 4], "to set a handler wakes nothing");
    assert_eq!(space.body(bodies[1]).unwrap().arbiters().len(), 2, "they touch all the same");
    space.body_mut(bodies[3]).unwrap().wake();
    run(&mut space, 1);
    assert_eq!(*calls.lock().unwrap(), ["pre", "post"], "no begin, since they touched before");
}
