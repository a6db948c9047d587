//! What both JSON formats share: objects read field by field, errors that say where, and the readable layout.
//!
//! Nothing builds a tree of the file: every field goes straight to where it belongs.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Write as _};
use std::io;

use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use crate::error::{Error, Result};
use crate::particles::{Particle, Particles, check};

/// The longest detail of an error, in characters: a message should not quote a whole file.
const DETAIL_LENGTH: usize = 300;

/// Where in the document the reader is, and the typed error it stopped with, if it was one of ours.
#[derive(Default)]
pub(super) struct Place {
    path: RefCell<Vec<Step>>,
    failure: RefCell<Option<Error>>,
}

enum Step {
    Field(&'static str),
    Item(usize),
}

impl Place {
    /// Runs `read` one step deeper. After an error the path stays, for the message.
    fn within<T, E>(&self, step: Step, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.path.borrow_mut().push(step);
        let value = read()?;
        self.path.borrow_mut().pop();
        Ok(value)
    }

    /// Stops the reader with an error of ours.
    pub(super) fn fail<E: serde::de::Error>(&self, error: Error) -> E {
        self.failure.replace(Some(error));
        E::custom("")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, step) in self.path.borrow().iter().enumerate() {
            match step {
                Step::Field(name) if depth == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Item(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// An object that is read one field at a time.
pub(super) trait Object {
    /// Every field there is.
    const NAMES: &'static [&'static str];
    /// The fields that must be there.
    const REQUIRED: &'static [&'static str];
    /// Whether fields of other names are passed over; otherwise they are errors.
    const SKIPS_UNKNOWN: bool;

    /// Takes the value of the field `name`, one of [`NAMES`](Self::NAMES).
    fn read_field<'de, A: MapAccess<'de>>(
        &mut self,
        name: &'static str,
        map: &mut A,
        place: &Place,
    ) -> Result<(), A::Error>;
}

/// A list that is read one item at a time.
pub(super) trait List {
    /// Takes the next item; `false` at the end.
    fn read_item<'de, A: SeqAccess<'de>>(&mut self, seq: &mut A, place: &Place) -> Result<bool, A::Error>;
}

/// Reads an object or a list into `target`.
pub(super) struct Fill<'a, T> {
    pub(super) target: &'a mut T,
    pub(super) place: &'a Place,
}

impl<'de, T: Object> DeserializeSeed<'de> for Fill<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Object> Visitor<'de> for Fill<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = 0_u32;
        while let Some(key) = map.next_key_seed(Key { names: T::NAMES, skips_unknown: T::SKIPS_UNKNOWN })? {
            let Some(number) = key else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let (name, bit) = (T::NAMES[number], 1 << number);
            if seen & bit != 0 {
                return Err(A::Error::duplicate_field(name));
            }
            seen |= bit;
            self.place.within(Step::Field(name), || self.target.read_field(name, &mut map, self.place))?;
        }
        let is_missing =
            |&(number, name): &(usize, &&str)| seen & 1 << number == 0 && T::REQUIRED.contains(name);
        match T::NAMES.iter().enumerate().find(is_missing) {
            Some((_, name)) => Err(A::Error::missing_field(name)),
            None => Ok(()),
        }
    }
}

/// A list within an object; a wrapper, since a type may not be both.
pub(super) struct FillList<'a, T>(pub(super) Fill<'a, T>);

impl<'de, T: List> DeserializeSeed<'de> for FillList<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: List> Visitor<'de> for FillList<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Fill { target, place } = self.0;
        let mut index = 0;
        while place.within(Step::Item(index), || target.read_item(&mut seq, place))? {
            index += 1;
        }
        Ok(())
    }
}

/// Finds the number of a key among `names`; `None` for one that is passed over.
struct Key {
    names: &'static [&'static str],
    skips_unknown: bool,
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Self::Value, E> {
        match self.names.iter().position(|&name| name == key) {
            None if !self.skips_unknown => Err(E::unknown_field(key, self.names)),
            number => Ok(number),
        }
    }
}

/// One particle as a format writes it.
pub(super) trait Record: Object + Default {
    /// Dimension of the space it lives in, judged by itself.
    fn dim(&self) -> usize;

    /// The particle it describes, which is to be particle `index` of a world of dimension `dim`.
    fn into_particle(self, dim: usize, index: usize) -> Result<Particle>;
}

/// The list of particles: each goes into the columns as soon as it is read.
pub(super) struct Rows<R> {
    /// The dimension: that of the file if it is already known, otherwise that of the first particle.
    pub(super) dim: Option<usize>,
    particles: Option<Particles>,
    record: std::marker::PhantomData<R>,
}

impl<R> Default for Rows<R> {
    fn default() -> Self {
        Self { dim: None, particles: None, record: std::marker::PhantomData }
    }
}

impl<R: Record> List for Rows<R> {
    fn read_item<'de, A: SeqAccess<'de>>(&mut self, seq: &mut A, place: &Place) -> Result<bool, A::Error> {
        let mut record = R::default();
        if seq.next_element_seed(Fill { target: &mut record, place })?.is_none() {
            return Ok(false);
        }
        self.push(record).map_err(|error| place.fail(error))?;
        Ok(true)
    }
}

