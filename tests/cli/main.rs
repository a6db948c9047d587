//! The tool, run as a user runs it: files, messages, exit codes.
#![cfg(feature = "cli")]

#[path = "../library/directory.rs"]
mod directory;
mod endless;
mod fmb;
mod hints;
mod lock;
mod page;
mod printed;
mod rigid;
mod rigid_guide;
mod scenes;
mod shell;
mod stopping;
mod study;
mod study_files;
mod study_fixtures;
#[cfg(feature = "mpi")]
mod study_mpi;
mod study_report;
mod study_templates;
#[path = "../library/tools.rs"]
mod tools;
#[cfg(feature = "view")]
mod view;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use carom::io::{self, Format};
use carom::{Particle, World};
use directory::names;

const THREE_BALLS: &str = "examples/worlds/three_balls.json";
const ORBIT: &str = "examples/worlds/orbit.json";

fn carom(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    carom(arguments).output().unwrap()
}

/// Runs what must succeed, and returns its standard output.
fn success(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs what must fail as usage or bad input, and returns what it says.
fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stdout));
    assert!(!output.stderr.is_empty());
    text(&output.stderr)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A scratch directory and paths in it as text.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Writes a file and returns its path as text.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).unwrap();
        self.name(name)
    }
}

fn bits(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    io::write(&io::load(path).unwrap(), Format::Snapshot, &mut bytes).unwrap();
    bytes
}

/// The rows of a table without its header, as numbers; an empty cell and a word are NaN.
fn rows(path: &Path) -> Vec<Vec<f64>> {
    let table = fs::read_to_string(path).unwrap();
    let is_number = |cell: &str| !cell.is_empty() && !cell.starts_with(|c: char| c.is_ascii_alphabetic());
    let number = |cell: &str| if is_number(cell) { cell.parse().unwrap() } else { f64::NAN };
    table.lines().skip(1).map(|line| line.split(',').map(number).collect()).collect()
}

fn header(path: &Path) -> String {
    fs::read_to_string(path).unwrap().lines().next().unwrap().to_owned()
}

/// The tables of a plane simulation have the columns that the documentation names.
fn check_headers(run: &Path) {
    let expected = [
        ("trajectory.csv", "time_s,particle,position_x_m,position_y_m,velocity_x_m_per_s,velocity_y_m_per_s"),
        ("events.csv", "time_s,kind,first,second,impulse_N_s,normal_x,normal_y"),
        (
            "energy.csv",
            "time_s,kinetic_energy_J,potential_energy_J,total_energy_J,momentum_x_kg_m_per_s,momentum_y_kg_m_per_s",
        ),
    ];
    for (table, columns) in expected {
        assert_eq!(header(&run.join(table)), columns);
    }
}

#[test]
fn without_a_world_it_runs_the_built_in_one_and_tells() {
    let told = success(&["sim"]);
    assert!(told.contains("t = 0.339767 s: 1 and 2 collide"), "{told}");
    assert!(told.contains("t = 0.506603 s: 0 and 2 collide"), "{told}");
    assert!(told.contains("t = 1 s, 2 collisions of particles, 0 with walls, 3 particles"), "{told}");
    assert!(told.contains("\nsteps 100\n"), "{told}");
    assert!(told.contains("kinetic energy 3.250000 J"), "{told}");
}

