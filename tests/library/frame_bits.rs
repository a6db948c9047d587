//! The bits of every outcome of FMB: the same for any number of threads and on every CPU.

use carom::fmb::{Intersections, Pairs, Request};
use carom::frames::random::RandomFrames;
use carom::{Context, Frames};

use super::random::hash;

fn frames<const D: usize>(seed: u64, moving: bool) -> Frames<D> {
    let mut random = RandomFrames::new(seed);
    let mut frames = if moving { Frames::moving(1.0).unwrap() } else { Frames::resting() };
    for _ in 0..20_000 {
        frames.add(&random.frame(moving)).unwrap();
    }
    frames
}

/// All outcomes for the i-th of one set with the i-th of another, as one number.
fn outcome<const D: usize>(moving: bool, threads: usize) -> u64 {
    let (a, b) = (frames::<D>(1, moving), frames::<D>(2, moving));
    let mut found = Intersections::new(Request::ALL);
    found.test(&Context::with_threads(threads).unwrap(), &a, &b, Pairs::Paired).unwrap();
    let boxes =
        found.boxes().iter().chain(found.local_boxes()).flat_map(|aabb| aabb.min.into_iter().chain(aabb.max));
    let reals: Vec<f64> = found.times().as_flattened().iter().copied().chain(boxes).collect();
    let whole = found.bits().iter().copied().chain(found.list().iter().map(|&k| k.into()));
    hash(&whole.chain(reals.iter().map(|x| x.to_bits())).collect::<Vec<_>>())
}

#[test]
fn outcomes_have_the_same_bits_for_any_number_of_threads_on_every_cpu() {
    let expected =
        [0x46E5_1293_F205_DFD8, 0x81D5_3651_2E73_243E, 0xD78B_F83D_7C73_7A79, 0xA7B2_0DE1_527C_06E3];
    for threads in [1, 2, 5] {
        let found = [
            outcome::<2>(false, threads),
            outcome::<3>(false, threads),
            outcome::<2>(true, threads),
            outcome::<3>(true, threads),
        ];
        assert_eq!(found, expected, "{threads} threads");
    }
}
