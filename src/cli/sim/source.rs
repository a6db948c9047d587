//! What SCENE is, and whether the options go with it.

use std::path::Path;

use carom::World;
use carom::events::scenes::{SCENES, Scene};
use carom::events::{AnyEngine, is_saved_run};

use super::{Arguments, picture};
use crate::cli::{self, Failure, Result, display, is_stream};

/// What there is to simulate.
pub(super) enum Source {
    /// The small world that needs no file.
    BuiltIn,
    World(Box<World>),
    Run(Box<Run>),
}

/// An engine ready to run.
pub(super) struct Run {
    pub(super) name: String,
    pub(super) engine: AnyEngine,
    /// World time at which to stop, in seconds, if nobody says otherwise.
    pub(super) until: f64,
    /// Whether it comes from a file: then there is a place for results even if none is named.
    pub(super) from_file: bool,
}

/// The time that a saved run goes on, in seconds, if nobody says otherwise.
const MORE: f64 = 1.0;

impl Source {
    pub(super) fn open(arguments: &Arguments) -> Result<Self> {
        let Some(path) = arguments.scene.as_deref() else {
            refuse(arguments, Kind::World)?;
            return Ok(Self::BuiltIn);
        };
        if let Some(ready) = SCENES.iter().find(|scene| path.as_os_str() == scene.name) {
            let kind = if ready.name == "gas" { Kind::Gas } else { Kind::ReadyMade };
            refuse(arguments, kind)?;
            let scene = match kind {
                Kind::Gas => arguments.gas.scene(arguments.seed)?,
                _ => ready.scene(),
            };
            return start(arguments, scene, None);
        }
        Self::from_bytes(arguments, path, &read(path)?)
    }

    fn from_bytes(arguments: &Arguments, path: &Path, bytes: &[u8]) -> Result<Self> {
        let about = |error: carom::Error| Failure::about(path, &error);
        if is_saved_run(bytes) {
            refuse(arguments, Kind::SavedRun)?;
            let engine = AnyEngine::load(&mut &*bytes).map_err(about)?;
            if let Some(picture) = &arguments.svg {
                picture::check(picture, engine.len())?;
            }
            let (name, until) = (display(path), engine.time() + MORE);
            return Ok(Self::Run(Box::new(Run { name, engine, until, from_file: true })));
        }
        if !is_scene_file(path, bytes) {
            refuse(arguments, Kind::World)?;
            return Ok(Self::World(Box::new(carom::io::from_bytes(bytes).map_err(about)?)));
        }
        refuse(arguments, Kind::SceneFile)?;
        let text = std::str::from_utf8(bytes)
            .map_err(|error| Failure(format!("{}: not UTF-8 text: {error}", display(path))))?;
        let scene = Scene::from_toml(text, arguments.seed).map_err(about)?;
        start(arguments, scene, Some(path))
    }
}

/// The engine of a scene, from a file or not.
fn start(arguments: &Arguments, scene: Scene, file: Option<&Path>) -> Result<Source> {
    if let Some(picture) = &arguments.svg {
        picture::check(picture, scene.particles.len())?;
    }
    let (name, until) = (scene.name.clone(), scene.until);
    let about = |error: carom::Error| match file {
        Some(path) => Failure::about(path, &error),
        None => error.into(),
    };
    let engine = scene.into_engine().map_err(about)?;
    Ok(Source::Run(Box::new(Run { name, engine, until, from_file: file.is_some() })))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    cli::read(path).map_err(|error| {
        let hint = if error.kind() == std::io::ErrorKind::NotFound {
            "; it is no ready-made scene either: carom sim --list shows them"
        } else {
            ""
        };
        Failure(format!("{}: {error}{hint}", display(path)))
    })
}

/// By its name; on standard input, which has none, by not being anything else.
fn is_scene_file(path: &Path, bytes: &[u8]) -> bool {
    if is_stream(path) {
        return !bytes.starts_with(b"CAROM") && !bytes.trim_ascii_start().starts_with(b"{");
    }
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Gas,
    ReadyMade,
    SceneFile,
    SavedRun,
    World,
}

/// Refuses options that do not go with what is run.
fn refuse(arguments: &Arguments, kind: Kind) -> Result<()> {
    let is_world = kind == Kind::World;
    for (option, given) in [
        ("--dt", arguments.dt.is_some()),
        ("--final-format", arguments.final_format.is_some()),
        ("--ignore-collisions", arguments.ignore_collisions),
    ] {
        if given && !is_world {
            return Err(Failure(format!(
                "{option} is for worlds, which are stepped in time; this runs from collision to collision"
            )));
        }
    }
    for (option, given) in
        [("--collisions", arguments.collisions.is_some()), ("--svg", arguments.svg.is_some())]
    {
        if given && is_world {
            return Err(Failure(format!(
                "{option} is for scenes, which run from collision to collision; this is a world"
            )));
        }
    }
    if let Some(option) = arguments.gas.first_given().filter(|_| kind != Kind::Gas) {
        return Err(Failure(format!("{option} is for the scene gas: carom sim gas {option} ...")));
    }
    if arguments.seed.is_some() && !matches!(kind, Kind::Gas | Kind::SceneFile) {
        return Err(Failure("--seed is for gas and scene files: nothing is random here".into()));
    }
    Ok(())
}
