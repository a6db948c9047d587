//! Monte Carlo studies: creation, running, results.

use std::ffi::{c_char, c_void};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::failure::Result;
use super::files::Bytes;
use super::guard::enter;
use super::handle::{Guarded, Handle, create, destroy, query};
use super::memory::Caller;
use super::options::Options;
use super::status::carom_status;
use super::world::known;
use crate::error::Error;
use crate::soa::memory;
use crate::study::{self, End, Estimate, Precision, Progress, RunOptions, State, Study, Summary, Target};

/// A Monte Carlo study: what is sampled, run and measured, and its results so far.
///
/// A replica is a function of the seed, the number of its point and its own number: the results are bit-identical
/// for any number of threads, and however a study is divided into runs.
pub struct carom_study(Arc<Guarded<Case>>);

/// Bytes that a parsed text, and the models of its points, may take per byte of the text.
pub(super) const ROOM_PER_BYTE: usize = 1024;

/// A study and its results.
pub(super) struct Case {
    study: Study,
    state: State,
    summary: Summary,
}

impl Case {
    fn new(study: Study) -> Self {
        let state = State::new(&study);
        Self { summary: state.summary(&study), state, study }
    }

    /// Applies the caller's options. Another seed starts over.
    fn apply(&mut self, options: &carom_study_options, target: Option<Target>) {
        let study = &mut self.study;
        if options.replicas > 0 {
            study.replicas = options.replicas;
        }
        if let Some(target) = target {
            study.precision.get_or_insert_with(|| Precision::new(target)).target = target;
        }
        if let Some(precision) = study.precision.as_mut().filter(|_| options.replicas > 0) {
            precision.most = options.replicas;
            precision.least = precision.least.min(options.replicas);
        }
        if options.has_seed != 0 && study.seed != options.seed {
            study.seed = options.seed;
            self.state = State::new(study);
        }
    }

    fn run(
        &mut self,
        threads: usize,
        observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<carom_study_end> {
        let options = RunOptions { threads, resume: Some(self.state.clone()), ..RunOptions::default() };
        let outcome = study::run(&self.study, &options, observer)?;
        self.summary = outcome.state.summary(&self.study);
        self.state = outcome.state;
        match outcome.end {
            End::Complete => Ok(CAROM_STUDY_COMPLETE),
            End::Cancelled => Ok(CAROM_STUDY_CANCELLED),
            End::Failed(error) => Err(error.into()),
        }
    }

    fn estimate(&self, point: usize, name: &str) -> Result<&Estimate> {
        let observables = &self.summary.observables;
        let index = observables.iter().position(|observable| observable.name == name).ok_or_else(|| {
            let known: Vec<&str> = observables.iter().map(|observable| observable.name.as_str()).collect();
            Error::UnknownName { argument: "observable", name: name.to_owned(), known: known.join(", ") }
        })?;
        let points = &self.summary.points;
        let bad = Error::BadIndex { field: "point", index: point, len: points.len() };
        Ok(&points.get(point).ok_or(bad)?.estimates[index])
    }
}

impl Handle for carom_study {
    type Object = Case;
    const NAME: &'static str = "study";

    fn read<R>(&self, look: impl FnOnce(&Case) -> Result<R>) -> Result<R> {
        self.0.read(look)
    }

    /// The study exists until the end of the run even if a callback destroys the handle.
    fn write<R>(&self, change: impl FnOnce(&mut Case) -> Result<R>) -> Result<R> {
        Arc::clone(&self.0).write(change)
    }
}

/// How a run of a study ended: CAROM_STUDY_COMPLETE or CAROM_STUDY_CANCELLED.
pub type carom_study_end = u32;

/// All requested replicas have been run.
pub const CAROM_STUDY_COMPLETE: carom_study_end = 0;
/// The callback ended the run. Another run continues from there.
pub const CAROM_STUDY_CANCELLED: carom_study_end = 1;

/// How a study is run. Fill it with carom_study_options_init(), then change what differs.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_study_options {
    /// Size of the struct in the caller's program, set by carom_study_options_init().
    pub struct_size: u32,
    /// Threads that run replicas: 0 = one per core, at most 1024. Default 0. They end with the run.
    pub threads: u32,
    /// Replicas of each point instead of those of the study file; with a precision their maximum. 0, the default:
    /// those of the file.
    pub replicas: u64,
    /// Seed of the random numbers, if `has_seed` is 1.
    pub seed: u64,
    /// 1: `seed` replaces the seed of the study file. Default 0.
    pub has_seed: u32,
    /// Must be 0.
    pub reserved: u32,
    /// A point is done when half the width of each interval is at most this share of its value. 0, the default: as the
    /// study file says.
    pub relative: f64,
    /// The same with the half width itself, in the unit of the observable. At most one of the two may be set.
    pub absolute: f64,
}

