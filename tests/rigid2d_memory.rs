//! A step of rigid bodies allocates nothing once its columns have grown: counted by an allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use carom::Context;
use carom::geometry::{Rotation, Vec2};
use carom::rigid2d::{
    Body, BodyId, BodyKind, Geometry, Handler, Material, Precision, Shape, Solver, Space, SpaceSettings,
    SpaceSnapshot, Spaces,
};

struct Counting;

thread_local! {
    /// Calls for memory by this thread.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system allocator unchanged; the counter touches no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

const DT: f64 = 1.0 / 60.0;
/// In these steps a drum turns once.
const STEPS: usize = 900;

fn settings() -> SpaceSettings {
    SpaceSettings::default().with_gravity(Vec2::new(0.0, -9.81))
}

/// Calls for memory in some steps.
fn calls_in(space: &mut Space, steps: usize) -> usize {
    let before = CALLS.get();
    for _ in 0..steps {
        space.step(DT).unwrap();
    }
    CALLS.get() - before
}

/// A regular polygon of this many corners.
fn round(corners: u32, radius: f64) -> Geometry {
    let corner = |k: u32| {
        Rotation::from_angle(f64::from(k) * std::f64::consts::TAU / f64::from(corners)).turn(Vec2::X * radius)
    };
    Geometry::polygon(&(0..corners).map(corner).collect::<Vec<_>>(), 0.0).unwrap()
}

fn forms() -> [Geometry; 6] {
    [
        Geometry::circle(0.3, Vec2::ZERO).unwrap(),
        Geometry::segment(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.0), 0.15).unwrap(),
        Geometry::rectangle(0.5, 0.5, 0.0).unwrap(),
        round(6, 0.3),
        // More corners than lanes take: GJK and EPA.
        round(9, 0.3),
        round(20, 0.35),
    ]
}

/// A drum that turns and mixes what is in it, so that contacts begin and end all the time.
fn drum(settings: &SpaceSettings) -> Space {
    let mut space = Space::new(settings).unwrap();
    let drum = space.add_body(&Body::kinematic().with_angular_velocity(0.4)).unwrap();
    for k in 0..4 {
        let corner =
            |k: u32| Rotation::from_angle(f64::from(k) * std::f64::consts::FRAC_PI_2).turn(Vec2::X * 6.0);
        let wall = Geometry::segment(corner(k), corner(k + 1), 0.5).unwrap();
        space.add_shape(drum, Shape::new(wall).with_material(rough(1))).unwrap();
    }
    space
}

fn rough(collision_type: u64) -> Material {
    Material::default().with_friction(0.5).with_elasticity(0.2).with_collision_type(collision_type)
}

/// Adds a body of one of the forms at its place in a grid.
fn add(space: &mut Space, k: usize) -> BodyId {
    let place = Vec2::new(0.75 * (k % 8) as f64 - 2.6, 0.75 * (k / 8) as f64 - 2.0);
    let body = space.add_body(&Body::dynamic().with_position(place)).unwrap();
    let shape = Shape::new(forms()[k % 6].clone()).with_density(1.0);
    space.add_shape(body, shape.with_material(rough(2 + (k % 3) as u64))).unwrap();
    body
}

/// Puts the same bodies into the drum three times and counts calls for memory in the steps of the last time: what grows has
/// grown by then, because the same happens every time.
fn calls_at_last(space: &mut Space) -> usize {
    let drum = space.bodies().find(|body| body.kind() == BodyKind::Kinematic).unwrap().id();
    let mut round = || {
        space.body_mut(drum).unwrap().set_angle(0.0).unwrap();
        let bodies: Vec<BodyId> = (0..24).map(|k| add(space, k)).collect();
        let calls = calls_in(space, STEPS);
        let (hash, contacts) = (space.state_hash(), space.contact_count());
        // In the other order, so that rows are given out as before.
        bodies.into_iter().rev().for_each(|body| space.remove_body(body).unwrap());
        (calls, hash, contacts)
    };
    let [first, _, last] = [round(), round(), round()];
    assert!(first.0 > 0, "columns grow, or nothing is counted");
    assert!(first.1 == last.1 && first.2 > 20, "it was not the same, or not much: {first:?} {last:?}");
    last.0
}

#[test]
fn plain_steps_allocate_nothing() {
    for solver in [Solver::Soft, Solver::Sequential] {
        for precision in [Precision::Double, Precision::Mixed] {
            let settings = settings().with_solver(solver).with_precision(precision);
            assert_eq!(calls_at_last(&mut drum(&settings)), 0, "{solver:?} {precision:?}");
        }
    }
}

