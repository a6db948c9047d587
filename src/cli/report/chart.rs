//! What all plots share: the frame with its axes, and colours that follow the style of the page.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::escape;
use super::scale::Scale;
use crate::cli::{Failure, Result};

/// Size of a plot. A page shows it at about half of that, so that whole units are fine enough.
pub(super) const SIZE: (u32, u32) = (1280, 760);
/// Size of a plot that has the width of the page.
pub(super) const WIDE: (u32, u32) = (2400, 940);

const LABEL: i32 = 30;
const TITLE: i32 = 32;
/// About the width of a digit of a label.
const DIGIT: usize = 14;

/// Colours that stand for a variable of the style sheet each: plotters knows only fixed ones.
pub(super) const INK: RGBColor = RGBColor(1, 1, 1);
const MUTED: RGBColor = RGBColor(2, 1, 1);
const GRID: RGBColor = RGBColor(3, 1, 1);
pub(super) const SERIES: RGBColor = RGBColor(4, 1, 1);
pub(super) const REFERENCE: RGBColor = RGBColor(5, 1, 1);
pub(super) const MARK: RGBColor = RGBColor(6, 1, 1);

const VARIABLES: [(&str, &str); 6] = [
    ("\"#010101\"", "\"var(--ink)\""),
    ("\"#020101\"", "\"var(--muted)\""),
    ("\"#030101\"", "\"var(--grid)\""),
    ("\"#040101\"", "\"var(--series)\""),
    ("\"#050101\"", "\"var(--reference)\""),
    ("\"#060101\"", "\"var(--mark)\""),
];

pub(super) type Outcome = std::result::Result<(), Box<dyn Error>>;
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Marked<'a>, Marked<'a>>>;

/// A scale as plotters wants it: with marks where the scale has them.
pub(super) struct Marked<'a> {
    scale: &'a Scale,
    positions: RangedCoordf64,
}

impl<'a> From<&'a Scale> for Marked<'a> {
    fn from(scale: &'a Scale) -> Self {
        Self { scale, positions: scale.range().into() }
    }
}

impl Ranged for Marked<'_> {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.positions.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.scale.marks() }
    }

    fn range(&self) -> Range<f64> {
        self.scale.range()
    }
}

impl ValueFormatter<f64> for Marked<'_> {
    fn format_ext(&self, position: &f64) -> String {
        self.scale.label(*position)
    }
}

impl<'a> AsRangedCoord for &'a Scale {
    type CoordDescType = Marked<'a>;
    type Value = f64;
}

/// A plot before anything is drawn in it.
pub(super) struct Frame<'a> {
    /// What it shows, as text for screen readers.
    pub(super) alt: &'a str,
    pub(super) x: &'a Scale,
    pub(super) y: &'a Scale,
    /// Empty if another plot with the same axis is below.
    pub(super) x_title: &'a str,
    pub(super) y_title: &'a str,
    /// Room for labels of so many letters, so that plots above each other are in line.
    pub(super) letters: usize,
}

impl Frame<'_> {
    /// The plot as an SVG element for a page.
    pub(super) fn draw(&self, paint: impl FnOnce(&mut Chart<'_, '_>) -> Outcome) -> Result<String> {
        picture(self.alt, SIZE, |area| self.draw_on(area, paint))
    }

    /// The plot in a part of a picture.
    pub(super) fn draw_on(
        &self,
        area: &Area<'_>,
        paint: impl FnOnce(&mut Chart<'_, '_>) -> Outcome,
    ) -> Outcome {
        let mut chart = ChartBuilder::on(area)
            .margin_top(44)
            .margin_right(30)
            .margin_bottom(6)
            .x_label_area_size(if self.x_title.is_empty() { 48 } else { 92 })
            .y_label_area_size((self.letters.max(self.y.longest_label()) * DIGIT + 84) as u32)
            .build_cartesian_2d(self.x, self.y)?;
        chart
            .configure_mesh()
            .x_desc(self.x_title)
            .y_desc(self.y_title)
            .axis_desc_style(("sans-serif", TITLE).into_font().color(&INK))
            .label_style(("sans-serif", LABEL).into_font().color(&MUTED))
            .axis_style(MUTED.stroke_width(2))
            .bold_line_style(GRID.stroke_width(2))
            .light_line_style(TRANSPARENT)
            .draw()?;
        paint(&mut chart)
    }
}

/// An SVG element for a page.
pub(super) fn picture(
    alt: &str,
    size: (u32, u32),
    paint: impl FnOnce(&Area<'_>) -> Outcome,
) -> Result<String> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    let outcome = paint(&area).and_then(|()| Ok(area.present()?));
    outcome.map_err(|error| Failure(format!("report.html: {error}")))?;
    drop(area);
    let text = VARIABLES.iter().fold(text, |text, (colour, variable)| text.replace(colour, variable));
    Ok(text.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{}\" ", escape(alt)), 1))
}
