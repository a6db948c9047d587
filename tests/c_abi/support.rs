//! What the tests of the C ABI share: compilers, other tools, and the library under test.

#[path = "../library/tools.rs"]
mod tools;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) use tools::has;
use tools::skip;

/// Warnings are errors, in C and in C++.
pub(crate) const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

/// The root of the package.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where cargo has put the `libcarom.so` and `libcarom.a` that belong to this test: next to it, in `deps`. The copies
/// one folder up are those of the last `cargo build`.
pub(crate) fn library_dir() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let dir = test.parent().expect("it lies in a folder").to_path_buf();
    assert!(dir.join("libcarom.so").exists(), "no libcarom.so in {}", dir.display());
    dir
}

/// Finds wrong use of memory, leaks and undefined behaviour, which end the program.
pub(crate) const SANITIZE: &str = "-fsanitize=address,undefined -fno-sanitize-recover=undefined";

/// Whether C programs can be built with sanitizers here.
pub(crate) fn has_sanitizer(dir: &Path) -> bool {
    let source = dir.join("empty.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let built =
        Command::new("cc").args(SANITIZE.split(' ')).arg("-o").arg(dir.join("empty")).arg(&source).output();
    let runs = || Command::new(dir.join("empty")).output().is_ok_and(|output| output.status.success());
    (built.is_ok_and(|output| output.status.success()) && runs())
        || skip("libasan and libubsan (gcc) or libclang-rt")
}

/// Runs a command that must succeed and returns what it prints.
pub(crate) fn run(command: &mut Command) -> String {
    let output = output(command);
    assert!(
        output.status.success(),
        "{command:?} ended with {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    String::from_utf8(output.stdout).expect("text")
}

/// Runs a command, whatever its outcome.
///
/// Cargo's LD_LIBRARY_PATH would lead programs to the library of the last `cargo build`.
pub(crate) fn output(command: &mut Command) -> Output {
    command
        .env("RUST_BACKTRACE", "0")
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// A program with arguments.
pub(crate) fn command(program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// The two languages every C source must be valid in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Language {
    C99,
    Cxx17,
}

impl Language {
    pub(crate) const ALL: [Self; 2] = [Self::C99, Self::Cxx17];

    /// Compiles a C source as this language.
    pub(crate) fn compiler(self) -> Command {
        let mut compiler = match self {
            Self::C99 => command("cc", &["-std=c99", "-x", "c"]),
            Self::Cxx17 => command("c++", &["-std=c++17", "-x", "c++"]),
        };
        compiler.args(WARNINGS).args(["-g", "-O1", "-I"]).arg(root().join("include"));
        compiler
    }
}

/// Builds a program from one C source against the library under test.
pub(crate) fn build(language: Language, source: &Path, program: &Path, flags: &[&str]) {
    let libraries = library_dir();
    let mut compiler = language.compiler();
    compiler.args(flags).arg("-I").arg(root().join("tests/c")).arg("-o").arg(program).arg(source);
    compiler.args(["-x", "none", "-L"]).arg(&libraries).arg(format!("-Wl,-rpath,{}", libraries.display()));
    run(compiler.args(["-lcarom", "-lm", "-lpthread"]));
}
