//! Pairs of frames from a table: every cell is checked, and a bad one is named with its line and column.

use std::ops::Range;
use std::path::Path;

use carom::frames::frame::LARGEST;
use carom::{Error, Frame, FrameKind};

use super::columns::{self, Columns, SIDES};
use super::lines::{Lines, bare, is_comma};
use super::{Failure, Result};
use crate::cli::display;

/// A table whose header has been read.
pub(super) struct Source {
    lines: Lines,
    header: Vec<String>,
}

impl Source {
    /// Opens a file, `-` for standard input.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        if !lines.advance()? {
            return Err(Failure(format!("{}: it is empty: there is no header", display(path))));
        }
        // Spreadsheets may mark the start of a text file.
        let header = lines
            .line()
            .split(is_comma)
            .map(|cell| String::from_utf8_lossy(bare(cell)).replace('\u{feff}', ""))
            .collect();
        Ok(Self { lines, header })
    }

    /// The dimension of the frames, by the header.
    pub(super) fn dim(&self) -> u8 {
        if self.header.iter().any(|name| name == "a_o2") { 3 } else { 2 }
    }

    /// The pairs of the table, whose frames move for `duration` seconds or rest.
    pub(super) fn pairs<const D: usize>(self, duration: Option<f64>) -> Result<PairReader<D>> {
        let columns = Columns { moving: duration.is_some() };
        let names = columns.names();
        let header_error = |what: String| self.lines.error(&what);
        let place = |name: &String| self.header.iter().position(|found| found == name);
        for (at, found) in self.header.iter().enumerate() {
            if !names.contains(found) {
                return Err(header_error(unknown::<D>(found)));
            }
            if self.header[..at].contains(found) {
                return Err(header_error(format!("the column {found} is there twice")));
            }
        }
        let places = names
            .iter()
            .map(|name| place(name).ok_or_else(|| header_error(format!("the column {name} is missing"))))
            .collect::<Result<_>>()?;
        let numbers = vec![0.0; columns.per_frame() - 1];
        Ok(PairReader { lines: self.lines, columns, names, places, duration, numbers, cells: Vec::new() })
    }
}

/// Says that there is no such column, and why it may be thought there is.
fn unknown<const D: usize>(name: &str) -> String {
    let has = |names: Vec<String>| names.iter().any(|known| known == name);
    let hint = if has(Columns::<D> { moving: true }.names()) {
        ": speeds need --moving"
    } else if has(Columns::<3> { moving: true }.names()) {
        ": it needs --dim 3"
    } else {
        ""
    };
    format!("there is no column {name:?}{hint}")
}

/// Reads one pair of frames a line.
pub(super) struct PairReader<const D: usize> {
    lines: Lines,
    columns: Columns<D>,
    names: Vec<String>,
    /// For each of the names, where it stands in a line.
    places: Vec<usize>,
    duration: Option<f64>,
    numbers: Vec<f64>,
    /// Where the cells of the line are.
    cells: Vec<Range<usize>>,
}

impl<const D: usize> PairReader<D> {
    /// Replaces what is in `sets` by the frames of the next lines, at most `most` of them.
    pub(super) fn read(&mut self, sets: &mut [Vec<Frame<D>>; 2], most: usize) -> Result<()> {
        sets.iter_mut().for_each(Vec::clear);
        while sets[0].len() < most {
            let Some(pair) = self.next_pair()? else { break };
            sets.iter_mut().zip(pair).for_each(|(set, frame)| set.push(frame));
        }
        Ok(())
    }

    fn next_pair(&mut self) -> Result<Option<[Frame<D>; 2]>> {
        if !self.lines.advance()? {
            return Ok(None);
        }
        self.lines.split(&mut self.cells);
        let (found, expected) = (self.cells.len(), self.places.len());
        if found != expected {
            return Err(self.lines.error(&format!("{found} columns, the header has {expected}")));
        }
        Ok(Some([self.frame(0)?, self.frame(1)?]))
    }

    fn frame(&mut self, side: usize) -> Result<Frame<D>> {
        let first = side * self.columns.per_frame();
        let kind = self.kind(first)?;
        for at in 0..self.numbers.len() {
            self.numbers[at] = self.number(first + 1 + at)?;
        }
        let frame = self.columns.frame(kind, &self.numbers);
        frame.check(self.duration.unwrap_or(0.0), 0).map_err(|error| self.bad_frame(side, &error))?;
        Ok(frame)
    }

    fn kind(&self, column: usize) -> Result<FrameKind> {
        columns::kind(self.cell(column)).ok_or_else(|| self.bad_cell(column, "neither C nor T"))
    }

    fn number(&self, column: usize) -> Result<f64> {
        let number = std::str::from_utf8(self.cell(column)).ok().and_then(|text| text.parse::<f64>().ok());
        match number {
            Some(number) if number.abs() <= LARGEST => Ok(number),
            Some(number) if number.is_finite() => Err(self.bad_cell(column, "above 1e150 in magnitude")),
            Some(_) => Err(self.bad_cell(column, "not finite")),
            None => Err(self.bad_cell(column, "not a number")),
        }
    }

    fn cell(&self, column: usize) -> &[u8] {
        bare(self.lines.part(&self.cells[self.places[column]]))
    }

    fn bad_cell(&self, column: usize, what: &str) -> Failure {
        let cell = String::from_utf8_lossy(self.cell(column));
        self.lines.error(&format!("column {}: {cell:?} is {what}", self.names[column]))
    }

    /// An error that no cell has by itself.
    fn bad_frame(&self, side: usize, error: &Error) -> Failure {
        let (numbers, what) = match error {
            Error::Degenerate { .. } => {
                (self.columns.components(), "the components are dependent, the frame is flat".to_owned())
            }
            Error::Overflow { field: "speed", magnitude } => {
                (self.columns.speed(), format!("the frame moves by {magnitude:e} m, above 1e150 m"))
            }
            other => (self.columns.origin(), other.to_string()),
        };
        let name = |number: usize| &self.names[side * self.columns.per_frame() + 1 + number];
        let (first, last) = (name(numbers.start), name(numbers.end - 1));
        self.lines.error(&format!("columns {first} to {last}: frame {}: {what}", SIDES[side]))
    }
}
