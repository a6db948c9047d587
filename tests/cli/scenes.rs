//! `carom sim` with scenes: names, files, tables, pictures, going on.

use std::fs;

use carom::events::scenes::SCENES;
use serde_json::Value;

use crate::directory::names;
use crate::{Scratch, THREE_BALLS, check_headers, refusal, rows, run, success, text};

fn json(arguments: &[&str]) -> Value {
    let told = success(&[&["sim"], arguments, &["--json", "--quiet"]].concat());
    assert_eq!(told.lines().count(), 1);
    serde_json::from_str(&told).unwrap()
}

const TWO_BALLS: &str = "examples/scenes/two_balls.toml";

#[test]
fn the_list_has_a_line_for_each_scene() {
    let list = success(&["sim", "--list"]);
    let names: Vec<&str> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    let bodies = carom::rigid2d::scenes::SCENES.iter().map(|scene| scene.name);
    assert_eq!(names, SCENES.iter().map(|scene| scene.name).chain(bodies).collect::<Vec<_>>());
    assert!(list.lines().all(|line| line.split_whitespace().count() > 5), "{list}");
    for name in names {
        success(&["sim", name, "--until", "0.01", "--quiet"]);
    }
}

#[test]
fn a_scene_tells_what_happens() {
    let told = success(&["sim", "head-on-vertical"]);
    assert!(told.contains("t = 0.200000 s: 0 and 1 collide, impulse 0.006000 N s"), "{told}");
    assert!(told.contains("head-on-vertical: t = 0.4 s, 1 collisions of particles"), "{told}");
    assert!(told.contains("next, at t = "), "{told}");
    let told = success(&["sim", "head-on-vertical", "--until", "1"]);
    assert!(told.contains("hits the upper wall of axis 1"), "{told}");
    let atoms = success(&["sim", "gas", "--particles", "32", "--mass", "1e-26", "--temperature", "4e-21"]);
    assert!(atoms.contains("kinetic energy 1.920000e-19 J") && atoms.contains("square displ"), "{atoms}");
    let told = success(&["sim", "empty"]);
    assert!(told.contains("empty: t = 1 s, 0 collisions of particles, 0 with walls, 0 particles"), "{told}");
}

#[test]
fn the_summary_for_scripts_has_what_scripts_need() {
    let told = json(&["gas", "--particles", "108", "--density", "0.5", "--collisions", "2e3", "--seed", "3"]);
    for field in ["time", "pressure", "energy_drift", "momentum_drift", "events_per_second"] {
        assert!(told[field].is_f64(), "{field}: {told}");
    }
    assert_eq!((&told["collisions"], &told["wall_collisions"]), (&2000.into(), &0.into()));
    assert_eq!((&told["particles"], &told["complete"], &told["dim"]), (&108.into(), &true.into(), &3.into()));
    assert!(
        told["energy_drift"].as_f64().unwrap() < 1e-12 && told["momentum_drift"].as_f64().unwrap() < 1e-12
    );
    assert!((1.4..1.9).contains(&told["pressure"].as_f64().unwrap()), "{told}");
    assert!(told["events_per_second"].as_f64().unwrap() > 0.0);
    let velocities = told["speed_histogram"]["counts"].as_array().unwrap();
    assert_eq!(velocities.iter().map(|count| count.as_u64().unwrap()).sum::<u64>(), 108);
    assert!(told["speed_histogram"]["width"].as_f64().unwrap() > 0.0);
    let other = json(&["gas", "--particles", "108", "--collisions", "2e3", "--seed", "4"]);
    assert_ne!(told["time"], other["time"]);
    let disks = json(&["gas", "--particles", "60", "--density", "0.3", "--dim", "2", "--until", "2"]);
    assert_eq!((&disks["time"], &disks["dim"]), (&2.0.into(), &2.into()));
    let walls = json(&["billiard-break", "--threads", "1"]);
    assert!(walls["wall_collisions"].as_u64().unwrap() > 10 && walls["wall_pressure"].is_f64());
    assert!(json(&["empty"])["pressure"].is_null() || json(&["empty"])["pressure"] == 0.0);
}

