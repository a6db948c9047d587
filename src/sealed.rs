//! The frame of carom's binary files: a header with checksums, and a payload of little-endian numbers.
//!
//! | bytes | header, the same in all formats and versions |
//! |---|---|
//! | 8 | magic |
//! | 4 | format version, from 1 on |
//! | 4 | reserved, 0 |
//! | 8 | length of the payload in bytes |
//! | 4 | CRC-32 (IEEE) of the payload |
//! | 4 | CRC-32 of the 28 bytes before |

use std::cmp::Ordering;
use std::io::{self, Write};

use crate::error::{Error, Result};

/// Length of a header, in bytes.
pub(crate) const HEADER_LENGTH: usize = 32;
/// Length of the header without its own checksum.
const CHECKED_LENGTH: usize = HEADER_LENGTH - 4;

/// Magic and name of all formats.
const FORMATS: [(&[u8; 8], &str); 4] = [
    (b"CAROMSNP", "carom snapshot"),
    (b"CAROMRUN", "saved run"),
    (b"CAROMSPC", "saved space"),
    (b"CAROMSTU", "study checkpoint"),
];

/// The name of the format that bytes have by their magic.
pub(crate) fn name_of(bytes: &[u8]) -> Option<&'static str> {
    FORMATS.iter().find(|(magic, _)| bytes.starts_with(*magic)).map(|(_, name)| *name)
}

/// Whether bytes start like one of the formats, even if truncated.
pub(crate) fn is_sealed(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(8)];
    !start.is_empty() && FORMATS.iter().any(|(magic, _)| magic.starts_with(start))
}

/// How long a sealed file is, by its header; that of the header alone if it is damaged, and `None` if it is no sealed file.
pub(crate) fn extent(bytes: &[u8]) -> Option<u64> {
    name_of(bytes)?;
    let header = bytes.get(..HEADER_LENGTH)?;
    let damaged = crc32fast::hash(&header[..CHECKED_LENGTH]) != number(header, CHECKED_LENGTH);
    Some(if damaged {
        HEADER_LENGTH as u64
    } else {
        payload_length(header).saturating_add(HEADER_LENGTH as u64)
    })
}

/// Compares the length that the header of a sealed file says with the one that the file has, in bytes.
pub(crate) fn check_extent(bytes: &[u8], found: u64) -> Result<()> {
    let (Some(format), Some(said)) = (name_of(bytes), extent(bytes)) else { return Ok(()) };
    match found.cmp(&said) {
        // A damaged header is an error of its own.
        _ if said == HEADER_LENGTH as u64 => Ok(()),
        Ordering::Less => Err(truncated(bytes, found)),
        Ordering::Greater => {
            Err(Error::Corrupt { format, detail: format!("{} bytes follow its end", found - said) })
        }
        Ordering::Equal => Ok(()),
    }
}

/// A sealed file of this beginning ends too early, at this length in bytes.
pub(crate) fn truncated(bytes: &[u8], found: u64) -> Error {
    Error::Truncated { format: name_of(bytes).unwrap_or("file"), offset: found as usize }
}

fn number(header: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|k| header[at + k]))
}

fn payload_length(header: &[u8]) -> u64 {
    u64::from(number(header, 20)) << 32 | u64::from(number(header, 16))
}

/// One of the formats.
pub(crate) struct Seal {
    /// Its name in error messages.
    pub(crate) name: &'static str,
    pub(crate) magic: &'static [u8; 8],
    /// The newest version that this build reads.
    pub(crate) newest: u32,
}

impl Seal {
    /// Whether the bytes start like this format, even if truncated.
    pub(crate) fn begins(&self, bytes: &[u8]) -> bool {
        let start = &bytes[..bytes.len().min(self.magic.len())];
        !start.is_empty() && self.magic.starts_with(start)
    }

    /// The bytes before a payload of this version, length and checksum.
    pub(crate) fn header(
        &self,
        version: u32,
        payload_length: u64,
        payload_checksum: u32,
    ) -> [u8; HEADER_LENGTH] {
        let mut header = [0; HEADER_LENGTH];
        header[..8].copy_from_slice(self.magic);
        header[8..12].copy_from_slice(&version.to_le_bytes());
        header[16..24].copy_from_slice(&payload_length.to_le_bytes());
        header[24..28].copy_from_slice(&payload_checksum.to_le_bytes());
        let own = crc32fast::hash(&header[..CHECKED_LENGTH]);
        header[CHECKED_LENGTH..].copy_from_slice(&own.to_le_bytes());
        header
    }

    /// Writes header and payload. The payload is computed twice, first for its length and checksum, and never stored.
    pub(crate) fn write(
        &self,
        version: u32,
        out: &mut dyn Write,
        payload: impl Fn(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut checksum = Checksum::default();
        let mut pieces = io::BufWriter::new(&mut checksum);
        payload(&mut pieces)?;
        pieces.flush()?;
        drop(pieces);
        let mut out = io::BufWriter::new(out);
        out.write_all(&self.header(version, checksum.length, checksum.hasher.finalize()))?;
        payload(&mut out)?;
        out.flush()
    }

    /// The version and the payload, if the header and both checksums are valid.
    pub(crate) fn open<'a>(&self, bytes: &'a [u8]) -> Result<(u32, &'a [u8])> {
        let truncated = Error::Truncated { format: self.name, offset: bytes.len() };
        let Some((header, payload)) = bytes.split_at_checked(HEADER_LENGTH) else { return Err(truncated) };
        let number = |at: usize| number(header, at);
        if crc32fast::hash(&header[..CHECKED_LENGTH]) != number(CHECKED_LENGTH) {
            return Err(self
                .wrong(format!("the checksum of the header, bytes 0 to {CHECKED_LENGTH}, does not match")));
        }
        let (version, reserved) = (number(8), number(12));
        if version > self.newest {
            return Err(Error::NewerVersion { format: self.name, found: version, supported: self.newest });
        }
        if version == 0 || reserved != 0 {
            return Err(self.wrong(format!("invalid version {version} with {reserved} at byte 12")));
        }
        let length = payload_length(header);
        match (payload.len() as u64).cmp(&length) {
            Ordering::Less => return Err(truncated),
            Ordering::Greater => {
                return Err(self.wrong(format!("{} bytes follow its end", payload.len() as u64 - length)));
            }
            Ordering::Equal => {}
        }
        if crc32fast::hash(payload) != number(24) {
            return Err(self.wrong(format!(
                "the checksum of the payload, from byte {HEADER_LENGTH} on, does not match"
            )));
        }
        Ok((version, payload))
    }

    /// The file contradicts itself.
    pub(crate) fn wrong(&self, detail: String) -> Error {
        Error::Corrupt { format: self.name, detail }
    }
}

/// Computes the length and the checksum of what is written to it.
#[derive(Default)]
struct Checksum {
    hasher: crc32fast::Hasher,
    length: u64,
}

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
