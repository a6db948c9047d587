//! Saved runs continue with the same bits; corrupt files are errors; the bits of two runs are pinned.

use std::ops::ControlFlow;

use carom::events::{AnyEngine, Boundary, Enclosure, Engine, EventSettings, Limit};
use carom::{Error, Particle};
use proptest::prelude::*;

use super::events_starts::{Mixture, bits, config, engine_of, mixture, particles_of, periodic_gas, some_box};
use super::random::{Random, hash};

fn saved<const D: usize>(engine: &Engine<D>) -> Vec<u8> {
    let mut bytes = Vec::new();
    engine.save(&mut bytes).unwrap();
    bytes
}

fn loaded<const D: usize>(bytes: &[u8]) -> Engine<D> {
    Engine::load(&mut &bytes[..]).unwrap()
}

/// Everything an observer sees, with exact bits.
type Log = Vec<(u64, u32, usize, usize, u64)>;

fn run_logged<const D: usize>(engine: &mut Engine<D>, limit: Limit) -> Log {
    let mut log = Vec::new();
    let mut note = |e: &carom::events::Event<D>| {
        log.push((e.time.to_bits(), e.kind as u32, e.first, e.second, e.impulse.to_bits()));
        ControlFlow::Continue(())
    };
    engine.run_observed(limit, &mut note).unwrap();
    log
}

#[track_caller]
fn assert_same(what: &str, found: &Log, expected: &Log) {
    let different = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(different, None, "{what}: the first event that is another");
    assert_eq!(found.len(), expected.len(), "{what}");
}

