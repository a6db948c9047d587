//! Memory, measured and at times refused by an allocator: a file never takes more than its size justifies, however hostile,
//! tests of frames allocate nothing once their buffers have grown, and particles survive that there is none.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use carom::fmb::{Intersections, Pairs, Request};
use carom::frames::random::RandomFrames;
use carom::io::{self, Format};
use carom::{Batch, Context, Error, Frame, Frames, Particle, Particles, ShapeKind, World};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The peak sees all threads: one test at a time.
static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    /// Calls for memory by this thread.
    static CALLS: Cell<usize> = const { Cell::new(0) };
    /// The largest piece that this thread gets, in bytes.
    static GRANTED: Cell<usize> = const { Cell::new(usize::MAX) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn took(bytes: usize) {
    CALLS.set(CALLS.get() + 1);
    PEAK.fetch_max(NOW.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: every call goes to the system allocator unchanged, or is refused as an allocator may; the counters touch no
// memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > GRANTED.get() {
            return ptr::null_mut();
        }
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
        if new_size > GRANTED.get() {
            return ptr::null_mut();
        }
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
    let _turn = TURN.lock();
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

/// Random frames, and a sheared lattice whose neighbours touch and are decided in exact arithmetic.
fn frames<const D: usize>(duration: Option<f64>) -> Frames<D> {
    let mut random = RandomFrames::new(D as u64);
    let mut list: Vec<Frame<D>> = (0..60).map(|_| random.frame(duration.is_some())).collect();
    let step = |i: usize, axis: usize| if i == axis { 1.0 } else { 0.3 / (1 + i + 2 * axis) as f64 };
    let components: [[f64; D]; D] = std::array::from_fn(|i| std::array::from_fn(|axis| step(i, axis)));
    let along = |k: usize, i: usize| (k / 4_usize.pow(i as u32) % 4) as f64;
    list.extend((0..4_usize.pow(D as u32)).map(|k| {
        let origin = |axis: usize| (0..D).map(|i| along(k, i) * components[i][axis]).sum();
        Frame::cuboid(std::array::from_fn(origin), components)
    }));
    let mut frames = duration.map_or_else(Frames::resting, |duration| Frames::moving(duration).unwrap());
    frames.add_many(&list).unwrap();
    frames
}

fn second_test_allocates_nothing<const D: usize>(duration: Option<f64>) {
    let frames = frames::<D>(duration);
    let count = frames.len() as u32;
    let list: Vec<[u32; 2]> = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j])).collect();
    for pairs in [Pairs::Listed(&list), Pairs::Paired, Pairs::One(7)] {
        let mut found = Intersections::new(Request::ALL);
        let mut calls = || {
            let before = CALLS.get();
            found.test(&Context::serial(), &frames, &frames, pairs).unwrap();
            CALLS.get() - before
        };
        let (first, second) = (calls(), calls());
        assert!(first > 0, "the counter counts");
        assert_eq!(second, 0, "{D}D, {duration:?}, {} pairs", found.tested());
        assert!(found.hits() > 0 && found.boxes().len() == found.hits());
        assert!(!matches!(pairs, Pairs::Listed(_)) || found.redone() > 0, "some pairs touch");
    }
}

#[test]
fn tests_of_frames_allocate_nothing_once_their_buffers_have_grown() {
    let _turn = TURN.lock();
    for duration in [None, Some(1.0)] {
        second_test_allocates_nothing::<2>(duration);
        second_test_allocates_nothing::<3>(duration);
    }
}

#[test]
fn shapes_for_which_there_is_no_memory_change_nothing() {
    let (ball, brick) = (Particle::sphere(&[0.0; 3], 0.5), Particle::new(3, ShapeKind::Facoid));
    let mut particles = Particles::new(3).unwrap();
    particles.reserve(1008).unwrap();
    particles.add_many(&vec![ball.clone(); 1000]).unwrap();
    let (before, bytes) = (particles.clone(), particles.memory_bytes());
    let ellipsoids = [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0].repeat(1000);
    let position = [[0.0; 2]; 3];
    let position = position.each_ref().map(<[f64; 2]>::as_slice);
    let bricks = Batch { kind: Some(ShapeKind::Facoid), position: &position, ..Batch::default() };
    // All but the axes of all particles.
    GRANTED.set(50_000);
    let outcomes = [
        particles.add(&brick).map(drop),
        particles.add_many(&[ball, brick.clone()]).map(drop),
        particles.add_batch(&bricks).map(drop),
        particles.set(5, &brick),
        particles.set_shape(5, &brick.shape),
        particles.set_all_axes(&ellipsoids),
        particles.all_axes().map(drop),
    ];
    GRANTED.set(usize::MAX);
    for outcome in outcomes {
        assert!(matches!(outcome, Err(Error::OutOfMemory { .. })), "{outcome:?}");
    }
    assert_eq!((&particles, particles.memory_bytes()), (&before, bytes));
    particles.set(5, &brick).unwrap();
    assert_eq!(particles.get(5), Ok(brick));
}
