//! Ready-made scenes, in one table of name, description and builder (docs/methods/events.md).

use std::ffi::CStr;

use super::gas::Gas;
use super::{BoxAxis, Scene};
use crate::particles::{Particle, Particles};

/// An entry of [`SCENES`].
#[derive(Debug)]
pub struct ReadyMade {
    /// Its name, as [`Scene::named`] takes it.
    pub name: &'static str,
    /// The same for C, with a final NUL.
    pub c_name: &'static CStr,
    /// One line that describes it.
    pub description: &'static str,
    build: fn(&Self) -> Scene,
}

impl ReadyMade {
    const fn new(c_name: &'static CStr, description: &'static str, build: fn(&Self) -> Scene) -> Self {
        match c_name.to_str() {
            Ok(name) => Self { name, c_name, description, build },
            Err(_) => panic!("names are ASCII"),
        }
    }

    /// Builds the scene.
    #[must_use]
    pub fn scene(&self) -> Scene {
        (self.build)(self)
    }

    /// A scene of balls in a reflecting box with these sides, in metres, and its lower corner at the origin.
    fn in_box(&self, sides: [f64; 2], until: f64, balls: &[Particle]) -> Scene {
        let mut particles = Particles::new(2).expect("two dimensions are allowed");
        particles.add_many(balls).expect("ready-made balls are valid");
        let enclosure = sides.map(|side| BoxAxis::reflecting(0.0, side)).to_vec();
        let description = self.description.into();
        Scene { description, until, ..Scene::new(self.name, particles, enclosure) }
    }
}

/// All ready-made scenes.
pub static SCENES: [ReadyMade; 7] = [
    ReadyMade::new(c"empty", "an empty box of 0.5 m by 0.3 m, to add balls to", |this| {
        this.in_box(SMALL_BOX, 1.0, &[])
    }),
    ReadyMade::new(
        c"head-on-horizontal",
        "two head-on collisions: of equal balls, and of a heavy and a light ball",
        head_on_horizontal,
    ),
    ReadyMade::new(
        c"head-on-vertical",
        "two equal balls collide head-on and exchange their velocities",
        head_on_vertical,
    ),
    ReadyMade::new(
        c"oblique",
        "a ball hits an equal one at rest off centre; they leave at right angles",
        oblique,
    ),
    ReadyMade::new(
        c"three-balls",
        "two balls approach each other, a third collides with both before",
        three_balls,
    ),
    ReadyMade::new(
        c"billiard-break",
        "a cue ball breaks a rack of fifteen on a table of 2.54 m by 1.27 m",
        billiard_break,
    ),
    ReadyMade::new(
        c"gas",
        "hard rods, disks or spheres on a lattice with Maxwell speeds, in a periodic box",
        |_| Gas::new(3).scene().expect("the default gas is valid"),
    ),
];

/// The entry of the gas, which [`Gas`] names its scenes after.
pub static GAS: &ReadyMade = &SCENES[6];

/// Sides of the box of the small scenes, in metres.
const SMALL_BOX: [f64; 2] = [0.5, 0.3];

fn ball(position: [f64; 2], velocity: [f64; 2], radius: f64, mass: f64) -> Particle {
    Particle::sphere(&position, radius).with_mass(mass).with_velocity(&velocity)
}

/// A ball of 0.01 m and 0.01 kg.
fn small_ball(position: [f64; 2], velocity: [f64; 2]) -> Particle {
    ball(position, velocity, 0.01, 0.01)
}

fn head_on_horizontal(this: &ReadyMade) -> Scene {
    let balls = [
        small_ball([0.1, 0.2], [0.1, 0.0]),
        small_ball([0.35, 0.2], [-0.1, 0.0]),
        ball([0.1, 0.1], [0.1, 0.0], 0.02, 0.02),
        ball([0.35, 0.1], [-0.1, 0.0], 0.01, 0.01),
    ];
    this.in_box(SMALL_BOX, 2.0, &balls)
}

fn head_on_vertical(this: &ReadyMade) -> Scene {
    let balls = [small_ball([0.1, 0.01], [0.0, 0.5]), small_ball([0.1, 0.15], [0.0, -0.1])];
    this.in_box(SMALL_BOX, 0.4, &balls)
}

/// The line of centres makes 30 degrees with the velocity: the balls are half a diameter off centre.
fn oblique(this: &ReadyMade) -> Scene {
    let balls = [small_ball([0.1, 0.14], [0.2, 0.0]), small_ball([0.25, 0.15], [0.0, 0.0])];
    this.in_box(SMALL_BOX, 1.4, &balls)
}

/// The third ball comes at right angles and reaches both others at the same time, at 45 degrees.
fn three_balls(this: &ReadyMade) -> Scene {
    let balls = [
        small_ball([0.1, 0.15], [0.1, 0.0]),
        small_ball([0.3, 0.15], [-0.1, 0.0]),
        small_ball([0.2, 0.05], [0.0, 0.1]),
    ];
    this.in_box(SMALL_BOX, 1.5, &balls)
}

/// A nine-foot table with balls of 57.15 mm. The rack is not quite tight and the cue ball slightly off centre, so that the
/// result follows from these numbers and not from the rounding of touching balls.
fn billiard_break(this: &ReadyMade) -> Scene {
    const TABLE: [f64; 2] = [2.54, 1.27];
    const RADIUS: f64 = 0.028_575;
    const MASS: f64 = 0.17;
    const GAP: f64 = 0.000_1;
    const OFF_CENTRE: f64 = 0.004;
    let middle = 0.5 * TABLE[1];
    let (pitch, row_height) = (2.0 * RADIUS + GAP, (2.0 * RADIUS + GAP) * (0.75_f64).sqrt());
    let mut balls = vec![ball([0.25 * TABLE[0], middle + OFF_CENTRE], [8.0, 0.0], RADIUS, MASS)];
    for row in 0..5 {
        for place in 0..=row {
            let x = 0.75 * TABLE[0] + f64::from(row) * row_height;
            let y = middle + (f64::from(place) - 0.5 * f64::from(row)) * pitch;
            balls.push(ball([x, y], [0.0, 0.0], RADIUS, MASS));
        }
    }
    this.in_box(TABLE, 2.0, &balls)
}
