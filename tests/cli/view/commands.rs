//! What pages can do: run, go back, change, save.

use serde_json::{Value, json};

use super::Tool;
use super::client::Page;
use crate::printed::{PAGES, examples_of_help, lines_of_page, shows_page};
use crate::{Scratch, success};

/// The hash that `carom sim` prints.
fn simulated(arguments: &[&str]) -> String {
    let summary = success(&[&["sim", "--json", "--quiet"], arguments].concat());
    let summary: Value = serde_json::from_str(&summary).unwrap();
    summary["state_hash"].as_str().unwrap().to_owned()
}

fn hash(answer: &Value) -> String {
    answer["hash"].as_str().unwrap().to_owned()
}

/// Saves in the page and runs the file; both hashes must be equal.
fn check_save(page: &mut Page, scratch: &Scratch) {
    let saved = page.succeed(json!({"do": "save"}));
    let file = scratch.file(saved["name"].as_str().unwrap(), saved["text"].as_str().unwrap());
    let command = saved["command"].as_str().unwrap();
    let mut words: Vec<&str> = command.split(' ').skip(2).collect();
    words[0] = &file;
    let out = scratch.name("out");
    words.extend(["--out", &out, "--force"]);
    assert_eq!(simulated(&words), hash(&saved), "{command}");
}

#[test]
fn the_first_messages_describe_the_scene() {
    let tool = Tool::start(&["oblique"]);
    let page = tool.page();
    assert_eq!((&page.hello["type"], &page.hello["protocol"]), (&json!("hello"), &json!(1)));
    assert!(page.hello["scenes"].as_array().unwrap().iter().any(|scene| scene["name"] == "pyramid"));
    let scene = &page.scene;
    assert_eq!((&scene["kind"], &scene["dim"], &scene["count"]), (&json!("balls"), &json!(2), &json!(2)));
    assert_eq!(scene["box"][0], json!({"boundary": "reflecting", "lower": 0.0, "upper": 0.5}));
    assert_eq!((page.fixed.len(), page.frame.len()), (16 + 2 * 8 + 4 + 4, 80 + 2 * 8));
    let [x, y] = page.place(1);
    assert!((x - 0.25).abs() < 1e-7 && (y - 0.15).abs() < 1e-7);
    let next = &page.stats["next"];
    assert_eq!((&next["kind"], &next["first"], &next["second"]), (&json!("ball"), &json!(0), &json!(1)));
    assert_eq!((&page.stats["running"], &page.stats["time"]), (&json!(false), &json!(0.0)));
}

#[test]
fn the_figures_of_the_document_are_read_from_the_page() {
    let tool = Tool::start(&["head-on-vertical"]);
    let mut page = tool.page();
    page.succeed(json!({"do": "select", "balls": [0, 1, 2, 3]}));
    page.succeed(json!({"do": "event"}));
    page.until(|page| page.stats["collisions"] == 1);
    let velocity = |page: &Page, ball: usize| page.stats["selected"][ball]["velocity"].clone();
    let y = |ball: usize| velocity(&page, ball)[1].as_f64().unwrap();
    assert!((y(0) + 0.1).abs() < 1e-15 && y(1) == 0.5);
    page.succeed(json!({"do": "scene", "name": "head-on-horizontal"}));
    page.succeed(json!({"do": "event"}));
    page.succeed(json!({"do": "event"}));
    page.until(|page| page.stats["collisions"] == 2);
    let x = |ball: usize| velocity(&page, ball)[0].as_f64().unwrap();
    assert!((x(2) + 0.0333).abs() < 1e-4 && (x(3) - 0.1667).abs() < 1e-4);
    page.succeed(json!({"do": "scene", "name": "empty"}));
    page.succeed(json!({"do": "add", "position": [0.1, 0.15], "velocity": [-1.5, 6]}));
    page.succeed(json!({"do": "select", "balls": [0]}));
    page.until(|page| page.stats["selected"][0]["velocity"] == json!([-1.5, 6.0]));
    assert_eq!(page.stats["next"]["kind"], "wall");
    while page.stats["next"]["axis"] != 0 {
        page.succeed(json!({"do": "event"}));
        let time = page.stats["time"].clone();
        page.until(|page| page.stats["time"] != time);
    }
    let before = velocity(&page, 0)[0].as_f64().unwrap();
    page.succeed(json!({"do": "event"}));
    page.until(|page| page.stats["selected"][0]["velocity"][0].as_f64() == Some(-before));
    assert_eq!(before, -1.5);
}

