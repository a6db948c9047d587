//! `carom sim` with rigid bodies: names, files, tables, pictures, going on, many spaces.

use std::fs;

use carom::rigid2d::scenes::SCENES;
use serde_json::Value;

use crate::directory::names;
use crate::{Scratch, THREE_BALLS, header, refusal, rows, success};

const TOWER: &str = "examples/scenes/tower.toml";
const PILE: &str = "examples/scenes/pile.toml";

fn json(arguments: &[&str]) -> Value {
    let told = success(&[&["sim"], arguments, &["--json", "--quiet"]].concat());
    assert_eq!(told.lines().count(), 1);
    serde_json::from_str(&told).unwrap()
}

#[test]
fn every_scene_is_listed_and_runs() {
    let list = success(&["sim", "--list"]);
    for scene in &SCENES {
        let line = list.lines().find(|line| line.split_whitespace().next() == Some(scene.name)).unwrap();
        assert!(scene.parameters.iter().all(|name| line.contains(&format!("--{name}"))), "{line}");
        let told = json(&[scene.name, "--until", "0.05"]);
        assert_eq!(
            (&told["scene"], &told["steps"], &told["time"]),
            (&scene.name.into(), &3.into(), &0.05.into())
        );
    }
}

#[test]
fn the_summary_for_scripts_has_what_scripts_need() {
    let told = json(&["pyramid", "--rows", "10", "--until", "1"]);
    for (field, value) in [("bodies", 55), ("spaces", 1), ("steps", 60), ("asleep", 0), ("dim", 2)] {
        assert_eq!(told[field], value, "{told}");
    }
    assert_eq!((&told["time"], &told["complete"]), (&1.0.into(), &true.into()));
    assert!(told["contacts"].as_u64().unwrap() >= 100);
    let deepest = told["max_penetration"].as_f64().unwrap();
    assert!(deepest > 1e-6 && deepest < 0.02, "{deepest}");
    for field in ["kinetic_energy", "angular_momentum", "ms_per_step", "seconds"] {
        assert!(told[field].is_f64(), "{field}: {told}");
    }
    assert_eq!(told["momentum"].as_array().unwrap().len(), 2);
    for field in ["state_hash", "batch_hash"] {
        let hash = told[field].as_str().unwrap();
        assert!(hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
    }
    assert_eq!(json(&["bin", "--bodies", "7", "--until", "0"])["bodies"], 7);
    let people = success(&["sim", "cradle"]);
    assert!(people.contains("cradle: t = 1 s") && people.contains("\nbodies 5\n"), "{people}");
}

#[test]
fn options_change_how_it_is_computed() {
    let hash = |options: &[&str]| {
        let told = json(&[&["bin", "--bodies", "30", "--until", "1.5"], options].concat());
        told["state_hash"].as_str().unwrap().to_owned()
    };
    let usual = hash(&[]);
    for same in [
        ["--threads", "1"],
        ["--threads", "2"],
        ["--solver", "soft"],
        ["--precision", "f64"],
        ["--substeps", "4"],
        ["--seed", "1"],
    ] {
        assert_eq!(hash(&same), usual, "{same:?}");
    }
    for other in [
        ["--solver", "sequential"],
        ["--precision", "mixed"],
        ["--substeps", "8"],
        ["--dt", "0.01"],
        ["--seed", "2"],
    ] {
        assert_ne!(hash(&other), usual, "{other:?}");
    }
    let slid = |friction: &str| {
        json(&["incline", "--friction", friction, "--angle", "20"])["kinetic_energy"].as_f64().unwrap()
    };
    // tan 20 degrees is 0.364.
    assert!(slid("0.4") < 1e-6 && slid("0.3") > 0.1);
}

#[test]
fn spaces_of_a_batch_are_those_of_the_seeds_alone() {
    for scene in ["bin", "stack"] {
        let size = if scene == "bin" { ["--bodies", "9"] } else { ["--rows", "5"] };
        let run = |options: &[&str]| json(&[&[scene, "--until", "1"], &size[..], options].concat());
        let batch = run(&["--spaces", "6", "--seed", "10"]);
        assert_eq!((&batch["spaces"], &batch["steps"]), (&6.into(), &60.into()));
        assert_eq!(batch["bodies"].as_u64(), Some(if scene == "bin" { 54 } else { 30 }));
        assert_eq!(
            run(&["--spaces", "6", "--seed", "10", "--threads", "1"])["batch_hash"],
            batch["batch_hash"]
        );
        let mut energy = 0.0;
        for k in 0..6 {
            let seed = (10 + k).to_string();
            let alone = run(&["--seed", &seed]);
            energy += alone["kinetic_energy"].as_f64().unwrap();
            assert_eq!(
                run(&["--seed", &seed, "--spaces", "2"])["state_hash"],
                alone["state_hash"],
                "{scene} {k}"
            );
        }
        assert_eq!(run(&["--seed", "10"])["state_hash"], batch["state_hash"]);
        assert!((batch["kinetic_energy"].as_f64().unwrap() - energy).abs() <= 1e-12 * energy.abs());
    }
    // A file, and copies where nothing is random.
    let file = json(&[PILE, "--spaces", "3", "--until", "0.5"]);
    assert_eq!((&file["spaces"], &file["state"], &file["bodies"]), (&3.into(), &Value::Null, &240.into()));
    assert!(json(&["cradle", "--spaces", "3"])["bodies"] == 15);
}

#[test]
fn a_run_writes_its_tables_and_its_final_state() {
    let scratch = Scratch::new();
    success(&[
        "sim",
        "stack",
        "--rows",
        "3",
        "--until",
        "1",
        "--every",
        "0.25",
        "--out",
        &scratch.name("run"),
    ]);
    let run = scratch.path("run");
    assert_eq!(names(&run), ["contacts.csv", "energy.csv", "final.carom", "trajectory.csv"]);
    for (table, columns) in [
        (
            "trajectory.csv",
            "time_s,body,position_x_m,position_y_m,angle_rad,velocity_x_m_per_s,velocity_y_m_per_s,angular_velocity_rad_per_s",
        ),
        (
            "contacts.csv",
            "time_s,first,second,points,position_x_m,position_y_m,normal_x,normal_y,depth_m,impulse_N_s,friction_impulse_N_s",
        ),
        (
            "energy.csv",
            "time_s,kinetic_energy_J,potential_energy_J,total_energy_J,momentum_x_kg_m_per_s,momentum_y_kg_m_per_s,angular_momentum_kg_m2_per_s",
        ),
    ] {
        assert_eq!(header(&run.join(table)), columns);
    }
    let times: Vec<f64> = rows(&run.join("energy.csv")).iter().map(|row| row[0]).collect();
    assert_eq!(times, [0.0, 0.25, 0.5, 0.75, 1.0]);
    let trajectory = rows(&run.join("trajectory.csv"));
    assert_eq!((trajectory.len(), trajectory[0][1], trajectory[0][3]), (15, 1.0, 0.5));
    // The lowest contact carries three boxes of 1 kg through a step of 1/60 s.
    let contacts = rows(&run.join("contacts.csv"));
    let lowest = contacts.iter().rev().find(|row| row[1] == 0.0).unwrap();
    assert!((lowest[9] - 3.0 * 9.81 / 60.0).abs() < 0.01, "{lowest:?}");
    assert_eq!((lowest[2], lowest[3], lowest[7].abs()), (1.0, 2.0, 1.0));
}

#[test]
fn going_on_is_one_run_to_the_bit() {
    let scratch = Scratch::new();
    let sim = |scene: &str, until: &str, out: &str, more: &[&str]| {
        let usual =
            ["sim", scene, "--until", until, "--every", "0.1", "--quiet", "--out", &scratch.name(out)];
        success(&[&usual[..], more].concat());
    };
    let read = |run: &str| fs::read(scratch.path(run).join("final.carom")).unwrap();
    for (n, (scene, more)) in
        [("bin", &["--bodies", "40", "--precision", "mixed"][..]), (TOWER, &[]), (PILE, &[])]
            .into_iter()
            .enumerate()
    {
        let [whole, first, second, text, third] =
            ["whole", "first", "second", "text", "third"].map(|part| format!("{part}{n}"));
        sim(scene, "1", &whole, more);
        sim(scene, "0.5", &first, more);
        sim(&scratch.name(&format!("{first}/final.carom")), "1", &second, &[]);
        assert!(read(&second) == read(&whole), "{scene}");
        // As JSON too.
        sim(scene, "0.5", &text, &[more, &["--final-format", "json"]].concat());
        sim(&scratch.name(&format!("{text}/final.json")), "1", &third, &[]);
        assert!(read(&third) == read(&whole), "{scene}");
    }
}

#[test]
fn a_picture_has_bodies_and_paths() {
    let scratch = Scratch::new();
    for (scene, circles, polygons) in
        [("galton", 200, 3), (TOWER, 2, 10), ("stack", 0, 11), ("tumbler", 200, 300)]
    {
        let svg = scratch.name(&format!("{}.svg", scene.replace('/', "-")));
        success(&[
            "sim",
            scene,
            "--until",
            "0.5",
            "--svg",
            &svg,
            "--quiet",
            "--out",
            &scratch.name(&svg.replace(".svg", "")),
        ]);
        let picture = fs::read_to_string(&svg).unwrap();
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
        assert_eq!(picture.matches("<circle").count(), circles, "{scene}");
        assert!(
            picture.matches("<polygon").count() >= polygons,
            "{scene}: {}",
            picture.matches("<polygon").count()
        );
        assert!(picture.contains("bodies"), "{scene}");
    }
    // Without tables there are paths as well.
    let svg = scratch.name("alone.svg");
    success(&["sim", "bullet", "--svg", &svg, "--quiet"]);
    assert!(fs::read_to_string(&svg).unwrap().contains("<polyline"));
    assert!(refusal(&["sim", "bullet", "--svg", &svg]).contains("already exists"));
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let scratch = Scratch::new();
    success(&["sim", "stack", "--until", "0.1", "--quiet", "--out", &scratch.name("saved")]);
    let saved = scratch.name("saved/final.carom");
    for (arguments, expected) in [
        (vec!["stack", "--bodies", "3"], "--bodies is not for the scene stack, which has --rows"),
        (vec!["bullet", "--rows", "3"], "--rows is not for the scene bullet, which has no such options"),
        (vec!["stack", "--rows", "0"], "whole number above 0"),
        (vec!["stack", "--rows", "1e7"], "--rows is 10000000: it must be from 1 to 1,000,000"),
        (vec!["pyramid", "--rows", "1e5"], "it must be such that the scene has at most 1,000,000 bodies"),
        (vec!["incline", "--angle", "95"], "--angle is 95: it must be from 0 to less than a right angle"),
        (vec!["incline", "--friction", "-1"], "--friction is -1: it must not be negative"),
        (vec!["stack", "--collisions", "5"], "rigid bodies advance in time steps: use --until"),
        (vec!["stack", "--ignore-collisions"], "--ignore-collisions is for worlds"),
        (vec!["stack", "--integrator", "euler"], "--integrator is for worlds"),
        (vec!["stack", "--density", "1"], "--density is for the scene gas"),
        (vec!["stack", "--final-format", "pbphys"], "saved as snapshot or as json"),
        (vec!["stack", "--substeps", "0"], "--substeps"),
        (vec!["stack", "--solver", "hard"], "soft, sequential"),
        (vec!["stack", "--precision", "f32"], "f64, mixed"),
        (vec!["stack", "--dt", "0"], "more than 0"),
        (vec!["stack", "--dt", "1e-300"], "too small"),
        (vec!["stack", "--until", "-1"], "already at t = 0 s"),
        (vec!["stack", "--spaces", "0"], "whole number above 0"),
        (vec!["stack", "--spaces", "2"], "--out is for one space"),
        (vec![TOWER, "--rows", "3"], "--rows is for ready-made scenes: change the scene file"),
        (vec![&saved, "--seed", "1"], "nothing is random in a saved space"),
        (vec![&saved, "--precision", "mixed"], "a saved space keeps its own"),
        (vec!["oblique", "--rows", "3"], "--rows is for scenes of rigid bodies"),
        (vec!["gas", "--spaces", "3"], "--spaces is for scenes of rigid bodies"),
        (vec![THREE_BALLS, "--substeps", "3"], "--substeps is for scenes of rigid bodies"),
    ] {
        let said = refusal(&[&["sim"][..], &arguments, &["--out", &scratch.name("run")]].concat());
        assert!(said.contains(expected), "{arguments:?}: {said}");
        assert!(!scratch.path("run").exists());
    }
}

#[test]
fn bad_files_are_named() {
    let scratch = Scratch::new();
    let good = fs::read_to_string(TOWER).unwrap();
    let bad = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        refusal(&["sim", &scratch.file("bad.toml", good.replacen(from, to, 1))])
    };
    let said = bad("friction = 0.8", "fricton = 0.8");
    assert!(
        said.contains(
            "bad.toml: scene, line 20, column 1: material.wood.fricton is unknown; did you mean friction?"
        ),
        "{said}"
    );
    assert!(bad("circle = 8", "circle = -8").contains("body[0].circle is -8"));
    assert!(bad("rows = 6", "rows = 0").contains("stack[0].rows is 0"));
    success(&["sim", "stack", "--until", "0.1", "--quiet", "--out", &scratch.name("run")]);
    let bytes = fs::read(scratch.path("run/final.carom")).unwrap();
    let cut = scratch.file("cut.carom", &bytes[..bytes.len() - 5]);
    assert!(refusal(&["sim", &cut]).contains("cut.carom: saved space is truncated"));
    let mut changed = bytes.clone();
    changed[100] ^= 1;
    assert!(refusal(&["sim", &scratch.file("bad.carom", changed)]).contains("saved space is corrupt"));
}

