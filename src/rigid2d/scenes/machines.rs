//! Ready-made scenes with a known answer: something slides, swings, falls or flies.

use super::generators::{Openings, Walls};
use super::heaps::{GRAVITY, block, material, solid};
use super::{Parameters, Scene, SceneBody};
use crate::error::{Error, Result};
use crate::geometry::{Rotation, Vec2};
use crate::random::{Purpose, Random};
use crate::rigid2d::shapes::{Geometry, Shape};
use crate::soa::check;

/// A plane through the origin that falls to the right, and a box on it.
///
/// The plane has the friction 1, so that the product with that of the box is that of the box.
pub(super) fn incline(scene: &mut Scene, parameters: &Parameters) -> Result<()> {
    let angle = parameters.angle.unwrap_or(std::f64::consts::PI / 6.0);
    let friction = parameters.friction.unwrap_or(0.3);
    check::non_negative("friction", 0, friction)?;
    let expected = "from 0 to less than a right angle";
    if !(0.0..1.5).contains(&angle) {
        return Err(Error::OutOfRange { field: "angle", value: angle, expected });
    }
    scene.settings.gravity = GRAVITY;
    scene.until = 3.0;
    let slope = Rotation::from_angle(-angle);
    let corners = [[-5.0, -1.0], [200.0, -1.0], [200.0, 0.0], [-5.0, 0.0]];
    let plane = Geometry::convex_polygon(&corners.map(|corner| slope.turn(corner.into())), 0.0)?;
    scene.ground.push(Shape::new(plane).with_material(material(1.0, 0.0)));
    let mut slider = solid(Geometry::rectangle(1.0, 0.5, 0.0)?, material(friction, 0.0));
    slider.body = slider.body.with_angle(-angle).with_position(slope.turn(Vec2::new(0.0, 0.25)));
    scene.bodies.push(slider);
    Ok(())
}

/// Balls without gravity and friction; the first one comes at 5 m/s.
pub(super) fn cradle(scene: &mut Scene, parameters: &Parameters) -> Result<()> {
    const RADIUS: f64 = 0.5;
    let balls = parameters.bodies_or(5)?;
    scene.settings.bounce_speed = Some(0.0);
    scene.until = 1.0;
    let ball = solid(Geometry::circle(RADIUS, Vec2::ZERO)?, material(0.0, 1.0));
    let mut first = ball.at(Vec2::new(-2.0, 0.0));
    first.body.velocity = Vec2::new(5.0, 0.0);
    scene.bodies.push(first);
    for k in 1..balls {
        scene.bodies.push(ball.at(Vec2::new(2.0 * RADIUS * (k as f64 - 1.0), 0.0)));
    }
    Ok(())
}

/// Dominoes of 1 m by 0.1 m, half a metre apart.
pub(super) fn dominoes(scene: &mut Scene, parameters: &Parameters) -> Result<()> {
    const PITCH: f64 = 0.5;
    let count = parameters.bodies_or(15)?;
    scene.settings.gravity = GRAVITY;
    // A domino takes about 0.15 s to reach the next one.
    scene.until = 2.0 + 0.2 * count as f64;
    let rough = material(0.7, 0.0);
    let end = PITCH * count as f64 + 4.0;
    scene.ground.push(block([-4.0, -1.0], [end, 0.0], rough)?);
    let domino = solid(Geometry::rectangle(0.1, 1.0, 0.0)?, rough);
    for k in 0..count {
        scene.bodies.push(domino.at(Vec2::new(PITCH * k as f64, 0.5)));
    }
    // It turns about its lower right corner.
    let push = 2.0;
    scene.bodies[0].body.angular_velocity = -push;
    scene.bodies[0].body.velocity = Vec2::new(0.5 * push, 0.05 * push);
    Ok(())
}

/// Pairs of cards that lean against each other, with flat cards between the storeys.
pub(super) fn card_house(scene: &mut Scene, parameters: &Parameters) -> Result<()> {
    const LENGTH: f64 = 1.0;
    const THICKNESS: f64 = 0.02;
    const LEAN: f64 = 20.0 * std::f64::consts::PI / 180.0;
    const GAP: f64 = 0.15;
    let rows = parameters.rows_or(3)?;
    scene.check_room("rows", rows.saturating_mul(rows.saturating_mul(3)) / 2)?;
    scene.settings.gravity = GRAVITY;
    scene.until = 10.0;
    let paper = material(0.9, 0.0);
    let lean = Rotation::from_angle(LEAN);
    // Half the extents of a card that leans: its corners are at (+-t, +-l) / 2, turned.
    let (t, l) = (0.5 * THICKNESS, 0.5 * LENGTH);
    let (half_width, half_height) = (l * lean.sin + t * lean.cos, l * lean.cos + t * lean.sin);
    // The inner upper corners of both cards of a pair touch; feet of neighbours are apart by the gap.
    let pitch = 4.0 * half_width + GAP;
    let storey = 2.0 * half_height + THICKNESS;
    let half = 0.5 * pitch * rows as f64 + 2.0;
    scene.ground.push(block([-half, -1.0], [half, 0.0], paper)?);
    let upright = solid(Geometry::rectangle(THICKNESS, LENGTH, 0.0)?, paper);
    let leaning = |x: f64, y: f64, angle: f64| {
        let card = upright.at(Vec2::new(x, y));
        SceneBody { body: card.body.with_angle(angle), ..card }
    };
    for row in 0..rows {
        let (pairs, floor) = (rows - row, storey * row as f64);
        for pair in 0..pairs {
            let middle = pitch * (pair as f64 - 0.5 * (pairs as f64 - 1.0));
            let y = floor + half_height;
            scene.bodies.push(leaning(middle - half_width, y, -LEAN));
            scene.bodies.push(leaning(middle + half_width, y, LEAN));
            if pair + 1 < pairs {
                let top = floor + 2.0 * half_height + t;
                // Flat cards almost touch each other above a pair; the outermost ones cover it.
                let end =
                    |is_outermost: bool| if is_outermost { 0.5 * pitch + 0.1 } else { 0.5 * pitch - 0.005 };
                let (left, right) = (end(pair == 0), end(pair + 2 == pairs));
                let flat = solid(Geometry::rectangle(left + right, THICKNESS, 0.0)?, paper);
                scene.bodies.push(flat.at(Vec2::new(middle + 0.5 * (pitch + right - left), top)));
            }
        }
    }
    Ok(())
}

