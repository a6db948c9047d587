//! How both JSON formats are read: objects field by field, with errors that say where.
//!
//! No tree of the file is built: every field is read into its place directly.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Write as _};

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::error::Category;

use crate::error::{Error, Result};
use crate::particles::{Particle, Particles};

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
    fn fail<E: serde::de::Error>(&self, error: Error) -> E {
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
    /// All fields.
    const NAMES: &'static [&'static str];
    /// Fields that earlier versions wrote under another name: that name and the present one.
    const RENAMED: &'static [(&'static str, &'static str)] = &[];
    /// The fields that must be there.
    const REQUIRED: &'static [&'static str] = Self::NAMES;
    /// Whether fields of other names are passed over; otherwise they are errors.
    const SKIPS_UNKNOWN: bool = false;

    /// Takes the value of the field `name`, one of [`NAMES`](Self::NAMES).
    fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, value: Value<A>) -> Result<(), A::Error>;
}

/// The value of a field that has not been read yet.
pub(super) struct Value<'a, A> {
    map: &'a mut A,
    place: &'a Place,
}

impl<'de, A: MapAccess<'de>> Value<'_, A> {
    /// The value itself.
    pub(super) fn get<T: Deserialize<'de>>(self) -> Result<T, A::Error> {
        self.map.next_value()
    }

    /// The value as `check` converts it; its error stops the reader.
    pub(super) fn checked<T: Deserialize<'de>, U>(
        self,
        check: impl FnOnce(T) -> Result<U>,
    ) -> Result<U, A::Error> {
        check(self.map.next_value()?).map_err(|error| self.place.fail(error))
    }

    /// Reads the object that the value is into `target`.
    pub(super) fn object<T: Object>(self, target: &mut T) -> Result<(), A::Error> {
        self.map.next_value_seed(Fill { target, place: self.place })
    }

    /// Reads the list that the value is into `target`.
    pub(super) fn list<T: List>(self, target: &mut T) -> Result<(), A::Error> {
        self.map.next_value_seed(FillList { target, place: self.place })
    }
}

/// A list that is read one item at a time.
pub(super) trait List {
    /// Takes the next item; `false` at the end.
    fn read_item<'de, A: SeqAccess<'de>>(&mut self, items: Items<A>) -> Result<bool, A::Error>;
}

/// The items of a list that have not been read yet.
pub(super) struct Items<'a, A> {
    seq: &'a mut A,
    place: &'a Place,
}

impl<'de, A: SeqAccess<'de>> Items<'_, A> {
    /// The next item itself.
    pub(super) fn next<T: Deserialize<'de>>(self) -> Result<Option<T>, A::Error> {
        self.seq.next_element()
    }

    /// The object that the next item is.
    pub(super) fn next_object<T: Object + Default>(self) -> Result<Option<T>, A::Error> {
        let mut target = T::default();
        let next = self.seq.next_element_seed(Fill { target: &mut target, place: self.place })?;
        Ok(next.map(|()| target))
    }
}

/// Reads an object into `target`.
struct Fill<'a, T> {
    target: &'a mut T,
    place: &'a Place,
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
        while let Some(key) =
            map.next_key_seed(Key { names: T::NAMES, renamed: T::RENAMED, skips_unknown: T::SKIPS_UNKNOWN })?
        {
            let Some(number) = key else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let (name, bit) = (T::NAMES[number], 1 << number);
            if seen & bit != 0 {
                return Err(A::Error::duplicate_field(name));
            }
            seen |= bit;
            let value = Value { map: &mut map, place: self.place };
            self.place.within(Step::Field(name), || self.target.read_field(name, value))?;
        }
        let is_missing =
            |&(number, name): &(usize, &&str)| seen & 1 << number == 0 && T::REQUIRED.contains(name);
        match T::NAMES.iter().enumerate().find(is_missing) {
            Some((_, name)) => Err(A::Error::missing_field(name)),
            None => Ok(()),
        }
    }
}

/// Reads a list into `target`.
struct FillList<'a, T> {
    target: &'a mut T,
    place: &'a Place,
}

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
        let Self { target, place } = self;
        let mut index = 0;
        while place.within(Step::Item(index), || target.read_item(Items { seq: &mut seq, place }))? {
            index += 1;
        }
        Ok(())
    }
}

/// Finds the number of a key among `names`; `None` for one that is passed over.
struct Key {
    names: &'static [&'static str],
    renamed: &'static [(&'static str, &'static str)],
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
        let key = self.renamed.iter().find(|(earlier, _)| *earlier == key).map_or(key, |(_, now)| now);
        match self.names.iter().position(|&name| name == key) {
            None if !self.skips_unknown => Err(E::unknown_field(key, self.names)),
            number => Ok(number),
        }
    }
}

/// One particle as a format writes it.
pub(super) trait Record: Object + Default {
    /// Dimension of the space, by the length of its own vectors.
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
    fn read_item<'de, A: SeqAccess<'de>>(&mut self, items: Items<A>) -> Result<bool, A::Error> {
        let place = items.place;
        let Some(record) = items.next_object::<R>()? else { return Ok(false) };
        self.push(record).map_err(|error| place.fail(error))?;
        Ok(true)
    }
}

impl<R: Record> Rows<R> {
    fn push(&mut self, record: R) -> Result<()> {
        let index = self.particles.as_ref().map_or(0, Particles::len);
        let dim = *self.dim.get_or_insert(record.dim());
        let particle = record.into_particle(dim, index)?;
        particle.check(dim, index)?;
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
    // Ends in an error after the key, at the value, which is not read.
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

/// Adds to the detail of a corrupt file how far it was read: to the end of the bad particle or just past it.
fn at_line(mut error: Error, line: usize) -> Error {
    if let Error::Corrupt { detail, .. } = &mut error {
        // Writing to a string cannot fail.
        let _ = write!(detail, " (read up to line {line})");
    }
    error
}
