//! Binary snapshots: bincode behind our own header. All numbers are little-endian and of fixed size.
//!
//! | bytes | header, the same in all versions |
//! |---|---|
//! | 8 | magic `CAROMSNP` |
//! | 4 | format version, from 1 to 3 |
//! | 4 | reserved, 0 |
//! | 8 | length of the payload in bytes |
//! | 4 | CRC-32 (IEEE) of the payload |
//! | 4 | CRC-32 of the 28 bytes before |
//!
//! The payload starts with dimension D (`u32`), number of particles N (`u64`), time, then the settings: dt, down gravity,
//! attraction constant, softening, restitution (`f64` each), law (`u32`), bound on collisions (`u64`), and from version
//! 2 on whether shapes are exact (`u32`, 0 or 1), from version 3 on the integrator (`u32`) and the opening of the tree of
//! attraction (`f64`; of other laws not used). A world has the lowest version that can hold it. The columns follow, of
//! N entries each: kinds (`u8`), fixed flags (`u8`), axes (D x D `f64` per particle), user data (`u64`), then as `f64`
//! positions (axis by axis), velocities, accelerations, masses and drags.
//!
//! The lengths follow from D and N and must agree with the file to the byte before any memory is allocated.

use std::io::{self, Write};

use bincode::config::{Configuration, Fixint, LittleEndian};
use bincode::error::EncodeError;
use bincode::{Decode, Encode};

use crate::error::{Error, Result};
use crate::particles::gravity::{Attraction, DEFAULT_OPENING};
use crate::particles::{AttractionLaw, Field, Particles, Shape, ShapeKind, check};
use crate::sealed::{HEADER_LENGTH, Seal};
use crate::world::{INTEGRATORS, Integrator, Settings, World};

const NAME: &str = "carom snapshot";
const SEAL: Seal = Seal { name: NAME, magic: b"CAROMSNP", newest: 3 };
/// The version from which on a payload says whether shapes are exact.
const EXACT_SHAPES_FROM: u32 = 2;
/// The version from which on a payload has the integrator and the opening of a tree.
const INTEGRATOR_FROM: u32 = 3;
const CONFIG: Configuration<LittleEndian, Fixint> = bincode::config::standard().with_fixed_int_encoding();

/// The world in these bytes.
pub fn decode(bytes: &[u8]) -> Result<World> {
    let (version, payload) = SEAL.open(bytes)?;
    let mut decoder = Decoder { payload, at: 0 };
    let head = Head::read(&mut decoder, version)?;
    head.check_length(decoder.at, payload.len())?;
    read_world(&head, &mut decoder).map_err(|error| super::corrupt(NAME, error))
}

/// Whether the bytes start like a snapshot, even a truncated one.
pub(super) fn is_snapshot(bytes: &[u8]) -> bool {
    SEAL.begins(bytes)
}

/// Writes a world that has been checked.
pub(super) fn encode(world: &World, out: &mut dyn Write) -> io::Result<()> {
    SEAL.write(version_of(world), out, |out| write_payload(world, out))
}

/// The lowest version that can hold a world.
fn version_of(world: &World) -> u32 {
    let Settings { integrator, attraction, exact_shapes, .. } = *world.settings();
    let is_tree = matches!(attraction.law, AttractionLaw::BarnesHut { .. });
    match () {
        () if integrator != Integrator::Euler || is_tree => INTEGRATOR_FROM,
        () if exact_shapes => EXACT_SHAPES_FROM,
        () => 1,
    }
}

/// The bytes before a payload of this version, length and checksum.
#[must_use]
pub fn header(version: u32, payload_length: u64, payload_checksum: u32) -> [u8; HEADER_LENGTH] {
    SEAL.header(version, payload_length, payload_checksum)
}

fn wrong(detail: String) -> Error {
    SEAL.wrong(detail)
}

/// What the payload starts with.
struct Head {
    dim: usize,
    count: usize,
    time: f64,
    settings: Settings,
}

impl Head {
    fn read(decoder: &mut Decoder, version: u32) -> Result<Self> {
        let dim = decoder.take::<u32>("dimension")? as usize;
        check::dimension(dim).map_err(|error| super::corrupt(NAME, error))?;
        let count = decoder.take::<u64>("number of particles")?;
        let time = decoder.take("time")?;
        let [dt, down_gravity, constant, softening, restitution] = decoder.take("settings")?;
        let law = decoder.take::<u32>("law of attraction")?;
        let max_collisions = decoder.take("bound on collisions")?;
        let exact_shapes = version >= EXACT_SHAPES_FROM && decoder.take_flag("exact shapes")?;
        let (integrator, opening) = if version >= INTEGRATOR_FROM {
            (decoder.take::<u32>("integrator")?, decoder.take("opening")?)
        } else {
            (0, DEFAULT_OPENING)
        };
        let known_law =
            AttractionLaw::from_code(law, opening).filter(|_| law < 2 || version >= INTEGRATOR_FROM);
        let law = known_law.ok_or_else(|| wrong(format!("there is no law of attraction {law}")))?;
        let named = INTEGRATORS.get(integrator as usize);
        let (_, integrator) = *named.ok_or_else(|| wrong(format!("there is no integrator {integrator}")))?;
        let attraction = Attraction { constant, law, softening };
        Ok(Self {
            dim,
            count: usize::try_from(count).map_err(|_| wrong(format!("{count} particles")))?,
            time,
            settings: Settings {
                dt,
                down_gravity,
                attraction,
                restitution,
                max_collisions,
                exact_shapes,
                integrator,
            },
        })
    }

