//! Scene and study files in TOML: tables and values, with line, column and name of every error.
//!
//! The file is walked by hand instead of being deserialised, so that an error can name the line, the column and the
//! field, and suggest the nearest name for an unknown key.

pub(crate) mod units;

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Error, Result};

/// The text of a file, and the name of its format in errors.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) format: &'static str,
    /// Names and texts of files that values of the text name.
    pub(crate) files: &'a [(String, String)],
}

impl<'a> Source<'a> {
    /// A text that names no files.
    pub(crate) fn new(text: &'a str, format: &'static str) -> Self {
        Self { text, format, files: &[] }
    }

    /// The table that the whole text is.
    pub(crate) fn parse(self) -> Result<Spanned<DeTable<'a>>> {
        DeTable::parse(self.text).map_err(|error| {
            self.error_at(error.span().map_or(0, |span| span.start), error.message().to_owned())
        })
    }

    /// An error at a place of the text, in bytes from its start.
    pub(crate) fn error_at(self, offset: usize, detail: String) -> Error {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Error::Syntax {
            format: self.format,
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
            detail,
        }
    }
}

/// A table whose keys are all known.
pub(crate) struct Fields<'a> {
    source: Source<'a>,
    /// The name of the table in errors: empty for the whole file.
    path: String,
    offset: usize,
    table: &'a DeTable<'a>,
}

impl<'a> Fields<'a> {
    /// The table of a whole file.
    pub(crate) fn of_file(source: Source<'a>, table: &'a DeTable<'a>, known: &[&str]) -> Result<Self> {
        let fields = Self { source, path: String::new(), offset: 0, table };
        fields.check_keys(known)?;
        Ok(fields)
    }

    /// The text of the whole file.
    pub(crate) fn file_text(&self) -> &'a str {
        self.source.text
    }

    /// The value of this name, or of the name it had before, if it is there.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'a>> {
        let value: &'a Spanned<DeValue<'a>> =
            self.table.get(name).or_else(|| self.table.get(earlier_name(name)?))?;
        Some(Value {
            source: self.source,
            path: self.path_of(name),
            span: value.span(),
            value: value.get_ref(),
        })
    }

    /// The value of this name, which must be there.
    pub(crate) fn need(&self, name: &str) -> Result<Value<'a>> {
        self.get(name).ok_or_else(|| self.error(format!("{} is missing", self.path_of(name))))
    }

    /// The tables under this name: `[[name]]` as often as it occurs.
    pub(crate) fn tables(&self, name: &str, known: &[&str]) -> Result<Vec<Fields<'a>>> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let DeValue::Array(entries) = value.value else {
            return Err(value.error(format!("is {}: write [[{name}]], once for each", value.kind())));
        };
        let entry = |(n, entry): (usize, &'a Spanned<DeValue<'a>>)| {
            let path = format!("{}[{n}]", value.path);
            Value { source: self.source, path, span: entry.span(), value: entry.get_ref() }.fields(known)
        };
        entries.iter().enumerate().map(entry).collect()
    }

    /// The name of the table in errors: empty for the whole file.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// An error about the table as a whole.
    pub(crate) fn error(&self, detail: String) -> Error {
        self.source.error_at(self.offset, detail)
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) }
    }

    fn check_keys(&self, known: &[&str]) -> Result<()> {
        for (key, _) in self.table {
            let name: &str = key.get_ref();
            if let Some(now) = known.iter().find(|now| earlier_name(now) == Some(name)) {
                if self.table.contains_key(*now) {
                    let detail = format!("{} is the earlier name of {now}: keep one", self.path_of(name));
                    return Err(self.source.error_at(key.span().start, detail));
                }
            } else if !known.contains(&name) {
                let path = self.path_of(name);
                let detail = format!("{path} is unknown; {}", hint(name, known));
                return Err(self.source.error_at(key.span().start, detail));
            }
        }
        Ok(())
    }
}

/// The name of a key before it was renamed; files with it still load.
pub(crate) fn earlier_name(name: &str) -> Option<&'static str> {
    (name == "velocity").then_some("speed")
}

