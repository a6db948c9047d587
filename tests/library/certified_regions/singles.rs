//! Times and boxes in single precision contain the exact ones and exceed them by no more than is promised, for the same hard
//! pairs.

use carom::fmb::{Intersections, Pairs, Region, Request};
use carom::{Aabb, Context};
use num_traits::Signed;

use super::families::{Case, Family};
use super::promise::{bits_in_b, bits_in_world, size};
use super::{CASES, each_family, hits_of_one_duration, swapped};
use crate::levels::assert_same_at_each_level;
use crate::rational::agreement::{answers, bits, sets};
use crate::rational::{Overlap, exactly};

fn request() -> Request {
    Request::ALL.with_normals(false).with_single(true)
}

fn found<const D: usize>(cases: &[Case<D>], context: &Context) -> Intersections<D> {
    let pairs: Vec<_> = cases.iter().map(|case| case.pair).collect();
    let [a, b] = sets(&pairs, [cases[0].duration; 2]);
    let mut found = Intersections::new(request());
    found.test(context, &a, &b, Pairs::Paired).unwrap();
    found
}

fn region<const D: usize>(case: &Case<D>) -> Region<D> {
    answers(&found(std::slice::from_ref(case), &Context::serial()))[0].expect("a hit")
}

/// What is wrong with a region in single precision, if anything.
fn complaint<const D: usize>(case: &Case<D>, region: &Region<D>) -> Option<String> {
    let Case { pair: [a, b], duration } = case;
    let exact = Overlap::of(a, b, *duration).extent();
    let axis = |aabb: &Aabb<D>, axis: usize| [aabb.min[axis], aabb.max[axis]];
    let mut checks = vec![("times", region.times, &exact.times, duration.unwrap_or(0.0))];
    for i in 0..D {
        checks.push(("world", axis(&region.world, i), &exact.world[i], size([a, b])));
        checks.push(("local", axis(&region.local, i), &exact.local[i], 1.0));
    }
    checks.into_iter().find_map(|(name, found, [low, high], unit)| {
        let nearest = [low, high].map(crate::rational::agreement::nearest);
        let is_single = |x: f64| f64::from(x as f32) == x;
        let is_ordered = found[0] <= found[1] && found.into_iter().all(is_single);
        let excess = |x: f64, outside: num_rational::BigRational, end: f64| {
            // What single precision has no number for is infinite.
            let is_representable = end.abs() <= f64::from(f32::MAX);
            let rounding = (exactly(end).abs() * exactly(0.25e-6)).max(exactly(2e-45));
            !outside.is_negative() && (!is_representable || outside <= exactly(1e-3) * exactly(x) + rounding)
        };
        let [is_low, is_high] = [
            found[0] == f64::NEG_INFINITY || excess(unit, low - exactly(found[0]), nearest[0]),
            found[1] == f64::INFINITY || excess(unit, exactly(found[1]) - high, nearest[1]),
        ];
        let is_finite = |end: usize| found[end].is_finite() || nearest[end].abs() + 1e-3 * unit > 3e38;
        let is_right = is_ordered && is_low && is_high && is_finite(0) && is_finite(1);
        (!is_right).then(|| format!("{name} {found:?} instead of {nearest:?}"))
    })
}

fn check<const D: usize>(case: &Case<D>) {
    let found = region(case);
    let wrong = complaint(case, &found);
    assert!(wrong.is_none(), "{}\n{case:?}", wrong.unwrap_or_default());
    let other = region(&swapped(case));
    assert_eq!(bits_in_world(&other), bits_in_world(&found), "{case:?}");
}

#[test]
fn every_family_is_contained_in_the_plane() {
    each_family(11, |family, is_moving, random| {
        (0..2 * CASES).for_each(|_| check::<2>(&family.hit(random, is_moving)));
    });
}

#[test]
fn every_family_is_contained_in_space() {
    each_family(12, |family, is_moving, random| {
        (0..CASES).for_each(|_| check::<3>(&family.hit(random, is_moving)));
    });
}

fn neighbours_and_threads_change_nothing<const D: usize>() {
    each_family(13, |family, is_moving, random| {
        let cases = hits_of_one_duration::<D>(family, is_moving, random);
        let together = found(&cases, &Context::serial());
        assert_eq!(bits(&together), bits(&found(&cases, &Context::with_threads(2).unwrap())));
        for (case, answer) in cases.iter().zip(answers(&together)) {
            let (alone, answer) = (region(case), answer.expect("a hit"));
            assert_eq!(bits_in_world(&answer), bits_in_world(&alone), "{case:?}");
            assert_eq!(bits_in_b(&answer), bits_in_b(&alone), "{case:?}");
        }
    });
}

#[test]
fn neighbours_and_threads_do_not_change_single_precision() {
    neighbours_and_threads_change_nothing::<2>();
    neighbours_and_threads_change_nothing::<3>();
}

#[test]
fn what_else_is_requested_does_not_change_single_precision() {
    each_family(14, |family: Family, is_moving, random| {
        let cases = hits_of_one_duration::<3>(family, is_moving, random);
        let all = found(&cases, &Context::serial());
        let pairs: Vec<_> = cases.iter().map(|case| case.pair).collect();
        let [a, b] = sets(&pairs, [cases[0].duration; 2]);
        let only = |request: Request| {
            let mut found = Intersections::new(request.with_single(true));
            found.test(&Context::serial(), &a, &b, Pairs::Paired).unwrap();
            found
        };
        assert_eq!(only(Request::COUNT.with_times(true)).times(), all.times());
        assert_eq!(only(Request::COUNT.with_boxes(true)).boxes(), all.boxes());
        assert_eq!(only(Request::COUNT.with_local_boxes(true)).local_boxes(), all.local_boxes());
    });
}

#[test]
fn single_precision_has_the_same_bits_at_every_level() {
    assert_same_at_each_level(|| {
        let all = std::cell::RefCell::new(Vec::new());
        each_family(15, |family, is_moving, random| {
            let flat = hits_of_one_duration::<2>(family, is_moving, random);
            let solid = hits_of_one_duration::<3>(family, is_moving, random);
            all.borrow_mut().extend(bits(&found(&flat, &Context::serial())));
            all.borrow_mut().extend(bits(&found(&solid, &Context::serial())));
        });
        all.into_inner()
    });
}
