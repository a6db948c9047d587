//! The JSON of PBPhys, both ways. Every value is a string.
//!
//! ```json
//! {"_dim":"2","_curTime":"0.000000","_deltaT":"0.010000","_downGravity":"0.000000","_gravity":"0.000000",
//!  "_nbParticle":"1","_particles":[{"_dim":"2","_type":"1","_shape":{"_dim":"2","_type":"1",
//!  "_pos":{"_dim":"2","_val":["0.000000","0.000000"]},"_axis":[{"_dim":"2","_val":["1.000000","0.000000"]},
//!  {"_dim":"2","_val":["0.000000","1.000000"]}]},"_speed":{"_dim":"2","_val":["0.000000","0.000000"]},
//!  "_accel":{"_dim":"2","_val":["0.000000","0.000000"]},"_mass":"1.000000","_drag":"0.000000","_fixed":"0"}]}
//! ```
//!
//! - `_type` is 0 for a facoid, 1 for a spheroid, 2 for a pyramidoid.
//! - `_pos` is the centre of a spheroid, but the corner from which the axes of a facoid or pyramidoid start. carom keeps
//!   centres, so for these two one rounding separates the centre from the one that was saved.
//! - `_deltaT` becomes [`Settings::dt`], `_downGravity` [`Settings::down_gravity`] and `_gravity` the constant of
//!   [`Settings::attraction`] under [`AttractionLaw::Newton`]. PBPhys itself takes the force for the acceleration,
//!   which is the same for unit masses; set [`AttractionLaw::AsPrinted`] after loading to follow it.
//! - Numbers are written in full, without exponent and with at least six decimals. PBPhys reads them as `float`;
//!   carom reads back the same bits.
//! - Fields of other names are passed over, as PBPhys does. All the fields above must be there and agree.
//!
//! PBPhys has no room for user data, restitution, softening, the law of attraction, the integrator and the bound on collisions:
//! [`lost`] says which of them a world would lose.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::{Serialize, SerializeSeq, Serializer};

use super::text::{self, Items, List, Object, Record, Rows, Value};
use crate::error::{Error, Result};
use crate::particles::shape::centre_from_origin;
use crate::particles::{AttractionLaw, Field, Particle, Particles, Shape, ShapeKind, check};
use crate::world::{Settings, World};

const NAME: &str = "PBPhys JSON";

/// The world that these bytes describe.
pub fn decode(bytes: &[u8]) -> Result<World> {
    let mut reader = Reader::default();
    text::read_document(NAME, bytes, &mut reader)?;
    reader.into_world().map_err(|error| super::corrupt(NAME, error))
}

/// What of this world its PBPhys file would not hold.
#[must_use]
pub fn lost(world: &World) -> Vec<&'static str> {
    let (settings, defaults) = (world.settings(), Settings::default());
    [
        ("the user data", world.particles().user_data().iter().any(|&data| data != 0)),
        ("the restitution", settings.restitution != defaults.restitution),
        ("the law of attraction", settings.attraction.law != AttractionLaw::Newton),
        ("the softening", settings.attraction.softening != 0.0),
        ("the bound on collisions", settings.max_collisions != defaults.max_collisions),
        ("the setting of exact shapes", settings.exact_shapes != defaults.exact_shapes),
        ("the integrator", settings.integrator != defaults.integrator),
    ]
    .into_iter()
    .filter_map(|(what, is_lost)| is_lost.then_some(what))
    .collect()
}

/// A corner can lie beyond the range of numbers although its centre does not.
pub(super) fn check_savable(world: &World) -> Result<()> {
    let particles = world.particles();
    let spheroid = ShapeKind::Spheroid as u8;
    let others = (0..).zip(particles.kinds()).filter(|(_, kind)| **kind != spheroid);
    let mut largest = 0.0_f64;
    for (index, _) in others {
        largest = origin(&particles.get(index)?).into_iter().fold(largest, |largest, x| largest.max(x.abs()));
    }
    if largest.is_finite() {
        Ok(())
    } else {
        Err(Error::Overflow { field: Field::Position.name(), index: None, magnitude: largest })
    }
}

/// The point that PBPhys keeps: the centre of a spheroid, the corner of the others.
fn origin(particle: &Particle) -> Vec<f64> {
    shifted(particle.position.clone(), &particle.shape, -1.0)
}

