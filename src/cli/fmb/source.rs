//! Pairs of frames from a table: every cell is checked, and a bad one is named with its line and column.

use std::ops::Range;
use std::path::Path;

use carom::frames::LARGEST_COORDINATE;
use carom::{Context, Error, Frame, FrameKind, Frames};

use super::columns::{self, Columns, SIDES};
use super::lines::{Block, Lines, cells};
use super::{Failure, Result, number};

/// Lines that one thread reads at once.
pub(super) const PIECE: usize = 1 << 10;

/// A table whose header has been read.
pub(super) struct Source {
    lines: Lines,
    header: Vec<String>,
    /// The number of the line of the header.
    header_line: u64,
}

impl Source {
    /// Opens a file, `-` for standard input.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let (mut lines, mut block) = (Lines::open(path)?, Block::default());
        lines.read(&mut block, 1)?;
        if block.len() == 0 {
            return Err(Failure(format!("{}: the file is empty: there is no header", lines.name())));
        }
        let (header_line, line) = block.line(0);
        let text = String::from_utf8_lossy(line);
        // Spreadsheets may mark the start of a text file.
        let bare = cells(text.trim_start_matches('\u{feff}').as_bytes());
        let header = bare.map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
        Ok(Self { lines, header, header_line })
    }

    /// The dimension of the frames, by the header.
    pub(super) fn dim(&self) -> u8 {
        if self.header.iter().any(|name| name == "a_o2") { 3 } else { 2 }
    }

    /// The pairs of the table, whose frames move for `duration` seconds or rest.
    pub(super) fn pairs<const D: usize>(self, duration: Option<f64>) -> Result<PairReader<D>> {
        let columns = Columns { moving: duration.is_some() };
        let names = columns.names();
        let header_error = |what: String| self.lines.error(self.header_line, &what);
        let place = |name: &String| self.header.iter().position(|found| found == name);
        for (at, found) in self.header.iter().enumerate() {
            if !names.contains(found) {
                return Err(header_error(unknown::<D>(found)));
            }
            if self.header[..at].contains(found) {
                return Err(header_error(format!("the column {found} appears twice")));
            }
        }
        let places = names
            .iter()
            .map(|name| place(name).ok_or_else(|| header_error(format!("the column {name} is missing"))))
            .collect::<Result<Vec<_>>>()?;
        let mut cells = vec![Cell { side: 0, number: None }; places.len()];
        for (column, &place) in places.iter().enumerate() {
            let (side, at) = (column / columns.per_frame(), column % columns.per_frame());
            cells[place] = Cell { side, number: at.checked_sub(1) };
        }
        Ok(PairReader { lines: self.lines, columns, names, places, cells, duration, block: Block::default() })
    }
}

/// Says that there is no such column, with the likely mistake.
fn unknown<const D: usize>(name: &str) -> String {
    let has = |names: Vec<String>| names.iter().any(|known| known == name);
    let hint = if has(Columns::<D> { moving: true }.names()) {
        ": velocities need --moving"
    } else if has(Columns::<3> { moving: true }.names()) {
        ": it needs --dim 3"
    } else if kind(name.as_bytes()).is_ok() || checked_number(name.as_bytes()).is_ok() {
        ": the first line must name the columns"
    } else if name.contains([';', '\t']) {
        ": columns are separated by commas"
    } else {
        ""
    };
    format!("there is no column {name:?}{hint}")
}

/// Reads one pair of frames per line.
pub(super) struct PairReader<const D: usize> {
    lines: Lines,
    columns: Columns<D>,
    names: Vec<String>,
    /// For each of the names, its place in a line.
    places: Vec<usize>,
    /// For each place in a line what stands there.
    cells: Vec<Cell>,
    duration: Option<f64>,
    block: Block,
}

/// What a cell of a line holds.
#[derive(Clone, Copy)]
struct Cell {
    /// Of which frame.
    side: usize,
    /// Which of its numbers; none for its kind.
    number: Option<usize>,
}

impl<const D: usize> PairReader<D> {
    /// Replaces the frames in `sets` by those of the next lines, at most `most`.
    pub(super) fn read(&mut self, context: &Context, sets: &mut [Frames<D>; 2], most: usize) -> Result<()> {
        self.lines.read(&mut self.block, most)?;
        sets.iter_mut().for_each(Frames::clear);
        // Threads share the lines that have been read, not the file.
        let Self { lines, columns, names, places, cells, duration, block } = self;
        let table = Layout { columns: *columns, names, places, cells, duration: *duration };
        let pieces = context.map_chunks(block.len(), PIECE, |range| table.pairs(block, range));
        for piece in pieces {
            let frames = piece.map_err(|(line, what)| lines.error(line, &what))?;
            for (set, frames) in sets.iter_mut().zip(&frames) {
                set.add_many(frames)?;
            }
        }
        Ok(())
    }
}

/// The frames a and b of pairs.
type BothSides<const D: usize> = [Vec<Frame<D>>; 2];

/// How a line is parsed.
struct Layout<'a, const D: usize> {
    columns: Columns<D>,
    names: &'a [String],
    places: &'a [usize],
    cells: &'a [Cell],
    duration: Option<f64>,
}

/// Most numbers of a frame.
const MOST_NUMBERS: usize = 15;

