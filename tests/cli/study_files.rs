//! Study files that come with carom: those of `carom new` and the examples. All of them run.

use std::fs;

use carom::study::KINDS;

use crate::directory::names;
use crate::{Scratch, refusal, success};

/// Runs a few replicas and returns the summary.
fn try_out(scratch: &Scratch, study: &str, name: &str) -> serde_json::Value {
    let out = scratch.name(name);
    let said = success(&["run", study, "--replicas", "8", "--out", &out, "--json", "--quiet"]);
    let files = names(&scratch.path(name));
    for file in ["report.html", "samples.csv", "summary.json"] {
        assert!(files.iter().any(|there| there == file), "{study}: {files:?}");
    }
    let page = fs::read_to_string(scratch.path(name).join("report.html")).unwrap();
    assert!(page.contains("<table>"), "{study}");
    serde_json::from_str(&said).unwrap()
}

#[test]
fn every_kind_has_a_study_to_start_from() {
    let scratch = Scratch::new();
    for kind in KINDS.iter().map(|kind| kind.name) {
        let name = scratch.name(&format!("my \"{kind}\""));
        let file = format!("{name}.toml");
        assert!(success(&["new", &name, "--kind", kind]).contains(&file));
        let summary = try_out(&scratch, &file, kind);
        assert_eq!(summary["study"]["kind"], kind);
        assert_eq!(summary["study"]["name"], format!("my \"{kind}\""));
        assert_eq!(summary["points"][0]["replicas"], 8, "{kind}");
        assert_eq!(summary["failures"], serde_json::json!([]), "{kind}");
    }
}

#[test]
fn a_study_file_that_is_there_stays() {
    let scratch = Scratch::new();
    let mine = scratch.file("mine.toml", "mine");
    let said = refusal(&["new", &scratch.name("mine")]);
    assert!(said.contains("mine.toml already exists") && said.contains("--force"), "{said}");
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    success(&["new", &mine, "--kind", "frames", "--force"]);
    assert!(fs::read_to_string(&mine).unwrap().contains("kind = \"frames\""));
}

#[test]
fn every_example_runs() {
    let scratch = Scratch::new();
    let examples = names(std::path::Path::new("examples/studies"));
    let studies: Vec<&String> = examples.iter().filter(|name| name.ends_with(".toml")).collect();
    assert!(studies.len() >= 6, "{examples:?}");
    for study in studies {
        let summary =
            try_out(&scratch, &format!("examples/studies/{study}"), study.trim_end_matches(".toml"));
        assert_eq!(summary["failures"], serde_json::json!([]), "{study}");
    }
}
