//! The logic of the page of `carom view`, which node tests.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::text;
use crate::tools::has;

/// The files with tests, in the order of their names.
fn test_files() -> Vec<PathBuf> {
    let is_test = |path: &PathBuf| path.to_string_lossy().ends_with(".test.js");
    let mut files: Vec<_> =
        fs::read_dir("tests/page").unwrap().map(|entry| entry.unwrap().path()).filter(is_test).collect();
    files.sort();
    files
}

#[test]
fn the_logic_of_the_page_is_right() {
    if !has("node", "nodejs") {
        return;
    }
    let files = test_files();
    assert!(files.len() >= 7, "{files:?}");
    let output = Command::new("node").arg("--test").args(&files).output().unwrap();
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert!(said.contains("fail 0"), "{said}");
}
