//! What a scene is, without an engine.

/// Length of a step, in seconds.
pub(crate) const STEP: f64 = 1.0 / 60.0;

/// Substeps per step.
pub(crate) const SUBSTEPS: usize = 4;

/// Acceleration of gravity, downwards, in m/s^2.
pub(crate) const GRAVITY: f64 = 10.0;

/// Coefficient of friction of all shapes, which every mixing rule but the product keeps.
pub(crate) const FRICTION: f64 = 0.6;

/// Mass per area of all shapes, in kg/m^2.
pub(crate) const DENSITY: f64 = 1.0;

/// A convex shape in the coordinates of its body, in metres.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A disc around the body's origin.
    Circle { radius: f64 },
    /// A rectangle with edges along the axes of the body.
    Box { half: [f64; 2], centre: [f64; 2] },
    /// Vertices in counterclockwise order.
    Polygon { vertices: Vec<[f64; 2]> },
}

impl Shape {
    /// A regular polygon around the body's origin.
    pub(crate) fn regular(corners: usize, radius: f64) -> Self {
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / corners as f64;
        let vertices = (0..corners).map(|k| [radius * angle(k).cos(), radius * angle(k).sin()]).collect();
        Self::Polygon { vertices }
    }

    /// A square around the body's origin.
    pub(crate) fn square(half: f64) -> Self {
        Self::Box { half: [half; 2], centre: [0.0; 2] }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Static,
    /// Moves with its velocity, whatever it touches.
    Kinematic,
    Dynamic,
}

#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) kind: Kind,
    pub(crate) position: [f64; 2],
    pub(crate) angle: f64,
    pub(crate) velocity: [f64; 2],
    pub(crate) angular_velocity: f64,
    pub(crate) shapes: Vec<Shape>,
}

impl Body {
    pub(crate) fn new(kind: Kind, position: [f64; 2], shapes: Vec<Shape>) -> Self {
        Self { kind, position, angle: 0.0, velocity: [0.0; 2], angular_velocity: 0.0, shapes }
    }
}

/// Position and rotation of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pose {
    pub(crate) position: [f64; 2],
    pub(crate) cos: f64,
    pub(crate) sin: f64,
}

/// Bodies, in one space or in many that do not influence each other.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    /// The bodies of one space.
    pub(crate) bodies: Vec<Body>,
    /// Number of spaces with these bodies.
    pub(crate) spaces: usize,
    /// Distance at which spaces may be put beside each other in one world, in metres.
    pub(crate) pitch: f64,
    /// Number of steps before the clock starts.
    pub(crate) settling: usize,
    /// Number of steps per turn.
    pub(crate) steps: usize,
}

impl Scene {
    /// Where each space is if all are in one world: in a square around the origin.
    pub(crate) fn origins(&self) -> Vec<[f64; 2]> {
        let columns = (self.spaces as f64).sqrt().ceil() as usize;
        let place = |k: usize| self.pitch * (k as f64 - 0.5 * (columns - 1) as f64);
        (0..self.spaces).map(|space| [place(space % columns), place(space / columns)]).collect()
    }
}
