//! Sealed files with right checksums and wrong content: each loads and can be used, or is refused; none panics, hangs or takes
//! the memory of the machine.
//!
//! The same mutations as fuzzing makes (the targets in `fuzz`), but some thousands of them that are always the same, with a
//! limit of time for each and of memory for all. A program of its own, so that the limits concern no other test.

#[path = "library/fuzz_check.rs"]
mod fuzz_check;

use std::fs;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use carom::events::scenes::Scene;
use carom::io::{self, Format};
use carom::rigid2d::scenes::{Parameters, Scene as RigidScene};
use carom::study::{self, RunOptions, State, Study};
use carom::{Error, Limit};
use serde_json::Value;

/// Length of the header of a sealed file, in bytes.
const HEADER: usize = 32;
/// Mutations of each format.
const MUTATIONS: u64 = if cfg!(debug_assertions) { 2000 } else { 6000 };
/// How long one of them may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Address space of this program, in bytes.
const ADDRESS_SPACE: u64 = 4 << 30;

/// Numbers like random ones, the same in every run (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Bits that counts, flags and floats have at their ends.
fn extreme_words() -> Vec<u64> {
    let floats =
        [0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, -1e300, f64::MAX, f64::INFINITY, f64::NAN, 5e-324, 1e16];
    let counts = [0, 1, 2, 3, 7, 255, 1 << 20, 1 << 32, 1 << 50, 1 << 63, u64::MAX, u64::MAX - 1];
    floats.iter().map(|value: &f64| value.to_bits()).chain(counts).collect()
}

/// Changes some bytes of a payload.
fn mutate_bytes(payload: &mut Vec<u8>, random: &mut Random) {
    let words = extreme_words();
    for _ in 0..=random.below(3) {
        let (at, word) = (random.below(payload.len()), 8 * random.below(payload.len() / 8));
        match random.below(8) {
            0 if !payload.is_empty() => payload[at] ^= 1 << random.below(8),
            1 if !payload.is_empty() => payload[at] = random.next() as u8,
            2 => payload.truncate(at),
            3 => payload.extend((0..random.below(40)).map(|k| k as u8)),
            4 if word + 16 <= payload.len() => {
                let to = 8 * random.below(payload.len() / 8 - 1);
                payload.copy_within(word..word + 8, to);
            }
            _ if at + 8 <= payload.len() => {
                let start = if random.below(2) == 0 { word.min(payload.len() - 8) } else { at };
                payload[start..start + 8].copy_from_slice(&random.one_of(&words).to_le_bytes());
            }
            _ => {}
        }
    }
}

/// Changes some values of a document: numbers, lengths of lists and texts, fields that are there.
fn mutate_json(document: &mut Value, random: &mut Random) {
    for _ in 0..=random.below(2) {
        let mut at = &mut *document;
        // Down to a value, or to somewhere on the way.
        loop {
            let count = match &*at {
                Value::Array(items) => items.len(),
                Value::Object(fields) => fields.len(),
                _ => 0,
            };
            if count == 0 || random.below(12) == 0 {
                break;
            }
            let number = random.below(count);
            at = match at {
                Value::Array(items) => &mut items[number],
                Value::Object(fields) => fields.values_mut().nth(number).expect("it was counted"),
                _ => unreachable!("it has parts"),
            };
        }
        mutate_value(at, random);
    }
}

fn mutate_value(value: &mut Value, random: &mut Random) {
    const NUMBERS: [&str; 16] = [
        "0",
        "1",
        "2",
        "-1",
        "8",
        "255",
        "4294967296",
        "1125899906842624",
        "18446744073709551615",
        "9223372036854775808",
        "1e300",
        "-1e-300",
        "0.5",
        "2147483647",
        "-2147483648",
        "1e-9",
    ];
    let number = |random: &mut Random| serde_json::from_str(random.one_of(&NUMBERS)).expect("a number");
    match value {
        Value::Array(items) if random.below(6) > 0 => match random.below(4) {
            0 => drop(items.pop()),
            1 => items.extend(items.last().cloned()),
            2 if !items.is_empty() => drop(items.remove(0)),
            _ => items.reverse(),
        },
        Value::Object(fields) if random.below(6) > 0 => {
            let name = fields.keys().nth(random.below(fields.len())).cloned();
            let Some(name) = name else { return };
            let old = fields.remove(&name).expect("it is there");
            if random.below(2) == 0 {
                fields.insert(
                    random.one_of(&["0", "1", "3", "64", "18446744073709551615", "number"]).into(),
                    old,
                );
            }
        }
        Value::String(text) if random.below(6) > 0 => match random.below(3) {
            0 => *text = text.chars().take(random.below(text.len())).collect(),
            1 => text.push('0'),
            _ => text.clear(),
        },
        Value::Number(old) if random.below(3) > 0 => {
            // A little more or less, which is harder to notice than an extreme.
            let shifted =
                old.as_u64().map(|old| old.wrapping_add(random.one_of(&[1, u64::MAX, 16, 1 << 20])));
            *value = shifted.map_or_else(|| number(random), Value::from);
        }
        Value::Bool(flag) => *flag = !*flag,
        _ => *value = if random.below(3) == 0 { Value::Null } else { number(random) },
    }
}

