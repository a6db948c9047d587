//! When and where two frames overlap.

use carom::fmb::region;
use carom::{Aabb, Frame, FrameKind};

use super::random::Random;

const SQUARE: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];
const CUBE: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn scaled<const D: usize>(components: [[f64; D]; D], by: f64) -> [[f64; D]; D] {
    components.map(|component| component.map(|x| x * by))
}

fn random_frame<const D: usize>(random: &mut Random, is_moving: bool) -> Frame<D> {
    loop {
        let mut vector = || std::array::from_fn(|_| random.real(-100.0, 100.0));
        let (origin, components) = (vector(), std::array::from_fn(|_| vector()));
        let velocity = if is_moving { vector() } else { [0.0; D] };
        let kind = if random.chance(0.5) { FrameKind::Cuboid } else { FrameKind::Tetrahedron };
        let frame = Frame { kind, origin, components, velocity };
        if frame.determinant().abs() > 100.0_f64.powi(D as i32) * 0.02 {
            return frame;
        }
    }
}

/// A point inside a frame at some time.
fn inner_point<const D: usize>(random: &mut Random, frame: &Frame<D>, time: f64) -> [f64; D] {
    let mut shares: [f64; D] = std::array::from_fn(|_| random.real(0.05, 0.95));
    if frame.kind == FrameKind::Tetrahedron {
        shares = shares.map(|share| share / D as f64);
    }
    std::array::from_fn(|axis| {
        let inside: f64 = (0..D).map(|i| shares[i] * frame.components[i][axis]).sum();
        frame.origin[axis] + inside + frame.velocity[axis] * time
    })
}

/// Two frames that share a point inside both, at some time from 0 to 1.
fn random_pair<const D: usize>(random: &mut Random, is_moving: bool) -> [Frame<D>; 2] {
    let a = random_frame::<D>(random, is_moving);
    let mut b = random_frame::<D>(random, is_moving);
    let time = if is_moving { random.real(0.0, 1.0) } else { 0.0 };
    let (p, q) = (inner_point(random, &a, time), inner_point(random, &b, time));
    for axis in 0..D {
        b.origin[axis] += p[axis] - q[axis];
    }
    [a, b]
}

fn near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tolerance)
}

fn near_box<const D: usize>(a: &Aabb<D>, b: &Aabb<D>, tolerance: f64) -> bool {
    near(&a.min, &b.min, tolerance) && near(&a.max, &b.max, tolerance)
}

/// The frame where it is at some time.
fn stopped<const D: usize>(frame: &Frame<D>, time: f64) -> Frame<D> {
    let origin = std::array::from_fn(|axis| frame.origin[axis] + frame.velocity[axis] * time);
    Frame { origin, velocity: [0.0; D], ..*frame }
}

/// Whether no normal of two edges separates two frames at rest: independent of the library.
fn overlap_at_rest(a: &Frame<3>, b: &Frame<3>) -> bool {
    let cross = |u: &[f64; 3], v: &[f64; 3]| {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    let mut edges = Vec::new();
    for frame in [a, b] {
        edges.extend(frame.components);
        if frame.kind == FrameKind::Tetrahedron {
            let [p, q, r] = frame.components;
            for [u, v] in [[p, q], [q, r], [r, p]] {
                edges.push(std::array::from_fn(|axis| v[axis] - u[axis]));
            }
        }
    }
    let ends = |frame: &Frame<3>, normal: &[f64; 3]| {
        let along = |v: [f64; 3]| v.iter().zip(normal).map(|(x, y)| x * y).sum::<f64>();
        frame
            .vertices()
            .map(along)
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], x| [lo.min(x), hi.max(x)])
    };
    edges.iter().all(|u| {
        edges.iter().all(|v| {
            let normal = cross(u, v);
            let ([a_lo, a_hi], [b_lo, b_hi]) = (ends(a, &normal), ends(b, &normal));
            normal.iter().all(|x| x.abs() < 1e-9) || (a_lo < b_hi && b_lo < a_hi)
        })
    })
}

#[test]
fn two_squares_share_a_corner_region() {
    let found = region(&Frame::cuboid([0.0, 0.0], SQUARE), &Frame::cuboid([0.5, 0.75], SQUARE), None);
    assert_eq!(found.times, [0.0, 0.0]);
    assert_eq!(found.world, Aabb { min: [0.5, 0.75], max: [1.0, 1.0] });
    assert_eq!(found.local, Aabb { min: [0.0, 0.0], max: [0.5, 0.25] });
}

