//! The exact tests in lanes, at every level of instructions, against the exact decision: what they decide is right, and they
//! decide what they are made for.

use super::*;
use crate::fmb;
use crate::frames::random::SplitMix64;
use crate::frames::{Frame, FrameKind};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

#[derive(Clone, Copy)]
enum Test {
    OnGrid,
    AlongAxes,
}

/// Whether each pair hits, where the test decides it.
#[derive(Clone)]
struct Decisions<'a, const D: usize> {
    test: Test,
    pairs: &'a [[Frame<D>; 2]],
    duration: Option<f64>,
}

impl<const D: usize> Kernel for Decisions<'_, D> {
    type Output = Vec<Option<bool>>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let mut answers = Vec::new();
        for pair in self.pairs {
            answers.push(if self.duration.is_some() {
                self.decide::<S, true>(pair)
            } else {
                self.decide::<S, false>(pair)
            });
        }
        answers
    }
}

impl<const D: usize> Decisions<'_, D> {
    #[inline(always)]
    fn decide<S: Simd, const MOVING: bool>(&self, [a, b]: &[Frame<D>; 2]) -> Option<bool> {
        let [one, two] = [FrameLanes::of_one(a), FrameLanes::of_one(b)];
        let verdict = match (a.kind, b.kind) {
            (FrameKind::Cuboid, FrameKind::Cuboid) => self.decide_kinds::<S, MOVING, CUBOIDS>(&one, &two),
            (FrameKind::Cuboid, FrameKind::Tetrahedron) => self.decide_kinds::<S, MOVING, MIXED>(&one, &two),
            (FrameKind::Tetrahedron, FrameKind::Cuboid) => self.decide_kinds::<S, MOVING, MIXED>(&two, &one),
            _ => self.decide_kinds::<S, MOVING, TETRAHEDRA>(&one, &two),
        };
        let all = (1 << S::Block::COUNT) - 1;
        assert!([0, all].contains(&verdict.hit) && [0, all].contains(&verdict.unsure), "{verdict:?}");
        assert_eq!(verdict.hit & verdict.unsure, 0);
        (verdict.unsure == 0).then_some(verdict.hit == all)
    }

    #[inline(always)]
    fn decide_kinds<S: Simd, const MOVING: bool, const KINDS: u8>(
        &self,
        a: &FrameLanes<D, S::Block>,
        b: &FrameLanes<D, S::Block>,
    ) -> Verdict {
        let duration = self.duration.unwrap_or(0.0);
        match self.test {
            Test::OnGrid => decide_on_grid::<S::Block, D, MOVING, KINDS>(a, b, duration),
            Test::AlongAxes => decide_along_axes::<S::Block, D, MOVING, KINDS>(a, b, duration),
        }
    }
}

/// The answers of a test, which are the same at all levels and right; and how many of the pairs intersect.
fn answers<const D: usize>(
    test: Test,
    pairs: &[[Frame<D>; 2]],
    duration: Option<f64>,
) -> (Vec<Option<bool>>, usize) {
    let decisions = Decisions { test, pairs, duration };
    let answers = level::run(decisions.clone());
    for again in level::run_at_each_level(&decisions) {
        assert_eq!(again, answers);
    }
    let mut hits = 0;
    for ([a, b], answer) in pairs.iter().zip(&answers) {
        let expected = fmb::intersects(a, b, duration);
        assert!(answer.is_none_or(|answer| answer == expected), "{a:?}\n{b:?}\n{duration:?}: {answer:?}");
        hits += usize::from(expected);
    }
    (answers, hits)
}

const COUNT: usize = if cfg!(debug_assertions) { 150 } else { 2000 };

fn integer(random: &mut SplitMix64, largest: u64) -> f64 {
    (random.bits() % (2 * largest + 1)) as f64 - largest as f64
}

fn kind(random: &mut SplitMix64) -> FrameKind {
    if random.bits() & 1 == 0 { FrameKind::Cuboid } else { FrameKind::Tetrahedron }
}

/// Frames of small integers, which touch often.
fn small_pair<const D: usize>(random: &mut SplitMix64, moving: bool) -> [Frame<D>; 2] {
    [(); 2].map(|()| {
        loop {
            let mut vector = |largest: u64| std::array::from_fn(|_| integer(random, largest));
            let (origin, components) = (vector(2), std::array::from_fn(|_| vector(2)));
            let velocity = if moving { vector(2) } else { [0.0; D] };
            let frame = Frame { kind: kind(random), origin, components, velocity };
            if !frame.is_degenerate() {
                return frame;
            }
        }
    })
}