#[test]
fn going_back_in_time_gives_the_same_state() {
    for scene in [
        &["billiard-break"][..],
        &["gas", "--particles", "200", "--dim", "3"],
        &["stack"],
        &[crate::THREE_BALLS],
    ] {
        let tool = Tool::start(scene);
        let mut page = tool.page();
        page.succeed(json!({"do": "start"}));
        page.until(|page| page.stats["time"].as_f64() > Some(0.7));
        let end = page.succeed(json!({"do": "stop"}));
        let time = end["time"].as_f64().unwrap();
        let back = page.succeed(json!({"do": "seek", "time": 0.31}));
        assert!(
            (back["time"].as_f64().unwrap() - 0.31).abs() < 0.02 && hash(&back) != hash(&end),
            "{scene:?}"
        );
        assert_eq!(hash(&page.succeed(json!({"do": "seek", "time": time}))), hash(&end), "{scene:?}");
        assert_eq!(hash(&page.succeed(json!({"do": "seek", "time": 0.31}))), hash(&back), "{scene:?}");
        page.succeed(json!({"do": "restart"}));
        page.until(|page| page.stats["time"] == 0.0 && page.stats["history"]["to"].as_f64() == Some(time));
        let (error, field) = page.refused(json!({"do": "seek", "time": time + 1.0}));
        assert!(error.contains("it must be from 0") && field.as_deref() == Some("time"), "{error}");
        page.refused(json!({"do": "seek", "time": -1}));
        page.refused(json!({"do": "seek", "time": "NaN"}));
    }
}

#[test]
fn the_tool_runs_what_the_page_saves_to_the_same_bits() {
    let scratch = Scratch::new();
    let tool = Tool::start(&["three-balls"]);
    let mut page = tool.page();
    page.succeed(json!({"do": "frame"}));
    check_save(&mut page, &scratch);
    // Built by hand in the middle of a run.
    page.succeed(json!({"do": "add", "position": [0.4, 0.25], "velocity": [-0.3, -0.111], "mass": 0.03, "radius": 0.02}));
    page.succeed(json!({"do": "set", "ball": 0, "velocity": [0.123456789, 0.1]}));
    page.succeed(json!({"do": "physics", "gravity": 1.5, "restitution": 0.9}));
    page.succeed(json!({"do": "physics", "contact_duration": 0.01}));
    page.succeed(json!({"do": "walls", "axis": 0, "upper": 0.6}));
    for _ in 0..40 {
        page.succeed(json!({"do": "frame"}));
    }
    check_save(&mut page, &scratch);
    let now = page.succeed(json!({"do": "save", "from": "now"}));
    let file = scratch.file("now.toml", now["text"].as_str().unwrap());
    assert_eq!(simulated(&[&file, "--until", "0", "--out", &scratch.name("now")]), hash(&now));
    for scene in ["stack", "examples/worlds/three_balls.json"] {
        let tool = Tool::start(&[scene]);
        let mut page = tool.page();
        for _ in 0..20 {
            page.succeed(json!({"do": "frame"}));
        }
        check_save(&mut page, &scratch);
        page.succeed(json!({"do": "set", "ball": 1, "velocity": [0.5, 1]}));
        for _ in 0..20 {
            page.succeed(json!({"do": "event"}));
        }
        check_save(&mut page, &scratch);
    }
}

