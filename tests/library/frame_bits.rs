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
        [0x0136_966F_437A_2770, 0x08D5_73AA_EBD8_F717, 0x9062_DB7C_B443_28A2, 0x3B1E_F1B1_9A83_AA35];
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
