//! Random pairs of frames that do not fit into the caches.

use carom::fmb::{Intersections, Pairs, Request};
use carom::frames::random::RandomFrames;
use carom::{Context, Frames};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::report::{Contender, best_times, each, line};

const ROUNDS: usize = 20;
const PAIRS: usize = 1 << 18;

pub(crate) fn measure() {
    random_pairs::<2>();
    random_pairs::<3>();
}

fn random_pairs<const D: usize>() {
    let context = Context::serial();
    let [few, many] = [1 << 12, 1 << 20].map(|count| (set::<D>(count), pairs(count as u32)));
    let mut found = [(); 2].map(|()| Intersections::new(Request::COUNT));
    let [a, b] = &mut found;
    let mut test_few = || a.test(&context, &few.0, &few.0, Pairs::Listed(&few.1)).expect("valid frames");
    let mut test_many = || b.test(&context, &many.0, &many.0, Pairs::Listed(&many.1)).expect("valid frames");
    let [near, far] = best_times(
        ROUNDS,
        [
            Contender { prepare: &mut || {}, run: &mut test_few },
            Contender { prepare: &mut || {}, run: &mut test_many },
        ],
    );
    line(
        &format!("random pairs among 2^20 frames, {D}D"),
        &each(far, PAIRS),
        &format!("among 4,096 {}", each(near, PAIRS)),
        &format!("{:.1}", far / near),
        "at most 4",
    );
}

fn set<const D: usize>(count: usize) -> Frames<D> {
    let mut random = RandomFrames::new(D as u64);
    let frames: Vec<_> = (0..count).map(|_| random.frame(false)).collect();
    let mut set = Frames::resting();
    set.add_many(&frames).expect("valid frames");
    set
}

fn pairs(count: u32) -> Vec<[u32; 2]> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    (0..PAIRS).map(|_| [(); 2].map(|()| random.random_range(0..count))).collect()
}
