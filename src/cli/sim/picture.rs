//! A run as a picture: the box, the particles at the start and at the end, and their paths between.

use std::path::{Path, PathBuf};

use carom::io::file::write_whole;
use carom::simulation::{Extent, Impact, Sink, State, Surroundings};
use carom::{Error, Field};
use plotters::coord::types::RangedCoordf64;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::paths::{Paths, Point, wrapped};
use super::summary::title;
use crate::cli::{Failure, Result, is_stream, refuse_to_replace, warn};

/// Larger files overtax the programs that show them.
pub(super) const MOST_PARTICLES: usize = 20_000;

/// Sides of the chart, in pixels, at most.
const CHART: [f64; 2] = [840.0, 760.0];
const LABELS: [u32; 2] = [62, 44];
const MARGIN: u32 = 14;
const TITLE: u32 = 30;
pub(super) const GREY: RGBColor = RGBColor(110, 110, 110);

/// A picture that is made while a run goes on.
pub(super) struct Picture {
    path: PathBuf,
    name: String,
    drawing: Option<Drawing>,
}

impl Picture {
    /// A picture of so many particles, in a file that replaces an older one only if `replace`.
    pub(super) fn new(path: &Path, name: &str, particles: usize, replace: bool) -> Result<Self> {
        check_file(path, particles, replace)?;
        Ok(Self { path: path.to_owned(), name: name.to_owned(), drawing: None })
    }
}

/// Whether there can be a picture of so many particles or bodies in this file, which is replaced only if `replace`.
pub(super) fn check_file(path: &Path, particles: usize, replace: bool) -> Result<()> {
    if is_stream(path) {
        return Err(Failure("--svg -: a picture needs a file, standard output is for the summary".into()));
    }
    if particles > MOST_PARTICLES {
        let file = path.display();
        return Err(Failure(format!(
            "--svg {file}: a picture holds at most {MOST_PARTICLES} particles, not {particles}"
        )));
    }
    refuse_to_replace(path, replace, "choose another name with --svg")
}

impl Sink for Picture {
    fn state(&mut self, state: &State<'_>) -> carom::Result<()> {
        match &mut self.drawing {
            Some(drawing) => drawing.end = places(state)?,
            none => *none = Some(Drawing::new(state)?),
        }
        if let Some(drawing) = &mut self.drawing {
            drawing.time = state.time;
            drawing.title = title(&self.name, state.time, &state.totals);
        }
        Ok(())
    }

    fn impact(&mut self, impact: &Impact<'_>) -> carom::Result<()> {
        if let Some(drawing) = &mut self.drawing {
            drawing.paths.add(impact);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> carom::Result<()> {
        let Some(mut drawing) = self.drawing else { return Ok(()) };
        let path = self.path.display();
        drawing.paths.finish(drawing.time);
        if let Some(time) = drawing.paths.full_at {
            warn(&format!("{path}: the paths are drawn up to t = {time} s only: there are too many corners"));
        }
        let failure = |error| Error::io(&path, std::io::Error::other(format!("{error}")));
        let text = drawing.svg(&drawing.view()).map_err(failure)?;
        write_whole(&self.path, |out| out.write_all(text.as_bytes()))
    }
}

/// What is drawn.
struct Drawing {
    dim: usize,
    surroundings: Surroundings,
    /// In metres.
    radii: Vec<f64>,
    paths: Paths,
    start: Vec<Point>,
    end: Vec<Point>,
    /// Time of the end, in seconds.
    time: f64,
    title: String,
}

impl Drawing {
    fn new(state: &State<'_>) -> carom::Result<Self> {
        Ok(Self {
            dim: state.surroundings.extents.len(),
            surroundings: state.surroundings.clone(),
            radii: match state.particles() {
                Some(particles) => particles.column(Field::Radius, 0)?.to_vec(),
                None => Vec::new(),
            },
            paths: Paths::new(state)?,
            start: places(state)?,
            end: places(state)?,
            time: state.time,
            title: String::new(),
        })
    }

    fn svg(&self, view: &View) -> Outcome<String> {
        let second = if self.dim == 1 { "time (s)" } else { "axis 1 (m)" };
        draw(&self.title, view, second, |chart| {
            self.draw_paths(chart)?;
            self.draw_particles(chart, view)?;
            self.draw_box(chart, view)
        })
    }

    fn draw_paths(&self, chart: &mut Chart<'_, '_>) -> Outcome<()> {
        let period = [0, 1].map(|axis| self.period(axis));
        for (index, line) in self.paths.lines.iter().enumerate() {
            let style = colour(index).mix(0.75).stroke_width(1);
            for part in wrapped(line, &period) {
                chart.draw_series([PathElement::new(points(&part), style)])?;
            }
        }
        Ok(())
    }

    /// Outlines at the start, disks at the end.
    fn draw_particles(&self, chart: &mut Chart<'_, '_>, view: &View) -> Outcome<()> {
        for (index, (start, end)) in self.start.iter().zip(&self.end).enumerate() {
            let size = view.pixels(self.radii[index]);
            let outline = Circle::new((start[0], start[1]), size, GREY.mix(0.6).stroke_width(1));
            let disk = Circle::new((end[0], end[1]), size, colour(index).mix(0.6).filled());
            chart.draw_series([outline])?;
            chart.draw_series([disk])?;
        }
        Ok(())
    }

    /// The box: solid where it reflects, dashed where it is periodic, nothing where it is open.
    fn draw_box(&self, chart: &mut Chart<'_, '_>, view: &View) -> Outcome<()> {
        for axis in 0..self.dim.min(2) {
            let Some(Extent { lower, upper, periodic, .. }) = self.extent(axis) else { continue };
            let other = 1 - axis;
            let across = self.extent(other).map(|extent| (extent.lower, extent.upper));
            let (from, to) = across.unwrap_or((view.lower[other], view.upper[other]));
            for at in [lower, upper] {
                let line = if axis == 0 { [(at, from), (at, to)] } else { [(from, at), (to, at)] };
                if periodic {
                    chart.draw_series([DashedPathElement::new(line, 6, 5, BLACK.stroke_width(1))])?;
                } else {
                    chart.draw_series([PathElement::new(line, BLACK.stroke_width(2))])?;
                }
            }
        }
        Ok(())
    }

    /// The part of the plane that shows the box, or else all paths.
    fn view(&self) -> View {
        let radius = self.radii.iter().fold(0.0_f64, |most, &radius| most.max(radius));
        let all = || self.paths.lines.iter().flatten().chain(&self.start).chain(&self.end);
        let (mut lower, mut upper) = ([0.0; 2], [0.0; 2]);
        for axis in 0..2 {
            let body = if self.dim == 1 && axis == 1 { 0.0 } else { radius };
            (lower[axis], upper[axis]) = match self.extent(axis) {
                Some(extent) => (extent.lower, extent.upper),
                None => all().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), point| {
                    (least.min(point[axis] - body), most.max(point[axis] + body))
                }),
            };
            if lower[axis] >= upper[axis] || !(upper[axis] - lower[axis]).is_finite() {
                (lower[axis], upper[axis]) = (-1.0, 1.0);
            }
            // Through a periodic face a ball sticks out by its radius at most.
            let outside = if self.period(axis).is_some() { body } else { 0.0 };
            let room = outside.max(0.02 * (upper[axis] - lower[axis]));
            (lower[axis], upper[axis]) = (lower[axis] - room, upper[axis] + room);
        }
        let view = View::of_plane(lower, upper);
        if self.dim > 1 {
            return view;
        }
        View { scale: [0, 1].map(|axis| CHART[axis] / (upper[axis] - lower[axis])), ..view }
    }

