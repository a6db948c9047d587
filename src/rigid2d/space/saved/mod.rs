//! Saved spaces, as JSON and as binary snapshots: after a load the future is the same to the bit.
//!
//! Both have the same content, the fields of [`record::SavedSpace`] in this order. A snapshot has the header of all binary
//! files of carom and then the numbers, little-endian; a list starts with its length (`u64`), something that may be missing
//! with a byte, a choice is a byte. In JSON there is an object around it with `format`, `version` and `space`.
//!
//! Callbacks are not saved: handlers, post-step callbacks and functions that update a body belong to the program.

mod binary;
mod check;
mod layout;
mod make;
mod record;
mod take;

use std::io::{Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use self::binary::{Binary, Reader};
use self::layout::Layout;
use self::record::SavedSpace;
use super::Space;
use crate::error::{Error, Result};
use crate::input;
use crate::sealed::Seal;

const SEAL: Seal = Seal { name: "saved space", magic: b"CAROMSPC", newest: 1 };
/// The name of the format in JSON.
const FORMAT: &str = "carom-space";
/// How far into a JSON file its format is searched.
const START: usize = 200;

/// A way to write a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SpaceFormat {
    /// A binary snapshot with checksums.
    #[default]
    Snapshot,
    /// JSON, which can be read.
    Json,
}

impl SpaceFormat {
    /// The usual extension of the name of a file of this format, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Snapshot => "carom",
            Self::Json => "json",
        }
    }
}

/// The document around a space in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<S> {
    format: String,
    version: u32,
    space: S,
}

/// The start of a document of any version.
#[derive(Deserialize)]
struct Heading {
    format: String,
    version: u32,
}

impl Space {
    /// Writes the space as a binary snapshot. What [`load`](Self::load) makes of it has the same future to the bit, but
    /// for callbacks, which are not saved.
    ///
    /// ```
    /// use carom::rigid2d::Space;
    /// use carom::rigid2d::scenes::{Parameters, Scene};
    ///
    /// let scene = Scene::named("pyramid", &Parameters::default())?;
    /// let mut space = scene.space()?;
    /// space.step(scene.dt)?;
    /// let mut bytes = Vec::new();
    /// space.save(&mut bytes)?;
    /// let mut other = Space::load(&mut &bytes[..])?;
    /// space.step(scene.dt)?;
    /// other.step(scene.dt)?;
    /// assert_eq!(space.state_hash(), other.state_hash());
    /// # Ok::<(), carom::Error>(())
    /// ```
    pub fn save(&self, out: &mut dyn Write) -> Result<()> {
        let saved = self.saved()?;
        let payload = |out: &mut dyn Write| saved.write(out);
        SEAL.write(SEAL.newest, out, payload).map_err(|error| Error::io("output", error))
    }

    /// Writes the space as JSON, which holds the same as a snapshot and can be read.
    pub fn save_json(&self, out: &mut dyn Write) -> Result<()> {
        let document = Document { format: FORMAT.into(), version: SEAL.newest, space: self.saved()? };
        let mut serializer = serde_json::Serializer::with_formatter(&mut *out, Layout::default());
        document.serialize(&mut serializer).map_err(|error| Error::io("output", error))?;
        out.write_all(b"\n").map_err(|error| Error::io("output", error))
    }

    /// Writes the space in this format.
    pub fn save_as(&self, format: SpaceFormat, out: &mut dyn Write) -> Result<()> {
        match format {
            SpaceFormat::Snapshot => self.save(out),
            SpaceFormat::Json => self.save_json(out),
        }
    }

    /// Reads a space that was saved in either format, up to the end of the stream.
    ///
    /// A file that is truncated, corrupt or newer than this build is an error. What cannot be a space is refused after its
    /// first bytes, and a stream of more than [`input::limit`] bytes with [`Error::InputTooLong`].
    pub fn load(input: &mut dyn Read) -> Result<Self> {
        Self::from_bytes(&input::read(input, could_be_space)?)
    }

    /// The same as [`load`](Self::load) from the file of this name.
    pub fn load_file(path: &Path) -> Result<Self> {
        Self::from_bytes(&input::read_file(path, could_be_space)?)
    }

    /// The same as [`load`](Self::load) from bytes in memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let saved = if SEAL.begins(bytes) { from_snapshot(bytes)? } else { from_json(bytes)? };
        saved.make().map_err(|error| match error {
            Error::OutOfMemory { .. } | Error::Corrupt { .. } => error,
            other => SEAL.wrong(other.to_string()),
        })
    }

    /// The space as plain data; an error if a number is not finite, as after an overflow.
    fn saved(&self) -> Result<SavedSpace> {
        self.check_unlocked("save")?;
        let saved = self.core.take()?;
        saved.check()?;
        Ok(saved)
    }
}

/// Whether the bytes start like a saved space in either format, which may be truncated.
#[must_use]
pub fn is_saved_space(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"CAROM") {
        return SEAL.begins(bytes);
    }
    let start = &bytes[..bytes.len().min(START)];
    start.trim_ascii_start().starts_with(b"{")
        && start.windows(FORMAT.len()).any(|part| part == FORMAT.as_bytes())
}

/// Whether an input can be a saved space, by its first bytes.
fn could_be_space(first: &[u8]) -> Result<()> {
    if SEAL.begins(first) { Ok(()) } else { input::json(first) }
}

fn from_snapshot(bytes: &[u8]) -> Result<SavedSpace> {
    let (_, payload) = SEAL.open(bytes)?;
    let mut reader = Reader::new(payload);
    let saved = SavedSpace::read(&mut reader)?;
    reader.finish()?;
    Ok(saved)
}

fn from_json(bytes: &[u8]) -> Result<SavedSpace> {
    could_be_space(bytes)?;
    let heading: Heading = serde_json::from_slice(bytes).map_err(|error| explain(&error, bytes.len()))?;
    if heading.format != FORMAT {
        let found: String = heading.format.chars().take(80).collect();
        let detail = format!("JSON with \"format\": {found:?} instead of {FORMAT:?}");
        return Err(Error::UnknownFormat { detail });
    }
    if heading.version > SEAL.newest {
        let (found, supported) = (heading.version, SEAL.newest);
        return Err(Error::NewerVersion { format: SEAL.name, found, supported });
    }
    let document: Document<SavedSpace> =
        serde_json::from_slice(bytes).map_err(|error| explain(&error, bytes.len()))?;
    Ok(document.space)
}

/// An error of JSON with its place.
fn explain(error: &serde_json::Error, length: usize) -> Error {
    if error.is_eof() {
        return Error::Truncated { format: SEAL.name, offset: length };
    }
    let detail = error.to_string();
    // The place is at the end of the message as well.
    let detail = detail.split(" at line ").next().unwrap_or(&detail).chars().take(300).collect();
    Error::Syntax { format: SEAL.name, line: error.line(), column: error.column(), detail }
}

#[cfg(test)]
mod tests;
