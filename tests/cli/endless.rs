//! Input without an end: devices, and pipes that are fed for ever. Every command refuses it, in little memory.
#![cfg(unix)]

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use crate::{Scratch, THREE_BALLS, carom, text};

/// Address space of the tool in these tests, in bytes: a failure of the test cannot take the memory of the machine.
const ADDRESS_SPACE: u64 = 2 << 30;
/// How long a refusal may take, also in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The tool in little memory.
fn confined(arguments: &[&str]) -> Command {
    let mut command = carom(arguments);
    let limit = libc::rlimit { rlim_cur: ADDRESS_SPACE, rlim_max: ADDRESS_SPACE };
    // SAFETY: setrlimit may be called between fork and exec, and `limit` is a copy of the child.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_AS, &raw const limit) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        })
    };
    command
}

/// Runs a command to its end, which must come soon.
fn finish(command: &mut Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{command:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().unwrap()
}

/// What a command that must refuse its input says.
fn refused(command: &mut Command) -> String {
    let output = finish(command);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

/// A named pipe that is fed a beginning and then the same bytes for ever, until its reader is gone.
struct Pipe {
    name: String,
    writer: Option<JoinHandle<u64>>,
}

impl Pipe {
    fn new(scratch: &Scratch, name: &str, beginning: &str, again: &str) -> Self {
        let name = scratch.name(name);
        let path = CString::new(name.clone()).unwrap();
        // SAFETY: the path is a string with a final NUL.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        let (path, beginning, again) =
            (name.clone(), beginning.to_owned(), again.repeat(1 + 60_000 / again.len()));
        let writer = spawn(move || {
            let mut pipe = OpenOptions::new().write(true).open(path).unwrap();
            let mut written = 0;
            let mut next = beginning.as_bytes();
            while pipe.write_all(next).is_ok() {
                written += next.len() as u64;
                next = again.as_bytes();
            }
            written
        });
        Self { name, writer: Some(writer) }
    }

    /// How many bytes its reader took.
    fn taken(mut self) -> u64 {
        self.writer.take().unwrap().join().unwrap()
    }
}

/// The start of a world with balls without end.
const WORLD: &str = "{\"format\": \"carom-world\", \"version\": 1, \"dim\": 1, \"particles\": [\n";
const BALL: &str = "{\"position\": [1.5], \"axes\": [[0.5]], \"mass\": 1},\n";

#[test]
fn a_device_of_zeros_is_refused_by_its_first_bytes() {
    let scratch = Scratch::new();
    let out = scratch.name("x.json");
    let study = scratch.file("study.toml", "kind = \"scene\"\n[scene]\nfile = \"/dev/zero\"\nuntil = 1\n");
    let world =
        scratch.file("world.toml", "kind = \"stepped\"\n[stepped]\nfile = \"/dev/zero\"\nuntil = 1\n");
    for arguments in [
        &["convert", "/dev/zero", &out][..],
        &["sim", "/dev/zero"],
        &["run", "/dev/zero"],
        &["run", &study, "--out", &scratch.name("a")],
        &["run", &world, "--out", &scratch.name("b")],
        &["report", "/dev/zero"],
    ] {
        let said = refused(&mut confined(arguments));
        assert!(said.contains("/dev/zero: ") && said.contains("nothing but zeros"), "{said}");
    }
    let said = refused(&mut confined(&["fmb", "test", "--in", "/dev/zero"]));
    assert!(said.contains("/dev/zero: line 1: too long"), "{said}");
    for arguments in [&["convert", "-", &out][..], &["sim", "-"]] {
        let said = refused(confined(arguments).stdin(File::open("/dev/zero").unwrap()));
        assert!(said.contains("standard input: ") && said.contains("nothing but zeros"), "{said}");
    }
    assert!(!scratch.path("x.json").exists());
}

#[test]
fn a_checkpoint_that_is_a_device_is_refused() {
    let scratch = Scratch::new();
    let part = scratch.name("part");
    fs::create_dir(&part).unwrap();
    std::os::unix::fs::symlink("/dev/zero", scratch.path("part").join("checkpoint")).unwrap();
    for arguments in
        [&["run", "--resume", "--out", &part][..], &["merge", &part, "--out", &scratch.name("whole")]]
    {
        assert!(
            refused(&mut confined(arguments))
                .contains("study checkpoint is corrupt: it looks like nothing but zeros")
        );
    }
}

#[test]
fn endless_text_ends_at_the_limit() {
    let scratch = Scratch::new();
    let out = scratch.name("x.json");
    let summary = "{\"format\": \"carom study summary\", \"version\": 1, \"failures\": [\n";
    let failure = "{\"point\": 0, \"replica\": 1, \"message\": \"no\"},\n";
    let cases: [(&str, &str, &str, &[&str]); 6] = [
        ("world", WORLD, BALL, &["convert", "PIPE", &out]),
        ("sim", WORLD, BALL, &["sim", "PIPE"]),
        ("scene.toml", "name = \"endless\"\n", "# nothing\n", &["sim", "PIPE"]),
        ("study.toml", "kind = \"gas\"\n", "# nothing\n", &["run", "PIPE"]),
        ("summary", summary, failure, &["report", "PIPE"]),
        ("white", "{", " ", &["convert", "PIPE", &out]),
    ];
    for (name, beginning, again, arguments) in cases {
        let pipe = Pipe::new(&scratch, name, beginning, again);
        let arguments: Vec<&str> =
            arguments.iter().map(|word| if *word == "PIPE" { pipe.name.as_str() } else { word }).collect();
        let said = refused(confined(&arguments).args(["--max-input", "3MB"]));
        assert!(said.contains("goes on after 3000000 bytes") && said.contains("--max-input"), "{said}");
        assert!(said.contains(&pipe.name), "{said}");
        let taken = pipe.taken();
        assert!((3_000_000..4_000_000).contains(&taken), "{name}: {taken}");
    }
}

#[test]
fn endless_bytes_of_no_format_are_refused_at_once() {
    let scratch = Scratch::new();
    let out = scratch.name("x.json");
    // A header of a snapshot that is longer than any stream may be.
    let mut header = b"CAROMSNP".to_vec();
    header.extend(1_u32.to_le_bytes());
    header.extend(0_u32.to_le_bytes());
    header.extend((1_u64 << 60).to_le_bytes());
    header.extend(0_u32.to_le_bytes());
    header.extend(crc32fast::hash(&header).to_le_bytes());
    let header = scratch.file("header", header);
    let shell = format!("cat {header} /dev/zero");
    let mut cat = Command::new("sh").args(["-c", &shell]).stdout(Stdio::piped()).spawn().unwrap();
    let said = refused(confined(&["convert", "-", &out]).stdin(cat.stdout.take().unwrap()));
    assert!(said.contains("standard input: input goes on after 1073741824 bytes"), "{said}");
    cat.wait().unwrap();
    for (name, again, arguments, looks) in [
        ("yes", "y\n", ["convert", "PIPE", &out], "it starts with 'y'"),
        ("list", "[", ["convert", "PIPE", &out], "it starts with '['"),
        ("page", "<!DOCTYPE html>\n", ["convert", "PIPE", &out], "a page of HTML"),
    ] {
        let pipe = Pipe::new(&scratch, name, again, again);
        let arguments: Vec<&str> =
            arguments.iter().map(|word| if *word == "PIPE" { pipe.name.as_str() } else { word }).collect();
        assert!(refused(&mut confined(&arguments)).contains(looks));
        assert!(pipe.taken() < 300_000);
    }
}

#[test]
fn endless_lines_of_a_table_are_refused() {
    let scratch = Scratch::new();
    let columns = "a_type,a_o0,a_o1,a_c00,a_c01,a_c10,a_c11,b_type,b_o0,b_o1,b_c00,b_c01,b_c10,b_c11\n";
    for (name, beginning, again, line) in
        [("header", "a_type,", "a,", "line 1: too long"), ("row", columns, "1,", "line 2: too long")]
    {
        let pipe = Pipe::new(&scratch, name, beginning, again);
        let said = refused(&mut confined(&["fmb", "test", "--in", &pipe.name]));
        assert!(said.contains(line), "{said}");
        assert!(pipe.taken() < 1_000_000);
    }
}

#[test]
fn the_limit_is_that_of_the_user_and_not_for_files() {
    let scratch = Scratch::new();
    let out = scratch.name("x.carom");
    let convert = |more: &[&str]| {
        let arguments = [&["convert", "-", &out][..], more].concat();
        finish(confined(&arguments).stdin(world_in_a_pipe()))
    };
    assert_eq!(convert(&["--max-input", "50B"]).status.code(), Some(2));
    assert_eq!(convert(&["--max-input", "1KiB"]).status.code(), Some(0));
    assert_eq!(convert(&[]).status.code(), Some(0));
    assert_eq!(
        finish(&mut confined(&["convert", THREE_BALLS, &out, "--max-input", "50"])).status.code(),
        Some(0)
    );
    let wrong = finish(&mut confined(&["convert", THREE_BALLS, &out, "--max-input", "much"]));
    assert!(text(&wrong.stderr).contains("a number of bytes, such as 500MB or 8GB"));
}

/// The read end of a pipe with a small world in it.
fn world_in_a_pipe() -> Stdio {
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(&fs::read(THREE_BALLS).unwrap()).unwrap();
    reader.into()
}