#[test]
fn forces_and_rules_of_a_world_are_changed_saved_and_undone() {
    let scratch = Scratch::new();
    let tool = Tool::start(&["examples/worlds/orbit.json"]);
    let mut page = tool.page();
    let first = hash(&page.succeed(json!({"do": "stop"})));
    let hashes: Vec<String> = [
        json!({"integrator": "fourth-order"}),
        json!({"law": "as-printed"}),
        json!({"law": "barnes-hut", "opening": 0.25, "softening": 0.25}),
        json!({"softening": 0.5}),
        json!({"attraction": 3.5, "restitution": 0.5, "max_collisions": 700}),
    ]
    .into_iter()
    .map(|mut change| {
        page.succeed(json!({"do": "restart"}));
        change["do"] = "physics".into();
        page.succeed(change);
        for _ in 0..20 {
            page.succeed(json!({"do": "frame"}));
        }
        check_save(&mut page, &scratch);
        let told = page.succeed(json!({"do": "stop"}));
        hash(&told)
    })
    .collect();
    let distinct: std::collections::HashSet<&String> = hashes.iter().collect();
    assert_eq!(distinct.len(), hashes.len(), "each changes the motion");
    page.until(|page| page.scene["max_collisions"] == 700);
    let told = ["integrator", "law", "opening", "softening", "attraction", "restitution"];
    let expected = json!(["fourth-order", "barnes-hut", 0.25, 0.5, 3.5, 0.5]);
    assert_eq!(json!(told.map(|name| page.scene[name].clone())), expected);
    for _ in 0..5 {
        page.succeed(json!({"do": "undo"}));
    }
    page.until(|page| page.scene["integrator"] == "euler" && page.scene["law"] == "newton");
    assert_eq!(hash(&page.succeed(json!({"do": "restart"}))), first);
}

#[test]
fn settings_that_a_world_cannot_have_are_refused_at_their_field() {
    let tool = Tool::start(&["examples/worlds/orbit.json"]);
    let mut page = tool.page();
    for (command, words, field) in [
        (json!({"integrator": "leapfrog"}), "euler, velocity-verlet or fourth-order", Some("integrator")),
        (json!({"law": "hooke"}), "newton, as-printed or barnes-hut", Some("law")),
        (json!({"opening": 0.5}), "only the tree of Barnes and Hut", Some("opening")),
        (json!({"law": "barnes-hut", "opening": 2}), "must be from 0 to 1", Some("opening")),
        (json!({"softening": -1}), "must not be negative", Some("softening")),
        (json!({"attraction": "NaN"}), "must be finite", Some("attraction")),
        (json!({"restitution": 1.5}), "from 0 to 1", Some("restitution")),
        (json!({"max_collisions": 1.5}), "must be a whole number", Some("max_collisions")),
        (json!({"contact_duration": 0.1}), "contacts last no time", None),
        (json!({"wall_restitution": 0.1}), "has no walls", None),
    ] {
        let mut command = command;
        command["do"] = "physics".into();
        let told = command.to_string();
        let (error, at) = page.refused(command);
        assert!(error.contains(words), "{told}: {error}");
        assert_eq!(at.as_deref(), field, "{told}");
    }
    assert_eq!((&page.scene["revision"], &page.scene["undo"]), (&json!(1), &json!(0)));
}

