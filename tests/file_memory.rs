//! A file never takes more memory than its size justifies, however hostile: measured by a counting allocator.
//!
//! One test only: the counter sees all threads.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use carom::io::{self, Format};
use carom::{Particle, ShapeKind, World};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn took(bytes: usize) {
    PEAK.fetch_max(NOW.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: every call goes to the system allocator unchanged; the counters touch no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Old and new may exist side by side.
        took(new_size);
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// Bytes of memory a byte of file may take: a growing column lives twice while it moves.
const PER_BYTE: usize = 24;
/// The empty columns of the largest dimension, and buffers.
const CONSTANT: usize = 400_000;

/// The most memory that loading took on top of the file itself.
fn peak_of_loading(bytes: &[u8]) -> usize {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    drop(io::from_bytes(bytes));
    PEAK.load(Relaxed) - before
}

fn own(dim: &str, particles: &str) -> Vec<u8> {
    format!(r#"{{"format":"carom-world","version":1,"dim":{dim},"particles":[{particles}]}}"#).into_bytes()
}

fn pbphys(dim: &str, count: &str, particles: &str) -> Vec<u8> {
    format!(
        r#"{{"_dim":"{dim}","_curTime":"0","_deltaT":"0","_downGravity":"0","_gravity":"0",
            "_nbParticle":"{count}","_particles":[{particles}]}}"#
    )
    .into_bytes()
}

fn snapshot(dim: u32, count: u64, columns: usize) -> Vec<u8> {
    let mut payload = dim.to_le_bytes().to_vec();
    payload.extend_from_slice(&count.to_le_bytes());
    payload.resize(72 + columns, 0);
    let mut bytes = io::snapshot::header(1, payload.len() as u64, crc32fast::hash(&payload)).to_vec();
    bytes.extend_from_slice(&payload);
    bytes
}

/// `item` over and over, separated by commas, about 2 MB in all.
fn many(item: &str) -> String {
    let mut list = format!("{item},").repeat(2_000_000 / (item.len() + 1));
    list.pop();
    list
}

fn good(dim: usize, count: usize, format: Format) -> Vec<u8> {
    let mut world = World::new(dim).unwrap();
    world.particles_mut().add_many(&vec![Particle::new(dim, ShapeKind::Facoid); count]).unwrap();
    let mut bytes = Vec::new();
    io::write(&world, format, &mut bytes).unwrap();
    bytes
}

fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let vector = |values: &str| format!(r#"{{"_dim":"1","_val":[{values}]}}"#);
    let axes = |axes: &str| {
        format!(r#"{{"_shape":{{"_dim":"1","_type":"1","_pos":{},"_axis":[{axes}]}}}}"#, vector("\"0\""))
    };
    vec![
        ("a huge dimension", own("1024", "")),
        ("an impossible dimension", own("18446744073709551615", "")),
        ("the shortest particles", own("1", &many(r#"{"position":[0],"axes":[[1]]}"#))),
        ("a huge dimension with short particles", own("1024", &many(r#"{"position":[0],"axes":[[1]]}"#))),
        ("a long position", own("1", &format!(r#"{{"position":[{}]}}"#, many("0")))),
        ("a long position of a first particle", own("1", &format!(r#"{{"axes":[[{}]]}}"#, many("0")))),
        ("many empty axes", own("1", &format!(r#"{{"axes":[{}]}}"#, many("[]")))),
        ("deep nesting", own("1", &"[".repeat(1_000_000))),
        ("deep nesting of nothing", "{\"_a\":".repeat(1_000_000).into_bytes()),
        ("a long unknown field", own("1", &format!(r#"{{"{}":1}}"#, "\\u0001".repeat(300_000)))),
        ("a long first key", format!(r#"{{"{}":1}}"#, "a".repeat(2_000_000)).into_bytes()),
        ("a long shape", own("1", &format!(r#"{{"shape":"{}"}}"#, "\\u0001".repeat(300_000)))),
        ("a huge count", pbphys("2", "18446744073709551615", "")),
        ("a huge PBPhys dimension", pbphys("1000000000", "1", r#"{"_dim":"1000000000"}"#)),
        ("a long PBPhys vector", pbphys("1", "1", &format!(r#"{{"_speed":{}}}"#, vector(&many("\"0\""))))),
        ("many PBPhys axes", pbphys("1", "1", &axes(&many(r#"{"_dim":"0","_val":[]}"#)))),
        ("a long PBPhys number", pbphys("1", "1", &format!(r#"{{"_mass":"{}"}}"#, "9".repeat(2_000_000)))),
        ("skipped PBPhys nesting", pbphys("1", "1", &format!(r#"{{"x":{}}}"#, "[".repeat(1_000_000)))),
        ("a snapshot of a huge count", snapshot(3, u64::MAX, 1000)),
        ("a snapshot whose length wraps", snapshot(3, u64::MAX / 170 + 1, 1000)),
        ("a snapshot of dimension 0", snapshot(0, 1000, 26 * 1000)),
        ("a snapshot of a huge dimension", snapshot(u32::MAX, 1, 1000)),
        ("a snapshot without particles of a huge dimension", snapshot(u32::MAX, 0, 0)),
        ("a snapshot header that promises more", io::snapshot::header(1, u64::MAX, 0).to_vec()),
    ]
}

#[test]
fn memory_is_bounded_by_the_size_of_the_file() {
    let mut files = hostile();
    for format in [Format::Json, Format::JsonCompact, Format::PbPhysCompact, Format::Snapshot] {
        files.push(("many particles", good(3, 5000, format)));
        files.push(("one particle of many dimensions", good(200, 1, format)));
    }
    for (what, bytes) in files {
        let (peak, allowed) = (peak_of_loading(&bytes), PER_BYTE * bytes.len() + CONSTANT);
        println!("{what}: {} bytes of file, {peak} bytes of memory", bytes.len());
        assert!(peak <= allowed, "{what}: {peak} bytes for a file of {} bytes", bytes.len());
    }
}
