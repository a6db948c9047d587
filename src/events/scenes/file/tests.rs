use super::*;
use crate::particles::Field;

const TWO_BALLS: &str = r#"
name = "two"
dimension = 2
until = 500

[units]
length = "cm"
time = "ms"
mass = "g"

[box]
walls = ["reflecting", "open"]
upper = [50, 0]

[physics]
gravity = 1.5e-3
restitution = 0.9
wall_restitution = 0

[[ball]]
position = [10, 10]
velocity = [0.1, 0]
radius = 1.25
mass = 20

[[ball]]
position = [30.5, 1e1]
radius = 1
mass = 0x0a
data = 7
fixed = true
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

/// A file of two dimensions with a box of 10 by 10 and this line 5 onwards.
fn boxed(rest: &str) -> String {
    format!("dimension = 2\n[box]\nwalls = \"reflecting\"\nupper = [10, 10]\n{rest}")
}

#[test]
fn all_values_of_a_file_are_converted_to_si_units() {
    let scene = read(TWO_BALLS).unwrap();
    assert_eq!((scene.name.as_str(), scene.dim(), scene.until), ("two", 2, 0.5));
    assert_eq!(scene.enclosure, [BoxAxis::reflecting(0.0, 0.5), BoxAxis::OPEN]);
    let expected = EventSettings {
        down_gravity: 15.0,
        restitution: 0.9,
        wall_restitution: 0.0,
        ..EventSettings::default()
    };
    assert_eq!(scene.settings, expected);
    let (first, second) = (scene.particles.get(0).unwrap(), scene.particles.get(1).unwrap());
    assert_eq!((first.position, first.velocity, first.mass), (vec![0.1, 0.1], vec![1.0, 0.0], 0.02));
    assert_eq!(scene.particles.column(Field::Radius, 0).unwrap(), [0.0125, 0.01]);
    assert_eq!((second.position, second.mass, second.data), (vec![0.305, 0.1], 0.01, 7));
    assert!(second.fixed && !first.fixed);
}

#[test]
fn unknown_keys_are_named_with_the_closest_known_one() {
    let slip = |from: &str, to: &str| wrong(&TWO_BALLS.replacen(from, to, 1));
    assert_eq!(
        slip("restitution", "restituton"),
        (17, 1, "physics.restituton is unknown; did you mean restitution?".into())
    );
    assert_eq!(
        slip("mass = 20", "masss = 20"),
        (24, 1, "ball[0].masss is unknown; did you mean mass?".into())
    );
    assert_eq!(slip("[physics]", "[phisics]").2, "phisics is unknown; did you mean physics?");
    let (line, _, detail) = slip("data = 7", "colour = 7");
    assert_eq!(
        (line, detail.as_str()),
        (30, "ball[1].colour is unknown; known here: position, velocity, radius, mass, fixed, data")
    );
}

#[test]
fn bad_values_are_named_with_line_and_field() {
    for (from, to, place, detail) in [
        ("radius = 1.25", "radius = -1.25", (23, 10), "ball[0].radius is -1.25: it must be above 0"),
        ("mass = 20", "mass = \"20\"", (24, 8), "ball[0].mass is text: it must be a number"),
        ("mass = 20", "mass = nan", (24, 8), "ball[0].mass is nan: it must be a finite number"),
        ("mass = 20", "mass = 1e999", (24, 8), "ball[0].mass is 1e999: it must be a finite number"),
        (
            "[10, 10]",
            "[10, 10, 10]",
            (21, 12),
            "ball[0].position has 3 entries: it must have 2, one for each axis",
        ),
        ("[10, 10]", "[10, true]", (21, 17), "ball[0].position[1] is true or false: it must be a number"),
        (
            "[10, 10]",
            "10",
            (21, 12),
            "ball[0].position is a number: it must be a list of 2, one for each axis",
        ),
        ("fixed = true", "fixed = 1", (31, 9), "ball[1].fixed is a number: it must be true or false"),
        ("0.9", "1.9", (17, 15), "physics.restitution is 1.9: it must be from 0 to 1"),
        ("= 2\n", "= 4\n", (3, 13), "dimension is 4: it must be 1, 2 or 3"),
        ("= 2\n", "= 0\n", (3, 13), "dimension is 0: it must be 1, 2 or 3"),
        ("\"cm\"", "\"cmm\"", (7, 10), "units.length is \"cmm\"; did you mean cm?"),
        (
            "\"cm\"",
            "\"furlong\"",
            (7, 10),
            "units.length is \"furlong\"; it must be one of m, km, cm, mm, um, nm",
        ),
        (
            "\"open\"",
            "\"opne\"",
            (12, 24),
            "box.walls[1] is \"opne\"; it must be one of open, reflecting, periodic",
        ),
        ("[50, 0]", "[0, 0]", (13, 9), "box.upper must be above box.lower on axis 0: 0 is not above 0"),
        (
            "data = 7",
            "data = -7",
            (30, 8),
            "ball[1].data is -7: it must be a whole number from 0 to 18446744073709551615",
        ),
        ("data = 7", "velocity = [1, 0]", (30, 12), "ball[1].velocity must be 0: the ball is fixed"),
    ] {
        assert!(TWO_BALLS.contains(from), "{from}");
        let (line, column, said) = wrong(&TWO_BALLS.replacen(from, to, 1));
        assert_eq!((line, column, said.as_str()), (place.0, place.1, detail), "{to}");
    }
    assert_eq!(wrong("x = ").0, 1);
    assert_eq!(wrong("\n[box\n").0, 2);
    assert_eq!(wrong("name = \"x\""), (1, 1, "dimension is missing".into()));
    assert_eq!(
        wrong(&TWO_BALLS.replacen("radius = 1.25\n", "", 1)),
        (20, 1, "ball[0].radius is missing".into())
    );
    assert_eq!(wrong("dimension = 1\n[physics]\ngravity = 1\n").0, 3);
    let (line, _, said) = wrong(&boxed("[physics]\ngravity = 1\n").replace("reflecting", "periodic"));
    assert_eq!(
        (line, said.as_str()),
        (6, "physics.gravity must be 0 where axis 1 is periodic: a fall would never end")
    );
    assert_eq!(
        wrong("dimension = 2\n[ball]\nmass = 1\n").2,
        "ball is a table: write [[ball]], once for each"
    );
}

