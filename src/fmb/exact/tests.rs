//! Decisions with known answers.

use super::*;
use crate::frames::FrameKind;

const UNIT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn square(x: f64, y: f64) -> Frame<2> {
    Frame::cuboid([x, y], [[1.0, 0.0], [0.0, 1.0]])
}

fn cube(origin: [f64; 3]) -> Frame<3> {
    Frame::cuboid(origin, UNIT)
}

/// The answer, which must be the same in both orders and at all levels of instructions.
fn decide<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> bool {
    let found = intersects(a, b, duration);
    for (one, two) in [(a, b), (b, a)] {
        for again in level::run_at_each_level(&Decision(FramePair::new(one, two, duration))) {
            assert_eq!(again, found, "{a:?} {b:?} {duration:?}");
        }
    }
    found
}

/// A frame with lengths and velocities multiplied by 2^`exponent`.
fn scaled<const D: usize>(frame: &Frame<D>, exponent: i32) -> Frame<D> {
    let half = 2.0_f64.powi(exponent / 2);
    let rest = 2.0_f64.powi(exponent - exponent / 2);
    let scale = |vector: [f64; D]| vector.map(|x| x * half * rest);
    let Frame { kind, origin, components, velocity } = *frame;
    Frame { kind, origin: scale(origin), components: components.map(scale), velocity: scale(velocity) }
}

/// The same points with another vertex as the origin.
fn from_other_vertex<const D: usize>(frame: &Frame<D>, vertex: usize) -> Frame<D> {
    let mut other = *frame;
    let moved = frame.components[vertex];
    for axis in 0..D {
        other.origin[axis] += moved[axis];
        for (i, component) in other.components.iter_mut().enumerate() {
            match frame.kind {
                _ if i == vertex => component[axis] = -moved[axis],
                FrameKind::Tetrahedron => component[axis] -= moved[axis],
                FrameKind::Cuboid => {}
            }
        }
    }
    other
}

/// Repeatable integers (xorshift).
struct Integers(u64);

impl Integers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % end
    }

    fn vector<const D: usize>(&mut self, largest: u64) -> [f64; D] {
        std::array::from_fn(|_| self.below(2 * largest + 1) as f64 - largest as f64)
    }

    /// A frame that is not degenerate, of small integers, so that many pairs touch.
    fn frame<const D: usize>(&mut self, largest: u64) -> Frame<D> {
        loop {
            let kind = [FrameKind::Cuboid, FrameKind::Tetrahedron][self.below(2) as usize];
            let components = std::array::from_fn(|_| self.vector(largest));
            let (origin, velocity) = (self.vector(2 * largest), self.vector(2));
            let frame = Frame { kind, origin, components, velocity };
            if !frame.is_degenerate() {
                return frame;
            }
        }
    }
}

#[test]
fn frames_that_touch_do_not_intersect() {
    for (x, y) in [(1.0, 0.0), (0.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, 0.3)] {
        assert!(!decide(&square(0.0, 0.0), &square(x, y), None));
        assert!(!decide(&cube([0.0; 3]), &cube([x, y, 0.0]), None));
        assert!(!decide(&cube([0.1, 0.0, 0.0]), &cube([0.1 + 0.5 * x, 0.5 * y, 1.0]), None));
    }
    assert!(decide(&square(0.0, 0.0), &square(0.0, 0.0), None));
    let corner = Frame::tetrahedron([0.0; 3], UNIT);
    let face = Frame::tetrahedron([1.0; 3], UNIT.map(|edge| edge.map(|x| -x)));
    assert!(!decide(&corner, &Frame::tetrahedron([1.0, 0.0, 0.0], UNIT), None));
    assert!(!decide(&corner, &face, None));
    let opposite = Frame::tetrahedron([1.0; 3], [[-1.0, 0.0, -1.0], [0.0, -1.0, -1.0], [-1.0, -1.0, 0.0]]);
    assert!(!decide(&corner, &opposite, None));
}

