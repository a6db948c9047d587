//! Gases, scenes and stepped worlds as models of studies.

use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::{Common, KINDS};
use crate::document::units::Units;
use crate::document::{Fields, Source};
use crate::error::{Error, Result};
use crate::study::model::{BatchColumns, Model};
use crate::study::testing::batch;

const FILE: [&str; 6] = ["measure", "units", "gas", "scene", "stepped", "vary"];

fn read_in(directory: Option<&Path>, text: &str) -> Result<Box<dyn Model>> {
    let source = Source::new(text, "study");
    let table = source.parse()?;
    let fields = Fields::of_file(source, table.get_ref(), &FILE)?;
    let common = Common {
        units: Units::read(fields.get("units"))?,
        measure: fields.get("measure"),
        batch: None,
        vary: fields.get("vary"),
        directory,
        included: RefCell::default(),
    };
    let kind = KINDS.iter().find(|kind| fields.get(kind.name).is_some()).unwrap();
    (kind.read)(&fields.need(kind.name)?.fields(&kind.keys())?, &common)
}

fn read(text: &str) -> Box<dyn Model> {
    read_in(None, text).unwrap()
}

fn run(model: &dyn Model, range: std::ops::Range<u64>) -> BatchColumns {
    batch(model, 7, 2, range)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Which error a study gives: line, column and what it says.
fn complaint(text: &str) -> (usize, usize, String) {
    match read_in(None, text).map(|_| ()) {
        Err(Error::Syntax { format: "study", line, column, detail }) => (line, column, detail),
        other => panic!("{other:?}"),
    }
}

const GAS: &str = r#"
    [gas]
    dimension = 2
    particles = 16
    packing = { uniform = [0.1, 0.3] }
    temperature = { log_normal = [2, 0.3] }
    collisions = 5
"#;

const BREAK: &str = r#"
    measure = ["wall_touchers", "collisions", "first_collision", "energy_lost", "kinetic_energy", "mean_free_path"]
    scene = { name = "billiard-break", until = 0.6 }
    [vary]
    "ball[0].velocity[0]" = { normal = [8, 0.5] }
    "ball[*].position" = { add = { normal = { mean = [0, 0], sd = 1e-5 } } }
    physics.restitution = { uniform = [0.9, 1] }
"#;

/// A scene that leaves places and velocities to chance, as a file or, with the prefix `scene.`, within a study.
fn crowd(prefix: &str) -> String {
    format!(
        r#"
        [{prefix}box]
        walls = "reflecting"
        upper = [4, 4, 4]
        [[{prefix}balls]]
        count = 30
        radius = 0.3
        mass = 1
        placement = "uniform"
        velocity = {{ maxwell = 1 }}
        [[{prefix}ball]]
        position = [2, 2, 2]
        radius = 0.4
        mass = 5
        "#
    )
}

const PUSH: &str = "[vary]\n\"ball[0].velocity\" = { maxwell = 1 }";

fn crowd_study() -> String {
    format!("[scene]\ndimension = 3\nuntil = 0.5\n{}\n{PUSH}", crowd("scene."))
}

const ORBIT: &str = r#"
    measure = ["collisions", "first_collision", "closest", "momentum", "energy_drift", "kinetic_energy"]
    [stepped]
    dimension = 2
    dt = 0.01
    until = 0.995
    physics = { attraction = 1, restitution = 0.9 }
    [[stepped.particle]]
    position = [0, 0]
    radius = 0.1
    mass = 1
    [[stepped.particle]]
    position = [1, 0]
    velocity = [0, 0.5]
    radius = 0.1
    mass = 0.01
    [vary]
    "particle[1].velocity" = { normal = { mean = [0, 0.5], sd = 0.3 } }
    "physics.attraction" = { choice = [1, 2, 4] }
"#;

/// Bits, so that NaN equals itself.
fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn a_replica_is_the_same_alone_and_among_others() {
    for text in [GAS, BREAK, &crowd_study(), ORBIT] {
        let model = read(text);
        let all = run(&*model, 0..24);
        assert_eq!(all.failures, []);
        let mut worker = model.worker(7, 2);
        for first in [16, 0, 8] {
            let mut block = BatchColumns::default();
            assert!(worker.run(first..first + 8, &AtomicBool::new(false), &mut block));
            for (part, whole) in
                block.values.iter().zip(&all.values).chain(block.inputs.iter().zip(&all.inputs))
            {
                assert_eq!(bits(part), bits(&whole[first as usize..][..8]), "{text}");
            }
        }
        for replica in [0, 13, 23] {
            let replay = model.replay(7, 2, replica as u64).unwrap();
            let at = |columns: &[Vec<f64>]| columns.iter().map(|column| column[replica]).collect::<Vec<_>>();
            assert_eq!(bits(&replay.values), bits(&at(&all.values)), "{text}");
            assert_eq!(replay.inputs.iter().map(|input| input.2).collect::<Vec<_>>(), at(&all.inputs));
            assert!(replay.rows.iter().all(|row| row.len() == replay.columns.len()));
            assert!(replay.rows.is_sorted_by_key(|row| row[0]) && replay.rows.len() > 30);
        }
        let other = {
            let mut block = BatchColumns::default();
            assert!(model.worker(8, 2).run(0..24, &AtomicBool::new(false), &mut block));
            block
        };
        assert!(all.values.iter().zip(&other.values).any(|(one, two)| one != two));
    }
}

#[test]
fn a_study_stops_when_it_is_told_to() {
    for text in [GAS, BREAK, ORBIT] {
        let model = read(text);
        assert!(!model.worker(1, 0).run(0..8, &AtomicBool::new(true), &mut BatchColumns::default()));
    }
}

#[test]
fn two_balls_meet_when_they_should() {
    let model = read(
        r#"
        measure = ["first_collision", "any_collision", "energy_lost"]
        [units]
        length = "cm"
        [scene]
        dimension = 1
        until = 1.6
        physics = { restitution = 0.5 }
        ball = [{ position = [0], radius = 50, mass = 1 }, { position = [300], radius = 50, mass = 1 }]
        [vary]
        "ball[0].velocity[0]" = { uniform = [100, 200] }
        "#,
    );
    assert_eq!(model.inputs()[0].name, "ball[0].velocity_x");
    let found = run(&*model, 0..1024);
    for (&velocity, &time) in found.inputs[0].iter().zip(&found.values[0]) {
        assert!(
            if velocity > 1.25 { (time - 2.0 / velocity).abs() < 1e-12 } else { time.is_nan() },
            "{velocity} {time}"
        );
    }
    // The chance is (2 - 1.25) / (2 - 1); five standard errors.
    assert!((mean(&found.values[1]) - 0.75).abs() < 5.0 * (0.75 * 0.25 / 1024.0_f64).sqrt());
    let met = |n: usize| found.values[1][n] == 1.0;
    let lost = |n: usize| if met(n) { 0.5 * (1.0 - 0.25) } else { 0.0 };
    assert!((0..1024).all(|n| (found.values[2][n] - lost(n)).abs() < 1e-12));
}

#[test]
fn stepped_worlds_meet_when_they_should_and_keep_what_they_have() {
    let model = read(
        r#"
        measure = ["first_collision", "momentum", "energy_drift", "closest"]
        [stepped]
        dimension = 1
        dt = 0.013
        until = 2
        particle = [{ position = [0], radius = 0.5, mass = 2 }, { position = [3], radius = 0.5, mass = 1 }]
        [vary]
        "particle[0].velocity" = [{ uniform = [1.5, 2.5] }]
        "#,
    );
    let found = run(&*model, 0..64);
    for n in 0..64 {
        let velocity = found.inputs[0][n];
        assert!((found.values[0][n] - 2.0 / velocity).abs() < 1e-12);
        assert!((found.values[1][n] - 2.0 * velocity).abs() < 1e-12 && found.values[2][n] < 1e-14);
        assert!(found.values[3][n] >= 1.0 && found.values[3][n] < 1.04);
    }
    // Both fall from rest at distance 1 to contact at 0.2: T = sqrt(1 / (2 G M)) (sqrt(x (1 - x)) + acos(sqrt(x))).
    let model = read(
        r#"
        measure = ["first_collision"]
        [stepped]
        dimension = 3
        dt = 0.0005
        until = 1.2
        particle = [{ position = [0, 0, 0], radius = 0.1, mass = 1 }, { position = [0, 1, 0], radius = 0.1, mass = 0.5 }]
        [vary]
        physics.attraction = { uniform = [0.9, 1.1] }
        "#,
    );
    let found = run(&*model, 0..8);
    for n in 0..8 {
        let (strength, x) = (1.5 * found.inputs[0][n], 0.2_f64);
        let expected = (0.5 / strength).sqrt() * ((x * (1.0 - x)).sqrt() + x.sqrt().acos());
        assert!((found.values[0][n] / expected - 1.0).abs() < 2e-3, "{} {expected}", found.values[0][n]);
    }
}

#[test]
fn gases_have_the_pressure_of_theory() {
    for (dim, packing, tolerance) in [(1, 0.4, 0.03), (2, 0.3, 0.02), (3, 0.2, 0.02), (3, 0.0005, 0.002)] {
        let model = read(&format!(
            "gas = {{ dimension = {dim}, particles = 108, packing = {packing}, radius = 2, mass = 3, \
             temperature = 5, collisions = 10 }}"
        ));
        let found = run(&*model, 0..8);
        assert_eq!(found.failures, []);
        for observable in 0..2 {
            let reference = model.reference(observable).unwrap();
            let value = mean(&found.values[observable]);
            let off = value / reference.value - 1.0;
            assert!(off.abs() < tolerance, "{dim}D {packing}: {value} against {reference:?}");
        }
        let rate = model.reference(2).unwrap().value;
        // Neither equilibrium nor Enskog on a line.
        assert!(dim == 1 || (mean(&found.values[2]) / rate - 1.0).abs() < 0.05);
    }
}

#[test]
fn walls_and_losses_show() {
    let model = read(
        r#"
        measure = ["wall_pressure", "pressure", "temperature", "energy_drift", "msd", "diffusion", "mean_free_time"]
        [gas]
        dimension = 2
        particles = 30
        density = 0.1
        walls = "reflecting"
        restitution = 0.9
        equilibrate = 0
        duration = 40
        "#,
    );
    let found = run(&*model, 0..8);
    assert!(found.values.iter().flatten().all(|value| *value >= 0.0));
    assert!(found.values[2].iter().all(|&temperature| temperature < 0.9), "{:?}", found.values[2]);
    assert!(found.values[3].iter().all(|&drift| drift < 1e-12));
    assert!(model.reference(1).is_none());
}

#[test]
fn replicas_that_cannot_run_say_why() {
    let model =
        read("gas = { dimension = 3, particles = 8, density = 0.1, temperature = { choice = [0, 1] } }");
    let found = run(&*model, 0..16);
    let cold = found.inputs[0].iter().filter(|temperature| **temperature == 0.0).count();
    assert_eq!(found.failures.len(), cold);
    assert!(found.failures[0].message.contains("nothing happens"), "{:?}", found.failures);
    let failed = found.failures[0].replica as usize;
    assert!(found.values.iter().all(|column| column[failed].is_nan()));
    assert!(model.replay(7, 2, failed as u64).is_err());

    let model = read(
        r#"
        scene = { name = "oblique" }
        vary = { "ball[0].position" = { choice = [[0.1, 0.14], [0.251, 0.15], [0.1, 9]] } }
        "#,
    );
    let found = run(&*model, 0..32);
    let messages: Vec<&str> = found.failures.iter().map(|failure| failure.message.as_str()).collect();
    assert!(messages.iter().any(|message| message.contains("overlap")), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("box")) && messages.len() < 32, "{messages:?}");
}

