use super::MEASURES;
use super::spheres::{Measure, Passage, passage};
use crate::soa::level::{Kernel, run_at_each_level};
use crate::soa::simd::Simd;
use crate::study::file::Study;
use crate::study::model::{BatchColumns, Model};
use crate::study::testing::batch;

fn model(text: &str) -> Box<dyn Model> {
    Study::from_toml(&format!("kind = \"encounter\"\n{text}"), None).unwrap().points.remove(0).model
}

fn run(model: &dyn Model, count: u64) -> BatchColumns {
    batch(model, 1, 0, 0..count)
}

fn input<'b>(model: &dyn Model, block: &'b BatchColumns, name: &str) -> &'b [f64] {
    let column = model.inputs().iter().position(|input| input.name == name).unwrap();
    &block.inputs[column]
}

/// What is measured of passages.
#[derive(Clone)]
struct Measured<'a> {
    passage: &'a Passage<3>,
    columns: &'a [Vec<f64>],
}

impl Kernel for Measured<'_> {
    type Output = [Vec<f64>; MEASURES];

    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let Self { passage, columns } = self;
        let mut values = std::array::from_fn(|_| vec![0.0; columns[0].len()]);
        Measure { passage, columns, values: &mut values }.run::<S>();
        values
    }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| if x.is_nan() { 0 } else { x.to_bits() }).collect()
}

#[test]
fn the_kernel_is_its_scalar_twin() {
    let model = model(
        "[encounter]\nduration = 3\n[encounter.a]\nradius = { uniform = [0.1, 1] }\nposition = { ball = { radius = 3 } }\n\
         velocity = { choice = [[1, 0, 0], [-1, 0.5, 2], [0, 0, 0]] }\n[encounter.b]\nradius = 0.5\n\
         position = { choice = [[0, 0, 0], [2, 0, 0], [0, 1e9, 0]] }\nvelocity = { choice = [[1, 0, 0], [0, -1e9, 1]] }\n",
    );
    let block = run(&*model, 1003);
    let vector = |body: &str, what: &str, row: usize| -> [f64; 3] {
        std::array::from_fn(|axis| {
            input(&*model, &block, &format!("encounter.{body}.{what}_{}", ["x", "y", "z"][axis]))[row]
        })
    };
    let mut kinds = [0; 3];
    for row in 0..1003 {
        let minus = |what: &str| -> [f64; 3] {
            let (a, b) = (vector("a", what, row), vector("b", what, row));
            std::array::from_fn(|axis| a[axis] - b[axis])
        };
        let touch = input(&*model, &block, "encounter.a.radius")[row] + 0.5;
        let expected = passage(minus("position"), minus("velocity"), touch, 3.0);
        let found: Vec<f64> = block.values.iter().map(|column| column[row]).collect();
        assert_eq!(bits(&found), bits(&expected), "row {row}: {found:?} and {expected:?}");
        kinds[if found[0] == 0.0 {
            0
        } else if found[3] == 0.0 {
            1
        } else {
            2
        }] += 1;
    }
    assert!(kinds.iter().all(|&count| count > 30), "{kinds:?}");
    let column = |name: &str| model.inputs().iter().position(|input| input.name == name).unwrap();
    let state =
        |body: &str| ["position", "velocity"].map(|what| column(&format!("encounter.{body}.{what}_x")));
    let radii = ["a", "b"].map(|body| column(&format!("encounter.{body}.radius")));
    let passage = Passage { states: [state("a"), state("b")], radii: Some(radii), duration: 3.0 };
    for values in run_at_each_level(&Measured { passage: &passage, columns: &block.inputs }) {
        for (column, expected) in values.iter().zip(&block.values) {
            assert_eq!(bits(column), bits(expected));
        }
    }
}

