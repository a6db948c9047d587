//! Samples as CSV.

use std::path::{Path, PathBuf};

use carom::io::file::WholeFile;

use super::PointRows;
use crate::cli::{Failure, Result};

pub(super) struct CsvFile {
    path: PathBuf,
    writer: csv::Writer<WholeFile>,
}

impl CsvFile {
    pub(super) fn create(path: &Path, columns: &[String]) -> Result<Self> {
        let mut file =
            Self { path: path.to_owned(), writer: csv::Writer::from_writer(WholeFile::create(path)?) };
        let outcome = file.writer.write_record(columns);
        outcome.map_err(|error| file.failure(&error))?;
        Ok(file)
    }

    pub(super) fn add(&mut self, rows: &PointRows) -> Result<()> {
        (0..rows.replicas.len())
            .try_for_each(|row| self.writer.write_record(cells(rows, row)))
            .map_err(|error| self.failure(&error))
    }

    pub(super) fn finish(self) -> Result<()> {
        let path = self.path;
        let file = self.writer.into_inner();
        Ok(file.map_err(|error| Failure(format!("{}: {}", path.display(), error.error())))?.commit()?)
    }

    fn failure(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure(format!("{}: {error}", self.path.display()))
    }
}

/// The shortest numbers that are read back as they were.
fn cells(rows: &PointRows, row: usize) -> impl Iterator<Item = String> {
    let number = |value: f64| if value.is_nan() { String::new() } else { format!("{value:?}") };
    let values = rows.values.iter().map(move |column| column[row]);
    let numbers = rows.parameters.iter().copied().chain(values).map(number);
    [rows.point, rows.replicas[row]].map(|count| count.to_string()).into_iter().chain(numbers)
}
