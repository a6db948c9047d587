//! The ready-made scenes of SPEC section 3, by name.

use super::gas::{self, Gas};
use super::{Axis, Scene};
use crate::events::EventSettings;
use crate::particles::{Particle, Particles};

/// A scene that can be had by its name.
#[derive(Debug)]
pub struct ReadyMade {
    /// Its name, as [`Scene::named`] takes it.
    pub name: &'static str,
    /// What there is to see, in a line.
    pub description: &'static str,
    build: fn(&Self) -> Scene,
}

impl ReadyMade {
    /// The scene itself.
    #[must_use]
    pub fn scene(&self) -> Scene {
        (self.build)(self)
    }

    /// A scene of balls in a box of these sides, in metres, whose lowest corner is the origin.
    fn in_box(&self, sides: [f64; 2], until: f64, balls: &[Particle]) -> Scene {
        let mut particles = Particles::new(2).expect("two dimensions are allowed");
        particles.add_many(balls).expect("ready-made balls are good");
        Scene {
            name: self.name.into(),
            description: self.description.into(),
            particles,
            enclosure: sides.map(|side| Axis::reflecting(0.0, side)).to_vec(),
            settings: EventSettings::default(),
            until,
            seed: 0,
        }
    }
}

/// All ready-made scenes: those of SPEC section 3, and a gas.
pub static SCENES: [ReadyMade; 7] = [
    ReadyMade {
        name: "empty",
        description: "a box of 0.5 m by 0.3 m with nothing in it, to add balls to",
        build: |this| this.in_box(SMALL_BOX, 1.0, &[]),
    },
    ReadyMade {
        name: "head-on-horizontal",
        description: "two pairs meet head-on: one of equal balls, one of a heavy and a light ball",
        build: head_on_horizontal,
    },
    ReadyMade {
        name: "head-on-vertical",
        description: "two equal balls meet head-on and exchange their velocities",
        build: head_on_vertical,
    },
    ReadyMade {
        name: "oblique",
        description: "a ball hits an equal one at rest off centre; they leave at right angles",
        build: oblique,
    },
    ReadyMade {
        name: "three-balls",
        description: "two balls approach, a third gets between them before they meet",
        build: three_balls,
    },
    ReadyMade {
        name: "billiard-break",
        description: "a cue ball breaks a rack of fifteen on a table of 2.54 m by 1.27 m",
        build: billiard_break,
    },
    ReadyMade {
        name: "gas",
        description: gas::DESCRIPTION,
        build: |_| Gas::new(3).scene().expect("the default gas is good"),
    },
];

/// Sides of the box of the small scenes, in metres.
const SMALL_BOX: [f64; 2] = [0.5, 0.3];

fn ball(position: [f64; 2], velocity: [f64; 2], radius: f64, mass: f64) -> Particle {
    Particle::sphere(&position, radius).with_mass(mass).with_velocity(&velocity)
}

/// A ball of 0.01 m and 0.01 kg, as most are in SPEC.
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

/// A nine-foot table with balls of 57.15 mm. The rack is not quite tight and the cue ball not quite in the middle: the
/// picture then follows from these numbers and not from how the last bits of touching balls are rounded.
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
