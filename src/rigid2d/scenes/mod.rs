//! Scenes: bodies, ground and settings to start from; ready-made or from a file.

pub(crate) mod file;
mod generators;
mod heaps;
mod machines;
mod ready_made;

pub use file::is_rigid;
pub use generators::{Openings, Pile, Walls};
pub use ready_made::{Parameters, ReadyMade, SCENES};

use super::shapes::{Geometry, Segment, Shape};
use super::space::{Body, BodyKind, Space, SpaceSettings};
use crate::error::{Error, Result};
use crate::geometry::{Aabb, Pose, Rotation, Vec2};

/// The most bodies of a scene: a larger number is a mistake.
pub const MOST_BODIES: usize = 1_000_000;

/// The start of a simulation of rigid bodies, in SI units.
///
/// ```
/// use carom::rigid2d::scenes::{Parameters, Scene};
///
/// let scene = Scene::named("pyramid", &Parameters::default().with_rows(4))?;
/// let mut space = scene.space()?;
/// for _ in 0..60 {
///     space.step(scene.dt)?;
/// }
/// assert_eq!(scene.bodies.len(), 10);
/// assert!(space.kinetic_energy() < 1e-3);
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// Its name.
    pub name: String,
    /// One line that describes it.
    pub description: String,
    /// Gravity, solver and so on.
    pub settings: SpaceSettings,
    /// Duration of a step, in seconds; 1/60 by default.
    pub dt: f64,
    /// Suggested end of a run, in seconds; the scene starts at time 0.
    pub until: f64,
    /// Seed of its random numbers.
    pub seed: u64,
    /// Shapes of the own static body of the space, which is at the origin: ground and walls.
    pub ground: Vec<Shape>,
    /// All other bodies.
    pub bodies: Vec<SceneBody>,
}

/// A body of a scene with its shapes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SceneBody {
    /// The body.
    pub body: Body,
    /// Its shapes, in its coordinates.
    pub shapes: Vec<Shape>,
}

impl SceneBody {
    /// A body with these shapes.
    #[must_use]
    pub fn new(body: Body, shapes: Vec<Shape>) -> Self {
        Self { body, shapes }
    }

    /// A dynamic body with one shape.
    #[must_use]
    pub fn of(shape: Shape) -> Self {
        Self::new(Body::dynamic(), vec![shape])
    }

    /// The same body elsewhere, in metres.
    #[must_use]
    pub fn at(&self, position: Vec2) -> Self {
        Self::new(self.body.with_position(position), self.shapes.clone())
    }

    /// The smallest box around the body as it is turned, from its position, in metres.
    #[must_use]
    pub fn bounding_box(&self) -> Aabb<2> {
        let pose = Pose { position: Vec2::ZERO, rotation: Rotation::from_angle(self.body.angle) };
        let mut bounds = Aabb::EMPTY;
        for shape in &self.shapes {
            let Aabb { min, max } = shape.geometry.bounding_box(pose);
            bounds.include(&min);
            bounds.include(&max);
        }
        bounds
    }

    /// The distance of the farthest point from the position, in metres.
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        self.shapes.iter().map(|shape| shape.geometry.bounding_radius(Vec2::ZERO)).fold(0.0, f64::max)
    }

    /// The same body with all lengths times this factor; densities stay.
    pub fn scaled(&self, factor: f64) -> Result<Self> {
        let shape = |shape: &Shape| -> Result<Shape> {
            let geometry = scaled(&shape.geometry, factor)?;
            Ok(Shape { geometry, mass: shape.mass * (factor * factor), ..shape.clone() })
        };
        let shapes = self.shapes.iter().map(shape).collect::<Result<_>>()?;
        let body = self.body.with_centre_of_mass(self.body.centre_of_mass * factor);
        let body = body.with_mass(body.mass * (factor * factor));
        Ok(Self::new(body.with_moment(body.moment * (factor * factor) * (factor * factor)), shapes))
    }
}

/// The same form with all lengths times this factor.
fn scaled(geometry: &Geometry, factor: f64) -> Result<Geometry> {
    let radius = geometry.radius() * factor;
    let points: Vec<Vec2> = geometry.vertices().iter().map(|&vertex| vertex * factor).collect();
    match geometry {
        Geometry::Circle(_) => Geometry::circle(radius, points[0]),
        Geometry::Segment(segment) => {
            let neighbour = |point: Option<Vec2>| point.map(|point| point * factor);
            let (previous, next) = (neighbour(segment.previous()), neighbour(segment.next()));
            let scaled = Segment::new(points[0], points[1], radius)?.with_neighbours(previous, next)?;
            Ok(Geometry::Segment(scaled))
        }
        Geometry::Polygon(_) => Geometry::convex_polygon(&points, radius),
    }
}

impl Scene {
    /// A scene without bodies and without gravity.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            settings: SpaceSettings::default(),
            dt: 1.0 / 60.0,
            until: 1.0,
            seed: 1,
            ground: Vec::new(),
            bodies: Vec::new(),
        }
    }

    /// The scene of this name, one of [`SCENES`], with these parameters.
    pub fn named(name: &str, parameters: &Parameters) -> Result<Self> {
        match SCENES.iter().find(|scene| scene.name == name) {
            Some(scene) => scene.scene(parameters),
            None => Err(Error::UnknownName {
                argument: "scene of rigid bodies",
                name: name.into(),
                known: SCENES.iter().map(|scene| scene.name).collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// The scene of a scene file in TOML; `seed` replaces that of the file.
    ///
    /// `examples/scenes` has commented files. Errors in the text are [`Error::Syntax`] with line, column and field.
    pub fn from_toml(text: &str, seed: Option<u64>) -> Result<Self> {
        file::read(text, seed)
    }

    /// A space with the bodies of the scene, at time 0.
    ///
    /// The own static body has row 0, the others follow in their order.
    pub fn space(&self) -> Result<Space> {
        let mut space = Space::new(&self.settings)?;
        for shape in &self.ground {
            space.add_shape(space.static_body(), shape.clone())?;
        }
        for SceneBody { body, shapes } in &self.bodies {
            let id = space.add_body(body)?;
            for shape in shapes {
                space.add_shape(id, shape.clone())?;
            }
        }
        Ok(space)
    }

    /// Number of dynamic bodies.
    #[must_use]
    pub fn dynamic_count(&self) -> usize {
        self.bodies.iter().filter(|body| body.body.kind == BodyKind::Dynamic).count()
    }

    /// Fails if this many more bodies are too many, before anything is allocated for them.
    fn check_room(&self, field: &'static str, more: usize) -> Result<()> {
        if more <= MOST_BODIES - self.bodies.len().min(MOST_BODIES) {
            return Ok(());
        }
        let expected = "such that the scene has at most 1,000,000 bodies";
        Err(Error::OutOfRange { field, value: more as f64, expected })
    }
}

#[cfg(test)]
mod tests;
