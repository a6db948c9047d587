//! What SCENE is: builds its simulation. Nothing else in the tool depends on the kind of simulation that runs.

use std::path::Path;

use carom::events::scenes::{GAS, SCENES, Scene};
use carom::events::{AnyEngine, is_saved_run};
use carom::rigid2d::{is_saved_space, scenes as rigid_scenes};
use carom::simulation::{Rigid, RigidBatch, Simulation, Stepped};
use carom::{Context, Error, World, input};

use super::Arguments;
use super::rigid::{Start, check_steps};
use crate::cli::{self, Failure, Result, advice, display, is_stream};

/// A simulation that is ready to run.
pub(in crate::cli) struct Source {
    pub(in crate::cli) name: String,
    /// One line that describes it; empty if there is none.
    pub(in crate::cli) description: String,
    pub(in crate::cli) subject: Subject,
    /// Time at which to stop, in seconds; infinite if only collisions end the run.
    pub(in crate::cli) until: f64,
    /// Whether it comes from a file: then there is a directory for results even if none is given.
    pub(in crate::cli) from_file: bool,
    /// Options of its own that are needed again to go on from its last state.
    pub(in crate::cli) options: String,
}

/// What is simulated.
pub(in crate::cli) enum Subject {
    Balls(AnyEngine),
    World(Stepped),
    Bodies(Rigid),
    Spaces(RigidBatch),
}

impl Subject {
    pub(in crate::cli) fn simulation(&mut self) -> &mut dyn Simulation {
        match self {
            Self::Balls(engine) => engine,
            Self::World(stepped) => stepped,
            Self::Bodies(rigid) => rigid,
            Self::Spaces(batch) => batch,
        }
    }

    /// Whether it is one of rigid bodies.
    pub(super) fn is_rigid(&self) -> bool {
        matches!(self, Self::Bodies(_) | Self::Spaces(_))
    }
}

/// The time that a world or a saved run goes on, in seconds, unless --until says otherwise.
const DEFAULT_DURATION: f64 = 1.0;

/// Steps to the end of a world that has none.
pub(in crate::cli) const FARTHEST: f64 = 1e12;

/// The three balls of the PBPhys document, with their collisions.
const BUILT_IN: &[u8] = include_bytes!("../../../examples/worlds/three_balls.json");

impl Source {
    pub(in crate::cli) fn open(arguments: &Arguments) -> Result<Self> {
        let Some(path) = arguments.start.scene.as_deref() else {
            refuse(arguments, Kind::World)?;
            let world = carom::io::from_bytes(BUILT_IN)?;
            return Self::of_world(arguments, world, "built-in world".into(), false);
        };
        if let Some(ready) = SCENES.iter().find(|scene| path.as_os_str() == scene.name) {
            let kind = if ready.name == GAS.name { Kind::Gas } else { Kind::ReadyMade };
            refuse(arguments, kind)?;
            let scene = match kind {
                Kind::Gas => arguments.start.gas.scene(arguments.start.seed)?,
                _ => ready.scene(),
            };
            return Self::of_scene(arguments, scene, None);
        }
        if let Some(ready) = rigid_scenes::SCENES.iter().find(|scene| path.as_os_str() == scene.name) {
            return Self::of_bodies(arguments, Start::ReadyMade(ready), path);
        }
        Self::of_bytes(arguments, path, &read(path)?)
    }