/// `point` moved by `sign` times the way from the origin of a shape to its centre.
fn shifted(mut point: Vec<f64>, shape: &Shape, sign: f64) -> Vec<f64> {
    // Adding the zero of a spheroid would lose the sign of -0.
    if shape.kind != ShapeKind::Spheroid {
        let way = centre_from_origin(shape.kind, &shape.axes, point.len());
        point.iter_mut().zip(way).for_each(|(x, step)| *x += sign * step);
    }
    point
}

/// A value in quotes.
struct Text<T>(T);

impl<'de, T: FromStr> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Quoted<T>(std::marker::PhantomData<T>);
        impl<T: FromStr> Visitor<'_> for Quoted<T> {
            type Value = Text<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a number in quotes ({})", std::any::type_name::<T>())
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Text<T>, E> {
                text.parse().map(Text).map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(Quoted(std::marker::PhantomData))
    }
}

/// Takes the next value of an object out of its quotes.
fn number<'de, A: MapAccess<'de>, T: FromStr>(value: Value<A>) -> Result<T, A::Error> {
    value.get::<Text<T>>().map(|text| text.0)
}

#[derive(Default)]
struct Reader {
    dim: usize,
    time: f64,
    settings: Settings,
    count: usize,
    particles: Rows<ParticleRecord>,
}

impl Object for Reader {
    const NAMES: &'static [&'static str] =
        &["_dim", "_curTime", "_deltaT", "_downGravity", "_gravity", "_nbParticle", "_particles"];
    const SKIPS_UNKNOWN: bool = true;

    fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, value: Value<A>) -> Result<(), A::Error> {
        match name {
            "_dim" => {
                self.dim = number(value)?;
                self.particles.dim.get_or_insert(self.dim);
            }
            "_curTime" => self.time = number(value)?,
            "_deltaT" => self.settings.dt = number(value)?,
            "_downGravity" => self.settings.down_gravity = number(value)?,
            "_gravity" => self.settings.attraction.constant = number(value)?,
            "_nbParticle" => self.count = number(value)?,
            _ => value.list(&mut self.particles)?,
        }
        Ok(())
    }
}

impl Reader {
    fn into_world(self) -> Result<World> {
        let particles = self.particles.finish(self.dim)?;
        check::length("_particles", 0, self.count, particles.len())?;
        super::assemble(particles, self.time, self.settings)
    }
}

/// A vector and the dimension it claims.
#[derive(Default)]
struct VectorRecord {
    dim: usize,
    values: Vec<f64>,
}

impl Object for VectorRecord {
    const NAMES: &'static [&'static str] = &["_dim", "_val"];
    const SKIPS_UNKNOWN: bool = true;

    fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, value: Value<A>) -> Result<(), A::Error> {
        match name {
            "_dim" => self.dim = number(value)?,
            _ => value.list(&mut self.values)?,
        }
        Ok(())
    }
}

impl List for Vec<f64> {
    fn read_item<'de, A: SeqAccess<'de>>(&mut self, items: Items<A>) -> Result<bool, A::Error> {
        let next = items.next::<Text<f64>>()?;
        self.extend(next.iter().map(|text| text.0));
        Ok(next.is_some())
    }
}

impl List for Vec<VectorRecord> {
    fn read_item<'de, A: SeqAccess<'de>>(&mut self, items: Items<A>) -> Result<bool, A::Error> {
        let before = self.len();
        self.extend(items.next_object::<VectorRecord>()?);
        Ok(self.len() > before)
    }
}

impl VectorRecord {
    /// The components, which must be `dim` and say so.
    fn checked(self, field: &'static str, index: usize, dim: usize) -> Result<Vec<f64>> {
        check::length(field, index, dim, self.dim)?;
        check::length(field, index, dim, self.values.len())?;
        Ok(self.values)
    }
}

#[derive(Default)]
struct ShapeRecord {
    dim: usize,
    kind: u8,
    origin: VectorRecord,
    axes: Vec<VectorRecord>,
}

impl Object for ShapeRecord {
    const NAMES: &'static [&'static str] = &["_dim", "_type", "_pos", "_axis"];
    const SKIPS_UNKNOWN: bool = true;

    fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, value: Value<A>) -> Result<(), A::Error> {
        match name {
            "_dim" => self.dim = number(value)?,
            "_type" => self.kind = number(value)?,
            "_pos" => value.object(&mut self.origin)?,
            _ => value.list(&mut self.axes)?,
        }
        Ok(())
    }
}

#[derive(Default)]
struct ParticleRecord {
    dim: usize,
    kind: u8,
    shape: ShapeRecord,
    velocity: VectorRecord,
    acceleration: VectorRecord,
    mass: f64,
    drag: f64,
    fixed: i64,
}

