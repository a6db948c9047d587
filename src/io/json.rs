//! carom's own JSON: readable, exact, and easy to write by hand.
//!
//! ```json
//! {
//!   "format": "carom-world",
//!   "version": 1,
//!   "dim": 2,
//!   "time": 0.0,
//!   "settings": { "dt": 0.01, "down_gravity": 9.80665 },
//!   "particles": [
//!     { "position": [0.0, 1.0], "axes": [[1.0, 0.0], [0.0, 1.0]], "mass": 1.0, "velocity": [2.0, 0.0] }
//!   ]
//! }
//! ```
//!
//! `format`, `version`, `dim` and `particles` must be there, and in every particle `position` (the centre, in metres)
//! and `axes` (`dim` lists of `dim` numbers, in metres; the diameters of a spheroid). The rest may be left out and has
//! the default of [`Settings`] and of [`Particle`]: `time` (s), `settings`, and per particle `shape` (`"spheroid"`,
//! `"facoid"` or `"pyramidoid"`; default spheroid), `velocity` (m/s), `acceleration` (m/s^2), `mass` (kg), `drag` (1/s),
//! `fixed` and `data`. A field of any other name is an error. Numbers are written in the shortest form that reads back
//! to the same bits.

use serde::Serialize;
use serde::de::{Error as _, MapAccess, SeqAccess};
use serde::ser::{SerializeStruct, Serializer};

use super::text::{self, Items, List, Object, Record, Rows, Value};
use crate::error::{Error, Result};
use crate::particles::{Particle, Particles, Shape, ShapeKind, check};
use crate::world::{Settings, World};

const NAME: &str = "carom JSON";
const FORMAT: &str = "carom-world";
const VERSION: u32 = 1;

/// The world that these bytes describe.
pub fn decode(bytes: &[u8]) -> Result<World> {
    let mut reader = Reader::default();
    text::read_document(NAME, bytes, &mut reader)?;
    reader.into_world().map_err(|error| super::corrupt(NAME, error))
}

/// Whether the top level has a field of this name.
pub(super) fn has_field(name: &str) -> bool {
    Reader::NAMES.contains(&name)
}

#[derive(Default)]
struct Reader {
    dim: usize,
    time: f64,
    settings: Settings,
    particles: Rows<ParticleRecord>,
}

impl Object for Reader {
    const NAMES: &'static [&'static str] = &["format", "version", "dim", "time", "settings", "particles"];
    const REQUIRED: &'static [&'static str] = &["format", "version", "dim", "particles"];

    fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, value: Value<A>) -> Result<(), A::Error> {
        match name {
            "format" => value.checked(|format: String| check_format(&format))?,
            "version" => value.checked(check_version)?,
            "dim" => {
                self.dim = value.get()?;
                self.particles.dim.get_or_insert(self.dim);
            }
            "time" => self.time = value.get()?,
            "settings" => self.settings = value.get()?,
            _ => value.list(&mut self.particles)?,
        }
        Ok(())
    }
}

impl Reader {
    fn into_world(self) -> Result<World> {
        super::assemble(self.particles.finish(self.dim)?, self.time, self.settings)
    }
}

fn check_format(found: &str) -> Result<()> {
    if found == FORMAT {
        return Ok(());
    }
    let found: String = found.chars().take(80).collect();
    Err(Error::UnknownFormat { detail: format!("JSON with \"format\": {found:?} instead of {FORMAT:?}") })
}

fn check_version(found: u32) -> Result<()> {
    match found {
        VERSION => Ok(()),
        0 => Err(Error::OutOfRange { field: "version", value: 0.0, expected: "at least 1" }),
        _ => Err(Error::NewerVersion { format: NAME, found, supported: VERSION }),
    }
}

#[derive(Default)]
struct ParticleRecord {
    shape: Option<ShapeKind>,
    position: Vec<f64>,
    axes: Axes,
    velocity: Option<Vec<f64>>,
    acceleration: Option<Vec<f64>>,
    mass: f64,
    drag: f64,
    fixed: bool,
    data: u64,
}

/// Lists of equal length, one after the other.
#[derive(Default)]
struct Axes {
    components: Vec<f64>,
    count: usize,
}

impl List for Axes {
    fn read_item<'de, A: SeqAccess<'de>>(&mut self, items: Items<A>) -> Result<bool, A::Error> {
        let Some(axis) = items.next::<Vec<f64>>()? else { return Ok(false) };
        if axis.len() * self.count != self.components.len() {
            return Err(A::Error::invalid_length(axis.len(), &"an axis as long as the others"));
        }
        self.components.extend(axis);
        self.count += 1;
        Ok(true)
    }
}

impl Object for ParticleRecord {
    const NAMES: &'static [&'static str] =
        &["shape", "position", "axes", "velocity", "acceleration", "mass", "drag", "fixed", "data"];
    const RENAMED: &'static [(&'static str, &'static str)] = &[("speed", "velocity")];
    const REQUIRED: &'static [&'static str] = &["position", "axes"];

    fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, value: Value<A>) -> Result<(), A::Error> {
        match name {
            "shape" => self.shape = Some(value.get()?),
            "position" => self.position = value.get()?,
            "axes" => value.list(&mut self.axes)?,
            "velocity" => self.velocity = Some(value.get()?),
            "acceleration" => self.acceleration = Some(value.get()?),
            "mass" => self.mass = value.get()?,
            "drag" => self.drag = value.get()?,
            "fixed" => self.fixed = value.get()?,
            _ => self.data = value.get()?,
        }
        Ok(())
    }
}

impl Record for ParticleRecord {
    fn dim(&self) -> usize {
        self.position.len()
    }

    fn into_particle(self, dim: usize, index: usize) -> Result<Particle> {
        check::length("position", index, dim, self.position.len())?;
        check::length("axes", index, dim, self.axes.count)?;
        let or_rest = |vector: Option<Vec<f64>>| vector.unwrap_or_else(|| vec![0.0; dim]);
        Ok(Particle {
            shape: Shape { kind: self.shape.unwrap_or(ShapeKind::Spheroid), axes: self.axes.components },
            velocity: or_rest(self.velocity),
            acceleration: or_rest(self.acceleration),
            position: self.position,
            mass: self.mass,
            drag: self.drag,
            fixed: self.fixed,
            data: self.data,
        })
    }
}

/// A world as it is written.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    format: &'static str,
    version: u32,
    dim: usize,
    time: f64,
    settings: &'a Settings,
    particles: AllParticles<'a>,
}

impl<'a> Document<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        Self {
            format: FORMAT,
            version: VERSION,
            dim: world.particles().dim(),
            time: world.time(),
            settings: world.settings(),
            particles: AllParticles(world.particles()),
        }
    }
}

struct AllParticles<'a>(&'a Particles);

impl Serialize for AllParticles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(super::each(self.0).map(Written))
    }
}

struct Written(Particle);

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let particle = &self.0;
        let axes: Vec<&[f64]> = particle.shape.axes.chunks_exact(particle.dim()).collect();
        let mut fields = serializer.serialize_struct("Particle", ParticleRecord::NAMES.len())?;
        fields.serialize_field("shape", &particle.shape.kind)?;
        fields.serialize_field("position", &particle.position)?;
        fields.serialize_field("axes", &axes)?;
        fields.serialize_field("velocity", &particle.velocity)?;
        fields.serialize_field("acceleration", &particle.acceleration)?;
        fields.serialize_field("mass", &particle.mass)?;
        fields.serialize_field("drag", &particle.drag)?;
        fields.serialize_field("fixed", &particle.fixed)?;
        fields.serialize_field("data", &particle.data)?;
        fields.end()
    }
}
