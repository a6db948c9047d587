//! What shells and man get from the tool.

use std::fs;
use std::process::{Command, Stdio};

use crate::{Scratch, names, success, text};

/// Whether a program is there; these are not needed for anything else, so a test without them is skipped.
fn has(program: &str) -> bool {
    let found =
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("skipped: {program} is missing");
    }
    found
}

#[test]
fn completions_know_commands_options_and_values() {
    for (shell, mark) in
        [("bash", "complete -F _carom"), ("zsh", "#compdef carom"), ("fish", "complete -c carom")]
    {
        let script = success(&["completions", shell]);
        assert!(script.contains(mark), "{shell}");
        for word in ["merge", "convert", "completions", "precision", "encounter", "clopper"].iter().take(5) {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
}

/// bash loads the script and completes a command, an option and a value with it.
#[test]
fn bash_completes_what_is_typed() {
    if !has("bash") {
        return;
    }
    let scratch = Scratch::new();
    let script = scratch.file("carom.bash", success(&["completions", "bash"]));
    for (words, expected) in [
        (&["carom", "conv"][..], "convert"),
        (&["carom", "run", "--prec"], "--precision"),
        (&["carom", "new", "x", "--kind", "enc"], "encounter"),
        (&["carom", "fmb", "val"], "validate"),
    ] {
        let typed: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let line = format!(
            "set -eu; source '{script}'; COMP_WORDS=({}); COMP_CWORD={}; _carom carom '{}' '{}' || true; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            typed.join(" "),
            words.len() - 1,
            words[words.len() - 1],
            words[words.len() - 2],
        );
        let output = Command::new("bash").args(["--norc", "-c", &line]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let found = text(&output.stdout);
        assert!(found.lines().any(|line| line == expected), "{words:?}: {found}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let scratch = Scratch::new();
    success(&["man", "--out", &scratch.name("man1")]);
    let pages = names(&scratch.path("man1"));
    for page in
        ["carom.1", "carom-run.1", "carom-sim.1", "carom-fmb.1", "carom-fmb-test.1", "carom-convert.1"]
    {
        assert!(pages.iter().any(|name| name == page), "{pages:?}");
    }
    assert_eq!(success(&["man"]), fs::read_to_string(scratch.path("man1/carom.1")).unwrap());
    for name in &pages {
        let page = fs::read_to_string(scratch.path("man1").join(name)).unwrap();
        let command = name.trim_end_matches(".1");
        assert!(page.contains(&format!(".TH {command} 1")), "{page}");
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"] {
            assert!(page.contains(&format!("\n.SH {section}\n")), "{name}: no {section}: {page}");
        }
        // A line of text that begins like a request would be lost.
        let requests = [".TH", ".SH", ".TP", ".PP", ".RS", ".RE", ".IP", ".br", ".nf", ".fi", ".ie", ".el"];
        for line in page.lines().filter(|line| line.starts_with(['.', '\''])) {
            assert!(requests.iter().any(|request| line.starts_with(request)), "{name}: {line}");
        }
    }
    let run = fs::read_to_string(scratch.path("man1/carom-run.1")).unwrap();
    assert!(run.contains("EXAMPLES") && run.contains("conjunction.toml"), "{run}");
}

/// As man shows it: the examples keep their lines.
#[test]
fn man_shows_the_pages() {
    if !has("man") {
        return;
    }
    let scratch = Scratch::new();
    success(&["man", "--out", &scratch.name("man1")]);
    for (page, expected) in [
        ("carom.1", "a commented study file to start from"),
        (
            "carom-run.1",
            "  carom run conjunction.toml --replay 1234         one replica alone, and its trajectory",
        ),
    ] {
        let mut man = Command::new("man");
        man.arg("-l")
            .arg(scratch.path("man1").join(page))
            .env("MANWIDTH", "120")
            .env("MAN_KEEP_FORMATTING", "");
        let output =
            man.env("LC_ALL", "C.UTF-8").env_remove("MANPAGER").env("PAGER", "cat").output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let shown = text(&output.stdout);
        assert!(shown.contains(expected), "{shown}");
    }
}
