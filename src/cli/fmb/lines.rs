//! Lines of text and their cells, with the number of the line for messages.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;

use super::{Failure, Result};
use crate::cli::{display, is_stream};

/// No line of a table of pairs is longer, in bytes.
const LONGEST_LINE: u64 = 1 << 16;

/// The lines of a file that are not blank, and their numbers.
pub(super) struct Lines {
    name: String,
    input: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let name = display(path);
        let input: Box<dyn Read> = if is_stream(path) {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).map_err(|error| Failure(format!("{name}: {error}")))?)
        };
        Ok(Self { name, input: BufReader::new(input), line: Vec::new(), number: 0 })
    }

    /// Goes to the next line; false at the end.
    pub(super) fn advance(&mut self) -> Result<bool> {
        loop {
            self.line.clear();
            let read = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut self.line);
            match read.map_err(|error| Failure(format!("{}: {error}", self.name)))? {
                0 => return Ok(false),
                _ => self.number += 1,
            }
            if self.line.len() as u64 == LONGEST_LINE {
                return Err(self.error("too long for a pair of frames"));
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// Finds the cells of the line.
    pub(super) fn split(&self, cells: &mut Vec<Range<usize>>) {
        cells.clear();
        let mut start = 0;
        for cell in self.line.split(is_comma) {
            cells.push(start..start + cell.len());
            start += cell.len() + 1;
        }
    }

    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    pub(super) fn part(&self, range: &Range<usize>) -> &[u8] {
        &self.line[range.clone()]
    }

    /// An error in this line, counted from 1.
    pub(super) fn error(&self, what: &str) -> Failure {
        Failure(format!("{}: line {}: {what}", self.name, self.number))
    }
}

/// A cell without the spaces and quotes around it.
pub(super) fn bare(cell: &[u8]) -> &[u8] {
    let cell = cell.trim_ascii();
    cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell)
}

pub(super) fn is_comma(byte: &u8) -> bool {
    *byte == b','
}
