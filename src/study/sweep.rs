//! Sweeps: the study file with other numbers in it, read again for every point.
//!
//! A swept number is replaced in the text itself, at the place where it stands, so every number of a study file can
//! be swept, a point is checked like a file of its own, and lines keep their numbers.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::axis_title;
use super::kinds;
use super::summary::Axis;
use crate::document::Value;
use crate::error::{Error, Result};

/// The most points of a sweep.
const MOST_POINTS: usize = 10_000;
const RANGE: [&str; 4] = ["from", "to", "count", "scale"];

/// The sweep of a study file.
pub(super) struct Sweep {
    pub(super) axes: Vec<Axis>,
    /// Where the number of each axis stands in the text.
    places: Vec<Range<usize>>,
}

impl Sweep {
    /// The sweep in this value of the file `table`; none without a value.
    pub(super) fn read(value: Option<Value<'_>>, table: &DeTable<'_>) -> Result<Self> {
        let mut sweep = Self { axes: Vec::new(), places: Vec::new() };
        let Some(value) = value else { return Ok(sweep) };
        for (path, values) in value.entries()? {
            let place = find(table, path).map_err(|detail| values.error(detail))?;
            if sweep.places.contains(&place) {
                return Err(values.error("is swept twice"));
            }
            sweep.places.push(place);
            sweep.axes.push(axis(path, &values, table)?);
        }
        match sweep.axes.len() {
            1 | 2 if sweep.points() <= MOST_POINTS => Ok(sweep),
            1 | 2 => Err(value.error(format!("has {} points: at most {MOST_POINTS}", sweep.points()))),
            count => Err(value.error(format!("has {count} parameters: it must have one or two"))),
        }
    }

    pub(super) fn points(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// The value of each axis at a point; the last axis runs fastest.
    pub(super) fn parameters(&self, point: usize) -> Vec<f64> {
        let mut rest = point;
        let mut parameters: Vec<f64> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            parameters.push(axis.values[rest % axis.values.len()]);
            rest /= axis.values.len();
        }
        parameters.reverse();
        parameters
    }

    /// The text of the study file with these values in their places.
    pub(super) fn text(&self, text: &str, parameters: &[f64]) -> String {
        let mut changes: Vec<_> = self.places.iter().zip(parameters).collect();
        changes.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        let mut changed = text.to_owned();
        for (place, value) in changes {
            changed.replace_range(place.clone(), &number(*value, &text[place.clone()]));
        }
        changed
    }

    /// An error at a point says which point it is.
    pub(super) fn at_point(&self, parameters: &[f64], error: Error) -> Error {
        let Error::Syntax { format, line, column, detail } = error else { return error };
        let names: Vec<String> = self
            .axes
            .iter()
            .zip(parameters)
            .map(|(axis, value)| format!("{} = {value}", axis.name))
            .collect();
        let detail = if names.is_empty() {
            detail
        } else {
            format!("{detail} (at the point {} of [sweep])", names.join(", "))
        };
        Error::Syntax { format, line, column, detail }
    }
}

/// A number as the file would have it: whole where a whole number stood.
fn number(value: f64, before: &str) -> String {
    let was_whole = before.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'+' | b'-'));
    if was_whole && value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value}")
    } else {
        format!("{value:?}")
    }
}

fn axis(path: &str, value: &Value<'_>, table: &DeTable<'_>) -> Result<Axis> {
    let (values, logarithmic) = if value.is_list() { (list(value)?, false) } else { range(value)? };
    if values.len() < 2 {
        return Err(value.error("must have at least two values"));
    }
    let (title, unit) = axis_title::of(table, path);
    Ok(Axis { name: path.to_owned(), values, logarithmic, title, unit })
}

fn list(value: &Value<'_>) -> Result<Vec<f64>> {
    value.items()?.iter().map(Value::number).collect()
}

