//! Tools of the system that some tests need.

use std::process::Command;

/// Whether a tool of the system is there. If not, says which package has it; in CI that is a failure.
pub(crate) fn has(tool: &str, package: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    found || skip(package)
}

/// Says what is missing; in CI that is a failure.
pub(crate) fn skip(package: &str) -> bool {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "missing: {package}");
    eprintln!("skipped, because this is missing: {package}");
    false
}
