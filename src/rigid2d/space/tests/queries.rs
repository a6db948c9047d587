//! Queries against loops over all shapes.

use super::*;
use crate::frames::random::SplitMix64;
use crate::geometry::{Aabb, Pose, Rotation};
use crate::rigid2d::Filter;
use crate::soa::Context;

/// A number between two others.
fn between(random: &mut SplitMix64, low: f64, high: f64) -> f64 {
    low + (random.real() + 1.0) * 0.5 * (high - low)
}

fn anywhere(random: &mut SplitMix64) -> Vec2 {
    Vec2::new(between(random, -12.0, 12.0), between(random, -12.0, 12.0))
}

fn any_geometry(random: &mut SplitMix64) -> Geometry {
    let size = between(random, 0.2, 1.5);
    let spread = |random: &mut SplitMix64| Vec2::new(random.real(), random.real()) * size;
    let radius = if random.bits().is_multiple_of(2) { 0.0 } else { 0.2 };
    match random.bits() % 4 {
        0 => Geometry::circle(size, spread(random)),
        1 => Geometry::segment(spread(random), spread(random), radius),
        2 => Geometry::rectangle(size, 0.5 * size, radius),
        _ => Geometry::polygon(&(0..12).map(|_| spread(random)).collect::<Vec<_>>(), radius),
    }
    .unwrap()
}

/// A space with this many shapes, some of them sensors or of another category, after some steps; a few bodies are then moved,
/// added, removed or changed.
fn scene(count: usize, seed: u64) -> Space {
    let mut random = SplitMix64(seed);
    let mut space = Space::new(&SpaceSettings::default().with_gravity(Vec2::new(0.5, -10.0))).unwrap();
    let mut add_one = |space: &mut Space| {
        let kind = [BodyKind::Static, BodyKind::Dynamic, BodyKind::Dynamic][random.bits() as usize % 3];
        let mut body =
            Body::dynamic().with_kind(kind).with_position(anywhere(&mut random)).with_angle(random.real());
        if kind == BodyKind::Dynamic {
            body = body.with_mass(1.0).with_moment(1.0).with_velocity(anywhere(&mut random));
        }
        let body = space.add_body(&body).unwrap();
        let filter = Filter::ALL.with_categories(if random.bits().is_multiple_of(4) { 2 } else { 1 });
        let material = Material::default().with_filter(filter).with_sensor(random.bits().is_multiple_of(5));
        space.add_shape(body, Shape::new(any_geometry(&mut random)).with_material(material)).unwrap();
        body
    };
    let bodies: Vec<BodyId> = (0..count).map(|_| add_one(&mut space)).collect();
    run(&mut space, 5);
    (0..3).for_each(|_| _ = add_one(&mut space));
    let mut random = SplitMix64(seed + 1);
    for &body in bodies.iter().step_by(7) {
        space.body_mut(body).unwrap().set_position(anywhere(&mut random)).unwrap();
    }
    for &body in bodies.iter().skip(1).step_by(11) {
        let shape = space.body(body).unwrap().shapes().next().unwrap().id();
        space.shape_mut(shape).unwrap().set_geometry(any_geometry(&mut random)).unwrap();
    }
    space.remove_body(bodies[bodies.len() / 2]).unwrap();
    space
}

fn pose(space: &Space, shape: ShapeRef<'_>) -> Pose {
    space.body(shape.body()).unwrap().pose()
}

const ONE: Filter = Filter::ALL.with_mask(1);

fn accepts(shape: &ShapeRef<'_>) -> bool {
    shape.material().filter.accepts(ONE)
}

fn each_scene(test: impl Fn(&Space, &mut SplitMix64)) {
    for (count, seed) in [(5, 1), (30, 2), (60, 3), (300, 4)] {
        let space = scene(count, seed);
        assert_eq!(space.core.engine.boxes().index().is_some(), count > 40);
        let mut random = SplitMix64(seed + 100);
        (0..60).for_each(|_| test(&space, &mut random));
    }
}

#[test]
fn points_find_what_a_loop_finds() {
    each_scene(|space, random| {
        let point = anywhere(random);
        let distance = [0.0, 0.5, 3.0, f64::INFINITY][random.bits() as usize % 4];
        let expected: Vec<PointHit> = space
            .shapes()
            .filter(accepts)
            .map(|shape| {
                let nearest = shape.geometry().nearest(pose(space, shape), point);
                let (point, distance, gradient) = (nearest.point, nearest.distance, nearest.gradient);
                PointHit { shape: shape.id(), point, distance, gradient }
            })
            .filter(|hit| hit.distance <= distance)
            .collect();
        assert_eq!(space.point_query(point, distance, ONE).unwrap(), expected);
        let solid = expected.iter().filter(|hit| !space.shape(hit.shape).unwrap().material().sensor);
        let nearest = solid.copied().reduce(|a, b| if b.distance < a.distance { b } else { a });
        assert_eq!(space.point_query_nearest(point, distance, ONE).unwrap(), nearest);
    });
}

