use super::*;
use crate::rigid2d::shapes::Geometry;
use crate::rigid2d::space::{BodyKind, Mixing, Precision, Solver};

const SCENE: &str = r#"
name = "shelf"
description = "everything once"
until = 500
seed = 9

[units]
length = "cm"
time = "ms"
mass = "g"
angle = "deg"

[space]
gravity = [0, -1e-3]
dt = 10
solver = "sequential"
precision = "mixed"
substeps = 8
iterations = 20
friction_mixing = "geometric-mean"
bounce_speed = 0
sleep_time = 500

[material.wood]
friction = 0.5
elasticity = 0.25
density = 0.1

[walls]
lower = [-100, 0]
upper = [100, 200]
thickness = 10
open = ["top"]
material = "wood"
friction = 1

[[ground]]
segment = { a = [0, 10], b = [50, 10], radius = 1 }

[[body]]
position = [10, 50]
angle = 90
velocity = [0.1, 0]
angular_velocity = 0.18
box = [20, 10]
material = "wood"
bullet = true
data = 7

[[body]]
kind = "kinematic"
velocity = [0, 0.1]
shape = [{ circle = 5 }, { circle = { radius = 5, offset = [10, 0] }, sensor = true }]

[[body]]
polygon = [[0, 0], [10, 0], [0, 10]]
mass = 50
moment = inf

[[stack]]
rows = 3
position = [-50, 0]
box = { size = [10, 10], radius = 1, offset = [5, 0], angle = 90 }
mass = 10

[[pyramid]]
rows = 2
gap = [1, 0]
circle = 5
material = "wood"

[[grid]]
columns = 3
rows = 2
gap = 2
circle = 1
density = 1

[[pile]]
count = 20
corner = [-50, 100]
width = 100
sizes = [0.5, 1]
choice = [{ circle = 3, material = "wood" }, { box = [4, 4], material = "wood" }]
"#;

fn read(text: &str) -> Result<Scene> {
    super::read(text, None)
}

/// Line, column and text of the error.
fn wrong(text: &str) -> (usize, usize, String) {
    match read(text) {
        Err(Error::Syntax { format: "scene", line, column, detail }) => (line, column, detail),
        other => panic!("{other:?}"),
    }
}

/// The error after a change of the scene above.
fn slip(from: &str, to: &str) -> (usize, usize, String) {
    assert!(SCENE.contains(from), "{from}");
    wrong(&SCENE.replacen(from, to, 1))
}

#[test]
fn all_values_of_a_file_are_converted_to_si_units() {
    let scene = read(SCENE).unwrap();
    assert_eq!((scene.name.as_str(), scene.description.as_str()), ("shelf", "everything once"));
    assert_eq!((scene.until, scene.dt, scene.seed), (0.5, 0.01, 9));
    let settings = &scene.settings;
    assert_eq!((settings.solver, settings.precision), (Solver::Sequential, Precision::Mixed));
    assert_eq!((settings.substeps, settings.iterations), (8, 20));
    assert_eq!((settings.gravity, settings.friction_mixing), (Vec2::new(0.0, -10.0), Mixing::GeometricMean));
    assert_eq!((settings.bounce_speed, settings.sleep_time), (Some(0.0), Some(0.5)));
    assert_eq!(scene.ground.len(), 4);
    let wall = &scene.ground[0];
    assert_eq!((wall.material.friction, wall.material.elasticity), (1.0, 0.25));
    assert_eq!(wall.geometry.vertices()[0], Vec2::new(-1.1, -0.1));
    let Geometry::Segment(plank) = &scene.ground[3].geometry else { panic!() };
    assert_eq!((plank.b(), plank.radius()), (Vec2::new(0.5, 0.1), 0.01));
}