    /// The box along an axis that is not open.
    fn extent(&self, axis: usize) -> Option<Extent> {
        *self.surroundings.extents.get(axis)?
    }

    /// Lower end and length of a periodic axis, in metres.
    fn period(&self, axis: usize) -> Option<[f64; 2]> {
        let Extent { lower, upper, periodic, .. } = self.extent(axis)?;
        periodic.then_some([lower, upper - lower])
    }
}

pub(super) type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A picture with axes, in SVG.
pub(super) fn draw(
    title: &str,
    view: &View,
    second_axis: &str,
    draw: impl FnOnce(&mut Chart<'_, '_>) -> Outcome<()>,
) -> Outcome<String> {
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
        .y_desc(second_axis)
        .axis_desc_style(("sans-serif", 14))
        .label_style(("sans-serif", 12))
        .max_light_lines(1)
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.08))
        .draw()?;
    draw(&mut chart)?;
    drop(chart);
    area.present()?;
    drop(area);
    Ok(text)
}

/// What part of the plane is shown, and how large.
pub(super) struct View {
    pub(super) lower: Point,
    pub(super) upper: Point,
    /// Pixels per metre (per second for a time).
    scale: Point,
}

impl View {
    /// The part of the plane between two corners, with the same scale along both axes.
    pub(super) fn of_plane(lower: Point, upper: Point) -> Self {
        let fit = [0, 1].map(|axis| CHART[axis] / (upper[axis] - lower[axis]));
        Self { lower, upper, scale: [fit[0].min(fit[1]); 2] }
    }

    fn range(&self, axis: usize) -> std::ops::Range<f64> {
        self.lower[axis]..self.upper[axis]
    }

    fn size(&self) -> (u32, u32) {
        let side =
            |axis: usize| ((self.upper[axis] - self.lower[axis]) * self.scale[axis]).round().max(40.0) as u32;
        (side(0) + LABELS[0] + 2 * MARGIN, side(1) + LABELS[1] + 2 * MARGIN + TITLE)
    }

    pub(super) fn pixels(&self, radius: f64) -> i32 {
        (radius * self.scale[0]).round().clamp(1.0, 1000.0) as i32
    }
}

/// The points of all particles in this state.
fn places(state: &State<'_>) -> carom::Result<Vec<Point>> {
    let Some(particles) = state.particles() else { return Ok(Vec::new()) };
    let second = |place: &[f64]| place.get(1).copied().unwrap_or(state.time);
    let point = |index| particles.value(Field::Position, index).map(|place| [place[0], second(&place)]);
    (0..particles.len()).map(point).collect()
}

fn points(line: &[Point]) -> Vec<(f64, f64)> {
    line.iter().map(|point| (point[0], point[1])).collect()
}

/// Hues a golden section apart: neighbours in the list look different.
pub(super) fn colour(index: usize) -> HSLColor {
    HSLColor((0.58 + 0.618_034 * index as f64).fract(), 0.7, 0.42)
}
