//! A study on the ranks of `mpirun`, in a build with the feature `mpi`: the same results as one process.

use std::process::{Command, Output};

use crate::printed::{PAGES, Sandbox, lines_of_page, lines_on_ranks, shortened};
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

/// What `mpirun` needs to start more ranks than there are cores, and for the user of a container.
const SURROUNDINGS: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
];

/// Lines of pages run as they are printed, after those of the page that make study files, and give the results of one process.
#[test]
fn printed_commands_run_on_ranks() {
    if !has("mpirun", "openmpi-bin") {
        return;
    }
    let mut count = 0;
    for page in PAGES {
        for line in lines_on_ranks(page) {
            let sandbox = Sandbox::new();
            let files: Vec<String> =
                lines_of_page(page).into_iter().filter(|line| line.starts_with("carom new ")).collect();
            sandbox.succeed(page, &files);
            let line = shortened(&line);
            let output = sandbox.shell(&line).envs(SURROUNDINGS).output().unwrap();
            assert!(output.status.success(), "{page}: {line}\n{}", text(&output.stderr));

            let command = &line[line.find("carom ").expect("the tool")..];
            let out = command.split_once("--out ").expect("a folder").1.split(' ').next().unwrap();
            sandbox.succeed(page, &[command.replace(&format!("--out {out}"), "--out alone")]);
            assert_eq!(results_in(&sandbox.0.path(out)), results_in(&sandbox.0.path("alone")), "{line}");
            count += 1;
        }
    }
    assert!(count >= 1, "docs/studies.md has a line");
}
