//! The examples run, and print what they teach.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of an example beside this test, if `cargo test` has built it since its source was written.
fn program(name: &str) -> Option<PathBuf> {
    let test = std::env::current_exe().expect("a test knows where it is");
    let folder = test.parent().and_then(Path::parent).expect("it is in target/PROFILE/deps");
    let program = folder.join("examples").join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name).with_extension("rs");
    let written = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    (written(&program)? >= written(&source)?).then_some(program)
}

/// Runs an example, which must succeed and print all of these, in this order.
fn prints(name: &str, expected: &[&str]) {
    let Some(program) = program(name) else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "missing: the example {name}");
        eprintln!("skipped, because the example {name} is not built: `cargo test` without --test builds it");
        return;
    };
    let output = Command::new(program).output().expect("it can be started");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name}: {errors}");
    let mut rest = &*text;
    for line in expected {
        let at = rest.find(line).unwrap_or_else(|| panic!("{name} does not print {line:?} there:\n{text}"));
        rest = &rest[at + line.len()..];
    }
}

#[test]
fn particles() {
    prints(
        "particles",
        &[
            "0 and 1 collide at 1.000 s with 2.000 N s",
            "1 and 2 collide at 2.000 s with 4.000 N s",
            "0 and 1 collide at 3.000 s with 2.000 N s",
            "particle 0: x = 0.250 m, velocity -1.000 m/s",
            "particle 2: x = 4.000 m, velocity 0.000 m/s",
            "after one second of gravity particle 0 is at -4.903 m",
            "saved and loaded without loss",
            "refused: position",
        ],
    );
}

#[test]
fn frames() {
    prints(
        "frames",
        &[
            "squares side by side intersect: false",
            "one rounding step nearer: true",
            "the cube intersects tetrahedron 10 within x = 10.25 to 11.00 m",
            "the cube intersects tetrahedron 11 within x = 11.00 to 11.25 m",
            "frames 0 and 1 overlap from 0.5 to 1 s",
        ],
    );
}

#[test]
fn events() {
    prints(
        "events",
        &[
            "bounce 1 at 0.6387 s",
            "bounce 2 at 1.6605 s",
            "bounce 3 at",
            "the ball is at 0.1 m",
            "pressure over that of an ideal gas: ",
            "in theory 3.97",
            "energy is conserved to ",
        ],
    );
}

#[test]
fn study() {
    prints(
        "study",
        &["hit: 0.4", "(wilson)", "hit: 0.4183 by ", "miss_distance: 1.8", " m, from ", "replica 123: "],
    );
}
