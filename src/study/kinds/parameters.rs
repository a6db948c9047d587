//! The numbers of study files that can be swept, drawn for every replica, or both: what axes are called, and the table of
//! `docs/studies.md`.

/// What a number measures: powers of length, time and mass, and of the volume, which depends on the dimension.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) length: i32,
    pub(crate) time: i32,
    pub(crate) mass: i32,
    pub(crate) volume: i32,
}

const fn quantity(length: i32, time: i32, mass: i32, volume: i32) -> Quantity {
    Quantity { length, time, mass, volume }
}

const NUMBER: Quantity = quantity(0, 0, 0, 0);
const LENGTH: Quantity = quantity(1, 0, 0, 0);
const TIME: Quantity = quantity(0, 1, 0, 0);
const MASS: Quantity = quantity(0, 0, 1, 0);
const VELOCITY: Quantity = quantity(1, -1, 0, 0);
const ACCELERATION: Quantity = quantity(1, -2, 0, 0);
const ENERGY: Quantity = quantity(2, -2, 1, 0);
const RATE: Quantity = quantity(0, -1, 0, 0);
const DENSITY: Quantity = quantity(0, 0, 0, -1);
const ATTRACTION: Quantity = quantity(3, -2, -1, 0);

/// How a number may differ from replica to replica.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Drawn {
    /// It may not.
    Never,
    /// By a distribution in its place.
    InPlace,
    /// By an entry of `[vary]`, which leaves out the name of the kind.
    ByVary,
}

/// A number of a study file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter {
    /// Its path; `[N]` stands for the number of an entry, `a` for `a` and `b`.
    pub(crate) path: &'static str,
    /// What it is, in words; `N` stands for the number of the entry.
    pub(crate) words: &'static str,
    pub(crate) quantity: Quantity,
    /// Whether it is a list with one number per axis.
    pub(crate) is_vector: bool,
    pub(crate) drawn: Drawn,
}

const fn number(path: &'static str, words: &'static str, quantity: Quantity, drawn: Drawn) -> Parameter {
    Parameter { path, words, quantity, is_vector: false, drawn }
}

const fn vector(path: &'static str, words: &'static str, quantity: Quantity, drawn: Drawn) -> Parameter {
    Parameter { path, words, quantity, is_vector: true, drawn }
}