/// In one step of 1/60 s the ball flies a metre, twenty times the thickness of the wall.
pub(super) fn bullet(scene: &mut Scene, _: &Parameters) -> Result<()> {
    scene.until = 0.5;
    scene.ground.push(block([0.0, -2.0], [0.05, 2.0], material(0.0, 0.0))?);
    let mut ball = solid(Geometry::circle(0.1, Vec2::ZERO)?, material(0.0, 0.0)).at(Vec2::new(-5.0, 0.0));
    ball.body = ball.body.with_velocity(Vec2::new(60.0, 0.0)).with_bullet(true);
    scene.bodies.push(ball);
    Ok(())
}

/// A funnel, rows of pegs and slots.
pub(super) fn galton(scene: &mut Scene, parameters: &Parameters) -> Result<()> {
    let (rows, balls) = (parameters.rows_or(8)?, parameters.bodies_or(100)?);
    scene.check_room("rows", rows.saturating_mul(rows.saturating_add(4)))?;
    scene.settings.gravity = GRAVITY;
    scene.until = 6.0 + 0.15 * balls as f64;
    Galton::new(rows, balls).build(scene)
}

/// Sizes of a Galton board, in metres.
struct Galton {
    rows: usize,
    balls: usize,
    /// Slots, and pegs in every second row.
    columns: usize,
    /// Half the width.
    half: f64,
    /// Heights of slots, and of the lower end of the funnel.
    slots: f64,
    top: f64,
}

impl Galton {
    /// From one peg to the next.
    const PITCH: f64 = 0.3;
    /// From one row to the next.
    const ROW: f64 = 0.26;
    const PEG: f64 = 0.05;
    /// A ball that passes between two pegs must hit the next one.
    const BALL: f64 = 0.07;
    /// Height of the chute below the funnel, in which balls lose their velocities sideways.
    const CHUTE: f64 = 0.6;
    /// From one ball to the next in the funnel.
    const APART: f64 = 0.16;

    fn new(rows: usize, balls: usize) -> Self {
        let columns = rows + 3;
        // The share of the balls in the fullest slot, by the normal distribution.
        let share = (0.8 / (rows as f64).sqrt()).min(0.4);
        let slots = 0.5 + 0.09 * share * balls as f64;
        let top = slots + 0.3 + Self::ROW * rows as f64;
        Self { rows, balls, columns, half: 0.5 * Self::PITCH * columns as f64, slots, top }
    }

    fn build(&self, scene: &mut Scene) -> Result<()> {
        let smooth = material(0.1, 0.7);
        let across = (2.0 * (self.half - Self::BALL) / Self::APART) as usize;
        let funnel = self.top + Self::CHUTE + self.half;
        let upper = funnel + Self::APART * (self.balls / across + 3) as f64;
        let walls = Walls::new(Vec2::new(-self.half, 0.0), Vec2::new(self.half, upper)).with_thickness(0.5);
        let open = Openings { top: true, ..Openings::default() };
        scene.add_walls(&walls.with_open(open).with_material(smooth))?;
        let fixed = |geometry: Geometry| Shape::new(geometry).with_material(smooth);
        for row in 0..self.rows {
            let y = self.top - 0.25 - Self::ROW * row as f64;
            for x in self.row(row) {
                scene.ground.push(fixed(Geometry::circle(Self::PEG, Vec2::new(x, y))?));
            }
        }
        for x in self.row(0) {
            scene.ground.push(block([x - 0.02, 0.0], [x + 0.02, self.slots], smooth)?);
        }
        for side in [-1.0, 1.0] {
            let x = side * 3.5 * Self::BALL;
            let ends = [[side * self.half, funnel], [x, self.top + Self::CHUTE], [x, self.top]];
            for pair in ends.windows(2) {
                let plate = Geometry::segment(pair[0].into(), pair[1].into(), 0.02)?;
                scene.ground.push(Shape::new(plate).with_material(material(0.0, 0.0)));
            }
        }
        let mut places = Random::new(scene.seed, Purpose::Places);
        let ball = solid(Geometry::circle(Self::BALL, Vec2::ZERO)?, smooth);
        for k in 0..self.balls {
            let column = (k % across) as f64 - 0.5 * (across as f64 - 1.0);
            let place = Vec2::new(Self::APART * column, funnel + Self::APART * ((k / across) as f64 + 1.0));
            let mut shift = || places.between(-0.009, 0.009);
            scene.bodies.push(ball.at(place + Vec2::new(shift(), shift())));
        }
        Ok(())
    }

    /// Places of the pegs of a row, every second of which is shifted by half a pitch. There are none half a pitch from a wall:
    /// a ball would rest there.
    fn row(&self, row: usize) -> impl Iterator<Item = f64> {
        let (half, shifted) = (self.half, row % 2);
        (shifted..=self.columns - 2 * shifted)
            .map(move |peg| Self::PITCH * (peg as f64 + 0.5 * shifted as f64) - half)
    }
}