#[test]
fn a_gas_by_options_is_the_gas_of_a_scene_file() {
    let scratch = Scratch::new();
    let file = scratch.file(
        "gas.toml",
        "dimension = 2\nseed = 9\n[gas]\nparticles = 200\npacking = 0.5\nradius = 0.25\nmass = 3\ntemperature = 2\n\
         walls = \"reflecting\"\nmix = { fraction = 0.75, radius_ratio = 0.2, mass_ratio = 0.1 }\n",
    );
    let options = "--dim 2 --seed 9 --particles 200 --packing 0.5 --radius 0.25 --mass 3 --temperature 2 \
                   --walls reflecting --fraction 0.75 --radius-ratio 0.2 --mass-ratio 0.1";
    let state = |scene: &[&str], out: &str| {
        success(
            &[&["sim"], scene, &["--collisions", "300", "--quiet", "--out", &scratch.name(out)]].concat(),
        );
        fs::read(scratch.path(out).join("final.carom")).unwrap()
    };
    let by_options = [vec!["gas"], options.split_whitespace().collect()].concat();
    assert!(state(&by_options, "options") == state(&[&file], "file"));
    assert!(state(&["gas", "--dim", "2", "--seed", "9"], "plain") != state(&by_options, "again"));
}

#[test]
fn a_run_writes_its_tables_and_its_final_state() {
    let scratch = Scratch::new();
    let out = scratch.name("run");
    success(&["sim", TWO_BALLS, "--until", "2", "--every", "0.5", "--out", &out]);
    let file = |name: &str| scratch.path("run").join(name);
    assert_eq!(names(&scratch.path("run")), ["energy.csv", "events.csv", "final.carom", "trajectory.csv"]);
    check_headers(&scratch.path("run"));
    let times: Vec<f64> = rows(&file("energy.csv")).iter().map(|row| row[0]).collect();
    assert_eq!(times, [0.0, 0.5, 1.0, 1.5, 2.0]);
    assert_eq!(rows(&file("trajectory.csv")).len(), 10);
    let events = fs::read_to_string(file("events.csv")).unwrap();
    let first = events.lines().nth(1).unwrap();
    let time: f64 = first.split(',').next().unwrap().parse().unwrap();
    assert!((time - 1.1).abs() < 1e-12 && first.contains(",particle,0,1,"), "{first}");
    // Without --every about a hundred rows, without --out in carom-out.
    let told = json(&[TWO_BALLS, "--out", &scratch.name("more")]);
    assert_eq!(rows(&scratch.path("more/energy.csv")).len(), 101);
    assert_eq!(told["state"], scratch.name("more/final.carom"));
    // By collisions too.
    success(&["sim", "billiard-break", "--collisions", "50", "--out", &scratch.name("count"), "--quiet"]);
    assert_eq!(rows(&scratch.path("count/energy.csv")).len(), 51);
    assert_eq!(fs::read_to_string(scratch.path("count/events.csv")).unwrap().lines().count(), 51);
}

#[test]
fn going_on_is_one_run_to_the_bit() {
    let scratch = Scratch::new();
    let of = |name: &str, file: &str| scratch.path(name).join(file);
    let sim = |scene: &str, until: &str, out: &str| {
        success(&["sim", scene, "--until", until, "--every", "0.01", "--out", &scratch.name(out), "--quiet"]);
    };
    for (n, scene) in
        ["billiard-break", "examples/scenes/falling.toml", "three-balls"].into_iter().enumerate()
    {
        let [whole, first, second] = ["whole", "first", "second"].map(|part| format!("{part}{n}"));
        sim(scene, "1", &whole);
        sim(scene, "0.5", &first);
        sim(&scratch.name(&format!("{first}/final.carom")), "1", &second);
        let read = |run: &str, name: &str| fs::read(of(run, name)).unwrap();
        assert!(read(&second, "final.carom") == read(&whole, "final.carom"), "{scene}");
        for table in ["trajectory.csv", "energy.csv", "events.csv"] {
            let lines = |run: &str| -> Vec<String> {
                fs::read_to_string(of(run, table)).unwrap().lines().skip(1).map(str::to_owned).collect()
            };
            let (mut joined, rest) = (lines(&first), lines(&second));
            // The state in between is in both.
            let shared = joined.iter().rev().take_while(|line| line.starts_with("0.5,")).count();
            joined.truncate(joined.len() - shared);
            joined.extend(rest);
            assert_eq!(joined, lines(&whole), "{scene}, {table}");
        }
    }
}

