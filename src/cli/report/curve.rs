//! A sweep over one parameter: a curve with its intervals, and the one that is known.

use carom::study::{Axis, Estimate, Observable, PointSummary};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::chart::{Chart, Frame, Outcome, REFERENCE, SERIES, WIDE, picture};
use super::figure::{Figure, Key, words, words_of_axis};
use super::number::percent;
use super::residual::{RESIDUAL_HEIGHT, Residuals};
use super::scale::{Scale, extremes};
use crate::cli::Result;

/// With more points than that bars are too close: the band says the same.
const MOST_BARS: usize = 60;
/// Values whose ratio is beyond that are drawn by their ratio.
const RATIO: f64 = 50.0;

/// One estimate on its way along the axis.
pub(super) struct Step {
    pub(super) x: f64,
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Only the upper end is known.
    pub(super) is_bound: bool,
}

pub(super) fn figure(
    axis: &Axis,
    observable: &Observable,
    points: &[PointSummary],
    index: usize,
    confidence: f64,
) -> Result<Option<Figure>> {
    let along = sorted(points, index);
    let steps: Vec<Option<Step>> = along.iter().map(|(x, estimate)| step(*x, estimate)).collect();
    let reference: Vec<(f64, f64)> =
        along.iter().filter_map(|(x, estimate)| Some((*x, estimate.reference.as_ref()?.value))).collect();
    let values = axis.values.iter().copied();
    let x = if axis.logarithmic { Scale::logarithmic(values) } else { Scale::linear(values) };
    let (Some(x), Some(y)) = (x, scale(&steps, &reference)) else { return Ok(None) };
    let residuals = Residuals::of(&along);
    let letters = residuals.as_ref().map_or(0, Residuals::letters).max(y.longest_label());
    let x_title = x.title(words_of_axis(axis), &axis.unit);
    let frame = Frame {
        alt: &format!("{} against {}", observable.name, axis.name),
        x_title: if residuals.is_some() { "" } else { &x_title },
        y_title: &y.title(&words(observable), &observable.unit),
        x: &x,
        y: &y,
        letters,
    };
    let height = WIDE.1 + if residuals.is_some() { RESIDUAL_HEIGHT } else { 0 };
    let svg = picture(frame.alt, (WIDE.0, height), |area| {
        let (upper, lower) = area.split_vertically(WIDE.1);
        frame.draw_on(&upper, |chart| {
            for run in steps.split(Option::is_none) {
                let known: Vec<&Step> = run.iter().flatten().filter(|step| !step.is_bound).collect();
                draw_run(chart, &x, &y, &known)?;
            }
            draw_reference(chart, &x, &y, &reference)?;
            draw_marks(chart, &x, &y, &steps.iter().flatten().collect::<Vec<_>>())
        })?;
        residuals
            .as_ref()
            .map_or(Ok(()), |residuals| residuals.draw(&lower, &x, [&x_title, &observable.unit], letters))
    })?;
    let keys = keys(&steps, along.iter().find_map(|(_, estimate)| estimate.reference.as_ref()), confidence);
    let title = format!("{} against {}", observable.name, axis.name);
    Ok(Some(Figure { svg, title, keys, note: note(&steps, &y) }))
}

/// The estimates of one observable by rising value of the axis.
fn sorted(points: &[PointSummary], index: usize) -> Vec<(f64, &Estimate)> {
    let mut along: Vec<(f64, &Estimate)> =
        points.iter().map(|point| (point.parameters[0], &point.estimates[index])).collect();
    along.sort_by(|(one, _), (two, _)| one.total_cmp(two));
    along
}

pub(super) fn step(x: f64, estimate: &Estimate) -> Option<Step> {
    let (value, low, high) = (estimate.value?, estimate.low?, estimate.high?);
    let is_bound = estimate.hits == Some(0);
    [value, low, high].iter().all(|value| value.is_finite()).then_some(Step { x, value, low, high, is_bound })
}

