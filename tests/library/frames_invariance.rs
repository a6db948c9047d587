//! What must not change the answer: the order, the vertex that is the origin, the position, the scale.

use carom::fmb::{self, Region};
use carom::{Aabb, Frame, FrameKind};

use crate::random::Random;
use crate::rational::agreement::{Durations, SmallFrames, Still, assert_agreement, integer, kind, regions};
use crate::rational::{ContactKind, Overlap};

const MOTIONS: [Durations; 4] = [[None, None], [Some(1.0); 2], [Some(2.0), None], [None, Some(0.5)]];

type FramePair<const D: usize> = [Frame<D>; 2];

fn small_pairs<const D: usize>(count: usize, motion: Durations, seed: u64) -> Vec<FramePair<D>> {
    let mut random = Random(seed);
    let small = SmallFrames { component: 3, origin: 3, velocity: 2 };
    let still = motion.map(|duration| if duration.is_none() { Still::Yes } else { Still::No });
    (0..count).map(|_| still.map(|still| small.frame(&mut random, still))).collect()
}

/// Which parts of a region are compared, and how far apart they may be.
#[derive(Clone, Copy)]
struct Closeness {
    times: f64,
    world: f64,
    local: f64,
}

const ALL: Closeness = Closeness { times: 1e-11, world: 1e-10, local: 1e-11 };
const NOT_LOCAL: Closeness = Closeness { local: f64::INFINITY, ..ALL };

fn far<const N: usize>(u: &[f64; N], v: &[f64; N]) -> f64 {
    // NaN counts as far.
    u.iter().zip(v).map(|(x, y)| (x - y).abs()).fold(0.0, |m, x| if x <= m { m } else { x })
}

fn is_close<const D: usize>(one: &Region<D>, two: &Region<D>, closeness: Closeness) -> bool {
    let boxes = |a: &Aabb<D>, b: &Aabb<D>| [far(&a.min, &b.min), far(&a.max, &b.max)];
    far(&one.times, &two.times) <= closeness.times
        && boxes(&one.world, &two.world).iter().all(|&x| x <= closeness.world)
        && boxes(&one.local, &two.local).iter().all(|&x| x <= closeness.local)
}

/// Changes all pairs and compares the regions with those expected from the regions before the change.
fn assert_same<const D: usize>(
    pairs: &[FramePair<D>],
    [motion, motion_after]: [Durations; 2],
    change: impl Fn(&FramePair<D>) -> FramePair<D>,
    expected: impl Fn(&Region<D>) -> Region<D>,
    closeness: Closeness,
) {
    let changed: Vec<_> = pairs.iter().map(change).collect();
    let (before, after) = (regions(pairs, motion), regions(&changed, motion_after));
    assert!(before.iter().filter(|region| region.is_some()).count() > pairs.len() / 10);
    for (k, (one, two)) in before.iter().zip(&after).enumerate() {
        let same = match (one, two) {
            (Some(one), Some(two)) => is_close(&expected(one), two, closeness),
            (one, two) => one.is_none() && two.is_none(),
        };
        let ([a, b], [c, d]) = (&pairs[k], &changed[k]);
        assert!(same, "{motion:?}\n  {a:?}\n  {b:?}\n  {one:?}\nbecame\n  {c:?}\n  {d:?}\n  {two:?}");
    }
}

fn order_does_not_matter<const D: usize>(count: usize) {
    for motion in MOTIONS {
        let swapped = [motion[1], motion[0]];
        let pairs = small_pairs::<D>(count, motion, 1);
        assert_same(&pairs, [motion, swapped], |&[a, b]| [b, a], |region| *region, NOT_LOCAL);
    }
}

#[test]
fn the_order_does_not_matter() {
    order_does_not_matter::<2>(3000);
    order_does_not_matter::<3>(3000);
}

fn shifted<const D: usize>(point: &[f64; D], by: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| point[axis] + by[axis])
}

/// The same body from another of its vertices: number `choice` of those there are.
fn from_other_vertex<const D: usize>(frame: &Frame<D>, choice: usize) -> Frame<D> {
    let mut other = *frame;
    match frame.kind {
        FrameKind::Cuboid => {
            for i in (0..D).filter(|i| choice >> i & 1 == 1) {
                other.origin = shifted(&other.origin, &frame.components[i]);
                other.components[i] = frame.components[i].map(|x| -x);
            }
            other.components.rotate_left(choice % D);
        }
        FrameKind::Tetrahedron => {
            let mut vertices: Vec<_> = frame.vertices().collect();
            vertices.rotate_left(choice % (D + 1));
            vertices[1..].rotate_left(choice % D);
            other.origin = vertices[0];
            let from_origin = other.origin.map(|x| -x);
            other.components = std::array::from_fn(|i| shifted(&vertices[i + 1], &from_origin));
        }
    }
    other
}