/// The first attribute of this name in a piece of SVG.
fn attribute(svg: &str, name: &str) -> f64 {
    let from = svg.split_once(&format!(" {name}=\"")).unwrap().1;
    from.split_once('"').unwrap().0.parse().unwrap()
}

#[test]
fn a_picture_has_circles_and_paths() {
    let scratch = Scratch::new();
    for (scene, particles) in [("billiard-break", 16), (TWO_BALLS, 2), ("examples/scenes/falling.toml", 31)] {
        let svg = scratch.name(&format!("{particles}.svg"));
        success(&["sim", scene, "--svg", &svg, "--quiet", "--out", &scratch.name(&particles.to_string())]);
        let picture = fs::read_to_string(&svg).unwrap();
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
        assert_eq!(picture.matches("<circle").count(), 2 * particles, "{scene}");
        assert!(picture.matches("<polyline").count() >= particles, "{scene}");
        assert!(picture.contains("collisions of particles"));
        let said = refusal(&["sim", scene, "--svg", &svg, "--out", &scratch.name("other")]);
        assert!(said.contains("already exists") && said.contains("--force"), "{said}");
        assert!(!scratch.path("other").exists());
    }
    for dim in ["1", "3"] {
        let svg = scratch.name(&format!("gas{dim}.svg"));
        success(&["sim", "gas", "--dim", dim, "--particles", "20", "--until", "1", "--svg", &svg, "--quiet"]);
        assert!(fs::read_to_string(&svg).unwrap().contains("<circle"));
    }
    // Balls that stick out through periodic faces are shown as a whole.
    let svg = scratch.name("mixture.svg");
    let mixture = ["--fraction", "0.8", "--radius-ratio", "0.1", "--packing", "0.5", "--particles", "60"];
    success(&[&["sim", "gas", "--dim", "2", "--svg", &svg, "--quiet"][..], &mixture].concat());
    let picture = fs::read_to_string(&svg).unwrap();
    let [width, height] = ["width", "height"].map(|name| attribute(&picture, name));
    for circle in picture.split("<circle").skip(1) {
        let [x, y, r] = ["cx", "cy", "r"].map(|name| attribute(circle, name));
        assert!(x - r >= 0.0 && x + r <= width && y - r >= 0.0 && y + r <= height, "{circle}");
    }
    success(&["sim", "empty", "--svg", &scratch.name("empty.svg"), "--quiet"]);
    let said = refusal(&["sim", "gas", "--particles", "30000", "--svg", &scratch.name("big.svg")]);
    assert!(said.contains("at most 20000"), "{said}");
}

