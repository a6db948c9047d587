//! Axes: from where to where, and what is written along them.

use std::ops::Range;

use super::number::{leading_digit, minus, power, power_of_ten, raised, significant};

/// About how many marks an axis has.
const TICKS: f64 = 6.0;

/// One axis of a plot. Positions are values, or their decimal logarithms.
pub(super) struct Scale {
    range: Range<f64>,
    logarithmic: bool,
    ticks: Vec<(f64, String)>,
    /// The power of ten that the marks leave out.
    factor: i32,
}

impl Scale {
    /// An axis that holds all these values; `None` without any, or if they are too far apart for numbers.
    pub(super) fn linear(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (low, high) = widened(extremes(values)?);
        if !(high - low).is_finite() {
            return None;
        }
        let margin = (high - low) * 0.05;
        Some(Self::linear_between(low - margin, high + margin))
    }

    /// The same without room at its ends.
    pub(super) fn linear_tight(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (low, high) = widened(extremes(values)?);
        (high - low).is_finite().then(|| Self::linear_between(low, high))
    }

    /// The same from 0 on: for counts, and for what is never negative and not far from it.
    pub(super) fn linear_from_zero(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (_, high) = extremes(values)?;
        let high = if high > 0.0 { high } else { 1.0 };
        (high * 1.05).is_finite().then(|| Self::linear_between(0.0, high * 1.05))
    }

    /// Exactly from one value to another.
    fn linear_between(low: f64, high: f64) -> Self {
        let step = round_step((high - low) / TICKS);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        let factor = factor(low.abs().max(high.abs()));
        let decimals = (factor - leading_digit(step * 1.000_001)).max(0) as usize;
        let label = |value: f64| minus(&format!("{:.decimals$}", value / power(factor)));
        let ticks = (first..=last).map(|n| n as f64 * step).map(|value| (value, label(value))).collect();
        Self { range: low..high, logarithmic: false, ticks, factor }
    }

    /// An axis of ratios that holds all these values, of which those that are not positive have no place.
    pub(super) fn logarithmic(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (low, high) = extremes(values.into_iter().filter(|value| *value > 0.0))?;
        let (low, high) = (low.log10(), high.log10());
        let margin = ((high - low) * 0.05).max(0.02);
        let range = low - margin..high + margin;
        let ticks = decades(&range).into_iter().map(|value| (value.log10(), ratio_label(value))).collect();
        Some(Self { range, logarithmic: true, ticks, factor: 0 })
    }

    /// One place for each value, side by side, with at most so many marks.
    pub(super) fn places(values: &[f64], most: usize) -> Self {
        let every = values.len().div_ceil(most);
        let label = |(place, value): (usize, &f64)| (place as f64, significant(*value, 4));
        let ticks = values.iter().enumerate().step_by(every).map(label).collect();
        Self { range: -0.5..values.len() as f64 - 0.5, logarithmic: false, ticks, factor: 0 }
    }

    /// Where a value is drawn.
    pub(super) fn position(&self, value: f64) -> f64 {
        if self.logarithmic { value.log10() } else { value }
    }

    /// Whether a value can be drawn.
    pub(super) fn holds(&self, value: f64) -> bool {
        self.range.contains(&self.position(value))
    }

    pub(super) fn range(&self) -> Range<f64> {
        self.range.clone()
    }

    pub(super) fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// Where the marks are.
    pub(super) fn marks(&self) -> Vec<f64> {
        self.ticks.iter().map(|(position, _)| *position).collect()
    }

    /// What is written at a mark.
    pub(super) fn label(&self, position: f64) -> String {
        let mark = self.ticks.iter().find(|(mark, _)| *mark == position);
        mark.map_or_else(String::new, |(_, label)| label.clone())
    }

    /// Letters of the longest label.
    pub(super) fn longest_label(&self) -> usize {
        self.ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0)
    }

    /// What is written beside the axis: the quantity, what its marks are multiples of, and its unit.
    pub(super) fn title(&self, name: &str, unit: &str) -> String {
        let unit = &raised(unit);
        let factor = if self.factor == 0 { String::new() } else { power_of_ten(self.factor) };
        match (factor.as_str(), unit.as_str()) {
            ("", "") => name.to_owned(),
            ("", unit) => format!("{name} ({unit})"),
            (factor, "") => format!("{name} ({factor})"),
            (factor, unit) => format!("{name} ({factor} {unit})"),
        }
    }
}

