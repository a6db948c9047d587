//! Rigid bodies in the plane: handlers, sensors, queries and many spaces. The guide docs/rigid2d.md explains these functions.
//!
//! ```text
//! cargo run --release --example rigid2d                      # prints what happens
//! cargo run --release --example rigid2d -- docs/pictures     # and draws the pictures of the guide
//! ```

mod picture;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use carom::Result;
use carom::geometry::{Aabb, Pose, Rotation, Vec2};
use carom::rigid2d::shapes::{Filter, Geometry, Material, Segment, Shape};
use carom::rigid2d::{Body, BodyField, BodyId, Handler, Space, SpaceSettings, Spaces};

use picture::{BLUE, GREEN, GREY, Picture, RED, YELLOW};

const PLAYER: u64 = 1;
const PLATFORM: u64 = 2;
const COIN: u64 = 3;
const GATE: u64 = 4;

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    for (name, picture) in [
        ("handlers.svg", jump()?),
        ("sensors.svg", gate()?),
        ("queries.svg", queries()?),
        ("spaces.svg", many_spaces()?),
    ] {
        if let Some(folder) = &folder {
            picture.write(&folder.join(name))?;
        }
    }
    Ok(())
}

/// A platform that holds what comes from above and lets everything else pass.
fn one_way() -> Handler {
    // The type of the player is named first, so it is A: the normal points from it to the platform.
    Handler::new().on_begin(|arbiter| arbiter.normal().y < -0.5)
}

/// A coin that is removed when the player touches it.
fn pick_up(coins: &Arc<AtomicU64>) -> Handler {
    let coins = coins.clone();
    Handler::new().on_begin(move |arbiter| {
        let [_, coin] = arbiter.bodies();
        // The space is in the middle of a step, so the coin is removed after it; the key makes sure that this happens once.
        let is_new = arbiter.post_step(coin.to_bits(), move |space| {
            space.remove_body(coin).expect("nothing else removes coins");
        });
        coins.fetch_add(u64::from(is_new), Ordering::Relaxed);
        true
    })
}

fn level(coins: &Arc<AtomicU64>) -> Result<(Space, BodyId)> {
    let mut space = Space::new(&SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0)))?;
    let ground = space.static_body();
    let floor = Geometry::segment(Vec2::new(-2.5, 0.0), Vec2::new(2.5, 0.0), 0.05)?;
    space.add_shape(ground, Shape::new(floor))?;
    let platform = Geometry::segment(Vec2::new(-0.4, 1.6), Vec2::new(2.2, 1.6), 0.05)?;
    let material = Material::default().with_friction(1.0).with_collision_type(PLATFORM);
    space.add_shape(ground, Shape::new(platform).with_material(material))?;
    for x in [-0.5, 0.3, 1.6] {
        let coin = space.add_body(&Body::fixed().with_position(Vec2::new(x, 2.6)))?;
        let material = Material::default().with_collision_type(COIN).with_sensor(true);
        space.add_shape(coin, Shape::new(Geometry::circle(0.15, Vec2::ZERO)?).with_material(material))?;
    }
    // With an infinite moment the player never turns.
    let player = Body::dynamic().with_position(Vec2::new(-2.0, 0.55)).with_velocity(Vec2::new(2.6, 7.5));
    let player = space.add_body(&player.with_mass(70.0).with_moment(f64::INFINITY))?;
    let material = Material::default().with_friction(1.0).with_collision_type(PLAYER);
    space.add_shape(player, Shape::new(Geometry::rectangle(0.4, 1.0, 0.0)?).with_material(material))?;

    space.set_handler(PLAYER, PLATFORM, one_way())?;
    space.set_handler(PLAYER, COIN, pick_up(coins))?;
    Ok((space, player))
}

/// The player jumps through the platform from below, collects coins and lands on it.
fn jump() -> Result<Picture> {
    let coins = Arc::new(AtomicU64::new(0));
    let (mut space, player) = level(&coins)?;
    let mut picture = Picture::new([-2.6, -0.2], [2.6, 4.2]);
    picture.space(&space, 1.0);
    for step in 0..120 {
        space.step(1.0 / 60.0)?;
        if step % 9 == 8 && step < 80 {
            picture.body(&space, player, 0.35)?;
        }
    }
    picture.body(&space, player, 1.0)?;
    let height = space.body(player)?.position().y - 0.5;
    println!("the player stands at a height of {height:.2} m with {} coins", coins.load(Ordering::Relaxed));
    Ok(picture)
}

