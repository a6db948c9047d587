//! Replays the inputs that fuzzing found worth keeping: crashes that were fixed, and ways into the loaders.

use std::fs;
use std::path::Path;

use carom::events::AnyEngine;

use crate::fuzz_check;

fn replay(loader: &str, check: fn(&[u8])) {
    let directory = Path::new("tests/data/fuzz").join(loader);
    let mut count = 0;
    for entry in fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        println!("{}", path.display());
        check(&bytes);
        // Every loader and every beginning of a file must stand it, not only the one it was found for.
        fuzz_check::from_bytes(&bytes);
        fuzz_check::from_bytes(&bytes[..bytes.len() / 2]);
        count += 1;
    }
    assert!(count >= 5, "only {count} files in {}", directory.display());
}

#[test]
fn json() {
    replay("json", fuzz_check::json);
}

#[test]
fn pbphys() {
    replay("pbphys", fuzz_check::pbphys);
}

#[test]
fn snapshot() {
    replay("snapshot", fuzz_check::snapshot);
}

#[test]
fn from_bytes() {
    replay("from_bytes", fuzz_check::from_bytes);
}

#[test]
fn space() {
    replay("space", fuzz_check::space);
}

#[test]
fn saved_run() {
    replay("saved_run", fuzz_check::saved_run);
}

#[test]
fn checkpoint() {
    replay("checkpoint", fuzz_check::checkpoint);
}

#[test]
fn space_snapshot() {
    replay("space_snapshot", fuzz_check::space_snapshot);
}

#[test]
fn runs_that_would_not_end_are_refused() {
    let refused = [
        ("radius-beyond-period.bin", "overlaps its own periodic image"),
        ("events-before-the-world-time.bin", "has an event before the world time"),
        ("faster-than-walls.bin", "is too fast for an epoch"),
        ("faster-than-time-is-rounded.bin", "is too fast for an epoch"),
    ];
    for (name, reason) in refused {
        let payload = fs::read(Path::new("tests/data/fuzz/saved_run").join(name)).unwrap();
        let refusal = AnyEngine::from_bytes(&fuzz_check::sealed(b"CAROMRUN", &payload)).unwrap_err();
        assert!(refusal.to_string().contains(reason), "{name}: {refusal}");
    }
}