#[test]
fn a_frame_within_another_is_the_whole_overlap() {
    let small = Frame::cuboid([0.25, 0.5, 0.125], scaled(CUBE, 0.25));
    let large = Frame::cuboid([0.0; 3], CUBE);
    let inside = Aabb { min: [0.25, 0.5, 0.125], max: [0.5, 0.75, 0.375] };
    let found = region(&small, &large, None);
    assert_eq!((found.world, found.local), (inside, inside));
    let found = region(&large, &small, None);
    assert_eq!((found.world, found.local), (inside, Aabb { min: [0.0; 3], max: [1.0; 3] }));
}

#[test]
fn a_frame_overlaps_itself_everywhere() {
    let mut random = Random(5);
    for _ in 0..100 {
        let frame = random_frame::<3>(&mut random, false);
        let found = region(&frame, &frame, None);
        assert!(near_box(&found.world, &frame.bounds(0.0), 1e-10), "{frame:?}");
        assert!(near_box(&found.local, &Aabb { min: [0.0; 3], max: [1.0; 3] }, 1e-12), "{frame:?}");
    }
}

#[test]
fn moving_squares_overlap_on_time() {
    let resting = Frame::cuboid([0.0, 0.0], SQUARE);
    let moving = Frame::cuboid([2.0, 0.5], SQUARE).with_velocity([-2.0, 0.0]);
    let found = region(&resting, &moving, Some(4.0));
    assert_eq!(found.times, [0.5, 1.5]);
    assert_eq!(found.world, Aabb { min: [0.0, 0.5], max: [1.0, 1.0] });
    assert_eq!(found.local, Aabb { min: [0.0, 0.0], max: [1.0, 0.5] });
    let found = region(&moving, &resting, Some(1.0));
    assert_eq!(found.times, [0.5, 1.0]);
    assert_eq!(found.local, Aabb { min: [0.0, 0.5], max: [1.0, 1.0] });
}

#[test]
fn crossing_edges_are_the_first_contact() {
    // Two bars, one along x and one along y, that stand on their edges: the ridge of A is at z = 1, that of B at z = 2.
    let a = Frame::cuboid([-4.0, 0.0, -1.0], [[8.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, -1.0, 1.0]]);
    let b = Frame::cuboid([0.0, -4.0, 2.0], [[0.0, 8.0, 0.0], [1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]]);
    let found = region(&a, &b.with_velocity([0.0, 0.0, -2.0]), Some(1.0));
    assert_eq!(found.times, [0.5, 1.0]);
    assert_eq!(found.world, Aabb { min: [-1.0, -1.0, 0.0], max: [1.0, 1.0, 1.0] });
}

#[test]
fn tetrahedra_end_at_their_slanted_faces() {
    let a = Frame::tetrahedron([0.0; 3], CUBE);
    let b = Frame::tetrahedron([0.25, 0.0, 0.0], CUBE);
    let found = region(&a, &b, None);
    assert_eq!(found.world, Aabb { min: [0.25, 0.0, 0.0], max: [1.0, 0.75, 0.75] });
    assert_eq!(found.local, Aabb { min: [0.0; 3], max: [0.75; 3] });
    let triangle = Frame::tetrahedron([0.0, 0.0], SQUARE);
    let square = Frame::cuboid([0.25, 0.5], SQUARE);
    assert_eq!(region(&triangle, &square, None).world, Aabb { min: [0.25, 0.5], max: [0.5, 0.75] });
}

fn orders_agree_and_bounds_hold<const D: usize>(is_moving: bool) {
    let mut random = Random(11 + D as u64);
    let duration = is_moving.then_some(1.0);
    for _ in 0..500 {
        let [a, b] = random_pair::<D>(&mut random, is_moving);
        let (one, two) = (region(&a, &b, duration), region(&b, &a, duration));
        assert!(near(&one.times, &two.times, 1e-9), "{a:?} {b:?}");
        assert!(near_box(&one.world, &two.world, 1e-7), "{a:?} {b:?}\n{one:?}\n{two:?}");
        for frame in [&a, &b] {
            assert!(one.world.is_within(&frame.bounds(duration.unwrap_or(0.0)), 1e-9), "{a:?} {b:?}");
        }
        assert!(one.local.is_within(&Aabb { min: [0.0; D], max: [1.0; D] }, 0.0));
        assert!(0.0 <= one.times[0] && one.times[0] <= one.times[1]);
    }
}

