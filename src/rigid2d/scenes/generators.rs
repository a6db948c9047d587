//! Many bodies at once, and walls.

use super::{Scene, SceneBody};
use crate::error::{Error, Result};
use crate::geometry::{Aabb, Vec2};
use crate::random::{Purpose, Random};
use crate::rigid2d::shapes::{Geometry, Material, Shape};
use crate::setters::setters;
use crate::soa::check;

/// Walls of a box around a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Walls {
    /// The lower left corner of the inside, in metres.
    pub lower: Vec2,
    /// The upper right corner of the inside, in metres.
    pub upper: Vec2,
    /// How thick they are, outwards, in metres; 1 by default.
    pub thickness: f64,
    /// Which sides have none.
    pub open: Openings,
    /// What they are made of.
    pub material: Material,
}

/// Sides without a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Openings {
    /// At the lowest x.
    pub left: bool,
    /// At the highest x.
    pub right: bool,
    /// At the lowest y.
    pub bottom: bool,
    /// At the highest y.
    pub top: bool,
}

impl Walls {
    /// Four walls around the box with these corners, in metres.
    #[must_use]
    pub fn new(lower: Vec2, upper: Vec2) -> Self {
        Self { lower, upper, thickness: 1.0, open: Openings::default(), material: Material::default() }
    }

    setters! {
        /// With this thickness, in metres.
        with_thickness(thickness: f64);
        /// With these sides open.
        with_open(open: Openings);
        /// Of this material.
        with_material(material: Material);
    }

    /// The walls as shapes; each covers the corners that it has with an open side or a wall above or below.
    pub fn shapes(&self) -> Result<Vec<Shape>> {
        let Self { lower, upper, thickness: t, open, .. } = *self;
        for (field, value) in [("width", upper.x - lower.x), ("height", upper.y - lower.y), ("thickness", t)]
        {
            check::finite(field, 0, value)?;
            if value <= 0.0 {
                return Err(Error::OutOfRange { field, value, expected: "more than 0" });
            }
        }
        let sides = [
            (open.bottom, [lower.x - t, lower.y - t], [upper.x + t, lower.y]),
            (open.left, [lower.x - t, lower.y], [lower.x, upper.y]),
            (open.right, [upper.x, lower.y], [upper.x + t, upper.y]),
            (open.top, [lower.x - t, upper.y], [upper.x + t, upper.y + t]),
        ];
        let wall = |(_, min, max)| -> Result<Shape> {
            let geometry = Geometry::rectangle_from(&Aabb { min, max }, 0.0)?;
            Ok(Shape::new(geometry).with_material(self.material))
        };
        sides.into_iter().filter(|(is_open, ..)| !is_open).map(wall).collect()
    }
}

/// Bodies that lie apart at random places above a floor, to fall on each other.
///
/// They are in rows of cells, from the left to the right and from the bottom to the top, each somewhere in its cell.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Pile {
    /// Number of bodies.
    pub count: usize,
    /// The lower left corner, in metres.
    pub corner: Vec2,
    /// In metres.
    pub width: f64,
    /// Smallest and largest factor of the lengths of a body.
    pub sizes: [f64; 2],
    /// Whether bodies are turned by random angles.
    pub turned: bool,
}

impl Pile {
    /// This many bodies above this corner, in a pile of this width, in metres.
    #[must_use]
    pub fn new(count: usize, corner: Vec2, width: f64) -> Self {
        Self { count, corner, width, sizes: [1.0; 2], turned: true }
    }

    setters! {
        /// With lengths times a random factor from the first to the second.
        with_sizes(sizes: [f64; 2]);
        /// With random angles, or not.
        with_turned(turned: bool);
    }

    /// Side of a cell and cells in a row, for bodies that fit into this circle, in metres.
    fn cells(&self, radius: f64) -> Result<(f64, usize)> {
        check::finite("width", 0, self.width)?;
        let [least, most] = self.sizes;
        if !(least > 0.0 && least <= most && most.is_finite()) {
            let expected = "from a number above 0 to one that is not smaller";
            return Err(Error::OutOfRange { field: "sizes", value: least, expected });
        }
        // The share by which a body can move within its cell.
        let side = 2.1 * radius * most;
        if side <= 0.0 || self.width < side {
            let expected = "at least 1.05 times the diameter of the largest body, which is above 0";
            return Err(Error::OutOfRange { field: "width", value: self.width, expected });
        }
        Ok((side, (self.width / side) as usize))
    }
}

/// Streams of random numbers of a scene, which go on from one pile to the next.
pub(super) struct Streams {
    pub(super) places: Random,
    pub(super) sizes: Random,
    pub(super) turns: Random,
}