/// Least and greatest of the finite ones.
pub(super) fn extremes(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold(None, |found: Option<(f64, f64)>, value| match found {
        Some((low, high)) => Some((low.min(value), high.max(value))),
        None => Some((value, value)),
    })
}

/// Room around a single value.
fn widened((low, high): (f64, f64)) -> (f64, f64) {
    if high - low > 1e-12 * low.abs().max(high.abs()) {
        return (low, high);
    }
    let half = if low == 0.0 { 0.5 } else { low.abs() * 0.05 };
    (low - half, high + half)
}

/// 1, 2 or 5 times a power of ten, not below `least`.
fn round_step(least: f64) -> f64 {
    let unit = power(leading_digit(least));
    [1.0, 2.0, 5.0].into_iter().map(|n| n * unit).find(|step| *step >= least).unwrap_or(10.0 * unit)
}

/// Long rows of zeros are left to the title of the axis.
fn factor(greatest: f64) -> i32 {
    let leading = leading_digit(greatest);
    if (-3..5).contains(&leading) { 0 } else { leading.div_euclid(3) * 3 }
}

/// Marks of a logarithmic axis: powers of ten, with 2 and 5 of each where few of them are in sight.
fn decades(range: &Range<f64>) -> Vec<f64> {
    let span = range.end - range.start;
    let every = (span / TICKS).ceil().max(1.0) as i32;
    let within = (range.start.floor() as i32..=range.end.ceil() as i32).filter(|n| n.rem_euclid(every) == 0);
    let multiples: &[f64] = match span {
        _ if span < 0.4 => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        _ if span < 2.2 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let all = within.flat_map(|n| multiples.iter().map(move |multiple| multiple * power(n)));
    all.filter(|value| range.contains(&value.log10())).collect()
}

fn ratio_label(value: f64) -> String {
    let leading = leading_digit(value * 1.000_001);
    let multiple = significant(value / power(leading), 3);
    match (leading, multiple.as_str()) {
        (-3..5, _) => significant(value, 3),
        (_, "1") => power_of_ten(leading),
        _ => format!("{multiple}×{}", power_of_ten(leading)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        scale.marks().into_iter().map(|mark| scale.label(mark)).collect()
    }

    #[test]
    fn marks_are_round_numbers() {
        assert_eq!(labels(&Scale::linear_between(0.0, 1.0)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&Scale::linear([-1.0, 2.0]).unwrap()), ["−1", "0", "1", "2"]);
        let small = Scale::linear_between(1.0e-7, 3.0e-7);
        assert_eq!(labels(&small), ["100", "150", "200", "250", "300"]);
        assert_eq!(small.title("chance", ""), "chance (10⁻⁹)");
        let large = Scale::linear_from_zero([2.0e6]).unwrap();
        assert_eq!(
            (labels(&large)[1].as_str(), large.title("force", "N").as_str()),
            ("0.5", "force (10⁶ N)")
        );
    }

    #[test]
    fn ratios_have_decades() {
        let samples = Scale::logarithmic([1000.0, 2.0e6]).unwrap();
        assert_eq!(labels(&samples), ["1000", "10000", "10⁵", "10⁶"]);
        assert_eq!(labels(&Scale::logarithmic([0.1, 2.0]).unwrap()), ["0.1", "0.2", "0.5", "1", "2"]);
        let many = Scale::logarithmic([40_000.0, 200_000.0]).unwrap();
        assert_eq!(labels(&many), ["50000", "10⁵", "2×10⁵"]);
        let far = Scale::logarithmic([1e-30, 1.0, 0.0, -1.0]).unwrap();
        assert!(far.marks().len() <= 7 && far.holds(1e-20) && !far.holds(0.0));
    }

    #[test]
    fn odd_values_have_an_axis_or_none() {
        assert!(Scale::linear([f64::NAN]).is_none() && Scale::linear([]).is_none());
        assert!(Scale::linear([-1e308, 1e308]).is_none() && Scale::logarithmic([0.0]).is_none());
        for value in [0.0, 7.0, -3.0e-9, 1e300] {
            let scale = Scale::linear([value]).unwrap();
            assert!(scale.holds(value) && scale.marks().len() >= 2, "{value}");
        }
        let places = Scale::places(&[1.0, 2.0, 3.0, 4.0, 5.0], 3);
        assert_eq!(labels(&places), ["1", "3", "5"]);
    }
}