#[test]
fn bad_files_are_named_with_line_and_field() {
    let scratch = Scratch::new();
    let good = fs::read_to_string(TWO_BALLS).unwrap();
    let bad = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        refusal(&["sim", &scratch.file("bad.toml", good.replacen(from, to, 1))])
    };
    let said = bad("mass = 20", "mas = 20");
    assert!(
        said.contains("bad.toml: scene, line 29, column 1: ball[0].mas is unknown; did you mean mass?"),
        "{said}"
    );
    let said = bad("radius = 2", "radius = -2");
    assert!(said.contains("line 28, column 10: ball[0].radius is -2"), "{said}");
    let said = bad("\"reflecting\"", "\"rubber\"");
    assert!(said.contains("line 20") && said.contains("open, reflecting, periodic"), "{said}");
    let said = bad("[35, 10]", "[12, 10]");
    assert!(said.contains("bad.toml: ") && said.contains("overlap"), "{said}");
    let said = bad("[35, 10]", "[55, 10]");
    assert!(said.contains("ball[1].position is outside of the box"), "{said}");
    let said = bad("dimension = 2", "dimension = 2 2");
    assert!(said.contains("bad.toml: scene, line 9"), "{said}");
    let said = refusal(&["sim", &scratch.file("latin.toml", b"name = \"\xff\"")]);
    assert!(said.contains("UTF-8"), "{said}");
    let said = refusal(&["sim", "snooker"]);
    assert!(said.contains("snooker: No such file") && said.contains("carom sim --list"), "{said}");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for (arguments, expected) in [
        (vec!["oblique", "--dt", "0.1"], "--dt is for worlds"),
        (vec![TWO_BALLS, "--ignore-collisions"], "--ignore-collisions is for worlds"),
        (vec![TWO_BALLS, "--integrator", "velocity-verlet"], "--integrator is for worlds"),
        (vec!["gas", "--final-format", "json"], "--final-format is for worlds"),
        (vec!["oblique", "--density", "0.1"], "--density is for the scene gas"),
        (vec![TWO_BALLS, "--particles", "10"], "--particles is for the scene gas"),
        (vec![THREE_BALLS, "--dim", "2"], "--dim is for the scene gas"),
        (vec![THREE_BALLS, "--collisions", "10"], "--collisions is for scenes"),
        (vec!["--collisions", "10"], "--collisions is for scenes"),
        (vec![THREE_BALLS, "--svg", "x.svg"], "--svg is for scenes"),
        (vec!["oblique", "--seed", "1"], "--seed is for gas and scene files"),
        (vec!["oblique", "--svg", "-"], "a picture needs a file"),
        (vec!["oblique", "--until", "-1"], "already at t = 0 s"),
        (vec!["oblique", "--every", "1e-300"], "too small"),
        (vec![THREE_BALLS, "--every", "1e-300"], "too small"),
        (vec!["gas", "--density", "1.5"], "density is 1.5: it must be smaller"),
        (vec!["gas", "--density", "-1"], "density is -1"),
        (vec!["oblique", "--radius-ratio", "0.5", "--fraction", "0.5"], "--fraction is for the scene gas"),
        (vec![TWO_BALLS, "--walls", "periodic"], "--walls is for the scene gas"),
        (vec!["gas", "--packing", "0.3", "--density", "0.3"], "cannot be used with"),
        (vec!["gas", "--packing", "0.8"], "--packing is 0.8: it must be smaller"),
        (vec!["gas", "--fraction", "0.5"], "--radius-ratio"),
        (vec!["gas", "--mass-ratio", "0.5"], "--fraction"),
        (
            vec!["gas", "--fraction", "1.5", "--radius-ratio", "0.5"],
            "--fraction is 1.5: it must be from 0 to 1",
        ),
        (vec!["gas", "--fraction", "nan", "--radius-ratio", "0.5"], "it must be a finite number"),
        (vec!["gas", "--fraction", "0.5", "--radius-ratio", "2"], "--radius-ratio is 2: it must be above 0"),
        (vec!["gas", "--fraction", "0.5", "--radius-ratio", "1", "--mass-ratio", "0"], "--mass-ratio is 0"),
        (vec!["gas", "--temperature", "-1"], "--temperature is -1: it must be 0 or above"),
        (vec!["gas", "--radius", "0"], "--radius is 0"),
        (vec!["gas", "--mass", "inf"], "it must be a finite number"),
        (vec!["gas", "--walls", "open"], "periodic, reflecting"),
        (vec!["gas", "--dim", "4"], "--dim"),
        (vec!["gas", "--particles", "0"], "above 0"),
        (vec!["gas", "--collisions", "1.5"], "whole number"),
        (vec!["gas", "--list"], "--list"),
    ] {
        let scratch = Scratch::new();
        let out = scratch.name("run");
        let list = arguments.contains(&"--list");
        let out: &[&str] = if list { &[] } else { &["--out", &out] };
        let said = refusal(&[&["sim"][..], &arguments, out].concat());
        assert!(said.contains(expected), "{arguments:?}: {said}");
        assert!(!scratch.path("run").exists());
    }
}

