//! The lane kernel against its careful twin, and both against all directions that vertices span.

use super::careful::CarefulContact;
use super::lanes::{ContactLanes, ContactsOf};
use super::{Contact, contact};
use crate::fmb;
use crate::frames::lanes::{FrameLanes, StoredFrames};
use crate::frames::random::SplitMix64;
use crate::frames::{Frame, FrameKind};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

const KINDS: [FrameKind; 2] = [FrameKind::Cuboid, FrameKind::Tetrahedron];

/// Coordinates that are all but never equal.
fn real(random: &mut SplitMix64) -> f64 {
    100.0 * random.real()
}

/// Coordinates that make many faces and edges coincide.
fn small_integer(random: &mut SplitMix64) -> f64 {
    (random.bits() % 5) as f64 - 2.0
}

/// A frame whose numbers come from `draw`, with components that are far from dependent.
fn frame<const D: usize>(
    random: &mut SplitMix64,
    kind: FrameKind,
    draw: fn(&mut SplitMix64) -> f64,
) -> Frame<D> {
    loop {
        let mut vector = || std::array::from_fn(|_| draw(random));
        let (origin, components, velocity) = (vector(), [(); D].map(|()| vector()), vector());
        let frame = Frame { kind, origin, components, velocity };
        let product: f64 = components.iter().map(length).product();
        if frame.determinant().abs() > 0.02 * product {
            return frame;
        }
    }
}

/// Pairs of all kinds of different frames that intersect, at rest or for one second.
fn hits<const D: usize>(
    seed: u64,
    count: usize,
    duration: Option<f64>,
    draw: fn(&mut SplitMix64) -> f64,
) -> Vec<[Frame<D>; 2]> {
    let mut random = SplitMix64(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let kinds = [KINDS[found.len() % 2], KINDS[found.len() / 2 % 2]];
        let mut pair = kinds.map(|kind| frame::<D>(&mut random, kind, draw));
        if duration.is_none() {
            pair = pair.map(|frame| frame.with_velocity([0.0; D]));
        }
        if pair[0] != pair[1] && fmb::intersects(&pair[0], &pair[1], duration) {
            found.push(pair);
        }
    }
    found
}

fn count() -> usize {
    if cfg!(debug_assertions) { 40 } else { 600 }
}

fn dot<const D: usize>(one: &[f64; D], two: &[f64; D]) -> f64 {
    one.iter().zip(two).map(|(x, y)| x * y).sum()
}