/// Counts what comes through a sensor: `begin` when it enters, `separate` when it has left.
fn counter(inside: &Arc<AtomicU64>, passed: &Arc<AtomicU64>) -> Handler {
    let (entering, leaving, passed) = (inside.clone(), inside.clone(), passed.clone());
    Handler::new()
        .on_begin(move |_| {
            entering.fetch_add(1, Ordering::Relaxed);
            true
        })
        .on_separate(move |_| {
            leaving.fetch_sub(1, Ordering::Relaxed);
            passed.fetch_add(1, Ordering::Relaxed);
        })
}

fn funnel() -> Result<Space> {
    let mut space = Space::new(&SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0)))?;
    let ground = space.static_body();
    let slippery = Material::default().with_friction(0.1);
    // A chain: each piece has the points before and after it, so that nothing catches where they meet.
    for side in [-1.0, 1.0] {
        let [top, bend, end] = [[2.0, 3.0], [0.25, 1.4], [0.25, 0.6]].map(|[x, y]| Vec2::new(side * x, y));
        let upper = Segment::new(top, bend, 0.05)?.with_neighbours(None, Some(end))?;
        let lower = Segment::new(bend, end, 0.05)?.with_neighbours(Some(top), None)?;
        for piece in [upper, lower] {
            space.add_shape(ground, Shape::new(Geometry::Segment(piece)).with_material(slippery))?;
        }
    }
    let floor = Geometry::segment(Vec2::new(-2.0, -0.5), Vec2::new(2.0, -0.5), 0.05)?;
    space.add_shape(ground, Shape::new(floor).with_material(slippery.with_friction(1.0)))?;
    // The gate touches, but nothing pushes it or is pushed by it.
    let gate = Geometry::rectangle_from(&Aabb { min: [-0.25, 0.8], max: [0.25, 1.2] }, 0.0)?;
    let material = Material::default().with_sensor(true).with_collision_type(GATE);
    space.add_shape(ground, Shape::new(gate).with_material(material))?;
    for n in 0..24 {
        let place = Vec2::new(0.35 * f64::from(n % 6) - 0.9, 2.9 + 0.35 * f64::from(n / 6));
        let ball = space.add_body(&Body::dynamic().with_position(place))?;
        let circle = Geometry::circle(0.11 + 0.02 * f64::from(n % 3), Vec2::ZERO)?;
        space.add_shape(ball, Shape::new(circle).with_density(1.0).with_material(slippery))?;
    }
    Ok(space)
}

/// Balls run through a funnel, and a sensor counts them.
fn gate() -> Result<Picture> {
    let mut space = funnel()?;
    let (inside, passed) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    // For contacts of this type with any other.
    space.set_wildcard_handler(GATE, counter(&inside, &passed))?;
    let mut picture = Picture::new([-2.2, -0.7], [2.2, 4.2]);
    for step in 0..480 {
        space.step(1.0 / 60.0)?;
        if step == 75 {
            picture.space(&space, 1.0);
            let [inside, passed] = [&inside, &passed].map(|count| count.load(Ordering::Relaxed));
            picture.label(Vec2::new(0.45, 0.95), &format!("{inside} inside, {passed} passed"));
        }
    }
    println!("{} balls have passed the gate", passed.load(Ordering::Relaxed));
    Ok(picture)
}

fn furniture() -> Result<Space> {
    let mut space = Space::new(&SpaceSettings::default())?;
    let at = |x: f64, y: f64, angle: f64| Body::fixed().with_position(Vec2::new(x, y)).with_angle(angle);
    for (body, geometry) in [
        (at(1.2, 1.0, 0.3), Geometry::rectangle(1.0, 0.6, 0.0)?),
        (at(3.0, 1.7, 0.0), Geometry::circle(0.4, Vec2::ZERO)?),
        (
            at(4.4, 0.9, -0.5),
            Geometry::polygon(&[[-0.5, -0.4], [0.5, -0.4], [0.0, 0.5]].map(Vec2::from), 0.1)?,
        ),
        (at(2.6, 0.5, 0.1), Geometry::segment(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0), 0.1)?),
    ] {
        let body = space.add_body(&body)?;
        space.add_shape(body, Shape::new(geometry))?;
    }
    Ok(space)
}

