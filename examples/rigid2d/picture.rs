//! Pictures of spaces as SVG.

use std::fmt::Write;
use std::path::Path;

use carom::geometry::{Pose, Vec2};
use carom::rigid2d::{BodyId, BodyKind, Geometry, Space};
use carom::{Error, Result};

pub(crate) const BLUE: &str = "#3366cc";
pub(crate) const GREEN: &str = "#109618";
pub(crate) const GREY: &str = "#777777";
pub(crate) const RED: &str = "#dc3912";
pub(crate) const YELLOW: &str = "#dd9900";

/// Pixels of a metre.
const SCALE: f64 = 100.0;

/// A part of the plane, drawn bit by bit.
pub(crate) struct Picture {
    text: String,
    lower: Vec2,
    upper: Vec2,
}

impl Picture {
    /// An empty picture of what is between two corners, in metres.
    pub(crate) fn new(lower: [f64; 2], upper: [f64; 2]) -> Self {
        Self { text: String::new(), lower: lower.into(), upper: upper.into() }
    }

    /// A point in pixels, from the upper left corner.
    fn at(&self, point: Vec2) -> (f64, f64) {
        (SCALE * (point.x - self.lower.x), SCALE * (self.upper.y - point.y))
    }

    fn points(&self, points: impl IntoIterator<Item = Vec2>) -> String {
        let pairs = points.into_iter().map(|point| self.at(point));
        pairs.map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
    }

    fn element(&mut self, element: &str) {
        writeln!(self.text, "  {element}").expect("a string takes everything");
    }

    /// A form at a pose. A rounding radius is a line of twice its width around the core.
    pub(crate) fn geometry(&mut self, geometry: &Geometry, pose: Pose, colour: &str, opacity: f64) {
        let corners = self.points(geometry.vertices().iter().map(|&vertex| pose.point(vertex)));
        let width = (2.0 * SCALE * geometry.radius()).max(1.0);
        self.element(&format!(
            "<polygon points=\"{corners}\" fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"{width:.1}\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\" opacity=\"{opacity}\"/>"
        ));
        // How a circle is turned is seen by a radius.
        if let Geometry::Circle(circle) = geometry {
            let ends = [circle.offset(), circle.offset() + Vec2::X * circle.radius()];
            let ends = self.points(ends.map(|end| pose.point(end)));
            self.element(&format!("<polyline points=\"{ends}\" stroke=\"white\"/>"));
        }
    }

    /// A body of a space with all its shapes.
    pub(crate) fn body(&mut self, space: &Space, body: BodyId, opacity: f64) -> Result<()> {
        let body = space.body(body)?;
        for shape in body.shapes() {
            let (colour, opacity) = match (shape.material().sensor, body.kind()) {
                (true, _) => (YELLOW, 0.5 * opacity),
                (false, BodyKind::Static) => (GREY, opacity),
                (false, _) => (BLUE, opacity),
            };
            self.geometry(shape.geometry(), body.pose(), colour, opacity);
        }
        Ok(())
    }

    /// All bodies of a space.
    pub(crate) fn space(&mut self, space: &Space, opacity: f64) {
        for body in space.bodies() {
            self.body(space, body.id(), opacity).expect("the id is of this space");
        }
    }

    pub(crate) fn line(&mut self, from: Vec2, to: Vec2, colour: &str) {
        self.path(&[from, to], colour);
    }

    pub(crate) fn path(&mut self, points: &[Vec2], colour: &str) {
        let points = self.points(points.iter().copied());
        self.element(&format!("<polyline points=\"{points}\" stroke=\"{colour}\" fill=\"none\"/>"));
    }

    pub(crate) fn arrow(&mut self, from: Vec2, to: Vec2, colour: &str) {
        let along = (to - from).normalized() * 0.08;
        let across = along.perpendicular() * 0.5;
        self.line(from, to, colour);
        self.path(&[to - along + across, to, to - along - across], colour);
    }

    pub(crate) fn dot(&mut self, point: Vec2, colour: &str) {
        let (x, y) = self.at(point);
        self.element(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>"));
    }

    pub(crate) fn label(&mut self, point: Vec2, text: &str) {
        let (x, y) = self.at(point);
        self.element(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-family=\"sans-serif\" font-size=\"15\">{text}</text>"
        ));
    }

    /// Writes the picture to a file.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let size = (self.upper - self.lower) * SCALE;
        let (width, height) = (size.x.round(), size.y.round());
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\">\n  <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            self.text
        );
        std::fs::write(path, text).map_err(|error| Error::io(path.display(), error))
    }
}
