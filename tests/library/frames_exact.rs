//! Frames that intersect, against an oracle in exact arithmetic.

use carom::fmb::{Intersections, Pairs, Request};
use carom::{Context, Error, Frame, Frames};

use crate::random::Random;
use crate::rational::agreement::{
    ContactCounts, Durations, SmallFrames, Still, answers, assert_agreement, assert_answers, bits,
    box_excesses, kind, set,
};

const REST: Durations = [None, None];

fn still(duration: Option<f64>) -> Still {
    if duration.is_none() { Still::Yes } else { Still::No }
}

/// Pairs of frames of several sizes, all of them small.
fn small_pairs<const D: usize>(count: usize, motion: Durations, random: &mut Random) -> Vec<[Frame<D>; 2]> {
    let sizes = [
        SmallFrames { component: 1, origin: 1, velocity: 1 },
        SmallFrames { component: 2, origin: 2, velocity: 2 },
        SmallFrames { component: 3, origin: 2, velocity: 3 },
    ];
    let pair = |k: usize| motion.map(|duration| sizes[k % sizes.len()].frame(random, still(duration)));
    (0..count).map(pair).collect()
}

/// Small integers make contacts common: at least `touching` of a hundred pairs must touch without overlapping.
fn small_frames_agree<const D: usize>(pairs: usize, motions: &[Durations], touching: usize, seed: u64) {
    let mut random = Random(seed);
    let tallies = motions.iter().map(|&motion| {
        let pairs = small_pairs::<D>(pairs / motions.len(), motion, &mut random);
        assert_agreement(&pairs, motion)
    });
    let sum = tallies.fold(ContactCounts::default(), ContactCounts::plus);
    let enough = |count: usize, percent: usize| 100 * count >= percent * pairs;
    assert!(enough(sum.touching, touching) && enough(sum.overlapping, 10) && enough(sum.apart, 5), "{sum:?}");
}

const BOTH_MOVE: [Durations; 3] = [[Some(1.0); 2], [Some(2.0); 2], [Some(0.5); 2]];

const ONE_MOVES: [Durations; 4] =
    [[Some(1.0), None], [None, Some(1.0)], [Some(0.5), None], [None, Some(2.0)]];

#[test]
fn small_resting_frames_in_two_dimensions() {
    small_frames_agree::<2>(3000, &[REST], 10, 1);
}

#[test]
fn small_resting_frames_in_three_dimensions() {
    small_frames_agree::<3>(1500, &[REST], 10, 2);
}

#[test]
fn small_moving_frames_in_two_dimensions() {
    small_frames_agree::<2>(2400, &BOTH_MOVE, 5, 3);
}

#[test]
fn small_moving_frames_in_three_dimensions() {
    small_frames_agree::<3>(1200, &BOTH_MOVE, 5, 4);
}

#[test]
fn small_frames_of_which_one_moves_in_two_dimensions() {
    small_frames_agree::<2>(2000, &ONE_MOVES, 5, 5);
}

#[test]
fn small_frames_of_which_one_moves_in_three_dimensions() {
    small_frames_agree::<3>(1200, &ONE_MOVES, 5, 6);
}

/// The same pairs with all numbers times a factor.
fn stretched<const D: usize>(pairs: &[[Frame<D>; 2]], factor: f64) -> Vec<[Frame<D>; 2]> {
    let stretch = |v: [f64; D]| v.map(|x| x * factor);
    let frame = |Frame { kind, origin, components, velocity }: Frame<D>| Frame {
        kind,
        origin: stretch(origin),
        components: components.map(stretch),
        velocity: stretch(velocity),
    };
    pairs.iter().map(|pair| pair.map(frame)).collect()
}

/// With these factors, numbers have as many digits as the exact test in lanes takes, a few less or more, or all.
fn frames_of_any_number_of_digits_agree<const D: usize>(pairs: usize, factors: [f64; 4], seed: u64) {
    let mut random = Random(seed);
    for motion in [REST, [Some(1.0); 2], [Some(0.1), None]] {
        for factor in factors {
            let pairs = stretched(&small_pairs::<D>(pairs, motion, &mut random), factor);
            let tally = assert_agreement(&pairs, motion);
            assert!(tally.touching > 0 && 10 * tally.overlapping > pairs.len(), "{factor}: {tally:?}");
        }
    }
}