#[test]
fn the_order_of_the_frames_does_not_matter() {
    orders_agree_and_bounds_hold::<2>(false);
    orders_agree_and_bounds_hold::<2>(true);
    orders_agree_and_bounds_hold::<3>(false);
    orders_agree_and_bounds_hold::<3>(true);
}

#[test]
fn frames_touch_first_and_last_at_the_ends_of_the_interval() {
    let mut random = Random(23);
    for _ in 0..500 {
        let [a, b] = random_pair::<3>(&mut random, true);
        let [first, last] = region(&a, &b, Some(1.0)).times;
        let overlap = |time: f64| overlap_at_rest(&stopped(&a, time), &stopped(&b, time));
        assert!(!overlap(first - 1e-7) || first == 0.0, "{a:?} {b:?}");
        assert!(!overlap(last + 1e-7) || last == 1.0, "{a:?} {b:?}");
        if last - first > 1e-6 {
            assert!(overlap(first + 1e-7) && overlap(last - 1e-7), "{a:?} {b:?}");
        }
    }
}

#[test]
fn the_box_of_a_motion_is_around_the_boxes_of_its_moments() {
    let mut random = Random(31);
    for _ in 0..200 {
        let [a, b] = random_pair::<3>(&mut random, true);
        let whole = region(&a, &b, Some(1.0));
        let mut moments = Aabb::EMPTY;
        for step in 1..40 {
            let time = whole.times[0] + (whole.times[1] - whole.times[0]) * f64::from(step) / 40.0;
            let now = region(&stopped(&a, time), &stopped(&b, time), None);
            assert!(now.world.is_within(&whole.world, 1e-7), "{a:?} {b:?}\n{now:?}\n{whole:?}");
            assert!(now.local.is_within(&whole.local, 1e-7), "{a:?} {b:?}\n{now:?}\n{whole:?}");
            moments.include(&now.world.min);
            moments.include(&now.world.max);
        }
        // The coordinates of a point of the overlap change by at most the displacements of both frames between two moments.
        let step = (whole.times[1] - whole.times[0]) / 40.0;
        let size = whole.world.max.iter().zip(&whole.world.min).fold(0.0_f64, |m, (x, y)| m.max(x - y));
        assert!(
            whole.world.is_within(&moments, size * 0.1 + 200.0 * step),
            "{a:?} {b:?}\n{whole:?}\n{moments:?}"
        );
    }
}

#[test]
fn far_from_the_origin_nothing_is_lost() {
    let mut random = Random(41);
    for _ in 0..100 {
        // Steps of 2^-20 are kept by a shift of 2^30.
        let [a, b] = random_pair::<3>(&mut random, true);
        let coarse = |frame: &Frame<3>| Frame {
            origin: frame.origin.map(|x| (x * 1_048_576.0).round() / 1_048_576.0),
            ..*frame
        };
        let (a, b) = (coarse(&a), coarse(&b));
        let far = |frame: &Frame<3>| Frame { origin: frame.origin.map(|x| x + 1_073_741_824.0), ..*frame };
        let (here, there) = (region(&a, &b, Some(1.0)), region(&far(&a), &far(&b), Some(1.0)));
        assert_eq!(here.times, there.times);
        assert_eq!(here.local, there.local);
    }
}

#[test]
fn any_size_of_frame_gives_a_finite_region() {
    for size in [1e-200, 1e-100, 1.0, 1e100, 1e149] {
        let a = Frame::cuboid([0.0; 3], scaled(CUBE, size));
        let b = Frame::tetrahedron([0.25 * size; 3], scaled(CUBE, size));
        let found = region(&a, &b, None);
        assert!(near(&found.local.max, &[0.75; 3], 1e-12), "{size}: {found:?}");
        assert!(near(&found.world.max, &[size; 3], 1e-12 * size), "{size}: {found:?}");
    }
    let tiny = Frame::cuboid([0.5; 3], scaled(CUBE, 1e-150));
    let huge = Frame::cuboid([-1e149; 3], scaled(CUBE, 1e150));
    for found in [region(&tiny, &huge, None), region(&huge, &tiny, None)] {
        let ends = [found.world.min, found.world.max, found.local.min, found.local.max];
        assert!(ends.iter().flatten().all(|x| x.is_finite()), "{found:?}");
        assert!((0..3).all(|axis| found.world.min[axis] <= found.world.max[axis]), "{found:?}");
    }
}
