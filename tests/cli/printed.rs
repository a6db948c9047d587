//! Commands that are printed anywhere run: in pages, in the help of each command, in comments of example files.
//!
//! A page, a help text or a file has a folder of its own, with nothing in it but `examples`, and its lines run in it one after
//! the other, in a shell, as they are printed. Only amounts of work are smaller: see [`shortened`].

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::directory::names;
use crate::{Scratch, success, text};

/// Pages with commands of the tool.
pub(super) const PAGES: [&str; 6] =
    ["README.md", "docs/studies.md", "docs/scenes.md", "docs/view.md", "docs/rigid2d.md", "CONTRIBUTING.md"];

/// The most that a line may ask for here.
const MOST: [(&str, f64); 6] = [
    ("--replicas", 1000.0),
    ("--pairs", 200.0),
    ("--collisions", 2000.0),
    ("--particles", 500.0),
    ("--bodies", 50.0),
    ("--spaces", 4.0),
];
/// What a command gets that says neither how much nor where to stop.
const USUAL: [(&str, &str, &[&str]); 6] = [
    ("carom run", "--replicas 2", &["--replicas", "--replay", "--precision"]),
    ("carom sim gas", "--collisions 500", &["--collisions", "--until"]),
    ("carom sim tumbler", "--bodies 5 --until 0.2", &["--bodies", "--until"]),
    ("carom fmb validate", "--pairs 500", &["--pairs"]),
    ("carom fmb qualify", "--pairs 4", &["--pairs"]),
    ("carom fmb bench", "--pairs 200", &["--pairs"]),
];
/// The least precision that a line may ask for here.
const LEAST_PRECISION: f64 = 0.3;

/// The rule: numbers of [`MOST`] are cut, commands of [`USUAL`] get an amount if they name none, and a relative precision
/// below [`LEAST_PRECISION`] becomes that. Everything else stays as it is printed, and so does what stands before the tool on ranks.
pub(super) fn shortened(line: &str) -> String {
    if let Some((ranks, command)) = line.split_once(" carom ").filter(|_| runs_on_ranks(line)) {
        return format!("{ranks} {}", shortened(&format!("carom {command}")));
    }
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    for at in 1..words.len() {
        let most = MOST.iter().find(|(option, _)| words[at - 1] == *option).map(|(_, most)| *most);
        if let (Some(most), Ok(number)) = (most, words[at].parse::<f64>()) {
            words[at] = if number > most { most.to_string() } else { words[at].clone() };
        }
        let precision = words[at].strip_prefix("rel=").and_then(|number| number.parse::<f64>().ok());
        if precision.is_some_and(|number| number < LEAST_PRECISION) {
            words[at] = format!("rel={LEAST_PRECISION}");
        }
    }
    let mut line = words.join(" ");
    for (command, usual, unless) in USUAL {
        let is_it = line == command || line.starts_with(&format!("{command} "));
        if is_it && !line.contains("--help") && !unless.iter().any(|option| line.contains(option)) {
            line.insert_str(command.len(), &format!(" {usual}"));
        }
    }
    line
}

#[test]
fn lines_are_shortened_by_the_rule_only() {
    for (line, expected) in [
        ("carom run a.toml --resume --replicas 1e7", "carom run a.toml --resume --replicas 1000"),
        ("carom run --replicas 8", "carom run --replicas 8"),
        ("carom run a.toml", "carom run --replicas 2 a.toml"),
        ("carom run a.toml --precision rel=0.01", "carom run a.toml --precision rel=0.3"),
        ("carom sim billiard-break --svg break.svg", "carom sim billiard-break --svg break.svg"),
        ("carom fmb bench", "carom fmb bench --pairs 200"),
        ("mpirun -n 4 carom run a.toml --out b", "mpirun -n 4 carom run --replicas 2 a.toml --out b"),
    ] {
        assert_eq!(shortened(line), expected);
    }
}

/// The blocks of commands of a page, without their comments; a block that begins with `#!` is a script.
pub(super) fn blocks(page: &str) -> Vec<String> {
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let without_comment = |line: &str| line.split(" # ").next().unwrap().trim_end().to_owned();
    let lines = |block: &str| block.lines().map(without_comment).collect::<Vec<_>>().join("\n");
    blocks.map(|block| if block.starts_with("#!") { block.to_owned() } else { lines(block) }).collect()
}

/// The lines of a page that run the tool; see also [`lines_on_ranks`].
pub(super) fn lines_of_page(path: &str) -> Vec<String> {
    lines_that(path, runs_tool)
}

