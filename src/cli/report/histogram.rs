//! The distribution of a quantity: bars, quantiles, mean.

use carom::study::{Estimate, Histogram, Observable, Quantile, Spread};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::chart::{Chart, Frame, INK, MARK, Outcome, SERIES, SIZE};
use super::figure::{Figure, Key, words};
use super::number::{Format, count, minus, percent, significant};
use super::scale::Scale;
use crate::cli::Result;

/// Room for a label of a quantile, as a share of the width of the plot.
const LABEL: f64 = 80.0 / SIZE.0 as f64;

/// `None` if there is nothing to draw. `place` says at which point it was measured.
pub(super) fn figure(observable: &Observable, estimate: &Estimate, place: &str) -> Result<Option<Figure>> {
    let Some(spread) = &estimate.spread else { return Ok(None) };
    let edges = edges(&spread.histogram);
    let (Some(x), Some(y)) = (
        Scale::linear(edges.iter().flatten().copied()),
        Scale::linear_from_zero(spread.histogram.counts.iter().map(|count| *count as f64)),
    ) else {
        return Ok(None);
    };
    let frame = Frame {
        alt: &format!("Histogram of {}{place}", observable.name),
        x_title: &x.title(&words(observable), &observable.unit),
        y_title: &y.title("number of samples", ""),
        letters: 0,
        x: &x,
        y: &y,
    };
    let svg = frame.draw(|chart| {
        bars(chart, &edges, &spread.histogram.counts)?;
        quantiles(chart, &x, &y, &spread.quantiles)?;
        mean(chart, &x, &y, estimate.value)
    })?;
    let mut keys = vec![Key { class: "bar", text: format!("{} samples", count(estimate.samples)) }];
    if estimate.value.is_some_and(|value| x.holds(value)) {
        keys.push(Key { class: "line ink", text: "mean".into() });
    }
    if !spread.quantiles.is_empty() {
        keys.push(Key { class: "dashes mark", text: "quantiles".into() });
    }
    let title = format!("{}{place}", observable.name);
    Ok(Some(Figure { svg, title, keys, note: note(spread, &observable.unit) }))
}

/// Where each bar begins and ends. Values that are all the same have bins without width.
fn edges(histogram: &Histogram) -> Vec<[f64; 2]> {
    let Histogram { start, width, counts } = histogram;
    let least = if *start == 0.0 { 1e-3 } else { start.abs() * 1e-3 };
    let width = if *width > 0.0 { *width } else { least };
    (0..counts.len()).map(|n| [start + n as f64 * width, start + (n + 1) as f64 * width]).collect()
}

fn bars(chart: &mut Chart<'_, '_>, edges: &[[f64; 2]], counts: &[u64]) -> Outcome {
    let filled = edges.iter().zip(counts).filter(|(_, count)| **count > 0);
    let bar = |([left, right], count): (&[f64; 2], &u64)| {
        let mut bar = Rectangle::new([(*left, 0.0), (*right, *count as f64)], SERIES.mix(0.55).filled());
        bar.set_margin(0, 0, 1, 1);
        bar
    };
    chart.draw_series(filled.map(bar))?;
    Ok(())
}

/// Dashed lines with the shares above them, in a second row where they would overlap.
fn quantiles(chart: &mut Chart<'_, '_>, x: &Scale, y: &Scale, quantiles: &[Quantile]) -> Outcome {
    let (width, top) = (x.range().end - x.range().start, y.range().end);
    let font = ("sans-serif", 26).into_font().color(&MARK).pos(Pos::new(HPos::Center, VPos::Bottom));
    let mut last = [f64::NEG_INFINITY; 2];
    for quantile in quantiles.iter().filter(|quantile| x.holds(quantile.value)) {
        let at = quantile.value;
        chart.draw_series([DashedPathElement::new([(at, 0.0), (at, top)], 8, 6, MARK.stroke_width(3))])?;
        let Some(row) = last.iter().position(|before| at - before > LABEL * width) else { continue };
        last[row] = at;
        let rise = row as i32 * 22;
        chart
            .draw_series([EmptyElement::at((at, top))
                + Text::new(percent(quantile.share), (0, -2 - rise), font.clone())])?;
    }
    Ok(())
}

fn mean(chart: &mut Chart<'_, '_>, x: &Scale, y: &Scale, value: Option<f64>) -> Outcome {
    let line = value
        .filter(|value| x.holds(*value))
        .map(|value| PathElement::new([(value, 0.0), (value, y.range().end)].to_vec(), INK.stroke_width(3)));
    chart.draw_series(line)?;
    Ok(())
}

/// The quantiles as numbers, and how far the values go.
fn note(spread: &Spread, unit: &str) -> String {
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let ends = [spread.least, spread.greatest];
    let quantile = |quantile: &Quantile| {
        let share = percent(quantile.share);
        match (quantile.low, quantile.high) {
            (Some(low), Some(high)) => {
                let numbers = [quantile.value, low, high];
                let [value, low, high] = if numbers.iter().chain(&ends).all(|number| is_count(*number)) {
                    numbers.map(|number| minus(&format!("{number:.0}")))
                } else {
                    let format = Format::of_interval(low, high);
                    numbers.map(|number| format.write(number))
                };
                format!("{share}: {value} ({low} to {high})")
            }
            _ => format!("{share}: {}", significant(quantile.value, 4)),
        }
    };
    let mut parts: Vec<String> = spread.quantiles.iter().map(quantile).collect();
    parts.extend(
        spread.deviation.map(|deviation| format!("standard deviation {}", significant(deviation, 3))),
    );
    let [least, greatest] = ends.map(|value| significant(value, 4));
    parts.push(format!("from {least} to {greatest}{unit}"));
    parts.join("; ") + "."
}

/// Whether a number is a whole one, and small enough to be written in full.
fn is_count(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(least: f64, value: f64, greatest: f64) -> Spread {
        let quantile = Quantile { share: 0.5, value, low: Some(value), high: Some(value) };
        Spread {
            deviation: None,
            skewness: None,
            standard_error: None,
            least,
            greatest,
            quantiles: vec![quantile],
            histogram: Histogram { start: 0.0, width: 1.0, counts: Vec::new() },
        }
    }

    #[test]
    fn quantiles_of_counts_look_like_counts() {
        assert_eq!(note(&spread(0.0, 3.0, 12.0), ""), "50%: 3 (3 to 3); from 0 to 12.");
        assert_eq!(
            note(&spread(0.0, 3.0, 12.5), "m"),
            "50%: 3.00000 (3.00000 to 3.00000); from 0 to 12.5 m."
        );
    }
}
