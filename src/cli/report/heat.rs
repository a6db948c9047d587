//! A sweep over two parameters: a field of colours with its values, and below it how far they are from theory.

use carom::study::{Axis, Estimate, Observable, PointSummary};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::chart::{Area, Chart, Frame, INK, Outcome, WIDE, picture};
use super::curve::Step;
use super::figure::{Figure, Key, words, words_of_axis};
use super::number::{count, significant};
use super::residual::{self, differences};
use super::scale::{Scale, extremes};
use crate::cli::Result;

const MOST_LABELS: [usize; 2] = [20, 20];
/// Room for the colours and their numbers.
const BAR_WIDTH: u32 = 260;
const BAR_STEPS: usize = 64;
/// Sizes of letters that can be read.
const LETTERS: [f64; 2] = [18.0, 27.0];
/// About the width and height of the field.
const FIELD: [f64; 2] = [1980.0, 790.0];
/// Values whose ratio is beyond that are coloured by their ratio.
const RATIO: f64 = 50.0;

/// From low to high: dark violet to yellow (viridis), told apart by brightness alone, too.
const COLOURS: [[f64; 3]; 6] = [
    [68.0, 1.0, 84.0],
    [65.0, 68.0, 135.0],
    [42.0, 120.0, 142.0],
    [34.0, 168.0, 132.0],
    [122.0, 209.0, 81.0],
    [253.0, 231.0, 37.0],
];

/// From below to above: blue, nearly white where there is no difference, red.
const BOTH_WAYS: [[f64; 3]; 5] = [
    [33.0, 102.0, 172.0],
    [146.0, 197.0, 222.0],
    [247.0, 247.0, 247.0],
    [244.0, 165.0, 130.0],
    [178.0, 24.0, 43.0],
];

pub(super) fn figure(
    axes: &[Axis; 2],
    observable: &Observable,
    points: &[PointSummary],
    index: usize,
) -> Result<Option<Figure>> {
    let values: Vec<Option<f64>> = points.iter().map(|point| point.estimates[index].value).collect();
    let Some(colours) = Colours::new(values.iter().flatten().copied()) else { return Ok(None) };
    let off = OffTheory::of(points, index);
    let [x, y] = [0, 1].map(|axis| Scale::places(&axes[axis].values, MOST_LABELS[axis]));
    let title = format!("{} against {} and {}", observable.name, axes[0].name, axes[1].name);
    let titles =
        [(&x, &axes[0]), (&y, &axes[1])].map(|(scale, axis)| scale.title(words_of_axis(axis), &axis.unit));
    let frame = Frame { alt: &title, x: &x, y: &y, x_title: &titles[0], y_title: &titles[1], letters: 0 };
    let shape = [axes[0].values.len(), axes[1].values.len()];
    let height = WIDE.1 * if off.is_some() { 2 } else { 1 };
    let svg = picture(frame.alt, (WIDE.0, height), |area| {
        let (upper, lower) = area.split_vertically(WIDE.1);
        let cells = Cells { values: &values, shape, text: cell_text };
        cells.draw(&upper, &frame, &colours, &colours.scale.title(&words(observable), &observable.unit))?;
        off.as_ref().map_or(Ok(()), |off| off.draw(&lower, &frame, shape, &observable.unit))
    })?;
    let missing = values.iter().filter(|value| value.is_none()).count();
    let keys = (missing > 0)
        .then(|| Key { class: "empty", text: format!("{} without estimate", count(missing as u64)) });
    let ratio = colours.scale.is_logarithmic().then(|| "Colours by ratio.".to_owned());
    let note: Vec<String> = ratio.into_iter().chain(off.map(|off| off.note(points, index))).collect();
    Ok(Some(Figure { svg, title, keys: keys.into_iter().collect(), note: note.join(" ") }))
}

/// Differences of estimates and theory: the field below that of the estimates.
struct OffTheory {
    steps: Vec<Option<Step>>,
    colours: Colours,
    is_relative: bool,
}