impl Object for ParticleRecord {
    const NAMES: &'static [&'static str] =
        &["_dim", "_type", "_shape", "_speed", "_accel", "_mass", "_drag", "_fixed"];
    const SKIPS_UNKNOWN: bool = true;

    fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, value: Value<A>) -> Result<(), A::Error> {
        match name {
            "_dim" => self.dim = number(value)?,
            "_type" => self.kind = number(value)?,
            "_shape" => value.object(&mut self.shape)?,
            "_speed" => value.object(&mut self.velocity)?,
            "_accel" => value.object(&mut self.acceleration)?,
            "_mass" => self.mass = number(value)?,
            "_drag" => self.drag = number(value)?,
            _ => self.fixed = number(value)?,
        }
        Ok(())
    }
}

impl Record for ParticleRecord {
    fn dim(&self) -> usize {
        self.dim
    }

    fn into_particle(self, dim: usize, index: usize) -> Result<Particle> {
        check::length("_dim", index, dim, self.dim)?;
        check::length("_shape._dim", index, dim, self.shape.dim)?;
        check::length("_shape._axis", index, dim, self.shape.axes.len())?;
        let kind = ShapeKind::from_code(self.kind).filter(|_| self.shape.kind == self.kind).ok_or(
            Error::OutOfRange {
                field: "_type",
                value: f64::from(self.kind),
                expected: "0, 1 or 2, and the same in _shape",
            },
        )?;
        let mut axes = Vec::new();
        for axis in self.shape.axes {
            axes.extend(axis.checked("_shape._axis", index, dim)?);
        }
        let shape = Shape { kind, axes };
        Ok(Particle {
            position: shifted(self.shape.origin.checked("_shape._pos", index, dim)?, &shape, 1.0),
            shape,
            velocity: self.velocity.checked("_speed", index, dim)?,
            acceleration: self.acceleration.checked("_accel", index, dim)?,
            mass: self.mass,
            drag: self.drag,
            fixed: self.fixed != 0,
            data: 0,
        })
    }
}

/// A number as PBPhys writes it: in quotes, without exponent, with at least six decimals.
struct Decimal(f64);

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let point = if decimals == 0 { "." } else { "" };
        write!(f, "{digits}{point}{:0<1$}", "", 6_usize.saturating_sub(decimals))
    }
}

/// Bytes of the longest number that the other JSON writes without exponent, with decimals up to the sixth.
const LONGEST: usize = 40;

impl Serialize for Decimal {
    /// The shortest digits of our own JSON with decimals up to the sixth, unless they have an exponent.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = [b'0'; LONGEST];
        let mut room = &mut text[..];
        let is_written = serde_json::to_writer(&mut room, &self.0).is_ok();
        let length = LONGEST - room.len();
        let point = text[..length].iter().position(|byte| *byte == b'.');
        let digits = point.filter(|_| is_written && !text[..length].contains(&b'e'));
        let padded = digits.map(|point| length.max(point + 1 + 6)).and_then(|end| text.get(..end));
        match padded.and_then(|text| std::str::from_utf8(text).ok()) {
            Some(text) => serializer.serialize_str(text),
            None => serializer.collect_str(self),
        }
    }
}

/// A world as it is written.
#[derive(serde::Serialize)]
pub(super) struct Document<'a> {
    #[serde(rename = "_dim")]
    dim: String,
    #[serde(rename = "_curTime")]
    time: Decimal,
    #[serde(rename = "_deltaT")]
    dt: Decimal,
    #[serde(rename = "_downGravity")]
    down_gravity: Decimal,
    #[serde(rename = "_gravity")]
    gravity: Decimal,
    #[serde(rename = "_nbParticle")]
    count: String,
    #[serde(rename = "_particles")]
    particles: AllParticles<'a>,
}

impl<'a> Document<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        let (settings, particles) = (world.settings(), world.particles());
        Self {
            dim: particles.dim().to_string(),
            time: Decimal(world.time()),
            dt: Decimal(settings.dt),
            down_gravity: Decimal(settings.down_gravity),
            gravity: Decimal(settings.attraction.constant),
            count: particles.len().to_string(),
            particles: AllParticles(particles),
        }
    }
}

struct AllParticles<'a>(&'a Particles);

impl Serialize for AllParticles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dim = self.0.dim().to_string();
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for particle in super::each(self.0) {
            let origin = origin(&particle);
            list.serialize_element(&WrittenParticle::new(&dim, &particle, &origin))?;
        }
        list.end()
    }
}

