//! What must hold for whatever bytes a loader is given. Shared by the fuzz targets and the replay of their finds.
#![allow(dead_code, reason = "a fuzz target uses one of the entries")]

use std::ops::ControlFlow;
use std::path::Path;

use carom::events::{AnyEngine, Limit};
use carom::io::{self, Format};
use carom::rigid2d::{Space, SpaceFormat};
use carom::study::{self, Loaded, RunOptions, State};
use carom::{Error, Result, World};

/// Bytes for the loader of carom's JSON.
pub(crate) fn json(bytes: &[u8]) {
    check(io::json::decode(bytes));
}

/// Bytes for the loader of PBPhys's JSON.
pub(crate) fn pbphys(bytes: &[u8]) {
    check(io::pbphys::decode(bytes));
}

/// The payload of a snapshot: the header is made to match, or no change would get past the checksums.
pub(crate) fn snapshot(payload: &[u8]) {
    for version in [1, 2] {
        let mut bytes =
            io::snapshot::header(version, payload.len() as u64, crc32fast::hash(payload)).to_vec();
        bytes.extend_from_slice(payload);
        check(io::snapshot::decode(&bytes));
    }
}

/// Bytes for the loader that recognises the format.
pub(crate) fn from_bytes(bytes: &[u8]) {
    check(io::from_bytes(bytes));
}

/// Bytes for the loader of saved spaces: JSON, or a snapshot whose checksums match.
pub(crate) fn space(bytes: &[u8]) {
    check_space(bytes);
}

/// The payload of the snapshot of a space, whose header is made to match.
pub(crate) fn space_snapshot(payload: &[u8]) {
    check_space(&space_with_header(payload));
}

/// The payload of a saved run of the event-driven engine, whose header is made to match.
pub(crate) fn saved_run(payload: &[u8]) {
    check_run(&sealed(b"CAROMRUN", payload));
}

/// The payload of a checkpoint of a study, whose header is made to match.
pub(crate) fn checkpoint(payload: &[u8]) {
    check_checkpoint(&sealed(b"CAROMSTU", payload));
}

/// The snapshot of a space with this payload.
pub(crate) fn space_with_header(payload: &[u8]) -> Vec<u8> {
    sealed(b"CAROMSPC", payload)
}

/// A header with its checksums (`src/sealed.rs`), of version 1, and the payload after it.
pub(crate) fn sealed(magic: &[u8; 8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(crc32fast::hash(payload).to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// A space that loads comes back from both formats and can be stepped, or a step says why not.
fn check_space(bytes: &[u8]) {
    let Ok(space) = Space::load(&mut &*bytes) else { return };
    let snapshot = saved(&space, SpaceFormat::Snapshot);
    for format in [SpaceFormat::Snapshot, SpaceFormat::Json] {
        let again = Space::load(&mut &saved(&space, format)[..]).expect("what was saved loads");
        assert!(saved(&again, SpaceFormat::Snapshot) == snapshot, "{format:?} keeps every bit");
    }
    let mut space = space;
    let passes = space.settings().substeps.max(space.settings().iterations);
    // More passes take long and do nothing else.
    for _ in 0..if passes > 100 { 0 } else { 3 } {
        // Numbers may be too large to step.
        let _ = space.step(1.0 / 60.0);
    }
    let _ = (space.kinetic_energy(), space.state_hash(), space.arbiters().len());
}

/// A run that loads comes back to the bit and goes on, or says why not.
fn check_run(bytes: &[u8]) {
    let Ok(mut engine) = AnyEngine::from_bytes(bytes) else { return };
    let mut again = Vec::new();
    engine.save(&mut again).expect("what loads can be saved");
    let twin = AnyEngine::from_bytes(&again).expect("what was saved loads");
    assert_eq!(twin.state_hash(), engine.state_hash(), "a file keeps every bit");
    let fastest = engine.speeds().into_iter().fold(1e-3, f64::max);
    // In a box a fast particle passes its neighbours without end: some widths are enough.
    let limit = Limit::until(engine.time() + 10.0 / fastest).or_collisions(100);
    // A collapse is an error, too.
    let _ = engine.run(limit);
    engine.synchronise();
    let _ = (engine.measurements(), engine.next_event_until(limit.time), engine.state_hash());
}

/// A checkpoint that loads can be reported on, gone on from and merged, or each says why not.
fn check_checkpoint(bytes: &[u8]) {
    // In memory where that is to be had: a file is on the disk before a checkpoint counts as saved, which takes long.
    let memory = Path::new("/dev/shm");
    let directory = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let directory = directory.expect("a folder");
    let path = directory.path().join("checkpoint");
    std::fs::write(&path, bytes).expect("a file");
    let Ok(Loaded { state, .. }) = State::load(&path) else { return };
    let Ok(study) = state.study() else { return };
    let summary = state.summary(&study);
    serde_json::to_string(&summary).expect("it can be written");
    (0..study.point_count())
        .for_each(|point| drop(state.samples(&study, point).expect("the point is there")));
    let _ = (state.replicas(&study), state.failed(), state.is_complete(&study));
    state.save(&path).expect("what loads can be saved");
    assert_eq!(State::load(&path).expect("what was saved loads").state.summary(&study), summary);
    let mut options = RunOptions::default();
    options.threads = 1;
    options.shard = state.shard();
    options.resume = Some(state.clone());
    // As far as the first report, or to an error.
    let _ = study::run(&study, &options, &mut |_| ControlFlow::Break(()));
    let _ = study::merge(&study, vec![("folder".into(), state)]);
}

fn saved(space: &Space, format: SpaceFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    space.save_as(format, &mut bytes).expect("what loads can be saved");
    bytes
}

/// Whatever loads is valid, comes back from every format, and can be stepped or says why not.
fn check(loaded: Result<World>) {
    let Ok(world) = loaded else { return };
    world.particles().validate(world.context()).expect("what loads is valid");
    let bits = written(&world, Format::Snapshot).expect("what is valid can be saved");
    for format in [Format::Json, Format::JsonCompact, Format::Snapshot] {
        let bytes = written(&world, format).expect("what is valid can be saved");
        let again = io::from_bytes(&bytes).expect("what was saved loads");
        assert_eq!(written(&again, Format::Snapshot).as_ref(), Ok(&bits), "{format:?} keeps every bit");
    }
    check_pbphys(&world);
    check_motion(&world);
}

/// PBPhys's JSON rounds the corners of facoids and pyramidoids, and may have no number for them.
fn check_pbphys(world: &World) {
    match written(world, Format::PbPhysCompact) {
        Ok(bytes) => {
            let again = io::from_bytes(&bytes).expect("what was saved loads");
            assert_eq!(again.particles().len(), world.particles().len());
            assert_eq!(again.particles().radii(), world.particles().radii());
        }
        Err(error) => assert!(matches!(error, Error::Overflow { .. }), "{error}"),
    }
}

/// Steps end, without a panic, in a valid state. Errors are fine: the numbers may be too large to step.
fn check_motion(world: &World) {
    let patience = world.settings().with_max_collisions(1000);
    for step in [|world: &mut World| world.next(0.01), |world: &mut World| world.step(0.01).map(drop)] {
        let mut world = world.clone();
        world.set_settings(patience).expect("only the bound has changed");
        let outcome = step(&mut world);
        let valid = world.particles().validate(world.context());
        assert_eq!(valid, Ok(()), "after {outcome:?}");
    }
}

fn written(world: &World, format: Format) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::write(world, format, &mut bytes)?;
    Ok(bytes)
}