/// A run that was never saved, one that was saved and continues, and the one from the file: all the same.
fn resumes<const D: usize>(seed: u64) {
    let mut random = Random(seed);
    let what = Mixture {
        count: 2 + random.next_u64() as usize % 80,
        spread: 0.3,
        fixed: 0.05,
        tracers: 0.05,
        spacing: random.real(1.35, 2.5),
    };
    let (list, side) = mixture::<D>(what, &mut random);
    let kinds = [Boundary::Open, Boundary::Reflecting, Boundary::Periodic];
    let mut enclosure = some_box::<D>(side, &kinds, &mut random);
    let mut settings = EventSettings::default();
    if D > 1 && random.chance(0.3) {
        settings.down_gravity = 0.5;
        enclosure.boundaries[1] = Boundary::Reflecting;
    }
    let mut plain = Engine::new(particles_of(&list), enclosure, settings).unwrap();
    let mut stopped = Engine::new(particles_of(&list), enclosure, settings).unwrap();
    // Long runs of few balls, so that they extend over several epochs of the engine.
    let scale = if what.count < 20 { 100.0 } else { 1.0 };
    let moment = random.real(0.0, 5.0 * scale);
    let end = Limit::until(moment + 5.0 * scale).or_collisions(3000);
    let first = Limit::until(moment).or_collisions(10_000);
    assert_same("the same run", &run_logged(&mut plain, first), &run_logged(&mut stopped, first));
    let bytes = saved(&stopped);
    assert_eq!(saved(&stopped), bytes, "saving changes nothing");
    let mut resumed = loaded::<D>(&bytes);
    assert_eq!(saved(&resumed), bytes, "what is loaded is what was saved");
    assert_eq!(resumed.measurements(), stopped.measurements());
    assert_eq!(resumed.time().to_bits(), stopped.time().to_bits());
    let expected = run_logged(&mut plain, end);
    assert_same("the run that was saved", &run_logged(&mut stopped, end), &expected);
    assert_same("the run from the file", &run_logged(&mut resumed, end), &expected);
    assert_eq!(bits(&mut resumed), bits(&mut plain));
    assert_eq!(resumed.measurements(), plain.measurements());
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn a_saved_run_goes_on_with_the_same_bits(seed: u64) {
        resumes::<1>(seed);
        resumes::<2>(seed);
        resumes::<3>(seed);
    }

    #[test]
    fn a_file_with_a_flipped_bit_is_refused(seed: u64) {
        let bytes = small_file();
        let mut random = Random(seed);
        for _ in 0..20 {
            let mut broken = bytes.clone();
            let at = random.next_u64() as usize % broken.len();
            broken[at] ^= 1 << (random.next_u64() % 8);
            prop_assert!(Engine::<2>::load(&mut &broken[..]).is_err(), "byte {at}");
            prop_assert!(AnyEngine::load(&mut &broken[..]).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_truncated_file_is_refused(seed: u64) {
        let bytes = small_file();
        let end = Random(seed).next_u64() as usize % bytes.len();
        let error = Engine::<2>::load(&mut &bytes[..end]).unwrap_err();
        prop_assert!(matches!(error, Error::Truncated { .. } | Error::UnknownFormat { .. }), "{error}");
    }

    /// Inconsistent bytes with correct checksums: an error or an engine that runs, never a panic.
    #[test]
    fn a_forged_file_never_panics(seed: u64) {
        let bytes = small_file();
        let mut random = Random(seed);
        for _ in 0..10 {
            let mut forged = bytes.clone();
            for _ in 0..=random.next_u64() % 3 {
                forge(&mut forged, &mut random);
            }
            seal(&mut forged);
            if let Ok(mut engine) = Engine::<2>::load(&mut &forged[..]) {
                drop(engine.run(Limit::until(engine.time() + 1.0).or_collisions(300)));
                let _ = engine.next_event();
                engine.synchronise();
            }
        }
    }
}

/// A few balls in the middle of a run.
fn small_file() -> Vec<u8> {
    let list: Vec<Particle> = (0..6)
        .map(|n| {
            let n = f64::from(n);
            Particle::sphere(&[1.0 + 1.2 * n, 2.0 + 0.1 * n], 0.5)
                .with_mass(1.0 + n)
                .with_velocity(&[1.0 - n, 0.3 * n])
        })
        .collect();
    let mut engine = engine_of(&list, Enclosure::reflecting([0.0; 2], [9.0; 2]));
    engine.run(Limit::collisions(40)).unwrap();
    saved(&engine)
}

const HEADER: usize = 32;

/// Changes a byte of the payload, or eight bytes to a difficult number.
fn forge(bytes: &mut [u8], random: &mut Random) {
    let at = HEADER + random.next_u64() as usize % (bytes.len() - HEADER - 8);
    match random.next_u64() % 3 {
        0 => bytes[at] = random.next_u64() as u8,
        1 => bytes[at] ^= 1 << (random.next_u64() % 8),
        _ => {
            let at = at / 4 * 4;
            let trouble = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300, f64::from_bits(u64::MAX)];
            let value = trouble[random.next_u64() as usize % trouble.len()];
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
    }
}

/// Corrects the checksums: of the payload at byte 24, of the 28 bytes before at byte 28.
fn seal(bytes: &mut [u8]) {
    let payload = crc32fast::hash(&bytes[HEADER..]);
    bytes[24..28].copy_from_slice(&payload.to_le_bytes());
    let header = crc32fast::hash(&bytes[..28]);
    bytes[28..HEADER].copy_from_slice(&header.to_le_bytes());
}

#[test]
fn every_truncation_and_extension_is_refused() {
    let bytes = small_file();
    for end in 0..bytes.len() {
        assert!(Engine::<2>::load(&mut &bytes[..end]).is_err(), "{end} bytes");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(Engine::<2>::load(&mut &longer[..]).unwrap_err(), Error::Corrupt { .. }));
}

#[test]
fn foreign_newer_and_other_files_have_errors_of_their_own() {
    let bytes = small_file();
    let refused = |bytes: &[u8]| Engine::<2>::load(&mut &bytes[..]).unwrap_err();
    assert!(matches!(refused(b""), Error::Truncated { .. } | Error::UnknownFormat { .. }));
    assert!(matches!(
        refused(b"{\"_dim\":\"2\"}  and more than a header of thirty-two bytes"),
        Error::UnknownFormat { .. }
    ));
    let mut world = Vec::new();
    carom::io::write(&carom::World::new(2).unwrap(), carom::io::Format::Snapshot, &mut world).unwrap();
    assert!(matches!(refused(&world), Error::UnknownFormat { .. }), "a world is no run");
    let mut newer = bytes.clone();
    newer[8] = 200;
    seal(&mut newer);
    assert!(matches!(refused(&newer), Error::NewerVersion { found: 200, .. }));
    assert!(matches!(Engine::<3>::load(&mut &bytes[..]).unwrap_err(), Error::BadDimension { found: 2, .. }));
    assert_eq!(AnyEngine::load(&mut &bytes[..]).unwrap().dim(), 2);
}

#[test]
fn a_run_saved_again_and_again_is_the_run_never_saved() {
    let mut plain = periodic_gas::<3>(5, 0.6, 41);
    let mut resumed = periodic_gas::<3>(5, 0.6, 41);
    plain.run(Limit::collisions(30_000)).unwrap();
    for _ in 0..30 {
        resumed.run(Limit::collisions(1000)).unwrap();
        resumed = loaded(&saved(&resumed));
    }
    assert_eq!(bits(&mut resumed), bits(&mut plain));
    assert_eq!(resumed.measurements(), plain.measurements());
}

/// Fifteen balls in a triangle, not quite touching, and the cue ball.
fn billiard_break() -> Engine<2> {
    let ball = |x: f64, y: f64| Particle::sphere(&[x, y], 0.028).with_mass(0.17);
    let mut list = vec![ball(0.6, 0.62).with_velocity(&[8.0, 0.1])];
    for row in 0..5 {
        for place in 0..=row {
            let x = 1.7 + 0.0495 * f64::from(row);
            list.push(ball(x, 0.635 + 0.0572 * (f64::from(place) - 0.5 * f64::from(row))));
        }
    }
    engine_of(&list, Enclosure::reflecting([0.0; 2], [2.54, 1.27]))
}

#[test]
fn bits_are_the_same_on_every_machine() {
    let mut table = billiard_break();
    table.run(Limit::until(5.0)).unwrap();
    assert!(table.measurements().collisions > 50);
    let mut gas = periodic_gas::<3>(4, 0.5, 42);
    gas.run(Limit::collisions(20_000)).unwrap();
    let mut disks = periodic_gas::<2>(12, 0.5, 43);
    disks.run(Limit::collisions(20_000)).unwrap();
    let found = [hash(&bits(&mut table)), hash(&bits(&mut gas)), hash(&bits(&mut disks))];
    assert_eq!(
        found,
        [0xEF29_FF76_3C02_8B62, 0x98CA_EC6B_B752_651F, 0x50AB_8814_E204_35A8],
        "{found:#018X?}"
    );
}

/// Two balls that collide after a very long time, and one that flies beside them.
fn hardly_ever() -> Engine<2> {
    let ball = |x: f64, y: f64, velocity: f64| {
        Particle::sphere(&[x, y], 0.25).with_mass(1.0).with_velocity(&[velocity, 0.0])
    };
    engine_of(&[ball(0.0, 0.0, 0.0), ball(-1.5, 0.0, 1e-15), ball(0.0, 1.0, 1.0)], Enclosure::open())
}

#[test]
fn a_preview_of_the_next_event_however_far_changes_nothing() {
    let (mut plain, mut curious) = (hardly_ever(), hardly_ever());
    for engine in [&mut plain, &mut curious] {
        engine.run(Limit::until(10.03)).unwrap();
    }
    let next = curious.next_event().expect("they meet");
    assert!(next.time > 9e14 && curious.next_event() == Some(next));
    assert_eq!(bits(&mut curious), bits(&mut plain));
    assert_eq!(saved(&curious), saved(&plain));
    let mut resumed = loaded::<2>(&saved(&curious));
    for engine in [&mut plain, &mut curious, &mut resumed] {
        engine.run(Limit::until(20.07)).unwrap();
    }
    assert_eq!(bits(&mut curious), bits(&mut plain));
    assert_eq!(bits(&mut resumed), bits(&mut plain));
}