impl<R: Record> Rows<R> {
    fn push(&mut self, record: R) -> Result<()> {
        let index = self.particles.as_ref().map_or(0, Particles::len);
        let dim = *self.dim.get_or_insert(record.dim());
        let particle = record.into_particle(dim, index)?;
        check::particle(&particle, dim, index)?;
        let particles = match &mut self.particles {
            Some(particles) => particles,
            none => none.insert(Particles::new(dim)?),
        };
        particles.add(&particle)?;
        Ok(())
    }

    /// The particles, which must be of the dimension that the file names.
    pub(super) fn finish(self, dim: usize) -> Result<Particles> {
        match self.particles {
            Some(particles) if particles.dim() == dim => Ok(particles),
            Some(particles) => {
                Err(Error::WrongLength { field: "position", index: 0, expected: dim, found: particles.dim() })
            }
            None => Particles::new(dim),
        }
    }
}

/// Every particle in turn.
pub(super) fn each(particles: &Particles) -> impl Iterator<Item = Particle> {
    (0..particles.len())
        .map(|index| particles.get(index).expect("the index is below the number of particles"))
}

/// Reads a whole document of this format into `target`.
pub(super) fn read_document<T: Object>(format: &'static str, bytes: &[u8], target: &mut T) -> Result<()> {
    let place = Place::default();
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    Fill { target, place: &place }
        .deserialize(&mut deserializer)
        .and_then(|()| deserializer.end())
        .map_err(|error| explain(format, bytes.len(), &place, &error))
}

/// The first key of a JSON object; `None` if it is empty.
pub(super) fn first_key(bytes: &[u8]) -> Result<Option<String>> {
    struct First<'a>(&'a Cell<Option<Option<String>>>);
    impl<'de> Visitor<'de> for First<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            self.0.set(Some(map.next_key()?));
            Ok(())
        }
    }
    let found = Cell::new(None);
    // Ends in an error after the key, at the value that no one reads.
    let end = serde_json::Deserializer::from_slice(bytes).deserialize_map(First(&found));
    match (found.take(), end) {
        (Some(key), _) => Ok(key.map(|key| key.chars().take(DETAIL_LENGTH).collect())),
        (None, Err(error)) => Err(explain("JSON", bytes.len(), &Place::default(), &error)),
        (None, Ok(())) => Ok(None),
    }
}

/// Our error for one of the JSON parser.
fn explain(format: &'static str, length: usize, place: &Place, error: &serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    match place.failure.take() {
        Some(known @ (Error::NewerVersion { .. } | Error::UnknownFormat { .. })) => return known,
        Some(wrong) => return at_line(super::corrupt(format, wrong), line),
        None => {}
    }
    if error.classify() == Category::Eof {
        return Error::Truncated { format, offset: length };
    }
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message);
    let path = place.to_string();
    let separator = if path.is_empty() { "" } else { ": " };
    let detail = format!("{path}{separator}{message}").chars().take(DETAIL_LENGTH).collect();
    Error::Syntax { format, line, column, detail }
}

/// Adds to the detail of a corrupt file how far it was read: to the end of the bad particle or just behind it.
fn at_line(mut error: Error, line: usize) -> Error {
    if let Error::Corrupt { detail, .. } = &mut error {
        // Writing to a string cannot fail.
        let _ = write!(detail, " (read up to line {line})");
    }
    error
}

/// Writes a document without spaces, and a newline.
pub(super) fn write_compact(document: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    write_with(CompactFormatter, document, out)
}

/// Writes a document indented, vectors on one line, and a newline.
pub(super) fn write_readable(document: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    write_with(Readable::default(), document, out)
}

fn write_with(
    formatter: impl Formatter,
    document: &impl Serialize,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    document.serialize(&mut Serializer::with_formatter(&mut out, formatter))?;
    io::Write::write_all(&mut out, b"\n")?;
    io::Write::flush(&mut out)
}

/// Every field and every object of a list on a line of its own; lists of numbers on one line.
#[derive(Default)]
struct Readable {
    depth: usize,
    /// Whether the list that is being written has objects.
    list_of_objects: bool,
    in_list: bool,
}

impl Readable {
    fn new_line<W: ?Sized + io::Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Readable {
    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.in_list {
            self.new_line(out)?;
        }
        self.in_list = false;
        self.depth += 1;
        out.write_all(b"{")
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.new_line(out)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        self.new_line(out)?;
        self.list_of_objects = true;
        out.write_all(b"}")
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.list_of_objects = false;
        out.write_all(b"[")
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.in_list = true;
        match (first, self.list_of_objects) {
            (true, _) => Ok(()),
            (false, true) => out.write_all(b","),
            (false, false) => out.write_all(b", "),
        }
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.in_list = false;
        Ok(())
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        if self.list_of_objects {
            self.new_line(out)?;
        }
        self.list_of_objects = false;
        out.write_all(b"]")
    }
}
