//! A run of rigid bodies as a picture: the bodies at the start and at the end, their paths, and what is static.

use std::path::{Path, PathBuf};

use carom::Error;
use carom::geometry::Pose;
use carom::io::file::write_whole;
use carom::rigid2d::{BodyKind, Geometry, Space};
use carom::simulation::{Sink, State};
use plotters::prelude::*;

use super::super::paths::Point;
use super::super::picture::{Chart, GREY, Outcome, View, check_file, colour, draw};
use super::outline::{clipped, outline};
use crate::cli::Result;

/// Corners of all paths together, at most: larger pictures overtax the programs that show them.
const MOST_POINTS: usize = 200_000;

/// A picture that is made while a run goes on.
pub(in crate::cli::sim) struct BodyPicture {
    path: PathBuf,
    name: String,
    drawing: Option<Drawing>,
}

impl BodyPicture {
    /// A picture of so many bodies, in a file that replaces an older one only if `replace`.
    pub(in crate::cli::sim) fn new(path: &Path, name: &str, bodies: usize, replace: bool) -> Result<Self> {
        check_file(path, bodies, replace)?;
        Ok(Self { path: path.to_owned(), name: name.to_owned(), drawing: None })
    }
}

/// States that a path of one of so many bodies needs, at most.
pub(in crate::cli::sim) fn most_states(bodies: usize) -> usize {
    (MOST_POINTS / bodies.max(1)).clamp(1, 200)
}

impl Sink for BodyPicture {
    fn state(&mut self, state: &State<'_>) -> carom::Result<()> {
        let Some(space) = state.space() else { return Ok(()) };
        let drawing = self.drawing.get_or_insert_with(|| Drawing::new(space));
        drawing.add(space);
        let moving = drawing.bodies.len();
        drawing.title = format!("{}: t = {} s, {moving} bodies", self.name, state.time);
        Ok(())
    }

    fn finish(self: Box<Self>) -> carom::Result<()> {
        let Some(drawing) = self.drawing else { return Ok(()) };
        let failure = |error| Error::io(self.path.display(), std::io::Error::other(format!("{error}")));
        let text = drawing.svg().map_err(failure)?;
        write_whole(&self.path, |out| out.write_all(text.as_bytes()))
    }
}

/// What is drawn.
struct Drawing {
    /// Outlines of what never moves.
    fixed: Vec<Vec<Point>>,
    bodies: Vec<Drawn>,
    /// States seen, and of how many the last is kept in paths.
    seen: usize,
    stride: usize,
    title: String,
}

/// A body that moves.
struct Drawn {
    shapes: Vec<Geometry>,
    start: Pose,
    end: Pose,
    path: Vec<Point>,
}

impl Drawing {
    fn new(space: &Space) -> Self {
        let (mut fixed, mut bodies) = (Vec::new(), Vec::new());
        for body in space.bodies() {
            let shapes = body.shapes().map(|shape| shape.geometry().clone());
            if body.kind() == BodyKind::Static {
                fixed.extend(shapes.map(|shape| outline(&shape, body.pose())));
            } else {
                let pose = body.pose();
                bodies.push(Drawn { shapes: shapes.collect(), start: pose, end: pose, path: Vec::new() });
            }
        }
        Self { fixed, bodies, seen: 0, stride: 1, title: String::new() }
    }

    /// Takes note of where the bodies are. When there are too many corners, every second one is left out from then on.
    fn add(&mut self, space: &Space) {
        let moving = space.bodies().filter(|body| body.kind() != BodyKind::Static);
        for (drawn, body) in self.bodies.iter_mut().zip(moving) {
            drawn.end = body.pose();
            if self.seen.is_multiple_of(self.stride) {
                drawn.path.push(body.world_centre_of_mass().into());
            }
        }
        self.seen += 1;
        if self.bodies.iter().map(|body| body.path.len()).sum::<usize>() > MOST_POINTS {
            self.stride *= 2;
            for body in &mut self.bodies {
                let mut n = 0;
                body.path.retain(|_| {
                    n += 1;
                    n % 2 == 1
                });
            }
        }
    }

    fn svg(&self) -> Outcome<String> {
        let view = self.view();
        draw(&self.title, &view, "axis 1 (m)", |chart| {
            self.draw_fixed(chart, &view)?;
            self.draw_paths(chart)?;
            self.draw_bodies(chart, &view)
        })
    }

    fn draw_fixed(&self, chart: &mut Chart<'_, '_>, view: &View) -> Outcome<()> {
        for polygon in &self.fixed {
            let part = tuples(&clipped(polygon, view.lower, view.upper));
            if part.len() > 2 {
                chart.draw_series([Polygon::new(part.clone(), GREY.mix(0.35).filled())])?;
            }
        }
        Ok(())
    }

    fn draw_paths(&self, chart: &mut Chart<'_, '_>) -> Outcome<()> {
        for (index, body) in self.bodies.iter().enumerate() {
            let mut path = body.path.clone();
            path.dedup();
            if path.len() > 1 {
                let style = colour(index).mix(0.75).stroke_width(1);
                chart.draw_series([PathElement::new(tuples(&path), style)])?;
            }
        }
        Ok(())
    }

    /// Outlines at the start, filled at the end.
    fn draw_bodies(&self, chart: &mut Chart<'_, '_>, view: &View) -> Outcome<()> {
        for (index, body) in self.bodies.iter().enumerate() {
            let (line, fill) = (GREY.mix(0.6).stroke_width(1), colour(index).mix(0.6).filled());
            for shape in &body.shapes {
                if let Geometry::Circle(circle) = shape {
                    let (size, centre) = (view.pixels(circle.radius()), circle.offset());
                    let at = |pose: Pose| tuple(pose.point(centre).into());
                    chart.draw_series([Circle::new(at(body.start), size, line)])?;
                    chart.draw_series([Circle::new(at(body.end), size, fill)])?;
                    continue;
                }
                let mut start = tuples(&outline(shape, body.start));
                start.push(start[0]);
                chart.draw_series([PathElement::new(start, line)])?;
                chart.draw_series([Polygon::new(tuples(&outline(shape, body.end)), fill)])?;
            }
        }
        Ok(())
    }

    /// The part of the plane that shows everything that moves, or else all there is.
    fn view(&self) -> View {
        let (mut lower, mut upper) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let mut include = |point: &Point| {
            for axis in 0..2 {
                lower[axis] = lower[axis].min(point[axis]);
                upper[axis] = upper[axis].max(point[axis]);
            }
        };
        for body in &self.bodies {
            body.path.iter().for_each(&mut include);
            for pose in [body.start, body.end] {
                body.shapes.iter().for_each(|shape| outline(shape, pose).iter().for_each(&mut include));
            }
        }
        if self.bodies.is_empty() {
            self.fixed.iter().flatten().for_each(&mut include);
        }
        let size = (upper[0] - lower[0]).max(upper[1] - lower[1]);
        if !(size > 0.0 && size.is_finite()) {
            return View::of_plane([-1.0; 2], [1.0; 2]);
        }
        let room = 0.05 * size;
        View::of_plane(lower.map(|x| x - room), upper.map(|x| x + room))
    }
}

fn tuple([x, y]: Point) -> (f64, f64) {
    (x, y)
}

fn tuples(points: &[Point]) -> Vec<(f64, f64)> {
    points.iter().copied().map(tuple).collect()
}