/// What is near a point, on a line, in a box, under a shape?
fn queries() -> Result<Picture> {
    let space = furniture()?;
    let mut picture = Picture::new([0.0, -0.2], [5.4, 2.6]);
    picture.space(&space, 0.8);

    // The nearest surface within 2 m of a point.
    let point = Vec2::new(0.5, 2.1);
    let nearest = space.point_query_nearest(point, 2.0, Filter::ALL)?.expect("there is one");
    println!("the nearest surface is {:.3} m away", nearest.distance);

    // A ray, and a circle that moves along a line: all that they hit, in order, or the first one.
    let (start, end) = (Vec2::new(0.2, 0.7), Vec2::new(5.2, 1.2));
    let hits = space.segment_query(start, end, 0.0, Filter::ALL)?;
    let way = hits[0].fraction * start.distance(end);
    println!("the ray hits {} shapes, the first one after {way:.3} m", hits.len());
    let (from, to) = (Vec2::new(5.2, 2.3), Vec2::new(0.9, 2.0));
    let first = space.segment_query_first(from, to, 0.2, Filter::ALL)?.expect("the circle is in the way");

    // Bounding boxes that touch a box: fast, and not exact.
    let area = Aabb { min: [3.5, 0.0], max: [4.0, 0.7] };
    let near = space.box_query(&area, Filter::ALL)?;

    // Shapes that touch a form at a pose, with their contacts.
    let probe = Geometry::rectangle(0.5, 0.3, 0.0)?;
    let pose = Pose { position: Vec2::new(2.2, 0.75), rotation: Rotation::from_angle(0.5) };
    let touching = space.shape_query(&probe, pose, Filter::ALL)?;
    println!("the box query finds {}, the shape query {}", near.len(), touching.len());

    picture.arrow(point, nearest.point, BLUE);
    picture.dot(point, BLUE);
    picture.line(start, end, RED);
    for hit in &hits {
        picture.arrow(hit.point, hit.point + hit.normal * 0.25, RED);
    }
    picture.arrow(from, from.lerp(to, first.fraction), GREEN);
    picture.geometry(&Geometry::circle(0.2, from.lerp(to, first.fraction))?, Pose::default(), GREEN, 0.6);
    picture.geometry(&Geometry::rectangle_from(&area, 0.0)?, Pose::default(), GREY, 0.3);
    picture.geometry(&probe, pose, YELLOW, 0.5);
    for contact in touching.iter().flat_map(|hit| hit.contacts.points()) {
        picture.dot(contact.point_b, YELLOW);
    }
    Ok(picture)
}

/// A ball in a box; the prototype of a batch.
fn box_with_ball() -> Result<(Space, BodyId)> {
    let mut space = Space::new(&SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0)))?;
    let bouncy = Material::default().with_elasticity(0.9).with_friction(0.2);
    let corners = [[0.0, 0.0], [6.0, 0.0], [6.0, 4.0], [0.0, 4.0]].map(Vec2::from);
    for k in 0..4 {
        let wall = Geometry::segment(corners[k], corners[(k + 1) % 4], 0.02)?;
        space.add_shape(space.static_body(), Shape::new(wall).with_material(bouncy))?;
    }
    let ball = space.add_body(&Body::dynamic().with_position(Vec2::new(0.5, 3.0)))?;
    let circle = Geometry::circle(0.1, Vec2::ZERO)?;
    space.add_shape(ball, Shape::new(circle).with_density(1.0).with_material(bouncy))?;
    Ok((space, ball))
}

/// Throws a thousand balls, each in a space of its own, and finds out which of them are in the right half in the end.
fn many_spaces() -> Result<Picture> {
    const COUNT: usize = 1000;
    let (prototype, ball) = box_with_ball()?;
    let mut spaces = Spaces::new(&prototype, COUNT)?;
    let (rows, row) = (spaces.bodies_per_space(), ball.index());
    for (k, velocities) in spaces.column_mut(BodyField::VelocityX).chunks_mut(rows).enumerate() {
        velocities[row] = 1.0 + 3.0 * k as f64 / COUNT as f64;
    }
    let mut bounces = 0;
    let mut paths = vec![Vec::new(); COUNT];
    for _ in 0..120 {
        for (k, path) in paths.iter_mut().enumerate() {
            let [x, y] = [BodyField::X, BodyField::Y].map(|field| spaces.column(field)[k * rows + row]);
            path.push(Vec2::new(x, y));
        }
        spaces.step(1.0 / 60.0)?;
        bounces += spaces.events().iter().filter(|event| event.begins).count();
    }
    let right = (0..COUNT).filter(|k| spaces.column(BodyField::X)[k * rows + row] > 3.0).count();
    println!("{bounces} bounces; {right} of {COUNT} balls are in the right half");

    let mut picture = Picture::new([-0.2, -0.2], [6.2, 4.2]);
    picture.space(&spaces.space(0, &prototype)?, 0.8);
    for k in (0..COUNT).step_by(50) {
        picture.path(&paths[k], BLUE);
        picture.body(&spaces.space(k, &prototype)?, ball, 1.0)?;
    }
    Ok(picture)
}
