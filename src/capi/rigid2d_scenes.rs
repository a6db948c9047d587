//! Spaces of scenes.

use std::ffi::c_char;

use super::failure::Result;
use super::guard::enter;
use super::memory::Caller;
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use crate::rigid2d::scenes::{Parameters, SCENES, Scene};
use crate::soa::memory;

/// The name of a ready-made scene of rigid bodies.
///
/// \param index Which one, counted from 0.
/// \return Static text; NULL beyond the last.
#[unsafe(no_mangle)]
pub extern "C" fn carom_space_scene_name(index: usize) -> *const c_char {
    SCENES.get(index).map_or(std::ptr::null(), |scene| scene.c_name.as_ptr())
}

impl Caller {
    /// Gives the space of a scene to the caller, with its suggestions.
    fn give_space(
        &self,
        (dt, until): (*mut f64, *mut f64),
        space: *mut *mut carom_space,
        make: impl FnOnce() -> Result<Scene>,
    ) -> Result<()> {
        let (dt, until) = (self.optional_out("dt", dt)?, self.optional_out("until", until)?);
        let out = self.out("space", space)?;
        memory::expect_room(0)?;
        let scene = make()?;
        out.hand_over(carom_space::new(scene.space()?));
        dt.set(scene.dt);
        until.set(scene.until);
        Ok(())
    }
}

/// Creates a space of a ready-made scene, at time 0.
///
/// \param name  One of the names that carom_space_scene_name() lists: "stack", "pyramid", "bin" and so on.
/// \param seed  Seed of its random numbers, instead of its own. May be NULL.
/// \param dt    Receives the suggested duration of a step, in seconds. May be NULL.
/// \param until Receives a suggested end time, in seconds. May be NULL.
/// \param space Receives the space. Destroy it with carom_space_destroy().
/// \return CAROM_OK, CAROM_UNKNOWN_NAME, CAROM_BAD_STRING, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_from_scene(
    name: *const c_char,
    seed: *const u64,
    dt: *mut f64,
    until: *mut f64,
    space: *mut *mut carom_space,
) -> carom_status {
    entry!(enter(|caller| {
        let name = caller.string("name", name)?;
        let seed = caller.optional("seed", seed)?.copied();
        let parameters = Parameters::default().with_seed(seed);
        caller.give_space((dt, until), space, || Ok(Scene::named(name, &parameters)?))
    }))
}

/// Creates a space of a scene in TOML, at time 0. The folder examples/scenes has commented scenes.
///
/// \param text  The scene, UTF-8: the content of a scene file.
/// \param seed  Seed of its random numbers, instead of the seed in the text. May be NULL.
/// \param dt    Receives the suggested duration of a step, in seconds. May be NULL.
/// \param until Receives a suggested end time, in seconds. May be NULL.
/// \param space Receives the space. Destroy it with carom_space_destroy().
/// \return CAROM_OK, CAROM_SYNTAX (carom_last_error() names line, column and field), CAROM_BAD_STRING,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_from_toml(
    text: *const c_char,
    seed: *const u64,
    dt: *mut f64,
    until: *mut f64,
    space: *mut *mut carom_space,
) -> carom_status {
    entry!(enter(|caller| {
        let text = caller.string("text", text)?;
        let seed = caller.optional("seed", seed)?.copied();
        caller.give_space((dt, until), space, || Ok(Scene::from_toml(text, seed)?))
    }))
}