    /// What the bytes of the file `path` are.
    pub(in crate::cli) fn of_bytes(arguments: &Arguments, path: &Path, bytes: &[u8]) -> Result<Self> {
        let about = |error: Error| Failure::about(path, &error);
        if is_saved_run(bytes) {
            refuse(arguments, Kind::SavedRun)?;
            let engine = AnyEngine::from_bytes(bytes).map_err(about)?;
            let suggested = engine.time() + DEFAULT_DURATION;
            return Self::of_engine(arguments, engine, suggested, [display(path), String::new()], true);
        }
        if is_saved_space(bytes) {
            return Self::of_bodies(arguments, Start::Saved(bytes.to_vec()), path);
        }
        if !is_scene_file(path, bytes) {
            refuse(arguments, Kind::World)?;
            let world = carom::io::from_bytes(bytes).map_err(about)?;
            return Self::of_world(arguments, world, display(path), true);
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| Failure(format!("{}: not UTF-8 text: {error}", display(path))))?;
        if rigid_scenes::is_rigid(text) {
            return Self::of_bodies(arguments, Start::File(text.into()), path);
        }
        if let Some(failure) = advice::instead_of_scene(path, text) {
            return Err(failure);
        }
        refuse(arguments, Kind::SceneFile)?;
        let scene = Scene::from_toml(text, arguments.start.seed).map_err(about)?;
        Self::of_scene(arguments, scene, Some((path, text)))
    }

    fn of_scene(arguments: &Arguments, scene: Scene, file: Option<(&Path, &str)>) -> Result<Self> {
        let (words, suggested) = ([scene.name.clone(), scene.description.clone()], scene.until);
        let about = |error: Error| match file {
            Some((path, text)) => advice::about_scene(path, text, &error),
            None => error.into(),
        };
        let engine = scene.into_engine().map_err(about)?;
        Self::of_engine(arguments, engine, suggested, words, file.is_some())
    }

    fn of_engine(
        arguments: &Arguments,
        engine: AnyEngine,
        suggested: f64,
        [name, description]: [String; 2],
        from_file: bool,
    ) -> Result<Self> {
        let suggested = if arguments.collisions.is_some() { f64::INFINITY } else { suggested };
        let until = end(arguments, engine.time(), suggested)?;
        let (subject, options) = (Subject::Balls(engine), String::new());
        Ok(Self { name, description, subject, until, from_file, options })
    }

    fn of_world(arguments: &Arguments, mut world: World, name: String, from_file: bool) -> Result<Self> {
        let until = end(arguments, world.time(), world.time() + DEFAULT_DURATION)?;
        let dt = arguments.start.dt.unwrap_or(world.settings().dt);
        if dt == 0.0 {
            return Err(Failure("the dt of the world is 0: choose one with --dt, in seconds".into()));
        }
        world.set_context(Context::with_threads(arguments.start.threads)?);
        if let Some(name) = arguments.start.integrator {
            world.set_settings(world.settings().with_integrator(name.into()))?;
        }
        let flag = if arguments.start.ignore_collisions { " --ignore-collisions" } else { "" };
        let end = if arguments.start.endless { world.time() + FARTHEST * dt } else { until };
        let stepped = Stepped::new(world, dt, end)?
            .ignoring_collisions(arguments.start.ignore_collisions)
            .saved_as(arguments.final_format());
        let (subject, options) = (Subject::World(stepped), format!(" --dt {dt}{flag}"));
        Ok(Self { name, description: String::new(), subject, until, from_file, options })
    }

    /// Rigid bodies.
    fn of_bodies(arguments: &Arguments, start: Start, path: &Path) -> Result<Self> {
        refuse_for_bodies(arguments, &start)?;
        let is_named = matches!(start, Start::ReadyMade(_));
        let mut started =
            arguments.start.rigid.start(arguments, start, |error| Failure::about(path, error))?;
        let now = started.subject.simulation().time();
        let until = end(arguments, now, started.until.unwrap_or(now + DEFAULT_DURATION))?;
        check_steps(now, until, started.dt)?;
        Ok(Self {
            name: started.name.unwrap_or_else(|| display(path)),
            description: started.description,
            subject: started.subject,
            until,
            // Many spaces have no results but the summary.
            from_file: !is_named && arguments.start.rigid.spaces.is_none(),
            options: format!(" --dt {}", started.dt),
        })
    }
}

