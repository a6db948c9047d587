//! Command lines that the tool offers in its messages: each of them is run as it stands, in a shell, and succeeds.

use std::fs;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::printed::Sandbox;
use crate::study::STUDY;
use crate::{THREE_BALLS, text};

/// What comes after a colon or at the beginning of a line.
fn offered(said: &str) -> Vec<String> {
    let after = |line: &str| line.rsplit_once(": carom ").map(|(_, rest)| format!("carom {rest}"));
    let alone = |line: &str| line.strip_prefix("  carom ").map(|rest| format!("carom {rest}"));
    said.lines().filter_map(|line| after(line).or_else(|| alone(line))).collect()
}

fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

/// Runs a line that offers at least one other, then each of those; returns what was said.
fn follow(sandbox: &Sandbox, line: &str, code: i32) -> String {
    let output = sandbox.shell(line).output().unwrap();
    let first = said(&output);
    assert_eq!(output.status.code(), Some(code), "{line}: {first}");
    let commands = offered(&first);
    assert!(!commands.is_empty(), "{line}: {first}");
    for command in commands {
        let output = sandbox.shell(&command).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}\n{first}\n{command}: {}", said(&output));
    }
    first
}

fn with_study() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::write(sandbox.0.path("study.toml"), STUDY.replace("replicas = 301", "replicas = 24")).unwrap();
    sandbox
}

