//! A study on the ranks of `mpirun`, in a build with the feature `mpi`: the same results as one process.

use std::process::{Command, Output};

use crate::study::{STUDY, results_in};
use crate::tools::has;
use crate::{Scratch, carom, text};

/// Runs the tool on this many ranks; 0: without `mpirun`.
fn run(ranks: usize, arguments: &[&str]) -> Output {
    if ranks == 0 {
        return carom(arguments).output().unwrap();
    }
    Command::new("mpirun")
        .args([
            "--oversubscribe",
            "--allow-run-as-root",
            "-n",
            &ranks.to_string(),
            env!("CARGO_BIN_EXE_carom"),
        ])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn ranks_give_the_results_of_one_process() {
    if !has("mpirun", "openmpi-bin") {
        return;
    }
    let scratch = Scratch::new();
    let study = scratch.file("study.toml", STUDY);
    let all: Vec<[String; 2]> = [0, 1, 2, 3]
        .iter()
        .map(|ranks| {
            let out = scratch.name(&format!("ranks-{ranks}"));
            let output = run(*ranks, &["run", &study, "--out", &out, "--threads", "2"]);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{ranks} ranks: {said}");
            // Only rank 0 prints.
            assert_eq!(text(&output.stdout).matches("stress: 2 points").count(), 1, "{ranks} ranks");
            results_in(&scratch.path(&format!("ranks-{ranks}")))
        })
        .collect();
    assert!(all.iter().all(|results| *results == all[0]));

    // What the leader refuses ends all ranks.
    let refused = run(2, &["run", &study, "--out", &scratch.name("ranks-2"), "--resume", "--seed", "9"]);
    assert_ne!(refused.status.code(), Some(0));
    assert!(text(&refused.stderr).contains("the seed is 5 there and 9 here"), "{}", text(&refused.stderr));
}