#[test]
fn scenes_and_worlds_come_from_files() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("crowd.toml", &format!("dimension = 3\nuntil = 0.5\n{}", crowd("")));
    write("bad.toml", "dimension = 2\nbal = 3");
    let world = crate::World::new(5).unwrap();
    let mut bytes = Vec::new();
    crate::io::write(&world, crate::io::Format::Json, &mut bytes).unwrap();
    std::fs::write(directory.path().join("five.json"), bytes).unwrap();
    let inside = |text: &str| read_in(Some(directory.path()), text);
    let from_file = inside(&format!("scene = {{ file = \"crowd.toml\" }}\n{PUSH}")).unwrap();
    assert_eq!(run(&*from_file, 0..8), run(&*read(&crowd_study()), 0..8));
    for (text, said) in [
        ("scene = { file = \"none.toml\" }", "none.toml"),
        ("scene = { file = \"bad.toml\" }", "scene.file cannot be used"),
        ("scene = { file = \"bad.toml\", name = \"oblique\" }", "cannot be combined with name"),
        ("scene = { file = \"bad.toml\", dimension = 2 }", "cannot be combined with a name or a file"),
        ("stepped = { file = \"five.json\", until = 1 }", "5 dimensions"),
        ("stepped = { file = \"bad.toml\", until = 1 }", "cannot be used"),
    ] {
        let error = inside(text).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn errors_name_line_column_and_field() {
    let scene = "scene = { name = \"oblique\" }\n[vary]\n";
    let stepped = "stepped = { dimension = 1, until = 1, particle = [{ position = [0], radius = 1, mass = 1, fixed = true }] }\n[vary]\n";
    for (text, line, said) in [
        ("gas = { dimension = 3, densty = 1 }".to_owned(), 1, "gas.densty is unknown; did you mean density?"),
        ("\n[gas]\ndimension = 3\ndensity = -1".into(), 4, "gas.density must not be below 0"),
        ("gas = { dimension = 3, density = 3 }".into(), 1, "gas.density must be smaller"),
        (
            "gas = { dimension = 3, density = 1, packing = 1 }".into(),
            1,
            "gas.packing cannot be combined with density",
        ),
        ("gas = { dimension = 3, density = 0 }".into(), 1, "gas.density must be above 0"),
        ("gas = { dimension = 3, density = 0.1, particles = 1 }".into(), 1, "gas.particles is 1"),
        (
            "gas = { dimension = 3, density = 0.1, duration = 1, collisions = 1 }".into(),
            1,
            "combined with duration",
        ),
        ("measure = [\"wall_pressure\"]\ngas = { dimension = 3, density = 0.1 }".into(), 1, "measure[0] is"),
        ("scene = { name = \"obliqe\" }".into(), 1, "did you mean oblique?"),
        (format!("{scene}\"ball[2].velocity\" = [1, 2]"), 3, "is out of range: there are 2"),
        (format!("{scene}\"ball[1].velocty\" = [1, 2]"), 3, "did you mean velocity?"),
        (format!("{scene}\"ball[1].velocity[2]\" = 1"), 3, "there are 2 axes"),
        (format!("{scene}\"ball[1].mass[0]\" = 1"), 3, "has no axes"),
        (
            format!("{scene}\"ball.mass\" = 1"),
            3,
            "is unknown: write physics.gravity, physics.restitution, physics.wall_restitution, ball[0].position",
        ),
        (format!("{scene}\"physics.gravty\" = 1"), 3, "did you mean gravity?"),
        (format!("{scene}physics.restitution = {{ uniform = [0, 2] }}"), 3, "must be from 0 to 1"),
        (format!("{scene}\n\"ball[0].mass\" = {{ uniform = [-1, 2] }}"), 4, "must not be below 0"),
        (format!("{scene}\"ball[0].mass\" = {{ add = 1, uniform = [0, 1] }}"), 3, "uniform is unknown"),
        (format!("{stepped}\"particle[0].velocity\" = [1]"), 3, "the particle is fixed"),
        ("stepped = { dimension = 1, until = -1 }".into(), 1, "stepped.until is -1"),
        ("stepped = { dimension = 1, until = 1, dt = 1e-300 }".into(), 1, "steps"),
        (
            "[stepped]\ndimension = 1\nuntil = 1\n[[stepped.particle]]\nradius = 1".into(),
            4,
            "stepped.particle[0].position",
        ),
    ] {
        let (found, column, detail) = complaint(&text);
        assert!(found == line && column >= 1 && detail.contains(said), "{text}\n{found}: {detail}");
    }
}

#[test]
fn batches_are_multiples_of_eight() {
    for text in [GAS, BREAK, &crowd_study(), ORBIT] {
        let batch = read(text).batch();
        assert!(batch.is_multiple_of(8) && (8..=1024).contains(&batch), "{batch}");
    }
    assert_eq!(read(BREAK).batch(), 1024);
    assert_eq!(read("gas = { dimension = 3, density = 0.5 }").batch(), 8);
}
