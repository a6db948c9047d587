//! The scalar narrow phase against brute force, and on pairs that are hard.

use super::manifold::Manifold;
use super::samples::{Sample, deepest, distance, moved, overlap_along, pair, pose, random_pose, rotation};
use super::scalar;
use crate::frames::random::SplitMix64;
use crate::geometry::{Pose, Vec2};

/// The manifold of any two samples; a circle must come first.
fn touch(a: &Sample, b: &Sample, pose: Pose, margin: f64) -> Manifold {
    let (outline_a, outline_b, pair) = (a.outline(), b.outline(), pair(a, b, pose, margin));
    match (a.vertices.len(), b.vertices.len()) {
        (1, 1) => scalar::circles(&outline_a, &outline_b, &pair),
        (1, ..=4) => scalar::circle_and_polygon::<4>(&outline_a, &outline_b, &pair),
        (1, _) => scalar::circle_and_polygon::<8>(&outline_a, &outline_b, &pair),
        (..=4, ..=4) => scalar::polygons::<4>(&outline_a, &outline_b, &pair),
        _ => scalar::polygons::<8>(&outline_a, &outline_b, &pair),
    }
}

/// Whether a manifold has the least distance or depth of two shapes, and points on both surfaces.
pub(super) fn check(a: &Sample, b: &Sample, pose: Pose, manifold: &Manifold) {
    let vertices = moved(b, pose);
    let context = || format!("{a:?}\n{b:?}\n{pose:?}\n{manifold:?}");
    assert!((manifold.normal.length() - 1.0).abs() < 1e-14, "{}", context());
    let depth = overlap_along(&a.vertices, &vertices, manifold.normal);
    let radii = a.radius + b.radius;
    let expected = if separated(&a.vertices, &vertices) {
        distance(&a.vertices, &vertices)
    } else {
        for step in 0..720 {
            let direction = rotation(f64::from(step) * std::f64::consts::PI / 360.0).turn(Vec2::X);
            assert!(overlap_along(&a.vertices, &vertices, direction) >= depth - 1e-9, "{}", context());
        }
        -depth
    };
    assert!((deepest(manifold) + radii - expected).abs() < 1e-9, "{expected}: {}", context());
    assert!((depth + expected).abs() < 1e-9, "the normal is not that of {expected}: {}", context());
    for point in &manifold.points[..usize::from(manifold.count)] {
        let at_b = pose.point(point.b);
        assert!((manifold.normal.dot(at_b - point.a) - point.separation).abs() < 1e-12, "{}", context());
        // From the surface back to the core.
        let [core_a, core_b] = [point.a - manifold.normal * a.radius, at_b + manifold.normal * b.radius];
        assert!(distance(&a.vertices, &[core_a]) < 1e-9, "{}", context());
        assert!(distance(&vertices, &[core_b]) < 1e-9, "{}", context());
    }
    let [first, second] = manifold.points;
    assert!(manifold.count < 2 || first.id != second.id, "{}", context());
}

/// Whether an edge of either outline has the other one outside: tried with every pair of vertices as an edge.
fn separated(a: &[Vec2], b: &[Vec2]) -> bool {
    let all: Vec<Vec2> = a.iter().chain(b).copied().collect();
    all.iter().any(|&from| {
        all.iter().any(|&to| {
            let normal = (to - from).perpendicular().normalized();
            [normal, -normal, normal.perpendicular(), -normal.perpendicular()]
                .into_iter()
                .any(|direction| direction != Vec2::ZERO && overlap_along(a, b, direction) < 0.0)
        })
    })
}

fn samples(random: &mut SplitMix64, most: usize) -> Sample {
    match random.bits() % 4 {
        0 => Sample::random_segment(random),
        1 => Sample::rectangle(1.0, 0.5, 0.0),
        _ => Sample::random_polygon(random, most),
    }
}

#[test]
fn random_polygons_have_the_least_distance_or_depth() {
    let mut random = SplitMix64(1);
    for most in [4, 8] {
        let mut counts = [0; 3];
        for _ in 0..4000 {
            let [a, b] = [samples(&mut random, most), samples(&mut random, most)];
            let pose = random_pose(&mut random);
            // Without a margin that is too small for the distance, and without a preference.
            let vertices = moved(&b, pose);
            let margin = if separated(&a.vertices, &vertices) {
                distance(&a.vertices, &vertices) + 0.01
            } else {
                1e-8
            };
            let manifold = touch(&a, &b, pose, margin);
            check(&a, &b, pose, &manifold);
            counts[usize::from(manifold.count)] += 1;
        }
        assert!(counts[1] > 500 && counts[2] > 500, "{counts:?}");
    }
}