#[test]
fn balls_outside_of_the_box_are_refused_and_touching_ones_are_not() {
    let at = |x: f64| boxed(&format!("[[ball]]\nposition = [{x}, 5]\nradius = 1\nmass = 1\n"));
    assert!(read(&at(1.0)).is_ok() && read(&at(9.0)).is_ok());
    let (line, _, detail) = wrong(&at(0.5));
    assert_eq!(line, 6);
    assert_eq!(
        detail,
        "ball[0].position is outside of the box: along axis 0 the ball must be between 0 m and 10 m"
    );
    let periodic = |x: f64| at(x).replace("reflecting", "periodic");
    assert!(read(&periodic(0.5)).is_ok() && read(&periodic(-0.5)).is_err());
}

#[test]
fn groups_are_placed_without_overlap_and_the_seed_decides_where() {
    let group = |extra: &str| boxed(&format!("[[balls]]\ncount = 30\nradius = 0.5\nmass = 2\n{extra}\n"));
    let scattered = group("placement = \"uniform\"\nvelocity = { maxwell = 3 }");
    let scene = super::read(&scattered, Some(4)).unwrap();
    assert_eq!((scene.particles.len(), scene.seed), (30, 4));
    let [x, y] = [0, 1].map(|axis| scene.particles.column(Field::Position, axis).unwrap());
    for i in 0..30 {
        assert!((0.5..=9.5).contains(&x[i]) && (0.5..=9.5).contains(&y[i]));
        assert!((0..i).all(|j| (x[i] - x[j]).hypot(y[i] - y[j]) > 1.0));
    }
    let temperature = scene.particles.kinetic_energy(&crate::Context::serial()) / 30.0;
    assert!((temperature - 3.0).abs() < 1e-12);
    assert_eq!(scene.particles, super::read(&scattered, Some(4)).unwrap().particles);
    assert_ne!(scene.particles, super::read(&scattered, Some(5)).unwrap().particles);
    assert_eq!(read(&scattered).unwrap().seed, 1);

    let regular = group("placement = \"lattice\"\nlower = [0, 0]\nupper = [10, 4.2]\nvelocity = [1, 2]");
    let scene = read(&regular).unwrap();
    assert!(scene.particles.column(Field::Position, 1).unwrap().iter().all(|&y| y <= 3.7));
    assert!(scene.particles.column(Field::Velocity, 1).unwrap().iter().all(|&v| v == 2.0));
}

