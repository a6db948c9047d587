//! `samples.csv`: inputs and results of the first replicas of every point.

use std::path::Path;

use carom::io::file::WholeFile;
use carom::study::{Samples, State, Study};

use super::{Failure, Result};

const SAMPLES: &str = "samples.csv";

/// Writes the samples that the study keeps; none if it keeps none.
pub(super) fn write(study: &Study, state: &State, directory: &Path) -> Result<()> {
    let path = directory.join(SAMPLES);
    let failed = |error: csv::Error| Failure(format!("{}: {error}", path.display()));
    let mut table = csv::Writer::from_writer(WholeFile::create(&path)?);
    table.write_record(columns(study)).map_err(failed)?;
    for point in 0..study.point_count() {
        let samples = state.samples(study, point)?;
        for row in 0..samples.replicas.len() {
            table.write_record(fields(study.parameters(point)?, point, &samples, row)).map_err(failed)?;
        }
    }
    let file =
        table.into_inner().map_err(|error| Failure(format!("{}: {}", path.display(), error.error())))?;
    Ok(file.commit()?)
}

/// Names of the columns, with units in brackets.
fn columns(study: &Study) -> Vec<String> {
    let with_unit =
        |name: &str, unit: &str| if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") };
    let swept = study.axes.iter().map(|axis| axis.name.clone());
    let inputs = study.inputs().into_iter().map(|(name, unit)| with_unit(name, unit));
    let values = study.observables().iter().map(|observable| with_unit(&observable.name, &observable.unit));
    ["point".to_owned(), "replica".to_owned()].into_iter().chain(swept).chain(inputs).chain(values).collect()
}

/// A row; what a replica says nothing about is empty.
fn fields(parameters: &[f64], point: usize, samples: &Samples, row: usize) -> Vec<String> {
    let number = |value: f64| if value.is_nan() { String::new() } else { format!("{value}") };
    let numbers = parameters
        .iter()
        .copied()
        .chain(samples.inputs.iter().chain(&samples.values).map(|column| column[row]));
    [point.to_string(), samples.replicas[row].to_string()].into_iter().chain(numbers.map(number)).collect()
}
