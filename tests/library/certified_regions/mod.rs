//! Times and boxes keep their promise for pairs that are hard to compute, against rational arithmetic: they are exact within
//! 1e-9 of the duration and 1e-8 of the larger frame, finite, ordered, the same for A and B swapped, and unchanged by a
//! common velocity (docs/methods/fmb-regions.md).

mod families;
mod promise;
mod singles;

use carom::fmb::{self, Intersections, Pairs, Region, Request};
use carom::{Aabb, Context, Frame};

use super::levels::assert_same_at_each_level;
use super::random::Random;
use super::rational::agreement::{answers, sets};
use families::{Case, Family, moved_by};
use promise::{bits_in_b, bits_in_world, complaint};

const CASES: usize = if cfg!(debug_assertions) { 2 } else { 25 };

/// More cases than the oracle has time for.
const MANY: usize = if cfg!(debug_assertions) { 5 } else { 100 };

fn region<const D: usize>(case: &Case<D>) -> Region<D> {
    fmb::region(&case.pair[0], &case.pair[1], case.duration)
}

/// The same pair in the other order.
fn swapped<const D: usize>(case: &Case<D>) -> Case<D> {
    Case { pair: [case.pair[1], case.pair[0]], ..*case }
}

fn check<const D: usize>(case: &Case<D>) {
    let found = region(case);
    let wrong = complaint(case, &found);
    assert!(wrong.is_none(), "{}\n{case:?}", wrong.unwrap_or_default());
    let other = region(&swapped(case));
    assert_eq!(bits_in_world(&other), bits_in_world(&found), "{case:?}\n{found:?}\n{other:?}");
}

/// Calls a function for each family, at rest and moving, with a stream of its own.
fn each_family(seed: u64, run: impl Fn(Family, bool, &mut Random)) {
    for (number, family) in (0..).zip(Family::ALL) {
        for is_moving in [false, true] {
            run(family, is_moving, &mut Random(seed + 100 * number + u64::from(is_moving)));
        }
    }
}

#[test]
fn every_family_keeps_the_promise_in_the_plane() {
    each_family(1, |family, is_moving, random| {
        (0..2 * CASES).for_each(|_| check::<2>(&family.hit(random, is_moving)));
    });
}

#[test]
fn every_family_keeps_the_promise_in_space() {
    each_family(2, |family, is_moving, random| {
        (0..CASES).for_each(|_| check::<3>(&family.hit(random, is_moving)));
    });
}

/// The regions of many cases of one family, of one duration, from one test on two threads; and how many were redone.
fn regions_of_batch<const D: usize>(cases: &[Case<D>], request: Request) -> (Intersections<D>, u64) {
    let pairs: Vec<_> = cases.iter().map(|case| case.pair).collect();
    let [a, b] = sets(&pairs, [cases[0].duration; 2]);
    let mut found = Intersections::new(request);
    found.test(&Context::with_threads(2).unwrap(), &a, &b, Pairs::Paired).unwrap();
    let redone = found.bounds_redone();
    (found, redone)
}

/// Hits that are at rest or move for a second.
fn hits_of_one_duration<const D: usize>(
    family: Family,
    is_moving: bool,
    random: &mut Random,
) -> Vec<Case<D>> {
    let drawn = std::iter::repeat_with(|| family.hit::<D>(random, is_moving));
    drawn.filter(|case| case.duration.is_none_or(|duration| duration == 1.0)).take(MANY).collect()
}

fn batches_give_what_single_pairs_give<const D: usize>() {
    each_family(3, |family, is_moving, random| {
        let cases = hits_of_one_duration::<D>(family, is_moving, random);
        let (found, redone) = regions_of_batch(&cases, Request::ALL);
        assert!(redone <= cases.len() as u64);
        for (case, answer) in cases.iter().zip(answers(&found)) {
            let (one, answer) = (region(case), answer.expect("a hit"));
            assert_eq!(bits_in_world(&answer), bits_in_world(&one), "{case:?}");
            assert_eq!(bits_in_b(&answer), bits_in_b(&one), "{case:?}");
        }
        // What else is requested changes nothing.
        let (times, _) = regions_of_batch(&cases, Request::COUNT.with_times(true));
        let (boxes, _) = regions_of_batch(&cases, Request::COUNT.with_boxes(true));
        assert_eq!((times.times(), boxes.boxes()), (found.times(), found.boxes()));
    });
}