/// The lines of a page that run the tool on the ranks of `mpirun`, for which it must have the feature `mpi`.
#[cfg(feature = "mpi")]
pub(super) fn lines_on_ranks(path: &str) -> Vec<String> {
    lines_that(path, runs_on_ranks)
}

/// The chosen lines of a page, without those of its scripts.
fn lines_that(path: &str, is_chosen: fn(&str) -> bool) -> Vec<String> {
    let page = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let blocks = blocks(&page).into_iter().filter(|block| !block.starts_with("#!"));
    blocks
        .flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| is_chosen(line))
        .collect()
}

/// Whether a line runs the tool on the ranks of `mpirun`.
fn runs_on_ranks(line: &str) -> bool {
    line.starts_with("mpirun ") && line.contains(" carom ")
}

/// Whether a part of a pipe is the tool.
fn runs_tool(line: &str) -> bool {
    line.split('|').any(|part| part.trim_start() == "carom" || part.trim_start().starts_with("carom "))
}

/// Whether a line opens the page of the view, which tests of the view do.
pub(super) fn shows_page(line: &str) -> bool {
    line.starts_with("carom view") || line.contains(" --view")
}

/// No line of a page names the tool without being run by a test: here, or with the feature `mpi` by those of ranks.
#[test]
fn every_line_with_the_tool_runs() {
    for page in PAGES {
        for line in lines_that(page, |line| line.split([' ', '|']).any(|word| word == "carom")) {
            let is_of_cargo = line.starts_with("cargo ");
            assert!(runs_tool(&line) || runs_on_ranks(&line) || is_of_cargo, "{page}: no test runs {line}");
        }
    }
}

/// Every command and its subcommands, as words after `carom`.
fn commands() -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut at = 0;
    while at < all.len() {
        let words: Vec<&str> = all[at].iter().map(String::as_str).collect();
        let help = success(&[&words[..], &["--help"]].concat());
        let listed =
            help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest.split("\n\n").next().unwrap());
        let names =
            listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).map(str::to_owned);
        let below: Vec<Vec<String>> = names
            .filter(|name| !name.is_empty() && name != "help")
            .map(|name| [all[at].clone(), vec![name]].concat())
            .collect();
        all.extend(below);
        at += 1;
    }
    all
}

/// The examples in a help text: the command ends where two spaces begin its description.
pub(super) fn examples_of_help(help: &str) -> Vec<String> {
    let sections = help.split("\nExample").skip(1).map(|rest| rest.split("\n\n").next().unwrap());
    let lines =
        sections.flat_map(|section| section.lines().skip(1)).filter_map(|line| line.strip_prefix("  "));
    lines
        .map(|line| line.split("  ").next().unwrap().trim_end().to_owned())
        .filter(|line| runs_tool(line))
        .collect()
}

/// A folder with the examples of the source, and a shell in it that finds the tool.
pub(super) struct Sandbox(pub(super) Scratch);

impl Sandbox {
    pub(super) fn new() -> Self {
        let scratch = Scratch::new();
        copy(Path::new("examples"), &scratch.path("examples"));
        Self(scratch)
    }

    pub(super) fn shell(&self, script: &str) -> Command {
        let tool = Path::new(env!("CARGO_BIN_EXE_carom")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell.args(["-ec", script]).current_dir(self.0.0.path()).stdin(Stdio::null());
        shell.env("PATH", format!("{}:{path}", tool.display()));
        shell
    }

    fn run(&self, line: &str) -> Output {
        self.shell(line).output().unwrap()
    }

    /// Runs lines one after the other, each of which must succeed.
    pub(super) fn succeed(&self, place: &str, lines: &[String]) {
        for line in lines.iter().filter(|line| !shows_page(line)) {
            let output = self.run(&shortened(line));
            let said = format!("{}{}", text(&output.stderr), String::from_utf8_lossy(&output.stdout));
            assert!(output.status.success(), "{place}: {line}\n({})\n{said}", shortened(line));
        }
    }
}

/// Copies a folder, without programs.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else if entry.path().extension().is_some_and(|extension| extension != "rs") {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn commands_of_the_readme_run() {
    run_page("README.md", 20);
}

#[test]
fn commands_of_the_guides_run() {
    for (page, least) in [("docs/scenes.md", 7), ("docs/view.md", 1)] {
        run_page(page, least);
    }
}

fn run_page(page: &str, least: usize) {
    let lines = lines_of_page(page);
    assert!(lines.len() >= least, "{page}: {lines:?}");
    Sandbox::new().succeed(page, &lines);
}

