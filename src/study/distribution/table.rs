//! Values from a table in a file, each as likely as the others or by its weight.
//!
//! A line has a value and, in all lines or in none, a weight behind it, separated by a comma or by blanks. Empty lines, what
//! follows a `#`, and a first line of names are skipped.

use crate::document::Value;
use crate::document::units::Unit;
use crate::error::Result;

/// Values with the upper ends of their parts of (0, 1].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    values: Vec<f64>,
    /// Rising; the last one is 1.
    ends: Vec<f64>,
}

impl Table {
    /// The table in the file that the value names, with values in `unit`.
    pub(super) fn read(value: &Value<'_>, unit: Unit) -> Result<Self> {
        let name = value.text()?;
        let (values, weights) =
            parse(value.file(name)?).map_err(|detail| value.error(format!("is {name:?}; {detail}")))?;
        if values.is_empty() {
            return Err(value.error(format!("is {name:?}, which has no values")));
        }
        let values = values.into_iter().map(|number| unit.si(number)).collect();
        Self::new(values, &weights).ok_or_else(|| {
            value.error(format!("is {name:?}; the weights in it must have a finite sum above 0"))
        })
    }

    /// `None` if the weights have no finite sum above 0; without weights all values are equally likely.
    fn new(values: Vec<f64>, weights: &[f64]) -> Option<Self> {
        let total: f64 = if weights.is_empty() { values.len() as f64 } else { weights.iter().sum() };
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        let mut sum = 0.0;
        let mut ends: Vec<f64> = (0..values.len())
            .map(|k| {
                sum += weights.get(k).copied().unwrap_or(1.0);
                sum / total
            })
            .collect();
        // Rounding must not leave anything behind the last value that has a weight.
        let last = ends.iter().rposition(|end| *end < ends[ends.len() - 1]).map_or(0, |k| k + 1);
        ends[last..].fill(1.0);
        Some(Self { values, ends })
    }

    /// The least and the greatest value.
    pub(super) fn range(&self) -> [f64; 2] {
        let ends = |[low, high]: [f64; 2], value: &f64| [low.min(*value), high.max(*value)];
        self.values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], ends)
    }

    /// The value whose part contains a number in (0, 1].
    pub(super) fn value(&self, share: f64) -> f64 {
        let place = self.ends.partition_point(|end| *end < share);
        self.values[place.min(self.values.len() - 1)]
    }
}

/// Values and weights, if there are any; or what is wrong, with its line.
fn parse(text: &str) -> std::result::Result<(Vec<f64>, Vec<f64>), String> {
    let mut rows = rows(text).peekable();
    rows.next_if(|(_, cells)| cells.iter().all(|cell| number(cell).is_none()));
    let (mut values, mut weights) = (Vec::new(), Vec::new());
    for (line, cells) in rows {
        let numbers: Option<Vec<f64>> = cells.iter().map(|cell| number(cell)).collect();
        match numbers.as_deref() {
            Some(&[value]) if weights.is_empty() => values.push(value),
            Some(&[_, weight]) if weight < 0.0 => {
                return Err(format!("its line {line} has the weight {weight}: it must not be negative"));
            }
            Some(&[value, weight]) if weights.len() == values.len() => {
                values.push(value);
                weights.push(weight);
            }
            Some(_) => {
                let found = cells.len();
                let rule = "every line has a value, or every line a value and a weight";
                return Err(format!("its line {line} has {found} entries: {rule}"));
            }
            None => {
                return Err(format!(
                    "its line {line} has {:?}: there must be finite numbers",
                    cells.join(" ")
                ));
            }
        }
    }
    Ok((values, weights))
}

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Numbers (from 1) and cells of the lines that have any.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    text.lines().enumerate().filter_map(|(number, line)| {
        let content = line.split('#').next().unwrap_or_default();
        let cells: Vec<&str> =
            content.split(|c: char| c == ',' || c.is_whitespace()).filter(|cell| !cell.is_empty()).collect();
        (!cells.is_empty()).then_some((number + 1, cells))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_line_by_line() {
        let plain = "# lengths\nlength\n1.5\n\n2e3 # long\n-1\n";
        assert_eq!(parse(plain), Ok((vec![1.5, 2e3, -1.0], vec![])));
        assert_eq!(parse("value,weight\n1, 2\n3\t0\n"), Ok((vec![1.0, 3.0], vec![2.0, 0.0])));
        for (text, expected) in [
            ("1\nx\n", "its line 2 has \"x\": there must be finite numbers"),
            ("1\ninf\n", "its line 2 has \"inf\": there must be finite numbers"),
            (
                "1 2\n3\n",
                "its line 2 has 1 entries: every line has a value, or every line a value and a weight",
            ),
            ("1 -2\n", "its line 1 has the weight -2: it must not be negative"),
        ] {
            assert_eq!(parse(text), Err(expected.to_owned()));
        }
    }

    #[test]
    fn parts_of_the_unit_interval_are_as_wide_as_the_weights() {
        let even = Table::new(vec![1.0, 2.0, 3.0, 4.0], &[]).unwrap();
        let found = [1e-20, 0.25, 0.250_001, 0.75, 1.0].map(|share| even.value(share));
        assert_eq!(found, [1.0, 1.0, 2.0, 3.0, 4.0]);
        let weighted = Table::new(vec![1.0, 2.0, 3.0], &[1.0, 3.0, 0.0]).unwrap();
        assert_eq!([0.25, 0.26, 1.0].map(|share| weighted.value(share)), [1.0, 2.0, 2.0]);
        assert_eq!(weighted.range(), [1.0, 3.0]);
        assert_eq!(Table::new(vec![1.0], &[0.0]), None);
        // A tenth, ten times, is a little less than 1.
        let tenths = Table::new((0..10).map(f64::from).collect(), &[0.1; 10]).unwrap();
        assert_eq!(tenths.value(1.0), 9.0);
    }
}
