//! Worlds in files, streams and memory.

use std::ffi::{c_char, c_void};
use std::io::Write;
use std::path::Path;

use libc::FILE;

use super::context::carom_context;
use super::failure::{Failure, Result};
use super::guard::enter;
use super::handle::Handle;
use super::memory::Caller;
use super::particles::carom_particles;
use super::status::carom_status;
use super::world::carom_world;
use crate::error::Error;
use crate::input;
use crate::io::file::WholeFile;
use crate::io::{self, Format};
use crate::soa::memory;

/// A way to write a world or a space: one of the constants CAROM_FORMAT_JSON to CAROM_FORMAT_BY_NAME. Reading recognises the
/// format from the content.
pub type carom_format = u32;

/// JSON, indented.
pub const CAROM_FORMAT_JSON: carom_format = 0;
/// JSON without spaces.
pub const CAROM_FORMAT_JSON_COMPACT: carom_format = 1;
/// The JSON of PBPhys, indented.
pub const CAROM_FORMAT_PBPHYS: carom_format = 2;
/// The JSON of PBPhys without spaces.
pub const CAROM_FORMAT_PBPHYS_COMPACT: carom_format = 3;
/// Binary snapshot with checksums: the fastest.
pub const CAROM_FORMAT_SNAPSHOT: carom_format = 4;
/// By the name of the file: `.json`, `.pbphys` or `.pbphys.json`, `.carom` (snapshot). Only for carom_world_save() and
/// carom_space_save().
pub const CAROM_FORMAT_BY_NAME: carom_format = 255;

const _: () = assert!(
    CAROM_FORMAT_JSON == Format::Json as u32
        && CAROM_FORMAT_JSON_COMPACT == Format::JsonCompact as u32
        && CAROM_FORMAT_PBPHYS == Format::PbPhys as u32
        && CAROM_FORMAT_PBPHYS_COMPACT == Format::PbPhysCompact as u32
        && CAROM_FORMAT_SNAPSHOT == Format::Snapshot as u32
);

fn known_format(format: carom_format) -> Result<Format> {
    Format::from_code(format).ok_or(Failure::UnknownValue { argument: "format", value: u64::from(format) })
}

pub(super) fn format_of_file(format: carom_format, path: &Path) -> Result<Format> {
    if format != CAROM_FORMAT_BY_NAME {
        return known_format(format);
    }
    let detail = || format!("the name {} has none of their extensions", path.display());
    Ok(Format::from_extension(path).ok_or_else(|| Error::UnknownFormat { detail: detail() })?)
}

/// An entry that writes an object to a stream of the caller and flushes it.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn write_stream<H: Handle>(
    handle: *const H,
    stream: *mut FILE,
    write: impl FnOnce(&H::Object, &mut dyn Write) -> Result<()>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            memory::expect_room(0)?;
            let mut stream = caller.stream(stream)?;
            caller.object(H::NAME, handle)?.read(|object| write(object, &mut stream))?;
            stream.finish()
        })
    }
}

/// Writes a file under a temporary name that is renamed when it is complete.
pub(super) fn save_to(
    path: &Path,
    write: impl FnOnce(&mut WholeFile) -> std::result::Result<(), Error>,
) -> Result<()> {
    let mut file = WholeFile::create(path)?;
    write(&mut file).map_err(|error| about(path, error))?;
    Ok(file.commit()?)
}

/// Errors of writing get the name of the file in place of that of the stream.
fn about(path: &Path, error: Error) -> Error {
    match error {
        Error::Io { source, .. } => Error::Io { path: path.display().to_string(), source },
        other => other,
    }
}

/// The most bytes that are read from a stream: a `FILE`, and a file name that stands for a pipe or a device. Regular files that
/// are loaded by their name may be longer. It is 1 GiB unless the program sets another limit.
#[unsafe(no_mangle)]
pub extern "C" fn carom_input_limit() -> u64 {
    input::limit()
}

/// Sets the most bytes that are read from a stream, for all threads of the process.
///
/// What cannot be of a known format is refused after its first bytes, whatever the limit.
///
/// \param bytes The limit in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn carom_input_set_limit(bytes: u64) {
    input::set_limit(bytes);
}

/// Saves a world to a file, under a temporary name that is renamed when the file is complete.
///
/// \param path   Name of the file, UTF-8.
/// \param format A constant CAROM_FORMAT_..., or CAROM_FORMAT_BY_NAME.
/// \return CAROM_OK, CAROM_IO, CAROM_UNKNOWN_VALUE, CAROM_UNKNOWN_FORMAT for a name without a known extension,
///         CAROM_BAD_STRING, CAROM_NOT_FINITE, CAROM_NEGATIVE or CAROM_FIXED for numbers written through shared
///         columns, or the status of what PBPhys cannot express. On failure an old file is unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_save(
    world: *const carom_world,
    path: *const c_char,
    format: carom_format,
) -> carom_status {
    entry!(enter(|caller| {
        let path = Path::new(caller.string("path", path)?);
        memory::expect_room(0)?;
        let format = format_of_file(format, path)?;
        caller.object("world", world)?.read(|world| Ok(io::save(world, format, path)?))
    }))
}

