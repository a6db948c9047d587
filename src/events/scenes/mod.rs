//! Scenes: particles, box and settings to start from; ready-made, random or from a file.

pub(crate) mod file;
mod gas;
mod lattice;
mod mixture;
mod random_places;
mod ready_made;
mod velocities;

pub use file::is_scene;
pub use gas::{Filling, Gas, Mix};
pub use ready_made::{GAS, ReadyMade, SCENES};

use super::{AnyEngine, Boundary, Enclosure, EventSettings};
use crate::document::Fields;
use crate::document::units::Units;
use crate::error::Result;
use crate::particles::Particles;

/// One axis of the box of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxAxis {
    /// What the two faces do.
    pub boundary: Boundary,
    /// Coordinate of the lower face, in metres; 0 and not used if the faces are open.
    pub lower: f64,
    /// Coordinate of the upper face, in metres; 0 and not used if the faces are open.
    pub upper: f64,
}

impl BoxAxis {
    /// No faces.
    pub const OPEN: Self = Self { boundary: Boundary::Open, lower: 0.0, upper: 0.0 };

    /// Reflecting faces at these coordinates, in metres.
    #[must_use]
    pub fn reflecting(lower: f64, upper: f64) -> Self {
        Self { boundary: Boundary::Reflecting, lower, upper }
    }

    /// Periodic faces at these coordinates, in metres.
    #[must_use]
    pub fn periodic(lower: f64, upper: f64) -> Self {
        Self { boundary: Boundary::Periodic, lower, upper }
    }
}

/// The start of a simulation, in 1, 2 or 3 dimensions and SI units.
///
/// ```
/// use carom::events::Limit;
/// use carom::events::scenes::Scene;
///
/// let mut engine = Scene::named("head-on-vertical").expect("a scene of that name").engine()?;
/// engine.run(Limit::collisions(1))?;
/// assert_eq!(engine.synchronise().get(1)?.velocity, [0.0, 0.5]);
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Scene {
    /// Its name.
    pub name: String,
    /// One line that describes it.
    pub description: String,
    /// The balls.
    pub particles: Particles,
    /// The box, one entry per axis.
    pub enclosure: Vec<BoxAxis>,
    /// Gravity and restitution.
    pub settings: EventSettings,
    /// Suggested end of a run, in seconds; the scene starts at time 0.
    pub until: f64,
    /// Seed of its random numbers.
    pub seed: u64,
}

impl Scene {
    /// A scene of these particles in this box, without gravity and with elastic collisions.
    #[must_use]
    pub fn new(name: &str, particles: Particles, enclosure: Vec<BoxAxis>) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            particles,
            enclosure,
            settings: EventSettings::default(),
            until: 1.0,
            seed: 0,
        }
    }

    /// The scene of this name: one of [`SCENES`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        SCENES.iter().find(|scene| scene.name == name).map(ReadyMade::scene)
    }

    /// The scene of a scene file in TOML; `seed` replaces that of the file.
    ///
    /// `examples/scenes` has commented files. Errors in the text are [`Error::Syntax`](crate::Error::Syntax) with line, column
    /// and field.
    pub fn from_toml(text: &str, seed: Option<u64>) -> Result<Self> {
        file::read(text, seed)
    }

    /// The table of a scene file that ball `index` comes from, such as `ball[3]` or `balls[0]`, and its line; `None` if the
    /// file has no such ball.
    pub fn place_of_ball(text: &str, index: usize) -> Result<Option<(String, usize)>> {
        file::place_of_ball(text, index)
    }

    /// The present state of an engine as a scene, which starts at time 0.
    #[must_use]
    pub fn of_engine(name: &str, engine: &mut AnyEngine) -> Self {
        let particles = engine.synchronise().clone();
        let sides = engine.lower().iter().zip(engine.upper()).zip(engine.boundaries());
        let enclosure = sides.map(|((&lower, &upper), &boundary)| match boundary {
            Boundary::Open => BoxAxis::OPEN,
            _ => BoxAxis { boundary, lower, upper },
        });
        Self { settings: *engine.settings(), ..Self::new(name, particles, enclosure.collect()) }
    }

    /// The text of a scene file that [`from_toml`](Self::from_toml) reads as this scene, to the bit.
    ///
    /// Shapes are written as their bounding spheres, which is how they collide. It fails for a ball of radius 0, which a scene file cannot
    /// have.
    pub fn to_toml(&self) -> Result<String> {
        file::write(self)
    }

    /// The scene in the tables of another file, whose keys are [`file::TABLES`] and its own.
    pub(crate) fn from_tables(fields: &Fields<'_>, units: &Units, seed: u64) -> Result<Self> {
        file::of_tables(fields, units, seed)
    }

    /// Dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.particles.dim()
    }

    /// The box, for the dimension of the scene.
    pub(crate) fn walls<const D: usize>(&self) -> Enclosure<D> {
        Enclosure {
            lower: std::array::from_fn(|axis| self.enclosure[axis].lower),
            upper: std::array::from_fn(|axis| self.enclosure[axis].upper),
            boundaries: std::array::from_fn(|axis| self.enclosure[axis].boundary),
        }
    }

    /// An engine for a copy of the scene.
    pub fn engine(&self) -> Result<AnyEngine> {
        self.clone().into_engine()
    }

    /// An engine for the scene.
    pub fn into_engine(self) -> Result<AnyEngine> {
        let lower: Vec<f64> = self.enclosure.iter().map(|axis| axis.lower).collect();
        let upper: Vec<f64> = self.enclosure.iter().map(|axis| axis.upper).collect();
        let boundaries: Vec<Boundary> = self.enclosure.iter().map(|axis| axis.boundary).collect();
        AnyEngine::new(self.particles, &lower, &upper, &boundaries, self.settings)
    }
}
