//! Reading files and streams, no farther than they can be good.
//!
//! The first bytes decide what an input can be; what is none of the formats that are wanted is refused before the rest is
//! read. A sealed format says in its header how long it is: that is compared with the length of the file,
//! and no more is read. Any other input ends at the length of its file or, if it is a pipe, a device or another stream, at a
//! [`limit`] that the program may raise.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::sealed;

/// The [`limit`] unless a program sets another one: 1 GiB.
pub const DEFAULT_LIMIT: u64 = 1 << 30;

/// By so many first bytes an input is judged.
const FIRST: usize = 4096;
/// The most that is read at once, in bytes.
const PIECE: usize = 1 << 24;

static LIMIT: AtomicU64 = AtomicU64::new(DEFAULT_LIMIT);

/// The most bytes that are read from a stream, such as a pipe or a device: what has no length that is known beforehand.
/// Regular files that are read by their name may be longer.
#[must_use]
pub fn limit() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// Sets the [`limit`], in bytes, for all threads of the process.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Judges an input by its first bytes: an error, mostly [`Error::UnknownFormat`], ends reading.
pub type Judge = fn(&[u8]) -> Result<()>;

/// All bytes of a stream, at most [`limit`].
pub fn read(input: &mut dyn Read, judge: Judge) -> Result<Vec<u8>> {
    read_named(input, None, "input", judge)
}

/// All bytes of a file. If it is not a regular file, at most [`limit`].
pub fn read_file(path: &Path, judge: Judge) -> Result<Vec<u8>> {
    let name = path.display().to_string();
    let failed = |error: io::Error| Error::io(&name, error);
    let mut file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    // Files that the system makes up, as in /proc, have a length of 0 and content.
    let length = Some(found.len()).filter(|&length| found.is_file() && length > 0);
    read_named(&mut file, length, &name, judge)
}

/// The text of a file, which must be UTF-8. If it is not a regular file, at most [`limit`].
///
/// What is no text, or refused by its first bytes, is an [`Error::Io`] of kind [`InvalidData`](io::ErrorKind::InvalidData).
pub fn read_text_file(path: &Path, judge: Judge) -> Result<String> {
    let no_text =
        |detail: String| Error::io(path.display(), io::Error::new(io::ErrorKind::InvalidData, detail));
    let bytes = read_file(path, judge).map_err(|error| match error {
        Error::UnknownFormat { detail } => no_text(detail),
        other => other,
    })?;
    String::from_utf8(bytes)
        .map_err(|error| no_text(format!("no text: byte {} is not UTF-8", error.utf8_error().valid_up_to())))
}

/// Accepts sealed files of carom and JSON objects; not an error if there is nothing.
pub fn sealed_or_json(first: &[u8]) -> Result<()> {
    if sealed::is_sealed(first) {
        return Ok(());
    }
    match start_of_text(first).first() {
        None | Some(b'{') => Ok(()),
        Some(_) => Err(Error::UnknownFormat { detail: appearance(first) }),
    }
}

/// Accepts JSON objects; not an error if there is nothing.
pub fn json(first: &[u8]) -> Result<()> {
    refuse_sealed(first)?;
    sealed_or_json(first)
}

/// Accepts text, of whatever format.
pub fn text(first: &[u8]) -> Result<()> {
    refuse_sealed(first)?;
    if known_start(first).is_some() {
        return Err(Error::UnknownFormat { detail: appearance(first) });
    }
    match first.iter().position(|&byte| byte == 0) {
        Some(at) => Err(Error::UnknownFormat { detail: format!("no text: byte {at} is 0") }),
        None => Ok(()),
    }
}

/// Accepts sealed files of carom and text of whatever format.
pub fn sealed_or_text(first: &[u8]) -> Result<()> {
    if sealed::is_sealed(first) { Ok(()) } else { text(first) }
}

fn refuse_sealed(first: &[u8]) -> Result<()> {
    match sealed::name_of(first) {
        Some(name) => Err(Error::UnknownFormat { detail: format!("it is a {name} of carom") }),
        None => Ok(()),
    }
}

/// What an input without a known format looks like, by its first bytes.
#[must_use]
pub fn appearance(first: &[u8]) -> String {
    if let Some(name) = sealed::name_of(first) {
        return format!("it is a {name} of carom");
    }
    if let Some(name) = known_start(first) {
        return format!("it looks like {name}");
    }
    let text = start_of_text(first);
    match std::str::from_utf8(&text[..text.len().min(4)]).ok().and_then(|text| text.chars().next()) {
        Some(c) => format!("it starts with {c:?}"),
        None => {
            text.first().map_or("it is empty".into(), |byte| format!("it starts with the byte {byte:#04x}"))
        }
    }
}

/// What starts in a way that no format of carom does.
fn known_start(first: &[u8]) -> Option<&'static str> {
    const STARTS: [(&[u8], &str); 12] = [
        (b"\x7fELF", "a program"),
        (b"\x1f\x8b", "gzip: unpack it first"),
        (b"PK\x03\x04", "a zip archive: unpack it first"),
        (b"\xfd7zXZ\0", "xz: unpack it first"),
        (b"\x28\xb5\x2f\xfd", "zstd: unpack it first"),
        (b"BZh", "bzip2: unpack it first"),
        (b"\x89PNG", "a picture"),
        (b"\xff\xd8\xff", "a picture"),
        (b"%PDF", "a PDF document"),
        (b"<!", "a page of HTML"),
        (b"<?xml", "XML"),
        (b"\xff\xfe", "text in UTF-16: save it as UTF-8"),
    ];
    if first.len() >= 8 && first[..8].iter().all(|&byte| byte == 0) {
        return Some("nothing but zeros");
    }
    STARTS.iter().find(|(start, _)| first.starts_with(start)).map(|(_, name)| *name)
}