impl OffTheory {
    /// `None` without theory, or without estimates where there is one.
    fn of(points: &[PointSummary], index: usize) -> Option<Self> {
        let estimates: Vec<(f64, &Estimate)> =
            points.iter().map(|point| (0.0, &point.estimates[index])).collect();
        let (steps, is_relative) = differences(&estimates);
        let most = steps
            .iter()
            .flatten()
            .map(|step| step.value.abs())
            .fold(None, |most: Option<f64>, value| Some(most.map_or(value, |most| most.max(value))))?;
        let scale = Scale::linear_tight([-most, most])?;
        Some(Self { steps, colours: Colours { scale, stops: &BOTH_WAYS }, is_relative })
    }

    fn draw(&self, area: &Area<'_>, frame: &Frame<'_>, shape: [usize; 2], unit: &str) -> Outcome {
        let values: Vec<Option<f64>> =
            self.steps.iter().map(|step| step.as_ref().map(|step| step.value)).collect();
        let title = residual::title(&self.colours.scale, self.is_relative, unit);
        Cells { values: &values, shape, text: signed }.draw(area, frame, &self.colours, &title)
    }

    /// How many intervals do not hold theory, and where it comes from.
    fn note(&self, points: &[PointSummary], index: usize) -> String {
        let known = || self.steps.iter().flatten();
        let outside = known().filter(|step| step.low > 0.0 || step.high < 0.0).count();
        let theory = points.iter().find_map(|point| point.estimates[index].reference.as_ref());
        let [outside, known] = [outside, known().count()].map(|number| count(number as u64));
        let name = theory.map_or("", |reference| &reference.name);
        format!("Below: estimates less theory ({name}), which is outside of {outside} of {known} intervals.")
    }
}

/// Numbers of a field, the last axis running fastest.
struct Cells<'a> {
    values: &'a [Option<f64>],
    shape: [usize; 2],
    text: fn(f64) -> String,
}

impl Cells<'_> {
    /// The field, and what its colours mean beside it.
    fn draw(&self, area: &Area<'_>, frame: &Frame<'_>, colours: &Colours, title: &str) -> Outcome {
        let (field, bar) = area.split_horizontally(WIDE.0 - BAR_WIDTH);
        frame.draw_on(&field, |chart| self.draw_on(chart, colours))?;
        draw_bar(&bar, colours, title)
    }

    fn draw_on(&self, chart: &mut Chart<'_, '_>, colours: &Colours) -> Outcome {
        let Self { values, shape, text } = *self;
        let texts: Vec<String> = values.iter().map(|value| value.map_or_else(String::new, text)).collect();
        let letters = letters(&texts, shape);
        for (n, (value, text)) in values.iter().zip(texts).enumerate() {
            let (x, y) = ((n / shape[1]) as f64, (n % shape[1]) as f64);
            let Some(value) = value.filter(|value| value.is_finite()) else { continue };
            let colour = colours.of(value);
            chart.draw_series([Rectangle::new([(x - 0.5, y - 0.5), (x + 0.5, y + 0.5)], colour.filled())])?;
            if let Some(size) = letters {
                let centre = Pos::new(HPos::Center, VPos::Center);
                let font = ("sans-serif", size).into_font().color(&contrast(colour)).pos(centre);
                chart.draw_series([Text::new(text, (x, y), font)])?;
            }
        }
        Ok(())
    }
}

/// Which colour a value has.
struct Colours {
    scale: Scale,
    stops: &'static [[f64; 3]],
}

impl Colours {
    fn new(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let (low, high) = extremes(values.clone())?;
        let scale = if low > 0.0 && high > RATIO * low {
            Scale::logarithmic(values)
        } else {
            Scale::linear_tight(values)
        };
        Some(Self { scale: scale?, stops: &COLOURS })
    }

    fn of(&self, value: f64) -> RGBColor {
        let range = self.scale.range();
        self.at((self.scale.position(value) - range.start) / (range.end - range.start))
    }

