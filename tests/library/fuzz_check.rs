//! What must hold for whatever bytes a loader is given. Shared by the fuzz targets and the replay of their finds.
#![allow(dead_code, reason = "a fuzz target uses one of the entries")]

use carom::io::{self, Format};
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