fn length<const D: usize>(vector: &[f64; D]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Sizes, distance and displacements together.
fn reach<const D: usize>([a, b]: &[Frame<D>; 2], duration: Option<f64>) -> f64 {
    let far = |frame: &Frame<D>| frame.components.iter().map(length).sum::<f64>();
    let offset: [f64; D] = std::array::from_fn(|axis| b.origin[axis] - a.origin[axis]);
    let velocity: [f64; D] = std::array::from_fn(|axis| b.velocity[axis] - a.velocity[axis]);
    far(a) + far(b) + length(&offset) + length(&velocity) * duration.unwrap_or(0.0)
}

/// Differences of the vertices of a frame.
fn differences<const D: usize>(frame: &Frame<D>) -> Vec<[f64; D]> {
    let vertices: Vec<_> = frame.vertices().collect();
    let pairs = (0..vertices.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| std::array::from_fn(|axis| vertices[i][axis] - vertices[j][axis])).collect()
}

/// A unit vector perpendicular to two in space, to the first in the plane, unless they are nearly parallel.
fn unit_normal<const D: usize>(one: &[f64; D], two: &[f64; D]) -> Option<[f64; D]> {
    let normal: [f64; D] = std::array::from_fn(|axis| match D {
        2 => [-one[1], one[0]][axis],
        _ => {
            let (k, l) = ((axis + 1) % 3, (axis + 2) % 3);
            one[k] * two[l] - one[l] * two[k]
        }
    });
    let size = length(&normal);
    let scale = if D == 2 { length(one) } else { length(one) * length(two) };
    (size > 1e-9 * scale).then(|| normal.map(|x| x / size))
}

/// All directions that two vertices of each frame, or three of one, span, with either sign.
fn all_directions<const D: usize>([a, b]: &[Frame<D>; 2]) -> Vec<[f64; D]> {
    let (of_a, of_b) = (differences(a), differences(b));
    let mut found = Vec::new();
    for (list, other) in [(&of_a, &of_a), (&of_b, &of_b), (&of_a, &of_b)] {
        for one in list {
            found.extend(other.iter().filter_map(|two| unit_normal(one, two)));
        }
    }
    let opposite: Vec<_> = found.iter().map(|normal| normal.map(|x| -x)).collect();
    found.extend(opposite);
    found
}

/// How far B must be moved along a direction to be separated from A, at time 0.
fn depth_along<const D: usize>([a, b]: &[Frame<D>; 2], normal: &[f64; D]) -> f64 {
    let most = a.vertices().map(|v| dot(normal, &v)).fold(f64::NEG_INFINITY, f64::max);
    let least = b.vertices().map(|v| dot(normal, &v)).fold(f64::INFINITY, f64::min);
    most - least
}

/// By how much a point is beyond the faces of a frame.
fn beyond<const D: usize>(frame: &Frame<D>, point: &[f64; D]) -> f64 {
    let from: [f64; D] = std::array::from_fn(|axis| point[axis] - frame.origin[axis]);
    let rows = frame.inverse();
    let mut beyond = f64::NEG_INFINITY;
    for row in &rows {
        let (x, height) = (dot(row, &from), 1.0 / length(row));
        beyond = beyond.max(-x * height);
        if frame.kind == FrameKind::Cuboid {
            beyond = beyond.max((x - 1.0) * height);
        }
    }
    if frame.kind == FrameKind::Tetrahedron {
        let sum: [f64; D] = std::array::from_fn(|axis| rows.iter().map(|row| row[axis]).sum());
        beyond = beyond.max((dot(&sum, &from) - 1.0) / length(&sum));
    }
    beyond
}

/// A frame where it is at a time.
fn at<const D: usize>(frame: &Frame<D>, time: f64) -> Frame<D> {
    Frame { origin: std::array::from_fn(|axis| frame.origin[axis] + frame.velocity[axis] * time), ..*frame }
}

/// The first contact over all directions, or `None` if the frames overlap at time 0.
fn brute_time<const D: usize>(pair: &[Frame<D>; 2], directions: &[[f64; D]], reach: f64) -> Option<f64> {
    let closing = |normal: &[f64; D]| dot(normal, &pair[0].velocity) - dot(normal, &pair[1].velocity);
    let with_gap = directions.iter().filter(|normal| depth_along(pair, normal) < 1e-13 * reach);
    let closed = with_gap.filter(|normal| closing(normal) > 1e-9 * reach);
    closed.map(|normal| (-depth_along(pair, normal) / closing(normal)).max(0.0)).max_by(f64::total_cmp)
}

fn check<const D: usize>(pair: &[Frame<D>; 2], duration: Option<f64>, found: &Contact<D>) {
    let [a, b] = pair;
    let (directions, reach) = (all_directions(pair), reach(pair, duration));
    let what = || format!("{a:?}\n{b:?}\n{found:?}");
    assert!((length(&found.normal) - 1.0).abs() < 1e-15, "{}", what());
    let contact_time = brute_time(pair, &directions, reach).filter(|_| duration.is_some());
    if let Some(time) = contact_time {
        let approach = dot(&found.normal, &a.velocity) - dot(&found.normal, &b.velocity);
        assert!(approach > 0.0 && found.depth <= 1e-13 * reach, "{}", what());
        let closed = -depth_along(pair, &found.normal) - approach * time;
        assert!(closed.abs() < 1e-11 * reach, "{closed} left at {time}\n{}", what());
    } else {
        let least = directions.iter().map(|n| depth_along(pair, n)).fold(f64::INFINITY, f64::min);
        assert!((found.depth - least).abs() < 1e-12 * reach, "{least}\n{}", what());
        assert!((depth_along(pair, &found.normal) - found.depth).abs() < 1e-13 * reach, "{}", what());
    }
    for frame in pair {
        let out = beyond(&at(frame, contact_time.unwrap_or(0.0)), &found.point);
        assert!(out < 1e-10 * reach, "{out} at {contact_time:?}\n{}", what());
    }
}

fn check_all<const D: usize>(duration: Option<f64>, draw: fn(&mut SplitMix64) -> f64) {
    for pair in hits::<D>(D as u64, count(), duration, draw) {
        let found = contact(&pair[0], &pair[1], duration);
        check(&pair, duration, &found);
        let swapped = contact(&pair[1], &pair[0], duration);
        assert_eq!(swapped.normal, found.normal.map(|x| -x), "{pair:?}");
        assert_eq!((swapped.depth, swapped.point), (found.depth, found.point), "{pair:?}");
    }
}

#[test]
fn contacts_are_those_of_all_directions() {
    for duration in [None, Some(1.0)] {
        check_all::<2>(duration, real);
        check_all::<3>(duration, real);
    }
}

#[test]
fn contacts_are_right_where_faces_and_edges_coincide() {
    for duration in [None, Some(1.0)] {
        check_all::<2>(duration, small_integer);
        check_all::<3>(duration, small_integer);
    }
}

/// Four pairs of the same kinds.
#[derive(Clone)]
struct FourContacts<'a, const D: usize> {
    pairs: [&'a [Frame<D>; 2]; 4],
    duration: Option<f64>,
}

impl<const D: usize> Kernel for FourContacts<'_, D> {
    type Output = ContactLanes<D>;

    #[inline(always)]
    fn run<S: Simd>(self) -> ContactLanes<D> {
        let side = |side: usize| {
            use crate::soa::block::Doubles;
            let each =
                |number: &dyn Fn(&Frame<D>) -> f64| S::Block::new(self.pairs.map(|pair| number(&pair[side])));
            let mut lanes = FrameLanes::<D, S::Block>::ZERO;
            for axis in 0..D {
                lanes.origin[axis] = each(&|frame| frame.origin[axis]);
                lanes.velocity[axis] = each(&|frame| frame.velocity[axis]);
                for i in 0..D {
                    lanes.components[i][axis] = each(&|frame| frame.components[i][axis]);
                }
            }
            StoredFrames::of(&lanes)
        };
        let are_tetrahedra = [0, 1].map(|side| self.pairs[0][side].kind == FrameKind::Tetrahedron);
        let (a, b) = (&side(0), &side(1));
        ContactsOf { a, b, are_tetrahedra, duration: self.duration }.run::<S>()
    }
}

