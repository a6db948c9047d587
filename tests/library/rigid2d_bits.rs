//! Rigid bodies have the same bits in every run, at every level of instructions, alone and in batches, saved and loaded.

use carom::Context;
use carom::geometry::Vec2;
use carom::rigid2d::space::Precision;
use carom::rigid2d::{Space, Spaces};
use proptest::prelude::*;

use super::levels::assert_same_at_each_level;
use super::random::{Random, hash};
use super::rigid2d_scene::*;

/// A closed box with shapes of all kinds in it, some elastic, some fast.
pub(crate) fn mixed_space(precision: Precision, seed: u64, count: usize) -> Space {
    let mut random = Random(seed);
    let mut space = space(precision, if random.chance(0.8) { G } else { 0.0 });
    let half = 0.7 * (count as f64).sqrt() + 1.0;
    walls(&mut space, half, neutral());
    let side = (count as f64).sqrt().ceil() as usize;
    for n in 0..count {
        let place = |k: usize| (k as f64 - 0.5 * (side as f64 - 1.0)) * 1.15;
        let speed = if random.chance(0.1) { 100.0 } else { 3.0 };
        let body = at(place(n % side), place(n / side))
            .with_angle(random.real(-3.0, 3.0))
            .with_velocity(Vec2::new(random.real(-speed, speed), random.real(-speed, speed)))
            .with_angular_velocity(random.real(-5.0, 5.0))
            .with_bullet(random.chance(0.1));
        let elasticity = if random.chance(0.5) { 0.0 } else { random.real(0.0, 1.0) };
        let (form, mass) = (any_form(&mut random, 1.0), random.real(0.5, 3.0));
        put(&mut space, &body, form, mass, material(random.real(0.0, 1.0), elasticity));
    }
    space
}

/// A hash of the state after each of so many steps.
fn history(mut space: Space, count: usize) -> Vec<u64> {
    (0..count)
        .map(|_| {
            space.step(DT).unwrap();
            hash(&state_bits(&space))
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn spaces_step_with_the_same_bits_at_each_level(seed: u64, count in 1_usize..120, mixed: bool) {
        let precision = if mixed { Precision::Mixed } else { Precision::Double };
        assert_same_at_each_level(|| history(mixed_space(precision, seed, count), 200));
    }

    #[test]
    fn spaces_step_with_the_same_bits_in_every_run(seed: u64, count in 1_usize..120, mixed: bool) {
        let precision = if mixed { Precision::Mixed } else { Precision::Double };
        let [first, second] = [(); 2].map(|()| history(mixed_space(precision, seed, count), 100));
        prop_assert_eq!(first, second);
    }
}

/// The same space, saved and loaded.
fn reload(space: &Space, as_json: bool) -> Space {
    let mut bytes = Vec::new();
    if as_json { space.save_json(&mut bytes) } else { space.save(&mut bytes) }.unwrap();
    Space::load(&mut &bytes[..]).unwrap()
}

/// 200 random spaces alone, saved and loaded in the middle, and in batches in another order with each of them twice.
fn assert_same_in_batches(precision: Precision) {
    const COUNT: u32 = 200;
    let count = |seed: u32| 1 + seed as usize % 12;
    let mut alone: Vec<Space> =
        (0..COUNT).map(|seed| mixed_space(precision, seed.into(), count(seed))).collect();
    let prototypes: Vec<&Space> = alone.iter().collect();
    let which: Vec<u32> = (0..COUNT).flat_map(|n| [COUNT - 1 - n, n / 2]).collect();
    let mut batches = [1, 2, 5].map(|threads| {
        let mut batch = Spaces::from_prototypes(&prototypes, &which).unwrap();
        batch.set_context(Context::with_threads(threads).unwrap());
        batch
    });
    for part in 0..10 {
        for _ in 0..100 {
            alone.iter_mut().for_each(|space| space.step(DT).unwrap());
            batches.iter_mut().for_each(|batch| batch.step(DT).unwrap());
        }
        for (n, space) in alone.iter_mut().enumerate() {
            for batch in &batches {
                let hash = batch.state_hash(2 * (COUNT as usize - 1 - n)).unwrap();
                assert_eq!(hash, space.state_hash(), "{precision:?}, space {n} after part {part}");
            }
            if part == 4 {
                *space = reload(space, n % 2 == 0);
            }
        }
    }
}

#[test]
fn spaces_have_the_same_bits_alone_and_in_batches() {
    assert_same_in_batches(Precision::Double);
}

#[test]
fn mixed_spaces_have_the_same_bits_alone_and_in_batches() {
    assert_same_in_batches(Precision::Mixed);
}