#[test]
fn contacts_are_found_where_large_distances_cancel() {
    // A passage at 9.999,999 m of spheres that touch at 10 m, from 10,000 km away at 15 km/s.
    let found = passage([-1e7, 9.999_999, 0.0], [15_000.0, 0.0, 0.0], 10.0, 1e4);
    assert_eq!(found[0], 1.0);
    let half = (100.0 - 9.999_999_f64.powi(2)).sqrt();
    assert!((found[3] - (1e7 - half) / 15_000.0).abs() < 1e-12 * 667.0);
    assert_eq!(passage([-1e7, 10.000_001, 0.0], [15_000.0, 0.0, 0.0], 10.0, 1e4)[0], 0.0);
}

/// The reference, and how many standard errors the sampled share lies from it.
fn reference_and_error(text: &str) -> (f64, f64) {
    const COUNT: u64 = 20_000;
    let model = model(text);
    let reference = model.reference(0).unwrap().value;
    let share = run(&*model, COUNT).values[0].iter().sum::<f64>() / COUNT as f64;
    (reference, (share - reference) / (reference * (1.0 - reference) / COUNT as f64).sqrt())
}

#[test]
fn sampled_probabilities_are_the_analytic_ones() {
    // Head-on, with equal uncertainties: 1 - exp(-R^2 / 2 s^2).
    let head_on = "[encounter]\nduration = 100\n[encounter.a]\nradius = 1\nposition = { normal = { sd = 2 } }\n\
         [encounter.b]\nradius = 2\nposition = [0, -500, 0]\nvelocity = [0, 10, 0]\n";
    let (reference, error) = reference_and_error(head_on);
    assert!(
        (reference - (1.0 - (-9.0_f64 / 8.0).exp())).abs() < 1e-10 && error.abs() < 4.0,
        "{reference}: {error}"
    );
    // Past each other, each with a covariance of its own.
    let past = "[encounter]\nduration = 100\n[encounter.a]\nradius = 3\nvelocity = [0, 1, 0]\n\
         position = { normal = { mean = [2, 0, 1], covariance = [[4, 1, 0], [1, 9, 1], [0, 1, 2]] } }\n\
         [encounter.b]\nradius = 1\nposition = { normal = { mean = [-300, 0, 0], sd = [1, 2, 3] } }\nvelocity = [7, 1, 0]\n";
    let (reference, error) = reference_and_error(past);
    assert!((0.1..0.9).contains(&reference) && error.abs() < 4.0, "{reference}: {error}");
    // At rest, in the plane and in space.
    for (dimension, origin, mean) in [(2, "[0, 0]", "[1, 2]"), (3, "[0, 0, 0]", "[1, 2, 0]")] {
        let rest = format!(
            "[encounter]\ndimension = {dimension}\nduration = 0\n[encounter.a]\nradius = 1\nposition = {origin}\n\
             [encounter.b]\nradius = 1.5\nposition = {{ normal = {{ mean = {mean}, sd = 1.5 }} }}\n"
        );
        let (reference, error) = reference_and_error(&rest);
        assert!((0.1..0.9).contains(&reference) && error.abs() < 4.0, "{reference}: {error}");
    }
}

#[test]
fn there_is_no_reference_where_none_is_known() {
    let text = |a: &str, b: &str| {
        format!(
            "[encounter]\nduration = 10\n[encounter.a]\nradius = 1\nposition = [0, 0, 0]\n{a}\n[encounter.b]\n{b}\n"
        )
    };
    let far = "position = { normal = { mean = [-50, 0, 0], sd = 1 } }";
    let certain = format!("radius = 1\n{far}\nvelocity = [10, 0, 0]");
    assert!(model(&text("", &certain)).reference(0).is_some());
    assert!(model(&text("", &certain)).reference(1).is_none());
    let uncertain = format!("radius = 1\n{far}\nvelocity = {{ normal = {{ mean = [10, 0, 0], sd = 1 }} }}");
    assert!(model(&text("", &uncertain)).reference(0).is_none());
    let early = "radius = 1\nposition = { normal = { mean = [-5, 0, 0], sd = 1 } }\nvelocity = [10, 0, 0]";
    assert!(model(&text("", early)).reference(0).is_none());
    let uneven = format!("radius = {{ uniform = [1, 2] }}\n{far}\nvelocity = [10, 0, 0]");
    assert!(model(&text("", &uneven)).reference(0).is_none());
}

