//! Runs from scenes, and saved runs in files and memory.

use std::ffi::{c_char, c_void};
use std::path::Path;

use super::events::carom_events;
use super::failure::Result;
use super::files::save_to;
use super::guard::enter;
use super::handle::Handle;
use super::memory::Caller;
use super::status::carom_status;
use super::study::ROOM_PER_BYTE;
use crate::error::Error;
use crate::events::AnyEngine;
use crate::events::scenes::{SCENES, Scene};
use crate::soa::memory;

/// The name of a ready-made scene.
///
/// \param index Which one, counted from 0.
/// \return Static text; NULL beyond the last.
#[unsafe(no_mangle)]
pub extern "C" fn carom_scene_name(index: usize) -> *const c_char {
    SCENES.get(index).map_or(std::ptr::null(), |scene| scene.c_name.as_ptr())
}

/// Creates a run of a ready-made scene, at time 0.
///
/// \param name   "empty", "head-on-horizontal", "head-on-vertical", "oblique", "three-balls", "billiard-break" or "gas"
///               (1372 spheres of diameter 1 m at number density 0.5, periodic); carom_scene_name() lists them.
/// \param until  Receives a suggested end time of the scene, in seconds. May be NULL.
/// \param events Receives the run. Destroy it with carom_events_destroy().
/// \return CAROM_OK, CAROM_UNKNOWN_NAME, CAROM_BAD_STRING.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_from_scene(
    name: *const c_char,
    until: *mut f64,
    events: *mut *mut carom_events,
) -> carom_status {
    entry!(enter(|caller| {
        let name = caller.string("name", name)?;
        caller.give_scene(until, events, || Ok(Scene::named(name).ok_or_else(|| unknown_scene(name))?))
    }))
}

fn unknown_scene(name: &str) -> Error {
    let known: Vec<&str> = SCENES.iter().map(|scene| scene.name).collect();
    Error::UnknownName { argument: "name", name: name.to_owned(), known: known.join(", ") }
}

/// Creates a run of a scene in TOML, at time 0. The folder examples/scenes has commented scenes.
///
/// \param text   The scene, UTF-8: the content of a scene file.
/// \param seed   Seed of its random numbers, instead of the seed in the text. May be NULL.
/// \param until  Receives a suggested end time of the scene, in seconds. May be NULL.
/// \param events Receives the run. Destroy it with carom_events_destroy().
/// \return CAROM_OK, CAROM_SYNTAX (carom_last_error() names line, column and field), CAROM_BAD_STRING, or as
///         carom_events_create().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_from_toml(
    text: *const c_char,
    seed: *const u64,
    until: *mut f64,
    events: *mut *mut carom_events,
) -> carom_status {
    entry!(enter(|caller| {
        let text = caller.string("text", text)?;
        memory::expect_room(text.len().saturating_mul(ROOM_PER_BYTE))?;
        let seed = caller.optional("seed", seed)?.copied();
        caller.give_scene(until, events, || Ok(Scene::from_toml(text, seed)?))
    }))
}

impl Caller {
    fn give_scene(
        &self,
        until: *mut f64,
        events: *mut *mut carom_events,
        make: impl FnOnce() -> Result<Scene>,
    ) -> Result<()> {
        let out = self.optional_out("until", until)?;
        let mut seen = 0.0;
        self.give_events(events, || {
            let scene = make()?;
            seen = scene.until;
            Ok(scene.into_engine()?)
        })?;
        out.set(seen);
        Ok(())
    }
}

/// Saves a run to a file, under a temporary name that is renamed when the file is complete. The run that
/// carom_events_load() reads from it continues bit-identically.
///
/// \param path Name of the file, UTF-8.
/// \return CAROM_OK, CAROM_IO, CAROM_BAD_STRING. On failure an old file is unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_save(events: *const carom_events, path: *const c_char) -> carom_status {
    entry!(enter(|caller| {
        let path = Path::new(caller.string("path", path)?);
        memory::expect_room(0)?;
        caller.object("events", events)?.read(|engine| save_to(path, |out| engine.save(out)))
    }))
}

/// Loads a run that was saved by carom_events_save() or `carom sim`.
///
/// \param path   Name of the file, UTF-8.
/// \param events Receives the run. Destroy it with carom_events_destroy().
/// \return CAROM_OK, CAROM_IO, CAROM_BAD_STRING, CAROM_UNKNOWN_FORMAT, CAROM_TRUNCATED, CAROM_CORRUPT,
///         CAROM_NEWER_VERSION, CAROM_INPUT_TOO_LONG for a pipe or device of more than carom_input_limit() bytes,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_load(
    path: *const c_char,
    events: *mut *mut carom_events,
) -> carom_status {
    entry!(enter(|caller| {
        let path = Path::new(caller.string("path", path)?);
        caller.give_events(events, || Ok(AnyEngine::load_file(path)?))
    }))
}

/// Saves a run to memory.
///
/// \param buffer   Where the bytes go. May be NULL if `capacity` is 0.
/// \param capacity Size of `buffer` in bytes; 0 only returns the number needed.
/// \param needed   Receives the number of bytes, also with CAROM_BUFFER_TOO_SMALL.
/// \return CAROM_OK, or CAROM_BUFFER_TOO_SMALL: then nothing has been written to `buffer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_to_memory(
    events: *const carom_events,
    buffer: *mut c_void,
    capacity: usize,
    needed: *mut usize,
) -> carom_status {
    entry!(enter(|caller| {
        caller.give_bytes((buffer, capacity), needed, |bytes| {
            caller.object("events", events)?.read(|engine| Ok(engine.save(bytes)?))
        })
    }))
}

/// Loads a run from memory.
///
/// \param bytes  What carom_events_to_memory() wrote, or the content of a file.
/// \param size   Number of bytes.
/// \param events Receives the run. Destroy it with carom_events_destroy().
/// \return As carom_events_load().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_events_from_memory(
    bytes: *const c_void,
    size: usize,
    events: *mut *mut carom_events,
) -> carom_status {
    entry!(enter(|caller| {
        let bytes = caller.slice("bytes", bytes.cast::<u8>(), size)?;
        caller.give_events(events, || Ok(AnyEngine::from_bytes(bytes)?))
    }))
}