#[test]
fn spaces_are_converted_and_keep_every_bit() {
    let scratch = Scratch::new();
    success(&["sim", "stack", "--until", "0.1", "--quiet", "--out", &scratch.name("run")]);
    let first = scratch.name("run/final.carom");
    let [json, again] = ["space.json", "again.carom"].map(|name| scratch.name(name));
    success(&["convert", &first, &json]);
    assert!(fs::read_to_string(&json).unwrap().starts_with("{\n  \"format\": \"carom-space\""));
    success(&["convert", &json, &again]);
    assert_eq!(fs::read(&first).unwrap(), fs::read(&again).unwrap());
    let piped = success(&["convert", &again, "-", "--to", "json"]);
    assert_eq!(piped, fs::read_to_string(&json).unwrap());
    for format in ["pbphys", "json-compact"] {
        let said = refusal(&["convert", &first, "-", "--to", format]);
        assert!(
            said.contains("saved space of rigid bodies") && said.contains("json or as snapshot"),
            "{said}"
        );
    }
    let cut = scratch.file("cut.carom", &fs::read(&first).unwrap()[..100]);
    let old = scratch.file("old.json", "old");
    assert!(refusal(&["convert", &cut, &old]).contains("cut.carom: saved space is truncated"));
    assert_eq!(fs::read_to_string(&old).unwrap(), "old");
}
