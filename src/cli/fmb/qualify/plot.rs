//! A table as a picture.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::table::{Row, Spread, Table};
use crate::cli::{Failure, Result};

const SIZE: (u32, u32) = (800, 460);
const CHART_WIDTH: i32 = 660;
const GREY: RGBColor = RGBColor(120, 120, 120);
const BLUE: RGBColor = RGBColor(0, 90, 181);
const ORANGE: RGBColor = RGBColor(220, 110, 0);
const GREEN: RGBColor = RGBColor(0, 130, 80);

/// Colours of the picture that a page takes from its style instead, so that they suit light and dark screens.
const VARIABLES: [(&str, &str); 6] = [
    ("\"#FFFFFF\"", "\"var(--paper)\""),
    ("\"#000000\"", "\"var(--ink)\""),
    ("\"#787878\"", "\"var(--muted)\""),
    ("\"#005AB5\"", "\"var(--average)\""),
    ("\"#DC6E00\"", "\"var(--hits)\""),
    ("\"#008250\"", "\"var(--misses)\""),
];

/// The picture with the colours of the page.
pub(super) fn for_page(svg: &str) -> String {
    VARIABLES.iter().fold(svg.to_owned(), |svg, (colour, variable)| svg.replace(colour, variable))
}

/// A line of the picture.
struct Line {
    label: &'static str,
    style: ShapeStyle,
    /// Pixels drawn and pixels left out, 0 for a line without gaps.
    dashes: [i32; 2],
    points: Vec<(f64, f64)>,
}

/// The table as an SVG document.
pub(super) fn svg(table: &Table) -> Result<String> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    draw(table, &area).map_err(|error| Failure(format!("{}.svg: {error}", table.name())))?;
    drop(area);
    Ok(text)
}

fn lines(rows: &[Row]) -> Vec<Line> {
    let points = |value: &dyn Fn(&Row) -> Option<f64>| {
        rows.iter().filter_map(|row| Some((row.share, value(row)?))).collect::<Vec<_>>()
    };
    let total = |value: fn(Spread) -> f64| points(&|row| row.total().map(value));
    let line = |label, colour: RGBColor, width, dashes, points| Line {
        label,
        style: colour.stroke_width(width),
        dashes,
        points,
    };
    vec![
        line("max", GREY, 1, [6, 4], total(|spread| spread.max)),
        line("avg of hits", ORANGE, 1, [6, 0], points(&|row| row.inter().map(|spread| spread.avg))),
        line("avg", BLUE, 3, [6, 0], total(|spread| spread.avg)),
        line("avg of misses", GREEN, 1, [6, 0], points(&|row| row.no_inter().map(|spread| spread.avg))),
        line("min", GREY, 1, [6, 0], total(|spread| spread.min)),
        line("SAT", BLACK, 1, [2, 4], vec![(0.0, 1.0), (1.0, 1.0)]),
    ]
}

/// The ratios to show, with some room.
fn range(lines: &[Line]) -> (f64, f64) {
    let ratios = lines.iter().flat_map(|line| &line.points).map(|(_, ratio)| *ratio);
    let (least, most) = ratios.fold((1.0_f64, 1.0_f64), |(least, most), x| (least.min(x), most.max(x)));
    (least / 1.25, most * 1.25)
}

type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw(table: &Table, area: &Area<'_>) -> Outcome {
    let lines = lines(&table.rows);
    area.fill(&WHITE)?;
    let area = area.margin(8, 0, 0, 0).titled(&table.title(), ("sans-serif", 17))?;
    let (chart, legend) = area.split_horizontally(CHART_WIDTH);
    draw_legend(&lines, &legend)?;
    draw_chart(lines, &chart)?;
    Ok(area.present()?)
}

fn draw_legend(lines: &[Line], area: &Area<'_>) -> Outcome {
    for (line, y) in lines.iter().zip((30..).step_by(22)) {
        let [on, off] = line.dashes;
        area.draw(&DashedPathElement::new([(0, y), (26, y)], on, off, line.style))?;
        area.draw(&Text::new(line.label, (34, y - 6), ("sans-serif", 13)))?;
    }
    Ok(())
}

fn draw_chart(lines: Vec<Line>, area: &Area<'_>) -> Outcome {
    let (least, most) = range(&lines);
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..1.0, (least..most).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("share of hits among the pairs")
        .y_desc("time of FMB over time of SAT")
        .x_labels(11)
        .x_label_formatter(&|share| format!("{share:.1}"))
        .y_label_formatter(&|ratio| format!("{}", (ratio * 1e4).round() / 1e4))
        .axis_desc_style(("sans-serif", 15))
        .label_style(("sans-serif", 13))
        .max_light_lines(1)
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    for Line { style, dashes: [on, off], points, .. } in lines {
        if off == 0 {
            chart.draw_series(LineSeries::new(points, style))?;
        } else {
            chart.draw_series(DashedLineSeries::new(points, on, off, style))?;
        }
    }
    Ok(())
}