#[test]
fn edges_that_cross_in_a_point_touch() {
    // Wedges whose sharp edges, along x and along y, cross in the origin.
    let below = Frame::tetrahedron([-1.0, 0.0, 0.0], [[2.0, 0.0, 0.0], [1.0, 1.0, -1.0], [1.0, -1.0, -1.0]]);
    let above = Frame::tetrahedron([0.0, -1.0, 0.0], [[0.0, 2.0, 0.0], [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]]);
    assert!(!decide(&below, &above, None));
    let mut lower = above;
    lower.origin[2] = -f64::MIN_POSITIVE;
    assert!(decide(&below, &lower, None));
    lower.origin[2] = -5e-324;
    assert!(decide(&below, &lower, None));
    lower.origin[2] = 5e-324;
    assert!(!decide(&below, &lower, None));
}

#[test]
fn one_ulp_of_overlap_counts() {
    let less = 1.0_f64.next_down();
    assert!(decide(&square(0.0, 0.0), &square(less, 0.0), None));
    assert!(decide(&cube([0.0; 3]), &cube([less; 3]), None));
    assert!(!decide(&cube([0.0; 3]), &cube([less, less, 1.0]), None));
    // The doubles next to 0.1, 0.2 and 0.3: 0.1 + 0.2 is larger than 0.3, so there is an overlap.
    let tile = |x: f64, width: f64| Frame::cuboid([x, 0.0], [[width, 0.0], [0.0, 1.0]]);
    assert!(decide(&tile(0.1, 0.2), &tile(0.3, 1.0), None));
    // And 0.1 + 0.7 is less than 0.8.
    assert!(!decide(&tile(0.1, 0.7), &tile(0.8, 1.0), None));
    let diamond = |x: f64| Frame::cuboid([x, 0.0], [[0.1, 0.1], [0.1, -0.1]]);
    assert!(!decide(&diamond(0.0), &diamond(0.2), None));
    assert!(decide(&diamond(0.0), &diamond(0.2_f64.next_down()), None));
}

#[test]
fn the_displacement_is_not_rounded() {
    // The gap of 1/4 is closed exactly, or not quite: the double next to 1/3 is less.
    let (rests, moves) = (square(0.0, 0.0), square(1.0 + 0.25, 0.0));
    let towards =
        |velocity: f64, duration: f64| decide(&rests, &moves.with_velocity([-velocity, 0.0]), Some(duration));
    assert!(!towards(0.25, 1.0) && towards(0.25, 1.0_f64.next_up()) && towards(0.25_f64.next_up(), 1.0));
    assert!(!towards(1.0 / 3.0, 0.75) && towards((1.0_f64 / 3.0).next_up(), 0.75));
    // (1 + 2^-30)(1 - 2^-30) = 1 - 2^-60 rounds to 1.
    let tiny = 2.0_f64.powi(-30);
    let (start, end) = (square(0.0, 0.0), square(2.0, 0.0).with_velocity([-1.0 - tiny, 0.0]));
    assert!(!decide(&start, &end, Some(1.0 - tiny)));
    assert!(decide(&start, &end, Some(1.0)));
    assert!(!decide(&start, &end, None));
    assert!(!decide(&start, &end, Some(0.0)));
}

#[test]
fn frames_pass_each_other_or_hit_between() {
    let bullet = |y: f64| square(-10.0, y).with_velocity([20.0, 0.0]);
    assert!(decide(&bullet(0.5), &square(0.0, 0.0), Some(1.0)));
    assert!(!decide(&bullet(1.0), &square(0.0, 0.0), Some(1.0)));
    let together = square(0.5, 0.0).with_velocity([20.0, 0.0]);
    assert!(!decide(&bullet(0.0), &together, Some(1.0)));
    let ball = |y: f64| cube([-10.0, y, 0.0]).with_velocity([20.0, 20.0, 0.0]);
    assert!(!decide(&ball(-8.0), &cube([0.0; 3]), Some(1.0)));
    assert!(decide(&ball((-8.0_f64).next_down()), &cube([0.0; 3]), Some(1.0)));
}

