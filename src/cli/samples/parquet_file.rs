//! Samples as Parquet: counts as 64-bit integers, numbers as doubles, null for NaN.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom::io::file::WholeFile;
use parquet::basic::{Compression, Repetition, Type as Physical};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::PointRows;
use crate::cli::{Failure, Result};

/// Columns of whole numbers: point and replica.
const COUNTS: usize = 2;

pub(super) struct ParquetFile {
    path: PathBuf,
    writer: SerializedFileWriter<WholeFile>,
}

impl ParquetFile {
    pub(super) fn create(path: &Path, columns: &[String]) -> Result<Self> {
        let failure = |error: ParquetError| Failure(format!("{}: {error}", path.display()));
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let schema = schema(columns).map_err(failure)?;
        let writer =
            SerializedFileWriter::new(WholeFile::create(path)?, Arc::new(schema), Arc::new(properties));
        Ok(Self { path: path.to_owned(), writer: writer.map_err(failure)? })
    }

    /// A point is a group of rows.
    pub(super) fn add(&mut self, rows: &PointRows) -> Result<()> {
        self.try_add(rows).map_err(|error| Failure(format!("{}: {error}", self.path.display())))
    }

    fn try_add(&mut self, rows: &PointRows) -> std::result::Result<(), ParquetError> {
        let count = rows.replicas.len();
        let mut group = self.writer.next_row_group()?;
        write_counts(&mut group, &vec![rows.point as i64; count])?;
        write_counts(&mut group, &rows.replicas.iter().map(|replica| *replica as i64).collect::<Vec<_>>())?;
        for parameter in &rows.parameters {
            write_numbers(&mut group, &vec![*parameter; count])?;
        }
        for column in &rows.values {
            write_numbers(&mut group, column)?;
        }
        group.close().map(|_| ())
    }

    pub(super) fn finish(self) -> Result<()> {
        let path = self.path;
        let file = self.writer.into_inner();
        Ok(file.map_err(|error| Failure(format!("{}: {error}", path.display())))?.commit()?)
    }
}

fn schema(columns: &[String]) -> std::result::Result<Type, ParquetError> {
    let column = |(number, name): (usize, &String)| {
        let (physical, repetition) = match number {
            0..COUNTS => (Physical::INT64, Repetition::REQUIRED),
            _ => (Physical::DOUBLE, Repetition::OPTIONAL),
        };
        Ok(Arc::new(Type::primitive_type_builder(name, physical).with_repetition(repetition).build()?))
    };
    let columns = columns.iter().enumerate().map(column).collect::<std::result::Result<_, ParquetError>>()?;
    Type::group_type_builder("samples").with_fields(columns).build()
}

type Group<'a> = SerializedRowGroupWriter<'a, WholeFile>;

fn write_counts(group: &mut Group<'_>, values: &[i64]) -> std::result::Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<Int64Type>().write_batch(values, None, None)?;
        column.close()?;
    }
    Ok(())
}

/// Definition levels say where there is a value: 1, or none: 0.
fn write_numbers(group: &mut Group<'_>, values: &[f64]) -> std::result::Result<(), ParquetError> {
    let levels: Vec<i16> = values.iter().map(|value| i16::from(!value.is_nan())).collect();
    let present: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    if let Some(mut column) = group.next_column()? {
        column.typed::<DoubleType>().write_batch(&present, Some(&levels), None)?;
        column.close()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::super::tests::two_points;
    use super::*;

    /// What a reader gets: the names of the columns and all rows.
    fn read(path: &Path) -> (Vec<String>, Vec<Vec<Field>>) {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let fields = reader.metadata().file_metadata().schema_descr().columns().to_vec();
        let rows = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().into_columns());
        let rows = rows.map(|row| row.into_iter().map(|(_, field)| field).collect()).collect();
        (fields.iter().map(|column| column.name().to_owned()).collect(), rows)
    }

    #[test]
    fn everything_is_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("samples.parquet");
        let (columns, points) = two_points();
        let mut file = ParquetFile::create(&path, &columns).unwrap_or_else(|error| panic!("{}", error.0));
        points.iter().for_each(|rows| file.add(rows).unwrap_or_else(|error| panic!("{}", error.0)));
        file.finish().unwrap_or_else(|error| panic!("{}", error.0));
        let (names, rows) = read(&path);
        assert_eq!(names, columns);
        let expected = points.iter().flat_map(|point| {
            (0..point.replicas.len()).map(|row| {
                let counts = [point.point, point.replicas[row]].map(|count| Field::Long(count as i64));
                let values = point.values.iter().map(|column| column[row]);
                let numbers = point.parameters.iter().copied().chain(values);
                let field = |value: f64| if value.is_nan() { Field::Null } else { Field::Double(value) };
                counts.into_iter().chain(numbers.map(field)).collect::<Vec<_>>()
            })
        });
        assert_eq!(rows, expected.collect::<Vec<_>>());
    }
}
