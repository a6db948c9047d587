//! What SCENE is: builds its simulation. Nothing else in the tool depends on the kind of simulation that runs.

use std::path::Path;

use carom::events::scenes::{GAS, SCENES, Scene};
use carom::events::{AnyEngine, is_saved_run};
use carom::simulation::{Simulation, Stepped};
use carom::{Context, World};

use super::Arguments;
use crate::cli::{self, Failure, Result, display, is_stream};

/// A simulation that is ready to run.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) simulation: Box<dyn Simulation>,
    /// Time at which to stop, in seconds; infinite if only collisions end the run.
    pub(super) until: f64,
    /// Whether it comes from a file: then there is a directory for results even if none is given.
    pub(super) from_file: bool,
    /// Options of its own that are needed again to go on from its last state.
    pub(super) options: String,
}

/// The time that a world or a saved run goes on, in seconds, unless --until says otherwise.
const DEFAULT_DURATION: f64 = 1.0;

/// The three balls of the PBPhys document, with their collisions.
const BUILT_IN: &[u8] = include_bytes!("../../../examples/worlds/three_balls.json");

impl Source {
    pub(super) fn open(arguments: &Arguments) -> Result<Self> {
        let Some(path) = arguments.scene.as_deref() else {
            refuse(arguments, Kind::World)?;
            let world = carom::io::from_bytes(BUILT_IN)?;
            return Self::of_world(arguments, world, "built-in world".into(), false);
        };
        if let Some(ready) = SCENES.iter().find(|scene| path.as_os_str() == scene.name) {
            let kind = if ready.name == GAS.name { Kind::Gas } else { Kind::ReadyMade };
            refuse(arguments, kind)?;
            let scene = match kind {
                Kind::Gas => arguments.gas.scene(arguments.seed)?,
                _ => ready.scene(),
            };
            return Self::of_scene(arguments, scene, None);
        }
        Self::of_bytes(arguments, path, &read(path)?)
    }

    fn of_bytes(arguments: &Arguments, path: &Path, bytes: &[u8]) -> Result<Self> {
        let about = |error: carom::Error| Failure::about(path, &error);
        if is_saved_run(bytes) {
            refuse(arguments, Kind::SavedRun)?;
            let engine = AnyEngine::load(&mut &*bytes).map_err(about)?;
            let suggested = engine.time() + DEFAULT_DURATION;
            return Self::of_engine(arguments, engine, suggested, display(path), true);
        }
        if !is_scene_file(path, bytes) {
            refuse(arguments, Kind::World)?;
            let world = carom::io::from_bytes(bytes).map_err(about)?;
            return Self::of_world(arguments, world, display(path), true);
        }
        refuse(arguments, Kind::SceneFile)?;
        let text = std::str::from_utf8(bytes)
            .map_err(|error| Failure(format!("{}: not UTF-8 text: {error}", display(path))))?;
        let scene = Scene::from_toml(text, arguments.seed).map_err(about)?;
        Self::of_scene(arguments, scene, Some(path))
    }

    fn of_scene(arguments: &Arguments, scene: Scene, file: Option<&Path>) -> Result<Self> {
        let (name, suggested) = (scene.name.clone(), scene.until);
        let about = |error: carom::Error| match file {
            Some(path) => Failure::about(path, &error),
            None => error.into(),
        };
        let engine = scene.into_engine().map_err(about)?;
        Self::of_engine(arguments, engine, suggested, name, file.is_some())
    }

    fn of_engine(
        arguments: &Arguments,
        engine: AnyEngine,
        suggested: f64,
        name: String,
        from_file: bool,
    ) -> Result<Self> {
        let suggested = if arguments.collisions.is_some() { f64::INFINITY } else { suggested };
        let until = end(arguments, engine.time(), suggested)?;
        Ok(Self { name, simulation: Box::new(engine), until, from_file, options: String::new() })
    }

    fn of_world(arguments: &Arguments, mut world: World, name: String, from_file: bool) -> Result<Self> {
        let until = end(arguments, world.time(), world.time() + DEFAULT_DURATION)?;
        let dt = arguments.dt.unwrap_or(world.settings().dt);
        if dt == 0.0 {
            return Err(Failure("the dt of the world is 0: choose one with --dt, in seconds".into()));
        }
        world.set_context(Context::with_threads(arguments.threads)?);
        let flag = if arguments.ignore_collisions { " --ignore-collisions" } else { "" };
        let stepped = Stepped::new(world, dt, until)?
            .ignoring_collisions(arguments.ignore_collisions)
            .saved_as(arguments.final_format());
        let options = format!(" --dt {dt}{flag}");
        Ok(Self { name, simulation: Box::new(stepped), until, from_file, options })
    }
}

/// Time at which a run from `start` ends, in seconds: that of --until, or else the suggested one.
fn end(arguments: &Arguments, start: f64, suggested: f64) -> Result<f64> {
    let until = arguments.until.unwrap_or(suggested);
    if until < start {
        return Err(Failure(format!("--until {until}: the simulation is already at t = {start} s")));
    }
    Ok(until)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    cli::read(path).map_err(|error| {
        let hint = if error.kind() == std::io::ErrorKind::NotFound {
            "; nor is it a ready-made scene: carom sim --list shows them"
        } else {
            ""
        };
        Failure(format!("{}: {error}{hint}", display(path)))
    })
}

/// By the extension; standard input is a scene file unless it is anything else.
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

/// Refuses options that do not apply to this kind of simulation.
fn refuse(arguments: &Arguments, kind: Kind) -> Result<()> {
    let is_world = kind == Kind::World;
    for (option, given) in [
        ("--dt", arguments.dt.is_some()),
        ("--final-format", arguments.final_format.is_some()),
        ("--ignore-collisions", arguments.ignore_collisions),
    ] {
        if given && !is_world {
            return Err(Failure(format!(
                "{option} is for worlds, which advance in time steps; this runs from collision to collision"
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
