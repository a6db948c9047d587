//! Every class of the lanes against GJK and EPA, on a million pairs in all: distances, depths, normals and points.

use std::marker::PhantomData;

use super::tests::{Batch, Run};
use super::{CircleAndPolygon, Circles, Class, Polygons};
use crate::frames::random::SplitMix64;
use crate::geometry::{Pose, Vec2};
use crate::rigid2d::narrow::gjk::{self, Closest, Convex};
use crate::rigid2d::narrow::manifold::{Manifold, PREFERENCE, Pair};
use crate::rigid2d::narrow::samples::{
    Sample, deepest, distance, moved, overlap_along, pose, random_pose, size, vector,
};
use crate::rigid2d::shapes::outline::LEAST_TURN_F32;
use crate::soa::block::Real;
use crate::soa::level;

/// A pair of shapes, where the second one is, and the margin.
type Placed = (Sample, Sample, Pose, f64);

/// Closest points by GJK, or the shortest way out by EPA.
fn oracle(a: &Sample, b: &Sample, pose: Pose) -> Closest {
    gjk::distance(
        &Convex { vertices: &a.vertices, radius: a.radius },
        &Convex { vertices: &moved(b, pose), radius: b.radius },
    )
}

/// A polygon with up to `most` vertices: any one, a box, or one that is as thin as a hair.
fn polygon(random: &mut SplitMix64, most: usize) -> Sample {
    let thin = [1e-2, 1e-4, 1e-6, 2e-9][random.bits() as usize % 4];
    match random.bits() % 8 {
        0 => Sample::rectangle(1.0, 1.0, 0.0),
        1 => Sample::rectangle(1.0, 0.5, 0.1 * size(random)),
        2 => Sample::rectangle(1.0 + size(random), thin, 0.0),
        3 => Sample::polygon(&[[0.0, 0.0], [1.0, -thin], [1.0, thin]], 0.0),
        4 => Sample::polygon(&[[-1.0, 0.0], [0.0, -thin], [1.0, 0.0], [0.0, 1.0]], 0.05 * size(random)),
        _ => Sample::random_polygon(random, most),
    }
}

/// A segment, at times without a rounding radius, or along an axis.
fn segment(random: &mut SplitMix64) -> Sample {
    if random.bits().is_multiple_of(4) {
        Sample::segment(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0), 0.1)
    } else {
        Sample::random_segment(random)
    }
}

/// How B lies beside A.
fn place(random: &mut SplitMix64, a: &Sample, b: &Sample) -> Pose {
    let quarter = (random.bits() % 4) as f64 * std::f64::consts::FRAC_PI_2;
    match random.bits() % 8 {
        // Edges are parallel, or nearly.
        0 | 1 => {
            let tilt = [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3][random.bits() as usize % 6];
            let position = vector(random) * 1.5;
            pose(position.x, position.y, quarter + tilt * random.real())
        }
        // One is deep in the other, or at the same place.
        2 => {
            let position = vector(random) * ([0.0, 1e-9, 0.05][random.bits() as usize % 3]);
            pose(
                position.x,
                position.y,
                if random.bits().is_multiple_of(2) { quarter } else { random.real() },
            )
        }
        // They touch exactly, but for rounding or a little more.
        3 | 4 => {
            let at = random_pose(random);
            let found = oracle(a, b, at);
            let off = [0.0, 1e-15, 1e-12, 1e-9, 1e-6][random.bits() as usize % 5] * random.real();
            Pose { position: at.position + found.normal * (off - found.distance), ..at }
        }
        _ => random_pose(random),
    }
}

/// Pairs with margins that hold their distance; with overlapping cores one so small that there is no preference.
fn pairs(
    seed: u64,
    count: usize,
    make: [&dyn Fn(&mut SplitMix64) -> Sample; 2],
) -> (Vec<Placed>, [usize; 2]) {
    let mut random = SplitMix64(seed);
    let mut counts = [0; 2];
    let pairs = (0..count).map(|_| {
        let [a, b] = make.map(|make| make(&mut random));
        let pose = place(&mut random, &a, &b);
        let found = oracle(&a, &b, pose);
        counts[usize::from(found.distance > 0.0)] += 1;
        let are_cores_apart = found.distance + a.radius + b.radius > 1e-12;
        let margin = f64::max(found.distance, 0.0) + if are_cores_apart { 0.01 } else { 1e-12 };
        (a, b, pose, margin)
    });
    (pairs.collect(), counts)
}

/// What numbers of a precision can be off by.
struct Tolerance {
    distance: f64,
    /// Of a point from the surface on which it is, and of a separation from its points.
    point: f64,
    normal: f64,
}