    /// The payload must have exactly the bytes of the columns after a head of `head_length` bytes.
    fn check_length(&self, head_length: usize, found: usize) -> Result<()> {
        // The dimension is at most 1024 and the count has 64 bits: no overflow.
        let (dim, count) = (self.dim as u128, self.count as u128);
        let expected = head_length as u128 + count * (2 + 8 * (1 + dim * dim + 3 * dim + 2));
        if expected == found as u128 {
            return Ok(());
        }
        Err(wrong(format!("{count} particles of dimension {dim} take {expected} bytes, it has {found}")))
    }
}

fn write_payload(world: &World, out: &mut dyn Write) -> io::Result<()> {
    let mut encoder = Encoder { out };
    let (particles, settings) = (world.particles(), world.settings());
    let Attraction { constant, law, softening } = settings.attraction;
    encoder.put(&(particles.dim() as u32, particles.len() as u64, world.time()))?;
    encoder.put(&[settings.dt, settings.down_gravity, constant, softening, settings.restitution])?;
    encoder.put(&(law.code(), settings.max_collisions))?;
    if version_of(world) >= EXACT_SHAPES_FROM {
        encoder.put(&u32::from(settings.exact_shapes))?;
    }
    if version_of(world) >= INTEGRATOR_FROM {
        encoder.put(&(settings.integrator as u32, law.opening()))?;
    }
    encoder.put_all(particles.kinds())?;
    encoder.put_all(particles.fixed_flags())?;
    (0..particles.len()).try_for_each(|index| encoder.put_all(&particles.axes_of(index)))?;
    encoder.put_all(particles.user_data())?;
    Field::WRITABLE
        .iter()
        .flat_map(|&field| particles.columns(field))
        .try_for_each(|column| encoder.put_all(column.as_slice()))
}

fn read_world(head: &Head, decoder: &mut Decoder) -> Result<World> {
    let mut particles = Particles::with_rows(head.dim, head.count)?;
    read_shapes(&mut particles, decoder)?;
    decoder.fill(particles.user_data_mut())?;
    for field in Field::WRITABLE {
        for axis in 0..field.width(head.dim) {
            decoder.fill(particles.column_mut(field, axis)?)?;
        }
    }
    super::assemble(particles, head.time, head.settings)
}

fn read_shapes(particles: &mut Particles, decoder: &mut Decoder) -> Result<()> {
    let count = particles.len();
    let (kinds, flags) = (decoder.bytes(count)?, decoder.bytes(count)?);
    let mut axes = vec![0.0; particles.dim() * particles.dim()];
    for (index, (&kind, &flag)) in kinds.iter().zip(flags).enumerate() {
        let kind = ShapeKind::from_code(kind)
            .ok_or_else(|| wrong(format!("particle {index} has a shape of kind {kind}")))?;
        if flag > 1 {
            return Err(wrong(format!("particle {index} has the fixed flag {flag}")));
        }
        decoder.fill(&mut axes)?;
        particles.set_fixed(index, flag == 1)?;
        let shape = Shape { kind, axes };
        particles.set_shape(index, &shape)?;
        axes = shape.axes;
    }
    Ok(())
}

struct Encoder<'a> {
    out: &'a mut dyn Write,
}

impl Encoder<'_> {
    fn put(&mut self, value: &impl Encode) -> io::Result<()> {
        bincode::encode_into_std_write(value, &mut self.out, CONFIG).map(drop).map_err(|error| match error {
            EncodeError::Io { inner, .. } => inner,
            other => io::Error::other(other),
        })
    }

    fn put_all<T: Encode>(&mut self, values: &[T]) -> io::Result<()> {
        values.iter().try_for_each(|value| self.put(value))
    }
}

struct Decoder<'a> {
    payload: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    /// The next value; `what` names it in an error.
    fn take<T: Decode<()>>(&mut self, what: &str) -> Result<T> {
        let (value, length) = bincode::decode_from_slice(&self.payload[self.at..], CONFIG)
            .map_err(|error| wrong(format!("{what} at byte {}: {error}", HEADER_LENGTH + self.at)))?;
        self.at += length;
        Ok(value)
    }

    fn take_flag(&mut self, what: &str) -> Result<bool> {
        match self.take::<u32>(what)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(wrong(format!("{what} is {other}: it must be 0 or 1"))),
        }
    }

    /// As many values as `out` holds.
    fn fill<T: Decode<()>>(&mut self, out: &mut [T]) -> Result<()> {
        for value in out {
            *value = self.take("a column")?;
        }
        Ok(())
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let bytes =
            self.payload[self.at..].get(..count).ok_or_else(|| wrong("a column is too short".into()))?;
        self.at += count;
        Ok(bytes)
    }
}
