//! Results of workers: batches of replicas, reduced to tallies, sketches and the rows that are kept.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::model::{BatchColumns, Failure, Observable, ObservableKind};
use super::statistics::{Sketch, Tally};

/// Failures that are listed with their reason; all are counted.
pub(crate) const LISTED: usize = 100;

/// A replica with a value beyond this fails: sums of squares would overflow.
pub(crate) const LARGEST: f64 = 1e140;

/// One batch: consecutive replicas of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Batch {
    /// Number of the batch within its point.
    pub(crate) number: u64,
    /// Replicas in it: the size of a batch, or fewer in the last one of a point.
    pub(crate) rows: u64,
    /// One for each observable.
    pub(crate) tallies: Vec<Tally>,
    /// Replicas that could not be run.
    pub(crate) failed: u64,
    /// The first of them, at most [`LISTED`].
    pub(crate) failures: Vec<Failure>,
    /// The first rows, as many as are kept.
    pub(crate) kept: KeptRows,
}

impl Batch {
    /// Reduces the columns of a batch; its first `keep` rows are kept.
    pub(crate) fn of(
        observables: &[Observable],
        number: u64,
        rows: u64,
        keep: u64,
        block: &BatchColumns,
    ) -> Self {
        let tally = |(observable, values): (&Observable, &Vec<f64>)| Tally::of(observable.kind, values);
        Self {
            number,
            rows,
            tallies: observables.iter().zip(&block.values).map(tally).collect(),
            failed: block.failures.len() as u64,
            failures: block.failures.iter().take(LISTED).cloned().collect(),
            kept: KeptRows::first(keep.min(rows) as usize, block),
        }
    }
}

/// Batches of one point, and the distribution of every quantity over all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BatchResults {
    /// Number of the point.
    pub(crate) point: usize,
    /// The batches, in rising order.
    pub(crate) batches: Vec<Batch>,
    /// One for each observable; `None` for chances.
    pub(crate) sketches: Vec<Option<Sketch>>,
}

impl BatchResults {
    /// No batches yet.
    pub(crate) fn new(point: usize, observables: &[Observable]) -> Self {
        Self { point, batches: Vec::new(), sketches: no_sketches(observables) }
    }

    /// No batches yet, to be merged where `self` is merged too.
    pub(crate) fn next(&self) -> Self {
        let like = |sketch: &Option<Sketch>| sketch.as_ref().map(Sketch::for_merging_into);
        Self { point: self.point, batches: Vec::new(), sketches: self.sketches.iter().map(like).collect() }
    }

    /// Adds a batch and the values it was made of.
    pub(crate) fn add(&mut self, batch: Batch, values: &[Vec<f64>]) {
        for (sketch, values) in self.sketches.iter_mut().zip(values) {
            if let Some(sketch) = sketch {
                sketch.add(values);
            }
        }
        self.batches.push(batch);
    }
}

/// A sketch without values for each quantity.
pub(crate) fn no_sketches(observables: &[Observable]) -> Vec<Option<Sketch>> {
    let sketch = |observable: &Observable| (observable.kind == ObservableKind::Quantity).then(Sketch::new);
    observables.iter().map(sketch).collect()
}

/// Inputs and values of consecutive replicas, in columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptRows {
    #[serde(serialize_with = "write_bits", deserialize_with = "read_bits")]
    pub(crate) inputs: Vec<Vec<f64>>,
    #[serde(serialize_with = "write_bits", deserialize_with = "read_bits")]
    pub(crate) values: Vec<Vec<f64>>,
}

impl KeptRows {
    fn first(rows: usize, block: &BatchColumns) -> Self {
        if rows == 0 {
            return Self::default();
        }
        let cut = |columns: &[Vec<f64>]| columns.iter().map(|column| column[..rows].to_vec()).collect();
        Self { inputs: cut(&block.inputs), values: cut(&block.values) }
    }

    /// How many replicas are kept.
    pub(crate) fn rows(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }
}

/// JSON has no NaN: columns are stored as the hexadecimal digits of their bits, 16 for each number.
fn write_bits<S: Serializer>(columns: &[Vec<f64>], serializer: S) -> Result<S::Ok, S::Error> {
    let digits = |column: &Vec<f64>| -> String {
        column.iter().map(|value| format!("{:016x}", value.to_bits())).collect()
    };
    serializer.collect_seq(columns.iter().map(digits))
}

fn read_bits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<f64>>, D::Error> {
    let number = |digits: &[u8]| {
        let bits = std::str::from_utf8(digits).ok().filter(|digits| digits.len() == 16);
        bits.and_then(|bits| u64::from_str_radix(bits, 16).ok()).map(f64::from_bits)
    };
    let column = |digits: String| digits.as_bytes().chunks(16).map(number).collect::<Option<Vec<f64>>>();
    let columns: Option<_> = Vec::<String>::deserialize(deserializer)?.into_iter().map(column).collect();
    columns.ok_or_else(|| {
        serde::de::Error::custom("a column is not a sequence of numbers of 16 hexadecimal digits each")
    })
}