#[test]
fn cubes_hit_where_their_paths_cross() {
    let cube = "frame = { sides = [1, 1, 1] }\n";
    let text = format!(
        "[encounter]\nduration = 2\n[encounter.a]\n{cube}position = [0, 0, 0]\n[encounter.b]\n{cube}\
         position = [-10, {{ uniform = [-2, 2] }}, 0.25]\nvelocity = [10, 0, 0]\n"
    );
    let model = model(&text);
    let block = run(&*model, 500);
    for row in 0..500 {
        let aside = input(&*model, &block, "encounter.b.position_y")[row].abs();
        assert_eq!(block.values[0][row], f64::from(u8::from(aside < 1.0)), "row {row}");
        assert!((block.values[1][row] - (aside * aside + 0.0625).sqrt()).abs() < 1e-12);
        assert_eq!(block.values[2][row], 1.0);
        let contact = block.values[3][row];
        assert!(if aside < 1.0 { (contact - 0.9).abs() < 1e-12 } else { contact.is_nan() });
    }
    let replay = model.replay(1, 0, 77).unwrap();
    assert_eq!(replay.values[1], block.values[1][77]);
    assert_eq!(replay.columns[..3], ["time_s", "body", "position_x_m"]);
    assert_eq!(replay.rows.first().unwrap()[..3], [0.0, 0.0, 0.0]);
    assert_eq!(replay.rows.last().unwrap()[..3], [2.0, 1.0, 10.0]);
}

#[test]
fn a_sphere_hits_a_cube_as_a_rounded_cube_hits_a_point() {
    let (ball, cube) = ("radius = 0.5\n", "frame = { sides = [1, 1, 1] }\n");
    for (a, b) in [(cube, ball), (ball, cube)] {
        let model = model(&format!(
            "[encounter]\nduration = 2\n[encounter.a]\n{a}position = [0, 0, 0]\n[encounter.b]\n{b}\
             position = [-10, {{ uniform = [-2, 2] }}, 0.25]\nvelocity = [10, 0, 0]\n"
        ));
        let block = run(&*model, 500);
        assert!(block.failures.is_empty() && model.reference(0).is_none());
        for row in 0..500 {
            // Beside the face the sphere touches the edge of the cube, nearer to its middle.
            let aside = (input(&*model, &block, "encounter.b.position_y")[row].abs() - 0.5).max(0.0);
            assert_eq!(block.values[0][row], f64::from(u8::from(aside < 0.5)), "row {row}");
            let expected = (10.0 - 0.5 - (0.25 - aside * aside).sqrt()) / 10.0;
            let contact = block.values[3][row];
            let fits = if aside < 0.5 { (contact - expected).abs() < 1e-9 } else { contact.is_nan() };
            assert!(fits, "row {row}: {contact} {expected}");
        }
        assert_eq!(model.replay(1, 0, 77).unwrap().values[1], block.values[1][77]);
    }
    let flat = "[encounter]\nduration = 0\n[encounter.a]\nradius = 1\nposition = [0, 0, 0]\n[encounter.b]\n\
         position = [1.4, 0, 0]\nframe = { sides = [1, 1, { choice = [0, 1] }] }\n";
    let block = run(&*model(&flat.replace("{ choice = [0, 1] }", "1")), 8);
    assert!(block.values[0].iter().all(|&hit| hit == 1.0));
    let block = run(&*model(flat), 80);
    assert!((1..80).contains(&block.failures.len()), "a frame without volume is a failure");
}

#[test]
fn an_encounter_that_ends_too_early_warns() {
    let warnings = |duration: f64, deviation: f64| {
        let text = format!(
            "[encounter]\nduration = {duration}\n[encounter.a]\nradius = 1\nposition = [0, 0, 0]\n[encounter.b]\n\
             radius = 1\nposition = {{ normal = {{ mean = [-100, 0, 0], sd = {deviation} }} }}\nvelocity = [10, 0, 0]\n"
        );
        model(&text).warnings(1, 0)
    };
    assert_eq!(warnings(20.0, 5.0), Vec::<String>::new());
    assert_eq!(warnings(0.0, 5.0), Vec::<String>::new());
    let [all] = &warnings(5.0, 5.0)[..] else { panic!("one warning") };
    assert!(
        all.contains("100.0% of the first 1024 replicas end, after 5 s, before the bodies are closest"),
        "{all}"
    );
    let [half] = &warnings(10.0, 5.0)[..] else { panic!("one warning") };
    assert!(half.contains("warning: 4") || half.contains("warning: 5"), "{half}");
}