/// `from` to `to` in `count` values, by equal steps or by equal ratios.
fn range(value: &Value<'_>) -> Result<(Vec<f64>, bool)> {
    let fields = value.clone().fields(&RANGE)?;
    let (from, to) = (fields.need("from")?, fields.need("to")?);
    let (first, last) = (from.number()?, to.number()?);
    let count_value = fields.need("count")?;
    let count = count_value.count(2)?;
    if count > MOST_POINTS as u64 {
        return Err(count_value.error(format!("is {count}: at most {MOST_POINTS}")));
    }
    let scale =
        fields.get("scale").map_or(Ok(false), |scale| scale.choice(&[("linear", false), ("log", true)]))?;
    if scale && (first <= 0.0 || last <= 0.0) {
        return Err(from.error("and to must be above 0 on a logarithmic scale"));
    }
    if first == last {
        return Err(to.error("must differ from from"));
    }
    let step = |n: u64| {
        let share = n as f64 / (count - 1) as f64;
        match n {
            0 => first,
            n if n == count - 1 => last,
            _ if scale => rounded(first * (last / first).powf(share)),
            _ => rounded(first + (last - first) * share),
        }
    };
    Ok(((0..count).map(step).collect(), scale))
}

/// To 12 digits: short in tables, and the same on every machine.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// Where the number with this path stands: names with dots between, entries of lists in brackets, a name with dots or
/// brackets of its own in quotes. A name of `[vary]` may stand alone.
fn find(table: &DeTable<'_>, path: &str) -> std::result::Result<Range<usize>, String> {
    if let Some(DeValue::Table(vary)) = table.get("vary").map(|value| value.get_ref())
        && let Some(value) = vary.get(path)
    {
        return place_of(value.get_ref(), value.span());
    }
    let mut parts = parts(path)?.into_iter();
    let missing =
        |part: &Part| format!("names nothing: the file has no {part} there; it must be in the file");
    let first = parts.next().ok_or("is empty")?;
    let Part::Name(name) = &first else { return Err(missing(&first)) };
    let tables = kinds::tables();
    if !tables.contains(&name.as_str()) {
        return Err(format!("is no parameter of the model: it must begin with one of {}", tables.join(", ")));
    }
    let mut here = table.get(name.as_str()).ok_or_else(|| missing(&first))?;
    for part in parts {
        here = match (&part, here.get_ref()) {
            (Part::Name(name), DeValue::Table(table)) => table.get(name.as_str()),
            (Part::Entry(n), DeValue::Array(list)) => list.get(*n),
            _ => None,
        }
        .ok_or_else(|| missing(&part))?;
    }
    place_of(here.get_ref(), here.span())
}

fn place_of(value: &DeValue<'_>, span: Range<usize>) -> std::result::Result<Range<usize>, String> {
    match value {
        DeValue::Integer(_) | DeValue::Float(_) => Ok(span),
        _ => Err("names no number: a sweep replaces a number that stands in the file".into()),
    }
}

/// One step of a path.
pub(super) enum Part {
    Name(String),
    Entry(usize),
    /// `[*]`, in names of `[vary]`.
    Every,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => write!(f, "{name}"),
            Self::Entry(number) => write!(f, "entry {number}"),
            Self::Every => write!(f, "*"),
        }
    }
}

pub(super) fn parts(path: &str) -> std::result::Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if let Some(after) = rest.strip_prefix('[') {
            let (number, after) = after.split_once(']').ok_or("has a [ without a ]")?;
            let entry = |number: usize| Part::Entry(number);
            parts.push(match number {
                "*" => Part::Every,
                _ => number
                    .parse()
                    .map(entry)
                    .map_err(|_| format!("has [{number}]: a whole number is needed"))?,
            });
            rest = after;
        } else if let Some(after) = rest.strip_prefix('"') {
            let (name, after) = after.split_once('"').ok_or("has a quote without an end")?;
            parts.push(Part::Name(name.to_owned()));
            rest = after;
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            parts.push(Part::Name(rest[..end].to_owned()));
            rest = &rest[end..];
        }
    }
    Ok(parts)
}