/// Turns replicas with values that cannot be averaged into failures.
pub(crate) fn reject_huge_values(observables: &[Observable], first: u64, block: &mut BatchColumns) {
    let huge = |value: &f64| value.abs() > LARGEST;
    if !block.values.iter().any(|column| column.iter().any(huge)) {
        return;
    }
    let rows = block.values.first().map_or(0, Vec::len);
    for row in 0..rows {
        let Some(which) = block.values.iter().position(|column| huge(&column[row])) else { continue };
        let message = format!("{} is {:e}, too large", observables[which].name, block.values[which][row]);
        block.values.iter_mut().for_each(|column| column[row] = f64::NAN);
        block.failures.push(Failure { replica: first + row as u64, message });
    }
    block.failures.sort_by_key(|failure| failure.replica);
}

/// Turns all replicas of a batch into failures.
pub(crate) fn fail_all(
    block: &mut BatchColumns,
    inputs: usize,
    values: usize,
    first: u64,
    rows: u64,
    message: &str,
) {
    block.reset(inputs, values, rows as usize);
    let columns = block.inputs.iter_mut().chain(&mut block.values);
    columns.for_each(|column| column.fill(f64::NAN));
    let failure = |row| Failure { replica: first + row, message: message.to_owned() };
    block.failures.extend((0..rows).map(failure));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::soundness::Expected;

    fn observables() -> Vec<Observable> {
        [("hit", ObservableKind::Chance), ("time", ObservableKind::Quantity)]
            .map(|(name, kind)| Observable {
                name: name.into(),
                unit: String::new(),
                description: String::new(),
                kind,
            })
            .to_vec()
    }

    #[test]
    fn huge_and_infinite_values_are_failures() {
        let mut block = BatchColumns {
            inputs: vec![vec![0.5; 4]],
            values: vec![vec![1.0; 4], vec![1.0, f64::INFINITY, -2e140, f64::NAN]],
            ..BatchColumns::default()
        };
        reject_huge_values(&observables(), 8, &mut block);
        let numbers: Vec<u64> = block.failures.iter().map(|failure| failure.replica).collect();
        assert_eq!(numbers, [9, 10]);
        assert_eq!(block.failures[0].message, "time is inf, too large");
        let batch = Batch::of(&observables(), 1, 4, 0, &block);
        assert_eq!(batch.tallies.iter().map(Tally::samples).collect::<Vec<_>>(), [2, 1]);
        assert_eq!((batch.failed, batch.kept.rows()), (2, 0));
    }

    #[test]
    fn a_parcel_comes_back_from_a_file_to_the_bit() {
        let odd = [f64::NAN, -0.0, f64::INFINITY, 0.1 + 0.2];
        let values = vec![vec![1.0, 0.0, 1.0, 1.0], vec![0.1, f64::NAN, 1e-310, 7.0]];
        let block = BatchColumns { inputs: vec![odd.to_vec()], values, ..BatchColumns::default() };
        let mut results = BatchResults::new(0, &observables());
        results.add(Batch::of(&observables(), 3, 4, 3, &block), &block.values);
        let read: BatchResults = serde_json::from_slice(&serde_json::to_vec(&results).unwrap()).unwrap();
        let bits = |results: &BatchResults| -> Vec<u64> {
            let kept = &results.batches[0].kept;
            kept.inputs.iter().chain(&kept.values).flatten().map(|value| value.to_bits()).collect()
        };
        assert_eq!(bits(&read), bits(&results));
        assert_eq!((read.batches[0].kept.rows(), bits(&read).len()), (3, 9));
        assert_eq!(read.batches[0].tallies, results.batches[0].tallies);
        let empty = vec![Tally::empty(ObservableKind::Chance), Tally::empty(ObservableKind::Quantity)];
        let mut expected = Expected { empty, inputs: 1, size: 8, keep: 27, goal: 28 };
        assert_eq!(read.check_partial(0, &expected), Ok(()));
        assert!(read.check_partial(1, &expected).is_err());
        expected.inputs = 2;
        let fault = read.check_partial(0, &expected).unwrap_err();
        assert_eq!(fault, "batches[0].kept.inputs has 1 columns, the study has 2");
        expected.empty.pop();
        assert!(read.check_partial(0, &expected).unwrap_err().contains("tallies has 2 entries"));
        let cut = serde_json::to_string(&results).unwrap().replace("7ff8", "zzzz");
        assert!(serde_json::from_str::<BatchResults>(&cut).is_err());
    }
}