/// The page of studies has a script of a job array, which is run as the scheduler would run it.
#[cfg(unix)]
#[test]
fn commands_of_the_page_of_studies_run() {
    const TASKS: usize = 32;
    let page = fs::read_to_string("docs/studies.md").unwrap();
    let sandbox = Sandbox::new();
    let mut scripts = 0;
    for block in blocks(&page) {
        if block.starts_with("#!") {
            assert!(block.contains(&format!("#SBATCH --array=1-{TASKS}\n")), "{block}");
            let script = block.replace("carom run ", "carom run --replicas 64 ");
            for task in 1..=TASKS {
                let mut shell = sandbox.shell(&script);
                shell.env("SLURM_ARRAY_TASK_ID", task.to_string()).env("SLURM_CPUS_PER_TASK", "1");
                let output = shell.output().unwrap();
                assert!(output.status.success(), "{block}\n{}", text(&output.stderr));
            }
            scripts += 1;
        } else {
            let lines: Vec<String> =
                block.lines().filter(|line| runs_tool(line)).map(str::to_owned).collect();
            sandbox.succeed("docs/studies.md", &lines);
        }
    }
    assert_eq!(scripts, 1);
}

#[test]
fn examples_of_every_help_run() {
    let commands = commands();
    assert!(commands.len() >= 14, "{commands:?}");
    for command in commands.iter() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let help = success(&[&words[..], &["--help"]].concat());
        let lines = examples_of_help(&help);
        assert!(!lines.is_empty(), "carom {}: no examples", words.join(" "));
        Sandbox::new().succeed(&format!("carom {} --help", words.join(" ")), &lines);
    }
}

#[test]
fn commands_in_comments_of_examples_run() {
    for folder in ["examples/scenes", "examples/studies"] {
        for name in names(Path::new(folder)) {
            let file = fs::read_to_string(Path::new(folder).join(&name)).unwrap();
            let lines = file.lines().filter_map(|line| line.strip_prefix("#   "));
            let lines: Vec<String> = lines
                .map(|line| line.split("  ").next().unwrap().to_owned())
                .filter(|line| runs_tool(line))
                .collect();
            assert!(!lines.is_empty(), "{folder}/{name}: its comments say how to run it");
            Sandbox::new().succeed(&name, &lines);
        }
    }
}

/// Commands within sentences, such as `carom run STUDY --replay N`, name commands and options that there are.
#[test]
fn options_in_sentences_exist() {
    let commands = commands();
    let mut count = 0;
    for page in PAGES {
        let text = fs::read_to_string(page).unwrap();
        let prose = text.split("```").step_by(2);
        for span in prose
            .flat_map(|part| part.split('`').skip(1).step_by(2))
            .filter(|span| span.starts_with("carom "))
        {
            let words: Vec<&str> =
                span.split([' ', '[', ']', '\n']).skip(1).filter(|word| !word.is_empty()).collect();
            let depth = (1..=words.len())
                .rev()
                .find(|&depth| commands.iter().any(|command| command[..] == words[..depth]));
            let named = &words[..depth.unwrap_or(0)];
            assert!(depth.is_some() || words[0].starts_with("--"), "{page}: {span}: no such command");
            let help = success(&[named, &["--help"]].concat());
            for option in words[named.len()..].iter().filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap();
                assert!(help.contains(option), "{page}: {span}: carom {} has no {option}", named.join(" "));
            }
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}

/// Commands of cargo name tests, benches, examples and features that there are.
#[test]
fn targets_of_cargo_commands_exist() {
    let manifest = fs::read_to_string("Cargo.toml").unwrap();
    let exists = |option: &str, name: &str| match option {
        "--bench" => manifest.contains(&format!("[[bench]]\nname = \"{name}\"")),
        "--example" => {
            ["", "/main"].iter().any(|main| Path::new(&format!("examples/{name}{main}.rs")).exists())
        }
        "--test" => ["", "/main"].iter().any(|main| Path::new(&format!("tests/{name}{main}.rs")).exists()),
        "--features" => name.split(',').all(|feature| manifest.contains(&format!("\n{feature} = ["))),
        _ => true,
    };
    let mut count = 0;
    for page in PAGES.iter().chain(&["BENCHMARKS.md"]) {
        let text = fs::read_to_string(page).unwrap();
        for line in
            blocks(&text).iter().flat_map(|block| block.lines()).filter(|line| line.contains("cargo "))
        {
            for pair in line.split_whitespace().collect::<Vec<_>>().windows(2) {
                assert!(exists(pair[0], pair[1]), "{page}: {line}: no {} {}", pair[0], pair[1]);
            }
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}