fn origin_does_not_matter<const D: usize>(count: usize) {
    for motion in MOTIONS {
        let pairs = small_pairs::<D>(count, motion, 2);
        for choice in 1..1 << D {
            let other = |frame: &Frame<D>| from_other_vertex(frame, choice);
            let same = |region: &Region<D>| *region;
            assert_same(&pairs, [motion; 2], |[a, b]| [other(a), *b], same, ALL);
            assert_same(&pairs, [motion; 2], |[a, b]| [other(a), other(b)], same, NOT_LOCAL);
        }
    }
}

#[test]
fn the_vertex_that_is_the_origin_does_not_matter() {
    origin_does_not_matter::<2>(800);
    origin_does_not_matter::<3>(400);
}

fn position_does_not_matter<const D: usize>(count: usize) {
    let far_away: [f64; D] = std::array::from_fn(|axis| [1e9, -1e9 + 7.0, 123_456_789.0][axis]);
    let ulps = Closeness { world: 4.0 * (1e9 * f64::EPSILON), ..ALL };
    let moved = |frame: &Frame<D>| Frame { origin: shifted(&frame.origin, &far_away), ..*frame };
    let moved_box =
        |aabb: &Aabb<D>| Aabb { min: shifted(&aabb.min, &far_away), max: shifted(&aabb.max, &far_away) };
    for motion in MOTIONS {
        let pairs = small_pairs::<D>(count, motion, 3);
        let expected = |region: &Region<D>| Region { world: moved_box(&region.world), ..*region };
        assert_same(&pairs, [motion; 2], |pair| pair.map(|frame| moved(&frame)), expected, ulps);
    }
}

#[test]
fn the_position_does_not_matter() {
    position_does_not_matter::<2>(3000);
    position_does_not_matter::<3>(3000);
}

fn times<const D: usize>(vector: &[f64; D], factor: f64) -> [f64; D] {
    vector.map(|x| x * factor)
}

fn scaled<const D: usize>(frame: &Frame<D>, factor: f64) -> Frame<D> {
    Frame {
        origin: times(&frame.origin, factor),
        components: frame.components.map(|component| times(&component, factor)),
        velocity: times(&frame.velocity, factor),
        ..*frame
    }
}

fn scale_does_not_matter<const D: usize>(count: usize) {
    for motion in MOTIONS {
        let pairs = small_pairs::<D>(count, motion, 4);
        for exponent in [10, -10, 100, -100, 300, -300, 490, -490] {
            let factor = 2.0_f64.powi(exponent);
            let back = |aabb: &Aabb<D>| Aabb { min: times(&aabb.min, factor), max: times(&aabb.max, factor) };
            let expected = |region: &Region<D>| Region { world: back(&region.world), ..*region };
            let closeness = Closeness { times: 1e-12, world: 1e-11 * factor, local: 1e-12 };
            assert_same(
                &pairs,
                [motion; 2],
                |pair| pair.map(|frame| scaled(&frame, factor)),
                expected,
                closeness,
            );
        }
    }
}

#[test]
fn the_unit_of_length_does_not_matter() {
    scale_does_not_matter::<2>(1000);
    scale_does_not_matter::<3>(1000);
}

#[test]
fn the_unit_of_time_does_not_matter() {
    for exponent in [-300, -30, 30, 300] {
        let factor = 2.0_f64.powi(exponent);
        let motion = [Some(2.0); 2];
        let pairs = small_pairs::<3>(1000, motion, 5);
        let slower = |frame: &Frame<3>| frame.with_velocity(times(&frame.velocity, 1.0 / factor));
        let expected = |region: &Region<3>| Region { times: times(&region.times, factor), ..*region };
        let closeness = Closeness { times: 1e-11 * factor, ..ALL };
        let after = motion.map(|duration| duration.map(|duration| duration * factor));
        assert_same(&pairs, [motion, after], |pair| pair.map(|frame| slower(&frame)), expected, closeness);
    }
}

/// A frame whose components are those of another times a factor, `place` being its origin in the coordinates of the
/// other. Exact if all numbers are short.
fn tiny_at<const D: usize>(huge: &Frame<D>, place: [f64; D], factor: f64, kind: FrameKind) -> Frame<D> {
    let along = |axis: usize| (0..D).map(|i| place[i] * huge.components[i][axis]).sum::<f64>();
    let origin = std::array::from_fn(|axis| huge.origin[axis] + along(axis));
    let components = huge.components.map(|component| times(&component, factor));
    Frame { kind, origin, components, velocity: [0.0; D] }
}

/// Tiny frames by their position relative to the faces of a huge one.
struct TinyPairs<const D: usize> {
    outside: Vec<FramePair<D>>,
    inside: Vec<FramePair<D>>,
    straddling: Vec<FramePair<D>>,
}

