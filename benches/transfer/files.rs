//! Worlds written as JSON, and tables of pairs of frames read by the tool.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use carom::frames::random::RandomFrames;
use carom::io::{Format, write};
use carom::{Frame, FrameKind, Particle, World};

use crate::report::{Contender, best_times, line};

const ROUNDS: usize = 10;
const PARTICLES: u32 = 20_000;

/// Pairs of a table: some hundred megabytes.
const PAIRS: usize = 500_000;

pub(crate) fn measure() {
    worlds();
    tables::<2>();
    tables::<3>();
}

fn worlds() {
    let world = world();
    let mut text = [(); 4].map(|()| Vec::new());
    let [a, b, c, d] = &mut text;
    let save = |format, text: &mut Vec<u8>| {
        text.clear();
        write(&world, format, text).expect("memory");
    };
    let [ours, theirs, our_compact, their_compact] = best_times(
        ROUNDS,
        [
            Contender { prepare: &mut || {}, run: &mut || save(Format::Json, a) },
            Contender { prepare: &mut || {}, run: &mut || save(Format::PbPhys, b) },
            Contender { prepare: &mut || {}, run: &mut || save(Format::JsonCompact, c) },
            Contender { prepare: &mut || {}, run: &mut || save(Format::PbPhysCompact, d) },
        ],
    );
    let rate = |bytes: usize, time: f64| format!("{:.0} MB/s", 1e-6 * bytes as f64 / time);
    for (name, [own, other], [time, their_time]) in [
        ("", [&text[0], &text[1]], [ours, theirs]),
        (", compact", [&text[2], &text[3]], [our_compact, their_compact]),
    ] {
        let share = (other.len() as f64 / their_time) / (own.len() as f64 / time);
        line(
            &format!("PBPhys JSON written{name}"),
            &rate(other.len(), their_time),
            &format!("carom JSON {}", rate(own.len(), time)),
            &format!("{share:.2}"),
            "at least 0.5",
        );
    }
}

fn world() -> World {
    let mut world = World::new(3).expect("three dimensions");
    let particle = |n: u32| {
        let x = f64::from(n);
        Particle::sphere(&[x.sin(), x.cos(), x.sqrt()], 0.25 + 0.5 / (x + 1.0))
            .with_velocity(&[(3.0 * x).sin(), 0.1 * x.cos(), 1.0])
            .with_mass(1.0 + x.sin().abs())
    };
    world
        .particles_mut()
        .add_many(&(0..PARTICLES).map(particle).collect::<Vec<_>>())
        .expect("valid particles");
    world
}

/// The whole command, in its own process: reading, testing and writing a line for each pair.
fn tables<const D: usize>() {
    let Some(tool) = option_env!("CARGO_BIN_EXE_carom") else {
        println!("(the tool is not built: no tables)");
        return;
    };
    let folder = std::env::temp_dir().join(format!("carom-transfer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (table, results) = (folder.join("pairs.csv"), folder.join("results.csv"));
    let text = pairs::<D>();
    std::fs::write(&table, &text).expect("room for the table");
    for options in [&[][..], &["--boxes"]] {
        let times = (0..ROUNDS).map(|_| tool_time(tool, &table, &results, options));
        let best = times.fold(f64::INFINITY, f64::min);
        line(
            &format!("carom fmb test {} of {PAIRS} pairs in {D}D, one thread", options.join(" ")),
            &format!("{:.0} MB/s", 1e-6 * text.len() as f64 / best),
            "",
            "",
            "350 MB/s",
        );
    }
    std::fs::remove_dir_all(&folder).expect("our own folder");
}

/// Seconds of processor time that the tool takes.
fn tool_time(tool: &str, table: &Path, results: &Path, options: &[&str]) -> f64 {
    let before = time_of_children();
    let mut command = Command::new(tool);
    command
        .args(["fmb", "test", "--threads", "1", "--in"])
        .arg(table)
        .arg("--out")
        .arg(results)
        .args(options);
    let output = command.output().expect("the tool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    time_of_children() - before
}

#[cfg(unix)]
fn time_of_children() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: room for what the call fills.
    let usage = unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()), 0, "children have a clock");
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + 1e-6 * time.tv_usec as f64;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

#[cfg(not(unix))]
fn time_of_children() -> f64 {
    crate::processor_time::processor_time()
}

fn pairs<const D: usize>() -> String {
    let names = |side: &str| {
        let axes = |prefix: &str| (0..D).map(|axis| format!(",{side}_{prefix}{axis}")).collect::<String>();
        let components = (0..D).map(|i| axes(&format!("c{i}"))).collect::<String>();
        format!("{side}_type{}{components}", axes("o"))
    };
    let mut text = format!("{},{}\n", names("a"), names("b"));
    let mut random = RandomFrames::new(3);
    for _ in 0..PAIRS {
        let pair: [Frame<D>; 2] = [(); 2].map(|()| random.frame(false));
        for (side, frame) in pair.iter().enumerate() {
            let kind = if frame.kind == FrameKind::Cuboid { "C" } else { "T" };
            let _ = write!(text, "{}{kind}", if side == 0 { "" } else { "," });
            for x in frame.origin.iter().chain(frame.components.as_flattened()) {
                let _ = write!(text, ",{x:?}");
            }
        }
        text.push('\n');
    }
    text
}