/// By ratio if the values need it; from 0 if they come near it.
fn scale(steps: &[Option<Step>], reference: &[(f64, f64)]) -> Option<Scale> {
    let known = || steps.iter().flatten().filter(|step| !step.is_bound);
    let bounds = steps.iter().flatten().filter(|step| step.is_bound).map(|step| step.high);
    let ends = known().flat_map(|step| [step.low, step.high]).chain(bounds);
    let all = ends.chain(reference.iter().map(|(_, value)| *value));
    let all: Vec<f64> = all.collect();
    let (least, most) = extremes(known().map(|step| step.value))?;
    let positive = known().all(|step| step.low > 0.0) && reference.iter().all(|(_, value)| *value > 0.0);
    if positive && most > RATIO * least {
        return Scale::logarithmic(all);
    }
    let (low, high) = extremes(all.iter().copied())?;
    if low >= 0.0 && low < 0.3 * high { Scale::linear_from_zero(all) } else { Scale::linear(all) }
}

fn draw_run(chart: &mut Chart<'_, '_>, x: &Scale, y: &Scale, run: &[&Step]) -> Outcome {
    let at =
        |value: fn(&Step) -> f64| run.iter().map(move |step| (x.position(step.x), y.position(value(step))));
    let band: Vec<(f64, f64)> = at(|step| step.high).chain(at(|step| step.low).rev()).collect();
    chart.draw_series([Polygon::new(band, SERIES.mix(0.22))])?;
    let line: Vec<(f64, f64)> = at(|step| step.value).collect();
    chart.draw_series([PathElement::new(line, SERIES.stroke_width(3))])?;
    Ok(())
}

fn draw_reference(chart: &mut Chart<'_, '_>, x: &Scale, y: &Scale, reference: &[(f64, f64)]) -> Outcome {
    let line: Vec<(f64, f64)> =
        reference.iter().map(|(at, value)| (x.position(*at), y.position(*value))).collect();
    chart.draw_series([DashedPathElement::new(line, 14, 8, REFERENCE.stroke_width(4))])?;
    Ok(())
}

pub(super) fn draw_marks(chart: &mut Chart<'_, '_>, x: &Scale, y: &Scale, steps: &[&Step]) -> Outcome {
    for step in steps {
        let at = |value: f64| (x.position(step.x), y.position(value));
        if step.is_bound {
            chart.draw_series([TriangleMarker::new(at(step.high), -12, SERIES.stroke_width(3))])?;
            continue;
        }
        if steps.len() <= MOST_BARS {
            chart
                .draw_series([PathElement::new(vec![at(step.low), at(step.high)], SERIES.stroke_width(3))])?;
            for end in [step.low, step.high] {
                let cap = PathElement::new(vec![(-9, 0), (9, 0)], SERIES.stroke_width(3));
                chart.draw_series([EmptyElement::at(at(end)) + cap])?;
            }
        }
        chart.draw_series([Circle::new(at(step.value), 6, SERIES.filled())])?;
    }
    Ok(())
}

fn keys(steps: &[Option<Step>], reference: Option<&carom::study::Reference>, confidence: f64) -> Vec<Key> {
    let mut keys = vec![
        Key { class: "line", text: "estimate".into() },
        Key { class: "band", text: format!("{} interval", percent(confidence)) },
    ];
    if steps.iter().flatten().any(|step| step.is_bound) {
        keys.push(Key { class: "bound", text: "upper bound: no hits".into() });
    }
    keys.extend(reference.map(|reference| Key { class: "dashes reference", text: reference.name.clone() }));
    keys
}

fn note(steps: &[Option<Step>], y: &Scale) -> String {
    let missing = steps.iter().filter(|step| step.is_none()).count();
    let mut parts = Vec::new();
    if missing > 0 {
        parts.push(format!("{missing} of {} points have no estimate and are left out.", steps.len()));
    }
    if y.is_logarithmic() {
        parts.push("Logarithmic scale.".to_owned());
    }
    parts.join(" ")
}