#[test]
fn batches_and_single_pairs_have_the_same_bits() {
    batches_give_what_single_pairs_give::<2>();
    batches_give_what_single_pairs_give::<3>();
}

#[test]
fn hard_pairs_have_the_same_bits_at_every_level() {
    assert_same_at_each_level(|| {
        let bits = std::cell::RefCell::new(Vec::new());
        each_family(4, |family, is_moving, random| {
            for _ in 0..CASES {
                let (flat, solid) = (family.hit::<2>(random, is_moving), family.hit::<3>(random, is_moving));
                let mut bits = bits.borrow_mut();
                bits.extend([bits_in_world(&region(&flat)), bits_in_b(&region(&flat))].concat());
                bits.extend([bits_in_world(&region(&solid)), bits_in_b(&region(&solid))].concat());
            }
        });
        bits.into_inner()
    });
}

/// A frame whose numbers are multiples of 2^-20, so that sums with large ones are exact.
fn coarse<const D: usize>(frame: &Frame<D>) -> Frame<D> {
    let rounded = |x: f64| (x * 1_048_576.0).round() / 1_048_576.0;
    Frame {
        origin: frame.origin.map(rounded),
        components: frame.components.map(|component| component.map(rounded)),
        velocity: frame.velocity.map(rounded),
        ..*frame
    }
}

fn common_changes_are_not_seen<const D: usize>() {
    let mut random = Random(5);
    let mut tried = 0;
    while tried < 4 * MANY {
        let case = Family::NearlyParallel.hit::<D>(&mut random, true);
        let case = Case { pair: case.pair.each_ref().map(coarse), duration: Some(1.0) };
        let is_valid = case.pair.iter().all(|frame| frame.check(1.0, 0).is_ok());
        if !is_valid || !fmb::intersects(&case.pair[0], &case.pair[1], case.duration) {
            continue;
        }
        tried += 1;
        let here = region(&case);
        // 2^32 and 2^-20 together have 53 bits.
        let large: [f64; D] =
            std::array::from_fn(|_| random.real(-1.0, 1.0) * 4_294_967_296.0).map(f64::round);
        let faster = |frame: &Frame<D>| {
            frame.with_velocity(std::array::from_fn(|axis| frame.velocity[axis] + large[axis]))
        };
        let fast = region(&Case { pair: case.pair.each_ref().map(faster), ..case });
        assert_eq!(bits_in_b(&fast), bits_in_b(&here), "{case:?}, all faster by {large:?}");
        let far = region(&Case { pair: case.pair.each_ref().map(|frame| moved_by(frame, large)), ..case });
        assert_eq!(bits_in_b(&far), bits_in_b(&here), "{case:?}, moved by {large:?}");
        for axis in 0..D {
            let moved =
                [far.world.min[axis] - here.world.min[axis], far.world.max[axis] - here.world.max[axis]];
            let tolerance = 2e-8 * promise::size([&case.pair[0], &case.pair[1]]) + large[axis].abs() * 1e-15;
            assert!(moved.iter().all(|by| (by - large[axis]).abs() <= tolerance), "{case:?}: {moved:?}");
        }
    }
}

#[test]
fn a_common_velocity_or_translation_changes_neither_times_nor_local_boxes() {
    common_changes_are_not_seen::<2>();
    common_changes_are_not_seen::<3>();
}

const SQUARE: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

#[test]
fn squares_that_move_together_meet_on_time() {
    for common in [0.0, 1e10, 1e11, 1e12] {
        let one = Frame::cuboid([0.0, 0.0], SQUARE).with_velocity([common, 0.0]);
        let two = Frame::cuboid([1.5, 0.25], SQUARE).with_velocity([common - 1.0, 0.0]);
        let case = Case { pair: [one, two], duration: Some(1.0) };
        assert_eq!(region(&case).times, [0.5, 1.0], "at {common}");
        check(&case);
    }
}

