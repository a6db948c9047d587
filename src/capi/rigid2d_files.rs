//! Spaces of rigid bodies in files, streams and memory.

use std::ffi::{c_char, c_void};
use std::path::Path;

use libc::FILE;

use super::failure::{Failure, Result};
use super::files::{
    CAROM_FORMAT_BY_NAME, CAROM_FORMAT_JSON, CAROM_FORMAT_SNAPSHOT, carom_format, format_of_file, save_to,
    write_stream,
};
use super::guard::enter;
use super::handle::{Handle, create};
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use crate::error::Error;
use crate::io::Format;
use crate::rigid2d::{Space, SpaceFormat};
use crate::soa::memory;

fn known_space_format(format: carom_format) -> Result<SpaceFormat> {
    match format {
        CAROM_FORMAT_JSON => Ok(SpaceFormat::Json),
        CAROM_FORMAT_SNAPSHOT => Ok(SpaceFormat::Snapshot),
        unknown => Err(Failure::UnknownValue { argument: "format", value: unknown.into() }),
    }
}

/// The format that a space is saved in under this name.
fn space_format_of_file(format: carom_format, path: &Path) -> Result<SpaceFormat> {
    if format != CAROM_FORMAT_BY_NAME {
        return known_space_format(format);
    }
    match format_of_file(format, path)? {
        Format::Json => Ok(SpaceFormat::Json),
        Format::Snapshot => Ok(SpaceFormat::Snapshot),
        _ => {
            let detail = format!("the extension of {} is of a format for worlds only", path.display());
            Err(Error::UnknownFormat { detail }.into())
        }
    }
}

/// Saves a space to a file, under a temporary name that is renamed when the file is complete. Callbacks are not saved. Otherwise
/// the space that carom_space_load() reads from it continues bit-identically.
///
/// \param path   Name of the file, UTF-8.
/// \param format CAROM_FORMAT_SNAPSHOT, CAROM_FORMAT_JSON, or CAROM_FORMAT_BY_NAME: `.carom` (snapshot) or `.json`.
/// \return CAROM_OK, CAROM_IO, CAROM_UNKNOWN_VALUE for another format, CAROM_UNKNOWN_FORMAT for a name without a known
///         extension, CAROM_BAD_STRING, CAROM_LOCKED in a callback for a contact, CAROM_OUT_OF_MEMORY. On failure an old file
///         is unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_save(
    space: *const carom_space,
    path: *const c_char,
    format: carom_format,
) -> carom_status {
    entry!(enter(|caller| {
        let path = Path::new(caller.string("path", path)?);
        memory::expect_room(0)?;
        let format = space_format_of_file(format, path)?;
        caller.object("space", space)?.read(|space| save_to(path, |out| space.save_as(format, out)))
    }))
}

/// Loads a space that was saved by carom_space_save() or `carom sim`, in either format. It has no callbacks.
///
/// \param path  Name of the file, UTF-8.
/// \param space Receives the space, with the ids that its bodies and shapes had. Destroy it with carom_space_destroy().
/// \return CAROM_OK, CAROM_IO, CAROM_BAD_STRING, CAROM_UNKNOWN_FORMAT, CAROM_TRUNCATED, CAROM_CORRUPT, CAROM_SYNTAX,
///         CAROM_NEWER_VERSION, CAROM_INPUT_TOO_LONG for a pipe or device of more than carom_input_limit() bytes,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_load(path: *const c_char, space: *mut *mut carom_space) -> carom_status {
    entry!(create(("space", space), |caller| {
        let path = Path::new(caller.string("path", path)?);
        Ok(carom_space::new(Space::load_file(path)?))
    }))
}

/// Writes a space to a stream and flushes it.
///
/// \param stream An open stream, in binary mode for snapshots.
/// \param format CAROM_FORMAT_SNAPSHOT or CAROM_FORMAT_JSON.
/// \return CAROM_OK, CAROM_IO: then a part may have been written; CAROM_UNKNOWN_VALUE, CAROM_LOCKED, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_save_file(
    space: *const carom_space,
    stream: *mut FILE,
    format: carom_format,
) -> carom_status {
    entry!(write_stream(space, stream, |space, out| Ok(space.save_as(known_space_format(format)?, out)?)))
}

/// Reads a space from a stream, up to its end; at most carom_input_limit() bytes.
///
/// \param stream An open stream, in binary mode for snapshots.
/// \param space  Receives the space. Destroy it with carom_space_destroy().
/// \return As carom_space_load().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_load_file(
    stream: *mut FILE,
    space: *mut *mut carom_space,
) -> carom_status {
    entry!(create(("space", space), |caller| {
        let mut stream = caller.stream(stream)?;
        Ok(carom_space::new(Space::load(&mut stream)?))
    }))
}

/// Writes a space to memory: to send it elsewhere, or to return to it later.
///
/// \param format   CAROM_FORMAT_SNAPSHOT or CAROM_FORMAT_JSON.
/// \param buffer   Where the bytes go. May be NULL if `capacity` is 0.
/// \param capacity Size of `buffer` in bytes; 0 only returns the number needed.
/// \param needed   Receives the number of bytes, also with CAROM_BUFFER_TOO_SMALL.
/// \return CAROM_OK, CAROM_BUFFER_TOO_SMALL: then nothing has been written to `buffer`; CAROM_UNKNOWN_VALUE, CAROM_LOCKED,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_to_memory(
    space: *const carom_space,
    format: carom_format,
    buffer: *mut c_void,
    capacity: usize,
    needed: *mut usize,
) -> carom_status {
    entry!(enter(|caller| {
        caller.give_bytes((buffer, capacity), needed, |bytes| {
            let format = known_space_format(format)?;
            caller.object("space", space)?.read(|space| Ok(space.save_as(format, bytes)?))
        })
    }))
}

/// Reads a space from memory.
///
/// \param bytes What carom_space_to_memory() wrote, or the content of a file.
/// \param size  Number of bytes.
/// \param space Receives the space. Destroy it with carom_space_destroy().
/// \return As carom_space_load().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_from_memory(
    bytes: *const c_void,
    size: usize,
    space: *mut *mut carom_space,
) -> carom_status {
    entry!(create(("space", space), |caller| {
        let bytes = caller.slice("bytes", bytes.cast::<u8>(), size)?;
        Ok(carom_space::new(Space::from_bytes(bytes)?))
    }))
}
