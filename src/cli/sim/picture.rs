//! A scene as a picture: the box, where everyone started and ended, and the paths between.

use std::path::Path;

use carom::events::{AnyEngine, Boundary};
use carom::io::file::WholeFile;
use carom::{Field, Particles};
use plotters::coord::types::RangedCoordf64;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use std::io::Write;

use super::paths::{Paths, Point, wrapped};
use crate::cli::{Failure, Result, is_stream, refuse_to_replace, warn};

/// More would make files that no program opens.
const MOST_PARTICLES: usize = 20_000;

/// Sides of the chart, in pixels, at most.
const CHART: [f64; 2] = [840.0, 760.0];
const LABELS: [u32; 2] = [62, 44];
const MARGIN: u32 = 14;
const TITLE: u32 = 30;
const GREY: RGBColor = RGBColor(110, 110, 110);

/// Refuses a picture that would not open or has no place, before anything is computed.
pub(super) fn check(path: &Path, particles: usize) -> Result<()> {
    if is_stream(path) {
        return Err(Failure("--svg -: a picture needs a file, standard output is for the summary".into()));
    }
    if particles <= MOST_PARTICLES {
        return Ok(());
    }
    let file = path.display();
    Err(Failure(format!("--svg {file}: a picture holds at most {MOST_PARTICLES} particles, not {particles}")))
}

/// A picture that is being made while a run goes on.
pub(super) struct Picture<'a> {
    path: &'a Path,
    pub(super) paths: Paths,
    /// Places at the start.
    start: Vec<Point>,
}

impl<'a> Picture<'a> {
    /// Begins with the state of an engine whose columns are up to date.
    pub(super) fn new(path: &'a Path, engine: &AnyEngine, replace: bool) -> Result<Self> {
        refuse_to_replace(path, replace, "choose another name with --svg")?;
        Ok(Self { path, paths: Paths::new(engine)?, start: places(engine)? })
    }

    /// Draws everything up to now, with this title, and writes the file.
    pub(super) fn finish(mut self, engine: &AnyEngine, title: &str) -> Result<()> {
        self.paths.finish(engine.time());
        if let Some(time) = self.paths.full_at {
            warn(&format!(
                "{}: the paths are drawn up to t = {time} s, more have no room",
                self.path.display()
            ));
        }
        let failure = |error: &dyn std::fmt::Display| Failure(format!("{}: {error}", self.path.display()));
        let view = View::new(engine, &self.paths, &self.start)?;
        let text = self.svg(engine, &view, title).map_err(|error| failure(&error))?;
        let mut file = WholeFile::create(self.path)?;
        file.write_all(text.as_bytes()).map_err(|error| failure(&error))?;
        Ok(file.commit()?)
    }

    fn svg(&self, engine: &AnyEngine, view: &View, title: &str) -> Outcome<String> {
        let mut text = String::new();
        let area = SVGBackend::with_string(&mut text, view.size()).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area.titled(title, ("sans-serif", 17))?)
            .margin(MARGIN)
            .x_label_area_size(LABELS[1])
            .y_label_area_size(LABELS[0])
            .build_cartesian_2d(view.range(0), view.range(1))?;
        chart
            .configure_mesh()
            .x_desc("axis 0 (m)")
            .y_desc(if engine.dim() == 1 { "time (s)" } else { "axis 1 (m)" })
            .axis_desc_style(("sans-serif", 14))
            .label_style(("sans-serif", 12))
            .max_light_lines(1)
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.08))
            .draw()?;
        self.draw_paths(&mut chart, engine)?;
        self.draw_particles(&mut chart, engine, view)?;
        draw_box(&mut chart, engine, view)?;
        drop(chart);
        area.present()?;
        drop(area);
        Ok(text)
    }

    fn draw_paths(&self, chart: &mut Chart<'_, '_>, engine: &AnyEngine) -> Outcome<()> {
        let period = [period(engine, 0), period(engine, 1)];
        for (index, line) in self.paths.lines.iter().enumerate() {
            let style = colour(index).mix(0.75).stroke_width(1);
            for part in wrapped(line, &period) {
                chart.draw_series([PathElement::new(points(&part), style)])?;
            }
        }
        Ok(())
    }

    /// Outlines at the start, disks at the end.
    fn draw_particles(&self, chart: &mut Chart<'_, '_>, engine: &AnyEngine, view: &View) -> Outcome<()> {
        let radii = radii(engine.particles());
        for (index, (start, end)) in self.start.iter().zip(places(engine)?).enumerate() {
            let size = view.pixels(radii[index]);
            let outline = Circle::new((start[0], start[1]), size, GREY.mix(0.6).stroke_width(1));
            let disk = Circle::new((end[0], end[1]), size, colour(index).mix(0.6).filled());
            chart.draw_series([outline])?;
            chart.draw_series([disk])?;
        }
        Ok(())
    }
}