// SAFETY: `repr(C)`, no padding, integers and floats only.
unsafe impl Options for carom_study_options {
    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            threads: 0,
            replicas: 0,
            seed: 0,
            has_seed: 0,
            reserved: 0,
            relative: 0.0,
            absolute: 0.0,
        }
    }
}

impl carom_study_options {
    fn check(&self) -> Result<()> {
        known("reserved", self.reserved, &[()])?;
        known("has_seed", self.has_seed, &[(), ()])?;
        let out_of_range = |field, value, expected| Err(Error::OutOfRange { field, value, expected }.into());
        match (self.threads, self.replicas) {
            (1025.., _) => out_of_range("threads", f64::from(self.threads), "at most 1024"),
            (_, replicas) if replicas > study::MOST_REPLICAS => {
                out_of_range("replicas", replicas as f64, "at most 2 to the power of 50")
            }
            _ => Ok(()),
        }
    }

    /// The requested precision, if any.
    fn target(&self) -> Result<Option<Target>, Error> {
        for (field, value) in [("relative", self.relative), ("absolute", self.absolute)] {
            if !value.is_finite() {
                return Err(Error::NotFinite { field, index: 0, value });
            }
            if value < 0.0 {
                return Err(Error::Negative { field, index: 0, value });
            }
        }
        match (self.relative > 0.0, self.absolute > 0.0) {
            (false, false) => Ok(None),
            (true, false) => Ok(Some(Target::Relative(self.relative))),
            (false, true) => Ok(Some(Target::Absolute(self.absolute))),
            (true, true) => Err(Error::OutOfRange {
                field: "absolute",
                value: self.absolute,
                expected: "0 with a relative precision",
            }),
        }
    }
}

/// Progress of a run of a study.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_study_progress {
    /// Replicas run so far, over all points and runs.
    pub replicas: u64,
    /// Replicas planned in all; with a precision, at the end of this round.
    pub planned: u64,
    /// Replicas that failed.
    pub failed: u64,
    /// Number of the round, from 1: a precision may take several.
    pub round: u64,
    /// Duration of this run so far, in seconds.
    pub seconds: f64,
}

impl From<&Progress> for carom_study_progress {
    fn from(progress: &Progress) -> Self {
        Self {
            replicas: progress.replicas,
            planned: progress.planned,
            failed: progress.failed,
            round: progress.round,
            seconds: progress.seconds,
        }
    }
}

/// Called with the progress of a run about ten times per second, on the thread that called the run. A result other than
/// 0 ends the run soon.
///
/// The progress is valid only during the callback. Calls for the study return CAROM_BUSY, and it is destroyed only
/// after the run. The callback must return: no exception, no longjmp.
pub type carom_study_callback =
    Option<unsafe extern "C" fn(progress: *const carom_study_progress, user: *mut c_void) -> i32>;

/// Estimate of one observable at one point. Fill it with carom_estimate_init() first.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_estimate {
    /// Size of the struct in the caller's program, set by carom_estimate_init().
    pub struct_size: u32,
    /// 1 if there is an estimate; 0 if there is too little data, and then value, low and high are NaN.
    pub found: u32,
    /// Probability of an event, or mean of a quantity in its unit.
    pub value: f64,
    /// Lower end of the confidence interval.
    pub low: f64,
    /// Upper end of the confidence interval. Without any hit it is an upper bound on the probability.
    pub high: f64,
    /// Number of replicas in which it has a value.
    pub samples: u64,
    /// Number of replicas in which the event happened. 0 for quantities.
    pub hits: u64,
    /// Standard deviation of a quantity among the replicas; NaN for probabilities, and with fewer than two samples.
    pub deviation: f64,
    /// Reference value without sampling, such as an analytic probability; NaN if there is none.
    pub reference: f64,
}