#[derive(serde::Serialize)]
struct WrittenParticle<'a> {
    #[serde(rename = "_dim")]
    dim: &'a str,
    #[serde(rename = "_type")]
    kind: &'static str,
    #[serde(rename = "_shape")]
    shape: WrittenShape<'a>,
    #[serde(rename = "_speed")]
    velocity: WrittenVector<'a>,
    #[serde(rename = "_accel")]
    acceleration: WrittenVector<'a>,
    #[serde(rename = "_mass")]
    mass: Decimal,
    #[serde(rename = "_drag")]
    drag: Decimal,
    #[serde(rename = "_fixed")]
    fixed: &'static str,
}

#[derive(serde::Serialize)]
struct WrittenShape<'a> {
    #[serde(rename = "_dim")]
    dim: &'a str,
    #[serde(rename = "_type")]
    kind: &'static str,
    #[serde(rename = "_pos")]
    origin: WrittenVector<'a>,
    #[serde(rename = "_axis")]
    axes: WrittenAxes<'a>,
}

struct WrittenAxes<'a> {
    dim: &'a str,
    components: &'a [f64],
}

#[derive(serde::Serialize)]
struct WrittenVector<'a> {
    #[serde(rename = "_dim")]
    dim: &'a str,
    #[serde(rename = "_val")]
    values: Decimals<'a>,
}

struct Decimals<'a>(&'a [f64]);

impl<'a> WrittenParticle<'a> {
    fn new(dim: &'a str, particle: &'a Particle, origin: &'a [f64]) -> Self {
        let vector = |values: &'a [f64]| WrittenVector { dim, values: Decimals(values) };
        let kind = code(particle.shape.kind);
        let axes = WrittenAxes { dim, components: &particle.shape.axes };
        Self {
            dim,
            kind,
            shape: WrittenShape { dim, kind, origin: vector(origin), axes },
            velocity: vector(&particle.velocity),
            acceleration: vector(&particle.acceleration),
            mass: Decimal(particle.mass),
            drag: Decimal(particle.drag),
            fixed: if particle.fixed { "1" } else { "0" },
        }
    }
}

/// The number of a kind.
fn code(kind: ShapeKind) -> &'static str {
    match kind {
        ShapeKind::Facoid => "0",
        ShapeKind::Spheroid => "1",
        ShapeKind::Pyramidoid => "2",
    }
}

impl Serialize for WrittenAxes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dim = self.components.len().isqrt();
        let axis = |values| WrittenVector { dim: self.dim, values: Decimals(values) };
        serializer.collect_seq(self.components.chunks_exact(dim).map(axis))
    }
}

impl Serialize for Decimals<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().copied().map(Decimal))
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn numbers_have_no_exponent_and_at_least_six_decimals() {
        for (number, text) in [
            (0.0, "0.000000"),
            (-0.0, "-0.000000"),
            (0.1, "0.100000"),
            (-9.80665, "-9.806650"),
            (1e-7, "0.0000001"),
            (1e21, "1000000000000000000000.000000"),
        ] {
            assert_eq!(Decimal(number).to_string(), text);
        }
        for number in [5e-324, f64::MAX, 1.0 / 3.0, 6.6740831e-11] {
            assert_eq!(Decimal(number).to_string().parse(), Ok(number));
        }
    }

    /// As they are displayed, but for ties between two texts of the same length.
    #[test]
    fn serialized_numbers_are_as_short_and_read_back_to_the_same_bits() {
        let mut bits = 0x9E37_79B9_7F4A_7C15_u64;
        let random = std::iter::repeat_with(|| {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            // Of any size, between 0 and 1, and with few digits.
            [f64::from_bits(bits), bits as f64 / u64::MAX as f64, (bits % 100_000) as f64 / 64.0]
        });
        let special = [0.0, -0.0, 1.0, 1e15, 1e16, 1e17, 123456.7, 1e-5, 9.99e-6, -1e-7, 5e-324, f64::MAX];
        let edges = (-320..309).map(|power| 10.0_f64.powi(power));
        for number in random.take(20_000).flatten().filter(|x| x.is_finite()).chain(special).chain(edges) {
            let quoted = serde_json::to_string(&Decimal(number)).unwrap();
            let text = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap();
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), number.to_bits(), "{text}");
            assert_eq!(text.len(), Decimal(number).to_string().len(), "{text} {}", Decimal(number));
            assert!(text.split_once('.').is_some_and(|(_, decimals)| decimals.len() >= 6), "{text}");
            assert!(text.bytes().all(|byte| byte.is_ascii_digit() || b".-".contains(&byte)), "{text}");
        }
    }
}