/// Whether the lanes find the distance or depth of the oracle, along a normal that is as good.
fn check(a: &Sample, b: &Sample, pair: &Pair, found: &Manifold, tolerance: &Tolerance) {
    let (pose, radii) = (pair.pose, a.radius + b.radius);
    let expected = oracle(a, b, pose);
    let context = || format!("{a:?}\n{b:?}\n{pair:?}\n{found:?}\n{expected:?}");
    assert!(found.count > 0, "nothing found: {}", context());
    let may_prefer = expected.distance + radii < tolerance.distance;
    let allowed = tolerance.distance + if may_prefer { PREFERENCE * pair.margin } else { 0.0 };
    assert!((deepest(found) - expected.distance).abs() < allowed, "{}", context());
    assert!((found.normal.length() - 1.0).abs() < tolerance.normal, "{}", context());
    // Several normals can be equally good: this one must separate the shapes as far as the best one does.
    let vertices = moved(b, pose);
    let separation = -overlap_along(&a.vertices, &vertices, found.normal) - radii;
    assert!((separation - expected.distance).abs() < allowed, "{separation}: {}", context());
    // Where the cores are clearly apart there is one.
    let apart = expected.distance + radii;
    if apart > 1e-3 {
        let off = found.normal.distance(expected.normal);
        assert!(off < (2.0 * allowed / apart).sqrt() + tolerance.normal, "{off}: {}", context());
    }
    for point in &found.points[..usize::from(found.count)] {
        let at_b = pose.point(point.b);
        let along = found.normal.dot(at_b - point.a);
        assert!((along - point.separation).abs() < tolerance.point, "{}", context());
        let [core_a, core_b] = [point.a - found.normal * a.radius, at_b + found.normal * b.radius];
        assert!(distance(&a.vertices, &[core_a]) < tolerance.point, "{}", context());
        assert!(distance(&vertices, &[core_b]) < tolerance.point, "{}", context());
    }
}

/// The sample as it is after its numbers were rounded to a precision.
fn rounded<R: Real>(sample: &Sample) -> Sample {
    let narrow = |number: f64| R::nearest(number).widen();
    let vertices = sample.vertices.iter().map(|v| Vec2::new(narrow(v.x), narrow(v.y))).collect();
    Sample { vertices, radius: narrow(sample.radius) }
}

/// Compares a class in a precision. In chunks, so that memory stays small.
fn compare<R: Real, C: Class>(pairs: &[Placed], tolerance: &Tolerance) {
    for chunk in pairs.chunks(4096) {
        let mut chunk = chunk.to_vec();
        for (_, _, _, margin) in &mut chunk {
            *margin = f64::max(*margin, tolerance.distance);
        }
        let batch = Batch::<R>::new(&chunk);
        let found = level::run(Run::<R, C>(batch.input(), PhantomData));
        for (row, (a, b, ..)) in chunk.iter().enumerate() {
            let (_, _, pair) = batch.pair(row);
            check(&rounded::<R>(a), &rounded::<R>(b), &pair, &found[row], tolerance);
        }
    }
}

/// 100,000 pairs in double precision, and 20,000 of them in single precision, without those with corners too flat for it.
fn class<C: Class>(seed: u64, make: [&dyn Fn(&mut SplitMix64) -> Sample; 2]) {
    let (pairs, [overlapping, apart]) = pairs(seed, 100_000, make);
    assert!(overlapping > 2_000 && apart > 10_000, "{overlapping} overlap, {apart} are apart");
    compare::<f64, C>(&pairs, &Tolerance { distance: 1e-9, point: 1e-9, normal: 1e-9 });
    let steep = |(a, b, ..): &&Placed| [a, b].iter().all(|sample| sample.least_turn() > LEAST_TURN_F32);
    let pairs: Vec<Placed> = pairs.iter().filter(steep).take(20_000).cloned().collect();
    assert_eq!(pairs.len(), 20_000);
    compare::<f32, C>(&pairs, &Tolerance { distance: 5e-5, point: 1e-4, normal: 1e-3 });
}

#[test]
fn circles() {
    class::<Circles>(1, [&Sample::random_circle, &Sample::random_circle]);
}

#[test]
fn circles_and_segments() {
    class::<CircleAndPolygon<4>>(2, [&Sample::random_circle, &segment]);
}

#[test]
fn circles_and_polygons_of_4() {
    class::<CircleAndPolygon<4>>(3, [&Sample::random_circle, &|random| polygon(random, 4)]);
}

#[test]
fn circles_and_polygons_of_8() {
    class::<CircleAndPolygon<8>>(4, [&Sample::random_circle, &|random| polygon(random, 8)]);
}

#[test]
fn segments() {
    class::<Polygons<4>>(5, [&segment, &segment]);
}

#[test]
fn segments_and_polygons_of_4() {
    class::<Polygons<4>>(6, [&segment, &|random| polygon(random, 4)]);
}

#[test]
fn segments_and_polygons_of_8() {
    class::<Polygons<8>>(7, [&|random| polygon(random, 8), &segment]);
}

#[test]
fn polygons_of_4() {
    class::<Polygons<4>>(8, [&|random| polygon(random, 4), &|random| polygon(random, 4)]);
}

#[test]
fn polygons_of_4_and_8() {
    class::<Polygons<8>>(9, [&|random| polygon(random, 4), &|random| polygon(random, 8)]);
}

#[test]
fn polygons_of_8() {
    class::<Polygons<8>>(10, [&|random| polygon(random, 8), &|random| polygon(random, 8)]);
}