/// A value and its place.
#[derive(Clone)]
pub(crate) struct Value<'a> {
    source: Source<'a>,
    path: String,
    span: Range<usize>,
    value: &'a DeValue<'a>,
}

impl<'a> Value<'a> {
    /// An error about the value: its name, and what is wrong with it.
    pub(crate) fn error(&self, detail: impl AsRef<str>) -> Error {
        self.source.error_at(self.span.start, format!("{} {}", self.path, detail.as_ref()))
    }

    fn kind(&self) -> &'static str {
        match self.value {
            DeValue::String(_) => "text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        }
    }

    fn expected(&self, what: &str) -> Error {
        self.error(format!("is {}: it must be {what}", self.kind()))
    }

    pub(crate) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    pub(crate) fn is_list(&self) -> bool {
        self.value.is_array()
    }

    /// Whether it is the number `inf`.
    pub(crate) fn is_infinite(&self) -> bool {
        matches!(self.value, DeValue::Float(float) if matches!(float.as_str(), "inf" | "+inf"))
    }

    /// A finite number.
    pub(crate) fn number(&self) -> Result<f64> {
        let number = match self.value {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|n| n as f64)
            }
            _ => return Err(self.expected("a number")),
        };
        number.filter(|number: &f64| number.is_finite()).ok_or_else(|| {
            self.error(format!("is {}: it must be a finite number", &self.source.text[self.span.clone()]))
        })
    }

    /// A number that is 0 or more.
    pub(crate) fn non_negative(&self) -> Result<f64> {
        let number = self.number()?;
        if number < 0.0 {
            Err(self.error(format!("is {number}: it must not be negative")))
        } else {
            Ok(number)
        }
    }

    /// A number above 0.
    pub(crate) fn positive(&self) -> Result<f64> {
        let number = self.number()?;
        if number > 0.0 { Ok(number) } else { Err(self.error(format!("is {number}: it must be above 0"))) }
    }

    /// A number from 0 to 1.
    pub(crate) fn share(&self) -> Result<f64> {
        let number = self.number()?;
        let good = (0.0..=1.0).contains(&number);
        if good { Ok(number) } else { Err(self.error(format!("is {number}: it must be from 0 to 1"))) }
    }

    /// A whole number, not below `least`.
    pub(crate) fn count(&self, least: u64) -> Result<u64> {
        let DeValue::Integer(integer) = self.value else { return Err(self.expected("a whole number")) };
        let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
        number.filter(|&number| number >= least).ok_or_else(|| {
            self.error(format!("is {integer}: it must be a whole number from {least} to {}", u64::MAX))
        })
    }

    pub(crate) fn boolean(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.expected("true or false"))
    }

    /// A number, or one of the infinities.
    pub(crate) fn number_or_infinity(&self) -> Result<f64> {
        match self.value {
            DeValue::Float(float) if float.as_str() == "-inf" => Ok(f64::NEG_INFINITY),
            _ if self.is_infinite() => Ok(f64::INFINITY),
            _ => self.number(),
        }
    }

    /// The text of a file that this value names.
    pub(crate) fn file(&self, name: &str) -> Result<&'a str> {
        let known = self.source.files.iter().find(|(known, _)| known == name);
        known.map(|(_, text)| text.as_str()).ok_or_else(|| self.error("names a file where none can be read"))
    }

    pub(crate) fn text(&self) -> Result<&'a str> {
        match self.value {
            DeValue::String(text) => Ok(text),
            _ => Err(self.expected("text in quotes")),
        }
    }

    /// Which of `choices` the text names.
    pub(crate) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T> {
        let text = self.text()?;
        choices.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let hint = nearest(text, &names).map_or_else(
                || format!("it must be one of {}", names.join(", ")),
                |near| format!("did you mean {near}?"),
            );
            self.error(format!("is {text:?}; {hint}"))
        })
    }

    /// The entries of a list of `dim` values.
    pub(crate) fn list(&self, dim: usize) -> Result<Vec<Value<'a>>> {
        let DeValue::Array(entries) = self.value else {
            return Err(self.expected(&format!("a list of {dim}, one for each axis")));
        };
        if entries.len() != dim {
            let found = entries.len();
            return Err(self.error(format!("has {found} entries: it must have {dim}, one for each axis")));
        }
        self.items()
    }

    /// The entries of a list of any length.
    pub(crate) fn items(&self) -> Result<Vec<Value<'a>>> {
        let DeValue::Array(entries) = self.value else { return Err(self.expected("a list")) };
        let entry = |(n, entry): (usize, &'a Spanned<DeValue<'a>>)| Value {
            source: self.source,
            path: format!("{}[{n}]", self.path),
            span: entry.span(),
            value: entry.get_ref(),
        };
        Ok(entries.iter().enumerate().map(entry).collect())
    }

    /// The entries of a table whose keys are free, in the order of the file.
    pub(crate) fn entries(&self) -> Result<Vec<(&'a str, Value<'a>)>> {
        let DeValue::Table(table) = self.value else { return Err(self.expected("a table")) };
        let entry = |(key, entry): (&'a Spanned<std::borrow::Cow<'a, str>>, &'a Spanned<DeValue<'a>>)| {
            let name: &'a str = key.get_ref();
            let path = format!("{}.{name}", self.path);
            (name, Value { source: self.source, path, span: entry.span(), value: entry.get_ref() })
        };
        let mut entries: Vec<_> = table.iter().map(entry).collect();
        entries.sort_by_key(|(_, value)| value.span.start);
        Ok(entries)
    }

    /// A vector of `dim` finite numbers; entries from `dim` on are 0.
    pub(crate) fn vector(&self, dim: usize) -> Result<[f64; 3]> {
        let mut vector = [0.0; 3];
        for (component, entry) in vector.iter_mut().zip(self.list(dim)?) {
            *component = entry.number()?;
        }
        Ok(vector)
    }

    /// The table, with no other keys than these.
    pub(crate) fn fields(self, known: &[&str]) -> Result<Fields<'a>> {
        let DeValue::Table(table) = self.value else { return Err(self.expected("a table")) };
        let fields = Fields { source: self.source, path: self.path, offset: self.span.start, table };
        fields.check_keys(known)?;
        Ok(fields)
    }
}