#[test]
fn what_the_engine_refuses_is_told_in_its_words_and_changes_nothing() {
    let tool = Tool::start(&["oblique"]);
    let mut page = tool.page();
    let before = hash(&page.succeed(json!({"do": "stop"})));
    for (command, words, field) in [
        (
            json!({"do": "set", "ball": 0, "position": [0.251, 0.15]}),
            "1 pair of particles overlaps: [[0, 1]]",
            Some("position"),
        ),
        (
            json!({"do": "set", "ball": 0, "position": [0.6, 0.15]}),
            "outside the box along axis 0",
            Some("position"),
        ),
        (
            json!({"do": "set", "ball": 0, "position": ["NaN", 0.15]}),
            "position[0] is NaN: it must be finite",
            Some("position"),
        ),
        (
            json!({"do": "set", "ball": 0, "position": [0.1]}),
            "has 1 entries: it must have 2",
            Some("position"),
        ),
        (
            json!({"do": "set", "ball": 0, "velocity": ["Infinity", 0]}),
            "is inf: it must be finite",
            Some("velocity"),
        ),
        (json!({"do": "set", "ball": 0, "mass": -1}), "must not be negative", Some("mass")),
        (json!({"do": "set", "ball": 0, "radius": 0}), "radius is 0", Some("radius")),
        (json!({"do": "set", "ball": 0, "radius": 0.2}), "outside the box", Some("radius")),
        (json!({"do": "set", "ball": 0, "mass": 1, "with_radius": true}), "outside the box", Some("mass")),
        (json!({"do": "set", "ball": 7, "mass": 1}), "index 7 out of range: there are 2", None),
        (json!({"do": "set", "ball": 0, "angle": 1}), "balls do not turn", Some("angle")),
        (json!({"do": "delete", "ball": 2}), "out of range", None),
        (json!({"do": "add", "position": [0.1, 0.14]}), "overlap", Some("position")),
        (json!({"do": "walls", "axis": 0, "upper": 0.2}), "outside the box", Some("upper")),
        (json!({"do": "walls", "axis": 0, "upper": -1}), "larger than the lower corner", Some("upper")),
        (json!({"do": "walls", "axis": 0, "lower": "NaN"}), "must be finite", Some("lower")),
        (
            json!({"do": "walls", "axis": 0, "boundary": "soft"}),
            "open, reflecting or periodic",
            Some("boundary"),
        ),
        (json!({"do": "walls", "axis": 5}), "axis index 5", None),
        (
            json!({"do": "physics", "restitution": 2}),
            "restitution is 2: it must be from 0 to 1",
            Some("restitution"),
        ),
        (json!({"do": "physics", "gravity": "NaN"}), "must be finite", Some("gravity")),
        (json!({"do": "physics", "contact_duration": -1}), "must not be negative", Some("contact_duration")),
        (json!({"do": "physics", "softening": 1}), "only worlds have these settings", None),
        (json!({"do": "speed", "speed": 0}), "from 0.001 to 1000", Some("speed")),
        (json!({"do": "scene", "name": "/etc/passwd"}), "not a ready-made scene", Some("name")),
        (json!({"do": "undo"}), "nothing to undo", None),
        (json!({"do": "redo"}), "nothing to redo", None),
    ] {
        let told = command.to_string();
        let (error, at) = page.refused(command);
        assert!(error.contains(words), "{told}: {error}");
        assert_eq!(at.as_deref(), field, "{told}");
    }
    assert_eq!(hash(&page.succeed(json!({"do": "stop"}))), before);
    assert_eq!((&page.scene["revision"], &page.scene["undo"]), (&json!(1), &json!(0)));
}

#[test]
fn changes_can_be_undone_and_done_again() {
    let tool = Tool::start(&["oblique"]);
    let mut page = tool.page();
    page.succeed(json!({"do": "event"}));
    let first = hash(&page.succeed(json!({"do": "stop"})));
    let added = page.succeed(json!({"do": "add"}));
    assert_eq!(added["ball"], 2);
    assert_eq!(page.succeed(json!({"do": "duplicate", "ball": 2}))["ball"], 3);
    page.until(|page| page.scene["count"] == 4 && page.scene["undo"] == 2);
    // Steps of one drag are one change.
    for step in 0..5 {
        let place = [0.4, 0.2 + 0.01 * f64::from(step)];
        page.succeed(json!({"do": "set", "ball": 3, "position": place, "merge": step > 0}));
    }
    page.until(|page| page.scene["undo"] == 3 && page.scene["revision"] == 8);
    let last = hash(&page.succeed(json!({"do": "stop"})));
    for _ in 0..3 {
        page.succeed(json!({"do": "undo"}));
    }
    let back = page.succeed(json!({"do": "stop"}));
    assert_eq!(hash(&back), first);
    assert!(back["time"].as_f64().unwrap() > 0.5);
    page.succeed(json!({"do": "seek", "time": 0.1}));
    for _ in 0..3 {
        page.succeed(json!({"do": "redo"}));
    }
    assert_eq!(hash(&page.succeed(json!({"do": "stop"}))), last);
    page.succeed(json!({"do": "empty"}));
    page.until(|page| page.scene["count"] == 0 && page.scene["redo"] == 0);
    page.succeed(json!({"do": "undo"}));
    page.until(|page| page.scene["count"] == 4);
}

