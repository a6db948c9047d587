//! A table as a picture.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::table::{Row, Spread, Table};
use crate::cli::{Failure, Result};

const SIZE: (u32, u32) = (760, 460);
const GREY: RGBColor = RGBColor(120, 120, 120);
const BLUE: RGBColor = RGBColor(0, 90, 181);
const ORANGE: RGBColor = RGBColor(220, 110, 0);
const GREEN: RGBColor = RGBColor(0, 130, 80);

/// A line of the picture.
struct Line {
    label: &'static str,
    colour: RGBColor,
    width: u32,
    dashed: bool,
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
    let line = |label, colour, width, dashed, points| Line { label, colour, width, dashed, points };
    vec![
        line("max", GREY, 1, true, total(|spread| spread.max)),
        line("avg of hits", ORANGE, 1, false, points(&|row| row.inter().map(|spread| spread.avg))),
        line("avg", BLUE, 3, false, total(|spread| spread.avg)),
        line("avg of misses", GREEN, 1, false, points(&|row| row.no_inter().map(|spread| spread.avg))),
        line("min", GREY, 1, false, total(|spread| spread.min)),
    ]
}

/// The ratios to show, with some room, and always 1: the time of SAT.
fn range(lines: &[Line]) -> (f64, f64) {
    let ratios = lines.iter().flat_map(|line| &line.points).map(|(_, ratio)| *ratio);
    let (least, most) = ratios.fold((1.0_f64, 1.0_f64), |(least, most), x| (least.min(x), most.max(x)));
    (least / 1.25, most * 1.25)
}

fn draw(
    table: &Table,
    area: &DrawingArea<SVGBackend<'_>, Shift>,
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let lines = lines(&table.rows);
    let (least, most) = range(&lines);
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .caption(table.title(), ("sans-serif", 17))
        .margin(12)
        .margin_right(24)
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
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    chart
        .draw_series(DashedLineSeries::new([(0.0, 1.0), (1.0, 1.0)], 2, 4, BLACK.stroke_width(1)))?
        .label("SAT = 1")
        .legend(|(x, y)| DashedPathElement::new([(x, y), (x + 22, y)], 2, 4, BLACK.stroke_width(1)));
    for Line { label, colour, width, dashed, points } in lines {
        let style = colour.stroke_width(width);
        let series = if dashed {
            chart.draw_series(DashedLineSeries::new(points, 6, 4, style))?
        } else {
            chart.draw_series(LineSeries::new(points, style))?
        };
        let space = if dashed { 4 } else { 0 };
        series
            .label(label)
            .legend(move |(x, y)| DashedPathElement::new([(x, y), (x + 22, y)], 6, space, style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 13))
        .legend_area_size(28)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    area.present()?;
    Ok(())
}