#[test]
fn bodies_are_as_written() {
    let scene = read(SCENE).unwrap();
    let [plank, lift, wedge] = &scene.bodies[..3] else { panic!() };
    let body = plank.body;
    assert_eq!((body.kind, body.position), (BodyKind::Dynamic, Vec2::new(0.1, 0.5)));
    assert_eq!((body.angle, body.velocity), (std::f64::consts::FRAC_PI_2, Vec2::X));
    assert!((body.angular_velocity - std::f64::consts::PI).abs() < 1e-15);
    assert_eq!((body.bullet, body.user_data), (true, 7));
    // 0.1 g/cm^2 are 1 kg/m^2.
    assert!((plank.shapes[0].mass - 0.02).abs() < 1e-17 && plank.shapes[0].material.friction == 0.5);
    assert_eq!((lift.body.kind, lift.shapes.len()), (BodyKind::Kinematic, 2));
    assert!(lift.shapes[1].material.sensor && lift.shapes[1].geometry.vertices()[0] == Vec2::new(0.1, 0.0));
    assert_eq!((wedge.body.mass, wedge.body.moment), (0.05, f64::INFINITY));
    assert_eq!(wedge.shapes[0].mass, 0.0);
    let space = scene.space().unwrap();
    assert_eq!(space.body_count(), 1 + 3 + 3 + 3 + 6 + 20);
    assert_eq!(space.bodies().nth(3).unwrap().mass(), 0.05);
    let stack = &scene.bodies[3..6];
    let y: Vec<f64> = stack.iter().map(|body| body.body.position.y).collect();
    // The boxes of 10 cm with a radius of 1 cm are 12 cm high.
    assert!((y[1] - y[0] - 0.12).abs() < 1e-15 && (y[0] - 0.06).abs() < 1e-15, "{y:?}");
    assert!((stack[0].body.position.x + 0.55).abs() < 1e-15);
    assert_eq!(scene.bodies[6].body.position, Vec2::new(-0.055, 0.05));
    assert_eq!(scene.bodies[9].body.position, Vec2::new(-0.04, 0.01));
    assert!(scene.bodies[15..].iter().all(|body| body.body.position.y > 1.0));
}

#[test]
fn a_seed_replaces_that_of_the_file() {
    let [own, same, other] = [None, Some(9), Some(10)].map(|seed| super::read(SCENE, seed).unwrap());
    assert_eq!(own, same);
    assert_eq!(own.bodies[..15], other.bodies[..15]);
    assert!(own.bodies[15..].iter().zip(&other.bodies[15..]).all(|(one, two)| one != two));
}

#[test]
fn unknown_keys_are_named_with_the_closest_known_one() {
    assert_eq!(slip("rows = 3", "row = 3"), (61, 1, "stack[0].row is unknown; did you mean rows?".into()));
    assert_eq!(slip("[space]", "[spaces]").2, "spaces is unknown; did you mean space?");
    assert_eq!(
        slip("friction = 0.5", "fricton = 0.5").2,
        "material.wood.fricton is unknown; did you mean friction?"
    );
    assert_eq!(
        slip("material = \"wood\"\nbullet", "material = \"wod\"\nbullet"),
        (46, 12, "body[0].material is \"wod\", which is not defined; did you mean wood?".into())
    );
    assert!(slip("angle = \"deg\"", "angl = \"deg\"").2.contains("did you mean angle?"));
    assert!(wrong("[[body]]\ncircle = 1\nmaterial = \"x\"").2.ends_with("write [material.x]"));
}

