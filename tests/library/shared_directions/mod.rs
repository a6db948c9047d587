//! Frames that share directions (docs/methods/fmb-hits.md): hits are exact, however nearly parallel edges are and however close
//! the frames. The batch test in both orders against exact arithmetic, and that, for some pairs, against rational numbers.

mod families;

use carom::fmb::{self, Intersections, Pairs, Request};
use carom::frames::random::{Orientation, RandomFrames};
use carom::{Context, Frame};

use crate::random::Random;
use crate::rational::agreement::sets;
use crate::rational::{ContactKind, Overlap};
use families::Family;

/// Pairs of each family and motion.
const COUNT: usize = if cfg!(debug_assertions) { 60 } else { 1200 };

/// Every so many pairs are put to rational numbers, too.
const RATIONAL_EVERY: usize = 120;

fn hits(pairs: &[[Frame<3>; 2]], duration: Option<f64>) -> Vec<bool> {
    let [a, b] = sets(pairs, [duration; 2]);
    let mut found = Intersections::new(Request::HITS);
    found.test(&Context::serial(), &a, &b, Pairs::Paired).unwrap();
    (0..pairs.len()).map(|k| found.bits()[k / 64] >> (k % 64) & 1 == 1).collect()
}

/// Compares all answers on random pairs of a family and returns how many hit.
fn agree(family: Family, duration: Option<f64>) -> usize {
    let mut random = Random(17 + family as u64);
    let pairs: Vec<_> = (0..COUNT).map(|_| family.pair(&mut random, duration)).collect();
    let swapped: Vec<_> = pairs.iter().map(|&[a, b]| [b, a]).collect();
    let (forward, backward) = (hits(&pairs, duration), hits(&swapped, duration));
    for (k, [a, b]) in pairs.iter().enumerate() {
        let expected = fmb::intersects(a, b, duration);
        assert_eq!([forward[k], backward[k]], [expected; 2], "{family:?} {duration:?}\n{a:?}\n{b:?}");
        if k % RATIONAL_EVERY == 0 {
            let contact = Overlap::of(a, b, duration).contact;
            assert_eq!(
                contact == ContactKind::Overlapping,
                expected,
                "{family:?} {duration:?}\n{a:?}\n{b:?}"
            );
        }
    }
    forward.iter().filter(|&&hit| hit).count()
}

#[test]
fn hits_at_rest_are_exact() {
    for family in Family::ALL.into_iter().filter(|family| !family.always_moves()) {
        let hits = agree(family, None);
        assert!((COUNT / 20..COUNT - COUNT / 10).contains(&hits), "{family:?}: {hits} of {COUNT} hit");
    }
}

#[test]
fn hits_in_motion_are_exact() {
    for family in Family::ALL {
        let hits = agree(family, Some(1.0));
        assert!((COUNT / 20..COUNT - COUNT / 10).contains(&hits), "{family:?}: {hits} of {COUNT} hit");
    }
}

#[test]
fn frames_that_share_directions_are_decided_in_lanes() {
    for orientation in [Orientation::Tilted, Orientation::Upright, Orientation::Aligned] {
        for duration in [None, Some(1.0)] {
            let mut random = RandomFrames::new(5).with_orientation(orientation);
            let pairs: Vec<[Frame<3>; 2]> = (0..20_000).map(|_| random.pair(duration.is_some())).collect();
            let [a, b] = sets(&pairs, [duration; 2]);
            let mut found = Intersections::new(Request::COUNT);
            found.test(&Context::serial(), &a, &b, Pairs::Paired).unwrap();
            assert!(found.hits() > 3000, "{orientation:?}: {} hits", found.hits());
            assert_eq!(found.redone(), 0, "{orientation:?} {duration:?}: decided in exact arithmetic");
        }
    }
}