fn replicas(sandbox: &Sandbox, folder: &str) -> u64 {
    let summary = fs::read_to_string(sandbox.0.path(folder).join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    summary["points"].as_array().unwrap().iter().map(|point| point["replicas"].as_u64().unwrap()).sum()
}

#[test]
fn a_file_for_another_command_names_that_command() {
    let sandbox = with_study();
    for (line, expected) in [
        ("carom run examples/scenes/two_balls.toml", "this is a scene, not a study; to run it: carom sim"),
        ("carom run examples/scenes/tower.toml", "this is a scene, not a study; to run it: carom sim"),
        ("carom run examples/worlds/three_balls.json", "this is a world, not a study; to run it: carom sim"),
        ("carom run billiard-break", "ready-made scene, not a study: carom sim billiard-break"),
        ("carom sim study.toml", "this is a study, not a scene; to run it: carom run study.toml"),
    ] {
        let said = follow(&sandbox, line, 2);
        assert!(said.contains(expected), "{line}: {said}");
        let _ = fs::remove_dir_all(sandbox.0.path("carom-out"));
    }
}

#[test]
fn a_name_that_is_not_there_gets_a_suggestion() {
    let sandbox = with_study();
    for (line, expected) in [
        ("carom sim biliard-break", "did you mean: carom sim billiard-break"),
        ("carom sim piramid", "did you mean: carom sim pyramid"),
        ("carom sim something-else", "carom sim --list"),
        ("carom run study --out one", "did you mean: carom run study.toml"),
        ("carom run other.toml", "carom new other"),
        ("carom fmb test --in 'my pairs.csv'", "carom fmb test --example --out 'my pairs.csv'"),
        ("carom sim billiard-break --packing 0.1", "carom sim --help"),
        ("carom sim billiard-break --rows 3", "carom sim --list"),
    ] {
        let said = follow(&sandbox, line, 2);
        assert!(said.contains(expected), "{line}: {said}");
    }
    let study = "kind = \"scene\"\n[scene]\nname = \"obliqe\"\n";
    fs::write(sandbox.0.path("misspelt.toml"), study).unwrap();
    let output = sandbox.shell("carom run misspelt.toml").output().unwrap();
    assert!(said(&output).contains("did you mean oblique?"), "{}", said(&output));
}

#[test]
fn what_is_done_next_is_offered_as_it_works() {
    let sandbox = with_study();
    let written = follow(
        &sandbox,
        "carom new \"it's my study\" --kind frames && sed -i 's/100_000/8/' \"it's my study.toml\"",
        0,
    );
    assert!(written.contains("carom run 'it'\\''s my study.toml'"), "{written}");
    follow(&sandbox, "carom fmb test --example --moving --dim 3 --out pairs.csv", 0);
    let output = sandbox.shell("carom sim oblique --out run").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    follow(&sandbox, "carom convert run/final.carom world.json", 2);
}

#[test]
fn results_that_are_there_are_kept_by_every_offer() {
    let sandbox = with_study();
    let run = |line: &str| assert!(sandbox.shell(line).output().unwrap().status.success(), "{line}");
    run("carom run study.toml --out a --replicas 40");
    let before = replicas(&sandbox, "a");
    // The folder is taken; more replicas; fewer replicas than are there; another seed.
    for (line, expected) in [
        ("carom run study.toml --out a", "to go on: carom run --out a --resume\n"),
        ("carom run study.toml --out a --replicas 48", "to go on: carom run --out a --resume --replicas 48"),
        ("carom run study.toml --out a --resume --replicas 8", "to go on: carom run --out a --resume"),
        ("carom run study.toml --out a --resume --seed 9", "--seed 9"),
    ] {
        let said = follow(&sandbox, line, 2);
        assert!(said.contains(expected), "{line}: {said}");
        assert!(offered(&said).iter().all(|command| !command.contains("--force")), "{said}");
        assert!(replicas(&sandbox, "a") >= before);
    }
    // Without --replicas a run goes on to what was asked for last.
    run("carom run study.toml --out a --resume");
    assert_eq!(replicas(&sandbox, "a"), 96);
}

#[cfg(unix)]
fn interrupted(sandbox: &Sandbox, line: &str, is_under_way: impl Fn() -> bool) -> Output {
    // `exec`: the signal reaches the tool and not the shell.
    let mut command = sandbox.shell(&format!("exec {line}"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while !is_under_way() {
        assert!(Instant::now() < deadline, "the run does not start");
        std::thread::sleep(Duration::from_millis(2));
    }
    // SAFETY: kill takes two integers and touches no memory of ours.
    assert_eq!(unsafe { libc::kill(i32::try_from(child.id()).unwrap(), libc::SIGTERM) }, 0);
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn an_interrupted_study_has_results_and_goes_on_as_it_says() {
    let sandbox = with_study();
    let study = STUDY
        .replace("collisions = 4", if cfg!(debug_assertions) { "collisions = 2" } else { "collisions = 40" });
    fs::write(sandbox.0.path("study.toml"), study).unwrap();
    let checkpoint = sandbox.0.path("my out").join("checkpoint");
    let line = "carom run study.toml --out 'my out' --replicas 600 --threads 1 --checkpoint 0.01";
    let output = interrupted(&sandbox, line, || checkpoint.exists());
    let said = said(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let printed = text(&output.stdout);
    assert!(printed.contains("UNFINISHED: ") && printed.contains(" of 1200 replicas\n"), "{printed}");
    assert!(printed.contains("observable") && printed.contains("pressure"), "{printed}");
    let page = || fs::read_to_string(sandbox.0.path("my out").join("report.html")).unwrap();
    assert!(page().contains("UNFINISHED: ") && page().contains("carom run --out &#39;my out&#39; --resume"));
    let found = replicas(&sandbox, "my out");
    assert!(found < 1200);
    let [command] = &offered(&said)[..] else { panic!("{said}") };
    let output = sandbox.shell(command).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
    assert_eq!(replicas(&sandbox, "my out"), 1200);
    assert!(!page().contains("UNFINISHED"));
}

/// What a killed run leaves is a checkpoint and nothing else.
#[test]
fn a_checkpoint_alone_has_a_page() {
    let sandbox = with_study();
    let output = sandbox.shell("carom run study.toml --out a --shard 1/2 --quiet").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(!sandbox.0.path("a/summary.json").exists());
    let told = follow(&sandbox, "carom report a", 0);
    assert!(
        told.contains("UNFINISHED: 16 of 48 replicas; to go on: carom run --out a --shard 1/2 --resume"),
        "{told}"
    );
    let page = fs::read_to_string(sandbox.0.path("a/report.html")).unwrap();
    assert!(page.contains("UNFINISHED: 16 of 48 replicas"), "{page}");
    // A summary of fewer replicas than the checkpoint knows is out of date.
    let run = |line: &str| assert!(sandbox.shell(line).output().unwrap().status.success(), "{line}");
    run(
        "carom run study.toml --out b --quiet && cp b/summary.json old && carom run study.toml --out b --resume --replicas 40 --quiet",
    );
    run("mv old b/summary.json && carom report b --out page.html");
    let page = fs::read_to_string(sandbox.0.path("page.html")).unwrap();
    assert!(page.contains("80 in all, 0 failed") && !page.contains("UNFINISHED"), "{page}");
    let output = sandbox.shell("mkdir none && carom report none").output().unwrap();
    assert!(output.status.code() == Some(2) && said(&output).contains("summary.json"), "{}", said(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupted_simulation_goes_on_as_it_says() {
    let sandbox = Sandbox::new();
    let until = if cfg!(debug_assertions) { 100 } else { 3000 };
    let line = format!("carom sim {THREE_BALLS} --until {until} --dt 0.001 --every 10 --out 'my run'");
    let folder = sandbox.0.path("my run");
    let output = interrupted(&sandbox, &line, || fs::read_dir(&folder).map_or(0, Iterator::count) >= 3);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let [command] = &offered(&said)[..] else { panic!("{said}") };
    assert!(command.starts_with("carom sim 'my run/final.json' --until "), "{command}");
    let output = sandbox.shell(command).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
    assert!(sandbox.0.path("my run-2").join("final.json").exists());
}

/// Overlaps are told with the lines of the balls.
#[test]
fn overlaps_of_a_scene_file_are_told_by_line() {
    let sandbox = Sandbox::new();
    let ball = |x: f64| format!("[[ball]]\nposition = [{x}, 0.5]\nradius = 0.1\nmass = 1\n");
    let scene = format!("dimension = 2\n{}{}{}", ball(0.2), ball(0.35), ball(0.9));
    fs::write(sandbox.0.path("scene.toml"), scene).unwrap();
    let output = sandbox.shell("carom sim scene.toml").output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("scene.toml: 1 pair of balls overlaps"), "{said}");
    assert!(said.contains("line 2: ball[0] overlaps ball[1] of line 6\n"), "{said}");
}
