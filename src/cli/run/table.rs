//! The results of a study as a table for the terminal.

use std::fmt::Write;

use carom::study::{Estimate, Observable, PointSummary, Summary};

use crate::cli::report::number::{Format, power};

/// Estimates of all points with their intervals, and what the reader should know about them.
pub(crate) fn of(summary: &Summary) -> String {
    let has_reference =
        summary.points.iter().flat_map(|point| &point.estimates).any(|estimate| estimate.reference.is_some());
    let mut rows = vec![header(summary, has_reference)];
    for point in &summary.points {
        for (observable, estimate) in summary.observables.iter().zip(&point.estimates) {
            rows.push(row(point, observable, estimate, has_reference));
        }
    }
    let mut text = aligned(&rows);
    for note in notes(summary) {
        let _ = writeln!(text, "{note}");
    }
    text
}

fn header(summary: &Summary, has_reference: bool) -> Vec<String> {
    let mut header: Vec<String> = summary.axes.iter().map(|axis| axis.name.clone()).collect();
    let interval = format!("{}% interval", 100.0 * summary.study.confidence);
    header.extend(["observable".into(), "estimate".into(), interval, "+-%".into(), "samples".into()]);
    if has_reference {
        header.push("known".into());
    }
    header
}

fn row(
    point: &PointSummary,
    observable: &Observable,
    estimate: &Estimate,
    has_reference: bool,
) -> Vec<String> {
    let half = estimate.low.zip(estimate.high).map(|(low, high)| 0.5 * (high - low));
    let shown = |value: Option<f64>| value.map_or_else(|| "-".into(), |value| rounded(value, half));
    let name = if observable.unit.is_empty() {
        observable.name.clone()
    } else {
        format!("{} ({})", observable.name, observable.unit)
    };
    let interval = match (estimate.low, estimate.high) {
        (Some(_), Some(_)) => format!("{} .. {}", shown(estimate.low), shown(estimate.high)),
        _ => "-".into(),
    };
    let relative = match (half, estimate.value) {
        (Some(half), Some(value)) if value != 0.0 => format!("{:.2}", 100.0 * half / value.abs()),
        _ => "-".into(),
    };
    let mut row: Vec<String> = point.parameters.iter().map(|value| format!("{value}")).collect();
    row.extend([name, shown(estimate.value), interval, relative, estimate.samples.to_string()]);
    if has_reference {
        let known = estimate.reference.as_ref();
        row.push(
            known.map_or_else(String::new, |known| format!("{} {}", rounded(known.value, half), known.name)),
        );
    }
    row
}

/// A number with two digits of its uncertainty, as the page has it but in plain letters.
fn rounded(value: f64, half_width: Option<f64>) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let half = half_width.unwrap_or(0.0);
    let Format { exponent, decimals } = Format::new(value.abs().max(half), half);
    match exponent {
        0 => format!("{value:.decimals$}"),
        _ => format!("{:.decimals$}e{exponent}", value / power(exponent)),
    }
}

/// Columns of equal width: numbers to the right, names to the left.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let is_name = |column: usize| rows.iter().skip(1).any(|row| row[column].starts_with(char::is_alphabetic));
    let left: Vec<bool> = (0..columns).map(|column| is_name(column) || column + 1 == columns).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = (0..columns)
            .map(|column| match left[column] {
                true => format!("{:<1$}", row[column], widths[column]),
                false => format!("{:>1$}", row[column], widths[column]),
            })
            .collect();
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    text
}

/// Each note once, failures, and what has not been reached.
fn notes(summary: &Summary) -> Vec<String> {
    let mut notes = Vec::new();
    for (number, point) in summary.points.iter().enumerate() {
        let place = place(summary, number);
        for (observable, estimate) in summary.observables.iter().zip(&point.estimates) {
            if let Some(note) = &estimate.note {
                notes.push(format!("{}{place}: {note}", observable.name));
            }
        }
        notes.extend(point.warnings.iter().map(|warning| match place.as_str() {
            "" => warning.clone(),
            place => format!("{}: {warning}", place.trim_start()),
        }));
        if point.precise == Some(false) {
            notes.push(format!(
                "the precision asked for was not reached{place} in {} replicas",
                point.replicas
            ));
        }
        if point.failed > 0 {
            notes.push(format!("{} of {} replicas failed{place}", point.failed, point.replicas));
        }
    }
    if let Some(first) = summary.failures.first() {
        notes.push(format!(
            "the first: replica {} of point {}: {}",
            first.replica, first.point, first.message
        ));
    }
    const MOST: usize = 12;
    if notes.len() > MOST {
        let more = notes.len() - MOST;
        notes.truncate(MOST);
        notes.push(format!("... and {more} more notes: summary.json has them all"));
    }
    notes
}

fn place(summary: &Summary, point: usize) -> String {
    let names: Vec<String> = summary
        .axes
        .iter()
        .zip(&summary.points[point].parameters)
        .map(|(axis, value)| format!("{} = {value}", axis.name))
        .collect();
    if names.is_empty() { String::new() } else { format!(" at {}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_two_digits_into_their_uncertainty() {
        assert_eq!(rounded(1.634_712, Some(0.0021)), "1.6347");
        assert_eq!(rounded(0.123_456, Some(0.04)), "0.123");
        assert_eq!(rounded(123_456.0, Some(1500.0)), "123456");
        assert_eq!(rounded(1.234_56e-9, Some(1e-11)), "1.235e-9");
        assert_eq!(rounded(0.0, Some(0.1)), "0");
        assert_eq!(rounded(2.5, None), "2.50000");
    }
}
