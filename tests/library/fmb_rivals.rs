//! FMB as in its paper against the separating axis test on random frames (docs/methods/fmb.md).

use carom::fmb::ReferenceTest;
use carom::frames::random::RandomFrames;
use carom::{Aabb, Frame, FrameKind, sat};

const PAIRS: usize = 20_000;

/// All four tests of pairs, two algorithms in both orders, agree; returns the share of pairs that intersect.
fn share_of_hits<const D: usize>(
    duration: Option<f64>,
    count: usize,
    mut draw: impl FnMut() -> [Frame<D>; 2],
) -> f64 {
    let mut reference = ReferenceTest::new();
    let mut hits = 0;
    for _ in 0..count {
        let [a, b] = draw();
        let hit = sat::intersects(&a, &b, duration);
        let others = [
            sat::intersects(&b, &a, duration),
            reference.test(&a, &b, duration).is_some(),
            reference.test(&b, &a, duration).is_some(),
        ];
        assert_eq!(others, [hit; 3], "{a:?} and {b:?}");
        hits += usize::from(hit);
    }
    hits as f64 / count as f64
}

/// The two algorithms agree on frames anywhere and on near ones, and there are enough hits and misses among both.
fn rivals_agree<const D: usize>(duration: Option<f64>, seed: u64) {
    let mut random = RandomFrames::new(seed);
    let anywhere = share_of_hits::<D>(duration, PAIRS, || random.pair(duration.is_some()));
    let near = share_of_hits::<D>(duration, PAIRS / 4, || random.near_pair(duration));
    assert!(anywhere > 0.05 && near < 0.95 && anywhere < near, "{anywhere} of all, {near} of the near");
}

#[test]
fn rivals_agree_on_flat_frames_at_rest() {
    rivals_agree::<2>(None, 11);
}

#[test]
fn rivals_agree_on_flat_frames_in_motion() {
    rivals_agree::<2>(Some(1.0), 12);
}

#[test]
fn rivals_agree_on_frames_at_rest() {
    rivals_agree::<3>(None, 13);
}

#[test]
fn rivals_agree_on_frames_in_motion() {
    rivals_agree::<3>(Some(1.0), 14);
}

#[test]
fn rivals_agree_on_any_duration() {
    for duration in [0.01, 0.5, 3.0] {
        let mut random = RandomFrames::new(15);
        share_of_hits::<2>(Some(duration), PAIRS / 10, || random.pair(true));
        share_of_hits::<3>(Some(duration), PAIRS / 10, || random.pair(true));
    }
}

/// Whether a point lies in a frame at rest.
fn holds(frame: &Frame<3>, point: &[f64; 3]) -> bool {
    let x = frame
        .inverse()
        .map(|row| (0..3).map(|axis| row[axis] * (point[axis] - frame.origin[axis])).sum::<f64>());
    let most = match frame.kind {
        FrameKind::Cuboid => x.into_iter().fold(0.0, f64::max),
        FrameKind::Tetrahedron => x.into_iter().sum(),
    };
    x.into_iter().all(|x| x >= 0.0) && most <= 1.0
}

/// The box of the paper is loose, but it holds the overlap: so it holds every vertex of a frame that is in the other.
#[test]
fn the_box_of_the_reference_holds_the_vertices_in_the_overlap() {
    let mut random = RandomFrames::new(16);
    let mut reference = ReferenceTest::new();
    let mut checked = 0;
    while checked < 1000 {
        let [a, b] = random.near_pair::<3>(None);
        let Some(found) = reference.test(&a, &b, None) else { continue };
        let world = found.world(&b);
        let of_a = a.vertices().filter(|vertex| holds(&b, vertex));
        for vertex in b.vertices().filter(|vertex| holds(&a, vertex)).chain(of_a) {
            assert!(
                Aabb { min: vertex, max: vertex }.is_within(&world, 1e-6),
                "{vertex:?} of {a:?} and {b:?}"
            );
            checked += 1;
        }
    }
}

/// At these times frames at rest in the positions of the moving ones begin and cease to intersect.
#[test]
fn the_times_of_the_reference_are_those_of_frames_at_rest() {
    let mut random = RandomFrames::new(17);
    let mut reference = ReferenceTest::new();
    let at = |frame: &Frame<3>, time: f64| {
        let origin = std::array::from_fn(|axis| frame.origin[axis] + frame.velocity[axis] * time);
        Frame { origin, ..*frame }
    };
    for _ in 0..2000 {
        let [a, b] = random.near_pair::<3>(Some(1.0));
        let Some(found) = reference.test(&a, &b, Some(1.0)) else { continue };
        let [first, last] = found.times;
        let margin = 1e-6;
        let hit_at = |time: f64| sat::intersects(&at(&a, time), &at(&b, time), None);
        if last - first > 2.0 * margin {
            assert!(hit_at(first + margin) && hit_at(last - margin), "{a:?} and {b:?}");
        }
        assert!(first == 0.0 || !hit_at(first - margin), "{a:?} and {b:?}");
        assert!(last == 1.0 || !hit_at(last + margin), "{a:?} and {b:?}");
    }
}