/// A suggestion for an unknown name.
pub(crate) fn hint(name: &str, known: &[&str]) -> String {
    nearest(name, known)
        .map_or_else(|| format!("known here: {}", known.join(", ")), |near| format!("did you mean {near}?"))
}

/// The known name that is nearest to another one, if at most a third of its letters differ: for suggestions.
#[must_use]
pub fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    known
        .iter()
        .map(|&candidate| (edits(name, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= (candidate.chars().count() / 3).max(1))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete or replace to get from one word to the other (Levenshtein).
fn edits(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (n, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = n + 1;
        for (m, b) in two.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[m + 1];
            row[m + 1] = replaced.min(diagonal + 1).min(row[m] + 1);
        }
    }
    row[two.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_the_nearest_name() {
        let known = ["position", "velocity", "radius", "mass", "fixed"];
        assert_eq!(nearest("masss", &known), Some("mass"));
        assert_eq!(nearest("postion", &known), Some("position"));
        assert_eq!(nearest("velocty", &known), Some("velocity"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!((edits("kitten", "sitting"), edits("", "ab"), edits("same", "same")), (3, 2, 0));
    }

    #[test]
    fn files_with_the_earlier_name_of_a_key_still_load() {
        let read = |text| {
            let source = Source::new(text, "test");
            let table = source.parse()?;
            Fields::of_file(source, table.get_ref(), &["velocity"])?.need("velocity")?.number()
        };
        assert_eq!((read("velocity = 2"), read("speed = 3")), (Ok(2.0), Ok(3.0)));
        let both = read("velocity = 2\nspeed = 3").unwrap_err().to_string();
        assert!(both.contains("line 2") && both.contains("speed is the earlier name of velocity"), "{both}");
    }

    #[test]
    fn places_are_counted_in_lines_and_letters() {
        let source = Source::new("a = 1\nß = x\n", "test");
        let place = |offset| match source.error_at(offset, String::new()) {
            Error::Syntax { line, column, .. } => (line, column),
            other => panic!("{other}"),
        };
        assert_eq!((place(0), place(4), place(6), place(11)), ((1, 1), (1, 5), (2, 1), (2, 5)));
    }
}
