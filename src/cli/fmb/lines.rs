//! Lines of text and their cells, with the number of the line for messages.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::{Failure, Result};
use crate::cli::{display, is_stream};

/// Length of the longest possible line of a table of pairs, in bytes.
const LONGEST_LINE: u64 = 1 << 16;

/// The lines of a file that are not blank.
pub(super) struct Lines {
    name: String,
    input: BufReader<Box<dyn Read>>,
    number: u64,
}

impl Lines {
    /// Opens a file, `-` for standard input.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let name = display(path);
        let input: Box<dyn Read> = if is_stream(path) {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).map_err(|error| Failure(format!("{name}: {error}")))?)
        };
        Ok(Self { name, input: BufReader::with_capacity(1 << 16, input), number: 0 })
    }

    /// Name of the file.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Replaces the lines of `block` by the next ones, at most `most`.
    pub(super) fn read(&mut self, block: &mut Block, most: usize) -> Result<()> {
        block.text.clear();
        block.lines.clear();
        while block.lines.len() < most {
            let start = block.text.len();
            let read = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut block.text);
            let length = read.map_err(|error| Failure(format!("{}: {error}", self.name)))?;
            if length == 0 {
                break;
            }
            self.number += 1;
            if length as u64 == LONGEST_LINE {
                return Err(self.error(self.number, "too long for a pair of frames"));
            }
            if block.text[start..].trim_ascii().is_empty() {
                block.text.truncate(start);
            } else {
                block.lines.push((self.number, block.text.len()));
            }
        }
        Ok(())
    }

    /// An error in a line, by its number.
    pub(super) fn error(&self, number: u64, what: &str) -> Failure {
        Failure(format!("{}: line {number}: {what}", self.name))
    }
}

/// Some lines that follow one another.
#[derive(Default)]
pub(super) struct Block {
    text: Vec<u8>,
    /// The number of each line, counted from 1, and where it ends.
    lines: Vec<(u64, usize)>,
}

impl Block {
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line and its number.
    pub(super) fn line(&self, at: usize) -> (u64, &[u8]) {
        let start = if at == 0 { 0 } else { self.lines[at - 1].1 };
        let (number, end) = self.lines[at];
        (number, &self.text[start..end])
    }
}

/// The cells of a line, without the spaces and quotes around them.
pub(super) fn cells(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| *byte == b',').map(|cell| {
        let cell = cell.trim_ascii();
        cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell)
    })
}