/// The bytes after a byte order mark and white space.
fn start_of_text(first: &[u8]) -> &[u8] {
    first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start()
}

/// Reads an input whose length may be known.
fn read_named(input: &mut dyn Read, length: Option<u64>, name: &str, judge: Judge) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    append(input, &mut bytes, FIRST as u64, name)?;
    judge(&bytes)?;
    let limit = limit().max(length.unwrap_or(0));
    let too_long = || Error::InputTooLong { path: name.into(), limit };
    if bytes.len() == FIRST {
        let extent = sealed::extent(&bytes).unwrap_or(limit);
        if extent > limit {
            return Err(length.map_or_else(too_long, |length| sealed::truncated(&bytes, length)));
        }
        if let Some(length) = length {
            sealed::check_extent(&bytes, length)?;
            reserve(&mut bytes, length.min(extent).saturating_sub(FIRST as u64))?;
        }
        // One more byte shows that something follows.
        append(input, &mut bytes, extent.saturating_add(1), name)?;
    }
    if bytes.len() as u64 > limit { Err(too_long()) } else { Ok(bytes) }
}

/// Reads until there are `end` bytes, or to the end of the input.
fn append(input: &mut dyn Read, bytes: &mut Vec<u8>, end: u64, name: &str) -> Result<()> {
    while (bytes.len() as u64) < end {
        let piece = (end - bytes.len() as u64).min(bytes.len().clamp(FIRST, PIECE) as u64);
        reserve(bytes, piece)?;
        let read = input.take(piece).read_to_end(bytes).map_err(|error| failed(name, error))?;
        if (read as u64) < piece {
            break;
        }
    }
    Ok(())
}

fn failed(name: &str, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::OutOfMemory => Error::OutOfMemory { bytes: PIECE },
        _ => Error::io(name, error),
    }
}

fn reserve(bytes: &mut Vec<u8>, more: u64) -> Result<()> {
    let failed = Error::OutOfMemory { bytes: usize::try_from(more).unwrap_or(usize::MAX) };
    let more = usize::try_from(more).map_err(|_| failed.clone())?;
    bytes.try_reserve(more).map_err(|_| failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repeats its bytes for ever, and counts how many were read.
    struct Endless<'a> {
        bytes: &'a [u8],
        read: u64,
    }

    impl Read for Endless<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            for (k, byte) in out.iter_mut().enumerate() {
                *byte = self.bytes[(self.read as usize + k) % self.bytes.len()];
            }
            self.read += out.len() as u64;
            Ok(out.len())
        }
    }

    #[test]
    fn what_cannot_be_good_is_refused_by_its_first_bytes() {
        for (bytes, judge, looks) in [
            (&b"\0"[..], sealed_or_json as Judge, "nothing but zeros"),
            (b"\0", text, "nothing but zeros"),
            (b"y\n", sealed_or_json, "it starts with 'y'"),
            (b"\x1f\x8b\x08", text, "gzip"),
            (b"\x7fELF\x02", sealed_or_text, "a program"),
            (b"CAROMSTU", json, "it is a study checkpoint of carom"),
            (b"\xff\xfe", text, "UTF-16"),
        ] {
            let mut endless = Endless { bytes, read: 0 };
            let refused = read(&mut endless, judge).unwrap_err();
            assert!(
                matches!(&refused, Error::UnknownFormat { detail } if detail.contains(looks)),
                "{refused}"
            );
            assert!(endless.read <= FIRST as u64, "{}", endless.read);
        }
    }

    #[test]
    fn a_sealed_stream_ends_where_its_header_says() {
        let seal = sealed::Seal { name: "saved run", magic: b"CAROMRUN", newest: 1 };
        let payload = vec![7; 10_000];
        let mut bytes = seal.header(1, payload.len() as u64, crc32fast::hash(&payload)).to_vec();
        bytes.extend(&payload);
        assert_eq!(read(&mut &bytes[..], sealed_or_json).unwrap(), bytes);
        let more = Endless { bytes: b"more", read: 0 };
        let read_bytes = read(&mut bytes.chain(more), sealed_or_json).unwrap();
        assert!(matches!(seal.open(&read_bytes), Err(Error::Corrupt { .. })));
        // One that says it is longer than any stream may be.
        let huge = seal.header(1, 1 << 60, 0);
        let mut stream = huge.chain(Endless { bytes: b"x", read: 0 });
        assert!(matches!(
            read(&mut stream, sealed_or_json),
            Err(Error::InputTooLong { limit: DEFAULT_LIMIT, .. })
        ));
    }

    #[test]
    fn the_length_in_a_header_is_compared_with_that_of_the_file() {
        let seal = sealed::Seal { name: "saved run", magic: b"CAROMRUN", newest: 1 };
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        for (said, found) in [(1_u64 << 40, 1_u64 << 20), (1 << 20, 1 << 40)] {
            std::fs::write(&path, seal.header(1, said, 0)).unwrap();
            // Without blocks on the disk: it takes no room.
            File::options().write(true).open(&path).unwrap().set_len(found).unwrap();
            let error = read_file(&path, sealed_or_json).unwrap_err();
            match said > found {
                true => assert!(matches!(error, Error::Truncated { offset, .. } if offset == found as usize)),
                false => assert!(error.to_string().contains("bytes follow its end"), "{error}"),
            }
        }
    }
}
