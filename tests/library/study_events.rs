//! Studies of gases, scenes and stepped worlds, from their files to the trajectory of a replica.

use std::path::Path;

use carom::Error;
use carom::study::{Replay, Study};

fn example(name: &str) -> Study {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/studies");
    let text = std::fs::read_to_string(directory.join(name)).unwrap();
    Study::from_toml(&text, Some(&directory)).unwrap()
}

fn value(replay: &Replay, observable: usize) -> f64 {
    replay.values[observable]
}

#[test]
fn the_pressure_of_the_example_is_near_its_theory() {
    let study = example("hard_sphere_pressure.toml");
    assert_eq!((study.kind.as_str(), study.axes.len(), study.axes[0].values.len()), ("gas", 1, 8));
    assert_eq!(study.axes[0].values[4], 0.5);
    let replay = study.replay(4, 3).unwrap();
    // P V / (N kT) = 3.2694 at density 0.5 (Clisby and McCoy 2006); one replica is good to about 2%.
    assert!((value(&replay, 0) / 3.2694 - 1.0).abs() < 0.1, "{:?}", replay.values);
    assert!((value(&replay, 1) / 1.6347 - 1.0).abs() < 0.1);
    assert!(replay.inputs.is_empty());
    assert_eq!(replay.columns[..3], ["time_s", "body", "position_x_m"]);
    // Two rows a collision, and all balls at the start and at the end.
    assert_eq!(replay.rows.len(), 2 * 256 + 2 * (40 + 40) * 256 / 2);
    assert_eq!(replay, study.replay(4, 3).unwrap());
    assert_ne!(replay.values, study.replay(4, 4).unwrap().values);
}

#[test]
fn the_break_of_the_example_reaches_more_cushions_with_time() {
    let study = example("billiard_break.toml");
    let touchers: Vec<f64> = (0..7)
        .map(|point| (0..20).map(|n| value(&study.replay(point, n).unwrap(), 0)).sum::<f64>() / 20.0)
        .collect();
    assert!(touchers.is_sorted() && touchers[0] < 4.0 && touchers[6] > 10.0, "{touchers:?}");
    let replay = study.replay(0, 0).unwrap();
    assert_eq!(replay.inputs[0].0, "ball[0].velocity_x");
    assert_eq!((replay.rows[0][1], replay.rows[0][4]), (0.0, replay.inputs[0].2));
    let lost = value(&replay, 3);
    assert!(lost > 0.0 && lost < 1.0, "{lost}");
}

#[test]
fn the_bodies_of_the_example_fall_together() {
    let study = example("attraction.toml");
    assert_eq!(study.axes[0].name, "particle[*].radius");
    for point in 0..4 {
        let replay = study.replay(point, 1).unwrap();
        assert_eq!(replay.inputs.len(), 15);
        // Five rows at the start and after each of 300 steps.
        assert_eq!(replay.rows.len(), 5 * 301);
        assert!((replay.rows.last().unwrap()[0] - 1.5).abs() < 1e-12);
        assert_eq!(value(&replay, 0) == 1.0, value(&replay, 1).is_finite());
    }
    let collisions = |point| (0..10).filter(|&n| value(&study.replay(point, n).unwrap(), 0) == 1.0).count();
    assert!(collisions(3) > collisions(0), "larger bodies collide more often");
}

#[test]
fn a_trajectory_ends_where_the_values_say() {
    let text = r#"
        kind = "scene"
        measure = ["first_collision", "kinetic_energy"]
        scene = { name = "head-on-vertical", until = 0.5 }
        vary = { "ball[0].velocity[1]" = { uniform = [0.4, 0.6] } }
    "#;
    let study = Study::from_toml(text, None).unwrap();
    for replica in 0..20 {
        let replay = study.replay(0, replica).unwrap();
        let velocity = replay.inputs[0].2;
        // Centres 0.14 m apart, radii 0.01 m each, the other one comes with 0.1 m/s.
        let expected = 0.12 / (velocity + 0.1);
        assert!((value(&replay, 0) - expected).abs() < 1e-12);
        assert!((value(&replay, 1) - 0.005 * (velocity * velocity + 0.01)).abs() < 1e-12);
        let met = replay.rows.iter().position(|row| (row[0] - expected).abs() < 1e-12).unwrap();
        // Equal masses exchange their velocities.
        assert!(
            (replay.rows[met][5] + 0.1).abs() < 1e-12 && (replay.rows[met + 1][5] - velocity).abs() < 1e-12
        );
        assert_eq!(replay.rows.last().unwrap()[0], 0.5);
    }
}

#[test]
fn a_point_that_cannot_be_is_found_when_the_study_is_read() {
    let text = "kind = \"gas\"\n[gas]\ndimension = 3\ndensity = 0.5\n[sweep]\n\"gas.density\" = [0.5, 1.5]";
    let Err(Error::Syntax { line, detail, .. }) = Study::from_toml(text, None).map(|_| ()) else { panic!() };
    assert!(line == 4 && detail.contains("gas.density") && detail.contains("gas.density = 1.5"), "{detail}");
    let wrong = "kind = \"scene\"\nscene = { name = \"oblique\" }\nvary = { \"ball[7].mass\" = 1 }";
    let Err(Error::Syntax { line, detail, .. }) = Study::from_toml(wrong, None).map(|_| ()) else { panic!() };
    assert!(line == 3 && detail.contains("ball[7].mass is out of range"), "{detail}");
}
