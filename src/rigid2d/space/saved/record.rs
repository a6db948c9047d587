//! What is in a saved space. All numbers are finite.

use std::io::{self, Write};

use super::binary::{Binary, Reader, choice, record};
use crate::error::Result;
use crate::rigid2d::space::{BodyKind, Mixing, Precision, Solver};

choice! {
    SavedKind = BodyKind { Static, Kinematic, Dynamic, }
    SavedPrecision = Precision { Double, Mixed, }
    SavedSolver = Solver { Soft, Sequential, }
    SavedMixing = Mixing { Multiply, Minimum, Maximum, Mean, GeometricMean, }
}

record! {
    /// A space, between two steps.
    SavedSpace {
        settings: SavedSettings,
        time: f64,
        steps: u64,
        time_step: f64,
        /// Row of the own static body.
        static_body: u32,
        /// By row.
        bodies: Vec<BodyRow>,
        /// Rows of removed bodies, in the order in which they were removed.
        free_bodies: Vec<u32>,
        /// By row.
        shapes: Vec<ShapeRow>,
        /// Pairs of shapes that are near each other.
        contacts: Vec<SavedContact>,
        /// Rows of bodies that wake in the next step with all that they touch.
        waking: Vec<u32>,
        /// Rows of shapes that ceased to touch since the last step because they were changed.
        ended: Vec<[u32; 2]>,
    }

    SavedSettings {
        precision: SavedPrecision,
        gravity: [f64; 2],
        solver: SavedSolver,
        iterations: u32,
        substeps: u32,
        slop: f64,
        bias: f64,
        persistence: u32,
        restitution_mixing: SavedMixing,
        friction_mixing: SavedMixing,
        bounce_speed: Option<f64>,
        sleep_time: Option<f64>,
        contact_hertz: f64,
        damping_ratio: f64,
        push_velocity: f64,
    }

    BodyRow {
        /// How often a body was removed from this row.
        generation: u32,
        /// None if the row is not used.
        body: Option<SavedBody>,
    }

    SavedBody {
        kind: SavedKind,
        /// Of the centre of mass, in the plane.
        position: [f64; 2],
        /// Of the body, in its own coordinates.
        centre_of_mass: [f64; 2],
        angle: f64,
        cos: f64,
        sin: f64,
        velocity: [f64; 2],
        angular_velocity: f64,
        force: [f64; 2],
        torque: f64,
        mass: f64,
        /// None if it is infinite.
        moment: Option<f64>,
        bullet: bool,
        asleep: bool,
        /// How long it has hardly moved.
        rest_time: f64,
        user_data: u64,
        /// Rows of its shapes, in the order in which they were added.
        shapes: Vec<u32>,
        /// Place and angle that the boxes of its shapes were made around, how far it may be from there along both axes, and
        /// how far its farthest vertex is from its centre of mass; none if they are to be made anew.
        boxed_at: Option<[f64; 6]>,
    }

    ShapeRow {
        /// How often a shape was removed from this row.
        generation: u32,
        /// None if the row is not used.
        shape: Option<SavedShape>,
    }

    SavedShape {
        /// Row of its body.
        body: u32,
        form: SavedForm,
        /// Of a circle the centre, of a segment both ends, of a polygon the vertices, counter-clockwise.
        points: Vec<[f64; 2]>,
        radius: f64,
        /// Of a segment, the points of its chain before and after it.
        neighbours: [Option<[f64; 2]>; 2],
        mass: f64,
        elasticity: f64,
        friction: f64,
        surface_velocity: [f64; 2],
        collision_type: u64,
        group: u32,
        categories: u64,
        mask: u64,
        sensor: bool,
        user_data: u64,
        /// The fat box: lowest and highest x, y; none if there is none yet.
        #[serde(rename = "box")]
        bounds: Option<[[f64; 2]; 2]>,
    }

    SavedContact {
        /// Rows of the shapes.
        shapes: [u32; 2],
        /// Number of points, up to 2.
        count: u32,
        /// In the coordinates of the first body.
        normal: [f64; 2],
        /// Of each point `[x, y]` on the first and on the second body, in the coordinates of each.
        points: [[f64; 4]; 2],
        /// Features of the points.
        ids: u32,
        impulses: [f64; 2],
        tangent_impulse: f64,
        friction: f64,
        restitution: f64,
        /// The pose of the second body in the coordinates of the first when the points were computed.
        pose: [f64; 4],
        /// Of an impact in the last step, what was added to the separations of the points.
        impact: Option<[f64; 2]>,
        /// Displacement up to which the points are kept, in metres; negative if they are not.
        kept: f64,
        /// Limits of the displacement and of the separation, in metres.
        keeping_distance: f64,
        margin: f64,
        touching: bool,
        /// Whether it began to touch in the last step.
        first: bool,
        ignored: bool,
        watched: bool,
        /// The place in the order of the solver; none if it is not solved.
        colour: Option<u32>,
    }
}

/// Forms of shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SavedForm {
    Circle,
    Segment,
    Polygon,
}

impl Binary for SavedForm {
    const LEAST: usize = 1;

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        (*self as u8).write(out)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        Ok([Self::Circle, Self::Segment, Self::Polygon][reader.choice(3)?])
    }
}
