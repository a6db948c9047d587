//! The examples run, and print what they teach.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of an example beside this test, if `cargo test` has built it since its source was written.
fn program(name: &str) -> Option<PathBuf> {
    let test = std::env::current_exe().expect("a test knows where it is");
    let folder = test.parent().and_then(Path::parent).expect("it is in target/PROFILE/deps");
    let program = folder.join("examples").join(name);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
    let source = if sources.is_dir() { sources.join("main.rs") } else { sources.with_extension("rs") };
    let written = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    (written(&program)? >= written(&source)?).then_some(program)
}

/// Runs an example, which must succeed and print all of these, in this order.
fn prints(name: &str, expected: &[&str]) {
    prints_with(name, &[], expected);
}

/// The same with arguments. Returns whether it was built.
fn prints_with(name: &str, arguments: &[&Path], expected: &[&str]) -> bool {
    let Some(program) = program(name) else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "missing: the example {name}");
        eprintln!("skipped, because the example {name} is not built: `cargo test` without --test builds it");
        return false;
    };
    let output = Command::new(program).args(arguments).output().expect("it can be started");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name}: {errors}");
    let mut rest = &*text;
    for line in expected {
        let at = rest.find(line).unwrap_or_else(|| panic!("{name} does not print {line:?} there:\n{text}"));
        rest = &rest[at + line.len()..];
    }
    true
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

/// It draws pictures of the guide to rigid bodies, which must be the committed ones. With `CAROM_BLESS=1` they are written anew.
#[test]
fn rigid2d() {
    let folder = tempfile::tempdir().unwrap();
    let printed = [
        "the player stands at a height of 1.65 m with 3 coins",
        "24 balls have passed the gate",
        "the nearest surface is 0.958 m away",
        "the ray hits 2 shapes, the first one after 0.",
        "the box query finds 1, the shape query 1",
        " of 1000 balls are in the right half",
    ];
    if !prints_with("rigid2d", &[folder.path()], &printed) {
        return;
    }
    for name in ["handlers.svg", "sensors.svg", "queries.svg", "spaces.svg"] {
        let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures").join(name);
        let drawn = folder.path().join(name);
        if std::env::var_os("CAROM_BLESS").is_some() {
            std::fs::copy(&drawn, &committed).unwrap();
        }
        let [drawn, committed] = [drawn, committed].map(|path| std::fs::read_to_string(path).unwrap());
        assert!(drawn == committed, "docs/pictures/{name} is not what the example draws: CAROM_BLESS=1");
    }
}
