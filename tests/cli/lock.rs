//! One writer per folder of results: two processes, and one that is killed.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::study::{STUDY, results_in};
use crate::{Scratch, carom, names, refusal, run, success, text};

/// A process that is killed when the test ends, whatever happens.
struct Running(Child);

impl Running {
    fn start(arguments: &[&str]) -> Self {
        Self(carom(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Waits until it has locked the folder and written this file.
    fn wait_for(&mut self, file: &Path) {
        let begun = Instant::now();
        while !file.exists() {
            assert!(self.0.try_wait().unwrap().is_none(), "it ended before {} was there", file.display());
            assert!(begun.elapsed() < Duration::from_secs(60), "{} is not there", file.display());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends it as nothing can prevent or notice.
    fn kill(mut self) {
        self.0.kill().unwrap();
        assert_eq!(self.0.wait().unwrap().code(), None);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A study that does not end by itself while a test runs.
fn endless(scratch: &Scratch) -> String {
    scratch.file("endless.toml", STUDY.replace("replicas = 301", "replicas = 1_000_000_000"))
}

#[test]
fn a_second_run_into_a_folder_is_refused_until_the_first_one_dies() {
    let scratch = Scratch::new();
    let (endless, short) = (endless(&scratch), scratch.file("study.toml", STUDY));
    let (out, folder) = (scratch.name("out"), scratch.path("out"));
    let mut first = Running::start(&["run", &endless, "--out", &out, "--quiet", "--checkpoint", "0.01"]);
    first.wait_for(&folder.join("checkpoint"));
    let id = first.0.id();
    for command in [
        &["run", &short, "--out", &out, "--force"][..],
        &["run", &short, "--out", &out, "--resume"],
        &["run", &short, "--out", &out, "--shard", "1/2", "--force"],
        &["merge", &out, "--out", &out, "--force"],
        &["sim", "oblique", "--out", &out, "--force"],
        &["fmb", "qualify", "--pairs", "10", "--runs", "2", "--out", &out, "--force"],
    ] {
        let said = refusal(command);
        assert!(said.contains(&format!("out is being written to by process {id} on ")), "{said}");
        assert!(said.contains("run ") && said.contains("endless.toml"), "{said}");
    }
    assert!(fs::read_to_string(folder.join("study.toml")).unwrap().contains("1_000_000_000"));
    first.kill();
    assert!(names(&folder).contains(&".carom-lock".into()), "the lock died, not its file");
    success(&["run", &short, "--out", &out, "--force", "--quiet"]);
    success(&["run", &short, "--out", &scratch.name("alone"), "--quiet"]);
    assert_eq!(results_in(&folder), results_in(&scratch.path("alone")));
    assert!(!names(&folder).contains(&".carom-lock".into()));
}

#[test]
fn a_killed_run_is_resumed_by_the_next_one() {
    let scratch = Scratch::new();
    let (study, out) = (scratch.file("study.toml", STUDY), scratch.name("out"));
    let endless = endless(&scratch);
    let mut first = Running::start(&["run", &endless, "--out", &out, "--quiet", "--checkpoint", "0.01"]);
    first.wait_for(&scratch.path("out").join("checkpoint.previous"));
    assert!(
        refusal(&["run", &endless, "--out", &out, "--resume"]).contains("is being written to by process")
    );
    first.kill();
    let resumed = run(&["run", &endless, "--out", &out, "--resume", "--replicas", "1", "--quiet"]);
    let said = text(&resumed.stderr);
    assert!(resumed.status.success() || said.contains("more than the 1 requested"), "{said}");
    // Runs of other folders, as the parts of a study have them, do not wait for each other.
    let mut other =
        Running::start(&["run", &endless, "--out", &scratch.name("2"), "--shard", "2/2", "--quiet"]);
    other.wait_for(&scratch.path("2").join("checkpoint"));
    success(&["run", &study, "--out", &scratch.name("1"), "--shard", "1/2", "--quiet"]);
}

#[test]
fn a_refused_command_leaves_no_folder() {
    let scratch = Scratch::new();
    let (study, out) = (scratch.file("study.toml", STUDY), scratch.name("none"));
    assert!(refusal(&["run", &study, "--out", &out, "--resume"]).contains("there is nothing to go on from"));
    refusal(&["merge", &scratch.name("lost"), "--out", &out]);
    assert!(!scratch.path("none").exists());
}