    /// The colour of a share of the way from low to high.
    fn at(&self, share: f64) -> RGBColor {
        let place = share.clamp(0.0, 1.0) * (self.stops.len() - 1) as f64;
        let below = (place as usize).min(self.stops.len() - 2);
        let mix = |k: usize| {
            let [low, high] = [self.stops[below][k], self.stops[below + 1][k]];
            (low + (high - low) * (place - below as f64)).round() as u8
        };
        RGBColor(mix(0), mix(1), mix(2))
    }
}

/// Black or white, whichever can be read on a colour.
fn contrast(RGBColor(red, green, blue): RGBColor) -> RGBColor {
    let light = 0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue);
    if light > 140.0 { BLACK } else { WHITE }
}

fn cell_text(value: f64) -> String {
    let digits = if (1e-3..1e6).contains(&value.abs()) { 3 } else { 2 };
    significant(value, digits)
}

/// A difference, with its sign.
fn signed(value: f64) -> String {
    let text = significant(value, 2);
    if value > 0.0 { format!("+{text}") } else { text }
}

/// The size of letters with which all texts fit into their cells; `None` if they would be too small to read.
fn letters(texts: &[String], [columns, rows]: [usize; 2]) -> Option<f64> {
    let longest = texts.iter().map(|text| text.chars().count()).max()?.max(1);
    let fitting = (FIELD[0] / columns as f64 / (longest as f64 * 0.5)).min(FIELD[1] / rows as f64);
    (fitting >= LETTERS[0]).then_some(fitting.min(LETTERS[1]))
}

fn draw_bar(area: &Area<'_>, colours: &Colours, title: &str) -> Outcome {
    let (left, right, top, bottom) = (14, 44, 44, WIDE.1 as i32 - 98);
    let height = |share: f64| bottom - ((bottom - top) as f64 * share).round() as i32;
    for step in 0..BAR_STEPS {
        let [low, high] = [step, step + 1].map(|step| step as f64 / BAR_STEPS as f64);
        let colour = colours.at((low + high) / 2.0);
        // One more row, which the next step covers: no seams between them.
        area.draw(&Rectangle::new(
            [(left, height(high)), (right, (height(low) + 1).min(bottom))],
            colour.filled(),
        ))?;
    }
    let range = colours.scale.range();
    let font = ("sans-serif", 28).into_font().color(&INK);
    for mark in colours.scale.marks() {
        let y = height((mark - range.start) / (range.end - range.start));
        area.draw(&PathElement::new(vec![(right, y), (right + 8, y)], INK.stroke_width(2)))?;
        let beside = font.clone().pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(colours.scale.label(mark), (right + 14, y), beside))?;
    }
    let above = font.pos(Pos::new(HPos::Right, VPos::Top));
    area.draw(&Text::new(title.to_owned(), (BAR_WIDTH as i32 - 10, 4), above))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_run_from_end_to_end() {
        let colours = Colours::new([1.0, 2.0].into_iter()).unwrap();
        assert_eq!(colours.at(0.0), RGBColor(68, 1, 84));
        assert_eq!(colours.at(1.0), RGBColor(253, 231, 37));
        assert_eq!(colours.at(0.5), RGBColor(38, 144, 137));
        assert_eq!((contrast(colours.at(0.0)), contrast(colours.at(1.0))), (WHITE, BLACK));
        assert!(!colours.scale.is_logarithmic());
        assert!(Colours::new([1e-6, 1.0].into_iter()).unwrap().scale.is_logarithmic());
        assert!(Colours::new(std::iter::empty()).is_none());
        let both = Colours { scale: Scale::linear_tight([-2.0, 2.0]).unwrap(), stops: &BOTH_WAYS };
        assert_eq!([both.of(-2.0), both.of(0.0)], [RGBColor(33, 102, 172), RGBColor(247, 247, 247)]);
    }

    #[test]
    fn differences_have_their_sign() {
        assert_eq!([signed(0.123), signed(0.0)], ["+0.12", "0"]);
        assert!(signed(-1.5).ends_with("1.5") && !signed(-1.5).starts_with('+'));
    }
}