#[test]
fn frames_of_any_number_of_digits_in_two_dimensions() {
    frames_of_any_number_of_digits_agree::<2>(
        200,
        [1_234_567.0, 2_097_151.0, 0.000_123_456_789, 1.0 / 3.0],
        13,
    );
}

#[test]
fn frames_of_any_number_of_digits_in_three_dimensions() {
    frames_of_any_number_of_digits_agree::<3>(100, [1001.0, 4095.0, 65537.0, 1.0 / 3.0], 14);
}

/// Boxes along the coordinate axes whose places and sizes are tenths: some touch, and some overlap or miss by a rounding.
#[test]
fn boxes_of_tenths_agree() {
    let mut random = Random(15);
    let mut frame = || {
        let mut tenths = |from: u64, to: u64| (from + random.next_u64() % (to - from)) as f64 * 0.1;
        let origin = [tenths(0, 8), tenths(0, 8), tenths(0, 8)];
        Frame::cuboid(origin, [[0.0, tenths(1, 5), 0.0], [-tenths(1, 5), 0.0, 0.0], [0.0, 0.0, tenths(1, 5)]])
    };
    let pairs: Vec<[Frame<3>; 2]> = (0..400).map(|_| [frame(), frame()]).collect();
    let tally = assert_agreement(&pairs, REST);
    assert!(tally.touching > 10 && tally.overlapping > 20 && tally.apart > 20, "{tally:?}");
}

/// Small frames, each number of which is changed a little: faces and edges that were parallel or touched almost are.
fn nudged_pairs(count: usize, motion: Durations, nudge: f64) -> Vec<[Frame<3>; 2]> {
    let mut random = Random(11);
    let mut pairs = small_pairs::<3>(count, motion, &mut random);
    for frame in pairs.iter_mut().flatten() {
        for x in frame.origin.iter_mut().chain(frame.components.as_flattened_mut()) {
            *x += nudge * random.real(-1.0, 1.0);
        }
    }
    pairs
}

#[test]
fn boxes_hold_the_overlap_of_frames_that_are_almost_parallel() {
    for (nudge, tight) in [(2.0_f64.powi(-20), true), (2.0_f64.powi(-30), false), (2.0_f64.powi(-43), false)]
    {
        for motion in [REST, [Some(1.0); 2]] {
            let excesses = box_excesses(&nudged_pairs(400, motion, nudge), motion);
            assert!(excesses.len() > 50);
            // Rounding errors grow in inverse proportion to the angle.
            assert!(excesses.iter().all(|&[least, _]| least > -1e-5), "{nudge}: {excesses:?}");
            assert!(!tight || excesses.iter().all(|&[_, most]| most < 1e-6), "{nudge}: {excesses:?}");
        }
    }
}

/// Frames with numbers that use all bits.
fn real_pairs<const D: usize>(count: usize, motion: Durations, random: &mut Random) -> Vec<[Frame<D>; 2]> {
    let mut frame = |duration: Option<f64>| {
        let mut vector = |size: f64| -> [f64; D] { std::array::from_fn(|_| random.real(-size, size)) };
        let (origin, components) = (vector(100.0), std::array::from_fn(|_| vector(100.0)));
        let velocity = vector(if duration.is_some() { 100.0 } else { 0.0 });
        Frame { kind: kind(random), origin, components, velocity }
    };
    let good = |frame: &Frame<D>| frame.determinant().abs() >= 0.1;
    let pairs = std::iter::repeat_with(|| motion.map(&mut frame));
    pairs.filter(|pair| pair.iter().all(good)).take(count).collect()
}

fn real_frames_agree<const D: usize>(count: usize, seed: u64) {
    let mut random = Random(seed);
    for motion in [REST, [Some(1.0); 2], [Some(0.3), None], [None, Some(0.7)]] {
        let tally = assert_agreement(&real_pairs::<D>(count, motion, &mut random), motion);
        assert!(10 * tally.overlapping > count && 10 * tally.apart > count, "{tally:?}");
    }
}

#[test]
fn real_frames_in_two_dimensions() {
    real_frames_agree::<2>(150, 7);
}