/// A tiny frame at a face, an edge and a vertex of a huge one: at the faces X_i = 0, and of a cuboid also X_i = 1.
fn tiny_pairs<const D: usize>(count: usize, factor: f64, seed: u64) -> TinyPairs<D> {
    let mut random = Random(seed);
    let small = SmallFrames { component: 3, origin: 3, velocity: 0 };
    let mut all = TinyPairs { outside: Vec::new(), inside: Vec::new(), straddling: Vec::new() };
    for _ in 0..count {
        let huge = small.frame::<D>(&mut random, Still::Yes);
        let at_end = huge.kind == FrameKind::Cuboid && random.chance(0.5);
        for faces in 1..=D {
            // `depth` is 0 if the tiny frame starts at the face from outside, 1 if it is wholly inside.
            let pair = |depth: f64| {
                let place = if at_end { 1.0 - factor * depth } else { factor * (depth - 1.0) };
                let place = std::array::from_fn(|i| if i < faces { place } else { 0.125 });
                [huge, tiny_at(&huge, place, factor, FrameKind::Cuboid)]
            };
            all.outside.push(pair(0.0));
            all.straddling.push(pair(0.5));
            all.inside.push(pair(1.0));
        }
    }
    all
}

fn tiny_frames_at_huge_ones<const D: usize>(count: usize) {
    for exponent in [-33, -40, -44] {
        let pairs = tiny_pairs::<D>(count, 2.0_f64.powi(exponent), 6);
        for [motion, swapped] in [[[None, None]; 2], [[Some(1.0), None], [None, Some(1.0)]]] {
            for (some, hit) in [(&pairs.outside, false), (&pairs.inside, true), (&pairs.straddling, true)] {
                let turned: Vec<_> = some.iter().map(|&[a, b]| [b, a]).collect();
                let tallies = [assert_agreement(some, motion), assert_agreement(&turned, swapped)];
                for tally in tallies {
                    assert_eq!(
                        [tally.touching, tally.overlapping],
                        [!hit, hit].map(|x| usize::from(x) * some.len())
                    );
                }
            }
        }
    }
}

#[test]
fn a_tiny_frame_at_a_face_an_edge_or_a_vertex_of_a_huge_one_in_two_dimensions() {
    tiny_frames_at_huge_ones::<2>(20);
}

#[test]
fn a_tiny_frame_at_a_face_an_edge_or_a_vertex_of_a_huge_one_in_three_dimensions() {
    tiny_frames_at_huge_ones::<3>(8);
}

/// Frames at the ends of the range: every vector has a power of its own.
fn wild_pairs<const D: usize>(count: usize, motion: Durations, random: &mut Random) -> Vec<FramePair<D>> {
    let mut frame = |duration: Option<f64>| {
        let mut vector = |size: u32| -> [f64; D] {
            let power = [1e-150, 1e-75, 1.0, 1e75, 1e149][random.next_u64() as usize % 5];
            std::array::from_fn(|_| integer(random, size) * power)
        };
        let (origin, components) = (vector(2), std::array::from_fn(|_| vector(2)));
        let velocity = vector(if duration.is_some() { 2 } else { 0 });
        Frame { kind: kind(random), origin, components, velocity }
    };
    let pairs = std::iter::repeat_with(|| motion.map(&mut frame));
    pairs.filter(|pair| !pair.iter().any(Frame::is_degenerate)).take(count).collect()
}

/// Whether times are within the duration, the box in space within those of the frames, and the one of B within B.
fn is_plausible<const D: usize>([a, b]: &FramePair<D>, duration: f64, region: &Region<D>) -> bool {
    let ordered =
        |range: &[f64; 2], lo: f64, hi: f64| lo <= range[0] && range[0] <= range[1] && range[1] <= hi;
    let axis = |aabb: &Aabb<D>, k: usize| [aabb.min[k], aabb.max[k]];
    let bounds = [a.bounds(duration), b.bounds(duration)];
    let ends = bounds.iter().flat_map(|aabb| [aabb.min, aabb.max]).flatten();
    let slack = 1e-12 * ends.fold(0.0, |m: f64, x| m.max(x.abs()));
    let in_world = |k: usize| {
        let lo = bounds[0].min[k].max(bounds[1].min[k]) - slack;
        let hi = bounds[0].max[k].min(bounds[1].max[k]) + slack;
        ordered(&axis(&region.world, k), lo, hi)
    };
    ordered(&region.times, 0.0, duration)
        && (0..D).all(|k| in_world(k) && ordered(&axis(&region.local, k), 0.0, 1.0))
}

