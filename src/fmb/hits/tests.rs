//! Certain verdicts are right, also where rounding matters most: the search at every level of instructions against the exact decision on pairs that
//! almost touch, thin, far away, of very different sizes, or with parallel edges.

use crate::fmb;
use crate::fmb::search::{CHUNK, ChunkCounts, HitSearch, SameIndex, TestedSets};
use crate::frames::random::SplitMix64;
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;
use crate::{Frame, FrameKind, Frames};

impl SplitMix64 {
    /// 10 to some power from `-most` to `most`.
    fn scale(&mut self, most: f64) -> f64 {
        10_f64.powf(most * self.real())
    }

    fn vector<const D: usize>(&mut self, size: f64) -> [f64; D] {
        std::array::from_fn(|_| size * self.real())
    }

    /// A frame that is thin in some direction, if `thin` is small.
    fn frame<const D: usize>(&mut self, size: f64, thin: f64, velocity: f64) -> Frame<D> {
        loop {
            let mut components: [[f64; D]; D] = std::array::from_fn(|_| self.vector(size));
            let (along, across) = (components[0], components[1]);
            for axis in 0..D {
                components[1][axis] = along[axis] + thin * across[axis];
            }
            let kind = if self.bits() & 1 == 0 { FrameKind::Cuboid } else { FrameKind::Tetrahedron };
            let frame =
                Frame { kind, origin: self.vector(size), components, velocity: self.vector(velocity) };
            if frame.check(1.0, 0).is_ok() {
                return frame;
            }
        }
    }
}

fn moved<const D: usize>(frame: &Frame<D>, by: [f64; D]) -> Frame<D> {
    Frame { origin: std::array::from_fn(|axis| frame.origin[axis] + by[axis]), ..*frame }
}

/// How far B can be moved along a direction until it leaves A, found by doubling and bisection.
fn leaving<const D: usize>(a: &Frame<D>, b: &Frame<D>, along: [f64; D], duration: Option<f64>) -> f64 {
    let intersects =
        |t: f64| fmb::intersects(a, &moved(b, std::array::from_fn(|axis| t * along[axis])), duration);
    let (mut inside, mut outside) = (0.0, 1.0);
    while intersects(outside) {
        outside *= 2.0;
    }
    for _ in 0..40 {
        let middle = 0.5 * (inside + outside);
        if intersects(middle) { inside = middle } else { outside = middle }
    }
    outside
}

/// Pairs that miss or overlap each other by a small share of the distance that separates them.
fn almost_touching<const D: usize>(random: &mut SplitMix64, duration: Option<f64>) -> Option<[Frame<D>; 2]> {
    let velocity = duration.map_or(0.0, |duration| random.scale(2.0) / duration);
    let thin = random.scale(2.0).min(1.0);
    let ratio = random.scale(4.0);
    let (a, b) = (random.frame::<D>(1.0, thin, velocity), random.frame::<D>(ratio, 1.0, velocity));
    brought_to_contact(random, [a, b], ratio, duration)
}

/// The same for frames whose edges are parallel, exactly or nearly, and perhaps their relative motion, too.
fn sharing_directions<const D: usize>(
    random: &mut SplitMix64,
    duration: Option<f64>,
) -> Option<[Frame<D>; 2]> {
    let velocity = duration.map_or(0.0, |duration| random.scale(1.0) / duration);
    let (a, mut b) = (random.frame::<D>(1.0, 1.0, velocity), random.frame::<D>(1.0, 1.0, velocity));
    let noise = if random.bits() & 1 == 0 { 0.0 } else { 10_f64.powf(-3.0 - 14.0 * random.real().abs()) };
    for i in 0..D {
        let (factor, aside) = (1.0 + 0.5 * random.real(), random.vector::<D>(noise));
        b.components[i] = std::array::from_fn(|axis| factor * a.components[i][axis] + aside[axis]);
    }
    if duration.is_some() && random.bits() & 1 == 0 {
        let (factor, aside) = (velocity * random.real(), random.vector::<D>(velocity * noise));
        let along = |axis: usize| factor * b.components[0][axis] + aside[axis];
        b.velocity = std::array::from_fn(|axis| a.velocity[axis] + along(axis));
    }
    brought_to_contact(random, [a, b], 1.0, duration)
}

/// Frames of small integers, which touch often; some are moved by next to nothing, so that they need more digits.
fn of_few_digits<const D: usize>(random: &mut SplitMix64, duration: Option<f64>) -> Option<[Frame<D>; 2]> {
    let mut vector = |largest: u64| -> [f64; D] {
        std::array::from_fn(|_| (random.bits() % (2 * largest + 1)) as f64 - largest as f64)
    };
    let mut frame = || {
        let (origin, components, velocity) = (vector(1), [(); D].map(|()| vector(3)), vector(1));
        let velocity = if duration.is_some() { velocity } else { [0.0; D] };
        let kind = if vector(1)[0] > 0.0 { FrameKind::Tetrahedron } else { FrameKind::Cuboid };
        Frame { kind, origin, components, velocity }
    };
    let (a, b) = (frame(), frame());
    let by = if random.bits() & 1 == 0 { [0.0; D] } else { random.vector(1e-15) };
    Some([a, moved(&b, by)])
}