/// Time at which a run from `start` ends, in seconds: that of --until, or else the suggested one.
fn end(arguments: &Arguments, start: f64, suggested: f64) -> Result<f64> {
    let until = arguments.start.until.unwrap_or(suggested);
    if until < start {
        return Err(Failure(format!("--until {until}: the simulation is already at t = {start} s")));
    }
    Ok(until)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    // A scene file is text of any start; the others are sealed or JSON.
    let judge = if may_be_scene_file(path) { input::sealed_or_text } else { input::sealed_or_json };
    cli::read(path, judge).map_err(|error| match &error {
        Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            Failure(format!("{error}{}", advice::missing_scene(path)))
        }
        _ => Failure::about(path, &error),
    })
}

/// By the extension; standard input is a scene file unless it is anything else.
fn is_scene_file(path: &Path, bytes: &[u8]) -> bool {
    if is_stream(path) {
        return !bytes.starts_with(b"CAROM") && !bytes.trim_ascii_start().starts_with(b"{");
    }
    may_be_scene_file(path)
}

/// Whether the name of a file allows for a scene file.
fn may_be_scene_file(path: &Path) -> bool {
    is_stream(path) || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
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
    for (option, given, others) in [
        ("--dt", arguments.start.dt.is_some(), " and rigid bodies"),
        ("--final-format", arguments.final_format.is_some(), " and rigid bodies"),
        ("--integrator", arguments.start.integrator.is_some(), ""),
        ("--ignore-collisions", arguments.start.ignore_collisions, ""),
    ] {
        if given && !is_world {
            return Err(Failure(format!(
                "{option} is for worlds{others}, which advance in time steps; this runs from collision to collision"
            )));
        }
    }
    if let Some(option) = arguments.start.rigid.first_given() {
        return Err(Failure(format!(
            "{option} is for scenes of rigid bodies, such as pyramid; to see them: carom sim --list"
        )));
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
    if let Some(option) = arguments.start.gas.first_given().filter(|_| kind != Kind::Gas) {
        return Err(Failure(format!("{option} is for the scene gas; to see what it has: carom sim --help")));
    }
    if arguments.start.seed.is_some() && !matches!(kind, Kind::Gas | Kind::SceneFile) {
        return Err(Failure("--seed is for gas and scene files: nothing is random here".into()));
    }
    Ok(())
}

/// Refuses options that do not apply to rigid bodies.
fn refuse_for_bodies(arguments: &Arguments, start: &Start) -> Result<()> {
    let refuse = |message: String| Err(Failure(message));
    if arguments.collisions.is_some() {
        return refuse(
            "--collisions is for balls and walls; rigid bodies advance in time steps: use --until".into(),
        );
    }
    if arguments.start.integrator.is_some() {
        return refuse("--integrator is for worlds: rigid bodies have --solver".into());
    }
    if arguments.start.ignore_collisions {
        return refuse("--ignore-collisions is for worlds: these are rigid bodies".into());
    }
    if let Some(option) = arguments.start.gas.first_given() {
        return refuse(format!("{option} is for the scene gas; to see what it has: carom sim --help"));
    }
    if let Some(option) =
        arguments.start.rigid.first_parameter().filter(|_| !matches!(start, Start::ReadyMade(_)))
    {
        return refuse(format!("{option} is for ready-made scenes: change the scene file instead"));
    }
    if matches!(start, Start::Saved(_)) {
        if arguments.start.seed.is_some() {
            return refuse("--seed is for scenes: nothing is random in a saved space".into());
        }
        if arguments.start.rigid.has_precision() {
            return refuse("--precision is chosen when a run starts: a saved space keeps its own".into());
        }
    }
    let results = [
        ("--out", arguments.out.is_some()),
        ("--svg", arguments.svg.is_some()),
        ("--every", arguments.every.is_some()),
        ("--final-format", arguments.final_format.is_some()),
    ];
    match results.into_iter().find(|(_, given)| *given && arguments.start.rigid.spaces.is_some()) {
        Some((option, _)) => {
            refuse(format!("{option} is for one space: --spaces prints the summary of many and no more"))
        }
        None => Ok(()),
    }
}