#[test]
fn mass_changes_with_the_radius_and_scenes_follow_each_other() {
    let tool = Tool::start(&["head-on-vertical"]);
    let mut page = tool.page();
    page.succeed(json!({"do": "select", "balls": [1]}));
    page.succeed(json!({"do": "set", "ball": 1, "mass": 0.02, "with_radius": true}));
    page.until(|page| page.stats["selected"][0]["mass"] == 0.02);
    assert_eq!(page.stats["selected"][0]["radius"], 0.02);
    let names: Vec<Value> =
        page.hello["scenes"].as_array().unwrap().iter().map(|scene| scene["name"].clone()).collect();
    page.succeed(json!({"do": "next_scene"}));
    page.until(|page| page.scene["name"] == names[3]);
    for _ in 0..2 {
        page.succeed(json!({"do": "previous_scene"}));
    }
    page.until(|page| page.scene["name"] == names[1]);
}

#[test]
fn dropped_files_are_shown_or_refused() {
    let scratch = Scratch::new();
    let tool = Tool::start(&[]);
    let mut page = tool.page();
    let scene = std::fs::read("examples/scenes/falling.toml").unwrap();
    assert_eq!(page.drop_file("falling.toml", &scene)["ok"], true);
    page.until(|page| page.scene["gravity"].as_f64() > Some(9.0));
    let world = std::fs::read(crate::THREE_BALLS).unwrap();
    assert_eq!(page.drop_file("../world.json", &world)["ok"], true);
    page.until(|page| page.scene["kind"] == "world");
    success(&["sim", "billiard-break", "--until", "0.5", "--out", &scratch.name("run"), "--quiet"]);
    let run = std::fs::read(scratch.path("run/final.carom")).unwrap();
    assert_eq!(page.drop_file("final.carom", &run)["ok"], true);
    page.until(|page| page.stats["time"] == 0.5);
    assert_eq!(page.stats["history"]["from"], 0.5);
    let saved = page.succeed(json!({"do": "save"}));
    assert!(saved["base64"].is_string() && saved["name"] == "final.carom");
    let broken = page.drop_file("broken.toml", b"dimension = 9");
    assert_eq!((&broken["ok"], &broken["field"]), (&json!(false), &json!("text")));
    assert!(broken["error"].as_str().unwrap().contains("line 1"), "{broken}");
    assert_eq!(page.drop_file("noise.bin", &[7; 1000])["ok"], false);
    page.until(|page| page.stats["time"] == 0.5);
    page.succeed(json!({"do": "undo"}));
    page.until(|page| page.scene["kind"] == "world");
}

#[test]
fn statistics_stand_beside_theory() {
    let tool = Tool::start(&["gas", "--dim", "2", "--particles", "400", "--density", "0.3"]);
    let mut page = tool.page();
    page.succeed(json!({"do": "speed", "speed": "max"}));
    page.succeed(json!({"do": "start"}));
    page.until(|page| page.stats["collisions"].as_u64() > Some(20_000));
    page.succeed(json!({"do": "stop"}));
    page.until(|page| page.stats["running"] == false);
    let stats = &page.stats;
    let ratio = |value: &Value, theory: &Value| value.as_f64().unwrap() / theory.as_f64().unwrap();
    let pressure = &stats["pressure"];
    assert!((ratio(&pressure["virial"], &pressure["theory"]) - 1.0).abs() < 0.05, "{pressure}");
    assert_eq!((&pressure["equation"], &pressure["unit"]), (&json!("Henderson"), &json!("N/m")));
    let path = &stats["mean_free_path"];
    assert!((ratio(&path["measured"], &path["theory"]) - 1.0).abs() < 0.05, "{path}");
    assert!(
        stats["energy"]["drift"].as_f64().unwrap() < 1e-12
            && stats["momentum"].as_array().unwrap().len() == 2
    );
    let sum = |name: &str| -> f64 {
        stats["speeds"][name].as_array().unwrap().iter().map(|count| count.as_f64().unwrap()).sum()
    };
    assert!(sum("counts") == 400.0 && (sum("maxwell") - 400.0).abs() < 8.0);
}

