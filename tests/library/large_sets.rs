//! Pairs at random of large sets are tested in another order of steps than others, with the same outcome.

use carom::fmb::{Intersections, Pairs, Request};
use carom::frames::random::{Orientation, RandomFrames};
use carom::{Context, Error, Frame, Frames};

use crate::random::Random;

/// More frames than those whose records fit into the nearest caches.
const FRAMES: usize = 10_000;
/// More than a chunk, and no whole number of blocks.
const PAIRS: usize = 40_007;

fn set_of<const D: usize>(frames: &[Frame<D>], moving: bool) -> Frames<D> {
    let mut set = if moving { Frames::moving(1.0).unwrap() } else { Frames::resting() };
    set.add_many(frames).unwrap();
    set
}

/// Bits, hits and exact decisions.
fn outcome<const D: usize>(a: &Frames<D>, b: &Frames<D>, pairs: Pairs<'_>) -> (Vec<u64>, usize, u64) {
    let mut found = Intersections::new(Request::HITS);
    found.test(&Context::serial(), a, b, pairs).unwrap();
    (found.bits().to_vec(), found.hits(), found.redone())
}

fn listed_as_paired<const D: usize>(orientation: Orientation, moving: bool) {
    let mut random = RandomFrames::new(7).with_orientation(orientation);
    let frames: Vec<Frame<D>> = (0..FRAMES).map(|_| random.frame(moving)).collect();
    let mut rows = Random(11);
    let mut row = || (rows.real(0.0, 1.0) * FRAMES as f64) as u32;
    let list: Vec<[u32; 2]> = (0..PAIRS).map(|_| [row(), row()]).collect();
    let large = set_of(&frames, moving);
    let of_side = |side: usize| -> Vec<_> { list.iter().map(|pair| frames[pair[side] as usize]).collect() };
    let [a, b] = [0, 1].map(|side| set_of(&of_side(side), moving));
    let listed = outcome(&large, &large, Pairs::Listed(&list));
    assert_eq!(listed, outcome(&a, &b, Pairs::Paired), "{D}D, {orientation:?}, moving: {moving}");
    assert!(listed.1 > 100, "{} hits", listed.1);
    let touch = orientation == Orientation::Lattice;
    assert_eq!(listed.2 > PAIRS as u64 / 100, touch, "{} decided exactly", listed.2);

    let mut bad = list.clone();
    bad[PAIRS - 3][1] = FRAMES as u32;
    let mut found = Intersections::new(Request::HITS);
    let refusal = found.test(&Context::serial(), &large, &large, Pairs::Listed(&bad)).unwrap_err();
    assert!(matches!(refusal, Error::BadIndex { index: FRAMES, len: FRAMES, .. }), "{refusal:?}");
}

#[test]
fn pairs_of_large_sets_have_the_same_outcome_as_frames_side_by_side() {
    for orientation in [Orientation::Random, Orientation::Upright, Orientation::Lattice] {
        for moving in [false, true] {
            listed_as_paired::<2>(orientation, moving);
            listed_as_paired::<3>(orientation, moving);
        }
    }
}