/// All of them, kind by kind.
pub(crate) static PARAMETERS: &[Parameter] = &[
    number("gas.particles", "number of particles", NUMBER, Drawn::Never),
    number("gas.density", "number density", DENSITY, Drawn::InPlace),
    number("gas.packing", "packing fraction", NUMBER, Drawn::InPlace),
    number("gas.radius", "radius of a particle", LENGTH, Drawn::InPlace),
    number("gas.mass", "mass of a particle", MASS, Drawn::InPlace),
    number("gas.temperature", "temperature", ENERGY, Drawn::InPlace),
    number("gas.restitution", "coefficient of restitution", NUMBER, Drawn::InPlace),
    number("gas.mix.fraction", "share of small particles", NUMBER, Drawn::InPlace),
    number("gas.mix.radius_ratio", "radius of small over large particles", NUMBER, Drawn::InPlace),
    number("gas.mix.mass_ratio", "mass of small over large particles", NUMBER, Drawn::InPlace),
    number("gas.equilibrate", "collisions per particle before the measurement", NUMBER, Drawn::Never),
    number("gas.collisions", "collisions per particle of the measurement", NUMBER, Drawn::Never),
    number("gas.duration", "duration of the measurement", TIME, Drawn::Never),
    number("scene.until", "end of a replica", TIME, Drawn::Never),
    number("scene.collisions", "collisions of a replica", NUMBER, Drawn::Never),
    vector("scene.box.lower", "lower corner of the box", LENGTH, Drawn::Never),
    vector("scene.box.upper", "upper corner of the box", LENGTH, Drawn::Never),
    number("scene.physics.gravity", "gravity", ACCELERATION, Drawn::ByVary),
    number("scene.physics.restitution", "restitution of balls", NUMBER, Drawn::ByVary),
    number("scene.physics.wall_restitution", "restitution of ball and wall", NUMBER, Drawn::ByVary),
    number("scene.physics.max_rate", "collisions without time passing", NUMBER, Drawn::Never),
    number("scene.physics.contact_duration", "duration of a contact", TIME, Drawn::Never),
    vector("scene.ball[N].position", "position of ball N", LENGTH, Drawn::ByVary),
    vector("scene.ball[N].velocity", "velocity of ball N", VELOCITY, Drawn::ByVary),
    number("scene.ball[N].radius", "radius of ball N", LENGTH, Drawn::ByVary),
    number("scene.ball[N].mass", "mass of ball N", MASS, Drawn::ByVary),
    number("scene.balls[N].count", "balls of group N", NUMBER, Drawn::Never),
    number("scene.balls[N].radius", "radius of the balls of group N", LENGTH, Drawn::Never),
    number("scene.balls[N].mass", "mass of the balls of group N", MASS, Drawn::Never),
    vector("scene.balls[N].lower", "lower corner of group N", LENGTH, Drawn::Never),
    vector("scene.balls[N].upper", "upper corner of group N", LENGTH, Drawn::Never),
    vector("scene.balls[N].velocity", "velocity of the balls of group N", VELOCITY, Drawn::Never),
    number(
        "scene.balls[N].velocity.uniform",
        "largest velocity component of group N",
        VELOCITY,
        Drawn::Never,
    ),
    number("scene.balls[N].velocity.equal", "speed of the balls of group N", VELOCITY, Drawn::Never),
    number("scene.balls[N].velocity.maxwell", "temperature of the balls of group N", ENERGY, Drawn::Never),
    number("scene.gas.particles", "number of particles", NUMBER, Drawn::Never),
    number("scene.gas.density", "number density", DENSITY, Drawn::Never),
    number("scene.gas.packing", "packing fraction", NUMBER, Drawn::Never),
    number("scene.gas.radius", "radius of a particle", LENGTH, Drawn::Never),
    number("scene.gas.mass", "mass of a particle", MASS, Drawn::Never),
    number("scene.gas.temperature", "temperature", ENERGY, Drawn::Never),
    number("scene.gas.mix.fraction", "share of small particles", NUMBER, Drawn::Never),
    number("scene.gas.mix.radius_ratio", "radius of small over large particles", NUMBER, Drawn::Never),
    number("scene.gas.mix.mass_ratio", "mass of small over large particles", NUMBER, Drawn::Never),
    number("stepped.dt", "time step", TIME, Drawn::Never),
    number("stepped.until", "end of a replica", TIME, Drawn::Never),
    number("stepped.physics.gravity", "gravity", ACCELERATION, Drawn::ByVary),
    number("stepped.physics.attraction", "constant of attraction", ATTRACTION, Drawn::ByVary),
    number("stepped.physics.opening", "opening of the tree", NUMBER, Drawn::Never),
    number("stepped.physics.softening", "softening length", LENGTH, Drawn::ByVary),
    number("stepped.physics.restitution", "coefficient of restitution", NUMBER, Drawn::ByVary),
    number("stepped.physics.max_collisions", "most collisions of a step", NUMBER, Drawn::Never),
    vector("stepped.particle[N].position", "position of particle N", LENGTH, Drawn::ByVary),
    vector("stepped.particle[N].velocity", "velocity of particle N", VELOCITY, Drawn::ByVary),
    vector("stepped.particle[N].acceleration", "acceleration of particle N", ACCELERATION, Drawn::Never),
    number("stepped.particle[N].radius", "radius of particle N", LENGTH, Drawn::ByVary),
    number("stepped.particle[N].mass", "mass of particle N", MASS, Drawn::ByVary),
    number("stepped.particle[N].drag", "drag of particle N", RATE, Drawn::Never),
    number("frames.duration", "duration of the motion", TIME, Drawn::Never),
    vector("frames.a.origin", "origin of frame a", LENGTH, Drawn::InPlace),
    vector("frames.a.sides", "sides of frame a", LENGTH, Drawn::InPlace),
    vector("frames.a.components[N]", "component N of frame a", LENGTH, Drawn::InPlace),
    vector("frames.a.velocity", "velocity of frame a", VELOCITY, Drawn::InPlace),
    number("encounter.duration", "duration of the passage", TIME, Drawn::Never),
    number("encounter.a.radius", "radius of body a", LENGTH, Drawn::InPlace),
    vector("encounter.a.position", "position of body a", LENGTH, Drawn::InPlace),
    vector("encounter.a.velocity", "velocity of body a", VELOCITY, Drawn::InPlace),
    vector("encounter.a.state", "position and velocity of body a", NUMBER, Drawn::InPlace),
    vector("encounter.a.frame.sides", "sides of body a", LENGTH, Drawn::InPlace),
    vector("encounter.a.frame.components[N]", "component N of body a", LENGTH, Drawn::InPlace),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::KINDS;

    /// Keys of kinds that hold no number of the model.
    const NO_NUMBERS: [&str; 13] = [
        "gas.dimension",
        "gas.walls",
        "scene.name",
        "scene.file",
        "scene.dimension",
        "stepped.file",
        "stepped.dimension",
        "frames.dimension",
        "frames.moving",
        "frames.kinds",
        "frames.near",
        "frames.preset",
        "encounter.dimension",
    ];

    fn is_known(path: &str) -> bool {
        let begins = |known: &str| {
            known.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        PARAMETERS.iter().any(|parameter| begins(parameter.path)) || NO_NUMBERS.contains(&path)
    }

    #[test]
    fn every_key_of_every_kind_is_here_or_holds_no_number() {
        for kind in KINDS {
            for key in kind.keys() {
                let path = format!("{}.{key}", kind.name).replace("frames.b", "frames.a");
                let path = path.replace("encounter.b", "encounter.a");
                assert!(is_known(&path), "{path} is not in the list of parameters");
            }
        }
        let nested: [(&str, &[&str], &[&str]); 5] = [
            ("stepped.physics", &crate::study::kinds::stepped::PHYSICS, &["integrator", "law"]),
            ("stepped.particle[N]", &crate::study::kinds::stepped::PARTICLE, &["fixed"]),
            ("frames.a", &crate::study::kinds::frames::BODY, &["rotation"]),
            ("encounter.a", &crate::study::kinds::encounter::BODY, &[]),
            ("scene.physics", &crate::events::scenes::file::PHYSICS, &[]),
        ];
        for (table, keys, others) in nested {
            for key in keys.iter().filter(|key| !others.contains(key)) {
                assert!(
                    is_known(&format!("{table}.{key}")),
                    "{table}.{key} is not in the list of parameters"
                );
            }
        }
    }

    /// A row of the table in the documentation.
    fn row(parameter: &Parameter) -> String {
        let axis = if parameter.is_vector { "[AXIS]" } else { "" };
        let drawn = match parameter.drawn {
            Drawn::Never => "",
            Drawn::InPlace => "a distribution in its place",
            Drawn::ByVary => "`[vary]`",
        };
        let unit = crate::study::axis_title::unit(parameter.quantity, ["m", "s", "kg"], None);
        format!("| `{}{axis}` | {} | {unit} | {drawn} |\n", parameter.path, parameter.words)
    }

    /// With `CAROM_BLESS=1` the table is written anew.
    #[test]
    fn the_documentation_lists_what_can_be_swept_and_drawn() {
        const HEAD: &str = "| number | meaning | unit | drawn by |\n|---|---|---|---|\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/studies.md");
        let page = std::fs::read_to_string(path).unwrap();
        let table: String = PARAMETERS.iter().map(row).collect();
        let (before, rest) = page.split_once(HEAD).expect("docs/studies.md has the table");
        let end = rest.find("\n\n").map_or(rest.len(), |end| end + 1);
        if std::env::var_os("CAROM_BLESS").is_some() {
            std::fs::write(path, [before, HEAD, &table, &rest[end..]].concat()).unwrap();
        } else {
            assert_eq!(&rest[..end], table, "CAROM_BLESS=1 cargo test --lib parameters writes it anew");
        }
    }
}
