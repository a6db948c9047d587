//! Tells the library which revision of the source it is built from, if that is known, and lists the files of the page of
//! `carom view` for the tool.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_VIEW").is_some() {
        list_page();
    }
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

/// Where the files of the page are.
const PAGE: &str = "src/cli/view/page";

/// Writes a table of all files of the page, with their bytes.
fn list_page() {
    println!("cargo::rerun-if-changed={PAGE}");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join(PAGE);
    let mut names = Vec::new();
    collect(&root, &root, &mut names);
    names.sort();
    let mut table = format!("static FILES: [File; {}] = [\n", names.len());
    for name in names {
        let path = root.join(&name);
        writeln!(table, "    File {{ name: {name:?}, bytes: include_bytes!({path:?}) }},").expect("text");
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it")).join("page_files.rs");
    std::fs::write(out, table + "];\n").expect("the directory for generated files is writable");
}

/// Adds the names of what browsers load, with `/` between folders.
fn collect(root: &Path, folder: &Path, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("the page is part of the source").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, names);
        } else if path
            .extension()
            .is_some_and(|e| ["html", "css", "js", "svg", "png"].iter().any(|known| e == *known))
        {
            let name = path.strip_prefix(root).expect("it is within").to_string_lossy().replace('\\', "/");
            names.push(name);
        }
    }
}
