//! Ready-made scenes, in one table of name, description, parameters and builder.

use std::ffi::CStr;

use super::{Scene, heaps, machines};
use crate::error::{Error, Result};
use crate::random::{Purpose, Random};
use crate::rigid2d::space::BodyKind;
use crate::setters::setters;

/// What can be chosen of ready-made scenes. What is not chosen is as the scene suggests.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Parameters {
    /// Rows of boxes, of pegs or of cards.
    pub rows: Option<usize>,
    /// Number of dynamic bodies.
    pub bodies: Option<usize>,
    /// Angle of an incline, in radians.
    pub angle: Option<f64>,
    /// Coefficient of friction on an incline.
    pub friction: Option<f64>,
    /// Where random numbers start. In a scene in which nothing is random it shifts every dynamic body sideways by up to a
    /// thousandth of its size.
    pub seed: Option<u64>,
}

impl Parameters {
    /// With this number of rows.
    #[must_use]
    pub const fn with_rows(self, rows: usize) -> Self {
        Self { rows: Some(rows), ..self }
    }

    /// With this number of bodies.
    #[must_use]
    pub const fn with_bodies(self, bodies: usize) -> Self {
        Self { bodies: Some(bodies), ..self }
    }

    /// With this angle, in radians.
    #[must_use]
    pub const fn with_angle(self, angle: f64) -> Self {
        Self { angle: Some(angle), ..self }
    }

    /// With this coefficient of friction.
    #[must_use]
    pub const fn with_friction(self, friction: f64) -> Self {
        Self { friction: Some(friction), ..self }
    }

    setters! {
        /// With this seed, or that of the scene.
        with_seed(seed: Option<u64>);
    }

    /// The parameters that are chosen, but the seed.
    fn chosen(&self) -> impl Iterator<Item = (&'static str, f64)> {
        [
            ("rows", self.rows.map(|rows| rows as f64)),
            ("bodies", self.bodies.map(|bodies| bodies as f64)),
            ("angle", self.angle),
            ("friction", self.friction),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }

    /// The number of rows, or this one.
    pub(super) fn rows_or(&self, rows: usize) -> Result<usize> {
        count("rows", self.rows.unwrap_or(rows))
    }

    /// The number of bodies, or this one.
    pub(super) fn bodies_or(&self, bodies: usize) -> Result<usize> {
        count("bodies", self.bodies.unwrap_or(bodies))
    }
}

fn count(field: &'static str, value: usize) -> Result<usize> {
    if (1..=super::MOST_BODIES).contains(&value) {
        return Ok(value);
    }
    Err(Error::OutOfRange { field, value: value as f64, expected: "from 1 to 1,000,000" })
}

/// An entry of [`SCENES`].
#[derive(Debug)]
pub struct ReadyMade {
    /// Its name, as [`Scene::named`] takes it.
    pub name: &'static str,
    /// The same for C, with a final NUL.
    pub c_name: &'static CStr,
    /// One line that describes it.
    pub description: &'static str,
    /// Names of the parameters that it has, besides the seed.
    pub parameters: &'static [&'static str],
    /// Whether random numbers make it what it is.
    pub is_random: bool,
    build: fn(&mut Scene, &Parameters) -> Result<()>,
}

impl ReadyMade {
    const fn new(
        c_name: &'static CStr,
        parameters: &'static [&'static str],
        is_random: bool,
        build: fn(&mut Scene, &Parameters) -> Result<()>,
        description: &'static str,
    ) -> Self {
        match c_name.to_str() {
            Ok(name) => Self { name, c_name, description, parameters, is_random, build },
            Err(_) => panic!("names are ASCII"),
        }
    }

    /// Builds the scene.
    pub fn scene(&self, parameters: &Parameters) -> Result<Scene> {
        if let Some((field, value)) = parameters.chosen().find(|(name, _)| !self.parameters.contains(name)) {
            let expected = "left out: the scene has no such parameter";
            return Err(Error::OutOfRange { field, value, expected });
        }
        let mut scene = Scene::new(self.name);
        scene.description = self.description.into();
        scene.seed = parameters.seed.unwrap_or(scene.seed);
        (self.build)(&mut scene, parameters)?;
        if parameters.seed.is_some() && !self.is_random {
            shift(&mut scene);
        }
        Ok(scene)
    }
}

/// Shifts dynamic bodies sideways at random, by up to a thousandth of their size.
fn shift(scene: &mut Scene) {
    let mut random = Random::new(scene.seed, Purpose::Places);
    for body in scene.bodies.iter_mut().filter(|body| body.body.kind == BodyKind::Dynamic) {
        let most = 1e-3 * body.bounding_radius();
        body.body.position.x += random.between(-most, most);
    }
}

/// All ready-made scenes of rigid bodies.
pub static SCENES: [ReadyMade; 10] = [
    ReadyMade::new(c"stack", &["rows"], false, heaps::stack, "boxes of 1 m, one on top of the other"),
    ReadyMade::new(
        c"pyramid",
        &["rows"],
        false,
        heaps::pyramid,
        "boxes of 1 m in rows, each with one less than the row below",
    ),
    ReadyMade::new(
        c"bin",
        &["bodies"],
        true,
        heaps::bin,
        "balls of 0.8 m to 1 m fall into a bin and come to rest",
    ),
    ReadyMade::new(
        c"tumbler",
        &["bodies"],
        true,
        heaps::tumbler,
        "squares, hexagons, triangles and balls in a box that turns by 25 degrees per second",
    ),
    ReadyMade::new(
        c"incline",
        &["angle", "friction"],
        false,
        machines::incline,
        "a box slides down a plane of 30 degrees with friction 0.3",
    ),
    ReadyMade::new(
        c"cradle",
        &["bodies"],
        false,
        machines::cradle,
        "a ball hits a row of equal balls that touch; only the last one leaves",
    ),
    ReadyMade::new(
        c"dominoes",
        &["bodies"],
        false,
        machines::dominoes,
        "a row of dominoes, the first of which falls",
    ),
    ReadyMade::new(
        c"card-house",
        &["rows"],
        false,
        machines::card_house,
        "a house of cards that stands by friction alone",
    ),
    ReadyMade::new(
        c"bullet",
        &[],
        false,
        machines::bullet,
        "a ball of 60 m/s against a wall of 50 mm, which it must not pass",
    ),
    ReadyMade::new(
        c"galton",
        &["rows", "bodies"],
        true,
        machines::galton,
        "balls fall through rows of pegs into slots: a Galton board",
    ),
];