fn stretched<const D: usize>(pair: [Frame<D>; 2], factor: f64) -> [Frame<D>; 2] {
    pair.map(|Frame { kind, origin, components, velocity }| {
        let stretch = |v: [f64; D]| v.map(|x| x * factor);
        let components = components.map(stretch);
        Frame { kind, origin: stretch(origin), components, velocity: stretch(velocity) }
    })
}

/// The numbers that must be on the grid; they move for one second.
fn numbers<const D: usize>([a, b]: &[Frame<D>; 2]) -> Vec<f64> {
    let apart = a.origin.iter().zip(&b.origin).map(|(from, to)| to - from);
    let displacement = a.velocity.iter().zip(&b.velocity).map(|(from, to)| to - from);
    let components = [a, b].into_iter().flat_map(|frame| frame.components.as_flattened()).copied();
    apart.chain(displacement).chain(components).collect()
}

/// Pairs times the largest odd factor at which the sum of their magnitudes is below 2^`digits`, and then times a power of
/// two.
fn pairs_of_digits<const D: usize>(digits: i32, moving: bool) -> Vec<([Frame<D>; 2], bool)> {
    let mut random = SplitMix64(11 * D as u64 + u64::from(moving));
    let draw = |_| {
        let pair = small_pair::<D>(&mut random, moving);
        let total: f64 = numbers(&pair).iter().map(|x| x.abs()).sum();
        let factor = ((2.0_f64.powi(digits) - 1.0) / total).floor();
        let pair = stretched(pair, if factor % 2.0 == 0.0 { factor - 1.0 } else { factor });
        let is_even = numbers(&pair).iter().all(|x| x % 2.0 == 0.0);
        (stretched(pair, 2.0_f64.powi((random.bits() % 240) as i32 - 120)), is_even)
    };
    (0..COUNT).map(draw).collect()
}

/// Numbers of as many digits as the grid has are all decided; with one digit more only those that do without the last.
fn the_grid_ends_at<const D: usize>(digits: i32) {
    for duration in [None, Some(1.0)] {
        let split = |digits: i32| -> (Vec<_>, Vec<_>) {
            pairs_of_digits::<D>(digits, duration.is_some()).into_iter().unzip()
        };
        let (pairs, _) = split(digits);
        let (found, hits) = answers(Test::OnGrid, &pairs, duration);
        assert!(found.iter().all(Option::is_some), "{D} {duration:?}");
        assert!(hits > COUNT / 10 && hits < COUNT - COUNT / 10, "{hits}");
        let (longer, are_even) = split(digits + 1);
        let (found, _) = answers(Test::OnGrid, &longer, duration);
        let are_decided: Vec<_> = found.iter().map(Option::is_some).collect();
        assert_eq!(are_decided, are_even);
    }
}

#[test]
fn numbers_of_seventeen_digits_are_on_a_grid_in_space() {
    the_grid_ends_at::<3>(17);
}

#[test]
fn numbers_of_twenty_five_digits_are_on_a_grid_in_the_plane() {
    the_grid_ends_at::<2>(25);
}

#[test]
fn displacements_are_exact_or_not_on_the_grid() {
    let mut random = SplitMix64(5);
    let pairs: Vec<_> = (0..COUNT).map(|_| small_pair::<3>(&mut random, true)).collect();
    for duration in [0.75, 1.5, 1024.0, 5.0] {
        let (found, _) = answers(Test::OnGrid, &pairs, Some(duration));
        assert!(found.iter().all(Option::is_some), "{duration}");
    }
    for duration in [0.1, 1.0 + f64::EPSILON, 1e-70, 1e70, 5e-324] {
        let (found, _) = answers(Test::OnGrid, &pairs, Some(duration));
        let still = |[a, b]: &[Frame<3>; 2]| a.velocity == b.velocity;
        assert!(found.iter().zip(&pairs).all(|(found, pair)| found.is_none() || still(pair)), "{duration}");
    }
    // Less than the smallest number: the displacement underflows to 0.
    let crawling = pairs.iter().map(|&[a, b]| [a, Frame { velocity: [1e-320; 3], ..b }]);
    let crawling: Vec<_> = crawling.map(|[a, b]| [Frame { velocity: [0.0; 3], ..a }, b]).collect();
    for test in [Test::OnGrid, Test::AlongAxes] {
        let (found, _) = answers(test, &crawling, Some(1e-10));
        assert!(matches!(test, Test::AlongAxes) || found.iter().all(Option::is_none));
    }
}

