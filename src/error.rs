//! The one error type of carom, with a stable numeric code for every variant.

use std::any::Any;
use std::fmt;

/// Everything that can go wrong, in Rust and across the C ABI.
///
/// Each variant names the field and the index it is about, and has a [code](Error::code) that never changes its
/// meaning. A call that returns an error has changed nothing, unless its documentation says otherwise.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A number that must be finite is NaN or infinite.
    NotFinite {
        /// Name of the field.
        field: &'static str,
        /// Row of the value within the call or the store.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// A number that must not be negative is.
    Negative {
        /// Name of the field.
        field: &'static str,
        /// Row of the value within the call or the store.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// A number lies outside the range its field allows.
    OutOfRange {
        /// Name of the field.
        field: &'static str,
        /// The offending value.
        value: f64,
        /// What the field allows, in words.
        expected: &'static str,
    },
    /// A slice or list has the wrong number of entries.
    WrongLength {
        /// Name of the field.
        field: &'static str,
        /// Row of the list within the call, 0 if there is only one.
        index: usize,
        /// How many entries there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An index names no particle (or axis, or component).
    BadIndex {
        /// What is indexed.
        field: &'static str,
        /// The offending index.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// The two particles of a pair are one and the same.
    SamePair {
        /// The index given twice.
        index: usize,
    },
    /// The dimension is outside 1 to [`MAX_DIM`](crate::MAX_DIM), or two dimensions that must agree differ.
    BadDimension {
        /// The offending dimension.
        found: usize,
        /// What would be right, in words.
        expected: &'static str,
    },
    /// A fixed particle was given a velocity or an acceleration.
    Fixed {
        /// Name of the field.
        field: &'static str,
        /// Index of the particle.
        index: usize,
    },
    /// A column that carom derives was written to.
    ReadOnly {
        /// Name of the field.
        field: &'static str,
    },
    /// A result or an intermediate value would leave the range of `f64`.
    Overflow {
        /// Name of the field.
        field: &'static str,
        /// Row of the value within the call or the store, if it comes from one row alone.
        index: Option<usize>,
        /// The largest magnitude that would come out.
        magnitude: f64,
    },
    /// A step had more collisions than its bound allows and stopped early, in a valid state.
    TooManyCollisions {
        /// The bound that was hit.
        limit: u64,
        /// World time at which the step stopped, in seconds.
        time: f64,
    },
    /// Memory could not be had.
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: usize,
    },
    /// The operating system refused a read, a write or a thread.
    Io {
        /// The path, stream or resource.
        path: String,
        /// What the system said.
        message: String,
    },
    /// A file is none of the formats carom reads.
    UnknownFormat {
        /// What was found instead.
        detail: String,
    },
    /// A file ends too early.
    Truncated {
        /// The format that was being read.
        format: &'static str,
        /// Where the data ends, in bytes from the start.
        offset: usize,
    },
    /// A file contradicts itself: checksum, counts or values.
    Corrupt {
        /// The format that was being read.
        format: &'static str,
        /// What is wrong, and where.
        detail: String,
    },
    /// A file was written by a newer carom.
    NewerVersion {
        /// The format that was being read.
        format: &'static str,
        /// The version of the file.
        found: u32,
        /// The newest version this build reads.
        supported: u32,
    },
    /// A text file breaks the grammar of its format.
    Syntax {
        /// The format that was being read.
        format: &'static str,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What is wrong.
        detail: String,
    },
    /// The library was built for a newer CPU than this one.
    UnsupportedCpu {
        /// The instruction set the build needs.
        needs: &'static str,
    },
    /// A pointer that must point somewhere is null.
    NullPointer {
        /// Name of the argument.
        argument: &'static str,
    },
    /// A pointer is not aligned for its type.
    Misaligned {
        /// Name of the argument.
        argument: &'static str,
    },
    /// A constant or option has a value this version does not know.
    UnknownValue {
        /// Name of the argument.
        argument: &'static str,
        /// The offending value.
        value: u64,
    },
    /// A buffer of the caller is too small.
    BufferTooSmall {
        /// Name of the argument.
        argument: &'static str,
        /// How much it must hold.
        needed: usize,
        /// How much it holds.
        capacity: usize,
    },
    /// A string of the caller is not valid UTF-8.
    BadString {
        /// Name of the argument.
        argument: &'static str,
    },
    /// A bug in carom: a panic was caught at the C boundary.
    Panic {
        /// The panic message.
        message: String,
    },
    /// A callback used the object that is calling it.
    Busy {
        /// Name of the argument.
        argument: &'static str,
    },
    /// The components of a frame are dependent: it has no inside.
    Degenerate {
        /// Row of the frame within the call or the set.
        index: usize,
    },
    /// A frame of a set at rest was given a velocity.
    Resting {
        /// Row of the frame within the call or the set.
        index: usize,
    },
    /// Columns of a set of frames were written and have not been checked since.
    Stale,
    /// A particle is a spheroid, which is no frame.
    NoFrame {
        /// Index of the particle.
        index: usize,
    },
    /// Particles overlap where they must not.
    Overlap {
        /// The first pairs that overlap, at most 16, each in rising order; a particle that overlaps its own image in a
        /// periodic box is paired with itself.
        pairs: Vec<[usize; 2]>,
        /// How many pairs overlap.
        total: usize,
    },
    /// A particle is not inside its box.
    OutsideBox {
        /// Index of the particle.
        index: usize,
        /// The axis on which it is outside.
        axis: usize,
    },
    /// A particle collided again and again without time passing; the run stopped there, in a valid state.
    Collapse {
        /// World time at which the run stopped, in seconds.
        time: f64,
        /// Index of the particle.
        first: usize,
        /// Index of the particle it last collided with; the same as `first` for a wall.
        second: usize,
    },
    /// A name is none that this version knows.
    UnknownName {
        /// Name of the argument.
        argument: &'static str,
        /// The offending name.
        name: String,
        /// The names that are known.
        known: String,
    },
    /// A checkpoint or shard belongs to something else than what it is used for.
    Mismatch {
        /// The file or directory.
        path: String,
        /// What is different.
        detail: String,
    },
    /// More replicas of a study could not be run than it allows; it stopped there, and what it found is kept.
    TooManyFailures {
        /// Number of the point.
        point: usize,
        /// How many replicas of it may fail.
        allowed: u64,
        /// How many it was to have.
        replicas: u64,
        /// Number of the first replica that failed.
        first: u64,
        /// Why that one failed.
        message: String,
    },
}

/// The message of a panic that was caught.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic").to_owned()
}

/// A `Result` with carom's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The stable code of this error: the `carom_status` of the C ABI. Never 0, which means success.
    #[must_use]
    pub fn code(&self) -> i32 {
        match self {
            Self::NotFinite { .. } => 1,
            Self::Negative { .. } => 2,
            Self::OutOfRange { .. } => 3,
            Self::WrongLength { .. } => 4,
            Self::BadIndex { .. } => 5,
            Self::SamePair { .. } => 6,
            Self::BadDimension { .. } => 7,
            Self::Fixed { .. } => 8,
            Self::ReadOnly { .. } => 9,
            Self::Overflow { .. } => 10,
            Self::TooManyCollisions { .. } => 11,
            Self::OutOfMemory { .. } => 12,
            Self::Io { .. } => 13,
            Self::UnknownFormat { .. } => 14,
            Self::Truncated { .. } => 15,
            Self::Corrupt { .. } => 16,
            Self::NewerVersion { .. } => 17,
            Self::Syntax { .. } => 18,
            Self::UnsupportedCpu { .. } => 19,
            Self::NullPointer { .. } => 20,
            Self::Misaligned { .. } => 21,
            Self::UnknownValue { .. } => 22,
            Self::BufferTooSmall { .. } => 23,
            Self::BadString { .. } => 24,
            Self::Panic { .. } => 25,
            Self::Busy { .. } => 26,
            Self::Degenerate { .. } => 27,
            Self::Resting { .. } => 28,
            Self::Stale => 29,
            Self::NoFrame { .. } => 30,
            Self::Overlap { .. } => 31,
            Self::OutsideBox { .. } => 32,
            Self::Collapse { .. } => 33,
            Self::UnknownName { .. } => 34,
            Self::Mismatch { .. } => 35,
            Self::TooManyFailures { .. } => 36,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { field, index, value } => {
                write!(f, "{field}[{index}] is {value}: it must be finite")
            }
            Self::Negative { field, index, value } => {
                write!(f, "{field}[{index}] is {value}: it must not be negative")
            }
            Self::OutOfRange { field, value, expected } => {
                write!(f, "{field} is {value}: it must be {expected}")
            }
            Self::WrongLength { field, index, expected, found } => {
                write!(f, "{field}[{index}] has {found} entries: it must have {expected}")
            }
            Self::BadIndex { field, index, len } => write!(f, "there is no {field} {index}: there are {len}"),
            Self::SamePair { index } => write!(f, "particle {index} cannot be paired with itself"),
            Self::BadDimension { found, expected } => {
                write!(f, "the dimension is {found}: it must be {expected}")
            }
            Self::Fixed { field, index } => {
                write!(f, "{field}[{index}] must stay 0: the particle is fixed; unfix it first")
            }
            Self::ReadOnly { field: "particles" } => {
                write!(f, "the particles of a run can only be read: change a copy and hand that to the run")
            }
            Self::ReadOnly { field } => write!(f, "{field} is derived from the shape: set the shape instead"),
            Self::Overflow { field, index, magnitude } => {
                let row = index.map_or_else(String::new, |index| format!("[{index}]"));
                write!(
                    f,
                    "{field}{row} would reach {magnitude:e}: too large to compute with; rescale the units or, where \
                     something moves, shorten the step or the duration"
                )
            }
            Self::TooManyCollisions { limit, time } => write!(
                f,
                "stopped at t = {time} after {limit} collisions in one step: the particles collapse or are wedged; \
                 raise max_collisions, separate overlapping particles or use a restitution closer to 1"
            ),
            Self::OutOfMemory { bytes } => write!(f, "no memory for {bytes} bytes"),
            Self::Io { path, message } => write!(f, "{path}: {message}"),
            Self::UnknownFormat { detail } => {
                write!(f, "not a file carom reads (its JSON, PBPhys JSON or a carom snapshot): {detail}")
            }
            Self::Truncated { format, offset } => {
                write!(f, "{format} is truncated: the data ends at byte {offset}")
            }
            Self::Corrupt { format, detail } => write!(f, "{format} is corrupt: {detail}"),
            Self::NewerVersion { format, found, supported } => write!(
                f,
                "{format} has version {found}, newer than the {supported} this carom reads: use a newer carom"
            ),
            Self::Syntax { format, line, column, detail } => {
                write!(f, "{format}, line {line}, column {column}: {detail}")
            }
            Self::UnsupportedCpu { needs } => write!(
                f,
                "this build of carom needs a CPU with {needs}: build it for this machine with \
                 RUSTFLAGS=\"-C target-cpu=x86-64\""
            ),
            Self::NullPointer { argument } => write!(f, "the argument {argument} is null"),
            Self::Misaligned { argument } => write!(f, "the argument {argument} is not aligned for its type"),
            Self::UnknownValue { argument, value } => {
                write!(f, "the argument {argument} has the value {value}, which this version does not know")
            }
            Self::BufferTooSmall { argument, needed, capacity } => {
                write!(f, "the buffer {argument} holds {capacity}: it must hold {needed}")
            }
            Self::BadString { argument } => write!(f, "the string {argument} is not valid UTF-8"),
            Self::Panic { message } => write!(f, "internal error, please report it: {message}"),
            Self::Busy { argument } => {
                write!(
                    f,
                    "the argument {argument} is in the middle of a step or run: use it after the callback has returned"
                )
            }
            Self::Degenerate { index } => write!(
                f,
                "components[{index}] are dependent: the frame is flat, its determinant at most 1e-12 of the product \
                 of their lengths"
            ),
            Self::Resting { index } => {
                write!(
                    f,
                    "velocity[{index}] must be 0: without a duration frames rest; say how long they move"
                )
            }
            Self::Stale => {
                write!(f, "columns of these frames were written and not checked since: update the set first")
            }
            Self::NoFrame { index } => write!(f, "particle {index} is a spheroid: it has no frame"),
            Self::Overlap { pairs, total } => {
                let more = if pairs.len() < *total { ", ..." } else { "" };
                write!(f, "particles overlap, pairs in all {total}: {pairs:?}{more}; move them apart")
            }
            Self::OutsideBox { index, axis } => {
                write!(f, "particle {index} is outside of the box on axis {axis}")
            }
            Self::Collapse { time, first, second } => {
                let partner = if first == second { "a wall".into() } else { format!("particle {second}") };
                write!(
                    f,
                    "stopped at t = {time}: particle {first} collides with {partner} again and again without time \
                     passing; use a restitution closer to 1 or raise max_rate"
                )
            }
            Self::UnknownName { argument, name, known } => {
                write!(f, "the argument {argument} is \"{name}\": it must be one of {known}")
            }
            Self::Mismatch { path, detail } => write!(f, "{path} does not fit: {detail}"),
            Self::TooManyFailures { point, allowed, replicas, first, message } => write!(
                f,
                "point {point}: more than {allowed} of {replicas} replicas fail; the first is replica {first}: {message}"
            ),
        }
    }
}

impl std::error::Error for Error {}