#[test]
fn scenes_come_through_a_pipe_too() {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = crate::carom(&["sim", "-", "--json", "--out"])
        .arg(Scratch::new().path("piped"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&fs::read(TWO_BALLS).unwrap()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["scene"], "two balls");
}

#[test]
fn a_run_in_which_nothing_is_left_to_happen_ends() {
    let scratch = Scratch::new();
    let open = fs::read_to_string(TWO_BALLS).unwrap().replace("\"reflecting\"", "\"open\"");
    let output =
        run(&["sim", &scratch.file("open.toml", open), "--collisions", "5", "--out", &scratch.name("run")]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("nothing will ever happen again"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("1 collisions of particles"), "{}", text(&output.stdout));
}

#[test]
fn falling_balls_come_to_rest_and_the_run_goes_on() {
    let scratch = Scratch::new();
    let output = run(&[
        "sim",
        "examples/scenes/falling.toml",
        "--until",
        "20",
        "--json",
        "--out",
        &scratch.name("run"),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "nothing stopped it");
    let energies = rows(&scratch.path("run/energy.csv"));
    assert_eq!(energies.last().unwrap()[0], 20.0);
    assert!(
        energies.is_sorted_by(|before, after| after[3] <= before[3] * (1.0 + 1e-12)),
        "energy only falls"
    );
}

#[test]
fn a_ball_that_comes_to_rest_stops_the_run_without_a_contact_duration_and_is_told_once() {
    let scratch = Scratch::new();
    let bouncing = "dimension = 2\nuntil = 100\n[box]\nwalls = \"reflecting\"\nupper = [10, 10]\n[physics]\n\
                    gravity = 9.81\nwall_restitution = 0.5\ncontact_duration = 0\n[[ball]]\nposition = [5, 5]\nradius = 1\nmass = 1\n";
    let output = run(&["sim", &scratch.file("bouncing.toml", bouncing), "--out", &scratch.name("run")]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("particle 0 collides with a wall repeatedly"), "{said}");
    assert_eq!(said.matches("stopped at").count(), 1, "{said}");
    // Fallen by 4 m, then half as fast each time: the bounces add up to three times the fall.
    let time = rows(&scratch.path("run/energy.csv")).last().unwrap()[0];
    assert!((time - 3.0 * (8.0_f64 / 9.81).sqrt()).abs() < 1e-3, "{time}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_whole_files_and_can_go_on() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let scratch = Scratch::new();
    let out = scratch.name("run");
    let child = crate::carom(&["sim", "three-balls", "--until", "1e9", "--every", "1e6", "--out", &out])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::read_dir(scratch.path("run")).map_or(0, Iterator::count) < 3 {
        assert!(Instant::now() < deadline, "the run does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
    let id = i32::try_from(child.id()).unwrap();
    // SAFETY: kill takes two integers and touches no memory of ours.
    assert_eq!(unsafe { libc::kill(id, libc::SIGINT) }, 0);
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let state = scratch.name("run/final.carom");
    assert!(said.contains("interrupted at t = "), "{said}");
    let command = format!("carom sim {state} --until 1000000000 --every 1000000 --out {out}-2");
    assert!(said.contains(&command), "{said}");
    assert_eq!(names(&scratch.path("run")), ["energy.csv", "events.csv", "final.carom", "trajectory.csv"]);
    let time = rows(&scratch.path("run/energy.csv")).last().unwrap()[0];
    assert!(time > 0.0);
    // To the bit what a run without interruption reaches after as many collisions.
    let events = fs::read_to_string(scratch.path("run/events.csv")).unwrap().lines().count() - 1;
    let straight = scratch.name("straight");
    success(&["sim", "three-balls", "--collisions", &events.to_string(), "--out", &straight, "--quiet"]);
    let last = |run: &str| fs::read(scratch.path(run).join("final.carom")).unwrap();
    assert!(last("run") == last("straight"));
    success(&["sim", &state, "--collisions", "10", "--out", &scratch.name("more"), "--quiet"]);
}

#[test]
fn a_saved_run_is_not_converted_and_the_way_on_is_shown() {
    let scratch = Scratch::new();
    success(&["sim", "three-balls", "--until", "0.1", "--out", &scratch.name("run"), "--quiet"]);
    let state = scratch.name("run/final.carom");
    let said = refusal(&["convert", &state, &scratch.name("out.json")]);
    assert!(said.contains("final.carom: this is a saved run"), "{said}");
    assert!(said.contains(&format!("to go on from it: carom sim {state}")), "{said}");
    assert!(!scratch.path("out.json").exists());
}

#[test]
fn rows_too_near_to_tell_from_the_time_of_a_run_are_refused() {
    let scratch = Scratch::new();
    success(&["sim", "oblique", "--out", &scratch.name("first"), "--quiet"]);
    let saved = scratch.name("first/final.carom");
    let more = ["sim", &saved, "--collisions", "1", "--every", "1e-17", "--out", &scratch.name("second")];
    assert!(refusal(&more).contains("--every 0.00000000000000001: too small for the way to 1.4 s"));
}