#[test]
fn real_frames_in_three_dimensions() {
    real_frames_agree::<3>(60, 8);
}

/// Frames of two sets, each tested against each, so that the pairs fill many blocks and end within one.
struct AllAgainstAll<const D: usize> {
    a: Vec<Frame<D>>,
    b: Vec<Frame<D>>,
    motion: Durations,
}

impl<const D: usize> AllAgainstAll<D> {
    fn new(counts: [usize; 2], motion: Durations, seed: u64) -> Self {
        let mut random = Random(seed);
        let small = SmallFrames { component: 3, origin: 3, velocity: 2 };
        let mut frames =
            |side: usize| (0..counts[side]).map(|_| small.frame(&mut random, still(motion[side]))).collect();
        Self { a: frames(0), b: frames(1), motion }
    }

    fn indices(&self) -> Vec<[u32; 2]> {
        let row = |i: usize| (0..self.b.len()).map(move |j| [i as u32, j as u32]);
        (0..self.a.len()).flat_map(row).collect()
    }

    fn pairs(&self) -> Vec<[Frame<D>; 2]> {
        self.indices().iter().map(|&[i, j]| [self.a[i as usize], self.b[j as usize]]).collect()
    }

    fn test(&self, threads: usize, pairs: Pairs<'_>) -> Intersections<D> {
        let mut found = Intersections::new(Request::ALL);
        let context = Context::with_threads(threads).unwrap();
        let [a, b] = [set(&self.a, self.motion[0]), set(&self.b, self.motion[1])];
        found.test(&context, &a, &b, pairs).unwrap();
        found
    }
}

fn all_sources_of_pairs_agree<const D: usize>(counts: [usize; 2], motion: Durations, seed: u64) {
    let sets = AllAgainstAll::<D>::new(counts, motion, seed);
    let indices = sets.indices();
    let listed = sets.test(1, Pairs::Listed(&indices));
    let expected = answers(&listed);
    let tally = assert_answers(&sets.pairs(), motion, &expected);
    assert!(tally.touching > 10 && tally.overlapping > 10 && tally.apart > 10, "{tally:?}");
    assert_eq!(listed.hits(), tally.overlapping);
    for threads in [2, 5] {
        assert!(bits(&sets.test(threads, Pairs::Listed(&indices))) == bits(&listed), "{threads} threads");
    }
    for (i, row) in expected.chunks(sets.b.len()).enumerate() {
        assert_eq!(answers(&sets.test(1, Pairs::One(i as u32))), row, "row {i}");
    }
    let pairs = sets.pairs();
    let [a, b] = [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).collect());
    let paired = AllAgainstAll { a, b, motion };
    for threads in [1, 2, 5] {
        assert!(bits(&paired.test(threads, Pairs::Paired)) == bits(&listed), "paired, {threads} threads");
    }
}

#[test]
fn blocks_of_resting_frames_do_not_depend_on_the_source_of_pairs() {
    all_sources_of_pairs_agree::<2>([39, 41], REST, 9);
    all_sources_of_pairs_agree::<3>([27, 41], REST, 10);
}

#[test]
fn blocks_of_moving_frames_do_not_depend_on_the_source_of_pairs() {
    all_sources_of_pairs_agree::<2>([33, 35], [Some(1.0), None], 11);
    all_sources_of_pairs_agree::<3>([26, 43], [Some(0.5); 2], 12);
}

#[test]
fn the_number_of_pairs_may_end_anywhere_in_a_block() {
    let sets = AllAgainstAll::<3>::new([9, 9], [Some(1.0); 2], 13);
    let indices = sets.indices();
    let all = answers(&sets.test(1, Pairs::Listed(&indices)));
    for count in 0..indices.len() {
        let found = sets.test(1, Pairs::Listed(&indices[..count]));
        assert_eq!(answers(&found), all[..count], "{count} pairs");
        assert_eq!(found.bits().len(), count.div_ceil(64));
        let ones: u32 = found.bits().iter().map(|word| word.count_ones()).sum();
        assert_eq!((ones as usize, found.list().len()), (found.hits(), found.hits()));
    }
}

