//! Every level of instructions gives the same bits: the same work at each level that this CPU has, in one process.

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use carom::events::scenes::Gas;
use carom::fmb::{self, Intersections, Pairs, Request};
use carom::frames::random::RandomFrames;
use carom::study::Study;
use carom::{Attraction, AttractionLaw, Boundary, Context, Frame, FrameKind, Frames, Level, Limit};
use proptest::prelude::*;

use super::cloud::{cloud, columns, vectors};
use super::random::{Random, bits, gas, hash};

/// Held while a level is forced. Other tests may run meanwhile: their results do not depend on the level.
static FORCED: Mutex<()> = Mutex::new(());

/// Computes at each level that this CPU has, and compares with the portable one.
pub(crate) fn assert_same_at_each_level<T: PartialEq + Debug>(compute: impl Fn() -> T) {
    let _held = FORCED.lock().unwrap_or_else(PoisonError::into_inner);
    let before = Level::current().unwrap();
    Level::Portable.force().unwrap();
    let expected = compute();
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        level.force().unwrap();
        let found = compute();
        before.force().unwrap();
        assert!(found == expected, "{level}:\n{found:?}\nportable:\n{expected:?}");
    }
}

/// Frames of both kinds, of which many pairs overlap: some at random, some on a lattice, where exact arithmetic decides.
fn frames<const D: usize>(seed: u64, count: usize, moving: bool, on_lattice: bool) -> Frames<D> {
    let mut random = RandomFrames::new(seed);
    let mut lattice = Random(seed);
    let mut set = if moving { Frames::moving(1.0).unwrap() } else { Frames::resting() };
    for n in 0..count {
        let mut frame: Frame<D> = random.frame(moving);
        if on_lattice {
            let mut whole = || lattice.real(-3.0, 4.0).floor();
            frame.kind = if n % 2 == 0 { FrameKind::Cuboid } else { FrameKind::Tetrahedron };
            frame.origin = [(); D].map(|()| whole());
            frame.components = std::array::from_fn(|i| std::array::from_fn(|k| f64::from(u8::from(i == k))));
            if moving {
                frame.velocity = [(); D].map(|()| whole());
            }
        }
        set.add(&frame).unwrap();
    }
    set
}

/// All outcomes of the i-th of one set with the i-th of the other.
fn outcomes<const D: usize>(a: &Frames<D>, b: &Frames<D>) -> Vec<u64> {
    let mut found = Intersections::new(Request::ALL);
    found.test(&Context::serial(), a, b, Pairs::Paired).unwrap();
    let boxes =
        found.boxes().iter().chain(found.local_boxes()).flat_map(|aabb| aabb.min.into_iter().chain(aabb.max));
    let normals = found.normals().iter().flat_map(|c| c.normal.into_iter().chain([c.depth]).chain(c.point));
    let reals = found.times().as_flattened().iter().copied().chain(boxes).chain(normals).map(f64::to_bits);
    found.bits().iter().copied().chain(found.list().iter().map(|&k| k.into())).chain(reals).collect()
}