#[test]
fn tetrahedra_are_turned_about_their_centres() {
    // A regular one, whose vertices are sqrt(3)/2 from its centre, always holds a small cube there.
    let text = "[encounter]\nduration = 1\n[encounter.a]\nposition = [3, 0, 0]\n\
         frame = { kind = \"T\", components = [[1, 1, 0], [1, 0, 1], [0, 1, 1]], rotation = \"random\" }\n\
         [encounter.b]\nframe = { sides = [0.1, 0.1, 0.1], rotation = \"random\" }\nposition = [3, 0, 0]\n";
    let block = run(&*model(text), 300);
    assert!(block.values[0].iter().all(|&hit| hit == 1.0) && block.failures.is_empty());
    let beyond = text.replacen("position = [3, 0, 0]", "position = [4.0, 0, 0]", 1);
    assert!(run(&*model(&beyond), 300).values[0].iter().all(|&hit| hit == 0.0));
}

#[test]
fn position_and_velocity_may_depend_on_each_other() {
    // Who starts ahead is slower, so that all arrive at time 10 at the same place.
    let mut covariance = vec![vec!["0"; 6]; 6];
    (covariance[0][0], covariance[0][3], covariance[3][0], covariance[3][3]) = ("100", "-10", "-10", "1");
    let rows: Vec<String> = covariance.iter().map(|row| format!("[{}]", row.join(", "))).collect();
    let text = format!(
        "[units]\nlength = \"km\"\n[encounter]\nduration = 10\n[encounter.a]\nradius = 0.001\nposition = [0, 0, 0]\n\
         [encounter.b]\nradius = 0.001\nstate = {{ normal = {{ mean = [-200, 0, 0, 20, 0, 0], covariance = [{}] }} }}\n",
        rows.join(", ")
    );
    let model = model(&text);
    let block = run(&*model, 200);
    let (x, v) =
        (input(&*model, &block, "encounter.b.position_x"), input(&*model, &block, "encounter.b.velocity_x"));
    assert!(x.iter().zip(v).all(|(x, v)| (x + 10.0 * v).abs() < 1e-4), "{} {}", x[0], v[0]);
    assert!(x.iter().any(|x| (x + 200e3).abs() > 10e3));
    assert_eq!((&*model.inputs()[9].unit, &*model.inputs()[10].unit), ("m", "m/s"));
    assert!(model.reference(0).is_none());
}

#[test]
fn what_makes_no_sense_is_named() {
    let sphere = "radius = 1\nposition = [0, 0, 0]\n";
    let cube = "frame = { sides = [1, 1, 1] }\nposition = [0, 0, 0]\n";
    for (a, b, expected) in [
        (sphere, "position = [0, 0, 0]\n", "encounter.b needs a radius or a frame"),
        (sphere, "radius = 1\n", "encounter.b.position is missing"),
        (sphere, "radius = -1\nposition = [0, 0, 0]\n", "encounter.b.radius may come out negative"),
        (
            cube,
            "radius = 1\nframe = { }\nposition = [0, 0, 0]\n",
            "encounter.b.frame is there besides radius",
        ),
        (
            sphere,
            "radius = 1\nstate = [0, 0, 0, 0, 0, 0]\nvelocity = [0, 0, 0]\n",
            "encounter.b.velocity is there besides state",
        ),
        (sphere, "radius = 1\nposition = [0, 0]\n", "encounter.b.position has 2 entries"),
    ] {
        let text =
            format!("kind = \"encounter\"\n[encounter]\nduration = 1\n[encounter.a]\n{a}[encounter.b]\n{b}");
        let error = Study::from_toml(&text, None).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
