//! Worlds in files: our JSON, the JSON of PBPhys, binary snapshots; and printing.
//!
//! | format | extension | holds |
//! |---|---|---|
//! | [`Format::Json`], [`Format::JsonCompact`] | `.json` | everything, to the bit; easy to write by hand ([`json`]) |
//! | [`Format::PbPhys`], [`Format::PbPhysCompact`] | `.pbphys`, `.pbphys.json` | what PBPhys supports ([`pbphys`]) |
//! | [`Format::Snapshot`] | `.carom` | everything, to the bit, small and fast ([`snapshot`]) |
//!
//! Loading recognises the format by the content. A file that is truncated, corrupt, foreign or newer than this build
//! gives an error that says which and where, and a file never takes more memory than a small multiple of its size.
//! The thread context and the broad phase of a world belong to the machine, not to the world: they are not saved.
//!
//! ```
//! use carom::io::{self, Format};
//! use carom::{Particle, World};
//!
//! let mut world = World::new(2)?;
//! world.particles_mut().add(&Particle::sphere(&[0.0, 1.0], 0.5).with_mass(2.0))?;
//!
//! let mut bytes = Vec::new();
//! io::write(&world, Format::Json, &mut bytes)?;
//! assert_eq!(io::from_bytes(&bytes)?.particles(), world.particles());
//! # Ok::<(), carom::Error>(())
//! ```

pub mod columns;
pub mod file;
pub mod json;
mod layout;
pub mod pbphys;
pub mod print;
pub mod snapshot;
mod text;

use std::io::{Read, Write};
use std::path::Path;

use crate::error::{Error, Result};
use crate::events;
use crate::input;
use crate::particles::{Particle, Particles};
use crate::world::{Settings, World};

pub use print::{print, print_particle};

/// A way to write a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Format {
    /// Our JSON, indented.
    Json = 0,
    /// Our JSON without spaces.
    JsonCompact = 1,
    /// The JSON of PBPhys, indented.
    PbPhys = 2,
    /// The JSON of PBPhys without spaces.
    PbPhysCompact = 3,
    /// Binary snapshot with checksums.
    Snapshot = 4,
}

impl Format {
    /// The format with this number, the same as in the C ABI.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Self> {
        [Self::Json, Self::JsonCompact, Self::PbPhys, Self::PbPhysCompact, Self::Snapshot]
            .into_iter()
            .find(|&format| format as u32 == code)
    }

    /// The usual extension of the name of a file of this format, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json | Self::JsonCompact => "json",
            Self::PbPhys | Self::PbPhysCompact => "pbphys.json",
            Self::Snapshot => "carom",
        }
    }

    /// The format that the extension of a path stands for: `.json`, `.pbphys` or `.pbphys.json`, `.carom`.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        // In this order: a .pbphys.json is also a .json.
        [
            (".pbphys.json", Self::PbPhys),
            (".pbphys", Self::PbPhys),
            (".json", Self::Json),
            (".carom", Self::Snapshot),
        ]
        .into_iter()
        .find_map(|(extension, format)| name.ends_with(extension).then_some(format))
    }
}

/// Writes a world to a stream. A world that is not valid, such as one with a NaN in a shared column, is refused
/// before the first byte.
pub fn write(world: &World, format: Format, out: &mut dyn Write) -> Result<()> {
    check_savable(world, format)?;
    encode(world, format, out).map_err(|error| Error::io("output", error))
}

/// Reads a world from a stream, up to its end, in whichever format it comes.
///
/// What cannot be a world is refused after its first bytes. A stream of more than [`input::limit`] bytes is
/// [`Error::InputTooLong`].
pub fn read(input: &mut dyn Read) -> Result<World> {
    from_bytes(&input::read(input, could_be_world)?)
}

/// The world in these bytes, in whichever format it is.
pub fn from_bytes(bytes: &[u8]) -> Result<World> {
    if snapshot::is_snapshot(bytes) {
        snapshot::decode(bytes)
    } else if events::is_saved_run(bytes) {
        Err(not_a_run())
    } else {
        from_text(bytes)
    }
}

/// Saves a world to a file: under a temporary name in the same directory, synced and then renamed.
///
/// After an error the old file, if any, is as it was. A device or pipe is written to directly.
pub fn save(world: &World, format: Format, path: &Path) -> Result<()> {
    check_savable(world, format)?;
    file::write_whole(path, |out| encode(world, format, out))
}

/// Loads a world from a file, in whichever format it is. Of a pipe or device at most [`input::limit`] bytes are read.
pub fn load(path: &Path) -> Result<World> {
    from_bytes(&input::read_file(path, could_be_world)?)
}

/// Whether an input can be a world, by its first bytes.
fn could_be_world(first: &[u8]) -> Result<()> {
    if events::is_saved_run(first) {
        return Err(not_a_run());
    }
    input::sealed_or_json(first)
}

fn not_a_run() -> Error {
    let detail = "it is a saved run of the event-driven engine, not a world".into();
    Error::UnknownFormat { detail }
}

/// Refuses worlds that cannot be saved in this format.
fn check_savable(world: &World, format: Format) -> Result<()> {
    world.particles().validate(world.context())?;
    match format {
        Format::PbPhys | Format::PbPhysCompact => pbphys::check_savable(world),
        Format::Json | Format::JsonCompact | Format::Snapshot => Ok(()),
    }
}

fn encode(world: &World, format: Format, out: &mut dyn Write) -> std::io::Result<()> {
    match format {
        Format::Json => layout::write_readable(&json::Document::new(world), out),
        Format::JsonCompact => layout::write_compact(&json::Document::new(world), out),
        Format::PbPhys => layout::write_readable(&pbphys::Document::new(world), out),
        Format::PbPhysCompact => layout::write_compact(&pbphys::Document::new(world), out),
        Format::Snapshot => snapshot::encode(world, out),
    }
}

fn from_text(bytes: &[u8]) -> Result<World> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    match bytes.trim_ascii_start().first() {
        None => Err(Error::UnknownFormat { detail: "it is empty".into() }),
        Some(b'{') => match text::first_key(bytes)? {
            Some(key) if key.starts_with('_') => pbphys::decode(bytes),
            Some(key) if json::has_field(&key) => json::decode(bytes),
            Some(key) => Err(Error::UnknownFormat { detail: format!("JSON with the field {key:?}") }),
            None => Err(Error::UnknownFormat { detail: "an empty JSON object".into() }),
        },
        Some(_) => Err(Error::UnknownFormat { detail: input::appearance(bytes) }),
    }
}

/// Every particle in turn.
fn each(particles: &Particles) -> impl Iterator<Item = Particle> {
    (0..particles.len())
        .map(|index| particles.get(index).expect("the index is below the number of particles"))
}

/// The world that a file describes, checked as a whole.
fn assemble(mut particles: Particles, time: f64, settings: Settings) -> Result<World> {
    particles.rescan(&crate::Context::serial())?;
    particles.shrink_to_fit();
    let mut world = World::from_particles(particles);
    world.set_time(time)?;
    world.set_settings(settings)?;
    Ok(world)
}

/// An error of the content of a file; an error of the system is returned unchanged.
fn corrupt(format: &'static str, error: Error) -> Error {
    match error {
        Error::OutOfMemory { .. } => error,
        _ => Error::Corrupt { format, detail: error.to_string() },
    }
}