#[test]
fn random_circles_have_the_least_distance_or_depth() {
    let mut random = SplitMix64(2);
    for round in 0..8000 {
        let a = Sample::random_circle(&mut random);
        let b = if round % 4 == 0 { Sample::random_circle(&mut random) } else { samples(&mut random, 8) };
        let pose = random_pose(&mut random);
        let manifold = touch(&a, &b, pose, 10.0);
        assert_eq!(manifold.count, 1);
        check(&a, &b, pose, &manifold);
    }
}

#[test]
fn what_is_beyond_the_margin_is_absent() {
    let square = Sample::rectangle(1.0, 1.0, 0.0);
    assert_eq!(touch(&square, &square, pose(0.0, 1.03, 0.0), 0.02), Manifold::default());
    assert_eq!(touch(&square, &square, pose(0.0, 1.01, 0.0), 0.02).count, 2);
    // Tilted: the right corner is 0.05 m higher.
    let tilted = touch(&square, &square, pose(0.0, 1.025, 0.05), 0.02);
    assert_eq!(tilted.count, 1);
    assert!(tilted.points[0].a.x < 0.0, "{tilted:?}");
    let ball = Sample::circle(Vec2::ZERO, 0.5);
    assert_eq!(touch(&ball, &square, pose(0.0, 1.03, 0.0), 0.02), Manifold::default());
    assert_eq!(touch(&ball, &ball, pose(0.0, 1.03, 0.0), 0.02), Manifold::default());
}

#[test]
fn equal_boxes_on_each_other_have_two_points_whatever_the_rounding() {
    let mut random = SplitMix64(3);
    for radius in [0.0, 0.05] {
        let square = Sample::rectangle(1.0, 1.0, radius);
        let gap = 1.0 + 2.0 * radius;
        let still = touch(&square, &square, pose(0.0, gap, 0.0), 0.02);
        assert_eq!((still.count, still.normal), (2, Vec2::Y));
        assert!(still.points.iter().all(|point| point.separation.abs() < 1e-15), "{still:?}");
        for scale in [1e-16, 1e-14, 1e-12, 1e-9, 1e-6, 1e-4] {
            for _ in 0..200 {
                let [x, y, angle] =
                    [random.real(), random.real(), random.real()].map(|number| number * scale);
                let manifold = touch(&square, &square, pose(x, gap + y, angle), 0.02);
                assert_eq!(manifold.count, 2, "{x} {y} {angle} {radius} {manifold:?}");
                for k in 0..2 {
                    assert_eq!(manifold.points[k].id, still.points[k].id, "{x} {y} {angle}");
                    assert!((manifold.points[k].a - still.points[k].a).length() < 3.0 * scale + 1e-10);
                }
            }
        }
    }
}

#[test]
fn ids_stay_when_a_box_rocks_and_slides() {
    let (floor, small) = (Sample::rectangle(10.0, 1.0, 0.0), Sample::rectangle(1.0, 1.0, 0.02));
    let mut ids = None;
    for step in 0..100 {
        let (slide, angle) = (f64::from(step) * 0.03, 1e-3 * f64::from(step % 7 - 3));
        for (a, b, at) in [
            (&floor, &small, pose(slide, 1.02, angle)),
            // As the floor is seen from the box.
            (
                &small,
                &floor,
                Pose { position: Vec2::ZERO, rotation: rotation(angle) }.relative(pose(-slide, -1.02, 0.0)),
            ),
        ] {
            let manifold = touch(a, b, at, 0.02);
            assert_eq!(manifold.count, 2);
            let mut seen = manifold.points.map(|point| point.id);
            if a.radius > 0.0 {
                seen = [seen[1].swap_bytes(), seen[0].swap_bytes()];
                seen.sort_unstable();
            } else {
                seen.sort_unstable();
            }
            assert_eq!(*ids.get_or_insert(seen), seen, "step {step}");
        }
    }
}

#[test]
fn a_pair_seen_from_the_other_side_is_the_mirror_image() {
    let mut random = SplitMix64(4);
    let mut two = 0;
    for _ in 0..4000 {
        let [a, b] = [samples(&mut random, 8), samples(&mut random, 8)];
        let there = random_pose(&mut random);
        let back = there.relative(Pose::default());
        let (manifold, mirrored) = (touch(&a, &b, there, 0.0), touch(&b, &a, back, 0.0));
        if manifold.count == 0 {
            assert_eq!(mirrored.count, 0);
            continue;
        }
        assert!((deepest(&manifold) - deepest(&mirrored)).abs() < 1e-12);
        let turned = there.rotation.turn(-mirrored.normal);
        if (turned - manifold.normal).length() > 1e-9 {
            // Two directions of the same depth, or each polygon has a parallel edge of its own.
            continue;
        }
        if manifold.count == 2 && mirrored.count == 2 {
            two += 1;
            let order = usize::from(manifold.points[0].id != mirrored.points[0].id.swap_bytes());
            for k in 0..2 {
                let (one, other) = (manifold.points[k], mirrored.points[k ^ order]);
                assert_eq!(one.id, other.id.swap_bytes());
                assert!((one.a - other.b).length() < 1e-9 && (one.b - other.a).length() < 1e-9);
                assert!((one.separation - other.separation).abs() < 1e-9);
            }
        }
    }
    assert!(two > 500, "{two}");
}