fn bits<const D: usize>(contact: &Contact<D>) -> Vec<u64> {
    let Contact { normal, depth, point } = contact;
    normal.iter().chain([depth]).chain(point).map(|x| x.to_bits()).collect()
}

fn lanes_agree<const D: usize>(duration: Option<f64>) {
    let all = hits::<D>(7 + D as u64, count(), duration, real);
    let mut open = 0;
    for kinds in 0..4 {
        let of_kinds: Vec<_> = all.iter().skip(kinds).step_by(4).collect();
        for group in of_kinds.as_chunks::<4>().0 {
            let levels = level::run_at_each_level(&FourContacts { pairs: *group, duration });
            open += levels[0].open.count_ones();
            for lane in (0..4).filter(|lane| levels[0].open >> lane & 1 == 0) {
                let found = levels[0].lane(lane);
                for other in &levels {
                    assert_eq!(bits(&other.lane(lane)), bits(&found), "the same at all levels");
                }
                let [a, b] = group[lane];
                assert_eq!(bits(&contact(a, b, duration)), bits(&found), "one pair as one of four");
                let careful = level::run_at_each_level(&CarefulContact { a, b, duration });
                let reach = reach(group[lane], duration);
                for twin in &careful {
                    assert_eq!(bits(twin), bits(&careful[0]), "the same at all levels");
                }
                let near = |p: &[f64], q: &[f64], size: f64| {
                    p.iter().zip(q).all(|(x, y)| (x - y).abs() < 1e-9 * size)
                };
                let twin = &careful[0];
                assert!((twin.depth - found.depth).abs() < 1e-12 * reach, "{found:?}\n{twin:?}");
                assert!(near(&twin.normal, &found.normal, 1.0), "{found:?}\n{twin:?}");
                assert!(near(&twin.point, &found.point, reach), "{found:?}\n{twin:?}");
            }
        }
    }
    assert!(open as usize * 50 <= all.len(), "{open} of {} are left to the careful twin", all.len());
}

#[test]
fn lanes_give_what_the_careful_twin_gives() {
    for duration in [None, Some(1.0)] {
        lanes_agree::<2>(duration);
        lanes_agree::<3>(duration);
    }
}