fn brought_to_contact<const D: usize>(
    random: &mut SplitMix64,
    [a, b]: [Frame<D>; 2],
    ratio: f64,
    duration: Option<f64>,
) -> Option<[Frame<D>; 2]> {
    let far = far_from_origin(random);
    let far = random.vector(far);
    let (a, b) = (moved(&a, far), moved(&b, far));
    if !fmb::intersects(&a, &b, duration) {
        return None;
    }
    let along = random.vector::<D>(1.0 + ratio);
    let share = 1.0 + random.real() * 10_f64.powf(-1.0 - 7.0 * random.real().abs());
    let distance = leaving(&a, &b, along, duration) * share;
    Some([a, moved(&b, std::array::from_fn(|axis| distance * along[axis]))])
}

/// A distance, in metres, of frames of about one metre.
fn far_from_origin(random: &mut SplitMix64) -> f64 {
    if random.bits().is_multiple_of(4) { 1e6 * random.scale(3.0) } else { random.scale(2.0) }
}

/// One bit for each pair of frames of the same index that intersects.
#[derive(Clone)]
struct Hits<'a, const D: usize>(&'a TestedSets<'a, D>);

impl<const D: usize> Kernel for Hits<'_, D> {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<u64> {
        let sets = self.0;
        let count = sets.a.len();
        let mut bits = vec![0; count.div_ceil(64)];
        let mut chunks = vec![ChunkCounts::default(); count.div_ceil(CHUNK)];
        let (bits_left, chunks_left) = (&mut bits[..], &mut chunks[..]);
        HitSearch { sets, source: SameIndex, pairs: 0..count, bits: bits_left, chunks: chunks_left }
            .run::<S>();
        bits
    }
}

/// A source of pairs, some of which do not come out.
type PairsNearContact<const D: usize> = fn(&mut SplitMix64, Option<f64>) -> Option<[Frame<D>; 2]>;

fn agree<const D: usize>(duration: Option<f64>, count: usize) {
    agree_on::<D>(almost_touching, duration, count);
}

fn agree_on<const D: usize>(draw: PairsNearContact<D>, duration: Option<f64>, count: usize) {
    let mut random = SplitMix64(7 * D as u64 + u64::from(duration.is_some()));
    let mut sets =
        [(); 2].map(|()| duration.map_or_else(Frames::<D>::resting, |t| Frames::moving(t).unwrap()));
    while sets[0].len() < count {
        let Some(pair) = draw(&mut random, duration) else { continue };
        if pair.iter().all(|frame| frame.check(duration.unwrap_or(1.0), 0).is_ok()) {
            sets.iter_mut().zip(&pair).for_each(|(set, frame)| assert!(set.add(frame).is_ok()));
        }
    }
    let [a, b] = &sets;
    let sets = TestedSets { a, b, records: [a.records().unwrap(), b.records().unwrap()], duration };
    let found = level::run_at_each_level(&Hits(&sets));
    let mut hits = 0;
    for k in 0..count {
        let (one, two) = (a.get(k).unwrap(), b.get(k).unwrap());
        let expected = fmb::intersects(&one, &two, duration);
        for bits in &found {
            assert_eq!(bits[k / 64] >> (k % 64) & 1 == 1, expected, "{one:?}\n{two:?}");
        }
        hits += usize::from(expected);
    }
    assert!(hits > count / 5 && hits < count - count / 5, "both answers are common: {hits} of {count}");
}

/// Pairs for each of the four cases.
const COUNT: usize = if cfg!(debug_assertions) { 200 } else { 3000 };

#[test]
fn sure_verdicts_in_the_plane_are_right() {
    agree::<2>(None, COUNT);
    agree::<2>(Some(1.0), COUNT);
}

#[test]
fn sure_verdicts_of_very_fast_and_very_slow_frames_are_right() {
    // In single precision the velocity or the duration is infinite, or has lost digits.
    for duration in [1e-45, 1e-39, 1e-30, 1e30, 1e37, 1e45] {
        agree::<2>(Some(duration), COUNT / 10);
        agree::<3>(Some(duration), COUNT / 10);
    }
}

#[test]
fn sure_verdicts_in_space_are_right() {
    agree::<3>(None, COUNT);
    agree::<3>(Some(1.0), COUNT);
}

#[test]
fn sure_verdicts_of_frames_that_share_directions_are_right() {
    for duration in [None, Some(1.0), Some(1e-30), Some(1e30)] {
        agree_on::<3>(sharing_directions, duration, COUNT / 2);
    }
    agree_on::<2>(sharing_directions, Some(1.0), COUNT / 2);
}

#[test]
fn sure_verdicts_of_frames_of_few_digits_are_right() {
    for duration in [None, Some(1.0), Some(0.1)] {
        agree_on::<2>(of_few_digits, duration, COUNT);
        agree_on::<3>(of_few_digits, duration, COUNT);
    }
}