#[test]
fn boxes_at_the_same_place_part_along_an_axis() {
    let square = Sample::rectangle(1.0, 1.0, 0.0);
    let manifold = touch(&square, &square, Pose::default(), 0.02);
    assert_eq!(manifold.count, 2);
    assert!((deepest(&manifold) + 1.0).abs() < 1e-15, "{manifold:?}");
    let segment = Sample::segment(-Vec2::X, Vec2::X, 0.1);
    let manifold = touch(&segment, &segment, Pose::default(), 0.02);
    assert_eq!((manifold.count, deepest(&manifold)), (2, -0.2));
    let ball = Sample::circle(Vec2::ZERO, 0.25);
    assert_eq!(touch(&ball, &ball, Pose::default(), 0.0).normal, Vec2::X);
    let manifold = touch(&ball, &segment, Pose::default(), 0.0);
    assert!((deepest(&manifold) + 0.35).abs() < 1e-15 && manifold.normal.y.abs() == 1.0, "{manifold:?}");
}

#[test]
fn corners_that_are_closest_have_one_point_between_them() {
    let square = Sample::rectangle(1.0, 1.0, 0.01);
    let manifold = touch(&square, &square, pose(1.03, 1.04, 0.0), 0.1);
    assert_eq!((manifold.count, manifold.points[0].id), (1, 0x0200));
    assert!((manifold.normal - Vec2::new(0.6, 0.8)).length() < 1e-14);
    assert!((manifold.points[0].separation - 0.03).abs() < 1e-14);
    // Ends of two segments in one line.
    let segment = Sample::segment(-Vec2::X, Vec2::ZERO, 0.1);
    let manifold = touch(&segment, &segment, pose(1.25, 0.0, 0.0), 0.1);
    assert_eq!((manifold.count, manifold.normal), (1, Vec2::X));
    assert!((manifold.points[0].separation - 0.05).abs() < 1e-15);
}

#[test]
fn a_segment_that_stands_has_one_point_and_one_that_lies_has_two() {
    let (floor, post) = (Sample::rectangle(10.0, 1.0, 0.0), Sample::segment(-Vec2::Y, Vec2::Y, 0.1));
    for (angle, height, count) in [(0.0, 1.6, 1), (0.3, 1.6 - 0.04, 1), (std::f64::consts::FRAC_PI_2, 0.6, 2)]
    {
        let manifold = touch(&floor, &post, pose(0.0, height, angle), 0.05);
        assert_eq!(manifold.count, count, "{angle}: {manifold:?}");
        let manifold = touch(&post, &floor, pose(0.0, height, angle).relative(Pose::default()), 0.05);
        assert_eq!(manifold.count, count, "{angle}: {manifold:?}");
    }
}

#[test]
fn nearly_parallel_edges_and_slivers() {
    let mut random = SplitMix64(5);
    let sliver = Sample::polygon(&[[0.0, 0.0], [1.0, -1e-4], [1.0, 1e-4]], 0.0);
    let flat = Sample::polygon(&[[-1.0, 0.0], [0.0, -1e-7], [1.0, 0.0], [0.0, 1.0]], 0.0);
    let all = [Sample::rectangle(1.0, 1.0, 0.0), Sample::rectangle(2.0, 1e-3, 0.0), sliver, flat];
    for a in &all {
        for b in &all {
            for _ in 0..300 {
                let tilt = [0.0, 1e-15, 1e-12, 1e-8, 1e-5, 1e-3][random.bits() as usize % 6];
                let quarter = (random.bits() % 4) as f64 * std::f64::consts::FRAC_PI_2;
                let at = pose(1.5 * random.real(), 1.1 * random.real(), quarter + tilt * random.real());
                let vertices = moved(b, at);
                let apart = separated(&a.vertices, &vertices);
                let margin = if apart { distance(&a.vertices, &vertices) + 0.01 } else { 1e-8 };
                check(a, b, at, &touch(a, b, at, margin));
            }
        }
    }
}
