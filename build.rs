//! Tells the library which revision of the source it is built from, if that is known. Never fails.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A checkout has a .git here; inside the repository of something else the revision would be that of the other.
    if Path::new(".git").exists() {
        watch_head();
        if let Some(revision) = git(&["rev-parse", "--short=12", "HEAD"]) {
            println!("cargo::rustc-env=CAROM_REVISION={revision}");
        }
    }
}

/// Runs again when another revision is checked out or made.
fn watch_head() {
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "logs/HEAD"].into_iter().chain(branch.as_deref()) {
        // A file that is not there would make every build run this.
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
