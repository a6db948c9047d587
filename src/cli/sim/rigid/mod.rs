//! Scenes of rigid bodies: their options, tables and pictures.

mod outline;
mod picture;
mod tables;

pub(super) use self::picture::{BodyPicture, most_states};
pub(super) use self::tables::BodyTables;

use carom::rigid2d::scenes::{Parameters, ReadyMade, Scene};
use carom::rigid2d::{Precision, Solver, Space, SpaceFormat, SpaceSettings};
use carom::simulation::{Prototype, Rigid, RigidBatch};
use carom::{Context, Error};
use clap::ValueEnum;

use super::Arguments;
use super::source::Subject;
use crate::cli::{Failure, FormatName, Result, count, number};

/// Step of a saved space that has taken none, in seconds.
const USUAL_STEP: f64 = 1.0 / 60.0;
/// The most steps of a run: beyond it their number is not exact.
const MOST_STEPS: f64 = 1e15;

/// Options of scenes of rigid bodies.
#[derive(Default, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Options of rigid bodies")]
pub(super) struct RigidOptions {
    /// Rows of a stack, a pyramid, a card-house or a galton board
    #[arg(long, value_name = "N", value_parser = count)]
    rows: Option<u64>,
    /// Number of bodies of a bin, a tumbler, a cradle, dominoes or a galton board
    #[arg(long, value_name = "N", value_parser = count)]
    bodies: Option<u64>,
    /// Angle of the incline, in degrees [default: 30]
    #[arg(long, value_name = "A", value_parser = number, allow_negative_numbers = true)]
    angle: Option<f64>,
    /// Coefficient of friction on the incline [default: 0.3]
    #[arg(long, value_name = "F", value_parser = number, allow_negative_numbers = true)]
    friction: Option<f64>,
    /// Simulate this many spaces at once and print the summary of all
    ///
    /// Space k is the one that --seed plus k makes alone, to the bit. Sums are over all spaces.
    #[arg(long, value_name = "N", value_parser = count)]
    pub(super) spaces: Option<u64>,
    /// Substeps of a step of the soft solver, at most 1000 [default: 4, or what the scene says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    substeps: Option<u32>,
    /// How impulses are found [default: soft, or what the scene says]
    #[arg(long, value_enum, value_name = "SOLVER")]
    solver: Option<SolverName>,
    /// In which numbers contacts are computed [default: f64, or what the scene says]
    #[arg(long, value_enum, value_name = "PRECISION")]
    precision: Option<PrecisionName>,
}

/// A solver by the name that scene files use.
#[derive(Clone, Copy, ValueEnum)]
enum SolverName {
    /// soft contacts with substeps
    Soft,
    /// sequential impulses with iterations
    Sequential,
}

/// A precision by the name that scene files use.
#[derive(Clone, Copy, ValueEnum)]
enum PrecisionName {
    /// everything in double precision
    F64,
    /// positions and velocities in double precision, contacts in single
    Mixed,
}