#[test]
fn faces_that_are_nearly_parallel_end_the_overlap_where_they_cross() {
    // The upper face of A and the lower face of B cross at x = -0.662.
    for angle in [1e-6, 1e-8, 1e-10, 1e-12, 1e-15] {
        let one = Frame::cuboid([-1.0, -1.0], [[2.0, 0.0], [0.0, 1.0]]);
        let two = Frame::cuboid([-1.0, -0.338 * angle], [[2.0, 2.0 * angle], [0.0, 1.0]]);
        for case in [[one, two], [two, one]].map(|pair| Case { pair, duration: None }) {
            let [a, b] = &case.pair;
            if fmb::intersects(a, b, None) {
                assert!((region(&case).world.max[0] + 0.662).abs() < 1e-8 || angle < 1e-14, "{angle}");
                check(&case);
            }
        }
    }
}

#[test]
fn sizes_near_the_least_double_give_numbers() {
    for size in [1e-300, 1e-307, 3e-308, 1e-310, 1e-320] {
        let scaled = |origin: f64| {
            Frame::cuboid([origin * size, 0.0], SQUARE.map(|component| component.map(|x| x * size)))
        };
        let case = Case { pair: [scaled(0.0), scaled(0.5)], duration: None };
        let Region { world: Aabb { min, max }, local, .. } = region(&case);
        assert_eq!((min, max), ([0.5 * size, 0.0], [size; 2]), "{size}");
        assert!((local.max[0] - 0.5).abs() < 1e-3 && local.min == [0.0; 2], "{size}: {local:?}");
        check(&case);
    }
}

#[test]
fn the_order_does_not_turn_an_interval_into_an_instant() {
    // A needle along its motion, beside a large frame.
    let large = Frame::cuboid([0.0; 3], [[1e9, 0.0, 0.0], [0.0, 1e9, 0.0], [0.0, 0.0, 1e9]]);
    let needle = Frame::cuboid([-1.0, 5.0, 5.0], [[2.0, 1e-9, 0.0], [0.0, 1e-9, 0.0], [0.0, 0.0, 1e-9]])
        .with_velocity([1e-9, 0.0, 0.0]);
    let case = Case { pair: [large, needle], duration: Some(1.0) };
    check(&case);
    assert_eq!(region(&swapped(&case)).times, [0.0, 1.0]);
}

#[test]
fn a_sliver_that_moves_across_another_ends_where_it_should() {
    // The rows of the first frame have errors of some percent of it.
    let one = Frame::cuboid(
        [-0.8392567572861866, -0.4540418709990859, 0.22387986083299904],
        [
            [0.2698353710983685, 0.5968494878785433, 0.6485423936072723],
            [-0.26769495725350456, 0.563595734653209, -0.17951491814146836],
            [-0.07432423933907045, -0.9414961069729617, -0.49055063318310016],
        ],
    )
    .with_velocity([-0.001901570301686032, 0.002828442138616945, 0.0025433202107567254]);
    let two = Frame::tetrahedron(
        [-0.9266593598295827, 0.4348077487430514, 0.9010804873049358],
        [
            [0.9260662253582195, -0.43404966279528057, -0.28726299868610017],
            [-0.7568853819842987, 0.5921349940026466, 0.13835839541929085],
            [0.44246918794287177, -0.19581721886192305, -0.14191206175908602],
        ],
    )
    .with_velocity([-0.001270602996421916, 0.002349857210901604, -0.0031177857862544943]);
    check(&Case { pair: [one, two], duration: Some(1.0) });
}

#[test]
fn slivers_whose_determinants_are_hardly_known_are_computed_in_integers() {
    let one = Frame::cuboid(
        [-0.8793104581691524, -0.4065580634444903, -0.3701077842129332],
        [
            [-0.3775132469364266, 0.4343845159049966, -0.19987279170900352],
            [0.05542722911878828, -0.2118168719291298, 0.27411853351716475],
            [-0.3245111863930332, 0.4420460950047428, -0.28531593591823046],
        ],
    );
    let two = Frame::cuboid(
        [-1.767234637313361, 0.4799296547952427, -0.17972120520656443],
        [
            [0.5930297193567808, -0.5527694135748931, -0.7801697121369426],
            [0.2218310162148085, -0.19581065231823858, 0.7459687374868966],
            [-0.006658046887705181, 0.003390927543288534, -0.2577929659613602],
        ],
    );
    check(&Case { pair: [one, two], duration: None });
}