#[test]
fn frames_far_away_are_on_the_grid_if_their_distance_is_exact() {
    let mut random = SplitMix64(9);
    let moved = |frame: Frame<3>, by: f64| Frame { origin: frame.origin.map(|x| x + by), ..frame };
    let pairs: Vec<_> = (0..COUNT).map(|_| small_pair::<3>(&mut random, false)).collect();
    let far: Vec<_> = pairs.iter().map(|pair| pair.map(|frame| moved(frame, 1e15))).collect();
    let (found, hits) = answers(Test::OnGrid, &far, None);
    assert!(found.iter().all(Option::is_some) && hits > 0);
    let rounded: Vec<_> = pairs.iter().map(|&[a, b]| [moved(a, 0.1), b]).collect();
    let (found, _) = answers(Test::OnGrid, &rounded, None);
    assert!(found.iter().all(Option::is_none));
}

/// A box along the coordinate axes, or a tetrahedron, in any order of the axes: places and sizes are tenths.
fn of_tenths<const D: usize>(random: &mut SplitMix64, kind: FrameKind, moving: bool) -> Frame<D> {
    let first = random.bits() as usize % D;
    let mut components = [[0.0; D]; D];
    for (i, component) in components.iter_mut().enumerate() {
        let size = (1 + random.bits() % 3) as f64 * 0.1;
        component[(first + i) % D] = if random.bits() & 1 == 0 { size } else { -size };
    }
    let mut vector = |largest: u64| std::array::from_fn(|_| integer(random, largest) * 0.1);
    let (origin, velocity) = (vector(2), if moving { vector(2) } else { [0.0; D] });
    Frame { kind, origin, components, velocity }
}

/// Pairs of such frames, or of two cuboids.
fn tenths<const D: usize>(moving: bool, only_boxes: bool) -> Vec<[Frame<D>; 2]> {
    let mut random = SplitMix64(3);
    let mut frame = || {
        let kind = if only_boxes { FrameKind::Cuboid } else { kind(&mut random) };
        of_tenths(&mut random, kind, moving)
    };
    (0..COUNT).map(|_| [frame(), frame()]).collect()
}

fn tenths_are_decided<const D: usize>() {
    let decided = |found: &[Option<bool>]| found.iter().filter(|answer| answer.is_some()).count();
    let (found, hits) = answers(Test::AlongAxes, &tenths::<D>(false, true), None);
    assert!(decided(&found) > COUNT - COUNT / 50, "{} of {COUNT}", decided(&found));
    assert!(hits > COUNT / 20 && hits < COUNT - COUNT / 20, "{hits}");
    for duration in [None, Some(1.0), Some(0.1), Some(1e-70), Some(1e70)] {
        let pairs = tenths::<D>(duration.is_some(), false);
        let (found, _) = answers(Test::AlongAxes, &pairs, duration);
        let in_range = duration.is_none_or(|duration| (1e-60..1e60).contains(&duration));
        assert!(!in_range || decided(&found) > COUNT / 20, "{duration:?}: {} of {COUNT}", decided(&found));
    }
}

#[test]
fn boxes_along_the_axes_are_decided_along_the_axes() {
    tenths_are_decided::<2>();
    tenths_are_decided::<3>();
}

#[test]
fn frames_across_the_axes_need_more_than_the_axes() {
    let mut random = SplitMix64(4);
    let pairs: Vec<_> = (0..COUNT).map(|_| small_pair::<3>(&mut random, false)).collect();
    let (found, hits) = answers(Test::AlongAxes, &pairs, None);
    let are_upright = |frame: &Frame<3>| {
        frame.components.iter().all(|component| component.iter().filter(|x| **x != 0.0).count() == 1)
    };
    assert!(hits > 0);
    for (pair, answer) in pairs.iter().zip(found) {
        assert!(answer != Some(true) || pair.iter().all(are_upright));
    }
}