/// The case that is being tried, and since when: for the watch that ends a hang.
struct Watched {
    case: AtomicU64,
    begun: AtomicU64,
}

/// Tries all cases of a format. A panic is reported with its case, a hang ends the program with it.
fn try_all(format: &'static str, mut case: impl FnMut(u64)) {
    confine();
    let clock = Instant::now();
    let watched = Arc::new(Watched { case: AtomicU64::new(0), begun: AtomicU64::new(0) });
    let (watch, done) = (Arc::clone(&watched), Arc::new(()));
    let alive = Arc::downgrade(&done);
    std::thread::spawn(move || {
        while alive.upgrade().is_some() {
            std::thread::sleep(Duration::from_millis(100));
            let begun = Duration::from_millis(watch.begun.load(Relaxed));
            if alive.upgrade().is_some() && clock.elapsed().saturating_sub(begun) > PATIENCE {
                eprintln!("{format}: case {} does not end", watch.case.load(Relaxed));
                std::process::abort();
            }
        }
    });
    let mut panics = Vec::new();
    for number in 0..MUTATIONS {
        watched.case.store(number, Relaxed);
        watched.begun.store(clock.elapsed().as_millis() as u64, Relaxed);
        if catch_unwind(AssertUnwindSafe(|| case(number))).is_err() {
            panics.push(number);
        }
    }
    drop(done);
    assert!(panics.is_empty(), "cases of {format} that panic: {panics:?}");
}

/// Limits the memory of this program: a case that wants more ends it.
fn confine() {
    static ONCE: Once = Once::new();
    #[cfg(unix)]
    ONCE.call_once(|| {
        let limit = libc::rlimit { rlim_cur: ADDRESS_SPACE, rlim_max: ADDRESS_SPACE };
        // SAFETY: the limit is a local variable, which the call only reads.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }, 0);
    });
}

/// Tries mutations of these payloads of a binary format.
fn try_bytes(format: &'static str, payloads: &[Vec<u8>], check: fn(&[u8])) {
    payloads.iter().for_each(|payload| check(payload));
    try_all(format, |number| {
        let mut random = Random(number);
        let mut payload = payloads[random.below(payloads.len())].clone();
        mutate_bytes(&mut payload, &mut random);
        check(&payload);
    });
}

/// The payload of a sealed file.
fn payload(write: impl FnOnce(&mut Vec<u8>) -> carom::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    bytes.split_off(HEADER)
}

#[test]
fn worlds() {
    let worlds = ["examples/worlds/three_balls.json", "examples/worlds/orbit.json", "tests/data/small.json"];
    let payloads = worlds.map(|path| {
        let world = io::load(Path::new(path)).unwrap();
        payload(|bytes| io::write(&world, Format::Snapshot, bytes))
    });
    try_bytes("worlds", &payloads, fuzz_check::snapshot);
}

#[test]
fn runs() {
    let scenes = ["three-balls", "billiard-break", "head-on-vertical", "oblique"];
    let payloads = scenes.map(|name| {
        let mut engine = Scene::named(name).unwrap().engine().unwrap();
        engine.run(Limit::NONE.or_collisions(20)).unwrap();
        payload(|bytes| engine.save(bytes))
    });
    try_bytes("runs", &payloads, fuzz_check::saved_run);
}

#[test]
fn spaces() {
    let payloads = ["stack", "pyramid"].map(|name| {
        let parameters = Parameters::default();
        let scene = RigidScene::named(name, &parameters).unwrap();
        let mut space = scene.space().unwrap();
        (0..5).for_each(|_| space.step(scene.dt).unwrap());
        payload(|bytes| space.save(bytes))
    });
    try_bytes("spaces", &payloads, fuzz_check::space_snapshot);
}

