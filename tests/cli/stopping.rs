//! A time step that does not end by itself: the tool stops it, and keeps what it has.
#![cfg(unix)]

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::{Scratch, carom, io, rows, success, text};

/// A ball between two fixed ones, which it reaches in turns, every two seconds.
const TRAPPED: &str = r#"{"format": "carom-world", "version": 1, "dim": 1,
  "settings": {"dt": 1e12, "max_collisions": 18446744073709551615},
  "particles": [
    {"position": [-1], "axes": [[0.5]], "mass": 1, "fixed": true},
    {"position": [0.5], "axes": [[0.5]], "mass": 1, "velocity": [1]},
    {"position": [2], "axes": [[0.5]], "mass": 1, "fixed": true}]}"#;

/// Runs the tool, sends it a signal once it is at work, and gives its exit code, what it said, and how long it took to end.
fn interrupt(arguments: &[&str], signal: libc::c_int) -> (Option<i32>, String, Duration) {
    let mut tool = carom(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(tool.try_wait().unwrap().is_none(), "it ended by itself");
    // SAFETY: kill takes two integers and touches no memory of ours.
    assert_eq!(unsafe { libc::kill(tool.id() as libc::pid_t, signal) }, 0);
    let begun = Instant::now();
    let output = tool.wait_with_output().unwrap();
    (output.status.code(), text(&output.stderr), begun.elapsed())
}

#[test]
fn a_step_without_end_is_stopped_with_its_state_written() {
    let scratch = Scratch::new();
    let world = scratch.file("world.json", TRAPPED);
    for (signal, folder) in [(libc::SIGTERM, "term"), (libc::SIGINT, "int")] {
        let out = scratch.name(folder);
        let arguments = ["sim", &world, "--until", "1e12", "--out", &out, "--quiet"];
        let (code, said, took) = interrupt(&arguments, signal);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("interrupted at t = ") && said.contains("continue with"), "{said}");
        assert!(took < Duration::from_secs(10), "{took:?}");

        let state = io::load(&scratch.path(folder).join("final.json")).unwrap();
        let events = rows(&scratch.path(folder).join("events.csv"));
        assert!(!events.is_empty());
        assert_eq!(state.time(), events.last().unwrap()[0], "the time of the last collision");
        assert_eq!(state.kinetic_energy(), 0.5);
        // One collision every two seconds, none is missing.
        assert!(
            (state.time() - (2.0 * events.len() as f64 - 1.0)).abs() < 1e-3,
            "{} {}",
            state.time(),
            events.len()
        );
    }
}

#[test]
fn a_stopped_run_goes_on_to_where_it_would_have_come() {
    let scratch = Scratch::new();
    let world = scratch.file("world.json", TRAPPED);
    let out = scratch.name("stopped");
    let arguments = ["sim", &world, "--until", "1e12", "--out", &out, "--quiet"];
    assert_eq!(interrupt(&arguments, libc::SIGTERM).0, Some(3));
    let last = scratch.path("stopped").join("final.json");
    let until = (io::load(&last).unwrap().time() + 100.25).to_string();
    let [resumed, whole] = ["resumed", "whole"].map(|name| scratch.name(name));
    success(&["sim", last.to_str().unwrap(), "--until", &until, "--out", &resumed, "--quiet"]);
    success(&["sim", &world, "--until", &until, "--out", &whole, "--quiet"]);
    let [one, other] =
        ["resumed", "whole"].map(|name| io::load(&scratch.path(name).join("final.json")).unwrap());
    // Not to the bit: the rest of a step is a step of its own. Without forces only rounding differs.
    assert!(one.is_close(&other, 1e-6), "{:?} {:?}", one.particles().get(1), other.particles().get(1));
}

#[test]
fn a_study_of_steps_without_end_is_stopped() {
    let scratch = Scratch::new();
    let world = scratch.file("world.json", TRAPPED);
    let study =
        format!("kind = \"stepped\"\nreplicas = 8\n[stepped]\nfile = {world:?}\ndt = 1e12\nuntil = 1e12\n");
    let (study, out) = (scratch.file("study.toml", study), scratch.name("out"));
    let (code, said, took) = interrupt(&["run", &study, "--out", &out, "--quiet"], libc::SIGTERM);
    assert_eq!(code, Some(3), "{said}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(scratch.path("out").join("checkpoint").exists());
}