/// Hits must be right at any scale, and their regions plausible.
fn wild_frames_are_decided<const D: usize>(count: usize, seed: u64) {
    let mut random = Random(seed);
    for motion in MOTIONS {
        let duration = motion[0].or(motion[1]);
        let pairs = wild_pairs::<D>(count, motion, &mut random);
        let found = regions(&pairs, motion);
        for (pair, region) in pairs.iter().zip(&found) {
            let [a, b] = pair;
            let contact = Overlap::of(a, b, duration).contact;
            assert_eq!(
                fmb::intersects(a, b, duration),
                contact == ContactKind::Overlapping,
                "{a:?} {b:?} {duration:?}"
            );
            assert_eq!(region.is_some(), contact == ContactKind::Overlapping, "{a:?} {b:?} {duration:?}");
            let plausible = region.is_none_or(|region| is_plausible(pair, duration.unwrap_or(0.0), &region));
            assert!(plausible, "{a:?} {b:?} {duration:?}: {region:?}");
        }
        let hits = found.iter().filter(|region| region.is_some()).count();
        assert!(hits > count / 10 && hits < count * 9 / 10, "{hits}");
    }
}

#[test]
fn frames_at_the_ends_of_the_range_in_two_dimensions() {
    wild_frames_are_decided::<2>(200, 7);
}

#[test]
fn frames_at_the_ends_of_the_range_in_three_dimensions() {
    wild_frames_are_decided::<3>(80, 8);
}

/// A frame that has the origin of space inside, at its border or nearby.
fn around_the_origin<const D: usize>(frame: &Frame<D>, random: &mut Random) -> Frame<D> {
    let place: [f64; D] = std::array::from_fn(|_| [-0.125, 0.0, 0.25, 0.25][random.next_u64() as usize % 4]);
    let origin = |axis: usize| (0..D).map(|i| -place[i] * frame.components[i][axis]).sum();
    Frame { origin: std::array::from_fn(origin), ..*frame }
}

/// Small frames around the origin, each with a unit of its own.
fn sizes_may_differ<const D: usize>(count: usize) {
    let factors = [1e-150, 1e-30, 1e-3, 1.0, 1e3, 1e30, 1e149];
    for (k, motion) in MOTIONS.into_iter().enumerate() {
        let mut random = Random(9 + k as u64);
        let mut pairs = small_pairs::<D>(count, motion, 10 + k as u64);
        for frame in pairs.as_flattened_mut() {
            let factor = factors[random.next_u64() as usize % factors.len()];
            *frame = scaled(&around_the_origin(frame, &mut random), factor);
        }
        let tally = assert_agreement(&pairs, motion);
        assert!(tally.overlapping > count / 10 && tally.apart > count / 10, "{tally:?}");
    }
}

#[test]
fn frames_of_very_different_sizes_in_two_dimensions() {
    sizes_may_differ::<2>(200);
}

#[test]
fn frames_of_very_different_sizes_in_three_dimensions() {
    sizes_may_differ::<3>(100);
}

fn box_at<const D: usize>(axis: usize, at: f64, size: f64, kind: FrameKind) -> Frame<D> {
    let origin = std::array::from_fn(|k| if k == axis { at } else { 0.0 });
    let components = std::array::from_fn(|i| {
        std::array::from_fn(|k| f64::from(u8::from(i == k)) * if k == axis { size } else { 1.0 })
    });
    Frame { kind, origin, components, velocity: [0.0; D] }
}

/// One frame ends where the other one starts, within one unit in the last place of its start or of its size.
fn one_ulp_decides<const D: usize>(motion: Durations) {
    let kinds = [FrameKind::Cuboid, FrameKind::Tetrahedron];
    let (mut touching, mut apart, mut overlapping) = (Vec::new(), Vec::new(), Vec::new());
    for (axis, start) in (0..D).flat_map(|axis| [0.0, 1.0, 1e9, -1e9, -1.0].map(|start| (axis, start))) {
        for kind in kinds {
            let end = start + 1.0;
            let first = |size: f64| box_at::<D>(axis, start, size, FrameKind::Cuboid);
            let second = |at: f64| box_at::<D>(axis, at, 1.0, kind);
            touching.push([first(1.0), second(end)]);
            apart.push([first(1.0), second(end.next_up())]);
            apart.push([first(1.0_f64.next_down()), second(end)]);
            overlapping.push([first(1.0), second(end.next_down())]);
            overlapping.push([first(1.0_f64.next_up()), second(end)]);
        }
    }
    assert_eq!(assert_agreement(&touching, motion).touching, touching.len());
    assert_eq!(assert_agreement(&apart, motion).apart, apart.len());
    assert_eq!(assert_agreement(&overlapping, motion).overlapping, overlapping.len());
}

#[test]
fn one_unit_in_the_last_place_decides() {
    for motion in MOTIONS {
        one_ulp_decides::<2>(motion);
        one_ulp_decides::<3>(motion);
    }
}