#[test]
fn bad_values_are_named_with_line_and_field() {
    for (from, to, place, detail) in [
        ("dt = 10", "dt = 0", (15, 6), "space.dt is 0: it must be above 0"),
        (
            "substeps = 8",
            "substeps = 0",
            (18, 12),
            "space.substeps is 0: it must be a whole number from 1 to",
        ),
        ("substeps = 8", "substeps = 1001", (18, 12), "space.substeps is 1001: it must be at most 1000"),
        (
            "\"sequential\"",
            "\"sequentiel\"",
            (16, 10),
            "space.solver is \"sequentiel\"; did you mean sequential?",
        ),
        ("\"mixed\"", "\"f32\"", (17, 13), "space.precision is \"f32\"; it must be one of f64, mixed"),
        ("[0, -1e-3]", "-1e-3", (14, 11), "space.gravity is a number: it must be a list of 2"),
        (
            "upper = [100, 200]",
            "upper = [-100, 200]",
            (31, 9),
            "walls.upper must be above walls.lower on axis 0",
        ),
        (
            "[\"top\"]",
            "[\"lid\"]",
            (33, 9),
            "walls.open[0] is \"lid\"; it must be one of left, right, bottom",
        ),
        ("box = [20, 10]", "box = [20, 0]", (45, 12), "body[0].box[1] is 0: it must be above 0"),
        (
            "box = [20, 10]",
            "box = [20, 10]\ncircle = 1",
            (45, 7),
            "body[0].box cannot be combined with circle",
        ),
        ("box = [20, 10]\n", "", (40, 1), "body[0] needs a shape: circle, box, segment or polygon"),
        ("material = \"wood\"\nbullet", "bullet", (40, 1), "body[0] needs a mass or a density above 0"),
        ("data = 7", "data = 7.5", (48, 8), "body[0].data is a number: it must be a whole number"),
        ("data = 7", "moment = 1", (48, 10), "body[0].moment needs a mass beside it"),
        ("\"kinematic\"", "\"static\"", (52, 12), "body[1].velocity must be left out: the body is static"),
        ("{ circle = 5 }", "{ circle = -5 }", (53, 21), "body[1].shape[0].circle is -5: it must be above 0"),
        ("{ circle = 5 }", "{ }", (53, 10), "body[1].shape[0] needs one of circle, box, segment, polygon"),
        (
            "[[0, 0], [10, 0], [0, 10]]",
            "[[0, 0], [10, 0], [20, 0]]",
            (56, 11),
            "body[2].polygon is not valid: ",
        ),
        ("rows = 2\ngap = [1, 0]", "rows = 2000\ngap = [1, 0]", (67, 8), "pyramid[0].rows must be such that"),
        ("gap = [1, 0]", "gap = [1, -1]", (68, 11), "pyramid[0].gap[1] is -1: it must not be negative"),
        ("columns = 3", "columns = 0", (73, 11), "grid[0].columns is 0: it must be a whole number from 1"),
        ("sizes = [0.5, 1]", "sizes = [1, 0.5]", (83, 9), "pile[0].sizes must be a factor above 0"),
        ("width = 100", "width = 1", (82, 9), "pile[0].width must be at least 1.05 times the diameter"),
        (
            "choice = [{ circle = 3, material = \"wood\" }",
            "choice = [{ circle = 3 }",
            (84, 11),
            "pile[0].choice[0] needs a mass",
        ),
        ("b = [50, 10]", "b = [0, 10]", (38, 11), "ground[0].segment is not valid: length is 0"),
        ("name = \"shelf\"", "name = \"shelf\"\ndimension = 3", (3, 13), "dimension must be 2"),
    ] {
        let (line, column, said) = slip(from, to);
        assert!(said.starts_with(detail), "{said}");
        assert_eq!((line, column), place, "{to}: {said}");
    }
    assert_eq!(wrong("x = ").0, 1);
}

#[test]
fn a_mass_is_spread_over_the_shapes_of_a_body() {
    let text =
        "[[body]]\nmass = 3\nshape = [{ box = [1, 1] }, { box = { size = [2, 1], offset = [1.5, 0] } }]";
    let scene = read(text).unwrap();
    let masses: Vec<f64> = scene.bodies[0].shapes.iter().map(|shape| shape.mass).collect();
    assert!((masses[0] - 1.0).abs() < 1e-15 && (masses[1] - 2.0).abs() < 1e-15, "{masses:?}");
    assert!(
        wrong(&text.replace("box = [1, 1]", "box = [1, 1], density = 1")).2.contains("cannot be combined")
    );
    let text = "[[body]]\nmass = 3\nmoment = 2\ncentre_of_mass = [0.5, 0]\nbox = [1, 1]";
    let space = read(text).unwrap().space().unwrap();
    let body = space.bodies().nth(1).unwrap();
    assert_eq!((body.mass(), body.moment(), body.centre_of_mass()), (3.0, 2.0, Vec2::new(0.5, 0.0)));
    assert!(
        wrong("[[body]]\nmass = 3\ncentre_of_mass = [0.5, 0]\nbox = [1, 1]").2.contains("needs a mass and")
    );
}

#[test]
fn files_are_told_apart_by_their_keys() {
    assert!(is_rigid(SCENE) && is_rigid("[[stack]]\nrows = 1") && is_rigid("[space]"));
    assert!(!is_rigid("dimension = 2\n[[ball]]\nradius = 1") && !is_rigid("") && !is_rigid("[space\n"));
}

#[test]
fn the_guide_has_every_key() {
    let guide = include_str!("../../../../docs/scenes.md");
    let (_, section) = guide.split_once("\n## Rigid bodies\n").unwrap();
    let keys = [&FILE[..], &WALLS, &space::SPACE, &shapes::keys(), &bodies::keys(&[]), &bodies::pile_keys()]
        .concat();
    for key in keys {
        let written = [format!("`{key}`"), format!("[{key}]"), format!("[{key}.")];
        assert!(written.iter().any(|text| section.contains(text)), "{key} is not in docs/scenes.md");
    }
    for ready in &crate::rigid2d::scenes::SCENES {
        assert!(section.contains(&format!("| `{}` |", ready.name)), "{}", ready.name);
        assert!(ready.parameters.iter().all(|name| section.contains(&format!("`--{name}`"))));
    }
}
