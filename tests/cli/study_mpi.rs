//! A study on the ranks of `mpirun`: the same results as one process.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::study::{STUDY, results_in, target_directory};
use crate::tools::{has, skip};
use crate::{Scratch, text};

/// Whether the library that reads the headers of MPI is there.
fn has_libclang() -> bool {
    let folders = || fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let holds = |folder: &Path| {
        let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.into_iter().any(|name| name.to_string_lossy().starts_with("libclang.so"))
    };
    let found = folders().any(|folder| holds(&folder) || holds(&folder.join("lib")));
    found || std::env::var_os("LIBCLANG_PATH").is_some() || skip("libclang-dev")
}

/// The tool with the feature `mpi`, in a target directory of its own.
fn build() -> String {
    let target = target_directory().join("mpi");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--locked", "--features", "mpi", "--bin", "carom", "--target-dir"])
        .arg(&target)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", text(&built.stderr));
    target.join("debug/carom").display().to_string()
}

/// Runs the tool on so many ranks; 0: without `mpirun`.
fn run(tool: &str, ranks: usize, arguments: &[&str]) -> Output {
    if ranks == 0 {
        return Command::new(tool).args(arguments).output().unwrap();
    }
    Command::new("mpirun")
        .args(["--oversubscribe", "--allow-run-as-root", "-n", &ranks.to_string(), tool])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn ranks_give_the_results_of_one_process() {
    // Once is enough: ranks have nothing to do with the CPU.
    if cfg!(all(target_arch = "x86_64", not(target_feature = "avx2"))) {
        return;
    }
    if !(has("mpirun", "openmpi-bin") && has("mpicc", "libopenmpi-dev") && has_libclang()) {
        return;
    }
    let tool = build();
    let scratch = Scratch::new();
    let study = scratch.file("study.toml", STUDY);
    let all: Vec<[String; 2]> = [0, 1, 2, 3]
        .iter()
        .map(|ranks| {
            let out = scratch.name(&format!("ranks-{ranks}"));
            let output = run(&tool, *ranks, &["run", &study, "--out", &out, "--threads", "2"]);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{ranks} ranks: {said}");
            // One of them speaks.
            assert_eq!(text(&output.stdout).matches("stress: 2 points").count(), 1, "{ranks} ranks");
            results_in(&scratch.path(&format!("ranks-{ranks}")))
        })
        .collect();
    assert!(all.iter().all(|results| *results == all[0]));

    // What the leader refuses ends all ranks.
    let refused =
        run(&tool, 2, &["run", &study, "--out", &scratch.name("ranks-2"), "--resume", "--seed", "9"]);
    assert_ne!(refused.status.code(), Some(0));
    assert!(text(&refused.stderr).contains("the seed is 5 there and 9 here"), "{}", text(&refused.stderr));
}