#[test]
fn a_run_writes_its_tables_and_its_final_state() {
    let scratch = Scratch::new();
    let out = scratch.name("run");
    success(&["sim", THREE_BALLS, "--until", "1", "--dt", "0.05", "--every", "0.2", "--out", &out]);
    let file = |name: &str| scratch.path("run").join(name);
    assert_eq!(names(&scratch.path("run")), ["energy.csv", "events.csv", "final.json", "trajectory.csv"]);
    check_headers(&scratch.path("run"));

    // 20 steps: the start and every fourth.
    let trajectory = rows(&file("trajectory.csv"));
    assert_eq!(trajectory.len(), 6 * 3);
    let times: Vec<f64> = trajectory.iter().step_by(3).map(|row| row[0]).collect();
    assert_eq!(times, [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
    let table = rows(Path::new("tests/data/pbphys_collision.csv"));
    for (row, expected) in trajectory[3..].chunks(3).zip(table.iter().skip(3).step_by(4)) {
        for (particle, row) in row.iter().enumerate() {
            assert_eq!(row[1], particle as f64);
            assert!((row[2] - expected[1 + 2 * particle]).abs() < 1e-5);
            assert!((row[3] - expected[2 + 2 * particle]).abs() < 1e-5);
        }
    }
    let collisions = rows(&file("events.csv"));
    assert_eq!(collisions.iter().map(|row| (row[2], row[3])).collect::<Vec<_>>(), [(1.0, 2.0), (0.0, 2.0)]);
    assert!(collisions.iter().all(|row| row[4] > 0.0 && (row[5].hypot(row[6]) - 1.0).abs() < 1e-12));
    for row in rows(&file("energy.csv")) {
        assert!((row[1] - 3.25).abs() < 1e-12 && row[2] == 0.0 && row[3] == row[1]);
        assert!((row[4] + 0.5).abs() < 1e-12 && (row[5] + 1.5).abs() < 1e-12);
    }
    let world = io::load(&file("final.json")).unwrap();
    assert_eq!((world.time(), world.particles().len()), (1.0, 3));
}

#[test]
fn going_on_from_a_row_is_one_run_to_the_bit() {
    let scratch = Scratch::new();
    let sim = |world: &str, until: &str, out: &str| {
        let out = scratch.name(out);
        success(&["sim", world, "--until", until, "--dt", "0.01", "--every", "0.19", "--out", &out]);
    };
    for world in [THREE_BALLS, ORBIT] {
        let name = Path::new(world).file_stem().unwrap().to_str().unwrap();
        let (whole, first, second) = (format!("{name}-0"), format!("{name}-1"), format!("{name}-2"));
        sim(world, "1", &whole);
        sim(world, "0.57", &first);
        sim(&scratch.name(&format!("{first}/final.json")), "1", &second);
        let of = |run: &str, name: &str| scratch.path(run).join(name);
        assert_eq!(bits(&of(&second, "final.json")), bits(&of(&whole, "final.json")));
        for (table, kept) in [("trajectory.csv", 3), ("energy.csv", 1)] {
            // The first state of the second run is the last one of the first.
            let mut joined = rows(&of(&first, table));
            joined.truncate(joined.len() - kept);
            joined.extend(rows(&of(&second, table)));
            // The first run ends at 0.57 sharp, the whole one passes a multiple of 0.01 there.
            let without_time =
                |rows: &[Vec<f64>]| rows.iter().map(|row| row[1..].to_vec()).collect::<Vec<_>>();
            assert_eq!(without_time(&joined), without_time(&rows(&of(&whole, table))), "{name}, {table}");
        }
        let collisions = |run| fs::read_to_string(of(run, "events.csv")).unwrap();
        let second_half = collisions(&second).split_once('\n').unwrap().1.to_owned();
        assert_eq!(collisions(&first) + &second_half, collisions(&whole));
    }
}

#[test]
fn a_run_ends_exactly_where_it_should() {
    let scratch = Scratch::new();
    let out = scratch.name("run");
    let summary =
        success(&["sim", ORBIT, "--until", "1", "--dt", "0.3", "--every", "0.3", "--out", &out, "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!((summary["time"].as_f64(), summary["steps"].as_u64()), (Some(1.0), Some(4)));
    let times: Vec<f64> = rows(&scratch.path("run/energy.csv")).iter().map(|row| row[0]).collect();
    assert_eq!(times, [0.0, 0.3, 0.6, 0.8999999999999999, 1.0]);
}

#[test]
fn the_summary_for_scripts_is_json() {
    let scratch = Scratch::new();
    let out = scratch.name("run");
    let summary = success(&["sim", THREE_BALLS, "--out", &out, "--json", "--quiet", "--threads", "1"]);
    assert_eq!(summary.lines().count(), 1);
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["collisions"], 2);
    assert_eq!(summary["particles"], 3);
    assert_eq!(summary["steps"], 100);
    assert_eq!(summary["complete"], true);
    assert_eq!(summary["state"], format!("{out}/final.json"));
    assert!((summary["kinetic_energy"].as_f64().unwrap() - 3.25).abs() < 1e-12);
    assert!(summary["energy_drift"].as_f64().unwrap() < 1e-12);
    assert!(summary["momentum_drift"].as_f64().unwrap() < 1e-12);
    assert_eq!(success(&["sim", THREE_BALLS, "--out", &out, "--force", "--quiet"]), "");
}

#[test]
fn an_integrator_can_be_chosen_and_is_kept() {
    let scratch = Scratch::new();
    let drift = |rule: &str| {
        let out = scratch.name(rule);
        let options = ["--until", "3", "--dt", "0.01", "--json", "--quiet", "--out", &out];
        let summary = success(&[&["sim", ORBIT, "--integrator", rule], &options[..]].concat());
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        summary["energy_drift"].as_f64().unwrap()
    };
    let [euler, verlet, fourth] = ["euler", "velocity-verlet", "fourth-order"].map(drift);
    assert!(euler > 1e-2 && verlet < 1e-4 && fourth < 1e-8, "{euler} {verlet} {fourth}");
    let kept = io::load(&scratch.path("fourth-order/final.json")).unwrap();
    assert_eq!(kept.settings().integrator, carom::Integrator::FourthOrder);
}

#[test]
fn collisions_can_be_ignored_and_threads_change_nothing() {
    let scratch = Scratch::new();
    let final_state = |name: &str, extra: &[&str]| {
        let out = scratch.name(name);
        success(&[&["sim", THREE_BALLS, "--out", &out, "--quiet"], extra].concat());
        bits(&scratch.path(name).join("final.json"))
    };
    let through = final_state("through", &["--ignore-collisions"]);
    assert!(rows(&scratch.path("through/events.csv")).is_empty());
    let position =
        io::load(&scratch.path("through/final.json")).unwrap().particles().get(0).unwrap().position;
    assert!((position[0] - 1.0).abs() < 1e-12 && (position[1] - 1.0).abs() < 1e-12);
    let one = final_state("one", &["--threads", "1"]);
    assert_ne!(one, through);
    assert_eq!(one, final_state("two", &["--threads", "2"]));
}

#[test]
fn every_format_can_be_run_and_left_behind() {
    let scratch = Scratch::new();
    let snapshot = scratch.name("balls.carom");
    success(&["convert", THREE_BALLS, &snapshot]);
    for (n, (format, name)) in
        [("snapshot", "final.carom"), ("pbphys", "final.pbphys.json"), ("json-compact", "final.json")]
            .into_iter()
            .enumerate()
    {
        let out = scratch.name(&format!("run{n}"));
        success(&["sim", &snapshot, "--out", &out, "--final-format", format]);
        let last = scratch.path(&format!("run{n}")).join(name);
        assert_eq!(io::load(&last).unwrap().time(), 1.0, "{format}");
    }
    let mut child =
        carom(&["sim", "-", "--out", &scratch.name("piped")]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&fs::read(&snapshot).unwrap()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(bits(&scratch.path("piped/final.json")), bits(&scratch.path("run2/final.json")));
}

#[test]
fn results_are_not_replaced_without_force() {
    let scratch = Scratch::new();
    let out = scratch.name("run");
    success(&["sim", THREE_BALLS, "--out", &out]);
    let before = fs::read(scratch.path("run/final.json")).unwrap();
    let said = refusal(&["sim", ORBIT, "--out", &out]);
    assert!(said.contains("trajectory.csv already exists") && said.contains("--force"), "{said}");
    assert_eq!(fs::read(scratch.path("run/final.json")).unwrap(), before);
    success(&["sim", ORBIT, "--out", &out, "--force"]);
    assert_ne!(fs::read(scratch.path("run/final.json")).unwrap(), before);
}

#[test]
fn conversion_keeps_every_bit_where_the_format_can() {
    let scratch = Scratch::new();
    let path = |name: &str| scratch.path(name);
    success(&["convert", ORBIT, &scratch.name("a.carom")]);
    success(&["convert", &scratch.name("a.carom"), &scratch.name("b.pbphys")]);
    success(&["convert", &scratch.name("b.pbphys"), &scratch.name("c.json")]);
    success(&["convert", &scratch.name("c.json"), &scratch.name("d.odd"), "--to", "json-compact"]);
    for name in ["a.carom", "b.pbphys", "c.json", "d.odd"] {
        assert_eq!(bits(&path(name)), bits(Path::new(ORBIT)), "{name}");
    }
    assert_eq!(fs::read_to_string(path("d.odd")).unwrap().lines().count(), 1);
    assert!(fs::read(path("a.carom")).unwrap().starts_with(b"CAROMSNP"));
    assert!(fs::read_to_string(path("b.pbphys")).unwrap().contains("\"_nbParticle\": \"3\""));

    let piped = success(&["convert", ORBIT, "-", "--to", "json"]);
    assert_eq!(piped, fs::read_to_string(path("c.json")).unwrap());
    let mut child = carom(&["convert", "-", &scratch.name("e.json")]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(piped.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(bits(&path("e.json")), bits(Path::new(ORBIT)));
}

#[test]
fn conversion_to_pbphys_warns_of_what_is_lost() {
    let scratch = Scratch::new();
    let mut world = World::new(1).unwrap();
    world.particles_mut().add(&Particle::sphere(&[0.0], 1.0).with_data(7)).unwrap();
    io::save(&world, Format::Json, &scratch.path("in.json")).unwrap();
    let output = run(&["convert", &scratch.name("in.json"), &scratch.name("out.pbphys")]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("cannot hold the user data"), "{}", text(&output.stderr));
    let quiet = run(&["convert", ORBIT, &scratch.name("orbit.pbphys")]);
    assert!(quiet.stderr.is_empty(), "{}", text(&quiet.stderr));
}

#[test]
fn bad_input_names_the_file_and_the_place() {
    let scratch = Scratch::new();
    let good = fs::read_to_string(THREE_BALLS).unwrap();
    let bad = scratch.file("bad.json", good.replace("\"mass\": 2", "\"mass\": \"two\""));
    for command in [vec!["sim", &bad], vec!["convert", &bad, "out.json"]] {
        let said = refusal(&command);
        assert!(said.contains("bad.json: carom JSON, line 9, column"), "{said}");
        assert!(said.contains("particles[2].mass"), "{said}");
    }
    let heavy = scratch.file("heavy.json", good.replace("\"mass\": 2", "\"mass\": -2"));
    assert!(refusal(&["sim", &heavy]).contains("heavy.json: carom JSON is corrupt: mass[2] is -2"));
    let cut = scratch.file("cut.json", &good[..good.len() / 2]);
    assert!(refusal(&["sim", &cut]).contains("truncated"));
    let foreign = scratch.file("foreign.txt", "hello");
    assert!(refusal(&["sim", &foreign]).contains("foreign.txt: unknown file format"));
    let missing = scratch.name("missing.json");
    let said = refusal(&["sim", &missing]);
    assert!(said.contains("missing.json: No such file"), "{said}");
    let said = refusal(&["convert", THREE_BALLS, &scratch.name("no/such/directory/out.json")]);
    assert!(said.contains("out.json: No such file"), "{said}");
    assert!(refusal(&["convert", THREE_BALLS, &scratch.name("out.xyz")]).contains("--to"));
    assert!(refusal(&["convert", THREE_BALLS, "-"]).contains("--to"));
}

#[test]
fn bad_usage_says_what_is_wrong() {
    let scratch = Scratch::new();
    let out = scratch.name("run");
    for (arguments, expected) in [
        (vec!["--dt", "0"], "more than 0"),
        (vec!["--dt", "-1"], "more than 0"),
        (vec!["--dt", "soon"], "number of seconds"),
        (vec!["--until", "nan"], "number of seconds"),
        (vec!["--until", "-5"], "already at t = 0 s"),
        (vec!["--every", "0"], "--every"),
        (vec!["--dt", "1e-300"], "must be large enough"),
        (vec!["--nonsense"], "--nonsense"),
    ] {
        let said = refusal(&[&["sim", THREE_BALLS, "--out", &out][..], &arguments].concat());
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    assert!(!scratch.path("run").exists());
    assert!(refusal(&[]).contains("Usage"));
    assert!(refusal(&["fly"]).contains("fly"));
    let file = scratch.file("taken", "");
    assert!(refusal(&["sim", THREE_BALLS, "--out", &file]).contains("taken"));
    let still = scratch.file("still.json", fs::read_to_string(THREE_BALLS).unwrap().replace("0.01", "0"));
    assert!(refusal(&["sim", &still, "--out", &out]).contains("--dt"));
}

#[test]
fn help_teaches_with_examples() {
    for (arguments, parts) in [
        (vec!["--help"], vec!["Examples:", "carom sim", "carom convert", "Exit codes: 0"]),
        (
            vec!["sim", "--help"],
            vec!["Examples:", THREE_BALLS, ORBIT, "in seconds", "trajectory.csv", "--force"],
        ),
        (vec!["convert", "--help"], vec!["Examples:", ".pbphys", "--to"]),
        (vec!["fmb", "--help"], vec!["Examples:", "carom fmb test", "carom fmb validate", "metres"]),
        (vec!["fmb", "bench", "--help"], vec!["Examples:", "--paired", "SAT"]),
        (vec!["fmb", "qualify", "--help"], vec!["Examples:", "qualification2DCC.csv", "NearOnly"]),
        (vec!["fmb", "test", "--help"], vec!["Examples:", "a_c00,a_c01", "t_in,t_out", "in seconds"]),
        (vec!["fmb", "validate", "--help"], vec!["Examples:", "exit code is 1", "--near"]),
        (vec!["--version"], vec![env!("CARGO_PKG_VERSION")]),
    ] {
        let help = success(&arguments);
        for part in parts {
            assert!(help.contains(part), "no {part:?} in {help}");
        }
    }
}

/// Options that every scene has stand before those of some scenes.
#[test]
fn options_of_all_scenes_are_not_those_of_a_gas() {
    for (command, of_all) in
        [("sim", ["--until", "--out", "--collisions", "--json"].as_slice()), ("view", &["--until"])]
    {
        let help = success(&[command, "--help"]);
        let (all, some) = help.split_once("Options of rigid bodies:").expect("a heading");
        let (bodies, gas) = some.split_once("Options of the scene gas:").expect("a heading");
        for option in of_all {
            let line = format!("      {option}");
            assert!(all.contains(&line) && !bodies.contains(&line) && !gas.contains(&line), "{option}");
        }
        assert!(bodies.contains("      --rows") && gas.contains("      --density"));
    }
}

#[test]
fn a_run_that_cannot_go_on_keeps_what_it_has() {
    let scratch = Scratch::new();
    // Ten balls in a row and a bound of two collisions per step.
    let mut world = World::new(1).unwrap();
    for n in 0..10 {
        let velocity = if n == 0 { 1.0 } else { 0.0 };
        let ball = Particle::sphere(&[f64::from(n) * 1.01], 0.5).with_mass(1.0).with_velocity(&[velocity]);
        world.particles_mut().add(&ball).unwrap();
    }
    world.set_settings(world.settings().with_max_collisions(2)).unwrap();
    io::save(&world, Format::Json, &scratch.path("row.json")).unwrap();
    let output =
        run(&["sim", &scratch.name("row.json"), "--dt", "1", "--out", &scratch.name("run"), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("stopped at t = 0.0") && said.contains("max_collisions"), "{said}");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["complete"], false);
    let last = io::load(&scratch.path("run/final.json")).unwrap();
    assert!(last.time() > 0.0 && last.time() < 1.0);
    let energy = rows(&scratch.path("run/energy.csv"));
    assert_eq!(energy.last().unwrap()[0], last.time());
}

#[cfg(unix)]
mod unix {
    use std::time::{Duration, Instant};

    use super::*;

    /// Runs something long, interrupts it once it is under way, and returns how it ended.
    fn interrupted(scratch: &Scratch, signal: i32) -> Output {
        let mut child =
            carom(&["sim", THREE_BALLS, "--until", "1e9", "--dt", "0.001", "--every", "1000", "--out"])
                .arg(scratch.path("run"))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        // The tables are open, so the signals are watched.
        while fs::read_dir(scratch.path("run")).map_or(0, Iterator::count) < 3 {
            assert!(Instant::now() < deadline, "the run does not start");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(200));
        let id = i32::try_from(child.id()).unwrap();
        // SAFETY: kill takes two integers and touches no memory of ours.
        assert_eq!(unsafe { libc::kill(id, signal) }, 0);
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
        child.stderr.take().unwrap().read_to_end(&mut stderr).unwrap();
        Output { status: child.wait().unwrap(), stdout, stderr }
    }

    #[test]
    fn an_interrupted_run_leaves_whole_files_and_can_go_on() {
        for signal in [libc::SIGINT, libc::SIGTERM] {
            let scratch = Scratch::new();
            let output = interrupted(&scratch, signal);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{said}");
            let last = scratch.name("run/final.json");
            assert!(said.contains("interrupted at t = "), "{said}");
            assert!(
                said.contains(&format!("carom sim {last} --until 1000000000 --every 1000 --dt 0.001 --out")),
                "{said}"
            );
            assert_eq!(
                names(&scratch.path("run")),
                ["energy.csv", "events.csv", "final.json", "trajectory.csv"]
            );
            let time = io::load(Path::new(&last)).unwrap().time();
            assert!(time > 0.0);
            assert_eq!(rows(&scratch.path("run/events.csv")).len(), 2);
            assert_eq!(rows(&scratch.path("run/energy.csv")).last().unwrap()[0], time);

            // To the bit what a run without interruption reaches at that time.
            let until = time.to_string();
            let straight = scratch.name("straight");
            success(&["sim", THREE_BALLS, "--until", &until, "--dt", "0.001", "--out", &straight, "--quiet"]);
            assert_eq!(bits(&scratch.path("straight/final.json")), bits(Path::new(&last)));
            let more = scratch.name("more");
            success(&["sim", &last, "--dt", "0.001", "--out", &more]);
        }
    }

    #[test]
    fn a_closed_pipe_is_no_failure() {
        for arguments in [vec!["sim"], vec!["--help"], vec!["convert", ORBIT, "-", "--to", "json"]] {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let output = carom(&arguments).stdout(writer).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
            assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_a_failure() {
        let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        for arguments in [vec!["sim"], vec!["--help"], vec!["convert", ORBIT, "-", "--to", "json"]] {
            let output = carom(&arguments).stdout(full()).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            assert!(text(&output.stderr).contains("standard output: No space"), "{}", text(&output.stderr));
        }
        let said = refusal(&["convert", ORBIT, "/dev/full", "--to", "snapshot"]);
        assert!(said.contains("/dev/full: No space"), "{said}");
    }
}

/// One build runs everywhere, and says at which level of instructions.
#[test]
fn the_level_is_named_and_can_be_forced() {
    let version = |level: Option<&str>| {
        let mut command = carom(&["--version"]);
        level.map(|level| command.env("CAROM_LEVEL", level));
        command.output().unwrap()
    };
    let expected = |level: &str| format!("carom {} (level {level})\n", env!("CARGO_PKG_VERSION"));
    let best = carom::Level::ALL.into_iter().rfind(|level| level.is_available()).unwrap();
    if std::env::var_os("CAROM_LEVEL").is_none() {
        assert_eq!(text(&version(None).stdout), expected(best.name()));
    }
    for level in carom::Level::ALL {
        let output = version(Some(level.name()));
        if level.is_available() {
            assert_eq!(text(&output.stdout), expected(level.name()));
        } else {
            assert_eq!(output.status.code(), Some(2));
        }
    }
    let unknown = version(Some("avx9"));
    assert_eq!(unknown.status.code(), Some(2));
    let said = text(&unknown.stderr);
    assert!(said.contains("CAROM_LEVEL=avx9") && said.contains("portable"), "{said}");
    let summary = carom(&["sim", "--json"]).env("CAROM_LEVEL", "portable").output().unwrap();
    assert!(text(&summary.stdout).contains("\"level\":\"portable\""), "{}", text(&summary.stdout));
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn an_older_cpu_runs_the_same_build() {
    let old = Command::new("qemu-x86_64")
        .args(["-cpu", "Nehalem", env!("CARGO_BIN_EXE_carom"), "--version"])
        .env_remove("CAROM_LEVEL")
        .output();
    let Ok(output) = old else {
        let message = "skipped: qemu-x86_64 is missing (package qemu-user)";
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{message}");
        eprintln!("{message}");
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("(level portable)"), "{}", text(&output.stdout));
}