fn assert_same_frames<const D: usize>(seed: u64, count: usize, moving: bool, on_lattice: bool) {
    let make = |seed: u64| frames::<D>(seed, count, moving, on_lattice);
    assert_same_at_each_level(|| outcomes(&make(seed), &make(!seed)));
    let (a, b) = (make(seed).get(0).unwrap(), make(!seed).get(0).unwrap());
    let duration = moving.then_some(1.0);
    assert_same_at_each_level(|| {
        let region = format!("{:?}", fmb::region(&a, &b, duration));
        (fmb::intersects(&a, &b, duration), region, format!("{:?}", fmb::contact(&a, &b, duration)))
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn frames_intersect_with_the_same_bits(
        seed: u64, count in 1_usize..700, moving: bool, on_lattice: bool,
    ) {
        assert_same_frames::<2>(seed, count, moving, on_lattice);
        assert_same_frames::<3>(seed, count, moving, on_lattice);
    }

    #[test]
    fn worlds_step_with_the_same_bits(
        seed: u64, dim in 1_usize..5, count in 2_usize..150, gravity in 0.0..2.0, constant in 0.0..1.0,
    ) {
        assert_same_at_each_level(|| {
            let mut world = gas(dim, count, 1.3, seed);
            let mut settings = *world.settings();
            settings.down_gravity = if dim > 1 { gravity } else { 0.0 };
            settings.attraction = Attraction { constant, ..Attraction::default() };
            world.set_settings(settings).unwrap();
            let collisions: Vec<u64> = (0..5).map(|_| world.step(0.1).unwrap()).collect();
            let energies = [Some(world.kinetic_energy()), world.potential_energy()].map(|x| x.map(f64::to_bits));
            (collisions, bits(&world), energies)
        });
    }

    #[test]
    fn trees_attract_with_the_same_bits(seed: u64, dim in 1_usize..4, count in 1_usize..1500, opening in 0.0..1.0) {
        assert_same_at_each_level(|| {
            let particles = cloud(dim, count, seed, 3.0);
            let mut pulls = columns(&vectors(&mut Random(seed), dim, count, 0.0, 0.0), 0.0);
            let law = AttractionLaw::BarnesHut { opening };
            let attraction = Attraction { constant: 0.7, law, softening: 1e-3 };
            carom::particles::gravity::attraction(&particles, &attraction, &Context::serial(), &mut pulls).unwrap();
            pulls.iter().flat_map(|column| column.as_slice()).map(|x| x.to_bits()).collect::<Vec<_>>()
        });
    }

    #[test]
    fn clouds_attract_and_meet_with_the_same_bits(seed: u64, dim in 1_usize..6, count in 1_usize..300) {
        assert_same_at_each_level(|| {
            let particles = cloud(dim, count, seed, 3.0);
            let mut pulls = columns(&vectors(&mut Random(seed), dim, count, 0.0, 0.0), 0.0);
            let attraction = Attraction { constant: 0.7, softening: 1e-3, ..Attraction::default() };
            let context = Context::serial();
            carom::particles::gravity::attraction(&particles, &attraction, &context, &mut pulls).unwrap();
            let sums = [particles.kinetic_energy(&context), particles.total_mass(&context)].into_iter();
            let sums = sums.chain(particles.momentum(&context));
            let pulls = pulls.iter().flat_map(|column| column.as_slice().to_vec());
            sums.chain(pulls).map(f64::to_bits).collect::<Vec<_>>()
        });
    }

    #[test]
    fn gases_collide_with_the_same_bits(seed: u64, dim in 1_usize..4, count in 2_usize..200, periodic: bool) {
        let boundary = if periodic { Boundary::Periodic } else { Boundary::Reflecting };
        assert_same_at_each_level(|| {
            let gas = Gas::new(dim).with_particles(count).with_number_density(0.4).with_seed(seed);
            let mut engine = gas.with_boundary(boundary).scene().unwrap().engine().unwrap();
            let mut seen = Vec::new();
            let observer = &mut |event: &carom::Event<3>| {
                seen.push([event.time.to_bits(), event.first as u64, event.second as u64, event.impulse.to_bits()]);
                ControlFlow::Continue(())
            };
            engine.run_observed(Limit::collisions(400), observer).unwrap();
            seen
        });
    }
}

/// The first replicas of the six example studies, printed, because NaN is not equal to itself.
fn replicas_of_six_studies() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/studies");
    let mut files: Vec<_> =
        std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 6);
    let replicas = |file: &PathBuf| {
        let study = Study::from_toml(&std::fs::read_to_string(file).unwrap(), Some(&directory)).unwrap();
        (0..3).map(|replica| format!("{:?}", study.replay(0, replica).unwrap())).collect()
    };
    files.iter().map(replicas).collect()
}

#[test]
fn six_studies_draw_and_measure_the_same_bits() {
    assert_same_at_each_level(replicas_of_six_studies);
}

#[test]
fn six_studies_have_these_bits_on_every_cpu() {
    let found = replicas_of_six_studies().concat();
    let words: Vec<u64> = found.bytes().map(u64::from).collect();
    assert_eq!(format!("{:016x}", hash(&words)), "1e817ebcb1ffa2cf");
}

#[test]
fn a_level_that_the_cpu_lacks_cannot_be_forced() {
    for level in Level::ALL.into_iter().filter(|level| !level.is_available()) {
        assert!(matches!(level.force(), Err(carom::Error::UnsupportedCpu { .. })), "{level}");
    }
    assert_eq!("avx2".parse::<Level>().unwrap(), Level::Avx2);
    assert!("sse9".parse::<Level>().is_err());
    assert!(Level::Portable.is_available());
}