impl Streams {
    pub(super) fn new(seed: u64) -> Self {
        let stream = |purpose| Random::new(seed, purpose);
        Self { places: stream(Purpose::Places), sizes: stream(Purpose::Sizes), turns: stream(Purpose::Turns) }
    }
}

impl Scene {
    /// Adds walls to the ground.
    pub fn add_walls(&mut self, walls: &Walls) -> Result<()> {
        self.ground.extend(walls.shapes()?);
        Ok(())
    }

    /// Adds this many copies of a body, one on top of the other with this gap, in metres. `base` is the middle of the lowest
    /// edge.
    pub fn add_stack(&mut self, body: &SceneBody, rows: usize, base: Vec2, gap: f64) -> Result<()> {
        self.check_room("rows", rows)?;
        self.add_rows(body, std::iter::repeat_n(1, rows), base, [0.0, gap])
    }

    /// Adds copies of a body in rows, each with one less than the row below, with these gaps along x and y, in metres. `base`
    /// is the middle of the lowest edge.
    pub fn add_pyramid(&mut self, body: &SceneBody, rows: usize, base: Vec2, gaps: [f64; 2]) -> Result<()> {
        self.check_room("rows", rows.saturating_mul(rows.saturating_add(1)) / 2)?;
        self.add_rows(body, (1..=rows).rev(), base, gaps)
    }

    /// Adds copies of a body in columns and rows with these gaps along x and y, in metres. `base` is the middle of the lowest
    /// edge.
    pub fn add_grid(
        &mut self,
        body: &SceneBody,
        [columns, rows]: [usize; 2],
        base: Vec2,
        gaps: [f64; 2],
    ) -> Result<()> {
        self.check_room("columns times rows", columns.saturating_mul(rows))?;
        self.add_rows(body, std::iter::repeat_n(columns, rows), base, gaps)
    }

    /// Adds rows of copies of a body, from the bottom to the top, with these numbers in a row.
    fn add_rows(
        &mut self,
        body: &SceneBody,
        rows: impl Iterator<Item = usize>,
        base: Vec2,
        gaps: [f64; 2],
    ) -> Result<()> {
        check::all_finite("position", &<[f64; 2]>::from(base))?;
        check::all_non_negative("gap", &gaps)?;
        let bounds = body.bounding_box();
        if bounds.is_empty() {
            return Err(Error::OutOfRange {
                field: "shapes of the body",
                value: 0.0,
                expected: "at least 1",
            });
        }
        let (min, max) = (Vec2::from(bounds.min), Vec2::from(bounds.max));
        let pitch = max - min + Vec2::from(gaps);
        let middle = (min + max) * 0.5;
        for (row, columns) in rows.enumerate() {
            for column in 0..columns {
                let x = (column as f64 - 0.5 * (columns as f64 - 1.0)) * pitch.x;
                let place = base + Vec2::new(x - middle.x, row as f64 * pitch.y - min.y);
                self.bodies.push(body.at(place));
            }
        }
        Ok(())
    }

    /// Adds a pile of bodies, each of which is a copy of one of these, chosen at random from the seed of the scene.
    pub fn add_pile(&mut self, choices: &[SceneBody], pile: &Pile) -> Result<()> {
        self.add_pile_from(choices, pile, &mut Streams::new(self.seed))
    }

    pub(super) fn add_pile_from(
        &mut self,
        choices: &[SceneBody],
        pile: &Pile,
        streams: &mut Streams,
    ) -> Result<()> {
        check::all_finite("corner", &<[f64; 2]>::from(pile.corner))?;
        self.check_room("count", pile.count)?;
        let radius = choices.iter().map(SceneBody::bounding_radius).fold(0.0, f64::max);
        let (side, in_row) = pile.cells(radius)?;
        let [least, most] = pile.sizes;
        self.bodies.reserve(pile.count);
        for n in 0..pile.count {
            let choice = &choices[streams.sizes.below(choices.len())];
            let size = streams.sizes.between(least, most);
            let body = if size == 1.0 { choice.clone() } else { choice.scaled(size)? };
            let angle = streams.turns.between(-std::f64::consts::PI, std::f64::consts::PI);
            let free = 0.5 * side - size * choice.bounding_radius();
            let mut shift = || streams.places.between(-free, free);
            let offset = Vec2::new(shift(), shift());
            let cell = Vec2::new((n % in_row) as f64 + 0.5, (n / in_row) as f64 + 0.5) * side;
            let turned = if pile.turned { body.body.angle + angle } else { body.body.angle };
            let placed = body.at(pile.corner + cell + offset);
            self.bodies.push(SceneBody { body: placed.body.with_angle(turned), ..placed });
        }
        Ok(())
    }
}