/// Chances, quantities and a partial batch, of cheap replicas.
const STUDY: &str = r#"
name = "mutated"
kind = "encounter"
replicas = 301
seed = 5

[encounter]
duration = 20

[encounter.a]
radius = 5
position = { normal = { mean = [0, 0, 0], sd = [5, 20, 5] } }
velocity = [75, 0, 0]

[encounter.b]
radius = 5
position = { normal = { mean = [750, 750, 0], sd = [5, 20, 5] } }
velocity = [0, -75, 0]

[statistics]
batch = 8
keep = 40
"#;

/// The document in a checkpoint of the study, after a run or in the middle of one.
fn checkpoint_document(replicas: u64, shard: Option<&str>) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    let mut study = Study::from_toml(STUDY, None).unwrap();
    study.replicas = replicas;
    let mut options = RunOptions::default();
    options.threads = 1;
    options.checkpoint = Some(path.clone());
    options.shard = shard.map(|shard| shard.parse().unwrap());
    study::run(&study, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    serde_json::from_slice(&fs::read(path).unwrap()[HEADER..]).unwrap()
}

#[test]
fn checkpoints() {
    let documents = [
        checkpoint_document(301, None),
        checkpoint_document(1000, None),
        checkpoint_document(301, Some("2/3")),
    ];
    documents.iter().for_each(|document| fuzz_check::checkpoint(&serde_json::to_vec(document).unwrap()));
    try_all("checkpoints", |number| {
        let mut random = Random(number);
        let mut document = documents[random.below(documents.len())].clone();
        // The text of the study is as good as a study file: it may ask for anything.
        let text = document["identity"]["text"].clone();
        mutate_json(&mut document, &mut random);
        if let Some(identity) = document.get_mut("identity").and_then(Value::as_object_mut) {
            identity.insert("text".into(), text);
        }
        fuzz_check::checkpoint(&serde_json::to_vec(&document).unwrap());
    });
}

/// Loads a document as a checkpoint, which must be refused as corrupt, with this in the message.
fn refused_as_corrupt(document: &Value, detail: &str) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    fs::write(&path, fuzz_check::sealed(b"CAROMSTU", &serde_json::to_vec(document).unwrap())).unwrap();
    let error = State::load(&path).unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains(detail), "{error}");
}

#[test]
fn a_column_of_inputs_that_is_one_short_is_refused() {
    let mut document = checkpoint_document(301, None);
    let inputs = document["points"][0]["kept"]["0"]["inputs"].as_array_mut().unwrap();
    let columns = inputs.len();
    inputs.pop();
    let detail = format!("points[0].kept.0.inputs has {} columns, the study has {columns}", columns - 1);
    refused_as_corrupt(&document, &detail);
}

#[test]
fn more_replicas_than_there_can_be_are_refused() {
    let mut document = checkpoint_document(301, None);
    document["replicas"] = Value::from(u64::MAX);
    refused_as_corrupt(&document, "replicas is 18446744073709551615: it must be from 1 to 1125899906842624");
}

#[test]
fn parts_that_contradict_each_other_are_refused() {
    let cases: [(&str, Value, &str); 10] = [
        ("/points/0/failed", 1.into(), "points[0].failures has 0 entries: 1 replicas failed"),
        ("/points/0/blocks/leaves", 38.into(), "points[0].blocks.leaves is 38"),
        ("/points/0/partial/point", 7.into(), "points[0].partial.point is 7"),
        ("/points/0/partial/batches/0/number", 3.into(), "points[0].partial."),
        ("/points/0/partial/batches/0/rows", 0.into(), "rows is 0"),
        ("/goals/0", 300.into(), "goals[0] is 300, the run goes to 301"),
        ("/goals", Value::Array(Vec::new()), "goals has 0 entries"),
        ("/identity/confidence", 2.into(), "identity.confidence is 2"),
        ("/run/resumed", u64::MAX.into(), "run.resumed is"),
        ("/shard", serde_json::json!({"number": 0, "count": 0}), "shard"),
    ];
    let document = checkpoint_document(301, None);
    for (place, value, detail) in cases {
        let mut changed = document.clone();
        *changed.pointer_mut(place).unwrap_or_else(|| panic!("{place}: {document:#}")) = value;
        refused_as_corrupt(&changed, detail);
    }
}