#[test]
fn the_request_does_not_change_what_is_found() {
    let sets = AllAgainstAll::<3>::new([15, 15], [Some(1.0); 2], 14);
    let [a, b] = [&sets.a, &sets.b].map(|frames| set(frames, Some(1.0)));
    let (indices, context) = (sets.indices(), Context::serial());
    let run = |request: Request| {
        let mut found = Intersections::new(request);
        found.test(&context, &a, &b, Pairs::Listed(&indices)).unwrap();
        found
    };
    let all = run(Request::ALL);
    for mask in 0..32_u8 {
        let [bits, list, times, boxes, local_boxes] = [0, 1, 2, 3, 4].map(|bit| mask >> bit & 1 == 1);
        let found = run(Request::COUNT
            .with_bits(bits)
            .with_list(list)
            .with_times(times)
            .with_boxes(boxes)
            .with_local_boxes(local_boxes));
        assert_eq!((found.tested(), found.hits()), (all.tested(), all.hits()));
        assert_eq!(found.bits(), if bits { all.bits() } else { &[] });
        assert_eq!(found.list(), if list { all.list() } else { &[] });
        assert_eq!(found.times(), if times { all.times() } else { &[] });
        assert_eq!(found.boxes(), if boxes { all.boxes() } else { &[] });
        assert_eq!(found.local_boxes(), if local_boxes { all.local_boxes() } else { &[] });
    }
}

/// Adds valid frames and one bad one, which the error must name; the set must stay as it was.
fn refusal<const D: usize>(frames: &mut Frames<D>, bad: &Frame<D>, at: usize) -> Error {
    let good = SmallFrames { component: 2, origin: 2, velocity: 0 }.frame(&mut Random(15), Still::Yes);
    let mut batch = vec![good; at + 3];
    batch[at] = *bad;
    let before: Vec<_> = (0..frames.len()).map(|i| frames.get(i).unwrap()).collect();
    let error = frames.add_many(&batch).unwrap_err();
    assert_eq!((0..frames.len()).map(|i| frames.get(i).unwrap()).collect::<Vec<_>>(), before);
    error
}

fn flat_frames_are_refused<const D: usize>(seed: u64) {
    let mut random = Random(seed);
    let mut frames = Frames::<D>::moving(1.0).unwrap();
    frames.add(&SmallFrames { component: 2, origin: 2, velocity: 2 }.frame(&mut random, Still::No)).unwrap();
    let small = SmallFrames { component: 2, origin: 4, velocity: 3 };
    let any = std::iter::repeat_with(|| small.any_frame::<D>(&mut random, Still::No));
    for (at, flat) in any.filter(|frame| frame.determinant() == 0.0).take(100).enumerate() {
        assert_eq!(refusal(&mut frames, &flat, at % 7), Error::Degenerate { index: at % 7 });
    }
}

#[test]
fn flat_frames_are_refused_by_index() {
    flat_frames_are_refused::<2>(16);
    flat_frames_are_refused::<3>(17);
}

/// A frame with one of its numbers replaced: those of the origin, the components and the velocity, in this order.
fn with_number<const D: usize>(frame: &Frame<D>, place: usize, value: f64) -> Frame<D> {
    let mut bad = *frame;
    let numbers = bad.origin.iter_mut().chain(bad.components.as_flattened_mut()).chain(&mut bad.velocity);
    *numbers.into_iter().nth(place).unwrap() = value;
    bad
}

fn bad_numbers_are_refused<const D: usize>() {
    let good = SmallFrames { component: 3, origin: 3, velocity: 2 }.frame::<D>(&mut Random(18), Still::No);
    for place in 0..D * (D + 2) {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut frames = Frames::<D>::moving(2.0).unwrap();
            let error = refusal(&mut frames, &with_number(&good, place, value), place);
            assert!(matches!(error, Error::NotFinite { index, .. } if index == place), "{error:?}");
        }
        for value in [1.1e150, -2e150, f64::MAX] {
            let mut frames = Frames::<D>::moving(2.0).unwrap();
            let error = refusal(&mut frames, &with_number(&good, place, value), place);
            assert!(matches!(error, Error::Overflow { .. }), "{error:?}");
        }
    }
}

#[test]
fn numbers_that_are_not_finite_or_too_large_are_refused() {
    bad_numbers_are_refused::<2>();
    bad_numbers_are_refused::<3>();
}
