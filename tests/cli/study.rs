//! `carom run` and `carom merge` under stress: threads, parts, kills, damage, a full disk.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Scratch, carom, names, refusal, run, success, text};

/// A sweep of two points of small gases, in batches of 8 replicas, the last one partial.
pub(super) const STUDY: &str = r#"
name = "stress"
kind = "gas"
replicas = 301
seed = 5

[gas]
dimension = 2
particles = 16
density = 0.3
equilibrate = 1
collisions = 4

[sweep]
"gas.density" = [0.2, 0.4]

[statistics]
batch = 8
keep = 40
"#;

/// Runs a study to its end, and gives its results.
fn results(scratch: &Scratch, study: &str, directory: &str, more: &[&str]) -> [String; 2] {
    let out = scratch.name(directory);
    success(&[&["run", study, "--out", &out, "--quiet"], more].concat());
    results_in(&scratch.path(directory))
}

/// summary.json without machine and times, and samples.csv.
pub(super) fn results_in(directory: &Path) -> [String; 2] {
    let summary = fs::read_to_string(directory.join("summary.json")).unwrap();
    let mut summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["complete"], true);
    summary.as_object_mut().unwrap().remove("run").expect("where and how long it ran");
    [summary.to_string(), fs::read_to_string(directory.join("samples.csv")).unwrap()]
}

#[test]
fn threads_parts_and_more_replicas_give_the_same_results() {
    let scratch = Scratch::new();
    let study = scratch.file("study.toml", STUDY);
    let one = results(&scratch, &study, "one", &["--threads", "1"]);
    assert_eq!(results(&scratch, &study, "two", &["--threads", "2"]), one);

    let parts: Vec<String> = (1..=3).map(|k| scratch.name(&format!("part-{k}"))).collect();
    for (k, part) in (1..).zip(&parts) {
        success(&["run", &study, "--shard", &format!("{k}/3"), "--out", part, "--quiet"]);
    }
    let merged = scratch.name("merged");
    success(&["merge", &parts[2], &parts[0], &parts[1], "--out", &merged, "--quiet"]);
    assert_eq!(results_in(&scratch.path("merged")), one);
    let said = refusal(&["merge", &parts[0], &parts[2], "--out", &scratch.name("no")]);
    assert!(said.contains("shards are missing: 2/3"), "{said}");

    let more = ["--replicas", "450"];
    let long = results(&scratch, &study, "long", &more);
    success(&[&["run", &study, "--out", &merged, "--resume", "--quiet"][..], &more].concat());
    assert_eq!(results_in(&scratch.path("merged")), long);
}

#[test]
fn a_checkpoint_of_another_study_is_refused_with_the_difference() {
    let scratch = Scratch::new();
    let study = scratch.file("study.toml", STUDY);
    results(&scratch, &study, "out", &[]);
    let out = scratch.name("out");
    let resume = |more: &[&str]| refusal(&[&["run", &study, "--out", &out, "--resume"], more].concat());
    assert!(resume(&["--seed", "6"]).contains("the seed is 5 there and 6 here"));
    assert!(resume(&["--replicas", "100"]).contains("more than the 100 requested"));
    fs::write(&study, STUDY.replace("collisions = 4", "collisions = 5")).unwrap();
    let said = resume(&[]);
    assert!(said.contains("line 12 of the study differs: gas.collisions is 4 there and 5 here"), "{said}");
}

/// From 0 to 1, by a hash of the number.
fn share(number: u64) -> f64 {
    let hash = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    hash as f64 / f64::from(1 << 24)
}

/// The study for kills: long enough for most of them, also in a release build.
fn long_study(scratch: &Scratch) -> String {
    let collisions = if cfg!(debug_assertions) { "collisions = 2" } else { "collisions = 20" };
    scratch.file("study.toml", STUDY.replace("collisions = 4", collisions))
}