#[test]
fn tiny_frames_against_huge_ones() {
    let huge = Frame::cuboid([-1e150; 3], UNIT.map(|edge| edge.map(|x| x * 1e150)));
    for size in [1e-150, 5e-324, 1.0] {
        let tiny = |x: f64| Frame::cuboid([x, -1.0, -1.0], UNIT.map(|edge| edge.map(|x| x * size)));
        assert!(decide(&huge, &tiny(-size), None));
        assert!(!decide(&huge, &tiny(0.0), None));
        assert!(decide(&huge, &tiny(-5e-324), None));
        let crawls = tiny(0.0).with_velocity([-5e-324, 0.0, 0.0]);
        assert!(decide(&huge, &crawls, Some(5e-324)));
        assert!(!decide(&huge, &tiny(size).with_velocity([-size, 0.0, 0.0]), Some(1.0)));
    }
}

#[test]
fn all_finite_numbers_have_room() {
    let most = f64::MAX;
    let frame = Frame::tetrahedron([most; 3], [[most, 5e-324, most], [-most, most, 0.0], [0.0, -most, most]]);
    let other = Frame { origin: [-most, 5e-324, most], velocity: [most, -most, 5e-324], ..frame };
    assert!(decide(&frame, &frame.with_velocity([5e-324; 3]), Some(5e-324)));
    let units_and_bits = fixed::units_and_bits(&FramePair::new(&frame, &other, Some(most)));
    assert!(units_and_bits.1 <= 64 * LONGEST);
    decide(&frame, &other, Some(most));
}

#[test]
fn scale_does_not_matter() {
    let mut random = Integers(7);
    for _ in 0..60 {
        let (a, b) = (random.frame::<3>(3), random.frame::<3>(3));
        let expected = decide(&a, &b, Some(1.5));
        for exponent in [-1060, -500, -199, 190, 490] {
            assert_eq!(decide(&scaled(&a, exponent), &scaled(&b, exponent), Some(1.5)), expected);
        }
    }
}

#[test]
fn faint_parts_do_not_hide_what_is_clear() {
    let mut random = Integers(13);
    for faint in [1e-70, 1e-200, 5e-324] {
        let mut tilted = cube([0.5; 3]);
        tilted.components[0][1] = faint;
        assert!(decide(&cube([0.0; 3]), &tilted, None));
        tilted.origin = [-0.25, 1.0, 0.0];
        assert!(!decide(&cube([0.0; 3]), &tilted, None));
        tilted.components[0][1] = -faint;
        assert!(decide(&cube([0.0; 3]), &tilted, None));
        for _ in 0..10 {
            // Moved by next to nothing, frames that overlap still do, for the inside is open.
            let (a, b) = (random.frame::<3>(2), random.frame::<3>(2));
            let moved = Frame { origin: b.origin.map(|x| x + faint), ..b };
            assert!(decide(&a, &moved, Some(1.0)) || !decide(&a, &b, Some(1.0)));
        }
    }
}

#[test]
fn any_vertex_may_be_the_origin() {
    let mut random = Integers(11);
    for _ in 0..200 {
        let (a, b) = (random.frame::<3>(2), random.frame::<3>(2));
        let (c, d) = (random.frame::<2>(3), random.frame::<2>(3));
        let (in_space, in_plane) = (decide(&a, &b, Some(1.0)), decide(&c, &d, Some(1.0)));
        for vertex in 0..3 {
            assert_eq!(decide(&from_other_vertex(&a, vertex), &b, Some(1.0)), in_space);
        }
        for vertex in 0..2 {
            assert_eq!(decide(&from_other_vertex(&c, vertex), &d, Some(1.0)), in_plane);
        }
    }
}

