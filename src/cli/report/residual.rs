//! How far estimates are from theory: the plot below a curve, and the numbers of the field below a field.

use carom::study::Estimate;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::chart::{Area, Frame, Outcome, REFERENCE};
use super::curve::{Step, draw_marks, step};
use super::scale::Scale;

/// Room for it below the curve.
pub(super) const RESIDUAL_HEIGHT: u32 = 430;

/// Differences of estimates and theory, with the intervals of the estimates.
pub(super) struct Residuals {
    steps: Vec<Step>,
    y: Scale,
    /// In percent of theory, or in the unit of the observable.
    is_relative: bool,
}

impl Residuals {
    /// `None` without theory, or without estimates where there is one.
    pub(super) fn of(along: &[(f64, &Estimate)]) -> Option<Self> {
        let (steps, is_relative) = differences(along);
        let steps: Vec<Step> = steps.into_iter().flatten().collect();
        let y = Scale::linear(steps.iter().flat_map(|step| [step.low, step.high]).chain([0.0]))?;
        (!steps.is_empty()).then_some(Self { steps, y, is_relative })
    }

    /// Letters of the longest label.
    pub(super) fn letters(&self) -> usize {
        self.y.longest_label()
    }

    pub(super) fn draw(
        &self,
        area: &Area<'_>,
        x: &Scale,
        [x_title, unit]: [&str; 2],
        letters: usize,
    ) -> Outcome {
        let title = title(&self.y, self.is_relative, unit);
        let frame = Frame { alt: "", x, y: &self.y, x_title, y_title: &title, letters };
        frame.draw_on(area, |chart| {
            let ends = [x.range().start, x.range().end].map(|end| (end, 0.0));
            chart.draw_series([DashedPathElement::new(ends, 14, 8, REFERENCE.stroke_width(4))])?;
            draw_marks(chart, x, &self.y, &self.steps.iter().collect::<Vec<_>>())
        })
    }
}

/// Each estimate less theory where there are both, and whether that is in percent of theory.
pub(super) fn differences(along: &[(f64, &Estimate)]) -> (Vec<Option<Step>>, bool) {
    let pair = |(x, estimate): &(f64, &Estimate)| {
        let theory = estimate.reference.as_ref()?.value;
        step(*x, estimate).filter(|step| !step.is_bound && theory.is_finite()).map(|step| (step, theory))
    };
    let pairs: Vec<Option<(Step, f64)>> = along.iter().map(pair).collect();
    let is_relative = pairs.iter().flatten().all(|(_, theory)| *theory != 0.0);
    let of_pair = |(step, theory): &(Step, f64)| difference(step, *theory, is_relative);
    (pairs.iter().map(|pair| pair.as_ref().map(of_pair)).collect(), is_relative)
}

/// What is written beside the scale of differences.
pub(super) fn title(scale: &Scale, is_relative: bool, unit: &str) -> String {
    scale.title("off theory by", if is_relative { "%" } else { unit })
}

/// An estimate less theory, in percent of it or as it is.
fn difference(step: &Step, theory: f64, is_relative: bool) -> Step {
    let scale = if is_relative { 100.0 / theory.abs() } else { 1.0 };
    let [value, low, high] = [step.value, step.low, step.high].map(|value| (value - theory) * scale);
    Step { x: step.x, value, low, high, is_bound: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_in_percent_of_theory() {
        let step = Step { x: 1.0, value: 2.1, low: 1.9, high: 2.3, is_bound: false };
        let Step { value, low, high, .. } = difference(&step, 2.0, true);
        assert!((value - 5.0).abs() < 1e-12 && (low + 5.0).abs() < 1e-12 && (high - 15.0).abs() < 1e-12);
        let Step { value, .. } = difference(&step, -2.0, true);
        assert!((value - 205.0).abs() < 1e-12);
        assert!((difference(&step, 2.0, false).value - 0.1).abs() < 1e-12);
    }
}