/// Loads a world from a file of any format that carom writes.
///
/// \param path    Name of the file, UTF-8.
/// \param context Threads that do the work of the world; NULL: the calling thread.
/// \param world   Receives the world. Destroy it with carom_world_destroy().
/// \return CAROM_OK, CAROM_IO, CAROM_BAD_STRING, CAROM_UNKNOWN_FORMAT, CAROM_TRUNCATED, CAROM_CORRUPT, CAROM_SYNTAX,
///         CAROM_NEWER_VERSION, CAROM_INPUT_TOO_LONG for a pipe or device of more than carom_input_limit() bytes,
///         CAROM_OUT_OF_MEMORY, or the status of an invalid number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_load(
    path: *const c_char,
    context: *const carom_context,
    world: *mut *mut carom_world,
) -> carom_status {
    entry!(enter(|caller| {
        let path = Path::new(caller.string("path", path)?);
        caller.give_world(context, world, || Ok(io::load(path)?))
    }))
}

/// Writes a world to a stream and flushes it.
///
/// \param stream An open stream, in binary mode for snapshots.
/// \param format A constant CAROM_FORMAT_... other than CAROM_FORMAT_BY_NAME.
/// \return As carom_world_save(). After CAROM_IO a part may have been written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_save_file(
    world: *const carom_world,
    stream: *mut FILE,
    format: carom_format,
) -> carom_status {
    entry!(write_stream(world, stream, |world, out| Ok(io::write(world, known_format(format)?, out)?)))
}

/// Reads a world from a stream, up to its end; at most carom_input_limit() bytes.
///
/// \param stream  An open stream, in binary mode for snapshots.
/// \param context Threads that do the work of the world; NULL: the calling thread.
/// \param world   Receives the world. Destroy it with carom_world_destroy().
/// \return As carom_world_load().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_load_file(
    stream: *mut FILE,
    context: *const carom_context,
    world: *mut *mut carom_world,
) -> carom_status {
    entry!(enter(|caller| {
        let mut stream = caller.stream(stream)?;
        caller.give_world(context, world, || Ok(io::read(&mut stream)?))
    }))
}

/// Prints a world as text to a stream and flushes it: time, forces and every particle.
///
/// \param stream An open stream.
/// \return CAROM_OK, CAROM_IO.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_print(world: *const carom_world, stream: *mut FILE) -> carom_status {
    entry!(write_stream(world, stream, |world, out| Ok(io::print(world, out)?)))
}

/// Prints one particle as text to a stream and flushes it.
///
/// \param index  Which particle.
/// \param stream An open stream.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_IO.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_print(
    particles: *const carom_particles,
    index: usize,
    stream: *mut FILE,
) -> carom_status {
    entry!(enter(|caller| {
        memory::expect_room(0)?;
        let mut stream = caller.stream(stream)?;
        let particles = caller.object("particles", particles)?;
        particles.read(|particles| Ok(io::print_particle(particles, index, &mut stream)?))?;
        stream.finish()
    }))
}

/// Writes a world to memory.
///
/// \param format   A constant CAROM_FORMAT_... other than CAROM_FORMAT_BY_NAME.
/// \param buffer   Where the bytes go. May be NULL if `capacity` is 0.
/// \param capacity Size of `buffer` in bytes; 0 only returns the number needed.
/// \param needed   Receives the number of bytes, also with CAROM_BUFFER_TOO_SMALL.
/// \return As carom_world_save(), or CAROM_BUFFER_TOO_SMALL: then nothing has been written to `buffer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_to_memory(
    world: *const carom_world,
    format: carom_format,
    buffer: *mut c_void,
    capacity: usize,
    needed: *mut usize,
) -> carom_status {
    entry!(enter(|caller| {
        caller.give_bytes((buffer, capacity), needed, |bytes| {
            let format = known_format(format)?;
            caller.object("world", world)?.read(|world| Ok(io::write(world, format, bytes)?))
        })
    }))
}

/// Bytes that are written to memory. If there is none for them, the write fails.
pub(super) struct Bytes(Vec<u8>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.try_reserve(bytes.len()).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Caller {
    /// Writes bytes to the caller's buffer if they fit, and how many they are in any case.
    pub(super) fn give_bytes(
        &self,
        (buffer, capacity): (*mut c_void, usize),
        needed: *mut usize,
        fill: impl FnOnce(&mut Bytes) -> Result<()>,
    ) -> Result<()> {
        let out = self.out("needed", needed)?;
        let buffer = self.rows_mut("buffer", buffer.cast::<u8>(), 0, 1, capacity)?;
        memory::expect_room(0)?;
        let mut bytes = Bytes(Vec::new());
        fill(&mut bytes)?;
        let Bytes(bytes) = bytes;
        out.set(bytes.len());
        if capacity == 0 {
            return Ok(());
        }
        if bytes.len() > capacity {
            return Err(Failure::BufferTooSmall { argument: "buffer", needed: bytes.len(), capacity });
        }
        buffer.write(&bytes);
        Ok(())
    }
}

/// Reads a world from memory.
///
/// \param bytes   What carom_world_to_memory() wrote, or the content of a file.
/// \param size    Number of bytes.
/// \param context Threads that do the work of the world; NULL: the calling thread.
/// \param world   Receives the world. Destroy it with carom_world_destroy().
/// \return As carom_world_load().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_from_memory(
    bytes: *const c_void,
    size: usize,
    context: *const carom_context,
    world: *mut *mut carom_world,
) -> carom_status {
    entry!(enter(|caller| {
        let bytes = caller.slice("bytes", bytes.cast::<u8>(), size)?;
        caller.give_world(context, world, || Ok(io::from_bytes(bytes)?))
    }))
}