// SAFETY: `repr(C)`, no padding, integers and floats only.
unsafe impl Options for carom_estimate {
    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            found: 0,
            value: f64::NAN,
            low: f64::NAN,
            high: f64::NAN,
            samples: 0,
            hits: 0,
            deviation: f64::NAN,
            reference: f64::NAN,
        }
    }
}

impl From<&Estimate> for carom_estimate {
    fn from(estimate: &Estimate) -> Self {
        let or_nan = |value: Option<f64>| value.unwrap_or(f64::NAN);
        Self {
            found: u32::from(estimate.value.is_some()),
            value: or_nan(estimate.value),
            low: or_nan(estimate.low),
            high: or_nan(estimate.high),
            samples: estimate.samples,
            hits: estimate.hits.unwrap_or(0),
            deviation: or_nan(estimate.spread.as_ref().and_then(|spread| spread.deviation)),
            reference: or_nan(estimate.reference.as_ref().map(|reference| reference.value)),
            ..Self::defaults()
        }
    }
}

/// Creates a study from a study file. Nothing is run yet.
///
/// \param text      The study, UTF-8: the content of a study file. The folder examples/studies has commented ones.
/// \param directory Directory of the files that the study names; NULL: the current directory.
/// \param study     Receives the study. Destroy it with carom_study_destroy().
/// \return CAROM_OK, CAROM_SYNTAX (carom_last_error() names line, column and field), CAROM_BAD_STRING, CAROM_IO.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_study_from_toml(
    text: *const c_char,
    directory: *const c_char,
    study: *mut *mut carom_study,
) -> carom_status {
    entry!(create(("study", study), |caller| {
        let text = caller.string("text", text)?;
        memory::expect_room(text.len().saturating_mul(ROOM_PER_BYTE))?;
        let directory = match directory.is_null() {
            true => None,
            false => Some(Path::new(caller.string("directory", directory)?)),
        };
        let case = Case::new(Study::from_toml(text, directory)?);
        Ok(carom_study(Arc::new(Guarded::new(carom_study::NAME, case))))
    }))
}

/// Destroys a study; NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_study_destroy(study: *mut carom_study) {
    entry!(destroy(study));
}

/// Fills options with the defaults: as the study file says, on all cores.
///
/// \param options The struct to fill.
/// \param size    `sizeof(carom_study_options)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_study_options_init(
    options: *mut carom_study_options,
    size: usize,
) -> carom_status {
    entry!(enter(|caller| caller.init_options("options", options, size)))
}

/// Runs a study until it is complete or the callback ends it.
///
/// A study that has been run before continues: after a callback ended it, or to more replicas. Another seed starts
/// over. Changes by the options persist.
///
/// \param options  Threads, replicas, seed, precision; NULL: the defaults.
/// \param callback Called with the progress. Returns 0 to continue. May be NULL.
/// \param user     Passed to the callback unchanged.
/// \param end      Receives how the run ended. May be NULL.
/// \return CAROM_OK; CAROM_OUT_OF_RANGE, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_UNKNOWN_VALUE for bad options: then
///         nothing has changed; CAROM_TOO_MANY_FAILURES if more replicas fail than the study file allows: the results
///         so far can be read; CAROM_IO if the threads cannot be started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_study_run(
    study: *mut carom_study,
    options: *const carom_study_options,
    callback: carom_study_callback,
    user: *mut c_void,
    end: *mut carom_study_end,
) -> carom_status {
    entry!(enter(|caller| {
        let out = caller.optional_out("end", end)?;
        let options = caller.study_options(options)?;
        options.check()?;
        let target = options.target()?;
        let threads = options.threads as usize;
        let end = caller.object("study", study)?.write(|case| {
            memory::expect_room(0)?;
            case.apply(&options, target);
            case.run(threads, &mut |progress| observe(callback, progress, user))
        })?;
        out.set(end);
        Ok(())
    }))
}