/// Whether each axis separates two frames, in numbers that track their errors.
#[derive(Clone)]
struct TrackedAnswers<'a, const D: usize>(&'a FramePair<'a, D>);

impl<const D: usize> Kernel for TrackedAnswers<'_, D> {
    type Output = Vec<Option<bool>>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let pair = NumericPair::<Tracked<S>, D>::read(self.0, BinaryUnits::default());
        let mut answers = Vec::new();
        for axis in self.0.axes() {
            answers.push(pair.separates(axis));
        }
        answers
    }
}

/// The answers of all levels of instructions, which must be the same.
fn tracked_answers<const D: usize>(frames: &FramePair<'_, D>) -> Vec<Option<bool>> {
    let answers = level::run(TrackedAnswers(frames));
    for again in level::run_at_each_level(&TrackedAnswers(frames)) {
        assert_eq!(again, answers);
    }
    answers
}

/// Every kind of number gives the same answer for every axis, or none. Returns how many separate, and how many plain
/// numbers leave undecided.
fn compare_numbers<const D: usize>(frames: &FramePair<'_, D>) -> (usize, usize) {
    let rounded = NumericPair::<Rounded, D>::read(frames, BinaryUnits::default());
    let (units, bits) = fixed::units_and_bits(frames);
    assert!(bits <= 256);
    let short = NumericPair::<Fixed<4>, D>::read(frames, units);
    let long = NumericPair::<Fixed<24>, D>::read(frames, units);
    let (mut separating, mut left_open) = (0, 0);
    for (axis, tracked) in frames.axes().zip(tracked_answers(frames)) {
        let exact = short.separates(axis);
        assert!(exact.is_some());
        assert_eq!(long.separates(axis), exact);
        assert_eq!(tracked, exact, "small integers stay exact");
        let plain = rounded.separates(axis);
        assert!(plain.is_none() || plain == exact);
        separating += usize::from(exact == Some(true));
        left_open += usize::from(plain.is_none());
    }
    (separating, left_open)
}

#[test]
fn all_numbers_agree_on_small_integers() {
    let mut random = Integers(3);
    let (mut separating, mut left_open) = (0, 0);
    for round in 0..300 {
        let duration = (round % 2 == 0).then_some(1.5);
        let (a, b) = (random.frame::<3>(2), random.frame::<3>(2));
        let (c, d) = (random.frame::<2>(3), random.frame::<2>(3));
        for counts in [
            compare_numbers(&FramePair::new(&a, &b, duration)),
            compare_numbers(&FramePair::new(&c, &d, duration)),
        ] {
            separating += counts.0;
            left_open += counts.1;
        }
    }
    assert!(separating > 100 && left_open > 100, "{separating} {left_open}");
}

#[test]
fn certain_answers_are_right_when_numbers_have_all_digits() {
    let mut random = Integers(5);
    let shaken = |frame: Frame<3>, by: f64| {
        let shake = |vector: [f64; 3]| vector.map(|x| x / 3.0 * by);
        Frame { origin: shake(frame.origin), components: frame.components.map(shake), ..frame }
    };
    for _ in 0..150 {
        let a = shaken(random.frame::<3>(2), 1.0);
        let b = shaken(random.frame::<3>(2), 1.0 + f64::EPSILON);
        let pair = FramePair::new(&a, &b, Some(0.7));
        let (units, bits) = fixed::units_and_bits(&pair);
        assert!(bits <= 512);
        let exact = NumericPair::<Fixed<8>, 3>::read(&pair, units);
        let rounded = NumericPair::<Rounded, 3>::read(&pair, BinaryUnits::default());
        for (axis, tracked) in pair.axes().zip(tracked_answers(&pair)) {
            let expected = exact.separates(axis);
            assert!([rounded.separates(axis), tracked].iter().all(|x| x.is_none() || *x == expected));
        }
    }
}
