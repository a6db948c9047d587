//! How an estimate settles while replicas come in.

use carom::study::{Convergence, Estimate, Observable};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::chart::{Chart, Frame, Outcome, REFERENCE, SERIES};
use super::figure::{Figure, Key, words};
use super::number::{percent, significant};
use super::scale::{Scale, extremes};
use crate::cli::Result;

/// Intervals this many times as wide as the last one are left out: they would flatten the rest.
const WIDEST: f64 = 12.0;

/// `None` if there is nothing to draw. `place` says at which point it was measured.
pub(super) fn figure(
    observable: &Observable,
    estimate: &Estimate,
    confidence: f64,
    place: &str,
) -> Result<Option<Figure>> {
    let course = shown(&estimate.convergence);
    let reference = estimate.reference.as_ref().filter(|reference| is_near(reference.value, course));
    let ends = course.iter().flat_map(|step| [step.low, step.high]);
    let (Some(x), Some(y)) = (
        Scale::logarithmic(course.iter().map(|step| step.samples as f64)),
        Scale::linear(ends.chain(reference.map(|reference| reference.value))),
    ) else {
        return Ok(None);
    };
    if course.len() < 2 {
        return Ok(None);
    }
    let frame = Frame {
        alt: &format!("Convergence of {}{place}", observable.name),
        x_title: "number of samples",
        y_title: &y.title(&words(observable), &observable.unit),
        letters: 0,
        x: &x,
        y: &y,
    };
    let svg = frame.draw(|chart| {
        draw(chart, &x, course)?;
        let ends = [x.range().start, x.range().end];
        let line = reference.map(|reference| {
            let line = ends.map(|end| (end, reference.value));
            DashedPathElement::new(line, 14, 8, REFERENCE.stroke_width(4))
        });
        chart.draw_series(line)?;
        Ok(())
    })?;
    let mut keys = vec![
        Key { class: "line", text: "estimate".into() },
        Key { class: "band", text: format!("{} interval", percent(confidence)) },
    ];
    keys.extend(reference.map(|reference| Key { class: "dashes reference", text: reference.name.clone() }));
    let title = format!("{}{place}", observable.name);
    Ok(Some(Figure { svg, title, keys, note: note(estimate, reference.is_some()) }))
}

/// The part of the course after its wildest beginning, two steps at least.
fn shown(course: &[Convergence]) -> &[Convergence] {
    let Some(last) = course.last() else { return course };
    let width = |step: &Convergence| step.high - step.low;
    let wild = course.iter().take_while(|step| width(step) > WIDEST * width(last)).count();
    &course[wild.min(course.len().saturating_sub(2))..]
}

/// Whether a reference can be drawn without flattening the rest.
fn is_near(reference: f64, course: &[Convergence]) -> bool {
    let Some((low, high)) = extremes(course.iter().flat_map(|step| [step.low, step.high])) else {
        return false;
    };
    let margin = WIDEST * (high - low);
    (low - margin..=high + margin).contains(&reference)
}

fn draw(chart: &mut Chart<'_, '_>, x: &Scale, course: &[Convergence]) -> Outcome {
    let at = |value: fn(&Convergence) -> f64| {
        course.iter().map(move |step| (x.position(step.samples as f64), value(step)))
    };
    let band: Vec<(f64, f64)> = at(|step| step.high).chain(at(|step| step.low).rev()).collect();
    chart.draw_series([Polygon::new(band, SERIES.mix(0.22))])?;
    let line: Vec<(f64, f64)> = at(|step| step.value).collect();
    chart.draw_series([PathElement::new(line, SERIES.stroke_width(4))])?;
    Ok(())
}

fn note(estimate: &Estimate, is_drawn: bool) -> String {
    match &estimate.reference {
        Some(reference) if !is_drawn => {
            format!("{}: {}, which is out of sight.", reference.name, significant(reference.value, 5))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wild_beginning_is_left_out() {
        let step = |samples, width: f64| Convergence { samples, value: 0.0, low: -width, high: width };
        let course = [step(1, 100.0), step(10, 9.0), step(100, 3.0), step(1000, 1.0)];
        assert_eq!(shown(&course), &course[1..]);
        assert_eq!(shown(&course[..2]), &course[..2]);
        assert!(shown(&[]).is_empty());
        assert!(is_near(100.0, &course[1..]) && !is_near(1000.0, &course[1..]));
    }
}
