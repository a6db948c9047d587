//! Study files: what is wrong has a line and a field, and any number can be swept.

use carom::Error;
use carom::study::{KINDS, Study, Target};

const ENCOUNTER: &str = r#"
kind = "encounter"
replicas = 4096
seed = 7

[encounter]
duration = 10.0

[encounter.a]
radius = 1.0
position = { normal = { mean = [0.0, 0.0, 0.0], sd = 1.0 } }
velocity = [0.0, 0.0, 0.0]

[encounter.b]
radius = 0.5
position = [50.0, 1.0, 0.0]
velocity = [-10.0, 0.0, 0.0]
"#;

fn with(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(ENCOUNTER.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

/// Line and message of the error of this text.
fn error(text: &str) -> (usize, String) {
    match Study::from_toml(text, None) {
        Err(Error::Syntax { format: "study", line, detail, .. }) => (line, detail),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(changes: &[(&str, &str)], line: usize, part: &str) {
    let (found, detail) = error(&with(changes));
    assert!(detail.contains(part), "{detail}");
    assert_eq!(found, line, "{detail}");
}

#[test]
fn a_study_says_what_it_is() {
    let study = Study::from_toml(ENCOUNTER, None).unwrap();
    assert_eq!((study.name.as_str(), study.kind.as_str()), ("encounter", "encounter"));
    assert_eq!((study.seed, study.replicas, study.point_count()), (7, 4096, 1));
    assert!(study.observables().iter().any(|observable| observable.name == "hit"));
    assert_eq!(study.text, ENCOUNTER);
}

#[test]
fn mistakes_have_a_line_and_a_hint() {
    refused(&[("replicas = 4096", "replica = 4096")], 3, "replica is unknown; did you mean replicas?");
    refused(&[("kind = \"encounter\"", "kind = \"encouter\"")], 2, "encounter");
    refused(&[("replicas = 4096", "replicas = 0")], 3, "replicas is 0");
    refused(&[("replicas = 4096", "replicas = 1e3")], 3, "whole number");
    refused(&[("radius = 0.5", "radius = -0.5")], 15, "encounter.b.radius may come out negative");
    refused(&[("radius = 0.5", "radios = 0.5")], 15, "did you mean radius?");
    refused(&[("sd = 1.0", "sd = -1.0")], 11, "sd");
    refused(&[("seed = 7", "seed = 7\nmeasure = [\"hits\"]")], 5, "did you mean hit?");
    refused(&[("seed = 7", "seed = 7\nmeasure = [\"hit\", \"hit\"]")], 5, "twice");
    refused(&[("seed = 7", "seed = 7\n[statistics]\nconfidence = 1.5")], 6, "statistics.confidence is 1.5");
    refused(&[("seed = 7", "seed = 7\n[statistics]\nbatch = 12")], 6, "multiple of 8");
    refused(&[("seed = 7", "seed = 7\n[stop]\nrel = 0.1\nabs = 1")], 5, "exactly one of rel and abs");
    refused(&[("seed = 7", "seed = 7\n[stop]\nrel = 0.1\nmin = 100\nmax = 10")], 8, "must not be below min");
    refused(
        &[("seed = 7", "seed = 7\n[gas]\nparticles = 8")],
        5,
        "does not belong to a study of the kind encounter",
    );
    refused(&[("seed = 7", "seed = 7\n[vary]\nx = 8")], 5, "is for scenes and stepped worlds");
    refused(&[("seed = 7", "seed = ")], 4, "");
}

#[test]
fn any_number_can_be_swept_by_one_or_two_parameters() {
    let sweep = "seed = 7\n[sweep]\n\"encounter.b.radius\" = { from = 0.5, to = 2, count = 4 }\n\
                 \"encounter.b.position[1]\" = [0, 1, 2]";
    let study = Study::from_toml(&with(&[("seed = 7", sweep)]), None).unwrap();
    assert_eq!(study.point_count(), 12);
    assert_eq!(study.axes[0].values, [0.5, 1.0, 1.5, 2.0]);
    assert_eq!(study.parameters(0).unwrap(), [0.5, 0.0]);
    assert_eq!(study.parameters(4).unwrap(), [1.0, 1.0]);
    assert!(matches!(study.parameters(12), Err(Error::BadIndex { .. })));

    let log = "seed = 7\n[sweep]\n\"encounter.a.position.normal.sd\" = { from = 0.1, to = 10, count = 3, scale = \"log\" }";
    let study = Study::from_toml(&with(&[("seed = 7", log)]), None).unwrap();
    assert_eq!((&study.axes[0].values[..], study.axes[0].logarithmic), (&[0.1, 1.0, 10.0][..], true));
}

#[test]
fn a_bad_sweep_is_refused_where_it_stands() {
    let swept = |sweep: &str| with(&[("seed = 7", &format!("seed = 7\n[sweep]\n{sweep}"))]);
    for (sweep, part) in [
        ("\"encounter.c.radius\" = [1, 2]", "has no c there"),
        ("\"encounter.a\" = [1, 2]", "names no number"),
        ("\"encounter.b.position[7]\" = [1, 2]", "has no entry 7"),
        ("\"encounter.b.radius\" = [1]", "at least two values"),
        ("\"encounter.b.radius\" = { from = 0, to = 1, count = 3, scale = \"log\" }", "above 0"),
        ("\"encounter.b.radius\" = { from = 0, to = 1, count = 100000 }", "at most"),
        ("seed = [1, 2]", "no parameter of the model"),
        (
            "\"encounter.b.velocity[0]\" = [1, 2]\n\"encounter.b.radius\" = [1, 2]\n\"encounter.duration\" = [1, 2]",
            "one or two",
        ),
    ] {
        let (line, detail) = error(&swept(sweep));
        assert!(detail.contains(part), "{detail}");
        assert!((5..=6).contains(&line), "{line}: {detail}");
    }
    // The point at which the value makes no sense is named, and the line of the number.
    let (line, detail) = error(&swept("\"encounter.b.radius\" = [1.0, -1.0]"));
    assert!(
        detail.contains("encounter.b.radius may come out negative") && detail.contains("at the point"),
        "{detail}"
    );
    assert_eq!(line, 17);
}

#[test]
fn a_precision_is_read_from_a_word() {
    assert_eq!("rel=0.01".parse(), Ok(Target::Relative(0.01)));
    assert_eq!("abs = 2".parse(), Ok(Target::Absolute(2.0)));
    assert_eq!(Target::Relative(0.01).to_string(), "rel=0.01");
    for bad in ["", "0.01", "rel=", "rel=-1", "rel=nan", "abs=inf", "relative=1"] {
        assert!(bad.parse::<Target>().is_err(), "{bad}");
    }
}

#[test]
fn the_guide_and_the_templates_name_what_every_kind_takes_and_measures() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let (guide, scenes) = (read("docs/studies.md"), read("docs/scenes.md"));
    for kind in KINDS {
        let name = kind.name;
        let (_, rest) = guide.split_once(&format!("\n### {name}\n")).expect(name);
        let section = rest.split("\n##").next().unwrap();
        for key in kind.keys() {
            let known = section.contains(key) || (name == "scene" && scenes.contains(key));
            assert!(known, "{name}: {key} is not in the guide");
        }
        let template = kind.template();
        assert!(template.contains(&format!("kind = \"{name}\"")), "{template}");
        for observable in kind.observables() {
            let quoted = format!("`{}`", observable.name);
            assert!(section.contains(&quoted), "{name}: {quoted} is not in the guide");
            // A template lists observables in its comments; those of one type of frame are in the guide alone.
            let listed = template.contains(&observable.name) || observable.name.starts_with("hit_");
            assert!(listed, "{name}: {quoted} is not in the template");
        }
    }
}