#[test]
fn groups_that_do_not_fit_or_make_no_sense_are_refused() {
    let group = |count: u32, extra: &str| {
        wrong(&boxed(&format!("[[balls]]\ncount = {count}\nradius = 0.5\nmass = 0\n{extra}\n")))
    };
    let (line, column, detail) = group(500, "placement = \"uniform\"");
    assert_eq!((line, column), (6, 9));
    assert!(
        detail.starts_with("balls[0].count is too large: free positions were found for only "),
        "{detail}"
    );
    let (line, _, detail) = group(500, "placement = \"lattice\"");
    assert_eq!(
        (line, detail.as_str()),
        (6, "balls[0].count is too large: on a lattice in this region they would overlap")
    );
    for (extra, expected) in [
        ("placement = \"latice\"", "balls[0].placement is \"latice\"; did you mean lattice?"),
        ("placement = \"lattice\"\nupper = [11, 1]", "balls[0].upper is outside of the box along axis 0"),
        ("placement = \"lattice\"\nlower = [1, 10]", "balls[0].lower leaves no room along axis 1"),
        (
            "placement = \"lattice\"\nvelocity = { maxwell = 1 }",
            "balls[0].velocity.maxwell needs balls with a mass above 0",
        ),
        (
            "placement = \"lattice\"\nvelocity = {}",
            "velocity needs exactly one of uniform, equal and maxwell",
        ),
        (
            "placement = \"lattice\"\nvelocity = [1, 0]\nfixed = true",
            "balls[0].velocity must be 0: the balls are fixed",
        ),
        ("", "balls[0].placement is missing"),
    ] {
        assert_eq!(group(4, extra).2, expected, "{extra}");
    }
    let open = "dimension = 1\n[[balls]]\ncount = 2\nradius = 1\nmass = 1\nplacement = \"lattice\"\n";
    assert_eq!(wrong(open), (2, 1, "balls need lower and upper: the box is open along axis 0".into()));
}

#[test]
fn a_gas_has_its_mixture_and_names_invalid_fields() {
    let gas = "dimension = 3\nseed = 9\n[units]\nlength = \"nm\"\n[gas]\nparticles = 1000\npacking = 0.3\nradius = 0.2\n\
               mix = { fraction = 0.25, radius_ratio = 0.5 }\n";
    let scene = read(gas).unwrap();
    let radii = scene.particles.column(Field::Radius, 0).unwrap();
    assert_eq!(radii.iter().filter(|&&radius| radius == 1e-10).count(), 250);
    assert_eq!(radii.iter().filter(|&&radius| radius == 2e-10).count(), 750);
    let side = scene.enclosure[0].upper;
    let taken: f64 = radii.iter().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r).sum();
    assert!((taken / (side * side * side) - 0.3).abs() < 1e-12);
    for (from, to, line, detail) in [
        ("packing = 0.3", "packing = 0.8", 7, "gas.packing must be smaller: this many balls"),
        ("packing = 0.3", "packing = 0.3\ndensity = 1", 7, "gas.packing cannot be combined with density"),
        ("packing = 0.3\n", "", 5, "gas needs a density or a packing"),
        ("0.25", "1.25", 9, "gas.mix.fraction is 1.25: it must be from 0 to 1"),
        ("0.5 }", "2 }", 9, "gas.mix.radius_ratio is 2: it must be at most 1"),
        ("1000", "1000000000000", 6, "gas.particles is 1000000000000: it must be at most 100000000"),
    ] {
        let (at, _, said) = wrong(&gas.replacen(from, to, 1));
        assert!(at == line && said.starts_with(detail), "{at}: {said}");
    }
    assert!(
        wrong(&format!("{gas}[box]\nwalls = \"open\"\n")).2.starts_with("box cannot be combined with [gas]")
    );
}

#[test]
fn the_guide_has_every_key() {
    let guide = include_str!("../../../../docs/scenes.md");
    let keys =
        [&FILE[..], &BOX, &PHYSICS, &GAS, &MIX, &balls::BALL, &balls::BALLS, &balls::VELOCITIES].concat();
    for key in keys {
        let written = [
            format!("`{key}`"),
            format!("[{key}]"),
            format!("[gas.{key}]"),
            format!("`mix.{key}`"),
            format!("{{ {key} ="),
        ];
        assert!(written.iter().any(|text| guide.contains(text)), "{key} is not in docs/scenes.md");
    }
}

#[test]
fn numbers_too_large_for_the_engine_are_named() {
    let ball = |line: &str| {
        let lines = ["position = [5, 5]", "radius = 1", "velocity = [1, 1]"];
        let key = line.split(' ').next().unwrap();
        let lines = lines.map(|known| if known.starts_with(key) { line } else { known });
        format!("dimension = 2\n[[ball]]\nmass = 1\n{}\n", lines.join("\n"))
    };
    for (text, line, name) in [
        (ball("position = [1e76, 5]"), 4, "ball[0].position"),
        (ball("radius = 1e76"), 5, "ball[0].radius"),
        (ball("velocity = [0, -1e76]"), 6, "ball[0].velocity"),
        (ball("radius = 1e74") + "[units]\nlength = \"km\"\n", 5, "ball[0].radius"),
        ("dimension = 1\n[box]\nwalls = \"reflecting\"\nupper = [1e76]\n".into(), 4, "box.upper"),
    ] {
        let (found, _, detail) = wrong(&text);
        assert_eq!(found, line, "{detail}");
        assert!(detail.starts_with(name) && detail.contains("is too large"), "{detail}");
    }
}