impl<const D: usize> Layout<'_, D> {
    /// The frames of some lines, or the number of a bad line and what is wrong with it.
    fn pairs(&self, block: &Block, range: Range<usize>) -> std::result::Result<BothSides<D>, (u64, String)> {
        let mut sides = [(); 2].map(|()| Vec::with_capacity(range.len()));
        let (mut found, mut numbers) = (Vec::new(), vec![0.0; self.columns.per_frame() - 1]);
        for at in range {
            let (line, text) = block.line(at);
            let pair = match self.plain_pair(text) {
                Some(pair) => pair,
                None => {
                    found.clear();
                    found.extend(cells(text));
                    self.pair(&found, &mut numbers).map_err(|what| (line, what))?
                }
            };
            sides.iter_mut().zip(pair).for_each(|(side, frame)| side.push(frame));
        }
        Ok(sides)
    }

    /// The pair of a line without spaces and quotes, in one pass; none if anything about it is unusual or wrong.
    fn plain_pair(&self, line: &[u8]) -> Option<[Frame<D>; 2]> {
        let (mut kinds, mut numbers) = ([FrameKind::Cuboid; 2], [[0.0; MOST_NUMBERS]; 2]);
        let mut rest = line.trim_ascii_end();
        for (place, cell) in self.cells.iter().enumerate() {
            if place > 0 {
                rest = rest.strip_prefix(b",")?;
            }
            let length = match cell.number {
                Some(at) => {
                    let (value, length) = number::leading(rest).or_else(|| any_number(rest))?;
                    numbers[cell.side][at] = value;
                    length
                }
                None => {
                    kinds[cell.side] = columns::kind(rest.get(..1)?)?;
                    1
                }
            };
            rest = &rest[length..];
        }
        let frame =
            |side: usize| self.columns.frame(kinds[side], &numbers[side][..self.columns.per_frame() - 1]);
        let pair = [frame(0), frame(1)];
        let is_sound = |frame: &Frame<D>| frame.check(self.duration.unwrap_or(0.0), 0).is_ok();
        (rest.is_empty() && pair.iter().all(is_sound)).then_some(pair)
    }

    fn pair(&self, cells: &[&[u8]], numbers: &mut [f64]) -> Checked<[Frame<D>; 2]> {
        if cells.len() != self.places.len() {
            return Err(self.wrong_number(cells.len()));
        }
        Ok([self.frame(0, cells, numbers)?, self.frame(1, cells, numbers)?])
    }

    /// Says that a line has `found` columns, and which would be the next if that is too few.
    fn wrong_number(&self, found: usize) -> String {
        let next = self.places.iter().position(|place| *place == found);
        let end = next.map_or_else(String::new, |column| format!(": it ends before {}", self.names[column]));
        format!("{found} columns, the header has {}{end}", self.places.len())
    }

    fn frame(&self, side: usize, cells: &[&[u8]], numbers: &mut [f64]) -> Checked<Frame<D>> {
        let first = side * self.columns.per_frame();
        let in_column = |column: usize, what: String| format!("column {}: {what}", self.names[column]);
        let cell = |column: usize| cells[self.places[column]];
        let kind = kind(cell(first)).map_err(|what| in_column(first, what))?;
        for (at, entry) in (first + 1..).zip(&mut *numbers) {
            *entry = checked_number(cell(at)).map_err(|what| in_column(at, what))?;
        }
        let frame = self.columns.frame(kind, numbers);
        frame.check(self.duration.unwrap_or(0.0), 0).map_err(|error| self.bad_frame(side, &error))?;
        Ok(frame)
    }

    /// An error of a whole frame, whose cells are all good.
    fn bad_frame(&self, side: usize, error: &Error) -> String {
        let (numbers, what) = match error {
            Error::Degenerate { .. } => {
                (self.columns.components(), "the components are dependent: the frame is flat".to_owned())
            }
            Error::Overflow { field: "velocity", magnitude, .. } => {
                (self.columns.velocity(), format!("the frame moves by {magnitude:e} m: the limit is 1e150 m"))
            }
            other => (self.columns.origin(), other.to_string()),
        };
        let name = |number: usize| &self.names[side * self.columns.per_frame() + 1 + number];
        let (first, last) = (name(numbers.start), name(numbers.end - 1));
        format!("columns {first} to {last}: frame {}: {what}", SIDES[side])
    }
}

/// A value, or what is wrong with its text.
type Checked<T> = std::result::Result<T, String>;

fn kind(cell: &[u8]) -> Checked<FrameKind> {
    columns::kind(cell).ok_or_else(|| bad(cell, "neither C nor T"))
}

/// The number of the first cell of a line, also with many digits or an exponent, and its length.
fn any_number(line: &[u8]) -> Option<(f64, usize)> {
    let length = line.iter().position(|byte| *byte == b',').unwrap_or(line.len());
    Some((checked_number(&line[..length]).ok()?, length))
}

fn checked_number(cell: &[u8]) -> Checked<f64> {
    let number = std::str::from_utf8(cell).ok().and_then(|text| text.parse::<f64>().ok());
    match number {
        Some(number) if number.abs() <= LARGEST_COORDINATE => Ok(number),
        Some(number) if number.is_finite() => Err(bad(cell, "above 1e150 in magnitude")),
        Some(_) => Err(bad(cell, "not finite")),
        None => Err(bad(cell, "not a number")),
    }
}

/// Names a cell, or the start of a long one.
fn bad(cell: &[u8], what: &str) -> String {
    format!("{:?} is {what}", String::from_utf8_lossy(&cell[..cell.len().min(80)]))
}
