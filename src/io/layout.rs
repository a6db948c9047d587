//! How JSON is laid out: compact, or readable with vectors on one line.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

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