#[test]
fn segments_find_what_a_loop_finds() {
    each_scene(|space, random| {
        let (start, end) = (anywhere(random), anywhere(random));
        let radius = [0.0, 0.3][random.bits() as usize % 2];
        let mut expected: Vec<RayHit> = space
            .shapes()
            .filter(accepts)
            .filter_map(|shape| {
                let hit = shape.geometry().segment_query(pose(space, shape), start, end, radius)?;
                let (fraction, point, normal) = (hit.fraction, hit.point, hit.normal);
                Some(RayHit { shape: shape.id(), fraction, point, normal })
            })
            .collect();
        expected.sort_by(|a, b| a.fraction.total_cmp(&b.fraction));
        assert_eq!(space.segment_query(start, end, radius, ONE).unwrap(), expected);
        let first = expected.iter().find(|hit| !space.shape(hit.shape).unwrap().material().sensor);
        assert_eq!(space.segment_query_first(start, end, radius, ONE).unwrap(), first.copied());
    });
}

#[test]
fn boxes_find_what_a_loop_finds() {
    each_scene(|space, random| {
        let aabb = Aabb::from_extents(anywhere(random).into(), [between(random, 0.0, 4.0); 2]).unwrap();
        let expected: Vec<ShapeId> = space
            .shapes()
            .filter(|shape| accepts(shape) && shape.bounding_box().touches(&aabb))
            .map(|shape| shape.id())
            .collect();
        assert_eq!(space.box_query(&aabb, ONE).unwrap(), expected);
    });
}

#[test]
fn shapes_find_what_touches_them() {
    each_scene(|space, random| {
        let geometry = any_geometry(random);
        let at = Pose { position: anywhere(random), rotation: Rotation::from_angle(3.0 * random.real()) };
        let hits = space.shape_query(&geometry, at, ONE).unwrap();
        for shape in space.shapes() {
            let hit = hits.iter().find(|hit| hit.shape == shape.id());
            let distance = distance(&geometry, at, shape.geometry(), pose(space, shape));
            match hit {
                Some(hit) => {
                    assert!(accepts(&shape) && distance < 1e-6, "{distance}");
                    check_contacts(hit, &geometry, at, shape.geometry(), pose(space, shape));
                }
                None => assert!(!accepts(&shape) || distance > -1e-6, "{distance}"),
            }
        }
    });
}

/// The least distance of the outlines of two forms, or a negative number if they overlap, by samples of both outlines.
fn distance(a: &Geometry, pose_a: Pose, b: &Geometry, pose_b: Pose) -> f64 {
    let samples = |from: &Geometry, pose: Pose, to: &Geometry, pose_to: Pose| {
        let vertices = from.vertices();
        let n = vertices.len();
        let mut least = f64::INFINITY;
        for i in 0..n {
            // The distance from a convex form is convex along an edge.
            let at = |share: f64| {
                let point = pose.point(vertices[i].lerp(vertices[(i + 1) % n], share));
                to.nearest(pose_to, point).distance - from.radius()
            };
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let [third, other] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
                if at(third) < at(other) { high = other } else { low = third }
            }
            least = least.min(at(0.5 * (low + high)));
        }
        least
    };
    samples(a, pose_a, b, pose_b).min(samples(b, pose_b, a, pose_a))
}

fn check_contacts(hit: &ShapeHit, a: &Geometry, pose_a: Pose, b: &Geometry, pose_b: Pose) {
    let contacts = &hit.contacts;
    assert!((contacts.normal.length() - 1.0).abs() < 1e-12);
    let deepest = contacts.points().iter().map(|point| point.depth).fold(f64::NEG_INFINITY, f64::max);
    assert!(deepest >= -1e-12);
    for point in contacts.points() {
        assert!(a.nearest(pose_a, point.point_a).distance < 1e-9);
        assert!(b.nearest(pose_b, point.point_b).distance < 1e-9);
    }
    // Moved apart by the depth along the normal they no longer overlap.
    let apart = Pose { position: pose_b.position + contacts.normal * (deepest + 1e-9), ..pose_b };
    assert!(distance(a, pose_a, b, apart) > -1e-6);
}