type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// What part of the plane is shown, and how large.
struct View {
    lower: Point,
    upper: Point,
    /// Pixels a metre (a second for a time).
    scale: Point,
}

impl View {
    fn new(engine: &AnyEngine, paths: &Paths, start: &[Point]) -> carom::Result<Self> {
        let radius = radii(engine.particles()).iter().fold(0.0_f64, |most, &radius| most.max(radius));
        let ends = places(engine)?;
        let all = || paths.lines.iter().flatten().chain(start).chain(&ends);
        let (mut lower, mut upper) = ([0.0; 2], [0.0; 2]);
        for axis in 0..2 {
            let body = if engine.dim() == 1 && axis == 1 { 0.0 } else { radius };
            let (least, most) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), point| {
                (least.min(point[axis] - body), most.max(point[axis] + body))
            });
            (lower[axis], upper[axis]) = closed(engine, axis).unwrap_or((least, most));
            if lower[axis] >= upper[axis] || !(upper[axis] - lower[axis]).is_finite() {
                (lower[axis], upper[axis]) = (-1.0, 1.0);
            }
            // Through a periodic face a ball sticks out by its radius at most.
            let outside = if period(engine, axis).is_some() { body } else { 0.0 };
            let room = outside.max(0.02 * (upper[axis] - lower[axis]));
            (lower[axis], upper[axis]) = (lower[axis] - room, upper[axis] + room);
        }
        let fit = [0, 1].map(|axis| CHART[axis] / (upper[axis] - lower[axis]));
        let scale = if engine.dim() == 1 { fit } else { [fit[0].min(fit[1]); 2] };
        Ok(Self { lower, upper, scale })
    }

    fn range(&self, axis: usize) -> std::ops::Range<f64> {
        self.lower[axis]..self.upper[axis]
    }

    fn size(&self) -> (u32, u32) {
        let side =
            |axis: usize| ((self.upper[axis] - self.lower[axis]) * self.scale[axis]).round().max(40.0) as u32;
        (side(0) + LABELS[0] + 2 * MARGIN, side(1) + LABELS[1] + 2 * MARGIN + TITLE)
    }

    fn pixels(&self, radius: f64) -> i32 {
        (radius * self.scale[0]).round().clamp(1.0, 1000.0) as i32
    }
}

/// The box: solid where it reflects, dashed where it is periodic, nothing where it is open.
fn draw_box(chart: &mut Chart<'_, '_>, engine: &AnyEngine, view: &View) -> Outcome<()> {
    for axis in 0..engine.dim().min(2) {
        let Some(ends) = closed(engine, axis) else { continue };
        let other = 1 - axis;
        let (from, to) = closed(engine, other).unwrap_or((view.lower[other], view.upper[other]));
        for at in [ends.0, ends.1] {
            let line = if axis == 0 { [(at, from), (at, to)] } else { [(from, at), (to, at)] };
            if engine.boundaries()[axis] == Boundary::Periodic {
                chart.draw_series([DashedPathElement::new(line, 6, 5, BLACK.stroke_width(1))])?;
            } else {
                chart.draw_series([PathElement::new(line, BLACK.stroke_width(2))])?;
            }
        }
    }
    Ok(())
}

/// Ends of the box along an axis that is not open, in metres.
fn closed(engine: &AnyEngine, axis: usize) -> Option<(f64, f64)> {
    let boundary = engine.boundaries().get(axis)?;
    (*boundary != Boundary::Open).then(|| (engine.lower()[axis], engine.upper()[axis]))
}

/// Lower end and length of a periodic axis, in metres.
fn period(engine: &AnyEngine, axis: usize) -> Option<[f64; 2]> {
    let (lower, upper) = closed(engine, axis)?;
    (engine.boundaries()[axis] == Boundary::Periodic).then_some([lower, upper - lower])
}

/// Where everyone is now, of an engine whose columns are up to date.
fn places(engine: &AnyEngine) -> carom::Result<Vec<Point>> {
    let particles = engine.particles();
    let second = |place: &[f64]| place.get(1).copied().unwrap_or(engine.time());
    (0..particles.len())
        .map(|index| particles.value(Field::Position, index).map(|place| [place[0], second(&place)]))
        .collect()
}

fn radii(particles: &Particles) -> Vec<f64> {
    particles.column(Field::Radius, 0).map(<[f64]>::to_vec).unwrap_or_default()
}

fn points(line: &[Point]) -> Vec<(f64, f64)> {
    line.iter().map(|point| (point[0], point[1])).collect()
}

/// Hues a golden section apart: neighbours in the list look different.
fn colour(index: usize) -> HSLColor {
    HSLColor((0.58 + 0.618_034 * index as f64).fract(), 0.7, 0.42)
}