#[test]
fn a_large_space_with_a_tree_allocates_nothing() {
    let mut space = drum(&settings());
    // Above some 40 shapes pairs come from a tree.
    for k in 0..200 {
        let place = Vec2::new(10.0 + 0.5 * f64::from(k % 20), 0.5 * f64::from(k / 20));
        let body = space.add_body(&Body::fixed().with_position(place)).unwrap();
        space.add_shape(body, Shape::new(round(5, 0.2))).unwrap();
    }
    assert_eq!(calls_at_last(&mut space), 0);
}

#[test]
fn handlers_and_sensors_allocate_nothing() {
    let mut space = drum(&settings());
    let sensor = Material::default().with_sensor(true).with_collision_type(9);
    let zone = Shape::new(Geometry::rectangle(2.0, 2.0, 0.0).unwrap()).with_material(sensor);
    space.add_shape(space.static_body(), zone).unwrap();
    let counts: [Arc<AtomicU64>; 4] = std::array::from_fn(|_| Arc::default());
    let handler = || {
        let [begun, pre, post, ended] = counts.clone();
        Handler::new()
            .on_begin(move |_| begun.fetch_add(1, Relaxed) < u64::MAX)
            .on_pre_solve(move |arbiter| {
                arbiter.set_friction(0.4).unwrap();
                pre.fetch_add(1, Relaxed) < u64::MAX
            })
            .on_post_solve(move |arbiter| {
                assert!(arbiter.total_impulse().is_finite());
                post.fetch_add(1, Relaxed);
            })
            .on_separate(move |_| {
                ended.fetch_add(1, Relaxed);
            })
    };
    space.set_default_handler(handler()).unwrap();
    space.set_handler(1, 2, handler()).unwrap();
    space.set_wildcard_handler(9, handler()).unwrap();
    assert_eq!(calls_at_last(&mut space), 0);
    let seen = counts.map(|count| count.load(Relaxed));
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

/// A pile that is thrown up, comes to rest and falls asleep, over and over.
#[test]
fn sleep_and_waking_allocate_nothing() {
    let mut space = Space::new(&settings().with_sleep_time(Some(0.3))).unwrap();
    let floor = Geometry::segment(Vec2::new(-20.0, 0.0), Vec2::new(20.0, 0.0), 0.1).unwrap();
    let rough = Material::default().with_friction(1.0);
    space.add_shape(space.static_body(), Shape::new(floor).with_material(rough)).unwrap();
    let mut bodies: Vec<BodyId> = Vec::new();
    for k in 0..12 {
        let place = Vec2::new(0.9 * f64::from(k % 4), 0.5 + 0.9 * f64::from(k / 4));
        let body = space.add_body(&Body::dynamic().with_position(place)).unwrap();
        let shape = Shape::new(Geometry::rectangle(0.6, 0.6, 0.0).unwrap());
        space.add_shape(body, shape.with_density(1.0).with_material(rough)).unwrap();
        bodies.push(body);
    }
    let round = |space: &mut Space| {
        let before = CALLS.get();
        for &body in &bodies {
            space.body_mut(body).unwrap().set_velocity(Vec2::new(0.0, 2.0)).unwrap();
        }
        calls_in(space, 300);
        assert_eq!(space.asleep_count(), bodies.len(), "it does not come to rest");
        // Asleep.
        calls_in(space, 50);
        CALLS.get() - before
    };
    let calls: Vec<usize> = (0..6).map(|_| round(&mut space)).collect();
    assert_eq!(calls[5], 0, "{calls:?}");
}

#[test]
fn fast_bodies_allocate_nothing() {
    let mut space = Space::new(&SpaceSettings::default().with_bounce_speed(Some(0.0))).unwrap();
    let bouncy = Material::default().with_elasticity(1.0);
    let corners = [[-2.0, -2.0], [2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]].map(Vec2::from);
    for k in 0..4 {
        let wall = Geometry::segment(corners[k], corners[(k + 1) % 4], 0.01).unwrap();
        space.add_shape(space.static_body(), Shape::new(wall).with_material(bouncy)).unwrap();
    }
    // As in a drum: the same three times.
    let mut round = || {
        let mut bodies = Vec::new();
        for (k, form) in forms().into_iter().enumerate() {
            let velocity = Vec2::new(300.0 + 10.0 * k as f64, 170.0);
            let body = Body::dynamic().with_velocity(velocity).with_angular_velocity(20.0).with_bullet(true);
            let body = space.add_body(&body).unwrap();
            space.add_shape(body, Shape::new(form).with_density(1.0).with_material(bouncy)).unwrap();
            bodies.push(body);
        }
        let calls = calls_in(&mut space, STEPS);
        bodies.into_iter().rev().for_each(|body| space.remove_body(body).unwrap());
        calls
    };
    let calls = [round(), round(), round()];
    assert!(calls[0] > 0 && calls[2] == 0, "{calls:?}");
}

/// The same steps twice: what grows the first time has grown the second time.
#[test]
fn a_batch_on_one_thread_allocates_nothing() {
    for precision in [Precision::Double, Precision::Mixed] {
        let mut prototype = drum(&settings().with_precision(precision));
        for k in 0..8 {
            add(&mut prototype, k);
        }
        let mut spaces = Spaces::new(&prototype, 20).unwrap();
        spaces.set_context(Context::serial());
        let starts: Vec<SpaceSnapshot> = (0..spaces.len()).map(|k| spaces.snapshot(k).unwrap()).collect();
        let mut turn = || {
            for (k, start) in starts.iter().enumerate() {
                spaces.restore(k, start).unwrap();
            }
            let before = CALLS.get();
            for _ in 0..STEPS {
                spaces.step(DT).unwrap();
            }
            (CALLS.get() - before, spaces.batch_hash())
        };
        let [first, _, third] = [turn(), turn(), turn()];
        assert!(first.0 > 0 && third.0 == 0, "{} and {} calls", first.0, third.0);
        assert_eq!(first.1, third.1, "it was not the same");
    }
}

/// Bytes per body that a settled pile holds, all columns included: circles of many sizes in a bin, or a pyramid of boxes.
fn bytes_per_body(is_round: bool, precision: Precision) -> f64 {
    let mut space = Space::new(&settings().with_precision(precision)).unwrap();
    let (edge, half) = (40, 21.5);
    let walls = [(0.0, -0.5, half + 1.0, 0.5), (-half - 0.5, 30.0, 0.5, 30.0), (half + 0.5, 30.0, 0.5, 30.0)];
    for (x, y, width, height) in walls {
        let wall = space.add_body(&Body::fixed().with_position(Vec2::new(x, y))).unwrap();
        space
            .add_shape(wall, Shape::new(Geometry::rectangle(2.0 * width, 2.0 * height, 0.0).unwrap()))
            .unwrap();
    }
    let mut count = 0;
    for (row, column) in (0..edge).flat_map(|row| (0..edge).map(move |column| (row, column))) {
        if !is_round && column + row >= edge {
            continue;
        }
        let shift = 0.5 * f64::from(if is_round { edge } else { edge - row } - 1);
        let pitch = if is_round { 1.05 } else { 1.0 };
        // Circles exactly above each other would stand as columns.
        let aside = if is_round { 0.02 * f64::from((7 * row + 3 * column) % 5 - 2) } else { 0.0 };
        let place = Vec2::new(pitch * (f64::from(column) - shift) + aside, 0.5 + pitch * f64::from(row));
        let size = 0.4 + 0.1 * f64::from((37 * row + 11 * column) % 101) / 100.0;
        let form =
            if is_round { Geometry::circle(size, Vec2::ZERO) } else { Geometry::rectangle(1.0, 1.0, 0.0) };
        let body = space.add_body(&Body::dynamic().with_position(place)).unwrap();
        let material = Material::default().with_friction(0.6);
        space.add_shape(body, Shape::new(form.unwrap()).with_density(1.0).with_material(material)).unwrap();
        count += 1;
    }
    let before = space.memory_bytes();
    calls_in(&mut space, 400);
    assert!(space.contact_count() > count && space.memory_bytes() > before, "it has not settled");
    space.memory_bytes() as f64 / count as f64
}

#[test]
fn settled_piles_hold_little_memory() {
    for (is_round, precision, most) in [
        (true, Precision::Double, 3000.0),
        (true, Precision::Mixed, 2500.0),
        (false, Precision::Double, 3100.0),
        (false, Precision::Mixed, 2500.0),
    ] {
        let bytes = bytes_per_body(is_round, precision);
        assert!(bytes <= most, "{bytes} bytes a body, round: {is_round}, {precision:?}");
    }
}