#[test]
fn many_queries_are_answered_in_order_on_any_number_of_threads() {
    let space = scene(200, 9);
    let mut random = SplitMix64(5);
    let geometry = any_geometry(&mut random);
    let (mut points, mut segments, mut boxes, mut shapes) = (vec![], vec![], vec![], vec![]);
    for _ in 0..300 {
        let (start, end) = (anywhere(&mut random), anywhere(&mut random));
        points.push(PointQuery { point: start, distance: 1.0, filter: ONE });
        segments.push(SegmentQuery { start, end, radius: 0.1, filter: ONE });
        boxes.push(BoxQuery { aabb: Aabb::from_sphere(start.into(), 1.0).unwrap(), filter: ONE });
        let pose = Pose { position: end, ..Pose::default() };
        shapes.push(ShapeQuery { geometry: &geometry, pose, filter: ONE });
    }
    for context in [Context::serial(), Context::with_threads(3).unwrap()] {
        let point_hits = space.point_queries(&context, &points).unwrap();
        let segment_hits = space.segment_queries(&context, &segments).unwrap();
        let box_hits = space.box_queries(&context, &boxes).unwrap();
        let shape_hits = space.shape_queries(&context, &shapes).unwrap();
        let nearest = space.point_queries_nearest(&context, &points).unwrap();
        let first = space.segment_queries_first(&context, &segments).unwrap();
        assert_eq!((point_hits.len(), nearest.len(), first.len()), (300, 300, 300));
        assert!(
            !point_hits.hits().is_empty() && *point_hits.ends().last().unwrap() == point_hits.hits().len()
        );
        assert!(point_hits.get(300).is_err() && point_hits.iter().len() == 300 && !point_hits.is_empty());
        for n in 0..300 {
            let PointQuery { point, distance, .. } = points[n];
            let SegmentQuery { start, end, radius, .. } = segments[n];
            assert_eq!(point_hits.get(n).unwrap(), space.point_query(point, distance, ONE).unwrap());
            assert_eq!(nearest[n], space.point_query_nearest(point, distance, ONE).unwrap());
            assert_eq!(segment_hits.get(n).unwrap(), space.segment_query(start, end, radius, ONE).unwrap());
            assert_eq!(first[n], space.segment_query_first(start, end, radius, ONE).unwrap());
            assert_eq!(box_hits.get(n).unwrap(), space.box_query(&boxes[n].aabb, ONE).unwrap());
            assert_eq!(
                shape_hits.get(n).unwrap(),
                space.shape_query(&geometry, shapes[n].pose, ONE).unwrap()
            );
        }
    }
    points[7].distance = -1.0;
    let error = space.point_queries(&Context::serial(), &points).unwrap_err();
    assert_eq!(error, Error::Negative { field: "distance", index: 7, value: -1.0 });
}

#[test]
fn bad_queries_are_named() {
    let space = scene(5, 1);
    let bad = Vec2::new(0.0, f64::NAN);
    assert!(space.point_query(bad, 1.0, ONE).is_err() && space.point_query(Vec2::X, f64::NAN, ONE).is_err());
    assert!(space.point_query_nearest(Vec2::X, -1.0, ONE).is_err());
    assert!(space.segment_query(bad, Vec2::X, 0.0, ONE).is_err());
    assert!(space.segment_query_first(Vec2::X, bad, 0.0, ONE).is_err());
    assert!(space.segment_query(Vec2::X, Vec2::Y, f64::INFINITY, ONE).is_err());
    assert!(space.box_query(&Aabb { min: [1.0, 0.0], max: [0.0, 1.0] }, ONE).is_err());
    assert!(space.box_query(&Aabb { min: [f64::NAN, 0.0], max: [0.0, 1.0] }, ONE).is_err());
    let geometry = Geometry::circle(1.0, Vec2::ZERO).unwrap();
    let skewed = Pose { rotation: Rotation { cos: 2.0, sin: 0.0 }, ..Pose::default() };
    assert!(space.shape_query(&geometry, skewed, ONE).is_err());
    assert!(space.shape_query(&geometry, Pose { position: bad, ..Pose::default() }, ONE).is_err());
}

#[test]
fn handlers_can_ask() {
    let mut space = space();
    let floor = ground(&mut space);
    add(&mut space, [0.0, 0.5], circle(0.5));
    let handler = Handler::new().on_begin(move |arbiter| {
        let hit = arbiter.space().point_query_nearest(Vec2::new(3.0, 0.2), 1.0, Filter::ALL).unwrap();
        assert_eq!(hit.unwrap().shape, floor);
        true
    });
    space.set_default_handler(handler).unwrap();
    run(&mut space, 1);
}

#[test]
fn what_flies_is_found_while_the_tree_waits() {
    let mut space = space();
    let add = |n: usize| {
        let place = Vec2::new((n % 10) as f64, (n / 10) as f64);
        let body = Body::dynamic().with_position(place).with_velocity(Vec2::new(40.0, 7.0));
        let body = space.add_body(&body.with_mass(1.0).with_moment(1.0)).unwrap();
        space.add_shape(body, Shape::new(Geometry::circle(0.1, Vec2::ZERO).unwrap())).unwrap()
    };
    let shapes: Vec<_> = (0..100).map(add).collect();
    for step in 0..40 {
        run(&mut space, 1);
        for &shape in &shapes {
            let at = pose(&space, space.shape(shape).unwrap()).position;
            let found = space.point_query(at, 0.0, Filter::ALL).unwrap();
            assert_eq!(found.iter().map(|hit| hit.shape).collect::<Vec<_>>(), [shape], "{step}");
        }
        let late = space.core.engine.boxes().late();
        assert!(late < 32 && (late > 0 || step == 0 || step % 32 == 0), "{step} {late}");
    }
}
