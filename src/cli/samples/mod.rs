//! `samples.csv` and `samples.parquet`: inputs and values of the replicas that a study keeps, a row each.
//!
//! Columns: `point` and `replica`, the swept parameters, the inputs, the observables, with axes and units in the names,
//! such as `miss_distance_m`. Where a replica has no value the cell is empty, in Parquet null.

mod csv_file;
#[cfg(feature = "parquet")]
mod parquet_file;

use std::path::Path;

use carom::io::columns::column_name;
use carom::study::{Axis, Observable, Samples, State, Study};

use self::csv_file::CsvFile;
#[cfg(feature = "parquet")]
use self::parquet_file::ParquetFile;
use super::Result;

/// The rows of one point, in columns.
#[derive(Debug, Clone, PartialEq)]
struct PointRows {
    point: u64,
    /// The values of the swept parameters.
    parameters: Vec<f64>,
    /// Numbers of the replicas.
    replicas: Vec<u64>,
    /// Inputs, then observables, each with one entry a replica; NaN where a replica says nothing.
    values: Vec<Vec<f64>>,
}

/// Writes the samples that a study keeps.
pub(super) fn write(study: &Study, state: &State, directory: &Path) -> Result<()> {
    let columns = columns(&study.axes, &study.inputs(), study.observables());
    let mut files = SampleFiles::create(directory, &columns)?;
    for point in 0..study.point_count() {
        let Samples { replicas, inputs, values, .. } = state.samples(study, point)?;
        files.add(&PointRows {
            point: point as u64,
            parameters: study.parameters(point)?.to_vec(),
            replicas,
            values: inputs.into_iter().chain(values).collect(),
        })?;
    }
    files.finish()
}

/// The files of samples while they are written. They get their names when all is there.
struct SampleFiles {
    csv: CsvFile,
    #[cfg(feature = "parquet")]
    parquet: ParquetFile,
}

impl SampleFiles {
    /// Begins the files in a directory.
    fn create(directory: &Path, columns: &[String]) -> Result<Self> {
        Ok(Self {
            csv: CsvFile::create(&directory.join("samples.csv"), columns)?,
            #[cfg(feature = "parquet")]
            parquet: ParquetFile::create(&directory.join("samples.parquet"), columns)?,
        })
    }

    fn add(&mut self, rows: &PointRows) -> Result<()> {
        self.csv.add(rows)?;
        #[cfg(feature = "parquet")]
        self.parquet.add(rows)?;
        Ok(())
    }

    fn finish(self) -> Result<()> {
        self.csv.finish()?;
        #[cfg(feature = "parquet")]
        self.parquet.finish()?;
        Ok(())
    }
}

/// Names of all columns. Of inputs there are names and units.
fn columns(axes: &[Axis], inputs: &[(&str, &str)], observables: &[Observable]) -> Vec<String> {
    let fixed = ["point", "replica"].map(str::to_owned).into_iter();
    let axes = axes.iter().map(|axis| axis.name.clone());
    let inputs = inputs.iter().map(|(name, unit)| column_name(name, unit));
    let observables = observables.iter().map(|observable| column_name(&observable.name, &observable.unit));
    fixed.chain(axes).chain(inputs).chain(observables).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use carom::study::ObservableKind;

    use super::*;

    pub(super) fn two_points() -> (Vec<String>, [PointRows; 2]) {
        let values = vec![0.1, 0.2];
        let (title, unit) = ("number density".into(), "1/m3".into());
        let axis = Axis { name: "gas.density".into(), values, logarithmic: false, title, unit };
        let inputs = [("gas.mix, \"odd\"", ""), ("gas.mass", "kg")];
        let pressure = Observable {
            name: "pressure".into(),
            unit: "Pa".into(),
            description: String::new(),
            kind: ObservableKind::Quantity,
        };
        let rows = |point: u64, values: Vec<Vec<f64>>| PointRows {
            point,
            parameters: vec![[0.1, 0.2][point as usize]],
            replicas: vec![0, 1, 5_000_000_000],
            values,
        };
        let first =
            vec![vec![1.0, 0.1 + 0.2, 1e300], vec![-0.0, 5e-324, 1e16], vec![f64::NAN, 3.0, f64::NAN]];
        let second = vec![vec![1.0; 3], vec![2.0; 3], vec![f64::NAN; 3]];
        (columns(&[axis], &inputs, &[pressure]), [rows(0, first), rows(1, second)])
    }

    #[test]
    fn tables_have_all_bits_and_empty_cells() {
        let directory = tempfile::tempdir().unwrap();
        let (columns, points) = two_points();
        let mut files =
            SampleFiles::create(directory.path(), &columns).unwrap_or_else(|error| panic!("{}", error.0));
        points.iter().for_each(|rows| files.add(rows).unwrap_or_else(|error| panic!("{}", error.0)));
        let path = directory.path().join("samples.csv");
        assert!(!path.exists(), "a file appears whole or not at all");
        files.finish().unwrap_or_else(|error| panic!("{}", error.0));
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "point,replica,gas.density,\"gas.mix, \"\"odd\"\"\",gas.mass_kg,pressure_Pa");
        assert_eq!(lines[1], "0,0,0.1,1.0,-0.0,");
        assert_eq!(lines[2], "0,1,0.1,0.30000000000000004,5e-324,3.0");
        assert_eq!(lines[3], "0,5000000000,0.1,1e300,1e16,");
        assert_eq!((lines[6], lines.len()), ("1,5000000000,0.2,1.0,2.0,", 7));
    }
}