impl Caller {
    fn study_options(&self, options: *const carom_study_options) -> Result<carom_study_options> {
        match options.is_null() {
            true => Ok(carom_study_options::defaults()),
            false => self.read_options("options", options),
        }
    }
}

fn observe(callback: carom_study_callback, progress: &Progress, user: *mut c_void) -> ControlFlow<()> {
    let Some(callback) = callback else { return ControlFlow::Continue(()) };
    let progress = carom_study_progress::from(progress);
    // SAFETY: by the rule for pointers the callback is a function of this type.
    let answer = unsafe { callback(&raw const progress, user) };
    if answer == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// How many points the sweep of a study has; 1 without a sweep.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_study_point_count(
    study: *const carom_study,
    count: *mut usize,
) -> carom_status {
    entry!(query(study, ("count", count), |_, case| Ok(case.study.point_count())))
}

/// How many parameters a study sweeps: 0, 1 or 2.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_study_axis_count(
    study: *const carom_study,
    count: *mut usize,
) -> carom_status {
    entry!(query(study, ("count", count), |_, case| Ok(case.study.axes.len())))
}

/// The value of a swept parameter at a point. The last axis varies fastest.
///
/// \param point Which point, counted from 0.
/// \param axis  Which parameter, in the order of the study file, counted from 0.
/// \param value Receives the value, in the unit of the study file.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_study_parameter(
    study: *const carom_study,
    point: usize,
    axis: usize,
    value: *mut f64,
) -> carom_status {
    entry!(query(study, ("value", value), |_, case| {
        let parameters = case.study.parameters(point)?;
        let bad = Error::BadIndex { field: "axis", index: axis, len: parameters.len() };
        Ok(*parameters.get(axis).ok_or(bad)?)
    }))
}

/// Prepares a struct for carom_study_estimate().
///
/// \param estimate The struct to fill.
/// \param size     `sizeof(carom_estimate)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_estimate_init(estimate: *mut carom_estimate, size: usize) -> carom_status {
    entry!(enter(|caller| caller.init_options("estimate", estimate, size)))
}

/// The estimate of one observable at one point, so far.
///
/// \param point      Which point, counted from 0.
/// \param observable Name of the observable, UTF-8.
/// \param estimate   Receives the estimate, or none. Its struct_size must be set: call
///                   carom_estimate_init() first.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_UNKNOWN_NAME (carom_last_error() lists the observables), CAROM_BAD_STRING,
///         CAROM_UNKNOWN_VALUE for an impossible struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_study_estimate(
    study: *const carom_study,
    point: usize,
    observable: *const c_char,
    estimate: *mut carom_estimate,
) -> carom_status {
    entry!(enter(|caller| {
        let name = caller.string("observable", observable)?;
        let found = caller.object("study", study)?.read(|case| case.estimate(point, name).map(Into::into))?;
        caller.write_options("estimate", estimate, found)
    }))
}

/// All results of a study so far, as JSON: the content of the summary.json of `carom run`.
///
/// \param buffer   Where the text goes, as UTF-8 with a final NUL. May be NULL if `capacity` is 0.
/// \param capacity Size of `buffer` in bytes; 0 only returns the number needed.
/// \param needed   Receives the size in bytes of the text with its NUL, also with CAROM_BUFFER_TOO_SMALL.
/// \return CAROM_OK, or CAROM_BUFFER_TOO_SMALL: then nothing has been written to `buffer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_study_summary_json(
    study: *const carom_study,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> carom_status {
    entry!(enter(|caller| {
        caller.give_bytes((buffer.cast(), capacity), needed, |bytes| {
            caller.object("study", study)?.read(|case| write_json(&case.summary, bytes))
        })
    }))
}

fn write_json(summary: &Summary, bytes: &mut Bytes) -> Result<()> {
    serde_json::to_writer_pretty(&mut *bytes, summary).map_err(|error| Error::io("output", error))?;
    Ok(bytes.write_all(&[0]).map_err(|error| Error::io("output", error))?)
}