/// What a space is made from, once or many times.
pub(super) enum Start {
    ReadyMade(&'static ReadyMade),
    /// The text of a scene file.
    File(String),
    /// The bytes of a saved space.
    Saved(Vec<u8>),
}

/// A simulation of rigid bodies that is ready to run.
pub(super) struct Started {
    pub(super) name: Option<String>,
    pub(super) description: String,
    pub(super) subject: Subject,
    /// Where the scene suggests to stop, in seconds; a saved space does not.
    pub(super) until: Option<f64>,
    /// In seconds.
    pub(super) dt: f64,
}

impl RigidOptions {
    /// The first option that was given, with its dashes.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let others = [
            ("--spaces", self.spaces.is_some()),
            ("--substeps", self.substeps.is_some()),
            ("--solver", self.solver.is_some()),
            ("--precision", self.precision.is_some()),
        ];
        let given = || others.into_iter().find_map(|(option, given)| given.then_some(option));
        self.first_parameter().or_else(given)
    }

    /// The first parameter of a ready-made scene that was given.
    pub(super) fn first_parameter(&self) -> Option<&'static str> {
        [
            ("--rows", self.rows.is_some()),
            ("--bodies", self.bodies.is_some()),
            ("--angle", self.angle.is_some()),
            ("--friction", self.friction.is_some()),
        ]
        .into_iter()
        .find_map(|(option, given)| given.then_some(option))
    }

    pub(super) fn has_precision(&self) -> bool {
        self.precision.is_some()
    }

    fn parameters(&self, seed: Option<u64>) -> Parameters {
        let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        let mut parameters = Parameters::default().with_seed(seed);
        parameters.rows = self.rows.map(number);
        parameters.bodies = self.bodies.map(number);
        parameters.angle = self.angle.map(f64::to_radians);
        parameters.friction = self.friction;
        parameters
    }

    /// The settings with what the options say.
    fn settings(&self, mut settings: SpaceSettings) -> SpaceSettings {
        if let Some(substeps) = self.substeps {
            settings.substeps = substeps;
        }
        match self.solver {
            Some(SolverName::Soft) => settings.solver = Solver::Soft,
            Some(SolverName::Sequential) => settings.solver = Solver::Sequential,
            None => {}
        }
        match self.precision {
            Some(PrecisionName::F64) => settings.precision = Precision::Double,
            Some(PrecisionName::Mixed) => settings.precision = Precision::Mixed,
            None => {}
        }
        settings
    }

    /// The scene; none if it is a saved space.
    fn scene(&self, start: &Start, seed: Option<u64>) -> carom::Result<Option<Scene>> {
        let mut scene = match start {
            Start::ReadyMade(ready) => ready.scene(&self.parameters(seed))?,
            Start::File(text) => Scene::from_toml(text, seed)?,
            Start::Saved(_) => return Ok(None),
        };
        scene.settings = self.settings(scene.settings);
        Ok(Some(scene))
    }

    /// The space of a scene, or the saved one.
    fn space(&self, start: &Start, scene: Option<&Scene>) -> carom::Result<Space> {
        match (scene, start) {
            (None, Start::Saved(bytes)) => {
                let mut space = Space::from_bytes(bytes)?;
                let settings = self.settings(*space.settings());
                space.set_settings(&settings)?;
                Ok(space)
            }
            (Some(scene), _) => scene.space(),
            (None, _) => Space::new(&SpaceSettings::default()),
        }
    }

    /// Makes what is simulated. `about` says which file an error is about.
    pub(super) fn start(
        self,
        arguments: &Arguments,
        start: Start,
        about: impl Fn(&Error) -> Failure,
    ) -> Result<Started> {
        let ready = if let Start::ReadyMade(ready) = start { Some(ready) } else { None };
        let failed =
            |error: Error| ready.map_or_else(|| about(&error), |ready| about_parameter(ready, &error));
        let scene = self.scene(&start, arguments.start.seed).map_err(failed)?;
        let space = self.space(&start, scene.as_ref()).map_err(failed)?;
        let last = Some(space.current_time_step()).filter(|dt| *dt > 0.0);
        let own = scene.as_ref().map(|scene| scene.dt).or(last);
        let dt = arguments.start.dt.or(own).unwrap_or(USUAL_STEP);
        let is_random = ready.map_or(scene.is_some(), |ready| ready.is_random);
        let seed = arguments.start.seed.or(scene.as_ref().map(|scene| scene.seed).filter(|_| is_random));
        let description = scene.as_ref().map_or(String::new(), |scene| scene.description.clone());
        let (name, until) = scene.map(|scene| (scene.name, scene.until)).unzip();
        let subject = match self.spaces {
            None => Subject::Bodies(Rigid::new(space, dt)?.saved_as(format(arguments.final_format)?)),
            Some(spaces) => {
                let context = Context::with_threads(arguments.start.threads)?;
                let batch = self.batch((start, space), seed, spaces, (dt, context));
                Subject::Spaces(batch.map_err(failed)?)
            }
        };
        Ok(Started { name, description, subject, until, dt })
    }

    /// Many spaces: with a seed, space k is that of this seed plus k.
    fn batch(
        self,
        (start, space): (Start, Space),
        seed: Option<u64>,
        spaces: u64,
        (dt, context): (f64, Context),
    ) -> carom::Result<RigidBatch> {
        let count = usize::try_from(spaces).ok().filter(|count| *count <= u32::MAX as usize);
        let expected = "at most 4,294,967,295";
        let count = count.ok_or(Error::OutOfRange { field: "spaces", value: spaces as f64, expected })?;
        let Some(seed) = seed else { return RigidBatch::copies(space, count, dt, context) };
        let prototype: Prototype = Box::new(move |k| {
            let scene = self.scene(&start, Some(seed.wrapping_add(k as u64)))?;
            self.space(&start, scene.as_ref())
        });
        RigidBatch::new(prototype, count, dt, context)
    }
}

/// The format of the last state.
fn format(name: Option<FormatName>) -> Result<SpaceFormat> {
    match name {
        None | Some(FormatName::Snapshot) => Ok(SpaceFormat::Snapshot),
        Some(FormatName::Json) => Ok(SpaceFormat::Json),
        Some(FormatName::JsonCompact | FormatName::Pbphys | FormatName::PbphysCompact) => {
            Err(Failure("--final-format: rigid bodies are saved as snapshot or as json".into()))
        }
    }
}

/// Fails if the way to the end has too many steps.
pub(super) fn check_steps(start: f64, until: f64, dt: f64) -> Result<()> {
    if (until - start) / dt <= MOST_STEPS {
        return Ok(());
    }
    Err(Failure(format!("--dt {dt}: too small for the way to {until} s")))
}

/// The error of a parameter of a ready-made scene, with the name of the option.
fn about_parameter(ready: &ReadyMade, error: &Error) -> Failure {
    match error {
        Error::OutOfRange { field, expected, .. } if expected.starts_with("left out") => {
            let options: Vec<String> = ready.parameters.iter().map(|name| format!("--{name}")).collect();
            let has = if options.is_empty() { "no such options".into() } else { options.join(" and ") };
            Failure(format!("--{field} is not for the scene {}, which has {has}", ready.name))
        }
        Error::OutOfRange { field, value, expected } => {
            let value = if *field == "angle" { value.to_degrees() } else { *value };
            Failure(format!("--{field} is {value}: it must be {expected}"))
        }
        Error::Negative { field, value, .. } => {
            Failure(format!("--{field} is {value}: it must not be negative"))
        }
        _ => Failure(error.to_string()),
    }
}