#[test]
fn rigid_bodies_have_contacts_and_can_be_moved() {
    let tool = Tool::start(&["pyramid", "--rows", "4"]);
    let mut page = tool.page();
    assert_eq!((&page.scene["kind"], &page.scene["count"]), (&json!("bodies"), &json!(11)));
    page.succeed(json!({"do": "want", "contacts": true, "collisions": true}));
    for _ in 0..30 {
        page.succeed(json!({"do": "frame"}));
    }
    page.until(|page| page.stats["bodies"]["steps"] == 30);
    let bodies = &page.stats["bodies"];
    assert!(
        bodies["contacts"].as_u64() > Some(10) && bodies["max_penetration"].as_f64() > Some(0.0),
        "{bodies}"
    );
    page.until(|page| page.frame[1] == 12 && page.frame.len() > 80 + 11 * 16 + 4 + 20 * 10);
    page.succeed(json!({"do": "select", "balls": [10]}));
    page.succeed(json!({"do": "set", "ball": 10, "position": [5, 9], "angle": 0.5, "velocity": [1, 2]}));
    page.until(|page| page.stats["selected"][0]["position"] == json!([5.0, 9.0]));
    assert_eq!((&page.stats["selected"][0]["angle"], &page.stats["time"]), (&json!(0.5), &json!(0.5)));
    let (error, field) = page.refused(json!({"do": "set", "ball": 10, "velocity": ["NaN", 0]}));
    assert!(error.contains("NaN") && field.as_deref() == Some("velocity"));
    page.refused(json!({"do": "set", "ball": 0, "velocity": [1, 0]}));
    page.succeed(json!({"do": "delete", "ball": 10}));
    page.until(|page| page.scene["count"] == 10);
    let added = page.succeed(json!({"do": "add", "mass": 2, "radius": 0.25}))["ball"].clone();
    page.succeed(json!({"do": "select", "balls": [added]}));
    page.until(|page| {
        page.stats["selected"][0]["mass"] == 2.0 && page.stats["selected"][0]["radius"] == 0.25
    });
    page.refused(json!({"do": "add", "radius": -1}));
    page.succeed(json!({"do": "undo"}));
    page.until(|page| page.scene["count"] == 10);
    assert!(page.refused(json!({"do": "walls", "axis": 0, "upper": 1})).0.contains("scene file"));
}

#[test]
fn what_cannot_go_on_says_so() {
    let tool = Tool::start(&["empty"]);
    let mut page = tool.page();
    page.succeed(json!({"do": "speed", "speed": "max"}));
    page.succeed(json!({"do": "start"}));
    page.until(|page| page.stats["ended"].is_string() && page.stats["running"] == false);
    assert!(page.refused(json!({"do": "event"})).0.contains("nothing will ever happen"));
    // It stops at the time of --until, and can go on from there.
    let tool = Tool::start(&["oblique", "--until", "0.25"]);
    let mut page = tool.page();
    page.succeed(json!({"do": "speed", "speed": 100}));
    page.succeed(json!({"do": "start"}));
    page.until(|page| page.stats["running"] == false && page.stats["time"] == 0.25);
    page.succeed(json!({"do": "start"}));
    page.until(|page| page.stats["time"].as_f64() > Some(0.25));
}

#[test]
fn replicas_of_studies_are_shown() {
    let study = "examples/studies/hard_sphere_pressure.toml";
    let tool = Tool::of(&["run", study, "--replay", "5", "--view", "--no-open"]);
    let mut page = tool.page();
    assert_eq!(page.scene["kind"], "balls");
    assert!(page.scene["description"].as_str().unwrap().contains("replica 5"));
    page.succeed(json!({"do": "event"}));
}

#[test]
fn printed_commands_work() {
    let help = success(&["view", "--help"]);
    let pages = PAGES.iter().flat_map(|page| lines_of_page(page));
    let commands: Vec<String> =
        pages.chain(examples_of_help(&help)).filter(|line| shows_page(line)).collect();
    for command in &commands {
        let mut words: Vec<&str> =
            command.split_whitespace().skip(1).filter(|word| *word != "--no-open").collect();
        words.push("--no-open");
        assert!(Tool::of(&words).page().scene["count"].as_u64() > Some(0), "{command}");
    }
    assert!(commands.len() >= 10, "{commands:?}");
}
