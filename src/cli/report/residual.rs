//! How far estimates are from theory: the plot below a curve.

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
        let pairs: Vec<(Step, f64)> = along
            .iter()
            .filter_map(|(x, estimate)| Some((step(*x, estimate)?, estimate.reference.as_ref()?.value)))
            .filter(|(step, theory)| !step.is_bound && theory.is_finite())
            .collect();
        let is_relative = pairs.iter().all(|(_, theory)| *theory != 0.0);
        let steps: Vec<Step> =
            pairs.iter().map(|(step, theory)| difference(step, *theory, is_relative)).collect();
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
        let unit = if self.is_relative { "%" } else { unit };
        let title = self.y.title("off theory by", unit);
        let frame = Frame { alt: "", x, y: &self.y, x_title, y_title: &title, letters };
        frame.draw_on(area, |chart| {
            let ends = [x.range().start, x.range().end].map(|end| (end, 0.0));
            chart.draw_series([DashedPathElement::new(ends, 14, 8, REFERENCE.stroke_width(4))])?;
            draw_marks(chart, x, &self.y, &self.steps.iter().collect::<Vec<_>>())
        })
    }
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
