//! Rigid bodies against answers that are known: the yardstick of the specification (section 4.6), column "must".
//!
//! Steps of 1/60 s and default settings. Each test runs with `f64` contacts and with `mixed` ones.

use std::f64::consts::FRAC_PI_6;

use carom::geometry::{Rotation, Vec2};
use carom::rigid2d::space::Precision;
use carom::rigid2d::{Body, BodyId, Geometry, Space};

use super::random::Random;
use super::rigid2d_scene::*;

macro_rules! in_precision {
    ($module:ident, $precision:expr, $($test:ident,)*) => {
        mod $module {
            use super::Precision;
            $(#[test] fn $test() { super::$test($precision); })*
        }
    };
}

in_precision! {
    double, Precision::Double,
    slide, stick, slip, roll, bounce_high, bounce_elastic, projectile, spin, cradle, gas, stack_of_ten,
    stack_with_heavy_top, stack_of_fifty, stack_of_hundred, one_to_thousand, fast_ball, card_house, dominoes,
    sliding_off_a_wedge, wedge_in_a_groove, far_from_the_origin, millimetres, stack_of_ten_millimetres,
    momentum, angular_momentum, free_flight,
}

in_precision! {
    mixed, Precision::Mixed,
    slide, stick, slip, roll, bounce_high, bounce_elastic, projectile, spin, cradle, gas, stack_of_ten,
    stack_with_heavy_top, stack_of_fifty, stack_of_hundred, one_to_thousand, fast_ball, card_house, dominoes,
    sliding_off_a_wedge, wedge_in_a_groove, far_from_the_origin, millimetres, stack_of_ten_millimetres,
    momentum, angular_momentum, free_flight,
}

#[track_caller]
fn assert_near(what: &str, found: f64, expected: f64, tolerance: f64) {
    let off = found - expected;
    println!("{what}: {found:.9} expected {expected:.9}, off {off:.3e} of {tolerance:.1e}");
    assert!(off.abs() <= tolerance, "{what}: {found} instead of {expected}, off {off:e} of {tolerance:e}");
}

#[track_caller]
fn assert_relative(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert_near(what, found / expected - 1.0, 0.0, tolerance);
}

/// How far a body gets in so many seconds on an incline that falls to the right.
fn travelled(precision: Precision, incline: f64, friction: f64, form: Geometry, seconds: f64) -> f64 {
    let mut space = space(precision, G);
    let down = Rotation::from_angle(-incline).turn(Vec2::X);
    let up = down.perpendicular();
    fix(&mut space, up * -0.5, -incline, rectangle(400.0, 1.0), neutral());
    let body = Body::dynamic().with_position(up * 0.5).with_angle(-incline);
    let body = put(&mut space, &body, form, 1.0, material(friction, 0.0));
    run(&mut space, seconds);
    (position(&space, body) - up * 0.5).dot(down)
}

fn slide(precision: Precision) {
    let found = travelled(precision, FRAC_PI_6, 0.3, rectangle(1.0, 1.0), 3.0);
    let acceleration = G * (FRAC_PI_6.sin() - 0.3 * FRAC_PI_6.cos());
    assert_relative("slide", found, 0.5 * acceleration * 9.0, 1e-3);
}

fn stick(precision: Precision) {
    let found = travelled(precision, (0.99 * 0.5_f64).atan(), 0.5, rectangle(1.0, 1.0), 10.0);
    assert_near("creep", found, 0.0, 1e-4);
}

fn slip(precision: Precision) {
    let incline = (1.01 * 0.5_f64).atan();
    let found = travelled(precision, incline, 0.5, rectangle(1.0, 1.0), 10.0);
    let acceleration = G * (incline.sin() - 0.5 * incline.cos());
    assert_relative("slip", found, 0.5 * acceleration * 100.0, 5e-3);
}

fn roll(precision: Precision) {
    let found = travelled(precision, FRAC_PI_6, 0.5, disc(0.5), 3.0);
    assert_relative("roll", found, 0.5 * (2.0 / 3.0 * G * FRAC_PI_6.sin()) * 9.0, 1e-3);
}

/// Heights that a ball reaches which falls from 5 m.
fn bounces(precision: Precision, elasticity: f64) -> Vec<f64> {
    let mut space = space(precision, G);
    ground(&mut space, neutral());
    let ball = put(&mut space, &at(0.0, 5.5), disc(0.5), 1.0, material(0.0, elasticity));
    let mut heights = Vec::new();
    let mut before = 0.0;
    for _ in 0..1200 {
        space.step(DT).unwrap();
        let (height, speed) = (position(&space, ball).y - 0.5, velocity(&space, ball).y);
        if before > 0.0 && speed <= 0.0 {
            heights.push(height + speed * speed / (2.0 * G));
        }
        before = speed;
    }
    heights
}

fn bounce_high(precision: Precision) {
    let heights = bounces(precision, 0.8);
    assert_relative("bounce 1", heights[0], 5.0 * 0.8_f64.powi(2), 3e-3);
    assert_relative("bounce 5", heights[4], 5.0 * 0.8_f64.powi(10), 1e-2);
}

fn bounce_elastic(precision: Precision) {
    assert_relative("bounce 5", bounces(precision, 1.0)[4], 5.0, 5e-3);
}

fn projectile(precision: Precision) {
    let mut space = space(precision, G);
    let body = at(0.0, 0.0).with_velocity(Vec2::new(10.0, 10.0));
    let body = put(&mut space, &body, disc(0.5), 1.0, neutral());
    run(&mut space, 2.0);
    assert_relative("x", position(&space, body).x, 20.0, 1e-12);
    assert_relative("y", position(&space, body).y, 20.0 - 0.5 * G * 4.0, 1e-12);
    assert_relative("speed", velocity(&space, body).y, 10.0 - G * 2.0, 1e-12);
}

fn spin(precision: Precision) {
    let mut space = space(precision, 0.0);
    let body = at(3.0, 2.0).with_angular_velocity(20.0);
    let body = put(&mut space, &body, rectangle(1.0, 0.3), 1.0, neutral());
    run(&mut space, 5.0);
    let body = space.body(body).unwrap();
    assert_near("angle", body.angle(), 100.0, 1e-9);
    let corner = body.to_world(Vec2::X) - body.position();
    assert_near("cosine", corner.x, 100_f64.cos(), 1e-9);
    assert_near("sine", corner.y, 100_f64.sin(), 1e-9);
}

fn cradle(precision: Precision) {
    let mut space = space(precision, 0.0);
    let mut balls = Vec::new();
    for n in 0..5 {
        let start =
            if n == 0 { at(-2.0, 0.0).with_velocity(Vec2::new(5.0, 0.0)) } else { at(f64::from(n), 0.0) };
        balls.push(put(&mut space, &start, disc(0.5), 1.0, material(0.0, 1.0)));
    }
    run(&mut space, 2.0);
    let speeds: Vec<Vec2> = balls.iter().map(|&ball| velocity(&space, ball)).collect();
    println!("cradle {speeds:?}");
    for (n, speed) in speeds.iter().enumerate() {
        let expected = if n == 4 { 5.0 } else { 0.0 };
        assert_near("speed", speed.x, expected, 1e-12);
        assert_near("across", speed.y, 0.0, 1e-12);
    }
    // The first has 2 m to go, the last goes on at once.
    let tolerance = if precision == Precision::Double { 1e-9 } else { 1e-6 };
    assert_near("place", position(&space, balls[4]).x, 4.0 + 5.0 * (2.0 - 2.0 / 5.0), tolerance);
}

fn gas(precision: Precision) {
    let mut space = space(precision, 0.0);
    walls(&mut space, 5.0, material(0.0, 1.0));
    let mut random = Random(1);
    let mut balls = Vec::new();
    for n in 0..64 {
        let speed = Vec2::new(random.real(-5.0, 5.0), random.real(-5.0, 5.0));
        let start = at(-4.0 + f64::from(n % 8) * 1.1, -4.0 + f64::from(n / 8) * 1.1).with_velocity(speed);
        balls.push(put(&mut space, &start, disc(0.3), 1.0, material(0.0, 1.0)));
    }
    let before = space.kinetic_energy();
    run(&mut space, 20.0);
    assert_near("energy", space.kinetic_energy() / before, 1.0, 0.01);
    for ball in balls {
        let place = position(&space, ball);
        assert!(place.x.abs() < 5.0 && place.y.abs() < 5.0, "{place:?}");
    }
}

/// Boxes of 1 m on top of each other, all of mass 1 but the top one.
fn stack(precision: Precision, count: usize, top: f64) -> (Space, Vec<BodyId>) {
    let mut space = space(precision, G);
    ground(&mut space, neutral());
    let boxes = (0..count).map(|n| {
        let mass = if n + 1 == count { top } else { 1.0 };
        put(&mut space, &at(0.0, 0.5 + n as f64), rectangle(1.0, 1.0), mass, material(0.6_f64.sqrt(), 0.0))
    });
    let boxes = boxes.collect();
    (space, boxes)
}

/// How much lower the top is after so many seconds than it was; the stack must stand still by then.
fn sag(precision: Precision, count: usize, top: f64, seconds: f64) -> f64 {
    let (mut space, boxes) = stack(precision, count, top);
    run(&mut space, seconds);
    for (n, &body) in boxes.iter().enumerate() {
        let place = position(&space, body);
        assert!(place.x.abs() < 0.1, "box {n} of {count} is at {place:?}");
        let angle = space.body(body).unwrap().angle();
        assert!(angle.abs() < 0.1, "box {n} of {count} is turned by {angle}");
    }
    let energy = space.kinetic_energy() / (count as f64 - 1.0 + top);
    let sag = count as f64 - 0.5 - position(&space, boxes[count - 1]).y;
    println!("stack of {count}, top {top}: sag {sag:.5} m, energy {energy:.3e} J/kg");
    assert!(energy < 1e-4, "the stack moves, {energy} J/kg");
    sag
}

fn stack_of_ten(precision: Precision) {
    assert_near("sag", sag(precision, 10, 1.0, 10.0), 0.0, 0.020);
}

fn stack_with_heavy_top(precision: Precision) {
    assert_near("sag", sag(precision, 10, 100.0, 10.0), 0.0, 0.3);
}

fn stack_of_fifty(precision: Precision) {
    assert_near("sag", sag(precision, 50, 1.0, 20.0), 0.0, 0.87 / 2.0);
}

fn stack_of_hundred(precision: Precision) {
    assert_near("sag", sag(precision, 100, 1.0, 20.0), 0.0, 3.4 / 2.0);
}

fn one_to_thousand(precision: Precision) {
    // Neither sinks into the other by much.
    assert_near("sag", sag(precision, 2, 1000.0, 10.0), 0.0, 0.15);
}

fn fast_ball(precision: Precision) {
    for (speed, elasticity) in [(60.0, 0.0), (60.0, 0.5), (600.0, 0.0), (600.0, 0.5), (6000.0, 0.0)] {
        for is_round in [true, false] {
            let mut space = space(precision, 0.0);
            fix(&mut space, Vec2::ZERO, 0.0, rectangle(0.05, 10.0), neutral());
            let form = if is_round { disc(0.1) } else { rectangle(0.2, 0.2) };
            let start = at(-10.0, 0.3).with_angle(0.3).with_velocity(Vec2::new(speed, 0.0));
            let body = put(&mut space, &start, form, 1.0, material(0.5, elasticity));
            run(&mut space, 1.0);
            let (place, after) = (position(&space, body), velocity(&space, body));
            println!("{speed} m/s, e {elasticity}, round {is_round}: {place:?} {after:?}");
            assert!(place.x < -0.025, "at {speed} m/s to {place:?}");
            if is_round {
                let tolerance = if precision == Precision::Double { 1e-12 } else { 1e-6 };
                assert_near("speed", after.x, -elasticity * speed, tolerance * speed);
            } else {
                assert!(after.x <= 1e-9 * speed, "it goes on at {after:?}");
            }
        }
    }
}

/// Three storeys of cards that lean against each other by 25 degrees, with a card across all tips of a storey. The cards are
/// not quite where they would touch.
fn card_house(precision: Precision) {
    let (length, thickness, lean, mu) = (0.4, 0.002, 25_f64.to_radians(), 0.7_f64);
    let (sin, cos) = lean.sin_cos();
    let half_width = 0.5 * (thickness * cos + length * sin);
    let storey = thickness * sin + length * cos;
    for (seed, jitter) in [(0, 0.0), (1, 1e-9), (2, 1e-6), (3, 1e-5), (4, 1e-4), (5, 1e-4)] {
        let mut random = Random(seed);
        let mut space = space(precision, G);
        let card = material(mu.sqrt(), 0.0);
        ground(&mut space, card);
        let mut cards: Vec<(BodyId, Vec2)> = Vec::new();
        let mut add = |space: &mut Space, x: f64, y: f64, angle: f64, length: f64| {
            let start = Vec2::new(x + random.real(-jitter, jitter), y + random.real(0.0, jitter));
            let body = Body::dynamic().with_position(start).with_angle(angle);
            cards.push((put(space, &body, rectangle(thickness, length), 0.025 * length, card), start));
        };
        for floor in 0..3 {
            let base = f64::from(floor) * (storey + thickness);
            let count = 3 - floor;
            for n in 0..count {
                let middle = (f64::from(n) - 0.5 * f64::from(count - 1)) * length;
                add(&mut space, middle - half_width, base + 0.5 * storey, -lean, length);
                add(&mut space, middle + half_width, base + 0.5 * storey, lean, length);
            }
            if count > 1 {
                let (height, across) = (base + storey + 0.5 * thickness, f64::from(count - 1) * length + 0.1);
                add(&mut space, 0.0, height, std::f64::consts::FRAC_PI_2, across);
            }
        }
        run(&mut space, 10.0);
        let moved = cards.iter().map(|&(body, start)| (position(&space, body) - start).length());
        let farthest = moved.fold(0.0, f64::max);
        println!("card house with {jitter}: {farthest:.5} m, energy {:.2e}", space.kinetic_energy());
        assert_near("way of a card", farthest, 0.0, 0.02);
    }
}

fn dominoes(precision: Precision) {
    let mut space = space(precision, G);
    ground(&mut space, neutral());
    let (count, height, thickness, gap) = (20, 1.0, 0.2, 0.5);
    let stones: Vec<BodyId> = (0..count)
        .map(|n| {
            let start = at(f64::from(n) * gap, 0.5 * height);
            put(&mut space, &start, rectangle(thickness, height), 1.0, material(0.6, 0.0))
        })
        .collect();
    let angle = |space: &Space, stone: BodyId| space.body(stone).unwrap().angle();
    run(&mut space, 5.0);
    for &stone in &stones {
        assert_near("angle of a stone that stands", angle(&space, stone), 0.0, 1e-3);
    }
    let mut first = space.body_mut(stones[0]).unwrap();
    first.apply_impulse(Vec2::new(1.0, 0.0), Vec2::new(0.0, height)).unwrap();
    let mut falls = vec![None; stones.len()];
    for step in 0..1200 {
        space.step(DT).unwrap();
        for (n, &stone) in stones.iter().enumerate() {
            if falls[n].is_none() && angle(&space, stone) < -0.3 {
                falls[n] = Some(step);
            }
        }
    }
    println!("dominoes fall at {falls:?}");
    assert!(falls.iter().all(Option::is_some), "{falls:?}");
    assert!(falls.is_sorted(), "{falls:?}");
    // The last lies on the ground, the others lean on the next.
    assert_near("angle of the last", angle(&space, stones[19]), -std::f64::consts::FRAC_PI_2, 0.01);
    assert!(space.kinetic_energy() < 1e-6, "they move, {} J", space.kinetic_energy());
}

/// A block slides down a wedge that slides away under it, both without friction.
fn sliding_off_a_wedge(precision: Precision) {
    let (mass, wedge_mass, angle) = (1.0, 2.0, FRAC_PI_6);
    let mut space = space(precision, G);
    ground(&mut space, neutral());
    // It rises to the left by 30 degrees.
    let corners = [Vec2::new(-10.0, 0.0), Vec2::new(10.0, 0.0), Vec2::new(-10.0, 20.0 * angle.tan())];
    let form = Geometry::convex_polygon(&corners, 0.0).unwrap();
    let wedge = put(&mut space, &Body::dynamic(), form, wedge_mass, material(0.0, 0.0));
    let down = Rotation::from_angle(-angle).turn(Vec2::X);
    let start = corners[2] + down * 4.0 + down.perpendicular() * 0.5;
    let body = Body::dynamic().with_position(start).with_angle(-angle);
    let block = put(&mut space, &body, rectangle(1.0, 1.0), mass, material(0.0, 0.0));
    let seconds = 1.5;
    run(&mut space, seconds);
    let (sin, cos) = (angle.sin(), angle.cos());
    // Lagrange: the wedge is pushed to the left by N sin, and momentum along x is kept.
    let wedge_acceleration = mass * G * sin * cos / (wedge_mass + mass * sin * sin);
    let half_square = 0.5 * seconds * seconds;
    let wedge_way = position(&space, wedge).x;
    assert_relative("way of the wedge", wedge_way, -wedge_acceleration * half_square, 5e-3);
    let block_way = position(&space, block).x - start.x;
    assert_relative(
        "way of the block",
        block_way,
        wedge_acceleration * wedge_mass / mass * half_square,
        5e-3,
    );
}

/// A triangle rests in a groove of walls at 45 degrees: with friction it stays, and it does not sink in.
fn wedge_in_a_groove(precision: Precision) {
    for friction in [0.0, 0.5] {
        let mut space = space(precision, G);
        let half = std::f64::consts::FRAC_PI_4;
        for side in [-1.0, 1.0] {
            let along = Rotation::from_angle(side * half).turn(Vec2::X);
            let up = along.perpendicular();
            fix(&mut space, along * (side * 3.0) - up * 0.5, side * half, rectangle(8.0, 1.0), neutral());
        }
        let corners = [Vec2::ZERO, Vec2::new(1.0, 1.0), Vec2::new(-1.0, 1.0)];
        let form = Geometry::convex_polygon(&corners, 0.0).unwrap();
        let wedge = put(&mut space, &Body::dynamic(), form, 10.0, material(friction, 0.0));
        let load = put(&mut space, &at(0.0, 1.5), rectangle(1.0, 1.0), 100.0, material(0.7, 0.0));
        run(&mut space, 10.0);
        let (tip, top) = (position(&space, wedge), position(&space, load));
        println!("wedge with friction {friction}: {tip:?} {top:?}");
        assert_near("x", tip.x, 0.0, 1e-3);
        assert_near("sinking", tip.y, 0.0, 0.02);
        assert_near("load", top.y, 1.5, 0.03);
        assert!(space.kinetic_energy() < 1e-4, "it moves, {} J", space.kinetic_energy());
    }
}

/// Four bodies that meet, with friction.
fn colliding(precision: Precision) -> Space {
    let mut space = space(precision, 0.0);
    let mut add = |x: f64, y: f64, vx: f64, vy: f64, form: Geometry, elasticity: f64| {
        let start = at(x, y).with_velocity(Vec2::new(vx, vy)).with_angle(0.3 * x).with_angular_velocity(y);
        put(&mut space, &start, form, 1.0 + x.abs(), material(0.6, elasticity))
    };
    add(-3.0, 0.2, 4.0, 0.0, rectangle(1.0, 0.6), 0.0);
    add(0.0, -0.1, 0.0, 0.5, disc(0.5), 0.5);
    add(3.0, 0.4, -5.0, 0.0, rectangle(0.8, 1.2), 1.0);
    add(0.5, 3.0, 0.0, -3.0, disc(0.4), 0.0);
    space
}

fn momentum(precision: Precision) {
    let mut space = colliding(precision);
    let (before, scales) = (momenta(&space), scales(&space));
    run(&mut space, 2.0);
    let after = momenta(&space);
    let tolerance = if precision == Precision::Double { 1e-14 } else { 1e-6 };
    assert_near("momentum along x", after[0], before[0], tolerance * scales[0]);
    assert_near("momentum along y", after[1], before[1], tolerance * scales[1]);
}

fn angular_momentum(precision: Precision) {
    let mut space = colliding(precision);
    let (before, scales) = (momenta(&space), scales(&space));
    run(&mut space, 2.0);
    let tolerance = if precision == Precision::Double { 1e-14 } else { 1e-6 };
    assert_near("angular momentum", momenta(&space)[2], before[2], tolerance * scales[2]);
}

/// Bodies that meet nothing.
fn free_flight(precision: Precision) {
    let mut space = space(precision, 0.0);
    let mut random = Random(1);
    for n in 0..10 {
        let start = at(10.0 * f64::from(n), 0.0)
            .with_velocity(Vec2::new(random.real(-0.5, 0.5), random.real(-5.0, 5.0)))
            .with_angular_velocity(random.real(-20.0, 20.0));
        put(&mut space, &start, rectangle(1.0, 0.5), random.real(0.5, 2.0), neutral());
    }
    let (before, scales) = (momenta(&space), scales(&space));
    run(&mut space, 5.0);
    let after = momenta(&space);
    for k in 0..3 {
        assert_near("momentum", after[k], before[k], 1e-14 * scales[k]);
    }
}

/// What is measured near the origin is the same at a distance of 10^6 m, where positions have 1e-10 m.
fn far_from_the_origin(precision: Precision) {
    let far = 1e6;
    let mut space = space(precision, G);
    let shift = Vec2::new(far, far);
    fix(&mut space, Vec2::new(0.0, -0.5) + shift, 0.0, rectangle(400.0, 1.0), neutral());
    let boxes: Vec<BodyId> = (0..10)
        .map(|n| {
            let start = Body::dynamic().with_position(Vec2::new(0.0, 0.5 + f64::from(n)) + shift);
            put(&mut space, &start, rectangle(1.0, 1.0), 1.0, material(0.6_f64.sqrt(), 0.0))
        })
        .collect();
    let start = Body::dynamic().with_position(Vec2::new(10.0, 5.5) + shift);
    let ball = put(&mut space, &start, disc(0.5), 1.0, material(0.0, 1.0));
    let mut highest = 0.0_f64;
    for step in 0..600 {
        space.step(DT).unwrap();
        let (height, speed) = (position(&space, ball).y - far - 0.5, velocity(&space, ball).y);
        if step > 400 {
            highest = highest.max(height + speed * speed / (2.0 * G));
        }
    }
    assert_relative("bounce", highest, 5.0, 5e-3);
    assert_near("sag", far + 9.5 - position(&space, boxes[9]).y, 0.0, 0.020);
    assert_near("drift", position(&space, boxes[9]).x, far, 1e-3);
}

/// By how much boxes of 1 mm on each other give way, in parts of their size.
fn small_stack(precision: Precision, count: usize) -> f64 {
    let size = 1e-3;
    let mut space = space(precision, G);
    ground(&mut space, neutral());
    let boxes: Vec<BodyId> = (0..count)
        .map(|n| {
            let start = at(0.0, size * (0.5 + n as f64));
            put(&mut space, &start, rectangle(size, size), 1e-6, material(0.6_f64.sqrt(), 0.0))
        })
        .collect();
    run(&mut space, 10.0);
    for (n, &body) in boxes.iter().enumerate() {
        let (place, angle) = (position(&space, body), space.body(body).unwrap().angle());
        assert!(place.x.abs() < 0.1 * size && angle.abs() < 0.1, "box {n}: {place:?}, {angle}");
    }
    count as f64 - 0.5 - position(&space, boxes[count - 1]).y / size
}

/// One box of 1 mm, two on each other, and a ball of 1 mm that rolls.
fn millimetres(precision: Precision) {
    assert_near("sag of one", small_stack(precision, 1), 0.0, 1e-3);
    assert_near("sag of two", small_stack(precision, 2), 0.0, 2e-3);
    let size = 1e-3;
    let mut space = space(precision, G);
    ground(&mut space, neutral());
    let start =
        at(0.5, 0.5 * size).with_velocity(Vec2::new(0.1, 0.0)).with_angular_velocity(-0.1 / (0.5 * size));
    let ball = put(&mut space, &start, disc(0.5 * size), 1e-6, material(0.5, 0.0));
    run(&mut space, 10.0);
    // It sinks in by some hundred-thousandths of its radius.
    assert_near("way of the ball", position(&space, ball).x, 1.5, 1e-2);
    assert_near("height of the ball", position(&space, ball).y / size, 0.5, 1e-3);
}

fn stack_of_ten_millimetres(precision: Precision) {
    assert_near("sag", small_stack(precision, 10), 0.0, 0.02);
}