fn spawn(study: &str, out: &str, more: &[&str]) -> std::process::Child {
    let arguments = [&["run", study, "--out", out, "--quiet", "--checkpoint", "0.002"], more].concat();
    carom(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_killed_run_is_resumed_to_the_same_results() {
    let scratch = Scratch::new();
    let study = long_study(&scratch);
    let begun = Instant::now();
    let whole = results(&scratch, &study, "whole", &[]);
    let length = begun.elapsed();

    let out = scratch.name("killed");
    let checkpoint = scratch.path("killed").join("checkpoint");
    let mut kills = 0;
    for number in 0.. {
        let resume = if checkpoint.exists() { &["--resume"][..] } else { &["--force"] };
        let mut child = spawn(&study, &out, resume);
        std::thread::sleep(length.mul_f64(0.6 * share(number)));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        if status.code().is_none() {
            kills += 1;
        } else {
            assert_eq!(status.code(), Some(0));
            assert_eq!(results_in(&scratch.path("killed")), whole);
            fs::remove_dir_all(scratch.path("killed")).unwrap();
        }
        if kills == 20 {
            break;
        }
        assert!(number < 200, "{kills} of {number} runs could be killed");
    }
    let resume = if checkpoint.exists() { &["--resume"][..] } else { &["--force"] };
    assert_eq!(spawn(&study, &out, resume).wait().unwrap().code(), Some(0));
    assert_eq!(results_in(&scratch.path("killed")), whole);
    let left = names(&scratch.path("killed"));
    assert!(left.iter().all(|name| !name.contains("checkpoint") || !name.ends_with(".tmp")), "{left:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let scratch = Scratch::new();
    let study = long_study(&scratch);
    let whole = results(&scratch, &study, "whole", &["--replicas", "600"]);
    let out = scratch.name("out");
    let mut command = carom(&["run", &study, "--out", &out, "--replicas", "600"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !scratch.path("out").join("checkpoint").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("interrupted; to go on: carom run") && said.contains("--resume"), "{said}");
    // Without the study file: the checkpoint contains it.
    success(&["run", "--out", &out, "--resume", "--quiet"]);
    assert_eq!(results_in(&scratch.path("out")), whole);
}

#[test]
fn damage_falls_back_to_the_checkpoint_before() {
    let scratch = Scratch::new();
    let study = scratch.file("study.toml", STUDY);
    let whole = results(&scratch, &study, "out", &["--checkpoint", "0.001"]);
    let out = scratch.name("out");
    let checkpoint = scratch.path("out").join("checkpoint");
    let good = fs::read(&checkpoint).unwrap();
    fs::write(&checkpoint, &good[..good.len() / 2]).unwrap();
    let output = run(&["run", &study, "--out", &out, "--resume", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(said.contains("checkpoint is truncated") && said.contains("checkpoint.previous"), "{said}");
    assert_eq!(results_in(&scratch.path("out")), whole);

    fs::write(&checkpoint, &good[..good.len() / 2]).unwrap();
    fs::write(scratch.path("out").join("checkpoint.previous"), "rubbish").unwrap();
    let said = refusal(&["run", &study, "--out", &out, "--resume"]);
    assert!(said.contains("truncated"), "{said}");
    assert_eq!(results_in(&scratch.path("out")), whole);
}

/// A limit of a few kilobytes per file acts like a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_last_checkpoint() {
    let scratch = Scratch::new();
    let study = scratch.file("study.toml", STUDY);
    let out = scratch.name("out");
    results(&scratch, &study, "out", &[]);
    let before = fs::read(scratch.path("out").join("checkpoint")).unwrap();
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    let arguments = ["run", &study, "--out", &out, "--resume", "--replicas", "400", "--quiet"];
    let output = Command::new("bash")
        .args(["-c", script, "bash", env!("CARGO_BIN_EXE_carom")])
        .args(arguments)
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("File too large"), "{said}");
    assert_eq!(fs::read(scratch.path("out").join("checkpoint")).unwrap(), before);
    success(&arguments);
    let long = results(&scratch, &study, "long", &["--replicas", "400"]);
    assert_eq!(results_in(&scratch.path("out")), long);
}

/// Distances from the origin, drawn from a table; the encounter ends before the bodies are closest.
const TABLE_STUDY: &str = r#"
kind = "encounter"
replicas = 200
measure = ["miss_distance"]

[encounter]
duration = 1

[encounter.a]
radius = 1
position = [{ table = "distances.txt" }, 0, 0]
velocity = [-1, 0, 0]

[encounter.b]
radius = 1
position = [0, 0, 0]

[statistics]
batch = 8
"#;

#[test]
fn a_table_is_part_of_the_study_and_a_poor_interval_has_a_warning() {
    let scratch = Scratch::new();
    let study = scratch.file("study.toml", TABLE_STUDY);
    let missing = refusal(&["run", &study, "--out", &scratch.name("none")]);
    assert!(missing.contains("line 11") && missing.contains("table is \"distances.txt\""), "{missing}");
    // One value in a hundred is a thousand times as large.
    let table = scratch.file("distances.txt", "distance weight\n10 99\n10000 1\n");
    let whole = results(&scratch, &study, "whole", &["--threads", "2"]);
    let parts = [1, 2].map(|k| scratch.name(&format!("part-{k}")));
    for (k, part) in (1..).zip(&parts) {
        success(&["run", &study, "--shard", &format!("{k}/2"), "--out", part, "--quiet"]);
    }
    success(&["merge", &parts[0], &parts[1], "--out", &scratch.name("merged"), "--quiet"]);
    assert_eq!(results_in(&scratch.path("merged")), whole);

    let summary: serde_json::Value = serde_json::from_str(&whole[0]).unwrap();
    let (point, estimate) = (&summary["points"][0], &summary["points"][0]["estimates"][0]);
    assert_eq!((&estimate["trusted"], &estimate["method"]), (&false.into(), &"hall".into()));
    assert!(estimate["note"].as_str().unwrap().starts_with("warning: the interval cannot be trusted"));
    assert!(point["warnings"][0].as_str().unwrap().contains("before the bodies are closest"));
    let page = fs::read_to_string(scratch.path("whole/report.html")).unwrap();
    assert!(page.contains("<b class=\"off\">warning: the interval cannot be trusted"));
    assert!(page.contains("<p class=\"warning\">warning: 100.0% of the first 1024 replicas"));
    let told = success(&["run", &study, "--out", &scratch.name("told")]);
    assert!(told.contains("miss_distance: warning: the interval cannot be trusted"), "{told}");
    assert!(told.contains("warning: 100.0% of the first 1024 replicas end"), "{told}");

    fs::write(&table, "distance weight\n10 98\n10000 1\n").unwrap();
    let resume = ["run", &study, "--out", &scratch.name("whole"), "--resume", "--replicas", "400"];
    let said = refusal(&resume);
    assert!(said.contains("line 2 of distances.txt differs"), "{said}");
    fs::write(&table, "10 x\n").unwrap();
    let said = refusal(&["run", &study, "--out", &scratch.name("bad")]);
    assert!(said.contains("line 11") && said.contains("its line 1 has \"10 x\""), "{said}");
}
