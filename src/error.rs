//! The error type of carom, with a stable numeric code for every variant.

use std::any::Any;
use std::fmt;
use std::io;
use std::sync::Arc;

/// Everything that can go wrong.
///
/// Each variant names the field and the index concerned, and has a [code](Error::code) that never changes its meaning.
/// A call that returns an error has changed nothing, unless its documentation says otherwise.
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
    /// A number that must not be negative is negative.
    Negative {
        /// Name of the field.
        field: &'static str,
        /// Row of the value within the call or the store.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// A number is outside the range of its field.
    OutOfRange {
        /// Name of the field.
        field: &'static str,
        /// The offending value.
        value: f64,
        /// The allowed range, in words.
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
    /// An index is out of range.
    BadIndex {
        /// What is indexed: "particle", "frame", "axis", ...
        field: &'static str,
        /// The offending index.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// A particle is paired with itself.
    SamePair {
        /// The index given twice.
        index: usize,
    },
    /// The dimension is outside 1 to [`MAX_DIM`](crate::MAX_DIM), or two dimensions that must agree differ.
    BadDimension {
        /// The offending dimension.
        found: usize,
        /// What it must be, in words.
        expected: &'static str,
    },
    /// A fixed particle was given a velocity or an acceleration.
    Fixed {
        /// Name of the field.
        field: &'static str,
        /// Index of the particle.
        index: usize,
    },
    /// A value that can only be read was written to.
    ReadOnly {
        /// Name of the field.
        field: &'static str,
        /// Why it cannot be written, and what can be done instead.
        reason: &'static str,
    },
    /// A result or an intermediate value would exceed the range of `f64`.
    Overflow {
        /// Name of the field.
        field: &'static str,
        /// Row of the value within the call or the store, if it comes from one row alone.
        index: Option<usize>,
        /// The largest magnitude that would result.
        magnitude: f64,
    },
    /// A step had more collisions than its limit and stopped early, in a valid state.
    TooManyCollisions {
        /// The limit that was reached.
        limit: u64,
        /// World time at which the step stopped, in seconds.
        time: f64,
    },
    /// Allocation failed.
    OutOfMemory {
        /// Size of the allocation, in bytes.
        bytes: usize,
    },
    /// A read, a write or the start of a thread failed.
    Io {
        /// The path, stream or resource.
        path: String,
        /// The error of the operating system.
        source: IoError,
    },
    /// A stream, such as a pipe or a device, has more bytes than [`input::limit`](crate::input::limit) allows.
    InputTooLong {
        /// The path or stream.
        path: String,
        /// The limit, in bytes.
        limit: u64,
    },
    /// A file has none of the known formats.
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
    /// A file was written by a newer version of carom.
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
    /// The level of instructions that `CAROM_LEVEL` forces is not known, or this CPU lacks it.
    UnsupportedCpu {
        /// The level.
        level: String,
    },
    /// The components of a frame are linearly dependent: it has no interior.
    Degenerate {
        /// Row of the frame within the call or the set.
        index: usize,
    },
    /// A frame of a set at rest was given a velocity.
    Resting {
        /// Row of the frame within the call or the set.
        index: usize,
    },
    /// Columns of a set of frames were written and not checked since.
    Stale,
    /// A particle is a spheroid, which is not a frame.
    NoFrame {
        /// Index of the particle.
        index: usize,
    },
    /// Particles overlap.
    Overlap {
        /// The first pairs that overlap, at most 16, each in rising order; a particle that overlaps its own image in a
        /// periodic box is paired with itself.
        pairs: Vec<[usize; 2]>,
        /// How many pairs overlap.
        total: usize,
    },
    /// A particle is outside its box.
    OutsideBox {
        /// Index of the particle.
        index: usize,
        /// The axis on which it is outside.
        axis: usize,
    },
    /// A particle collided repeatedly without time passing; the run stopped there, in a valid state.
    Collapse {
        /// World time at which the run stopped, in seconds.
        time: f64,
        /// Index of the particle.
        first: usize,
        /// Index of the particle it last collided with; the same as `first` for a wall.
        second: usize,
    },
    /// A name is unknown.
    UnknownName {
        /// Name of the argument.
        argument: &'static str,
        /// The unknown name.
        name: String,
        /// The known names.
        known: String,
    },
    /// A checkpoint or shard belongs to a different study, or a prototype to a different batch.
    Mismatch {
        /// The file or directory.
        path: String,
        /// What is different.
        detail: String,
    },
    /// More replicas of a study failed than it allows; it stopped there and kept its results.
    TooManyFailures {
        /// Number of the point.
        point: usize,
        /// How many of its replicas may fail.
        allowed: u64,
        /// Planned number of replicas.
        replicas: u64,
        /// Number of the first replica that failed.
        first: u64,
        /// Why that one failed.
        message: String,
    },
    /// The vertices of a polygon are not convex and counter-clockwise.
    NotConvex {
        /// The vertex that stands out least, or the one at which the second turn begins.
        index: usize,
    },
    /// A body or a shape does not exist, or has been removed.
    DeadId {
        /// What it was: "body" or "shape".
        what: &'static str,
        /// Index of the id.
        index: usize,
    },
    /// A space is in the middle of a step, and this cannot be done then.
    Locked {
        /// What was to be done.
        operation: &'static str,
    },
    /// A shape is of another kind.
    WrongShape {
        /// The kind that it must have: "circle", "segment" or "polygon".
        expected: &'static str,
        /// The kind that it has.
        found: &'static str,
    },
    /// A value was given to a body that has none: only dynamic bodies have mass, moment and forces, and static ones have no
    /// velocity.
    NotDynamic {
        /// Name of the field.
        field: &'static str,
        /// Index of the body.
        index: usize,
    },
    /// The own static body of a space was to be removed or to become something else.
    OwnStaticBody {
        /// What was to be done.
        operation: &'static str,
    },
    /// The own static body of a space was to be replaced while it has shapes.
    HasShapes {
        /// Index of the body.
        index: usize,
        /// How many shapes it has.
        shapes: usize,
    },
    /// A dynamic body has no mass or no moment of inertia, so that it cannot be stepped.
    NoMass {
        /// Index of the body.
        index: usize,
    },
    /// The threads of a context belong to the parent of this process: `fork` does not copy threads.
    Forked,
}

/// A `Result` with carom's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Passes the table of all statuses to a macro: variant, code, name in C, meaning.
///
/// [`Error::code`], the constants of the C header and `carom_status_string` are made from it. The variants of `failures`
/// are those of the C ABI itself. A code never changes its meaning and is never used again.
macro_rules! status_table {
    ($make:ident) => {
        $make! {
            errors {
                NotFinite 1 CAROM_NOT_FINITE "a number that must be finite is NaN or infinite";
                Negative 2 CAROM_NEGATIVE "a number that must not be negative is negative";
                OutOfRange 3 CAROM_OUT_OF_RANGE "a number is outside the range of its field";
                WrongLength 4 CAROM_WRONG_LENGTH "an array has the wrong number of entries";
                BadIndex 5 CAROM_BAD_INDEX "an index is out of range";
                SamePair 6 CAROM_SAME_PAIR "a particle is paired with itself";
                BadDimension 7 CAROM_BAD_DIMENSION "a dimension is not supported, or two dimensions that must agree differ";
                Fixed 8 CAROM_FIXED "a fixed particle was given a velocity or an acceleration";
                ReadOnly 9 CAROM_READ_ONLY "a value that can only be read was written to";
                Overflow 10 CAROM_OVERFLOW "a result would exceed the range of double";
                TooManyCollisions 11 CAROM_TOO_MANY_COLLISIONS "a step had more collisions than its limit and stopped early, in a valid state";
                OutOfMemory 12 CAROM_OUT_OF_MEMORY "allocation failed";
                Io 13 CAROM_IO "a read, a write or the start of a thread failed";
                UnknownFormat 14 CAROM_UNKNOWN_FORMAT "a file has none of the known formats";
                Truncated 15 CAROM_TRUNCATED "a file ends too early";
                Corrupt 16 CAROM_CORRUPT "a file contradicts itself";
                NewerVersion 17 CAROM_NEWER_VERSION "a file was written by a newer version of carom";
                Syntax 18 CAROM_SYNTAX "a text file breaks the grammar of its format";
                UnsupportedCpu 19 CAROM_UNSUPPORTED_CPU "the level of instructions that CAROM_LEVEL forces is not one of this CPU";
                Degenerate 27 CAROM_DEGENERATE "the components of a frame are linearly dependent";
                Resting 28 CAROM_RESTING "a frame of a set at rest was given a velocity";
                Stale 29 CAROM_STALE "columns of frames were written and not checked since; call carom_frames_update()";
                NoFrame 30 CAROM_NO_FRAME "a spheroid is not a frame";
                Overlap 31 CAROM_OVERLAP "particles overlap; carom_last_overlaps() lists the pairs";
                OutsideBox 32 CAROM_OUTSIDE_BOX "a particle is outside its box";
                Collapse 33 CAROM_COLLAPSE "a particle collided repeatedly without time passing; the run stopped there, in a valid state";
                UnknownName 34 CAROM_UNKNOWN_NAME "a name is unknown";
                Mismatch 35 CAROM_MISMATCH "a checkpoint or shard belongs to a different study, or a prototype to a different batch";
                TooManyFailures 36 CAROM_TOO_MANY_FAILURES "more replicas of a study failed than it allows";
                NotConvex 37 CAROM_NOT_CONVEX "the vertices of a polygon are not convex and counter-clockwise";
                DeadId 38 CAROM_DEAD_ID "a body or a shape does not exist, or has been removed";
                Locked 39 CAROM_LOCKED "the space is in the middle of a step; do it in a post-step callback";
                WrongShape 40 CAROM_WRONG_SHAPE "a shape is of another kind";
                NotDynamic 41 CAROM_NOT_DYNAMIC "only dynamic bodies have mass, moment and forces, and static ones have no velocity";
                OwnStaticBody 42 CAROM_OWN_STATIC_BODY "the own static body of a space cannot be removed, nor become anything else";
                HasShapes 43 CAROM_HAS_SHAPES "the own static body of a space cannot be replaced while it has shapes";
                NoMass 44 CAROM_NO_MASS "a dynamic body has no mass or no moment of inertia";
                Forked 45 CAROM_FORKED "the threads of a context are those of the parent process; create a context in the child";
                InputTooLong 46 CAROM_INPUT_TOO_LONG "a stream has more bytes than carom_input_limit() allows; carom_input_set_limit() raises it";
            }
            failures {
                NullPointer 20 CAROM_NULL_POINTER "a pointer that must not be NULL is NULL";
                Misaligned 21 CAROM_MISALIGNED "a pointer or a stride is not aligned for its type";
                UnknownValue 22 CAROM_UNKNOWN_VALUE "a constant, an option or a struct_size has an unknown value";
                BufferTooSmall 23 CAROM_BUFFER_TOO_SMALL "a buffer is too small";
                BadString 24 CAROM_BAD_STRING "a string is not valid UTF-8";
                Panic 25 CAROM_PANIC "internal error of carom; destroy the objects of the call";
                Busy 26 CAROM_BUSY "a callback used the object that is calling it";
            }
        }
    };
}
#[cfg(feature = "capi")]
pub(crate) use status_table;

macro_rules! error_codes {
    (errors { $($variant:ident $code:literal $constant:ident $meaning:literal;)* } failures $others:tt) => {
        impl Error {
            /// The stable code of this error: the `carom_status` of the C ABI. Never 0, which means success.
            #[must_use]
            pub fn code(&self) -> i32 {
                match self {
                    $(Self::$variant { .. } => $code,)*
                }
            }
        }
    };
}
status_table!(error_codes);

impl Error {
    /// The failure of an operation on a file, stream or thread.
    ///
    /// A buffer for which there was no memory is [`OutOfMemory`](Self::OutOfMemory), of a size that the system does not tell.
    pub fn io(path: impl fmt::Display, error: impl Into<io::Error>) -> Self {
        let error = error.into();
        match error.kind() {
            io::ErrorKind::OutOfMemory => Self::OutOfMemory { bytes: 0 },
            _ => Self::Io { path: path.to_string(), source: IoError::from(error) },
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
            Self::BadIndex { field, index, len } => {
                write!(f, "{field} index {index} out of range: there are {len}")
            }
            Self::SamePair { index } => write!(f, "particle {index} cannot be paired with itself"),
            Self::BadDimension { found, expected } => {
                write!(f, "the dimension is {found}: it must be {expected}")
            }
            Self::Fixed { field, index } => {
                write!(f, "{field}[{index}] must be 0: the particle is fixed; unfix it first")
            }
            Self::ReadOnly { field, reason } => write!(f, "{field} can only be read: {reason}"),
            Self::Overflow { field, index, magnitude } => {
                let row = index.map_or_else(String::new, |index| format!("[{index}]"));
                write!(
                    f,
                    "{field}{row} would reach {magnitude:e}, which is too large to compute with; rescale the units or, \
                     where something moves, shorten the step or the duration"
                )
            }
            Self::TooManyCollisions { limit, time } => write!(
                f,
                "stopped at t = {time} after {limit} collisions in one step: the particles collapse or are jammed; \
                 raise max_collisions, separate overlapping particles or use a restitution closer to 1"
            ),
            Self::OutOfMemory { bytes: 0 } => write!(f, "allocation of a buffer failed"),
            Self::OutOfMemory { bytes } => write!(f, "allocation of {bytes} bytes failed"),
            Self::Io { path, source } => write!(f, "{path}: {source}"),
            Self::InputTooLong { path, limit } => write!(
                f,
                "{path} goes on after {limit} bytes, the limit for pipes and devices: raise it (carom --max-input, \
                 carom_input_set_limit, carom::input::set_limit) if it really is so long"
            ),
            Self::UnknownFormat { detail } => {
                write!(f, "unknown file format (known: carom JSON, PBPhys JSON, carom snapshot): {detail}")
            }
            Self::Truncated { format, offset } => {
                write!(f, "{format} is truncated: the data ends at byte {offset}")
            }
            Self::Corrupt { format, detail } => write!(f, "{format} is corrupt: {detail}"),
            Self::NewerVersion { format, found, supported } => write!(
                f,
                "{format} has version {found}, this carom reads up to version {supported}: use a newer carom"
            ),
            Self::Syntax { format, line, column, detail } => {
                write!(f, "{format}, line {line}, column {column}: {detail}")
            }
            Self::UnsupportedCpu { level } => write!(
                f,
                "CAROM_LEVEL={level}: this CPU has no such level of instructions: unset it, or take one of {}",
                crate::soa::level::available_names()
            ),
            Self::Degenerate { index } => write!(
                f,
                "components[{index}] are linearly dependent: the frame is flat, its determinant at most 1e-12 of the \
                 product of their lengths"
            ),
            Self::Resting { index } => {
                write!(
                    f,
                    "velocity[{index}] must be 0: frames without a duration rest; give the duration of their motion"
                )
            }
            Self::Stale => {
                write!(f, "columns of these frames were written and not checked since: update the set first")
            }
            Self::NoFrame { index } => write!(f, "particle {index} is a spheroid, which is not a frame"),
            Self::Overlap { pairs, total } => {
                let count = if *total == 1 {
                    "1 pair of particles overlaps"
                } else {
                    &format!("{total} pairs of particles overlap")
                };
                let more = if pairs.len() < *total { ", ..." } else { "" };
                write!(f, "{count}: {pairs:?}{more}; move them apart")
            }
            Self::OutsideBox { index, axis } => {
                write!(f, "particle {index} is outside the box along axis {axis}")
            }
            Self::Collapse { time, first, second } => {
                let partner = if first == second { "a wall".into() } else { format!("particle {second}") };
                write!(
                    f,
                    "stopped at t = {time}: particle {first} collides with {partner} repeatedly without time passing; \
                     use a contact_duration above 0 or a restitution closer to 1, raise max_rate, or start particles \
                     a little apart that lie on something at rest"
                )
            }
            Self::UnknownName { argument, name, known } => {
                write!(f, "unknown {argument} \"{name}\": it must be one of {known}")
            }
            Self::Mismatch { path, detail } => write!(f, "{path} does not match: {detail}"),
            Self::TooManyFailures { point, allowed, replicas, first, message } => write!(
                f,
                "point {point}: more than {allowed} of {replicas} replicas failed, first replica {first}: {message}"
            ),
            Self::NotConvex { index } => write!(
                f,
                "vertices[{index}] does not stand out: the vertices of a polygon must be convex and counter-clockwise"
            ),
            Self::DeadId { what, index } => {
                write!(f, "{what} {index} does not exist: it was removed, or it is of another space")
            }
            Self::Locked { operation } => {
                write!(f, "cannot {operation} during a step: do it in a post-step callback")
            }
            Self::WrongShape { expected, found } => write!(f, "the shape is a {found}, not a {expected}"),
            Self::NotDynamic { field, index } => write!(
                f,
                "{field} of body {index} cannot be set: only dynamic bodies have mass, moment and forces, and static ones \
                 have no velocity"
            ),
            Self::OwnStaticBody { operation } => {
                write!(
                    f,
                    "cannot {operation} the own static body of a space: give the space another one first"
                )
            }
            Self::HasShapes { index, shapes } => {
                write!(
                    f,
                    "body {index} has {shapes} shapes: the own static body of a space can be replaced without any"
                )
            }
            Self::NoMass { index } => write!(
                f,
                "body {index} is dynamic and has no mass or no moment: set both, give a shape a mass, or make it static or \
                 kinematic"
            ),
            Self::Forked => write!(
                f,
                "the context was created before fork() and its threads are those of the parent process: create a context in \
                 the child, or use none"
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(&*source.0),
            _ => None,
        }
    }
}

/// An [`io::Error`] that can be cloned. Two are equal if they have the same kind and the same message.
#[derive(Debug, Clone)]
pub struct IoError(Arc<io::Error>);

impl IoError {
    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.0.kind()
    }
}

impl From<io::Error> for IoError {
    fn from(error: io::Error) -> Self {
        Self(Arc::new(error))
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for IoError {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.to_string() == other.to_string()
    }
}

/// The message of a panic that was caught.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic").to_owned()
}
